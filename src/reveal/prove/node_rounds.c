/* Tests the arithmetic of all nodes of a known binary tree together, in rounds of probes.
 *
 * In: a tree and the arithmetic that was found. Out: how many nodes were tested, how many results
 * differ from the model's, and the chance to miss an odd node.
 *
 * Idea: the nodes of one Strahler number form disjoint paths. Each path carries a mask, and every
 * subtree beside it adds half of a last place, so each of its additions is a tie; of products, a
 * little more or less than half, which shows only where they enter unrounded. Of sums in f64 some
 * rows have a little more than halves, which a first rounding to 64 bits loses. The masks cancel
 * where two paths meet, and the result shows the last place. What is due is the model's replay, so
 * a result that differs always refutes the model. doc/theory.md, "Testing the arithmetic of all
 * nodes together", has the details and the probabilities.
 *
 * The fewer nodes a level has, the fewer terms are not zero. So a row of few terms is replayed by
 * the tree of these terms alone (reduced_tree.c), if all nodes round alike, and its terms are taken
 * back afterwards, so that nothing else of the next row need be written.
 *
 * Bound: R calls of a level miss an odd node with a chance below (3/4)^R, or (7/8)^R where the mask
 * of a path is at one of two products; R is chosen to make that less than 10^-6. */
#include "reveal/prove/node_rounds.h"
#include "base/parallel.h"
#include "model/operation.h"
#include "reveal/prove/round_rows.h"
#include <math.h>

enum { MANY = 1 << 15 /* nodes from which threads pay */ };
enum { FEW = 4 /* a level is reduced if at most one node in so many is left */ };

/* ---- levels ---- */

static void number_nodes(accordi_round *r)
{
    const accord_tree *tree = r->tree;
    memset(r->strahler, 0, tree->leaves);
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        uint8_t a = r->strahler[child[0]], b = r->strahler[child[1]];
        r->strahler[tree->leaves + k] = (uint8_t)(a == b ? a + 1 : a > b ? a : b);
    }
}

/* The children beside the paths: `marks` is of all nodes. In ascending order they lie close
 * together in the rows, whatever the order of the nodes. */
static void list_sides(accordi_round *r, bool *marks)
{
    const accord_tree *tree = r->at.tree;
    uint32_t all = tree->leaves + tree->inner;
    memset(marks, 0, all * sizeof *marks);
    for (uint32_t i = r->paths; i < r->nodes; i++) {
        uint32_t k = r->node[i];
        marks[tree->child[tree->first[k] + (accordi_round_way_down(r, k) == 0)]] = true;
    }
    r->sides = r->terms = r->blanks = 0;
    for (uint32_t v = 0; v < all; v++) {
        if (marks[v])
            r->side[r->sides++] = v;
        else if (v < tree->leaves)
            r->blank[r->blanks++] = v;
        if (v < tree->leaves)
            r->terms = r->sides;
    }
}

/* The nodes of a level; as many as it has paths have no way down. */
static void list_nodes(accordi_round *r, uint8_t level)
{
    r->nodes = r->paths = 0;
    for (int ends = 1; ends >= 0; ends--)
        for (uint32_t k = 0; k < r->at.tree->inner; k++)
            if (r->at.rank[r->at.tree->leaves + k] == level &&
                (accordi_round_way_down(r, k) < 0) == ends) {
                r->node[r->nodes++] = k;
                r->paths += (uint32_t)ends;
            }
    list_sides(r, r->pending);
}

/* The top of a path drawn at random. */
static uint32_t draw_top(accordi_round *r, uint8_t level)
{
    const accord_tree *tree = r->at.tree;
    uint32_t root = tree->leaves + tree->inner - 1;
    uint64_t left = accordi_rng_below(&r->asker->rng, r->paths);
    for (uint32_t k = 0; k < tree->inner; k++)
        for (int i = 0; i < 2 && r->at.rank[tree->leaves + k] > level; i++) {
            uint32_t child = tree->child[tree->first[k] + (uint32_t)i];
            if (r->at.rank[child] == level && left-- == 0)
                return child;
        }
    return root;
}

