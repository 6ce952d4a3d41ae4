/* Guesses the order. Implementations are regular, so the order of the first m terms suggests that
 * of the first 2m.
 *
 * Terms that are 0 do not affect the result, so probes can ask about the order of terms 0 … m-1
 * alone. This order is doubled repeatedly: rules (pattern/growth.h) propose how it may continue,
 * and probes count a few pairs on which the proposals differ, which leaves one of them or none. For
 * two terms there is only one tree, so the start needs no probe. The same is tried from the last
 * term backwards. Orders that divide the terms from the top are proposed as a whole. The proposal
 * for n terms is then verified (verify.c). A fused node may pass that test as a binary one, so some
 * nodes are counted, too: a regular order has fused nodes at its root or everywhere. If no rule
 * fits a target, the attempt costs a dozen probes.
 *
 * Where rules fail from the start, the order of the first BASE terms is discovered and continued;
 * where they fail later, a border is looked for, and the window around it is discovered
 * (window.c). Both cost about a probe per term of theirs, so this is left to many more terms, the
 * first few of which follow a rule. */
#include "reveal/discover/guess.h"
#include "pattern/growth.h"
#include "pattern/orders.h"
#include "reveal/discover/window.h"

enum {
    PROPOSALS = 16,
    PAIRS = 8,
    POOL = 40,
    LEAST_TERMS = 100,
    LEAST_LEVELS = 8,
    STEADY = 256,
    CHECKS = 3,
    GLANCES = 48,
    BASE = 64,
    BEGINNING = 8,
    BASES_IN_ALL = 8,
    LEAST_LANES = 8
};

typedef struct proposal {
    accord_tree *tree;
    uint32_t *parent, *size;
    uint32_t lanes, block; /* what it takes for the number of lanes, the size of a block */
    accordi_rule *rule;    /* that made it, with its parameter */
    uint32_t parameter;
} proposal;

typedef struct guesser {
    accordi_asker *asker;
    bool backwards;
    proposal list[PROPOSALS];
    bool begins;   /* rules fit the first BEGINNING terms */
    proposal held; /* the last that answers bore out before all failed */
    uint32_t count;
} guesser;

static void drop_proposal(proposal *p)
{
    accord_tree_free(p->tree);
    free(p->parent);
    free(p->size);
    memset(p, 0, sizeof *p);
}

static void drop_all(guesser *g)
{
    while (g->count)
        drop_proposal(&g->list[--g->count]);
    drop_proposal(&g->held);
}

/* Takes the tree over; a tree that stands in the list already is dropped. */
static void propose(guesser *g, proposal p)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (accord_tree_equal(g->list[i].tree, p.tree)) {
            drop_proposal(&p);
            return;
        }
    p.parent = accordi_alloc(p.tree->leaves + p.tree->inner, sizeof *p.parent);
    p.size = accordi_alloc(p.tree->inner + 1, sizeof *p.size);
    if (!p.parent || !p.size || g->count == PROPOSALS) {
        drop_proposal(&p);
        return;
    }
    accord_tree_parents(p.tree, p.parent);
    accord_tree_sizes(p.tree, p.size);
    g->list[g->count++] = p;
}

/* Leaves under the least common ancestor; children have smaller numbers than parents. */
static uint32_t leaves_under(const proposal *p, uint32_t i, uint32_t j)
{
    while (i != j)
        if (i < j)
            i = p->parent[i];
        else
            j = p->parent[j];
    return p->size[i - p->tree->leaves];
}

/* Does some remaining proposal stand apart from the first on this pair? */
static bool tells_apart(const guesser *g, uint32_t i, uint32_t j)
{
    uint32_t first = leaves_under(&g->list[0], i, j);
    for (uint32_t k = 1; k < g->count; k++)
        if (leaves_under(&g->list[k], i, j) != first)
            return true;
    return false;
}

/* A pair on which a proposal stands apart from the first, near where their trees part: false if
 * none is found. */
static bool find_telling(guesser *g, uint32_t k, uint32_t *i, uint32_t *j)
{
    accord_tree_difference d;
    bool differ = false, swapped = false;
    if (accord_tree_diff(g->list[0].tree, g->list[k].tree, &differ, &swapped, &d, NULL) || !differ)
        return false;
    const accord_tree *tree = g->list[swapped ? k : 0].tree;
    uint32_t *leaf = accordi_alloc(2 * (size_t)tree->leaves, sizeof *leaf), count = 0;
    if (!leaf)
        return false;
    /* the nodes under d.node, by walking down its part of the post-order */
    uint32_t *stack = leaf + tree->leaves, depth = 0;
    stack[depth++] = d.node;
    while (depth) {
        uint32_t v = stack[--depth];
        if (v < tree->leaves) {
            leaf[count++] = v;
            continue;
        }
        v -= tree->leaves;
        for (uint32_t c = tree->first[v]; c < tree->first[v + 1]; c++)
            stack[depth++] = tree->child[c];
    }
    bool found = false;
    for (int t = 0; t < POOL && !found; t++) {
        *i = leaf[accordi_rng_below(&g->asker->rng, count)];
        *j = leaf[accordi_rng_below(&g->asker->rng, count)];
        found = *i != *j && leaves_under(&g->list[0], *i, *j) != leaves_under(&g->list[k], *i, *j);
    }
    free(leaf);
    return found;
}

