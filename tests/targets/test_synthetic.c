/* Synthetic targets: their trees, their sums, and the meaning of batches. */
#include "exact/accumulator/exact.h"
#include "models.h"
#include "targets/synthetic/synthetic.h"
#include "trials.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- helpers ---- */

typedef struct opened {
    accord_target target;
    enum accord_status status;
    accord_error error;
} opened;

static opened open_as(const char *name, size_t n, enum accord_format format, bool has_format)
{
    accord_target_options options = {
        .n = n, .seed = 42, .has_format = has_format, .format = format};
    opened o = {.target = {.n = n}};
    o.status = accordi_synthetic_open(&o.target, name, &options, &o.error);
    return o;
}

static void shut(opened *o)
{
    if (o->status == ACCORD_OK)
        o->target.kind->close(&o->target);
}

static void run(accord_target *target, const accord_batch *batch, double *result)
{
    assert_int_equal(target->kind->run(target, batch, result, NULL), ACCORD_OK);
}

/* One dense probe. */
static double ask(accord_target *target, const double *x)
{
    float *single = accordi_alloc(target->n, sizeof *single);
    for (size_t i = 0; i < target->n; i++)
        single[i] = (float)x[i];
    accord_batch batch = {.probes = 1, .dense = target->storage_f32 ? (const void *)single : x};
    double result = -1;
    run(target, &batch, &result);
    free(single);
    return result;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

static bool append(void *context, const char *text, size_t length)
{
    accordi_buffer_append(context, text, length);
    return true;
}

/* The brackets of a tree, for free. */
static char *brackets(const accord_tree *tree)
{
    accordi_buffer buffer = {0};
    assert_int_equal(accord_tree_write_brackets(tree, append, &buffer, NULL), ACCORD_OK);
    return buffer.data;
}

/* ---- trees ---- */

static void test_documented_trees(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t n;
        const char *tree;
    } cases[] = {
        {"sequential", 1, "0"},
        {"sequential", 5, "((((0+1)+2)+3)+4)"},
        {"reverse", 2, "(0+1)"},
        {"reverse", 4, "(0+(1+(2+3)))"},
        {"pairwise", 3, "(0+(1+2))"},
        {"pairwise", 7, "((0+(1+2))+((3+4)+(5+6)))"},
        {"pairwise", 8, "(((0+1)+(2+3))+((4+5)+(6+7)))"},
        {"adjacent", 3, "((0+1)+2)"},
        {"adjacent", 5, "(((0+1)+(2+3))+4)"},
        {"adjacent", 7, "(((0+1)+(2+3))+((4+5)+6))"},
        {"lanes:2", 5, "(((0+2)+4)+(1+3))"},
        {"lanes:4", 4, "((0+2)+(1+3))"},
        {"lanes:4", 9, "((((0+4)+8)+(2+6))+((1+5)+(3+7)))"},
        {"lanes:4,fold=pairwise", 8, "(((0+4)+(1+5))+((2+6)+(3+7)))"},
        {"lanes:4,fold=sequential", 8, "((((0+4)+(1+5))+(2+6))+(3+7))"},
        {"lanes:3", 3, "((0+2)+1)"},
        {"lanes", 2, "(0+1)"},
        {"blocks:3", 8, "((((0+1)+2)+((3+4)+5))+(6+7))"},
        {"blocks:1", 4, "(((0+1)+2)+3)"},
        {"numpy", 7, "((((((0+1)+2)+3)+4)+5)+6)"},
        {"numpy", 10, "(((((0+1)+(2+3))+((4+5)+(6+7)))+8)+9)"},
        {"star", 4, "(0+1+2+3)"},
        {"star", 2, "(0+1)"},
        {"fused:2", 7, "((((0+1)+2+3)+4+5)+6)"},
        {"fused:3", 7, "(((0+1+2)+3+4+5)+6)"},
        {"wide", 4, "(((0+1)+2)+3)"},
        {"mean", 4, "(((0+1)+2)+3)"},
        {"volta-f16", 9, "(((0+1+2+3)+4+5+6+7)+8)"},
        {"machine:volta-f16", 6, "((0+1+2+3)+4+5)"},
        {"cdna1-f16", 7, "(((0+1)+(2+3))+((4+5)+6))"},
        {"cdna1-bf16", 5, "(((0+1)+(2+3))+4)"},
        {"cdna1-f32", 3, "((0+1)+2)"},
        {"cdna3-xf32", 9, "(((0+1+2+3)+4+5+6+7)+8)"},
        {"cdna3-e4m3", 18, "((0+1+2+3+4+5+6+7+8+9+10+11+12+13+14+15)+16+17)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opened o = open_as(cases[i].name, cases[i].n, ACCORD_F32, false);
        accord_tree *tree = NULL;
        assert_int_equal(o.status, ACCORD_OK);
        assert_int_equal(accord_synthetic_tree(&o.target, &tree, NULL), ACCORD_OK);
        assert_int_equal(accord_tree_check(tree, NULL), ACCORD_OK);
        char *text = brackets(tree);
        assert_string_equal(text, cases[i].tree);
        free(text);
        accord_tree_free(tree);
        shut(&o);
    }
}

/* NumPy above 128 and 256: halves at multiples of eight. */
static void test_numpy_halves(void **state)
{
    (void)state;
    opened o = open_as("numpy", 300, ACCORD_F32, false);
    accord_tree *tree = NULL;
    assert_int_equal(accord_synthetic_tree(&o.target, &tree, NULL), ACCORD_OK);
    uint32_t *size = accordi_alloc(tree->inner, sizeof *size);
    accord_tree_sizes(tree, size);
    const uint32_t *root = tree->child + tree->first[tree->inner - 1];
    assert_int_equal(size[root[0] - 300], 144); /* 300/2 = 150, less 150 % 8 */
    assert_int_equal(size[root[1] - 300], 156);
    const uint32_t *right = tree->child + tree->first[root[1] - 300];
    assert_int_equal(size[right[0] - 300], 72); /* 156/2 = 78, less 6 */
    free(size);
    accord_tree_free(tree);
    shut(&o);
}

static void test_random_trees(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(3000); t++) {
        enum accordi_tree_kind kind = (enum accordi_tree_kind)(t % ACCORDI_TREE_KINDS);
        size_t n = 1 + (size_t)accordi_rng_below(&rng, t % 3 ? 12 : 400);
        accordi_rng again = rng;
        accord_tree *tree = NULL, *twin = NULL;
        assert_int_equal(accordi_random_tree(&rng, kind, n, &tree, NULL), ACCORD_OK);
        assert_int_equal(accordi_random_tree(&again, kind, n, &twin, NULL), ACCORD_OK);
        assert_int_equal(accord_tree_check(tree, NULL), ACCORD_OK);
        assert_int_equal(tree->leaves, n);
        assert_true(accord_tree_equal(tree, twin));
        if (kind != ACCORDI_TREE_MULTIWAY && kind != ACCORDI_TREE_CHAIN)
            assert_int_equal(tree->inner, n - 1);
        accord_tree_free(tree);
        accord_tree_free(twin);
    }
    accord_tree *tree = NULL;
    assert_int_equal(accordi_random_tree(&rng, ACCORDI_TREE_KINDS, 3, &tree, NULL), ACCORD_ARG);
    assert_int_equal(accordi_random_tree(&rng, ACCORDI_TREE_YULE, 0, &tree, NULL), ACCORD_ARG);
}

