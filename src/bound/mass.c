/* Bounds for the model `fast` (-ffast-math): the sum of the magnitudes of all terms, times the
 * number of roundings.
 *
 * In: an expression. Out: an interval that every rewriting of the kinds that accord/bound.h lists
 * lies in; it is not known to be reached.
 *
 * Idea: each node carries an interval p of its real value, its mass m, which is the sum of the
 * sizes of its terms, and a number k of roundings that any of its terms meets at most, so that
 * every evaluation v obeys |v - p| <= gamma_k m + 3/2 D, gamma_k = k u / (1 - k u). A sum of n
 * terms meets max k + n - 1, a product k_a + k_b + 1. A product with a sum among its factors counts
 * as two terms of the sum around it, for it may be distributed over that sum. Factoring does not
 * add to that: x a + x b meets 2, and so does x (a + b). Expanded completely there are n terms of
 * degree d: n - 1 + d - 1. Each format has masses of its own: where formats meet, what is narrower
 * is an interval.
 *
 * Underflow adds D. A result that underflows errs by e besides, at most the least number or, where
 * it is flushed, the least normal one. What multiplies this error later on is the product of the
 * other factors. In x y as written, D_x meets y, which is at most m_y + D_y, and D_y meets x. A
 * product that is put together anew, of `length` factors at most, has length - 1 products, or twice
 * as many in two terms; what multiplies e is at most G, which bounds every product of some of the
 * factors. So
 *
 *     D(x y) = D_x (m_y + D_y) + D_y m_x + (length_x + length_y - 1) e G_x G_y,
 *     D(x + y) = D_x + D_y, and e G where it is flushed: other sums that underflow are exact.
 *
 * A product that is distributed over a sum x may use two values of y, where y is an interval: D
 * also counts half its width times m_x.
 *
 * A factor that is taken out of a sum is one product instead of several, and what multiplies its
 * error is the sum of what multiplied theirs, so each term keeps its share. Roundings that follow
 * make v - p at most gamma_k m + (1 + gamma_k) D, and gamma_k is less than 0.4. In a recurrence D
 * grows like the numbers.
 *
 * G of a leaf is its size, or 1; of a product, G_x G_y. When all of a sum's factors are taken out,
 * the terms left may be as large as all G together; through t nested sums of n terms this is n^t,
 * which no compiler will do. So G of a sum is at most `cap` times the larger of 1 and its mass: the
 * fourth root of the greatest number. It is assumed that factors are not moved into sums, or out of
 * them, where more than that is left, which is beyond underflow and overflow as written. Where G is
 * out of the range, anything may come out.
 *
 * A divisor and a radicand are intervals, and what is made of them has the error of a reciprocal,
 * once more for each product or quotient that they consist of, or may after common factors are
 * taken out; S bounds products of divisors from below. Everything is rounded up. */
#include "bound/mass.h"
#include "bound/arithmetic.h"
#include <math.h>

/* A result that is kept wider and rounded twice errs by a little more than half a unit. */
accordi_mass_rules accordi_mass_rules_of(const accordi_bounds *b, enum accord_format f)
{
    const accord_format_info *row = accord_format_get(f);
    double normal = ldexp(1, row->min_exponent);
    int range = ilogb(row->greatest) + 1;
    return (accordi_mass_rules){.unit = ldexp(1 + 0x1p-10, -row->precision),
                                .tiny = row->least,
                                .flush = b->flushes ? normal : 0,
                                .normal = normal,
                                .cap = ldexp(1, range / 4),
                                .greatest = row->greatest,
                                .expands = b->options.model & ACCORD_BOUND_FAST_EXPAND};
}

accordi_mass accordi_mass_of(const accordi_bounds *b, const accordi_value *v)
{
    accordi_mass_rules r = accordi_mass_rules_of(b, v->format);
    accordi_mass out = accordi_mass_point(&r, (accordi_ends){-v->low, v->high});
    out.any |= v->nan || accordi_value_empty(v);
    return out;
}

accordi_value accordi_mass_interval(const accordi_bounds *b, enum accord_format f,
                                    const accordi_mass *x)
{
    accordi_mass_rules r = accordi_mass_rules_of(b, f);
    double far = accordi_mass_deviation(&r, x);
    accordi_value v = accordi_value_any(f, isinf(far));
    if (isinf(far))
        return v;
    accordi_ends end = accordi_mass_sum_up(x->p, (accordi_ends){far, far});
    v.low = accord_format_round(f, ACCORD_DOWN, -end[0]);
    v.high = accord_format_round(f, ACCORD_UP, end[1]);
    return v;
}

/* ---- quotients and roots ---- */

/* One term, with the error of an approximation for each factor that it is made of. */
static void leaf_of(accordi_mass *out, double error)
{
    out->k = error + out->factors * (error + 1);
    out->terms = out->all = 1;
    out->apart = 0;
    out->degree = 1 + out->k;
    out->length++;
}

/* Each factor may become one by itself, and then be multiplied. */
static double underflow_of(const accordi_bounds *b, enum accord_format f, const accordi_mass *out)
{
    accordi_mass_rules r = accordi_mass_rules_of(b, f);
    return accordi_mass_raised(2 * out->length * fmax(r.tiny, r.flush) * out->G) + 0x1p-1072;
}

