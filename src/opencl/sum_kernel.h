/* A kernel that adds n terms, as an opencl: target describes it. Internal to the worker. */
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
    void *x, *ones, *parts, *total;
    char version[320]; /* device, driver, options, products */
} sum_kernel;

/* Builds the kernels and asks whether products are rounded. On failure nothing is left behind. */
enum accord_status sum_kernel_open(sum_kernel *k, const char *plan, size_t n, bool f64,
                                   accord_error *error);
/* The sum of the terms in k->x, float or double. */
enum accord_status sum_kernel_ask(sum_kernel *k, double *sum, accord_error *error);
void sum_kernel_close(sum_kernel *k);

#endif
