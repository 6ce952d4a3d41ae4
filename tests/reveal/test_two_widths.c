/* Sums of absolute values and of squares, of which some are kept in f64 and others are rounded to
 * f32: pairs, triples and blocks in f64 inside a chain in f32, lanes in f32 under a chain in f64,
 * and trees of which every node draws its width. Their order comes back, and the model gives their
 * bits. Boxes that look alike, but add in other ways, are never proven with an order or bits that
 * they do not have. */
#include "trees.h"
#include "trials.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 130 };

enum kind {
    PLAIN,    /* along the tree */
    FORTY,    /* what is wide has 40 bits */
    MIXED,    /* of what is wide some has 52 bits, some 64 */
    THREES,   /* three at a time are added exactly, and rounded once */
    KAHAN,    /* the chain carries its errors along */
    BY_VALUE, /* another tree where the first term is above 1 */
    KINDS
};

typedef struct box {
    enum kind kind;
    accord_tree *tree, *other;
    bool wide[MOST]; /* per inner node */
    bool squares;
    bool root;    /* of the sum in f32 */
    bool rounded; /* squares are rounded to f32 before they are added */
} box;

/* To nearest, ties to even; all numbers here are normal. */
static double to_bits(double x, int bits)
{
    int exponent;
    double fraction = frexp(x, &exponent);
    return ldexp(rint(ldexp(fraction, bits)), exponent - bits);
}

static double term(const box *b, float x)
{
    double square = (double)x * (double)x;
    return !b->squares ? fabs((double)x) : b->rounded ? (double)(float)square : square;
}

static long double added(const box *b, uint32_t k, long double x, long double y)
{
    double sum = (double)x + (double)y;
    if (!b->wide[k])
        return (long double)(float)sum;
    if (b->kind == FORTY)
        return (long double)to_bits(sum, 40);
    if (b->kind == MIXED)
        return k % 2 ? (long double)to_bits(sum, 52) : x + y;
    return (long double)sum;
}

static double along(const box *b, const accord_tree *tree, const float *x)
{
    long double value[2 * MOST];
    for (uint32_t i = 0; i < tree->leaves; i++)
        value[i] = (long double)term(b, x[i]);
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        value[tree->leaves + k] = added(b, k, value[child[0]], value[child[1]]);
    }
    return (double)value[tree->leaves + tree->inner - 1];
}

static double in_threes(const box *b, const float *x)
{
    long double sum = 0;
    for (uint32_t i = 0; i < b->tree->leaves; i += 2) {
        long double next = i + 1 < b->tree->leaves ? (long double)term(b, x[i + 1]) : 0;
        sum = (long double)(float)(sum + ((long double)term(b, x[i]) + next));
    }
    return (double)sum;
}

static double carrying(const box *b, const float *x)
{
    float sum = 0, lost = 0;
    for (uint32_t i = 0; i < b->tree->leaves; i++) {
        float y = (float)term(b, x[i]) - lost, next = sum + y;
        lost = (next - sum) - y;
        sum = next;
    }
    return (double)sum;
}

static double value_of(const box *b, const float *x)
{
    bool other = b->kind == BY_VALUE && fabsf(x[0]) > 1;
    double sum = b->kind == THREES  ? in_threes(b, x)
                 : b->kind == KAHAN ? carrying(b, x)
                                    : along(b, other ? b->other : b->tree, x);
    return (double)(float)(b->root ? sqrt((double)(float)sum) : sum);
}

static double call(void *context, const void *x, size_t n)
{
    (void)n;
    return value_of(context, x);
}

/* Blocks of so many terms, one after the other. */
static accord_tree *blocks(uint32_t n, uint32_t size)
{
    drawn d = {n, 0, accordi_alloc(2 * (size_t)n, sizeof(uint32_t))};
    uint32_t leaves[MOST], top = ACCORD_TREE_NO_NODE;
    for (uint32_t at = 0; at < n; at += size) {
        uint32_t count = n - at < size ? n - at : size;
        for (uint32_t i = 0; i < count; i++)
            leaves[i] = at + i;
        uint32_t pair[2] = {top, drawn_chain(&d, leaves, count)};
        top = at == 0 ? pair[1] : drawn_join(&d, pair, 2);
    }
    d.parent[top] = ACCORD_TREE_NO_NODE;
    accord_tree *tree = drawn_tree(&d);
    free(d.parent);
    return tree;
}

/* Lanes over the first `body` terms, then a chain over their sum and the terms that are left. */
static accord_tree *lanes_and_tail(uint32_t n, uint32_t lanes, uint32_t body)
{
    drawn d = {n, 0, accordi_alloc(2 * (size_t)n, sizeof(uint32_t))};
    uint32_t leaves[MOST], tops[MOST] = {0}, count = 0;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint32_t in_lane = 0;
        for (uint32_t i = lane; i < body; i += lanes)
            leaves[in_lane++] = i;
        tops[lane] = drawn_chain(&d, leaves, in_lane);
    }
    tops[count++] = drawn_chain(&d, tops, lanes);
    for (uint32_t i = body; i < n; i++)
        tops[count++] = i;
    d.parent[drawn_chain(&d, tops, count)] = ACCORD_TREE_NO_NODE;
    accord_tree *tree = drawn_tree(&d);
    free(d.parent);
    return tree;
}

/* The first and the last leaf under each inner node. */
static void find_spans(const accord_tree *tree, uint32_t *first, uint32_t *last)
{
    for (uint32_t k = 0; k < tree->inner; k++) {
        first[k] = UINT32_MAX;
        last[k] = 0;
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
            uint32_t v = tree->child[c], n = tree->leaves;
            uint32_t low = v < n ? v : first[v - n], high = v < n ? v : last[v - n];
            first[k] = low < first[k] ? low : first[k];
            last[k] = high > last[k] ? high : last[k];
        }
    }
}

