/* Elementary functions, by a table: monotone ones by the ends of the interval, others also by
 * whether an extreme or a pole lies between them, those of two numbers by corners.
 *
 * In: an interval. Out: one that holds what any library gives whose results err by function_ulp
 * units in the last place. The function itself is taken from this machine's library in f64, which
 * errs by less than HOST units; what is below the least of the format may be any subnormal near. */
#include "bound/arithmetic.h"
#include "bound/bound.h"
#include <float.h>
#include <math.h>

/* VECTOR: under FAST, the functions of vectors of GNU's library (libmvec) err by 4 ulp at most. */
enum { HOST = 4, VECTOR = 4 };

/* `least`, `most`: the domain; what lies outside gives NaN. `ulp`: how many times as much as others
 * it may err, 0 for once. These are the greatest errors of GNU's library (libm-test-ulps). */
typedef struct function_row {
    double (*call)(double x);
    double least, most, ulp;
} function_row;

static double power_of_ten(double x)
{
    return pow(10, x);
}

static const function_row rows[ACCORD_BOUND_OPERATIONS] = {
    [ACCORD_BOUND_EXP] = {exp, -INFINITY, INFINITY, 0},
    [ACCORD_BOUND_EXP2] = {exp2, -INFINITY, INFINITY, 0},
    [ACCORD_BOUND_EXP10] = {power_of_ten, -INFINITY, INFINITY, 2},
    [ACCORD_BOUND_EXPM1] = {expm1, -INFINITY, INFINITY, 0},
    [ACCORD_BOUND_LOG] = {log, 0, INFINITY, 0},
    [ACCORD_BOUND_LOG2] = {log2, 0, INFINITY, 0},
    [ACCORD_BOUND_LOG10] = {log10, 0, INFINITY, 2},
    [ACCORD_BOUND_LOG1P] = {log1p, -1, INFINITY, 0},
    [ACCORD_BOUND_CBRT] = {cbrt, -INFINITY, INFINITY, 4},
    [ACCORD_BOUND_SINH] = {sinh, -INFINITY, INFINITY, 2},
    [ACCORD_BOUND_COSH] = {cosh, -INFINITY, INFINITY, 2},
    [ACCORD_BOUND_TANH] = {tanh, -INFINITY, INFINITY, 2},
    [ACCORD_BOUND_ASINH] = {asinh, -INFINITY, INFINITY, 2},
    [ACCORD_BOUND_ACOSH] = {acosh, 1, INFINITY, 2},
    [ACCORD_BOUND_ATANH] = {atanh, -1, 1, 2},
    [ACCORD_BOUND_ATAN] = {atan, -INFINITY, INFINITY, 0},
    [ACCORD_BOUND_ASIN] = {asin, -1, 1, 0},
    [ACCORD_BOUND_ACOS] = {acos, -1, 1, 0},
    [ACCORD_BOUND_ERF] = {erf, -INFINITY, INFINITY, 0},
    [ACCORD_BOUND_ERFC] = {erfc, -INFINITY, INFINITY, 5},
    [ACCORD_BOUND_LGAMMA] = {lgamma, -INFINITY, INFINITY, 8},
    [ACCORD_BOUND_TGAMMA] = {tgamma, -INFINITY, INFINITY, 10},
    [ACCORD_BOUND_SIN] = {sin, -DBL_MAX, DBL_MAX, 0},
    [ACCORD_BOUND_COS] = {cos, -DBL_MAX, DBL_MAX, 0},
    [ACCORD_BOUND_TAN] = {tan, -DBL_MAX, DBL_MAX, 0},
    [ACCORD_BOUND_ATAN2] = {NULL, 0, 0, 2},
};

/* How far a library may be off, and how far this machine's is, in units of f64. */
typedef struct errors {
    double ulp, host;
} errors;

static bool is_fast(const accordi_bounds *b)
{
    return b->options.model & (ACCORD_BOUND_FAST | ACCORD_BOUND_FAST_EXPAND);
}

static errors errors_of(const accordi_bounds *b, enum accord_bound_operation operation)
{
    double times = fmax(rows[operation].ulp, is_fast(b) ? VECTOR : 1);
    return (errors){b->options.function_ulp * times, fmax(HOST, times)};
}

/* Half the distance of numbers near x, or more: x * 2^-p, at least that of subnormal numbers. */
static double unit(const accord_format_info *row, double x)
{
    return fmax(ldexp(fabs(x), 1 - row->precision), row->least);
}

/* x lies off by units of the format, and by those of the host. */
static double outward(enum accord_format f, errors e, double x, bool high)
{
    const accord_format_info *row = accord_format_get(f);
    if (isinf(x))
        return x > 0 && !high ? row->greatest : x < 0 && high ? -row->greatest : x;
    double slack = e.ulp * unit(row, x) + e.host * unit(accord_format_get(ACCORD_F64), x);
    double end = high ? accordi_above(x + slack) : accordi_below(x - slack);
    return accord_format_round(f, high ? ACCORD_UP : ACCORD_DOWN, end);
}

