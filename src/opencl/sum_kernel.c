/* Runs a kernel on the terms of a probe, and adds what it leaves in parts. */
#include "opencl/sum_kernel.h"
#include <errno.h>
#include <math.h>

static size_t number_size(const sum_kernel *k)
{
    return k->f64 ? sizeof(double) : sizeof(float);
}

static double number_at(const sum_kernel *k, const void *base, size_t i)
{
    return k->f64 ? ((const double *)base)[i] : ((const float *)base)[i];
}

static void put_number(const sum_kernel *k, void *base, size_t i, double value)
{
    if (k->f64)
        ((double *)base)[i] = value;
    else
        ((float *)base)[i] = (float)value;
}

static void put(sum_kernel *k, size_t i, double value)
{
    put_number(k, k->x, i, value);
}

/* ---- one run ---- */

/* The n terms at x, or after them the parts that another kernel left. */
typedef struct work {
    accord_opencl_kernel *kernel;
    void *x, *out;
    size_t n, results, global;
} work;

/* Room behind the results, one number for each group, in which a kernel that leaves more of them
 * than was said writes. It is NaN before, as the results are: what the kernel leaves out must not
 * pass for a sum of zero, nor for that of another run. */
static size_t beyond(const sum_kernel *k)
{
    return k->plan.global / k->plan.local;
}

static void clear_results(const sum_kernel *k, const work *w)
{
    for (size_t i = 0; i < w->results + beyond(k); i++)
        put_number(k, w->out, i, (double)NAN);
}

static enum accord_status check_results(const sum_kernel *k, const work *w, accord_error *error)
{
    size_t last = w->results + beyond(k);
    while (last > w->results && isnan(number_at(k, w->out, last - 1)))
        last--;
    return last == w->results
               ? ACCORD_OK
               : accordi_fail(error, ACCORD_TARGET,
                              "a kernel left %zu results or more, not %zu: say how many with "
                              "parts=",
                              last, w->results);
}

static enum accord_status run_kernel(const sum_kernel *k, const work *w, accord_error *error)
{
    accord_opencl_argument argument[ACCORDI_OPENCL_ARGUMENTS];
    size_t size = number_size(k);
    uint32_t n = (uint32_t)w->n;
    uint64_t n_long = w->n;
    const accord_opencl_argument place[] = {
        [ACCORDI_OPENCL_X] = {ACCORD_OPENCL_INPUT, w->x, w->n * size},
        [ACCORDI_OPENCL_ONES] = {ACCORD_OPENCL_INPUT, k->ones, w->n * size},
        [ACCORDI_OPENCL_N] = {ACCORD_OPENCL_VALUE, &n, sizeof n},
        [ACCORDI_OPENCL_N_LONG] = {ACCORD_OPENCL_VALUE, &n_long, sizeof n_long},
        [ACCORDI_OPENCL_OUT] = {ACCORD_OPENCL_BOTH, w->out, (w->results + beyond(k)) * size},
        [ACCORDI_OPENCL_SCRATCH] = {ACCORD_OPENCL_LOCAL, NULL, k->plan.local * size},
    };
    for (size_t i = 0; i < k->plan.arguments; i++)
        argument[i] = place[k->plan.argument[i]];
    clear_results(k, w);
    enum accord_status status =
        accord_opencl_run(w->kernel, argument, k->plan.arguments, w->global, k->plan.local, error);
    return status ? status : check_results(k, w, error);
}

/* The host adds from left to right, in the format of the terms. */
static double add_parts(const sum_kernel *k)
{
    double sum = number_at(k, k->parts, 0);
    for (size_t i = 1; i < k->plan.parts; i++)
        sum = k->f64 ? sum + number_at(k, k->parts, i)
                     : (double)((float)sum + (float)number_at(k, k->parts, i));
    return sum;
}

enum accord_status sum_kernel_ask(sum_kernel *k, double *sum, accord_error *error)
{
    const work first = {k->kernel, k->x, k->parts, k->n, k->plan.parts, k->plan.global};
    const work second = {k->then, k->parts, k->total, k->plan.parts, 1, k->plan.local};
    enum accord_status status = run_kernel(k, &first, error);
    if (status == ACCORD_OK && k->then) {
        status = run_kernel(k, &second, error);
        *sum = number_at(k, k->total, 0);
    } else if (status == ACCORD_OK) {
        *sum = add_parts(k);
    }
    return status;
}

/* ---- products ---- */

/* One product whose lower half is lost when it is rounded, and what is left of it when it is not.
 * The other term is the rounded one with the other sign. */
static enum accord_status ask_pair(sum_kernel *k, size_t i, size_t j, bool *kept,
                                   accord_error *error)
{
    double p = k->f64 ? 1 + 0x1p-27 : 1 + 0x1p-12, sum = 0;
    put(k, i, p);
    put_number(k, k->ones, i, p);
    put(k, j, -(k->f64 ? 1 + 0x1p-26 : 1 + 0x1p-11));
    enum accord_status status = sum_kernel_ask(k, &sum, error);
    *kept = *kept || !(sum == 0);
    put(k, i, 0);
    put_number(k, k->ones, i, 1);
    put(k, j, 0);
    return status;
}

