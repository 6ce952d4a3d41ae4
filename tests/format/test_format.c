/* Three oracles, none of which shares an idea with the code: patterns decoded by ldexp; for every
 * format of up to 19 bits the sorted list of all its values, from which the answer at, between
 * and beside any two neighbors is read; MPFR wide enough to be exact, rounded on the grid of the
 * format's quantum. */
#include "base/base.h"
#include "format/format.h"
#include "trials.h"
#include <accord/format.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

enum {
    WIDE = 2300,         /* bits: any sum of two doubles is exact */
    SIGNED = ACCORD_E8M0 /* from here on scales, which have no sign */
};
#define ROUNDINGS ACCORD_ROUNDING_COUNT
static const mpfr_rnd_t mpfr_mode[ROUNDINGS] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU,
                                                MPFR_RNDN};

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || bits_of(a) == bits_of(b);
}

static void expect(double found, double expected, int format, int rounding, double a, double b)
{
    if (!same(found, expected))
        fail_msg("%s, rounding %d: %a, %a: found %a, expected %a",
                 accord_format_get((enum accord_format)format)->name, rounding, a, b, found,
                 expected);
}

/* Many at once: vectors, and what is left beside them. */
static void expect_round_each(int format, double x, double expected)
{
    enum { MANY = 5 };
    double wide[MANY];
    float narrow[MANY];
    for (int i = 0; i < MANY; i++) {
        wide[i] = x;
        narrow[i] = (float)x;
    }
    accordi_round_each((enum accord_format)format, wide, MANY);
    accordi_round_each_f32((enum accord_format)format, narrow, MANY);
    for (int i = 0; i < MANY; i++) {
        expect(wide[i], expected, format, ACCORD_NEAREST_EVEN, x, 0);
        if ((double)(float)x == x)
            expect((double)narrow[i], (double)(float)expected, format, ACCORD_NEAREST_EVEN, x, 0);
    }
}

static void expect_round(int format, int rounding, double x, double expected)
{
    double found =
        accord_format_round((enum accord_format)format, (enum accord_rounding)rounding, x);
    expect(found, expected, format, rounding, x, 0);
    if (rounding == ACCORD_NEAREST_EVEN)
        expect_round_each(format, x, expected);
}

/* The definition of an interchange format, in arithmetic. */
static double decode_by_ldexp(int format, uint64_t bits)
{
    static const struct {
        int exponent_bits, fraction_bits;
    } fields[] = {{11, 52}, {8, 23}, {5, 10}, {8, 7}, {8, 10},
                  {4, 3},   {5, 2},  {3, 2},  {2, 3}, {2, 1}};
    int ebits = fields[format].exponent_bits, fbits = fields[format].fraction_bits;
    int bias = (1 << (ebits - 1)) - 1;
    double fraction = ldexp((double)(bits & (((uint64_t)1 << fbits) - 1)), -fbits);
    int field = (int)(bits >> fbits) & ((1 << ebits) - 1);
    double size;
    if (format == ACCORD_E4M3 && field == 15 && fraction == 0.875)
        size = NAN;
    else if (format != ACCORD_E4M3 && format < ACCORD_E3M2 && field == (1 << ebits) - 1)
        size = fraction == 0 ? INFINITY : NAN;
    else if (field == 0)
        size = ldexp(fraction, 1 - bias);
    else
        size = ldexp(1 + fraction, field - bias);
    return bits >> (ebits + fbits) & 1 ? -size : size;
}

static void check_pattern(int format, uint64_t bits)
{
    enum accord_format f = (enum accord_format)format;
    double x = accord_format_decode(f, bits);
    expect(x, decode_by_ldexp(format, bits), format, -1, (double)bits, 0);
    uint64_t back = accord_format_encode(f, x);
    if (isnan(x))
        assert_true(back == accord_format_encode(f, NAN));
    else
        assert_true(back == bits);
    for (int r = 0; r < ROUNDINGS; r++)
        expect_round(format, r, x, x);
    int width = accord_format_get(f)->bits;
    if (width < 64)
        expect(accord_format_decode(f, bits | ~(uint64_t)0 << width), x, format, -1, (double)bits,
               0);
}

