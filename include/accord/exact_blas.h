/* Sums, dots, norms and products of matrices in one call, each result correctly rounded once from
 * its exact value: the same bits in any order, on any number of threads, with any instruction set.
 *
 * Common to all functions. An array is given by its length, its first element and a stride in
 * elements: element i is x[i * stride]. The stride may be 0 or negative; with a negative one, x
 * points to the element that is used first, which is the last in memory. Arrays and results need
 * not be aligned, and may be NULL when empty. Results may overlap inputs only where a function
 * allows it. f16 and bf16 are bit patterns. Complex numbers are pairs with the real part first;
 * their strides count pairs, and the two parts of a result are rounded separately. Special values
 * follow the rules of accord/exact.h, applied to the sum of the terms of each formula; a function
 * that has further rules states them. The caller's rounding mode, exception flags and flush-to-zero
 * flags do not affect the results and are not changed.
 *
 * Threads are started for one call and take no signals. If the system gives fewer threads than were
 * asked for, those do the work; the bits are the same.
 *
 * Status: ACCORD_ARG for an array that is NULL though its length is not 0, a NULL result, or an
 * option out of its range; ACCORD_NOMEM. In both cases nothing is written. Short sums and dot
 * products allocate no memory; other calls take up to a megabyte for each thread, and more only
 * where that is stated. `options` and `error` may be NULL. All functions are thread-safe. */
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

/* NULL stands for the defaults, too. */
typedef struct accord_exact_options {
    size_t size;                         /* see accord/base.h */
    enum accord_exact_method method;     /* ACCORD_EXACT_AUTO */
    enum accord_exact_rounding rounding; /* of the result; ACCORD_EXACT_NEAREST_EVEN */
    /* The most threads to use; short work uses fewer. 0 means 1: the calling thread alone. */
    int threads;
    /* ACCORD_EXACT_EXPANSION only: the terms of an expansion, 2 to 8. 0 means 8. */
    int expansion;
    /* ACCORD_EXACT_EXPANSION only: continue when a remainder is zero (Algorithm 1, not 2). */
    bool no_early_exit;
} accord_exact_options;
static inline void accord_exact_options_init(accord_exact_options *options)
{
    ACCORD_INIT(options);
}

/* The instruction set of the kernels in use: "avx512", "avx2", "sse2", "neon", "scalar".
 * ACCORD_DISABLE in the environment, a list such as "avx512,amx", turns sets off. Products of
 * matrices use AMX, too, for which Linux is asked (arch_prctl, once a process) when the first of
 * them would gain by it. */
ACCORD_API const char *accord_exact_kernels(void);

/* *out = the sum of x[i * stride], i < n. With n = 0 it is -0. */
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

/* *out = the exact sum divided by n and then rounded, once (the sum is not rounded before). A sum
 * of zero keeps its sign. With n = 0 the mean is NaN. */
ACCORD_API enum accord_status accord_mean_exact_f64(size_t n, const double *x, ptrdiff_t stride,
                                                    const accord_exact_options *options,
                                                    double *out, accord_error *error);
ACCORD_API enum accord_status accord_mean_exact_f32(size_t n, const float *x, ptrdiff_t stride,
                                                    const accord_exact_options *options, float *out,
                                                    accord_error *error);

/* *out = the sum of |x[i * stride]|; a complex number contributes |real| + |imaginary|, as in BLAS.
 * With n = 0 it is +0. */
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

/* sumsq: *out = the sum of the exact squares. nrm2: *out = the square root of that sum. Both are
 * rounded once, and are +0 with n = 0. A NaN gives NaN even if another element is infinite (unlike
 * hypot). A norm overflows only if the result itself is too large. */
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

/* *out = the Euclidean norm of x - y, rounded once: differences and squares are exact. With n = 0
 * it is +0. Infinities are subtracted as in IEEE 754: two of the same sign give NaN. */
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

/* *out = the sum of the exact products x[i * stride_x] * y[i * stride_y]; with n = 0 it is -0. No
 * product overflows or underflows. With `conjugate` the factors x are conjugated first (dotc). */
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

/* The same of two arrays of f16, bf16, e4m3 or e5m2 (see accord/format.h). The result is rounded to
 * f32; for another format of the result, add the products to an accumulator (accord/exact.h). */
ACCORD_API enum accord_status accord_dot_exact_f16(size_t n, const uint16_t *x, ptrdiff_t stride_x,
                                                   const uint16_t *y, ptrdiff_t stride_y,
                                                   const accord_exact_options *options, float *out,
                                                   accord_error *error);
ACCORD_API enum accord_status accord_dot_exact_bf16(size_t n, const uint16_t *x, ptrdiff_t stride_x,
                                                    const uint16_t *y, ptrdiff_t stride_y,
                                                    const accord_exact_options *options, float *out,
                                                    accord_error *error);
ACCORD_API enum accord_status accord_dot_exact_e4m3(size_t n, const uint8_t *x, ptrdiff_t stride_x,
                                                    const uint8_t *y, ptrdiff_t stride_y,
                                                    const accord_exact_options *options, float *out,
                                                    accord_error *error);
ACCORD_API enum accord_status accord_dot_exact_e5m2(size_t n, const uint8_t *x, ptrdiff_t stride_x,
                                                    const uint8_t *y, ptrdiff_t stride_y,
                                                    const accord_exact_options *options, float *out,
                                                    accord_error *error);

