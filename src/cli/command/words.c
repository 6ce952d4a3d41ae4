/* What --help, the man page and the completions say about an option of a verb. */
#include "cli/command/cli.h"

const cli_heading *cli_heading_before(const cli_verb *verb, enum cli_option_id id)
{
    const cli_heading *end = verb->headings + sizeof verb->headings / sizeof verb->headings[0];
    for (const cli_heading *h = verb->headings; h < end && h->text; h++)
        if (h->before == id)
            return h;
    return NULL;
}

const char *cli_about(const cli_verb *verb, const cli_option *option)
{
    return verb->sums && option->of_sums ? option->of_sums : option->about;
}

const char *cli_synonym(const cli_verb *verb, const cli_option *option)
{
    for (const enum cli_option_id *o = verb->options; option->synonym && *o != CLI_OPTIONS; o++)
        if (cli_options[*o].name && strcmp(cli_options[*o].name, option->synonym) == 0)
            return NULL;
    return option->synonym;
}

const char *cli_option_word(const cli_verb *verb, const cli_option *option, size_t i)
{
    return option->words ? option->words[i] : option->choice ? option->choice(verb, i) : NULL;
}
