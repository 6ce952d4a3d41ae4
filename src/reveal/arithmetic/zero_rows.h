/* Inputs whose sums are zeros of either sign. Internal; see zero_rows.c. */
#ifndef ACCORDI_ZERO_ROWS_H
#define ACCORDI_ZERO_ROWS_H

#include "reveal/probes/dense_rows.h"
#include <accord/model.h>

enum {
    ACCORDI_ZERO_KINDS = 6,      /* of products that are zero or next to it */
    ACCORDI_ZERO_TERMS = 1 << 16 /* of all inputs, where a sum is long */
};

/* Begins with asker, tree and base, which it borrows; all else is 0. */
typedef struct accordi_zero_rows {
    accordi_asker *asker;
    const accord_tree *tree;
    const accord_arithmetic *base; /* its alpha, beta and flushing */
    accordi_dense rows;
    uint8_t *kind;    /* of the products below each node, while a row is drawn */
    uint8_t *turned;  /* 1: the factor of this leaf is negative */
    uint8_t *taken;   /* turns that a node, or a leaf, has had */
    uint32_t *parent; /* of each node but the root */
    uint32_t last;    /* so many of the last sums have their turn more often */
    bool flushes;     /* sums, or the result */
} accordi_zero_rows;

/* Draws inputs of two terms or more; `scaled` is of accordi_scaling. The caller then asks for
 * z->rows. After an error, too, z is cleared by accordi_zero_rows_clear. */
enum accord_status accordi_zero_rows_draw(accordi_zero_rows *z, const uint8_t *scaled);

void accordi_zero_rows_clear(accordi_zero_rows *z);

#endif
