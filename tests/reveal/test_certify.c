/* Certificates: the right tree is confirmed and every other refuted. */
#include "mutants.h"
#include "reveal/discover/guess.h"
#include "reveal/prove/certificate.h"
#include "trials.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "small_trees.h"
#include "tree_bench.h"

static bool proves(tree_bench *b, const accord_tree *tree)
{
    accordi_certificate certificate = {0};
    bool holds = false;
    assert_int_equal(accordi_prove(&b->asker, tree, &certificate, &holds), ACCORD_OK);
    assert_int_equal(certificate.nodes, tree->inner);
    assert_true(!holds || certificate.confirmed == tree->inner);
    return holds;
}

/* ---- all trees of few leaves against each other ---- */

static void test_small_trees_against_each_other(void **state)
{
    (void)state;
    static const size_t expected[] = {0, 1, 1, 4, 26, 236}; /* Schroeder's fourth problem */
    uint64_t seed = trials_seed();
    for (uint32_t leaves = 2; leaves <= MOST_LEAVES; leaves++) {
        accord_tree *trees[MOST_TREES];
        size_t count = all_trees(leaves, trees);
        assert_int_equal(count, expected[leaves]);
        for (size_t t = 0; t < count; t++)
            for (int f = 0; f < (leaves < MOST_LEAVES ? ACCORD_FORMAT_COUNT : 1); f++) {
                tree_bench b;
                tree_bench_init(&b, trees[t], (enum accord_format)f, ++seed);
                for (size_t other = 0; other < count; other++)
                    assert_int_equal(proves(&b, trees[other]), other == t);
                tree_bench_clear(&b);
            }
        for (size_t t = 0; t < count; t++)
            accord_tree_free(trees[t]);
    }
}

/* ---- larger trees against those that are almost the same ---- */

static void test_mutants_are_refuted(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(1500); t++) {
        size_t n = 3 + accordi_rng_below(&rng, t % 4 ? 30 : 200);
        enum accord_format format = (enum accord_format)(t % ACCORD_FORMAT_COUNT);
        accord_tree *tree = any_tree(&rng, n);
        tree_bench b;
        tree_bench_init(&b, tree, format, accordi_rng_next(&rng));
        assert_true(proves(&b, tree));
        for (int k = 0; k < 4; k++) {
            accord_tree *other = k ? swapped(&rng, tree) : contracted(&rng, tree);
            bool proven = other && proves(&b, other);
            if (proven)
                printf("# n %zu format %d mutant %d seed of the run above\n", n, (int)format, k);
            assert_false(proven);
            if (other) { /* and the other way round */
                tree_bench of_other;
                tree_bench_init(&of_other, other, format, accordi_rng_next(&rng));
                assert_false(proves(&of_other, tree));
                tree_bench_clear(&of_other);
            }
            accord_tree_free(other);
        }
        tree_bench_clear(&b);
        accord_tree_free(tree);
    }
}

/* ---- verifying by packed triples ---- */

static bool verifies(tree_bench *b, const accord_tree *tree)
{
    bool holds = false;
    assert_int_equal(accordi_verify(&b->asker, tree, &holds), ACCORD_OK);
    return holds;
}

/* About 1.5 in a thousand exchanges of two leaves pass; at 5 in a thousand the limit of 20 would
 * still be ten standard deviations away. Orders of fewer than 24 terms are not verified; of more
 * than 256, with tests of another kind. */
static void check_verification(size_t least, size_t range, size_t trials)
{
    static const enum accord_format formats[] = {ACCORD_F32, ACCORD_F64, ACCORD_BF16, ACCORD_TF32};
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t mutants = 0, missed = 0;
    for (size_t t = 0; t < trials; t++) {
        size_t n = least + accordi_rng_below(&rng, range);
        accord_tree *tree = binary_tree(&rng, n);
        tree_bench b;
        tree_bench_init(&b, tree, formats[t % 4], accordi_rng_next(&rng));
        assert_true(verifies(&b, tree));
        for (int k = 0; k < 8; k++) {
            accord_tree *other = swapped(&rng, tree);
            mutants += other != NULL;
            missed += other && verifies(&b, other);
            accord_tree_free(other);
        }
        tree_bench_clear(&b);
        accord_tree_free(tree);
    }
    printf("# %zu of %zu swaps passed for the right order\n", missed, mutants);
    assert_true(mutants > 4 * trials);
    assert_true(missed <= mutants / 50);
}

static void test_verification(void **state)
{
    (void)state;
    check_verification(24, 100, trials(1000));
    check_verification(260, 240, trials(1000)); /* MUTANT_NODES */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_trees_against_each_other),
        cmocka_unit_test(test_mutants_are_refuted),
        cmocka_unit_test(test_verification),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
