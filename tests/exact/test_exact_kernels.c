/* Every row of kernels against the scalar superaccumulator, bit by bit: the accumulators must be
 * equal in canonical form, whatever the numbers, lengths, alignments and levels. */
#include "base/environment.h"
#include "exact/kernels/kernels.h"
#include "exact_sums.h"
#include "trials.h"

enum { LONGEST = 1 << 16 };
static char memory[(LONGEST + 8) * sizeof(double)];
static double drawn[LONGEST];

typedef struct level {
    const char *name;
    unsigned flags;
} level;
static const level levels[] = {
    {"window", ACCORDI_EXACT_WINDOW},
    {"scatter", ACCORDI_EXACT_SCATTER},
    {"all", ACCORDI_EXACT_ALL},
};

/* The terms already in an accumulator stay in it. */
static void check(const double *x, size_t n, const char *what)
{
    accord_exact start, expected;
    accord_exact_init(&start);
    for (int i = below(3); i > 0; i--)
        accord_exact_add_f64(&start, fills[0].name[0] + accordi_rng_unit(&rng));
    expected = start;
    accordi_exact_terms_f64(accordi_exact_of(&expected), n, x, 1);
    const accordi_exact_kernels *row;
    for (size_t r = 0; (row = accordi_exact_kernels_at(r)); r++)
        for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
            if (!accordi_exact_kernels_usable(row))
                continue;
            accord_exact sum = start;
            accordi_environment before = accordi_environment_enter();
            row->sum_f64(accordi_exact_of(&sum), n, x, levels[l].flags);
            accordi_environment_leave(before);
            char title[200];
            snprintf(title, sizeof title, "%s, %s, %s, n %zu", row->name, levels[l].name, what, n);
            same_sum(&sum, &expected, title);
        }
}

/* At any byte. */
static const double *placed(const double *x, size_t n)
{
    char *at = memory + below(2 * (int)sizeof *x);
    if (n)
        memcpy(at, x, n * sizeof *x);
    return (const double *)(const void *)at;
}

static void test_fills(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(40); t++)
        for (size_t f = 0; f < FILLS; f++) {
            size_t n = any_length(t % 6 ? 3000 : 20000);
            fills[f].fill(drawn, n);
            check(placed(drawn, n), n, fills[f].name);
        }
}

/* Every length about the sizes of vectors, steps and blocks. */
static void test_lengths(void **state)
{
    (void)state;
    fill_uniform(drawn, 2200);
    for (size_t n = 0; n < 140; n++)
        check(placed(drawn, n), n, "length");
    for (size_t n = 500; n < 2200; n += 1 + (size_t)below(40))
        check(placed(drawn, n), n, "length");
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fills),
        cmocka_unit_test(test_lengths),
    };
    return cmocka_run_group_tests_name("exact kernels", tests, NULL, NULL);
}
