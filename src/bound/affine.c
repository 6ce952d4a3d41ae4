/* Affine forms: intervals that remember what they have in common.
 *
 * In: the nodes of an expression with their intervals so far. Out: narrower intervals.
 *
 * Idea: a form c + sum of a_i e_i + r, with -1 <= e_i <= 1 and |rest| <= r, holds the value of a
 * node in every evaluation. The e_i stand for the inputs that are intervals and for the freedom and
 * rounding of each node, which all users of the node share; so x - x is 0. Sums are exact, products
 * and reciprocals are linear but for a remainder, which becomes an e of its own. A node's value
 * lies in its form and in its interval; the interval becomes what both have in common. At most N of
 * the a_i are kept, the largest; the others are added to r, which remembers nothing. What is not
 * known to be finite has no form. All coefficients are computed in f64, and what that rounds is
 * added to r, upward. (Stolfi and de Figueiredo: Self-Validated Numerical Methods and Applications,
 * 1997.) */
#include "bound/arithmetic.h"
#include "bound/bound.h"
#include <float.h>
#include <math.h>

typedef struct symbol {
    uint32_t id;
    double a;
} symbol;

typedef struct form {
    bool known;
    double center, rest;
    size_t count;
    symbol *symbol; /* by id */
} form;

struct accordi_affine {
    size_t limit; /* N */
    uint32_t ids;
    form *of; /* by node */
    size_t nodes;
};

static double add_up(double a, double b)
{
    return accord_format_add(ACCORD_F64, ACCORD_UP, a, b);
}

static double times_up(double a, double b)
{
    return a == 0 || b == 0 ? 0 : accordi_round_product(ACCORD_F64, ACCORD_UP, a, b);
}

/* What x + y, and x * y, were rounded by, at most. */
static double slip_of_sum(double x, double y)
{
    double s = x + y, z = s - x;
    double error = fabs((x - (s - z)) + (y - z));
    return isfinite(error) ? error : INFINITY;
}

static double slip_of_product(double x, double y)
{
    double p = x * y;
    if (p == 0 && (x == 0 || y == 0))
        return 0;
    return fabs(p) > 0x1p-960 ? fabs(fma(x, y, -p)) : DBL_TRUE_MIN;
}

static void clear(form *f)
{
    free(f->symbol);
    *f = (form){0};
}

static double radius(const form *f)
{
    double r = f->rest;
    for (size_t i = 0; i < f->count; i++)
        r = add_up(r, fabs(f->symbol[i].a));
    return r;
}

static int larger_first(const void *a, const void *b)
{
    const symbol *x = a, *y = b;
    return (fabs(x->a) < fabs(y->a)) - (fabs(x->a) > fabs(y->a));
}

