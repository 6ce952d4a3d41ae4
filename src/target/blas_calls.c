/* The calls of BLAS routines, by CBLAS entry (row-major) or Fortran entry. The latter is
 * column-major, so it is asked for the transposed product, C' = op(B)' op(A)', in the very same
 * memory: what CBLAS itself does, and the same element comes from the same operands. */
#include "target/foreign.h"
#include <dlfcn.h>
#include <math.h>

enum { row_major = 101, no_trans = 111, trans = 112 };

static int cblas_trans(char letter)
{
    return letter == 'N' ? no_trans : trans;
}

/* The answer's place holds NaN before each call: a routine that only complains leaves it there.
 * Fortran takes everything by address, and the lengths of its strings at the end. */
#define CALLS(T, SUFFIX)                                                                           \
    typedef T cblas_dot_##SUFFIX(int, const T *, int, const T *, int);                             \
    typedef T f77_dot_##SUFFIX(const int *, const T *, const int *, const T *, const int *);       \
    typedef void cblas_gemv_##SUFFIX(int, int, int, int, T, const T *, int, const T *, int, T,     \
                                     T *, int);                                                    \
    typedef void f77_gemv_##SUFFIX(const char *, const int *, const int *, const T *, const T *,   \
                                   const int *, const T *, const int *, const T *, T *,            \
                                   const int *, size_t);                                           \
    typedef void cblas_gemm_##SUFFIX(int, int, int, int, int, int, T, const T *, int, const T *,   \
                                     int, T, T *, int);                                            \
    typedef void f77_gemm_##SUFFIX(const char *, const char *, const int *, const int *,           \
                                   const int *, const T *, const T *, const int *, const T *,      \
                                   const int *, const T *, T *, const int *, size_t, size_t);      \
                                                                                                   \
    static double call_cblas_dot_##SUFFIX(void *context)                                           \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        const accordi_question *q = &f->question;                                                  \
        return (double)((cblas_dot_##SUFFIX *)f->function)((int)q->k, f->a, (int)q->incx, f->b,    \
                                                           (int)q->incy);                          \
    }                                                                                              \
                                                                                                   \
    static double call_f77_dot_##SUFFIX(void *context)                                             \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        const accordi_question *q = &f->question;                                                  \
        int k = (int)q->k, incx = (int)q->incx, incy = (int)q->incy;                               \
        return (double)((f77_dot_##SUFFIX *)f->function)(&k, f->a, &incx, f->b, &incy);            \
    }                                                                                              \
                                                                                                   \
    static double call_cblas_gemv_##SUFFIX(void *context)                                          \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        const accordi_question *q = &f->question;                                                  \
        bool straight = q->transpose[0] == 'N';                                                    \
        T *answer = (T *)f->c + f->answer;                                                         \
        *answer = (T)NAN;                                                                          \
        ((cblas_gemv_##SUFFIX *)f->function)(row_major, cblas_trans(q->transpose[0]),              \
                                             (int)(straight ? q->m : q->k),                        \
                                             (int)(straight ? q->k : q->m), 1, f->a, (int)q->lda,  \
                                             f->b, (int)q->incx, 0, f->c, (int)q->incy);           \
        return (double)*answer;                                                                    \
    }                                                                                              \
                                                                                                   \
    static double call_f77_gemv_##SUFFIX(void *context)                                            \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        const accordi_question *q = &f->question;                                                  \
        bool straight = q->transpose[0] == 'N';                                                    \
        int rows = (int)(straight ? q->k : q->m), columns = (int)(straight ? q->m : q->k);         \
        int lda = (int)q->lda, incx = (int)q->incx, incy = (int)q->incy;                           \
        T one = 1, zero = 0, *answer = (T *)f->c + f->answer;                                      \
        *answer = (T)NAN;                                                                          \
        ((f77_gemv_##SUFFIX *)f->function)(straight ? "T" : "N", &rows, &columns, &one, f->a,      \
                                           &lda, f->b, &incx, &zero, f->c, &incy, 1);              \
        return (double)*answer;                                                                    \
    }                                                                                              \
                                                                                                   \
    static double call_cblas_gemm_##SUFFIX(void *context)                                          \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        const accordi_question *q = &f->question;                                                  \
        T *answer = (T *)f->c + f->answer;                                                         \
        *answer = (T)NAN;                                                                          \
        ((cblas_gemm_##SUFFIX *)f->function)(                                                      \
            row_major, cblas_trans(q->transpose[0]), cblas_trans(q->transpose[1]), (int)q->m,      \
            (int)q->n, (int)q->k, 1, f->a, (int)q->lda, f->b, (int)q->ldb, 0, f->c, (int)q->ldc);  \
        return (double)*answer;                                                                    \
    }                                                                                              \
                                                                                                   \
    static double call_f77_gemm_##SUFFIX(void *context)                                            \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        const accordi_question *q = &f->question;                                                  \
        int m = (int)q->m, n = (int)q->n, k = (int)q->k;                                           \
        int lda = (int)q->lda, ldb = (int)q->ldb, ldc = (int)q->ldc;                               \
        T one = 1, zero = 0, *answer = (T *)f->c + f->answer;                                      \
        *answer = (T)NAN;                                                                          \
        ((f77_gemm_##SUFFIX *)f->function)(q->transpose + 1, q->transpose, &n, &m, &k, &one, f->b, \
                                           &ldb, f->a, &lda, &zero, f->c, &ldc, 1, 1);             \
        return (double)*answer;                                                                    \
    }

CALLS(float, f32)
CALLS(double, f64)

/* How libraries spell their entries; the first that is there is taken. */
static const struct {
    const char *spelling;
    bool cblas;
} entries[] = {
    {"cblas_%s", true},
    {"%s_", false},
    {"scipy_cblas_%s", true}, /* the wheels of scipy-openblas32 */
    {"scipy_%s_", false},
};

static accordi_call *const calls[3][2][2] = {
    /* family, CBLAS, f32 */
    {{call_f77_dot_f64, call_f77_dot_f32}, {call_cblas_dot_f64, call_cblas_dot_f32}},
    {{call_f77_gemv_f64, call_f77_gemv_f32}, {call_cblas_gemv_f64, call_cblas_gemv_f32}},
    {{call_f77_gemm_f64, call_f77_gemm_f32}, {call_cblas_gemm_f64, call_cblas_gemm_f32}},
};

enum accord_status accordi_blas_bind(accordi_foreign *f, char *entry, accord_error *error)
{
    const accordi_question *q = &f->question;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        char symbol[64], routine[16];
        const char *at = strstr(entries[i].spelling, "%s");
        snprintf(routine, sizeof routine, "%.15s", q->symbol);
        snprintf(symbol, sizeof symbol, "%.*s%s%s", (int)(at - entries[i].spelling),
                 entries[i].spelling, routine, at + 2);
        void *address = dlsym(f->handle, symbol);
        if (!address)
            continue;
        memcpy(&f->function, &address, sizeof address);
        f->call = calls[q->family - ACCORDI_DOT][entries[i].cblas][q->f32];
        memcpy(entry, symbol, sizeof symbol);
        return ACCORD_OK;
    }
    return accordi_fail(error, ACCORD_TARGET,
                        "%.200s has neither cblas_%.16s nor %.16s_: name a BLAS library after @, "
                        "e.g. blas:%.16s@libopenblas.so.0",
                        q->library, q->symbol, q->symbol, q->symbol);
}
