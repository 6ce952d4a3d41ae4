/* The kernels of exact sums for NEON of AArch64. */
#include "exact/kernels/kernels.h"
#if defined __aarch64__
#include "exact/kernels/isa_neon.h"

#include "exact/kernels/whole_row.h"

const accordi_exact_kernels accordi_exact_kernels_neon = WHOLE_ROW("neon", 2, NULL, 0);
#endif
