/* Level 1 of exact sums: a window of exponents in vector registers. A template: include isa_SET.h
 * first.
 *
 * In: terms of f64. Out: how many terms were added, in whole blocks; their exact sum is in the
 * limbs. A block that the window cannot take is left to the caller (sum_f64.h).
 *
 * Idea. A fold is a double a that stays near its center C = 1.5 * 2^F. All its values are multiples
 * of u = 2^(F - 52), and bits(a) - bits(C), as an integer, counts these multiples. Adding p,
 *
 *     b = a + p;  d = b - a;  r = p - d;  a = b
 *
 * moves the nearest multiple d of u from p into the fold, without error (FastTwoSum), and passes
 * the rest r to the next, finer fold. A block is ADDS additions per fold and lane. It is checked
 * once, at its end: if the last fold lost anything, the registers of the block are discarded, and
 * nothing has to be undone. doc/theory.md has the proof and the sources.
 *
 * Bounds. F[K-1] = low and F[k] = F[k+1] + SPACING, SPACING = 52 - log2(ADDS):
 *  - all terms are below 2^top, top = F[0] - 1 - log2(ADDS) = low + REACH, so fold 0 stays in the
 *    binade of its center;
 *  - |r| <= 2^(F[k]-53), so ADDS of them stay within 2^(F[k+1]-1) in fold k + 1;
 *  - the centers are normal and finite: -1022 <= low, F[0] <= 1022.
 * The last fold leaves no rest if all terms are multiples of 2^(low-52). Either check ensures it:
 *
 * By range: every exponent lies in [low, low + range), range <= REACH. The distances f = bits(x) -
 * (low << 52) are combined by OR: in the exponent's field, modulo 2^11, f < 2^w if and only if the
 * exponent lies in [low, low + 2^w). A range that is not a power of two needs a second test, of f +
 * (2^w - range). Zeros, subnormals, infinities and NaN are never in range.
 *
 * By rest: in the last fold p and d must have the same bits, except for the sign of a zero (R), and
 * the greatest |x| must be below 2^top (M). This check admits zeros, which are not counted here,
 * small terms with few bits and, if low is -1022, subnormals. R and M can both miss a NaN, but the
 * exponent of fold 0 shows it.
 *
 * Speed. A vector that passes K folds one after the other takes 8 to 10 cycles for each. Therefore
 * the folds work on different vectors: while fold 0 takes x[i], fold k takes what is left of
 * x[i-k]. The vectors between the folds (`flight`) pass from one block to the next; they are
 * restored if a block is discarded, and pass the remaining folds at the end of a run. The check by
 * range looks at the terms themselves, so these vectors belong to blocks that have passed. The
 * check by rest looks at the last fold, so it needs an empty `flight`. */
#ifndef ACCORDI_EXACT_SUM_WINDOW_H
#define ACCORDI_EXACT_SUM_WINDOW_H

#include "exact/kernels/fetch.h"
#include "exact/kernels/kernels.h"

enum {
    WINDOW_LOG_ADDS = 6,
    WINDOW_ADDS = 1 << WINDOW_LOG_ADDS, /* steps of a block */
    WINDOW_SPACING = 52 - WINDOW_LOG_ADDS,
    WINDOW_FOLDS = 8, /* at most */
    WINDOW_CHAINS = 4,
    WINDOW_FLUSH = 1 << 9, /* blocks: each adds up to CHAINS * 2^51 to a lane */
};

/* Binades that K folds reach over; those that they take by range: powers of two as long as little
 * is lost by it. */
#define WINDOW_REACH(folds_) (WINDOW_SPACING * ((folds_)-1) - 1 - WINDOW_LOG_ADDS)
#define WINDOW_RANGE(folds_)                                                                       \
    ((folds_) == 2 ? 32 : (folds_) == 3 ? 64 : (folds_) == 4 ? 128 : WINDOW_REACH(folds_))

struct window_kernel;
typedef struct window {
    const struct window_kernel *kernel; /* NULL: closed */
    int low;                            /* F of the last fold */
    int blocks;                         /* in the totals */
    double top, center[WINDOW_FOLDS];
    int64_t total[WINDOW_FOLDS][LANES];
} window;

typedef struct window_kernel {
    int folds, step; /* elements a step: chains * LANES */
    bool by_range;
    /* Adds up to `steps` steps of terms, block after block until one does not fit into the window
     * or a flush is due. Returns how many steps were added. */
    int (*run)(window *w, const double *x, int steps);
} window_kernel;

/* The state of one run. */
typedef struct window_state {
    vec a[WINDOW_CHAINS][WINDOW_FOLDS];
    vec flight[WINDOW_CHAINS][WINDOW_FOLDS]; /* [k]: on its way from fold k to k + 1 */
    words bad;                               /* by range: or-ed offsets of exponents; by rest: R */
    vec most[WINDOW_CHAINS];                 /* by rest: M */
} window_state;

