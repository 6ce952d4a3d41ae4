/* Products of matrices, and of a matrix and a vector, which is a matrix of one column.
 *
 * Idea: every element is an exact dot of a row of A and a column of B. A tile of the result has its
 * accumulators at once, so that a panel of rows and one of columns serve all its elements while
 * they are in cache; what does not lie in a row is packed into one. The elements' formula is
 * finished in the accumulator: alpha = 1 is left as it is, else accordi_exact_scaled. */
#include "exact/direct/direct.h"
#include "exact/routines/product.h"

enum {
    PANEL = 16384,
    SIDE = 8,
    LINE = 16,
    SLICED_ROWS = 512
}; /* numbers in a panel; sides of tiles */

size_t accordi_exact_dots_plan(accordi_exact_dots *dots, size_t rows, size_t columns, size_t length)
{
    bool pack_a = dots->column_a != 1, pack_b = dots->row_b != 1;
    size_t longer = rows > columns ? rows : columns;
    bool whole = !pack_a && !pack_b && (rows == 1 || columns == 1);
    dots->step = whole || length < PANEL / longer ? length : PANEL / longer;
    size_t numbers = ((pack_a ? rows : 0) + (pack_b ? columns : 0)) * dots->step;
    return numbers * (size_t)dots->kind->size;
}

/* A NaN or an infinity times products: an infinity of each, but a NaN of a zero and of a NaN. */
static void add_odd_multiples(const accordi_exact_kind *kind, accordi_exact_view sum,
                              accordi_exact_number alpha, size_t n, const void *x, const void *y)
{
    for (size_t i = 0; i < n; i++) {
        accordi_exact_number a = accordi_exact_take(kind, accordi_exact_at(kind, x, (ptrdiff_t)i));
        accordi_exact_number b = accordi_exact_take(kind, accordi_exact_at(kind, y, (ptrdiff_t)i));
        bool nan = alpha.nan || a.nan || b.nan || a.zero || b.zero;
        bool negative = (a.negative != b.negative) != alpha.negative;
        sum.count[nan ? ACCORD_EXACT_NANS : ACCORD_EXACT_PLUS_INFINITIES + negative]++;
        sum.count[ACCORD_EXACT_TERMS]++;
    }
}

/* Rows that are contiguous: where they are, or packed. */
typedef struct lines {
    const void *at;
    ptrdiff_t stride;
} lines;

static lines lines_of(const accordi_exact_kind *kind, size_t count, size_t length, const void *from,
                      ptrdiff_t down, ptrdiff_t across, char **scratch)
{
    if (across == 1)
        return (lines){from, down};
    char *to = *scratch;
    accordi_exact_pack(kind->size, to, count, length, from, down, across);
    *scratch += count * length * (size_t)kind->size;
    return (lines){to, (ptrdiff_t)length};
}

static void take_lines(const accordi_exact_dots *dots, size_t row, size_t rows, size_t column,
                       size_t columns, size_t from, size_t count, char *scratch, lines *x, lines *y)
{
    const accordi_exact_kind *k = dots->kind;
    const void *a = accordi_exact_at(
        k, dots->a, (ptrdiff_t)row * dots->row_a + (ptrdiff_t)from * dots->column_a);
    const void *b = accordi_exact_at(
        k, dots->b, (ptrdiff_t)from * dots->row_b + (ptrdiff_t)column * dots->column_b);
    *x = lines_of(k, rows, count, a, dots->row_a, dots->column_a, &scratch);
    *y = lines_of(k, columns, count, b, dots->column_b, dots->row_b, &scratch);
}

void accordi_exact_add_dots(const accordi_exact_dots *dots, size_t row, size_t rows, size_t column,
                            size_t columns, size_t from, size_t to, accordi_exact_bank bank,
                            void *scratch)
{
    const accordi_exact_kind *k = dots->kind;
    for (size_t count; from < to; from += count) {
        count = to - from < dots->step ? to - from : dots->step;
        lines x, y;
        take_lines(dots, row, rows, column, columns, from, count, scratch, &x, &y);
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < columns; c++) {
                accordi_exact_view sum = accordi_exact_of_bank(bank, r * columns + c);
                const void *left = accordi_exact_at(k, x.at, (ptrdiff_t)r * x.stride);
                const void *right = accordi_exact_at(k, y.at, (ptrdiff_t)c * y.stride);
                if (dots->odd)
                    add_odd_multiples(k, sum, *dots->odd, count, left, right);
                else
                    k->dot(&dots->how, sum, count, left, 1, right, 1);
            }
    }
}

