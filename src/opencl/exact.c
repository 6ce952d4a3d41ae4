/* Exact sums on devices: exact.cl makes a superaccumulator per work-group, whose words are added
 * here, on the host. */
#include "opencl/exact_cl.h"
#include "opencl/opencl.h"
#include <accord/exact.h>
#include <math.h>

enum mode { SUM_F64, SUM_F32, PRODUCTS_F64, PRODUCTS_F32, MODES };
enum { SPECIALS = 5, LAUNCH = 1 << 24, MOST_WORDS = ACCORD_EXACT_WIDE_LIMBS + SPECIALS };

typedef struct exact {
    accord_exact_device base;
    accord_opencl *device;
    bool owns_device;
    accord_opencl_kernel *kernel[MODES];
    char build[512];
    size_t local, groups;
    int64_t *words; /* of all groups */
} exact;

static size_t limbs_of(enum mode mode)
{
    return mode == PRODUCTS_F64 ? ACCORD_EXACT_WIDE_LIMBS : ACCORD_EXACT_LIMBS;
}

/* ---- what is asked of the device and of the compiler ---- */

static enum accord_status check_build(const char *build, accord_error *error)
{
    static const char *const unsafe[] = {"-cl-fast-relaxed-math",
                                         "-cl-unsafe-math-optimizations",
                                         "-cl-finite-math-only",
                                         "-cl-mad-enable",
                                         "-cl-no-signed-zeros",
                                         "-cl-denorms-are-zero",
                                         "-ffast-math"};
    for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++)
        if (strstr(build, unsafe[i]))
            return accordi_fail(error, ACCORD_ARG,
                                "%s lets the compiler change exact transformations; leave it out",
                                unsafe[i]);
    return strlen(build) < 400
               ? ACCORD_OK
               : accordi_fail(error, ACCORD_ARG, "options of the compiler have at most 399 bytes");
}

static enum accord_status check_device(const accord_opencl_about *about, accord_error *error)
{
    if (about->doubles && about->atomics && about->local >= MOST_WORDS * sizeof(int64_t))
        return ACCORD_OK;
    return accordi_fail(error, ACCORD_UNSUPPORTED,
                        "%.100s lacks %s, which exact sums take; choose another device",
                        about->name,
                        !about->doubles   ? "doubles (cl_khr_fp64)"
                        : !about->atomics ? "atomics on 64 bits (cl_khr_int64_base_atomics)"
                                          : "local memory");
}

static enum accord_status build(exact *e, enum mode mode, const char *name,
                                accord_opencl_kernel **out, accord_error *error)
{
    char options[600];
    snprintf(options, sizeof options, "%s -DMODE=%d -DLIMBS=%zu -DUNIT=%d", e->build, (int)mode,
             limbs_of(mode), mode == PRODUCTS_F64 ? 2148 : 1074);
    return accord_opencl_build(e->device, exact_cl, options, name, out, error);
}

/* Pairs whose sums and products lose something: bits at either end, a tie, all but the last bit, a
 * cancellation, subnormal numbers. */
