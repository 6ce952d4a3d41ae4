/* Products, quotients and functions of complex numbers.
 *
 * In: the shadows of the parts of one number or two. Out: intervals for both parts of the result,
 * or any numbers where an argument is not finite. */
#include "bound/runtime/values.h"
#include <complex.h>
#include <math.h>
#include <string.h>

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
    return outward(accordi_value_least_size(x) * accordi_value_least_size(x),
                   accordi_value_size(x) * accordi_value_size(x));
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
    accordi_value_set(out, all.low, all.high);
    if (out->format == ACCORD_F32)
        accordi_value_set(out, (double)nextafterf((float)all.low, -INFINITY),
                          (double)nextafterf((float)all.high, INFINITY));
}

/* Libraries divide in different ways: by the definition, by Smith's algorithm or its successors.
 * All err by a few units of the size of the quotient (Smith's by 6.5), if nothing overflows and the
 * divisor is not too small; underflows on the way add less than `slack`. */
static bool divide_complex(accordi_value out[2], const accordi_value v[4], bool longer)
{
    bool narrow = v[0].format == ACCORD_F32;
    double limit = narrow ? 0x1p30 : 0x1p250, slack = narrow ? 0x1p-50 : 0x1p-500;
    double units = 16 * (narrow ? 0x1p-24 : longer ? 0x1p-64 : 0x1p-53);
    range ac = times(&v[0], &v[2]), bd = times(&v[1], &v[3]), bc = times(&v[1], &v[2]),
          ad = times(&v[0], &v[3]), cc = square(&v[2]), dd = square(&v[3]);
    for (int i = 0; i < 4; i++)
        if (!(accordi_value_size(&v[i]) <= limit))
            return false;
    if (fmax(accordi_value_least_size(&v[2]), accordi_value_least_size(&v[3])) < 1 / limit)
        return false;
    range divisor = outward(fmax(cc.low, 0) + fmax(dd.low, 0), cc.high + dd.high);
    range re = over(outward(ac.low + bd.low, ac.high + bd.high), divisor);
    range im = over(outward(bc.low - ad.high, bc.high - ad.low), divisor);
    double error = units * (size_of_range(re) + size_of_range(im)) + slack;
    widen(&out[0], re, error);
    widen(&out[1], im, error);
    out[0].nan = out[1].nan = false;
    return true;
}

/* The parts are sums of products, which may be fused. Where one overflows, some libraries look for
 * the infinity that was meant. */
static bool multiply(accordi_bounds *b, accordi_value out[2], const accordi_value v[4])
{
    accordi_value ac = accordi_value_multiply(b, &v[0], &v[2], false),
                  bd = accordi_value_multiply(b, &v[1], &v[3], false),
                  ad = accordi_value_multiply(b, &v[0], &v[3], false),
                  bc = accordi_value_multiply(b, &v[1], &v[2], false),
                  minus = accordi_value_negate(b, &bd);
    if (!accordi_value_is_finite(&ac) || !accordi_value_is_finite(&bd) ||
        !accordi_value_is_finite(&ad) || !accordi_value_is_finite(&bc))
        return false;
    out[0] = accordi_value_add(b, &ac, &minus);
    out[1] = accordi_value_add(b, &ad, &bc);
    return true;
}

/* ---- functions ---- */

/* They are taken to be computed from the functions of real numbers, in any arithmetic that is at
 * least as good as that of the format, or so that each part errs by UNITS in the last place at
 * most. Intervals that are rounded outward hold the real values and all of these. */
enum { UNITS = 8 };

static accordi_bounds *exactly(void)
{
    accordi_bounds *b = accordi_settings();
    b->outward = true;
    return b;
}

static bool multiply_complex(accordi_value out[2], const accordi_value v[4], bool longer)
{
    return multiply(longer ? exactly() : accordi_settings(), out, v);
}

