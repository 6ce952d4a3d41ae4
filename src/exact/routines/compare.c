/* Signs, comparisons, differences and intervals of accumulators. */
#include "exact/routines/finish.h"

/* Of finite terms, or as the counts say. */
static int sign_of(accordi_exact_view sum)
{
    accordi_exact_magnitude m;
    accordi_exact_number x =
        accordi_exact_judge(&accordi_exact_f64, sum, ACCORD_EXACT_NEAREST_EVEN, &m);
    return x.nan ? ACCORD_EXACT_UNORDERED : x.zero ? 0 : x.negative ? -1 : 1;
}

static int infinity_of(accordi_exact_view sum)
{
    return (sum.count[ACCORD_EXACT_PLUS_INFINITIES] != 0) -
           (sum.count[ACCORD_EXACT_MINUS_INFINITIES] != 0);
}

/* An infinity less itself is no number, but it equals itself. */
static int order(accordi_exact_view a, accordi_exact_view b, accordi_exact_view difference)
{
    if (sign_of(a) == ACCORD_EXACT_UNORDERED || sign_of(b) == ACCORD_EXACT_UNORDERED)
        return ACCORD_EXACT_UNORDERED;
    int x = infinity_of(a), y = infinity_of(b);
    return x || y ? (x > y) - (x < y) : sign_of(difference);
}

static uint64_t rounded(const accordi_exact_kind *kind, accordi_exact_view sum,
                        enum accord_exact_rounding rounding)
{
    return accordi_exact_round(sum, kind->format, rounding);
}

#define DIFFERENCE(name_, type_, view_, suffix_, number_)                                          \
    number_ name_##_difference_##suffix_(const type_ *a, const type_ *b,                           \
                                         enum accord_exact_rounding rounding)                      \
    {                                                                                              \
        type_ apart = *a;                                                                          \
        accordi_exact_take_away(view_(&apart), view_(b));                                          \
        return accordi_exact_as_##suffix_(                                                         \
            rounded(&accordi_exact_##suffix_, view_(&apart), rounding));                           \
    }
#define INTERVAL(name_, type_, view_, suffix_, number_)                                            \
    void name_##_interval_##suffix_(const type_ *sum, number_ *down, number_ *up)                  \
    {                                                                                              \
        const accordi_exact_kind *kind = &accordi_exact_##suffix_;                                 \
        *down = accordi_exact_as_##suffix_(rounded(kind, view_(sum), ACCORD_EXACT_DOWN));          \
        *up = accordi_exact_as_##suffix_(rounded(kind, view_(sum), ACCORD_EXACT_UP));              \
    }
#define APART(name_, type_, view_, suffix_, number_)                                               \
    DIFFERENCE(name_, type_, view_, suffix_, number_)                                              \
    INTERVAL(name_, type_, view_, suffix_, number_)
#define COMPARE(name_, type_, view_)                                                               \
    int name_##_sign(const type_ *sum)                                                             \
    {                                                                                              \
        return sign_of(view_(sum));                                                                \
    }                                                                                              \
    int name_##_compare(const type_ *a, const type_ *b)                                            \
    {                                                                                              \
        type_ apart = *a;                                                                          \
        accordi_exact_take_away(view_(&apart), view_(b));                                          \
        return order(view_(a), view_(b), view_(&apart));                                           \
    }                                                                                              \
    APART(name_, type_, view_, f64, double)                                                        \
    APART(name_, type_, view_, f32, float)                                                         \
    APART(name_, type_, view_, f16, uint16_t)                                                      \
    APART(name_, type_, view_, bf16, uint16_t)

COMPARE(accord_exact, accord_exact, accordi_exact_of)
COMPARE(accord_exact_wide, accord_exact_wide, accordi_exact_of_wide)