static void test_patterns(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (int f = 0; f < SIGNED; f++) {
        int width = accord_format_get((enum accord_format)f)->bits;
        if (width <= 19)
            for (uint64_t bits = 0; bits < (uint64_t)1 << width; bits++)
                check_pattern(f, bits);
        else
            for (size_t i = 0; i < trials(100000); i++)
                check_pattern(f, accordi_rng_next(&rng) >> (64 - width));
    }
}

static void test_table(void **state)
{
    (void)state;
    static const uint64_t nan_patterns[] = {
        0x7ff8000000000000, 0x7fc00000, 0x7e00, 0x7fc0, 0x3fe00, 0x7f, 0x7e, 0x1f, 0x1f, 0x7};
    for (int i = 0; i < SIGNED; i++) {
        enum accord_format f = (enum accord_format)i, found = ACCORD_FORMAT_COUNT;
        const accord_format_info *row = accord_format_get(f);
        bool adds = accord_format_by_name(row->name, &found);
        assert_true(adds == accord_format_adds(f) && (!adds || found == f));
        bool multiplies = accord_format_operand_by_name(row->name, &found);
        assert_true(multiplies == accord_format_multiplies(f) && (!multiplies || found == f));
        int missing = row->has_nan && !row->has_infinity ? 2 : 1; /* steps below a power of two */
        double top = 2 - missing * ldexp(1, 1 - row->precision);
        assert_true(row->greatest == ldexp(top, row->max_exponent));
        assert_true(row->least == ldexp(1, row->min_exponent - row->precision + 1));
        assert_true(row->bytes * 8 >= row->bits && row->bits > row->precision);
        assert_true(accord_format_encode(f, NAN) == nan_patterns[i]);
        assert_true(accord_format_encode(f, -NAN) == nan_patterns[i]);
        assert_true(accord_format_encode(f, 0.0) == 0);
        assert_true(accord_format_encode(f, -0.0) == (uint64_t)1 << (row->bits - 1));
        assert_true(accord_format_encode(f, row->least) == 1);
        assert_true(accord_format_encode(f, 1 + 0x1p-30) ==
                    accord_format_encode(f, f == ACCORD_F64 ? 1 + 0x1p-30 : 1));
    }
    enum accord_format untouched = ACCORD_BF16;
    assert_false(accord_format_by_name("f8", &untouched));
    assert_false(accord_format_by_name("", &untouched));
    assert_false(accord_format_by_name("F32", &untouched));
    assert_false(accord_format_operand_by_name("e8m0", &untouched));
    assert_int_equal(untouched, ACCORD_BF16);
    assert_null(accord_format_get(ACCORD_ALL_FORMATS));
    assert_null(accord_format_get((enum accord_format) - 1));
}

/* x lies strictly between neighbors low < high (both >= 0), or, with low == high, is one of
 * them; `nearest` is where it belongs to nearest, `away` when ties go away from zero. Checked on
 * both sides of zero. */
static void check_tie(int format, double x, double low, double high, double nearest, double away)
{
    const double plus[ROUNDINGS] = {nearest, low, low, high, away};
    const double minus[ROUNDINGS] = {-nearest, -low, -high, -low, -away};
    for (int r = 0; r < ROUNDINGS; r++) {
        expect_round(format, r, x, plus[r]);
        expect_round(format, r, -x, minus[r]);
    }
}

static void check_between(int format, double x, double low, double high, double nearest)
{
    check_tie(format, x, low, high, nearest, nearest);
}

/* The patterns of nonnegative values in order are their ranks; an even rank is an even
 * significand. The last gap ends where the next value would be, were the range larger. */