static accordi_value of(enum accord_bound_operation operation, const accordi_value *x,
                        const accordi_value *y)
{
    const accordi_node node = {.operation = operation, .format = x->format};
    const accordi_value v[3] = {*x, *y, *x};
    return accordi_value_function(exactly(), &node, v);
}

static accordi_value product(const accordi_value *x, const accordi_value *y)
{
    accordi_value out = accordi_value_multiply(exactly(), x, y, false);
    out.product = false;
    return out;
}

/* f(x) g(y) and g'(x) f'(y), negated if so said. */
static bool products(accordi_value out[2], const accordi_value v[4],
                     const enum accord_bound_operation f[4], bool minus)
{
    accordi_value a = of(f[0], &v[0], &v[0]), b = of(f[1], &v[1], &v[1]);
    accordi_value c = of(f[2], &v[0], &v[0]), d = of(f[3], &v[1], &v[1]);
    out[0] = product(&a, &b);
    out[1] = product(&c, &d);
    if (minus)
        out[1] = accordi_value_negate(exactly(), &out[1]);
    return true;
}

static bool complex_exp(accordi_value out[2], const accordi_value v[4], bool longer)
{
    (void)longer;
    static const enum accord_bound_operation f[] = {ACCORD_BOUND_EXP, ACCORD_BOUND_COS,
                                                    ACCORD_BOUND_EXP, ACCORD_BOUND_SIN};
    return products(out, v, f, false);
}

static bool complex_sin(accordi_value out[2], const accordi_value v[4], bool longer)
{
    (void)longer;
    static const enum accord_bound_operation f[] = {ACCORD_BOUND_SIN, ACCORD_BOUND_COSH,
                                                    ACCORD_BOUND_COS, ACCORD_BOUND_SINH};
    return products(out, v, f, false);
}

static bool complex_cos(accordi_value out[2], const accordi_value v[4], bool longer)
{
    (void)longer;
    static const enum accord_bound_operation f[] = {ACCORD_BOUND_COS, ACCORD_BOUND_COSH,
                                                    ACCORD_BOUND_SIN, ACCORD_BOUND_SINH};
    return products(out, v, f, true);
}

static bool complex_sinh(accordi_value out[2], const accordi_value v[4], bool longer)
{
    (void)longer;
    static const enum accord_bound_operation f[] = {ACCORD_BOUND_SINH, ACCORD_BOUND_COS,
                                                    ACCORD_BOUND_COSH, ACCORD_BOUND_SIN};
    return products(out, v, f, false);
}

static bool complex_cosh(accordi_value out[2], const accordi_value v[4], bool longer)
{
    (void)longer;
    static const enum accord_bound_operation f[] = {ACCORD_BOUND_COSH, ACCORD_BOUND_COS,
                                                    ACCORD_BOUND_SINH, ACCORD_BOUND_SIN};
    return products(out, v, f, false);
}

/* The upper or lower half of the plane, which meet the cut along negative real numbers from one
 * side; an imaginary part of 0 belongs to both. False: nothing of v lies there. */
static bool half_of(const accordi_value v[4], bool upper, accordi_value half[4])
{
    for (int i = 0; i < 4; i++)
        half[i] = v[i];
    if (upper ? v[1].high < 0 : v[1].low > 0)
        return false;
    if (upper && v[1].low <= 0)
        half[1].low = 0.;
    if (!upper && v[1].high >= 0)
        half[1].high = -0.;
    if (half[1].low == 0 && half[1].high == 0)
        half[1].low = half[1].high = upper ? 0. : -0.;
    return true;
}

static void hold(accordi_value *v, double x)
{
    v->low = fmin(v->low, x);
    v->high = fmax(v->high, x);
}

