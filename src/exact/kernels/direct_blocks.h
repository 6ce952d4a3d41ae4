/* Short sums and dots in integers of 128 bits, one for each block of 64 exponents. A template:
 * include isa_SET.h first.
 *
 * In: contiguous terms, or factors of products. Out: their exact sum in blocks.
 *
 * Idea: an accumulator is slow for a few terms because of clearing it, looking through it, and the
 * calls on the way. A term m * 2^(e - 1075), m < 2^53, belongs to slot e >> 5, and m << (e & 31)
 * has at most 84 bits. The lower 32 of them and the upper 52 are added to the two words of the
 * slot, at once and without a carry, whatever the exponents. All lanes compute what they add
 * together. Two slots make a block at the end. There are 32 blocks for numbers, others below them
 * for products, and a word with a bit for each that was used, so that only those between are read
 * (direct/digits.h). Terms and products of f32 are f64; a product of f64 is two terms, p = x y
 * rounded and its error, which is exact if |p| >= 2^-960. Factors of smaller products are scaled
 * first.
 *
 * Terms whose exponents lie close are less work in folds (direct_passes.h).
 *
 * Bound: ACCORDI_EXACT_BLOCKS_TERMS terms keep the upper word of a slot within 2^62, and so a
 * block, with the carry from below, within 2^127. */
#ifndef ACCORDI_EXACT_DIRECT_BLOCKS_H
#define ACCORDI_EXACT_DIRECT_BLOCKS_H

#include "exact/direct/pieces.h"
#include "exact/kernels/direct_passes.h"
#include "exact/kernels/kernels.h"

enum {
    SLOTS_BELOW = 2 * ACCORDI_EXACT_BLOCKS_BELOW,
    SLOTS = 2 * ACCORDI_EXACT_BLOCKS,
    BLOCKS_SCALAR = LANES <= 4, /* a few f32, which have few blocks, are faster term by term … */
    BLOCKS_PRODUCTS = 20,       /* … and so are fewer products of f64 */
    BLOCKS_WATCHED = 48, /* terms; to join the blocks of more takes a small part of the time */
};
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

/* w is of no account in sums. *below: which of the blocks below the least f64 are in use; they are
 * cleared once there is something for them. */
ISA_OP void blocks_add_some(blocks *b, words *below, bool narrow, bool product, bool watched, vec v,
                            vec w)
{
    vec p = product ? v_mul(v, w) : v;
    if (product && !narrow) {
        words whole = short_whole(v, w, p), tiny = w_xor(whole, w_splat(-1));
        if (__builtin_expect(w_any(tiny), 0))
            *below = blocks_add_tiny(b->first - SLOTS_BELOW, *below, v, w, tiny);
        v = v_of(w_and(w_of(v), whole));
        p = v_of(w_and(w_of(p), whole));
    }
    blocks_add(b, w_of(p), watched);
    if (product && !narrow)
        blocks_add(b, w_of(v_fms(v, w, p)), watched);
}

ISA_OP void blocks_add_all(blocks *b, words *below, bool narrow, bool product, bool watched,
                           size_t n, const void *x, const void *y)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        blocks_add_some(b, below, narrow, product, watched, short_load(narrow, x, i),
                        short_load(narrow, product ? y : x, i));
    if (i < n)
        blocks_add_some(b, below, narrow, product, watched, short_load_some(narrow, x, i, n - i),
                        short_load_some(narrow, product ? y : x, i, n - i));
}

ISA_OP bool blocks_run(bool narrow, bool product, size_t n, const void *x, const void *y,
                       accordi_exact_integer *sum, uint64_t *used)
{
    if (n >= PASS_FROM && pass_all(narrow, product, n, x, y, sum, used))
        return true;
    if (BLOCKS_SCALAR && narrow && !product && n < PASS_FROM)
        return add_pieces(source_of_sum(f32, n, x, size_of(f32)), sum, used);
    if (BLOCKS_SCALAR && !narrow && product && n < BLOCKS_PRODUCTS)
        return add_pieces((source){f64, true, n, x, y, size_of(f64), size_of(f64)}, sum, used);
    _Alignas(64) slot all[SLOTS];
    words below = w_splat(0);
    blocks b = {all + SLOTS_BELOW, below, below, below};
    short_clear(b.first, SLOTS - SLOTS_BELOW);
    const bool watched = n <= BLOCKS_WATCHED;
    if (watched)
        blocks_add_all(&b, &below, narrow, product, true, n, x, y);
    else
        blocks_add_all(&b, &below, narrow, product, false, n, x, y);
    uint64_t lane[LANES];
    w_store(lane, w_or(w_shl(b.used, ACCORDI_EXACT_BLOCKS_BELOW), below));
    *used = 0;
    for (int l = 0; l < LANES; l++)
        *used |= lane[l];
    if (watched && !short_all_lanes(b.total) && blocks_vanish(all, *used))
        *used &= -*used; /* one is enough to show that terms have cancelled */
    blocks_join(all, *used, sum);
    return !w_any(w_shr(w_add(b.most, w_splat(1)), 11));
}

#define BLOCKS_KERNEL(name_, narrow_, product_)                                                    \
    ISA_FUNCTION static bool blocks_##name_(size_t n, const void *x, const void *y,                \
                                            accordi_exact_integer *sum, uint64_t *used)            \
    {                                                                                              \
        return blocks_run(narrow_, product_, n, x, y, sum, used);                                  \
    }
BLOCKS_KERNEL(sum_f64, false, false)
BLOCKS_KERNEL(sum_f32, true, false)
BLOCKS_KERNEL(dot_f64, false, true)
BLOCKS_KERNEL(dot_f32, true, true)

/* For the table (kernels.h). */
#define BLOCKS_KERNELS                                                                             \
    {                                                                                              \
        {blocks_sum_f64, blocks_sum_f32},                                                          \
        {                                                                                          \
            blocks_dot_f64, blocks_dot_f32                                                         \
        }                                                                                          \
    }

#endif
