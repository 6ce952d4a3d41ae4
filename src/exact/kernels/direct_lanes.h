/* Sums in vector registers, as closely as their rounding needs. A template: include isa_SET.h
 * first.
 *
 * In: an array and a bound 2^top on its first block. Out: the folds of the whole array.
 *
 * Blocks are added in folds (direct_folds.h) under the assumption that all terms are below 2^top.
 * For the first block this is checked before, and up to a thousand terms of f64 are looked at first
 * for whether their sum cancels so far that folds would be of no use. The others are checked while
 * they are added: if a term is too large, its block and all later ones are added again with a
 * greater top. If the exponents of a few thousand terms are so similar that two folds leave no
 * rest, ties are likely, so it is recorded whether there was a rest. */
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
    SHORT_SPARE = 8,     /* binades */
    SHORT_FLUSH = 1 << 6 /* blocks */
};

/* What several blocks with the same top have added: lane by lane, so that little is left to do for
 * each of them. */
typedef struct short_totals {
    words fold[3], rest;
    size_t terms, blocks;
} short_totals;

/* Adds a block whose terms are below 2^*top. False: nothing has been added, and *top, which was too
 * small, is right now; or it is out of range, which it is also after a NaN. */
ISA_OP bool short_take_block(short_source s, short_mode mode, size_t n, int *top, short_totals *sum)
{
    const bool patterns = mode.watch && s.narrow && !s.product;
    short_folds f = {.rest = w_splat(0), .most = {v_splat(0), v_splat(0)}, .most_f32 = w_splat(0)};
    for (int k = 0; k < mode.folds; k++)
        UNROLL for (int c = 0; c < SHORT_CHAINS; c++)
        {
            f.fold[k][c] = v_of(short_center(short_place(*top, k)));
        }
    short_add_block(s, mode, &f, n);
    words wrong = short_strays(f.fold[0], short_place(*top, 0));
    if (mode.watch) { /* the sign of last - size is set where a size has a greater exponent */
        words last = w_splat((int64_t)((uint64_t)(*top + 1023) << 52) - 1);
        words beyond = w_or(w_sub(last, w_of(f.most[0])), w_sub(last, w_of(f.most[1])));
        wrong = w_or(wrong, w_shr(beyond, 63));
    }
    if (w_any(wrong) || (patterns && short_top_of_f32(f.most_f32) > *top)) {
        int found = short_top_of(f.most[0], f.most[1]);
        if (patterns && short_top_of_f32(f.most_f32) > found)
            found = short_top_of_f32(f.most_f32);
        *top = found > *top ? found : INT32_MAX;
        return false;
    }
    for (int k = 0; k < mode.folds; k++)
        sum->fold[k] = w_add(sum->fold[k], short_total(f.fold[k], short_place(*top, k)));
    sum->rest = w_or(sum->rest, f.rest);
    sum->terms += n;
    sum->blocks++;
    return true;
}

/* Puts what blocks have added, which had the top that out has, into out. */
ISA_OP void short_put(short_mode mode, const short_totals *sum, accordi_exact_close *out)
{
    int64_t first = short_all_lanes(sum->fold[0]);
    if (mode.folds == 1) {
        out->low += first;
        out->slack += sum->terms / 2 + sum->blocks; /* half a unit a term */
        return;
    }
    bool whole = mode.whole || (mode.track && !w_any(w_shl(sum->rest, 1))); /* -0 is no rest */
    out->slack += whole ? 0 : sum->terms + sum->blocks;
    int128 both =
        (int128)((uint128)(int128)first << ACCORDI_EXACT_FOLD) + short_all_lanes(sum->fold[1]);
    if (mode.folds == 2) {
        out->low += both;
    } else {
        out->high += both;
        out->low += short_all_lanes(sum->fold[2]);
    }
}

ISA_OP short_totals short_nothing(void)
{
    const words zero = w_splat(0);
    return (short_totals){{zero, zero, zero}, zero, 0, 0};
}

ISA_OP bool short_is_place(int top)
{
    return top >= SHORT_LEAST && top <= SHORT_MOST;
}

/* One block, by itself. */
ISA_OP bool short_take(short_source s, short_mode mode, size_t n, int *top,
                       accordi_exact_close *out)
{
    short_totals sum = short_nothing();
    if (!short_is_place(*top) || !short_take_block(s, mode, n, top, &sum))
        return false;
    short_put(mode, &sum, out);
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

/* Lanes hold what SHORT_FLUSH blocks add: less than 2^51 a fold and block, so that all lanes stay
 * below 2^62 together. */
ISA_OP bool short_take_all(short_source s, short_mode mode, size_t from, size_t n, int *top,
                           accordi_exact_close *out)
{
    while (from < n) {
        if (!short_is_place(*top))
            return false;
        short_totals sum = short_nothing();
        bool fits = true;
        while (from < n && sum.blocks < SHORT_FLUSH && fits) {
            size_t count = short_count(n - from);
            fits = short_take_block(short_from(s, from), mode, count, top, &sum);
            from += fits ? count : 0;
        }
        short_put(mode, &sum, out);
        if (fits)
            continue;
        if (!short_is_place(*top))
            return false;
        if (mode.folds > 1) /* one has no bits to spare */
            short_spare(top);
        accordi_exact_coarsen(out, short_place(*top, mode.folds - 1) - 52);
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
