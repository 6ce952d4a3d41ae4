/* Products of matrices, the elements of a tile side by side.
 *
 * Idea: four rows of A and some columns of B, a column a lane, are multiplied at once, in the folds
 * of direct sums (kernels/direct_tiles.h). A bound on the products is known beforehand: the
 * greatest factor of the row times that of the column. Both are packed so that the kernel reads
 * them in sequence, PANEL terms at a time. An element whose rounding depends on bits that the folds
 * do not hold, as those of sums that cancel, is left to the caller, and so are those of rows and
 * columns with NaNs, infinities, or only zeros. */
#include "base/environment.h"
#include "exact/direct/direct.h"
#include "exact/kernels/kernels.h"
#include "exact/routines/product.h"

enum {
    SIDE = ACCORDI_EXACT_TILE_SIDE,
    ROWS = ACCORDI_EXACT_TILE_ROWS,
    COLUMNS = ACCORDI_EXACT_TILE_COLUMNS,
    PANEL = 512,       /* terms */
    LONGEST = 1 << 16, /* terms of a sum: more are shared out to threads otherwise */
    LEAST_TERMS = 8
};

/* Lines (rows of A, columns of B) in groups: term i of line l of a group is at[i * group + l]. */
typedef struct panel {
    double at[SIDE * PANEL];
    int64_t top[SIDE];
} panel;

typedef struct work {
    panel a, b;
    accordi_exact_close sum[SIDE * SIDE];
    uint64_t pattern[SIDE * SIDE];
    bool settled[SIDE * SIDE];
} work;

bool accordi_exact_tiles_serve(const accordi_exact_dots *dots, size_t m, size_t n, size_t k)
{
    return accordi_exact_kernels_best()->tile && dots->how.method == ACCORD_EXACT_AUTO &&
           m >= ROWS && n >= ROWS && k >= LEAST_TERMS && k <= LONGEST;
}

size_t accordi_exact_tiles_scratch(void)
{
    return sizeof(work);
}

/* Lines are `down` bytes apart, numbers `across`. What is missing of the last group are zeros. */
typedef struct matrix {
    const char *at;
    ptrdiff_t down, across;
    size_t lines, length;
} matrix;

#define INLINE static inline __attribute__((always_inline))

/* `to`: the place of the group of line l. */
INLINE void pack_group(matrix m, size_t l, size_t size, size_t group, ptrdiff_t down, double *to)
{
    const char *from = m.at + (ptrdiff_t)l * m.down;
    for (size_t i = 0; i < m.length; i++, from += m.across, to += group)
        for (size_t c = 0; c < group; c++)
            to[c] = accordi_exact_double_at(size, from + (ptrdiff_t)c * down);
}

static void pack_rest(matrix m, size_t l, size_t size, size_t group, double *to)
{
    memset(to, 0, group * m.length * sizeof *to);
    for (size_t c = 0; l < m.lines; c++, l++)
        for (size_t i = 0; i < m.length; i++)
            to[i * group + c] = accordi_exact_double_at(size, m.at + (ptrdiff_t)l * m.down +
                                                                  (ptrdiff_t)i * m.across);
}

/* Inlined with constant sizes and groups. */
INLINE void pack_lines(matrix m, size_t size, size_t group, double *to)
{
    size_t l = 0;
    for (; l + group <= m.lines; l += group, to += group * m.length)
        if (m.down == (ptrdiff_t)size)
            pack_group(m, l, size, group, (ptrdiff_t)size, to);
        else
            pack_group(m, l, size, group, m.down, to);
    if (l < m.lines)
        pack_rest(m, l, size, group, to);
}

static void pack(matrix m, size_t size, size_t group, double *to)
{
    if (size == sizeof(double) && group == 8)
        pack_lines(m, sizeof(double), 8, to);
    else if (size == sizeof(double) && group == 4)
        pack_lines(m, sizeof(double), 4, to);
    else if (group == 8)
        pack_lines(m, size, 8, to);
    else
        pack_lines(m, size, group, to);
}

static void fill_panel(const accordi_exact_kind *kind, size_t lines, size_t group, size_t length,
                       const void *from, ptrdiff_t down, ptrdiff_t across, panel *to)
{
    matrix m = {from, down * kind->size, across * kind->size, lines, length};
    pack(m, (size_t)kind->size, group, to->at);
    for (size_t l = 0; l < lines; l += group)
        accordi_exact_kernels_best()->tops(length, group, to->at + l * length, to->top + l);
}

/* What is done with the sums of a group of rows and one of columns: the first panel's are kept,
 * later ones join them, and those of the last are rounded. */
typedef struct place {
    bool first, last;
    size_t row, rows, column, columns; /* in the tile */
    size_t stride;
} place;

