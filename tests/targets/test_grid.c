/* Grids: all results of GEMV, GEMM and sums along an axis at once, against a second
 * implementation in whole numbers, so that every order gives the same. Batches before and after
 * them must not notice. */
#include "batches.h"
#include "questions.h"
#include "trials.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- operands ---- */

/* Numbers as the caller sees them, and the same as the target wants them. */
typedef struct operands {
    size_t rows, columns, inner;
    double *a, *b, *c, *result; /* c and result: rows x columns */
    void *memory;
    accord_grid grid;
} operands;

static void *narrow(void *to, const double *from, size_t count, bool f32)
{
    for (size_t i = 0; i < count; i++)
        if (f32)
            ((float *)to)[i] = (float)from[i];
        else
            ((double *)to)[i] = from[i];
    return to;
}

static size_t round_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

/* In the arena, the result too, or in memory of our own; b and c are sometimes left out. */
static operands operands_new(accord_target *target, accordi_rng *rng)
{
    operands o = {.rows = target->rows, .columns = target->columns};
    o.inner = target->n - target->has_start;
    size_t a = o.rows * o.inner, b = o.columns * o.inner, c = o.rows * o.columns;
    size_t size = target->storage_f32 ? 4 : 8, at_b = round_up(a * size),
           at_c = at_b + round_up(b * size), at_result = at_c + round_up(c * size),
           bytes = at_result + c * sizeof(double);
    bool far = below(rng, 2) && target->kind->arena, has_b = below(rng, 3), has_c = below(rng, 3);
    o.a = accordi_calloc(a + b + c, sizeof(double));
    o.b = o.a + a;
    o.c = o.b + b;
    for (size_t i = 0; i < a + b + c; i++)
        o.a[i] = (double)(below(rng, 13) - 6);
    has_b &= target->term == ACCORD_TERM_PRODUCT;
    for (size_t i = 0; i < b && !has_b; i++)
        o.b[i] = 1;
    for (size_t i = 0; i < c && !has_c; i++)
        o.c[i] = 0;
    o.memory = accordi_calloc(bytes, 1);
    char *arena = far ? target->kind->arena(target, bytes) : NULL;
    char *base = arena ? arena : o.memory;
    o.grid.a = narrow(base, o.a, a, target->storage_f32);
    o.grid.b = has_b ? narrow(base + at_b, o.b, b, target->storage_f32) : NULL;
    o.grid.c = has_c ? narrow(base + at_c, o.c, c, target->storage_f32) : NULL;
    o.result = (double *)(void *)(base + at_result);
    return o;
}

static void operands_free(operands *o)
{
    free(o->a);
    free(o->memory);
}

static double expected(const operands *o, const accord_target *target, size_t r, size_t c)
{
    long double sum = 0;
    for (size_t k = 0; k < o->inner; k++)
        sum += (long double)o->a[r * o->inner + k] * (long double)o->b[c * o->inner + k];
    sum *= (long double)target->alpha;
    if (target->has_start)
        sum += (long double)target->beta * (long double)o->c[r * o->columns + c];
    return (double)sum;
}

static void grid_agrees(accord_target *target, accordi_rng *rng, const char *text)
{
    operands o = operands_new(target, rng);
    accord_error error = {0};
    uint64_t calls = target->calls;
    if (accord_target_run_grid(target, &o.grid, o.result, &error) != ACCORD_OK)
        fail_msg("%s %s: %s", target->notation, text, error.text);
    assert_true(target->calls == calls + 1);
    for (size_t r = 0; r < o.rows; r++)
        for (size_t c = 0; c < o.columns; c++)
            if (o.result[r * o.columns + c] != expected(&o, target, r, c))
                fail_msg("%s %s%s%s: (%zu, %zu) is %.17g, not %g", target->notation, text,
                         o.grid.b ? "" : " without b", o.grid.c ? "" : " without c", r, c,
                         o.result[r * o.columns + c], expected(&o, target, r, c));
    operands_free(&o);
}

