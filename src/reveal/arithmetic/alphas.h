/* Where a factor alpha enters, found by probes at every term and node. Internal; see alphas.c, and
 * stored_sums.c for sums that are stored times alpha on the way. */
#ifndef ACCORDI_ALPHAS_H
#define ACCORDI_ALPHAS_H

#include "reveal/probes/ask.h"

/* A copy of `found`, the arithmetic of a binary tree of products, with alpha where it enters; NULL
 * (no error) where the answers fit no way in which it could, or there would be too many questions.
 * The factors of the target have to be the user's. */
enum accord_status accordi_alphas(accordi_asker *asker, const accord_tree *tree,
                                  const accord_arithmetic *found, accord_arithmetic **out);

/* A copy of `found`, the arithmetic of a binary tree of products, in which alpha multiplies the
 * root, and 1 / alpha undoes that where sums are stored before; NULL (no error) where none is, or
 * there would be too many questions. The factors of the target have to be the user's. */
enum accord_status accordi_retaken(accordi_asker *asker, const accord_tree *tree,
                                   const accord_arithmetic *found, accord_arithmetic **out);

#endif
