/* Every routine of every BLAS that is here: random shapes, elements, transpositions and strides,
 * random sparse probes whose sums are whole numbers, so that every order gives the same. A
 * library of our own has Fortran entries only. */
#include "batches.h"
#include "target/foreign.h"
#include "trials.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const libraries[] = {
    NULL,           "openblas-pthread", "openblas-serial", "openblas-openmp",
    "blis-pthread", "blis-serial",      "atlas",           "reference",
    "gsl",
};

/* Options with the texts they point to. */
typedef struct question {
    accord_target_options options;
    char shape[64], element[48], transpose[4];
} question;

static int64_t below(accordi_rng *rng, int64_t bound)
{
    return (int64_t)accordi_rng_below(rng, (uint64_t)bound);
}

static int64_t random_stride(accordi_rng *rng)
{
    int64_t stride = below(rng, 7) - 3; /* 0 is the default */
    return stride;
}

static void draw(accordi_rng *rng, enum accordi_family family, question *q)
{
    int64_t k = 1 + below(rng, 70), m = 1 + below(rng, 12), n = 1 + below(rng, 12);
    accord_target_options *o = &q->options;
    memset(q, 0, sizeof *q);
    o->n = (size_t)k;
    o->alignment = 8 * below(rng, 8);
    for (size_t i = 0; i < 2; i++)
        q->transpose[i] = "NT"[below(rng, 2)];
    bool at = q->transpose[0] == 'T', bt = q->transpose[1] == 'T';
    if (family == ACCORDI_DOT || family == ACCORDI_GEMV) {
        o->incx = random_stride(rng);
        o->incy = random_stride(rng);
    }
    if (family == ACCORDI_DOT)
        return;
    if (family == ACCORDI_GEMV) {
        q->transpose[1] = '\0';
        snprintf(q->shape, sizeof q->shape, "%dx%d", (int)m, (int)k);
        snprintf(q->element, sizeof q->element, "%d", (int)below(rng, m));
    } else {
        snprintf(q->shape, sizeof q->shape, "%dx%dx%d", (int)m, (int)n, (int)k);
        snprintf(q->element, sizeof q->element, "%d,%d", (int)below(rng, m), (int)below(rng, n));
        o->ldb = below(rng, 2) ? 0 : (bt ? k : n) + below(rng, 5);
        o->ldc = below(rng, 2) ? 0 : n + below(rng, 5);
    }
    o->lda = below(rng, 2) ? 0 : (at ? m : k) + below(rng, 5);
    o->shape = q->shape;
    o->element = q->element;
    o->transpose = q->transpose;
}

static void agrees(accord_target *target, accordi_rng *rng, const question *q)
{
    size_t probes = 30;
    random_batch r = random_batch_new(rng, target->n, probes);
    double result[30];
    accord_error error = {0};
    if (accord_target_run(target, &r.batch, result, &error) != ACCORD_OK)
        fail_msg("%s: %s", target->notation, error.text);
    for (size_t p = 0; p < probes; p++)
        if (result[p] != r.expected[p])
            fail_msg("%s n=%zu shape %s element %s transpose %s strides %d %d %d %d %d: probe %zu "
                     "gives %g, not %g",
                     target->notation, target->n, q->shape, q->element, q->transpose,
                     (int)q->options.incx, (int)q->options.incy, (int)q->options.lda,
                     (int)q->options.ldb, (int)q->options.ldc, p, result[p], r.expected[p]);
    random_batch_free(&r);
}

static void dense_agrees(accord_target *target, accordi_rng *rng)
{
    size_t size = target->storage_f32 ? 4 : 8;
    double sum = 0, result;
    void *x = target->kind->arena(target, target->n * size);
    assert_non_null(x);
    for (size_t k = 0; k < target->n; k++) {
        double value = (double)below(rng, 9);
        sum += value;
        if (target->storage_f32)
            ((float *)x)[k] = (float)value;
        else
            ((double *)x)[k] = value;
    }
    assert_int_equal(
        accord_target_run(target, &(accord_batch){.probes = 1, .dense = x}, &result, NULL),
        ACCORD_OK);
    assert_true(result == sum);
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
        draw(rng, routine->family, &q);
        if (accord_target_open(notation, &q.options, &target, &error) != ACCORD_OK)
            fail_msg("%s: %s", notation, error.text);
        assert_int_equal(target->storage_f32, routine->storage != ACCORDI_F64);
        agrees(target, rng, &q);
        dense_agrees(target, rng);
        agrees(target, rng, &q);
        accord_target_close(target);
    }
}

static bool is_here(const char *library)
{
    char notation[64];
    accord_target *target;
    accord_target_options options = {.n = 2};
    snprintf(notation, sizeof notation, "blas:sdot%s%s", library ? "@" : "",
             library ? library : "");
    if (accord_target_open(notation, &options, &target, NULL) != ACCORD_OK)
        return false;
    accord_target_close(target);
    return true;
}

static void test_libraries(void **state)
{
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t found = 0;
    (void)state;
    for (size_t l = 0; l < sizeof libraries / sizeof libraries[0]; l++) {
        const char *name = libraries[l] ? libraries[l] : "libblas.so.3";
        bool here = is_here(libraries[l]);
        printf("# %s: %s\n", name, here ? "asked" : "skipped, not on this machine");
        for (size_t r = 0; here && r < accordi_routine_count; r++)
            ask_routine(libraries[l], &accordi_routines[r], &rng, trials(4));
        found += here;
    }
    if (!found)
        skip();
}

static void test_fortran_entries(void **state)
{
    char library[4200];
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    snprintf(library, sizeof library, "%s/tests/targets/libf77blas.so", build_folder());
    (void)state;
    for (size_t r = 0; r < accordi_routine_count; r++)
        ask_routine(library, &accordi_routines[r], &rng, trials(25));
}

/* Every element of a small product, each its own row and nothing else. */
static void test_every_element(void **state)
{
    char library[4200], notation[4300], element[32];
    snprintf(library, sizeof library, "%s/tests/targets/libf77blas.so", build_folder());
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
            accord_batch batch = {1, 2, start, index, value, NULL, 0, NULL};
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
    accord_record_init(&record);
    snprintf(notation, sizeof notation, "blas:sgemm@%s/tests/targets/libf77blas.so",
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
    if (!is_here("openblas"))
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
        {"blas:sdot", {.n = 4, .signature = "dot"}, ACCORD_ARG, "signature"},
        {"blas:sdot", {.n = 4, .incx = INT64_MIN}, ACCORD_ARG, "incx"},
        {"blas:sdot", {.n = (size_t)1 << 31}, ACCORD_ARG, "at most"},
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
        {"blas:sgemm", {.n = 4, .shape = "99999999999x4x4"}, ACCORD_ARG, "MxNxK"},
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
        if (options.n == 2000000 && !is_here(NULL))
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
    if (!is_here("blis"))
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuses),       cmocka_unit_test(test_fortran_entries),
        cmocka_unit_test(test_every_element), cmocka_unit_test(test_describe),
        cmocka_unit_test(test_dying_library), cmocka_unit_test(test_libraries),
    };
    return cmocka_run_group_tests_name("blas", tests, NULL, NULL);
}
