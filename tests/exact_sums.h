/* For tests of exact sums: random and adversarial numbers, and what MPFR says of them. The oracle
 * has room for every bit of every sum and rounds it on the grid of the format, by rounding to an
 * integer number of steps; it shares nothing with the library but the table of formats. */
#ifndef EXACT_SUMS_H
#define EXACT_SUMS_H

#include "base/base.h"
#include <accord/exact.h>
#include <accord/format.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

enum { BITS = 4700, MOST = 10000, FORMATS = 4, ROUNDINGS = ACCORD_EXACT_ROUNDING_COUNT };

static double numbers[MOST], others[MOST];
static accordi_rng rng;

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline int below(int bound)
{
    return (int)accordi_rng_below(&rng, (uint64_t)bound);
}

static inline double sign(void)
{
    return below(2) ? -1 : 1;
}

/* The oracle. */

static inline double overflowed(const accord_format_info *row, int rounding, bool negative)
{
    bool away = rounding == ACCORD_EXACT_NEAREST_EVEN || rounding == ACCORD_EXACT_NEAREST_AWAY ||
                rounding == (negative ? ACCORD_EXACT_DOWN : ACCORD_EXACT_UP);
    double size = away ? (double)INFINITY : row->greatest;
    return negative ? -size : size;
}

/* The pattern of a value that is not zero. */
static inline uint64_t round_oracle(int format, int rounding, const mpfr_t exact)
{
    static const mpfr_rnd_t modes[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU, MPFR_RNDNA};
    const accord_format_info *row = accord_format_get((enum accord_format)format);
    bool negative = mpfr_sgn(exact) < 0;
    long e = mpfr_get_exp(exact) - 1;
    long q = (e < row->min_exponent ? row->min_exponent : e) - (row->precision - 1);
    mpfr_t steps;
    mpfr_init2(steps, BITS);
    mpfr_mul_2si(steps, exact, -q, MPFR_RNDN);
    if (modes[rounding] == MPFR_RNDNA)
        mpfr_round(steps, steps);
    else
        mpfr_rint(steps, steps, modes[rounding]);
    mpfr_mul_2si(steps, steps, q, MPFR_RNDN);
    bool over = mpfr_cmp_d(steps, row->greatest) > 0 || mpfr_cmp_d(steps, -row->greatest) < 0;
    double size = over ? overflowed(row, rounding, negative) : mpfr_get_d(steps, MPFR_RNDN);
    mpfr_clear(steps);
    return accord_format_encode((enum accord_format)format, copysign(size, negative ? -1 : 1));
}

static inline uint64_t pattern_of(const accord_exact *sum, int format, int rounding)
{
    enum accord_exact_rounding r = (enum accord_exact_rounding)rounding;
    float narrow;
    uint32_t bits;
    switch (format) {
    case ACCORD_F64:
        return bits_of(accord_exact_f64(sum, r));
    case ACCORD_F32:
        narrow = accord_exact_f32(sum, r);
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    case ACCORD_F16:
        return accord_exact_f16(sum, r);
    default:
        return accord_exact_bf16(sum, r);
    }
}

static inline uint64_t wide_pattern_of(const accord_exact_wide *sum, int format, int rounding)
{
    enum accord_exact_rounding r = (enum accord_exact_rounding)rounding;
    float narrow;
    uint32_t bits;
    switch (format) {
    case ACCORD_F64:
        return bits_of(accord_exact_wide_f64(sum, r));
    case ACCORD_F32:
        narrow = accord_exact_wide_f32(sum, r);
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    case ACCORD_F16:
        return accord_exact_wide_f16(sum, r);
    default:
        return accord_exact_wide_bf16(sum, r);
    }
}

static inline void same_pattern(uint64_t found, uint64_t expected, int format, int rounding,
                                const char *what, size_t n)
{
    if (found != expected)
        fail_msg("%s, n %zu, %s, rounding %d: found %" PRIx64 ", expected %" PRIx64, what, n,
                 accord_format_get((enum accord_format)format)->name, rounding, found, expected);
}

