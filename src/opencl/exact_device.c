/* Exact sums on an OpenCL device, as accord/exact_device.h asks for them. */
#include "opencl/opencl.h"

typedef struct state {
    accord_opencl *device;
    accord_opencl_exact *exact;
} state;

static void close_state(void *of)
{
    state *s = of;
    accord_opencl_exact_free(s->exact);
    accord_opencl_close(s->device);
    free(s);
}

/* Any numbers give the same bits. */
static enum accord_status open_exact(state *s, accord_error *error)
{
    enum { LOCAL = 64, GROUPS = 64 };
    size_t most = accord_opencl_about_of(s->device)->group;
    return accord_opencl_exact_open(s->device, most < LOCAL ? most : LOCAL, GROUPS, NULL, &s->exact,
                                    error);
}

static enum accord_status open_state(const char *which, void **out, char name[128],
                                     accord_error *error)
{
    size_t i;
    state *made = accordi_calloc(1, sizeof *made);
    enum accord_status status = made ? accord_opencl_find(which, &i, error) : accordi_nomem(error);
    if (!status)
        status = accord_opencl_open(i, &made->device, error);
    if (!status)
        status = open_exact(made, error);
    if (!status) {
        snprintf(name, 128, "%s", accord_opencl_about_of(made->device)->name);
        *out = made;
    } else if (made) {
        close_state(made);
    }
    return status;
}

static enum accord_status add_f64(void *of, accord_exact *sum, size_t n, const double *x,
                                  accord_error *error)
{
    return accord_opencl_exact_add_array_f64(((state *)of)->exact, sum, n, x, error);
}

static enum accord_status add_f32(void *of, accord_exact *sum, size_t n, const float *x,
                                  accord_error *error)
{
    return accord_opencl_exact_add_array_f32(((state *)of)->exact, sum, n, x, error);
}

static enum accord_status add_products_f64(void *of, accord_exact_wide *sum, size_t n,
                                           const double *x, const double *y, accord_error *error)
{
    return accord_opencl_exact_wide_add_products_f64(((state *)of)->exact, sum, n, x, y, error);
}

static enum accord_status add_products_f32(void *of, accord_exact *sum, size_t n, const float *x,
                                           const float *y, accord_error *error)
{
    return accord_opencl_exact_add_products_f32(((state *)of)->exact, sum, n, x, y, error);
}

const accord_exact_device_kind *accord_opencl_exact_device(void)
{
    static const accord_exact_device_kind kind = {.size = sizeof kind,
                                                  .open = open_state,
                                                  .close = close_state,
                                                  .add_array_f64 = add_f64,
                                                  .add_array_f32 = add_f32,
                                                  .wide_add_products_f64 = add_products_f64,
                                                  .add_products_f32 = add_products_f32};
    return &kind;
}
