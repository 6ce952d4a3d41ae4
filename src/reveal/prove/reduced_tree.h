/* A binary tree without what lies below the nodes of one Strahler number. Internal; see
 * reduced_tree.c. */
#ifndef ACCORDI_REDUCED_TREE_H
#define ACCORDI_REDUCED_TREE_H

#include "reveal/probes/leaf_order.h"

typedef struct accordi_reduced {
    accord_tree tree; /* canonical; it has no more than `first` and `child` to free */
    uint32_t *first, *child;
    uint32_t *under; /* per leaf: the node of the whole tree under which one term stands for it */
    uint32_t *node;  /* per inner node: the inner node of the whole tree that it is */
} accordi_reduced;

/* How many inner nodes are left when those below the Strahler number `level` are taken away.
 * `strahler` has an entry for each node. */
uint32_t accordi_reduced_size(const accord_tree *tree, const uint8_t *strahler, uint8_t level);

/* Takes them away. Of every node of that number, the children below it become leaves; a node with a
 * greater number of which only one child is left becomes that child. */
enum accord_status accordi_reduce(accordi_asker *asker, const accordi_layout *layout,
                                  const uint8_t *strahler, uint8_t level, accordi_reduced *out);
void accordi_reduced_clear(accordi_reduced *reduced);

#endif
