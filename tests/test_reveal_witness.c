/* A witness is an input on which two orders really give different bits. */
#include "mutants.h"
#include "trials.h"
#include <accord/reveal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The sum as a synthetic target makes it. */
static double sum_of(const accord_tree *tree, enum accord_format format, const double *x)
{
    accord_target *target = NULL;
    double sum = 0;
    assert_int_equal(accordi_synthetic_from_tree(tree, format, format, &target, NULL), ACCORD_OK);
    float *single = accordi_alloc(tree->leaves, sizeof *single);
    for (uint32_t i = 0; i < tree->leaves; i++)
        single[i] = (float)x[i];
    const accord_batch batch = {.probes = 1,
                                .dense = target->storage_f32 ? (const void *)single : x};
    assert_int_equal(accord_target_run(target, &batch, &sum, NULL), ACCORD_OK);
    free(single);
    accord_target_close(target);
    return sum;
}

static bool told_apart(const accord_tree *a, const accord_tree *b, enum accord_format format)
{
    double *x = accordi_calloc(a->leaves, sizeof *x), sum_a = 0, sum_b = 0;
    accord_error error = {.status = ACCORD_OK};
    bool good = accord_witness(a, b, format, x, &sum_a, &sum_b, &error) == ACCORD_OK;
    uint32_t terms = 0;
    for (uint32_t i = 0; i < a->leaves; i++) {
        terms += x[i] != 0;
        good = good && accord_format_round(format, ACCORD_NEAREST_EVEN, x[i]) == x[i];
    }
    good = good && terms <= 3 && sum_a != sum_b && sum_of(a, format, x) == sum_a &&
           sum_of(b, format, x) == sum_b;
    if (!good)
        printf("# n %u %s: %u terms, %g and %g; %s\n", a->leaves, accord_format_get(format)->name,
               terms, sum_a, sum_b, error.text);
    free(x);
    return good;
}

/* Any two trees, and a tree with what is almost the same. */
static void test_different_trees(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t wrong = 0, pairs = 0;
    for (size_t t = 0; t < trials(4000); t++) {
        enum accord_format format = (enum accord_format)(t % ACCORD_FORMAT_COUNT);
        size_t n = 3 + accordi_rng_below(&rng, t % 2 ? 6 : 150);
        accord_tree *tree = any_tree(&rng, n);
        accord_tree *others[] = {any_tree(&rng, n), swapped(&rng, tree), contracted(&rng, tree)};
        for (int i = 0; i < 3; i++) {
            if (others[i] && !accord_tree_equal(tree, others[i])) {
                wrong += !told_apart(tree, others[i], format);
                pairs++;
            }
            accord_tree_free(others[i]);
        }
        accord_tree_free(tree);
    }
    assert_int_equal(wrong, 0);
    assert_true(pairs > trials(4000));
}

static void test_no_witness(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t n = 1; n < 40; n++) {
        accord_tree *tree = any_tree(&rng, n), *longer = any_tree(&rng, n + 1);
        double x[40] = {-1}, a = -1, b = -1;
        accord_error error;
        assert_int_equal(accord_witness(tree, tree, ACCORD_F32, x, &a, &b, &error), ACCORD_UNABLE);
        assert_int_equal(accord_witness(tree, longer, ACCORD_F32, x, &a, &b, &error), ACCORD_ARG);
        assert_int_equal(accord_witness(tree, tree, ACCORD_FORMAT_COUNT, x, &a, &b, NULL),
                         ACCORD_ARG);
        assert_true(x[0] == -1 && a == -1 && b == -1);
        accord_tree_free(tree);
        accord_tree_free(longer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_different_trees),
        cmocka_unit_test(test_no_witness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
