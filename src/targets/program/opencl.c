/* The kind "opencl": kernels from source text, run by accord-opencl-worker in a process of its own,
 * which speaks the protocol of commands. */
#include "targets/foreign/remote.h"
#include "targets/program/command.h"
#include "targets/program/opencl_plan.h"
#include <errno.h>
#include <unistd.h>

const accord_target_kind accordi_opencl_kind = {
    .name = "opencl",
    .notation = "opencl:FILE.cl:KERNEL[,SETTING=VALUE...]",
    .about = "a kernel on an OpenCL device; see doc/opencl.md",
    .run = accordi_command_run,
    .describe = accordi_command_describe,
    .close = accordi_command_close,
};

/* With rows= or columns=. */
static const accord_target_kind grid_kind = {
    .name = "opencl",
    .notation = "opencl:FILE.cl:KERNEL,SETTING=VALUE...",
    .about = "a kernel with a grid of results; see doc/opencl.md",
    .run = accordi_command_run,
    .run_grid = accordi_command_run_grid,
    .describe = accordi_command_describe,
    .close = accordi_command_close,
};

static enum accord_status check_opencl_options(const accordi_opencl_plan *plan,
                                               const accord_target_options *options,
                                               accord_error *error)
{
    if (access(plan->file, R_OK) != 0)
        return accordi_fail(error, ACCORD_TARGET, "cannot read %.200s: %s", plan->file,
                            strerror(errno));
    if (options->has_format && options->format != ACCORD_F32 && options->format != ACCORD_F64)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "opencl: targets add f32 or f64, not %s; choose one with --format",
                            accord_format_get(options->format)->name);
    return ACCORD_OK;
}

enum accord_status accordi_opencl_open(accord_target *target, const accordi_notation *notation,
                                       const accord_target_options *options, accord_error *error)
{
    accordi_opencl_plan plan;
    char worker[4096];
    accordi_buffer command = {0};
    enum accord_status status = accordi_opencl_plan_read(notation->head, &plan, error);
    if (status == ACCORD_OK)
        status = check_opencl_options(&plan, options, error);
    if (status != ACCORD_OK)
        return status;
    if (!accordi_find_worker("accord-opencl-worker", "ACCORD_OPENCL_WORKER", worker, sizeof worker))
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "accord-opencl-worker was not found: install OpenCL's headers (Debian: "
                            "opencl-headers) and then build accord again (./run build, or pip "
                            "install .), or set ACCORD_OPENCL_WORKER to its path");
    accordi_buffer_puts(&command, "exec ");
    accordi_put_shell_word(&command, worker);
    accordi_buffer_puts(&command, " ");
    accordi_put_shell_word(&command, notation->head);
    const accordi_program program = {
        .kind = accordi_opencl_results(&plan) > 1 ? &grid_kind : &accordi_opencl_kind,
        .line = command.data,
        .path = plan.file,
        .hung = {"the device was not ready with the kernel yet, or the kernel does not end: see "
                 "whether all of its loops and barriers end, or raise --timeout",
                 "the kernel does not end, or it is slow here: see whether all of its loops and "
                 "barriers end, or raise --timeout"}};
    status = command.failed ? accordi_nomem(error)
                            : accordi_command_open_as(target, &program, options, error);
    accordi_buffer_clear(&command);
    return status;
}