/* A batch sees its own terms and ones everywhere else. */
static void batch_agrees(accord_target *target, accordi_rng *rng, const char *text)
{
    enum { probes = 7 };
    random_batch r = random_batch_new(rng, target->n, probes);
    double result[probes], *x = accordi_alloc(target->n, sizeof *x);
    size_t inner = target->n - target->has_start;
    accord_error error = {0};
    r.batch.second = target->term == ACCORD_TERM_PRODUCT ? (double)below(rng, 3) : 0;
    double factor = target->alpha * (r.batch.second != 0 ? r.batch.second : 1);
    if (accord_target_run(target, &r.batch, result, &error) != ACCORD_OK)
        fail_msg("%s %s: %s", target->notation, text, error.text);
    for (size_t p = 0; p < probes; p++) {
        expected_terms(&r.batch, target->n, p, x);
        double sum = target->has_start ? target->beta * x[inner] : 0;
        for (size_t k = 0; k < inner; k++)
            sum += factor * x[k];
        if (result[p] != sum)
            fail_msg("%s %s: probe %zu between grids is %.17g, not %g", target->notation, text, p,
                     result[p], sum);
    }
    random_batch_free(&r);
    free(x);
}

static void ask(accord_target *target, accordi_rng *rng, const char *text)
{
    for (size_t turn = 0; turn < 3; turn++) {
        grid_agrees(target, rng, text);
        if (turn)
            grid_agrees(target, rng, text);
        batch_agrees(target, rng, text);
        if (target->has_start) {
            target->alpha = random_alpha(rng);
            target->beta = (double)(1 + below(rng, 4));
        }
    }
}

/* ---- BLAS ---- */

static void ask_routine(const char *library, const accordi_routine *routine, accordi_rng *rng,
                        size_t count)
{
    char notation[4400];
    snprintf(notation, sizeof notation, "blas:%s%s%s", routine->name, library ? "@" : "",
             library ? library : "");
    for (size_t i = 0; i < count; i++) {
        question q;
        accord_target *target;
        accord_error error = {0};
        draw(rng, routine, &q);
        q.options.no_fork = i % 4 == 3;
        if (accord_target_open(notation, &q.options, &target, &error) != ACCORD_OK)
            fail_msg("%s %s: %s", notation, q.text, error.text);
        ask(target, rng, q.text);
        accord_target_close(target);
    }
}

/* Whatever of the table the library has, and how often each. */
static size_t ask_library(const char *library, accordi_rng *rng, size_t count)
{
    size_t asked = 0;
    for (size_t r = 0; r < accordi_routine_count; r++)
        if (accordi_family_is_grid(accordi_routines[r].family) &&
            has_routine(library, accordi_routines[r].name)) {
            ask_routine(library, &accordi_routines[r], rng, count);
            asked++;
        }
    printf("# %s: %zu routines asked\n", library ? library : "libblas.so.3", asked);
    return asked;
}

static void test_libraries(void **state)
{
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t asked = 0;
    (void)state;
    for (size_t l = 0; l < library_count; l++)
        asked += ask_library(library_at(l), &rng, trials(8));
    if (!asked)
        skip();
}

static void test_fortran_entries(void **state)
{
    char library[4200];
    accordi_rng rng;
    size_t grids = 0;
    accordi_rng_init(&rng, trials_seed());
    (void)state;
    for (size_t r = 0; r < accordi_routine_count; r++)
        grids += accordi_family_is_grid(accordi_routines[r].family);
    snprintf(library, sizeof library, "%s/tests/support/boxes/libf77blas.so", build_folder());
    assert_int_equal(ask_library(library, &rng, trials(20)), grids);
}

