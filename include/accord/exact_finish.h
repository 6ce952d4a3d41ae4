/* What can be made of exact accumulators besides their sum: means, variances, norms, quotients,
 * multiples, comparisons, intervals, expansions and decimals. Every number is rounded once from the
 * exact value of its whole formula, however large or small the intermediate values are: a variance,
 * for example, is that of the exact mean.
 *
 * Common to all functions. They read accumulators and change none; no function allocates; all are
 * thread-safe, and the results do not depend on the caller's rounding mode or flush-to-zero flags.
 * Special values are those of accord/exact.h: a sum with a NaN, or with infinities of both signs,
 * is NaN, and is infinite with infinities of one sign. n is the number of terms that an accumulator
 * counts. f16 and bf16 are given and returned as bit patterns. */
#ifndef ACCORD_EXACT_FINISH_H
#define ACCORD_EXACT_FINISH_H

#include <accord/exact.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The sum divided by n. A sum of zero keeps the sign that it has when it is rounded. With n = 0 the
 * mean is NaN. */
ACCORD_API double accord_exact_mean_f64(const accord_exact *sum,
                                        enum accord_exact_rounding rounding);
ACCORD_API float accord_exact_mean_f32(const accord_exact *sum,
                                       enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_mean_f16(const accord_exact *sum,
                                          enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_mean_bf16(const accord_exact *sum,
                                           enum accord_exact_rounding rounding);
ACCORD_API double accord_exact_wide_mean_f64(const accord_exact_wide *sum,
                                             enum accord_exact_rounding rounding);
ACCORD_API float accord_exact_wide_mean_f32(const accord_exact_wide *sum,
                                            enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_wide_mean_f16(const accord_exact_wide *sum,
                                               enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_wide_mean_bf16(const accord_exact_wide *sum,
                                                enum accord_exact_rounding rounding);

/* The square root of the sum: a norm, where the terms are squares. A sum of zero gives +0; a
 * negative sum gives NaN. */
ACCORD_API double accord_exact_norm_f64(const accord_exact *squares,
                                        enum accord_exact_rounding rounding);
ACCORD_API float accord_exact_norm_f32(const accord_exact *squares,
                                       enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_norm_f16(const accord_exact *squares,
                                          enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_norm_bf16(const accord_exact *squares,
                                           enum accord_exact_rounding rounding);
ACCORD_API double accord_exact_wide_norm_f64(const accord_exact_wide *squares,
                                             enum accord_exact_rounding rounding);
ACCORD_API float accord_exact_wide_norm_f32(const accord_exact_wide *squares,
                                            enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_wide_norm_f16(const accord_exact_wide *squares,
                                               enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_wide_norm_bf16(const accord_exact_wide *squares,
                                                enum accord_exact_rounding rounding);

/* The square root of the sum divided by n: the root mean square, where the terms are squares. With
 * n = 0 it is NaN; otherwise the special values are those of the norm. */
ACCORD_API double accord_exact_rms_f64(const accord_exact *squares,
                                       enum accord_exact_rounding rounding);
ACCORD_API float accord_exact_rms_f32(const accord_exact *squares,
                                      enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_rms_f16(const accord_exact *squares,
                                         enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_rms_bf16(const accord_exact *squares,
                                          enum accord_exact_rounding rounding);
ACCORD_API double accord_exact_wide_rms_f64(const accord_exact_wide *squares,
                                            enum accord_exact_rounding rounding);
ACCORD_API float accord_exact_wide_rms_f32(const accord_exact_wide *squares,
                                           enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_wide_rms_f16(const accord_exact_wide *squares,
                                              enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_wide_rms_bf16(const accord_exact_wide *squares,
                                               enum accord_exact_rounding rounding);

/* The first sum divided by the second. Where either is a zero, an infinity or a NaN, the quotient
 * is that of IEEE 754; a zero has the sign that it has when it is rounded. weighted_mean is the
 * same for a sum of products w * x and the sum of the weights w. */
ACCORD_API double accord_exact_quotient_f64(const accord_exact *sum, const accord_exact *divisor,
                                            enum accord_exact_rounding rounding);
ACCORD_API float accord_exact_quotient_f32(const accord_exact *sum, const accord_exact *divisor,
                                           enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_quotient_f16(const accord_exact *sum, const accord_exact *divisor,
                                              enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_quotient_bf16(const accord_exact *sum, const accord_exact *divisor,
                                               enum accord_exact_rounding rounding);
ACCORD_API double accord_exact_wide_quotient_f64(const accord_exact_wide *sum,
                                                 const accord_exact_wide *divisor,
                                                 enum accord_exact_rounding rounding);
ACCORD_API float accord_exact_wide_quotient_f32(const accord_exact_wide *sum,
                                                const accord_exact_wide *divisor,
                                                enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_wide_quotient_f16(const accord_exact_wide *sum,
                                                   const accord_exact_wide *divisor,
                                                   enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_wide_quotient_bf16(const accord_exact_wide *sum,
                                                    const accord_exact_wide *divisor,
                                                    enum accord_exact_rounding rounding);
ACCORD_API double accord_exact_weighted_mean_f64(const accord_exact_wide *products,
                                                 const accord_exact *weights,
                                                 enum accord_exact_rounding rounding);
ACCORD_API float accord_exact_weighted_mean_f32(const accord_exact_wide *products,
                                                const accord_exact *weights,
                                                enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_weighted_mean_f16(const accord_exact_wide *products,
                                                   const accord_exact *weights,
                                                   enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_weighted_mean_bf16(const accord_exact_wide *products,
                                                    const accord_exact *weights,
                                                    enum accord_exact_rounding rounding);

/* *out = the variance of the n numbers whose sum and whose sum of squares are given: the sum of the
 * squared differences from the exact mean, divided by n - less. less = 0 gives that of a
 * population, 1 that of a sample. deviation: its square root, rounded once, too. covariance: the
 * same for the sums of two arrays and the sum of their products x * y; the variance is the
 * covariance of an array with itself.
 *
 * Where n or n - less is not positive, or where any number is a NaN or an infinity, the result is
 * NaN. A result that is exactly zero is +0 in each rounding. The root of what is negative, which no
 * sums of one array give, is NaN. ACCORD_ARG, with *out unchanged: the accumulators do not count
 * equally many terms, or *out is NULL. Squares of f32 can be added to a small accumulator, and that
 * to a wide one by accord_exact_wide_add_narrow. */
ACCORD_API enum accord_status
accord_exact_variance_f64(const accord_exact *sum, const accord_exact_wide *squares, int64_t less,
                          enum accord_exact_rounding rounding, double *out, accord_error *error);
ACCORD_API enum accord_status
accord_exact_variance_f32(const accord_exact *sum, const accord_exact_wide *squares, int64_t less,
                          enum accord_exact_rounding rounding, float *out, accord_error *error);
ACCORD_API enum accord_status
accord_exact_variance_f16(const accord_exact *sum, const accord_exact_wide *squares, int64_t less,
                          enum accord_exact_rounding rounding, uint16_t *out, accord_error *error);
ACCORD_API enum accord_status
accord_exact_variance_bf16(const accord_exact *sum, const accord_exact_wide *squares, int64_t less,
                           enum accord_exact_rounding rounding, uint16_t *out, accord_error *error);
ACCORD_API enum accord_status
accord_exact_deviation_f64(const accord_exact *sum, const accord_exact_wide *squares, int64_t less,
                           enum accord_exact_rounding rounding, double *out, accord_error *error);
ACCORD_API enum accord_status
accord_exact_deviation_f32(const accord_exact *sum, const accord_exact_wide *squares, int64_t less,
                           enum accord_exact_rounding rounding, float *out, accord_error *error);
ACCORD_API enum accord_status
accord_exact_deviation_f16(const accord_exact *sum, const accord_exact_wide *squares, int64_t less,
                           enum accord_exact_rounding rounding, uint16_t *out, accord_error *error);
ACCORD_API enum accord_status accord_exact_deviation_bf16(const accord_exact *sum,
                                                          const accord_exact_wide *squares,
                                                          int64_t less,
                                                          enum accord_exact_rounding rounding,
                                                          uint16_t *out, accord_error *error);
ACCORD_API enum accord_status
accord_exact_covariance_f64(const accord_exact *sum_x, const accord_exact *sum_y,
                            const accord_exact_wide *products, int64_t less,
                            enum accord_exact_rounding rounding, double *out, accord_error *error);
ACCORD_API enum accord_status
accord_exact_covariance_f32(const accord_exact *sum_x, const accord_exact *sum_y,
                            const accord_exact_wide *products, int64_t less,
                            enum accord_exact_rounding rounding, float *out, accord_error *error);
ACCORD_API enum accord_status accord_exact_covariance_f16(
    const accord_exact *sum_x, const accord_exact *sum_y, const accord_exact_wide *products,
    int64_t less, enum accord_exact_rounding rounding, uint16_t *out, accord_error *error);
ACCORD_API enum accord_status accord_exact_covariance_bf16(
    const accord_exact *sum_x, const accord_exact *sum_y, const accord_exact_wide *products,
    int64_t less, enum accord_exact_rounding rounding, uint16_t *out, accord_error *error);

/* alpha times the sum. Where alpha or the sum is a zero, an infinity or a NaN, the product is that
 * of IEEE 754; but a sum that is exactly zero, times a finite alpha that is not zero, is the sum of
 * the terms alpha * x, so that terms that cancel give -0 only when they are rounded down. */
ACCORD_API double accord_exact_scaled_f64(const accord_exact *sum, double alpha,
                                          enum accord_exact_rounding rounding);
ACCORD_API float accord_exact_scaled_f32(const accord_exact *sum, float alpha,
                                         enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_scaled_f16(const accord_exact *sum, uint16_t alpha,
                                            enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_scaled_bf16(const accord_exact *sum, uint16_t alpha,
                                             enum accord_exact_rounding rounding);
ACCORD_API double accord_exact_wide_scaled_f64(const accord_exact_wide *sum, double alpha,
                                               enum accord_exact_rounding rounding);
ACCORD_API float accord_exact_wide_scaled_f32(const accord_exact_wide *sum, float alpha,
                                              enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_wide_scaled_f16(const accord_exact_wide *sum, uint16_t alpha,
                                                 enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_wide_scaled_bf16(const accord_exact_wide *sum, uint16_t alpha,
                                                  enum accord_exact_rounding rounding);

/* sign: -1, 0 or 1. compare: the sign of a - b; an infinity equals itself, and zeros of both signs
 * are equal. Both: ACCORD_EXACT_UNORDERED where a sum is NaN. */
#define ACCORD_EXACT_UNORDERED 2
ACCORD_API int accord_exact_sign(const accord_exact *sum);
ACCORD_API int accord_exact_wide_sign(const accord_exact_wide *sum);
ACCORD_API int accord_exact_compare(const accord_exact *a, const accord_exact *b);
ACCORD_API int accord_exact_wide_compare(const accord_exact_wide *a, const accord_exact_wide *b);

/* The signed distance a - b: the sum of the terms of a and of the negated terms of b. Two
 * infinities of the same sign give NaN. */
ACCORD_API double accord_exact_difference_f64(const accord_exact *a, const accord_exact *b,
                                              enum accord_exact_rounding rounding);
ACCORD_API float accord_exact_difference_f32(const accord_exact *a, const accord_exact *b,
                                             enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_difference_f16(const accord_exact *a, const accord_exact *b,
                                                enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_difference_bf16(const accord_exact *a, const accord_exact *b,
                                                 enum accord_exact_rounding rounding);
ACCORD_API double accord_exact_wide_difference_f64(const accord_exact_wide *a,
                                                   const accord_exact_wide *b,
                                                   enum accord_exact_rounding rounding);
ACCORD_API float accord_exact_wide_difference_f32(const accord_exact_wide *a,
                                                  const accord_exact_wide *b,
                                                  enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_wide_difference_f16(const accord_exact_wide *a,
                                                     const accord_exact_wide *b,
                                                     enum accord_exact_rounding rounding);
ACCORD_API uint16_t accord_exact_wide_difference_bf16(const accord_exact_wide *a,
                                                      const accord_exact_wide *b,
                                                      enum accord_exact_rounding rounding);

/* The narrowest interval that contains the sum: *down and *up are the sum rounded down and up. They
 * are equal, except for signs of zeros, if and only if the sum is a number of the format. */
ACCORD_API void accord_exact_interval_f64(const accord_exact *sum, double *down, double *up);
ACCORD_API void accord_exact_interval_f32(const accord_exact *sum, float *down, float *up);
ACCORD_API void accord_exact_interval_f16(const accord_exact *sum, uint16_t *down, uint16_t *up);
ACCORD_API void accord_exact_interval_bf16(const accord_exact *sum, uint16_t *down, uint16_t *up);
ACCORD_API void accord_exact_wide_interval_f64(const accord_exact_wide *sum, double *down,
                                               double *up);
ACCORD_API void accord_exact_wide_interval_f32(const accord_exact_wide *sum, float *down,
                                               float *up);
ACCORD_API void accord_exact_wide_interval_f16(const accord_exact_wide *sum, uint16_t *down,
                                               uint16_t *up);
ACCORD_API void accord_exact_wide_interval_bf16(const accord_exact_wide *sum, uint16_t *down,
                                                uint16_t *up);

/* out[0] … out[*count - 1] = an expansion whose exact sum is the sum: out[0] is the sum rounded to
 * nearest, out[1] what is then left, rounded to nearest, and so on until nothing is left. So the
 * first two make a double-double, and *count is at least 1 and at most
 * ACCORD_EXACT_EXPANSION_TERMS. A zero, an infinity or a NaN is the only term. ACCORD_ARG, with
 * nothing written: the sum is finite but overflows, a wide sum has bits below 2^-1074, or a pointer
 * is NULL. */
#define ACCORD_EXACT_EXPANSION_TERMS 42
ACCORD_API enum accord_status accord_exact_expansion(const accord_exact *sum,
                                                     double out[ACCORD_EXACT_EXPANSION_TERMS],
                                                     size_t *count, accord_error *error);
ACCORD_API enum accord_status accord_exact_wide_expansion(const accord_exact_wide *sum,
                                                          double out[ACCORD_EXACT_EXPANSION_TERMS],
                                                          size_t *count, accord_error *error);

/* Writes the exact sum in decimal, all its digits: "-0.125", "3e+200", "1.5e-60", "0", "-0", "inf",
 * "-inf", "nan". The exponent appears if the number would otherwise have more than 40 zeros before
 * or behind its digits. At most `room` bytes are written, with a zero byte at the end (nothing if
 * room is 0; text may then be NULL). Returns the length of the whole text without that byte, which
 * is less than ACCORD_EXACT_DECIMAL_BYTES (wide: ACCORD_EXACT_WIDE_DECIMAL_BYTES). */
#define ACCORD_EXACT_DECIMAL_BYTES 1536
#define ACCORD_EXACT_WIDE_DECIMAL_BYTES 3072
ACCORD_API size_t accord_exact_decimal(const accord_exact *sum, char *text, size_t room);
ACCORD_API size_t accord_exact_wide_decimal(const accord_exact_wide *sum, char *text, size_t room);

#ifdef __cplusplus
}
#endif
#endif
