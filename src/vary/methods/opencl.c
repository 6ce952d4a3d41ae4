/* Methods on OpenCL devices. The kernels are in libaccord_opencl, which is opened when they are
 * asked for: beside this program, or where the system looks for libraries. */
#include "vary/methods/methods.h"
#include <dlfcn.h>
#include <unistd.h>

#define LIBRARY "libaccord_opencl.so.1"

static void *open_beside(const char *folder)
{
    char path[4096 + 64];
    ssize_t length = readlink("/proc/self/exe", path, 4096);
    if (length < 0)
        return NULL;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        return NULL;
    snprintf(slash + 1, 64, "%s%s", folder, LIBRARY);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* NULL after an error. The library stays open, as OpenCL does. */
static const accord_method_device *load(accord_error *error)
{
    const accord_method_device *(*methods)(void);
    void *library = open_beside(""), *symbol;
    if (!library)
        library = open_beside("src/opencl/"); /* where it is built */
    if (!library)
        library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        accordi_fail(error, ACCORD_UNSUPPORTED,
                     "there is no %s; build accord where OpenCL's headers are (Debian: "
                     "opencl-headers), or choose another device",
                     LIBRARY);
        return NULL;
    }
    symbol = dlsym(library, "accord_opencl_methods");
    if (!symbol) {
        accordi_fail(error, ACCORD_UNSUPPORTED,
                     "%s has no accord_opencl_methods; install the one of this version", LIBRARY);
        return NULL;
    }
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
