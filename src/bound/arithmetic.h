/* One operation in a format, rounded once: to nearest, or down or up where a model needs it.
 * Internal. Operands are values of the format, or doubles that hold them; factors of a product may
 * besides be scaled by any power of two that a double holds. */
#ifndef ACCORDI_BOUND_ARITHMETIC_H
#define ACCORDI_BOUND_ARITHMETIC_H

#include "model/replay/scalar.h"

/* x * y + c */
double accordi_round_fused(enum accord_format format, enum accord_rounding rounding, double x,
                           double y, double c);

/* The sign of x * y - u * v, exactly. No factor is NaN; 0 times infinity counts as 0. */
int accordi_compare_products(double x, double y, double u, double v);

/* The neighbors in f64. */
double accordi_below(double x);
double accordi_above(double x);

#endif
