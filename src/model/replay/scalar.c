/* Exact arithmetic on a few numbers, rounded once: what replay falls back to wherever the
 * machine's own additions are not those of the model.
 *
 * Idea: a product of two doubles is the double next to it and a rest that is a double too (fma),
 * unless it comes near the ends of the range; so a sum of products is a sum of doubles, for which
 * room exact has a short way. Near the ends the products go into its wide accumulator, which holds
 * those of any two doubles. Quotients and roots are divided and drawn as integers, with a word on
 * whether anything remains. */
#include "model/replay/scalar.h"
#include "exact/accumulator/exact.h"
#include "format/format.h"
#include <math.h>

enum { FEW = 32 };

bool accordi_holds(enum accord_format format, double x)
{
    return accord_format_round(format, ACCORD_TOWARD_ZERO, x) == x;
}

double accordi_flushed(enum accord_format format, double x)
{
    double least = accordi_power_of_two(accordi_formats[format].min_exponent);
    return fabs(x) < least ? copysign(0, x) : x;
}

static double sum_wide(enum accord_format format, enum accord_rounding rounding,
                       const accordi_factors *f, size_t count)
{
    accord_exact_wide sum;
    bool zero = true, all_negative = true, some_negative = false;
    accord_exact_wide_init(&sum);
    for (size_t i = 0; i < count; i++) {
        bool negative = signbit(f[i].a) != signbit(f[i].b);
        all_negative = all_negative && negative;
        some_negative = some_negative || negative;
        zero = zero && (f[i].a == 0 || f[i].b == 0);
        accord_exact_wide_add_product_f64(&sum, f[i].a, f[i].b);
    }
    if (zero) /* downward, -0 wins over +0 (IEEE 754-2019, 6.3) */
        return (rounding == ACCORD_DOWN ? some_negative : all_negative) ? -0.0 : 0.0;
    return accordi_exact_value(accordi_exact_of_wide(&sum), format, rounding);
}

/* The sum of what is not finite; false if all is finite. */
static bool not_finite(const accordi_factors *f, size_t count, double *sum)
{
    bool any = false;
    *sum = 0;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(f[i].a) || !isfinite(f[i].b)) {
            *sum += f[i].a * f[i].b;
            any = true;
        }
    return any;
}

/* The product as one double or two, appended; false near the ends of the range. */
static bool split_product(accordi_factors f, double *part, size_t *parts)
{
    double high = f.a * f.b;
    if (f.b != 1 && high != 0 && (fabs(high) < 0x1p-900 || fabs(high) > 0x1p1000))
        return false;
    if (high == 0 && f.a != 0 && f.b != 0)
        return false;
    double low = f.b == 1 ? 0 : fma(f.a, f.b, -high);
    part[(*parts)++] = high;
    if (low != 0)
        part[(*parts)++] = low;
    return true;
}

double accordi_sum_products(enum accord_format format, enum accord_rounding rounding,
                            const accordi_factors *f, size_t count)
{
    double part[2 * FEW], sum; /* not filled: that takes longer than two products do */
    size_t parts = 0;
    if (not_finite(f, count, &sum))
        return accord_format_round(format, rounding, sum);
    bool few = count <= FEW;
    for (size_t i = 0; few && i < count; i++)
        few = split_product(f[i], part, &parts);
    if (!few)
        return sum_wide(format, rounding, f, count);
    if (parts == 2 && accordi_holds(format, part[0]) && accordi_holds(format, part[1]))
        return accord_format_add(format, rounding, part[0], part[1]);
    return accordi_exact_sum(format, rounding, part, parts);
}

double accordi_round_product(enum accord_format format, enum accord_rounding rounding, double a,
                             double b)
{
    if (b == 1)
        return accord_format_round(format, rounding, a);
    if (format == ACCORD_F64 && rounding == ACCORD_NEAREST_EVEN)
        return a * b;
    return accordi_sum_products(format, rounding, &(accordi_factors){a, b}, 1);
}

/* Of a finite x != 0, so that the significand has its 53rd bit. */
static accordi_parts normal_parts(double x)
{
    accordi_parts parts = accordi_split(x);
    int shift = __builtin_clzll(parts.significand) - 11;
    return (accordi_parts){parts.significand << shift, parts.exponent - shift};
}

double accordi_round_quotient(enum accord_format format, enum accord_rounding rounding, double a,
                              double b)
{
    if (!isfinite(a) || !isfinite(b) || a == 0 || b == 0)
        return accord_format_round(format, rounding, a / b);
    accordi_parts p = normal_parts(a), q = normal_parts(b);
    uint128 over = (uint128)p.significand << 74;
    return accordi_round_wide(format, rounding, signbit(a) != signbit(b), over / q.significand,
                              p.exponent - q.exponent - 74, over % q.significand != 0);
}

double accordi_round_root(enum accord_format format, enum accord_rounding rounding, double x)
{
    if (!(x > 0) || isinf(x))
        return accord_format_round(format, rounding, sqrt(x));
    accordi_parts p = normal_parts(x);
    int exponent = p.exponent - 52, even = exponent & 1;
    uint128 square = (uint128)p.significand << (74 + even), root = accordi_root(square);
    return accordi_round_wide(format, rounding, false, root, (exponent - even - 74) / 2,
                              root * root != square);
}
