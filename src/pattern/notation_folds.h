/* Steps that add all of their items up, each a fold of its own. Internal to the notation. */
#ifndef ACCORDI_NOTATION_FOLDS_H
#define ACCORDI_NOTATION_FOLDS_H

#include "pattern/notation.h"

/* Work on `count` items from item[0] on, in place; false if a node is not there. *count becomes
 * how many remain. */
typedef bool accordi_fold(accordi_run *run, const accordi_step *step, uint32_t *item,
                          size_t *count);

/* The fold of a kind of step; NULL where it is none. */
accordi_fold *accordi_fold_of(enum accordi_step_kind kind);

/* A node over these items, or the item itself where it is one; false if it is not there. */
bool accordi_join(accordi_run *run, uint32_t *to, const uint32_t *item, size_t count,
                  uint32_t label);
/* *a becomes the node over *a and b. */
bool accordi_join_two(accordi_run *run, uint32_t *a, uint32_t b, uint32_t label);

#endif
