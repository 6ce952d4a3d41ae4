/* Arrays into expansions (expansion.h). A template: include isa_SET.h first.
 *
 * In: an array of f64, or two. Out: their exact sum or dot product is in the limbs.
 *
 * Terms of 2^1000 and more, infinities and NaNs go straight into the limbs. Products x y enter as
 * p + e, p = x y rounded and e its error, which is exact unless p is close to underflow; pairs with
 * |p| outside [2^-960, 2^1000) go into the limbs. Each block is examined before it is added, so
 * that the additions need no branch. */
#ifndef ACCORDI_EXACT_EXPANSION_ARRAYS_H
#define ACCORDI_EXACT_EXPANSION_ARRAYS_H

#include "exact/kernels/expansion.h"

ISA_OP int64_t expansion_size(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & INT64_MAX;
}

ISA_OP int64_t expansion_power(int exponent)
{
    return (int64_t)(exponent + 1023) << 52;
}

/* Sums. */

/* Bit 63 of each lane: is the term too large? *any collects the bits of all. */
ISA_OP words expansion_large(words size, words *any)
{
    *any = w_or(*any, size);
    return w_sub(w_splat(expansion_power(1000) - 1), size);
}

/* n: a multiple of the step. */
ISA_OP bool expansion_fits(const double *x, size_t n, words *any)
{
    words large = w_splat(0), mask = w_splat(INT64_MAX);
    for (size_t i = 0; i < n; i += LANES)
        large = w_or(large, expansion_large(w_and(w_of(v_load(x + i)), mask), any));
    return !w_any(w_shr(large, 63));
}

/* Term by term; returns how many entered. */
ISA_FUNCTION static size_t expansion_pick(expansion *e, accordi_exact_view sum, const double *x,
                                          size_t n, words *any)
{
    double block[EXPANSION_BLOCK + EXPANSION_STEP];
    size_t picked = 0;
    for (size_t i = 0; i < n; i++) {
        double term;
        memcpy(&term, (const char *)x + i * sizeof term, sizeof term);
        *any = w_or(*any, w_splat(expansion_size(term)));
        if (expansion_size(term) < expansion_power(1000))
            block[picked++] = term;
        else
            accordi_exact_terms_f64(sum, 1, &term, 1);
    }
    expansion_add_padded(e, block, picked);
    return picked;
}

ISA_FUNCTION static void expansion_f64(accordi_exact_view sum, size_t n, const double *x, int size,
                                       bool early_exit)
{
    expansion e;
    size_t entered = 0;
    words any = w_splat(0);
    expansion_open(&e, sum, size, early_exit);
    const double *at = x;
    for (size_t left = n, count; left; left -= count, at += count) {
        count = left < EXPANSION_BLOCK ? left : EXPANSION_BLOCK;
        if (count >= EXPANSION_STEP)
            count -= count % EXPANSION_STEP;
        if (count % EXPANSION_STEP == 0 && expansion_fits(at, count, &any)) {
            expansion_add_block(&e, at, count);
            entered += count;
        } else {
            entered += expansion_pick(&e, sum, at, count, &any);
        }
    }
    expansion_empty(&e);
    if (w_any(any))
        sum.count[ACCORD_EXACT_TERMS] += (int64_t)entered;
    else
        accordi_exact_terms_f64(sum, n, x, 1); /* zeros alone: they count */
}

/* Dots. */

typedef struct expansion_products {
    double p[EXPANSION_BLOCK + EXPANSION_STEP], e[EXPANSION_BLOCK + EXPANSION_STEP];
} expansion_products;

ISA_OP bool expansion_enters(double p)
{
    return expansion_size(p) >= expansion_power(-960) && expansion_size(p) < expansion_power(1000);
}

/* n: a multiple of the lanes. Whether all products may enter. */
ISA_FUNCTION static bool expansion_multiply(expansion_products *out, const double *x,
                                            const double *y, size_t n)
{
    words outside = w_splat(0), mask = w_splat(INT64_MAX);
    for (size_t i = 0; i < n; i += LANES) {
        vec a = v_load(x + i), b = v_load(y + i), p = v_mul(a, b);
        words bits = w_and(w_of(p), mask);
        v_store(out->p + i, p);
        v_store(out->e + i, v_fms(a, b, p));
        outside = w_or(outside, w_sub(w_splat(expansion_power(1000) - 1), bits));
        outside = w_or(outside, w_sub(bits, w_splat(expansion_power(-960))));
    }
    return !w_any(w_shr(outside, 63));
}

/* Product by product. */
ISA_FUNCTION static void expansion_pick_products(expansion *e, accordi_exact_view sum,
                                                 expansion_products *m, const double *x,
                                                 const double *y, size_t n)
{
    size_t picked = 0;
    for (size_t i = 0; i < n; i++) {
        if (!expansion_enters(m->p[i])) {
            accordi_exact_products_f64(sum, 1, x + i, 1, y + i, 1);
            continue;
        }
        m->p[picked] = m->p[i];
        m->e[picked++] = m->e[i];
    }
    sum.count[ACCORD_EXACT_TERMS] += (int64_t)picked;
    expansion_add_padded(e, m->p, picked);
    expansion_add_padded(e, m->e, picked);
}

ISA_FUNCTION static void expansion_dot_f64(accordi_exact_view sum, size_t n, const double *x,
                                           const double *y, int size, bool early_exit)
{
    expansion e;
    expansion_products m;
    expansion_open(&e, sum, size, early_exit);
    for (size_t count; n >= EXPANSION_STEP; n -= count, x += count, y += count) {
        count = n < EXPANSION_BLOCK ? n / EXPANSION_STEP * EXPANSION_STEP : EXPANSION_BLOCK;
        if (!expansion_multiply(&m, x, y, count)) {
            expansion_pick_products(&e, sum, &m, x, y, count);
            continue;
        }
        sum.count[ACCORD_EXACT_TERMS] += (int64_t)count;
        expansion_add_block(&e, m.p, count);
        expansion_add_block(&e, m.e, count);
    }
    if (n) {
        double tail_x[EXPANSION_STEP] = {0}, tail_y[EXPANSION_STEP] = {0};
        memcpy(tail_x, (const void *)x, n * sizeof *x);
        memcpy(tail_y, (const void *)y, n * sizeof *y);
        expansion_multiply(&m, tail_x, tail_y, EXPANSION_STEP);
        expansion_pick_products(&e, sum, &m, tail_x, tail_y, n);
    }
    expansion_empty(&e);
}

#endif
