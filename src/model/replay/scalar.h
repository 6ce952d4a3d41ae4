/* Exact arithmetic on a few numbers, rounded once. Internal. */
#ifndef ACCORDI_SCALAR_H
#define ACCORDI_SCALAR_H

#include "base/base.h"
#include <accord/format.h>

/* The exact product a * b; a number x is {x, 1}. */
typedef struct accordi_factors {
    double a, b;
} accordi_factors;

/* The exact sum of the products, rounded once; infinities, NaN and the signs of zeros as in IEEE
 * 754. count >= 1. */
double accordi_sum_products(enum accord_format format, enum accord_rounding rounding,
                            const accordi_factors *f, size_t count);
double accordi_round_product(enum accord_format format, enum accord_rounding rounding, double a,
                             double b);
double accordi_round_quotient(enum accord_format format, enum accord_rounding rounding, double a,
                              double b);
double accordi_round_root(enum accord_format format, enum accord_rounding rounding, double x);

/* Whether the format holds x. */
bool accordi_holds(enum accord_format format, double x);
/* x, or a zero of its sign where it is subnormal in the format. */
double accordi_flushed(enum accord_format format, double x);

#endif
