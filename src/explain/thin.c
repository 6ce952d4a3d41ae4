/* How the errors grow with the number of terms.
 *
 * Each input is asked once more with three quarters of its terms, chosen at random, set to 0. This
 * leaves every order of values as it was, with fewer terms. The choice is random, and not the first
 * quarter, since an order may treat a stretch of terms better than all others and still be right.
 * With a and b the magnitudes of the errors of the target and of a reference, divided by the
 * predicted deviation, at all terms (a1, b1) and at a quarter of them (a4, b4), each input gives
 *
 *     t = a1 b4 - b1 a4
 *
 * which is positive on average where the target's errors grow faster. Exchanging the two changes
 * its sign only, so that the sum of t over inputs has the bound of statistics.c. */
#include "explain/statistics.h"
#include <math.h>

enum { LEAST_TERMS = 64, LEAST_ROWS = 128, MOST_ROWS = 512, NUMBERS = 1 << 24, PART = 4 };

size_t accordi_thin_rows(const accordi_sums *sums, int kind, size_t rows)
{
    size_t fit = NUMBERS / sums->n;
    fit = fit < MOST_ROWS ? fit : MOST_ROWS;
    fit = fit < rows ? fit : rows;
    bool applies = kind >= 0 && sums->factors >= LEAST_TERMS && fit >= LEAST_ROWS;
    return applies ? fit : 0;
}

void accordi_thin_terms(const accordi_sums *sums, uint64_t seed, accordi_chunk *chunk)
{
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    for (size_t row = 0; row < chunk->rows; row++)
        for (size_t k = 0; k < sums->factors; k++)
            if (accordi_rng_below(&rng, PART))
                accordi_set_number(chunk->x, sums->is_f32, row * sums->n + k, 0);
}

void accordi_thin_add(accordi_errors *errors, size_t first, const accordi_chunk *chunk,
                      const accordi_input *input, double *const *results)
{
    for (size_t row = 0; row < chunk->rows && first + row < errors->thinned; row++)
        for (size_t i = 0; i < errors->implementations; i++) {
            double e = accordi_error_of(&input[row], results[i][row]);
            errors->thin[i * errors->thinned + first + row] =
                accordi_input_counts(&input[row])
                    ? fabs(accordi_kept_within(e, input[row].envelope)) / input[row].sigma
                    : NAN;
        }
}

static double whole(const accordi_errors *errors, size_t implementation, size_t row)
{
    const accordi_input *in = &errors->input[row];
    double e = errors->error[implementation * errors->rows + row];
    return accordi_input_counts(in) ? fabs(accordi_kept_within(e, in->envelope)) / in->sigma : NAN;
}

/* The growth of one implementation, over the rows that count. */
static double growth_of(const accordi_errors *errors, size_t implementation, size_t *rows)
{
    double all = 0, thin = 0;
    *rows = 0;
    for (size_t row = 0; row < errors->thinned; row++) {
        double a = whole(errors, implementation, row);
        double b = errors->thin[implementation * errors->thinned + row];
        if (isnan(a) || isnan(b))
            continue;
        all += a;
        thin += b;
        ++*rows;
    }
    return thin > 0 ? all / thin : INFINITY;
}

/* Does the target's error grow faster than that of a reference? *limit is the growth that would be
 * too fast. */
static bool is_faster(const accordi_errors *errors, size_t reference, double z, double growth,
                      double *limit)
{
    double sum = 0, square = 0, scale = 0;
    for (size_t row = 0; row < errors->thinned; row++) {
        double a = whole(errors, 0, row), b = whole(errors, reference, row);
        double a4 = errors->thin[row], b4 = errors->thin[reference * errors->thinned + row];
        double t = a * b4 - b * a4;
        if (isnan(t))
            continue;
        sum += t;
        square += t * t;
        scale += b * a4;
    }
    *limit = scale > 0 ? growth * (1 + z * sqrt(square) / scale) : INFINITY;
    return sum > z * sqrt(square);
}

enum accord_status accordi_thin_test(const accordi_errors *errors, double level,
                                     accord_explain_side *side, accord_error *error)
{
    accord_explain_test *test = realloc(side->test, (side->tests + 1) * sizeof *test);
    if (!test)
        return accordi_nomem(error);
    side->test = test;
    double z = accordi_z_of(level), largest = 0, most = 0, least_size = INFINITY,
           size = accordi_errors_size(errors, 0);
    size_t rows;
    bool outside = errors->implementations > 1;
    for (size_t i = 1; i < errors->implementations; i++) {
        double growth = growth_of(errors, i, &rows), limit;
        outside = is_faster(errors, i, z, growth, &limit) && outside;
        largest = fmax(largest, growth);
        most = fmax(most, limit);
        least_size = fmin(least_size, accordi_errors_size(errors, i));
    }
    double value = growth_of(errors, 0, &rows);
    bool decides = (double)rows > 3 * z * z && isfinite(most) && largest > 0;
    test[side->tests++] = (accord_explain_test){
        .name = "growth",
        .about = "mean magnitude of the errors, divided by the predicted deviation, over that of "
                 "the same inputs with a quarter of their terms",
        .kind = errors->kind,
        .value = value,
        .reference = largest,
        .limit = most,
        .decides = decides,
        .outside = outside && decides && size > least_size, /* what is better is right */
        .term = -1};
    return ACCORD_OK;
}
