/* For tests with random trials: a seed that is printed, and how deep to dig. */
#ifndef TRIALS_H
#define TRIALS_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ACCORD_TEST_SCALE multiplies the number of random trials. */
static inline size_t trials(size_t count)
{
    const char *text = getenv("ACCORD_TEST_SCALE");
    long scale = text ? strtol(text, NULL, 10) : 1;
    return count * (size_t)(scale < 1 ? 1 : scale);
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
