/* Where a factor alpha enters, by probes.
 *
 * On its way to the root each product is multiplied once: an operand of it (x or y, rounded first),
 * itself, or a sum that it has entered. One part of a sum may do it in another way than the next
 * one: a body that goes block by block in vectors multiplies sums, its tail operands.
 *
 * A term x * s is probed alone: round(round(alpha x) s), round(x round(alpha s)) and alpha times
 * round(x s) differ for a suitable x. A node is probed with A under one child and 1 under the
 * other: alpha times their sum, the sum of both times alpha, and the latter with one product
 * unrounded differ for a suitable A (the 1 becomes alpha in every case). Two questions leave one
 * possibility. The nodes are then visited from the leaves upward: a value that is not multiplied
 * yet is multiplied below the first node whose answer is not that alpha enters above it. */
#include "reveal/arithmetic/alphas.h"
#include "model/operation.h"
#include "model/replay/scalar.h"
#include "model/scaling.h"
#include "reveal/probes/leaf_order.h"
#include <math.h>

enum { MOST_TERMS = 1 << 14, DRAWS = 1000, WAYS = 3, TIMES = 2 };

/* Of a term: alpha multiplies x, y, or a value. Of a node: a value above it, or those below it,
 * rounded, or the one with A unrounded. */
enum { TERM_X, TERM_Y, TERM_VALUE };
enum { NODE_ABOVE, NODE_ROUNDED, NODE_FUSED };

typedef struct seeker {
    accordi_asker *asker;
    const accord_tree *tree;
    const accord_arithmetic *found;
    accordi_layout layout;
    uint8_t *scaled; /* what is found, by node */
    bool *done;      /* by node: alpha has entered */
    bool fits;
} seeker;

/* A question, and what comes back by each way. */
typedef struct question {
    double x, s, due[WAYS];
} question;

static double round_to_output(const seeker *s, double x)
{
    return accord_format_round(s->asker->target->output, ACCORD_NEAREST_EVEN, x);
}

static bool is_start(const seeker *s, uint32_t node)
{
    return s->asker->target->has_start && node == s->tree->leaves - 1;
}

/* ---- what is due ---- */

static void due_of_term(const seeker *s, const accord_operation *op, bool fused, question *r)
{
    double alpha = s->asker->alpha;
    enum accord_format in = s->asker->target->format, first = fused ? op->format : op->product;
    double x = accordi_round_product(in, ACCORD_NEAREST_EVEN, r->x, alpha);
    double y = accordi_round_product(in, ACCORD_NEAREST_EVEN, r->s, alpha);
    double value = accordi_round_product(first, op->rounding, r->x, r->s);
    r->due[TERM_X] = accordi_round_product(first, op->rounding, x, r->s);
    r->due[TERM_Y] = accordi_round_product(first, op->rounding, r->x, y);
    r->due[TERM_VALUE] = accordi_round_product(op->format, op->rounding, value, alpha);
    for (int i = 0; i < WAYS; i++)
        r->due[i] = round_to_output(s, accord_format_round(op->format, op->rounding, r->due[i]));
}

/* A under one child, and under the other what comes to `beside`. */
static void due_of_node(const seeker *s, const accord_operation *op, double beside, question *r)
{
    enum accord_format f = op->format;
    enum accord_rounding to = op->rounding;
    double alpha = s->asker->alpha, times = accordi_round_product(f, to, r->x, alpha);
    accordi_factors fused[2] = {{r->x, alpha}, {accord_format_round(f, to, beside), 1}};
    double above = accord_format_add(f, to, r->x, 1);
    r->due[NODE_ABOVE] = round_to_output(s, accordi_round_product(f, to, above, alpha));
    r->due[NODE_ROUNDED] = round_to_output(s, accord_format_add(f, to, times, fused[1].a));
    r->due[NODE_FUSED] = round_to_output(s, accordi_sum_products(f, to, fused, 2));
}

/* Which ways of those in the set an answer leaves; all sets are bits. */
static unsigned left_by(const question *r, double answer, unsigned set)
{
    for (int i = 0; i < WAYS; i++)
        if (r->due[i] != answer)
            set &= ~(1u << i);
    return set;
}

/* How many ways of the set the answer of one of them leaves, at worst. */
static int most_ways_left(const question *r, unsigned set)
{
    int most = 0;
    for (int i = 0; i < WAYS; i++) {
        int left = set >> i & 1 ? __builtin_popcount(left_by(r, r->due[i], set)) : 0;
        most = left > most || !isfinite(r->due[i]) ? left + WAYS * !isfinite(r->due[i]) : most;
    }
    return most;
}

