/* What MPFR says of exact sums. The oracle has room for every bit of every sum and rounds it on the
 * grid of the format, by rounding to an integer number of steps; it shares nothing with the library
 * but the table of formats. Part of exact_sums.h. */
#ifndef EXACT_ORACLE_H
#define EXACT_ORACLE_H

#include "exact_sums.h"

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
    mpfr_init2(steps, mpfr_get_prec(exact));
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
    if (!mpfr_number_p(exact))
        return accord_format_encode((enum accord_format)format, mpfr_get_d(exact, MPFR_RNDN));
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

/* mpfr_sum, a chunk at a time; nothing may be rounded. */
enum { CHUNK = 1024 };
typedef struct chunk {
    mpfr_t term[CHUNK], sum;
    mpfr_ptr at[CHUNK];
} chunk;

static inline chunk *chunk_of_terms(void)
{
    static chunk all;
    if (!all.at[0]) {
        mpfr_init2(all.sum, BITS);
        for (int i = 0; i < CHUNK; i++) {
            mpfr_init2(all.term[i], 106);
            all.at[i] = all.term[i];
        }
    }
    return &all;
}

/* Of numbers (y NULL) or products. */
static inline void exact_terms(mpfr_t exact, const double *x, const double *y, size_t n)
{
    chunk *c = chunk_of_terms();
    mpfr_set_zero(exact, 1);
    for (size_t from = 0; from < n; from += CHUNK) {
        size_t count = n - from < CHUNK ? n - from : CHUNK;
        int rounded = 0;
        for (size_t i = 0; i < count; i++) {
            mpfr_set_d(c->term[i], x[from + i], MPFR_RNDN);
            if (y)
                rounded |= mpfr_mul_d(c->term[i], c->term[i], y[from + i], MPFR_RNDN);
        }
        rounded |= mpfr_sum(c->sum, c->at, count, MPFR_RNDN);
        rounded |= mpfr_add(exact, exact, c->sum, MPFR_RNDN);
        assert_int_equal(rounded, 0);
    }
}

static inline void exact_sum(mpfr_t exact, const double *x, size_t n)
{
    exact_terms(exact, x, NULL, n);
}

static inline void exact_dot(mpfr_t exact, const double *x, const double *y, size_t n)
{
    exact_terms(exact, x, y, n);
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
