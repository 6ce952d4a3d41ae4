/* Sums and dot products in the flush-to-zero mode of x86, one term after the other; and ones that
 * keep subnormal numbers, but leave that mode to their caller. */
#include <stddef.h>

#define SHOWN __attribute__((visibility("default")))

SHOWN float flushing_sum(const float *x, size_t n);
SHOWN float flushing_dot(size_t n, const float *x, const float *y);
SHOWN float keeping_sum(const float *x, size_t n);
SHOWN float keeping_dot(size_t n, const float *x, const float *y);

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>

enum { OPERANDS_TO_ZERO = 0x40, FLUSH_TO_ZERO = 0x8000 };

static float add(size_t n, const float *x, const float *y)
{
    volatile float sum = 0;
    for (size_t i = 0; i < n; i++) {
        volatile float product = y ? x[i] * y[i] : x[i];
        sum = sum + product;
    }
    return sum;
}

float flushing_dot(size_t n, const float *x, const float *y)
{
    unsigned mode = _mm_getcsr();
    _mm_setcsr(mode | FLUSH_TO_ZERO);
    float sum = add(n, x, y);
    _mm_setcsr(mode);
    return sum;
}

float keeping_dot(size_t n, const float *x, const float *y)
{
    unsigned mode = _mm_getcsr() & ~(unsigned)(OPERANDS_TO_ZERO | FLUSH_TO_ZERO);
    _mm_setcsr(mode);
    float sum = add(n, x, y);
    _mm_setcsr(mode | OPERANDS_TO_ZERO | FLUSH_TO_ZERO);
    return sum;
}

float keeping_sum(const float *x, size_t n)
{
    return keeping_dot(n, x, NULL);
}

float flushing_sum(const float *x, size_t n)
{
    return flushing_dot(n, x, NULL);
}
#endif
