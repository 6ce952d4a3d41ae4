/* Kinds of functions that are no plain sum, each with the reason that it should be refused for.
 * A box gets its terms as doubles that the format holds; what it returns is rounded to the format.
 */
#ifndef ACCORD_TESTS_NOT_SUMS_H
#define ACCORD_TESTS_NOT_SUMS_H

#include <accord/exact.h>
#include <accord/exact_blas.h>
#include <accord/target.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct box_context {
    enum accord_format format;
    uint64_t calls, random;
    double state;
    double cache[256];
} box_context;

typedef double box(box_context *c, const double *x, size_t n);

static double rounded(const box_context *c, double x)
{
    return accord_format_round(c->format, ACCORD_NEAREST_EVEN, x);
}

static double plus(const box_context *c, double a, double b)
{
    return accord_format_add(c->format, ACCORD_NEAREST_EVEN, a, b);
}

static double times(const box_context *c, double a, double b)
{
    return rounded(c, a * b);
}

static double added(const box_context *c, const double *x, size_t n)
{
    double sum = x[0];
    for (size_t i = 1; i < n; i++)
        sum = plus(c, sum, x[i]);
    return sum;
}

static double noise(box_context *c)
{
    c->random = c->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(c->random >> 40) * 0x1p-24;
}

static int upwards(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One expression, of the running value v and term t = x[i]; i and n are there too. */
#define FOLD(NAME, FIRST, STEP, LAST)                                                              \
    static double NAME(box_context *c, const double *x, size_t n)                                  \
    {                                                                                              \
        double v = (FIRST);                                                                        \
        (void)c;                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            double t = x[i];                                                                       \
            v = (STEP);                                                                            \
        }                                                                                          \
        return (LAST);                                                                             \
    }
#define ADDS(NAME, TERM) FOLD(NAME, 0, plus(c, v, TERM), v)
#define ENDS(NAME, LAST) FOLD(NAME, 0, plus(c, v, t), LAST)

FOLD(box_greatest, x[0], t > v ? t : v, v)
FOLD(box_least, x[0], t < v ? t : v, v)
FOLD(box_max_magnitude, 0, fabs(t) > v ? fabs(t) : v, v)
FOLD(box_product, 1, times(c, v, t), v)
FOLD(box_first, 0, i == 0 ? t : v, v)
FOLD(box_last, 0, t, v)
FOLD(box_constant, 7, t == t ? v : v, v)
FOLD(box_count, 0, v + (t == t), v)
FOLD(box_nonzeros, 0, v + (t != 0), v)
FOLD(box_argmax, 0, t > x[(size_t)v] ? (double)i : v, v)
FOLD(box_any, 0, v + (t != 0), v > 0)
FOLD(box_all, 1, v != 0 && t != 0, v)
FOLD(box_any_positive, 0, v != 0 || t > 0, v)
FOLD(box_any_above_half, 0, v != 0 || t > 0.5, v)
FOLD(box_all_positive, 1, v != 0 && t > 0, v)

static double box_range(box_context *c, const double *x, size_t n)
{
    return box_greatest(c, x, n) - box_least(c, x, n);
}

static double box_median(box_context *c, const double *x, size_t n)
{
    double copy[256];
    memcpy(copy, x, n * sizeof *x);
    qsort(copy, n, sizeof *copy, upwards);
    return n % 2 ? copy[n / 2] : times(c, 0.5, plus(c, copy[n / 2 - 1], copy[n / 2]));
}

static double box_lower_median(box_context *c, const double *x, size_t n)
{
    double copy[256];
    (void)c;
    memcpy(copy, x, n * sizeof *x);
    qsort(copy, n, sizeof *copy, upwards);
    return copy[(n - 1) / 2];
}

/* Means and moments, in two passes. */
static double squares_from(box_context *c, const double *x, size_t n, double from)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double d = plus(c, x[i], -from);
        sum = plus(c, sum, times(c, d, d));
    }
    return sum;
}

