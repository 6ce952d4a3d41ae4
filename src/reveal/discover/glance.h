/* Counts of some pairs of terms, which tell whether an order is worth verifying. Internal. */
#ifndef ACCORDI_GLANCE_H
#define ACCORDI_GLANCE_H

#include "pattern/orders.h"
#include "reveal/probes/ask.h"

enum { ACCORDI_GLANCE_PAIRS = 4 };

/* Counts of some pairs: the units outside of the least clade with both. The last pair is half of
 * all terms apart. */
typedef struct accordi_glance {
    uint32_t pair[ACCORDI_GLANCE_PAIRS][2];
    uint64_t units[ACCORDI_GLANCE_PAIRS];
} accordi_glance;
enum accord_status accordi_glance_take(accordi_asker *asker, accordi_glance *g);

/* An order to be compared with counts: a tree, or one that the number of terms determines, which
 * costs no tree where it is not the one. */
typedef struct accordi_plain_order {
    accordi_order_maker *make;
    accordi_order_cut *cut;
} accordi_plain_order;
typedef struct accordi_candidate {
    const accord_tree *tree;
    const accordi_plain_order *plain;
} accordi_candidate;

/* How many terms of an order may be elsewhere: none, one, or some; the latter are what may be worth
 * mending if nothing else is. */
enum accordi_nearness { ACCORDI_THE_SAME, ACCORDI_ONE_ELSEWHERE, ACCORDI_SOME_ELSEWHERE };
uint32_t accordi_terms_elsewhere(const accordi_asker *asker, enum accordi_nearness near);

/* Does an order agree with counts? If some terms may be elsewhere, more counts are asked for. */
bool accordi_glance_near(accordi_asker *asker, accordi_candidate c, const accordi_glance *g,
                         enum accordi_nearness near);
/* Does it agree with those of other pairs, but for so many terms? This tells orders from each other
 * that are alike. */
bool accordi_glance_again(accordi_asker *asker, accordi_candidate c, uint32_t but_for);

#endif
