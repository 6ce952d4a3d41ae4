/* Finds norms that add the squares of small, medium and large terms in accumulators of their own.
 * Internal; see size_classes.c. */
#ifndef ACCORDI_APART_H
#define ACCORDI_APART_H

#include "reveal/probes/ask.h"

/* Asked where nothing explains a norm of at least three terms. *yes: terms that vanish beside the
 * greatest count where all of them are 2^exponent times as large. */
enum accord_status accordi_apart(accordi_asker *asker, bool *yes, int *exponent);

#endif
