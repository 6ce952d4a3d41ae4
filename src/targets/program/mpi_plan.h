/* What the notation of an mpi: target says. Internal; shared with the program that runs it. */
#ifndef ACCORDI_MPI_PLAN_H
#define ACCORDI_MPI_PLAN_H

#include "base/base.h"

/* Which ranks hold results. */
enum accordi_mpi_holders {
    ACCORDI_MPI_ALL,  /* every rank has all positions */
    ACCORDI_MPI_ROOT, /* the rank `root` has all positions */
    ACCORDI_MPI_LAST, /* the last rank has the sum of all */
    ACCORDI_MPI_OWNER /* each rank has `length` positions of its own */
};

typedef struct accordi_mpi_collective {
    const char *name;
    enum accordi_mpi_holders holders;
    bool in_place;   /* it may work in place */
    bool excludes;   /* the last rank's own term is left out, so there is a rank more than terms */
    bool own_blocks; /* of reduce_scatter: a count for each rank */
    bool at_once;    /* it does not wait */
} accordi_mpi_collective;

/* The operation that adds. */
enum accordi_mpi_operation {
    ACCORDI_MPI_SUM,    /* MPI_SUM */
    ACCORDI_MPI_OWN,    /* made with MPI_Op_create, commutative */
    ACCORDI_MPI_ORDERED /* made with MPI_Op_create, not commutative */
};

#define ACCORDI_MPI_UNSAID SIZE_MAX

typedef struct accordi_mpi_plan {
    const accordi_mpi_collective *collective;
    char family[16];    /* "openmpi" or "mpich"; "": the first that is here */
    char launcher[512]; /* the command before -n; "": that of the family */
    size_t length;      /* positions of the vector, or of each rank's block */
    size_t root;
    size_t position; /* what is asked about: of the vector, or of the block of `rank` */
    size_t rank;     /* ACCORDI_MPI_UNSAID: the notation does not say, of both */
    size_t warm;     /* calls before the first that counts */
    size_t delay;    /* µs: before each call one rank sleeps, at most so long */
    size_t turns;    /* µs: at each call the ranks come so long after each other, in one of some
                      * orders by turns; 0: they come at once */
    bool in_place;
    size_t operation; /* enum accordi_mpi_operation */
} accordi_mpi_plan;

/* Reads "COLLECTIVE[@FAMILY][,SETTING…]"; the settings are in the table of mpi_plan.c. ACCORD_ARG,
 * with what would have been right. */
enum accord_status accordi_mpi_plan_read(const char *text, accordi_mpi_plan *out,
                                         accord_error *error);
/* How many ranks add n terms, and how many positions and copies of them there are. */
size_t accordi_mpi_ranks(const accordi_mpi_plan *plan, size_t n);
size_t accordi_mpi_rows(const accordi_mpi_plan *plan, size_t n);
size_t accordi_mpi_columns(const accordi_mpi_plan *plan, size_t n);
/* The element "ROW,COLUMN" that position= and rank= say; "" where they say nothing. ACCORD_ARG
 * where there is none. */
enum accord_status accordi_mpi_element(const accordi_mpi_plan *plan, size_t n, char element[48],
                                       accord_error *error);

#endif