static double mean_of(const box_context *c, const double *x, size_t n)
{
    return rounded(c, added(c, x, n) / (double)n);
}

static double box_variance(box_context *c, const double *x, size_t n)
{
    return squares_from(c, x, n, mean_of(c, x, n)) / (double)n;
}

static double box_sample_variance(box_context *c, const double *x, size_t n)
{
    return squares_from(c, x, n, mean_of(c, x, n)) / (double)(n - 1);
}

static double box_deviation(box_context *c, const double *x, size_t n)
{
    return sqrt(rounded(c, box_variance(c, x, n)));
}

static double box_sample_deviation(box_context *c, const double *x, size_t n)
{
    return sqrt(rounded(c, box_sample_variance(c, x, n)));
}

ADDS(box_exponentials, rounded(c, exp(t)))
ADDS(box_shifted_exponentials, rounded(c, exp(t - box_greatest(c, x, n))))
FOLD(box_logsumexp, 0, plus(c, v, rounded(c, exp(t - box_greatest(c, x, n)))),
     plus(c, rounded(c, log(v)), box_greatest(c, x, n)))
FOLD(box_softmax, 0, plus(c, v, rounded(c, exp(t - box_greatest(c, x, n)))),
     rounded(c, exp(x[0] - box_greatest(c, x, n))) / v)
FOLD(box_norm_3, 0, plus(c, v, times(c, fabs(t), times(c, t, t))), cbrt(v))
FOLD(box_geometric_mean, 0, plus(c, v, rounded(c, log(t))), exp(v / (double)n))
FOLD(box_harmonic_mean, 0, plus(c, v, rounded(c, 1 / t)), (double)n / v)
ADDS(box_cubes, times(c, t, times(c, t, t)))
ADDS(box_relu_terms, t > 0 ? t : 0)
ADDS(box_leaky_terms, t > 0 ? t : 0.25 * t)
ADDS(box_signs, (t > 0) - (t < 0))
ADDS(box_from_one, t >= 1)
ADDS(box_remainders, fmod(t, 5))
ADDS(box_sines, rounded(c, sin(t)))

/* Clamps and limits. */
#define CLAMP(X, LOW, HIGH) ((X) < (LOW) ? (LOW) : (X) > (HIGH) ? (HIGH) : (X))
ENDS(box_clamp_result_small, CLAMP(v, -2, 5))
ENDS(box_clamp_result, CLAMP(v, -1000, 1000))
ENDS(box_clamp_at_most, CLAMP(v, -INFINITY, 60))
ADDS(box_clamp_terms_small, CLAMP(t, -2, 2))
ADDS(box_clamp_terms, CLAMP(t, -500, 500))
FOLD(box_saturating_small, 0, CLAMP(plus(c, v, t), -3, 3), v)
FOLD(box_saturating, 0, CLAMP(plus(c, v, t), -1500, 1500), v)
ENDS(box_relu_sum, v > 0 ? v : 0)
ENDS(box_magnitude, fabs(v))
ENDS(box_square_of_sum, times(c, v, v))
ENDS(box_sigmoid, 1 / (1 + exp(-v)))
ENDS(box_relu6, CLAMP(v, 0, 6))
ENDS(box_modulo, v - 100 * floor(v / 100))
ENDS(box_wrap, v - 256 * rint(v / 256))
ADDS(box_refuses_large, fabs(t) > 1000 ? NAN : t)
ADDS(box_drops_large, fabs(t) > 1000 ? 0 : t)
ADDS(box_threshold, fabs(t) < 0x1p-7 ? 0 : t)
ENDS(box_threshold_result, fabs(v) < 0x1p-7 ? 0 : v)

/* Fixed point: exact integers of so many bits behind the point. */
ADDS(box_fixed_4, rint(t * 16) / 16)
ADDS(box_fixed_8, rint(t * 256) / 256)
ADDS(box_fixed_cut, trunc(t * 64) / 64)
FOLD(box_fixed_wide, 0, v + rint(t * 1024) / 1024, v)
ADDS(box_integers, trunc(t))
ADDS(box_rounded_integers, rint(t))
ENDS(box_quantised_result, rint(v * 32) / 32)
ENDS(box_cents, rint(v * 100) / 100)
ENDS(box_whole_result, rint(v))

