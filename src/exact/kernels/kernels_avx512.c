/* The kernels of exact sums for AVX-512 (F, DQ, VL). */
#include "exact/kernels/kernels.h"
#if defined __x86_64__ && defined __GNUC__
#include "exact/kernels/isa_avx512.h"

#include "exact/kernels/whole_row.h"

const accordi_exact_kernels accordi_exact_kernels_avx512 =
    WHOLE_ROW("avx512", 8, avx512_is_calm, 0);
#endif