static size_t cut_one(accordi_order *order, size_t count)
{
    (void)order;
    return count - 1;
}

static uint32_t single(accordi_order *order, size_t from, size_t count)
{
    (void)order;
    (void)count;
    return (uint32_t)from;
}

static void cut_ones(accordi_order *order)
{
    accordi_order_divide(order, cut_one, single);
}

/* The worst cuts there are need no deep stack. */
static void test_skewed_cuts(void **state)
{
    (void)state;
    accord_tree *tree = NULL, *chain = NULL;
    assert_int_equal(accordi_order_make(cut_ones, 100000, 0, NULL, NULL, &tree, NULL), ACCORD_OK);
    assert_int_equal(
        accordi_order_make(accordi_order_sequential, 100000, 0, NULL, NULL, &chain, NULL),
        ACCORD_OK);
    assert_true(accord_tree_equal(tree, chain));
    accord_tree_free(tree);
    accord_tree_free(chain);
}

/* All 15 binary trees of four labeled leaves come equally often: chi-square with 14 degrees of
 * freedom stays below 60 but once in 10^7 runs. */
static void test_uniform_is_uniform(void **state)
{
    (void)state;
    enum { DRAWS = 15000, KINDS = 15 };
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    char *seen[KINDS] = {0};
    size_t count[KINDS] = {0}, kinds = 0;
    for (size_t t = 0; t < DRAWS; t++) {
        accord_tree *tree = NULL;
        assert_int_equal(accordi_random_tree(&rng, ACCORDI_TREE_UNIFORM, 4, &tree, NULL),
                         ACCORD_OK);
        char *text = brackets(tree);
        accord_tree_free(tree);
        size_t at = 0;
        while (at < kinds && strcmp(seen[at], text) != 0)
            at++;
        assert_true(at < KINDS);
        if (at == kinds)
            seen[kinds++] = text;
        else
            free(text);
        count[at]++;
    }
    assert_int_equal(kinds, KINDS);
    double chi = 0;
    for (size_t k = 0; k < KINDS; k++) {
        double off = (double)count[k] - DRAWS / KINDS;
        chi += off * off / (DRAWS / KINDS);
        free(seen[k]);
    }
    assert_true(chi < 60);
}

/* ---- sums ---- */

static bool is(const char *name, const char *other)
{
    return strcmp(name, other) == 0;
}

/* Small integers add up exactly in every order and every format. */
static void exact_sum(const char *name, enum accord_format format, bool has_format)
{
    for (size_t n = 1; n <= 40; n += n < 4 ? 1 : 12) {
        opened o = open_as(name, n, format, has_format);
        if (o.status == ACCORD_UNSUPPORTED && has_format)
            return; /* a machine with a format of its own */
        assert_int_equal(o.status, ACCORD_OK);
        assert_int_equal(o.target.format, has_format ? format : o.target.format);
        double x[64] = {0}, want = 0;
        for (size_t i = 0; i < n; i += 5)
            want += x[i] = i % 2 ? -1 : 2;
        if (is(name, "lost"))
            want -= x[n / 2];
        if (is(name, "twice"))
            want += x[n / 2];
        if (is(name, "nan"))
            want = NAN;
        if (is(name, "mean"))
            want = accord_format_round(o.target.output, ACCORD_NEAREST_EVEN, want / (double)n);
        double got = ask(&o.target, x);
        if (!same(got, want))
            fail_msg("%s, n = %zu: %g, not %g", name, n, got, want);
        shut(&o);
    }
}

