/* The operations that are inlined into the program: the fast cases of intervals whose ends are
 * finite and, in products, of one sign. Everything else goes to slow.c, which uses the operations
 * of room bound; a test compares both bit by bit.
 *
 * Why the check is one addition: of finite operands the ends high and -low of a result add up to a
 * finite number, unless one of them overflowed; of special operands they are NaN. */
#ifndef ACCORDI_INLINE_H
#define ACCORDI_INLINE_H

#include "bound/runtime/slow.h"
#include <accord/bound.h>

#define ACCORDI_INLINE __attribute__((always_inline))
#define likely(x) __builtin_expect(!!(x), 1)

typedef long long accordi_mask __attribute__((vector_size(16)));
/* Ends of floats, in `end` as doubles, are computed as floats: to nearest, sums and products are
 * the same (format/round.c), and conversions there and back cancel out. */
typedef float accordi_floats __attribute__((vector_size(8)));
typedef int accordi_mask_of_floats __attribute__((vector_size(8)));

static const double infinite = (double)__builtin_inff();

static inline ACCORDI_INLINE bool simple(void)
{
    return !(accordi_model & (ACCORD_BOUND_EXCESS | ACCORD_BOUND_FTZ | ACCORD_BOUND_FAST));
}
static inline ACCORDI_INLINE bool fuses(void)
{
    return accordi_model & (ACCORD_BOUND_CONTRACT | ACCORD_BOUND_CONTRACT_EXPR |
                            ACCORD_BOUND_PAREN | ACCORD_BOUND_PERM | ACCORD_BOUND_LOOP);
}
static inline ACCORDI_INLINE bool through(void)
{
    return accordi_model & (ACCORD_BOUND_CONTRACT | ACCORD_BOUND_LOOP);
}

static inline ACCORDI_INLINE bool finite_ends(accordi_ends e)
{
    return __builtin_fabs(e[0] + e[1]) < infinite;
}
static inline ACCORDI_INLINE bool negative(double x)
{
    return __builtin_signbit(x);
}
/* No number is below 0, or none is above: then the signs of -low and high differ. */
static inline ACCORDI_INLINE bool one_sign(accordi_ends e)
{
    return negative(e[0]) != negative(e[1]);
}
static inline ACCORDI_INLINE accordi_ends swap(accordi_ends e)
{
    return (accordi_ends){e[1], e[0]};
}
static inline ACCORDI_INLINE accordi_floats shorten(accordi_ends e)
{
    return __builtin_convertvector(e, accordi_floats);
}
static inline ACCORDI_INLINE accordi_ends widen(accordi_floats e)
{
    return __builtin_convertvector(e, accordi_ends);
}
static inline ACCORDI_INLINE accordi_ends add_ends(accordi_ends x, accordi_ends y, bool narrow)
{
    return narrow ? widen(shorten(x) + shorten(y)) : x + y;
}
static inline ACCORDI_INLINE accordi_ends multiply_ends(accordi_ends x, accordi_ends y, bool narrow)
{
    return narrow ? widen(shorten(x) * shorten(y)) : x * y;
}
static inline ACCORDI_INLINE accordi_ends round_ends(accordi_ends e, bool narrow)
{
    return narrow ? widen(shorten(e)) : e;
}
/* The greater of both in each lane; NaN where the second is. */
static inline ACCORDI_INLINE accordi_ends outer(accordi_ends e, accordi_ends sum)
{
    return (accordi_ends){e[0] > sum[0] ? e[0] : sum[0], e[1] > sum[1] ? e[1] : sum[1]};
}
accordi_ends accordi_fma_ends(accordi_ends x, accordi_ends y,
                              accordi_ends c) __asm__("llvm.fma.v2f64");
/* Of four, for clang passes a vector of two floats as a double. */
typedef float accordi_four __attribute__((vector_size(16)));
accordi_four accordi_fma_four(accordi_four x, accordi_four y,
                              accordi_four c) __asm__("llvm.fma.v4f32");

static inline ACCORDI_INLINE accordi_four pad(accordi_ends e)
{
    accordi_floats f = shorten(e);
    return __builtin_shufflevector(f, f, 0, 1, -1, -1);
}

static inline ACCORDI_INLINE accordi_ends fuse(const accordi_shadow *p, accordi_ends c, bool narrow)
{
    if (!narrow)
        return accordi_fma_ends(p->x, p->y, c);
    accordi_four f = accordi_fma_four(pad(p->x), pad(p->y), pad(c));
    return widen(__builtin_shufflevector(f, f, 0, 1));
}

/* Is a product that gets b as a factor or divisor, 1 or -1, still a product? */
static inline ACCORDI_INLINE bool keeps_product(const accordi_shadow *a, const accordi_shadow *b)
{
    return through() && a->kind > ACCORDI_PLAIN && __builtin_fabs(b->end[1]) == 1;
}

static inline ACCORDI_INLINE void set_point(accordi_shadow *out, double x)
{
    out->end = (accordi_ends){-x, x};
    out->kind = ACCORDI_PLAIN;
    if (__builtin_expect(x != x, 0)) { /* a NaN and no number */
        out->kind = ACCORDI_SPECIAL;
        out->x = (accordi_ends){-infinite, -infinite};
        out->y = (accordi_ends){ACCORDI_MAY_BE_NAN, 0};
    }
}

/* Not inlined: mixed_inline.c. */
void accordi_less_fast(accordi_shadow *out, ACCORDI_PARTS(a), ACCORDI_PARTS(b), uint32_t operation,
                       uint32_t site, bool narrow);
void accordi_less_fast_scale(accordi_shadow *out, ACCORDI_PARTS(a), ACCORDI_PARTS(b),
                             double scale_a, double scale_b, bool divide, uint32_t site,
                             bool narrow);

/* What a slow function gave. That floats hold the ends is said here for the optimiser, which then
 * leaves conversions out on the fast way too; with excess precision they do not. */
static inline ACCORDI_INLINE void set_slow(accordi_shadow *out, const accordi_shadow *r,
                                           bool narrow)
{
    bool floats = narrow && simple() && !(accordi_model & ACCORD_BOUND_LOOP);
    *out = *r;
    out->end = round_ends(r->end, floats);
}

/* Shadows on the fast way never need an address: operands go in registers. */
static inline ACCORDI_INLINE void go_slow(accordi_shadow *out, const accordi_shadow *a,
                                          const accordi_shadow *b, uint32_t operation,
                                          uint32_t site, bool narrow)
{
    accordi_shadow r;
    accordi_less_fast(&r, ACCORDI_GIVE(a), ACCORDI_GIVE(b), operation, site, narrow);
    set_slow(out, &r, narrow);
}

#endif
