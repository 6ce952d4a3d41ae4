/* The command `accord`: finds the verb, reads its options, runs it. */
#include "cli/command/cli.h"
#include <locale.h>

static const cli_verb *const verbs[] = {&cli_reveal,  &cli_show,     &cli_diff,  &cli_map,
                                        &cli_emit,    &cli_features, &cli_check, &cli_sweep,
                                        &cli_batch,   &cli_replay,   &cli_sum,   &cli_dot,
                                        &cli_targets, &cli_info,     &cli_help};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

const cli_verb *cli_verb_at(size_t i)
{
    return i < VERBS ? verbs[i] : NULL;
}

const cli_verb *cli_verb_by_name(const char *name)
{
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

static int print(void (*make)(accordi_buffer *))
{
    cli_args none = {.verb = &cli_help};
    accordi_buffer text = {0};
    make(&text);
    return cli_output_text(&none, &text);
}

static void version(accordi_buffer *out)
{
    accordi_buffer_printf(out, "accord %s\n", accord_version());
}

static const char *verb_name(const void *list, size_t i)
{
    (void)list;
    return i < VERBS ? verbs[i]->name : NULL;
}

void cli_no_verb(const char *word)
{
    const char *near = accordi_nearest(word, verb_name, NULL);
    if (near)
        cli_error("there is no verb \"%s\"; did you mean accord %s?", word, near);
    else
        cli_error("there is no verb \"%s\"; see accord help", word);
}

static int run(const cli_verb *verb, int argc, char **argv)
{
    cli_args args;
    int status = CLI_USAGE;
    if (cli_parse(verb, argc, argv, &args)) {
        if (args.text[CLI_HELP]) {
            accordi_buffer text = {0};
            cli_args none = {.verb = verb};
            cli_help_verb(verb, &text);
            status = cli_output_text(&none, &text);
        } else {
            status = verb->run(&args);
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
    if (argc < 2) {
        cli_error("a verb is missing, e.g. accord reveal blas:sdot -n 32; see accord help");
        return CLI_USAGE;
    }
    int status = CLI_USAGE;
    const char *word = argv[1];
    const cli_verb *verb = cli_verb_by_name(word);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        status = print(version);
    else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        status = print(cli_help_overview);
    else if (!verb)
        cli_no_verb(word);
    else
        status = run(verb, argc - 2, argv + 2);
    return cli_signal() ? 128 + cli_signal() : status;
}
