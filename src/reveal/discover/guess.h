/* Guessing an order and verifying it. Internal; see guess.c and verify.c. */
#ifndef ACCORDI_GUESS_H
#define ACCORDI_GUESS_H

#include "reveal/nonnegative/nonnegative.h"

/* Tries to guess the order. *out is NULL when no guess held (that is no error). */
enum accord_status accordi_guess(accordi_asker *asker, accord_tree **out);

/* Are the first three terms added in one node, of more than 100 that can be counted? Asked only
 * where a proof follows. */
bool accordi_begins_fused(accordi_asker *asker);
/* The same for orders with fused nodes, whose terms come in runs (guess_fused.c), and only where a
 * proof follows. `find` finds the order of some terms. */
typedef enum accord_status accordi_find(accordi_asker *asker, accord_tree **out);
enum accord_status accordi_guess_fused(accordi_asker *asker, accordi_find *find, accord_tree **out);

/* The same for terms that cannot be negative (guess_positive.c), after their calibration, and only
 * where a proof follows. */
enum accord_status accordi_guess_positive(accordi_positive_asker *p, accord_tree **out);

/* The same for terms that may be negative, where sums of units cannot be counted, as in the mean of
 * a narrow format. */
enum accord_status accordi_guess_by_rounding(accordi_asker *asker, accord_tree **out);

/* Does the target add along this binary tree? Packed triples: a wrong order passes with small
 * probability only; fused nodes may pass for binary ones. Few probes; of very many terms a random
 * sample is verified. *holds is false where accordi_verify_levels has no room for a triple. */
enum accord_status accordi_verify(accordi_asker *asker, const accord_tree *tree, bool *holds);

/* How many nested triples fit between the greatest mask and the least unit. */
int accordi_verify_levels(const accordi_asker *asker);

#endif
