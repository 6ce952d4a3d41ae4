/* Distributions of samples: bins, the nearest normal, two samples, growth. Figures that were
 * computed another way stand beside them: by hand, or with Python's fractions and 50 digits. */
#include "base/base.h"
#include "trials.h"
#include <accord/vary.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void near_to(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g, not %.17g", got, expected);
}

static accord_vary_summary *summary_of(const double *sample, size_t count)
{
    accord_vary_summary *s = NULL;
    assert_int_equal(accord_vary_summarize(sample, count, ACCORD_F64, &s, NULL), ACCORD_OK);
    return s;
}

static void test_moments(void **state)
{
    (void)state;
    /* 1 and three values above it: places 0, 1, 1, 6. */
    const double sample[] = {1 + 0x1p-52, 1, 1 + 6 * 0x1p-52, 1 + 0x1p-52, INFINITY};
    accord_vary_summary *s = summary_of(sample, 5);
    assert_true(s->mean_place == 2);
    assert_true(s->mean == 1 + 0x1p-51);
    near_to(s->deviation, sqrt(22. / 4));
    near_to(s->entropy, .4 * log2(2.5) + .6 * log2(5));
    assert_int_equal(s->finite, 4);
    accord_vary_summary_free(s);
    s = summary_of(&sample[4], 1);
    assert_true(isnan(s->mean) && isnan(s->deviation) && s->entropy == 0);
    accord_vary_summary_free(s);
}

/* Every value is in the bin that the header names, and all bins together hold all finite values. */
static void test_bins(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t i = 0; i < trials(200); i++) {
        double sample[100], start = accordi_rng_unit(&rng) * 2 - 1;
        size_t count = 1 + accordi_rng_below(&rng, 100), most = 1 + accordi_rng_below(&rng, 70);
        double scale = ldexp(0x1p-53, (int)accordi_rng_below(&rng, 40));
        for (size_t k = 0; k < count; k++)
            sample[k] = start + scale * (double)accordi_rng_below(&rng, 200);
        accord_vary_summary *s = summary_of(sample, count);
        accord_vary_histogram *h = NULL;
        assert_int_equal(accord_vary_histogram_make(s, most, &h, NULL), ACCORD_OK);
        assert_true(h->bins >= 1 && h->bins <= most && h->count[h->bins - 1] > 0 && h->count[0]);
        assert_true(h->steps == 1 || 2 * h->bins > most - 1); /* no fewer bins than needed */
        size_t all = 0;
        for (size_t b = 0; b < h->bins; b++) {
            size_t inside = 0;
            for (size_t k = 0; k < count; k++) {
                long double place = ((long double)sample[k] - s->least) / s->unit + .5L;
                inside +=
                    place >= b * (long double)h->steps && place < (b + 1) * (long double)h->steps;
            }
            assert_int_equal(h->count[b], inside);
            all += inside;
        }
        assert_int_equal(all, count);
        accord_vary_histogram_free(h);
        accord_vary_summary_free(s);
    }
}

/* Vs comes in steps of 2^-53 below and 2^-52 above: no bin between them is empty. */
static void test_multiples(void **state)
{
    (void)state;
    double vs[41];
    accord_vary_summary *s = NULL;
    accord_vary_histogram *h = NULL;
    for (int i = -20; i <= 20; i++)
        vs[i + 20] = accord_vary_vs(i < 0 ? 1 - i * -0x1p-52 : 1 + i * 0x1p-52, 1);
    assert_int_equal(accord_vary_summarize_multiples(vs, 41, 0x1p-52, &s, NULL), ACCORD_OK);
    assert_true(s->unit == 0x1p-52 && s->spread == 40);
    assert_int_equal(accord_vary_histogram_make(s, 0, &h, NULL), ACCORD_OK);
    assert_int_equal(h->bins, 41);
    for (size_t i = 0; i < 41; i++)
        assert_int_equal(h->count[i], 1);
    accord_vary_histogram_free(h);
    accord_vary_summary_free(s);
    assert_int_equal(accord_vary_summarize_multiples(vs, 41, 0, &s, NULL), ACCORD_ARG);
}

static double divergence_of(const double *sample, size_t count, size_t most)
{
    accord_vary_summary *s = summary_of(sample, count);
    accord_vary_histogram *h = NULL;
    assert_int_equal(accord_vary_histogram_make(s, most, &h, NULL), ACCORD_OK);
    double d = accord_vary_normal_divergence(h);
    accord_vary_histogram_free(h);
    accord_vary_summary_free(s);
    return d;
}

static void test_normal(void **state)
{
    (void)state;
    const double one = 3, two[] = {1, 1 + 0x1p-52};
    /* A uniform density of any width: (log(2 pi e) - log 12) / 2. */
    const double uniform = .17648520831067244;
    near_to(divergence_of(&one, 1, 0), uniform);
    near_to(divergence_of(two, 2, 0), uniform);
    double sample[2000], skew[2000];
    accordi_rng rng;
    accordi_rng_init(&rng, 7);
    for (size_t i = 0; i < 2000; i++) {
        sample[i] = 1 + 0x1p-52 * rint(20 * accordi_rng_normal(&rng) + 100);
        skew[i] = 1 + 0x1p-52 * rint(fabs(60 * accordi_rng_normal(&rng)));
    }
    double normal = divergence_of(sample, 2000, 24), half = divergence_of(skew, 2000, 24);
    printf("# normal %g, half of one %g\n", normal, half);
    assert_true(normal > 0 && normal < .02 && half > .1);
    accord_vary_summary *s = summary_of(&(double){INFINITY}, 1);
    accord_vary_histogram *none = NULL;
    assert_int_equal(accord_vary_histogram_make(s, 0, &none, NULL), ACCORD_UNABLE);
    accord_vary_summary_free(s);
    near_to(accord_vary_normal_density(1, 1, 2), .19947114020071635);
    near_to(accord_vary_normal_density(5, 1, 2), .026995483256594031);
}

