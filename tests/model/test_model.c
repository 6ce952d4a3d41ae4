/* Replay against a plain evaluation of one row at a time, and fused nodes against MPFR. */
#include "model/replay/replay.h"
#include "model/scaling.h"
#include "models.h"
#include "oracle.h"
#include "targets/synthetic/synthetic.h"
#include "trials.h"
#include <accord/notation.h>
#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* The exact sum in MPFR, rounded once to 53 bits: enough where the accumulator is f64. */
static double exact(const double *x, size_t count)
{
    mpfr_t sum;
    mpfr_init2(sum, 2200);
    mpfr_set_d(sum, x[0], MPFR_RNDN);
    for (size_t i = 1; i < count; i++)
        mpfr_add_d(sum, sum, x[i], MPFR_RNDN);
    double d = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clear(sum);
    return d;
}

/* Plain arithmetic: every binary node adds its two children, in the order of the canonical tree,
 * rounded into `accumulator`; a node of k > 2 children is the exact sum of its children, rounded
 * once. Terms that the accumulator does not hold are rounded into it first, to nearest. */
typedef struct plain_model {
    const accord_tree *tree; /* borrowed */
    enum accord_format accumulator;
    enum accord_rounding rounding;
    enum accord_format output; /* the root is rounded once more into this format */
} plain_model;

/* Rows one behind the other. */
static accord_arithmetic plain_arithmetic(const plain_model *model, accord_operation *operation)
{
    *operation = (accord_operation){.format = model->accumulator,
                                    .rounding = model->rounding,
                                    .product = model->accumulator,
                                    .fused = -1,
                                    .stored = ACCORD_F64};
    return (accord_arithmetic){.term = ACCORD_TERM_VALUE,
                               .input = model->accumulator,
                               .output = model->output,
                               .output_rounding = model->rounding,
                               .operations = 1,
                               .operation = operation,
                               .negative_zero = true,
                               .alpha = 1,
                               .factor = 1};
}

static enum accord_status replay_plain(const plain_model *model, size_t rows, const void *x,
                                       bool is_f32, double *result, accord_error *error)
{
    accord_operation operation;
    accord_arithmetic arithmetic = plain_arithmetic(model, &operation);
    const accord_model whole = {model->tree, &arithmetic};
    const void **row = accordi_alloc(rows, sizeof *row);
    size_t bytes = model->tree->leaves * (is_f32 ? sizeof(float) : sizeof(double));
    if (!row)
        return accordi_nomem(error);
    for (size_t r = 0; r < rows; r++)
        row[r] = (const char *)x + r * bytes;
    enum accord_status status = accord_model_replay(
        &whole, &(accord_rows){.rows = rows, .x = row, .is_f32 = is_f32}, result, error);
    free(row);
    return status;
}

/* One row, node by node, all values kept. Fused nodes only in f64. */
static double plain(const plain_model *model, const double *x, double *node)
{
    const accord_tree *tree = model->tree;
    for (uint32_t i = 0; i < tree->leaves; i++)
        node[i] = accord_format_round(model->accumulator, ACCORD_NEAREST_EVEN, x[i]);
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        uint32_t count = tree->first[k + 1] - tree->first[k];
        double few[512] = {0};
        for (uint32_t i = 0; i < count; i++)
            few[i] = node[child[i]];
        if (count == 2)
            node[tree->leaves + k] =
                accord_format_add(model->accumulator, model->rounding, few[0], few[1]);
        else
            node[tree->leaves + k] = exact(few, count);
    }
    return accord_format_round(model->output, model->rounding,
                               node[tree->leaves + tree->inner - 1]);
}

static double draw(accordi_rng *rng)
{
    uint64_t kind = accordi_rng_below(rng, 50);
    double x = accordi_rng_normal(rng);
    if (kind == 0)
        return 0;
    if (kind < 4)
        x = ldexp(x, (int)accordi_rng_below(rng, 60) - 30);
    return x;
}

static void compare(accordi_rng *rng, const plain_model *model, size_t rows, bool is_f32)
{
    size_t n = model->tree->leaves;
    float *single = accordi_alloc(rows * n, sizeof *single);
    double *x = accordi_alloc(rows * n, sizeof *x), *node = accordi_alloc(2 * n, sizeof *node);
    double *result = accordi_alloc(rows, sizeof *result);
    for (size_t i = 0; i < rows * n; i++) {
        single[i] = (float)draw(rng);
        x[i] = is_f32 ? (double)single[i] : draw(rng);
    }
    assert_int_equal(
        replay_plain(model, rows, is_f32 ? (const void *)single : x, is_f32, result, NULL),
        ACCORD_OK);
    for (size_t r = 0; r < rows; r++) {
        double want = plain(model, x + r * n, node);
        if (!same(result[r], want))
            fail_msg("n = %zu, row %zu of %zu, %s: %a, plain evaluation says %a", n, r, rows,
                     accord_format_get(model->accumulator)->name, result[r], want);
    }
    free(single);
    free(x);
    free(node);
    free(result);
}

