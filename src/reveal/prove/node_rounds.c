/* Tests the arithmetic of all nodes of a known binary tree together, in rounds of probes.
 *
 * In: a tree and the arithmetic that was found. Out: how many nodes were tested, how many results
 * differ from the model's, and the chance to miss an odd node.
 *
 * Idea: the nodes of one Strahler number form disjoint paths. Each path carries a mask, and every
 * subtree beside it adds half of a last place, so each of its additions is a tie; of products, a
 * little more or less than half, which shows only where they enter unrounded. The masks cancel
 * where two paths meet, and the result shows the last place. What is due is the model's replay, so
 * a result that differs always refutes the model. doc/theory.md, "Testing the arithmetic of all
 * nodes together", has the details and the probabilities.
 *
 * The fewer nodes a level has, the fewer terms are not zero. So a row of few terms is replayed by
 * the tree of these terms alone (reduced_tree.c), if all nodes round alike, and its terms are taken
 * back afterwards, so that nothing else of the next row need be written.
 *
 * Bound: ROWS calls a level miss an odd node with a chance below (7/8)^ROWS < 10^-6. */
#include "reveal/prove/node_rounds.h"
#include "base/parallel.h"
#include "model/operation.h"
#include "reveal/probes/dense_rows.h"
#include "reveal/prove/reduced_tree.h"
#include <math.h>

enum { ROWS = 104, GROUP = 16, MANY = 1 << 15 /* nodes from which threads pay */ };
enum { FEW = 4 /* a level is reduced if at most one node in so many is left */ };

/* Coins and numbers: each row has its own, so that rows can be written by several threads. */
typedef struct drawer {
    accordi_rng rng;
    uint64_t coins; /* that were drawn, so many of them left */
    int left;
} drawer;

/* The nodes of a level and those above: the whole tree, or what is left of it. */
typedef struct stratum {
    const accord_tree *tree;
    const uint8_t *rank;      /* per node of it: its Strahler number */
    accordi_reduced reduced;  /* if that is what `tree` is; else empty */
    accord_arithmetic how;    /* then: of its nodes … */
    uint8_t *of_node, *ranks; /* … and what is allocated for it */
    char *x, *y;              /* rows of its terms */
    uint32_t *placed;         /* which terms of the target they are */
} stratum;

typedef struct rounds {
    accordi_asker *asker;
    const accord_tree *tree;
    const accord_arithmetic *how;
    accordi_layout layout;
    uint8_t *strahler; /* per node */
    stratum at;
    bool alike;        /* all nodes round alike */
    bool clear;        /* all rows are zero */
    bool *pending;     /* per node: a mask comes out of it */
    signed char *sign; /* per node: of that mask */
    uint32_t *node;    /* the inner nodes k of the level: first those at which a path ends */
    uint32_t *side;    /* the children beside the paths, where these go on, in ascending order */
    uint32_t nodes, paths, sides;
    uint32_t terms;           /* the first of the sides, which are terms themselves */
    uint32_t top;             /* of the path whose mask cancels inside it; NO_NODE: none */
    accordi_dense dense;      /* a group of rows, whose masks have the same signs */
    double factor[2][2];      /* of products: the two that make a little more, and a little less */
    int odd_bits;             /* of the even number */
    drawer drawer[GROUP + 1]; /* of each row, and of what the rows of a group share */
    double mask, unit;        /* of the rows */
    accordi_rounds *out;
} rounds;

static bool coin(drawer *d)
{
    if (d->left == 0) {
        d->coins = accordi_rng_next(&d->rng);
        d->left = 64;
    }
    return d->coins >> --d->left & 1;
}

static void begin_drawing(drawer *d, accordi_asker *asker)
{
    accordi_rng_init(&d->rng, accordi_rng_next(&asker->rng));
    d->left = 0;
}

/* ---- levels ---- */

static void number_nodes(rounds *r)
{
    const accord_tree *tree = r->tree;
    memset(r->strahler, 0, tree->leaves);
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        uint8_t a = r->strahler[child[0]], b = r->strahler[child[1]];
        r->strahler[tree->leaves + k] = (uint8_t)(a == b ? a + 1 : a > b ? a : b);
    }
}

/* The child by which the path goes on; -1 at its end. */
static int way_down(const rounds *r, uint32_t k)
{
    const uint32_t *child = r->at.tree->child + r->at.tree->first[k];
    uint8_t level = r->at.rank[r->at.tree->leaves + k];
    return r->at.rank[child[0]] == level ? 0 : r->at.rank[child[1]] == level ? 1 : -1;
}

