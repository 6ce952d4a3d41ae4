/* Makes sparse probes into calls: writes the terms that change, and restores them. The terms stay
 * in one place for the whole life of a target (an order may depend on the address); a probe costs
 * its own writes, the call, and their undoing. Invariant between probes: the terms hold `fill` and
 * the writes that stay, nothing else. */
#include "targets/target.h"
#include <stdatomic.h>

static const enum accord_format formats[] = {
    [ACCORDI_F64] = ACCORD_F64,   [ACCORDI_F32] = ACCORD_F32,    [ACCORDI_BF16] = ACCORD_BF16,
    [ACCORDI_F16] = ACCORD_F16,   [ACCORDI_E4M3] = ACCORD_E4M3,  [ACCORDI_E5M2] = ACCORD_E5M2,
    [ACCORDI_E3M2] = ACCORD_E3M2, [ACCORDI_E2M3] = ACCORD_E2M3,  [ACCORDI_E2M1] = ACCORD_E2M1,
    [ACCORDI_E8M0] = ACCORD_E8M0, [ACCORDI_UE4M3] = ACCORD_UE4M3};

size_t accordi_storage_size(enum accordi_storage storage)
{
    return (size_t)accord_format_get(formats[storage])->bytes;
}

static inline ptrdiff_t where(const accordi_cells *cells, size_t k)
{
    return (ptrdiff_t)(k >> cells->pair) * cells->stride +
           (ptrdiff_t)((k & cells->pair) ^ cells->swap);
}

