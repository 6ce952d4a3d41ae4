/* Replay against a plain evaluation of one row at a time, and fused nodes against MPFR. */
#include "model/replay.h"
#include "target/synthetic.h"
#include "trials.h"
#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* The exact sum in MPFR, rounded once to 53 bits: enough where the accumulator is f64. */
static double exact(const double *x, size_t count)
{
    mpfr_t sum;
    mpfr_init2(sum, 2200);
    mpfr_set_d(sum, x[0], MPFR_RNDN);
    for (size_t i = 1; i < count; i++)
        mpfr_add_d(sum, sum, x[i], MPFR_RNDN);
    double d = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clear(sum);
    return d;
}

/* One row, node by node, all values kept. Fused nodes only in f64. */
static double plain(const accordi_plain *model, const double *x, double *node)
{
    const accord_tree *tree = model->tree;
    for (uint32_t i = 0; i < tree->leaves; i++)
        node[i] = accord_format_round(model->accumulator, ACCORD_NEAREST_EVEN, x[i]);
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        uint32_t count = tree->first[k + 1] - tree->first[k];
        double few[512] = {0};
        for (uint32_t i = 0; i < count; i++)
            few[i] = node[child[i]];
        if (count == 2)
            node[tree->leaves + k] =
                accord_format_add(model->accumulator, model->rounding, few[0], few[1]);
        else
            node[tree->leaves + k] = exact(few, count);
    }
    return accord_format_round(model->output, model->rounding,
                               node[tree->leaves + tree->inner - 1]);
}

static double draw(accordi_rng *rng)
{
    uint64_t kind = accordi_rng_below(rng, 50);
    double x = accordi_rng_normal(rng);
    if (kind == 0)
        return 0;
    if (kind < 4)
        x = ldexp(x, (int)accordi_rng_below(rng, 60) - 30);
    return x;
}

static void compare(accordi_rng *rng, const accordi_plain *model, size_t rows, bool is_f32)
{
    size_t n = model->tree->leaves;
    float *single = accordi_alloc(rows * n, sizeof *single);
    double *x = accordi_alloc(rows * n, sizeof *x), *node = accordi_alloc(2 * n, sizeof *node);
    double *result = accordi_alloc(rows, sizeof *result);
    for (size_t i = 0; i < rows * n; i++) {
        single[i] = (float)draw(rng);
        x[i] = is_f32 ? (double)single[i] : draw(rng);
    }
    assert_int_equal(
        accordi_plain_replay(model, rows, is_f32 ? (const void *)single : x, is_f32, result, NULL),
        ACCORD_OK);
    for (size_t r = 0; r < rows; r++) {
        double want = plain(model, x + r * n, node);
        if (!same(result[r], want))
            fail_msg("n = %zu, row %zu of %zu, %s: %a, plain evaluation says %a", n, r, rows,
                     accord_format_get(model->accumulator)->name, result[r], want);
    }
    free(single);
    free(x);
    free(node);
    free(result);
}

static accord_tree *random_tree(accordi_rng *rng, bool binary, size_t n)
{
    accord_tree *tree = NULL;
    enum accordi_tree_kind kind;
    do
        kind = (enum accordi_tree_kind)accordi_rng_below(rng, ACCORDI_TREE_KINDS);
    while (binary && (kind == ACCORDI_TREE_MULTIWAY || kind == ACCORDI_TREE_CHAIN));
    assert_int_equal(accordi_random_tree(rng, kind, n, &tree, NULL), ACCORD_OK);
    return tree;
}

static void test_binary_trees(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(1500); t++) {
        size_t n = 1 + (size_t)accordi_rng_below(&rng, accordi_rng_below(&rng, 4) ? 20 : 300);
        accord_tree *tree = random_tree(&rng, true, n);
        accordi_plain model = {
            tree, (enum accord_format)accordi_rng_below(&rng, ACCORD_FORMAT_COUNT),
            accordi_rng_below(&rng, 2) ? ACCORD_NEAREST_EVEN
                                       : (enum accord_rounding)accordi_rng_below(&rng, 4),
            (enum accord_format)accordi_rng_below(&rng, ACCORD_FORMAT_COUNT)};
        compare(&rng, &model, 1 + (size_t)accordi_rng_below(&rng, 40),
                accordi_rng_below(&rng, 2) != 0);
        accord_tree_free(tree);
    }
}

static void test_fused_nodes(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(200); t++) {
        size_t n = 3 + (size_t)accordi_rng_below(&rng, 100);
        accord_tree *tree = random_tree(&rng, false, n);
        accordi_plain model = {tree, ACCORD_F64, ACCORD_NEAREST_EVEN, ACCORD_F64};
        compare(&rng, &model, 1 + (size_t)accordi_rng_below(&rng, 20), false);
        accord_tree_free(tree);
    }
}

