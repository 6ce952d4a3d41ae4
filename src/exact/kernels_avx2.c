/* The kernels of exact sums for AVX2 with FMA. */
#include "exact/kernels.h"
#if defined __x86_64__ && defined __GNUC__
#include "exact/isa_avx2.h"

#include "exact/dot_f64.h"
#include "exact/expansion_arrays.h"
#include "exact/short_lanes.h"
#include "exact/single_f32.h"
#include "exact/sum_f64.h"

const accordi_exact_kernels accordi_exact_kernels_avx2 = {
    "avx2",        sum_f64,       sum_f32,           dot_f64,
    dot_f32,       expansion_f64, expansion_dot_f64, short_sum_f64,
    short_sum_f32, short_dot_f64, short_dot_f32,     WINDOW_RANGE(4),
};
#endif
