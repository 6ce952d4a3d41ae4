/* Sums under LOOP: what stands in place of additions, subtractions and negations. Compiled to
 * bitcode.
 *
 * A sum is deferred: its shadow sums up the terms, wherever they were added, in loops, through
 * memory and calls, and bounds the result of every order. Everything else sees a number in the
 * interval `end`; there, and where it is converted, the sum ends.
 *
 * What is kept of n terms: their exact sum, between x + rest, where a product counts with all that
 * lies between its rounded and its unrounded value; P and N, the sums of the sizes of the positive
 * and of the negative ones; and T, the largest size. An addition whose result has k terms errs by
 * u (S_k + E), with S_k the most that k terms can add up to, and E the errors below it. As in
 * long_sums.c, in any tree at most n - k + 1 additions have k terms or more, so that the errors of
 * a chain, k = 2 ... n, bound those of every tree. S_k is the sum of the k largest terms of one
 * sign there; here it is at most min(Q, k T), Q = max(P, N), which needs no terms: for uniform
 * terms that is 1.13 times as much. So
 *
 *     E <= (1 + u)^n (u A + n e), A = sum of min(Q, k T), k = 2 ... n
 *
 * and less where Q is not a power of two (chain_error); e is for fused products that underflow, and
 * for terms and results that are flushed. Numbers that are 0 are no terms. Terms that are multiples
 * of a power of two, `grid`, and few enough, have sums that are exact in every order: counters stay
 * what they are. */
#include "bound/mass_inline.h"
#include "bound/runtime/inline.h"
#include <float.h>

typedef struct deferred {
    accordi_ends x, rest; /* {-low, high} of the exact sum */
    accordi_ends size;    /* {N, P} */
    double terms, largest, grid;
} deferred;

static inline ACCORDI_INLINE accordi_ends positive(accordi_ends e)
{
    return (accordi_ends){e[0] > 0 ? e[0] : 0, e[1] > 0 ? e[1] : 0};
}

/* The greatest power of two that it is a multiple of. */
static inline ACCORDI_INLINE double grid_of(double x)
{
    union {
        double x;
        uint64_t bits;
    } all = {x}, most = {x};
    most.bits &= most.bits - 1; /* without the lowest bit */
    return x == 0                ? infinite
           : all.bits << 12 == 0 ? __builtin_fabs(x)
                                 : __builtin_fabs(all.x - most.x);
}

static inline ACCORDI_INLINE deferred deferred_of(const accordi_wide_shadow *a, bool narrow)
{
    const accordi_shadow *s = &a->base;
    if (s->kind == ACCORDI_WITH_SUM)
        return (deferred){
            s->x, a->more.sum.rest, s->y, a->more.sum.terms, a->more.sum.largest, a->more.sum.grid};
    deferred d = {.x = s->end, .rest = {0, 0}};
    if (s->kind == ACCORDI_PRODUCT || s->kind == ACCORDI_SCALED) {
        if (narrow) /* doubles hold the products of floats */
            d.x = outer(s->x * s->y, d.x);
        else
            d.rest = positive(accordi_fma_ends(s->x, s->y, -s->end));
    }
    d.size = positive(d.x + 2 * d.rest);
    d.largest = accordi_mass_greater(d.size[0], d.size[1]);
    d.terms = d.largest > 0 ? 1 : 0;
    bool point = d.x[0] == -d.x[1] && d.rest[0] == 0 && d.rest[1] == 0;
    d.grid = point ? grid_of(d.x[1]) : 0;
    return d;
}

static inline ACCORDI_INLINE deferred join(const deferred *a, const deferred *b)
{
    accordi_ends x = a->x + b->x, part = x - a->x;
    return (deferred){.x = x,
                      .rest = a->rest + b->rest + ((a->x - (x - part)) + (b->x - part)),
                      .size = a->size + b->size,
                      .terms = a->terms + b->terms,
                      .largest = accordi_mass_greater(a->largest, b->largest),
                      .grid = accordi_mass_lesser(a->grid, b->grid)};
}

