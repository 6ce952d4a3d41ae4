/* Converts between values and bit patterns.
 *
 * Bit patterns: sign, if there is one, exponent field, fraction. Read as an integer, the pattern of
 * a magnitude counts the values below it: exponent and significand simply add up, subnormals
 * included. In e8m0, which has no zero, each pattern is one less. */
#include "format/format.h"
#include <math.h>

static uint64_t ones(int count)
{
    return count ? ~(uint64_t)0 >> (64 - count) : 0;
}

/* The pattern of infinity in a format that has it. */
static uint64_t infinity_pattern(const accord_format_info *row)
{
    return ones(row->bits - row->precision) << (row->precision - 1);
}

/* In a format that has none, the greatest value. */
static uint64_t nan_pattern(const accord_format_info *row)
{
    if (!row->has_infinity)
        return ones(row->bits - row->has_sign);
    return infinity_pattern(row) | (uint64_t)1 << (row->precision - 2);
}

static uint64_t magnitude_pattern(const accord_format_info *row, double x)
{
    accordi_parts parts = accordi_split(x);
    int e = parts.exponent < row->min_exponent ? row->min_exponent : parts.exponent;
    int cut = (e - parts.exponent) + (53 - row->precision);
    if (cut > 53) /* zero: the value is one of the format */
        return 0;
    return ((uint64_t)(e - row->min_exponent) << (row->precision - 1)) +
           (parts.significand >> cut) - !row->has_zero;
}

uint64_t accord_format_encode(enum accord_format format, double x)
{
    const accord_format_info *row = accord_format_get(format);
    if (!row)
        return 0;
    x = accord_format_round(format, ACCORD_NEAREST_EVEN, x);
    if (isnan(x))
        return nan_pattern(row);
    uint64_t sign = row->has_sign ? (uint64_t)(signbit(x) != 0) << (row->bits - 1) : 0;
    return sign | (isinf(x) ? infinity_pattern(row) : magnitude_pattern(row, x));
}

double accord_format_decode(enum accord_format format, uint64_t bits)
{
    const accord_format_info *row = accord_format_get(format);
    if (!row)
        return NAN;
    uint64_t magnitude = bits & ones(row->bits - row->has_sign);
    bool negative = row->has_sign && bits >> (row->bits - 1) & 1;
    bool is_nan = row->has_nan && !row->has_infinity && magnitude == nan_pattern(row);
    magnitude += !row->has_zero;
    uint64_t fraction = magnitude & ones(row->precision - 1);
    int field = (int)(magnitude >> (row->precision - 1));
    double size;
    if (row->has_infinity && magnitude >= infinity_pattern(row))
        size = fraction ? NAN : INFINITY;
    else if (is_nan)
        size = NAN;
    else if (field == 0)
        size = (double)fraction * row->least;
    else
        size = accordi_from_bits((uint64_t)(field - 1 + row->min_exponent + 1023) << 52 |
                                 fraction << (53 - row->precision));
    return negative ? -size : size;
}
