/* Finds weighted sums and sums with a constant: results that are linear in the terms, in their
 * magnitudes or in their squares. */
#include "reveal/reasons/ordinary_sums.h"
#include <math.h>

enum { TELLING = 12 };
enum measure { OF_VALUES, OF_MAGNITUDES, OF_SQUARES, ROOT_OF_SQUARES, MEASURES };

static double measure_of(enum measure m, double x)
{
    return m == OF_VALUES ? x : m == OF_MAGNITUDES ? fabs(x) : x * x;
}

static double measure_row(const accordi_ordinary *o, const accordi_row *row, enum measure m)
{
    double sum = (double)(o->asker->n - row->count) * measure_of(m, row->fill);
    for (size_t i = 0; i < row->count; i++)
        sum += measure_of(m, row->value[i]);
    return sum;
}

/* Is f = base + factor * (sum of measures) in every row? Exactly so, where the factor is a power of
 * two and there is no base. */
static bool fits_measure(const accordi_ordinary *o, enum measure m, double base)
{
    bool root = m == ROOT_OF_SQUARES;
    double bottom = root ? base * base : base;
    double factor = (root ? o->single[0] * o->single[0] : o->single[0]) - bottom;
    bool exact = accordi_is_power_of_two(factor) && base == 0 && !root;
    size_t tells = 0;
    if (!isfinite(factor) || factor == 0)
        return false;
    for (size_t r = 0; r < o->rows; r++) {
        const accordi_row *row = &o->row[r];
        double due = bottom + factor * measure_row(o, row, m);
        double size =
            fabs(bottom) + (m == OF_VALUES ? fabs(factor) * row->magnitude : fabs(due - bottom));
        double got = root ? row->result * row->result : row->result;
        double slack = exact ? 0 : accordi_ordinary_slack(o, row) * size;
        if (measure_row(o, row, m) > ldexp(1, o->precision) || !row->exact)
            continue;
        if (!(fabs(got - due) <= slack) || (root && row->result < 0))
            return false;
        tells += (slack < 0.25 * fabs(factor) || base == 0) && row->sum != 0;
    }
    return tells >= TELLING;
}

bool accordi_is_plain_sum(const accordi_ordinary *o, bool *value)
{
    *value = o->zeros == 0 && fits_measure(o, OF_VALUES, 0);
    bool plain = *value;
    for (int m = OF_VALUES + 1; m < MEASURES && !plain; m++)
        plain = o->zeros == 0 && fits_measure(o, (enum measure)m, 0);
    return plain;
}

/* A constant with a sum of the terms, of their magnitudes, or of their squares. */
bool accordi_is_of_magnitudes(const accordi_ordinary *o)
{
    static const char *const sums[MEASURES] = {
        [OF_VALUES] = "the sum of the terms",
        [OF_MAGNITUDES] = "the sum of their magnitudes",
        [OF_SQUARES] = "the sum of their squares",
        [ROOT_OF_SQUARES] = "the square root of the sum of their squares",
    };
    if (o->zeros == 0 || !isfinite(o->zeros))
        return false;
    for (int m = 0; m < MEASURES; m++) {
        if (!fits_measure(o, (enum measure)m, o->zeros))
            continue;
        accordi_unable(o->asker->error, ACCORD_REASON_BIAS,
                       "a constant is added: zeros alone give %.9g, and the rest of the result is "
                       "%s; remove the constant and try again",
                       o->zeros, sums[m]);
        return true;
    }
    return false;
}

/* ---- weights ---- */

/* Do rows of a few terms among zeros give the weighted sum, of a measure of theirs? */
static bool is_linear(const accordi_ordinary *o, const double *weight, enum measure m)
{
    const accord_format_info *out = accord_format_get(o->asker->target->output);
    for (size_t r = 0; r < o->rows; r++) {
        const accordi_row *row = &o->row[r];
        double due = 0, size = ldexp(1, out->min_exponent); /* subnormal weights are inexact */
        for (size_t i = 0, at = 0; i < row->count; i++) {
            while (o->term[at] != row->at[i])
                at++;
            double term = weight[at] * measure_of(m, row->value[i]);
            due += term;
            size += fabs(term);
        }
        if ((row->fill == 0 || row->count == o->asker->n) &&
            !(fabs(row->result - due) <= accordi_ordinary_slack(o, row) * size))
            return false;
    }
    return true;
}

static bool is_near(const accordi_ordinary *o, double a, double b)
{
    return fabs(a - b) <= ldexp(fabs(a) + fabs(b), 3 - o->precision);
}

/* The weight of most terms, of equals the smaller. */
static double usual_weight(const accordi_ordinary *o, const double *weight, size_t *votes)
{
    double usual = 0;
    *votes = 0;
    for (size_t i = 0; i < o->terms; i++) {
        size_t same = 0;
        for (size_t j = 0; j < o->terms; j++)
            same += is_near(o, weight[i], weight[j]);
        if (weight[i] != 0 &&
            (same > *votes || (same == *votes && fabs(weight[i]) < fabs(usual)))) {
            usual = weight[i];
            *votes = same;
        }
    }
    return usual;
}

