/* Sums in vector registers, as closely as their rounding needs. A template: include isa_SET.h
 * first.
 *
 * In: an array and a bound 2^top on its first block. Out: the folds of the whole array.
 *
 * Blocks are added in folds (direct_folds.h) under the assumption that all terms are below 2^top.
 * For the first block this is checked before, and up to a thousand terms of f64 are looked at first
 * for whether their sum cancels so far that folds would be of no use. The others are checked while
 * they are added: if a term is too large, its block and all later ones are added again with a
 * greater top. If the exponents of the terms are so similar that two folds leave no rest, ties are
 * likely, so it is recorded whether there was a rest. Long arrays of such terms are as fast in the
 * windows (sum_window.h), unless only their beginning is so. */
#ifndef ACCORDI_EXACT_SHORT_LANES_H
#define ACCORDI_EXACT_SHORT_LANES_H

#include "exact/kernels/direct_folds.h"

enum {
    SHORT_TRACKED = 1 << 12, /* terms at most */
    SHORT_SKIMMED = 1 << 10, /* terms of f64 at most, whose naive sum is looked at first */
    SHORT_SKIMMED_PRODUCTS = 1 << 7,
    SHORT_CLOSE = 28,  /* binades below the greatest term: no two folds settle less … */
    SHORT_NARROW = 24, /* … unless the exponents lie so close that no rest is left */
    SHORT_SPARE = 8,   /* binades */
    SHORT_PLACES = 32  /* to look at for whether all of a long array is like its beginning */
};

/* Adds a block whose terms are below 2^*top. False: *top, which was too small, is right now, and
 * nothing has been added; or it is out of range, which it is also after a NaN. */
ISA_OP bool short_take(short_source s, short_mode mode, size_t n, int *top,
                       accordi_exact_close *out)
{
    if (*top > SHORT_MOST || *top < SHORT_LEAST)
        return false;
    short_folds f = {.rest = w_splat(0), .most = {v_splat(0), v_splat(0)}, .most_f32 = w_splat(0)};
    for (int k = 0; k < mode.folds; k++)
        f.fold[k][0] = f.fold[k][1] = v_of(short_center(short_place(*top, k)));
    short_add_block(s, mode, &f, n);
    int found = short_top_of(f.most[0], f.most[1]);
    if (mode.watch && s.narrow && !s.product && short_top_of_f32(f.most_f32) > found)
        found = short_top_of_f32(f.most_f32);
    if (found <= *top && short_strays(f.fold[0], short_place(*top, 0)))
        found = INT32_MAX;
    if (found > *top) {
        *top = found;
        return false;
    }
    int64_t first = short_total(f.fold[0], short_place(*top, 0));
    if (mode.folds == 1) {
        out->low += first;
        out->slack += n / 2 + 1; /* half a unit a term */
        return true;
    }
    bool whole = mode.track && !w_any(w_shl(f.rest, 1)); /* -0 is no rest */
    out->slack += whole ? 0 : n + 1;
    int64_t second = short_total(f.fold[1], short_place(*top, 1));
    int128 sum = (int128)((uint128)(int128)first << ACCORDI_EXACT_FOLD) + second;
    if (mode.folds == 2) {
        out->low += sum;
    } else {
        out->high += sum;
        out->low += short_total(f.fold[2], short_place(*top, 2));
    }
    return true;
}

/* How many of n terms to take: never so many that less than a register is left. */
ISA_OP size_t short_count(size_t n)
{
    if (n <= SHORT_BLOCK)
        return n;
    return n - SHORT_BLOCK < LANES ? SHORT_BLOCK - LANES : SHORT_BLOCK;
}

/* Terms to come are often greater than those before, and to add a block twice costs more than some
 * bits of the 88. */
ISA_OP void short_spare(int *top)
{
    *top = *top + SHORT_SPARE < SHORT_MOST ? *top + SHORT_SPARE : SHORT_MOST;
}

ISA_OP bool short_take_all(short_source s, short_mode mode, size_t from, size_t n, int *top,
                           accordi_exact_close *out)
{
    for (size_t count; from < n; from += count) {
        count = short_count(n - from);
        while (!short_take(short_from(s, from), mode, count, top, out)) {
            if (*top >= SHORT_MOST || *top < SHORT_LEAST)
                return false;
            if (mode.folds > 1) /* one has no bits to spare */
                short_spare(top);
            accordi_exact_coarsen(out, short_place(*top, mode.folds - 1) - 52);
        }
    }
    return true;
}

/* Of the vectors that were looked at: naive sums, the greatest and the least sizes. */
typedef struct short_skim {
    vec sum[4];
    words most[2], least[2];
} short_skim;

ISA_OP void short_skim_one(short_skim *s, int chain, vec a)
{
    words size = w_and(w_of(a), w_splat(INT64_MAX)); /* upper halves tell exponents */
    s->sum[chain] = v_add(s->sum[chain], a);
    s->most[chain & 1] = w_max32(s->most[chain & 1], size);
    s->least[chain & 1] = w_min32(s->least[chain & 1], size);
}

/* Fewer than LANES terms from i on, and zeros. */
ISA_OP vec short_some(short_source s, size_t i, size_t some)
{
    vec a = v_of(w_load_some((const double *)s.x + i, some));
    return s.product ? v_mul(a, v_of(w_load_some((const double *)s.y + i, some))) : a;
}

