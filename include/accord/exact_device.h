/* Exact sums on a device other than the CPU: the bits, and the bytes of accumulators, of
 * accord/exact.h. The code for a device is in a library of its own, which is opened when a device
 * is asked for (accord/opencl.h). A device is for one thread at a time. */
#ifndef ACCORD_EXACT_DEVICE_H
#define ACCORD_EXACT_DEVICE_H

#include <accord/exact.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct accord_exact_device accord_exact_device;

/* Opens a device: "opencl", the first OpenCL device with doubles, or "opencl:WHICH", where WHICH is
 * its number or a part of its name. Its arithmetic is tested first. ACCORD_ARG: there is no such
 * device. ACCORD_UNSUPPORTED: there is no such library or no device at all, or the device lacks
 * doubles or something else that exact sums take, or it does not compute error-free transformations
 * as IEEE 754 does. ACCORD_TARGET: it reports an error. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_exact_device_open(const char *name, accord_exact_device **out,
                                                       accord_error *error);
/* What the device says its name is; it lasts as long as the device is open. */
ACCORD_API const char *accord_exact_device_name(const accord_exact_device *device);
/* NULL is fine. */
ACCORD_API void accord_exact_device_close(accord_exact_device *device);

/* Add n terms or products to *sum, as the functions of accord/exact.h without `device` do; *sum is
 * unchanged after a failure. ACCORD_TARGET, ACCORD_NOMEM; ACCORD_ARG: too many terms. */
ACCORD_API enum accord_status accord_exact_device_add_array_f64(accord_exact_device *device,
                                                                accord_exact *sum, size_t n,
                                                                const double *x,
                                                                accord_error *error);
ACCORD_API enum accord_status accord_exact_device_add_array_f32(accord_exact_device *device,
                                                                accord_exact *sum, size_t n,
                                                                const float *x,
                                                                accord_error *error);
ACCORD_API enum accord_status accord_exact_device_wide_add_products_f64(accord_exact_device *device,
                                                                        accord_exact_wide *sum,
                                                                        size_t n, const double *x,
                                                                        const double *y,
                                                                        accord_error *error);
ACCORD_API enum accord_status accord_exact_device_add_products_f32(accord_exact_device *device,
                                                                   accord_exact *sum, size_t n,
                                                                   const float *x, const float *y,
                                                                   accord_error *error);

/* For libraries that provide devices: what each device of theirs begins with, and what it does; the
 * functions do what those above do. */
struct accord_exact_device {
    const struct accord_exact_device_kind *kind;
    char name[128];
};
typedef struct accord_exact_device_kind {
    size_t size; /* see accord/base.h */
    /* which: NULL, or what follows the colon */
    enum accord_status (*open)(const char *which, accord_exact_device **out, accord_error *error);
    void (*close)(accord_exact_device *device);
    enum accord_status (*add_array_f64)(accord_exact_device *device, accord_exact *sum, size_t n,
                                        const double *x, accord_error *error);
    enum accord_status (*add_array_f32)(accord_exact_device *device, accord_exact *sum, size_t n,
                                        const float *x, accord_error *error);
    enum accord_status (*wide_add_products_f64)(accord_exact_device *device, accord_exact_wide *sum,
                                                size_t n, const double *x, const double *y,
                                                accord_error *error);
    enum accord_status (*add_products_f32)(accord_exact_device *device, accord_exact *sum, size_t n,
                                           const float *x, const float *y, accord_error *error);
} accord_exact_device_kind;

#ifdef __cplusplus
}
#endif
#endif
