/* Masses of values, for the model FAST: mass.c. The runtime of instrumented programs uses them too.
 * Internal. */
#ifndef ACCORDI_MASS_H
#define ACCORDI_MASS_H

#include "bound/bound.h"
#include "bound/mass_inline.h"

accordi_mass_rules accordi_mass_rules_of(const accordi_bounds *b, enum accord_format f);
/* One term: any number of an interval. */
accordi_mass accordi_mass_of(const accordi_bounds *b, const accordi_value *v);
/* 1 / y and the root of y, where y has the interval and the mass that are given. */
accordi_mass accordi_mass_reciprocal(const accordi_bounds *b, const accordi_value *y,
                                     const accordi_mass *of);
accordi_mass accordi_mass_root(const accordi_bounds *b, const accordi_value *y,
                               const accordi_mass *of);
accordi_value accordi_mass_interval(const accordi_bounds *b, enum accord_format f,
                                    const accordi_mass *x);

#endif