static void test_every_gap(void **state)
{
    (void)state;
    for (int f = 0; f < SIGNED; f++) {
        const accord_format_info *row = accord_format_get((enum accord_format)f);
        if (row->bits > 19)
            continue;
        double beyond = row->has_infinity ? INFINITY : row->has_nan ? NAN : row->greatest;
        for (uint64_t rank = 0;; rank++) {
            double low = decode_by_ldexp(f, rank), high = decode_by_ldexp(f, rank + 1);
            bool last = low == row->greatest;
            double end = last ? low + (low - decode_by_ldexp(f, rank - 1)) : high;
            double middle = low + (end - low) / 2;
            double even = rank % 2 ? (last ? beyond : high) : low;
            high = last ? beyond : high;
            check_between(f, low, low, low, low);
            check_between(f, nextafter(low, INFINITY), low, high, low);
            check_between(f, nextafter(middle, 0), low, high, low);
            check_tie(f, middle, low, high, even, high);
            check_between(f, nextafter(middle, INFINITY), low, high, high);
            check_between(f, nextafter(end, 0), low, high, high);
            if (last) {
                check_between(f, end, low, high, high);
                check_between(f, DBL_MAX, low, high, high);
                break;
            }
        }
        for (int r = 0; r < ROUNDINGS; r++) {
            expect_round(f, r, INFINITY, beyond);
            expect_round(f, r, -INFINITY, -beyond);
            expect_round(f, r, NAN, NAN);
        }
        check_between(f, 0x1p-1074, 0, row->least, 0);
        check_between(f, DBL_MIN, 0, row->least, 0);
    }
}

/* The exact, nonzero `value` on the format's grid, an integer number of quanta. */
static double round_by_mpfr(int format, int rounding, mpfr_t value, mpfr_t work)
{
    const accord_format_info *row = accord_format_get((enum accord_format)format);
    int e = (int)mpfr_get_exp(value) - 1;
    int quantum = (e > row->min_exponent ? e : row->min_exponent) - row->precision + 1;
    mpfr_mul_2si(work, value, -quantum, MPFR_RNDN);
    if (rounding == ACCORD_NEAREST_AWAY)
        mpfr_round(work, work);
    else
        mpfr_rint(work, work, mpfr_mode[rounding]);
    mpfr_mul_2si(work, work, quantum, MPFR_RNDN);
    if (mpfr_cmpabs(work, value) != 0 && rounding == ACCORD_NEAREST_EVEN)
        assert_true(mpfr_zero_p(work) || mpfr_sgn(work) == mpfr_sgn(value));
    bool negative = mpfr_signbit(value);
    double greatest = negative ? -row->greatest : row->greatest;
    bool over = negative ? mpfr_cmp_d(work, greatest) < 0 : mpfr_cmp_d(work, greatest) > 0;
    if (!over)
        return mpfr_get_d(work, MPFR_RNDN);
    bool finite =
        rounding == ACCORD_TOWARD_ZERO || rounding == (negative ? ACCORD_UP : ACCORD_DOWN);
    double beyond = row->has_infinity ? (negative ? -INFINITY : INFINITY)
                    : row->has_nan    ? NAN
                                      : greatest;
    return finite ? greatest : beyond;
}

typedef struct oracle {
    mpfr_t a, b, work;
} oracle;

static void oracle_init(oracle *o)
{
    mpfr_inits2(WIDE, o->a, o->b, o->work, (mpfr_ptr)0);
}

static void oracle_clear(oracle *o)
{
    mpfr_clears(o->a, o->b, o->work, (mpfr_ptr)0);
    mpfr_free_cache();
}

static void check_round(oracle *o, int format, double x)
{
    for (int r = 0; r < ROUNDINGS; r++) {
        mpfr_set_d(o->a, x, MPFR_RNDN);
        double expected = x;
        if (isfinite(x) && x != 0)
            expected = round_by_mpfr(format, r, o->a, o->work);
        expect_round(format, r, x, expected);
    }
}

