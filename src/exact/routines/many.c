/* Many sums at once. Sums next to each other (the columns of a matrix stored by rows) are done a
 * few at a time: a block of their terms is turned into rows, so that each line of memory is read
 * once and the kernels get contiguous numbers. */
#include "exact/direct/direct.h"
#include "exact/routines/routines.h"

enum { TILE = 16, BLOCK = 2048 };

typedef struct fields {
    const accordi_exact_kind *kind;
    accord_exact_options how;
    size_t sums;
    ptrdiff_t step, stride;
    const void *x;
    void *out;
} fields;

static size_t sums_of(const fields *f, size_t tile)
{
    size_t left = f->sums - tile * TILE;
    return left < TILE ? left : TILE;
}

/* Terms of the sums of a tile as contiguous lines: where they are, or in scratch. */
typedef struct lines {
    const void *at;
    ptrdiff_t stride;
} lines;

static lines lines_of(const fields *f, size_t tile, size_t from, size_t count, void *scratch)
{
    ptrdiff_t place = (ptrdiff_t)(tile * TILE) * f->step + (ptrdiff_t)from * f->stride;
    const void *x = accordi_exact_at(f->kind, f->x, place);
    if (f->stride == 1)
        return (lines){x, f->step};
    accordi_exact_pack(f->kind->size, scratch, sums_of(f, tile), count, x, f->step, f->stride);
    return (lines){scratch, (ptrdiff_t)count};
}

static void add_fields(const void *context, size_t tile, size_t from, size_t to,
                       accordi_exact_bank bank, void *scratch)
{
    const fields *f = context;
    size_t sums = sums_of(f, tile), count;
    for (; from < to; from += count) {
        count = f->stride == 1 || to - from < BLOCK ? to - from : BLOCK;
        lines x = lines_of(f, tile, from, count, scratch);
        for (size_t s = 0; s < sums; s++)
            f->kind->sum(&f->how, accordi_exact_of_bank(bank, s), count,
                         accordi_exact_at(f->kind, x.at, (ptrdiff_t)s * x.stride), 1);
    }
}

static void finish_fields(const void *context, size_t tile, accordi_exact_bank bank)
{
    const fields *f = context;
    for (size_t s = 0; s < sums_of(f, tile); s++)
        accordi_exact_store_sum(f->kind, f->out, (ptrdiff_t)(tile * TILE + s),
                                accordi_exact_of_bank(bank, s), f->how.rounding);
}

/* Short sums: all of a tile at once. */
static void do_fields(const void *context, size_t tile, size_t from, size_t to,
                      accordi_exact_bank bank, void *scratch)
{
    (void)from;
    const fields *f = context;
    const accordi_exact_kind *k = f->kind;
    size_t sums = sums_of(f, tile);
    lines x = lines_of(f, tile, 0, to, scratch);
    for (size_t s = 0; s < sums; s++) {
        char *out = (char *)f->out + (ptrdiff_t)(tile * TILE + s) * k->size;
        const void *at = accordi_exact_at(k, x.at, (ptrdiff_t)s * x.stride);
        if (k->short_sum(to, at, 1, &f->how, out))
            continue;
        accordi_exact_bank_clear(bank, 1);
        k->sum(&f->how, accordi_exact_of_bank(bank, 0), to, at, 1);
        accordi_exact_store_sum(k, f->out, (ptrdiff_t)(tile * TILE + s),
                                accordi_exact_of_bank(bank, 0), f->how.rounding);
    }
}

static enum accord_status add_many(fields f, size_t n, const accord_exact_options *options,
                                   accord_error *error)
{
    enum accord_status status =
        accordi_exact_prepare(f.x || !n || !f.sums, f.out || !f.sums, options, &f.how, error);
    if (status)
        return status;
    bool brief = n && n <= ACCORDI_EXACT_SHORT;
    accordi_exact_task task = {
        .tiles = f.sums / TILE + (f.sums % TILE != 0),
        .sums = brief           ? 1
                : f.sums < TILE ? f.sums
                                : TILE,
        .length = n,
        .work = accordi_exact_work(1, n, f.sums),
        .scratch = f.stride == 1 ? 0 : TILE * (n < BLOCK ? n : BLOCK) * (size_t)f.kind->size,
        .whole = brief,
        .add = brief ? do_fields : add_fields,
        .finish = brief ? NULL : finish_fields,
    };
    return accordi_exact_run(&task, &f, f.how.threads, error);
}

#define MANY(suffix_, number_)                                                                     \
    enum accord_status accord_many_sums_exact_##suffix_(                                           \
        size_t sums, ptrdiff_t step, size_t n, const number_ *x, ptrdiff_t stride,                 \
        const accord_exact_options *options, number_ *out, accord_error *error)                    \
    {                                                                                              \
        fields f = {.kind = &accordi_exact_##suffix_,                                              \
                    .sums = sums,                                                                  \
                    .step = step,                                                                  \
                    .stride = stride,                                                              \
                    .x = x,                                                                        \
                    .out = out};                                                                   \
        return add_many(f, n, options, error);                                                     \
    }

MANY(f64, double)
MANY(f32, float)
