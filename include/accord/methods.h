/* Parallel reductions whose last additions may happen in any order: inputs, methods, schedules.
 *
 * The methods are those of "Impacts of floating-point non-associativity on reproducibility for HPC
 * and deep learning applications" (Shanmugavelu et al., 2024, section III) and of its program
 * test_reduce. Each is described once, by the order of its additions; from this description come
 * the sum for an order of arrival, the summation tree, and the run on threads.
 *
 * No function of libm is used: inputs, orders of arrival, and sums have the same bits on every
 * machine with IEEE 754 arithmetic that rounds to nearest. All functions are thread-safe, as long
 * as each generator is used by one thread at a time. */
#ifndef ACCORD_METHODS_H
#define ACCORD_METHODS_H

#include <accord/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- inputs ---- */

/* The Mersenne twister MT19937 (Matsumoto and Nishimura, ACM TOMACS 8, 1998), with the seeding of
 * 2002; the same numbers as std::mt19937 of C++. Fixed layout. */
typedef struct accord_mt19937 {
    uint32_t word[624];
    uint32_t next; /* the next word of these; 624: all are used */
} accord_mt19937;
ACCORD_API void accord_mt19937_init(accord_mt19937 *generator, uint32_t seed);
ACCORD_API uint32_t accord_mt19937_next(accord_mt19937 *generator);

enum accord_distribution {
    ACCORD_DISTRIBUTION_UNIFORM,
    ACCORD_DISTRIBUTION_NORMAL,
    ACCORD_DISTRIBUTION_LOG_UNIFORM,
    ACCORD_DISTRIBUTION_CROSS_PLATFORM,
    ACCORD_DISTRIBUTION_COUNT
};
/* "uniform", "normal", "log-uniform", "cross-platform"; NULL past the end. */
ACCORD_API const char *accord_distribution_name(enum accord_distribution distribution);

typedef struct accord_draw_options {
    size_t size; /* see accord/base.h */
    enum accord_distribution distribution;
    double amplitude; /* A; 0: 10 */
    double center;    /* c */
    double deviation; /* of the normal distribution; 0: 0.5 */
} accord_draw_options;

/* Draws the next n numbers. With g0, g1, ... the words of the generator:
 *   uniform: A * (u - c) with u = (k + 1) * 2^-53 in (0, 1], k = (g0 >> 5) * 2^26 + (g1 >> 6).
 *   normal: c + deviation * z, each operation rounded. z is a correctly rounded sample of the exact
 *     normal distribution: Algorithm N of Karney, Sampling exactly from the normal distribution,
 *     ACM TOMS 42, 2016, with uniform numbers of 32 bits at a time. It compares uniform numbers
 *     and needs no function.
 *   log-uniform: between 1/A and A, with a density proportional to 1/x: an octave, and in it a
 *     number m in [1, 2) that is accepted with probability 1/m.
 *   cross-platform: U(-5, 5) as by std::uniform_real_distribution of libstdc++:
 *     (g0 + g1 * 2^32) / 2^64 * 10 - 5, each operation rounded; the quotient is at most 1 - 2^-53.
 *     A and c have no effect.
 * ACCORD_ARG, with x and the generator unchanged: a parameter is not finite, the numbers could
 * overflow, the deviation is negative, or A is not between 2 and 2^1022 (log-uniform). */
ACCORD_API enum accord_status accord_draw(accord_mt19937 *generator,
                                          const accord_draw_options *options, size_t n, double *x,
                                          accord_error *error);

/* ---- methods ---- */

/* The terms become parts, and the last stage adds the parts. With blocks, there are
 * G = min(grid, ceil(n / 2B)) parts: thread t < B of block b < G adds, starting from 0, the terms
 * 2Bb + t, 2Bb + t + B, then those 2BG further on, and so on; then thread t adds what thread
 * t + o has, for o = B/2, B/4, ..., 1, t < o. Thread 0 then has part b. Without blocks, each term
 * is a part. Every last stage starts from 0. */
enum accord_last_stage {
    ACCORD_LAST_ATOMIC,    /* one by one, in the order in which they arrive */
    ACCORD_LAST_PAIRWISE,  /* by the last block, as the terms of one block */
    ACCORD_LAST_RECURSIVE, /* one by one, by one thread of the last block */
    ACCORD_LAST_HOST,      /* one by one, by the host after the device has ended */
    ACCORD_LAST_LIBRARY    /* what a library does; accord does not know it */
};

typedef struct accord_method {
    const char *name;      /* "AO", "SPA", "SPTR", "SPRG", "TPRC", "CU"; with -kahan, -shuffle */
    const char *long_name; /* as in files of test_reduce: "atomic_only" */
    const char *about;     /* one line */
    bool blocks;
    /* The last 32 threads of a block exchange their sums without shared memory. The bits are those
     * without. */
    bool shuffle;
    /* The last stage carries its rounding errors along: Kahan's summation in Neumaier's form,
     * which the program calls Kahan-Babuska-Neumaier. An infinity or an overflow gives NaN. */
    bool compensated;
    enum accord_last_stage last;
} accord_method;

/* The i-th method, NULL past the end; and by name or long name, NULL if there is none. */
ACCORD_API const accord_method *accord_method_at(size_t i);
ACCORD_API const accord_method *accord_method_by_name(const char *name);

/* A method with a size. */
typedef struct accord_reduction {
    size_t size; /* see accord/base.h */
    const accord_method *method;
    size_t n;       /* terms, >= 1 */
    uint32_t block; /* B: a power of two up to 1024; 0: 64. AO has blocks of 128 in the program; its
                       order of addition does not depend on it */
    uint32_t grid;  /* 0: no limit on the number of blocks */
} accord_reduction;

