/* Functions of libm without rounding (fmod, remainder, ldexp, frexp, modf, copysign), fdim, and the
 * quotients and products of complex numbers.
 *
 * In: the shadows of the arguments. Out: an interval that holds the results for all numbers in
 * them. Functions that are continuous but for jumps (fmod, remainder) are exact at the ends where
 * no jump lies between them; else the interval is that of all their results. The integers that
 * frexp gives, and modf's integral part, are decisions: bounds hold as long as they stay. */
#include "bound/runtime/values.h"
#include <math.h>

/* ---- one argument or two ---- */

static double size_of(const accordi_value *v)
{
    return fmax(fabs(v->low), fabs(v->high));
}

/* The least size of a number in it. */
static double least_size(const accordi_value *v)
{
    return v->low <= 0 && v->high >= 0 ? 0 : fmin(fabs(v->low), fabs(v->high));
}

static bool is_infinite(const accordi_value *v)
{
    return isinf(v->low) || isinf(v->high);
}

static void set(accordi_value *out, double low, double high)
{
    out->low = low;
    out->high = high;
}

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
    double least = least_size(y), most = size_of(y) * (half ? .5 : 1);
    bool same = half ? size_of(x) <= least / 2 : size_of(x) < least;
    out->nan |= least == 0 || is_infinite(x);
    most = fmin(size_of(x), nextafter(most, INFINITY));
    if (same)
        set(out, x->low, x->high);
    else if (!is_infinite(x) && within_period(x, y) && f(x->low, y->low) <= f(x->high, y->low))
        set(out, f(x->low, y->low), f(x->high, y->low));
    else
        set(out, half || x->low < 0 ? -most : 0, half || x->high > 0 ? most : 0);
}

static void copy_sign(accordi_value *out, const accordi_value *x, const accordi_value *y)
{
    bool plus = y->low > 0 && !y->nan, minus = y->high < 0 && !y->nan;
    set(out, plus ? least_size(x) : -size_of(x), minus ? -least_size(x) : size_of(x));
}

static void positive_difference(accordi_value *out, const accordi_value *x, const accordi_value *y)
{
    accordi_bounds *b = accordi_settings();
    accordi_value minus = accordi_value_negate(b, y);
    *out = accordi_value_add(b, x, &minus);
    set(out, fmax(out->low, 0), fmax(out->high, 0));
}

/* The exponent is an integer, and so the same in all evaluations of this path. */
static void scale(accordi_value *out, const accordi_value *x, int64_t n)
{
    int by = n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n;
    bool narrow = x->format == ACCORD_F32;
    double low = narrow ? (double)ldexpf((float)x->low, by) : ldexp(x->low, by);
    double high = narrow ? (double)ldexpf((float)x->high, by) : ldexp(x->high, by);
    bool outward = accordi_settings()->outward && x->low != x->high;
    set(out, outward ? nextafter(low, -INFINITY) : low, outward ? nextafter(high, INFINITY) : high);
}

static void mantissa(accordi_value *out, const accordi_value *x, uint32_t site)
{
    int first, last;
    double low = frexp(x->low, &first), high = frexp(x->high, &last);
    if (!is_infinite(x) && first == last && low * high >= 0 && (low != 0) == (high != 0)) {
        set(out, low, high);
        return;
    }
    accordi_unstable(site, "conversion", x->low, x->high);
    set(out, x->low > 0 ? .5 : x->low < 0 ? -1 : 0, x->high > 0 ? 1 : x->high < 0 ? -.5 : 0);
    if (is_infinite(x))
        *out = accordi_value_any(x->format, true);
}

