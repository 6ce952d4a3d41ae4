/* What the ranks of a collective operation hold, as messages and as answers. Internal. */
#ifndef ACCORDI_HELD_H
#define ACCORDI_HELD_H

#include "base/serve.h"
#include <accord/format.h>

/* Number i of those that a rank has: f64, f32, or another format as its bits in 16. */
static inline size_t accordi_rank_bytes(enum accord_format format)
{
    return format == ACCORD_F64 ? 8 : format == ACCORD_F32 ? 4 : 2;
}

double accordi_rank_get(enum accord_format format, const char *from, size_t i);
void accordi_rank_put(enum accord_format format, char *to, size_t i, double value);

/* Numbers of one rank in their order, of which those that follow each other with the same bits are
 * one run: of long vectors most positions hold the same. */
typedef struct accordi_held {
    char *message; /* lengths of the runs, then their values */
    const uint32_t *length;
    const char *value;
    size_t runs, at, used; /* the run that is read, and how many numbers of it were */
    enum accord_format format;
} accordi_held;

/* The message for `count` numbers, at least one. NULL when there is no memory. */
char *accordi_held_message(enum accord_format format, const char *numbers, size_t count,
                           size_t *bytes);
/* Reads it; the caller frees held->message. */
void accordi_held_open(accordi_held *held, enum accord_format format, char *message, size_t bytes);
/* Leaves out the next numbers, no more than are left of the run that is read. */
void accordi_held_pass(accordi_held *held, size_t count);
/* How many numbers are before the next one with these bits; SIZE_MAX: there is none. */
size_t accordi_held_find(const accordi_held *held, const char *wanted);
/* All ranks have all positions: of each position what the first rank has, the second … */
void accordi_held_put_positions(accordi_held *ranks, size_t count, accordi_runs *runs);
/* Each rank has positions of its own, `each` of a sum: of each sum those of the first rank, of the
 * second … */
void accordi_held_put_blocks(accordi_held *ranks, size_t count, size_t sums, size_t each,
                             accordi_runs *runs);

#endif
