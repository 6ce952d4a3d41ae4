/* Numbers as people add them up: constants, waves, series, measurements, money. Part of
 * exact_fills.h. */
#ifndef EXACT_ORDINARY_H
#define EXACT_ORDINARY_H

#include "exact_draw.h"

static inline void log_uniform(double *x, size_t n, double decades)
{
    double binades = decades * 3.3219280948873623;
    for (size_t i = 0; i < n; i++)
        x[i] = sign() * ldexp(1 + accordi_rng_unit(&rng),
                              (int)floor((accordi_rng_unit(&rng) - 0.5) * binades));
}

static inline void shuffle(double *x, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)accordi_rng_below(&rng, i);
        double t = x[i - 1];
        x[i - 1] = x[j];
        x[j] = t;
    }
}

static inline void fill_1e90(double *x, size_t n)
{
    log_uniform(x, n, 90);
}

static inline void fill_constant(double *x, size_t n)
{
    double value = below(2) ? 0.1 : sign() * ldexp(1 + accordi_rng_unit(&rng), below(200) - 100);
    for (size_t i = 0; i < n; i++)
        x[i] = value;
}

static inline void fill_alternating(double *x, size_t n)
{
    fill_constant(x, n);
    for (size_t i = 1; i < n; i += 2)
        x[i] = -x[i];
}

static inline void fill_centered(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 2 * accordi_rng_unit(&rng) - 1;
}

static inline void fill_normal(double *x, size_t n)
{
    double scale = ldexp(1, below(40) - 20);
    for (size_t i = 0; i < n; i++)
        x[i] = scale * accordi_rng_normal(&rng);
}

/* Heavy tails: a ratio of two normal numbers. */
static inline void fill_cauchy(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = accordi_rng_normal(&rng) / (accordi_rng_normal(&rng) + 0x1p-60);
}

static inline void fill_sine(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = sin(6.283185307179586 * (double)i / (double)n);
}

static inline void fill_noisy_sine(double *x, size_t n)
{
    fill_sine(x, n);
    for (size_t i = 0; i < n; i++)
        x[i] *= 1 + 0x1p-20 * accordi_rng_unit(&rng);
}

static inline void fill_harmonic(double *x, size_t n)
{
    bool alternating = below(2);
    for (size_t i = 0; i < n; i++)
        x[i] = (alternating && i % 2 ? -1 : 1) / (double)(i + 1);
}

static inline void fill_exponential_series(double *x, size_t n)
{
    double base = -40 * accordi_rng_unit(&rng), term = 1;
    for (size_t i = 0; i < n; i++, term *= base / (double)(i + 1))
        x[i] = term;
}

static inline void fill_geometric(double *x, size_t n)
{
    double ratio = 1 - ldexp(1, -1 - below(12));
    for (size_t i = 0; i < n; i++)
        x[i] = i ? x[i - 1] * ratio : sign();
}

/* Up to the middle and down again. */
static inline void fill_mountain(double *x, size_t n)
{
    double step = ldexp(1 + accordi_rng_unit(&rng), below(60) - 30);
    for (size_t i = 0; i < n; i++)
        x[i] = step * (double)(i < n / 2 ? i : n - i);
}

static inline void fill_big_and_small(double *x, size_t n)
{
    double big = ldexp(1, 20 + below(60));
    bool grows = below(2);
    for (size_t i = 0; i < n; i++)
        x[i] = accordi_rng_unit(&rng) + (i == 0 ? big : grows && i + 1 == n ? -big : 0);
}

/* One or more giants, which may cancel, among numbers that they would swallow. */
static inline void fill_giants(double *x, size_t n)
{
    double giant = ldexp(1, below(1000));
    fill_centered(x, n);
    for (int i = below(4); i >= 0 && n; i--) {
        x[below((int)n)] = giant;
        x[below((int)n)] = below(4) ? -giant : giant;
    }
}

static inline void fill_integers(double *x, size_t n)
{
    int bits = 1 + below(53);
    for (size_t i = 0; i < n; i++)
        x[i] = sign() * (double)(accordi_rng_next(&rng) >> (64 - bits));
}

static inline void fill_money(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (below(2000000) - 1000000) / 100.0;
}

static inline void fill_temperatures(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 273.15 + 30 * sin((double)i / 50) + accordi_rng_normal(&rng);
}

static inline void fill_small_integers(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = below(9) - 4;
}

/* The rounded sum taken away from it, three times over: what is left is what rounding loses. */
static inline void fill_ill_conditioned(double *x, size_t n)
{
    fill_1e90(x, n);
    for (size_t k = 1; k <= 3 && 8 * k <= n; k++) {
        double sum = 0;
        for (size_t i = 0; i + k < n; i++)
            sum += x[i];
        x[n - k] = -sum;
    }
    shuffle(x, n);
}

#endif
