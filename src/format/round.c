/* Correct rounding of doubles, and of sums of two values, into any format of the table.
 *
 * Idea of round: around x a format is a grid of step 2^q, q = max(e, emin) - (p - 1), where
 * 2^e <= |x| < 2^(e+1). The double's significand, an integer, is cut at bit q: the upper part
 * counts steps, the lower part says on which side of the middle x lies. Taking the greater of e
 * and emin is all that subnormals need. A count that is rounded up to 2^p is the next power of
 * two by itself, and anything past `greatest` has overflowed.
 *
 * Idea of add: to nearest, rounding first to 53 bits and then to p does no harm when both terms
 * have p bits and 53 >= 2p + 2 (Figueroa, When is double rounding innocuous?, 1995), and for f64
 * there is no second rounding. Directed: the double sum s and its exact error (FastTwoSum, Dekker
 * 1971) are turned into the sum rounded to odd (Boldo and Melquiond, Emulation of FMA and
 * correctly rounded sums: proved algorithms using rounding to odd, 2008): when inexact, the last
 * bit is set. What then is rounded to p <= 51 bits is rounded as if from the exact sum. */
#include "format/format.h"
#include <float.h>
#include <math.h>

#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "accord needs arithmetic without excess precision; on 32-bit x86 add -msse2 -mfpmath=sse"
#endif

/* Whether a directed rounding leads away from zero. */
static bool leads_away(enum accord_rounding rounding, bool negative)
{
    return rounding == (negative ? ACCORD_DOWN : ACCORD_UP);
}

static double overflowed(const accord_format_info *row, enum accord_rounding rounding,
                         bool negative)
{
    if (rounding != ACCORD_NEAREST_EVEN && !leads_away(rounding, negative))
        return row->greatest;
    return row->has_infinity ? INFINITY : NAN;
}

/* Finite x; every format but f64. Below half the least value all of the significand is cut off:
 * 54 bits are enough to say so, and keep the shift defined. */
static double round_finite(const accord_format_info *row, enum accord_rounding rounding, double x)
{
    bool negative = signbit(x);
    accordi_parts parts = accordi_split(x);
    int e = parts.exponent < row->min_exponent ? row->min_exponent : parts.exponent;
    int q = e - (row->precision - 1);
    int cut = q - (parts.exponent - 52);
    cut = cut > 54 ? 54 : cut;
    uint64_t steps = parts.significand >> cut;
    uint64_t rest = parts.significand & (((uint64_t)1 << cut) - 1);
    uint64_t half = (uint64_t)1 << (cut - 1);
    if (rounding == ACCORD_NEAREST_EVEN)
        steps += rest + (steps & 1) > half;
    else
        steps += rest && leads_away(rounding, negative);
    double size = (double)steps * accordi_from_bits((uint64_t)(q + 1023) << 52);
    if (size > row->greatest)
        size = overflowed(row, rounding, negative);
    return negative ? -size : size;
}

double accord_format_round(enum accord_format format, enum accord_rounding rounding, double x)
{
    if (format == ACCORD_F64)
        return x;
    if (format == ACCORD_F32 && rounding == ACCORD_NEAREST_EVEN)
        return (double)(float)x;
    const accord_format_info *row = accord_format_get(format);
    if (!row || isnan(x))
        return NAN;
    if (isinf(x))
        return row->has_infinity ? x : NAN;
    return round_finite(row, rounding, x);
}

/* The error of s = a + b, exactly. Ordered by size nothing overflows before s does: s - a is b
 * or a neighbour of it in the grid of s. */
static double error_of_sum(double a, double b, double s)
{
    double large = fabs(a) < fabs(b) ? b : a;
    double small = fabs(a) < fabs(b) ? a : b;
    return small - (s - large);
}

/* The neighbour of a finite s != 0 in the direction of error != 0. */
static double step_towards(double s, double error)
{
    uint64_t bits = accordi_bits_of(s);
    return accordi_from_bits((s > 0) == (error > 0) ? bits + 1 : bits - 1);
}

/* A sum of finite terms in f64, directed: s is the nearest, error what it lacks. */
static double add_directed_f64(enum accord_rounding rounding, double s, double error)
{
    bool negative = signbit(s);
    if (isinf(s)) {
        double size = overflowed(&accordi_formats[ACCORD_F64], rounding, negative);
        return negative ? -size : size;
    }
    bool outside = (error > 0) == negative; /* s lies farther from zero than the sum does */
    bool away = leads_away(rounding, negative);
    return error != 0 && outside != away ? step_towards(s, error) : s;
}

double accord_format_add(enum accord_format format, enum accord_rounding rounding, double a,
                         double b)
{
    double s = a + b;
    if (rounding == ACCORD_NEAREST_EVEN || !isfinite(a) || !isfinite(b))
        return accord_format_round(format, rounding, s);
    if (s == 0) /* exact; only its sign depends on the direction (IEEE 754-2019, 6.3) */
        return rounding == ACCORD_DOWN && (signbit(a) || signbit(b)) ? -0.0 : s;
    double error = isinf(s) ? 0 : error_of_sum(a, b, s);
    if (format == ACCORD_F64)
        return add_directed_f64(rounding, s, error);
    if (error != 0 && !(accordi_bits_of(s) & 1))
        s = step_towards(s, error);
    return accord_format_round(format, rounding, s);
}
