/* What judge.c finds and verdict.c puts into words. Internal. */
#ifndef ACCORDI_JUDGE_H
#define ACCORDI_JUDGE_H

#include "explain/explain.h"

enum { ACCORDI_KINDS = 16 };

typedef struct accordi_judging {
    const accord_explain_options *options;
    accordi_sums sums;
    const accord_explain_results *results; /* NULL: the target is asked */
    accordi_accumulator accumulator;
    accordi_references references;
    int kind[ACCORDI_KINDS];
    size_t kinds, rows; /* rows of each kind */
    accordi_errors *errors;
    accordi_elements *elements; /* NULL unless there are several */
    char where[160];            /* which of them are wrong */
    bool place;                 /* these are one place, and not all over the matrix */
    char band[160];             /* which rows or columns have errors that are too large */
    double *result;             /* kinds x rows */
    uint64_t done, total;
} accordi_judging;

/* Sets verdict and words of a side whose tests are done. */
enum accord_status accordi_explain_verdict(const accordi_judging *in, accord_explain_side *side,
                                           accord_error *error);

#endif
