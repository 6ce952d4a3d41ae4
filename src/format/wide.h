/* The one rounding of a number that has more bits than its format. Internal.
 *
 * Around the number, with 2^e its leading bit, a format is a grid of step 2^q, q = max(e, emin) -
 * (p - 1). The bits from q upwards count steps; the bit below them says half, and all bits below
 * that say whether anything else is left. Whether one more step is taken depends on these and on
 * the last bit of the count alone: a truth table for each rounding and sign. Everything here, the
 * exact sums, and the fused sums read that table.
 *
 * The 64 leading bits and a word on the rest are enough: no format has more than 53. */
#ifndef ACCORDI_WIDE_H
#define ACCORDI_WIDE_H

#include "base/base.h"
#include <accord/format.h>

/* Roundings that no model has, beside those that models have. */
enum accordi_odd_rounding {
    ACCORDI_OUTWARD = ACCORD_ROUNDING_COUNT, /* away from zero */
    ACCORDI_TO_ODD,                          /* what is inexact gets an odd last bit */
    ACCORDI_ROUNDINGS
};

/* What is cut off, and the last bit that is kept, as bits of an index. */
enum accordi_remainder { ACCORDI_LAST_IS_ODD = 1, ACCORDI_HALF = 2, ACCORDI_MORE = 4 };

/* For positive and negative numbers: bit r says whether remainder r leads one step away from zero.
 */
enum accordi_step_rule {
    ACCORDI_STEPS_NEVER = 0,
    ACCORDI_STEPS_IF_INEXACT = 0xfc,
    ACCORDI_STEPS_TO_EVEN = 0xc8, /* half, and either odd or more */
    ACCORDI_STEPS_FROM_HALF = 0xcc,
    ACCORDI_STEPS_TO_ODD = 0x54,
};
extern __attribute__((visibility("hidden"))) const uint8_t accordi_step_table[ACCORDI_ROUNDINGS][2];

static inline bool accordi_steps_away(unsigned rounding, bool negative, bool odd, bool half,
                                      bool more)
{
    return accordi_step_table[rounding][negative] >> (odd | half << 1 | more << 2) & 1;
}

/* A number by its leading bits: (bits + r) * 2^(exponent - 63), 0 <= r < 1, r > 0 if `more`. Either
 * bits >= 2^63, or the number is less than the least of the format and `bits` may be anything. */
typedef struct accordi_lead {
    uint64_t bits;
    int exponent;
    bool more, negative;
} accordi_lead;

/* (-1)^negative * magnitude * 2^exponent; `more`: a positive amount below one unit of magnitude is
 * missing. */
accordi_lead accordi_lead_of(bool negative, uint128 magnitude, int exponent, bool more);

/* steps * 2^exponent: the grid of the format without an end; exponent >= emin - (p - 1). */
typedef struct accordi_rounded {
    uint64_t steps;
    int exponent;
} accordi_rounded;

static inline accordi_rounded accordi_round_lead(const accord_format_info *row, unsigned rounding,
                                                 accordi_lead x)
{
    int e = x.exponent < row->min_exponent ? row->min_exponent : x.exponent;
    int cut = 64 - row->precision + e - x.exponent; /* bits that go, at least 11 */
    uint64_t kept = cut < 64 ? x.bits >> cut : 0;
    bool half = cut < 65 && x.bits >> (cut - 1) & 1;
    uint64_t rest = cut < 65 ? x.bits << (65 - cut) % 64 : x.bits; /* below the half */
    bool away = accordi_steps_away(rounding, x.negative, kept & 1, half, (rest != 0) | x.more);
    return (accordi_rounded){kept + away, e - (row->precision - 1)};
}

/* The rounded number as a double. What is past the greatest is an infinity (a NaN where the format
 * has none) or the greatest, as the rounding says; with `infinite` never the greatest. */
double accordi_lead_value(const accord_format_info *row, unsigned rounding, accordi_lead x,
                          bool infinite);

/* The rounded number as a pattern of bits; formats with infinities alone. */
uint64_t accordi_lead_pattern(const accord_format_info *row, unsigned rounding, accordi_lead x);

/* accordi_lead_of and accordi_lead_value in one. A zero magnitude without `more` gives a zero of
 * that sign. */
double accordi_round_wide(enum accord_format format, enum accord_rounding rounding, bool negative,
                          uint128 magnitude, int exponent, bool more);

/* magnitude / 2^cut rounded to an integer; any cut, a negative one multiplies. `more` as above, for
 * positive cuts. */
uint128 accordi_cut(unsigned rounding, bool negative, uint128 magnitude, int cut, bool more);

/* The bits of an integer, 0 of 0. */
static inline int accordi_length(uint128 magnitude)
{
    uint64_t high = (uint64_t)(magnitude >> 64);
    if (high)
        return 128 - __builtin_clzll(high);
    return magnitude ? 64 - __builtin_clzll((uint64_t)magnitude) : 0;
}

/* The greatest integer whose square is at most n. */
uint64_t accordi_root(uint128 n);

#endif
