/* Exact sums of chosen numbers: the traps in which others fell. */
#include "exact_ways.h"
#include "trials.h"

typedef struct vector {
    size_t n;
    double x[10], sum;
} vector;

#define MAX DBL_MAX
#define LEAST 0x1p-1074
static const vector vectors[] = {
    {0, {0}, -0.0},
    {1, {-0.0}, -0.0},
    {3, {-0.0, -0.0, -0.0}, -0.0},
    {2, {-0.0, 0.0}, 0.0},
    {1, {0.0}, 0.0},
    {2, {1, -1}, 0.0},
    {3, {-0.0, 1, -1}, 0.0},
    {9, {1e308, 1e308, .1, .1, 1e30, .1, -1e30, -1e308, -1e308}, .30000000000000004}, /* test262 */
    {5, {1e30, .1, -1e30, 1, 0}, 1.1},
    {3, {MAX, MAX, -MAX}, MAX},
    {3, {-MAX, -MAX, MAX}, -MAX},
    {2, {MAX, 0x1p969}, MAX},
    {2, {MAX, 0x1p970}, INFINITY},
    {3, {MAX, 0x1p970, -LEAST}, MAX},
    {2, {-MAX, -MAX}, -INFINITY},
    {8, {LEAST, LEAST, LEAST, LEAST, LEAST, LEAST, LEAST, LEAST}, 0x1p-1071},
    {2, {1, 0x1p-53}, 1},
    {2, {0x1.0000000000001p0, 0x1p-53}, 0x1.0000000000002p0},
    {3, {1, 0x1p-53, LEAST}, 0x1.0000000000001p0},
    {3, {1, 0x1p-53, -LEAST}, 1},
    {4, {1e300, 1, -1e300, 1e-300}, 1},
    {2, {0x1p-1022, -LEAST}, 0x0.fffffffffffffp-1022},
    {2, {0x0.fffffffffffffp-1022, LEAST}, 0x1p-1022},
    {1, {NAN}, NAN},
    {3, {1, NAN, INFINITY}, NAN},
    {2, {INFINITY, -INFINITY}, NAN},
    {3, {MAX, INFINITY, -MAX}, INFINITY},
    {2, {-INFINITY, MAX}, -INFINITY},
    {3, {-INFINITY, MAX, -INFINITY}, -INFINITY},
    /* from subnormal to normal and back */
    {10,
     {LEAST, LEAST, LEAST, LEAST, LEAST, LEAST, LEAST, LEAST, LEAST, 0x0.ffffffffffff7p-1022},
     0x1p-1022},
    {10,
     {0x1p-1022, -LEAST, -LEAST, -LEAST, -LEAST, -LEAST, -LEAST, -LEAST, -LEAST, -LEAST},
     0x0.ffffffffffff7p-1022},
    {10,
     {0x0.8p-1022, 0x0.8p-1022, 0x0.8p-1022, 0x0.8p-1022, 0x0.8p-1022, 0x0.8p-1022, 0x0.8p-1022,
      0x0.8p-1022, 0x0.8p-1022, 0x0.8p-1022},
     0x1.4p-1020},
    /* all that is great cancels */
    {10,
     {MAX, LEAST, -0x1.ffffffffffffep1023, 0x1p-600, 1, -0x1p971, -1, 3 * LEAST, -0x1p-600, 0},
     4 * LEAST},
    {10,
     {MAX, 0x1p970, 0x1p917, 0x1p864, 0x1p-1074, -MAX, -0x1p970, -0x1p917, -0x1p864, 0x1p-1074},
     0x1p-1073},
    {10,
     {1, 0x1p-53, 0x1p-106, 0x1p-159, 0x1p-212, -0x1p-212, -0x1p-106, -0x1p-53, -1, 0x1p-1000},
     0x1.0000000000000p-159},
    /* significands of ones alone, the half of a place, and a little more or less */
    {2, {-0x1.fffffffffffffp0, -0x1p-53}, -2},
    {3, {-0x1.fffffffffffffp0, -0x1p-53, LEAST}, -0x1.fffffffffffffp0},
    {2, {-0x1.fffffffffffffp0, -0x1.fffffffffffffp-54}, -0x1.fffffffffffffp0},
    {2, {-0x1.ffffffffffffep0, -0x1p-53}, -0x1.ffffffffffffep0},
    {3, {-0x1.ffffffffffffep0, -0x1p-53, -LEAST}, -0x1.fffffffffffffp0},
    {2, {-0x1p-1022, -0x0.fffffffffffffp-1022}, -0x1.fffffffffffffp-1022},
    /* carries through all limbs, both ways */
    {4, {0x1p1023, -LEAST, 0x1p1023, -0x1p1023}, 0x1p1023},
    {5, {0x1p1023, -LEAST, -0x1p1023, LEAST, -LEAST}, -LEAST},
};
enum { VECTORS = sizeof vectors / sizeof *vectors };

