/* What every addition computes: boxes along a known tree, most of whose nodes follow one rule and
 * a few of which do not. Either the odd ones come back in the model, or no model is said to hold.
 */
#include "base/base.h"
#include "record/record.h"
#include "trees.h"
#include "trials.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- boxes ---- */

/* What a node does. WIDE: its sum is kept in double, and its parent, LATE, rounds the sum of that
 * and the other: an addition in f64, too. */
enum odd { USUAL, FUSED, TOWARD_ZERO, UPWARD, NARROW, WIDE, LATE };

typedef struct box {
    const accord_tree *tree;
    uint8_t *odd;  /* per inner node */
    bool products; /* of two factors each */
    double *value; /* per node */
} box;

static double rounded_sum(enum odd odd, double a, double b)
{
    switch (odd) {
    case TOWARD_ZERO:
        return accord_format_add(ACCORD_F32, ACCORD_TOWARD_ZERO, a, b);
    case UPWARD:
        return accord_format_add(ACCORD_F32, ACCORD_UP, a, b);
    case NARROW:
        return accord_format_round(ACCORD_BF16, ACCORD_NEAREST_EVEN,
                                   accord_format_round(ACCORD_BF16, ACCORD_NEAREST_EVEN, a) +
                                       accord_format_round(ACCORD_BF16, ACCORD_NEAREST_EVEN, b));
    case WIDE:
        return a + b;
    default:
        return (double)(float)(a + b);
    }
}

static double run_box(const box *b, const float *x, const float *y)
{
    const accord_tree *tree = b->tree;
    uint32_t n = tree->leaves;
    for (uint32_t i = 0; i < n; i++)
        b->value[i] = y ? (double)(x[i] * y[i]) : (double)x[i];
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        enum odd odd = (enum odd)b->odd[k];
        int leaf = child[1] < n ? 1 : 0;
        double one = b->value[child[0]], two = b->value[child[1]];
        if (odd == FUSED)
            b->value[n + k] =
                (double)fmaf(x[child[leaf]], y[child[leaf]], (float)b->value[child[!leaf]]);
        else
            b->value[n + k] = rounded_sum(odd, one, two);
    }
    return (double)(float)b->value[n + tree->inner - 1];
}

static double run_values(void *context, const void *x, size_t n)
{
    (void)n;
    return run_box(context, x, NULL);
}

static void run_products(void *context, const accord_grid *grid, double *results)
{
    results[0] = run_box(context, grid->a, grid->b);
}

static accord_target *open_box(box *b)
{
    accord_target *target = NULL;
    accord_error error = {.text = ""};
    const accord_grid_callback grid = {.call = run_products,
                                       .context = b,
                                       .rows = 1,
                                       .columns = 1,
                                       .n = b->tree->leaves,
                                       .term = ACCORD_TERM_PRODUCT,
                                       .is_f32 = true};
    enum accord_status status =
        b->products
            ? accord_target_from_grid(&grid, &target, &error)
            : accord_target_from_callback(run_values, b, b->tree->leaves, true, &target, &error);
    if (status)
        fail_msg("%s", error.text);
    return target;
}

static accord_tree *order(const char *name, size_t n)
{
    accord_target_options options;
    accord_target *target = NULL;
    accord_tree *tree = NULL;
    accord_target_options_init(&options);
    options.n = n;
    assert_int_equal(accord_target_open(name, &options, &target, NULL), ACCORD_OK);
    assert_int_equal(accord_synthetic_tree(target, &tree, NULL), ACCORD_OK);
    accord_target_close(target);
    return tree;
}

static bool has_leaf(const accord_tree *tree, uint32_t k)
{
    const uint32_t *child = tree->child + tree->first[k];
    return child[0] < tree->leaves || child[1] < tree->leaves;
}

/* Makes `count` nodes odd, where that can be seen: a wide sum needs a parent that rounds it later.
 */
