/* A BLAS with Fortran entries only, column-major and as plain as can be: sequential sums. Complex
 * results are returned like C's in single precision, and through a hidden first argument in
 * double: the two ways that Fortran compilers have. */
#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SHOWN __attribute__((visibility("default")))

static ptrdiff_t first(int n, int inc)
{
    return inc < 0 ? (ptrdiff_t)(1 - n) * inc : 0;
}

static float plain_float(float x)
{
    return x;
}

static double plain_double(double x)
{
    return x;
}

/* bf16 is the upper half of a float. */
static float upper_half(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* I: type of the operands, T: of results, V: from one to the other. */
#define PRODUCTS(I, T, V, DOT, GEMV, GEMM)                                                         \
    SHOWN T DOT(const int *n, const I *x, const int *incx, const I *y, const int *incy);           \
    SHOWN void GEMV(const char *trans, const int *m, const int *n, const T *alpha, const I *a,     \
                    const int *lda, const I *x, const int *incx, const T *beta, T *y,              \
                    const int *incy);                                                              \
    SHOWN void GEMM(const char *ta, const char *tb, const int *m, const int *n, const int *k,      \
                    const T *alpha, const I *a, const int *lda, const I *b, const int *ldb,        \
                    const T *beta, T *c, const int *ldc);                                          \
                                                                                                   \
    T DOT(const int *n, const I *x, const int *incx, const I *y, const int *incy)                  \
    {                                                                                              \
        T sum = 0;                                                                                 \
        x += first(*n, *incx);                                                                     \
        y += first(*n, *incy);                                                                     \
        for (ptrdiff_t i = 0; i < *n; i++)                                                         \
            sum += V(x[i * *incx]) * V(y[i * *incy]);                                              \
        return sum;                                                                                \
    }                                                                                              \
                                                                                                   \
    void GEMV(const char *trans, const int *m, const int *n, const T *alpha, const I *a,           \
              const int *lda, const I *x, const int *incx, const T *beta, T *y, const int *incy)   \
    {                                                                                              \
        int rows = *trans == 'N' ? *m : *n, terms = *trans == 'N' ? *n : *m;                       \
        ptrdiff_t down = *trans == 'N' ? 1 : *lda, along = *trans == 'N' ? *lda : 1;               \
        x += first(terms, *incx);                                                                  \
        y += first(rows, *incy);                                                                   \
        for (ptrdiff_t i = 0; i < rows; i++) {                                                     \
            T sum = 0, *at = y + i * *incy;                                                        \
            for (ptrdiff_t k = 0; k < terms; k++)                                                  \
                sum += V(a[i * down + k * along]) * V(x[k * *incx]);                               \
            *at = *beta == 0 ? *alpha * sum : *alpha * sum + *beta * *at;                          \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    void GEMM(const char *ta, const char *tb, const int *m, const int *n, const int *k,            \
              const T *alpha, const I *a, const int *lda, const I *b, const int *ldb,              \
              const T *beta, T *c, const int *ldc)                                                 \
    {                                                                                              \
        ptrdiff_t ai = *ta == 'N' ? 1 : *lda, ak = *ta == 'N' ? *lda : 1;                          \
        ptrdiff_t bk = *tb == 'N' ? 1 : *ldb, bj = *tb == 'N' ? *ldb : 1;                          \
        for (ptrdiff_t j = 0; j < *n; j++)                                                         \
            for (ptrdiff_t i = 0; i < *m; i++) {                                                   \
                T sum = 0, *at = c + i + j * *ldc;                                                 \
                for (ptrdiff_t l = 0; l < *k; l++)                                                 \
                    sum += V(a[i * ai + l * ak]) * V(b[l * bk + j * bj]);                          \
                *at = *beta == 0 ? *alpha * sum : *alpha * sum + *beta * *at;                      \
            }                                                                                      \
    }

PRODUCTS(float, float, plain_float, sdot_, sgemv_, sgemm_)
PRODUCTS(double, double, plain_double, ddot_, dgemv_, dgemm_)
PRODUCTS(float, double, plain_double, dsdot_, unused_dsgemv_, unused_dsgemm_)
PRODUCTS(uint16_t, float, upper_half, sbdot_, sbgemv_, sbgemm_)
PRODUCTS(uint16_t, float, upper_half, unused_dot_, unused_gemv_, gemm_bf16bf16f32_)

/* Of a band with `below` diagonals under the main one and `above` over it. */
#define BAND(T, GBMV)                                                                              \
    SHOWN void GBMV(const char *trans, const int *m, const int *n, const int *below,               \
                    const int *above, const T *alpha, const T *a, const int *lda, const T *x,      \
                    const int *incx, const T *beta, T *y, const int *incy);                        \
                                                                                                   \
    void GBMV(const char *trans, const int *m, const int *n, const int *below, const int *above,   \
              const T *alpha, const T *a, const int *lda, const T *x, const int *incx,             \
              const T *beta, T *y, const int *incy)                                                \
    {                                                                                              \
        int rows = *trans == 'N' ? *m : *n, terms = *trans == 'N' ? *n : *m;                       \
        x += first(terms, *incx);                                                                  \
        y += first(rows, *incy);                                                                   \
        for (ptrdiff_t i = 0; i < rows; i++) {                                                     \
            T sum = 0, *at = y + i * *incy;                                                        \
            for (ptrdiff_t k = 0; k < terms; k++) {                                                \
                ptrdiff_t r = *trans == 'N' ? i : k, c = *trans == 'N' ? k : i;                    \
                if (r - c <= *below && c - r <= *above)                                            \
                    sum += a[*above + r - c + c * *lda] * x[k * *incx];                            \
            }                                                                                      \
            *at = *beta == 0 ? *alpha * sum : *alpha * sum + *beta * *at;                          \
        }                                                                                          \
    }

BAND(float, sgbmv_)
BAND(double, dgbmv_)

/* PARTS numbers an element. */
#define LENGTHS(T, PARTS, ASUM, NRM2)                                                              \
    SHOWN T ASUM(const int *n, const T *x, const int *incx);                                       \
    SHOWN T NRM2(const int *n, const T *x, const int *incx);                                       \
                                                                                                   \
    T ASUM(const int *n, const T *x, const int *incx)                                              \
    {                                                                                              \
        T sum = 0;                                                                                 \
        for (ptrdiff_t i = 0; i < *n * PARTS; i++)                                                 \
            sum += (T)fabs((double)x[i / PARTS * *incx * PARTS + i % PARTS]);                      \
        return sum;                                                                                \
    }                                                                                              \
                                                                                                   \
    T NRM2(const int *n, const T *x, const int *incx)                                              \
    {                                                                                              \
        T sum = 0;                                                                                 \
        for (ptrdiff_t i = 0; i < *n * PARTS; i++) {                                               \
            T part = x[i / PARTS * *incx * PARTS + i % PARTS];                                     \
            sum += part * part;                                                                    \
        }                                                                                          \
        return (T)sqrt((double)sum);                                                               \
    }

LENGTHS(float, 1, sasum_, snrm2_)
LENGTHS(double, 1, dasum_, dnrm2_)
LENGTHS(float, 2, scasum_, scnrm2_)
LENGTHS(double, 2, dzasum_, dznrm2_)

/* Adds to re and im; `sign` of the imaginary part of x. */
static void pairs(double result[2], const double x[2], const double y[2], double sign)
{
    result[0] += x[0] * y[0] - sign * x[1] * y[1];
    result[1] += x[0] * y[1] + sign * x[1] * y[0];
}

#define VALUE(NAME, SIGN)                                                                          \
    SHOWN float _Complex NAME(const int *n, const float _Complex *x, const int *incx,              \
                              const float _Complex *y, const int *incy);                           \
    float _Complex NAME(const int *n, const float _Complex *x, const int *incx,                    \
                        const float _Complex *y, const int *incy)                                  \
    {                                                                                              \
        double sum[2] = {0, 0};                                                                    \
        x += *n > 0 ? first(*n, *incx) : 0;                                                        \
        y += *n > 0 ? first(*n, *incy) : 0;                                                        \
        for (ptrdiff_t i = 0; i < *n; i++) {                                                       \
            float _Complex a = x[i * *incx], b = y[i * *incy];                                     \
            pairs(sum, (double[]){(double)crealf(a), (double)cimagf(a)},                           \
                  (double[]){(double)crealf(b), (double)cimagf(b)}, SIGN);                         \
        }                                                                                          \
        return (float)sum[0] + (float)sum[1] * (float _Complex)_Complex_I;                         \
    }

#define POINTER(NAME, SIGN)                                                                        \
    SHOWN void NAME(double result[2], const int *n, const double _Complex *x, const int *incx,     \
                    const double _Complex *y, const int *incy);                                    \
    void NAME(double result[2], const int *n, const double _Complex *x, const int *incx,           \
              const double _Complex *y, const int *incy)                                           \
    {                                                                                              \
        double sum[2] = {0, 0};                                                                    \
        x += first(*n, *incx);                                                                     \
        y += first(*n, *incy);                                                                     \
        for (ptrdiff_t i = 0; i < *n; i++) {                                                       \
            double _Complex a = x[i * *incx], b = y[i * *incy];                                    \
            pairs(sum, (double[]){creal(a), cimag(a)}, (double[]){creal(b), cimag(b)}, SIGN);      \
        }                                                                                          \
        memcpy(result, sum, sizeof sum);                                                           \
    }

VALUE(cdotu_, 1)
VALUE(cdotc_, -1)
POINTER(zdotu_, 1)
POINTER(zdotc_, -1)
