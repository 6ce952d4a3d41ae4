/* Shared by the files of accord vary. */
#ifndef ACCORD_CLI_VARY_H
#define ACCORD_CLI_VARY_H

#include "cli/command/cli.h"

/* ---- target.c: one question, many times ---- */

int cli_vary_target(const cli_args *args);

/* ---- target_write.c ---- */

void cli_vary_report(accordi_buffer *out, const accord_variation *in);
void cli_vary_json(accordi_buffer *out, const accord_variation *in);
void cli_vary_csv(accordi_buffer *out, const accord_variation *in);

/* ---- target_plots.c, target_html.c ---- */

void cli_vary_svg(accordi_buffer *out, const accord_variation *in);
void cli_vary_html(accordi_buffer *out, const accord_variation *in);
/* A page with a title, a report as it is and pictures in SVG; clears both. */
void cli_vary_page(accordi_buffer *out, const char *title, accordi_buffer *report,
                   accordi_buffer *pictures);

#endif
