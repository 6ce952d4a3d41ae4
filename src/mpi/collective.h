/* The collective operation that an mpi: target asks about, as one rank calls it. Internal.
 *
 * Before each call a rank's results, and some room behind them, hold a number that no sum gives: a
 * collective that adds at fewer positions than it was called for, or at more, is found out, and its
 * results do not pass for sums. */
#ifndef ACCORDI_COLLECTIVE_H
#define ACCORDI_COLLECTIVE_H

#include "mpi/held.h"
#include "targets/program/mpi_plan.h"
#include <accord/format.h>
#include <mpi.h>

typedef struct accordi_collective {
    accordi_mpi_plan plan;
    size_t n;      /* terms */
    int rank, all; /* all: how many there are */
    enum accord_format format;
    size_t bytes; /* of a number */
    MPI_Datatype type;
    MPI_Op operation;
    size_t rows;    /* positions of a vector that goes in */
    size_t held;    /* positions that come out on one rank */
    char *in, *out; /* rows and held numbers; in is what the collective gets */
    size_t room;    /* numbers behind the results */
} accordi_collective;

/* Fills in what follows from plan, n, rank, all and the name of a format. One at a time: operations
 * of MPI have no context. False: out of memory. */
bool accordi_collective_open(accordi_collective *c, const char *format);
void accordi_collective_close(accordi_collective *c);
/* From `in` to `out`. Where an operation fails and the MPI goes on, this ends all ranks. */
void accordi_collective_call(const accordi_collective *c);
/* Whether the last call left the room behind the results alone. */
bool accordi_collective_is_room_whole(const accordi_collective *c);
/* The bits that stand where a call has left no result: a NaN that no sum gives. */
const char *accordi_collective_none(const accordi_collective *c);
/* Writes what went wrong to standard error, and ends all ranks. */
void accordi_end_ranks(const char *why);

#endif