/* All alike but for some that are `times` the usual weight; the first of those, -1 if none. */
static int odd_ones(const accordi_ordinary *o, const double *weight, double times, size_t *count)
{
    size_t votes;
    double usual = usual_weight(o, weight, &votes);
    int first = -1;
    *count = 0;
    for (size_t i = o->terms; i-- > 0;)
        if (times == 0 ? weight[i] == 0 : is_near(o, weight[i], times * usual)) {
            first = (int)i;
            ++*count;
        }
    return votes + *count == o->terms && votes > 0 ? first : -1;
}

/* A loop that begins its tail at the wrong place: some terms have no weight, and others, as many
 * perhaps, have twice the usual one. */
static bool say_lost_and_twice(const accordi_ordinary *o, const double *weight)
{
    size_t lost = 0, once = 0, twice = 0;
    uint32_t first_lost = 0, first_twice = 0;
    double usual = INFINITY;
    for (size_t i = 0; i < o->terms; i++)
        if (weight[i] != 0 && fabs(weight[i]) < fabs(usual))
            usual = weight[i];
    for (size_t i = o->terms; i-- > 0;) {
        first_lost = weight[i] == 0 ? o->term[i] : first_lost;
        lost += weight[i] == 0;
        once += is_near(o, weight[i], usual);
        bool is_twice = is_near(o, weight[i], 2 * usual);
        first_twice = is_twice ? o->term[i] : first_twice;
        twice += is_twice;
    }
    if (lost == 0 || once == 0 || twice == 0 || lost + once + twice != o->terms)
        return false;
    accordi_unable(o->asker->error, ACCORD_REASON_TERM_LOST,
                   "term %u is lost, and term %u is counted twice: of the %zu terms that were "
                   "tested, %zu do not contribute to the result, and %zu do so twice",
                   first_lost, first_twice, o->terms, lost, twice);
    return true;
}

static bool say_lost_or_twice(const accordi_ordinary *o, const double *weight)
{
    size_t count, votes;
    if (say_lost_and_twice(o, weight))
        return true;
    int odd = odd_ones(o, weight, 0, &count);
    if (odd >= 0 && count == 1)
        accordi_unable(o->asker->error, ACCORD_REASON_TERM_LOST,
                       "term %u is lost: it does not contribute to the result", o->term[odd]);
    else if (odd >= 0)
        accordi_unable(o->asker->error, ACCORD_REASON_TERM_LOST,
                       "term %u is lost, and so are others (%zu of the %zu terms that were "
                       "tested): they do not contribute to the result",
                       o->term[odd], count, o->terms);
    if (odd >= 0)
        return true;
    odd = odd_ones(o, weight, 2, &count);
    if (odd < 0 || 2 * count >= o->terms + (usual_weight(o, weight, &votes) == 1))
        return false;
    if (count == 1)
        accordi_unable(o->asker->error, ACCORD_REASON_TERM_TWICE, "term %u is counted twice",
                       o->term[odd]);
    else
        accordi_unable(o->asker->error, ACCORD_REASON_TERM_TWICE,
                       "term %u is counted twice, and so are others (%zu of the %zu terms that "
                       "were tested)",
                       o->term[odd], count, o->terms);
    return true;
}

static bool say_alternating(const accordi_ordinary *o, const double *weight)
{
    for (size_t i = 0; i < o->terms; i++) {
        double sign = (o->term[i] - o->term[0]) % 2 ? -1 : 1;
        if (!is_near(o, weight[i], sign * weight[0]))
            return false;
    }
    accordi_unable(o->asker->error, ACCORD_REASON_ALTERNATING,
                   "every other term is subtracted: terms 0 and 1 have the weights %.9g and %.9g, "
                   "and the following terms alternate likewise",
                   weight[0], weight[1]);
    return true;
}

/* Are all weights those of the first of them, times powers of one ratio? Subnormal ones are too
 * inexact to tell, and stand only where the others lead to them. */
