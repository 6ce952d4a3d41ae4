/* Exact sums and dots of f32 by windows of exponents. A template: include isa_SET.h first.
 *
 * In: a block of terms of f32, or of pairs. Out: whether the window took the block; if so, its
 * exact sum is in the limbs.
 *
 * Idea. In f64 a term has 24 bits and a product 48, and both are exact. The folds of sum_window.h
 * add them, and few folds suffice: one takes terms of 22 binades, three terms of 114. Wider ones
 * are less work in bins (f32_scatter.h). If there are several folds, the first takes a product by
 * one fused multiply-add, where there is such an operation.
 *
 * Bounds. All terms are below 2^top and multiples of 2^unit. F[0] = top + 1 + log2(ADDS) and
 * F[k+1] = F[k] - SPACING keep every fold in its binade including the upper end (sum_window.h), and
 * no rest is left if F[K-1] - 52 <= unit, that is if top - unit <= SPAN = 51 - log2(ADDS) +
 * SPACING (K - 1). No f32 leads outside the normal range of f64.
 *
 * Check. The bit patterns of |x| are compared as integers, two per word: their maximum, and the
 * minimum of |x| - 1, by which zeros become the greatest of all. So zeros are admitted, subnormals
 * need no special treatment, and infinities and NaN exceed all limits. For products, the factors
 * must keep their limits. A block whose folds have not changed may consist of zeros, which have to
 * be counted, so it is not taken. */
#ifndef ACCORDI_EXACT_SINGLE_WINDOW_H
#define ACCORDI_EXACT_SINGLE_WINDOW_H

#include "exact/kernels/kernels.h"
#include "exact/kernels/unroll.h"

enum {
    SINGLE_LOG_ADDS = 6,
    SINGLE_ADDS = 1 << SINGLE_LOG_ADDS,
    SINGLE_SPACING = 52 - SINGLE_LOG_ADDS,
    SINGLE_FOLDS = 4,                    /* at most */
    SINGLE_ABREAST = LANES == 4 ? 1 : 2, /* vectors whose operations alternate */
    SINGLE_STEP = 2 * LANES,
    SINGLE_BLOCK = SINGLE_ADDS * SINGLE_STEP,
    SINGLE_AHEAD = 4096,    /* numbers to fetch ahead: from memory that is a tenth faster */
    SINGLE_FLUSH = 1 << 10, /* blocks: each adds up to 2^52 to a lane */
};

/* Fields of exponents, of numbers that are not zero; that of subnormals counts as 1, which has the
 * same unit. least > most: there are none. */
typedef struct single_range {
    int least, most;
} single_range;

typedef struct single_window {
    int folds;                      /* 0: closed */
    int first;                      /* F[0] */
    int blocks;                     /* in the totals */
    single_range limit[2], seen[2]; /* of x and y */
    double center[SINGLE_FOLDS];
    int64_t total[SINGLE_FOLDS][LANES];
} single_window;

static inline int single_span(int folds)
{
    return 51 - SINGLE_LOG_ADDS + SINGLE_SPACING * (folds - 1);
}

static inline int single_top(const single_range *r, bool product)
{
    return r[0].most - 126 + (product ? r[1].most - 126 : 0);
}

static inline int single_unit(const single_range *r, bool product)
{
    return r[0].least - 150 + (product ? r[1].least - 150 : 0);
}

/* A range of sizes |x| of `least` … `most`, as patterns. */
static inline single_range single_fields(uint32_t least, uint32_t most)
{
    int low = (int)(least >> 23), high = (int)(most >> 23);
    return (single_range){low ? low : 1, high || !most ? high : 1};
}

/* The totals must have been flushed. */
static inline void single_open(single_window *w, int folds, const single_range limit[2],
                               bool product)
{
    w->folds = folds;
    w->first = single_top(limit, product) + 1 + SINGLE_LOG_ADDS;
    memcpy(w->limit, limit, sizeof w->limit);
    for (int k = 0; k < folds; k++) {
        int e = w->first - SINGLE_SPACING * k;
        uint64_t bits = (uint64_t)(e + 1023) << 52 | (uint64_t)1 << 51;
        memcpy(&w->center[k], &bits, sizeof bits);
    }
}