static double draw_value(const seeker *s)
{
    accordi_rng *rng = &s->asker->rng;
    double significand = 1 + accordi_rng_unit(rng); /* one draw after the other, in any build */
    double x = ldexp(significand, (int)accordi_rng_below(rng, 7) - 3);
    return accord_format_round(s->asker->target->format, ACCORD_NEAREST_EVEN, x);
}

/* What a question is about. */
typedef struct subject {
    const accord_operation *op;
    bool is_term, fused;
    double second, beside;
} subject;

static question draw_one(const seeker *s, const subject *about)
{
    question r = {.x = draw_value(s), .s = about->second};
    if (about->is_term)
        due_of_term(s, about->op, about->fused, &r);
    else
        due_of_node(s, about->op, about->beside, &r);
    return r;
}

/* The first of many that leaves one way of the set, or else the best. */
static question best_of(const seeker *s, const subject *about, unsigned set)
{
    question best = draw_one(s, about);
    for (int i = 0; i < DRAWS && most_ways_left(&best, set) > 1; i++) {
        question r = draw_one(s, about);
        best = most_ways_left(&r, set) < most_ways_left(&best, set) ? r : best;
    }
    return best;
}

/* Two that leave one way together: the second parts what the first leaves together. */
static void draw_questions(const seeker *s, const subject *about, question r[TIMES])
{
    enum { ALL = 7 };
    unsigned together = 0;
    r[0] = best_of(s, about, ALL);
    for (int i = 0; i < WAYS; i++) {
        unsigned left = left_by(&r[0], r[0].due[i], ALL);
        together = left & (left - 1) ? left : together;
    }
    r[1] = best_of(s, about, together);
}

/* The one way that answers are due to; -1 where it is none, or several. */
static int way_of(const question r[TIMES], const double *answer)
{
    unsigned left = left_by(&r[1], answer[1], left_by(&r[0], answer[0], 7));
    return left == 1 ? 0 : left == 2 ? 1 : left == 4 ? 2 : -1;
}

/* ---- asking ---- */

/* Alone, or with 1 beside it. */
static void put_questions(accordi_asker *asker, const question r[TIMES], uint32_t leaf,
                          uint32_t beside)
{
    for (int t = 0; t < TIMES; t++) {
        accordi_ask_own(asker, leaf, r[t].x);
        if (beside != leaf)
            accordi_ask_own(asker, beside, 1);
        accordi_ask_end(asker);
    }
}

static subject about_term(const seeker *s, uint32_t leaf)
{
    uint32_t k = s->layout.parent[leaf] - s->tree->leaves;
    const accord_operation *op = accordi_operation_of(s->found, k);
    bool fused = op->fused >= 0 && s->tree->child[2 * (size_t)k + (uint32_t)op->fused] == leaf;
    return (subject){.op = op, .is_term = true, .fused = fused, .second = s->asker->second};
}

static enum accord_status ask_terms(seeker *s)
{
    accordi_asker *asker = s->asker;
    uint32_t terms = s->tree->leaves - asker->target->has_start;
    question(*r)[TIMES] = accordi_ask_alloc(asker, s->tree->leaves, sizeof *r);
    if (!r)
        return asker->status;
    accordi_ask_begin(asker, 0);
    asker->second = draw_value(s);
    for (uint32_t i = 0; i < terms; i++) {
        subject about = about_term(s, i);
        draw_questions(s, &about, r[i]);
        put_questions(asker, r[i], i, i);
    }
    accordi_ask_run(asker);
    for (uint32_t i = 0; i < terms && !asker->status; i++) {
        int way = way_of(r[i], asker->result + TIMES * (size_t)i);
        s->fits = s->fits && way >= 0;
        s->scaled[i] = way == TERM_X   ? ACCORD_SCALED_X
                       : way == TERM_Y ? ACCORD_SCALED_Y
                                       : ACCORD_SCALED_NOT;
        s->done[i] = s->scaled[i] != ACCORD_SCALED_NOT;
    }
    free(r);
    return asker->status;
}

/* A random leaf under a node, but the start only where there is no other. */
static uint32_t leaf_under(const seeker *s, uint32_t node)
{
    uint32_t leaf = accordi_layout_leaf(s->asker, &s->layout, node);
    while (is_start(s, leaf) && node >= s->tree->leaves)
        leaf = accordi_layout_leaf(s->asker, &s->layout, node);
    return leaf;
}

