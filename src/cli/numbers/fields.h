/* Fields of tables: between white space, or between separators and maybe in quotes. */
#ifndef ACCORD_CLI_FIELDS_H
#define ACCORD_CLI_FIELDS_H

#include "cli/numbers/reader.h"

typedef struct cli_field {
    char *at; /* in the window */
    size_t length;
    bool quoted, doubled; /* doubled: holds "" for " */
    bool last;            /* of the line */
} cli_field;

/* Cuts the field at *at and leaves *at on the next one, or on the next line. CLI_CUT_SHORT: its end
 * is not in the window, more is to be read; CLI_CUT_FAILED: r->error says why. */
enum cli_cut { CLI_CUT, CLI_CUT_SHORT, CLI_CUT_FAILED };
enum cli_cut cli_cut_field(cli_reader *r, char **at, cli_field *f);

/* Leaves white space on both sides out. */
void cli_trim(cli_field *f);
/* The text of a field: unquoted ones without white space around them, "" in quoted ones as ".
 * Valid as long as the window, and until the next one. False with r->error for zero bytes. */
bool cli_field_text(cli_reader *r, cli_field *f, const char **text, size_t *length);

/* White space within a line. */
bool cli_is_blank(char c);

#endif