/* Each end outward by UNITS of its format. */
static void widen_units(accordi_value *v)
{
    double part = UNITS * (v->format == ACCORD_F32 ? 0x1p-23 : 0x1p-52);
    double least = v->format == ACCORD_F32 ? 0x1p-149 : 0x1p-1074;
    range r = outward(v->low - part * fabs(v->low) - UNITS * least,
                      v->high + part * fabs(v->high) + UNITS * least);
    accordi_value_set(v, accord_format_round(v->format, ACCORD_DOWN, r.low),
                      accord_format_round(v->format, ACCORD_UP, r.high));
}

/* In a half of the plane the angle is monotone along both axes. */
static accordi_value angle(const accordi_value v[4])
{
    const double pi = 0x1.921fb54442d18p+1;
    accordi_value out = accordi_value_nan(v[0].format);
    out.nan = false;
    for (int i = 0; i < 4; i++)
        hold(&out, atan2(i & 1 ? v[1].high : v[1].low, i & 2 ? v[0].high : v[0].low));
    if (v[0].low <= 0 && v[0].high >= 0 && v[1].low <= 0 && v[1].high >= 0) {
        hold(&out, 0); /* the sign of a real part that is 0 is not known */
        hold(&out, signbit(v[1].high) ? -pi : pi);
    }
    widen_units(&out);
    return out;
}

static bool half_log(accordi_value out[2], const accordi_value v[4])
{
    accordi_value size = of(ACCORD_BOUND_HYPOT, &v[0], &v[1]);
    out[0] = of(ACCORD_BOUND_LOG, &size, &size);
    out[1] = angle(v);
    return true;
}

/* C11's CMPLX, which clang 14 lacks with this C library; a complex number lies in memory as an
 * array of its parts (C11 6.2.5). */