/* Weights and constants. */
FOLD(box_decay, 0, plus(c, times(c, 0.75, v), t), v)
FOLD(box_halving, 0, plus(c, 0.5 * v, t), v)
FOLD(box_horner, 0, plus(c, times(c, 2, v), t), v)
ADDS(box_linear_weights, times(c, (double)(i + 1), t))
ADDS(box_powers_of_two, ldexp(t, (int)((i * 5 + i / 3) % 4)))
ADDS(box_weighted, times(c, rounded(c, 0.3 + 0.1 * (double)(i % 7)), t))
FOLD(box_weighted_mean, 0, plus(c, v, times(c, (double)(1 + i % 3), t)), v / 5)
ADDS(box_one_half, i == n / 2 ? 0.5 * t : t)
ADDS(box_alternating, i % 2 ? -t : t)
ADDS(box_missing, i == n / 2 ? 0 : t)
ADDS(box_every_other, i % 2 ? 0 : t)
/* A tail of four that begins at the front again, as in a kernel that forgets to move its pointer.
 */
ADDS(box_wrong_tail, n > 7 && i < 4 ? 2 * t : n > 7 && i + 4 >= n ? 0 : t)
ADDS(box_wrong_tail_of_magnitudes, n > 7 && i < 4 ? 2 * fabs(t) : n > 7 && i + 4 >= n ? 0 : fabs(t))
FOLD(box_twice, 0, plus(c, i == n / 2 ? plus(c, v, t) : v, t), v)
ENDS(box_bias_exact, plus(c, v, 1))
ENDS(box_bias, plus(c, v, rounded(c, 0.1)))
ENDS(box_affine, plus(c, times(c, 3, v), 0.5))
FOLD(box_squares_and_bias, 0, plus(c, v, times(c, t, t)), plus(c, v, 0.125))
FOLD(box_root_and_epsilon, 0, plus(c, v, times(c, t, t)), sqrt(plus(c, v, 0.0625)))
ADDS(box_neighbors, times(c, t, x[(i + 1) % n]))
FOLD(box_mean_of_mean, 0, plus(c, v, times(c, plus(c, t, -v), rounded(c, 1 / (double)(i + 1)))), v)

/* State, noise. */
static double box_running(box_context *c, const double *x, size_t n)
{
    return c->state = plus(c, c->state, added(c, x, n));
}

static double box_lagging(box_context *c, const double *x, size_t n)
{
    double before = c->state;
    c->state = added(c, x, n);
    return before;
}

static double box_smoothed(box_context *c, const double *x, size_t n)
{
    double before = c->state;
    c->state = added(c, x, n);
    return plus(c, 0.5 * before, 0.5 * c->state);
}

static double box_noisy(box_context *c, const double *x, size_t n)
{
    return plus(c, added(c, x, n), rounded(c, noise(c)));
}

static double box_dropout(box_context *c, const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = plus(c, sum, noise(c) < 0.5 ? 0 : x[i]);
    return sum;
}

static double box_stochastic(box_context *c, const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        long double exact = (long double)sum + x[i];
        double near = plus(c, sum, x[i]);
        double other =
            accord_format_add(c->format, near > exact ? ACCORD_DOWN : ACCORD_UP, sum, x[i]);
        sum = near == exact || noise(c) < 0.7 ? near : other;
    }
    return sum;
}

static double box_first_answer(box_context *c, const double *x, size_t n)
{
    c->state = c->calls++ ? c->state : added(c, x, n);
    return c->state;
}

/* Better than plain. */
static double box_kahan(box_context *c, const double *x, size_t n)
{
    double sum = 0, rest = 0;
    for (size_t i = 0; i < n; i++) {
        double y = plus(c, x[i], -rest), t = plus(c, sum, y);
        rest = plus(c, plus(c, t, -sum), -y);
        sum = t;
    }
    return sum;
}

