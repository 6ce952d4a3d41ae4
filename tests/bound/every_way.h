/* Every value that a sum of products can have under a model, by trying all evaluations: a second
 * algorithm for bounds, with sets of values in place of intervals and no reasoning on ends. */
#ifndef EVERY_WAY_H
#define EVERY_WAY_H

#include "oracle.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WAY_TERMS = 6, WAY_FACTORS = 3, WAY_MOST = 1 << 18 };

/* ---- arithmetic that does not use the library's ---- */

static inline double way_exactly(enum accord_format f, double x, double y, double c, bool adds)
{
    mpfr_t p, s;
    double out = adds ? fma(x, y, c) : x * y;
    if (!isfinite(x) || !isfinite(y) || !isfinite(c))
        return out;
    mpfr_inits2(2300, p, s, (mpfr_ptr)0);
    mpfr_set_d(p, x, MPFR_RNDN);
    mpfr_mul_d(p, p, y, MPFR_RNDN);
    mpfr_set(s, p, MPFR_RNDN);
    if (adds)
        mpfr_add_d(s, s, c, MPFR_RNDN);
    out = oracle_round(f, ACCORD_NEAREST_EVEN, s, false);
    mpfr_clears(p, s, (mpfr_ptr)0);
    return out;
}

static inline double way_product(enum accord_format f, double x, double y)
{
    return f == ACCORD_F64   ? x * y
           : f == ACCORD_F32 ? (double)((float)x * (float)y)
                             : way_exactly(f, x, y, 0, false);
}

static inline double way_sum(enum accord_format f, double x, double y)
{
    return f == ACCORD_F64   ? x + y
           : f == ACCORD_F32 ? (double)((float)x + (float)y)
                             : way_exactly(f, x, 1, y, true);
}

static inline double way_fma(enum accord_format f, double x, double y, double c)
{
    return f == ACCORD_F64   ? fma(x, y, c)
           : f == ACCORD_F32 ? (double)fmaf((float)x, (float)y, (float)c)
                             : way_exactly(f, x, y, c, true);
}

/* ---- sets ---- */

typedef struct way_set {
    double *value;
    size_t count, capacity;
    double (*pair)[2]; /* products that may enter a sum */
    size_t pairs, pair_capacity;
    bool nan;
} way_set;

typedef struct way_budget {
    enum accord_format format;
    bool permutes, splits; /* else as written, from left to right */
    bool fuses;
    bool through; /* operations with 0, 1 and -1, which are known, are left out */
    bool doubled; /* somewhere x + x counts as x * 2 */
    size_t left;  /* operations; 0: given up */
} way_budget;

static inline void way_free(way_set *s)
{
    free(s->value);
    free(s->pair);
    *s = (way_set){0};
}

static inline void way_put(way_budget *b, way_set *s, double x)
{
    if (b->left)
        b->left--;
    if (x != x) {
        s->nan = true;
        return;
    }
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 8;
        s->value = realloc(s->value, s->capacity * sizeof *s->value);
    }
    s->value[s->count++] = x == 0 ? 0 : x;
}

static inline void way_put_pair(way_set *s, double x, double y)
{
    if (s->pairs == s->pair_capacity) {
        s->pair_capacity = s->pair_capacity ? 2 * s->pair_capacity : 8;
        s->pair = realloc(s->pair, s->pair_capacity * sizeof *s->pair);
    }
    s->pair[s->pairs][0] = x;
    s->pair[s->pairs++][1] = y;
}

static inline int way_compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return 0;
}

static inline int way_compare_pairs(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return way_compare(a, b) ? way_compare(a, b) : way_compare(x + 1, y + 1);
}

static inline void way_unique(way_set *s)
{
    size_t kept = 0;
    if (s->count)
        qsort(s->value, s->count, sizeof *s->value, way_compare);
    for (size_t i = 0; i < s->count; i++)
        if (!kept || s->value[kept - 1] != s->value[i])
            s->value[kept++] = s->value[i];
    s->count = kept;
    kept = 0;
    if (s->pairs)
        qsort(s->pair, s->pairs, sizeof *s->pair, way_compare_pairs);
    for (size_t i = 0; i < s->pairs; i++)
        if (!kept || way_compare_pairs(s->pair[kept - 1], s->pair[i]))
            memmove(s->pair[kept++], s->pair[i], sizeof *s->pair);
    s->pairs = kept;
}

