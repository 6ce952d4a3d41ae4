/* Dot products of floats with a fault that the environment variable FAULT names, for tests of
 * accord explain; without it they are right. Terms are added by sign, so that no order replays. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) float faulty_dot(size_t n, const float *x, const float *y);

static int is(const char *fault)
{
    const char *now = getenv("FAULT");
    return now && strcmp(now, fault) == 0;
}

/* The least significant bits of the result go, as in a conversion to bf16 that truncates. */
static float truncated(float x)
{
    volatile unsigned bits; /* gcc 12 at -O2 loses the mask otherwise */
    unsigned plain;
    memcpy(&plain, &x, sizeof plain);
    bits = plain & 0xffff0000u;
    plain = bits;
    memcpy(&x, &plain, sizeof x);
    return x;
}

float faulty_dot(size_t n, const float *x, const float *y)
{
    static unsigned calls;
    float sum[2] = {0, 0};
    size_t end = is("last") && n > 1 ? n - 1 : n;
    for (size_t k = 0; k < end; k++) {
        float p = x[k] * y[k];
        sum[p < 0] += p;
    }
    float s = sum[0] + sum[1];
    if (is("random") && ++calls % 2)
        s = sum[1];
    if (is("zero"))
        s = 0;
    if (is("infinite"))
        s = 1e38f * 10;
    if (is("factor"))
        s *= 1.001f;
    if (is("truncated"))
        s = truncated(s);
    return s;
}