static enum accord_status test_transforms(exact *e, accord_error *error)
{
    double x[] = {1,
                  0x1p-60,
                  1,
                  0x1.8p-53,
                  0x1.fffffffffffffp0,
                  0x1p-53,
                  0x1p-60,
                  -1,
                  3,
                  -0x1.7fffffffffffdp1,
                  0x1p-1074,
                  0x1p-1022,
                  0x1.1p-1030,
                  -0x1p-1074,
                  0x1.0000001p0,
                  0x1.0000001p0,
                  0x1.123456789abcdp500,
                  0x1.fedcba9876543p300};
    enum { PAIRS = sizeof x / sizeof x[0] / 2 };
    double got[4 * PAIRS];
    accord_opencl_kernel *kernel;
    const accord_opencl_argument argument[] = {{ACCORD_OPENCL_INPUT, x, sizeof x},
                                               {ACCORD_OPENCL_OUTPUT, got, sizeof got}};
    enum accord_status status = build(e, SUM_F64, "transform", &kernel, error);
    if (status)
        return status;
    const accord_opencl_range range = {.global = {PAIRS}, .local = {1}};
    status = accord_opencl_run(kernel, argument, 2, &range, error);
    for (size_t i = 0; i < PAIRS && !status; i++) {
        double a = x[2 * i], b = x[2 * i + 1], r = a + b, z = r - a, p = a * b;
        double wanted[4] = {r, (a - (r - z)) + (b - z), p, fma(a, b, -p)};
        for (size_t k = 0; k < 4 && !status; k++)
            if (got[4 * i + k] != wanted[k])
                status =
                    accordi_fail(error, ACCORD_UNSUPPORTED,
                                 "%.100s computes %s of %a and %a as %a, not %a: exact sums "
                                 "are not possible with this device and these options",
                                 accord_opencl_about_of(e->device)->name,
                                 k < 2 ? "TwoSum" : "TwoProduct", a, b, got[4 * i + k], wanted[k]);
    }
    accord_opencl_kernel_free(kernel);
    return status;
}

/* ---- one launch ---- */

/* limb[] and count[] become the sum of those of all groups. */
static enum accord_status launch(exact *e, enum mode mode, uint32_t n, const void *x, const void *y,
                                 int64_t *limb, int64_t *count, accord_error *error)
{
    size_t size = mode == SUM_F32 || mode == PRODUCTS_F32 ? sizeof(float) : sizeof(double);
    size_t limbs = limbs_of(mode), words = limbs + SPECIALS;
    const accord_opencl_argument argument[] = {
        {ACCORD_OPENCL_INPUT, (void *)(uintptr_t)x, n * size},
        {ACCORD_OPENCL_INPUT, (void *)(uintptr_t)y, n * size},
        {ACCORD_OPENCL_VALUE, &n, sizeof n},
        {ACCORD_OPENCL_LOCAL, NULL, words * sizeof(int64_t)},
        {ACCORD_OPENCL_OUTPUT, e->words, e->groups * words * sizeof(int64_t)}};
    const accord_opencl_range range = {.global = {e->groups * e->local}, .local = {e->local}};
    enum accord_status status =
        e->kernel[mode] ? ACCORD_OK : build(e, mode, "accumulate", &e->kernel[mode], error);
    if (!status)
        status = accord_opencl_run(e->kernel[mode], argument, 5, &range, error);
    for (size_t g = 0; g < e->groups && !status; g++) {
        for (size_t i = 0; i < limbs; i++)
            limb[i] += e->words[g * words + i];
        for (size_t i = 0; i < SPECIALS; i++)
            count[1 + i] += e->words[g * words + limbs + i];
    }
    count[ACCORD_EXACT_TERMS] = n;
    return status;
}

_Static_assert(ACCORD_EXACT_NANS == 1 && ACCORD_EXACT_PLUS_INFINITIES == 2 &&
                   ACCORD_EXACT_MINUS_INFINITIES == 3 && ACCORD_EXACT_PLUS_ZEROS == 4 &&
                   ACCORD_EXACT_MINUS_ZEROS == 5,
               "exact.cl counts in the same order");

static uint32_t piece(size_t left)
{
    return (uint32_t)(left < LAUNCH ? left : LAUNCH);
}

/* A failure leaves *sum as it was. */
static enum accord_status add_narrow(exact *e, enum mode mode, accord_exact *sum, size_t n,
                                     const void *x, const void *y, size_t size, accord_error *error)
{
    accord_exact all = *sum;
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; i < n && !status; i += LAUNCH) {
        accord_exact part = {0};
        status = launch(e, mode, piece(n - i), (const char *)x + i * size,
                        (const char *)y + i * size, part.limb, part.count, error);
        accord_exact_canonical(&part);
        if (!status)
            status = accord_exact_add(&all, &part, error);
    }
    if (!status)
        *sum = all;
    return status;
}

static enum accord_status add_array_f64(accord_exact_device *of, accord_exact *sum, size_t n,
                                        const double *x, accord_error *error)
{
    return add_narrow((exact *)of, SUM_F64, sum, n, x, x, sizeof *x, error);
}