static inline ACCORDI_INLINE double power_of_two_below(double x)
{
    union {
        double x;
        uint64_t bits;
    } u = {x};
    u.bits &= UINT64_C(0x7ff) << 52;
    return u.x;
}

/* Of so many additions and sizes, where `each` is e. The first k of the chain, whose results are at
 * most k T, err by u times that; the others by half a unit in the last place of Q + E, which is
 * less than u (Q + E). */
static inline ACCORDI_INLINE double chain_error(double Q, double T, double n, double u, double each)
{
    double t = n * u, growth = 1 + t + t * t; /* at least (1 + u)^n for t up to 1 */
    double reached = T > 0 ? Q / T * (1 - 0x1p-40) : 0;
    double k = __builtin_floor(reached < n ? reached : n);
    k = k < 1 ? 1 : k;
    double first = growth * (u * T * (0.5 * k * (k + 1) - 1) + n * each);
    double all = first + growth * u * (n - k) * Q;
    double last = u * (n - k) * power_of_two_below(Q + all * (1 + 0x1p-40));
    return first + (last < all - first ? last : all - first);
}

/* Additions are rounded to nearest, or twice under EXCESS. More terms than 1 / u are bounded by n u
 * (P + N), which holds for any number of them. What is lost in `rest` is of second order. */
static inline ACCORDI_INLINE double error_of(const deferred *d, bool narrow)
{
    bool twice = accordi_model & ACCORD_BOUND_EXCESS, flushes = accordi_model & ACCORD_BOUND_FTZ;
    double u = (narrow ? 0x1p-24 : 0x1p-53) * (twice ? 1 + 0x1p-10 : 1), n = d->terms, t = n * u;
    double least = narrow ? 0x1p-149 : 0x1p-1074, normal = narrow ? (double)FLT_MIN : DBL_MIN;
    double slack = 1 + 0x1p-40 + n * 0x1p-52;
    double Q = accordi_mass_greater(d->size[0], d->size[1]) * slack, T = d->largest * slack;
    double each = 2 * least + (flushes ? 2 * normal : 0), second = 8 * n * n * 0x1p-106 * Q;
    if (Q <= d->grid * (narrow ? 0x1p24 : 0x1p53) * (1 - 0x1p-20) &&
        (!flushes || d->grid >= normal))
        return 0;
    if (likely(t <= 1))
        return (chain_error(Q, T, n, u, each) + second) * slack;
    if (twice || flushes)
        return infinite;
    return (t * (d->size[0] + d->size[1]) * slack + n * each + second) * slack;
}

/* Every result is a number of the format, so the ends are rounded inward; not if it may be wider.
 */
static inline ACCORDI_INLINE accordi_ends ends_of(const deferred *d, double error, bool narrow)
{
    accordi_ends far = d->rest + error, end;
    if (accordi_model & ACCORD_BOUND_EXCESS) {
        end = accordi_mass_sum_up(d->x, far);
        return narrow ? (accordi_ends){accordi_mass_float_up(end[0]), accordi_mass_float_up(end[1])}
                      : end;
    }
    end = accordi_mass_sum_up(-d->x, -far);
    return narrow ? (accordi_ends){-accordi_mass_float_up(end[0]), -accordi_mass_float_up(end[1])}
                  : -end;
}

static inline ACCORDI_INLINE bool is_finite(const accordi_wide_shadow *a)
{
    return finite_ends(a->base.end);
}

static inline ACCORDI_INLINE bool is_lost(const accordi_wide_shadow *a)
{
    return a->base.kind == ACCORDI_SPECIAL && a->base.y[0] >= ACCORDI_IS_LOST;
}

/* Some order may overflow, or something is infinite or NaN. */
static inline ACCORDI_INLINE void anything(accordi_wide_shadow *out, const accordi_wide_shadow *a,
                                           const accordi_wide_shadow *b, uint32_t site)
{
    double nan = __builtin_nan("");
    if (is_lost(a) || is_lost(b)) {
        out->base = is_lost(a) ? a->base : b->base;
        return;
    }
    if (is_finite(a) && is_finite(b))
        accordi_becomes_infinite(site);
    out->base = (accordi_shadow){
        {nan, nan}, {infinite, infinite}, {ACCORDI_MAY_BE_NAN, 0}, ACCORDI_SPECIAL};
}

