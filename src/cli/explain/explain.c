/* accord explain: why the results of two implementations differ. */
#include "cli/explain/explain.h"
#include "cli/check/check.h"
#include <jansson.h>

static int open_one(const cli_args *args, const cli_given *given, size_t i, size_t n,
                    accord_target **out)
{
    accord_target_options options;
    accord_error error;
    if (!cli_is_target(args->operand[i]))
        return cli_given_target(args, given, i, n, out);
    cli_question(args, NULL, &options);
    options.n = n;
    /* --result may be of results in files; not all targets have a choice. */
    options.has_result &= !given->count || cli_takes_result(args->operand[i]);
    enum accord_status status = accord_target_open(args->operand[i], &options, out, &error);
    return status == ACCORD_OK ? CLI_YES : cli_fail(&error);
}

static int open_all(const cli_args *args, cli_given *given, accord_target **target)
{
    size_t n = 0;
    int status = cli_given_read(args, given, &n);
    if (status == CLI_YES && !given->inputs.rows &&
        !cli_question_count(args, "explain takes one number of terms; give it with -n", &n))
        status = CLI_USAGE;
    for (size_t i = 0; i < args->operands && status == CLI_YES; i++)
        status = open_one(args, given, i, n, &target[i]);
    return status;
}

static int exit_of(enum accord_explained verdict)
{
    static const int codes[ACCORD_EXPLAINED_COUNT] = {
        [ACCORD_EXPLAINED_ORDER] = CLI_YES,          [ACCORD_EXPLAINED_NOISE] = CLI_YES,
        [ACCORD_EXPLAINED_CANNOT_TELL] = CLI_UNABLE, [ACCORD_EXPLAINED_SUSPECT] = CLI_DIFFERS,
        [ACCORD_EXPLAINED_BUG] = CLI_DIFFERS,
    };
    return codes[verdict];
}

/* A finding for each implementation, with the whole report where one is at fault. */
static int write_findings(const cli_args *args, const accord_explanation *in)
{
    static const enum cli_outcome outcomes[ACCORD_EXPLAINED_COUNT] = {
        [ACCORD_EXPLAINED_CANNOT_TELL] = CLI_OPEN,
        [ACCORD_EXPLAINED_SUSPECT] = CLI_CHANGED,
        [ACCORD_EXPLAINED_BUG] = CLI_CHANGED,
    };
    cli_findings all = {.verb = "explain", .folder = cli_need(accordi_strdup("implementations"))};
    accordi_buffer report = {0}, whole = {0};
    cli_explain_report(&whole, in);
    for (size_t i = 0; i < in->sides; i++) {
        const accord_explain_side *side = &in->side[i];
        const cli_finding found = {.outcome = outcomes[side->verdict],
                                   .word = accord_explained_name(side->verdict),
                                   .json = cli_need(json_object())};
        accordi_buffer subject = {0};
        accordi_buffer_printf(&subject, "%s, %lld terms", side->target, (long long)side->record->n);
        const char *file = cli_is_target(args->operand[i]) ? "" : args->operand[i];
        cli_findings_put(&all, found, "accord.explain", file, subject.data ? subject.data : "",
                         side->words, whole.data && outcomes[side->verdict] ? whole.data : "");
        accordi_buffer_clear(&subject);
    }
    const char *form = cli_output_form(args);
    (strcmp(form, "json") == 0   ? cli_explain_json
     : strcmp(form, "html") == 0 ? cli_explain_html
                                 : cli_explain_report)(&report, in);
    accordi_buffer_clear(&whole);
    int status = cli_reports_write_with(args, &all, &report);
    cli_findings_clear(&all);
    return status;
}

