/* Budgets and numbers of replays: whatever is left out is said, and nothing is proven then. */
#include "map/map.h"
#include "record/record.h"
#include "trials.h"
#include <accord/accord.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed(void)
{
    const char *text = getenv("ACCORD_TEST_SEED");
    return text ? strtoull(text, NULL, 10) : 1;
}

/* ---- boxes ---- */

static double forwards(void *context, const void *x, size_t n)
{
    const double *v = x;
    double sum = 0;
    *(uint64_t *)context += 1;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum;
}

/* Backwards, where the terms are ordinary numbers: no probe sees it. */
static double two_ways(void *context, const void *x, size_t n)
{
    const double *v = x;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (v[i] > 1e18 || v[i] < -1e18)
            return forwards(context, x, n);
    *(uint64_t *)context += 1;
    for (size_t i = n; i-- > 0;)
        sum += v[i];
    return sum;
}

static accord_target *box(accord_sum_callback *sum, uint64_t *calls, size_t n)
{
    accord_target *target = NULL;
    *calls = 0;
    assert_int_equal(accord_target_from_callback(sum, calls, n, false, &target, NULL), ACCORD_OK);
    return target;
}

static accord_target *synthetic(const char *notation, size_t n)
{
    accord_target *target = NULL;
    accord_error error;
    accord_target_options options;
    accord_target_options_init(&options);
    options.n = n;
    options.seed = seed();
    if (accord_target_open(notation, &options, &target, &error))
        fail_msg("%s: %s", notation, error.text);
    return target;
}

static enum accord_status ask(accord_target *target, const accord_reveal_options *options,
                              accord_record *record, accord_error *error)
{
    accordi_record_init(record);
    *error = (accord_error){.status = ACCORD_OK};
    return accord_reveal(target, options, record, error);
}

/* ---- what every answer has to be ---- */

static void expect_sound(const accord_record *record, enum accord_status status,
                         const accord_error *error, bool fixed)
{
    assert_true(status == ACCORD_OK || status == ACCORD_UNABLE);
    assert_non_null(record->verdict);
    if (record->left_out) {
        assert_false(record->proven);
        assert_non_null(strstr(record->verdict, "left out: "));
    }
    if (record->tree && record->left_out)
        assert_non_null(strstr(record->verdict, "not proven"));
    if (status == ACCORD_UNABLE && fixed && error->reason != ACCORD_REASON_BUDGET) {
        /* The arithmetic was still being looked for. */
        assert_int_equal(error->reason, ACCORD_REASON_NOT_PLAIN);
        assert_true(record->replays_agreed < record->replays);
        assert_non_null(strstr(record->left_out, "the search for an arithmetic"));
    }
    if (error->reason == ACCORD_REASON_BUDGET) {
        assert_null(record->tree);
        assert_non_null(strstr(record->left_out, "the search for an order"));
        assert_non_null(strstr(error->text, "the budget of"));
    }
    assert_true(record->nodes_confirmed <= record->nodes);
    assert_true(record->proven == (status == ACCORD_OK && !record->left_out &&
                                   record->nodes_confirmed == record->nodes &&
                                   record->replays_agreed == record->replays));
}

/* From nothing to more than enough. */
static const uint64_t budgets[] = {1,   3,   6,   12,   20,   30,   45,   70,    100,
                                   150, 220, 400, 1000, 2500, 4000, 7000, 12000, 100000};
enum { BUDGETS = sizeof budgets / sizeof *budgets };

