/* The exact sum of an array of f64: which level takes which terms. A template: include isa_SET.h
 * first.
 *
 * A few dozen terms go into limbs, a vector at a time (sum_pairs.h), and so do some thousands for
 * which no window is worth its folds. For the others:
 *
 * Terms go through the window that took the terms before. If it does not take a block, the
 * exponents of the next terms are examined, and the cheapest window that has room for them is
 * opened. It is given four times as many terms as were examined, or only these if it does not take
 * so many; after each success the number grows fourfold. If no window is worth its folds, a few
 * samples further on show whether this will continue. If so, the terms are scattered into bins,
 * which costs about as much as LANES folds or twice that, and a few thousand cycles once. If not,
 * the terms that do not fit are isolated in smaller and smaller blocks and go straight into limbs.
 * Subnormal numbers among themselves are added as integers. These estimates affect the speed only:
 * every level checks for itself which terms it can take.
 *
 * The number of zeros matters only in a sum of zeros alone. A window is opened only after a nonzero
 * term was seen, so windows need not count zeros; bins and limbs do. */
#ifndef ACCORDI_EXACT_SUM_F64_H
#define ACCORDI_EXACT_SUM_F64_H

#include "exact/kernels/exponents.h"
#include "exact/kernels/sum_pairs.h"
#include "exact/kernels/sum_scatter.h"
#include "exact/kernels/sum_window.h"

enum {
    SUM_FEW = 128,         /* terms for which no window is worth opening */
    SUM_LOOK = 256,        /* terms to look at before a window is opened … */
    SUM_CLOSER = 64,       /* … and when looking for odd ones */
    SUM_BOLD = 4,          /* times as many for the window that took all of the last */
    SUM_PLACES = 8,        /* to look at for what lies ahead */
    SUM_REVIEW = 1 << 16,  /* terms after which a cheaper window than this one is looked for */
    SUM_SCATTER = 1 << 18, /* terms to scatter before windows are tried again */
    INTEGERS_ADDS = 1 << 10,
    SUM_BINS = FUSES ? 2048 : 512, /* terms for which it is worth setting up bins */
    /* Cycles, with AVX2 and SSE2 those of Zen 3: */
    SUM_NARROW = LANES == 4 ? 6 : 8, /* folds of a window for which there are registers */
    SUM_SETUP = 2048,                /* to set up bins and empty them */
    SUM_OPEN = 96,                   /* to open a window and empty it, a fold */
    SUM_LIMBS = FUSES ? 8 : 15,      /* for a term to go into limbs */
    /* … and eighths of a cycle: */
    SUM_FOLD = FUSES ? 9 : 15, /* for a vector to pass a fold */
    SUM_BIN = LANES == 8   ? 8
              : LANES == 4 ? 13
                           : 15, /* for a term to go into a bin */
    /* An exponent: */
    SUM_NORMAL = -1022 + 52 /* all bits of terms from here on are normal numbers */
};

typedef struct stream {
    accordi_exact_view sum;
    const double *x;
    size_t n;
    unsigned levels;
    window w;
    exponents seen;
    size_t look, trust; /* how many terms to look at, to give to the window */
} stream;

/* Whether the bins, or the limbs, cost less than so many folds, roughly. */
static bool is_too_much(const stream *s, int folds)
{
    size_t n = s->n < SUM_SCATTER ? s->n : SUM_SCATTER, k = (size_t)folds;
    return (s->levels & ACCORDI_EXACT_SCATTER) &&
           ((folds > SUM_NARROW && n >= SUM_BINS) ||
            SUM_FOLD * k * n > LANES * (SUM_BIN * n + 8 * SUM_SETUP) ||
            k * (n + LANES * SUM_OPEN) > LANES * SUM_LIMBS * n);
}

/* The cheapest window for these exponents; NULL if there is none, or it would cost more than other
 * ways. What is to spare lies mostly below: the smaller a term, the rarer it is in most data. At
 * the very bottom there is nothing that a window by rest does not reach. But subnormal numbers,
 * and differences, take some processors a hundred cycles each; bins have integers. */
