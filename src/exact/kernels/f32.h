/* The exact sum of an array of f32, and the dot of two: which way each block goes. A template:
 * include isa_SET.h first.
 *
 * Each block goes through the window of the block before. After every DOT_TRIALS blocks, the
 * narrowest window that would have taken all of them is opened. If a block does not fit, its
 * exponents are examined, and it goes through the narrowest window that takes it. Blocks of zeros
 * alone, infinities and NaN go straight into limbs. Terms whose exponents spread too far for a
 * window go into bins, and so do products, as f64. */
#ifndef ACCORDI_EXACT_SINGLE_F32_H
#define ACCORDI_EXACT_SINGLE_F32_H

#include "exact/kernels/f32_scatter.h"
#include "exact/kernels/f32_window.h"
#include "exact/kernels/sum_f64.h"

enum {
    SINGLE_TRIAL = 64 * SINGLE_BLOCK,
    SINGLE_WORTH = FUSES ? SINGLE_FOLDS : 2, /* folds for products; bins are faster than more */
    SINGLE_CHEAP = 4096, /* products for which, without multiply-add, bins are faster than any */
};

static inline int single_clamp(int field)
{
    return field < 1 ? 1 : field > 254 ? 254 : field;
}

/* What is to spare goes a quarter above, the rest below: the smaller a number, the rarer it is in
 * most data. */
static void single_widen(single_range *limit, int spare)
{
    limit->most = single_clamp(limit->most + spare / 4);
    limit->least = single_clamp(limit->least - (spare - spare / 4));
}

/* The folds of the narrowest window that takes a range; 0: there is none, or other ways are faster.
 */
static int single_need(const single_range *r, bool product)
{
    const int most = product ? SINGLE_WORTH : SINGLE_FOLDS;
    int need = single_top(r, product) - single_unit(r, product), folds = 1;
    while (folds <= most && !(single_kernels[product][folds] && need <= single_span(folds)))
        folds++;
    return folds <= most ? folds : 0;
}

static void single_choose(single_window *w, accordi_exact_view sum, int folds, bool product)
{
    single_range r[2] = {w->seen[0], w->seen[1]};
    int spare = single_span(folds) - (single_top(r, product) - single_unit(r, product));
    single_widen(&r[0], product ? spare / 2 : spare);
    if (product)
        single_widen(&r[1], spare / 2);
    single_flush(w, sum);
    single_open(w, folds, r, product);
}

static size_t single_run(single_window *w, accordi_exact_view sum, const float *x, const float *y,
                         size_t n)
{
    size_t done = single_kernels[y != NULL][w->folds](w, x, y, n);
    sum.count[ACCORD_EXACT_TERMS] += (int64_t)done;
    if (w->blocks == SINGLE_FLUSH)
        single_flush(w, sum);
    return done;
}

/* Zeros alone, or not only numbers. */
static bool single_is_odd(const single_range *r)
{
    return r->least > r->most || r->most > 254;
}

static void single_straight(accordi_exact_view sum, const float *x, const float *y, size_t n)
{
    if (y)
        accordi_exact_products_f32(sum, n, x, 1, y, 1);
    else
        accordi_exact_terms_f32(sum, n, x, 1);
}

/* The next terms, at least one block, which does not fit as things stand; returns how many. */
static size_t single_retry(single_window *w, accordi_exact_view sum, const float *x, const float *y,
                           size_t n, unsigned levels)
{
    size_t block = n < SINGLE_BLOCK ? n : SINGLE_BLOCK, some = n < SUM_SCATTER ? n : SUM_SCATTER;
    const bool bins = levels & ACCORDI_EXACT_SCATTER && some >= BINS_FROM;
    const bool cheap = bins && !FUSES && y && n >= SINGLE_CHEAP;
    single_look(w, x, y, block);
    if (!single_is_odd(&w->seen[0]) && !(y && single_is_odd(&w->seen[1]))) {
        int folds = cheap ? 0 : single_need(w->seen, y != NULL);
        if (folds) {
            single_choose(w, sum, folds, y != NULL);
            if (single_run(w, sum, x, y, block))
                return block;
        } else if (bins) {
            bins_run(sum, x, y, some);
            return some;
        }
    }
    single_straight(sum, x, y, block);
    return block;
}

/* Returns how many terms were added; n is a multiple of SINGLE_STEP. */
static size_t single_some(single_window *w, accordi_exact_view sum, const float *x, const float *y,
                          size_t n, unsigned levels)
{
    if (!w->folds)
        return single_retry(w, sum, x, y, n, levels);
    size_t done = single_run(w, sum, x, y, n < SINGLE_TRIAL ? n : SINGLE_TRIAL);
    if (!done)
        return single_retry(w, sum, x, y, n, levels);
    if (done == SINGLE_TRIAL) {
        int folds = single_need(w->seen, y != NULL);
        if (folds < w->folds)
            single_choose(w, sum, folds, y != NULL);
    }
    return done;
}

/* y is NULL for sums. */
static void single_all(accordi_exact_view sum, size_t n, const float *x, const float *y,
                       unsigned levels)
{
    single_window w;
    memset(&w, 0, sizeof w);
    while (n >= SINGLE_STEP && (levels & ACCORDI_EXACT_WINDOW)) {
        size_t done = single_some(&w, sum, x, y, n - n % SINGLE_STEP, levels);
        x += done;
        y = y ? y + done : NULL;
        n -= done;
    }
    single_flush(&w, sum);
    if (n >= SINGLE_STEP && (levels & ACCORDI_EXACT_SCATTER))
        bins_run(sum, x, y, n);
    else
        single_straight(sum, x, y, n);
}

static void sum_f32(accordi_exact_view sum, size_t n, const float *x, unsigned levels)
{
    single_all(sum, n, x, NULL, levels);
}

static void dot_f32(accordi_exact_view sum, size_t n, const float *x, const float *y,
                    unsigned levels)
{
    single_all(sum, n, x, y, levels);
}

#endif
