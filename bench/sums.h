/* Ways to sum, one signature: the library's methods, baselines, and peers found at run time. */
#ifndef ACCORD_BENCH_SUMS_H
#define ACCORD_BENCH_SUMS_H

#include <stdbool.h>
#include <stddef.h>

typedef double bench_sum_function(size_t n, const double *x);
typedef double bench_dot_function(size_t n, const double *x, const double *y);

enum bench_promise { BENCH_NONE, BENCH_SAME_BITS, BENCH_EXACT };

typedef float bench_sum_function_f32(size_t n, const float *x);
typedef float bench_dot_function_f32(size_t n, const float *x, const float *y);
typedef double bench_sum_function_threads(size_t n, const double *x, int threads);

/* What a way does not offer is NULL. */
typedef struct bench_sum {
    const char *name;
    enum bench_promise promise; /* nothing; the same bits in any order; correctly rounded too */
    bench_sum_function *sum;
    bench_dot_function *dot;
    bench_sum_function_f32 *sum_f32;
    bench_dot_function_f32 *dot_f32;
    bench_sum_function_threads *sum_threads;
    bool keeps; /* numbers of its own, made of an array once: it is given one array only */
} bench_sum;

/* The baselines, ended by a NULL name. The first is the limit: vectors, eight accumulators. */
extern const bench_sum bench_baselines[];

/* The methods of the library. */
extern const bench_sum bench_methods[];

/* Peers: mpfr_sum and mpfr_dot where MPFR is, and those of ACCORD_PEERS, a list of shared objects
 * with colons between (bench/peers/build makes them). Each defines `accord_bench_peers`, an array
 * like the two above. */
const bench_sum *bench_peers(void);

double bench_naive_dot(size_t n, const double *x, const double *y);
float bench_naive_sum_f32(size_t n, const float *x);
float bench_naive_dot_f32(size_t n, const float *x, const float *y);
/* The naive ones by contiguous parts on threads of their own. */
double bench_naive_sum_threads(size_t n, const double *x, int threads);
double bench_naive_dot_threads(size_t n, const double *x, const double *y, int threads);

#endif
