/* The floating-point environment of the caller has no effect on exact sums, and is not touched: its
 * rounding mode, its flushing of subnormals, its flags whether raised or clear, and its traps,
 * which would end the process. For accumulators, and for all routines with all methods, on threads
 * too. */
#include "exact_sums.h"
#include "trials.h"
#include <fenv.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

enum { LONG = 70000, RESULTS = 64, GROUPS = 5 }; /* LONG: for two threads */

static double x64[LONG], y64[LONG];
static float x32[LONG], y32[LONG];
static uint16_t x16[LONG];
static size_t keys[LONG];

/* Environments. */

typedef struct environment {
    int mode;
    unsigned control; /* of SSE: flushing, flags, traps */
} environment;

static environment any_environment(void)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    unsigned flush = (below(2) ? 0x8000 : 0) | (below(2) ? 0x0040 : 0);
    unsigned flags = below(2) ? 0 : below(2) ? 0x3f : (unsigned)below(64);
    unsigned masks = below(2) ? 0x1f80 : 0;
    return (environment){modes[below(4)], flush | (masks ? flags | masks : 0)};
}

static void enter(environment e, fenv_t *kept)
{
    fegetenv(kept);
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(e.mode);
#ifdef __SSE2__
    _mm_setcsr((_mm_getcsr() & 0x6000) | e.control);
#endif
}

static bool leave(environment e, const fenv_t *kept)
{
    bool same = fegetround() == e.mode;
#ifdef __SSE2__
    same = same && (_mm_getcsr() & ~0x6000u) == e.control;
#else
    same = same && !fetestexcept(FE_ALL_EXCEPT);
#endif
    fesetenv(kept);
    return same;
}

/* Work that is done in them. */

typedef struct answers {
    accord_exact sum;
    accord_exact_wide wide;
    uint64_t pattern[FORMATS][ROUNDINGS];
    double result[RESULTS];
    enum accord_status status;
} answers;

typedef struct job {
    const struct routine *routine;
    accord_exact_options how;
    size_t n;
} job;

typedef struct routine {
    const char *name;
    void (*call)(const job *j, answers *out);
} routine;

static void accumulate(const job *j, answers *out)
{
    size_t n = j->n;
    accord_exact_add_array_f32(&out->sum, n, x32, 1);
    accord_exact_add_products_f32(&out->sum, n, x32, 1, y32, 1);
    accord_exact_add_array_f64(&out->sum, n, x64, 1);
    accord_exact_add_array_f16(&out->sum, n, x16, 1);
    accord_exact_add_array_bf16(&out->sum, n, x16, 1);
    accord_exact_wide_add_products_f64(&out->wide, n, x64, 1, y64, 1);
    for (size_t i = 0; i < n && i < 100; i++) {
        accord_exact_subtract_f64(&out->sum, y64[i]);
        accord_exact_add_f32(&out->sum, x32[i]);
        accord_exact_wide_add_product_f64(&out->wide, x64[i], y64[n - 1 - i]);
    }
    for (int f = 0; f < FORMATS; f++)
        for (int r = 0; r < ROUNDINGS; r++)
            out->pattern[f][r] = pattern_of(&out->sum, f, r) ^ wide_pattern_of(&out->wide, f, r)
                                                                   << 7;
    unsigned char bytes[ACCORD_EXACT_BYTES];
    accord_exact_save(&out->sum, bytes);
    out->status = accord_exact_load(&out->sum, bytes, sizeof bytes, NULL);
    out->status |= accord_exact_add(&out->sum, &out->sum, NULL);
    out->status |= accord_exact_scale(&out->sum, 1, NULL);
    accord_exact_canonical(&out->sum);
    accord_exact_wide_canonical(&out->wide);
}

#define ROUTINE(name_, call_)                                                                      \
    static void name_(const job *j, answers *out)                                                  \
    {                                                                                              \
        size_t n = j->n;                                                                           \
        void *result = out->result;                                                                \
        out->status = call_;                                                                       \
    }
