/* Describes the errors of a target. All errors count as they are here, also those outside the
 * envelope: these words decide nothing. */
#include "explain/statistics.h"
#include <math.h>

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
        found += accordi_input_counts(&errors->input[row]) && !isfinite(errors->result[row]);
    return found;
}

void accordi_infinite_words(const accordi_errors *errors, char *text, size_t size)
{
    size_t found = not_finite(errors);
    if (found)
        snprintf(text, size, "%zu of %zu results %s infinite or NaN", found, errors->filled,
                 found == 1 ? "is" : "are");
}

typedef struct terms {
    size_t count, first, last;
    size_t low, high; /* between these lie all but a tenth at either end */
    double share;     /* of the squared errors that they explain */
} terms;

static double share_of(const accordi_errors *errors, size_t k, double squares)
{
    double slope = errors->whole[k], weight = errors->share[k];
    return weight > 0 && squares > 0 ? slope * slope / (weight * squares) : 0;
}

/* The terms whose coefficient is near the wanted one, and that explain `least` at least. None where
 * chance alone makes such coefficients: other errors give each a deviation of this size. */
static terms near_terms(const accordi_errors *errors, double wanted, double squares, double least)
{
    terms found = {0};
    size_t *list = accordi_alloc(errors->terms, sizeof *list);
    for (size_t k = 0; k < errors->terms && list; k++) {
        double weight = errors->share[k], c = weight > 0 ? errors->whole[k] / weight : 0;
        double share = share_of(errors, k, squares);
        double deviation = sqrt(squares / (weight * (double)errors->counted));
        if (!(fabs(c - wanted) <= .5 && share >= least && deviation < .25))
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

static void terms_words(const accordi_sums *sums, terms found, const char *what, char *text,
                        size_t size)
{
    if (found.count == 1 && sums->has_start && found.first == sums->factors)
        snprintf(text, size, "the start value, beta times C, is %s", what);
    else if (found.count == 1)
        snprintf(text, size, "term %zu is %s", found.first, what);
    else if (found.count == found.last - found.first + 1)
        snprintf(text, size, "terms %zu to %zu are %s", found.first, found.last, what);
    else
        snprintf(text, size, "about %zu terms are %s, most of them among terms %zu to %zu",
                 found.count, what, found.low, found.high);
}

/* A few terms explain the errors if what they explain adds up to all of it, which is only so for
 * terms of both signs: those of one sign explain each other. A term that is left out in some inputs
 * alone, or enters some with the other sign, explains less. */
static bool few_terms(const accordi_errors *errors, double squares, char *text, size_t size)
{
    static const struct {
        double coefficient;
        const char *what;
    } cases[] = {{-1, "missing"}, {1, "added twice"}};
    enum { CASES = sizeof cases / sizeof *cases };
    terms found[CASES];
    double most = 0, share = 0;
    for (size_t k = 0; k < errors->terms; k++)
        most = fmax(most, share_of(errors, k, squares));
    for (size_t i = 0; i < CASES; i++) {
        found[i] = near_terms(errors, cases[i].coefficient, squares, most / 16);
        share += found[i].share;
        if (found[i].count > errors->terms / 2)
            return false;
    }
    if (!(share > .8 && share < 1.5))
        return false;
    for (size_t i = 0; i < CASES && size > 0; i++) {
        const char *and = found[i].count && i && found[0].count ? " and " : "";
        size_t length = (size_t)snprintf(text, size, "%s", and);
        if (found[i].count && length < size)
            terms_words(errors->sums, found[i], cases[i].what, text + length, size - length);
        length = strlen(text);
        text += length;
        size -= length;
    }
    return true;
}

static double squared_errors(const accordi_errors *errors)
{
    double squares = 0;
    for (size_t row = 0; row < errors->filled; row++) {
        double e = errors->error[row] / errors->input[row].mass;
        if (accordi_input_counts(&errors->input[row]) && isfinite(e))
            squares += e * e;
    }
    return squares;
}

/* The share that a direction has to explain before it gives the words. Operands that are cut change
 * results by a coefficient near 1, and not by any other. A factor and a bias away from zero look
 * alike in narrow formats; the bias of truncation is a half. */
static double worth(const accordi_errors *errors, size_t direction, accordi_fit here)
{
    if (!accordi_direction_applies(errors->sums, direction) || here.share < .15)
        return 0;
    if (direction == ACCORDI_TRUNCATION && fabs(here.coefficient + .5) > .15)
        return .7 * here.share;
    return direction >= ACCORDI_CUTS && fabs(here.coefficient - 1) > .3 ? 0 : here.share;
}

void accordi_errors_words(const accordi_errors *errors, char *text, size_t size)
{
    double best = 0, c = 0;
    size_t which = ACCORDI_DIRECTIONS;
    text[0] = '\0';
    if (all_zero(errors)) {
        snprintf(text, size, "every result is 0");
        return;
    }
    if (2 * not_finite(errors) > errors->filled) {
        accordi_infinite_words(errors, text, size);
        return;
    }
    if (few_terms(errors, squared_errors(errors), text, size))
        return;
    for (size_t d = 0; d < ACCORDI_DIRECTIONS; d++) {
        accordi_fit here = accordi_fit_direction(errors, 0, d, true);
        double score = worth(errors, d, here);
        if (score > best) {
            best = score;
            which = d;
            c = here.coefficient;
        }
    }
    if (which < ACCORDI_DIRECTIONS)
        accordi_direction_words(which, c, text, size);
}

void accordi_test_words(const accordi_sums *sums, const accord_explain_test *test, char *text,
                        size_t size)
{
    for (size_t d = 0; d < ACCORDI_DIRECTIONS; d++)
        if (strcmp(test->name, accordi_direction_name(d)) == 0)
            accordi_direction_words(d, test->value, text, size);
    if (!text[0] && strcmp(test->name, "growth") == 0)
        snprintf(text, size,
                 "the errors grow too fast with the number of terms: with four times as many they "
                 "are %.3g times as large against what rounding predicts, and %.3g times in the "
                 "worst reference order",
                 test->value, test->reference);
    if (!text[0] && test->term < 0) /* the size, of all or of some rows or columns */
        snprintf(text, size,
                 "the errors are %.3g times as large as those of the worst reference order",
                 test->reference > 0 ? test->value / test->reference : INFINITY);
    if (test->term >= 0 && sums->has_start && (size_t)test->term == sums->factors)
        snprintf(text, size, "the errors follow the start value, with the coefficient %.3g",
                 test->value);
    else if (test->term >= 0)
        snprintf(text, size, "the errors follow term %lld, with the coefficient %.3g",
                 (long long)test->term, test->value);
}
