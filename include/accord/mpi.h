/* Exact sums and dot products over the ranks of an MPI communicator: the same bits on any number of
 * ranks and for any split of the data.
 *
 * The ABIs of MPI libraries differ, so there is a library for each: link libaccord_openmpi or
 * libaccord_mpich in addition to libaccord (pkg-config accord-openmpi, accord-mpich). This header
 * is the same for both, needs <mpi.h>, and is not included by accord/accord.h. For costs see
 * doc/mpi.md.
 *
 * The method: canonical accumulators are added word by word as integers (accord/exact.h). So one
 * MPI_Allreduce with MPI_SUM carries any number of sums, and the integers are the same whatever
 * order the MPI adds them in. Source: Collange, Defour, Graillat, Iakymchuk, Numerical
 * reproducibility for the parallel reduction on multi- and many-core architectures, Parallel
 * Computing 49, 2015, section 3, level 4.
 *
 * Common to all functions with a communicator. They are collective: every rank calls them, in the
 * same order, with the same number of sums and the same root. A message has at most INT_MAX words;
 * more sums take several messages. Special values, and sums of no terms, follow accord/exact.h,
 * applied to the terms of all ranks together; a rank may have no terms. The caller's rounding mode
 * and flush-to-zero flags do not affect the results and are not changed.
 *
 * Status, which may differ between ranks:
 *   - ACCORD_ARG: MPI is not running, the communicator is null or an intercommunicator, or the root
 *     is not a rank. The rank then does not take part. Any other wrong argument on one rank gives
 *     ACCORD_ARG on all ranks (in a reduction to a root: on that rank and on the root), and no rank
 *     is left waiting.
 *   - ACCORD_NOMEM: this rank has no memory for the message and does not take part. This cannot
 *     happen for up to 4 sums.
 *   - ACCORD_UNSUPPORTED: there are more than 2^30 ranks.
 *   - Errors of MPI give ACCORD_NOMEM, ACCORD_ARG or ACCORD_IO, depending on their class, with
 *     MPI's text. This requires MPI_ERRORS_RETURN on the communicator (in functions without one, on
 *     MPI_COMM_WORLD); otherwise MPI ends the program.
 * Output is written only with ACCORD_OK. `options` and `error` may be NULL.
 *
 * These functions are thread-safe under MPI_THREAD_MULTIPLE, with MPI's restriction that a
 * communicator serves one collective call at a time. */
#ifndef ACCORD_MPI_H
#define ACCORD_MPI_H

#include <accord/exact_blas.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Replaces each of the `count` sums by its total over all ranks, in canonical form, with the same
 * bytes on every rank. All sums share one message. ACCORD_ARG also if a sum of a rank or a total
 * leaves [-2^1164, 2^1164) (wide: [-2^2202, 2^2202)), if a total has more than 2^62 terms, or if a
 * sum of a rank has more than 2^62 / ranks. */
ACCORD_API enum accord_status accord_mpi_exact_allreduce(accord_exact *sums, size_t count,
                                                         MPI_Comm comm, accord_error *error);
ACCORD_API enum accord_status accord_mpi_exact_wide_allreduce(accord_exact_wide *sums, size_t count,
                                                              MPI_Comm comm, accord_error *error);

/* The same, but only rank `root` gets the totals; the sums of other ranks are unchanged. */
ACCORD_API enum accord_status accord_mpi_exact_reduce(accord_exact *sums, size_t count, int root,
                                                      MPI_Comm comm, accord_error *error);
ACCORD_API enum accord_status accord_mpi_exact_wide_reduce(accord_exact_wide *sums, size_t count,
                                                           int root, MPI_Comm comm,
                                                           accord_error *error);

/* *out = the correctly rounded sum of the x[i * stride], i < n, of all ranks; n may differ between
 * ranks and may be 0. Arrays and `options` are as in accord/exact_blas.h: each rank adds its own
 * terms on as many threads as they say, by default on one; MPI is called on the calling thread
 * alone. */
