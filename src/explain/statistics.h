/* Shared by the statistics of errors: directions, regressions on them, and words. Internal. */
#ifndef ACCORDI_STATISTICS_H
#define ACCORDI_STATISTICS_H

#include "explain/explain.h"

/* ---- directions.c: what a fault of a known kind adds to each result ---- */

enum {
    ACCORDI_BIAS,
    ACCORDI_TRUNCATION,
    ACCORDI_OFFSET,
    ACCORDI_FACTOR,
    ACCORDI_CUTS, /* from here on: operands are cut to another format */
    ACCORDI_DIRECTIONS = ACCORDI_CUTS + 6
};

/* Whether the operands can show it at all. */
bool accordi_direction_applies(const accordi_sums *sums, size_t direction);
const char *accordi_direction_name(size_t direction);
const char *accordi_direction_about(size_t direction);
double accordi_direction_of(const accordi_sums *sums, const accordi_chunk *chunk, size_t row,
                            const accordi_input *input, size_t direction);
/* "the results are scaled by 1.001", where they are 1 + c times as large. */
void accordi_factor_words(double c, char *text, size_t size);
/* What it means that the errors lie along it, with this coefficient. */
void accordi_direction_words(size_t direction, double coefficient, char *text, size_t size);

/* ---- errors.c ---- */

/* Whether the input has an envelope and a weight; others take no part in statistics. */
bool accordi_input_counts(const accordi_input *input);
double accordi_kept_within(double error, double envelope);

/* ---- statistics.c ---- */

typedef struct accordi_fit {
    double coefficient, deviation;
    double strongest; /* coefficient / deviation if all error were along the direction */
    double share;     /* of the squared errors that the direction explains */
} accordi_fit;
/* Regression of the errors, as they are if `whole`, else kept within the envelope. */
accordi_fit accordi_fit_direction(const accordi_errors *errors, size_t implementation,
                                  size_t direction, bool whole);

/* ---- thin.c ---- */

/* How many of the rows of a kind are asked with fewer terms, too. */
size_t accordi_thin_rows(const accordi_sums *sums, int kind, size_t rows);
/* Sets three quarters of the terms to 0. */
void accordi_thin_terms(const accordi_sums *sums, uint64_t seed, accordi_chunk *chunk);
/* Enters the results on thinned inputs, the first of which has the number `first`. */
void accordi_thin_add(accordi_errors *errors, size_t first, const accordi_chunk *chunk,
                      const accordi_input *input, double *const *results);
/* The growth as a test at `level`, which is appended to the side. */
enum accord_status accordi_thin_test(const accordi_errors *errors, double level,
                                     accord_explain_side *side, accord_error *error);

#endif
