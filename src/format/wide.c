/* Numbers wider than their format: from integers to leading bits, and from rounded steps to values
 * and patterns. Read as an integer the pattern of a magnitude counts the values below it: exponent
 * and significand add up, subnormals included, and one step up is + 1, into the next binade and at
 * last into infinity. */
#include "format/wide.h"
#include "format/format.h"
#include <math.h>

const uint8_t accordi_step_table[ACCORDI_ROUNDINGS][2] = {
    [ACCORD_NEAREST_EVEN] = {ACCORDI_STEPS_TO_EVEN, ACCORDI_STEPS_TO_EVEN},
    [ACCORD_TOWARD_ZERO] = {ACCORDI_STEPS_NEVER, ACCORDI_STEPS_NEVER},
    [ACCORD_DOWN] = {ACCORDI_STEPS_NEVER, ACCORDI_STEPS_IF_INEXACT},
    [ACCORD_UP] = {ACCORDI_STEPS_IF_INEXACT, ACCORDI_STEPS_NEVER},
    [ACCORD_NEAREST_AWAY] = {ACCORDI_STEPS_FROM_HALF, ACCORDI_STEPS_FROM_HALF},
    [ACCORDI_OUTWARD] = {ACCORDI_STEPS_IF_INEXACT, ACCORDI_STEPS_IF_INEXACT},
    [ACCORDI_TO_ODD] = {ACCORDI_STEPS_TO_ODD, ACCORDI_STEPS_TO_ODD},
};

enum { BELOW_ALL = -(1 << 20) }; /* an exponent */

accordi_lead accordi_lead_of(bool negative, uint128 magnitude, int exponent, bool more)
{
    int length = accordi_length(magnitude);
    if (length == 0)
        return (accordi_lead){0, BELOW_ALL, more, negative};
    magnitude <<= 128 - length;
    return (accordi_lead){(uint64_t)(magnitude >> 64), exponent + length - 1,
                          (uint64_t)magnitude != 0 || more, negative};
}

/* Whether a number past the range goes to infinity: it has more than half a step to go. */
static bool overflows(unsigned rounding, bool negative)
{
    return accordi_steps_away(rounding, negative, true, true, true);
}

static double past_greatest(const accord_format_info *row, bool away)
{
    if (!away)
        return row->greatest;
    return accordi_beyond(row);
}

double accordi_lead_value(const accord_format_info *row, unsigned rounding, accordi_lead x,
                          bool infinite)
{
    accordi_rounded r = accordi_round_lead(row, rounding, x);
    double size = r.exponent >= -1022 && r.exponent <= 1023
                      ? (double)r.steps * accordi_power_of_two(r.exponent)
                      : ldexp((double)r.steps, r.exponent);
    if (size > row->greatest)
        size = past_greatest(row, overflows(rounding, x.negative) || infinite);
    return x.negative ? -size : size;
}

uint64_t accordi_lead_pattern(const accord_format_info *row, unsigned rounding, accordi_lead x)
{
    int fraction = row->precision - 1;
    uint64_t sign = x.negative ? (uint64_t)1 << (row->bits - 1) : 0;
    if (x.exponent > row->max_exponent) {
        uint64_t infinity = (((uint64_t)1 << (row->bits - row->precision)) - 1) << fraction;
        return sign | (infinity - !overflows(rounding, x.negative));
    }
    accordi_rounded r = accordi_round_lead(row, rounding, x);
    uint64_t binade = (uint64_t)(r.exponent + fraction - row->min_exponent);
    return sign | ((binade << fraction) + r.steps);
}

double accordi_round_wide(enum accord_format format, enum accord_rounding rounding, bool negative,
                          uint128 magnitude, int exponent, bool more)
{
    return accordi_lead_value(&accordi_formats[format], rounding,
                              accordi_lead_of(negative, magnitude, exponent, more), false);
}

uint128 accordi_cut(unsigned rounding, bool negative, uint128 magnitude, int cut, bool more)
{
    if (cut <= 0)
        return magnitude << -cut;
    uint128 kept = cut < 128 ? magnitude >> cut : 0;
    uint128 half = cut <= 128 ? (uint128)1 << (cut - 1) : 0;
    bool rest = cut <= 128 ? (magnitude & (half - 1)) != 0 : magnitude != 0;
    return kept +
           accordi_steps_away(rounding, negative, kept & 1, (magnitude & half) != 0, rest | more);
}

/* By Heron's steps from above, which fall until the root is reached. */
uint64_t accordi_root(uint128 n)
{
    uint64_t root = UINT64_MAX;
    for (;;) {
        uint128 next = (root + n / root) >> 1; /* at first 2^64 may come out */
        if (next >= root)
            return root;
        root = (uint64_t)next;
    }
}
