/* Sums in parts: each part is added in the format of the terms and stored in a narrower one, and
 * the stored sums are added. Which terms meet in a part, and so how many bits are lost, the boxes
 * draw; parts that are stored as -0 tell where the sum of them started. The revealed model gives
 * the bits of the box on inputs of every size, those near the least number too. */
#include "base/base.h"
#include "trials.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 130 };

typedef struct box {
    bool is_f32;
    bool lanes;     /* part k has the terms k, k + parts, …, else neighbors */
    bool from_zero; /* the sum of the parts starts at +0, else with the first part */
    enum accord_format stored;
    size_t n, parts;
} box;

static double add(const box *b, double x, double y)
{
    return accord_format_add(b->is_f32 ? ACCORD_F32 : ACCORD_F64, ACCORD_NEAREST_EVEN, x, y);
}

static double part(const box *b, const double *x, size_t k)
{
    double sum = 0;
    for (size_t i = 0; i < b->n; i++)
        if ((b->lanes ? i % b->parts : i * b->parts / b->n) == k)
            sum = add(b, sum, x[i]);
    return accord_format_round(b->stored, ACCORD_NEAREST_EVEN, sum);
}

static double value_of(const box *b, const double *x)
{
    double sum = b->from_zero ? 0 : part(b, x, 0);
    for (size_t k = b->from_zero ? 0 : 1; k < b->parts; k++)
        sum = add(b, sum, part(b, x, k));
    return sum;
}

static double call(void *context, const void *x, size_t n)
{
    const box *b = context;
    double wide[MOST];
    for (size_t i = 0; i < n; i++)
        wide[i] = b->is_f32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
    return value_of(b, wide);
}

/* Each part has two terms at least: a term alone that is rounded is no sum. */
static box draw_box(accordi_rng *rng, size_t n)
{
    bool is_f32 = accordi_rng_below(rng, 2);
    /* The range of f16 has no room for masks of sums in f64. */
    const enum accord_format narrow[] = {ACCORD_BF16, is_f32 ? ACCORD_F16 : ACCORD_F32};
    return (box){.is_f32 = is_f32,
                 .lanes = accordi_rng_below(rng, 2),
                 .from_zero = accordi_rng_below(rng, 2),
                 .stored = narrow[accordi_rng_below(rng, 2)],
                 .n = n,
                 .parts = 2 + (size_t)accordi_rng_below(rng, n / 2 - 1)};
}

/* Of one size, ordinary or next to the least number of the parts or of the terms; with zeros. */
static void draw_row(accordi_rng *rng, const box *b, double *x)
{
    const accord_format_info *parts = accord_format_get(b->stored);
    const accord_format_info *terms = accord_format_get(b->is_f32 ? ACCORD_F32 : ACCORD_F64);
    const double sizes[] = {1, 1, parts->least, terms->least};
    double size = sizes[accordi_rng_below(rng, 4)];
    bool zeros = accordi_rng_below(rng, 2);
    for (size_t i = 0; i < b->n; i++) {
        double v = zeros && accordi_rng_below(rng, 2) ? 0 : size * accordi_rng_normal(rng);
        x[i] = accord_format_round(b->is_f32 ? ACCORD_F32 : ACCORD_F64, ACCORD_NEAREST_EVEN, v);
    }
}

static size_t differing(accordi_rng *rng, const box *b, const accord_record *record)
{
    enum { ROWS = 500 };
    const accord_model model = {record->tree, record->arithmetic};
    double x[MOST], got;
    const void *row = x;
    const accord_rows rows = {.rows = 1, .x = &row};
    size_t wrong = 0;
    for (int r = 0; r < ROWS; r++) {
        draw_row(rng, b, x);
        double due = value_of(b, x);
        assert_int_equal(accord_model_replay(&model, &rows, &got, NULL), ACCORD_OK);
        wrong += memcmp(&due, &got, sizeof due) != 0;
    }
    return wrong;
}

static void check(accordi_rng *rng, box b)
{
    accord_target *target = NULL;
    accord_record *record = accord_record_new();
    accord_error error = {.status = ACCORD_OK};
    accord_reveal_options options;
    accord_reveal_options_init(&options);
    options.seed = accordi_rng_below(rng, 1 << 30);
    assert_non_null(record);
    assert_int_equal(accord_target_from_callback(call, &b, b.n, b.is_f32, &target, NULL),
                     ACCORD_OK);
    enum accord_status status = accord_reveal(target, &options, record, &error);
    if (status || !record->proven)
        print_message("# n %zu in %zu parts, %s, stored %d, %s, %s: %s\n", b.n, b.parts,
                      b.is_f32 ? "f32" : "f64", (int)b.stored, b.lanes ? "lanes" : "blocks",
                      b.from_zero ? "from zero" : "from the first",
                      record->verdict ? record->verdict : error.text);
    assert_int_equal(status, ACCORD_OK);
    assert_true(record->proven);
    assert_int_equal(differing(rng, &b, record), 0);
    accord_record_free(record);
    accord_target_close(target);
}

static void test_stored_partials(void **state)
{
    (void)state;
    static const size_t counts[] = {6, 16, 40, MOST};
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t i = 0; i < trials(48); i++)
        check(&rng, draw_box(&rng, counts[i % 4]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stored_partials)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