accordi_mass accordi_mass_reciprocal(const accordi_bounds *b, const accordi_value *y,
                                     const accordi_mass *of)
{
    double error = 2 * b->options.reciprocal_ulp;
    double near = fmin(fabs(y->low), fabs(y->high));
    accordi_mass out = *of;
    out.any = of->any || y->nan || accordi_value_empty(y) || (y->low <= 0 && y->high >= 0) ||
              isinf(y->low) || isinf(y->high);
    if (out.any)
        return out;
    out.p = (accordi_ends){-accordi_round_quotient(ACCORD_F64, ACCORD_DOWN, 1, y->high),
                           accordi_round_quotient(ACCORD_F64, ACCORD_UP, 1, y->low)};
    out.m = fmax(out.p[0], out.p[1]);
    leaf_of(&out, error);
    out.G = accordi_mass_raised(fmax(1, out.m) * of->G);
    out.S = fmin(1, near) * of->S;
    out.D = underflow_of(b, y->format, &out);
    return out;
}

accordi_mass accordi_mass_root(const accordi_bounds *b, const accordi_value *y,
                               const accordi_mass *of)
{
    double error = 2 * b->options.reciprocal_ulp + 1;
    accordi_mass out = *of;
    out.any = of->any || y->nan || accordi_value_empty(y) || y->low < 0 || isinf(y->high);
    if (out.any)
        return out;
    out.p = (accordi_ends){-accordi_round_root(ACCORD_F64, ACCORD_DOWN, y->low),
                           accordi_round_root(ACCORD_F64, ACCORD_UP, y->high)};
    out.m = out.p[1];
    leaf_of(&out, error);
    out.G = accordi_mass_raised(fmax(1, y->high) * of->G);
    out.S = y->high == 0 ? of->S : fmin(1, y->low) * of->S;
    out.D = underflow_of(b, y->format, &out);
    return out;
}

/* ---- nodes ---- */

static accordi_mass of_node(accordi_bounds *b, const accordi_node *n, const accordi_mass operand[3])
{
    const accordi_mass_rules rules = accordi_mass_rules_of(b, n->format), *r = &rules;
    const accordi_mass *x = &operand[0], *y = &operand[1], *z = &operand[2];
    accordi_mass other;
    switch (n->operation) {
    case ACCORD_BOUND_ADD:
        return accordi_mass_add(r, x, y);
    case ACCORD_BOUND_SUBTRACT:
        other = accordi_mass_negate(*y);
        return accordi_mass_add(r, x, &other);
    case ACCORD_BOUND_NEGATE:
        return accordi_mass_negate(*x);
    case ACCORD_BOUND_MULTIPLY:
        return accordi_mass_multiply(r, x, y);
    case ACCORD_BOUND_FMA:
        other = accordi_mass_multiply(r, x, y);
        return accordi_mass_add(r, &other, z);
    case ACCORD_BOUND_DIVIDE:
        other = accordi_mass_reciprocal(b, &b->value[n->operand[1]], y);
        return accordi_mass_multiply(r, x, &other);
    case ACCORD_BOUND_SQRT:
        return accordi_mass_root(b, &b->value[n->operand[0]], x);
    default: /* PARENTHESES, ASSIGN */
        return *x;
    }
}

static bool has_mass(enum accord_bound_operation operation)
{
    return (operation >= ACCORD_BOUND_ADD && operation <= ACCORD_BOUND_ASSIGN) ||
           operation == ACCORD_BOUND_FMA || operation == ACCORD_BOUND_SQRT;
}

/* Operands of a narrower format are intervals: what is rewritten keeps its format. */
static void visit(accordi_bounds *b, accordi_mass *all, uint32_t node)
{
    const accordi_node *n = &b->expression->node[node];
    accordi_mass operand[3] = {{.any = true}};
    if (!has_mass(n->operation)) { /* an interval from here on */
        b->value[node] = n->operation == ACCORD_BOUND_VALUE ? accordi_value_leaf(b, node)
                                                            : accordi_value_apply(b, n);
        all[node] = accordi_mass_of(b, &b->value[node]);
        return;
    }
    for (unsigned k = 0; k < accordi_bound_operands(n->operation); k++) {
        uint32_t from = n->operand[k];
        bool same = b->expression->node[from].format == n->format;
        operand[k] = same ? all[from] : accordi_mass_of(b, &b->value[from]);
    }
    all[node] = of_node(b, n, operand);
    b->value[node] = accordi_mass_interval(b, n->format, &all[node]);
    all[node].any |= b->value[node].nan;
    accordi_value_finish(b, &b->value[node]);
}

accordi_value accordi_mass_value(accordi_bounds *b, uint32_t last)
{
    accordi_mass *all = accordi_calloc((size_t)last + 1, sizeof *all);
    b->ways.failed = !all;
    b->outward = true;
    accordi_bound_used(b, ACCORDI_MASS);
    for (uint32_t i = 0; i <= last && !b->ways.failed; i++)
        visit(b, all, i);
    free(all);
    return b->ways.failed ? accordi_value_nan(b->expression->format) : b->value[last];
}
