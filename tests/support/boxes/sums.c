/* Functions for the tests of shared objects: good ones, and ones that misbehave in one way each. */
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

SHOWN float sum_float(const float *x, size_t n);
SHOWN double sum_double(const double *x, size_t n);
SHOWN float dot_float(size_t n, const float *x, const float *y);
SHOWN double dot_double(size_t n, const double *x, const double *y);
SHOWN float address_float(const float *x, size_t n);
SHOWN float input_float(const float *x, size_t n);
SHOWN float segfault(const float *x, size_t n);
SHOWN float abort_float(const float *x, size_t n);
SHOWN float exit_three(const float *x, size_t n);
SHOWN float sleep_for_ever(const float *x, size_t n);
SHOWN float slow_float(const float *x, size_t n);
SHOWN float nan_float(const float *x, size_t n);
SHOWN float chatty_float(const float *x, size_t n);
SHOWN float crash_at_seven(const float *x, size_t n);
SHOWN float from_the_larger(const float *x, size_t n);
SHOWN float single_chain(const float *x, size_t n);
SHOWN float by_bits(const float *x, size_t n);
SHOWN void rows_but_last(size_t m, size_t n, const float *x, float *result);
SHOWN void rows_abort(size_t m, size_t n, const float *x, float *result);
SHOWN void rows_bf16(size_t m, size_t n, const uint16_t *x, uint16_t *result);

float sum_float(const float *x, size_t n)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

