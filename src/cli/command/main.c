/* The command `accord`: finds the verb, reads its options, and runs it. One list of verbs; each
 * verb is a file in orders/, compare/, check/ or sums/. */
#include "cli/command/cli.h"
#include <locale.h>

static const cli_verb *const verbs[] = {
    &cli_reveal,  &cli_show,   &cli_diff, &cli_explain,  &cli_tolerance, &cli_vary,
    &cli_map,     &cli_family, &cli_emit, &cli_features, &cli_check,     &cli_sweep,
    &cli_batch,   &cli_replay, &cli_sum,  &cli_dot,      &cli_bound,     &cli_cc,
    &cli_targets, &cli_info,   &cli_help, NULL};

static int print(void (*make)(const cli_verb *const *verbs, accordi_buffer *out))
{
    cli_args none = {.verb = &cli_help};
    accordi_buffer text = {0};
    make(verbs, &text);
    return cli_output_text(&none, &text);
}

static void version(const cli_verb *const *all, accordi_buffer *out)
{
    (void)all;
    accordi_buffer_printf(out, "accord %s\n", accord_version());
}

/* Below the message that a target is wrong: where, if its order is written in one line. What stands
 * behind the order are settings of synthetic targets, of which there are more than of models. */
static void mark_targets(const cli_args *args)
{
    static const char prefix[] = "synthetic:";
    for (size_t i = 0; i < args->operands; i++) {
        if (strncmp(args->operand[i], prefix, strlen(prefix)) != 0)
            continue;
        char *order = cli_need(accordi_strdup(args->operand[i] + strlen(prefix)));
        order[strcspn(order, ",")] = '\0';
        cli_mark_notation(order);
        free(order);
    }
}

static int run_verb(const cli_verb *verb, int argc, char **argv)
{
    cli_args args;
    int status = CLI_USAGE;
    if (cli_parse(verb, argc, argv, &args)) {
        args.verbs = verbs;
        if (args.text[CLI_HELP]) {
            accordi_buffer text = {0};
            cli_args none = {.verb = verb};
            cli_help_verb(verb, &text);
            status = cli_output_text(&none, &text);
        } else {
            status = verb->run(&args);
            if (cli_misread())
                mark_targets(&args);
        }
    }
    free(args.operand);
    free(args.said);
    return status;
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, ""); /* for UTF-8; numbers stay as in C */
    cli_catch_signals();
    if (argc < 2)
        return cli_misuse("a verb is missing, e.g. accord reveal blas:sdot -n 32; see accord help");
    int status = CLI_USAGE;
    const char *word = argv[1];
    const cli_verb *verb = cli_verb_by_name(verbs, word);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        status = print(version);
    else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        status = print(cli_help_overview);
    else if (!verb)
        cli_no_verb(verbs, word);
    else
        status = run_verb(verb, argc - 2, argv + 2);
    return cli_signal() ? 128 + cli_signal() : status;
}
