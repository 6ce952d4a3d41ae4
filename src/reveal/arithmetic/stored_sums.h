/* Sums that are stored times alpha on the way and taken up again. Internal; see stored_sums.c. */
#ifndef ACCORDI_RETAKEN_H
#define ACCORDI_RETAKEN_H

#include "reveal/probes/ask.h"

/* A copy of `found`, the arithmetic of a binary tree of products, in which alpha multiplies the
 * root, and 1 / alpha undoes that where sums are stored before; NULL (no error) where none is, or
 * there would be too many questions. The factors of the target have to be the user's. */
enum accord_status accordi_retaken(accordi_asker *asker, const accord_tree *tree,
                                   const accord_arithmetic *found, accord_arithmetic **out);

#endif
