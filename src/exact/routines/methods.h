/* Adding arrays by one of the methods; the routines and the accumulators' functions both come
 * through here. Internal. Options have been checked; strides and alignment are anything. */
#ifndef ACCORDI_EXACT_METHODS_H
#define ACCORDI_EXACT_METHODS_H

#include "base/parallel.h"
#include "exact/kernels/kernels.h"
#include <accord/exact_blas.h>

enum { ACCORDI_EXACT_EXPANSION = 8 }; /* terms, where the options give none */

/* How many threads the `threads` of options stand for. */
static inline int accordi_exact_threads(int wanted)
{
    if (wanted <= 1)
        return 1;
    return accordi_threads(wanted == ACCORD_EXACT_EACH_PROCESSOR ? 0 : wanted);
}

/* f64 products need a wide view. */
#define ACCORDI_EXACT_DECLARE(suffix_, number_)                                                    \
    void accordi_exact_sum_##suffix_(const accord_exact_options *how, accordi_exact_view sum,      \
                                     size_t n, const number_ *x, ptrdiff_t stride);
#define ACCORDI_EXACT_DECLARE_DOT(suffix_, number_)                                                \
    void accordi_exact_dot_##suffix_(const accord_exact_options *how, accordi_exact_view sum,      \
                                     size_t n, const number_ *x, ptrdiff_t stride_x,               \
                                     const number_ *y, ptrdiff_t stride_y);
ACCORDI_EXACT_DECLARE(f64, double)
ACCORDI_EXACT_DECLARE(f32, float)
ACCORDI_EXACT_DECLARE(f16, uint16_t)
ACCORDI_EXACT_DECLARE(bf16, uint16_t)
ACCORDI_EXACT_DECLARE_DOT(f64, double)
ACCORDI_EXACT_DECLARE_DOT(f32, float)

#endif
