/* Random inputs whose sums are asked of the target and replayed along a tree. Internal. */
#ifndef ACCORDI_REPLAYS_H
#define ACCORDI_REPLAYS_H

#include "reveal/ask.h"

/* Inputs are not kept: row r is drawn anew from the seed whenever it is needed, a cache-full of
 * rows at a time. */
typedef struct accordi_replays {
    size_t rows, n;
    uint64_t seed;
    enum accord_format format; /* of the values */
    bool is_f32;               /* their type, as the target stores them */
    double *result;            /* what the target answered */
} accordi_replays;

/* Draws rows inputs (signed, magnitudes over eight binades below 2, values of the target's format)
 * and asks the target for their sums. With a tree, each input is also replayed while it is at hand:
 * *agree as in accordi_replays_agree for all rows. tree and agree may be NULL. */
enum accord_status accordi_replays_ask(accordi_asker *asker, size_t rows, const accord_tree *tree,
                                       enum accord_format accumulator, accordi_replays *replays,
                                       size_t *agree);
void accordi_replays_clear(accordi_replays *replays);

/* Asks for the sums of the first `rows` inputs again. */
enum accord_status accordi_replays_again(accordi_asker *asker, const accordi_replays *replays,
                                         size_t rows, double *result);

/* On how many of rows first … first+rows-1 the tree in plain arithmetic of `accumulator` gives the
 * target's bits. */
enum accord_status accordi_replays_agree(accordi_asker *asker, const accordi_replays *replays,
                                         const accord_tree *tree, enum accord_format accumulator,
                                         size_t first, size_t rows, size_t *agree);

/* On how many rows the target gives the correctly rounded exact sum. */
enum accord_status accordi_replays_exact(accordi_asker *asker, const accordi_replays *replays,
                                         size_t *exact);

/* The accumulators worth trying, most likely first; returns how many. */
size_t accordi_accumulators(const accord_target *target, enum accord_format out[4]);

#endif
