/* Notations: every tree comes back with its labels, orders that libraries use have short ones, and
 * what is wrong is shown where it is. */
#include "pattern/notation.h"
#include "pattern/pattern.h"
#include "trees.h"
#include "trials.h"
#include <accord/accord.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SMALL_TREES_LEAVES 7
#define SMALL_TREES_COUNT 39208
#include "moved_leaves.h"
#include "small_trees.h"

static accordi_rng rng;

static char *written(const accord_tree *tree, const uint32_t *label, bool *regular)
{
    char *text = NULL;
    assert_int_equal(accord_notation_write(tree, label, &text, regular, NULL), ACCORD_OK);
    return text;
}

static accord_tree *parsed(const char *text, uint32_t **label)
{
    accord_tree *tree = NULL;
    accord_error error = {0};
    if (accord_notation_parse(text, &tree, label, NULL, &error))
        fail_msg("%.300s: %s", text, error.text);
    return tree;
}

/* The notation gives the tree and its labels back, and it is canonical: a function of these. */
static void check(const accord_tree *tree, const uint32_t *label)
{
    char *text = written(tree, label, NULL);
    uint32_t *labels = NULL;
    accord_tree *again = parsed(text, &labels);
    if (!accord_tree_equal(tree, again))
        fail_msg("%.300s is another tree", text);
    for (uint32_t v = 0; v < tree->leaves + tree->inner; v++)
        if (labels[v] != (label ? label[v] : 0))
            fail_msg("%.300s: node %u has another label", text, v);
    assert_int_equal(accord_tree_check(again, NULL), ACCORD_OK);
    assert_int_equal(accord_notation_terms(text), tree->leaves);
    char *second = written(again, labels, NULL);
    assert_string_equal(text, second);
    accord_notation_free(text);
    accord_notation_free(second);
    accord_notation_free(labels);
    accord_tree_free(again);
}

/* Labels of a random kind: of few nodes, of all, equal in stretches, of terms too. */
static uint32_t *random_labels(const accord_tree *tree)
{
    uint32_t nodes = tree->leaves + tree->inner;
    uint32_t *label = accordi_calloc(nodes, sizeof *label);
    uint64_t kind = accordi_rng_below(&rng, 4), from = kind == 3 ? 0 : tree->leaves;
    for (uint64_t v = from; v < nodes; v++)
        if (kind == 1 || accordi_rng_below(&rng, 8) == 0)
            label[v] = (uint32_t)accordi_rng_below(&rng, 3);
        else if (kind >= 2 && v > from)
            label[v] = label[v - 1];
    return label;
}

static void test_random_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < trials(5000); i++) {
        accord_tree *tree = random_tree(&rng, (enum tree_kind)(i % TREE_KINDS), draw_size(&rng));
        uint32_t *label = random_labels(tree);
        check(tree, i % 2 ? label : NULL);
        free(label);
        accord_tree_free(tree);
    }
}

static void test_small_trees(void **state)
{
    (void)state;
    static accord_tree *trees[SMALL_TREES_COUNT];
    for (uint32_t leaves = 2; leaves <= (trials(1) > 1 ? 7 : 6); leaves++) {
        size_t count = all_trees(leaves, trees);
        for (size_t t = 0; t < count; t++) {
            uint32_t *label = random_labels(trees[t]);
            check(trees[t], NULL);
            check(trees[t], label);
            free(label);
            accord_tree_free(trees[t]);
        }
    }
}

static uint32_t below(uint32_t bound)
{
    return (uint32_t)accordi_rng_below(&rng, bound);
}

/* Steps at random. Many of them cannot be done to the list; the others are regular orders, and
 * some that almost are. */
