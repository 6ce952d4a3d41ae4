/* For terms that cannot be negative: finds what a term is, and checks that each counts once. */
#include "reveal/nonnegative/nonnegative.h"
#include "reveal/reasons/in_calibration.h"
#include <math.h>

enum { SINGLES_A_BATCH = 4096 };

/* The sum behind a result, in multiples of the term of the operand 1. */
static double sum_of(const accordi_positive_asker *p, double result)
{
    double sum = result / p->asker->scale;
    return p->root ? sum * sum : sum;
}

/* What a term is, of f(1), f(-1), f(2) at one term, and whether it is the root, of f(1, 1). */
static enum accord_status identify_term(accordi_positive_asker *p, const double *one, double both)
{
    accordi_asker *asker = p->asker;
    double twice = one[2] / one[0], pair = both / one[0];
    bool linear = fabs(twice - 2) < 1e-2, square = fabs(twice - 4) < 1e-2;
    bool alone = asker->n == 1, told = asker->target->term == ACCORD_TERM_SQUARE;
    bool root = linear && (alone ? told : fabs(pair - sqrt(2)) < 1e-2);
    bool sum = alone || fabs(pair - 2) < 1e-2;
    if (one[0] != one[1] || !(linear || square) || !(root || sum))
        return accordi_ask_unable(
            asker, ACCORD_REASON_NOT_A_TREE,
            "this is neither a sum of absolute values or squares nor the root of one: single terms "
            "of 1, -1 and 2 give %.9g, %.9g and %.9g, and two terms of 1 give %.9g",
            one[0], one[1], one[2], both);
    p->term = square || root ? ACCORD_TERM_SQUARE : ACCORD_TERM_ABSOLUTE;
    p->root = root;
    asker->scale = one[0];
    /* As near to a mean, or the root of one, as the result's format can tell is one. */
    double share = (root ? one[0] * one[0] : one[0]) * (double)asker->n;
    if (fabs(share - 1) <
        ldexp(root ? 4 : 1, 1 - accord_format_get(asker->target->output)->precision))
        asker->scale = root ? sqrt(1 / (double)asker->n) : 1 / (double)asker->n;
    return ACCORD_OK;
}

enum accord_status accordi_positive_identify(accordi_positive_asker *p)
{
    static const double values[] = {1, -1, 2};
    accordi_asker *asker = p->asker;
    uint32_t k[2] = {0, 0};
    size_t count = asker->n < 2 ? asker->n : 2;
    accordi_ask_pick(asker, k, count);
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < 3; i++) {
        accordi_ask_own(asker, k[0], values[i]);
        accordi_ask_end(asker);
    }
    accordi_ask_end(asker);
    for (size_t i = 0; i < count; i++)
        accordi_ask_own(asker, k[i], 1);
    accordi_ask_end(asker);
    if (accordi_ask_run(asker))
        return asker->status;
    const double *r = asker->result;
    for (int i = 0; i < 5; i++)
        if (!isfinite(r[i]))
            return accordi_ask_unable(asker, ACCORD_REASON_NOT_FINITE,
                                      "one or two terms of 1 or 2 among zeros gave %g", r[i]);
    if (r[3] != 0)
        return accordi_ask_unable(asker, ACCORD_REASON_NOT_A_TREE, "zeros add up to %g", r[3]);
    if (r[0] == 0)
        return asker->status = accordi_blame(asker, k[0], false);
    return identify_term(p, r, r[4]);
}

/* Is f(-1) = f(1) at a term, and less than f(1, -1)? The latter is not so of the magnitude of a
 * sum.
 */
static enum accord_status ask_signs(accordi_asker *asker, bool *alike)
{
    uint32_t k[2] = {0, 0};
    size_t count = asker->n < 2 ? asker->n : 2;
    accordi_ask_pick(asker, k, count);
    accordi_ask_begin(asker, 0);
    for (size_t i = 0; i <= count; i++) {
        if (i != 1)
            accordi_ask_own(asker, k[0], 1);
        if (i > 0)
            accordi_ask_own(asker, k[i - 1], -1);
        accordi_ask_end(asker);
    }
    if (accordi_ask_run(asker))
        return asker->status;
    const double *r = asker->result;
    *alike = r[0] == r[1] && r[0] > 0 && isfinite(r[0]) && (count < 2 || r[2] > r[0]);
    return ACCORD_OK;
}

enum accord_status accordi_positive_needed(accordi_asker *asker, bool *needed,
                                           enum accord_term *term)
{
    enum accord_term told = asker->target->term;
    *needed = told == ACCORD_TERM_ABSOLUTE || told == ACCORD_TERM_SQUARE;
    if (*needed)
        *term = told;
    if (told != ACCORD_TERM_VALUE)
        return ACCORD_OK;
    if (ask_signs(asker, needed) || !*needed)
        return asker->status;
    accordi_positive_asker p = {.asker = asker};
    accord_error *error = asker->error, ignored;
    double scale = asker->scale;
    uint32_t blamed = asker->blamed;
    asker->error = &ignored;
    enum accord_status status = accordi_positive_identify(&p);
    asker->error = error;
    asker->scale = scale;
    asker->blamed = blamed;
    if (status == ACCORD_UNABLE) /* no such sum: not for us to tell */
        asker->status = ACCORD_OK;
    else if (status && error)
        *error = ignored;
    *needed = status == ACCORD_OK;
    *term = *needed ? p.term : *term;
    return asker->status;
}

