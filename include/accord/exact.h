/* Exact accumulators: the correctly rounded sum or dot product, whatever the order.
 *
 * An accumulator is a fixed-point number wide enough for every bit of every term, so nothing is
 * rounded until it is read: any order, any split over threads, ranks or files gives the same
 * bits. Source: Kulisch and Miranker, Computer Arithmetic in Theory and Practice, 1981; Neal,
 * Fast exact summation using small and large superaccumulators, arXiv:1505.05571 (its small
 * one); Collange, Defour, Graillat, Iakymchuk, Numerical reproducibility for the parallel
 * reduction on multi- and many-core architectures, Parallel Computing 49, 2015.
 *
 * Special values, for every function below:
 *   - a NaN, or infinities of both signs, or 0 * infinity give NaN (the canonical quiet one);
 *     infinities of one sign give that infinity;
 *   - nothing overflows or underflows on the way: max + max - max = max;
 *   - the sum of no terms is -0, and so is the sum of terms that are all -0 (as in TC39
 *     Math.sumPrecise). The sum of terms that are all +0 is +0. Every other sum that is exactly
 *     zero gives +0, or -0 when it is rounded down.
 * The results do not depend on the caller's rounding mode or flush-to-zero flags, and no function
 * changes them. No function allocates. Accumulators hold no pointers: they may be copied with
 * memcpy, live in shared memory and travel as int64_t words between machines of either byte order.
 * All functions are thread-safe as long as each accumulator is written by one thread at a time.
 *
 * accord/exact_finish.h makes means, variances, norms, quotients, intervals and decimals of
 * accumulators. accord/exact_blas.h has whole sums, dot products, norms and matrix products in one
 * call. */
#ifndef ACCORD_EXACT_H
#define ACCORD_EXACT_H

#include <accord/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The five directions of IEEE 754; the first four are those of enum accord_rounding, with the same
 * values. Where a function returns no status, any other value counts as the first. */
enum accord_exact_rounding {
    ACCORD_EXACT_NEAREST_EVEN,
    ACCORD_EXACT_TOWARD_ZERO,
    ACCORD_EXACT_DOWN,
    ACCORD_EXACT_UP,
    ACCORD_EXACT_NEAREST_AWAY, /* ties go away from zero */
    ACCORD_EXACT_ROUNDING_COUNT
};

/* What the entries of `count` count. The first counts every term, including those that the other
 * entries count. The two counts of zeros matter only while all terms are zeros: once the sum holds
 * another term, further zeros may go uncounted, and the canonical form sets both counts to 0. */
enum accord_exact_count {
    ACCORD_EXACT_TERMS,
    ACCORD_EXACT_NANS,
    ACCORD_EXACT_PLUS_INFINITIES,
    ACCORD_EXACT_MINUS_INFINITIES,
    ACCORD_EXACT_PLUS_ZEROS,
    ACCORD_EXACT_MINUS_ZEROS,
    ACCORD_EXACT_COUNTS
};

#define ACCORD_EXACT_LIMBS 70
#define ACCORD_EXACT_WIDE_LIMBS 136

/* Sums of values of f64, f32, f16, bf16, and products of two f32. Limb i counts units of
 * 2^(32 i - 1074); `pending` bounds the carries that wait in the limbs. A struct whose
 * bytes are all zero is the sum of no terms. Read the members freely; write them only as
 * accord_exact_canonical says. Fixed layout, as is that of accord_exact_wide. */
typedef struct accord_exact {
    int64_t limb[ACCORD_EXACT_LIMBS];
    int64_t count[ACCORD_EXACT_COUNTS];
    int64_t pending;
} accord_exact;

/* The same for values and products of any two f64 (4352 bits); units of 2^(32 i - 2148). */
typedef struct accord_exact_wide {
    int64_t limb[ACCORD_EXACT_WIDE_LIMBS];
    int64_t count[ACCORD_EXACT_COUNTS];
    int64_t pending;
} accord_exact_wide;

/* Makes *sum the sum of no terms. */
ACCORD_API void accord_exact_init(accord_exact *sum);
ACCORD_API void accord_exact_wide_init(accord_exact_wide *sum);

/* Adds one term, or the negated term. Subtracting an infinity that was added before gives NaN, as
 * in IEEE 754. f16 and bf16 are given as bit patterns. These functions cannot fail: an accumulator
 * has room for 2^62 terms. */
