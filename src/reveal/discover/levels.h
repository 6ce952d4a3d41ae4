/* Terms by their levels: how many leaves are under the least common ancestor of a term and a pivot.
 * What hangs at one node of the pivot's path has one level. Internal. */
#ifndef ACCORDI_LEVELS_H
#define ACCORDI_LEVELS_H

#include "reveal/probes/ask.h"

typedef struct accordi_levels {
    accordi_asker *asker;
    uint32_t *items; /* all terms; a set is a range of them, and its pivot the first */
    uint32_t *level; /* by term */
    uint64_t *key;   /* by place, for sorting */
} accordi_levels;

/* All terms in ascending order. ACCORD_NOMEM. */
enum accord_status accordi_levels_init(accordi_levels *l, accordi_asker *asker);
void accordi_levels_clear(accordi_levels *l);

/* Puts into the batch, all of whose terms carry units, a probe for each item of a set but its
 * pivot. */
void accordi_levels_put(const accordi_levels *l, uint32_t lo, uint32_t hi);
/* Reads their levels from the results, the first of which is number *probe. */
enum accord_status accordi_levels_read(accordi_levels *l, uint32_t lo, uint32_t hi, size_t *probe);
/* Sorts items[lo … hi) by level, then by term. */
void accordi_levels_sort(accordi_levels *l, uint32_t lo, uint32_t hi);

/* ACCORD_UNABLE: the answers are those of no tree. */
enum accord_status accordi_levels_contradict(accordi_asker *asker);

#endif
