/* The two edges of the range: sums that are too large, and, of products, negative sums that are
 * rounded to zero. Random inputs reach neither. Here a sum that saturates differs from one that
 * overflows, and a step of a machine with two products, which looks like one addition, may differ
 * from an addition: it may stop at the greatest number, or give +0. */
#include "reveal/probes/dense_rows.h"
#include "reveal/probes/leaf_order.h"
#include "reveal/prove/certificate.h"
#include <math.h>

enum { ROWS = 9, FEW_ROWS = 64, ALL_ROWS = ROWS + FEW_ROWS, FEW_TERMS = 1 << 16 };

/* The first rows are of great terms, whose sums are too large; the next ones of products that are
 * too large by themselves, in turn or one among zeros; the last ones of products below half the
 * least. */
enum pattern {
    PLUS,
    MINUS,
    HALVES,
    TURNS,
    INFINITE_TURNS,
    FIRST_ALONE,
    LAST_ALONE,
    SMALL_PLUS,
    SMALL_MINUS
};

static double weight_of_term(enum pattern pattern, size_t k, size_t n)
{
    switch (pattern) {
    case PLUS:
    case SMALL_PLUS:
        return 1;
    case MINUS:
    case SMALL_MINUS:
        return -1;
    case HALVES:
        return 2 * k >= n ? -1 : 1;
    case TURNS:
    case INFINITE_TURNS:
        return k % 2 ? -1 : 1;
    case FIRST_ALONE:
        return k == 0 ? 1 : 0;
    case LAST_ALONE:
        return k == n - 1 ? -1 : 0;
    }
    return 0;
}

/* 2^exponent as two factors of the format; false if it has none. */
static bool split_power(const accord_format_info *row, int exponent, double *a, double *b)
{
    int least = row->min_exponent - (row->precision - 1), first = exponent / 2;
    first = first < row->min_exponent ? row->min_exponent : first;
    int second = exponent - first;
    *a = ldexp(1, first);
    *b = ldexp(1, second);
    return first <= row->max_exponent && second <= row->max_exponent && second >= least;
}

/* Rows in the making: of long sums not all of them are there at once. */
typedef struct edging {
    accordi_dense dense;
    accord_model model;
    accordi_edges *out;
} edging;

static void judge_row(accordi_edges *out, const accordi_dense *d, size_t i)
{
    double due = d->due[i], seen = d->seen[i];
    bool is_large = fabs(due) > 1 || fabs(seen) > 1, no_number = seen != seen;
    bool agree = accordi_dense_agrees(d, i);
    out->no_number = out->no_number || (no_number && !agree);
    out->large = out->large && (agree || !is_large || no_number);
    out->small = out->small && (agree || is_large);
}

static void ask_edges(edging *e)
{
    accordi_dense *d = &e->dense;
    if (!accordi_dense_replay(d, &e->model))
        accordi_dense_ask(d);
    for (size_t i = 0; i < d->rows && !d->asker->status; i++)
        judge_row(e->out, d, i);
    d->rows = 0;
}

static void next_row(edging *e)
{
    if (++e->dense.rows == e->dense.room)
        ask_edges(e);
}

static void fill_edge(edging *e, enum pattern pattern, double a, double b)
{
    accordi_dense *d = &e->dense;
    size_t n = d->asker->n;
    for (size_t k = 0; k < n; k++) {
        double w = weight_of_term(pattern, k, n);
        accordi_dense_put(d, d->rows, k, w * a, w != 0 ? b : 0);
    }
    next_row(e);
}

/* An inner node of an operation that is drawn first: few nodes of one kind have as many rows as the
 * many others. */
static uint32_t draw_node(edging *e)
{
    accordi_rng *rng = &e->dense.asker->rng;
    const accord_arithmetic *how = e->model.arithmetic;
    uint64_t kind = how->of_node ? accordi_rng_below(rng, how->operations) : 0, seen = 0;
    uint32_t node = 0;
    for (uint32_t k = 0; k < e->model.tree->inner; k++)
        if ((how->of_node ? how->of_node[k] : 0) == kind && accordi_rng_below(rng, ++seen) == 0)
            node = k;
    return node;
}

