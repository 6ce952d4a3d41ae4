/* The tree under construction: parents of nodes, inner nodes numbered as they are made. */
#ifndef ACCORDI_FOREST_H
#define ACCORDI_FOREST_H

#include "base/base.h"
#include <accord/tree.h>

typedef struct accordi_forest {
    uint32_t leaves, nodes; /* nodes so far, leaves included */
    uint32_t *parent;       /* 2n entries */
} accordi_forest;

static inline enum accord_status accordi_forest_init(accordi_forest *forest, size_t leaves,
                                                     accord_error *error)
{
    forest->parent = accordi_alloc(2 * leaves, sizeof *forest->parent);
    if (!forest->parent)
        return accordi_nomem(error);
    for (size_t i = 0; i < 2 * leaves; i++)
        forest->parent[i] = ACCORD_TREE_NO_NODE;
    forest->leaves = forest->nodes = (uint32_t)leaves;
    return ACCORD_OK;
}

/* A new inner node; ACCORD_TREE_NO_NODE when the answers ask for more than a tree can have. */
static inline uint32_t accordi_forest_node(accordi_forest *forest)
{
    if (forest->nodes >= 2 * forest->leaves - 1)
        return ACCORD_TREE_NO_NODE;
    return forest->nodes++;
}

/* Frees the forest and hands out its tree. Answers that are no tree are ACCORD_UNABLE. */
static inline enum accord_status accordi_forest_tree(accordi_forest *forest, accord_tree **out,
                                                     accord_error *error)
{
    enum accord_status status = accord_tree_from_parents(
        forest->leaves, forest->nodes - forest->leaves, forest->parent, out, error);
    if (status == ACCORD_ARG)
        status = accordi_unable(error, ACCORD_REASON_NOT_A_TREE,
                                "the answers contradict every tree of additions");
    free(forest->parent);
    forest->parent = NULL;
    return status;
}

#endif