static inline void single_flush(single_window *w, accordi_exact_view sum)
{
    if (!w->blocks)
        return;
    for (int k = 0; k < w->folds; k++)
        accordi_exact_put_lanes(sum, w->total[k], LANES, w->first - SINGLE_SPACING * k - 52);
    memset(w->total, 0, sizeof w->total);
    w->blocks = 0;
}

/* The exponent of the greatest |x|, and the least |x| - 1, 32 bits each. */
typedef struct single_watch {
    words most, least;
} single_watch;

ISA_OP words single_twice(uint32_t half)
{
    return w_splat((int64_t)((uint64_t)half << 32 | half));
}

ISA_OP void single_look_at(single_watch *s, const float *x)
{
    words size = w_and(w_load(x), single_twice(0x7fffffff));
    s->most = w_most_f32(s->most, size);
    s->least = w_least_f32(s->least, w_add32(size, w_splat(-1)));
}

ISA_OP single_watch single_fresh(void)
{
    return (single_watch){w_splat(0), single_twice(0x7f800000)};
}

ISA_OP void single_merge(single_watch *s, single_watch other)
{
    s->most = w_max32(s->most, other.most);
    s->least = w_least_f32(s->least, other.least);
}

ISA_OP bool single_keeps(const single_watch *s, single_range limit)
{
    words most = single_twice((((uint32_t)limit.most + 1) << 23) - 1);
    words least = single_twice(limit.least > 1 ? ((uint32_t)limit.least << 23) - 1 : 0);
    words above = w_xor(w_max32(s->most, most), most);
    return !w_any(w_or(above, w_xor(w_min32(s->least, least), least)));
}

ISA_OP single_range single_found(const single_watch *s)
{
    uint32_t most[SINGLE_STEP], least[SINGLE_STEP];
    w_store(most, s->most);
    w_store(least, s->least);
    for (int i = 1; i < SINGLE_STEP; i++) {
        most[0] = most[i] > most[0] ? most[i] : most[0];
        least[0] = least[i] < least[0] ? least[i] : least[0];
    }
    return single_fields(least[0] + 1, most[0]);
}

/* What a block gained, not committed yet. */
typedef struct single_gain {
    vec fold[2][SINGLE_FOLDS]; /* two chains */
} single_gain;

/* SINGLE_ABREAST vectors into as many chains. `folds`, `chain` and `product` are constants. */
ISA_OP void single_add(single_gain *g, int chain, const float *x, const float *y, int folds,
                       bool product)
{
    vec a[SINGLE_ABREAST], b[SINGLE_ABREAST], p[SINGLE_ABREAST];
    UNROLL for (int c = 0; c < SINGLE_ABREAST; c++)
    {
        a[c] = v_load_f32(x + c * LANES);
        b[c] = product ? v_load_f32(y + c * LANES) : a[c];
        p[c] = product && !FUSES ? v_mul(a[c], b[c]) : a[c];
    }
    UNROLL for (int k = 0; k < folds; k++)
    {
        UNROLL for (int c = 0; c < SINGLE_ABREAST; c++)
        {
            vec *fold = &g->fold[chain + c][k];
            bool fused = FUSES && product && k == 0;
            vec q = fused ? v_fma(a[c], b[c], *fold) : v_add(*fold, p[c]);
            if (k < folds - 1) {
                vec d = v_sub(q, *fold);
                p[c] = fused ? v_fms(a[c], b[c], d) : v_minus(p[c], d);
            }
            *fold = q;
        }
    }
}

/* The numbers have just been read to be looked at, as integers. clang would take them apart in the
 * registers rather than read them again. */
ISA_OP void single_add_both(single_gain *g, const float *x, const float *y, int folds, bool product)
{
#ifdef __clang__
    __asm__("" : "+r"(x), "+r"(y));
#endif
    single_add(g, 0, x, y, folds, product);
    if (SINGLE_ABREAST == 1)
        single_add(g, 1, x + LANES, y + LANES, folds, product);
}

