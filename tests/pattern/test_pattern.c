/* Patterns: every tree comes back, equal subtrees are one node, regular orders have few. */
#include "pattern/pattern.h"
#include "targets/synthetic/synthetic.h"
#include "trees.h"
#include "trials.h"
#include <accord/pattern.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "small_trees.h"

static accordi_rng rng;

static accord_pattern *labeled(const accord_tree *tree, const uint32_t *label)
{
    accord_pattern *pattern = NULL;
    assert_int_equal(accord_pattern_of(tree, label, &pattern, NULL), ACCORD_OK);
    return pattern;
}

static accord_pattern *pattern_of(const accord_tree *tree)
{
    return labeled(tree, NULL);
}

/* What the header says of every node, and that the tree comes back. */
static void check_pattern(const accord_pattern *p, const accord_tree *tree)
{
    uint32_t nodes = accord_pattern_nodes(p);
    for (uint32_t id = 0; id < nodes; id++) {
        const accord_pattern_node *node = accord_pattern_at(p, id);
        const accord_pattern_part *part = accord_pattern_parts(p, id);
        assert_true(node->steps == 0 ? !part && node->parts == 0 : node->parts >= 2);
        assert_true(node->steps > 1 ? node->stride != 0 : node->stride == 0);
        for (uint32_t i = 0; i < node->parts; i++) {
            assert_true(part[i].node < id);
            assert_true(node->steps > 1 ||
                        (i ? part[i].shift > part[i - 1].shift : part[i].shift == 0));
        }
    }
    const accord_pattern_node *root = accord_pattern_at(p, nodes - 1);
    accord_order_measures m;
    assert_int_equal(accord_order_measure(tree, &m, NULL), ACCORD_OK);
    assert_int_equal(root->leaves, tree->leaves);
    assert_int_equal(root->span, tree->leaves);
    assert_int_equal(root->depth, m.depth);
    assert_int_equal(m.additions + m.fused, tree->inner);
    accord_tree *again = NULL;
    assert_int_equal(accord_pattern_tree(p, &again, NULL), ACCORD_OK);
    assert_true(accord_tree_equal(tree, again));
    accord_tree_free(again);
}

static uint32_t check_tree(const accord_tree *tree)
{
    accord_pattern *pattern = pattern_of(tree);
    uint32_t nodes = accord_pattern_nodes(pattern);
    check_pattern(pattern, tree);
    accord_pattern_free(pattern);
    return nodes;
}

static bool same_pattern(const accord_pattern *a, const accord_pattern *b)
{
    uint32_t nodes = accord_pattern_nodes(a);
    bool same = nodes == accord_pattern_nodes(b);
    for (uint32_t id = 0; same && id < nodes; id++) {
        const accord_pattern_node *p = accord_pattern_at(a, id), *q = accord_pattern_at(b, id);
        same = p->steps == q->steps && p->parts == q->parts && p->stride == q->stride &&
               p->label == q->label &&
               (p->parts == 0 || memcmp(accord_pattern_parts(a, id), accord_pattern_parts(b, id),
                                        p->parts * sizeof(accord_pattern_part)) == 0);
    }
    return same;
}

/* A tree over the leaves of several trees, each a child of the root: leaf i of tree t becomes leaf
 * at[t] + i * stride. */
static accord_tree *side_by_side(const accord_tree *const *tree, const uint32_t *at, uint32_t count,
                                 uint32_t stride)
{
    uint32_t leaves = 0, inner = 1;
    for (uint32_t t = 0; t < count; t++) {
        leaves += tree[t]->leaves;
        inner += tree[t]->inner;
    }
    uint32_t *parent = accordi_alloc((size_t)leaves + inner, sizeof *parent);
    uint32_t root = leaves + inner - 1, next = leaves;
    parent[root] = ACCORD_TREE_NO_NODE;
    for (uint32_t t = 0; t < count; t++) {
        const accord_tree *part = tree[t];
        parent[part->inner ? next + part->inner - 1 : at[t]] = root;
        for (uint32_t k = 0; k < part->inner; k++)
            for (uint32_t c = part->first[k]; c < part->first[k + 1]; c++) {
                uint32_t v = part->child[c];
                parent[v < part->leaves ? at[t] + v * stride : next + v - part->leaves] = next + k;
            }
        next += part->inner;
    }
    accord_tree *whole = NULL;
    assert_int_equal(accord_tree_from_parents(leaves, inner, parent, &whole, NULL), ACCORD_OK);
    free(parent);
    return whole;
}

