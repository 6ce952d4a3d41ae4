/* Draws the terms of some rounds, and works out what they sum to.
 *
 * In: the levels of a tree. Out: for every call the terms, and the sum that the tree gives.
 *
 * Idea: a mask M = 3 * 2^(p-2), in units of its last place, at the bottom of an arm makes every
 * addition on the arm a tie with probability 1/2, since the terms of the blocks are multiples of
 * half a unit: 0, 1/2, -1/2, and 1 or -1, with a probability of 1/4 each. Beside the mask a block
 * counts by its exact sum, so what a tree gives follows from sums of the drawn terms alone, which
 * all calls of a round share. In call 0 of a level the masks of two arms cancel at the top of their
 * clade. If the target adds two or more operands at once, this may not show it; calls 1 to 3, which
 * have masks inside blocks, do (order_calls.c). doc/whole-order.md has
 * the proof.
 *
 * Bound: O(n) time a round for all sums together. */
#include "reveal/ties/order_ties.h"

/* Numbers that are drawn, each with the same probability: 2^bits of them. */
typedef struct urn {
    signed char number[8];
    int bits;
} urn;
static const urn noise = {{0, 0, 1, 1, -1, -1, 2, -2}, 3}, odd = {{0, 0, 1, -1}, 2};

/* What four of them are, by the bits that choose them. */
static void list_fours(const urn *u, signed char four[][4])
{
    const unsigned fours = 1u << 4 * u->bits, one = (1u << u->bits) - 1;
    for (unsigned i = 0; i < fours; i++)
        for (int k = 0; k < 4; k++)
            four[i][k] = u->number[i >> k * u->bits & one];
}

enum accord_status accordi_ties_init(accordi_asker *asker, const accordi_order_levels *levels,
                                     bool blocks, accordi_ties *out)
{
    size_t n = levels->layout->tree->leaves, arms = levels->arm_of[levels->levels];
    *out = (accordi_ties){
        .levels = levels,
        .half = accordi_ask_alloc(asker, n, sizeof *out->half),
        .before = accordi_ask_alloc(asker, n + 1, sizeof *out->before),
        .odd = accordi_ask_alloc(asker, arms, sizeof *out->odd),
        .more = blocks ? accordi_ask_alloc(asker, n, sizeof *out->more) : NULL,
    };
    list_fours(&noise, out->noises);
    list_fours(&odd, out->odds);
    if (asker->status)
        accordi_ties_clear(out);
    return asker->status;
}

void accordi_ties_clear(accordi_ties *ties)
{
    free(ties->half);
    free(ties->before);
    free(ties->odd);
    free(ties->more);
    *ties = (accordi_ties){0};
}

/* ---- drawing ---- */

/* Draws `count` times four numbers. */
static void draw(signed char (*out)[4], size_t count, const urn *u, const signed char four[][4],
                 accordi_rng *rng)
{
    const int bits = 4 * u->bits, a_word = 64 / bits;
    const unsigned last = (1u << bits) - 1;
    for (size_t i = 0; i < count;) {
        uint64_t word = accordi_rng_next(rng);
        size_t end = count - i < (size_t)a_word ? count : i + (size_t)a_word;
        for (; i < end; i++, word >>= bits)
            memcpy(out[i], four[word & last], 4);
    }
}

static accordi_four_rounds widened(const signed char numbers[ACCORDI_TIES])
{
    typedef signed char four_bytes __attribute__((vector_size(ACCORDI_TIES)));
    four_bytes bytes;
    memcpy(&bytes, numbers, sizeof bytes);
    return __builtin_convertvector(bytes, accordi_four_rounds);
}

void accordi_ties_add_up(accordi_ties *ties)
{
    const accordi_layout *l = ties->levels->layout;
    accordi_four_rounds sum = {0};
    for (uint32_t i = 0; i < l->tree->leaves; i++) {
        ties->before[i] = sum;
        sum += widened(ties->half[l->leaf[i]]);
    }
    ties->before[l->tree->leaves] = sum;
}