static accord_tree *random_tree(accordi_rng *rng, bool binary, size_t n)
{
    accord_tree *tree = NULL;
    enum accordi_tree_kind kind;
    do
        kind = (enum accordi_tree_kind)accordi_rng_below(rng, ACCORDI_TREE_KINDS);
    while (binary && (kind == ACCORDI_TREE_MULTIWAY || kind == ACCORDI_TREE_CHAIN));
    assert_int_equal(accordi_random_tree(rng, kind, n, &tree, NULL), ACCORD_OK);
    return tree;
}

static void test_binary_trees(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(1500); t++) {
        size_t n = 1 + (size_t)accordi_rng_below(&rng, accordi_rng_below(&rng, 4) ? 20 : 300);
        accord_tree *tree = random_tree(&rng, true, n);
        plain_model model = {tree, (enum accord_format)accordi_rng_below(&rng, ACCORD_FORMAT_COUNT),
                             accordi_rng_below(&rng, 2)
                                 ? ACCORD_NEAREST_EVEN
                                 : (enum accord_rounding)accordi_rng_below(&rng, 4),
                             (enum accord_format)accordi_rng_below(&rng, ACCORD_FORMAT_COUNT)};
        compare(&rng, &model, 1 + (size_t)accordi_rng_below(&rng, 40),
                accordi_rng_below(&rng, 2) != 0);
        accord_tree_free(tree);
    }
}

static void test_fused_nodes(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(200); t++) {
        size_t n = 3 + (size_t)accordi_rng_below(&rng, 100);
        accord_tree *tree = random_tree(&rng, false, n);
        plain_model model = {tree, ACCORD_F64, ACCORD_NEAREST_EVEN, ACCORD_F64};
        compare(&rng, &model, 1 + (size_t)accordi_rng_below(&rng, 20), false);
        accord_tree_free(tree);
    }
}

/* A node of three: 2^24 + 1 + 1 is 2^24 + 2 in f32 when rounded once, 2^24 when rounded twice. */
static void test_rounded_once(void **state)
{
    (void)state;
    static const uint32_t star[] = {3, 3, 3, ACCORD_TREE_NO_NODE};
    static const uint32_t chain[] = {3, 3, 4, 4, ACCORD_TREE_NO_NODE};
    const float x[] = {0x1p24f, 1, 1};
    accord_tree *tree = NULL;
    double sum = 0;
    assert_int_equal(accord_tree_from_parents(3, 1, star, &tree, NULL), ACCORD_OK);
    plain_model model = {tree, ACCORD_F32, ACCORD_NEAREST_EVEN, ACCORD_F32};
    assert_int_equal(replay_plain(&model, 1, x, true, &sum, NULL), ACCORD_OK);
    assert_true(sum == 0x1p24 + 2);
    accord_tree_free(tree);
    assert_int_equal(accord_tree_from_parents(3, 2, chain, &tree, NULL), ACCORD_OK);
    model.tree = tree;
    assert_int_equal(replay_plain(&model, 1, x, true, &sum, NULL), ACCORD_OK);
    assert_true(sum == 0x1p24);
    model.rounding = ACCORD_UP;
    assert_int_equal(replay_plain(&model, 1, x, true, &sum, NULL), ACCORD_OK);
    assert_true(sum == 0x1p24 + 4);
    model = (plain_model){tree, ACCORD_F64, ACCORD_NEAREST_EVEN, ACCORD_F32};
    assert_int_equal(replay_plain(&model, 1, x, true, &sum, NULL), ACCORD_OK);
    assert_true(sum == 0x1p24 + 2);
    accord_tree_free(tree);
}

