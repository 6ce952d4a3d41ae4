/* Guesses the order: proposes the one that the caller expects, those that the number of terms
 * determines, or extends the order of the first terms (extend.c), from either end. A guess is then
 * verified (verify.c). A fused node may pass that test as a binary one, so some nodes are counted,
 * too: a regular order has fused nodes at its root or everywhere. A guess that fails, but agrees
 * with counts for most terms, is mended (mend.c). If nothing fits a target, the attempt costs some
 * dozen probes. */
#include "reveal/discover/guess.h"
#include "pattern/orders.h"
#include "reveal/discover/extend.h"
#include "reveal/discover/mend.h"
#include "reveal/reasons/in_calibration.h"
#include "tree/tree.h"

enum {
    LEAST_TERMS = 24,
    LEAST_EXTENDED = 100,
    LEAST_LEVELS = 8,
    PAIRS = 4,
    GLANCES = 16,
    FEW_GLANCES = 8,
    MANY_GLANCES = 96
};

/* Terms under the least common ancestor; children have smaller numbers than parents. */
static uint32_t leaves_under(const accord_tree *tree, const uint32_t *parent, const uint32_t *size,
                             uint32_t i, uint32_t j)
{
    while (i != j)
        if (i < j)
            i = parent[i];
        else
            j = parent[j];
    return size[i - tree->leaves];
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

/* In a narrow range there is no room to verify: then only a proof tells, if one follows. */
static bool is_left_to_proof(const accordi_asker *asker)
{
    return asker->narrow && asker->proof_follows && accordi_verify_levels(asker) < LEAST_LEVELS;
}

/* The nodes to count: all; of many, the uppermost third from the root down and random ones. */
static uint32_t choose_nodes(accordi_asker *asker, const accord_tree *tree, uint32_t *node)
{
    uint32_t count = 0, n = tree->leaves, most = asker->proof_follows ? FEW_GLANCES : GLANCES;
    if (is_left_to_proof(
            asker)) /* which asks about all nodes, where the order is another one, too */
        most = MANY_GLANCES;
    if (tree->inner <= most) {
        for (; count < tree->inner; count++)
            node[count] = n + count;
        return count;
    }
    node[count++] = n + tree->inner - 1;
    for (uint32_t i = 0; i < count && count < most / 3; i++)
        for (uint32_t c = tree->first[node[i] - n]; c < tree->first[node[i] - n + 1]; c++)
            if (tree->child[c] >= n && count < most / 3)
                node[count++] = tree->child[c];
    while (count < most)
        node[count++] = n + (uint32_t)accordi_rng_below(&asker->rng, tree->inner);
    return count;
}

/* Checks some binary nodes: the count for a leaf of each child must equal the size of the node. */
static enum accord_status glance_at_nodes(accordi_asker *asker, const accord_tree *tree,
                                          bool *holds)
{
    uint32_t node[MANY_GLANCES], count = choose_nodes(asker, tree, node);
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

static bool stands(accordi_asker *asker, const accord_tree *tree)
{
    bool holds = is_left_to_proof(asker);
    if (!holds && accordi_verify(asker, tree, &holds))
        return false;
    if (holds)
        glance_at_nodes(asker, tree, &holds);
    return holds && !asker->status;
}

/* Counts of some pairs of terms. */
typedef struct glance {
    uint32_t pair[PAIRS][2];
    uint64_t units[PAIRS];
} glance;

/* Most pairs drawn at random meet near the root, where orders are alike; so distances are powers of
 * two from 1 to half the terms. */
static uint32_t distance_of(size_t n, int pair)
{
    int levels = 0;
    while (n >> (levels + 1))
        levels++;
    return 1u << (levels - 1) * pair / (PAIRS - 1);
}

/* Not mended where it fails: an order of other n may have little to do with this one. */
static enum accord_status guess_expected(accordi_asker *asker, accord_tree **out)
{
    if (!asker->expected || asker->terms)
        return ACCORD_OK;
    accord_tree *tree = accordi_tree_copy(asker->expected);
    if (!tree)
        return asker->status = accordi_nomem(asker->error);
    if (stands(asker, tree))
        *out = tree;
    else
        accord_tree_free(tree);
    return asker->status;
}

static enum accord_status take_glance(accordi_asker *asker, glance *g)
{
    accordi_ask_begin(asker, asker->unit);
    for (int p = 0; p < PAIRS; p++) {
        uint32_t distance = distance_of(asker->n, p);
        g->pair[p][0] = (uint32_t)accordi_rng_below(&asker->rng, asker->n - distance);
        g->pair[p][1] = g->pair[p][0] + distance;
        accordi_ask_masks(asker, g->pair[p][0], g->pair[p][1]);
    }
    accordi_ask_run(asker);
    for (int p = 0; p < PAIRS && !asker->status; p++)
        accordi_ask_decode(asker, asker->result[p], &g->units[p]);
    return asker->status;
}

/* An order to be compared with counts: a tree, or one that the number of terms determines, which
 * costs no tree where it is not the one. */
typedef struct plain_order {
    accordi_order_maker *make;
    accordi_order_cut *cut;
} plain_order;
typedef struct candidate {
    const accord_tree *tree;
    const plain_order *plain;
} candidate;

/* How many terms are under the least node above both terms of each pair. */
static enum accord_status count_in_tree(accordi_asker *asker, const accord_tree *tree,
                                        const uint32_t pair[][2], size_t pairs, uint32_t *under)
{
    uint32_t *parent = accordi_ask_alloc(asker, tree->leaves + tree->inner, sizeof *parent);
    uint32_t *size = accordi_ask_alloc(asker, tree->inner, sizeof *size);
    if (!asker->status) {
        accord_tree_parents(tree, parent);
        accord_tree_sizes(tree, size);
    }
    for (size_t p = 0; p < pairs && !asker->status; p++)
        under[p] = leaves_under(tree, parent, size, pair[p][0], pair[p][1]);
    free(parent);
    free(size);
    return asker->status;
}

static uint32_t count_in_plain(accordi_asker *asker, const plain_order *plain, uint32_t a,
                               uint32_t b)
{
    size_t from, count;
    accordi_order_parting(plain->cut, asker->n, a, b, &from, &count);
    uint32_t under = (uint32_t)count, pair[1][2] = {{a - (uint32_t)from, b - (uint32_t)from}};
    accord_tree *piece = NULL;
    if (plain->cut(NULL, count))
        return under;
    asker->status = accordi_order_make(plain->make, count, 0, NULL, NULL, &piece, asker->error);
    if (!asker->status)
        count_in_tree(asker, piece, pair, 1, &under);
    accord_tree_free(piece);
    return under;
}

/* Is it as was counted? Or nearly: but for so many terms, and but for one pair, a term of which may
 * be displaced. */
static bool agrees(accordi_asker *asker, candidate c, const glance *g, bool nearly,
                   uint32_t but_for)
{
    uint32_t under[PAIRS], strays = 0;
    if (c.tree && count_in_tree(asker, c.tree, g->pair, PAIRS, under))
        return false;
    for (int p = 0; p < PAIRS && strays <= nearly && !asker->status; p++) {
        if (c.plain)
            under[p] = count_in_plain(asker, c.plain, g->pair[p][0], g->pair[p][1]);
        uint64_t units = g->units[p], due = asker->n - under[p];
        strays += (due < units ? units - due : due - units) > but_for;
    }
    return strays <= nearly && !asker->status;
}

/* The same of other pairs: which tells orders from each other that are alike. */
static bool agrees_again(accordi_asker *asker, candidate c, uint32_t but_for)
{
    enum { GLANCES_MORE = 5 };
    bool agreeing = true;
    for (int i = 0; i < GLANCES_MORE && agreeing; i++) {
        glance more;
        agreeing = !take_glance(asker, &more) && agrees(asker, c, &more, true, but_for);
    }
    return agreeing;
}

/* How many terms of an order may be elsewhere: none, one, or some; the latter are what may be worth
 * mending if nothing else is. */
enum nearness { THE_SAME, ONE_ELSEWHERE, SOME_ELSEWHERE };

static uint32_t terms_elsewhere(const accordi_asker *asker, enum nearness near)
{
    enum { SOME = 64, TERMS_OF_SOME = 64 };
    return near < SOME_ELSEWHERE ? near : SOME + (uint32_t)asker->n / TERMS_OF_SOME;
}

static bool is_near(accordi_asker *asker, candidate c, const glance *g, enum nearness near)
{
    uint32_t but_for = terms_elsewhere(asker, near);
    return agrees(asker, c, g, near > THE_SAME, but_for) &&
           (near == THE_SAME || agrees_again(asker, c, but_for));
}

/* Hands the tree out if it passes verification, mended if need be, and frees it otherwise.
 * `chance`: the plain order that it is, where one glance alone agreed with it, which may be chance:
 * it is mended only if more glances come near it. NULL: it may be mended at once. */
static enum accord_status take_verified(accordi_asker *asker, accord_tree *tree,
                                        const plain_order *chance, accord_tree **out)
{
    bool holds = stands(asker, tree);
    accord_tree *mended = NULL;
    bool mend = !holds && !asker->status &&
                (!chance || agrees_again(asker, (candidate){.plain = chance},
                                         terms_elsewhere(asker, SOME_ELSEWHERE)));
    if (mend && !asker->status && !accordi_mend(asker, tree, &mended) && mended) {
        accord_tree_free(tree);
        tree = mended;
        holds = stands(asker, tree);
    }
    if (holds && !asker->status)
        *out = tree;
    else
        accord_tree_free(tree);
    return asker->status;
}

/* Orders that depend on the number of terms alone. A few counts tell whether one is worth making,
 * to be verified or mended. */
static enum accord_status guess_plain_orders(accordi_asker *asker, const glance *g,
                                             enum nearness near, accord_tree **out)
{
    static const plain_order plain[] = {{accordi_order_sequential, accordi_order_cut_last},
                                        {accordi_order_reverse, accordi_order_cut_first},
                                        {accordi_order_pairwise, accordi_order_cut_halves},
                                        {accordi_order_pairwise_up, accordi_order_cut_halves_up},
                                        {accordi_order_numpy, accordi_order_cut_numpy}};
    for (size_t h = 0; h < sizeof plain / sizeof *plain && !*out && !asker->status; h++) {
        accord_tree *tree = NULL;
        if (!is_near(asker, (candidate){.plain = &plain[h]}, g, near))
            continue;
        asker->status =
            accordi_order_make(plain[h].make, asker->n, 0, NULL, NULL, &tree, asker->error);
        if (!asker->status)
            take_verified(asker, tree, near == THE_SAME ? &plain[h] : NULL, out);
    }
    return asker->status;
}

static enum accord_status guess_by_extending(accordi_asker *asker, bool backwards,
                                             accordi_nearly *nearly, accord_tree **out)
{
    accordi_growth g;
    accord_tree *tree = NULL;
    if (!accordi_growth_init(&g, (uint32_t)asker->n))
        return asker->status = accordi_nomem(asker->error);
    if (!accordi_extend(asker, &accordi_extend_by_counts, NULL, &g, nearly, backwards) &&
        g.count == asker->n) {
        accordi_ask_release(asker);
        asker->status = accordi_growth_tree(&g, backwards, &tree, asker->error);
    }
    accordi_growth_clear(&g);
    return tree ? take_verified(asker, tree, NULL, out) : asker->status;
}

/* What a rule makes that held for long, if it is worth mending: what is wrong may be a tail. */
static enum accord_status guess_nearly(accordi_asker *asker, const glance *g,
                                       const accordi_nearly *nearly, bool backwards,
                                       accord_tree **out)
{
    uint32_t n = (uint32_t)asker->n;
    accordi_growth grown;
    accord_tree *tree = NULL;
    if (nearly->count == 0)
        return asker->status;
    if (!accordi_growth_init(&grown, n))
        return asker->status = accordi_nomem(asker->error);
    for (uint32_t i = 1; i < nearly->count; i++)
        accordi_growth_add(&grown, nearly->lag[i]);
    if (accordi_growth_go_on(&grown, &nearly->rule, n))
        asker->status = accordi_growth_tree(&grown, backwards, &tree, asker->error);
    accordi_growth_clear(&grown);
    if (tree && is_near(asker, (candidate){.tree = tree}, g, SOME_ELSEWHERE))
        return take_verified(asker, tree, NULL, out);
    accord_tree_free(tree);
    return asker->status;
}

static enum accord_status guess_from_end(accordi_asker *asker, const glance *g, bool backwards,
                                         accord_tree **out)
{
    accordi_nearly nearly = {.lag = accordi_ask_alloc(asker, asker->n, sizeof *nearly.lag)};
    if (nearly.lag && !guess_by_extending(asker, backwards, &nearly, out) && !*out)
        guess_nearly(asker, g, &nearly, backwards, out);
    free(nearly.lag);
    return asker->status;
}

/* Below LEAST_EXTENDED terms, splitting costs less than extending. */
enum accord_status accordi_guess(accordi_asker *asker, accord_tree **out)
{
    glance seen;
    *out = NULL;
    if (asker->n < LEAST_TERMS || asker->n - 2 > accordi_ask_capacity(asker) ||
        (accordi_verify_levels(asker) < LEAST_LEVELS && !is_left_to_proof(asker)))
        return ACCORD_OK;
    if (is_left_to_proof(asker) && accordi_check_bound(asker)) /* a proof takes long to tell */
        return asker->status;
    asker->stage = "guessing";
    if (guess_expected(asker, out) || *out || take_glance(asker, &seen) ||
        guess_plain_orders(asker, &seen, THE_SAME, out) || *out ||
        guess_plain_orders(asker, &seen, ONE_ELSEWHERE, out) || *out || asker->n < LEAST_EXTENDED ||
        guess_from_end(asker, &seen, false, out) || *out ||
        guess_from_end(asker, &seen, true, out) || *out)
        return asker->status;
    return guess_plain_orders(asker, &seen, SOME_ELSEWHERE, out);
}