typedef struct product {
    accordi_exact_dots dots;
    size_t m, n, k;
    void *c;
    ptrdiff_t row_c, column_c;
    const void *alpha, *beta;
    bool scaled;
    size_t rows, columns, down; /* of a tile; tiles in a column */
    size_t sliced;              /* bytes of scratch of slices */
} product;

typedef struct tile {
    size_t row, rows, column, columns;
} tile;

static tile tile_of(const product *p, size_t i)
{
    tile t = {i % p->down * p->rows, p->rows, i / p->down * p->columns, p->columns};
    if (t.rows > p->m - t.row)
        t.rows = p->m - t.row;
    if (t.columns > p->n - t.column)
        t.columns = p->n - t.column;
    return t;
}

static void add_tile(const void *context, size_t i, size_t from, size_t to, accordi_exact_bank bank,
                     void *scratch)
{
    const product *p = context;
    tile t = tile_of(p, i);
    accordi_exact_add_dots(&p->dots, t.row, t.rows, t.column, t.columns, from, to, bank, scratch);
}

/* Of no terms +0, as in BLAS. */
static uint64_t finish_element(const product *p, accordi_exact_view sum, const void *y)
{
    static const double zero = 0;
    const accordi_exact_kind *k = p->dots.kind;
    if (p->scaled)
        return accordi_exact_scaled(k, p->alpha, sum, p->beta, y, p->dots.how.rounding);
    if (p->beta)
        k->products(sum, 1, p->beta, 1, y, 1);
    if (!sum.count[ACCORD_EXACT_TERMS])
        k->terms(sum, 1, &zero, 1);
    return accordi_exact_round(sum, k->format, p->dots.how.rounding);
}

static void *element_of(const product *p, size_t row, size_t column)
{
    ptrdiff_t place = (ptrdiff_t)row * p->row_c + (ptrdiff_t)column * p->column_c;
    return (char *)p->c + place * p->dots.kind->size;
}

static void finish_tile(const void *context, size_t i, accordi_exact_bank bank)
{
    const product *p = context;
    tile t = tile_of(p, i);
    for (size_t r = 0; r < t.rows; r++)
        for (size_t c = 0; c < t.columns; c++) {
            accordi_exact_view sum = accordi_exact_of_bank(bank, r * t.columns + c);
            void *y = element_of(p, t.row + r, t.column + c);
            accordi_exact_store(p->dots.kind, y, 0, finish_element(p, sum, y));
        }
}

/* One that is not scaled, alone. */
static void do_element(const product *p, size_t row, size_t column, accordi_exact_bank bank)
{
    const accordi_exact_dots *d = &p->dots;
    const accordi_exact_kind *k = d->kind;
    const void *left = accordi_exact_at(k, d->a, (ptrdiff_t)row * d->row_a);
    const void *right = accordi_exact_at(k, d->b, (ptrdiff_t)column * d->column_b);
    void *out = element_of(p, row, column);
    accordi_exact_bank_clear(bank, 1);
    accordi_exact_view sum = accordi_exact_of_bank(bank, 0);
    k->dot(&d->how, sum, p->k, left, d->column_a, right, d->row_b);
    accordi_exact_store_sum(k, out, 0, sum, d->how.rounding);
}

static void store_pattern(size_t size, char *to, uint64_t pattern)
{
    uint32_t narrow = (uint32_t)pattern;
    if (size == sizeof pattern)
        memcpy(to, &pattern, sizeof pattern);
    else
        memcpy(to, &narrow, sizeof narrow);
}

/* Elements that are known are stored; the others are done alone. */
static void store_tile(const product *p, tile t, const uint64_t *pattern, const bool *settled,
                       accordi_exact_bank bank)
{
    size_t size = (size_t)p->dots.kind->size;
    ptrdiff_t step = p->column_c * (ptrdiff_t)size;
    for (size_t r = 0; r < t.rows; r++) {
        char *to = element_of(p, t.row + r, t.column);
        for (size_t c = 0; c < t.columns; c++, pattern++, settled++, to += step)
            if (*settled)
                store_pattern(size, to, *pattern);
            else
                do_element(p, t.row + r, t.column + c, bank);
    }
}

