/* Exact sums on devices: the work is done in a library of its own. */
#include "base/base.h"
#include <accord/exact_device.h>

static enum accord_status load(const accord_exact_device_kind **out, accord_error *error)
{
    const accord_exact_device_kind *(*kind)(void);
    void *symbol;
    enum accord_status status =
        accordi_opencl_library("accord_opencl_exact_device", &symbol, error);
    if (status)
        return status;
    memcpy(&kind, &symbol, sizeof kind);
    *out = kind();
    return (*out)->size == sizeof **out
               ? ACCORD_OK
               : accordi_fail(error, ACCORD_UNSUPPORTED,
                              "libaccord_opencl is of another version; install that of this one");
}

/* NULL without a colon. */
static enum accord_status read_name(const char *name, const char **which, accord_error *error)
{
    static const char kind[] = "opencl";
    size_t length = sizeof kind - 1;
    *which = NULL;
    if (strcmp(name, kind) == 0)
        return ACCORD_OK;
    *which = name + length + 1;
    return strncmp(name, kind, length) == 0 && name[length] == ':' && **which
               ? ACCORD_OK
               : accordi_fail(error, ACCORD_ARG,
                              "there is no device %.60s for exact sums; write opencl, or opencl: "
                              "and the number or a part of the name of an OpenCL device",
                              name);
}

enum accord_status accord_exact_device_open(const char *name, accord_exact_device **out,
                                            accord_error *error)
{
    const char *which;
    const accord_exact_device_kind *kind = NULL;
    enum accord_status status = read_name(name, &which, error);
    if (!status)
        status = load(&kind, error);
    return status ? status : kind->open(which, out, error);
}

const char *accord_exact_device_name(const accord_exact_device *device)
{
    return device->name;
}

void accord_exact_device_close(accord_exact_device *device)
{
    if (device)
        device->kind->close(device);
}

enum accord_status accord_exact_device_add_array_f64(accord_exact_device *device, accord_exact *sum,
                                                     size_t n, const double *x, accord_error *error)
{
    return device->kind->add_array_f64(device, sum, n, x, error);
}

enum accord_status accord_exact_device_add_array_f32(accord_exact_device *device, accord_exact *sum,
                                                     size_t n, const float *x, accord_error *error)
{
    return device->kind->add_array_f32(device, sum, n, x, error);
}

enum accord_status accord_exact_device_wide_add_products_f64(accord_exact_device *device,
                                                             accord_exact_wide *sum, size_t n,
                                                             const double *x, const double *y,
                                                             accord_error *error)
{
    return device->kind->wide_add_products_f64(device, sum, n, x, y, error);
}

enum accord_status accord_exact_device_add_products_f32(accord_exact_device *device,
                                                        accord_exact *sum, size_t n, const float *x,
                                                        const float *y, accord_error *error)
{
    return device->kind->add_products_f32(device, sum, n, x, y, error);
}
