/* Products of matrices in slices (kernels/slices.h): each line of a tile is sliced once, and the
 * slices are multiplied in blocks. What is not sure after that is left to the caller. */
#include "base/environment.h"
#include "exact/kernels/kernels.h"
#include "exact/kernels/slices.h"
#include "exact/routines/product.h"

enum {
    GROUP = ACCORDI_EXACT_SLICES_GROUP,
    BLOCK = ACCORDI_EXACT_SLICES_BLOCK,
    PART = ACCORDI_EXACT_TILE_SIDE,
    LEAST = 48,        /* smaller sides are faster done side by side */
    MOST = 512,        /* columns of a tile, */
    NUMBERS = 1 << 18, /* and numbers in them: their slices stay in the second-level cache */
    LINE = 8,          /* numbers in a line of the cache */
    TERMS = 8,
    ALIGN = 64
};

#define INLINE static inline __attribute__((always_inline))

/* Followed by the numbers of a group, then by the slices of a part's rows and of the columns. */
typedef struct work {
    accordi_exact_slices left[PART / GROUP], right[MOST / GROUP];
    _Alignas(ALIGN) int64_t upper[BLOCK * BLOCK], lower[BLOCK * BLOCK];
    uint64_t pattern[PART * PART];
    bool settled[PART * PART];
} work;

bool accordi_exact_slices_serve(const accordi_exact_dots *dots, size_t m, size_t n, size_t k)
{
    return m >= LEAST && n >= LEAST && k >= LEAST && k <= ACCORDI_EXACT_SLICES_TERMS &&
           dots->how.method == ACCORD_EXACT_AUTO && accordi_exact_slices_best();
}

size_t accordi_exact_slices_columns(size_t k)
{
    size_t columns = NUMBERS / k / PART * PART;
    return columns < PART ? PART : columns > MOST ? MOST : columns;
}

static size_t filled_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static size_t bytes_of_group(size_t k)
{
    return filled_up(k, ACCORDI_EXACT_SLICES_CHUNK) * ACCORDI_EXACT_SLICES * GROUP;
}

static size_t bytes_of_lines(size_t lines, size_t k)
{
    return filled_up(lines, BLOCK) / GROUP * bytes_of_group(k);
}

/* Of lines in scratch: not a multiple of a page, since such lines share a place in the cache. */
static size_t stride_of(size_t k)
{
    return filled_up(k, LINE) + LINE;
}

static size_t bytes_of_numbers(size_t k)
{
    return GROUP * stride_of(k) * sizeof(double);
}

size_t accordi_exact_slices_scratch(size_t columns, size_t k)
{
    return sizeof(work) + bytes_of_numbers(k) + bytes_of_lines(PART, k) +
           bytes_of_lines(columns, k);
}

/* Strides in bytes. Some terms of all lines at a time: they are in the first-level cache then. */
INLINE void copy_lines(size_t size, size_t lines, size_t k, const char *from, ptrdiff_t down,
                       ptrdiff_t across, double *to)
{
    for (size_t i = 0; i < k; i += TERMS)
        for (size_t l = 0; l < lines; l++)
            for (size_t t = i; t < k && t < i + TERMS; t++)
                to[l * stride_of(k) + t] = accordi_exact_double_at(
                    size, from + (ptrdiff_t)l * down + (ptrdiff_t)t * across);
}

/* The numbers of a group of lines, as they lie or in *to. */
static const double *numbers_of(const accordi_exact_kind *kind, size_t lines, size_t k,
                                const void *from, ptrdiff_t *down, ptrdiff_t across, double *to)
{
    ptrdiff_t size = kind->size, line = *down * size;
    if (size == sizeof(double) && across == 1)
        return from;
    *down = (ptrdiff_t)stride_of(k);
    if (size == sizeof(double) && line == sizeof(double))
        copy_lines(sizeof(double), lines, k, from, sizeof(double), across * size, to);
    else if (size == sizeof(double))
        copy_lines(sizeof(double), lines, k, from, line, across * size, to);
    else
        copy_lines(sizeof(float), lines, k, from, line, across * size, to);
    return to;
}

typedef struct side {
    const void *at;
    ptrdiff_t down, across;
    size_t lines;
    bool right;
} side;

static void take_side(const accordi_exact_kind *kind, side s, size_t k, work *w, uint8_t *bytes,
                      accordi_exact_slices *to)
{
    accordi_environment before = accordi_environment_enter();
    for (size_t l = 0; l < filled_up(s.lines, BLOCK); l += GROUP, to++) {
        size_t left = l < s.lines ? s.lines - l : 0, lines = left < GROUP ? left : GROUP;
        const void *from = lines ? accordi_exact_at(kind, s.at, (ptrdiff_t)l * s.down) : NULL;
        ptrdiff_t down = s.down;
        const double *x = numbers_of(kind, lines, k, from, &down, s.across, (double *)(w + 1));
        to->bytes = bytes;
        accordi_exact_slices_best()->take(lines, k, x, down, s.right, to);
        bytes += bytes_of_group(k);
    }
    accordi_environment_leave(before);
}

