/* Wide shadows on their way through a program: what stands in place of the functions of
 * program_inline.c under FAST and LOOP. Compiled to bitcode. */
#include "bound/runtime/inline.h"

static inline ACCORDI_INLINE bool has_more(const accordi_shadow *a)
{
    return a->kind >= ACCORDI_WITH_MASS;
}

ACCORDI_INLINE void accordi_wide_copy(accordi_wide_shadow *out, const accordi_wide_shadow *a)
{
    *out = *a;
}

ACCORDI_INLINE void accordi_wide_choose(accordi_wide_shadow *out, bool first,
                                        const accordi_wide_shadow *a, const accordi_wide_shadow *b)
{
    if (first)
        *out = *a;
    else
        *out = *b;
}

/* ---- memory ---- */

#define MEMORY(type, suffix)                                                                       \
    void accordi_load_##suffix(accordi_shadow *out, const void *p, type x, uint32_t site);         \
    void accordi_store_##suffix(const void *p, type x, const accordi_shadow *a);                   \
    ACCORDI_INLINE void accordi_wide_load_##suffix(accordi_wide_shadow *out, const void *p,        \
                                                   type x, uint32_t site)                          \
    {                                                                                              \
        accordi_load_##suffix(&out->base, p, x, site);                                             \
        if (has_more(&out->base))                                                                  \
            out->more = *accordi_more_slot(accordi_chunks[accordi_chunk_number(p)], p);            \
    }                                                                                              \
    ACCORDI_INLINE void accordi_wide_store_##suffix(const void *p, type x,                         \
                                                    const accordi_wide_shadow *a)                  \
    {                                                                                              \
        accordi_store_##suffix(p, x, &a->base);                                                    \
        if (has_more(&a->base))                                                                    \
            *accordi_more_slot(accordi_chunks[accordi_chunk_number(p)], p) = a->more;              \
    }
MEMORY(double, f64)
MEMORY(float, f32)

/* ---- calls ---- */

ACCORDI_INLINE void accordi_wide_send(uint32_t i, const accordi_wide_shadow *a)
{
    accordi_calls.value[i] = a->base;
    accordi_more_calls.value[i] = a->more;
}
ACCORDI_INLINE void accordi_wide_give(uint32_t i, const accordi_wide_shadow *a)
{
    accordi_calls.result[i] = a->base;
    accordi_more_calls.result[i] = a->more;
}
void accordi_receive(accordi_shadow *out, bool known, uint32_t i, uint32_t site);
ACCORDI_INLINE void accordi_wide_receive(accordi_wide_shadow *out, bool known, uint32_t i,
                                         uint32_t site)
{
    accordi_receive(&out->base, known, i, site);
    out->more = accordi_more_calls.value[i];
}
void accordi_take(accordi_shadow *out, const void *callee, uint32_t i, uint32_t site);
ACCORDI_INLINE void accordi_wide_take(accordi_wide_shadow *out, const void *callee, uint32_t i,
                                      uint32_t site)
{
    accordi_take(&out->base, callee, i, site);
    out->more = accordi_more_calls.result[i];
}

static inline ACCORDI_INLINE void forget(accordi_shadow *a)
{
    if (has_more(a))
        a->kind = ACCORDI_PLAIN;
}

/* What is passed in a list of arguments is seen by no compiler. */
ACCORDI_INLINE void accordi_wide_receive_list(accordi_list *list, bool known, uint32_t first)
{
    list->classes = known ? accordi_calls.list : 0;
    for (uint32_t i = 0; list->classes && first + i < ACCORDI_LIST; i++) {
        list->value[first + i] = accordi_calls.value[first + i];
        forget(&list->value[first + i]);
    }
}

/* What is converted is an interval from here on. */
void accordi_widen(accordi_shadow *out, const accordi_shadow *a);
ACCORDI_INLINE void accordi_wide_widen(accordi_wide_shadow *out, const accordi_wide_shadow *a)
{
    accordi_widen(&out->base, &a->base);
    forget(&out->base);
}