static void check_add(oracle *o, int format, double a, double b)
{
    for (int r = 0; r < ROUNDINGS; r++) {
        mpfr_set_d(o->a, a, MPFR_RNDN);
        mpfr_set_d(o->b, b, MPFR_RNDN);
        int inexact = mpfr_add(o->a, o->a, o->b, mpfr_mode[r]);
        assert_int_equal(inexact, 0);
        double expected = mpfr_get_d(o->a, MPFR_RNDN); /* zeros, infinities, NaN */
        if (mpfr_regular_p(o->a))
            expected = round_by_mpfr(format, r, o->a, o->work);
        enum accord_format f = (enum accord_format)format;
        expect(accord_format_add(f, (enum accord_rounding)r, a, b), expected, format, r, a, b);
        expect(accord_format_add(f, (enum accord_rounding)r, b, a), expected, format, r, b, a);
    }
}

static double random_double(accordi_rng *rng, int low, int high)
{
    int e = low + (int)accordi_rng_below(rng, (uint64_t)(high - low + 1));
    double x = ldexp(1 + accordi_rng_unit(rng), e);
    return accordi_rng_next(rng) & 1 ? x : -x;
}

/* A value of the format: any pattern, or one with an extreme exponent or fraction. */
static double random_value(accordi_rng *rng, int format)
{
    const accord_format_info *row = accord_format_get((enum accord_format)format);
    uint64_t bits = accordi_rng_next(rng) >> (64 - row->bits);
    uint64_t fraction = ((uint64_t)1 << (row->precision - 1)) - 1;
    uint64_t exponent = (((uint64_t)1 << (row->bits - 1)) - 1) & ~fraction;
    uint64_t kind = accordi_rng_next(rng);
    if (kind % 8 == 0)
        bits &= ~fraction;
    if (kind % 8 == 1)
        bits |= fraction;
    if (kind % 8 == 2)
        bits ^= fraction & -((uint64_t)1 << accordi_rng_below(rng, (uint64_t)row->precision));
    if (kind / 8 % 8 == 0)
        bits &= ~exponent;
    if (kind / 8 % 8 == 1) /* the greatest exponent of finite values */
        bits = (bits | exponent) & ~(row->has_infinity ? fraction + 1 : 0);
    if (kind / 8 % 8 == 2)
        bits = (bits & ~exponent) | (fraction + 1);
    return decode_by_ldexp(format, bits);
}

/* Another one, likely near enough for the rounding of the sum to be delicate. */
static double random_partner(accordi_rng *rng, int format, double a)
{
    const accord_format_info *row = accord_format_get((enum accord_format)format);
    double b = random_value(rng, format);
    uint64_t kind = accordi_rng_below(rng, 4);
    if (kind == 0 || !isfinite(a) || a == 0)
        return b;
    if (kind == 1) {
        uint64_t ranks = accordi_rng_below(rng, 4);
        uint64_t bits = accord_format_encode((enum accord_format)format, fabs(a));
        b = decode_by_ldexp(format, bits > ranks ? bits - ranks : bits);
        return accordi_rng_next(rng) & 1 ? b : -b;
    }
    int distance = (int)accordi_rng_below(rng, (uint64_t)row->precision + 3) - 1;
    int e = ilogb(a) - distance;
    int most = e < row->max_exponent ? e : row->max_exponent;
    b = kind == 2 ? ldexp(1, most) : random_double(rng, most, most);
    return accord_format_round((enum accord_format)format, ACCORD_TOWARD_ZERO, b);
}

