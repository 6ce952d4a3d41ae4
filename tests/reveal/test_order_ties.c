/* The rounds that prove a whole order: what they sum to, and how often another order passes. */
#include "mutants.h"
#include "reveal/ties/order_ties.h"
#include "trials.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "small_trees.h"

enum { PRECISION = 24, ROUNDS = 156, MOST_VARIABLES = 64 };
static const int64_t great = (int64_t)3 << (PRECISION - 1); /* in half units */

/* A tree whose rounds are asked: of those that are drawn together, one after the other. */
typedef struct candidate {
    accordi_asker asker;
    accord_error error;
    accordi_layout layout;
    accordi_order_levels levels;
    accordi_ties ties;
    uint8_t *noise;
    accordi_order_call call[ACCORDI_MOST_CALLS];
    uint32_t calls;
    accordi_order_mask *mask;
    int64_t *row, *value; /* of the terms, and of the nodes of another tree, in half units */
    int round;            /* of those that were drawn together */
} candidate;

static void open_candidate(candidate *c, const accord_tree *tree)
{
    memset(c, 0, sizeof *c);
    c->asker.error = &c->error;
    c->asker.n = tree->leaves;
    assert_int_equal(accordi_layout_init(&c->asker, tree, &c->layout), ACCORD_OK);
    const uint32_t root = tree->leaves + tree->inner - 1;
    assert_int_equal(accordi_order_levels_init(&c->asker, &c->layout, &root, 1, &c->levels),
                     ACCORD_OK);
    assert_int_equal(accordi_ties_init(&c->asker, &c->levels, true, &c->ties), ACCORD_OK);
    c->noise = accordi_order_noise(&c->asker, &c->levels);
    assert_non_null(c->noise);
    c->calls = accordi_order_list_calls(&c->levels, c->call);
    c->mask = accordi_calloc(tree->leaves, sizeof *c->mask);
    c->row = accordi_calloc(tree->leaves, sizeof *c->row);
    c->value = accordi_calloc(2 * (size_t)tree->leaves, sizeof *c->value);
}

static void close_candidate(candidate *c)
{
    accordi_ties_clear(&c->ties);
    accordi_order_levels_clear(&c->levels);
    accordi_layout_clear(&c->layout);
    free(c->noise);
    free(c->mask);
    free(c->row);
    free(c->value);
}

static void write_row(candidate *c, const accordi_order_call *call)
{
    uint32_t n = c->layout.tree->leaves;
    for (uint32_t i = 0; i < n; i++)
        c->row[i] = c->noise[call->level * n + i] >> call->call & 1 ? c->ties.half[i][c->round] : 0;
    uint32_t masks = accordi_order_masks(&c->levels, call, c->mask);
    for (uint32_t i = 0; i < masks; i++)
        c->row[c->mask[i].term] = (c->mask[i].minus ? -great : great) +
                                  2 * accordi_ties_units(&c->ties, call, &c->mask[i], c->round);
}

/* To the nearest multiple of so many bits, ties to even. */
static int64_t rounded(int64_t half)
{
    uint64_t magnitude = (uint64_t)(half < 0 ? -half : half);
    int shift = 0;
    while (magnitude >> shift >= (uint64_t)1 << PRECISION)
        shift++;
    if (shift == 0)
        return half;
    uint64_t kept = magnitude >> shift, rest = magnitude - (kept << shift),
             tie = 1ull << (shift - 1);
    kept += rest > tie || (rest == tie && kept % 2);
    return (half < 0 ? -1 : 1) * (int64_t)(kept << shift);
}

/* What a tree gives for the row; of a node whose bit in `wide` is set, the sum is not rounded. */
static int64_t sum_along(candidate *c, const accord_tree *tree, uint64_t wide)
{
    memcpy(c->value, c->row, tree->leaves * sizeof *c->row);
    for (uint32_t k = 0; k < tree->inner; k++) {
        int64_t sum = 0;
        for (uint32_t i = tree->first[k]; i < tree->first[k + 1]; i++)
            sum += c->value[tree->child[i]];
        c->value[tree->leaves + k] = k < 64 && wide >> k & 1 ? sum : rounded(sum);
    }
    return c->value[tree->leaves + tree->inner - 1];
}

