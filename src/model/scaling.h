/* Where alpha enters, node by node. Internal. */
#ifndef ACCORDI_SCALING_H
#define ACCORDI_SCALING_H

#include "base/base.h"
#include <accord/model.h>

/* The accord_scaling of each node, leaves first, whichever way the model says it. The caller frees
 * *out. ACCORD_NOMEM. */
enum accord_status accordi_scaling(const accord_model *model, uint8_t **out, accord_error *error);

/* That of the root, which enters the output. */
enum accord_scaling accordi_scaling_root(const accord_model *model);

/* What the start is multiplied by: beta, or where alpha multiplies the whole beta / alpha, rounded
 * into the format of the output. */
double accordi_start_factor(const accord_model *model);
/* 1 / alpha, rounded to nearest into the format of the output: what retaken sums are times. */
double accordi_inverse_alpha(const accord_arithmetic *arithmetic);
/* Whether alpha may multiply the start among the rest: beta / alpha is finite. */
bool accordi_alpha_divides(const accord_arithmetic *arithmetic);

/* *out: the arithmetic with the one alpha_at, the simplest, by which all that mean the same are
 * said, as a shallow copy. ACCORD_NOMEM, with a copy of what is said. */
enum accord_status accordi_scaling_simplest(const accord_model *model, accord_arithmetic *out,
                                            accord_error *error);

/* ACCORD_ARG, with the reason, unless ACCORD_ALPHA_NODES fits the tree. */
enum accord_status accordi_scaling_check(const accord_model *model, accord_error *error);

#endif