static void test_special_values(void **state)
{
    (void)state;
    static const uint32_t one[] = {ACCORD_TREE_NO_NODE}, pair[] = {2, 2, ACCORD_TREE_NO_NODE};
    accord_tree *tree = NULL;
    double result[3];
    assert_int_equal(accord_tree_from_parents(1, 0, one, &tree, NULL), ACCORD_OK);
    plain_model model = {tree, ACCORD_F64, ACCORD_NEAREST_EVEN, ACCORD_BF16};
    const double single[] = {1.01, -0.0, INFINITY};
    assert_int_equal(replay_plain(&model, 3, single, false, result, NULL), ACCORD_OK);
    assert_true(result[0] == 1.0078125 && signbit(result[1]) && isinf(result[2]));
    accord_tree_free(tree);
    assert_int_equal(accord_tree_from_parents(2, 1, pair, &tree, NULL), ACCORD_OK);
    model = (plain_model){tree, ACCORD_F32, ACCORD_NEAREST_EVEN, ACCORD_F32};
    const float two[] = {INFINITY, -INFINITY, 0x1.8p127f, 0x1.8p127f, -0.0f, -0.0f};
    assert_int_equal(replay_plain(&model, 3, two, true, result, NULL), ACCORD_OK);
    assert_true(isnan(result[0]) && isinf(result[1]) && result[2] == 0 && signbit(result[2]));
    accord_tree_free(tree);
}

/* The stack of the tree ((0+1)+((2+3)+((4+5)+…))) is as deep as it is high. */
static void test_depth(void **state)
{
    (void)state;
    enum { PAIRS = 1000, N = 2 * PAIRS };
    uint32_t *parent = accordi_alloc(2 * N, sizeof *parent);
    for (uint32_t i = 0; i < PAIRS; i++) {
        parent[2 * i] = parent[2 * i + 1] = N + i;
        parent[N + i] = i + 1 < PAIRS ? N + PAIRS + i : N + PAIRS + i - 1;
    }
    for (uint32_t i = 0; i + 1 < PAIRS; i++)
        parent[N + PAIRS + i] = i ? N + PAIRS + i - 1 : ACCORD_TREE_NO_NODE;
    accord_tree *tree = NULL;
    assert_int_equal(accord_tree_from_parents(N, N - 1, parent, &tree, NULL), ACCORD_OK);
    accordi_needs needs = accordi_tree_needs(tree);
    assert_int_equal(needs.depth, PAIRS);
    assert_int_equal(needs.children, 2);
    accordi_rng rng;
    accordi_rng_init(&rng, 1);
    plain_model model = {tree, ACCORD_F32, ACCORD_NEAREST_EVEN, ACCORD_F32};
    compare(&rng, &model, 17, true);
    accord_tree_free(tree);
    free(parent);
}

/* ---- models ---- */

enum { ROWS = 21 };

/* Rows of operands, as doubles and as floats. */
typedef struct operands {
    double *x, *y, start[ROWS], result[ROWS];
    float *x32, *y32;
    const void *row_x[ROWS], *row_y[ROWS];
    size_t n;
} operands;

static void operands_draw(accordi_rng *rng, const accord_arithmetic *how, size_t n,
                          models_drawer *fill, operands *o)
{
    *o = (operands){.x = accordi_alloc(ROWS * n, 8),
                    .y = accordi_alloc(ROWS * n, 8),
                    .x32 = accordi_alloc(ROWS * n, 4),
                    .y32 = accordi_alloc(ROWS * n, 4),
                    .n = n};
    for (size_t r = 0; r < ROWS; r++) {
        fill(rng, how->input, o->x + r * n, n);
        fill(rng, how->input, o->y + r * n, n);
        fill(rng, how->output, o->start + r, 1);
    }
    for (size_t i = 0; i < ROWS * n; i++) {
        o->x32[i] = (float)o->x[i];
        o->y32[i] = (float)o->y[i];
    }
}

static void operands_clear(operands *o)
{
    free(o->x);
    free(o->y);
    free(o->x32);
    free(o->y32);
}

static void replay_rows(const accord_model *model, operands *o, size_t rows, bool f32, bool second)
{
    for (size_t r = 0; r < rows; r++) {
        o->row_x[r] = f32 ? (const void *)(o->x32 + r * o->n) : (const void *)(o->x + r * o->n);
        o->row_y[r] = f32 ? (const void *)(o->y32 + r * o->n) : (const void *)(o->y + r * o->n);
    }
    const accord_rows all = {.rows = rows,
                             .x = o->row_x,
                             .y = second ? o->row_y : NULL,
                             .start = o->start,
                             .is_f32 = f32};
    assert_int_equal(accord_model_replay(model, &all, o->result, NULL), ACCORD_OK);
}

