/* Reads and writes beside the operands, by boxes of tests/support/boxes and by libraries that are
 * sound.
 */
#include "map/map.h"
#include "record/record.h"
#include "trials.h"
#include <accord/map.h>
#include <accord/reveal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct question {
    const char *target; /* after the path where it has none */
    const char *shape;
    int64_t incx, incy, lda;
    enum accord_reason reason; /* NONE: an order */
    const char *says;
} question;

/* NULL where the library is not there. */
static bool reveal(const question *q, size_t n, bool no_fork, accord_record *record,
                   accord_error *error, enum accord_status *status)
{
    char notation[400];
    const char *build = getenv("ACCORD_BUILD");
    accord_target_options options;
    accord_target *target = NULL;
    accord_target_options_init(&options);
    options.n = n;
    options.has_format = strncmp(q->target, "blas", 4) != 0;
    options.format = ACCORD_F32;
    options.no_fork = no_fork;
    options.shape = q->shape;
    options.incx = q->incx;
    options.incy = q->incy;
    options.lda = q->lda;
    const char *at = strchr(q->target, '@');
    bool own = !at || at[1] == '\0';
    if (!own && strstr(q->target, "gem") && n % 2 == 0) { /* start values are written by accord */
        options.beta = 0.5;
        options.n = n + 1;
    }
    if (!own)
        snprintf(notation, sizeof notation, "%s", q->target);
    else if (at)
        snprintf(notation, sizeof notation, "%s%s/tests/support/boxes/libsums.so", q->target,
                 build ? build : "build");
    else
        snprintf(notation, sizeof notation, "so:%s/tests/support/boxes/libsums.so:%s",
                 build ? build : "build", q->target);
    *status = accord_target_open(notation, &options, &target, error);
    if (*status)
        return !own;
    accordi_record_init(record);
    *status = accord_reveal(target, NULL, record, error);
    accord_target_close(target);
    return false;
}

static void test_beside(void **state)
{
    (void)state;
    static const question questions[] = {
        {"sum_float", NULL, 0, 0, 0, ACCORD_REASON_NONE, ""},
        {"reads_unused", NULL, 0, 0, 0, ACCORD_REASON_NONE, ""},
        {"adds_after", NULL, 0, 0, 0, ACCORD_REASON_READS_OUTSIDE, "after its operands"},
        {"adds_before", NULL, 0, 0, 0, ACCORD_REASON_READS_OUTSIDE, "before its operands"},
        {"multiplies_after", NULL, 0, 0, 0, ACCORD_REASON_READS_OUTSIDE, "after its operands"},
        {"looks_after", NULL, 0, 0, 0, ACCORD_REASON_READS_OUTSIDE, "after its operands"},
        {"writes_after", NULL, 0, 0, 0, ACCORD_REASON_WRITES_OUTSIDE, "after its operands"},
        {"writes_before", NULL, 0, 0, 0, ACCORD_REASON_WRITES_OUTSIDE, "before its operands"},
        {"scales_input", NULL, 0, 0, 0, ACCORD_REASON_WRITES_INPUT,
         "the target writes to its input"},
        {"blas:sdot@", NULL, 1, 1, 0, ACCORD_REASON_NONE, ""},
        {"blas:sdot@", NULL, 1, 3, 0, ACCORD_REASON_NONE, ""},
        {"blas:sdot@", NULL, 2, 1, 0, ACCORD_REASON_READS_OUTSIDE, "between"},
        {"blas:sgemv@", "4x", 0, 1, 0, ACCORD_REASON_NONE, ""},
        {"blas:sgemv@", "4x", 3, 1, 0, ACCORD_REASON_NONE, ""},
        {"blas:sgemv@", "4x", 0, 1, 50, ACCORD_REASON_READS_OUTSIDE, "between"},
        {"blas:sgemv@", "4x", 0, 2, 0, ACCORD_REASON_WRITES_OUTSIDE, "between"},
        {"blas:sdot@openblas", NULL, 2, -3, 0, ACCORD_REASON_NONE, ""},
        {"blas:sgemv@openblas", "5x", 2, 3, 50, ACCORD_REASON_NONE, ""},
        {"blas:dgemm@openblas", "3x4x", 0, 0, 50, ACCORD_REASON_NONE, ""},
        {"blas:sdot@blis", NULL, 2, 3, 0, ACCORD_REASON_NONE, ""},
        {"blas:sgemv@blis", "5x", 2, 3, 50, ACCORD_REASON_NONE, ""},
        {"blas:dgemv@reference", "5x", 2, 3, 50, ACCORD_REASON_NONE, ""},
        {"blas:sgemm@gsl", "3x4x", 0, 0, 50, ACCORD_REASON_NONE, ""},
        {"blas:sasum@openblas", NULL, 3, 0, 0, ACCORD_REASON_NONE, ""},
    };
    static const size_t sizes[] = {7, 24};
    uint64_t seed = trials_seed();
    size_t wrong = 0;
    for (size_t i = 0; i < 4 * sizeof questions / sizeof *questions; i++) {
        if (!trial_runs(i, seed))
            continue;
        question q = questions[i / 4];
        size_t n = sizes[i % 2];
        char shape[32];
        accord_record record;
        accord_error error = {.status = ACCORD_OK};
        enum accord_status status;
        snprintf(shape, sizeof shape, "%s%zu", q.shape ? q.shape : "", n);
        q.shape = q.shape ? shape : NULL;
        if (reveal(&q, n, i % 4 >= 2, &record, &error, &status))
            continue; /* no such library here */
        enum accord_reason reason = status == ACCORD_UNABLE ? error.reason : ACCORD_REASON_NONE;
        bool beside = reason >= ACCORD_REASON_WRITES_INPUT;
        bool good = (status == ACCORD_OK || status == ACCORD_UNABLE) &&
                    (q.reason ? reason == q.reason && strstr(error.text, q.says) : !beside);
        if (!good)
            printf("# %s n %zu: %d %s\n", q.target, n, (int)status, error.text);
        wrong += !good;
        if (status == ACCORD_OK || status == ACCORD_UNABLE)
            accord_record_clear(&record);
    }
    assert_int_equal(wrong, 0);
}

