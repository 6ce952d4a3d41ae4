/* Kernels of dots of f64, of sums and dots of f32, for every instruction set and level, against the
 * scalar superaccumulator: the accumulators must have the same bytes in canonical form. */
#include "base/environment.h"
#include "exact/kernels/kernels.h"
#include "exact_pairs.h"
#include "exact_sums.h"
#include "trials.h"

enum { LONGEST = (1 << 20) + (1 << 18) + 5, SLACK = 16 };
static double x[LONGEST], y[LONGEST];
static float narrow_x[LONGEST], narrow_y[LONGEST];
static char place_x[LONGEST * sizeof(double) + SLACK], place_y[LONGEST * sizeof(double) + SLACK];

/* At any byte. */
static const void *placed(char *place, const void *numbers_, size_t bytes)
{
    char *at = place + below(SLACK);
    if (bytes)
        memcpy(at, numbers_, bytes);
    return at;
}

typedef void kernel_call(const accordi_exact_kernels *row, accordi_exact_view sum, size_t n,
                         const void *a, const void *b, unsigned levels);

static void call_dot_f64(const accordi_exact_kernels *row, accordi_exact_view sum, size_t n,
                         const void *a, const void *b, unsigned levels)
{
    row->dot_f64(sum, n, a, b, levels);
}

static void call_dot_f32(const accordi_exact_kernels *row, accordi_exact_view sum, size_t n,
                         const void *a, const void *b, unsigned levels)
{
    row->dot_f32(sum, n, a, b, levels);
}

static void call_sum_f32(const accordi_exact_kernels *row, accordi_exact_view sum, size_t n,
                         const void *a, const void *b, unsigned levels)
{
    (void)b;
    row->sum_f32(sum, n, a, levels);
}

static void compare_all(kernel_call *call, const accord_exact_wide *expected, bool wide, size_t n,
                        const void *a, const void *b, const char *what)
{
    const accordi_exact_kernels *row;
    for (size_t r = 0; (row = accordi_exact_kernels_at(r)); r++)
        for (unsigned levels = 1; levels <= ACCORDI_EXACT_ALL; levels++) {
            if (!accordi_exact_kernels_usable(row))
                continue;
            accord_exact_wide sum = {0}; /* the small accumulator in its place has the same zeros */
            accordi_exact_view view =
                wide ? accordi_exact_of_wide(&sum) : accordi_exact_of((accord_exact *)&sum);
            accordi_environment before = accordi_environment_enter();
            call(row, view, n, a, b, levels);
            accordi_environment_leave(before);
            accordi_exact_normalize(view);
            accordi_exact_settle_zeros(view.count);
            if (memcmp(&sum, expected, sizeof sum))
                fail_msg("%s, levels %u, %s, n %zu: another sum", row->name, levels, what, n);
        }
}

static void finish(accordi_exact_view view)
{
    accordi_exact_normalize(view);
    accordi_exact_settle_zeros(view.count);
}

static void check(size_t n, const char *what)
{
    accord_exact_wide expected = {0};
    accordi_exact_view view = accordi_exact_of_wide(&expected);
    accordi_exact_products_f64(view, n, x, 1, y, 1);
    finish(view);
    const void *a = placed(place_x, x, n * sizeof *x), *b = placed(place_y, y, n * sizeof *y);
    compare_all(call_dot_f64, &expected, true, n, a, b, what);
}

static void check_narrow(size_t n, const char *what)
{
    const void *a = placed(place_x, narrow_x, n * sizeof *narrow_x);
    const void *b = placed(place_y, narrow_y, n * sizeof *narrow_y);
    bool wide = below(2);
    for (int dot = 0; dot < 2; dot++) {
        accord_exact_wide expected = {0};
        accordi_exact_view view =
            wide ? accordi_exact_of_wide(&expected) : accordi_exact_of((accord_exact *)&expected);
        if (dot)
            accordi_exact_products_f32(view, n, narrow_x, 1, narrow_y, 1);
        else
            accordi_exact_terms_f32(view, n, narrow_x, 1);
        finish(view);
        compare_all(dot ? call_dot_f32 : call_sum_f32, &expected, wide, n, a, b, what);
    }
}

static void insert_specials(size_t n)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 0x1p-1074, DBL_MAX};
    for (int i = 1 + below(3); i > 0 && n; i--) {
        size_t at = (size_t)below((int)n);
        double one = specials[below(7)], two = specials[below(7)];
        x[at] = one;
        y[at] = below(2) ? two : y[at];
        narrow_x[at] = (float)one;
        narrow_y[at] = below(2) ? (float)two : narrow_y[at];
    }
}

