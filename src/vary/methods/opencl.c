/* Methods on OpenCL devices. The kernels are in libaccord_opencl. */
#include "vary/methods/methods.h"

/* NULL after an error. */
static const accord_method_device *load(accord_error *error)
{
    const accord_method_device *(*methods)(void);
    void *symbol;
    if (accordi_opencl_library("accord_opencl_methods", &symbol, error))
        return NULL;
    memcpy(&methods, &symbol, sizeof methods);
    return methods();
}

static enum accord_status run(const accord_reduction *reduction, const double *x,
                              const accord_sampling *sampling, double *result, uint32_t *arrival,
                              accord_error *error)
{
    const accord_method_device *device = load(error);
    return device ? device->run(reduction, x, sampling, result, arrival, error)
                  : ACCORD_UNSUPPORTED;
}

const accord_method_device accordi_live_opencl = {
    .name = "opencl",
    .about = "live runs on an OpenCL device with doubles: the first, or opencl:WHICH",
    .run = run,
};
