/* Level 1 of exact dots: products and their errors in windows of exponents. A template: include
 * isa_SET.h first.
 *
 * In: pairs of f64. Out: how many pairs were added, in whole blocks; the exact sum of their
 * products is in the limbs.
 *
 * Idea. A product of two f64 is p + e: p = x y rounded, and its error e = fma(x, y, -p) (Dekker).
 * Each of the two has its own folds (sum_window.h). Those of e lie 54 binades below those of p,
 * since |e| <= 2^(E-53), where E is the exponent of p. So each fold gets at most one term from each
 * product, and the spacing is that of sums. The first fold takes x y itself by one fused
 * multiply-add; what is left of p is no larger than if it had taken p, because half its unit is a
 * multiple of the last place of p.
 *
 * Bounds. F[k] is the exponent of fold k of p, F[k] - 54 that of fold k of e; F[k] = F[k+1] +
 * SPACING; ADDS terms per fold and lane; all |p| < 2^top, top = F[0] - 1 - log2(ADDS):
 *  - fold 0 of p stays within ADDS * 2^top = 2^(F[0]-1) of its center 1.5 * 2^F[0], and that of e
 *    within ADDS * 2^(top-54) of its own, so both stay in their binade; the upper end of the binade
 *    is allowed, since the bit pattern there is the next integer;
 *  - fold k leaves at most half a unit, 2^(F[k]-53), and ADDS of these are 2^(F[k+1]-1);
 *  - x y is a multiple of 2^(E-105), so p and e leave no rest if E >= low = F[K-1];
 *  - e is exact if 2^(E-105) >= 2^-1074, that is low >= -969; the centers of e are normal if low -
 *    54 >= -1022, which is the stronger condition.
 * All exponents must lie in [low, low + reach), which is checked once per block. Zeros, infinities,
 * NaN, overflow and underflow do not lie there.
 *
 * Up to 4 folds, the check is that of sum_window.h by range, for a power of two of binades. For
 * more folds it uses the maximum of the distances from `low`. */
#ifndef ACCORDI_EXACT_DOT_WINDOW_H
#define ACCORDI_EXACT_DOT_WINDOW_H

#include "exact/kernels/kernels.h"
#include "exact/kernels/unroll.h"

enum {
    DOT_LOG_ADDS = 6,
    DOT_ADDS = 1 << DOT_LOG_ADDS,
    DOT_SPACING = 52 - DOT_LOG_ADDS,
    DOT_BELOW = 54, /* the errors */
    DOT_MOST_FOLDS = 6,
    DOT_FOLDS = LANES == 4 ? 4 : DOT_MOST_FOLDS, /* in use: AVX2 has the fewest registers */
    DOT_ABREAST = LANES == 4 ? 1 : 2,            /* vectors whose operations alternate */
    DOT_STEP = 2 * LANES,
    DOT_BLOCK = DOT_ADDS * DOT_STEP,
    DOT_FLUSH = 1 << 10, /* blocks: each adds up to 2^52 to a lane */
    DOT_NARROW = 4,      /* folds with the cheaper check */
};

typedef struct dot_window {
    int folds; /* 0: closed */
    int low, reach;
    int blocks;                       /* in the totals */
    double center[2][DOT_MOST_FOLDS]; /* of p and e */
    int64_t total[2][DOT_MOST_FOLDS][LANES];
} dot_window;

/* How many binades a window takes. */
static inline int dot_reach(int folds)
{
    int reach = DOT_SPACING * (folds - 1) - 1 - DOT_LOG_ADDS;
    return folds > DOT_NARROW ? reach : 1 << (31 - __builtin_clz((unsigned)reach));
}

static inline bool dot_window_fits(int folds, int low)
{
    return low - DOT_BELOW >= -1022 && low + DOT_SPACING * (folds - 1) <= 1022;
}

static inline int dot_fold(const dot_window *w, int error, int k)
{
    return w->low + DOT_SPACING * (w->folds - 1 - k) - (error ? DOT_BELOW : 0);
}

/* The totals must have been flushed. */
static inline void dot_window_open(dot_window *w, int folds, int low)
{
    w->folds = folds;
    w->low = low;
    w->reach = dot_reach(folds);
    for (int error = 0; error < 2; error++)
        for (int k = 0; k < folds; k++) {
            uint64_t bits = (uint64_t)(dot_fold(w, error, k) + 1023) << 52 | (uint64_t)1 << 51;
            memcpy(&w->center[error][k], &bits, sizeof bits);
        }
}

static inline void dot_window_flush(dot_window *w, accordi_exact_view sum)
{
    if (!w->blocks)
        return;
    for (int error = 0; error < 2; error++)
        for (int k = 0; k < w->folds; k++)
            accordi_exact_put_lanes(sum, w->total[error][k], LANES, dot_fold(w, error, k) - 52);
    memset(w->total, 0, sizeof w->total);
    w->blocks = 0;
}

