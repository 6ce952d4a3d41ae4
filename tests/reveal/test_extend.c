/* Orders that are extended term by term: lags are trees, and what is found is the target's order,
 * however little is irregular about it. */
#include "pattern/growth.h"
#include "targets/synthetic/synthetic.h"
#include "trials.h"
#include <accord/notation.h>
#include <accord/record.h>
#include <accord/reveal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "moved_leaves.h"

/* ---- lags ---- */

/* Uses the growth up. */
static void expect_tree(accordi_growth *g, const accord_tree *tree)
{
    accord_tree *back = NULL;
    assert_int_equal(accordi_growth_tree(g, false, &back, NULL), ACCORD_OK);
    assert_true(accord_tree_equal(back, tree));
    accord_tree_free(back);
}

static void test_lags_are_trees(void **state)
{
    static const enum accordi_tree_kind kinds[] = {ACCORDI_TREE_YULE, ACCORDI_TREE_UNIFORM,
                                                   ACCORDI_TREE_CATERPILLAR};
    accordi_rng rng;
    (void)state;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(300); t++) {
        size_t n = 1 + accordi_rng_below(&rng, 60);
        accord_tree *tree = NULL;
        accordi_growth g;
        assert_int_equal(accordi_random_tree(&rng, kinds[t % 3], n, &tree, NULL), ACCORD_OK);
        assert_true(accordi_growth_init(&g, tree->leaves) && accordi_growth_take(&g, tree));
        expect_tree(&g, tree);
        assert_true(accordi_growth_init(&g, tree->leaves) && accordi_growth_take(&g, tree));
        accordi_growth_measure(&g);
        for (uint32_t i = 1; i < n; i++) { /* the sum that it made, and all that it has now */
            uint32_t kept[2] = {accordi_growth_other(&g, i), i};
            assert_int_equal(accordi_growth_common(&g, kept[0], kept[1]), 2 * i + 1);
        }
        uint32_t count = 1 + (uint32_t)accordi_rng_below(&rng, n);
        uint32_t lag[60], kept[60];
        memcpy(lag, g.lag, n * sizeof *lag);
        accordi_growth_cut(&g, count);
        for (uint32_t i = 0; i < count; i++)
            kept[i] = i;
        accord_tree *part = NULL;
        assert_int_equal(accord_tree_restrict(tree, count, kept, &part, NULL), ACCORD_OK);
        expect_tree(&g, part);
        assert_true(accordi_growth_init(&g, tree->leaves) && accordi_growth_take(&g, part));
        for (uint32_t i = count; i < n; i++)
            assert_true(accordi_growth_add(&g, lag[i]));
        expect_tree(&g, tree);
        accord_tree_free(part);
        accord_tree_free(tree);
    }
}

/* ---- orders of libraries, and those beside them ---- */

/* Each with the calls that its discovery may take at most. */
static const struct {
    const char *notation;
    int64_t calls;
} orders[] = {
    {"1024: chain", 200},
    {"1024: split to 128 by 8 ((lanes 8; pairs) of 8s; chain)", 220},
    {"1000: split to 128 by 8 ((lanes 8; pairs) of 8s; chain)", 120},
    {"1023: lanes 7; chain", 200},
    {"1000: (lanes 32; lanes 4 (pairs); pairs) of 992; chain of last 8; chain", 300},
    {"1024: lanes 64 of 960; lanes 8 in 16s of 64; lanes 32; lanes 8; lanes 4; pairs", 300},
    {"1024: lanes 80 of 960; lanes 40 of 120; lanes 16 of 32; onto 0 in 8s of 16 at 16; "
     "lanes 8 of 16 at 8; lanes 8; chain",
     300},
    {"1000: chain of 384; chain in 320s of last 616; chain", 300},
    {"1000: chain in 720s of 1000; chain", 300},
    {"1000: (lanes 2; chain) in 320s of 640; (lanes 2; chain) of last 360; chain", 300},
    {"1024: lanes 8 (pairs); pairs", 200},
    {"1000: chain in 31s; chain back", 300},
    {"1000: chain in 4 parts; chain", 300},
    {"1000: turn 3; lanes 8; halves", 300},
};
enum { ORDERS = sizeof orders / sizeof *orders };

