/* Finds at which nodes zeros are added. Internal; see zero_signs.c. */
#ifndef ACCORDI_ZERO_SIGNS_H
#define ACCORDI_ZERO_SIGNS_H

#include "reveal/probes/ask.h"
#include <accord/model.h>

typedef struct accordi_zero_answers {
    bool signs, numbers;     /* `base` gives the wrong sign of a zero, or a wrong number */
    bool sampled;            /* of so many terms, not every node had its turn */
    accord_arithmetic *made; /* NULL where it gives neither, or where nothing else was found */
} accordi_zero_answers;

/* Asks for sums of products that are zero or too small, of both signs. Where `base` is wrong in the
 * sign of zeros alone, out->made is the arithmetic with zeros added at some nodes, or with sums
 * that start otherwise, that gives all of them. The factors of the target are the user's own
 * (ask.h). Machines, sums of more than two, and terms that are no products are not asked. */
enum accord_status accordi_zero_signs(accordi_asker *asker, const accord_tree *tree,
                                      const accord_arithmetic *base, accordi_zero_answers *out);

#endif
