/* All operations but sums and products: quotients, roots, conversions, and products that a power of
 * two scales.
 *
 * In: the values of the operands. Out: that of the node. A divisor that may be 0 gives anything,
 * for the sign of a zero is not known. */
#include "bound/arithmetic.h"
#include "bound/bound.h"
#include <math.h>

static accordi_value divide(accordi_bounds *b, const accordi_value *v, const accordi_value *w)
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

static accordi_value root(accordi_bounds *b, const accordi_value *v)
{
    accordi_value out = accordi_value_nan(v->format);
    out.nan = v->nan || v->low < 0;
    if (accordi_value_empty(v) || v->high < 0)
        return out;
    double low = accordi_do_root(b, v->format, accordi_down(b), v->low < 0 ? 0 : v->low);
    double high = accordi_do_root(b, v->format, accordi_up(b), v->high);
    accordi_way way = v->low < 0 ? ACCORDI_NO_WAY : v->low_way;
    accordi_value_lower(&out, low, accordi_way_apply(b, ACCORD_BOUND_SQRT, v->format, way, 0, 0));
    accordi_value_raise(&out, high,
                        accordi_way_apply(b, ACCORD_BOUND_SQRT, v->format, v->high_way, 0, 0));
    return out;
}

static accordi_value absolute(accordi_bounds *b, const accordi_value *v)
{
    accordi_value out = accordi_value_nan(v->format), other = accordi_value_negate(b, v);
    if (accordi_value_empty(v))
        return out;
    out.nan = v->nan;
    const accordi_value *far = -v->low > v->high ? &other : v;
    accordi_value_raise(&out, far->high,
                        accordi_way_apply(b, ACCORD_BOUND_ABS, v->format,
                                          far == v ? v->high_way : v->low_way, 0, 0));
    const accordi_value *near = v->high < 0 ? &other : v;
    accordi_value_lower(&out, near->low < 0 ? 0 : near->low,
                        near->low < 0
                            ? ACCORDI_NO_WAY
                            : accordi_way_apply(b, ACCORD_BOUND_ABS, v->format,
                                                near == v ? v->low_way : v->high_way, 0, 0));
    return out;
}

/* fmin and fmax: of a NaN and a number the number. */
static accordi_value select_one(accordi_bounds *b, const accordi_value *v, const accordi_value *w,
                                enum accord_bound_operation operation)
{
    enum accord_format f = accordi_value_wider(v, w);
    bool least = operation == ACCORD_BOUND_MINIMUM;
    accordi_value out = accordi_value_nan(f);
    out.nan = v->nan && w->nan;
    if (v->nan)
        accordi_value_join(&out, w);
    if (w->nan)
        accordi_value_join(&out, v);
    out.nan = v->nan && w->nan;
    if (accordi_value_empty(v) || accordi_value_empty(w))
        return out;
    double low = least ? fmin(v->low, w->low) : fmax(v->low, w->low);
    double high = least ? fmin(v->high, w->high) : fmax(v->high, w->high);
    accordi_value_lower(&out, low, accordi_way_apply(b, operation, f, v->low_way, w->low_way, 0));
    accordi_value_raise(&out, high,
                        accordi_way_apply(b, operation, f, v->high_way, w->high_way, 0));
    return out;
}

static accordi_value convert(accordi_bounds *b, const accordi_value *v, enum accord_format format)
{
    const accord_format_info *from = accord_format_get(v->format), *to = accord_format_get(format);
    accordi_value out = *v;
    bool holds = from->precision <= to->precision && from->max_exponent <= to->max_exponent &&
                 from->least >= to->least;
    out.format = format;
    out.product = v->product && b->through && holds;
    if (accordi_value_empty(v))
        return out;
    out.low = accordi_do_round(b, format, accordi_down(b), v->low);
    out.high = accordi_do_round(b, format, accordi_up(b), v->high);
    out.low_way = accordi_way_apply(b, ACCORD_BOUND_CONVERT, format, v->low_way, 0, 0);
    out.high_way = accordi_way_apply(b, ACCORD_BOUND_CONVERT, format, v->high_way, 0, 0);
    return out;
}

static accordi_value fma_written(accordi_bounds *b, const accordi_value *v, const accordi_value *w,
                                 const accordi_value *c)
{
    accordi_value product = *v;
    accordi_value out = accordi_value_nan(accordi_value_wider(v, w));
    if (accordi_value_empty(v) || accordi_value_empty(w) || accordi_value_empty(c))
        return out;
    product.format = out.format = accordi_value_wider(&out, c);
    product.product = true;
    accordi_value_corners(b, v, w, false, &product.least, &product.greatest);
    bool zero = accordi_value_zero_times_infinity(v, w);
    if (zero)
        return accordi_value_any(out.format, true);
    /* the exact product is infinite only if a factor is */
    accordi_value exact = *v;
    exact.low = product.least.x * product.least.y;
    exact.high = product.greatest.x * product.greatest.y;
    bool infinite = isinf(v->low) || isinf(v->high) || isinf(w->low) || isinf(w->high);
    out.nan = v->nan || w->nan || c->nan || (infinite && accordi_value_opposite(&exact, c));
    accordi_value_fuse(b, &product, c, &out);
    return out;
}