static void fraction(accordi_value *out, const accordi_value *x, uint32_t site)
{
    if (!is_infinite(x) && trunc(x->low) == trunc(x->high)) {
        set(out, x->low - trunc(x->low), x->high - trunc(x->high));
        return;
    }
    accordi_unstable(site, "conversion", x->low, x->high);
    set(out, x->low < 0 ? -1 : 0, x->high > 0 ? 1 : 0);
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

/* The value of a shadow; what is passed to a function is rounded. */
static accordi_value value_of(const accordi_shadow *a, bool narrow)
{
    accordi_value v = accordi_shadow_value(a, narrow ? ACCORD_F32 : ACCORD_F64);
    v.product = false;
    return v;
}

static void give(accordi_shadow *out, accordi_value *v)
{
    accordi_value_finish(accordi_settings(), v);
    *out = accordi_value_shadow(v);
}

void accordi_libm(accordi_shadow *out, const accordi_shadow *a, const accordi_shadow *b, int64_t n,
                  uint32_t what, uint32_t site, bool narrow)
{
    accordi_value x = value_of(a, narrow), y = value_of(b, narrow), r;
    if (accordi_shadow_is_lost(a) || accordi_shadow_is_lost(b)) {
        *out = accordi_shadow_is_lost(a) ? *a : *b;
        return;
    }
    r = accordi_value_nan(x.format);
    r.nan = false;
    if (!accordi_value_empty(&x) && (!accordi_value_empty(&y) || what == ACCORDI_COPY_SIGN))
        apply(&r, &x, &y, n, what, site);
    r.nan |= x.nan || (what != ACCORDI_COPY_SIGN && y.nan);
    give(out, &r);
    if (!accordi_value_is_finite(&r) && accordi_value_is_finite(&x) && accordi_value_is_finite(&y))
        accordi_becomes_infinite(site);
}

/* ---- complex numbers ---- */

typedef struct range {
    double low, high;
} range;

static range outward(double low, double high)
{
    return (range){nextafter(low, -INFINITY), nextafter(high, INFINITY)};
}

static range times(const accordi_value *x, const accordi_value *y)
{
    double p = x->low * y->low, q = x->low * y->high, r = x->high * y->low, s = x->high * y->high;
    return outward(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

static range square(const accordi_value *x)
{
    return outward(least_size(x) * least_size(x), size_of(x) * size_of(x));
}

/* x / y for y > 0, and the error of the function as a part of the size of the whole number. */
static range over(range x, range y)
{
    double low = x.low / (x.low < 0 ? y.low : y.high),
           high = x.high / (x.high > 0 ? y.low : y.high);
    return outward(low, high);
}

static double size_of_range(range r)
{
    return fmax(fabs(r.low), fabs(r.high));
}

static void widen(accordi_value *out, range r, double error)
{
    range all = outward(r.low - error, r.high + error);
    set(out, all.low, all.high);
    if (out->format == ACCORD_F32)
        set(out, (double)nextafterf((float)all.low, -INFINITY),
            (double)nextafterf((float)all.high, INFINITY));
}

/* Libraries divide in different ways: by the definition, by Smith's algorithm or its successors.
 * All err by a few units of the size of the quotient (Smith's by 6.5), if nothing overflows and the
 * divisor is not too small; underflows on the way add less than `slack`. */
static bool divide_complex(accordi_value out[2], const accordi_value v[4])
{
    bool narrow = v[0].format == ACCORD_F32;
    double limit = narrow ? 0x1p30 : 0x1p250, slack = narrow ? 0x1p-50 : 0x1p-500;
    double units = 16 * (narrow ? 0x1p-24 : 0x1p-53);
    range ac = times(&v[0], &v[2]), bd = times(&v[1], &v[3]), bc = times(&v[1], &v[2]),
          ad = times(&v[0], &v[3]), cc = square(&v[2]), dd = square(&v[3]);
    for (int i = 0; i < 4; i++)
        if (!(size_of(&v[i]) <= limit))
            return false;
    if (fmax(least_size(&v[2]), least_size(&v[3])) < 1 / limit)
        return false;
    range divisor = outward(fmax(cc.low, 0) + fmax(dd.low, 0), cc.high + dd.high);
    range re = over(outward(ac.low + bd.low, ac.high + bd.high), divisor);
    range im = over(outward(bc.low - ad.high, bc.high - ad.low), divisor);
    double error = units * (size_of_range(re) + size_of_range(im)) + slack;
    widen(&out[0], re, error);
    widen(&out[1], im, error);
    return true;
}

static bool multiply_complex(accordi_value out[2], const accordi_value v[4])
{
    accordi_bounds *b = accordi_settings();
    for (int i = 0; i < 4; i++)
        if (is_infinite(&v[i]))
            return false;
    accordi_value ac = accordi_value_multiply(b, &v[0], &v[2], false),
                  bd = accordi_value_multiply(b, &v[1], &v[3], false),
                  ad = accordi_value_multiply(b, &v[0], &v[3], false),
                  bc = accordi_value_multiply(b, &v[1], &v[2], false),
                  minus = accordi_value_negate(b, &bd);
    out[0] = accordi_value_add(b, &ac, &minus);
    out[1] = accordi_value_add(b, &ad, &bc);
    return true;
}

void accordi_complex(accordi_shadow *re, accordi_shadow *im, const accordi_shadow *a,
                     const accordi_shadow *b, const accordi_shadow *c, const accordi_shadow *d,
                     uint32_t what, uint32_t site)
{
    const accordi_shadow *given[] = {a, b, c, d};
    bool narrow = what & ACCORDI_COMPLEX_NARROW, known = true, finite = true;
    accordi_value v[4], out[2] = {accordi_value_any(narrow ? ACCORD_F32 : ACCORD_F64, true)};
    out[1] = out[0];
    for (int i = 0; i < 4; i++) {
        v[i] = value_of(given[i], narrow);
        known = known && !accordi_value_empty(&v[i]) && !v[i].nan;
        finite = finite && accordi_value_is_finite(&v[i]);
        if (accordi_shadow_is_lost(given[i])) {
            *re = *im = *given[i];
            return;
        }
    }
    if (accordi_model & ACCORD_BOUND_FAST) { /* the parts may be reordered with what follows */
        accordi_lose(re, site, "an operation of complex numbers under fast");
        *im = *re;
        return;
    }
    if (known && (what & ACCORDI_COMPLEX_DIVIDE ? divide_complex : multiply_complex)(out, v))
        out[0].nan = out[1].nan = false;
    give(re, &out[0]);
    give(im, &out[1]);
    if (finite && !(accordi_value_is_finite(&out[0]) && accordi_value_is_finite(&out[1])))
        accordi_becomes_infinite(site);
}
