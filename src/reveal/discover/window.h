/* The order of a window of neighboring terms, and what it says about all. Internal. */
#ifndef ACCORDI_WINDOW_H
#define ACCORDI_WINDOW_H

#include "reveal/probes/ask.h"

/* The order that the target induces on terms from … from + count - 1, by splitting paths; *out is
 * NULL if their answers are those of no tree, which is no error here. */
enum accord_status accordi_window_split(accordi_asker *asker, uint32_t from, uint32_t count,
                                        accord_tree **out);

/* Continues `first`, the order of terms 0 … m-1, by that of the window from `from` < m on. The
 * terms before m that the window has in common with it say where the others join: as far up as
 * these allow. *out is NULL where the two do not fit, or a term joins a sum of several. */
enum accord_status accordi_window_join(accordi_asker *asker, const accord_tree *first,
                                       const accord_tree *window, uint32_t from, accord_tree **out);

#endif
