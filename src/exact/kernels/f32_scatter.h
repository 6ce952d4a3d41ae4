/* Sums and dots of f32 of a wide range: every term goes into the bin of its sign and exponent. A
 * template: include isa_SET.h first.
 *
 * In: terms of f32 of any range, or factors. Out: the exact sum of the terms, or of the products,
 * is in the limbs. Products are numbers of f64, and go into the bins of sum_scatter.h.
 *
 * Idea. The upper 9 bits of a pattern, sign and exponent, are the number of one of 512 bins, as in
 * sum_scatter.h. A bin gains the whole pattern and 2^COUNT, so that its upper bits count its terms.
 * From the count follows what the hidden bits and the upper bits of the patterns add up to; the
 * rest is the sum of the fractions. So nothing is masked, and no exponent needs a second look.
 *
 * Bounds. BLOCK patterns below 2^32 stay below 2^COUNT, and BLOCK counts below 2^64. The terms of a
 * block are below 2^24 units of their exponents, so that GROUP exponents are one integer below
 * 2^(24 + 14 + GROUP - 1).
 *
 * Two tables, for terms at even and odd places: additions to one bin would wait for each other.
 * They have 8 KB, and leave the first-level cache to the terms. */
#ifndef ACCORDI_EXACT_F32_SCATTER_H
#define ACCORDI_EXACT_F32_SCATTER_H

#include "exact/kernels/fetch.h"
#include "exact/kernels/kernels.h"
#include "exact/kernels/sum_scatter.h"

enum {
    BINS_FROM = 256, /* terms for which it is worth setting up bins and emptying them */
    BINS_COUNT = 46, /* the bit from which on a bin counts its terms */
    BINS_BLOCK = 1 << (BINS_COUNT - 32), /* terms */
    BINS_SIGN = 256,                     /* bins from here on are those of negative terms */
    BINS_SPECIAL = 255,                  /* infinities and NaN */
    BINS_GROUP = 16,
    BINS_STEP = 16,      /* terms */
    BINS_PRODUCTS = 256, /* at a time, so that they leave the first-level cache to the bins */
};

typedef struct bins_f32 {
    uint64_t table[2][2 * BINS_SIGN];
} bins_f32;

static inline void bins_add(uint64_t *table, uint32_t pattern)
{
    table[pattern >> 23] += ((uint64_t)1 << BINS_COUNT) + pattern;
}

static void bins_terms(bins_f32 *b, size_t n, const float *x)
{
    for (; n >= BINS_STEP; n -= BINS_STEP, x += BINS_STEP) {
        fetch_ahead(x, BINS_STEP * sizeof *x);
        for (size_t i = 0; i < BINS_STEP; i += 2) {
            uint64_t two;
            memcpy(&two, x + i, sizeof two);
            bins_add(b->table[0], (uint32_t)two);
            bins_add(b->table[1], (uint32_t)(two >> 32));
        }
    }
    for (; n; n--, x++) {
        uint32_t one;
        memcpy(&one, x, sizeof one);
        bins_add(b->table[0], one);
    }
}

/* How many terms a bin has, and their sum in units of its exponent. */
typedef struct bin_f32 {
    int64_t terms, sum;
} bin_f32;

static inline bin_f32 bins_look(const bins_f32 *b, unsigned number)
{
    uint64_t both = b->table[0][number] + b->table[1][number], terms = both >> BINS_COUNT;
    uint64_t patterns = both & (((uint64_t)1 << BINS_COUNT) - 1);
    uint64_t hidden = number % BINS_SIGN != 0;
    return (bin_f32){(int64_t)terms, (int64_t)(patterns - terms * ((number - hidden) << 23))};
}

static __attribute__((cold)) void bins_specials(accordi_exact_view sum, size_t n, const float *x)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t one;
        memcpy(&one, x + i, sizeof one);
        if ((one >> 23 & BINS_SPECIAL) == BINS_SPECIAL) {
            accordi_exact_terms_f32(sum, 1, x + i, 1);
            sum.count[ACCORD_EXACT_TERMS]--;
        }
    }
}

/* Subnormal numbers have the unit of the exponent above; zeros are counted where they are alone. */
static int64_t bins_low(accordi_exact_view sum, bin_f32 low, int zeros)
{
    if (!low.sum)
        sum.count[zeros] += low.terms;
    return low.sum;
}

/* At most BINS_BLOCK terms. */
static void bins_block(accordi_exact_view sum, size_t n, const float *x)
{
    bins_f32 b;
    memset(&b, 0, sizeof b);
    bins_terms(&b, n, x);
    sum.count[ACCORD_EXACT_TERMS] += (int64_t)n;
    if (bins_look(&b, BINS_SPECIAL).terms || bins_look(&b, BINS_SIGN + BINS_SPECIAL).terms)
        bins_specials(sum, n, x);
    int64_t low = bins_low(sum, bins_look(&b, 0), ACCORD_EXACT_PLUS_ZEROS) -
                  bins_low(sum, bins_look(&b, BINS_SIGN), ACCORD_EXACT_MINUS_ZEROS);
    for (unsigned first = 1; first < BINS_SPECIAL; first += BINS_GROUP) {
        int64_t total = first == 1 ? low : 0;
        for (unsigned i = 0; i < BINS_GROUP && first + i < BINS_SPECIAL; i++)
            total += (bins_look(&b, first + i).sum - bins_look(&b, BINS_SIGN + first + i).sum) *
                     ((int64_t)1 << i);
        if (total)
            accordi_exact_put_lanes(sum, &total, 1, (int)first - 150);
    }
}

static void bins_sum(accordi_exact_view sum, size_t n, const float *x)
{
    for (size_t count; n; n -= count, x += count) {
        count = n < BINS_BLOCK ? n : BINS_BLOCK;
        bins_block(sum, count, x);
    }
}

/* Products are numbers of f64. */
ISA_FUNCTION static void bins_dot(accordi_exact_view sum, size_t n, const float *x, const float *y)
{
    scatter s;
    double product[BINS_PRODUCTS];
    scatter_open(&s, sum);
    for (size_t count; n; n -= count, x += count, y += count) {
        count = n < BINS_PRODUCTS ? n : BINS_PRODUCTS;
        size_t i = 0;
        for (; i + LANES <= count; i += LANES)
            v_store(product + i, v_mul(v_load_f32(x + i), v_load_f32(y + i)));
        for (; i < count; i++) {
            float a, b;
            memcpy(&a, x + i, sizeof a);
            memcpy(&b, y + i, sizeof b);
            product[i] = (double)a * (double)b;
        }
        scatter_block(&s, count, product);
    }
    scatter_flush(&s);
}

/* y is NULL for sums. */
static __attribute__((noinline)) void bins_run(accordi_exact_view sum, const float *x,
                                               const float *y, size_t n)
{
    if (y)
        bins_dot(sum, n, x, y);
    else
        bins_sum(sum, n, x);
}

#endif
