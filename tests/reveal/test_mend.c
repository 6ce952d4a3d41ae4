/* Orders that are nearly regular: a few terms or blocks of a regular order stand elsewhere, or come
 * last. They come back as they are, proven, and take few calls. */
#include "targets/synthetic/synthetic.h"
#include "trials.h"
#include <accord/notation.h>
#include <accord/record.h>
#include <accord/reveal.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- displacing ---- */

/* A binary tree as the parents of its nodes. */
typedef struct parents {
    uint32_t leaves, inner;
    uint32_t *of;
} parents;

static parents parse(const char *notation)
{
    accord_tree *tree = NULL;
    assert_int_equal(accord_notation_parse(notation, &tree, NULL, NULL, NULL), ACCORD_OK);
    parents p = {tree->leaves, tree->inner,
                 accordi_alloc((size_t)tree->leaves + tree->inner, sizeof *p.of)};
    assert_non_null(p.of);
    accord_tree_parents(tree, p.of);
    accord_tree_free(tree);
    return p;
}

static accord_tree *tree_of(const parents *p)
{
    accord_tree *tree = NULL;
    assert_int_equal(accord_tree_from_parents(p->leaves, p->inner, p->of, &tree, NULL), ACCORD_OK);
    return tree;
}

/* Takes the subtree of node i out and adds it onto node j. False where that cannot be. */
static bool move(parents *p, uint32_t i, uint32_t j)
{
    const uint32_t none = ACCORD_TREE_NO_NODE;
    uint32_t up = p->of[i], sibling = none;
    for (uint32_t v = j; v != none; v = p->of[v])
        if (v == i)
            return false;
    if (up == none)
        return false;
    for (uint32_t v = 0; v < p->leaves + p->inner && sibling == none; v++)
        if (v != i && p->of[v] == up)
            sibling = v;
    j = j == up ? sibling : j;
    p->of[sibling] = p->of[up];
    p->of[up] = p->of[j];
    p->of[j] = up;
    return true;
}

static void exchange(parents *p, uint32_t i, uint32_t j)
{
    uint32_t up = p->of[i];
    p->of[i] = p->of[j];
    p->of[j] = up;
}

/* ---- revealing ---- */

/* The calls of discovery; fails unless the tree comes back, proven. */
static int64_t reveal(const parents *p, enum accord_format format, uint64_t seed)
{
    accord_tree *tree = tree_of(p);
    accord_error error = {.status = ACCORD_OK};
    accord_target *target = NULL;
    accord_record *record = accord_record_new();
    accord_reveal_options options;
    accord_reveal_options_init(&options);
    options.seed = seed;
    options.replays = 10;
    assert_int_equal(accordi_synthetic_from_tree(tree, format, format, &target, NULL), ACCORD_OK);
    if (accord_reveal(target, &options, record, &error))
        fail_msg("%s", error.text);
    assert_true(accord_tree_equal(record->tree, tree));
    assert_int_equal(record->nodes_confirmed, record->nodes);
    int64_t calls = record->discovery_calls;
    accord_record_free(record);
    accord_target_close(target);
    accord_tree_free(tree);
    return calls;
}

#define NUMPY "split to 128 by 8 ((lanes 8; pairs) of 8s; chain)"

/* A leaf, or with `inner` an inner node, goes beside another leaf, or changes places with it.
 * Discovery takes so many calls at most, which is what the slowest of 25 seeds takes; without the
 * displacement it takes 60 to 200, and splitting takes as many as there are terms or more. */
static const struct {
    const char *notation;
    uint32_t what, to;
    bool exchanged, inner;
    int64_t calls;
} displaced[] = {
    {"100000: chain", 99990, 50000, false, false, 500},
    {"100000: split", 99990, 1234, true, false, 1000},
    {"10000: chain", 9557, 522, false, false, 500},
    {"10000: chain", 9557, 522, true, false, 1200},
    {"10000: chain", 3000, 8000, false, true, 500},
    {"10000: chain back", 9557, 522, true, false, 1200},
    {"10000: split", 9557, 522, false, false, 500},
    {"10000: split", 7, 11, true, false, 900},
    {"10000: split", 2000, 9000, false, true, 4000},
    {"10000: " NUMPY, 9557, 522, true, false, 800},
    {"10000: " NUMPY, 40, 9000, false, false, 600},
    {"10000: lanes 8; pairs", 9943, 5383, false, false, 600},
    {"10000: lanes 8; pairs", 4608, 9310, true, false, 1000},
    {"10000: chain in 128s; chain", 9557, 522, false, false, 700},
    {"10000: chain in 128s; chain", 4608, 9310, true, false, 900},
    {"10000: (lanes 32; lanes 4 (pairs); pairs) of 9984; chain of last 16; chain", 9943, 5383,
     false, false, 900},
    {"10000: (lanes 32; lanes 4 (pairs); pairs) of 9984; chain of last 16; chain", 4608, 9310, true,
     false, 2500},
};

