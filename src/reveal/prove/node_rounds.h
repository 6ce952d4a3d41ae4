/* Tests the arithmetic of all nodes together. Internal; see node_rounds.c. */
#ifndef ACCORDI_ROUNDS_H
#define ACCORDI_ROUNDS_H

#include "reveal/probes/ask.h"

typedef struct accordi_rounds {
    uint32_t tested; /* nodes that stood on a path of every round of their level */
    uint32_t levels;
    size_t rows, other; /* asked, and those on which the target gave other bits */
    double miss;        /* at most: the chance of missing one odd node; 1 if nothing was tested */
} accordi_rounds;

/* Asks a round for each level of a binary tree and replays it by `how`. Nothing is asked (tested
 * is 0) of trees with nodes of more than two children, of terms that are never negative, and of
 * formats whose range does not hold the masks. The factors of the target are neutral (ask.h). */
enum accord_status accordi_rounds_ask(accordi_asker *asker, const accord_tree *tree,
                                      const accord_arithmetic *how, accordi_rounds *out);

#endif
