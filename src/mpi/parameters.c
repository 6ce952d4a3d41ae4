/* Open MPI takes parameters from the environment. To a number that it does not know, such as that
 * of an algorithm that a later version has, it says so on standard error, and goes on with the
 * default: an order would be shown for a setting that was not in force. The interface for tools
 * (MPI 3.1, 14.3) tells what is. */
#include "mpi/parameters.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* The value in force of a parameter that is one of several numbers. */
static bool value_in_force(const char *name, int *value)
{
    int index, length = 0, about_length = 0, level, bind, scope, count;
    MPI_Datatype type;
    MPI_T_enum choices;
    MPI_T_cvar_handle handle;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_get_info(index, NULL, &length, &level, &type, &choices, NULL, &about_length,
                            &bind, &scope) != MPI_SUCCESS ||
        type != MPI_INT || choices == MPI_T_ENUM_NULL || bind != MPI_T_BIND_NO_OBJECT ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return false;
    bool good = count == 1 && MPI_T_cvar_read(handle, value) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
    return good;
}

static const char prefix[] = "OMPI_MCA_";

static bool is_parameter(const char *variable)
{
    return strncmp(variable, prefix, sizeof prefix - 1) == 0;
}

static bool is_refused(const char *variable, char *text, size_t size)
{
    char name[200], *end;
    int in_force;
    const char *equals = strchr(variable, '=');
    size_t from = sizeof prefix - 1, length = equals ? (size_t)(equals - variable) : 0;
    if (!is_parameter(variable) || length <= from || length - from >= sizeof name)
        return false;
    memcpy(name, variable + from, length - from);
    name[length - from] = '\0';
    long wanted = strtol(equals + 1, &end, 10);
    if (end == equals + 1 || *end || !value_in_force(name, &in_force) || in_force == wanted)
        return false;
    snprintf(text, size,
             "this Open MPI does not take %.100s=%ld, and has %d instead; ompi_info --all lists "
             "what there is",
             name, wanted, in_force);
    return true;
}

bool accordi_refused_parameter(char *text, size_t size)
{
    int provided;
    bool refused = false;
    char **variable = environ;
    while (*variable && !is_parameter(*variable))
        variable++;
    if (!*variable || MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return false;
    for (; *variable && !refused; variable++)
        refused = is_refused(*variable, text, size);
    MPI_T_finalize();
    return refused;
}
