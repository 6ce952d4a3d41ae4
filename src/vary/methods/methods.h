/* Shared by the files of the methods. Internal. */
#ifndef ACCORDI_METHODS_H
#define ACCORDI_METHODS_H

#include "base/base.h"
#include <accord/methods.h>

enum { ACCORDI_MOST_BLOCK = 1024, ACCORDI_WARP = 32 };

/* A reduction whose arguments were checked, with its defaults filled in. */
typedef struct accordi_shape {
    const accord_method *method;
    size_t n, parts;
    size_t block, grid; /* B, G: the blocks that there are */
} accordi_shape;
enum accord_status accordi_shape_of(const accord_reduction *reduction, accordi_shape *out,
                                    accord_error *error);

/* Part b; and the last stage. NaN may have any bits. */
double accordi_reduction_part(const accordi_shape *shape, const double *x, size_t b);
double accordi_reduction_end(const accordi_shape *shape, const double *part,
                             const uint32_t *arrival);

static inline double accordi_canonical_nan(double x)
{
    uint64_t nan = 0x7ff8000000000000u;
    if (x != x)
        memcpy(&x, &nan, sizeof x);
    return x;
}

/* A number of the normal distribution, correctly rounded. */
double accordi_exact_normal(accord_mt19937 *generator);

/* The rows of devices.c. */
extern const accord_method_device accordi_simulation, accordi_live_threads, accordi_live_opencl;

#endif
