/* Splits: levels of disjoint nodes of a binary tree, whose two children are shown to be clades.
 * Internal; see splits.c. */
#ifndef ACCORDI_SPLITS_H
#define ACCORDI_SPLITS_H

#include "reveal/probes/leaf_order.h"

/* Deeper nodes are not split. */
enum { ACCORDI_MOST_SPLITS = 512 };

/* Call 0 has masks in the larger child of every node of the level and noise in the other one, call
 * 1 the other way round, and in call 2 all terms are noise but for two masks. */
enum { ACCORDI_SPLIT_CALLS = 3 };
typedef struct accordi_split_call {
    uint8_t masked, noisy; /* terms of these roles carry masks, and noise */
} accordi_split_call;
extern const accordi_split_call accordi_split_calls[ACCORDI_SPLIT_CALLS];

/* Roles of terms at a level: under the larger child of a node, or under the smaller one. */
enum { ACCORDI_LARGER = 1, ACCORDI_SMALLER = 2 };

/* A node of the level: in each child the leaf whose mask is not like the others. */
typedef struct accordi_split {
    uint32_t larger, smaller;       /* leaves … */
    uint32_t larger_of, smaller_of; /* … of how many under that child */
} accordi_split;
/* Whether the leaf s->larger or s->smaller has a value of its own in a call, and which multiple of
 * the mask that is. */
bool accordi_split_mask(const accordi_split *s, uint32_t call, uint8_t role, double *multiple);

typedef struct accordi_splits {
    const accordi_layout *layout;
    uint32_t *node; /* inner nodes by depth, each depth from the last one on; and where each depth
                       begins, those that are deeper than any of interest together */
    uint32_t begin[ACCORDI_MOST_SPLITS + 3];
    bool whole;      /* no node of three leaves or more is deeper */
    uint32_t levels; /* that have such a node … */
    uint32_t most;   /* … and of how many a depth at most, from 0 to ACCORDI_MOST_SPLITS */
    /* Some node has no leaf as a child: else call 1 tests nothing. */
    bool both[ACCORDI_MOST_SPLITS];
    /* The level that was entered: per term its role, or 0 outside; and its nodes. */
    uint8_t *role;
    accordi_split *split;
    uint32_t splits;
} accordi_splits;

/* Of a binary tree. The layout is borrowed. */
enum accord_status accordi_splits_init(accordi_asker *asker, const accordi_layout *layout,
                                       accordi_splits *out);
void accordi_splits_clear(accordi_splits *splits);

/* Sets role, split and splits. */
void accordi_splits_enter(accordi_splits *splits, uint32_t level);

/* The calls of the first so many levels, each asked once. */
uint64_t accordi_splits_calls(const accordi_splits *splits, uint32_t levels);

/* The nodes of three leaves or more at a depth of `level`, into `node`; how many. */
uint32_t accordi_splits_rest(const accordi_splits *splits, uint32_t level, uint32_t *node);

/* Noise: odd numbers of so many bits and a sign, as multiples of the unit, and how often each call
 * is asked. */
typedef struct accordi_weights {
    int bits;
    uint32_t rounds;
} accordi_weights;

/* Those with the fewest rounds that leave a wrong tree a probability of `error` at most; rounds 0:
 * there are none, since sums of so many terms hold too few units. */
accordi_weights accordi_splits_weigh(const accordi_asker *asker, size_t terms, double error);

/* Why the target's result, as it is asked for, is not the plain sum of all terms along a binary
 * tree like this one; NULL: it may be. */
const char *accordi_not_plain(const accordi_asker *asker, const accord_tree *tree);
/* Why a tree cannot be split, which may be the same; NULL: it can. */
const char *accordi_splits_unsuited(const accordi_asker *asker, const accord_tree *tree);

/* Asks the calls of the first so many levels; *asked counts them. *holds is false once a result is
 * not what the tree gives. */
enum accord_status accordi_splits_prove(accordi_asker *asker, accordi_splits *splits,
                                        uint32_t levels, const accordi_weights *weights,
                                        uint64_t *asked, bool *holds);

#endif
