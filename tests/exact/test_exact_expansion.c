/* Expansions: every size, with and without early exit, in every row of kernels, against terms that
 * go straight into limbs, bit by bit. Whatever overflows a TwoSum must be there all the same. */
#include "base/environment.h"
#include "exact/kernels/kernels.h"
#include "exact_pairs.h"
#include "exact_sums.h"
#include "trials.h"

enum { LONGEST = 300000 };
static double left[LONGEST], right[LONGEST];
static char memory[2][(LONGEST + 1) * sizeof(double)];

static const double *placed(int which, const double *x, size_t n)
{
    char *at = memory[which] + below((int)sizeof *x);
    if (n)
        memcpy(at, x, n * sizeof *x);
    return (const double *)(const void *)at;
}

static const char *title(const accordi_exact_kernels *row, int size, bool early, const char *what,
                         size_t n)
{
    static char text[200];
    snprintf(text, sizeof text, "%s, %d terms%s, %s, n %zu", row->name, size,
             early ? " with early exit" : "", what, n);
    return text;
}

static void same_count(const int64_t *found, const int64_t *expected, const char *what)
{
    for (int c = ACCORD_EXACT_TERMS; c <= ACCORD_EXACT_MINUS_INFINITIES; c++)
        if (found[c] != expected[c])
            fail_msg("%s: count %d is %" PRId64 ", not %" PRId64, what, c, found[c], expected[c]);
}

static void check_sum_as(const accordi_exact_kernels *row, int size, bool early, const double *x,
                         size_t n, const accord_exact *start, const accord_exact *expected,
                         const char *what)
{
    accord_exact sum = *start;
    accordi_environment before = accordi_environment_enter();
    row->expansion_f64(accordi_exact_of(&sum), n, x, size, early);
    accordi_environment_leave(before);
    same_count(sum.count, expected->count, title(row, size, early, what, n));
    same_sum(&sum, expected, title(row, size, early, what, n));
}

static void check_dot_as(const accordi_exact_kernels *row, int size, bool early, const double *x,
                         const double *y, size_t n, const accord_exact_wide *start,
                         const accord_exact_wide *expected, const char *what)
{
    accord_exact_wide sum = *start;
    accordi_environment before = accordi_environment_enter();
    row->expansion_dot_f64(accordi_exact_of_wide(&sum), n, x, y, size, early);
    accordi_environment_leave(before);
    same_count(sum.count, expected->count, title(row, size, early, what, n));
    same_wide(&sum, expected, title(row, size, early, what, n));
}

/* What was in an accumulator stays there. */
static void check_sums(const double *x, size_t n, const char *what)
{
    accord_exact start, expected;
    accord_exact_init(&start);
    if (below(2))
        accord_exact_add_f64(&start, below(3) ? 0x1.8p-700 : -0.0);
    expected = start;
    accordi_exact_terms_f64(accordi_exact_of(&expected), n, x, 1);
    const double *at = placed(0, x, n);
    const accordi_exact_kernels *row;
    for (size_t r = 0; (row = accordi_exact_kernels_at(r)); r++)
        for (int size = 2; size <= 8; size++)
            for (int early = 0; early < 2 && accordi_exact_kernels_usable(row); early++)
                check_sum_as(row, size, early, at, n, &start, &expected, what);
}

static void check_dots(const double *x, const double *y, size_t n, const char *what)
{
    accord_exact_wide start, expected;
    accord_exact_wide_init(&start);
    if (below(2))
        accord_exact_wide_add_f64(&start, below(3) ? 0x1.8p-700 : -0.0);
    expected = start;
    accordi_exact_products_f64(accordi_exact_of_wide(&expected), n, x, 1, y, 1);
    const double *at_x = placed(0, x, n), *at_y = placed(1, y, n);
    const accordi_exact_kernels *row;
    for (size_t r = 0; (row = accordi_exact_kernels_at(r)); r++)
        for (int size = 2; size <= 8; size++)
            for (int early = 0; early < 2 && accordi_exact_kernels_usable(row); early++)
                check_dot_as(row, size, early, at_x, at_y, n, &start, &expected, what);
}