static void make_odd(box *b, accordi_rng *rng, enum odd odd, uint32_t count)
{
    const accord_tree *tree = b->tree;
    uint32_t *parent = accordi_alloc((size_t)tree->leaves + tree->inner, sizeof *parent);
    accord_tree_parents(tree, parent);
    for (uint32_t tries = 0; count > 0 && tries < 10000; tries++) {
        uint32_t k = (uint32_t)accordi_rng_below(rng, tree->inner), n = tree->leaves;
        bool both = has_leaf(tree, k) && tree->child[tree->first[k]] < n &&
                    tree->child[tree->first[k] + 1] < n;
        if (b->odd[k] != USUAL || (odd == FUSED && (!has_leaf(tree, k) || both)))
            continue;
        if (odd == WIDE &&
            (parent[n + k] == ACCORD_TREE_NO_NODE || b->odd[parent[n + k] - n] != USUAL || both))
            continue;
        b->odd[k] = (uint8_t)odd;
        if (odd == WIDE)
            b->odd[parent[n + k] - n] = LATE;
        count--;
    }
    free(parent);
}

/* Does the model say of each odd node that it is, and of no other? */
static bool tells_odd(const box *b, const accord_record *record)
{
    const accord_arithmetic *how = record->arithmetic;
    if (!accord_tree_equal(b->tree, record->tree))
        return false;
    for (uint32_t k = 0; k < b->tree->inner; k++) {
        const accord_operation *op = how->operation + (how->of_node ? how->of_node[k] : 0);
        bool fused = op->fused >= 0, near = op->rounding == ACCORD_NEAREST_EVEN;
        enum odd said = fused                                ? FUSED
                        : op->rounding == ACCORD_TOWARD_ZERO ? TOWARD_ZERO
                        : op->rounding == ACCORD_UP          ? UPWARD
                        : op->format == ACCORD_BF16          ? NARROW
                        : op->format == ACCORD_F64           ? WIDE
                                                             : USUAL;
        enum odd is = b->odd[k] == LATE ? WIDE : (enum odd)b->odd[k];
        if (said != is || (!near && said < TOWARD_ZERO))
            return false;
    }
    return true;
}

/* What became of boxes with odd nodes. */
typedef struct outcomes {
    size_t found, named, refused, missed;
} outcomes;

/* A node that rounds off masks or counts of units may leave no order to be seen at all. */
static bool is_coarse(enum odd odd)
{
    return odd == TOWARD_ZERO || odd == UPWARD || odd == NARROW;
}

/* Found: the model says which nodes are odd. Missed: a model, but another one. */
static void reveal_odd(const char *name, size_t n, bool products, enum odd odd, uint32_t count,
                       uint64_t seed, outcomes *tally)
{
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    accord_tree *tree = order(name, n);
    box b = {tree, accordi_calloc(tree->inner, 1), products,
             accordi_alloc((size_t)tree->leaves + tree->inner, sizeof(double))};
    make_odd(&b, &rng, odd, count);
    accord_target *target = open_box(&b);
    accord_reveal_options options;
    accord_record record;
    accord_error error = {.text = ""};
    accordi_record_init(&record);
    accord_reveal_options_init(&options);
    options.seed = seed;
    enum accord_status status = accord_reveal(target, &options, &record, &error);
    if (status != ACCORD_OK && status != ACCORD_UNABLE)
        fail_msg("%s, n = %zu: %s", name, n, error.text);
    bool found = record.arithmetic && tells_odd(&b, &record);
    tally->found += found;
    tally->missed += (record.arithmetic || record.proven) && !found;
    tally->named += !record.arithmetic && strstr(error.text, "rounds otherwise than most") != NULL;
    tally->refused += !record.arithmetic;
    if (!found)
        print_message("# %s, n = %zu, %u nodes of kind %d%s, seed %" PRIu64 ": %s\n", name, n,
                      count, (int)odd, products ? " among products" : "", seed,
                      record.arithmetic ? record.verdict : error.text);
    if (record.arithmetic && record.nodes_probed < record.nodes)
        assert_true(record.nodes_tested + record.nodes_probed >= record.nodes);
    accord_record_clear(&record);
    accord_target_close(target);
    free(b.odd);
    free(b.value);
    accord_tree_free(tree);
}

static const char *const odd_orders[] = {"synthetic:sequential", "synthetic:pairwise",
                                         "synthetic:lanes:8"};
static const enum odd odd_kinds[] = {FUSED, TOWARD_ZERO, UPWARD, NARROW, WIDE};