/* Values of doubles that the narrower formats find hard: ties, beside ties, ends of the range. */
static void test_round_random(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    oracle o;
    oracle_init(&o);
    for (int f = 0; f < SIGNED; f++) {
        const accord_format_info *row = accord_format_get((enum accord_format)f);
        int low = row->min_exponent - row->precision - 2, high = row->max_exponent + 2;
        for (size_t i = 0; i < trials(20000); i++) {
            if (f != ACCORD_F64)
                check_round(&o, f, random_double(&rng, low, high));
            double v = random_value(&rng, f);
            if (!isfinite(v))
                continue;
            check_round(&o, f, v);
            double next =
                fabs(v) < row->greatest
                    ? decode_by_ldexp(f, accord_format_encode((enum accord_format)f, v) + 1)
                    : v * (1 + ldexp(1, -row->precision));
            double tie = f == ACCORD_F64 ? v : v + (next - v) / 2;
            check_round(&o, f, tie);
            if (fabs(tie) < DBL_MAX) {
                check_round(&o, f, nextafter(tie, INFINITY));
                check_round(&o, f, nextafter(tie, -INFINITY));
            }
        }
    }
    oracle_clear(&o);
}

static void test_round_corners(void **state)
{
    (void)state;
    oracle o;
    oracle_init(&o);
    for (int f = 0; f < SIGNED; f++) {
        const accord_format_info *row = accord_format_get((enum accord_format)f);
        double ulp = ldexp(1, row->max_exponent - row->precision + 1);
        const double at[] = {0,
                             0x1p-1074,
                             DBL_MIN,
                             row->least / 4,
                             row->least / 2,
                             row->least * 0.75,
                             row->least,
                             row->least * 1.5,
                             row->least * 2.5,
                             ldexp(1, row->min_exponent) - row->least / 2,
                             ldexp(1, row->min_exponent) - row->least / 4,
                             ldexp(1, row->min_exponent),
                             row->greatest,
                             row->greatest + ulp / 4,
                             row->greatest + ulp / 2,
                             row->greatest + ulp,
                             DBL_MAX};
        for (size_t i = 0; i < sizeof at / sizeof *at; i++)
            for (int side = -1; side <= 1; side++) {
                double x = side ? nextafter(at[i], side < 0 ? -INFINITY : INFINITY) : at[i];
                if (!isfinite(x))
                    continue;
                check_round(&o, f, x);
                check_round(&o, f, -x);
            }
        for (int e = -1074; e <= 1023; e++)
            for (int k = 2; k <= 3; k++) {
                check_round(&o, f, ldexp(k, e - 1));
                check_round(&o, f, -ldexp(k, e - 1));
            }
    }
    oracle_clear(&o);
}

static void test_add_every_pair(void **state)
{
    (void)state;
    oracle o;
    oracle_init(&o);
    for (int f = ACCORD_E4M3; f <= ACCORD_E2M1; f++)
        for (unsigned i = 0; i < 1u << accord_format_get((enum accord_format)f)->bits; i++)
            for (unsigned j = 0; j <= i; j++)
                check_add(&o, f, decode_by_ldexp(f, i), decode_by_ldexp(f, j));
    oracle_clear(&o);
}

static void test_add_random(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    oracle o;
    oracle_init(&o);
    for (int f = 0; f < SIGNED; f++)
        for (size_t i = 0; i < trials(40000); i++) {
            double a = random_value(&rng, f);
            check_add(&o, f, a, random_partner(&rng, f, a));
        }
    oracle_clear(&o);
}