static void same_as(double found, const vector *v, const char *what, const char *how)
{
    if (isnan(v->sum) ? bits_of(found) != 0x7ff8000000000000 : bits_of(found) != bits_of(v->sum))
        fail_msg("vector %d, %s %s: found %a, expected %a", (int)(v - vectors), what, how, found,
                 v->sum);
}

/* By hand, by MPFR and by the library. */
static void test_vectors(void **state)
{
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    for (const vector *v = vectors; v < vectors + VECTORS; v++) {
        double sum;
        exact_sum(exact, v->x, v->n);
        kinds k = kinds_of(v->x, v->n);
        same_as(from_bits(expected_pattern(exact, ACCORD_F64, 0, k.negative_zeros, k.mixed)), v,
                "MPFR", "");
        assert_int_equal(accord_sum_exact_f64(v->n, v->x, 1, NULL, &sum, NULL), ACCORD_OK);
        same_as(sum, v, "the library", "");
    }
    mpfr_clear(exact);
}

/* Among many more terms, which change nothing: zeros beside zeros, else pairs that cancel. */
static size_t hide(const vector *v, size_t more, double *x)
{
    kinds zeros = kinds_of(v->x, v->n);
    bool only_zeros = v->sum == 0 && (!zeros.mixed || v->x[1] == 0);
    memcpy(x, v->x, v->n * sizeof *x);
    for (size_t i = v->n; i < v->n + more; i += 2) {
        x[i] = only_zeros ? v->sum : ldexp(1 + accordi_rng_unit(&rng), below(200) - 100);
        x[i + 1] = only_zeros ? v->sum : -x[i];
    }
    shuffle(x, v->n + more);
    return v->n + more;
}

static void by_rows(const vector *v, size_t n, const double *x)
{
    const accordi_exact_kernels *row;
    for (size_t i = 0; (row = usable_row(i)); i++)
        for (int m = 0; m < ACCORD_EXACT_METHOD_COUNT; m++) {
            accord_exact_options how = any_options();
            how.method = (enum accord_exact_method)m;
            accumulator sum;
            accumulator_init(&sum, false);
            accordi_environment before = accordi_environment_enter();
            direct_f64(row, &how, view_of(&sum), n, x, NULL);
            accordi_environment_leave(before);
            same_as(accord_exact_f64(&sum.small, ACCORD_EXACT_NEAREST_EVEN), v, row->name,
                    accord_exact_method_name(how.method));
        }
}

static void test_hidden_vectors(void **state)
{
    (void)state;
    static const size_t more[] = {0, 8, 40, 600, 5000};
    for (size_t t = 0; t < trials(2); t++)
        for (const vector *v = vectors; v < vectors + VECTORS; v++)
            for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
                size_t n = hide(v, more[i], numbers);
                accord_exact_options how = any_options();
                double sum;
                by_rows(v, n, numbers);
                how.rounding = ACCORD_EXACT_NEAREST_EVEN;
                assert_int_equal(accord_sum_exact_f64(n, numbers, 1, &how, &sum, NULL), ACCORD_OK);
                same_as(sum, v, "one call,", accord_exact_method_name(how.method));
            }
}

