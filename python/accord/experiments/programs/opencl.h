/* Runs a kernel on the first OpenCL device, for programs that `accord sweep --program` builds with
 * ACCORD_OPENCL defined: as the options of OpenCL's compiler.
 *
 * The source of the kernel is FILE.cl beside FILE.c, which FILE.c includes as C. */
#ifndef OPENCL_H
#define OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void opencl_need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "OpenCL: %s\n", what);
    exit(1);
}

/* The text of a .cl file; `path` is that of the .c file. */
static char *opencl_source(const char *path)
{
    char name[4096];
    size_t length = strlen(path) - 1; /* but for the c */
    char *text = NULL;
    opencl_need(length + 3 < sizeof name, "the path of the kernel is too long");
    memcpy(name, path, length);
    memcpy(name + length, "cl", 3);
    FILE *file = fopen(name, "r");
    opencl_need(file && fseek(file, 0, SEEK_END) == 0, "the kernel's file cannot be read");
    long size = ftell(file);
    opencl_need(size >= 0 && (text = calloc((size_t)size + 1, 1)), "out of memory");
    rewind(file);
    opencl_need(fread(text, 1, (size_t)size, file) == (size_t)size,
                "the kernel's file cannot be read");
    fclose(file);
    return text;
}

typedef struct opencl_device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
} opencl_device;

static opencl_device opencl_open(const char *path, const char *kernel)
{
    cl_platform_id platform;
    opencl_device d = {0};
    char *text = opencl_source(path);
    const char *texts[] = {text};
    opencl_need(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS &&
                    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &d.id, NULL) == CL_SUCCESS,
                "there is no device");
    d.context = clCreateContext(NULL, 1, &d.id, NULL, NULL, NULL);
    d.queue = clCreateCommandQueue(d.context, d.id, 0, NULL);
    cl_program program = clCreateProgramWithSource(d.context, 1, texts, NULL, NULL);
    opencl_need(d.queue && program &&
                    clBuildProgram(program, 1, &d.id, ACCORD_OPENCL, NULL, NULL) == CL_SUCCESS,
                "the kernel does not compile with " ACCORD_OPENCL);
    d.kernel = clCreateKernel(program, kernel, NULL);
    opencl_need(d.kernel != NULL, "there is no such kernel");
    free(text);
    return d;
}

/* A buffer that holds these bytes, or room for them. */
static cl_mem opencl_buffer(const opencl_device *d, const void *data, size_t bytes)
{
    cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem buffer = clCreateBuffer(d->context, flags, bytes, (void *)data, NULL);
    opencl_need(buffer != NULL, "no memory on the device");
    return buffer;
}

static void opencl_argument(const opencl_device *d, unsigned i, const void *value, size_t bytes)
{
    opencl_need(clSetKernelArg(d->kernel, i, bytes, value) == CL_SUCCESS, "wrong arguments");
}

static void opencl_run(const opencl_device *d, size_t items)
{
    opencl_need(clEnqueueNDRangeKernel(d->queue, d->kernel, 1, NULL, &items, NULL, 0, NULL, NULL) ==
                        CL_SUCCESS &&
                    clFinish(d->queue) == CL_SUCCESS,
                "the kernel fails");
}

static void opencl_read(const opencl_device *d, cl_mem buffer, void *data, size_t bytes)
{
    opencl_need(clEnqueueReadBuffer(d->queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL) ==
                    CL_SUCCESS,
                "results cannot be read");
}

#endif