static void do_tile_side_by_side(const void *context, size_t i, size_t from, size_t to,
                                 accordi_exact_bank bank, void *scratch)
{
    (void)from;
    const product *p = context;
    tile t = tile_of(p, i);
    const uint64_t *pattern;
    const bool *settled;
    accordi_exact_tiles_do(&p->dots, t.row, t.rows, t.column, t.columns, to, scratch, &pattern,
                           &settled);
    store_tile(p, t, pattern, settled, bank);
}

/* Where an eighth of a part is left open, because its numbers are too far apart, the rest of the
 * tile is done side by side. */
static void do_tile_in_slices(const void *context, size_t i, size_t from, size_t to,
                              accordi_exact_bank bank, void *scratch)
{
    (void)from;
    enum { PART = ACCORDI_EXACT_TILE_SIDE };
    const product *p = context;
    tile t = tile_of(p, i);
    const uint64_t *pattern;
    const bool *settled;
    bool fits = true;
    accordi_exact_slices_take_columns(&p->dots, t.column, t.columns, to, scratch);
    for (size_t r = 0; r < t.rows; r += PART) {
        size_t rows = t.rows - r < PART ? t.rows - r : PART;
        if (fits)
            accordi_exact_slices_take_rows(&p->dots, t.row + r, rows, to, scratch);
        for (size_t c = 0; c < t.columns; c += PART) {
            size_t columns = t.columns - c < PART ? t.columns - c : PART;
            tile part = {t.row + r, rows, t.column + c, columns};
            if (fits)
                fits = accordi_exact_slices_do(&p->dots, rows, c, columns, to, scratch, &pattern,
                                               &settled) <= rows * columns / 8;
            if (!fits)
                accordi_exact_tiles_do(&p->dots, part.row, rows, part.column, columns, to,
                                       (char *)scratch + p->sliced, &pattern, &settled);
            store_tile(p, part, pattern, settled, bank);
        }
    }
}

/* Short dots that are not scaled: each at once. */
static void do_tile(const void *context, size_t i, size_t from, size_t to, accordi_exact_bank bank,
                    void *scratch)
{
    (void)from;
    const product *p = context;
    const accordi_exact_kind *k = p->dots.kind;
    tile t = tile_of(p, i);
    lines x, y;
    take_lines(&p->dots, t.row, t.rows, t.column, t.columns, 0, to, scratch, &x, &y);
    for (size_t r = 0; r < t.rows; r++)
        for (size_t c = 0; c < t.columns; c++) {
            const void *left = accordi_exact_at(k, x.at, (ptrdiff_t)r * x.stride);
            const void *right = accordi_exact_at(k, y.at, (ptrdiff_t)c * y.stride);
            void *out = element_of(p, t.row + r, t.column + c);
            if (!k->short_dot(to, left, 1, right, 1, &p->dots.how, out))
                do_element(p, t.row + r, t.column + c, bank);
        }
}

typedef enum ways { BY_TERMS, AT_ONCE, SIDE_BY_SIDE, IN_SLICES } ways;

static ways way_of(const product *p, bool reads)
{
    if (!reads || p->scaled || p->beta || p->dots.odd)
        return BY_TERMS;
    if (accordi_exact_tiles_serve(&p->dots, p->m, p->n, p->k))
        return accordi_exact_slices_serve(&p->dots, p->m, p->n, p->k) ? IN_SLICES : SIDE_BY_SIDE;
    return p->k <= ACCORDI_EXACT_SHORT ? AT_ONCE : BY_TERMS;
}

static size_t tiles_in(size_t n, size_t side)
{
    return (n - 1) / side + 1;
}

/* The largest tiles of which each thread has some. */
static void choose_sliced_tiles(product *p, size_t work)
{
    size_t workers = (size_t)accordi_exact_workers(work, p->dots.how.threads);
    size_t columns = accordi_exact_slices_columns(p->k), rows = SLICED_ROWS;
    while (workers > 1 && rows > ACCORDI_EXACT_TILE_SIDE &&
           tiles_in(p->m, rows) * tiles_in(p->n, columns) < 2 * workers)
        rows /= 2;
    p->rows = p->m < rows ? p->m : rows;
    p->columns = p->n < columns ? p->n : columns;
    p->sliced = accordi_exact_slices_scratch(p->columns, p->k);
}

static void choose_tiles(product *p, size_t side)
{
    p->rows = p->m < side ? p->m : p->n == 1 ? LINE : side;
    p->columns = p->n < side ? p->n : p->m == 1 ? LINE : side;
}

