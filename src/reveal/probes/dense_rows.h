/* Rows in which every term is written: they are asked of the target, and replayed by models.
 * Internal. */
#ifndef ACCORDI_DENSE_ROWS_H
#define ACCORDI_DENSE_ROWS_H

#include "reveal/probes/ask.h"
#include "reveal/probes/packed_rows.h"
#include <accord/model.h>

typedef struct accordi_dense {
    accordi_asker *asker;
    size_t rows, room; /* rows that are filled, and the most */
    size_t bytes;      /* of a row */
    bool f32;
    bool borrowed;            /* x and y are the target's */
    char *x, *y;              /* y: NULL unless terms are products */
    const void **row;         /* of x, then of y */
    accordi_buffer *packed;   /* the same, packed; NULL: rows stand where `row` says */
    double *start;            /* the start values of replayed rows */
    double *scale[2];         /* of blocks of first and of second factors; NULL: there are none */
    const double **scale_row; /* where those of each row begin, of first, then of second factors */
    size_t blocks;            /* of a row */
    double *due, *seen;       /* what a model gives, and the target, as it comes */
} accordi_dense;

/* How many rows, `most` or fewer, are few enough not to fill the memory where sums are long; at
 * least two if `most` is. */
size_t accordi_dense_fitting(const accordi_asker *asker, size_t most, bool products);

/* Of so many rows, with second factors if `products`. ACCORD_NOMEM, also as the asker's status. */
enum accord_status accordi_dense_init(accordi_dense *d, accordi_asker *asker, size_t room,
                                      bool products);
/* The same in memory from which the target takes them without a copy, if it has such memory and no
 * other rows stand there. */
enum accord_status accordi_dense_share(accordi_dense *d, accordi_asker *asker, size_t room,
                                       bool products);
/* The same for rows that are kept packed, so that there is memory for one alone, where all of them
 * are written and used: what is asked for and replayed is brought there first. */
enum accord_status accordi_dense_share_packed(accordi_dense *d, accordi_asker *asker, size_t room,
                                              bool products);
/* Zeros are fine. */
void accordi_dense_clear(accordi_dense *d);

/* Term i of a row; y counts where terms are products. */
static inline void accordi_dense_put(const accordi_dense *d, size_t row, size_t i, double x,
                                     double y)
{
    accordi_set_number(d->x, d->f32, row * d->asker->n + i, x);
    if (d->y)
        accordi_set_number(d->y, d->f32, row * d->asker->n + i, y);
}
/* All of its terms are `fill`, times 1. */
void accordi_dense_fill(const accordi_dense *d, size_t row, double fill);
/* The scale of a block, 1 until it is set, where the target has any; of first factors, or second.
 */
static inline double *accordi_dense_scale(const accordi_dense *d, size_t row, size_t which,
                                          size_t block)
{
    return &d->scale[which][row * d->blocks + block];
}
/* An operand as it was stored. */
double accordi_dense_get(const accordi_dense *d, const void *operand, size_t row, size_t i);

/* The row behind the last one, which was written where it stands, is one of them. */
enum accord_status accordi_dense_add(accordi_dense *d);
/* The terms of the row, and their factors, stand in their place now. */
void accordi_dense_bring(const accordi_dense *d, size_t row);
/* Row `from` takes the place of another one, which is forgotten. What was seen of it comes along.
 */
void accordi_dense_move(accordi_dense *d, size_t from, size_t to);

/* The terms of a row, and their second factors; NULL unless terms are products. */
void *accordi_dense_first(const accordi_dense *d, size_t row);
void *accordi_dense_second(const accordi_dense *d, size_t row);

/* Sets d->seen, or d->due, of the rows. */
enum accord_status accordi_dense_ask(accordi_dense *d);
enum accord_status accordi_dense_replay(accordi_dense *d, const accord_model *model);
/* Of `count` rows from `first` on: what the target gives, and what the model gives if the last term
 * of a target with a start value is that value. */
enum accord_status accordi_dense_ask_some(accordi_dense *d, size_t first, size_t count,
                                          double *result);
enum accord_status accordi_dense_replay_some(accordi_dense *d, size_t first, size_t count,
                                             const accord_model *model, double *result);
/* Does the target give what the model does on row i? With neutral factors (ask.h). */
bool accordi_dense_agrees(const accordi_dense *d, size_t i);

#endif