/* Sizes past the tiles in which operands are copied. */
static void test_large(void **state)
{
    static const char *const shapes[] = {"65x47x129", "16x16x16", "100x3x33"};
    char library[4200], notation[4300];
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    (void)state;
    snprintf(library, sizeof library, "%s/tests/support/boxes/libf77blas.so", build_folder());
    for (size_t i = 0; i < 3; i++)
        for (size_t t = 0; t < 4; t++) {
            accord_target *target;
            accord_target_options options;
            accord_target_options_init(&options);
            options.n = i == 0 ? 129 : i == 1 ? 16 : 33;
            options.shape = shapes[i];
            options.transpose = (const char *[]){"NN", "NT", "TN", "TT"}[t];
            snprintf(notation, sizeof notation, "blas:%s@%s", t % 2 ? "sgemm" : "dgemm", library);
            assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
            ask(target, &rng, shapes[i]);
            accord_target_close(target);
        }
}

/* Before each probe all of C is what it was before the first one. */
static void test_start_values(void **state)
{
    char library[4200];
    accordi_question q;
    accordi_facts facts;
    accordi_foreign foreign;
    accord_target_options options = {
        .n = 4, .shape = "2x3x3", .element = "1,1", .alpha = 2, .beta = 3};
    accord_batch batch = {.probes = 5, .fill = 1, .start = (uint32_t[11]){0}};
    double result[5], seconds;
    (void)state;
    snprintf(library, sizeof library, "%s/tests/support/boxes/libf77blas.so", build_folder());
    assert_int_equal(accordi_blas_question("sgemm", library, &options, &q, NULL), ACCORD_OK);
    assert_int_equal(accordi_foreign_open(&foreign, &q, &facts, NULL), ACCORD_OK);
    assert_int_equal(accordi_foreign_run(&foreign, &batch, result, NULL, &seconds, NULL),
                     ACCORD_OK);
    for (size_t i = 0; i < 6; i++)
        assert_true(((float *)foreign.c)[i] == 2 * 3 + 3 && result[i % 5] == 9);
    accordi_foreign_close(&foreign);
}

/* ---- shared objects, callbacks ---- */

static void test_axes(void **state)
{
    static const struct {
        const char *symbol, *signature;
        enum accord_format format;
    } rows[] = {{"rows_float", "rows", ACCORD_F32},
                {"rows_double", "rows", ACCORD_F64},
                {"columns_float", "columns", ACCORD_F32},
                {"columns_double", "columns", ACCORD_F64}};
    char notation[4300], shape[64], element[32];
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    (void)state;
    for (size_t i = 0; i < trials(40); i++) {
        size_t r = i % 4, m = 1 + (size_t)below(&rng, 40), k = 1 + (size_t)below(&rng, 40);
        accord_target *target;
        accord_error error = {0};
        accord_target_options options = {.n = k,
                                         .shape = shape,
                                         .element = element,
                                         .signature = rows[r].signature,
                                         .has_format = true,
                                         .format = rows[r].format,
                                         .no_fork = i % 3 == 0};
        snprintf(shape, sizeof shape, "%zux%zu", m, k);
        snprintf(element, sizeof element, "%zu", (size_t)below(&rng, (int64_t)m));
        snprintf(notation, sizeof notation, "so:%s/tests/support/boxes/libsums.so:%s",
                 build_folder(), rows[r].symbol);
        if (accord_target_open(notation, &options, &target, &error) != ACCORD_OK)
            fail_msg("%s: %s", notation, error.text);
        assert_true(target->rows == m && target->columns == 1);
        assert_int_equal(target->term, ACCORD_TERM_VALUE);
        ask(target, &rng, shape);
        accord_target_close(target);
    }
}

