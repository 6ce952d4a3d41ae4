/* Shared by the files of accord explain and accord tolerance. */
#ifndef ACCORD_CLI_EXPLAIN_H
#define ACCORD_CLI_EXPLAIN_H

#include "cli/numbers/numbers.h"

/* ---- given.c: inputs and results in files ---- */

typedef struct cli_given {
    cli_numbers x, y, start;
    cli_numbers results[2];       /* of operands that are no targets */
    size_t count;                 /* results in a file; 0: no operand is one */
    accord_explain_inputs inputs; /* without rows where there is no --inputs */
} cli_given;

/* Reads all files, of which *n is the number of terms in a row. CLI_YES, or the exit status after
 * an error was printed; clear it in any case. */
int cli_given_read(const cli_args *args, cli_given *given, size_t *n);
/* Makes a target of the results that operand i names. */
int cli_given_target(const cli_args *args, const cli_given *given, size_t i, size_t n,
                     accord_target **out);
void cli_given_clear(cli_given *given);

/* ---- matrices.c ---- */

/* If --shape, --inputs and --second are those of a GEMV or GEMM with several elements, and the
 * files of results hold a matrix, too, makes them the inputs; else changes nothing. */
bool cli_given_matrices(const cli_args *args, cli_given *given);
/* Takes --start for inputs that are complete otherwise. CLI_YES, or the exit status after an error
 * was printed. */
int cli_given_start(const cli_args *args, cli_given *given);

/* ---- explain_write.c ---- */

void cli_explain_report(accordi_buffer *out, const accord_explanation *in);
/* The report without its tables. */
void cli_explain_words(accordi_buffer *out, const accord_explanation *in);
void cli_explain_html(accordi_buffer *out, const accord_explanation *in);
void cli_explain_json(accordi_buffer *out, const accord_explanation *in);
void cli_tolerance_report(accordi_buffer *out, const accord_target *target,
                          const accord_tolerance_options *options, const accord_tolerance *found);
void cli_tolerance_json(accordi_buffer *out, const accord_target *target,
                        const accord_tolerance_options *options, const accord_tolerance *found);

#endif
