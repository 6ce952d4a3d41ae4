/* The errors of MPI as those of accord. */
#include "mpi/message.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    int class;
    enum accord_status status;
} statuses[] = {
    {MPI_ERR_NO_MEM, ACCORD_NOMEM}, {MPI_ERR_BUFFER, ACCORD_ARG}, {MPI_ERR_COUNT, ACCORD_ARG},
    {MPI_ERR_TYPE, ACCORD_ARG},     {MPI_ERR_COMM, ACCORD_ARG},   {MPI_ERR_ROOT, ACCORD_ARG},
    {MPI_ERR_OP, ACCORD_ARG},       {MPI_ERR_ARG, ACCORD_ARG},
};

enum accord_status accordi_mpi_fail(accord_error *error, enum accord_status status,
                                    const char *format, ...)
{
    if (!error)
        return status;
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    error->reason = ACCORD_REASON_NONE;
    if (vsnprintf(error->text, sizeof error->text, format, arguments) < 0)
        error->text[0] = '\0';
    va_end(arguments);
    for (char *c = error->text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    return status;
}

enum accord_status accordi_mpi_check(int code, const char *what, accord_error *error)
{
    if (code == MPI_SUCCESS)
        return ACCORD_OK;
    enum accord_status status = ACCORD_IO;
    int class = MPI_ERR_UNKNOWN, length;
    char text[MPI_MAX_ERROR_STRING] = "";
    MPI_Error_class(code, &class);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].class == class)
            status = statuses[i].status;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        strcpy(text, "an unknown error of MPI");
    return accordi_mpi_fail(error, status, "%s: %s", what, text);
}

enum accord_status accordi_mpi_running(accord_error *error)
{
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (begun && !ended)
        return ACCORD_OK;
    return accordi_mpi_fail(error, ACCORD_ARG,
                            begun ? "MPI has been finalized; ask for sums before MPI_Finalize"
                                  : "MPI is not running; call MPI_Init first");
}