static inline bool way_is(const way_set *s, double x)
{
    return s->count == 1 && !s->nan && s->value[0] == x;
}

static inline void way_keep_pairs(const way_set *s, double scale, way_set *out)
{
    for (size_t i = 0; i < s->pairs; i++)
        way_put_pair(out, scale * s->pair[i][0], s->pair[i][1]);
}

/* What x + y may be left out for, or compiled as: x, y, or x * 2, which does not overflow. */
static inline void way_leave_out(way_budget *b, const way_set *x, const way_set *y, way_set *out)
{
    double low = x->value[0], high = x->value[x->count - 1];
    bool overflows = false, same = low == y->value[0] && high == y->value[y->count - 1];
    for (size_t i = 0; i < out->count; i++)
        overflows |= isinf(out->value[i]);
    if (way_is(y, 0))
        way_keep_pairs(x, 1, out);
    else if (way_is(x, 0))
        way_keep_pairs(y, 1, out);
    else if (overflows && same && isfinite(low) && isfinite(high)) {
        b->doubled = true;
        way_put_pair(out, low, 2);
        way_put_pair(out, high, 2);
    }
}

static inline void way_add(way_budget *b, const way_set *x, const way_set *y, way_set *out)
{
    out->nan |= x->nan || y->nan;
    for (size_t i = 0; i < x->count && b->left; i++)
        for (size_t k = 0; k < y->count; k++)
            way_put(b, out, way_sum(b->format, x->value[i], y->value[k]));
    for (int turn = 0; b->fuses && turn < 2; turn++) {
        const way_set *p = turn ? y : x, *c = turn ? x : y;
        for (size_t i = 0; i < p->pairs && b->left; i++)
            for (size_t k = 0; k < c->count; k++)
                way_put(b, out, way_fma(b->format, p->pair[i][0], p->pair[i][1], c->value[k]));
    }
    if (b->through && x->count && y->count && b->left)
        way_leave_out(b, x, y, out);
}

static inline void way_multiply(way_budget *b, const way_set *x, const way_set *y, way_set *out)
{
    out->nan |= x->nan || y->nan;
    for (size_t i = 0; i < x->count && b->left; i++)
        for (size_t k = 0; k < y->count; k++) {
            way_put(b, out, way_product(b->format, x->value[i], y->value[k]));
            way_put_pair(out, x->value[i], y->value[k]);
        }
    for (int sign = -1; b->through && sign <= 1; sign += 2) {
        if (way_is(y, sign))
            way_keep_pairs(x, sign, out);
        if (way_is(x, sign))
            way_keep_pairs(y, sign, out);
    }
}

/* All ways to join parts by one operation. */
static inline way_set way_group(way_budget *b, const way_set *part, size_t n,
                                void join(way_budget *, const way_set *, const way_set *,
                                          way_set *))
{
    static way_set all[1 << WAY_TERMS];
    size_t whole = ((size_t)1 << n) - 1;
    way_set out = {0};
    memset(all, 0, sizeof all);
    for (size_t mask = 1; mask <= whole && b->left; mask++) {
        size_t low = mask & (~mask + 1);
        bool row = ((mask + low) & mask) == 0; /* neighbors */
        if (mask == low) {
            const way_set *p = &part[__builtin_ctzl(mask)];
            for (size_t i = 0; i < p->count; i++)
                way_put(b, &all[mask], p->value[i]);
            for (size_t i = 0; i < p->pairs; i++)
                way_put_pair(&all[mask], p->pair[i][0], p->pair[i][1]);
            all[mask].nan = p->nan;
            way_unique(&all[mask]);
            continue;
        }
        for (size_t sub = (mask - 1) & mask; sub; sub = (sub - 1) & mask) {
            size_t rest = mask & ~sub;
            bool rows = row && sub < rest && ((sub + (sub & (~sub + 1))) & sub) == 0 &&
                        ((rest + (rest & (~rest + 1))) & rest) == 0;
            bool left = low == 1 && rows && (rest & (rest - 1)) == 0;
            if (b->permutes ? sub < rest : b->splits ? rows : left)
                join(b, &all[sub], &all[rest], &all[mask]);
        }
        way_unique(&all[mask]);
    }
    out = all[whole];
    for (size_t mask = 1; mask < whole; mask++)
        way_free(&all[mask]);
    return out;
}

#endif
