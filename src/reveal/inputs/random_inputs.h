/* Random operands. A seed, a format and a number of terms come in; rows of operands go out, the
 * same whenever they are drawn. Internal; see random_inputs.c. */
#ifndef ACCORDI_DRAW_H
#define ACCORDI_DRAW_H

#include "reveal/probes/ask.h"

/* Changes whenever the values of any row change. doc/json.md specifies this version. */
enum { ACCORDI_DRAW_VERSION = 2 };

typedef struct accordi_draw {
    size_t n;
    uint64_t seed;
    enum accord_format format; /* of the values */
    bool is_f32;               /* their type */
    bool products;             /* second operands too */
    bool plain;                /* every row of the first kind below */
    size_t block;              /* successive rows of one kind; 0 means 1 */
} accordi_draw;

/* Block by block, the rows take the kinds in this order, again and again. */
enum accordi_draw_kind {
    ACCORDI_DRAW_USUAL,           /* magnitudes over eight binades below 2 */
    ACCORDI_DRAW_WIDE,            /* over 64 binades, as far as the format goes */
    ACCORDI_DRAW_CANCELLING,      /* two halves that cancel but for rounding */
    ACCORDI_DRAW_TIES,            /* one or two masks among 0, +-1/2 and +-1 of their last place */
    ACCORDI_DRAW_POSITIVE,        /* usual, without sign */
    ACCORDI_DRAW_UNIT,            /* uniform in [0, 1) */
    ACCORDI_DRAW_NORMAL,          /* about normal */
    ACCORDI_DRAW_WIDE_CANCELLING, /* wide, in two halves that cancel */
    ACCORDI_DRAW_INTEGERS,
    ACCORDI_DRAW_HALF_ZEROS, /* wide, and zeros */
    ACCORDI_DRAW_90_ZEROS,   /* in a hundred, the others usual */
    ACCORDI_DRAW_99_ZEROS,
    ACCORDI_DRAW_ZERO_RUNS, /* runs of zeros between runs of usual values */
    ACCORDI_DRAW_ONE_HUGE,  /* among usual values */
    ACCORDI_DRAW_EQUAL,     /* all terms the same */
    ACCORDI_DRAW_SORTED_UP,
    ACCORDI_DRAW_SORTED_DOWN,
    ACCORDI_DRAW_ZERO_SUM, /* the exact sum is 0 */
    ACCORDI_DRAW_RAMP,
    ACCORDI_DRAW_SINE,
    ACCORDI_DRAW_IMAGE,      /* gray levels, whole or in 255ths, smooth but for edges */
    ACCORDI_DRAW_LOG_NORMAL, /* about */
    ACCORDI_DRAW_MIXED_ZEROS,
    ACCORDI_DRAW_NEGATIVE,
    ACCORDI_DRAW_TINY,   /* near and below the least normal number */
    ACCORDI_DRAW_OFFSET, /* near one number far from 0 */
    ACCORDI_DRAW_KINDS
};
const char *accordi_draw_name(enum accordi_draw_kind kind); /* "usual", "wide", … */
enum accordi_draw_kind accordi_draw_kind_of(const accordi_draw *draw, size_t row);

/* The block with which `rows` rows hold every kind if they can; at most 16, for rows of one kind
 * are replayed side by side, and subnormal ones hold up the others. */
size_t accordi_draw_block(size_t rows);

/* Fills rows `first` … of x, and with products of y (else NULL), rows x n values each. All are
 * values of the format. Plain sums of a row do not overflow, except in e4m3 and e5m2 (sums of
 * these are wider) and where terms of f16 are squared. */
void accordi_draw_rows(const accordi_draw *draw, size_t first, size_t rows, void *x, void *y);

#endif
