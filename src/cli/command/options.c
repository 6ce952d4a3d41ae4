/* The options of all verbs, a row each. Parsing, --help, the man page and the completions of the
 * shells are all made from these rows. */
#include "cli/command/cli.h"

const char *const cli_shells[] = {"bash", "zsh", "fish", NULL};

static const char *output_choice(const cli_verb *verb, size_t i)
{
    static const char *const findings[] = {"report", "json", "sarif", NULL};
    static const char *const pages[] = {"report", "json", "sarif", "html", NULL};
    static const char *const plain[] = {"report", "json", NULL};
    static const char *const pictures[] = {"report", "json", "csv", "svg", "html", NULL};
    static const char *const families[] = {"report", "json", "svg", NULL};
    static const char *const html[] = {"report", "json", "html", NULL};
    static const char *const tables[] = {"report", "json", "markdown", "csv", NULL};
    if (verb->maps) {
        const accord_map_writer *form = accord_map_writer_at(i);
        return form ? form->name : NULL;
    }
    if (verb->families)
        return families[i];
    if (verb->html)
        return html[i];
    if (verb->pictures)
        return pictures[i];
    if (!verb->trees)
        return (verb->tables ? tables : verb->pages ? pages : verb->sarif ? findings : plain)[i];
    const accord_writer *writer = accord_writer_at(i);
    return writer ? writer->name : NULL;
}

static const char *algorithm_choice(const cli_verb *verb, size_t i)
{
    (void)verb;
    const accord_algorithm *algorithm = accord_algorithm_at(i);
    return algorithm ? algorithm->name : NULL;
}

static bool asks_targets(const cli_verb *verb)
{
    for (size_t i = 0; verb->options[i] != CLI_OPTIONS; i++)
        if (verb->options[i] == CLI_SIGNATURE)
            return true;
    return false;
}

/* Targets may have elements that share scales. */
static const char *format_choice(const cli_verb *verb, size_t i)
{
    size_t count = asks_targets(verb) ? ACCORD_E8M0 : ACCORD_FORMAT_COUNT;
    return i < count ? accord_format_get((enum accord_format)i)->name : NULL;
}

static const char *const signatures[] = {
    "sum",         "dot",         "rows",         "columns",         "scaled-dot",
    "sum:encoded", "dot:encoded", "rows:encoded", "columns:encoded", "scaled-dot:encoded",
    NULL};
static const char *const scales[] = {"e8m0", "ue4m3", NULL};
static const char *const unset_numbers[] = {"unknown", "kept", NULL};
static const char *const proofs[] = {"nodes", "probability", NULL};
static const char *const distribution_types[] = {"uniform", "normal", "log-uniform", "file", NULL};
static const char *const languages[] = {"c", NULL};
static const char *const arithmetics[] = {"native", "mpfr", "rational", NULL};
static const char *const distributions[] = {"uniform", "normal", NULL};
static const char *const operations[] = {"sum", "own", "ordered", NULL};
static const char *const types[] = {"f64", "f32", "f16", "bf16", NULL};

static const char *result_choice(const cli_verb *verb, size_t i)
{
    return verb->sums                ? types[i]
           : i < ACCORD_FORMAT_COUNT ? accord_format_get((enum accord_format)i)->name
                                     : NULL;
}

const char *const cli_roundings[] = {"nearest", "zero", "down", "up", "away", NULL};

#define OPTION(type_, letter_, name_, value_, about_, ...)                                         \
    {                                                                                              \
        .type = type_, .letter = letter_, .name = name_, .value = value_, .about = about_,         \
        __VA_ARGS__                                                                                \
    }

#define SETTING(type_, name_, value_, about_, ...)                                                 \
    OPTION(type_, 0, name_, value_, about_, .setting_of = "mpi", __VA_ARGS__)

