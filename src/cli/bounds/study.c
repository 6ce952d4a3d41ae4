/* Arithmetic of MPFR and of GMP's rational numbers, by which native bounds can be checked.
 *
 * In: finite numbers and a rounding. Out: the exactly rounded result in a format. Both compute the
 * result exactly, or with more bits than can matter, and round it once by rules of their own: they
 * share nothing with the native arithmetic, whose bounds they check. */
#include "study.h"
#include <gmp.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

enum { EXACT = 4400, MUCH = 400 }; /* bits of any x * y + c, and of quotients and roots */

/* A size beyond the range: the greatest number or infinity. */
static double overflow(const accord_format_info *row, enum accord_rounding rounding, int sign)
{
    bool inward = rounding == (sign > 0 ? ACCORD_DOWN : ACCORD_UP);
    return sign * (inward ? row->greatest : (double)INFINITY);
}

/* Does a rounding go away from 0, when what is cut off is less than, equal to or more than half? */
static bool goes_away(enum accord_rounding rounding, int sign, bool odd, int half)
{
    if (rounding == ACCORD_NEAREST_EVEN)
        return half > 0 || (half == 0 && odd);
    return rounding == (sign > 0 ? ACCORD_UP : ACCORD_DOWN);
}

/* ---- MPFR ---- */

/* Less than the least number: that, or 0. */
static double underflow(const accord_format_info *row, enum accord_rounding rounding, mpfr_t x)
{
    int sign = mpfr_sgn(x);
    mpfr_t middle;
    mpfr_init2(middle, 60);
    mpfr_set_d(middle, row->least, MPFR_RNDN);
    mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
    int half = mpfr_cmpabs(x, middle);
    mpfr_clear(middle);
    return goes_away(rounding, sign, false, half) ? sign * row->least : 0;
}

/* Rounds x, and clears it. */
static double rounded(enum accord_format format, enum accord_rounding rounding, mpfr_t x)
{
    const accord_format_info *row = accord_format_get(format);
    mpfr_rnd_t way = rounding == ACCORD_DOWN ? MPFR_RNDD
                     : rounding == ACCORD_UP ? MPFR_RNDU
                                             : MPFR_RNDN;
    double out = 0;
    if (mpfr_zero_p(x)) {
        mpfr_clear(x);
        return 0;
    }
    long exponent = mpfr_get_exp(x) - 1, below = row->min_exponent - exponent;
    long bits = row->precision - (below > 0 ? below : 0);
    int sign = mpfr_sgn(x);
    if (bits < 1) {
        out = underflow(row, rounding, x);
    } else {
        mpfr_prec_round(x, bits, way);
        out = mpfr_cmp_d(x, row->greatest) > 0 || mpfr_cmp_d(x, -row->greatest) < 0
                  ? overflow(row, rounding, sign)
                  : mpfr_get_d(x, MPFR_RNDN);
    }
    mpfr_clear(x);
    return out;
}

static double by_mpfr_fused(enum accord_format format, enum accord_rounding rounding, double x,
                            double y, double c)
{
    mpfr_t r;
    mpfr_init2(r, EXACT);
    mpfr_set_d(r, x, MPFR_RNDN);
    mpfr_mul_d(r, r, y, MPFR_RNDN);
    mpfr_add_d(r, r, c, MPFR_RNDN);
    return rounded(format, rounding, r);
}

/* What was cut off makes it a little larger in size, which no rounding to fewer bits sees as more.
 */
static double rounded_sticky(enum accord_format format, enum accord_rounding rounding, mpfr_t r,
                             int inexact)
{
    if (inexact && mpfr_sgn(r) > 0)
        mpfr_nextabove(r);
    else if (inexact)
        mpfr_nextbelow(r);
    return rounded(format, rounding, r);
}

static double by_mpfr_quotient(enum accord_format format, enum accord_rounding rounding, double x,
                               double y)
{
    mpfr_t r;
    if (y == 0)
        return x / y;
    mpfr_init2(r, MUCH);
    mpfr_set_d(r, x, MPFR_RNDN);
    int inexact = mpfr_div_d(r, r, y, MPFR_RNDZ);
    return rounded_sticky(format, rounding, r, inexact);
}