#define ONE(name_, suffix_, x_)                                                                    \
    ROUTINE(name_##_##suffix_, accord_##name_##_exact_##suffix_(n, x_, 1, &j->how, result, NULL))
#define TWO(name_, suffix_, x_, y_)                                                                \
    ROUTINE(name_##_##suffix_,                                                                     \
            accord_##name_##_exact_##suffix_(n, x_, 1, y_, 1, &j->how, result, NULL))
ONE(sum, f64, x64)
ONE(sum, f32, x32)
ONE(sum, f16, x16)
ONE(sum, bf16, x16)
ONE(mean, f64, x64)
ONE(mean, f32, x32)
ONE(asum, f64, x64)
ONE(asum, f32, x32)
ONE(sumsq, f64, x64)
ONE(sumsq, f32, x32)
ONE(nrm2, f64, x64)
ONE(nrm2, f32, x32)
TWO(distance, f64, x64, y64)
TWO(distance, f32, x32, y32)
TWO(dot, f64, x64, y64)
TWO(dot, f32, x32, y32)
ROUTINE(sum_complex_f64, accord_sum_exact_complex_f64(n / 2, x64, 1, &j->how, result, NULL))
ROUTINE(sum_complex_f32, accord_sum_exact_complex_f32(n / 2, x32, 1, &j->how, result, NULL))
ROUTINE(asum_complex_f64, accord_asum_exact_complex_f64(n / 2, x64, 1, &j->how, result, NULL))
ROUTINE(asum_complex_f32, accord_asum_exact_complex_f32(n / 2, x32, 1, &j->how, result, NULL))
ROUTINE(nrm2_complex_f64, accord_nrm2_exact_complex_f64(n / 2, x64, 1, &j->how, result, NULL))
ROUTINE(nrm2_complex_f32, accord_nrm2_exact_complex_f32(n / 2, x32, 1, &j->how, result, NULL))
ROUTINE(dot_complex_f64,
        accord_dot_exact_complex_f64(n % 2, n / 2, x64, 1, y64, 1, &j->how, result, NULL))
ROUTINE(dot_complex_f32,
        accord_dot_exact_complex_f32(n % 2, n / 2, x32, 1, y32, 1, &j->how, result, NULL))

/* Matrices of about n elements; results as many as fit. */
enum { SIDE = 7 };
#define FIELDS(suffix_, x_, y_, minus_)                                                            \
    ROUTINE(gemv_##suffix_, accord_gemv_exact_##suffix_(SIDE, n / SIDE, 3, x_, 1, SIDE, y_, 1,     \
                                                        minus_, result, 1, &j->how, NULL))         \
    ROUTINE(gemm_##suffix_,                                                                        \
            accord_gemm_exact_##suffix_(SIDE, SIDE, n / SIDE, minus_, x_, 1, SIDE, y_, SIDE, 1, 0, \
                                        result, SIDE, 1, &j->how, NULL))                           \
    ROUTINE(trsv_##suffix_, accord_trsv_exact_##suffix_(n % 2, false, n < 64 ? 1 : SIDE, x_, 1,    \
                                                        SIDE, result, 1, &j->how, NULL))           \
    ROUTINE(cumsum_##suffix_, accord_cumsum_exact_##suffix_(n < RESULTS ? n : RESULTS, x_, 1,      \
                                                            &j->how, result, 1, NULL))             \
    ROUTINE(group_##suffix_,                                                                       \
            accord_group_sum_exact_##suffix_(n, x_, 1, keys, GROUPS, &j->how, result, NULL))       \
    ROUTINE(many_##suffix_,                                                                        \
            accord_many_sums_exact_##suffix_(SIDE, 1, n / SIDE, x_, SIDE, &j->how, result, NULL))
FIELDS(f64, x64, y64, -1.5)
FIELDS(f32, x32, y32, -1.5f)

#define ROW(name_)                                                                                 \
    {                                                                                              \
#name_, name_                                                                              \
    }
static const routine routines[] = {
    ROW(accumulate),       ROW(sum_f64),          ROW(sum_f32),          ROW(mean_f64),
    ROW(mean_f32),         ROW(asum_f64),         ROW(asum_f32),         ROW(sumsq_f64),
    ROW(sumsq_f32),        ROW(nrm2_f64),         ROW(nrm2_f32),         ROW(distance_f64),
    ROW(distance_f32),     ROW(dot_f64),          ROW(dot_f32),          ROW(sum_complex_f64),
    ROW(sum_complex_f32),  ROW(asum_complex_f64), ROW(asum_complex_f32), ROW(nrm2_complex_f64),
    ROW(nrm2_complex_f32), ROW(dot_complex_f64),  ROW(dot_complex_f32),  ROW(gemv_f64),
    ROW(gemv_f32),         ROW(gemm_f64),         ROW(gemm_f32),         ROW(trsv_f64),
    ROW(trsv_f32),         ROW(cumsum_f64),       ROW(cumsum_f32),       ROW(group_f64),
    ROW(group_f32),        ROW(many_f64),         ROW(many_f32),         ROW(sum_f16),
    ROW(sum_bf16),
};
enum { ROUTINES = sizeof routines / sizeof *routines };

static bool do_in(const job *j, environment e, answers *out)
{
    fenv_t kept;
    memset(out, 0, sizeof *out);
    for (int i = 0; i < RESULTS; i++)
        out->result[i] = (i + 1) * 0x1p-1070; /* what is read before it is written */
    enter(e, &kept);
    j->routine->call(j, out);
    return leave(e, &kept);
}

/* Numbers of one fill, most often such as flags and modes can spoil; special ones too. */
static void draw(size_t n)
{
    void (*const delicate[])(double *, size_t) = {fill_subnormal, fill_1e300, fill_overflow,
                                                  fill_cancelling, fill_1e30};
    (below(2) ? delicate[below(5)] : fills[below(FILLS)].fill)(x64, n);
    (below(2) ? delicate[below(5)] : fills[below(FILLS)].fill)(y64, n);
    bool subnormal = below(2), wild = !below(4);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = accordi_rng_next(&rng);
        uint64_t mask = wild ? ~(uint64_t)0 : subnormal ? 0x83ffffff80ffffff : 0xbfffffffbfffffff;
        uint64_t both = bits & mask;
        memcpy(x32 + i, &both, sizeof *x32);
        memcpy(y32 + i, (char *)&both + 4, sizeof *y32);
        x16[i] = (uint16_t)(both >> 48);
        keys[i] = bits % GROUPS;
    }
    if (wild && n)
        x64[below((int)n)] = from_bits(0x7ff0000000000001); /* a signaling NaN */
}

static void check(const job *j, int times)
{
    static answers plain, found;
    assert_true(do_in(j, (environment){FE_TONEAREST, 0x1f80}, &plain));
    assert_int_equal(plain.status, ACCORD_OK);
    for (int i = 0; i < times; i++) {
        environment e = any_environment();
        bool kept = do_in(j, e, &found);
        if (!kept || memcmp(&plain, &found, sizeof plain))
            fail_msg("%s, n %zu, %s, threads %d, in mode %d, control %x: %s", j->routine->name,
                     j->n, accord_exact_method_name(j->how.method), j->how.threads, e.mode,
                     e.control, kept ? "another result" : "the environment is changed");
    }
}

static job any_job(const routine *row, size_t n)
{
    job j = {.routine = row, .n = n};
    accord_exact_options_init(&j.how);
    j.how.method = (enum accord_exact_method)below(ACCORD_EXACT_METHOD_COUNT);
    j.how.rounding = (enum accord_exact_rounding)below(ROUNDINGS);
    j.how.expansion = 2 + below(7);
    j.how.no_early_exit = below(2);
    j.how.threads = 1 + below(3);
    return j;
}

static void test_environment(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(500); t++) {
        size_t n = any_length(t % 4 ? 200 : 5000);
        draw(n);
        for (int r = 0; r < ROUTINES; r++) {
            job j = any_job(routines + r, n);
            check(&j, 8);
        }
    }
}

static void test_environment_of_threads(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(2); t++) {
        draw(LONG);
        for (int r = 1; r < ROUTINES; r++) {
            job j = any_job(routines + r, LONG);
            j.how.threads = 2;
            check(&j, 2);
        }
    }
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_environment_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
