/* Numbers to add, and the time that it takes. */
#ifndef ACCORD_BENCH_NUMBERS_H
#define ACCORD_BENCH_NUMBERS_H

#include "sums.h"
#include <stdint.h>

/* Memory that is aligned to 64 bytes, for n things of this size. */
void *bench_reserve(size_t n, size_t size);

/* Magnitudes log-uniform over so many decades; 0: uniform in [1, 2); -1: in [0, 1). All but the
 * last are signed, so that they cancel. */
void bench_fill(double *x, size_t n, double decades, uint64_t seed);
/* So that each `each` numbers sum to 0: half of them are the others, negated and out of order. */
void bench_cancel(double *x, size_t n, size_t each, uint64_t seed);

/* How many arrays of n terms to take in turn, so that branch predictors cannot learn the signs and
 * exponents of all of them by heart, as they do those of some thousand terms: calls in programs see
 * new numbers. Together they stay in the second-level cache of most processors. */
size_t bench_places(size_t n);

/* One thing to time: exactly one of the functions. */
typedef struct bench_job {
    size_t n, arrays;    /* arrays one after another, taken in turn */
    bool processor_time; /* of this thread, which other programs hardly disturb; else elapsed */
    const double *x, *y;
    bench_sum_function *sum;
    bench_dot_function *dot;
    float (*sum_f32)(size_t n, const float *x);
    float (*dot_f32)(size_t n, const float *x, const float *y);
} bench_job;

/* Seconds: processor time of this thread, or elapsed. */
double bench_clock(bool processor);
/* Of so many calls, one of them; how often to call for a sample of some milliseconds. */
double bench_seconds(const bench_job *j, size_t times);
size_t bench_times(const bench_job *j);
/* The median over pairs of the seconds of a by those of b; *took: those of b. */
double bench_ratio(const bench_job *a, const bench_job *b, size_t pairs, double *took);

#endif
