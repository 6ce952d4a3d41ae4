/* Plans how a whole order is proven at once. Internal; see order_plan.c. */
#ifndef ACCORDI_ORDER_PLAN_H
#define ACCORDI_ORDER_PLAN_H

#include "reveal/probes/splits.h"
#include "reveal/ties/order_calls.h"

typedef struct accordi_order_proof {
    const char *unsuited; /* why this order cannot be proven at once; NULL: it can */
    int precision;        /* bits to which every addition is taken to round */
    uint32_t splits;      /* levels from the root down whose nodes are split, with … */
    accordi_weights weights;
    uint32_t levels; /* and levels of paths, in what is left */
    double leaves;   /* the chance of a round to leave the range, at most */
    uint64_t rounds; /* of the calls of paths */
    uint64_t calls;  /* that are needed … */
    uint64_t paths;  /* … and how many of these are calls of paths and blocks */
    uint64_t asked;  /* so far */
    double error;    /* another order passes with this probability at most */
} accordi_order_proof;

/* Plans the calls after which another order passes with a probability of `error` at most. Nothing
 * is asked. */
enum accord_status accordi_order_plan(accordi_asker *asker, const accord_tree *tree, double error,
                                      accordi_order_proof *out);

/* After so many rounds, what a call of paths or blocks is there to refute passes it with a
 * probability of proof->error at most. */
uint64_t accordi_order_rounds_of(const accordi_order_call *call, const accordi_order_proof *proof);

#endif