/* negative_zero: the sign of an exact zero; `mixed`: which is -0 when rounded down. */
static inline uint64_t expected_pattern(const mpfr_t exact, int format, int rounding,
                                        bool negative_zero, bool mixed)
{
    if (!mpfr_zero_p(exact))
        return round_oracle(format, rounding, exact);
    bool negative = negative_zero || (mixed && rounding == ACCORD_EXACT_DOWN);
    return accord_format_encode((enum accord_format)format, negative ? -0.0 : 0.0);
}

static inline size_t judge(const accord_exact *sum, const mpfr_t exact, bool negative_zero,
                           bool mixed, const char *what, size_t n)
{
    for (int f = 0; f < FORMATS; f++)
        for (int r = 0; r < ROUNDINGS; r++)
            same_pattern(pattern_of(sum, f, r), expected_pattern(exact, f, r, negative_zero, mixed),
                         f, r, what, n);
    return FORMATS * ROUNDINGS;
}

static inline size_t judge_wide(const accord_exact_wide *sum, const mpfr_t exact,
                                bool negative_zero, bool mixed, const char *what, size_t n)
{
    for (int f = 0; f < FORMATS; f++)
        for (int r = 0; r < ROUNDINGS; r++)
            same_pattern(wide_pattern_of(sum, f, r),
                         expected_pattern(exact, f, r, negative_zero, mixed), f, r, what, n);
    return FORMATS * ROUNDINGS;
}

static inline void same_sum(const accord_exact *a, const accord_exact *b, const char *what)
{
    accord_exact x = *a, y = *b;
    accord_exact_canonical(&x);
    accord_exact_canonical(&y);
    if (memcmp(&x, &y, sizeof x))
        fail_msg("%s: another sum: %a, %a", what, accord_exact_f64(a, ACCORD_EXACT_NEAREST_EVEN),
                 accord_exact_f64(b, ACCORD_EXACT_NEAREST_EVEN));
}

static inline void same_wide(const accord_exact_wide *a, const accord_exact_wide *b,
                             const char *what)
{
    accord_exact_wide x = *a, y = *b;
    accord_exact_wide_canonical(&x);
    accord_exact_wide_canonical(&y);
    if (memcmp(&x, &y, sizeof x))
        fail_msg("%s: another sum: %a, %a", what,
                 accord_exact_wide_f64(a, ACCORD_EXACT_NEAREST_EVEN),
                 accord_exact_wide_f64(b, ACCORD_EXACT_NEAREST_EVEN));
}

/* Fills: a row each. */

static inline void log_uniform(double *x, size_t n, double decades)
{
    double binades = decades * 3.3219280948873623;
    for (size_t i = 0; i < n; i++)
        x[i] = sign() * ldexp(1 + accordi_rng_unit(&rng),
                              (int)floor((accordi_rng_unit(&rng) - 0.5) * binades));
}

static inline void fill_uniform(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = accordi_rng_unit(&rng);
}

static inline void fill_same_exponent(double *x, size_t n)
{
    int e = below(2000) - 1000;
    for (size_t i = 0; i < n; i++)
        x[i] = sign() * ldexp(1 + accordi_rng_unit(&rng), e);
}

static inline void fill_1e15(double *x, size_t n)
{
    log_uniform(x, n, 15);
}

static inline void fill_1e30(double *x, size_t n)
{
    log_uniform(x, n, 30);
}

static inline void fill_1e90(double *x, size_t n)
{
    log_uniform(x, n, 90);
}

static inline void fill_1e300(double *x, size_t n)
{
    log_uniform(x, n, 300);
}

static inline void fill_patterns(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        do
            x[i] = from_bits(accordi_rng_next(&rng));
        while (!isfinite(x[i]));
}

/* Everything cancels but for a few small terms, or nothing is left at all. */
static inline void fill_cancelling(double *x, size_t n)
{
    fill_1e300(x, n);
    for (size_t i = 0; i + 1 < n; i += 2)
        x[i + 1] = -x[i];
    for (int i = below(3); i > 0 && n; i--)
        x[below((int)n)] *= 0x1p-60;
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)accordi_rng_below(&rng, i);
        double t = x[i - 1];
        x[i - 1] = x[j];
        x[j] = t;
    }
}