/* What this is compiled for; constants wherever it is used. */
typedef struct window_form {
    int folds, chains;
    bool by_range, delayed;
} window_form;

/* a - b. Blocks that are checked by their rest may have subnormal numbers, for which the
 * multiply-add units of some processors take a hundred cycles, but adders do not. */
ISA_OP vec window_minus(vec a, vec b, window_form form)
{
    return form.by_range ? v_minus(a, b) : v_sub(a, b);
}

/* Fold k takes what it can out of p, and leaves the rest. The differences are dealt out to the
 * pipes of sums and of products. */
ISA_OP vec window_fold(vec *a, int k, vec p, window_form form)
{
    vec b = v_add(a[k], p), d = window_minus(b, a[k], form);
    a[k] = b;
    return k & 1 ? v_sub(p, d) : window_minus(p, d, form);
}

/* One vector goes in, and one, perhaps an earlier one, arrives in the last fold: *last. */
ISA_OP vec window_pass(vec *a, vec *flight, vec x, window_form form)
{
    int end = form.folds - 1;
    if (!form.delayed) {
        for (int k = 0; k < end; k++)
            x = window_fold(a, k, x, form);
        return x;
    }
    vec last = flight[end - 1];
    for (int k = end - 1; k > 0; k--)
        flight[k] = window_fold(a, k, flight[k - 1], form);
    flight[0] = window_fold(a, 0, x, form);
    return last;
}

ISA_OP void window_add(window_state *f, int chain, vec x, words lowest, words spare,
                       window_form form)
{
    vec *a = f->a[chain], *end = &a[form.folds - 1];
    vec p = window_pass(a, f->flight[chain], x, form), b = v_add(*end, p);
    if (!form.by_range) {
        f->bad = w_or_xor(f->bad, w_of(p), w_of(v_sub(b, *end)));
        f->most[chain] = v_absmax(f->most[chain], x);
    } else {
        words offset = w_sub(w_of(x), lowest);
        if (WINDOW_RANGE(form.folds) & (WINDOW_RANGE(form.folds) - 1))
            f->bad = w_or(f->bad, w_or(offset, w_add(offset, spare)));
        else
            f->bad = w_or(f->bad, offset);
    }
    *end = b;
}

/* w of 2^w >= the range. */
static inline int window_width(int folds)
{
    return 32 - __builtin_clz((unsigned)WINDOW_RANGE(folds) - 1);
}

ISA_OP bool window_is_exact(const window *w, const window_state *f, window_form form)
{
    const int64_t field = 0x7ff0000000000000;
    if (form.by_range) {
        int64_t above = (int64_t)((uint64_t)field << window_width(form.folds)) & field;
        return !w_any(w_and(f->bad, w_splat(above)));
    }
    words bad = w_and(f->bad, w_splat(INT64_MAX)), center = w_of(v_splat(w->center[0]));
    vec most = v_splat(0);
    for (int c = 0; c < form.chains; c++) {
        bad = w_or(bad, w_and(w_xor(w_of(f->a[c][0]), center), w_splat(field)));
        most = v_absmax(most, f->most[c]);
    }
    /* M >= 2^top: the sign of M - 2^top is clear; M is no NaN where fold 0 has none */
    words below = w_shr(w_of(v_sub(most, v_splat(w->top))), 63);
    return !w_any(w_or(bad, w_xor(below, w_splat(1))));
}

ISA_OP void window_copy(vec to[][WINDOW_FOLDS], vec from[][WINDOW_FOLDS], window_form form)
{
    for (int c = 0; c < form.chains && form.delayed; c++)
        for (int k = 0; k < form.folds - 1; k++)
            to[c][k] = from[c][k];
}

ISA_OP void window_center(const window *w, window_state *f, window_form form)
{
    for (int k = 0; k < form.folds; k++)
        for (int c = 0; c < form.chains; c++)
            f->a[c][k] = v_splat(w->center[k]);
}

ISA_OP void window_commit(window *w, const window_state *f, window_form form)
{
    for (int k = 0; k < form.folds; k++) {
        words total = w_load(w->total[k]), center = w_of(v_splat(w->center[k]));
        for (int c = 0; c < form.chains; c++)
            total = w_add(total, w_sub(w_of(f->a[c][k]), center));
        w_store(w->total[k], total);
    }
    w->blocks++;
}

/* Each fold takes one vector of each chain a step, ADDS at most; to let through what is on its way
 * takes fewer. */
ISA_OP void window_land(window *w, window_state *f, window_form form)
{
    window_center(w, f, form);
    for (int c = 0; c < form.chains; c++)
        for (int i = 0; i < form.folds - 1; i++) {
            vec *a = f->a[c], *end = &a[form.folds - 1];
            *end = v_add(*end, window_pass(a, f->flight[c], v_splat(0), form));
        }
    window_commit(w, f, form);
}

