/* The tree under construction, for all code that makes one: the search by probes, makers of regular
 * orders, and rules by which an order goes on. Nodes are numbered as they are made, the leaves
 * first; each knows its parent alone, and the canonical form is made at the end. Internal. */
#ifndef ACCORDI_BUILDER_H
#define ACCORDI_BUILDER_H

#include "base/base.h"
#include <accord/tree.h>

typedef struct accordi_builder {
    uint32_t leaves, nodes, capacity; /* nodes so far, leaves included */
    uint32_t *parent;                 /* ACCORD_TREE_NO_NODE where there is none yet */
} accordi_builder;

/* `leaves` leaves without parents, and room for 2 * leaves nodes: what trees whose nodes have two
 * children or more need. ACCORD_NOMEM. Ended by accordi_builder_finish, or free(b->parent). */
enum accord_status accordi_builder_init(accordi_builder *b, size_t leaves, accord_error *error);

/* A new inner node without a parent; ACCORD_TREE_NO_NODE when memory is out, which cannot be before
 * there are 2 * leaves nodes. */
uint32_t accordi_builder_node(accordi_builder *b);

/* The three that follow make no more nodes than there is room for. */

/* A new node over x and y, where x stands. */
uint32_t accordi_builder_join(accordi_builder *b, uint32_t x, uint32_t y);
/* A new node without a parent over all of them; a single one is returned itself. count >= 1. */
uint32_t accordi_builder_join_all(accordi_builder *b, const uint32_t *nodes, size_t count);
/* Joins one after the other; the root. count >= 1. */
uint32_t accordi_builder_chain(accordi_builder *b, const uint32_t *nodes, size_t count);
/* A copy of `tree` over the leaves from `at` on; its root. */
uint32_t accordi_builder_copy(accordi_builder *b, const accord_tree *tree, uint32_t at);

/* Hands out the tree and frees the builder. Nodes with one child vanish. Parents that make no tree
 * are ACCORD_UNABLE: the answers contradicted each other. */
enum accord_status accordi_builder_finish(accordi_builder *b, accord_tree **out,
                                          accord_error *error);

#endif
