/* Devices: all of all platforms, in OpenCL's order. */
#include "opencl/opencl.h"
#include <strings.h>

enum { PLATFORMS = 32, DEVICES = 64 };

typedef struct listed {
    cl_platform_id platform;
    cl_device_id id;
} listed;

/* The i-th; *count becomes how many there are. */
static listed nth(const accordi_opencl_calls *cl, size_t i, size_t *count)
{
    cl_platform_id platform[PLATFORMS];
    cl_device_id device[DEVICES];
    cl_uint platforms = 0, devices;
    listed found = {0};
    *count = 0;
    if (cl->clGetPlatformIDs(PLATFORMS, platform, &platforms) != CL_SUCCESS)
        return found;
    for (cl_uint p = 0; p < platforms && p < PLATFORMS; p++) {
        if (cl->clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, DEVICES, device, &devices) !=
            CL_SUCCESS)
            continue;
        devices = devices < DEVICES ? devices : DEVICES;
        if (i >= *count && i < *count + devices)
            found = (listed){platform[p], device[i - *count]};
        *count += devices;
    }
    return found;
}

static enum accord_status find(const accordi_opencl_calls *cl, size_t i, listed *out,
                               accord_error *error)
{
    size_t count;
    *out = nth(cl, i, &count);
    if (out->id)
        return ACCORD_OK;
    if (count == 0)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "OpenCL finds no device; install a driver for one (Debian: "
                            "pocl-opencl-icd for CPUs)");
    return accordi_fail(error, ACCORD_ARG, "there are %zu OpenCL devices, and none with number %zu",
                        count, i);
}

/* Texts that are too long for their place are left out by OpenCL; then an empty one stands. */
static void text_of(const accordi_opencl_calls *cl, cl_device_id id, cl_device_info what,
                    char *text, size_t size)
{
    char whole[16384] = "";
    cl->clGetDeviceInfo(id, what, sizeof whole, whole, NULL);
    snprintf(text, size, "%s", whole);
}

static bool has_extension(const accordi_opencl_calls *cl, cl_device_id id, const char *name)
{
    char all[16384] = "";
    size_t length = strlen(name);
    cl->clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, sizeof all, all, NULL);
    for (const char *at = all; (at = strstr(at, name)) != NULL; at += length)
        if ((at == all || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static void describe(const accordi_opencl_calls *cl, listed device, accord_opencl_about *out)
{
    cl_ulong local = 0;
    size_t group = 0;
    *out = (accord_opencl_about){0};
    cl->clGetPlatformInfo(device.platform, CL_PLATFORM_NAME, sizeof out->platform, out->platform,
                          NULL);
    text_of(cl, device.id, CL_DEVICE_NAME, out->name, sizeof out->name);
    text_of(cl, device.id, CL_DEVICE_VERSION, out->version, sizeof out->version);
    text_of(cl, device.id, CL_DRIVER_VERSION, out->driver, sizeof out->driver);
    cl->clGetDeviceInfo(device.id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    cl->clGetDeviceInfo(device.id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    out->doubles = has_extension(cl, device.id, "cl_khr_fp64");
    out->atomics = has_extension(cl, device.id, "cl_khr_int64_base_atomics");
    out->group = group;
    out->local = (size_t)local;
}

enum accord_status accord_opencl_device_at(size_t i, accord_opencl_about *out, accord_error *error)
{
    accordi_opencl_calls cl;
    listed device;
    enum accord_status status = accordi_opencl_load(&cl, error);
    if (!status)
        status = find(&cl, i, &device, error);
    if (!status)
        describe(&cl, device, out);
    return status;
}

/* ---- the one that is meant ---- */

static bool contains(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++)
        if (strncasecmp(text, part, length) == 0)
            return true;
    return false;
}

/* A number that is not too long, and nothing else. */
static bool is_number(const char *which)
{
    size_t digits = strspn(which, "0123456789");
    return digits > 0 && digits < 9 && !which[digits];
}

/* The numbers and names of all devices, as far as they fit. */
static void list_devices(char *text, size_t size)
{
    accord_opencl_about about;
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; length < size && !accord_opencl_device_at(i, &about, NULL); i++)
        length += (size_t)snprintf(text + length, size - length, "%s%zu is %.60s%s", i ? ", " : "",
                                   i, about.name, about.doubles ? "" : " (without doubles)");
}

enum accord_status accord_opencl_find(const char *which, size_t *out, accord_error *error)
{
    accord_opencl_about about;
    accord_error why;
    char all[300];
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; !(status = accord_opencl_device_at(i, &about, &why)); i++) {
        bool meant = !which             ? about.doubles
                     : is_number(which) ? strtoul(which, NULL, 10) == i
                                        : contains(about.name, which);
        if (!meant)
            continue;
        if (about.doubles) {
            *out = i;
            return ACCORD_OK;
        }
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "OpenCL device %zu, %s, has no doubles (cl_khr_fp64); choose another "
                            "device",
                            i, about.name);
    }
    list_devices(all, sizeof all);
    if (status == ACCORD_ARG && which)
        return accordi_fail(error, ACCORD_ARG,
                            "there is no OpenCL device %.40s; name one by its number or a part of "
                            "its name: %s",
                            which, all);
    if (status == ACCORD_ARG)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "no OpenCL device has doubles (cl_khr_fp64): %s; choose another device",
                            all);
    if (error)
        *error = why;
    return status;
}

enum accord_status accord_opencl_open(size_t i, accord_opencl **out, accord_error *error)
{
    listed device;
    cl_int code = CL_SUCCESS;
    accord_opencl *made = accordi_calloc(1, sizeof *made);
    enum accord_status status = made ? accordi_opencl_load(&made->cl, error) : accordi_nomem(error);
    if (!status)
        status = find(&made->cl, i, &device, error);
    if (!status) {
        made->id = device.id;
        describe(&made->cl, device, &made->about);
        made->context = made->cl.clCreateContext(NULL, 1, &made->id, NULL, NULL, &code);
        status = accordi_opencl_status(code, "create a context", error);
    }
    if (!status) {
        made->queue = made->cl.clCreateCommandQueue(made->context, made->id, 0, &code);
        status = accordi_opencl_status(code, "create a queue", error);
    }
    if (status)
        accord_opencl_close(made);
    else
        *out = made;
    return status;
}

const accord_opencl_about *accord_opencl_about_of(const accord_opencl *device)
{
    return &device->about;
}

void accord_opencl_close(accord_opencl *device)
{
    if (!device)
        return;
    if (device->queue)
        device->cl.clReleaseCommandQueue(device->queue);
    if (device->context)
        device->cl.clReleaseContext(device->context);
    free(device);
}