static const window_kernel *choose_window(const stream *s, exponents e, int *low)
{
    int span = e.most - e.least + 1;
    if (e.least < SUM_NORMAL && s->n >= SUM_BINS && s->levels & ACCORDI_EXACT_SCATTER)
        return NULL;
    for (int row = 0; row < WINDOW_ROWS; row++) {
        const window_kernel *k = &window_kernels[row];
        int binades = window_binades(k);
        if (is_too_much(s, k->folds))
            break;
        *low = e.least - (binades - span) * 3 / 4;
        *low = *low < -1022 ? -1022 : *low;
        if (span <= 0 || span > binades || (e.zeros && k->by_range) || !window_exists(k, *low))
            continue;
        if (e.most < *low + binades && (e.least >= *low || !k->by_range))
            return k;
    }
    return NULL;
}

static void into_limbs(stream *s, size_t count)
{
    pairs_run(s->sum, count, s->x);
    s->x += count;
    s->n -= count;
}

static void into_bins(stream *s, size_t count)
{
    scatter_run(s->sum, count, s->x);
    s->x += count;
    s->n -= count;
}

static void taken_by_window(stream *s, size_t count)
{
    s->sum.count[ACCORD_EXACT_TERMS] += (int64_t)count;
    s->x += count;
    s->n -= count;
    if (s->w.blocks >= WINDOW_FLUSH)
        window_flush(&s->w, s->sum);
}

/* Less than a step: filled up with terms that are taken off again. */
static bool into_padded_window(stream *s)
{
    window *w = &s->w;
    const window_kernel *k = w->kernel;
    double block[WINDOW_CHAINS * LANES];
    for (int i = 0; i < k->step; i++)
        block[i] = k->by_range ? window_power(w->low) : 0;
    memcpy(block, s->x, s->n * sizeof *block);
    if (!k->run(w, block, 1))
        return false;
    if (k->by_range)
        w->total[k->folds - 1][0] -= (int64_t)((size_t)k->step - s->n) << 52;
    taken_by_window(s, s->n);
    return true;
}

/* As much as the window is trusted with; false where it took less. */
static bool into_window(stream *s)
{
    size_t step = (size_t)s->w.kernel->step, count = s->n < s->trust ? s->n : s->trust;
    if (s->n < step)
        return into_padded_window(s);
    int steps = count < step ? 1 : (int)(count / step), done;
    for (; steps; steps -= done) {
        done = s->w.kernel->run(&s->w, s->x, steps);
        bool due = s->w.blocks >= WINDOW_FLUSH;
        taken_by_window(s, (size_t)done * step);
        if (done < steps && !due)
            return false;
    }
    return true;
}

static void trust_more(stream *s)
{
    size_t most = s->w.kernel == window_kernels ? 1 << 30 : SUM_REVIEW;
    s->look = s->trust < SUM_CLOSER ? SUM_CLOSER : s->trust < SUM_LOOK ? s->trust : SUM_LOOK;
    if (s->trust >= SUM_REVIEW && most == SUM_REVIEW) {
        s->trust = 0;
        s->seen = nothing;
    } else if (s->trust < most) {
        s->trust *= SUM_BOLD;
    }
}

/* Numbers below 2^-1021 in size are their patterns times 2^-1074, and are added as integers, up to
 * the first block with others, or with nothing but zeros; false where that is the first block.
 * Bound: INTEGERS_ADDS patterns below 2^53 in a lane. */
ISA_FUNCTION static bool into_integers(stream *s)
{
    size_t before = s->n;
    while (s->n >= LANES) {
        size_t count = s->n < INTEGERS_ADDS * LANES ? s->n / LANES * LANES : INTEGERS_ADDS * LANES;
        words all = w_splat(0), most = all;
        for (size_t i = 0; i < count; i += LANES) {
            fetch_ahead(s->x + i, LANES * sizeof *s->x);
            words bits = w_load(s->x + i), sign = w_sub(w_splat(0), w_shr(bits, 63));
            words size = w_and(bits, w_splat(INT64_MAX));
            most = w_or(most, size);
            all = w_add(all, w_sub(w_xor(size, sign), sign));
        }
        if (!w_any(most) || w_any(w_shr(most, 53)))
            break;
        int64_t lane[LANES];
        w_store(lane, all);
        accordi_exact_put_lanes(s->sum, lane, LANES, -1074);
        s->sum.count[ACCORD_EXACT_TERMS] += (int64_t)count;
        s->x += count;
        s->n -= count;
    }
    return s->n < before;
}