/* ---- beyond the operands, without using what is there ---- */

static size_t warned(const char *target, size_t n, int64_t alignment, bool no_fork,
                     const char *zone)
{
    char notation[400];
    const char *build = getenv("ACCORD_BUILD");
    accord_target_options options;
    accord_target *opened = NULL;
    accord_record record;
    accord_error error;
    accord_target_options_init(&options);
    options.n = n;
    options.has_format = strncmp(target, "blas", 4) != 0;
    options.format = ACCORD_F32;
    options.alignment = alignment;
    options.no_fork = no_fork;
    if (!options.has_format)
        snprintf(notation, sizeof notation, "%s", target);
    else
        snprintf(notation, sizeof notation, "so:%s/tests/support/boxes/libsums.so:%s",
                 build ? build : "build", target);
    if (accord_target_open(notation, &options, &opened, NULL))
        return 2; /* no such library */
    accordi_record_init(&record);
    enum accord_status status = accord_reveal(opened, NULL, &record, &error);
    if (options.has_format ? status != ACCORD_OK || !record.proven
                           : status != ACCORD_OK && error.reason >= ACCORD_REASON_WRITES_INPUT)
        fail_msg("%s n %zu: %s", target, n, error.text);
    bool found = record.warnings && strstr(record.warnings, zone);
    assert_true(found || !record.warnings || *zone);
    accord_record_clear(&record);
    accord_target_close(opened);
    return found;
}

static void test_beyond(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 5, 7, 16, 24, 33, 100, 1024};
    static const char *const sound[] = {"sum_float",      "aligned_only",     "blas:sdot@openblas",
                                        "blas:sdot@blis", "blas:sasum@atlas", "blas:dnrm2@gsl"};
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t n = sizes[i];
        if (!trial_runs(i, seed))
            continue;
        assert_int_equal(warned("reads_unused", n, 0, false, "after they end"), 1);
        assert_int_equal(warned("reads_unused_before", n, 0, false, "before they begin"), 1);
        assert_int_equal(warned("reads_unused_far", n, 0, false, "after they end"), 1);
        assert_int_equal(warned("reads_unused", n, 0, true, "after they end"), 0);
        /* With the alignment asked for, it ends exactly there where it is a multiple of 64. */
        bool exact = (4 * n + 4) % 64 == 0;
        assert_int_equal(warned("reads_unused", n, 4, false, "after they end"), exact);
        for (size_t k = 0; k < sizeof sound / sizeof *sound; k++) {
            assert_int_not_equal(warned(sound[k], n, 0, false, "operands"), 1);
            if (k != 1)
                assert_int_not_equal(warned(sound[k], n, 4, false, "operands"), 1);
        }
    }
}