static void put_random_steps(accordi_buffer *out, unsigned depth)
{
    static const char *const folds[] = {
        "chain",         "chain back", "pairs",   "halves",       "fuse",          "split",
        "doubling",      "halving",    "counter", "heap 2",       "heap across 2", "heap 5",
        "heap across 3", "postorder",  "inorder", "inorder back", "reverse",
    };
    for (uint32_t steps = 1 + below(3); steps-- > 0;) {
        uint32_t kind = below(depth < 3 ? 8 : 5), size = 1u << below(6);
        bool rows = false;
        if (kind < 2) {
            rows = below(3) == 0;
            accordi_buffer_printf(out, rows ? "rows %u" : "lanes %u", size + below(2));
            if (below(4) == 0)
                accordi_buffer_printf(out, " by %u", size + below(2 * size));
        } else if (kind == 2)
            accordi_buffer_printf(out, "%s %u", below(2) ? "fuse" : "add", 1 + below(8));
        else if (kind < 5)
            accordi_buffer_puts(out, folds[below(sizeof folds / sizeof *folds)]);
        else {
            if (kind == 5 && below(4) == 0)
                accordi_buffer_puts(out, below(2) ? "tree 1 0 (2+3) in 4s of 4s; "
                                                  : "tree (0+2) 1 in 3s of 3s; ");
            if (kind == 6)
                accordi_buffer_printf(out, "split %sto %u by %u ", below(2) ? "up " : "", 8 * size,
                                      1u << below(4));
            if (kind == 7)
                accordi_buffer_printf(out, "lanes %u ", 2 * size);
            accordi_buffer_puts(out, "(");
            put_random_steps(out, depth + 1);
            accordi_buffer_puts(out, kind == 5 ? ")" : "; chain)");
        }
        static const char *const lists[] = {" in %us", " in %us", " in %us back", " in %u parts"};
        if (below(3) == 0 && kind != 6 && !rows)
            accordi_buffer_printf(out, lists[below(4)], 2 + below(40));
        if (below(2))
            accordi_buffer_printf(out, below(2) ? " of %us" : " of last %u", size);
        else if (below(8) == 0)
            accordi_buffer_printf(out, " of %u at %u", size, below(4));
        if (below(16) == 0)
            accordi_buffer_printf(out, "; onto %u in %us of rest", below(3), 1 + below(3));
        if (below(16) == 0)
            accordi_buffer_printf(out, "; turn %u", 1 + below(9));
        if (below(8) == 0) {
            uint32_t row = 1 + below(8);
            accordi_buffer_printf(out, "; next %u onto %u in %us", row * (1 + below(3)), below(8),
                                  row);
        }
        if (steps > 0)
            accordi_buffer_puts(out, "; ");
    }
}

/* Whether counting says that one item is left. */
static bool is_counted(const char *text)
{
    accordi_step *steps = NULL;
    uint32_t leaves = 0;
    if (accordi_steps_parse(text, &leaves, &steps, NULL, NULL))
        return false;
    size_t count = leaves;
    bool good = accordi_steps_count(steps, &count) && count == 1;
    accordi_steps_free(steps);
    return good;
}

static void test_random_steps(void **state)
{
    (void)state;
    size_t made = 0, count = trials(6000);
    for (size_t i = 0; i < count; i++) {
        accordi_buffer text = {0};
        accord_tree *tree = NULL;
        accordi_buffer_printf(&text, "%u: ", 1 + below(i % 10 ? 200 : 3000));
        put_random_steps(&text, 0);
        accordi_buffer_puts(&text, "; chain");
        bool good = accord_notation_parse(text.data, &tree, NULL, NULL, NULL) == ACCORD_OK;
        if (good != is_counted(text.data))
            fail_msg("%s: items are counted that cannot be added, or the reverse", text.data);
        if (good) {
            check(tree, NULL);
            accord_tree_free(tree);
            made++;
        }
        accordi_buffer_clear(&text);
    }
    assert_true(made > count / 5 && made < count);
}

/* Brackets for some of the terms of a block, each of them once: terms `from` to `to` of a list. */
static void put_random_brackets(accordi_buffer *out, const uint32_t *term, uint32_t from,
                                uint32_t to)
{
    if (from == to) {
        accordi_buffer_printf(out, "%u", term[from]);
        return;
    }
    uint32_t cut = from + below(to - from);
    accordi_buffer_puts(out, "(");
    put_random_brackets(out, term, from, cut);
    accordi_buffer_puts(out, "+");
    put_random_brackets(out, term, cut + 1, to);
    accordi_buffer_puts(out, ")");
}

/* "tree 6 4 (5+7) ((0+2)+(1+3)) in 8s; chain": a chain to which each block gives several sums; at
 * times terms stand before the blocks or behind them, or a list has several such chains. */
static void put_random_kernel(accordi_buffer *out)
{
    enum { LARGEST = 12 };
    uint32_t term[LARGEST], block = 2 + below(LARGEST - 1), blocks = 2 + below(20);
    uint32_t before = below(3) ? 0 : below(9), behind = below(3) ? 0 : below(block);
    for (uint32_t i = 0; i < block; i++) {
        uint32_t k = below(i + 1);
        term[i] = term[k];
        term[k] = i;
    }
    uint32_t n = before + block * blocks + behind;
    uint32_t parts = below(4) ? 1 : 2 + below(3);
    accordi_buffer_printf(out, "%u: %s", n * parts, parts > 1 ? "(" : "");
    if (before > 1)
        accordi_buffer_printf(out, "%s of %u; ", below(2) ? "chain" : "pairs", before);
    accordi_buffer_puts(out, "tree");
    for (uint32_t from = 0, to; from < block; from = to + 1) {
        to = below(2) ? from : from + below(block - from);
        accordi_buffer_puts(out, " ");
        put_random_brackets(out, term, from, to);
    }
    accordi_buffer_printf(out, " in %us of %u at %u; chain", block, block * blocks,
                          before > 1 ? 1 : before);
    if (parts > 1)
        accordi_buffer_printf(out, ") in %us; %s", n, below(2) ? "chain" : "halves");
}

