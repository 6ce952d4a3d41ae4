/* Shared by the files that find tolerances. Internal. */
#ifndef ACCORDI_TOLERANCE_H
#define ACCORDI_TOLERANCE_H

#include "explain/explain.h"
#include <accord/tolerance.h>

/* ---- tail.c: the largest of many samples ---- */

typedef struct accordi_tail {
    double *largest; /* a heap with the least on top */
    size_t most, held;
} accordi_tail;
typedef struct accordi_quantile {
    double value; /* INFINITY where nothing can be said */
    enum accord_tail tail;
} accordi_quantile;

/* How many of `samples` have to be kept for the quantile of probability p; and whether it will be
 * extrapolated. */
size_t accordi_tail_size(uint64_t samples, double p);
bool accordi_tail_extrapolates(uint64_t samples, double p);
enum accord_status accordi_tail_new(size_t most, accordi_tail *out, accord_error *error);
void accordi_tail_clear(accordi_tail *tail);
void accordi_tail_add(accordi_tail *tail, double sample);
/* A value above which a sample lies with probability p, at most. */
accordi_quantile accordi_tail_quantile(const accordi_tail *tail, uint64_t samples, double p);

/* ---- deviations.c: of reference orders ---- */

typedef struct accordi_deviations_wish {
    const accordi_sums *sums; /* with the result in the format of the accumulator */
    const accordi_accumulator *accumulator;
    const accord_tolerance_options *options; /* filled in */
    bool relative; /* to the magnitude of what they are compared with, else absolute */
} accordi_deviations_wish;
/* Simulates options->samples inputs and finds the quantiles of the largest deviation from the exact
 * result, and of the largest distance of two orders; and members of *out from `samples` on. */
enum accord_status accordi_deviations(const accordi_deviations_wish *wish, accord_tolerance *out,
                                      double *quantile, accord_error *error);
/* Rows `first` to first + chunk->rows - 1 of the options, as the target takes them. Each row's
 * terms are permuted where rng is not NULL. */
enum accord_status accordi_take_rows(const accordi_sums *sums,
                                     const accord_tolerance_options *options, size_t first,
                                     accordi_rng *rng, accordi_chunk *chunk, accord_error *error);

#endif
