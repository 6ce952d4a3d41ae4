/* Rules by which an order over the first m terms goes on to more. Internal. */
#ifndef ACCORDI_GROW_H
#define ACCORDI_GROW_H

#include "base/base.h"
#include <accord/tree.h>

/* A tree under construction over `leaves` leaves: parents in any numbering of `inner` nodes. */
typedef struct accordi_growth {
    uint32_t leaves, inner;
    uint32_t *parent; /* 2 * leaves entries */
} accordi_growth;

/* Extends `tree` (m leaves) to growth->leaves <= 2m leaves; false where the rule does not apply. */
typedef bool accordi_rule(const accord_tree *tree, uint32_t parameter, accordi_growth *growth);

/* Leaf i joins the top of the chain that leaf i - parameter is on. */
accordi_rule accordi_grow_lanes;
/* The new leaves form a copy of the old tree, which joins its root. */
accordi_rule accordi_grow_copy;
/* The lanes (residues modulo the parameter) are clades: each is joined with its copy. */
accordi_rule accordi_grow_lane_copies;
/* Copies of the tree of the first `parameter` leaves join the root one after the other. */
accordi_rule accordi_grow_blocks;

/* Orders that split all n terms into halves from the top, by number; NULL past the last one (or
 * when memory is out). */
accord_tree *accordi_halves_tree(uint32_t n, size_t which);

#endif
