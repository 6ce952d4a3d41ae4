/* The fused model against a second algorithm in MPFR, which works on values and never on their
 * bits, and against examples worked out by hand. */
#include "exact/accumulator/exact.h"
#include "fused/fused.h"
#include "trials.h"
#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { BITS = 4000, MOST = 64 };

static int at_least(int a, int b)
{
    return a > b ? a : b;
}

static int exponent_of(enum accord_format format, double x)
{
    return at_least(ilogb(x), accord_format_get(format)->min_exponent);
}

static mpfr_rnd_t direction(enum accord_rounding rounding)
{
    static const mpfr_rnd_t all[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU};
    return all[rounding];
}

/* x to a multiple of 2^quantum. */
static void to_grid(mpfr_t x, int quantum, enum accord_rounding rounding)
{
    mpfr_mul_2si(x, x, -quantum, MPFR_RNDN);
    if (rounding == ACCORD_NEAREST_EVEN)
        mpfr_rint(x, x, MPFR_RNDN); /* ties to even */
    else
        mpfr_rint(x, x, direction(rounding));
    mpfr_mul_2si(x, x, quantum, MPFR_RNDN);
}

static double into(const accord_fused *f, mpfr_t x, int fraction)
{
    const accord_format_info *row = accord_format_get(f->output);
    if (mpfr_zero_p(x))
        return 0;
    int e = at_least((int)mpfr_get_exp(x) - 1, row->min_exponent);
    to_grid(x, e - (fraction ? fraction : row->precision - 1), f->rounding);
    double d = mpfr_get_d(x, MPFR_RNDN);
    return fabs(d) > row->greatest ? copysign(INFINITY, d) : d;
}

