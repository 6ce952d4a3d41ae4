/* The command `accord`: verbs, options, output, talk. Everything here is used by src/cli alone;
 * its names begin with cli_ because no library ever sees them. */
#ifndef ACCORD_CLI_H
#define ACCORD_CLI_H

#include "base/base.h"
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

/* ---- options: one row each, in options.c; a verb names the rows it takes ---- */

enum cli_option_id {
    CLI_COUNT,
    CLI_OUTPUT,
    CLI_JSON,
    CLI_TO,
    CLI_ALGORITHM,
    CLI_FORMAT,
    CLI_SEED,
    CLI_LOOSE,
    CLI_REPLAYS,
    CLI_PROOF,
    CLI_PROOF_ERROR,
    CLI_BUDGET,
    CLI_TIMEOUT,
    CLI_NO_FORK,
    CLI_PYTHON,
    CLI_SIGNATURE,
    CLI_SCALE_BLOCK,
    CLI_SCALE,
    CLI_SHAPE,
    CLI_ELEMENT,
    CLI_TRANS,
    CLI_INCX,
    CLI_INCY,
    CLI_LDA,
    CLI_LDB,
    CLI_LDC,
    CLI_ALPHA,
    CLI_BETA,
    CLI_ALIGN,
    CLI_FROM_FILE,
    CLI_EXPECT,
    CLI_RECORD,
    CLI_RECORD_NAME,
    CLI_UPDATE,
    CLI_ALLOW_MISSING,
    CLI_JUNIT,
    CLI_SARIF,
    CLI_GITHUB,
    CLI_ENV,
    CLI_THREADS,
    CLI_SHAPES,
    CLI_ALIGNS,
    CLI_TRANSES,
    CLI_BUILD_OPTIONS,
    CLI_SETTING,
    CLI_BATCH,
    CLI_UNIFORM,
    CLI_EXPAND,
    CLI_LANGUAGE,
    CLI_NAME,
    CLI_ALTERNATIVE,
    CLI_INPUT,
    CLI_INPUTS,
    CLI_SECOND,
    CLI_START,
    CLI_SCALES,
    CLI_SECOND_SCALES,
    CLI_TYPE,
    CLI_BIG_ENDIAN,
    CLI_COLUMN,
    CLI_SECOND_COLUMN,
    CLI_GROUP_BY,
    CLI_SEPARATOR,
    CLI_HEADER,
    CLI_SKIP_EMPTY,
    CLI_DECIMAL,
    CLI_NAIVE,
    CLI_ROUNDING,
    CLI_RESULT,
    CLI_WORKERS,
    CLI_EXACT_DEVICE,
    CLI_SAVE,
    CLI_MERGE,
    CLI_EXPRESSION,
    CLI_MODEL,
    CLI_SYMBOLS,
    CLI_FUNCTION_ULP,
    CLI_RECIPROCAL_ULP,
    CLI_ARITHMETIC,
    CLI_OBSERVE,
    CLI_INPUT_OF_PROGRAM,
    CLI_SEARCH,
    CLI_BOTH,
    CLI_CURE,
    CLI_TAPE,
    CLI_UNSET,
    CLI_FIRST_ORDER,
    CLI_SAMPLES,
    CLI_KINDS,
    CLI_CHECKS,
    CLI_ACCUMULATOR,
    CLI_ALLOW_NONDETERMINISTIC,
    CLI_A_MAX,
    CLI_B_MAX,
    CLI_C_MAX,
    CLI_NONNEGATIVE,
    CLI_DISTRIBUTION,
    CLI_ELEMENTS,
    CLI_LEVEL,
    CLI_RUNS,
    CLI_BATCHES,
    CLI_LOAD,
    CLI_METHOD,
    CLI_CROSS_PLATFORM,
    CLI_PERFORMANCE,
    CLI_MAPPING,
    CLI_SWEEP,
    CLI_DEVICE,
    CLI_AGAINST,
    CLI_SCHEDULE,
    CLI_BLOCK_SIZE,
    CLI_GRID_SIZE,
    CLI_ARRAYS,
    CLI_NUMBER_OF_SAMPLES,
    CLI_MIN_SIZE,
    CLI_MAX_SIZE,
    CLI_DISTRIBUTION_TYPE,
    CLI_AMPLITUDE,
    CLI_CENTER,
    CLI_DEVIATION,
    CLI_ATOMIC_ONLY,
    CLI_PROGRAM,
    CLI_RUN,
    CLI_JOBS,
    CLI_QUIET,
    CLI_MAN,
    CLI_COMPLETION,
    CLI_HELP,
    CLI_OPTIONS /* how many; also ends a verb's list */
};

enum cli_type {
    CLI_FLAG,
    CLI_TEXT,
    CLI_EACH, /* a text; may be given several times, all others once */
    CLI_FILE,
    CLI_INTEGER,
    CLI_SECONDS,
    CLI_REAL,   /* any finite number */
    CLI_LIMIT,  /* "10s" or "5000calls" */
    CLI_COUNTS, /* a list of counts and ranges: counts.c */
    CLI_CHOICE,
    CLI_REST /* all words that follow, whatever they are */
};

struct cli_verb;

typedef struct cli_option {
    const char *name; /* without the dashes; NULL: letter only */
    char letter;      /* 0: none */
    enum cli_type type;
    const char *value;        /* what --help calls the argument; NULL for flags */
    const char *about;        /* one line */
    int64_t least;            /* of integers */
    const char *const *words; /* of choices, ended by NULL; or … */
    const char *(*choice)(const struct cli_verb *verb, size_t i); /* … the i-th, then NULL */
    const char *of_sums; /* in place of `about` where verb->sums; NULL: the same */
} cli_option;

