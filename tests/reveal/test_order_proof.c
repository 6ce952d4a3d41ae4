/* Orders that are proven as a whole: which are, and that no other order passes. */
#include "reveal/prove/order_rounds.h"
#include "targets/synthetic/synthetic.h"
#include "trials.h"
#include <accord/notation.h>
#include <accord/record.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "moved_leaves.h"
#include "tree_bench.h"

/* ---- what a reveal says of its proof ---- */

typedef struct asked {
    const char *target;
    enum accord_format format;
    size_t n;
    const char *proof, *expected;
} asked;

static void reveal(const asked *a, double error, accord_record *record)
{
    accord_error why = {.status = ACCORD_OK};
    accord_target *target = NULL;
    accord_target_options question;
    accord_target_options_init(&question);
    question.n = a->n;
    question.format = a->format;
    question.has_format = true;
    accord_reveal_options options;
    accord_reveal_options_init(&options);
    options.proof = a->proof;
    options.proof_error = error;
    if (accord_target_open(a->target, &question, &target, &why) ||
        accord_reveal(target, &options, record, &why))
        fail_msg("%s, n = %zu: %s", a->target, a->n, why.text);
    accord_target_close(target);
}

/* How rare a fault may be that is missed is stated with the number of calls. */
static void assert_faults(const accord_record *record)
{
    char words[80];
    long long calls = record->replays + record->repeats;
    snprintf(words, sizeof words, "none of %lld calls with random inputs, of which %lld repeat",
             calls, (long long)record->repeats);
    assert_non_null(strstr(record->assumes, words));
    snprintf(words, sizeof words, "at more than one such call in %lld would pass", calls / 3);
    assert_non_null(strstr(record->assumes, words));
}

static void test_which_proof(void **state)
{
    static const asked table[] = {
        {"synthetic:sequential", ACCORD_F32, 200, NULL, "nodes"},
        {"synthetic:sequential", ACCORD_F32, 200, "nodes", "nodes"},
        {"synthetic:sequential", ACCORD_F32, 200, "probability", "probability"},
        {"synthetic:sequential", ACCORD_F32, 2, "probability", "nodes"},
        {"synthetic:sequential", ACCORD_F32, 16384, NULL, "probability"},
        {"synthetic:numpy", ACCORD_F32, 300, "probability", "probability"},
        {"synthetic:pairwise", ACCORD_F64, 300, "probability", "probability"},
        {"synthetic:pairwise", ACCORD_F16, 300, "probability", "probability"},
        {"synthetic:pairwise", ACCORD_BF16, 100, "probability", "probability"},
        {"synthetic:pairwise", ACCORD_BF16, 400, "probability", "nodes"},
        {"synthetic:numpy,acc=f64", ACCORD_F32, 300, "probability", "probability"},
        {"synthetic:fused:4", ACCORD_F32, 300, "probability", "nodes"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        accord_record *record = accord_record_new();
        assert_non_null(record);
        reveal(&table[i], 0, record);
        print_message("# %s, n = %zu: %s\n", table[i].target, table[i].n, record->proof);
        assert_true(record->proven);
        assert_string_equal(record->proof, table[i].expected);
        bool rounds = !strcmp(record->proof, "probability");
        assert_int_equal(record->proof_calls > 0, rounds);
        assert_true(record->proof_error == (rounds ? 1e-9 : 0));
        assert_int_equal(strstr(record->assumes, "ties to even, or not at all") != NULL, rounds);
        assert_int_equal(record->nodes_confirmed, record->nodes);
        bool other = table[i].proof && strcmp(table[i].proof, record->proof) != 0;
        assert_int_equal(strstr(record->verdict, "but this one is by nodes, because") != NULL,
                         other);
        assert_non_null(strstr(record->assumes, "at every call, in every process, at any time, and "
                                                "however its threads, if it has several"));
        assert_faults(record);
        accord_record_free(record);
    }
}

static void test_error(void **state)
{
    static const struct {
        double error;
        int64_t calls;
    } table[] = {{1e-6, 104}, {1e-9, 156}, {1e-12, 207}};
    const asked a = {"synthetic:sequential", ACCORD_F32, 100, "probability", NULL};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        accord_record *record = accord_record_new();
        reveal(&a, table[i].error, record);
        assert_int_equal(record->proof_calls, table[i].calls);
        assert_true(record->proof_error == table[i].error);
        accord_record_free(record);
    }
}

