/* Products of narrow factors whose sums are wider than the range of one factor: an order needs
 * terms in two factors, of which none may be subnormal where those count as zero. */
#include "base/base.h"
#include "record/record.h"
#include "targets/synthetic/synthetic.h"
#include "trials.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST = 150 };

typedef struct box {
    accord_tree *tree;
    enum accord_format factor, sum, product, output; /* products are exact where it is f64 */
    bool flushes;                                    /* operands */
} box;

static double operand(const box *b, double x)
{
    double least = ldexp(1, accord_format_get(b->factor)->min_exponent);
    return b->flushes && fabs(x) < least ? copysign(0, x) : x;
}

static double value_of(const box *b, const float *x, const float *y)
{
    double value[2 * MOST];
    uint32_t n = b->tree->leaves;
    for (uint32_t i = 0; i < n; i++)
        value[i] = accord_format_round(b->product, ACCORD_NEAREST_EVEN,
                                       operand(b, (double)x[i]) * operand(b, (double)y[i]));
    for (uint32_t k = 0; k < b->tree->inner; k++) {
        const uint32_t *child = b->tree->child + b->tree->first[k];
        value[n + k] =
            accord_format_add(b->sum, ACCORD_NEAREST_EVEN, value[child[0]], value[child[1]]);
    }
    return accord_format_round(b->output, ACCORD_NEAREST_EVEN, value[n + b->tree->inner - 1]);
}

static void call(void *context, const accord_grid *grid, double *result)
{
    *result = value_of(context, grid->a, grid->b);
}

static enum accord_status reveal(box *b, uint64_t seed, accord_record *record, accord_error *error)
{
    const accord_grid_callback how = {.call = call,
                                      .context = b,
                                      .rows = 1,
                                      .columns = 1,
                                      .n = b->tree->leaves,
                                      .term = ACCORD_TERM_PRODUCT,
                                      .is_f32 = true};
    accord_target *target = NULL;
    accord_reveal_options options;
    accord_reveal_options_init(&options);
    options.seed = seed;
    assert_int_equal(accord_target_from_grid(&how, &target, NULL), ACCORD_OK);
    target->format = b->factor;
    target->output = b->output;
    accordi_record_init(record);
    enum accord_status status = accord_reveal(target, &options, record, error);
    accord_target_close(target);
    return status;
}

/* Of all sizes that the format has, and of about the same size. */
static float draw(accordi_rng *rng, enum accord_format format, bool wide)
{
    const accord_format_info *info = accord_format_get(format);
    int low = info->min_exponent - info->precision, high = info->max_exponent;
    int exponent = wide ? low + (int)accordi_rng_below(rng, (uint64_t)(high - low)) : 0;
    return (float)accord_format_round(format, ACCORD_TOWARD_ZERO,
                                      ldexp(accordi_rng_normal(rng), exponent));
}

static size_t differing(accordi_rng *rng, const box *b, const accord_record *record)
{
    enum { ROWS = 400 };
    size_t wrong = 0;
    const accord_model model = {record->tree, record->arithmetic};
    for (size_t r = 0; r < ROWS; r++) {
        float x[MOST], y[MOST];
        const void *row[] = {x, y};
        double got, due;
        for (size_t i = 0; i < b->tree->leaves; i++) {
            x[i] = draw(rng, b->factor, r % 2);
            y[i] = draw(rng, b->factor, r % 2);
        }
        const accord_rows rows = {.rows = 1, .x = row, .y = row + 1, .is_f32 = true};
        due = value_of(b, x, y);
        assert_int_equal(accord_model_replay(&model, &rows, &got, NULL), ACCORD_OK);
        wrong += !accordi_same_bits(due, got) && !(due == 0 && got == 0);
    }
    return wrong;
}

static void draw_tree(accordi_rng *rng, box *b)
{
    static const enum accordi_tree_kind kinds[] = {ACCORDI_TREE_YULE, ACCORDI_TREE_UNIFORM,
                                                   ACCORDI_TREE_CATERPILLAR, ACCORDI_TREE_LANES,
                                                   ACCORDI_TREE_BALANCED};
    size_t n = 2 + accordi_rng_below(rng, accordi_rng_below(rng, 2) ? 20 : MOST - 2);
    assert_int_equal(accordi_random_tree(rng, kinds[accordi_rng_below(rng, 5)], n, &b->tree, NULL),
                     ACCORD_OK);
}

