/* What exact accumulators can hold: scaling, and words that are added as integers, up to the limits
 * and past them. */
#include "exact_sums.h"
#include "trials.h"
#include <limits.h>

/* The words of canonical accumulators, added as integers. */
static void test_words_add_up(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(300); t++) {
        int parts = 1 + below(40);
        accord_exact whole, words;
        accord_exact_init(&whole);
        accord_exact_init(&words);
        for (int p = 0; p < parts; p++) {
            size_t n = any_length(300);
            fills[below(FILLS)].fill(numbers, n);
            accord_exact part;
            accord_exact_init(&part);
            accord_exact_add_array_f64(&part, n, numbers, 1);
            accord_exact_add_array_f64(&whole, n, numbers, 1);
            accord_exact_canonical(&part);
            for (size_t w = 0; w < sizeof part / 8; w++)
                ((int64_t *)&words)[w] += ((int64_t *)&part)[w];
        }
        accord_exact_canonical(&words);
        same_sum(&whole, &words, "words");
    }
}

/* Words may add up to more than scaling and merging allow: that sum still rounds, is saved, and can
 * be scaled down, but not merged. */
static void test_words_past_the_limit(void **state)
{
    (void)state;
    for (int s = -1; s <= 1; s += 2) {
        accord_exact part, words, back;
        unsigned char bytes[ACCORD_EXACT_BYTES];
        accord_exact_init(&part);
        accord_exact_init(&words);
        accord_exact_add_f64(&part, s * DBL_MAX);
        assert_int_equal(accord_exact_scale(&part, 140, NULL), ACCORD_OK);
        for (int i = 0; i < 1 << 12; i++)
            for (size_t w = 0; w < sizeof part / 8; w++)
                ((int64_t *)&words)[w] += ((int64_t *)&part)[w];
        accord_exact_canonical(&words);
        accord_exact_save(&words, bytes);
        assert_int_equal(accord_exact_load(&back, bytes, sizeof bytes, NULL), ACCORD_OK);
        assert_memory_equal(&back, &words, sizeof back);
        assert_int_equal(accord_exact_scale(&back, 0, NULL), ACCORD_ARG);
        assert_int_equal(accord_exact_add(&back, &part, NULL), ACCORD_ARG);
        assert_memory_equal(&back, &words, sizeof back);
        assert_true(accord_exact_f64(&back, ACCORD_EXACT_TOWARD_ZERO) == s * DBL_MAX);
        assert_true(accord_exact_f64(&back, ACCORD_EXACT_NEAREST_EVEN) == s * (double)INFINITY);
        assert_int_equal(accord_exact_scale(&back, -152, NULL), ACCORD_OK);
        assert_true(accord_exact_f64(&back, ACCORD_EXACT_NEAREST_EVEN) == s * DBL_MAX);
    }
}

static void check_scaled(const accord_exact *before, int k, const mpfr_t exact, size_t n)
{
    kinds zeros = kinds_of(numbers, n);
    accord_exact sum = *before;
    mpfr_t scaled;
    mpfr_init2(scaled, BITS);
    mpfr_mul_2si(scaled, exact, k, MPFR_RNDN);
    bool fits = true;
    if (!mpfr_zero_p(exact)) {
        mpfr_exp_t lowest = mpfr_get_exp(scaled) - (mpfr_exp_t)mpfr_min_prec(scaled);
        fits = lowest >= -1074 && mpfr_get_exp(scaled) <= 1164;
    }
    enum accord_status status = accord_exact_scale(&sum, k, NULL);
    assert_int_equal(status, fits ? ACCORD_OK : ACCORD_ARG);
    if (fits)
        judge(&sum, scaled, zeros.negative_zeros, zeros.mixed, "scaled", n);
    else
        assert_memory_equal(&sum, before, sizeof sum);
    mpfr_clear(scaled);
}

static void test_scale(void **state)
{
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    for (size_t t = 0; t < trials(1000); t++) {
        size_t n = 1 + any_length(100);
        fills[below(FILLS)].fill(numbers, n);
        exact_sum(exact, numbers, n);
        accord_exact sum;
        accord_exact_init(&sum);
        accord_exact_add_array_f64(&sum, n, numbers, 1);
        int edge = 1164 - (mpfr_zero_p(exact) ? 0 : (int)mpfr_get_exp(exact));
        int low = mpfr_zero_p(exact)
                      ? 0
                      : -1074 - (int)(mpfr_get_exp(exact) - (mpfr_exp_t)mpfr_min_prec(exact));
        int picks[] = {0, edge, edge + 1, low, low - 1, below(5000) - 2500, below(64) - 32};
        for (size_t i = 0; i < sizeof picks / sizeof *picks; i++)
            check_scaled(&sum, picks[i], exact, n);
    }
    mpfr_clear(exact);
    accord_exact sum;
    accord_exact_init(&sum);
    accord_exact_add_f64(&sum, 3);
    assert_int_equal(accord_exact_scale(&sum, INT_MAX, NULL), ACCORD_ARG);
    assert_int_equal(accord_exact_scale(&sum, INT_MIN, NULL), ACCORD_ARG);
}

/* Doubling for ever ends in an error, of the sum or of the count, and in nothing else. */
static void test_outgrown(void **state)
{
    (void)state;
    accord_exact sum, before;
    accord_exact_init(&sum);
    accord_exact_add_f64(&sum, -DBL_MAX);
    int doublings = 0;
    for (; before = sum, accord_exact_add(&sum, &sum, NULL) == ACCORD_OK; doublings++)
        assert_true(doublings < 200);
    assert_int_equal(doublings, 62);
    assert_memory_equal(&sum, &before, sizeof sum);
    assert_true(accord_exact_f64(&sum, ACCORD_EXACT_UP) == -DBL_MAX);
    for (int s = -1; s <= 1; s += 2) {
        accord_exact_init(&sum);
        accord_exact_add_f64(&sum, s * DBL_MAX);
        assert_int_equal(accord_exact_scale(&sum, 140, NULL), ACCORD_OK);
        before = sum;
        assert_int_equal(accord_exact_add(&sum, &before, NULL), ACCORD_ARG);
        assert_memory_equal(&sum, &before, sizeof sum);
        assert_int_equal(accord_exact_subtract(&sum, &before, NULL), ACCORD_OK);
        assert_true(bits_of(accord_exact_f64(&sum, ACCORD_EXACT_UP)) == bits_of(0.0));
    }
    accord_exact_wide wide, wide_before;
    accord_exact_wide_init(&wide);
    accord_exact_wide_add_product_f64(&wide, DBL_MAX, DBL_MAX);
    assert_int_equal(accord_exact_wide_scale(&wide, 154, NULL), ACCORD_OK);
    wide_before = wide;
    assert_int_equal(accord_exact_wide_scale(&wide, 1, NULL), ACCORD_ARG);
    assert_int_equal(accord_exact_wide_add(&wide, &wide, NULL), ACCORD_ARG);
    assert_memory_equal(&wide, &wide_before, sizeof wide);
    assert_int_equal(accord_exact_wide_scale(&wide, -2202, NULL), ACCORD_OK);
    assert_true(accord_exact_wide_f64(&wide, ACCORD_EXACT_NEAREST_EVEN) == 1 - 0x1p-52);
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_add_up),
        cmocka_unit_test(test_words_past_the_limit),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_outgrown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
