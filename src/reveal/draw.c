/* Random inputs. Bits are drawn directly: sign, some bits of the exponent, significand; so values
 * of every format are at hand without rounding. Sixteen small generators run side by side, which
 * the compiler turns into vector instructions: drawing is not to cost more than adding. */
#include "reveal/draw.h"

enum { STREAMS = 16 };

/* Magnitudes: from 2^low over 2^bits binades. */
typedef struct width {
    int low, bits;
} width;

enum kind { USUAL, WIDE, TINY, TINY_FACTOR, KINDS };

/* By format. Products of two TINY_FACTORs are near the least number of the format; narrow formats
 * have products far inside their accumulators', so that their tiny ones are tiny themselves. */
static const width widths[ACCORD_FORMAT_COUNT][KINDS] = {
    [ACCORD_F64] = {{-7, 3}, {-63, 6}, {-1023, 3}, {-535, 3}},
    [ACCORD_F32] = {{-7, 3}, {-63, 6}, {-127, 3}, {-71, 3}},
    [ACCORD_TF32] = {{-7, 3}, {-31, 5}, {-127, 3}, {-71, 3}},
    [ACCORD_BF16] = {{-7, 3}, {-31, 5}, {-127, 3}, {-71, 3}},
    [ACCORD_F16] = {{-7, 3}, {-14, 4}, {-24, 3}, {-24, 3}},
    [ACCORD_E4M3] = {{-7, 3}, {-8, 4}, {-9, 2}, {-9, 2}},
    [ACCORD_E5M2] = {{-7, 3}, {-14, 4}, {-16, 3}, {-16, 3}},
};

/* What a row of each turn is. */
static const struct {
    enum kind kind;
    bool cancels, sparse;
} turns[] = {{USUAL, false, false}, {USUAL, false, false}, {WIDE, false, false},
             {USUAL, true, false},  {USUAL, false, false}, {TINY, false, false},
             {WIDE, true, false},   {WIDE, false, true}};
enum { TURNS = sizeof turns / sizeof *turns };

static size_t turn_of(const accordi_draw *draw, size_t row)
{
    return draw->plain ? 0 : row / (draw->block ? draw->block : 1) % TURNS;
}

const char *const accordi_draw_names[ACCORDI_DRAW_KINDS] = {
    "terms of like size", "terms of very different size", "terms that cancel", "tiny terms",
    "terms of which half are zero"};

enum accordi_draw_kind accordi_draw_kind_of(const accordi_draw *draw, size_t row)
{
    size_t turn = turn_of(draw, row);
    return turns[turn].cancels        ? ACCORDI_DRAW_CANCELLING
           : turns[turn].sparse       ? ACCORDI_DRAW_SPARSE
           : turns[turn].kind == TINY ? ACCORDI_DRAW_TINY
           : turns[turn].kind == WIDE ? ACCORDI_DRAW_WIDE
                                      : ACCORDI_DRAW_USUAL;
}

bool accordi_draw_is_plain(const accordi_draw *draw, size_t row)
{
    return accordi_draw_kind_of(draw, row) == ACCORDI_DRAW_USUAL;
}

typedef struct streams {
    uint32_t s[STREAMS];
} streams;

static void streams_init(streams *g, uint64_t seed, size_t row)
{
    accordi_rng rng;
    accordi_rng_init(&rng, seed + row);
    for (int i = 0; i < STREAMS; i++)
        g->s[i] = (uint32_t)accordi_rng_next(&rng) | 1;
}