/* Scales are operands, too. */
static void test_beyond_scales(void **state)
{
    (void)state;
    static const struct {
        const char *name, *zone; /* NULL: there is nothing to warn of */
    } cases[] = {{"scaled_sound", NULL},
                 {"scaled_after", "after they end"},
                 {"scaled_before", "before they begin"}};
    static const enum accord_format formats[] = {ACCORD_E4M3, ACCORD_E2M1};
    const char *build = getenv("ACCORD_BUILD");
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        char notation[400];
        accord_target_options options;
        accord_target *target = NULL;
        accord_record record;
        accord_error error;
        accord_target_options_init(&options);
        options.n = 40;
        options.has_format = true;
        options.format = formats[i % 2];
        options.signature = "scaled-dot";
        options.scale_block = 8;
        options.scale = ACCORD_E8M0;
        snprintf(notation, sizeof notation, "so:%s/tests/support/boxes/libsums.so:%s",
                 build ? build : "build", cases[i / 2].name);
        assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
        accordi_record_init(&record);
        if (accord_reveal(target, NULL, &record, &error))
            fail_msg("%s: %s", notation, error.text);
        if (cases[i / 2].zone)
            assert_true(record.warnings && strstr(record.warnings, cases[i / 2].zone));
        else
            assert_true(!record.warnings || !strstr(record.warnings, "operands"));
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

/* Used, but beyond the margin of the canaries. */
static void test_far(void **state)
{
    (void)state;
    static const question q = {"adds_far", NULL, 0, 0, 0, ACCORD_REASON_READS_OUTSIDE, ""};
    for (size_t n = 3; n < 200; n *= 3) {
        accord_record record;
        accord_error error = {.status = ACCORD_OK};
        enum accord_status status;
        assert_false(reveal(&q, n, false, &record, &error, &status));
        assert_int_equal(status, ACCORD_UNABLE);
        assert_int_equal(error.reason, ACCORD_REASON_READS_OUTSIDE);
        assert_non_null(strstr(error.text, "after its operands"));
        accord_record_clear(&record);
    }
}

/* ---- callbacks ---- */

static double sorts_in_place(void *context, const void *x, size_t n)
{
    double *v = (double *)(uintptr_t)x, sum = 0;
    (void)context;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    v[0] = sum; /* leaves the sum behind */
    return sum;
}

static double one_too_many(void *context, const void *x, size_t n)
{
    const double *v = x;
    double sum = 0;
    for (size_t i = 0; i < n + *(size_t *)context; i++)
        sum += v[i];
    return sum;
}

static void test_callbacks(void **state)
{
    (void)state;
    for (size_t n = 1; n < 40; n += 6)
        for (size_t more = 0; more < 3; more++) {
            accord_target *target = NULL;
            accord_record record;
            accord_error error = {.status = ACCORD_OK};
            accordi_record_init(&record);
            accord_sum_callback *sum = more < 2 ? one_too_many : sorts_in_place;
            assert_int_equal(accord_target_from_callback(sum, &more, n, false, &target, NULL),
                             ACCORD_OK);
            enum accord_status status = accord_reveal(target, NULL, &record, &error);
            if (more == 0)
                assert_int_equal(status, ACCORD_OK);
            else if (more == 1)
                assert_true(status == ACCORD_UNABLE && error.reason == ACCORD_REASON_READS_OUTSIDE);
            else if (n > 1)
                assert_true(status == ACCORD_UNABLE && error.reason == ACCORD_REASON_WRITES_INPUT);
            accord_target_close(target);
            accord_record_clear(&record);
        }
}

/* A product of 3 x 4 results that looks beside an operand, or writes there. */
typedef struct sinner {
    size_t n;
    int sin;
} sinner;

enum { SOUND, READS_A, READS_B, READS_RESULTS, WRITES_A, WRITES_RESULTS, SINS };

static void product(void *context, const accord_grid *grid, double *results)
{
    const sinner *s = context;
    const float *a = grid->a, *b = grid->b;
    size_t n = s->n;
    for (size_t r = 0; r < 3; r++)
        for (size_t c = 0; c < 4; c++) {
            float sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a[r * n + k] * b[c * n + k];
            sum += s->sin == READS_A ? a[3 * n] : s->sin == READS_B ? b[-2] : 0;
            sum += s->sin == READS_RESULTS ? (float)results[12] : 0;
            results[r * 4 + c] = (double)sum;
        }
    if (s->sin == WRITES_A)
        ((float *)(uintptr_t)a)[n] *= 2;
    if (s->sin == WRITES_RESULTS)
        results[-1] = 3;
}

static void test_grids(void **state)
{
    (void)state;
    static const enum accord_reason due[SINS] = {
        ACCORD_REASON_NONE,          ACCORD_REASON_READS_OUTSIDE, ACCORD_REASON_READS_OUTSIDE,
        ACCORD_REASON_READS_OUTSIDE, ACCORD_REASON_WRITES_INPUT,  ACCORD_REASON_WRITES_OUTSIDE};
    for (int i = 0; i < 3 * SINS; i++) {
        sinner s = {.n = 9, .sin = i / 3};
        accord_target *target = NULL;
        accord_record record;
        accord_map map;
        accord_error error = {.status = ACCORD_OK};
        const accord_grid_callback grid = {.call = product,
                                           .context = &s,
                                           .rows = 3,
                                           .columns = 4,
                                           .n = s.n,
                                           .term = ACCORD_TERM_PRODUCT,
                                           .is_f32 = true,
                                           .row = 1,
                                           .column = 2};
        accordi_record_init(&record);
        accordi_map_init(&map);
        assert_int_equal(accord_target_from_grid(&grid, &target, NULL), ACCORD_OK);
        enum accord_status status =
            i % 3 == 0   ? accord_reveal(target, NULL, &record, &error)
            : i % 3 == 1 ? accord_map_reveal(target, NULL, &map, &error)
                         : accord_map_reveal_element(target, NULL, 1, 2, &record, &error);
        assert_int_equal(status, s.sin == SOUND ? ACCORD_OK : ACCORD_UNABLE);
        assert_int_equal(error.reason, due[s.sin]);
        accord_record_clear(&record);
        accord_map_clear(&map);
        accord_target_close(target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beside),        cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_beyond_scales), cmocka_unit_test(test_far),
        cmocka_unit_test(test_callbacks),     cmocka_unit_test(test_grids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