static void test_exact_inputs(void **state)
{
    (void)state;
    const char *name, *about = NULL;
    bool plain;
    size_t machines = 0;
    for (size_t i = 0; (name = accord_synthetic_at(i, &plain, &about)); i++) {
        assert_non_null(about);
        exact_sum(name, ACCORD_F32, false);
        for (int f = 0; f < ACCORD_FORMAT_COUNT; f++)
            exact_sum(name, (enum accord_format)f, true);
        opened o = open_as(name, 3, ACCORD_F32, false);
        accord_tree *tree = NULL;
        enum accord_status status = accord_synthetic_tree(&o.target, &tree, NULL);
        assert_int_equal(status, plain ? ACCORD_OK : ACCORD_UNSUPPORTED);
        machines += o.target.wide_terms;
        accord_tree_free(tree);
        shut(&o);
    }
    assert_true(machines > 40);
}

/* Along any tree: against additions one by one. */
static void test_along_trees(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(1500); t++) {
        size_t n = 1 + (size_t)accordi_rng_below(&rng, 60);
        enum accord_format terms = (enum accord_format)accordi_rng_below(&rng, 7);
        enum accord_format acc = (enum accord_format)accordi_rng_below(&rng, 7);
        accord_tree *tree = NULL;
        enum accordi_tree_kind kind = (enum accordi_tree_kind)(t % ACCORDI_TREE_KINDS);
        assert_int_equal(accordi_random_tree(&rng, kind, n, &tree, NULL), ACCORD_OK);
        accord_target *target = NULL;
        assert_int_equal(accordi_synthetic_from_tree(tree, terms, acc, &target, NULL), ACCORD_OK);
        double x[128], node[128], few[128];
        for (size_t i = 0; i < n; i++) {
            x[i] = accord_format_round(terms, ACCORD_NEAREST_EVEN, accordi_rng_normal(&rng));
            node[i] = accord_format_round(acc, ACCORD_NEAREST_EVEN, x[i]);
        }
        for (uint32_t k = 0; k < tree->inner; k++) {
            size_t count = 0;
            for (uint32_t i = tree->first[k]; i < tree->first[k + 1]; i++)
                few[count++] = node[tree->child[i]];
            node[n + k] = count > 2 ? accordi_fuse(acc, few, count)
                                    : accord_format_add(acc, ACCORD_NEAREST_EVEN, few[0], few[1]);
        }
        assert_true(same(ask(target, x), node[n + tree->inner - 1]));
        accord_tree *back = NULL;
        assert_int_equal(accord_synthetic_tree(target, &back, NULL), ACCORD_OK);
        assert_true(accord_tree_equal(tree, back));
        accord_tree_free(back);
        accord_tree_free(tree);
        target->kind->close(target);
        free(target->notation);
        free(target);
    }
}

/* Terms are cut at p bits below the exponent of the largest. */
static void test_fuse(void **state)
{
    (void)state;
    const double cut[] = {0x1p24, 0.75, -0x1p24}, kept[] = {0x1p24, 1, -0x1p24};
    const double sign[] = {0x1p24, -1.75, -0x1p24}, zeros[] = {0.0, -0.0, 0.0};
    assert_true(accordi_fuse(ACCORD_F32, cut, 3) == 0);
    assert_true(accordi_fuse(ACCORD_F32, kept, 3) == 1);
    assert_true(accordi_fuse(ACCORD_F32, sign, 3) == -1);
    assert_false(signbit(accordi_fuse(ACCORD_F32, zeros, 3)));
    const double wide[] = {0x1p53, 1, -0x1p53}, narrow[] = {0x1p53, 0.5, -0x1p53};
    assert_true(accordi_fuse(ACCORD_F64, wide, 3) == 1);
    assert_true(accordi_fuse(ACCORD_F64, narrow, 3) == 0);
    const double mixed[] = {1, INFINITY, 2}, both[] = {INFINITY, 1, -INFINITY};
    assert_true(isinf(accordi_fuse(ACCORD_F16, mixed, 3)));
    assert_true(isnan(accordi_fuse(ACCORD_F16, both, 3)));
    const double tiny[] = {0x1p-1074, 0x1p-1074, 0x1p-1074};
    assert_true(accordi_fuse(ACCORD_F64, tiny, 3) == 3 * 0x1p-1074);
}

static double sum_of(const char *name, size_t n, enum accord_format format, const double *x)
{
    opened o = open_as(name, n, format, true);
    assert_int_equal(o.status, ACCORD_OK);
    double sum = ask(&o.target, x);
    shut(&o);
    return sum;
}