static accord_tree *parse(const char *notation)
{
    accord_tree *tree = NULL;
    assert_int_equal(accord_notation_parse(notation, &tree, NULL, NULL, NULL), ACCORD_OK);
    return tree;
}

/* The calls of discovery; fails unless the tree comes back, proven where that is asked for, and
 * with few calls if it has millions of terms, of which more would take minutes. The arithmetic of a
 * mixture of fused sums and additions may be one that accord has no model of. */
static int64_t reveal(const accord_tree *tree, enum accord_format format, uint64_t seed,
                      bool certified)
{
    bool binary = tree->inner + 1 == tree->leaves;
    accord_error error = {.status = ACCORD_OK};
    accord_target *target = NULL;
    accord_record *record = accord_record_new();
    accord_reveal_options options;
    accord_reveal_options_init(&options);
    options.seed = seed;
    options.no_certificate = !certified;
    options.replays = 10;
    options.budget_calls = tree->leaves >= 1000000 ? 500 : 0;
    assert_int_equal(accordi_synthetic_from_tree(tree, format, format, &target, NULL), ACCORD_OK);
    enum accord_status status = accord_reveal(target, &options, record, &error);
    if (status && (binary || !record->tree))
        fail_msg("%s", error.text);
    assert_true(accord_tree_equal(record->tree, tree));
    assert_true(!certified || record->nodes_confirmed == record->nodes);
    int64_t calls = record->discovery_calls;
    accord_record_free(record);
    accord_target_close(target);
    return calls;
}

static void test_calls(void **state)
{
    size_t over = 0;
    (void)state;
    for (size_t i = 0; i < ORDERS; i++)
        for (int wide = 0; wide < 2; wide++) {
            accord_tree *tree = parse(orders[i].notation);
            int64_t calls = reveal(tree, wide ? ACCORD_F64 : ACCORD_F32, 1, true);
            printf("# %s %s: %" PRId64 " calls, at most %" PRId64 "\n", wide ? "f64" : "f32",
                   orders[i].notation, calls, orders[i].calls);
            over += calls > orders[i].calls;
            accord_tree_free(tree);
        }
    assert_int_equal(over, 0);
}

/* Lanes of a wide loop, then of a narrower one, then a tail; and sums of sums of chunks: the calls
 * do not grow with n. */
static const struct {
    const char *notation;
    int64_t calls;
} long_orders[] = {
    {"100003: (lanes 64 of 99968; lanes 8 in 16s of 64; lanes 32; lanes 8; lanes 4; pairs) of "
     "100000; chain of last 3; chain",
     400},
    {"9000: lanes 32 (chain in 16s; chain in 16s; chain in 16s; chain); lanes 8; chain", 330},
    {"20000: lanes 32 (chain in 16s; chain in 16s; chain in 16s; chain); lanes 8; chain", 360},
    {"150000: lanes 32 (chain in 16s; chain in 16s; chain in 16s; chain); lanes 8; chain", 400},
    {"30000: lanes 8 (chain in 4s; chain in 24s; chain in 7s; chain); pairs", 450},
    {"20000: chain in 31s; chain in 9s; chain in 5s; chain", 500},
};

static void test_calls_of_many_terms(void **state)
{
    size_t over = 0;
    (void)state;
    for (size_t i = 0; i < sizeof long_orders / sizeof *long_orders; i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            if (!trial_runs(3 * i + seed, trials_seed()))
                continue;
            accord_tree *tree = parse(long_orders[i].notation);
            int64_t calls = reveal(tree, ACCORD_F32, seed, false);
            printf("# %s: %" PRId64 " calls, at most %" PRId64 "\n", long_orders[i].notation, calls,
                   long_orders[i].calls);
            over += calls > long_orders[i].calls;
            accord_tree_free(tree);
        }
    assert_int_equal(over, 0);
}

/* f32 counts hardly more than one for each of so many terms: what is folded in which order shows
 * all the same. A wrong guess would be mended with thousands of calls. */
static void test_ten_million_terms(void **state)
{
    (void)state;
    if (!trials_are_all())
        return;
    accord_tree *tree = parse("10000000: lanes 64; lanes 8 in 16s; lanes 8; lanes 4; pairs");
    for (uint64_t seed = 1; seed <= 3; seed += 2)
        reveal(tree, ACCORD_F32, seed, false);
    accord_tree_free(tree);
}

