/* Sums of f32 in two folds of f32, for results in f32. A template: include isa_SET.h first.
 *
 * In: an array and a bound 2^top on its terms, which are checked. Out: the sum of the first chunks
 * whose terms are below the bound, in units of 2^(top - 39), and a bound on what it does not
 * contain.
 *
 * Idea. The folds of direct_folds.h, with the significands of f32: twice as many terms a vector,
 * and none is converted. Folds have so few bits that they take ADDS vectors each; then their
 * patterns, as integers, are added to totals of 32 bits, and they start again from their centers.
 *
 * Bounds, with |x| < 2^top, F[0] = top + 4, F[1] = F[0] - 20, and ADDS = 8 terms in a lane:
 *  - fold 0: 8 * 2^top = 2^(F[0]-1), so that it stays in its binade;
 *  - it leaves at most half a unit of one term, 2^(F[0]-24), and 8 of these are 2^(F[1]-1);
 *  - fold 1 rounds off at most half a unit of one term, 2^(F[1]-24) = 2^(top-40);
 *  - a total gains at most 2^22 units from a fold, and FLUSH of these are below 2^31;
 *  - -110 <= top <= 122, so that centers are normal and units multiples of the least f32.
 * A NaN or an infinity stays in fold 0, whose pattern leaves the binade of its center. */
#ifndef ACCORDI_EXACT_DIRECT_SINGLES_H
#define ACCORDI_EXACT_DIRECT_SINGLES_H

#include "exact/kernels/direct_folds.h"

enum {
    SINGLES_ADDS = 8,
    SINGLES_LANES = 2 * LANES,
    SINGLES_CHAINS = REGISTERS == 32 ? 4 : 2,
    SINGLES_STEP = SINGLES_ADDS * SINGLES_CHAINS * SINGLES_LANES,
    SINGLES_FLUSH = 256 / SINGLES_CHAINS, /* steps */
    SINGLES_TO = 1 << 20, /* terms; of more, too many bits would be unknown for most results */
    SINGLES_ABOVE = 4,
    SINGLES_SPACING = 20,
    SINGLES_UNIT = SINGLES_ABOVE - SINGLES_SPACING - 23 /* the last fold's is 2^(top + this) */
};

/* What a chunk gains: totals of each fold, and what shows terms that are too large. */
typedef struct singles {
    words total[2], most[2], strays;
} singles;

ISA_OP words singles_center(int top, int k)
{
    uint32_t e = (uint32_t)(top + SINGLES_ABOVE - k * SINGLES_SPACING + 127);
    uint64_t center = (uint64_t)e << 23 | (uint64_t)1 << 22;
    return w_splat((int64_t)(center << 32 | center));
}

/* `adds` vectors of each of `chains` chains, from one start of the folds to the next; constants.
 * `mask`: the lanes that count, or NULL. */
ISA_OP void singles_add(singles *s, const float *x, int adds, int chains, const words center[2],
                        const words *mask)
{
    words fold[2][SINGLES_CHAINS];
    UNROLL for (int c = 0; c < chains; c++)
    {
        fold[0][c] = center[0];
        fold[1][c] = center[1];
    }
    UNROLL for (int i = 0; i < adds; i++, x += chains * SINGLES_LANES)
    {
        UNROLL for (int c = 0; c < chains; c++)
        {
            words p = w_load(x + c * SINGLES_LANES), b;
            p = mask ? w_and(p, *mask) : p;
            s->most[c & 1] = w_absmax_f32(s->most[c & 1], p);
            b = w_add_f32(fold[0][c], p);
            p = w_sub_f32(p, w_sub_f32(b, fold[0][c]));
            fold[0][c] = b;
            fold[1][c] = w_add_f32(fold[1][c], p);
        }
    }
    UNROLL for (int c = 0; c < chains; c++)
    {
        s->strays = w_or_xor(s->strays, fold[0][c], center[0]);
        for (int k = 0; k < 2; k++)
            s->total[k] = w_add32(s->total[k], fold[k][c]);
    }
}

/* The sum of all halves of words, which are `folds` patterns each, less that many centers. */
ISA_OP int64_t singles_total(words total, words center, int64_t folds)
{
    uint32_t half[SINGLES_LANES], of_center[SINGLES_LANES];
    int64_t sum = 0;
    w_store(half, total);
    w_store(of_center, center);
    for (int i = 0; i < SINGLES_LANES; i++)
        sum += (int32_t)(half[i] - (uint32_t)folds * of_center[i]);
    return sum;
}

/* SINGLES_LANES <= n <= SINGLES_FLUSH * SINGLES_STEP terms; false, and nothing added, where one is
 * not below 2^top. */
ISA_OP bool singles_chunk(const float *x, size_t n, int top, accordi_exact_close *out)
{
    static const int32_t masks[2 * SINGLES_LANES] = {[SINGLES_LANES... 2 * SINGLES_LANES - 1] = -1};
    const words zero = w_splat(0), center[2] = {singles_center(top, 0), singles_center(top, 1)};
    singles s = {{zero, zero}, {zero, zero}, zero};
    int64_t folds = 0;
    size_t i = 0;
    for (; i + SINGLES_STEP <= n; i += SINGLES_STEP, folds += SINGLES_CHAINS)
        singles_add(&s, x + i, SINGLES_ADDS, SINGLES_CHAINS, center, NULL);
    for (; i + SINGLES_LANES <= n; i += SINGLES_LANES, folds++)
        singles_add(&s, x + i, 1, 1, center, NULL);
    if (i < n) {
        words mask = w_load(masks + (n - i)); /* the last n - i lanes */
        singles_add(&s, x + n - SINGLES_LANES, 1, 1, center, &mask);
        folds++;
    }
    words most = w_max32(s.most[0], s.most[1]);
    if (w_any(w_and(s.strays, w_splat(0x7f8000007f800000))) || short_top_of_f32(most) > top)
        return false;
    out->low += (int128)singles_total(s.total[0], center[0], folds) * (1 << SINGLES_SPACING) +
                singles_total(s.total[1], center[1], folds);
    out->slack += n / 2 + 1; /* half a unit a term */
    return true;
}

ISA_OP bool singles_is_place(int top)
{
    return top >= -110 && top <= 122;
}

/* How many terms were added to `out`, which counts units of 2^(top + SINGLES_UNIT). */
ISA_OP size_t singles_run(const float *x, size_t n, int top, accordi_exact_close *out)
{
    size_t done = 0;
    while (done < n) {
        const size_t most = SINGLES_FLUSH * SINGLES_STEP, left = n - done;
        size_t count = left <= most ? left : left - most < SINGLES_LANES ? most / 2 : most;
        if (!singles_chunk(x + done, count, top, out))
            break;
        done += count;
    }
    return done;
}

#endif
