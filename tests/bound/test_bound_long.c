/* Bounds where not all evaluations can be tried: long sums, excess precision, flushing and
 * -ffast-math. Random evaluations that the model allows, never outside. All in f32, whose
 * operations are done in double and rounded or not. */
#include "base/base.h"
#include "bounds.h"
#include "trials.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static accordi_rng rng;

static bool chance(unsigned one_in)
{
    return accordi_rng_below(&rng, one_in) == 0;
}

static size_t below(size_t n)
{
    return (size_t)accordi_rng_below(&rng, n);
}

/* ---- roundings ---- */

static bool keeps_wide, flushes; /* allowed now */

static double flushed(double x)
{
    return flushes && fabs(x) < 0x1p-126 && chance(2) ? 0 : x;
}

static double rounded(double x)
{
    return keeps_wide && chance(3) ? x : flushed((double)(float)x);
}

/* Both exact enough in double: what is fused is rounded once more, at the end. */
static double fused(double x, double y, double c)
{
    bool single = (double)(float)x == x && (double)(float)y == y && (double)(float)c == c;
    return single && !(keeps_wide && chance(3))
               ? flushed((double)fmaf((float)x, (float)y, (float)c))
               : rounded(fma(x, y, c));
}

/* ---- expressions ---- */

typedef struct node node;
struct node {
    char kind; /* v + - * / r (root) */
    double value;
    node *a, *b;
};

enum { MOST = 400 };
static node pool[MOST];
static size_t nodes;

static node *make(char kind, double value, node *a, node *b)
{
    assert_true(nodes < MOST);
    pool[nodes] = (node){kind, value, a, b};
    return &pool[nodes++];
}

static double number(int spread)
{
    double x = 1 + accordi_rng_unit(&rng);
    if (chance(4))
        x = 1 + (double)below(4) / 4;
    x = ldexp(x, (int)below((size_t)(2 * spread + 1)) - spread);
    return (double)(float)(chance(2) ? -x : x);
}

/* What is left when one of its values is taken away: rounding errors alone. */
static node *cancelled(node *n, double evaluate(const node *n))
{
    double x = (double)(float)evaluate(n);
    return isfinite(x) ? make('-', 0, n, make('v', x, NULL, NULL)) : n;
}

static uint32_t build(accord_bound_expression *e, const node *n)
{
    uint32_t out = 0, operand[3] = {0};
    enum accord_bound_operation operation = ACCORD_BOUND_ADD;
    if (n->kind == 'v') {
        assert_int_equal(accord_bound_value(e, "x", n->value, n->value, &out, NULL), ACCORD_OK);
        return out;
    }
    operand[0] = build(e, n->a);
    if (n->b)
        operand[1] = build(e, n->b);
    static const char kinds[] = "+-*/r";
    static const enum accord_bound_operation all[] = {ACCORD_BOUND_ADD, ACCORD_BOUND_SUBTRACT,
                                                      ACCORD_BOUND_MULTIPLY, ACCORD_BOUND_DIVIDE,
                                                      ACCORD_BOUND_SQRT};
    operation = all[strchr(kinds, n->kind) - kinds];
    assert_int_equal(accord_bound_apply(e, operation, operand, &out, NULL), ACCORD_OK);
    return out;
}

static void print(const node *n)
{
    if (n->kind == 'v') {
        printf("%a", n->value);
        return;
    }
    printf("%s(", n->kind == 'r' ? "sqrt" : "");
    print(n->a);
    if (n->b) {
        printf(" %c ", n->kind);
        print(n->b);
    }
    printf(")");
}

static size_t bounded; /* bounds */

/* Tries so many evaluations of the expression. */
static void try_all(const node *n, unsigned model, size_t tries, double evaluate(const node *n))
{
    accord_bound_expression *e = bounds_expression(ACCORD_F32);
    build(e, n);
    accord_bound *bound = bounds_of(e, model);
    bounded += isfinite(bound->low) && isfinite(bound->high);
    for (size_t i = 0; i < tries; i++) {
        double x = (double)(float)evaluate(n);
        if (isnan(x) ? bound->may_be_nan : bound->low <= x && x <= bound->high)
            continue;
        print(n);
        printf("\n# model %u: %a is not in [%a, %a], nan %d\n", model, x, bound->low, bound->high,
               bound->may_be_nan);
        fail_msg("an evaluation lies outside");
    }
    accord_bound_free(bound);
    accord_bound_expression_free(e);
}

/* ---- sums in any order, of products as written ---- */

/* A value, or a product that may enter a sum unrounded. */
typedef struct entry {
    double x, y; /* y = 1: x is a value */
    bool product;
} entry;

static double value_of(const entry *e)
{
    return e->product ? rounded(flushed(e->x) * flushed(e->y)) : e->x;
}