static uint32_t term_at(const guesser *g, uint32_t i)
{
    return g->backwards ? (uint32_t)g->asker->n - 1 - i : i;
}

/* Counts a few pairs among the first m terms and drops the proposals that they contradict. */
static enum accord_status sift_proposals(guesser *g, uint32_t m, bool *again)
{
    accordi_asker *asker = g->asker;
    uint32_t pair[PAIRS + 1][2], pairs = 0, plain = 0;
    *again = false;
    for (int t = 0; t < POOL && pairs < PAIRS; t++) {
        uint32_t i = (uint32_t)accordi_rng_below(&asker->rng, m);
        uint32_t j = (uint32_t)accordi_rng_below(&asker->rng, m - 1);
        j += j >= i;
        bool telling = tells_apart(g, i, j);
        if (!telling && g->count > 1 && plain++ >= CHECKS)
            continue;
        pair[pairs][0] = i;
        pair[pairs++][1] = j;
        *again = *again || telling;
    }
    for (uint32_t k = 1; k < g->count && !*again; k++)
        if (find_telling(g, k, &pair[pairs][0], &pair[pairs][1])) {
            pairs++;
            *again = true;
        }
    accordi_ask_begin(asker, 0);
    for (uint32_t i = 0; i < m; i++)
        accordi_ask_stay(asker, term_at(g, i), asker->unit);
    for (uint32_t p = 0; p < pairs; p++)
        accordi_ask_masks(asker, term_at(g, pair[p][0]), term_at(g, pair[p][1]));
    if (accordi_ask_run(asker))
        return asker->status;
    for (uint32_t p = 0; p < pairs; p++) {
        uint64_t units;
        if (accordi_ask_decode(asker, asker->result[p], &units))
            return asker->status;
        for (uint32_t k = 0; k < g->count;)
            if (m - leaves_under(&g->list[k], pair[p][0], pair[p][1]) == units) {
                k++;
            } else {
                drop_proposal(&g->list[k]);
                g->list[k] = g->list[--g->count];
                memset(&g->list[g->count], 0, sizeof *g->list);
            }
    }
    return ACCORD_OK;
}

static void grow_proposal(guesser *g, const accord_tree *tree, uint32_t m, accordi_rule *rule,
                          uint32_t parameter, uint32_t lanes, uint32_t block)
{
    accordi_builder b;
    proposal p = {.lanes = lanes, .block = block, .rule = rule, .parameter = parameter};
    if (accordi_builder_init(&b, m, NULL))
        return;
    if (rule(tree, parameter, &b) && !accordi_builder_finish(&b, &p.tree, NULL))
        propose(g, p);
    free(b.parent);
}

/* All ways in which an order may go on to m terms. */
static void grow_all(guesser *g, const proposal *p, uint32_t m)
{
    uint32_t half = p->tree->leaves, block = p->block ? p->block : half;
    grow_proposal(g, p->tree, m, accordi_grow_lanes, half, half, 0);
    if (p->lanes && p->lanes < half) {
        grow_proposal(g, p->tree, m, accordi_grow_lanes, p->lanes, p->lanes, 0);
        if (p->lanes > 1) /* a copy of one lane is a block, below */
            grow_proposal(g, p->tree, m, accordi_grow_lane_copies, p->lanes, p->lanes, 0);
    }
    grow_proposal(g, p->tree, m, accordi_grow_lanes, 1, 1, 0);
    grow_proposal(g, p->tree, m, accordi_grow_copy, 0, p->lanes, block);
    if (p->block)
        grow_proposal(g, p->tree, m, accordi_grow_blocks, p->block, p->lanes, p->block);
    grow_proposal(g, p->tree, m, accordi_grow_blocks, 1, p->lanes, p->block);
}

static void sift_out(guesser *g, uint32_t m)
{
    for (bool again = true; again && g->count && !g->asker->status;)
        sift_proposals(g, m, &again);
    while (g->count > 1) /* many pairs do not distinguish them: take the first */
        drop_proposal(&g->list[--g->count]);
}