static accord_vary_comparison compare(const double *a, size_t na, const double *b, size_t nb)
{
    accord_vary_summary *x = summary_of(a, na), *y = summary_of(b, nb);
    accord_vary_comparison c, d;
    assert_int_equal(accord_vary_compare(x, y, 5, &c, NULL), ACCORD_OK);
    assert_int_equal(accord_vary_compare(y, x, 5, &d, NULL), ACCORD_OK);
    assert_true(c.distance == d.distance && c.divergence_ab == d.divergence_ba);
    near_to(c.divergence_js, d.divergence_js);
    accord_vary_summary_free(x);
    accord_vary_summary_free(y);
    return c;
}

static void test_two(void **state)
{
    (void)state;
    const double a[] = {1, 1, 2, NAN}, b[] = {2, 3, -0.0, 0, NAN};
    accord_vary_comparison c = compare(a, 4, b, 5);
    assert_int_equal(c.shared, 2);
    near_to(c.distance, .4); /* below 1: 0 of 4, 2 of 5 */
    assert_true(c.divergence_ab == INFINITY && c.divergence_ba == INFINITY);
    c = compare(a, 4, a, 4);
    assert_true(c.distance == 0 && c.p == 1 && c.divergence_ab == 0 && c.divergence_js == 0);
    const double few[] = {1, 2, 2, 2}, many[] = {1, 1, 2, 2};
    c = compare(few, 4, many, 4);
    near_to(c.divergence_ab, .25 * log(.5) + .75 * log(1.5));
    /* All of 8 that are divided 4 and 4: 3 ones among the 8; the distance is 1/4 or 3/4, and 1/4
     * always occurs. */
    assert_true(c.p == 1);
    const double low[] = {1, 1, 1, 1}, high[] = {2, 2, 2, 2};
    c = compare(low, 4, high, 4);
    near_to(c.divergence_js, log(2));
    assert_true(fabs(c.p - 2. / 70) < .01); /* 2 of 70 divisions */
}

/* Equal distributions give small p as often as they should, other ones nearly always. */
static void test_levels(void **state)
{
    (void)state;
    enum { PAIRS = 60, SIZE = 100 };
    size_t alarms = 0, missed = 0;
    accordi_rng rng;
    accordi_rng_init(&rng, 11);
    for (size_t i = 0; i < PAIRS; i++) {
        double a[SIZE], b[SIZE], c[SIZE];
        for (size_t k = 0; k < SIZE; k++) {
            a[k] = rint(2 * accordi_rng_normal(&rng));
            b[k] = rint(2 * accordi_rng_normal(&rng));
            c[k] = rint(2 * accordi_rng_normal(&rng) + 2);
        }
        accord_vary_summary *x = summary_of(a, SIZE), *y = summary_of(b, SIZE),
                            *z = summary_of(c, SIZE);
        accord_vary_comparison same, other;
        assert_int_equal(accord_vary_compare(x, y, i, &same, NULL), ACCORD_OK);
        assert_int_equal(accord_vary_compare(x, z, i, &other, NULL), ACCORD_OK);
        alarms += same.p <= .1;
        missed += other.p > .001;
        accord_vary_summary_free(x);
        accord_vary_summary_free(y);
        accord_vary_summary_free(z);
    }
    printf("# at a level of .1: %zu alarms of %d, %zu missed at .001\n", alarms, PAIRS, missed);
    assert_true(alarms <= 14 && missed <= 2);
}

static void test_law(void **state)
{
    (void)state;
    const double n[] = {10, 100, 1000, 1e4, 0, 1e5}, y[] = {3e-16, 0, 3e-15, 0, 1, NAN};
    accord_vary_law law;
    assert_int_equal(accord_vary_power_law(n, y, 6, &law, NULL), ACCORD_OK);
    assert_int_equal(law.points, 2);
    near_to(law.exponent, .5);
    near_to(law.factor, 3e-16 / sqrt(10));
    assert_true(law.low == -INFINITY && law.high == INFINITY);
    /* log y beside a line by +1, -2, +1 times log(1.1): the residual's sum of squares is 6 of them,
     * the deviation of the slope sqrt(6 / 1 / (2 log(10)^2)) log(1.1). */
    const double m[] = {10, 100, 1000}, z[] = {1.1 * 2, 20 / 1.21, 200 * 1.1};
    assert_int_equal(accord_vary_power_law(m, z, 3, &law, NULL), ACCORD_OK);
    near_to(law.exponent, 1);
    near_to(law.high - law.exponent, 12.706 * sqrt(3) * log(1.1) / log(10));
    near_to(law.exponent - law.low, law.high - law.exponent);
    assert_int_equal(accord_vary_power_law(n, y, 1, &law, NULL), ACCORD_UNABLE);
    assert_int_equal(accord_vary_power_law((double[]){9, 9}, z, 2, &law, NULL), ACCORD_UNABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments),   cmocka_unit_test(test_bins),
        cmocka_unit_test(test_multiples), cmocka_unit_test(test_normal),
        cmocka_unit_test(test_two),       cmocka_unit_test(test_levels),
        cmocka_unit_test(test_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