static int run_explain(const cli_args *args)
{
    accord_target *target[2] = {NULL, NULL};
    accord_explain_options options;
    accord_reveal_options budget;
    accord_explanation *explanation = NULL;
    accord_error error;
    cli_given given = {0};
    cli_bar bar;
    int status = cli_reports_try(args);
    if (status == CLI_YES)
        status = open_all(args, &given, target);
    accord_explain_options_init(&options);
    accord_reveal_options_init(&budget);
    if (status == CLI_YES && args->text[CLI_BUDGET] &&
        accord_reveal_budget(args->text[CLI_BUDGET], &budget, &error) != ACCORD_OK)
        status = cli_fail(&error);
    if (status == CLI_YES) {
        options.seed = (uint64_t)cli_integer(args, CLI_SEED, 0);
        options.inputs = (uint64_t)cli_integer(args, CLI_SAMPLES, 0);
        options.kinds = args->text[CLI_KINDS];
        options.given = given.inputs.rows ? &given.inputs : NULL;
        options.accumulator = args->text[CLI_ACCUMULATOR];
        options.allow_nondeterministic = args->text[CLI_ALLOW_NONDETERMINISTIC] != NULL;
        options.budget_calls = budget.budget_calls;
        options.budget_seconds = budget.budget_seconds;
        cli_bar_start(&bar, "explaining", args->text[CLI_QUIET] != NULL);
        options.progress = cli_bar_step;
        options.progress_context = &bar;
        enum accord_status found =
            accord_explain(target[0], target[1], &options, &explanation, &error);
        cli_bar_end(&bar);
        status = found == ACCORD_OK ? CLI_YES : cli_fail(&error);
    }
    if (status == CLI_YES) {
        status = write_findings(args, explanation);
        if (status == CLI_YES)
            status = exit_of(explanation->verdict);
    }
    accord_explanation_free(explanation);
    accord_target_close(target[0]);
    accord_target_close(target[1]);
    cli_given_clear(&given);
    return status;
}

const cli_verb cli_explain = {
    .name = "explain",
    .operands = "A [B]",
    .about = "tell why two implementations differ: order, noise, or a bug",
    .text =
        "Two implementations of a sum rarely give the same bits. This command says whether the "
        "difference is one that right implementations may have. Each implementation is compared "
        "with the exact result. If its order is found and replays every result bit for bit, the "
        "verdict is order. If an error is larger than any order, any fusing of products and any "
        "accumulator at least as wide as the one named can cause, the verdict is bug, with a small "
        "input that shows it. Errors inside that envelope are tested for a bias, truncated "
        "results, a common factor, a constant that is added, operands that are cut, errors that "
        "are too large, and terms that are missing or added twice; each test is compared with "
        "reference orders that are simulated on the same inputs. If a test exceeds them, the "
        "verdict is suspect; otherwise it is noise. With one target, that one is judged alone. A "
        "and B may also be files of results, whose inputs are then in other files: --inputs has a "
        "row for each result, and --second the second factors of products, or each row has all "
        "first and then all second factors (-n is the number of terms). With the --shape of a GEMV "
        "or GEMM, --inputs and --second may hold its two matrices, as they are stored, --start the "
        "matrix that beta multiplies, and each file of results a matrix. Targets can be asked for "
        "inputs from files, too. For such inputs, only the order, the envelope and the tests of "
        "terms decide. Files are text, tables, .npy or raw numbers; --result is the format that "
        "results were rounded to (default: the narrowest of bf16, f16, f32 and f64 that holds them "
        "all). The exit status is 0 for order and noise, 1 for suspect and bug, and 3 if too "
        "little could be tested.",
    .least = 1,
    .most = 2,
    .html = true,
    .options =
        {CLI_COUNT,    CLI_OUTPUT,    CLI_JSON,        CLI_TO,          CLI_FORMAT,
         CLI_SEED,     CLI_SAMPLES,   CLI_KINDS,       CLI_ACCUMULATOR, CLI_ALLOW_NONDETERMINISTIC,
         CLI_INPUTS,   CLI_SECOND,    CLI_START,       CLI_TYPE,        CLI_BIG_ENDIAN,
         CLI_JUNIT,    CLI_GITHUB,    CLI_BUDGET,      CLI_TIMEOUT,     CLI_PYTHON,
         CLI_NO_FORK,  CLI_SIGNATURE, CLI_SCALE_BLOCK, CLI_SCALE,       CLI_RESULT,
         CLI_OPERANDS, CLI_QUIET,     CLI_HELP,        CLI_OPTIONS},
    .examples = {{"accord explain blas:sdot@openblas blas:sdot@blis -n 1000", "two libraries"},
                 {"accord explain so:./mine.so:my_dot blas:sdot --signature dot -n 1024",
                  "a function of your own against a library"},
                 {"accord explain so:./mine.so:my_sum -n 1000 --accumulator bf16",
                  "one implementation, which may accumulate in bf16"},
                 {"accord explain a.npy b.npy --inputs x.npy --second y.npy",
                  "results of dot products that were computed before"},
                 {"accord explain c.npy --inputs a.npy --second b.npy --shape 512x512x256",
                  "a matrix that was computed before, of 512 rows and columns"},
                 {"accord explain blas:sgemm --shape 8x8x64 --kinds normal,cancelling --json",
                  "an element of a product, as JSON"}},
    .run = run_explain,
};
