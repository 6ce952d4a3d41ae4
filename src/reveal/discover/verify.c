/* Verifying a whole binary order in few probes.
 *
 * For an inner node v (not the root) let a and b be leaves of its two children, c one of its
 * sibling. With M at a, u at b, -M at c and u below what M swallows, the sum is 0 exactly if u
 * meets M before -M does; swapping a and b asks the other way round; both hold only if a and b
 * join before c. Triples whose paths in the tree share no edge do not disturb each other, so one
 * probe carries many of them, and its result must be exactly 0.
 *
 * A term that stands elsewhere than the order says is found by its u, unless that is swallowed by
 * the masks of another triple there. So in a nest of triples masks decrease on the way up by at
 * least five binades a level (a u from below is not lost above), triples beside each other begin
 * at random levels (of two terms that changed places, one has the greater u), masks carry random
 * multipliers, each probe leaves out a random half of what it could carry, and every node gets
 * both tests in each of two rounds (where a certificate follows, one of them once). u is as large
 * as what a mask swallows allows. Of orders with two terms exchanged, fewer than one in a hundred
 * pass two rounds (tests/reveal/test_certify.c); the certificate proves what was found, node by
 * node. */
#include "reveal/discover/guess.h"
#include <math.h>

enum { STEP = 5, ROUNDS = 2, PROBES_A_BATCH = 64 };
/* From a mask to its u: bits and a guard; where accumulators are wider than results, this. */
enum { GUARD = 3, WIDE_DROP = 68 };
enum { LEAST_SPREAD = 2, MOST_SPREAD = 12 };

typedef struct packing {
    accordi_asker *asker;
    const accord_tree *tree;
    const uint32_t *term; /* the term that each leaf is; NULL: the same */
    uint32_t *parent, *size;
    uint32_t *used;  /* per node: the last probe that used the edge to its parent */
    uint32_t *level; /* per inner node: greatest level below, in the current probe */
    uint32_t *stamp; /* per inner node: the probe for which level is valid */
    uint32_t *todo;  /* 2 * node + test, what is still to be asked */
    uint32_t count, probe;
    int levels, drop;
    uint32_t spread; /* of random levels beside each other */
    uint64_t coins;  /* random bits below a leading 1 */
} packing;

static int levels_with(const accordi_asker *asker, int drop)
{
    const accord_format_info *info = accord_format_get(asker->format);
    return (asker->mask_exponent - info->min_exponent - drop) / STEP;
}

int accordi_verify_levels(const accordi_asker *asker)
{
    return levels_with(asker, WIDE_DROP);
}

static uint32_t term_of_leaf(const packing *p, uint32_t leaf)
{
    return p->term ? p->term[leaf] : leaf;
}

/* Tries whether the smallest drop, the guard, is enough: of +M, -M and u in three arrangements, two
 * must give 0. The last terms are among them, since a remainder may have wider sums of its own. */
static int find_drop(accordi_asker *asker)
{
    enum { TRIPLES = 3 };
    int drop = asker->bits + GUARD;
    accordi_ask_begin(asker, 0);
    for (int t = 0; t < TRIPLES; t++) {
        uint32_t k[3];
        accordi_ask_pick(asker, k, 3);
        for (uint32_t i = 0; t == 0 && i < 3; i++)
            k[i] = (uint32_t)asker->n - 1 - i;
        for (int turn = 0; turn < 3; turn++)
            accordi_ask_triple(asker, k[turn], k[(turn + 1) % 3], k[(turn + 2) % 3],
                               ldexp(asker->mask, -drop));
    }
    if (accordi_ask_run(asker))
        return drop;
    for (int t = 0; t < TRIPLES; t++)
        if ((asker->result[3 * t] == 0) + (asker->result[3 * t + 1] == 0) +
                (asker->result[3 * t + 2] == 0) <
            2)
            drop = WIDE_DROP;
    return drop;
}