/* A leaf under each of two children of a node. */
static void draw_meeting(edging *e, const accordi_layout *layout, size_t at[2])
{
    const accord_tree *tree = e->model.tree;
    accordi_asker *asker = e->dense.asker;
    uint32_t k = draw_node(e), children = tree->first[k + 1] - tree->first[k];
    uint32_t one = (uint32_t)accordi_rng_below(&asker->rng, children);
    uint32_t other = (uint32_t)accordi_rng_below(&asker->rng, children - 1);
    const uint32_t *child = tree->child + tree->first[k];
    at[0] = accordi_layout_leaf(asker, layout, child[one]);
    at[1] = accordi_layout_leaf(asker, layout, child[other + (other >= one)]);
}

/* Two great terms, and one of the other sign, among zeros: each node has its turn to overflow, and
 * what is subtracted from that has, too. In every other pair of rows all three are anywhere, for
 * sums that are added in another order then. Of many terms there are few such rows, or none. */
static void fill_threes(edging *e, double a, double b)
{
    accordi_dense *d = &e->dense;
    accordi_asker *asker = d->asker;
    accordi_layout layout = {0};
    size_t n = asker->n, rows = FEW_TERMS / n < FEW_ROWS ? FEW_TERMS / n : FEW_ROWS;
    if (rows == 0 || e->model.tree->inner == 0 ||
        accordi_layout_plain(asker, e->model.tree, &layout))
        return;
    for (size_t r = 0; r < rows && !asker->status; r++) {
        double sign = r % 2 ? -1 : 1;
        size_t at[3];
        for (size_t i = 0; i < 3; i++)
            at[i] = accordi_rng_below(&asker->rng, n);
        if (r % 4 < 2)
            draw_meeting(e, &layout, at + 1);
        accordi_dense_fill(d, d->rows, 0);
        for (int i = 0; i < 3; i++)
            accordi_dense_put(d, d->rows, at[i], (i ? sign : -sign) * a, b);
        next_row(e);
    }
    accordi_layout_clear(&layout);
}

static void fill_products(edging *e)
{
    const accordi_asker *asker = e->dense.asker;
    const accord_format_info *in = accord_format_get(asker->target->format);
    const accord_format_info *out = accord_format_get(asker->target->output);
    int length = 0;
    frexp((double)asker->n, &length);
    int small = out->min_exponent - (out->precision - 1) - 2 - length;
    for (enum pattern pattern = PLUS; pattern <= SMALL_MINUS; pattern++) {
        int exponent = pattern >= SMALL_PLUS       ? small
                       : pattern >= INFINITE_TURNS ? out->max_exponent + 1
                                                   : out->max_exponent;
        double a, b;
        if (!split_power(in, exponent, &a, &b))
            continue;
        fill_edge(e, pattern, a, b);
        if (pattern == PLUS)
            fill_threes(e, a, b);
    }
}

static void fill_terms(edging *e)
{
    const accordi_asker *asker = e->dense.asker;
    int exponent = accord_format_get(asker->target->format)->max_exponent;
    double great = ldexp(1, asker->term == ACCORD_TERM_SQUARE ? exponent / 2 + 1 : exponent);
    for (enum pattern pattern = PLUS; pattern <= TURNS; pattern++)
        fill_edge(e, pattern, great, 1);
    fill_threes(e, great, 1);
}

enum accord_status accordi_edges_agree(accordi_asker *asker, const accord_tree *tree,
                                       const accord_arithmetic *how, accordi_edges *out)
{
    bool products = asker->term == ACCORD_TERM_PRODUCT;
    edging e = {.model = {tree, how}, .out = out};
    *out = (accordi_edges){.large = true, .small = true};
    size_t rows = asker->target->at_once; /* of a product of matrices, each call takes so many */
    rows = rows < ROWS ? ROWS : rows < ALL_ROWS ? rows : ALL_ROWS;
    size_t room = accordi_dense_fitting(asker, rows, products);
    if (!accordi_dense_share(&e.dense, asker, room, products)) {
        (products ? fill_products : fill_terms)(&e);
        ask_edges(&e);
    }
    accordi_dense_clear(&e.dense);
    return asker->status;
}
