/* The exact dot of two arrays of f64: which level takes which block. A template: include isa_SET.h
 * first.
 *
 * Each block goes through the window of the block before. If a block does not fit, its exponents
 * are examined, and the cheapest window that takes its products is opened; if it failed only
 * because of zeros among the products, the window stays the same. If no window is wide enough, the
 * scatter takes this block and some more before windows are tried again. What the scatter cannot
 * take goes straight into limbs. */
#ifndef ACCORDI_EXACT_DOT_F64_H
#define ACCORDI_EXACT_DOT_F64_H

#include "exact/kernels/dot_scatter.h"
#include "exact/kernels/dot_window.h"

enum {
    DOT_SAMPLE = 8 * DOT_STEP, /* products that the first window is chosen by */
    DOT_TRIALS = 64,           /* blocks until a window of fewer folds is tried */
    DOT_PATIENCE = 256,        /* blocks at most until windows are tried again */
    DOT_WORTH_A_TABLE = 256,   /* products; fewer are not worth clearing it */
};

typedef struct dot_state {
    dot_window window;
    size_t trust;       /* products that may go there before the next look */
    int wait, patience; /* blocks for the scatter before the next look */
    bool open;          /* the bins */
    dot_scatter scatter;
} dot_state;

typedef struct dot_exponents {
    int least, most; /* of the products that are not zero; least > most where there are none */
    bool zeros;
} dot_exponents;

/* A product that vanished, though no factor is zero, counts as the least of all. The upper halves
 * of twice the patterns are compared: the signs are gone. n is a multiple of LANES. */
ISA_FUNCTION static dot_exponents dot_look(const double *x, const double *y, size_t n)
{
    words most = w_splat(0), least = w_splat(-1), zeros = w_splat(0);
    for (size_t i = 0; i < n; i += LANES) {
        vec a = v_load(x + i), b = v_load(y + i);
        words p = w_shl(w_of(v_mul(a, b)), 1);
        words factor = w_or(w_zero(w_shl(w_of(a), 1)), w_zero(w_shl(w_of(b), 1)));
        words zero = w_and(w_zero(p), factor);
        most = w_max32(most, p);
        least = w_min32(least, w_or(p, zero));
        zeros = w_or(zeros, zero);
    }
    uint64_t high[LANES], low[LANES];
    w_store(high, w_shr(most, 53));
    w_store(low, w_shr(least, 53));
    for (int i = 1; i < LANES; i++) {
        high[0] = high[i] > high[0] ? high[i] : high[0];
        low[0] = low[i] < low[0] ? low[i] : low[0];
    }
    return (dot_exponents){(int)low[0] - 1023, (int)high[0] - 1023, w_any(zeros)};
}

static inline bool dot_takes(const dot_window *w, dot_exponents e)
{
    return w->folds && e.least >= w->low && e.most < w->low + w->reach;
}

/* The cheapest window that takes these exponents, what is to spare mostly below: the smaller a
 * product, the rarer it is in most data. */
static bool dot_choose(dot_window *w, accordi_exact_view sum, dot_exponents e)
{
    int span = e.most - e.least + 1;
    if (span <= 0)
        return false;
    for (int folds = 2; folds <= DOT_FOLDS; folds++) {
        int low = e.least - (dot_reach(folds) - span) * 3 / 4;
        low = low < DOT_BELOW - 1022 ? DOT_BELOW - 1022 : low;
        if (span > dot_reach(folds) || e.least < low || !dot_window_fits(folds, low))
            continue;
        if (folds != w->folds || !dot_takes(w, e)) {
            dot_window_flush(w, sum);
            dot_window_open(w, folds, low);
        }
        return true;
    }
    return false;
}

static size_t dot_run(dot_window *w, accordi_exact_view sum, const double *x, const double *y,
                      size_t n, bool watched)
{
    size_t done = dot_kernels[w->folds](w, x, y, n, watched);
    sum.count[ACCORD_EXACT_TERMS] += (int64_t)done;
    if (w->blocks == DOT_FLUSH)
        dot_window_flush(w, sum);
    return done;
}

/* Chooses a window for these products; false where there is none. Windows that are not the cheapest
 * are left now and then to see whether they are still needed; zeros need a look at every block. */
static bool dot_seek(dot_state *s, accordi_exact_view sum, const double *x, const double *y,
                     size_t n)
{
    dot_exponents e = dot_look(x, y, n);
    s->trust = 0;
    if (!dot_choose(&s->window, sum, e))
        return false;
    if (!e.zeros)
        s->trust = s->window.folds == 2 ? SIZE_MAX : DOT_TRIALS * DOT_BLOCK;
    return true;
}

/* Up to n products by windows; returns how many, 0 where the first block fits none. */
static size_t dot_by_window(dot_state *s, accordi_exact_view sum, const double *x, const double *y,
                            size_t n)
{
    dot_window *w = &s->window;
    if (!w->folds && !s->patience)
        dot_seek(s, sum, x, y, n < DOT_SAMPLE ? n : DOT_SAMPLE);
    size_t trusted = n < s->trust ? n : s->trust;
    size_t done = trusted ? dot_run(w, sum, x, y, trusted, true) : 0;
    s->trust -= done;
    if (done)
        return done;
    size_t block = n < DOT_BLOCK ? n : DOT_BLOCK;
    return dot_seek(s, sum, x, y, block) ? dot_run(w, sum, x, y, block, false) : 0;
}

/* For a block that no window takes. */
static void dot_beyond(dot_state *s, accordi_exact_view sum, const double *x, const double *y,
                       size_t n, bool bins)
{
    if (bins && !s->open)
        dot_scatter_open(&s->scatter, sum);
    s->open |= bins;
    if (bins)
        dot_scatter_add(&s->scatter, x, y, n);
    else
        accordi_exact_products_f64(sum, n, x, 1, y, 1);
}

/* Returns how many products were added; n is a multiple of DOT_STEP. */
static size_t dot_some(dot_state *s, accordi_exact_view sum, const double *x, const double *y,
                       size_t n, unsigned levels)
{
    bool bins = (levels & ACCORDI_EXACT_SCATTER) && (s->open || n >= DOT_WORTH_A_TABLE);
    if ((levels & ACCORDI_EXACT_WINDOW) && !s->wait) {
        size_t done = dot_by_window(s, sum, x, y, n);
        if (done) {
            s->patience = 0;
            return done;
        }
        if (bins) {
            s->patience = s->patience ? 2 * s->patience : DOT_PATIENCE / 16;
            s->patience = s->patience > DOT_PATIENCE ? DOT_PATIENCE : s->patience;
            s->wait = s->patience;
        }
    } else if (s->wait) {
        s->wait--;
    }
    size_t block = n < DOT_BLOCK ? n : DOT_BLOCK;
    dot_beyond(s, sum, x, y, block, bins);
    return block;
}

static void dot_f64(accordi_exact_view sum, size_t n, const double *x, const double *y,
                    unsigned levels)
{
    dot_state s;
    memset(&s.window, 0, sizeof s.window);
    s.trust = 0;
    s.wait = s.patience = 0;
    s.open = false; /* the table is left as it is */
    while (n >= DOT_STEP) {
        size_t done = dot_some(&s, sum, x, y, n - n % DOT_STEP, levels);
        x += done;
        y += done;
        n -= done;
    }
    dot_window_flush(&s.window, sum);
    if (s.open)
        dot_scatter_close(&s.scatter);
    accordi_exact_products_f64(sum, n, x, 1, y, 1);
}

#endif
