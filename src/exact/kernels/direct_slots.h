/* Integers of 128 bits, one for each block of 64 exponents, in slots of 32: a vector of terms at a
 * time. A template: include isa_SET.h first.
 *
 * Idea: an accumulator is slow for a few terms because of clearing it, looking through it, and the
 * calls on the way. A term m * 2^(e - 1075), m < 2^53, belongs to slot e >> 5, and m << (e & 31)
 * has at most 84 bits. The lower 32 of them and the upper 52 are added to the two words of the
 * slot, at once and without a carry, whatever the exponents. All lanes compute what they add
 * together. Two slots make a block at the end. There are 32 blocks for numbers, others below them
 * for products, and a word with a bit for each that was used, so that only those between are read
 * (direct/digits.h).
 *
 * Bound: ACCORDI_EXACT_BLOCKS_TERMS terms keep the upper word of a slot within 2^62, and so a
 * block, with the carry from below, within 2^127. */
#ifndef ACCORDI_EXACT_DIRECT_SLOTS_H
#define ACCORDI_EXACT_DIRECT_SLOTS_H

#include "exact/direct/pieces.h"
#include "exact/kernels/direct_passes.h"

enum { SLOTS_BELOW = 2 * ACCORDI_EXACT_BLOCKS_BELOW, SLOTS = 2 * ACCORDI_EXACT_BLOCKS };
typedef int64_t slot[2]; /* the first counts units that are 2^32 times smaller */

/* What has been added; in every lane the numbers of blocks as bits, the greatest exponent, and the
 * sum of all words that were added, wherever, if it is watched: of all lanes it is 0 where the
 * terms have cancelled. */
typedef struct blocks {
    slot *first;
    words used, most, total;
} blocks;

/* Zeros and subnormals have the exponent 1, as the least normal numbers have. */
ISA_OP void blocks_add(blocks *b, words bits, bool watched)
{
    const words one = w_splat(1), low_five = w_splat(31), half = w_splat(0xffffffff);
    words field = w_and(w_shr(bits, 52), w_splat(2047)), e = w_max32(field, one);
    words m = w_or(w_and(bits, w_splat(((int64_t)1 << 52) - 1)), w_shl(w_min32(field, one), 52));
    words at = w_and(e, low_five), place = w_shl(w_shr(e, 5), 1),
          sign = w_sub(w_splat(0), w_shr(bits, 63));
    words low = w_and(w_shl_each(m, at), half), high = w_shr_each(w_shr(m, 1), w_xor(at, low_five));
    b->most = w_max32(b->most, field);
    b->used = w_or(b->used, w_shl_each(w_add(one, w_zero(m)), w_shr(e, 6)));
    low = w_sub(w_xor(low, sign), sign);
    high = w_sub(w_xor(high, sign), sign);
    if (watched)
        b->total = w_add(b->total, w_add(low, high));
    w_add_pairs(b->first[0], place, low, high);
}

/* Adds those products that are below 2^-960 in size; `which` says which lanes they are in. Both
 * factors are made greater by 2^640, which cannot overflow, and what has been added counts from a
 * lower block. What has been used of these blocks comes in and goes out. */
ISA_FUNCTION static __attribute__((noinline)) words blocks_add_tiny(slot *all, words used, vec v,
                                                                    vec w, words which)
{
    const vec greater = v_splat(0x1p640);
    blocks below = {all, used, used, used};
    if (!w_any(used))
        short_clear(all, SLOTS_BELOW);
    v = v_mul(v_of(w_and(w_of(v), which)), greater);
    w = v_mul(v_of(w_and(w_of(w), which)), greater);
    vec p = v_mul(v, w);
    blocks_add(&below, w_of(p), false);
    blocks_add(&below, w_of(v_fms(v, w, p)), false);
    return below.used;
}

/* The blocks that were used, of two slots each. */
ISA_OP void blocks_join(const slot *all, uint64_t used, accordi_exact_integer *sum)
{
    for (; used; used &= used - 1) {
        int i = __builtin_ctzll(used);
        const int64_t *lower = all[2 * i], *upper = all[2 * i + 1];
        int64_t between = lower[1] + upper[0];
        uint64_t low = (uint64_t)lower[0], high = (uint64_t)((lower[0] >> 63) + upper[1]);
        sum[i][0] = low + ((uint64_t)between << 32);
        sum[i][1] = high + (uint64_t)(between >> 32) + (sum[i][0] < low);
    }
}

/* Whether the terms have cancelled: quicker than to join all blocks. */
ISA_OP bool blocks_vanish(const slot *all, uint64_t used)
{
    int64_t any = 0;
    for (; used; used &= used - 1) {
        const slot *of_block = all + 2 * __builtin_ctzll(used);
        any |= (of_block[0][0] | of_block[0][1]) | (of_block[1][0] | of_block[1][1]);
    }
    return !any;
}

#endif
