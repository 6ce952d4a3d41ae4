/* Accumulators to numbers: what finish.c, variance.c and compare.c share. Internal. */
#ifndef ACCORDI_EXACT_FINISH_H
#define ACCORDI_EXACT_FINISH_H

#include "exact/routines/quotient.h"
#include "exact/routines/routines.h"
#include <accord/exact_finish.h>

/* A number from its bits; f16 and bf16 stay bits. */
static inline double accordi_exact_as_f64(uint64_t pattern)
{
    double x;
    memcpy(&x, &pattern, sizeof x);
    return x;
}
static inline float accordi_exact_as_f32(uint64_t pattern)
{
    uint32_t bits = (uint32_t)pattern;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline uint16_t accordi_exact_as_f16(uint64_t pattern)
{
    return (uint16_t)pattern;
}
static inline uint16_t accordi_exact_as_bf16(uint64_t pattern)
{
    return (uint16_t)pattern;
}

/* What IEEE 754 makes of a quotient in which a zero, an infinity or a NaN takes part. */
uint64_t accordi_exact_odd_quotient(const accordi_exact_kind *kind, accordi_exact_number n,
                                    accordi_exact_number d);
/* A sum as a number: one with m = 1 and the sign if it is neither zero nor special; then
 * *magnitude is measured. */
accordi_exact_number accordi_exact_judge(const accordi_exact_kind *kind, accordi_exact_view sum,
                                         enum accord_exact_rounding rounding,
                                         accordi_exact_magnitude *magnitude);

/* The sum divided by the number of its terms, rounded once; NaN where there are none. */
uint64_t accordi_exact_mean(const accordi_exact_kind *kind, accordi_exact_view sum,
                            enum accord_exact_rounding rounding);

/* Defines a function of one accumulator over pattern_, in one format; small and wide, in each. */
#define FINISH_AS(name_, type_, view_, pattern_, suffix_, number_)                                 \
    number_ name_##_##suffix_(const type_ *sum, enum accord_exact_rounding rounding)               \
    {                                                                                              \
        return accordi_exact_as_##suffix_(                                                         \
            pattern_(&accordi_exact_##suffix_, view_(sum), rounding));                             \
    }
#define FINISH_TYPE(name_, type_, view_, pattern_)                                                 \
    FINISH_AS(name_, type_, view_, pattern_, f64, double)                                          \
    FINISH_AS(name_, type_, view_, pattern_, f32, float)                                           \
    FINISH_AS(name_, type_, view_, pattern_, f16, uint16_t)                                        \
    FINISH_AS(name_, type_, view_, pattern_, bf16, uint16_t)
#define FINISH(name_, pattern_)                                                                    \
    FINISH_TYPE(accord_exact_##name_, accord_exact, accordi_exact_of, pattern_)                    \
    FINISH_TYPE(accord_exact_wide_##name_, accord_exact_wide, accordi_exact_of_wide, pattern_)

/* The same of two. */
#define FINISH_TWO_AS(name_, type_, view_, second_, second_view_, pattern_, suffix_, number_)      \
    number_ name_##_##suffix_(const type_ *a, const second_ *b,                                    \
                              enum accord_exact_rounding rounding)                                 \
    {                                                                                              \
        return accordi_exact_as_##suffix_(                                                         \
            pattern_(&accordi_exact_##suffix_, view_(a), second_view_(b), rounding));              \
    }
#define FINISH_TWO(name_, type_, view_, second_, second_view_, pattern_)                           \
    FINISH_TWO_AS(name_, type_, view_, second_, second_view_, pattern_, f64, double)               \
    FINISH_TWO_AS(name_, type_, view_, second_, second_view_, pattern_, f32, float)                \
    FINISH_TWO_AS(name_, type_, view_, second_, second_view_, pattern_, f16, uint16_t)             \
    FINISH_TWO_AS(name_, type_, view_, second_, second_view_, pattern_, bf16, uint16_t)

#endif
