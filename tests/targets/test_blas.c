/* Every routine of every BLAS that is here: random shapes, elements, transpositions and strides,
 * random sparse probes whose sums are whole numbers, so that every order gives the same. A
 * library of our own has Fortran entries only. */
#include "batches.h"
#include "questions.h"
#include "record/record.h"
#include "targets/foreign/foreign.h"
#include "trials.h"
#include <accord/accord.h>
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- answers by a second implementation ---- */

static double combine(const accordi_routine *routine, const accord_target *target, const double *x,
                      const double *y)
{
    size_t inner = target->n - target->has_start;
    enum accord_term term = accordi_families[routine->family].term;
    double sum = 0;
    for (size_t k = 0; k < inner; k++)
        sum += term == ACCORD_TERM_ABSOLUTE ? fabs(x[k])
               : term == ACCORD_TERM_SQUARE ? x[k] * x[k]
                                            : target->alpha * x[k] * y[k];
    if (routine->family == ACCORDI_NORM)
        return sqrt(sum);
    return target->has_start ? sum + target->beta * x[inner] : sum;
}

/* Roots are rounded, by some after scaling; all else here is a whole number. */
static bool same(const accordi_routine *routine, double a, double b)
{
    double most = routine->storage == ACCORDI_F64 ? 1e-13 : 1e-5;
    return a == b || (routine->family == ACCORDI_NORM && fabs(a - b) <= most * fabs(b));
}

static void refused(const accord_target *target, const accord_error *error, const char *text)
{
    fail_msg("%s %s: %s", target->notation, text, error->text);
}

/* Sparse probes, all second factors the same. */
static void agrees(accord_target *target, const accordi_routine *routine, accordi_rng *rng,
                   const question *q)
{
    enum { probes = 30 };
    random_batch r = random_batch_new(rng, target->n, probes);
    double result[probes], *x = accordi_alloc(2 * target->n, sizeof *x), *y = x + target->n;
    accord_error error = {0};
    if (target->term == ACCORD_TERM_PRODUCT)
        r.batch.second = (double)(below(rng, 5) - 2);
    for (size_t k = 0; k < target->n; k++)
        y[k] = r.batch.second != 0 ? r.batch.second : 1;
    if (accord_target_run(target, &r.batch, result, &error) != ACCORD_OK)
        refused(target, &error, q->text);
    for (size_t p = 0; p < probes; p++) {
        expected_terms(&r.batch, target->n, p, x);
        double expected = combine(routine, target, x, y);
        if (!same(routine, result[p], expected))
            fail_msg("%s %s second %g: probe %zu gives %.17g, not %g", target->notation, q->text,
                     r.batch.second, p, result[p], expected);
    }
    random_batch_free(&r);
    free(x);
}

static void put(void *rows, bool f32, size_t i, double value)
{
    if (f32)
        ((float *)rows)[i] = (float)value;
    else
        ((double *)rows)[i] = value;
}

/* Dense probes, with second factors or without, in the arena or in memory of our own. */
static void dense_agrees(accord_target *target, const accordi_routine *routine, accordi_rng *rng,
                         const question *q)
{
    enum { probes = 3 };
    size_t n = target->n, size = target->storage_f32 ? 4 : 8, bytes = 2 * probes * n * size;
    bool seconds = target->term == ACCORD_TERM_PRODUCT && below(rng, 3);
    void *own = accordi_alloc(1, bytes), *arena = NULL;
    if (below(rng, 2) && target->kind->arena)
        arena = target->kind->arena(target, bytes);
    char *rows = arena ? arena : own, *second = rows + probes * n * size;
    double *x = accordi_alloc(2 * probes * n, sizeof *x), *y = x + probes * n, result[probes];
    for (size_t i = 0; i < probes * n; i++) {
        x[i] = (double)(below(rng, 17) - 8);
        y[i] = seconds ? (double)(below(rng, 7) - 3) : 1;
        put(rows, target->storage_f32, i, x[i]);
        put(second, target->storage_f32, i, y[i]);
    }
    accord_error error = {0};
    accord_batch batch = {.probes = probes, .dense = rows, .dense_second = seconds ? second : NULL};
    if (accord_target_run(target, &batch, result, &error) != ACCORD_OK)
        refused(target, &error, q->text);
    for (size_t p = 0; p < probes; p++) {
        double expected = combine(routine, target, x + p * n, y + p * n);
        if (!same(routine, result[p], expected))
            fail_msg("%s %s dense: row %zu gives %g, not %g", target->notation, q->text, p,
                     result[p], expected);
    }
    free(own);
    free(x);
}

