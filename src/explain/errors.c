/* The errors of the target and of the references on the inputs of one kind. */
#include "explain/statistics.h"
#include <math.h>

enum { FOLLOWED_NUMBERS = 1 << 22, FOLLOWED_LEAST = 5 };

enum accord_status accordi_errors_new(const accordi_sums *sums, int kind, bool given, size_t rows,
                                      size_t thinned, size_t implementations, accordi_errors *out,
                                      accord_error *error)
{
    size_t followed = implementations, n = sums->n, room = 1;
    while (room < 2 * rows)
        room *= 2;
    while (followed > FOLLOWED_LEAST && followed * n > FOLLOWED_NUMBERS)
        followed--;
    accordi_errors made = {.sums = sums,
                           .kind = accordi_kind_name(kind),
                           .random = !given && accordi_kind_is_random(kind),
                           .given = given,
                           .room = room,
                           .rows = rows,
                           .implementations = implementations,
                           .terms = n,
                           .followed = followed};
    made.input = accordi_calloc(rows, sizeof *made.input);
    made.error = accordi_calloc(rows * implementations, sizeof *made.error);
    made.result = accordi_calloc(rows, sizeof *made.result);
    made.direction = accordi_calloc(rows * ACCORDI_DIRECTIONS, sizeof *made.direction);
    made.slope = accordi_calloc(followed * n, sizeof *made.slope);
    made.square = accordi_calloc(followed * n, sizeof *made.square);
    made.cross = accordi_calloc(followed * n, sizeof *made.cross);
    made.middle = accordi_calloc(n, sizeof *made.middle);
    made.weight = accordi_calloc(n, sizeof *made.weight);
    made.whole = accordi_calloc(n, sizeof *made.whole);
    made.share = accordi_calloc(n, sizeof *made.share);
    made.sum = accordi_calloc(followed, sizeof *made.sum);
    made.power = accordi_calloc(followed, sizeof *made.power);
    made.scaled = accordi_alloc(n, sizeof *made.scaled);
    made.thinned = made.random ? thinned : 0;
    made.thin = accordi_calloc(made.thinned * implementations + 1, sizeof *made.thin);
    made.seen = accordi_calloc(made.given ? room : 1, sizeof *made.seen);
    if (!made.input || !made.error || !made.result || !made.direction || !made.slope ||
        !made.square || !made.cross || !made.middle || !made.weight || !made.whole || !made.share ||
        !made.sum || !made.power || !made.scaled || !made.thin || !made.seen) {
        accordi_errors_clear(&made);
        return accordi_nomem(error);
    }
    *out = made;
    return ACCORD_OK;
}

void accordi_errors_clear(accordi_errors *errors)
{
    free(errors->input);
    free(errors->error);
    free(errors->result);
    free(errors->direction);
    free(errors->slope);
    free(errors->square);
    free(errors->cross);
    free(errors->middle);
    free(errors->weight);
    free(errors->whole);
    free(errors->share);
    free(errors->sum);
    free(errors->power);
    free(errors->scaled);
    free(errors->thin);
    free(errors->seen);
    *errors = (accordi_errors){0};
}

bool accordi_input_counts(const accordi_input *input)
{
    return isfinite(input->envelope) && input->sigma > 0;
}

double accordi_kept_within(double e, double envelope)
{
    return isnan(e) ? 0 : e > envelope ? envelope : e < -envelope ? -envelope : e;
}

/* A row that is another one times a power of two, or with the other sign, has the same errors but
 * for that factor. */
static uint64_t hash_of(const double *values, size_t n)
{
    uint64_t hash = 0xcbf29ce484222325u, bits;
    double largest = 0, sign = 0;
    int exponent;
    for (size_t k = 0; k < n; k++)
        largest = fmax(largest, fabs(values[k]));
    frexp(largest, &exponent);
    for (size_t k = 0; k < n; k++) {
        sign = sign != 0 ? sign : values[k];
        double value = ldexp(sign < 0 ? -values[k] : values[k], -exponent) + 0.0;
        memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash | 1; /* 0 stands for no row */
}

/* Rows that repeat are no evidence: only the first of them counts. */
static bool seen_before(accordi_errors *errors)
{
    uint64_t hash = hash_of(errors->scaled, errors->terms);
    size_t at = (hash >> 20) & (errors->room - 1);
    while (errors->seen[at] && errors->seen[at] != hash)
        at = (at + 1) & (errors->room - 1);
    bool seen = errors->seen[at] == hash;
    errors->seen[at] = hash;
    return seen;
}

/* The loops over terms are the ones in which time is spent. */
static void add_terms(accordi_errors *errors, const accordi_chunk *chunk, size_t row,
                      const accordi_input *input, const double *error, double whole)
{
    size_t n = errors->terms;
    double *scaled = errors->scaled;
    for (size_t k = 0; k < n; k++)
        scaled[k] = accordi_term(errors->sums, chunk, row, k) / input->sigma;
    if (errors->given && seen_before(errors))
        return;
    errors->counted++;
    for (size_t k = 0; k < n; k++) {
        errors->middle[k] += scaled[k];
        errors->weight[k] += scaled[k] * scaled[k];
        double part = scaled[k] * (input->sigma / input->mass);
        errors->whole[k] += whole / input->mass * part;
        errors->share[k] += part * part;
    }
    for (size_t i = 0; i < errors->followed; i++) {
        double *slope = errors->slope + i * n, *square = errors->square + i * n;
        double *cross = errors->cross + i * n, e = error[i] / input->sigma, ee = e * e;
        errors->sum[i] += e;
        errors->power[i] += ee;
        for (size_t k = 0; k < n && e != 0; k++) {
            double d = scaled[k];
            slope[k] += d * e;
            square[k] += d * d * ee;
            cross[k] += d * ee;
        }
    }
}

void accordi_errors_add(accordi_errors *errors, const accordi_chunk *chunk,
                        const accordi_input *input, double *const *results)
{
    enum { MOST = 64 };
    double within[MOST];
    for (size_t row = 0; row < chunk->rows; row++) {
        size_t at = errors->filled++;
        const accordi_input *in = &input[row];
        errors->input[at] = *in;
        errors->result[at] = results[0][row];
        for (size_t i = 0; i < errors->implementations; i++) {
            double e = accordi_error_of(in, results[i][row]);
            errors->error[i * errors->rows + at] = e;
            if (i < MOST)
                within[i] = accordi_kept_within(e, in->envelope);
        }
        for (size_t d = 0; d < ACCORDI_DIRECTIONS; d++)
            errors->direction[d * errors->rows + at] =
                accordi_direction_of(errors->sums, chunk, row, in, d);
        if (accordi_input_counts(in))
            add_terms(errors, chunk, row, in, within,
                      isfinite(results[0][row]) ? errors->error[at] : 0);
    }
}
