/* Statistics of errors that lie inside the envelope.
 *
 * A fault of a known kind adds to each result a known amount, its *direction*, times an unknown
 * coefficient: one unit in the last place for a bias, the result itself for a factor, a term for
 * one that is missing (coefficient -1) or is added twice (+1). The coefficient is estimated by
 * regression, weighted by the deviation that rounding predicts:
 *
 *     c = sum(d e / sigma^2) / sum(d^2 / sigma^2)
 *
 * with errors that are kept within the envelope, so that a single input has bounded influence. Its
 * standard error needs no model of the errors: for independent errors with symmetric distributions,
 * P(|sum a| > z sqrt(sum a^2)) <= 2 exp(-z^2 / 2) for every z (Hoeffding, applied to the signs;
 * Efron, Student's t-test under symmetry conditions, 1969). Errors of right implementations are not
 * quite symmetric where terms have one sign, so the effect that a reference order shows beyond its
 * own chance (|c| less three standard errors) is granted to every implementation: the test fails
 * where |c| exceeds the greatest such effect by more than z standard errors.
 *
 * The size of the errors is compared in pairs, input by input, with that of each reference; only
 * what is larger than all of them is outside. */
#include "explain/statistics.h"
#include <math.h>

/* ---- regression on a direction ---- */

static accordi_fit fit_of(double slope, double square, double weight, double fourth, double size)
{
    if (weight == 0)
        return (accordi_fit){0, 0, 0, 0};
    return (accordi_fit){slope / weight, sqrt(square) / weight,
                         fourth > 0 ? weight / sqrt(fourth) : 0,
                         size > 0 ? slope * slope / (weight * size) : 0};
}

accordi_fit accordi_fit_direction(const accordi_errors *errors, size_t implementation,
                                  size_t direction, bool whole)
{
    double slope = 0, square = 0, weight = 0, fourth = 0, size = 0;
    for (size_t row = 0; row < errors->filled; row++) {
        const accordi_input *in = &errors->input[row];
        double e = errors->error[implementation * errors->rows + row];
        double d = errors->direction[direction * errors->rows + row] / in->sigma;
        if (!accordi_input_counts(in))
            continue;
        e = (whole && isfinite(e) ? e : accordi_kept_within(e, in->envelope)) / in->sigma;
        slope += d * e;
        square += d * e * d * e;
        weight += d * d;
        fourth += d * d * d * d;
        size += e * e;
    }
    return fit_of(slope, square, weight, fourth, size);
}

double accordi_z_of(double level)
{
    return sqrt(2 * log(2 / level));
}

/* Raises the effect that references show to that of one more. */
static void grant(accordi_fit other, double *effect, double *deviation)
{
    enum { BY_CHANCE = 3 };
    double sure = fabs(other.coefficient) - BY_CHANCE * other.deviation;
    if (sure > *effect) {
        *effect = sure;
        *deviation = other.deviation;
    }
}

static void test_direction(const accordi_errors *errors, size_t direction, double z,
                           accord_explain_test *out)
{
    accordi_fit own = accordi_fit_direction(errors, 0, direction, false);
    double reference = 0, deviation = 0;
    for (size_t i = 1; i < errors->implementations; i++)
        grant(accordi_fit_direction(errors, i, direction, false), &reference, &deviation);
    double limit = reference + z * hypot(own.deviation, deviation);
    *out = (accord_explain_test){.name = accordi_direction_name(direction),
                                 .about = accordi_direction_about(direction),
                                 .kind = errors->kind,
                                 .value = own.coefficient,
                                 .reference = reference,
                                 .limit = limit,
                                 .decides = own.strongest > z,
                                 .outside = own.strongest > z && fabs(own.coefficient) > limit,
                                 .term = -1};
}

/* ---- the size of errors ---- */

double accordi_errors_size(const accordi_errors *errors, size_t implementation)
{
    double sum = 0, rows = 0;
    for (size_t row = 0; row < errors->filled; row++) {
        const accordi_input *in = &errors->input[row];
        if (!accordi_input_counts(in))
            continue;
        double e =
            accordi_kept_within(errors->error[implementation * errors->rows + row], in->envelope);
        sum += e / in->sigma * (e / in->sigma);
        rows++;
    }
    return rows > 0 ? sqrt(sum / rows) : 0;
}

/* By how much the mean square exceeds that of a reference, and the standard error of that. */
static void compare_sizes(const accordi_errors *errors, size_t reference, double *excess,
                          double *deviation, double *rows)
{
    double sum = 0, square = 0;
    *rows = 0;
    for (size_t row = 0; row < errors->filled; row++) {
        const accordi_input *in = &errors->input[row];
        if (!accordi_input_counts(in))
            continue;
        double a = accordi_kept_within(errors->error[row], in->envelope) / in->sigma;
        double b =
            accordi_kept_within(errors->error[reference * errors->rows + row], in->envelope) /
            in->sigma;
        sum += a * a - b * b;
        square += (a * a - b * b) * (a * a - b * b);
        ++*rows;
    }
    *excess = *rows > 0 ? sum / *rows : 0;
    *deviation = *rows > 0 ? sqrt(square) / *rows : 0;
}

