/* The tree under construction: parents of nodes, inner nodes numbered as they are made. */
#ifndef ACCORDI_FOREST_H
#define ACCORDI_FOREST_H

#include "base/base.h"
#include <accord/tree.h>

typedef struct accordi_forest {
    uint32_t leaves, nodes, capacity; /* nodes so far, leaves included */
    uint32_t *parent;
} accordi_forest;

enum accord_status accordi_forest_init(accordi_forest *forest, size_t leaves, accord_error *error);

/* A new inner node without a parent; ACCORD_TREE_NO_NODE when memory is out. */
uint32_t accordi_forest_node(accordi_forest *forest);

/* Hands out the tree and frees the forest. Nodes with one child vanish. Parents that make no tree
 * are ACCORD_UNABLE: the answers contradicted each other. */
enum accord_status accordi_forest_tree(accordi_forest *forest, accord_tree **out,
                                       accord_error *error);

#endif
