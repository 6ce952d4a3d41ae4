/* Guesses the order: proposes the one that the caller expects, those that the number of terms
 * determines, or extends the order of the first terms (extend.c), from either end. A guess is then
 * verified (verify.c). A fused node may pass that test as a binary one, so some nodes are counted,
 * too: a regular order has fused nodes at its root or everywhere. A guess that fails, but agrees
 * with counts for most terms, is mended (mend.c). If nothing fits a target, the attempt costs some
 * dozen probes. */
#include "reveal/discover/guess.h"
#include "reveal/discover/extend.h"
#include "reveal/discover/guess_late.h"
#include "reveal/discover/mend.h"
#include "reveal/reasons/in_calibration.h"
#include "tree/tree.h"

enum {
    LEAST_TERMS = 24,
    LEAST_EXTENDED = 100,
    LEAST_LEVELS = 8,
    GLANCES = 16,
    FEW_GLANCES = 8,
    MANY_GLANCES = 96
};

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

/* Hands the tree out if it passes verification, mended if need be, and frees it otherwise.
 * `chance`: the plain order that it is, where one glance alone agreed with it, which may be chance:
 * it is mended only if more glances come near it. NULL: it may be mended at once. */
static enum accord_status take_verified(accordi_asker *asker, accord_tree *tree,
                                        const accordi_plain_order *chance, accord_tree **out)
{
    bool holds = stands(asker, tree);
    accord_tree *mended = NULL;
    bool mend =
        !holds && !asker->status &&
        (!chance || accordi_glance_again(asker, (accordi_candidate){.plain = chance},
                                         accordi_terms_elsewhere(asker, ACCORDI_SOME_ELSEWHERE)));
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

/* Orders that depend on the number of terms alone. */
static const accordi_plain_order plain[] = {
    {accordi_order_sequential, accordi_order_cut_last},
    {accordi_order_reverse, accordi_order_cut_first},
    {accordi_order_pairwise, accordi_order_cut_halves},
    {accordi_order_pairwise_up, accordi_order_cut_halves_up},
    {accordi_order_numpy, accordi_order_cut_numpy}};
enum { PLAIN = sizeof plain / sizeof *plain };

/* A few counts tell whether one is worth making, to be verified or mended. */
static enum accord_status guess_plain_orders(accordi_asker *asker, const accordi_glance *g,
                                             enum accordi_nearness near, accord_tree **out)
{
    for (size_t h = 0; h < PLAIN && !*out && !asker->status; h++) {
        accord_tree *tree = NULL;
        if (!accordi_glance_near(asker, (accordi_candidate){.plain = &plain[h]}, g, near))
            continue;
        asker->status =
            accordi_order_make(plain[h].make, asker->n, 0, NULL, NULL, &tree, asker->error);
        if (!asker->status)
            take_verified(asker, tree, near == ACCORDI_THE_SAME ? &plain[h] : NULL, out);
    }
    return asker->status;
}

/* Of the terms that are not late, the plain order that agrees with some counts; NULL: none does. */
static accord_tree *find_others(accordi_asker *asker, const accordi_late *late)
{
    accordi_glance seen;
    accord_tree *tree = NULL;
    accordi_ask_only(asker, late->others, asker->n - late->count);
    accordi_glance_take(asker, &seen);
    for (size_t h = 0; h < PLAIN && !tree && !asker->status; h++) {
        const accordi_candidate c = {.plain = &plain[h]};
        if (accordi_glance_near(asker, c, &seen, ACCORDI_THE_SAME))
            asker->status =
                accordi_order_make(plain[h].make, asker->n, 0, NULL, NULL, &tree, asker->error);
    }
    accordi_ask_only(asker, NULL, 0);
    return tree;
}

/* The same for orders with some terms behind. */
static enum accord_status guess_late_terms(accordi_asker *asker, bool ends, accord_tree **out)
{
    accordi_late late;
    accord_tree *others = NULL, *tree = NULL;
    if (asker->terms || accordi_late_find(asker, ends, &late))
        return asker->status;
    if (late.count > 0)
        others = find_others(asker, &late);
    if (others && !asker->status && !accordi_late_tree(asker, &late, others, &tree))
        take_verified(asker, tree, NULL, out);
    accord_tree_free(others);
    accordi_late_clear(&late);
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
static enum accord_status guess_nearly(accordi_asker *asker, const accordi_glance *g,
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
    if (tree &&
        accordi_glance_near(asker, (accordi_candidate){.tree = tree}, g, ACCORDI_SOME_ELSEWHERE))
        return take_verified(asker, tree, NULL, out);
    accord_tree_free(tree);
    return asker->status;
}

static enum accord_status guess_from_end(accordi_asker *asker, const accordi_glance *g,
                                         bool backwards, accord_tree **out)
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
    accordi_glance seen;
    *out = NULL;
    if (asker->n < LEAST_TERMS || asker->n - 2 > accordi_ask_capacity(asker) ||
        (accordi_verify_levels(asker) < LEAST_LEVELS && !is_left_to_proof(asker)))
        return ACCORD_OK;
    if (is_left_to_proof(asker) && accordi_check_bound(asker)) /* a proof takes long to tell */
        return asker->status;
    asker->stage = "guessing";
    if (guess_expected(asker, out) || *out || accordi_glance_take(asker, &seen) ||
        guess_plain_orders(asker, &seen, ACCORDI_THE_SAME, out) || *out ||
        guess_late_terms(asker, false, out) || *out ||
        guess_plain_orders(asker, &seen, ACCORDI_ONE_ELSEWHERE, out) || *out ||
        asker->n < LEAST_EXTENDED || guess_from_end(asker, &seen, false, out) || *out ||
        guess_from_end(asker, &seen, true, out) || *out || guess_late_terms(asker, true, out) ||
        *out)
        return asker->status;
    return guess_plain_orders(asker, &seen, ACCORDI_SOME_ELSEWHERE, out);
}
