/* The kernels of exact sums for AVX-512 (F, DQ, VL). */
#include "exact/kernels/kernels.h"
#if defined __x86_64__ && defined __GNUC__
#include "exact/kernels/isa_avx512.h"

#include "exact/kernels/whole_row.h"

const accordi_exact_kernels accordi_exact_kernels_avx512 = {
    WHOLE_ROW_MEMBERS("avx512", 8, avx512_is_calm, 0),
    .far_sum_f64 = accordi_exact_far_sum_f64_avx2,
    .far_dot_f64 = accordi_exact_far_dot_f64_avx2,
};
#endif