void accordi_exact_slices_take_rows(const accordi_exact_dots *d, size_t row, size_t rows, size_t k,
                                    void *scratch)
{
    work *w = scratch;
    const void *a = accordi_exact_at(d->kind, d->a, (ptrdiff_t)row * d->row_a);
    side left = {a, d->row_a, d->column_a, rows, false};
    take_side(d->kind, left, k, w, (uint8_t *)(w + 1) + bytes_of_numbers(k), w->left);
}

void accordi_exact_slices_take_columns(const accordi_exact_dots *d, size_t column, size_t columns,
                                       size_t k, void *scratch)
{
    work *w = scratch;
    const void *b = accordi_exact_at(d->kind, d->b, (ptrdiff_t)column * d->column_b);
    side right = {b, d->column_b, d->row_b, columns, true};
    uint8_t *bytes = (uint8_t *)(w + 1) + bytes_of_numbers(k) + bytes_of_lines(PART, k);
    take_side(d->kind, right, k, w, bytes, w->right);
}

/* A group's sums in one row of a block, one by one. */
static void round_slowly(const accordi_exact_dots *dots, const accordi_exact_slices *left, int row,
                         const accordi_exact_slices *right, int64_t dropped, const int64_t *upper,
                         const int64_t *lower, uint64_t *pattern, bool *known)
{
    for (int c = 0; c < GROUP; c++) {
        int64_t top = left->top[row] + right->top[c];
        known[c] = top >= ACCORDI_EXACT_LEAST && top <= ACCORDI_EXACT_SLICES_MOST;
        if (!known[c])
            continue;
        int64_t lost = left->lost[row] + right->lost[c] + dropped;
        int128 low = (int128)upper[c] * ((int64_t)1 << 48) + lower[c];
        accordi_exact_close sum = {0, low, (uint64_t)lost, (int)top - 86};
        known[c] =
            (low != 0 || lost != 0) &&
            accordi_exact_round_close(dots->kind->format, &sum, dots->how.rounding, pattern + c);
    }
}

/* A group's sums in one row, into the part's results. */
static size_t round_group(const accordi_exact_dots *dots, work *w, const accordi_exact_slices *left,
                          int row, const accordi_exact_slices *right, int64_t dropped, size_t place,
                          size_t columns, size_t at)
{
    uint64_t pattern[GROUP];
    bool known[GROUP];
    if (dots->kind->format == ACCORD_F64 && dots->how.rounding == ACCORD_EXACT_NEAREST_EVEN)
        accordi_exact_slices_best()->round(left, row, right, dropped, w->upper + place,
                                           w->lower + place, pattern, known);
    else
        round_slowly(dots, left, row, right, dropped, w->upper + place, w->lower + place, pattern,
                     known);
    memcpy(w->pattern + at, pattern, columns * sizeof *pattern);
    memcpy(w->settled + at, known, columns * sizeof *known);
    size_t unknown = 0;
    for (size_t c = 0; c < columns; c++)
        unknown += !known[c];
    return unknown;
}

/* The block whose first element is (row, column); how many of its sums are not known. */
static size_t do_block(const accordi_exact_dots *dots, work *w, size_t row, size_t rows,
                       size_t column, size_t columns, size_t k, size_t at, size_t stride)
{
    const accordi_exact_slices *left = w->left + row / GROUP, *right = w->right + column / GROUP;
    accordi_exact_slices_best()->multiply(k, left, right, w->upper, w->lower);
    size_t unknown = 0;
    for (size_t c = 0; c < columns; c += GROUP)
        for (int g = 0; g < BLOCK / GROUP; g++) {
            const accordi_exact_slices *l = left + g, *r = right + c / GROUP;
            int64_t dropped = accordi_exact_slices_dropped(k, l->used, r->used);
            for (size_t i = 0; i < GROUP && (size_t)g * GROUP + i < rows; i++) {
                size_t down = (size_t)g * GROUP + i;
                unknown +=
                    round_group(dots, w, l, (int)i, r, dropped, BLOCK * down + c,
                                columns - c < GROUP ? columns - c : GROUP, at + stride * down + c);
            }
        }
    return unknown;
}

static size_t at_most(size_t most, size_t n)
{
    return n < most ? n : most;
}

size_t accordi_exact_slices_do(const accordi_exact_dots *dots, size_t rows, size_t column,
                               size_t columns, size_t k, void *scratch, const uint64_t **pattern,
                               const bool **settled)
{
    work *w = scratch;
    size_t unknown = 0;
    accordi_environment before = accordi_environment_enter();
    for (size_t r = 0; r < rows; r += BLOCK)
        for (size_t c = 0; c < columns; c += BLOCK)
            unknown += do_block(dots, w, r, at_most(BLOCK, rows - r), column + c,
                                at_most(BLOCK, columns - c), k, columns * r + c, columns);
    accordi_environment_leave(before);
    *pattern = w->pattern;
    *settled = w->settled;
    return unknown;
}