/* The number of parts; with ACCORD_LAST_ATOMIC this is the number of atomic additions. ACCORD_ARG:
 * n is 0 or greater than ACCORD_TREE_MAX_LEAVES, or the block is none. ACCORD_UNSUPPORTED: the
 * method is CU, which is CUDA's library CUB. All functions below refuse the same. */
ACCORD_API enum accord_status accord_reduction_parts(const accord_reduction *reduction,
                                                     size_t *parts, accord_error *error);

/* Computes the parts of x[0..n-1]. */
ACCORD_API enum accord_status accord_reduction_blocks(const accord_reduction *reduction,
                                                      const double *x, double *part,
                                                      accord_error *error);
/* Adds the parts. arrival: the parts in the order in which they arrive at an atomic last stage;
 * NULL: 0, 1, ...; other last stages ignore it. A result that is NaN is the canonical quiet NaN. */
ACCORD_API enum accord_status accord_reduction_finish(const accord_reduction *reduction,
                                                      const double *part, const uint32_t *arrival,
                                                      double *out, accord_error *error);
/* Both: the sum. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_reduction_sum(const accord_reduction *reduction,
                                                   const double *x, const uint32_t *arrival,
                                                   double *out, accord_error *error);
/* The summation tree, to be freed with accord_tree_free; its plain replay in double gives the bits
 * of the sum. ACCORD_UNSUPPORTED: the last stage is compensated. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_reduction_tree(const accord_reduction *reduction,
                                                    const uint32_t *arrival, accord_tree **out,
                                                    accord_error *error);

/* ---- schedules: simulated orders of arrival ---- */

/* workers = 0: every permutation of the parts is as likely as any other. Else waves: each of
 * `workers` workers holds the next `burst` parts (0: 1) that no worker has taken; again and again
 * one of them, each with the same probability, delivers its parts in order and takes the next ones.
 * So one worker gives 0, 1, ..., and with a burst of 1 and a worker for each part every permutation
 * is equally likely. Fixed layout. */
typedef struct accord_schedule {
    uint32_t workers, burst;
} accord_schedule;

/* Reads "permutation", or "waves:WORKERS,BURST". ACCORD_PARSE. */
ACCORD_API enum accord_status accord_schedule_parse(const char *text, accord_schedule *out,
                                                    accord_error *error);

/* Writes the order of arrival of `parts` parts in sample number `sample`. It depends on the
 * arguments alone. ACCORD_NOMEM. */
ACCORD_API enum accord_status accord_schedule_draw(const accord_schedule *schedule, uint64_t seed,
                                                   uint64_t sample, size_t parts, uint32_t *arrival,
                                                   accord_error *error);

/* ---- devices: where a method runs ---- */

typedef struct accord_sampling {
    size_t size; /* see accord/base.h */
    size_t samples;
    uint64_t first; /* the number of the first sample, for the schedule */
    uint64_t seed;
    accord_schedule schedule;
    /* simulation: threads that compute samples side by side, which changes no bit; 0: one for each
     * processor. threads: those that run one sum; 0: 64. At most 1024. */
    int threads;
    /* opencl: which device, by its number in OpenCL's order, or by a part of its name, in capitals
     * or not; NULL: the first one with doubles. Others ignore it. */
    const char *which;
} accord_sampling;

typedef struct accord_method_device {
    const char *name; /* "simulation", "threads", "opencl" */
    const char *about;
    bool seeded; /* the results depend on the arguments alone */
    /* sampling->samples runs. result[run] is the sum of x[0..n-1]. arrival[run * parts + turn] is
     * the number of a part: the parts of each run in the order in which they reached the counter of
     * the last stage, or the atomic addition. Either may be NULL. ACCORD_NOMEM. */
    enum accord_status (*run)(const accord_reduction *reduction, const double *x,
                              const accord_sampling *sampling, double *result, uint32_t *arrival,
                              accord_error *error);
} accord_method_device;

/* The i-th device, NULL past the end; the first is the default. On "threads" the blocks, or terms
 * of AO, are dealt out to the threads in contiguous ranges, and atomic additions are loops of
 * compare-and-swap (C11); live runs depend on the machine's load. "opencl" is accord/opencl.h;
 * ACCORD_UNSUPPORTED where libaccord_opencl, OpenCL or a device with doubles is missing. */
ACCORD_API const accord_method_device *accord_method_device_at(size_t i);
ACCORD_API const accord_method_device *accord_method_device_by_name(const char *name);
/* "opencl:WHICH" is a name, too; this is WHICH, for accord_sampling: a place in the name, or NULL.
 */
ACCORD_API const char *accord_method_device_which(const char *name);

/* ---- the cross-platform test ---- */

enum {
    ACCORD_CROSS_PLATFORM_ARRAYS = 100,
    ACCORD_CROSS_PLATFORM_TERMS = 1000000,
    ACCORD_CROSS_PLATFORM_BLOCK = 64,
    ACCORD_CROSS_PLATFORM_SEED = 0x1237698
};
/* The sum that a V100 GPU gave for the i-th array, as bits, i < ACCORD_CROSS_PLATFORM_ARRAYS. The
 * arrays are drawn one after the other, from the distribution of this name, by a generator with
 * this seed, and added by the method "TPRC-kahan" with this block and no limit on the grid.
 * Source: the repository of the paper (https://github.com/minnervva/fpna-robustness, BSD license),
 * reduce_test.cpp, reference_values_v100. */
ACCORD_API uint64_t accord_cross_platform_bits(size_t i);

#ifdef __cplusplus
}
#endif
#endif