static enum accord_status add_array_f32(accord_exact_device *of, accord_exact *sum, size_t n,
                                        const float *x, accord_error *error)
{
    return add_narrow((exact *)of, SUM_F32, sum, n, x, x, sizeof *x, error);
}

static enum accord_status add_products_f32(accord_exact_device *of, accord_exact *sum, size_t n,
                                           const float *x, const float *y, accord_error *error)
{
    return add_narrow((exact *)of, PRODUCTS_F32, sum, n, x, y, sizeof *x, error);
}

static enum accord_status add_products_f64(accord_exact_device *of, accord_exact_wide *sum,
                                           size_t n, const double *x, const double *y,
                                           accord_error *error)
{
    exact *e = (exact *)of;
    accord_exact_wide all = *sum;
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; i < n && !status; i += LAUNCH) {
        accord_exact_wide part = {0};
        status = launch(e, PRODUCTS_F64, piece(n - i), x + i, y + i, part.limb, part.count, error);
        accord_exact_wide_canonical(&part);
        if (!status)
            status = accord_exact_wide_add(&all, &part, error);
    }
    if (!status)
        *sum = all;
    return status;
}

/* ---- devices ---- */

static void close_exact(accord_exact_device *of)
{
    exact *e = (exact *)of;
    for (size_t i = 0; i < MODES; i++)
        accord_opencl_kernel_free(e->kernel[i]);
    if (e->owns_device)
        accord_opencl_close(e->device);
    free(e->words);
    free(e);
}

enum accord_status accord_opencl_exact_open(accord_opencl *device, size_t local, size_t groups,
                                            const char *options, accord_exact_device **out,
                                            accord_error *error)
{
    options = options ? options : "";
    if (local == 0 || groups == 0 || groups > 65536)
        return accordi_fail(error, ACCORD_ARG,
                            "exact sums need 1 to 65536 groups of at least one "
                            "work-item");
    enum accord_status status = check_build(options, error);
    if (!status)
        status = check_device(accord_opencl_about_of(device), error);
    if (status)
        return status;
    exact *made = accordi_calloc(1, sizeof *made);
    if (!made)
        return accordi_nomem(error);
    *made = (exact){.base.kind = accord_opencl_exact_device(),
                    .device = device,
                    .local = local,
                    .groups = groups};
    snprintf(made->base.name, sizeof made->base.name, "%s", accord_opencl_about_of(device)->name);
    snprintf(made->build, sizeof made->build, "%s", options);
    made->words = accordi_calloc(groups * MOST_WORDS, sizeof *made->words);
    status = made->words ? test_transforms(made, error) : accordi_nomem(error);
    if (status)
        close_exact(&made->base);
    else
        *out = &made->base;
    return status;
}

/* Any numbers of groups and work-items give the same bits. */
static enum accord_status open_own(const char *which, accord_exact_device **out,
                                   accord_error *error)
{
    enum { LOCAL = 64, GROUPS = 64 };
    size_t i;
    accord_opencl *device = NULL;
    enum accord_status status = accord_opencl_find(which, &i, error);
    if (!status)
        status = accord_opencl_open(i, &device, error);
    if (status)
        return status;
    size_t most = accord_opencl_about_of(device)->group;
    status =
        accord_opencl_exact_open(device, most < LOCAL ? most : LOCAL, GROUPS, NULL, out, error);
    if (status)
        accord_opencl_close(device);
    else
        ((exact *)*out)->owns_device = true;
    return status;
}

const accord_exact_device_kind *accord_opencl_exact_device(void)
{
    static const accord_exact_device_kind kind = {.size = sizeof kind,
                                                  .open = open_own,
                                                  .close = close_exact,
                                                  .add_array_f64 = add_array_f64,
                                                  .add_array_f32 = add_array_f32,
                                                  .wide_add_products_f64 = add_products_f64,
                                                  .add_products_f32 = add_products_f32};
    return &kind;
}
