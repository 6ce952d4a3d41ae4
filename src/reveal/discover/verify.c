/* Verifying a whole binary order in few probes.
 *
 * For an inner node v (not the root) let a and b be leaves of its two children, c one of its
 * sibling. With M at a, u at b, -M at c and u below what M swallows, the sum is 0 exactly if u
 * meets M before -M does; swapping a and b asks the other way round; both hold only if a and b
 * join before c. Triples whose paths in the tree share no edge do not disturb each other, so one
 * probe carries many of them, and its result must be exactly 0.
 *
 * One test can be both: numbers just below a power of two lie twice as close as those above it. So
 * if M is a power of two, with u half of the distance above it, M + u is a tie and rounded to M,
 * while u - M is exact: the sum is then u also where b and c join first. Whether nodes round like
 * this is asked before.
 *
 * A term that stands elsewhere than the order says is found by its u, unless that is swallowed by
 * the masks of another triple there. So in a nest of triples masks decrease on the way up by at
 * least five binades a level (a u from below is not lost above), triples beside each other begin
 * at random levels (of two terms that changed places, one has the greater u), masks carry random
 * multipliers, each probe leaves out a random half of what it could carry, and every node gets
 * both tests twice, or once if one is as good as two (where a certificate follows, one of them
 * once). u is as large
 * as what a mask swallows allows. Of orders with two terms exchanged, fewer than one in a hundred
 * pass two rounds (tests/reveal/test_certify.c); the certificate proves what was found, node by
 * node. */
#include "reveal/discover/guess.h"
#include "reveal/probes/splits.h"
#include <math.h>

enum { STEP = 5, ROUNDS = 2, PROBES_A_BATCH = 64, ENTRIES_A_BATCH = 8192 };
enum { LEAST_SPREAD = 2, MOST_SPREAD = 12 };
#define MISS 1e-3 /* the chance that splits miss another order, at most */

/* Nodes have the numbers of the tree, leaves first; inner nodes also those from 0 on, in
 * post-order. An edge is named by the node at its lower end. */
typedef struct packing {
    accordi_asker *asker;
    const uint32_t *term; /* the term that each leaf is; NULL: the same */
    uint32_t leaves, inner;
    uint32_t *parent, *sibling; /* of all nodes */
    uint32_t (*child)[2];       /* of inner nodes: the smaller subtree first */
    uint32_t *first;            /* of inner nodes: the first one under it, or it */
    uint32_t *beyond;           /* of inner nodes: the next one that is not above it */
    uint64_t *todo[ROUNDS]; /* tests that are still to be asked; 2 * k + test is one of node k */
    uint32_t left;          /* how many there are */
    uint32_t levels;
    uint32_t spread;  /* of random levels beside each other */
    bool sharp;       /* a test tells both */
    double *mask, *u; /* per level */
    /* Of the probe that is being filled: */
    bool *used; /* edges, and those that lead to no leaf but through used ones */
    /* Nodes with a triple, those alone that have a greater level than all that follow. */
    struct placed {
        uint32_t node, level;
    } * placed;
    uint32_t count;
} packing;

static uint32_t words(uint32_t bits)
{
    return bits / 64 + 1;
}

static void put_bit(uint64_t *set, uint32_t i)
{
    set[i / 64] |= (uint64_t)1 << i % 64;
}

static int levels_with(const accordi_asker *asker, int drop)
{
    const accord_format_info *info = accord_format_get(asker->format);
    return (asker->mask_exponent - info->min_exponent - drop) / STEP;
}

int accordi_verify_levels(const accordi_asker *asker)
{
    return levels_with(asker, ACCORDI_WIDE_DROP);
}

/* ---- the tree, as it is walked ---- */

static void put_children(packing *p, const accord_tree *tree, const uint32_t *size)
{
    uint32_t n = p->leaves;
    for (uint32_t k = 0; k < p->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        uint32_t x = child[0] < n ? 1 : size[child[0] - n],
                 y = child[1] < n ? 1 : size[child[1] - n];
        p->child[k][0] = child[x > y];
        p->child[k][1] = child[x <= y];
        p->sibling[child[0]] = child[1];
        p->sibling[child[1]] = child[0];
        p->first[k] = k + 2 - size[k];
    }
    for (uint32_t k = p->inner; k-- > 0;)
        p->beyond[k] = p->parent[n + k] == n + k + 1 ? p->beyond[k + 1] : k + 1;
}