static void hold(errors e, double x, accordi_value *out)
{
    accordi_value_lower(out, outward(out->format, e, x, false), ACCORDI_NO_WAY);
    accordi_value_raise(out, outward(out->format, e, x, true), ACCORDI_NO_WAY);
}

/* Whether (k + shift) pi with an even k lies in [low, high], or so near that this is not certain.
 */
static bool has_multiple(double shift, double low, double high)
{
    const double pi = 0x1.921fb54442d18p+1, slack = 0x1p-40;
    return fabs(low) > 0x1p10 || fabs(high) > 0x1p10 ||
           floor((high / pi - shift) / 2 + slack) >= ceil((low / pi - shift) / 2 - slack);
}

/* Sine is 1 at pi/2 and -1 at 3/2 pi, cosine at 0 and at pi. */
static void wave(errors e, double first, double low, double high, accordi_value *out)
{
    if (has_multiple(first, low, high))
        hold(e, 1, out);
    if (has_multiple(first + 1, low, high))
        hold(e, -1, out);
}

/* From 0 to infinity both functions fall and then grow. */
static bool is_gamma(enum accord_bound_operation operation)
{
    return operation == ACCORD_BOUND_LGAMMA || operation == ACCORD_BOUND_TGAMMA;
}

static void least_gamma(errors e, enum accord_bound_operation operation, double low, double high,
                        accordi_value *out)
{
    const double where = 0x1.762d86356be3fp+0, slack = 0x1p-40;
    if (low < where + slack && high > where - slack)
        hold(e, operation == ACCORD_BOUND_LGAMMA ? lgamma(where) : tgamma(where), out);
}

/* Extremes between two different ends. */
static void turn(errors e, enum accord_bound_operation operation, double low, double high,
                 accordi_value *out)
{
    if (operation == ACCORD_BOUND_SIN)
        wave(e, 0.5, low, high, out);
    else if (operation == ACCORD_BOUND_COS)
        wave(e, 0, low, high, out);
    else if (operation == ACCORD_BOUND_COSH && low < 0 && high > 0)
        hold(e, 1, out);
    else if (is_gamma(operation))
        least_gamma(e, operation, low, high, out);
    else if (operation == ACCORD_BOUND_TAN &&
             (has_multiple(0.5, low, high) || has_multiple(1.5, low, high)))
        *out = accordi_value_any(out->format, out->nan);
}

/* ---- of two numbers: the four corners ---- */

static void corners(double call(double x, double y), errors e, const accordi_value *v,
                    const accordi_value *w, accordi_value *out)
{
    for (int i = 0; i < 4; i++)
        hold(e, call(i & 1 ? v->high : v->low, i & 2 ? w->high : w->low), out);
}

/* Under FAST it may be done by products, a reciprocal and a root, and that of a constant x as
 * exp(y * log(x)), where the product errs by 2 units of y * log(x). */
static errors power_errors(const accordi_bounds *b, const accordi_value *v, const accordi_value *w)
{
    const accord_bound_options *o = &b->options;
    errors e = errors_of(b, ACCORD_BOUND_POW);
    double most = fmax(fabs(w->low), fabs(w->high));
    if (is_fast(b))
        e.ulp += most + o->reciprocal_ulp + 1;
    if (is_fast(b) && accordi_value_point(v) && v->low > 0)
        e.ulp += 2 * most * fabs(log(v->low));
    return e;
}

/* Such products may leave the range where the result does not. */
static bool may_leave_range(const accordi_bounds *b, const accordi_value *w,
                            const accordi_value *out)
{
    const accord_format_info *row = accord_format_get(out->format);
    double least = ldexp(8, row->min_exponent);
    return is_fast(b) && w->low < 0 &&
           ((out->low < least && out->high > -least) || out->high > row->greatest / 8 ||
            out->low < -row->greatest / 8);
}

/* Is the power defined by corners (and 0)? A negative number has powers of one integer only. */
static bool has_corners(const accordi_value *v, const accordi_value *w)
{
    bool integer = accordi_value_point(w) && w->low == rint(w->low) && isfinite(w->low);
    if (v->low > 0)
        return integer || (isfinite(v->high) && isfinite(w->low) && isfinite(w->high));
    return integer && (w->low > 0 || v->high < 0);
}

