/* Which subnormal values a target treats as zero. Internal; see flushing.c. */
#ifndef ACCORDI_FLUSHES_H
#define ACCORDI_FLUSHES_H

#include "reveal/probes/ask.h"

/* Answers: bits of accord_flush for each inner node (or, of one term, for it); `result` is that of
 * the whole. */
typedef struct accordi_flushes {
    unsigned all;   /* what is flushed somewhere */
    uint8_t *node;  /* what is flushed at each node; max(inner, 1) entries */
    uint8_t *asked; /* what was asked there, with an answer */
    uint8_t *kept;  /* what was seen to be kept; of products: rounded or not */
    bool zero_last; /* the last sum is flushed, and then +0 is added to it */
} accordi_flushes;
void accordi_flushes_clear(accordi_flushes *flushes);

/* Does the target give what `how` gives on inputs all of whose operands, products or sums are
 * subnormal? A few calls; where `how` flushes nothing any flushing at any node shows. */
enum accord_status accordi_flushes_agree(accordi_asker *asker, const accord_tree *tree,
                                         const accord_arithmetic *how, bool *agree);

/* Asks node by node (of very large trees: of some nodes) whether x, y, products and sums are
 * flushed, each question in such a way that the others do not touch it. Terms are values or
 * products. The factors of the target are neutral (ask.h). The formats of sums are those of `how`;
 * NULL: what is tiny (model.h) is not asked. */
enum accord_status accordi_flushes_find(accordi_asker *asker, const accord_tree *tree,
                                        const accord_arithmetic *how, accordi_flushes *out);

/* Puts the answers into an arithmetic. */
enum accord_status accordi_flushes_apply(accordi_asker *asker, const accord_tree *tree,
                                         const accordi_flushes *flushes, accord_arithmetic *inout);

/* Does an arithmetic flush what was seen to be flushed at each node, and nothing that was kept? */
bool accordi_flushes_hold(const accord_tree *tree, const accordi_flushes *flushes,
                          const accord_arithmetic *how);

#endif
