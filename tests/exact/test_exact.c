/* Exact sums against MPFR, and what must not matter: order, splits, strides, alignment, saving. The
 * same for every kernel, a million times over: test_exact_million.c. */
#include "exact/accumulator/exact.h"
#include "exact_sums.h"
#include "trials.h"
#include <accord/accord.h>

/* Sums against MPFR. */

static void test_sums(void **state)
{
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    size_t cases = 0, wanted = trials(100000);
    while (cases < wanted) {
        int f = below(FILLS);
        size_t n = any_length(MOST);
        fills[f].fill(numbers, n);
        exact_sum(exact, numbers, n);
        kinds k = kinds_of(numbers, n);
        accord_exact sum;
        accord_exact_init(&sum);
        accord_exact_add_array_f64(&sum, n, numbers, 1);
        cases += judge(&sum, exact, k.negative_zeros, k.mixed, fills[f].name, n);
        accord_exact_wide wide;
        accord_exact_wide_init(&wide);
        accord_exact_wide_add_array_f64(&wide, n, numbers, 1);
        cases += judge_wide(&wide, exact, k.negative_zeros, k.mixed, fills[f].name, n);
    }
    printf("# %zu cases\n", cases);
    mpfr_clear(exact);
}

static void cancel_products(double *x, double *y, size_t n)
{
    for (size_t i = 0; i + 1 < n; i += 2) {
        x[i + 1] = y[i];
        y[i + 1] = -x[i];
    }
    if (n)
        x[below((int)n)] = 0x1p-1074;
}

static void test_dots(void **state)
{
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    size_t cases = 0, wanted = trials(40000);
    while (cases < wanted) {
        int f = below(FILLS), g = below(3) ? f : below(FILLS);
        size_t n = any_length(MOST);
        fills[f].fill(numbers, n);
        fills[g].fill(others, n);
        if (!below(4))
            cancel_products(numbers, others, n);
        exact_dot(exact, numbers, others, n);
        kinds k = kinds_of_products(numbers, others, n);
        accord_exact_wide sum;
        accord_exact_wide_init(&sum);
        accord_exact_wide_add_products_f64(&sum, n, numbers, 1, others, 1);
        cases += judge_wide(&sum, exact, k.negative_zeros, k.mixed, fills[f].name, n);
        double once;
        assert_int_equal(accord_dot_exact_f64(n, numbers, 1, others, 1, NULL, &once, NULL),
                         ACCORD_OK);
        same_pattern(bits_of(once), wide_pattern_of(&sum, ACCORD_F64, 0), ACCORD_F64, 0, "dot", n);
    }
    printf("# %zu cases\n", cases);
    mpfr_clear(exact);
}

/* Order, splits, strides, alignment, saving. */

static void add_part(accord_exact *sum, const double *x, size_t n)
{
    static double spread[3 * MOST];
    static char bytes[8 * MOST + 8];
    int how = below(6);
    if (how == 0) {
        for (size_t i = 0; i < n; i++)
            accord_exact_add_f64(sum, x[i]);
    } else if (how == 1) {
        for (size_t i = 0; i < n; i++)
            accord_exact_subtract_f64(sum, -x[i]);
    } else if (how == 2) {
        int stride = 2 + below(2);
        for (size_t i = 0; i < n; i++)
            spread[(size_t)stride * i] = x[i];
        accord_exact_add_array_f64(sum, n, spread, stride);
    } else if (how == 3 && n) {
        accord_exact_add_array_f64(sum, n, x + n - 1, -1);
    } else if (how == 4) {
        char *at = bytes + 1 + below(7);
        memcpy(at, x, n * sizeof *x);
        accord_exact_add_array_f64(sum, n, (const double *)(const void *)at, 1);
    } else {
        accord_exact_add_array_f64(sum, n, x, 1);
    }
}

static void through_file(accord_exact *sum)
{
    unsigned char bytes[ACCORD_EXACT_BYTES];
    accord_error error;
    accord_exact_save(sum, bytes);
    memset(sum, 0x5a, sizeof *sum);
    if (accord_exact_load(sum, bytes, sizeof bytes, &error))
        fail_msg("%s", error.text);
}

static void negate(accord_exact *sum)
{
    accord_exact zero;
    accord_exact_init(&zero);
    assert_int_equal(accord_exact_subtract(&zero, sum, NULL), ACCORD_OK);
    *sum = zero;
}

