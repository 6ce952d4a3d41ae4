/* Many sums along one tree, side by side. Internal. */
#ifndef ACCORDI_REPLAY_H
#define ACCORDI_REPLAY_H

#include "base/base.h"
#include <accord/model.h>

/* A group of rows: the values of a node in all of them lie next to each other, on a boundary of
 * 64 bytes. */
enum { ACCORDI_LANES_F32 = 16, ACCORDI_LANES_F64 = 8 };

/* What the sums of a tree need. */
typedef struct accordi_needs {
    size_t depth;    /* of the stack, in groups; >= 1 */
    size_t children; /* of the node that has most; >= 2 */
} accordi_needs;
accordi_needs accordi_tree_needs(const accord_tree *tree);

/* Memory on a boundary of 64 bytes, for free; NULL if there is none. */
void *accordi_alloc_lanes(size_t count, size_t size);

/* The value of a node of more than two children, from those of one row. */
typedef double accordi_fuser(const void *context, const double *x, size_t count);

/* Sums along the tree for a group of rows, every addition to nearest in float or double.
 *   leaf: leaves x LANES values; stack: room for depth x LANES; scratch: for children x LANES.
 * The root's values come out at the start of the stack; with a single leaf nothing is written. */
void accordi_lanes_f32(const accord_tree *tree, const float *leaf, float *stack,
                       accordi_fuser *fuse, const void *context, double *scratch);
void accordi_lanes_f64(const accord_tree *tree, const double *leaf, double *stack,
                       accordi_fuser *fuse, const void *context, double *scratch);

/* Turns a group of `count` rows of n values, float or double (first name), for the lanes of float
 * or double (second): leaf[i][l] = row[l][i]; lanes past the last row repeat it. */
typedef void accordi_turner(const void *const *row, size_t count, size_t n, void *leaf);
accordi_turner accordi_turn_f32_f32, accordi_turn_f64_f32, accordi_turn_f32_f64,
    accordi_turn_f64_f64;

#endif