ACCORD_API void accord_exact_add_f64(accord_exact *sum, double x);
ACCORD_API void accord_exact_add_f32(accord_exact *sum, float x);
ACCORD_API void accord_exact_add_f16(accord_exact *sum, uint16_t x);
ACCORD_API void accord_exact_add_bf16(accord_exact *sum, uint16_t x);
ACCORD_API void accord_exact_subtract_f64(accord_exact *sum, double x);
ACCORD_API void accord_exact_subtract_f32(accord_exact *sum, float x);
ACCORD_API void accord_exact_wide_add_f64(accord_exact_wide *sum, double x);
ACCORD_API void accord_exact_wide_add_f32(accord_exact_wide *sum, float x);
ACCORD_API void accord_exact_wide_add_f16(accord_exact_wide *sum, uint16_t x);
ACCORD_API void accord_exact_wide_add_bf16(accord_exact_wide *sum, uint16_t x);
ACCORD_API void accord_exact_wide_subtract_f64(accord_exact_wide *sum, double x);

/* Adds the n terms x[i * stride], i < n, or all of them negated. The stride may be 0 or negative. x
 * need not be aligned, and may be NULL when n is 0. e4m3 and e5m2 are the formats of
 * accord/format.h, given as bit patterns. */
ACCORD_API void accord_exact_add_array_f64(accord_exact *sum, size_t n, const double *x,
                                           ptrdiff_t stride);
ACCORD_API void accord_exact_add_array_f32(accord_exact *sum, size_t n, const float *x,
                                           ptrdiff_t stride);
ACCORD_API void accord_exact_add_array_f16(accord_exact *sum, size_t n, const uint16_t *x,
                                           ptrdiff_t stride);
ACCORD_API void accord_exact_add_array_bf16(accord_exact *sum, size_t n, const uint16_t *x,
                                            ptrdiff_t stride);
ACCORD_API void accord_exact_add_array_e4m3(accord_exact *sum, size_t n, const uint8_t *x,
                                            ptrdiff_t stride);
ACCORD_API void accord_exact_add_array_e5m2(accord_exact *sum, size_t n, const uint8_t *x,
                                            ptrdiff_t stride);
ACCORD_API void accord_exact_wide_add_array_f64(accord_exact_wide *sum, size_t n, const double *x,
                                                ptrdiff_t stride);
ACCORD_API void accord_exact_wide_add_array_f32(accord_exact_wide *sum, size_t n, const float *x,
                                                ptrdiff_t stride);
ACCORD_API void accord_exact_wide_add_array_f16(accord_exact_wide *sum, size_t n, const uint16_t *x,
                                                ptrdiff_t stride);
ACCORD_API void accord_exact_wide_add_array_bf16(accord_exact_wide *sum, size_t n,
                                                 const uint16_t *x, ptrdiff_t stride);
ACCORD_API void accord_exact_subtract_array_f64(accord_exact *sum, size_t n, const double *x,
                                                ptrdiff_t stride);
ACCORD_API void accord_exact_subtract_array_f32(accord_exact *sum, size_t n, const float *x,
                                                ptrdiff_t stride);
ACCORD_API void accord_exact_subtract_array_f16(accord_exact *sum, size_t n, const uint16_t *x,
                                                ptrdiff_t stride);
ACCORD_API void accord_exact_subtract_array_bf16(accord_exact *sum, size_t n, const uint16_t *x,
                                                 ptrdiff_t stride);
ACCORD_API void accord_exact_wide_subtract_array_f64(accord_exact_wide *sum, size_t n,
                                                     const double *x, ptrdiff_t stride);
ACCORD_API void accord_exact_wide_subtract_array_f32(accord_exact_wide *sum, size_t n,
                                                     const float *x, ptrdiff_t stride);
ACCORD_API void accord_exact_wide_subtract_array_f16(accord_exact_wide *sum, size_t n,
                                                     const uint16_t *x, ptrdiff_t stride);
ACCORD_API void accord_exact_wide_subtract_array_bf16(accord_exact_wide *sum, size_t n,
                                                      const uint16_t *x, ptrdiff_t stride);

/* Adds n complex numbers to the two sums of their real and of their imaginary parts. A complex
 * number is a pair with the real part first; the stride counts pairs. */
ACCORD_API void accord_exact_add_array_complex_f64(accord_exact sum[2], size_t n, const double *x,
                                                   ptrdiff_t stride);
ACCORD_API void accord_exact_add_array_complex_f32(accord_exact sum[2], size_t n, const float *x,
                                                   ptrdiff_t stride);
ACCORD_API void accord_exact_wide_add_array_complex_f64(accord_exact_wide sum[2], size_t n,
                                                        const double *x, ptrdiff_t stride);
ACCORD_API void accord_exact_wide_add_array_complex_f32(accord_exact_wide sum[2], size_t n,
                                                        const float *x, ptrdiff_t stride);

/* Adds the product x * y, not rounded, or the n products x[i * stride_x] * y[i * stride_y], or
 * these negated. Products of two f32, and those of narrower formats, fit the small accumulator. A
 * product counts as one term. Since it is not rounded, it is a zero or an infinity only where one
 * of its factors is. */
