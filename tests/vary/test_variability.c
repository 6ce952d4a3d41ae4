/* Measures of variability: by their formulas, and where these say nothing. */
#include "base/base.h"
#include "trials.h"
#include <accord/vary.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SAME(a_, b_) assert_true(accordi_same_bits(a_, b_))

static void test_vs(void **state)
{
    (void)state;
    SAME(accord_vary_vs(2, 4), .5);
    SAME(accord_vary_vs(5, 4), -.25);
    SAME(accord_vary_vs(-4, 4), 0); /* by the formula */
    SAME(accord_vary_vs(1 + 0x1p-52, 1), -0x1p-52);
    SAME(accord_vary_vs(0, 0), 0);
    SAME(accord_vary_vs(-0.0, 0), 0);
    SAME(accord_vary_vs(1, 0), NAN);
    SAME(accord_vary_vs(0, 1), 1);
    SAME(accord_vary_vs(INFINITY, INFINITY), 0);
    SAME(accord_vary_vs(-INFINITY, INFINITY), NAN);
    SAME(accord_vary_vs(1, INFINITY), NAN);
    SAME(accord_vary_vs(INFINITY, 1), -INFINITY);
    SAME(accord_vary_vs(NAN, NAN), 0);
    SAME(accord_vary_vs(NAN, 1), NAN);
    SAME(accord_vary_vs(1, NAN), NAN);
}

static void test_arrays(void **state)
{
    (void)state;
    static const double value[] = {1, 2.5, -4, -0.0, 3, NAN}, reference[] = {1, 2, -2, 0, 0, NAN};
    size_t undefined = 99;
    /* 0, .25, 1, 0, undefined, 0 */
    SAME(accord_vary_vermv(value, reference, 6, &undefined), 1.25 / 5);
    assert_int_equal(undefined, 1);
    SAME(accord_vary_vc(value, reference, 6), 4 / 6.);
    SAME(accord_vary_vermv(value, value, 6, NULL), 0);
    SAME(accord_vary_vc(value, value, 6), 0);
    SAME(accord_vary_vermv(&value[4], &reference[4], 1, &undefined), NAN);
    assert_int_equal(undefined, 1);
    SAME(accord_vary_vermv(value, reference, 0, &undefined), NAN);
    SAME(accord_vary_vc(value, reference, 0), NAN);
    assert_int_equal(undefined, 0);
}

/* A second algorithm: each value by a search through all others. */
static void check_values(const double *sample, size_t count, const accord_vary_summary *s)
{
    size_t seen = 0;
    for (size_t i = 0; i < s->distinct; i++) {
        const accord_vary_value *v = &s->value[i];
        size_t found = 0, first = count;
        for (size_t k = 0; k < count; k++)
            if (accordi_same_bits(sample[k], v->value)) {
                first = found++ ? first : k;
            }
        assert_int_equal(v->count, found);
        assert_int_equal(v->first, first);
        assert_true(found > 0);
        if (i && !isnan(v->value))
            assert_true(v->value > v[-1].value || (v->value == 0 && signbit(v[-1].value)));
        seen += found;
    }
    assert_int_equal(seen, count);
}

/* A second algorithm: the place in the sorted sample. */
static void check_quantiles(double *sample, size_t count, const accord_vary_summary *s)
{
    static const double shares[] = {0, .05, .25, .5, .75, .95, 1};
    size_t numbers = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(sample[i]))
            sample[numbers++] = sample[i];
    qsort(sample, numbers, sizeof *sample, accordi_by_value);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        size_t rank = (size_t)ceil(shares[i] * (double)numbers);
        double expected = numbers ? sample[rank ? rank - 1 : 0] : NAN;
        double got = accord_vary_quantile(s, shares[i]);
        assert_true(got == expected || (isnan(got) && isnan(expected)));
    }
}

static void test_summary(void **state)
{
    (void)state;
    static const double some[] = {NAN, INFINITY, -INFINITY, -0.0, 0, 1, 1.5, -2, 0x1p-1074, 7};
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t i = 0; i < trials(300); i++) {
        double sample[40];
        size_t count = 1 + accordi_rng_below(&rng, 40), kinds = 1 + accordi_rng_below(&rng, 10);
        accord_vary_summary *s = NULL;
        for (size_t k = 0; k < count; k++)
            sample[k] = some[accordi_rng_below(&rng, kinds)];
        assert_int_equal(accord_vary_summarize(sample, count, ACCORD_F64, &s, NULL), ACCORD_OK);
        assert_int_equal(s->count, count);
        check_values(sample, count, s);
        check_quantiles(sample, count, s);
        accord_vary_summary_free(s);
    }
}

static void test_spread(void **state)
{
    (void)state;
    static const struct {
        enum accord_format format;
        double sample[3], unit, spread;
    } rows[] = {
        {ACCORD_F64, {1, 1, 1}, 0x1p-52, 0},
        {ACCORD_F64, {1, 1 + 0x1p-52, 1 + 0x1p-50}, 0x1p-52, 4},
        {ACCORD_F32, {1, 1 + 0x1p-22, NAN}, 0x1p-23, 2},
        {ACCORD_BF16, {256, 260, 256}, 2, 2},
        {ACCORD_F64, {1 - 0x1p-53, 1, INFINITY}, 0x1p-52, .5}, /* a finer binade below 1 */
        {ACCORD_F64, {0, 0, -0.0}, 0x1p-1074, 0},
        {ACCORD_F64, {0, 0x1p-1074, -0x1p-1074}, 0x1p-1074, 2},
        {ACCORD_F64,
         {-0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, 0},
         0x1p971,
         0x1.fffffffffffffp53},
        {ACCORD_F64, {NAN, NAN, INFINITY}, NAN, NAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        accord_vary_summary *s = NULL;
        assert_int_equal(accord_vary_summarize(rows[i].sample, 3, rows[i].format, &s, NULL),
                         ACCORD_OK);
        SAME(s->unit, rows[i].unit);
        SAME(s->spread, rows[i].spread);
        accord_vary_summary_free(s);
    }
    accord_error error;
    accord_vary_summary *none = NULL;
    assert_int_equal(accord_vary_summarize(NULL, 0, ACCORD_F64, &none, &error), ACCORD_ARG);
    assert_null(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vs),
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