void accordi_ties_draw(accordi_ties *ties, accordi_rng *rng)
{
    size_t n = ties->levels->layout->tree->leaves;
    draw(ties->half, n, &noise, ties->noises, rng);
    draw(ties->odd, ties->levels->arm_of[ties->levels->levels], &odd, ties->odds, rng);
    if (ties->more)
        draw(ties->more, n, &odd, ties->odds, rng);
    accordi_ties_add_up(ties);
}

/* ---- sums ---- */

/* A sum that is worked out. */
typedef struct climber {
    const accordi_ties *ties;
    const accordi_order_levels *levels;
    bool watched; /* whether the greatest magnitude is wanted */
    accordi_four_rounds greatest;
} climber;

static accordi_four_rounds sum_of(const climber *c, const accordi_block *block)
{
    return c->ties->before[block->at + block->size] - c->ties->before[block->at];
}

/* Units beside a mask and half units, rounded to whole units. */
static inline accordi_four_rounds add_ties(climber *c, accordi_four_rounds units,
                                           accordi_four_rounds half)
{
    if (c->watched) {
        accordi_four_rounds sum = 2 * units + half, sign = sum >> 31,
                            magnitude = (sum ^ sign) - sign, more = magnitude > c->greatest;
        c->greatest = (magnitude & more) | (c->greatest & ~more);
    }
    units += half >> 1;
    return units + (units & half & 1);
}

/* The units beside the mask at the top of an arm whose bottom has `units` of them. */
static accordi_four_rounds climb(climber *c, const accordi_arm *arm, accordi_four_rounds units)
{
    const accordi_block *block = c->levels->block + arm->first;
    for (uint32_t j = arm->blocks; j-- > 0;)
        units = add_ties(c, units, sum_of(c, &block[j]));
    return units;
}

/* The exact sum of what an arm adds to its mask. */
static accordi_four_rounds sum_of_arm(const climber *c, const accordi_arm *arm)
{
    const accordi_block *block = c->levels->block + arm->first;
    accordi_four_rounds sum = {0};
    for (uint32_t j = 0; j < arm->blocks; j++)
        sum += sum_of(c, &block[j]);
    return sum;
}

/* The units beside the mask at the top of a block that is tested. */
static accordi_four_rounds climb_block(climber *c, uint32_t nth)
{
    const accordi_order_levels *l = c->levels;
    const accordi_block *block = &l->block[nth];
    accordi_four_rounds units = widened(c->ties->more[nth]);
    accordi_four_rounds rest =
        sum_of(c, block) - widened(c->ties->half[accordi_order_inner_leaf(l, block)]);
    if (block->size > 2) {
        units = climb(c, &l->arm[block->inside], units);
        rest -= sum_of_arm(c, &l->arm[block->inside]);
    }
    return add_ties(c, units, rest);
}

static accordi_four_rounds due_of_arm(climber *c, const accordi_tested_arm *t)
{
    const accordi_order_levels *l = c->levels;
    const accordi_four_rounds none = {0};
    accordi_four_rounds half =
        t->bare && t->arm->blocks == 0 ? none : widened(c->ties->half[t->arm->bottom]);
    for (uint32_t j = t->arm->blocks; j-- > 0;) {
        uint32_t nth = t->arm->first + j;
        if (accordi_order_is_tested(l, t, j))
            half = 2 * add_ties(c, climb_block(c, nth), half);
        else if (j == 0 && t->bare)
            half = 2 * add_ties(c, none, half);
        else if (!accordi_order_is_bare(l, t, j))
            half += sum_of(c, &l->block[nth]);
    }
    return half;
}

accordi_four_rounds accordi_ties_due(const accordi_ties *ties, const accordi_order_call *call,
                                     accordi_four_rounds *greatest)
{
    const accordi_order_levels *l = ties->levels;
    climber c = {.ties = ties, .levels = l, .watched = greatest != NULL};
    accordi_four_rounds half = {0};
    if (greatest)
        c.greatest = *greatest;
    for (uint32_t i = l->arm_of[call->level]; i < l->arm_of[call->level + 1]; i++) {
        if (call->call == 0) {
            half += 2 * climb(&c, &l->arm[i], widened(ties->odd[i]));
        } else {
            const accordi_tested_arm t = accordi_order_tested(l, i, call->call);
            half += due_of_arm(&c, &t);
        }
    }
    if (greatest)
        *greatest = c.greatest;
    return half;
}
