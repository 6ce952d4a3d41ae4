/* Sums, dots, norms and products of matrices in one call, each result correctly rounded once from
 * its exact value: the same bits in any order, on any number of threads, with any instruction set.
 *
 * Common to all functions. Arrays are given by their length, their first element and a stride in
 * elements: element i is x[i * stride]; any stride, 0 and negative ones too (x then is the first
 * element in use, the last in memory). Arrays and results need not be aligned, and may be NULL when
 * empty. Results may overlap inputs only where that is said. f16 and bf16 are bit patterns. Complex
 * numbers are pairs, real part first; their strides count pairs, and each part of a result is
 * rounded by itself. Special values: as in accord/exact.h, of the sum of the terms that a formula
 * has; where a function adds to that it says so. The caller's rounding mode, exception flags and
 * flush-to-zero flags neither matter nor change.
 *
 * Threads live for one call, and take no signals. Where the system gives fewer than asked for, the
 * work is done by those there are; the bits are the same.
 *
 * Status: ACCORD_ARG for a NULL array of more than no elements, a NULL result, an option out of its
 * range; ACCORD_NOMEM; nothing was written then. Memory: nothing for short sums and dots, up to a
 * megabyte a thread for the rest, more only where that is said. `options` and `error` may be NULL.
 * Thread-safe. */
#ifndef ACCORD_EXACT_BLAS_H
#define ACCORD_EXACT_BLAS_H

#include <accord/exact.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a sum is computed. Every method gives the same bits; all but the first are there for study,
 * tests and benchmarks. */
enum accord_exact_method {
    ACCORD_EXACT_AUTO,             /* the fastest one known for these numbers on this machine */
    ACCORD_EXACT_SUPERACCUMULATOR, /* each term goes straight into an accumulator */
    ACCORD_EXACT_WINDOW,    /* blocks of like exponents in vector registers; what does not fit
                               goes straight into an accumulator */
    ACCORD_EXACT_SCATTER,   /* each term goes into a table of bins by its exponent */
    ACCORD_EXACT_EXPANSION, /* floating-point expansions in vector registers, their overflow
                               into an accumulator: Collange, Defour, Graillat, Iakymchuk
                               2015, Algorithms 1 and 2 */
    ACCORD_EXACT_METHOD_COUNT
};
/* "auto", "superaccumulator", "window", "scatter", "expansion"; NULL when out of range. */
ACCORD_API const char *accord_exact_method_name(enum accord_exact_method method);

/* For `threads`: one for each processor that this process may run on. */
#define ACCORD_EXACT_EACH_PROCESSOR 0x7fffffff

/* All bytes zero stands for the defaults, as _init and NULL do. */
typedef struct accord_exact_options {
    enum accord_exact_method method;     /* ACCORD_EXACT_AUTO */
    enum accord_exact_rounding rounding; /* of the result; ACCORD_EXACT_NEAREST_EVEN */
    int threads;        /* at most; 0: 1, the calling thread alone. Short work is done by fewer */
    int expansion;      /* terms of an expansion, 2 … 8; 0: 8; for ACCORD_EXACT_EXPANSION alone */
    bool no_early_exit; /* go on in an expansion when a remainder is zero (Alg. 1, not Alg. 2) */
} accord_exact_options;
ACCORD_API void accord_exact_options_init(accord_exact_options *options);

/* The instruction set of the kernels in use: "scalar", "avx2", "avx512", "neon". ACCORD_DISABLE in
 * the environment turns sets off. */
ACCORD_API const char *accord_exact_kernels(void);

/* *out = the sum of x[i * stride], i < n; of nothing -0. */
ACCORD_API enum accord_status accord_sum_exact_f64(size_t n, const double *x, ptrdiff_t stride,
                                                   const accord_exact_options *options, double *out,
                                                   accord_error *error);
ACCORD_API enum accord_status accord_sum_exact_f32(size_t n, const float *x, ptrdiff_t stride,
                                                   const accord_exact_options *options, float *out,
                                                   accord_error *error);
