/* libOpenCL, and its error codes in words. */
#include "opencl/opencl.h"
#include <dlfcn.h>

enum accord_status accordi_opencl_load(accordi_opencl_calls *out, accord_error *error)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "there is no libOpenCL.so.1; install an OpenCL implementation (Debian: "
                            "ocl-icd-libopencl1, and pocl-opencl-icd for CPUs)");
    const char *missing = NULL;
    void *symbol;
#define LOAD(name)                                                                                 \
    symbol = dlsym(library, #name);                                                                \
    memcpy(&out->name, &symbol, sizeof symbol);                                                    \
    missing = symbol ? missing : #name;
    ACCORDI_OPENCL_FUNCTIONS(LOAD)
#undef LOAD
    if (!missing)
        return ACCORD_OK;
    dlclose(library);
    return accordi_fail(error, ACCORD_UNSUPPORTED,
                        "libOpenCL.so.1 has no %s; install one of OpenCL 1.2 or later", missing);
}

static const struct {
    cl_int code;
    const char *name;
} codes[] = {
#define CODE(name)                                                                                 \
    {                                                                                              \
        name, #name                                                                                \
    }
    CODE(CL_DEVICE_NOT_FOUND),       CODE(CL_DEVICE_NOT_AVAILABLE),
    CODE(CL_COMPILER_NOT_AVAILABLE), CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    CODE(CL_OUT_OF_RESOURCES),       CODE(CL_OUT_OF_HOST_MEMORY),
    CODE(CL_BUILD_PROGRAM_FAILURE),  CODE(CL_INVALID_VALUE),
    CODE(CL_INVALID_BUFFER_SIZE),    CODE(CL_INVALID_BUILD_OPTIONS),
    CODE(CL_INVALID_KERNEL_NAME),    CODE(CL_INVALID_ARG_INDEX),
    CODE(CL_INVALID_ARG_VALUE),      CODE(CL_INVALID_ARG_SIZE),
    CODE(CL_INVALID_KERNEL_ARGS),    CODE(CL_INVALID_WORK_GROUP_SIZE),
    CODE(CL_INVALID_WORK_ITEM_SIZE),
#undef CODE
};

enum accord_status accordi_opencl_status(cl_int code, const char *what, accord_error *error)
{
    const char *name = "an error";
    if (code == CL_SUCCESS)
        return ACCORD_OK;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].code == code)
            name = codes[i].name;
    if (code == CL_OUT_OF_HOST_MEMORY)
        return accordi_nomem(error);
    return accordi_fail(error, ACCORD_TARGET, "OpenCL reports %s (%d) when it has to %s", name,
                        (int)code, what);
}
