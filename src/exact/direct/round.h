/* Rounding of a sum that is known but for a few units in its last place: a result if all numbers in
 * question round to it. Internal.
 *
 * The magnitude is moved up until its leading bit is bit 126; a bias (half a step, nothing, or all
 * but one bit of a step) is added, and what is left of the bits below the step is cut off. Both
 * ends of the interval must give the same; a tie counts only where the sum is known exactly. The
 * bias is read off the truth table of the one rounding (format/wide.h): for one word size an
 * addition and a cut do the same as the table, and they are half of the time of a short sum. Where
 * the result is a subnormal number, the step is greater. */
#ifndef ACCORDI_EXACT_SHORT_ROUND_H
#define ACCORDI_EXACT_SHORT_ROUND_H

#include "exact/accumulator/exact.h"
#include "exact/direct/direct.h"

#define INLINE static inline __attribute__((always_inline))

typedef struct layout {
    enum accord_format format;
    int fraction, exponent; /* bits of the fields */
} layout;
static const layout f64 = {ACCORD_F64, 52, 11}, f32 = {ACCORD_F32, 23, 8},
                    f16 = {ACCORD_F16, 10, 5}, bf16 = {ACCORD_BF16, 7, 8};

INLINE int size_of(layout l)
{
    return (1 + l.fraction + l.exponent) / 8;
}

/* The bits of a number, which need not be aligned. */
INLINE uint64_t load(layout l, const char *at)
{
    uint64_t bits64;
    uint32_t bits32;
    uint16_t bits16;
    switch (size_of(l)) {
    case 8:
        memcpy(&bits64, at, sizeof bits64);
        return bits64;
    case 4:
        memcpy(&bits32, at, sizeof bits32);
        return bits32;
    default:
        memcpy(&bits16, at, sizeof bits16);
        return bits16;
    }
}

/* The sum lies in [least, least + slack] * 2^unit; |least| + slack < 2^127, slack < 2^48. */
typedef struct interval {
    int128 least;
    uint64_t slack;
    int unit;
} interval;

/* v > 0 */
INLINE int leading_zeros(int128 v)
{
    uint64_t high = (uint64_t)(v >> 64);
    return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)v);
}

INLINE int bias_of(layout l)
{
    return (1 << (l.exponent - 1)) - 1;
}

/* v << by, 0 <= by < 127: not by shld, for the reason of shift_right. */
INLINE uint128 shift_left(uint128 v, int by)
{
    uint64_t low = (uint64_t)v, high = (uint64_t)(v >> 64), moved = low << (by & 63);
    uint64_t joined = high << (by & 63) | low >> 1 >> (~by & 63);
    return by & 64 ? (uint128)moved << 64 : (uint128)joined << 64 | moved;
}

/* How many bits a subnormal number 2^e has less than others; 0 for others. */
INLINE int deep_of(layout l, int e)
{
    int deep = 1 - bias_of(l) - e;
    return deep > 0 ? deep : 0;
}

/* Whether *out was found. */
INLINE bool round_interval(layout l, interval w, enum accord_exact_rounding rounding, uint64_t *out)
{
    bool negative = w.least < 0;
    int128 low = negative ? -w.least - w.slack : w.least;
    if (low <= (int128)w.slack) /* so that slack moves up with it */
        return false;
    int zeros = leading_zeros(low), e = 127 - zeros + w.unit, deep = deep_of(l, e);
    const int cut = 126 - l.fraction + deep;
    if (cut > 126 || e > bias_of(l))
        return false;
    uint128 step = (uint128)1 << cut;
    unsigned steps = accordi_step_table[rounding][negative];
    bool nearest = steps == ACCORDI_STEPS_TO_EVEN || steps == ACCORDI_STEPS_FROM_HALF;
    uint128 from = shift_left((uint128)low, zeros - 1) + (nearest ? step / 2 : 0) +
                   (steps == ACCORDI_STEPS_IF_INEXACT ? step - 1 : 0);
    uint128 to = from + shift_left(w.slack, zeros - 1);
    uint64_t m = (uint64_t)(from >> cut);
    bool tie = nearest && !(from & (step - 1));
    if (w.slack && (tie || (uint64_t)(to >> cut) != m))
        return false;
    if (tie && steps == ACCORDI_STEPS_TO_EVEN)
        m &= ~(uint64_t)1;
    uint64_t pattern = ((uint64_t)(e + deep + bias_of(l) - 1) << l.fraction) + m;
    *out = pattern | (uint64_t)negative << (l.fraction + l.exponent);
    return true;
}

/* A sum that is known, and not zero. Rare, and once for all layouts. */
static __attribute__((noinline, unused)) uint64_t round_exact(layout l, interval w,
                                                              enum accord_exact_rounding rounding)
{
    uint128 size = w.least < 0 ? -(uint128)w.least : (uint128)w.least;
    accordi_lead lead = accordi_lead_of(w.least < 0, size, w.unit, false);
    return accordi_exact_round_lead(lead, l.format, rounding);
}

#endif