static void test_sums_that_are_no_trees(void **state)
{
    (void)state;
    const double x[] = {1, 1e100, 1, -1e100};
    assert_true(sum_of("sequential", 4, ACCORD_F64, x) == 0);
    assert_true(sum_of("kahan", 4, ACCORD_F64, x) == 0);
    assert_true(sum_of("neumaier", 4, ACCORD_F64, x) == 2);
    assert_true(sum_of("exact", 4, ACCORD_F64, x) == 2);
    const double y[] = {0x1p24, 1, 1, 1, 1};
    assert_true(sum_of("sequential", 5, ACCORD_F32, y) == 0x1p24);
    assert_true(sum_of("kahan", 5, ACCORD_F32, y) == 0x1p24 + 4);
    assert_true(sum_of("sorted", 5, ACCORD_F32, y) == 0x1p24 + 4);
    const double z[] = {-0x1p24, 1, 1, 0x1p24, 1};
    assert_true(sum_of("sorted", 5, ACCORD_F32, z) == 3);
    assert_true(sum_of("sorted-magnitude", 5, ACCORD_F32, z) == 3);
    const double w[] = {0x1p24, 1, -0x1p24, 1, 1};
    assert_true(sum_of("sorted", 5, ACCORD_F32, w) == 3);
    assert_true(sum_of("sequential", 5, ACCORD_F32, w) == 2);
    assert_true(sum_of("lost:1", 5, ACCORD_F32, w) == 2);
    assert_true(sum_of("lost:0", 5, ACCORD_F32, w) == -0x1p24 + 3);
    assert_true(sum_of("twice:4", 5, ACCORD_F32, w) == 3);
    /* wide: f32 terms in f64, the result in f32 again; and spelled out */
    assert_true(sum_of("wide", 5, ACCORD_F32, w) == 3);
    assert_true(sum_of("sequential,acc=f64,out=f32", 5, ACCORD_F32, w) == 3);
    const double h[] = {2048, 1, 1};
    assert_true(sum_of("sequential", 3, ACCORD_F16, h) == 2048);
    assert_true(sum_of("wide", 3, ACCORD_F16, h) == 2050);
    assert_true(sum_of("sequential,acc=bf16", 3, ACCORD_F16, h) == 2048);
    assert_true(sum_of("sequential,acc=f32", 3, ACCORD_F16, h) == 2050);
}

/* A random order at each call: 2^26, 1 and -2^26 give 1 in one case of three, else 0. */
static void test_shuffled(void **state)
{
    (void)state;
    const double x[] = {0x1p26, 1, -0x1p26};
    opened o = open_as("shuffled", 3, ACCORD_F32, true);
    size_t ones = 0;
    for (int t = 0; t < 200; t++)
        ones += ask(&o.target, x) == 1;
    assert_true(ones > 20 && ones < 130); /* 67 expected, deviation 7; the seed is fixed */
    shut(&o);
}

/* A term of a machine ranges over the products of two operands. */
static void test_machines(void **state)
{
    (void)state;
    double x[17] = {0x1p30, 1, -0x1p30};
    opened hopper = open_as("hopper-f16", 17, ACCORD_F16, false);
    assert_true(hopper.target.wide_terms && !hopper.target.storage_f32);
    assert_int_equal(hopper.target.format, ACCORD_F16);
    assert_int_equal(hopper.target.output, ACCORD_F32);
    assert_true(ask(&hopper.target, x) == 0);
    x[1] = 32; /* 2^(30 - 25) */
    assert_true(ask(&hopper.target, x) == 32);
    x[1] = 0;
    x[16] = 1; /* in the next group */
    assert_true(ask(&hopper.target, x) == 1);
    double corner[17] = {0x1p-48}; /* the least product */
    assert_true(ask(&hopper.target, corner) == 0x1p-48);
    corner[0] = 0x1.ffcp-29; /* its 11 bits are kept although two normal factors cannot be had */
    assert_true(ask(&hopper.target, corner) == corner[0]);
    corner[0] = 65504.0 * 32768;
    assert_true(ask(&hopper.target, corner) == corner[0]);
    shut(&hopper);
    opened other = open_as("hopper-f16", 17, ACCORD_BF16, true);
    assert_int_equal(other.status, ACCORD_UNSUPPORTED);
}

/* ---- batches ---- */

/* What the contract of accord_batch says, probe by probe, into rows. */
static void spell_out(const accord_batch *batch, size_t n, double *rows)
{
    double *standing = accordi_alloc(n, sizeof *standing);
    for (size_t i = 0; i < n; i++)
        standing[i] = batch->fill;
    for (size_t p = 0; p < batch->probes; p++) {
        const uint32_t *start = batch->start + 2 * p;
        for (uint32_t w = start[0]; w < start[1]; w++)
            standing[batch->index[w]] = batch->value[w];
        memcpy(rows + p * n, standing, n * sizeof *standing);
        for (uint32_t w = start[1]; w < start[2]; w++)
            rows[p * n + batch->index[w]] = batch->value[w];
    }
    free(standing);
}

