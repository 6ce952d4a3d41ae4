/* The table of kinds of targets: one row adds one. In this room a notation such as blas:sdot comes
 * in, and a target goes out that answers batches of probes. Read accord/target.h first. */
#include "targets/foreign/foreign.h"
#include "targets/processor/cpu.h"
#include "targets/program/command.h"
#include "targets/synthetic/synthetic.h"
#include "targets/target.h"

static enum accord_status open_synthetic(accord_target *target, const accordi_notation *notation,
                                         const accord_target_options *options, accord_error *error)
{
    return accordi_synthetic_open(target, notation->head, options, error);
}

const accordi_kind_row accordi_kind_rows[] = {
    {.kind = &accordi_synthetic_kind, .example = "synthetic:pairwise", .open = open_synthetic},
    {.kind = &accordi_so_kind,
     .separator = ':',
     .from_right = true,
     .tail_required = true,
     .example = "so:./libsum.so:sum",
     .open = accordi_so_open,
     .resize = accordi_so_resize,
     .elsewhere = accordi_foreign_elsewhere,
     .open_elsewhere = accordi_foreign_open_elsewhere},
    {.kind = &accordi_blas_kind,
     .separator = '@',
     .example = "blas:sdot@openblas",
     .open = accordi_blas_open,
     .resize = accordi_blas_resize,
     .elsewhere = accordi_foreign_elsewhere,
     .open_elsewhere = accordi_foreign_open_elsewhere},
    {.kind = &accordi_command_kind,
     .example = "command:python3 sum.py",
     .open = accordi_command_open,
     .elsewhere = accordi_command_elsewhere,
     .open_elsewhere = accordi_command_open_elsewhere},
    {.kind = &accordi_mpi_kind,
     .example = "mpi:allreduce",
     .open = accordi_mpi_open,
     .elsewhere = accordi_mpi_elsewhere},
    {.kind = &accordi_opencl_kind, .example = "opencl:sum.cl:sum", .open = accordi_opencl_open},
    {.kind = &accordi_python_kind,
     .example = "python:numpy.sum",
     .open = accordi_python_open,
     .resize = accordi_python_resize,
     .elsewhere = accordi_command_elsewhere,
     .open_elsewhere = accordi_command_open_elsewhere},
    {.kind = &accordi_cpu_kind, .example = "cpu:tdpbf16ps", .open = accordi_cpu_open},
};
const size_t accordi_kind_count = sizeof accordi_kind_rows / sizeof accordi_kind_rows[0];

const accord_target_kind *accord_target_kind_at(size_t i)
{
    return i < accordi_kind_count ? accordi_kind_rows[i].kind : NULL;
}