/* The children beside the paths: `marks` is of all nodes. In ascending order they lie close
 * together in the rows, whatever the order of the nodes. */
static void list_sides(rounds *r, bool *marks)
{
    const accord_tree *tree = r->at.tree;
    uint32_t all = tree->leaves + tree->inner;
    memset(marks, 0, all * sizeof *marks);
    for (uint32_t i = r->paths; i < r->nodes; i++) {
        uint32_t k = r->node[i];
        marks[tree->child[tree->first[k] + (way_down(r, k) == 0)]] = true;
    }
    r->sides = 0;
    for (uint32_t v = 0; v < all; v++)
        if (marks[v])
            r->side[r->sides++] = v;
    r->terms = 0;
    while (r->terms < r->sides && r->side[r->terms] < tree->leaves)
        r->terms++;
}

/* The nodes of a level; as many as it has paths have no way down. */
static void list_nodes(rounds *r, uint8_t level)
{
    r->nodes = r->paths = 0;
    for (int ends = 1; ends >= 0; ends--)
        for (uint32_t k = 0; k < r->at.tree->inner; k++)
            if (r->at.rank[r->at.tree->leaves + k] == level && (way_down(r, k) < 0) == ends) {
                r->node[r->nodes++] = k;
                r->paths += (uint32_t)ends;
            }
    list_sides(r, r->pending);
}

/* The top of a path drawn at random. */
static uint32_t draw_top(rounds *r, uint8_t level)
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
static void choose_signs(rounds *r, uint8_t level)
{
    const accord_tree *tree = r->at.tree;
    drawer *shared = &r->drawer[GROUP];
    uint32_t n = tree->leaves;
    memset(r->pending, 0, n * sizeof *r->pending);
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        uint8_t own = r->at.rank[n + k];
        r->pending[n + k] = own == level
                                ? n + k != r->top
                                : own > level && r->pending[child[0]] != r->pending[child[1]];
    }
    r->sign[n + tree->inner - 1] = coin(shared) ? 1 : -1;
    for (uint32_t k = tree->inner; k-- > 0;) {
        const uint32_t *child = tree->child + tree->first[k];
        signed char down = r->pending[n + k] ? r->sign[n + k] : coin(shared) ? 1 : -1;
        bool both = r->pending[child[0]] && r->pending[child[1]];
        r->sign[child[0]] = down;
        r->sign[child[1]] = (signed char)(both ? -down : down);
    }
}

/* ---- a row ---- */

/* Where few terms are not zero, they are kept beside the row, too. */
static void keep_term(rounds *r, size_t row, uint32_t leaf, double x, double y, uint32_t term)
{
    const stratum *l = &r->at;
    size_t at = row * l->tree->leaves + leaf;
    accordi_set_number(l->x, r->dense.f32, at, x);
    if (l->y)
        accordi_set_number(l->y, r->dense.f32, at, y);
    l->placed[at] = term;
}

/* A random leaf under a node becomes `value`; of a product a little more or less. */
static void put_round_term(rounds *r, size_t row, uint32_t node, double value, bool whole)
{
    drawer *d = &r->drawer[row];
    const uint32_t *under = r->at.reduced.under;
    uint32_t leaf = accordi_layout_draw(&d->rng, &r->layout, under ? under[node] : node);
    double x = value, y = 1;
    bool start = r->asker->target->has_start && leaf == r->asker->n - 1;
    if (r->asker->term == ACCORD_TERM_PRODUCT && !whole && !start) {
        const double *factor = r->factor[coin(d)];
        x = value * factor[0];
        y = factor[1];
    }
    accordi_dense_put(&r->dense, row, leaf, x, y);
    if (under)
        keep_term(r, row, node, x, y, leaf);
}

static double draw_half(drawer *d, double unit, int bits)
{
    double even = 4.0 * (double)accordi_rng_below(&d->rng, (uint64_t)1 << bits);
    return (coin(d) ? 1 : -1) * (even + 1) / 2 * unit;
}

/* Node k, at which a path ends, and where its mask cancels if this is the top of the path, too. */
static void put_end(rounds *r, size_t row, uint32_t k, double mask, int bits)
{
    drawer *d = &r->drawer[row];
    const uint32_t *child = r->at.tree->child + r->at.tree->first[k];
    bool down = coin(d), last = r->at.tree->leaves + k == r->top;
    double m = r->sign[child[down]] * mask;
    put_round_term(r, row, child[down], m, true);
    put_round_term(r, row, child[!down], last ? -m : draw_half(d, r->unit, bits), last);
}

