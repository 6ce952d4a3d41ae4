/* Extending the order of the first terms to all. Internal; see extend.c. */
#ifndef ACCORDI_EXTEND_H
#define ACCORDI_EXTEND_H

#include "pattern/growth.h"
#include "reveal/probes/ask.h"

/* How questions about the first terms are asked (extension.h has what they see). */
typedef struct accordi_extension accordi_extension;
typedef struct accordi_extend_how {
    /* Whether answers are weights of the terms under a node, as masks that cancel count them. */
    bool counts;
    /* Adds the next term onto the node that answers tell, the likely lag tried first. False where
     * they tell none. */
    bool (*ask)(accordi_extension *e, uint32_t likely);
    /* Tests where the last term was added. What is known of it is not asked again. */
    bool (*test)(accordi_extension *e);
    /* Tests what has become of it, and terms from `from` on. */
    bool (*check)(accordi_extension *e, uint32_t from);
    /* Of counts: asks again what was last found to be wrong, about the terms that there are now. */
    bool (*again)(accordi_extension *e);
    /* Of counts: puts the first sum to which that goes back in its place. */
    void (*trace)(accordi_extension *e);
} accordi_extend_how;

extern const accordi_extend_how accordi_extend_by_counts;

/* An order that may be right about most terms: the lags of the first ones, and what a rule then
 * says of the others. */
typedef struct accordi_nearly {
    uint32_t *lag; /* room for all terms */
    uint32_t count;
    accordi_rule rule;
} accordi_nearly;

/* Extends the order of one term or more in `g` as far as it is regular; complete if it then has all
 * of the target's terms. `backwards`: its terms are numbered from the target's last one. `nearly`
 * may be NULL; else it has no terms, and if it then has some, what it says is worth a look. */
enum accord_status accordi_extend(accordi_asker *asker, const accordi_extend_how *how,
                                  void *context, accordi_growth *g, accordi_nearly *nearly,
                                  bool backwards);

#endif
