/* Splits of nodes: that they tell trees apart, whatever the trees are, and how often they miss. */
#include "mutants.h"
#include "reveal/probes/splits.h"
#include "trials.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SMALL_TREES_LEAVES 6
#define SMALL_TREES_COUNT 2752
#include "small_trees.h"
#include "tree_bench.h"

/* A tree that is asked for. */
typedef struct candidate {
    accordi_asker asker;
    accord_error error;
    accordi_layout layout;
    accordi_splits splits;
    int64_t *noise; /* of the terms, if they are noise */
} candidate;

/* A sum: a multiple of the mask, and what is beside it. */
typedef struct sum {
    int64_t masks, units;
} sum;

static void open_candidate(candidate *c, const accord_tree *tree)
{
    memset(c, 0, sizeof *c);
    c->asker.error = &c->error;
    c->asker.n = tree->leaves;
    assert_int_equal(accordi_layout_plain(&c->asker, tree, &c->layout), ACCORD_OK);
    assert_int_equal(accordi_splits_init(&c->asker, &c->layout, &c->splits), ACCORD_OK);
    c->splits.role = accordi_calloc(tree->leaves, 1);
    c->splits.split = accordi_calloc(c->splits.most + 1, sizeof *c->splits.split);
    c->noise = accordi_calloc(tree->leaves, sizeof *c->noise);
}

static void close_candidate(candidate *c)
{
    accordi_splits_clear(&c->splits);
    accordi_layout_clear(&c->layout);
    free(c->noise);
}

/* The terms of a call at the level that was entered. */
static void write_terms(const candidate *c, uint32_t call, sum *term)
{
    const accordi_splits *s = &c->splits;
    const accordi_split_call has = accordi_split_calls[call];
    double multiple;
    for (uint32_t i = 0; i < c->layout.tree->leaves; i++)
        term[i] = (sum){(s->role[i] & has.masked) != 0, s->role[i] & has.noisy ? c->noise[i] : 0};
    for (uint32_t i = 0; i < s->splits; i++) {
        const accordi_split *at = &s->split[i];
        if (accordi_split_mask(at, call, ACCORDI_LARGER, &multiple))
            term[at->larger] = (sum){(int64_t)multiple, 0};
        if (accordi_split_mask(at, call, ACCORDI_SMALLER, &multiple))
            term[at->smaller] = (sum){(int64_t)multiple, 0};
    }
}

/* A mask swallows all beside it when the sum is rounded, which it is not at nodes in `wide`. */
static int64_t sum_along(const accord_tree *tree, uint64_t wide, sum *value)
{
    for (uint32_t k = 0; k < tree->inner; k++) {
        sum s = {0};
        for (uint32_t i = tree->first[k]; i < tree->first[k + 1]; i++) {
            s.masks += value[tree->child[i]].masks;
            s.units += value[tree->child[i]].units;
        }
        bool rounds = k + 1 == tree->inner || !(k < 64 && wide >> k & 1);
        value[tree->leaves + k] = s.masks && rounds ? (sum){s.masks, 0} : s;
    }
    sum all = value[tree->leaves + tree->inner - 1];
    return all.masks ? INT64_MIN + all.masks : all.units;
}

/* By how much the results of two trees differ in a call. */
static int64_t difference(const candidate *c, const accord_tree *other, uint64_t wide,
                          uint32_t call)
{
    const accord_tree *own = c->layout.tree;
    sum *value = accordi_calloc(2 * (size_t)own->leaves, sizeof *value);
    write_terms(c, call, value);
    int64_t due = sum_along(own, 0, value);
    write_terms(c, call, value);
    int64_t seen = sum_along(other, wide, value);
    free(value);
    assert_true(due >= -((int64_t)1 << 60)); /* no masks are left over */
    return seen - due;
}

/* With noise of 1, 2, 4 … on the leaves: whether a call of the level loses or keeps some term that
 * it should not. Then it is refuted unless the noise of these terms happens to add up to 0. */
static bool tells_apart(candidate *c, const accord_tree *other, uint64_t wide)
{
    for (uint32_t i = 0; i < c->layout.tree->leaves; i++)
        c->noise[i] = (int64_t)1 << i % 50;
    for (uint32_t level = 0; level < c->splits.levels; level++) {
        accordi_splits_enter(&c->splits, level);
        for (uint32_t call = 0; call < ACCORDI_SPLIT_CALLS; call++)
            if ((call != 1 || c->splits.both[level]) && difference(c, other, wide, call))
                return true;
    }
    return false;
}

