/* Sums along a tree for many rows at once.
 *
 * Idea: one addition depends on the one before it, those of different rows do not: with the values
 * of a node in 16 rows next to each other, every node is one short vector addition, whatever the
 * tree. Invariant: inner nodes come in post-order, so the inner children of the next node are the
 * top of a stack, in order; the stack stays in the nearest cache where all values of all nodes
 * would not. */
#include "model/replay/replay.h"

accordi_needs accordi_tree_needs(const accord_tree *tree)
{
    accordi_needs needs = {1, 2};
    size_t depth = 0;
    for (uint32_t k = 0; k < tree->inner; k++) {
        uint32_t count = tree->first[k + 1] - tree->first[k];
        for (uint32_t i = tree->first[k]; i < tree->first[k + 1]; i++)
            depth -= tree->child[i] >= tree->leaves;
        depth++;
        needs.depth = depth > needs.depth ? depth : needs.depth;
        needs.children = count > needs.children ? count : needs.children;
    }
    return needs;
}

void *accordi_alloc_lanes(size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - 64) / size)
        return NULL;
    return aligned_alloc(64, (count * size + 63) / 64 * 64);
}

typedef float float_lanes __attribute__((vector_size(4 * ACCORDI_LANES_F32), may_alias));
typedef double double_lanes __attribute__((vector_size(8 * ACCORDI_LANES_F64), may_alias));

#define NAME accordi_lanes_f32
#define TYPE float
#define LANES ACCORDI_LANES_F32
#define ADD(out, a, b)                                                                             \
    (*(float_lanes *)(out) = *(const float_lanes *)(a) + *(const float_lanes *)(b))
#include "model/replay/lanes.h"

#define NAME accordi_lanes_f64
#define TYPE double
#define LANES ACCORDI_LANES_F64
#define ADD(out, a, b)                                                                             \
    (*(double_lanes *)(out) = *(const double_lanes *)(a) + *(const double_lanes *)(b))
#include "model/replay/lanes.h"
