/* A libOpenCL.so.1 with faults for tests: every call goes to the library that ACCORD_PLANTED_OPENCL
 * names, but ACCORD_PLANTED_FAULT makes its devices lack the extension of that name, or, as
 * "two-sum" and "two-product", compute those wrongly; with "launch" no kernel starts. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *real(const char *name)
{
    static void *library;
    const char *path = getenv("ACCORD_PLANTED_OPENCL");
    if (!library)
        library = dlopen(path ? path : "", RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, name) : NULL;
    if (!symbol) {
        fprintf(stderr, "planted: there is no %s\n", name);
        abort();
    }
    return symbol;
}

static int has_fault(const char *name)
{
    const char *fault = getenv("ACCORD_PLANTED_FAULT");
    return fault && strcmp(fault, name) == 0;
}

#define CALL(name, ...) ((__typeof__(&(name)))real(#name))(__VA_ARGS__)

cl_int clGetPlatformIDs(cl_uint a, cl_platform_id *b, cl_uint *c)
{
    return CALL(clGetPlatformIDs, a, b, c);
}

cl_int clGetPlatformInfo(cl_platform_id a, cl_platform_info b, size_t c, void *d, size_t *e)
{
    return CALL(clGetPlatformInfo, a, b, c, d, e);
}

cl_int clGetDeviceIDs(cl_platform_id a, cl_device_type b, cl_uint c, cl_device_id *d, cl_uint *e)
{
    return CALL(clGetDeviceIDs, a, b, c, d, e);
}

cl_int clGetDeviceInfo(cl_device_id a, cl_device_info what, size_t c, void *text, size_t *e)
{
    cl_int code = CALL(clGetDeviceInfo, a, what, c, text, e);
    const char *fault = getenv("ACCORD_PLANTED_FAULT");
    char *at = what == CL_DEVICE_EXTENSIONS && text && fault && !code ? strstr(text, fault) : NULL;
    if (at)
        memset(at, 'x', strlen(fault));
    return code;
}

cl_context clCreateContext(const cl_context_properties *a, cl_uint b, const cl_device_id *c,
                           void (*d)(const char *, const void *, size_t, void *), void *e,
                           cl_int *f)
{
    return CALL(clCreateContext, a, b, c, d, e, f);
}

cl_int clReleaseContext(cl_context a)
{
    return CALL(clReleaseContext, a);
}

cl_command_queue clCreateCommandQueue(cl_context a, cl_device_id b, cl_command_queue_properties c,
                                      cl_int *d)
{
    return CALL(clCreateCommandQueue, a, b, c, d);
}

cl_int clReleaseCommandQueue(cl_command_queue a)
{
    return CALL(clReleaseCommandQueue, a);
}

/* The error of TwoSum becomes 0. */
cl_program clCreateProgramWithSource(cl_context a, cl_uint b, const char **source, const size_t *d,
                                     cl_int *e)
{
    static const char sum[] = "(*a - (r - z)) + (*x - z)";
    char *copy = strdup(source[0]);
    char *at = has_fault("two-sum") ? strstr(copy, sum) : NULL;
    if (at) {
        memset(at, ' ', sizeof sum - 1);
        *at = '0';
    }
    const char *changed = copy;
    cl_program made = CALL(clCreateProgramWithSource, a, b, &changed, d, e);
    free(copy);
    return made;
}

cl_int clBuildProgram(cl_program a, cl_uint b, const cl_device_id *c, const char *options,
                      void (*e)(cl_program, void *), void *f)
{
    char more[2048];
    snprintf(more, sizeof more, "%s%s", options,
             has_fault("two-product") ? " -DFUSED(x,y,z)=0.0" : "");
    return CALL(clBuildProgram, a, b, c, more, e, f);
}

cl_int clGetProgramBuildInfo(cl_program a, cl_device_id b, cl_program_build_info c, size_t d,
                             void *e, size_t *f)
{
    return CALL(clGetProgramBuildInfo, a, b, c, d, e, f);
}

cl_int clReleaseProgram(cl_program a)
{
    return CALL(clReleaseProgram, a);
}

cl_kernel clCreateKernel(cl_program a, const char *b, cl_int *c)
{
    return CALL(clCreateKernel, a, b, c);
}

cl_int clGetKernelInfo(cl_kernel a, cl_kernel_info b, size_t c, void *d, size_t *e)
{
    return CALL(clGetKernelInfo, a, b, c, d, e);
}

cl_int clGetKernelWorkGroupInfo(cl_kernel a, cl_device_id b, cl_kernel_work_group_info c, size_t d,
                                void *e, size_t *f)
{
    return CALL(clGetKernelWorkGroupInfo, a, b, c, d, e, f);
}

cl_int clReleaseKernel(cl_kernel a)
{
    return CALL(clReleaseKernel, a);
}

cl_int clSetKernelArg(cl_kernel a, cl_uint b, size_t c, const void *d)
{
    return CALL(clSetKernelArg, a, b, c, d);
}

cl_mem clCreateBuffer(cl_context a, cl_mem_flags b, size_t c, void *d, cl_int *e)
{
    return CALL(clCreateBuffer, a, b, c, d, e);
}

cl_int clReleaseMemObject(cl_mem a)
{
    return CALL(clReleaseMemObject, a);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue a, cl_kernel b, cl_uint c, const size_t *d,
                              const size_t *e, const size_t *f, cl_uint g, const cl_event *h,
                              cl_event *i)
{
    return has_fault("launch") ? CL_OUT_OF_RESOURCES
                               : CALL(clEnqueueNDRangeKernel, a, b, c, d, e, f, g, h, i);
}

cl_int clEnqueueReadBuffer(cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e, void *f,
                           cl_uint g, const cl_event *h, cl_event *i)
{
    return CALL(clEnqueueReadBuffer, a, b, c, d, e, f, g, h, i);
}

cl_int clFinish(cl_command_queue a)
{
    return CALL(clFinish, a);
}
