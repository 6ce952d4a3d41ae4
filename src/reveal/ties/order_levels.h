/* The levels of a binary tree: disjoint clades, in each of which two paths are tested at once.
 * Internal; see order_levels.c. */
#ifndef ACCORDI_ORDER_LEVELS_H
#define ACCORDI_ORDER_LEVELS_H

#include "reveal/probes/leaf_order.h"

/* A child of a node on an arm that is not on the arm itself: its leaves are leaf[at] … of the
 * layout. */
typedef struct accordi_block {
    uint32_t at, size;
    uint32_t inside; /* with three leaves or more it is a clade of the next level: its first arm */
} accordi_block;

/* A path from a child of a clade down to a leaf. What its nodes add on the way up are its blocks.
 */
typedef struct accordi_arm {
    uint32_t bottom; /* the leaf */
    uint32_t first;  /* its blocks are block[first] …, from the top of the arm down */
    uint32_t blocks;
} accordi_arm;

enum { ACCORDI_MOST_LEVELS = 64 };

typedef struct accordi_order_levels {
    const accordi_layout *layout;
    uint32_t levels;
    uint32_t arm_of[ACCORDI_MOST_LEVELS + 1]; /* level i has the arms arm_of[i] … arm_of[i + 1] - 1:
                                                 two neighbors for every clade */
    accordi_arm *arm;
    accordi_block *block;
} accordi_order_levels;

/* Of some disjoint nodes of a binary tree, of at least three leaves each: the clades of the first
 * level. The layout is borrowed. */
enum accord_status accordi_order_levels_init(accordi_asker *asker, const accordi_layout *layout,
                                             const uint32_t *clade, uint32_t clades,
                                             accordi_order_levels *out);
/* How many levels each node would have as the only clade of the first one: `out` and `room` are of
 * as many as there are nodes, leaves included. */
void accordi_order_levels_count(const accordi_layout *layout, uint8_t *out, uint8_t *room);
void accordi_order_levels_clear(accordi_order_levels *levels);

#endif