/* How the tiles of a product are done; the sides of a tile. */
static accordi_exact_task task_of(product *p, bool reads)
{
    static accordi_exact_add_tile *const add[] = {
        [BY_TERMS] = add_tile,
        [AT_ONCE] = do_tile,
        [SIDE_BY_SIDE] = do_tile_side_by_side,
        [IN_SLICES] = do_tile_in_slices,
    };
    ways way = way_of(p, reads);
    size_t elements = accordi_exact_work(ACCORDI_EXACT_MATRIX_COST, p->m, p->n);
    size_t work = reads ? accordi_exact_work(elements, p->k, 1) : 0;
    if (way == IN_SLICES)
        choose_sliced_tiles(p, work);
    else
        choose_tiles(p, way == SIDE_BY_SIDE ? ACCORDI_EXACT_TILE_SIDE : SIDE);
    p->down = tiles_in(p->m, p->rows);
    size_t scratch = accordi_exact_dots_plan(&p->dots, p->rows, p->columns, p->k);
    if (way >= SIDE_BY_SIDE)
        scratch = p->sliced + accordi_exact_tiles_scratch();
    return (accordi_exact_task){
        .tiles = p->down * tiles_in(p->n, p->columns),
        .sums = way == BY_TERMS ? p->rows * p->columns : 1,
        .length = reads ? p->k : 0,
        .work = work,
        .wide = p->dots.kind->wide,
        .scratch = scratch,
        .whole = way != BY_TERMS,
        .add = add[way],
        .finish = way == BY_TERMS ? finish_tile : NULL,
    };
}

static bool is_one(accordi_exact_number x)
{
    return !x.negative && x.m && !(x.m & (x.m - 1)) && x.exponent == -__builtin_ctzll(x.m);
}

static enum accord_status multiply(product *p, const accord_exact_options *options,
                                   accord_error *error)
{
    const accordi_exact_kind *kind = p->dots.kind;
    accordi_exact_number alpha = accordi_exact_take(kind, p->alpha);
    bool any = p->m && p->n, reads = any && p->k && !alpha.zero;
    enum accord_status status = accordi_exact_prepare((p->dots.a && p->dots.b) || !reads,
                                                      p->c || !any, options, &p->dots.how, error);
    if (status || !any)
        return status;
    p->dots.odd = alpha.infinite || alpha.nan ? &alpha : NULL;
    p->scaled = reads && alpha.m && !is_one(alpha);
    if (accordi_exact_take(kind, p->beta).zero)
        p->beta = NULL;
    accordi_exact_task task = task_of(p, reads);
    return accordi_exact_run(&task, p, p->dots.how.threads, error);
}

#define GEMM(suffix_, number_)                                                                     \
    enum accord_status accord_gemm_exact_##suffix_(                                                \
        size_t m, size_t n, size_t k, number_ alpha, const number_ *a, ptrdiff_t row_stride_a,     \
        ptrdiff_t column_stride_a, const number_ *b, ptrdiff_t row_stride_b,                       \
        ptrdiff_t column_stride_b, number_ beta, number_ *c, ptrdiff_t row_stride_c,               \
        ptrdiff_t column_stride_c, const accord_exact_options *options, accord_error *error)       \
    {                                                                                              \
        product p = {.dots = {.kind = &accordi_exact_##suffix_,                                    \
                              .a = a,                                                              \
                              .b = b,                                                              \
                              .row_a = row_stride_a,                                               \
                              .column_a = column_stride_a,                                         \
                              .row_b = row_stride_b,                                               \
                              .column_b = column_stride_b},                                        \
                     .m = m,                                                                       \
                     .n = n,                                                                       \
                     .k = k,                                                                       \
                     .c = c,                                                                       \
                     .row_c = row_stride_c,                                                        \
                     .column_c = column_stride_c,                                                  \
                     .alpha = &alpha,                                                              \
                     .beta = &beta};                                                               \
        return multiply(&p, options, error);                                                       \
    }                                                                                              \
    enum accord_status accord_gemv_exact_##suffix_(                                                \
        size_t m, size_t n, number_ alpha, const number_ *a, ptrdiff_t row_stride,                 \
        ptrdiff_t column_stride, const number_ *x, ptrdiff_t stride_x, number_ beta, number_ *y,   \
        ptrdiff_t stride_y, const accord_exact_options *options, accord_error *error)              \
    {                                                                                              \
        return accord_gemm_exact_##suffix_(m, 1, n, alpha, a, row_stride, column_stride, x,        \
                                           stride_x, 0, beta, y, stride_y, 0, options, error);     \
    }

GEMM(f64, double)
GEMM(f32, float)