static bool passes_call(candidate *c, const accord_tree *other, uint64_t wide,
                        const accordi_order_call *call)
{
    write_row(c, call);
    accordi_four_rounds greatest = {0};
    return sum_along(c, other, wide) == accordi_ties_due(&c->ties, call, &greatest)[c->round];
}

/* As many rounds as a proof with an error of 10^-9 has of a call. */
static uint32_t rounds_of(const accordi_order_call *call)
{
    return (uint32_t)ceil(log(1e-9) / log(1 - accordi_order_share(call)));
}

static void draw_round(candidate *c, uint32_t round, accordi_rng *rng)
{
    c->round = (int)(round % ACCORDI_TIES);
    if (c->round == 0)
        accordi_ties_draw(&c->ties, rng);
}

/* The rounds that are asked until one of their calls refutes; ROUNDS + 1: none does. */
static uint32_t rounds_passed(candidate *c, const accord_tree *other, uint64_t wide,
                              accordi_rng *rng)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        draw_round(c, round, rng);
        for (uint32_t i = 0; i < c->calls; i++)
            if (round < rounds_of(&c->call[i]) && !passes_call(c, other, wide, &c->call[i]))
                return round;
    }
    return ROUNDS + 1;
}

/* ---- all draws ---- */

/* What is drawn for one call, as far as it matters: entries that take one of so many values. */
typedef struct variables {
    signed char *at[MOST_VARIABLES];
    uint64_t choices;
    int count, classes; /* the first ones take four values, the others two */
} variables;

static void add_variable(variables *v, signed char *at, int bits)
{
    assert_true(v->count < MOST_VARIABLES);
    v->at[v->count++] = at;
    v->classes += bits == 2;
    v->choices <<= bits;
}

static variables list_variables(candidate *c, const accordi_order_call *call)
{
    variables v = {.choices = 1};
    accordi_order_levels *l = &c->levels;
    uint32_t n = c->layout.tree->leaves;
    memset(c->ties.half, 1, n * sizeof *c->ties.half);
    c->round = 0;
    write_row(c, call);
    for (uint32_t i = 0; i < n; i++)
        if (c->row[i] == 1)
            add_variable(&v, &c->ties.half[i][0], 2);
    for (uint32_t i = l->arm_of[call->level]; i < l->arm_of[call->level + 1]; i++) {
        if (call->call == 0)
            add_variable(&v, &c->ties.odd[i][0], 1);
        for (uint32_t j = 0; call->call && j < l->arm[i].blocks; j++)
            if (l->block[l->arm[i].first + j].size > 1)
                add_variable(&v, &c->ties.more[l->arm[i].first + j][0], 1);
    }
    return v;
}

/* The share of all draws for which a call refutes `other`. (An even number more or less in a term
 * changes nothing, so 1 stands for -1 too.) */
static double share_refuted(candidate *c, const accord_tree *other, uint64_t wide,
                            const accordi_order_call *call)
{
    static const signed char class[4] = {0, 1, -1, 2};
    const variables v = list_variables(c, call);
    uint64_t refuted = 0;
    for (uint64_t choice = 0; choice < v.choices; choice++) {
        uint64_t left = choice;
        for (int i = 0; i < v.count; i++) {
            bool has_class = i < v.classes;
            *v.at[i] = has_class ? class[left & 3] : (signed char)(left & 1);
            left >>= has_class ? 2 : 1;
        }
        accordi_ties_add_up(&c->ties);
        refuted += !passes_call(c, other, wide, call);
    }
    return (double)refuted / (double)v.choices;
}

