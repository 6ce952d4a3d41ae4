/* A second opinion on fused machines: the contract of accord/fused.h in integers of any size, with
 * nothing from room fused, and ways to sum that no machine of that space has. */
#ifndef SLOW_MACHINE_H
#define SLOW_MACHINE_H

#include "base/base.h"
#include <accord/fused.h>
#include <gmp.h>
#include <limits.h>
#include <math.h>

/* What a step may do that accord_fused has no parameter for. */
enum slow_oddity {
    SLOW_NONE,
    SLOW_ALIGNS_AWAY,       /* aligned terms are rounded to nearest, ties away from zero, */
    SLOW_ALIGNS_OUTWARD,    /* or away from zero, */
    SLOW_ALIGNS_ODD,        /* or to odd, */
    SLOW_ALIGNS_STOCHASTIC, /* or up by chance */
    SLOW_ROUNDS_AWAY,       /* the result is rounded to nearest, ties away from zero, */
    SLOW_ROUNDS_ODD,        /* or to odd */
    SLOW_IGNORES_C,         /* aligned by the greatest product, whatever c */
    SLOW_TWO_LEVELS,        /* groups of four products are aligned apart, then with c */
    SLOW_ALIGNS_TIES_UP,    /* aligned terms are rounded to nearest, ties up, */
    SLOW_ROUNDS_TIES_UP,    /* or the result is, */
    SLOW_ALIGNS_BY_SIGN,    /* or aligned terms to nearest if positive, and toward zero if not, */
    SLOW_ROUNDS_BY_SIGN,    /* or the result */
    SLOW_ROUNDS_PRODUCTS,   /* products have two bits more than operands, rounded, */
    SLOW_CUTS_PRODUCTS,     /* or truncated */
    SLOW_ALTERNATES,        /* every other step keeps three bits less */
    SLOW_CUTS_C,            /* c is cut otherwise than the products */
    SLOW_COARSE,            /* terms are aligned to exponents that are multiples of four */
    SLOW_WIDE_C,            /* c has four bits more than the result */
    SLOW_ODDITIES
};

enum { SLOW_MOST = 64 };

typedef struct slow_machine {
    accord_fused fused;
    enum slow_oddity oddity;
    uint64_t chance; /* state of what is stochastic */
    size_t step;     /* which is computed */
    /* Accumulators: steps go to them in turn, or in runs, and their sums are added one after the
     * other, to nearest, in the format of the result. 0 and 1: one. */
    int chains;
    bool runs, flush_joins; /* subnormal sums of accumulators count as zero */
} slow_machine;

/* How an integer is made of a fraction. */
enum slow_rounding {
    SLOW_EVEN,
    SLOW_ZERO,
    SLOW_DOWN,
    SLOW_UP,
    SLOW_AWAY,
    SLOW_OUTWARD,
    SLOW_ODD,
    SLOW_ANY,
    SLOW_TIES_UP,
    SLOW_BY_SIGN
};

/* value * 2^least, aligned by `exponent`. */
typedef struct slow_number {
    mpz_t value;
    int least, exponent;
} slow_number;

enum { SLOW_ABSENT = -1000000 };

static inline int slow_max(int a, int b)
{
    return a > b ? a : b;
}

/* x to a multiple of 2^quantum. */
static inline void slow_cut(slow_machine *s, slow_number *x, int quantum, enum slow_rounding how)
{
    static mpz_t whole, rest, half;
    static bool ready;
    if (!ready) {
        mpz_inits(whole, rest, half, NULL);
        ready = true;
    }
    int bits = quantum - x->least;
    if (bits <= 0) {
        mpz_mul_2exp(x->value, x->value, (mp_bitcnt_t)-bits);
        x->least = quantum;
        return;
    }
    bool negative = mpz_sgn(x->value) < 0;
    mpz_fdiv_q_2exp(whole, x->value, (mp_bitcnt_t)bits); /* the integer below */
    mpz_fdiv_r_2exp(rest, x->value, (mp_bitcnt_t)bits);
    bool exact = mpz_sgn(rest) == 0;
    mpz_set_ui(half, 1);
    mpz_mul_2exp(half, half, (mp_bitcnt_t)(bits - 1));
    int side = mpz_cmp(rest, half);
    bool odd = mpz_odd_p(whole), up = false;
    switch (how) {
    case SLOW_EVEN:
        up = side > 0 || (side == 0 && odd);
        break;
    case SLOW_ZERO:
        up = negative;
        break;
    case SLOW_DOWN:
        break;
    case SLOW_UP:
        up = true;
        break;
    case SLOW_AWAY:
        up = side > 0 || (side == 0 && !negative);
        break;
    case SLOW_OUTWARD:
        up = !negative;
        break;
    case SLOW_ODD:
        up = !odd;
        break;
    case SLOW_TIES_UP:
        up = side >= 0;
        break;
    case SLOW_BY_SIGN:
        up = negative || side > 0 || (side == 0 && odd);
        break;
    case SLOW_ANY:
        s->chance = s->chance * 6364136223846793005u + 1442695040888963407u;
        up = s->chance >> 63;
        break;
    }
    if (up && !exact)
        mpz_add_ui(whole, whole, 1);
    mpz_swap(x->value, whole);
    x->least = quantum;
}

