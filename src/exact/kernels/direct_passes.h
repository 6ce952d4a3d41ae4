/* All bits of up to a thousand terms, by folds, where their exponents lie so close that this is
 * less work than a block for each term. A template: include isa_SET.h first.
 *
 * In: contiguous terms, or factors of products. Out: their exact sum in blocks (direct_blocks.h).
 *
 * Idea. Folds (direct_folds.h) move the upper bits of all terms of a vector at once, whatever the
 * exponent of each. As many folds as the range of exponents needs leave nothing over. They go over
 * the terms in passes of PASS_FOLDS, between which the rests are kept, so that a pass stays in
 * registers. What a fold holds is an integer, which is added to one or two blocks.
 *
 * Bounds: those of direct_folds.h, with at most 128 terms a fold and lane. Terms are multiples of
 * 2^low, and the unit of the last fold is at most that, so nothing is left. All lanes of a fold
 * come to less than 2^58 units, and to less than 2^121 at their place in a block: PASS_MOST of them
 * keep blocks within 2^127. */
#ifndef ACCORDI_EXACT_DIRECT_PASSES_H
#define ACCORDI_EXACT_DIRECT_PASSES_H

#include "exact/direct/pieces.h"
#include "exact/kernels/direct_folds.h"
#include "exact/kernels/unroll.h"

#ifdef ISA_FEW_BINS
enum { FEW_BINS_FROM = 64 }; /* terms (products of f64: twice as many) in bins (direct_bins.h) */
#else
enum { FEW_BINS_FROM = INT32_MAX };
#endif

enum {
    PASS_FROM = ACCORDI_EXACT_BLOCKS_ANYWHERE + 1, /* terms */
    PASS_FOLDS = 4,
    PASS_CHAINS = LANES >= 4 ? 2 : 4,
    PASS_STEP = PASS_CHAINS * LANES,
    PASS_AFTER = (PASS_FOLDS - 1) * PASS_STEP, /* zeros */
    PASS_MOST = 24,                            /* folds */
    PASS_TERMS = ACCORDI_EXACT_BLOCKS_TERMS,
    PASS_LOOK = 8,               /* terms that show whether it is worth a try … */
    PASS_BINS = 100,             /* … where bins take so many cycles … */
    PASS_UNIT = 52 - SHORT_ABOVE /* the unit of the first fold is 2^(top - this) */
};

/* What lies in an array, and in every lane the greatest size and the least one less 1, of which
 * upper quarters tell exponents; zeros count as the greatest of the least. */
typedef struct pass_terms {
    size_t n;
    uint64_t most[LANES], least[LANES];
} pass_terms;

ISA_OP vec pass_load(bool narrow, const void *x, size_t i, size_t n)
{
    return n - i < LANES ? short_load_some(narrow, x, i, n - i) : short_load(narrow, x, i);
}

/* All terms, and zeros up to a whole step and behind the last one. False where the error of a
 * product may be lost to underflow. */
ISA_OP bool pass_keep(pass_terms *t, double *rest, bool narrow, bool product, size_t n,
                      const void *x, const void *y)
{
    words most = w_splat(0), least = w_splat(-1), lost = most;
    double *to = rest;
    for (size_t i = 0; i < n; i += LANES, to += LANES) {
        vec v = pass_load(narrow, x, i, n), w = product ? pass_load(narrow, y, i, n) : v;
        vec p = product ? v_mul(v, w) : v;
        words size = w_and(w_of(p), w_splat(INT64_MAX));
        most = w_max_top(most, size);
        least = w_min_top(least, w_sub(size, w_splat(1)));
        v_store(to, p);
        if (product && !narrow) {
            to += LANES;
            v_store(to, v_fms(v, w, p));
            lost = w_or(lost, w_xor(short_whole(v, w, p), w_splat(-1)));
        }
    }
    const vec zero =
        v_of(w_opaque(w_splat(0))); /* or gcc would use rep stos, which starts slowly */
    for (; (to - rest) % PASS_STEP; to += LANES)
        v_store(to, zero);
    for (size_t i = 0; i < PASS_AFTER; i += LANES)
        v_store(to + i, zero);
    t->n = (size_t)(to - rest);
    w_store(t->most, most);
    w_store(t->least, least);
    return !w_any(lost);
}