static int by_id(const void *a, const void *b)
{
    const symbol *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static void condense(form *f, size_t limit)
{
    if (f->count <= limit)
        return;
    qsort(f->symbol, f->count, sizeof *f->symbol, larger_first);
    while (f->count > limit)
        f->rest = add_up(f->rest, fabs(f->symbol[--f->count].a));
    qsort(f->symbol, f->count, sizeof *f->symbol, by_id);
}

/* p x + q y + error * (a symbol of its own). y may be NULL. */
static form combine(accordi_affine *s, const form *x, double p, const form *y, double q,
                    double error)
{
    form out = {.known = true};
    size_t i = 0, k = 0, room = x->count + (y ? y->count : 0) + 2;
    out.symbol = accordi_alloc(room, sizeof *out.symbol);
    if (!out.symbol)
        return (form){0};
    double first = p * x->center, second = y ? q * y->center : 0;
    out.center = first + second;
    out.rest = add_up(slip_of_product(p, x->center), slip_of_sum(first, second));
    out.rest = add_up(out.rest, y ? slip_of_product(q, y->center) : 0);
    out.rest =
        add_up(out.rest, add_up(times_up(fabs(p), x->rest), y ? times_up(fabs(q), y->rest) : 0));
    while (i < x->count || (y && k < y->count)) {
        bool left = i < x->count && (!y || k == y->count || x->symbol[i].id <= y->symbol[k].id);
        bool right = y && k < y->count && (i == x->count || y->symbol[k].id <= x->symbol[i].id);
        uint32_t id = left ? x->symbol[i].id : y->symbol[k].id;
        double a = left ? p * x->symbol[i].a : 0, b = right ? q * y->symbol[k].a : 0;
        out.symbol[out.count++] = (symbol){id, a + b};
        out.rest = add_up(out.rest, slip_of_sum(a, b));
        out.rest = add_up(out.rest, left ? slip_of_product(p, x->symbol[i].a) : 0);
        out.rest = add_up(out.rest, right ? slip_of_product(q, y->symbol[k].a) : 0);
        i += left;
        k += right;
    }
    if (error > 0)
        out.symbol[out.count++] = (symbol){s->ids++, error};
    condense(&out, s->limit);
    out.known = isfinite(out.center) && isfinite(radius(&out));
    return out;
}

static form from_interval(accordi_affine *s, double low, double high)
{
    const form nothing = {.known = true, .center = low / 2 + high / 2};
    double far = fmax(accord_format_add(ACCORD_F64, ACCORD_UP, high, -nothing.center),
                      accord_format_add(ACCORD_F64, ACCORD_UP, nothing.center, -low));
    return combine(s, &nothing, 1, NULL, 0, far);
}

/* (cx + X)(cy + Y) = cy x + cx y - cx cy + X Y */
static form product(accordi_affine *s, const form *x, const form *y)
{
    double error = times_up(radius(x), radius(y));
    form out = combine(s, x, y->center, y, x->center, error);
    double both = x->center * y->center;
    out.rest = add_up(out.rest, slip_of_product(x->center, y->center));
    out.rest = add_up(out.rest, slip_of_sum(out.center, -both));
    out.center -= both;
    out.known = out.known && isfinite(out.center) && isfinite(out.rest);
    return out;
}

/* 1/y with a slope with which 1/y - p y falls from low to high, 0 < low. */
static form reciprocal(accordi_affine *s, const form *y, double low, double high, double sign)
{
    const enum accord_format f64 = ACCORD_F64;
    double p = -accordi_round_quotient(f64, ACCORD_DOWN,
                                       accordi_round_quotient(f64, ACCORD_DOWN, 1, high), high);
    double top = add_up(accordi_round_quotient(f64, ACCORD_UP, 1, low), times_up(-p, low));
    double end =
        accord_format_add(f64, ACCORD_DOWN, accordi_round_quotient(f64, ACCORD_DOWN, 1, high),
                          accordi_round_product(f64, ACCORD_DOWN, -p, high));
    double middle = top / 2 + end / 2;
    double far = fmax(add_up(top, -middle), add_up(middle, -end));
    form out = combine(s, y, p, NULL, 0, far);
    out.rest = add_up(out.rest, slip_of_sum(out.center, sign * middle));
    out.center += sign * middle;
    out.known = out.known && isfinite(out.center) && isfinite(out.rest);
    return out;
}

static form quotient(accordi_affine *s, const form *x, const form *y, const accordi_value *divisor)
{
    bool negative = divisor->high < 0;
    double low = negative ? -divisor->high : divisor->low,
           high = negative ? -divisor->low : divisor->high;
    if (!(low > 0) || !isfinite(high))
        return (form){0};
    form below = reciprocal(s, y, low, high, negative ? -1 : 1);
    form out = below.known ? product(s, x, &below) : (form){0};
    clear(&below);
    return out;
}

/* ---- nodes ---- */

/* The largest size of a node's value. */
static double size_of(const accordi_affine *s, const accordi_bounds *b, uint32_t node)
{
    const form *f = &s->of[node];
    double size = fmax(-b->value[node].low, b->value[node].high);
    return f->known ? fmin(size, add_up(fabs(f->center), radius(f))) : size;
}

static void add_symbol(accordi_affine *s, form *f, double a)
{
    if (f->known && a > 0)
        f->symbol[f->count++] = (symbol){s->ids++, a};
    f->known = f->known && isfinite(a);
}

/* The operation in real numbers; unknown for those that are not followed. */
static form exactly(accordi_affine *s, const accordi_bounds *b, const accordi_node *n)
{
    const form *x = &s->of[n->operand[0]], *y = &s->of[n->operand[1]], *z = &s->of[n->operand[2]];
    form ab, out = {0};
    switch (n->operation) {
    case ACCORD_BOUND_ADD:
        return combine(s, x, 1, y, 1, 0);
    case ACCORD_BOUND_SUBTRACT:
        return combine(s, x, 1, y, -1, 0);
    case ACCORD_BOUND_MULTIPLY:
        return product(s, x, y);
    case ACCORD_BOUND_DIVIDE:
        return quotient(s, x, y, &b->value[n->operand[1]]);
    case ACCORD_BOUND_FMA:
        ab = product(s, x, y);
        out = ab.known ? combine(s, &ab, 1, z, 1, 0) : out;
        clear(&ab);
        return out;
    case ACCORD_BOUND_NEGATE:
        return combine(s, x, -1, NULL, 0, 0);
    case ACCORD_BOUND_PARENTHESES:
    case ACCORD_BOUND_ASSIGN:
    case ACCORD_BOUND_CONVERT:
        return combine(s, x, 1, NULL, 0, 0);
    default:
        return out;
    }
}

/* A product was rounded in its own format, which a conversion may have widened since: in the worst
 * format of the expression. Twice at most, for it may be scaled too. */
static double rounding_of_product(const accordi_bounds *b, double size)
{
    double error = 0;
    for (size_t i = 0; i < b->expression->count; i++)
        error = fmax(error, accordi_half_unit(b->expression->node[i].format, size));
    return 2 * error;
}

/* How far the value may lie from the real one: by its rounding, and of sums also because a product
 * is fused, which was rounded, and scaled, and so rounded twice at most. */
static double freedom(accordi_affine *s, const accordi_bounds *b, const accordi_node *n,
                      const form *real)
{
    bool sum = n->operation == ACCORD_BOUND_ADD || n->operation == ACCORD_BOUND_SUBTRACT;
    double apart = 0, size = add_up(fabs(real->center), radius(real));
    if (n->operation == ACCORD_BOUND_NEGATE || n->operation == ACCORD_BOUND_PARENTHESES ||
        n->operation == ACCORD_BOUND_ASSIGN)
        return 0;
    for (unsigned k = 0; k < accordi_bound_operands(n->operation); k++) {
        const accordi_value *p = &b->value[n->operand[k]];
        if (p->product && (sum || n->operation == ACCORD_BOUND_FMA))
            apart = add_up(apart, rounding_of_product(b, size_of(s, b, n->operand[k])));
    }
    if (n->operation == ACCORD_BOUND_CONVERT && b->value[n->operand[0]].fused)
        apart = accordi_half_unit(b->value[n->operand[0]].format, size);
    /* sums of small numbers are exact */
    if (sum && apart == 0 && size < ldexp(2, accord_format_get(n->format)->min_exponent))
        return 0;
    size = add_up(size, apart);
    if (!(size < accord_format_get(n->format)->greatest))
        return INFINITY;
    return add_up(apart, accordi_half_unit(n->format, size));
}

static form find_form(accordi_affine *s, const accordi_bounds *b, uint32_t node, bool group)
{
    const accordi_node *n = &b->expression->node[node];
    const accordi_value *v = &b->value[node];
    form out = {0};
    bool known = !group;
    for (unsigned k = 0; k < accordi_bound_operands(n->operation); k++)
        known = known && s->of[n->operand[k]].known;
    if (known && n->operation != ACCORD_BOUND_VALUE) {
        out = exactly(s, b, n);
        if (out.known)
            add_symbol(s, &out, freedom(s, b, n, &out));
    }
    if (!out.known && isfinite(v->low) && isfinite(v->high)) {
        clear(&out);
        out = from_interval(s, v->low, v->high);
    }
    return out;
}

void accordi_affine_visit(accordi_affine *s, accordi_bounds *b, uint32_t node, bool group)
{
    form *f = &s->of[node];
    accordi_value *v = &b->value[node];
    enum accord_format format = b->expression->node[node].format;
    *f = find_form(s, b, node, group);
    if (!f->known || accordi_value_empty(v))
        return;
    double far = radius(f);
    double low = accord_format_add(ACCORD_F64, ACCORD_DOWN, f->center, -far);
    double high = accord_format_add(ACCORD_F64, ACCORD_UP, f->center, far);
    low = accord_format_round(format, ACCORD_UP, low); /* values are numbers of the format */
    high = accord_format_round(format, ACCORD_DOWN, high);
    if (low > v->low) {
        v->low = low;
        v->low_way = ACCORDI_NO_WAY;
    }
    if (high < v->high) {
        v->high = high;
        v->high_way = ACCORDI_NO_WAY;
    }
}

accordi_affine *accordi_affine_new(size_t nodes, size_t limit)
{
    accordi_affine *s = accordi_calloc(1, sizeof *s);
    form *of = accordi_calloc(nodes, sizeof *of);
    if (!s || !of) {
        free(s);
        free(of);
        return NULL;
    }
    *s = (accordi_affine){.limit = limit, .of = of, .nodes = nodes};
    return s;
}

void accordi_affine_free(accordi_affine *s)
{
    for (size_t i = 0; s && i < s->nodes; i++)
        clear(&s->of[i]);
    if (s)
        free(s->of);
    free(s);
}
