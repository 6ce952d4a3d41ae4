/* Numbers of all ranks to correctly rounded results in one call: each rank fills accumulators of
 * its own, one message adds them, each rank rounds. */
#include "mpi/message.h"
#include <limits.h>

/* The options are checked by the core, in a call that adds nothing. */
static enum accord_status check_mpi_arguments(bool numbers, bool results,
                                              const accord_exact_options *options,
                                              accord_error *error)
{
    double nothing;
    if (!numbers || !results)
        return accordi_mpi_fail(error, ACCORD_ARG, "the array of %s is NULL; pass one",
                                results ? "numbers" : "results");
    return accord_sum_exact_f64(0, NULL, 1, options, &nothing, error);
}

/* The options may be of a shorter struct than this library knows. */
static enum accord_exact_rounding rounding_of(const accord_exact_options *options)
{
    return options && (!options->size || options->size > offsetof(accord_exact_options, rounding))
               ? options->rounding
               : ACCORD_EXACT_NEAREST_EVEN;
}

static enum accord_status combine(accordi_mpi_room *room, const accordi_mpi_kind *kind,
                                  size_t count, MPI_Comm comm, enum accord_status refused,
                                  accord_error *error)
{
    accordi_mpi_message message = {
        .kind = kind, .words = room->at.words, .count = count, .comm = comm, .most = INT_MAX};
    return accordi_mpi_combine(&message, refused, error);
}

#define SUMS(suffix_, number_)                                                                     \
    enum accord_status accord_mpi_many_sums_##suffix_(                                             \
        size_t sums, ptrdiff_t step, size_t n, const number_ *x, ptrdiff_t stride,                 \
        const accord_exact_options *options, MPI_Comm comm, number_ *out, accord_error *error)     \
    {                                                                                              \
        accordi_mpi_room room;                                                                     \
        enum accord_status status = accordi_mpi_room_init(&room, &accordi_mpi_small, sums, error); \
        if (status)                                                                                \
            return status;                                                                         \
        accord_exact *all = room.at.small;                                                         \
        status = check_mpi_arguments(x || !n || !sums, out || !sums, options, error);              \
        if (!status)                                                                               \
            status =                                                                               \
                accord_exact_add_many_##suffix_(all, sums, step, n, x, stride, options, error);    \
        status = combine(&room, &accordi_mpi_small, sums, comm, status, error);                    \
        for (size_t s = 0; s < sums && !status; s++)                                               \
            out[s] = accord_exact_##suffix_(all + s, rounding_of(options));                        \
        accordi_mpi_room_clear(&room);                                                             \
        return status;                                                                             \
    }                                                                                              \
    enum accord_status accord_mpi_sum_##suffix_(size_t n, const number_ *x, ptrdiff_t stride,      \
                                                const accord_exact_options *options,               \
                                                MPI_Comm comm, number_ *out, accord_error *error)  \
    {                                                                                              \
        return accord_mpi_many_sums_##suffix_(1, 0, n, x, stride, options, comm, out, error);      \
    }

/* The products of two f64 need wide accumulators: `exact_` is the prefix of their functions. */
#define DOTS(suffix_, number_, exact_, kind_, member_)                                             \
    enum accord_status accord_mpi_many_dots_##suffix_(                                             \
        size_t dots, size_t n, const number_ *x, ptrdiff_t step_x, ptrdiff_t stride_x,             \
        const number_ *y, ptrdiff_t step_y, ptrdiff_t stride_y,                                    \
        const accord_exact_options *options, MPI_Comm comm, number_ *out, accord_error *error)     \
    {                                                                                              \
        accordi_mpi_room room;                                                                     \
        enum accord_status status = accordi_mpi_room_init(&room, &kind_, dots, error);             \
        if (status)                                                                                \
            return status;                                                                         \
        exact_ *all = room.at.member_;                                                             \
        status = check_mpi_arguments((x && y) || !n || !dots, out || !dots, options, error);       \
        if (!status)                                                                               \
            status = exact_##_add_many_products_##suffix_(all, dots, n, x, step_x, stride_x, y,    \
                                                          step_y, stride_y, options, error);       \
        status = combine(&room, &kind_, dots, comm, status, error);                                \
        for (size_t s = 0; s < dots && !status; s++)                                               \
            out[s] = exact_##_##suffix_(all + s, rounding_of(options));                            \
        accordi_mpi_room_clear(&room);                                                             \
        return status;                                                                             \
    }                                                                                              \
    enum accord_status accord_mpi_dot_##suffix_(                                                   \
        size_t n, const number_ *x, ptrdiff_t stride_x, const number_ *y, ptrdiff_t stride_y,      \
        const accord_exact_options *options, MPI_Comm comm, number_ *out, accord_error *error)     \
    {                                                                                              \
        return accord_mpi_many_dots_##suffix_(1, n, x, 0, stride_x, y, 0, stride_y, options, comm, \
                                              out, error);                                         \
    }

SUMS(f64, double)
SUMS(f32, float)
DOTS(f64, double, accord_exact_wide, accordi_mpi_wide, wide)
DOTS(f32, float, accord_exact, accordi_mpi_small, small)
