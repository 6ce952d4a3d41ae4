/* The kernels of exact sums for AVX-512 (F, DQ, VL). */
#include "exact/kernels.h"
#if defined __x86_64__ && defined __GNUC__
#include "exact/isa_avx512.h"

#include "exact/dot_f64.h"
#include "exact/expansion_arrays.h"
#include "exact/short_lanes.h"
#include "exact/single_f32.h"
#include "exact/sum_f64.h"

const accordi_exact_kernels accordi_exact_kernels_avx512 = {
    "avx512",          sum_f64,       sum_f32,       dot_f64,       dot_f32,       expansion_f64,
    expansion_dot_f64, short_sum_f64, short_sum_f32, short_dot_f64, short_dot_f32, WINDOW_RANGE(8),
};
#endif