/* Few levels suffice for a shallow tree: what is left lets triples begin at different ones. */
static uint32_t find_spread(const packing *p)
{
    uint32_t depth = 0, inner = p->tree->inner;
    for (uint32_t k = inner - 1; k-- > 0;) /* parents before children; level is free as yet */
        p->level[k] = p->level[p->parent[p->tree->leaves + k] - p->tree->leaves] + 1;
    for (uint32_t k = 0; k < inner; k++) {
        depth = p->level[k] > depth ? p->level[k] : depth;
        p->level[k] = 0;
    }
    uint32_t spread = 2 * (uint32_t)p->levels / (depth + 1);
    return spread < LEAST_SPREAD ? LEAST_SPREAD : spread > MOST_SPREAD ? MOST_SPREAD : spread;
}

static uint32_t level_of(const packing *p, uint32_t node)
{
    if (node < p->tree->leaves || p->stamp[node - p->tree->leaves] != p->probe)
        return 0;
    return p->level[node - p->tree->leaves];
}

/* Goes down to a leaf along free edges, to the smaller side first; ACCORD_TREE_NO_NODE if stuck. */
static uint32_t descend(const packing *p, uint32_t node)
{
    uint32_t n = p->tree->leaves;
    while (node >= n) {
        const uint32_t *child = p->tree->child + p->tree->first[node - n];
        uint32_t x = child[0], y = child[1];
        uint32_t size_x = x < n ? 1 : p->size[x - n], size_y = y < n ? 1 : p->size[y - n];
        bool free_x = p->used[x] != p->probe, free_y = p->used[y] != p->probe;
        if (!free_x && !free_y)
            return ACCORD_TREE_NO_NODE;
        node = free_x && (!free_y || size_x <= size_y) ? x : y;
    }
    return node;
}

static void use_path(packing *p, uint32_t leaf, uint32_t top)
{
    for (uint32_t node = leaf; node != top; node = p->parent[node])
        p->used[node] = p->probe;
}

/* Puts the test into the probe if its paths are free and a level is left. */
static bool place_test(packing *p, uint32_t item)
{
    uint32_t n = p->tree->leaves, v = item / 2, w = p->parent[v];
    const uint32_t *under_v = p->tree->child + p->tree->first[v - n];
    const uint32_t *under_w = p->tree->child + p->tree->first[w - n];
    uint32_t sibling = under_w[0] == v ? under_w[1] : under_w[0];
    if (p->used[v] == p->probe || p->used[sibling] == p->probe || p->used[under_v[0]] == p->probe ||
        p->used[under_v[1]] == p->probe)
        return false;
    uint32_t below = level_of(p, w), other = level_of(p, v), third = level_of(p, sibling);
    below = below > other ? below : other;
    below = below > third ? below : third;
    if ((int)below >= p->levels)
        return false;
    uint32_t spare = (uint32_t)p->levels - 1 - below;
    below +=
        (uint32_t)accordi_rng_below(&p->asker->rng, (spare < p->spread ? spare : p->spread) + 1);
    uint32_t a = descend(p, under_v[item & 1]), b = descend(p, under_v[!(item & 1)]);
    uint32_t c = descend(p, sibling);
    if (a == ACCORD_TREE_NO_NODE || b == ACCORD_TREE_NO_NODE || c == ACCORD_TREE_NO_NODE)
        return false;
    use_path(p, a, w);
    use_path(p, b, v);
    use_path(p, c, w);
    int exponent = p->asker->mask_exponent - STEP * (int)below;
    double mask = ldexp(1 + 0.5 * (double)(accordi_rng_next(&p->asker->rng) >> 63), exponent);
    mask = accordi_rng_next(&p->asker->rng) >> 63 ? -mask : mask;
    accordi_ask_own(p->asker, term_of_leaf(p, a), mask);
    accordi_ask_own(p->asker, term_of_leaf(p, b), ldexp(1, exponent - p->drop));
    accordi_ask_own(p->asker, term_of_leaf(p, c), -mask);
    p->level[w - n] = below + 1;
    p->stamp[w - n] = p->probe;
    return true;
}