/* What a block gained, not committed yet, and the distances from `low`. */
typedef struct dot_gain {
    vec fold[2][2][DOT_MOST_FOLDS]; /* of two chains, of p and e */
    words distance;
} dot_gain;

ISA_OP words dot_watch(words distance, vec p, words low, int folds)
{
    if (folds > DOT_NARROW)
        return w_max32(distance, w_sub(w_shl(w_of(p), 1), w_shl(low, 1)));
    return w_or(distance, w_sub(w_of(p), low));
}

ISA_OP bool dot_in_range(const dot_window *w, words distance, int folds)
{
    uint64_t reach = (uint64_t)w->reach;
    if (folds > DOT_NARROW) {
        words most = w_splat((int64_t)((reach << 53) - 1));
        return !w_any(w_shr(w_xor(w_max32(distance, most), most), 32));
    }
    return !w_any(w_and(distance, w_splat((int64_t)((0x800 - reach) << 52))));
}

/* DOT_ABREAST vectors into as many chains. `folds` and `chain` are constants. */
ISA_OP void dot_add(dot_gain *g, int chain, const double *x, const double *y, words low, int folds)
{
    vec a[DOT_ABREAST], b[DOT_ABREAST], p[DOT_ABREAST], e[DOT_ABREAST];
    UNROLL for (int c = 0; c < DOT_ABREAST; c++)
    {
        a[c] = v_load(x + c * LANES);
        b[c] = v_load(y + c * LANES);
        p[c] = v_mul(a[c], b[c]);
        e[c] = v_fms(a[c], b[c], p[c]);
        g->distance = dot_watch(g->distance, p[c], low, folds);
    }
    UNROLL for (int k = 0; k < folds; k++)
    {
        UNROLL for (int c = 0; c < DOT_ABREAST; c++)
        {
            vec *fold = &g->fold[chain + c][0][k], *error = &g->fold[chain + c][1][k];
            vec q = k ? v_add(*fold, p[c]) : v_fma(a[c], b[c], *fold), r = v_add(*error, e[c]);
            if (k < folds - 1) {
                p[c] = k & 1 ? v_minus(p[c], v_sub(q, *fold)) : v_sub(p[c], v_sub(q, *fold));
                e[c] = v_minus(e[c], v_sub(r, *error));
            }
            *fold = q;
            *error = r;
        }
    }
}

/* Up to a block; false, and nothing done, where it does not fit into the window. */
ISA_OP bool dot_block(dot_window *w, const double *x, const double *y, size_t n, bool watched,
                      int folds)
{
    dot_gain g = {.distance = w_splat(0)};
    words low = w_splat((int64_t)(w->low + 1023) << 52);
    UNROLL for (int k = 0; k < folds; k++)
    {
        g.fold[0][0][k] = g.fold[1][0][k] = v_splat(w->center[0][k]);
        g.fold[0][1][k] = g.fold[1][1][k] = v_splat(w->center[1][k]);
    }
    for (size_t i = 0; i < n; i += DOT_STEP) {
        dot_add(&g, 0, x + i, y + i, low, folds);
        if (DOT_ABREAST == 1)
            dot_add(&g, 1, x + i + LANES, y + i + LANES, low, folds);
    }
    if (watched && !dot_in_range(w, g.distance, folds))
        return false;
    UNROLL for (int error = 0; error < 2; error++)
    {
        UNROLL for (int k = 0; k < folds; k++)
        {
            words twice = w_shl(w_of(v_splat(w->center[error][k])), 1);
            words gained = w_add(w_of(g.fold[0][error][k]), w_of(g.fold[1][error][k]));
            int64_t *total = w->total[error][k];
            w_store(total, w_add(w_load(total), w_sub(gained, twice)));
        }
    }
    w->blocks++;
    return true;
}

/* Adds products up to the first block that does not fit, or up to a flush; returns how many. n is a
 * multiple of DOT_STEP. Not watched: the caller has made sure that they fit. */
typedef size_t dot_kernel(dot_window *w, const double *x, const double *y, size_t n, bool watched);

#define DOT_KERNEL(folds_)                                                                         \
    ISA_FUNCTION static size_t dot_run_##folds_(dot_window *w, const double *x, const double *y,   \
                                                size_t n, bool watched)                            \
    {                                                                                              \
        size_t done = 0;                                                                           \
        while (folds_ <= DOT_FOLDS && done < n && w->blocks < DOT_FLUSH) {                         \
            size_t count = n - done < DOT_BLOCK ? n - done : DOT_BLOCK;                            \
            if (!dot_block(w, x + done, y + done, count, watched, folds_))                         \
                break;                                                                             \
            done += count;                                                                         \
        }                                                                                          \
        return done;                                                                               \
    }
DOT_KERNEL(2)
DOT_KERNEL(3)
DOT_KERNEL(4)
DOT_KERNEL(5)
DOT_KERNEL(6)

static dot_kernel *const dot_kernels[] = {
    [2] = dot_run_2, [3] = dot_run_3, [4] = dot_run_4, [5] = dot_run_5, [6] = dot_run_6,
};

#endif
