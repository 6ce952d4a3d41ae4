/* The random numbers that tests of exact sums draw. This and exact_fills.h need no library of
 * tests: programs that run under MPI or on an emulated machine use them too. */
#ifndef EXACT_DRAW_H
#define EXACT_DRAW_H

#include "base/base.h"
#include <accord/format.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 10000, FORMATS = 4 };

__attribute__((unused)) static double numbers[MOST], others[MOST];
static accordi_rng rng;

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline int below(int bound)
{
    return (int)accordi_rng_below(&rng, (uint64_t)bound);
}

static inline double sign(void)
{
    return below(2) ? -1 : 1;
}

static inline size_t any_length(size_t most)
{
    size_t n = (size_t)exp(accordi_rng_unit(&rng) * log((double)most + 1));
    return below(20) ? n : 0;
}

#endif
