/* Functions of libm without rounding (fmod, remainder, ldexp, frexp, modf, copysign), and fdim.
 *
 * In: the shadows of the arguments. Out: an interval that holds the results for all numbers in
 * them. Functions that are continuous but for jumps (fmod, remainder) are exact at the ends where
 * no jump lies between them; else the interval is that of all their results. The integers that
 * frexp gives, and modf's integral part, are decisions: bounds hold as long as they stay. */
#include "bound/runtime/values.h"
#include <math.h>

/* ---- one argument or two ---- */

/* Do both numbers lie less than one period apart? */
static bool within_period(const accordi_value *x, const accordi_value *y)
{
    return y->low == y->high && nextafter(x->high - x->low, INFINITY) < fabs(y->low);
}

/* `half`: remainder, whose results are at most half of y; else fmod. In one period the function
 * grows but for one jump down, after which it is less than before. */
static void divide_whole(accordi_value *out, const accordi_value *x, const accordi_value *y,
                         bool half)
{
    double (*f)(double, double) = half ? remainder : fmod;
    double least = accordi_value_least_size(y), most = accordi_value_size(y) * (half ? .5 : 1);
    bool same = half ? accordi_value_size(x) <= least / 2 : accordi_value_size(x) < least;
    out->nan |= least == 0 || accordi_value_is_infinite(x);
    most = fmin(accordi_value_size(x), nextafter(most, INFINITY));
    if (same)
        accordi_value_set(out, x->low, x->high);
    else if (!accordi_value_is_infinite(x) && within_period(x, y) &&
             f(x->low, y->low) <= f(x->high, y->low))
        accordi_value_set(out, f(x->low, y->low), f(x->high, y->low));
    else
        accordi_value_set(out, half || x->low < 0 ? -most : 0, half || x->high > 0 ? most : 0);
}

static void copy_sign(accordi_value *out, const accordi_value *x, const accordi_value *y)
{
    bool plus = y->low > 0 && !y->nan, minus = y->high < 0 && !y->nan;
    accordi_value_set(out, plus ? accordi_value_least_size(x) : -accordi_value_size(x),
                      minus ? -accordi_value_least_size(x) : accordi_value_size(x));
    accordi_value other = accordi_value_negate(accordi_settings(), x);
    accordi_product_of_either(accordi_settings(), x, &other, out);
}

static void positive_difference(accordi_value *out, const accordi_value *x, const accordi_value *y)
{
    accordi_bounds *b = accordi_settings();
    accordi_value minus = accordi_value_negate(b, y);
    *out = accordi_value_add(b, x, &minus);
    accordi_value_set(out, fmax(out->low, 0), fmax(out->high, 0));
}

/* The exponent is an integer, and so the same in all evaluations of this path. By a small one,
 * ldexp may be compiled as a product. */
static void scale(accordi_value *out, const accordi_value *x, int64_t n)
{
    if (-64 <= n && n <= 64) {
        accordi_value power = *x;
        power.nan = power.product = false;
        power.low = power.high = ldexp(1, (int)n);
        *out = accordi_value_scale(accordi_settings(), x, &power, 0, power.low, false);
        return;
    }
    int by = n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n;
    bool narrow = x->format == ACCORD_F32;
    double low = narrow ? (double)ldexpf((float)x->low, by) : ldexp(x->low, by);
    double high = narrow ? (double)ldexpf((float)x->high, by) : ldexp(x->high, by);
    bool outward = accordi_settings()->outward && x->low != x->high;
    accordi_value_set(out, outward ? nextafter(low, -INFINITY) : low,
                      outward ? nextafter(high, INFINITY) : high);
}

static void mantissa(accordi_value *out, const accordi_value *x, uint32_t site)
{
    int first, last;
    double low = frexp(x->low, &first), high = frexp(x->high, &last);
    if (!accordi_value_is_infinite(x) && first == last && low * high >= 0 &&
        (low != 0) == (high != 0)) {
        accordi_value_set(out, low, high);
        return;
    }
    accordi_unstable(site, "conversion", x->low, x->high);
    accordi_value_set(out,
                      x->low > 0   ? .5
                      : x->low < 0 ? -1
                                   : 0,
                      x->high > 0   ? 1
                      : x->high < 0 ? -.5
                                    : 0);
    if (accordi_value_is_infinite(x))
        *out = accordi_value_any(x->format, true);
}

static void fraction(accordi_value *out, const accordi_value *x, uint32_t site)
{
    if (!accordi_value_is_infinite(x) && trunc(x->low) == trunc(x->high)) {
        accordi_value_set(out, x->low - trunc(x->low), x->high - trunc(x->high));
        return;
    }
    accordi_unstable(site, "conversion", x->low, x->high);
    accordi_value_set(out, x->low < 0 ? -1 : 0, x->high > 0 ? 1 : 0);
}

static void apply(accordi_value *out, const accordi_value *x, const accordi_value *y, int64_t n,
                  uint32_t what, uint32_t site)
{
    switch (what) {
    case ACCORDI_FMOD:
    case ACCORDI_REMAINDER:
        divide_whole(out, x, y, what == ACCORDI_REMAINDER);
        break;
    case ACCORDI_COPY_SIGN:
        copy_sign(out, x, y);
        break;
    case ACCORDI_POSITIVE_DIFFERENCE:
        positive_difference(out, x, y);
        break;
    case ACCORDI_LDEXP:
        scale(out, x, n);
        break;
    case ACCORDI_FREXP:
        mantissa(out, x, site);
        break;
    default:
        fraction(out, x, site);
    }
}

void accordi_libm(accordi_shadow *out, const accordi_shadow *a, const accordi_shadow *b, int64_t n,
                  uint32_t what, uint32_t site, bool narrow)
{
    enum accord_format format = narrow ? ACCORD_F32 : ACCORD_F64;
    accordi_value x = accordi_shadow_value(a, format), y = accordi_shadow_value(b, format), r;
    if (accordi_shadow_is_lost(a) || accordi_shadow_is_lost(b)) {
        if (what == ACCORDI_FREXP) /* the exponent is an integer */
            accordi_unstable(site, "conversion", -INFINITY, INFINITY);
        *out = accordi_shadow_is_lost(a) ? *a : *b;
        return;
    }
    r = accordi_value_nan(x.format);
    r.nan = false;
    if (!accordi_value_empty(&x) && (!accordi_value_empty(&y) || what == ACCORDI_COPY_SIGN))
        apply(&r, &x, &y, n, what, site);
    r.nan |= x.nan || (what != ACCORDI_COPY_SIGN && y.nan);
    accordi_value_give(out, &r);
    if (!accordi_value_is_finite(&r) && accordi_value_is_finite(&x) && accordi_value_is_finite(&y))
        accordi_becomes_infinite(site);
}
