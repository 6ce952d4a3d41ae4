/* Allocation of arrays with checks for overflow, arrays that grow, and orders to sort them by. */
#include "base/base.h"
#include <time.h>

void *accordi_alloc(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    size_t bytes = count * size;
    return malloc(bytes ? bytes : 1);
}

void *accordi_calloc(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    size_t bytes = count * size;
    return calloc(bytes ? bytes : 1, 1);
}

char *accordi_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

bool accordi_grow(void **array, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return true;
    size_t larger = needed + needed / 2 + 64;
    void *grown = larger <= SIZE_MAX / size ? realloc(*array, larger * size) : NULL;
    if (!grown)
        return false;
    *array = grown;
    *capacity = larger;
    return true;
}

int accordi_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int accordi_by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

double accordi_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