static void test_size(const accordi_errors *errors, double z, accord_explain_test *out)
{
    double largest = 0, limit = 0, rows = 0;
    bool outside = errors->implementations > 1;
    for (size_t i = 1; i < errors->implementations; i++) {
        double excess, deviation, size = accordi_errors_size(errors, i);
        compare_sizes(errors, i, &excess, &deviation, &rows);
        outside = outside && excess > z * deviation;
        largest = size > largest ? size : largest;
        double here = sqrt(size * size + z * deviation);
        limit = here > limit ? here : limit;
    }
    *out = (accord_explain_test){
        .name = "size",
        .about = "root mean square of the errors, divided by the predicted deviation",
        .kind = errors->kind,
        .value = accordi_errors_size(errors, 0),
        .reference = largest,
        .limit = limit,
        .decides = rows > z * z && largest > 0,
        .outside = outside && rows > z * z && largest > 0,
        .term = -1};
}

/* ---- one coefficient per term ---- */

/* With the mean of the term taken out: an error that all inputs have in common says nothing of
 * terms that are the same in all of them. */
static accordi_fit fit_term(const accordi_errors *errors, size_t implementation, size_t k)
{
    enum { LEAST_PARTS = 1000000 }; /* of the weight; less is what rounding left */
    size_t at = implementation * errors->terms + k;
    double mean = errors->middle[k] / fmax((double)errors->counted, 1);
    double weight = errors->weight[k] - mean * errors->middle[k];
    double slope = errors->slope[at] - mean * errors->sum[implementation];
    double square = errors->square[at] - 2 * mean * errors->cross[at] +
                    mean * mean * errors->power[implementation];
    if (!(weight > errors->weight[k] / LEAST_PARTS))
        return (accordi_fit){0, 0, 0, 0};
    accordi_fit fit = fit_of(slope, fmax(square, 0), weight, 0, 0);
    fit.strongest = sqrt((double)errors->counted);
    return fit;
}

/* Rounding alone multiplies a term by a factor that an order can make the same in all inputs, for
 * example where one huge term is always added to another of its size. So a coefficient within the
 * bound of all roundings of a term is no fault. Where that is large, and on given inputs, whose
 * effects are not known beforehand, less than a quarter of a term is none. */
static double least_coefficient(const accordi_errors *errors)
{
    enum { PARTS = 4 };
    return errors->given ? 1.0 / PARTS : fmin(errors->rounding, 1.0 / PARTS);
}

/* The coefficients of terms that are not the same in all inputs of random kinds are bounded by
 * their strength: with N inputs of like terms a missing one stands about sqrt(N / 3) out. */
static void test_terms(const accordi_errors *errors, double z, accord_explain_test *out)
{
    double most = -INFINITY;
    size_t told = 0;
    *out = (accord_explain_test){.name = "term",
                                 .about = "coefficient of the term that stands out most",
                                 .kind = errors->kind,
                                 .term = -1};
    for (size_t k = 0; k < errors->terms; k++) {
        accordi_fit own = fit_term(errors, 0, k);
        double reference = least_coefficient(errors), deviation = 0;
        for (size_t i = 1; i < errors->followed; i++)
            grant(fit_term(errors, i, k), &reference, &deviation);
        double error = hypot(own.deviation, deviation), limit = reference + z * error;
        double excess = error > 0 ? (fabs(own.coefficient) - reference) / error : 0;
        out->terms += excess > z;
        told += own.strongest > 0;
        if (excess > most) {
            most = excess;
            out->term = (int64_t)k;
            out->value = own.coefficient;
            out->reference = reference;
            out->limit = limit;
        }
    }
    out->outside = out->terms > 0;
    out->decides = out->outside || (told && (double)errors->counted > 3 * z * z);
}

/* ---- all of them ---- */

size_t accordi_errors_tests(const accordi_errors *errors)
{
    size_t tests = errors->terms;
    for (size_t d = 0; d < ACCORDI_DIRECTIONS && errors->random; d++)
        tests += accordi_direction_applies(errors->sums, d);
    return tests + errors->random;
}

enum accord_status accordi_errors_test(const accordi_errors *errors, double level,
                                       accord_explain_side *side, accord_error *error)
{
    size_t room = side->tests + ACCORDI_DIRECTIONS + 2;
    accord_explain_test *test = realloc(side->test, room * sizeof *test);
    if (!test)
        return accordi_nomem(error);
    side->test = test;
    double z = accordi_z_of(level);
    for (size_t d = 0; d < ACCORDI_DIRECTIONS && errors->random; d++)
        if (accordi_direction_applies(errors->sums, d))
            test_direction(errors, d, z, &test[side->tests++]);
    if (errors->random)
        test_size(errors, z, &test[side->tests++]);
    test_terms(errors, z, &test[side->tests++]);
    return ACCORD_OK;
}