/* ---- properties ---- */

static void test_random_trees(void **state)
{
    (void)state;
    for (size_t trial = trials(3000); trial-- > 0;) {
        size_t kind = accordi_rng_below(&rng, TREE_KINDS + ACCORDI_TREE_KINDS);
        uint32_t n = draw_size(&rng);
        accord_tree *tree = NULL;
        if (kind < TREE_KINDS)
            tree = random_tree(&rng, (enum tree_kind)kind, n);
        else
            accordi_random_tree(&rng, (enum accordi_tree_kind)(kind - TREE_KINDS), n, &tree, NULL);
        assert_non_null(tree);
        check_tree(tree);
        accord_tree_free(tree);
    }
}

/* Different trees have different patterns, and only equal ones are one shape beside each other. */
static void test_small_trees(void **state)
{
    (void)state;
    accord_tree *trees[MOST_TREES];
    accord_pattern *patterns[MOST_TREES];
    for (uint32_t leaves = 2; leaves <= MOST_LEAVES; leaves++) {
        size_t count = all_trees(leaves, trees);
        for (size_t t = 0; t < count; t++) {
            patterns[t] = pattern_of(trees[t]);
            check_pattern(patterns[t], trees[t]);
        }
        for (size_t t = 0; t < count; t++)
            for (size_t u = 0; u < count; u++) {
                assert_int_equal(same_pattern(patterns[t], patterns[u]), t == u);
                accord_tree *whole = side_by_side((const accord_tree *const[]){trees[t], trees[u]},
                                                  (uint32_t[]){0, leaves}, 2, 1);
                accord_pattern *p = pattern_of(whole);
                check_pattern(p, whole);
                const accord_pattern_part *part =
                    accord_pattern_parts(p, accord_pattern_nodes(p) - 1);
                if (t == u)
                    assert_true(part[0].node == part[1].node);
                else if (accord_pattern_at(p, accord_pattern_nodes(p) - 1)->steps == 1)
                    assert_true(part[0].node != part[1].node);
                accord_pattern_free(p);
                accord_tree_free(whole);
            }
        for (size_t t = 0; t < count; t++) {
            accord_pattern_free(patterns[t]);
            accord_tree_free(trees[t]);
        }
    }
}

/* Four equal trees of four leaves and more, behind each other or interleaved, as one fused sum:
 * the root has four parts of one shape. */
static void test_copies_are_one_shape(void **state)
{
    (void)state;
    for (size_t trial = trials(1000); trial-- > 0;) {
        uint32_t n = 2 + draw_size(&rng), stride = trial % 2 ? 4 : 1, at[4];
        accord_tree *tree = random_tree(&rng, (enum tree_kind)(trial % TREE_KINDS), n);
        for (uint32_t t = 0; t < 4; t++)
            at[t] = stride == 1 ? t * n : t;
        accord_tree *whole =
            side_by_side((const accord_tree *const[]){tree, tree, tree, tree}, at, 4, stride);
        accord_pattern *p = pattern_of(whole);
        check_pattern(p, whole);
        const accord_pattern_part *part = accord_pattern_parts(p, accord_pattern_nodes(p) - 1);
        assert_int_equal(accord_pattern_at(p, accord_pattern_nodes(p) - 1)->parts, 4);
        for (uint32_t t = 0; t < 4; t++) {
            assert_int_equal(part[t].node, part[0].node);
            assert_int_equal(part[t].shift, at[t]);
        }
        accord_pattern_free(p);
        accord_tree_free(whole);
        accord_tree_free(tree);
    }
}

/* ---- labels ---- */

/* A number for a labeled subtree up to a shift: from its label, and of each child the number and
 * the distance of the smallest leaf, in any order. */
static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t number_of(uint32_t label)
{
    return mixed(label + 1);
}

static uint64_t child_number(uint64_t number, uint32_t shift)
{
    return mixed(number + 77 * ((uint64_t)shift + 1));
}

