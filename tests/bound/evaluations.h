/* Random expressions in f32 and random evaluations of them, whose operations are done in double and
 * rounded or not: for tests where not all evaluations can be tried. */
#ifndef TESTS_EVALUATIONS_H
#define TESTS_EVALUATIONS_H

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

#endif
