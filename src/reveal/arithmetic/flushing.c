/* Finds which subnormal numbers are flushed, by questions in which only one number can be flushed.
 *
 * Let E be the least normal number. Beside a term L >= E, which keeps every sum normal, a term or
 * a sum of E/2 shows in the result as L + E/2, or as L where it was flushed; so only that one
 * number is subnormal, and nothing else can have been flushed:
 *
 *     x          E/2 at a leaf, times 4 where terms are products, L beside it
 *     y          4 times E/2
 *     product    2^a * 2^b = E/2, both factors normal
 *     sum        3E/2 and -E under the two children of a node, L beside the node
 *     result     -3E/2 and E under those of the root: -E/2 or a zero
 *
 * L is E, or for a mean so much larger that the result is normal. First it is tested, at all nodes
 * at once, whether anything is flushed: if not, inputs with subnormal operands, products and sums
 * have exact results, since all these sums are exact; a number that was flushed is missing in the
 * result.
 */
#include "reveal/arithmetic/flushing.h"
#include "model/operation.h"
#include "reveal/arithmetic/node_arithmetic.h"
#include "reveal/probes/dense_rows.h"
#include "reveal/probes/leaf_order.h"
#include <math.h>

enum { ROWS = 16, MOST_NODES = 4096, TINY_NODES = 32 };
#define TINY (ACCORD_FLUSH_TINY_AFTER | ACCORD_FLUSH_TINY_BEFORE)

typedef struct asking {
    accordi_asker *asker;
    const accord_tree *tree;
    const accord_arithmetic *how;
    accordi_layout layout;
    double least, large; /* E, L */
    accordi_dense dense;
    struct {
        uint32_t node;
        unsigned what;
        double kept, gone; /* the results due */
    } question[ROWS];
    accordi_flushes *out;
} asking;

void accordi_flushes_clear(accordi_flushes *flushes)
{
    free(flushes->node);
    free(flushes->asked);
    free(flushes->kept);
    *flushes = (accordi_flushes){0};
}

static bool is_product(const asking *a)
{
    return a->asker->term == ACCORD_TERM_PRODUCT;
}

static void put_flush_term(const asking *a, uint32_t leaf, double x, double y)
{
    bool start = a->asker->target->has_start && leaf == a->asker->n - 1;
    accordi_dense_put(&a->dense, a->dense.rows, leaf, start ? x * y * a->asker->start_factor : x,
                      start ? 1 : y);
}

/* A negative result is +0 where it was flushed before +0 was added to it, and -0 where after. For
 * the last sum what is flushed after that +0 no longer shows. */
static void flushed_before_zero(asking *a, size_t i)
{
    unsigned sum = ACCORD_FLUSH_SUMS | ACCORD_FLUSH_RESULT;
    unsigned term = is_product(a) ? ACCORD_FLUSH_PRODUCTS : ACCORD_FLUSH_X;
    a->out->zero_last = a->tree->inner > 0;
    a->question[i].what = a->tree->inner > 0 ? sum : term;
}

static enum accord_status ask_questions(asking *a)
{
    accordi_asker *asker = a->asker;
    accordi_dense_ask(&a->dense);
    for (size_t i = 0; i < a->dense.rows && !asker->status; i++) {
        double got = a->dense.seen[i] * asker->result_factor;
        double kept = a->question[i].kept * asker->scale, gone = a->question[i].gone * asker->scale;
        double near = fabs(kept - gone) / 4;
        bool is_kept = fabs(got - kept) <= near, is_gone = fabs(got - gone) <= near;
        uint32_t k = a->question[i].node;
        double held = accord_format_round(asker->target->output, ACCORD_NEAREST_EVEN, kept);
        if (kept == gone || is_kept == is_gone || fabs(held - kept) > near)
            continue; /* such a result tells nothing, or the format has none */
        if (is_gone && a->question[i].what == ACCORD_FLUSH_RESULT && kept < 0 && !signbit(got))
            flushed_before_zero(a, i);
        /* A product that is kept may have entered unrounded. */
        if (is_gone || a->question[i].what != ACCORD_FLUSH_PRODUCTS)
            a->out->asked[k] |= (uint8_t)a->question[i].what;
        a->out->node[k] |= (uint8_t)(is_gone ? a->question[i].what : 0);
        a->out->kept[k] |= (uint8_t)(is_kept ? a->question[i].what : 0);
        a->out->all |= is_gone ? a->question[i].what : 0;
    }
    a->dense.rows = 0;
    return asker->status;
}

