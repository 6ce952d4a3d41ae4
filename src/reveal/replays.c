/* Random inputs. Bits are drawn directly: sign, one of eight exponents below 2, significand; so
 * values of every format are at hand without rounding, and two of them come from one random
 * number. */
#include "reveal/replays.h"
#include <accord/model.h>
#include <math.h>

/* Four generators side by side: a single one would be the slowest part of a certificate. */
typedef struct streams {
    uint64_t s[4];
} streams;

static void streams_init(streams *g, accordi_rng *rng)
{
    for (int i = 0; i < 4; i++)
        g->s[i] = accordi_rng_next(rng) | 1;
}

/* xorshift64*: enough for inputs, and vectorised by the compiler. */
static inline uint64_t draw(uint64_t *s)
{
    uint64_t x = *s;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *s = x;
    return x * 0x2545F4914F6CDD1DULL;
}

static void fill_f32(streams *g, float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t r = (uint32_t)(draw(&g->s[i & 3]) >> 32);
        /* sign 1, exponent 120 + 3 bits, significand 23; 27 of 32 bits used */
        uint32_t bits = (r & 0x80000000u) | (120 + (r >> 23 & 7)) << 23 | (r & 0x7FFFFFu);
        memcpy(&x[i], &bits, sizeof bits);
    }
}

static void fill_f64(streams *g, double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t r = draw(&g->s[i & 3]);
        uint64_t bits =
            (r & 0x8000000000000000u) | (1016 + (r >> 52 & 7)) << 52 | (r & 0xFFFFFFFFFFFFFu);
        memcpy(&x[i], &bits, sizeof bits);
    }
}

/* Narrower formats: drawn as f64, then rounded. */
static void narrow(enum accord_format format, void *x, bool is_f32, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_f32)
            ((float *)x)[i] =
                (float)accord_format_round(format, ACCORD_NEAREST_EVEN, ((float *)x)[i]);
        else
            ((double *)x)[i] = accord_format_round(format, ACCORD_NEAREST_EVEN, ((double *)x)[i]);
}

static enum accord_status make_room(accordi_asker *asker, accordi_replays *replays, size_t bytes)
{
    accord_target *target = asker->target;
    replays->x = target->kind->arena ? target->kind->arena(target, bytes) : NULL;
    replays->owned = replays->x == NULL;
    if (!replays->x)
        replays->x = accordi_alloc(bytes, 1);
    replays->result = accordi_alloc(replays->rows, sizeof *replays->result);
    if (replays->x && replays->result)
        return ACCORD_OK;
    return asker->status = accordi_nomem(asker->error);
}

enum accord_status accordi_replays_ask(accordi_asker *asker, size_t rows, accordi_replays *replays)
{
    accord_target *target = asker->target;
    size_t n = asker->n, count = rows * n;
    *replays = (accordi_replays){.rows = rows, .n = n, .is_f32 = target->storage_f32};
    if (asker->status || make_room(asker, replays, count * (replays->is_f32 ? 4 : 8)))
        return asker->status;
    streams g;
    streams_init(&g, &asker->rng);
    if (replays->is_f32)
        fill_f32(&g, replays->x, count);
    else
        fill_f64(&g, replays->x, count);
    if (target->format != (replays->is_f32 ? ACCORD_F32 : ACCORD_F64))
        narrow(target->format, replays->x, replays->is_f32, count);
    accord_batch batch = {.probes = rows, .dense = replays->x};
    return asker->status = accord_target_run(target, &batch, replays->result, asker->error);
}

void accordi_replays_clear(accordi_replays *replays)
{
    if (replays->owned)
        free(replays->x);
    free(replays->result);
    memset(replays, 0, sizeof *replays);
}

static bool same_bits(double a, double b)
{
    return a == b ? signbit(a) == signbit(b) : a != a && b != b;
}

/* The scaled sum, in the output's format: by the factor, or by its inverse where that is the
 * count of a mean. */
static bool agrees(const accordi_asker *asker, double sum, double result)
{
    if (asker->scale == 1)
        return same_bits(sum, result);
    enum accord_format output = asker->target->output;
    double inverse = rint(1 / asker->scale);
    double times = accord_format_round(output, ACCORD_NEAREST_EVEN, sum * asker->scale);
    double divided = accord_format_round(output, ACCORD_NEAREST_EVEN, sum / inverse);
    return same_bits(times, result) || (inverse >= 1 && same_bits(divided, result));
}

enum accord_status accordi_replays_agree(accordi_asker *asker, const accordi_replays *replays,
                                         const accord_tree *tree, enum accord_format accumulator,
                                         size_t first, size_t rows, size_t *agree)
{
    double *sum = accordi_alloc(rows, sizeof *sum);
    if (!sum)
        return asker->status = accordi_nomem(asker->error);
    accord_model model = {.tree = tree,
                          .accumulator = accumulator,
                          .rounding = ACCORD_NEAREST_EVEN,
                          .output = asker->target->output};
    const char *x = replays->x;
    enum accord_status status =
        accord_model_replay(&model, rows, x + first * replays->n * (replays->is_f32 ? 4 : 8),
                            replays->is_f32, sum, asker->error);
    size_t count = 0;
    for (size_t r = 0; !status && r < rows; r++)
        count += agrees(asker, sum[r], replays->result[first + r]);
    free(sum);
    if (!status)
        *agree = count;
    return asker->status = status;
}

/* The sum to about 106 bits: TwoSum cascaded, enough to round it right but in rare ties. */
static double careful_sum(const accordi_replays *replays, size_t row)
{
    double high = 0, low = 0;
    for (size_t i = 0; i < replays->n; i++) {
        size_t at = row * replays->n + i;
        double x =
            replays->is_f32 ? ((const float *)replays->x)[at] : ((const double *)replays->x)[at];
        double sum = high + x, back = sum - high;
        low += (high - (sum - back)) + (x - back);
        high = sum;
    }
    return high + low;
}

size_t accordi_replays_exact(const accordi_asker *asker, const accordi_replays *replays)
{
    size_t count = 0;
    for (size_t r = 0; r < replays->rows; r++)
        count += agrees(asker,
                        accord_format_round(asker->target->output, ACCORD_NEAREST_EVEN,
                                            careful_sum(replays, r)),
                        replays->result[r]);
    return count;
}

size_t accordi_accumulators(const accord_target *target, enum accord_format out[4])
{
    const enum accord_format wanted[] = {target->output, target->format, ACCORD_F32, ACCORD_F64};
    size_t count = 0;
    for (size_t i = 0; i < 4; i++) {
        bool old = false;
        for (size_t k = 0; k < count; k++)
            old = old || out[k] == wanted[i];
        if (!old)
            out[count++] = wanted[i];
    }
    return count;
}
