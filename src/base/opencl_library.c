/* Opens libaccord_opencl when something in it is asked for: at the path in ACCORD_OPENCL_LIBRARY,
 * beside this program, or where the system looks for libraries. */
#include "base/base.h"
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

enum accord_status accordi_opencl_library(const char *symbol, void **out, accord_error *error)
{
    const char *named = getenv("ACCORD_OPENCL_LIBRARY");
    void *library = NULL;
    if (named && *named) {
        library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            return accordi_fail(error, ACCORD_UNSUPPORTED,
                                "ACCORD_OPENCL_LIBRARY is %.200s, which cannot be opened: %.200s",
                                named, dlerror());
    }
    if (!library)
        library = open_beside("");
    if (!library)
        library = open_beside("src/opencl/"); /* where it is built */
    if (!library)
        library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "there is no %s; build accord where OpenCL's headers are (Debian: "
                            "opencl-headers), set ACCORD_OPENCL_LIBRARY to its path, or choose "
                            "another device",
                            LIBRARY);
    *out = dlsym(library, symbol);
    return *out ? ACCORD_OK
                : accordi_fail(error, ACCORD_UNSUPPORTED,
                               "%s has no %s; install the one of this version", LIBRARY, symbol);
}
