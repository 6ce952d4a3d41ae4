/* Probes whose terms have two factors each. Internal; see two_factors.c. */
#ifndef ACCORDI_TWO_FACTORS_H
#define ACCORDI_TWO_FACTORS_H

#include <accord/target.h>

/* Terms that are products may be larger and smaller than one factor: not written so; in two
 * factors; in two normal ones. */
enum accordi_factors_used { ACCORDI_ONE_FACTOR, ACCORDI_TWO_FACTORS, ACCORDI_NORMAL_FACTORS };

/* Whether terms may be asked for in two factors: they are products, without a start value, which
 * has one factor alone, and the target does not split them itself. */
bool accordi_two_factors_suit(const accord_target *target);

/* Answers a sparse batch that has no second factors; these are of `format`. */
enum accord_status accordi_two_factors_run(accord_target *target, enum accord_format format,
                                           const accord_batch *batch, double *result,
                                           accord_error *error);

#endif
