/* FAST in programs: what stands in place of the operations of the same names without fast_.
 * Compiled to bitcode.
 *
 * A shadow is followed by its mass, wherever it goes. */
#include "bound/runtime/inline.h"
#include "bound/runtime/masses.h"

static inline ACCORDI_INLINE bool has_mass(const accordi_shadow *a)
{
    return a->kind >= ACCORDI_WITH_MASS;
}

ACCORDI_INLINE void accordi_fast_copy(accordi_mass_shadow *out, const accordi_mass_shadow *a)
{
    *out = *a;
}

ACCORDI_INLINE void accordi_fast_choose(accordi_mass_shadow *out, bool first,
                                        const accordi_mass_shadow *a, const accordi_mass_shadow *b)
{
    if (first)
        *out = *a;
    else
        *out = *b;
}

/* ---- memory ---- */

#define MEMORY(type, suffix)                                                                       \
    void accordi_load_##suffix(accordi_shadow *out, const void *p, type x);                        \
    void accordi_store_##suffix(const void *p, type x, const accordi_shadow *a);                   \
    ACCORDI_INLINE void accordi_fast_load_##suffix(accordi_mass_shadow *out, const void *p,        \
                                                   type x)                                         \
    {                                                                                              \
        accordi_load_##suffix(&out->base, p, x);                                                   \
        if (has_mass(&out->base))                                                                  \
            out->more = *accordi_mass_slot(accordi_chunks[accordi_chunk_number(p)], p);            \
    }                                                                                              \
    ACCORDI_INLINE void accordi_fast_store_##suffix(const void *p, type x,                         \
                                                    const accordi_mass_shadow *a)                  \
    {                                                                                              \
        accordi_store_##suffix(p, x, &a->base);                                                    \
        if (has_mass(&a->base))                                                                    \
            *accordi_mass_slot(accordi_chunks[accordi_chunk_number(p)], p) = a->more;              \
    }
MEMORY(double, f64)
MEMORY(float, f32)

/* ---- calls ---- */

ACCORDI_INLINE void accordi_fast_send(uint32_t i, const accordi_mass_shadow *a)
{
    accordi_calls.value[i] = a->base;
    accordi_mass_calls.value[i] = a->more;
}
ACCORDI_INLINE void accordi_fast_give(uint32_t i, const accordi_mass_shadow *a)
{
    accordi_calls.result[i] = a->base;
    accordi_mass_calls.result[i] = a->more;
}
void accordi_receive(accordi_shadow *out, bool known, uint32_t i, uint32_t site);
ACCORDI_INLINE void accordi_fast_receive(accordi_mass_shadow *out, bool known, uint32_t i,
                                         uint32_t site)
{
    accordi_receive(&out->base, known, i, site);
    out->more = accordi_mass_calls.value[i];
}
void accordi_take(accordi_shadow *out, const void *callee, uint32_t i, uint32_t site);
ACCORDI_INLINE void accordi_fast_take(accordi_mass_shadow *out, const void *callee, uint32_t i,
                                      uint32_t site)
{
    accordi_take(&out->base, callee, i, site);
    out->more = accordi_mass_calls.result[i];
}

static inline ACCORDI_INLINE void forget_mass(accordi_shadow *a)
{
    if (has_mass(a))
        a->kind = ACCORDI_PLAIN;
}

/* What is passed in a list of arguments is seen by no compiler. */
ACCORDI_INLINE void accordi_fast_receive_list(accordi_list *list, bool known, uint32_t first)
{
    list->classes = known ? accordi_calls.list : 0;
    for (uint32_t i = 0; list->classes && first + i < ACCORDI_LIST; i++) {
        list->value[first + i] = accordi_calls.value[first + i];
        forget_mass(&list->value[first + i]);
    }
}

/* ---- arithmetic ---- */

ACCORDI_INLINE void accordi_fast_widen(accordi_mass_shadow *out, const accordi_mass_shadow *a)
{
    out->base = a->base;
    forget_mass(&out->base);
}

void accordi_negate(accordi_shadow *out, const accordi_shadow *a);
ACCORDI_INLINE void accordi_fast_negate(accordi_mass_shadow *out, const accordi_mass_shadow *a)
{
    accordi_ends y = a->base.y;
    accordi_negate(&out->base, &a->base);
    out->base.y = y; /* not factors, but the mass or flags */
    out->more = a->more;
}

#define BINARY(name, operation, suffix, narrow)                                                    \
    ACCORDI_INLINE void accordi_fast_##name##_##suffix(                                            \
        accordi_mass_shadow *out, const accordi_mass_shadow *a, const accordi_mass_shadow *b,      \
        uint32_t site)                                                                             \
    {                                                                                              \
        accordi_mass_operate(out, a, b, a, operation, site, narrow);                               \
    }
#define SCALE(name, operation, suffix, narrow)                                                     \
    ACCORDI_INLINE void accordi_fast_##name##_##suffix(                                            \
        accordi_mass_shadow *out, const accordi_mass_shadow *a, const accordi_mass_shadow *b,      \
        double scale_a, double scale_b, uint32_t site)                                             \
    {                                                                                              \
        (void)scale_a;                                                                             \
        (void)scale_b;                                                                             \
        accordi_mass_operate(out, a, b, a, operation, site, narrow);                               \
    }
#define OTHERS(suffix, narrow)                                                                     \
    ACCORDI_INLINE void accordi_fast_sqrt_##suffix(accordi_mass_shadow *out,                       \
                                                   const accordi_mass_shadow *a, uint32_t site)    \
    {                                                                                              \
        accordi_mass_operate(out, a, a, a, ACCORDI_MASS_SQRT, site, narrow);                       \
    }                                                                                              \
    ACCORDI_INLINE void accordi_fast_fma_##suffix(                                                 \
        accordi_mass_shadow *out, const accordi_mass_shadow *a, const accordi_mass_shadow *b,      \
        const accordi_mass_shadow *c, uint32_t site)                                               \
    {                                                                                              \
        accordi_mass_operate(out, a, b, c, ACCORDI_MASS_FMA, site, narrow);                        \
    }
#define ALL(suffix, narrow)                                                                        \
    BINARY(add, ACCORDI_MASS_ADD, suffix, narrow)                                                  \
    BINARY(subtract, ACCORDI_MASS_SUBTRACT, suffix, narrow)                                        \
    BINARY(multiply, ACCORDI_MASS_MULTIPLY, suffix, narrow)                                        \
    BINARY(square, ACCORDI_MASS_MULTIPLY, suffix, narrow)                                          \
    BINARY(divide, ACCORDI_MASS_DIVIDE, suffix, narrow)                                            \
    SCALE(scale, ACCORDI_MASS_MULTIPLY, suffix, narrow)                                            \
    SCALE(scale_down, ACCORDI_MASS_DIVIDE, suffix, narrow)                                         \
    OTHERS(suffix, narrow)
ALL(f64, false)
ALL(f32, true)
