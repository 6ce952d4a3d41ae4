/* The rows of a round: what node_rounds.c and round_rows.c share. Internal. */
#ifndef ACCORDI_ROUND_ROWS_H
#define ACCORDI_ROUND_ROWS_H

#include "reveal/probes/dense_rows.h"
#include "reveal/prove/node_rounds.h"
#include "reveal/prove/reduced_tree.h"

enum { ACCORDI_ROUND_GROUP = 16 }; /* rows at a time */

/* Coins and numbers: each row has its own, so that rows can be written by several threads. */
typedef struct accordi_drawer {
    accordi_rng rng;
    uint64_t coins; /* that were drawn, so many of them left */
    int left;
} accordi_drawer;

/* The nodes of a level and those above: the whole tree, or what is left of it. */
typedef struct accordi_stratum {
    const accord_tree *tree;
    const uint8_t *rank;      /* per node of it: its Strahler number */
    accordi_reduced reduced;  /* if that is what `tree` is; else empty */
    accord_arithmetic how;    /* then: of its nodes … */
    uint8_t *of_node, *ranks; /* … and what is allocated for it */
    char *x, *y;              /* rows of its terms */
    uint32_t *placed;         /* which terms of the target they are */
} accordi_stratum;

/* By eight coins: four terms, or their second factors. */
typedef union accordi_fours {
    float floats[256][4];
    double doubles[256][4];
} accordi_fours;

typedef struct accordi_round {
    accordi_asker *asker;
    const accord_tree *tree;
    const accord_arithmetic *how;
    accordi_layout layout;
    uint8_t *strahler; /* per node */
    accordi_stratum at;
    bool alike;        /* all nodes round alike */
    bool clear;        /* all rows are zero */
    bool *pending;     /* per node: a mask comes out of it */
    signed char *sign; /* per node: of that mask */
    uint32_t *node;    /* the inner nodes k of the level: first those at which a path ends */
    uint32_t *side;    /* the children beside the paths, where these go on, in ascending order */
    uint32_t nodes, paths, sides;
    uint32_t terms;  /* the first of the sides, which are terms themselves */
    uint32_t *blank; /* the terms that are no sides */
    uint32_t blanks;
    uint32_t top;           /* of the path whose mask cancels inside it; NO_NODE: none */
    accordi_dense dense;    /* a group of rows, whose masks have the same signs */
    double factor[2][2];    /* of products: the two that make a little more, and a little less */
    accordi_fours fours[2]; /* of terms and of second factors, for sides that are terms */
    int odd_bits;           /* of the even number */
    /* Of each row, and of what the rows of a group share. */
    accordi_drawer drawer[ACCORDI_ROUND_GROUP + 1];
    double mask, unit; /* of the rows */
    double more;       /* than half a unit, for terms that are no masks; 0: products are so by
                          their factors … */
    double half;       /* … and half a unit with it */
    accordi_rounds *out;
} accordi_round;

static inline bool accordi_round_coin(accordi_drawer *d)
{
    if (d->left == 0) {
        d->coins = accordi_rng_next(&d->rng);
        d->left = 64;
    }
    return d->coins >> --d->left & 1;
}

static inline void accordi_round_begin_drawing(accordi_drawer *d, accordi_asker *asker)
{
    accordi_rng_init(&d->rng, accordi_rng_next(&asker->rng));
    d->left = 0;
}

/* The child by which the path of node k goes on; -1 at its end. */
static inline int accordi_round_way_down(const accordi_round *r, uint32_t k)
{
    const uint32_t *child = r->at.tree->child + r->at.tree->first[k];
    uint8_t level = r->at.rank[r->at.tree->leaves + k];
    return r->at.rank[child[0]] == level ? 0 : r->at.rank[child[1]] == level ? 1 : -1;
}

/* After the unit was set. */
void accordi_round_list_fours(accordi_round *r);
/* Writes the terms of a row; the context is an accordi_round. Rows may be written by several
 * threads. */
void accordi_round_fill_row(void *context, size_t row, int worker);
/* Where few terms are not zero: all rows are zero again. */
void accordi_round_clear_rows(accordi_round *r);

#endif
