/* A binary tree from which parts are taken out and put back elsewhere. Internal. */
#ifndef ACCORDI_MEND_FOREST_H
#define ACCORDI_MEND_FOREST_H

#include "reveal/probes/ask.h"

/* Nodes have the numbers of the tree that it began as, leaves first. */
typedef struct accordi_forest {
    uint32_t leaves, root;
    uint32_t *parent;     /* per node; of a root NO_NODE */
    uint32_t (*child)[2]; /* per inner node */
    uint32_t *size;       /* per inner node: the leaves under it */
} accordi_forest;

/* Of a binary tree of two leaves or more. */
enum accord_status accordi_forest_init(accordi_asker *asker, const accord_tree *tree,
                                       accordi_forest *out);
void accordi_forest_clear(accordi_forest *f);

static inline uint32_t accordi_forest_size(const accordi_forest *f, uint32_t node)
{
    return node < f->leaves ? 1 : f->size[node - f->leaves];
}

/* The other child of the node above; the node is no root. */
uint32_t accordi_forest_sibling(const accordi_forest *f, uint32_t node);

/* Takes the subtree of a node out, which is not the root. The node above it vanishes: its number is
 * returned, and is needed to put the subtree back. */
uint32_t accordi_forest_prune(accordi_forest *f, uint32_t node);
/* Puts a subtree back, so that it is added onto node `at`. */
void accordi_forest_graft(accordi_forest *f, uint32_t node, uint32_t spare, uint32_t at);

/* The tree under the root: of `terms`, in ascending order, which has room for all leaves. */
enum accord_status accordi_forest_tree(accordi_asker *asker, const accordi_forest *f,
                                       uint32_t *terms, accord_tree **out);

#endif
