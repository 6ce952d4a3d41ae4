/* Shared by the files of accord sweep: axes, their settings, and what was found. */
#ifndef ACCORD_CLI_SWEEP_H
#define ACCORD_CLI_SWEEP_H

#include "cli/command/cli.h"

enum { CLI_MOST_AXES = 64, CLI_THREAD_VARIABLES = 4 };
extern const char *const cli_thread_variables[CLI_THREAD_VARIABLES];

typedef struct cli_axis {
    enum cli_option_id id;
    char *name; /* the head of its column */
    char **value;
    size_t values, room;
} cli_axis;

typedef struct cli_sweep_plan {
    const cli_args *args;
    cli_axis axis[CLI_MOST_AXES];
    size_t axes, settings;
    cli_survey survey;
    accord_survey_verdict verdict; /* when all have been asked */
} cli_sweep_plan;

/* ---- sweep_axes.c ---- */

/* From the command line, with the number of settings; false after an error was printed. The caller
 * frees names and values. */
bool cli_sweep_axes(cli_sweep_plan *s);
/* How many terms a count or a shape gives, a start value included; 0: neither is one. */
size_t cli_sweep_terms(const cli_sweep_plan *s, const char *count, const char *shape);

/* ---- sweep.c ---- */

/* The value of an axis in a setting. */
const char *cli_sweep_value(const cli_sweep_plan *s, size_t setting, size_t which);
/* An axis of one value says nothing between settings, unless all are so. */
bool cli_sweep_varies(const cli_sweep_plan *s, size_t i);
/* "Haswell 4x4x32"; where only names tell what an empty value is, "no OPENBLAS_CORETYPE". */
void cli_sweep_put(accordi_buffer *out, const cli_sweep_plan *s, size_t setting);

/* ---- sweep_write.c ---- */

/* Writes the answer in the form asked for and returns the exit status. */
int cli_sweep_write(const cli_sweep_plan *s);

#endif