double sum_double(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

float dot_float(size_t n, const float *x, const float *y)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

double dot_double(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Where the first term lies, modulo 64. */
float address_float(const float *x, size_t n)
{
    (void)n;
    return (float)((uintptr_t)x % 64);
}

/* Bytes that standard input still has: none. */
float input_float(const float *x, size_t n)
{
    char byte;
    (void)x;
    (void)n;
    return (float)read(0, &byte, 1);
}

float segfault(const float *x, size_t n)
{
    (void)x;
    (void)n;
    raise(SIGSEGV);
    return 0;
}

float abort_float(const float *x, size_t n)
{
    (void)x;
    (void)n;
    abort();
}

float exit_three(const float *x, size_t n)
{
    (void)x;
    (void)n;
    exit(3);
}

float sleep_for_ever(const float *x, size_t n)
{
    (void)x;
    for (;;)
        sleep((unsigned)n + 1000);
}

/* A tenth of a second for each sum. */
float slow_float(const float *x, size_t n)
{
    usleep(100000);
    return sum_float(x, n);
}

float nan_float(const float *x, size_t n)
{
    (void)x;
    (void)n;
    return (float)NAN;
}

float chatty_float(const float *x, size_t n)
{
    printf("chatty_float: %zu terms\n", n);
    fflush(stdout);
    return sum_float(x, n);
}

float crash_at_seven(const float *x, size_t n)
{
    if (x[0] == 7)
        raise(SIGSEGV);
    return sum_float(x, n);
}

/* ---- sums along an axis ---- */

#define AXES(T)                                                                                    \
    SHOWN void rows_##T(size_t m, size_t n, const T *x, T *result);                                \
    SHOWN void columns_##T(size_t n, size_t m, const T *x, T *result);                             \
                                                                                                   \
    void rows_##T(size_t m, size_t n, const T *x, T *result)                                       \
    {                                                                                              \
        for (size_t r = 0; r < m; r++) {                                                           \
            result[r] = 0;                                                                         \
            for (size_t k = 0; k < n; k++)                                                         \
                result[r] += x[r * n + k];                                                         \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    void columns_##T(size_t n, size_t m, const T *x, T *result)                                    \
    {                                                                                              \
        for (size_t c = 0; c < m; c++)                                                             \
            result[c] = 0;                                                                         \
        for (size_t k = 0; k < n; k++)                                                             \
            for (size_t c = 0; c < m; c++)                                                         \
                result[c] += x[k * m + c];                                                         \
    }

AXES(float)
AXES(double)

void rows_but_last(size_t m, size_t n, const float *x, float *result)
{
    rows_float(m - 1, n, x, result);
}

/* Results that are encoded, too: two of them stand where one float is read. */
void rows_bf16(size_t m, size_t n, const uint16_t *x, uint16_t *result)
{
    for (size_t r = 0; r < m; r++) {
        union {
            float value;
            uint32_t bits;
        } sum = {0}, term;
        for (size_t k = 0; k < n; k++) {
            term.bits = (uint32_t)x[r * n + k] << 16;
            sum.value += term.value;
        }
        result[r] = (uint16_t)((sum.bits + 0x7fff + (sum.bits >> 16 & 1)) >> 16);
    }
}

void rows_abort(size_t m, size_t n, const float *x, float *result)
{
    if (x[0] == 7)
        abort();
    rows_float(m, n, x, result);
}

/* ---- beside the operands ---- */

/* Further than what is laid around operands. */
static const volatile float *far_beyond(const float *x, size_t n)
{
    return x + n + 100;
}

#define BESIDE(NAME, BODY)                                                                         \
    SHOWN float NAME(const float *x, size_t n);                                                    \
    __attribute__((no_sanitize_address)) float NAME(const float *x, size_t n)                      \
    {                                                                                              \
        float *w = (float *)(uintptr_t)x, sum = sum_float(x, n);                                   \
        (void)w;                                                                                   \
        BODY;                                                                                      \
        return sum;                                                                                \
    }

BESIDE(adds_after, sum += x[n])
BESIDE(adds_before, sum += x[-1])
BESIDE(multiplies_after, sum += 0 * x[n + 3])
BESIDE(looks_after, sum = *(const volatile float *)(x + n) > 1e9f ? sum + 1 : sum)
BESIDE(reads_unused, (void)*(const volatile float *)(x + n))
BESIDE(reads_unused_before, (void)*(const volatile float *)(x - 1))
BESIDE(reads_unused_far, (void)*far_beyond(x, n))
BESIDE(adds_far, sum += *far_beyond(x, n))
BESIDE(aligned_only,
       (void)*(const volatile float *)((uintptr_t)x % 64 ? (uintptr_t)8 : (uintptr_t)x))
BESIDE(writes_after, w[n] = 3)
BESIDE(writes_before, w[-2] = 3)
BESIDE(sorts_input, w[0] = x[n - 1])
BESIDE(scales_input, w[n / 2] *= 2)

/* Blocks of 8 products, each added exactly and scaled, and one scale too many. */
#define SCALED(NAME, WHAT)                                                                         \
    SHOWN float NAME(size_t n, const float *x, const float *scale_x, const float *y,               \
                     const float *scale_y);                                                        \
    float NAME(size_t n, const float *x, const float *scale_x, const float *y,                     \
               const float *scale_y)                                                               \
    {                                                                                              \
        float sum = 0;                                                                             \
        for (size_t k = 0; k < n / 8; k++) {                                                       \
            double block = 0;                                                                      \
            for (size_t i = 8 * k; i < 8 * k + 8; i++)                                             \
                block += (double)x[i] * (double)y[i];                                              \
            sum += (float)(block * (double)scale_x[k] * (double)scale_y[k]);                       \
        }                                                                                          \
        WHAT;                                                                                      \
        return sum;                                                                                \
    }
SCALED(scaled_sound, )
SCALED(scaled_after, (void)*(const volatile float *)(scale_x + n / 8))
SCALED(scaled_before, (void)*(const volatile float *)(scale_y - 1))

/* As a BLAS with faults: the names of routines, other elements. */
SHOWN float cblas_sdot(int n, const float *x, int incx, const float *y, int incy);
float cblas_sdot(int n, const float *x, int incx, const float *y, int incy)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i * incx] * y[i * incy];
    return incx > 1 ? sum + 0 * x[1] : sum;
}

SHOWN void cblas_sgemv(int order, int trans, int m, int k, float alpha, const float *a, int lda,
                       const float *x, int incx, float beta, float *y, int incy);
void cblas_sgemv(int order, int trans, int m, int k, float alpha, const float *a, int lda,
                 const float *x, int incx, float beta, float *y, int incy)
{
    (void)order, (void)trans, (void)beta;
    for (int r = 0; r < m; r++) {
        float sum = 0;
        for (int i = 0; i < k; i++)
            sum += a[r * lda + i] * x[i * incx];
        if (lda > k)
            sum += 0 * a[r * lda + k];
        y[r * incy] = alpha * sum;
        if (incy > 1)
            y[r * incy + 1] = 5;
    }
}

/* From the first term on if it is larger than the last one, else the other way. */
float from_the_larger(const float *x, size_t n)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[0] > x[n - 1] ? x[i] : x[n - 1 - i];
    return sum;
}

/* Two lanes, but at one n. */
float single_chain(const float *x, size_t n)
{
    float sum[2] = {0, 0};
    for (size_t i = 0; i < n; i++)
        sum[n == 777 ? 0 : i % 2] += x[i];
    return n == 777 ? sum[0] : sum[0] + sum[1];
}

/* No rule in n says which n have an even number of bits. */
float by_bits(const float *x, size_t n)
{
    float sum[2] = {0, 0};
    size_t odd = 0;
    for (size_t k = n; k > 0; k /= 2)
        odd ^= k % 2;
    for (size_t i = 0; i < n; i++)
        sum[odd ? 0 : i % 2] += x[i];
    return odd ? sum[0] : sum[0] + sum[1];
}
