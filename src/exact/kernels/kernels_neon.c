/* The kernels of exact sums for NEON of AArch64. */
#include "exact/kernels/kernels.h"
#if defined __aarch64__
#include "exact/kernels/isa_neon.h"

#include "exact/kernels/direct_blocks.h"
#include "exact/kernels/direct_lanes.h"
#include "exact/kernels/direct_tiles.h"
#include "exact/kernels/dot_f64.h"
#include "exact/kernels/expansion_arrays.h"
#include "exact/kernels/narrow.h"
#include "exact/kernels/sum_f64.h"

const accordi_exact_kernels accordi_exact_kernels_neon = {
    "neon",        sum_f64,        sum_f32,
    sum_f16,       sum_bf16,       dot_f64,
    dot_f32,       expansion_f64,  expansion_dot_f64,
    short_sum_f64, short_sum_f32,  short_dot_f64,
    short_dot_f32, BLOCKS_KERNELS, WINDOW_RANGE(2),
    tile_tops,     tile_products,  tile_round,
    LANES,         NULL,           0,
};
#endif