/* The numbers in another order and in up to eight parts, merged in any order. */
static void sum_in_parts(accord_exact *out, double *x, size_t n)
{
    enum { PARTS = 8 };
    accord_exact part[PARTS];
    shuffle(x, n);
    int parts = 1 + below(PARTS);
    size_t from = 0;
    for (int p = 0; p < parts; p++) {
        size_t to = p == parts - 1 ? n : from + (size_t)accordi_rng_below(&rng, n - from + 1);
        accord_exact_init(part + p);
        add_part(part + p, x + from, to - from);
        if (!below(3))
            through_file(part + p);
        from = to;
    }
    for (; parts > 1; parts--) {
        int a = below(parts - 1);
        if (below(2)) {
            assert_int_equal(accord_exact_add(part + a, part + parts - 1, NULL), ACCORD_OK);
        } else {
            negate(part + parts - 1);
            assert_int_equal(accord_exact_subtract(part + a, part + parts - 1, NULL), ACCORD_OK);
        }
    }
    *out = part[0];
}

static void test_any_order(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(3000); t++) {
        int f = below(FILLS);
        size_t n = any_length(MOST);
        fills[f].fill(numbers, n);
        if (!below(8) && n)
            numbers[below((int)n)] = below(2) ? (double)NAN : sign() * (double)INFINITY;
        accord_exact whole, parts;
        accord_exact_init(&whole);
        accord_exact_add_array_f64(&whole, n, numbers, 1);
        sum_in_parts(&parts, numbers, n);
        same_sum(&whole, &parts, fills[f].name);
        double once;
        accord_exact_options options;
        accord_exact_options_init(&options);
        options.method = (enum accord_exact_method)below(ACCORD_EXACT_METHOD_COUNT);
        options.rounding = (enum accord_exact_rounding)below(ROUNDINGS);
        assert_int_equal(accord_sum_exact_f64(n, numbers, 1, &options, &once, NULL), ACCORD_OK);
        same_pattern(bits_of(once), pattern_of(&whole, ACCORD_F64, (int)options.rounding),
                     ACCORD_F64, (int)options.rounding, "one call", n);
    }
}

static void test_dot_any_order(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(1000); t++) {
        size_t n = any_length(2000), cut = (size_t)accordi_rng_below(&rng, n + 1);
        fills[below(FILLS)].fill(numbers, n);
        fills[below(FILLS)].fill(others, n);
        accord_exact_wide whole, low, high;
        accord_exact_wide_init(&whole);
        accord_exact_wide_init(&low);
        accord_exact_wide_init(&high);
        accord_exact_wide_add_products_f64(&whole, n, numbers, 1, others, 1);
        for (size_t i = cut; i < n; i++)
            accord_exact_wide_add_product_f64(&high, -others[i], numbers[i]);
        if (cut)
            accord_exact_wide_add_products_f64(&low, cut, others + cut - 1, -1, numbers + cut - 1,
                                               -1);
        unsigned char bytes[ACCORD_EXACT_WIDE_BYTES];
        accord_exact_wide_save(&high, bytes);
        accord_exact_wide_init(&high);
        assert_int_equal(accord_exact_wide_load(&high, bytes, sizeof bytes, NULL), ACCORD_OK);
        assert_int_equal(accord_exact_wide_subtract(&low, &high, NULL), ACCORD_OK);
        same_wide(&whole, &low, "dot in parts");
    }
}

/* Arrays of the greatest significands, again and again: limbs must be carried in time. */
static void test_carries_in_time(void **state)
{
    (void)state;
    enum { TERMS = 100, TIMES = 200 };
    for (size_t t = 0; t < trials(64); t++) {
        accord_exact arrays, terms;
        accord_exact_init(&arrays);
        accord_exact_init(&terms);
        for (int i = 0; i < TERMS; i++)
            numbers[i] = ldexp(i ? 2 - 0x1p-52 : 1, i ? (int)t : (int)t - 600);
        for (int i = 0; i < TIMES; i++) {
            accord_exact_add_array_f64(&arrays, TERMS, numbers, 1);
            for (int k = 0; k < TERMS; k++)
                accord_exact_add_f64(&terms, numbers[k]);
        }
        same_sum(&arrays, &terms, "carries");
    }
}

/* So many terms that they come from memory take ways of their own, which depend on their signs and
 * on their range. Half of the arrays cancel, to nothing or to one term. The oracle is term by term,
 * in integers. */
