/* Shared by the files of the OpenCL library. Internal. */
#ifndef ACCORDI_OPENCL_H
#define ACCORDI_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include "base/base.h"
#include <CL/cl.h>
#include <accord/opencl.h>

/* What is used of libOpenCL. */
#define ACCORDI_OPENCL_FUNCTIONS(F)                                                                \
    F(clGetPlatformIDs)                                                                            \
    F(clGetPlatformInfo)                                                                           \
    F(clGetDeviceIDs)                                                                              \
    F(clGetDeviceInfo)                                                                             \
    F(clCreateContext)                                                                             \
    F(clReleaseContext)                                                                            \
    F(clCreateCommandQueue)                                                                        \
    F(clReleaseCommandQueue)                                                                       \
    F(clCreateProgramWithSource)                                                                   \
    F(clBuildProgram)                                                                              \
    F(clGetProgramBuildInfo)                                                                       \
    F(clReleaseProgram)                                                                            \
    F(clCreateKernel)                                                                              \
    F(clGetKernelInfo)                                                                             \
    F(clGetKernelWorkGroupInfo)                                                                    \
    F(clReleaseKernel)                                                                             \
    F(clSetKernelArg)                                                                              \
    F(clCreateBuffer)                                                                              \
    F(clReleaseMemObject)                                                                          \
    F(clEnqueueNDRangeKernel)                                                                      \
    F(clEnqueueReadBuffer)                                                                         \
    F(clFinish)

typedef struct accordi_opencl_calls {
#define MEMBER(name) __typeof__(name) *name;
    ACCORDI_OPENCL_FUNCTIONS(MEMBER)
#undef MEMBER
} accordi_opencl_calls;

/* Opens libOpenCL, which stays open: implementations have threads that do not end before. */
enum accord_status accordi_opencl_load(accordi_opencl_calls *out, accord_error *error);
/* ACCORD_OK for CL_SUCCESS; else the error, with what was being done and its name. */
enum accord_status accordi_opencl_status(cl_int code, const char *what, accord_error *error);

struct accord_opencl {
    accordi_opencl_calls cl;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    accord_opencl_about about;
};
struct accord_opencl_kernel {
    accord_opencl *device;
    cl_program program;
    cl_kernel kernel;
};

#endif