static void against_oracle(accordi_rng *rng, const accord_model *model, models_drawer *fill)
{
    static const char *const disable[] = {"", "fma", "avx2,fma"};
    accord_error error;
    char words[400];
    operands o;
    accord_model_describe(model, words, sizeof words);
    if (accord_model_check(model, &error) != ACCORD_OK)
        fail_msg("%s: %s", words, error.text);
    operands_draw(rng, model->arithmetic, model->tree->leaves, fill, &o);
    bool second = accordi_rng_below(rng, 8) != 0, f32 = accordi_rng_below(rng, 2);
    double want[ROWS];
    for (size_t r = 0; r < ROWS; r++) {
        double *x = o.x + r * o.n, *y = o.y + r * o.n;
        for (size_t i = 0; f32 && i < o.n; i++) {
            x[i] = (double)o.x32[r * o.n + i];
            y[i] = (double)o.y32[r * o.n + i];
        }
        want[r] = oracle_replay(model, x, second ? y : NULL, o.start[r]);
    }
    for (size_t d = 0; d < 3; d++)
        for (size_t rows = 1; rows <= ROWS; rows += 20) {
            setenv("ACCORD_DISABLE", disable[d], 1);
            replay_rows(model, &o, rows, f32, second);
            for (size_t r = 0; r < rows; r++)
                if (!same(o.result[r], want[r]))
                    fail_msg("n = %zu, row %zu of %zu, without %s: %a, should be %a: %s", o.n, r,
                             rows, disable[d], o.result[r], want[r], words);
        }
    unsetenv("ACCORD_DISABLE");
    operands_clear(&o);
}

static void test_models(void **state)
{
    accordi_rng rng;
    size_t kinds = *(size_t *)*state;
    accordi_rng_init(&rng, trials_seed() + kinds);
    for (size_t t = 0; t < trials(150); t++) {
        models_made made;
        models_random(&rng, (enum models_kind)kinds, 40, &made);
        against_oracle(&rng, &made.model, models_draw_row);
        models_clear(&made);
    }
}

/* Zeros at some nodes, which sums of zeros alone show: nothing comes after the last addition. */
static void test_zeros(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(300); t++) {
        models_made made;
        models_random(&rng, (enum models_kind)accordi_rng_below(&rng, MODELS_ANY), 12, &made);
        accord_arithmetic *how = made.arithmetic;
        how->negative_zero = accordi_rng_below(&rng, 4) != 0;
        how->flush = 0;
        how->finish = ACCORD_FINISH_NONE;
        how->skips_zero = how->zero_last = false;
        /* One way of adding zeros shows most where there are no others. */
        uint64_t zero = accordi_rng_below(&rng, 4), way = accordi_rng_below(&rng, 3);
        for (size_t i = 0; i < how->operations && way < 2; i++)
            how->operation[i].zero = (enum accord_zero)(way == 0 ? accordi_rng_below(&rng, 4)
                                                        : accordi_rng_below(&rng, 4) ? zero
                                                                                     : 0);
        against_oracle(&rng, &made.model, models_draw_zeros);
        models_clear(&made);
    }
}

/* Long chains of single rows are walked another way than groups of rows: both give the same. */
static void test_single_rows(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(120); t++) {
        models_made made;
        operands o;
        models_random(&rng, (enum models_kind)accordi_rng_below(&rng, MODELS_ANY), 3000, &made);
        operands_draw(&rng, made.arithmetic, made.tree->leaves, models_draw_row, &o);
        bool f32 = accordi_rng_below(&rng, 2), second = accordi_rng_below(&rng, 4) != 0;
        double want[4];
        replay_rows(&made.model, &o, 4, f32, second);
        memcpy(want, o.result, sizeof want);
        for (size_t rows = 1; rows < 3; rows++) {
            replay_rows(&made.model, &o, rows, f32, second);
            for (size_t r = 0; r < rows; r++)
                if (!same(o.result[r], want[r]))
                    fail_msg("n = %zu: row %zu of %zu gives %a, of four rows %a", o.n, r, rows,
                             o.result[r], want[r]);
        }
        operands_clear(&o);
        models_clear(&made);
    }
}

/* Lanes of one length, folded in another order than they stand in memory, of which one may be short
 * of a term; the additions of a lane are of one kind, but for one here and there. */