ACCORD_API enum accord_status accord_sum_exact_f16(size_t n, const uint16_t *x, ptrdiff_t stride,
                                                   const accord_exact_options *options,
                                                   uint16_t *out, accord_error *error);
ACCORD_API enum accord_status accord_sum_exact_bf16(size_t n, const uint16_t *x, ptrdiff_t stride,
                                                    const accord_exact_options *options,
                                                    uint16_t *out, accord_error *error);
ACCORD_API enum accord_status accord_sum_exact_complex_f64(size_t n, const double *x,
                                                           ptrdiff_t stride,
                                                           const accord_exact_options *options,
                                                           double out[2], accord_error *error);
ACCORD_API enum accord_status accord_sum_exact_complex_f32(size_t n, const float *x,
                                                           ptrdiff_t stride,
                                                           const accord_exact_options *options,
                                                           float out[2], accord_error *error);

/* *out = the sum divided by n, rounded once: not the rounded sum divided. A sum of zero keeps its
 * sign. Of nothing NaN. */
ACCORD_API enum accord_status accord_mean_exact_f64(size_t n, const double *x, ptrdiff_t stride,
                                                    const accord_exact_options *options,
                                                    double *out, accord_error *error);
ACCORD_API enum accord_status accord_mean_exact_f32(size_t n, const float *x, ptrdiff_t stride,
                                                    const accord_exact_options *options, float *out,
                                                    accord_error *error);

/* *out = the sum of |x[i * stride]|; of a complex number |real| + |imaginary|, as in BLAS. Of
 * nothing +0. */
ACCORD_API enum accord_status accord_asum_exact_f64(size_t n, const double *x, ptrdiff_t stride,
                                                    const accord_exact_options *options,
                                                    double *out, accord_error *error);
ACCORD_API enum accord_status accord_asum_exact_f32(size_t n, const float *x, ptrdiff_t stride,
                                                    const accord_exact_options *options, float *out,
                                                    accord_error *error);
ACCORD_API enum accord_status accord_asum_exact_complex_f64(size_t n, const double *x,
                                                            ptrdiff_t stride,
                                                            const accord_exact_options *options,
                                                            double *out, accord_error *error);
ACCORD_API enum accord_status accord_asum_exact_complex_f32(size_t n, const float *x,
                                                            ptrdiff_t stride,
                                                            const accord_exact_options *options,
                                                            float *out, accord_error *error);

/* *out = the sum of the exact squares, and nrm2 its square root, rounded once; of nothing +0. A NaN
 * gives NaN also beside an infinity (unlike hypot). A norm overflows only where the result does. */
ACCORD_API enum accord_status accord_sumsq_exact_f64(size_t n, const double *x, ptrdiff_t stride,
                                                     const accord_exact_options *options,
                                                     double *out, accord_error *error);
ACCORD_API enum accord_status accord_sumsq_exact_f32(size_t n, const float *x, ptrdiff_t stride,
                                                     const accord_exact_options *options,
                                                     float *out, accord_error *error);
ACCORD_API enum accord_status accord_nrm2_exact_f64(size_t n, const double *x, ptrdiff_t stride,
                                                    const accord_exact_options *options,
                                                    double *out, accord_error *error);
ACCORD_API enum accord_status accord_nrm2_exact_f32(size_t n, const float *x, ptrdiff_t stride,
                                                    const accord_exact_options *options, float *out,
                                                    accord_error *error);
ACCORD_API enum accord_status accord_nrm2_exact_complex_f64(size_t n, const double *x,
                                                            ptrdiff_t stride,
                                                            const accord_exact_options *options,
                                                            double *out, accord_error *error);
ACCORD_API enum accord_status accord_nrm2_exact_complex_f32(size_t n, const float *x,
                                                            ptrdiff_t stride,
                                                            const accord_exact_options *options,
                                                            float *out, accord_error *error);

/* *out = the Euclidean norm of x - y, rounded once: differences and squares are exact. Of nothing
 * +0. A difference of two infinities is as in IEEE 754: of one sign NaN. */