enum shape { PAIRS, TRIPLES, FOURS, TAIL, ANY, SHAPES };

static box draw_box(accordi_rng *rng, uint32_t n, enum shape shape)
{
    box b = {.squares = accordi_rng_below(rng, 2), .rounded = accordi_rng_below(rng, 2)};
    uint32_t size = 2 + (uint32_t)(shape - PAIRS), first[MOST], last[MOST];
    uint32_t lanes = 2 + (uint32_t)accordi_rng_below(rng, 3);
    uint32_t body = n / (2 * lanes) * 2 * lanes;
    body = body < lanes ? lanes : body;
    b.rounded = b.rounded || shape == TAIL;
    b.root = b.squares && accordi_rng_below(rng, 3) == 0;
    b.tree = shape < TAIL    ? blocks(n, size)
             : shape == TAIL ? lanes_and_tail(n, lanes, body)
                             : random_tree(rng, accordi_rng_below(rng, 2) ? BINARY : LANES, n);
    find_spans(b.tree, first, last);
    for (uint32_t k = 0; k < b.tree->inner; k++)
        b.wide[k] = shape < TAIL    ? first[k] / size == last[k] / size
                    : shape == TAIL ? last[k] >= body
                                    : accordi_rng_below(rng, 2);
    return b;
}

static size_t differing(accordi_rng *rng, const box *b, const accord_record *record)
{
    enum { ROWS = 1000 };
    const accord_model model = {record->tree, record->arithmetic};
    const int spread[] = {0, 3, 12, 30};
    float x[MOST];
    double held[MOST]; /* the same; replays read doubles */
    const void *row = held;
    const accord_rows rows = {.rows = 1, .x = &row};
    size_t wrong = 0;
    for (int r = 0; r < ROWS; r++) {
        int most = spread[r % 4];
        for (uint32_t i = 0; i < b->tree->leaves; i++) {
            int exponent = (int)accordi_rng_below(rng, (uint64_t)most + 1) - most / 2;
            x[i] = (float)ldexp(accordi_rng_normal(rng), exponent);
            held[i] = (double)x[i];
        }
        double due = value_of(b, x), got;
        assert_int_equal(accord_model_replay(&model, &rows, &got, NULL), ACCORD_OK);
        wrong += memcmp(&due, &got, sizeof due) != 0;
    }
    return wrong;
}

static accord_record *reveal(accordi_rng *rng, box *b, enum accord_status *status)
{
    accord_target *target = NULL;
    accord_record *record = accord_record_new();
    accord_reveal_options options;
    accord_reveal_options_init(&options);
    options.seed = accordi_rng_below(rng, 1 << 30);
    assert_non_null(record);
    assert_int_equal(accord_target_from_callback(call, b, b->tree->leaves, true, &target, NULL),
                     ACCORD_OK);
    *status = accord_reveal(target, &options, record, NULL);
    accord_target_close(target);
    return record;
}

static void print_box(const box *b, enum shape shape, const accord_record *record)
{
    print_message("# kind %d, shape %d, n %u, %s%s%s: %s\n", (int)b->kind, (int)shape,
                  b->tree->leaves, b->root ? "root of " : "",
                  !b->squares  ? "absolute values"
                  : b->rounded ? "rounded squares"
                               : "squares",
                  record->proven ? ", proven" : "", record->verdict ? record->verdict : "");
}

static const uint32_t counts[] = {4, 5, 6, 7, 11, 20, 33, 64, MOST};
enum { COUNTS = sizeof counts / sizeof *counts };

static void test_orders_come_back(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t wrong = 0;
    for (size_t i = 0; i < trials(SHAPES * COUNTS); i++) {
        enum accord_status status;
        enum shape shape = (enum shape)(i % SHAPES);
        uint32_t n = counts[i / SHAPES % COUNTS];
        box b = draw_box(&rng, shape == ANY && n < 5 ? 5 : n, shape);
        accord_record *record = reveal(&rng, &b, &status);
        bool good = !status && record->proven && accord_tree_equal(record->tree, b.tree) &&
                    differing(&rng, &b, record) == 0;
        if (!good)
            print_box(&b, shape, record);
        wrong += !good;
        accord_record_free(record);
        accord_tree_free(b.tree);
    }
    assert_int_equal(wrong, 0);
}

/* They may be refused; what is proven is right. */
static void test_look_alikes(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t wrong = 0, proven[KINDS] = {0};
    for (size_t i = 0; i < trials(2 * (KINDS - 1) * SHAPES); i++) {
        enum accord_status status;
        enum shape shape = (enum shape)(i % SHAPES);
        uint32_t n = counts[accordi_rng_below(&rng, COUNTS)];
        box b = draw_box(&rng, n, shape);
        b.kind = (enum kind)(1 + i / SHAPES % (KINDS - 1));
        b.other = random_tree(&rng, BINARY, n);
        accord_record *record = reveal(&rng, &b, &status);
        bool held = record->proven && record->tree;
        bool good = !held || ((b.kind >= THREES || accord_tree_equal(record->tree, b.tree)) &&
                              differing(&rng, &b, record) == 0);
        if (!good)
            print_box(&b, shape, record);
        wrong += !good;
        proven[b.kind] += held;
        accord_record_free(record);
        accord_tree_free(b.other);
        accord_tree_free(b.tree);
    }
    for (int kind = FORTY; kind < KINDS; kind++)
        printf("# kind %d: %zu proven\n", kind, proven[kind]);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders_come_back),
                                       cmocka_unit_test(test_look_alikes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