static accordi_value power(accordi_bounds *b, const accordi_node *node, const accordi_value *v,
                           const accordi_value *w)
{
    accordi_value out = accordi_value_nan(node->format);
    bool nan = v->nan || w->nan, point = accordi_value_point(w);
    if (accordi_value_empty(v) || accordi_value_empty(w) || !has_corners(v, w))
        return accordi_value_any(node->format, true); /* pow(1, NaN) and pow(NaN, 0) are 1 */
    const errors e = power_errors(b, v, w);
    corners(pow, e, v, w, &out);
    if (v->low < 0 && v->high > 0)
        hold(e, 0, &out);
    if (may_leave_range(b, w, &out))
        return accordi_value_any(node->format, true);
    if (nan && ((w->low <= 0 && w->high >= 0) || (v->low <= 1 && v->high >= 1)))
        hold(e, 1, &out);
    out.nan = nan;
    if (point && w->low == 2 && b->through) { /* it may be compiled as a product */
        accordi_value x = accordi_value_widen(b, *v, node->format);
        accordi_value product = accordi_value_multiply(b, &x, &x, true);
        accordi_value_join(&product, &out);
        product.product = true;
        return product;
    }
    return out;
}

/* From 0 on it grows with the size of either. hypot(inf, NaN) is infinite. */
static accordi_value hypotenuse(accordi_bounds *b, enum accord_format f, const accordi_value *v,
                                const accordi_value *w)
{
    accordi_value out = accordi_value_nan(f), one = *v, two = *w;
    out.nan = v->nan || w->nan;
    if (accordi_value_empty(v) || accordi_value_empty(w) || out.nan)
        return accordi_value_any(f, true);
    one.low = v->low > 0 || v->high < 0 ? fmin(fabs(v->low), fabs(v->high)) : 0;
    one.high = fmax(fabs(v->low), fabs(v->high));
    two.low = w->low > 0 || w->high < 0 ? fmin(fabs(w->low), fabs(w->high)) : 0;
    two.high = fmax(fabs(w->low), fabs(w->high));
    corners(hypot, errors_of(b, ACCORD_BOUND_HYPOT), &one, &two, &out);
    return out;
}

/* Where the ray of negative x is not met, it is monotone along both axes. */
static accordi_value angle(accordi_bounds *b, enum accord_format f, const accordi_value *y,
                           const accordi_value *x)
{
    accordi_value out = accordi_value_nan(f);
    errors e = errors_of(b, ACCORD_BOUND_ATAN2);
    const double pi = 0x1.921fb54442d18p+1;
    out.nan = y->nan || x->nan;
    if (accordi_value_empty(y) || accordi_value_empty(x))
        return out;
    if (y->low <= 0 && y->high >= 0 && x->low <= 0) {
        hold(e, -pi, &out);
        hold(e, pi, &out);
    } else {
        corners(atan2, e, y, x, &out);
    }
    return out;
}

/* ---- all of them ---- */

static accordi_value to_integers(accordi_bounds *b, const accordi_node *node,
                                 const accordi_value *v)
{
    double (*call)(double) = accordi_integer_function(node->operation);
    enum accord_format f = node->format;
    accordi_value out = accordi_value_nan(f);
    out.nan = v->nan;
    if (accordi_value_empty(v))
        return out;
    accordi_value_lower(&out, call(v->low),
                        accordi_way_apply(b, node->operation, f, v->low_way, 0, 0));
    accordi_value_raise(&out, call(v->high),
                        accordi_way_apply(b, node->operation, f, v->high_way, 0, 0));
    /* Large products of integers are left as they are. */
    if (fmax(fabs(v->low), fabs(v->high)) >= ldexp(1, accord_format_get(f)->precision - 1))
        accordi_product_of_either(b, v, &out, &out);
    return out;
}

static accordi_value of_one(const accordi_bounds *b, const accordi_node *node,
                            const accordi_value *v)
{
    const function_row *row = &rows[node->operation];
    errors e = errors_of(b, node->operation);
    accordi_value out = accordi_value_nan(node->format);
    out.nan = v->nan || v->low < row->least || v->high > row->most;
    if (accordi_value_empty(v) || v->high < row->least || v->low > row->most)
        return out;
    double low = fmax(v->low, row->least), high = fmin(v->high, row->most);
    if (is_gamma(node->operation) && low <= 0)
        return accordi_value_any(node->format, true);
    hold(e, row->call(low), &out);
    hold(e, row->call(high), &out);
    if (low != high)
        turn(e, node->operation, low, high, &out);
    return out;
}

accordi_value accordi_value_function(accordi_bounds *b, const accordi_node *node,
                                     const accordi_value v[3])
{
    switch (node->operation) {
    case ACCORD_BOUND_POW:
        return power(b, node, &v[0], &v[1]);
    case ACCORD_BOUND_HYPOT:
        return hypotenuse(b, node->format, &v[0], &v[1]);
    case ACCORD_BOUND_ATAN2:
        return angle(b, node->format, &v[0], &v[1]);
    default:
        return accordi_integer_function(node->operation) ? to_integers(b, node, &v[0])
                                                         : of_one(b, node, &v[0]);
    }
}
