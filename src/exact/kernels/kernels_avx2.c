/* The kernels of exact sums for AVX2 with FMA. */
#include "exact/kernels/kernels.h"
#if defined __x86_64__ && defined __GNUC__
#include "exact/kernels/isa_avx2.h"

#include "exact/kernels/whole_row.h"

const accordi_exact_kernels accordi_exact_kernels_avx2 = WHOLE_ROW("avx2", 4, NULL, 1 << 22);
#endif