ACCORD_API enum accord_status accord_distance_exact_f64(size_t n, const double *x,
                                                        ptrdiff_t stride_x, const double *y,
                                                        ptrdiff_t stride_y,
                                                        const accord_exact_options *options,
                                                        double *out, accord_error *error);
ACCORD_API enum accord_status accord_distance_exact_f32(size_t n, const float *x,
                                                        ptrdiff_t stride_x, const float *y,
                                                        ptrdiff_t stride_y,
                                                        const accord_exact_options *options,
                                                        float *out, accord_error *error);

/* *out = the sum of the exact products x[i * stride_x] * y[i * stride_y]; of nothing -0. No product
 * overflows or underflows. `conjugate`: of the conjugate of x with y (dotc), else of x with y. */
ACCORD_API enum accord_status accord_dot_exact_f64(size_t n, const double *x, ptrdiff_t stride_x,
                                                   const double *y, ptrdiff_t stride_y,
                                                   const accord_exact_options *options, double *out,
                                                   accord_error *error);
ACCORD_API enum accord_status accord_dot_exact_f32(size_t n, const float *x, ptrdiff_t stride_x,
                                                   const float *y, ptrdiff_t stride_y,
                                                   const accord_exact_options *options, float *out,
                                                   accord_error *error);
ACCORD_API enum accord_status accord_dot_exact_complex_f64(bool conjugate, size_t n,
                                                           const double *x, ptrdiff_t stride_x,
                                                           const double *y, ptrdiff_t stride_y,
                                                           const accord_exact_options *options,
                                                           double out[2], accord_error *error);
ACCORD_API enum accord_status accord_dot_exact_complex_f32(bool conjugate, size_t n, const float *x,
                                                           ptrdiff_t stride_x, const float *y,
                                                           ptrdiff_t stride_y,
                                                           const accord_exact_options *options,
                                                           float out[2], accord_error *error);

/* y = alpha A x + beta y and C = alpha A B + beta C: every element is rounded once from the exact
 * value of its whole formula; nothing overflows on the way. A is m × n (gemm: m × k, B k × n, C
 * m × n); element (i, j) of a matrix is a[i * row_stride + j * column_stride], so that both storage
 * orders, transposes and submatrices are told by the two strides (column-major with leading
 * dimension lda: 1, lda). As in BLAS, with beta = 0 the old y or C is not read, and with alpha = 0
 * A and x or B are not, nor are they when there are no columns (k = 0): they may be NULL then.
 *
 * Special values and the sign of zero are those of the sum of the terms alpha (a x), one by one,
 * and beta y: with alpha = 1, beta = 0 an element is the dot; an infinite alpha gives NaN where
 * products have both signs. But of no terms at all an element is +0, as in BLAS (a dot of nothing
 * is -0). Elements of y or C must not overlap each other or the inputs; what lies between them is
 * not touched. */
ACCORD_API enum accord_status
accord_gemv_exact_f64(size_t m, size_t n, double alpha, const double *a, ptrdiff_t row_stride,
                      ptrdiff_t column_stride, const double *x, ptrdiff_t stride_x, double beta,
                      double *y, ptrdiff_t stride_y, const accord_exact_options *options,
                      accord_error *error);
ACCORD_API enum accord_status accord_gemv_exact_f32(size_t m, size_t n, float alpha, const float *a,
                                                    ptrdiff_t row_stride, ptrdiff_t column_stride,
                                                    const float *x, ptrdiff_t stride_x, float beta,
                                                    float *y, ptrdiff_t stride_y,
                                                    const accord_exact_options *options,
                                                    accord_error *error);
ACCORD_API enum accord_status
accord_gemm_exact_f64(size_t m, size_t n, size_t k, double alpha, const double *a,
                      ptrdiff_t row_stride_a, ptrdiff_t column_stride_a, const double *b,
                      ptrdiff_t row_stride_b, ptrdiff_t column_stride_b, double beta, double *c,
                      ptrdiff_t row_stride_c, ptrdiff_t column_stride_c,
                      const accord_exact_options *options, accord_error *error);
