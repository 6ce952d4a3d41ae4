/* The kernels of exact sums for SSE2. Products of f64 are added as integers, since there is no
 * multiply-add. */
#include "exact/kernels/kernels.h"
#if defined __x86_64__ && defined __GNUC__
#include "exact/kernels/isa_sse2.h"

#include "exact/direct/sample.h"
#include "exact/kernels/direct_lanes.h"
#include "exact/kernels/direct_passes.h"
#include "exact/kernels/expansion_arrays.h"
#include "exact/kernels/narrow.h"
#include "exact/kernels/sum_f64.h"

enum { PASS_SPAN = 128 }; /* binades: over more passes are not less work */

/* Lanes of a register are shifted by one distance only: what passes do not take is added term by
 * term (direct/pieces.h). */
INLINE bool by_passes(source s, accordi_exact_integer *sum, uint64_t *used)
{
    return s.n >= PASS_FROM && sample_of(&s, 4, 1).binades < PASS_SPAN &&
           pass_all(size_of(s.l) == 4, s.product, s.n, s.x, s.y, sum, used);
}

#define BLOCKS_SUM(layout_)                                                                        \
    static bool blocks_sum_##layout_(size_t n, const void *x, const void *y,                       \
                                     accordi_exact_integer *sum, uint64_t *used)                   \
    {                                                                                              \
        (void)y;                                                                                   \
        const source s = source_of_sum(layout_, n, x, size_of(layout_));                           \
        return by_passes(s, sum, used) || add_pieces(s, sum, used);                                \
    }
BLOCKS_SUM(f64)
BLOCKS_SUM(f32)

/* Products of f32 are numbers of f64. */
static bool blocks_dot_f32(size_t n, const void *x, const void *y, accordi_exact_integer *sum,
                           uint64_t *used)
{
    const source s = {f32, true, n, x, y, size_of(f32), size_of(f32)};
    const short_source of_lanes = {true, true, x, y, false};
    double product[ACCORDI_EXACT_BLOCKS_TERMS + LANES];
    if (by_passes(s, sum, used))
        return true;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        v_store(product + i, short_value(of_lanes, i));
    if (i < n)
        v_store(product + i, short_some(of_lanes, i, n - i));
    return add_pieces(source_of_sum(f64, n, product, sizeof *product), sum, used);
}

const accordi_exact_kernels accordi_exact_kernels_sse2 = {
    .name = "sse2",
    .sum_f64 = sum_f64,
    .sum_f32 = sum_f32,
    .sum_f16 = sum_f16,
    .sum_bf16 = sum_bf16,
    .dot_f64 = accordi_exact_scalar_dot_f64,
    .dot_f32 = dot_f32,
    .expansion_f64 = expansion_f64,
    .expansion_dot_f64 = expansion_dot_f64,
    .short_sum_f64 = short_sum_f64,
    .short_sum_f32 = short_sum_f32,
    .short_dot_f32 = short_dot_f32,
    .blocks = {{blocks_sum_f64, blocks_sum_f32}, {NULL, blocks_dot_f32}},
    .streamed = WINDOW_RANGE(2),
    .mixed = 1 << 12,
};
#endif