/* y = alpha A x + beta y and C = alpha A B + beta C: every element is rounded once from the exact
 * value of its whole formula; nothing overflows before that. A is m × n (gemm: m × k, B k × n, C
 * m × n); element (i, j) of a matrix is a[i * row_stride + j * column_stride], so that the
 * two strides describe both storage orders, transposes and submatrices (a column-major matrix with
 * leading dimension lda has the strides 1 and lda). As in BLAS, the old y or C is not read when
 * beta is 0, and A and x (or B) are not read when alpha is 0 or when there are no columns (k = 0);
 * what is not read may be NULL.
 *
 * Special values and the sign of zero are those of the sum of all terms alpha (a x) and the term
 * beta y. So with alpha = 1 and beta = 0 an element is the dot product, and an infinite alpha gives
 * NaN where products have both signs. There is one exception: an element that has no terms at all
 * is +0, as in BLAS (a dot product of no terms is -0). Elements of y or C must not overlap each
 * other or the inputs; the memory between them is not touched. */
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

/* Solves A x = b for a triangular n × n matrix; the array x holds b on entry and the solution on
 * return. Elements are computed in the order of substitution: x_i = (b_i - the sum of a_ij x_j) /
 * a_ii, where the x_j are the elements that were computed, and rounded, before. The numerator is
 * exact and the quotient is rounded once. (ExBLAS defines its solution in the same way but rounds
 * the numerator too.) Only the triangle that `lower` names is read, and its diagonal is not read if
 * `unit` is set. x must not overlap a. The special values of the numerator are those of any sum
 * here; where the numerator or the diagonal element is a zero, an infinity or a NaN, their quotient
 * is that of IEEE 754. */
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

/* out[g] = the sum of the x[i * stride] with key[i] = g, for g < groups; a group without terms
 * gives -0. Keys may come in any order; the array of keys must be aligned. ACCORD_ARG if a key is
 * not less than `groups`; the error names the first such i. With more than 512 groups the function
 * allocates a copy of the numbers and 8 bytes for each group. */
ACCORD_API enum accord_status accord_group_sum_exact_f64(size_t n, const double *x,
                                                         ptrdiff_t stride, const size_t *key,
                                                         size_t groups,
                                                         const accord_exact_options *options,
                                                         double *out, accord_error *error);
ACCORD_API enum accord_status accord_group_sum_exact_f32(size_t n, const float *x, ptrdiff_t stride,
                                                         const size_t *key, size_t groups,
                                                         const accord_exact_options *options,
                                                         float *out, accord_error *error);

/* Many sums at once: out[s] = the sum of x[s * step + i * stride], i < n, for s < sums; with n = 0
 * each is -0. These can be the rows of a row-major matrix (step = its number of columns,
 * stride = 1), its columns (step = 1, stride = its number of columns) or the fields of an array of
 * records. Columns are read in the order of memory, however many there are. */
ACCORD_API enum accord_status accord_many_sums_exact_f64(size_t sums, ptrdiff_t step, size_t n,
                                                         const double *x, ptrdiff_t stride,
                                                         const accord_exact_options *options,
                                                         double *out, accord_error *error);
ACCORD_API enum accord_status accord_many_sums_exact_f32(size_t sums, ptrdiff_t step, size_t n,
                                                         const float *x, ptrdiff_t stride,
                                                         const accord_exact_options *options,
                                                         float *out, accord_error *error);

/* Adds to accumulators what the sums above would round: to sums[s] the terms x[s * step +
 * i * stride], or the products x[s * step_x + i * stride_x] * y[s * step_y + i * stride_y], i < n,
 * for s < count, on as many threads as the options say. The rounding of the options has no effect.
 * ACCORD_ARG also if a sum would outgrow its accumulator (accord_exact_add). No sum has changed
 * where the status is not ACCORD_OK. */
ACCORD_API enum accord_status accord_exact_add_many_f64(accord_exact *sums, size_t count,
                                                        ptrdiff_t step, size_t n, const double *x,
                                                        ptrdiff_t stride,
                                                        const accord_exact_options *options,
                                                        accord_error *error);
ACCORD_API enum accord_status accord_exact_add_many_f32(accord_exact *sums, size_t count,
                                                        ptrdiff_t step, size_t n, const float *x,
                                                        ptrdiff_t stride,
                                                        const accord_exact_options *options,
                                                        accord_error *error);
ACCORD_API enum accord_status
accord_exact_wide_add_many_products_f64(accord_exact_wide *sums, size_t count, size_t n,
                                        const double *x, ptrdiff_t step_x, ptrdiff_t stride_x,
                                        const double *y, ptrdiff_t step_y, ptrdiff_t stride_y,
                                        const accord_exact_options *options, accord_error *error);
ACCORD_API enum accord_status
accord_exact_add_many_products_f32(accord_exact *sums, size_t count, size_t n, const float *x,
                                   ptrdiff_t step_x, ptrdiff_t stride_x, const float *y,
                                   ptrdiff_t step_y, ptrdiff_t stride_y,
                                   const accord_exact_options *options, accord_error *error);

#ifdef __cplusplus
}
#endif
#endif
