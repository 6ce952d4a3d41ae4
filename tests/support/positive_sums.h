/* Sums of terms that cannot be negative, along a tree: a second implementation for tests. */
#ifndef POSITIVE_SUMS_H
#define POSITIVE_SUMS_H

#include "base/base.h"
#include <accord/model.h>
#include <math.h>
#include <mpfr.h>

enum width { NARROW, DOUBLE, EXTENDED, WIDTHS };

/* What a callback adds, and how. */
typedef struct sum {
    const accord_tree *tree;
    enum accord_term term;
    bool root, is_f32;
    enum width width;
    long double *value; /* per node */
    accordi_rng rng;
    size_t special;
} sum;

static inline long double rounded(const sum *s, long double x)
{
    if (s->width == EXTENDED)
        return x;
    return s->width == DOUBLE || !s->is_f32 ? (long double)(double)x : (long double)(float)x;
}

/* Double rounding is harmless from 64 to 24 bits, not to 53: plain arithmetic there. */
static inline long double added(const sum *s, long double a, long double b)
{
    if (s->width == EXTENDED)
        return a + b;
    if (s->width == NARROW && s->is_f32)
        return (float)a + (float)b;
    return (double)a + (double)b;
}

static inline long double term(const sum *s, const void *x, size_t i)
{
    long double v = s->is_f32 ? ((const float *)x)[i] : ((const double *)x)[i];
    if (s->term == ACCORD_TERM_ABSOLUTE)
        return fabsl(v);
    if (s->width == EXTENDED)
        return v * v;
    return s->width == NARROW && s->is_f32 ? (float)v * (float)v : (double)v * (double)v;
}

static inline double finish(const sum *s, long double total)
{
    if (s->root && s->width == EXTENDED)
        total = sqrtl(total);
    else if (s->root)
        total = rounded(s, sqrt((double)total));
    return s->is_f32 ? (double)(float)total : (double)total;
}

/* The exact sum of the children, rounded once. */
static inline long double fused(const sum *s, const uint32_t *child, uint32_t count)
{
    mpfr_t total;
    mpfr_init2(total, 2500);
    mpfr_set_zero(total, 1);
    for (uint32_t c = 0; c < count; c++)
        mpfr_add_d(total, total, (double)s->value[child[c]], MPFR_RNDN);
    long double out =
        s->is_f32 ? (long double)mpfr_get_flt(total, MPFR_RNDN) : mpfr_get_d(total, MPFR_RNDN);
    mpfr_clear(total);
    return out;
}

static inline double along_tree(void *context, const void *x, size_t n)
{
    sum *s = context;
    const accord_tree *t = s->tree;
    for (size_t i = 0; i < n; i++)
        s->value[i] = term(s, x, i);
    for (uint32_t k = 0; k < t->inner; k++) {
        const uint32_t *child = t->child + t->first[k], count = t->first[k + 1] - t->first[k];
        s->value[n + k] =
            count == 2 ? added(s, s->value[child[0]], s->value[child[1]]) : fused(s, child, count);
    }
    return finish(s, s->value[n + t->inner - 1]);
}

#endif
