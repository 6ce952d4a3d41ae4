/* Products of matrices in slices of eight bits: a kernel for processors that multiply matrices of
 * bytes. Internal.
 *
 * Idea (K. Ozaki, T. Ogita, S. Oishi, S. M. Rump, Numer. Algorithms 59, 2012, with integers): a
 * line, a row of A or a column of B, becomes integers of 64 bits with one unit, 2^(top - 63), where
 * its numbers are below 2^top. Byte i of an integer, the most significant first, is its slice i;
 * all but slice 0 have no sign. The sum of products of slices i and j, which is exact, has the
 * weight 2^-8(i + j); those of one weight are added up together, and those of little weight are
 * left out, which is known as well as what the integers do not hold.
 *
 * Lines go in groups of 16, terms in chunks of 64; what is missing are zeros. */
#ifndef ACCORDI_EXACT_SLICES_H
#define ACCORDI_EXACT_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ACCORDI_EXACT_SLICES = 8,
    ACCORDI_EXACT_SLICES_GROUP = 16,   /* lines */
    ACCORDI_EXACT_SLICES_CHUNK = 64,   /* terms */
    ACCORDI_EXACT_SLICES_BLOCK = 32,   /* rows and columns that are multiplied at once */
    ACCORDI_EXACT_SLICES_TERMS = 4096, /* more would not fit the sums, of 32 bits */
    /* The sums are integers times 2^(top of the row + top of the column - 126) times 2^these. */
    ACCORDI_EXACT_SLICES_UPPER = 88,
    ACCORDI_EXACT_SLICES_LOWER = 40,
    ACCORDI_EXACT_SLICES_MOST = 1000 /* a row's and a column's top: no sum of them overflows */
};

/* 16 lines; in a slice all terms of a chunk lie side by side. */
typedef struct accordi_exact_slices {
    uint8_t *bytes;                           /* 16 * 8 for each term, chunks filled up */
    int64_t top[ACCORDI_EXACT_SLICES_GROUP];  /* ACCORDI_EXACT_NOWHERE: see tops_kernel */
    int64_t lost[ACCORDI_EXACT_SLICES_GROUP]; /* by the line: at most this many lower units in each
                                                 sum */
    int used;                                 /* slices; those behind are zeros */
} accordi_exact_slices;

/* The sums of one row of products and the 16 columns of a group: lower[i] + upper[i] * 2^48 lower
 * units, and up to `dropped` and what the lines lost more or less. */
typedef struct accordi_exact_slices_kernels {
    /* Fills the slices of `lines` lines of n terms, the terms of a line side by side, and the lines
     * `down` numbers apart. `right`: of the right factor. */
    void (*take)(size_t lines, size_t n, const double *from, ptrdiff_t down, bool right,
                 accordi_exact_slices *to);
    /* The sums of products of the lines of two groups on either side, n terms each, 32 in a row. */
    void (*multiply)(size_t n, const accordi_exact_slices left[2],
                     const accordi_exact_slices right[2], int64_t *upper, int64_t *lower);
    /* Rounds to nearest, ties to even, in f64: known[i] where pattern[i] is sure. */
    void (*round)(const accordi_exact_slices *left, int row, const accordi_exact_slices *right,
                  int64_t dropped, const int64_t *upper, const int64_t *lower, uint64_t *pattern,
                  bool *known);
} accordi_exact_slices_kernels;

/* NULL where the processor has none, or the system or ACCORD_DISABLE ("amx") does not allow it. */
const accordi_exact_slices_kernels *accordi_exact_slices_best(void);

/* What the products left out may add to each sum of n products, in lower units. */
int64_t accordi_exact_slices_dropped(size_t n, int used_left, int used_right);

#endif