/* Blocks of brackets, and the same with a term out of its place, which no rule may overlook. */
static void test_kernels(void **state)
{
    (void)state;
    for (size_t i = 0; i < trials(300); i++) {
        accordi_buffer text = {0};
        put_random_kernel(&text);
        accord_tree *tree = parsed(text.data, NULL), *moved;
        uint32_t n = tree->leaves, from = below(n), to = (from + 1 + below(n - 1)) % n;
        uint32_t *label = random_labels(tree);
        check(tree, i % 4 ? NULL : label);
        moved = leaf_moved(tree, from, to);
        assert_non_null(moved);
        check(moved, NULL);
        accord_tree_free(moved);
        accord_tree_free(tree);
        free(label);
        accordi_buffer_clear(&text);
    }
}

/* The notation of an order, and the one that is canonical. */
static const struct canonical {
    const char *text, *canonical; /* NULL: the same */
} canonicals[] = {
    {"1", NULL},
    {"2: chain", NULL},
    {"3: pairs", "3: chain"},
    {"3: fuse", NULL},
    {"1000: chain", NULL},
    {"1000: chain back", NULL},
    {"1000: pairs", NULL},
    {"1000: halves", NULL},
    {"1000: fuse", NULL},
    {"1000: fuse 16", NULL},
    {"1000: add 16", NULL},
    {"1000: split", NULL},
    {"1000: split up", NULL},
    {"1000: turn 300; chain", NULL},
    {"1000: turn 300; chain back", NULL},
    {"1000: lanes 8; halves", NULL},
    {"1000: lanes 8; chain", NULL},
    {"1000: lanes 2 (pairs); chain", NULL},
    {"1000: lanes 8 in 128s; lanes 8; halves", NULL},
    {"1000: chain in 128s; chain", NULL},
    {"1000: chain in 128s; pairs", NULL},
    {"1000: chain in 3 parts; chain", NULL},
    {"1000: chain of 384; chain in 308s of last 616; chain", NULL},
    {"1000: chain of 384; chain of last 616; chain", NULL},
    {"1000: (lanes 32; halves) in 128s; chain", NULL},
    {"1000: ((lanes 8; pairs) of 8s; chain) in 333s; chain", NULL},
    {"1000: split up to 64 by 4 (lanes 4; halves)", NULL},
    {"300: (lanes 8; halves) in 256s; chain", NULL},
    {"208: (lanes 4; pairs) in 128s; chain", NULL},
    {"200: split to 128 by 8 (lanes 8; pairs)", NULL},
    /* a shorter first block: JAX's sums */
    {"1262: (chain of 23; chain in 32s of last 608; chain) of 631; (chain in 32s; chain) of last "
     "631; chain",
     "1262: (chain in 32s back; chain) of 631; (chain in 32s; chain) of last 631; chain"},
    {"1000: ((lanes 8; pairs) of 8s; chain) in 300s back; chain", NULL},
    /* blocks that give a chain several sums each: PyTorch's product of a row and a matrix */
    {"4096: tree 6 4 (5+7) ((0+2)+(1+3)) in 8s; chain", NULL},
    {"4093: tree 6 4 (5+7) ((0+2)+(1+3)) in 8s of 4088; chain", NULL},
    {"16: halves in 4s of 8; tree ((((0+1)+8)+6)+((7+9)+((2+4)+(3+5)))) of 10; chain",
     "16: tree ((((((0+2)+(1+3))+((4+6)+(5+7)))+14)+12)+(((8+10)+(9+11))+(13+15)))"},
    {"300: tree 1 0 2 in 3s; chain", NULL},
    {"302: tree 1 0 (2+3) 4 in 5s of 300; chain", NULL},
    {"307: chain of 5; tree 1 0 (2+3) 4 in 5s of 300 at 1; chain", NULL},
    {"307: pairs of 7; tree 1 0 (2+3) 4 in 5s of last 300; chain", NULL},
    {"300: (tree 1 0 (2+3) in 4s; chain) in 100s; chain", NULL},
    {"40: tree 0 1 (2+3) in 4s; chain", NULL},
    {"40: tree 0 1 2 in 3s of 39; chain", "40: chain"},
    /* orders from the last term on, and blocks whose terms are added from the last one on */
    {"1003: reverse; lanes 8; chain", NULL},
    {"999: reverse; split to 128 by 8 ((lanes 8; pairs) of 8s; chain)", NULL},
    {"1003: terms{3} of 9; reverse; rows 64{3}; lanes 32{5} of 48; lanes 24; lanes 8{2}; chain",
     NULL},
    {"1000: reverse; chain", "1000: chain back"},
    {"1001: reverse in 2s; chain", NULL},
    {"256: (reverse in 2s; chain) in 32s; chain", NULL},
    {"256: lanes 4 (reverse in 2s; chain); chain", NULL},
    /* ATLAS's dasum: four rows of two lanes, of which the last one has no accumulator of its own */
    {"4094: (lanes 6 by 8; lanes 2; chain) of 4088; chain", NULL},
    {"1000: lanes 8 by 5; chain", "1000: lanes 8; chain"},
    {"40: (lanes 32; lanes 8; halves) of 32; chain of last 8; chain",
     "40: (lanes 8; halves) of 32; chain of last 8; chain"},
    {"46: (lanes 4 of 8; lanes 8; lanes 4; pairs) of 44; chain of last 2; chain", NULL},
    {"63: lanes 32; lanes 8; chain", NULL},
    {"4095: rows 32 (chain in 16s; chain); next 24 onto 0 in 8s; rows 8; turn 8; chain", NULL},
    {"4095: lanes 32 (chain in 16s; chain) of 4064; onto 0 in 8s of 24 at 32; lanes 8 of 32; turn "
     "8; chain",
     "4095: rows 32 (chain in 16s; chain); next 24 onto 0 in 8s; rows 8; turn 8; chain"},
    {"111: lanes 4 of 104; onto 0 of last 7; pairs", NULL},
    {"10: chain{3} of 5; chain{1}", NULL},
    {"9: terms{4} of 3; chain", NULL},
    /* MPI's algorithms, with every number of ranks, and NCCL's trees */
    {"5: doubling", NULL},
    {"1540: chain in 2s of 1032; pairs", "1540: doubling"},
    {"3687: chain in 2s of 3278; halves", "3687: halving"},
    {"1541: doubling in 24s; doubling", "1541: doubling in 8s; chain in 3s; doubling"},
    {"1540: lanes 12 (doubling); doubling", "1540: lanes 12 (doubling); pairs"},
    {"1000: heap 4", NULL},
    {"1001: heap across 3", NULL},
    {"1001: postorder", NULL},
    {"1001: inorder", NULL},
    {"1001: inorder back", NULL},
    {"1001: turn 1; inorder", NULL},
    {"1001: counter", NULL},
    {"999: chain back in 250s of 500 at 1; chain back in 249s of last 498; chain", NULL},
    /* OpenBLAS's sasum with SSE, BLIS's sdot with AVX2, and a GEMM with two last blocks */
    {"1427: lanes 16 of 1408; next 16 onto 0 in 8s; next 2 onto 12; next 1 onto 8; lanes 4 "
     "(pairs); "
     "pairs",
     NULL},
    {"23: rows 8; onto 9 of 1 at 13; next 1 onto 8; onto 8 of last 1; lanes 4; pairs", NULL},
    {"1427: (lanes 80 of 1360; lanes 40 of 120; lanes 16 of 40; lanes 16 of 32; lanes 8; chain) of "
     "1424; chain of last 3; chain",
     "1427: (rows 80; rows 40; lanes 16 of 40; rows 16; lanes 8; chain) of 1424; chain of last 3; "
     "chain"},
    {"865: (lanes 4; pairs) in 128s of 640; (lanes 4; pairs) of 112 at 5; (lanes 4; pairs) of last "
     "113; chain",
     "865: (lanes 4; pairs) in 128s of 640; (lanes 4; pairs) in 113s back of last 225; chain"},
    {"2057: (lanes 4; halves) in 128s of 1920; (lanes 4 of 64; onto 0 of last 4; halves) of 68 at "
     "15; "
     "(lanes 4 of 64; onto 0 of last 5; halves) of last 69; chain",
     "2057: (lanes 4; halves) in 128s of 1920; (lanes 4 of 8s; onto 0 of rest; halves) in 69s back "
     "of "
     "last 137; chain"},
    {"469: (lanes 4; halves) in 128s of 256; (lanes 4 of 104; onto 0 of last 4; halves) of 108 at "
     "2; "
     "(lanes 4; halves) of last 105; chain",
     "469: (lanes 4; halves) in 128s of 256; (lanes 4 of 8s; onto 0 of rest; halves) in 108s of "
     "last "
     "213; chain"},
    /* NumPy's sum */
    {"1000: split to 128 by 8 ((lanes 8; pairs) of 8s; chain)",
     "1000: split to 128 by 8 (lanes 8; pairs)"},
    {"999: split to 128 by 8 ((lanes 8; pairs) of 8s; chain)", NULL},
    /* OpenBLAS's sdot with AVX-512 */
    {"1000: (lanes 64 of 960; lanes 8 in 16s of 64; lanes 32; lanes 8; halves) of 992; "
     "chain of last 8; chain",
     "1000: (rows 64; lanes 8 in 16s of 64; lanes 32; lanes 8; halves) of 992; chain of last 8; "
     "chain"},
    /* its ddot with two threads: the first part has no tails */
    {"15999: ((rows 32; lanes 4 in 8s of 32; lanes 16; lanes 4; halves) of 16s; chain) in 2 parts; "
     "chain",
     NULL},
    {"5:tree((0+3)+(1+2)+4)", "5: tree ((0+3)+(1+2)+4)"},
    {" 8 : lanes 2( chain ) ; chain ", "8: lanes 2; chain"},
    {"8: lanes 2 in 4 parts of 4s; chain of rest; chain", "8: chain"},
};

