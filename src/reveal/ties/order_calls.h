/* The calls of a round: which terms carry masks, which are noise, and which are zero. Internal; see
 * order_calls.c. */
#ifndef ACCORDI_ORDER_CALLS_H
#define ACCORDI_ORDER_CALLS_H

#include "reveal/ties/order_levels.h"

/* Call 0 of a level tests the paths, calls 1 to 3 the blocks beside them. */
enum { ACCORDI_CALLS_A_LEVEL = 4 };

/* An arm whose blocks are tested in a call. */
typedef struct accordi_tested_arm {
    const accordi_arm *arm;
    uint32_t turn; /* of its blocks, those are tested that are this one from the top, modulo 3 */
    bool bare;     /* at its top is the mask that cancels the one of the other arm */
} accordi_tested_arm;

/* Arm i in call 1, 2 or 3. */
accordi_tested_arm accordi_order_tested(const accordi_order_levels *levels, uint32_t i,
                                        uint32_t call);
/* Is block j (from the top) tested? Is it zero, but for a mask? */
static inline bool accordi_order_is_tested(const accordi_order_levels *l,
                                           const accordi_tested_arm *t, uint32_t j)
{
    return j < t->arm->blocks && j % 3 == t->turn && l->block[t->arm->first + j].size > 1;
}
static inline bool accordi_order_is_bare(const accordi_order_levels *l, const accordi_tested_arm *t,
                                         uint32_t j)
{
    return accordi_order_is_tested(l, t, j + 1) || (j == 0 && t->bare);
}
/* The leaf of a block that carries the mask when the block is tested. */
uint32_t accordi_order_inner_leaf(const accordi_order_levels *levels, const accordi_block *block);

/* A term that is a mask: M or, if `minus`, -M, with the odd number of an arm (in call 0) or of a
 * block added to it; NO_NODE: none is. */
typedef struct accordi_order_mask {
    uint32_t term, odd_of;
    bool minus;
} accordi_order_mask;

/* The calls that test anything; how many. Those that need the most rounds come first. */
typedef struct accordi_order_call {
    uint32_t level, call;
    uint32_t blocks; /* that it tests on one arm, at most; 0: it tests the paths */
} accordi_order_call;
/* What a call is there to refute is refuted by this share of its draws at least: 1/8, and more the
 * fewer blocks of an arm it tests (doc/whole-order.md, parts 6 and 7). */
double accordi_order_share(const accordi_order_call *call);
enum { ACCORDI_MOST_CALLS = ACCORDI_MOST_LEVELS * ACCORDI_CALLS_A_LEVEL };
uint32_t accordi_order_list_calls(const accordi_order_levels *levels,
                                  accordi_order_call list[ACCORDI_MOST_CALLS]);

/* The masks of a call. `out` has room for as many as the tree has leaves. Returns how many. */
uint32_t accordi_order_masks(const accordi_order_levels *levels, const accordi_order_call *call,
                             accordi_order_mask *out);

/* Per level and term, a bit for each call: whether the term is noise. The other terms are zero or
 * masks. The caller frees it; NULL without memory, which is then the asker's status. */
uint8_t *accordi_order_noise(accordi_asker *asker, const accordi_order_levels *levels);

#endif