static bool say_geometric(const accordi_ordinary *o, const double *weight)
{
    double least = ldexp(1, accord_format_get(o->asker->target->output)->min_exponent);
    size_t first = 0, last = o->terms - 1, told = 0;
    while (first < last && fabs(weight[first]) < least)
        first++;
    while (first < last && fabs(weight[last]) < least)
        last--;
    double steps = (double)(o->term[last] - o->term[first]);
    double ratio = pow(fabs(weight[last] / weight[first]), 1 / steps);
    size_t pair = o->term[first + 1] == o->term[first] + 1 ? first : last - 1;
    ratio = copysign(ratio, weight[pair + 1] / weight[pair]);
    for (size_t i = 0; i < o->terms; i++) {
        double power = (double)o->term[i] - (double)o->term[first];
        double due = weight[first] * pow(ratio, power);
        double slack = ldexp(fabs(power) + 3, -o->precision);
        if (!(fabs(weight[i] - due) <= slack * fabs(due) + 0.5 * least))
            return false;
        told += i != first && fabs(due) >= least && slack < 0.25;
    }
    if (told < 2 || is_near(o, ratio, 1) || is_near(o, ratio, -1))
        return false;
    accordi_unable(o->asker->error, ACCORD_REASON_GEOMETRIC,
                   "the weights of the terms %s geometrically, as in an exponential decay or a "
                   "polynomial: each is %.6g times the one before it (term %u has the weight %.6g)",
                   fabs(ratio) < 1 ? "fall" : "grow", ratio, o->term[0], weight[0]);
    return true;
}

/* Those of an unusual weight come first, and leave room for one of the usual weight. */
static void say_weighted(const accordi_ordinary *o, const double *weight)
{
    enum { LISTED = 4 };
    char list[200] = "";
    size_t used = 0, listed = 0, votes;
    double usual = usual_weight(o, weight, &votes);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0, most = LISTED - 1 + (size_t)pass; i < o->terms && listed < most; i++)
            if (is_near(o, weight[i], usual) == (pass == 1))
                used += (size_t)snprintf(list + used, sizeof list - used,
                                         "%sterm %u has the weight %.6g", listed++ ? ", " : "",
                                         o->term[i], weight[i]);
    accordi_unable(o->asker->error, ACCORD_REASON_WEIGHTED,
                   "the terms have different weights: %s; reveal the sum of products instead, with "
                   "the weights as second factors",
                   list);
}

bool accordi_is_weighted(const accordi_ordinary *o)
{
    const double *weight = o->single;
    size_t others = 0;
    for (size_t i = 1; i < o->terms; i++)
        others += !is_near(o, weight[i], weight[0]);
    if (o->zeros != 0 || o->terms < 2 || others == 0)
        return false;
    if (!is_linear(o, weight, OF_VALUES))
        return (is_linear(o, weight, OF_MAGNITUDES) || is_linear(o, weight, OF_SQUARES)) &&
               say_lost_or_twice(o, weight);
    if (!say_lost_or_twice(o, weight) && !say_alternating(o, weight) && !say_geometric(o, weight))
        say_weighted(o, weight);
    return true;
}

/* ---- a single term, or none ---- */

bool accordi_is_one_term(const accordi_ordinary *o)
{
    size_t only = o->terms, reach = 0;
    for (size_t i = 0; i < o->terms; i++)
        if (o->single[i] != o->zeros) {
            only = i;
            reach++;
        }
    if (reach != 1 || o->zeros != 0 || o->asker->n < 3)
        return false;
    double slack = ldexp(fabs(o->single[only]), 2 - o->precision);
    for (size_t r = 0; r < o->rows; r++) {
        const accordi_row *row = &o->row[r];
        double x = row->fill;
        for (size_t i = 0; i < row->count; i++)
            x = row->at[i] == o->term[only] ? row->value[i] : x;
        if (!(fabs(row->result - o->single[only] * x) <= slack * fabs(x)))
            return false;
    }
    accordi_unable(o->asker->error, ACCORD_REASON_ONE_TERM,
                   "the result is term %u alone%s: no other term contributes to it", o->term[only],
                   o->single[only] == 1 ? "" : " times a factor");
    return true;
}

/* Numbers as large as the formats hold must give it too. */
bool accordi_is_constant(const accordi_ordinary *o)
{
    accordi_asker *asker = o->asker;
    for (size_t r = 0; r < o->rows; r++)
        if (!isfinite(o->zeros) || memcmp(&o->row[r].result, &o->zeros, sizeof o->zeros))
            return false;
    static const int exponents[] = {6, 12, 40, 120, 1000};
    int most = accord_format_get(asker->target->format)->max_exponent - 2;
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        accordi_ask_begin(asker, 0);
        for (size_t i = 0; i < o->terms; i++) {
            accordi_ask_own(asker, o->term[i],
                            ldexp(i % 2 ? -1 : 1, exponents[k] < most ? exponents[k] : most));
            accordi_ask_end(asker);
        }
        if (accordi_ask_run(asker))
            return false;
        for (size_t i = 0; i < asker->probes; i++)
            if (memcmp(&asker->result[i], &o->zeros, sizeof o->zeros))
                return false;
    }
    bool count = o->zeros == (double)asker->n;
    accordi_unable(asker->error, ACCORD_REASON_CONSTANT,
                   "the result is %.9g%s, whatever the terms are", o->zeros,
                   count ? ", the number of terms" : "");
    return true;
}
