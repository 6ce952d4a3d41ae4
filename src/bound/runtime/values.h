/* Shadows as values of room bound, for the files that are not inlined. Internal. */
#ifndef ACCORDI_VALUES_H
#define ACCORDI_VALUES_H

#include "bound/bound.h"
#include "bound/runtime/slow.h"
#include <math.h>

bool accordi_shadow_is_lost(const accordi_shadow *a);
accordi_value accordi_shadow_value(const accordi_shadow *a, enum accord_format format);
accordi_shadow accordi_value_shadow(const accordi_value *v);
/* The settings of the program's model, with room for the evaluations that one operation makes. */
accordi_bounds *accordi_settings(void);
/* Finite, or no number at all. */
bool accordi_value_is_finite(const accordi_value *v);

/* ---- arguments and results of functions ---- */

/* What is passed to a function is rounded. */
static inline accordi_value accordi_value_of(const accordi_shadow *a, bool narrow)
{
    accordi_value v = accordi_shadow_value(a, narrow ? ACCORD_F32 : ACCORD_F64);
    v.product = false;
    return v;
}
static inline void accordi_value_give(accordi_shadow *out, accordi_value *v)
{
    accordi_value_finish(accordi_settings(), v);
    *out = accordi_value_shadow(v);
}
static inline void accordi_value_set(accordi_value *out, double low, double high)
{
    out->low = low;
    out->high = high;
}
/* The greatest and the least size of a number in it. */
static inline double accordi_value_size(const accordi_value *v)
{
    return fmax(fabs(v->low), fabs(v->high));
}
static inline double accordi_value_least_size(const accordi_value *v)
{
    return v->low <= 0 && v->high >= 0 ? 0 : fmin(fabs(v->low), fabs(v->high));
}
static inline bool accordi_value_is_infinite(const accordi_value *v)
{
    return isinf(v->low) || isinf(v->high);
}

#endif
