#include "mpi/collective.h"
#include <stdio.h>

enum { LEAST_ROOM = 16, MOST_ROOM = 4096 };

void accordi_end_ranks(const char *why)
{
    fprintf(stderr, "accord-mpi-worker: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- numbers ---- */

/* Operations of MPI have no context. */
static const accordi_collective *adding;

/* Each hop rounds to the format of the numbers. */
static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (size_t i = 0; i < (size_t)*count; i++)
        accordi_rank_put(adding->format, inout, i,
                         accord_format_add(adding->format, ACCORD_NEAREST_EVEN,
                                           accordi_rank_get(adding->format, in, i),
                                           accordi_rank_get(adding->format, inout, i)));
}

const char *accordi_collective_none(const accordi_collective *c)
{
    static const char none[] =
        "\xa5\x5a\xa5\x5a\xa5\x5a\xfd\xff"; /* of each format the last bytes */
    return none + sizeof none - 1 - c->bytes;
}

/* The room behind the results holds ones; what is added there is 0 or, in place, the number of
 * ranks. */
bool accordi_collective_is_room_whole(const accordi_collective *c)
{
    for (size_t i = 0; i < c->room; i++)
        if (accordi_rank_get(c->format, c->out, c->held + i) != 1)
            return false;
    return true;
}

/* ---- one call ---- */

static int reduce_scatter(const accordi_collective *c, void *from, void *to)
{
    int length = (int)c->plan.length;
    if (!c->plan.collective->own_blocks)
        return MPI_Reduce_scatter_block(from, to, length, c->type, c->operation, MPI_COMM_WORLD);
    int *counts = accordi_calloc((size_t)c->all, sizeof *counts), code = MPI_ERR_NO_MEM;
    for (int k = 0; counts && k < c->all; k++)
        counts[k] = length;
    if (counts)
        code = MPI_Reduce_scatter(from, to, counts, c->type, c->operation, MPI_COMM_WORLD);
    free(counts);
    return code;
}

static int allreduce(const accordi_collective *c, void *from, void *to)
{
    int rows = (int)c->rows;
    MPI_Request request;
    if (!c->plan.collective->at_once)
        return MPI_Allreduce(from, to, rows, c->type, c->operation, MPI_COMM_WORLD);
    MPI_Iallreduce(from, to, rows, c->type, c->operation, MPI_COMM_WORLD, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int call_once(const accordi_collective *c)
{
    void *from = c->in;
    int root = (int)c->plan.root, rows = (int)c->rows;
    for (size_t i = 0; i < c->held; i++)
        memcpy(c->out + i * c->bytes, accordi_collective_none(c), c->bytes);
    for (size_t i = 0; i < c->room; i++)
        accordi_rank_put(c->format, c->out, c->held + i, 1);
    if (c->plan.in_place) { /* in a reduction to one rank only there */
        memcpy(c->out, c->in, c->rows * c->bytes);
        if (c->plan.collective->holders != ACCORDI_MPI_ROOT || c->rank == root)
            from = MPI_IN_PLACE;
    }
    switch (c->plan.collective->holders) {
    case ACCORDI_MPI_ROOT:
        return MPI_Reduce(from, c->out, rows, c->type, c->operation, root, MPI_COMM_WORLD);
    case ACCORDI_MPI_OWNER:
        return reduce_scatter(c, from, c->out);
    case ACCORDI_MPI_LAST:
        return (c->plan.collective->excludes ? MPI_Exscan : MPI_Scan)(from, c->out, rows, c->type,
                                                                      c->operation, MPI_COMM_WORLD);
    default:
        return allreduce(c, from, c->out);
    }
}

void accordi_collective_call(const accordi_collective *c)
{
    char why[MPI_MAX_ERROR_STRING] = "", text[MPI_MAX_ERROR_STRING + 100];
    int code = call_once(c), length = 0;
    if (code == MPI_SUCCESS)
        return;
    MPI_Error_string(code, why, &length);
    snprintf(text, sizeof text, "the collective operation failed on rank %d: %.*s", c->rank, length,
             why);
    accordi_end_ranks(text);
}

/* ---- from beginning to end ---- */

bool accordi_collective_open(accordi_collective *c, const char *format)
{
    c->format = ACCORD_F32;
    accord_format_by_name(format, &c->format);
    c->bytes = accordi_rank_bytes(c->format);
    c->type = c->bytes == 8 ? MPI_DOUBLE : c->bytes == 2 ? MPI_UINT16_T : MPI_FLOAT;
    c->operation = MPI_SUM;
    adding = c;
    if (c->bytes == 2 || c->plan.operation != ACCORDI_MPI_SUM)
        MPI_Op_create(add, c->plan.operation != ACCORDI_MPI_ORDERED, &c->operation);
    c->rows = accordi_mpi_rows(&c->plan, c->n);
    c->held = c->plan.collective->holders == ACCORDI_MPI_OWNER ? c->plan.length : c->rows;
    c->room = c->held < MOST_ROOM ? c->held + LEAST_ROOM : MOST_ROOM;
    c->in = accordi_calloc(c->rows + c->room, c->bytes); /* which is read, then, too */
    c->out = accordi_calloc(c->rows + c->room, c->bytes);
    return c->in && c->out;
}

void accordi_collective_close(accordi_collective *c)
{
    free(c->in);
    free(c->out);
}
