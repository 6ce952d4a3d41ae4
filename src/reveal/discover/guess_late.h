/* Orders in which few terms come last. Internal; see guess_late.c. */
#ifndef ACCORDI_GUESS_LATE_H
#define ACCORDI_GUESS_LATE_H

#include "reveal/discover/glance.h"

enum { ACCORDI_MOST_LATE = 4 };

/* Terms that are added to the sum of all others, one after another, in this order. */
typedef struct accordi_late {
    uint32_t count; /* 0: there are none, or too many, or they are added in another way */
    uint32_t term[ACCORDI_MOST_LATE];
    uint32_t *others; /* in ascending order; accordi_late_clear frees them */
} accordi_late;

/* `ends`: also the last or the first terms of the array, which are more likely to be a tail, as
 * other orders have, or the beginning of an order from the last term on. */
enum accord_status accordi_late_find(accordi_asker *asker, bool ends, accordi_late *out);
void accordi_late_clear(accordi_late *late);
/* The order of all terms, of one of the others. */
enum accord_status accordi_late_tree(accordi_asker *asker, const accordi_late *late,
                                     const accord_tree *others, accord_tree **out);

#endif