/* Node k: A under its first child, and under its second. */
static void ask_node(seeker *s, uint32_t k, question r[2][TIMES])
{
    accordi_asker *asker = s->asker;
    uint32_t leaf[2];
    for (int i = 0; i < 2; i++)
        leaf[i] = leaf_under(s, s->tree->child[2 * (size_t)k + (uint32_t)i]);
    for (int i = 0; i < 2; i++) {
        double beside = is_start(s, leaf[!i]) ? asker->beta : asker->alpha;
        subject about = {.op = accordi_operation_of(s->found, k), .second = 1, .beside = beside};
        draw_questions(s, &about, r[i]);
        put_questions(asker, r[i], leaf[i], leaf[!i]);
    }
}

/* What node k said; its children are settled. */
static void settle_node(seeker *s, uint32_t k, question r[2][TIMES], const double *answer)
{
    const uint32_t *child = s->tree->child + 2 * (size_t)k;
    uint32_t node = s->tree->leaves + k;
    int way[2];
    for (int i = 0; i < 2; i++)
        way[i] = is_start(s, child[i]) ? NODE_ROUNDED : way_of(r[i], answer + TIMES * i);
    bool above = way[0] == NODE_ABOVE && way[1] == NODE_ABOVE;
    bool some = way[0] == NODE_ABOVE || way[1] == NODE_ABOVE;
    bool late = s->done[child[0]] || s->done[child[1]];
    if (way[0] < 0 || way[1] < 0 || (some && !above) || (above && late)) {
        s->fits = false;
        return;
    }
    s->done[node] = !above;
    for (int i = 0; i < 2 && !above; i++)
        if (!s->done[child[i]])
            s->scaled[child[i]] =
                way[i] == NODE_FUSED ? ACCORD_SCALED_FUSED : ACCORD_SCALED_ROUNDED;
}

static enum accord_status ask_nodes(seeker *s)
{
    accordi_asker *asker = s->asker;
    uint32_t inner = s->tree->inner;
    question(*r)[2][TIMES] = accordi_ask_alloc(asker, inner, sizeof *r);
    if (!r)
        return asker->status;
    accordi_ask_begin(asker, 0);
    for (uint32_t k = 0; k < inner; k++)
        ask_node(s, k, r[k]);
    accordi_ask_run(asker);
    for (uint32_t k = 0; k < inner && !asker->status && s->fits; k++)
        settle_node(s, k, r[k], asker->result + 2 * TIMES * (size_t)k);
    free(r);
    return asker->status;
}

/* ---- the arithmetic ---- */

static enum accord_status scale_arithmetic(seeker *s, accord_arithmetic **made)
{
    accordi_asker *asker = s->asker;
    uint32_t root = s->tree->leaves + s->tree->inner - 1;
    accord_arithmetic how = *s->found, simplest;
    const accord_model model = {s->tree, &how};
    if (!s->done[root])
        s->scaled[root] = ACCORD_SCALED_ROUNDED;
    how.alpha = asker->alpha;
    how.beta = asker->beta;
    how.alpha_at = ACCORD_ALPHA_NODES;
    how.alpha_of = s->scaled;
    how.alpha_nodes = (size_t)root + 1;
    asker->status = accordi_scaling_simplest(&model, &simplest, asker->error);
    if (!asker->status)
        asker->status =
            accord_arithmetic_copy(&simplest, how.of_node ? s->tree->inner : 0, made, asker->error);
    return asker->status;
}

enum accord_status accordi_alphas(accordi_asker *asker, const accord_tree *tree,
                                  const accord_arithmetic *found, accord_arithmetic **made)
{
    seeker s = {.asker = asker, .tree = tree, .found = found, .fits = true};
    size_t nodes = (size_t)tree->leaves + tree->inner;
    *made = NULL;
    if (asker->status || tree->inner == 0 || tree->inner + 1 != tree->leaves ||
        tree->leaves > MOST_TERMS)
        return asker->status;
    s.scaled = accordi_ask_calloc(asker, nodes, 1);
    s.done = accordi_ask_calloc(asker, nodes, sizeof *s.done);
    if (s.done)
        s.done[tree->leaves - 1] = asker->target->has_start;
    if (!accordi_layout_init(asker, tree, &s.layout) && !ask_terms(&s) && s.fits &&
        !ask_nodes(&s) && s.fits)
        scale_arithmetic(&s, made);
    accordi_layout_clear(&s.layout);
    free(s.scaled);
    free(s.done);
    return asker->status;
}
