/* Sums of terms that are each changed first, in a way that no model says: the order is not proven,
 * and the verdict says what is done to the terms, if that explains every answer. */
#include "base/base.h"
#include "trials.h"
#include <accord/accord.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct box {
    const char *words; /* that the verdict has; NULL: none of these */
    bool products;
    size_t lanes;
    float (*term)(float x, float y);
    float turned;
    size_t most; /* terms: with more, some factors are not exact in probes, which shows no order */
} box;

static float times_three(float x, float y)
{
    return 3 * x * y;
}

static float half(float x, float y)
{
    return x * y / 2;
}

static float product_over_five(float x, float y)
{
    return x * y / 5;
}

static float negative(float x, float y)
{
    return -x * y;
}

/* No one factor: large terms have another. */
static float two_factors(float x, float y)
{
    return (x > 2 || x < -2 ? 3.0000005F : 3) * x * y;
}

static float value_of(const box *b, const float *x, const float *y, size_t n)
{
    float lane[4] = {0};
    for (size_t i = 0; i < n; i++)
        lane[i % b->lanes] += b->term(x[i], y ? y[i] : 1);
    for (size_t k = 1; k < b->lanes; k++)
        lane[0] += lane[k];
    return b->turned * lane[0];
}

static size_t terms; /* of the box that is asked */

static void call(void *context, const accord_grid *grid, double *result)
{
    *result = (double)value_of(context, grid->a, grid->b, terms);
}

static void check(box b, size_t n, uint64_t seed)
{
    static const char *const all[] = {"before it is added", "the terms are subtracted"};
    accord_target *target = NULL;
    accord_record *record = accord_record_new();
    accord_reveal_options options;
    const accord_grid_callback how = {.call = call,
                                      .context = &b,
                                      .rows = 1,
                                      .columns = 1,
                                      .n = n,
                                      .term = b.products ? ACCORD_TERM_PRODUCT : ACCORD_TERM_VALUE,
                                      .is_f32 = true};
    accord_reveal_options_init(&options);
    options.seed = seed;
    terms = n;
    assert_int_equal(accord_target_from_grid(&how, &target, NULL), ACCORD_OK);
    assert_int_equal(accord_reveal(target, &options, record, NULL), ACCORD_UNABLE);
    assert_false(record->proven);
    assert_non_null(record->verdict);
    if (b.words && !strstr(record->verdict, b.words))
        fail_msg("n = %zu, not %s: %s", n, b.words, record->verdict);
    for (size_t i = 0; i < sizeof all / sizeof *all && !b.words; i++)
        assert_null(strstr(record->verdict, all[i]));
    accord_record_free(record);
    accord_target_close(target);
}

static void test_words(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"each term is multiplied by 3 before it is added", false, 1, times_three, 1, 33},
        {"each term is divided by 2 before it is added", false, 2, half, 1, 33},
        {"each product is divided by 5 before it is added", true, 1, product_over_five, 1, 8},
        {"each first factor is multiplied by 3 before it is added", true, 1, times_three, 1, 33},
        {"the terms are subtracted, and the sign of the result is turned", false, 1, negative, -1,
         33},
        {"the terms are subtracted, and the sign of the result is turned", true, 2, negative, -1,
         33},
        {NULL, false, 1, two_factors, 1, 33},
    };
    static const size_t counts[] = {2, 3, 8, 33};
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < 4 * sizeof boxes / sizeof *boxes; i++)
        if (counts[i % 4] <= boxes[i / 4].most && trial_runs(i, seed))
            check(boxes[i / 4], counts[i % 4], seed + i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
