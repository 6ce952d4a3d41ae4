/* What users may write: options and verbs, and the arguments that are parsed from them. Included by
 * cli.h. */
#ifndef ACCORD_CLI_OPTIONS_H
#define ACCORD_CLI_OPTIONS_H

#include "base/base.h"

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
    CLI_FORMATS,
    CLI_BUILD_OPTIONS,
    CLI_SETTING,
    CLI_LENGTH,
    CLI_OPERATION,
    CLI_IN_PLACE,
    CLI_ROOT,
    CLI_POSITION,
    CLI_RANK,
    CLI_LAUNCHER,
    CLI_MCA,
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
    bool not_zero;            /* integers may be of any sign, but not 0 */
    const char *const *words; /* of choices, ended by NULL; or … */
    const char *(*choice)(const struct cli_verb *verb, size_t i); /* … the i-th, then NULL */
    bool list;           /* of choices: one or more, with commas between them */
    const char *of_sums; /* in place of `about` where verb->sums; NULL: the same */
    /* A second name, except with verbs that have another option of that name; NULL: none. */
    const char *synonym;
    /* The kind of targets in whose notation it is a setting of the same name; NULL: it is none. */
    const char *setting_of;
    bool rest; /* of settings: it comes last, and its value may have commas */
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

/* Settings in the notation of a target that are options, too. */
#define CLI_SETTINGS CLI_LENGTH, CLI_OPERATION, CLI_IN_PLACE, CLI_ROOT, CLI_LAUNCHER
/* What the verbs that ask one question of a BLAS routine take. */
#define CLI_OPERANDS                                                                               \
    CLI_SHAPE, CLI_ELEMENT, CLI_TRANS, CLI_INCX, CLI_INCY, CLI_LDA, CLI_LDB, CLI_LDC, CLI_ALPHA,   \
        CLI_BETA, CLI_ALIGN

enum { CLI_MOST_EXAMPLES = 7 };

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
    cli_example examples[CLI_MOST_EXAMPLES];
    int (*run)(const cli_args *args);
} cli_verb;

extern const cli_verb cli_reveal, cli_show, cli_diff, cli_check, cli_sweep, cli_batch, cli_targets,
    cli_info, cli_features, cli_replay, cli_help, cli_map, cli_emit, cli_sum, cli_dot, cli_bound,
    cli_explain, cli_vary, cli_tolerance, cli_family, cli_cc;

/* The verb of that name in a list that NULL ends; NULL if there is none. */
const cli_verb *cli_verb_by_name(const cli_verb *const *verbs, const char *name);

/* Reads argv[0..argc-1] (after the verb) into args; false after having printed an error. The
 * caller frees args->operand and args->said. */
bool cli_parse(const cli_verb *verb, int argc, char **argv, cli_args *args);
/* The heading that stands before an option; NULL where none does. */
const cli_heading *cli_heading_before(const cli_verb *verb, enum cli_option_id id);
/* One line about an option of a verb. */
const char *cli_about(const cli_verb *verb, const cli_option *option);
/* The second name that the option has among those of the verb; NULL: none. */
const char *cli_synonym(const cli_verb *verb, const cli_option *option);
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

/* ---- help.c, man.c, completion.c (and words.c, which they use): written from the tables alone
 * ---- */

void cli_help_overview(const cli_verb *const *verbs, accordi_buffer *out);
void cli_help_verb(const cli_verb *verb, accordi_buffer *out);
void cli_help_man(const cli_verb *const *verbs, accordi_buffer *out);
extern const char *const cli_shells[]; /* ended by NULL */
void cli_completion(const char *shell, const cli_verb *const *verbs, accordi_buffer *out);

#endif