static void draw_lanes(accordi_rng *rng, models_made *made)
{
    static const char *const folds[] = {"chain", "halves", "pairs", "lanes 2; chain"};
    char text[100];
    unsigned lanes = 2 + (unsigned)accordi_rng_below(rng, 70);
    unsigned n =
        lanes * (2 + (unsigned)accordi_rng_below(rng, accordi_rng_below(rng, 8) ? 40 : 300));
    n += accordi_rng_below(rng, 2) ? (unsigned)accordi_rng_below(rng, lanes) : 0;
    snprintf(text, sizeof text, "%u: lanes %u; %s", n, lanes, folds[accordi_rng_below(rng, 4)]);
    accord_arithmetic *plain = NULL;
    assert_int_equal(accord_notation_parse(text, &made->tree, NULL, NULL, NULL), ACCORD_OK);
    enum accord_format input = accordi_rng_below(rng, 3) ? ACCORD_F32 : ACCORD_F64;
    accord_arithmetic_plain(accordi_rng_below(rng, 4) ? ACCORD_TERM_PRODUCT : ACCORD_TERM_VALUE,
                            input, ACCORD_F32, ACCORD_F64, &plain, NULL);
    accord_arithmetic_copy(plain, made->tree->inner, &made->arithmetic, NULL);
    accord_arithmetic_free(plain);
    accord_operation *op = accordi_alloc(3, sizeof *op);
    op[0] = made->arithmetic->operation[0];
    op[0].format = op[0].product = ACCORD_F64; /* the fold keeps what the lanes have */
    for (int i = 1; i < 3; i++) {
        op[i] = op[0];
        op[i].format = accordi_rng_below(rng, 2) ? ACCORD_F32 : ACCORD_F64;
        op[i].product = accordi_rng_below(rng, 2) ? ACCORD_F32 : ACCORD_F64;
        op[i].stored = accordi_rng_below(rng, 2) ? ACCORD_F32 : ACCORD_F64;
        op[i].fused = i == 1 && accordi_rng_below(rng, 2) ? 1 : -1;
    }
    free(made->arithmetic->operation);
    made->arithmetic->operation = op;
    made->arithmetic->operations = 3;
    made->arithmetic->negative_zero = accordi_rng_below(rng, 2);
    unsigned odd = accordi_rng_below(rng, 2) ? made->tree->inner / 4 + 2 : UINT32_MAX;
    for (uint32_t k = 0; k < made->tree->inner; k++)
        made->arithmetic->of_node[k] = made->tree->child[2 * k + 1] >= n       ? 0
                                       : accordi_rng_below(rng, odd) + 1 < odd ? 1
                                                                               : 2;
    made->model = (accord_model){made->tree, made->arithmetic};
}

/* Nothing overflows, so that every rounding shows. */
static void draw_near_one(accordi_rng *rng, enum accord_format format, double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] =
            format == ACCORD_F64 ? accordi_rng_normal(rng) : (double)(float)accordi_rng_normal(rng);
}

static void test_lanes_of_single_rows(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(200); t++) {
        models_made made;
        draw_lanes(&rng, &made);
        against_oracle(&rng, &made.model, t % 4 ? draw_near_one : models_draw_row);
        models_clear(&made);
    }
}

/* A model of another fingerprint differs in words, and one of the same does not. */
static void test_fingerprints(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(400); t++) {
        models_made made;
        accord_arithmetic *other = NULL;
        char one[ACCORD_FINGERPRINT_SIZE], two[ACCORD_FINGERPRINT_SIZE], words[200] = "";
        models_random(&rng, (enum models_kind)accordi_rng_below(&rng, MODELS_KINDS), 12, &made);
        const accord_tree *tree = made.model.tree;
        accord_arithmetic_copy(made.arithmetic, tree->inner, &other, NULL);
        accord_model changed = {tree, other};
        assert_false(accord_model_differ(&made.model, &changed, words, sizeof words));
        if (tree->inner && other->of_node && accordi_rng_below(&rng, 2))
            other->of_node[accordi_rng_below(&rng, tree->inner)] =
                (uint8_t)accordi_rng_below(&rng, other->operations);
        else if (other->operations && accordi_rng_below(&rng, 2))
            other->operation[0].rounding =
                (enum accord_rounding)((other->operation[0].rounding + 1) % 4);
        else
            other->negative_zero = !other->negative_zero;
        assert_int_equal(accord_model_fingerprint(&made.model, one, NULL), ACCORD_OK);
        assert_int_equal(accord_model_fingerprint(&changed, two, NULL), ACCORD_OK);
        bool differ = accord_model_differ(&made.model, &changed, words, sizeof words);
        if (tree->inner && differ != (strcmp(one, two) != 0))
            fail_msg("%s and %s, but in words: %s", one, two, differ ? words : "the same");
        accord_arithmetic_free(other);
        models_clear(&made);
    }
}

