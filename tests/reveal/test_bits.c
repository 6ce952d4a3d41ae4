/* What is revealed of real libraries replays bit for bit, every element of a result; a part of what
 * `./run bench bits` asks, and all of it at ACCORD_TEST_SCALE=10. */
#include "base/base.h"
#include "map/map.h"
#include "record/record.h"
#include "trials.h"
#include <accord/map.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const libraries[] = {"openblas-pthread", "blis-pthread", "atlas", "reference",
                                        "gsl"};
enum { LIBRARIES = sizeof libraries / sizeof *libraries, MOST = 70 };

typedef struct question {
    const char *routine, *shape, *transpose;
    size_t n;
    int64_t lda, ldb, ldc, incx, incy;
    double alpha, beta;
} question;

/* Skips the test, having said why, if the library is not on this machine. */
static accord_target *open(const question *q, const char *library, char notation[64])
{
    accord_target_options options;
    accord_target *target = NULL;
    accord_error error;
    accord_target_options_init(&options);
    options.n = q->n;
    options.shape = q->shape;
    options.transpose = q->transpose;
    options.lda = q->lda;
    options.ldb = q->ldb;
    options.ldc = q->ldc;
    options.incx = q->incx;
    options.incy = q->incy;
    if (q->alpha != 0) {
        options.alpha = q->alpha;
        options.beta = q->beta;
    }
    snprintf(notation, 64, "blas:%s@%s", q->routine, library);
    enum accord_status status = accord_target_open(notation, &options, &target, &error);
    if (status == ACCORD_TARGET) {
        print_message("# %s: %s\n", notation, error.text);
        skip();
    }
    if (status)
        fail_msg("%s: %s", notation, error.text);
    return target;
}

static void expect_dot(const question *q, const char *library, uint64_t seed)
{
    char notation[64];
    accord_reveal_options how;
    accord_record record;
    accord_error error = {.text = ""};
    accord_target *target = open(q, library, notation);
    accord_reveal_options_init(&how);
    how.seed = seed;
    accordi_record_init(&record);
    if (accord_reveal(target, &how, &record, &error))
        fail_msg("%s, n = %zu: %s", notation, q->n, error.text);
    if (record.replays < 2000 || record.replays_agreed < record.replays || !record.arithmetic)
        fail_msg("%s, n = %zu: %s", notation, q->n, record.verdict);
    accord_record_clear(&record);
    accord_target_close(target);
}

static void expect_map(const question *q, const char *library, uint64_t seed)
{
    char notation[64];
    accord_reveal_options how;
    accord_map map;
    accord_error error = {.text = ""};
    accord_target *target = open(q, library, notation);
    accord_reveal_options_init(&how);
    how.seed = seed;
    accordi_map_init(&map);
    if (accord_map_reveal(target, &how, &map, &error))
        fail_msg("%s %s: %s", notation, q->shape, error.text);
    if (map.replays != (uint64_t)2000 * map.rows * map.columns || map.replays_agreed < map.replays)
        fail_msg("%s %s: %llu of %llu replays agree", notation, q->shape,
                 (unsigned long long)map.replays_agreed, (unsigned long long)map.replays);
    for (size_t c = 0; c < map.classes; c++)
        if (!map.each[c].record.arithmetic || map.each[c].certified < map.each[c].members)
            fail_msg("%s %s, class %zu: %s", notation, q->shape, c, map.each[c].record.verdict);
    accord_map_clear(&map);
    accord_target_close(target);
}

/* For questions that are asked of each library at scale 1: below it, others of each. */
static uint64_t seed_of(const char *library)
{
    size_t i = 0;
    while (strcmp(libraries[i], library) != 0)
        i++;
    return trials_seed() + i;
}