/* ---- what is said where it is interrupted ---- */

typedef struct patience {
    const char *stage;
    int calls; /* of the callback in that stage that are still waited for */
    bool totals;
} patience;

/* Progress is told at most every 50 ms. */
static bool lose_patience(void *context, const char *stage, uint64_t done, uint64_t total)
{
    const struct timespec pause = {.tv_nsec = 60000000};
    patience *p = context;
    nanosleep(&pause, NULL);
    p->totals = p->totals && total > 0 && total >= done;
    return strcmp(stage, p->stage) != 0 || p->calls-- > 0;
}

static void interrupt(const char *stage, int calls, char text[static 500])
{
    patience p = {stage, calls, true};
    accord_error error = {.text = ""};
    accord_target *target = NULL;
    accord_target_options question;
    accord_reveal_options options;
    accord_record *record = accord_record_new();
    accord_target_options_init(&question);
    accord_reveal_options_init(&options);
    question.n = 20000;
    question.format = ACCORD_F32;
    question.has_format = true;
    options.proof = "probability";
    options.progress = lose_patience;
    options.progress_context = &p;
    assert_int_equal(accord_target_open("synthetic:numpy", &question, &target, &error), ACCORD_OK);
    assert_int_equal(accord_reveal(target, &options, record, &error), ACCORD_TARGET);
    assert_null(record->tree);
    assert_true(p.totals);
    snprintf(text, 500, "%s", error.text);
    accord_target_close(target);
    accord_record_free(record);
}

static void test_interrupted(void **state)
{
    char text[500];
    int passed = 0, all = 0;
    (void)state;
    interrupt("calibrating", 0, text);
    assert_string_equal(text, "interrupted: no order was found yet");
    interrupt("proving", 1, text);
    assert_int_equal(
        sscanf(text, "interrupted: an order was found, and %d of the %d sums of its proof agree",
               &passed, &all),
        2);
    assert_true(passed > 0 && passed < all);
    assert_non_null(strstr(text, "with it; it is 20000: "));
    interrupt("replaying", 0, text);
    assert_non_null(
        strstr(text, "the order was found and proven, but its arithmetic is not known"));
    interrupt("testing every node", 0, text);
    assert_non_null(strstr(text, "found and proven, and random inputs agree with it"));
}

/* Keeps the first total that is told while an order is split. */
static bool look_ahead(void *context, const char *stage, uint64_t done, uint64_t total)
{
    const struct timespec pause = {.tv_nsec = 60000000};
    uint64_t *first = context;
    (void)done;
    if (*first == 0)
        nanosleep(&pause, NULL);
    if (*first == 0 && strcmp(stage, "splitting") == 0)
        *first = total;
    return true;
}

/* What is ahead of an order that has to be split is known when that begins, but for a factor. */
static void test_foresight(void **state)
{
    static const char *const order[] = {"synthetic:yule", "synthetic:uniform"};
    (void)state;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        uint64_t total = 0;
        accord_error error = {.text = ""};
        accord_target *target = NULL;
        accord_target_options question;
        accord_reveal_options options;
        accord_record *record = accord_record_new();
        accord_target_options_init(&question);
        accord_reveal_options_init(&options);
        question.n = 6000;
        question.format = ACCORD_F32;
        question.has_format = true;
        options.progress = look_ahead;
        options.progress_context = &total;
        assert_int_equal(accord_target_open(order[i], &question, &target, &error), ACCORD_OK);
        assert_int_equal(accord_reveal(target, &options, record, &error), ACCORD_OK);
        uint64_t calls = (uint64_t)record->discovery_calls;
        printf("# %s: %llu calls were foreseen, and discovery took %llu\n", order[i],
               (unsigned long long)total, (unsigned long long)calls);
        assert_true(2 * total > calls && total < 6 * calls);
        accord_target_close(target);
        accord_record_free(record);
    }
}

