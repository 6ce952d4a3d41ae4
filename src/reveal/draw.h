/* Random operands, drawn anew from the seed whenever they are needed. Internal; see draw.c. */
#ifndef ACCORDI_DRAW_H
#define ACCORDI_DRAW_H

#include "reveal/ask.h"

typedef struct accordi_draw {
    size_t n;
    uint64_t seed;
    enum accord_format format; /* of the values */
    bool is_f32;               /* their type */
    bool products;             /* second operands too */
    bool plain;                /* every row of the first kind below */
    size_t block;              /* so many rows of a kind stand together; 0 stands for 1 */
} accordi_draw;

/* Block by block in turns of eight: three with magnitudes over eight binades below 2; one over 64
 * binades, as far as the format goes; two that cancel but for rounding (of either width); one of
 * terms near and below the least normal number; one with half of its terms 0. */
enum accordi_draw_kind {
    ACCORDI_DRAW_USUAL,
    ACCORDI_DRAW_WIDE,
    ACCORDI_DRAW_CANCELLING,
    ACCORDI_DRAW_TINY,
    ACCORDI_DRAW_SPARSE,
    ACCORDI_DRAW_KINDS
};
extern const char *const accordi_draw_names[ACCORDI_DRAW_KINDS]; /* "usual terms", … */
enum accordi_draw_kind accordi_draw_kind_of(const accordi_draw *draw, size_t row);
bool accordi_draw_is_plain(const accordi_draw *draw, size_t row);

/* Fills rows `first` … of x, and with products of y (else NULL), rows x n values each. */
void accordi_draw_rows(const accordi_draw *draw, size_t first, size_t rows, void *x, void *y);

#endif