/* The share of all draws for which the best call refutes: noise has so many bits and a sign. */
static double share_refuted(candidate *c, const accord_tree *other, int bits)
{
    const uint32_t n = c->layout.tree->leaves;
    const uint64_t draws = (uint64_t)1 << n * (uint32_t)bits, low = ((uint64_t)1 << bits) - 1;
    uint64_t most = 0;
    for (uint32_t level = 0; level < c->splits.levels; level++) {
        accordi_splits_enter(&c->splits, level);
        for (uint32_t call = 0; call < ACCORDI_SPLIT_CALLS; call++) {
            uint64_t refuted = 0;
            for (uint64_t draw = 0; draw < draws; draw++) {
                for (uint32_t i = 0; i < n; i++)
                    c->noise[i] =
                        1 - ((int64_t)1 << bits) + 2 * (int64_t)(draw >> i * (uint32_t)bits & low);
                refuted += difference(c, other, 0, call) != 0;
            }
            most = refuted > most ? refuted : most;
        }
    }
    return (double)most / (double)draws;
}

/* Every binary tree against every tree of any arity: at scale 1 of up to 6 leaves, below it some
 * with 6. The shares of all draws are counted for up to 5. */
static void test_all_small_trees(void **state)
{
    enum { COUNTED = 5 };
    static accord_tree *tree[MOST_TREES];
    uint64_t seed = trials_seed();
    (void)state;
    for (uint32_t leaves = 3; leaves <= MOST_LEAVES; leaves++) {
        size_t count = all_trees(leaves, tree);
        double least = 1;
        for (size_t i = 0; i < count; i++) {
            candidate c;
            if (!is_binary(tree[i]) || (leaves > COUNTED && !trial_runs(i, seed)))
                continue;
            open_candidate(&c, tree[i]);
            for (size_t j = 0; j < count; j++) {
                assert_true(tells_apart(&c, tree[j], 0) == (i != j));
                for (int bits = 1; i != j && bits <= (leaves <= 4 ? 2 : leaves <= COUNTED);
                     bits++) {
                    double share = share_refuted(&c, tree[j], bits);
                    assert_true(share >= 1 - pow(0.5, bits));
                    least = share < least ? share : least;
                }
            }
            close_candidate(&c);
        }
        if (leaves <= COUNTED)
            print_message("# %u leaves: the least share of draws that tell two trees apart is %g\n",
                          leaves, least);
        for (size_t i = 0; i < count; i++)
            accord_tree_free(tree[i]);
    }
}

/* ---- larger trees ---- */

/* Trees that differ in one place, and sums that are not rounded. */
static void test_neighbors(void **state)
{
    static accord_tree *(*const change[])(accordi_rng *, const accord_tree *) = {
        swapped, contracted, leaf_displaced};
    accordi_rng rng;
    (void)state;
    accordi_rng_init(&rng, trials_seed());
    for (size_t trial = 0; trial < trials(600); trial++) {
        accord_tree *tree = binary_tree(&rng, 3 + accordi_rng_below(&rng, 48));
        candidate c;
        open_candidate(&c, tree);
        assert_false(tells_apart(&c, tree, 0));
        for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
            accord_tree *other = change[i](&rng, tree);
            assert_true(!other || tells_apart(&c, other, 0));
            accord_tree_free(other);
        }
        assert_true(tells_apart(&c, tree, (uint64_t)1 << accordi_rng_below(&rng, tree->inner - 1)));
        close_candidate(&c);
        accord_tree_free(tree);
    }
}

/* What is due in a call of a large tree: its noise, if there are masks all over one child; 0, if
 * there are two masks a node. */
static void test_dues(void **state)
{
    accordi_rng rng;
    (void)state;
    accordi_rng_init(&rng, trials_seed());
    for (int trial = 0; trial < 50; trial++) {
        accord_tree *tree = binary_tree(&rng, 3 + accordi_rng_below(&rng, trial % 4 ? 40 : 1000));
        sum *value = accordi_calloc(2 * (size_t)tree->leaves, sizeof *value);
        candidate c;
        open_candidate(&c, tree);
        for (uint32_t i = 0; i < tree->leaves; i++)
            c.noise[i] = (int64_t)accordi_rng_below(&rng, 1000);
        for (uint32_t level = 0; level < c.splits.levels; level++) {
            accordi_splits_enter(&c.splits, level);
            for (uint32_t call = 0; call < ACCORDI_SPLIT_CALLS; call++) {
                int64_t due = 0;
                for (uint32_t i = 0; i < tree->leaves; i++)
                    if (accordi_split_calls[call].masked &&
                        c.splits.role[i] & accordi_split_calls[call].noisy)
                        due += c.noise[i];
                write_terms(&c, call, value);
                assert_true(sum_along(tree, 0, value) == due);
            }
        }
        close_candidate(&c);
        free(value);
        accord_tree_free(tree);
    }
}

