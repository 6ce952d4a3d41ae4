/* Kernels of an OpenCL device. Without a device with doubles the status is 77: skipped. */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <accord/accord.h>
#include <accord/opencl.h>

#include "trials.h"

static accord_opencl *device;

/* The sum of x[0..n-1] in order; and, on purpose, what a device may fuse. */
static const char source[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "__kernel void sum(__global const double *x, uint n, __global double *out)\n"
    "{ double s = 0; for (uint i = 0; i < n; i++) s += x[i] * x[i]; *out = s; }\n";

static void test_sum(void **state)
{
    (void)state;
    enum { N = 1000 };
    double x[N], sum = 0, out = 0;
    uint32_t n = N;
    accord_opencl_kernel *kernel;
    accord_error error;
    for (int i = 0; i < N; i++) {
        x[i] = 1. / (i + 3);
        sum += x[i] * x[i];
    }
    const accord_opencl_argument argument[] = {{ACCORD_OPENCL_INPUT, x, sizeof x},
                                               {ACCORD_OPENCL_VALUE, &n, sizeof n},
                                               {ACCORD_OPENCL_OUTPUT, &out, sizeof out}};
    const accord_opencl_range one = {{1}, {1}}, odd = {{4, 3}, {2, 2}},
                              large = {{1 << 20, 1 << 20}, {1 << 20, 1 << 20}};
    if (accord_opencl_build(device, source, NULL, "sum", &kernel, &error))
        fail_msg("%s", error.text);
    if (accord_opencl_run(kernel, argument, 3, &one, &error))
        fail_msg("%s", error.text);
    assert_memory_equal(&out, &sum, sizeof sum);

    assert_int_equal(accord_opencl_run(kernel, argument, 2, &one, &error), ACCORD_ARG);
    assert_non_null(strstr(error.text, "takes 3 arguments, not 2"));
    assert_int_equal(accord_opencl_run(kernel, argument, 3, &odd, &error), ACCORD_ARG);
    assert_non_null(strstr(error.text, "groups of 2"));
    assert_int_equal(accord_opencl_run(kernel, argument, 3, &large, &error), ACCORD_ARG);
    assert_non_null(strstr(error.text, "at most"));
    accord_opencl_kernel_free(kernel);
}

static void test_refused(void **state)
{
    (void)state;
    accord_opencl_kernel *kernel;
    accord_opencl_about about;
    accord_error error;
    assert_int_equal(accord_opencl_build(device, source, "", "odd", &kernel, &error), ACCORD_PARSE);
    assert_non_null(strstr(error.text, "no kernel odd"));
    assert_int_equal(
        accord_opencl_build(device, "__kernel void f() { nonsense; }", "", "f", &kernel, &error),
        ACCORD_PARSE);
    assert_non_null(strstr(error.text, "nonsense"));
    assert_int_equal(accord_opencl_device_at(100000, &about, &error), ACCORD_ARG);
}

/* By number, and by what is written in its name. */
static void test_find(void **state)
{
    (void)state;
    accord_error error;
    accord_opencl_about about;
    char name[sizeof about.name];
    size_t first = 99, found = 99;
    assert_int_equal(accord_opencl_find(NULL, &first, &error), ACCORD_OK);
    assert_int_equal(accord_opencl_device_at(first, &about, &error), ACCORD_OK);
    assert_true(about.doubles);
    snprintf(name, sizeof name, "%zu", first);
    assert_int_equal(accord_opencl_find(name, &found, &error), ACCORD_OK);
    assert_int_equal(found, first);
    for (size_t i = 0; i < sizeof name; i++)
        name[i] = (char)toupper((unsigned char)about.name[i]);
    assert_int_equal(accord_opencl_find(name, &found, &error), ACCORD_OK);
    assert_int_equal(accord_opencl_find("1234567", &found, &error), ACCORD_ARG);
    assert_non_null(strstr(error.text, "0 is "));
    assert_int_equal(accord_opencl_find("no such name", &found, &error), ACCORD_ARG);
}

static bool parts_are_once(const uint32_t *arrival, size_t parts)
{
    bool once = true;
    char *seen = calloc(parts, 1);
    for (size_t i = 0; i < parts; i++)
        once = once && arrival[i] < parts && !seen[arrival[i]]++;
    free(seen);
    return once;
}

/* One method: deterministic ones have the bits of their description; atomic ones are one of its
 * sums. */
static void try_method(const accord_method *method, size_t n, uint32_t block, uint32_t grid,
                       const double *x)
{
    enum { RUNS = 2 };
    const accord_reduction reduction = {
        .size = sizeof reduction, .method = method, .n = n, .block = block, .grid = grid};
    const accord_sampling sampling = {.size = sizeof sampling, .samples = RUNS};
    const accord_method_device *methods = accord_opencl_methods();
    double result[RUNS], wanted, bound = 0;
    size_t parts;
    accord_error error;
    assert_int_equal(accord_reduction_parts(&reduction, &parts, &error), ACCORD_OK);
    if (methods->run(&reduction, x, &sampling, result, NULL, &error))
        fail_msg("%s: %s", method->name, error.text);
    assert_int_equal(accord_reduction_sum(&reduction, x, NULL, &wanted, &error), ACCORD_OK);
    for (size_t i = 0; i < n; i++)
        bound += fabs(x[i]) * (double)n * 0x1p-52;
    for (int run = 0; run < RUNS; run++) {
        if (method->last == ACCORD_LAST_ATOMIC)
            assert_true(fabs(result[run] - wanted) <= bound);
        else
            assert_memory_equal(&result[run], &wanted, sizeof wanted);
    }
    uint32_t *arrival = malloc(RUNS * parts * sizeof *arrival);
    if (methods->run(&reduction, x, &sampling, NULL, arrival, &error))
        fail_msg("%s: %s", method->name, error.text);
    for (int run = 0; run < RUNS; run++)
        assert_true(parts_are_once(arrival + (size_t)run * parts, parts));
    free(arrival);
}

static void test_methods(void **state)
{
    (void)state;
    enum { MOST = 5000 };
    static const size_t counts[] = {1, 63, 129, 1000, MOST};
    double x[MOST];
    accord_mt19937 generator;
    accord_draw_options draw = {.size = sizeof draw};
    uint64_t seed = trials_seed();
    accord_mt19937_init(&generator, (uint32_t)seed);
    assert_int_equal(accord_draw(&generator, &draw, MOST, x, NULL), ACCORD_OK);
    for (size_t m = 0; accord_method_at(m); m++) {
        const accord_method *method = accord_method_at(m);
        if (method->last == ACCORD_LAST_LIBRARY ||
            (method->last == ACCORD_LAST_ATOMIC && !accord_opencl_about_of(device)->atomics))
            continue;
        if (method->shuffle && trials(1) == 1) /* on the device they are the same */
            continue;
        for (size_t trial = 0; trial < trials(1); trial++)
            try_method(method, counts[(m + trial + seed) % 5], trial % 2 ? 64 : 16,
                       trial % 2 ? 3 : 0, x);
    }
}

/* The core opens this library when it is asked for the device. */
static void test_by_name(void **state)
{
    (void)state;
    const double x[] = {1, 0x1p-53, 0x1p-53, 3};
    const accord_reduction reduction = {
        .size = sizeof reduction, .method = accord_method_by_name("SPTR"), .n = 4, .block = 16};
    const accord_sampling sampling = {.size = sizeof sampling, .samples = 1};
    double result, wanted;
    accord_error error;
    const accord_method_device *methods = accord_method_device_by_name("opencl");
    if (methods->run(&reduction, x, &sampling, &result, NULL, &error))
        fail_msg("%s", error.text);
    assert_int_equal(accord_reduction_sum(&reduction, x, NULL, &wanted, &error), ACCORD_OK);
    assert_memory_equal(&result, &wanted, sizeof wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum),     cmocka_unit_test(test_refused), cmocka_unit_test(test_find),
        cmocka_unit_test(test_methods), cmocka_unit_test(test_by_name),
    };
    accord_opencl_about about;
    accord_error error;
    size_t i = 0;
    while (accord_opencl_device_at(i, &about, &error) == ACCORD_OK && !about.doubles)
        i++;
    if (accord_opencl_open(i, &device, &error) != ACCORD_OK) {
        printf("1..0 # SKIP no OpenCL device with doubles: %s\n", error.text);
        return 77;
    }
    about = *accord_opencl_about_of(device);
    printf("# %s, %s, %s, driver %s\n", about.name, about.platform, about.version, about.driver);
    int failed = cmocka_run_group_tests_name("opencl", tests, NULL, NULL);
    accord_opencl_close(device);
    return failed;
}