static inline void slow_set(slow_number *x, double value)
{
    int e = 0;
    double m = value == 0 ? 0 : frexp(value, &e);
    mpz_set_d(x->value, ldexp(m, 53));
    x->least = e - 53;
}

/* The exponent by which an operand, or c, is aligned. */
static inline int slow_exponent(enum accord_format format, double x, bool leading, bool zeros)
{
    int least = accord_format_get(format)->min_exponent;
    if (x == 0)
        return zeros ? least : SLOW_ABSENT;
    return leading ? ilogb(x) : slow_max(ilogb(x), least);
}

static inline double slow_overflow(const accord_fused *m, bool negative)
{
    const accord_format_info *row = accord_format_get(m->output);
    int p = m->output_fraction ? m->output_fraction + 1 : row->precision;
    double greatest =
        m->output_fraction ? ldexp(2 - ldexp(1, 1 - p), row->max_exponent) : row->greatest;
    double infinite = row->has_infinity ? (double)INFINITY : (double)NAN;
    bool stops = m->overflow == ACCORD_OVERFLOW_GREATEST;
    if (m->overflow == ACCORD_OVERFLOW_ROUNDED)
        stops = m->rounding == ACCORD_TOWARD_ZERO ||
                m->rounding == (negative ? ACCORD_UP : ACCORD_DOWN);
    return copysign(stops ? greatest : infinite, negative ? -1 : 1);
}

/* Rounded once into the output, of `fraction` bits (0: all). */
static inline double slow_round(slow_machine *s, slow_number *x, enum slow_rounding how,
                                int fraction)
{
    const accord_fused *m = &s->fused;
    const accord_format_info *row = accord_format_get(m->output);
    bool negative = mpz_sgn(x->value) < 0;
    if (mpz_sgn(x->value) == 0)
        return 0;
    int e = (int)mpz_sizeinbase(x->value, 2) - 1 + x->least;
    int p = fraction ? fraction + 1 : row->precision;
    p += s->oddity == SLOW_WIDE_C ? 4 : 0;
    slow_cut(s, x, slow_max(e, row->min_exponent) - (p - 1), how);
    if (mpz_sgn(x->value) != 0 &&
        (int)mpz_sizeinbase(x->value, 2) - 1 + x->least > row->max_exponent)
        return slow_overflow(m, negative);
    double d = ldexp(mpz_get_d(x->value), x->least);
    if (fabs(d) > row->greatest) /* of formats that lack their last significand */
        return slow_overflow(m, negative);
    d = m->flush && fabs(d) < ldexp(1, row->min_exponent) ? 0 : d;
    return m->positive_zero && d == 0 ? 0 : copysign(d, negative ? -1 : 1);
}

/* The sum of terms first, first + stride …, cut by the greatest of their exponents and `most`. */
static inline void slow_align(slow_machine *s, slow_number *term, int count, int first, int stride,
                              int most, enum slow_rounding how, slow_number *sum)
{
    for (int i = first; i < count; i += stride)
        most = slow_max(most, term[i].exponent);
    most += s->oddity == SLOW_COARSE ? (4 - most % 4) % 4 : 0;
    int kept = s->fused.fraction - (s->oddity == SLOW_ALTERNATES && s->step % 2 ? 3 : 0);
    mpz_set_ui(sum->value, 0);
    sum->exponent = most;
    sum->least = most - kept;
    for (int i = first; i < count; i += stride) {
        bool is_c = s->oddity == SLOW_CUTS_C && i == count - 1;
        slow_cut(s, &term[i], sum->least, !is_c ? how : how == SLOW_EVEN ? SLOW_ZERO : SLOW_EVEN);
        mpz_add(sum->value, sum->value, term[i].value);
    }
}

