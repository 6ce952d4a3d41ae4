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
#include "explain/explain.h"
#include <math.h>

/* ---- directions ---- */

enum { BIAS, TRUNCATION, OFFSET, FACTOR, CUTS };
static const struct {
    const char *name, *about;
} plain_directions[CUTS] = {
    {"bias", "mean error in units in the last place of the result"},
    {"truncation", "mean error away from zero, in units in the last place of the result"},
    {"offset", "a constant that is added to every result"},
    {"factor", "relative error that all results have in common"},
};
static const struct cut {
    const char *name, *about, *words;
    enum accord_format format;
    enum accord_rounding rounding;
} cuts[] = {
    {"cut-tf32", "share of the change that operands rounded to tf32 would cause",
     "operands are rounded to tf32", ACCORD_TF32, ACCORD_NEAREST_EVEN},
    {"cut-tf32-toward-zero", "share of the change that operands truncated to tf32 would cause",
     "operands are truncated to tf32", ACCORD_TF32, ACCORD_TOWARD_ZERO},
    {"cut-f16", "share of the change that operands rounded to f16 would cause",
     "operands are rounded to f16", ACCORD_F16, ACCORD_NEAREST_EVEN},
    {"cut-bf16", "share of the change that operands rounded to bf16 would cause",
     "operands are rounded to bf16", ACCORD_BF16, ACCORD_NEAREST_EVEN},
    {"cut-bf16-toward-zero", "share of the change that operands truncated to bf16 would cause",
     "operands are truncated to bf16", ACCORD_BF16, ACCORD_TOWARD_ZERO},
    {"cut-f32", "share of the change that operands rounded to f32 would cause",
     "operands are rounded to f32", ACCORD_F32, ACCORD_NEAREST_EVEN},
};
enum { DIRECTIONS = CUTS + sizeof cuts / sizeof cuts[0] };

static bool applies(const accordi_sums *sums, size_t direction)
{
    return direction < CUTS || accord_format_get(cuts[direction - CUTS].format)->precision <
                                   accord_format_get(sums->input)->precision;
}

static const char *name_of(size_t direction)
{
    return direction < CUTS ? plain_directions[direction].name : cuts[direction - CUTS].name;
}

static const char *about_of(size_t direction)
{
    return direction < CUTS ? plain_directions[direction].about : cuts[direction - CUTS].about;
}

static double direction_of(const accordi_sums *sums, const accordi_chunk *chunk, size_t row,
                           const accordi_input *input, size_t direction)
{
    if (!applies(sums, direction))
        return 0;
    switch (direction) {
    case BIAS:
        return input->ulp;
    case TRUNCATION:
        return copysign(input->ulp, input->high);
    case OFFSET:
        return 1;
    case FACTOR:
        return input->high;
    default:
        return accordi_cut_shift(sums, chunk, row, cuts[direction - CUTS].format,
                                 cuts[direction - CUTS].rounding);
    }
}

/* ---- what is kept of the inputs ---- */

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
    made.direction = accordi_calloc(rows * DIRECTIONS, sizeof *made.direction);
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

static bool counts(const accordi_input *input)
{
    return isfinite(input->envelope) && input->sigma > 0;
}

static double kept_within(double e, double envelope)
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
                within[i] = kept_within(e, in->envelope);
        }
        for (size_t d = 0; d < DIRECTIONS; d++)
            errors->direction[d * errors->rows + at] =
                direction_of(errors->sums, chunk, row, in, d);
        if (counts(in))
            add_terms(errors, chunk, row, in, within,
                      isfinite(results[0][row]) ? errors->error[at] : 0);
    }
}

/* ---- regression on a direction ---- */

typedef struct fit {
    double coefficient, deviation;
    double strongest; /* coefficient / deviation if all error were along the direction */
    double share;     /* of the squared errors that the direction explains */
} fit;

static fit fit_of(double slope, double square, double weight, double fourth, double size)
{
    if (weight == 0)
        return (fit){0, 0, 0, 0};
    return (fit){slope / weight, sqrt(square) / weight, fourth > 0 ? weight / sqrt(fourth) : 0,
                 size > 0 ? slope * slope / (weight * size) : 0};
}

static fit fit_direction(const accordi_errors *errors, size_t implementation, size_t direction,
                         bool whole)
{
    double slope = 0, square = 0, weight = 0, fourth = 0, size = 0;
    for (size_t row = 0; row < errors->filled; row++) {
        const accordi_input *in = &errors->input[row];
        double e = errors->error[implementation * errors->rows + row];
        double d = errors->direction[direction * errors->rows + row] / in->sigma;
        if (!counts(in))
            continue;
        e = (whole && isfinite(e) ? e : kept_within(e, in->envelope)) / in->sigma;
        slope += d * e;
        square += d * e * d * e;
        weight += d * d;
        fourth += d * d * d * d;
        size += e * e;
    }
    return fit_of(slope, square, weight, fourth, size);
}