extern const cli_option cli_options[CLI_OPTIONS];
/* The i-th word that may be the option's value; NULL past the end, and where others may be, too. */
const char *cli_option_word(const struct cli_verb *verb, const cli_option *option, size_t i);

typedef struct cli_said {
    enum cli_option_id id;
    const char *text;
} cli_said;

/* What the command line said: the text of each option (NULL: not given; a flag: ""), already
 * checked against its type, and the operands. */
typedef struct cli_args {
    const struct cli_verb *verb;
    const struct cli_verb *const *verbs; /* all there are, ended by NULL; for help */
    const char *text[CLI_OPTIONS];
    const char **operand;
    size_t operands;
    /* Of verbs that take --run: what stood between -- and --run, and after --run. */
    char *const *flag, *const *run;
    size_t flags, runs;
    cli_said *said; /* every option in the order given, for those that may come several times */
    size_t saids;
} cli_args;

typedef struct cli_example {
    const char *line, *about;
} cli_example;

/* A heading in the list of options of --help and the man page. */
typedef struct cli_heading {
    enum cli_option_id before; /* the first option below it */
    const char *text, *example;
} cli_heading;

/* What the verbs that ask one question of a BLAS routine take. */
#define CLI_OPERANDS                                                                               \
    CLI_SHAPE, CLI_ELEMENT, CLI_TRANS, CLI_INCX, CLI_INCY, CLI_LDA, CLI_LDB, CLI_LDC, CLI_ALPHA,   \
        CLI_BETA, CLI_ALIGN

/* One row per verb, one file per verb. */
typedef struct cli_verb {
    const char *name;
    const char *operands;           /* as --help shows them */
    const char *about;              /* one line */
    const char *text;               /* a paragraph for --help and the man page */
    size_t least, most;             /* operands */
    bool trees;                     /* --output takes every writer, else report and json */
    bool maps;                      /* --output takes every writer of maps */
    bool families;                  /* --output takes report, json and svg */
    bool tables;                    /* --output takes report, json, markdown and csv */
    bool sarif;                     /* --output takes report, json and sarif */
    bool pages;                     /* the same, and html */
    bool pictures;                  /* report, json, csv, svg and html */
    bool html;                      /* report, json and html */
    bool words;                     /* all words are operands, whatever they begin with */
    bool sums;                      /* --result takes the types that sums are made in */
    enum cli_option_id options[64]; /* ended by CLI_OPTIONS */
    cli_heading headings[5];        /* few or none, ended by a text that is NULL */
    cli_example examples[6];
    int (*run)(const cli_args *args);
} cli_verb;

extern const cli_verb cli_reveal, cli_show, cli_diff, cli_check, cli_sweep, cli_batch, cli_targets,
    cli_info, cli_features, cli_replay, cli_help, cli_map, cli_emit, cli_sum, cli_dot, cli_bound,
    cli_explain, cli_vary, cli_tolerance, cli_family, cli_cc;

/* Of a list that NULL ends; NULL where none is called so. */
const cli_verb *cli_verb_by_name(const cli_verb *const *verbs, const char *name);

/* Reads argv[0..argc-1] (after the verb) into args; false after having printed an error. The
 * caller frees args->operand and args->said. */
bool cli_parse(const cli_verb *verb, int argc, char **argv, cli_args *args);
/* The heading that stands before an option; NULL where none does. */
const cli_heading *cli_heading_before(const cli_verb *verb, enum cli_option_id id);
/* One line about an option of a verb. */
const char *cli_about(const cli_verb *verb, const cli_option *option);
/* Gives an option of the verb of `args` its value in *out, unless args has one: for options in
 * files. The name has no dashes. False after an error that names `where` was printed. */
bool cli_set(const cli_args *args, cli_args *out, const char *where, const char *name,
             const char *value);
bool cli_takes(const cli_verb *verb, enum cli_option_id id);
int64_t cli_integer(const cli_args *args, enum cli_option_id id, int64_t otherwise);
double cli_real(const cli_args *args, enum cli_option_id id, double otherwise);

/* Prints that there is no such verb, and which was meant. */
void cli_no_verb(const cli_verb *const *verbs, const char *word);

/* A whole number >= 0 written with digits, also as 1e6 or 1.5e3, in text … end; from 2^53 on it
 * comes as INT64_MAX. */
bool cli_number(const char *text, const char *end, int64_t *out);
/* "8,16,32", "4..64*2", "1..10", "10..100+10": the counts in the order given; the caller frees
 * *out. On failure false, with a reason that can follow "accord: -n TEXT: ". */
bool cli_counts(const char *text, size_t **out, size_t *count, const char **why);
/* The same of numbers from `least` on, where ranges without a step go in steps of `step`. */
bool cli_range(const char *text, size_t least, size_t step, size_t **out, size_t *count,
               const char **why);

/* ---- help.c, man.c, completion.c: written from the tables alone ---- */

void cli_help_overview(const cli_verb *const *verbs, accordi_buffer *out);
void cli_help_verb(const cli_verb *verb, accordi_buffer *out);
void cli_help_man(const cli_verb *const *verbs, accordi_buffer *out);
extern const char *const cli_shells[]; /* ended by NULL */
void cli_completion(const char *shell, const cli_verb *const *verbs, accordi_buffer *out);

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
