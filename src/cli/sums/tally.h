/* What numbers are added to: one sum, or one for each key. */
#ifndef ACCORD_CLI_TALLY_H
#define ACCORD_CLI_TALLY_H

#include "cli/numbers/decimal.h"
#include "cli/numbers/numbers.h"

/* How numbers are added; the same for all sums of a command. */
typedef struct cli_addition {
    bool decimal;              /* written decimals as they are */
    bool naive;                /* also one after the other, rounding each time */
    enum accord_format format; /* of the result, and of the naive sum */
    enum accord_exact_rounding rounding;
} cli_addition;

/* All bytes zero is the sum of nothing. With `decimal` the sum holds what is not finite alone. */
typedef struct cli_tally {
    accord_exact sum;
    cli_decimal decimal;
    int64_t decimals; /* how many */
    double naive;
} cli_tally;

void cli_tally_block(cli_tally *tally, const cli_addition *how, const cli_block *block);
/* Adds the entry of the reader; false after filling r->error. */
bool cli_tally_entry(cli_tally *tally, const cli_addition *how, cli_reader *r,
                     const cli_entry *entry);
/* Adds the terms of another; naive sums are not merged. */
enum accord_status cli_tally_merge(cli_tally *tally, const cli_tally *other, accord_error *error);
void cli_tally_clear(cli_tally *tally);

/* x as a number of the format. */
double cli_naive_round(enum accord_format format, double x);
/* One more term of a naive sum: what s += (T)x gives, s being of the format T. */
double cli_naive_add(double naive, enum accord_format format, double x);

/* ---- sums by key ---- */

typedef struct cli_group_sum {
    char *key; /* without zero bytes */
    size_t length;
    cli_tally tally;
} cli_group_sum;

typedef struct cli_groups {
    cli_group_sum **group;
    size_t count, room;
    size_t *slot; /* places in group from 1, 0: free */
    size_t slots;
} cli_groups;

/* The sum of that key, made where there is none yet; NULL: no memory. */
cli_tally *cli_groups_at(cli_groups *groups, const char *key, size_t length);
enum accord_status cli_groups_merge(cli_groups *groups, const cli_groups *others,
                                    accord_error *error);
/* By the bytes of their keys; nothing can be added afterwards. */
void cli_groups_sort(cli_groups *groups);
void cli_groups_clear(cli_groups *groups);

/* ---- the answer ---- */

typedef struct cli_result {
    const char *key; /* NULL: one sum of all */
    enum accord_format format;
    int64_t count[ACCORD_EXACT_COUNTS];
    double value;
    bool exact;       /* nothing was rounded */
    char *decimal;    /* the exact sum; NULL without --decimal */
    bool naive;       /* what follows was asked for */
    bool error_known; /* all terms and the naive sum were finite */
    double naive_sum, error, relative, ulps;
} cli_result;

/* False: no memory. The caller frees result->decimal. */
bool cli_tally_result(cli_tally *tally, const cli_addition *how, cli_result *result);
void cli_wide_result(const accord_exact_wide *sum, const cli_addition *how, double naive,
                     cli_result *result);

/* The report, JSON or table of `count` results, which have keys or are one. `skipped`: empty
 * fields, -1: nothing to tell. */
void cli_put_results(accordi_buffer *out, const cli_args *args, const cli_addition *how,
                     const cli_result *result, size_t count, bool keys, int64_t skipped);
void cli_put_results_json(accordi_buffer *out, const cli_args *args, const cli_addition *how,
                          const cli_result *result, size_t count, bool keys, int64_t skipped);
/* Hexadecimal, or nan, inf, -inf. */
void cli_put_hex(accordi_buffer *out, double x);
/* Says on stderr what surprises: no terms at all, and terms that are not finite. */
void cli_remark(const cli_args *args, const cli_result *result, size_t count);
extern const char *const cli_roundings[]; /* names, as in enum accord_exact_rounding; then NULL */

#endif