/* The same said node by node is the same: in words, by its fingerprint, and in bits. */
static void test_scalings(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(400); t++) {
        models_made made;
        operands o;
        accord_error error = {.text = ""};
        char one[ACCORD_FINGERPRINT_SIZE], two[ACCORD_FINGERPRINT_SIZE], words[200] = "";
        models_random(&rng, (enum models_kind)accordi_rng_below(&rng, MODELS_ANY), 12, &made);
        accord_arithmetic *how = made.arithmetic, other = *how;
        uint32_t nodes = made.tree->leaves + made.tree->inner;
        if (how->alpha_at == ACCORD_ALPHA_ONE) {
            models_clear(&made);
            continue;
        }
        other.alpha_at = ACCORD_ALPHA_NODES;
        assert_int_equal(accordi_scaling(&made.model, &other.alpha_of, NULL), ACCORD_OK);
        other.alpha_nodes = nodes;
        const accord_model said = {made.tree, &other};
        if (accord_model_check(&said, &error)) {
            if (!strstr(error.text, "which is infinite")) /* as a factor of a node it may be */
                fail_msg("%s", error.text);
            models_clear(&made);
            free(other.alpha_of);
            continue;
        }
        operands_draw(&rng, how, nodes, models_draw_row, &o);
        double want[ROWS];
        replay_rows(&made.model, &o, ROWS, false, true);
        memcpy(want, o.result, sizeof want);
        replay_rows(&said, &o, ROWS, false, true);
        for (size_t r = 0; r < ROWS; r++)
            assert_true(same(o.result[r], want[r]));
        assert_int_equal(accord_model_fingerprint(&made.model, one, NULL), ACCORD_OK);
        assert_int_equal(accord_model_fingerprint(&said, two, NULL), ACCORD_OK);
        if (accord_model_differ(&made.model, &said, words, sizeof words) || strcmp(one, two) != 0)
            fail_msg("node by node it is another: %s", words);
        uint32_t at;
        do /* no term is retaken */
            at = (uint32_t)accordi_rng_below(&rng, nodes);
        while (other.alpha_of[at] == ACCORD_SCALED_RETAKEN);
        if (other.alpha_of[at]) {
            other.alpha_of[at] =
                (uint8_t)(other.alpha_of[at] % 2 ? other.alpha_of[at] + 1 : other.alpha_of[at] - 1);
            assert_int_equal(accord_model_fingerprint(&said, two, NULL), ACCORD_OK);
            assert_true(accord_model_differ(&made.model, &said, words, sizeof words));
            assert_string_not_equal(one, two);
        }
        other.alpha_of[at] = other.alpha_of[at] ? 0 : 3;
        if (at + 1 < nodes || made.tree->leaves > 1)
            assert_int_equal(accord_model_check(&said, &error), ACCORD_ARG);
        free(other.alpha_of);
        operands_clear(&o);
        models_clear(&made);
    }
}

static accord_model small_model(accord_tree **tree, accord_arithmetic **how, uint32_t n)
{
    uint32_t parent[128];
    for (uint32_t i = 0; i < n; i++)
        parent[i] = n + (i ? i - 1 : 0);
    for (uint32_t k = 0; k + 1 < n; k++)
        parent[n + k] = k + 2 < n ? n + k + 1 : ACCORD_TREE_NO_NODE;
    assert_int_equal(accord_tree_from_parents(n, n - 1, parent, tree, NULL), ACCORD_OK);
    accord_arithmetic *plain = NULL;
    accord_arithmetic_plain(ACCORD_TERM_PRODUCT, ACCORD_F32, ACCORD_F32, ACCORD_F32, &plain, NULL);
    assert_int_equal(accord_arithmetic_copy(plain, n - 1, how, NULL), ACCORD_OK);
    accord_arithmetic_free(plain);
    return (accord_model){*tree, *how};
}

/* An addition in every format with every rounding, stored in another: the words of all of them fit
 * into the size that is promised. */
static void test_longest_words(void **state)
{
    enum { WAYS = ACCORD_FORMAT_COUNT * ACCORD_ROUNDING_COUNT };
    (void)state;
    accord_tree *tree = NULL;
    accord_arithmetic *how = NULL;
    char text[4 * ACCORD_DESCRIPTION_SIZE];
    accord_model model = small_model(&tree, &how, 60);
    free(how->operation);
    how->operation = accordi_alloc(WAYS, sizeof *how->operation);
    how->operations = WAYS;
    for (uint32_t i = 0; i < WAYS; i++)
        how->operation[i] = (accord_operation){(enum accord_format)(i % ACCORD_FORMAT_COUNT),
                                               (enum accord_rounding)(i / ACCORD_FORMAT_COUNT),
                                               ACCORD_F32,
                                               -1,
                                               (enum accord_format)(i * 5 % ACCORD_FORMAT_COUNT),
                                               0,
                                               (enum accord_zero)(i % 4)};
    for (uint32_t k = 0; k < 59; k++)
        how->of_node[k] = (uint8_t)(k % WAYS);
    how->alpha = 2;
    how->alpha_at = ACCORD_ALPHA_SUM;
    how->beta = 3;
    accord_model_describe(&model, text, sizeof text);
    assert_true(strlen(text) > 400);
    assert_true(strlen(text) < ACCORD_DESCRIPTION_SIZE);
    accord_arithmetic_free(how);
    accord_tree_free(tree);
}