/* What exact products are added in f32 comes out, and nothing else in its place. */
static void test_exact_products(void **state)
{
    (void)state;
    static const enum accord_format factors[] = {ACCORD_F16, ACCORD_E4M3, ACCORD_E5M2};
    uint64_t seed = trials_seed();
    for (size_t t = 0; t < trials(24); t++) {
        accordi_rng rng;
        accord_record record;
        accord_error error = {.status = ACCORD_OK};
        accordi_rng_init(&rng, seed * 1000 + t);
        box b = {.factor = factors[t % 3],
                 .sum = ACCORD_F32,
                 .product = ACCORD_F64,
                 .output = t / 3 % 2 && t % 3 == 0 ? ACCORD_F16 : ACCORD_F32,
                 .flushes = t / 6 % 2 == 0};
        draw_tree(&rng, &b);
        enum accord_status status = reveal(&b, seed + t, &record, &error);
        if (status)
            print_message("# trial %zu: %s\n", t, error.text);
        assert_int_equal(status, ACCORD_OK);
        assert_true(record.proven);
        assert_true(accord_tree_equal(record.tree, b.tree));
        assert_int_equal(differing(&rng, &b, &record), 0);
        accord_record_clear(&record);
        accord_tree_free(b.tree);
    }
}

/* Products that are rounded into the narrow format reach no further than it: the reason says so,
 * and is not replaced by what split terms look like. */
static void test_rounded_products(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    for (size_t t = 0; t < trials(6); t++) {
        accordi_rng rng;
        accord_record record;
        accord_error error = {.status = ACCORD_OK};
        accordi_rng_init(&rng, seed * 1000 + t);
        box b = {.factor = ACCORD_F16,
                 .sum = ACCORD_F32,
                 .product = ACCORD_F16,
                 .output = ACCORD_F32,
                 .flushes = true};
        draw_tree(&rng, &b);
        enum accord_status status = reveal(&b, seed + t, &record, &error);
        assert_false(record.proven && !accord_tree_equal(record.tree, b.tree));
        if (b.tree->leaves > 2) {
            assert_int_equal(status, ACCORD_UNABLE);
            assert_int_equal(error.reason, ACCORD_REASON_OUT_OF_RANGE);
        }
        accord_record_clear(&record);
        accord_tree_free(b.tree);
    }
}

/* An accumulator so wide that hardly any input shows where it rounds: exact sums of all terms, or
 * of some of them, explain the answers, but so does any order. Three terms may be an exception, of
 * which a few answers show the pair that is added first. */
static void test_hidden_orders(void **state)
{
    (void)state;
    static const enum accord_format kinds[][2] = {{ACCORD_F16, ACCORD_F16},
                                                  {ACCORD_E5M2, ACCORD_F16},
                                                  {ACCORD_E4M3, ACCORD_F16},
                                                  {ACCORD_E4M3, ACCORD_F64}};
    enum { KINDS = sizeof kinds / sizeof *kinds, LONGEST = 12 };
    accordi_rng rng;
    uint64_t seed = trials_seed();
    accordi_rng_init(&rng, seed);
    for (size_t t = 0; t < trials(24); t++) {
        const enum accord_format *kind = kinds[(t + seed) % KINDS];
        box b = {.factor = kind[0], .sum = ACCORD_F64, .product = ACCORD_F64, .output = kind[1]};
        accord_record record;
        accord_error error = {.text = ""};
        uint32_t n = 3 + (uint32_t)accordi_rng_below(&rng, LONGEST - 2);
        enum accordi_tree_kind shape =
            accordi_rng_below(&rng, 2) ? ACCORDI_TREE_YULE : ACCORDI_TREE_LANES;
        assert_int_equal(accordi_random_tree(&rng, shape, n, &b.tree, NULL), ACCORD_OK);
        enum accord_status status = reveal(&b, seed + t, &record, &error);
        bool right = status ? error.reason == ACCORD_REASON_OUT_OF_RANGE
                            : n == 3 && !record.proven && accord_tree_equal(record.tree, b.tree);
        if (!right)
            fail_msg("%s, n %u: %s", accord_format_get(kind[0])->name, n,
                     status ? error.text : record.verdict);
        accord_record_clear(&record);
        accord_tree_free(b.tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_products),
        cmocka_unit_test(test_rounded_products),
        cmocka_unit_test(test_hidden_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
