/* Means, norms, quotients and multiples of accumulators: first what is special or zero, by the
 * counts; then one division or root of long integers, and the one rounding. */
#include "exact/routines/finish.h"
#include "exact/routines/product.h"

accordi_exact_number accordi_exact_judge(const accordi_exact_kind *kind, accordi_exact_view sum,
                                         enum accord_exact_rounding rounding,
                                         accordi_exact_magnitude *magnitude)
{
    uint64_t pattern, place;
    if (!accordi_exact_is_odd(sum, kind->format, rounding, magnitude, &pattern))
        return (accordi_exact_number){.m = 1, .negative = magnitude->negative};
    accordi_exact_store(kind, &place, 0, pattern);
    return accordi_exact_take(kind, &place);
}

uint64_t accordi_exact_odd_quotient(const accordi_exact_kind *kind, accordi_exact_number n,
                                    accordi_exact_number d)
{
    bool nan = n.nan || d.nan || (n.zero && d.zero) || (n.infinite && d.infinite);
    bool infinite = n.infinite || d.zero, negative = n.negative != d.negative;
    return accordi_exact_odd(kind, nan        ? ACCORD_EXACT_NANS
                                   : infinite ? ACCORD_EXACT_PLUS_INFINITIES + negative
                                              : ACCORD_EXACT_PLUS_ZEROS + negative);
}

uint64_t accordi_exact_mean(const accordi_exact_kind *kind, accordi_exact_view sum,
                            enum accord_exact_rounding rounding)
{
    accordi_exact_magnitude m;
    uint64_t pattern, n = (uint64_t)sum.count[ACCORD_EXACT_TERMS];
    if (!n)
        return accordi_exact_odd(kind, ACCORD_EXACT_NANS);
    if (accordi_exact_is_odd(sum, kind->format, rounding, &m, &pattern))
        return pattern;
    return accordi_exact_round_lead(accordi_exact_divide(&m, sum.unit, n, 0), kind->format,
                                    rounding);
}

/* NaN, an infinity or a zero without a sign; what is negative has no root. */
static bool has_odd_root(const accordi_exact_kind *kind, accordi_exact_view squares,
                         accordi_exact_magnitude *m, uint64_t *pattern)
{
    accordi_exact_number x = accordi_exact_judge(kind, squares, ACCORD_EXACT_NEAREST_EVEN, m);
    if (!x.nan && !x.zero && !x.negative && !x.infinite)
        return false;
    *pattern = accordi_exact_odd(kind, x.zero                ? ACCORD_EXACT_PLUS_ZEROS
                                       : x.nan || x.negative ? ACCORD_EXACT_NANS
                                                             : ACCORD_EXACT_PLUS_INFINITIES);
    return true;
}

static uint64_t norm(const accordi_exact_kind *kind, accordi_exact_view squares,
                     enum accord_exact_rounding rounding)
{
    accordi_exact_magnitude m;
    uint64_t pattern;
    if (has_odd_root(kind, squares, &m, &pattern))
        return pattern;
    return accordi_exact_round_lead(accordi_exact_root(&m, squares.unit), kind->format, rounding);
}

static uint64_t root_mean(const accordi_exact_kind *kind, accordi_exact_view squares,
                          enum accord_exact_rounding rounding)
{
    accordi_exact_magnitude m, n;
    uint64_t pattern, terms = (uint64_t)squares.count[ACCORD_EXACT_TERMS];
    if (!terms)
        return accordi_exact_odd(kind, ACCORD_EXACT_NANS);
    if (has_odd_root(kind, squares, &m, &pattern))
        return pattern;
    accordi_exact_magnitude_of(terms, &n);
    accordi_exact_ratio ratio = accordi_exact_divide_long(&m, squares.unit, &n, 0);
    return accordi_exact_round_lead(accordi_exact_ratio_root(ratio), kind->format, rounding);
}

static uint64_t quotient(const accordi_exact_kind *kind, accordi_exact_view sum,
                         accordi_exact_view divisor, enum accord_exact_rounding rounding)
{
    accordi_exact_magnitude m, d;
    accordi_exact_number n = accordi_exact_judge(kind, sum, rounding, &m);
    accordi_exact_number by = accordi_exact_judge(kind, divisor, rounding, &d);
    if (!n.m || !by.m)
        return accordi_exact_odd_quotient(kind, n, by);
    accordi_exact_ratio ratio = accordi_exact_divide_long(&m, sum.unit, &d, divisor.unit);
    accordi_lead lead = accordi_exact_ratio_lead(ratio, n.negative != by.negative);
    return accordi_exact_round_lead(lead, kind->format, rounding);
}

static uint64_t scaled(const accordi_exact_kind *kind, accordi_exact_view sum, const void *alpha,
                       enum accord_exact_rounding rounding)
{
    accordi_exact_magnitude m;
    accordi_exact_number factor = accordi_exact_take(kind, alpha);
    accordi_exact_number x = accordi_exact_judge(kind, sum, rounding, &m);
    if (factor.m && (x.m || x.zero))
        return accordi_exact_scaled(kind, alpha, sum, NULL, NULL, rounding);
    bool nan = x.nan || factor.nan || (x.infinite && factor.zero) || (x.zero && factor.infinite);
    bool infinite = x.infinite || factor.infinite, negative = x.negative != factor.negative;
    return accordi_exact_odd(kind, nan        ? ACCORD_EXACT_NANS
                                   : infinite ? ACCORD_EXACT_PLUS_INFINITIES + negative
                                              : ACCORD_EXACT_PLUS_ZEROS + negative);
}

#define SCALED(name_, type_, view_, suffix_, number_)                                              \
    number_ name_##_scaled_##suffix_(const type_ *sum, number_ alpha,                              \
                                     enum accord_exact_rounding rounding)                          \
    {                                                                                              \
        return accordi_exact_as_##suffix_(                                                         \
            scaled(&accordi_exact_##suffix_, view_(sum), &alpha, rounding));                       \
    }

FINISH(mean, accordi_exact_mean)
FINISH(norm, norm)
FINISH(rms, root_mean)
FINISH_TWO(accord_exact_quotient, accord_exact, accordi_exact_of, accord_exact, accordi_exact_of,
           quotient)
FINISH_TWO(accord_exact_wide_quotient, accord_exact_wide, accordi_exact_of_wide, accord_exact_wide,
           accordi_exact_of_wide, quotient)
FINISH_TWO(accord_exact_weighted_mean, accord_exact_wide, accordi_exact_of_wide, accord_exact,
           accordi_exact_of, quotient)
#define SCALED_TYPE(name_, type_, view_)                                                           \
    SCALED(name_, type_, view_, f64, double)                                                       \
    SCALED(name_, type_, view_, f32, float)                                                        \
    SCALED(name_, type_, view_, f16, uint16_t)                                                     \
    SCALED(name_, type_, view_, bf16, uint16_t)
SCALED_TYPE(accord_exact, accord_exact, accordi_exact_of)
SCALED_TYPE(accord_exact_wide, accord_exact_wide, accordi_exact_of_wide)
