/* Shared by the files of accord diff: the two models, and how they differ. */
#ifndef ACCORD_CLI_DIFF_H
#define ACCORD_CLI_DIFF_H

#include "cli/command/cli.h"

typedef struct cli_difference {
    cli_order *a, *b;
    accord_comparison why;
    bool same, open, same_order;              /* open: it cannot be told */
    char arithmetic[ACCORD_DESCRIPTION_SIZE]; /* how equal orders compute differently; "" if they do
                                                 not */
    bool swapped, has_node;                   /* where the orders part */
    accord_tree_difference node;
    bool has_witness;
    int64_t input; /* the witness is this one of the inputs of answers; -1: it is none of them */
    enum accord_format format;    /* of the witness */
    accord_witness_input witness; /* and what the models, or the recorded answers, give for it */
    bool asked[2];                /* a target that is at hand was asked the witness … */
    double result[2];             /* … and gave this */
    accord_error error;           /* why there is no witness */
    bool by_counts;               /* both have orders, of different counts */
    accord_common counts;
} cli_difference;

/* Compares a and b. CLI_YES, or the exit status after an error was printed. */
int cli_diff_compare(cli_difference *in);
void cli_diff_clear(cli_difference *in); /* not the orders */

void cli_diff_report(accordi_buffer *out, const cli_difference *in);
void cli_diff_json(accordi_buffer *out, const cli_difference *in);
struct json_t *cli_diff_document(const cli_difference *in);

#endif
