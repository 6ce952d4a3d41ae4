/* All operations but sums and products: quotients, roots, conversions, and the choice of one of
 * them.
 *
 * In: the values of the operands. Out: that of the node. A divisor that may be 0 gives anything,
 * for the sign of a zero is not known. */
#include "bound/arithmetic.h"
#include "bound/bound.h"
#include <math.h>

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
    if (v->low >= 0 || v->high <= 0) {
        accordi_product_of(b, v->low >= 0 ? v : &other, &out);
    } else {
        accordi_product_of_either(b, v, &other, &out);
        out.least = (accordi_pair){0, 0, ACCORDI_NO_WAY, ACCORDI_NO_WAY};
    }
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
    if (accordi_value_empty(v) || accordi_value_empty(w)) {
        accordi_product_of(b, accordi_value_empty(v) ? w : v, &out);
        return out;
    }
    double low = least ? fmin(v->low, w->low) : fmax(v->low, w->low);
    double high = least ? fmin(v->high, w->high) : fmax(v->high, w->high);
    accordi_value_lower(&out, low, accordi_way_apply(b, operation, f, v->low_way, w->low_way, 0));
    accordi_value_raise(&out, high,
                        accordi_way_apply(b, operation, f, v->high_way, w->high_way, 0));
    if (!v->nan && !w->nan && (v->high < w->low || w->high < v->low))
        accordi_product_of(b, (v->high < w->low) == least ? v : w, &out);
    else
        accordi_product_of_either(b, v, w, &out);
    return out;
}

static bool is_in(enum accord_format format, double x)
{
    return accord_format_round(format, ACCORD_NEAREST_EVEN, x) == x;
}

/* Compilers may turn a sum that is rounded to a wider format and then to this one into a sum in
 * this one, rounded once. With a product that enters it unrounded the result differs if the wider
 * sum lies midway between two numbers. */
static void round_once(accordi_bounds *b, const accordi_value *v, accordi_value *out)
{
    enum accord_format f = out->format;
    double above = accord_format_round(f, ACCORD_UP, v->low) - v->low;
    double below = v->high - accord_format_round(f, ACCORD_DOWN, v->high);
    if (!v->fused || !b->through)
        return;
    if (above > 0 && v->low - accord_format_round(f, ACCORD_DOWN, v->low) == above)
        accordi_value_lower(out, v->low - above, ACCORDI_NO_WAY);
    if (below > 0 && accord_format_round(f, ACCORD_UP, v->high) - v->high == below)
        accordi_value_raise(out, v->high + below, ACCORDI_NO_WAY);
}

/* A product of numbers of a narrower format, rounded twice, is the product rounded once. */
static accordi_value convert(accordi_bounds *b, const accordi_value *v, enum accord_format format)
{
    const accord_format_info *from = accord_format_get(v->format), *to = accord_format_get(format);
    accordi_value out = *v;
    bool holds = from->precision <= to->precision && from->max_exponent <= to->max_exponent &&
                 from->least >= to->least;
    out.format = format;
    out.product = v->product && b->through &&
                  (holds || (is_in(format, v->least.x) && is_in(format, v->least.y) &&
                             is_in(format, v->greatest.x) && is_in(format, v->greatest.y)));
    if (accordi_value_empty(v))
        return out;
    out.low = accordi_do_round(b, format, accordi_down(b), v->low);
    out.high = accordi_do_round(b, format, accordi_up(b), v->high);
    out.low_way = accordi_way_apply(b, ACCORD_BOUND_CONVERT, format, v->low_way, 0, 0);
    out.high_way = accordi_way_apply(b, ACCORD_BOUND_CONVERT, format, v->high_way, 0, 0);
    round_once(b, v, &out);
    return out;
}

static accordi_value fma_written(accordi_bounds *b, const accordi_value *v, const accordi_value *w,
                                 const accordi_value *c)
{
    accordi_value product = *v;
    accordi_value out = accordi_value_nan(accordi_value_wider(v, w));
    if (accordi_value_empty(v) || accordi_value_empty(w) || accordi_value_empty(c) ||
        accordi_product_fma(b, v, w, c, &out))
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
        return accordi_value_divide(b, &v[0], &v[1]);
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
