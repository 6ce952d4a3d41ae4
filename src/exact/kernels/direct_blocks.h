/* Short sums and dots in integers of 128 bits, one for each block of 64 exponents. A template:
 * include isa_SET.h first.
 *
 * In: contiguous terms, or factors of products. Out: their exact sum in blocks.
 *
 * Idea: what makes an accumulator slow for a few terms is clearing it, looking through it, and the
 * calls on the way. A term m * 2^(e - 1075), m < 2^53, belongs to block e >> 6, and m << (e & 63)
 * has at most 116 bits: a thousand terms are added to blocks without a carry from one to the next,
 * with one addition of 128 bits each, whatever their exponents. What is added is computed for all
 * lanes at once. There are 32 blocks, and a word with a bit for each that was used, so that only
 * these are read at the end (direct/digits.h). Terms and products of f32 are f64; a product of f64
 * is two terms, p = x y rounded and its error, which is exact if |p| >= 2^-960.
 *
 * Bound: ACCORDI_EXACT_BLOCKS_TERMS terms keep a block, with the carry from below, within 2^127. */
#ifndef ACCORDI_EXACT_DIRECT_BLOCKS_H
#define ACCORDI_EXACT_DIRECT_BLOCKS_H

#include "exact/kernels/direct_folds.h"
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

/* Products that may have lost their error: those below 2^-960 that have no factor zero. */
ISA_OP words blocks_lost(vec x, vec y, vec p)
{
    words size = w_shr(w_shl(w_of(p), 1), 1);
    words zero = w_or(w_zero(w_shl(w_of(x), 1)), w_zero(w_shl(w_of(y), 1)));
    words small = w_shr(w_sub(size, w_splat((int64_t)(1023 - 960) << 52)), 63);
    return w_and(small, w_add(zero, w_splat(1)));
}

/* Returns which lanes cannot be added. */
ISA_OP words blocks_add_some(blocks *b, bool narrow, bool product, const void *x, const void *y,
                             int count)
{
    if (!narrow && !product) {
        blocks_add(b, count < LANES ? w_load_some(x, (size_t)count) : w_load(x), count);
        return w_splat(0);
    }
    vec v = short_load(narrow, x, 0), w = product ? short_load(narrow, y, 0) : v;
    vec p = product ? v_mul(v, w) : v;
    blocks_add(b, w_of(p), count);
    if (narrow)
        return w_splat(0);
    blocks_add(b, w_of(v_fms(v, w, p)), count);
    return blocks_lost(v, w, p);
}

ISA_OP bool blocks_run(bool narrow, bool product, size_t n, const void *x, const void *y,
                       accordi_exact_integer *sum, uint64_t *used)
{
    const size_t size = narrow ? sizeof(float) : sizeof(double);
    blocks b = {.sum = sum};
    blocks_clear(&b);
    words lost = w_splat(0);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        lost = w_or(lost, blocks_add_some(&b, narrow, product, (const char *)x + i * size,
                                          product ? (const char *)y + i * size : NULL, LANES));
    if (i < n) {
        const void *last_x = (const char *)x + i * size, *last_y = y;
        double rest[2][LANES] = {{0}}; /* zeros of either format */
        if (narrow || product)
            last_x = memcpy(rest[0], last_x, (n - i) * size);
        if (product)
            last_y = memcpy(rest[1], (const char *)y + i * size, (n - i) * size);
        lost = w_or(lost, blocks_add_some(&b, narrow, product, last_x, last_y, (int)(n - i)));
    }
    uint64_t lane[LANES];
    w_store(lane, b.used);
    *used = 0;
    for (int l = 0; l < LANES; l++)
        *used |= lane[l];
    return !w_any(w_or(lost, w_shr(w_add(b.most, w_splat(1)), 11)));
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
