/* The random number generator.
 *
 * xoshiro256** (Blackman and Vigna, Scrambled linear pseudorandom number generators, 2018),
 * its state filled by splitmix64, which never gives four zeros in a row. */
#include "base/base.h"
#include <math.h>

void accordi_rng_init(accordi_rng *rng, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        seed += 0x9e3779b97f4a7c15u;
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        rng->s[i] = z ^ (z >> 31);
    }
}

/* Numbers below 2^64 mod bound are drawn again: what is left is a whole multiple of bound. Hardly
 * any number is small enough to be compared with that, which takes a division. */
uint64_t accordi_rng_below(accordi_rng *rng, uint64_t bound)
{
    if (bound < 2)
        return 0;
    uint64_t x = accordi_rng_next(rng);
    while (x < bound && x < (0 - bound) % bound)
        x = accordi_rng_next(rng);
    return x % bound;
}

uint64_t accordi_rng_weights(accordi_rng *rng, uint32_t *weight, size_t count, uint32_t most)
{
    enum { BITS = 16, A_WORD = 64 / BITS };
    uint64_t word = 0, sum = 0;
    for (size_t i = 0; i < count; i++, word >>= BITS) {
        word = i % A_WORD ? word : accordi_rng_next(rng);
        weight[i] = 1 + (uint32_t)((word & 0xffff) * most >> BITS);
        sum += weight[i];
    }
    return sum;
}

double accordi_rng_unit(accordi_rng *rng)
{
    return (double)(accordi_rng_next(rng) >> 11) * 0x1p-53;
}

/* Marsaglia's polar method. log is not correctly rounded by every libm: the last bit may differ
 * between systems, everything else above is the same everywhere. */
double accordi_rng_normal(accordi_rng *rng)
{
    double u, v, s;
    do {
        u = 2 * accordi_rng_unit(rng) - 1;
        v = 2 * accordi_rng_unit(rng) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * log(s) / s);
}

void accordi_rng_shuffle(accordi_rng *rng, uint32_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)accordi_rng_below(rng, i);
        uint32_t item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}
