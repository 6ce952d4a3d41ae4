/* The table of the processor's units for dot products. Internal. */
#ifndef ACCORDI_UNITS_H
#define ACCORDI_UNITS_H

#include "targets/target.h"

typedef struct accordi_unit {
    const char *name;    /* "tdpbf16ps" */
    const char *feature; /* what a processor has to have: "AMX-BF16" */
    enum accord_format format;
    enum accordi_storage storage;
    /* NULL: the compiler that built accord does not know the instruction. */
    bool (*is_here)(void);
    /* The sum of n products, from a start value of +0. The operands are aligned to 64 bytes and
     * followed by zeros up to the next multiple of 32. */
    float (*dot)(size_t n, const void *a, const void *b);
} accordi_unit;

extern const accordi_unit accordi_units[];
extern const size_t accordi_unit_count;

#endif