/* At 1500 nodes and more not all of them are asked one by one. */
static void test_odd_nodes(void **state)
{
    (void)state;
    static const uint32_t nodes[] = {1, 2, 10};
    uint64_t seed = trials_seed();
    for (size_t t = 0; t < trials(1); t++)
        for (size_t i = (seed + t) % 4; i < 15; i += 4) {
            if (!trial_runs(i / 4, seed))
                continue;
            outcomes tally = {0};
            enum odd odd = odd_kinds[i % 5];
            uint64_t own = seed + 100 * t + i;
            reveal_odd(odd_orders[(own / 7) % 3], 1500, odd == FUSED || (own % 2 && odd > UPWARD),
                       odd, nodes[own % 3], own, &tally);
            assert_true(tally.found || (is_coarse(odd) && tally.refused));
        }
    outcomes tally = {0};
    reveal_odd("synthetic:sequential", trials_are_all() ? 2500 : 1600, true, FUSED, 1, seed,
               &tally);
    if (trials(1) > 1)
        reveal_odd("synthetic:lanes:8", 20000, false, WIDE, 2, seed, &tally);
    assert_int_equal(tally.refused + tally.missed, 0);
}

/* One odd node, or two, at any size: none is missed. */
static void test_odd_nodes_of_all_sizes(void **state)
{
    (void)state;
    static const struct {
        size_t n, boxes;
    } sizes[] = {{5, 40}, {50, 30}, {500, 10}, {2000, 1}};
    uint64_t seed = trials_seed();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        outcomes tally = {0};
        for (size_t i = 0; i < trials(sizes[s].boxes); i++) {
            accordi_rng rng;
            accordi_rng_init(&rng, seed + 1000 * s + i);
            enum odd odd = odd_kinds[accordi_rng_below(&rng, 5)];
            bool products = odd == FUSED || accordi_rng_below(&rng, 2);
            reveal_odd(odd_orders[accordi_rng_below(&rng, 3)], sizes[s].n, products, odd,
                       1 + (uint32_t)accordi_rng_below(&rng, 2), accordi_rng_next(&rng), &tally);
        }
        print_message("# n = %zu: %zu found, %zu refused (%zu by name), %zu missed\n", sizes[s].n,
                      tally.found, tally.refused, tally.named, tally.missed);
        assert_int_equal(tally.missed, 0);
    }
}

