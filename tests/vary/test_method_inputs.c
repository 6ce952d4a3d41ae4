/* The inputs of methods of reduction: their generator and distributions; and one checksum of all
 * that must have the same bits on every machine. */
#include "methods_digest.h"
#include "trials.h"
#include <accord/methods.h>
#include <accord/vary.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The 10000th number is in the standard of C++ ([rand.predef]); the others by numpy's MT19937,
 * seeded in the same way (_legacy_seeding). */
static void test_twister(void **state)
{
    (void)state;
    accord_mt19937 generator;
    accord_mt19937_init(&generator, 5489);
    assert_int_equal(accord_mt19937_next(&generator), 3499211612u);
    for (int i = 2; i < 10000; i++)
        accord_mt19937_next(&generator);
    assert_int_equal(accord_mt19937_next(&generator), 4123659995u);
}

/* The largest distance from a distribution function. */
static double distance_from(double *x, size_t n, double (*share)(double))
{
    double distance = 0;
    qsort(x, n, sizeof *x, accordi_by_value);
    for (size_t i = 0; i < n; i++) {
        double p = share(x[i]), low = (double)i / (double)n, high = (double)(i + 1) / (double)n;
        distance = fmax(distance, fmax(fabs(p - low), fabs(p - high)));
    }
    return distance;
}

static double uniform_share(double x)
{
    return (x + 5) / 10;
}
static double normal_share(double x)
{
    return .5 * erfc((1 - x) / (2 * sqrt(2)));
}
static double log_share(double x)
{
    return .5 + .5 * log(x) / log(12);
}

static void test_distributions(void **state)
{
    (void)state;
    enum { N = 100000 };
    static double x[N];
    static const struct row {
        accord_draw_options options;
        double (*share)(double);
        double mean, variance, fourth; /* fourth moment over the square of the variance */
    } rows[] = {
        {{.distribution = ACCORD_DISTRIBUTION_UNIFORM, .center = .5},
         uniform_share,
         0,
         100. / 12,
         1.8},
        {{.distribution = ACCORD_DISTRIBUTION_CROSS_PLATFORM}, uniform_share, 0, 100. / 12, 1.8},
        {{.distribution = ACCORD_DISTRIBUTION_NORMAL, .center = 1, .deviation = 2},
         normal_share,
         1,
         4,
         3},
        {{.distribution = ACCORD_DISTRIBUTION_LOG_UNIFORM, .amplitude = 12}, log_share, 0, 0, 0},
    };
    accord_mt19937 generator;
    accord_mt19937_init(&generator, (uint32_t)trials_seed());
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        assert_int_equal(accord_draw(&generator, &rows[r].options, N, x, NULL), ACCORD_OK);
        double mean = 0, variance = 0, fourth = 0;
        for (size_t i = 0; i < N; i++)
            mean += x[i] / N;
        for (size_t i = 0; i < N; i++) {
            double square = (x[i] - mean) * (x[i] - mean);
            variance += square / N;
            fourth += square * square / N;
        }
        if (rows[r].fourth > 0) {
            /* six standard errors */
            assert_true(fabs(mean - rows[r].mean) < 6 * sqrt(rows[r].variance / N));
            assert_true(fabs(variance / rows[r].variance - 1) < 6 * sqrt((rows[r].fourth - 1) / N));
            assert_true(fabs(fourth / (variance * variance) - rows[r].fourth) < 6 * 5 / sqrt(N));
        }
        /* Kolmogorov: a chance of 2 exp(-2 * 3.5^2) = 5e-11 */
        assert_true(distance_from(x, N, rows[r].share) < 3.5 / sqrt(N));
    }
}

static void test_draw_limits(void **state)
{
    (void)state;
    static const accord_draw_options bad[] = {
        {.amplitude = INFINITY},
        {.center = NAN},
        {.amplitude = 1e308, .center = 100},
        {.distribution = ACCORD_DISTRIBUTION_NORMAL, .deviation = -1},
        {.distribution = ACCORD_DISTRIBUTION_NORMAL, .deviation = 1e308},
        {.distribution = ACCORD_DISTRIBUTION_LOG_UNIFORM, .amplitude = 1.99},
        {.distribution = ACCORD_DISTRIBUTION_LOG_UNIFORM, .amplitude = -2},
        {.distribution = ACCORD_DISTRIBUTION_COUNT},
    };
    accord_mt19937 generator, before;
    double x[4] = {1, 2, 3, 4};
    accord_error error;
    accord_mt19937_init(&generator, 1);
    before = generator;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(accord_draw(&generator, &bad[i], 4, x, &error), ACCORD_ARG);
        assert_memory_equal(&generator, &before, sizeof before);
        assert_true(x[0] == 1);
    }
    const accord_draw_options wide = {.distribution = ACCORD_DISTRIBUTION_LOG_UNIFORM,
                                      .amplitude = 0x1p1022};
    assert_int_equal(accord_draw(&generator, &wide, 4, x, &error), ACCORD_OK);
    for (int i = 0; i < 4; i++)
        assert_true(x[i] >= 0x1p-1022 && x[i] <= 0x1p1022);
}

static void test_digest(void **state)
{
    (void)state;
    char hex[65];
    assert_true(methods_digest(hex));
    assert_string_equal(hex, METHODS_DIGEST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twister),
        cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_draw_limits),
        cmocka_unit_test(test_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
