/* Proves a whole order at once, with a bound on the probability that another one passes. Internal;
 * see order_rounds.c. */
#ifndef ACCORDI_ORDER_ROUNDS_H
#define ACCORDI_ORDER_ROUNDS_H

#include "reveal/prove/order_plan.h"

/* Asks the calls of a plan. *holds is false once a result is not what the tree gives: then the
 * order is another one, or its additions do not round as they are taken to. */
enum accord_status accordi_order_prove(accordi_asker *asker, const accord_tree *tree,
                                       accordi_order_proof *proof, bool *holds);

#endif
