/* accord tolerance: how far right implementations of a sum may be apart. */
#include "cli/explain/explain.h"
#include "cli/numbers/numbers.h"

typedef struct work {
    const cli_args *args;
    accord_target *target;
    bool question_only;
    accord_tolerance_options options;
    cli_numbers x, y, start;
} work;

/* ---- the question ---- */

/* The words that stand for a question without an implementation. */
static const struct {
    const char *word, *settings;
} kinds[] = {{"sum", ""}, {"dot", ",products"}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Stands in for a target: a textbook sum with the formats of the question. */
static int open_kind(work *w, const char *settings, accord_target_options *question)
{
    char notation[80], output[20] = "";
    accord_error error;
    if (w->args->text[CLI_RESULT])
        snprintf(output, sizeof output, ",out=%s", w->args->text[CLI_RESULT]);
    question->has_result = false;
    snprintf(notation, sizeof notation, "synthetic:sequential%s%s", settings, output);
    w->question_only = true;
    enum accord_status status = accord_target_open(notation, question, &w->target, &error);
    return status == ACCORD_OK ? CLI_YES : cli_fail(&error);
}

static int open_question(work *w)
{
    const char *name = w->args->operand[0];
    accord_target_options question;
    accord_error error;
    cli_question(w->args, NULL, &question);
    size_t i = 0;
    while (i < KINDS && strcmp(kinds[i].word, name) != 0)
        i++;
    if (i == KINDS && !cli_is_target(name))
        return cli_misuse("%s is not a target; give one, such as blas:sdot@openblas (accord "
                          "targets lists the kinds), or sum or dot, which name no target",
                          name);
    if (i < KINDS && !w->args->text[CLI_COUNT])
        return cli_misuse("the number of terms is missing; give it with -n, e.g. -n 1024");
    if (!cli_question_count(w->args, "tolerance takes one number of terms; give it with -n",
                            &question.n))
        return CLI_USAGE;
    if (i < KINDS)
        return open_kind(w, kinds[i].settings, &question);
    enum accord_status status = accord_target_open(name, &question, &w->target, &error);
    return status == ACCORD_OK ? CLI_YES : cli_fail(&error);
}

/* ---- inputs from files ---- */

static int read_one(const work *w, enum cli_option_id id, size_t columns, cli_numbers *out)
{
    const char *path = w->args->text[id];
    const cli_numbers_options options = {w->args->text[CLI_TYPE],
                                         w->args->text[CLI_BIG_ENDIAN] != NULL, w->target->format};
    if (!path)
        return CLI_YES;
    int status = cli_numbers_read(path, &options, out);
    if (status == CLI_YES && !cli_numbers_shape(out, path, "each sum", columns))
        status = CLI_USAGE;
    if (status == CLI_YES && id != CLI_INPUTS && out->rows != w->x.rows)
        return cli_misuse("%s contains %zu rows, but %s contains %zu; give as many",
                          w->args->text[id], out->rows, w->args->text[CLI_INPUTS], w->x.rows);
    return status;
}

static int read_inputs(work *w)
{
    static const enum cli_option_id box[] = {CLI_A_MAX, CLI_B_MAX, CLI_C_MAX, CLI_NONNEGATIVE,
                                             CLI_DISTRIBUTION};
    const char *const *text = w->args->text;
    size_t terms = w->target->n - w->target->has_start;
    if (!text[CLI_INPUTS])
        return text[CLI_SECOND] || text[CLI_START]
                   ? cli_misuse("--second and --start go with --inputs, which is missing")
                   : CLI_YES;
    for (size_t i = 0; i < sizeof box / sizeof box[0]; i++)
        if (text[box[i]])
            return cli_misuse("--%s describes inputs that --inputs gives; leave one of them out",
                              cli_options[box[i]].name);
    int status = read_one(w, CLI_INPUTS, terms, &w->x);
    if (status == CLI_YES)
        status = read_one(w, CLI_SECOND, terms, &w->y);
    if (status == CLI_YES)
        status = read_one(w, CLI_START, 1, &w->start);
    w->options.x = w->x.value;
    w->options.y = w->y.value;
    w->options.start = w->start.value;
    w->options.rows = w->x.rows;
    return status;
}

/* ---- the answer ---- */

static bool positive(const cli_args *args, enum cli_option_id id)
{
    return !args->text[id] || cli_real(args, id, 1) > 0 ||
           cli_refuse("--%s %s: give a positive number", cli_options[id].name, args->text[id]);
}

static int read_options(work *w)
{
    const cli_args *args = w->args;
    accord_tolerance_options *options = &w->options;
    accord_reveal_options budget;
    accord_error error;
    if (!positive(args, CLI_A_MAX) || !positive(args, CLI_B_MAX) || !positive(args, CLI_C_MAX) ||
        !positive(args, CLI_LEVEL))
        return CLI_USAGE;
    accord_reveal_options_init(&budget);
    if (args->text[CLI_BUDGET] &&
        accord_reveal_budget(args->text[CLI_BUDGET], &budget, &error) != ACCORD_OK)
        return cli_fail(&error);
    options->seed = (uint64_t)cli_integer(args, CLI_SEED, 0);
    options->a_max = cli_real(args, CLI_A_MAX, 1);
    options->b_max = cli_real(args, CLI_B_MAX, 1);
    options->c_max = cli_real(args, CLI_C_MAX, 1);
    options->nonnegative = args->text[CLI_NONNEGATIVE] != NULL;
    const char *drawn = args->text[CLI_DISTRIBUTION];
    if (drawn && strcmp(drawn, "normal") == 0)
        options->distribution = ACCORD_TOLERANCE_NORMAL;
    else if (drawn && strcmp(drawn, "uniform") != 0)
        return cli_misuse("--distribution %s: tolerance draws uniform or normal inputs", drawn);
    options->elements = (uint64_t)cli_integer(args, CLI_ELEMENTS, 0);
    options->level = cli_real(args, CLI_LEVEL, 0);
    options->samples = (uint64_t)cli_integer(args, CLI_SAMPLES, 0);
    options->accumulator = args->text[CLI_ACCUMULATOR];
    options->question_only = w->question_only;
    options->budget_calls = budget.budget_calls;
    options->budget_seconds = budget.budget_seconds;
    return CLI_YES;
}

static int answer(work *w)
{
    accord_tolerance found;
    accord_error error;
    cli_bar bar;
    cli_bar_start(&bar, "simulating", w->args->text[CLI_QUIET] != NULL);
    w->options.progress = cli_bar_step;
    w->options.progress_context = &bar;
    enum accord_status status = accord_tolerance_find(w->target, &w->options, &found, &error);
    cli_bar_end(&bar);
    if (status != ACCORD_OK)
        return cli_fail(&error);
    accordi_buffer text = {0};
    (cli_wants_json(w->args) ? cli_tolerance_json : cli_tolerance_report)(&text, w->target,
                                                                          &w->options, &found);
    return cli_output_text(w->args, &text);
}

static int run_tolerance(const cli_args *args)
{
    work w = {.args = args};
    accord_tolerance_options_init(&w.options);
    int status = open_question(&w);
    if (status == CLI_YES)
        status = read_options(&w);
    if (status == CLI_YES)
        status = read_inputs(&w);
    if (status == CLI_YES)
        status = answer(&w);
    accord_target_close(w.target);
    free(w.x.value);
    free(w.y.value);
    free(w.start.value);
    return status;
}

const cli_verb cli_tolerance = {
    .name = "tolerance",
    .operands = "TARGET|sum|dot",
    .about = "find the tolerances that a test of a sum needs: atol and rtol",
    .text =
        "Prints the tolerances with which numpy.testing.assert_allclose and "
        "torch.testing.assert_close compare sums, for inputs within limits or from a file: two "
        "pairs that no right implementation breaks (proven), and two that at most one array in a "
        "million breaks in simulated reference orders. One pair of each kind is for comparison "
        "with the exact result, and one for comparison with another right implementation. A right "
        "implementation adds in any order, in an accumulator at least as wide as the one named. "
        "The target says what is added, and its order is revealed to find its accumulator; sum and "
        "dot name no target, and take the formats from --format and --result. An array breaks a "
        "pair if one of its elements does; --elements says how many it has.",
    .least = 1,
    .most = 1,
    .options = {CLI_COUNT,        CLI_A_MAX,       CLI_B_MAX,   CLI_C_MAX,       CLI_NONNEGATIVE,
                CLI_DISTRIBUTION, CLI_INPUTS,      CLI_SECOND,  CLI_START,       CLI_TYPE,
                CLI_BIG_ENDIAN,   CLI_ELEMENTS,    CLI_LEVEL,   CLI_ACCUMULATOR, CLI_SAMPLES,
                CLI_SEED,         CLI_OUTPUT,      CLI_JSON,    CLI_TO,          CLI_FORMAT,
                CLI_RESULT,       CLI_BUDGET,      CLI_TIMEOUT, CLI_PYTHON,      CLI_NO_FORK,
                CLI_SIGNATURE,    CLI_SCALE_BLOCK, CLI_SCALE,   CLI_OPERANDS,    CLI_QUIET,
                CLI_HELP,         CLI_OPTIONS},
    .examples = {{"accord tolerance dot -n 1024 --format bf16 --elements 1048576",
                  "dot products of bf16 numbers from -1 to 1, a million at once"},
                 {"accord tolerance blas:sgemm --shape 64x64x4096 --a-max 6 --b-max 6 "
                  "--distribution normal",
                  "a matrix product of normal numbers, of standard deviation 1"},
                 {"accord tolerance sum -n 1000 --format f32 --nonnegative --level 1e-3",
                  "sums of numbers from 0 to 1; one array in a thousand may break the pair"},
                 {"accord tolerance dot -n 256 --inputs x.npy --second y.npy --json",
                  "the dot products of the rows of two arrays, as JSON"}},
    .run = run_tolerance,
};
