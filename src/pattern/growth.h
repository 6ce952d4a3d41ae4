/* Rules by which an order over the first m terms goes on to more. Internal. */
#ifndef ACCORDI_GROW_H
#define ACCORDI_GROW_H

#include "tree/builder.h"

/* Extends `tree` (m leaves) to b->leaves <= 2m leaves; false where the rule does not apply, or
 * memory is out. Of the builder nothing has been built yet. */
typedef bool accordi_rule(const accord_tree *tree, uint32_t parameter, accordi_builder *b);

/* Leaf i joins the top of the chain that leaf i - parameter is on. */
accordi_rule accordi_grow_lanes;
/* The new leaves form a copy of the old tree, which joins its root. */
accordi_rule accordi_grow_copy;
/* The lanes (residues modulo the parameter) are clades: each is joined with its copy. */
accordi_rule accordi_grow_lane_copies;
/* Copies of the tree of the first `parameter` leaves join the root one after the other. */
accordi_rule accordi_grow_blocks;

#endif