/* Of any seed, and with up to three leaves elsewhere: proven, the order is the target's. */
static void test_displaced_leaves(void **state)
{
    accordi_rng rng;
    (void)state;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(3 * ORDERS); t++) {
        accord_tree *tree = parse(orders[t % ORDERS].notation);
        size_t moves = accordi_rng_below(&rng, 4);
        for (size_t k = 0; k < moves; k++) {
            uint32_t n = tree->leaves, i = (uint32_t)accordi_rng_below(&rng, n);
            uint32_t j = (uint32_t)((i + 1 + accordi_rng_below(&rng, n - 1)) % n);
            accord_tree *moved = leaf_moved(tree, i, j);
            accord_tree_free(tree);
            tree = moved;
        }
        reveal(tree, t % 2 ? ACCORD_F64 : ACCORD_F32, accordi_rng_next(&rng), true);
        accord_tree_free(tree);
    }
}

/* Orders with fused nodes: one term of each fused sum is asked about. */
static const struct {
    const char *notation;
    int64_t calls;
} fused[] = {
    {"1024: fuse 16", 250}, {"1003: fuse 16", 250},           {"1024: fuse 4", 200},
    {"1000: add 8", 250},   {"1000: fuse in 8s; chain", 250}, {"1024: fuse in 16s; halves", 300},
};
enum { FUSED = sizeof fused / sizeof *fused };

static void test_fused_calls(void **state)
{
    size_t over = 0;
    uint64_t seed = trials_seed();
    (void)state;
    for (size_t i = 0; i < FUSED; i++)
        for (size_t wide = 0; wide < 2; wide++) {
            if (!trial_runs(2 * i + wide, seed))
                continue;
            accord_tree *tree = parse(fused[i].notation);
            int64_t calls = reveal(tree, wide ? ACCORD_F64 : ACCORD_F32, 1, true);
            printf("# %s %s: %" PRId64 " calls, at most %" PRId64 "\n", wide ? "f64" : "f32",
                   fused[i].notation, calls, fused[i].calls);
            over += calls > fused[i].calls;
            accord_tree_free(tree);
        }
    assert_int_equal(over, 0);
}

/* With the terms of some pairs of leaves exchanged. */
static accord_tree *leaves_exchanged(const accord_tree *tree, accordi_rng *rng, uint32_t times)
{
    size_t nodes = (size_t)tree->leaves + tree->inner;
    uint32_t *parent = accordi_alloc(nodes, sizeof *parent);
    accord_tree *out = NULL;
    assert_non_null(parent);
    accord_tree_parents(tree, parent);
    for (; times; times--) {
        uint32_t i = (uint32_t)accordi_rng_below(rng, tree->leaves);
        uint32_t j = (uint32_t)accordi_rng_below(rng, tree->leaves), up = parent[i];
        parent[i] = parent[j];
        parent[j] = up;
    }
    assert_int_equal(accord_tree_from_parents(tree->leaves, tree->inner, parent, &out, NULL),
                     ACCORD_OK);
    free(parent);
    return out;
}

/* What is conjectured about the terms of each fused sum must not outlive a contradiction. */
static void test_fused_exchanged(void **state)
{
    accordi_rng rng;
    (void)state;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(FUSED); t++) {
        accord_tree *regular = parse(fused[t % FUSED].notation);
        accord_tree *tree = leaves_exchanged(regular, &rng, (uint32_t)accordi_rng_below(&rng, 3));
        reveal(tree, t & 1 ? ACCORD_F64 : ACCORD_F32, accordi_rng_next(&rng), true);
        accord_tree_free(regular);
        accord_tree_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lags_are_trees),      cmocka_unit_test(test_calls),
        cmocka_unit_test(test_calls_of_many_terms), cmocka_unit_test(test_ten_million_terms),
        cmocka_unit_test(test_displaced_leaves),    cmocka_unit_test(test_fused_calls),
        cmocka_unit_test(test_fused_exchanged),
    };
    return cmocka_run_group_tests_name("extend", tests, NULL, NULL);
}
