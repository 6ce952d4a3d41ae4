/* Arithmetic under FAST: what stands in place of the operations of arithmetic_inline.c. Compiled to
 * bitcode. Sums and products are done here; quotients, roots, and what is infinite, NaN or lost in
 * masses.c. */
#include "bound/mass_inline.h"
#include "bound/runtime/inline.h"
#include "bound/runtime/masses.h"
#include <float.h>

static inline ACCORDI_INLINE accordi_mass_rules rules_of(bool narrow)
{
    double normal = narrow ? (double)FLT_MIN : DBL_MIN;
    return (accordi_mass_rules){.unit = (narrow ? 0x1p-24 : 0x1p-53) * (1 + 0x1p-10),
                                .tiny = narrow ? 0x1p-149 : 0x1p-1074,
                                .flush = accordi_model & ACCORD_BOUND_FTZ ? normal : 0,
                                .normal = normal,
                                .cap = narrow ? 0x1p32 : 0x1p256,
                                .greatest = narrow ? (double)FLT_MAX : DBL_MAX};
}

static inline ACCORDI_INLINE accordi_mass mass_of(const accordi_mass_rules *r,
                                                  const accordi_wide_shadow *a)
{
    if (a->base.kind < ACCORDI_WITH_MASS) {
        accordi_mass out = accordi_mass_point(r, a->base.end);
        out.any = false; /* it is finite */
        return out;
    }
    return (accordi_mass){.p = a->base.x,
                          .m = a->base.y[0],
                          .k = a->base.y[1],
                          .terms = a->more.mass.terms,
                          .apart = a->base.kind == ACCORDI_WITH_MASS_APART,
                          .factors = a->more.mass.factors,
                          .length = a->more.mass.length,
                          .D = a->more.mass.D,
                          .G = a->more.mass.G,
                          .S = a->more.mass.S};
}

/* False: it is not finite. The rounding of this operation errs by half a unit of each term. */
static inline ACCORDI_INLINE bool keep(accordi_wide_shadow *out, const accordi_mass_rules *r,
                                       const accordi_mass *m, uint32_t site, bool narrow)
{
    double far = accordi_mass_deviation(r, m);
    accordi_ends end = accordi_mass_sum_up(m->p, (accordi_ends){far, far});
    if (narrow)
        end = (accordi_ends){accordi_mass_float_up(end[0]), accordi_mass_float_up(end[1])};
    if (!likely(finite_ends(end)))
        return false;
    accordi_states[site].order += m->m * (narrow ? 0x1p-23 : 0x1p-52);
    out->base.end = end;
    out->base.x = m->p;
    out->base.y = (accordi_ends){m->m, m->k};
    out->base.kind = m->apart > 0 ? ACCORDI_WITH_MASS_APART : ACCORDI_WITH_MASS;
    out->more.mass.terms = m->terms;
    out->more.mass.factors = m->factors;
    out->more.mass.length = m->length;
    out->more.mass.D = m->D;
    out->more.mass.G = m->G;
    out->more.mass.S = m->S;
    return true;
}

/* Operands are copied, so that on the fast way they need no place in memory. */
static inline ACCORDI_INLINE void go_slowly(accordi_wide_shadow *out, const accordi_wide_shadow *a,
                                            const accordi_wide_shadow *b,
                                            const accordi_wide_shadow *c, uint32_t operation,
                                            uint32_t site, bool narrow)
{
    accordi_wide_shadow x = *a, y = *b, z = *c, r;
    accordi_mass_operate(&r, &x, &y, &z, operation, site, narrow);
    *out = r;
}

static inline ACCORDI_INLINE bool is_known(const accordi_wide_shadow *a)
{
    return finite_ends(a->base.end);
}

