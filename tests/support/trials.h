/* For tests with random trials: a seed that is printed, and how deep to dig. */
#ifndef TRIALS_H
#define TRIALS_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ACCORD_TEST_SCALE multiplies the number of random trials; below 1 it divides them, but one is
 * left. */
static inline size_t trials(size_t count)
{
    const char *text = getenv("ACCORD_TEST_SCALE");
    double scale = text ? strtod(text, NULL) : 1, most = (double)count * (scale > 0 ? scale : 1);
    return most > 1 ? (size_t)most : count < 1 ? count : 1;
}

/* Whether as many trials run as a test is made for: fewer may not meet every kind of case. */
static inline bool trials_are_all(void)
{
    enum { MANY = 1 << 20 };
    return trials(MANY) >= MANY;
}

/* The same, but never fewer than `count`: cases of which trial_runs chooses. */
static inline size_t trials_at_least(size_t count)
{
    return trials(count) > count ? trials(count) : count;
}

/* Whether case i of a table runs: each of them at scale 1 and above, below it a share of them,
 * which the seed chooses, each by itself: cases that differ in several things keep all of each. */
static inline bool trial_runs(size_t i, uint64_t seed)
{
    enum { WHOLE = 1 << 20 };
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u + seed * 0xd1342543de82ef95u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u; /* as in SplitMix64 */
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z >> 44) < trials(WHOLE);
}

/* ACCORD_TEST_SEED repeats a run. */
static inline uint64_t trials_seed(void)
{
    const char *text = getenv("ACCORD_TEST_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : (uint64_t)time(NULL);
    printf("# ACCORD_TEST_SEED=%" PRIu64 "\n", seed);
    fflush(stdout);
    return seed;
}

#endif
