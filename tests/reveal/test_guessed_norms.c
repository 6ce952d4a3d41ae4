/* Sums of absolute values, squares and norms, whose orders are guessed: regular ones are found in
 * few calls, also where the last terms are added in wider sums, and one with two terms exchanged is
 * never taken for the regular one. */
#include "positive_sums.h"
#include "record/record.h"
#include "targets/target.h"
#include "trials.h"
#include <accord/notation.h>
#include <accord/reveal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Of the first terms, a multiple of 32; and of all. */
static const char *const lanes[] = {"lanes 8; halves", "lanes 4; pairs",
                                    "lanes 32; lanes 8; halves"};
static const char *const orders[] = {"chain", "chain back",
                                     "split to 128 by 8 ((lanes 8; pairs) of 8s; chain)"};
enum { LANES = sizeof lanes / sizeof *lanes, ORDERS = sizeof orders / sizeof *orders };

static accord_tree *draw_order(accordi_rng *rng, uint32_t n) /* 32 or more */
{
    char text[100];
    accord_tree *tree = NULL;
    accord_error error = {.text = ""};
    uint64_t k = accordi_rng_below(rng, LANES + ORDERS);
    if (k < LANES && n % 32)
        snprintf(text, sizeof text, "%u: (%s) of %u; chain", n, lanes[k], n - n % 32);
    else
        snprintf(text, sizeof text, "%u: %s", n, k < LANES ? lanes[k] : orders[k - LANES]);
    if (accord_notation_parse(text, &tree, NULL, NULL, &error) != ACCORD_OK)
        fail_msg("%s: %s", text, error.text);
    return tree;
}

static void exchange_two_leaves(accordi_rng *rng, accord_tree **tree)
{
    uint32_t leaves = (*tree)->leaves, inner = (*tree)->inner;
    uint32_t *parent = accordi_alloc((size_t)leaves + inner, sizeof *parent);
    accord_tree_parents(*tree, parent);
    uint32_t i = (uint32_t)accordi_rng_below(rng, leaves);
    uint32_t j = (uint32_t)accordi_rng_below(rng, leaves), held = parent[i];
    parent[i] = parent[j];
    parent[j] = held;
    accord_tree_free(*tree);
    assert_int_equal(accord_tree_from_parents(leaves, inner, parent, tree, NULL), ACCORD_OK);
    free(parent);
}

/* The calls of discovery, or -1 where another tree, or no proven one, came back: `what` is printed
 * then. The target is closed. */
static int64_t calls_of(accord_target *target, const accord_reveal_options *options,
                        const accord_tree *tree, const char *what)
{
    accord_record record;
    accord_error error = {.text = "another tree"};
    accordi_record_init(&record);
    bool good = !accord_reveal(target, options, &record, &error) &&
                accord_tree_equal(record.tree, tree) && record.nodes_confirmed == record.nodes;
    int64_t calls = good ? record.discovery_calls : -1;
    if (!good)
        printf("# %s n %u seed %" PRIu64 ": %s\n", what, tree->leaves, options->seed, error.text);
    accord_record_clear(&record);
    accord_target_close(target);
    return calls;
}

static int64_t reveal(sum *s, uint64_t seed)
{
    uint32_t n = s->tree->leaves;
    accord_target *target = NULL;
    accord_reveal_options options;
    char what[80];
    accord_reveal_options_init(&options);
    options.seed = seed;
    options.replays = 20;
    s->value = accordi_alloc(2 * (size_t)n, sizeof *s->value);
    accordi_rng_init(&s->rng, seed);
    assert_int_equal(accord_target_from_callback(along_tree, s, n, s->is_f32, &target, NULL),
                     ACCORD_OK);
    if (seed % 2) /* as of routines that are known */
        target->term = s->term;
    snprintf(what, sizeof what, "term %d root %d f32 %d width %d", (int)s->term, s->root, s->is_f32,
             (int)s->width);
    int64_t calls = calls_of(target, &options, s->tree, what);
    free(s->value);
    return calls;
}

