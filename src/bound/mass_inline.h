/* Masses, for the model FAST: mass.c explains the idea. Sums and products are written here, to be
 * inlined into instrumented programs; they use no function of the library. Internal. */
#ifndef ACCORDI_MASS_INLINE_H
#define ACCORDI_MASS_INLINE_H

#include <stdbool.h>
#include <stdint.h>

typedef double accordi_ends __attribute__((vector_size(16))); /* {-low, high} */

typedef struct accordi_mass {
    accordi_ends p;     /* the real value */
    double m;           /* mass */
    double k, terms;    /* the most roundings of a term before it is added; terms */
    double apart;       /* 1: a product that may become two terms */
    double all, degree; /* terms and degree, if expanded */
    double factors;     /* products and quotients that it consists of, at most */
    double length;      /* the most factors of a term */
    double D;           /* the most that underflow adds to the error */
    double G, S;        /* bounds on products of some of the factors, and of divisors from below */
    bool any;           /* nothing is known, and NaN may come */
} accordi_mass;

/* What they need to know of a format and a model. */
typedef struct accordi_mass_rules {
    double unit;     /* the relative error of a rounding */
    double tiny;     /* the most that a product errs besides */
    double flush;    /* the most that any result errs besides: subnormal numbers are flushed */
    double normal;   /* the least normal number */
    double cap;      /* see G in mass.c */
    double greatest; /* number of the format */
    bool expands;    /* FAST_EXPAND */
} accordi_mass_rules;

/* ---- rounded up, both ends at a time ---- */

/* The next doubles of those whose rest, or what is below a double, is more than 0: 2^-53 of a
 * number, and a little more, is more than half a unit in its last place, and not more than one. */
static inline accordi_ends accordi_mass_up(accordi_ends x, accordi_ends rest)
{
    const double more = 0x1p-53 * (1 + 0x1p-52);
    accordi_ends size = {__builtin_fabs(x[0]), __builtin_fabs(x[1])};
    accordi_ends next = x + (size * more + 0x1p-1074);
    return (accordi_ends){rest[0] > 0 ? next[0] : x[0], rest[1] > 0 ? next[1] : x[1]};
}

static inline accordi_ends accordi_mass_sum_up(accordi_ends a, accordi_ends b)
{
    accordi_ends sum = a + b, part = sum - a;
    return accordi_mass_up(sum, (a - (sum - part)) + (b - part));
}

/* A rest that underflows counts as positive; what is a little below 0 is at most 0. */
static inline accordi_ends accordi_mass_product_up(accordi_ends a, accordi_ends b)
{
    accordi_ends product = a * b;
    accordi_ends rest = {__builtin_fma(a[0], b[0], -product[0]),
                         __builtin_fma(a[1], b[1], -product[1])};
    for (int i = 0; i < 2; i++)
        if (__builtin_expect(__builtin_fabs(product[i]) < 0x1p-960, 0))
            rest[i] = a[i] != 0 && b[i] != 0 && (product[i] != 0 || !__builtin_signbit(product[i]));
    return accordi_mass_up(product, rest);
}

static inline double accordi_mass_float_up(double x)
{
    float near = (float)x, size = __builtin_fabsf(near);
    return (double)((double)near < x ? near + (size * (0x1p-24F * (1 + 0x1p-23F)) + 0x1p-149F)
                                     : near);
}

/* A sum or product of numbers that are not negative, where it need not be the nearest one. */
static inline double accordi_mass_raised(double x)
{
    return x * (1 + 0x1p-50);
}

static inline double accordi_mass_greater(double a, double b)
{
    return a > b ? a : b;
}

static inline double accordi_mass_lesser(double a, double b)
{
    return a < b ? a : b;
}

/* ---- operations ---- */

static inline accordi_mass accordi_mass_point(const accordi_mass_rules *r, accordi_ends p)
{
    double size = accordi_mass_greater(p[0], p[1]);
    return (accordi_mass){.p = p,
                          .m = size,
                          .terms = 1,
                          .all = 1,
                          .degree = 1,
                          .length = 1,
                          .D = r->flush,
                          .G = accordi_mass_greater(1, size + 2 * r->flush),
                          .S = 1,
                          .any = !(size <= r->greatest)};
}

static inline bool accordi_mass_is_zero(const accordi_mass *x)
{
    return x->m + x->D == 0;
}

