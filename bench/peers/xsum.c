/* xsum (Radford Neal, github.com/radfordneal/xsum): exact sums by its small and its large
 * superaccumulator. It has no exact dot: each product and its rounding error are added, which is
 * exact unless one underflows or overflows. Sums on threads: a small accumulator each, then merged.
 */
#include "../sums.h"
#include <math.h>
#include <pthread.h>
#include <xsum.h>

static double small(size_t n, const double *x)
{
    xsum_small_accumulator a;
    xsum_small_init(&a);
    xsum_small_addv(&a, x, (xsum_length)n);
    return xsum_small_round(&a);
}

static double large(size_t n, const double *x)
{
    xsum_large_accumulator a;
    xsum_large_init(&a);
    xsum_large_addv(&a, x, (xsum_length)n);
    return xsum_large_round(&a);
}

enum { BLOCK = 512 };

#define DOT(size_)                                                                                 \
    static double size_##_dot(size_t n, const double *x, const double *y)                          \
    {                                                                                              \
        xsum_##size_##_accumulator a;                                                              \
        double part[2 * BLOCK];                                                                    \
        xsum_##size_##_init(&a);                                                                   \
        for (size_t from = 0; from < n; from += BLOCK) {                                           \
            size_t count = n - from < BLOCK ? n - from : BLOCK;                                    \
            for (size_t i = 0; i < count; i++) {                                                   \
                part[i] = x[from + i] * y[from + i];                                               \
                part[count + i] = fma(x[from + i], y[from + i], -part[i]);                         \
            }                                                                                      \
            xsum_##size_##_addv(&a, part, (xsum_length)(2 * count));                               \
        }                                                                                          \
        return xsum_##size_##_round(&a);                                                           \
    }
DOT(small)
DOT(large)

/* Rounded twice, first to f64: so the last bit may be wrong, which the table says where it is. */
#define NARROW(size_)                                                                              \
    static float size_##_sum_f32(size_t n, const float *x)                                         \
    {                                                                                              \
        xsum_##size_##_accumulator a;                                                              \
        double wide[BLOCK];                                                                        \
        xsum_##size_##_init(&a);                                                                   \
        for (size_t from = 0; from < n; from += BLOCK) {                                           \
            size_t count = n - from < BLOCK ? n - from : BLOCK;                                    \
            for (size_t i = 0; i < count; i++)                                                     \
                wide[i] = x[from + i];                                                             \
            xsum_##size_##_addv(&a, wide, (xsum_length)count);                                     \
        }                                                                                          \
        return (float)xsum_##size_##_round(&a);                                                    \
    }                                                                                              \
    static float size_##_dot_f32(size_t n, const float *x, const float *y)                         \
    {                                                                                              \
        xsum_##size_##_accumulator a;                                                              \
        double part[BLOCK];                                                                        \
        xsum_##size_##_init(&a);                                                                   \
        for (size_t from = 0; from < n; from += BLOCK) {                                           \
            size_t count = n - from < BLOCK ? n - from : BLOCK;                                    \
            for (size_t i = 0; i < count; i++)                                                     \
                part[i] = (double)x[from + i] * y[from + i];                                       \
            xsum_##size_##_addv(&a, part, (xsum_length)count);                                     \
        }                                                                                          \
        return (float)xsum_##size_##_round(&a);                                                    \
    }
NARROW(small)
NARROW(large)

typedef struct part {
    size_t n;
    const double *x;
    int large;
    xsum_small_accumulator sum;
} part;

static void *add_part(void *context)
{
    part *p = context;
    xsum_small_init(&p->sum);
    if (p->large) {
        xsum_large_accumulator a;
        xsum_large_init(&a);
        xsum_large_addv(&a, p->x, (xsum_length)p->n);
        xsum_large_to_small_accumulator(&p->sum, &a);
    } else {
        xsum_small_addv(&p->sum, p->x, (xsum_length)p->n);
    }
    return NULL;
}

static double on_threads(size_t n, const double *x, int threads, int large)
{
    enum { MOST = 16 };
    part parts[MOST];
    pthread_t ids[MOST];
    threads = threads < MOST ? threads : MOST;
    for (int t = 0; t < threads; t++) {
        size_t from = n * (size_t)t / (size_t)threads, to = n * ((size_t)t + 1) / (size_t)threads;
        parts[t].n = to - from;
        parts[t].x = x + from;
        parts[t].large = large;
        if (t && pthread_create(ids + t, NULL, add_part, parts + t))
            return NAN;
    }
    add_part(parts);
    for (int t = 1; t < threads; t++) {
        pthread_join(ids[t], NULL);
        xsum_small_add_accumulator(&parts[0].sum, &parts[t].sum);
    }
    return xsum_small_round(&parts[0].sum);
}

static double small_threads(size_t n, const double *x, int threads)
{
    return on_threads(n, x, threads, 0);
}

static double large_threads(size_t n, const double *x, int threads)
{
    return on_threads(n, x, threads, 1);
}

const bench_sum accord_bench_peers[] = {
    {"xsum small", BENCH_EXACT, small, small_dot, small_sum_f32, small_dot_f32, small_threads,
     false},
    {"xsum large", BENCH_EXACT, large, large_dot, large_sum_f32, large_dot_f32, large_threads,
     false},
    {0},
};