/* Nothing odd: no round may say otherwise, and all nodes are tested. */
static void test_plain_nodes(void **state)
{
    (void)state;
    static const char *const boxes[] = {"sequential",
                                        "pairwise",
                                        "numpy",
                                        "lanes:8",
                                        "yule",
                                        "reverse",
                                        "sequential,fma",
                                        "pairwise,products",
                                        "lanes:8,fma=first",
                                        "numpy,tail=f64",
                                        "lanes:16,mixed",
                                        "mean",
                                        "yule,flush=both",
                                        "uniform,fma"};
    static const enum accord_format formats[] = {ACCORD_F32, ACCORD_F64, ACCORD_BF16, ACCORD_F16};
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < trials(7); i++) {
        char name[80];
        accord_target_options options;
        accord_target *target = NULL;
        accord_record record;
        accord_error error = {.text = ""};
        size_t at = (seed + i) % (sizeof boxes / sizeof *boxes);
        snprintf(name, sizeof name, "synthetic:%s", boxes[at]);
        accord_target_options_init(&options);
        options.n = 1026 + (size_t)((seed + 37 * i) % 600);
        options.has_format = true;
        options.format =
            strstr(name, "mixed") || strstr(name, "mean") ? ACCORD_F32 : formats[(seed + i) % 3];
        accordi_record_init(&record);
        if (accord_target_open(name, &options, &target, &error) ||
            accord_reveal(target, NULL, &record, &error))
            fail_msg("%s, n = %zu, %s: %s", name, options.n,
                     accord_format_get(options.format)->name, error.text);
        if (!record.arithmetic || record.nodes_tested + record.nodes_probed < record.nodes)
            fail_msg("%s, n = %zu, %s: %s", name, options.n,
                     accord_format_get(options.format)->name, record.verdict);
        if (record.nodes_probed < record.nodes &&
            !(record.node_miss > 0 && record.node_miss < 1e-6))
            fail_msg("%s, n = %zu: %s", name, options.n, record.verdict);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

/* ---- flushing ---- */

/* A small number: a subnormal, the least normal one, or something near, of either sign. */
static double tiny(accordi_rng *rng, enum accord_format format, bool factor)
{
    const accord_format_info *row = accord_format_get(format);
    int low = factor ? row->min_exponent / 2 - 1 : row->min_exponent - 3;
    double x =
        ldexp(1 + (double)accordi_rng_below(rng, 8) / 8, low + (int)accordi_rng_below(rng, 6));
    if (factor && accordi_rng_below(rng, 4) == 0)
        x = accordi_rng_below(rng, 2) ? ldexp(row->least, (int)accordi_rng_below(rng, 4)) : 16;
    x = accord_format_round(format, ACCORD_NEAREST_EVEN, x);
    return accordi_rng_below(rng, 2) ? x : -x;
}

/* Holds the model of a record against its target on inputs near the least normal number. */
static void expect_bits(accord_target *target, const accord_record *record, accordi_rng *rng)
{
    size_t n = target->n, size = target->storage_f32 ? sizeof(float) : sizeof(double);
    bool products = target->term == ACCORD_TERM_PRODUCT;
    double given, due;
    void *values[2] = {accordi_alloc(n, size), accordi_alloc(n, size)};
    const accord_model model = {record->tree, record->arithmetic};
    for (size_t t = 0; t < 2000; t++) {
        for (size_t i = 0; i < 2 * n; i++) {
            double x = tiny(rng, target->format, products);
            if (target->storage_f32)
                ((float *)values[i / n])[i % n] = (float)x;
            else
                ((double *)values[i / n])[i % n] = x;
        }
        const accord_batch batch = {
            .probes = 1, .dense = values[0], .dense_second = products ? values[1] : NULL};
        const accord_rows rows = {.rows = 1,
                                  .x = (const void *const *)&values[0],
                                  .y = products ? (const void *const *)&values[1] : NULL,
                                  .is_f32 = target->storage_f32};
        assert_int_equal(accord_target_run(target, &batch, &given, NULL), ACCORD_OK);
        assert_int_equal(accord_model_replay(&model, &rows, &due, NULL), ACCORD_OK);
        if (memcmp(&given, &due, sizeof due))
            fail_msg("%s, n = %zu, %s: %a, where the model gives %a; %s", target->notation, n,
                     accord_format_get(target->format)->name, given, due, record->verdict);
    }
    free(values[0]);
    free(values[1]);
}

static void reveal_small(accord_target *target, uint64_t seed)
{
    accordi_rng rng;
    accord_record record;
    accord_error error = {.text = ""};
    accord_reveal_options options;
    accordi_rng_init(&rng, seed);
    accord_reveal_options_init(&options);
    options.seed = seed;
    accordi_record_init(&record);
    if (accord_reveal(target, &options, &record, &error))
        fail_msg("%s, n = %zu: %s", target->notation, target->n, error.text);
    if (!record.arithmetic)
        fail_msg("%s, n = %zu: %s", target->notation, target->n, record.verdict);
    expect_bits(target, &record, &rng);
    accord_record_clear(&record);
}

static void test_flushes(void **state)
{
    (void)state;
    static const char *const words[] = {"input", "output", "both",     "daz",   "x",
                                        "y",     "sums",   "products", "result"};
    static const char *const orders[] = {"sequential", "pairwise", "lanes:4"};
    static const char *const terms[] = {"", ",products", ",fma", ",start=zero"};
    static const size_t counts[] = {1, 2, 3, 7, 24, 100};
    static const enum accord_format formats[] = {ACCORD_F32, ACCORD_F64, ACCORD_F16, ACCORD_BF16};
    uint64_t seed = trials_seed();
    for (size_t t = 0; t < trials(40); t++) {
        accordi_rng rng;
        char name[80];
        accord_target_options options;
        accord_target *target = NULL;
        accordi_rng_init(&rng, seed + t);
        accord_target_options_init(&options);
        options.n = counts[accordi_rng_below(&rng, 6)];
        options.has_format = true;
        options.format = formats[accordi_rng_below(&rng, 4)];
        snprintf(name, sizeof name, "synthetic:%s,flush=%s%s", orders[accordi_rng_below(&rng, 3)],
                 words[accordi_rng_below(&rng, 9)], terms[accordi_rng_below(&rng, 4)]);
        assert_int_equal(accord_target_open(name, &options, &target, NULL), ACCORD_OK);
        reveal_small(target, seed + t);
        accord_target_close(target);
    }
}

/* ---- flushing at some nodes ---- */

/* Additions along a tree, each with bits of enum accord_flush of its own. */
typedef struct flusher {
    const accord_tree *tree;
    uint8_t *flush; /* per inner node */
    bool products;
    float *value; /* per node */
} flusher;

static float flushed(float x, bool yes)
{
    return yes && fabsf(x) < 0x1p-126F ? copysignf(0, x) : x;
}

static float run_flusher(const flusher *f, const float *x, const float *y)
{
    const accord_tree *tree = f->tree;
    uint32_t n = tree->leaves;
    for (uint32_t k = 0; k < tree->inner; k++) {
        float sum = 0;
        unsigned flush = f->flush[k];
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
            uint32_t child = tree->child[c];
            float v = child < n ? flushed(x[child], flush & ACCORD_FLUSH_X) : f->value[child];
            if (child < n && y)
                v = flushed(v * flushed(y[child], flush & ACCORD_FLUSH_Y),
                            flush & ACCORD_FLUSH_PRODUCTS);
            sum = c == tree->first[k] ? v : sum + v;
        }
        bool last = k + 1 == tree->inner;
        f->value[n + k] = flushed(sum, flush & (last ? ACCORD_FLUSH_RESULT : ACCORD_FLUSH_SUMS));
    }
    return f->value[n + tree->inner - 1];
}