static void test_fills(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(6); t++)
        for (size_t f = 0; f < FILLS; f++) {
            size_t n = any_length(3000);
            fills[f].fill(left, n);
            check_sums(left, n, fills[f].name);
            fills[below(2) ? (int)f : below(FILLS)].fill(right, n);
            check_dots(left, right, n, fills[f].name);
        }
}

static void test_attacks(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(150); t++) {
        size_t n = any_length(3000);
        const char *what = fill_any(left, n);
        check_sums(left, n, what);
        what = fill_pairs(left, right, n);
        check_dots(left, right, n, what);
    }
}

/* Every length about vectors, steps and blocks; with what needs the limbs at every place. */
static void test_lengths(void **state)
{
    (void)state;
    static const double odd[] = {(double)NAN, (double)INFINITY, DBL_MAX, 0x1p1000, 0.0,
                                 -0.0,        0x1p-1074};
    for (size_t n = 0; n < 1100; n += n < 70 ? 1 : 1 + (size_t)below(60)) {
        fill_1e30(left, n);
        fill_1e30(right, n);
        check_sums(left, n, "length");
        check_dots(left, right, n, "length");
        for (int i = 1 + below(4); i > 0 && n; i--)
            left[below((int)n)] = odd[below(7)];
        check_sums(left, n, "odd terms");
        check_dots(left, right, n, "odd factors");
    }
}

/* Sums that leave the range of f64 on the way and come back; alone in a lane, and all together. */
static void test_overflow(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(60); t++) {
        size_t n = 2 + any_length(2000), half = n / 2;
        double big = ldexp(2 - ldexp(1, -below(53)), 1023 - below(30));
        for (size_t i = 0; i < n; i++) {
            left[i] = i < half ? big : -big;
            right[i] = accordi_rng_unit(&rng) < 0.5 ? 1 : 0x1p-970;
        }
        if (below(2))
            shuffle(left, n);
        for (int i = below(8); i > 0; i--)
            left[below((int)n)] = accordi_rng_unit(&rng);
        check_sums(left, n, "overflow on the way");
        check_dots(left, right, n, "overflow on the way");
        check_dots(left, left, n, "overflow of products");
    }
}

/* Zeros count while there is nothing else, and only then. */
static void test_zeros(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(60); t++) {
        size_t n = any_length(1500);
        fill_zeros(left, n);
        fill_patterns(right, n);
        check_dots(left, right, n, "zeros");
        if (n && !below(3)) {
            left[below((int)n)] = 0x1p-1074;
            left[below((int)n)] = -0x1p-1074;
        }
        check_sums(left, n, "zeros");
    }
}

/* Long enough to empty the expansions on the way. */
static void test_long(void **state)
{
    (void)state;
    static const char *const names[] = {"1e15", "heavy", "cancelling"};
    for (int f = 0; f < FILLS; f++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (strcmp(fills[f].name, names[i]) != 0)
                continue;
            fills[f].fill(left, LONGEST);
            accord_exact zero, expected;
            accord_exact_init(&zero);
            expected = zero;
            accordi_exact_terms_f64(accordi_exact_of(&expected), LONGEST, left, 1);
            const accordi_exact_kernels *row;
            for (size_t r = 0; (row = accordi_exact_kernels_at(r)); r++)
                if (accordi_exact_kernels_usable(row))
                    check_sum_as(row, 2 + 3 * below(3), below(2), left, LONGEST, &zero, &expected,
                                 names[i]);
        }
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fills),   cmocka_unit_test(test_attacks),
        cmocka_unit_test(test_lengths), cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_zeros),   cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests_name("expansions", tests, NULL, NULL);
}
