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
    bool sought; /* numbers of a range: those between which the answer changes are added */
} cli_axis;

typedef struct cli_sweep_plan {
    const cli_args *args;
    char *target; /* with the settings that all have */
    cli_axis axis[CLI_MOST_AXES];
    size_t axes, settings; /* a sought axis is the last one */
    size_t *index, room;   /* of the value of each axis in each setting, setting by setting */
    bool cut;              /* the search ended before every change was found to the number */
    cli_survey survey;
    accord_survey_verdict verdict; /* when all have been asked */
} cli_sweep_plan;

/* ---- sweep_axes.c ---- */

/* From the command line, with the number of settings; false after an error was printed. The caller
 * frees names and values. */
bool cli_sweep_axes(cli_sweep_plan *s);
/* Adds a value to the axis and returns its index. */
size_t cli_sweep_add(cli_axis *a, const char *text, size_t length);
/* A number of a sought axis. */
size_t cli_sweep_number(const char *text, size_t length);
/* How many terms a count or a shape gives, a start value included; 0: neither is one. */
size_t cli_sweep_terms(const cli_sweep_plan *s, const char *count, const char *shape);

/* The value of an axis in a setting. */
const char *cli_sweep_value(const cli_sweep_plan *s, size_t setting, size_t which);
/* An axis of one value says nothing between settings, unless all are so. */
bool cli_sweep_varies(const cli_sweep_plan *s, size_t i);
/* "Haswell 4x4x32"; where only names tell what an empty value is, "no OPENBLAS_CORETYPE". */
void cli_sweep_put(accordi_buffer *out, const cli_sweep_plan *s, size_t setting);

/* ---- sweep_ask.c ---- */

/* Asks under the setting whose indices follow those of the settings asked before; puts the answer
 * at `place` among them. */
int cli_sweep_ask(cli_sweep_plan *s, const size_t *index, size_t place);

/* ---- sweep_range.c ---- */

/* Asks between neighbors with different answers until the changes are known to the number. CLI_YES,
 * or the exit status after an error. */
int cli_sweep_seek(cli_sweep_plan *s);
/* What changes where, and for which values of a setting the others change nothing. */
void cli_sweep_put_changes(accordi_buffer *out, const cli_sweep_plan *s);
void cli_sweep_put_constant(accordi_buffer *out, const cli_sweep_plan *s);
struct json_t *cli_sweep_intervals_json(const cli_sweep_plan *s);

/* ---- sweep_write.c ---- */

/* Writes the answer in the form asked for and returns the exit status. */
int cli_sweep_write(const cli_sweep_plan *s);

#endif