/* ---- products that stay products ---- */

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
        accordi_value_keep_scaled(b, v, scale_w, &out);
        accordi_value_keep_scaled(b, w, scale_v, &out);
    }
    return out;
}

/* v / 2^k is v * 2^-k. */
accordi_value accordi_value_quotient(accordi_bounds *b, const accordi_value *v,
                                     const accordi_value *w, double power)
{
    accordi_value out = divide(b, v, w);
    if (power == 0 || !b->through || accordi_value_empty(v))
        return out;
    accordi_way way = accordi_way_value(b, UINT32_MAX, 1 / power);
    accordi_pair low = {v->low, 1 / power, v->low_way, way};
    accordi_pair high = {v->high, 1 / power, v->high_way, way};
    out.least = power > 0 ? low : high;
    out.greatest = power > 0 ? high : low;
    out.product = true;
    accordi_value_keep_scaled(b, v, 1 / power, &out);
    return out;
}

static accordi_value assigned(const accordi_bounds *b, const accordi_value *v)
{
    accordi_value out = *v;
    out.product = v->product && b->through;
    return out;
}

/* ---- all of them ---- */

accordi_value accordi_value_operand(const accordi_bounds *b, uint32_t node)
{
    accordi_value v = b->value[node];
    if (b->expression->node[node].uses > 1 && !accordi_value_point(&v))
        v.correlated = true;
    return v;
}

accordi_value accordi_value_operation(accordi_bounds *b, enum accord_bound_operation operation,
                                      enum accord_format format, const accordi_value v[3])
{
    accordi_value other;
    switch (operation) {
    case ACCORD_BOUND_ADD:
        return accordi_value_add(b, &v[0], &v[1]);
    case ACCORD_BOUND_SUBTRACT:
        other = accordi_value_negate(b, &v[1]);
        return accordi_value_add(b, &v[0], &other);
    case ACCORD_BOUND_MULTIPLY:
        return accordi_value_multiply(b, &v[0], &v[1], false);
    case ACCORD_BOUND_DIVIDE:
        return divide(b, &v[0], &v[1]);
    case ACCORD_BOUND_NEGATE:
        return accordi_value_negate(b, &v[0]);
    case ACCORD_BOUND_PARENTHESES:
        return v[0];
    case ACCORD_BOUND_ASSIGN:
        return assigned(b, &v[0]);
    case ACCORD_BOUND_CONVERT:
        return convert(b, &v[0], format);
    case ACCORD_BOUND_FMA:
        return fma_written(b, &v[0], &v[1], &v[2]);
    case ACCORD_BOUND_SQRT:
        return root(b, &v[0]);
    case ACCORD_BOUND_ABS:
        return absolute(b, &v[0]);
    case ACCORD_BOUND_MINIMUM:
    case ACCORD_BOUND_MAXIMUM:
        return select_one(b, &v[0], &v[1], operation);
    case ACCORD_BOUND_SELECT:
        return accordi_value_select(b, format, v);
    default:
        return accordi_value_compare(b, &v[0], &v[1], operation);
    }
}

accordi_value accordi_value_operate(accordi_bounds *b, const accordi_node *n,
                                    const accordi_value v[3])
{
    if (n->operation == ACCORD_BOUND_MULTIPLY)
        return accordi_value_scale(b, &v[0], &v[1], accordi_bound_power_of_two(b, n->operand[0]),
                                   accordi_bound_power_of_two(b, n->operand[1]),
                                   n->operand[0] == n->operand[1]);
    if (n->operation == ACCORD_BOUND_DIVIDE)
        return accordi_value_quotient(b, &v[0], &v[1],
                                      accordi_bound_power_of_two(b, n->operand[1]));
    if (n->operation >= ACCORD_BOUND_EXP && n->operation != ACCORD_BOUND_SELECT)
        return accordi_value_function(b, n, v);
    return accordi_value_operation(b, n->operation, n->format, v);
}

accordi_value accordi_value_apply(accordi_bounds *b, const accordi_node *node)
{
    accordi_value v[3] = {{0}};
    bool correlated = false;
    unsigned operands = accordi_bound_operands(node->operation);
    for (unsigned i = 0; i < operands; i++) {
        v[i] = accordi_value_operand(b, node->operand[i]);
        if (operands > 1 && accordi_bound_is_truth(b->expression, node->operand[i]))
            v[i].format = node->format;
        correlated |= v[i].correlated;
    }
    accordi_value out = accordi_value_operate(b, node, v);
    bool square =
        node->operation == ACCORD_BOUND_MULTIPLY && node->operand[0] == node->operand[1] &&
        b->expression->node[node->operand[0]].uses == 2 && !b->value[node->operand[0]].correlated;
    out.correlated = (out.correlated || correlated) && !square;
    accordi_value_finish(b, &out);
    return out;
}