/* a + b and its error. */
static double two_sum(const box_context *c, double a, double b, double *error)
{
    double s = plus(c, a, b), bb = plus(c, s, -a);
    *error = plus(c, plus(c, a, -plus(c, s, -bb)), plus(c, b, -bb));
    return s;
}

static double box_neumaier(box_context *c, const double *x, size_t n)
{
    double sum = 0, rest = 0, error;
    for (size_t i = 0; i < n; i++) {
        sum = two_sum(c, sum, x[i], &error);
        rest = plus(c, rest, error);
    }
    return plus(c, sum, rest);
}

static double box_klein(box_context *c, const double *x, size_t n)
{
    double sum = 0, rest = 0, last = 0, error;
    for (size_t i = 0; i < n; i++) {
        sum = two_sum(c, sum, x[i], &error);
        rest = two_sum(c, rest, error, &error);
        last = plus(c, last, error);
    }
    return plus(c, sum, plus(c, rest, last));
}

/* So many errors are carried along that one mask, or two, cover nothing. */
static double box_errors_of_errors(box_context *c, const double *x, size_t n)
{
    double part[4] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++) {
        double term = x[i], error = 0;
        for (int k = 0; k < 3; k++) {
            part[k] = two_sum(c, part[k], term, &error);
            term = error;
        }
        part[3] = plus(c, part[3], term);
    }
    for (int k = 3; k >= 0; k--)
        sum = plus(c, sum, part[k]);
    return sum;
}

static double box_double_double(box_context *c, const double *x, size_t n)
{
    double high = 0, low = 0, error;
    for (size_t i = 0; i < n; i++) {
        double s = two_sum(c, high, x[i], &error);
        high = two_sum(c, s, plus(c, low, error), &low);
    }
    return plus(c, high, low);
}

static double box_exact(box_context *c, const double *x, size_t n)
{
    double sum = 0;
    (void)c;
    accord_sum_exact_f64(n, x, 1, NULL, &sum, NULL);
    return sum;
}

static double box_sorted(box_context *c, const double *x, size_t n)
{
    double copy[256];
    memcpy(copy, x, n * sizeof *x);
    qsort(copy, n, sizeof *copy, upwards);
    return added(c, copy, n);
}

/* Wider inside. */
static double box_quad(box_context *c, const double *x, size_t n)
{
    __float128 sum = 0;
    (void)c;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return (double)sum;
}

/* Of the terms that are not 0, the first with the last, and so on inwards. */
static double box_compacting(box_context *c, const double *x, size_t n)
{
    double some[256];
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0)
            some[count++] = x[i];
    for (size_t half; count > 1; count = half) {
        half = (count + 1) / 2;
        for (size_t i = 0; i < count / 2; i++)
            some[i] = plus(c, some[i], some[count - 1 - i]);
    }
    return count ? some[0] : 0;
}

/* Terms that are not 0, in pairs of neighbors. */
static double box_sparse_pairs(box_context *c, const double *x, size_t n)
{
    double some[256];
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0)
            some[count++] = x[i];
    for (; count > 1; count = (count + 1) / 2)
        for (size_t i = 0; i < count; i += 2)
            some[i / 2] = i + 1 < count ? plus(c, some[i], some[i + 1]) : some[i];
    return count ? some[0] : 0;
}

/* Terms that are not 0, dealt to four lanes. */
static double box_sparse_lanes(box_context *c, const double *x, size_t n)
{
    double lane[4] = {0};
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0) {
            lane[count % 4] = plus(c, lane[count % 4], x[i]);
            count++;
        }
    return plus(c, plus(c, lane[0], lane[1]), plus(c, lane[2], lane[3]));
}

