/* Bounds for the model `fast` (-ffast-math): the sum of the magnitudes of all terms, times the
 * number of roundings.
 *
 * In: an expression. Out: an interval that every rewriting of the kinds that accord/bound.h lists
 * lies in; it is not known to be reached.
 *
 * Idea: each node carries an interval p of its real value, its mass m, which is the sum of the
 * sizes of its terms, and a number k of roundings that any of its terms meets at most, so that
 * every evaluation v obeys |v - p| <= gamma_k m + N e G, gamma_k = k u / (1 - k u). A sum of n
 * terms meets max k + n - 1, a product k_a + k_b + 1. A product with a sum among its factors counts
 * as two terms of the sum around it, for it may be distributed over that sum. Factoring does not
 * add to that: x a + x b meets 2, and so does x (a + b). Expanded completely there are n terms of
 * degree d: n - 1 + d - 1. Each format has masses of its own: where formats meet, what is narrower
 * is an interval.
 *
 * The term N e G is for underflow: N roundings may err by e besides, half of the least number or,
 * where it is flushed, the least normal one, and what multiplies them is at most G, a bound on
 * every product of some of the factors. Where G is beyond the range, anything may come out. A
 * divisor and a radicand are intervals, and what is made of them has the error of a reciprocal,
 * once more for each product or quotient that they consist of, or may after common factors are
 * taken out; S bounds products of divisors from below. Everything is rounded up. */
#include "bound/mass.h"
#include "bound/arithmetic.h"
#include <math.h>

static double add_up(double a, double b)
{
    return accord_format_add(ACCORD_F64, ACCORD_UP, a, b);
}

static double times_up(double a, double b)
{
    return a == 0 || b == 0 ? 0 : accordi_round_product(ACCORD_F64, ACCORD_UP, a, b);
}

accordi_mass accordi_mass_of(const accordi_bounds *b, const accordi_value *v)
{
    double size = fmax(fabs(v->low), fabs(v->high));
    bool any = v->nan || accordi_value_empty(v) || isinf(size);
    return (accordi_mass){.low = v->low,
                          .high = v->high,
                          .m = size,
                          .terms = 1,
                          .all = 1,
                          .degree = 1,
                          .G = fmax(1, size),
                          .S = 1,
                          .N = b->flushes ? 1 : 0,
                          .any = any};
}

accordi_mass accordi_mass_add(const accordi_bounds *b, const accordi_mass *x, const accordi_mass *y)
{
    accordi_mass out = {.low = accord_format_add(ACCORD_F64, ACCORD_DOWN, x->low, y->low),
                        .high = accord_format_add(ACCORD_F64, ACCORD_UP, x->high, y->high),
                        .m = add_up(x->m, y->m),
                        .k = fmax(x->k, y->k),
                        .terms = x->terms + x->apart + y->terms + y->apart,
                        .all = x->all + y->all,
                        .degree = fmax(x->degree, y->degree),
                        .factors =
                            x->factors + y->factors > 0 ? fmin(x->factors, y->factors) + 1 : 0,
                        .G = add_up(x->G, y->G),
                        .S = fmin(x->S, y->S),
                        .N = x->N + y->N + (b->flushes ? 1 : 0),
                        .any = x->any || y->any};
    return out;
}

accordi_mass accordi_mass_negate(accordi_mass x)
{
    double low = x.low;
    x.low = -x.high;
    x.high = -low;
    return x;
}

accordi_mass accordi_mass_multiply(enum accord_format f, const accordi_mass *x,
                                   const accordi_mass *y)
{
    double least = ldexp(1, accord_format_get(f)->min_exponent);
    accordi_mass out = {.low = INFINITY,
                        .high = -INFINITY,
                        .m = times_up(x->m, y->m),
                        .k = x->k + x->terms - 1 + y->k + y->terms - 1 + 1,
                        .terms = 1,
                        .apart = x->terms + x->apart > 1 || y->terms + y->apart > 1,
                        .all = x->all * y->all,
                        .degree = x->degree + y->degree,
                        .factors = x->factors + y->factors + 1,
                        .G = times_up(x->G, y->G),
                        .S = x->S * y->S,
                        .N = x->N + y->N + 2,
                        .any = x->any || y->any};
    out.any = out.any || (x->S < 1 && y->S < 1 && out.S < 2 * least);
    for (int i = 0; i < 4; i++) {
        double c = i & 1 ? x->low : x->high, d = i & 2 ? y->low : y->high;
        out.low = fmin(out.low, accordi_round_product(ACCORD_F64, ACCORD_DOWN, c, d));
        out.high = fmax(out.high, accordi_round_product(ACCORD_F64, ACCORD_UP, c, d));
    }
    return out;
}

