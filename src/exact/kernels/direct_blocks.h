/* Short sums of f64 in integers of 128 bits, one for each block of 64 exponents. A template:
 * include isa_SET.h first.
 *
 * In: contiguous terms. Out: their exact sum in blocks.
 *
 * Idea: what makes an accumulator slow for a few terms is clearing it, looking through it, and the
 * calls on the way. A term m * 2^(e - 1075), m < 2^53, belongs to block e >> 6, and m << (e & 63)
 * has at most 116 bits: a thousand terms are added to blocks without a carry from one to the next,
 * with one addition of 128 bits each, whatever their exponents. What is added is computed for all
 * lanes at once. There are 32 blocks, and a word with a bit for each that was used, so that only
 * these are read at the end (direct/digits.h).
 *
 * Bound: n <= ACCORDI_EXACT_BLOCKS_TERMS keeps a block, with the carry from below, within 2^127.
 * Integers alone: any floating-point environment will do. */
#ifndef ACCORDI_EXACT_DIRECT_BLOCKS_H
#define ACCORDI_EXACT_DIRECT_BLOCKS_H

#include "exact/kernels/kernels.h"
#include "exact/kernels/unroll.h"

/* What has been added; in every lane the numbers of blocks as bits, and the greatest exponent. */
typedef struct blocks {
    accordi_exact_integer *sum;
    words used, most;
} blocks;

static inline __attribute__((always_inline)) void add_to_block(uint64_t *half, uint64_t low,
                                                               uint64_t high)
{
#if defined __x86_64__ && defined __GNUC__ /* from C, gcc would load, add and store each half */
    __asm__("addq %2, %0\n\tadcq %3, %1"
            : "+m"(half[0]), "+m"(half[1])
            : "r"(low), "r"(high)
            : "cc");
#else
    uint128 sum = ((uint128)half[1] << 64 | half[0]) + ((uint128)high << 64 | low);
    half[0] = (uint64_t)sum;
    half[1] = (uint64_t)(sum >> 64);
#endif
}

ISA_OP void blocks_clear(blocks *b)
{
    words zero = w_opaque(w_splat(0)); /* or gcc would clear by rep stos, which starts slowly */
    UNROLL for (int i = 0; i < ACCORDI_EXACT_BLOCKS; i += LANES / 2)
    {
        w_store(b->sum + i, zero);
    }
    b->used = b->most = zero;
}

/* The first `count` lanes; the others are zeros. Zeros and subnormals have the exponent 1, as the
 * least normal numbers have. */
ISA_OP void blocks_add(blocks *b, words bits, int count)
{
    const words one = w_splat(1), low_six = w_splat(63);
    words field = w_and(w_shr(bits, 52), w_splat(2047)), e = w_max32(field, one);
    words m = w_or(w_and(bits, w_splat(((int64_t)1 << 52) - 1)), w_shl(w_min32(field, one), 52));
    words place = w_and(e, low_six), number = w_shr(e, 6),
          sign = w_sub(w_splat(0), w_shr(bits, 63));
    words low = w_shl_each(m, place), high = w_shr_each(w_shr(m, 1), w_xor(place, low_six));
    b->most = w_max32(b->most, field);
    b->used = w_or(b->used, w_shl_each(w_add(one, w_zero(m)), number));
    /* -v: ~v and 1, whose carry reaches the upper half if the lower one is zero */
    high = w_sub(w_xor(high, sign), w_and(sign, w_zero(low)));
    low = w_sub(w_xor(low, sign), sign);
    uint64_t lows[LANES], highs[LANES], numbers[LANES];
    w_store(lows, low);
    w_store(highs, high);
    w_store(numbers, number);
    for (int i = 0; i < count; i++)
        add_to_block(b->sum[numbers[i]], lows[i], highs[i]);
}

ISA_FUNCTION static bool short_blocks(size_t n, const double *x, accordi_exact_integer *sum,
                                      uint64_t *used)
{
    blocks b = {.sum = sum};
    blocks_clear(&b);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        blocks_add(&b, w_load(x + i), LANES);
    if (i < n)
        blocks_add(&b, w_load_some(x + i, n - i), (int)(n - i));
    uint64_t lane[LANES];
    w_store(lane, b.used);
    *used = 0;
    for (int l = 0; l < LANES; l++)
        *used |= lane[l];
    return !w_any(w_shr(w_add(b.most, w_splat(1)), 11));
}

#endif