/* The share of the first call that refutes as much as its number of rounds takes for granted; 0:
 * none does. */
static double share_that_suffices(candidate *c, const accord_tree *other)
{
    for (uint32_t i = 0; i < c->calls; i++) {
        double share = share_refuted(c, other, 0, &c->call[i]);
        if (share >= accordi_order_share(&c->call[i]))
            return share;
    }
    return 0;
}

static bool ever_refuted(candidate *c, const accord_tree *other)
{
    for (uint32_t i = 0; i < c->calls; i++)
        if (share_refuted(c, other, 0, &c->call[i]) > 0)
            return true;
    return false;
}

/* Every binary tree against every tree of any arity, over all draws. */
static void test_all_small_trees(void **state)
{
    static accord_tree *tree[MOST_TREES];
    (void)state;
    for (uint32_t leaves = 3; leaves <= MOST_LEAVES; leaves++) {
        size_t count = all_trees(leaves, tree);
        double least = 1;
        for (size_t i = 0; i < count; i++) {
            candidate c;
            if (!is_binary(tree[i]))
                continue;
            open_candidate(&c, tree[i]);
            for (size_t j = 0; j < count; j++) {
                if (i == j) {
                    assert_false(ever_refuted(&c, tree[j]));
                    continue;
                }
                double share = share_that_suffices(&c, tree[j]);
                least = share < least ? share : least;
            }
            close_candidate(&c);
        }
        print_message("# %u leaves: the least share of draws that tell two trees apart is %g\n",
                      leaves, least);
        assert_true(least >= 0.125);
        for (size_t i = 0; i < count; i++)
            accord_tree_free(tree[i]);
    }
}

static void test_dues(void **state)
{
    accordi_rng rng;
    (void)state;
    accordi_rng_init(&rng, trials_seed());
    for (int trial = 0; trial < 400; trial++) {
        accord_tree *tree = binary_tree(&rng, 3 + accordi_rng_below(&rng, trial % 4 ? 40 : 1000));
        candidate c;
        open_candidate(&c, tree);
        assert_int_equal(rounds_passed(&c, tree, 0, &rng), ROUNDS + 1);
        close_candidate(&c);
        accord_tree_free(tree);
    }
}

/* ---- larger trees ---- */

static void expect_refuted(candidate *c, const accord_tree *other, uint64_t wide, accordi_rng *rng)
{
    if (rounds_passed(c, other, wide, rng) > ROUNDS)
        fail_msg("another tree of %u leaves and %u nodes passed", other->leaves, other->inner);
}

/* Trees that differ in one place; each may pass with a probability of 10^-9. */
static void test_neighbors(void **state)
{
    static accord_tree *(*const change[])(accordi_rng *, const accord_tree *) = {
        swapped, contracted, leaf_displaced};
    accordi_rng rng;
    (void)state;
    accordi_rng_init(&rng, trials_seed());
    for (size_t trial = 0; trial < trials(600); trial++) {
        accord_tree *tree = binary_tree(&rng, 3 + accordi_rng_below(&rng, 62));
        candidate c;
        open_candidate(&c, tree);
        for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
            accord_tree *other = change[i](&rng, tree);
            if (other)
                expect_refuted(&c, other, 0, &rng);
            accord_tree_free(other);
        }
        uint64_t wide = (uint64_t)1 << accordi_rng_below(&rng, tree->inner - 1);
        expect_refuted(&c, tree, wide, &rng);
        close_candidate(&c);
        accord_tree_free(tree);
    }
}

