/* Completion scripts for bash, zsh and fish, from the tables of verbs and options. */
#include "cli/cli.h"

const char *const cli_shells[] = {"bash", "zsh", "fish", NULL};

/* For single quotes: ' is written '\'' there. */
static void quoted(accordi_buffer *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            accordi_buffer_puts(out, "'\\''");
        else
            accordi_buffer_append(out, text, 1);
}

static void put_choices(const cli_verb *verb, const cli_option *option, accordi_buffer *out)
{
    const char *name;
    for (size_t i = 0; option->choice && (name = option->choice(verb, i)) != NULL; i++)
        accordi_buffer_printf(out, "%s%s", i ? " " : "", name);
}

static void put_verbs(accordi_buffer *out)
{
    const cli_verb *verb;
    for (size_t i = 0; (verb = cli_verb_at(i)) != NULL; i++)
        accordi_buffer_printf(out, "%s%s", i ? " " : "", verb->name);
}

/* The beginnings of targets, for operands. */
static void put_targets(accordi_buffer *out)
{
    const accord_target_kind *kind;
    const char *name;
    for (size_t i = 0; (kind = accord_target_kind_at(i)) != NULL; i++)
        if (strcmp(kind->name, "synthetic") != 0)
            accordi_buffer_printf(out, "%s: ", kind->name);
    for (size_t i = 0; (name = accord_synthetic_at(i, NULL, NULL)) != NULL; i++)
        accordi_buffer_printf(out, "%ssynthetic:%s", i ? " " : "", name);
}

/* What may stand as an operand of the verb, by the words of its usage. */
static bool takes_target(const cli_verb *verb)
{
    return strstr(verb->operands, "TARGET") || strcmp(verb->operands, "A B") == 0;
}

/* ---- bash ---- */

static void bash_verb(const cli_verb *verb, accordi_buffer *out)
{
    accordi_buffer_printf(out, "    %s)\n        case $before in\n", verb->name);
    for (const enum cli_option_id *o = verb->options; *o != CLI_OPTIONS; o++) {
        const cli_option *option = &cli_options[*o];
        if (!option->choice)
            continue;
        accordi_buffer_printf(out, "        --%s", option->name);
        if (option->letter)
            accordi_buffer_printf(out, "|-%c", option->letter);
        accordi_buffer_puts(out, ") words='");
        put_choices(verb, option, out);
        accordi_buffer_puts(out, "' ;;\n");
    }
    accordi_buffer_puts(out, "        *) words='");
    for (const enum cli_option_id *o = verb->options; *o != CLI_OPTIONS; o++)
        if (cli_options[*o].name)
            accordi_buffer_printf(out, "--%s ", cli_options[*o].name);
        else
            accordi_buffer_printf(out, "-%c ", cli_options[*o].letter);
    if (takes_target(verb))
        put_targets(out);
    else if (verb == &cli_help)
        put_verbs(out);
    accordi_buffer_puts(out, "' ;;\n        esac ;;\n");
}