static void take_sum(const accordi_exact_dots *dots, work *w, const place *p, size_t at, bool known,
                     accordi_exact_close part)
{
    known = known && (p->first || w->settled[at]);
    if (known && !p->first)
        accordi_exact_join_close(&part, w->sum[at]);
    if (known && p->last)
        known = accordi_exact_round_close(dots->kind->format, &part, dots->how.rounding,
                                          w->pattern + at);
    else if (known)
        w->sum[at] = part;
    w->settled[at] = known;
}

static bool have_places(const accordi_exact_tile *t, size_t lanes)
{
    bool have = true;
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < lanes; c++) {
            int64_t top = t->row_top[r] + t->column_top[c];
            have = have && top >= ACCORDI_EXACT_LEAST && top <= ACCORDI_EXACT_MOST;
        }
    return have;
}

/* A whole group of rows and one of columns, of sums of one panel; false if it cannot be. */
static bool round_at_once(const accordi_exact_dots *dots, work *w, const accordi_exact_tile *t,
                          const int64_t *totals, size_t lanes, const place *p)
{
    if (!p->first || !p->last || dots->kind->format != ACCORD_F64 ||
        dots->how.rounding != ACCORD_EXACT_NEAREST_EVEN || p->rows < ROWS || p->columns < lanes ||
        !have_places(t, lanes))
        return false;
    uint64_t rounded[ROWS * COLUMNS];
    int64_t known[ROWS * COLUMNS];
    accordi_exact_kernels_best()->tile_round(t, totals, rounded, known);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < lanes; c++) {
            size_t at = (p->row + r) * p->stride + p->column + c;
            w->pattern[at] = rounded[r * lanes + c];
            w->settled[at] = known[r * lanes + c];
        }
    return true;
}

static void take_totals(const accordi_exact_dots *dots, work *w, const accordi_exact_tile *t,
                        const int64_t *totals, size_t lanes, const place *p)
{
    for (size_t r = 0; r < p->rows; r++)
        for (size_t c = 0; c < p->columns; c++) {
            accordi_exact_close part;
            bool known = accordi_exact_tile_sum(t, (int)r, (int)c, totals[2 * r * lanes + c],
                                                totals[(2 * r + 1) * lanes + c], &part);
            take_sum(dots, w, p, (p->row + r) * p->stride + p->column + c, known, part);
        }
}

static size_t at_most(size_t most, size_t n)
{
    return n < most ? n : most;
}

/* `all`: of the tile. */
static void multiply_panels(const accordi_exact_dots *dots, work *w, size_t length, place all)
{
    const accordi_exact_kernels *kernels = accordi_exact_kernels_best();
    size_t lanes = (size_t)kernels->tile_columns;
    int64_t totals[ROWS * 2 * COLUMNS];
    for (size_t c = 0; c < all.columns; c += lanes)
        for (size_t r = 0; r < all.rows; r += ROWS) {
            accordi_exact_tile t = {.n = length,
                                    .a = w->a.at + r * length,
                                    .b = w->b.at + c * length,
                                    .errors = dots->kind->format == ACCORD_F64};
            memcpy(t.row_top, w->a.top + r, sizeof t.row_top);
            memcpy(t.column_top, w->b.top + c, lanes * sizeof *t.column_top);
            kernels->tile(&t, totals);
            place p = {all.first, all.last,
                       r,         at_most(ROWS, all.rows - r),
                       c,         at_most(lanes, all.columns - c),
                       all.stride};
            if (!round_at_once(dots, w, &t, totals, lanes, &p))
                take_totals(dots, w, &t, totals, lanes, &p);
        }
}

void accordi_exact_tiles_do(const accordi_exact_dots *dots, size_t row, size_t rows, size_t column,
                            size_t columns, size_t k, void *scratch, const uint64_t **patterns,
                            const bool **settled)
{
    size_t lanes = (size_t)accordi_exact_kernels_best()->tile_columns;
    const accordi_exact_kind *kind = dots->kind;
    work *w = scratch;
    accordi_environment before = accordi_environment_enter();
    for (size_t from = 0, length; from < k; from += length) {
        length = at_most(PANEL, k - from);
        const void *a = accordi_exact_at(
            kind, dots->a, (ptrdiff_t)row * dots->row_a + (ptrdiff_t)from * dots->column_a);
        const void *b = accordi_exact_at(
            kind, dots->b, (ptrdiff_t)from * dots->row_b + (ptrdiff_t)column * dots->column_b);
        fill_panel(kind, rows, ROWS, length, a, dots->row_a, dots->column_a, &w->a);
        fill_panel(kind, columns, lanes, length, b, dots->column_b, dots->row_b, &w->b);
        place all = {!from, from + length == k, 0, rows, 0, columns, columns};
        multiply_panels(dots, w, length, all);
    }
    accordi_environment_leave(before);
    *patterns = w->pattern;
    *settled = w->settled;
}