/* Whether the library gets a small sum of whole numbers wrong when called directly. OpenBLAS 0.3.21
 * does in scasum with its kernels for Cooper Lake, which other processors with AVX-512 run too. */
static bool adds_wrongly(accord_target *target, const accordi_routine *routine)
{
    enum { LENGTH = 9 };
    bool wrong = false;
    accord_record record;
    accordi_record_init(&record);
    if (strcmp(routine->name, "scasum") == 0 &&
        accord_target_describe(target, &record, NULL) == ACCORD_OK) {
        void *object = dlopen(record.library, RTLD_LAZY); /* for good: it has threads */
        void *symbol = object ? dlsym(object, "scasum_") : NULL;
        float (*scasum)(const int *, const float *, const int *), expected = 0, x[2 * LENGTH];
        const int n = LENGTH, stride = 1;
        for (int i = 0; i < 2 * LENGTH; i++)
            expected += x[i] = (float)(i % 5);
        memcpy(&scasum, &symbol, sizeof scasum);
        wrong = symbol && scasum(&n, x, &stride) != expected;
    }
    if (wrong)
        printf("# %s: left out, the library itself adds wrongly here\n", target->notation);
    accord_record_clear(&record);
    return wrong;
}

static void ask_routine(const char *library, const accordi_routine *routine, accordi_rng *rng,
                        size_t count)
{
    char notation[4300];
    snprintf(notation, sizeof notation, "blas:%s%s%s", routine->name, library ? "@" : "",
             library ? library : "");
    for (size_t i = 0; i < count; i++) {
        question q;
        accord_target *target;
        accord_error error = {0};
        draw(rng, routine, &q);
        q.options.no_fork = library && strchr(library, '/') && i % 2;
        if (accord_target_open(notation, &q.options, &target, &error) != ACCORD_OK)
            fail_msg("%s %s: %s", notation, q.text, error.text);
        assert_int_equal(target->storage_f32, routine->storage != ACCORDI_F64);
        assert_int_equal(target->has_start, q.options.beta != 0);
        for (size_t turn = 0; turn < 3 && !adds_wrongly(target, routine); turn++) {
            agrees(target, routine, rng, &q);
            dense_agrees(target, routine, rng, &q);
            if (target->has_start) { /* factors may change, but whether there is a start */
                target->alpha = random_alpha(rng);
                target->beta = -(double)(1 + below(rng, 4));
            }
        }
        accord_target_close(target);
    }
}

static void test_libraries(void **state)
{
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t found = 0, narrow = 0;
    (void)state;
    for (size_t l = 0; l < library_count; l++) {
        const char *library = library_at(l), *name = library ? library : "libblas.so.3";
        bool here = has_routine(library, "sdot");
        printf("# %s: %s\n", name, here ? "asked" : "skipped, not on this machine");
        for (size_t r = 0; here && r < accordi_routine_count; r++) {
            const accordi_routine *routine = &accordi_routines[r];
            bool bf16 = routine->storage == ACCORDI_BF16, has = has_routine(library, routine->name);
            if (has)
                ask_routine(library, routine, &rng, trials(3));
            else if (!bf16)
                fail_msg("%s has no %s", name, routine->name);
            if (has && bf16)
                printf("# %s: asked in bf16: %s\n", name, routine->name);
            narrow += has && bf16;
        }
        found += here;
    }
    if (!narrow)
        printf("# bf16: skipped, no library here has a routine; ACCORD_TEST_BLAS may name one\n");
    if (!found)
        skip();
}

