/* Operations on shadows under FAST. Internal. */
#ifndef ACCORDI_MASSES_H
#define ACCORDI_MASSES_H

#include "bound/runtime/slow.h"

enum accordi_mass_operation {
    ACCORDI_MASS_ADD,
    ACCORDI_MASS_SUBTRACT,
    ACCORDI_MASS_MULTIPLY,
    ACCORDI_MASS_DIVIDE,
    ACCORDI_MASS_SQRT,
    ACCORDI_MASS_FMA
};
/* Operands that the operation does not take are ignored. */
void accordi_mass_operate(accordi_wide_shadow *out, const accordi_wide_shadow *a,
                          const accordi_wide_shadow *b, const accordi_wide_shadow *c,
                          uint32_t operation, uint32_t site, bool narrow);

#endif
