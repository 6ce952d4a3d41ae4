/* Batches as arrays, for targets that compute with arrays. */
#ifndef LAY_OUT_H
#define LAY_OUT_H

#include "base/base.h"
#include <accord/target.h>
#include <string.h>

/* The values of all probes of a batch, n in a row; the caller frees them. */
static inline double *lay_out(size_t n, const accord_batch *batch)
{
    double *x = accordi_alloc(batch->probes * n, sizeof *x), *stay = x;
    if (batch->dense)
        return memcpy(x, batch->dense, batch->probes * n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = batch->fill;
    for (size_t p = 0; p < batch->probes; p++, stay += n) {
        uint32_t first = batch->start[2 * p], own = batch->start[2 * p + 1];
        for (uint32_t i = first; i < own; i++)
            stay[batch->index[i]] = batch->value[i];
        if (p + 1 < batch->probes)
            memcpy(stay + n, stay, n * sizeof *x);
        for (uint32_t i = own; i < batch->start[2 * p + 2]; i++)
            stay[batch->index[i]] = batch->value[i];
    }
    return x;
}

#endif
