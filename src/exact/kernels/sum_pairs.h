/* Terms into limbs, a vector at a time. A template: include isa_SET.h first.
 *
 * In: terms of f64. Out: their exact sum is in the limbs.
 *
 * Idea. A term touches two neighboring limbs (accumulator/limbs.c). Its parts are computed for all
 * lanes at once, and each pair of parts is added with a single operation to a table of pairs, one
 * for each lower limb that the exponents of the terms can reach. Thus a term costs one load, one
 * addition and one store, whatever its exponent, and there is little to clear and to empty, which
 * makes this the best way for a few dozen to some thousand terms of a wide range. There are several
 * tables, taken in turn, so that an addition need not wait for the one before.
 *
 * Bound: the parts are those of accordi_exact_put, and a block has at most ACCORDI_EXACT_PENDING
 * terms, so emptying the table keeps the invariant of the limbs. */
#ifndef ACCORDI_EXACT_SUM_PAIRS_H
#define ACCORDI_EXACT_SUM_PAIRS_H

#include "exact/kernels/exponents.h"

enum {
    PAIRS_WAYS = 4,
    PAIRS_FEW = 64,   /* terms that are not worth more than one table */
    PAIRS_LIMBS = 66, /* that f64 can reach: 2046 exponents, at any place in a limb */
    PAIRS_SIZE = (2 * PAIRS_LIMBS + 7) / 8 * 8,
    PAIRS_BLOCK = ACCORDI_EXACT_PENDING / 8 * 8
};

typedef struct pairs {
    _Alignas(64) int64_t table[PAIRS_WAYS][PAIRS_SIZE];
    int ways, limbs; /* tables in use, and their pairs */
    int least;       /* exponent, biased, 1 or more; zeros count as terms of it */
    int first;       /* the lower limb of the first pair */
    int to_offset;   /* what makes a biased exponent the place of the last bit in the limbs */
} pairs;

/* What the parts of all terms are computed with, in every lane. */
typedef struct pairs_lanes {
    words least, to_offset; /* as in pairs */
    words tables;           /* where the pair of limb 0 would be in the table of a lane */
} pairs_lanes;

ISA_OP void pairs_add(int64_t *table, words bits, pairs_lanes l)
{
    words field = w_and(w_shr(bits, 52), w_splat(2047));
    words m =
        w_or(w_and(bits, w_splat(((int64_t)1 << 52) - 1)), w_shl(w_min32(field, w_splat(1)), 52));
    words offset = w_add(w_max32(field, l.least), l.to_offset);
    words shift = w_and(offset, w_splat(31));
    words low = w_and(w_shl_each(m, shift), w_splat(0xffffffff));
    words high = w_shr_each(m, w_sub(w_splat(32), shift));
    words sign = w_sub(w_splat(0), w_shr(bits, 63));
    words place = w_add(w_shl(w_shr(offset, 5), 1), l.tables);
    w_add_pairs(table, place, w_sub(w_xor(low, sign), sign), w_sub(w_xor(high, sign), sign));
}

ISA_FUNCTION static void pairs_add_block(pairs *p, size_t n, const double *x)
{
    static const int64_t table_of_lane[2][8] = {{0},
                                                {0, PAIRS_SIZE, 2 * PAIRS_SIZE, 3 * PAIRS_SIZE, 0,
                                                 PAIRS_SIZE, 2 * PAIRS_SIZE, 3 * PAIRS_SIZE}};
    pairs_lanes l = {w_splat(p->least), w_splat(p->to_offset),
                     w_sub(w_load(table_of_lane[p->ways > 1]), w_splat(2 * p->first))};
    static const int64_t last[2 * LANES] = {[LANES... 2 * LANES - 1] = -1};
    int64_t *table = p->table[0];
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        pairs_add(table, w_load(x + i), l);
    if (i < n) /* the others count as zeros */
        pairs_add(table, w_and(w_load(x + n - LANES), w_load(last + (n - i))), l);
}

/* What is used of each table, in whole vectors. */
ISA_FUNCTION static void pairs_clear(pairs *p)
{
    for (int way = 0; way < p->ways; way++)
        for (int i = 0; i < 2 * p->limbs; i += LANES)
            w_store(p->table[way] + i, w_splat(0));
}

/* Into the first table. */
ISA_FUNCTION static void pairs_join_tables(pairs *p)
{
    for (int i = 0; i < 2 * p->limbs; i += LANES) {
        words sum = w_load(p->table[0] + i);
        for (int way = 1; way < p->ways; way++)
            sum = w_add(sum, w_load(p->table[way] + i));
        w_store(p->table[0] + i, sum);
    }
}

static void pairs_empty(pairs *p, int64_t *limb)
{
    if (p->ways > 1)
        pairs_join_tables(p);
    int64_t upper = 0;
    for (int i = 0; i < p->limbs; i++) {
        limb[i] += p->table[0][2 * i] + upper;
        upper = p->table[0][2 * i + 1];
    }
    limb[p->limbs] += upper;
}

/* At most PAIRS_BLOCK terms, and LANES at least, with these exponents, none of them infinite. */
static void pairs_block(accordi_exact_view sum, size_t n, const double *x, exponents e)
{
    pairs p;
    int most = e.most < -1022 ? 1 : e.most + 1023;
    p.least = e.zeros ? 1 : e.least + 1023;
    p.to_offset = -1075 - sum.unit;
    p.first = (p.least + p.to_offset) >> 5;
    p.limbs = ((most + p.to_offset) >> 5) - p.first + 1;
    p.ways = n < PAIRS_FEW ? 1 : PAIRS_WAYS;
    pairs_clear(&p);
    pairs_add_block(&p, n, x);
    accordi_exact_reserve(sum, (int)n);
    pairs_empty(&p, sum.limb + p.first);
    sum.count[ACCORD_EXACT_TERMS] += (int64_t)n;
}

/* Infinities, NaNs, zeros alone and a few terms are left to the scalar code, which counts what has
 * to be counted. */
static void pairs_run(accordi_exact_view sum, size_t n, const double *x)
{
    for (size_t count; n; n -= count, x += count) {
        count = n < PAIRS_BLOCK ? n : PAIRS_BLOCK;
        exponents e = nothing;
        if (count >= LANES)
            e = exponents_of(x, count);
        if (e.least > e.most || e.most == 1024)
            accordi_exact_terms_f64(sum, count, x, 1);
        else
            pairs_block(sum, count, x, e);
    }
}

#endif
