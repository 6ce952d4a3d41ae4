/* For tests of the one-call routines: what MPFR says of a formula, special values included; arrays
 * laid out with any stride and alignment; options and floating-point environments drawn at random.
 * Numbers are doubles here, those of f32 too, until they are laid out. */
#ifndef EXACT_CALLS_H
#define EXACT_CALLS_H

#include "exact_sums.h"
#include <fenv.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

enum { LONG = 7200, ROOM = 2 * 8 * 3 * MOST + 64 }; /* bits; bytes */

/* Exact sums of terms of any kind. */

typedef struct tally {
    mpfr_t sum;
    size_t terms, plus, minus; /* zeros */
    bool nan, up, down;        /* infinities */
} tally;

static inline void tally_init(tally *t)
{
    *t = (tally){.terms = 0};
    mpfr_init2(t->sum, LONG);
    mpfr_set_zero(t->sum, 1);
}

static inline void tally_add(tally *t, const mpfr_t term)
{
    bool negative = mpfr_signbit(term);
    t->terms++;
    t->nan = t->nan || mpfr_nan_p(term);
    if (mpfr_inf_p(term)) {
        t->down = t->down || negative;
        t->up = t->up || !negative;
    } else if (mpfr_zero_p(term)) {
        t->plus += !negative;
        t->minus += negative;
    } else if (mpfr_regular_p(term)) {
        assert_int_equal(mpfr_add(t->sum, t->sum, term, MPFR_RNDN), 0);
    }
}

/* a * b * c, in this order where one is no number. */
static inline void tally_add_product(tally *t, double a, double b, double c)
{
    mpfr_t term;
    mpfr_init2(term, 160);
    mpfr_set_d(term, b, MPFR_RNDN);
    mpfr_mul_d(term, term, c, MPFR_RNDN);
    mpfr_mul_d(term, term, a, MPFR_RNDN);
    tally_add(t, term);
    mpfr_clear(term);
}

/* The value with its special cases, of LONG bits. */
static inline void tally_value(const tally *t, int rounding, mpfr_t out)
{
    if (t->nan || (t->up && t->down))
        mpfr_set_nan(out);
    else if (t->up || t->down)
        mpfr_set_inf(out, t->up ? 1 : -1);
    else if (!mpfr_zero_p(t->sum))
        mpfr_set(out, t->sum, MPFR_RNDN);
    else if (t->minus == t->terms || (rounding == ACCORD_EXACT_DOWN && t->plus != t->terms))
        mpfr_set_zero(out, -1);
    else
        mpfr_set_zero(out, 1);
}

/* Of a result that was cut to 300 bits: half a unit more, where something was cut, so that no
 * rounding takes it for what it is not. */
static inline void mark_inexact(mpfr_t out, const mpfr_t cut, int inexact)
{
    mpfr_set_prec(out, 400);
    mpfr_set(out, cut, MPFR_RNDN);
    if (!inexact || !mpfr_regular_p(cut))
        return;
    mpfr_t half;
    mpfr_init2(half, 10);
    mpfr_set_si_2exp(half, mpfr_sgn(cut), mpfr_get_exp(cut) - 301, MPFR_RNDN);
    assert_int_equal(mpfr_add(out, out, half, MPFR_RNDN), 0);
    mpfr_clear(half);
}

static inline void divide(mpfr_t x, double divisor)
{
    mpfr_t cut, d;
    mpfr_init2(cut, 300);
    mpfr_init2(d, 64);
    mpfr_set_d(d, divisor, MPFR_RNDN);
    int inexact = mpfr_div(cut, x, d, MPFR_RNDZ);
    mark_inexact(x, cut, inexact);
    mpfr_clears(cut, d, (mpfr_ptr)0);
}

static inline void take_root(mpfr_t x)
{
    mpfr_t cut;
    mpfr_init2(cut, 300);
    int inexact = mpfr_sqrt(cut, x, MPFR_RNDZ);
    mark_inexact(x, cut, inexact);
    mpfr_clear(cut);
}

/* The bits of the number that a value rounds to. */
static inline uint64_t value_pattern(const mpfr_t x, int format, int rounding)
{
    if (mpfr_regular_p(x))
        return round_oracle(format, rounding, x);
    return accord_format_encode((enum accord_format)format, mpfr_get_d(x, MPFR_RNDN));
}

/* Ends the tally. */
static inline uint64_t tally_pattern(tally *t, int format, int rounding)
{
    mpfr_t x;
    mpfr_init2(x, LONG);
    tally_value(t, rounding, x);
    uint64_t pattern = value_pattern(x, format, rounding);
    mpfr_clears(x, t->sum, (mpfr_ptr)0);
    return pattern;
}

/* Numbers. */

