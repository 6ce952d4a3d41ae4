/* Says which terms of a call are masks, noise and zeros.
 *
 * Call 0 of a level has M at the bottom of one arm of each clade, and -M at that of the other; the
 * blocks of the arms are noise. Of the other three, each tests every third block of an arm, if it
 * has two leaves or more: M is inside the block, the rest of which is noise, as is the block below;
 * the block above is zero but for -M, which cancels M once the block has been added. For the
 * topmost block of an arm, -M is at the top of the other arm of the clade: so the two arms take
 * different turns, except in the call that tests neither topmost block. */
#include "reveal/ties/order_calls.h"
#include <math.h>

accordi_tested_arm accordi_order_tested(const accordi_order_levels *l, uint32_t i, uint32_t call)
{
    uint32_t first = call - 1, second = 3 - call, side = i % 2;
    accordi_tested_arm t = {&l->arm[i], side ? second : first, false};
    const accordi_tested_arm other = {&l->arm[i ^ 1], side ? first : second, false};
    t.bare = accordi_order_is_tested(l, &other, 0);
    return t;
}

uint32_t accordi_order_inner_leaf(const accordi_order_levels *l, const accordi_block *block)
{
    return block->size > 2 ? l->arm[block->inside].bottom : l->layout->leaf[block->at];
}

/* The most blocks of an arm that a call of blocks tests. */
static uint32_t most_tested(const accordi_order_levels *l, uint32_t level, uint32_t call)
{
    uint32_t most = 0;
    for (uint32_t i = l->arm_of[level]; i < l->arm_of[level + 1]; i++) {
        const accordi_tested_arm t = accordi_order_tested(l, i, call);
        uint32_t tested = 0;
        for (uint32_t j = t.turn; j < t.arm->blocks; j += 3)
            tested += accordi_order_is_tested(l, &t, j);
        most = tested > most ? tested : most;
    }
    return most;
}

double accordi_order_share(const accordi_order_call *call)
{
    return 0.125 + (call->blocks ? pow(0.5, 2.0 + call->blocks) : 0);
}

static int by_rounds(const void *a, const void *b)
{
    const accordi_order_call *x = a, *y = b;
    uint32_t first = x->blocks - 1, second = y->blocks - 1; /* paths are the most */
    if (first != second)
        return first < second ? 1 : -1;
    uint32_t nth = x->level * ACCORDI_CALLS_A_LEVEL + x->call;
    return nth < y->level * ACCORDI_CALLS_A_LEVEL + y->call ? -1 : 1;
}

uint32_t accordi_order_list_calls(const accordi_order_levels *l,
                                  accordi_order_call list[ACCORDI_MOST_CALLS])
{
    uint32_t count = 0;
    for (uint32_t level = 0; level < l->levels; level++)
        for (uint32_t call = 0; call < ACCORDI_CALLS_A_LEVEL; call++) {
            uint32_t blocks = call ? most_tested(l, level, call) : 0;
            if (call == 0 || blocks)
                list[count++] = (accordi_order_call){level, call, blocks};
        }
    qsort(list, count, sizeof *list, by_rounds);
    return count;
}

/* ---- noise ---- */

static void set_arm(const accordi_order_levels *l, uint32_t i, uint8_t *noise)
{
    const accordi_tested_arm t[3] = {accordi_order_tested(l, i, 1), accordi_order_tested(l, i, 2),
                                     accordi_order_tested(l, i, 3)};
    const accordi_arm *arm = &l->arm[i];
    uint8_t bottom = 0;
    for (uint32_t call = 1; call <= 3; call++)
        bottom |= (uint8_t)((!t[call - 1].bare || arm->blocks) << call);
    noise[arm->bottom] = bottom;
    for (uint32_t j = 0; j < arm->blocks; j++) {
        const accordi_block *block = &l->block[arm->first + j];
        uint8_t bits = 1, masked = 0;
        for (uint32_t call = 1; call <= 3; call++) {
            bits |= (uint8_t)(!accordi_order_is_bare(l, &t[call - 1], j) << call);
            masked |= (uint8_t)(accordi_order_is_tested(l, &t[call - 1], j) << call);
        }
        for (uint32_t k = 0; k < block->size; k++)
            noise[l->layout->leaf[block->at + k]] = bits;
        if (masked)
            noise[accordi_order_inner_leaf(l, block)] &= (uint8_t)~masked;
    }
}

uint8_t *accordi_order_noise(accordi_asker *asker, const accordi_order_levels *l)
{
    size_t n = l->layout->tree->leaves;
    uint8_t *noise = accordi_ask_calloc(asker, l->levels * n, 1);
    for (uint32_t level = 0; noise && level < l->levels; level++)
        for (uint32_t i = l->arm_of[level]; i < l->arm_of[level + 1]; i++)
            set_arm(l, i, noise + level * n);
    return noise;
}

/* ---- masks ---- */

static uint32_t list_arm(const accordi_order_levels *l, const accordi_tested_arm *t,
                         accordi_order_mask *out)
{
    const uint32_t none = ACCORD_TREE_NO_NODE;
    uint32_t count = 0;
    if (t->bare && t->arm->blocks == 0)
        out[count++] = (accordi_order_mask){t->arm->bottom, none, true};
    for (uint32_t j = 0; j < t->arm->blocks; j++) {
        uint32_t nth = t->arm->first + j;
        const accordi_block *block = &l->block[nth];
        if (accordi_order_is_tested(l, t, j))
            out[count++] = (accordi_order_mask){accordi_order_inner_leaf(l, block), nth, false};
        else if (accordi_order_is_bare(l, t, j))
            out[count++] = (accordi_order_mask){l->layout->leaf[block->at], none, true};
    }
    return count;
}

uint32_t accordi_order_masks(const accordi_order_levels *l, const accordi_order_call *call,
                             accordi_order_mask *out)
{
    uint32_t count = 0;
    for (uint32_t i = l->arm_of[call->level]; i < l->arm_of[call->level + 1]; i++) {
        if (call->call == 0) {
            out[count++] = (accordi_order_mask){l->arm[i].bottom, i, i % 2 == 1};
        } else {
            const accordi_tested_arm t = accordi_order_tested(l, i, call->call);
            count += list_arm(l, &t, out + count);
        }
    }
    return count;
}
