/* Grids of foreign functions: operands copied into the layout of the question, one call, all
 * results. Tiles go through a small buffer, so that every line of memory is touched once even
 * where rows are a power of two apart. */
#include "targets/foreign/foreign.h"
#include <math.h>
#include <stdatomic.h>

/* Element (r, k) of a matrix lies at base + r * down + k * along. */
typedef struct layout {
    void *base;
    ptrdiff_t down, along;
    enum accordi_storage storage;
} layout;

enum { tile = 16 };

static void put_back(const layout *to, size_t r, size_t k, double value)
{
    ptrdiff_t at = (ptrdiff_t)r * to->down + (ptrdiff_t)k * to->along;
    if (to->storage == ACCORDI_F32)
        ((float *)to->base)[at] = (float)value;
    else if (to->storage == ACCORDI_F64)
        ((double *)to->base)[at] = value;
    else
        accordi_encoded_put(to->storage, to->base, at, value);
}

static double fetch(const layout *from, size_t r, size_t k)
{
    ptrdiff_t at = (ptrdiff_t)r * from->down + (ptrdiff_t)k * from->along;
    return from->storage == ACCORDI_F32 ? (double)((const float *)from->base)[at]
                                        : ((const double *)from->base)[at];
}

#define COPY_TILE(T, SUFFIX)                                                                       \
    static void copy_tile_##SUFFIX(const layout *to, const T *from, size_t inner, size_t r0,       \
                                   size_t k0, size_t rows, size_t terms)                           \
    {                                                                                              \
        T local[tile][tile],                                                                       \
            *out = (T *)to->base + (ptrdiff_t)r0 * to->down + (ptrdiff_t)k0 * to->along;           \
        for (size_t r = 0; r < rows; r++)                                                          \
            memcpy(local[r], from + (r0 + r) * inner + k0, terms * sizeof(T));                     \
        for (size_t k = 0; k < terms; k++)                                                         \
            for (size_t r = 0; r < rows; r++)                                                      \
                out[(ptrdiff_t)r * to->down + (ptrdiff_t)k * to->along] = local[r][k];             \
    }

COPY_TILE(float, f32)
COPY_TILE(double, f64)

static void copy_tiles(const layout *to, const void *from, size_t rows, size_t inner)
{
    for (size_t r = 0; r < rows; r += tile)
        for (size_t k = 0; k < inner; k += tile) {
            size_t down = rows - r < tile ? rows - r : tile;
            size_t along = inner - k < tile ? inner - k : tile;
            if (to->storage == ACCORDI_F32)
                copy_tile_f32(to, from, inner, r, k, down, along);
            else
                copy_tile_f64(to, from, inner, r, k, down, along);
        }
}

/* `from` holds rows x inner numbers, float or double. */
static void copy(const layout *to, const void *from, size_t rows, size_t inner)
{
    size_t size = accordi_storage_size(to->storage);
    if (accordi_is_encoding(to->storage)) {
        for (size_t i = 0; i < rows * inner; i++)
            put_back(to, i / inner, i % inner, (double)((const float *)from)[i]);
    } else if (to->along == 1) {
        for (size_t r = 0; r < rows; r++)
            memcpy((char *)to->base + (ptrdiff_t)r * to->down * (ptrdiff_t)size,
                   (const char *)from + r * inner * size, inner * size);
    } else {
        copy_tiles(to, from, rows, inner);
    }
}

/* ---- where the operands of a question lie ---- */

static layout layout_of(const accordi_foreign *f, size_t i)
{
    const accordi_question *q = &f->question;
    void *const operands[] = {f->a, f->b, f->c};
    enum accordi_storage storage = i < 2 ? q->storage : q->output;
    const accordi_extent *p = &f->extent[i];
    char *base = (char *)operands[i] + p->first * (ptrdiff_t)accordi_storage_size(storage);
    return (layout){base, p->down, p->along, storage};
}

/* ---- asking ---- */

static void load_operands(accordi_foreign *f, const accord_grid *grid)
{
    const accordi_question *q = &f->question;
    const layout a = layout_of(f, 0), c = layout_of(f, 2);
    copy(&a, grid->a, (size_t)q->m, (size_t)q->k);
    if (f->b && grid->b) {
        const layout b = layout_of(f, 1);
        copy(&b, grid->b, (size_t)q->n, (size_t)q->k);
    } else {
        accordi_operands_fill(f->b, f->extent[1].count, q->storage, 1);
    }
    if (q->has_start && grid->c)
        copy(&c, grid->c, (size_t)q->m, (size_t)q->n);
    else
        accordi_operands_fill(f->c, f->extent[2].count, q->output, q->has_start ? 0 : (double)NAN);
    f->disturbed = true;
}

enum accord_status accordi_foreign_grid(accordi_foreign *f, const accord_grid *grid, double *result,
                                        _Atomic uint32_t *done, double *seconds,
                                        accord_error *error)
{
    const accordi_question *q = &f->question;
    const layout c = layout_of(f, 2);
    (void)error;
    load_operands(f, grid);
    double from = accordi_now();
    accordi_foreign_product(f);
    *seconds = accordi_now() - from;
    if (done)
        atomic_store_explicit(done, 1, memory_order_relaxed);
    for (size_t r = 0; r < (size_t)q->m; r++)
        for (size_t i = 0; i < (size_t)q->n; i++)
            result[r * (size_t)q->n + i] = fetch(&c, r, i);
    return ACCORD_OK;
}