static inline ACCORDI_INLINE void keep(accordi_wide_shadow *out, const deferred *d,
                                       accordi_ends end)
{
    out->base = (accordi_shadow){end, d->x, d->size, ACCORDI_WITH_SUM};
    out->more.sum.rest = d->rest;
    out->more.sum.terms = d->terms;
    out->more.sum.largest = d->largest;
    out->more.sum.grid = d->grid;
}

void accordi_add_f64(accordi_shadow *out, const accordi_shadow *a, const accordi_shadow *b,
                     uint32_t site);
void accordi_add_f32(accordi_shadow *out, const accordi_shadow *a, const accordi_shadow *b,
                     uint32_t site);

/* Two numbers have one sum, as under the other models. */
static inline ACCORDI_INLINE void add_two(accordi_wide_shadow *out, const deferred *d,
                                          const accordi_shadow *a, const accordi_shadow *b,
                                          uint32_t site, bool narrow)
{
    accordi_shadow sum;
    if (narrow)
        accordi_add_f32(&sum, a, b, site);
    else
        accordi_add_f64(&sum, a, b, site);
    out->base = sum;
    if (finite_ends(sum.end))
        keep(out, d, sum.end);
}

static inline ACCORDI_INLINE void add(accordi_wide_shadow *out, const accordi_wide_shadow *a,
                                      const accordi_wide_shadow *b, uint32_t site, bool narrow)
{
    deferred x = deferred_of(a, narrow), y = deferred_of(b, narrow), d = join(&x, &y);
    double error = error_of(&d, narrow), greatest = narrow ? (double)FLT_MAX : DBL_MAX;
    double most = accordi_mass_greater(d.size[0], d.size[1]);
    if (a->base.kind != ACCORDI_WITH_SUM && b->base.kind != ACCORDI_WITH_SUM) {
        add_two(out, &d, &a->base, &b->base, site, narrow);
        return;
    }
    accordi_ends end = ends_of(&d, error, narrow);
    if (!likely(is_finite(a) && is_finite(b) && most + 2 * error < greatest && finite_ends(end))) {
        anything(out, a, b, site);
        return;
    }
    accordi_ends more = end - a->base.end - b->base.end;
    accordi_states[site].order += accordi_mass_greater(0, more[0] + more[1]);
    keep(out, &d, end);
}

void accordi_negate(accordi_shadow *out, const accordi_shadow *a);
static inline ACCORDI_INLINE void negate(accordi_wide_shadow *out, const accordi_wide_shadow *a)
{
    bool sum = a->base.kind == ACCORDI_WITH_SUM;
    accordi_more more = a->more;
    accordi_negate(&out->base, &a->base);
    out->more = more;
    if (sum)
        out->more.sum.rest = swap(more.sum.rest);
}

ACCORDI_INLINE void accordi_loop_negate(accordi_wide_shadow *out, const accordi_wide_shadow *a)
{
    negate(out, a);
}

#define BOTH(suffix, narrow)                                                                       \
    ACCORDI_INLINE void accordi_loop_add_##suffix(accordi_wide_shadow *out,                        \
                                                  const accordi_wide_shadow *a,                    \
                                                  const accordi_wide_shadow *b, uint32_t site)     \
    {                                                                                              \
        add(out, a, b, site, narrow);                                                              \
    }                                                                                              \
    ACCORDI_INLINE void accordi_loop_subtract_##suffix(                                            \
        accordi_wide_shadow *out, const accordi_wide_shadow *a, const accordi_wide_shadow *b,      \
        uint32_t site)                                                                             \
    {                                                                                              \
        accordi_wide_shadow other;                                                                 \
        negate(&other, b);                                                                         \
        add(out, a, &other, site, narrow);                                                         \
    }
BOTH(f64, false)
BOTH(f32, true)
