/* Sums and products that may be parenthesized anew, where all ends are finite and, in products, of
 * one sign: the recurrences of bound/splits.c, on vectors of both ends. Compiled to bitcode.
 * Everything else goes to groups.c.
 *
 * Sums of few terms are unrolled where they stand in the program; `may_fuse` has a bit for each
 * term that can be a product, and MUST bits higher one for each that is, unless it is special. */
#include "bound/runtime/groups.h"
#include "bound/runtime/inline.h"

enum { FEW = 6, MANY = 24, MUST = 16 };
#define UNROLL _Pragma("clang loop unroll(full)")

/* The greater of both in each lane, the second if one is NaN: one instruction on x86. */
static inline ACCORDI_INLINE accordi_ends greater(accordi_ends a, accordi_ends b, bool narrow)
{
    if (narrow) {
        accordi_floats x = shorten(a), y = shorten(b);
        accordi_mask_of_floats m = x > y;
        return widen(
            (accordi_floats)(((accordi_mask_of_floats)x & m) | ((accordi_mask_of_floats)y & ~m)));
    }
    accordi_mask m = a > b;
    return (accordi_ends)(((accordi_mask)a & m) | ((accordi_mask)b & ~m));
}

static inline ACCORDI_INLINE double width(accordi_ends e)
{
    return e[0] + e[1];
}

static inline ACCORDI_INLINE bool is_product(const accordi_shadow *t, uint32_t may_fuse, uint32_t i)
{
    return may_fuse >> (MUST + i) & 1 || (may_fuse >> i & 1 && t->kind == ACCORDI_PRODUCT);
}

/* From left to right; what is wider than that, order does. */
static inline ACCORDI_INLINE accordi_ends as_written(const accordi_shadow *const *t, uint32_t n,
                                                     uint32_t may_fuse, bool narrow)
{
    accordi_ends e = t[0]->end;
    UNROLL
    for (uint32_t i = 1; i < n; i++) {
        accordi_ends before = e;
        e = add_ends(before, t[i]->end, narrow);
        if (is_product(t[i], may_fuse, i))
            e = greater(fuse(t[i], before, narrow), e, narrow);
        if (i == 1 && is_product(t[0], may_fuse, 0))
            e = greater(fuse(t[0], t[1]->end, narrow), e, narrow);
    }
    return e;
}

static inline ACCORDI_INLINE void blame(uint32_t site, accordi_ends end,
                                        const accordi_shadow *const *t, uint32_t n,
                                        uint32_t may_fuse, bool narrow)
{
    double plain = width(as_written(t, n, 0, narrow)), fused = plain;
    if (may_fuse) {
        fused = width(as_written(t, n, may_fuse, narrow));
        accordi_states[site].fusion += fused - plain;
    }
    accordi_states[site].order += width(end) - fused;
}

/* ---- sums in their order ---- */

/* No sum of up to FEW terms of this size overflows. Of a special term all ends are NaN, and so is
 * every sum with it. */
static inline ACCORDI_INLINE bool is_tame(accordi_ends size, accordi_ends sum, bool narrow)
{
    double most = narrow ? 0x1p124 : 0x1p1020;
    return size[0] < most && size[1] < most && sum[0] == sum[0];
}

static inline ACCORDI_INLINE bool row(accordi_ends *out, const accordi_shadow *const *t, uint32_t n,
                                      uint32_t may_fuse, bool narrow)
{
    accordi_ends b[FEW][FEW], size = t[0]->end;
    bool exact = simple() && !(accordi_model & ACCORD_BOUND_PERM);
    UNROLL
    for (uint32_t i = 0; i < n; i++) {
        b[i][i] = t[i]->end;
        size = greater(size, b[i][i], narrow);
        exact = exact && !(may_fuse >> i & 1 && t[i]->kind > ACCORDI_PRODUCT) &&
                !(may_fuse >> (MUST + i) & 1 && t[i]->kind != ACCORDI_PRODUCT);
    }
    UNROLL
    for (uint32_t length = 1; length < n; length++) {
        UNROLL
        for (uint32_t i = 0; i + length < n; i++) {
            uint32_t j = i + length;
            accordi_ends e = add_ends(b[i][i], b[i + 1][j], narrow);
            UNROLL
            for (uint32_t k = i + 1; k < j; k++)
                e = greater(e, add_ends(b[i][k], b[k + 1][j], narrow), narrow);
            if (is_product(t[i], may_fuse, i))
                e = greater(fuse(t[i], b[i + 1][j], narrow), e, narrow);
            if (is_product(t[j], may_fuse, j))
                e = greater(fuse(t[j], b[i][j - 1], narrow), e, narrow);
            b[i][j] = e;
        }
    }
    *out = b[0][n - 1];
    return exact && is_tame(size, *out, narrow);
}