static void test_add_corners(void **state)
{
    (void)state;
    oracle o;
    oracle_init(&o);
    for (int f = 0; f < SIGNED; f++) {
        const accord_format_info *row = accord_format_get((enum accord_format)f);
        double ulp = ldexp(1, row->max_exponent - row->precision + 1);
        double tiny = row->least > 0x1p-60 ? row->least : 0x1p-60;
        const double at[] = {0,
                             1,
                             1 + ldexp(1, 1 - row->precision),
                             1 - ldexp(1, -row->precision),
                             tiny,
                             ldexp(1, -row->precision) < row->least ? 1 : ldexp(1, -row->precision),
                             row->least,
                             2 * row->least,
                             ldexp(1, row->min_exponent) - row->least,
                             ldexp(1, row->min_exponent),
                             row->greatest,
                             row->greatest - ulp,
                             row->greatest / 2,
                             ulp,
                             ulp / 2,
                             ulp / 4,
                             ldexp(1, row->max_exponent),
                             INFINITY,
                             NAN};
        size_t count = sizeof at / sizeof *at;
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j <= i; j++)
                for (int signs = 0; signs < 4; signs++) {
                    double a = accord_format_round((enum accord_format)f, ACCORD_NEAREST_EVEN,
                                                   signs & 1 ? -at[i] : at[i]);
                    double b = accord_format_round((enum accord_format)f, ACCORD_NEAREST_EVEN,
                                                   signs & 2 ? -at[j] : at[j]);
                    check_add(&o, f, a, b);
                }
    }
    /* The double sum is 1: only its error tells that the exact sum lies below. */
    assert_true(accord_format_add(ACCORD_F32, ACCORD_DOWN, 1, -0x1p-60) == 1 - 0x1p-24);
    assert_true(accord_format_add(ACCORD_F32, ACCORD_TOWARD_ZERO, 1, -0x1p-60) == 1 - 0x1p-24);
    assert_true(accord_format_add(ACCORD_F32, ACCORD_UP, 1, -0x1p-60) == 1);
    assert_true(accord_format_add(ACCORD_F64, ACCORD_DOWN, 1, -0x1p-60) == 1 - 0x1p-53);
    assert_true(accord_format_add(ACCORD_F64, ACCORD_UP, 1, 0x1p-60) == 1 + 0x1p-52);
    oracle_clear(&o);
}

/* All values of a scale in ascending order, from what its bits mean; returns how many. */
static int list_scales(int format, double *value)
{
    int count = 0;
    if (format == ACCORD_E8M0)
        for (; count < 255; count++)
            value[count] = ldexp(1, count - 127);
    else
        for (int e = -6; e <= 8; e++)
            for (int m = e == -6 ? 0 : 8; m < (e == 8 ? 15 : 16); m++)
                value[count++] = ldexp(m, e - 3);
    return count;
}

static void expect_scale(int format, double x, double down, double up, double nearest, double away)
{
    const double due[ROUNDINGS] = {nearest, down, down, up, away};
    for (int r = 0; r < ROUNDINGS; r++)
        expect_round(format, r, x, due[r]);
}

/* Each value, each gap, each middle, both ends; no sign, and e8m0 no zero. */
static void test_scales(void **state)
{
    (void)state;
    for (int f = ACCORD_E8M0; f <= ACCORD_UE4M3; f++) {
        double value[256];
        enum accord_format format = (enum accord_format)f;
        const accord_format_info *row = accord_format_get(format);
        enum accord_format untouched = ACCORD_BF16;
        int count = list_scales(f, value);
        assert_int_equal(count, f == ACCORD_E8M0 ? 255 : 127);
        assert_true(row->greatest == value[count - 1] && row->least == value[f == ACCORD_UE4M3]);
        assert_false(accord_format_by_name(row->name, &untouched) || accord_format_adds(format));
        for (int i = 0; i < count; i++) {
            bool last = i + 1 == count;
            double low = value[i], step = low - value[i > 0 ? i - 1 : 0];
            double end = last ? low + (f == ACCORD_E8M0 ? low : step) : value[i + 1];
            double high = last ? NAN : end, middle = (low + end) / 2;
            assert_true(same(accord_format_decode(format, (uint64_t)i), low));
            assert_true(same(accord_format_decode(format, (uint64_t)i | 1u << row->bits), low));
            assert_true(accord_format_encode(format, low) == (uint64_t)i);
            expect_scale(f, low, low, low, low, low);
            expect_scale(f, nextafter(low, INFINITY), low, high, low, low);
            expect_scale(f, nextafter(middle, 0), low, high, low, low);
            expect_scale(f, middle, low, high, f == ACCORD_E8M0 || i % 2 ? high : low, high);
            expect_scale(f, nextafter(middle, INFINITY), low, high, high, high);
            expect_scale(f, nextafter(end, 0), low, high, high, high);
            for (int r = 0; r < ROUNDINGS; r++)
                expect_round(f, r, low > 0 ? -low : -1, NAN);
        }
        for (int r = 0; r < ROUNDINGS; r++) {
            double floor = f == ACCORD_E8M0 ? row->least : 0;
            expect_round(f, r, 0.0, floor);
            expect_round(f, r, -0.0, floor);
            expect_round(f, r, INFINITY, NAN);
            expect_round(f, r, -INFINITY, NAN);
            expect_round(f, r, NAN, NAN);
            if (f == ACCORD_E8M0)
                expect_round(f, r, row->least / 3, row->least);
        }
        assert_true(isnan(accord_format_decode(format, (uint64_t)count)));
        assert_true(accord_format_encode(format, NAN) == (uint64_t)count);
        assert_true(accord_format_encode(format, -1) == (uint64_t)count);
    }
}

