/* Level 2 of exact dots: products and their errors into the bins of sum_scatter.h, however wide the
 * range. A template: include isa_SET.h first.
 *
 * In: pairs of f64. Out: the exact sum of their products is in the limbs.
 *
 * A product is p + e as in dot_window.h, and both are terms for the bins. The error is exact unless
 * |p| is below 2^-960 and no factor is zero (direct_folds.h); where that is so, or p is infinite or
 * NaN, 1 and -1 stand for p and e, and the factors are put aside until there are many of them,
 * which go straight into limbs. */
#ifndef ACCORDI_EXACT_DOT_SCATTER_H
#define ACCORDI_EXACT_DOT_SCATTER_H

#include "exact/kernels/direct_folds.h"
#include "exact/kernels/sum_scatter.h"

enum { DOT_ASIDE = 256 /* products */ };

typedef struct dot_scatter {
    bool open;
    scatter bins;
    size_t aside; /* products in x and y */
    double x[DOT_ASIDE], y[DOT_ASIDE];
    _Alignas(64) double product[SCATTER_BLOCK], error[SCATTER_BLOCK];
} dot_scatter;

static inline void dot_scatter_open(dot_scatter *s, accordi_exact_view sum)
{
    scatter_open(&s->bins, sum);
    s->aside = 0;
    s->open = true;
}

/* The terms were counted with their blocks. */
static void dot_aside_into_limbs(dot_scatter *s)
{
    accordi_exact_view sum = s->bins.sum;
    accordi_exact_products_f64(sum, s->aside, s->x, 1, s->y, 1);
    sum.count[ACCORD_EXACT_TERMS] -= (int64_t)s->aside;
    s->aside = 0;
}

/* Those of LANES products from i on that `odd` names. An ISA_FUNCTION, because instructions of an
 * older coding would wait for the registers that its caller has used. */
ISA_FUNCTION static __attribute__((noinline)) void
dot_put_aside(dot_scatter *s, const double *x, const double *y, size_t i, words odd)
{
    int64_t lane[LANES];
    w_store(lane, odd);
    if (s->aside > DOT_ASIDE - LANES)
        dot_aside_into_limbs(s);
    for (size_t l = 0; l < LANES; l++)
        if (lane[l]) {
            memcpy(s->x + s->aside, x + i + l, sizeof *x); /* which need not be aligned */
            memcpy(s->y + s->aside++, y + i + l, sizeof *y);
            s->product[i + l] = 1;
            s->error[i + l] = -1;
        }
}

/* n: a multiple of LANES, at most SCATTER_BLOCK. */
ISA_FUNCTION static void dot_split(dot_scatter *s, const double *x, const double *y, size_t n)
{
    const words field = w_splat(0x7ff0000000000000), all = w_splat(-1);
    for (size_t i = 0; i < n; i += LANES) {
        fetch_ahead(x + i, LANES * sizeof *x);
        fetch_ahead(y + i, LANES * sizeof *y);
        vec a = v_load(x + i), b = v_load(y + i), p = v_mul(a, b);
        words odd =
            w_or(w_xor(short_whole(a, b, p), all), w_zero(w_xor(w_and(w_of(p), field), field)));
        const bool any = w_any(odd);
        if (__builtin_expect(any, 0)) { /* or their errors would be subnormal, which is slow */
            a = v_of(w_and(w_of(a), w_xor(odd, all)));
            p = v_of(w_and(w_of(p), w_xor(odd, all)));
        }
        v_store(s->product + i, p);
        v_store(s->error + i, v_fms(a, b, p));
        if (__builtin_expect(any, 0))
            dot_put_aside(s, x, y, i, odd);
    }
}

/* n: as above. */
static void dot_scatter_add(dot_scatter *s, accordi_exact_view sum, const double *x,
                            const double *y, size_t n)
{
    if (!s->open)
        dot_scatter_open(s, sum);
    dot_split(s, x, y, n);
    scatter_block(&s->bins, n, s->product, true);
    scatter_block(&s->bins, n, s->error, false);
}

static void dot_scatter_close(dot_scatter *s)
{
    scatter_flush(&s->bins);
    dot_aside_into_limbs(s);
}

#endif
