/* The command `accord`: messages, output, orders and surveys; verbs and options are in options.h.
 * Only src/cli uses what is declared here; its names begin with cli_ because no library ever sees
 * them. */
#ifndef ACCORD_CLI_H
#define ACCORD_CLI_H

#include "base/base.h"
#include "cli/command/options.h"
#include <accord/accord.h>
#include <signal.h>

enum cli_exit {
    CLI_YES = 0,
    CLI_DIFFERS = 1, /* differs or refuted */
    CLI_USAGE = 2,   /* usage, a bad file, an output that cannot be written */
    CLI_UNABLE = 3,  /* the question has no answer, or not on this machine */
    CLI_FAILED = 4   /* the target failed or is missing */
};

enum { CLI_SCHEMA = 1 }; /* member "accord" of all JSON that the command itself writes */

/* ---- talk.c: stderr, colors, progress, signals ---- */

void cli_error(const char *format, ...) ACCORDI_PRINTF(1, 2);
/* Did the last cli_error say that a notation is wrong? */
bool cli_misread(void);
/* Print an error, for functions that then return false, or CLI_USAGE. */
#define cli_refuse(...) (cli_error(__VA_ARGS__), false)
#define cli_misuse(...) (cli_error(__VA_ARGS__), CLI_USAGE)
/* Memory that was just asked for; where there is none (NULL) the command ends with CLI_UNABLE. */
void *cli_need(void *memory);
/* accordi_grow, on the same terms. */
void cli_grow(void **array, size_t *capacity, size_t needed, size_t size);
int cli_exit_of(enum accord_status status);
/* Prints the error (unless a signal caused it) and returns the exit status for it. */
int cli_fail(const accord_error *error);

void cli_catch_signals(void);
/* The signal that asked for an end, 0 for none. */
int cli_signal(void);
/* While it is on, a signal ends nothing by itself: cli_signal tells of it, and the caller ends what
 * it started. cli_signal_sent: it was sent to this process alone, not by a terminal to all. */
void cli_signals_wait(bool on);
bool cli_signal_sent(void);
/* From now on a mapped file that another program cuts short ends the command with an error. */
void cli_catch_bus(void);
/* A file that even a hasty end must remove; NULL: none. */
void cli_unlink_on_signal(const char *path);

void cli_write_options(const cli_args *args, accord_write_options *options, bool terminal);

typedef struct cli_bar {
    const char *title;
    double start, last, counted_from, called;
    uint64_t counted, done; /* steps when the count began, and at the last call */
    bool terminal, shown, counting;
    char left[40];
} cli_bar;
void cli_bar_start(cli_bar *bar, const char *title, bool quiet);
bool cli_bar_step(void *bar, const char *stage, uint64_t done, uint64_t total);
void cli_bar_end(cli_bar *bar);

/* ---- output.c: standard output, or a file that appears whole or not at all ---- */

typedef struct cli_output {
    FILE *stream;
    char *path;         /* NULL: standard output */
    char *temporary;    /* NULL: the stream is written in place (a device, a pipe) */
    int failure;        /* errno of the first write that failed */
    const char *option; /* that gave the path */
} cli_output;

bool cli_output_open(cli_output *out, const char *path); /* path NULL: standard output */
/* The same where the path was given by another option than -o. */
bool cli_output_open_of(cli_output *out, const char *option, const char *path);
bool cli_output_write(void *out, const char *text, size_t length); /* an accord_sink */
bool cli_output_terminal(const cli_output *out);
/* Whether a document of this form holds one order alone. */
bool cli_shows_one(const accord_writer *writer);
/* CLI_YES, also where the output failed, which its end tells; else the exit status after an error
 * was printed. */
int cli_output_record(const cli_args *args, cli_output *out, const accord_writer *writer,
                      const accord_record *record);
/* Ends it well: CLI_YES, or the exit status after an error was printed (141 for a closed pipe). */
int cli_output_commit(cli_output *out);
void cli_output_discard(cli_output *out);
/* Can the file that an option gives (NULL: none) be written? To be asked before long work. CLI_YES,
 * or CLI_USAGE after an error was printed. */