/* Few levels suffice for a shallow tree: what is left lets triples begin at different ones. */
static uint32_t find_spread(const packing *p, uint32_t *depth)
{
    uint32_t most = 0;
    depth[p->inner - 1] = 0;
    for (uint32_t k = p->inner - 1; k-- > 0;) {
        depth[k] = depth[p->parent[p->leaves + k] - p->leaves] + 1;
        most = depth[k] > most ? depth[k] : most;
    }
    uint32_t spread = 2 * p->levels / (most + 1);
    return spread < LEAST_SPREAD ? LEAST_SPREAD : spread > MOST_SPREAD ? MOST_SPREAD : spread;
}

static uint32_t term_of(const packing *p, uint32_t leaf)
{
    return p->term ? p->term[leaf] : leaf;
}

static uint32_t some_term(const packing *p, uint32_t node)
{
    while (node >= p->leaves)
        node = p->child[node - p->leaves][0];
    return term_of(p, node);
}

/* Whether masks swallow u, and their negatives do not, at two nodes drawn at random. */
static bool is_sharp(const packing *p)
{
    enum { NODES = 2, LEAST_NODES = 256 };
    accordi_asker *asker = p->asker;
    double mask = p->mask[0], u = ldexp(mask, -asker->bits);
    if (p->inner < LEAST_NODES || asker->narrow || asker->drop == ACCORDI_WIDE_DROP)
        return false;
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < 2 * NODES; i += 2) {
        uint32_t k = (uint32_t)accordi_rng_below(&asker->rng, p->inner - 1);
        uint32_t leaf[3] = {some_term(p, p->child[k][0]), some_term(p, p->child[k][1]),
                            some_term(p, p->sibling[p->leaves + k])};
        accordi_ask_nonzero(asker, leaf, (double[]){mask, u, -mask}, 3);
        accordi_ask_end(asker);
        accordi_ask_nonzero(asker, leaf, (double[]){-mask, u, mask}, 3);
        accordi_ask_end(asker);
    }
    bool sharp = !accordi_ask_run(asker);
    for (int i = 0; sharp && i < 2 * NODES; i++)
        sharp = (asker->result[i] != 0) == (i % 2 == 1);
    return sharp;
}

static bool init_packing(packing *p, const accord_tree *tree)
{
    accordi_asker *asker = p->asker;
    uint32_t n = p->leaves = tree->leaves, inner = p->inner = tree->inner;
    uint32_t *room = accordi_ask_alloc(asker, inner, sizeof *room);
    p->parent = accordi_ask_alloc(asker, n + inner, sizeof *p->parent);
    p->sibling = accordi_ask_alloc(asker, n + inner, sizeof *p->sibling);
    p->child = accordi_ask_alloc(asker, inner, sizeof *p->child);
    p->first = accordi_ask_alloc(asker, inner, sizeof *p->first);
    p->beyond = accordi_ask_alloc(asker, inner, sizeof *p->beyond);
    p->used = accordi_ask_alloc(asker, n + inner, sizeof *p->used);
    p->placed = accordi_ask_alloc(asker, p->levels + 1, sizeof *p->placed);
    p->mask = accordi_ask_alloc(asker, p->levels, sizeof *p->mask);
    p->u = accordi_ask_alloc(asker, p->levels, sizeof *p->u);
    for (int round = 0; round < ROUNDS; round++)
        p->todo[round] = accordi_ask_calloc(asker, words(2 * inner), sizeof **p->todo);
    if (!asker->status) {
        accord_tree_parents(tree, p->parent);
        accord_tree_sizes(tree, room);
        put_children(p, tree, room);
        p->spread = find_spread(p, room);
        for (uint32_t level = 0; level < p->levels; level++)
            p->mask[level] = ldexp(1, asker->mask_exponent - STEP * (int)level);
        p->sharp = is_sharp(p);
        for (uint32_t level = 0; level < p->levels; level++)
            p->u[level] = ldexp(p->mask[level], -(p->sharp ? asker->bits : asker->drop));
    }
    free(room);
    return !asker->status;
}

static void clear_packing(packing *p)
{
    free(p->parent);
    free(p->sibling);
    free(p->child);
    free(p->first);
    free(p->beyond);
    free(p->used);
    free(p->placed);
    free(p->mask);
    free(p->u);
    for (int round = 0; round < ROUNDS; round++)
        free(p->todo[round]);
}

/* ---- filling a probe ---- */

/* The level that a triple above all those at and after node k must have at least. Nodes are come to
 * in post-order, so the nodes under one are the last ones. */