static void test_fortran_entries(void **state)
{
    char library[4200];
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    snprintf(library, sizeof library, "%s/tests/support/boxes/libf77blas.so", build_folder());
    (void)state;
    for (size_t r = 0; r < accordi_routine_count; r++)
        ask_routine(library, &accordi_routines[r], &rng, trials(25));
}

/* Products and sums of floats in double: no bit may be lost on the way to the answer. */
static void sums_in_double(const char *library, accordi_rng *rng)
{
    enum { terms = 20, probes = 50 };
    char notation[4300];
    float x[2][probes * terms];
    double result[probes];
    accord_target *target;
    accord_target_options options = {.n = terms};
    accord_batch batch = {.probes = probes, .dense = x[0], .dense_second = x[1]};
    snprintf(notation, sizeof notation, "blas:dsdot@%s", library);
    for (size_t i = 0; i < 2 * probes * terms; i++)
        x[i % 2][i / 2] = (float)accordi_rng_normal(rng);
    assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
    assert_int_equal(target->format, ACCORD_F32);
    assert_int_equal(target->output, ACCORD_F64);
    assert_int_equal(accord_target_run(target, &batch, result, NULL), ACCORD_OK);
    for (size_t p = 0; p < probes; p++) {
        double sum = 0;
        for (size_t k = 0; k < terms; k++)
            sum += (double)x[0][p * terms + k] * (double)x[1][p * terms + k];
        assert_true(result[p] == sum);
    }
    accord_target_close(target);
}

static void test_dsdot(void **state)
{
    char library[4200];
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    (void)state;
    snprintf(library, sizeof library, "%s/tests/support/boxes/libf77blas.so", build_folder());
    sums_in_double(library, &rng);
    if (has_routine("reference", "dsdot"))
        sums_in_double("reference", &rng);
}

/* Every element of a small product, each its own row and nothing else. */
static void test_every_element(void **state)
{
    char library[4200], notation[4300], element[32];
    snprintf(library, sizeof library, "%s/tests/support/boxes/libf77blas.so", build_folder());
    snprintf(notation, sizeof notation, "blas:dgemm@%s", library);
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            uint32_t start[3] = {0, 0, 1}, index[1] = {4};
            double value[1] = {100}, result;
            accord_target *target;
            accord_target_options options = {
                .n = 5, .shape = "3x4x5", .element = element, .no_fork = true};
            snprintf(element, sizeof element, "%d,%d", i, j);
            assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
            accord_batch batch = {
                .probes = 1, .fill = 2, .start = start, .index = index, .value = value};
            assert_int_equal(accord_target_run(target, &batch, &result, NULL), ACCORD_OK);
            assert_true(result == 108);
            accord_target_close(target);
        }
}

static void test_describe(void **state)
{
    char notation[4300];
    accord_record record;
    accord_target *target;
    accord_target_options options = {.n = 5, .shape = "3x4x5", .transpose = "tn", .ldc = 7};
    (void)state;
    accordi_record_init(&record);
    snprintf(notation, sizeof notation, "blas:sgemm@%s/tests/support/boxes/libf77blas.so",
             build_folder());
    assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
    assert_int_equal(accord_target_describe(target, &record, NULL), ACCORD_OK);
    assert_string_equal(record.shape, "3x4x5");
    assert_string_equal(record.element, "0,0");
    assert_string_equal(record.transpose, "TN");
    assert_string_equal(record.strides, "lda=3 ldb=4 ldc=7");
    assert_non_null(strstr(record.library_build, "entry sgemm_"));
    accord_target_close(target);
    accord_record_clear(&record);
    options = (accord_target_options){.n = 6, .shape = "3x4x5", .alpha = 2, .beta = -0.1};
    assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
    assert_int_equal(accord_target_describe(target, &record, NULL), ACCORD_OK);
    assert_true(record.alpha == 2 && record.beta == (double)-0.1f && record.n == 6);
    assert_true(target->alpha == 2 && target->beta == (double)-0.1f && target->has_start);
    assert_true(target->rows == 3 && target->columns == 4);
    accord_target_close(target);
    accord_record_clear(&record);
    snprintf(notation, sizeof notation, "blas:zdotc@%s/tests/support/boxes/libf77blas.so",
             build_folder());
    options = (accord_target_options){.n = 6, .element = "im"};
    assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
    assert_int_equal(accord_target_describe(target, &record, NULL), ACCORD_OK);
    assert_string_equal(record.element, "im");
    assert_true(record.alpha == 1 && record.beta == 0 && !record.shape);
    assert_int_equal(target->term, ACCORD_TERM_PRODUCT);
    accord_target_close(target);
    accord_record_clear(&record);
    if (!has_routine("openblas", "sdot"))
        return;
    options = (accord_target_options){.n = 5, .incx = -2};
    assert_int_equal(accord_target_open("blas:sdot@openblas", &options, &target, NULL), ACCORD_OK);
    assert_int_equal(accord_target_describe(target, &record, NULL), ACCORD_OK);
    assert_non_null(strstr(record.library_version, "OpenBLAS"));
    assert_non_null(strstr(record.library_build, "entry cblas_sdot; build id "));
    assert_non_null(strstr(record.library, "/libopenblas"));
    assert_string_equal(record.strides, "incx=-2 incy=1");
    assert_true(record.threads >= 1);
    accord_target_close(target);
    accord_record_clear(&record);
}

