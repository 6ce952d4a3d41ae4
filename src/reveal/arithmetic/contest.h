/* A contest of models: the one that is held, its rivals, and inputs that were put to the target.
 * Internal; see rivals.c. */
#ifndef ACCORDI_CONTEST_H
#define ACCORDI_CONTEST_H

#include "reveal/arithmetic/rivals.h"
#include "reveal/probes/dense_rows.h"

/* How many answers a model gives: but for the signs of zeros, and bit for bit. */
typedef struct accordi_score {
    size_t numbers, bits;
} accordi_score;

typedef struct accordi_contest {
    accordi_asker *asker;
    const accord_tree *tree, *leaf;
    const accordi_replays *replays;
    accordi_draw draw;
    accordi_purpose purpose;
    accordi_dense asked; /* put to the target */
    accordi_dense drawn; /* of searches: the first of them, with what the model that is held makes
                            of them, are kept for all its rivals */
    accord_arithmetic *held;
    size_t left;         /* inputs that may still be drawn */
    size_t searched;     /* for the present rival */
    accordi_score score; /* of the model that is held */
    bool zeros_done;     /* no model with other zeros takes the place of the one that is held */
    accordi_rivals *out;
} accordi_contest;

/* What a model makes of `count` inputs from `first` on. */
enum accord_status accordi_contest_replay(accordi_contest *c, accordi_dense *in, size_t first,
                                          size_t count, const accord_arithmetic *how,
                                          double *result);
/* Puts the inputs from `first` on, of those in `asked`, to the target. */
enum accord_status accordi_contest_ask(accordi_contest *c, size_t first);
/* Adds an input to those in `asked`, which has room for it. */
void accordi_contest_keep(accordi_contest *c, const void *x, const void *y);
/* Of the inputs in `asked`, from `first` on. What the model makes of them is in asked.due then. */
accordi_score accordi_contest_score(accordi_contest *c, const accord_arithmetic *how, size_t first);
/* Adds the score of the model that is held on the inputs from `first` on. */
void accordi_contest_count(accordi_contest *c, size_t first);
/* Whether the model's score is better than `old`: in numbers first. */
bool accordi_contest_beats(accordi_contest *c, const accord_arithmetic *how, accordi_score old);
bool accordi_contest_agrees(accordi_contest *c, const accord_arithmetic *how); /* on all */
bool accordi_contest_doubted(const accordi_contest *c); /* the model that is held is not */
/* Puts *how in the place of the model that is held; *how is NULL then. */
void accordi_contest_hold(accordi_contest *c, accord_arithmetic **how);
/* A few replays of each kind. */
bool accordi_contest_sample(accordi_contest *c, const accord_arithmetic *how);
bool accordi_contest_replays(accordi_contest *c, const accord_arithmetic *how);

/* ---- rivals_fused.c ---- */

/* How many inputs of their own its questions take at most; 0: there is nothing to ask. */
size_t accordi_rivals_fused_room(const accordi_contest *c);
/* Asks, node by node, whether products are fused where only those show it that are too small for
 * the format of the sum, and adopts what the answers say. */
enum accord_status accordi_rivals_fused(accordi_contest *c);

/* ---- rivals_forgiven.c ---- */

/* Where all answers that contradict the model are of kinds that records tell or assume away: says
 * so in c->out, drops them, and is true. */
bool accordi_rivals_forgive(accordi_contest *c);

#endif
