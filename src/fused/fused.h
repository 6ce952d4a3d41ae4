/* One fused sum of a matrix accelerator; shared by step.c, aligned.c, and code that computes many
 * sparse ones. Internal. */
#ifndef ACCORDI_FUSED_H
#define ACCORDI_FUSED_H

#include "format/wide.h"
#include <accord/fused.h>

enum {
    ACCORDI_FUSED_MOST = 64,          /* products of a step, over all rows */
    ACCORDI_FUSED_BLOCK_FRACTION = 60 /* most bits that a machine keeps of blocks: 128 bits hold
                                         their sums in units of these */
};

/* A product of a step, and where it stands there. */
typedef struct accordi_product {
    size_t place;
    double a, b;
} accordi_product;

/* The products of a step: `given` of the `count` that it has, in the order of their places; the
 * others are +0 * 1. */
typedef struct accordi_products {
    const accordi_product *product;
    size_t given, count;
    const double *scale_a, *scale_b; /* as for accord_fused_step */
} accordi_products;

/* Whether terms are aligned and summed exactly; else each addition rounds. */
bool accordi_fused_aligns(const accord_fused *fused);
/* Whether products of +0 * 1 make no difference to a step, so that they need not be given: to the
 * aligned schemes, unless each zero takes part in the alignment. */
bool accordi_fused_leaves_zeros(const accord_fused *fused);
/* accord_fused_step for a machine that leaves zeros out, unchecked: quick where few are given. */
double accordi_fused_sparse(const accord_fused *fused, const accordi_products *products, double c);

/* One step of an aligned scheme; operands are finite, cut and flushed. Products that are not given
 * do not count. */
double accordi_fused_aligned(const accord_fused *fused, const accordi_products *products, double c);

#endif