static void test_canonical(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof canonicals / sizeof *canonicals; i++) {
        const struct canonical *row = &canonicals[i];
        uint32_t *label = NULL;
        accord_tree *tree = parsed(row->text, &label);
        char *text = written(tree, label, NULL);
        assert_string_equal(text, row->canonical ? row->canonical : row->text);
        check(tree, label);
        accord_notation_free(text);
        accord_notation_free(label);
        accord_tree_free(tree);
    }
}

/* What a few notations mean, in brackets. */
static void test_meaning(void **state)
{
    (void)state;
    static const struct meaning {
        const char *text, *brackets;
    } rows[] = {
        {"4: chain", "(((0+1)+2)+3)"},
        {"4: chain back", "(0+(1+(2+3)))"},
        {"5: pairs", "(((0+1)+(2+3))+4)"},
        {"5: halves", "(((0+3)+2)+(1+4))"},
        {"5: fuse", "(0+1+2+3+4)"},
        {"5: fuse 2", "(((0+1)+2+3)+4)"},
        {"5: add 2", "((0+1+2)+3+4)"},
        {"5: split", "((0+1)+(2+(3+4)))"},
        {"5: split up", "(((0+1)+2)+(3+4))"},
        {"6: split to 4 by 4 (chain)", "(((((0+1)+2)+3)+4)+5)"},
        {"9: split to 4 by 4 (chain)", "((((0+1)+2)+3)+((((4+5)+6)+7)+8))"},
        {"5: lanes 2; chain", "(((0+2)+4)+(1+3))"},
        {"7: lanes 2 (chain back); chain", "((0+(2+(4+6)))+(1+(3+5)))"},
        {"7: lanes 2 by 3; chain", "(((((0+2)+3)+5)+6)+(1+4))"},
        {"7: lanes 2 by 1; chain", "((((0+2)+4)+6)+((1+3)+5))"},
        {"7: lanes 2 by 3 (chain back); chain", "((0+(2+(3+(5+6))))+(1+4))"},
        {"7: rows 3; chain", "((((0+3)+(1+4))+(2+5))+6)"},
        {"7: rows 3; chain of rest; chain", "((((0+3)+(1+4))+(2+5))+6)"},
        {"8: rows 3; chain of rest; chain", "((((0+3)+(1+4))+(2+5))+(6+7))"},
        {"8: rows 2 by 3; chain", "((((((0+2)+3)+5)+(1+4))+6)+7)"},
        {"7: rows 3 (chain back) of last 6; chain", "(((0+(1+4))+(2+5))+(3+6))"},
        {"3: rows 4; chain", "((0+1)+2)"},
        {"5: reverse; lanes 2; chain", "((0+(2+4))+(1+3))"},
        {"5: reverse in 2s; chain", "((((0+1)+3)+2)+4)"},
        {"5: chain in 2s back; chain", "((0+(1+2))+(3+4))"},
        {"6: chain in 2s back; chain", "(((0+1)+(2+3))+(4+5))"},
        {"3: chain in 4s back", "((0+1)+2)"},
        {"6: onto 0 in 2s of last 4; chain", "(((0+2)+4)+((1+3)+5))"},
        {"8: lanes 3 of 6; next 2 onto 1; chain", "(((0+3)+((1+4)+6))+((2+5)+7))"},
        {"8: lanes 2 of 4; next 4 onto 0 in 2s; chain", "((((0+2)+4)+6)+(((1+3)+5)+7))"},
        {"4: chain of 2; next 0 onto 0; chain", "(((0+1)+2)+3)"},
        {"5: doubling", "(((0+1)+2)+(3+4))"},
        {"7: doubling", "(((0+1)+(2+3))+((4+5)+6))"},
        {"6: halving", "(((0+1)+4)+((2+3)+5))"},
        {"7: counter", "((((0+1)+(2+3))+(4+5))+6)"},
        {"5: counter", "(((0+1)+(2+3))+4)"},
        {"8: heap 2", "((0+((1+(3+7))+4))+((2+5)+6))"},
        {"8: heap 3", "(((0+(((1+4)+5)+6))+(2+7))+3)"},
        {"8: heap across 2", "((0+((1+(3+7))+5))+((2+4)+6))"},
        {"8: heap 1", "(0+(1+(2+(3+(4+(5+(6+7)))))))"},
        {"8: heap 9", "(((((((0+1)+2)+3)+4)+5)+6)+7)"},
        {"7: postorder", "((0+(1+2))+((3+(4+5))+6))"},
        {"8: inorder", "(0+((((1+2)+3)+4)+((5+6)+7)))"},
        {"6: inorder", "(0+((((1+2)+3)+4)+5))"},
        {"6: inorder back", "((0+(1+(2+(3+4))))+5)"},
        {"6: lanes 2 of 4; onto 0 of last 2; chain", "((((0+2)+4)+5)+(1+3))"},
        {"5: turn 3; chain", "(((0+(3+4))+1)+2)"},
        {"5: chain in 2s; chain", "(((0+1)+(2+3))+4)"},
        {"5: chain in 2 parts; chain", "(((0+1)+2)+(3+4))"},
        {"7: chain of 2 at 3; chain", "(((((0+1)+2)+(3+4))+5)+6)"},
        {"7: chain of last 2; chain", "(((((0+1)+2)+3)+4)+(5+6))"},
        {"7: (chain in 2s; pairs) of 4s; chain of rest; chain", "(((0+1)+(2+3))+((4+5)+6))"},
        {"3: tree ((2+0)+1)", "((0+2)+1)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        accord_tree *tree = parsed(rows[i].text, NULL);
        accordi_buffer text = {0};
        accord_tree_write_brackets(tree, accordi_buffer_write, &text, NULL);
        if (strcmp(text.data, rows[i].brackets) != 0)
            fail_msg("%s is %s", rows[i].text, text.data);
        accordi_buffer_clear(&text);
        accord_tree_free(tree);
    }
}

/* Labels belong to the nodes that a step makes, in the numbering of the canonical tree. */
static void test_labels(void **state)
{
    (void)state;
    static const uint32_t want[] = {0, 0, 0, 0, 9, 1, 1, 1, 7}; /* ((0+2)+4)+(1+3) */
    uint32_t *label = NULL;
    accord_tree *tree = parsed("5: terms{9} of last 1; lanes 2{1}; chain{7}", &label);
    assert_int_equal(tree->inner, 4);
    assert_memory_equal(label, want, sizeof want);
    accord_notation_free(label);
    accord_tree_free(tree);
}

/* Where a notation is wrong, and a word of the message. */
static void test_errors(void **state)
{
    (void)state;
    static const struct wrong {
        const char *text;
        size_t place;
        const char *word;
    } rows[] = {
        {"", 0, "number"},
        {"x: chain", 0, "number"},
        {"0: chain", 0, "small"},
        {"2147483648: chain", 0, "large"},
        {"9", 1, "one partial sum"},
        {"9 chain", 2, "colon"},
        {"9:", 2, "expected a step"},
        {"9: chian", 3, "expected a step"},
        {"9: chains", 3, "expected a step"},
        {"9: chain;", 9, "expected a step"},
        {"9: chain chain", 9, "expected ;"},
        {"9: lanes", 8, "number"},
        {"9: lanes 0; chain", 9, "small"},
        {"9: lanes 3", 10, "one partial sum"},
        {"9: lanes 3; halves of 2", 23, "one partial sum"},
        {"9: chain of 10; chain", 3, "not so many items"},
        {"9: chain of 2 at 8; chain", 3, "not so many items"},
        {"9: chain in 3; chain", 13, "parts"},
        {"9: (chain; chain", 16, "group"},
        {"9: chain{x}", 9, "number"},
        {"9: chain{3; chain", 10, "}"},
        {"9: lanes 3 (lanes 2); chain", 3, "more than one partial sum"},
        {"9: chain; terms{3}", 10, "before they are added"},
        {"3: tree ((0+1)", 14, "brackets"},
        {"3: tree ((0+1)+1)", 15, "twice"},
        {"3: tree ((0+1)+3)", 15, "not there"},
        {"3: tree ( (0 +1){12} + 3 )", 23, "not there"},
        {"3: tree (0{1}+1+2)", 10, "expected +"},
        {"20: chain of 3; tree 10 (11+ 200) in 9s; chain", 21, "not there"},
        {"6: tree 2 0 1 in 4s; chain", 3, "leave items out"},
        {"8: tree 2 0 1 in 4s; chain", 3, "leave items out"},
        {"7: tree 2 0 1 in 3s; chain", 8, "not there"},
        {"6: tree 2 0 1 1 in 3s; chain", 14, "twice"},
        {"6: tree 2 (0 1) in 3s; chain", 13, "expected +"},
        {"6: tree 2 (0+1) in 3s", 21, "one partial sum"},
        {"3: tree (0+1)", 3, "leave items out"},
        {"3: tree ((0)+1+2)", 11, "two items"},
        {"9: onto 3 of last 6; chain", 3, "before its items"},
        {"9: next 3 onto 0; chain", 3, "before its items"},
        {"9: lanes 4; next 3 onto 2; chain", 12, "not so many items"},
        {"9: lanes 4 of 5; next 3 onto 2; chain", 17, "before its items"},
        {"9: lanes 4 of 8; next 1; chain", 23, "expected onto"},
        {"9: lanes 4 of 8; next 1 onto; chain", 28, "number"},
        {"9: lanes 4 of 8; next 1 onto 0 of 1; chain", 31, "expected ;"},
        {"9: onto 0 in 2 parts of last 6; chain", 15, "expected s"},
        {"9: heap; chain", 7, "number"},
        {"9: heap 0", 8, "small"},
        {"9: heap across; chain", 14, "number"},
        {"9: order", 3, "expected a step"},
        {"9: rows", 7, "number"},
        {"9: rows 3", 9, "one partial sum"},
        {"9: rows 3 in 3s; chain", 10, "expected ;"},
        {"9: lanes 3 by; chain", 13, "number"},
        {"9: lanes 3 by 0; chain", 14, "small"},
        {"9: reverse", 10, "one partial sum"},
        {"9: reverse{3}; chain", 10, "expected ;"},
        {"9: chain in 3 parts back; chain", 20, "expected ;"},
        {"9: onto 0 in 2s back of last 6; chain", 16, "expected ;"},
        {"3: chain)", 8, "expected ;"},
        {"3: ((((((((((((((chain))))))))))))))", 15, "deep"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        accord_tree *tree = NULL;
        accord_error error = {0};
        size_t place = 999;
        enum accord_status status =
            accord_notation_parse(rows[i].text, &tree, NULL, &place, &error);
        if (status != ACCORD_PARSE || place != rows[i].place || !strstr(error.text, rows[i].word))
            fail_msg("'%s': status %d at %zu: %s", rows[i].text, (int)status, place, error.text);
        assert_null(tree);
    }
}

static void test_changes(void **state)
{
    (void)state;
    static const struct change {
        const char *a, *b, *text;
    } rows[] = {
        {"9: chain", "9: chain", ""},
        {"9: chain", "9: pairs", "\"chain\" became \"pairs\""},
        {"1000: chain in 128s; chain", "1000: chain in 256s; chain", "blocks of 128 became 256"},
        {"1000: lanes 8; halves", "1000: lanes 16; halves", "8 lanes became 16"},
        {"1000: lanes 8; halves", "1001: lanes 8; halves", "1000 terms became 1001"},
        {"1000: lanes 8 (pairs); halves", "1000: lanes 8 (chain; pairs); halves",
         "\"chain\" was added"},
        {"9: chain of 3; pairs", "9: pairs", "\"chain of 3\" is no longer done"},
        {"9: lanes 4 of 8; chain of rest; chain", "9: lanes 4 of 8; pairs of rest; chain",
         "\"chain of rest\" became \"pairs of rest\""},
        {"9: lanes 4 of rest; chain", "9: lanes 3 of rest; chain", "4 lanes became 3"},
        {"1000: heap 2", "1000: heap 4", "2 children became 4"},
        {"1000: rows 64; lanes 8; chain", "1000: rows 32; lanes 8; chain", "rows of 64 became 32"},
        {"1000: lanes 6 by 8; chain", "1000: lanes 6 by 9; chain", "rows of 8 became 9"},
        {"1000: lanes 8; chain", "1000: reverse; lanes 8; chain", "\"reverse\" was added"},
        {"1000: tree 1 (0+2) in 3s of 999; chain", "1000: tree 1 (0+2) in 3s of 996; chain",
         "the first 999 became 996"},
        {"99: tree 1 (0+2) in 3s; chain", "99: tree 2 (0+1) in 3s; chain",
         "\"tree 1 (0+2) in 3s\" became \"tree 2 (0+1) in 3s\""},
        {"1000: chain in 32s; chain", "1000: chain in 32s back; chain",
         "the tail of 8 moved to the front"},
        {"1000: chain in 32s back; pairs", "1000: chain in 32s; pairs",
         "the first 8 moved to the end"},
        {"1000: pairs in 32s; chain", "1000: chain in 32s back; chain",
         "\"pairs in 32s\" became \"chain in 32s back\""},
        {"1024: chain in 2s; chain in 10s; chain", "1024: chain in 2s; chain in 10s back; chain",
         "\"chain in 10s\" became \"chain in 10s back\""},
        {"300: pairs in 256s; chain", "300: pairs of 44; pairs of last 256; chain",
         "the tail of 44 moved to the front"},
        {"300: chain of 44; chain of last 256; chain", "300: chain in 256s; chain",
         "the first 44 moved to the end"},
        {"300: pairs in 256s; chain", "300: chain of 44; pairs of last 256; chain",
         "\"pairs in 256s\" became \"chain of 44; pairs of last 256\""},
        {"300: pairs in 256s; chain", "300: pairs of 40; pairs of last 256; chain",
         "\"pairs in 256s\" became \"pairs of 40; pairs of last 256\""},
        {"1000: chain in 32s back; chain", "1000: chain in 64s back; chain",
         "blocks of 32 became 64"},
        {"1003: lanes 8 of 1000; next 2 onto 4; next 1 onto 0; pairs",
         "1003: lanes 8 of 1000; next 2 onto 2; next 1 onto 0; pairs", "onto item 4 became 2"},
        {"1003: lanes 8 of 1000; next 2 onto 4; chain",
         "1003: lanes 8 of 1000; next 1 onto 4; chain", "the next 2 became 1"},
        {"1000: split to 128 by 8 ((lanes 8; pairs) of 8s; chain)",
         "1000: split to 256 by 8 ((lanes 16; pairs) of 16s; chain)",
         "the cut-off 128 became 256; multiples of 8 became 16; 8 lanes became 16"},
        {"1000: (lanes 8; halves) of 992; chain of last 8; chain",
         "1000: chain of 8; (lanes 8; halves) of last 992; chain",
         "the tail of 8 moved to the front"},
        {"1000: chain of 8; (lanes 8; halves) of last 992; chain",
         "1000: (lanes 8; halves) of 992; chain of last 8; chain", "the first 8 moved to the end"},
        {"1000: (lanes 8; halves) of 992; chain",
         "1000: chain of 8; (lanes 8; halves) of last 992; chain",
         "the tail of 8 moved to the front"},
        {"1000: chain of 8; (lanes 8; halves) of last 992; chain",
         "1000: (lanes 8; halves) of 992; chain", "the first 8 moved to the end"},
        {"1000: (lanes 8; halves) of 992; chain",
         "1000: pairs of 8; (lanes 8; halves) of last 992; chain",
         "\"(lanes 8; halves) of 992\" became \"pairs of 8; (lanes 8; halves) of last 992\""},
        {"1000: (lanes 8; halves) of 992; chain of last 8; chain",
         "1000: (lanes 8; halves) of 992; chain",
         "the tail of 8 is no longer a sum of its own (\"chain of last 8\")"},
        {"1000: (lanes 8; halves) of 992; chain",
         "1000: (lanes 8; halves) of 992; pairs of last 8; chain",
         "the tail of 8 is now a sum of its own (\"pairs of last 8\")"},
        {"1000: (lanes 8; halves) of 992; chain",
         "1000: chain of 4; (lanes 8; halves) of last 992; chain",
         "\"(lanes 8; halves) of 992\" became \"chain of 4; (lanes 8; halves) of last 992\""},
        {"1000: turn 1; chain", "1000: turn 2; chain", "a turn by 1 became 2"},
        {"96: lanes 6 by 8; chain", "96: lanes 6; chain", "rows of 8 became 6"},
        {"96: lanes 6; chain", "96: lanes 7; chain", "6 lanes became 7"},
        {"999: (lanes 8; halves) in 2 parts; chain", "999: (lanes 8; halves) in 600s; chain",
         "2 parts became blocks of 600"},
        {"999: (lanes 8; halves) in 600s; chain", "999: (lanes 8; halves) in 2 parts; chain",
         "blocks of 600 became 2 parts"},
        {"999: (lanes 8; halves) in 2 parts; chain", "999: (lanes 8; halves) in 4 parts; chain",
         "2 parts became 4"},
        {"99: lanes 4 of 40 at 3; lanes 2 of 4; chain",
         "99: lanes 4 of 40 at 5; lanes 2 of 4; chain", "the start at item 3 became 5"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = NULL;
        assert_int_equal(accord_notation_changes(rows[i].a, rows[i].b, &text, NULL), ACCORD_OK);
        assert_string_equal(text, rows[i].text);
        accord_notation_free(text);
    }
}

#define STAGES                                                                                     \
    "(lanes 64 of 64s; lanes 8 in 16s of 64; lanes 32 of 32s; lanes 8; halves) of 32s; "           \
    "chain of rest; chain"

/* Orders of ten million terms, where they are regular, have short notations quickly. */
static void test_many_terms(void **state)
{
    (void)state;
    static const char *const steps[] = {
        "chain",
        "lanes 64; halves",
        "split to 128 by 8 ((lanes 8; pairs) of 8s; chain)",
        STAGES,
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char text[160];
        snprintf(text, sizeof text, "%zu: %s", trials(1) > 1 ? (size_t)10000003 : 100003, steps[i]);
        accord_tree *tree = parsed(text, NULL);
        bool regular = false;
        char *canonical = written(tree, NULL, &regular);
        assert_true(regular && strlen(canonical) <= 120);
        accord_notation_free(canonical);
        check(tree, NULL);
        accord_tree_free(tree);
    }
}

/* Many terms, one of them out of its place: often brackets for all of them. */
static void test_many_terms_but_one(void **state)
{
    (void)state;
    static const char *const orders[] = {
        "120000: lanes 16; halves",
        "120000: split to 128 by 8 ((lanes 8; pairs) of 8s; chain)",
        "120000: pairs",
        "120000: (lanes 8; halves) in 1000s; chain",
    };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        accord_tree *tree = parsed(orders[i], NULL);
        uint32_t from = tree->leaves - 1 - below(50);
        accord_tree *moved = leaf_moved(tree, from, below(tree->leaves - 50));
        check(moved, NULL);
        accord_tree_free(moved);
        accord_tree_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical),
        cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_small_trees),
        cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_random_steps),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_many_terms),
        cmocka_unit_test(test_many_terms_but_one),
    };
    accordi_rng_init(&rng, trials_seed());
    return cmocka_run_group_tests_name("notation", tests, NULL, NULL);
}