int cli_output_try(const char *option, const char *path);
/* Writes the bytes to the file that an option gives, whole or not at all, and clears them. */
int cli_output_buffer(const char *option, const char *path, accordi_buffer *bytes);
/* The same to the output that args ask for. */
int cli_output_text(const cli_args *args, accordi_buffer *text);

struct json_t;
/* ---- sarif.c: findings in SARIF 2.1.0 (OASIS) ---- */

/* A URI reference for a path. */
struct json_t *cli_sarif_uri(const char *path);
/* A message; in messages a brace begins a placeholder, and two stand for one (3.11.5). */
struct json_t *cli_sarif_message(const char *text);
/* A rule, for the list of them. */
struct json_t *cli_sarif_rule(const char *id, const char *level, const char *text);
/* Appends a document with these rules and results, which are released. */
void cli_put_sarif(accordi_buffer *out, struct json_t *rules, struct json_t *results);

/* Appends the text of a document, which is released (NULL: memory ran out). */
void cli_put_json(accordi_buffer *out, struct json_t *all);
/* The same without the end of the line. */
void cli_put_json_value(accordi_buffer *out, struct json_t *value);
/* A string of what the user wrote or a library said, which may be no UTF-8. */
struct json_t *cli_json_text(const char *text);
struct json_t *cli_json_texts(const char *const *text, size_t count);
/* The hexadecimal form of C, as a string; "nan" whatever its sign. */
struct json_t *cli_json_hexadecimal(double x);

/* The form that --output and --json ask for, "report" without them; and its writer. */
const char *cli_output_form(const cli_args *args);
const accord_writer *cli_writer(const cli_args *args);
bool cli_wants_json(const cli_args *args);

/* ---- orders.c and files.c: orders from targets and from files ---- */

typedef struct cli_order {
    char *name;            /* as the user wrote it */
    accord_record *record; /* not NULL after cli_ask and cli_load */
    accord_target *target; /* open if it was asked just now, else NULL */
    enum accord_status status;
    accord_error error;
} cli_order;

void cli_order_clear(cli_order *order);

/* The bytes of the file of an order ("-": standard input), a zero after them; false after an error
 * was printed. */
bool cli_read_file(const char *path, accordi_buffer *text);

/* Prints what is wrong with a file that holds `text`, and returns the exit status for it. */
int cli_bad_file(const char *path, const accordi_buffer *text, const accord_error *error);
/* Does the text begin as a notation, perhaps with a wrong number of terms? */
bool cli_begins_notation(const char *text);
/* If the text is a wrong notation, prints what is around the place that is wrong, and a mark under
 * it. */
void cli_mark_notation(const char *text);
/* Does the text name a target ("KIND:…" with a known kind), not a file? */
bool cli_is_target(const char *text);

/* Reads the order or orders of a file ("-": standard input; a JSON array holds several). On
 * failure prints an error and returns its exit status. The caller clears and frees. */
int cli_load(const char *path, cli_order **orders, size_t *count);
/* The same of an order in one line, whatever files there are. */
int cli_load_line(const char *line, cli_order **orders, size_t *count);
/* Reads a file of one order, for a verb; else the same. The order may lack its tree. */
int cli_load_one(const char *path, const char *verb, cli_order *order);
/* Prints that there is no tree, and why; returns the exit status. */
int cli_no_tree(const cli_order *order);
void cli_orders_free(cli_order *orders, size_t count);

/* What to ask: the defaults, then the question of `like` (may be NULL), then the options of the
 * command line; n is that of `like` or 0. Text is borrowed from both. */
void cli_question(const cli_args *args, const accord_record *like, accord_target_options *options);
/* Whether the format of the result can be chosen for targets of this notation (--result). */
bool cli_takes_result(const char *target);
/* The notation of a target with the settings that the command line gives as options; NULL after an
 * error was printed. The caller frees it. With lists, only those that have one value are taken, and
 * cli_list_setting says which the others are. */