/* Two terms meet in one fused addition in at least one of the pairs with the first or the last
 * term, if the order is that of lanes or a chain. */
static enum accord_status ask_products(sum_kernel *k, const char **out, accord_error *error)
{
    enum { MOST = 200 };
    bool kept = false;
    enum accord_status status = ACCORD_OK;
    if (!accordi_opencl_plan_has(&k->plan, ACCORDI_OPENCL_ONES) || k->n < 2) {
        *out = "no products";
        return ACCORD_OK;
    }
    for (size_t j = 1; j < k->n && j <= MOST && !kept && !status; j++) {
        status = ask_pair(k, j, 0, &kept, error);
        if (!status && !kept)
            status = ask_pair(k, 0, j, &kept, error);
    }
    *out = kept ? "products fused or wide" : "no product seen fused";
    return status;
}

/* ---- life ---- */

static enum accord_status read_source(const char *path, char **out, accord_error *error)
{
    accordi_buffer text = {0};
    size_t got = 1;
    FILE *file = fopen(path, "rb");
    if (!file)
        return accordi_fail(error, ACCORD_TARGET, "cannot read %.200s: %s", path, strerror(errno));
    while (got > 0) {
        char *room = accordi_buffer_reserve(&text, 65536);
        got = room ? fread(room, 1, 65535, file) : 0;
        text.length += got;
        if (room)
            room[got] = '\0';
    }
    bool failed = ferror(file);
    fclose(file);
    if (!failed && !text.failed) {
        *out = text.data;
        return ACCORD_OK;
    }
    accordi_buffer_clear(&text);
    return failed ? accordi_fail(error, ACCORD_TARGET, "cannot read %.200s", path)
                  : accordi_nomem(error);
}

/* accord sweep --build-options sets the variable. */
static enum accord_status add_options(sum_kernel *k, accord_error *error)
{
    const char *more = getenv("ACCORD_OPENCL_OPTIONS");
    size_t used = strlen(k->plan.build), room = sizeof k->plan.build - used;
    if (!more || !*more)
        return ACCORD_OK;
    int length = snprintf(k->plan.build + used, room, "%s%s", used ? " " : "", more);
    return length >= 0 && (size_t)length < room
               ? ACCORD_OK
               : accordi_fail(error, ACCORD_TARGET,
                              "the options of the compiler have more than "
                              "%zu bytes; shorten ACCORD_OPENCL_OPTIONS",
                              sizeof k->plan.build - 1);
}

static enum accord_status build_kernels(sum_kernel *k, accord_error *error)
{
    char *source = NULL;
    size_t device;
    enum accord_status status =
        accord_opencl_find(k->plan.device[0] ? k->plan.device : NULL, &device, error);
    if (!status)
        status = accord_opencl_open(device, &k->device, error);
    if (!status)
        status = read_source(k->plan.file, &source, error);
    if (!status)
        status = accord_opencl_build(k->device, source, k->plan.build, k->plan.kernel, &k->kernel,
                                     error);
    if (!status && k->plan.then[0])
        status =
            accord_opencl_build(k->device, source, k->plan.build, k->plan.then, &k->then, error);
    free(source);
    return status;
}

static bool make_room(sum_kernel *k)
{
    size_t most = k->n > k->plan.parts ? k->n : k->plan.parts;
    k->x = accordi_calloc(k->n, sizeof(double));
    k->ones = accordi_calloc(most, sizeof(double));
    k->parts = accordi_calloc(k->plan.parts + beyond(k), sizeof(double));
    k->total = accordi_calloc(1 + beyond(k), sizeof(double));
    for (size_t i = 0; k->ones && i < most; i++)
        put_number(k, k->ones, i, 1);
    return k->x && k->ones && k->parts && k->total;
}

enum accord_status sum_kernel_open(sum_kernel *k, const char *plan, size_t n, bool f64,
                                   accord_error *error)
{
    const char *products = "";
    double sum; /* of zeros: asked to hear at once if arguments or sizes are wrong */
    *k = (sum_kernel){.n = n, .f64 = f64};
    enum accord_status status = accordi_opencl_plan_read(plan, &k->plan, error);
    if (!status)
        status = add_options(k, error);
    if (!status)
        status = build_kernels(k, error);
    if (!status)
        status = make_room(k) ? sum_kernel_ask(k, &sum, error) : accordi_nomem(error);
    if (!status)
        status = ask_products(k, &products, error);
    if (status) {
        sum_kernel_close(k);
        return status;
    }
    const accord_opencl_about *about = accord_opencl_about_of(k->device);
    snprintf(k->version, sizeof k->version, "%.100s, driver %.40s, options '%.80s'; %s",
             about->name, about->driver, k->plan.build, products);
    return ACCORD_OK;
}

void sum_kernel_close(sum_kernel *k)
{
    accord_opencl_kernel_free(k->kernel);
    accord_opencl_kernel_free(k->then);
    accord_opencl_close(k->device);
    free(k->x);
    free(k->ones);
    free(k->parts);
    free(k->total);
    *k = (sum_kernel){0};
}