/* ---- from a mass to an interval ---- */

static double roundings(const accordi_bounds *b, const accordi_mass *x)
{
    bool expands = b->options.model & ACCORD_BOUND_FAST_EXPAND;
    double k = x->k + x->terms + x->apart - 1;
    return expands ? fmax(k, x->all + x->degree - 2) : k;
}

/* The most that an evaluation lies from p; infinite: nothing is known. A result that is kept wider
 * and rounded twice errs by a little more than half a unit. */
static double deviation(const accordi_bounds *b, enum accord_format f, const accordi_mass *x)
{
    const accord_format_info *row = accord_format_get(f);
    double u = ldexp(1 + 0x1p-10, -row->precision), k = roundings(b, x) * u;
    double e = b->flushes ? ldexp(1, row->min_exponent) : row->least;
    bool expands = b->options.model & ACCORD_BOUND_FAST_EXPAND;
    double count = expands ? fmax(x->N, 2 * x->all * x->degree) : x->N;
    double gamma = k / (1 - k) * (1 + 0x1p-40);
    double far = times_up(x->G, 1 + 2 * gamma);
    if (x->any || !(k < 0.25) || !(far < row->greatest))
        return INFINITY;
    double tiny = times_up(times_up(count, e), far);
    return add_up(times_up(gamma, x->m), count > 0 ? fmax(tiny, 0x1p-1074) : 0);
}

accordi_value accordi_mass_interval(const accordi_bounds *b, enum accord_format f,
                                    const accordi_mass *x)
{
    double far = deviation(b, f, x);
    accordi_value v = accordi_value_any(f, isinf(far));
    if (isinf(far))
        return v;
    v.low = accord_format_round(f, ACCORD_DOWN,
                                accord_format_add(ACCORD_F64, ACCORD_DOWN, x->low, -far));
    v.high =
        accord_format_round(f, ACCORD_UP, accord_format_add(ACCORD_F64, ACCORD_UP, x->high, far));
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
    out.low = accordi_round_quotient(ACCORD_F64, ACCORD_DOWN, 1, y->high);
    out.high = accordi_round_quotient(ACCORD_F64, ACCORD_UP, 1, y->low);
    out.m = fmax(fabs(out.low), fabs(out.high));
    leaf_of(&out, error);
    out.G = times_up(fmax(1, out.m), of->G);
    out.S = fmin(1, near) * of->S;
    out.N = of->N + 1;
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
    out.low = accordi_round_root(ACCORD_F64, ACCORD_DOWN, y->low);
    out.high = accordi_round_root(ACCORD_F64, ACCORD_UP, y->high);
    out.m = out.high;
    leaf_of(&out, error);
    out.G = times_up(fmax(1, y->high), of->G);
    out.S = y->high == 0 ? of->S : fmin(1, y->low) * of->S;
    out.N = of->N + 1;
    return out;
}

/* ---- nodes ---- */

static accordi_mass of_node(accordi_bounds *b, const accordi_node *n, const accordi_mass operand[3])
{
    const accordi_mass *x = &operand[0], *y = &operand[1], *z = &operand[2];
    accordi_mass other;
    switch (n->operation) {
    case ACCORD_BOUND_ADD:
        return accordi_mass_add(b, x, y);
    case ACCORD_BOUND_SUBTRACT:
        other = accordi_mass_negate(*y);
        return accordi_mass_add(b, x, &other);
    case ACCORD_BOUND_NEGATE:
        return accordi_mass_negate(*x);
    case ACCORD_BOUND_MULTIPLY:
        return accordi_mass_multiply(n->format, x, y);
    case ACCORD_BOUND_FMA:
        other = accordi_mass_multiply(n->format, x, y);
        return accordi_mass_add(b, &other, z);
    case ACCORD_BOUND_DIVIDE:
        other = accordi_mass_reciprocal(b, &b->value[n->operand[1]], y);
        return accordi_mass_multiply(n->format, x, &other);
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
    accordi_mass operand[3] = {{0}};
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
