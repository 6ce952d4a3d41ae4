/* The datatype of an accumulator and the operation that adds two, for users of MPI itself. */
#include "mpi/message.h"

/* How many accumulators: `length` elements of a type that may be made of several. */
static size_t elements(int length, MPI_Datatype type, size_t size)
{
    int bytes = 0;
    if (MPI_Type_size(type, &bytes) != MPI_SUCCESS || bytes < (int)size)
        bytes = (int)size;
    return (size_t)length * ((size_t)bytes / size);
}

#define OPERATION(name_, type_, add_)                                                              \
    static void name_(void *in, void *inout, int *length, MPI_Datatype *type)                      \
    {                                                                                              \
        const type_ *from = in;                                                                    \
        type_ *to = inout;                                                                         \
        size_t n = elements(*length, *type, sizeof *to);                                           \
        for (size_t i = 0; i < n; i++)                                                             \
            if (add_(to + i, from + i, NULL) != ACCORD_OK)                                         \
                to[i].count[ACCORD_EXACT_NANS] = 1;                                                \
    }

OPERATION(add_small, accord_exact, accord_exact_add)
OPERATION(add_wide, accord_exact_wide, accord_exact_wide_add)

static enum accord_status make_type(int words, MPI_Datatype *out, accord_error *error)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    enum accord_status status = accordi_mpi_check(MPI_Type_contiguous(words, MPI_INT64_T, &type),
                                                  "MPI_Type_contiguous", error);
    if (status)
        return status;
    status = accordi_mpi_check(MPI_Type_commit(&type), "MPI_Type_commit", error);
    if (status)
        MPI_Type_free(&type);
    else
        *out = type;
    return status;
}

static enum accord_status make_operation(accord_mpi_exact *exact, const accordi_mpi_kind *kind,
                                         MPI_User_function *add, accord_error *error)
{
    accord_mpi_exact made = {MPI_DATATYPE_NULL, MPI_OP_NULL};
    if (!exact)
        return accordi_mpi_fail(
            error, ACCORD_ARG,
            "the handles need a struct to be stored in; pass one that is not NULL");
    enum accord_status status = accordi_mpi_running(error);
    if (!status)
        status = make_type(kind->words, &made.type, error);
    if (status)
        return status;
    status = accordi_mpi_check(MPI_Op_create(add, 1, &made.add), "MPI_Op_create", error);
    if (status)
        MPI_Type_free(&made.type);
    else
        *exact = made;
    return status;
}

enum accord_status accord_mpi_exact_init(accord_mpi_exact *exact, accord_error *error)
{
    return make_operation(exact, &accordi_mpi_small, add_small, error);
}

enum accord_status accord_mpi_exact_wide_init(accord_mpi_exact *exact, accord_error *error)
{
    return make_operation(exact, &accordi_mpi_wide, add_wide, error);
}

void accord_mpi_exact_clear(accord_mpi_exact *exact)
{
    if (!exact)
        return;
    bool running = !accordi_mpi_running(NULL);
    if (running && exact->type != MPI_DATATYPE_NULL)
        MPI_Type_free(&exact->type);
    if (running && exact->add != MPI_OP_NULL)
        MPI_Op_free(&exact->add);
    *exact = (accord_mpi_exact){MPI_DATATYPE_NULL, MPI_OP_NULL};
}