/* What was discovered and not grown says nothing of its lanes and blocks: as above, and these. */
static void grow_base(guesser *g, const proposal *p, uint32_t m)
{
    for (uint32_t lanes = p->tree->leaves; lanes >= LEAST_LANES; lanes /= 2)
        grow_proposal(g, p->tree, m, accordi_grow_lanes, lanes, lanes, 0);
    for (uint32_t block = p->tree->leaves / 2; block >= LEAST_LANES; block /= 2)
        grow_proposal(g, p->tree, m, accordi_grow_blocks, block, 0, block);
    grow_all(g, p, m);
}

/* Continues p to m terms. */
static void grow_to(guesser *g, const proposal *p, uint32_t m)
{
    if (m > STEADY && p->rule) { /* large trees take time: first the rule that held before */
        grow_proposal(g, p->tree, m, p->rule, p->parameter, p->lanes, p->block);
        sift_out(g, m);
    }
    if (g->count || g->asker->status)
        return;
    if (!p->rule && p->tree->leaves >= BASE)
        grow_base(g, p, m);
    else
        grow_all(g, p, m);
    sift_out(g, m);
}

static proposal take_proposal(guesser *g)
{
    proposal p = g->list[--g->count];
    memset(&g->list[g->count], 0, sizeof p);
    return p;
}

/* Begins with the order of the first few terms, which is taken over. */
static enum accord_status double_up(guesser *g, accord_tree *first)
{
    uint32_t n = (uint32_t)g->asker->n, m = first->leaves;
    propose(g, (proposal){.tree = first});
    while (m < n && g->count == 1 && !g->asker->status) {
        m = 2 * m < n ? 2 * m : n;
        drop_proposal(&g->held);
        g->held = take_proposal(g);
        grow_to(g, &g->held, m);
    }
    return g->asker->status;
}

/* The most terms, a multiple of `unit`, to which what held goes on; it becomes what held. */
static uint32_t find_border(guesser *g, uint32_t unit)
{
    uint32_t n = (uint32_t)g->asker->n, m = g->held.tree->leaves, holds = m / unit;
    uint32_t fails = 2 * m < n ? 2 * holds : (n - 1) / unit + 1;
    uint32_t next = fails - 1; /* most often a remainder is all that differs */
    while (holds + 1 < fails && !g->asker->status) {
        grow_to(g, &g->held, next * unit);
        if (g->count) {
            drop_proposal(&g->held);
            g->held = take_proposal(g);
            holds = next;
        } else {
            fails = next;
        }
        next = holds + (fails - holds) / 2;
    }
    return holds * unit;
}

/* Where what held fails: a window over that border says how the order goes on. */
static enum accord_status cross_border(guesser *g)
{
    accord_tree *window = NULL, *whole = NULL;
    uint32_t n = (uint32_t)g->asker->n, lanes = g->held.lanes;
    if (g->asker->status || g->backwards || g->count || g->held.tree->leaves < 2 * BASE)
        return g->asker->status;
    uint32_t unit = lanes >= LEAST_LANES && lanes < BASE ? lanes : BASE;
    uint32_t border = find_border(g, unit), from = border - unit;
    if (g->asker->status || n - border > 2 * BASE ||
        accordi_window_split(g->asker, from, n - from, &window) || !window)
        return g->asker->status;
    if (!accordi_window_join(g->asker, g->held.tree, window, from, &whole) && whole)
        propose(g, (proposal){.tree = whole});
    accord_tree_free(window);
    return g->asker->status;
}

static enum accord_status double_two(guesser *g)
{
    const uint32_t two[] = {2, 2, ACCORD_TREE_NO_NODE};
    accord_tree *tree = NULL;
    if (accord_tree_from_parents(2, 1, two, &tree, g->asker->error))
        return g->asker->status = ACCORD_NOMEM;
    double_up(g, tree);
    g->begins = g->begins || (!g->backwards && g->held.tree->leaves >= BEGINNING);
    return g->asker->status ? g->asker->status : cross_border(g);
}

static enum accord_status double_base(guesser *g)
{
    accord_tree *base = NULL;
    if (!g->begins || g->asker->n < (size_t)BASES_IN_ALL * BASE ||
        accordi_window_split(g->asker, 0, BASE, &base) || !base || double_up(g, base))
        return g->asker->status;
    return cross_border(g);
}

/* Orders that split all terms from the top. */
static void propose_halvings(guesser *g)
{
    static accordi_order_maker *const halvings[] = {accordi_order_pairwise,
                                                    accordi_order_pairwise_up, accordi_order_numpy};
    accord_tree *tree = NULL;
    for (size_t h = 0; h < sizeof halvings / sizeof *halvings; h++)
        if (!accordi_order_make(halvings[h], g->asker->n, 0, NULL, NULL, &tree, NULL))
            propose(g, (proposal){.tree = tree});
}