static void test_from_memory(void **state)
{
    (void)state;
    static const int ranges[] = {1, 50, 100, 200, 1000, 2000}; /* binades */
    enum { RANGES = sizeof ranges / sizeof *ranges };
    const size_t n = (1 << 22) + (size_t)below(5000);
    double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    float *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v);
    assert_true(x && y && u && v);
    for (size_t t = 0; t < trials(4); t++) {
        int range = ranges[below(RANGES)], narrow = range < 200 ? range : 200;
        bool cancels = below(2), mixed = cancels || below(4);
        for (size_t i = 0; i < n; i++) {
            const size_t other = n - 1 - i;
            const bool again = cancels && i > other;
            double m = (mixed && below(2) ? -1 : 1) * (1 + accordi_rng_unit(&rng));
            int place = below(range), low = below(narrow);
            x[i] = again ? -x[other] : ldexp(m, place - range / 2);
            u[i] = again ? -u[other] : (float)ldexp(m, low - narrow / 2);
            y[i] = v[i] = again ? v[other] : (float)(1 + below(8)); /* products stay in range */
        }
        if (cancels && !(n % 2 || below(2)))
            u[n / 2] = (float)(x[n / 2] = 1);
        accord_exact sum[3] = {0};
        accord_exact_wide dot = {0};
        accordi_exact_terms_f64(accordi_exact_of(&sum[0]), n, x, 1);
        accordi_exact_terms_f32(accordi_exact_of(&sum[1]), n, u, 1);
        accordi_exact_products_f32(accordi_exact_of(&sum[2]), n, u, 1, v, 1);
        accordi_exact_products_f64(accordi_exact_of_wide(&dot), n, x, 1, y, 1);
        double wide[2];
        float single[2];
        accord_exact_options how;
        accord_exact_options_init(&how);
        how.threads = 1 + below(3);
        how.rounding = (enum accord_exact_rounding)below(ROUNDINGS);
        accord_sum_exact_f64(n, x, 1, &how, &wide[0], NULL);
        accord_dot_exact_f64(n, x, 1, y, 1, &how, &wide[1], NULL);
        accord_sum_exact_f32(n, u, 1, &how, &single[0], NULL);
        accord_dot_exact_f32(n, u, 1, v, 1, &how, &single[1], NULL);
        same_pattern(bits_of(wide[0]), pattern_of(&sum[0], ACCORD_F64, how.rounding), ACCORD_F64,
                     how.rounding, "sum", n);
        same_pattern(bits_of(wide[1]), wide_pattern_of(&dot, ACCORD_F64, how.rounding), ACCORD_F64,
                     how.rounding, "dot", n);
        for (int k = 0; k < 2; k++)
            same_pattern(accord_format_encode(ACCORD_F32, (double)single[k]),
                         pattern_of(&sum[1 + k], ACCORD_F32, how.rounding), ACCORD_F32,
                         how.rounding, k ? "dot of f32" : "sum of f32", n);
    }
    free(x);
    free(y);
    free(u);
    free(v);
}

static void test_arguments(void **state)
{
    (void)state;
    double x = 1, out = 7;
    float y = 1, single = 7;
    accord_error error;
    accord_exact_options options;
    accord_exact_options_init(&options);
    options.method = (enum accord_exact_method)99;
    assert_int_equal(accord_sum_exact_f64(1, &x, 1, &options, &out, &error), ACCORD_ARG);
    accord_exact_options_init(&options);
    options.rounding = (enum accord_exact_rounding)5;
    assert_int_equal(accord_dot_exact_f64(1, &x, 1, &x, 1, &options, &out, &error), ACCORD_ARG);
    assert_int_equal(accord_sum_exact_f64(1, NULL, 1, NULL, &out, &error), ACCORD_ARG);
    assert_int_equal(accord_dot_exact_f64(1, &x, 1, NULL, 1, NULL, &out, &error), ACCORD_ARG);
    assert_int_equal(accord_sum_exact_f32(1, &y, 1, NULL, NULL, &error), ACCORD_ARG);
    assert_int_equal(accord_dot_exact_f32(1, NULL, 1, &y, 1, NULL, &single, &error), ACCORD_ARG);
    assert_true(out == 7 && single == 7);
    assert_int_equal(accord_dot_exact_f64(0, NULL, 1, NULL, 1, NULL, &out, &error), ACCORD_OK);
    assert_true(bits_of(out) == bits_of(-0.0));
    assert_int_equal(accord_sum_exact_f64(7, &x, 0, NULL, &out, &error), ACCORD_OK);
    assert_true(out == 7);
    assert_string_equal(accord_exact_method_name(ACCORD_EXACT_SUPERACCUMULATOR),
                        "superaccumulator");
    assert_null(accord_exact_method_name(ACCORD_EXACT_METHOD_COUNT));
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_dots),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_dot_any_order),
        cmocka_unit_test(test_carries_in_time),
        cmocka_unit_test(test_from_memory),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