/* Up to a block; false, and nothing done, where it does not fit into the window. */
ISA_OP bool single_block(single_window *w, single_watch watch[2], const float *x, const float *y,
                         size_t n, int folds, bool product)
{
    single_gain g;
    UNROLL for (int k = 0; k < folds; k++)
    {
        g.fold[0][k] = g.fold[1][k] = v_splat(w->center[k]);
    }
    single_watch s = single_fresh(), t = single_fresh();
    const bool apart = SINGLE_ABREAST == 1 && folds > 2 && product; /* registers are few */
    for (size_t i = 0; i < n; i += SINGLE_STEP) {
        __builtin_prefetch(x + i + SINGLE_AHEAD, 0, 2);
        single_look_at(&s, x + i);
        if (product) {
            __builtin_prefetch(y + i + SINGLE_AHEAD, 0, 2);
            single_look_at(&t, y + i);
        }
        if (!apart)
            single_add_both(&g, x + i, y + i, folds, product);
    }
    for (size_t i = 0; i < n && apart; i += SINGLE_STEP)
        single_add_both(&g, x + i, y + i, folds, product);
    single_merge(&watch[0], s);
    single_merge(&watch[1], t);
    words gained[SINGLE_FOLDS], any = w_splat(0);
    UNROLL for (int k = 0; k < folds; k++)
    {
        words center = w_of(v_splat(w->center[k]));
        words one = w_sub(w_of(g.fold[0][k]), center), two = w_sub(w_of(g.fold[1][k]), center);
        any = w_or(any, w_or(one, two));
        gained[k] = w_add(one, two);
    }
    if (!w_any(any) || !single_keeps(&s, w->limit[0]) ||
        (product && !single_keeps(&t, w->limit[1])))
        return false;
    UNROLL for (int k = 0; k < folds; k++)
    {
        w_store(w->total[k], w_add(w_load(w->total[k]), gained[k]));
    }
    w->blocks++;
    return true;
}

/* Adds terms (products) up to the first block that does not fit, or up to a flush; returns how
 * many. n is a multiple of SINGLE_STEP. w->seen is the range of all that was looked at. */
typedef size_t single_kernel(single_window *w, const float *x, const float *y, size_t n);

#define SINGLE_KERNEL(name_, folds_, product_)                                                     \
    ISA_FUNCTION static size_t name_##_##folds_(single_window *w, const float *x, const float *y,  \
                                                size_t n)                                          \
    {                                                                                              \
        single_watch watch[2] = {single_fresh(), single_fresh()};                                  \
        size_t done = 0;                                                                           \
        while (done < n && w->blocks < SINGLE_FLUSH) {                                             \
            size_t count = n - done < SINGLE_BLOCK ? n - done : SINGLE_BLOCK;                      \
            if (!single_block(w, watch, x + done, product_ ? y + done : x, count, folds_,          \
                              product_))                                                           \
                break;                                                                             \
            done += count;                                                                         \
        }                                                                                          \
        w->seen[0] = single_found(&watch[0]);                                                      \
        w->seen[1] = single_found(&watch[1]);                                                      \
        return done;                                                                               \
    }
SINGLE_KERNEL(single_sum, 1, false)
SINGLE_KERNEL(single_sum, 2, false)
SINGLE_KERNEL(single_sum, 3, false)
SINGLE_KERNEL(single_dot, 2, true)
SINGLE_KERNEL(single_dot, 3, true)
SINGLE_KERNEL(single_dot, 4, true)

static single_kernel *const single_kernels[2][SINGLE_FOLDS + 1] = {
    {[1] = single_sum_1, [2] = single_sum_2, [3] = single_sum_3},
    {[2] = single_dot_2, [3] = single_dot_3, [4] = single_dot_4},
};

/* Sets w->seen. n is a multiple of SINGLE_STEP. */
ISA_FUNCTION static void single_look(single_window *w, const float *x, const float *y, size_t n)
{
    single_watch watch[2] = {single_fresh(), single_fresh()};
    for (size_t i = 0; i < n; i += SINGLE_STEP) {
        single_look_at(&watch[0], x + i);
        if (y)
            single_look_at(&watch[1], y + i);
    }
    w->seen[0] = single_found(&watch[0]);
    w->seen[1] = single_found(&watch[1]);
}

#endif
