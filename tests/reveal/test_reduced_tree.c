/* Levels without what lies below them: what is left sums terms as the whole tree does. */
#include "reveal/prove/reduced_tree.h"
#include "trees.h"
#include "trials.h"
#include <accord/model.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void number(const accord_tree *tree, uint8_t *strahler)
{
    memset(strahler, 0, tree->leaves);
    for (uint32_t k = 0; k < tree->inner; k++) {
        uint8_t a = strahler[tree->child[2 * k]], b = strahler[tree->child[2 * k + 1]];
        strahler[tree->leaves + k] = (uint8_t)(a == b ? a + 1 : a > b ? a : b);
    }
}

static double sum(const accord_tree *tree, const double *x)
{
    accord_arithmetic *how = NULL;
    accord_error error = {.text = ""};
    const void *row[1] = {x};
    double result = NAN;
    assert_int_equal(accord_arithmetic_plain(ACCORD_TERM_VALUE, ACCORD_F64, ACCORD_F32, ACCORD_F32,
                                             &how, &error),
                     ACCORD_OK);
    const accord_model model = {tree, how};
    const accord_rows rows = {.rows = 1, .x = row};
    assert_int_equal(accord_model_replay(&model, &rows, &result, &error), ACCORD_OK);
    accord_arithmetic_free(how);
    return result;
}

/* Terms of very different sizes, so that another order or another node hardly gives the same. */
static double draw_term(accordi_rng *rng)
{
    return (float)ldexp(accordi_rng_unit(rng) - 0.5, (int)accordi_rng_below(rng, 30));
}

static void check_level(accordi_rng *rng, const accordi_layout *layout, const uint8_t *strahler,
                        uint8_t level)
{
    const accord_tree *tree = layout->tree;
    accord_error error = {.text = ""};
    accordi_asker asker = {.error = &error, .n = tree->leaves};
    accordi_reduced reduced;
    assert_int_equal(accordi_reduce(&asker, layout, strahler, level, &reduced), ACCORD_OK);
    assert_int_equal(accord_tree_check(&reduced.tree, &error), ACCORD_OK);
    assert_int_equal(reduced.tree.inner, accordi_reduced_size(tree, strahler, level));
    double *all = accordi_alloc(tree->leaves, sizeof *all);
    double *few = accordi_alloc(reduced.tree.leaves, sizeof *few);
    for (int trial = 0; trial < 5; trial++) {
        for (uint32_t i = 0; i < tree->leaves; i++)
            all[i] = 0;
        for (uint32_t i = 0; i < reduced.tree.leaves; i++) {
            uint32_t term = accordi_layout_draw(rng, layout, reduced.under[i]);
            assert_true(all[term] == 0);
            all[term] = few[i] = draw_term(rng);
        }
        assert_true(sum(tree, all) == sum(&reduced.tree, few));
    }
    for (uint32_t k = 1; k < reduced.tree.inner; k++)
        assert_true(reduced.node[k] > reduced.node[k - 1]);
    free(all);
    free(few);
    accordi_reduced_clear(&reduced);
}

static void test_reduced(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t trial = 0; trial < trials(200); trial++) {
        enum tree_kind kind = (enum tree_kind)(trial % TREE_KINDS);
        accord_tree *tree = random_tree(&rng, kind, 2 + (uint32_t)accordi_rng_below(&rng, 300));
        accord_error error = {.text = ""};
        accordi_asker asker = {.error = &error};
        accordi_layout layout;
        if (tree->inner + 1 == tree->leaves) {
            uint8_t *strahler = accordi_alloc(2 * (size_t)tree->leaves, 1);
            number(tree, strahler);
            asker.n = tree->leaves;
            assert_int_equal(accordi_layout_plain(&asker, tree, &layout), ACCORD_OK);
            for (uint8_t level = 1; level <= strahler[2 * tree->leaves - 2]; level++)
                check_level(&rng, &layout, strahler, level);
            accordi_layout_clear(&layout);
            free(strahler);
        }
        accord_tree_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reduced)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
