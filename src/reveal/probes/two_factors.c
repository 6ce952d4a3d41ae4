/* Probes of products that are larger or smaller than one factor can be.
 *
 * A narrow format has no room for a mask and for units that f32 swallows beside it, the less where
 * subnormal factors count as zero: f16 then holds 2^-14 to 2^15. Products range twice as far. So a
 * term that one normal factor cannot hold is written as two: a power of two of half the exponent,
 * and what is left, which carries all bits. Between the least and the greatest product of two
 * normal factors both are normal; below that the power of two is subnormal first.
 *
 * Batches that list some terms of each probe are laid out, as many probes at a time as memory
 * allows. */
#include "reveal/probes/two_factors.h"
#include "base/base.h"
#include <math.h>
#include <string.h>

enum { TERMS_A_CALL = 1 << 18 };

typedef struct layout {
    const accord_format_info *info;
    const accord_batch *batch;
    char *x, *y; /* rows of factors; the last one holds what stays from probe to probe */
    size_t n, bytes, staying;
    bool f32;
} layout;

bool accordi_two_factors_suit(const accord_target *target)
{
    return target->term == ACCORD_TERM_PRODUCT && !target->wide_terms && !target->has_start &&
           !target->scale_block;
}

static int second_exponent(const accord_format_info *info, double term)
{
    int exponent = term != 0 && isfinite(term) ? ilogb(term) : 0, half = exponent / 2;
    int least = info->min_exponent, lowest = least - info->precision + 1;
    if (exponent >= least && exponent <= info->max_exponent)
        return 0;
    if (exponent - half >= least)
        return half;
    return exponent - least > lowest ? exponent - least : lowest;
}

static void put_term(const layout *l, size_t row, size_t i, double term)
{
    int half = second_exponent(l->info, term);
    accordi_set_number(l->x, l->f32, row * l->n + i, ldexp(term, -half));
    accordi_set_number(l->y, l->f32, row * l->n + i, ldexp(1, half));
}

static void put_entries(const layout *l, size_t row, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        put_term(l, row, l->batch->index[i], l->batch->value[i]);
}

static void put_probe(const layout *l, size_t row, size_t probe)
{
    const uint32_t *start = l->batch->start + 2 * probe;
    put_entries(l, l->staying, start[0], start[1]);
    memcpy(l->x + row * l->bytes, l->x + l->staying * l->bytes, l->bytes);
    memcpy(l->y + row * l->bytes, l->y + l->staying * l->bytes, l->bytes);
    put_entries(l, row, start[1], start[2]);
}

static enum accord_status run_rows(accord_target *target, const layout *l, double *result,
                                   accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; i < l->n; i++)
        put_term(l, l->staying, i, l->batch->fill);
    for (size_t at = 0; at < l->batch->probes && !status; at += l->staying) {
        size_t left = l->batch->probes - at, rows = left < l->staying ? left : l->staying;
        for (size_t row = 0; row < rows; row++)
            put_probe(l, row, at + row);
        const accord_batch dense = {.probes = rows, .dense = l->x, .dense_second = l->y};
        status = accord_target_run(target, &dense, result + at, error);
    }
    return status;
}

enum accord_status accordi_two_factors_run(accord_target *target, enum accord_format format,
                                           const accord_batch *batch, double *result,
                                           accord_error *error)
{
    size_t rows = TERMS_A_CALL / target->n;
    rows = rows < 1 ? 1 : rows > batch->probes ? batch->probes : rows;
    layout l = {.info = accord_format_get(format),
                .batch = batch,
                .n = target->n,
                .bytes = target->n * (target->storage_f32 ? sizeof(float) : sizeof(double)),
                .staying = rows,
                .f32 = target->storage_f32};
    l.x = accordi_alloc(rows + 1, l.bytes);
    l.y = accordi_alloc(rows + 1, l.bytes);
    enum accord_status status =
        l.x && l.y ? run_rows(target, &l, result, error) : accordi_nomem(error);
    free(l.x);
    free(l.y);
    return status;
}
