/* The options of all verbs, a row each. Parsing, --help, the man page and the completions of the
 * shells are all made from these rows. */
#include "cli/command/cli.h"

const char *const cli_shells[] = {"bash", "zsh", "fish", NULL};

static const char *output_choice(const cli_verb *verb, size_t i)
{
    static const char *const plain[] = {"report", "json", NULL};
    static const char *const tables[] = {"report", "json", "markdown", "csv", NULL};
    if (verb->maps) {
        const accord_map_writer *form = accord_map_writer_at(i);
        return form ? form->name : NULL;
    }
    if (!verb->trees)
        return (verb->tables ? tables : plain)[i];
    const accord_writer *writer = accord_writer_at(i);
    return writer ? writer->name : NULL;
}

static const char *algorithm_choice(const cli_verb *verb, size_t i)
{
    (void)verb;
    const accord_algorithm *algorithm = accord_algorithm_at(i);
    return algorithm ? algorithm->name : NULL;
}

static const char *format_choice(const cli_verb *verb, size_t i)
{
    (void)verb;
    return i < ACCORD_FORMAT_COUNT ? accord_format_get((enum accord_format)i)->name : NULL;
}

static const char *signature_choice(const cli_verb *verb, size_t i)
{
    static const char *const names[] = {
        "sum",         "dot",         "rows",         "columns",
        "sum:encoded", "dot:encoded", "rows:encoded", "columns:encoded",
        NULL};
    (void)verb;
    return names[i];
}

static const char *language_choice(const cli_verb *verb, size_t i)
{
    static const char *const names[] = {"c", NULL};
    (void)verb;
    return names[i];
}

static const char *type_choice(const cli_verb *verb, size_t i)
{
    static const char *const names[] = {"f64", "f32", "f16", "bf16", NULL};
    (void)verb;
    return names[i];
}

static const char *result_choice(const cli_verb *verb, size_t i)
{
    return (verb->sums ? type_choice : format_choice)(verb, i);
}

const char *const cli_roundings[] = {"nearest", "zero", "down", "up", "away", NULL};

static const char *rounding_choice(const cli_verb *verb, size_t i)
{
    (void)verb;
    return cli_roundings[i];
}

static const char *shell_choice(const cli_verb *verb, size_t i)
{
    (void)verb;
    return cli_shells[i];
}

