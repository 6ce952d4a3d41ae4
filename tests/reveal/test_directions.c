/* Sums that are not rounded to nearest: in f64 with a result in f32, each in a direction of its
 * own, as where a function changes the rounding mode and its caller does not; and sums of
 * magnitudes or squares, whose terms have no masks. */
#include "record/record.h"
#include "targets/synthetic/synthetic.h"
#include "trials.h"
#include <accord/accord.h>
#include <accord/exact_blas.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 40, ROWS = 600 };

static const enum accord_rounding directions[] = {ACCORD_NEAREST_EVEN, ACCORD_TOWARD_ZERO,
                                                  ACCORD_DOWN, ACCORD_UP};
enum { DIRECTIONS = sizeof directions / sizeof *directions };

typedef struct box {
    accord_tree *tree;
    enum accord_rounding sum, result;
} box;

static double call(void *context, const void *terms, size_t n)
{
    const box *b = context;
    const float *x = terms;
    double value[2 * MOST];
    for (size_t i = 0; i < n; i++)
        value[i] = (double)x[i];
    for (uint32_t k = 0; k < b->tree->inner; k++) {
        const uint32_t *child = b->tree->child + b->tree->first[k];
        value[n + k] = accord_format_add(ACCORD_F64, b->sum, value[child[0]], value[child[1]]);
    }
    return accord_format_round(ACCORD_F32, b->result, value[n + b->tree->inner - 1]);
}

/* Ties and numbers of f32, with something tiny that the sums in f64 lose, and ordinary terms. */
static void draw(accordi_rng *rng, float *x, size_t n, bool ordinary)
{
    for (size_t i = 0; i < n; i++)
        x[i] = ordinary ? (float)accordi_rng_normal(rng) : 0;
    if (ordinary)
        return;
    static const float parts[] = {0x1p23f, 1, 0.5f, 0x1p-64f};
    float sign = accordi_rng_below(rng, 2) ? -1 : 1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (i == 0 || accordi_rng_below(rng, 2))
            x[accordi_rng_below(rng, n)] =
                i == 3 && accordi_rng_below(rng, 2) ? -sign * parts[i] : sign * parts[i];
}

static size_t differing(accordi_rng *rng, box *b, const accord_record *record)
{
    size_t wrong = 0, n = b->tree->leaves;
    const accord_model model = {record->tree, record->arithmetic};
    for (size_t r = 0; r < ROWS; r++) {
        float x[MOST];
        double got;
        const void *row = x;
        const accord_rows rows = {.rows = 1, .x = &row, .is_f32 = true};
        draw(rng, x, n, r % 2);
        assert_int_equal(accord_model_replay(&model, &rows, &got, NULL), ACCORD_OK);
        double due = call(b, x, n);
        wrong += got != due && !(isnan(got) && isnan(due));
    }
    return wrong;
}

static void test_directions(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    for (size_t t = 0; t < 4 * DIRECTIONS * DIRECTIONS; t++) {
        if (!trial_runs(t, seed))
            continue;
        box b = {.sum = directions[t % DIRECTIONS],
                 .result = directions[t / DIRECTIONS % DIRECTIONS]};
        accord_target *target = NULL;
        accord_record record;
        accord_error error = {.text = ""};
        accord_reveal_options options;
        accord_reveal_options_init(&options);
        accordi_record_init(&record);
        options.seed = seed + t;
        size_t n = 4 + accordi_rng_below(&rng, MOST - 4);
        enum accordi_tree_kind kind =
            accordi_rng_below(&rng, 2) ? ACCORDI_TREE_CATERPILLAR : ACCORDI_TREE_YULE;
        assert_int_equal(accordi_random_tree(&rng, kind, n, &b.tree, NULL), ACCORD_OK);
        assert_int_equal(accord_target_from_callback(call, &b, n, true, &target, NULL), ACCORD_OK);
        enum accord_status status = accord_reveal(target, &options, &record, &error);
        if (status || !record.proven)
            fail_msg("f64 %d, f32 %d, n %zu: %s", b.sum, b.result, n,
                     status ? error.text : record.verdict);
        assert_true(accord_tree_equal(record.tree, b.tree));
        size_t wrong = differing(&rng, &b, &record);
        if (wrong)
            fail_msg("f64 %d, f32 %d, n %zu: %zu inputs differ", b.sum, b.result, n, wrong);
        accord_record_clear(&record);
        accord_tree_free(b.tree);
        accord_target_close(target);
    }
}