static double flush_values(void *context, const void *x, size_t n)
{
    (void)n;
    return (double)run_flusher(context, x, NULL);
}

static void flush_products(void *context, const accord_grid *grid, double *results)
{
    results[0] = (double)run_flusher(context, grid->a, grid->b);
}

/* All nodes flush one set of things, but for some: which flush nothing, or another set. Either the
 * model gives the bits, or there is none, and the reason names what is flushed at some nodes. */
static void reveal_flusher(accordi_rng *rng, size_t n, uint64_t seed, size_t *found, size_t *named)
{
    static const char *const orders[] = {"synthetic:sequential", "synthetic:pairwise",
                                         "synthetic:lanes:4"};
    accord_tree *tree = order(orders[accordi_rng_below(rng, 3)], n);
    flusher f = {tree, accordi_calloc(tree->inner, 1), accordi_rng_below(rng, 2),
                 accordi_alloc((size_t)tree->leaves + tree->inner, sizeof(float))};
    unsigned all = 1 + (unsigned)accordi_rng_below(rng, ACCORD_FLUSH_ALL);
    unsigned some =
        accordi_rng_below(rng, 2) ? 0 : (unsigned)accordi_rng_below(rng, ACCORD_FLUSH_ALL + 1);
    uint64_t one_in = 1 + accordi_rng_below(rng, 4);
    for (uint32_t k = 0; k < tree->inner; k++)
        f.flush[k] = (uint8_t)(accordi_rng_below(rng, one_in) ? some : all);
    const accord_grid_callback grid = {.call = flush_products,
                                       .context = &f,
                                       .rows = 1,
                                       .columns = 1,
                                       .n = n,
                                       .term = ACCORD_TERM_PRODUCT,
                                       .is_f32 = true};
    accord_target *target = NULL;
    accord_record record;
    accord_error error = {.text = ""};
    accord_reveal_options options;
    accord_reveal_options_init(&options);
    options.seed = seed;
    accordi_record_init(&record);
    assert_int_equal(f.products
                         ? accord_target_from_grid(&grid, &target, NULL)
                         : accord_target_from_callback(flush_values, &f, n, true, &target, NULL),
                     ACCORD_OK);
    enum accord_status status = accord_reveal(target, &options, &record, &error);
    if (status && status != ACCORD_UNABLE)
        fail_msg("n = %zu, seed %" PRIu64 ": %s", n, seed, error.text);
    bool names = strstr(error.text, "count as zero in") != NULL;
    if (record.arithmetic)
        expect_bits(target, &record, rng);
    else if (!names)
        print_message("# n = %zu, all %u some %u%s, seed %" PRIu64 ": %s\n", n, all, some,
                      f.products ? " products" : "", seed, error.text);
    *found += record.arithmetic != NULL;
    *named += !record.arithmetic && names;
    accord_record_clear(&record);
    accord_target_close(target);
    accord_tree_free(tree);
    free(f.flush);
    free(f.value);
}

