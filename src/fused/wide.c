/* Exact sums in fixed point.
 *
 * Idea: a finite double is an integer below 2^53 times a power of two between 2^-1074 and 2^971,
 * so every sum of doubles is an integer times 2^-1074. It is kept in base 2^32, a limb in each
 * int64: an addition changes three limbs by less than 2^32 each and carries nothing. Invariant:
 * the value is the sum of limb[k] * 2^(32k + LEAST), |limb[k]| < 2^32 * additions, so that 2^31
 * additions cannot overflow. Carries are resolved once, at the end, and the result is rounded
 * from its 96 leading bits and a sticky bit: once, in any direction. */
#include "fused/wide.h"
#include "format/format.h"
#include <math.h>

enum { LEAST = -1088 }; /* a multiple of 32 not above -1074 */

int accordi_length(accordi_uint128 magnitude)
{
    uint64_t high = (uint64_t)(magnitude >> 64);
    if (high)
        return 128 - __builtin_clzll(high);
    return magnitude ? 64 - __builtin_clzll((uint64_t)magnitude) : 0;
}

static double past_greatest(const accord_format_info *row, bool away)
{
    if (!away)
        return row->greatest;
    return row->has_infinity ? (double)INFINITY : (double)NAN;
}

static bool is_nearest(enum accord_rounding rounding)
{
    return rounding == ACCORD_NEAREST_EVEN || rounding == ACCORD_NEAREST_AWAY;
}

static bool leads_away(enum accord_rounding rounding, bool negative)
{
    return rounding == (negative ? ACCORD_DOWN : ACCORD_UP) ||
           rounding == (enum accord_rounding)ACCORDI_OUTWARD;
}

/* Whether magnitude / 2^cut goes up to the next integer; cut > 0. */
static bool goes_up(enum accord_rounding rounding, bool negative, accordi_uint128 magnitude,
                    int cut, bool sticky)
{
    bool nearest = is_nearest(rounding), away = leads_away(rounding, negative);
    bool to_odd = rounding == (enum accord_rounding)ACCORDI_TO_ODD;
    if (cut > 128) /* below half a step */
        return !nearest && (away || to_odd) && (magnitude || sticky);
    accordi_uint128 half = (accordi_uint128)1 << (cut - 1);
    accordi_uint128 rest = cut == 128 ? magnitude : magnitude & (2 * half - 1);
    bool odd = cut < 128 && (magnitude >> cut & 1);
    if (!nearest)
        return (away || (to_odd && !odd)) && (rest || sticky);
    bool tie_up = sticky || odd || rounding == ACCORD_NEAREST_AWAY;
    return rest > half || (rest == half && tie_up);
}

accordi_uint128 accordi_cut(enum accord_rounding rounding, bool negative, accordi_uint128 magnitude,
                            int cut)
{
    if (cut <= 0)
        return magnitude << -cut;
    bool up = goes_up(rounding, negative, magnitude, cut, false);
    return (cut < 128 ? magnitude >> cut : 0) + up;
}

/* The leading bit is p - 1 bits above the grid unless the number is subnormal, so what is left of
 * magnitude has p bits at most, and fits into a double. */
double accordi_round_row(const accord_format_info *row, enum accord_rounding rounding,
                         bool negative, accordi_uint128 magnitude, int exponent, bool sticky,
                         bool infinite)
{
    bool outward = is_nearest(rounding) || leads_away(rounding, negative);
    int e = exponent + accordi_length(magnitude) - 1;
    if (magnitude == 0 || e < row->min_exponent)
        e = row->min_exponent;
    int q = e - (row->precision - 1); /* the grid of the result */
    int cut = q - exponent;
    accordi_uint128 steps = magnitude;
    if (cut > 0)
        steps = (cut < 128 ? magnitude >> cut : 0) +
                goes_up(rounding, negative, magnitude, cut, sticky);
    else if (magnitude)
        steps = magnitude << -cut;
    double size = ldexp((double)(uint64_t)steps, q);
    if (size > row->greatest)
        size = past_greatest(row, outward || infinite);
    return negative ? -size : size;
}

double accordi_round_wide(enum accord_format format, enum accord_rounding rounding, bool negative,
                          accordi_uint128 magnitude, int exponent, bool sticky)
{
    return accordi_round_row(&accordi_formats[format], rounding, negative, magnitude, exponent,
                             sticky, false);
}

void accordi_wide_clear(accordi_wide *wide)
{
    memset(wide, 0, sizeof *wide);
}

void accordi_wide_add(accordi_wide *wide, double x)
{
    accordi_parts parts = accordi_split(x);
    int at = parts.exponent - 52 - LEAST;
    accordi_uint128 shifted = (accordi_uint128)parts.significand << (at % 32);
    int64_t *limb = wide->limb + at / 32;
    int64_t sign = signbit(x) ? -1 : 1;
    for (int k = 0; k < 3; k++)
        limb[k] += sign * (int64_t)(uint32_t)(shifted >> (32 * k));
}

/* Resolves the carries: limbs 0 … count-2 within [0, 2^32), the last one signed. */
static void carry(accordi_wide *wide)
{
    for (int k = 0; k + 1 < ACCORDI_WIDE_LIMBS; k++) {
        int64_t rest = wide->limb[k] & 0xffffffff;
        wide->limb[k + 1] += (wide->limb[k] - rest) / ((int64_t)1 << 32);
        wide->limb[k] = rest;
    }
}

double accordi_wide_round(accordi_wide *wide, enum accord_format format,
                          enum accord_rounding rounding)
{
    carry(wide);
    bool negative = wide->limb[ACCORDI_WIDE_LIMBS - 1] < 0;
    if (negative) {
        for (int k = 0; k < ACCORDI_WIDE_LIMBS; k++)
            wide->limb[k] = -wide->limb[k];
        carry(wide);
    }
    int top = ACCORDI_WIDE_LIMBS - 1;
    while (top > 0 && wide->limb[top] == 0)
        top--;
    accordi_uint128 magnitude = 0;
    int low = top < 2 ? 0 : top - 2;
    for (int k = top; k >= low; k--)
        magnitude = magnitude << 32 | (uint64_t)wide->limb[k];
    bool sticky = false;
    for (int k = 0; k < low; k++)
        sticky = sticky || wide->limb[k] != 0;
    return accordi_round_wide(format, rounding, negative && (magnitude || sticky), magnitude,
                              32 * low + LEAST, sticky);
}