ACCORD_API void accord_exact_wide_add_product_f64(accord_exact_wide *sum, double x, double y);
ACCORD_API void accord_exact_wide_add_products_f64(accord_exact_wide *sum, size_t n,
                                                   const double *x, ptrdiff_t stride_x,
                                                   const double *y, ptrdiff_t stride_y);
ACCORD_API void accord_exact_add_product_f32(accord_exact *sum, float x, float y);
ACCORD_API void accord_exact_add_products_f32(accord_exact *sum, size_t n, const float *x,
                                              ptrdiff_t stride_x, const float *y,
                                              ptrdiff_t stride_y);
ACCORD_API void accord_exact_add_products_f16(accord_exact *sum, size_t n, const uint16_t *x,
                                              ptrdiff_t stride_x, const uint16_t *y,
                                              ptrdiff_t stride_y);
ACCORD_API void accord_exact_add_products_bf16(accord_exact *sum, size_t n, const uint16_t *x,
                                               ptrdiff_t stride_x, const uint16_t *y,
                                               ptrdiff_t stride_y);
ACCORD_API void accord_exact_add_products_e4m3(accord_exact *sum, size_t n, const uint8_t *x,
                                               ptrdiff_t stride_x, const uint8_t *y,
                                               ptrdiff_t stride_y);
ACCORD_API void accord_exact_add_products_e5m2(accord_exact *sum, size_t n, const uint8_t *x,
                                               ptrdiff_t stride_x, const uint8_t *y,
                                               ptrdiff_t stride_y);
ACCORD_API void accord_exact_wide_subtract_products_f64(accord_exact_wide *sum, size_t n,
                                                        const double *x, ptrdiff_t stride_x,
                                                        const double *y, ptrdiff_t stride_y);
ACCORD_API void accord_exact_subtract_products_f32(accord_exact *sum, size_t n, const float *x,
                                                   ptrdiff_t stride_x, const float *y,
                                                   ptrdiff_t stride_y);

/* Adds n products of complex numbers, x conjugated first if `conjugate` is set, to the two sums of
 * their real and of their imaginary parts. Each product counts as two terms in either sum. */
ACCORD_API void accord_exact_wide_add_products_complex_f64(accord_exact_wide sum[2], bool conjugate,
                                                           size_t n, const double *x,
                                                           ptrdiff_t stride_x, const double *y,
                                                           ptrdiff_t stride_y);
ACCORD_API void accord_exact_add_products_complex_f32(accord_exact sum[2], bool conjugate, size_t n,
                                                      const float *x, ptrdiff_t stride_x,
                                                      const float *y, ptrdiff_t stride_y);

/* Adds the terms of `other` (which may be `sum` itself), or all of them negated. ACCORD_ARG, with
 * *sum unchanged, where the sum would leave [-2^1164, 2^1164) (wide: [-2^2202, 2^2202)) or hold
 * more than 2^62 terms. Without scaling neither can happen in practice: no machine holds so much
 * data. */
ACCORD_API enum accord_status accord_exact_add(accord_exact *sum, const accord_exact *other,
                                               accord_error *error);
ACCORD_API enum accord_status accord_exact_subtract(accord_exact *sum, const accord_exact *other,
                                                    accord_error *error);
ACCORD_API enum accord_status
accord_exact_wide_add(accord_exact_wide *sum, const accord_exact_wide *other, accord_error *error);
ACCORD_API enum accord_status accord_exact_wide_subtract(accord_exact_wide *sum,
                                                         const accord_exact_wide *other,
                                                         accord_error *error);

/* The same with a small accumulator as `other`. The counts are added, too: the sum of the squares
 * of n numbers of f32, merged into a wide accumulator, still counts n terms. */
ACCORD_API enum accord_status accord_exact_wide_add_narrow(accord_exact_wide *sum,
                                                           const accord_exact *other,
                                                           accord_error *error);
ACCORD_API enum accord_status accord_exact_wide_subtract_narrow(accord_exact_wide *sum,
                                                                const accord_exact *other,
                                                                accord_error *error);

/* Multiplies the sum by 2^exponent. ACCORD_ARG, with *sum unchanged, where a bit would be lost:
 * where the result has a bit below 2^-1074 (wide: 2^-2148) or reaches 2^1164 (wide: 2^2202). */
ACCORD_API enum accord_status accord_exact_scale(accord_exact *sum, int exponent,
                                                 accord_error *error);
ACCORD_API enum accord_status accord_exact_wide_scale(accord_exact_wide *sum, int exponent,
                                                      accord_error *error);

