/* The calls of BLAS routines that take vectors only and are not plain dots: sums of absolute
 * values, norms, complex dots. */
#include "targets/foreign/foreign.h"
#include <math.h>

/* CBLAS gives complex results through a pointer. In Fortran they are either returned like C's, or
 * there is a hidden first argument that points to the result; the former, called like the latter
 * with a result of zeros, takes these for no elements and touches nothing. */
#define CALLS(T, SUFFIX)                                                                           \
    typedef T cblas_length_##SUFFIX(int, const T *, int);                                          \
    typedef T f77_length_##SUFFIX(const int *, const T *, const int *);                            \
    typedef void cblas_pair_##SUFFIX(int, const T *, int, const T *, int, T *);                    \
    typedef void f77_pointer_##SUFFIX(T *, const int *, const T *, const int *, const T *,         \
                                      const int *);                                                \
    typedef T _Complex f77_value_##SUFFIX(const int *, const T *, const int *, const T *,          \
                                          const int *);                                            \
                                                                                                   \
    static double call_cblas_length_##SUFFIX(void *context)                                        \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        const accordi_question *q = &f->question;                                                  \
        accordi_foreign_enter();                                                                   \
        T result = ((cblas_length_##SUFFIX *)f->function)((int)q->k, f->a, (int)q->incx);          \
        accordi_foreign_leave();                                                                   \
        return (double)result;                                                                     \
    }                                                                                              \
                                                                                                   \
    static double call_f77_length_##SUFFIX(void *context)                                          \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        int k = (int)f->question.k, incx = (int)f->question.incx;                                  \
        accordi_foreign_enter();                                                                   \
        T result = ((f77_length_##SUFFIX *)f->function)(&k, f->a, &incx);                          \
        accordi_foreign_leave();                                                                   \
        return (double)result;                                                                     \
    }                                                                                              \
                                                                                                   \
    static double call_cblas_pair_##SUFFIX(void *context)                                          \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        const accordi_question *q = &f->question;                                                  \
        T result[2] = {(T)NAN, (T)NAN};                                                            \
        accordi_foreign_enter();                                                                   \
        ((cblas_pair_##SUFFIX *)f->function)((int)q->k, f->a, (int)q->incx, f->b, (int)q->incy,    \
                                             result);                                              \
        accordi_foreign_leave();                                                                   \
        return (double)result[q->imaginary];                                                       \
    }                                                                                              \
                                                                                                   \
    static void pointer_##SUFFIX(accordi_foreign *f, T result[2])                                  \
    {                                                                                              \
        int k = (int)f->question.k, incx = (int)f->question.incx, incy = (int)f->question.incy;    \
        accordi_foreign_enter();                                                                   \
        ((f77_pointer_##SUFFIX *)f->function)(result, &k, f->a, &incx, f->b, &incy);               \
        accordi_foreign_leave();                                                                   \
    }                                                                                              \
                                                                                                   \
    static double call_f77_pointer_##SUFFIX(void *context)                                         \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        T result[2] = {(T)NAN, (T)NAN};                                                            \
        pointer_##SUFFIX(f, result);                                                               \
        return (double)result[f->question.imaginary];                                              \
    }                                                                                              \
                                                                                                   \
    static double call_f77_value_##SUFFIX(void *context)                                           \
    {                                                                                              \
        accordi_foreign *f = context;                                                              \
        int k = (int)f->question.k, incx = (int)f->question.incx, incy = (int)f->question.incy;    \
        accordi_foreign_enter();                                                                   \
        T _Complex value = ((f77_value_##SUFFIX *)f->function)(&k, f->a, &incx, f->b, &incy);      \
        accordi_foreign_leave();                                                                   \
        T result[2];                                                                               \
        memcpy(result, &value, sizeof result);                                                     \
        return (double)result[f->question.imaginary];                                              \
    }                                                                                              \
                                                                                                   \
    static bool is_pointer_##SUFFIX(const accordi_foreign *f)                                      \
    {                                                                                              \
        accordi_foreign one = {.question = {.k = 1, .incx = 1, .incy = 1}};                        \
        T x[2] = {1, 0}, result[2] = {0, 0};                                                       \
        one.function = f->function;                                                                \
        one.a = one.b = x;                                                                         \
        pointer_##SUFFIX(&one, result);                                                            \
        return result[0] == 1;                                                                     \
    }

CALLS(float, f32)
CALLS(double, f64)

accordi_call *accordi_fortran_pair(const accordi_foreign *f)
{
    if (f->question.storage == ACCORDI_F32)
        return is_pointer_f32(f) ? call_f77_pointer_f32 : call_f77_value_f32;
    return is_pointer_f64(f) ? call_f77_pointer_f64 : call_f77_value_f64;
}

#define LENGTH(SUFFIX)                                                                             \
    {                                                                                              \
        call_f77_length_##SUFFIX, call_cblas_length_##SUFFIX                                       \
    }

/* The Fortran calls of complex dots are found by trial: accordi_fortran_pair. */
const accordi_blas_row accordi_blas_vectors[] = {
    /* family, storage of operands and results, complex */
    {ACCORDI_DOT, ACCORDI_F32, ACCORDI_F32, true, {NULL, call_cblas_pair_f32}, {NULL}},
    {ACCORDI_DOT, ACCORDI_F64, ACCORDI_F64, true, {NULL, call_cblas_pair_f64}, {NULL}},
    {ACCORDI_ASUM, ACCORDI_F32, ACCORDI_F32, false, LENGTH(f32), {NULL}},
    {ACCORDI_ASUM, ACCORDI_F32, ACCORDI_F32, true, LENGTH(f32), {NULL}},
    {ACCORDI_ASUM, ACCORDI_F64, ACCORDI_F64, false, LENGTH(f64), {NULL}},
    {ACCORDI_ASUM, ACCORDI_F64, ACCORDI_F64, true, LENGTH(f64), {NULL}},
    {ACCORDI_NORM, ACCORDI_F32, ACCORDI_F32, false, LENGTH(f32), {NULL}},
    {ACCORDI_NORM, ACCORDI_F32, ACCORDI_F32, true, LENGTH(f32), {NULL}},
    {ACCORDI_NORM, ACCORDI_F64, ACCORDI_F64, false, LENGTH(f64), {NULL}},
    {ACCORDI_NORM, ACCORDI_F64, ACCORDI_F64, true, LENGTH(f64), {NULL}},
};
const size_t accordi_blas_vector_count =
    sizeof accordi_blas_vectors / sizeof accordi_blas_vectors[0];
