/* The errors of the target and of the references on the inputs of one kind. */
#include "explain/statistics.h"
#include <math.h>

enum { FOLLOWED_NUMBERS = 1 << 22, FOLLOWED_LEAST = 5 };

enum accord_status accordi_errors_new(const accordi_sums *sums, size_t rows, size_t implementations,
                                      accordi_errors *out, accord_error *error)
{
    size_t followed = implementations, n = sums->n;
    while (followed > FOLLOWED_LEAST && followed * n > FOLLOWED_NUMBERS)
        followed--;
    accordi_errors made = {.sums = sums,
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
    made.weight = accordi_calloc(n, sizeof *made.weight);
    made.whole = accordi_calloc(n, sizeof *made.whole);
    made.weighted = accordi_alloc(n, sizeof *made.weighted);
    if (!made.input || !made.error || !made.result || !made.direction || !made.slope ||
        !made.square || !made.weight || !made.whole || !made.weighted) {
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
    free(errors->weight);
    free(errors->whole);
    free(errors->weighted);
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

/* The loops over terms are the ones in which time is spent. */
static void add_terms(accordi_errors *errors, const accordi_chunk *chunk, size_t row,
                      const accordi_input *input, const double *error, double whole)
{
    size_t n = errors->terms;
    double per = 1 / (input->sigma * input->sigma), *weighted = errors->weighted;
    for (size_t k = 0; k < n; k++) {
        double term = accordi_term(errors->sums, chunk, row, k);
        weighted[k] = term * per;
        errors->weight[k] += term * weighted[k];
        errors->whole[k] += whole * weighted[k];
    }
    for (size_t i = 0; i < errors->followed; i++) {
        double *slope = errors->slope + i * n, *square = errors->square + i * n, e = error[i];
        for (size_t k = 0; k < n && e != 0; k++) {
            double part = e * weighted[k];
            slope[k] += part;
            square[k] += part * part;
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
