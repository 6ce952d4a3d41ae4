/* Random inputs. Bits are drawn directly: sign, one of eight exponents below 2, significand; so
 * values of every format are at hand without rounding. Sixteen small generators run side by side,
 * which the compiler turns into vector instructions: drawing is not to cost more than adding. */
#include "reveal/replays.h"
#include "model/replay.h"
#include <math.h>

enum { STREAMS = 16, CHUNK_BYTES = 1 << 19 };

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

/* Sign 1, exponent 120 + 3 bits, significand 23: five bits of the exponent are fixed. */
static inline uint32_t bits_f32(uint32_t r)
{
    return (r & 0x83FFFFFFu) | 0x3C000000u;
}

/* The next sixteen values. */
static inline void sixteen_f32(uint32_t s[STREAMS], float x[STREAMS])
{
    uint32_t bits[STREAMS];
    for (int l = 0; l < STREAMS; l++) {
        s[l] = step(s[l]);
        bits[l] = bits_f32(s[l]);
    }
    memcpy(x, bits, sizeof bits);
}

static inline void sixteen_f64(uint32_t s[STREAMS], double x[STREAMS])
{
    uint64_t bits[STREAMS];
    for (int l = 0; l < STREAMS; l++) {
        uint32_t high = step(s[l]);
        s[l] = step(high);
        bits[l] = (uint64_t)((high & 0x807FFFFFu) | 0x3F800000u) << 32 | s[l]; /* 1016 + 3 bits */
    }
    memcpy(x, bits, sizeof bits);
}

static void fill_f32(const streams *g, float *x, size_t count)
{
    uint32_t s[STREAMS];
    float last[STREAMS];
    memcpy(s, g->s, sizeof s);
    for (; count >= STREAMS; count -= STREAMS, x += STREAMS)
        sixteen_f32(s, x);
    sixteen_f32(s, last);
    memcpy(x, last, count * sizeof *x);
}