/* ---- noise ---- */

/* The bits of noise that leave the fewest rounds. */
static void test_weights(void **state)
{
    static const struct {
        enum accord_format format;
        size_t terms;
        int held; /* bits that sums hold */
        uint32_t rounds;
    } table[] = {
        {ACCORD_F64, 10000000, 53, 1}, {ACCORD_F32, 3, 24, 2},        {ACCORD_F32, 8192, 24, 2},
        {ACCORD_F32, 1000000, 24, 3},  {ACCORD_F32, 10000000, 24, 3}, {ACCORD_F16, 1000, 11, 10},
        {ACCORD_BF16, 100, 8, 15},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        accord_target target = {.output = table[i].format};
        accordi_asker asker = {.target = &target, .format = table[i].format, .bits = table[i].held};
        double most = ldexp(1, table[i].held) - 1, n = (double)table[i].terms;
        accordi_weights w = accordi_splits_weigh(&asker, table[i].terms, 1e-9);
        print_message("# %zu terms, sums of %d bits: %u rounds of %d bits\n", table[i].terms,
                      table[i].held, w.rounds, w.bits);
        assert_int_equal(w.rounds, table[i].rounds);
        double beyond = 4 * n * exp(-1.5 * most * most / (n * (ldexp(1, 2 * w.bits) - 1)));
        bool never = n * (ldexp(1, w.bits) - 1) <= most;
        assert_true(never || beyond < 1e-9);
        assert_true(pow(ldexp(1, -w.bits) + (never ? 0 : beyond), w.rounds) <= 1e-9);
    }
    accord_target target = {.output = ACCORD_BF16};
    accordi_asker narrow = {.target = &target, .format = ACCORD_BF16, .bits = 3};
    assert_int_equal(accordi_splits_weigh(&narrow, 1000, 1e-9).rounds, 0);
}

/* How many of so many proofs of another tree than the target's pass, with noise of one bit. */
static size_t count_passes(tree_bench *b, const accord_tree *other, uint32_t rounds, size_t proofs)
{
    const accordi_weights weights = {.bits = 1, .rounds = rounds};
    accordi_layout layout;
    size_t passes = 0;
    assert_int_equal(accordi_layout_plain(&b->asker, other, &layout), ACCORD_OK);
    for (size_t i = 0; i < proofs; i++) {
        accordi_splits splits;
        uint64_t asked = 0;
        bool holds = true;
        assert_int_equal(accordi_splits_init(&b->asker, &layout, &splits), ACCORD_OK);
        assert_int_equal(
            accordi_splits_prove(&b->asker, &splits, splits.levels, &weights, &asked, &holds),
            ACCORD_OK);
        passes += holds;
        accordi_splits_clear(&splits);
    }
    accordi_layout_clear(&layout);
    return passes;
}

/* The calls of a round share their noise, and rounds do not. */
static void test_rounds_are_independent(void **state)
{
    enum { PROOFS = 4000, ROUNDS = 4 };
    (void)state;
    const uint32_t pairs[] = {4, 4, 5, 5, 6, 6, ACCORD_TREE_NO_NODE},
                   others[] = {4, 5, 4, 5, 6, 6, ACCORD_TREE_NO_NODE};
    accord_tree *tree, *other;
    tree_bench b;
    assert_int_equal(accord_tree_from_parents(4, 3, pairs, &tree, NULL), ACCORD_OK);
    assert_int_equal(accord_tree_from_parents(4, 3, others, &other, NULL), ACCORD_OK);
    tree_bench_init(&b, tree, ACCORD_F32, trials_seed());
    assert_int_equal(count_passes(&b, tree, ROUNDS, 10), 10);
    size_t once = count_passes(&b, other, 1, PROOFS), all = count_passes(&b, other, ROUNDS, PROOFS);
    print_message("# of %d, one round passes %zu, and %d rounds %zu\n", PROOFS, once, ROUNDS, all);
    double share = (double)once / PROOFS, due = PROOFS * pow(share, ROUNDS);
    assert_true(once > PROOFS / 10 && once <= PROOFS * 55 / 100);
    assert_true((double)all < due + 8 * sqrt(due) + 20);
    tree_bench_clear(&b);
    accord_tree_free(tree);
    accord_tree_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_small_trees),
        cmocka_unit_test(test_neighbors),
        cmocka_unit_test(test_dues),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_rounds_are_independent),
    };
    return cmocka_run_group_tests_name("splits", tests, NULL, NULL);
}