/* Sums every stride-th product, aligned among themselves and with *extra (NULL: none). */
static int aligned(const accord_fused *f, size_t count, size_t first, size_t stride,
                   const double *a, const double *b, const double *extra, mpfr_t sum)
{
    int most = f->least_exponent;
    for (size_t i = first; i < count; i += stride)
        if (a[i] * b[i] != 0)
            most = at_least(most, exponent_of(f->input, a[i]) + exponent_of(f->input, b[i]));
    if (extra && *extra != 0)
        most = at_least(most, exponent_of(f->output, *extra));
    mpfr_t term;
    mpfr_init2(term, BITS);
    mpfr_set_zero(sum, 1);
    for (size_t i = first; i < count; i += stride) {
        mpfr_set_d(term, a[i], MPFR_RNDN);
        mpfr_mul_d(term, term, b[i], MPFR_RNDN);
        to_grid(term, most - f->fraction, f->alignment);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    if (extra) {
        mpfr_set_d(term, *extra, MPFR_RNDN);
        to_grid(term, most - f->fraction, f->alignment);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    mpfr_clear(term);
    return most;
}

static double with_c(const accord_fused *f, size_t count, const double *a, const double *b,
                     double c)
{
    mpfr_t sum;
    mpfr_init2(sum, BITS);
    aligned(f, count, 0, 1, a, b, &c, sum);
    double d = into(f, sum, f->output_fraction);
    mpfr_clear(sum);
    return d;
}

static double then_c(const accord_fused *f, size_t count, const double *a, const double *b,
                     double c)
{
    mpfr_t sum, odd, last;
    mpfr_inits2(BITS, sum, odd, last, (mpfr_ptr)0);
    int e = aligned(f, count, 0, f->halves ? 2 : 1, a, b, NULL, sum);
    if (f->halves) {
        int o = aligned(f, count, 1, 2, a, b, NULL, odd);
        e = at_least(e, o);
        to_grid(sum, e - f->fraction, f->join);
        to_grid(odd, e - f->fraction, f->join);
        mpfr_add(sum, sum, odd, MPFR_RNDN);
    }
    int ec = c == 0 ? -126 : exponent_of(f->output, c);
    e = at_least(e, ec);
    to_grid(sum, e - f->sum_fraction, f->join);
    mpfr_set_d(last, c, MPFR_RNDN);
    to_grid(last, e - f->c_fraction, f->join);
    if (f->c_reach == 0 || e - ec <= f->c_reach)
        mpfr_add(sum, sum, last, MPFR_RNDN);
    double d = into(f, sum, 0);
    mpfr_clears(sum, odd, last, (mpfr_ptr)0);
    return d;
}

/* One rounding into f32 or f64 at a time. */
static double rounded(const accord_fused *f, mpfr_t x)
{
    mpfr_t all; /* its exponent has no end here */
    mpfr_init2(all, 24);
    mpfr_set(all, x, MPFR_RNDN);
    bool tiny = f->flush_tiny && mpfr_regular_p(all) && mpfr_get_exp(all) - 1 < -126;
    mpfr_clear(all);
    if (tiny)
        return 0;
    double d = into(f, x, 0);
    return f->flush && fabs(d) < 0x1p-126 ? 0 : d;
}

static double pairwise(const accord_fused *f, size_t count, const double *a, const double *b,
                       double c)
{
    double part[MOST] = {0};
    mpfr_t x;
    mpfr_init2(x, BITS);
    for (size_t i = 0; i < count; i++) {
        mpfr_set_d(x, a[i], MPFR_RNDN);
        mpfr_mul_d(x, x, b[i], MPFR_RNDN);
        part[i] = rounded(f, x);
    }
    for (int width = f->terms; width > 1; width /= 2)
        for (int i = 0; i < width / 2; i++) {
            mpfr_set_d(x, part[2 * i], MPFR_RNDN);
            mpfr_add_d(x, x, part[2 * i + 1], MPFR_RNDN);
            part[i] = rounded(f, x);
        }
    mpfr_set_d(x, c, MPFR_RNDN);
    mpfr_add_d(x, x, part[0], MPFR_RNDN);
    double d = rounded(f, x);
    mpfr_clear(x);
    return d;
}

static double chain(const accord_fused *f, size_t count, const double *a, const double *b, double c)
{
    mpfr_t x;
    mpfr_init2(x, BITS);
    for (size_t i = 0; i < count; i++) {
        mpfr_set_d(x, a[i], MPFR_RNDN);
        mpfr_mul_d(x, x, b[i], MPFR_RNDN);
        mpfr_add_d(x, x, c, MPFR_RNDN);
        c = into(f, x, 0);
    }
    mpfr_clear(x);
    return c;
}

static double last_first(const accord_fused *f, size_t count, const double *a, const double *b,
                         double c)
{
    mpfr_t x;
    mpfr_init2(x, BITS);
    for (size_t i = count; i-- > 0;) {
        mpfr_set_d(x, a[i], MPFR_RNDN);
        mpfr_mul_d(x, x, b[i], MPFR_RNDN);
        mpfr_add_d(x, x, c, MPFR_RNDN);
        c = rounded(f, x);
    }
    mpfr_clear(x);
    return c;
}

static double even_odd(const accord_fused *f, size_t count, const double *a, const double *b,
                       double c)
{
    double sum[2] = {0, 0};
    mpfr_t x;
    mpfr_init2(x, BITS);
    for (size_t lane = 0; lane < 2; lane++)
        for (size_t i = lane; i < count; i += 2) {
            mpfr_set_d(x, a[i], MPFR_RNDN);
            mpfr_mul_d(x, x, b[i], MPFR_RNDN);
            mpfr_add_d(x, x, sum[lane], MPFR_RNDN);
            sum[lane] = rounded(f, x);
        }
    mpfr_set_d(x, sum[0], MPFR_RNDN);
    mpfr_add_d(x, x, sum[1], MPFR_RNDN);
    mpfr_set_d(x, rounded(f, x), MPFR_RNDN);
    mpfr_add_d(x, x, c, MPFR_RNDN);
    double d = rounded(f, x);
    mpfr_clear(x);
    return d;
}

static double reference(const accord_fused *f, size_t count, const double *a, const double *b,
                        double c)
{
    double x[MOST], y[MOST], huge = 0;
    for (size_t i = 0; i < count; i++) {
        double least = f->flush ? ldexp(1, accord_format_get(f->input)->min_exponent) : 0;
        x[i] = fabs(a[i]) < least ? 0 : a[i];
        y[i] = fabs(b[i]) < least ? 0 : b[i];
        if (f->infinite_products && fabs(a[i] * b[i]) >= 0x1p128)
            huge += a[i] * b[i] > 0 ? INFINITY : -INFINITY;
    }
    if (f->flush && fabs(c) < 0x1p-126)
        c = 0;
    if (huge != 0)
        return huge;
    switch (f->scheme) {
    case ACCORD_FUSED_CHAIN:
        return chain(f, count, x, y, c);
    case ACCORD_FUSED_PAIRWISE:
        return pairwise(f, count, x, y, c);
    case ACCORD_FUSED_WITH_C:
        return with_c(f, count, x, y, c);
    case ACCORD_FUSED_LAST_FIRST:
        return last_first(f, count, x, y, c);
    case ACCORD_FUSED_EVEN_ODD:
        return even_odd(f, count, x, y, c);
    default:
        return then_c(f, count, x, y, c);
    }
}

/* A value of the format: now over its whole range, now of a narrow one, now a corner. */
static double draw(accordi_rng *rng, enum accord_format format, int spread)
{
    const accord_format_info *row = accord_format_get(format);
    uint64_t corner = accordi_rng_below(rng, 40);
    if (corner == 0)
        return 0;
    double sign = accordi_rng_next(rng) & 1 ? 1 : -1;
    if (corner == 1)
        return sign * row->greatest;
    if (corner == 2)
        return sign * row->least;
    int low = row->min_exponent - row->precision + 1, high = row->max_exponent;
    int range = spread && spread < high - low ? spread : high - low;
    int e = (spread ? -range / 2 : low) + (int)accordi_rng_below(rng, (uint64_t)range + 1);
    double x = accord_format_round(format, ACCORD_TOWARD_ZERO, ldexp(1 + accordi_rng_unit(rng), e));
    return sign * x;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

static void against_mpfr(const accord_fused *f, accordi_rng *rng, size_t count)
{
    static const int spreads[] = {4, 12, 30, 80, 0};
    for (size_t t = 0; t < count; t++) {
        double a[MOST], b[MOST], d = -1;
        int spread = spreads[accordi_rng_below(rng, 5)];
        size_t k = 1 + (size_t)accordi_rng_below(rng, (uint64_t)f->terms);
        for (size_t i = 0; i < k; i++) {
            a[i] = draw(rng, f->input, spread);
            b[i] = draw(rng, f->input, spread);
        }
        if (k > 1 && accordi_rng_below(rng, 3) == 0) { /* cancellation */
            a[0] = -a[k - 1];
            b[0] = b[k - 1];
        }
        double c = accordi_rng_below(rng, 4) ? draw(rng, f->output, 2 * spread) : 0;
        if (f->flush_tiny && t % 4 == 0) { /* a little less than the least normal number */
            c = 0x1p-126;
            a[0] = -0x1p-100 * (double)(1 + accordi_rng_below(rng, 8));
            b[0] = 0x1p-53;
        }
        assert_int_equal(accord_fused_step(f, k, a, b, NULL, NULL, c, &d, NULL), ACCORD_OK);
        double want = reference(f, k, a, b, c);
        if (!same(d, want))
            fail_msg("%s, trial %zu of %zu products: %a, MPFR says %a", f->name, t, k, d, want);
    }
}

static void test_against_mpfr(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    const accord_fused *f;
    for (size_t i = 0; (f = accord_fused_at(i)); i++)
        if (!f->block)
            against_mpfr(f, &rng, trials(2000));
}

static void test_table(void **state)
{
    (void)state;
    const accord_fused *f;
    size_t i = 0;
    for (; (f = accord_fused_at(i)); i++) {
        assert_ptr_equal(accord_fused_by_name(f->name), f);
        assert_true(f->terms >= 1 && f->terms <= ACCORDI_FUSED_MOST);
        assert_non_null(f->machine);
        assert_non_null(f->source);
        /* the bound of aligned.c */
        assert_true(f->fraction <= 35 && f->sum_fraction <= 35);
    }
    assert_true(i > 40);
    assert_null(accord_fused_by_name("hopper"));
}

static double step(const char *name, double c, size_t count, const double *a, const double *b)
{
    const accord_fused *f = accord_fused_by_name(name);
    double d = -1;
    assert_non_null(f);
    assert_int_equal(accord_fused_step(f, count, a, b, NULL, NULL, c, &d, NULL), ACCORD_OK);
    return d;
}

/* c = -2^25 and a product 2^25 cancel; what is left of a third term tells F. */
static double left_of(const char *name, double third)
{
    double a[3] = {0x1p15, third, 0}, b[3] = {0x1p10, 1, 0};
    return step(name, -0x1p25, 3, a, b);
}

static void test_fraction_bits(void **state)
{
    (void)state;
    assert_true(left_of("volta-f16", 15) == 12);  /* multiples of 4 */
    assert_true(left_of("turing-f16", 15) == 14); /* of 2 */
    assert_true(left_of("ampere-f16", 15) == 14);
    assert_true(left_of("ada-f16", 3) == 2);
    assert_true(left_of("hopper-f16", 15) == 15);  /* of 1 */
    assert_true(left_of("hopper-f16", 1.75) == 1); /* toward zero, */
    assert_true(left_of("hopper-f16", -1.75) == -1);
    assert_true(left_of("blackwell-f16", -0.75) == 0);
    assert_true(left_of("cdna3-f16", -1.75) == 0); /* products are cut before c joins */
    assert_true(left_of("cdna3-f16", 3) == 2);
    assert_true(left_of("cdna1-f16", 1.75) == 0); /* 2^25 + 1.75 is rounded to f32 */
    assert_true(left_of("cdna1-f16", 3) == 4);
}

/* 1.5 * 1.5 is aligned as 2^0, not as 2^1. */
static void test_products_are_not_normalised(void **state)
{
    (void)state;
    double a[3] = {1.5, -1.5, 0x1p-13}, b[3] = {1.5, 1.5, 0x1p-12};
    assert_true(step("hopper-f16", 0, 3, a, b) == 0x1p-25);
    accord_fused f = *accord_fused_by_name("hopper-f16");
    double d = -1;
    f.normalised = true;
    assert_int_equal(accord_fused_step(&f, 3, a, b, NULL, NULL, 0, &d, NULL), ACCORD_OK);
    assert_true(d == 0);
}

static void test_output(void **state)
{
    (void)state;
    double fp8[2] = {128, 1}, one[2] = {64, 1}, both[3] = {64, 64, 1}, x[3] = {128, 128, 1};
    /* F = 13: 2^13 + 1 is kept, 2^14 + 1 is not, and of 2^13 + 2^13 + 1 the result drops the 1 */
    assert_true(step("hopper-e4m3", 0, 2, fp8, one) == 8193);
    double a[2] = {128, 1}, b[2] = {128, 1};
    assert_true(step("hopper-e4m3", 0, 2, a, b) == 16384);
    assert_true(step("hopper-e4m3", 0, 3, x, both) == 16384);
    assert_true(step("blackwell-e4m3", 0, 3, x, both) == 16385);
    /* f32 results are cut, f16 results rounded to nearest */
    double u[2] = {0x1p12, 1}, v[2] = {0x1p12, 1.5};
    assert_true(step("hopper-f16", 0, 2, u, v) == 0x1p24); /* of 2^24 + 1.5 */
    double w[2] = {0x1p10, 1}, y[2] = {2, 1.5};
    assert_true(step("hopper-f16-f16", 0, 2, w, y) == 2050);
    /* overflow is an infinity although the rounding is toward zero */
    double big[2] = {0x1p127, 0x1p127}, two[2] = {1, 1};
    assert_true(isinf(step("ampere-bf16", 0, 2, big, two)));
    double inf[2] = {INFINITY, 1}, minus[2] = {1, -INFINITY};
    assert_true(isinf(step("ampere-bf16", 0, 2, inf, two)));
    assert_true(isnan(step("ampere-bf16", 0, 2, inf, minus)));
    assert_true(isnan(step("cdna3-f16", NAN, 2, w, y)));
}

static void test_cdna(void **state)
{
    (void)state;
    /* pairwise in f32: (2^24 + 1) + (1 + -2^24) = 1, where an exact sum gives 2 */
    double a[4] = {0x1p12, 1, 1, -0x1p12}, b[4] = {0x1p12, 1, 1, 0x1p12};
    assert_true(step("cdna1-f16", 0, 4, a, b) == 1);
    double swapped[4] = {0x1p12, -0x1p12, 1, 1}, by[4] = {0x1p12, 0x1p12, 1, 1};
    assert_true(step("cdna1-f16", 0, 4, swapped, by) == 2);
    /* c is cut downward, not toward zero */
    double large[1] = {0x1p12};
    assert_true(step("cdna3-f16", -0.25, 1, large, large) == 0x1p24 - 1);
    assert_true(step("cdna3-f16", 0.25, 1, large, large) == 0x1p24);
    /* flushed or not */
    double tiny[1] = {0x1p-24}, one[1] = {1};
    assert_true(step("cdna1-f16", 0, 1, tiny, one) == 0x1p-24);
    assert_true(step("cdna2-f16", 0, 1, tiny, one) == 0);
    /* the even half cannot swallow what lies in the odd half */
    double x[4] = {256, 0x1p-9, -256, 0x1p-9}, y[4] = {256, 1, 256, 1};
    assert_true(step("cdna3-e4m3", 0, 4, x, y) == 0x1p-8);
    double moved[4] = {256, -256, 0x1p-9, 0x1p-9}, with[4] = {256, 256, 1, 1};
    assert_true(step("cdna3-e4m3", 0, 4, moved, with) == 0);
}

/* Blocks of 16 products are exact, and aligned by their scales alone. */
static void test_scales(void **state)
{
    (void)state;
    const accord_fused *mx = accord_fused_by_name("blackwell-mxf4");
    double a[64] = {0}, b[64] = {0}, sa[2] = {1, 0x1p-40}, sb[2] = {1, 1}, d = -1;
    for (int i = 0; i < 64; i++) {
        a[i] = i % 2 ? 6 : -6;
        b[i] = 6;
    }
    a[0] = -4; /* every block cancels but the first */
    assert_int_equal(accord_fused_step(mx, 64, a, b, NULL, NULL, 1, &d, NULL), ACCORD_OK);
    assert_true(d == 13);
    a[32] = -4; /* a block scaled by 2^-40: 12 * 2^-40 lies below 2^-35 */
    assert_int_equal(accord_fused_step(mx, 64, a, b, sa, sb, 0x1p-40, &d, NULL), ACCORD_OK);
    assert_true(d == 12);
    sa[1] = 0x1p-34;
    assert_int_equal(accord_fused_step(mx, 64, a, b, sa, sb, -12, &d, NULL), ACCORD_OK);
    assert_true(d == 12 * 0x1p-34);
    sb[1] = NAN;
    assert_int_equal(accord_fused_step(mx, 64, a, b, sa, sb, 0, &d, NULL), ACCORD_OK);
    assert_true(isnan(d));
    assert_int_equal(accord_fused_step(mx, 32, a, b, sa, sb, 0, &d, NULL), ACCORD_OK);
    assert_true(d == 12); /* the other block takes no part */
    const accord_fused *f8 = accord_fused_by_name("blackwell-mxe4m3");
    double half = 0.5, x[2] = {3, 1}, y[2] = {5, 1}, zero = 0, great = 0x1p60;
    assert_int_equal(accord_fused_step(f8, 2, x, y, &half, &half, 1, &d, NULL), ACCORD_OK);
    assert_true(d == 5);
    assert_int_equal(accord_fused_step(f8, 2, x, y, &zero, &great, 1, &d, NULL), ACCORD_OK);
    assert_true(d == 1); /* and nothing is aligned to 2^60 */
    accord_fused infinite = *f8;
    infinite.infinite_products = true;
    great = 0x1p127;
    assert_int_equal(accord_fused_step(&infinite, 1, x, y, &great, NULL, 1, &d, NULL), ACCORD_OK);
    assert_true(isinf(d));
}

/* A dot product is its steps: of whole blocks of scales, or of parts of a block. */
static void test_dot_with_scales(void **state)
{
    (void)state;
    enum { N = 256 };
    static const int shares[] = {16, 32, 64, 128};
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(200); t++) {
        accord_fused f = *accord_fused_by_name("blackwell-mxe4m3");
        double a[N], b[N], sa[N], sb[N], c = 0, d = -1;
        size_t share = (size_t)shares[t % 4], n = 1 + accordi_rng_below(&rng, N), terms = 32;
        f.scale_block = (int)share;
        for (size_t i = 0; i < N; i++) {
            a[i] = draw(&rng, f.input, 0);
            b[i] = draw(&rng, f.input, 0);
            sa[i] = ldexp(1, (int)accordi_rng_below(&rng, 20));
            sb[i] = ldexp(1, -(int)accordi_rng_below(&rng, 20));
        }
        for (size_t i = 0; i < n; i += terms)
            accord_fused_step(&f, n - i < terms ? n - i : terms, a + i, b + i, sa + i / share,
                              sb + i / share, c, &c, NULL);
        assert_int_equal(accord_fused_dot(&f, n, a, b, sa, sb, &d, NULL), ACCORD_OK);
        assert_true(same(c, d));
    }
    accord_fused odd = *accord_fused_by_name("blackwell-mxe4m3");
    double x[96] = {0}, d = 5;
    odd.scale_block = 48;
    assert_int_equal(accord_fused_dot(&odd, 96, x, x, x, x, &d, NULL), ACCORD_ARG);
    assert_int_equal(accord_fused_dot(accord_fused_by_name("ada-f16"), 8, x, x, x, x, &d, NULL),
                     ACCORD_ARG);
    odd.scheme = ACCORD_FUSED_CHAIN;
    assert_int_equal(accord_fused_step(&odd, 1, x, x, x, x, 0, &d, NULL), ACCORD_ARG);
    assert_true(d == 5);
}

/* The same by MPFR with scales: terms are products times their scales, or of 4-bit elements sums of
 * 16 of them, aligned by the exponents of products and scales, or of scales alone. */
static double scaled_by_mpfr(const accord_fused *f, const double *a, const double *b,
                             const double *sa, const double *sb, double c)
{
    mpfr_t term[MOST], part, sum;
    int size = f->block ? f->block : 1, count = f->terms / size, most = f->least_exponent;
    mpfr_inits2(BITS, part, sum, (mpfr_ptr)0);
    for (int t = 0; t < count; t++) {
        double x = sa[t * size / f->scale_block], y = sb[t * size / f->scale_block];
        mpfr_init2(term[t], BITS);
        mpfr_set_zero(term[t], 1);
        for (int i = t * size; i < (t + 1) * size; i++) {
            mpfr_set_d(part, a[i], MPFR_RNDN);
            mpfr_mul_d(part, part, b[i], MPFR_RNDN);
            mpfr_add(term[t], term[t], part, MPFR_RNDN);
        }
        int e = ilogb(x) + ilogb(y);
        if (!f->block)
            e += a[t] * b[t] == 0 ? -10000
                                  : exponent_of(f->input, a[t]) + exponent_of(f->input, b[t]);
        most = at_least(most, e);
        mpfr_mul_d(term[t], term[t], x, MPFR_RNDN);
        mpfr_mul_d(term[t], term[t], y, MPFR_RNDN);
    }
    most = c != 0 ? at_least(most, exponent_of(f->output, c)) : most;
    mpfr_set_d(sum, c, MPFR_RNDN);
    to_grid(sum, most - f->fraction, f->alignment);
    for (int t = 0; t < count; t++) {
        to_grid(term[t], most - f->fraction, f->alignment);
        mpfr_add(sum, sum, term[t], MPFR_RNDN);
        mpfr_clear(term[t]);
    }
    double d = into(f, sum, 0);
    mpfr_clears(part, sum, (mpfr_ptr)0);
    return d;
}

static void test_scales_against_mpfr(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    const accord_fused *row;
    size_t rows = 0;
    for (size_t r = 0; (row = accord_fused_at(r)); r++) {
        rows += row->scale_block != 0;
        for (size_t t = 0; row->scale_block && t < trials(2000); t++) {
            accord_fused other = *row, *f = &other; /* or one with scales of several bits */
            other.scale = t % 2 ? ACCORD_UE4M3 : row->scale;
            other.scale_block = t % 4 == 1 && row->scale_block > 16 ? 16 : row->scale_block;
            bool wide = f->scale == ACCORD_UE4M3;
            double a[MOST], b[MOST], sa[4], sb[4], d = -1;
            int spread = (int)accordi_rng_below(&rng, 60);
            for (int k = 0; k < f->terms; k++) {
                a[k] = draw(&rng, f->input, 0);
                b[k] = draw(&rng, f->input, 0);
            }
            for (int k = 0; k < 4; k++) {
                double m = wide ? 8 + (double)accordi_rng_below(&rng, 8) : 8;
                int most = wide ? 13 : spread + 1, low = most == 13 ? -6 : -spread / 2;
                sa[k] = ldexp(m / 8, low + (int)accordi_rng_below(&rng, (uint64_t)most));
                m = wide ? 8 + (double)accordi_rng_below(&rng, 8) : 8;
                sb[k] = ldexp(m / 8, low + (int)accordi_rng_below(&rng, (uint64_t)most));
            }
            double c = accordi_rng_below(&rng, 4) ? draw(&rng, f->output, 40) : 0;
            assert_int_equal(accord_fused_step(f, (size_t)f->terms, a, b, sa, sb, c, &d, NULL),
                             ACCORD_OK);
            double want = scaled_by_mpfr(f, a, b, sa, sb, c);
            if (!same(d, want))
                fail_msg("%s, trial %zu: %a, MPFR says %a", f->name, t, d, want);
        }
    }
    assert_int_equal(rows, 7);
}

static void test_dot(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    const accord_fused *f;
    for (size_t i = 0; (f = accord_fused_at(i)); i++) {
        double a[100], b[100], c = 0, d = -1;
        for (size_t k = 0; k < 100; k++) {
            a[k] = draw(&rng, f->input, 6);
            b[k] = draw(&rng, f->input, 6);
        }
        for (size_t k = 0; k < 100; k += (size_t)f->terms) {
            size_t count = 100 - k < (size_t)f->terms ? 100 - k : (size_t)f->terms;
            accord_fused_step(f, count, a + k, b + k, NULL, NULL, c, &c, NULL);
        }
        assert_int_equal(accord_fused_dot(f, 100, a, b, NULL, NULL, &d, NULL), ACCORD_OK);
        assert_true(same(c, d));
    }
}

static void test_contract(void **state)
{
    (void)state;
    double x[65] = {0}, d = 7;
    accord_error error;
    const accord_fused *f = accord_fused_by_name("ampere-tf32");
    assert_int_equal(accord_fused_step(f, 5, x, x, NULL, NULL, 0, &d, &error), ACCORD_ARG);
    assert_int_equal(accord_fused_step(f, 4, x, x, x, x, 0, &d, &error), ACCORD_ARG);
    assert_true(d == 7);
    double a = 1 + 0x1p-20, one = 1; /* f32 operands lose their low 13 bits */
    assert_int_equal(accord_fused_step(f, 1, &a, &one, NULL, NULL, 0, &d, &error), ACCORD_OK);
    assert_true(d == 1);
}

static double exact_by_mpfr(enum accord_format format, enum accord_rounding rounding,
                            const double *x, size_t count)
{
    mpfr_t sum;
    mpfr_init2(sum, BITS);
    mpfr_set_zero(sum, 1);
    for (size_t i = 0; i < count; i++)
        mpfr_add_d(sum, sum, x[i], MPFR_RNDN);
    const accord_format_info *row = accord_format_get(format);
    if (!mpfr_zero_p(sum)) {
        int e = at_least((int)mpfr_get_exp(sum) - 1, row->min_exponent);
        to_grid(sum, e - row->precision + 1, rounding);
    }
    double d = mpfr_get_d(sum, MPFR_RNDN);
    bool away = rounding == ACCORD_NEAREST_EVEN || rounding == (d < 0 ? ACCORD_DOWN : ACCORD_UP);
    if (mpfr_cmpabs_ui(sum, 0) && !(fabs(d) <= row->greatest))
        d = copysign(!away ? row->greatest : row->has_infinity ? INFINITY : NAN, d);
    mpfr_clear(sum);
    return d;
}

static void test_exact_sum(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(20000); t++) {
        enum accord_format format =
            (enum accord_format)accordi_rng_below(&rng, ACCORD_FORMAT_COUNT);
        enum accord_format terms = accordi_rng_below(&rng, 2) ? ACCORD_F64 : format;
        enum accord_rounding rounding = (enum accord_rounding)accordi_rng_below(&rng, 4);
        double x[20];
        size_t count = 1 + (size_t)accordi_rng_below(&rng, 20);
        static const int spreads[] = {6, 40, 120, 0};
        int spread = spreads[accordi_rng_below(&rng, 4)];
        for (size_t i = 0; i < count; i++)
            x[i] = draw(&rng, terms, spread);
        if (count > 2 && accordi_rng_below(&rng, 2))
            x[0] = -x[count - 1];
        double got = accordi_exact_sum(format, rounding, x, count);
        double want = exact_by_mpfr(format, rounding, x, count);
        if (!same(got, want))
            fail_msg("trial %zu, %s, rounding %d: %a, MPFR says %a", t,
                     accord_format_get(format)->name, (int)rounding, got, want);
    }
    double zeros[2] = {0.0, -0.0}, minus[2] = {-0.0, -0.0}, none[2] = {1, -1};
    assert_false(signbit(accordi_exact_sum(ACCORD_F32, ACCORD_NEAREST_EVEN, zeros, 2)));
    assert_true(signbit(accordi_exact_sum(ACCORD_F32, ACCORD_DOWN, zeros, 2)));
    assert_true(signbit(accordi_exact_sum(ACCORD_F32, ACCORD_NEAREST_EVEN, minus, 2)));
    assert_false(signbit(accordi_exact_sum(ACCORD_F32, ACCORD_NEAREST_EVEN, none, 2)));
    assert_true(signbit(accordi_exact_sum(ACCORD_F32, ACCORD_DOWN, none, 2)));
    double infinite[3] = {INFINITY, 1, -INFINITY};
    assert_true(isinf(accordi_exact_sum(ACCORD_F64, ACCORD_NEAREST_EVEN, infinite, 2)));
    assert_true(isnan(accordi_exact_sum(ACCORD_F64, ACCORD_NEAREST_EVEN, infinite, 3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),           cmocka_unit_test(test_against_mpfr),
        cmocka_unit_test(test_fraction_bits),   cmocka_unit_test(test_products_are_not_normalised),
        cmocka_unit_test(test_output),          cmocka_unit_test(test_cdna),
        cmocka_unit_test(test_scales),          cmocka_unit_test(test_scales_against_mpfr),
        cmocka_unit_test(test_dot_with_scales), cmocka_unit_test(test_dot),
        cmocka_unit_test(test_contract),        cmocka_unit_test(test_exact_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