/* Those of all nodes; the caller frees them. */
static uint64_t *numbers_of_tree(const accord_tree *tree, const uint32_t *label)
{
    uint32_t n = tree->leaves;
    uint64_t *number = accordi_alloc((size_t)n + tree->inner, sizeof *number);
    uint32_t *low = accordi_alloc((size_t)n + tree->inner, sizeof *low);
    for (uint32_t v = 0; v < n + tree->inner; v++) {
        number[v] = number_of(label[v]);
        low[v] = v < n ? v : low[tree->child[tree->first[v - n]]];
        for (uint32_t c = v < n ? 0 : tree->first[v - n]; v >= n && c < tree->first[v - n + 1]; c++)
            number[v] += child_number(number[tree->child[c]], low[tree->child[c]] - low[v]);
    }
    free(low);
    return number;
}

/* The same from the pattern, step by step. */
static uint64_t number_of_pattern(const accord_pattern *p)
{
    uint32_t nodes = accord_pattern_nodes(p);
    uint64_t *number = accordi_alloc(nodes, sizeof *number);
    for (uint32_t id = 0; id < nodes; id++) {
        const accord_pattern_node *node = accord_pattern_at(p, id);
        const accord_pattern_part *part = accord_pattern_parts(p, id);
        number[id] = number_of(node->label);
        uint64_t sum = node->steps ? number[part[0].node] : 0;
        int64_t at = node->steps ? part[0].shift : 0;
        for (uint32_t s = 0; s < node->steps; s++) {
            int64_t low = at;
            for (uint32_t i = 1; i < node->parts; i++)
                low =
                    part[i].shift + s * node->stride < low ? part[i].shift + s * node->stride : low;
            number[id] = number_of(node->label) + child_number(sum, (uint32_t)(at - low));
            for (uint32_t i = 1; i < node->parts; i++)
                number[id] += child_number(number[part[i].node],
                                           (uint32_t)(part[i].shift + s * node->stride - low));
            sum = number[id];
            at = low;
        }
    }
    uint64_t root = number[nodes - 1];
    free(number);
    return root;
}

/* Nodes of the tree have one shape if and only if they have one number. */
static void check_nodes(const accord_tree *tree, const uint32_t *label, const uint64_t *number)
{
    uint32_t *own = accordi_alloc(tree->inner, sizeof *own), n = tree->leaves;
    uint32_t *size = accordi_alloc(tree->inner, sizeof *size);
    accord_pattern *p = NULL;
    assert_int_equal(accordi_pattern_of_nodes(tree, label, own, &p, NULL), ACCORD_OK);
    accord_tree_sizes(tree, size);
    for (uint32_t i = 0; i < tree->inner; i++) {
        if (own[i] == ACCORD_TREE_NO_NODE)
            continue;
        assert_int_equal(accord_pattern_at(p, own[i])->leaves, size[i]);
        assert_int_equal(accord_pattern_at(p, own[i])->label, label[n + i]);
        for (uint32_t j = 0; j < i && i < 200; j++)
            if (own[j] != ACCORD_TREE_NO_NODE)
                assert_int_equal(own[i] == own[j], number[n + i] == number[n + j]);
    }
    if (tree->inner > 0)
        assert_int_equal(own[tree->inner - 1], accord_pattern_nodes(p) - 1);
    accord_pattern_free(p);
    free(own);
    free(size);
}

/* Labels come back with the shapes; labels that are all the same change nothing else. */
static void test_labels(void **state)
{
    (void)state;
    for (size_t trial = trials(4000); trial-- > 0;) {
        accord_tree *tree =
            random_tree(&rng, (enum tree_kind)(trial % TREE_KINDS), 1 + draw_size(&rng));
        size_t nodes = (size_t)tree->leaves + tree->inner, kinds = 1 + accordi_rng_below(&rng, 3);
        size_t one_in = accordi_rng_below(&rng, 2) ? 1 : nodes;
        uint32_t *label = accordi_alloc(nodes, sizeof *label);
        for (size_t v = 0; v < nodes; v++)
            label[v] = accordi_rng_below(&rng, one_in) ? v < tree->leaves
                                                       : (uint32_t)accordi_rng_below(&rng, kinds);
        accord_pattern *p = labeled(tree, label), *bare = pattern_of(tree);
        uint64_t *number = numbers_of_tree(tree, label);
        assert_true(number_of_pattern(p) == number[nodes - 1]);
        check_nodes(tree, label, number);
        free(number);
        accord_tree *again = NULL;
        assert_int_equal(accord_pattern_tree(p, &again, NULL), ACCORD_OK);
        assert_true(accord_tree_equal(tree, again));
        memset(label, 0, nodes * sizeof *label);
        accord_pattern *zeros = labeled(tree, label);
        assert_true(same_pattern(zeros, bare));
        memset(label, 1, nodes * sizeof *label);
        accord_pattern *ones = labeled(tree, label);
        assert_int_equal(accord_pattern_nodes(ones), accord_pattern_nodes(bare));
        accord_pattern_free(p);
        accord_pattern_free(bare);
        accord_pattern_free(zeros);
        accord_pattern_free(ones);
        accord_tree_free(again);
        accord_tree_free(tree);
        free(label);
    }
}