static inline void slow_add(slow_number *to, const slow_number *x)
{
    mpz_add(to->value, to->value, x->value); /* of the same quantum */
}

static inline double slow_aligned(slow_machine *s, int count, slow_number *term)
{
    static const enum slow_rounding odd[SLOW_ODDITIES] = {
        [SLOW_ALIGNS_AWAY] = SLOW_AWAY,       [SLOW_ALIGNS_OUTWARD] = SLOW_OUTWARD,
        [SLOW_ALIGNS_ODD] = SLOW_ODD,         [SLOW_ALIGNS_STOCHASTIC] = SLOW_ANY,
        [SLOW_ROUNDS_AWAY] = SLOW_AWAY,       [SLOW_ROUNDS_ODD] = SLOW_ODD,
        [SLOW_ALIGNS_TIES_UP] = SLOW_TIES_UP, [SLOW_ROUNDS_TIES_UP] = SLOW_TIES_UP,
        [SLOW_ALIGNS_BY_SIGN] = SLOW_BY_SIGN, [SLOW_ROUNDS_BY_SIGN] = SLOW_BY_SIGN};
    static slow_number sum, other;
    static bool ready;
    if (!ready) {
        mpz_inits(sum.value, other.value, NULL);
        ready = true;
    }
    const accord_fused *m = &s->fused;
    bool of_result = s->oddity == SLOW_ROUNDS_AWAY || s->oddity == SLOW_ROUNDS_ODD ||
                     s->oddity == SLOW_ROUNDS_TIES_UP || s->oddity == SLOW_ROUNDS_BY_SIGN;
    bool of_terms = (s->oddity >= SLOW_ALIGNS_AWAY && s->oddity <= SLOW_ALIGNS_STOCHASTIC) ||
                    s->oddity == SLOW_ALIGNS_TIES_UP || s->oddity == SLOW_ALIGNS_BY_SIGN;
    enum slow_rounding align = of_terms ? odd[s->oddity] : (enum slow_rounding)m->alignment;
    enum slow_rounding join = (enum slow_rounding)m->join;
    enum slow_rounding last = of_result ? odd[s->oddity] : (enum slow_rounding)m->rounding;
    slow_number *c = &term[count];
    if (m->scheme == ACCORD_FUSED_WITH_C) {
        if (s->oddity == SLOW_IGNORES_C) {
            int most = m->least_exponent;
            for (int i = 0; i < count; i++)
                most = slow_max(most, term[i].exponent);
            c->exponent = most == m->least_exponent ? c->exponent : SLOW_ABSENT;
        }
        if (s->oddity == SLOW_TWO_LEVELS) {
            int groups = 0;
            for (int i = 0; i < count; i += 4, groups++) {
                slow_align(s, term, i + 4 < count ? i + 4 : count, i, 1, m->least_exponent, align,
                           &sum);
                mpz_set(term[groups].value, sum.value);
                term[groups].least = sum.least;
                term[groups].exponent = sum.exponent;
            }
            mpz_swap(term[groups].value, c->value);
            term[groups].least = c->least;
            term[groups].exponent = c->exponent;
            count = groups;
        }
        slow_align(s, term, count + 1, 0, 1, m->least_exponent, align, &sum);
        return slow_round(s, &sum, last, m->output_fraction);
    }
    slow_align(s, term, count, 0, m->halves ? 2 : 1, m->least_exponent, align, &sum);
    if (m->halves) {
        slow_align(s, term, count, 1, 2, m->least_exponent, align, &other);
        int e = slow_max(sum.exponent, other.exponent);
        slow_cut(s, &sum, e - m->fraction, join);
        slow_cut(s, &other, e - m->fraction, join);
        slow_add(&sum, &other);
        sum.exponent = e;
    }
    int of_c =
        c->exponent == SLOW_ABSENT ? accord_format_get(m->output)->min_exponent : c->exponent;
    int e = slow_max(sum.exponent, of_c);
    bool dropped = m->c_reach && of_c < e - m->c_reach;
    slow_cut(s, &sum, e - m->sum_fraction, join);
    slow_cut(s, c, e - m->c_fraction, join);
    slow_cut(s, c, e - m->sum_fraction, join); /* finer: exact */
    if (!dropped)
        slow_add(&sum, c);
    return slow_round(s, &sum, last, m->output_fraction);
}

