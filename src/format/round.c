/* Correct rounding of doubles, and of sums of two values, into any format of the table.
 *
 * Idea of round: around x a format is a grid of step 2^q, q = max(e, emin) - (p - 1), where
 * 2^e <= |x| < 2^(e+1). Taking the greater of e and emin is all that subnormals need; a result
 * that reaches the next power of two is right by itself, and anything past `greatest` has
 * overflowed. To nearest, the double addition |x| + 2^(q + 52) does the work: doubles of that
 * size have the grid's step, an even multiple stays even, and taking 2^(q + 52) away again is
 * exact. Directed, the double is a number of 53 leading bits like any other (wide.h).
 *
 * Idea of add: to nearest, rounding first to 53 bits and then to p does no harm when both terms
 * have p bits and 53 >= 2p + 2 (Figueroa, When is double rounding innocuous?, 1995), and for f64
 * there is no second rounding. Directed: the double sum s and its exact error (FastTwoSum, Dekker
 * 1971) are turned into the sum rounded to odd (Boldo and Melquiond, Emulation of FMA and
 * correctly rounded sums: proved algorithms using rounding to odd, 2008): when inexact, the last
 * bit is set. What then is rounded to p <= 51 bits is rounded as if from the exact sum. The same
 * serves ties that are rounded away from zero: a tie is known from the significand that is cut. */
#include "format/format.h"
#include "format/wide.h"
#include <float.h>
#include <math.h>

#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "accord needs arithmetic without excess precision; on 32-bit x86 add -msse2 -mfpmath=sse"
#endif

static bool leads_away(enum accord_rounding rounding, bool negative)
{
    return accordi_steps_away(rounding, negative, false, false, true);
}

/* What rounding to nearest takes from a row. */
typedef struct grids {
    double least, most; /* 2^emin and 2^emax */
    double step;        /* 2^(53 - p) */
    double greatest, beyond;
} grids;

static grids grids_of(const accord_format_info *row)
{
    return (grids){accordi_power_of_two(row->min_exponent), accordi_power_of_two(row->max_exponent),
                   accordi_power_of_two(53 - row->precision), row->greatest, accordi_beyond(row)};
}

/* Every format but f64, and every x that the format can come near to. Past the range the grid is no
 * longer followed (e stops, for 2^(q + 52) to stay finite): what is too great remains so. No
 * branch, so that compilers make vectors of it. */
static inline double round_nearest(const grids *g, double x)
{
    double power = accordi_from_bits(accordi_bits_of(x) & 0x7ffull << 52); /* 2^e */
    power = power < g->least ? g->least : power;
    power = power > g->most ? g->most : power;
    double grid = power * g->step, size = (fabs(x) + grid) - grid;
    size = size > g->greatest ? g->beyond : size;
    return copysign(size, x);
}

/* Finite x; every format but f64, whose least exponent no other has: a subnormal x needs no leading
 * bit. */
static double round_directed(const accord_format_info *row, enum accord_rounding rounding, double x)
{
    double size = fabs(x);
    int less = 53 - row->precision;
    bool normal = size <= row->greatest && size >= accordi_power_of_two(row->min_exponent);
    if (normal && rounding == ACCORD_TOWARD_ZERO) /* the bits that are too many go */
        return accordi_from_bits(accordi_bits_of(x) >> less << less);
    accordi_parts parts = accordi_split(x);
    accordi_lead lead = {parts.significand << 11, parts.exponent, false, signbit(x) != 0};
    return accordi_lead_value(row, rounding, lead, false);
}

double accord_format_round(enum accord_format format, enum accord_rounding rounding, double x)
{
    if (format == ACCORD_F64)
        return x;
    if (format == ACCORD_F32 && rounding == ACCORD_NEAREST_EVEN)
        return (double)(float)x;
    const accord_format_info *row = accord_format_get(format);
    if (!row || isnan(x) || (!row->has_sign && x < 0))
        return NAN;
    if (!row->has_sign)
        x = fabs(x) < row->least && !row->has_zero ? row->least : fabs(x);
    if (rounding == ACCORD_NEAREST_EVEN) {
        grids g = grids_of(row);
        return round_nearest(&g, x);
    }
    if (isinf(x))
        return copysign(accordi_beyond(row), x);
    return round_directed(row, rounding, x);
}

/* Whether rounding to nearest is what round_nearest does. */
static bool is_plain(enum accord_format format)
{
    return format != ACCORD_F64 && accordi_formats[format].has_sign;
}

void accordi_round_each(enum accord_format format, double *x, size_t count)
{
    grids g = grids_of(&accordi_formats[format]);
    bool plain = is_plain(format);
    for (size_t i = 0; !plain && i < count; i++)
        x[i] = accord_format_round(format, ACCORD_NEAREST_EVEN, x[i]);
    for (size_t i = 0; plain && i < count; i++) {
        double rounded = round_nearest(&g, x[i]);
        x[i] = isnan(x[i]) ? (double)NAN : rounded;
    }
}

void accordi_round_each_f32(enum accord_format format, float *x, size_t count)
{
    grids g = grids_of(&accordi_formats[format]);
    bool plain = is_plain(format);
    for (size_t i = 0; !plain && i < count; i++)
        x[i] = (float)accord_format_round(format, ACCORD_NEAREST_EVEN, (double)x[i]);
    for (size_t i = 0; plain && i < count; i++) {
        float rounded = (float)round_nearest(&g, (double)x[i]);
        x[i] = isnan(x[i]) ? NAN : rounded;
    }
}

/* The error of s = a + b, exactly. Ordered by size nothing overflows before s does: s - a is b
 * or a neighbor of it in the grid of s. */
static double error_of_sum(double a, double b, double s)
{
    double large = fabs(a) < fabs(b) ? b : a;
    double small = fabs(a) < fabs(b) ? a : b;
    return small - (s - large);
}

/* The neighbor of a finite s != 0 in the direction of error != 0. */
static double step_toward(double s, double error)
{
    uint64_t bits = accordi_bits_of(s);
    return accordi_from_bits((s > 0) == (error > 0) ? bits + 1 : bits - 1);
}

/* Of a sum of finite terms in f64, s is the nearest, ties to even; error is what it lacks. A tie
 * that went toward zero is half of a step short of its neighbor. */
static double add_away_f64(double s, double error)
{
    if (isinf(s) || error == 0 || (error > 0) != (s > 0))
        return s;
    double next = step_toward(s, error);
    return next - s == 2 * error ? next : s;
}

/* A sum of finite terms in f64, directed: s is the nearest, error what it lacks. */
static double add_directed_f64(enum accord_rounding rounding, double s, double error)
{
    bool negative = signbit(s);
    if (isinf(s))
        return leads_away(rounding, negative) ? s : copysign(DBL_MAX, s);
    bool outside = (error > 0) == negative; /* s lies farther from zero than the sum does */
    bool away = leads_away(rounding, negative);
    return error != 0 && outside != away ? step_toward(s, error) : s;
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
        return rounding == ACCORD_NEAREST_AWAY ? add_away_f64(s, error)
                                               : add_directed_f64(rounding, s, error);
    if (error != 0 && !(accordi_bits_of(s) & 1))
        s = step_toward(s, error);
    return accord_format_round(format, rounding, s);
}
