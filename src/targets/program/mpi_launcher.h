/* The program that starts ranks, and the MPI library that stands beside it. Internal. */
#ifndef ACCORDI_MPI_LAUNCHER_H
#define ACCORDI_MPI_LAUNCHER_H

#include "base/base.h"

/* MPIs that share an ABI, so that one worker runs with all of them. */
typedef struct accordi_mpi_family {
    const char *name, *title, *debian;
    const char *worker, *variable; /* the variable may name another */
    const char *launchers[2];
    const char *library; /* the name that its makers give it */
    const char *before;  /* what the shell does before it starts the launcher */
} accordi_mpi_family;

enum { ACCORDI_MPI_FAMILIES = 2 };
extern const accordi_mpi_family accordi_mpi_families[ACCORDI_MPI_FAMILIES];

typedef struct accordi_mpi_launcher {
    const char *command;              /* as a shell reads it, before -n; borrowed */
    const accordi_mpi_family *family; /* NULL: a program that is not known, run as it is */
    const char *flags[2];             /* those it cannot do without, and those without -n's cores */
    char version[64];                 /* "Open MPI 5.0.11" */
    char folder[4096];                /* where the program is */
    char library[4096]; /* what the ranks load; "": what their worker was built with */
    char links[64];     /* a folder with the library's other names; "": none */
    int lock;           /* of that folder, which is nobody's without it */
} accordi_mpi_launcher;

/* Asks `command` what it is, if its first word names a program called mpirun or mpiexec. Where it
 * is not installed with the system, the library is looked for beside it, and a folder of links is
 * made: accordi_mpi_launcher_clear removes it, which may be done once the ranks answer. */
enum accord_status accordi_mpi_launcher_open(const char *command, accordi_mpi_launcher *out,
                                             accord_error *error);
void accordi_mpi_launcher_clear(accordi_mpi_launcher *launcher);
/* The same without a library: what is it? */
enum accord_status accordi_mpi_launcher_ask(const char *command, accordi_mpi_launcher *out,
                                            accord_error *error);
/* "exec mpirun FLAGS -n 4 env LD_PRELOAD=… ", for a shell; the program of the ranks follows. */
void accordi_mpi_launcher_put(accordi_buffer *line, const accordi_mpi_launcher *launcher,
                              size_t ranks);

/* The folder of links, and its end. What processes that were killed have left is removed before. */
enum accord_status accordi_mpi_links_make(accordi_mpi_launcher *launcher, accord_error *error);
void accordi_mpi_links_remove(accordi_mpi_launcher *launcher);

#endif
