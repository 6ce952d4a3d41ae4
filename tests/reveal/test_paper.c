/* The algorithms of the paper, call for call. */
#include "reveal/discover/paper/paper.h"
#include "targets/synthetic/synthetic.h"
#include "trials.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef enum accord_status algorithm(accordi_asker *asker, accord_tree **out);

typedef struct outcome {
    enum accord_status status;
    enum accord_reason reason;
    uint64_t calls; /* calibration aside */
    bool right;
} outcome;

static outcome run(algorithm *discover, const accord_tree *tree, enum accord_format format)
{
    accord_target *target = NULL;
    accordi_asker asker;
    accord_error error = {.status = ACCORD_OK};
    accord_tree *found = NULL;
    assert_int_equal(accordi_synthetic_from_tree(tree, format, format, &target, NULL), ACCORD_OK);
    accordi_ask_init(&asker, target, 1, &error);
    assert_int_equal(accordi_calibrate(&asker), ACCORD_OK);
    uint64_t before = target->calls;
    outcome o = {.status = discover(&asker, &found)};
    o.reason = error.reason;
    o.calls = target->calls - before;
    o.right = o.status == ACCORD_OK && accord_tree_equal(found, tree);
    accord_tree_free(found);
    accordi_ask_clear(&asker);
    accord_target_close(target);
    return o;
}

static accord_tree *named_tree(const char *name, size_t n)
{
    char notation[80];
    accord_target_options options;
    accord_target *target = NULL;
    accord_tree *tree = NULL;
    accord_target_options_init(&options);
    options.n = n;
    snprintf(notation, sizeof notation, "synthetic:%s", name);
    assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
    assert_int_equal(accord_synthetic_tree(target, &tree, NULL), ACCORD_OK);
    accord_target_close(target);
    return tree;
}

static void test_known_counts(void **state)
{
    (void)state;
    static const struct {
        const char *order;
        size_t n;
        algorithm *discover;
        uint64_t calls;
    } cases[] = {
        {"sequential", 1024, accordi_fprev, 1023}, {"sequential", 1024, accordi_refined, 1023},
        {"sequential", 200, accordi_basic, 19900}, {"sequential", 64, accordi_modified, 2016},
        {"reverse", 200, accordi_fprev, 19900},    {"reverse", 200, accordi_refined, 19900},
        {"reverse", 200, accordi_basic, 19900},    {"pairwise", 1024, accordi_fprev, 5120},
        {"pairwise", 1024, accordi_refined, 5120}, {"pairwise", 200, accordi_basic, 19900},
        {"lanes:8", 1024, accordi_fprev, 2552},    {"lanes:8", 1024, accordi_refined, 2552},
        {"numpy", 64, accordi_fprev, 152},         {"numpy", 256, accordi_fprev, 752},
        {"numpy", 1024, accordi_fprev, 4032},      {"numpy", 1024, accordi_refined, 4032},
        {"numpy", 4096, accordi_fprev, 20224},     {"fused:16", 1024, accordi_fprev, 8688},
        {"star", 200, accordi_fprev, 19900},       {"sequential", 2, accordi_fprev, 1},
        {"sequential", 2, accordi_basic, 1},       {"sequential", 2, accordi_modified, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        accord_tree *tree = named_tree(cases[i].order, cases[i].n);
        outcome o = run(cases[i].discover, tree, ACCORD_F32);
        if (o.calls != cases[i].calls)
            printf("# case %zu, %s %zu\n", i, cases[i].order, cases[i].n);
        assert_true(o.right);
        assert_int_equal(o.calls, cases[i].calls);
        accord_tree_free(tree);
    }
}

/* ---- the count from the tree ---- */

typedef struct member {
    uint32_t meets, leaf; /* the least ancestor shared with the pivot */
} member;

static int by_meeting(const void *a, const void *b)
{
    const member *x = a, *y = b;
    return (x->meets > y->meets) - (x->meets < y->meets);
}

/* Groups set[1 … count-1] by where they meet the pivot set[0], the least of them; lower first. */
static void group(const uint32_t *parent, member *set, uint32_t count)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < count; i++)
        least = set[i].leaf < set[least].leaf ? i : least;
    member pivot = set[least];
    set[least] = set[0];
    set[0] = pivot;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t a = pivot.leaf, b = set[i].leaf;
        while (a != b) /* children are numbered before parents */
            if (a < b)
                a = parent[a];
            else
                b = parent[b];
        set[i].meets = a;
    }
    qsort(set + 1, count - 1, sizeof *set, by_meeting);
}

/* Algorithms 3 and 4 ask |I| - 1 pairs of a set I, then turn to each class. Algorithm 5 turns to
 * the uppermost class and to the rest. */
