/* Every row of kernels that this machine can run against the scalar superaccumulator, by the bytes
 * of canonical accumulators, and the public functions in hostile environments. Needs the C library
 * alone, so that it can be built for another machine and run on an emulated one (aarch64). */
#include "../exact/exact_fills.h"
#include "../support/trials.h"
#include "base/environment.h"
#include "exact/kernels/kernels.h"
#include "exact/routines/methods.h"
#include <accord/exact_blas.h>
#include <fenv.h>

enum { LONGEST = MOST };
static float narrow[MOST], narrow_too[MOST];
static uint16_t patterns[MOST]; /* of f16, or of bf16 */
static size_t n;
static const char *fill_name;
static long complaints, cases;

static void complain(const char *row, const char *what, int parameter)
{
    if (complaints++ < 10)
        printf("# %s, %s (%d), fill %s, n %zu: another sum\n", row, what, parameter, fill_name, n);
}

static void same(const char *row, const char *what, int parameter, accord_exact found,
                 accord_exact expected)
{
    cases++;
    accord_exact_canonical(&found);
    accord_exact_canonical(&expected);
    if (memcmp(&found, &expected, sizeof found))
        complain(row, what, parameter);
}

static void same_wide(const char *row, const char *what, int parameter, accord_exact_wide found,
                      accord_exact_wide expected)
{
    cases++;
    accord_exact_wide_canonical(&found);
    accord_exact_wide_canonical(&expected);
    if (memcmp(&found, &expected, sizeof found))
        complain(row, what, parameter);
}

static void draw(size_t fill)
{
    n = any_length(LONGEST);
    fill_name = fills[fill].name;
    fills[fill].fill(numbers, n);
    fills[below(3) ? fill : (size_t)below(FILLS)].fill(others, n);
    for (size_t i = 0; i < n; i++) {
        narrow[i] = (float)numbers[i];
        narrow_too[i] = (float)others[i];
        patterns[i] = (uint16_t)(bits_of(numbers[i]) >> 48);
    }
}

typedef struct sums {
    accord_exact f64, f32, f16, bf16, dot_f32;
    accord_exact_wide dot_f64;
} sums;

static sums add_one_by_one(void)
{
    sums all = {0};
    accordi_exact_terms_f64(accordi_exact_of(&all.f64), n, numbers, 1);
    accordi_exact_terms_f32(accordi_exact_of(&all.f32), n, narrow, 1);
    accordi_exact_terms_f16(accordi_exact_of(&all.f16), n, patterns, 1);
    accordi_exact_terms_bf16(accordi_exact_of(&all.bf16), n, patterns, 1);
    accordi_exact_products_f64(accordi_exact_of_wide(&all.dot_f64), n, numbers, 1, others, 1);
    accordi_exact_products_f32(accordi_exact_of(&all.dot_f32), n, narrow, 1, narrow_too, 1);
    return all;
}

/* Calls a kernel that adds to `sum`, in the environment that kernels are promised. */
#define RUN(type_, view_, call_, ...)                                                              \
    type_ sum = {0};                                                                               \
    accordi_environment before = accordi_environment_enter();                                      \
    call_(view_(&sum), __VA_ARGS__);                                                               \
    accordi_environment_leave(before)

static void check_levels(const accordi_exact_kernels *row, unsigned levels, const sums *expected)
{
    {
        RUN(accord_exact, accordi_exact_of, row->sum_f64, n, numbers, levels);
        same(row->name, "sum_f64", (int)levels, sum, expected->f64);
    }
    {
        RUN(accord_exact, accordi_exact_of, row->sum_f32, n, narrow, levels);
        same(row->name, "sum_f32", (int)levels, sum, expected->f32);
    }
    {
        RUN(accord_exact_wide, accordi_exact_of_wide, row->dot_f64, n, numbers, others, levels);
        same_wide(row->name, "dot_f64", (int)levels, sum, expected->dot_f64);
    }
    {
        RUN(accord_exact, accordi_exact_of, row->dot_f32, n, narrow, narrow_too, levels);
        same(row->name, "dot_f32", (int)levels, sum, expected->dot_f32);
    }
}

static void check_narrow(const accordi_exact_kernels *row, const sums *expected)
{
    {
        RUN(accord_exact, accordi_exact_of, row->sum_f16, n, patterns);
        same(row->name, "sum_f16", 0, sum, expected->f16);
    }
    {
        RUN(accord_exact, accordi_exact_of, row->sum_bf16, n, patterns);
        same(row->name, "sum_bf16", 0, sum, expected->bf16);
    }
}