/* The child beside the path at its top, where its mask cancels; NO_NODE: there is none. */
static uint32_t put_top(rounds *r, size_t row, double mask)
{
    const accord_tree *tree = r->at.tree;
    int down = r->top == ACCORD_TREE_NO_NODE ? -1 : way_down(r, r->top - tree->leaves);
    if (down < 0)
        return ACCORD_TREE_NO_NODE;
    const uint32_t *child = tree->child + tree->first[r->top - tree->leaves];
    put_round_term(r, row, child[!down], -r->sign[child[down]] * mask, true);
    return child[!down];
}

/* Sides that are terms themselves, from side[i] on, in a whole row: half a unit of either sign.
 * Most sides of the first level are such terms. Returns the first side that is none of them. */
#define PUT_TERMS(name, T)                                                                         \
    static uint32_t name(rounds *r, size_t row, uint32_t done)                                     \
    {                                                                                              \
        bool products = r->asker->term == ACCORD_TERM_PRODUCT;                                     \
        const double half = r->unit / 2, (*factor)[2] = r->factor;                                 \
        const T one = (T)half, more = (T)(half * factor[0][0]), less = (T)(half * factor[1][0]);   \
        const T x[4] = {products ? -more : -one, products ? more : one, -less, less};              \
        const T y[4] = {(T)factor[0][1], (T)factor[0][1], (T)factor[1][1], (T)factor[1][1]};       \
        T *first = accordi_dense_first(&r->dense, row),                                            \
          *second = accordi_dense_second(&r->dense, row);                                          \
        const unsigned among = products ? 3 : 1;                                                   \
        const uint32_t *side = r->side, terms = r->terms;                                          \
        drawer *d = &r->drawer[row];                                                               \
        for (uint32_t i = 0; i < terms;) {                                                         \
            uint64_t coins = accordi_rng_next(&d->rng);                                            \
            uint32_t end = terms - i < 32 ? terms : i + 32;                                        \
            for (; i < end; i++, coins >>= 2) {                                                    \
                unsigned which = (unsigned)coins & among;                                          \
                if (side[i] == done)                                                               \
                    continue;                                                                      \
                first[side[i]] = x[which];                                                         \
                if (products)                                                                      \
                    second[side[i]] = y[which];                                                    \
            }                                                                                      \
        }                                                                                          \
        return terms;                                                                              \
    }
PUT_TERMS(put_terms_f32, float)
PUT_TERMS(put_terms_f64, double)

static void fill_row(void *context, size_t row, int worker)
{
    rounds *r = context;
    drawer *d = &r->drawer[row];
    int bits = coin(d) ? r->odd_bits : 0;
    (void)worker;
    if (!r->at.reduced.under)
        accordi_dense_fill(&r->dense, row, 0);
    double mask = coin(d) ? r->mask : -r->mask;
    for (uint32_t i = 0; i < r->paths; i++)
        put_end(r, row, r->node[i], mask, bits);
    uint32_t done = put_top(r, row, mask);
    const double half[2] = {-r->unit / 2, r->unit / 2};
    uint32_t i = 0;
    if (!r->at.reduced.under && !r->asker->target->has_start)
        i = r->dense.f32 ? put_terms_f32(r, row, done) : put_terms_f64(r, row, done);
    for (; i < r->sides; i++)
        if (r->side[i] != done)
            put_round_term(r, row, r->side[i], half[coin(d)], false);
}

/* All rows are zero again. */
static void clear_rows(rounds *r)
{
    const stratum *l = &r->at;
    const accordi_dense *d = &r->dense;
    bool start = r->asker->target->has_start;
    for (size_t row = 0; row < d->rows; row++) {
        for (size_t i = 0; i < l->tree->leaves; i++)
            accordi_dense_put(d, row, l->placed[row * l->tree->leaves + i], 0, 1);
        if (start)
            accordi_dense_put(d, row, r->asker->n - 1, 0, 1);
    }
}

/* ---- asking ---- */

/* What is due by the terms that are not zero. */
static enum accord_status replay_few(rounds *r)
{
    const stratum *l = &r->at;
    const accord_model model = {l->tree, &l->how};
    const accordi_dense *d = &r->dense;
    const void *x[GROUP], *y[GROUP];
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

static enum accord_status ask_round_rows(rounds *r, size_t rows)
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
        clear_rows(r);
    return asker->status;
}