static void test_pairs(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(3000); t++) {
        size_t n = any_length(t % 10 ? 5000 : 40000);
        const char *what = fill_pairs(x, y, n);
        if (below(10) == 0)
            insert_specials(n);
        check(n, what);
    }
}

static void test_lengths(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        log_uniform(x, 5000, wide ? 200 : 3);
        log_uniform(y, 5000, wide ? 200 : 3);
        for (size_t i = 0; i < 5000; i++) {
            narrow_x[i] = (float)ldexp(x[i], wide ? -200 : 0);
            narrow_y[i] = (float)y[i];
        }
        for (size_t n = 0; n <= 5000; n += n < 300 ? 1 : 1 + (size_t)below(120)) {
            check(n, "length");
            check_narrow(n, "length");
        }
    }
}

/* (1 + 2^-j) (1 + 2^-k) over and over: at some j the rounded product is a tie of the first fold,
 * and the remainder, 2^-(j + k), has the sign that makes all rests alike. Were the folds too close,
 * nothing would tell. Sums with a closed form: n (2^j + 1) (2^k + 1) 2^-(j + k). */
static void test_ties_with_remainders(void **state)
{
    (void)state;
    for (int j = 1; j <= 52; j++)
        for (int k = 53 - j; k <= 52; k += 1 + below(6)) {
            size_t n = (size_t)1024 << below(3);
            double a = (below(2) ? 1 : -1) * (1 + ldexp(1, -j)), b = 1 + ldexp(1, -k);
            for (size_t i = 0; i < n; i++) {
                x[i] = i + 1 < n || below(2) ? a : 2 * a;
                y[i] = b;
            }
            check(n, "tie with a remainder");
            for (size_t i = 0; i < n; i++)
                x[i] = i % 2 && below(8) == 0 ? -a : a;
            check(n, "tie with a remainder, signs");
        }
}

static double of_exponent(int e)
{
    return sign() * ldexp(below(3) ? 1 + accordi_rng_unit(&rng) : 0x1.fffffffffffffp0, e);
}

/* Factors of products about 2^e. */
static void product_at(size_t i, int e)
{
    int d = below(1000) - 500 + e / 2;
    d = d > 1023 ? 1023 : d < -1022 ? -1022 : d;
    d = e - d > 1023 ? e - 1023 : e - d < -1022 ? e + 1022 : d;
    x[i] = of_exponent(d);
    y[i] = of_exponent(e - d);
}

/* Where remainders begin to underflow, products to vanish or to overflow; and one such product
 * among others. */
static void test_ends_of_the_range(void **state)
{
    (void)state;
    for (int e = -1090; e <= 1025; e += e == -890 ? 1850 : 1)
        for (int lone = 0; lone < 2; lone++) {
            size_t n = 16 + (size_t)below(1200);
            for (size_t i = 0; i < n; i++)
                product_at(i, lone ? e < 0 ? -960 + below(30) : 980 + below(30) : e);
            product_at((size_t)below((int)n), e);
            check(n, "end of the range");
        }
}

/* Two exponents at every distance: windows and bins end between them. */
static void test_distances(void **state)
{
    (void)state;
    for (int d = 0; d <= 330; d++) {
        size_t n = 600 + (size_t)below(2000);
        int e = below(1000) - 500, rare = 1 + below(3000);
        for (size_t i = 0; i < n; i++)
            product_at(i, below(rare) ? e : e - d);
        check(n, "distance");
        e = d > 270 ? 120 : below(20) - 10;
        for (size_t i = 0; i < n; i++) {
            narrow_x[i] = (float)of_exponent(below(rare) ? e : e - d);
            narrow_y[i] = (float)of_exponent(below(rare) ? 0 : -below(d + 1));
        }
        check_narrow(n, "distance");
    }
}

/* Zeros among others, zeros alone, and products that are zeros alone though neither array is. */
static void test_zeros(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(200); t++) {
        size_t n = any_length(4000);
        int every = 1 + below(t % 2 ? 3 : 500), kind = below(4);
        for (size_t i = 0; i < n; i++) {
            x[i] = of_exponent(below(4));
            y[i] = of_exponent(below(4));
            if (kind < 2 ? below(every) == 0 : kind == 3 || (t + i) % 2)
                x[i] = copysign(0, kind ? x[i] : -y[i]);
            else if (kind == 2)
                y[i] = copysign(0, -x[i]);
            narrow_x[i] = (float)x[i];
            narrow_y[i] = (float)y[i];
        }
        check(n, "zeros");
        check_narrow(n, "zeros");
    }
}

