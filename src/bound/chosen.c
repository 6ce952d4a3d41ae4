/* Single operations in the caller's arithmetic, if there is one, or in the library's own.
 *
 * Everything that decides an end goes through here, but for long sums and masses. The library
 * handles infinities and NaN itself: other arithmetics get finite numbers only. */
#include "bound/arithmetic.h"
#include "bound/bound.h"
#include <math.h>

static const accord_bound_arithmetic *other(const accordi_bounds *b, double x, double y, double c)
{
    return isfinite(x) && isfinite(y) && isfinite(c) ? b->options.arithmetic : NULL;
}

double accordi_do_fuse(const accordi_bounds *b, enum accord_format f, enum accord_rounding rounding,
                       double x, double y, double c)
{
    const accord_bound_arithmetic *a = other(b, x, y, c);
    return a ? a->fused(f, rounding, x, y, c) : accordi_round_fused(f, rounding, x, y, c);
}

double accordi_do_add(const accordi_bounds *b, enum accord_format f, enum accord_rounding rounding,
                      double x, double y)
{
    const accord_bound_arithmetic *a = other(b, x, y, 0);
    return a ? a->fused(f, rounding, x, 1, y) : accord_format_add(f, rounding, x, y);
}

double accordi_do_multiply(const accordi_bounds *b, enum accord_format f,
                           enum accord_rounding rounding, double x, double y)
{
    const accord_bound_arithmetic *a = other(b, x, y, 0);
    return a ? a->fused(f, rounding, x, y, 0) : accordi_round_product(f, rounding, x, y);
}

double accordi_do_round(const accordi_bounds *b, enum accord_format f,
                        enum accord_rounding rounding, double x)
{
    const accord_bound_arithmetic *a = other(b, x, 0, 0);
    return a ? a->fused(f, rounding, x, 1, 0) : accord_format_round(f, rounding, x);
}

double accordi_do_divide(const accordi_bounds *b, enum accord_format f,
                         enum accord_rounding rounding, double x, double y)
{
    const accord_bound_arithmetic *a = other(b, x, y, 0);
    return a ? a->quotient(f, rounding, x, y) : accordi_round_quotient(f, rounding, x, y);
}

double accordi_do_root(const accordi_bounds *b, enum accord_format f, enum accord_rounding rounding,
                       double x)
{
    const accord_bound_arithmetic *a = other(b, x, 0, 0);
    return a ? a->root(f, rounding, x) : accordi_round_root(f, rounding, x);
}

int accordi_do_compare(const accordi_bounds *b, double x, double y, double u, double v)
{
    const accord_bound_arithmetic *a = other(b, x, y, u + v);
    return a && isfinite(u) && isfinite(v) ? a->compare(x, y, u, v)
                                           : accordi_compare_products(x, y, u, v);
}