static uint32_t level_above(const packing *p, uint32_t k)
{
    uint32_t i = p->count;
    while (i > 0 && p->placed[i - 1].node >= k)
        i--;
    return i < p->count ? p->placed[i].level + 1 : 0;
}

static void put_level(packing *p, uint32_t k, uint32_t level)
{
    while (p->count > 0 && p->placed[p->count - 1].level <= level)
        p->count--;
    p->placed[p->count++] = (struct placed){k, level};
}

/* Uses the edges from `top`, which is free, down to a leaf, to the smaller side first. Every free
 * edge leads to one. */
static uint32_t use_path(packing *p, uint32_t top)
{
    uint32_t node = top;
    p->used[node] = true;
    while (node >= p->leaves) {
        const uint32_t *child = p->child[node - p->leaves];
        node = child[p->used[child[0]]];
        p->used[node] = true;
    }
    return node;
}

/* Both edges under `node` are used. */
static void close_node(packing *p, uint32_t node)
{
    p->used[node] = true;
    while (p->parent[node] != ACCORD_TREE_NO_NODE && p->used[p->sibling[node]]) {
        node = p->parent[node];
        p->used[node] = true;
    }
}

/* Puts the test into the probe if its paths are free and a level is left. */
static bool place_test(packing *p, uint32_t item)
{
    static const double multiple[2][4] = {{1, 1.5, -1, -1.5}, {1, 0.5, -1, -0.5}};
    uint32_t v = p->leaves + item / 2, w = p->parent[v], sibling = p->sibling[v];
    const uint32_t *under = p->child[item / 2];
    if (p->used[v] | p->used[sibling] | p->used[under[0]] | p->used[under[1]])
        return false;
    uint32_t level = level_above(p, p->first[w - p->leaves]);
    if (level >= p->levels)
        return false;
    uint64_t coins = accordi_rng_next(&p->asker->rng);
    uint32_t spare = p->levels - 1 - level;
    level += (uint32_t)((coins >> 32) * ((spare < p->spread ? spare : p->spread) + 1) >> 32);
    double times = multiple[p->sharp][coins & 3], mask = p->mask[level] * times;
    double u = p->u[level] * (p->sharp ? times : 1);
    p->used[v] = true;
    uint32_t a = term_of(p, use_path(p, under[item & 1]));
    uint32_t b = term_of(p, use_path(p, under[!(item & 1)]));
    uint32_t c = term_of(p, use_path(p, sibling));
    accordi_ask_nonzero(p->asker, (uint32_t[]){a, b, c}, (double[]){mask, u, -mask}, 3);
    close_node(p, w);
    put_level(p, item / 2, level);
    return true;
}

static void take_test(packing *p, uint32_t item)
{
    uint64_t bit = (uint64_t)1 << item % 64, *first = &p->todo[0][item / 64];
    *(*first & bit ? first : &p->todo[1][item / 64]) &= ~bit;
    p->left--;
}

/* Of the 64 items of a word those from item `from` on. */
static uint64_t behind(uint32_t from, uint32_t word)
{
    return from / 64 < word ? UINT64_MAX : from / 64 > word ? 0 : UINT64_MAX << from % 64;
}

/* One probe: walks what is to do in post-order, or a random half of it, and takes what fits. Where
 * no level is left, there is none above either, as on most of a long path: it goes on beyond that.
 */
static void fill_probe(packing *p)
{
    uint32_t from = 0, end = words(2 * p->inner);
    bool any = false;
    memset(p->used, 0, (p->leaves + p->inner) * sizeof *p->used);
    p->count = 0;
    for (uint32_t i = 0; i<end; i = from / 64> i ? from / 64 : i + 1) {
        uint64_t some = (p->todo[0][i] | p->todo[1][i]) & behind(from, i);
        if (any && some)
            some &= accordi_rng_next(&p->asker->rng);
        while (some) {
            uint32_t item = 64 * i + (uint32_t)__builtin_ctzll(some), k = item / 2;
            some &= some - 1;
            if (place_test(p, item)) {
                take_test(p, item);
                some &= any ? UINT64_MAX : accordi_rng_next(&p->asker->rng);
                any = true;
            } else if (level_above(p, p->first[k]) >= p->levels) {
                from = 2 * p->beyond[k];
                some &= behind(from, i);
            }
        }
    }
    accordi_ask_end(p->asker);
}

/* ---- all of them ---- */

