/* Masses, for the model FAST: mass.c. The runtime of instrumented programs has them as well.
 * Internal. */
#ifndef ACCORDI_MASS_H
#define ACCORDI_MASS_H

#include "bound/bound.h"

typedef struct accordi_mass {
    double low, high;   /* p: the real value */
    double m;           /* mass */
    double k, terms;    /* the most roundings of a term before it is added; terms */
    double apart;       /* 1: a product that may become two terms */
    double all, degree; /* terms and degree, if expanded */
    double factors;     /* products and quotients that it consists of, at most */
    double G, S, N;
    bool any; /* nothing is known, and NaN may come */
} accordi_mass;

/* One term: any number of an interval. */
accordi_mass accordi_mass_of(const accordi_bounds *b, const accordi_value *v);
accordi_mass accordi_mass_add(const accordi_bounds *b, const accordi_mass *x,
                              const accordi_mass *y);
accordi_mass accordi_mass_negate(accordi_mass x);
accordi_mass accordi_mass_multiply(enum accord_format f, const accordi_mass *x,
                                   const accordi_mass *y);
/* 1 / y and the root of y, where y has the interval and the mass that are given. */
accordi_mass accordi_mass_reciprocal(const accordi_bounds *b, const accordi_value *y,
                                     const accordi_mass *of);
accordi_mass accordi_mass_root(const accordi_bounds *b, const accordi_value *y,
                               const accordi_mass *of);
/* All values that evaluations can give. */
accordi_value accordi_mass_interval(const accordi_bounds *b, enum accord_format f,
                                    const accordi_mass *x);

#endif