static void bash(accordi_buffer *out)
{
    const cli_verb *verb;
    accordi_buffer_puts(
        out, "# bash completion for accord\n"
             "_accord() {\n"
             "    local cur before words line=${COMP_LINE:0:COMP_POINT} start=0\n"
             "    cur=${line##*[[:space:]]}\n"
             "    before=${line%\"$cur\"}; before=${before%\"${before##*[![:space:]]}\"}\n"
             "    before=${before##*[[:space:]]}\n"
             "    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; (verb = cli_verb_at(i)) != NULL; i++)
        bash_verb(verb, out);
    accordi_buffer_puts(out, "    *) words='");
    put_verbs(out);
    accordi_buffer_puts(
        out, " --version --help' ;;\n    esac\n"
             "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
             "    # readline takes a colon for the end of a word\n"
             "    case $cur in *:*) start=${cur%\"${cur##*:}\"} "
             "COMPREPLY=(\"${COMPREPLY[@]#\"$start\"}\") ;; esac\n"
             "}\n"
             "complete -o filenames -o nosort -F _accord accord\n");
}

/* ---- zsh ---- */

static void zsh_option(const cli_verb *verb, const cli_option *option, accordi_buffer *out)
{
    char name[40];
    for (int way = 0; way < 2; way++) {
        if (way == 0 ? !option->letter : !option->name)
            continue;
        if (way == 0)
            snprintf(name, sizeof name, "-%c", option->letter);
        else
            snprintf(name, sizeof name, "--%s", option->name);
        accordi_buffer_printf(out, "            '%s[", name);
        for (const char *c = option->about; *c; c++)
            accordi_buffer_printf(out,
                                  strchr("[]:", *c) ? "\\%c"
                                  : *c == '\''      ? "'\\'%c'"
                                                    : "%c",
                                  *c);
        accordi_buffer_puts(out, "]");
        if (option->type == CLI_FILE)
            accordi_buffer_printf(out, ":%s:_files", option->value);
        else if (option->choice) {
            accordi_buffer_printf(out, ":%s:(", option->value);
            put_choices(verb, option, out);
            accordi_buffer_puts(out, ")");
        } else if (option->value)
            accordi_buffer_printf(out, ":%s: ", option->value);
        accordi_buffer_puts(out, "' \\\n");
    }
}

static void zsh_verb(const cli_verb *verb, accordi_buffer *out)
{
    accordi_buffer_printf(out, "        %s)\n        _arguments -s \\\n", verb->name);
    for (const enum cli_option_id *o = verb->options; *o != CLI_OPTIONS; o++)
        zsh_option(verb, &cli_options[*o], out);
    accordi_buffer_puts(out, verb == &cli_help    ? "            '*:verb:($verbs)' ;;\n"
                             : takes_target(verb) ? "            '*:target:_accord_operand' ;;\n"
                                                  : "            '*:file:_files' ;;\n");
}

static void zsh(accordi_buffer *out)
{
    const cli_verb *verb;
    accordi_buffer_puts(out, "#compdef accord\n_accord_operand() {\n    compadd -- ");
    put_targets(out);
    accordi_buffer_puts(out, "\n    _files\n}\n_accord() {\n    local -a verbs=(");
    put_verbs(out);
    accordi_buffer_puts(out, ")\n    if (( CURRENT == 2 )); then\n"
                             "        compadd -- $verbs --version --help\n        return\n    fi\n"
                             "    local verb=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
                             "    case $verb in\n");
    for (size_t i = 0; (verb = cli_verb_at(i)) != NULL; i++)
        zsh_verb(verb, out);
    accordi_buffer_puts(out, "    esac\n}\n"
                             "if [ \"$funcstack[1]\" = _accord ]; then _accord \"$@\"; "
                             "else compdef _accord accord; fi\n");
}

/* ---- fish ---- */

static void fish_option(const cli_verb *verb, const cli_option *option, accordi_buffer *out)
{
    accordi_buffer_printf(out, "complete -c accord -n '__fish_seen_subcommand_from %s'",
                          verb->name);
    if (option->letter)
        accordi_buffer_printf(out, " -s %c", option->letter);
    if (option->name)
        accordi_buffer_printf(out, " -l %s", option->name);
    if (option->type == CLI_FILE)
        accordi_buffer_puts(out, " -r -F");
    else if (option->choice) {
        accordi_buffer_puts(out, " -x -a '");
        put_choices(verb, option, out);
        accordi_buffer_puts(out, "'");
    } else if (option->value)
        accordi_buffer_puts(out, " -x");
    accordi_buffer_puts(out, " -d '");
    quoted(out, option->about);
    accordi_buffer_puts(out, "'\n");
}

static void fish(accordi_buffer *out)
{
    const cli_verb *verb;
    accordi_buffer_puts(out, "# fish completion for accord\n");
    for (size_t i = 0; (verb = cli_verb_at(i)) != NULL; i++) {
        accordi_buffer_printf(out, "complete -c accord -f -n __fish_use_subcommand -a %s -d '",
                              verb->name);
        quoted(out, verb->about);
        accordi_buffer_puts(out, "'\n");
        for (const enum cli_option_id *o = verb->options; *o != CLI_OPTIONS; o++)
            fish_option(verb, &cli_options[*o], out);
        if (takes_target(verb)) {
            accordi_buffer_printf(
                out, "complete -c accord -n '__fish_seen_subcommand_from %s' -a '", verb->name);
            put_targets(out);
            accordi_buffer_puts(out, "'\n");
        }
    }
}

void cli_completion(const char *shell, accordi_buffer *out)
{
    static void (*const writers[])(accordi_buffer *) = {bash, zsh, fish};
    for (size_t i = 0; cli_shells[i]; i++)
        if (strcmp(shell, cli_shells[i]) == 0)
            writers[i](out);
}
