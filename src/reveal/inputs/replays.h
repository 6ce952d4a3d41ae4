/* Random inputs whose sums are asked of the target and replayed by a model. Internal. */
#ifndef ACCORDI_REPLAYS_H
#define ACCORDI_REPLAYS_H

#include "reveal/inputs/random_inputs.h"
#include "reveal/inputs/range_ends.h"

/* Inputs are not kept: row r is drawn anew from the seed whenever it is needed, a cache-full of
 * rows at a time. The first `fresh` rows are drawn from the seed of the question, those that follow
 * are inputs of the record's answers (answers.h), the same whatever the seed. Where the target
 * keeps a narrower format than it takes, or scales the sum, or terms are of one sign, the last
 * `ends` rows are those of range_ends.h. */
typedef struct accordi_replays {
    accordi_draw draw; /* of the fresh rows; but for seed and block, of the others too */
    size_t products;   /* terms of two factors: all but the start value */
    size_t rows, fresh, ends;
    enum accord_format kept;
    bool squares;    /* of terms, at the ends */
    uint32_t *input; /* of row fresh + i: the number of the input */
    double greatest; /* that sums may come to */
    enum accord_format output;
    double scale;     /* results are about that times the sum of the terms; 0: of something else */
    uint8_t *attempt; /* as which a fresh row is drawn, or NULL: telling_rows.c */
    double *result;   /* what the target answered */
} accordi_replays;

/* Draws `rows` inputs (and more where terms lose bits), `fresh` of them anew and the others from
 * the inputs 0 … of the answers, kind by kind, and asks the target for their sums. `plain`: all are
 * fresh, of the first kind, and second factors are 1. With a model, each input is also replayed
 * while it is at hand: *agree as in accordi_replays_agree for all rows. model and agree may be
 * NULL. */
enum accord_status accordi_replays_ask(accordi_asker *asker, size_t rows, size_t fresh, bool plain,
                                       const accord_model *model, accordi_replays *replays,
                                       size_t *agree);
void accordi_replays_clear(accordi_replays *replays);

/* Sets replays->attempt: rows in which no order shows are drawn again, a few times, until the model
 * gives other bits for most of some orders of their terms. */
enum accord_status accordi_replays_choose(accordi_asker *asker, accordi_replays *replays,
                                          const accord_model *model);

/* An arithmetic that fails rows of the first so many kinds is given up, even if all that it lacks
 * is what is flushed: no term of these rows is moved to an end of the range. */
enum { ACCORDI_FIRST_KINDS = 8 };

/* Draws one of the rows that are drawn anew, and says of which kind it is: fresh_rows.c. */
void accordi_replays_draw(const accordi_replays *replays, size_t row, void *x, void *y);
enum accordi_draw_kind accordi_replays_fresh_kind(const accordi_replays *replays, size_t row);

/* The kinds of input among the rows, a bit for each: those at the ends of a format are of none. */
uint64_t accordi_replays_kinds(const accordi_replays *replays);

/* Asks for the sums of the first `rows` inputs again. */
enum accord_status accordi_replays_again(accordi_asker *asker, const accordi_replays *replays,
                                         size_t rows, double *result);

/* On how many of the first rows the model gives the target's bits. Where these can no longer
 * be `least`, the rows that follow are left out. */
enum accord_status accordi_replays_agree(accordi_asker *asker, const accordi_replays *replays,
                                         const accord_model *model, size_t rows, size_t least,
                                         size_t *agree);

/* *all: whether it does on all of a few rows, one of each kind. */
enum accord_status accordi_replays_sample(accordi_asker *asker, const accordi_replays *replays,
                                          const accord_model *model, bool *all);

/* Of the rows of the plain kind, *of: on how many the target gives the correctly rounded sum. */
enum accord_status accordi_replays_exact(accordi_asker *asker, const accordi_replays *replays,
                                         size_t *exact, size_t *of);

/* How many rows of each kind there are (among the first, where rows are long), and in how many the
 * model gives other bits. */
typedef struct accordi_disagreement {
    size_t rows[ACCORDI_DRAW_KINDS], other[ACCORDI_DRAW_KINDS];
    /* How many of all results are not in the format that results should have, and a wider one that
     * has them. */
    size_t outside;
    enum accord_format wider;
} accordi_disagreement;
enum accord_status accordi_replays_differ(accordi_asker *asker, const accordi_replays *replays,
                                          const accord_model *model, accordi_disagreement *out);

/* The accumulators worth trying, most likely first: those of the result and of the terms, f32,
 * f64, and narrower ones where terms lose bits; returns how many different ones. */
enum { ACCORDI_ACCUMULATORS = 8 };
size_t accordi_accumulators(const accordi_asker *asker,
                            enum accord_format out[ACCORDI_ACCUMULATORS]);

#endif