/* The median of what is not zero. */
static double median_of_nonzero(const double *single, size_t n, double *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (single[i] != 0)
            scratch[count++] = single[i];
    qsort(scratch, count, sizeof *scratch, accordi_by_value);
    return count ? scratch[(count - 1) / 2] : 0;
}

static enum accord_status ask_singles(accordi_asker *asker, double *single)
{
    for (size_t at = 0; at < asker->n; at += SINGLES_A_BATCH) {
        size_t count = asker->n - at < SINGLES_A_BATCH ? asker->n - at : SINGLES_A_BATCH;
        accordi_ask_begin(asker, 0);
        for (size_t i = 0; i < count; i++) {
            accordi_ask_own(asker, (uint32_t)(at + i), 1);
            accordi_ask_end(asker);
        }
        if (accordi_ask_run(asker))
            return asker->status;
        memcpy(single + at, asker->result, count * sizeof *single);
    }
    return ACCORD_OK;
}

static enum accord_status name_bad_term(accordi_positive_asker *p, const double *single,
                                        double common)
{
    accordi_asker *asker = p->asker;
    for (size_t i = 0; i < asker->n && !asker->status; i++) {
        double weight = single[i] / common;
        weight = p->root ? weight * weight : weight;
        if (weight == 1)
            continue;
        if (weight == 0)
            return asker->status = accordi_blame(asker, i, false);
        /* where it is not known yet whether a root is taken at the end: 2 or its root */
        bool unknown = p->term == ACCORD_TERM_VALUE;
        if (fabs(weight - 2) < 1e-2 || (unknown && fabs(weight - sqrt(2)) < 1e-2))
            return asker->status = accordi_blame(asker, i, true);
        return accordi_ask_unable(asker, ACCORD_REASON_NOT_A_TREE,
                                  "term %zu does not count as the others do: alone, a term of 1 "
                                  "gives %.9g there but %.9g elsewhere",
                                  i, single[i], common);
    }
    return asker->status;
}

/* Names a term that alone does not come back as the others do; ACCORD_OK if there is none. */
static enum accord_status bad_term(accordi_positive_asker *p)
{
    accordi_asker *asker = p->asker;
    double *single = accordi_ask_alloc(asker, 2 * asker->n, sizeof *single);
    if (single && !ask_singles(asker, single)) {
        double common = median_of_nonzero(single, asker->n, single + asker->n);
        name_bad_term(p, single, common == 0 ? 1 : common);
    }
    free(single);
    return asker->status;
}

/* Terms from..to-1 together, each 1 or -1: a norm that divides by its greatest term rounds what
 * other weights give, but these count. */
static enum accord_status equal_ones_count(accordi_positive_asker *p, size_t from, size_t to,
                                           bool *yes)
{
    accordi_asker *asker = p->asker;
    accordi_ask_begin(asker, 0);
    for (size_t i = from; i < to; i++)
        accordi_ask_own(asker, (uint32_t)i, accordi_rng_next(&asker->rng) >> 63 ? -1 : 1);
    accordi_ask_end(asker);
    if (!accordi_ask_run(asker))
        *yes = rint(sum_of(p, asker->result[0])) == (double)(to - from);
    return asker->status;
}

/* Every term counts once: random weights of random signs, as many to a probe as sums are exact. */
enum accord_status accordi_positive_check_terms(accordi_positive_asker *p)
{
    accordi_asker *asker = p->asker;
    bool square = p->term == ACCORD_TERM_SQUARE;
    double capacity = ldexp(1, asker->bits > 40 ? 36 : asker->bits - 4);
    int precision = accord_format_get(asker->target->format)->precision;
    double most = floor(square ? sqrt(capacity / (double)asker->n) : capacity / (double)asker->n);
    most = most < 1 ? 1 : most > 256 ? 256 : most;
    most = precision < 8 ? 1 : most;
    double greatest = square ? most * most : most;
    for (size_t at = 0; at < asker->n;) {
        size_t from = at;
        bool count = false;
        double due = 0;
        accordi_ask_begin(asker, 0);
        while (at < asker->n && (due == 0 || due + greatest <= capacity)) {
            double weight = 1 + (double)accordi_rng_below(&asker->rng, (uint64_t)most);
            bool minus = accordi_rng_next(&asker->rng) >> 63;
            accordi_ask_own(asker, (uint32_t)at++, minus ? -weight : weight);
            due += square ? weight * weight : weight;
        }
        accordi_ask_end(asker);
        if (accordi_ask_run(asker))
            return asker->status;
        if (rint(sum_of(p, asker->result[0])) == due)
            continue;
        if (bad_term(p) || (square && equal_ones_count(p, from, at, &count)))
            return asker->status;
        if (count && accordi_positive_check_sums(p))
            return asker->status;
        if (count)
            continue;
        return accordi_ask_unable(
            asker, ACCORD_REASON_DATA_DEPENDENT,
            "each term counts when it stands alone, but not all of them count together");
    }
    return ACCORD_OK;
}

enum accord_status accordi_positive_blame(accordi_positive_asker *p)
{
    accordi_asker *asker = p->asker;
    accord_error *error = asker->error, other = {.status = ACCORD_OK};
    if (asker->status != ACCORD_UNABLE || error->reason == ACCORD_REASON_NOT_FINITE)
        return asker->status;
    asker->error = &other;
    asker->status = ACCORD_OK;
    bad_term(p);
    asker->error = error;
    asker->status = ACCORD_UNABLE;
    if (other.status == ACCORD_UNABLE)
        *error = other;
    return asker->status;
}
