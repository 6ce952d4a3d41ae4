/* Quotients and roots of exact sums, by the leading bits that rounding needs. Internal. */
#ifndef ACCORDI_EXACT_QUOTIENT_H
#define ACCORDI_EXACT_QUOTIENT_H

#include "exact/accumulator/exact.h"

/* magnitude * 2^unit / (divisor * 2^exponent); magnitude and divisor are not zero. */
accordi_lead accordi_exact_divide(const accordi_exact_magnitude *magnitude, int unit,
                                  uint64_t divisor, int exponent);
/* n * 2^unit_n / (d * 2^unit_d) = (bits + r) * 2^exponent, 2^127 <= bits, 0 <= r < 1, r > 0 if
 * `more`. Neither is zero; their signs are ignored. */
typedef struct accordi_exact_ratio {
    uint128 bits;
    int exponent;
    bool more;
} accordi_exact_ratio;
accordi_exact_ratio accordi_exact_divide_long(const accordi_exact_magnitude *n, int unit_n,
                                              const accordi_exact_magnitude *d, int unit_d);
accordi_lead accordi_exact_ratio_lead(accordi_exact_ratio ratio, bool negative);
accordi_lead accordi_exact_ratio_root(accordi_exact_ratio ratio);

/* The square root of magnitude * 2^unit; the magnitude is not zero, its sign ignored. */
accordi_lead accordi_exact_root(const accordi_exact_magnitude *magnitude, int unit);
/* The same of a sum of finite terms that are not negative, rounded into any format, as a value. */
double accordi_exact_root_value(accordi_exact_view sum, enum accord_format format,
                                enum accord_rounding rounding);

#endif
