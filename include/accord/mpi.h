/* Exact sums and dot products over the ranks of an MPI communicator: the same bits on any number of
 * ranks and for any split of the data.
 *
 * In libraries of their own, one for each MPI, whose ABIs differ: link libaccord_openmpi or
 * libaccord_mpich beside libaccord (pkg-config accord-openmpi, accord-mpich). This header is the
 * same for both, needs <mpi.h>, and is no part of accord/accord.h. Costs: doc/mpi.md.
 *
 * How: canonical accumulators are added word by word as integers (accord/exact.h), so that one
 * MPI_Allreduce with MPI_SUM carries any number of sums, and whatever tree the MPI adds along, the
 * integers are the same. Source: Collange, Defour, Graillat, Iakymchuk, Numerical reproducibility
 * for the parallel reduction on multi- and many-core architectures, Parallel Computing 49, 2015,
 * section 3, level 4.
 *
 * Common to all functions with a communicator. They are collective: every rank calls them, in the
 * same order, with the same number of sums and the same root; a message takes at most INT_MAX
 * words, and more sums take several. Special values, an empty part, a sum of nothing: as in
 * accord/exact.h, of the terms of all ranks together. The caller's rounding mode and flush-to-zero
 * flags neither matter nor change.
 *
 * Status, by rank. ACCORD_ARG: MPI is not running, no communicator or one between two groups, a
 * root that is no rank; the rank does not take part then. Any other argument that is wrong on one
 * rank is ACCORD_ARG on all of them (of a reduction to a root: on that rank and the root), and no
 * rank is left waiting. ACCORD_NOMEM: this rank has no memory for the message, and does not take
 * part; never so for up to 4 sums. ACCORD_UNSUPPORTED: more than 2^30 ranks. Errors of MPI return
 * only where the communicator (outside of calls with one, MPI_COMM_WORLD) has MPI_ERRORS_RETURN,
 * otherwise MPI ends the program: ACCORD_NOMEM, ACCORD_ARG or ACCORD_IO by their class, with MPI's
 * text. Nothing is written but with ACCORD_OK. `options` and `error` may be NULL.
 *
 * Thread-safe where MPI is: under MPI_THREAD_MULTIPLE, as MPI says, one collective call at a time
 * on a communicator. */
#ifndef ACCORD_MPI_H
#define ACCORD_MPI_H

#include <accord/exact_blas.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each of the `count` sums becomes the sum of that sum over all ranks, in canonical form, the same
 * bytes everywhere; in one message. ACCORD_ARG also for a sum, before or after, that leaves
 * [-2^1164, 2^1164) (wide: 2^2202), and one of more than 2^62 terms, or on one rank more than
 * 2^62 / ranks. */
ACCORD_API enum accord_status accord_mpi_exact_allreduce(accord_exact *sums, size_t count,
                                                         MPI_Comm comm, accord_error *error);
ACCORD_API enum accord_status accord_mpi_exact_wide_allreduce(accord_exact_wide *sums, size_t count,
                                                              MPI_Comm comm, accord_error *error);

/* The same on rank `root` alone; the sums of other ranks stay as they are. */
ACCORD_API enum accord_status accord_mpi_exact_reduce(accord_exact *sums, size_t count, int root,
                                                      MPI_Comm comm, accord_error *error);
ACCORD_API enum accord_status accord_mpi_exact_wide_reduce(accord_exact_wide *sums, size_t count,
                                                           int root, MPI_Comm comm,
                                                           accord_error *error);

/* *out = the correctly rounded sum of the x[i * stride], i < n, of all ranks; n may differ between
 * ranks, and be 0. Arrays and `options` are those of accord/exact_blas.h; each rank adds its own
 * terms on the calling thread, by the method ACCORD_EXACT_AUTO, whatever the options say. */
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
 * for s < sums: the fields of a model, each `step` elements after the one before. */
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
 * x[s * step_x + i * stride_x] * y[s * step_y + i * stride_y]; with step_y = 0 all fields have the
 * same weights y. */
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

/* For MPI_Reduce, MPI_Scan and their like, messages and files: a committed datatype of one
 * accumulator, and the commutative operation that adds them, exactly, for elements of that type or
 * of contiguous types made of it. The accumulators need not be canonical; those that were added
 * are, those that MPI hands on alone (one rank, the first of a scan) are as they were. A sum past
 * the limits of accord_exact_add, which without scaling there is not, becomes NaN: operations
 * return no status. */
typedef struct accord_mpi_exact {
    MPI_Datatype type;
    MPI_Op add;
} accord_mpi_exact;

/* For accord_exact, or accord_exact_wide, in any number of calls. Not collective. */
ACCORD_API enum accord_status accord_mpi_exact_init(accord_mpi_exact *exact, accord_error *error);
ACCORD_API enum accord_status accord_mpi_exact_wide_init(accord_mpi_exact *exact,
                                                         accord_error *error);
/* Gives both back, or does nothing once MPI has been finalized; *exact holds MPI's null handles
 * then, and may be cleared again. NULL is allowed. */
ACCORD_API void accord_mpi_exact_clear(accord_mpi_exact *exact);

#ifdef __cplusplus
}
#endif
#endif