static sum draw_sum(accordi_rng *rng)
{
    sum s = {.is_f32 = accordi_rng_next(rng) >> 63};
    s.term = accordi_rng_next(rng) >> 63 ? ACCORD_TERM_SQUARE : ACCORD_TERM_ABSOLUTE;
    s.root = s.term == ACCORD_TERM_SQUARE && accordi_rng_next(rng) >> 63;
    s.width = s.is_f32 ? (enum width)accordi_rng_below(rng, EXTENDED) : NARROW;
    return s;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void test_regular_orders_take_few_calls(void **state)
{
    (void)state;
    enum { MOST = 400, MEDIAN = 240, UPPER = 300 };
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    int64_t calls[MOST];
    size_t wrong = 0, count = trials(60) < MOST ? trials(60) : MOST;
    for (size_t m = 0; m < count; m++) {
        sum s = draw_sum(&rng);
        accord_tree *tree = draw_order(&rng, 64 + (uint32_t)accordi_rng_below(&rng, 960));
        s.tree = tree;
        calls[m] = reveal(&s, accordi_rng_next(&rng));
        wrong += calls[m] < 0;
        accord_tree_free(tree);
    }
    qsort(calls, count, sizeof *calls, ascending);
    int64_t upper = calls[count - 1 - count / 4];
    printf("# %zu orders: median %" PRId64 ", upper quartile %" PRId64 ", most %" PRId64 " calls\n",
           count, calls[count / 2], upper, calls[count - 1]);
    assert_int_equal(wrong, 0);
    assert_true(upper <= UPPER);
    assert_true(calls[count / 2] <= MEDIAN);
}

static void test_exchanged_terms_are_seen(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t wrong = 0;
    for (size_t m = 0; m < trials(60); m++) {
        sum s = draw_sum(&rng);
        accord_tree *tree = draw_order(&rng, 32 + (uint32_t)accordi_rng_below(&rng, 200));
        exchange_two_leaves(&rng, &tree);
        s.tree = tree;
        wrong += reveal(&s, accordi_rng_next(&rng)) < 0;
        accord_tree_free(tree);
    }
    assert_int_equal(wrong, 0);
}

/* Lanes in f32, and what is left of their width in f64; the tree has the sum of the latter apart,
 * or goes on with it from that of the lanes. */
typedef struct tailed {
    accord_tree *tree;
    uint32_t body;
    enum accord_term term;
    bool root;
    double *value;  /* per node */
    uint32_t *last; /* the last leaf under it */
} tailed;

static double add_tailed(void *context, const void *terms, size_t n)
{
    tailed *s = context;
    const accord_tree *tree = s->tree;
    const float *x = terms;
    for (uint32_t i = 0; i < n; i++) {
        s->value[i] = (double)(s->term == ACCORD_TERM_SQUARE ? x[i] * x[i] : fabsf(x[i]));
        s->last[i] = i;
    }
    for (uint32_t v = tree->leaves; v < tree->leaves + tree->inner; v++) {
        const uint32_t *child = tree->child + tree->first[v - tree->leaves];
        double both = s->value[child[0]] + s->value[child[1]];
        uint32_t a = s->last[child[0]], b = s->last[child[1]];
        s->last[v] = a > b ? a : b;
        s->value[v] = s->last[v] < s->body ? (double)(float)both : both;
    }
    float all = (float)s->value[tree->leaves + tree->inner - 1];
    return (double)(s->root ? sqrtf(all) : all);
}

static accord_tree *draw_tailed(accordi_rng *rng, uint32_t body, uint32_t tail)
{
    static const char *const tails[] = {"", "chain of last", "chain back of last"};
    char text[100], last[32] = "";
    accord_tree *tree = NULL;
    accord_error error = {.text = ""};
    uint64_t k = accordi_rng_below(rng, tail < 2 ? 1 : sizeof tails / sizeof *tails);
    if (k)
        snprintf(last, sizeof last, "; %s %u", tails[k], tail);
    snprintf(text, sizeof text, "%u: (%s) of %u%s; chain", body + tail,
             lanes[accordi_rng_below(rng, LANES)], body, last);
    if (accord_notation_parse(text, &tree, NULL, NULL, &error) != ACCORD_OK)
        fail_msg("%s: %s", text, error.text);
    return tree;
}

static int64_t reveal_tailed(tailed *s, uint64_t seed)
{
    uint32_t n = s->tree->leaves;
    accord_target *target = NULL;
    accord_reveal_options options;
    char what[80];
    accord_reveal_options_init(&options);
    options.seed = seed;
    s->value = accordi_alloc(2 * (size_t)n, sizeof *s->value);
    s->last = accordi_alloc(2 * (size_t)n, sizeof *s->last);
    assert_int_equal(accord_target_from_callback(add_tailed, s, n, true, &target, NULL), ACCORD_OK);
    snprintf(what, sizeof what, "term %d root %d body %u", (int)s->term, s->root, s->body);
    int64_t calls = calls_of(target, &options, s->tree, what);
    free(s->value);
    free(s->last);
    return calls;
}

static void test_wider_last_terms_take_few_calls(void **state)
{
    (void)state;
    enum { MOST = 200, MEDIAN = 280, UPPER = 350 };
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    int64_t calls[MOST];
    size_t wrong = 0, count = trials(16) < MOST ? trials(16) : MOST;
    for (size_t m = 0; m < count; m++) {
        uint32_t body = 32 * (10 + (uint32_t)accordi_rng_below(&rng, 20));
        tailed s = {.body = body, .root = accordi_rng_below(&rng, 2)};
        bool squares = s.root || accordi_rng_below(&rng, 2);
        s.term = squares ? ACCORD_TERM_SQUARE : ACCORD_TERM_ABSOLUTE;
        s.tree = draw_tailed(&rng, body, 1 + (uint32_t)accordi_rng_below(&rng, 15));
        calls[m] = reveal_tailed(&s, accordi_rng_next(&rng));
        wrong += calls[m] < 0;
        accord_tree_free(s.tree);
    }
    qsort(calls, count, sizeof *calls, ascending);
    int64_t upper = calls[count - 1 - count / 4];
    printf("# %zu orders: median %" PRId64 ", upper quartile %" PRId64 ", most %" PRId64 " calls\n",
           count, calls[count / 2], upper, calls[count - 1]);
    assert_int_equal(wrong, 0);
    assert_true(upper <= UPPER);
    assert_true(calls[count / 2] <= MEDIAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regular_orders_take_few_calls),
        cmocka_unit_test(test_exchanged_terms_are_seen),
        cmocka_unit_test(test_wider_last_terms_take_few_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
