/* Functions that are no plain sum are refused, each for its own reason; see not_sums.h. */
#include "not_sums.h"
#include "record/record.h"
#include "trials.h"
#include <accord/reveal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct wrapped {
    box_context context;
    box *box;
} wrapped;

static double call(void *context, const void *x, size_t n)
{
    wrapped *w = context;
    double copy[256];
    for (size_t i = 0; i < n; i++)
        copy[i] = w->context.format == ACCORD_F64 ? ((const double *)x)[i]
                                                  : (double)((const float *)x)[i];
    return rounded(&w->context, w->box(&w->context, copy, n));
}

static enum accord_status ask(const not_sum *row, size_t n, enum accord_format format,
                              uint64_t seed, accord_record *record, accord_error *error)
{
    wrapped w = {.context = {.format = format, .random = seed}, .box = row->box};
    accord_target *target = NULL;
    accord_reveal_options options;
    assert_int_equal(accord_target_from_callback(call, &w, n, format != ACCORD_F64, &target, NULL),
                     ACCORD_OK);
    target->format = target->output = format;
    accord_reveal_options_init(&options);
    options.seed = seed;
    enum accord_status status = accord_reveal(target, &options, record, error);
    accord_target_close(target);
    return status;
}

static bool is_general(enum accord_reason reason)
{
    return reason == ACCORD_REASON_NOT_A_TREE || reason == ACCORD_REASON_NOT_FINITE ||
           reason == ACCORD_REASON_NOT_PLAIN || reason == ACCORD_REASON_OUT_OF_RANGE;
}

/* Does the reason show in this format, with so many terms? */
static bool shows(const not_sum *row, size_t n, enum accord_format format)
{
    int precision = accord_format_get(format)->precision;
    bool narrow = accord_format_get(format)->max_exponent < 20;
    if (row->reason == ACCORD_REASON_EXACT && narrow)
        return false;
    if (row->often && precision < 24 && n >= (precision < 11 ? 2 : 40))
        return false;
    return row->reason != ACCORD_REASON_NOT_A_TREE && precision >= row->precision;
}

static void test_reasons(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 3, 7, 12, 40, 100};
    static const enum accord_format formats[] = {ACCORD_F64, ACCORD_F32, ACCORD_F16, ACCORD_BF16};
    enum { ROWS = sizeof not_sums / sizeof *not_sums, SIZES = 6, FORMATS = 4 };
    uint64_t seed = trials_seed();
    size_t wrong = 0;
    for (size_t i = 0; i < trials(ROWS * SIZES * FORMATS); i++) {
        const not_sum *row = &not_sums[i % ROWS];
        size_t n = sizes[i / ROWS % SIZES];
        enum accord_format format = formats[i / ROWS / SIZES % FORMATS];
        accord_record record;
        accord_error error = {.status = ACCORD_OK};
        accordi_record_init(&record);
        enum accord_status status = ask(row, n, format, seed + i, &record, &error);
        bool good = status == ACCORD_UNABLE && error.reason == row->reason;
        if (!good && status == ACCORD_UNABLE)
            good = n < row->from ||
                   (!shows(row, n, format) && (is_general(error.reason) || row->precision > 8));
        if (!good && row->reason == ACCORD_REASON_EXPONENTIALS) /* true too */
            good = error.reason == ACCORD_REASON_OF_TERMS;
        if (!good && status == ACCORD_OK) /* so few terms, or bits, that it is a sum */
            good = record.arithmetic && (n < row->from || row->precision > 8);
        if (!good)
            printf("# %s %s n %zu seed %" PRIu64 ": %s: %s\n", row->name,
                   accord_format_get(format)->name, n, seed + i,
                   status ? accord_reason_name(error.reason) : "a tree",
                   status ? error.text : record.verdict);
        wrong += !good;
        accord_record_clear(&record);
    }
    assert_int_equal(wrong, 0);
}

/* As many kinds as asked for have a reason of their own. */
static void test_table(void **state)
{
    (void)state;
    size_t kinds = 0;
    bool told[ACCORD_REASON_COUNT] = {false};
    for (size_t r = 0; r < sizeof not_sums / sizeof *not_sums; r++)
        told[not_sums[r].reason] = true;
    for (int i = 0; i < ACCORD_REASON_COUNT; i++)
        kinds += told[i] && !is_general((enum accord_reason)i);
    assert_true(sizeof not_sums / sizeof *not_sums >= 40 && kinds >= 30);
}

/* Two results of 16 bits, where one float is read, do not depend on each other. */
static void test_two_results_in_one(void **state)
{
    static const size_t counts[] = {2, 8, 24};
    const char *build = getenv("ACCORD_BUILD");
    char notation[4300], shape[40];
    (void)state;
    snprintf(notation, sizeof notation, "so:%s/tests/support/boxes/libsums.so:rows_bf16",
             build ? build : "build");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        accord_target_options options;
        accord_target *target = NULL;
        accord_record record;
        accord_error error = {.status = ACCORD_OK};
        accord_target_options_init(&options);
        snprintf(shape, sizeof shape, "5x%zu", counts[i]);
        options.n = counts[i];
        options.shape = shape;
        options.signature = "rows:encoded";
        options.has_format = true;
        options.format = ACCORD_BF16;
        assert_int_equal(accord_target_open(notation, &options, &target, &error), ACCORD_OK);
        accordi_record_init(&record);
        assert_int_equal(accord_reveal(target, NULL, &record, &error), ACCORD_UNABLE);
        assert_int_equal(error.reason, ACCORD_REASON_OTHER_BITS);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

/* One term counts a little more: it is named, with its weight, wherever it stands. */
typedef struct odd_weight {
    size_t at;
    double weight;
} odd_weight;

static double one_weighted(void *context, const void *x, size_t n)
{
    const odd_weight *odd = context;
    const double *v = x;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += i == odd->at ? odd->weight * v[i] : v[i];
    return sum;
}

static void test_odd_weights_are_named(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t i = 0; i < trials(40); i++) {
        size_t n = 5 + accordi_rng_below(&rng, 100);
        odd_weight odd = {accordi_rng_below(&rng, n), 1 + ldexp(1, -2 - (int)(i % 10))};
        accord_target *target = NULL;
        accord_record record;
        accord_error error = {.status = ACCORD_OK};
        char due[80];
        snprintf(due, sizeof due, "different weights: term %zu has the weight %.6g, term ", odd.at,
                 odd.weight);
        accordi_record_init(&record);
        assert_int_equal(accord_target_from_callback(one_weighted, &odd, n, false, &target, NULL),
                         ACCORD_OK);
        assert_int_equal(accord_reveal(target, NULL, &record, &error), ACCORD_UNABLE);
        if (!strstr(error.text, due))
            print_message("# n %zu, term %zu times %g: %s\n", n, odd.at, odd.weight, error.text);
        assert_int_equal(error.reason, ACCORD_REASON_WEIGHTED);
        assert_non_null(strstr(error.text, due));
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_two_results_in_one),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_odd_weights_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
