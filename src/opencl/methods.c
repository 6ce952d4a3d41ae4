/* The methods of reduction as OpenCL kernels: src/opencl/methods.cl, which numbers the last stages
 * as here. */
#include "vary/methods/methods.h"
#include "opencl/methods_cl.h"
#include "opencl/opencl.h"

_Static_assert(ACCORD_LAST_ATOMIC == 0 && ACCORD_LAST_PAIRWISE == 1 && ACCORD_LAST_RECURSIVE == 2 &&
                   ACCORD_LAST_HOST == 3,
               "methods.cl has the same numbers");

typedef struct work {
    const accord_reduction *reduction;
    accordi_shape shape;
    accord_opencl *device;
    accord_opencl_kernel *kernel;
    const double *x;
    double *part;
    uint32_t *arrival; /* of one run */
} work;

static void work_free(work *w)
{
    accord_opencl_kernel_free(w->kernel);
    accord_opencl_close(w->device);
    free(w->part);
    free(w->arrival);
}

static enum accord_status check_atomics(const work *w, accord_error *error)
{
    const accord_opencl_about *about = accord_opencl_about_of(w->device);
    if (w->shape.method->last != ACCORD_LAST_ATOMIC || about->atomics)
        return ACCORD_OK;
    return accordi_fail(error, ACCORD_UNSUPPORTED,
                        "%s has no atomic operations on 64 bits (cl_khr_int64_base_atomics), which "
                        "%s takes; choose another method, such as SPTR",
                        about->name, w->shape.method->name);
}

static enum accord_status open_device(work *w, const char *which, accord_error *error)
{
    size_t found = 0;
    enum accord_status status = accord_opencl_find(which, &found, error);
    if (!status)
        status = accord_opencl_open(found, &w->device, error);
    return status ? status : check_atomics(w, error);
}

static enum accord_status build(work *w, accord_error *error)
{
    bool atomics = accord_opencl_about_of(w->device)->atomics;
    return accord_opencl_build(w->device, methods_cl, atomics ? "-DATOMICS=1" : "-DATOMICS=0",
                               w->shape.method->blocks ? "reduce" : "atomic_terms", &w->kernel,
                               error);
}

static enum accord_status work_new(const accord_reduction *reduction, const double *x,
                                   const char *which, work *out, accord_error *error)
{
    *out = (work){.reduction = reduction, .x = x};
    enum accord_status status = accordi_shape_of(reduction, &out->shape, error);
    if (!status)
        status = open_device(out, which, error);
    if (!status)
        status = build(out, error);
    if (!status) {
        out->part = accordi_calloc(out->shape.parts, sizeof *out->part);
        out->arrival = accordi_calloc(out->shape.parts, sizeof *out->arrival);
        if (!out->part || !out->arrival)
            status = accordi_nomem(error);
    }
    if (status)
        work_free(out);
    return status;
}

static enum accord_status run_once(work *w, double *result, accord_error *error)
{
    const accordi_shape *shape = &w->shape;
    const accord_method *method = shape->method;
    uint64_t n = shape->n, parts = shape->parts, total = 0;
    uint32_t counter = 0, last = method->last, compensated = method->compensated;
    const accord_opencl_argument x = {ACCORD_OPENCL_INPUT, (void *)(uintptr_t)w->x,
                                      n * sizeof *w->x};
    const accord_opencl_argument sum = {ACCORD_OPENCL_BOTH, &total, sizeof total};
    const accord_opencl_argument turn = {ACCORD_OPENCL_BOTH, &counter, sizeof counter};
    const accord_opencl_argument arrival = {ACCORD_OPENCL_OUTPUT, w->arrival,
                                            parts * sizeof *w->arrival};
    const accord_opencl_argument terms[] = {
        x, {ACCORD_OPENCL_VALUE, &n, sizeof n}, sum, turn, arrival};
    const accord_opencl_argument blocks[] = {
        x,
        {ACCORD_OPENCL_VALUE, &n, sizeof n},
        {ACCORD_OPENCL_VALUE, &parts, sizeof parts},
        {ACCORD_OPENCL_VALUE, &last, sizeof last},
        {ACCORD_OPENCL_VALUE, &compensated, sizeof compensated},
        {ACCORD_OPENCL_LOCAL, NULL, shape->block * sizeof(double)},
        {ACCORD_OPENCL_OUTPUT, w->part, parts * sizeof *w->part},
        sum,
        turn,
        arrival};
    size_t groups = method->blocks ? parts : (n + shape->block - 1) / shape->block;
    const accord_opencl_range range = {.global = {groups * shape->block}, .local = {shape->block}};
    enum accord_status status = accord_opencl_run(w->kernel, method->blocks ? blocks : terms,
                                                  method->blocks ? sizeof blocks / sizeof *blocks
                                                                 : sizeof terms / sizeof *terms,
                                                  &range, error);
    if (status)
        return status;
    memcpy(result, &total, sizeof total);
    if (method->last == ACCORD_LAST_HOST)
        *result = accordi_reduction_end(shape, w->part, NULL);
    *result = accordi_canonical_nan(*result);
    return ACCORD_OK;
}

static enum accord_status run_all(const accord_reduction *reduction, const double *x,
                                  const accord_sampling *sampling, double *result,
                                  uint32_t *arrival, accord_error *error)
{
    work w;
    accord_sampling full;
    double sum;
    enum accord_status status = ACCORDI_TAKE(accord_sampling, threads, &full, sampling, error);
    if (!status)
        status = work_new(reduction, x, full.which, &w, error);
    if (status)
        return status;
    for (size_t i = 0; i < full.samples && !status; i++) {
        status = run_once(&w, &sum, error);
        if (!status && result)
            result[i] = sum;
        if (!status && arrival)
            memcpy(arrival + i * w.shape.parts, w.arrival, w.shape.parts * sizeof *arrival);
    }
    work_free(&w);
    return status;
}

const accord_method_device *accord_opencl_methods(void)
{
    static const accord_method_device device = {
        .name = "opencl",
        .about = "live runs on an OpenCL device with doubles: the first, or opencl:WHICH",
        .run = run_all,
    };
    return &device;
}