static void test_calls(void **state)
{
    size_t over = 0;
    (void)state;
    for (size_t i = 0; i < sizeof displaced / sizeof *displaced; i++) {
        parents p = parse(displaced[i].notation);
        uint32_t what = displaced[i].what + (displaced[i].inner ? p.leaves : 0);
        if (displaced[i].exchanged)
            exchange(&p, what, displaced[i].to);
        else
            assert_true(move(&p, what, displaced[i].to));
        int64_t calls = reveal(&p, ACCORD_F32, 1);
        printf("# %s, %u %s %u: %" PRId64 " calls, at most %" PRId64 "\n", displaced[i].notation,
               what, displaced[i].exchanged ? "and" : "beside", displaced[i].to, calls,
               displaced[i].calls);
        over += calls > displaced[i].calls;
        free(p.of);
    }
    assert_int_equal(over, 0);
}

/* An order of all terms but a few, which are added to its sum one after another, at these places of
 * the array. The order is one that the number of its terms determines. */
static parents add_late(const char *others, const uint32_t *late, uint32_t count)
{
    parents few = parse(others);
    parents p = {few.leaves + count, few.inner + count, NULL};
    p.of = accordi_alloc((size_t)p.leaves + p.inner, sizeof *p.of);
    assert_non_null(p.of);
    for (uint32_t i = 0, at = 0; i < p.leaves; i++) {
        uint32_t nth = 0;
        while (nth < count && late[nth] != i)
            nth++;
        p.of[i] = nth < count ? p.leaves + few.inner + nth : few.of[at++] + count;
    }
    for (uint32_t k = 0; k < p.inner; k++)
        p.of[p.leaves + k] = k + 1 < few.inner ? few.of[few.leaves + k] + count : p.leaves + k + 1;
    p.of[p.leaves + p.inner - 1] = ACCORD_TREE_NO_NODE;
    free(few.of);
    return p;
}

/* So few calls that the order of the others cannot have been mended from that of all terms. */
static void test_late_terms(void **state)
{
    static const struct {
        const char *others;
        uint32_t late[4], count;
        int64_t calls;
    } orders[] = {
        {"99999: " NUMPY, {99970}, 1, 250},           {"99997: " NUMPY, {99970, 5, 50000}, 3, 250},
        {"9998: split", {3333, 9996}, 2, 250},        {"9999: " NUMPY, {9969}, 1, 250},
        {"9996: " NUMPY, {0, 9998, 7, 9991}, 4, 250},
    };
    size_t over = 0;
    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        parents p = add_late(orders[i].others, orders[i].late, orders[i].count);
        int64_t calls = reveal(&p, ACCORD_F32, 1);
        printf("# %s and %u late: %" PRId64 " calls, at most %" PRId64 "\n", orders[i].others,
               orders[i].count, calls, orders[i].calls);
        over += calls > orders[i].calls;
        free(p.of);
    }
    assert_int_equal(over, 0);
}

/* Of any seed, with one to three displacements of any kind: proven, the order is the target's. */
static void test_any_displacement(void **state)
{
    static const char *const orders[] = {"chain",
                                         "chain back",
                                         "split",
                                         "halves",
                                         "lanes 8; pairs",
                                         "lanes 3; chain",
                                         "lanes 8 (pairs); pairs",
                                         NUMPY,
                                         "chain in 31s; chain",
                                         "chain in 31s; split"};
    enum { ORDERS = sizeof orders / sizeof *orders, LEAST = 50, MOST = 3000 };
    accordi_rng rng;
    (void)state;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(12 * ORDERS); t++) {
        char notation[120];
        uint32_t n = LEAST + (uint32_t)accordi_rng_below(&rng, MOST - LEAST);
        snprintf(notation, sizeof notation, "%u: %s", n, orders[t % ORDERS]);
        parents p = parse(notation);
        for (uint64_t left = 1 + accordi_rng_below(&rng, 3); left > 0; left--) {
            uint32_t i = (uint32_t)accordi_rng_below(&rng, n);
            uint32_t j = (uint32_t)accordi_rng_below(&rng, n);
            uint32_t near = (i + 1 + (uint32_t)accordi_rng_below(&rng, 20)) % n;
            switch (accordi_rng_below(&rng, 5)) {
            case 0:
                move(&p, i, j);
                break;
            case 1:
                move(&p, i, near);
                break;
            case 2:
                exchange(&p, i, j);
                break;
            case 3:
                move(&p, i, n + j % (n - 1));
                break;
            default:
                move(&p, n + i % (n - 1), n + j % (n - 1));
            }
        }
        reveal(&p, t & 1 ? ACCORD_F64 : ACCORD_F32, accordi_rng_next(&rng));
        free(p.of);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_late_terms),
        cmocka_unit_test(test_any_displacement),
    };
    return cmocka_run_group_tests_name("mend", tests, NULL, NULL);
}
