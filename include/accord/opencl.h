/* OpenCL devices: kernels from source text, built and run. These functions are in a library of its
 * own, libaccord_opencl, which opens libOpenCL.so.1 when it is first asked for a device and needs
 * no OpenCL before.
 *
 * Functions that fail return ACCORD_UNSUPPORTED if there is no OpenCL, if there is no such device,
 * or if the device lacks what is asked for; ACCORD_TARGET if OpenCL reports an error; and
 * ACCORD_NOMEM. Each device, with its kernels, is for one thread at a time. */
#ifndef ACCORD_OPENCL_H
#define ACCORD_OPENCL_H

#include <accord/exact_device.h>
#include <accord/methods.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What OpenCL says of a device, cut to fit. */
typedef struct accord_opencl_about {
    char name[120], platform[120], version[120], driver[120];
    bool doubles; /* cl_khr_fp64 */
    bool atomics; /* cl_khr_int64_base_atomics: compare-and-swap of 64 bits */
    size_t group; /* the greatest number of work-items in a work-group */
    size_t local; /* bytes of local memory */
} accord_opencl_about;

/* Describes the i-th device of all platforms, from 0. ACCORD_ARG: there are not so many. */
ACCORD_API enum accord_status accord_opencl_device_at(size_t i, accord_opencl_about *out,
                                                      accord_error *error);

/* Finds a device with doubles: by its number, or by a part of its name, in capitals or not; NULL:
 * the first one. ACCORD_ARG: there is none of that number or name; the text lists all. */
ACCORD_API enum accord_status accord_opencl_find(const char *which, size_t *out,
                                                 accord_error *error);

typedef struct accord_opencl accord_opencl;
/* Opens the i-th device; accord_opencl_close frees it, after its kernels. */
ACCORD_API enum accord_status accord_opencl_open(size_t i, accord_opencl **out,
                                                 accord_error *error);
ACCORD_API const accord_opencl_about *accord_opencl_about_of(const accord_opencl *device);
/* NULL is fine. */
ACCORD_API void accord_opencl_close(accord_opencl *device);

typedef struct accord_opencl_kernel accord_opencl_kernel;
/* Builds OpenCL C source with these options ("" or NULL: none) and takes the kernel of this name.
 * OpenCL C fuses products into additions unless the source contains #pragma OPENCL FP_CONTRACT OFF.
 * ACCORD_PARSE: the source does not build, or contains no such kernel; the error text is the
 * beginning of the compiler's log. */
ACCORD_API enum accord_status accord_opencl_build(accord_opencl *device, const char *source,
                                                  const char *options, const char *name,
                                                  accord_opencl_kernel **out, accord_error *error);
/* NULL is fine. */
ACCORD_API void accord_opencl_kernel_free(accord_opencl_kernel *kernel);

/* What an argument of a kernel is to it. */
enum accord_opencl_role {
    ACCORD_OPENCL_INPUT,  /* a buffer with the bytes of data */
    ACCORD_OPENCL_OUTPUT, /* a buffer whose bytes are copied to data afterwards */
    ACCORD_OPENCL_BOTH,   /* both */
    ACCORD_OPENCL_LOCAL,  /* local memory; data is NULL */
    ACCORD_OPENCL_VALUE   /* a number */
};
typedef struct accord_opencl_argument {
    enum accord_opencl_role role;
    void *data;   /* input is not written to */
    size_t bytes; /* more than 0 */
} accord_opencl_argument;

/* Work-items, and those of a group, in one to three directions; of others both are 0. */
typedef struct accord_opencl_range {
    size_t global[3], local[3];
} accord_opencl_range;

/* Runs the kernel on a range, waits for its end, and copies output back; memory on the device is
 * given back in any case. ACCORD_ARG: a group is empty, does not divide the range, or is too large
 * for the device; or the arguments are not those of the kernel. */
ACCORD_API enum accord_status accord_opencl_run(accord_opencl_kernel *kernel,
                                                const accord_opencl_argument *argument,
                                                size_t arguments, const accord_opencl_range *range,
                                                accord_error *error);

/* Exact sums and dot products on a device, for the functions of accord/exact_device.h: the bits of
 * accord/exact.h for any number of work-items. Each work-item keeps a floating-point expansion in
 * registers, each group a superaccumulator in local memory (Collange et al. 2015, 3.4 and 4.1); the
 * host adds those of the groups.
 *
 * For `groups` work-groups of `local` work-items, with these options of the compiler (NULL: none),
 * on a device that stays open until accord_exact_device_close. TwoSum and TwoProduct are tested on
 * the device first. ACCORD_UNSUPPORTED: this test fails, or the device has no doubles, no atomics
 * on 64 bits or too little local memory. ACCORD_ARG: an option lets the compiler change
 * floating-point operations (-cl-fast-relaxed-math and the like), or a number is 0, or there are
 * more than 65536 groups. That groups are too large for the device is ACCORD_ARG where terms are
 * added. */
ACCORD_API enum accord_status accord_opencl_exact_open(accord_opencl *device, size_t local,
                                                       size_t groups, const char *options,
                                                       accord_exact_device **out,
                                                       accord_error *error);
/* How accord_exact_device_open opens a device of its own, from this library. */
ACCORD_API const accord_exact_device_kind *accord_opencl_exact_device(void);

/* The methods of accord/methods.h as kernels, on the device that accord_opencl_find finds. A block
 * is a work-group; a thread is a work-item; atomic additions are loops of compare-and-swap. */
ACCORD_API const accord_method_device *accord_opencl_methods(void);

#ifdef __cplusplus
}
#endif
#endif