ISA_OP void window_block(window_state *f, const double *x, int steps, words lowest, words spare,
                         window_form form)
{
    for (int i = 0; i < steps; i++, x += form.chains * LANES) {
        fetch_ahead(x, (size_t)form.chains * LANES * sizeof *x);
        for (int c = 0; c < form.chains; c++)
            window_add(f, c, v_load(x + c * LANES), lowest, spare, form);
    }
}

ISA_OP int window_run(window *w, const double *x, int steps, window_form form)
{
    words lowest = w_splat((int64_t)(w->low + 1023) << 52);
    int wider = (1 << window_width(form.folds)) - WINDOW_RANGE(form.folds), done = 0;
    words spare = w_splat((int64_t)wider << 52);
    window_state f;
    for (int c = 0; c < form.chains; c++)
        for (int k = 0; k < form.folds; k++)
            f.flight[c][k] = v_splat(0);
    while (done < steps && w->blocks < WINDOW_FLUSH) {
        int block = steps - done < WINDOW_ADDS ? steps - done : WINDOW_ADDS;
        vec before[WINDOW_CHAINS][WINDOW_FOLDS];
        window_copy(before, f.flight, form);
        window_center(w, &f, form);
        f.bad = w_splat(0);
        for (int c = 0; c < form.chains; c++)
            f.most[c] = v_splat(0);
        window_block(&f, x, block, lowest, spare, form);
        if (!window_is_exact(w, &f, form)) {
            window_copy(f.flight, before, form);
            break;
        }
        window_commit(w, &f, form);
        done += block;
        x += block * form.chains * LANES;
    }
    if (form.delayed && done)
        window_land(w, &f, form);
    return done;
}

#define WINDOW_RUN(name_, folds_, chains_, by_range_, delayed_)                                    \
    ISA_FUNCTION static int window_##name_##_##folds_(window *w, const double *x, int steps)       \
    {                                                                                              \
        return window_run(w, x, steps, (window_form){folds_, chains_, by_range_, delayed_});       \
    }
#define WINDOW_ROW(name_, folds_, chains_, by_range_, delayed_)                                    \
    {folds_, (chains_)*LANES, by_range_, window_##name_##_##folds_},

/* The kernels, from the cheapest on. Chains and delays as measured: enough to fill the pipes, but
 * no more than the registers hold. */
enum { WINDOW_MANY = REGISTERS > 16 };
#define WINDOW_KERNELS(row_)                                                                       \
    row_(range, 2, 4, true, false) row_(rest, 2, 2, false, false)                                  \
        row_(range, 3, WINDOW_MANY ? 4 : 2, true, true) row_(rest, 3, 2, false, false)             \
            row_(range, 4, WINDOW_MANY ? 3 : 2, true, WINDOW_MANY) row_(rest, 4, 2, false, false)  \
                row_(range, 5, WINDOW_MANY ? 2 : 1, true, true)                                    \
                    row_(range, 6, WINDOW_MANY ? 2 : 1, true, true)                                \
                        row_(range, 7, WINDOW_MANY ? 2 : 1, true, true)                            \
                            row_(range, 8, WINDOW_MANY ? 2 : 1, true, true)
WINDOW_KERNELS(WINDOW_RUN)
static const window_kernel window_kernels[] = {WINDOW_KERNELS(WINDOW_ROW)};
enum { WINDOW_ROWS = sizeof window_kernels / sizeof *window_kernels };

/* How many binades a kernel takes from `low` on. */
static inline int window_binades(const window_kernel *kernel)
{
    return kernel->by_range ? WINDOW_RANGE(kernel->folds) : WINDOW_REACH(kernel->folds);
}

static double window_power(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* Whether all constants are normal numbers. */
static inline bool window_exists(const window_kernel *kernel, int low)
{
    return low >= -1022 && low + WINDOW_SPACING * (kernel->folds - 1) <= 1022;
}

/* The totals must have been flushed. */
static void window_open(window *w, const window_kernel *kernel, int low)
{
    w->kernel = kernel;
    w->low = low;
    w->top = window_power(low + WINDOW_REACH(kernel->folds));
    for (int k = 0; k < kernel->folds; k++)
        w->center[k] = 1.5 * window_power(low + WINDOW_SPACING * (kernel->folds - 1 - k));
}

static void window_flush(window *w, accordi_exact_view sum)
{
    if (!w->blocks)
        return;
    accordi_exact_put_folds(sum, w->total[0], LANES, w->kernel->folds, w->low - 52, WINDOW_SPACING);
    memset(w->total, 0, sizeof w->total);
    w->blocks = 0;
}

#endif