/* Which masks come out where, and with which signs: two that meet cancel. */
static void choose_signs(accordi_round *r, uint8_t level)
{
    const accord_tree *tree = r->at.tree;
    accordi_drawer *shared = &r->drawer[ACCORDI_ROUND_GROUP];
    uint32_t n = tree->leaves;
    memset(r->pending, 0, n * sizeof *r->pending);
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        uint8_t own = r->at.rank[n + k];
        r->pending[n + k] = own == level
                                ? n + k != r->top
                                : own > level && r->pending[child[0]] != r->pending[child[1]];
    }
    r->sign[n + tree->inner - 1] = accordi_round_coin(shared) ? 1 : -1;
    for (uint32_t k = tree->inner; k-- > 0;) {
        const uint32_t *child = tree->child + tree->first[k];
        signed char down = r->pending[n + k] ? r->sign[n + k] : accordi_round_coin(shared) ? 1 : -1;
        bool both = r->pending[child[0]] && r->pending[child[1]];
        r->sign[child[0]] = down;
        r->sign[child[1]] = (signed char)(both ? -down : down);
    }
}

/* ---- asking ---- */

/* The calls of a level, and the chance that one of them misses an odd node. Products enter the
 * lower ends of paths at the first level alone. */
typedef struct repetition {
    size_t rows;
    double miss;
} repetition;

static repetition repeat_level(const accordi_round *r, uint8_t level, bool ties)
{
    bool products = r->asker->term == ACCORD_TERM_PRODUCT && level == 1;
    return !ties      ? (repetition){20, 0.5}
           : products ? (repetition){104, 0.875}
                      : (repetition){49, 0.75};
}

/* Sums in f64 are also made of a little more than ties, which a first rounding to 64 bits would
 * make ties. */
static bool asks_near_ties(const accordi_round *r, int precision)
{
    return precision == 53 && accord_format_get(r->asker->target->format)->precision >= 24;
}

/* What is due by the terms that are not zero. */
static enum accord_status replay_few(accordi_round *r)
{
    const accordi_stratum *l = &r->at;
    const accord_model model = {l->tree, &l->how};
    const accordi_dense *d = &r->dense;
    const void *x[ACCORDI_ROUND_GROUP], *y[ACCORDI_ROUND_GROUP];
    size_t bytes = l->tree->leaves * (d->f32 ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < d->rows; i++) {
        x[i] = l->x + i * bytes;
        y[i] = l->y ? l->y + i * bytes : NULL;
    }
    const accord_rows rows = {.rows = d->rows, .x = x, .y = l->y ? y : NULL, .is_f32 = d->f32};
    if (!r->asker->status)
        r->asker->status = accord_model_replay(&model, &rows, d->due, r->asker->error);
    return r->asker->status;
}

static enum accord_status ask_round_rows(accordi_round *r, size_t rows)
{
    accordi_asker *asker = r->asker;
    accordi_dense *d = &r->dense;
    const accord_model model = {r->tree, r->how};
    size_t last = asker->n - 1;
    bool few = r->at.reduced.under != NULL;
    d->rows = rows;
    if (few)
        replay_few(r);
    else
        accordi_dense_replay(d, &model);
    for (size_t i = 0; asker->target->has_start && i < rows; i++)
        accordi_dense_put(d, i, last, accordi_dense_get(d, d->x, i, last) * asker->start_factor, 1);
    accordi_dense_ask(d);
    for (size_t i = 0; i < rows && !asker->status; i++)
        r->out->other += !accordi_dense_agrees(d, i);
    r->out->rows += rows;
    if (few)
        accordi_round_clear_rows(r);
    return asker->status;
}

static enum accord_status ask_level(accordi_round *r, uint8_t level, bool ties, bool close)
{
    size_t terms = r->at.reduced.under ? r->nodes : r->asker->n;
    const size_t all = repeat_level(r, level, ties).rows;
    int threads = terms < MANY ? 1 : accordi_threads(0);
    r->more = ties ? 0 : r->unit * 0x1p-13;
    r->half = r->unit / 2 + r->more;
    if (!r->at.reduced.under)
        accordi_round_list_fours(r);
    for (size_t i = 0; r->at.reduced.under && !r->clear && i < r->dense.room; i++)
        accordi_dense_fill(&r->dense, i, 0);
    r->clear = r->at.reduced.under != NULL;
    for (size_t done = 0; done < all && !r->asker->status;) {
        size_t group = r->dense.room, rows = all - done < group ? all - done : group;
        r->top = close && r->paths % 2 ? draw_top(r, level) : ACCORD_TREE_NO_NODE;
        choose_signs(r, level);
        for (size_t row = 0; row < rows; row++)
            accordi_round_begin_drawing(&r->drawer[row], r->asker);
        accordi_parallel(rows, threads, accordi_round_fill_row, r);
        ask_round_rows(r, rows);
        done += rows;
    }
    return r->asker->status;
}

