/* Sums of absolute values and norms of real libraries: what is revealed replays bit for bit on
 * random inputs, in a second implementation; what is refused has a reason. Libraries that are not
 * on the machine are skipped by name. OpenBLAS is asked under OPENBLAS_CORETYPE=Haswell where the
 * machine has AVX2 and FMA. */
#include "positive_sums.h"
#include "reveal/nonnegative/nonnegative.h"
#include "trials.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { INPUTS = 1000, SIZES = 70 };

static const char *const libraries[] = {"openblas", "blis", "atlas", "reference", "gsl"};

static const struct {
    const char *name;
    bool is_f32, is_complex, norm;
} routines[] = {
    {"sasum", true, false, false},  {"dasum", false, false, false}, {"scasum", true, true, false},
    {"dzasum", false, true, false}, {"snrm2", true, false, true},   {"dnrm2", false, false, true},
    {"scnrm2", true, true, true},   {"dznrm2", false, true, true},
};

static double drawn_value(accordi_rng *rng, bool is_f32)
{
    double x = ldexp(1 + accordi_rng_unit(rng), (int)accordi_rng_below(rng, 8) - 6);
    x = is_f32 ? (double)(float)x : x;
    return accordi_rng_next(rng) >> 63 ? -x : x;
}

static void draw_rows(accordi_rng *rng, bool is_f32, void *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_f32)
            ((float *)x)[i] = (float)drawn_value(rng, true);
        else
            ((double *)x)[i] = drawn_value(rng, false);
}

/* On how many random inputs the tree gives the target's bits. */
static size_t replays(accord_target *target, const accord_tree *tree, bool norm, int width,
                      accordi_rng *rng)
{
    size_t n = target->n, bytes = target->storage_f32 ? sizeof(float) : sizeof(double), agree = 0;
    int precision = target->storage_f32 ? 24 : 53;
    char *x = accordi_alloc(INPUTS * n, bytes);
    double *result = accordi_alloc(INPUTS, sizeof *result);
    sum s = {.tree = tree,
             .term = norm ? ACCORD_TERM_SQUARE : ACCORD_TERM_ABSOLUTE,
             .root = norm,
             .is_f32 = target->storage_f32,
             .width = width == 64          ? EXTENDED
                      : width == precision ? NARROW
                                           : DOUBLE,
             .value = accordi_alloc(2 * n, sizeof *s.value)};
    draw_rows(rng, target->storage_f32, x, INPUTS * n);
    accord_batch batch = {.probes = INPUTS, .dense = x};
    assert_int_equal(accord_target_run(target, &batch, result, NULL), ACCORD_OK);
    for (size_t i = 0; i < INPUTS; i++)
        agree += along_tree(&s, x + i * n * bytes, n) == result[i];
    free(s.value);
    free(result);
    free(x);
    return agree;
}

/* One row of the table: from which to which n the answer was the same. */
typedef struct row {
    char text[600];
    size_t from, to;
} row;

static void tell(row *r, const char *what, size_t n, const char *text)
{
    if (r->from && strcmp(r->text, text) == 0) {
        r->to = n;
        return;
    }
    if (r->from)
        printf("# %-16s n %2zu-%2zu: %s\n", what, r->from, r->to, r->text);
    snprintf(r->text, sizeof r->text, "%s", text);
    r->from = r->to = n;
}

/* False if something is wrong; *text says what came out. */
static bool reveal(accord_target *target, bool norm, accordi_rng *rng, char *text, size_t size)
{
    accord_error error = {.status = ACCORD_OK};
    accordi_asker asker;
    accordi_certificate certificate = {0};
    accord_tree *tree = NULL;
    bool holds = false, needed = false;
    enum accord_term term = ACCORD_TERM_VALUE;
    accordi_ask_init(&asker, target, accordi_rng_next(rng), &error);
    enum accord_status status = accordi_positive_needed(&asker, &needed, &term);
    bool good = needed && term == (norm ? ACCORD_TERM_SQUARE : ACCORD_TERM_ABSOLUTE);
    if (!status)
        status = accordi_positive(&asker, NULL, &tree);
    if (!status)
        status = accordi_positive_prove(&asker, tree, &certificate, &holds);
    if (status) {
        good = good && status == ACCORD_UNABLE && error.reason != ACCORD_REASON_NONE;
        snprintf(text, size, "refused: %s: %s", accord_reason_name(error.reason), error.text);
    } else {
        int width = certificate.accumulator_bits; /* one or two terms leave it open */
        size_t agree = target->n > 2 ? replays(target, tree, norm, width, rng) : INPUTS;
        good = good && holds && agree == INPUTS;
        if (target->n > 2)
            snprintf(text, size, "%s, %d bits, %zu of %d replays", holds ? "proven" : "not proven",
                     width, agree, INPUTS);
        else
            snprintf(text, size, "nothing to order");
    }
    accordi_certificate_clear(&certificate);
    accordi_ask_clear(&asker);
    accord_tree_free(tree);
    return good;
}

static bool ask_library(const char *library, size_t routine, accordi_rng *rng)
{
    char name[60], text[600];
    row r = {.from = 0};
    bool good = true;
    size_t step = routines[routine].is_complex ? 2 : 1, skips = trials(1) > 1 ? 1 : 7;
    snprintf(name, sizeof name, "blas:%s@%s", routines[routine].name, library);
    for (size_t n = step; n <= SIZES; n += n < 8 ? step : step * skips) {
        accord_target_options options;
        accord_target *target = NULL;
        accord_error error;
        accord_target_options_init(&options);
        options.n = n;
        if (accord_target_open(name, &options, &target, &error)) {
            printf("# %s: skipped: %s\n", name, error.text);
            return true;
        }
        bool fine = reveal(target, routines[routine].norm, rng, text, sizeof text);
        tell(&r, name + 5, n, text);
        good = good && fine;
        accord_target_close(target);
    }
    tell(&r, name + 5, SIZES, "");
    return good;
}

static void test_libraries(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    const char *features = accordi_cpu_features();
    if (strstr(features, "avx2") && strstr(features, "fma"))
        setenv("OPENBLAS_CORETYPE", "Haswell", 0);
    size_t wrong = 0;
    for (size_t l = 0; l < sizeof libraries / sizeof *libraries; l++)
        for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
            wrong += !ask_library(libraries[l], i, &rng);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libraries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
