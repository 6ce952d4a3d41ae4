/* Shared by the files of accord sweep --program: builds and the groups of those that write the same
 * numbers. */
#ifndef ACCORD_CLI_PROGRAM_SWEEP_H
#define ACCORD_CLI_PROGRAM_SWEEP_H

#include "cli/bounds/program.h"

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

/* The program with the bounds of one model. */
typedef struct cli_program_model {
    const char *name;
    bool ran;      /* else: */
    char why[400]; /* why there are no bounds */
    cli_raw raw;
} cli_program_model;

/* The numbers of one build in comparison with the bounds of its model. */
typedef struct cli_containment {
    size_t model;
    bool compared; /* else: */
    char why[400]; /* why not */
    size_t inside, outside, infinite, unknown;
    size_t later; /* outside, but after an unstable decision, or with memory that was not set */
    size_t first; /* the first output outside that is no later one, else the first later one */
    double value; /* of it */
} cli_containment;

typedef struct cli_program_sweep {
    const cli_args *args;
    cli_scratch scratch;
    cli_builds builds;
    int *group_of; /* of each build; CLI_NO_GROUP: it was left out or failed */
    cli_program_group *group;
    size_t groups, room;
    size_t compiled, failed; /* failed: compiled, but the run crashed or took too long */
    bool varies;             /* the first build wrote other numbers when it ran again */
    cli_program_model *model;
    size_t models;
    cli_containment *containment; /* of each build; NULL: nothing was compared */
} cli_program_sweep;

/* ---- program_groups.c ---- */

/* Puts every build that ran into its group. CLI_YES, or the exit status after an error. */
int cli_program_groups(cli_program_sweep *s);
bool cli_written_same(const cli_written_numbers *a, const cli_written_numbers *b);

/* ---- program_models.c ---- */

/* Runs the program with the bounds of each model that a build in a group names. CLI_YES, or
 * CLI_FAILED when a signal ended it. */
int cli_program_models(cli_program_sweep *s, cli_bar *bar);
void cli_program_models_clear(cli_program_sweep *s);

/* ---- program_contain.c ---- */

/* Compares the numbers of every build in a group with the bounds of its model. */
int cli_program_contain(cli_program_sweep *s);
/* How many numbers of all builds are outside bounds that hold for every path. */
size_t cli_program_outside(const cli_program_sweep *s);

/* ---- program_contain_write.c ---- */

/* The models, and the numbers outside of them. */
void cli_put_containment(accordi_buffer *out, const cli_program_sweep *s);
/* The cell of a build in a table: how many numbers are outside, "-" if it was not compared. */
void cli_put_outside(cli_table *table, const cli_program_sweep *s, size_t build);
struct json_t *cli_json_models(const cli_program_sweep *s);
struct json_t *cli_json_containment(const cli_program_sweep *s, size_t build);

/* ---- program_write.c ---- */

/* The exit status that the builds give. */
int cli_program_verdict(const cli_program_sweep *s);
/* Writes the answer in the form asked for and returns the exit status. */
int cli_program_write(const cli_program_sweep *s);

/* ---- program_sweep.c ---- */

int cli_run_program_sweep(const cli_args *args);

#endif