/* Of two equal trees side by side with other labels, both are one shape exactly if their labels
 * are the same. */
static void test_labels_tell_shapes_apart(void **state)
{
    (void)state;
    for (size_t trial = trials(2000); trial-- > 0;) {
        uint32_t n = 2 + draw_size(&rng), at[2] = {0, n};
        accord_tree *tree = random_tree(&rng, (enum tree_kind)(trial % TREE_KINDS), n);
        accord_tree *whole = side_by_side((const accord_tree *const[]){tree, tree}, at, 2, 1);
        uint32_t *label = accordi_calloc((size_t)whole->leaves + whole->inner, sizeof *label);
        for (uint32_t i = 0; i < n; i++)
            label[i] = label[n + i] = (uint32_t)accordi_rng_below(&rng, 2);
        for (uint32_t k = 0; k < tree->inner; k++)
            label[2 * n + k] = label[2 * n + tree->inner + k] =
                4 + (uint32_t)accordi_rng_below(&rng, 2);
        label[2 * n + 2 * tree->inner] = 9;
        size_t nodes = (size_t)n + tree->inner, odd = accordi_rng_below(&rng, 2 * nodes);
        if (odd < nodes)
            label[odd < n ? odd : n + odd] += 2;
        accord_pattern *p = labeled(whole, label);
        const accord_pattern_part *part = accord_pattern_parts(p, accord_pattern_nodes(p) - 1);
        assert_int_equal(part[0].node == part[1].node, odd >= nodes);
        accord_pattern_free(p);
        accord_tree_free(whole);
        accord_tree_free(tree);
        free(label);
    }
}

/* ---- known orders ---- */

static accord_tree *known(const char *order, size_t n)
{
    char notation[80];
    accord_target_options options;
    accord_target *target = NULL;
    accord_tree *tree = NULL;
    accord_error error;
    accord_target_options_init(&options);
    options.n = n;
    snprintf(notation, sizeof notation, "synthetic:%s", order);
    if (accord_target_open(notation, &options, &target, &error) != ACCORD_OK)
        fail_msg("%s: %s", order, error.text);
    assert_int_equal(accord_synthetic_tree(target, &tree, NULL), ACCORD_OK);
    accord_target_close(target);
    return tree;
}

static const char *const regular[] = {"sequential",
                                      "reverse",
                                      "pairwise",
                                      "adjacent",
                                      "numpy",
                                      "star",
                                      "lanes:2",
                                      "lanes:8,fold=pairwise",
                                      "lanes:64,fold=sequential",
                                      "lanes:500,fold=halves",
                                      "blocks:8",
                                      "blocks:1000",
                                      "fused:1",
                                      "fused:16"};
enum { REGULAR = sizeof regular / sizeof *regular, MOST_NODES = 1000 };

static void test_regular_orders(void **state)
{
    (void)state;
    static const size_t sizes[] = {1,  2,  3,   4,   5,   7,    8,    9,
                                   16, 31, 100, 128, 129, 1000, 4096, 99999};
    for (size_t o = 0; o < REGULAR; o++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            accord_tree *tree = known(regular[o], sizes[s]);
            uint32_t nodes = check_tree(tree);
            if (nodes >= MOST_NODES)
                fail_msg("%s of %zu terms: %u nodes", regular[o], sizes[s], nodes);
            accord_tree_free(tree);
        }
}

/* Regular orders from which some terms are taken: runs that break off and begin anew. */
static void test_regular_orders_with_gaps(void **state)
{
    (void)state;
    enum { MOST = 400 };
    for (size_t trial = trials(2000); trial-- > 0;) {
        uint32_t kept[MOST], count = 0, n = 2 + (uint32_t)accordi_rng_below(&rng, MOST - 2);
        uint64_t gaps = 2 + accordi_rng_below(&rng, 40);
        for (uint32_t i = 0; i < n; i++)
            if (accordi_rng_below(&rng, gaps) > 0)
                kept[count++] = i;
        accord_tree *whole = known(regular[trial % REGULAR], n), *tree = NULL;
        if (count > 0) {
            assert_int_equal(accord_tree_restrict(whole, count, kept, &tree, NULL), ACCORD_OK);
            check_tree(tree);
        }
        accord_tree_free(tree);
        accord_tree_free(whole);
    }
}

