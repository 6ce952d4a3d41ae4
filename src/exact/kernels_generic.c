/* The kernels of exact sums for the portable lanes, for tests. */
#include "exact/isa_generic.h"
#include "exact/kernels.h"

#include "exact/dot_f64.h"
#include "exact/expansion_arrays.h"
#include "exact/short_lanes.h"
#include "exact/single_f32.h"
#include "exact/sum_f64.h"

const accordi_exact_kernels accordi_exact_kernels_generic = {
    "generic",         sum_f64,       sum_f32,       dot_f64,       dot_f32,       expansion_f64,
    expansion_dot_f64, short_sum_f64, short_sum_f32, short_dot_f64, short_dot_f32, WINDOW_RANGE(4),
};