static double sum_of(entry *e, size_t n)
{
    if (n == 1)
        return value_of(e);
    for (; n > 1; n--) {
        size_t i = below(n), k = below(n - 1);
        k += k >= i;
        entry p = e[i], q = e[k];
        if (chance(3)) { /* toward a chain that grows */
            i = 0;
            k = 1 + below(n - 1);
            p = e[i];
            q = e[k];
        }
        entry sum = {0, 1, false};
        if (p.product && chance(2))
            sum.x = fused(flushed(p.x), flushed(p.y), value_of(&q));
        else
            sum.x = rounded(value_of(&p) + value_of(&q));
        e[i < k ? i : k] = sum;
        e[i < k ? k : i] = e[n - 1];
    }
    return e[0].x;
}

static size_t terms_of(const node *n, bool minus, entry *out)
{
    if (n->kind == '+' || n->kind == '-') {
        size_t count = terms_of(n->a, minus, out);
        return count + terms_of(n->b, minus != (n->kind == '-'), out + count);
    }
    if (n->kind == '*')
        *out = (entry){minus ? -n->a->value : n->a->value, n->b->value, true};
    else
        *out = (entry){flushed(minus ? -n->value : n->value), 1, false};
    return 1;
}

static double any_order(const node *n)
{
    entry e[MOST];
    size_t count = terms_of(n, false, e);
    return sum_of(e, count);
}

static node *random_sum(size_t terms, int spread, bool products)
{
    node *sum = NULL;
    nodes = 0;
    for (size_t i = 0; i < terms; i++) {
        node *x = make('v', number(spread), NULL, NULL);
        if (products && chance(2))
            x = make('*', 0, x, make('v', number(spread), NULL, NULL));
        sum = sum ? make(chance(2) ? '+' : '-', 0, sum, x) : x;
    }
    return sum;
}

static void test_long(void **state)
{
    (void)state;
    keeps_wide = flushes = false;
    for (size_t i = 0; i < trials(300); i++) {
        int spread = chance(3) ? 60 : chance(2) ? 3 : 12;
        node *sum = random_sum(17 + below(chance(4) ? 70 : 12), spread, chance(2));
        if (chance(2))
            sum = cancelled(sum, any_order);
        try_all(sum, chance(2) ? ACCORD_BOUND_PERM : ACCORD_BOUND_LOOP, 60, any_order);
    }
}

static void test_wide_and_flushed(void **state)
{
    (void)state;
    for (size_t i = 0; i < trials(600); i++) {
        unsigned model = ACCORD_BOUND_PERM;
        keeps_wide = chance(2);
        flushes = !keeps_wide || chance(2);
        model |= (keeps_wide ? ACCORD_BOUND_EXCESS : 0) | (flushes ? ACCORD_BOUND_FTZ : 0);
        node *sum = random_sum(chance(3) ? 17 + below(20) : 1 + below(7), 5, true);
        int shift = flushes ? (chance(2) ? -126 : -65) : 0; /* into the subnormal numbers */
        for (size_t k = 0; k < nodes; k++)
            if (pool[k].kind == 'v')
                pool[k].value = (double)(float)ldexp(pool[k].value, shift);
        try_all(sum, model, 60, any_order);
    }
}

/* ---- -ffast-math ---- */

static double fast(const node *n);

/* A factor or a divisor; `cut`: it went away against another. */
typedef struct factor {
    const node *n;
    bool below, cut;
} factor;

static size_t factors_of(const node *n, bool under, factor *out)
{
    if (n->kind == '*' || n->kind == '/') {
        size_t count = factors_of(n->a, under, out);
        return count + factors_of(n->b, under != (n->kind == '/'), out + count);
    }
    *out = (factor){n, under, false};
    return 1;
}

static double off_by(double x, double ulp)
{
    return (double)(float)(x * (1 + ulp * 0x1p-23 * (2 * accordi_rng_unit(&rng) - 1) * 0.49));
}

/* x / y * y, and sqrt(x) * sqrt(x), which leaves x. */
static void cut_factors(factor *f, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            if (f[i].cut || f[k].cut || chance(2))
                continue;
            if (f[i].n == f[k].n && f[i].below != f[k].below) {
                f[i].cut = f[k].cut = true;
            } else if (f[i].n->kind == 'r' && f[k].n->kind == 'r' && f[i].n->a == f[k].n->a &&
                       f[i].below == f[k].below) {
                f[k].cut = true;
                f[i].n = f[i].n->a;
            }
        }
}

static double product_of(factor *f, size_t n)
{
    double up[MOST], down[MOST];
    size_t ups = 0, downs = 0;
    cut_factors(f, n);
    for (size_t i = 0; i < n; i++) {
        if (f[i].cut)
            continue;
        double x = fast(f[i].n);
        if (!f[i].below)
            up[ups++] = x;
        else if (chance(2))
            up[ups++] = off_by(1 / x, 2);
        else
            down[downs++] = x;
    }
    for (; ups > 1; ups--) {
        size_t i = below(ups - 1);
        double last = up[ups - 1];
        up[i] = rounded(up[i] * last);
    }
    for (; downs > 1; downs--)
        down[downs - 2] = rounded(down[downs - 2] * down[downs - 1]);
    double x = ups ? up[0] : 1;
    return downs ? rounded(x / down[0]) : x;
}