static void test_fixed_orders(void **state)
{
    (void)state;
    static const char *const notations[] = {"synthetic:sequential", "synthetic:pairwise",
                                            "synthetic:yule",       "synthetic:numpy",
                                            "synthetic:lanes:4",    "synthetic:sequential,products",
                                            "synthetic:hopper-f16", "synthetic:mean"};
    static const size_t sizes[] = {1, 2, 7, 40, 300};
    size_t proven = 0, orders = 0, none = 0;
    for (size_t i = 0; i < sizeof notations / sizeof *notations; i++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t b = 0; b < BUDGETS; b++) {
                if (!trial_runs((i * 5 + s) * BUDGETS + b, seed()))
                    continue;
                accord_target *target = synthetic(notations[i], sizes[s]);
                accord_tree *truth = NULL;
                accord_record record;
                accord_error error;
                const accord_reveal_options how = {.seed = seed(), .budget_calls = budgets[b]};
                enum accord_status status = ask(target, &how, &record, &error);
                assert_true(target->calls <= budgets[b]);
                expect_sound(&record, status, &error, true);
                if (accord_synthetic_tree(target, &truth, NULL) == ACCORD_OK && record.tree &&
                    record.nodes_confirmed == record.nodes)
                    assert_true(accord_tree_equal(record.tree, truth));
                if (b + 1 == BUDGETS)
                    assert_int_equal(status, ACCORD_OK);
                proven += record.proven;
                orders += record.tree && !record.proven;
                none += !record.tree;
                accord_tree_free(truth);
                accord_record_clear(&record);
                accord_target_close(target);
            }
    assert_true(!trials_are_all() || (proven > 20 && orders > 20 && none > 20));
}

/* A budget never makes what is no fixed order look like one. */
static void test_two_ways(void **state)
{
    (void)state;
    for (size_t n = 5; n < 60; n += 18)
        for (size_t b = 0; b < BUDGETS; b++) {
            uint64_t calls;
            accord_target *target = box(two_ways, &calls, n);
            accord_record record;
            accord_error error;
            const accord_reveal_options how = {.seed = seed(), .budget_calls = budgets[b]};
            enum accord_status status = ask(target, &how, &record, &error);
            expect_sound(&record, status, &error, false);
            assert_false(record.proven);
            assert_true(record.replays == 0 || status == ACCORD_UNABLE);
            accord_record_clear(&record);
            accord_target_close(target);
        }
}

