/* Numbers to add up: a function and a row each. Part of exact_sums.h. */
#ifndef EXACT_FILLS_H
#define EXACT_FILLS_H

#include "exact_draw.h"
#include "exact_ordinary.h"

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
    shuffle(x, n);
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

/* With the normal numbers that have the same unit, and perhaps one just above them. */
static inline void fill_subnormal(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = from_bits(accordi_rng_next(&rng) & 0x801fffffffffffff);
    if (n && below(2))
        x[below((int)n)] = sign() * ldexp(1 + accordi_rng_unit(&rng), below(2) - 1021);
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

static inline void fill_powers_of_two(double *x, size_t n)
{
    int range = 1 + below(2000), low = -1074 + below(2098 - range);
    for (size_t i = 0; i < n; i++)
        x[i] = sign() * ldexp(1, low + below(range));
}

/* Every exponent in turn. */
static inline void fill_all_exponents(double *x, size_t n)
{
    int from = below(2046), step = 1 + below(64);
    for (size_t i = 0; i < n; i++)
        x[i] = sign() * ldexp(1 + accordi_rng_unit(&rng),
                              (int)(((size_t)from + i * (size_t)step) % 2046) - 1022);
}

static const struct {
    const char *name;
    void (*fill)(double *x, size_t n);
} fills[] = {
    {"uniform", fill_uniform},
    {"same exponent", fill_same_exponent},
    {"1e15", fill_1e15},
    {"1e30", fill_1e30},
    {"1e90", fill_1e90},
    {"1e300", fill_1e300},
    {"patterns", fill_patterns},
    {"cancelling", fill_cancelling},
    {"ties", fill_ties},
    {"subnormal", fill_subnormal},
    {"overflow", fill_overflow},
    {"edges", fill_edges},
    {"constant", fill_constant},
    {"alternating", fill_alternating},
    {"centered", fill_centered},
    {"normal", fill_normal},
    {"cauchy", fill_cauchy},
    {"sine", fill_sine},
    {"noisy sine", fill_noisy_sine},
    {"harmonic", fill_harmonic},
    {"exponential series", fill_exponential_series},
    {"geometric", fill_geometric},
    {"mountain", fill_mountain},
    {"big and small", fill_big_and_small},
    {"giants", fill_giants},
    {"integers", fill_integers},
    {"money", fill_money},
    {"temperatures", fill_temperatures},
    {"small integers", fill_small_integers},
    {"ill-conditioned", fill_ill_conditioned},
    {"powers of two", fill_powers_of_two},
    {"all exponents", fill_all_exponents},
    {"zeros", fill_zeros},
    {"heavy", fill_heavy},
};
enum { FILLS = sizeof fills / sizeof *fills };

#endif