/* xorshift32 (Marsaglia 2003): enough for inputs. */
static inline uint32_t step(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

/* Of the upper 32 bits of a number: which are random, and what is added. */
typedef struct pattern {
    uint32_t free, set;
} pattern;

static pattern pattern_of(width w, bool is_f32)
{
    int bias = is_f32 ? 127 : 1023, shift = is_f32 ? 23 : 20;
    uint32_t base = (uint32_t)(w.low + bias);
    uint32_t loose = ((UINT32_C(1) << w.bits) - 1) << shift;
    return (pattern){0x80000000u | loose | ((UINT32_C(1) << shift) - 1), base << shift};
}

/* The next sixteen values. */
static inline void sixteen_f32(uint32_t s[STREAMS], pattern p, float x[STREAMS])
{
    uint32_t bits[STREAMS];
    for (int l = 0; l < STREAMS; l++) {
        s[l] = step(s[l]);
        bits[l] = (s[l] & p.free) + p.set;
    }
    memcpy(x, bits, sizeof bits);
}

static inline void sixteen_f64(uint32_t s[STREAMS], pattern p, double x[STREAMS])
{
    uint64_t bits[STREAMS];
    for (int l = 0; l < STREAMS; l++) {
        uint32_t high = step(s[l]);
        s[l] = step(high);
        bits[l] = (uint64_t)((high & p.free) + p.set) << 32 | s[l];
    }
    memcpy(x, bits, sizeof bits);
}

static void fill_f32(const streams *g, pattern p, float *x, size_t count)
{
    uint32_t s[STREAMS];
    float last[STREAMS];
    memcpy(s, g->s, sizeof s);
    for (; count >= STREAMS; count -= STREAMS, x += STREAMS)
        sixteen_f32(s, p, x);
    sixteen_f32(s, p, last);
    memcpy(x, last, count * sizeof *x);
}

static void fill_f64(const streams *g, pattern p, double *x, size_t count)
{
    uint32_t s[STREAMS];
    double last[STREAMS];
    memcpy(s, g->s, sizeof s);
    for (; count >= STREAMS; count -= STREAMS, x += STREAMS)
        sixteen_f64(s, p, x);
    sixteen_f64(s, p, last);
    memcpy(x, last, count * sizeof *x);
}

static double get(const void *x, bool is_f32, size_t i)
{
    return is_f32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void put(void *x, bool is_f32, size_t i, double value)
{
    if (is_f32)
        ((float *)x)[i] = (float)value;
    else
        ((double *)x)[i] = value;
}

/* Term n-1-i takes away what term i brought; those that meet only late leave rounding errors. */
static void cancel(const accordi_draw *draw, void *x, double sign)
{
    for (size_t i = 0; i < draw->n / 2; i++)
        put(x, draw->is_f32, draw->n - 1 - i, sign * get(x, draw->is_f32, i));
}

static void make_sparse(const accordi_draw *draw, uint64_t seed, void *x)
{
    accordi_rng rng;
    accordi_rng_init(&rng, seed ^ 0x7370617273u);
    for (size_t i = 0; i < draw->n; i++)
        if (accordi_rng_next(&rng) >> 63)
            put(x, draw->is_f32, i, 0);
}

/* Narrower formats: drawn in the type that holds them, then rounded. */
static void narrow(const accordi_draw *draw, void *x)
{
    for (size_t i = 0; i < draw->n; i++)
        put(x, draw->is_f32, i,
            accord_format_round(draw->format, ACCORD_NEAREST_EVEN, get(x, draw->is_f32, i)));
}

static void fill(const accordi_draw *draw, uint64_t seed, size_t row, bool second, void *x)
{
    streams g;
    size_t turn = turn_of(draw, row);
    enum kind kind = turns[turn].kind;
    if (kind == TINY && draw->products)
        kind = TINY_FACTOR;
    pattern p = pattern_of(widths[draw->format][kind], draw->is_f32);
    streams_init(&g, seed, row);
    if (draw->is_f32)
        fill_f32(&g, p, x, draw->n);
    else
        fill_f64(&g, p, x, draw->n);
    if (turns[turn].cancels)
        cancel(draw, x, second ? 1 : -1);
    if (turns[turn].sparse && !second)
        make_sparse(draw, seed + row, x);
    if (draw->format != (draw->is_f32 ? ACCORD_F32 : ACCORD_F64))
        narrow(draw, x);
}

void accordi_draw_rows(const accordi_draw *draw, size_t first, size_t rows, void *x, void *y)
{
    size_t bytes = draw->n * (draw->is_f32 ? sizeof(float) : sizeof(double));
    for (size_t r = 0; r < rows; r++) {
        fill(draw, draw->seed, first + r, false, (char *)x + r * bytes);
        if (draw->products)
            fill(draw, ~draw->seed, first + r, true, (char *)y + r * bytes);
    }
}
