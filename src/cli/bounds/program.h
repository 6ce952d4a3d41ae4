/* Shared by the files of accord bound FILE.c...: building a program that carries bounds along, and
 * what it said. Also used by accord sweep --program. */
#ifndef ACCORD_CLI_BOUND_PROGRAM_H
#define ACCORD_CLI_BOUND_PROGRAM_H

#include "cli/bounds/inputs.h"
#include "cli/programs/programs.h"

/* ---- raw.c: what an instrumented program writes ---- */

typedef struct cli_site {
    char *kind, *file; /* NULL: never named */
    unsigned line, column;
} cli_site;

/* A number passed to printf or fwrite, in the order of the calls. */
typedef struct cli_bounded {
    unsigned site;
    bool single, may_be_nan, unknown;
    unsigned lost_at; /* if it is unknown: the site where its bounds were lost */
    double value, low, high;
    double first_order; /* NaN: not known */
    double from_inputs; /* how far it moves to first order because inputs do; NaN: not known */
    double observed;    /* the largest difference of a build; NaN: not known */
    size_t event;       /* of capture.c in which it stands; CLI_NO_EVENT: of none */
    size_t offset;      /* of its first byte there */
    size_t paths;       /* the other paths whose bounds are joined with these */
} cli_bounded;

#define CLI_NO_EVENT SIZE_MAX

typedef struct cli_blame {
    unsigned site;
    double fusion, order, function; /* the width that is added there, by each of them */
    unsigned
        infinite; /* 1: the first site where an interval became infinite, 2: the next; 0: none */
} cli_blame;

typedef struct cli_decision {
    unsigned site;
    char *what; /* branch, conversion, index */
    double low, high;
    unsigned long long count;
} cli_decision;

typedef struct cli_lost {
    unsigned site;
    char *what;
    unsigned long long count;
    bool kept; /* not lost: memory that was not set was taken as it was */
} cli_lost;

typedef struct cli_share {
    unsigned site;
    size_t output;
    double spread;
} cli_share;

/* The tape of first-order spreads. */
typedef struct cli_tape {
    bool used;
    unsigned long long nodes, bytes, segments;
    char *reason; /* why some numbers have no spread; NULL: none was given */
} cli_tape;

/* How near a comparison came to a tie: the difference of the operands, the smallest in the run. */
typedef struct cli_margin {
    unsigned site;
    double distance;
} cli_margin;

struct cli_path;
typedef struct cli_raw {
    char *here; /* the current folder with a slash, which is left out of the names of files */
    char *end;  /* "exit", "signal 11", "refused"; NULL: it was killed */
    cli_site *site;
    cli_bounded *output;
    cli_blame *blame;
    cli_decision *decision;
    cli_lost *lost;
    cli_share *share;
    cli_tape tape;
    cli_set_input *input; /* as the command line has them */
    struct cli_margin *margin;
    bool stack;     /* it ended because its stack overflowed */
    char *calls;    /* where a signal found it: places in its file, hexadecimal; or NULL */
    bool truncated; /* the program wrote more outputs than are kept */
    size_t decided; /* how many outputs came before the first unstable decision */
    size_t events;  /* of capture.c; CLI_NO_EVENT: not known, as the program did not end */
    size_t open;    /* with --both: unstable decisions whose other ways were not followed */
    bool both;      /* with --both */
    size_t reading; /* of raw.c: the path at hand, 1: path[0]; 0: the run */
    bool all_paths; /* the bounds are those of all paths that the decisions allow */
    struct cli_path *path;
    size_t sites, outputs, blames, decisions, losts, shares, paths, inputs, margins;
    size_t room[9];
} cli_raw;

/* A path of --both: the raw report of what came after it left another one. */
typedef struct cli_path {
    size_t from;   /* 0: the run, 1: path[0], ... */
    size_t before; /* numbers that were written before */
    unsigned site; /* of the decision */
    int signal;    /* that killed it */
    bool followed; /* to its end */
    bool differs;  /* some place of the source wrote another count of numbers */
    cli_raw raw;
} cli_path;