/* Whether most places ahead have no window either. */
static bool is_wide_ahead(const stream *s, size_t ahead)
{
    size_t places = ahead / (4 * SUM_CLOSER) + 1, wide = 0;
    size_t count = ahead < SUM_CLOSER ? ahead : SUM_CLOSER;
    places = places < SUM_PLACES ? places : SUM_PLACES;
    for (size_t i = 0; i < places; i++) {
        int low;
        const double *place = s->x + (ahead - count) / places * i;
        wide += !choose_window(s, exponents_of(place, count), &low);
    }
    return wide > places / 2;
}

/* Whether no window takes what places all over the terms show: those that are sorted by size would
 * each have one of their own, and to open many takes longer than bins. */
static bool is_wide(const stream *s)
{
    exponents e = nothing;
    int low;
    for (size_t i = 0; i < SUM_PLACES; i++)
        e = exponents_of_both(e, exponents_of(s->x + (s->n - LANES) / (SUM_PLACES - 1) * i, LANES));
    return e.most > -1022 && !choose_window(s, e, &low); /* or they are added as integers */
}

/* No window for the next `count` terms. */
static void without_window(stream *s, size_t count)
{
    bool bins = s->levels & ACCORDI_EXACT_SCATTER && s->n >= SUM_BINS;
    size_t ahead = s->n < SUM_SCATTER ? s->n : SUM_SCATTER;
    if (s->look == SUM_CLOSER)
        into_limbs(s, count);
    else if (count < ahead && !is_wide_ahead(s, ahead))
        s->look = SUM_CLOSER;
    else if (bins)
        into_bins(s, ahead);
    else
        into_limbs(s, ahead);
}

/* Looks ahead for another window, and takes some terms at least. */
static void reopen(stream *s)
{
    window *w = &s->w;
    size_t count = s->n < 2 * s->look ? s->n : s->look;
    exponents e = exponents_of(s->x, count);
    int low;
    s->seen = exponents_of_both(s->seen, e);
    const window_kernel *k = choose_window(s, s->seen, &low);
    if (!k) {
        s->seen = e;
        k = choose_window(s, e, &low);
    }
    if (!k) {
        s->seen = nothing;
        if (e.most > -1022 || !into_integers(s))
            without_window(s, count);
        return;
    }
    if (k != w->kernel || low != w->low) {
        window_flush(w, s->sum);
        window_open(w, k, low);
    }
    const double *from = s->x;
    for (s->trust = s->look == SUM_LOOK ? SUM_BOLD * count : count;; s->trust = count) {
        if (into_window(s) || s->x != from) {
            trust_more(s);
            return;
        }
        if (s->trust == count)
            break;
    }
    into_limbs(s, s->n < SUM_CLOSER ? s->n : SUM_CLOSER);
}

static void sum_f64(accordi_exact_view sum, size_t n, const double *x, unsigned levels)
{
    stream s = {.sum = sum, .x = x, .n = n, .levels = levels, .look = SUM_LOOK, .seen = nothing};
    if (levels == ACCORDI_EXACT_SCATTER ||
        (!FUSES && levels & ACCORDI_EXACT_SCATTER && n >= SUM_BINS && is_wide(&s)))
        into_bins(&s, n);
    else if (n <= SUM_FEW)
        into_limbs(&s, n);
    while (s.n >= LANES) {
        if (s.trust && into_window(&s))
            trust_more(&s);
        else
            reopen(&s);
    }
    window_flush(&s.w, sum);
    into_limbs(&s, s.n);
}

#endif
