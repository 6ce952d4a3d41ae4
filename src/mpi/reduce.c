/* Arrays of accumulators over all ranks, or to one. */
#include "mpi/message.h"
#include <limits.h>
#include <string.h>

/* root: NULL for all. */
static enum accord_status reduce(const accordi_mpi_kind *kind, void *sums, size_t count,
                                 const int *root, MPI_Comm comm, accord_error *error)
{
    size_t size = sizeof(int64_t) * (size_t)kind->words;
    accordi_mpi_room room;
    enum accord_status status = accordi_mpi_room_init(&room, kind, count, error);
    if (status)
        return status;
    accordi_mpi_message message = {.kind = kind,
                                   .words = room.at.words,
                                   .count = count,
                                   .to_root = root != NULL,
                                   .root = root ? *root : 0,
                                   .comm = comm,
                                   .most = INT_MAX};
    if (!sums && count)
        status = accordi_mpi_fail(error, ACCORD_ARG,
                                  "the array of sums is NULL; pass the array of %zu", count);
    else if (count)
        memcpy(room.at.words, sums, count * size);
    status = accordi_mpi_combine(&message, status, error);
    if (!status && count && message.here)
        memcpy(sums, room.at.words, count * size);
    accordi_mpi_room_clear(&room);
    return status;
}

enum accord_status accord_mpi_exact_allreduce(accord_exact *sums, size_t count, MPI_Comm comm,
                                              accord_error *error)
{
    return reduce(&accordi_mpi_small, sums, count, NULL, comm, error);
}

enum accord_status accord_mpi_exact_wide_allreduce(accord_exact_wide *sums, size_t count,
                                                   MPI_Comm comm, accord_error *error)
{
    return reduce(&accordi_mpi_wide, sums, count, NULL, comm, error);
}

enum accord_status accord_mpi_exact_reduce(accord_exact *sums, size_t count, int root,
                                           MPI_Comm comm, accord_error *error)
{
    return reduce(&accordi_mpi_small, sums, count, &root, comm, error);
}

enum accord_status accord_mpi_exact_wide_reduce(accord_exact_wide *sums, size_t count, int root,
                                                MPI_Comm comm, accord_error *error)
{
    return reduce(&accordi_mpi_wide, sums, count, &root, comm, error);
}
