/* --help, and the verb help, from the tables of verbs and options. */
#include "cli/command/cli.h"

enum { WIDTH = 79 };

/* Fills lines with the words of `text`; the first starts at column `at`, the others at `indent`. */
static void wrap_words(accordi_buffer *out, const char *text, size_t at, size_t indent)
{
    bool first = true;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (!first && at + 1 + length > WIDTH) {
            accordi_buffer_printf(out, "\n%*s", (int)indent, "");
            at = indent;
            first = true;
        }
        accordi_buffer_printf(out, first ? "%.*s" : " %.*s", (int)length, text);
        at += length + !first;
        first = false;
        text += length + (text[length] == ' ');
    }
    accordi_buffer_puts(out, "\n");
}

static void put_option(const cli_verb *verb, const cli_option *option, accordi_buffer *out)
{
    enum { COLUMN = 25 };
    accordi_buffer left = {0}, right = {0};
    const char *name;
    if (option->letter)
        accordi_buffer_printf(&left, "  -%c", option->letter);
    else
        accordi_buffer_puts(&left, "    ");
    if (option->name)
        accordi_buffer_printf(&left, "%s --%s", option->letter ? "," : " ", option->name);
    if (option->value)
        accordi_buffer_printf(&left, " %s", option->value);
    accordi_buffer_puts(&right, cli_about(verb, option));
    for (size_t i = 0; (name = cli_option_word(verb, option, i)); i++)
        accordi_buffer_printf(&right, "%s%s", i ? ", " : ": ", name);
    if (cli_synonym(verb, option))
        accordi_buffer_printf(&right, "; --%s is the same", option->synonym);
    if (left.failed || right.failed) {
        out->failed = true;
    } else {
        bool fits = left.length + 2 <= COLUMN;
        accordi_buffer_printf(out, fits ? "%-*s" : "%*s", fits ? COLUMN : 0, left.data);
        if (!fits)
            accordi_buffer_printf(out, "\n%*s", COLUMN, "");
        wrap_words(out, right.data, COLUMN, COLUMN);
    }
    accordi_buffer_clear(&left);
    accordi_buffer_clear(&right);
}

void cli_help_verb(const cli_verb *verb, accordi_buffer *out)
{
    accordi_buffer_printf(out, "accord %s%s%s [OPTIONS]\n  ", verb->name,
                          *verb->operands ? " " : "", verb->operands);
    wrap_words(out, verb->about, 2, 2);
    accordi_buffer_puts(out, "\n");
    wrap_words(out, verb->text, 0, 0);
    accordi_buffer_puts(out, "\nOptions\n");
    for (const enum cli_option_id *o = verb->options; *o != CLI_OPTIONS; o++) {
        const cli_heading *heading = cli_heading_before(verb, *o);
        if (heading)
            accordi_buffer_printf(out, "\n%s\n  for example: %s\n", heading->text,
                                  heading->example);
        put_option(verb, &cli_options[*o], out);
    }
    accordi_buffer_puts(out, "\nExamples\n");
    for (const cli_example *e = verb->examples; e < verb->examples + CLI_MOST_EXAMPLES && e->line;
         e++)
        accordi_buffer_printf(out, "  %s\n      %s\n", e->line, e->about);
}

void cli_help_overview(const cli_verb *const *verbs, accordi_buffer *out)
{
    enum { COLUMN = 25 };
    const cli_verb *verb;
    accordi_buffer_puts(out, "accord VERB ... [OPTIONS]\n  find, prove and compare the order in "
                             "which floating-point sums are added\n\nVerbs\n");
    for (size_t i = 0; (verb = verbs[i]) != NULL; i++) {
        bool fits = strlen(verb->operands) <= 12;
        accordi_buffer_printf(out, "  %-9s %-*s", verb->name, fits ? 13 : 0, verb->operands);
        if (!fits)
            accordi_buffer_printf(out, "\n%*s", COLUMN, "");
        wrap_words(out, verb->about, COLUMN, COLUMN);
    }
    accordi_buffer_puts(out,
                        "\n  accord help VERB explains a verb; accord --version shows the "
                        "version\n\nExit status\n  0 yes, 1 different or refuted, 2 wrong usage or "
                        "a bad file, 3 unable to answer,\n  4 the target failed or is "
                        "missing\n\nExamples\n  accord reveal blas:sdot -n 32\n  accord targets\n");
}

const cli_verb *cli_verb_by_name(const cli_verb *const *verbs, const char *name)
{
    for (; *verbs; verbs++)
        if (strcmp((*verbs)->name, name) == 0)
            return *verbs;
    return NULL;
}

static const char *verb_name(const void *list, size_t i)
{
    const cli_verb *verb = ((const cli_verb *const *)list)[i];
    return verb ? verb->name : NULL;
}

void cli_no_verb(const cli_verb *const *verbs, const char *word)
{
    const char *near = accordi_nearest(word, verb_name, verbs);
    if (near)
        cli_error("there is no verb \"%s\"; did you mean accord %s?", word, near);
    else
        cli_error("there is no verb \"%s\"; see accord help", word);
}

static int one_verb(const cli_args *args, accordi_buffer *out)
{
    const cli_verb *verb = cli_verb_by_name(args->verbs, args->operand[0]);
    if (!verb) {
        cli_no_verb(args->verbs, args->operand[0]);
        return CLI_USAGE;
    }
    cli_help_verb(verb, out);
    return CLI_YES;
}

static int run_help(const cli_args *args)
{
    accordi_buffer text = {0};
    if (args->text[CLI_MAN])
        cli_help_man(args->verbs, &text);
    else if (args->text[CLI_COMPLETION])
        cli_completion(args->text[CLI_COMPLETION], args->verbs, &text);
    else if (args->operands == 0)
        cli_help_overview(args->verbs, &text);
    else if (one_verb(args, &text) != CLI_YES)
        return CLI_USAGE;
    return cli_output_text(args, &text);
}

const cli_verb cli_help = {
    .name = "help",
    .operands = "[VERB]",
    .about = "explain the verbs; write the man page or a shell completion",
    .text = "Without an argument, lists the verbs; with the name of a verb, explains it. The man "
            "page and the completion scripts are generated from the same tables.",
    .least = 0,
    .most = 1,
    .options = {CLI_MAN, CLI_COMPLETION, CLI_TO, CLI_HELP, CLI_OPTIONS},
    .examples = {{"accord help reveal", "one verb"},
                 {"accord help --man | man -l -", "the man page"},
                 {"eval \"$(accord help --completion bash)\"", "completion in this shell"}},
    .run = run_help,
};