/* The row is a question: with the result `kept`, or `gone`. */
static void end_question(asking *a, uint32_t k, unsigned what, double kept, double gone)
{
    a->question[a->dense.rows].node = k;
    a->question[a->dense.rows].what = what;
    a->question[a->dense.rows].kept = kept;
    a->question[a->dense.rows++].gone = gone;
    if (a->dense.rows == a->dense.room)
        ask_questions(a);
}

/* x, y and the product of a leaf, with L at another (NO_NODE: there is none). */
static void ask_leaf(asking *a, uint32_t k, uint32_t leaf, uint32_t other)
{
    double e = a->least, l = other == ACCORD_TREE_NO_NODE ? 0 : a->large;
    int low = ilogb(e) - 1, half = low / 2;
    double by = is_product(a) ? 4 : 1;
    const struct {
        unsigned what;
        double x, y;
    } terms[] = {{ACCORD_FLUSH_X, e / 2, by},
                 {ACCORD_FLUSH_Y, by, e / 2},
                 {ACCORD_FLUSH_PRODUCTS, ldexp(1, half), ldexp(1, low - half)}};
    if (a->asker->target->has_start && leaf == a->asker->n - 1)
        return;
    bool lone = other == ACCORD_TREE_NO_NODE; /* then its product, or value, is the result */
    for (size_t i = 0; i < (is_product(a) ? 3 : 1); i++) {
        unsigned what =
            lone && i + 1 == (is_product(a) ? 3 : 1) ? ACCORD_FLUSH_RESULT : terms[i].what;
        accordi_dense_fill(&a->dense, a->dense.rows, 0);
        if (other != ACCORD_TREE_NO_NODE)
            put_flush_term(a, other, l, 1);
        double x = lone ? -terms[i].x : terms[i].x;
        put_flush_term(a, leaf, x, terms[i].y);
        end_question(a, k, what, l + x * terms[i].y, l);
    }
}

/* What is made of a normal sum at the end may be subnormal. */
static void ask_finish(asking *a)
{
    accordi_dense_fill(&a->dense, a->dense.rows, 0);
    put_flush_term(a, 0, a->least, 1);
    end_question(a, a->tree->inner ? a->tree->inner - 1 : 0, ACCORD_FLUSH_RESULT, a->least, 0);
}

/* The sum of a node that is not the root, or the root's, if that is the result. */
static void ask_sum(asking *a, uint32_t k)
{
    const accord_tree *tree = a->tree;
    const uint32_t *child = tree->child + tree->first[k];
    uint32_t beside = accordi_layout_sibling(&a->layout, tree->leaves + k);
    bool root = beside == ACCORD_TREE_NO_NODE;
    double e = root ? -a->least : a->least, l = root ? 0 : a->large;
    if (root && a->asker->scale != 1) {
        ask_finish(a);
        return;
    }
    accordi_dense_fill(&a->dense, a->dense.rows, 0);
    put_flush_term(a, accordi_layout_leaf(a->asker, &a->layout, child[0]), 1.5 * e, 1);
    put_flush_term(a, accordi_layout_leaf(a->asker, &a->layout, child[1]), -e, 1);
    if (!root)
        put_flush_term(a, accordi_layout_leaf(a->asker, &a->layout, beside), l, 1);
    end_question(a, k, root ? ACCORD_FLUSH_RESULT : ACCORD_FLUSH_SUMS, l + e / 2, l);
}

/* -part/4 of the last place of numbers below E is added to E. */
static void ask_tiny(asking *a, uint32_t k, int i, int part)
{
    const uint32_t *child = a->tree->child + a->tree->first[k];
    const accord_format_info *in = accord_format_get(a->asker->target->format);
    enum accord_format format = accordi_operation_of(a->how, k)->format;
    uint32_t beside = accordi_layout_sibling(&a->layout, a->tree->leaves + k);
    bool root = beside == ACCORD_TREE_NO_NODE;
    int low = ilogb(a->least) - accord_format_get(format)->precision - 2, half = low / 2;
    double l = root ? 0 : a->large;
    if (low - half < in->min_exponent || (root && a->asker->scale != 1))
        return;
    accordi_dense_fill(&a->dense, a->dense.rows, 0);
    put_flush_term(a, accordi_layout_leaf(a->asker, &a->layout, child[!i]), a->least, 1);
    put_flush_term(a, child[i], -part * ldexp(1, half), ldexp(1, low - half));
    if (!root)
        put_flush_term(a, accordi_layout_leaf(a->asker, &a->layout, beside), l, 1);
    unsigned what = part > 2 ? ACCORD_FLUSH_TINY_AFTER : ACCORD_FLUSH_TINY_BEFORE;
    end_question(a, k, what, l + a->least, l);
}