/* The tree with its leaves numbered from the other end. */
static enum accord_status turn_around(guesser *g, accord_tree **tree)
{
    uint32_t n = (*tree)->leaves, nodes = n + (*tree)->inner;
    uint32_t *parent = accordi_ask_alloc(g->asker, nodes, sizeof *parent);
    accord_tree *turned = NULL;
    if (!parent)
        return g->asker->status;
    accord_tree_parents(*tree, parent);
    for (uint32_t i = 0; i < n / 2; i++) {
        uint32_t swap = parent[i];
        parent[i] = parent[n - 1 - i];
        parent[n - 1 - i] = swap;
    }
    g->asker->status =
        accord_tree_from_parents(n, (*tree)->inner, parent, &turned, g->asker->error);
    free(parent);
    if (!g->asker->status) {
        accord_tree_free(*tree);
        *tree = turned;
    }
    return g->asker->status;
}

/* A random walk down to a leaf. */
static uint32_t some_leaf(accordi_asker *asker, const accord_tree *tree, uint32_t node)
{
    while (node >= tree->leaves) {
        uint32_t k = node - tree->leaves, count = tree->first[k + 1] - tree->first[k];
        node = tree->child[tree->first[k] + accordi_rng_below(&asker->rng, count)];
    }
    return node;
}

/* The nodes to count: all; of many, the uppermost third from the root down and random ones. */
static uint32_t choose_nodes(accordi_asker *asker, const accord_tree *tree, uint32_t *node)
{
    uint32_t count = 0, n = tree->leaves;
    if (tree->inner <= GLANCES) {
        for (; count < tree->inner; count++)
            node[count] = n + count;
        return count;
    }
    node[count++] = n + tree->inner - 1;
    for (uint32_t i = 0; i < count && count < GLANCES / 3; i++)
        for (uint32_t c = tree->first[node[i] - n]; c < tree->first[node[i] - n + 1]; c++)
            if (tree->child[c] >= n && count < GLANCES / 3)
                node[count++] = tree->child[c];
    while (count < GLANCES)
        node[count++] = n + (uint32_t)accordi_rng_below(&asker->rng, tree->inner);
    return count;
}

/* Checks some binary nodes: the count for a leaf of each child must equal the size of the node. */
static enum accord_status glance_at_nodes(accordi_asker *asker, const accord_tree *tree,
                                          bool *holds)
{
    uint32_t node[GLANCES], count = choose_nodes(asker, tree, node);
    uint32_t *size = accordi_ask_alloc(asker, tree->inner, sizeof *size);
    if (!size)
        return asker->status;
    accord_tree_sizes(tree, size);
    accordi_ask_begin(asker, asker->unit);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *child = tree->child + tree->first[node[i] - tree->leaves];
        uint32_t a = some_leaf(asker, tree, child[0]), b = some_leaf(asker, tree, child[1]);
        accordi_ask_masks(asker, a, b);
    }
    accordi_ask_run(asker);
    for (uint32_t i = 0; i < count && !asker->status; i++) {
        uint64_t units = 0;
        accordi_ask_decode(asker, asker->result[i], &units);
        *holds = *holds && units == asker->n - size[node[i] - tree->leaves];
    }
    free(size);
    return asker->status;
}

/* Takes the tree that is left, if it stands verification. */
static enum accord_status take_verified(guesser *g, accord_tree **out)
{
    bool holds = false;
    if (g->asker->status || g->count != 1 || g->list[0].tree->leaves != g->asker->n)
        return g->asker->status;
    if (g->backwards && turn_around(g, &g->list[0].tree))
        return g->asker->status;
    if (!accordi_verify(g->asker, g->list[0].tree, &holds) && holds &&
        !glance_at_nodes(g->asker, g->list[0].tree, &holds) && holds) {
        *out = g->list[0].tree;
        g->list[0].tree = NULL;
    }
    return g->asker->status;
}

/* Halves of a power of two are doubled up like anything else, and cost less that way. */
static enum accord_status try_way(guesser *g, int way)
{
    uint32_t n = (uint32_t)g->asker->n;
    bool halves = way == ((n & (n - 1)) == 0);
    g->backwards = way == 2;
    if (way == 3)
        return double_base(g);
    if (!halves)
        return double_two(g);
    propose_halvings(g);
    sift_out(g, n);
    return g->asker->status;
}

enum accord_status accordi_guess(accordi_asker *asker, accord_tree **out)
{
    guesser g = {.asker = asker};
    *out = NULL;
    if (asker->n < LEAST_TERMS || asker->n - 2 > accordi_ask_capacity(asker) ||
        accordi_verify_levels(asker) < LEAST_LEVELS)
        return ACCORD_OK;
    asker->stage = "guessing";
    for (int way = 0; way < 4 && !*out && !asker->status; way++) {
        if (!try_way(&g, way))
            take_verified(&g, out);
        drop_all(&g);
    }
    return asker->status;
}
