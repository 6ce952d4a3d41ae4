/* Proves a whole order at once, with a bound on the probability that another one passes. Internal;
 * see order_rounds.c. */
#ifndef ACCORDI_ORDER_ROUNDS_H
#define ACCORDI_ORDER_ROUNDS_H

#include "reveal/prove/order_levels.h"

typedef struct accordi_order_proof {
    const char *unsuited; /* why rounds cannot prove this order; NULL: they can */
    int precision;        /* bits to which every addition is taken to round */
    uint32_t levels;
    double leaves;          /* the chance of a round to leave the range, at most */
    uint64_t rounds, calls; /* that are needed */
    uint64_t asked, passed; /* calls so far, and rounds of which all calls agreed */
    double error;           /* another order passes with this probability at most */
} accordi_order_proof;

/* Plans the rounds after which another order passes with a probability of `error` at most. Nothing
 * is asked. */
enum accord_status accordi_order_plan(accordi_asker *asker, const accord_tree *tree, double error,
                                      accordi_order_proof *out);

/* Asks them. *holds is false once a result is not what the tree gives: then the order is another
 * one, or its additions do not round as they are taken to. */
enum accord_status accordi_order_prove(accordi_asker *asker, const accord_tree *tree,
                                       accordi_order_proof *proof, bool *holds);

#endif
