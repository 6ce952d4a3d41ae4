/* Reads and writes beside the operands, by boxes of tests/targets and by libraries that are sound.
 */
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
    if (!own)
        snprintf(notation, sizeof notation, "%s", q->target);
    else if (at)
        snprintf(notation, sizeof notation, "%s%s/tests/targets/libsums.so", q->target,
                 build ? build : "build");
    else
        snprintf(notation, sizeof notation, "so:%s/tests/targets/libsums.so:%s",
                 build ? build : "build", q->target);
    *status = accord_target_open(notation, &options, &target, error);
    if (*status)
        return !own;
    accord_record_init(record);
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
        {"scales_input", NULL, 0, 0, 0, ACCORD_REASON_WRITES_INPUT, "into its input"},
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
    size_t wrong = 0;
    for (size_t i = 0; i < 4 * sizeof questions / sizeof *questions; i++) {
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
            accord_record_init(&record);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beside),
        cmocka_unit_test(test_callbacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
