/* One operation on intervals, as a model lets it round.
 *
 * In: the values of the operands. Out: the value of the result, with an evaluation for each end.
 * Rounding, sums and fused products are monotone in each operand, and in the exact product, so the
 * extremes stand at the corners; a product that is not yet rounded travels as the two pairs of
 * factors whose exact products are extreme. NaN is treated separately: it arises where infinities
 * of opposite signs meet, or 0 and an infinity. An end that would be NaN is left out. */
#include "bound/arithmetic.h"
#include "bound/bound.h"
#include <math.h>

accordi_value accordi_value_leaf(accordi_bounds *b, uint32_t node)
{
    const accordi_node *n = &b->expression->node[node];
    accordi_value v = accordi_value_nan(n->format);
    v.nan = false;
    accordi_value_lower(&v, n->low, accordi_way_value(b, node, n->low));
    accordi_value_raise(&v, n->high,
                        n->low == n->high ? v.low_way : accordi_way_value(b, node, n->high));
    if (b->options.model & ACCORD_BOUND_EXCESS) {
        accordi_value_lower(&v, n->wide_low, ACCORDI_NO_WAY);
        accordi_value_raise(&v, n->wide_high, ACCORDI_NO_WAY);
    }
    accordi_value_finish(b, &v);
    return v;
}

static accordi_way negative(accordi_bounds *b, enum accord_format format, accordi_way way)
{
    const accordi_step *step = way == ACCORDI_NO_WAY ? NULL : &b->ways.step[way];
    if (step && step->operation == ACCORD_BOUND_NEGATE)
        return step->operand[0];
    return accordi_way_apply(b, ACCORD_BOUND_NEGATE, format, way, 0, 0);
}

static accordi_pair negative_pair(accordi_bounds *b, enum accord_format format,
                                  const accordi_pair *p)
{
    return (accordi_pair){-p->x, p->y, negative(b, format, p->way_x), p->way_y};
}

accordi_value accordi_value_negate(accordi_bounds *b, const accordi_value *v)
{
    accordi_value out = *v;
    if (accordi_value_empty(v))
        return out;
    out.low = -v->high;
    out.high = -v->low;
    out.low_way = negative(b, v->format, v->high_way);
    out.high_way = v->high_way == v->low_way ? out.low_way : negative(b, v->format, v->low_way);
    if (v->product) {
        out.least = negative_pair(b, v->format, &v->greatest);
        out.greatest = negative_pair(b, v->format, &v->least);
    }
    return out;
}

/* ---- sums ---- */

double accordi_bound_fuse(const accordi_bounds *b, const accordi_value *product,
                          const accordi_value *sum, bool high)
{
    const accordi_pair *p = high ? &product->greatest : &product->least;
    return accordi_do_fuse(b, product->format, high ? accordi_up(b) : accordi_down(b), p->x, p->y,
                           high ? sum->high : sum->low);
}

void accordi_value_fuse(accordi_bounds *b, const accordi_value *product, const accordi_value *sum,
                        accordi_value *out)
{
    if (!product->product)
        return;
    const accordi_pair *least = &product->least, *greatest = &product->greatest;
    double low = accordi_bound_fuse(b, product, sum, false);
    double high = accordi_bound_fuse(b, product, sum, true);
    if (low < out->low)
        accordi_value_lower(out, low,
                            accordi_way_apply(b, ACCORD_BOUND_FMA, out->format, least->way_x,
                                              least->way_y, sum->low_way));
    if (high > out->high)
        accordi_value_raise(out, high,
                            accordi_way_apply(b, ACCORD_BOUND_FMA, out->format, greatest->way_x,
                                              greatest->way_y, sum->high_way));
}

bool accordi_value_opposite(const accordi_value *v, const accordi_value *w)
{
    return (v->high == (double)INFINITY && w->low == (double)-INFINITY) ||
           (v->low == (double)-INFINITY && w->high == (double)INFINITY);
}

