/* Products and quotients that powers of two scale, and fma where it is a sum or a product.
 *
 * In: the values of the operands. Out: that of the result, with the extreme exact products that it
 * may stand for. */
#include "bound/arithmetic.h"
#include "bound/bound.h"
#include <math.h>

/* ---- powers of two ---- */

double accordi_bound_power_of_two(const accordi_bounds *b, uint32_t node)
{
    const accordi_node *n = &b->expression->node[node];
    double sign = 1, narrowest = 0;
    int exponent;
    for (; n->operation == ACCORD_BOUND_PARENTHESES || n->operation == ACCORD_BOUND_NEGATE ||
           n->operation == ACCORD_BOUND_CONVERT;
         n = &b->expression->node[n->operand[0]]) {
        sign = n->operation == ACCORD_BOUND_NEGATE ? -sign : sign;
        narrowest = fmax(narrowest, n->operation == ACCORD_BOUND_CONVERT && n->format != ACCORD_F64
                                        ? 1 - accord_format_get(n->format)->min_exponent
                                        : 0);
    }
    if (n->operation != ACCORD_BOUND_VALUE || n->name || n->low != n->high ||
        frexp(fabs(n->low), &exponent) != 0.5 || exponent < -63 || exponent > 65)
        return 0;
    return narrowest > 0 && abs(exponent) > 13 ? 0 : sign * n->low;
}

/* A pair whose product is that of p times `scale`; where no pair of f64 has it, both are so small,
 * or so large, that every sum rounds alike with a pair that is nearly as small or large. */
static accordi_pair scaled(accordi_bounds *b, enum accord_format f, const accordi_pair *p,
                           double scale)
{
    accordi_way by = accordi_way_value(b, UINT32_MAX, scale);
    accordi_pair out = *p;
    out.x = p->x * scale;
    out.y = p->y * scale;
    if (out.y / scale == p->y)
        return (accordi_pair){p->x, out.y, p->way_x,
                              accordi_way_apply(b, ACCORD_BOUND_MULTIPLY, f, p->way_y, by, 0)};
    if (out.x / scale == p->x)
        return (accordi_pair){
            out.x, p->y, accordi_way_apply(b, ACCORD_BOUND_MULTIPLY, f, p->way_x, by, 0), p->way_y};
    double extreme = fabs(scale) < 1 ? 0x1p-1000 : 0x1p1000;
    return (accordi_pair){copysign(extreme, p->x * scale), copysign(extreme, p->y), ACCORDI_NO_WAY,
                          ACCORDI_NO_WAY};
}

void accordi_value_keep_scaled(accordi_bounds *b, const accordi_value *v, double scale,
                               accordi_value *w)
{
    if (!v->product || !b->through || scale == 0)
        return;
    accordi_pair least = scaled(b, w->format, scale > 0 ? &v->least : &v->greatest, scale);
    accordi_pair greatest = scaled(b, w->format, scale > 0 ? &v->greatest : &v->least, scale);
    if (accordi_do_compare(b, least.x, least.y, w->least.x, w->least.y) < 0)
        w->least = least;
    if (accordi_do_compare(b, greatest.x, greatest.y, w->greatest.x, w->greatest.y) > 0)
        w->greatest = greatest;
}

accordi_value accordi_value_scale(accordi_bounds *b, const accordi_value *v, const accordi_value *w,
                                  double scale_v, double scale_w, bool square)
{
    accordi_value out = accordi_value_multiply(b, v, w, square);
    if (!accordi_value_empty(&out)) {
        accordi_value_keep_scaled(b, v, scale_w == 0 ? accordi_value_unit(b, w) : scale_w, &out);
        accordi_value_keep_scaled(b, w, scale_v == 0 ? accordi_value_unit(b, v) : scale_v, &out);
    }
    return out;
}

/* A divisor that may be 0 gives anything, for the sign of a zero is not known. */
accordi_value accordi_value_divide(accordi_bounds *b, const accordi_value *v,
                                   const accordi_value *w)
{
    enum accord_format f = accordi_value_wider(v, w);
    accordi_value out = accordi_value_nan(f);
    bool infinite_v = isinf(v->low) || isinf(v->high), infinite_w = isinf(w->low) || isinf(w->high);
    bool nan = v->nan || w->nan || (infinite_v && infinite_w);
    if (accordi_value_empty(v) || accordi_value_empty(w))
        return out;
    if (w->low <= 0 && w->high >= 0)
        return accordi_value_any(f, nan || (v->low <= 0 && v->high >= 0));
    for (unsigned i = 0; i < 4; i++) {
        double x = i & 1 ? v->high : v->low, y = i & 2 ? w->high : w->low;
        double low = accordi_do_divide(b, f, accordi_down(b), x, y);
        double high = accordi_do_divide(b, f, accordi_up(b), x, y);
        accordi_way way =
            accordi_way_apply(b, ACCORD_BOUND_DIVIDE, f, i & 1 ? v->high_way : v->low_way,
                              i & 2 ? w->high_way : w->low_way, 0);
        if (isnan(low)) { /* infinity by infinity: anything of that sign, or more */
            out = accordi_value_any(f, true);
            break;
        }
        accordi_value_lower(&out, low, way);
        accordi_value_raise(&out, high, way);
    }
    out.nan = nan;
    return out;
}

/* v / 2^k is v * 2^-k. */
accordi_value accordi_value_quotient(accordi_bounds *b, const accordi_value *v,
                                     const accordi_value *w, double power)
{
    accordi_value out = accordi_value_divide(b, v, w);
    double divisor = accordi_value_point(w) && !w->nan ? w->low : 0, scale = 1 / divisor;
    int exponent;
    if (!b->through || accordi_value_empty(v) || divisor == 0 || !isfinite(scale) ||
        frexp(fabs(divisor), &exponent) != 0.5)
        return out;
    accordi_way way = accordi_way_value(b, UINT32_MAX, scale);
    accordi_pair low = {v->low, scale, v->low_way, way};
    accordi_pair high = {v->high, scale, v->high_way, way};
    out.least = scale > 0 ? low : high;
    out.greatest = scale > 0 ? high : low;
    out.product = true;
    accordi_value_keep_scaled(b, v, power == 0 ? accordi_value_unit(b, w) : scale, &out);
    return out;
}

bool accordi_product_fma(accordi_bounds *b, const accordi_value *v, const accordi_value *w,
                         const accordi_value *c, accordi_value *out)
{
    const accordi_value *one = accordi_value_unit(b, v) != 0 ? v : w, *other = one == v ? w : v;
    if (!b->through)
        return false;
    if (accordi_value_unit(b, one) != 0) {
        accordi_value term =
            accordi_value_unit(b, one) < 0 ? accordi_value_negate(b, other) : *other;
        term = accordi_value_widen(b, term, accordi_value_wider(v, w));
        *out = accordi_value_add(b, &term, c);
        return true;
    }
    if (accordi_value_is_zero(c) &&
        accord_format_get(c->format)->bits <= accord_format_get(v->format)->bits) {
        *out = accordi_value_multiply(b, v, w, false);
        return true;
    }
    return false;
}
