/* Values: what a node can be, and what products it may stand for.
 *
 * Under CONTRACT a product stays one through operations that a compiler leaves out, since they give
 * back an operand, or of which it makes another product. gcc and clang do so
 * (tests/bound/test_bound_fusion.py). A constant that the compiler knows is one number here, too,
 * so an operand that is the number 1, -1 or 0 counts as known. */
#include "bound/arithmetic.h"
#include "bound/bound.h"
#include <math.h>

accordi_value accordi_value_nan(enum accord_format format)
{
    return (accordi_value){.low = INFINITY,
                           .high = -INFINITY,
                           .low_way = ACCORDI_NO_WAY,
                           .high_way = ACCORDI_NO_WAY,
                           .nan = true,
                           .format = format};
}

accordi_value accordi_value_any(enum accord_format format, bool nan)
{
    accordi_value v = accordi_value_nan(format);
    v.low = -INFINITY;
    v.high = INFINITY;
    v.nan = nan;
    return v;
}

void accordi_value_lower(accordi_value *v, double end, accordi_way way)
{
    if (end < v->low || (end == v->low && v->low_way == ACCORDI_NO_WAY)) {
        v->low = end;
        v->low_way = way;
    }
}

void accordi_value_raise(accordi_value *v, double end, accordi_way way)
{
    if (end > v->high || (end == v->high && v->high_way == ACCORDI_NO_WAY)) {
        v->high = end;
        v->high_way = way;
    }
}

void accordi_value_join(accordi_value *v, const accordi_value *more)
{
    accordi_value_lower(v, more->low, more->low_way);
    accordi_value_raise(v, more->high, more->high_way);
    v->nan |= more->nan;
    v->correlated |= more->correlated;
    v->fused |= more->fused;
    v->product = false;
}

/* With flushing, what is at most the least normal number in size may be 0. */
static void flush(accordi_value *v)
{
    double least = ldexp(1, accord_format_get(v->format)->min_exponent);
    if (v->low > 0 && v->low <= least)
        v->low = 0;
    if (v->high < 0 && v->high >= -least)
        v->high = 0;
}

void accordi_value_finish(const accordi_bounds *b, accordi_value *v)
{
    if (b->flushes)
        flush(v);
    if (v->low != v->high)
        return;
    if (v->low_way == ACCORDI_NO_WAY)
        v->low_way = v->high_way;
    if (v->high_way == ACCORDI_NO_WAY)
        v->high_way = v->low_way;
}

/* The wider of both, which holds the values of either. */
enum accord_format accordi_value_wider(const accordi_value *v, const accordi_value *w)
{
    return accord_format_get(v->format)->bits < accord_format_get(w->format)->bits ? w->format
                                                                                   : v->format;
}

accordi_value accordi_value_widen(const accordi_bounds *b, accordi_value v,
                                  enum accord_format format)
{
    v.product = v.product && (b->through || v.format == format);
    v.format = format;
    return v;
}

/* ---- products ---- */

double accordi_value_unit(const accordi_bounds *b, const accordi_value *v)
{
    return b->through && accordi_value_point(v) && !v->nan && fabs(v->low) == 1 ? v->low : 0;
}

/* As a product, which may still enter a sum: v itself is v * 1. */
static accordi_value as_product(accordi_bounds *b, const accordi_value *v)
{
    accordi_value out = *v;
    accordi_way one = accordi_way_value(b, UINT32_MAX, 1);
    if (v->product || accordi_value_empty(v))
        return out;
    out.product = true;
    out.least = (accordi_pair){v->low, 1, v->low_way, one};
    out.greatest = (accordi_pair){v->high, 1, v->high_way, one};
    return out;
}

accordi_value accordi_value_either(accordi_bounds *b, const accordi_value *v,
                                   const accordi_value *w)
{
    bool product = b->through && (v->product || w->product) && !accordi_value_empty(v) &&
                   !accordi_value_empty(w);
    accordi_value out = *v, one = as_product(b, v), two = as_product(b, w);
    accordi_value_join(&out, w);
    out.product = product;
    if (!product)
        return out;
    bool lower = accordi_do_compare(b, two.least.x, two.least.y, one.least.x, one.least.y) < 0;
    bool higher =
        accordi_do_compare(b, two.greatest.x, two.greatest.y, one.greatest.x, one.greatest.y) > 0;
    out.least = lower ? two.least : one.least;
    out.greatest = higher ? two.greatest : one.greatest;
    return out;
}

void accordi_product_of(const accordi_bounds *b, const accordi_value *v, accordi_value *out)
{
    if (!v->product || !b->through || accordi_value_empty(out))
        return;
    out->product = true;
    out->least = v->least;
    out->greatest = v->greatest;
}

void accordi_product_of_either(accordi_bounds *b, const accordi_value *v, const accordi_value *w,
                               accordi_value *out)
{
    accordi_value both = accordi_value_either(b, v, w);
    accordi_product_of(b, &both, out);
}

bool accordi_value_is_zero(const accordi_value *v)
{
    return v->low == 0 && v->high == 0 && !v->nan;
}

/* x + x may be compiled as x * 2, which differs where it overflows. Intervals that are equal may be
 * those of one variable. */
static void double_up(accordi_bounds *b, const accordi_value *v, const accordi_value *w,
                      accordi_value *out)
{
    accordi_value x = *v;
    if (v->low != w->low || v->high != w->high || isinf(v->low) || isinf(v->high) ||
        (isfinite(out->low) && isfinite(out->high)))
        return;
    x.product = true;
    x.least = (accordi_pair){v->low, 2, ACCORDI_NO_WAY, ACCORDI_NO_WAY};
    x.greatest = (accordi_pair){v->high, 2, ACCORDI_NO_WAY, ACCORDI_NO_WAY};
    x.low = out->low;
    x.high = out->high;
    x.low_way = x.high_way = ACCORDI_NO_WAY;
    *out = accordi_value_either(b, out, &x);
}

accordi_value accordi_product_sum(accordi_bounds *b, const accordi_value *v, const accordi_value *w,
                                  accordi_value sum)
{
    if (!b->through || accordi_value_empty(&sum))
        return sum;
    if (accordi_value_is_zero(w))
        accordi_product_of(b, v, &sum);
    else if (accordi_value_is_zero(v))
        accordi_product_of(b, w, &sum);
    else
        double_up(b, v, w, &sum);
    return sum;
}