ACCORD_API enum accord_status accord_mpi_sum_f64(size_t n, const double *x, ptrdiff_t stride,
                                                 const accord_exact_options *options, MPI_Comm comm,
                                                 double *out, accord_error *error);
ACCORD_API enum accord_status accord_mpi_sum_f32(size_t n, const float *x, ptrdiff_t stride,
                                                 const accord_exact_options *options, MPI_Comm comm,
                                                 float *out, accord_error *error);

/* *out = the correctly rounded sum of the exact products x[i * stride_x] * y[i * stride_y], i < n,
 * of all ranks. */
ACCORD_API enum accord_status accord_mpi_dot_f64(size_t n, const double *x, ptrdiff_t stride_x,
                                                 const double *y, ptrdiff_t stride_y,
                                                 const accord_exact_options *options, MPI_Comm comm,
                                                 double *out, accord_error *error);
ACCORD_API enum accord_status accord_mpi_dot_f32(size_t n, const float *x, ptrdiff_t stride_x,
                                                 const float *y, ptrdiff_t stride_y,
                                                 const accord_exact_options *options, MPI_Comm comm,
                                                 float *out, accord_error *error);

/* Many sums in one message: out[s] = the sum of the x[s * step + i * stride], i < n, of all ranks,
 * for s < sums. Each sum could be a field of a simulation, with the fields `step` elements apart.
 */
ACCORD_API enum accord_status accord_mpi_many_sums_f64(size_t sums, ptrdiff_t step, size_t n,
                                                       const double *x, ptrdiff_t stride,
                                                       const accord_exact_options *options,
                                                       MPI_Comm comm, double *out,
                                                       accord_error *error);
ACCORD_API enum accord_status accord_mpi_many_sums_f32(size_t sums, ptrdiff_t step, size_t n,
                                                       const float *x, ptrdiff_t stride,
                                                       const accord_exact_options *options,
                                                       MPI_Comm comm, float *out,
                                                       accord_error *error);

/* Many dot products in one message: out[s] = the sum of the products
 * x[s * step_x + i * stride_x] * y[s * step_y + i * stride_y]; with step_y = 0 all dot products
 * use the same y, such as weights. */
ACCORD_API enum accord_status
accord_mpi_many_dots_f64(size_t dots, size_t n, const double *x, ptrdiff_t step_x,
                         ptrdiff_t stride_x, const double *y, ptrdiff_t step_y, ptrdiff_t stride_y,
                         const accord_exact_options *options, MPI_Comm comm, double *out,
                         accord_error *error);
ACCORD_API enum accord_status
accord_mpi_many_dots_f32(size_t dots, size_t n, const float *x, ptrdiff_t step_x,
                         ptrdiff_t stride_x, const float *y, ptrdiff_t step_y, ptrdiff_t stride_y,
                         const accord_exact_options *options, MPI_Comm comm, float *out,
                         accord_error *error);

/* For use with MPI_Reduce, MPI_Scan and the like, and with messages and files: a committed datatype
 * of one accumulator, and the commutative operation that adds accumulators exactly. The operation
 * takes elements of that type, or of contiguous types made of it. Accumulators need not be
 * canonical. Results of additions are; one that MPI passes on without an addition (with one rank,
 * or as the first of a scan) is unchanged. Since operations return no status, a sum beyond the
 * limits of accord_exact_add becomes NaN; without scaling this does not happen in practice. Fixed
 * layout. */
typedef struct accord_mpi_exact {
    MPI_Datatype type;
    MPI_Op add;
} accord_mpi_exact;

/* Makes both for accord_exact, or for accord_exact_wide; they serve any number of calls. Not
 * collective. */
ACCORD_API enum accord_status accord_mpi_exact_init(accord_mpi_exact *exact, accord_error *error);
ACCORD_API enum accord_status accord_mpi_exact_wide_init(accord_mpi_exact *exact,
                                                         accord_error *error);
/* Frees both; once MPI has been finalized there is nothing to free. *exact then holds MPI's null
 * handles and may be cleared again. NULL is allowed. */
ACCORD_API void accord_mpi_exact_clear(accord_mpi_exact *exact);

#ifdef __cplusplus
}
#endif
#endif
