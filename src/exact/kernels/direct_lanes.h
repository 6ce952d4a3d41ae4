/* Sums in vector registers, as closely as their rounding needs. A template: include isa_SET.h
 * first.
 *
 * In: an array and a bound 2^top on its first block. Out: the folds of the whole array.
 *
 * Blocks are added in folds (direct_folds.h) under the assumption that all terms are below 2^top.
 * For the first block this is checked before. The others are checked while they are added: if a
 * term is too large, its block and all later ones are added again with a greater top. */
#ifndef ACCORDI_EXACT_SHORT_LANES_H
#define ACCORDI_EXACT_SHORT_LANES_H

#include "exact/kernels/direct_folds.h"
#include "exact/kernels/direct_singles.h"

enum {
    SHORT_FAR = 1 << 17,    /* terms that may come from memory */
    SHORT_LOOKED = 1 << 12, /* terms at most that are looked at before they are added */
    SHORT_CLOSE = 28,       /* binades that may cancel of an ordinary sum */
    SHORT_SPARE = 8,        /* binades */
    SHORT_FLUSH = 1 << 6    /* blocks */
};

/* What several blocks with the same top have added: lane by lane, so that little is left to do for
 * each of them. */
typedef struct short_totals {
    words fold[3];
    size_t terms, blocks;
} short_totals;

/* Adds a block whose terms are below 2^*top. False: nothing has been added, and *top, which was too
 * small, is right now; or it is out of range, which it is also after a NaN. */
