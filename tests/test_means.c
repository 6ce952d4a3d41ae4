/* Means, means of squares and of absolute values, norms and the roots of means of squares, of so
 * many terms that no power of two is near: all are told, with a model that replays, or refused with
 * a reason that holds. */
#include "base/base.h"
#include "trials.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum kind { MEAN, MEAN_TIMES, SQUARES, SQUARES_TIMES, ROOT_OF_MEAN, NORM, ABSOLUTE, KINDS };

typedef struct box {
    enum kind kind;
    enum accord_format terms, sums;
    bool pairwise;
    double *value;
} box;

static double rounded(const box *b, double x)
{
    return accord_format_round(b->sums, ACCORD_NEAREST_EVEN, x);
}

static double added(const box *b, double x, double y)
{
    return accord_format_add(b->sums, ACCORD_NEAREST_EVEN, x, y);
}

static double sum(const box *b, size_t n)
{
    double *v = b->value;
    for (size_t i = 1; !b->pairwise && i < n; i++)
        v[0] = added(b, v[0], v[i]);
    for (; b->pairwise && n > 1; n = (n + 1) / 2) {
        for (size_t i = 0; 2 * i + 1 < n; i++)
            v[i] = added(b, v[2 * i], v[2 * i + 1]);
        if (n % 2)
            v[n / 2] = v[n - 1];
    }
    return v[0];
}

static double answer(const box *b, const float *x, size_t n)
{
    bool squares = b->kind >= SQUARES && b->kind <= NORM;
    bool times = b->kind == MEAN_TIMES || b->kind == SQUARES_TIMES;
    for (size_t i = 0; i < n; i++) {
        double v = (double)x[i];
        b->value[i] = squares ? rounded(b, v * v) : b->kind == ABSOLUTE ? fabs(v) : v;
    }
    double result = sum(b, n);
    if (times)
        result = rounded(b, result * rounded(b, 1 / (double)n));
    else if (b->kind != NORM)
        result = rounded(b, result / (double)n);
    if (b->kind == ROOT_OF_MEAN || b->kind == NORM)
        result = rounded(b, sqrt(result));
    return accord_format_round(b->terms, ACCORD_NEAREST_EVEN, result);
}

static enum accord_status run(accord_target *target, const accord_batch *batch, double *result,
                              accord_error *error)
{
    size_t n = target->n;
    float *x = accordi_alloc(n, sizeof *x);
    (void)error;
    for (size_t i = 0; i < n; i++)
        x[i] = (float)batch->fill;
    for (size_t p = 0; p < batch->probes; p++) {
        if (batch->dense) {
            result[p] = answer(target->state, (const float *)batch->dense + p * n, n);
            continue;
        }
        uint32_t stay = batch->start[2 * p], own = batch->start[2 * p + 1];
        for (uint32_t i = stay; i < own; i++)
            x[batch->index[i]] = (float)batch->value[i];
        float *changed = accordi_alloc(n, sizeof *changed);
        memcpy(changed, x, n * sizeof *x);
        for (uint32_t i = own; i < batch->start[2 * p + 2]; i++)
            changed[batch->index[i]] = (float)batch->value[i];
        result[p] = answer(target->state, changed, n);
        free(changed);
    }
    free(x);
    return ACCORD_OK;
}

/* What is not told has to be due to one more rounding, in sums wider than the result. */
static bool holds(const box *b, size_t n, uint64_t most_calls)
{
    static const accord_target_kind kind = {.name = "box", .notation = "box", .run = run};
    static char name[] = "box";
    accord_target target = {.kind = &kind,
                            .state = (void *)(uintptr_t)b,
                            .notation = name,
                            .n = n,
                            .format = b->terms,
                            .storage_f32 = true,
                            .output = b->terms,
                            .rows = 1,
                            .columns = 1,
                            .alpha = 1};
    accord_record record;
    accord_error error = {.status = ACCORD_OK};
    accord_record_init(&record);
    enum accord_status status = accord_reveal(&target, NULL, &record, &error);
    bool one_sign = b->kind >= SQUARES, told = !status && record.arithmetic;
    bool refused = status == ACCORD_UNABLE && error.reason == ACCORD_REASON_OUT_OF_RANGE;
    bool good = (told || (one_sign && refused)) && target.calls <= most_calls;
    if (!good)
        printf("# kind %d, %s in %s, n %zu: %" PRIu64 " calls, %s\n", (int)b->kind,
               accord_format_get(b->terms)->name, accord_format_get(b->sums)->name, n, target.calls,
               status ? error.text : record.verdict);
    accord_record_clear(&record);
    return good;
}

static void test_boxes(void **state)
{
    (void)state;
    static const struct {
        enum accord_format terms, sums;
    } formats[] = {{ACCORD_F32, ACCORD_F32},
                   {ACCORD_F16, ACCORD_F32},
                   {ACCORD_F16, ACCORD_F16},
                   {ACCORD_BF16, ACCORD_F32},
                   {ACCORD_F32, ACCORD_F64}};
    static const size_t sizes[] = {1, 2, 3, 7, 10, 11, 13, 24, 100};
    size_t wrong = 0, count = sizeof sizes / sizeof *sizes;
    for (int k = 0; k < KINDS; k++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
            for (size_t i = (size_t)k % 3; i<count; i += trials(1)> 1 ? 1 : 3) {
                box b = {.kind = (enum kind)k,
                         .terms = formats[f].terms,
                         .sums = formats[f].sums,
                         .pairwise = i % 2,
                         .value = accordi_alloc(sizes[i], sizeof(double))};
                wrong += !holds(&b, sizes[i], 30000);
                free(b.value);
            }
    assert_int_equal(wrong, 0);
}

/* The result tells few units from each other: single terms are asked about. */
static void test_long_means(void **state)
{
    (void)state;
    box b = {.kind = MEAN, .terms = ACCORD_F16, .sums = ACCORD_F32, .pairwise = true};
    b.value = accordi_alloc(1000, sizeof(double));
    assert_true(holds(&b, 1000, 30000));
    free(b.value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_long_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
