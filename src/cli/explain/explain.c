/* accord explain: why the results of two implementations differ. */
#include "cli/explain/explain.h"

static int open_one(const cli_args *args, size_t i, accord_target **out)
{
    accord_target_options options;
    accord_error error;
    if (!cli_is_target(args->operand[i]))
        return cli_misuse("%s is not a target; explain asks implementations, such as "
                          "blas:sdot@openblas (accord targets lists the kinds)",
                          args->operand[i]);
    cli_question(args, NULL, &options);
    if (!cli_question_count(args, "explain takes one number of terms; give it with -n", &options.n))
        return CLI_USAGE;
    enum accord_status status = accord_target_open(args->operand[i], &options, out, &error);
    return status == ACCORD_OK ? CLI_YES : cli_fail(&error);
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

static int run_explain(const cli_args *args)
{
    accord_target *target[2] = {NULL, NULL};
    accord_explain_options options;
    accord_reveal_options budget;
    accord_explanation *explanation = NULL;
    accord_error error;
    cli_bar bar;
    int status = CLI_YES;
    for (size_t i = 0; i < args->operands && status == CLI_YES; i++)
        status = open_one(args, i, &target[i]);
    accord_explain_options_init(&options);
    accord_reveal_options_init(&budget);
    if (status == CLI_YES && args->text[CLI_BUDGET] &&
        accord_reveal_budget(args->text[CLI_BUDGET], &budget, &error) != ACCORD_OK)
        status = cli_fail(&error);
    if (status == CLI_YES) {
        options.seed = (uint64_t)cli_integer(args, CLI_SEED, 0);
        options.inputs = (uint64_t)cli_integer(args, CLI_SAMPLES, 0);
        options.kinds = args->text[CLI_KINDS];
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
        accordi_buffer text = {0};
        (cli_wants_json(args) ? cli_explain_json : cli_explain_report)(&text, explanation);
        status = cli_output_text(args, &text);
        if (status == CLI_YES)
            status = exit_of(explanation->verdict);
    }
    accord_explanation_free(explanation);
    accord_target_close(target[0]);
    accord_target_close(target[1]);
    return status;
}

const cli_verb cli_explain = {
    .name = "explain",
    .operands = "A [B]",
    .about = "tell why two implementations differ: order, noise, or a bug",
    .text =
        "Two implementations of a sum rarely give the same bits. This command says whether they "
        "may differ as they do. Each is judged against the exact result. If its order is found "
        "and replays every result bit for bit, the verdict is order. If an error is larger than "
        "any order, any fusing of products and any accumulator at least as wide as the one named "
        "can cause, the verdict is bug, with a small input that shows it. What lies inside that "
        "envelope is tested for a bias, truncated results, a common factor, a constant that is "
        "added, operands that are cut, errors that are too large, and terms that are missing or "
        "added twice; each test is held against reference orders that are simulated on the same "
        "inputs. What is outside them is suspect. Everything else is noise. With one target, that "
        "one is judged alone. The exit status is 0 for order and noise, 1 for suspect and bug, "
        "and 3 if it cannot be told.",
    .least = 1,
    .most = 2,
    .options = {CLI_COUNT,  CLI_OUTPUT,   CLI_JSON,   CLI_TO,          CLI_FORMAT,
                CLI_SEED,   CLI_SAMPLES,  CLI_KINDS,  CLI_ACCUMULATOR, CLI_ALLOW_NONDETERMINISTIC,
                CLI_BUDGET, CLI_TIMEOUT,  CLI_PYTHON, CLI_NO_FORK,     CLI_SIGNATURE,
                CLI_RESULT, CLI_OPERANDS, CLI_QUIET,  CLI_HELP,        CLI_OPTIONS},
    .examples = {{"accord explain blas:sdot@openblas blas:sdot@blis -n 1000", "two libraries"},
                 {"accord explain so:./mine.so:my_dot blas:sdot --signature dot -n 1024",
                  "a function of one's own against a library"},
                 {"accord explain so:./mine.so:my_sum -n 1000 --accumulator bf16",
                  "one implementation, which may accumulate in bf16"},
                 {"accord explain blas:sgemm --shape 8x8x64 --kinds normal,cancelling --json",
                  "an element of a product, as JSON"}},
    .run = run_explain,
};
