/* The leaves in the order of the tree: those under a node are neighbors. Internal. */
#ifndef ACCORDI_LAYOUT_H
#define ACCORDI_LAYOUT_H

#include "reveal/probes/ask.h"

typedef struct accordi_layout {
    const accord_tree *tree;
    uint32_t *leaf;   /* the leaves under inner node k: leaf[start[k]] and the size[k]-1 after it */
    uint32_t *start;  /* per inner node */
    uint32_t *size;   /* per inner node: leaves under it */
    uint32_t *parent; /* per node; of the root ACCORD_TREE_NO_NODE; NULL in a plain layout */
} accordi_layout;

enum accord_status accordi_layout_init(accordi_asker *asker, const accord_tree *tree,
                                       accordi_layout *layout);
/* Without parents, which large trees have no memory to spare for. */
enum accord_status accordi_layout_plain(accordi_asker *asker, const accord_tree *tree,
                                        accordi_layout *layout);
void accordi_layout_clear(accordi_layout *layout);

/* A random leaf under a node (a leaf or an inner node), by the asker's random numbers or others. */
uint32_t accordi_layout_leaf(accordi_asker *asker, const accordi_layout *layout, uint32_t node);
uint32_t accordi_layout_draw(accordi_rng *rng, const accordi_layout *layout, uint32_t node);

/* The other child of a node's parent, in a binary tree; of the root ACCORD_TREE_NO_NODE. The layout
 * has parents. */
uint32_t accordi_layout_sibling(const accordi_layout *layout, uint32_t node);

#endif