static void test_ten_million_terms(void **state)
{
    (void)state;
    static const int large[] = {0, 1, 4, 8};
    uint64_t seed = trials_seed();
    for (size_t o = 0; o < sizeof large / sizeof *large; o++) {
        if (!trial_runs(o, seed))
            continue;
        accord_tree *tree = known(regular[large[o]], 10000000);
        double before = accordi_now();
        accord_pattern *p = pattern_of(tree);
        printf("# %s: %u nodes, %.2f s\n", regular[large[o]], accord_pattern_nodes(p),
               accordi_now() - before);
        assert_true(accord_pattern_nodes(p) < MOST_NODES);
        check_pattern(p, tree);
        accord_pattern_free(p);
        accord_tree_free(tree);
    }
}

typedef struct expected_run {
    const char *order;
    size_t n;
    uint32_t steps;
    int64_t stride;
    accord_pattern_part start, added;
} expected_run;

/* How chains are told: from the first term, from the last, in steps of fused sums. */
static void test_runs(void **state)
{
    (void)state;
    static const expected_run runs[] = {
        {"sequential", 100, 99, 1, {0, 0}, {0, 1}},
        {"sequential", 3, 2, 1, {0, 0}, {0, 1}},
        {"reverse", 100, 99, -1, {0, 99}, {0, 98}},
        {"lanes:8,fold=sequential", 80, 7, 1, {1, 0}, {1, 1}},
        {"blocks:10", 100, 9, 10, {1, 0}, {1, 10}},
        {"fused:4", 100, 24, 4, {1, 0}, {0, 4}},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        accord_tree *tree = known(runs[i].order, runs[i].n);
        accord_pattern *p = pattern_of(tree);
        uint32_t root = accord_pattern_nodes(p) - 1;
        const accord_pattern_part *part = accord_pattern_parts(p, root);
        assert_int_equal(accord_pattern_at(p, root)->steps, runs[i].steps);
        assert_int_equal(accord_pattern_at(p, root)->stride, runs[i].stride);
        assert_memory_equal(&part[0], &runs[i].start, sizeof *part);
        assert_memory_equal(&part[1], &runs[i].added, sizeof *part);
        accord_pattern_free(p);
        accord_tree_free(tree);
    }
}

/* ---- measures ---- */

static void test_measures(void **state)
{
    (void)state;
    static const struct {
        const char *order;
        size_t n;
        accord_order_measures m;
    } rows[] = {
        {"sequential", 1, {0, 0, 0, 0}},     {"sequential", 2, {1, 0, 2, 1}},
        {"sequential", 100, {99, 0, 2, 99}}, {"pairwise", 64, {63, 0, 2, 6}},
        {"star", 100, {0, 1, 100, 1}},       {"fused:16", 64, {0, 4, 17, 4}},
        {"fused:2", 4, {1, 1, 3, 2}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        accord_tree *tree = known(rows[i].order, rows[i].n);
        accord_order_measures m;
        assert_int_equal(accord_order_measure(tree, &m, NULL), ACCORD_OK);
        assert_memory_equal(&m, &rows[i].m, sizeof m);
        accord_tree_free(tree);
    }
}

/* ---- words ---- */

static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *order;
        size_t n;
        const char *words;
    } rows[] = {
        {"sequential", 1, "one term"},
        {"sequential", 2, "one addition"},
        {"star", 3, "one fused sum"},
        {"sequential", 1000, "sequential"},
        {"reverse", 1000, "sequential from the last term"},
        {"pairwise", 1000, "pairwise by halves"},
        {"pairwise", 4, "pairwise by halves"},
        {"adjacent", 1000, "pairwise by neighbors"},
        {"numpy", 1000, "as NumPy's pairwise sum"},
        {"numpy", 64, "8 lanes, folded by neighbors"},
        {"lanes:2", 100, "2 lanes"},
        {"lanes:8,fold=halves", 100, "8 lanes, folded by halves"},
        {"lanes:12,fold=pairwise", 101, "12 lanes, folded by neighbors"},
        {"lanes:64,fold=sequential", 256, "64 lanes, folded one by one"},
        {"lanes:1000,fold=halves", 65537, "1000 lanes, folded by halves"},
        {"blocks:10", 95, "blocks of 10 terms, one after the other"},
        {"fused:16", 100, "fused sums of 16 terms, one after the other"},
        {"recursive-doubling", 1000, "by recursive doubling"},
        {"recursive-halving", 1000, "by recursive halving"},
        {"k-ary:4", 1000, "up a tree of 4 children each, numbered level by level"},
        {"binary", 1000, "up a tree of 2 children each, numbered across its levels"},
        {"in-order-binary", 1000, "up a binary tree in postorder"},
        {"nccl-tree", 1000, "up a binary tree in order"},
        {"nccl-second-tree", 1000, "up a binary tree in order from the last"},
        {"nccl-second-tree", 1001, "beginning with number 1, then up a binary tree in order"},
        {"fused:2", 7, "fused sums of 2 terms, one after the other"},
        {"multiway:4", 9, NULL},
        {"uniform", 40, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        accord_tree *tree = known(rows[i].order, rows[i].n);
        char words[ACCORD_ORDER_WORDS_SIZE], none[ACCORD_ORDER_WORDS_SIZE];
        accord_order_measures m;
        assert_int_equal(accord_order_measure(tree, &m, NULL), ACCORD_OK);
        accordi_put_measures(none, &m);
        assert_int_equal(accord_order_words(tree, words), rows[i].words != NULL);
        assert_string_equal(words, rows[i].words ? rows[i].words : none);
        accord_tree_free(tree);
    }
}

