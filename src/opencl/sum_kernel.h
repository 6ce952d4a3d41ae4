/* A kernel that adds n terms, once or for each element of a grid, as an opencl: target describes
 * it. Internal to the worker. */
#ifndef ACCORDI_SUM_KERNEL_H
#define ACCORDI_SUM_KERNEL_H

#include "opencl/opencl.h"
#include "targets/program/opencl_plan.h"

typedef struct sum_kernel {
    accordi_opencl_plan plan;
    accord_opencl *device;
    accord_opencl_kernel *kernel, *then;
    size_t n;
    bool f64;
    void *terms;      /* rows x n */
    void *transposed; /* the same as n x rows; the same memory where there is no need of it */
    void *ones;       /* second factors; those at y are asked for */
    void *parts, *total;
    double *sums;
    double before;     /* what stands in results before a run: NaN */
    char version[320]; /* device, driver, options, products */
} sum_kernel;

/* Builds the kernels and asks whether products are rounded. On failure nothing is left behind. */
enum accord_status sum_kernel_open(sum_kernel *k, const char *plan, size_t n, bool f64,
                                   accord_error *error);
/* rows x columns sums of the terms in k->terms, float or double: those of the first row, which all
 * rows get, or, with `own`, each row's own. */
enum accord_status sum_kernel_ask(sum_kernel *k, bool own, double *sum, accord_error *error);
void sum_kernel_close(sum_kernel *k);

#endif