/* ---- terms that are never negative ---- */

typedef struct upright {
    accord_tree *tree;
    enum accord_rounding rounding;
    bool squares;
} upright;

static double call_upright(void *context, const void *terms, size_t n)
{
    const upright *b = context;
    const float *x = terms;
    double value[2 * MOST];
    for (size_t i = 0; i < n; i++) {
        double size = fabs((double)x[i]);
        value[i] = b->squares ? accord_format_round(ACCORD_F32, b->rounding, size * size) : size;
    }
    for (uint32_t k = 0; k < b->tree->inner; k++) {
        const uint32_t *child = b->tree->child + b->tree->first[k];
        value[n + k] = accord_format_add(ACCORD_F32, b->rounding, value[child[0]], value[child[1]]);
    }
    return value[n + b->tree->inner - 1];
}

static void test_upright(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    for (size_t t = 0; t < 24; t++) {
        if (!trial_runs(t, seed))
            continue;
        upright b = {.rounding = directions[1 + t % 3], .squares = t / 3 % 2};
        accord_target *target = NULL;
        accord_record record;
        accord_error error = {.text = ""};
        accord_reveal_options options;
        accord_reveal_options_init(&options);
        accordi_record_init(&record);
        options.seed = seed + t;
        size_t n = 4 + accordi_rng_below(&rng, MOST - 4), wrong = 0;
        assert_int_equal(accordi_random_tree(&rng, ACCORDI_TREE_YULE, n, &b.tree, NULL), ACCORD_OK);
        assert_int_equal(accord_target_from_callback(call_upright, &b, n, true, &target, NULL),
                         ACCORD_OK);
        enum accord_status status = accord_reveal(target, &options, &record, &error);
        if (b.rounding == ACCORD_UP) {
            assert_int_equal(status, ACCORD_UNABLE);
            assert_non_null(strstr(error.text, "rounded up"));
        } else {
            if (status || !record.proven)
                fail_msg("rounding %d, squares %d, n %zu: %s", b.rounding, b.squares, n,
                         status ? error.text : record.verdict);
            assert_true(accord_tree_equal(record.tree, b.tree));
            const accord_model model = {record.tree, record.arithmetic};
            for (size_t r = 0; r < ROWS; r++) {
                float x[MOST];
                double got;
                const void *row = x;
                const accord_rows rows = {.rows = 1, .x = &row, .is_f32 = true};
                draw(&rng, x, n, true);
                assert_int_equal(accord_model_replay(&model, &rows, &got, NULL), ACCORD_OK);
                wrong += got != call_upright(&b, x, n);
            }
            assert_int_equal(wrong, 0);
        }
        accord_record_clear(&record);
        accord_tree_free(b.tree);
        accord_target_close(target);
    }
}

/* What has more bits than its format is not rounded up. */
static double exact_norm(void *context, const void *terms, size_t n)
{
    const float *x = terms;
    double value[MOST], norm = 0;
    (void)context;
    for (size_t i = 0; i < n; i++)
        value[i] = x[i];
    accord_nrm2_exact_f64(n, value, 1, NULL, &norm, NULL);
    return norm;
}

static void test_wider_result(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    for (size_t n = 4; n < MOST; n += 9) {
        accord_target *target = NULL;
        accord_record record;
        accord_error error = {.text = ""};
        const accord_reveal_options options = {.size = sizeof options, .seed = seed + n};
        accordi_record_init(&record);
        assert_int_equal(accord_target_from_callback(exact_norm, NULL, n, true, &target, NULL),
                         ACCORD_OK);
        assert_int_equal(accord_reveal(target, &options, &record, &error), ACCORD_UNABLE);
        assert_int_equal(error.reason, ACCORD_REASON_OUT_OF_RANGE);
        assert_null(strstr(error.text, "rounded up"));
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_directions),
                                       cmocka_unit_test(test_upright),
                                       cmocka_unit_test(test_wider_result)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