/* Factors whose product, below 2, has a remainder of nearly half a unit in the last place, or lies
 * nearly halfway between multiples of 2^-44, where the first fold of a window that is full ends. */
static void heavy_factors(bool remainder, double *a, double *b)
{
    double most = -1;
    for (int i = 0; i < 300; i++) {
        double u = 1 + accordi_rng_unit(&rng), v = 2 / u * (1 - 0x1p-6 * accordi_rng_unit(&rng));
        double product = u * v, left = fma(u, v, -product) * 0x1p53;
        if (!remainder)
            left = (product - rint(product * 0x1p44) * 0x1p-44) * 0x1p45;
        if (product < 2 && left > most) {
            most = left;
            *a = u;
            *b = v;
        }
    }
}

/* Windows of every number of folds without anything to spare, filled to the brim: the same product
 * at the top again and again, and here and there one at the bottom. */
static void test_full_windows(void **state)
{
    (void)state;
    static const int spans[] = {1, 32, 64, 128, 177, 223};
    static const int narrow_spans[] = {1, 22, 44, 68, 90, 114, 136};
    for (size_t t = 0; t < trials(60); t++) {
        size_t n = 4096 + (size_t)below(100);
        double a = 1, b = 1;
        int span = spans[t % 6], every = 1 + below(200), e = below(400) - 100;
        heavy_factors(below(2), &a, &b);
        for (size_t i = 0; i < n; i++) {
            x[i] = ldexp(i % (size_t)every ? a : of_exponent(1 - span), e);
            y[i] = i % (size_t)every ? b : 1;
        }
        check(n, "full window");
        span = narrow_spans[t % 7];
        for (size_t i = 0; i < n; i++) {
            narrow_x[i] = i % (size_t)every ? 0x1.fffffep0F : (float)of_exponent(1 - span);
            narrow_y[i] = 0x1.fffffep0F;
        }
        check_narrow(n, "full window");
    }
}

/* As heavy as can be, at the top of windows and of bins, and rarely something at their bottom: all
 * carries go one way, and totals must be emptied in time. */
static void test_long(void **state)
{
    (void)state;
    double factors[][3] = {{0x1.fffffffffffffp0, 0x1.fffffffffffffp0, 0x1p-33},
                           {1, 1, 0x1p-31},
                           {0x1.fffffep3, -0x1.fffffep-7, 0x1p-60},
                           {0x1.fffp504, 0x1.fffp503, 0x1p977}};
    heavy_factors(true, &factors[1][0], &factors[1][1]);
    for (size_t t = 0; t < 4; t++) {
        for (size_t i = 0; i < LONGEST; i++) {
            x[i] = i % 500 == 250 ? of_exponent(-7) : i % 500 ? factors[t][0] : factors[t][2];
            y[i] = i % 500 ? factors[t][1] : 1;
            narrow_x[i] = i % 500 ? 0x1.fffffep0F : t ? 0x1p-43F : 0x1p-21F;
            narrow_y[i] = 0x1.fffffep0F;
        }
        check(LONGEST, "long");
        if (t < 2)
            check_narrow(LONGEST, "long");
    }
}

static float any_single(int kind, int low, int width)
{
    uint32_t bits = (uint32_t)accordi_rng_next(&rng);
    float any;
    memcpy(&any, &bits, sizeof any);
    if (kind == 0)
        return isfinite(any) ? any : 1;
    if (kind == 1 && below(3) == 0)
        return below(2) ? 0.0F : -0.0F;
    return (float)of_exponent(low + below(width));
}

static void test_singles(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(1500); t++) {
        size_t n = any_length(t % 10 ? 6000 : 60000);
        int kind = below(4), width = 1 + below(below(2) ? 30 : 276);
        int low = -149 + below(277 - width), low_y = below(2) ? low : -149 + below(277 - width);
        for (size_t i = 0; i < n; i++) {
            narrow_x[i] = any_single(kind, low, width);
            narrow_y[i] = any_single(kind, low_y, width);
        }
        if (below(10) == 0)
            insert_specials(n);
        check_narrow(n, "singles");
    }
}

static void test_singles_of_pairs(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(200); t++) {
        size_t n = any_length(5000);
        const char *what = fill_pairs(x, y, n);
        for (size_t i = 0; i < n; i++) {
            narrow_x[i] = (float)x[i];
            narrow_y[i] = (float)y[i];
        }
        check_narrow(n, what);
    }
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_ties_with_remainders),
        cmocka_unit_test(test_ends_of_the_range),
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_full_windows),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_singles),
        cmocka_unit_test(test_singles_of_pairs),
    };
    return cmocka_run_group_tests_name("exact dot kernels", tests, NULL, NULL);
}
