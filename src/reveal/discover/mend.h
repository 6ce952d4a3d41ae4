/* Mending a conjectured order that is nearly the target's. Internal; see mend.c. */
#ifndef ACCORDI_MEND_H
#define ACCORDI_MEND_H

#include "reveal/discover/mend_forest.h"

/* A binary tree that is the target's, or nearly so, becomes one that more of the target's answers
 * agree with. *out is NULL where nothing was found to be wrong, where too much is, and where sums
 * are none that the questions are made for (that is no error). What comes out is a conjecture. */
enum accord_status accordi_mend(accordi_asker *asker, const accord_tree *tree, accord_tree **out);

/* What follows is shared by mend.c, mend_rounds.c, mend_ties.c and mend_places.c only. */

enum { ACCORDI_SUSPECTS = 32 };

/* A clade that is elsewhere in the target's order: `leaf` stands for it. */
typedef struct accordi_moved {
    uint32_t node, spare, leaf;
} accordi_moved;

/* A term of a sum, which is not zero. */
typedef struct accordi_mend_term {
    double value;
    uint32_t leaf, item; /* of the rest; items are numbered from 1 on, and 0 stays */
    uint32_t above;      /* the inner node at which it meets the next one */
} accordi_mend_term;

/* What is worked out of a sum along the tree: the sums of some clades, which are not added yet,
 * each with the node at which it meets the one before. */
typedef struct accordi_mend_sum {
    struct accordi_mend_clade {
        double sum;
        uint32_t above;
    } * clade;
    size_t clades, room;
    uint32_t above; /* the last one meets the next term here, or further up */
} accordi_mend_sum;

typedef struct accordi_mending {
    accordi_asker *asker;
    accordi_forest forest; /* what hangs from its root is not in question */
    /* That as a tree, whose leaf i is the target's term terms[i]. */
    accord_tree *rest;
    uint32_t *terms;
    uint32_t *room;          /* twice as many numbers as the forest has leaves */
    double mask, unit;       /* of sums that are ties */
    accordi_mend_term *term; /* of a sum, in the order of the rest: those below a node are
                                neighbors. Items ascend, but for those that stay */
    uint32_t held, items;    /* how many there are */
    accordi_mend_sum sum;    /* of them … */
    accordi_mend_sum begun;  /* … and of the first `first` ones */
    uint32_t first;
    accordi_moved *moved; /* what is out of the forest */
    size_t moves, move_room;
} accordi_mending;

/* The sum along the tree of the first so many items and of what stays. */
double accordi_mend_due(accordi_mending *m, uint32_t items);

/* Can sums be made ties? Sets mask and unit. */
bool accordi_mend_suits(accordi_mending *m);
/* Asks about so many sums that are ties, of the rest alone, or more. *wrong: a result is not what
 * the tree gives, and its terms are held. */
enum accord_status accordi_mend_test(accordi_mending *m, uint32_t rows, bool *wrong);
/* Finds a few of the terms that are held (leaves of the rest, in ascending order) whose sum is also
 * wrong while all others are 0. Returns how many, or 0 if these are too many. */
uint32_t accordi_mend_shrink(accordi_mending *m, uint32_t suspect[ACCORDI_SUSPECTS]);

/* Takes clades with these terms out of the forest: each is the greatest one that has none of the
 * others and is one of the target's, too. */
enum accord_status accordi_mend_take_out(accordi_mending *m, const uint32_t *term, uint32_t count);
/* After clades were taken out: what the rest is then. */
enum accord_status accordi_mend_take_stock(accordi_mending *m);
/* Puts all clades back where the target has them, or near to that if no place fits its answers. */
enum accord_status accordi_mend_put_back(accordi_mending *m);

#endif