/* Whether the number is less than the least normal one when all bits of it are rounded: less than
 * halfway between that and the number below it. */
static inline bool slow_is_tiny(const slow_machine *s, const slow_number *x)
{
    const accord_format_info *out = accord_format_get(s->fused.output);
    int p = out->precision;
    mpz_t limit;
    mpz_init_set_ui(limit, 1);
    mpz_mul_2exp(limit, limit, (mp_bitcnt_t)(p + 1));
    mpz_sub_ui(limit, limit, 1);
    mpz_mul_2exp(limit, limit, (mp_bitcnt_t)(out->min_exponent - p - 1 - x->least));
    bool tiny = mpz_cmpabs(x->value, limit) < 0;
    mpz_clear(limit);
    return tiny;
}

/* One rounded addition after the other. */
static inline double slow_round_exact(slow_machine *s, const double *p, const double *q, int count)
{
    static slow_number sum, x, y;
    static bool ready;
    if (!ready) {
        mpz_inits(sum.value, x.value, y.value, NULL);
        ready = true;
    }
    double plain = -0.0; /* for the sign of zero */
    mpz_set_ui(sum.value, 0);
    sum.least = -6000;
    for (int i = 0; i < count; i++) {
        slow_set(&x, p[i]);
        slow_set(&y, q[i]);
        mpz_mul(x.value, x.value, y.value);
        x.least += y.least;
        if (mpz_sgn(x.value) != 0) {
            slow_cut(s, &x, sum.least, SLOW_EVEN);
            slow_add(&sum, &x);
        }
        double sign = (signbit(p[i]) != 0) != (signbit(q[i]) != 0) ? -1 : 1;
        plain += p[i] == 0 || q[i] == 0 ? copysign(0, sign) : sign;
    }
    if (mpz_sgn(sum.value) == 0)
        return plain == 0 ? plain : 0;
    if (s->fused.flush && s->fused.flush_tiny && slow_is_tiny(s, &sum))
        return mpz_sgn(sum.value) < 0 ? -0.0 : 0;
    return slow_round(s, &sum, SLOW_EVEN, 0);
}

static inline double slow_rounded(slow_machine *s, int count, const double *a, const double *b,
                                  double c)
{
    const accord_fused *m = &s->fused;
    double part[SLOW_MOST] = {0};
    if (m->scheme == ACCORD_FUSED_CHAIN) {
        for (int i = 0; i < count; i++)
            c = slow_round_exact(s, (double[]){a[i], c}, (double[]){b[i], 1}, 2);
        return c;
    }
    if (m->scheme == ACCORD_FUSED_LAST_FIRST) {
        for (int i = m->terms - 1; i >= 0; i--)
            c = slow_round_exact(s, (double[]){i < count ? a[i] : 0, c},
                                 (double[]){i < count ? b[i] : 0, 1}, 2);
        return c;
    }
    if (m->scheme == ACCORD_FUSED_EVEN_ODD) {
        for (int i = 0; i < count + count % 2; i++)
            part[i % 2] = slow_round_exact(s, (double[]){i < count ? a[i] : 0, part[i % 2]},
                                           (double[]){i < count ? b[i] : 0, 1}, 2);
        part[0] = slow_round_exact(s, part, (double[]){1, 1}, 2);
        return slow_round_exact(s, (double[]){c, part[0]}, (double[]){1, 1}, 2);
    }
    for (int i = 0; i < count; i++)
        part[i] = slow_round_exact(s, &a[i], &b[i], 1) + 0.0;
    for (int width = m->terms; width > 1; width /= 2)
        for (int i = 0; i < width / 2; i++)
            part[i] = slow_round_exact(s, &part[2 * i], (double[]){1, 1}, 2);
    return slow_round_exact(s, (double[]){c, part[0]}, (double[]){1, 1}, 2);
}