static void test_refuses(void **state)
{
    static const struct {
        const char *notation;
        accord_target_options options;
        enum accord_status status;
        const char *words;
    } rows[] = {
        {"blas:sdot", {.n = 4, .shape = "4x4"}, ACCORD_ARG, "no shape"},
        {"blas:sdot", {.n = 4, .lda = 4}, ACCORD_ARG, "no lda"},
        {"blas:sgbmv", {.n = 4, .shape = "3x4", .lda = 5}, ACCORD_ARG, "have 6 elements"},
        {"blas:sdot", {.n = 4, .element = "re"}, ACCORD_ARG, "no shape, element"},
        {"blas:sdot", {.n = 4, .alpha = 2}, ACCORD_ARG, "no alpha and beta"},
        {"blas:ddot", {.n = 4, .beta = 1}, ACCORD_ARG, "no alpha and beta"},
        {"blas:xsum", {.n = 4}, ACCORD_ARG, "did you mean sasum"},
        {"blas:quux", {.n = 4}, ACCORD_ARG, "choose one of sdot, ddot, "},
        {"blas:quux", {.n = 4}, ACCORD_ARG, ", gemm_bf16bf16f32"},
        {"blas:zdotu", {.n = 5}, ACCORD_ARG, "n = 5 is odd"},
        {"blas:scasum", {.n = 1}, ACCORD_ARG, "n = 1 is odd"},
        {"blas:zdotc", {.n = 4, .element = "0"}, ACCORD_ARG, "neither re nor im"},
        {"blas:zdotc", {.n = 4, .shape = "4x4"}, ACCORD_ARG, "no shape"},
        {"blas:dzasum", {.n = 4, .element = "re"}, ACCORD_ARG, "no shape, element"},
        {"blas:dasum", {.n = 4, .incx = -1}, ACCORD_ARG, "no negative strides"},
        {"blas:snrm2", {.n = 4, .incy = 1}, ACCORD_ARG, "no incy"},
        {"blas:sbgemm",
         {.n = 4, .has_format = true, .format = ACCORD_F32},
         ACCORD_UNSUPPORTED,
         "sbgemm adds bf16"},
        {"blas:sbgemm@libm.so.6", {.n = 4}, ACCORD_TARGET, "neither cblas_sbgemm nor sbgemm_"},
        {"blas:cdotu@libm.so.6", {.n = 4}, ACCORD_TARGET, "neither cblas_cdotu_sub nor cdotu_"},
        {"blas:sdot", {.n = 4, .has_alpha = true}, ACCORD_ARG, "no alpha and beta"},
        {"blas:sgemv", {.n = 4, .alpha = 1e-300}, ACCORD_ARG, "does not round to 0"},
        {"blas:sgemv", {.n = 4, .alpha = NAN}, ACCORD_ARG, "alpha = nan"},
        {"blas:sgemv", {.n = 4, .alpha = 1e300}, ACCORD_ARG, "alpha = 1e+300"},
        {"blas:sgemv", {.n = 4, .beta = INFINITY}, ACCORD_ARG, "beta = inf"},
        {"blas:sgemv", {.n = 4, .beta = 1e-300}, ACCORD_ARG, "beta = 1e-300"},
        {"blas:dgemv", {.n = 1, .beta = 1}, ACCORD_ARG, "give n = 2 or more"},
        {"blas:dgemm", {.n = 5, .beta = 1, .shape = "2x3x5"}, ACCORD_ARG, "n must be 6"},
        {"blas:sdot", {.n = 4, .signature = "dot"}, ACCORD_ARG, "signature"},
        {"blas:sdot", {.n = 4, .incx = INT64_MIN}, ACCORD_ARG, "incx"},
        {"blas:sdot", {.n = (size_t)1 << 31}, ACCORD_ARG, "2147483647 terms"},
        {"blas:sdot",
         {.n = 4, .has_format = true, .format = ACCORD_F64},
         ACCORD_UNSUPPORTED,
         "sdot adds f32"},
        {"blas:ddot", {.n = 4, .alignment = 4}, ACCORD_ARG, "alignment"},
        {"blas:sgemv", {.n = 4, .shape = "4x4x4"}, ACCORD_ARG, "MxK"},
        {"blas:sgemv", {.n = 4, .shape = "4x5"}, ACCORD_ARG, "adds 5 terms but n is 4"},
        {"blas:sgemv", {.n = 4, .element = "4"}, ACCORD_ARG, "outside"},
        {"blas:sgemv", {.n = 4, .transpose = "NN"}, ACCORD_ARG, "N or T"},
        {"blas:sgemm", {.n = 4, .shape = "4x4"}, ACCORD_ARG, "MxNxK"},
        {"blas:sgemm", {.n = 4, .shape = "0x4x4"}, ACCORD_ARG, "MxNxK"},
        {"blas:sgemm", {.n = 4, .shape = "99999999999x4x4"}, ACCORD_NOMEM, "GiB"},
        {"blas:sgemm", {.n = 4, .shape = "2x3x4", .element = "2,0"}, ACCORD_ARG, "outside"},
        {"blas:sgemm", {.n = 4, .shape = "2x3x4", .element = "1,3"}, ACCORD_ARG, "outside"},
        {"blas:sgemm", {.n = 4, .element = "-1,0"}, ACCORD_ARG, "is not i,j"},
        {"blas:sgemm", {.n = 4, .transpose = "C"}, ACCORD_ARG, "NN, NT, TN, TT"},
        {"blas:sgemm", {.n = 4, .shape = "2x3x4", .lda = 3}, ACCORD_ARG, "too small"},
        {"blas:sgemm", {.n = 4, .ldb = -4}, ACCORD_ARG, "too small"},
        {"blas:sgemm", {.n = 4, .incx = 1}, ACCORD_ARG, "no incx"},
        {"blas:dgemm", {.n = 2000000}, ACCORD_ARG, "smaller --shape"},
        {"blas:sdot@libm.so.6", {.n = 4}, ACCORD_TARGET, "neither cblas_sdot nor sdot_"},
        {"blas:sdot@/nowhere.so", {.n = 4}, ACCORD_TARGET, "No such file"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        accord_target *target = NULL;
        accord_error error = {0};
        accord_target_options options = rows[i].options;
        if (options.n == 2000000 && !has_routine(NULL, "sdot"))
            continue;
        enum accord_status status = accord_target_open(rows[i].notation, &options, &target, &error);
        if (status != rows[i].status || !strstr(error.text, rows[i].words) || target)
            fail_msg("%s, row %zu: expected '%s', got %s: %s", rows[i].notation, i, rows[i].words,
                     accord_status_name(status), error.text);
    }
}

/* What the machine's libraries are known to do wrong must be said, not survived by luck. */
static void test_dying_library(void **state)
{
    accord_target *target;
    accord_error error = {0};
    accord_target_options options = {.n = 4};
    (void)state;
    if (!has_routine("blis", "sdot"))
        skip();
    setenv("BLIS_ARCH_TYPE", "99", 1);
    enum accord_status status = accord_target_open("blas:sgemm@blis", &options, &target, &error);
    uint32_t start[3] = {0};
    double result;
    if (status == ACCORD_OK) {
        status = accord_target_run(target, &(accord_batch){.probes = 1, .fill = 1, .start = start},
                                   &result, &error);
        accord_target_close(target);
    }
    unsetenv("BLIS_ARCH_TYPE");
    assert_int_equal(status, ACCORD_TARGET);
    assert_true(strstr(error.text, "signal") || strstr(error.text, "status"));
}

static accord_target *open_scaled(const char *notation, const accord_target_options *options)
{
    accord_target *target = NULL;
    accord_error error;
    if (accord_target_open(notation, options, &target, &error) != ACCORD_OK)
        fail_msg("%s: %s", notation, error.text);
    return target;
}

static enum accord_reason reason_of(accord_target *target)
{
    accord_record record;
    accord_error error;
    accordi_record_init(&record);
    assert_int_equal(accord_reveal(target, NULL, &record, &error), ACCORD_UNABLE);
    assert_non_null(strstr(error.text, "with alpha = 0 the result does not depend on the terms"));
    assert_non_null(strstr(record.verdict, error.text));
    assert_true(!record.tree && !record.proven && record.alpha == 0);
    accord_record_clear(&record);
    return error.reason;
}

/* An alpha of 0 that is meant is asked for, and gives no order; a zeroed struct means 1. */
static void test_alpha_of_zero(void **state)
{
    char notation[4300];
    const uint32_t start[3] = {0};
    const accord_batch ones = {.probes = 1, .fill = 1, .start = start};
    double result = 42;
    accord_target_options options = {.n = 4};
    (void)state;
    snprintf(notation, sizeof notation, "blas:sgemv@%s/tests/support/boxes/libf77blas.so",
             build_folder());
    accord_target *target = open_scaled(notation, &options);
    assert_true(target->alpha == 1);
    accord_target_close(target);
    accord_target_options_init(&options);
    options.n = 4;
    target = open_scaled(notation, &options);
    assert_true(target->alpha == 1);
    accord_target_close(target);
    options.alpha = 0;
    target = open_scaled(notation, &options);
    assert_int_equal(accord_target_run(target, &ones, &result, NULL), ACCORD_OK);
    assert_true(target->alpha == 0 && result == 0);
    assert_int_equal(reason_of(target), ACCORD_REASON_CONSTANT);
    accord_target_close(target);
    options.beta = 3;
    target = open_scaled(notation, &options);
    assert_int_equal(accord_target_run(target, &ones, &result, NULL), ACCORD_OK);
    assert_true(result == 3);
    assert_int_equal(reason_of(target), ACCORD_REASON_ONE_TERM);
    accord_target_close(target);
}

/* Whether or not this machine had the memory for it. */
static void test_leading_dimension_of_a_band(void **state)
{
    static accordi_question asked;
    accord_error error;
    accord_target_options options = {.n = 2, .shape = "2147483647x2", .transpose = "T"};
    (void)state;
    assert_int_equal(accordi_blas_question("sgbmv", NULL, &options, &asked, &error), ACCORD_ARG);
    assert_non_null(strstr(error.text, "lda = 2147483648 is larger than a BLAS accepts"));
    options.shape = "2147483646x2";
    assert_int_equal(accordi_blas_question("sgbmv", NULL, &options, &asked, &error), ACCORD_OK);
    assert_int_equal(asked.lda, 2147483647);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_fortran_entries),
        cmocka_unit_test(test_every_element),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_dying_library),
        cmocka_unit_test(test_libraries),
        cmocka_unit_test(test_alpha_of_zero),
        cmocka_unit_test(test_dsdot),
        cmocka_unit_test(test_leading_dimension_of_a_band),
    };
    return cmocka_run_group_tests_name("blas", tests, NULL, NULL);
}