ISA_OP bool short_take_block(short_source s, short_mode mode, size_t n, int *top, short_totals *sum)
{
    const bool patterns = mode.watch && s.narrow && !s.product;
    short_folds f = {.most = {v_splat(0), v_splat(0)}, .most_f32 = w_splat(0)};
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
    out->slack += sum->terms + sum->blocks;
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
    return (short_totals){{zero, zero, zero}, 0, 0};
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

/* Fewer than LANES terms from i on, and zeros. */
ISA_OP vec short_some(short_source s, size_t i, size_t some)
{
    vec a = short_load_some(s.narrow, s.x, i, some);
    return s.product ? v_mul(a, short_load_some(s.narrow, s.y, i, some)) : a;
}

/* An ordinary sum of terms of f32, or of their products, which are f64 without error: in any order,
 * it errs by less than n 2^-53 times the sum of their sizes (Higham, Accuracy and Stability of
 * Numerical Algorithms, 2002, section 4.2). For results in f32 that is most often enough. */
ISA_OP bool short_ordinary(short_source s, size_t n, accordi_exact_close *out)
{
    const words all_but_sign = w_splat(INT64_MAX);
    vec sum[2] = {v_splat(0), v_splat(0)}, size[2] = {v_splat(0), v_splat(0)};
    for (size_t i = 0, c = 0; i < n; i += LANES, c ^= 1) {
        vec a = n - i < LANES ? short_some(s, i, n - i) : short_value(s, i);
        sum[c] = v_add(sum[c], a);
        size[c] = v_add(size[c], v_of(w_and(w_of(a), all_but_sign)));
    }
    double total = v_total(v_add(sum[0], sum[1])), sizes = v_total(v_add(size[0], size[1]));
    uint64_t bits, bits_of_sizes;
    memcpy(&bits, &total, sizeof bits);
    memcpy(&bits_of_sizes, &sizes, sizeof bits_of_sizes);
    int e = (int)(bits >> 52 & 2047), of_sizes = (int)(bits_of_sizes >> 52);
    int slack = 64 - __builtin_clzll(n) + of_sizes - e; /* as a power of two */
    if (!of_sizes || of_sizes == 2047)
        return false;
    *out = (accordi_exact_close){0, 0, 2, of_sizes - 1022}; /* twice the sizes, which are rounded */
    if (slack <= SHORT_CLOSE) {
        int64_t m = (int64_t)((bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52);
        *out = (accordi_exact_close){0, bits >> 63 ? -m : m, (uint64_t)1 << slack, e - 1075};
    }
    return true;
}

/* The bound on terms that has given two folds their unit. */
ISA_OP int short_top_of_unit(int unit)
{
    return unit + 52 + ACCORDI_EXACT_FOLD - SHORT_ABOVE;
}

/* Three folds, with the bound of two where they have been there before: another one is only slower,
 * since all terms are watched. */
ISA_OP bool short_run_three(short_source s, size_t n, accordi_exact_close *out)
{
    const short_mode three = {true, 3};
    int top = short_top_of_unit(out->unit);
    if (!short_is_place(top)) {
        size_t count = short_count(n < SHORT_LOOKED ? n : SHORT_BLOCK / 8);
        top = short_top(s, count);
        if (top < SHORT_LEAST && n > SHORT_LOOKED)
            top = SHORT_LEAST; /* greater terms may follow */
        if (!short_is_place(top))
            return false;
        if (count < n)
            short_spare(&top);
    }
    *out = (accordi_exact_close){0, 0, 0, short_place(top, 2) - 52};
    return short_take_all(s, three, 0, n, &top, out);
}

ISA_OP bool short_run(short_source s, size_t n, int folds, accordi_exact_close *out)
{
    const short_mode once = {false, 2}, loose = {true, 2}, one = {false, 1},
                     one_watched = {true, 1};
    if (n < LANES || n >> 36)
        return false;
    if (folds == 3)
        return short_run_three(s, n, out);
    if (s.narrow && !folds)
        return short_ordinary(s, n, out);
    size_t count = short_count(n < SHORT_LOOKED ? n : SHORT_BLOCK / 8);
    int top = short_top(s, count);
    if (s.narrow && folds == 1) {
        if (!s.product && n >= SINGLES_LANES && n <= SINGLES_TO && singles_is_place(top)) {
            *out = (accordi_exact_close){0, 0, 0, top + SINGLES_UNIT};
            size_t done = singles_run(s.x, n, top, out);
            if (done) { /* the rest, of greater terms, in the finer units of doubles */
                const int finer = top + SINGLES_UNIT - (short_place(top, 0) - 52);
                out->low *= 1 << finer;
                out->slack <<= finer;
                out->unit -= finer;
                return short_take_all(s, one_watched, done, n, &top, out);
            }
        }
        *out = (accordi_exact_close){0, 0, 0, short_place(top, 0) - 52};
        return short_take(s, one, count, &top, out) &&
               short_take_all(s, one_watched, count, n, &top, out);
    }
    if (top < SHORT_LEAST && n > SHORT_LOOKED)
        top = SHORT_LEAST; /* greater terms may follow */
    *out = (accordi_exact_close){0, 0, 0, short_place(top, 1) - 52};
    if (!short_take(s, once, count, &top, out))
        return false;
    if (n == count)
        return true;
    short_spare(&top);
    accordi_exact_coarsen(out, short_place(top, 1) - 52);
    return short_take_all(s, loose, count, n, &top, out);
}

/* Many products of f64: subnormal errors take some processors a hundred cycles each, and are of no
 * account beside the unit for all that is lost to underflow. Numbers that are flushed are below
 * 2^-1022, the two of each of 2^36 products come to less than 2^-985, and the unit is 2^-981 at
 * least. What folds leave is a multiple of 2^-990, or the number that came, so nothing else is
 * flushed. */
ISA_OP bool short_run_flushed(short_source s, size_t n, int folds, accordi_exact_close *out)
{
#ifdef ISA_FLUSH
    const bool flushes = short_has_errors(s) && n > SHORT_LOOKED;
    unsigned before = flushes ? isa_flush() : 0;
    bool found = short_run(s, n, folds, out);
    if (flushes)
        isa_restore(before);
    return found;
#else
    return short_run(s, n, folds, out);
#endif
}

#define SHORT_KERNEL(name_, narrow_, product_)                                                     \
    ISA_FUNCTION static bool short_##name_(size_t n, const void *x, const void *y, int folds,      \
                                           accordi_exact_close *out)                               \
    {                                                                                              \
        const short_source s = {narrow_, product_, x, y, n >= SHORT_FAR};                          \
        return short_run_flushed(s, n, folds, out);                                                \
    }
SHORT_KERNEL(sum_f64, false, false)
SHORT_KERNEL(sum_f32, true, false)
SHORT_KERNEL(dot_f64, false, true)
SHORT_KERNEL(dot_f32, true, true)

#endif
