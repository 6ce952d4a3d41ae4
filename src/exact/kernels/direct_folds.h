/* Sums a block of terms into two or three partial sums (folds) that hold enough bits to round, or,
 * for results in f32, into one.
 *
 * A template: include isa_SET.h first.
 *
 * In: a block of terms and a bound 2^top on them. Out: folds, as integers, and a bound on what they
 * do not contain.
 *
 * Idea. A fold is a double a that stays in the binade of its center C = 1.5 * 2^F, so its values
 * are multiples of u = 2^(F - 52), and its bit pattern counts them. b = a + p, d = b - a, r = p - d
 * moves the nearest multiple of u from p into the fold, without error in d and r. With folds placed
 * by the greatest term, the sum is known except for what the last fold leaves, at most half a unit
 * per term. This is not an error of the result, but the width of the interval that contains the
 * sum. In most cases all of the interval rounds to one number, and the work does not depend on the
 * range of the terms. Source of the folds: Demmel and Nguyen, Fast reproducible floating-point
 * summation, ARITH 21, 2013; here they are placed once for all terms, and read as integers.
 *
 * Bounds, with |x| < 2^top, F[0] = top + 9, F[k+1] = F[k] - 44, at most 128 terms in a lane of a
 * fold:
 *  - fold 0: 128 * 2^top < 2^(F[0]-1), so a stays in its binade;
 *  - fold k leaves at most 2^(F[k]-53) of one addend. In dots, fold 1 also gets the errors of
 *    products, each below 2^(top-53), so there are two addends per term: 256 of them stay within
 *    2^(F[k]-45) = 2^(F[k+1]-1);
 *  - the last fold leaves less than one of its units per term, or rounds it off as the term is
 *    added, and in dots one more unit for all errors of products that are lost to underflow;
 *  - for results in f32 one fold holds enough bits, unless the terms cancel. Dots of f64 need the
 *    second fold for the errors of products;
 *  - -850 <= top <= 1013, so that centers are normal and their units multiples of the least double.
 * A NaN stays in fold 0, whose bit pattern then lies far from that of its center. */
#ifndef ACCORDI_EXACT_SHORT_FOLDS_H
#define ACCORDI_EXACT_SHORT_FOLDS_H

#include "exact/direct/direct.h"
#include "exact/kernels/fetch.h"
#include "exact/kernels/unroll.h"

enum {
    SHORT_CHAINS = REGISTERS == 32 ? 4 : 2, /* of additions that wait for each other */
    SHORT_STEP = SHORT_CHAINS * LANES,
    SHORT_BLOCK = 128 * SHORT_STEP,
    SHORT_ABOVE = ACCORDI_EXACT_ABOVE,
    SHORT_LEAST = ACCORDI_EXACT_LEAST,
    SHORT_MOST = ACCORDI_EXACT_MOST
};

/* What is to be done besides adding; constants to the compiler. */
typedef struct short_mode {
    bool watch; /* whether all terms are below 2^top, which is not known */
    int folds;
} short_mode;

typedef struct short_source {
    bool narrow, product;
    const void *x, *y;
    bool far; /* whether the terms may come from memory */
} short_source;

typedef struct short_folds {
    vec fold[3][SHORT_CHAINS], most[2];
    words most_f32; /* of patterns of f32, two a word */
} short_folds;

ISA_OP vec short_load(bool narrow, const void *x, size_t i)
{
    return narrow ? v_load_f32((const float *)x + i) : v_load((const double *)x + i);
}

/* Fewer than LANES numbers, and zeros. */
ISA_OP vec short_load_some(bool narrow, const void *x, size_t i, size_t some)
{
    return narrow ? v_load_some_f32((const float *)x + i, some)
                  : v_of(w_load_some((const double *)x + i, some));
}

ISA_OP vec short_value(short_source s, size_t i)
{
    vec a = short_load(s.narrow, s.x, i);
    return s.product ? v_mul(a, short_load(s.narrow, s.y, i)) : a;
}

ISA_OP bool short_has_errors(short_source s)
{
    return s.product && !s.narrow;
}

ISA_OP short_source short_from(short_source s, size_t i)
{
    size_t size = s.narrow ? sizeof(float) : sizeof(double);
    s.x = (const char *)s.x + i * size;
    if (s.product)
        s.y = (const char *)s.y + i * size;
    return s;
}

/* What a step to come needs. */
ISA_OP void short_fetch(short_source s)
{
    size_t bytes = SHORT_STEP * (s.narrow ? sizeof(float) : sizeof(double));
    fetch_ahead(s.x, bytes);
    if (s.product)
        fetch_ahead(s.y, bytes);
}

/* What fold leaves of p. */
ISA_OP vec short_extract(vec *fold, vec p)
{
    vec b = v_add(*fold, p), d = v_minus(b, *fold);
    *fold = b;
    return v_minus(p, d);
}

/* Into fold k and those after it. */
ISA_OP void short_sink(short_mode mode, short_folds *f, int chain, int k, vec p)
{
    for (; k + 1 < mode.folds; k++)
        p = short_extract(&f->fold[k][chain], p);
    f->fold[k][chain] = v_add(f->fold[k][chain], p);
}

/* `mask`: the lanes that count, or NULL. */
ISA_OP void short_add(short_source s, short_mode mode, short_folds *f, int chain, size_t i,
                      const words *mask)
{
    vec p = short_value(s, i), e = v_splat(0);
    if (short_has_errors(s))
        e = v_fms(short_load(false, s.x, i), short_load(false, s.y, i), p);
    if (mask) {
        p = v_of(w_and(w_of(p), *mask));
        e = v_of(w_and(w_of(e), *mask));
    }
    if (mode.watch)
        f->most[chain & 1] = v_absmax(f->most[chain & 1], p);
    short_sink(mode, f, chain, 0, p);
    if (short_has_errors(s))
        short_sink(mode, f, chain, 1, e);
}

