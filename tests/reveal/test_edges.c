/* Beyond the range of the format: sums that saturate or wrap there are no plain sums, though every
 * random input replays. Boxes of terms and of products. */
#include "record/record.h"
#include <accord/accord.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum ways { PLAIN, LAST, EVERY_STEP, ONE_LANE, EACH_TERM, HUGE_INSTEAD, WAYS };

typedef struct box {
    enum ways way;
    bool f32, products;
    size_t n;
} box;

static double bounded(const box *b, double value)
{
    double most = b->f32 ? (double)FLT_MAX : DBL_MAX;
    return value > most ? most : value < -most ? -most : value;
}

static double rounded(const box *b, double value)
{
    return b->f32 ? (double)(float)value : value;
}

static double sum(void *context, const void *x, const void *y)
{
    const box *b = context;
    double lane[2] = {0, 0};
    for (size_t i = 0; i < b->n; i++) {
        double term = b->f32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
        if (y)
            term *= b->f32 ? (double)((const float *)y)[i] : ((const double *)y)[i];
        term = rounded(b, term);
        term = b->way == EACH_TERM ? bounded(b, term) : term;
        double *to = &lane[i % 2];
        *to = rounded(b, *to + term);
        *to = b->way == EVERY_STEP || (b->way == ONE_LANE && i % 2) ? bounded(b, *to) : *to;
    }
    double result = rounded(b, lane[0] + lane[1]);
    result = b->way == EVERY_STEP || b->way == LAST ? bounded(b, result) : result;
    return b->way == HUGE_INSTEAD && isinf(result) ? 0x1p100 : result;
}

static double sum_of_terms(void *context, const void *x, size_t n)
{
    (void)n;
    return sum(context, x, NULL);
}

static void sum_of_products(void *context, const accord_grid *grid, double *result)
{
    *result = sum(context, grid->a, grid->b);
}

static void test_range(void **state)
{
    (void)state;
    static const size_t counts[] = {2, 3, 12, 100};
    for (int i = 0; i < 4 * 4 * WAYS; i++) {
        box b = {(enum ways)(i / 16), i & 1, i >> 1 & 1, counts[i / 4 % 4]};
        accord_target *target = NULL;
        accord_record record;
        accord_error error = {.status = ACCORD_OK};
        const accord_grid_callback how = {.call = sum_of_products,
                                          .context = &b,
                                          .rows = 1,
                                          .columns = 1,
                                          .n = b.n,
                                          .term = ACCORD_TERM_PRODUCT,
                                          .is_f32 = b.f32};
        if (!b.products && (b.way == EACH_TERM || (b.way == ONE_LANE && b.n < 4)))
            continue; /* nothing there is too large */
        assert_int_equal(
            b.products ? accord_target_from_grid(&how, &target, NULL)
                       : accord_target_from_callback(sum_of_terms, &b, b.n, b.f32, &target, NULL),
            ACCORD_OK);
        accordi_record_init(&record);
        enum accord_status status = accord_reveal(target, NULL, &record, &error);
        if ((status == ACCORD_OK && record.proven) != (b.way == PLAIN))
            print_message("# way %d, %s, %s, n = %zu: %s\n", b.way, b.f32 ? "f32" : "f64",
                          b.products ? "products" : "terms", b.n, record.verdict);
        assert_int_equal(status, b.way == PLAIN ? ACCORD_OK : ACCORD_UNABLE);
        assert_int_equal(record.proven, b.way == PLAIN);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
