/* How many bits partial sums keep, asked of the target where its order is not known.
 *
 * Three terms are not zero: 1, 2^-t and -1, anywhere among the others. If 1 and 2^-t meet before -1
 * does, the result is 2^-t, or it is 0 where the partial sum has at most t bits; if 1 and -1 meet
 * first, the result is 2^-t in any case. So the least t with a result that is not 2^-t, over many
 * places, is the precision of the narrowest partial sum that was met, if other places show it
 * again: a fault that strikes a few inputs alone is no question of bits. This decides nothing: it
 * only describes a fault that was found. */
#include "explain/explain.h"
#include <math.h>

enum { PLACES = 48, ONCE_MORE = 2 };

static void put(const accordi_sums *sums, const accordi_chunk *chunk, size_t row, size_t k,
                double value)
{
    accordi_set_number(chunk->x, sums->is_f32, row * sums->n + k, value);
}

/* In each row a, b and -a at places of its own; the second factors are 1. */
static void place_three(const accordi_sums *sums, const accordi_chunk *chunk, accordi_rng *rng,
                        double a, double b)
{
    memset(chunk->x, 0, chunk->rows * sums->n * accordi_width_of(sums));
    for (size_t i = 0; sums->products && i < chunk->rows * sums->n; i++)
        accordi_set_number(chunk->y, sums->is_f32, i, 1);
    for (size_t row = 0; row < chunk->rows; row++) {
        size_t at[3];
        for (size_t i = 0; i < 3; i++)
            do
                at[i] = accordi_rng_below(rng, sums->factors);
            while ((i > 0 && at[i] == at[0]) || (i > 1 && at[i] == at[1]));
        put(sums, chunk, row, at[0], a);
        put(sums, chunk, row, at[1], b);
        put(sums, chunk, row, at[2], -a);
    }
}

/* How many results lost the small term: they are 0, or twice as large. `odd`: others were seen, so
 * this is no question of bits. */
static enum accord_status count_lost(const accordi_sums *sums, const accordi_chunk *chunk,
                                     double small, size_t *lost, bool *odd, accord_error *error)
{
    double result[PLACES];
    enum accord_status status = accordi_ask_chunk(sums, chunk, result, error);
    *lost = 0;
    for (size_t row = 0; row < chunk->rows && !status; row++) {
        bool here = result[row] == 0 || result[row] == 2 * small;
        *lost += here;
        *odd = *odd || !(here || result[row] == small);
    }
    return status;
}

static enum accord_status find_bits(const accordi_sums *sums, const accordi_chunk *chunk,
                                    accordi_rng *rng, int most, int *bits, accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    size_t lost = 0;
    bool odd = false;
    *bits = 0;
    for (int t = 2; t < most && !lost && !odd && !status; t++) {
        double small = ldexp(1, -t);
        if (accord_format_round(sums->input, ACCORD_NEAREST_EVEN, small) != small)
            break;
        for (int turn = 0; turn <= ONCE_MORE && (!turn || lost) && !odd && !status; turn++) {
            place_three(sums, chunk, rng, 1, small);
            status = count_lost(sums, chunk, small, &lost, &odd, error);
        }
        *bits = lost && !odd ? t : 0;
    }
    return status;
}

/* f16 and tf32 have the same bits, but f16 overflows. */
static enum accord_status name_bits(const accordi_sums *sums, const accordi_chunk *chunk,
                                    accordi_rng *rng, int bits, char *text, size_t size,
                                    accord_error *error)
{
    const char *name = bits == 8 ? "bf16" : bits == 11 ? "tf32" : bits == 24 ? "f32" : NULL;
    enum accord_status status = ACCORD_OK;
    if (bits == 11 && accord_format_get(sums->input)->greatest > 65536) {
        double result[PLACES];
        place_three(sums, chunk, rng, 40960, 40960);
        status = accordi_ask_chunk(sums, chunk, result, error);
        for (size_t row = 0; row < PLACES && !status; row++)
            name = isfinite(result[row]) ? name : "f16";
    } else if (bits == 11) {
        name = "f16";
    }
    if (name)
        snprintf(text, size, "partial sums look like %s", name);
    else
        snprintf(text, size, "partial sums keep %d bits", bits);
    return status;
}

enum accord_status accordi_precision_words(const accordi_sums *sums,
                                           const accordi_accumulator *accumulator, uint64_t seed,
                                           char *text, size_t size, accord_error *error)
{
    int most = accord_format_get(accumulator->format)->precision, bits = 0;
    text[0] = '\0';
    if (accumulator->machine || sums->factors < 3 || sums->alpha != 1 ||
        accordi_results_of(sums->target) || sums->target->term == ACCORD_TERM_ABSOLUTE)
        return ACCORD_OK;
    accordi_chunk chunk;
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    enum accord_status status = accordi_chunk_new(sums, PLACES, &chunk, error);
    if (status)
        return status;
    status = find_bits(sums, &chunk, &rng, most, &bits, error);
    if (!status && bits)
        status = name_bits(sums, &chunk, &rng, bits, text, size, error);
    accordi_chunk_free(&chunk);
    return status;
}
