/* A struct of options whose bytes are all zero stands for the defaults; where one field is set, the
 * others keep theirs. */
#include "base/base.h"
#include "record/record.h"
#include "trials.h"
#include <accord/accord.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- exact sums ---- */

enum { LENGTH = 40 };
static double numbers[LENGTH];

static void expect_sums(const accord_exact_options *options, double sum, double square)
{
    double found = 0;
    accord_error error = {.text = ""};
    if (accord_sum_exact_f64(LENGTH, numbers, 1, options, &found, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    assert_true(found == sum);
    if (accord_dot_exact_f64(LENGTH, numbers, 1, numbers, 1, options, &found, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    assert_true(found == square);
}

static void test_exact(void **state)
{
    (void)state;
    const accord_exact_options served[] = {
        {.threads = 0},
        {.threads = 2},
        {.threads = ACCORD_EXACT_EACH_PROCESSOR},
        {.expansion = 3},
        {.method = ACCORD_EXACT_EXPANSION},
        {.method = ACCORD_EXACT_EXPANSION, .no_early_exit = true},
        {.method = ACCORD_EXACT_SCATTER},
        {.rounding = ACCORD_EXACT_NEAREST_AWAY},
    };
    double sum = 0, square = 0;
    for (int i = 0; i < LENGTH; i++)
        numbers[i] = ((i % 2 ? -1e30 : 1e30) + 1e20 * i) * (i + 1) / 3;
    assert_int_equal(accord_sum_exact_f64(LENGTH, numbers, 1, NULL, &sum, NULL), ACCORD_OK);
    assert_int_equal(accord_dot_exact_f64(LENGTH, numbers, 1, numbers, 1, NULL, &square, NULL),
                     ACCORD_OK);
    for (size_t i = 0; i < sizeof served / sizeof *served; i++)
        expect_sums(&served[i], sum, square);
    const accord_exact_options up = {.rounding = ACCORD_EXACT_UP};
    const double tiny[2] = {1, 0x1p-60};
    assert_int_equal(accord_sum_exact_f64(2, tiny, 1, &up, &sum, NULL), ACCORD_OK);
    assert_true(sum == 1 + 0x1p-52);
}

/* ---- sizes ---- */

/* Options as callers have them that were compiled with another header: a shorter struct, of which
 * nothing may be read beyond its end, or a longer one. */
typedef struct longer {
    accord_exact_options options;
    unsigned char added[24];
} longer;

static void test_longer(void **state)
{
    (void)state;
    const double tiny[2] = {1, 0x1p-60};
    for (size_t set = 0; set <= sizeof((longer *)0)->added; set++) {
        longer given = {.options = {.size = sizeof given, .rounding = ACCORD_EXACT_UP}};
        bool known = set == sizeof given.added;
        double sum = 42;
        accord_error error = {.text = ""};
        if (!known)
            given.added[set] = 1;
        assert_int_equal(accord_sum_exact_f64(2, tiny, 1, &given.options, &sum, &error),
                         known ? ACCORD_OK : ACCORD_ARG);
        assert_true(sum == (known ? 1 + 0x1p-52 : 42));
        if (!known)
            assert_non_null(strstr(error.text, "accord_exact_options uses a member that accord"));
    }
}

static void test_shorter(void **state)
{
    (void)state;
    const double tiny[2] = {1, 0x1p-60};
    size_t until_rounding = offsetof(accord_exact_options, rounding);
    for (size_t held = sizeof(size_t); held <= sizeof(accord_exact_options); held += 4) {
        double sum = 42;
        accord_exact_options all = {.size = held, .rounding = ACCORD_EXACT_UP};
        accord_exact_options *given = malloc(held); /* a sanitizer sees what is read beyond */
        assert_non_null(given);
        memcpy(given, &all, held);
        assert_int_equal(accord_sum_exact_f64(2, tiny, 1, given, &sum, NULL), ACCORD_OK);
        assert_true(sum == (held > until_rounding ? 1 + 0x1p-52 : 1));
        free(given);
    }
}

/* A size that was never set is refused before anything is read. */
static void test_impossible(void **state)
{
    (void)state;
    const size_t sizes[] = {1, sizeof(size_t) - 1, 100000, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        accord_error error = {.text = ""};
        double sum = 42;
        const accord_exact_options exact = {.size = sizes[i]};
        const accord_target_options options = {.size = sizes[i], .n = 4};
        const accord_reveal_options how = {.size = sizes[i]};
        const accord_write_options form = {.size = sizes[i]};
        const accord_features_options features = {.size = sizes[i]};
        const accord_batch batch = {.size = sizes[i]};
        const accord_grid grid = {.size = sizes[i], .a = &sum};
        const accord_grid_callback callback = {.size = sizes[i]};
        const accord_rows rows = {.size = sizes[i]};
        accord_target *target = NULL;
        accord_target *open = NULL;
        accord_record record;
        accordi_record_init(&record);
        accord_features *found = NULL;
        assert_int_equal(
            accord_target_open("blas:sgemv", &(accord_target_options){.n = 4}, &open, NULL),
            ACCORD_OK);
        assert_int_equal(accord_sum_exact_f64(0, NULL, 1, &exact, &sum, &error), ACCORD_ARG);
        assert_int_equal(accord_target_open("blas:sdot", &options, &target, &error), ACCORD_ARG);
        assert_int_equal(accord_target_from_grid(&callback, &target, &error), ACCORD_ARG);
        assert_int_equal(accord_reveal(open, &how, &record, &error), ACCORD_ARG);
        assert_int_equal(accord_record_string(&record, accord_writer_by_name("json"), &form,
                                              &(char *){NULL}, &error),
                         ACCORD_ARG);
        assert_int_equal(accord_features_find(open, NULL, &features, &found, &error), ACCORD_ARG);
        assert_int_equal(accord_target_run(open, &batch, &sum, &error), ACCORD_ARG);
        assert_int_equal(accord_target_run_grid(open, &grid, &sum, &error), ACCORD_ARG);
        assert_int_equal(accord_model_replay(&(accord_model){NULL, NULL}, &rows, &sum, &error),
                         ACCORD_ARG);
        assert_non_null(strstr(error.text, "accord_rows"));
        assert_true(sum == 42 && !target && !found);
        accord_target_close(open);
    }
}

/* What _init sets is what the library knows, and the defaults. */
static void test_set(void **state)
{
    (void)state;
    accord_reveal_options how, zero = {.size = sizeof how};
    memset(&how, 0xff, sizeof how);
    accord_reveal_options_init(&how);
    assert_memory_equal(&how, &zero, sizeof how);
    accord_rows rows;
    ACCORD_INIT(&rows);
    assert_true(rows.size == sizeof rows && !rows.rows && !rows.x);
}

/* What programs hold by value is as large as it was with this soname (where pointers have 64 bits
 * and numbers their natural alignment). If a row fails, the struct must change back or the soname
 * must change, too. */
static void test_fixed_layouts(void **state)
{
#define ROW(type_, size_)                                                                          \
    {                                                                                              \
#type_, sizeof(type_), size_                                                               \
    }
    static const struct {
        const char *name;
        size_t size, fixed;
    } rows[] = {
        ROW(accord_error, 488),          ROW(accord_exact, 616),
        ROW(accord_exact_wide, 1144),    ROW(accord_tree, 24),
        ROW(accord_tree_difference, 16), ROW(accord_pattern_part, 8),
        ROW(accord_order_measures, 16),  ROW(accord_fused, 112),
        ROW(accord_operation, 28),       ROW(accord_model, 16),
        ROW(accord_witness_input, 40),   ROW(accord_answers, 544),
        ROW(accord_alternative, 16),     ROW(accord_records, 16),
        ROW(accord_comparison, 448),     ROW(accord_common, 160),
        ROW(accord_circumstance, 48),    ROW(accord_verdict, 752),
        ROW(accord_survey_verdict, 496), ROW(accord_bound_binding, 24),
        ROW(accord_outside_access, 20),
    };
#undef ROW
    (void)state;
    if (sizeof(void *) != 8)
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].size != rows[i].fixed)
            fail_msg("%s has %zu bytes, not %zu", rows[i].name, rows[i].size, rows[i].fixed);
}

/* ---- targets, orders, reports ---- */

static bool to_buffer(void *context, const char *text, size_t length)
{
    accordi_buffer_append(context, text, length);
    return true;
}

static char *written(const accord_record *record, const char *form,
                     const accord_write_options *options)
{
    accordi_buffer out = {0};
    assert_int_equal(
        accord_record_write(record, accord_writer_by_name(form), options, to_buffer, &out, NULL),
        ACCORD_OK);
    assert_false(out.failed);
    return out.data;
}

/* The fields of time differ from run to run. */
static void forget_time(accord_record *record)
{
    record->discovery_seconds = record->certificate_seconds = 0;
    record->target_seconds = record->replay_seconds = 0;
}

static void revealed(const char *notation, const accord_target_options *options,
                     const accord_reveal_options *how, accord_record *record)
{
    accord_target *target = NULL;
    accord_error error = {.text = ""};
    accordi_record_init(record);
    if (accord_target_open(notation, options, &target, &error) != ACCORD_OK ||
        accord_reveal(target, how, record, &error) != ACCORD_OK)
        fail_msg("%s: %s", notation, error.text);
    accord_target_close(target);
    forget_time(record);
}

static void expect_same(const accord_record *a, const accord_record *b)
{
    char *one = written(a, "json", NULL), *other = written(b, "json", NULL);
    assert_string_equal(one, other);
    free(one);
    free(other);
}

static void test_targets_and_orders(void **state)
{
    (void)state;
    static const char *const notations[] = {"synthetic:pairwise", "synthetic:random", "blas:sdot",
                                            "blas:sgemv", "blas:sgemm"};
    for (size_t i = 0; i < sizeof notations / sizeof *notations; i++) {
        accord_record plain, zeroed;
        accord_target_options options, zero_options = {.n = 9};
        accord_reveal_options how, zero_how = {.algorithm = NULL};
        accord_target *target = NULL;
        accord_target_options_init(&options);
        accord_reveal_options_init(&how);
        options.n = 9;
        if (accord_target_open(notations[i], &options, &target, NULL) != ACCORD_OK) {
            printf("# %s is not here\n", notations[i]);
            continue;
        }
        accord_target_close(target);
        revealed(notations[i], &options, &how, &plain);
        revealed(notations[i], &zero_options, &zero_how, &zeroed);
        expect_same(&plain, &zeroed);
        accord_record_clear(&zeroed);
        revealed(notations[i], &zero_options, NULL, &zeroed);
        expect_same(&plain, &zeroed);
        accord_record_clear(&zeroed);
        accord_record_clear(&plain);
    }
}

static void test_reports(void **state)
{
    (void)state;
    accord_record record;
    const accord_target_options options = {.n = 12};
    const accord_write_options zero = {.columns = 0}, colored = {.color = true};
    accord_write_options plain;
    accord_write_options_init(&plain);
    revealed("synthetic:pairwise", &options, NULL, &record);
    char *none = written(&record, "report", NULL), *init = written(&record, "report", &plain);
    char *zeroed = written(&record, "report", &zero), *color = written(&record, "report", &colored);
    assert_string_equal(none, init);
    assert_string_equal(none, zeroed);
    assert_non_null(strstr(none, "─")); /* drawn, as by default */
    assert_non_null(strstr(color, "─"));
    free(none);
    free(init);
    free(zeroed);
    free(color);
    accord_record_clear(&record);
}

/* ---- questions that do not fit ---- */

static void refused(const char *notation, const accord_target_options *options)
{
    accord_target *target = NULL;
    accord_error error = {.text = ""};
    enum accord_status status = accord_target_open(notation, options, &target, &error);
    if (status == ACCORD_OK)
        status = accord_reveal(target, NULL, NULL, &error);
    accord_target_close(target);
    assert_int_equal(status, ACCORD_NOMEM);
    assert_non_null(strstr(error.text, "GiB"));
    assert_non_null(strstr(error.text, "available"));
}

static void test_memory(void **state)
{
    (void)state;
    accord_error error;
    assert_true(accordi_memory_available() > 1 << 20);
    assert_int_equal(accordi_memory_check(1e3, "little", &error), ACCORD_OK);
    if (accordi_memory_available() == UINT64_MAX)
        skip();
    assert_int_equal(accordi_memory_check(0x1p70, "much", &error), ACCORD_NOMEM);
    assert_non_null(strstr(error.text, "much needs about 1099511627776.0 GiB"));
    refused("synthetic:sequential",
            &(const accord_target_options){.n = 1000, .shape = "3000000x1000x3000000"});
}

/* ---- progress ---- */

typedef struct steps {
    uint64_t done, total, calls;
    size_t wrong, unknown;
} steps;

static bool step(void *context, const char *stage, uint64_t done, uint64_t total)
{
    steps *s = context;
    s->calls++;
    s->wrong += done < s->done || (total > 0 && total < done) || !stage;
    s->unknown += total == 0;
    s->done = done;
    s->total = total;
    return true;
}

static double slow_sum(void *context, const void *x, size_t n)
{
    const float *value = x;
    float sum = 0;
    double from = accordi_now();
    (void)context;
    while (accordi_now() - from < 2e-4) {
    }
    for (size_t i = 0; i < n; i++)
        sum += value[i];
    return (double)sum;
}

static void test_progress(void **state)
{
    (void)state;
    steps s = {0};
    const accord_reveal_options how = {.progress = step, .progress_context = &s};
    accord_target *target = NULL;
    accord_record record;
    accordi_record_init(&record);
    assert_int_equal(accord_target_from_callback(slow_sum, NULL, 20, true, &target, NULL),
                     ACCORD_OK);
    assert_int_equal(accord_reveal(target, &how, &record, NULL), ACCORD_OK);
    printf("# %llu steps, %llu of %llu at the last\n", (unsigned long long)s.calls,
           (unsigned long long)s.done, (unsigned long long)s.total);
    assert_true(s.calls > 3 && s.wrong == 0 && s.unknown == 0);
    assert_true(s.done <= target->calls && s.total >= s.done);
    assert_true(s.total < 3 * target->calls && target->calls < 3 * s.total); /* an estimate */
    accord_record_clear(&record);
    accord_target_close(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),    cmocka_unit_test(test_targets_and_orders),
        cmocka_unit_test(test_reports),  cmocka_unit_test(test_memory),
        cmocka_unit_test(test_progress), cmocka_unit_test(test_longer),
        cmocka_unit_test(test_shorter),  cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_set),      cmocka_unit_test(test_fixed_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
