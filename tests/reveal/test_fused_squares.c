/* Sums of squares in f32 that are fused at some nodes and rounded first at others, with some sums
 * in f64 or without, and norms of this kind: no masks show which nodes fuse. And sums in bf16 of
 * blocks in f32, for which few operands have room. */
#include "record/record.h"
#include "targets/synthetic/synthetic.h"
#include "trials.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST = 40, ROWS = 400 };

typedef struct box {
    accord_tree *tree;
    bool wide[MOST];               /* per inner node: in f64 */
    int fused[MOST];               /* the leaf whose square enters it unrounded, in f32; -1: none */
    bool root, magnitudes, narrow; /* narrow: bf16 and f32 instead of f32 and f64 */
} box;

static double rounded(const box *b, bool wide, double x)
{
    return !b->narrow
               ? wide ? x : (double)(float)x
               : accord_format_round(wide ? ACCORD_F32 : ACCORD_BF16, ACCORD_NEAREST_EVEN, x);
}

static double added(const box *b, uint32_t k, const float *x, const double *value)
{
    const uint32_t *child = b->tree->child + b->tree->first[k];
    bool any = b->wide[k];
    double part[2];
    for (int i = 0; i < 2; i++)
        any = any || (child[i] >= b->tree->leaves && b->wide[child[i] - b->tree->leaves]);
    if (!any && b->fused[k] >= 0) {
        float f = x[child[b->fused[k]]], other = (float)value[child[!b->fused[k]]];
        return (double)fmaf(f, f, other);
    }
    for (int i = 0; i < 2; i++) {
        double term = child[i] < b->tree->leaves ? (double)x[child[i]] : 0;
        bool exact = any && child[i] < b->tree->leaves;
        part[i] = exact ? b->magnitudes ? fabs(term) : term * term : value[child[i]];
    }
    double sum = part[0] + part[1];
    return rounded(b, b->wide[k], any ? rounded(b, true, sum) : sum);
}

static double call(void *context, const void *terms, size_t n)
{
    const box *b = context;
    const float *x = terms;
    double value[2 * MOST];
    for (size_t i = 0; i < n; i++)
        value[i] =
            b->magnitudes ? fabs((double)x[i]) : rounded(b, false, (double)x[i] * (double)x[i]);
    for (uint32_t k = 0; k < b->tree->inner; k++)
        value[n + k] = added(b, k, x, value);
    double sum = rounded(b, false, value[n + b->tree->inner - 1]);
    return b->root ? (double)sqrtf((float)sum) : sum;
}

static void draw_box(accordi_rng *rng, size_t n, bool widths, box *b)
{
    enum accordi_tree_kind kind =
        accordi_rng_below(rng, 2) ? ACCORDI_TREE_CATERPILLAR : ACCORDI_TREE_YULE;
    assert_int_equal(accordi_random_tree(rng, kind, n, &b->tree, NULL), ACCORD_OK);
    for (uint32_t k = 0; k < b->tree->inner; k++) {
        const uint32_t *child = b->tree->child + b->tree->first[k];
        int leaf = (int)accordi_rng_below(rng, 2);
        bool is_leaf = child[leaf] < b->tree->leaves;
        b->fused[k] = !b->narrow && is_leaf && accordi_rng_below(rng, 2) ? leaf : -1;
        b->wide[k] = widths && accordi_rng_below(rng, 3) == 0;
    }
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
        for (size_t i = 0; i < n; i++)
            x[i] = (float)accord_format_round(b->narrow ? ACCORD_BF16 : ACCORD_F32,
                                              ACCORD_NEAREST_EVEN, accordi_rng_normal(rng));
        assert_int_equal(accord_model_replay(&model, &rows, &got, NULL), ACCORD_OK);
        wrong += got != call(b, x, n);
    }
    return wrong;
}

/* How many were found; what is found is right. */
static size_t reveal(accordi_rng *rng, box *b, uint64_t seed)
{
    size_t n = b->tree->leaves;
    accord_target *target = NULL;
    accord_record record;
    accord_error error = {.text = ""};
    accord_reveal_options options;
    accord_reveal_options_init(&options);
    accordi_record_init(&record);
    options.seed = seed;
    assert_int_equal(accord_target_from_callback(call, b, n, true, &target, NULL), ACCORD_OK);
    target->format = target->output = b->narrow ? ACCORD_BF16 : ACCORD_F32;
    enum accord_status status = accord_reveal(target, &options, &record, &error);
    if (status)
        print_message("# root %d, narrow %d, n %zu: %s\n", b->root, b->narrow, n, error.text);
    assert_true(status == ACCORD_OK || status == ACCORD_UNABLE);
    if (!status) {
        assert_true(accord_tree_equal(record.tree, b->tree));
        assert_int_equal(differing(rng, b, &record), 0);
    }
    size_t found = !status && record.proven;
    accord_record_clear(&record);
    accord_target_close(target);
    return found;
}

static void test_fused_nodes(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    for (size_t t = 0; t < trials(24); t++) {
        box b = {.root = (t + seed) % 2};
        draw_box(&rng, 3 + accordi_rng_below(&rng, MOST - 3), false, &b);
        assert_int_equal(reveal(&rng, &b, seed + t), 1);
        accord_tree_free(b.tree);
    }
}

static void test_widths(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    size_t found = 0, all = trials(24);
    for (size_t t = 0; t < all; t++) {
        box b = {.narrow = (t + seed) % 2, .magnitudes = (t + seed) % 4 == 1};
        draw_box(&rng, 4 + accordi_rng_below(&rng, MOST - 4), true, &b);
        found += reveal(&rng, &b, seed + t);
        accord_tree_free(b.tree);
    }
    printf("# of %zu sums in two widths %zu are found\n", all, found);
    assert_true(4 * found >= 3 * all || !trials_are_all());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fused_nodes),
                                       cmocka_unit_test(test_widths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