static void fill_f64(const streams *g, double *x, size_t count)
{
    uint32_t s[STREAMS];
    double last[STREAMS];
    memcpy(s, g->s, sizeof s);
    for (; count >= STREAMS; count -= STREAMS, x += STREAMS)
        sixteen_f64(s, x);
    sixteen_f64(s, last);
    memcpy(x, last, count * sizeof *x);
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

static size_t row_bytes(const accordi_replays *replays)
{
    return replays->n * (replays->is_f32 ? sizeof(float) : sizeof(double));
}

/* Rows that are handled at once. */
static size_t chunk_rows(const accordi_replays *replays)
{
    size_t rows = CHUNK_BYTES / row_bytes(replays);
    size_t least = row_bytes(replays) < 1 << 22 ? 16 : 4; /* rows are replayed side by side */
    rows = rows < least ? least : rows;
    return rows < replays->rows ? rows : replays->rows;
}

static void draw(const accordi_replays *replays, size_t first, size_t rows, void *x)
{
    for (size_t r = 0; r < rows; r++) {
        streams g;
        void *row = (char *)x + r * row_bytes(replays);
        streams_init(&g, replays->seed, first + r);
        if (replays->is_f32)
            fill_f32(&g, row, replays->n);
        else
            fill_f64(&g, row, replays->n);
    }
    if (replays->format != (replays->is_f32 ? ACCORD_F32 : ACCORD_F64))
        narrow(replays->format, x, replays->is_f32, rows * replays->n);
}

static bool same_bits(double a, double b)
{
    return a == b ? signbit(a) == signbit(b) : a != a && b != b;
}

/* The scaled sum, in the output's format: by the factor, by the factor as that format has it, or by
 * its inverse where that is the count of a mean. */
static bool agrees(const accordi_asker *asker, double sum, double result)
{
    if (asker->scale == 1)
        return same_bits(sum, result);
    enum accord_format output = asker->target->output;
    double factor = accord_format_round(output, ACCORD_NEAREST_EVEN, asker->scale);
    double inverse = rint(1 / asker->scale);
    const double ways[] = {sum * asker->scale, sum * factor, inverse >= 1 ? sum / inverse : NAN};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (same_bits(accord_format_round(output, ACCORD_NEAREST_EVEN, ways[i]), result))
            return true;
    return false;
}

/* Replays rows that are at hand, from row `first` on, and counts those that agree. */
static void replay_rows(accordi_asker *asker, const accordi_replays *replays,
                        const accordi_plain *model, const void *x, size_t first, size_t rows,
                        size_t *agree)
{
    double *sum = accordi_alloc(rows, sizeof *sum);
    if (!sum) {
        asker->status = accordi_nomem(asker->error);
        return;
    }
    asker->status = accordi_plain_replay(model, rows, x, replays->is_f32, sum, asker->error);
    for (size_t r = 0; r < rows && !asker->status; r++)
        *agree += agrees(asker, sum[r], replays->result[first + r]);
    free(sum);
}

/* Asks for the sums of the first rows, a chunk at a time; with a model, replays them too. */
static enum accord_status ask_rows(accordi_asker *asker, const accordi_replays *replays,
                                   size_t rows, double *result, const accordi_plain *model,
                                   size_t *agree)
{
    accord_target *target = asker->target;
    size_t chunk = chunk_rows(replays), bytes = chunk * row_bytes(replays);
    void *arena = target->kind->arena ? target->kind->arena(target, bytes) : NULL;
    void *x = arena ? arena : accordi_alloc(bytes, 1);
    if (!x)
        return asker->status = accordi_nomem(asker->error);
    for (size_t at = 0; at < rows && !asker->status; at += chunk) {
        size_t count = rows - at < chunk ? rows - at : chunk;
        draw(replays, at, count, x);
        accord_batch batch = {.probes = count, .dense = x};
        if (!accordi_ask_goes_on(asker))
            break;
        asker->status = accord_target_run(target, &batch, result + at, asker->error);
        if (model && !asker->status)
            replay_rows(asker, replays, model, x, at, count, agree);
    }
    if (!arena)
        free(x);
    return asker->status;
}

enum accord_status accordi_replays_again(accordi_asker *asker, const accordi_replays *replays,
                                         size_t rows, double *result)
{
    return ask_rows(asker, replays, rows, result, NULL, NULL);
}

static accordi_plain plain_model(const accordi_asker *asker, const accord_tree *tree,
                                 enum accord_format accumulator)
{
    return (accordi_plain){.tree = tree,
                           .accumulator = accumulator,
                           .rounding = ACCORD_NEAREST_EVEN,
                           .output = asker->target->output};
}

enum accord_status accordi_replays_ask(accordi_asker *asker, size_t rows, const accord_tree *tree,
                                       enum accord_format accumulator, accordi_replays *replays,
                                       size_t *agree)
{
    accord_target *target = asker->target;
    *replays = (accordi_replays){.rows = rows,
                                 .n = asker->n,
                                 .seed = accordi_rng_next(&asker->rng),
                                 .format = target->format,
                                 .is_f32 = target->storage_f32};
    replays->result = accordi_alloc(rows, sizeof *replays->result);
    if (asker->status || !replays->result)
        return asker->status ? asker->status : (asker->status = accordi_nomem(asker->error));
    accordi_plain model = plain_model(asker, tree, accumulator);
    if (tree)
        *agree = 0;
    return ask_rows(asker, replays, rows, replays->result, tree ? &model : NULL, agree);
}

void accordi_replays_clear(accordi_replays *replays)
{
    free(replays->result);
    memset(replays, 0, sizeof *replays);
}

enum accord_status accordi_replays_agree(accordi_asker *asker, const accordi_replays *replays,
                                         const accord_tree *tree, enum accord_format accumulator,
                                         size_t first, size_t rows, size_t *agree)
{
    size_t chunk = chunk_rows(replays), count = 0;
    void *x = accordi_alloc(chunk, row_bytes(replays));
    if (!x)
        return asker->status = accordi_nomem(asker->error);
    const accordi_plain model = plain_model(asker, tree, accumulator);
    for (size_t at = 0; at < rows && !asker->status; at += chunk) {
        size_t now = rows - at < chunk ? rows - at : chunk;
        draw(replays, first + at, now, x);
        replay_rows(asker, replays, &model, x, first + at, now, &count);
    }
    free(x);
    if (!asker->status)
        *agree = count;
    return asker->status;
}

/* The sum to about 106 bits: TwoSum cascaded, enough to round it right but in rare ties. */
static double careful_sum(const accordi_replays *replays, const void *row)
{
    double high = 0, low = 0;
    for (size_t i = 0; i < replays->n; i++) {
        double x = replays->is_f32 ? ((const float *)row)[i] : ((const double *)row)[i];
        double sum = high + x, back = sum - high;
        low += (high - (sum - back)) + (x - back);
        high = sum;
    }
    return high + low;
}

enum accord_status accordi_replays_exact(accordi_asker *asker, const accordi_replays *replays,
                                         size_t *exact)
{
    void *row = accordi_alloc(1, row_bytes(replays));
    if (!row)
        return asker->status = accordi_nomem(asker->error);
    *exact = 0;
    for (size_t r = 0; r < replays->rows; r++) {
        draw(replays, r, 1, row);
        double sum = accord_format_round(asker->target->output, ACCORD_NEAREST_EVEN,
                                         careful_sum(replays, row));
        *exact += agrees(asker, sum, replays->result[r]);
    }
    free(row);
    return ACCORD_OK;
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
