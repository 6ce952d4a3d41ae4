/* Rounds of sums in which additions are ties: what is drawn, and what a tree gives. Internal; see
 * order_ties.c. */
#ifndef ACCORDI_ORDER_TIES_H
#define ACCORDI_ORDER_TIES_H

#include "reveal/ties/order_calls.h"

/* Rounds that are drawn together: a sum is worked out for all of them at once, since each step of
 * it waits for the one before. What is drawn for them lies side by side. */
enum { ACCORDI_TIES = 4 };
typedef int32_t accordi_four_rounds __attribute__((vector_size(4 * ACCORDI_TIES)));

typedef struct accordi_ties {
    const accordi_order_levels *levels;
    signed char (*half)[ACCORDI_TIES]; /* per term: what it is where it is noise, in half units */
    accordi_four_rounds *before; /* the sum of these over the leaves that stand before a place of
                                    the layout */
    signed char (*odd)[ACCORDI_TIES];  /* per arm: units that are added to its mask in call 0 */
    signed char (*more)[ACCORDI_TIES]; /* per block: the same where the mask is inside it; NULL: no
                                          call tests blocks */
    signed char noises[4096][4], odds[256][4]; /* of which four at a time are drawn */
} accordi_ties;

/* `blocks`: some call tests blocks. */
enum accord_status accordi_ties_init(accordi_asker *asker, const accordi_order_levels *levels,
                                     bool blocks, accordi_ties *out);
void accordi_ties_clear(accordi_ties *ties);

/* Draws rounds anew. */
void accordi_ties_draw(accordi_ties *ties, accordi_rng *rng);
/* After ties->half has been written: sums of it. accordi_ties_draw does this. */
void accordi_ties_add_up(accordi_ties *ties);

/* The units that are added to M or -M in a round, for a mask of a call. */
static inline int accordi_ties_units(const accordi_ties *ties, const accordi_order_call *call,
                                     const accordi_order_mask *mask, int round)
{
    const signed char(*odd)[ACCORDI_TIES] =
        (const signed char(*)[ACCORDI_TIES])(call->call ? ties->more : ties->odd);
    return mask->odd_of == ACCORD_TREE_NO_NODE ? 0 : odd[mask->odd_of][round];
}

/* What the sum of a call is in each round if it is added along the tree, in half units, where every
 * addition rounds to the nearest unit beside a mask, ties to even, and the mask is even. *greatest
 * becomes at least the greatest magnitude beside a mask; NULL: that is not wanted. Thread-safe. */
accordi_four_rounds accordi_ties_due(const accordi_ties *ties, const accordi_order_call *call,
                                     accordi_four_rounds *greatest);

#endif
