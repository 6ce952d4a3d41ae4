/* C emitted for OpenBLAS has its bits. */
#include "map/map.h"
#include "record/record.h"
#include "trials.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "emitted.h"

static accordi_rng rng;

enum { INPUTS = 10000, ROWS = 7, COLUMNS = 13, INNER = 24, TERMS = 40 };

typedef float dot_f32(const float *x, const float *y);
typedef float cblas_dot_f32(int n, const float *x, int incx, const float *y, int incy);
typedef void gemm_f32(const float *a, size_t lda, const float *b, size_t ldb, float *c, size_t ldc);
typedef void cblas_gemm_f32(int layout, int ta, int tb, int m, int n, int k, float alpha,
                            const float *a, int lda, const float *b, int ldb, float beta, float *c,
                            int ldc);

/* A target of OpenBLAS in this process; NULL where there is none. */
static accord_target *opened(const char *notation, const char *shape)
{
    accord_target_options options;
    accord_target *target;
    accord_error error;
    accord_target_options_init(&options);
    options.n = shape ? INNER : TERMS;
    options.shape = shape;
    options.no_fork = true;
    enum accord_status status = accord_target_open(notation, &options, &target, &error);
    if (status == ACCORD_OK)
        return target;
    print_message("# %s\n", error.text);
    return NULL;
}

static void *routine(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL), *found;
    assert_non_null(handle);
    found = dlsym(handle, name);
    assert_non_null(found);
    return found;
}

/* Of many sizes, with zeros and cancellations. */
static void draw(float *x, size_t count, size_t kind)
{
    for (size_t i = 0; i < count; i++) {
        double z = accordi_rng_normal(&rng);
        int e = kind == 1   ? (int)accordi_rng_below(&rng, 40) - 20
                : kind == 2 ? -(int)accordi_rng_below(&rng, 90)
                            : 0;
        x[i] = kind == 3 && accordi_rng_below(&rng, 4) == 0 ? 0.0f : (float)ldexp(z, e);
        if (kind == 4 && i > 0 && accordi_rng_below(&rng, 2))
            x[i] = -x[i - 1];
    }
}

static void compare_dots(dot_f32 *emitted, cblas_dot_f32 *real, const char *compiler)
{
    for (size_t i = 0; i < INPUTS; i++) {
        float x[TERMS], y[TERMS];
        draw(x, TERMS, i % 5);
        draw(y, TERMS, i / 5 % 4);
        float got = emitted(x, y), wanted = real(TERMS, x, 1, y, 1);
        if (memcmp(&got, &wanted, sizeof got) != 0)
            fail_msg("%s, input %zu: %a, OpenBLAS %a", compiler, i, (double)got, (double)wanted);
    }
}

static void sdot_has_its_bits(void **state)
{
    (void)state;
    accord_error error;
    accord_record record;
    accordi_buffer text = {0};
    accord_target *target = opened("blas:sdot@openblas", NULL);
    if (!target)
        return;
    accordi_record_init(&record);
    assert_int_equal(accord_reveal(target, NULL, &record, &error), ACCORD_OK);
    assert_non_null(record.arithmetic);
    const accord_model model = {record.tree, record.arithmetic};
    assert_int_equal(accord_model_emit_c(&model, "sdot", emitted_text, &text, &error), ACCORD_OK);
    cblas_dot_f32 *real = (cblas_dot_f32 *)routine(record.library, "cblas_sdot");
    for (size_t c = 0; c < EMITTED_COMPILERS; c++) {
        void *handle = emitted_compile(&text, c);
        if (handle)
            compare_dots((dot_f32 *)dlsym(handle, "sdot"), real, emitted_compilers[c]);
    }
    accordi_buffer_clear(&text);
    accord_record_clear(&record);
    accord_target_close(target);
}

static void compare_products(gemm_f32 *emitted, cblas_gemm_f32 *real, const char *compiler)
{
    enum { ROW_MAJOR = 101, PLAIN = 111 };
    for (size_t i = 0; i < INPUTS; i++) {
        float a[ROWS * INNER], b[INNER * COLUMNS], got[ROWS * COLUMNS], wanted[ROWS * COLUMNS];
        draw(a, ROWS * INNER, i % 5);
        draw(b, INNER * COLUMNS, i / 5 % 4);
        emitted(a, INNER, b, COLUMNS, got, COLUMNS);
        real(ROW_MAJOR, PLAIN, PLAIN, ROWS, COLUMNS, INNER, 1, a, INNER, b, COLUMNS, 0, wanted,
             COLUMNS);
        for (size_t k = 0; k < ROWS * COLUMNS; k++)
            if (memcmp(&got[k], &wanted[k], sizeof *got) != 0)
                fail_msg("%s, input %zu, element %zu: %a, OpenBLAS %a", compiler, i, k,
                         (double)got[k], (double)wanted[k]);
    }
}

static void sgemm_has_its_bits(void **state)
{
    (void)state;
    accord_error error;
    accord_record question;
    accord_map map;
    accordi_buffer text = {0};
    accord_target *target = opened("blas:sgemm@openblas", "7x13x24");
    if (!target)
        return;
    accordi_map_init(&map);
    accordi_record_init(&question);
    assert_int_equal(accord_target_describe(target, &question, &error), ACCORD_OK);
    assert_int_equal(accord_map_reveal(target, NULL, &map, &error), ACCORD_OK);
    assert_int_equal(accord_map_emit_c(&map, "sgemm", emitted_text, &text, &error), ACCORD_OK);
    cblas_gemm_f32 *real = (cblas_gemm_f32 *)routine(question.library, "cblas_sgemm");
    for (size_t c = 0; c < EMITTED_COMPILERS; c++) {
        void *handle = emitted_compile(&text, c);
        if (handle)
            compare_products((gemm_f32 *)dlsym(handle, "sgemm"), real, emitted_compilers[c]);
    }
    accordi_buffer_clear(&text);
    accord_map_clear(&map);
    accord_record_clear(&question);
    accord_target_close(target);
}

static int start(void **state)
{
    /* Its kernels of the time; this machine's CPU may be newer than it knows. */
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    accordi_rng_init(&rng, trials_seed());
    return emitted_make_folder(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sdot_has_its_bits),
        cmocka_unit_test(sgemm_has_its_bits),
    };
    return cmocka_run_group_tests(tests, start, emitted_remove_folder);
}
