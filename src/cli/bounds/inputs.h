/* Inputs of a program: what --input gives, and what the run made of it. */
#ifndef ACCORD_CLI_INPUTS_H
#define ACCORD_CLI_INPUTS_H

#include "cli/programs/programs.h"

enum cli_input_kind { CLI_INPUT_LIST, CLI_INPUT_RANGE, CLI_INPUT_UNIFORM, CLI_INPUT_NORMAL };

/* For doubles, and for floats (not yet rounded to them). */
typedef struct cli_input_value {
    double wide, narrow;
} cli_input_value;

typedef struct cli_input {
    char *name;       /* "a[3]", "main:b", "ray.c:5:b" */
    const char *said; /* its value; borrowed */
    enum cli_input_kind kind;
    cli_input_value *value; /* of a list, for one number after the other */
    size_t values, room;
    cli_input_value low, high; /* of the others */
    double mean, deviation;
} cli_input;

typedef struct cli_inputs {
    cli_input *input;
    size_t count, room;
    uint64_t seed;
} cli_inputs;

/* Reads --input and --seed; false after an error was printed. To be cleared in any case. */
bool cli_inputs_read(const cli_args *args, cli_inputs *all);
void cli_inputs_clear(cli_inputs *all);
bool cli_input_is_range(const cli_input *in);
bool cli_inputs_have_range(const cli_inputs *all);
/* The options of accord-instrument. */
void cli_inputs_add_words(const cli_inputs *all, cli_words *words);
/* The file for the runtime; false after an error was printed. */
bool cli_inputs_write(const cli_inputs *all, const char *path);

/* An input in a run. */
typedef struct cli_set_input {
    unsigned site;               /* where it was set last */
    unsigned long long set, own; /* how many numbers, and how many of them are the program's own */
    unsigned long long renewed;  /* how many the program assigned anew before it read them */
    unsigned renewed_at;         /* the site of the first one */
    bool single, integer;
    double *value; /* of the first ones */
    size_t values, room;
} cli_set_input;

#endif