static double complex complex_of(double real, double imaginary)
{
    const double parts[2] = {real, imaginary};
    double complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

/* From the real axis outward both parts grow in size, with the real number the first one grows and
 * the second one falls. */
static bool half_sqrt(accordi_value out[2], const accordi_value v[4])
{
    double near = accordi_value_least_size(&v[1]), far = accordi_value_size(&v[1]);
    bool upper = !signbit(v[1].low);
    double complex nearest = csqrt(complex_of(v[0].low, near)),
                   farthest = csqrt(complex_of(v[0].high, far));
    double complex flat = csqrt(complex_of(v[0].high, near)),
                   steep = csqrt(complex_of(v[0].low, far));
    accordi_value_set(&out[0], creal(nearest), creal(farthest));
    accordi_value_set(&out[1], cimag(flat), cimag(steep));
    if (!upper)
        accordi_value_set(&out[1], -cimag(steep), -cimag(flat));
    out[0].nan = out[1].nan = false;
    return true;
}

/* exp((c + d i) log(a + b i)) */
static bool half_pow(accordi_value out[2], const accordi_value v[4])
{
    accordi_value log[2], power[4];
    half_log(log, v);
    const accordi_value factors[4] = {v[2], v[3], log[0], log[1]};
    if (!accordi_value_is_finite(&log[0]) || !multiply(exactly(), power, factors))
        return false;
    power[0].product = power[1].product = false;
    return complex_exp(out, power, false);
}

static bool by_halves(bool half(accordi_value out[2], const accordi_value v[4]),
                      accordi_value out[2], const accordi_value v[4])
{
    accordi_value part[2] = {out[0], out[1]}, at[4];
    bool any = false;
    for (int upper = 0; upper < 2; upper++) {
        if (!half_of(v, upper, at))
            continue;
        part[0] = part[1] = accordi_value_any(v[0].format, true);
        if (!half(part, at))
            return false;
        for (int i = 0; i < 2 && any; i++)
            accordi_value_join(&out[i], &part[i]);
        for (int i = 0; i < 2 && !any; i++)
            out[i] = part[i];
        any = true;
    }
    return any;
}

static bool complex_log(accordi_value out[2], const accordi_value v[4], bool longer)
{
    (void)longer;
    return by_halves(half_log, out, v);
}
static bool complex_sqrt(accordi_value out[2], const accordi_value v[4], bool longer)
{
    (void)longer;
    return by_halves(half_sqrt, out, v);
}
static bool complex_pow(accordi_value out[2], const accordi_value v[4], bool longer)
{
    (void)longer;
    return by_halves(half_pow, out, v);
}

static bool complex_argument(accordi_value out[2], const accordi_value v[4], bool longer)
{
    (void)longer;
    accordi_value log[2] = {out[0], out[1]};
    bool known = by_halves(half_log, log, v);
    out[0] = log[1];
    return known;
}

/* Finite numbers stay as they are. */
static bool complex_projection(accordi_value out[2], const accordi_value v[4], bool longer)
{
    (void)longer;
    out[0] = v[0];
    out[1] = v[1];
    return true;
}

/* ---- all of them ---- */

static const struct {
    bool (*compute)(accordi_value out[2], const accordi_value v[4], bool longer);
    bool rounds; /* its parts are widened */
} rows[] = {
    [ACCORDI_COMPLEX_MULTIPLY] = {multiply_complex, false},
    [ACCORDI_COMPLEX_DIVIDE] = {divide_complex, false},
    [ACCORDI_COMPLEX_PROJECTION] = {complex_projection, false},
    [ACCORDI_COMPLEX_ARGUMENT] = {complex_argument, true},
    [ACCORDI_COMPLEX_EXP] = {complex_exp, true},
    [ACCORDI_COMPLEX_LOG] = {complex_log, true},
    [ACCORDI_COMPLEX_SQRT] = {complex_sqrt, true},
    [ACCORDI_COMPLEX_POW] = {complex_pow, true},
    [ACCORDI_COMPLEX_SIN] = {complex_sin, true},
    [ACCORDI_COMPLEX_COS] = {complex_cos, true},
    [ACCORDI_COMPLEX_SINH] = {complex_sinh, true},
    [ACCORDI_COMPLEX_COSH] = {complex_cosh, true},
};

static void compute(accordi_value out[2], const accordi_value v[4], uint32_t what, bool longer)
{
    accordi_value r[2] = {out[0], out[1]};
    if (!rows[what].compute(r, v, longer))
        return;
    for (int i = 0; i < 2; i++) {
        if (accordi_value_empty(&r[i]) || !accordi_value_is_finite(&r[i]))
            continue;
        if (rows[what].rounds)
            widen_units(&r[i]);
        out[i] = r[i];
    }
}

void accordi_complex(accordi_shadow *re, accordi_shadow *im, const accordi_shadow *a,
                     const accordi_shadow *b, const accordi_shadow *c, const accordi_shadow *d,
                     uint32_t what, uint32_t site, uint32_t width)
{
    bool narrow = width == ACCORDI_FLOAT;
    const accordi_shadow *given[] = {a, b, c, d};
    bool finite = true;
    accordi_value v[4], out[2] = {accordi_value_any(narrow ? ACCORD_F32 : ACCORD_F64, true)};
    out[1] = out[0];
    for (int i = 0; i < 4; i++) {
        v[i] = accordi_value_of(given[i], narrow);
        finite = finite && accordi_value_is_finite(&v[i]) && !accordi_value_empty(&v[i]);
        if (accordi_shadow_is_lost(given[i])) {
            *re = *im = *given[i];
            return;
        }
    }
    if (accordi_model & ACCORDI_WIDE) { /* the parts may be reordered with what follows */
        accordi_lose(re, site, "an operation of complex numbers under fast or loop");
        *im = *re;
        return;
    }
    if (finite)
        compute(out, v, what, width == ACCORDI_LONG);
    accordi_value_give(re, &out[0]);
    accordi_value_give(im, &out[1]);
    if (finite && !(accordi_value_is_finite(&out[0]) && accordi_value_is_finite(&out[1])))
        accordi_becomes_infinite(site);
}