/* ---- large trees that are almost the target's ---- */

static accord_tree *parse(const char *format, size_t n)
{
    char text[128];
    accord_tree *tree = NULL;
    snprintf(text, sizeof text, format, n);
    assert_int_equal(accord_notation_parse(text, &tree, NULL, NULL, NULL), ACCORD_OK);
    return tree;
}

static bool bench_passes(tree_bench *b, const accord_tree *candidate)
{
    accordi_order_proof proof;
    bool holds = false;
    assert_int_equal(accordi_order_plan(&b->asker, candidate, 1e-9, &proof), ACCORD_OK);
    assert_null(proof.unsuited);
    assert_int_equal(accordi_order_prove(&b->asker, candidate, &proof, &holds), ACCORD_OK);
    assert_true(holds ? proof.asked == proof.calls : proof.asked <= proof.calls);
    return holds;
}

static bool passes(const accord_tree *target_tree, const accord_tree *candidate, uint64_t seed)
{
    tree_bench b;
    tree_bench_init(&b, target_tree, ACCORD_F32, seed);
    bool holds = bench_passes(&b, candidate);
    tree_bench_clear(&b);
    return holds;
}

static void expect_refuted(const accord_tree *tree, accord_tree *other, uint64_t seed)
{
    assert_non_null(other);
    if (!accord_tree_equal(tree, other) && passes(tree, other, seed))
        fail_msg("another tree of %u leaves passed", tree->leaves);
    accord_tree_free(other);
}

/* A target with the order, and trees in which a leaf has another place, so many times. */
static void check_moved_leaves(const accord_tree *tree, size_t count, accordi_rng *rng)
{
    const uint32_t n = tree->leaves;
    tree_bench b;
    tree_bench_init(&b, tree, ACCORD_F32, accordi_rng_next(rng));
    for (size_t trial = 0; trial < count; trial++) {
        uint32_t i = (uint32_t)accordi_rng_below(rng, n);
        uint32_t j = (uint32_t)((i + 1 + accordi_rng_below(rng, n - 1)) % n);
        accord_tree *other = leaf_moved(tree, i, j);
        if (!accord_tree_equal(tree, other) && bench_passes(&b, other))
            fail_msg("%u leaves: leaf %u beside leaf %u passed", n, i, j);
        accord_tree_free(other);
    }
    tree_bench_clear(&b);
}

/* The orders pass, and those with lanes or blocks of another size do not. */
static void check_whole(const accord_tree *lanes, const accord_tree *blocks,
                        const accord_tree *pairs, uint64_t seed)
{
    static const char *const other[] = {"%zu: lanes 9; chain", "%zu: chain in 127s; chain",
                                        "%zu: chain in 129s; chain", "%zu: lanes 7; chain"};
    assert_true(passes(pairs, pairs, seed));
    assert_true(passes(lanes, lanes, seed));
    assert_true(passes(blocks, blocks, seed));
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        expect_refuted(lanes, parse(other[i], lanes->leaves), seed);
        expect_refuted(blocks, parse(other[i], blocks->leaves), seed);
    }
}

/* A thousand displaced leaves at least; of a million terms, from scale 1 on, as many as take a few
 * seconds, and whole proofs only above it. */
