/* Zeros, alone or among other numbers, and what else can be done to numbers that are drawn already.
 * Part of exact_attacks.h. */
#ifndef EXACT_ZEROS_H
#define EXACT_ZEROS_H

#include "exact_fills.h"

/* 1 … most: about the size of a register, a block, some blocks. */
static inline size_t segment(size_t most)
{
    size_t n = (size_t)1 << below(14);
    n = n * (size_t)(1 + below(3)) + (size_t)below(3) - 1;
    return n < 1 ? 1 : n < most ? n : most;
}

/* 2^e times a number in [1, 2), where there are such numbers. */
static inline double at_exponent(int e)
{
    e = e < -1074 ? -1074 : e > 1023 ? 1023 : e;
    return sign() * ldexp(1 + accordi_rng_unit(&rng), e);
}

static inline int any_exponent(void)
{
    return below(2098) - 1074;
}

/* Zeros of one sign or both, and few other numbers. */
static inline void fill_sparse(double *x, size_t n)
{
    int rare = 2 + below(5000), e = any_exponent(), kind = below(3);
    for (size_t i = 0; i < n; i++)
        x[i] = !below(rare) ? at_exponent(e) : kind == 0 || (kind == 1 && below(2)) ? -0.0 : 0.0;
}

/* Zeros of one sign but for one number, or for two that cancel. */
static inline void fill_nearly_zeros(double *x, size_t n)
{
    double zero = below(2) ? -0.0 : 0.0, odd = below(3) ? -zero : at_exponent(any_exponent());
    for (size_t i = 0; i < n; i++)
        x[i] = zero;
    if (n)
        x[below((int)n)] = odd;
    if (n && below(2))
        x[below((int)n)] = -odd;
}

/* Zeros here and there: windows that look for their share otherwise. */
static inline void sprinkle_zeros(double *x, size_t n)
{
    int rare = 1 + below(below(2) ? 20 : 2000);
    for (size_t i = 0; i < n; i++)
        if (!below(rare))
            x[i] = below(4) ? 0.0 : -0.0;
}

/* What cancels elsewhere adds up: up to overflow on the way, or all of a lane. */
static inline void take_sizes(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = fabs(x[i]);
}

/* A pattern of a NaN of any payload, quiet or signaling, or of an infinity. */
static inline uint64_t any_special(const accord_format_info *row)
{
    uint64_t fields = ((uint64_t)1 << (row->bits - row->precision)) - 1;
    uint64_t bits = fields << (row->precision - 1) | (uint64_t)below(2) << (row->bits - 1);
    uint64_t payload = accordi_rng_next(&rng) >> (65 - row->precision);
    return below(2) ? bits : bits | (below(2) ? payload : 1);
}

#endif
