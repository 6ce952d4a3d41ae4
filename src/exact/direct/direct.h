/* Rounds the sums of short arrays directly, without an accumulator. Internal.
 *
 * Each function returns whether *out is now the correctly rounded result. If not, *out is untouched
 * and the caller must use an accumulator: an argument or option is invalid, a method other than
 * ACCORD_EXACT_AUTO is asked for, a term is not finite, the result depends on bits that were not
 * examined, or an accumulator is as fast. Any stride, alignment and floating-point environment is
 * allowed. Arrays longer than ACCORDI_EXACT_SHORT may be divided among options->threads threads. */
#ifndef ACCORDI_EXACT_SHORT_H
#define ACCORDI_EXACT_SHORT_H

#include "base/base.h"
#include <accord/exact_blas.h>

enum { ACCORDI_EXACT_SHORT = 1024 };

bool accordi_exact_short_sum_f64(size_t n, const double *x, ptrdiff_t stride,
                                 const accord_exact_options *options, double *out);
bool accordi_exact_short_sum_f32(size_t n, const float *x, ptrdiff_t stride,
                                 const accord_exact_options *options, float *out);
bool accordi_exact_short_sum_f16(size_t n, const uint16_t *x, ptrdiff_t stride,
                                 const accord_exact_options *options, uint16_t *out);
bool accordi_exact_short_sum_bf16(size_t n, const uint16_t *x, ptrdiff_t stride,
                                  const accord_exact_options *options, uint16_t *out);
bool accordi_exact_short_dot_f64(size_t n, const double *x, ptrdiff_t stride_x, const double *y,
                                 ptrdiff_t stride_y, const accord_exact_options *options,
                                 double *out);
bool accordi_exact_short_dot_f32(size_t n, const float *x, ptrdiff_t stride_x, const float *y,
                                 ptrdiff_t stride_y, const accord_exact_options *options,
                                 float *out);

/* A sum as closely as its rounding needs: it lies within slack * 2^unit of
 * (high * 2^44 + low) * 2^unit. */
enum { ACCORDI_EXACT_FOLD = 44 };
typedef struct accordi_exact_close {
    int128 high, low;
    uint64_t slack;
    int unit;
} accordi_exact_close;

static inline int128 accordi_exact_floor(int128 v, int by)
{
    return v >> (by < 127 ? by : 127);
}

/* Changes the unit of the sum to one that is at least as large. */
static inline void accordi_exact_coarsen(accordi_exact_close *c, int unit)
{
    int by = unit - c->unit, spare = ACCORDI_EXACT_FOLD - by;
    int128 low = accordi_exact_floor(c->low, by);
    bool cut = by >= 127 ? c->low != 0 : (int128)((uint128)low << by) != c->low;
    c->slack = (by < 64 ? c->slack >> by : 0) + (c->slack != 0) + cut;
    if (c->high && spare > 0) {
        low += (int128)(((uint128)c->high & (((uint128)1 << by) - 1)) << spare);
        c->high >>= by;
    } else if (c->high) {
        low += accordi_exact_floor(c->high, -spare);
        c->high = 0;
        c->slack++;
    }
    c->low = low;
    c->unit = unit;
}

/* Kernels (short_lanes.h): the sum of n contiguous terms x[i], or of products x[i] y[i]; y is not
 * read for sums. Returns whether *out was found: not if a term is NaN, infinite, or too small or
 * large, and not for thousands of terms that an accumulator adds just as fast. folds: 2, or 3 for
 * less slack. In the environment of kernels. */
typedef bool accordi_exact_short_kernel(size_t n, const void *x, const void *y, int folds,
                                        accordi_exact_close *out);

#endif
