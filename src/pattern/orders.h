/* Makers of regular orders. Internal. */
#ifndef ACCORDI_ORDERS_H
#define ACCORDI_ORDERS_H

#include "tree/builder.h"

/* A regular order, or a random one, under construction. */
typedef struct accordi_order {
    size_t n;            /* leaves */
    size_t parameter;    /* of the notation: lanes, block size, … */
    const char *fold;    /* how lanes are joined: "halves", "pairwise", "sequential" */
    accordi_rng *rng;    /* for the random ones */
    const void *context; /* for makers of other rooms */
    accordi_builder tree;
    uint32_t *scratch; /* 4n entries */
} accordi_order;

typedef void accordi_order_maker(accordi_order *order);
accordi_order_maker accordi_order_sequential, accordi_order_reverse, accordi_order_pairwise,
    accordi_order_pairwise_up, accordi_order_adjacent, accordi_order_lanes, accordi_order_blocks,
    accordi_order_numpy, accordi_order_fused, accordi_order_star;

/* Those of collective operations (collectives.c). */
accordi_order_maker accordi_order_recursive_doubling, accordi_order_recursive_halving,
    accordi_order_ring, accordi_order_ring_down, accordi_order_chain, accordi_order_binary,
    accordi_order_in_order_binary, accordi_order_binomial, accordi_order_k_nomial,
    accordi_order_k_ary, accordi_order_hierarchical, accordi_order_hierarchical_cyclic,
    accordi_order_nccl_tree, accordi_order_nccl_second_tree;

/* Runs a maker and makes the canonical tree of what it built. rng may be NULL for orders that are
 * not random; fold may be NULL ("halves"). */
enum accord_status accordi_order_make(accordi_order_maker *maker, size_t n, size_t parameter,
                                      const char *fold, accordi_rng *rng, accord_tree **out,
                                      accord_error *error);
/* The same for an order whose first five members are set. */
enum accord_status accordi_order_build(accordi_order *order, accordi_order_maker *maker,
                                       accord_tree **out, accord_error *error);

/* Cuts [0, n) again and again. A cut gives the size of the first part of a range, or 0 if the range
 * is a piece to be built whole: the piece's maker returns its root. */
typedef size_t accordi_order_cut(accordi_order *order, size_t count);
typedef uint32_t accordi_order_piece(accordi_order *order, size_t from, size_t count);
void accordi_order_divide(accordi_order *order, accordi_order_cut *where,
                          accordi_order_piece *build);
/* floor(count/2) first, or ceil(count/2); the last term alone, or the first one; NumPy's parts of
 * whole eights down to 128 terms. The others give 0 for a single term. They use no order. */
accordi_order_cut accordi_order_cut_halves, accordi_order_cut_halves_up, accordi_order_cut_last,
    accordi_order_cut_first, accordi_order_cut_numpy;
/* The range of an order of n terms, not cut before, in which two terms are parted, or the piece
 * that has both. Its first term and the number of its terms. */
void accordi_order_parting(accordi_order_cut *where, size_t n, size_t a, size_t b, size_t *from,
                           size_t *count);

#endif