/* A thousand equal products that end in a tie, each a little more than it shows: 5e-15 apart. */
static void test_dot_tie(void **state)
{
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    for (int tail = 0; tail < 3; tail++) {
        double x = 1 + 0x1p-27 + (tail > 1 ? 0x1p-52 : 0), y = 1 + 0x1p-26 + (tail ? 0x1p-52 : 0);
        for (int i = 0; i < 1024; i++) {
            numbers[i] = x;
            others[i] = y;
        }
        exact_dot(exact, numbers, others, 1024);
        accord_exact_wide sum;
        accord_exact_wide_init(&sum);
        accord_exact_wide_add_products_f64(&sum, 1024, numbers, 1, others, 1);
        judge_wide(&sum, exact, false, true, "tie", 1024);
    }
    mpfr_clear(exact);
}

/* Single products of everything with everything. */
static void test_products(void **state)
{
    (void)state;
    const double odd[] = {0.0,       1,        0x1p-1074, 0x1p-1022, 0x0.fffffffffffffp-1022,
                          DBL_MAX,   INFINITY, NAN,       1.5,       0x1.fffffffffffffp-600,
                          0x1p-1000, 1e200};
    enum { ODD = sizeof odd / sizeof *odd };
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    for (int i = 0; i < 2 * ODD; i++)
        for (int j = 0; j < 2 * ODD; j++) {
            double x = i < ODD ? odd[i] : -odd[i - ODD], y = j < ODD ? odd[j] : -odd[j - ODD];
            accord_exact_wide sum;
            accord_exact_wide_init(&sum);
            accord_exact_wide_add_product_f64(&sum, x, y);
            if (isfinite(x) && isfinite(y)) {
                exact_dot(exact, &x, &y, 1);
                kinds k = kinds_of_products(&x, &y, 1);
                judge_wide(&sum, exact, k.negative_zeros, k.mixed, "product", 1);
                continue;
            }
            double found = accord_exact_wide_f64(&sum, ACCORD_EXACT_UP), expected = x * y;
            assert_true(isnan(expected) ? bits_of(found) == 0x7ff8000000000000
                                        : bits_of(found) == bits_of(expected));
        }
    mpfr_clear(exact);
}

/* Carries wait in the limbs: as many of the greatest parts as there can be, at each place of a
 * limb, one at a time and as an array, and as products. */
static void test_heavy(void **state)
{
    (void)state;
    enum { N = 5000 };
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    for (int e = 0; e < 64; e++) {
        double value = (e < 32 ? 1 : -1) * ldexp(0x1.fffffffffffffp0, 37 - e % 32);
        accord_exact sum, slow;
        accord_exact_wide products;
        accord_exact_init(&sum);
        accord_exact_init(&slow);
        accord_exact_wide_init(&products);
        for (int i = 0; i < N; i++) {
            numbers[i] = value;
            others[i] = 0x1.fffffffffffffp0;
            accord_exact_add_f64(&slow, value);
        }
        accord_exact_add_array_f64(&sum, N, numbers, 1);
        same_sum(&sum, &slow, "one at a time");
        accord_exact_wide_add_products_f64(&products, N, numbers, 1, others, 1);
        mpfr_set_d(exact, value, MPFR_RNDN);
        mpfr_mul_ui(exact, exact, N, MPFR_RNDN);
        judge(&sum, exact, false, true, "heavy", N);
        mpfr_mul_d(exact, exact, others[0], MPFR_RNDN);
        judge_wide(&products, exact, false, true, "heavy products", N);
    }
    mpfr_clear(exact);
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors), cmocka_unit_test(test_hidden_vectors),
        cmocka_unit_test(test_dot_tie), cmocka_unit_test(test_products),
        cmocka_unit_test(test_heavy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
