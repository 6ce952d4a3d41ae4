/* Shared by the files of accord sweep --program: builds and the groups of those that write the same
 * numbers. */
#ifndef ACCORD_CLI_PROGRAM_SWEEP_H
#define ACCORD_CLI_PROGRAM_SWEEP_H

#include "cli/programs/programs.h"

enum { CLI_NO_GROUP = -1 };

/* Builds that write the same numbers and exit with the same status. What differs is in comparison
 * with the first group. */
typedef struct cli_program_group {
    char letter[16];
    size_t members;
    cli_written_numbers numbers;
    int exit_status;
    size_t differ;         /* how many numbers differ; with other counts, of those that both have */
    size_t first;          /* the first of them */
    double largest;        /* the largest difference */
    double largest_scaled; /* the largest difference in relation to the number */
} cli_program_group;

typedef struct cli_program_sweep {
    const cli_args *args;
    cli_scratch scratch;
    cli_builds builds;
    int *group_of; /* of each build; CLI_NO_GROUP: it was left out or failed */
    cli_program_group *group;
    size_t groups, room;
    size_t compiled, failed; /* failed: compiled, but the run crashed or took too long */
    bool varies;             /* the first build wrote other numbers when it ran again */
} cli_program_sweep;

/* ---- program_groups.c ---- */

/* Puts every build that ran into its group. CLI_YES, or the exit status after an error. */
int cli_program_groups(cli_program_sweep *s);
bool cli_written_same(const cli_written_numbers *a, const cli_written_numbers *b);

/* ---- program_write.c ---- */

/* The exit status that the builds give. */
int cli_program_verdict(const cli_program_sweep *s);
/* Writes the answer in the form asked for and returns the exit status. */
int cli_program_write(const cli_program_sweep *s);

/* ---- program_sweep.c ---- */

int cli_run_program_sweep(const cli_args *args);

#endif
