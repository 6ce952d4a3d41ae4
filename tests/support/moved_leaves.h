/* Trees of any size with one or two leaves elsewhere. Aborts without memory. */
#ifndef MOVED_LEAVES_H
#define MOVED_LEAVES_H

#include "base/base.h"
#include <accord/tree.h>
#include <stdlib.h>

static inline uint32_t *parents_to_change(const accord_tree *tree)
{
    uint32_t *parent = accordi_alloc((size_t)tree->leaves + tree->inner, sizeof *parent);
    if (!parent)
        abort();
    accord_tree_parents(tree, parent);
    return parent;
}

static inline accord_tree *changed_tree(const accord_tree *tree, uint32_t *parent)
{
    accord_tree *out = NULL;
    if (accord_tree_from_parents(tree->leaves, tree->inner, parent, &out, NULL))
        abort();
    free(parent);
    return out;
}

/* With leaf i taken out and put beside leaf j. */
static inline accord_tree *leaf_moved(const accord_tree *tree, uint32_t i, uint32_t j)
{
    uint32_t *parent = parents_to_change(tree), up = parent[i], sibling = 0;
    for (uint32_t v = 0; v < tree->leaves + tree->inner; v++)
        if (v != i && parent[v] == up)
            sibling = v;
    parent[sibling] = parent[up];
    parent[up] = parent[j];
    parent[j] = up;
    return changed_tree(tree, parent);
}

/* With leaves i and j exchanged. */
static inline accord_tree *two_leaves_exchanged(const accord_tree *tree, uint32_t i, uint32_t j)
{
    uint32_t *parent = parents_to_change(tree), up = parent[i];
    parent[i] = parent[j];
    parent[j] = up;
    return changed_tree(tree, parent);
}

#endif