/* Brings the accumulator into its canonical form: every limb but the last is in [0, 2^32), the last
 * one carries the sign, `pending` is 0, and zeros are counted only if all terms are zeros. Two
 * accumulators of the same terms then have the same bytes, in whatever order, parts and ways the
 * terms were added. Canonical accumulators may also be added word by word as int64_t (with MPI_SUM,
 * for example), up to 2^30 of them, each below 2^1164 (wide: 2^2202) in magnitude. The words of the
 * result hold the sum of all of them; call this function on it before you use it in any other way.
 */
ACCORD_API void accord_exact_canonical(accord_exact *sum);
ACCORD_API void accord_exact_wide_canonical(accord_exact_wide *sum);

/* Returns the sum, rounded correctly and once from its exact value; f16 and bf16 are returned as
 * bit patterns. *sum is unchanged, and more terms may be added to it. */
ACCORD_API double accord_exact_f64(const accord_exact *sum, enum accord_exact_rounding rounding);
ACCORD_API float accord_exact_f32(const accord_exact *sum, enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_f16(const accord_exact *sum, enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_bf16(const accord_exact *sum, enum accord_exact_rounding rounding);
ACCORD_API double accord_exact_wide_f64(const accord_exact_wide *sum,
                                        enum accord_exact_rounding rounding);
ACCORD_API float accord_exact_wide_f32(const accord_exact_wide *sum,
                                       enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_wide_f16(const accord_exact_wide *sum,
                                          enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_wide_bf16(const accord_exact_wide *sum,
                                           enum accord_exact_rounding rounding);

/* The saved form, version 1; integers are little-endian, those with a sign in two's complement:
 *   bytes 0-7    "accordEX"
 *         8-11   version, 1
 *         12-15  number of limbs L, 70 or 136
 *         16-63  the six counts, 8 bytes each, as in enum accord_exact_count
 *         64-    the L - 1 lower limbs of the canonical form, 4 bytes each; the last, 8 bytes
 *         then   the first 16 bytes of the SHA-256 of all bytes before
 * The same terms give the same bytes, on every machine. */
#define ACCORD_EXACT_BYTES 364
#define ACCORD_EXACT_WIDE_BYTES 628
ACCORD_API void accord_exact_save(const accord_exact *sum, unsigned char bytes[ACCORD_EXACT_BYTES]);
ACCORD_API void accord_exact_wide_save(const accord_exact_wide *sum,
                                       unsigned char bytes[ACCORD_EXACT_WIDE_BYTES]);

/* The compact form, version 1: the limbs that are not zero alone, for messages and tables with many
 * sums. Integers are little-endian, those with a sign in two's complement:
 *   byte  0      'A'
 *         1      version, 1
 *         2      0; 1 for the wide accumulator
 *         3      1 if the counts follow, else 0
 *         4-5    the first limb of the canonical form that is not zero; 0 if there is none
 *         6-7    number of limbs L
 *         8-15   number of terms
 *         then   if they follow, the other five counts, 8 bytes each, as in enum accord_exact_count
 *         then   the limbs from the first to the last that matters, 4 bytes each; the last one
 *                carries the sign
 *         then   8 bytes that all bytes before determine, against damage
 * Numbers within 32 binades and of one sign take 3 or 4 limbs, 36 to 40 bytes in all; the counts,
 * 40 bytes more, follow if one of them is not 0. The same terms give the same bytes, on every
 * machine. The databases' exact_state() gives this form, too, with all zeros counted.
 *
 * Returns how many bytes it wrote. */
#define ACCORD_EXACT_COMPACT_BYTES 348
#define ACCORD_EXACT_WIDE_COMPACT_BYTES 612
ACCORD_API size_t accord_exact_save_compact(const accord_exact *sum,
                                            unsigned char bytes[ACCORD_EXACT_COMPACT_BYTES]);
ACCORD_API size_t accord_exact_wide_save_compact(
    const accord_exact_wide *sum, unsigned char bytes[ACCORD_EXACT_WIDE_COMPACT_BYTES]);

/* Reads either form; *sum need not be initialized. `length` must be the length of the form.
 * ACCORD_UNSUPPORTED: the bytes are of another version. ACCORD_PARSE: they are not what the two
 * save functions write for another reason: truncated, too long, of the other kind of accumulator,
 * with a wrong checksum, or with limbs or counts that no sum has. ACCORD_ARG: `bytes` is NULL. */
ACCORD_API enum accord_status accord_exact_load(accord_exact *sum, const void *bytes, size_t length,
                                                accord_error *error);
ACCORD_API enum accord_status accord_exact_wide_load(accord_exact_wide *sum, const void *bytes,
                                                     size_t length, accord_error *error);

#ifdef __cplusplus
}
#endif
#endif