static inline ACCORDI_INLINE void sum_few(accordi_shadow *out, const accordi_shadow *const *t,
                                          uint32_t n, uint32_t may_fuse, uint32_t site, bool narrow)
{
    accordi_ends end;
    if (likely(row(&end, t, n, may_fuse, narrow))) {
        blame(site, end, t, n, may_fuse, narrow);
        out->end = end;
        out->kind = ACCORDI_PLAIN;
        return;
    }
    accordi_shadow term[FEW], r;
    UNROLL
    for (uint32_t i = 0; i < n; i++)
        term[i] = *t[i];
    accordi_regroup_sum(&r, term, n, site, narrow);
    set_slow(out, &r, narrow);
}

#define PARAMETERS_3 const accordi_shadow *a, const accordi_shadow *b, const accordi_shadow *c
#define PARAMETERS_4 PARAMETERS_3, const accordi_shadow *d
#define PARAMETERS_5 PARAMETERS_4, const accordi_shadow *e
#define PARAMETERS_6 PARAMETERS_5, const accordi_shadow *f
#define TERMS_3 a, b, c
#define TERMS_4 TERMS_3, d
#define TERMS_5 TERMS_4, e
#define TERMS_6 TERMS_5, f
#define SUM(n, suffix, narrow)                                                                     \
    ACCORDI_INLINE void accordi_sum##n##_##suffix(accordi_shadow *out, PARAMETERS_##n,             \
                                                  uint32_t may_fuse, uint32_t site)                \
    {                                                                                              \
        const accordi_shadow *const t[n] = {TERMS_##n};                                            \
        sum_few(out, t, n, may_fuse, site, narrow);                                                \
    }
#define SUMS(suffix, narrow)                                                                       \
    SUM(3, suffix, narrow)                                                                         \
    SUM(4, suffix, narrow)                                                                         \
    SUM(5, suffix, narrow)                                                                         \
    SUM(6, suffix, narrow)
SUMS(f64, false)
SUMS(f32, true)

/* ---- products in their order ---- */

/* The sizes of the least and the greatest product of some neighboring factors. */
typedef struct sizes {
    double low, high;
} sizes;

static inline ACCORDI_INLINE double round_size(double x, bool narrow)
{
    return narrow ? (double)(float)x : x;
}

/* Is the exact product x * y less than u * v? Those of floats are doubles. */
static inline ACCORDI_INLINE bool less(double x, double y, double u, double v, bool narrow,
                                       bool *certain)
{
    double one = x * y, two = u * v;
    if (narrow || one != two || one == 0)
        return one < two;
    *certain = *certain && one > 0x1p-900;
    return __builtin_fma(x, y, -one) < __builtin_fma(u, v, -two);
}

typedef struct product {
    double low_x, low_y, high_x, high_y;
} product;

/* The last multiplication joins [i, k] and [k + 1, j]. */
static product join(const sizes s[MANY][MANY], uint32_t i, uint32_t j, bool narrow, bool *certain)
{
    product p = {s[i][i].low, s[i + 1][j].low, s[i][i].high, s[i + 1][j].high};
    for (uint32_t k = i + 1; k < j; k++) {
        const sizes *x = &s[i][k], *y = &s[k + 1][j];
        if (less(x->low, y->low, p.low_x, p.low_y, narrow, certain)) {
            p.low_x = x->low;
            p.low_y = y->low;
        }
        if (less(p.high_x, p.high_y, x->high, y->high, narrow, certain)) {
            p.high_x = x->high;
            p.high_y = y->high;
        }
    }
    return p;
}

static bool product_row(accordi_shadow *out, const accordi_shadow *factor, uint32_t n, bool narrow)
{
    sizes s[MANY][MANY];
    bool minus = false, certain = true;
    double seen = 0;
    product p = {0, 0, 0, 0};
    for (uint32_t i = 0; i < n; i++) {
        accordi_ends e = factor[i].end;
        bool below = negative(e[1]);
        if (!(finite_ends(e) && one_sign(e)))
            return false;
        s[i][i] = below ? (sizes){-e[1], e[0]} : (sizes){-e[0], e[1]};
        minus ^= below;
    }
    for (uint32_t length = 1; length < n; length++)
        for (uint32_t i = 0; i + length < n; i++) {
            p = join(s, i, i + length, narrow, &certain);
            s[i][i + length] = (sizes){round_size(p.low_x * p.low_y, narrow),
                                       round_size(p.high_x * p.high_y, narrow)};
            seen += s[i][i + length].high;
        }
    out->x = minus ? (accordi_ends){p.high_x, -p.low_x} : (accordi_ends){-p.low_x, p.high_x};
    out->y = minus ? (accordi_ends){p.high_y, p.low_y} : (accordi_ends){p.low_y, p.high_y};
    out->end = round_ends(out->x * out->y, narrow);
    out->kind = ACCORDI_PRODUCT;
    return certain && seen < infinite;
}

__attribute__((noinline)) void accordi_product_many(accordi_shadow *out,
                                                    const accordi_shadow *factor,
                                                    const double *power, uint32_t n, uint32_t site,
                                                    bool narrow)
{
    bool row_only = simple() && !through() && !(accordi_model & ACCORD_BOUND_PERM);
    if (!(row_only && n <= MANY && product_row(out, factor, n, narrow)))
        accordi_regroup_product(out, factor, power, n, site, narrow);
}

/* ---- products of three, written out where they stand; no factor counts as a power of two ---- */

static inline ACCORDI_INLINE sizes size_of(accordi_ends e)
{
    return negative(e[1]) ? (sizes){-e[1], e[0]} : (sizes){-e[0], e[1]};
}

static inline ACCORDI_INLINE bool three(accordi_shadow *out, accordi_ends a, accordi_ends b,
                                        accordi_ends c, bool narrow)
{
    bool minus = negative(a[1]) ^ negative(b[1]) ^ negative(c[1]), certain = true;
    sizes x = size_of(a), y = size_of(b), z = size_of(c);
    sizes left = {round_size(x.low * y.low, narrow), round_size(x.high * y.high, narrow)};
    sizes right = {round_size(y.low * z.low, narrow), round_size(y.high * z.high, narrow)};
    bool low = less(left.low, z.low, x.low, right.low, narrow, &certain);
    bool high = less(x.high, right.high, left.high, z.high, narrow, &certain);
    double low_x = low ? left.low : x.low, low_y = low ? z.low : right.low;
    double high_x = high ? left.high : x.high, high_y = high ? z.high : right.high;
    out->x = minus ? (accordi_ends){high_x, -low_x} : (accordi_ends){-low_x, high_x};
    out->y = minus ? (accordi_ends){high_y, low_y} : (accordi_ends){low_y, high_y};
    out->end = multiply_ends(out->x, out->y, narrow);
    out->kind = ACCORDI_PRODUCT;
    return certain && one_sign(a) && one_sign(b) && one_sign(c) && finite_ends(a + b + c) &&
           left.high + right.high < infinite && finite_ends(out->end);
}

static inline ACCORDI_INLINE void product_of_three(accordi_shadow *out, const accordi_shadow *a,
                                                   const accordi_shadow *b, const accordi_shadow *c,
                                                   uint32_t site, bool narrow)
{
    static const double none[3] = {0, 0, 0};
    accordi_shadow r;
    if (likely(simple() && three(&r, a->end, b->end, c->end, narrow))) {
        *out = r;
        return;
    }
    accordi_shadow factor[3] = {*a, *b, *c}, slow;
    accordi_regroup_product(&slow, factor, none, 3, site, narrow);
    set_slow(out, &slow, narrow);
}

ACCORDI_INLINE void accordi_product3_f64(accordi_shadow *out, PARAMETERS_3, uint32_t site)
{
    product_of_three(out, a, b, c, site, false);
}
ACCORDI_INLINE void accordi_product3_f32(accordi_shadow *out, PARAMETERS_3, uint32_t site)
{
    product_of_three(out, a, b, c, site, true);
}