static double z_of(double level)
{
    return sqrt(2 * log(2 / level));
}

/* Raises the effect that references show to that of one more. */
static void grant(fit other, double *effect, double *deviation)
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
    fit own = fit_direction(errors, 0, direction, false);
    double reference = 0, deviation = 0;
    for (size_t i = 1; i < errors->implementations; i++)
        grant(fit_direction(errors, i, direction, false), &reference, &deviation);
    double limit = reference + z * hypot(own.deviation, deviation);
    *out = (accord_explain_test){.name = name_of(direction),
                                 .about = about_of(direction),
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
        if (!counts(in))
            continue;
        double e = kept_within(errors->error[implementation * errors->rows + row], in->envelope);
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
        if (!counts(in))
            continue;
        double a = kept_within(errors->error[row], in->envelope) / in->sigma;
        double b =
            kept_within(errors->error[reference * errors->rows + row], in->envelope) / in->sigma;
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

static fit fit_term(const accordi_errors *errors, size_t implementation, size_t k)
{
    size_t at = implementation * errors->terms + k;
    return fit_of(errors->slope[at], errors->square[at], errors->weight[k], 0, 0);
}

/* The coefficients of terms that are not the same in all inputs of random kinds are bounded by
 * their strength: with N inputs of like terms a missing one stands about sqrt(N / 3) out. */
static void test_terms(const accordi_errors *errors, double z, accord_explain_test *out)
{
    double most = -INFINITY;
    *out = (accord_explain_test){.name = "term",
                                 .about = "coefficient of the term that stands out most",
                                 .kind = errors->kind,
                                 .decides = (double)errors->filled > 3 * z * z,
                                 .term = -1};
    for (size_t k = 0; k < errors->terms; k++) {
        fit own = fit_term(errors, 0, k);
        double reference = 0, deviation = 0;
        for (size_t i = 1; i < errors->followed; i++)
            grant(fit_term(errors, i, k), &reference, &deviation);
        double error = hypot(own.deviation, deviation), limit = reference + z * error;
        double excess = error > 0 ? (fabs(own.coefficient) - reference) / error : 0;
        out->terms += excess > z;
        if (excess > most) {
            most = excess;
            out->term = (int64_t)k;
            out->value = own.coefficient;
            out->reference = reference;
            out->limit = limit;
        }
    }
    out->outside = out->terms > 0;
    out->decides = out->decides || out->outside;
}

/* ---- all of them ---- */

size_t accordi_errors_tests(const accordi_errors *errors)
{
    size_t tests = errors->terms;
    for (size_t d = 0; d < DIRECTIONS && errors->random; d++)
        tests += applies(errors->sums, d);
    return tests + errors->random;
}

enum accord_status accordi_errors_test(const accordi_errors *errors, double level,
                                       accord_explain_side *side, accord_error *error)
{
    size_t room = side->tests + DIRECTIONS + 2;
    accord_explain_test *test = realloc(side->test, room * sizeof *test);
    if (!test)
        return accordi_nomem(error);
    side->test = test;
    double z = z_of(level);
    for (size_t d = 0; d < DIRECTIONS && errors->random; d++)
        if (applies(errors->sums, d))
            test_direction(errors, d, z, &test[side->tests++]);
    if (errors->random)
        test_size(errors, z, &test[side->tests++]);
    test_terms(errors, z, &test[side->tests++]);
    return ACCORD_OK;
}

/* ---- words ---- */

static bool all_zero(const accordi_errors *errors)
{
    bool zero = errors->filled > 0, exact = true;
    for (size_t row = 0; row < errors->filled; row++) {
        zero = zero && errors->result[row] == 0;
        exact = exact && errors->input[row].high == 0;
    }
    return zero && !exact;
}

/* Results that are no numbers although the sums do not overflow. */
static size_t not_finite(const accordi_errors *errors)
{
    size_t found = 0;
    for (size_t row = 0; row < errors->filled; row++)
        found += counts(&errors->input[row]) && !isfinite(errors->result[row]);
    return found;
}

typedef struct terms {
    size_t count, first, last;
    size_t low, high; /* between these lie all but a tenth at either end */
    double share;     /* of the squared errors that they explain */
} terms;

static double share_of(const accordi_errors *errors, size_t k, double squares)
{
    double slope = errors->whole[k], weight = errors->weight[k];
    return weight > 0 && squares > 0 ? slope * slope / (weight * squares) : 0;
}

/* The terms whose coefficient is near the wanted one, and that explain `least` at least. */
static terms near_terms(const accordi_errors *errors, double wanted, double squares, double least)
{
    terms found = {0};
    size_t *list = accordi_alloc(errors->terms, sizeof *list);
    for (size_t k = 0; k < errors->terms && list; k++) {
        double c = errors->weight[k] > 0 ? errors->whole[k] / errors->weight[k] : 0;
        double share = share_of(errors, k, squares);
        if (fabs(c - wanted) > .4 || share < least)
            continue;
        list[found.count++] = k;
        found.share += share;
    }
    if (found.count) {
        found.first = list[0];
        found.last = list[found.count - 1];
        found.low = list[found.count / 10];
        found.high = list[found.count - 1 - found.count / 10];
    }
    free(list);
    return found;
}

static void terms_words(terms found, const char *what, char *text, size_t size)
{
    if (found.count == 1)
        snprintf(text, size, "term %zu is %s", found.first, what);
    else if (found.count == found.last - found.first + 1)
        snprintf(text, size, "terms %zu to %zu are %s", found.first, found.last, what);
    else
        snprintf(text, size, "about %zu terms are %s, most of them among terms %zu to %zu",
                 found.count, what, found.low, found.high);
}

static void direction_words(size_t direction, double c, char *text, size_t size)
{
    if (direction == FACTOR)
        snprintf(text, size, "the results are scaled by %.6g", 1 + c);
    else if (direction == TRUNCATION && fabs(c + .5) < .15)
        snprintf(text, size, "results are truncated, not rounded");
    else if (direction == TRUNCATION)
        snprintf(text, size, "results are off by %.3g units in the last place %s zero on average",
                 fabs(c), c < 0 ? "toward" : "away from");
    else if (direction == BIAS)
        snprintf(text, size, "results are %.3g units in the last place too %s on average", fabs(c),
                 c < 0 ? "small" : "large");
    else if (direction == OFFSET)
        snprintf(text, size, "%.6g is added to every result", c);
    else
        snprintf(text, size, "%s", cuts[direction - CUTS].words);
}

/* A few terms explain the errors if what they explain adds up to all of it, which is only so for
 * terms of both signs: those of one sign explain each other. */
static bool few_terms(const accordi_errors *errors, double squares, char *text, size_t size)
{
    static const struct {
        double coefficient;
        const char *what;
    } cases[] = {{-1, "missing"}, {1, "added twice"}};
    double most = 0;
    for (size_t k = 0; k < errors->terms; k++)
        most = fmax(most, share_of(errors, k, squares));
    for (size_t i = 0; i < 2; i++) {
        terms found = near_terms(errors, cases[i].coefficient, squares, most / 3);
        if (found.count && found.count <= errors->terms / 2 && found.share > .5 &&
            found.share < 1.5) {
            terms_words(found, cases[i].what, text, size);
            return true;
        }
    }
    return false;
}

static double squared_errors(const accordi_errors *errors)
{
    double squares = 0;
    for (size_t row = 0; row < errors->filled; row++) {
        double e = errors->error[row] / errors->input[row].sigma;
        if (counts(&errors->input[row]) && isfinite(e))
            squares += e * e;
    }
    return squares;
}

/* The share that a direction has to explain before it gives the words. Operands that are cut change
 * results by a coefficient near 1, and not by any other. */
static double worth(const accordi_errors *errors, size_t direction, fit here)
{
    if (!applies(errors->sums, direction) || here.share < .15)
        return 0;
    return direction >= CUTS && fabs(here.coefficient - 1) > .3 ? 0 : here.share;
}

void accordi_errors_words(const accordi_errors *errors, char *text, size_t size)
{
    double best = 0, c = 0;
    size_t which = DIRECTIONS;
    text[0] = '\0';
    if (all_zero(errors)) {
        snprintf(text, size, "every result is 0");
        return;
    }
    if (not_finite(errors)) {
        snprintf(text, size, "%zu of %zu results are infinite or NaN", not_finite(errors),
                 errors->filled);
        return;
    }
    if (few_terms(errors, squared_errors(errors), text, size))
        return;
    for (size_t d = 0; d < DIRECTIONS; d++) {
        fit here = fit_direction(errors, 0, d, true);
        if (worth(errors, d, here) > best) {
            best = here.share;
            which = d;
            c = here.coefficient;
        }
    }
    if (which < DIRECTIONS)
        direction_words(which, c, text, size);
}
