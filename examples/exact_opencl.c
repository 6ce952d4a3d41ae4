/* The exact sum of numbers on an OpenCL device: the same bits for every number of work-items.
 * Built with -laccord_opencl -laccord. */
#include <accord/accord.h>
#include <accord/opencl.h>
#include <stdio.h>

static double x[100000];

int main(void)
{
    accord_opencl *device;
    accord_error error;
    size_t which;
    double first = 0;
    if (accord_opencl_find(NULL, &which, &error) || accord_opencl_open(which, &device, &error)) {
        printf("skipped: %s\n", error.text);
        return 77;
    }
    for (size_t i = 0; i < 100000; i++)
        x[i] = (i % 2 ? -1. : 1.) / (double)(i + 1);
    for (size_t local = 1; local <= 64; local *= 8) {
        accord_exact_device *exact;
        accord_exact sum;
        accord_exact_init(&sum);
        enum accord_status status =
            accord_opencl_exact_open(device, local, 4, NULL, &exact, &error);
        if (status == ACCORD_UNSUPPORTED) {
            printf("skipped: %s\n", error.text);
            return 77;
        }
        if (!status)
            status = accord_exact_device_add_array_f64(exact, &sum, 100000, x, &error);
        accord_exact_device_close(exact);
        if (status) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        double result = accord_exact_f64(&sum, ACCORD_EXACT_NEAREST_EVEN);
        printf("4 groups of %2zu: %a\n", local, result);
        first = local == 1 ? result : first;
        if (result != first)
            return 1;
    }
    accord_opencl_close(device);
    return 0;
}
