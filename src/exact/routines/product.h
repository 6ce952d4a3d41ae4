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

/* alpha * sum + beta * y, rounded once; alpha is finite and no zero; no beta: NULL. */
uint64_t accordi_exact_scaled(const accordi_exact_kind *kind, const void *alpha,
                              accordi_exact_view sum, const void *beta, const void *y,
                              enum accord_exact_rounding rounding);

#endif
