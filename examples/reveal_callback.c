/* Reveals the order in which a function of your own adds: two lanes, then the rest. */
#include <accord/accord.h>
#include <stdio.h>

static double my_sum(void *context, const void *values, size_t n)
{
    const float *x = values;
    float even = 0, odd = 0;
    (void)context;
    for (size_t i = 0; i + 1 < n; i += 2) {
        even += x[i];
        odd += x[i + 1];
    }
    return (even + odd) + (n % 2 ? x[n - 1] : 0);
}

static bool print(void *context, const char *text, size_t length)
{
    return fwrite(text, 1, length, context) == length;
}

int main(void)
{
    accord_error error;
    accord_target *target;
    accord_record *record = accord_record_new();
    enum accord_status status = accord_target_from_callback(my_sum, NULL, 9, true, &target, &error);
    if (status == ACCORD_OK) {
        status = accord_reveal(target, NULL, record, &error);
        accord_target_close(target);
    }
    if (status == ACCORD_OK)
        status = accord_record_write(record, accord_writer_by_name("report"), NULL, print, stdout,
                                     &error);
    if (status != ACCORD_OK)
        fprintf(stderr, "%s\n", error.text);
    accord_record_free(record);
    return status != ACCORD_OK;
}
