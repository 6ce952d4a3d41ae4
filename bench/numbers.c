/* Numbers to add, and the time that it takes. */
#include "numbers.h"
#include "bench.h"
#include <math.h>
#include <time.h>

/* ---- numbers ---- */

void bench_fill(double *x, size_t n, double decades, uint64_t seed)
{
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    for (size_t i = 0; i < n; i++) {
        double unit = accordi_rng_unit(&rng);
        if (decades < 0) {
            x[i] = unit;
            continue;
        }
        double size = decades > 0 ? pow(10, decades * (unit - 0.5)) : 1 + unit;
        x[i] = accordi_rng_next(&rng) >> 63 ? -size : size;
    }
}

void bench_cancel(double *x, size_t n, size_t each, uint64_t seed)
{
    size_t half = each / 2;
    uint32_t *place = bench_reserve(half + 1, sizeof *place);
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    for (uint32_t i = 0; i < half; i++)
        place[i] = i;
    accordi_rng_shuffle(&rng, place, (uint32_t)half);
    for (; n >= each; n -= each, x += each) {
        for (size_t i = 0; i < half; i++)
            x[half + i] = -x[place[i]];
        if (each % 2)
            x[each - 1] = 0;
    }
    free(place);
}

size_t bench_places(size_t n)
{
    enum { NEW_TERMS = 1 << 17 };
    return n < NEW_TERMS ? (NEW_TERMS + n - 1) / n : 1;
}

void *bench_reserve(size_t n, size_t size)
{
    void *x = aligned_alloc(64, (n * size + 63) / 64 * 64);
    if (!x)
        bench_die("memory", NULL);
    return x;
}

/* ---- time ---- */

static volatile double sink;

static void run(const bench_job *j, size_t times)
{
    double sum = 0;
    for (size_t t = 0; t < times; t++) {
        size_t at = t % j->arrays * j->n;
        if (j->sum)
            sum += j->sum(j->n, j->x + at);
        else if (j->dot)
            sum += j->dot(j->n, j->x + at, j->y + at);
        else if (j->sum_f32)
            sum += (double)j->sum_f32(j->n, (const float *)(const void *)j->x + at);
        else
            sum += (double)j->dot_f32(j->n, (const float *)(const void *)j->x + at,
                                      (const float *)(const void *)j->y + at);
    }
    sink = sum;
}

double bench_clock(bool processor)
{
    struct timespec now;
    clock_gettime(processor ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_seconds(const bench_job *j, size_t times)
{
    double from = bench_clock(j->processor_time);
    run(j, times);
    return (bench_clock(j->processor_time) - from) / (double)times;
}

size_t bench_times(const bench_job *j)
{
    size_t times = 1;
    while (bench_seconds(j, times) * (double)times < 1e-3)
        times *= 2;
    return times;
}

double bench_ratio(const bench_job *a, const bench_job *b, size_t pairs, double *took)
{
    double ratios[64], seconds_b[64];
    size_t times_a = bench_times(a), times_b = bench_times(b);
    for (size_t p = 0; p < pairs; p++) {
        double first = bench_seconds(a, times_a);
        seconds_b[p] = bench_seconds(b, times_b);
        ratios[p] = first / seconds_b[p];
    }
    *took = bench_median(seconds_b, pairs);
    return bench_median(ratios, pairs);
}
