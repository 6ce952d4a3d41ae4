/* Rounds a sum that is held in blocks of 64 exponents (kernels/direct_blocks.h): carries go upwards
 * once, which leaves digits of 64 bits in two's complement, of which the two on top and a word on
 * the rest are enough. Internal. */
#ifndef ACCORDI_EXACT_DIRECT_DIGITS_H
#define ACCORDI_EXACT_DIRECT_DIGITS_H

#include "exact/direct/round.h"

/* The sum in blocks: those that `used` has a bit for. The others count as 0 and may never have been
 * written. */
typedef struct blocks_sum {
    const accordi_exact_integer *block;
    uint64_t used;
} blocks_sum;

INLINE int128 block_value(blocks_sum b, int i)
{
    uint64_t mask = -(b.used >> i & 1);
    return (int128)((uint128)(b.block[i][1] & mask) << 64 | (b.block[i][0] & mask));
}

/* `used` without the blocks in which terms have cancelled. A wide range of terms has many blocks,
 * few terms use few of them. */
INLINE uint64_t blocks_in_use(const accordi_exact_integer *block, uint64_t used)
{
    uint64_t left = 0;
    for (uint64_t rest = used; rest; rest &= rest - 1) {
        int i = __builtin_ctzll(rest);
        left |= (uint64_t)((block[i][0] | block[i][1]) != 0) << i;
    }
    return left;
}

/* Digits first … last, in two's complement; the first is not zero. */
typedef struct digits {
    uint64_t digit[ACCORDI_EXACT_BLOCKS + 1], sign; /* 0, or all ones */
    int first, last;
} digits;

/* The digits of the blocks first … last; false if all are zeros. */
INLINE bool carry_blocks(blocks_sum b, int first, int last, digits *d)
{
    int128 carry = 0;
    uint64_t any = 0;
    for (int i = first; i <= last; i++) {
        carry += block_value(b, i);
        d->digit[i] = (uint64_t)carry;
        any |= (uint64_t)carry;
        carry >>= 64;
    }
    d->digit[last + 1] = (uint64_t)carry;
    d->sign = (uint64_t)(carry >> 64);
    d->first = first;
    d->last = last + 1;
    if (!(any | (uint64_t)carry))
        return false;
    while (!d->digit[d->first])
        d->first++;
    return true;
}

/* A digit of the magnitude: the complement, and 1 more at the first. */
INLINE uint64_t magnitude_digit(const digits *d, int i)
{
    return i < d->first ? 0 : (d->digit[i] ^ d->sign) + (i == d->first && d->sign);
}

INLINE uint64_t round_digits(layout l, const digits *d, enum accord_exact_rounding rounding)
{
    int top = d->last;
    while (!magnitude_digit(d, top))
        top--;
    uint64_t high = magnitude_digit(d, top), low = magnitude_digit(d, top - 1);
    int zeros = __builtin_clzll(high), e = 64 * top + 63 - zeros + ACCORDI_EXACT_BLOCKS_UNIT;
    uint128 both = shift_left((uint128)high << 64 | low, zeros);
    accordi_lead lead = {(uint64_t)(both >> 64), e, (uint64_t)both || d->first < top - 1, d->sign};
    const int deep = deep_of(l, e), cut = 63 - l.fraction + deep;
    if (cut > 63 || e > bias_of(l))
        return accordi_exact_round_lead(lead, l.format, rounding);
    uint64_t kept = lead.bits >> cut, half = (uint64_t)1 << (cut - 1);
    kept += accordi_steps_away(rounding, lead.negative, kept & 1, (lead.bits & half) != 0,
                               lead.more || (lead.bits & (half - 1)));
    return ((uint64_t)(e + deep + bias_of(l) - 1) << l.fraction) + kept +
           ((uint64_t)lead.negative << (l.fraction + l.exponent));
}

/* Most sums of three blocks or more are settled by those on top: the blocks below come to more than
 * -1 and less than 1 of the units to which the third is cut, and so do the bits that are cut. */
INLINE bool round_top_blocks(layout l, blocks_sum b, int last, enum accord_exact_rounding rounding,
                             uint64_t *out)
{
    int128 below = block_value(b, last - 1);
    int128 high = block_value(b, last) + (below >> 64);
    int128 next = (int128)(uint64_t)below + (block_value(b, last - 2) >> 64);
    if (!high)
        return false;
    int shift = leading_zeros(high < 0 ? -high : high) - 2;
    shift = shift < 64 ? shift : 64;
    int128 sum = (int128)((uint128)high << shift) + (next >> (64 - shift));
    return round_interval(l, (interval){sum - 1, 3, 64 * last + ACCORDI_EXACT_BLOCKS_UNIT - shift},
                          rounding, out);
}

/* The pattern of a sum; `used` has a bit for each block that may differ from 0, and is not 0. A
 * zero is of terms that cancel. */
INLINE uint64_t round_blocks(layout l, const accordi_exact_integer *block, uint64_t used,
                             enum accord_exact_rounding rounding)
{
    blocks_sum b = {block, used};
    int first = __builtin_ctzll(used), last = 63 - __builtin_clzll(used);
    uint64_t bits;
    digits d;
    if (last - first >= 2 && round_top_blocks(l, b, last, rounding, &bits))
        return bits;
    b.used = blocks_in_use(block, used);
    if (b.used) {
        first = __builtin_ctzll(b.used);
        int top = 63 - __builtin_clzll(b.used);
        if (top != last && top - first >= 2 && round_top_blocks(l, b, top, rounding, &bits))
            return bits;
        if (carry_blocks(b, first, top, &d))
            return round_digits(l, &d, rounding);
    }
    return (uint64_t)(rounding == ACCORD_EXACT_DOWN) << (l.fraction + l.exponent);
}

#endif