/* Reads the file of a raw report. A last line that a kill cut off is left out. ACCORD_PARSE: the
 * report is malformed; ACCORD_IO: there is none. */
enum accord_status cli_raw_read(const char *path, cli_raw *raw, accord_error *error);
void cli_raw_clear(cli_raw *raw);

/* ---- paths.c ---- */

/* Joins the bounds of the run with those of its other paths. */
void cli_join_paths(cli_raw *raw);
/* Unstable decisions of all paths whose other ways were not followed. */
size_t cli_left_open(const cli_raw *raw);
/* "turns at ray.c:8; followed to its end": where path i leaves another one, and how it ended. */
void cli_put_path(const cli_raw *raw, size_t i, accordi_buffer *out);

/* ---- lines.c ---- */

/* "src/ray.c:12", or "?" for a site without a place. */
void cli_put_place(accordi_buffer *out, const cli_raw *raw, unsigned site);
/* "[0.25, 0.5]", with as many digits as tell the ends apart. */
void cli_put_interval(accordi_buffer *out, double low, double high);
/* "bounds were lost: unknown function f", "memory that was not set was taken as it was". */
void cli_put_lost(accordi_buffer *out, const cli_lost *lost);
/* How many of them were kept. */
size_t cli_kept(const cli_raw *raw);
/* Where an interval first became infinite; NULL: nowhere. */
const cli_site *cli_first_infinite(const cli_raw *raw);
size_t cli_unknown_outputs(const cli_raw *raw);

/* A line of the source with what its operations add. */
typedef struct cli_line {
    const char *file; /* borrowed */
    unsigned line;
    double share; /* of the whole; of the first-order spread if it is known, else of the width */
    double fusion, order, function; /* the width that is added */
    bool infinite;                  /* an interval became infinite there */
} cli_line;
/* The width that a line adds. */
static inline double cli_line_width(const cli_line *line)
{
    return line->fusion + line->order + line->function;
}
/* The lines, the largest share first; the caller frees *lines. */
size_t cli_lines(const cli_raw *raw, cli_line **lines);
/* "3.5e-17: fusion 40 %, functions 60 %", the width by its causes; nothing if it is 0 or infinite.
 */
void cli_put_causes(const cli_line *line, accordi_buffer *out);

/* ---- inputs.c ---- */

/* Which input a site belongs to; SIZE_MAX: none. */
size_t cli_input_of_site(const cli_raw *raw, unsigned site);
/* Notes how far each output moves to first order because the inputs do. */
void cli_note_moved(cli_raw *raw);
/* The share of each input in that, each output in relation to its own; the caller frees. */
double *cli_shares_of_inputs(const cli_raw *raw, size_t inputs);
/* Whether all numbers that were set are the program's own. */
bool cli_inputs_are_own(const cli_raw *raw);

/* ---- instrumented.c: building the program ---- */

typedef struct cli_instrumenter {
    char *clang;
    char *folder;             /* of accord-instrument and its runtime */
    bool tape;                /* programs get a tape for first-order spreads */
    bool both;                /* decisions may take a turn */
    bool margins;             /* comparisons say how near to a tie they come */
    cli_words pins;           /* lines that are computed as written, "FILE:LINE" */
    const cli_inputs *inputs; /* borrowed; NULL: none */
    size_t pieces;            /* files of bitcode that were compiled or taken */
    cli_words linked;         /* words of the linker's command, of a program that accord cc built */
    cli_words without;        /* objects without bitcode that are in it */
} cli_instrumenter;

/* CLI_YES, or CLI_UNABLE after an error was printed, unless quiet, that says what to install. */
int cli_instrumenter_find(cli_instrumenter *tools, const cli_scratch *scratch, bool quiet);
void cli_instrumenter_clear(cli_instrumenter *tools);

