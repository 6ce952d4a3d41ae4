/* Rows of many terms that are kept for long: what repeats is kept once. Internal; see
 * packed_rows.c. */
#ifndef ACCORDI_PACKED_ROWS_H
#define ACCORDI_PACKED_ROWS_H

#include "base/base.h"

enum {
    ACCORDI_LONG_ROW = 1 << 20, /* rows of more terms are worth packing */
    /* Those that are drawn at random may repeat themselves after so many terms, an odd number, so
     * that lanes and blocks have others each time. */
    ACCORDI_LONG_PERIOD = (1 << 18) + 3
};

/* Appends n numbers of f32 or f64 to an empty buffer, which fails where there is no memory. */
void accordi_row_pack(accordi_buffer *out, const void *row, size_t n, bool f32);
/* Writes the n numbers that were packed, bit by bit the same. */
void accordi_row_unpack(const accordi_buffer *packed, void *row, size_t n, bool f32);

#endif