ACCORD_API enum accord_status
accord_gemm_exact_f32(size_t m, size_t n, size_t k, float alpha, const float *a,
                      ptrdiff_t row_stride_a, ptrdiff_t column_stride_a, const float *b,
                      ptrdiff_t row_stride_b, ptrdiff_t column_stride_b, float beta, float *c,
                      ptrdiff_t row_stride_c, ptrdiff_t column_stride_c,
                      const accord_exact_options *options, accord_error *error);

/* Solves A x = b for a triangular n × n matrix, b given and x returned in x: in the order of
 * substitution, x_i = (b_i - the sum of a_ij x_j) / a_ii, where the x_j are the rounded elements
 * before, and the quotient of the exact numerator is rounded once (the definition of ExBLAS, whose
 * numerator is rounded too). Only the triangle named is read, and not its diagonal if `unit`. x
 * must not overlap a. The numerator is a sum like any other; what it makes with the diagonal, where
 * one of them is a zero, an infinity or a NaN, is what IEEE 754 makes of the two. */
ACCORD_API enum accord_status
accord_trsv_exact_f64(bool lower, bool unit, size_t n, const double *a, ptrdiff_t row_stride,
                      ptrdiff_t column_stride, double *x, ptrdiff_t stride_x,
                      const accord_exact_options *options, accord_error *error);
ACCORD_API enum accord_status accord_trsv_exact_f32(bool lower, bool unit, size_t n, const float *a,
                                                    ptrdiff_t row_stride, ptrdiff_t column_stride,
                                                    float *x, ptrdiff_t stride_x,
                                                    const accord_exact_options *options,
                                                    accord_error *error);

/* out[i * stride_out] = the sum of x[0] … x[i * stride], each rounded once from its exact value;
 * out may be x, with the same stride. n = 0 writes nothing. */
ACCORD_API enum accord_status accord_cumsum_exact_f64(size_t n, const double *x, ptrdiff_t stride,
                                                      const accord_exact_options *options,
                                                      double *out, ptrdiff_t stride_out,
                                                      accord_error *error);
ACCORD_API enum accord_status accord_cumsum_exact_f32(size_t n, const float *x, ptrdiff_t stride,
                                                      const accord_exact_options *options,
                                                      float *out, ptrdiff_t stride_out,
                                                      accord_error *error);

/* out[g] = the sum of the x[i * stride] with key[i] = g, g < groups; of no terms -0. Keys are
 * aligned, and in any order. ACCORD_ARG names the first i whose key is no group. Memory: beyond 512
 * groups another copy of the numbers, and 8 bytes a group. */
ACCORD_API enum accord_status accord_group_sum_exact_f64(size_t n, const double *x,
                                                         ptrdiff_t stride, const size_t *key,
                                                         size_t groups,
                                                         const accord_exact_options *options,
                                                         double *out, accord_error *error);
ACCORD_API enum accord_status accord_group_sum_exact_f32(size_t n, const float *x, ptrdiff_t stride,
                                                         const size_t *key, size_t groups,
                                                         const accord_exact_options *options,
                                                         float *out, accord_error *error);

/* Many sums at once: out[s] = the sum of x[s * step + i * stride], i < n, for s < sums; of nothing
 * -0. Rows of a matrix (step = columns, stride = 1), its columns (1, columns), fields of a record;
 * columns are read line by line, whatever their number. */
ACCORD_API enum accord_status accord_many_sums_exact_f64(size_t sums, ptrdiff_t step, size_t n,
                                                         const double *x, ptrdiff_t stride,
                                                         const accord_exact_options *options,
                                                         double *out, accord_error *error);
ACCORD_API enum accord_status accord_many_sums_exact_f32(size_t sums, ptrdiff_t step, size_t n,
                                                         const float *x, ptrdiff_t stride,
                                                         const accord_exact_options *options,
                                                         float *out, accord_error *error);

#ifdef __cplusplus
}
#endif
#endif