/* A node of three: 2^24 + 1 + 1 is 2^24 + 2 in f32 when rounded once, 2^24 when rounded twice. */
static void test_rounded_once(void **state)
{
    (void)state;
    static const uint32_t star[] = {3, 3, 3, ACCORD_TREE_NO_NODE};
    static const uint32_t chain[] = {3, 3, 4, 4, ACCORD_TREE_NO_NODE};
    const float x[] = {0x1p24f, 1, 1};
    accord_tree *tree = NULL;
    double sum = 0;
    assert_int_equal(accord_tree_from_parents(3, 1, star, &tree, NULL), ACCORD_OK);
    accordi_plain model = {tree, ACCORD_F32, ACCORD_NEAREST_EVEN, ACCORD_F32};
    assert_int_equal(accordi_plain_replay(&model, 1, x, true, &sum, NULL), ACCORD_OK);
    assert_true(sum == 0x1p24 + 2);
    accord_tree_free(tree);
    assert_int_equal(accord_tree_from_parents(3, 2, chain, &tree, NULL), ACCORD_OK);
    model.tree = tree;
    assert_int_equal(accordi_plain_replay(&model, 1, x, true, &sum, NULL), ACCORD_OK);
    assert_true(sum == 0x1p24);
    model.rounding = ACCORD_UP;
    assert_int_equal(accordi_plain_replay(&model, 1, x, true, &sum, NULL), ACCORD_OK);
    assert_true(sum == 0x1p24 + 4);
    model = (accordi_plain){tree, ACCORD_F64, ACCORD_NEAREST_EVEN, ACCORD_F32};
    assert_int_equal(accordi_plain_replay(&model, 1, x, true, &sum, NULL), ACCORD_OK);
    assert_true(sum == 0x1p24 + 2);
    accord_tree_free(tree);
}

static void test_special_values(void **state)
{
    (void)state;
    static const uint32_t one[] = {ACCORD_TREE_NO_NODE}, pair[] = {2, 2, ACCORD_TREE_NO_NODE};
    accord_tree *tree = NULL;
    double result[3];
    assert_int_equal(accord_tree_from_parents(1, 0, one, &tree, NULL), ACCORD_OK);
    accordi_plain model = {tree, ACCORD_F64, ACCORD_NEAREST_EVEN, ACCORD_BF16};
    const double single[] = {1.01, -0.0, INFINITY};
    assert_int_equal(accordi_plain_replay(&model, 3, single, false, result, NULL), ACCORD_OK);
    assert_true(result[0] == 1.0078125 && signbit(result[1]) && isinf(result[2]));
    accord_tree_free(tree);
    assert_int_equal(accord_tree_from_parents(2, 1, pair, &tree, NULL), ACCORD_OK);
    model = (accordi_plain){tree, ACCORD_F32, ACCORD_NEAREST_EVEN, ACCORD_F32};
    const float two[] = {INFINITY, -INFINITY, 0x1.8p127f, 0x1.8p127f, -0.0f, -0.0f};
    assert_int_equal(accordi_plain_replay(&model, 3, two, true, result, NULL), ACCORD_OK);
    assert_true(isnan(result[0]) && isinf(result[1]) && result[2] == 0 && signbit(result[2]));
    accord_tree_free(tree);
}

/* The stack of the tree ((0+1)+((2+3)+((4+5)+…))) is as deep as it is high. */
static void test_depth(void **state)
{
    (void)state;
    enum { PAIRS = 1000, N = 2 * PAIRS };
    uint32_t *parent = accordi_alloc(2 * N, sizeof *parent);
    for (uint32_t i = 0; i < PAIRS; i++) {
        parent[2 * i] = parent[2 * i + 1] = N + i;
        parent[N + i] = i + 1 < PAIRS ? N + PAIRS + i : N + PAIRS + i - 1;
    }
    for (uint32_t i = 0; i + 1 < PAIRS; i++)
        parent[N + PAIRS + i] = i ? N + PAIRS + i - 1 : ACCORD_TREE_NO_NODE;
    accord_tree *tree = NULL;
    assert_int_equal(accord_tree_from_parents(N, N - 1, parent, &tree, NULL), ACCORD_OK);
    accordi_needs needs = accordi_tree_needs(tree);
    assert_int_equal(needs.depth, PAIRS);
    assert_int_equal(needs.children, 2);
    accordi_rng rng;
    accordi_rng_init(&rng, 1);
    accordi_plain model = {tree, ACCORD_F32, ACCORD_NEAREST_EVEN, ACCORD_F32};
    compare(&rng, &model, 17, true);
    accord_tree_free(tree);
    free(parent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binary_trees), cmocka_unit_test(test_fused_nodes),
        cmocka_unit_test(test_rounded_once), cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