static double value(const void *x, bool f32, size_t i)
{
    return f32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void multiply(void *context, const accord_grid *grid, double *results)
{
    const accord_grid_callback *g = context;
    for (size_t r = 0; r < g->rows; r++)
        for (size_t c = 0; c < g->columns; c++) {
            double sum = 0;
            for (size_t k = 0; k < g->n; k++)
                sum += value(grid->a, g->is_f32, r * g->n + k) *
                       value(grid->b, g->is_f32, c * g->n + k);
            results[r * g->columns + c] = sum;
        }
}

static void test_callback(void **state)
{
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    (void)state;
    for (size_t i = 0; i < trials(40); i++) {
        accord_target *target;
        accord_grid_callback g = {.call = multiply, .is_f32 = i % 2, .term = ACCORD_TERM_PRODUCT};
        g.rows = 1 + (size_t)below(&rng, 9);
        g.columns = 1 + (size_t)below(&rng, 9);
        g.n = 1 + (size_t)below(&rng, 30);
        g.row = (size_t)below(&rng, (int64_t)g.rows);
        g.column = (size_t)below(&rng, (int64_t)g.columns);
        g.context = &g;
        assert_int_equal(accord_target_from_grid(&g, &target, NULL), ACCORD_OK);
        ask(target, &rng, "");
        accord_target_close(target);
    }
}

/* ---- what goes wrong ---- */

static void test_one_result(void **state)
{
    char notation[4300];
    double result = 42, x[4] = {0};
    accord_target *target;
    accord_error error = {0};
    (void)state;
    snprintf(notation, sizeof notation, "so:%s/tests/support/boxes/libsums.so:sum_float",
             build_folder());
    assert_int_equal(accord_target_open(notation, &(accord_target_options){.n = 4}, &target, NULL),
                     ACCORD_OK);
    accord_grid grid = {.a = x};
    assert_null(target->kind->run_grid);
    assert_true(target->rows == 1 && target->columns == 1);
    assert_int_equal(accord_target_run_grid(target, &grid, &result, &error), ACCORD_UNSUPPORTED);
    assert_non_null(strstr(error.text, "one result"));
    assert_true(result == 42 && target->calls == 0);
    accord_target_close(target);
}

/* Elements that a routine forgets are NaN. */
static void test_forgotten(void **state)
{
    char notation[4300];
    float x[12];
    double result[3] = {0};
    accord_target *target;
    accord_target_options options = {.n = 4, .shape = "3x4", .signature = "rows"};
    (void)state;
    snprintf(notation, sizeof notation, "so:%s/tests/support/boxes/libsums.so:rows_but_last",
             build_folder());
    assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
    for (size_t i = 0; i < 12; i++)
        x[i] = (float)(i / 4);
    assert_int_equal(accord_target_run_grid(target, &(accord_grid){.a = x}, result, NULL),
                     ACCORD_OK);
    assert_true(result[0] == 0 && result[1] == 4 && isnan(result[2]));
    accord_target_close(target);
    options.element = "2";
    assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
    accord_batch batch = {.probes = 2, .fill = 1, .start = (uint32_t[5]){0}};
    assert_int_equal(accord_target_run(target, &batch, result, NULL), ACCORD_OK);
    assert_true(isnan(result[0]) && isnan(result[1]));
    accord_target_close(target);
}

static void test_crash(void **state)
{
    char notation[4300];
    float x[4] = {7};
    double result = 42;
    accord_target *target;
    accord_error error = {0};
    accord_target_options options = {.n = 4, .shape = "1x4", .signature = "rows"};
    (void)state;
    snprintf(notation, sizeof notation, "so:%s/tests/support/boxes/libsums.so:rows_abort",
             build_folder());
    assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(accord_target_run_grid(target, &(accord_grid){.a = x}, &result, &error),
                         ACCORD_TARGET);
        assert_non_null(strstr(error.text, "signal 6"));
    }
    assert_true(result == 42 && target->calls == 0);
    accord_target_close(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fortran_entries),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_callback),
        cmocka_unit_test(test_start_values),
        cmocka_unit_test(test_one_result),
        cmocka_unit_test(test_forgotten),
        cmocka_unit_test(test_crash),
        cmocka_unit_test(test_libraries),
    };
    setenv("ASAN_OPTIONS", "handle_abort=0", 0);
    return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