/* Halves of the last place of some format, with or without a trace on top. */
static inline void fill_ties(double *x, size_t n)
{
    static const int precisions[] = {53, 24, 11, 8};
    int half = precisions[below(4)], e = below(30) - 14;
    for (size_t i = 0; i < n; i++)
        x[i] = sign() * ldexp(1, below(3) ? e - half : e);
    if (n > 2 && below(2))
        x[below((int)n)] = sign() * (below(2) ? 0x1p-1074 : ldexp(1, e - 200));
}

static inline void fill_subnormal(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = from_bits(accordi_rng_next(&rng) & 0x801fffffffffffff);
}

static inline void fill_overflow(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = sign() * (below(4) ? DBL_MAX : ldexp(1, 960 + below(64)));
}

/* About the greatest and least values of the narrow formats. */
static inline void fill_edges(double *x, size_t n)
{
    const accord_format_info *row = accord_format_get((enum accord_format)below(FORMATS));
    double edge = below(2) ? row->greatest : row->least;
    for (size_t i = 0; i < n; i++)
        x[i] = (i ? sign() * ldexp(1, -below(13)) : 1) * (edge * (below(8) ? 0x1p-2 : 1));
    if (n)
        x[0] = sign() * edge;
}

static inline void fill_zeros(double *x, size_t n)
{
    int kind = below(3);
    for (size_t i = 0; i < n; i++)
        x[i] = kind == 0 || (kind == 2 && below(2)) ? -0.0 : 0.0;
}

/* All bits of the significand set, one exponent: the limbs grow as fast as they can. */
static inline void fill_heavy(double *x, size_t n)
{
    double value = sign() * ldexp(0x1.fffffffffffffp0, below(2046) - 1022);
    for (size_t i = 0; i < n; i++)
        x[i] = value;
}

static const struct {
    const char *name;
    void (*fill)(double *x, size_t n);
} fills[] = {
    {"uniform", fill_uniform},   {"same exponent", fill_same_exponent},
    {"1e15", fill_1e15},         {"1e30", fill_1e30},
    {"1e90", fill_1e90},         {"1e300", fill_1e300},
    {"patterns", fill_patterns}, {"cancelling", fill_cancelling},
    {"ties", fill_ties},         {"subnormal", fill_subnormal},
    {"overflow", fill_overflow}, {"edges", fill_edges},
    {"zeros", fill_zeros},       {"heavy", fill_heavy},
};
enum { FILLS = sizeof fills / sizeof *fills };

static inline size_t any_length(size_t most)
{
    size_t n = (size_t)exp(accordi_rng_unit(&rng) * log((double)most + 1));
    return below(20) ? n : 0;
}

typedef struct kinds {
    bool negative_zeros, mixed; /* only -0, or nothing; neither only -0 nor only +0 */
} kinds;

static inline kinds kinds_of(const double *x, size_t n)
{
    size_t plus = 0, minus = 0;
    for (size_t i = 0; i < n; i++) {
        plus += bits_of(x[i]) == bits_of(0.0);
        minus += bits_of(x[i]) == bits_of(-0.0);
    }
    return (kinds){minus == n, minus != n && plus != n};
}

static inline void exact_sum(mpfr_t exact, const double *x, size_t n)
{
    mpfr_set_zero(exact, 1);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(mpfr_add_d(exact, exact, x[i], MPFR_RNDN), 0);
}

static inline void exact_dot(mpfr_t exact, const double *x, const double *y, size_t n)
{
    mpfr_t product;
    mpfr_init2(product, 106);
    mpfr_set_zero(exact, 1);
    for (size_t i = 0; i < n; i++) {
        mpfr_set_d(product, x[i], MPFR_RNDN);
        assert_int_equal(mpfr_mul_d(product, product, y[i], MPFR_RNDN), 0);
        assert_int_equal(mpfr_add(exact, exact, product, MPFR_RNDN), 0);
    }
    mpfr_clear(product);
}

/* The signs of the zeros among the products are those of IEEE 754. */
static inline kinds kinds_of_products(const double *x, const double *y, size_t n)
{
    size_t plus = 0, minus = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] == 0 || y[i] == 0) {
            bool negative = (signbit(x[i]) != 0) != (signbit(y[i]) != 0);
            plus += !negative;
            minus += negative;
        }
    return (kinds){minus == n, minus != n && plus != n};
}

#endif