static void test_dots(void **state)
{
    const char *library = *state;
    uint64_t seed = trials_seed();
    size_t step = 10 / (trials(1) < 10 ? trials(1) : 10);
    for (size_t n = 1 + seed % step; n <= MOST; n += step) {
        if (!trial_runs(n / step, seed_of(library)))
            continue;
        expect_dot(&(question){.routine = "sdot", .n = n}, library, seed);
        expect_dot(&(question){.routine = "ddot", .n = n}, library, seed);
    }
}

/* OpenBLAS computes re + im * I, which is NaN where the imaginary part overflows. */
static void test_complex_dots(void **state)
{
    static const char *const routines[] = {"cdotu", "zdotu", "cdotc"};
    for (size_t r = 0; r < sizeof routines / sizeof *routines; r++)
        for (size_t n = 2; n <= 26; n += 12)
            if (trial_runs(r + n / 12, seed_of(*state)))
                expect_dot(&(question){.routine = routines[r], .n = n}, *state, trials_seed());
}

/* A dot product of its own: accumulated in f64, rounded to f32, and then multiplied by alpha. */
static void test_band(void **state)
{
    static const double alphas[] = {2.2, -1.7, 0.3, -0.6};
    uint64_t seed = trials_seed();
    char notation[64];
    (void)state;
    accord_target_close(open(&(question){.routine = "sgbmv", .n = 4, .shape = "3x4"},
                             "openblas-pthread", notation));
    for (size_t i = 0; i < 4; i++) {
        char shape[32];
        snprintf(shape, sizeof shape, "%dx%d", (int)(1 + (seed + i) % 9), (int)(2 + 11 * i));
        question q = {.routine = "sgbmv", .n = 2 + 11 * i, .shape = shape, .alpha = alphas[i]};
        expect_dot(&q, "openblas-pthread", seed + i);
    }
}

static void test_gemvs(void **state)
{
    const char *library = *state;
    uint64_t seed = trials_seed();
    size_t step = 30 / (trials(1) < 30 ? trials(1) : 30);
    /* One product that vanishes leaves the sign of a zero, and no other term hides it. */
    expect_dot(&(question){.routine = "dgemv", .shape = "2x1", .n = 1, .alpha = 1.3}, library,
               seed);
    for (size_t n = 1 + seed % step; n <= MOST; n += step) {
        char shape[32];
        snprintf(shape, sizeof shape, "%zux%zu", 1 + n % 17, n);
        question q = {.routine = n % 2 ? "sgemv" : "dgemv",
                      .shape = shape,
                      .transpose = n % 3 ? "N" : "T",
                      .n = n};
        expect_map(&q, library, seed);
        q.lda = (int64_t)n + 3;
        q.incx = 2;
        q.incy = 3;
        expect_map(&q, library, seed);
    }
}

static void test_gemms(void **state)
{
    static const question questions[] = {
        {.routine = "sgemm", .shape = "7x13x24", .n = 24},
        {.routine = "dgemm", .shape = "7x13x24", .n = 24, .transpose = "TN"},
        {.routine = "sgemm",
         .shape = "13x7x25",
         .n = 25,
         .transpose = "TT",
         .lda = 17,
         .ldb = 30,
         .ldc = 9},
        {.routine = "sgemm", .shape = "17x11x2", .n = 2},
        {.routine = "sgemm", .shape = "5x6x40", .n = 41, .alpha = 0.7, .beta = 0.3},
        {.routine = "dgemm", .shape = "3x4x300", .n = 300, .alpha = -1.3},
        {.routine = "sgemm", .shape = "7x5x13", .n = 14, .alpha = -1, .beta = 1},
        {.routine = "dgemm", .shape = "3x5x13", .n = 14, .alpha = -1, .beta = 0.3},
    };
    const char *library = *state;
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        if (trial_runs(i, seed_of(library)))
            expect_map(&questions[i], library, seed);
}

/* Products of zero are left out, and a negative alpha turns the signs of zeros: of short sums few
 * inputs tell where they start. */