static void test_large_trees(void **state)
{
    static const struct {
        size_t n, moved; /* of each order */
    } sizes[] = {{100, 1000}, {100000, 334}, {1000000, 8}};
    accordi_rng rng;
    (void)state;
    accordi_rng_init(&rng, trials_seed());
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t n = sizes[k].n, moved = trials(sizes[k].moved);
        if (n > 100000 && !trials_are_all())
            continue;
        accord_tree *lanes = parse("%zu: lanes 8; chain", n);
        accord_tree *blocks = parse("%zu: chain in 128s; chain", n);
        accord_tree *pairs = parse("%zu: pairs", n);
        if (n <= 100000 || trials(1) > 1)
            check_whole(lanes, blocks, pairs, accordi_rng_next(&rng));
        check_moved_leaves(lanes, moved, &rng);
        check_moved_leaves(blocks, moved, &rng);
        check_moved_leaves(pairs, moved, &rng);
        accord_tree_free(lanes);
        accord_tree_free(blocks);
        accord_tree_free(pairs);
    }
}

/* All neighbors of the families at up to 64 terms; below scale 1, at some numbers of terms. */
static void test_exchanges(void **state)
{
    static const char *const family[] = {"%zu: chain", "%zu: pairs", "%zu: lanes 8; chain",
                                         "%zu: chain in 16s; chain", "%zu: split"};
    uint64_t seed = trials_seed();
    (void)state;
    for (size_t n = 3; n <= 64; n++)
        for (size_t f = 0; f < sizeof family / sizeof *family; f++) {
            if (!trial_runs(n + f, seed))
                continue;
            accord_tree *tree = parse(family[f], n);
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t j = i + 1; j < n; j++)
                    expect_refuted(tree, two_leaves_exchanged(tree, i, j), seed + i + j);
            accord_tree_free(tree);
        }
}

/* What is proven of random orders is right; ACCORD_TEST_SCALE=500 makes a million proofs. */
static void test_many_proofs(void **state)
{
    static const char *const order[] = {"synthetic:yule", "synthetic:uniform",
                                        "synthetic:caterpillar"};
    static const enum accord_format format[] = {ACCORD_F32, ACCORD_F64, ACCORD_F16, ACCORD_BF16};
    static const char *const proof[] = {NULL, "nodes", "probability"};
    accordi_rng rng;
    size_t proven = 0, all = trials(2000);
    (void)state;
    accordi_rng_init(&rng, trials_seed());
    for (size_t trial = 0; trial < all; trial++) {
        accord_error error = {.status = ACCORD_OK};
        accord_target *target = NULL;
        accord_tree *truth = NULL;
        accord_record *record = accord_record_new();
        accord_target_options question;
        accord_reveal_options options;
        accord_target_options_init(&question);
        accord_reveal_options_init(&options);
        question.n = 2 + accordi_rng_below(&rng, accordi_rng_below(&rng, 8) ? 14 : 60);
        question.seed = options.seed = accordi_rng_next(&rng);
        question.format = format[accordi_rng_below(&rng, sizeof format / sizeof *format)];
        question.has_format = true;
        options.proof = proof[accordi_rng_below(&rng, sizeof proof / sizeof *proof)];
        const char *name = order[accordi_rng_below(&rng, sizeof order / sizeof *order)];
        assert_int_equal(accord_target_open(name, &question, &target, &error), ACCORD_OK);
        assert_int_equal(accord_synthetic_tree(target, &truth, &error), ACCORD_OK);
        enum accord_status status = accord_reveal(target, &options, record, &error);
        if (!status && record->proven && !accord_tree_equal(record->tree, truth))
            fail_msg("%s, n = %zu, seed %llu: another order was proven", name, question.n,
                     (unsigned long long)question.seed);
        proven += !status && record->proven;
        accord_tree_free(truth);
        accord_target_close(target);
        accord_record_free(record);
    }
    print_message("# %zu of %zu orders were proven\n", proven, all);
    assert_true(10 * proven >= 9 * all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which_proof), cmocka_unit_test(test_error),
        cmocka_unit_test(test_interrupted), cmocka_unit_test(test_foresight),
        cmocka_unit_test(test_large_trees), cmocka_unit_test(test_exchanges),
        cmocka_unit_test(test_many_proofs),
    };
    return cmocka_run_group_tests_name("order_proof", tests, NULL, NULL);
}
