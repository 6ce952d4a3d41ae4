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
    SHORT_NARROW_F32 = 39,
    SHORT_SPARE = 8,  /* binades */
    SHORT_PLACES = 32 /* to look at for whether all of a long array is like its beginning */
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
    bool whole = mode.whole || (mode.track && !w_any(w_shl(f.rest, 1))); /* -0 is no rest */
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
    vec a = short_load_some(s.narrow, s.x, i, some);
    return s.product ? v_mul(a, short_load_some(s.narrow, s.y, i, some)) : a;
}

/* What n terms of f64 need. Two folds would leave their sum open if it is as good as zero and the
 * exponents differ too much, or products have errors. Of products whose exponents lie close, three
 * folds contain all bits: the least bit is above top - SHORT_NARROW - 106, and the last unit is
 * 2^(top + SHORT_ABOVE - 140). Zeros count as the least of all numbers. *top: that of all terms. */
typedef enum short_need { SHORT_SETTLED, SHORT_FOLDS, SHORT_ALL_BITS, SHORT_OPEN } short_need;

ISA_OP short_need short_skim_all(short_source s, size_t n, int *top)
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
    double sum = v_total(v_add(v_add(k.sum[0], k.sum[1]), v_add(k.sum[2], k.sum[3])));
    uint64_t most[LANES], least[LANES];
    w_store(most, w_max32(k.most[0], k.most[1]));
    w_store(least, w_min32(k.least[0], k.least[1]));
    for (int l = 0; l < LANES; l++) {
        most[0] = most[l] > most[0] ? most[l] : most[0];
        least[0] = least[l] < least[0] ? least[l] : least[0];
    }
    *top = (int)(most[0] >> 52) - 1022;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    int of_sum = (int)(bits >> 52 & 2047) - 1022, of_least = (int)(least[0] >> 52) - 1022;
    bool is_narrow = *top - of_least <= SHORT_NARROW;
    if (*top > 1024 || *top - of_sum <= SHORT_CLOSE || (is_narrow && !s.product))
        return SHORT_FOLDS;
    return is_narrow ? SHORT_ALL_BITS : SHORT_OPEN;
}

/* An ordinary sum of terms of f32, or of their products, which are f64 without error: in any order,
 * it errs by less than n 2^-53 times the sum of their sizes (Higham, Accuracy and Stability of
 * Numerical Algorithms, 2002, section 4.2). For results in f32 that is most often enough. If not,
 * two folds contain all bits of terms whose exponents lie close: the least bit is above *top -
 * SHORT_NARROW_F32 - 48, and the last unit is 2^(*top + SHORT_ABOVE - 96). */
ISA_OP short_need short_ordinary(short_source s, size_t n, int *top, accordi_exact_close *out)
{
    const words all_but_sign = w_splat(INT64_MAX);
    vec sum[2] = {v_splat(0), v_splat(0)}, size[2] = {v_splat(0), v_splat(0)};
    words least = w_and(w_of(short_value(s, n - LANES)), all_but_sign);
    for (size_t i = 0, c = 0; i < n; i += LANES, c ^= 1) {
        vec a = n - i < LANES ? short_some(s, i, n - i) : short_value(s, i);
        vec b = v_of(w_and(w_of(a), all_but_sign));
        sum[c] = v_add(sum[c], a);
        size[c] = v_add(size[c], b);
        least = n - i < LANES ? least : w_min32(least, w_of(b));
    }
    double total = v_total(v_add(sum[0], sum[1])), sizes = v_total(v_add(size[0], size[1]));
    uint64_t bits, bits_of_sizes, lane[LANES];
    memcpy(&bits, &total, sizeof bits);
    memcpy(&bits_of_sizes, &sizes, sizeof bits_of_sizes);
    int e = (int)(bits >> 52 & 2047), of_sizes = (int)(bits_of_sizes >> 52);
    int slack = 64 - __builtin_clzll(n) + of_sizes - e; /* as a power of two */
    *top = of_sizes - 1022;
    if (slack <= SHORT_CLOSE) {
        int64_t m = (int64_t)((bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52);
        *out = (accordi_exact_close){0, bits >> 63 ? -m : m, (uint64_t)1 << slack, e - 1075};
        return of_sizes && of_sizes < 2047 ? SHORT_SETTLED : SHORT_FOLDS;
    }
    w_store(lane, least);
    for (int l = 1; l < LANES; l++)
        lane[0] = lane[l] < lane[0] ? lane[l] : lane[0];
    bool is_narrow = *top - ((int)(lane[0] >> 52) - 1022) <= SHORT_NARROW_F32;
    return is_narrow && n <= SHORT_BLOCK ? SHORT_ALL_BITS : SHORT_OPEN;
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
    const short_mode once = {false, track, false, 2}, tracked = {true, track, false, 2},
                     loose = {true, false, false, 2}, one = {false, false, false, 1},
                     one_watched = {true, false, false, 1}, three = {true, false, false, 3},
                     all_bits = {false, false, true, 3}, all_bits_f32 = {false, false, true, 2};
    if (n < LANES || n >> 36)
        return false;
    size_t count = short_count(n < SHORT_TRACKED ? n : SHORT_BLOCK / 8);
    int top;
    short_need need = SHORT_FOLDS;
    if (s.narrow && !folds)
        need = short_ordinary(s, n, &top, out);
    else if (s.narrow || folds > 2 || n > (s.product ? SHORT_SKIMMED_PRODUCTS : SHORT_SKIMMED))
        top = short_top(s, count);
    else
        need = short_skim_all(s, n, &top);
    if (need == SHORT_OPEN)
        *out = (accordi_exact_close){0, 0, n, top};
    if (need == SHORT_OPEN || need == SHORT_SETTLED)
        return true;
    if (need == SHORT_ALL_BITS) {
        *out = (accordi_exact_close){0, 0, 0, short_place(top, s.narrow ? 1 : 2) - 52};
        return short_take(s, s.narrow ? all_bits_f32 : all_bits, n, &top, out);
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