static inline ACCORDI_INLINE void operate(accordi_wide_shadow *out, const accordi_wide_shadow *a,
                                          const accordi_wide_shadow *b, uint32_t operation,
                                          uint32_t site, bool narrow)
{
    accordi_mass_rules r = rules_of(narrow);
    accordi_mass x = mass_of(&r, a), y = mass_of(&r, b), z;
    if (operation == ACCORDI_MASS_SUBTRACT)
        y = accordi_mass_negate(y);
    z = operation == ACCORDI_MASS_MULTIPLY ? accordi_mass_multiply(&r, &x, &y)
                                           : accordi_mass_add(&r, &x, &y);
    if (!likely(is_known(a) && is_known(b) && keep(out, &r, &z, site, narrow)))
        go_slowly(out, a, b, a, operation, site, narrow);
}

void accordi_negate(accordi_shadow *out, const accordi_shadow *a);
ACCORDI_INLINE void accordi_fast_negate(accordi_wide_shadow *out, const accordi_wide_shadow *a)
{
    accordi_ends y = a->base.y;
    accordi_negate(&out->base, &a->base);
    out->base.y = y; /* not factors, but the mass or flags */
    out->more = a->more;
}

#define BINARY(name, operation, suffix, narrow)                                                    \
    ACCORDI_INLINE void accordi_fast_##name##_##suffix(                                            \
        accordi_wide_shadow *out, const accordi_wide_shadow *a, const accordi_wide_shadow *b,      \
        uint32_t site)                                                                             \
    {                                                                                              \
        operate(out, a, b, operation, site, narrow);                                               \
    }
#define OTHERS(suffix, narrow)                                                                     \
    ACCORDI_INLINE void accordi_fast_divide_##suffix(accordi_wide_shadow *out,                     \
                                                     const accordi_wide_shadow *a,                 \
                                                     const accordi_wide_shadow *b, uint32_t site)  \
    {                                                                                              \
        go_slowly(out, a, b, a, ACCORDI_MASS_DIVIDE, site, narrow);                                \
    }                                                                                              \
    ACCORDI_INLINE void accordi_fast_scale_##suffix(                                               \
        accordi_wide_shadow *out, const accordi_wide_shadow *a, const accordi_wide_shadow *b,      \
        double scale_a, double scale_b, uint32_t site)                                             \
    {                                                                                              \
        (void)scale_a;                                                                             \
        (void)scale_b;                                                                             \
        operate(out, a, b, ACCORDI_MASS_MULTIPLY, site, narrow);                                   \
    }                                                                                              \
    ACCORDI_INLINE void accordi_fast_scale_down_##suffix(                                          \
        accordi_wide_shadow *out, const accordi_wide_shadow *a, const accordi_wide_shadow *b,      \
        double scale_a, double scale_b, uint32_t site)                                             \
    {                                                                                              \
        (void)scale_a;                                                                             \
        (void)scale_b;                                                                             \
        go_slowly(out, a, b, a, ACCORDI_MASS_DIVIDE, site, narrow);                                \
    }                                                                                              \
    ACCORDI_INLINE void accordi_fast_sqrt_##suffix(accordi_wide_shadow *out,                       \
                                                   const accordi_wide_shadow *a, uint32_t site)    \
    {                                                                                              \
        go_slowly(out, a, a, a, ACCORDI_MASS_SQRT, site, narrow);                                  \
    }                                                                                              \
    ACCORDI_INLINE void accordi_fast_fma_##suffix(                                                 \
        accordi_wide_shadow *out, const accordi_wide_shadow *a, const accordi_wide_shadow *b,      \
        const accordi_wide_shadow *c, uint32_t site)                                               \
    {                                                                                              \
        go_slowly(out, a, b, c, ACCORDI_MASS_FMA, site, narrow);                                   \
    }
#define ALL(suffix, narrow)                                                                        \
    BINARY(add, ACCORDI_MASS_ADD, suffix, narrow)                                                  \
    BINARY(subtract, ACCORDI_MASS_SUBTRACT, suffix, narrow)                                        \
    BINARY(multiply, ACCORDI_MASS_MULTIPLY, suffix, narrow)                                        \
    BINARY(square, ACCORDI_MASS_MULTIPLY, suffix, narrow)                                          \
    OTHERS(suffix, narrow)
ALL(f64, false)
ALL(f32, true)
