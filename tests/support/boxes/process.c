/* Sums whose order depends on the state of their process: on where memory is allocated, on how many
 * calls came before, or on its environment; and one whose memory and counter do not matter. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN __attribute__((visibility("default")))

SHOWN float peel_malloc(const float *x, size_t n);
SHOWN float path_malloc(const float *x, size_t n);
SHOWN float first_call(const float *x, size_t n);
SHOWN float after_50(const float *x, size_t n);
SHOWN float dot_after_50(size_t n, const float *x, const float *y);
SHOWN float by_environment(const float *x, size_t n);
SHOWN float steady(const float *x, size_t n);

static float forward(const float *x, size_t n)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static float backward(const float *x, size_t n)
{
    float sum = 0;
    for (size_t i = n; i-- > 0;)
        sum += x[i];
    return sum;
}

/* Four lanes from the first number whose address is a multiple of 32. */
static float peeled(const float *x, size_t n)
{
    float lane[4] = {0};
    size_t first = (32 - (uintptr_t)x % 32) % 32 / sizeof *x;
    first = first < n ? first : n;
    float sum = forward(x, first);
    for (size_t i = first; i < n; i++)
        lane[(i - first) % 4] += x[i];
    return sum + ((lane[0] + lane[1]) + (lane[2] + lane[3]));
}

/* Another loop where the buffer begins a cache line. */
static float aligned(const float *x, size_t n)
{
    return (uintptr_t)x % 64 == 0 ? backward(x, n) : forward(x, n);
}

static float with_buffer(float (*sum)(const float *, size_t), const float *x, size_t n)
{
    float *buffer = malloc(n * sizeof *x);
    if (!buffer)
        abort();
    memcpy(buffer, x, n * sizeof *x);
    float result = sum(buffer, n);
    free(buffer);
    return result;
}

float peel_malloc(const float *x, size_t n)
{
    return with_buffer(peeled, x, n);
}

float path_malloc(const float *x, size_t n)
{
    return with_buffer(aligned, x, n);
}

float first_call(const float *x, size_t n)
{
    static int calls;
    return calls++ == 0 ? backward(x, n) : forward(x, n);
}

float after_50(const float *x, size_t n)
{
    static int calls;
    return calls++ < 50 ? backward(x, n) : forward(x, n);
}

float dot_after_50(size_t n, const float *x, const float *y)
{
    static int calls;
    float sum = 0;
    int back = calls++ < 50;
    for (size_t i = 0; i < n; i++) {
        size_t at = back ? n - 1 - i : i;
        sum += x[at] * y[at];
    }
    return sum;
}

float by_environment(const float *x, size_t n)
{
    return getenv("ACCORD_TEST_BACKWARD") ? backward(x, n) : forward(x, n);
}

float steady(const float *x, size_t n)
{
    static int calls;
    calls++;
    return with_buffer(forward, x, n);
}