static void test_words(void **state)
{
    (void)state;
    accord_tree *tree = NULL;
    accord_arithmetic *how = NULL;
    char text[200];
    accord_model model = small_model(&tree, &how, 40);
    accord_operation *two = accordi_alloc(2, sizeof *two);
    accord_model_describe(&model, text, sizeof text);
    assert_string_equal(text, "f32 to nearest, products rounded first");
    two[0] = (accord_operation){
        .format = ACCORD_F32, .product = ACCORD_F32, .fused = 1, .stored = ACCORD_F64};
    two[1] = (accord_operation){
        .format = ACCORD_F64, .product = ACCORD_F32, .fused = -1, .stored = ACCORD_F64};
    free(how->operation);
    how->operation = two;
    how->operations = 2;
    for (uint32_t k = 31; k < 39; k++)
        how->of_node[k] = 1;
    accord_model_describe(&model, text, sizeof text);
    assert_string_equal(text, "f32 to nearest, products fused into 31 of 39 sums; 8 of 39 "
                              "additions in f64; result rounded to f32");
    accord_model_describe(&model, text, 8);
    assert_string_equal(text, "f32 to ");
    accord_arithmetic *other = NULL;
    accord_arithmetic_copy(how, 39, &other, NULL);
    other->of_node[31] = 0;
    accord_model second = {tree, other};
    assert_true(accord_model_differ(&model, &second, text, sizeof text));
    assert_string_equal(text, "addition 32 of 39 (node 71): in A f64 to nearest, products rounded "
                              "to f32; in B f32 to nearest, the product of child 1 fused");
    accord_arithmetic_free(other);
    accord_arithmetic_free(how);
    accord_tree_free(tree);
}

