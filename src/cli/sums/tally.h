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
/* Adds a written decimal to *decimal and counts it; what has no digits (nan, inf) goes to *x, and
 * *special tells so. False after filling r->error. */
bool cli_add_decimal(cli_decimal *decimal, int64_t *decimals, cli_reader *r, const cli_entry *entry,
                     bool *special, double *x);
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

/* ---- sums by key (groups.c) ---- */

/* A hundred bytes or so for a key. The sum is compact, and in the memory of the table while it has
 * its first size. */
typedef struct cli_group_sum {
    struct accordi_compact *sum;
    struct cli_group_more *more; /* with --decimal or --naive; else NULL */
    int64_t zeros;               /* terms, which are not in the sum */
    uint32_t length;
    uint8_t plus, minus; /* zeros of these signs were met */
    char key[];          /* without zero bytes, but one behind it */
} cli_group_sum;

typedef struct cli_groups {
    struct cli_shard *shard; /* NULL: there are no groups */
    cli_group_sum **sorted;  /* all groups, once they are sorted */
    size_t count;
} cli_groups;

/* Adds the entry of the reader to the sum of its key; false after filling r->error. Several threads
 * may do that at the same time. The table must have been made, by the next function. */
bool cli_groups_entry(cli_groups *groups, const cli_addition *how, cli_reader *r,
                      const cli_entry *entry);
/* False: no memory. */
bool cli_groups_make(cli_groups *groups);
/* Adds the sum and the zeros of another group, whose key is this one. False: no memory. */
bool cli_groups_put(cli_groups *groups, const cli_addition *how, const char *key, size_t length,
                    const cli_group_sum *from);
/* Moves all sums of `others` here; *others is then cleared, in any case. */
enum accord_status cli_groups_merge(cli_groups *groups, cli_groups *others, const cli_addition *how,
                                    accord_error *error);
/* By the bytes of their keys; nothing can be added afterwards. False: no memory. */
bool cli_groups_sort(cli_groups *groups);
/* Counts of all groups, added to `count`. */
void cli_groups_count(const cli_groups *groups, int64_t count[ACCORD_EXACT_COUNTS]);
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
/* Of one of the sorted groups. */
bool cli_group_result(cli_group_sum *group, const cli_addition *how, cli_result *result);

/* The results of a command, made one by one as they are written: there may be millions. */
typedef struct cli_results {
    const cli_addition *how;
    const cli_result *one;              /* a result without a key; or NULL */
    const cli_groups *groups;           /* sorted */
    cli_output *to;                     /* where long texts go as they are made; or NULL */
    int64_t count[ACCORD_EXACT_COUNTS]; /* of all terms */
} cli_results;
/* Writes what has come together, if it is much. */
void cli_results_flow(const cli_results *results, accordi_buffer *out);
size_t cli_results_count(const cli_results *results);
/* As above. */
bool cli_results_get(const cli_results *results, size_t i, cli_result *result);
void cli_wide_result(const accord_exact_wide *sum, const cli_addition *how, double naive,
                     cli_result *result);

/* The report, JSON or table. `skipped`: empty fields, -1: nothing to tell. out->failed: no memory.
 */
void cli_put_results(accordi_buffer *out, const cli_args *args, const cli_results *results,
                     int64_t skipped);
void cli_put_results_json(accordi_buffer *out, const cli_args *args, const cli_results *results,
                          int64_t skipped);
/* Hexadecimal, or nan, inf, -inf. */
void cli_put_hex(accordi_buffer *out, double x);
/* Says on stderr what surprises: no terms at all, and terms that are not finite. */
void cli_remark(const cli_args *args, const cli_results *results);
extern const char *const cli_roundings[]; /* names, as in enum accord_exact_rounding; then NULL */

#endif