/* Do sums of one term and zeros pass all nodes unchanged, rounded products included? */
static bool round_alike(const accordi_round *r)
{
    const accord_arithmetic *how = r->how;
    const accord_operation *first = &how->operation[0];
    bool products = r->asker->term == ACCORD_TERM_PRODUCT, alike = !how->has_machine;
    for (size_t i = 0; i < how->operations; i++) {
        const accord_operation *op = &how->operation[i];
        alike = alike && op->format == first->format && op->rounding == first->rounding &&
                op->stored == first->stored && op->fused != ACCORD_STEP && !op->keeps &&
                (!products || op->product == op->format) &&
                (op->stored == ACCORD_F64 || op->stored == op->format);
    }
    return alike;
}

static void leave_level(accordi_stratum *l)
{
    accordi_reduced_clear(&l->reduced);
    free(l->of_node);
    free(l->ranks);
    free(l->x);
    free(l->y);
    free(l->placed);
    *l = (accordi_stratum){0};
}

static void describe_nodes(accordi_round *r)
{
    accordi_stratum *l = &r->at;
    const accord_tree *tree = &l->reduced.tree;
    memset(l->ranks, 0, tree->leaves);
    for (uint32_t k = 0; k < tree->inner; k++) {
        uint32_t node = l->reduced.node[k];
        l->ranks[tree->leaves + k] = r->strahler[r->tree->leaves + node];
        l->of_node[k] = r->how->of_node ? r->how->of_node[node] : 0;
    }
    l->tree = tree;
    l->rank = l->ranks;
    l->how = *r->how;
    l->how.of_node = l->of_node;
    l->how.alpha_of = NULL;
    l->how.alpha_nodes = 0;
}

/* The whole tree, or, where a level has few nodes, what is left of it without those below. */
static enum accord_status enter_level(accordi_round *r, uint8_t number)
{
    accordi_asker *asker = r->asker;
    accordi_stratum *l = &r->at;
    size_t size = r->dense.f32 ? sizeof(float) : sizeof(double);
    *l = (accordi_stratum){.tree = r->tree, .rank = r->strahler};
    if (!r->alike || accordi_reduced_size(r->tree, r->strahler, number) > r->tree->inner / FEW ||
        accordi_reduce(asker, &r->layout, r->strahler, number, &l->reduced))
        return asker->status;
    size_t leaves = l->reduced.tree.leaves, all = leaves * r->dense.room;
    l->ranks = accordi_ask_alloc(asker, 2 * leaves, 1);
    l->of_node = accordi_ask_alloc(asker, leaves, 1);
    l->x = accordi_ask_alloc(asker, all, size);
    l->y = r->dense.y ? accordi_ask_alloc(asker, all, size) : NULL;
    l->placed = accordi_ask_alloc(asker, all, sizeof *l->placed);
    if (asker->status)
        leave_level(l);
    else
        describe_nodes(r);
    return asker->status;
}

/* The precisions of the nodes of a level, as a set. */
static uint64_t precisions_of(const accordi_round *r)
{
    const accord_arithmetic *how = r->at.reduced.under ? &r->at.how : r->how;
    uint64_t set = 0;
    for (uint32_t i = 0; i < r->nodes; i++) {
        const accord_operation *op = accordi_operation_of(how, r->node[i]);
        set |= UINT64_C(1) << accord_format_get(op->format)->precision;
    }
    return set;
}

/* A level, with masks of each precision that its nodes have. */
static void ask_precisions(accordi_round *r, uint8_t number, bool last)
{
    int narrow = accord_format_get(r->asker->target->output)->precision;
    list_nodes(r, number);
    uint64_t set = precisions_of(r);
    bool fits = true;
    for (int p = 0, unit; p < 64; p++)
        if (set >> p & 1)
            fits = accordi_ask_tie_unit(r->asker, p, &unit) && fits;
    for (int p = 0, unit; fits && p < 64; p++)
        if (set >> p & 1 && accordi_ask_tie_unit(r->asker, p, &unit)) {
            r->mask = ldexp(3, p - 2 + unit);
            r->unit = ldexp(1, unit);
            ask_level(r, number, true, p > narrow);
            if (asks_near_ties(r, p) && !r->asker->status)
                ask_level(r, number, false, p > narrow);
        }
    bool kept = last && set >> narrow > 1; /* the root's mask cancels there */
    r->out->tested += fits ? r->nodes - kept : 0;
}

