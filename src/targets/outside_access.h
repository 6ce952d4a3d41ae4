/* Detects use of memory outside the operands of a target; see outside_access.c. Internal. */
#ifndef ACCORDI_TARGET_MEMORY_H
#define ACCORDI_TARGET_MEMORY_H

#include "targets/target.h"

/* Numbers at base; of each `apart` of them the first `width` are elements, the rest are gaps. There
 * are ACCORDI_MARGIN bytes before and after. */
typedef struct accordi_area {
    void *base;
    int64_t count, apart, width;
    enum accordi_storage storage;
    bool input; /* only read */
} accordi_area;

/* All elements of inputs hold 1. The areas' gaps hold 1 afterwards, their margins 0. *done (may be
 * NULL) grows with each call. */
void accordi_memory_examine(const accordi_area *area, size_t areas, accordi_call *call,
                            void *context, _Atomic uint32_t *done, accord_outside_access *out);

#endif