static void test_flushes_at_some_nodes(void **state)
{
    (void)state;
    static const size_t sizes[] = {3, 7, 24, 100};
    uint64_t seed = trials_seed();
    size_t found = 0, named = 0, boxes = trials(40);
    for (size_t i = 0; i < boxes; i++) {
        accordi_rng rng;
        accordi_rng_init(&rng, seed + i);
        reveal_flusher(&rng, sizes[i % 4], seed + i, &found, &named);
    }
    print_message("# %zu boxes: %zu found, %zu named\n", boxes, found, named);
    assert_true(found > 0);
}

#if defined __SSE2__
/* A loop of a processor that takes subnormal operands, results or both for zero. */
typedef struct processor {
    unsigned mode;
    bool products;
} processor;

static double run_loop(const processor *p, const float *x, const float *y, size_t n)
{
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | p->mode);
    volatile float sum = 0;
    for (size_t i = 0; i < n; i++) {
        volatile float term = x[i];
        if (y)
            term = term * y[i];
        sum = sum + term;
    }
    __builtin_ia32_ldmxcsr(before);
    return (double)sum;
}

static double run_sum(void *context, const void *x, size_t n)
{
    return run_loop(context, x, NULL, n);
}

static processor the_processor;

static void run_dot(void *context, const accord_grid *grid, double *results)
{
    results[0] = run_loop(&the_processor, grid->a, grid->b, *(const size_t *)context);
}

static void test_processor(void **state)
{
    (void)state;
    enum { DAZ = 0x40, FTZ = 0x8000 };
    static const unsigned modes[] = {0, DAZ, FTZ, DAZ | FTZ};
    static const size_t counts[] = {1, 2, 3, 7, 24, 100};
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < 48; i++) {
        if (!trial_runs(i + i / 4, seed))
            continue;
        accord_target *target = NULL;
        size_t n = counts[i / 4 % 6];
        the_processor = (processor){modes[i % 4], i >= 24};
        const accord_grid_callback grid = {.call = run_dot,
                                           .context = &n,
                                           .rows = 1,
                                           .columns = 1,
                                           .n = n,
                                           .term = ACCORD_TERM_PRODUCT,
                                           .is_f32 = true};
        assert_int_equal(
            the_processor.products
                ? accord_target_from_grid(&grid, &target, NULL)
                : accord_target_from_callback(run_sum, &the_processor, n, true, &target, NULL),
            ACCORD_OK);
        reveal_small(target, seed + i);
        accord_target_close(target);
    }
}
#endif

/* ---- how a factor enters ---- */

/* Sums of f32, and then a way of dividing by their number. */
enum mean { DIVIDED, TIMES_F64, TIMES_F32, MEANS };

static double run_mean(void *context, const void *x, size_t n)
{
    float sum = ((const float *)x)[0];
    for (size_t i = 1; i < n; i++)
        sum += ((const float *)x)[i];
    switch (*(const enum mean *)context) {
    case DIVIDED:
        return (double)(sum / (float)n);
    case TIMES_F64:
        return (double)(float)((double)sum * (1 / (double)n));
    default:
        return (double)(sum * (1 / (float)n));
    }
}

static void test_means(void **state)
{
    (void)state;
    static const size_t counts[] = {2, 3, 7, 8, 10, 24, 64, 100};
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < MEANS * sizeof counts / sizeof *counts; i++) {
        if (!trial_runs(i, seed))
            continue;
        enum mean mean = (enum mean)(i % MEANS);
        accord_target *target = NULL;
        assert_int_equal(
            accord_target_from_callback(run_mean, &mean, counts[i / MEANS], true, &target, NULL),
            ACCORD_OK);
        reveal_small(target, seed + i);
        accord_target_close(target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odd_nodes_of_all_sizes),
        cmocka_unit_test(test_odd_nodes),
        cmocka_unit_test(test_plain_nodes),
        cmocka_unit_test(test_flushes),
        cmocka_unit_test(test_flushes_at_some_nodes),
        cmocka_unit_test(test_means),
#if defined __SSE2__
        cmocka_unit_test(test_processor),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