static inline accordi_mass accordi_mass_add(const accordi_mass_rules *r, const accordi_mass *x,
                                            const accordi_mass *y)
{
    double m = accordi_mass_raised(x->m + y->m), own = accordi_mass_raised(x->D + y->D);
    double G = accordi_mass_raised(x->G + y->G);
    double most = r->cap * accordi_mass_greater(1, accordi_mass_raised(m + own));
    bool factors = x->factors + y->factors > 0;
    accordi_mass out = {.p = accordi_mass_sum_up(x->p, y->p),
                        .m = m,
                        .k = accordi_mass_greater(x->k, y->k),
                        .terms = x->terms + x->apart + y->terms + y->apart,
                        .all = x->all + y->all,
                        .degree = accordi_mass_greater(x->degree, y->degree),
                        .factors = factors ? accordi_mass_lesser(x->factors, y->factors) + 1 : 0,
                        .length = accordi_mass_greater(x->length, y->length),
                        .G = r->expands ? G : accordi_mass_lesser(G, most),
                        .S = accordi_mass_lesser(x->S, y->S),
                        .D = own,
                        .any = x->any || y->any};
    if (r->flush > 0)
        out.D = accordi_mass_raised(own + (1 + x->apart + y->apart) * r->flush * out.G);
    return out;
}

static inline accordi_mass accordi_mass_negate(accordi_mass x)
{
    x.p = (accordi_ends){x.p[1], x.p[0]};
    return x;
}

/* The ends of a product of which a factor may have either sign. */
static accordi_ends accordi_mass_mixed(accordi_ends x, accordi_ends y)
{
    accordi_ends one =
        accordi_mass_product_up((accordi_ends){x[0], x[0]}, (accordi_ends){y[1], y[0]});
    accordi_ends two =
        accordi_mass_product_up((accordi_ends){x[1], x[1]}, (accordi_ends){y[0], y[1]});
    return (accordi_ends){accordi_mass_greater(one[0], two[0]),
                          accordi_mass_greater(one[1], two[1])};
}

/* Where neither changes its sign, two products suffice: least = (y >= 0 ? low_x : high_x) *
 * (x >= 0 ? low_y : high_y), greatest the other way round. */
static inline accordi_ends accordi_mass_product(accordi_ends x, accordi_ends y)
{
    bool negative = __builtin_signbit(x[1]), minus = __builtin_signbit(y[1]);
    if (__builtin_expect(
            negative == !!__builtin_signbit(x[0]) || minus == !!__builtin_signbit(y[0]), 0))
        return accordi_mass_mixed(x, y);
    accordi_ends a = minus ? (accordi_ends){-x[1], -x[0]} : x;
    accordi_ends b = negative ? (accordi_ends){-y[1], -y[0]} : y;
    return accordi_mass_product_up(a, (accordi_ends){-b[0], b[1]});
}

/* When a product is distributed over x, two values of y may be used. */
static inline double accordi_mass_twice(const accordi_mass *x, const accordi_mass *y)
{
    return x->terms + x->apart > 1 ? x->m * (0.5 * (y->p[0] + y->p[1])) : 0;
}

static inline accordi_mass accordi_mass_multiply(const accordi_mass_rules *r, const accordi_mass *x,
                                                 const accordi_mass *y)
{
    double apart = x->terms + x->apart > 1 || y->terms + y->apart > 1;
    double length = x->length + y->length, G = accordi_mass_raised(x->G * y->G);
    double anew = (1 + apart) * (length - 1) * accordi_mass_greater(r->tiny, r->flush) * G;
    double own =
        x->D * (y->m + y->D) + y->D * x->m + accordi_mass_twice(x, y) + accordi_mass_twice(y, x);
    bool zero = accordi_mass_is_zero(x) || accordi_mass_is_zero(y);
    return (accordi_mass){.p = accordi_mass_product(x->p, y->p),
                          .m = accordi_mass_raised(x->m * y->m),
                          .k = x->k + x->terms - 1 + y->k + y->terms - 1 + 1,
                          .terms = 1,
                          .apart = apart,
                          .all = x->all * y->all,
                          .degree = x->degree + y->degree,
                          .factors = x->factors + y->factors + 1,
                          .length = length,
                          .D = zero ? 0 : accordi_mass_raised(own + anew) + 0x1p-1072,
                          .G = accordi_mass_raised(G + anew), /* also m + D */
                          .S = x->S * y->S,
                          .any = x->any || y->any ||
                                 (x->S * y->S < 2 * r->normal && x->S < 1 && y->S < 1)};
}

/* ---- all values that evaluations can give ---- */

/* The most that an evaluation lies from p; infinite: nothing is known. gamma is at least t / (1 -
 * t) and less than 1/2. */
static inline double accordi_mass_deviation(const accordi_mass_rules *r, const accordi_mass *x)
{
    double k = x->k + x->terms + x->apart - 1, D = x->D;
    if (r->expands) {
        double events = 2 * x->all * x->degree * accordi_mass_greater(r->tiny, r->flush);
        k = accordi_mass_greater(k, x->all + x->degree - 2);
        D = accordi_mass_greater(D, accordi_mass_raised(events * x->G));
    }
    double t = k * r->unit, gamma = t * (1 + 0x1p-40 + 1.5 * t);
    if (x->any || !(t < 0.25) || !(2 * x->G < r->greatest))
        return (double)__builtin_inff();
    return accordi_mass_raised(gamma * x->m + 1.5 * D);
}

#endif
