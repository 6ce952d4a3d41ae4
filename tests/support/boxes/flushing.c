/* Sums and dot products in the flush-to-zero mode of x86, one term after the other. */
#include <stddef.h>

#define SHOWN __attribute__((visibility("default")))

SHOWN float flushing_sum(const float *x, size_t n);
SHOWN float flushing_dot(size_t n, const float *x, const float *y);

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>

float flushing_dot(size_t n, const float *x, const float *y)
{
    enum { FLUSH_TO_ZERO = 0x8000 };
    unsigned mode = _mm_getcsr();
    volatile float sum = 0;
    _mm_setcsr(mode | FLUSH_TO_ZERO);
    for (size_t i = 0; i < n; i++) {
        volatile float product = y ? x[i] * y[i] : x[i];
        sum = sum + product;
    }
    _mm_setcsr(mode);
    return sum;
}

float flushing_sum(const float *x, size_t n)
{
    return flushing_dot(n, x, NULL);
}
#endif