/* Clears so many pairs of words, a multiple of four. */
ISA_OP void short_clear(void *first, int count)
{
    words zero = w_opaque(w_splat(0)); /* or gcc would clear by rep stos, which starts slowly */
    UNROLL for (int i = 0; i < count; i += LANES / 2)
    {
        w_store((accordi_exact_integer *)first + i, zero);
    }
}

/* sum += total * 2^e */
INLINE void pass_put(accordi_exact_integer *sum, uint64_t *used, int64_t total, int e)
{
    int at = e - ACCORDI_EXACT_BLOCKS_UNIT, block = at >> 6;
    uint128 moved = (uint128)(int128)total << (at & 63);
    add_to_block(sum[block], (uint64_t)moved, (uint64_t)(moved >> 64));
    *used |= (uint64_t)1 << block;
}

/* Numbers below 2^-1021 in size are their patterns times 2^-1074, and are added as integers:
 * subnormal numbers take the adders of some processors a hundred cycles. */
ISA_OP void pass_run_least(const double *rest, size_t n, accordi_exact_integer *sum, uint64_t *used)
{
    words all = w_splat(0);
    for (size_t i = 0; i < n; i += LANES) {
        words bits = w_load(rest + i), sign = w_sub(w_splat(0), w_shr(bits, 63));
        all = w_add(all, w_sub(w_xor(w_and(bits, w_splat(INT64_MAX)), sign), sign));
    }
    pass_put(sum, used, short_all_lanes(all), -1074);
}

/* Adds the rests to `folds` folds, of which the first has the unit 2^e; at the end nothing is left
 * of them. The folds work on different steps at the same time, since a vector takes longer to pass
 * through all of them than a processor looks ahead. */
ISA_OP void pass_run(double *rest, size_t n, int folds, bool end, int e, accordi_exact_integer *sum,
                     uint64_t *used)
{
    vec fold[PASS_FOLDS][PASS_CHAINS], left[PASS_FOLDS][PASS_CHAINS];
    UNROLL for (int k = 0; k < folds; k++) UNROLL for (int c = 0; c < PASS_CHAINS; c++)
    {
        fold[k][c] = v_of(short_center(e - k * ACCORDI_EXACT_FOLD + 52));
        left[k][c] = v_splat(0);
    }
    const size_t steps = n / PASS_STEP, late = (size_t)folds - 1;
    for (size_t i = 0; i < steps + late; i++) {
        const double *from = rest + i * PASS_STEP; /* zeros follow */
        UNROLL for (int k = folds - 1; k >= 0; k--) UNROLL for (int c = 0; c < PASS_CHAINS; c++)
        {
            vec p = k ? left[k - 1][c] : v_load(from + (size_t)c * LANES);
            if (k < folds - 1)
                left[k][c] = short_extract(&fold[k][c], p);
            else if (end)
                fold[k][c] = v_add(fold[k][c], p);
            else
                left[k][c] = short_extract(&fold[k][c], p);
        }
        if (!end && i >= late)
            UNROLL for (int c = 0; c < PASS_CHAINS; c++)
            {
                v_store(rest + (i - late) * PASS_STEP + (size_t)c * LANES, left[folds - 1][c]);
            }
    }
    UNROLL for (int k = 0; k < folds; k++)
    {
        int unit = e - k * ACCORDI_EXACT_FOLD;
        words center = short_center(unit + 52), all = w_sub(w_of(fold[k][0]), center);
        UNROLL for (int c = 1; c < PASS_CHAINS; c++)
        {
            all = w_add(all, w_sub(w_of(fold[k][c]), center));
        }
        pass_put(sum, used, short_all_lanes(all), unit);
    }
}

/* How many folds hold all bits of sizes from `least` to `most`, as patterns: the first fold's unit
 * is 2^*e; those of errors of products, which are far smaller, too. */
INLINE int pass_folds(uint64_t least, uint64_t most, bool errors, int *e)
{
    const int field = (int)(least >> 52), low = (field ? field : 1) - 1075 - (errors ? 54 : 0);
    *e = (int)(most >> 52) - 1022 - PASS_UNIT;
    return *e > low ? 1 + (*e - low + ACCORDI_EXACT_FOLD - 1) / ACCORDI_EXACT_FOLD : 1;
}