static void ask_tiny_sums(asking *a)
{
    const accord_tree *tree = a->tree;
    uint32_t step = 1 + tree->inner / TINY_NODES;
    for (uint32_t k = 0; k < tree->inner && is_product(a) && !a->asker->status; k += step)
        for (int i = 0; i < 2; i++)
            if (tree->child[tree->first[k] + (uint32_t)i] < tree->leaves) {
                ask_tiny(a, k, i, 3);
                ask_tiny(a, k, i, 1);
            }
}

/* The first of two values, which the sum of +0 and it may flush; of more, other sums tell that. */
static void ask_start(asking *a, uint32_t k, const uint32_t *child)
{
    accordi_dense_fill(&a->dense, a->dense.rows, 0);
    put_flush_term(a, child[0], a->least / 2, 1);
    put_flush_term(a, child[1], a->large, 1);
    end_question(a, k, ACCORD_FLUSH_SUMS, a->large + a->least / 2, a->large);
}

static void ask_node(asking *a, uint32_t k)
{
    const uint32_t *child = a->tree->child + a->tree->first[k];
    bool both = child[0] < a->tree->leaves && child[1] < a->tree->leaves;
    for (int i = 0; i < 2; i++)
        if (child[i] < a->tree->leaves && !(both && i == 0 && !is_product(a)))
            ask_leaf(a, k, child[i], accordi_layout_leaf(a->asker, &a->layout, child[!i]));
    if (both && !is_product(a) && a->tree->inner == 1)
        ask_start(a, k, child);
    ask_sum(a, k);
}

static enum accord_status init_asking(asking *a, accordi_asker *asker, const accord_tree *tree)
{
    const accord_format_info *in = accord_format_get(asker->target->format);
    *a = (asking){.asker = asker, .tree = tree, .least = ldexp(1, in->min_exponent)};
    a->large = a->least;
    for (size_t n = asker->n; asker->scale != 1 && n > 0; n /= 2)
        a->large *= 2;
    size_t room = accordi_dense_fitting(asker, ROWS, is_product(a));
    accordi_dense_share(&a->dense, asker, room, is_product(a));
    return accordi_layout_init(asker, tree, &a->layout);
}

static void clear_asking(asking *a)
{
    accordi_layout_clear(&a->layout);
    accordi_dense_clear(&a->dense);
}

static bool suits(const accordi_asker *asker, const accord_tree *tree)
{
    return !asker->status && tree->inner + 1 == tree->leaves &&
           (asker->term == ACCORD_TERM_VALUE || asker->term == ACCORD_TERM_PRODUCT);
}

enum accord_status accordi_flushes_find(accordi_asker *asker, const accord_tree *tree,
                                        const accord_arithmetic *how, accordi_flushes *out)
{
    asking a = {.asker = asker};
    size_t nodes = tree->inner ? tree->inner : 1;
    *out = (accordi_flushes){.node = accordi_ask_calloc(asker, nodes, 1),
                             .asked = accordi_ask_calloc(asker, nodes, 1),
                             .kept = accordi_ask_calloc(asker, nodes, 1)};
    if (!suits(asker, tree))
        return asker->status;
    if (!init_asking(&a, asker, tree)) {
        a.out = out;
        a.how = how;
        uint32_t step = 1 + tree->inner / MOST_NODES;
        for (uint32_t k = 0; k < tree->inner && !asker->status; k++)
            if (k % step == 0 || k + 32 > tree->inner)
                ask_node(&a, k);
        if (tree->inner == 0)
            ask_leaf(&a, 0, 0, ACCORD_TREE_NO_NODE);
        ask_questions(&a);
        if (how && out->all & (ACCORD_FLUSH_SUMS | ACCORD_FLUSH_RESULT))
            ask_tiny_sums(&a);
        ask_questions(&a);
        if (out->all & ACCORD_FLUSH_TINY_BEFORE) /* such sums are tiny after rounding, too */
            out->all &= ~(unsigned)ACCORD_FLUSH_TINY_AFTER;
    }
    clear_asking(&a);
    return asker->status;
}

/* ---- all at once ---- */

static double draw_small(asking *a, int kind)
{
    double ones = (double)(1 + accordi_rng_below(&a->asker->rng, 3));
    bool minus = kind % 2 && accordi_rng_below(&a->asker->rng, 2);
    return minus ? -ones : ones;
}