static void list_tests(packing *p)
{
    uint32_t nodes = p->inner - 1; /* all but the root */
    int rounds = p->sharp ? 1 : ROUNDS;
    bool once = p->asker->proof_follows;
    for (uint32_t k = 0; k < nodes; k++)
        if (once) {
            put_bit(p->todo[0], 2 * k + (uint32_t)(accordi_rng_next(&p->asker->rng) >> 63));
        } else {
            for (uint32_t item = 2 * k; item < 2 * k + 2; item++)
                for (int round = 0; round < rounds; round++)
                    put_bit(p->todo[round], item);
        }
    p->left = once ? nodes : 2 * (uint32_t)rounds * nodes;
}

static void ask_all_tests(packing *p, bool *holds)
{
    accordi_asker *asker = p->asker;
    while (p->left && *holds && !asker->status) {
        accordi_ask_begin(asker, 0);
        while (p->left && asker->probes < PROBES_A_BATCH && asker->entries < ENTRIES_A_BATCH &&
               !asker->status)
            fill_probe(p);
        if (accordi_ask_run(asker))
            break;
        for (size_t i = 0; i < asker->probes; i++)
            *holds = *holds && asker->result[i] == 0;
    }
}

static enum accord_status verify_once(accordi_asker *asker, const accord_tree *tree,
                                      const uint32_t *terms, bool *holds)
{
    int levels = levels_with(asker, asker->drop);
    packing p = {.asker = asker, .term = terms, .levels = levels > 0 ? (uint32_t)levels : 0};
    *holds = false;
    if (levels > 0 && tree->inner > 0 && init_packing(&p, tree)) {
        *holds = true;
        list_tests(&p);
        ask_all_tests(&p, holds);
    }
    clear_packing(&p);
    return asker->status;
}

/* ---- by splits ---- */

/* Nodes above the first term. */
static uint32_t first_depth(const accord_tree *tree)
{
    uint32_t node = tree->leaves + tree->inner - 1, depth = 0;
    for (; node >= tree->leaves; depth++)
        node = tree->child[tree->first[node - tree->leaves]];
    return depth;
}

/* Splits verify all terms of a shallow tree with a few calls, each of which costs as much as all
 * its terms, but little of our own time. *able: they can. */
static enum accord_status verify_by_splits(accordi_asker *asker, const accord_tree *tree,
                                           bool *able, bool *holds)
{
    enum { MOST_CALLS = 128, LEAST_A_LEVEL = 2 };
    accordi_layout layout = {0};
    accordi_splits splits = {0};
    uint64_t asked = 0;
    const accordi_weights weights = accordi_splits_weigh(asker, tree->leaves, MISS);
    *able = false;
    if (accordi_splits_unsuited(asker, tree) || weights.rounds != 1 ||
        first_depth(tree) > MOST_CALLS / LEAST_A_LEVEL + 1 ||
        accordi_layout_plain(asker, tree, &layout))
        return asker->status;
    if (!accordi_splits_init(asker, &layout, &splits) && splits.whole &&
        accordi_splits_calls(&splits, splits.levels) <= MOST_CALLS) {
        *able = true;
        accordi_splits_prove(asker, &splits, splits.levels, &weights, &asked, holds);
    }
    accordi_splits_clear(&splits);
    accordi_layout_clear(&layout);
    return asker->status;
}

/* Packing takes time that grows with the square of a long path: of more terms than that, those of a
 * random sample are verified, in the order that the tree induces on them. Where a proof follows,
 * which sees every term, a smaller sample does. */
enum accord_status accordi_verify(accordi_asker *asker, const accord_tree *tree, bool *holds)
{
    enum { MOST_TERMS = 8192, BEFORE_PROOF = 1024, LONG = 2048 };
    uint32_t n = tree->leaves, kept = 0, most = asker->proof_follows ? BEFORE_PROOF : MOST_TERMS;
    bool able = false;
    if (n >= LONG && !asker->proof_follows && (verify_by_splits(asker, tree, &able, holds) || able))
        return asker->status;
    if (n <= most)
        return verify_once(asker, tree, NULL, holds);
    accord_tree *part = NULL;
    uint32_t *terms = accordi_ask_alloc(asker, most, sizeof *terms);
    if (!terms)
        return asker->status;
    for (uint32_t i = 0; i < n && kept < most; i++)
        if (accordi_rng_below(&asker->rng, n - i) < most - kept)
            terms[kept++] = i;
    asker->status = accord_tree_restrict(tree, kept, terms, &part, asker->error);
    if (!asker->status)
        verify_once(asker, part, terms, holds);
    accord_tree_free(part);
    free(terms);
    return asker->status;
}
