/* What sums of terms that cannot be negative are due to give in an order as it grows. Internal; see
 * expect.c. */
#ifndef ACCORDI_EXPECT_H
#define ACCORDI_EXPECT_H

#include "pattern/growth.h"

/* A question: the mask at one term, a unit at another (none, if that is the same one), and at one
 * in 2^thin of the rest, drawn with the seed; or of those alone that are whole multiples of 2^apart
 * terms away from the mask, as in its lane. */
typedef struct accordi_rounding {
    uint32_t mask, also[2];
    unsigned thin, apart;
    uint64_t seed;
} accordi_rounding;

bool accordi_rounding_has_unit(const accordi_rounding *q, uint32_t term);

/* By how many last places a sum exceeds its mask; a range where it may be a tie. */
typedef struct accordi_excess {
    uint32_t low, high;
} accordi_excess;

/* The order as it was read, parents first: the root is 0, and siblings stand beside each other. */
typedef struct accordi_expected {
    const accordi_growth *g;
    accordi_excess *rounded; /* so many units, rounded to last places of a sum with the mask */
    uint32_t count;          /* of nodes */
    uint32_t *node;          /* of the growth */
    uint32_t *place;         /* where each node of the growth stands */
    uint32_t *up;            /* where its parent does */
    uint32_t *inside;        /* units under it */
    bool *met;               /* is the mask under it, or under its sibling? */
    accordi_excess *at;      /* if the next term is added onto it */
} accordi_expected;

/* Room for n terms, and units of so many last places; false when memory is out. */
bool accordi_expected_init(accordi_expected *x, const accordi_growth *g, uint32_t n, double unit);
void accordi_expected_clear(accordi_expected *x);

/* Reads the order as it is now; the functions below are about this. */
void accordi_expected_read(accordi_expected *x);
/* Where the other child of its parent stands. */
uint32_t accordi_expected_sibling(uint32_t k);
accordi_excess accordi_expected_sum(accordi_expected *x, const accordi_rounding *q);
/* Fills `at`; the question may be about the next term, too. */
void accordi_expected_places(accordi_expected *x, const accordi_rounding *q);

#endif