/* The value as one of the format, its exponent drawn in. */
static inline double squeeze(int format, double x)
{
    static const int shrink[FORMATS] = {[ACCORD_F64] = 1, 8, 64, 8};
    int e;
    if (format == ACCORD_F64 || !isfinite(x))
        return x;
    double m = frexp(x, &e);
    enum accord_format f = (enum accord_format)format;
    uint64_t bits = accord_format_encode(f, ldexp(m, e / shrink[format]));
    double y = accord_format_decode(f, bits);
    return isfinite(y) ? y : copysign(accord_format_get(f)->greatest, x);
}

static inline void draw_numbers(int format, double *x, size_t n)
{
    fills[below(FILLS)].fill(x, n);
    for (size_t i = 0; i < n; i++)
        x[i] = squeeze(format, x[i]);
    static const double odd[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, 0.0, -0.0};
    bool zeros = below(2);
    for (int i = below(8) ? 0 : 1 + below(3); n && i > 0; i--)
        x[below((int)n)] = odd[zeros ? 3 + below(4) : below(7)];
}

static inline uint64_t encode(int format, double x)
{
    uint64_t bits;
    if (format == ACCORD_F64) /* keeps the NaNs */
        memcpy(&bits, &x, sizeof bits);
    else
        bits = accord_format_encode((enum accord_format)format, x);
    return bits;
}

static inline int size_of_format(int format)
{
    return accord_format_get((enum accord_format)format)->bytes;
}

static inline void put_number(int format, char *at, double x)
{
    uint64_t bits = encode(format, x);
    uint32_t word = (uint32_t)bits;
    uint16_t half = (uint16_t)bits;
    int size = size_of_format(format);
    memcpy(at, size == 8 ? (void *)&bits : size == 4 ? (void *)&word : (void *)&half, (size_t)size);
}

static inline uint64_t get_pattern(int format, const void *at)
{
    uint64_t bits = 0;
    uint32_t word;
    uint16_t half;
    switch (size_of_format(format)) {
    case 8:
        memcpy(&bits, at, 8);
        return bits;
    case 4:
        memcpy(&word, at, 4);
        return word;
    default:
        memcpy(&half, at, 2);
        return half;
    }
}

/* Where element 0 of an array of `count` elements of `parts` numbers belongs, so that all lie in
 * the room. */
static inline char *place_in(char *room, int format, size_t count, int parts, ptrdiff_t stride)
{
    ptrdiff_t step = stride * parts * size_of_format(format);
    char *first = room + (below(2) ? 0 : below(8));
    return stride < 0 && count ? first - step * ((ptrdiff_t)count - 1) : first;
}

static inline char *lay(char *room, int format, const double *x, size_t count, int parts,
                        ptrdiff_t stride)
{
    char *first = place_in(room, format, count, parts, stride);
    ptrdiff_t size = size_of_format(format), step = stride * parts * size;
    for (size_t i = 0; i < count; i++)
        for (int p = 0; p < parts; p++)
            put_number(format, first + (ptrdiff_t)i * step + p * size,
                       x[i * (size_t)parts + (size_t)p]);
    return first;
}

/* Without 0, which makes all elements one. */
static inline ptrdiff_t any_stride(void)
{
    static const ptrdiff_t strides[] = {1, 1, 1, 2, 3, -1, -2, -3};
    return strides[below(8)];
}

static inline accord_exact_options any_options(void)
{
    accord_exact_options o;
    accord_exact_options_init(&o);
    o.method =
        below(2) ? ACCORD_EXACT_AUTO : (enum accord_exact_method)below(ACCORD_EXACT_METHOD_COUNT);
    o.rounding = (enum accord_exact_rounding)below(ROUNDINGS);
    o.threads = below(9);
    o.expansion = 2 + below(7);
    o.no_early_exit = below(2);
    return o;
}

/* Any environment, until left: then it must still be what it was. */

typedef struct environment {
    fenv_t kept;
    int mode;
    unsigned control;
} environment;

static inline environment enter_any_environment(void)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    environment e = {.mode = modes[below(2) ? 0 : below(4)]};
    bool flush = !below(3);
    fegetenv(&e.kept);
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(e.mode);
#ifdef __SSE2__
    e.control = _mm_getcsr() | (flush ? 0x8040 : 0);
    _mm_setcsr(e.control);
#endif
    (void)flush;
    return e;
}

static inline void leave_environment(environment *e)
{
    bool same = fegetround() == e->mode && !fetestexcept(FE_ALL_EXCEPT);
#ifdef __SSE2__
    same = same && _mm_getcsr() == e->control;
#endif
    fesetenv(&e->kept);
    if (!same)
        fail_msg("the floating-point environment was touched");
}

#endif