static double box_f32_in_f64(box_context *c, const double *x, size_t n)
{
    float sum = (float)added(c, x, n);
    uint64_t bits = 0;
    double value;
    memcpy(&bits, &sum, sizeof sum);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double box_f32_integer(box_context *c, const double *x, size_t n)
{
    float sum = (float)added(c, x, n);
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return (double)bits;
}

static double box_f16_integer(box_context *c, const double *x, size_t n)
{
    return (double)accord_format_encode(ACCORD_F16, added(c, x, n));
}

typedef struct not_sum {
    const char *name;
    box *box;
    enum accord_reason reason; /* NOT_A_TREE: the general one will do */
    size_t from;               /* the reason shows from so many terms on */
    int precision;             /* and in formats of so many bits */
    bool often;                /* rounds often: many terms tell nothing in narrow formats */
} not_sum;

#define ROW(NAME, REASON, FROM, BITS)                                                              \
    {                                                                                              \
#NAME, box_##NAME, ACCORD_REASON_##REASON, FROM, BITS, false                               \
    }
#define OFTEN(NAME, REASON, FROM)                                                                  \
    {                                                                                              \
#NAME, box_##NAME, ACCORD_REASON_##REASON, FROM, 8, true                                   \
    }
static const not_sum not_sums[] = {
    ROW(greatest, MAXIMUM, 2, 8),
    ROW(least, MINIMUM, 2, 8),
    ROW(max_magnitude, MAGNITUDE, 2, 8),
    ROW(range, RANGE, 2, 8),
    OFTEN(product, PRODUCT, 2),
    ROW(median, MEDIAN, 3, 8),
    ROW(lower_median, MEDIAN, 3, 8),
    ROW(first, ONE_TERM, 3, 8),
    ROW(last, ONE_TERM, 3, 8),
    ROW(constant, CONSTANT, 2, 8),
    ROW(count, CONSTANT, 2, 8),
    ROW(first_answer, CONSTANT, 2, 8),
    ROW(nonzeros, COUNT_OF, 2, 8),
    ROW(argmax, INDEX, 2, 8),
    ROW(any, LOGICAL, 2, 8),
    ROW(all, LOGICAL, 2, 8),
    ROW(any_positive, LOGICAL, 2, 8),
    ROW(all_positive, LOGICAL, 2, 8),
    OFTEN(variance, VARIANCE, 2),
    OFTEN(sample_variance, VARIANCE, 2),
    OFTEN(deviation, DEVIATION, 2),
    OFTEN(sample_deviation, DEVIATION, 2),
    OFTEN(exponentials, EXPONENTIALS, 2),
    OFTEN(shifted_exponentials, EXPONENTIALS, 2),
    OFTEN(logsumexp, LOGSUMEXP, 2),
    OFTEN(softmax, SOFTMAX, 2),
    OFTEN(norm_3, NORM, 2),
    OFTEN(geometric_mean, MEAN, 2),
    OFTEN(harmonic_mean, MEAN, 2),
    OFTEN(cubes, OF_TERMS, 2),
    OFTEN(leaky_terms, OF_TERMS, 2),
    OFTEN(signs, OF_TERMS, 2),
    OFTEN(from_one, OF_TERMS, 2),
    OFTEN(sines, OF_TERMS, 2),
    ROW(relu_terms, CLAMPED_TERMS, 2, 8),
    ROW(clamp_terms_small, CLAMPED_TERMS, 2, 8),
    ROW(clamp_terms, CLAMPED_TERMS, 2, 8),
    ROW(clamp_result_small, CLAMPED_RESULT, 2, 8),
    ROW(clamp_result, CLAMPED_RESULT, 3, 8),
    ROW(clamp_at_most, CLAMPED_RESULT, 3, 8),
    ROW(relu6, CLAMPED_RESULT, 2, 8),
    ROW(saturating_small, SATURATING, 3, 8),
    ROW(saturating, SATURATING, 3, 8),
    ROW(relu_sum, RECTIFIED, 2, 8),
    ROW(magnitude, ABSOLUTE_RESULT, 2, 8),
    ROW(square_of_sum, OF_THE_SUM, 2, 8),
    ROW(sigmoid, OF_THE_SUM, 2, 8),
    ROW(modulo, MODULO, 2, 8),
    ROW(wrap, MODULO, 2, 8),
    ROW(refuses_large, NOT_FINITE, 2, 8),
    ROW(drops_large, LIMITED, 2, 8),
    ROW(threshold, THRESHOLD, 2, 8),
    ROW(threshold_result, THRESHOLD, 2, 8),
    ROW(fixed_4, FIXED_POINT, 2, 8),
    ROW(fixed_8, FIXED_POINT, 2, 8),
    ROW(fixed_cut, FIXED_POINT, 2, 8),
    ROW(fixed_wide, FIXED_POINT, 2, 8),
    ROW(integers, INTEGER_TERMS, 2, 8),
    ROW(rounded_integers, INTEGER_TERMS, 2, 8),
    ROW(quantised_result, ROUNDED_RESULT, 2, 8),
    ROW(cents, ROUNDED_RESULT, 2, 8),
    ROW(whole_result, ROUNDED_RESULT, 2, 8),
    OFTEN(decay, GEOMETRIC, 3),
    ROW(halving, GEOMETRIC, 3, 8),
    OFTEN(horner, GEOMETRIC, 3),
    ROW(linear_weights, WEIGHTED, 3, 8),
    ROW(powers_of_two, WEIGHTED, 7, 8),
    ROW(weighted, WEIGHTED, 2, 8),
    ROW(weighted_mean, WEIGHTED, 3, 8),
    ROW(one_half, WEIGHTED, 3, 8),
    ROW(alternating, ALTERNATING, 2, 8),
    ROW(missing, TERM_LOST, 2, 8),
    ROW(every_other, TERM_LOST, 3, 8),
    ROW(twice, TERM_TWICE, 2, 8),
    ROW(wrong_tail, TERM_LOST, 12, 8),
    ROW(wrong_tail_of_magnitudes, TERM_LOST, 12, 8),
    ROW(bias_exact, BIAS, 2, 8),
    ROW(bias, BIAS, 2, 8),
    ROW(affine, BIAS, 2, 8),
    ROW(squares_and_bias, BIAS, 2, 8),
    ROW(root_and_epsilon, BIAS, 2, 8),
    ROW(any_above_half, NOT_A_TREE, 2, 8),
    ROW(remainders, NOT_A_TREE, 2, 8),
    ROW(neighbors, NOT_A_TREE, 2, 8),
    ROW(mean_of_mean, NOT_A_TREE, 2, 8),
    ROW(running, KEEPS_STATE, 2, 8),
    ROW(lagging, KEEPS_STATE, 2, 8),
    ROW(smoothed, KEEPS_STATE, 2, 8),
    ROW(noisy, NONDETERMINISTIC, 2, 8),
    ROW(dropout, NONDETERMINISTIC, 2, 8),
    ROW(stochastic, NONDETERMINISTIC, 3, 8),
    ROW(kahan, COMPENSATED, 5, 8),
    ROW(neumaier, COMPENSATED, 5, 8),
    ROW(klein, COMPENSATED, 7, 8),
    ROW(errors_of_errors, COMPENSATED, 11, 8),
    ROW(double_double, COMPENSATED, 5, 8),
    ROW(exact, EXACT, 3, 8),
    ROW(sorted, DATA_DEPENDENT, 3, 8),
    ROW(quad, NOT_PLAIN, 3, 53),
    ROW(compacting, DATA_DEPENDENT, 5, 8),
    ROW(sparse_pairs, DATA_DEPENDENT, 5, 12),
    ROW(sparse_lanes, DATA_DEPENDENT, 5, 8),
    ROW(f32_in_f64, OTHER_BITS, 2, 53),
    ROW(f32_integer, OTHER_BITS, 2, 24),
    ROW(f16_integer, OTHER_BITS, 2, 11),
};
#undef ROW
#undef OFTEN

#endif
