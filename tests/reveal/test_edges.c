/* At the ends of the range of the format: sums that saturate or wrap beyond the greatest number,
 * that stop or scale their terms below it, that scale or leave out the smallest terms, or that keep
 * errors of products which vanish there, are no plain sums, though every random input replays.
 * Boxes of terms and of products. */
#include "record/record.h"
#include "trials.h"
#include <accord/accord.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum ways {
    PLAIN,
    LAST,
    EVERY_STEP,
    ONE_LANE,
    EACH_TERM,
    HUGE_INSTEAD,
    ONCE_MORE,      /* in two lanes, where the sum in the order given overflows */
    STOPS,          /* where a partial sum is next to the greatest number, the rest is left out */
    SCALED,         /* lest a sum of great terms overflow */
    SCALED_SMALL,   /* products all of which are near the least normal number */
    SMALL_LEFT_OUT, /* terms of a few bits above 0 */
    TWO_PRODUCTS,   /* the error of each product is added to it, which changes nothing elsewhere */
    WAYS
};

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

static double least_normal(const box *b)
{
    return b->f32 ? (double)FLT_MIN : DBL_MIN;
}

static double error_of(const box *b, double x, double y)
{
    return b->f32 ? (double)fmaf((float)x, (float)y, -(float)(x * y)) : fma(x, y, -(x * y));
}

/* Term k, all of whose factors are multiplied by `by`. */
static double term_of(const box *b, const void *x, const void *y, size_t k, double by)
{
    double first = b->f32 ? (double)((const float *)x)[k] : ((const double *)x)[k];
    double second = !y ? 1 : b->f32 ? (double)((const float *)y)[k] : ((const double *)y)[k];
    double term = rounded(b, by * first * second);
    if (b->way == EACH_TERM)
        term = bounded(b, term);
    if (b->way == SMALL_LEFT_OUT && fabs(term) < least_normal(b) / 0x1p18)
        term = 0;
    return b->way == TWO_PRODUCTS ? rounded(b, term + error_of(b, first, second)) : term;
}

/* The power of two by which terms are multiplied. */
static double scale_of(const box *b, const void *x, const void *y)
{
    double greatest = 0, most = b->f32 ? (double)FLT_MAX : DBL_MAX;
    for (size_t i = 0; i < b->n; i++)
        greatest = fmax(greatest, fabs(term_of(b, x, y, i, 1)));
    if (b->way == SCALED && greatest > most / 64 && isfinite(greatest))
        return 0x1p-16;
    return b->way == SCALED_SMALL && greatest < 16 * least_normal(b) ? 0x1p32 : 1;
}

static double sum_in_order(const box *b, const void *x, const void *y)
{
    double all = 0;
    for (size_t i = 0; i < b->n; i++)
        all = rounded(b, all + term_of(b, x, y, i, 1));
    return all;
}

static double sum(void *context, const void *x, const void *y)
{
    const box *b = context;
    double lane[2] = {0, 0}, by = scale_of(b, x, y), most = b->f32 ? (double)FLT_MAX : DBL_MAX;
    for (size_t i = 0; i < b->n; i++) {
        double *to = &lane[i % 2];
        *to = rounded(b, *to + term_of(b, x, y, i, by));
        *to = b->way == EVERY_STEP || (b->way == ONE_LANE && i % 2) ? bounded(b, *to) : *to;
        if (b->way == STOPS && fabs(*to) > most / 4)
            break;
    }
    double result = rounded(b, rounded(b, lane[0] + lane[1]) / by);
    result = b->way == EVERY_STEP || b->way == LAST ? bounded(b, result) : result;
    double in_order = b->way == ONCE_MORE ? sum_in_order(b, x, y) : INFINITY;
    result = isfinite(in_order) ? in_order : result;
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
    uint64_t seed = trials_seed();
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
        if (!trial_runs((size_t)i, seed))
            continue;
        bool of_products = b.way == EACH_TERM || b.way == SCALED_SMALL || b.way == TWO_PRODUCTS;
        if (!b.products && (of_products || (b.way == ONE_LANE && b.n < 4)))
            continue; /* nothing there is too large, or inexact */
        if ((b.way == SCALED || b.way == ONCE_MORE) && b.n == 2)
            continue; /* one addition overflows, scaled or not */
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