/* Levels pass up from node to parent as the walk in post-order passes them. */
static void pass_up(packing *p, uint32_t node)
{
    uint32_t n = p->tree->leaves, w = p->parent[node];
    if (w == ACCORD_TREE_NO_NODE || level_of(p, node) <= level_of(p, w))
        return;
    p->level[w - n] = level_of(p, node);
    p->stamp[w - n] = p->probe;
}

static bool coin(packing *p)
{
    if (p->coins <= 1)
        p->coins = accordi_rng_next(&p->asker->rng) | (uint64_t)1 << 63;
    bool heads = p->coins & 1;
    p->coins >>= 1;
    return heads;
}

/* One probe: walks what is to do in post-order and takes what fits. */
static void fill_probe(packing *p)
{
    uint32_t kept = 0, n = p->tree->leaves, next = n;
    bool any = false;
    p->probe++;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t item = p->todo[i];
        for (; next < item / 2; next++)
            pass_up(p, next);
        bool spent = (int)level_of(p, next) >= p->levels; /* as on most of a long path */
        if (spent || (any && coin(p)) || !place_test(p, item))
            p->todo[kept++] = item;
        else
            any = true;
    }
    p->count = kept;
    accordi_ask_end(p->asker);
}

static enum accord_status ask_all_tests(packing *p, bool *holds)
{
    accordi_asker *asker = p->asker;
    uint32_t n = p->tree->leaves;
    for (uint32_t v = n; v + 1 < n + p->tree->inner; v++)
        if (asker->proof_follows) {
            p->todo[p->count++] = 2 * v + (uint32_t)(accordi_rng_next(&asker->rng) >> 63);
        } else {
            p->todo[p->count++] = 2 * v;
            p->todo[p->count++] = 2 * v + 1;
        }
    while (p->count && *holds && !asker->status) {
        accordi_ask_begin(asker, 0);
        while (p->count && asker->probes < PROBES_A_BATCH && !asker->status)
            fill_probe(p);
        if (accordi_ask_run(asker))
            break;
        for (size_t i = 0; i < asker->probes; i++)
            *holds = *holds && asker->result[i] == 0;
    }
    return asker->status;
}

static enum accord_status verify_once(accordi_asker *asker, const accord_tree *tree,
                                      const uint32_t *terms, bool *holds)
{
    uint32_t nodes = tree->leaves + tree->inner;
    packing p = {.asker = asker, .tree = tree, .term = terms};
    p.parent = accordi_ask_alloc(asker, nodes, sizeof *p.parent);
    p.size = accordi_ask_alloc(asker, tree->inner + 1, sizeof *p.size);
    p.used = accordi_ask_calloc(asker, nodes, sizeof *p.used);
    p.level = accordi_ask_calloc(asker, tree->inner + 1, sizeof *p.level);
    p.stamp = accordi_ask_calloc(asker, tree->inner + 1, sizeof *p.stamp);
    p.todo = accordi_ask_alloc(asker, 2 * (size_t)tree->inner + 2, sizeof *p.todo);
    if (!asker->status) {
        accord_tree_parents(tree, p.parent);
        accord_tree_sizes(tree, p.size);
        p.drop = asker->n < 3 ? asker->bits + GUARD : find_drop(asker);
        p.levels = levels_with(asker, p.drop);
        p.spread = find_spread(&p);
        *holds = p.levels > 0; /* else no probe has room for a triple */
        int rounds = asker->proof_follows ? 1 : ROUNDS;
        for (int round = 0; round < rounds && *holds && !asker->status; round++)
            ask_all_tests(&p, holds);
    }
    free(p.parent);
    free(p.size);
    free(p.used);
    free(p.level);
    free(p.stamp);
    free(p.todo);
    return asker->status;
}

/* Packing takes time that grows with the square of a long path: of more terms than that, those of a
 * random sample are verified, in the order that the tree induces on them. Where a proof follows,
 * which sees every term, a smaller sample does. */
enum accord_status accordi_verify(accordi_asker *asker, const accord_tree *tree, bool *holds)
{
    enum { MOST_TERMS = 8192, BEFORE_PROOF = 1024 };
    uint32_t n = tree->leaves, kept = 0, most = asker->proof_follows ? BEFORE_PROOF : MOST_TERMS;
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
