/* What the benchmarks share. A benchmark that gets a wrong answer or no answer ends the program. */
#ifndef ACCORD_BENCH_H
#define ACCORD_BENCH_H

#include "base/base.h"
#include <accord/accord.h>

/* Each prints one table in Markdown. */
void bench_calls(void);
void bench_reverse(void);
void bench_algorithms(void);
void bench_share(void);
void bench_tree(void);
void bench_map(void);
void bench_bits(void);
void bench_exact(void);
void bench_exact_cells(void);
void bench_grid_sum(void);
void bench_grid_dot(void);
void bench_grid_sum_f32(void);
void bench_grid_dot_f32(void);
void bench_grid_threads(void);
void bench_peers_table(void);
void bench_exact_lengths(void);
void bench_exact_ranges(void);

_Noreturn void bench_die(const char *what, const accord_error *error);

/* The median; sorts. */
double bench_median(double *x, size_t count);

/* Prints "12,345", or "–" for a negative number, with `before` and `after` around it. */
void bench_whole(const char *before, double value, const char *after);

typedef struct bench_question {
    const char *target;
    size_t n;
    enum accord_format format;
    uint64_t seed;         /* of the order, where it is random, and of the algorithm */
    const char *algorithm; /* of accord_algorithm_at, or "split": auto that does not guess */
    bool certificate;
} bench_question;

typedef struct bench_answer {
    double calls, seconds, target_seconds; /* discovery, calibration included */
    double certificate_calls;
} bench_answer;

/* Reveals and compares with the true tree where that is known. */
void bench_ask(const bench_question *question, bench_answer *answer);

#endif
