/* Sums and products that may be parenthesized anew. Internal. */
#ifndef ACCORDI_GROUPS_H
#define ACCORDI_GROUPS_H

#include "bound/runtime/slow.h"

/* The terms of a sum, and the factors of a product with those that are constants 2^k (else 0). */
void accordi_regroup_sum(accordi_shadow *out, const accordi_shadow *term, uint32_t n, uint32_t site,
                         bool narrow);
void accordi_regroup_product(accordi_shadow *out, const accordi_shadow *factor, const double *power,
                             uint32_t n, uint32_t site, bool narrow);

#endif