/* Terms that are a few times the least number of the format, as values, or as products of a
 * subnormal x, of a subnormal y, or of two normal factors. */
static void draw_subnormal_row(asking *a, int kind)
{
    const accord_format_info *in = accord_format_get(a->asker->target->format);
    int low = ilogb(in->least), half = low / 2, q = in->precision;
    for (size_t i = 0; i < a->asker->n; i++) {
        double v = draw_small(a, kind);
        int way = is_product(a) ? kind / 2 % 3 : 0;
        double x = way == 1 ? 4 : way == 2 ? ldexp(1, half) * v : v * in->least;
        double y = way == 0   ? is_product(a) ? ldexp(4, q) : 1
                   : way == 1 ? v * in->least * ldexp(1, q > 4 ? q - 4 : 0)
                              : ldexp(1, low - half);
        put_flush_term(a, (uint32_t)i, x, y);
    }
}

/* Are the sums of the rows as the model says? */
static bool rows_agree(asking *a, const accord_model *model)
{
    bool agree = true;
    if (!accordi_dense_replay(&a->dense, model))
        accordi_dense_ask(&a->dense);
    for (size_t i = 0; i < a->dense.rows && !a->asker->status; i++)
        agree = agree && accordi_dense_agrees(&a->dense, i);
    a->dense.rows = 0;
    return agree;
}

enum accord_status accordi_flushes_agree(accordi_asker *asker, const accord_tree *tree,
                                         const accord_arithmetic *how, bool *agree)
{
    asking a = {.asker = asker};
    *agree = true;
    if (!suits(asker, tree) || asker->target->has_start)
        return asker->status;
    if (init_asking(&a, asker, tree)) {
        clear_asking(&a);
        return asker->status;
    }
    accord_arithmetic plain = *how;
    const accord_model model = {tree, &plain};
    plain.alpha = 1;
    plain.alpha_at = ACCORD_ALPHA_ONE;
    const int kinds = is_product(&a) ? 6 : 4;
    for (int kind = 0; kind < kinds && !asker->status; kind++) {
        draw_subnormal_row(&a, kind);
        if (++a.dense.rows == a.dense.room || kind == kinds - 1)
            *agree = rows_agree(&a, &model) && *agree;
    }
    clear_asking(&a);
    return asker->status;
}

/* ---- into an arithmetic ---- */

/* Nodes at which nothing is flushed that is flushed elsewhere, though it was asked. */
static bool keeps_subnormals(const accordi_flushes *f, uint32_t k)
{
    unsigned all = f->all & ~(unsigned)(ACCORD_FLUSH_RESULT | TINY);
    return (f->asked[k] & all) && !(f->node[k] & all);
}

enum accord_status accordi_flushes_apply(accordi_asker *asker, const accord_tree *tree,
                                         const accordi_flushes *f, accord_arithmetic *inout)
{
    uint32_t kept = 0;
    inout->flush = f->all;
    for (uint32_t k = 0; k < tree->inner; k++)
        kept += keeps_subnormals(f, k);
    if (kept == 0 || asker->status)
        return asker->status;
    accord_operation *of_node = accordi_ask_alloc(asker, tree->inner, sizeof *of_node);
    if (!of_node)
        return asker->status;
    for (uint32_t k = 0; k < tree->inner; k++) {
        of_node[k] = *accordi_operation_of(inout, k);
        of_node[k].keeps = keeps_subnormals(f, k);
    }
    accordi_arithmetic_tabulate(asker, tree, of_node, inout);
    free(of_node);
    return asker->status;
}

bool accordi_flushes_hold(const accord_tree *tree, const accordi_flushes *f,
                          const accord_arithmetic *how)
{
    if ((f->all & TINY) && (f->all & TINY) != (how->flush & TINY))
        return false;
    for (uint32_t k = 0; k < tree->inner; k++) {
        const accord_operation *op = accordi_operation_of(how, k);
        unsigned flush = op->keeps ? 0 : how->flush;
        unsigned rounded = op->fused >= 0 ? 0 : ACCORD_FLUSH_PRODUCTS;
        unsigned gone = f->node[k] & ~(unsigned)TINY & (rounded | ~(unsigned)ACCORD_FLUSH_PRODUCTS);
        if ((gone & ~flush) || (f->kept[k] & flush & ~(unsigned)(ACCORD_FLUSH_PRODUCTS | TINY)))
            return false;
    }
    return true;
}
