/* Products of matrices: what gemv, gemm and trsv share. Internal. */
#ifndef ACCORDI_EXACT_PRODUCT_H
#define ACCORDI_EXACT_PRODUCT_H

#include "exact/routines/routines.h"

/* A times B, in numbers; how a tile of the product is added up. */
typedef struct accordi_exact_dots {
    const accordi_exact_kind *kind;
    accord_exact_options how;
    const void *a, *b;
    ptrdiff_t row_a, column_a, row_b, column_b; /* strides */
    const accordi_exact_number *odd;            /* times this: an infinity or NaN; or NULL */
    size_t step;                                /* terms at a time */
} accordi_exact_dots;

/* Chooses the step for tiles of this shape and dots of `length` terms; returns the bytes of scratch
 * that they need. */
size_t accordi_exact_dots_plan(accordi_exact_dots *dots, size_t rows, size_t columns,
                               size_t length);
/* Adds the terms from … to - 1 of the element (row + r, column + c) to the accumulator number r *
 * columns + c. */
void accordi_exact_add_dots(const accordi_exact_dots *dots, size_t row, size_t rows, size_t column,
                            size_t columns, size_t from, size_t to, accordi_exact_bank bank,
                            void *scratch);

/* The number of f64 or f32 (by its size) at any address. */
static inline __attribute__((always_inline)) double accordi_exact_double_at(size_t size,
                                                                            const char *at)
{
    double wide;
    float narrow;
    if (size == sizeof wide) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&narrow, at, sizeof narrow);
    return (double)narrow;
}

/* Products of matrices whose elements are rounded as soon as enough bits are known
 * (matrix_tiles.c): whether they serve products of these sizes; the side of a tile, and the bytes
 * of scratch. */
bool accordi_exact_tiles_serve(const accordi_exact_dots *dots, size_t m, size_t n, size_t k);
enum { ACCORDI_EXACT_TILE_SIDE = 64 };
size_t accordi_exact_tiles_scratch(void);
/* Element (row + r, column + c) is patterns[r * columns + c] where `settled` has true at that
 * place; the others are left to the caller. Both are in the scratch. */
void accordi_exact_tiles_do(const accordi_exact_dots *dots, size_t row, size_t rows, size_t column,
                            size_t columns, size_t k, void *scratch, const uint64_t **patterns,
                            const bool **settled);

/* The same in slices (matrix_slices.c): whether they serve; how many columns a tile should have at
 * most, a multiple of ACCORDI_EXACT_TILE_SIDE; and the scratch. The columns of a tile are taken
 * first, then up to ACCORDI_EXACT_TILE_SIDE of its rows, and parts of so many columns are done with
 * them: `column` is one of the tile. Elements are as above; those left to the caller are returned.
 */
bool accordi_exact_slices_serve(const accordi_exact_dots *dots, size_t m, size_t n, size_t k);
size_t accordi_exact_slices_columns(size_t k);
size_t accordi_exact_slices_scratch(size_t columns, size_t k);
void accordi_exact_slices_take_columns(const accordi_exact_dots *dots, size_t column,
                                       size_t columns, size_t k, void *scratch);
void accordi_exact_slices_take_rows(const accordi_exact_dots *dots, size_t row, size_t rows,
                                    size_t k, void *scratch);
size_t accordi_exact_slices_do(const accordi_exact_dots *dots, size_t rows, size_t column,
                               size_t columns, size_t k, void *scratch, const uint64_t **patterns,
                               const bool **settled);

/* alpha * sum + beta * y, rounded once; alpha is finite and no zero; no beta: NULL. */
uint64_t accordi_exact_scaled(const accordi_exact_kind *kind, const void *alpha,
                              accordi_exact_view sum, const void *beta, const void *y,
                              enum accord_exact_rounding rounding);

#endif