accordi_value accordi_value_add(accordi_bounds *b, const accordi_value *one,
                                const accordi_value *two)
{
    enum accord_format f = accordi_value_wider(one, two);
    accordi_value v = accordi_value_widen(b, *one, f), w = accordi_value_widen(b, *two, f),
                  out = accordi_value_nan(f);
    out.correlated = v.correlated || w.correlated;
    if (accordi_value_empty(&v) || accordi_value_empty(&w))
        return out;
    double low = accordi_do_add(b, f, accordi_down(b), v.low, w.low);
    double high = accordi_do_add(b, f, accordi_up(b), v.high, w.high);
    out.nan = v.nan || w.nan || accordi_value_opposite(&v, &w);
    if (!isnan(low))
        accordi_value_lower(&out, low,
                            accordi_way_apply(b, ACCORD_BOUND_ADD, f, v.low_way, w.low_way, 0));
    if (!isnan(high))
        accordi_value_raise(&out, high,
                            accordi_way_apply(b, ACCORD_BOUND_ADD, f, v.high_way, w.high_way, 0));
    accordi_value_fuse(b, &v, &w, &out);
    accordi_value_fuse(b, &w, &v, &out);
    out.fused = v.product || w.product;
    accordi_value_finish(b, &out);
    return accordi_product_sum(b, &v, &w, out);
}

/* ---- products ---- */

bool accordi_value_zero_times_infinity(const accordi_value *v, const accordi_value *w)
{
    bool zero_v = v->low <= 0 && v->high >= 0, zero_w = w->low <= 0 && w->high >= 0;
    bool infinite_v = isinf(v->low) || isinf(v->high), infinite_w = isinf(w->low) || isinf(w->high);
    return (zero_v && infinite_w) || (zero_w && infinite_v);
}

/* 0 times infinity is left out: beside it the corners still hold all products. */
static void offer(const accordi_bounds *b, accordi_pair p, bool *any, accordi_pair *least,
                  accordi_pair *greatest)
{
    if (isnan(p.x * p.y))
        return;
    if (!*any || accordi_do_compare(b, p.x, p.y, least->x, least->y) < 0)
        *least = p;
    if (!*any || accordi_do_compare(b, p.x, p.y, greatest->x, greatest->y) > 0)
        *greatest = p;
    *any = true;
}

/* [-inf, inf] times 0 has no corner that is a number. */
void accordi_value_corners(const accordi_bounds *b, const accordi_value *v, const accordi_value *w,
                           bool square, accordi_pair *least, accordi_pair *greatest)
{
    const accordi_pair corner[4] = {{v->low, w->low, v->low_way, w->low_way},
                                    {v->high, w->high, v->high_way, w->high_way},
                                    {v->low, w->high, v->low_way, w->high_way},
                                    {v->high, w->low, v->high_way, w->low_way}};
    const accordi_pair zero = {0, 0, ACCORDI_NO_WAY, ACCORDI_NO_WAY};
    bool any = false;
    for (unsigned i = 0; i < (square ? 2 : 4); i++)
        offer(b, corner[i], &any, least, greatest);
    if (!any)
        *least = *greatest = zero;
    if (square && v->low < 0 && v->high > 0)
        *least = zero;
}

void accordi_value_round(accordi_bounds *b, accordi_value *v)
{
    const accordi_pair *least = &v->least, *greatest = &v->greatest;
    v->low = accordi_do_multiply(b, v->format, accordi_down(b), least->x, least->y);
    v->high = accordi_do_multiply(b, v->format, accordi_up(b), greatest->x, greatest->y);
    v->low_way =
        accordi_way_apply(b, ACCORD_BOUND_MULTIPLY, v->format, least->way_x, least->way_y, 0);
    v->high_way =
        accordi_way_apply(b, ACCORD_BOUND_MULTIPLY, v->format, greatest->way_x, greatest->way_y, 0);
    v->product = b->fuses;
    accordi_value_finish(b, v);
}

accordi_value accordi_value_multiply(accordi_bounds *b, const accordi_value *v,
                                     const accordi_value *w, bool square)
{
    accordi_value out = accordi_value_nan(accordi_value_wider(v, w));
    out.correlated = v->correlated || w->correlated;
    if (accordi_value_empty(v) || accordi_value_empty(w))
        return out;
    out.nan = v->nan || w->nan || (!square && accordi_value_zero_times_infinity(v, w));
    if (out.nan && accordi_value_point(v) && accordi_value_point(w) &&
        accordi_value_zero_times_infinity(v, w))
        return out;
    accordi_value_corners(b, v, w, square, &out.least, &out.greatest);
    accordi_value_round(b, &out);
    return out;
}
