/* Blocks that share scales and whose products are added exactly. Internal. */
#ifndef ACCORDI_EXACT_BLOCKS_H
#define ACCORDI_EXACT_BLOCKS_H

#include "reveal/machine/parameters.h"

/* Of an order of whole blocks: whether every block is an exact sum, rounded once, and the rest of
 * the order is plain additions in one format. Then the caller frees *tree and *how. Where it is
 * not, or on failure (the asker's status), false, and nothing is left. */
bool accordi_find_exact_blocks(accordi_asker *asker, const accord_tree *order, accord_tree **tree,
                               accord_arithmetic **how, accordi_features_report *report);

#endif