/* Everything that does not fit is refused, with a word on what. */
static void test_refusals(void **state)
{
    (void)state;
    accord_tree *tree = NULL;
    accord_arithmetic *how = NULL;
    accord_error error;
    accord_model model = small_model(&tree, &how, 8);
    const accord_arithmetic good = *how;
    const accord_operation plain = how->operation[0];
    assert_int_equal(accord_model_check(&model, &error), ACCORD_OK);
#define REFUSED(change, word)                                                                      \
    do {                                                                                           \
        change;                                                                                    \
        assert_int_equal(accord_model_check(&model, &error), ACCORD_ARG);                          \
        if (!strstr(error.text, word))                                                             \
            fail_msg("%s: \"%s\" does not say %s", #change, error.text, word);                     \
        *how = good;                                                                               \
        how->operation[0] = plain;                                                                 \
    } while (0)
    REFUSED(how->term = (enum accord_term)9, "term");
    REFUSED(how->input = (enum accord_format)77, "format");
    REFUSED(how->operations = 0, "operations");
    REFUSED(how->operation[0].format = (enum accord_format)(-1), "format");
    REFUSED(how->operation[0].fused = 2, "fused");
    REFUSED(how->operation[0].fused = 0, "fuses its child 0");
    REFUSED(how->operation[0].fused = ACCORD_STEP, "no machine");
    REFUSED(how->alpha = 2, "alpha");
    REFUSED(how->alpha = NAN, "finite");
    REFUSED((how->alpha_at = ACCORD_ALPHA_SUM, how->alpha_node = 15), "only 15");
    REFUSED((how->alpha_at = ACCORD_ALPHA_SUM, how->alpha = 0x1p-1000, how->alpha_node = 14,
             how->beta = 0x1p1000),
            "start");
    REFUSED((how->finish = ACCORD_FINISH_OVER, how->factor = 0), "factor");
    REFUSED((how->has_machine = true, how->machine = (accord_fused){.terms = 99}), "terms");
    REFUSED((how->has_machine = true, how->machine = *accord_fused_by_name("hopper-f16"),
             how->machine.fraction = 1000),
            "fraction");
#undef REFUSED
    how->of_node[3] = 1;
    assert_int_equal(accord_model_check(&model, &error), ACCORD_ARG);
    assert_non_null(strstr(error.text, "operation 1 of 1"));
    accord_arithmetic_free(how);
    accord_tree_free(tree);
}

/* A fused multiply-add in f32 is rounded once: in f64 first it would be a tie that is none. */
static void test_rounded_once_fused(void **state)
{
    (void)state;
    accord_tree *tree = NULL;
    accord_arithmetic *how = NULL;
    accord_model model = small_model(&tree, &how, 2);
    how->operation[0].fused = 1;
    const float x[] = {0x1p24f, 0x1.000002p-30f}, y[] = {1, 0x1p30f};
    const float s[] = {0x1p0f, 0x1.000002p-24f}, t[] = {1, 0x1.fffffep-1f};
    const void *row_x[] = {x, s, x, s}, *row_y[] = {y, t, y, t};
    double result[4];
    const accord_rows rows = {.rows = 4, .x = row_x, .y = row_y, .is_f32 = true};
    assert_int_equal(accord_model_replay(&model, &rows, result, NULL), ACCORD_OK);
    for (int r = 0; r < 4; r++) {
        double want =
            r % 2 ? (double)fmaf(s[1], t[1], s[0] * t[0]) : (double)fmaf(x[1], y[1], x[0]);
        assert_true(same(result[r], want));
    }
    accord_arithmetic_free(how);
    accord_tree_free(tree);
}

/* Three terms that are summed exactly start with +0: a first product that underflows to -0 before
 * alpha multiplies it makes no sum -0, whatever child the operation says that binary nodes fuse. */
static void test_exact_sums_start(void **state)
{
    (void)state;
    const uint32_t parent[] = {3, 3, 3, ACCORD_TREE_NO_NODE};
    uint8_t alpha_of[] = {ACCORD_SCALED_FUSED, ACCORD_SCALED_FUSED, ACCORD_SCALED_NOT,
                          ACCORD_SCALED_NOT};
    accord_tree *tree = NULL;
    accord_arithmetic *how = NULL;
    assert_int_equal(accord_tree_from_parents(3, 1, parent, &tree, NULL), ACCORD_OK);
    assert_int_equal(accord_arithmetic_plain(ACCORD_TERM_PRODUCT, ACCORD_F32, ACCORD_F32,
                                             ACCORD_F32, &how, NULL),
                     ACCORD_OK);
    how->alpha = 2;
    how->beta = 1;
    how->alpha_at = ACCORD_ALPHA_NODES;
    how->alpha_of = alpha_of;
    how->alpha_nodes = 4;
    const accord_model model = {tree, how};
    const double x[] = {-0x1p-100, -0.0}, y[] = {0x1p-100, 1}, start = -0.0;
    const void *row_x[] = {x, x, x}, *row_y[] = {y, y, y};
    const accord_rows rows = {
        .rows = 3, .x = row_x, .y = row_y, .start = (double[]){start, start, start}};
    for (int fused = -1; fused < 2; fused++) {
        double result[3];
        how->operation[0].fused = fused;
        assert_int_equal(accord_model_check(&model, NULL), ACCORD_OK);
        assert_int_equal(accord_model_replay(&model, &rows, result, NULL), ACCORD_OK);
        for (int r = 0; r < 3; r++)
            assert_true(same(result[r], 0.0));
    }
    how->alpha_of = NULL;
    accord_arithmetic_free(how);
    accord_tree_free(tree);
}

int main(void)
{
    static size_t kinds[MODELS_KINDS];
    for (size_t i = 0; i < MODELS_KINDS; i++)
        kinds[i] = i;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binary_trees),
        cmocka_unit_test(test_fused_nodes),
        cmocka_unit_test(test_rounded_once),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_depth),
        {"test_models f32", test_models, NULL, NULL, &kinds[MODELS_F32]},
        {"test_models f64", test_models, NULL, NULL, &kinds[MODELS_F64]},
        {"test_models mixed", test_models, NULL, NULL, &kinds[MODELS_MIXED]},
        {"test_models any", test_models, NULL, NULL, &kinds[MODELS_ANY]},
        {"test_models machine", test_models, NULL, NULL, &kinds[MODELS_MACHINE]},
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_single_rows),
        cmocka_unit_test(test_lanes_of_single_rows),
        cmocka_unit_test(test_fingerprints),
        cmocka_unit_test(test_scalings),
        cmocka_unit_test(test_longest_words),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_rounded_once_fused),
        cmocka_unit_test(test_exact_sums_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