/* All bits are set where a product p has its error: unless it is below 2^-960 and has no factor
 * zero. */
ISA_OP words short_whole(vec x, vec y, vec p)
{
    words size = w_and(w_of(p), w_splat(INT64_MAX));
    words zero = w_or(w_zero(w_shl(w_of(x), 1)), w_zero(w_shl(w_of(y), 1)));
    words small = w_shr(w_sub(size, w_splat((int64_t)(1023 - 960) << 52)), 63);
    return w_or(w_sub(small, w_splat(1)), zero);
}

/* LANES <= n <= SHORT_BLOCK terms. */
ISA_OP void short_add_block(short_source s, short_mode mode, short_folds *f, size_t n)
{
    static const int64_t masks[2 * LANES] = {[LANES... 2 * LANES - 1] = -1};
    const bool patterns = mode.watch && s.narrow && !s.product; /* half the work for f32 */
    const short_mode in_steps = {mode.watch && !patterns, mode.folds};
    size_t i = 0;
    for (; i + SHORT_STEP <= n; i += SHORT_STEP) {
        if (mode.watch && s.far)
            short_fetch(short_from(s, i));
        if (patterns)
            UNROLL for (size_t c = 0; c < SHORT_STEP; c += 2 * LANES)
            {
                f->most_f32 = w_absmax_f32(f->most_f32, w_load((const float *)s.x + i + c));
            }
        UNROLL for (int c = 0; c < SHORT_CHAINS; c++)
        {
            short_add(s, in_steps, f, c, i + (size_t)c * LANES, NULL);
        }
    }
    UNROLL for (int c = 0; c + 1 < SHORT_CHAINS; c++)
    {
        if (i + LANES <= n) {
            short_add(s, mode, f, c, i, NULL);
            i += LANES;
        }
    }
    if (i < n) {
        words mask = w_load(masks + (n - i)); /* the last n - i lanes */
        short_add(s, mode, f, SHORT_CHAINS - 1, n - LANES, &mask);
    }
}

/* All lanes are below 2^this in size. 1025 or more where one is infinite; a NaN may be overlooked.
 */
ISA_OP int short_top_of(vec a, vec b)
{
    uint64_t lane[LANES], most = 0;
    w_store(lane, w_of(v_absmax(a, b)));
    for (int i = 0; i < LANES; i++)
        most = lane[i] > most ? lane[i] : most;
    return (int)(most >> 52) - 1022;
}

/* The same of patterns of f32, for which 129 says infinite or NaN. */
ISA_OP int short_top_of_f32(words a)
{
    uint32_t half[2 * LANES], most = 0;
    w_store(half, a);
    for (int i = 0; i < 2 * LANES; i++)
        most = half[i] > most ? half[i] : most;
    return (int)(most >> 23) - 126;
}

ISA_OP int short_top(short_source s, size_t n)
{
    enum { CHAINS = 2 * SHORT_CHAINS };
    vec most[CHAINS];
    size_t i = 0;
    UNROLL for (int c = 0; c < CHAINS; c++)
    {
        most[c] = v_splat(0);
    }
    for (; i + CHAINS * LANES <= n; i += CHAINS * LANES)
        UNROLL for (int c = 0; c < CHAINS; c++)
        {
            most[c] = v_absmax(most[c], short_value(s, i + (size_t)c * LANES));
        }
    for (; i + LANES <= n; i += LANES)
        most[0] = v_absmax(most[0], short_value(s, i));
    most[1] = v_absmax(most[1], short_value(s, n - LANES));
    for (int c = 2; c < CHAINS; c++)
        most[c & 1] = v_absmax(most[c & 1], most[c]);
    return short_top_of(most[0], most[1]);
}

/* The exponent of fold k. */
ISA_OP int short_place(int top, int k)
{
    return top + SHORT_ABOVE - k * ACCORDI_EXACT_FOLD;
}

/* 1.5 * 2^e */
ISA_OP words short_center(int e)
{
    return w_splat((int64_t)((uint64_t)(e + 1023) << 52 | (uint64_t)1 << 51));
}

/* What was added to a fold, in each lane as a number of its units. */
ISA_OP words short_total(const vec fold[SHORT_CHAINS], int e)
{
    words center = short_center(e), sum = w_sub(w_of(fold[0]), center);
    UNROLL for (int c = 1; c < SHORT_CHAINS; c++)
    {
        sum = w_add(sum, w_sub(w_of(fold[c]), center));
    }
    return sum;
}

ISA_OP int64_t short_all_lanes(words a)
{
    int64_t lane[LANES], sum = 0;
    w_store(lane, a);
    for (int i = 0; i < LANES; i++)
        sum += lane[i];
    return sum;
}

/* Bits are set where a pattern has left [center - 2^51, center + 2^51). */
ISA_OP words short_strays(const vec fold[SHORT_CHAINS], int e)
{
    words base = w_sub(short_center(e), w_splat((int64_t)1 << 51));
    words any = w_sub(w_of(fold[0]), base);
    UNROLL for (int c = 1; c < SHORT_CHAINS; c++)
    {
        any = w_or(any, w_sub(w_of(fold[c]), base));
    }
    return w_shr(any, 52);
}

#endif
