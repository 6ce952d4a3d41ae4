/* Kernels: built from source, run, and their memory given back. */
#include "opencl/opencl.h"

/* The beginning of the compiler's log, on one line. */
static enum accord_status refuse_build(const accord_opencl_kernel *kernel, accord_error *error)
{
    const accord_opencl *device = kernel->device;
    size_t size = 0;
    device->cl.clGetProgramBuildInfo(kernel->program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL,
                                     &size);
    char *log = accordi_calloc(size + 1, 1);
    if (!log)
        return accordi_nomem(error);
    device->cl.clGetProgramBuildInfo(kernel->program, device->id, CL_PROGRAM_BUILD_LOG, size, log,
                                     NULL);
    for (char *c = log; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    accordi_fail(error, ACCORD_PARSE, "%.100s cannot build the source: %.280s", device->about.name,
                 log[0] ? log : "it gives no reason");
    free(log);
    return ACCORD_PARSE;
}

enum accord_status accord_opencl_build(accord_opencl *device, const char *source,
                                       const char *options, const char *name,
                                       accord_opencl_kernel **out, accord_error *error)
{
    cl_int code;
    accord_opencl_kernel *made = accordi_calloc(1, sizeof *made);
    if (!made)
        return accordi_nomem(error);
    made->device = device;
    made->program = device->cl.clCreateProgramWithSource(device->context, 1, &source, NULL, &code);
    enum accord_status status = accordi_opencl_status(code, "take a source", error);
    if (!status) {
        code = device->cl.clBuildProgram(made->program, 1, &device->id, options ? options : "",
                                         NULL, NULL);
        status = code == CL_BUILD_PROGRAM_FAILURE
                     ? refuse_build(made, error)
                     : accordi_opencl_status(code, "build a source", error);
    }
    if (!status) {
        made->kernel = device->cl.clCreateKernel(made->program, name, &code);
        status =
            code == CL_INVALID_KERNEL_NAME
                ? accordi_fail(error, ACCORD_PARSE, "the source contains no kernel %.100s", name)
                : accordi_opencl_status(code, "take a kernel", error);
    }
    if (status)
        accord_opencl_kernel_free(made);
    else
        *out = made;
    return status;
}

void accord_opencl_kernel_free(accord_opencl_kernel *kernel)
{
    if (!kernel)
        return;
    if (kernel->kernel)
        kernel->device->cl.clReleaseKernel(kernel->kernel);
    if (kernel->program)
        kernel->device->cl.clReleaseProgram(kernel->program);
    free(kernel);
}

static cl_uint directions(const accord_opencl_range *range)
{
    cl_uint count = 1;
    while (count < 3 && range->global[count])
        count++;
    return count;
}

static enum accord_status check_range(const accord_opencl_kernel *kernel,
                                      const accord_opencl_range *range, accord_error *error)
{
    const accord_opencl *device = kernel->device;
    size_t most = device->about.group, items = 1;
    device->cl.clGetKernelWorkGroupInfo(kernel->kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                        sizeof most, &most, NULL);
    for (cl_uint i = 0; i < directions(range); i++) {
        size_t global = range->global[i], local = range->local[i];
        if (local == 0 || global == 0 || global % local != 0)
            return accordi_fail(error, ACCORD_ARG,
                                "%zu work-items cannot be divided into groups of %zu", global,
                                local);
        if (local > most / items)
            return accordi_fail(error, ACCORD_ARG,
                                "%.100s runs this kernel in groups of at most %zu work-items, not "
                                "%zu",
                                device->about.name, most, items * local);
        items *= local;
    }
    return ACCORD_OK;
}

static enum accord_status check_arguments(const accord_opencl_kernel *kernel, size_t arguments,
                                          accord_error *error)
{
    cl_uint wanted = 0;
    kernel->device->cl.clGetKernelInfo(kernel->kernel, CL_KERNEL_NUM_ARGS, sizeof wanted, &wanted,
                                       NULL);
    return arguments == wanted
               ? ACCORD_OK
               : accordi_fail(error, ACCORD_ARG, "the kernel takes %u arguments, not %zu", wanted,
                              arguments);
}

static enum accord_status put_argument(const accord_opencl_kernel *kernel, cl_uint i,
                                       const accord_opencl_argument *argument, cl_mem *buffer,
                                       accord_error *error)
{
    static const cl_mem_flags flags[] = {
        [ACCORD_OPENCL_INPUT] = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
        [ACCORD_OPENCL_OUTPUT] = CL_MEM_READ_WRITE,
        [ACCORD_OPENCL_BOTH] = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
    };
    const accord_opencl *device = kernel->device;
    char what[80], size[40];
    snprintf(size, sizeof size, "a value of %zu bytes", argument->bytes);
    snprintf(what, sizeof what, "set argument %u to %s", (unsigned)i + 1,
             argument->role == ACCORD_OPENCL_VALUE   ? size
             : argument->role == ACCORD_OPENCL_LOCAL ? "local memory"
                                                     : "a buffer");
    if (argument->role == ACCORD_OPENCL_LOCAL || argument->role == ACCORD_OPENCL_VALUE)
        return accordi_opencl_status(
            device->cl.clSetKernelArg(kernel->kernel, i, argument->bytes, argument->data), what,
            error);
    cl_int code;
    bool copies = flags[argument->role] & CL_MEM_COPY_HOST_PTR;
    *buffer = device->cl.clCreateBuffer(device->context, flags[argument->role], argument->bytes,
                                        copies ? argument->data : NULL, &code);
    enum accord_status status = accordi_opencl_status(code, "allocate a buffer", error);
    if (!status)
        status = accordi_opencl_status(
            device->cl.clSetKernelArg(kernel->kernel, i, sizeof *buffer, buffer), what, error);
    return status;
}

static enum accord_status run_and_read(const accord_opencl_kernel *kernel,
                                       const accord_opencl_argument *argument, const cl_mem *buffer,
                                       size_t arguments, const accord_opencl_range *range,
                                       accord_error *error)
{
    const accord_opencl *device = kernel->device;
    cl_int code =
        device->cl.clEnqueueNDRangeKernel(device->queue, kernel->kernel, directions(range), NULL,
                                          range->global, range->local, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = device->cl.clFinish(device->queue);
    enum accord_status status = accordi_opencl_status(code, "run a kernel", error);
    for (size_t i = 0; i < arguments && !status; i++)
        if (argument[i].role == ACCORD_OPENCL_OUTPUT || argument[i].role == ACCORD_OPENCL_BOTH)
            status = accordi_opencl_status(
                device->cl.clEnqueueReadBuffer(device->queue, buffer[i], CL_TRUE, 0,
                                               argument[i].bytes, argument[i].data, 0, NULL, NULL),
                "read a buffer", error);
    return status;
}

enum accord_status accord_opencl_run(accord_opencl_kernel *kernel,
                                     const accord_opencl_argument *argument, size_t arguments,
                                     const accord_opencl_range *range, accord_error *error)
{
    enum accord_status status = check_arguments(kernel, arguments, error);
    if (!status)
        status = check_range(kernel, range, error);
    if (status)
        return status;
    cl_mem *buffer = accordi_calloc(arguments ? arguments : 1, sizeof *buffer);
    if (!buffer)
        return accordi_nomem(error);
    for (size_t i = 0; i < arguments && !status; i++)
        status = put_argument(kernel, (cl_uint)i, &argument[i], &buffer[i], error);
    if (!status)
        status = run_and_read(kernel, argument, buffer, arguments, range, error);
    for (size_t i = 0; i < arguments; i++)
        if (buffer[i])
            kernel->device->cl.clReleaseMemObject(buffer[i]);
    free(buffer);
    return status;
}