/* Runs a tool to its end; what it says goes to the file `log`. CLI_YES, CLI_USAGE if it failed,
 * with its own status in *code, or CLI_FAILED after an error was printed. */
int cli_run_tool(const cli_scratch *scratch, cli_words *words, const char *log, int *code);

/* The flags of the compiler that keep every operation of the source. */
void cli_add_as_written(cli_words *words);

/* Compiles the files to bitcode, or takes that of a program (built.c), once for all models.
 * CLI_YES; CLI_USAGE if one does not compile, with the compiler's words in `why`, which is printed
 * unless quiet; CLI_FAILED when a signal ended it. */
int cli_instrumented_compile(cli_instrumenter *tools, const cli_args *args,
                             const cli_scratch *scratch, char why[400], bool quiet);
/* The bitcode of a program that accord cc built. CLI_YES, or CLI_USAGE with the reason in `why`. */
int cli_built_take(cli_instrumenter *tools, const char *path, const cli_scratch *scratch,
                   char why[400]);
/* The program with the bounds of these models, at *program, a path that the caller frees. The same
 * statuses; CLI_UNABLE if the instrumenter refuses, with its words in `why`, which is printed
 * unless quiet. */
int cli_instrumented_build(const cli_instrumenter *tools, const cli_args *args,
                           const cli_scratch *scratch, const char *models, char **program,
                           char why[400], bool quiet);

/* Starts the program once more; what it writes is discarded. */
enum accord_status cli_start_again(const cli_args *args, const char *program, const char *raw,
                                   double limit, cli_job *job, accord_error *error);

/* Waits for a job; false when a signal came, and then it is killed. */
bool cli_wait_for(cli_job *job);

/* ---- cure.c: lines to pin ---- */

/* What is to be cured, and the lines that do it. */
typedef struct cli_cure {
    const char *said; /* the option; NULL: none was asked for */
    bool all;         /* every number is to be at most that wide, ... */
    size_t number;    /* ... or this one, from 1 on, ... */
    double width;
    char *file; /* ... or no decision here is to be unstable */
    unsigned line;
    bool found, smallest; /* smallest: no smaller set does */
    const char *why;      /* there is none */
    cli_site *pin;        /* the lines */
    size_t pins, tries;
    double before, after; /* widths, of numbers */
} cli_cure;

/* Reads --cure; false after an error was printed. */
bool cli_cure_read(const cli_args *args, cli_cure *cure);
/* Looks for the lines, running the program with different lines pinned. CLI_YES, or the exit status
 * after an error was printed. */
int cli_cure_find(cli_cure *cure, const cli_raw *raw, const cli_args *args,
                  const cli_scratch *scratch, cli_instrumenter *tools, const char *models,
                  double seconds);
void cli_cure_clear(cli_cure *cure);
/* "number 1 is at most 1e-9 wide" */
void cli_put_cure_target(const cli_cure *cure, accordi_buffer *out);

/* ---- search.c ---- */

/* A decision that is unstable with these values of the inputs. */
typedef struct cli_unstable {
    char *file, *what;
    unsigned site, line;
    double *point;
} cli_unstable;

typedef struct cli_search {
    size_t asked, runs; /* runs that were wanted, and those that ended */
    size_t numbers;     /* that were varied */
    bool interrupted;
    double
        *widest; /* the values with which `number`, from 1 on, is widest; NULL: none has a width */
    size_t number;
    double width, relative; /* relative to the larger end */
    cli_unstable *decision;
    size_t decisions, room;
} cli_search;

/* ---- crash.c ---- */

/* Where a signal found the program: the innermost line that the source has. */
typedef struct cli_crash {
    char *function; /* NULL: not known */
    char *file;
    unsigned line;
} cli_crash;
void cli_crash_find(const cli_raw *raw, const char *program, const cli_scratch *scratch,
                    cli_crash *out);
void cli_crash_clear(cli_crash *crash);

