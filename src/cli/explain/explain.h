/* Shared by the files of accord explain. */
#ifndef ACCORD_CLI_EXPLAIN_H
#define ACCORD_CLI_EXPLAIN_H

#include "cli/command/cli.h"

void cli_explain_report(accordi_buffer *out, const accord_explanation *in);
void cli_explain_json(accordi_buffer *out, const accord_explanation *in);

#endif