static void compare_batch(accordi_rng *rng, const char *name, size_t probes)
{
    enum { N = 37, WRITES = 7 };
    opened o = open_as(name, N, ACCORD_F32, false);
    accord_target *target = &o.target;
    uint32_t start[2 * 70 + 1] = {0}, index[70 * 2 * WRITES];
    double value[70 * 2 * WRITES], sparse[70], dense[70], rows[70 * N];
    float single[70 * N];
    size_t count = 0;
    for (size_t k = 0; k < 2 * probes; k++) {
        size_t writes = (size_t)accordi_rng_below(rng, WRITES);
        for (size_t w = 0; w < writes; w++, count++) {
            index[count] = (uint32_t)accordi_rng_below(rng, N); /* often twice the same */
            value[count] = accord_format_round(target->format, ACCORD_NEAREST_EVEN,
                                               4 * accordi_rng_normal(rng));
        }
        start[k + 1] = (uint32_t)count;
    }
    accord_batch batch = {
        .probes = probes, .fill = 0.5, .start = start, .index = index, .value = value};
    spell_out(&batch, N, rows);
    for (size_t i = 0; i < probes * N; i++)
        single[i] = (float)rows[i];
    accord_batch full = {.probes = probes,
                         .dense = target->storage_f32 ? (const void *)single : rows};
    run(target, &batch, sparse);
    run(target, &full, dense);
    for (size_t p = 0; p < probes; p++) {
        double alone = ask(target, rows + p * N);
        if (!same(sparse[p], dense[p]) || !same(sparse[p], alone))
            fail_msg("%s, probe %zu of %zu: %a sparse, %a dense, %a alone", name, p, probes,
                     sparse[p], dense[p], alone);
    }
    shut(&o);
}