static void test_seconds(void **state)
{
    (void)state;
    static const double seconds[] = {1e-9, 1e6};
    for (int i = 0; i < 2; i++) {
        accord_target *target = synthetic("synthetic:pairwise", 30);
        accord_record record;
        accord_error error;
        const accord_reveal_options how = {.budget_seconds = seconds[i]};
        enum accord_status status = ask(target, &how, &record, &error);
        expect_sound(&record, status, &error, true);
        assert_int_equal(status, i ? ACCORD_OK : ACCORD_UNABLE);
        assert_true(record.proven == (i == 1));
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

static void test_replays(void **state)
{
    (void)state;
    static const uint64_t replays[] = {1, 2, 10, 500, 1999, 2000, 3001};
    for (size_t i = 0; i < sizeof replays / sizeof *replays; i++) {
        uint64_t calls, fewer;
        accord_target *target = box(forwards, &calls, 20);
        accord_record record;
        accord_error error;
        const accord_reveal_options how = {.seed = seed(), .replays = replays[i]};
        assert_int_equal(ask(target, &how, &record, &error), ACCORD_OK);
        expect_sound(&record, ACCORD_OK, &error, true);
        assert_int_equal(record.replays, replays[i]);
        assert_int_equal(record.replays_agreed, replays[i]);
        assert_true(record.proven == (replays[i] >= 2000));
        assert_true(record.answers.inputs ==
                    (int64_t)(replays[i] > 1998 ? 1000 : (replays[i] + 1) / 2));
        fewer = calls;
        accord_record_clear(&record);
        accord_target_close(target);
        target = box(forwards, &calls, 20);
        assert_int_equal(ask(target, NULL, &record, &error), ACCORD_OK);
        assert_true(replays[i] > 500 || fewer < calls);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

/* What was cut short is the same as nothing but by its answers. */
static void test_comparisons(void **state)
{
    (void)state;
    static const uint64_t limits[] = {5, 150, 400, 1000, 100000};
    accord_record one, other;
    accord_error error;
    accord_comparison why;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        for (int reversed = 0; reversed < 2; reversed++) {
            accord_target *a = synthetic("synthetic:sequential", 33);
            accord_target *b =
                synthetic(reversed ? "synthetic:pairwise" : "synthetic:sequential", 33);
            const accord_reveal_options how = {.budget_calls = limits[i]};
            ask(a, NULL, &one, &error);
            ask(b, &how, &other, &error);
            enum accord_sameness same = accord_record_compare(&one, &other, 0, &why);
            if (other.proven)
                assert_int_equal(same, reversed ? ACCORD_DIFFERS : ACCORD_SAME);
            else if (!reversed)
                assert_int_equal(same, other.answers.generator ? ACCORD_SAME_ON_INPUTS
                                                               : ACCORD_CANNOT_TELL);
            else
                assert_int_equal(same, other.nodes_confirmed ? ACCORD_DIFFERS : ACCORD_CANNOT_TELL);
            assert_int_equal(accord_record_compare(&other, &one, 0, NULL), same);
            accord_record_clear(&one);
            accord_record_clear(&other);
            accord_target_close(a);
            accord_target_close(b);
        }
}

static void test_words(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",     "s",      "calls",    "10",   "-1s",
                                        "0s",   "0calls", "1.5calls", "nans", "infs",
                                        "10 s", "10sec",  "1e400s",   "10S"};
    accord_reveal_options options;
    accord_reveal_options_init(&options);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(accord_reveal_budget(wrong[i], &options, NULL), ACCORD_ARG);
    assert_int_equal(accord_reveal_budget(NULL, &options, NULL), ACCORD_ARG);
    assert_true(options.budget_calls == 0 && options.budget_seconds == 0);
    assert_int_equal(accord_reveal_budget("1.5s", &options, NULL), ACCORD_OK);
    assert_int_equal(accord_reveal_budget("5e3calls", &options, NULL), ACCORD_OK);
    assert_true(options.budget_calls == 5000 && options.budget_seconds == 1.5);
}

/* ---- many results ---- */

static void product(void *context, const accord_grid *grid, double *results)
{
    const double *a = grid->a, *b = grid->b;
    size_t n = *(size_t *)context;
    for (size_t r = 0; r < 3; r++)
        for (size_t c = 0; c < 4; c++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a[r * n + k] * b[c * n + k];
            results[r * 4 + c] = sum;
        }
}

static void test_maps(void **state)
{
    (void)state;
    size_t n = 15, none = 0, made = 0;
    for (size_t b = 0; b < BUDGETS; b++)
        for (int element = 0; element < 2; element++) {
            accord_target *target = NULL;
            accord_map map;
            accord_record record;
            accord_error error = {.status = ACCORD_OK};
            const accord_grid_callback grid = {.call = product,
                                               .context = &n,
                                               .rows = 3,
                                               .columns = 4,
                                               .n = n,
                                               .term = ACCORD_TERM_PRODUCT};
            const accord_reveal_options how = {.budget_calls = budgets[b], .seed = seed()};
            assert_int_equal(accord_target_from_grid(&grid, &target, NULL), ACCORD_OK);
            accordi_map_init(&map);
            accordi_record_init(&record);
            enum accord_status status =
                element ? accord_map_reveal_element(target, &how, 1, 2, &record, &error)
                        : accord_map_reveal(target, &how, &map, &error);
            if (element) {
                expect_sound(&record, status, &error, true);
            } else if (status) {
                assert_int_equal(status, ACCORD_UNABLE);
                assert_int_equal(error.reason, ACCORD_REASON_BUDGET);
            }
            for (size_t i = 0; i < map.classes; i++)
                assert_false(map.each[i].record.left_out && map.each[i].record.proven);
            none += status != ACCORD_OK;
            made += status == ACCORD_OK;
            accord_map_clear(&map);
            accord_record_clear(&record);
            accord_target_close(target);
        }
    assert_true(none > 4 && made > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_orders), cmocka_unit_test(test_two_ways),
        cmocka_unit_test(test_seconds),      cmocka_unit_test(test_replays),
        cmocka_unit_test(test_comparisons),  cmocka_unit_test(test_words),
        cmocka_unit_test(test_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
