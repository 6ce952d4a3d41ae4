/* Accumulators of all ranks as messages; shared by the files of room mpi. Internal. Accumulators
 * come in on each rank, and the accumulator of their sum goes out. The room is not a part of the
 * core library and uses only what that exports. */
#ifndef ACCORDI_MPI_MESSAGE_H
#define ACCORDI_MPI_MESSAGE_H

#include <accord/mpi.h>

/* Either accumulator, as an array of int64_t: limbs, counts, and the word of pending carries. */
typedef struct accordi_mpi_kind {
    int limbs, words;
    void (*init)(void *sum);
    void (*canonical)(void *sum);
} accordi_mpi_kind;
extern const accordi_mpi_kind accordi_mpi_small, accordi_mpi_wide;

/* Room for accumulators of one kind and as many received, on the stack where they are few. */
enum { ACCORDI_MPI_FEW = 4 };
typedef struct accordi_mpi_room {
    union {
        int64_t *words;
        accord_exact *small;
        accord_exact_wide *wide;
    } at;
    void *allocated;
    union {
        accord_exact small[2 * ACCORDI_MPI_FEW];
        accord_exact_wide wide[2 * ACCORDI_MPI_FEW];
    } few;
} accordi_mpi_room;
/* ACCORD_NOMEM, or `count` sums of nothing; both are to be cleared. */
enum accord_status accordi_mpi_room_init(accordi_mpi_room *room, const accordi_mpi_kind *kind,
                                         size_t count, accord_error *error);
void accordi_mpi_room_clear(accordi_mpi_room *room);

typedef struct accordi_mpi_message {
    const accordi_mpi_kind *kind;
    int64_t *words; /* the sums, overwritten by canonical ones of all ranks; behind them there is
                       room for as many again */
    size_t count;
    bool to_root; /* the result goes to the rank `root`, else to all */
    int root;
    MPI_Comm comm;
    size_t most; /* words in one call of MPI, at least those of one sum */
    bool here;   /* set: this rank has the result */
} accordi_mpi_message;

/* Adds up the sums of all ranks. `refused`: what this rank has found wrong so far, which *error
 * already says; it then takes part with nothing and all ranks hear of it. */
enum accord_status accordi_mpi_combine(accordi_mpi_message *message, enum accord_status refused,
                                       accord_error *error);

/* Fills *error (may be NULL) and returns `status`. */
enum accord_status accordi_mpi_fail(accord_error *error, enum accord_status status,
                                    const char *format, ...) __attribute__((format(printf, 3, 4)));
/* ACCORD_OK for MPI_SUCCESS; else a status and MPI's text, after `what`. */
enum accord_status accordi_mpi_check(int code, const char *what, accord_error *error);
/* ACCORD_ARG unless MPI has been initialized and not finalized. */
enum accord_status accordi_mpi_running(accord_error *error);

#endif
