/* The second oracle of exact sums: integers alone, no rounding but by division.
 *
 * Every term is an integer m at one of 2046 exponents, every product one at 4092. The m of an
 * exponent are added in 128 bits (2^20 products of 106 bits fit), those sums in one integer of GMP
 * that counts units of 2^-2148. From it come the whole canonical accumulator, byte by byte, and the
 * patterns of all formats and roundings. */
#ifndef EXACT_INTEGERS_H
#define EXACT_INTEGERS_H

#include "exact_sums.h"
#include <gmp.h>

__extension__ typedef __int128 int128;

enum { INTEGER_UNIT = -2148, BUCKETS = 2 * 2046 };

typedef struct integer_sum {
    mpz_t units;
    int64_t count[ACCORD_EXACT_COUNTS]; /* as in a canonical accumulator */
} integer_sum;

static int128 integer_bucket[BUCKETS];

static inline void integer_init(integer_sum *sum)
{
    mpz_init(sum->units);
    memset(sum->count, 0, sizeof sum->count);
}

static inline void integer_clear(integer_sum *sum)
{
    mpz_clear(sum->units);
}

/* m * 2^shift units of the bucket's kind; 0 and 0 for zeros and what is not finite. */
static inline int64_t significand_of(double x, int *exponent)
{
    uint64_t bits = bits_of(x), fraction = bits & 0xfffffffffffff;
    int field = (int)(bits >> 52 & 2047);
    *exponent = field ? field - 1 : 0;
    int64_t m = (int64_t)(field ? fraction | 0x10000000000000 : fraction);
    return field == 2047 ? 0 : bits >> 63 ? -m : m;
}

static inline enum accord_exact_count special_of(double x)
{
    bool minus = signbit(x) != 0;
    if (isnan(x))
        return ACCORD_EXACT_NANS;
    if (isinf(x))
        return minus ? ACCORD_EXACT_MINUS_INFINITIES : ACCORD_EXACT_PLUS_INFINITIES;
    return minus ? ACCORD_EXACT_MINUS_ZEROS : ACCORD_EXACT_PLUS_ZEROS;
}

static inline void empty_buckets(mpz_t units, int unit)
{
    mpz_t part;
    mpz_init(part);
    for (int i = 0; i < BUCKETS; i++) {
        int128 m = integer_bucket[i];
        if (!m)
            continue;
        integer_bucket[i] = 0;
        mpz_set_si(part, (long)(m >> 64));
        mpz_mul_2exp(part, part, 64);
        mpz_add_ui(part, part, (unsigned long)m);
        mpz_mul_2exp(part, part, (mp_bitcnt_t)(i + unit - INTEGER_UNIT));
        mpz_add(units, units, part);
    }
    mpz_clear(part);
}

/* Zeros are counted where there is nothing else. */
static inline void settle(integer_sum *sum)
{
    int64_t *count = sum->count;
    if (count[ACCORD_EXACT_PLUS_ZEROS] + count[ACCORD_EXACT_MINUS_ZEROS] !=
        count[ACCORD_EXACT_TERMS])
        count[ACCORD_EXACT_PLUS_ZEROS] = count[ACCORD_EXACT_MINUS_ZEROS] = 0;
}

static inline void integer_terms(integer_sum *sum, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int e;
        int64_t m = significand_of(x[i], &e);
        integer_bucket[e] += m;
        if (!m)
            sum->count[special_of(x[i])]++;
    }
    sum->count[ACCORD_EXACT_TERMS] += (int64_t)n;
    empty_buckets(sum->units, -1074);
    settle(sum);
}

static inline void integer_products(integer_sum *sum, const double *x, const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int d, e;
        int64_t m = significand_of(x[i], &d), k = significand_of(y[i], &e);
        integer_bucket[m && k ? d + e : 0] += (int128)m * k;
        if (!m || !k)
            sum->count[special_of(x[i] * y[i])]++; /* zero, or not finite, whatever the rounding */
    }
    sum->count[ACCORD_EXACT_TERMS] += (int64_t)n;
    empty_buckets(sum->units, 2 * -1074);
    settle(sum);
}

/* Limbs of 32 bits in two's complement, the last one with the sign; units of 2^unit, which must
 * divide the sum. */
static inline void integer_limbs(int64_t *limb, int limbs, int unit, const mpz_t units)
{
    static uint32_t words[ACCORD_EXACT_WIDE_LIMBS];
    mpz_t low, high;
    mpz_init(low);
    mpz_init(high);
    assert_true(mpz_divisible_2exp_p(units, (mp_bitcnt_t)(unit - INTEGER_UNIT)));
    mpz_fdiv_q_2exp(high, units, (mp_bitcnt_t)(unit - INTEGER_UNIT));
    mpz_fdiv_r_2exp(low, high, 32 * (mp_bitcnt_t)(limbs - 1));
    mpz_fdiv_q_2exp(high, high, 32 * (mp_bitcnt_t)(limbs - 1));
    memset(words, 0, sizeof words);
    mpz_export(words, NULL, -1, sizeof *words, 0, 0, low);
    for (int i = 0; i < limbs - 1; i++)
        limb[i] = words[i];
    limb[limbs - 1] = mpz_get_si(high);
    mpz_clear(low);
    mpz_clear(high);
}