static inline double slow_operand(const accord_fused *m, enum accord_format format, double x)
{
    if (format == ACCORD_TF32) /* the low bits of an f32 are cut off */
        x = accord_format_round(ACCORD_TF32, ACCORD_TOWARD_ZERO, x);
    return m->flush && fabs(x) < ldexp(1, accord_format_get(format)->min_exponent) ? copysign(0, x)
                                                                                   : x;
}

static inline double slow_step(slow_machine *s, int count, const double *a, const double *b,
                               double c)
{
    static slow_number term[SLOW_MOST + 1], y;
    static bool ready;
    for (int i = 0; !ready && i <= SLOW_MOST; i++)
        mpz_init(term[i].value);
    if (!ready)
        mpz_init(y.value);
    ready = true;
    const accord_fused *m = &s->fused;
    double x[SLOW_MOST], z[SLOW_MOST], odd = isfinite(c) ? 0 : c, huge = 0;
    for (int i = 0; i < count; i++) {
        x[i] = slow_operand(m, m->input, a[i]);
        z[i] = slow_operand(m, m->input, b[i]);
        if (!isfinite(x[i]) || !isfinite(z[i]))
            odd += x[i] * z[i];
        else if (m->infinite_products && fabs(x[i]) * fabs(z[i]) >= 0x1p128)
            huge += copysign(INFINITY, x[i] * z[i]);
    }
    if (odd != 0)
        return odd;
    if (m->flush && fabs(c) < ldexp(1, accord_format_get(m->output)->min_exponent))
        c = copysign(0, c);
    if (m->scheme != ACCORD_FUSED_WITH_C && m->scheme != ACCORD_FUSED_THEN_C)
        return slow_rounded(s, count, x, z, c);
    if (huge != 0)
        return huge;
    for (int i = 0; i < count; i++) {
        int e = slow_exponent(m->input, x[i], m->leading, m->zeros),
            f = slow_exponent(m->input, z[i], m->leading, m->zeros);
        slow_set(&term[i], x[i]);
        slow_set(&y, z[i]);
        mpz_mul(term[i].value, term[i].value, y.value);
        term[i].least += y.least;
        if (s->oddity == SLOW_ROUNDS_PRODUCTS || s->oddity == SLOW_CUTS_PRODUCTS)
            slow_cut(s, &term[i],
                     (int)mpz_sizeinbase(term[i].value, 2) + term[i].least -
                         (accord_format_get(m->input)->precision + 2),
                     s->oddity == SLOW_CUTS_PRODUCTS ? SLOW_ZERO : SLOW_EVEN);
        term[i].exponent = e == SLOW_ABSENT || f == SLOW_ABSENT ? SLOW_ABSENT : e + f;
        if (m->normalised)
            term[i].exponent = mpz_sgn(term[i].value) == 0
                                   ? SLOW_ABSENT
                                   : (int)mpz_sizeinbase(term[i].value, 2) - 1 + term[i].least;
    }
    slow_set(&term[count], c);
    term[count].exponent = slow_exponent(m->output, c, m->c_leading, m->zeros);
    return slow_aligned(s, count, term);
}

static inline double slow_join(const slow_machine *s, double a, double b)
{
    double least = ldexp(1, accord_format_get(s->fused.output)->min_exponent);
    double sum = accord_format_add(s->fused.output, ACCORD_NEAREST_EVEN, a, b);
    return s->flush_joins && fabs(sum) < least ? copysign(0, sum) : sum;
}

static inline double slow_dot(slow_machine *s, size_t n, const double *a, const double *b)
{
    double c[SLOW_MOST] = {0}, sum;
    size_t w = (size_t)s->fused.terms, steps = (n + w - 1) / w;
    size_t chains = s->chains > 1 ? (size_t)s->chains : 1, run = (steps + chains - 1) / chains;
    chains = chains < steps ? chains : steps;
    for (size_t i = 0; i < n; i += w) {
        size_t at = s->runs ? i / w / run : i / w % chains;
        s->step = i / w;
        c[at] = slow_step(s, (int)(n - i < w ? n - i : w), a + i, b + i, c[at]);
    }
    sum = c[0];
    for (size_t i = 1; i < chains && (!s->runs || i * run < steps); i++)
        sum = slow_join(s, sum, c[i]);
    return sum;
}

#endif