static void test_measures_in_words(void **state)
{
    (void)state;
    static const struct {
        accord_order_measures measures;
        const char *words;
    } rows[] = {
        {{0, 0, 0, 0}, ""},
        {{1, 0, 2, 1}, "1 addition"},
        {{0, 1, 3, 1}, "1 fused sum with up to 3 operands"},
        {{9, 0, 2, 5}, "9 additions, depth 5"},
        {{1, 11, 16, 12}, "1 addition and 11 fused sums with up to 16 operands, depth 12"},
        {{1023, 1, 4, 10}, "1,023 additions and 1 fused sum with up to 4 operands, depth 10"},
        {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX},
         "4,294,967,295 additions and 4,294,967,295 fused sums with up to 4,294,967,295 operands, "
         "depth 4,294,967,295"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[ACCORD_ORDER_WORDS_SIZE];
        accordi_put_measures(words, &rows[i].measures);
        assert_string_equal(words, rows[i].words);
    }
}

/* What excludes a name at a glance excludes no order that has it. */
static void test_regular_orders_have_names(void **state)
{
    (void)state;
    char words[ACCORD_ORDER_WORDS_SIZE];
    for (size_t o = 0; o < REGULAR; o++)
        for (size_t n = 1; n <= 300; n++) {
            accord_tree *tree = known(regular[o], n);
            if (!accord_order_words(tree, words))
                fail_msg("%s of %zu terms has no name", regular[o], n);
            accord_tree_free(tree);
        }
}

/* Of all trees of few leaves no two have one name. */
static void test_names_are_exact(void **state)
{
    (void)state;
    static char words[MOST_TREES][ACCORD_ORDER_WORDS_SIZE];
    accord_tree *trees[MOST_TREES];
    for (uint32_t leaves = 2; leaves <= MOST_LEAVES; leaves++) {
        size_t count = all_trees(leaves, trees), named = 0;
        for (size_t t = 0; t < count; t++) {
            if (!accord_order_words(trees[t], words[t]))
                continue;
            named++;
            for (size_t u = 0; u < t; u++)
                assert_string_not_equal(words[t], words[u]);
        }
        assert_true(named >= leaves - 1);
        for (size_t t = 0; t < count; t++)
            accord_tree_free(trees[t]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_small_trees),
        cmocka_unit_test(test_copies_are_one_shape),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_labels_tell_shapes_apart),
        cmocka_unit_test(test_regular_orders),
        cmocka_unit_test(test_ten_million_terms),
        cmocka_unit_test(test_regular_orders_with_gaps),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_measures),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_measures_in_words),
        cmocka_unit_test(test_names_are_exact),
        cmocka_unit_test(test_regular_orders_have_names),
    };
    accordi_rng_init(&rng, trials_seed());
    return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