static uint64_t count_calls(const accord_tree *tree, bool from_top)
{
    uint32_t n = tree->leaves, depth = 0;
    uint32_t *parent = accordi_alloc(2 * (size_t)n, sizeof *parent);
    member *set = accordi_alloc(n, sizeof *set);
    uint32_t(*stack)[2] = accordi_alloc(n + 1, sizeof *stack);
    uint64_t calls = 0;
    accord_tree_parents(tree, parent);
    for (uint32_t i = 0; i < n; i++)
        set[i].leaf = i;
    stack[depth][0] = 0;
    stack[depth++][1] = n;
    while (depth) {
        uint32_t lo = stack[--depth][0], hi = stack[depth][1], from = hi;
        calls += hi - lo - 1;
        if (hi - lo < 3)
            continue;
        group(parent, set + lo, hi - lo);
        for (uint32_t to = hi; to > lo + 1; to = from) {
            for (from = to - 1; from > lo + 1 && set[from - 1].meets == set[from].meets;)
                from--;
            stack[depth][0] = from;
            stack[depth++][1] = to;
            if (from_top) {
                stack[depth][0] = lo;
                stack[depth++][1] = from;
                break;
            }
        }
    }
    free(parent);
    free(set);
    free(stack);
    return calls;
}

static void test_counts_of_random_trees(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(400); t++) {
        size_t n = 2 + accordi_rng_below(&rng, t % 8 ? 40 : 150);
        enum accordi_tree_kind kind = (enum accordi_tree_kind)(t % ACCORDI_TREE_KINDS);
        enum accord_format format = t % 3 ? ACCORD_F32 : ACCORD_F64;
        accord_tree *tree = NULL;
        assert_int_equal(accordi_random_tree(&rng, kind, n, &tree, NULL), ACCORD_OK);
        outcome fprev = run(accordi_fprev, tree, format);
        outcome modified = run(accordi_modified, tree, format);
        assert_true(fprev.right && modified.right);
        assert_int_equal(fprev.calls, count_calls(tree, false));
        assert_int_equal(modified.calls, count_calls(tree, true));
        if (tree->inner + 1 == n) {
            outcome refined = run(accordi_refined, tree, format);
            outcome basic = run(accordi_basic, tree, format);
            assert_true(refined.right && basic.right);
            assert_int_equal(refined.calls, fprev.calls);
            assert_int_equal(basic.calls, n * (n - 1) / 2);
        }
        accord_tree_free(tree);
    }
}

/* ---- low precision ---- */

/* Terms chain … added one by one, from the last to the first, to a pairwise sum of 16. */
static accord_tree *chain_over_pairwise(uint32_t chain)
{
    uint32_t n = chain + 16, next = n, parent[2 * 300];
    accord_tree *tree = NULL;
    for (uint32_t width = 16, at = chain; width > 1; width /= 2) {
        for (uint32_t i = 0; i < width; i++)
            parent[at + i] = next + i / 2;
        at = next;
        next += width / 2;
    }
    for (uint32_t i = chain; i-- > 0; next++)
        parent[next - 1] = parent[i] = next;
    parent[next - 1] = ACCORD_TREE_NO_NODE;
    assert_int_equal(accord_tree_from_parents(n, next - n, parent, &tree, NULL), ACCORD_OK);
    return tree;
}

/* More units stay outside than can be counted: Algorithm 5 as printed goes wrong, the others
 * cannot begin. */
static void test_low_precision(void **state)
{
    (void)state;
    static const struct {
        enum accord_format format;
        uint32_t chain;
    } cases[] = {{ACCORD_E4M3, 14}, {ACCORD_E4M3, 40}, {ACCORD_E5M2, 14}, {ACCORD_BF16, 254}};
    algorithm *const counting[] = {accordi_basic, accordi_refined, accordi_fprev};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        accord_tree *tree = chain_over_pairwise(cases[i].chain);
        assert_true(run(accordi_modified, tree, cases[i].format).right);
        for (size_t k = 0; k < 3; k++) {
            outcome o = run(counting[k], tree, cases[i].format);
            assert_int_equal(o.status, ACCORD_UNABLE);
            assert_int_equal(o.reason, ACCORD_REASON_OUT_OF_RANGE);
            assert_int_equal(o.calls, 0);
        }
        accord_tree_free(tree);
    }
}

/* NaiveSol asks for 500 random sums, whatever the tree. */
static void test_naive(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(60); t++) {
        accord_tree *tree = NULL;
        size_t n = 2 + t % 5;
        assert_int_equal(accordi_random_tree(&rng, ACCORDI_TREE_UNIFORM, n, &tree, NULL),
                         ACCORD_OK);
        outcome o = run(accordi_naive, tree, t % 2 ? ACCORD_F32 : ACCORD_BF16);
        assert_true(o.right);
        assert_int_equal(o.calls, 500);
        accord_tree_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_counts),
        cmocka_unit_test(test_counts_of_random_trees),
        cmocka_unit_test(test_low_precision),
        cmocka_unit_test(test_naive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