char *cli_with_settings(const cli_args *args, const char *notation, bool lists);
bool cli_list_setting(const cli_option *option);
/* "mpi:allreduce,length=4" with ",root=1" behind what comes first. */
void cli_put_settings(accordi_buffer *out, const char *notation, const char *settings);
/* Prints that a target needs a count, or that the operand is none. */
void cli_no_count(const cli_args *args);
/* The counts that -n, else --shape, else `like` give; false after an error was printed. */
bool cli_question_counts(const cli_args *args, const accord_record *like, size_t **counts,
                         size_t *count);

/* The one count that they give; with several, the error is `several`. */
bool cli_question_count(const cli_args *args, const char *several, size_t *n);
/* How to look, by the options of the command line; progress goes to the bar. */
void cli_reveal_options(const cli_args *args, const accord_target_options *question, cli_bar *bar,
                        accord_reveal_options *options);
/* Opens the target, reveals its order, and leaves status and error in *order (initialized here).
 * Nothing is printed but the progress bar. */
void cli_ask(const cli_args *args, const char *notation, const accord_target_options *options,
             cli_order *order);
/* The same with another title on the bar. */
void cli_ask_titled(const cli_args *args, const char *notation, const char *title,
                    const accord_target_options *options, cli_order *order);

/* ---- models.c: orders with their arithmetic, in words ---- */

void cli_arithmetic_words(const accord_record *record, char *text, size_t size);
/* Puts the alternative that --alternative names in the place of the record's arithmetic; the exit
 * status, after an error was printed if there is no such one. */
int cli_choose(const cli_args *args, accord_record *record);

/* ---- table.c: cells in columns ---- */

typedef struct cli_table cli_table;
cli_table *cli_table_new(size_t columns);
void cli_table_free(cli_table *table);
/* The next cell, row by row; the first row is the head. */
void cli_table_put(cli_table *table, const char *text);
void cli_table_printf(cli_table *table, const char *format, ...) ACCORDI_PRINTF(2, 3);
/* As "report" (aligned text), "markdown" or "csv". */
void cli_table_write(const cli_table *table, const char *form, accordi_buffer *out);
/* For tables of many rows, which need not be in memory at once. measure: drops the cells, for which
 * columns will be wide enough; flush: writes and drops the rows put so far, others follow. */
void cli_table_measure(cli_table *table);
void cli_table_flush(cli_table *table, const char *form, accordi_buffer *out);

/* ---- survey.c: one question under several settings ---- */

typedef struct cli_row {
    size_t terms, group; /* which group of the survey */
    double seconds;
} cli_row;

/* A group of the library's, in words. */
typedef struct cli_group {
    const accord_group *found;
    accord_record *record; /* of its first row */
    char words[ACCORD_ORDER_WORDS_SIZE], arithmetic[ACCORD_DESCRIPTION_SIZE];
} cli_group;

typedef struct cli_survey {
    accord_survey *groups;
    cli_row *row;
    cli_group **group;
    size_t rows, count; /* count: of groups */
} cli_survey;

/* Asks the target of the command line and adds a row; one that fails or has no order is a row too.
 * On anything else (a bad option, a signal) prints an error and returns its exit status. */
int cli_survey_ask(cli_survey *survey, const cli_args *args, const char *target, const char *title,
                   const accord_target_options *options);
/* CLI_YES, CLI_DIFFERS or CLI_UNABLE; the status of the failure where every row failed. */
int cli_survey_status(const accord_survey_verdict *verdict);
/* The same, after an error was printed where there is no answer. */
int cli_survey_end(const accord_survey_verdict *verdict);
/* The same in a word for programs, as accord_sameness_name; "failed" where every row failed. */
const char *cli_survey_word(const accord_survey_verdict *verdict);
/* A sentence with a newline about what holds beyond the models, "" where there is nothing to say.
 */
void cli_survey_put_grounds(accordi_buffer *out, const accord_survey_verdict *verdict);
/* The cells of a row behind its setting: the group, its order and the time; the arithmetic only in
 * forms without a list of groups. */
void cli_survey_put_row(cli_table *table, const cli_group *group, double took, bool whole);
struct json_t *cli_survey_groups_json(const cli_survey *survey);
void cli_survey_clear(cli_survey *survey);

#endif