static void test_batches(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    static const size_t probes[] = {1, 2, 4, 7, 16, 17, 33, 70};
    const char *name;
    for (size_t i = 0; (name = accord_synthetic_at(i, NULL, NULL)); i++)
        for (size_t k = 0; !is(name, "shuffled") && k < trials(8); k++)
            compare_batch(&rng, name, probes[k % 8]);
    static const char *const more[] = {"pairwise,acc=f64",   "reverse,acc=f16",
                                       "lanes:5,acc=bf16",   "wide,out=f64",
                                       "multiway:3,acc=f64", "numpy,tail=f64,rounding=up"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        for (size_t k = 0; k < trials(8); k++)
            compare_batch(&rng, more[i], probes[k % 8]);
}

/* ---- notation ---- */

/* ---- settings of the arithmetic ---- */

typedef struct asked {
    const char *name;
    size_t n;
    double x[4], y[4], want;
    bool negative;
} asked;

/* One input each that tells the setting from its neighbors. u = 2^-23: (1+u)^2 = 1 + 2u + u^2. */
static void test_settings(void **state)
{
    (void)state;
    const double u = 0x1p-23, v = 1 + u, w = 1 + 2 * u, low = 0x1p-46;
    const asked cases[] = {
        {"sequential,products", 2, {-w, v}, {1, v}, 0, false},
        {"sequential,fma", 2, {-w, v}, {1, v}, low, false},
        {"sequential,fma=last", 2, {v, -w}, {v, 1}, 0, false},
        {"sequential,fma=first", 2, {v, -w}, {v, 1}, low, false},
        {"sequential,fma=first", 2, {-w, v}, {1, v}, 0, false},
        {"sequential,fma=inner", 2, {-w, v}, {1, v}, 0, false},
        {"sequential,fma=inner", 3, {-w, 0, v}, {1, 1, v}, low, false},
        {"reverse,fma=inner", 3, {v, 0, -w}, {v, 1, 1}, low, false},
        {"pairwise,fma=inner", 4, {0, v, 0, -w}, {1, v, 1, 1}, 0, false},
        {"sequential,products,acc=f64", 2, {-w, v}, {1, v}, low, false},
        {"sequential,products,tail=f64,out=f32", 2, {-w, v}, {1, v}, 0, false},
        {"sequential,fma,tail=f64,out=f32", 2, {-w, v}, {1, v}, low, false},
        {"sequential,tail=f64", 3, {0x1p30, 1, -0x1p30}, {1, 1, 1}, 1, false},
        {"pairwise,tail=f64", 4, {0x1p30, 1, 0, -0x1p30}, {1, 1, 1, 1}, 0, false},
        {"sequential,rounding=up", 2, {1, 0x1p-60}, {1, 1}, v, false},
        {"sequential,rounding=down", 2, {1, 0x1p-60}, {1, 1}, 1, false},
        {"sequential,rounding=down", 2, {1, -1}, {1, 1}, 0, true},
        {"sequential,rounding=zero", 2, {-1, -0x1.8p-24}, {1, 1}, -1, true},
        {"sequential,start=first", 2, {-0.0, -0.0}, {1, 1}, 0, true},
        {"sequential,start=zero", 2, {-0.0, -0.0}, {1, 1}, 0, false},
        {"sequential,products", 2, {INFINITY, 1}, {0, 1}, NAN, false},
        {"sequential,products,skips-zero", 2, {INFINITY, 1}, {0, 1}, 1, false},
        {"sequential,fma,skips-zero", 2, {1, INFINITY}, {1, 0}, 1, false},
        {"sequential,flush=input", 2, {0x1p-127, 1}, {0x1p127, 1}, 1, false},
        {"sequential,products,flush=input", 2, {0x1p-127, 1}, {0x1p127, 1}, 1, false},
        {"sequential,products,flush=output", 2, {0x1p-127, 1}, {0x1p127, 1}, 2, false},
        {"sequential,products,flush=output", 2, {0x1p-80, 0}, {0x1p-60, 1}, 0, false},
        {"sequential,products,flush=input", 2, {0x1p-80, 0}, {0x1p-60, 1}, 0x1p-140, false},
        {"sequential,flush=both", 2, {0x1p-126, -0x1.8p-126}, {1, 1}, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const asked *c = &cases[i];
        opened o = open_as(c->name, c->n, ACCORD_F32, true);
        assert_int_equal(o.status, ACCORD_OK);
        float x[4], y[4];
        for (size_t k = 0; k < c->n; k++) {
            x[k] = (float)c->x[k];
            y[k] = (float)c->y[k];
        }
        bool products = o.target.term == ACCORD_TERM_PRODUCT;
        accord_batch batch = {.probes = 1, .dense = x, .dense_second = products ? y : NULL};
        double got = -7;
        run(&o.target, &batch, &got);
        bool sign = isnan(got) || (signbit(got) != 0) == c->negative;
        if (!same(got, c->want) || !sign)
            fail_msg("case %zu, %s: %a, not %a", i, c->name, got, c->want);
        shut(&o);
    }
}

/* A term as a sum of two doubles, the second mostly 0. */
static size_t put_term(const accord_arithmetic *how, double x, double y, double *out)
{
    bool products = how->term == ACCORD_TERM_PRODUCT;
    out[0] = products ? x * y : x;
    out[1] = products && how->input == ACCORD_F64 ? fma(x, y, -out[0]) : 0;
    return 2;
}

/* Every node as the exact sum of what its operation says enters it, rounded once. */
static double by_truth(const accord_tree *tree, const accord_arithmetic *how, const double *x,
                       const double *y)
{
    double node[64] = {0};
    for (uint32_t k = 0; k < tree->inner; k++) {
        const accord_operation *op = &how->operation[how->of_node[k]];
        double part[4];
        size_t parts = 0;
        for (int i = 0; i < 2; i++) {
            uint32_t child = tree->child[tree->first[k] + (uint32_t)i];
            size_t from = parts;
            if (child >= tree->leaves)
                part[parts++] = node[child - tree->leaves];
            else
                parts += put_term(how, x[child], y[child], part + parts);
            if (child < tree->leaves && op->fused != i) {
                part[from] = accordi_exact_sum(op->product, op->rounding, part + from, 2);
                parts = from + 1;
            }
            if (op->fused != i)
                part[from] = accord_format_round(op->format, op->rounding, part[from]);
        }
        node[k] = accordi_exact_sum(op->format, op->rounding, part, parts);
    }
    return accord_format_round(how->output, how->output_rounding, node[tree->inner - 1]);
}

/* Sums with settings against their own truth, computed another way. */
static void compare_truth(accordi_rng *rng, const char *name, enum accord_format format)
{
    size_t n = 2 + (size_t)accordi_rng_below(rng, 30);
    accord_target_options options = {
        .n = n, .seed = accordi_rng_next(rng), .has_format = true, .format = format};
    accord_target target = {.n = n};
    assert_int_equal(accordi_synthetic_open(&target, name, &options, NULL), ACCORD_OK);
    accord_tree *tree = NULL;
    accord_arithmetic *how = NULL;
    assert_int_equal(accord_synthetic_tree(&target, &tree, NULL), ACCORD_OK);
    assert_int_equal(accord_synthetic_arithmetic(&target, &how, NULL), ACCORD_OK);
    accord_model model = {tree, how};
    assert_int_equal(how->output, target.output);
    assert_int_equal(how->term, target.term);
    for (size_t t = 0; t < 20; t++) {
        double x[32], y[32], got = -7;
        float fx[32], fy[32];
        int spread = t % 2 ? 2 : 40 - (format == ACCORD_F16 ? 34 : 0);
        for (size_t i = 0; i < n; i++) {
            int e = (int)accordi_rng_below(rng, (uint64_t)spread);
            x[i] = accord_format_round(format, 0, ldexp(accordi_rng_normal(rng), -e));
            y[i] = accord_format_round(format, 0, accordi_rng_normal(rng));
            fx[i] = (float)x[i];
            fy[i] = (float)y[i];
        }
        bool products = how->term == ACCORD_TERM_PRODUCT;
        const void *second = target.storage_f32 ? (const void *)fy : y;
        accord_batch batch = {.probes = 1,
                              .dense = target.storage_f32 ? (const void *)fx : x,
                              .dense_second = products ? second : NULL};
        run(&target, &batch, &got);
        double want = by_truth(model.tree, model.arithmetic, x, y);
        if (!same(got, want))
            fail_msg("%s, n = %zu: %a, not %a", name, n, got, want);
    }
    accord_arithmetic_free(how);
    accord_tree_free(tree);
    target.kind->close(&target);
}

static void test_truths(void **state)
{
    (void)state;
    static const char *const names[] = {"sequential,products",
                                        "yule,fma",
                                        "uniform,fma=first",
                                        "yule,fma=inner,rounding=up",
                                        "numpy,tail=f64",
                                        "numpy,fma,tail=f64,out=f32",
                                        "lanes:4,products,acc=f64,out=f32",
                                        "uniform,rounding=down,acc=f32",
                                        "yule,products,rounding=zero",
                                        "caterpillar,fma,acc=f32",
                                        "pairwise,products,acc=f16",
                                        "yule,fma,acc=bf16,rounding=up"};
    static const enum accord_format formats[] = {ACCORD_F32, ACCORD_F64, ACCORD_F16, ACCORD_BF16};
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(30); t++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            compare_truth(&rng, names[i], formats[t % 4]);
        compare_truth(&rng, "yule,mixed", ACCORD_F32);
        compare_truth(&rng, "uniform,products,mixed", ACCORD_F32);
        compare_truth(&rng, "numpy,products,mixed,out=f32", ACCORD_BF16);
    }
}

/* Sums with settings for zeros, and for what is too small, against the replay of their own models:
 * at zeros of both signs, and at the ends of the range. */
static void compare_replay(accordi_rng *rng, const char *name, enum accord_format format)
{
    enum { MOST = 20, ROWS = 40 };
    size_t n = 2 + (size_t)accordi_rng_below(rng, MOST - 1);
    accord_target_options options = {
        .n = n, .seed = accordi_rng_next(rng), .has_format = true, .format = format};
    accord_target target = {.n = n};
    accord_tree *tree = NULL;
    accord_arithmetic *how = NULL;
    assert_int_equal(accordi_synthetic_open(&target, name, &options, NULL), ACCORD_OK);
    assert_int_equal(accord_synthetic_tree(&target, &tree, NULL), ACCORD_OK);
    assert_int_equal(accord_synthetic_arithmetic(&target, &how, NULL), ACCORD_OK);
    for (size_t row = 0; row < ROWS; row++) {
        double x[MOST], y[MOST], got = -7, want = -8;
        float fx[MOST], fy[MOST];
        models_draw_row(rng, format, x, n);
        models_draw_row(rng, format, y, n);
        for (size_t i = 0; i < n; i++) {
            fx[i] = (float)x[i];
            fy[i] = (float)y[i];
        }
        const void *first = x, *second = y;
        const accord_rows rows = {.rows = 1, .x = &first, .y = &second};
        accord_batch batch = {.probes = 1,
                              .dense = target.storage_f32 ? (const void *)fx : x,
                              .dense_second = target.storage_f32 ? (const void *)fy : y};
        run(&target, &batch, &got);
        assert_int_equal(accord_model_replay(&(accord_model){tree, how}, &rows, &want, NULL),
                         ACCORD_OK);
        if (!same(got, want) || (got == 0 && signbit(got) != signbit(want)))
            fail_msg("%s, n = %zu: %a, and %a by its model", name, n, got, want);
    }
    accord_arithmetic_free(how);
    accord_tree_free(tree);
    target.kind->close(&target);
}

static void test_zeros_and_small_numbers(void **state)
{
    static const char *const terms[] = {"products", "fma", "fma=first", "fma=inner"};
    static const char *const zeros[] = {"", ",start=zero", ",skips-zero", ",skips-zero,start=zero"};
    static const char *const flushes[] = {"", ",flush=both", ",flush=input", ",flush=output"};
    static const enum accord_format formats[] = {ACCORD_F32, ACCORD_F64, ACCORD_F16, ACCORD_E4M3};
    accordi_rng rng;
    (void)state;
    accordi_rng_init(&rng, trials_seed());
    for (size_t i = 0; i < trials(1000); i++) {
        char name[80];
        snprintf(name, sizeof name, "yule,%s%s%s", terms[accordi_rng_below(&rng, 4)],
                 zeros[accordi_rng_below(&rng, 4)], flushes[accordi_rng_below(&rng, 4)]);
        compare_replay(&rng, name, formats[accordi_rng_below(&rng, 4)]);
    }
}

/* A scale for each block of terms, of first factors, of second factors, or of both. */
static void test_machine_scales(void **state)
{
    (void)state;
    enum { N = 150, ROWS = 3 };
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    const accord_fused *m;
    size_t machines = 0;
    for (size_t i = 0; (m = accord_fused_at(i)); i++) {
        double x[ROWS * N], y[ROWS * N], sa[ROWS * N], sb[ROWS * N], got[ROWS], want = -8;
        opened o = open_as(m->name, N, ACCORD_F32, false);
        assert_int_equal(o.target.scale_block, m->scale_block);
        assert_int_equal(o.target.scale, m->scale);
        size_t blocks = m->scale_block ? (N + (size_t)m->scale_block - 1) / m->scale_block : 1;
        for (size_t t = 0; t < trials(20); t++) {
            for (size_t k = 0; k < ROWS * N; k++) {
                x[k] = accord_format_round(m->input, 0, 4 * accordi_rng_normal(&rng));
                y[k] = accord_format_round(m->input, 0, accordi_rng_normal(&rng));
                sa[k] = accord_format_round(m->scale, 0, ldexp(1, (int)(t + k) % 9 - 4));
                sb[k] = accord_format_round(m->scale, 0, ldexp(1.25, (int)(t * k) % 9 - 4));
            }
            accord_batch batch = {.probes = ROWS,
                                  .dense = x,
                                  .dense_second = y,
                                  .scale_first = t % 3 ? sa : NULL,
                                  .scale_second = t % 3 != 1 ? sb : NULL};
            accord_error error;
            enum accord_status status = accord_target_run(&o.target, &batch, got, &error);
            assert_int_equal(status, m->scale_block ? ACCORD_OK : ACCORD_ARG);
            for (size_t r = 0; r < ROWS && m->scale_block; r++) {
                const double *a = t % 3 ? sa + r * blocks : NULL;
                const double *b = t % 3 != 1 ? sb + r * blocks : NULL;
                assert_int_equal(accord_fused_dot(m, N, x + r * N, y + r * N, a, b, &want, NULL),
                                 ACCORD_OK);
                assert_true(same(got[r], want));
            }
        }
        const uint32_t start[] = {0, 0, 0};
        accord_batch sparse = {.probes = 1, .start = start, .scale_first = sa};
        assert_int_equal(accord_target_run(&o.target, &sparse, got, NULL), ACCORD_ARG);
        sparse.scale_first = NULL;
        assert_int_equal(accord_target_run(&o.target, &sparse, got, NULL), ACCORD_OK);
        machines += m->scale_block != 0;
        shut(&o);
    }
    assert_true(machines >= 7);
}

/* Machines take second factors as they are given. */
static void test_machine_factors(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    const accord_fused *machine;
    for (size_t i = 0; (machine = accord_fused_at(i)); i++) {
        enum { N = 40 };
        opened o = open_as(machine->name, N, ACCORD_F32, false);
        accord_arithmetic *how = NULL;
        assert_int_equal(accord_synthetic_arithmetic(&o.target, &how, NULL), ACCORD_OK);
        assert_true(how->has_machine && how->term == ACCORD_TERM_PRODUCT);
        assert_string_equal(how->machine.name, machine->name);
        accord_arithmetic_free(how);
        for (size_t t = 0; t < trials(50); t++) {
            double x[N], y[N], got = -7, want = -8;
            for (size_t k = 0; k < N; k++) {
                x[k] = accord_format_round(machine->input, 0, 4 * accordi_rng_normal(&rng));
                y[k] = accord_format_round(machine->input, 0, accordi_rng_normal(&rng));
            }
            accord_batch batch = {.probes = 1, .dense = x, .dense_second = y};
            run(&o.target, &batch, &got);
            assert_int_equal(accord_fused_dot(machine, N, x, y, NULL, NULL, &want, NULL),
                             ACCORD_OK);
            assert_true(same(got, want));
            batch = (accord_batch){.probes = 1, .dense = x, .second = 2};
            for (size_t k = 0; k < N; k++)
                y[k] = 2;
            run(&o.target, &batch, &got);
            assert_int_equal(accord_fused_dot(machine, N, x, y, NULL, NULL, &want, NULL),
                             ACCORD_OK);
            assert_true(same(got, want));
        }
        shut(&o);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "nothing",
                                      "sequential:3",
                                      "lanes:0",
                                      "lanes:",
                                      "lanes:x",
                                      "lanes:-1",
                                      "multiway:1",
                                      "lanes:99999999999",
                                      "lost:5",
                                      "twice:5",
                                      "sequential,acc=f33",
                                      "sequential,acc",
                                      "lanes,fold=up",
                                      "machine:",
                                      "machine:nothing",
                                      "hopper-f16,acc=f64",
                                      "hopper-f16:3",
                                      "hopper-f16,fma",
                                      "kahan,products",
                                      "star,fma",
                                      "sequential,fma=middle",
                                      "sequential,fma=last|first",
                                      "sequential,mixed,tail=f64",
                                      "sequential,skips-zero",
                                      "sequential,rounding",
                                      "sequential,start=",
                                      "sequential,acc=e2m1",
                                      "sequential,",
                                      "Sequential"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        opened o = open_as(bad[i], 5, ACCORD_F32, false);
        if (o.status != ACCORD_ARG)
            fail_msg("'%s' gives %s", bad[i], accord_status_name(o.status));
        assert_true(strlen(o.error.text) > 20);
        assert_null(o.target.state);
        assert_null(o.target.kind);
    }
    opened wide = open_as("wide", 5, ACCORD_F64, true);
    assert_int_equal(wide.status, ACCORD_UNSUPPORTED);
    opened missing = open_as("tree:/nowhere/at/all", 5, ACCORD_F32, false);
    assert_int_equal(missing.status, ACCORD_IO);
}

static void test_tree_from_a_file(void **state)
{
    (void)state;
    char path[] = "/tmp/accord-order-XXXXXX", name[64];
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "((0+2)+(1+3))\n", 14), 14);
    close(file);
    snprintf(name, sizeof name, "tree:%s,acc=f64", path);
    opened o = open_as(name, 4, ACCORD_F32, false), wrong = open_as(name, 5, ACCORD_F32, false);
    unlink(path);
    assert_int_equal(wrong.status, ACCORD_ARG);
    assert_int_equal(o.status, ACCORD_OK);
    accord_tree *tree = NULL;
    assert_int_equal(accord_synthetic_tree(&o.target, &tree, NULL), ACCORD_OK);
    char *text = brackets(tree);
    assert_string_equal(text, "((0+2)+(1+3))");
    assert_int_equal(o.target.output, ACCORD_F64);
    free(text);
    accord_tree_free(tree);
    shut(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documented_trees),
        cmocka_unit_test(test_numpy_halves),
        cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_skewed_cuts),
        cmocka_unit_test(test_uniform_is_uniform),
        cmocka_unit_test(test_exact_inputs),
        cmocka_unit_test(test_along_trees),
        cmocka_unit_test(test_fuse),
        cmocka_unit_test(test_sums_that_are_no_trees),
        cmocka_unit_test(test_shuffled),
        cmocka_unit_test(test_machines),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_truths),
        cmocka_unit_test(test_zeros_and_small_numbers),
        cmocka_unit_test(test_machine_factors),
        cmocka_unit_test(test_machine_scales),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_tree_from_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