const cli_option cli_options[CLI_OPTIONS] = {
    [CLI_COUNT] = {NULL, 'n', CLI_COUNTS, "COUNTS",
                   "number of terms: 32, a list 8,16,32, or a range 1..10, 10..100+10 or 4..64*2",
                   1, NULL},
    [CLI_OUTPUT] = {"output", 'O', CLI_CHOICE, "FORM", "form of the output", 0, output_choice},
    [CLI_JSON] = {"json", 0, CLI_FLAG, NULL, "the same as --output json", 0, NULL},
    [CLI_TO] = {"to", 'o', CLI_FILE, "FILE",
                "write to FILE, which is written completely or not at all", 0, NULL},
    [CLI_ALGORITHM] = {"algorithm", 'a', CLI_CHOICE, "NAME", "algorithm that finds the order", 0,
                       algorithm_choice},
    [CLI_FORMAT] = {"format", 'f', CLI_CHOICE, "NAME", "format of the terms", 0, format_choice},
    [CLI_SEED] = {"seed", 0, CLI_INTEGER, "N", "seed of all random numbers", 0, NULL},
    [CLI_LOOSE] = {"loose", 0, CLI_FLAG, NULL,
                   "exit status 0 instead of 3 for an order that random inputs do not confirm", 0,
                   NULL},
    [CLI_REPLAYS] = {"replays", 0, CLI_INTEGER, "N",
                     "number of random inputs to replay (default 2000, fewer for very many terms); "
                     "an order that is replayed on fewer than the default is not proven",
                     1, NULL},
    [CLI_BUDGET] =
        {"budget", 0, CLI_LIMIT, "LIMIT",
         "limit on the time or the number of sums for each question, e.g. 10s or 5000calls; an "
         "order found within a limit that cuts the tests short is not proven",
         0, NULL},
    [CLI_TIMEOUT] = {"timeout", 0, CLI_SECONDS, "SECONDS",
                     "time limit for a batch of calls, after which the target counts as hung", 0,
                     NULL},
    [CLI_NO_FORK] = {"no-fork", 0, CLI_FLAG, NULL,
                     "run foreign code in this process (for debuggers)", 0, NULL},
    [CLI_PYTHON] = {"python", 0, CLI_TEXT, "PROGRAM",
                    "the interpreter for python: targets, which must have the package accord "
                    "(default $ACCORD_PYTHON, or python3)",
                    0, NULL},
    [CLI_SIGNATURE] = {"signature", 0, CLI_CHOICE, "NAME",
                       "signature of so: targets: sum is R f(const T *, size_t); dot is R "
                       "f(size_t, const T *, const T *); rows and columns, which are sums along an "
                       "axis, are void f(size_t m, size_t n, const T *, R *); :encoded passes the "
                       "terms of narrow formats as integers; see accord targets",
                       0, signature_choice},
    [CLI_SHAPE] = {"shape", 0, CLI_TEXT, "MxNxK",
                   "shape of a GEMM, or MxK for a GEMV; -n is then K", 0, NULL},
    [CLI_ELEMENT] = {"element", 0, CLI_TEXT, "I,J", "the element of the result to reveal", 0, NULL},
    [CLI_TRANS] = {"trans", 0, CLI_TEXT, "NN", "transposes of A and B: N or T each", 0, NULL},
    [CLI_INCX] = {"incx", 0, CLI_INTEGER, "N", "stride of x", 1, NULL},
    [CLI_INCY] = {"incy", 0, CLI_INTEGER, "N", "stride of y", 1, NULL},
    [CLI_LDA] = {"lda", 0, CLI_INTEGER, "N", "leading dimension of A", 1, NULL},
    [CLI_LDB] = {"ldb", 0, CLI_INTEGER, "N", "leading dimension of B", 1, NULL},
    [CLI_LDC] = {"ldc", 0, CLI_INTEGER, "N", "leading dimension of C", 1, NULL},
    [CLI_ALPHA] = {"alpha", 0, CLI_REAL, "X", "factor of the product in a GEMV or GEMM", 0, NULL},
    [CLI_BETA] = {"beta", 0, CLI_REAL, "X",
                  "factor of the previous contents of the result, which become one more term", 0,
                  NULL},
    [CLI_ALIGN] = {"align", 0, CLI_INTEGER, "BYTES",
                   "alignment of the first term, in bytes past a 64-byte boundary", 0, NULL},
    [CLI_FROM_FILE] = {"from-file", 0, CLI_FLAG, NULL, "trust FILE and run the target named in it",
                       0, NULL},
    [CLI_RECORD] = {"record", 0, CLI_TEXT, "TARGET",
                    "reveal TARGET (with -n, --shape and so on) and save the answer in FOLDER", 0,
                    NULL},
    [CLI_RECORD_NAME] = {"name", 0, CLI_TEXT, "NAME",
                         "name of the record (default: made from the target's name)", 0, NULL},
    [CLI_UPDATE] = {"update", 0, CLI_FLAG, NULL,
                    "record whatever is missing in FOLDER for this machine or has changed", 0,
                    NULL},
    [CLI_ALLOW_MISSING] = {"allow-missing", 0, CLI_FLAG, NULL,
                           "do not fail if FOLDER contains no record for this machine", 0, NULL},
    [CLI_JUNIT] = {"junit", 0, CLI_FILE, "FILE", "also write the findings as JUnit XML", 0, NULL},
    [CLI_SARIF] = {"sarif", 0, CLI_FILE, "FILE", "also write the failures as SARIF", 0, NULL},
    [CLI_GITHUB] = {"github", 0, CLI_FLAG, NULL, "also print the failures as GitHub annotations", 0,
                    NULL},
    [CLI_ENV] = {"env", 0, CLI_EACH, "NAME=V1,V2",
                 "values of an environment variable (an empty value leaves it unset); repeat this "
                 "option for other variables",
                 0, NULL},
    [CLI_THREADS] =
        {"threads", 0, CLI_COUNTS, "COUNTS",
         "numbers of threads; sets OMP_NUM_THREADS and the variables of OpenBLAS, MKL and BLIS", 0,
         NULL},
    [CLI_SHAPES] = {"shape", 0, CLI_TEXT, "A,B",
                    "shapes: MxNxK for a GEMM, MxK for a GEMV; -n is then K", 0, NULL},
    [CLI_ALIGNS] =
        {"align", 0, CLI_TEXT, "LIST",
         "alignments of the first term, in bytes past a 64-byte boundary: 0,4,8 or 0..60", 0, NULL},
    [CLI_TRANSES] = {"trans", 0, CLI_TEXT, "NN,NT", "transposes of A and B: N or T each", 0, NULL},
    [CLI_BATCH] = {"batch", 0, CLI_COUNTS, "COUNTS",
                   "the numbers of rows in a batch, written as for -n (default 1..64)", 0, NULL},
    [CLI_UNIFORM] = {"uniform", 0, CLI_FLAG, NULL,
                     "exit status 1 if there is more than one class of elements", 0, NULL},
    [CLI_LANGUAGE] = {"language", 0, CLI_CHOICE, "NAME", "programming language of the output", 0,
                      language_choice},
    [CLI_NAME] = {"name", 0, CLI_TEXT, "NAME",
                  "name of the function (default: made from the target's name)", 0, NULL},
    [CLI_ALTERNATIVE] = {"alternative", 0, CLI_TEXT, "N",
                         "use another arithmetic that also fits, as listed by accord show: its "
                         "number (from 1) or its words; 0 is the arithmetic in FILE",
                         0, NULL},
    [CLI_INPUT] = {"input", 'i', CLI_FILE, "FILE", "the numbers to add, or the first factors", 0,
                   NULL},
    [CLI_SECOND] = {"second", 0, CLI_FILE, "FILE",
                    "the second factors of products (default: all 1)", 0, NULL},
    [CLI_START] = {"start", 0, CLI_FILE, "FILE",
                   "the start values, which beta multiplies, one for each sum (default: all 0)", 0,
                   NULL},
    [CLI_TYPE] =
        {"type", 0, CLI_CHOICE, "NAME",
         "input files are raw numbers of this type; for .npy files it must agree with the header",
         0, type_choice},
    [CLI_BIG_ENDIAN] = {"big-endian", 0, CLI_FLAG, NULL, "raw files are big-endian", 0, NULL},
    [CLI_COLUMN] = {"column", 0, CLI_TEXT, "COLUMN",
                    "add this column of tables: its number from 1, or its name in the first line",
                    0, NULL},
    [CLI_SECOND_COLUMN] = {"second-column", 0, CLI_TEXT, "COLUMN",
                           "the column of the second file (default: that of the first file)", 0,
                           NULL},
    [CLI_GROUP_BY] = {"group-by", 0, CLI_TEXT, "COLUMN",
                      "one sum for each distinct text in this column, sorted by its bytes", 0,
                      NULL},
    [CLI_SEPARATOR] = {"separator", 0, CLI_TEXT, "CHAR",
                       "the separator between columns: , or ; or another character, tab, space", 0,
                       NULL},
    [CLI_HEADER] = {"header", 0, CLI_FLAG, NULL, "the first line contains names, not numbers", 0,
                    NULL},
    [CLI_SKIP_EMPTY] = {"skip-empty", 0, CLI_FLAG, NULL, "leave out empty fields of tables", 0,
                        NULL},
    [CLI_DECIMAL] = {"decimal", 0, CLI_FLAG, NULL,
                     "add decimals exactly as written, without first rounding them to f64", 0,
                     NULL},
    [CLI_NAIVE] = {"naive", 0, CLI_FLAG, NULL,
                   "also add from left to right with rounding, and show the error of that sum", 0,
                   NULL},
    [CLI_ROUNDING] = {"rounding", 0, CLI_CHOICE, "NAME",
                      "rounding of the result; zero, down and up are directions, away is to "
                      "nearest with ties away from zero",
                      0, rounding_choice},
    [CLI_RESULT] = {"result", 0, CLI_CHOICE, "NAME",
                    "format of the result (default: f64; for so: targets, the format of the terms)",
                    0, result_choice},
    [CLI_WORKERS] = {"threads", 0, CLI_INTEGER, "N",
                     "maximum number of threads (default 0: one for each processor)", 0, NULL},
    [CLI_SAVE] = {"save", 0, CLI_FILE, "FILE",
                  "save the exact sum so that it can be merged with others; FILE is written "
                  "completely or not at all",
                  0, NULL},
    [CLI_MERGE] = {"merge", 0, CLI_FLAG, NULL, "all files are sums written by --save", 0, NULL},
    [CLI_EXPRESSION] = {"expr", 0, CLI_TEXT, "EXPRESSION", "the expression, in C", 0, NULL},
    [CLI_MODEL] = {"model", 0, CLI_TEXT, "NAMES",
                   "what an implementation may do: names of models, separated by commas (default: "
                   "contract)",
                   0, NULL},
    [CLI_QUIET] = {"quiet", 'q', CLI_FLAG, NULL, "show no progress and no warnings", 0, NULL},
    [CLI_MAN] = {"man", 0, CLI_FLAG, NULL, "the man page, in roff", 0, NULL},
    [CLI_COMPLETION] = {"completion", 0, CLI_CHOICE, "SHELL", "completion script for a shell", 0,
                        shell_choice},
    [CLI_HELP] = {"help", 'h', CLI_FLAG, NULL, "show what this verb does and its options", 0, NULL},
};