static inline void integer_canonical(accord_exact *out, const integer_sum *sum)
{
    accord_exact_init(out);
    integer_limbs(out->limb, ACCORD_EXACT_LIMBS, -1074, sum->units);
    memcpy(out->count, sum->count, sizeof out->count);
}

static inline void integer_canonical_wide(accord_exact_wide *out, const integer_sum *sum)
{
    accord_exact_wide_init(out);
    integer_limbs(out->limb, ACCORD_EXACT_WIDE_LIMBS, INTEGER_UNIT, sum->units);
    memcpy(out->count, sum->count, sizeof out->count);
}

/* Whether what is cut off, `rest` of 2^cut, takes the magnitude one step up. */
static inline bool steps_up(const mpz_t rest, long cut, bool odd, bool negative, int rounding)
{
    if (!mpz_sgn(rest))
        return false;
    mp_bitcnt_t bits = mpz_sizeinbase(rest, 2);
    bool half = (long)bits == cut, tie = half && mpz_scan1(rest, 0) == (mp_bitcnt_t)cut - 1;
    switch (rounding) {
    case ACCORD_EXACT_NEAREST_EVEN:
        return half && (!tie || odd);
    case ACCORD_EXACT_NEAREST_AWAY:
        return half;
    case ACCORD_EXACT_TOWARD_ZERO:
        return false;
    default:
        return negative == (rounding == ACCORD_EXACT_DOWN);
    }
}

/* m * 2^q, m <= 2^p, as a pattern: the fields one by one. */
static inline uint64_t fields_of(const accord_format_info *row, uint64_t m, long q)
{
    int p = row->precision;
    if (m >> p)
        m >>= 1, q++;
    bool normal = m >> (p - 1);
    uint64_t field = normal ? (uint64_t)(q + (p - 1) - row->min_exponent + 1) : 0;
    return field << (p - 1) | (m & (((uint64_t)1 << (p - 1)) - 1));
}

static inline uint64_t integer_overflow(const accord_format_info *row, int rounding, bool negative)
{
    uint64_t infinity = (((uint64_t)1 << (row->bits - row->precision)) - 1) << (row->precision - 1);
    bool toward = rounding == ACCORD_EXACT_TOWARD_ZERO ||
                  rounding == (negative ? ACCORD_EXACT_UP : ACCORD_EXACT_DOWN);
    return infinity - toward;
}

/* The pattern of a magnitude that is not zero, without its sign. */
static inline uint64_t integer_magnitude(const accord_format_info *row, int rounding,
                                         const mpz_t units, bool negative)
{
    mpz_t steps, rest;
    mpz_init(rest);
    mpz_init(steps);
    mpz_abs(steps, units);
    long e = (long)mpz_sizeinbase(units, 2) - 1 + INTEGER_UNIT;
    long q = (e < row->min_exponent ? row->min_exponent : e) - (row->precision - 1);
    long cut = q - INTEGER_UNIT; /* > 0: no format has steps as small as a unit */
    mpz_fdiv_r_2exp(rest, steps, (mp_bitcnt_t)cut);
    mpz_fdiv_q_2exp(steps, steps, (mp_bitcnt_t)cut);
    uint64_t m = mpz_get_ui(steps);
    m += steps_up(rest, cut, m & 1, negative, rounding);
    mpz_clear(steps);
    mpz_clear(rest);
    bool over = e > row->max_exponent || (e == row->max_exponent && m >> row->precision);
    return over ? integer_overflow(row, rounding, negative) : fields_of(row, m, q);
}

static inline uint64_t integer_pattern(const integer_sum *sum, int format, int rounding)
{
    const accord_format_info *row = accord_format_get((enum accord_format)format);
    uint64_t sign = (uint64_t)1 << (row->bits - 1);
    uint64_t infinity = integer_overflow(row, ACCORD_EXACT_NEAREST_EVEN, false);
    const int64_t *count = sum->count;
    bool plus = count[ACCORD_EXACT_PLUS_INFINITIES], minus = count[ACCORD_EXACT_MINUS_INFINITIES];
    if (count[ACCORD_EXACT_NANS] || (plus && minus))
        return infinity | (uint64_t)1 << (row->precision - 2);
    if (plus || minus)
        return infinity | (minus ? sign : 0);
    bool negative = mpz_sgn(sum->units) < 0;
    if (mpz_sgn(sum->units))
        return (negative ? sign : 0) | integer_magnitude(row, rounding, sum->units, negative);
    int64_t terms = count[ACCORD_EXACT_TERMS];
    negative = count[ACCORD_EXACT_MINUS_ZEROS] == terms ||
               (rounding == ACCORD_EXACT_DOWN && count[ACCORD_EXACT_PLUS_ZEROS] != terms);
    return negative ? sign : 0;
}

#endif
