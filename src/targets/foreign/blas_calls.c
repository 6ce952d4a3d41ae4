/* The calls of BLAS routines, by CBLAS entry (row-major) or Fortran entry. The latter is
 * column-major, so it is asked for the transposed product, C' = op(B)' op(A)', in the very same
 * memory: what CBLAS itself does, and the same element comes from the same operands. */
#include "targets/foreign/foreign.h"

enum { row_major = 101, no_trans = 111, trans = 112 };

static int cblas_trans(char letter)
{
    return letter == 'N' ? no_trans : trans;
}

/* I: type of the operands, T: of results and factors. Fortran takes everything by address, and the
 * lengths of its strings at the end. */
#define DOT(I, T, SUFFIX)                                                                          \
    typedef T cblas_dot_##SUFFIX(int, const I *, int, const I *, int);                             \
    typedef T f77_dot_##SUFFIX(const int *, const I *, const int *, const I *, const int *);       \
                                                                                                   \
    static double call_cblas_dot_##SUFFIX(void *context)                                           \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        const accordi_question *q = &f->question;                                                  \
        accordi_foreign_enter();                                                                   \
        T result = ((cblas_dot_##SUFFIX *)f->function)((int)q->k, f->a, (int)q->incx, f->b,        \
                                                       (int)q->incy);                              \
        accordi_foreign_leave();                                                                   \
        return (double)result;                                                                     \
    }                                                                                              \
                                                                                                   \
    static double call_f77_dot_##SUFFIX(void *context)                                             \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        const accordi_question *q = &f->question;                                                  \
        int k = (int)q->k, incx = (int)q->incx, incy = (int)q->incy;                               \
        accordi_foreign_enter();                                                                   \
        T result = ((f77_dot_##SUFFIX *)f->function)(&k, f->a, &incx, f->b, &incy);                \
        accordi_foreign_leave();                                                                   \
        return (double)result;                                                                     \
    }

#define CALLS(I, T, SUFFIX)                                                                        \
    DOT(I, T, SUFFIX)                                                                              \
                                                                                                   \
    typedef void cblas_gemv_##SUFFIX(int, int, int, int, T, const I *, int, const I *, int, T,     \
                                     T *, int);                                                    \
    typedef void f77_gemv_##SUFFIX(const char *, const int *, const int *, const T *, const I *,   \
                                   const int *, const I *, const int *, const T *, T *,            \
                                   const int *, size_t);                                           \
    typedef void cblas_gemm_##SUFFIX(int, int, int, int, int, int, T, const I *, int, const I *,   \
                                     int, T, T *, int);                                            \
    typedef void f77_gemm_##SUFFIX(const char *, const char *, const int *, const int *,           \
                                   const int *, const T *, const I *, const int *, const I *,      \
                                   const int *, const T *, T *, const int *, size_t, size_t);      \
                                                                                                   \
    static void cblas_gemv_of_##SUFFIX(accordi_foreign *f)                                         \
    {                                                                                              \
        const accordi_question *q = &f->question;                                                  \
        bool straight = q->transpose[0] == 'N';                                                    \
        ((cblas_gemv_##SUFFIX *)f->function)(                                                      \
            row_major, cblas_trans(q->transpose[0]), (int)(straight ? q->m : q->k),                \
            (int)(straight ? q->k : q->m), (T)q->alpha, f->a, (int)q->lda, f->b, (int)q->incx,     \
            (T)q->beta, f->c, (int)q->incy);                                                       \
    }                                                                                              \
                                                                                                   \
    static void f77_gemv_of_##SUFFIX(accordi_foreign *f)                                           \
    {                                                                                              \
        const accordi_question *q = &f->question;                                                  \
        bool straight = q->transpose[0] == 'N';                                                    \
        int rows = (int)(straight ? q->k : q->m), columns = (int)(straight ? q->m : q->k);         \
        int lda = (int)q->lda, incx = (int)q->incx, incy = (int)q->incy;                           \
        T alpha = (T)q->alpha, beta = (T)q->beta;                                                  \
        ((f77_gemv_##SUFFIX *)f->function)(straight ? "T" : "N", &rows, &columns, &alpha, f->a,    \
                                           &lda, f->b, &incx, &beta, f->c, &incy, 1);              \
    }                                                                                              \
                                                                                                   \
    static void cblas_gemm_of_##SUFFIX(accordi_foreign *f)                                         \
    {                                                                                              \
        const accordi_question *q = &f->question;                                                  \
        ((cblas_gemm_##SUFFIX *)f->function)(row_major, cblas_trans(q->transpose[0]),              \
                                             cblas_trans(q->transpose[1]), (int)q->m, (int)q->n,   \
                                             (int)q->k, (T)q->alpha, f->a, (int)q->lda, f->b,      \
                                             (int)q->ldb, (T)q->beta, f->c, (int)q->ldc);          \
    }                                                                                              \
                                                                                                   \
    static void f77_gemm_of_##SUFFIX(accordi_foreign *f)                                           \
    {                                                                                              \
        const accordi_question *q = &f->question;                                                  \
        int m = (int)q->m, n = (int)q->n, k = (int)q->k;                                           \
        int lda = (int)q->lda, ldb = (int)q->ldb, ldc = (int)q->ldc;                               \
        T alpha = (T)q->alpha, beta = (T)q->beta;                                                  \
        ((f77_gemm_##SUFFIX *)f->function)(q->transpose + 1, q->transpose, &n, &m, &k, &alpha,     \
                                           f->b, &ldb, f->a, &lda, &beta, f->c, &ldc, 1, 1);       \
    }

/* Bands with every diagonal below the main one, and above it. */
#define BAND(T, SUFFIX)                                                                            \
    typedef void cblas_gbmv_##SUFFIX(int, int, int, int, int, int, T, const T *, int, const T *,   \
                                     int, T, T *, int);                                            \
    typedef void f77_gbmv_##SUFFIX(const char *, const int *, const int *, const int *,            \
                                   const int *, const T *, const T *, const int *, const T *,      \
                                   const int *, const T *, T *, const int *, size_t);              \
                                                                                                   \
    static void cblas_gbmv_of_##SUFFIX(accordi_foreign *f)                                         \
    {                                                                                              \
        const accordi_question *q = &f->question;                                                  \
        bool straight = q->transpose[0] == 'N';                                                    \
        int rows = (int)(straight ? q->m : q->k), columns = (int)(straight ? q->k : q->m);         \
        ((cblas_gbmv_##SUFFIX *)f->function)(                                                      \
            row_major, cblas_trans(q->transpose[0]), rows, columns, rows - 1, columns - 1,         \
            (T)q->alpha, f->a, (int)q->lda, f->b, (int)q->incx, (T)q->beta, f->c, (int)q->incy);   \
    }                                                                                              \
                                                                                                   \
    static void f77_gbmv_of_##SUFFIX(accordi_foreign *f)                                           \
    {                                                                                              \
        const accordi_question *q = &f->question;                                                  \
        bool straight = q->transpose[0] == 'N';                                                    \
        int rows = (int)(straight ? q->k : q->m), columns = (int)(straight ? q->m : q->k);         \
        int below = rows - 1, above = columns - 1;                                                 \
        int lda = (int)q->lda, incx = (int)q->incx, incy = (int)q->incy;                           \
        T alpha = (T)q->alpha, beta = (T)q->beta;                                                  \
        ((f77_gbmv_##SUFFIX *)f->function)(straight ? "T" : "N", &rows, &columns, &below, &above,  \
                                           &alpha, f->a, &lda, f->b, &incx, &beta, f->c, &incy,    \
                                           1);                                                     \
    }

CALLS(float, float, f32)
CALLS(double, double, f64)
CALLS(uint16_t, float, bf16)
DOT(float, double, f32_f64)
BAND(float, f32)
BAND(double, f64)

/* The two calls of a dot product, and of a routine with many results. */
#define ONE(SUFFIX)                                                                                \
    {                                                                                              \
        call_f77_dot_##SUFFIX, call_cblas_dot_##SUFFIX                                             \
    }
#define MANY(ROUTINE, SUFFIX)                                                                      \
    {                                                                                              \
        f77_##ROUTINE##_of_##SUFFIX, cblas_##ROUTINE##_of_##SUFFIX                                 \
    }

const accordi_blas_row accordi_blas_products[] = {
    /* family, storage of operands and results, complex */
    {ACCORDI_DOT, ACCORDI_F32, ACCORDI_F32, false, ONE(f32), {NULL}},
    {ACCORDI_DOT, ACCORDI_F32, ACCORDI_F64, false, ONE(f32_f64), {NULL}},
    {ACCORDI_DOT, ACCORDI_F64, ACCORDI_F64, false, ONE(f64), {NULL}},
    {ACCORDI_DOT, ACCORDI_BF16, ACCORDI_F32, false, ONE(bf16), {NULL}},
    {ACCORDI_GEMV, ACCORDI_F32, ACCORDI_F32, false, {NULL}, MANY(gemv, f32)},
    {ACCORDI_GEMV, ACCORDI_F64, ACCORDI_F64, false, {NULL}, MANY(gemv, f64)},
    {ACCORDI_GEMV, ACCORDI_BF16, ACCORDI_F32, false, {NULL}, MANY(gemv, bf16)},
    {ACCORDI_GBMV, ACCORDI_F32, ACCORDI_F32, false, {NULL}, MANY(gbmv, f32)},
    {ACCORDI_GBMV, ACCORDI_F64, ACCORDI_F64, false, {NULL}, MANY(gbmv, f64)},
    {ACCORDI_GEMM, ACCORDI_F32, ACCORDI_F32, false, {NULL}, MANY(gemm, f32)},
    {ACCORDI_GEMM, ACCORDI_F64, ACCORDI_F64, false, {NULL}, MANY(gemm, f64)},
    {ACCORDI_GEMM, ACCORDI_BF16, ACCORDI_F32, false, {NULL}, MANY(gemm, bf16)},
};
const size_t accordi_blas_product_count =
    sizeof accordi_blas_products / sizeof accordi_blas_products[0];
