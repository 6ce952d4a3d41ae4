/* The kernels of exact sums for the portable lanes, for tests. */
#include "exact/kernels/isa_generic.h"
#include "exact/kernels/kernels.h"

#include "exact/kernels/whole_row.h"

const accordi_exact_kernels accordi_exact_kernels_generic = WHOLE_ROW("generic", 4, NULL, 0);