const cli_option cli_options[CLI_OPTIONS] = {
    [CLI_COUNT] = OPTION(
        CLI_COUNTS, 'n', NULL, "COUNTS",
        "number of terms: 32, a list 8,16,32, or a range 1..10, 10..100+10 or 4..64*2", .least = 1),
    [CLI_OUTPUT] =
        OPTION(CLI_CHOICE, 'O', "output", "FORM",
               "form of the output (default: the form that the ending of FILE names, such as "
               ".json, or else report)",
               .choice = output_choice),
    [CLI_JSON] = OPTION(CLI_FLAG, 0, "json", NULL, "the same as --output json"),
    [CLI_TO] = OPTION(CLI_FILE, 'o', "to", "FILE",
                      "write to FILE, which is written completely or not at all"),
    [CLI_ALGORITHM] = OPTION(CLI_CHOICE, 'a', "algorithm", "NAME", "algorithm that finds the order",
                             .choice = algorithm_choice),
    [CLI_FORMAT] = OPTION(CLI_CHOICE, 'f', "format", "NAME", "format of the input numbers",
                          .choice = format_choice, .synonym = "type"),
    [CLI_SEED] = OPTION(CLI_INTEGER, 'r', "seed", "N", "seed of all random numbers"),
    [CLI_LOOSE] =
        OPTION(CLI_FLAG, 0, "loose", NULL,
               "exit status 0 instead of 3 for an order that random inputs do not confirm"),
    [CLI_REPLAYS] =
        OPTION(CLI_INTEGER, 0, "replays", "N",
               "number of random inputs to replay (default 2000, fewer for very many terms); with "
               "fewer than the default, the order is not proven",
               .least = 1),
    [CLI_PROOF] = OPTION(
        CLI_CHOICE, 0, "proof", "KIND",
        "how the order is proven, one addition after the other or the whole order at once, where "
        "that suits (default: probability with thousands of terms, if it takes fewer calls)",
        .words = proofs),
    [CLI_PROOF_ERROR] =
        OPTION(CLI_REAL, 0, "error", "P",
               "greatest probability with which another order passes a proof by probability "
               "(default 1e-9)"),
    [CLI_BUDGET] =
        OPTION(CLI_LIMIT, 0, "budget", "LIMIT",
               "limit on the time or the number of sums for each question, e.g. 10s or 5000calls; "
               "if the limit cuts the tests short, the order is not proven"),
    [CLI_TIMEOUT] = OPTION(
        CLI_SECONDS, 0, "timeout", "SECONDS",
        "time limit for a batch of calls, or for a run of a program, after which the target or "
        "program counts as hung"),
    [CLI_NO_FORK] =
        OPTION(CLI_FLAG, 0, "no-fork", NULL, "run foreign code in this process (for debuggers)"),
    [CLI_PYTHON] = OPTION(CLI_TEXT, 0, "python", "PROGRAM",
                          "the interpreter for python: targets, which must have the package accord "
                          "(default $ACCORD_PYTHON, or python3)"),
    [CLI_SIGNATURE] = OPTION(
        CLI_CHOICE, 0, "signature", "NAME",
        "signature of so: targets: sum is R f(const T *, size_t); dot is R f(size_t, const "
        "T *, const T *); rows and columns, which are sums along an axis, are void f(size_t, "
        "size_t, const T *, R *); scaled-dot, whose products share scales, is R f(size_t, const T "
        "*, const S *, const T *, const S *); :encoded passes the terms of narrow formats as "
        "integers; "
        "accord targets explains them",
        .words = signatures),
    [CLI_SCALE_BLOCK] = OPTION(CLI_INTEGER, 0, "scale-block", "N",
                               "how many products share a pair of scales, for --signature "
                               "scaled-dot",
                               .least = 2),
    [CLI_SCALE] = OPTION(CLI_CHOICE, 0, "scale", "NAME",
                         "format of these scales, for --signature scaled-dot", .words = scales),
    [CLI_SHAPE] = OPTION(CLI_TEXT, 0, "shape", "MxNxK",
                         "shape of a GEMM, or MxK for a GEMV; the number of terms is then K"),
    [CLI_ELEMENT] = OPTION(CLI_TEXT, 0, "element", "I,J", "the element of the result to reveal"),
    [CLI_TRANS] =
        OPTION(CLI_TEXT, 0, "trans", "NN", "whether A and B are transposed: N (not) or T for each"),
    [CLI_INCX] = OPTION(CLI_INTEGER, 0, "incx", "N",
                        "stride of x; below 0, x is read from its far end", .not_zero = true),
    [CLI_INCY] = OPTION(CLI_INTEGER, 0, "incy", "N",
                        "stride of y; below 0, y is read from its far end", .not_zero = true),
    [CLI_LDA] = OPTION(CLI_INTEGER, 0, "lda", "N", "leading dimension of A", .least = 1),
    [CLI_LDB] = OPTION(CLI_INTEGER, 0, "ldb", "N", "leading dimension of B", .least = 1),
    [CLI_LDC] = OPTION(CLI_INTEGER, 0, "ldc", "N", "leading dimension of C", .least = 1),
    [CLI_ALPHA] = OPTION(CLI_REAL, 0, "alpha", "X", "factor of the product in a GEMV or GEMM"),
    [CLI_BETA] =
        OPTION(CLI_REAL, 0, "beta", "X",
               "factor of the previous contents of the result, which become one more term"),
    [CLI_ALIGN] = OPTION(CLI_INTEGER, 0, "align", "BYTES",
                         "alignment of the first term, in bytes past a 64-byte boundary"),
    [CLI_FROM_FILE] =
        OPTION(CLI_FLAG, 0, "from-file", NULL, "trust FILE and run the target named in it"),
    [CLI_EXPECT] =
        OPTION(CLI_TEXT, 0, "expect", "NOTATION",
               "compare with this order, e.g. \"1000: lanes 8; halves\", not with a FILE"),
    [CLI_RECORD] =
        OPTION(CLI_TEXT, 0, "record", "TARGET",
               "reveal TARGET (with -n, --shape and so on) and save the answer in FOLDER"),
    [CLI_RECORD_NAME] = OPTION(CLI_TEXT, 0, "name", "NAME",
                               "name of the record (default: made from the target's name)"),
    [CLI_UPDATE] = OPTION(CLI_FLAG, 0, "update", NULL,
                          "record whatever is missing in FOLDER for this machine or has changed"),
    [CLI_ALLOW_MISSING] = OPTION(CLI_FLAG, 0, "allow-missing", NULL,
                                 "do not fail if FOLDER contains no record for this machine"),
    [CLI_JUNIT] = OPTION(CLI_FILE, 0, "junit", "FILE", "also write the findings as JUnit XML"),
    [CLI_SARIF] = OPTION(CLI_FILE, 0, "sarif", "FILE", "also write the failures as SARIF"),
    [CLI_GITHUB] =
        OPTION(CLI_FLAG, 0, "github", NULL, "also print the failures as GitHub annotations"),
    [CLI_ENV] = OPTION(
        CLI_EACH, 0, "env", "NAME=V1,V2",
        "values, or a range, of an environment variable (an empty value leaves it unset); repeat "
        "this option for other variables"),
    [CLI_THREADS] = OPTION(
        CLI_COUNTS, 0, "threads", "COUNTS",
        "numbers of threads; sets OMP_NUM_THREADS and the variables of OpenBLAS, MKL and BLIS"),
    [CLI_SHAPES] =
        OPTION(CLI_TEXT, 0, "shape", "A,B",
               "shapes: MxNxK for a GEMM, MxK for a GEMV; the number of terms is then K"),
    [CLI_ALIGNS] =
        OPTION(CLI_TEXT, 0, "align", "LIST",
               "alignments of the first term, in bytes past a 64-byte boundary: 0,4,8 or 0..60"),
    [CLI_TRANSES] = OPTION(CLI_TEXT, 0, "trans", "NN,NT",
                           "whether A and B are transposed: N (not) or T for each"),
    [CLI_FORMATS] =
        OPTION(CLI_CHOICE, 'f', "format", "NAMES", "formats of the input numbers, e.g. f32,bf16",
               .choice = format_choice, .list = true, .synonym = "type"),
    [CLI_BUILD_OPTIONS] =
        OPTION(CLI_TEXT, 0, "build-options", "A,B",
               "options with which the source of an opencl: target is built, after those of its "
               "notation; an empty value adds none"),
    [CLI_SETTING] =
        OPTION(CLI_EACH, 0, "setting", "NAME=V1,V2",
               "values of a setting in the notation of TARGET (an empty value leaves it "
               "out), such as length=1,1000 of an mpi: target, or a range length=1..1000 in which "
               "the changes are sought; repeat this option for "
               "other settings"),
    [CLI_LENGTH] = SETTING(CLI_TEXT, "length", "N",
                           "positions of the vector that ranks add, or of the block of each rank "
                           "(default: 1)"),
    [CLI_OPERATION] = SETTING(CLI_CHOICE, "operation", "NAME",
                              "how ranks add, with MPI_SUM, with an operation of accord's own, or "
                              "with one that is declared as not commutative",
                              .words = operations, .list = true),
    [CLI_IN_PLACE] = SETTING(CLI_FLAG, "in-place", NULL, "ranks add with MPI_IN_PLACE"),
    [CLI_ROOT] = SETTING(CLI_TEXT, "root", "RANK",
                         "the rank that gets the result of a reduction (default: 0)"),
    [CLI_POSITION] =
        SETTING(CLI_TEXT, "position", "N",
                "the position of the vector that is asked about, from 0 on (default: 0)"),
    [CLI_RANK] = SETTING(CLI_TEXT, "rank", "N",
                         "the rank whose result is asked about (default: 0, or the one with a "
                         "result)"),
    [CLI_LAUNCHER] =
        SETTING(CLI_TEXT, "launcher", "COMMAND",
                "the command that starts the ranks, before -n and their number (default: mpirun)",
                .rest = true),
    [CLI_MCA] =
        OPTION(CLI_EACH, 0, "mca", "NAME=V1,V2",
               "values of a parameter of Open MPI, written as for -n if they are numbers; they are "
               "set in the environment variable OMPI_MCA_NAME. With an algorithm "
               "(coll_tuned_...), coll_tuned_use_dynamic_rules is set to 1 as well, unless it is "
               "given"),
    [CLI_BATCH] = OPTION(CLI_COUNTS, 0, "batch", "COUNTS",
                         "the numbers of rows in a batch, written as for -n (default 1..64)"),
    [CLI_UNIFORM] = OPTION(CLI_FLAG, 0, "uniform", NULL,
                           "exit status 1 if there is more than one class of elements"),
    [CLI_EXPAND] = OPTION(CLI_FLAG, 0, "expand", NULL,
                          "pictures draw every term; otherwise, with more than 256 terms, parts "
                          "that repeat are drawn once"),
    [CLI_LANGUAGE] = OPTION(CLI_CHOICE, 0, "language", "NAME", "programming language of the output",
                            .words = languages),
    [CLI_NAME] = OPTION(CLI_TEXT, 0, "name", "NAME",
                        "name of the function (default: made from the target's name)"),
    [CLI_ALTERNATIVE] = OPTION(CLI_TEXT, 0, "alternative", "N",
                               "use another arithmetic that also fits, as listed by accord show: "
                               "its number (from 1) or its words; 0 is the arithmetic in FILE"),
    [CLI_INPUT] =
        OPTION(CLI_FILE, 'i', "input", "FILE", "the numbers to add, or the first factors"),
    [CLI_INPUTS] =
        OPTION(CLI_FILE, 0, "inputs", "FILE",
               "ask for the sums of the inputs in FILE, which has a row for each: the terms, or "
               "the first factors of products"),
    [CLI_SECOND] =
        OPTION(CLI_FILE, 0, "second", "FILE", "the second factors of products (default: all 1)"),
    [CLI_START] =
        OPTION(CLI_FILE, 0, "start", "FILE",
               "the start values, which beta multiplies, one for each sum (default: all 0)"),
    [CLI_SCALES] =
        OPTION(CLI_FILE, 0, "scales", "FILE",
               "the scales of the blocks of the first factors, of a model whose products "
               "share scales (default: all 1)"),
    [CLI_SECOND_SCALES] = OPTION(CLI_FILE, 0, "second-scales", "FILE",
                                 "the scales of the blocks of the second factors (default: all 1)"),
    [CLI_TYPE] = OPTION(
        CLI_CHOICE, 0, "type", "NAME",
        "input files are raw numbers of this type; for .npy files it must agree with the header",
        .words = types),
    [CLI_BIG_ENDIAN] = OPTION(CLI_FLAG, 0, "big-endian", NULL, "raw files are big-endian"),
    [CLI_COLUMN] = OPTION(
        CLI_TEXT, 0, "column", "COLUMN",
        "add this column of tables or .npy files: its number from 1, or its name in the first "
        "line of a table"),
    [CLI_SECOND_COLUMN] = OPTION(CLI_TEXT, 0, "second-column", "COLUMN",
                                 "the column of the second file (default: that of the first file)"),
    [CLI_GROUP_BY] = OPTION(
        CLI_TEXT, 0, "group-by", "COLUMN",
        "one sum for each distinct text in this column, sorted by its bytes; needs memory: at "
        "most 200 bytes for each text, and the text"),
    [CLI_SEPARATOR] = OPTION(
        CLI_TEXT, 0, "separator", "CHAR",
        "the separator between columns: a character such as , or ;, or the word tab or space"),
    [CLI_HEADER] =
        OPTION(CLI_FLAG, 0, "header", NULL, "the first line contains names, not numbers"),
    [CLI_SKIP_EMPTY] = OPTION(CLI_FLAG, 0, "skip-empty", NULL, "leave out empty fields of tables"),
    [CLI_DECIMAL] = OPTION(CLI_FLAG, 0, "decimal", NULL,
                           "add decimals exactly as written, without first rounding them to f64"),
    [CLI_NAIVE] =
        OPTION(CLI_FLAG, 0, "naive", NULL,
               "also add from left to right with rounding, and show the error of that sum"),
    [CLI_ROUNDING] =
        OPTION(CLI_CHOICE, 0, "rounding", "NAME",
               "rounding of the result: to nearest with ties to even, toward zero, down, "
               "up, or to nearest with ties away from zero",
               .words = cli_roundings),
    [CLI_RESULT] =
        OPTION(CLI_CHOICE, 0, "result", "NAME",
               "format of the result of a so:, command: or python: target (default: the format of "
               "the terms, or f32 for scaled-dot)",
               .choice = result_choice, .of_sums = "format of the result (default: f64)"),
    [CLI_WORKERS] = OPTION(CLI_INTEGER, 0, "threads", "N",
                           "maximum number of threads (default 0: one for each processor)"),
    [CLI_EXACT_DEVICE] =
        OPTION(CLI_TEXT, 0, "device", "NAME",
               "add on a device instead of this CPU, with the same bits: opencl, the first OpenCL "
               "device with doubles, or opencl:1 or opencl:NAME, by its number or a part of its "
               "name"),
    [CLI_SAVE] = OPTION(CLI_FILE, 0, "save", "FILE",
                        "save the exact sum so that it can be merged with others; FILE is written "
                        "completely or not at all"),
    [CLI_MERGE] = OPTION(CLI_FLAG, 0, "merge", NULL, "all files are sums written by --save"),
    [CLI_EXPRESSION] = OPTION(CLI_TEXT, 0, "expr", "EXPRESSION", "the expression, in C"),
    [CLI_MODEL] = OPTION(
        CLI_TEXT, 0, "model", "NAMES",
        "what an implementation may do: names of models, separated by commas (default: contract)"),
    [CLI_SYMBOLS] = OPTION(CLI_INTEGER, 0, "symbols", "N",
                           "use affine forms with at most N symbols, which take into account that "
                           "values depend on the same inputs (default 0: no affine forms)"),
    [CLI_FUNCTION_ULP] =
        OPTION(CLI_REAL, 0, "function-ulp", "X",
               "the greatest error of exp, sin and the like, in units in the last place "
               "(default: 1)"),
    [CLI_RECIPROCAL_ULP] = OPTION(CLI_REAL, 0, "reciprocal-ulp", "X",
                                  "with the model fast: the greatest error of reciprocals, "
                                  "quotients and roots, in units in the "
                                  "last place (default: 2)"),
    [CLI_ARITHMETIC] =
        OPTION(CLI_CHOICE, 0, "arithmetic", "NAME",
               "compute single operations with the processor (the default), with MPFR, or with "
               "rational numbers, which have no functions; all give the same bounds",
               .words = arithmetics),
    [CLI_OBSERVE] =
        OPTION(CLI_FLAG, 0, "observe", NULL,
               "also build the program with every compiler that accord finds and all sets of flags "
               "that the model covers, and show the largest difference of each number"),
    [CLI_INPUT_OF_PROGRAM] = OPTION(
        CLI_EACH, 0, "input", "NAME=VALUE",
        "give a variable of the program a number (x=1.5), any number of an interval "
        "(x=[1,2]), a distribution (x=uniform(1,2), x=normal(0,1)) or one number after the "
        "other (a[*]={1,2}); NAME may be x, p.x, a[3], FUNCTION:x or FILE:LINE:x; may be given "
        "several times"),
    [CLI_SEARCH] =
        OPTION(CLI_INTEGER, 0, "search", "N",
               "run the program N times with other values of those inputs that are intervals, and "
               "show those for which a number is widest, or a decision is unstable",
               .least = 1),
    [CLI_BOTH] =
        OPTION(CLI_INTEGER, 0, "both", "N",
               "also follow the other directions of unstable decisions, on N other paths at most "
               "(at most 1000)",
               .least = 1),
    [CLI_CURE] =
        OPTION(CLI_TEXT, 0, "cure", "TARGET",
               "find lines that must be computed as written so that number N is no wider than W "
               "(N=W, or all=W for all numbers), or the decision in a line is stable (FILE:LINE)"),
    [CLI_TAPE] = OPTION(CLI_TEXT, 0, "tape", "LIMIT",
                        "memory for first-order spreads, such as 500M or 4G; longer runs are done "
                        "in segments (default: 1G; 0: no first-order spreads)"),
    [CLI_UNSET] = OPTION(CLI_CHOICE, 0, "unset", "KIND",
                         "count numbers that a program reads from memory that it has not set as "
                         "unknown (default), or keep them as they were in this run",
                         .words = unset_numbers),
    [CLI_FIRST_ORDER] =
        OPTION(CLI_INTEGER, 0, "first-order", "N",
               "compute the first-order spreads of the first N numbers that can move, whatever "
               "it takes (default: of as many as a few seconds allow)",
               .least = 1),
    [CLI_SAMPLES] = OPTION(CLI_INTEGER, 0, "samples", "N",
                           "number of inputs, of each kind that is compared (default: 1000, for "
                           "tolerances 16384, or fewer with very many terms)",
                           .least = 1),
    [CLI_KINDS] = OPTION(CLI_TEXT, 0, "kinds", "LIST",
                         "the kinds of inputs to compare, separated by commas, such as "
                         "normal,log-normal,cancelling (default: normal,positive, for vary "
                         "normal; doc/json.md has the list)"),
    [CLI_CHECKS] = OPTION(CLI_INTEGER, 0, "checks", "N",
                          "number of n at which a family is checked (default 200)", .least = 1),
    [CLI_ACCUMULATOR] =
        OPTION(CLI_TEXT, 0, "accumulator", "NAME",
               "the accumulator that a right implementation may have: a format such as f32 or "
               "bf16, or a machine such as fused:hopper-f16 (default: what was revealed, if it is "
               "at least as wide as f32 and the result)"),
    [CLI_ALLOW_NONDETERMINISTIC] =
        OPTION(CLI_FLAG, 0, "allow-nondeterministic", NULL,
               "do not count it as a fault if results vary when an input is asked again"),
    [CLI_RUNS] = OPTION(CLI_INTEGER, 0, "runs", "N",
                        "ask N times under each setting (default: 1000; with --batch 4 times at "
                        "each place)",
                        .least = 1),
    [CLI_BATCHES] = OPTION(CLI_COUNTS, 0, "batch", "COUNTS",
                           "put the row at every place of batches of these sizes, written as for "
                           "-n, such as 1..64"),
    [CLI_LOAD] = OPTION(CLI_FLAG, 0, "load", NULL,
                        "keep all processors busy with other work meanwhile, which changes how "
                        "threads are scheduled"),
    [CLI_A_MAX] = OPTION(CLI_REAL, 0, "a-max", "A",
                         "no term, or first factor, is larger than A in magnitude (default: 1)"),
    [CLI_B_MAX] = OPTION(CLI_REAL, 0, "b-max", "B",
                         "no second factor is larger than B in magnitude (default: 1)"),
    [CLI_C_MAX] = OPTION(CLI_REAL, 0, "c-max", "C",
                         "no start value is larger than C in magnitude (default: 1)"),
    [CLI_NONNEGATIVE] = OPTION(CLI_FLAG, 0, "nonnegative", NULL,
                               "no input is negative, so that terms do not cancel"),
    [CLI_DISTRIBUTION] =
        OPTION(CLI_CHOICE, 0, "distribution", "NAME",
               "random inputs are uniform within the limits, or normal with a sixth of the limit "
               "as standard deviation (default: uniform)",
               .words = distributions),
    [CLI_ELEMENTS] = OPTION(CLI_INTEGER, 0, "elements", "N",
                            "number of elements of an array, which breaks a tolerance if one of "
                            "them does (default: as many as the target gives at once)",
                            .least = 1),
    [CLI_LEVEL] = OPTION(CLI_REAL, 0, "level", "P",
                         "the fraction of arrays that may break the statistical tolerances "
                         "(default: 1e-6)"),
    [CLI_METHOD] = OPTION(CLI_TEXT, 0, "method", "LIST",
                          "parallel reductions instead of a target: AO, SPA, SPTR, SPRG, TPRC, "
                          "with -kahan and -shuffle (doc/vary.md)"),
    [CLI_CROSS_PLATFORM] =
        OPTION(CLI_FLAG, 0, "cross-platform", NULL,
               "compute 100 sums whose bits on a V100 GPU are known, and compare"),
    [CLI_PERFORMANCE] = OPTION(CLI_FLAG, 0, "performance", NULL,
                               "measure the time of the methods for each block and grid"),
    [CLI_MAPPING] = OPTION(CLI_FLAG, 0, "mapping", NULL,
                           "show which block takes which turn at the counter of the last stage"),
    [CLI_SWEEP] = OPTION(CLI_FILE, 0, "sweep", "FILE",
                         "take options that are not given from FILE, a JSON object with their "
                         "names"),
    [CLI_DEVICE] = OPTION(CLI_TEXT, 0, "device", "NAME",
                          "where methods run: simulation, with orders drawn from the seed, "
                          "threads, or opencl, also as opencl:1 or opencl:NAME where there "
                          "are several devices (default: simulation)"),
    [CLI_AGAINST] = OPTION(CLI_TEXT, 0, "against", "DEVICE",
                           "also run the first array on this device, and test whether both give "
                           "results of one distribution: simulation, threads, or opencl"),
    [CLI_SCHEDULE] = OPTION(CLI_TEXT, 0, "schedule", "NAME",
                            "orders of the simulation: permutation, or waves:WORKERS,BURST "
                            "(default: permutation)"),
    [CLI_BLOCK_SIZE] =
        OPTION(CLI_COUNTS, 0, "block", "COUNTS",
               "threads in a block, powers of two up to 1024 (default: 64)", .least = 1),
    [CLI_GRID_SIZE] = OPTION(
        CLI_COUNTS, 0, "grid", "COUNTS",
        "the greatest number of blocks (default: as many as there are terms for)", .least = 1),
    [CLI_ARRAYS] = OPTION(CLI_INTEGER, 0, "arrays", "N",
                          "spread the runs over N arrays (default: 1)", .least = 1),
    [CLI_NUMBER_OF_SAMPLES] = OPTION(CLI_INTEGER, 'S', "number_of_samples", "N",
                                     "the same as --runs, with methods", .least = 1),
    [CLI_MIN_SIZE] =
        OPTION(CLI_INTEGER, 0, "min_reduction_size", "N",
               "the least length; the others follow by factors of 10 (default: 10)", .least = 1),
    [CLI_MAX_SIZE] = OPTION(CLI_INTEGER, 0, "max_reduction_size", "N",
                            "the greatest length (default: 100000)", .least = 1),
    [CLI_DISTRIBUTION_TYPE] =
        OPTION(CLI_CHOICE, 'd', "distribution_type", "NAME",
               "the numbers that methods add: A*(x-C) with x in (0,1] (uniform, "
               "the default), normal around C, log-uniform from 1/A to A, or "
               "those of --inputs (file)",
               .words = distribution_types),
    [CLI_AMPLITUDE] = OPTION(CLI_REAL, 'A', "distribution_amplitude", "A", "A (default: 10)"),
    [CLI_CENTER] = OPTION(CLI_REAL, 'c', "distribution_center", "C", "C (default: 0)"),
    [CLI_DEVIATION] =
        OPTION(CLI_REAL, 0, "standard_deviation", "X", "of the normal distribution (default: 0.5)"),
    [CLI_ATOMIC_ONLY] = OPTION(CLI_FLAG, 0, "atomic_only", NULL, "the same as --method AO"),
    [CLI_PROGRAM] = OPTION(
        CLI_FLAG, 0, "program", NULL,
        "the operands are the C files of a program, which is built with many compilers and flags"),
    [CLI_RUN] = OPTION(CLI_REST, 0, "run", "ARGUMENTS...",
                       "the arguments of the program: all words that follow"),
    [CLI_JOBS] = OPTION(CLI_INTEGER, 'j', "jobs", "N",
                        "number of builds, and of runs of the program, at the same time (default: "
                        "one build for each processor, and one run)",
                        .least = 1),
    [CLI_QUIET] = OPTION(CLI_FLAG, 'q', "quiet", NULL, "show no progress and no warnings"),
    [CLI_MAN] = OPTION(CLI_FLAG, 0, "man", NULL, "write the man page, in roff"),
    [CLI_COMPLETION] = OPTION(CLI_CHOICE, 0, "completion", "SHELL",
                              "write a completion script for this shell", .words = cli_shells),
    [CLI_HELP] = OPTION(CLI_FLAG, 'h', "help", NULL, "show what this verb does and its options"),
};
