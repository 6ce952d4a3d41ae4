/* One fused sum of a matrix accelerator; shared by step.c and aligned.c. Internal. */
#ifndef ACCORDI_FUSED_H
#define ACCORDI_FUSED_H

#include "format/wide.h"
#include <accord/fused.h>

enum { ACCORDI_FUSED_MOST = 64 }; /* products of a step, over all rows */

/* One step of an aligned scheme; operands are finite, cut and flushed, count <= terms. */
double accordi_fused_aligned(const accord_fused *fused, size_t count, const double *a,
                             const double *b, const double *scale_a, const double *scale_b,
                             double c);

#endif
