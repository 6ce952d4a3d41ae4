/* Boxes that compute in narrower formats than their interface shows: operands rounded to tf32,
 * bf16, f16 or fp8 (to nearest even or away, or cut off), sums in f32, f64, f16 or bf16, orders of
 * all kinds. What is said of them must be true: the order, a model that gives their bits on inputs
 * of the interface, or a reason that holds. */
#include "record/record.h"
#include "trees.h"
#include "trials.h"
#include <accord/accord.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum products { IN_SUMS, IN_F32 }; /* the format that products are rounded into */

typedef struct box {
    bool is_f32; /* the interface */
    bool dots;
    enum accord_format operand;
    enum accord_rounding rounding; /* of operands */
    enum accord_format sums;
    enum products products;
    bool stored; /* sums are of f32, and stored in their format; the first of two terms is too */
    const accord_tree *tree;
    double *stack;
} box;

static double given(const box *b, const void *x, size_t i)
{
    return b->is_f32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static double term(const box *b, const void *x, const void *y, size_t i)
{
    double p = accord_format_round(b->operand, b->rounding, given(b, x, i));
    if (b->dots) {
        p *= accord_format_round(b->operand, b->rounding, given(b, y, i));
        if (b->products == IN_F32)
            p = (double)(float)p;
    }
    return b->stored ? p : accord_format_round(b->sums, ACCORD_NEAREST_EVEN, p);
}

/* Of two terms the first is an accumulator that began at 0. */
static double sum_of_two(const box *b, const double *v, bool leaves)
{
    if (!b->stored)
        return accord_format_add(b->sums, ACCORD_NEAREST_EVEN, v[0], v[1]);
    double first = leaves ? accord_format_round(b->sums, ACCORD_NEAREST_EVEN, v[0]) : v[0];
    double sum = accord_format_add(ACCORD_F32, ACCORD_NEAREST_EVEN, first, v[1]);
    return accord_format_round(b->sums, ACCORD_NEAREST_EVEN, sum);
}

/* Nodes lie in post-order: the values of inner children are on top of the stack. */
static double value_of(const box *b, const void *x, const void *y)
{
    const accord_tree *tree = b->tree;
    size_t depth = 0;
    if (tree->inner == 0)
        b->stack[depth++] = term(b, x, y, 0);
    for (uint32_t k = 0; k < tree->inner; k++) {
        double v[2];
        bool leaves = true;
        for (uint32_t i = 2; i-- > 0;) {
            uint32_t child = tree->child[tree->first[k] + i];
            leaves = leaves && child < tree->leaves;
            v[i] = child < tree->leaves ? term(b, x, y, child) : b->stack[--depth];
        }
        b->stack[depth++] = sum_of_two(b, v, leaves);
    }
    double sum = b->stack[0];
    return b->is_f32 ? (double)(float)sum : sum;
}

static double sum_of(void *context, const void *x, size_t n)
{
    (void)n;
    return value_of(context, x, NULL);
}

static void dot_of(void *context, const accord_grid *grid, double *results)
{
    *results = value_of(context, grid->a, grid->b);
}

static accord_target *open_box(box *b)
{
    accord_target *target = NULL;
    size_t n = b->tree->leaves;
    const accord_grid_callback dots = {.call = dot_of,
                                       .context = b,
                                       .rows = 1,
                                       .columns = 1,
                                       .n = n,
                                       .term = ACCORD_TERM_PRODUCT,
                                       .is_f32 = b->is_f32};
    assert_int_equal(b->dots ? accord_target_from_grid(&dots, &target, NULL)
                             : accord_target_from_callback(sum_of, b, n, b->is_f32, &target, NULL),
                     ACCORD_OK);
    return target;
}

enum order { SEQUENTIAL, PAIRWISE, IN_LANES, ANY_TREE, ORDERS };

static accord_tree *order_of(accordi_rng *rng, enum order order, uint32_t n)
{
    drawn d = {.leaves = n, .parent = accordi_alloc(2 * (size_t)n, sizeof *d.parent)};
    uint32_t *nodes = accordi_alloc(n, sizeof *nodes), count = n;
    accord_tree *tree = NULL;
    for (uint32_t i = 0; i < n; i++)
        nodes[i] = i;
    uint32_t root = nodes[0];
    if (order == SEQUENTIAL)
        root = drawn_chain(&d, nodes, n);
    else if (order == IN_LANES)
        root = drawn_lanes(&d, rng, nodes);
    else if (order == ANY_TREE)
        root = drawn_merge(&d, rng, nodes, n, 2);
    for (; order == PAIRWISE && count > 1; count = (count + 1) / 2) {
        for (uint32_t i = 0; 2 * i + 1 < count; i++)
            nodes[i] = drawn_join(&d, nodes + 2 * i, 2);
        if (count % 2)
            nodes[count / 2] = nodes[count - 1];
        root = nodes[0];
    }
    d.parent[root] = ACCORD_TREE_NO_NODE;
    assert_int_equal(accord_tree_from_parents(n, d.inner, d.parent, &tree, NULL), ACCORD_OK);
    free(nodes);
    free(d.parent);
    return tree;
}

/* Values of the interface: of one size, of all sizes, and what is no number. */
static void draw_row(accordi_rng *rng, bool is_f32, void *x, size_t n)
{
    enum accord_format format = is_f32 ? ACCORD_F32 : ACCORD_F64;
    uint64_t way = accordi_rng_below(rng, 8);
    for (size_t i = 0; i < n; i++) {
        double v = accordi_rng_normal(rng);
        int e =
            way < 4 ? 0 : (int)accordi_rng_below(rng, way < 6 ? 40 : 250) - (way < 6 ? 20 : 125);
        v = accord_format_round(format, ACCORD_TOWARD_ZERO, ldexp(v, e));
        if (way == 7 && accordi_rng_below(rng, n) == 0)
            v = accordi_rng_below(rng, 2) ? INFINITY : accordi_rng_below(rng, 2) ? NAN : FLT_MAX;
        if (is_f32)
            ((float *)x)[i] = (float)v;
        else
            ((double *)x)[i] = v;
    }
}

/* In how many of so many rows the record's model and the box differ. */
static size_t differing(accordi_rng *rng, const box *b, const accord_record *record)
{
    enum { ROWS = 100 };
    size_t n = record->n, wrong = 0;
    void *x = accordi_alloc(n, sizeof(double)), *y = accordi_alloc(n, sizeof(double));
    const void *row[2] = {x, y};
    const accord_model model = {record->tree, record->arithmetic};
    const accord_rows rows = {
        .rows = 1, .x = &row[0], .y = b->dots ? &row[1] : NULL, .is_f32 = b->is_f32};
    for (int r = 0; r < ROWS; r++) {
        double due, got;
        draw_row(rng, b->is_f32, x, n);
        draw_row(rng, b->is_f32, y, n);
        due = value_of(b, x, y);
        assert_int_equal(accord_model_replay(&model, &rows, &got, NULL), ACCORD_OK);
        wrong += !(due != due && got != got) && memcmp(&due, &got, sizeof due) != 0;
    }
    free(x);
    free(y);
    return wrong;
}

/* Where the range of the operands has room for masks of the sums, and the model has words for it,
 * no less than a model is due. */
static bool is_within_reach(const box *b)
{
    const accord_format_info *held = accord_format_get(b->operand);
    const accord_format_info *sums = accord_format_get(b->sums);
    if (b->stored)
        return false;
    if (held->max_exponent - held->min_exponent > 200)
        return true;
    int room = held->max_exponent - held->min_exponent + held->precision - 1;
    return room > sums->precision + 10 || (room > sums->precision + 1 && b->tree->leaves < 4);
}

/* Too narrow a range; and what becomes of terms beyond it. */
static bool is_true(const box *b, const accord_error *error)
{
    bool cut = b->rounding == ACCORD_TOWARD_ZERO;
    return error->reason == ACCORD_REASON_OUT_OF_RANGE ||
           (error->reason == ACCORD_REASON_NOT_FINITE && !cut && !b->stored) ||
           (cut && strstr(error->text, "is clamped to"));
}

static bool check_box(accordi_rng *rng, box *b)
{
    accord_record record;
    accord_error error = {.status = ACCORD_OK};
    accord_reveal_options how;
    accord_target *target = open_box(b);
    const char *problem = NULL;
    accord_reveal_options_init(&how);
    how.seed = accordi_rng_next(rng);
    accordi_record_init(&record);
    b->stack = accordi_alloc((size_t)b->tree->leaves + 1, sizeof *b->stack);
    enum accord_status status = accord_reveal(target, &how, &record, &error);
    bool order_told = record.tree != NULL;
    if (status && status != ACCORD_UNABLE)
        problem = "failed";
    else if (order_told && !accord_tree_equal(record.tree, b->tree))
        problem = "another tree";
    else if (record.arithmetic && differing(rng, b, &record) > 0)
        problem = "the model gives other bits";
    else if (!record.arithmetic && is_within_reach(b))
        problem = "no model";
    else if (!order_told && !is_true(b, &error))
        problem = "a reason that is not true";
    if (problem)
        printf("# %s: n %u, %s%s, operands %s rounding %d, sums %s%s, products %d: %s\n#   %s\n",
               problem, b->tree->leaves, b->dots ? "dot " : "sum ", b->is_f32 ? "f32" : "f64",
               accord_format_get(b->operand)->name, (int)b->rounding,
               accord_format_get(b->sums)->name, b->stored ? " stored" : "", (int)b->products,
               status ? error.text : "", record.verdict ? record.verdict : "");
    free(b->stack);
    accord_record_clear(&record);
    accord_target_close(target);
    return !problem;
}

static void draw_box(accordi_rng *rng, box *b)
{
    static const enum accord_format operands[] = {ACCORD_TF32, ACCORD_BF16, ACCORD_F16,
                                                  ACCORD_F32,  ACCORD_TF32, ACCORD_BF16,
                                                  ACCORD_F16,  ACCORD_E4M3};
    static const enum accord_rounding roundings[] = {ACCORD_NEAREST_EVEN, ACCORD_TOWARD_ZERO,
                                                     ACCORD_NEAREST_AWAY};
    static const enum accord_format sums[] = {ACCORD_F32, ACCORD_F32, ACCORD_F64, ACCORD_F16,
                                              ACCORD_BF16};
    *b = (box){.is_f32 = accordi_rng_below(rng, 3) != 0,
               .dots = accordi_rng_below(rng, 2),
               .operand = operands[accordi_rng_below(rng, 8)],
               .rounding = roundings[accordi_rng_below(rng, 3)],
               .sums = sums[accordi_rng_below(rng, 5)],
               .products = (enum products)accordi_rng_below(rng, 2)};
    b->stored = b->operand == ACCORD_F32 && accord_format_get(b->sums)->precision < 24;
    b->stored = b->stored && b->is_f32 && accordi_rng_below(rng, 2);
    if (b->stored)
        b->products = IN_F32;
}

static void test_boxes(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 7, 10, 24, 64, 100, 1000};
    accordi_rng rng;
    size_t wrong = 0;
    accordi_rng_init(&rng, trials_seed());
    for (size_t i = 0; i < trials(90); i++) {
        uint32_t n = sizes[i % 9];
        if (n == 1000 && i % 4)
            n = 5;
        box b;
        draw_box(&rng, &b);
        accord_tree *tree = order_of(&rng, (enum order)accordi_rng_below(&rng, ORDERS), n);
        b.tree = tree;
        wrong += !check_box(&rng, &b);
        accord_tree_free(tree);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