/* Whether two folds would leave the sum of n terms of f64 open, because it is as good as zero and
 * the exponents differ too much, or products have errors. Zeros count as the least of all numbers.
 * *top: that of all terms. */
ISA_OP bool short_is_open(short_source s, size_t n, int *top)
{
    const words none = w_splat(0), all = w_splat(-1);
    const vec zero = v_splat(0);
    short_skim k = {{zero, zero, zero, zero}, {none, none}, {all, all}};
    size_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES)
        for (int c = 0; c < 4; c++)
            short_skim_one(&k, c, short_value(s, i + (size_t)c * LANES));
    for (; i + LANES <= n; i += LANES)
        short_skim_one(&k, 0, short_value(s, i));
    if (i < n) {
        vec sum = v_add(k.sum[1], short_some(s, i, n - i));
        short_skim_one(&k, 1, short_value(s, n - LANES));
        k.sum[1] = sum;
    }
    double lane[LANES], sum = 0;
    uint64_t most[LANES], least[LANES];
    v_store(lane, v_add(v_add(k.sum[0], k.sum[1]), v_add(k.sum[2], k.sum[3])));
    w_store(most, w_max32(k.most[0], k.most[1]));
    w_store(least, w_min32(k.least[0], k.least[1]));
    for (int l = 0; l < LANES; l++) {
        sum += lane[l];
        most[0] = most[l] > most[0] ? most[l] : most[0];
        least[0] = least[l] < least[0] ? least[l] : least[0];
    }
    *top = (int)(most[0] >> 52) - 1022;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    int of_sum = (int)(bits >> 52 & 2047) - 1022, of_least = (int)(least[0] >> 52) - 1022;
    return *top <= 1024 && *top - of_sum > SHORT_CLOSE &&
           (s.product || *top - of_least > SHORT_NARROW);
}

/* Whether the terms of a long array, as far as a sample shows, lie as close together as the first
 * ones, which are below 2^top and left no rest: not where they are sorted. */
ISA_OP bool short_is_alike(short_source s, size_t n, int top)
{
    words most = w_splat(0), least = w_splat(-1);
    for (size_t i = 0; i <= SHORT_PLACES; i++) {
        size_t at = i < SHORT_PLACES ? (n - LANES) / SHORT_PLACES * i : n - LANES;
        words size = w_and(w_of(short_value(s, at)), w_splat(INT64_MAX));
        most = w_max32(most, size);
        least = w_min32(least, w_or(size, w_zero(size)));
    }
    uint64_t high[LANES], low[LANES];
    w_store(high, most);
    w_store(low, least);
    for (int l = 0; l < LANES; l++)
        if ((int)(high[l] >> 52) - 1022 > top || (int)(low[l] >> 52) - 1022 < top - SHORT_NARROW)
            return false;
    return true;
}

ISA_OP bool short_run(short_source s, size_t n, int folds, accordi_exact_close *out)
{
    const bool track = !short_has_errors(s);
    const short_mode once = {false, track, 2}, tracked = {true, track, 2}, loose = {true, false, 2},
                     one = {false, false, 1}, one_watched = {true, false, 1},
                     three = {true, false, 3};
    if (n < LANES || n >> 36)
        return false;
    size_t count = short_count(n < SHORT_TRACKED ? n : SHORT_BLOCK / 8);
    int top;
    if (s.narrow || folds > 2 || n > (s.product ? SHORT_SKIMMED_PRODUCTS : SHORT_SKIMMED)) {
        top = short_top(s, count);
    } else if (short_is_open(s, n, &top)) {
        *out = (accordi_exact_close){0, 0, n, top};
        return true;
    }
    if (s.narrow && folds == 1) {
        *out = (accordi_exact_close){0, 0, 0, short_place(top, 0) - 52};
        return short_take(s, one, count, &top, out) &&
               short_take_all(s, one_watched, count, n, &top, out);
    }
    if (top < SHORT_LEAST && n > SHORT_TRACKED)
        top = SHORT_LEAST; /* greater terms may follow */
    *out = (accordi_exact_close){0, 0, 0, short_place(top, 1) - 52};
    if (!short_take(s, once, count, &top, out))
        return false;
    if (n == count && (folds == 2 || !out->slack))
        return true;
    if (!out->slack && n <= SHORT_TRACKED)
        return short_take_all(s, tracked, count, n, &top, out);
    if (!out->slack && short_is_alike(s, n, top))
        return false;
    short_spare(&top);
    if (folds == 2) {
        accordi_exact_coarsen(out, short_place(top, 1) - 52);
        return short_take_all(s, loose, count, n, &top, out);
    }
    *out = (accordi_exact_close){0, 0, 0, short_place(top, 2) - 52};
    return short_take_all(s, three, 0, n, &top, out);
}

#define SHORT_KERNEL(name_, narrow_, product_)                                                     \
    ISA_FUNCTION static bool short_##name_(size_t n, const void *x, const void *y, int folds,      \
                                           accordi_exact_close *out)                               \
    {                                                                                              \
        return short_run((short_source){narrow_, product_, x, y}, n, folds, out);                  \
    }
SHORT_KERNEL(sum_f64, false, false)
SHORT_KERNEL(sum_f32, true, false)
SHORT_KERNEL(dot_f64, false, true)
SHORT_KERNEL(dot_f32, true, true)

#endif
