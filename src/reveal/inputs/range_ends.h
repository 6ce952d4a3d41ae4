/* Operands at the ends of a narrow format's range, and at its ties. Internal; see range_ends.c. */
#ifndef ACCORDI_ENDS_H
#define ACCORDI_ENDS_H

#include "reveal/inputs/random_inputs.h"

/* How many rows of n terms are worth asking for. */
size_t accordi_ends_rows(size_t n);

/* Fills row `row` of x, and with products of y, as accordi_draw_rows does: values of draw->format
 * that tell how they, or of `squares` their squares, are rounded into `kept`, and what becomes of
 * those past its range. */
void accordi_ends_draw(const accordi_draw *draw, enum accord_format kept, bool squares, size_t row,
                       void *x, void *y);

#endif
