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
#include <accord/format.h>

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

/* Where kernels place their folds: products and terms are below 2^top, LEAST <= top <= MOST, and
 * the units of fold 0 are 2^(top + ABOVE - 52) (kernels/direct_folds.h). */
enum { ACCORDI_EXACT_ABOVE = 9, ACCORDI_EXACT_LEAST = -850, ACCORDI_EXACT_MOST = 1013 };

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
 * less slack; of f32 also 1, which is faster, or 0, the fastest for few terms. 3 is faster if *out
 * is what 2 have found of the same terms; else out->unit should be INT32_MIN / 2. In the
 * environment of kernels. */
typedef bool accordi_exact_short_kernel(size_t n, const void *x, const void *y, int folds,
                                        accordi_exact_close *out);

/* Kernels (direct_blocks.h): the sum of n contiguous terms x[i], or of products x[i] y[i], in
 * blocks, signed integers of 128 bits by their halves, the lower one first: block i counts units of
 * 2^(64 i + ACCORDI_EXACT_BLOCKS_UNIT). 0 < n <= ACCORDI_EXACT_BLOCKS_TERMS, or the row's
 * blocks_dot_to for products of f64; y is not read for sums. *used has a bit for each block that
 * terms other than zeros went to; the others may not have been written. False where a term is
 * infinite or NaN; it may be where a product overflows, or its error is lost to underflow, or where
 * there are so many products that an accumulator is as fast. In the environment of kernels; sums of
 * f64 of a few terms in any. */
enum {
    ACCORDI_EXACT_BLOCKS_BELOW =
        20, /* the least f64 is in the next: those below are for products */
    ACCORDI_EXACT_BLOCKS = 32 + ACCORDI_EXACT_BLOCKS_BELOW,
    ACCORDI_EXACT_BLOCKS_UNIT = -1075 - 64 * ACCORDI_EXACT_BLOCKS_BELOW,
    ACCORDI_EXACT_BLOCKS_TERMS = 1 << 10,
    ACCORDI_EXACT_BLOCKS_ANYWHERE = 32 /* so few terms are added as integers, in any environment */
};
typedef uint64_t accordi_exact_integer[2];
typedef bool accordi_exact_blocks_kernel(size_t n, const void *x, const void *y,
                                         accordi_exact_integer *sum, uint64_t *used);

/* Kernels (direct_few.h): both ends of an interval that contains the sum of n terms x[i], or of
 * products x[i] y[i], rounded to nearest, ties to even, in f64; y is not read for sums. exact: the
 * sum is a double. False where a term is infinite, too small or too large, or all are zeros, or
 * there are too many; where one is NaN, so are the ends. In the environment of kernels. */
enum { ACCORDI_EXACT_FEW = 64 };
typedef struct accordi_exact_ends {
    double from, to;
    bool exact;
} accordi_exact_ends;
typedef bool accordi_exact_few_kernel(size_t n, const void *x, const void *y,
                                      accordi_exact_ends *out);

/* Sums of products side by side (direct_tiles.h): those of each of 4 rows and each of the columns
 * that a kernel takes at once, 16 at most. */
enum { ACCORDI_EXACT_TILE_ROWS = 4, ACCORDI_EXACT_TILE_COLUMNS = 16 };
typedef struct accordi_exact_tile {
    size_t n;           /* terms, at most 2^18 */
    const double *a;    /* of n times 4 rows: term i of row r is a[4 i + r] */
    const double *b;    /* of n times the columns: term i of column c is b[columns i + c] */
    bool errors;        /* whether products are rounded: those of two f32 are not */
    int64_t row_top[4]; /* the products are below 2^(row_top + column_top) */
    int64_t column_top[ACCORDI_EXACT_TILE_COLUMNS];
} accordi_exact_tile;

/* Kernels: numbers of `group` lines, 4 or the columns of a tile, lie in turn at `at`, n of each;
 * those of line l are below 2^top[l] in size, or one is infinite or NaN: NOWHERE. */
enum { ACCORDI_EXACT_NOWHERE = 1 << 20 };
typedef void accordi_exact_tops_kernel(size_t n, size_t group, const double *at, int64_t *top);

/* Kernels: the upper fold of row 0 for all columns, its lower one, those of row 1, … A sum is what
 * accordi_exact_tile_sum says, where it says so. In the environment of kernels. */
typedef void accordi_exact_tile_kernel(const accordi_exact_tile *t, int64_t *totals);

/* Kernels: the sums of a tile all of whose products have places for their folds, rounded to
 * nearest, ties to even, in f64: rounded[columns * row + column] where `known` is -1 there, and not
 * 0. */
typedef void accordi_exact_round_kernel(const accordi_exact_tile *t, const int64_t *totals,
                                        uint64_t *rounded, int64_t *known);

/* Whether the folds hold a sum, and which. */
bool accordi_exact_tile_sum(const accordi_exact_tile *t, int row, int column, int64_t upper,
                            int64_t lower, accordi_exact_close *sum);
/* *sum += other. */
void accordi_exact_join_close(accordi_exact_close *sum, accordi_exact_close other);
/* Rounds to f64 or f32; false, with *out untouched, where the result depends on what is not known.
 */
bool accordi_exact_round_close(enum accord_format format, const accordi_exact_close *sum,
                               enum accord_exact_rounding rounding, uint64_t *out);

#endif
