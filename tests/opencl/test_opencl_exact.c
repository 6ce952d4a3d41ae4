/* Exact sums on an OpenCL device have the canonical accumulators of the CPU. Without a device with
 * doubles the status is 77: skipped. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <accord/accord.h>
#include <accord/opencl.h>

#include "trials.h"

static accord_opencl *device;
static uint64_t state;

static uint64_t draw(void)
{
    state += 0x9e3779b97f4a7c15;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

enum { KINDS = 6, MOST = 300 };

/* Any bits (with NaN and infinities), any finite bits, near each other, huge, tiny, zeros. */
static double draw_f64(unsigned kind)
{
    uint64_t bits = draw();
    static const uint64_t base[KINDS] = {0, 0, 1000, 2040, 0, 0},
                          room[KINDS] = {2048, 2047, 60, 7, 60, 1};
    uint64_t exponent = base[kind] + (bits >> 8) % room[kind];
    uint64_t low = kind == 5 ? 0 : draw() >> 12;
    if (kind == 0 && draw() % 8 == 0)
        low = 0;
    bits = (bits & (uint64_t)1 << 63) | exponent << 52 | low;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float draw_f32(unsigned kind)
{
    static const uint32_t base[KINDS] = {0, 0, 110, 250, 0, 0},
                          room[KINDS] = {256, 255, 40, 5, 30, 1};
    uint32_t bits = (uint32_t)draw(), low = kind == 5 ? 0 : (uint32_t)(draw() >> 41);
    if (kind == 0 && draw() % 8 == 0)
        low = 0;
    bits = (bits & (uint32_t)1 << 31) | (base[kind] + (bits >> 8) % room[kind]) << 23 | low;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void expect(const void *a, const void *b, size_t size, const char *what, size_t n)
{
    if (memcmp(a, b, size) != 0)
        fail_msg("another sum: %s, n = %zu", what, n);
}

static void compare_all(accord_exact_device *e, size_t n, unsigned kind, unsigned other)
{
    double x[MOST] = {0}, y[MOST] = {0};
    float u[MOST] = {0}, v[MOST] = {0};
    accord_exact sum[6] = {0};
    accord_exact_wide wide[2] = {0};
    accord_error error;
    for (size_t i = 0; i < n; i++) {
        x[i] = i % 3 == 2 && draw() % 2 ? -x[i - 1] : draw_f64(kind);
        y[i] = draw_f64(other);
        u[i] = i % 3 == 2 && draw() % 2 ? -u[i - 1] : draw_f32(kind);
        v[i] = draw_f32(other);
    }
    if (accord_exact_device_add_array_f64(e, &sum[0], n, x, &error) ||
        accord_exact_device_add_array_f32(e, &sum[2], n, u, &error) ||
        accord_exact_device_add_products_f32(e, &sum[4], n, u, v, &error) ||
        accord_exact_device_wide_add_products_f64(e, &wide[0], n, x, y, &error))
        fail_msg("%s", error.text);
    accord_exact_add_array_f64(&sum[1], n, x, 1);
    accord_exact_add_array_f32(&sum[3], n, u, 1);
    accord_exact_add_products_f32(&sum[5], n, u, 1, v, 1);
    accord_exact_wide_add_products_f64(&wide[1], n, x, 1, y, 1);
    for (size_t i = 0; i < 6; i++)
        accord_exact_canonical(&sum[i]);
    for (size_t i = 0; i < 2; i++)
        accord_exact_wide_canonical(&wide[i]);
    expect(&sum[0], &sum[1], sizeof sum[0], "sum of f64", n);
    expect(&sum[2], &sum[3], sizeof sum[0], "sum of f32", n);
    expect(&sum[4], &sum[5], sizeof sum[0], "products of f32", n);
    expect(&wide[0], &wide[1], sizeof wide[0], "products of f64", n);
}

static void test_like_the_cpu(void **unused)
{
    (void)unused;
    static const size_t local[] = {1, 7, 64}, groups[] = {1, 3, 2};
    state = trials_seed();
    for (size_t form = 0; form < 3; form++) {
        accord_exact_device *e;
        accord_error error;
        if (accord_opencl_exact_open(device, local[form], groups[form], NULL, &e, &error))
            fail_msg("%s", error.text);
        compare_all(e, 0, 0, 0);
        for (size_t trial = 0; trial < trials(500); trial++) {
            size_t n = draw() % (trial % 4 ? 20 : MOST + 1);
            compare_all(e, n, (unsigned)(draw() % KINDS), (unsigned)(draw() % KINDS));
        }
        accord_exact_device_close(e);
    }
}

/* More terms than one launch takes. */
static void test_several_launches(void **unused)
{
    (void)unused;
    const size_t n = ((size_t)1 << 24) + 5;
    float *x = malloc(n * sizeof *x);
    accord_exact sum[2] = {0};
    accord_exact_device *e;
    accord_error error;
    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = draw_f32(2);
    if (accord_opencl_exact_open(device, 16, 4, NULL, &e, &error) ||
        accord_exact_device_add_array_f32(e, &sum[0], n, x, &error))
        fail_msg("%s", error.text);
    accord_exact_add_array_f32(&sum[1], n, x, 1);
    for (size_t i = 0; i < 2; i++)
        accord_exact_canonical(&sum[i]);
    expect(&sum[0], &sum[1], sizeof sum[0], "long sum of f32", n);
    accord_exact_device_close(e);
    free(x);
}

/* Behind accord/exact_device.h, as whatever opens this library for it finds it. */
static void test_kind(void **unused)
{
    (void)unused;
    const accord_exact_device_kind *kind = accord_opencl_exact_device();
    accord_exact_device *opened = NULL;
    accord_exact sum[2] = {0};
    accord_exact_wide wide[2] = {0};
    double x[MOST], y[MOST];
    accord_error error;
    assert_int_equal(kind->size, sizeof *kind);
    if (kind->open(NULL, &opened, &error))
        fail_msg("%s", error.text);
    assert_string_equal(opened->name, accord_opencl_about_of(device)->name);
    for (size_t i = 0; i < MOST; i++) {
        x[i] = draw_f64(1);
        y[i] = draw_f64(2);
    }
    assert_int_equal(kind->add_array_f64(opened, &sum[0], 0, x, &error), ACCORD_OK);
    assert_memory_equal(&sum[0], &sum[1], sizeof sum[0]);
    if (kind->add_array_f64(opened, &sum[0], MOST, x, &error) ||
        kind->wide_add_products_f64(opened, &wide[0], MOST, x, y, &error))
        fail_msg("%s", error.text);
    accord_exact_add_array_f64(&sum[1], MOST, x, 1);
    accord_exact_wide_add_products_f64(&wide[1], MOST, x, 1, y, 1);
    for (size_t i = 0; i < 2; i++) {
        accord_exact_canonical(&sum[i]);
        accord_exact_wide_canonical(&wide[i]);
    }
    expect(&sum[0], &sum[1], sizeof sum[0], "sum of f64", MOST);
    expect(&wide[0], &wide[1], sizeof wide[0], "products of f64", MOST);
    kind->close(opened);
    assert_int_equal(kind->open("77", &opened, &error), ACCORD_ARG);
}

static void test_refused_options(void **unused)
{
    (void)unused;
    accord_exact_device *e;
    accord_error error;
    assert_int_equal(accord_opencl_exact_open(device, 1, 1, "-cl-fast-relaxed-math", &e, &error),
                     ACCORD_ARG);
    assert_non_null(strstr(error.text, "-cl-fast-relaxed-math"));
    assert_int_equal(accord_opencl_exact_open(device, 0, 1, NULL, &e, &error), ACCORD_ARG);
    /* A device without fused multiply-add, as it were. */
    assert_int_equal(accord_opencl_exact_open(device, 1, 1, "-DFUSED(x,y,z)=0.0", &e, &error),
                     ACCORD_UNSUPPORTED);
    assert_non_null(strstr(error.text, "TwoProduct"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_the_cpu),
        cmocka_unit_test(test_several_launches),
        cmocka_unit_test(test_kind),
        cmocka_unit_test(test_refused_options),
    };
    accord_error error;
    size_t i;
    if (accord_opencl_find(NULL, &i, &error) || accord_opencl_open(i, &device, &error)) {
        printf("1..0 # SKIP %s\n", error.text);
        return 77;
    }
    if (!accord_opencl_about_of(device)->atomics) {
        printf("1..0 # SKIP the OpenCL device has no atomics on 64 bits\n");
        return 77;
    }
    int failed = cmocka_run_group_tests_name("opencl_exact", tests, NULL, NULL);
    accord_opencl_close(device);
    return failed;
}
