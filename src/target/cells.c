/* Sparse probes made into calls. The terms stay in one place for the whole life of a target (an
 * order may depend on the address); a probe costs its own writes, the call, and their undoing.
 * Invariant between probes: the terms hold `fill` and the writes that stay, nothing else. */
#include "target/target.h"
#include <stdatomic.h>

static inline double get(const accordi_cells *cells, size_t k)
{
    ptrdiff_t at = (ptrdiff_t)k * cells->stride;
    return cells->f32 ? (double)((const float *)cells->base)[at]
                      : ((const double *)cells->base)[at];
}

static inline void put(const accordi_cells *cells, size_t k, double value)
{
    ptrdiff_t at = (ptrdiff_t)k * cells->stride;
    if (cells->f32)
        ((float *)cells->base)[at] = (float)value;
    else
        ((double *)cells->base)[at] = value;
}

static void fill(accordi_cells *cells, double value)
{
    if (cells->clean && memcmp(&cells->fill, &value, sizeof value) == 0)
        return;
    if (cells->f32 && cells->stride == 1) {
        float *x = cells->base, narrow = (float)value;
        for (size_t k = 0; k < cells->n; k++)
            x[k] = narrow;
    } else {
        for (size_t k = 0; k < cells->n; k++)
            put(cells, k, value);
    }
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

static double probe(accordi_cells *cells, const accord_batch *batch, size_t p, accordi_call *call,
                    void *context)
{
    const uint32_t *start = batch->start + 2 * p, *index = batch->index;
    for (uint32_t w = start[0]; w < start[1]; w++)
        put(cells, index[w], batch->value[w]);
    if (start[1] > start[0])
        cells->clean = false;
    size_t own = 0;
    for (uint32_t w = start[1]; w < start[2]; w++) {
        cells->saved[own++] = get(cells, index[w]);
        put(cells, index[w], batch->value[w]);
    }
    double answer = call(context);
    for (uint32_t w = start[2]; w > start[1]; w--)
        put(cells, index[w - 1], cells->saved[--own]);
    return answer;
}

static void load_row(accordi_cells *cells, const void *rows, size_t row)
{
    size_t size = cells->f32 ? sizeof(float) : sizeof(double);
    const char *from = (const char *)rows + row * cells->n * size;
    if (cells->stride == 1) {
        memcpy(cells->base, from, cells->n * size);
        return;
    }
    for (size_t k = 0; k < cells->n; k++)
        memcpy((char *)cells->base + (ptrdiff_t)k * cells->stride * (ptrdiff_t)size,
               from + k * size, size);
}

enum accord_status accordi_cells_run(accordi_cells *cells, const accord_batch *batch,
                                     accordi_call *call, void *context, double *result,
                                     _Atomic uint32_t *done, accord_error *error)
{
    if (!batch->dense && !reserve(cells, batch))
        return accordi_nomem(error);
    if (batch->dense)
        cells->clean = false;
    else
        fill(cells, batch->fill);
    for (size_t p = 0; p < batch->probes; p++) {
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
    if (bytes > SIZE_MAX - 256)
        return NULL;
    char *memory = accordi_calloc(bytes + 128, 1);
    if (!memory)
        return NULL;
    *block = memory;
    return memory + (64 - (uintptr_t)memory % 64) % 64 + past % 64;
}