static void check_expansions(const accordi_exact_kernels *row, const sums *expected)
{
    int size = 2 + below(7);
    bool early_exit = below(2);
    {
        RUN(accord_exact, accordi_exact_of, row->expansion_f64, n, numbers, size, early_exit);
        same(row->name, "expansion_f64", size, sum, expected->f64);
    }
    {
        RUN(accord_exact_wide, accordi_exact_of_wide, row->expansion_dot_f64, n, numbers, others,
            size, early_exit);
        same_wide(row->name, "expansion_dot_f64", size, sum, expected->dot_f64);
    }
}

static void test_row(const accordi_exact_kernels *row)
{
    for (size_t t = 0, wanted = trials(8 * FILLS); t < wanted; t++) {
        draw(t % FILLS);
        sums expected = add_one_by_one();
        for (unsigned levels = ACCORDI_EXACT_WINDOW; levels <= ACCORDI_EXACT_ALL; levels++)
            check_levels(row, levels, &expected);
        check_narrow(row, &expected);
        check_expansions(row, &expected);
    }
}

/* Subnormals to zero, where the processor can. */
static void flush_to_zero(void)
{
#if defined __aarch64__
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" ::"r"(control | (uint64_t)1 << 24));
#elif defined __x86_64__
    uint32_t control;
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    control |= 0x8040;
    __asm__ volatile("ldmxcsr %0" ::"m"(control));
#endif
}

static uint64_t control_of_environment(void)
{
#if defined __aarch64__
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
#elif defined __x86_64__
    uint32_t control;
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    return control;
#else
    return (uint64_t)fegetround();
#endif
}

static void same_number(double found, double expected, const char *what, int mode)
{
    cases++;
    if (bits_of(found) != bits_of(expected) && !(isnan(found) && isnan(expected)))
        complain(accord_exact_kernels(), what, mode);
}

/* One-call functions, whatever rows they choose, in an environment that must not matter. */
static void test_calls(void)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t t = 0, wanted = trials(15 * FILLS); t < wanted; t++) {
        draw(t % FILLS);
        double sum = 0, dot = 0;
        float sum32 = 0, dot32 = 0;
        sums expected = add_one_by_one();
        int mode = below(4);
        fenv_t usual;
        fegetenv(&usual);
        fesetround(modes[mode]);
        if (below(2))
            flush_to_zero();
        uint64_t before = control_of_environment();
        accord_sum_exact_f64(n, numbers, 1, NULL, &sum, NULL);
        accord_sum_exact_f32(n, narrow, 1, NULL, &sum32, NULL);
        accord_dot_exact_f64(n, numbers, 1, others, 1, NULL, &dot, NULL);
        accord_dot_exact_f32(n, narrow, 1, narrow_too, 1, NULL, &dot32, NULL);
        bool kept = control_of_environment() == before;
        fesetenv(&usual);
        if (!kept)
            complain(accord_exact_kernels(), "the environment has changed", mode);
        same_number(sum, accord_exact_f64(&expected.f64, ACCORD_EXACT_NEAREST_EVEN), "sum", mode);
        same_number((double)sum32,
                    (double)accord_exact_f32(&expected.f32, ACCORD_EXACT_NEAREST_EVEN),
                    "sum of f32", mode);
        same_number(dot, accord_exact_wide_f64(&expected.dot_f64, ACCORD_EXACT_NEAREST_EVEN), "dot",
                    mode);
        same_number((double)dot32,
                    (double)accord_exact_f32(&expected.dot_f32, ACCORD_EXACT_NEAREST_EVEN),
                    "dot of f32", mode);
    }
}

static int number, failed;

static void report(const char *what)
{
    bool good = !complaints && cases;
    failed += !good;
    printf("%sok %d - %s, %ld cases\n", good ? "" : "not ", ++number, what, cases);
    fflush(stdout);
    complaints = cases = 0;
}

int main(void)
{
    const accordi_exact_kernels *row;
    accordi_rng_init(&rng, trials_seed());
    for (size_t r = 0; (row = accordi_exact_kernels_at(r)); r++)
        if (accordi_exact_kernels_usable(row)) {
            test_row(row);
            report(row->name);
        }
    test_calls();
    report("calls in any environment");
#if defined __aarch64__
    complaints = strcmp(accord_exact_kernels(), "neon") != 0;
    cases = 1;
    report("NEON is in use");
#endif
    printf("1..%d\n", number);
    return failed != 0;
}