typedef struct term {
    bool minus;
    size_t count;
    factor f[24];
} term;

static size_t fast_terms(const node *n, bool minus, term *out)
{
    if (n->kind == '+' || n->kind == '-') {
        size_t count = fast_terms(n->a, minus, out);
        return count + fast_terms(n->b, minus != (n->kind == '-'), out + count);
    }
    out->minus = minus;
    out->count = factors_of(n, false, out->f);
    return 1;
}

/* (x + c) y as x y + c y. */
static size_t distribute(term *t, size_t n)
{
    size_t i = below(n);
    for (size_t k = 0; k < t[i].count; k++) {
        const node *s = t[i].f[k].n;
        bool sum = (s->kind == '+' || s->kind == '-') && !t[i].f[k].below;
        if (!sum || s->a->kind != 'v' || s->b->kind != 'v')
            continue;
        t[n] = t[i];
        t[i].f[k].n = s->a;
        t[n].f[k].n = s->b;
        t[n].minus = t[i].minus != (s->kind == '-');
        return n + 1;
    }
    return n;
}

/* Takes a common factor out of two terms; its value, and the terms are gone. */
static bool factor_out(term *t, size_t *n, double *value)
{
    size_t i = below(*n), j = below(*n);
    for (size_t k = 0; i != j && k < t[i].count; k++)
        for (size_t l = 0; l < t[j].count; l++) {
            factor common = t[i].f[k];
            if (common.n != t[j].f[l].n || common.below || t[j].f[l].below || t[i].count < 2 ||
                t[j].count < 2)
                continue;
            t[i].f[k] = t[i].f[--t[i].count];
            t[j].f[l] = t[j].f[--t[j].count];
            double x = product_of(t[i].f, t[i].count), y = product_of(t[j].f, t[j].count);
            double sum = rounded((t[i].minus ? -x : x) + (t[j].minus ? -y : y));
            *value = rounded(sum * fast(common.n));
            size_t high = i > j ? i : j, low = i > j ? j : i;
            t[high] = t[--*n];
            t[low] = t[--*n];
            return true;
        }
    return false;
}

static double fast(const node *n)
{
    static term stack[4000];
    static size_t used;
    entry e[64];
    size_t count, entries = 0;
    double value;
    if (n->kind == 'v')
        return n->value;
    if (n->kind == 'r')
        return off_by(sqrt(fast(n->a)), 2);
    term *t = stack + used;
    count = fast_terms(n, false, t);
    used += 60;
    assert_true(used < 3900);
    if (chance(2))
        count = distribute(t, count);
    while (count > 1 && chance(2) && factor_out(t, &count, &value))
        e[entries++] = (entry){value, 1, false};
    for (size_t i = 0; i < count; i++) {
        double sign = t[i].minus ? -1 : 1;
        if (t[i].count == 2 && !t[i].f[0].below && !t[i].f[1].below && t[i].f[0].n != t[i].f[1].n)
            e[entries++] = (entry){sign * fast(t[i].f[0].n), fast(t[i].f[1].n), true};
        else
            e[entries++] = (entry){sign * product_of(t[i].f, t[i].count), 1, false};
    }
    used -= 60;
    return sum_of(e, entries);
}

/* Variables are used again, for factors to be common. */
static node *random_expression(node *const *variable, size_t variables, int depth)
{
    if (depth == 0 || chance(5))
        return variable[below(variables)];
    uint64_t what = below(20);
    node *a = random_expression(variable, variables, depth - 1);
    if (what == 0)
        return make('r', 0, make('*', 0, a, a), NULL);
    node *b = random_expression(variable, variables, depth - 1);
    return make(what < 7 ? '+' : what < 11 ? '-' : what < 18 ? '*' : '/', 0, a, b);
}

static void test_fast(void **state)
{
    (void)state;
    bounded = 0;
    size_t count = trials(400);
    for (size_t i = 0; i < count; i++) {
        node *variable[4], *n;
        nodes = 0;
        keeps_wide = chance(2);
        flushes = chance(5);
        int spread = chance(6) ? 40 : 2;
        for (size_t k = 0; k < 4; k++)
            variable[k] = make('v', number(spread), NULL, NULL);
        n = random_expression(variable, 4, 1 + (int)below(4));
        if (chance(2))
            n = cancelled(n, fast);
        try_all(n, ACCORD_BOUND_FAST | (flushes ? ACCORD_BOUND_FTZ : 0), 60, fast);
    }
    printf("# %zu of %zu bounds are finite\n", bounded, count);
    assert_true(bounded > count / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_wide_and_flushed),
        cmocka_unit_test(test_fast),
    };
    accordi_rng_init(&rng, trials_seed());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