static enum accord_status ask_level(rounds *r, uint8_t level, double mask, double unit, bool close)
{
    size_t terms = r->at.reduced.under ? r->nodes : r->asker->n;
    int threads = terms < MANY ? 1 : accordi_threads(0);
    r->mask = mask;
    r->unit = unit;
    for (size_t i = 0; r->at.reduced.under && !r->clear && i < r->dense.room; i++)
        accordi_dense_fill(&r->dense, i, 0);
    r->clear = r->at.reduced.under != NULL;
    for (size_t done = 0; done < ROWS && !r->asker->status;) {
        size_t group = r->dense.room, rows = ROWS - done < group ? ROWS - done : group;
        r->top = close && r->paths % 2 ? draw_top(r, level) : ACCORD_TREE_NO_NODE;
        choose_signs(r, level);
        for (size_t row = 0; row < rows; row++)
            begin_drawing(&r->drawer[row], r->asker);
        accordi_parallel(rows, threads, fill_row, r);
        ask_round_rows(r, rows);
        done += rows;
    }
    return r->asker->status;
}

bool accordi_rounds_unit(const accordi_asker *asker, int p, int *unit)
{
    accordi_exponents range = accordi_ask_exponents(asker, asker->target->format);
    int spare = 2; /* alpha and beta of a half; masks that are added up for lack of a right tree */
    *unit = range.most - spare - p < 0 ? range.most - spare - p : 0;
    return *unit - 2 >= range.least;
}

/* Do sums of one term and zeros pass all nodes unchanged, rounded products included? */
static bool round_alike(const rounds *r)
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

static void leave_level(stratum *l)
{
    accordi_reduced_clear(&l->reduced);
    free(l->of_node);
    free(l->ranks);
    free(l->x);
    free(l->y);
    free(l->placed);
    *l = (stratum){0};
}

static void describe_nodes(rounds *r)
{
    stratum *l = &r->at;
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
static enum accord_status enter_level(rounds *r, uint8_t number)
{
    accordi_asker *asker = r->asker;
    stratum *l = &r->at;
    size_t size = r->dense.f32 ? sizeof(float) : sizeof(double);
    *l = (stratum){.tree = r->tree, .rank = r->strahler};
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
static uint64_t precisions_of(const rounds *r)
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
static void ask_precisions(rounds *r, uint8_t number, bool last)
{
    int narrow = accord_format_get(r->asker->target->output)->precision;
    list_nodes(r, number);
    uint64_t set = precisions_of(r);
    bool fits = true;
    for (int p = 0, unit; p < 64; p++)
        if (set >> p & 1)
            fits = accordi_rounds_unit(r->asker, p, &unit) && fits;
    for (int p = 0, unit; fits && p < 64; p++)
        if (set >> p & 1 && accordi_rounds_unit(r->asker, p, &unit))
            ask_level(r, number, ldexp(3, p - 2 + unit), ldexp(1, unit), p > narrow);
    bool kept = last && set >> narrow > 1; /* the root's mask cancels there */
    r->out->tested += fits ? r->nodes - kept : 0;
}

static enum accord_status ask_levels(rounds *r)
{
    uint8_t levels = r->strahler[r->tree->leaves + r->tree->inner - 1];
    r->alike = round_alike(r);
    r->asker->total = r->asker->target->calls + (uint64_t)ROWS * levels;
    for (uint8_t number = 1; number <= levels && !r->asker->status; number++) {
        if (!enter_level(r, number))
            ask_precisions(r, number, number == levels);
        leave_level(&r->at);
    }
    r->asker->total = 0;
    r->out->levels = levels;
    r->out->miss = r->out->tested ? pow(0.875, ROWS) : 1;
    return r->asker->status;
}

/* ---- the whole ---- */

static enum accord_status init_rounds(rounds *r)
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
    begin_drawing(&r->drawer[GROUP], r->asker);
    size_t group = accordi_dense_fitting(r->asker, GROUP, products);
    accordi_dense_share(&r->dense, r->asker, group, products);
    return accordi_layout_plain(r->asker, r->tree, &r->layout);
}

static void clear_rounds(rounds *r)
{
    accordi_layout_clear(&r->layout);
    free(r->strahler);
    free(r->pending);
    free(r->sign);
    free(r->node);
    free(r->side);
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
    rounds r = {.asker = asker, .tree = tree, .how = plain, .out = out};
    if (!init_rounds(&r)) {
        number_nodes(&r);
        ask_levels(&r);
    }
    clear_rounds(&r);
    accord_arithmetic_free(plain);
    return asker->status;
}
