/* Bounds that no order is known to reach, against evaluations that come near them: inputs are
 * chosen so that every rounding errs as much as it can, and to the same side. A bound that forgot
 * one rounding, or that took half of them, would be exceeded. All in f32. */
#include "base/base.h"
#include "trials.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static accordi_rng rng;

enum { MOST = 400 };

/* ---- expressions ---- */

static uint32_t value(accord_bound_expression *e, float x)
{
    uint32_t node = 0;
    assert_int_equal(accord_bound_value(e, "x", (double)x, (double)x, &node, NULL), ACCORD_OK);
    return node;
}

static uint32_t apply(accord_bound_expression *e, enum accord_bound_operation operation, uint32_t a,
                      uint32_t b)
{
    uint32_t node = 0, operand[3] = {a, b, 0};
    assert_int_equal(accord_bound_apply(e, operation, operand, &node, NULL), ACCORD_OK);
    return node;
}

static accord_bound_expression *empty(void)
{
    accord_bound_expression *e = NULL;
    assert_int_equal(accord_bound_expression_new(ACCORD_F32, &e, NULL), ACCORD_OK);
    return e;
}

static double largest_share; /* of the way from the real value to the end of the bounds */

/* The evaluation must lie inside. */
static void holds(accord_bound_expression *e, unsigned model, float reached, double real)
{
    accord_bound *bound = NULL;
    accord_bound_options options;
    accord_error error;
    accord_bound_options_init(&options);
    options.model = model;
    if (accord_bound_evaluate(e, UINT32_MAX, &options, &bound, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    if (!(bound->low <= (double)reached && (double)reached <= bound->high))
        fail_msg("model %u: %a is not in [%a, %a] around %a", model, (double)reached, bound->low,
                 bound->high, real);
    double end = (double)reached < real ? bound->low : bound->high;
    largest_share = fmax(largest_share, ((double)reached - real) / (end - real));
    accord_bound_free(bound);
    accord_bound_expression_free(e);
}

/* ---- numbers whose roundings err much ---- */

/* A factor for x, of a size near 1, with which the product errs most to the wanted side. */
static float worst_factor(float x, double side, unsigned tries)
{
    float best = 1;
    double most = -1;
    for (unsigned i = 0; i < tries; i++) {
        float y = (float)(1 + accordi_rng_unit(&rng));
        double exact = (double)x * (double)y, error = ((double)(x * y) - exact) / exact * side;
        if (error > most) {
            most = error;
            best = y;
        }
    }
    return best;
}

/* x y, just below 1 + 2^-24 or above 1 - 2^-25, is rounded to 1: an error of half a unit. */
static void rounded_to_one(float *x, float *y)
{
    double most = 0;
    for (unsigned i = 0; i < 4000; i++) {
        float a = (float)(1 + accordi_rng_unit(&rng)), b = (float)(1 / (double)a);
        for (int k = 0; k < 4; k++, b = nextafterf(b, 2)) {
            double error = (double)a * (double)b - 1;
            if (a * b == 1 && error > most) {
                most = error;
                *x = a;
                *y = b;
            }
        }
    }
    assert_true(most > 0.9 * 0x1p-24);
}

/* Nearly half a unit of 1. */
static float crumb(void)
{
    return (float)(0x1p-24 * (1 - 0x1p-10 * accordi_rng_unit(&rng)));
}

/* ---- sums ---- */

/* 1, or a product that is rounded to 1, plus crumbs that all are lost. */
static void lose_crumbs(size_t n, unsigned model, bool product)
{
    accord_bound_expression *e = empty();
    float x = 1, y = 1, sum;
    double real;
    if (product)
        rounded_to_one(&x, &y);
    uint32_t all = value(e, x);
    if (product)
        all = apply(e, ACCORD_BOUND_MULTIPLY, all, value(e, y));
    sum = x * y;
    real = (double)x * (double)y;
    for (size_t i = 1; i < n; i++) {
        float c = crumb();
        all = apply(e, ACCORD_BOUND_ADD, all, value(e, c));
        sum += c;
        real += (double)c;
    }
    assert_true(sum == 1);
    holds(e, model, sum, real);
}

/* A product just below 1 + 2^-24 that is fused with the first of many numbers a little above half
 * a unit: all are rounded up to a whole one. */
static void round_up(size_t n, unsigned model)
{
    accord_bound_expression *e = empty();
    float x = 1, y = 1;
    rounded_to_one(&x, &y);
    uint32_t all = apply(e, ACCORD_BOUND_MULTIPLY, value(e, x), value(e, y)), previous = all;
    double real = (double)x * (double)y;
    float sum = 0;
    for (size_t i = 1; i < n; i++) {
        float c = (float)(0x1p-24 * (1 + 0x1p-10 * accordi_rng_unit(&rng) + 0x1p-20));
        c *= i == 1 ? 0.11F : 1;
        all = apply(e, ACCORD_BOUND_ADD, previous, value(e, c));
        sum = i == 1 ? fmaf(x, y, c) : sum + c;
        real += (double)c;
        previous = all;
    }
    assert_true(sum == (float)(1 + (double)(n - 1) * 0x1p-23));
    holds(e, model, sum, real);
}

static void test_sums(void **state)
{
    static const unsigned models[] = {ACCORD_BOUND_PERM, ACCORD_BOUND_LOOP, ACCORD_BOUND_FAST,
                                      ACCORD_BOUND_FAST_EXPAND};
    (void)state;
    largest_share = 0;
    for (size_t i = 0; i < trials(40); i++)
        for (size_t k = 0; k < 4; k++) {
            lose_crumbs(2 + (size_t)accordi_rng_below(&rng, 60), models[k], false);
            lose_crumbs(17 + (size_t)accordi_rng_below(&rng, 60), models[k], true);
            round_up(17 + (size_t)accordi_rng_below(&rng, 60), models[k]);
        }
    printf("# sums use %.3f of the bounds\n", largest_share);
    assert_true(largest_share > 0.9);
}

/* The order that errs most downward, chosen step by step; products are fused where that helps. */
static float greedy(const float *x, const float *y, size_t n)
{
    bool gone[MOST] = {false};
    float sum = 0;
    for (size_t step = 0; step < n; step++) {
        size_t best = n;
        double most = -INFINITY;
        float next = 0;
        for (size_t i = 0; i < n; i++)
            for (int fuses = 0; !gone[i] && fuses < 2; fuses++) {
                double exact = (double)x[i] * (double)y[i];
                float s = fuses ? fmaf(x[i], y[i], sum) : sum + x[i] * y[i];
                double error = (double)sum + exact - (double)s;
                if (error > most) {
                    most = error;
                    best = i;
                    next = s;
                }
            }
        gone[best] = true;
        sum = next;
    }
    return sum;
}

static void test_adversary(void **state)
{
    (void)state;
    largest_share = 0;
    for (size_t i = 0; i < trials(60); i++) {
        float x[MOST], y[MOST];
        size_t n = 17 + (size_t)accordi_rng_below(&rng, 200);
        accord_bound_expression *e = empty();
        uint32_t all = 0;
        double real = 0;
        for (size_t k = 0; k < n; k++) {
            x[k] = (float)accordi_rng_unit(&rng);
            y[k] = (float)accordi_rng_unit(&rng);
            uint32_t term = apply(e, ACCORD_BOUND_MULTIPLY, value(e, x[k]), value(e, y[k]));
            all = k ? apply(e, ACCORD_BOUND_ADD, all, term) : term;
            real += (double)x[k] * (double)y[k];
        }
        holds(e, i % 3 == 0 ? ACCORD_BOUND_FAST : ACCORD_BOUND_PERM, greedy(x, y, n), real);
    }
    printf("# a greedy order uses %.3f of the bounds\n", largest_share);
    assert_true(largest_share > 0.3);
}

/* ---- products, and products of sums ---- */

static void test_products(void **state)
{
    (void)state;
    largest_share = 0;
    for (size_t i = 0; i < trials(200); i++) {
        accord_bound_expression *e = empty();
        size_t n = 2 + (size_t)accordi_rng_below(&rng, 40);
        double side = accordi_rng_below(&rng, 2) ? 1 : -1, real = 1;
        float product = (float)(1 + accordi_rng_unit(&rng));
        uint32_t all = value(e, product);
        real = (double)product;
        for (size_t k = 1; k < n; k++) {
            float x = worst_factor(product, side, 2000);
            all = apply(e, ACCORD_BOUND_MULTIPLY, all, value(e, x));
            real *= (double)x;
            product *= x;
        }
        holds(e, i % 2 ? ACCORD_BOUND_FAST : ACCORD_BOUND_PERM, product, real);
    }
    printf("# products use %.3f of the bounds\n", largest_share);
    assert_true(largest_share > 0.6);
}

/* (a + b) c + (d + e) f + …, distributed once and added in the worst order: the first term meets
 * all the other additions, two for each product. */
static void test_distributed(void **state)
{
    (void)state;
    largest_share = 0;
    for (size_t i = 0; i < trials(100); i++) {
        accord_bound_expression *e = empty();
        size_t n = 1 + (size_t)accordi_rng_below(&rng, 30);
        float x = 1, y = 1, sum = 1;
        double real;
        rounded_to_one(&x, &y);
        uint32_t all = 0;
        real = (double)x * (double)y;
        for (size_t k = 0; k < n; k++) {
            float a = k ? crumb() : x, b = crumb(), c = k ? 1 : y;
            uint32_t inner = apply(e, ACCORD_BOUND_ADD, value(e, a), value(e, b));
            uint32_t term = apply(e, ACCORD_BOUND_MULTIPLY, inner, value(e, c));
            all = k ? apply(e, ACCORD_BOUND_ADD, all, term) : term;
            if (k)
                sum += a * c;
            sum += b * c;
            real += (k ? (double)a * (double)c : 0) + (double)b * (double)c;
        }
        assert_true(sum == 1);
        holds(e, ACCORD_BOUND_FAST, sum, real);
    }
    printf("# distributed products use %.3f of the bounds\n", largest_share);
    assert_true(largest_share > 0.6);
}

/* (1 + crumbs) (1 + crumbs) */
static void test_products_of_sums(void **state)
{
    (void)state;
    largest_share = 0;
    for (size_t i = 0; i < trials(100); i++) {
        accord_bound_expression *e = empty();
        uint32_t factor[2];
        double real[2] = {1, 1};
        for (int k = 0; k < 2; k++) {
            size_t n = 1 + (size_t)accordi_rng_below(&rng, 50);
            factor[k] = value(e, 1);
            for (size_t j = 0; j < n; j++) {
                float c = crumb();
                factor[k] = apply(e, ACCORD_BOUND_ADD, factor[k], value(e, c));
                real[k] += (double)c;
            }
        }
        apply(e, ACCORD_BOUND_MULTIPLY, factor[0], factor[1]);
        holds(e, i % 2 ? ACCORD_BOUND_FAST : ACCORD_BOUND_FAST_EXPAND, 1, real[0] * real[1]);
    }
    printf("# products of sums use %.3f of the bounds\n", largest_share);
    assert_true(largest_share > 0.6);
}

/* x y z, where x y underflows, or is flushed, and z is large. */
static void test_underflow(void **state)
{
    (void)state;
    for (size_t i = 0; i < trials(2000); i++) {
        bool flushes = i % 2;
        accord_bound_expression *e = empty();
        float x = (float)ldexp(1 + accordi_rng_unit(&rng), -70),
              y = (float)ldexp(1 + accordi_rng_unit(&rng), flushes ? -58 : -72),
              z = (float)ldexp(1 + accordi_rng_unit(&rng), 90), xy = x * y;
        uint32_t product = apply(e, ACCORD_BOUND_MULTIPLY, value(e, x), value(e, y));
        apply(e, ACCORD_BOUND_MULTIPLY, product, value(e, z));
        if (flushes && fabsf(xy) < 0x1p-126F)
            xy = 0;
        holds(e, ACCORD_BOUND_FAST | (flushes ? ACCORD_BOUND_FTZ : 0), xy * z,
              (double)x * (double)y * (double)z);
    }
}

/* x / (a b + a c) as x (1 / a) (1 / (b + c)), each reciprocal off by up to 2 units. */
static void test_reciprocals(void **state)
{
    (void)state;
    for (size_t i = 0; i < trials(2000); i++) {
        accord_bound_expression *e = empty();
        float a = (float)(1 + accordi_rng_unit(&rng)), b = (float)(1 + accordi_rng_unit(&rng)),
              c = b * (float)accordi_rng_unit(&rng), x = (float)(1 + accordi_rng_unit(&rng));
        double side = accordi_rng_below(&rng, 2) ? 1 : -1, off = 1 + side * 3.9 * 0x1p-24;
        uint32_t node = value(e, a), ab = apply(e, ACCORD_BOUND_MULTIPLY, node, value(e, b));
        uint32_t ac = apply(e, ACCORD_BOUND_MULTIPLY, node, value(e, c));
        uint32_t below = apply(e, ACCORD_BOUND_ADD, ab, ac);
        apply(e, ACCORD_BOUND_DIVIDE, value(e, x), below);
        float one = (float)(off / (double)a), two = (float)(off / (double)(b + c));
        holds(e, ACCORD_BOUND_FAST, x * one * two,
              (double)x / ((double)a * ((double)b + (double)c)));
    }
}

/* pow(x, n) as products. */
static void test_powers(void **state)
{
    (void)state;
    for (size_t i = 0; i < trials(500); i++) {
        unsigned n = 2 + (unsigned)accordi_rng_below(&rng, 100);
        accord_bound_expression *e = empty();
        float x = (float)(1 + accordi_rng_unit(&rng) / 2), power = x;
        for (unsigned k = 1; k < n; k++)
            power *= x;
        apply(e, ACCORD_BOUND_POW, value(e, x), value(e, (float)n));
        holds(e, ACCORD_BOUND_FAST, power, pow((double)x, n));
    }
}

/* Sums that are converted to f64 first are reassociated in f64. */
static void test_wider(void **state)
{
    (void)state;
    for (size_t i = 0; i < trials(500); i++) {
        accord_bound_expression *e = empty();
        accord_bound *bound = NULL;
        accord_bound_options options;
        accord_bound_options_init(&options);
        options.model = i % 2 ? ACCORD_BOUND_FAST : ACCORD_BOUND_FAST_EXPAND;
        double x[3], sum[3];
        uint32_t node[3], all;
        for (int k = 0; k < 3; k++) {
            x[k] = (double)(float)ldexp(1 + accordi_rng_unit(&rng),
                                        (int)accordi_rng_below(&rng, 120) - 60);
            x[k] = k == 1 && i % 3 ? -x[0] : accordi_rng_below(&rng, 2) ? x[k] : -x[k];
            uint32_t narrow = value(e, (float)x[k]);
            assert_int_equal(accord_bound_convert(e, ACCORD_F64, narrow, &node[k], NULL),
                             ACCORD_OK);
        }
        all = apply(e, ACCORD_BOUND_ADD, apply(e, ACCORD_BOUND_ADD, node[0], node[1]), node[2]);
        assert_int_equal(accord_bound_evaluate(e, all, &options, &bound, NULL), ACCORD_OK);
        for (int k = 0; k < 3; k++) {
            sum[k] = x[k] + x[(k + 1) % 3] + x[(k + 2) % 3];
            assert_true(bound->low <= sum[k] && sum[k] <= bound->high);
        }
        accord_bound_free(bound);
        accord_bound_expression_free(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_adversary),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_distributed),
        cmocka_unit_test(test_reciprocals),
        cmocka_unit_test(test_powers),
        cmocka_unit_test(test_products_of_sums),
        cmocka_unit_test(test_underflow),
        cmocka_unit_test(test_wider),
    };
    accordi_rng_init(&rng, trials_seed());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
