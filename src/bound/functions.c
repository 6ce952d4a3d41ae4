/* Elementary functions, by a table: monotone ones by the ends of the interval, sine and cosine by
 * whether an extreme lies between them, powers by corners.
 *
 * In: an interval. Out: one that holds what any library gives whose results err by function_ulp
 * units in the last place. The function itself is taken from this machine's library in f64, which
 * errs by less than HOST units; what is below the least of the format may be any subnormal near. */
#include "bound/arithmetic.h"
#include "bound/bound.h"
#include <float.h>
#include <math.h>

enum { HOST = 4 };

/* `least`, `most`: the domain; what lies outside gives NaN. */
typedef struct function_row {
    double (*call)(double x);
    int slope; /* 1: grows, -1: falls, 0: sine and cosine */
    double least, most;
} function_row;

static const function_row rows[ACCORD_BOUND_OPERATIONS] = {
    [ACCORD_BOUND_EXP] = {exp, 1, -INFINITY, INFINITY},
    [ACCORD_BOUND_EXP2] = {exp2, 1, -INFINITY, INFINITY},
    [ACCORD_BOUND_EXPM1] = {expm1, 1, -INFINITY, INFINITY},
    [ACCORD_BOUND_LOG] = {log, 1, 0, INFINITY},
    [ACCORD_BOUND_LOG2] = {log2, 1, 0, INFINITY},
    [ACCORD_BOUND_LOG10] = {log10, 1, 0, INFINITY},
    [ACCORD_BOUND_LOG1P] = {log1p, 1, -1, INFINITY},
    [ACCORD_BOUND_CBRT] = {cbrt, 1, -INFINITY, INFINITY},
    [ACCORD_BOUND_SINH] = {sinh, 1, -INFINITY, INFINITY},
    [ACCORD_BOUND_TANH] = {tanh, 1, -INFINITY, INFINITY},
    [ACCORD_BOUND_ASINH] = {asinh, 1, -INFINITY, INFINITY},
    [ACCORD_BOUND_ATAN] = {atan, 1, -INFINITY, INFINITY},
    [ACCORD_BOUND_ASIN] = {asin, 1, -1, 1},
    [ACCORD_BOUND_ACOS] = {acos, -1, -1, 1},
    [ACCORD_BOUND_ERF] = {erf, 1, -INFINITY, INFINITY},
    [ACCORD_BOUND_SIN] = {sin, 0, -DBL_MAX, DBL_MAX},
    [ACCORD_BOUND_COS] = {cos, 0, -DBL_MAX, DBL_MAX},
};

/* Half the distance of numbers near x, or more: x * 2^-p, at least that of subnormal numbers. */
static double unit(const accord_format_info *row, double x)
{
    return fmax(ldexp(fabs(x), 1 - row->precision), row->least);
}

/* x lies off by `ulp` units of the format, and by those of the host. */
static double outward(const accordi_bounds *b, enum accord_format f, double x, bool high)
{
    const accord_format_info *row = accord_format_get(f);
    if (isinf(x))
        return x > 0 && !high ? row->greatest : x < 0 && high ? -row->greatest : x;
    double slack =
        b->options.function_ulp * unit(row, x) + HOST * unit(accord_format_get(ACCORD_F64), x);
    double end = high ? accordi_above(x + slack) : accordi_below(x - slack);
    return accord_format_round(f, high ? ACCORD_UP : ACCORD_DOWN, end);
}

static void hold(const accordi_bounds *b, double x, accordi_value *out)
{
    accordi_value_lower(out, outward(b, out->format, x, false), ACCORDI_NO_WAY);
    accordi_value_raise(out, outward(b, out->format, x, true), ACCORDI_NO_WAY);
}

/* Whether (k + 1/2) pi of sine, or k pi of cosine, with (-1)^k of the sign lies in [low, high], or
 * so near that this is not certain. */
static bool has_extreme(bool cosine, bool high, double low, double high_end)
{
    const double pi = 0x1.921fb54442d18p+1;
    double shift = (cosine ? 0 : 0.5) + (high ? 0 : 1), slack = 0x1p-40;
    return floor((high_end / pi - shift) / 2 + slack) >= ceil((low / pi - shift) / 2 - slack);
}

static void wave(const accordi_bounds *b, bool cosine, double low, double high, accordi_value *out)
{
    bool far = fabs(low) > 0x1p10 || fabs(high) > 0x1p10;
    if (low != high && (far || has_extreme(cosine, false, low, high)))
        hold(b, -1, out);
    if (low != high && (far || has_extreme(cosine, true, low, high)))
        hold(b, 1, out);
}

static accordi_value power(accordi_bounds *b, const accordi_node *node)
{
    const accordi_value *v = &b->value[node->operand[0]], *w = &b->value[node->operand[1]];
    accordi_value out = accordi_value_nan(node->format);
    bool nan = v->nan || w->nan;
    if (accordi_value_empty(v) || accordi_value_empty(w))
        return accordi_value_any(node->format, true); /* pow(1, NaN) and pow(NaN, 0) are 1 */
    bool square = accordi_value_point(w) && w->low == 2;
    if (!square && (v->low <= 0 || isinf(v->high) || isinf(w->low) || isinf(w->high)))
        return accordi_value_any(node->format, true);
    for (int i = 0; i < 4; i++)
        hold(b, pow(i & 1 ? v->high : v->low, i & 2 ? w->high : w->low), &out);
    if (square && v->low < 0 && v->high > 0)
        hold(b, 0, &out);
    if (nan && w->low <= 0 && w->high >= 0)
        hold(b, 1, &out);
    if (nan && v->low <= 1 && v->high >= 1)
        hold(b, 1, &out);
    out.nan = nan;
    if (square && b->through) { /* it may be compiled as a product */
        accordi_value x = accordi_value_widen(b, *v, node->format);
        accordi_value product = accordi_value_multiply(b, &x, &x, true);
        accordi_value_join(&product, &out);
        product.product = true;
        return product;
    }
    return out;
}

accordi_value accordi_value_function(accordi_bounds *b, const accordi_node *node)
{
    const function_row *row = &rows[node->operation];
    const accordi_value *v = &b->value[node->operand[0]];
    accordi_value out = accordi_value_nan(node->format);
    if (node->operation == ACCORD_BOUND_POW)
        return power(b, node);
    out.nan = v->nan || v->low < row->least || v->high > row->most;
    if (accordi_value_empty(v) || v->high < row->least || v->low > row->most)
        return out;
    double low = fmax(v->low, row->least), high = fmin(v->high, row->most);
    hold(b, row->call(low), &out);
    hold(b, row->call(high), &out);
    if (row->slope == 0)
        wave(b, node->operation == ACCORD_BOUND_COS, low, high, &out);
    return out;
}