static double by_mpfr_root(enum accord_format format, enum accord_rounding rounding, double x)
{
    mpfr_t r;
    if (x < 0)
        return NAN;
    mpfr_init2(r, MUCH);
    mpfr_set_d(r, x, MPFR_RNDN);
    int inexact = mpfr_sqrt(r, r, MPFR_RNDZ);
    return rounded_sticky(format, rounding, r, inexact);
}

static int by_mpfr_compare(double x, double y, double u, double v)
{
    mpfr_t p, q;
    mpfr_init2(p, 110);
    mpfr_init2(q, 110);
    mpfr_set_d(p, x, MPFR_RNDN);
    mpfr_mul_d(p, p, y, MPFR_RNDN);
    mpfr_set_d(q, u, MPFR_RNDN);
    mpfr_mul_d(q, q, v, MPFR_RNDN);
    int sign = mpfr_cmp(p, q);
    mpfr_clear(p);
    mpfr_clear(q);
    return (sign > 0) - (sign < 0);
}

/* ---- rational numbers ---- */

/* The exponent of |x|, which is not 0. */
static long exponent_of(const mpz_t n, const mpz_t d)
{
    long e = (long)mpz_sizeinbase(n, 2) - (long)mpz_sizeinbase(d, 2);
    mpz_t scaled;
    mpz_init(scaled);
    mpz_mul_2exp(scaled, e > 0 ? d : n, (mp_bitcnt_t)(e > 0 ? e : -e));
    bool less = e > 0 ? mpz_cmp(n, scaled) < 0 : mpz_cmp(scaled, d) < 0;
    mpz_clear(scaled);
    return less ? e - 1 : e;
}

static double rounded_rational(enum accord_format format, enum accord_rounding rounding,
                               const mpq_t x)
{
    const accord_format_info *row = accord_format_get(format);
    int sign = mpq_sgn(x);
    mpz_t n, d, rest;
    if (sign == 0)
        return 0;
    mpz_init(n);
    mpz_init_set(d, mpq_denref(x));
    mpz_init(rest);
    mpz_abs(n, mpq_numref(x));
    long e = exponent_of(n, d), unit = (e < row->min_exponent ? row->min_exponent : e) + 1;
    unit -= row->precision;
    if (unit < 0)
        mpz_mul_2exp(n, n, (mp_bitcnt_t)-unit);
    else
        mpz_mul_2exp(d, d, (mp_bitcnt_t)unit);
    mpz_fdiv_qr(n, rest, n, d);
    bool exact = mpz_sgn(rest) == 0;
    mpz_mul_2exp(rest, rest, 1);
    if (!exact && goes_away(rounding, sign, mpz_odd_p(n), mpz_cmp(rest, d)))
        mpz_add_ui(n, n, 1);
    double size = e > 1100 ? (double)INFINITY : ldexp(mpz_get_d(n), (int)unit);
    mpz_clears(n, d, rest, NULL);
    return size > row->greatest ? overflow(row, rounding, sign) : sign * size;
}

static double rational_fused(enum accord_format format, enum accord_rounding rounding, double x,
                             double y, double c)
{
    mpq_t p, q;
    mpq_inits(p, q, NULL);
    mpq_set_d(p, x);
    mpq_set_d(q, y);
    mpq_mul(p, p, q);
    mpq_set_d(q, c);
    mpq_add(p, p, q);
    double out = rounded_rational(format, rounding, p);
    mpq_clears(p, q, NULL);
    return out;
}

static int rational_compare(double x, double y, double u, double v)
{
    mpq_t p, q, r;
    mpq_inits(p, q, r, NULL);
    mpq_set_d(p, x);
    mpq_set_d(r, y);
    mpq_mul(p, p, r);
    mpq_set_d(q, u);
    mpq_set_d(r, v);
    mpq_mul(q, q, r);
    int sign = mpq_cmp(p, q);
    mpq_clears(p, q, r, NULL);
    return (sign > 0) - (sign < 0);
}

const accord_bound_arithmetic *cli_study_arithmetic(const char *name)
{
    static const accord_bound_arithmetic by_mpfr = {by_mpfr_fused, by_mpfr_quotient, by_mpfr_root,
                                                    by_mpfr_compare};
    static const accord_bound_arithmetic by_rationals = {rational_fused, NULL, NULL,
                                                         rational_compare};
    return strcmp(name, "mpfr") == 0       ? &by_mpfr
           : strcmp(name, "rational") == 0 ? &by_rationals
                                           : NULL;
}