/* ---- program.c ---- */

/* What is known after the run. */
typedef struct cli_bound_report {
    const cli_args *args;
    const char *models; /* as the table calls them */
    const cli_inputs *inputs;
    const cli_words *without; /* objects without bitcode, of a program that accord cc built */
    cli_raw raw;
    cli_job job; /* the run */
    cli_crash crash;
    size_t observed;      /* how many builds were compared with it */
    char unobserved[200]; /* why none were, though this was asked for */
    cli_cure cure;
    cli_search search;
} cli_bound_report;

/* What the inputs were, a line each; and what a search found, from "61 runs with …" on. */
void cli_put_bound_inputs(const cli_bound_report *r, accordi_buffer *out);
void cli_put_bound_search(const cli_bound_report *r, accordi_buffer *out);

/* Looks for inputs; what was found until a signal is kept. CLI_YES, or the exit status after an
 * error was printed. */
int cli_search_run(cli_bound_report *r, const cli_scratch *scratch, cli_instrumenter *tools);
void cli_search_clear(cli_search *found);
/* The i-th input of the command line as NAME=VALUE, with the values of a point; false: it is no
 * interval, or was not set. */
bool cli_put_found(const cli_bound_report *r, size_t i, const double *point, accordi_buffer *out);

/* ---- columns.c: the table of the numbers ---- */

enum {
    CLI_COLUMN_NUMBER,
    CLI_COLUMN_PLACE,
    CLI_COLUMN_VALUE,
    CLI_COLUMN_LOW,
    CLI_COLUMN_HIGH,
    CLI_COLUMN_WIDTH,
    CLI_COLUMN_FIRST_ORDER,
    CLI_COLUMN_INPUTS,
    CLI_COLUMN_OBSERVED,
    CLI_COLUMN_NAN,
    CLI_COLUMN_PATHS,
    CLI_COLUMNS
};
extern const char *const cli_columns[CLI_COLUMNS]; /* what they are called */
typedef struct cli_cell {
    char text[ACCORDI_DECIMAL];
} cli_cell;
bool cli_has_column(const cli_bound_report *r, int column);
/* The row of output i, without its place (cli_put_place). */
void cli_output_cells(const cli_raw *raw, size_t i, cli_cell cell[CLI_COLUMNS]);
/* The width of the bounds; infinity if it is not known. */
double cli_output_width(const cli_bounded *o);
/* The width that the `most` widest outputs have at least; -1: there are no more than these. */
double cli_least_width(const cli_raw *raw, size_t most);

/* ---- feed.c ---- */

/* The sources for builds that have the inputs of the run; false: they cannot be given them. To be
 * cleared in both cases. */
bool cli_feed_new(cli_feed *feed, const cli_raw *raw, const cli_args *args,
                  const cli_scratch *scratch);
void cli_feed_clear(cli_feed *feed);

/* ---- observe.c ---- */

/* Builds the program with all compilers and flags whose model lies within `models`, and notes the
 * largest difference of each output. CLI_YES, or the exit status after an error was printed. */
int cli_observe(cli_bound_report *r, const cli_scratch *scratch, const char *models);

/* Passes --unset on to the runtime. */
void cli_set_unset(const cli_args *args);
/* The verb, for operands that are files; `models` as the instrumenter takes them. */
int cli_run_bound_program(const cli_args *args, const char *models);

/* ---- program_report.c, program_json.c, program_sarif.c, program_html.c ---- */

void cli_put_bound_report(const cli_bound_report *r, accordi_buffer *out);
void cli_put_bound_json(const cli_bound_report *r, accordi_buffer *out);
void cli_put_bound_sarif(const cli_bound_report *r, accordi_buffer *out);
void cli_put_bound_html(const cli_bound_report *r, accordi_buffer *out);
/* The sentences below the numbers, which say what is proven. */
void cli_put_bound_claims(const cli_bound_report *r, accordi_buffer *out);

#endif