/* What n terms (products of f64: 2 n) cost otherwise, in blocks each or in bins: in cycles. */
INLINE size_t pass_others(size_t n, bool bins)
{
    const size_t of_blocks = 4 * n, of_bins = 3 * n / 2 + PASS_BINS;
    return bins && of_bins < of_blocks ? of_bins : of_blocks;
}

/* Whether so many folds are less work, with three operations a vector and fold. */
INLINE bool pass_is_less(size_t kept, int folds, size_t others)
{
    return folds <= PASS_MOST && (size_t)folds * (3 * kept / (2 * LANES) + 12) < others;
}

/* The exponent's field of a number that is not zero; 0 for zeros. */
INLINE int pass_field(const double *x)
{
    const uint64_t bits = load(f64, (const char *)x);
    const int field = field_of(f64, bits);
    return field ? field : bits << 1 != 0;
}

/* How many binades some of the terms of f64, or of the products, lie apart; zeros do not count. */
ISA_OP int pass_span(bool product, size_t n, const double *x, const double *y)
{
    const size_t look = product ? PASS_LOOK / 2 : PASS_LOOK;
    int most = INT32_MIN / 2, least = -most;
    for (size_t i = 0; i < look; i++) {
        const size_t at = n / look * i;
        const int e = pass_field(x + at), f = product ? pass_field(y + at) : 1;
        if (!e || !f)
            continue;
        most = e + f > most ? e + f : most;
        least = e + f < least ? e + f : least;
    }
    return most < least ? 0 : most - least;
}

/* Whether bins are less work, even with one more fold than what lies so far apart needs. */
INLINE bool pass_is_hopeless(bool product, size_t n, int span)
{
    const size_t terms = product ? 2 * n : n;
    const int folds = 1 + (span + (product ? 2 * 53 : 53)) / ACCORDI_EXACT_FOLD;
    return !pass_is_less(terms, folds + 1, pass_others(terms, true));
}

/* False: nothing has been added; a block for each term is less work, or a term has no place. */
ISA_OP bool pass_all(bool narrow, bool product, size_t n, const void *x, const void *y,
                     accordi_exact_integer *sum, uint64_t *used)
{
    const size_t terms = product && !narrow ? 2 * n : n;
    const bool bins = terms >= FEW_BINS_FROM;
    if (bins && !narrow && pass_is_hopeless(product, n, pass_span(product, n, x, y)))
        return false;
    _Alignas(64) double rest[PASS_TERMS + PASS_STEP + PASS_AFTER];
    pass_terms t;
    if (!pass_keep(&t, rest, narrow, product, n, x, y))
        return false;
    uint64_t most = t.most[0], least = t.least[0];
    for (int i = 1; i < LANES; i++) {
        most = t.most[i] > most ? t.most[i] : most;
        least = t.least[i] < least ? t.least[i] : least;
    }
    int e, folds = pass_folds(least, most, product && !narrow, &e);
    const int top = e + PASS_UNIT, last = e - (folds - 1) * ACCORDI_EXACT_FOLD;
    bool least_alone = most >> 52 <= 1;
    if (top > SHORT_MOST || (last < -1074 && !least_alone) ||
        !pass_is_less(t.n, folds, pass_others(terms, bins) * 5 / 4)) /* what is kept is kept */
        return false;
    *used = 0;
    if (least >> 48 == 0xffff) /* zeros alone */
        return true;
    short_clear(sum + ACCORDI_EXACT_BLOCKS_BELOW,
                ACCORDI_EXACT_BLOCKS - ACCORDI_EXACT_BLOCKS_BELOW);
    if (least_alone) {
        pass_run_least(rest, t.n, sum, used);
        return true;
    }
    for (; folds > PASS_FOLDS; folds -= PASS_FOLDS, e -= PASS_FOLDS * ACCORDI_EXACT_FOLD)
        pass_run(rest, t.n, PASS_FOLDS, false, e, sum, used);
    switch (folds) {
    case 1:
        pass_run(rest, t.n, 1, true, e, sum, used);
        break;
    case 2:
        pass_run(rest, t.n, 2, true, e, sum, used);
        break;
    case 3:
        pass_run(rest, t.n, 3, true, e, sum, used);
        break;
    default:
        pass_run(rest, t.n, PASS_FOLDS, true, e, sum, used);
    }
    return true;
}

#endif
