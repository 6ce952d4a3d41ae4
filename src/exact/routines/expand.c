/* Sums as expansions of doubles: the sum is rounded to nearest, the result taken away, and so on.
 * What is left is at most half a unit in the last place, so the next term begins at least 53 bits
 * further down: from 2^1023 to 2^-1074 there are 40 such steps at most. */
#include "exact/routines/finish.h"

static uint64_t nearest(accordi_exact_view sum)
{
    return accordi_exact_round(sum, ACCORD_F64, ACCORD_EXACT_NEAREST_EVEN);
}

/* Why a sum that is neither zero nor special cannot be written as doubles; else NULL. */
static const char *why_not(accordi_exact_view sum, const accordi_exact_magnitude *m)
{
    if (m->lowest + sum.unit < -1074)
        return "it has bits below 2^-1074";
    if ((nearest(sum) >> 52 & 0x7ff) == 0x7ff)
        return "it is too large for a double";
    return NULL;
}

/* `left` is a copy of the sum, from which terms are taken. */
static enum accord_status expand(accordi_exact_view left, double *out, size_t *count,
                                 accord_error *error)
{
    accordi_exact_magnitude m;
    uint64_t odd;
    if (!out || !count)
        return accordi_fail(error, ACCORD_ARG,
                            "the result is NULL: pass an array and the address of its length");
    if (accordi_exact_is_odd(left, ACCORD_F64, ACCORD_EXACT_NEAREST_EVEN, &m, &odd)) {
        accordi_exact_store(&accordi_exact_f64, out, 0, odd);
        *count = 1;
        return ACCORD_OK;
    }
    const char *why = why_not(left, &m);
    if (why)
        return accordi_fail(error, ACCORD_ARG,
                            "the sum is not an expansion of doubles: %s; scale it first", why);
    for (*count = 0; m.highest >= 0; accordi_exact_measure(left, &m)) {
        uint64_t term = nearest(left), negated = term ^ (uint64_t)1 << 63;
        accordi_exact_store(&accordi_exact_f64, out, (ptrdiff_t)(*count)++, term);
        accordi_exact_f64.terms(left, 1, &negated, 1);
    }
    return ACCORD_OK;
}

enum accord_status accord_exact_expansion(const accord_exact *sum,
                                          double out[ACCORD_EXACT_EXPANSION_TERMS], size_t *count,
                                          accord_error *error)
{
    accord_exact left = *sum;
    return expand(accordi_exact_of(&left), out, count, error);
}

enum accord_status accord_exact_wide_expansion(const accord_exact_wide *sum,
                                               double out[ACCORD_EXACT_EXPANSION_TERMS],
                                               size_t *count, accord_error *error)
{
    accord_exact_wide left = *sum;
    return expand(accordi_exact_of_wide(&left), out, count, error);
}
