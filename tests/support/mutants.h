/* Trees that are almost another one, for tests that must tell them apart. */
#ifndef MUTANTS_H
#define MUTANTS_H

#include "targets/synthetic/synthetic.h"

enum { MUTANT_NODES = 1024 };

static inline accord_tree *tree_of_kind(accordi_rng *rng, enum accordi_tree_kind kind, size_t n)
{
    accord_tree *tree = NULL;
    if (accordi_random_tree(rng, kind, n, &tree, NULL) != ACCORD_OK)
        printf("# no tree\n");
    return tree;
}

/* Of any kind. */
static inline accord_tree *any_tree(accordi_rng *rng, size_t n)
{
    return tree_of_kind(rng, (enum accordi_tree_kind)accordi_rng_below(rng, ACCORDI_TREE_KINDS), n);
}

static inline accord_tree *binary_tree(accordi_rng *rng, size_t n)
{
    static const enum accordi_tree_kind kinds[] = {ACCORDI_TREE_YULE, ACCORDI_TREE_UNIFORM,
                                                   ACCORDI_TREE_CATERPILLAR, ACCORDI_TREE_LANES,
                                                   ACCORDI_TREE_BALANCED};
    return tree_of_kind(rng, kinds[accordi_rng_below(rng, 5)], n);
}

/* The tree with two leaves exchanged; NULL where that changes nothing. */
static inline accord_tree *swapped(accordi_rng *rng, const accord_tree *tree)
{
    uint32_t n = tree->leaves, parent[MUTANT_NODES];
    accord_tree *out = NULL;
    accord_tree_parents(tree, parent);
    uint32_t i = (uint32_t)accordi_rng_below(rng, n), j = (uint32_t)accordi_rng_below(rng, n);
    uint32_t held = parent[i];
    parent[i] = parent[j];
    parent[j] = held;
    accord_tree_from_parents(n, tree->inner, parent, &out, NULL);
    if (!accord_tree_equal(tree, out))
        return out;
    accord_tree_free(out);
    return NULL;
}

/* The tree without one of its inner nodes, whose children go to its parent; NULL if it has but
 * one. */
static inline accord_tree *contracted(accordi_rng *rng, const accord_tree *tree)
{
    uint32_t nodes = tree->leaves + tree->inner, parent[MUTANT_NODES];
    accord_tree *out = NULL;
    if (tree->inner < 2)
        return NULL;
    accord_tree_parents(tree, parent);
    uint32_t gone = tree->leaves + (uint32_t)accordi_rng_below(rng, tree->inner - 1);
    uint32_t above = parent[gone];
    for (uint32_t v = 0; v < nodes; v++) {
        uint32_t up = parent[v] == gone ? above : parent[v];
        parent[v - (v > gone)] = up - (up != ACCORD_TREE_NO_NODE && up > gone);
    }
    accord_tree_from_parents(tree->leaves, tree->inner - 1, parent, &out, NULL);
    return out;
}

/* The tree with one leaf taken out and put beside another node; NULL if nothing changes. */
static inline accord_tree *leaf_displaced(accordi_rng *rng, const accord_tree *tree)
{
    uint32_t n = tree->leaves, nodes = n + tree->inner, parent[MUTANT_NODES];
    accord_tree *out = NULL;
    accord_tree_parents(tree, parent);
    uint32_t leaf = (uint32_t)accordi_rng_below(rng, n), up = parent[leaf], sibling = 0;
    for (uint32_t v = 0; v < nodes; v++)
        if (v != leaf && parent[v] == up)
            sibling = v;
    uint32_t beside = (uint32_t)accordi_rng_below(rng, nodes);
    if (beside == leaf || beside == up)
        return NULL;
    parent[sibling] = parent[up]; /* the node above the leaf is taken out with it … */
    parent[up] = parent[beside];  /* … and joins the leaf and the other node */
    parent[beside] = up;
    if (accord_tree_from_parents(n, tree->inner, parent, &out, NULL) != ACCORD_OK)
        return NULL; /* a node came to lie under itself */
    if (!accord_tree_equal(tree, out))
        return out;
    accord_tree_free(out);
    return NULL;
}

#endif
