/* What the files of this folder share. Internal. */
#ifndef ACCORDI_VARY_RUNS_H
#define ACCORDI_VARY_RUNS_H

#include "base/base.h"
#include <accord/vary.h>

/* ---- load.c: threads that do nothing but keep processors busy ---- */

enum { ACCORDI_LOAD = 1024 };
/* They end with accordi_load_stop, and in any case with this process. */
typedef struct accordi_load accordi_load;
/* threads <= ACCORDI_LOAD; with 0, *out is NULL. */
enum accord_status accordi_load_start(size_t threads, accordi_load **out, accord_error *error);
void accordi_load_stop(accordi_load *load); /* NULL is fine; returns when all have ended */

/* ---- input.c: what is asked under one setting ---- */

/* The operands. Targets with one result have `rows` rows of n values of x, and of y with products
 * (else NULL). Targets with many have `rows` grids, each with lines x inner values of x, columns x
 * inner of y with products, and lines x columns start values. For places there is one line more
 * than the target has rows: the last one is that which is followed. */
typedef struct accordi_vary_input {
    bool grid, is_f32, products;
    size_t rows, lines, columns, inner; /* without a grid: 1, 1, n */
    void *x, *y, *start;                /* float if is_f32, else double */
} accordi_vary_input;
enum accord_status accordi_vary_input_make(const accord_vary_options *options,
                                           const accord_target *target, bool places,
                                           accordi_vary_input *out, accord_error *error);
void accordi_vary_input_clear(accordi_vary_input *input);
/* Results of one run. */
size_t accordi_vary_input_results(const accordi_vary_input *input, bool places);

/* One run: all results to result[]. With places, those of the followed line, which stands in line
 * `place` of the batch meanwhile; scratch then has room for all results of a batch. */
enum accord_status accordi_vary_run(accord_target *target, accordi_vary_input *input, bool places,
                                    size_t place, double *scratch, double *result,
                                    accord_error *error);
/* The operands of a result of a run, as doubles: n values each of x and y (with products or a start
 * value, else *has_y is false). */
void accordi_vary_operands(const accord_target *target, const accordi_vary_input *input,
                           bool places, size_t element, double *x, double *y, bool *has_y);

/* ---- outcomes.c: which runs gave the same ---- */

/* Outcomes of an examination by their digests: an open hash table of numbers + 1. */
typedef struct accordi_outcomes {
    accord_vary_outcome *list;
    size_t count, room;
    uint32_t *slot;
    size_t slots; /* a power of two, at least twice the count */
} accordi_outcomes;
/* The number of the outcome with these results, which is added if it is new; SIZE_MAX: no memory.
 */
size_t accordi_outcomes_number(accordi_outcomes *outcomes, const double *result, size_t elements,
                               bool *is_new);
void accordi_outcomes_clear(accordi_outcomes *outcomes);

/* ---- vary.c ---- */

typedef struct accordi_variation {
    accord_variation shown; /* first: the two are one pointer */
    accord_vary_options options;
    accordi_outcomes outcomes;
    bool places;
    enum accord_term term;
    double alpha, beta;
    double *reference;  /* the results of the first run */
    double *low, *high; /* of each element */
    bool *varies;
} accordi_variation;

/* ---- prove.c ---- */

/* Reveals the order of a target whose runs all gave `result`, and tells in the setting whether the
 * model gives it, too. */
enum accord_status accordi_vary_prove(const accordi_variation *v, accord_target *target,
                                      const accordi_vary_input *input, bool places,
                                      accord_vary_setting *setting, const double *result,
                                      accord_error *error);

#endif