/* What elements cannot hold. */
static void test_elements_saturate(void **state)
{
    (void)state;
    static const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6}; /* the table of OCP MX */
    for (uint64_t i = 0; i < 8; i++)
        assert_true(accord_format_decode(ACCORD_E2M1, i) == e2m1[i] &&
                    accord_format_decode(ACCORD_E2M1, i | 8) == -e2m1[i]);
    for (int f = ACCORD_E3M2; f <= ACCORD_E2M1; f++) {
        enum accord_format format = (enum accord_format)f;
        const accord_format_info *row = accord_format_get(format);
        uint64_t most = ((uint64_t)1 << (row->bits - 1)) - 1;
        assert_true(accord_format_encode(format, INFINITY) == most);
        assert_true(accord_format_encode(format, -1e300) == 2 * most + 1);
        assert_true(accord_format_encode(format, NAN) == most);
        assert_true(accord_format_add(format, ACCORD_UP, row->greatest, row->greatest) ==
                    row->greatest);
    }
}

/* Properties that need no oracle: down and up are x or the neighbors around it, the other two
 * are one of them; the order of two numbers survives rounding. */
static void test_round_properties(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (int i = 0; i < SIGNED; i++) {
        enum accord_format f = (enum accord_format)i;
        const accord_format_info *row = accord_format_get(f);
        for (size_t trial = 0; trial < trials(50000); trial++) {
            double x = random_double(&rng, row->min_exponent - row->precision, row->max_exponent);
            if (fabs(x) > row->greatest)
                continue;
            double down = accord_format_round(f, ACCORD_DOWN, x);
            double up = accord_format_round(f, ACCORD_UP, x);
            double zero = accord_format_round(f, ACCORD_TOWARD_ZERO, x);
            double nearest = accord_format_round(f, ACCORD_NEAREST_EVEN, x);
            assert_true(down <= x && x <= up && (down == up) == (down == x));
            assert_true(zero == (x < 0 ? up : down));
            assert_true(nearest == (x - down < up - x ? down : x - down > up - x ? up : nearest));
            assert_true(nearest == down || nearest == up);
            if (down != up) {
                double small = fmin(fabs(down), fabs(up)), large = fmax(fabs(down), fabs(up));
                assert_true(accord_format_encode(f, small) + 1 == accord_format_encode(f, large));
            }
            double y = trial % 2 ? random_double(&rng, row->min_exponent, row->max_exponent)
                                 : x * (1 + ldexp(accordi_rng_unit(&rng), -row->precision));
            if (fabs(y) > row->greatest)
                continue;
            for (int r = 0; r < ROUNDINGS; r++) {
                double rx = accord_format_round(f, (enum accord_rounding)r, x);
                double ry = accord_format_round(f, (enum accord_rounding)r, y);
                assert_true(x <= y ? rx <= ry : rx >= ry);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_every_gap),
        cmocka_unit_test(test_round_random),
        cmocka_unit_test(test_round_corners),
        cmocka_unit_test(test_add_every_pair),
        cmocka_unit_test(test_add_random),
        cmocka_unit_test(test_add_corners),
        cmocka_unit_test(test_round_properties),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_elements_saturate),
    };
    return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