static void test_products_left_out(void **state)
{
    static const double beta[] = {0, 1, -1, 0.3};
    const char *library = *state;
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < trials(24); i++) {
        char shape[32];
        size_t n = 1 + i % 5;
        snprintf(shape, sizeof shape, "2x%zu", n);
        question q = {.routine = i % 2 ? "sgemv" : "dgemv",
                      .shape = shape,
                      .transpose = "T",
                      .n = n + (beta[i % 4] != 0),
                      .alpha = i % 3 ? -1 : -2,
                      .beta = beta[i % 4]};
        expect_dot(&q, library, seed + i);
    }
}

/* alpha enters in two ways within one sum, and differently from kernel to kernel. A worker of its
 * own for each target reads the environment again. */
static void test_alpha_in_kernels(void **state)
{
    static const char *const kernels[] = {"Prescott", "Nehalem", "Sandybridge", "Haswell",
                                          "SkylakeX"};
    static const char *const needs[] = {"", "", "avx", "avx2", "avx512vl"};
    static const double factors[][2] = {{1.3, 0}, {-0.7, 0.1}, {0.1, 1}, {3, -1.3}};
    (void)state;
    uint64_t seed = trials_seed();
    const char *features = accordi_cpu_features(), *usual = getenv("OPENBLAS_CORETYPE");
    char before[32], notation[64];
    accord_target_close(
        open(&(question){.routine = "sgemv", .n = 4}, "openblas-pthread", notation));
    snprintf(before, sizeof before, "%s", usual ? usual : "");
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        if (!strstr(features, needs[k]))
            continue;
        setenv("OPENBLAS_CORETYPE", kernels[k], 1);
        for (size_t i = 0; i < trials(3); i++) {
            uint64_t drawn = seed + 7919 * i + 31 * k;
            size_t n = 1 + drawn % 41, m = 1 + drawn / 41 % 9;
            const double *by = factors[drawn % 4];
            char shape[32];
            snprintf(shape, sizeof shape, "%zux%zu", m, n);
            question q = {.routine = drawn % 3 ? "sgemv" : "dgemv",
                          .shape = shape,
                          .transpose = drawn / 7 % 2 ? "N" : "T",
                          .n = n + (by[1] != 0),
                          .alpha = by[0],
                          .beta = by[1]};
            if (drawn / 11 % 3 == 0) {
                q.lda = (int64_t)(m > n ? m : n) + 3;
                q.incx = 2;
                q.incy = 3;
            }
            expect_map(&q, "openblas-pthread", seed);
        }
    }
    if (usual)
        setenv("OPENBLAS_CORETYPE", before, 1);
    else
        unsetenv("OPENBLAS_CORETYPE");
}

/* A test for each library, so that those that are not here are seen to be skipped. */
int main(void)
{
    static const struct {
        const char *about;
        CMUnitTestFunction test;
    } parts[] = {{"dots", test_dots},
                 {"complex dots", test_complex_dots},
                 {"GEMV", test_gemvs},
                 {"GEMM", test_gemms},
                 {"products left out", test_products_left_out}};
    enum { ALONE = 2, PARTS = sizeof parts / sizeof *parts, TESTS = PARTS * LIBRARIES + ALONE };
    static char names[TESTS][64];
    struct CMUnitTest tests[TESTS] = {cmocka_unit_test(test_alpha_in_kernels),
                                      cmocka_unit_test(test_band)};
    for (size_t i = ALONE; i < TESTS; i++) {
        const char *library = libraries[(i - ALONE) % LIBRARIES];
        snprintf(names[i], sizeof names[i], "%s of %s", parts[(i - ALONE) / LIBRARIES].about,
                 library);
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = parts[(i - ALONE) / LIBRARIES].test,
                                       .initial_state = (void *)(uintptr_t)library};
    }
    const char *features = accordi_cpu_features();
    if (strstr(features, "avx2") && strstr(features, "fma"))
        setenv("OPENBLAS_CORETYPE", "Haswell", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
