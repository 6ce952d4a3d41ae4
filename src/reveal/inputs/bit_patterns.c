/* Values whose bits are drawn directly: sign, some bits of the exponent, significand. So values of
 * every format are at hand without arithmetic. */
#include "reveal/inputs/kinds.h"

enum { STREAMS = ACCORDI_STREAMS };

/* Magnitudes: from 2^low over 2^bits binades. */
typedef struct width {
    int low, bits;
} width;

/* By format. Products of two factors are near the least number of the format; narrow formats have
 * products far inside their accumulators', so that their tiny ones are tiny themselves. */
static const width widths[ACCORD_FORMAT_COUNT][ACCORDI_WIDTHS] = {
    /*               usual     wide       tiny        factor */
    [ACCORD_F64] = {{-7, 3}, {-31, 6}, {-1023, 3}, {-535, 3}},
    [ACCORD_F32] = {{-7, 3}, {-31, 6}, {-127, 3}, {-71, 3}},
    [ACCORD_TF32] = {{-7, 3}, {-15, 5}, {-127, 3}, {-71, 3}},
    [ACCORD_BF16] = {{-7, 3}, {-15, 5}, {-127, 3}, {-71, 3}},
    [ACCORD_F16] = {{-7, 3}, {-14, 4}, {-24, 3}, {-24, 3}},
    [ACCORD_E4M3] = {{-7, 3}, {-8, 4}, {-9, 2}, {-9, 2}},
    [ACCORD_E5M2] = {{-7, 3}, {-14, 4}, {-16, 3}, {-16, 3}},
};

/* Of the upper 32 bits of a number: which are random, and what is added. */
typedef struct pattern {
    uint32_t free, set;
} pattern;

static pattern pattern_of(width w, enum accordi_sign sign, bool is_f32)
{
    int bias = is_f32 ? 127 : 1023, shift = is_f32 ? 23 : 20;
    uint32_t base = (uint32_t)(w.low + bias);
    uint32_t loose = ((UINT32_C(1) << w.bits) - 1) << shift;
    uint32_t of_sign = UINT32_C(1) << 31;
    return (pattern){
        (sign == ACCORDI_EITHER ? of_sign : 0) | loose | ((UINT32_C(1) << shift) - 1),
        (sign == ACCORDI_MINUS ? of_sign : 0) | base << shift,
    };
}

/* The next sixteen values. */
static inline void sixteen_f32(accordi_streams *g, pattern p, float *x)
{
    for (int k = 0; k < ACCORDI_FOURS; k++) {
        g->s[k] = accordi_streams_step(g->s[k]);
        accordi_four bits = (g->s[k] & p.free) + p.set;
        memcpy(x + 4 * k, &bits, sizeof bits);
    }
}

static inline void sixteen_f64(accordi_streams *g, pattern p, double *x)
{
    typedef uint64_t four_wide __attribute__((vector_size(4 * sizeof(uint64_t))));
    for (int k = 0; k < ACCORDI_FOURS; k++) {
        accordi_four high = accordi_streams_step(g->s[k]);
        g->s[k] = accordi_streams_step(high);
        high = (high & p.free) + p.set;
        four_wide bits = __builtin_convertvector(high, four_wide) << 32 |
                         __builtin_convertvector(g->s[k], four_wide);
        memcpy(x + 4 * k, &bits, sizeof bits);
    }
}

static void fill_f32(accordi_streams g, pattern p, float *x, size_t count)
{
    float last[STREAMS];
    for (; count >= STREAMS; count -= STREAMS, x += STREAMS)
        sixteen_f32(&g, p, x);
    sixteen_f32(&g, p, last);
    memcpy(x, last, count * sizeof *x);
}

static void fill_f64(accordi_streams g, pattern p, double *x, size_t count)
{
    double last[STREAMS];
    for (; count >= STREAMS; count -= STREAMS, x += STREAMS)
        sixteen_f64(&g, p, x);
    sixteen_f64(&g, p, last);
    memcpy(x, last, count * sizeof *x);
}

/* The last comes first. */
void accordi_draw_widen(void *x, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        float narrow;
        memcpy(&narrow, (const char *)x + i * sizeof narrow, sizeof narrow);
        ((double *)x)[i] = (double)narrow;
    }
}

/* What is not f64 is drawn as f32, whatever holds it, then rounded. */
void accordi_draw_pattern(accordi_row *row, enum accordi_width kind, enum accordi_sign sign)
{
    const accordi_draw *draw = row->draw;
    accordi_streams g;
    width w = widths[draw->format][kind];
    w.low -= row->lower;
    accordi_streams_init(&g, row->seed);
    if (draw->format == ACCORD_F64) {
        fill_f64(g, pattern_of(w, sign, false), row->x, draw->n);
        return;
    }
    fill_f32(g, pattern_of(w, sign, true), row->x, draw->n);
    if (!draw->is_f32)
        accordi_draw_widen(row->x, draw->n);
    if (draw->format == ACCORD_F32)
        return;
    for (size_t i = 0; i < draw->n; i++)
        accordi_row_put(
            row, i,
            accord_format_round(draw->format, ACCORD_NEAREST_EVEN, accordi_row_get(row, i)));
}