static enum accord_status ask_levels(accordi_round *r)
{
    uint8_t levels = r->strahler[r->tree->leaves + r->tree->inner - 1];
    r->alike = round_alike(r);
    r->asker->total = r->asker->target->calls;
    for (uint8_t number = 1; number <= levels; number++)
        r->asker->total += repeat_level(r, number, true).rows;
    for (uint8_t number = 1; number <= levels && !r->asker->status; number++) {
        if (!enter_level(r, number))
            ask_precisions(r, number, number == levels);
        leave_level(&r->at);
    }
    r->asker->total = 0;
    r->out->levels = levels;
    r->out->miss = r->out->tested ? 0 : 1;
    for (uint8_t number = 1; r->out->tested && number <= levels; number++) {
        repetition all = repeat_level(r, number, true);
        r->out->miss = fmax(r->out->miss, pow(all.miss, (double)all.rows));
    }
    return r->asker->status;
}

/* ---- the whole ---- */

static enum accord_status init_rounds(accordi_round *r)
{
    size_t n = r->tree->leaves, nodes = n + r->tree->inner;
    bool products = r->asker->term == ACCORD_TERM_PRODUCT;
    int q = accord_format_get(r->asker->target->format)->precision;
    double h = ldexp(1, -(q / 2)), g = h / 2;
    r->factor[0][0] = 1 - g;
    r->factor[0][1] = 1 + g;
    r->factor[1][0] = 1 + h;
    r->factor[1][1] = 1 - h + h * h;
    r->odd_bits = products ? q - (q / 2 + 1) - 3 : q - 3;
    r->odd_bits = r->odd_bits < 0 ? 0 : r->odd_bits > 8 ? 8 : r->odd_bits;
    r->strahler = accordi_ask_alloc(r->asker, nodes, 1);
    r->pending = accordi_ask_alloc(r->asker, nodes, sizeof *r->pending);
    r->sign = accordi_ask_alloc(r->asker, nodes, 1);
    r->node = accordi_ask_alloc(r->asker, r->tree->inner, sizeof *r->node);
    r->side = accordi_ask_alloc(r->asker, r->tree->inner, sizeof *r->side);
    r->blank = accordi_ask_alloc(r->asker, n, sizeof *r->blank);
    accordi_round_begin_drawing(&r->drawer[ACCORDI_ROUND_GROUP], r->asker);
    size_t group = accordi_dense_fitting(r->asker, ACCORDI_ROUND_GROUP, products);
    accordi_dense_share(&r->dense, r->asker, group, products);
    return accordi_layout_plain(r->asker, r->tree, &r->layout);
}

static void clear_rounds(accordi_round *r)
{
    accordi_layout_clear(&r->layout);
    free(r->strahler);
    free(r->pending);
    free(r->sign);
    free(r->node);
    free(r->side);
    free(r->blank);
    accordi_dense_clear(&r->dense);
}

enum accord_status accordi_rounds_ask(accordi_asker *asker, const accord_tree *tree,
                                      const accord_arithmetic *how, accordi_rounds *out)
{
    bool suits = asker->term == ACCORD_TERM_VALUE || asker->term == ACCORD_TERM_PRODUCT;
    accord_arithmetic *plain = NULL;
    *out = (accordi_rounds){.miss = 1};
    if (asker->status || !suits || tree->inner == 0 || tree->inner + 1 != tree->leaves)
        return asker->status;
    asker->status =
        accord_arithmetic_copy(how, how->of_node ? tree->inner : 0, &plain, asker->error);
    if (asker->status)
        return asker->status;
    plain->alpha = 1; /* neutral factors scale everything by powers of two */
    plain->beta = 0;
    plain->alpha_at = ACCORD_ALPHA_ONE;
    accordi_round r = {.asker = asker, .tree = tree, .how = plain, .out = out};
    if (!init_rounds(&r)) {
        number_nodes(&r);
        ask_levels(&r);
    }
    clear_rounds(&r);
    accord_arithmetic_free(plain);
    return asker->status;
}
