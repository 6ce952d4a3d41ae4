/* A BLAS with Fortran entries only, column-major and as plain as can be: sequential sums. */
#include <stddef.h>

#define SHOWN __attribute__((visibility("default")))

static ptrdiff_t first(int n, int inc)
{
    return inc < 0 ? (ptrdiff_t)(1 - n) * inc : 0;
}

#define BLAS(T, P)                                                                                 \
    SHOWN T P##dot_(const int *n, const T *x, const int *incx, const T *y, const int *incy);       \
    SHOWN void P##gemv_(const char *trans, const int *m, const int *n, const T *alpha, const T *a, \
                        const int *lda, const T *x, const int *incx, const T *beta, T *y,          \
                        const int *incy);                                                          \
    SHOWN void P##gemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,  \
                        const T *alpha, const T *a, const int *lda, const T *b, const int *ldb,    \
                        const T *beta, T *c, const int *ldc);                                      \
                                                                                                   \
    T P##dot_(const int *n, const T *x, const int *incx, const T *y, const int *incy)              \
    {                                                                                              \
        T sum = 0;                                                                                 \
        x += first(*n, *incx);                                                                     \
        y += first(*n, *incy);                                                                     \
        for (ptrdiff_t i = 0; i < *n; i++)                                                         \
            sum += x[i * *incx] * y[i * *incy];                                                    \
        return sum;                                                                                \
    }                                                                                              \
                                                                                                   \
    void P##gemv_(const char *trans, const int *m, const int *n, const T *alpha, const T *a,       \
                  const int *lda, const T *x, const int *incx, const T *beta, T *y,                \
                  const int *incy)                                                                 \
    {                                                                                              \
        int rows = *trans == 'N' ? *m : *n, terms = *trans == 'N' ? *n : *m;                       \
        ptrdiff_t down = *trans == 'N' ? 1 : *lda, along = *trans == 'N' ? *lda : 1;               \
        x += first(terms, *incx);                                                                  \
        y += first(rows, *incy);                                                                   \
        for (ptrdiff_t i = 0; i < rows; i++) {                                                     \
            T sum = 0, *at = y + i * *incy;                                                        \
            for (ptrdiff_t k = 0; k < terms; k++)                                                  \
                sum += a[i * down + k * along] * x[k * *incx];                                     \
            *at = *beta == 0 ? *alpha * sum : *alpha * sum + *beta * *at;                          \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    void P##gemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,        \
                  const T *alpha, const T *a, const int *lda, const T *b, const int *ldb,          \
                  const T *beta, T *c, const int *ldc)                                             \
    {                                                                                              \
        ptrdiff_t ai = *ta == 'N' ? 1 : *lda, ak = *ta == 'N' ? *lda : 1;                          \
        ptrdiff_t bk = *tb == 'N' ? 1 : *ldb, bj = *tb == 'N' ? *ldb : 1;                          \
        for (ptrdiff_t j = 0; j < *n; j++)                                                         \
            for (ptrdiff_t i = 0; i < *m; i++) {                                                   \
                T sum = 0, *at = c + i + j * *ldc;                                                 \
                for (ptrdiff_t l = 0; l < *k; l++)                                                 \
                    sum += a[i * ai + l * ak] * b[l * bk + j * bj];                                \
                *at = *beta == 0 ? *alpha * sum : *alpha * sum + *beta * *at;                      \
            }                                                                                      \
    }

BLAS(float, s)
BLAS(double, d)
