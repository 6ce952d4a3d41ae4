/* A row of the table of kernels for an instruction set with all operations of isa_generic.h: all
 * kernels, made for the set whose isa_SET.h was included before. Internal. */
#ifndef ACCORDI_EXACT_WHOLE_ROW_H
#define ACCORDI_EXACT_WHOLE_ROW_H

#include "exact/kernels/direct_blocks.h"
#include "exact/kernels/direct_lanes.h"
#ifdef ISA_FEW
#include "exact/kernels/direct_few.h"
#else
#define FEW_MEMBERS
#endif
#include "exact/kernels/direct_tiles.h"
#include "exact/kernels/dot_f64.h"
#include "exact/kernels/expansion_arrays.h"
#include "exact/kernels/kernels.h"
#include "exact/kernels/narrow.h"
#include "exact/kernels/sum_f64.h"

/* The name of the set, the folds of a window that keep up with memory, is_calm and mixed
 * (kernels.h). */
#define WHOLE_ROW_MEMBERS(name_, folds_, is_calm_, mixed_)                                         \
    .name = name_, .sum_f64 = sum_f64, .sum_f32 = sum_f32, .sum_f16 = sum_f16,                     \
    .sum_bf16 = sum_bf16, .dot_f64 = dot_f64, .dot_f32 = dot_f32, .expansion_f64 = expansion_f64,  \
    .expansion_dot_f64 = expansion_dot_f64, .short_sum_f64 = short_sum_f64,                        \
    .short_sum_f32 = short_sum_f32, .short_dot_f64 = short_dot_f64,                                \
    .short_dot_f32 = short_dot_f32, FEW_MEMBERS.blocks = BLOCKS_KERNELS,                           \
    .streamed = WINDOW_RANGE(folds_), .tops = tile_tops, .tile = tile_products,                    \
    .tile_round = tile_round, .tile_columns = LANES, .blocks_dot_to = BLOCKS_DOT_TO,               \
    .is_calm = is_calm_, .mixed = mixed_

#define WHOLE_ROW(...)                                                                             \
    {                                                                                              \
        WHOLE_ROW_MEMBERS(__VA_ARGS__)                                                             \
    }

#endif
