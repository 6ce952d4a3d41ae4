/* Triangular systems by substitution.
 *
 * Idea: x_i needs the exact sum of a_ij x_j over the x_j before it, which are rounded numbers. Rows
 * are done in blocks: what comes from before the block is a product of a panel and a vector, which
 * the machinery of matrices adds up (packed, on threads); the triangle on the diagonal follows row
 * by row. The quotient is one integer division of the exact numerator. */
#include "base/parallel.h"
#include "exact/routines/finish.h"
#include "exact/routines/product.h"

enum { BLOCK = 128, TILE = 16 };

typedef struct triangle {
    accordi_exact_dots dots; /* a, and x as b */
    void *x;
    size_t n, first, end; /* rows of the block at work */
    bool lower, unit;
    int threads;
    char *memory; /* the bank of the block; then scratch for each worker */
    size_t bank_bytes, scratch_bytes;
} triangle;

static accordi_exact_bank bank_at(const triangle *t, size_t row)
{
    size_t each = t->dots.kind->wide ? sizeof(accord_exact_wide) : sizeof(accord_exact);
    return (accordi_exact_bank){t->memory + (row - t->first) * each, t->dots.kind->wide};
}

static void add_panel(void *context, size_t tile, int worker)
{
    triangle *t = context;
    size_t row = t->first + tile * TILE, left = t->end - row;
    accordi_exact_add_dots(&t->dots, row, left < TILE ? left : TILE, 0, 1, t->lower ? 0 : t->end,
                           t->lower ? t->first : t->n, bank_at(t, row),
                           t->memory + t->bank_bytes + (size_t)worker * t->scratch_bytes);
}

static uint64_t quotient(const accordi_exact_kind *kind, accordi_exact_view numerator,
                         const void *divisor, enum accord_exact_rounding rounding)
{
    accordi_exact_magnitude m;
    accordi_exact_number d = accordi_exact_take(kind, divisor);
    accordi_exact_number n = accordi_exact_judge(kind, numerator, rounding, &m);
    if (!n.m || !d.m)
        return accordi_exact_odd_quotient(kind, n, d);
    accordi_lead lead = accordi_exact_divide(&m, numerator.unit, d.m, d.exponent);
    lead.negative = n.negative != d.negative;
    return accordi_exact_round_lead(lead, kind->format, rounding);
}

/* b_i less the products with what was solved in this block, and before. */
static void solve_row(triangle *t, size_t i)
{
    const accordi_exact_dots *d = &t->dots;
    const accordi_exact_kind *k = d->kind;
    size_t from = t->lower ? t->first : i + 1, to = t->lower ? i : t->end;
    ptrdiff_t row = (ptrdiff_t)i * d->row_a, place = (ptrdiff_t)i * d->row_b;
    accordi_exact_view sum = accordi_exact_of_bank(bank_at(t, i), 0);
    if (from < to)
        k->dot(&d->how, sum, to - from,
               accordi_exact_at(k, d->a, row + (ptrdiff_t)from * d->column_a), d->column_a,
               accordi_exact_at(k, t->x, (ptrdiff_t)from * d->row_b), d->row_b);
    accord_exact_wide room = {0};
    accordi_exact_view numerator = accordi_exact_of_bank((accordi_exact_bank){&room, k->wide}, 0);
    k->terms(numerator, 1, accordi_exact_at(k, t->x, place), 1);
    accordi_exact_merge(numerator, sum, true, NULL);
    const void *divisor = accordi_exact_at(k, d->a, row + (ptrdiff_t)i * d->column_a);
    accordi_exact_store(k, t->x, place,
                        t->unit ? accordi_exact_round(numerator, k->format, d->how.rounding)
                                : quotient(k, numerator, divisor, d->how.rounding));
}

static void solve_block(triangle *t)
{
    size_t rows = t->end - t->first, before = t->lower ? t->first : t->n - t->end;
    memset(t->memory, 0, t->bank_bytes);
    if (before)
        accordi_parallel(
            (rows - 1) / TILE + 1,
            accordi_exact_workers(accordi_exact_work(ACCORDI_EXACT_MATRIX_COST, rows, before),
                                  t->threads),
            add_panel, t);
    for (size_t i = 0; i < rows; i++)
        solve_row(t, t->lower ? t->first + i : t->end - 1 - i);
}

static enum accord_status solve(triangle *t, const accord_exact_options *options,
                                accord_error *error)
{
    accordi_exact_dots *d = &t->dots;
    enum accord_status status =
        accordi_exact_prepare((d->a && t->x) || !t->n, true, options, &d->how, error);
    if (status || !t->n)
        return status;
    t->threads = t->n < 2 * BLOCK ? 1 : accordi_exact_threads(d->how.threads);
    if (t->threads > BLOCK / TILE)
        t->threads = BLOCK / TILE;
    t->bank_bytes = BLOCK * sizeof(accord_exact_wide);
    t->scratch_bytes = (accordi_exact_dots_plan(d, TILE, 1, t->n) + 63) / 64 * 64;
    t->memory = aligned_alloc(64, t->bank_bytes + (size_t)t->threads * t->scratch_bytes);
    if (!t->memory)
        return accordi_nomem(error);
    size_t blocks = (t->n - 1) / BLOCK + 1;
    for (size_t b = 0; b < blocks; b++) {
        t->first = (t->lower ? b : blocks - 1 - b) * BLOCK;
        t->end = t->n - t->first < BLOCK ? t->n : t->first + BLOCK;
        solve_block(t);
    }
    free(t->memory);
    return ACCORD_OK;
}

#define TRSV(suffix_, number_)                                                                     \
    enum accord_status accord_trsv_exact_##suffix_(                                                \
        bool lower, bool unit, size_t n, const number_ *a, ptrdiff_t row_stride,                   \
        ptrdiff_t column_stride, number_ *x, ptrdiff_t stride_x,                                   \
        const accord_exact_options *options, accord_error *error)                                  \
    {                                                                                              \
        triangle t = {.dots = {.kind = &accordi_exact_##suffix_,                                   \
                               .a = a,                                                             \
                               .b = x,                                                             \
                               .row_a = row_stride,                                                \
                               .column_a = column_stride,                                          \
                               .row_b = stride_x},                                                 \
                      .x = x,                                                                      \
                      .n = n,                                                                      \
                      .lower = lower,                                                              \
                      .unit = unit};                                                               \
        return solve(&t, options, error);                                                          \
    }

TRSV(f64, double)
TRSV(f32, float)
