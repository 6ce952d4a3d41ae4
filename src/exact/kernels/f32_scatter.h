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
#include "exact/kernels/unroll.h"

enum {
    BINS_FROM = 256, /* terms for which it is worth setting up bins and emptying them */
    BINS_COUNT = 46, /* the bit from which on a bin counts its terms */
    BINS_BLOCK = 1 << (BINS_COUNT - 32), /* terms */
    BINS_SIGN = 256,                     /* bins from here on are those of negative terms */
    BINS_SPECIAL = 255,                  /* infinities and NaN */
    BINS_GROUP = 16,
    BINS_STEP = 16, /* terms */
    BINS_RING = 64, /* products between their multiplication and their bin */
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

/* The next products take the place of earlier ones, which go into bins: processors have units for
 * both, and read slowly what they have just written. */
ISA_OP void bins_step(scatter *s, double *ring, const float *x, const float *y, bool full)
{
    fetch_ahead(x, BINS_STEP * sizeof *x);
    fetch_ahead(y, BINS_STEP * sizeof *y);
    UNROLL for (size_t i = 0; i < BINS_STEP; i += LANES)
    {
        vec next = v_mul(v_load_f32(x + i), v_load_f32(y + i));
        for (size_t j = i; full && j < i + LANES; j++)
            scatter_one(s, ring + j, LANES == 8);
        v_store(ring + i, next);
    }
}

/* Processors compare the lower 12 bits of addresses, and would let the ring wait for stores to bins
 * at the same place of another page. Apart as here, those of numbers near 1 lie elsewhere. */
typedef struct product_bins {
    scatter bins;
    char apart[2048];
    _Alignas(64) double ring[BINS_RING];
} product_bins;

ISA_FUNCTION static void bins_products(product_bins *all, size_t n, const float *x, const float *y)
{
    scatter *s = &all->bins;
    double *ring = all->ring;
    size_t whole = n - n % BINS_STEP, i = 0;
    for (; i < whole && i < BINS_RING; i += BINS_STEP)
        bins_step(s, ring + i, x + i, y + i, false);
    for (; i < whole; i += BINS_STEP)
        bins_step(s, ring + i % BINS_RING, x + i, y + i, true);
    for (size_t j = 0; j < whole && j < BINS_RING; j++)
        scatter_one(s, ring + j, LANES == 8);
    for (; i < n; i++) {
        float a, b;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, y + i, sizeof b);
        double product = (double)a * (double)b;
        scatter_one(s, &product, LANES == 8);
    }
}

static __attribute__((cold)) void bins_odd_products(accordi_exact_view sum, size_t n,
                                                    const float *x, const float *y)
{
    for (size_t i = 0; i < n; i++) {
        float a, b;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, y + i, sizeof b);
        double product = (double)a * (double)b;
        if ((scatter_bits(&product) >> 52 & SCATTER_SPECIAL) == SCATTER_SPECIAL) {
            accordi_exact_products_f32(sum, 1, x + i, 1, y + i, 1);
            sum.count[ACCORD_EXACT_TERMS]--;
        }
    }
}

/* Products are numbers of f64, none of them subnormal: a hidden bit too many counts zeros. */
static void bins_dot(accordi_exact_view sum, size_t n, const float *x, const float *y)
{
    product_bins all;
    scatter *s = &all.bins;
    scatter_open(s, sum);
    sum.count[ACCORD_EXACT_TERMS] += (int64_t)n;
    for (size_t count; n; n -= count, x += count, y += count) {
        count = n < SCATTER_BLOCK ? n : SCATTER_BLOCK;
        bins_products(&all, count, x, y);
        sum.count[ACCORD_EXACT_PLUS_ZEROS] += (int64_t)(scatter_take(s, 0) >> 52);
        sum.count[ACCORD_EXACT_MINUS_ZEROS] += (int64_t)(scatter_take(s, SCATTER_SIGN) >> 52);
        if (scatter_take(s, SCATTER_SPECIAL) | scatter_take(s, SCATTER_SIGN + SCATTER_SPECIAL))
            bins_odd_products(sum, count, x, y);
    }
    scatter_flush(s);
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
