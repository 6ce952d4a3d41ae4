/* Searches for the arithmetic that explains the replays. A proven tree and random inputs with their
 * results come in; an arithmetic goes out. Internal. */
#ifndef ACCORDI_EXPLAIN_H
#define ACCORDI_EXPLAIN_H

#include "reveal/arithmetic/flushing.h"
#include "reveal/inputs/replays.h"

/* The arithmetic that agrees with most rows, on how many, and the one found by probes. */
typedef struct accordi_explanation {
    accord_arithmetic *best; /* the caller's to free; never NULL on success */
    size_t agreed;
    const accord_arithmetic *found; /* may be NULL; borrowed */
    const accordi_flushes *flushes; /* what probes said; NULL: nobody has asked */
    const uint8_t *wide;            /* per inner node: its sum is kept wide; borrowed */
    int wide_precision;             /* in bits; 0: no sum is */
    int accumulator_bits;           /* of sums, seen by probes; 0: unknown */
    bool negative_zero;             /* a sum of -0 alone is -0 */
    bool zero_last;                 /* nor is any other: +0 is added last */
} accordi_explanation;

/* Asks about zeros, and makes `best` what to try first: what is found, or else plain arithmetic,
 * with the factors that the target has. */
enum accord_status accordi_explain_first(accordi_asker *asker, const accord_tree *tree,
                                         accordi_explanation *e);

/* Tries what is found, then plain arithmetic in every likely accumulator, each with every way in
 * which a factor (a mean's, or alpha) can enter, until all rows agree. `e` holds the first try
 * and its rows. */
enum accord_status accordi_explain(accordi_asker *asker, const accord_tree *tree,
                                   const accordi_replays *replays, accordi_explanation *e);

/* Whether alpha multiplies without rounding, but is not 1. */
bool accordi_alpha_hides(const accordi_asker *asker);
/* Only asks where alpha enters; `e` holds what is found, and nothing that agrees. */
enum accord_status accordi_explain_alpha(accordi_asker *asker, const accord_tree *tree,
                                         const accordi_replays *replays, accordi_explanation *e);

#endif
