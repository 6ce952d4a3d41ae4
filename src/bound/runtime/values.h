/* Shadows as values of room bound, for the files that are not inlined. Internal. */
#ifndef ACCORDI_VALUES_H
#define ACCORDI_VALUES_H

#include "bound/bound.h"
#include "bound/runtime/slow.h"

bool accordi_shadow_is_lost(const accordi_shadow *a);
accordi_value accordi_shadow_value(const accordi_shadow *a, enum accord_format format);
accordi_shadow accordi_value_shadow(const accordi_value *v);
/* The settings of the program's model, with room for the evaluations that one operation makes. */
accordi_bounds *accordi_settings(void);
/* Finite, or no number at all. */
bool accordi_value_is_finite(const accordi_value *v);

#endif