/* What bf16 holds is the upper half of a float. */
static inline double bf16_to_double(uint16_t upper)
{
    uint32_t bits = (uint32_t)upper << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static inline uint16_t upper_half(double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return (uint16_t)(bits >> 16);
}

double accordi_encoded_get(enum accordi_storage storage, const void *base, ptrdiff_t at)
{
    if (storage == ACCORDI_BF16)
        return bf16_to_double(((const uint16_t *)base)[at]);
    bool two_bytes = accordi_storage_size(storage) == sizeof(uint16_t);
    return accord_format_decode(formats[storage], two_bytes ? ((const uint16_t *)base)[at]
                                                            : ((const uint8_t *)base)[at]);
}

void accordi_encoded_put(enum accordi_storage storage, void *base, ptrdiff_t at, double value)
{
    if (storage == ACCORDI_BF16)
        ((uint16_t *)base)[at] = upper_half(value);
    else if (accordi_storage_size(storage) == sizeof(uint16_t))
        ((uint16_t *)base)[at] = (uint16_t)accord_format_encode(formats[storage], value);
    else
        ((uint8_t *)base)[at] = (uint8_t)accord_format_encode(formats[storage], value);
}

/* Most terms are plain: floats or doubles at equal distances and nothing else. `plain` is known
 * where these are compiled. */
static bool is_plain(const accordi_cells *cells)
{
    return !accordi_is_encoding(cells->storage) && !cells->pair && !cells->has_tail;
}

static inline double read_cell(const accordi_cells *cells, size_t k, bool plain)
{
    if (!plain && k >= cells->n)
        return cells->tail;
    ptrdiff_t at = plain ? (ptrdiff_t)k * cells->stride : where(cells, k);
    if (!plain && accordi_is_encoding(cells->storage))
        return accordi_encoded_get(cells->storage, cells->base, at);
    double value = cells->storage == ACCORDI_F32 ? (double)((const float *)cells->base)[at]
                                                 : ((const double *)cells->base)[at];
    return !plain && (k & cells->negate) ? -value : value;
}

static inline void write_cell(accordi_cells *cells, size_t k, double value, bool plain)
{
    if (!plain && k >= cells->n) {
        cells->tail = value;
        return;
    }
    ptrdiff_t at = plain ? (ptrdiff_t)k * cells->stride : where(cells, k);
    if (!plain && (k & cells->negate))
        value = -value;
    if (cells->storage == ACCORDI_F32)
        ((float *)cells->base)[at] = (float)value;
    else if (plain || cells->storage == ACCORDI_F64)
        ((double *)cells->base)[at] = value;
    else
        accordi_encoded_put(cells->storage, cells->base, at, value);
}

/* Floats or doubles one behind the other, but for the tail. */
static bool is_straight(const accordi_cells *cells)
{
    return cells->stride == 1 && !cells->pair && !accordi_is_encoding(cells->storage);
}

static void fill_cells(accordi_cells *cells, double value)
{
    bool straight = is_straight(cells), narrow = cells->storage == ACCORDI_F32;
    if (cells->clean && memcmp(&cells->fill, &value, sizeof value) == 0)
        return;
    if (straight && narrow) {
        float *x = cells->base;
        for (size_t k = 0; k < cells->n; k++)
            x[k] = (float)value;
    } else if (straight) {
        double *x = cells->base;
        for (size_t k = 0; k < cells->n; k++)
            x[k] = value;
    } else {
        for (size_t k = 0; k < cells->n; k++)
            write_cell(cells, k, value, false);
    }
    cells->tail = value;
    cells->fill = value;
    cells->clean = true;
}

static bool reserve(accordi_cells *cells, const accord_batch *batch)
{
    size_t most = 0;
    for (size_t p = 0; p < batch->probes; p++) {
        size_t own = batch->start[2 * p + 2] - batch->start[2 * p + 1];
        most = own > most ? own : most;
    }
    if (most <= cells->saved_capacity)
        return true;
    double *grown = accordi_alloc(2 * most, sizeof *grown);
    if (!grown)
        return false;
    free(cells->saved);
    cells->saved = grown;
    cells->saved_capacity = 2 * most;
    return true;
}

static inline double probe_as(accordi_cells *cells, const accord_batch *batch, size_t p,
                              accordi_call *call, void *context, bool plain)
{
    const uint32_t *start = batch->start + 2 * p, *index = batch->index;
    for (uint32_t w = start[0]; w < start[1]; w++)
        write_cell(cells, index[w], batch->value[w], plain);
    if (start[1] > start[0])
        cells->clean = false;
    size_t own = 0;
    for (uint32_t w = start[1]; w < start[2]; w++) {
        cells->saved[own++] = read_cell(cells, index[w], plain);
        write_cell(cells, index[w], batch->value[w], plain);
    }
    double answer = call(context);
    for (uint32_t w = start[2]; w > start[1]; w--)
        write_cell(cells, index[w - 1], cells->saved[--own], plain);
    return answer;
}

static double probe(accordi_cells *cells, const accord_batch *batch, size_t p, accordi_call *call,
                    void *context)
{
    return is_plain(cells) ? probe_as(cells, batch, p, call, context, true)
                           : probe_as(cells, batch, p, call, context, false);
}

static void load_row(accordi_cells *cells, const void *rows, size_t row)
{
    bool wide = cells->storage == ACCORDI_F64;
    size_t size = wide ? sizeof(double) : sizeof(float), length = cells->n + cells->has_tail;
    const char *from = (const char *)rows + row * length * size;
    bool straight = is_straight(cells);
    cells->clean = false;
    if (straight)
        memcpy(cells->base, from, cells->n * size);
    for (size_t k = straight ? cells->n : 0; k < length; k++)
        write_cell(cells, k,
                   wide ? ((const double *)(const void *)from)[k]
                        : (double)((const float *)(const void *)from)[k],
                   false);
}

enum accord_status accordi_cells_run(accordi_cells *cells, accordi_cells *second,
                                     const accord_batch *batch, accordi_call *call, void *context,
                                     double *result, _Atomic uint32_t *done, accord_error *error)
{
    if (!batch->dense && !reserve(cells, batch))
        return accordi_nomem(error);
    if (!batch->dense)
        fill_cells(cells, batch->fill);
    if (second && !batch->dense_second)
        fill_cells(second, batch->second != 0 ? batch->second : 1);
    for (size_t p = 0; p < batch->probes; p++) {
        if (second && batch->dense_second)
            load_row(second, batch->dense_second, p);
        if (batch->dense) {
            load_row(cells, batch->dense, p);
            result[p] = call(context);
        } else {
            result[p] = probe(cells, batch, p, call, context);
        }
        if (done)
            atomic_store_explicit(done, (uint32_t)p + 1, memory_order_relaxed);
    }
    return ACCORD_OK;
}

void accordi_cells_clear(accordi_cells *cells)
{
    free(cells->saved);
    cells->saved = NULL;
    cells->saved_capacity = 0;
}

void *accordi_aligned(size_t bytes, size_t past, void **block)
{
    size_t more = 2 * ACCORDI_MARGIN + 128;
    if (bytes > SIZE_MAX - more)
        return NULL;
    char *memory = accordi_calloc(bytes + more, 1);
    if (!memory)
        return NULL;
    *block = memory;
    memory += ACCORDI_MARGIN;
    return memory + (64 - (uintptr_t)memory % 64) % 64 + past % 64;
}

void accordi_operands_fill(void *operand, int64_t count, enum accordi_storage storage, double value)
{
    if (storage == ACCORDI_F32) {
        float *x = operand, narrow = (float)value;
        for (int64_t i = 0; i < count; i++)
            x[i] = narrow;
    } else if (storage == ACCORDI_F64) {
        double *x = operand;
        for (int64_t i = 0; i < count; i++)
            x[i] = value;
    } else {
        for (int64_t i = 0; i < count; i++)
            accordi_encoded_put(storage, operand, i, value);
    }
}