/* A chain that adds pairs; in the other tree, both leaves of one pair are added in one step. */
static accord_tree *chain_of_pairs(uint32_t pairs, uint32_t fused)
{
    uint32_t n = 2 * pairs, parent[64], node = n, top = n;
    accord_tree *tree = NULL;
    for (uint32_t i = 0; i < pairs; i++) {
        uint32_t join = i == fused ? 0 : node++; /* of the two leaves */
        uint32_t above = i ? node++ : 0;         /* of that and what came before */
        parent[2 * i] = parent[2 * i + 1] = i == fused ? above : join;
        if (i) {
            parent[top] = above;
            if (i != fused)
                parent[join] = above;
        }
        top = i ? above : join;
    }
    parent[top] = ACCORD_TREE_NO_NODE;
    assert_int_equal(accord_tree_from_parents(n, node - n, parent, &tree, NULL), ACCORD_OK);
    return tree;
}

/* Whether a call refutes as many of so many draws as its number of rounds takes for granted, but
 * for five standard deviations; *share: of that call. */
static bool suffices(candidate *c, const accord_tree *other, accordi_rng *rng, double *share)
{
    enum { DRAWS = 20000 };
    uint32_t refuted[ACCORDI_MOST_CALLS] = {0};
    bool any = false;
    for (int draw = 0; draw < DRAWS; draw++) {
        draw_round(c, (uint32_t)draw, rng);
        for (uint32_t i = 0; i < c->calls; i++)
            refuted[i] += !passes_call(c, other, 0, &c->call[i]);
    }
    for (uint32_t i = 0; i < c->calls && !any; i++) {
        double due = accordi_order_share(&c->call[i]);
        *share = (double)refuted[i] / DRAWS;
        any = *share >= due - 5 * sqrt(due * (1 - due) / DRAWS);
    }
    return any;
}

/* One call tests several blocks of an arm. The difference that one of them makes may be lost at a
 * tie of a later one: with one later block 3/16 of all draws show it, with two 5/32, and always
 * more than 1/8. The chain of 2 pairs has a single block, and that of 10 has three for a call. */
static void test_several_blocks_of_an_arm(void **state)
{
    enum { MOST_PAIRS = 10 };
    accordi_rng rng;
    (void)state;
    accordi_rng_init(&rng, trials_seed());
    double least = 1;
    for (uint32_t pairs = 2; pairs <= MOST_PAIRS; pairs++) {
        accord_tree *tree = chain_of_pairs(pairs, pairs);
        candidate c;
        open_candidate(&c, tree);
        for (uint32_t fused = 1; fused < pairs; fused++) {
            accord_tree *other = chain_of_pairs(pairs, fused);
            double share = 0;
            assert_true(suffices(&c, other, &rng, &share));
            least = share < least ? share : least;
            accord_tree_free(other);
        }
        close_candidate(&c);
        accord_tree_free(tree);
    }
    print_message("# pairs added in one step: the least share is %g\n", least);
    assert_true(fabs(least - 5.0 / 32) < 0.02); /* so the bound is not better than it must be */
}

/* The calls of a chain of pairs test one block, two or three, and have 73, 100 and 122 rounds. */
static void test_rounds(void **state)
{
    static const struct {
        uint32_t pairs, blocks, rounds;
    } table[] = {{3, 1, 73}, {7, 2, 100}, {10, 3, 122}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        accord_tree *tree = chain_of_pairs(table[i].pairs, table[i].pairs);
        candidate c;
        open_candidate(&c, tree);
        assert_int_equal(rounds_of(&c.call[0]), 156);
        assert_int_equal(c.call[0].blocks, 0);
        assert_int_equal(c.call[1].blocks, table[i].blocks);
        assert_int_equal(rounds_of(&c.call[1]), table[i].rounds);
        for (uint32_t k = 1; k < c.calls; k++)
            assert_true(rounds_of(&c.call[k]) <= rounds_of(&c.call[k - 1]));
        close_candidate(&c);
        accord_tree_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dues),      cmocka_unit_test(test_all_small_trees),
        cmocka_unit_test(test_neighbors), cmocka_unit_test(test_several_blocks_of_an_arm),
        cmocka_unit_test(test_rounds),
    };
    return cmocka_run_group_tests_name("order_ties", tests, NULL, NULL);
}
