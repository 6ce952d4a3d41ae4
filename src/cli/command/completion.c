/* Completion scripts for bash, zsh and fish, from the tables of verbs and options. */
#include "cli/command/cli.h"

/* Whatever the tables hold comes to a shell as one word in single quotes; `quote` is what stands
 * for a single quote there, `backslash` for a backslash. */
static void put_quoted_text(accordi_buffer *out, const char *text, const char *quote,
                            const char *backslash)
{
    accordi_buffer_puts(out, "'");
    for (; text && *text; text++)
        if (*text == '\'')
            accordi_buffer_puts(out, quote);
        else if (*text == '\\')
            accordi_buffer_puts(out, backslash);
        else
            accordi_buffer_append(out, text, 1);
    accordi_buffer_puts(out, "'");
}

/* bash and zsh know no escapes within single quotes: they end, and begin again. */
static void put_posix(accordi_buffer *out, const char *text)
{
    put_quoted_text(out, text, "'\\''", "\\");
}

static void put_fish(accordi_buffer *out, const char *text)
{
    put_quoted_text(out, text, "\\'", "\\\\");
}

/* What `make` writes, quoted. */
#define PUT_LIST(put_, out_, make_)                                                                \
    do {                                                                                           \
        accordi_buffer list_ = {0};                                                                \
        make_;                                                                                     \
        put_(out_, list_.data);                                                                    \
        (out_)->failed |= list_.failed;                                                            \
        accordi_buffer_clear(&list_);                                                              \
    } while (0)

static void put_choices(const cli_verb *verb, const cli_option *option, accordi_buffer *out)
{
    const char *name;
    for (size_t i = 0; (name = cli_option_word(verb, option, i)); i++)
        accordi_buffer_printf(out, "%s%s", i ? " " : "", name);
}

static void put_verbs(const cli_verb *const *verbs, accordi_buffer *out)
{
    const cli_verb *verb;
    for (size_t i = 0; (verb = verbs[i]) != NULL; i++)
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

static bool takes_verb(const cli_verb *verb)
{
    return strcmp(verb->operands, "[VERB]") == 0;
}

/* ---- bash ---- */

/* What may stand where no value of an option is due. */
static void bash_words(const cli_verb *verb, const cli_verb *const *verbs, accordi_buffer *out)
{
    for (const enum cli_option_id *o = verb->options; *o != CLI_OPTIONS; o++)
        if (cli_options[*o].name)
            accordi_buffer_printf(out, "--%s ", cli_options[*o].name);
        else
            accordi_buffer_printf(out, "-%c ", cli_options[*o].letter);
    for (const enum cli_option_id *o = verb->options; *o != CLI_OPTIONS; o++)
        if (cli_synonym(verb, &cli_options[*o]))
            accordi_buffer_printf(out, "--%s ", cli_options[*o].synonym);
    if (takes_target(verb))
        put_targets(out);
    else if (takes_verb(verb))
        put_verbs(verbs, out);
}

static void bash_verb(const cli_verb *verb, const cli_verb *const *verbs, accordi_buffer *out)
{
    accordi_buffer_printf(out, "    %s)\n        case $before in\n", verb->name);
    for (const enum cli_option_id *o = verb->options; *o != CLI_OPTIONS; o++) {
        const cli_option *option = &cli_options[*o];
        if (option->type != CLI_CHOICE)
            continue;
        accordi_buffer_printf(out, "        --%s", option->name);
        if (option->letter)
            accordi_buffer_printf(out, "|-%c", option->letter);
        if (cli_synonym(verb, option))
            accordi_buffer_printf(out, "|--%s", option->synonym);
        accordi_buffer_puts(out, ") words=");
        PUT_LIST(put_posix, out, put_choices(verb, option, &list_));
        accordi_buffer_puts(out, " ;;\n");
    }
    accordi_buffer_puts(out, "        *) words=");
    PUT_LIST(put_posix, out, bash_words(verb, verbs, &list_));
    accordi_buffer_puts(out, " ;;\n        esac ;;\n");
}

static void bash(const cli_verb *const *verbs, accordi_buffer *out)
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
    for (size_t i = 0; (verb = verbs[i]) != NULL; i++)
        bash_verb(verb, verbs, out);
    accordi_buffer_puts(out, "    *) words='");
    put_verbs(verbs, out);
    accordi_buffer_puts(out, " --version --help' ;;\n    esac\n"
                             "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                             "    local IFS=$'\\n' # names of files have spaces\n"
                             "    COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
                             "    # readline takes a colon for the end of a word\n"
                             "    case $cur in *:*) start=${cur%\"${cur##*:}\"} "
                             "COMPREPLY=(\"${COMPREPLY[@]#\"$start\"}\") ;; esac\n"
                             "}\n"
                             "complete -o filenames -o nosort -F _accord accord\n");
}

/* ---- zsh ---- */

/* [ and ] enclose the words on an option, a colon ends those on its value. */
static void zsh_words(accordi_buffer *out, const char *text)
{
    for (; *text; text++)
        accordi_buffer_printf(out, strchr("[]:\\", *text) ? "\\%c" : "%c", *text);
}

static void zsh_spec(const cli_verb *verb, const cli_option *option, const char *name,
                     accordi_buffer *out)
{
    if (option->type == CLI_EACH)
        accordi_buffer_puts(out, "*");
    else if (option->letter && option->name)
        accordi_buffer_printf(out, "(-%c --%s)", option->letter, option->name);
    if (name)
        accordi_buffer_printf(out, "--%s[", name);
    else
        accordi_buffer_printf(out, "-%c[", option->letter);
    zsh_words(out, cli_about(verb, option));
    accordi_buffer_puts(out, "]");
    if (!option->value)
        return;
    accordi_buffer_puts(out, ":");
    zsh_words(out, option->value);
    if (option->type == CLI_FILE) {
        accordi_buffer_puts(out, ":_files");
    } else if (option->type == CLI_CHOICE) {
        accordi_buffer_puts(out, ":(");
        put_choices(verb, option, out);
        accordi_buffer_puts(out, ")");
    } else {
        accordi_buffer_puts(out, ": ");
    }
}

static void zsh_option(const cli_verb *verb, const cli_option *option, accordi_buffer *out)
{
    const char *const names[] = {NULL, option->name, cli_synonym(verb, option)};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (i ? !names[i] : !option->letter)
            continue;
        accordi_buffer_puts(out, "            ");
        PUT_LIST(put_posix, out, zsh_spec(verb, option, names[i], &list_));
        accordi_buffer_puts(out, " \\\n");
    }
}

static void zsh_verb(const cli_verb *verb, accordi_buffer *out)
{
    accordi_buffer_printf(out, "        %s)\n        _arguments -s \\\n", verb->name);
    for (const enum cli_option_id *o = verb->options; *o != CLI_OPTIONS; o++)
        zsh_option(verb, &cli_options[*o], out);
    accordi_buffer_puts(out, takes_verb(verb)     ? "            '*:verb:($verbs)' ;;\n"
                             : takes_target(verb) ? "            '*:target:_accord_operand' ;;\n"
                                                  : "            '*:file:_files' ;;\n");
}

static void zsh(const cli_verb *const *verbs, accordi_buffer *out)
{
    const cli_verb *verb;
    accordi_buffer_puts(out, "#compdef accord\n_accord_operand() {\n    compadd -- ");
    put_targets(out);
    accordi_buffer_puts(out, "\n    _files\n}\n_accord() {\n    local -a verbs=(");
    put_verbs(verbs, out);
    accordi_buffer_puts(out, ")\n    if (( CURRENT == 2 )); then\n"
                             "        compadd -- $verbs --version --help\n        return\n    fi\n"
                             "    local verb=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
                             "    case $verb in\n");
    for (size_t i = 0; (verb = verbs[i]) != NULL; i++)
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
    if (cli_synonym(verb, option))
        accordi_buffer_printf(out, " -l %s", option->synonym);
    if (option->type == CLI_FILE)
        accordi_buffer_puts(out, " -r -F");
    else if (option->type == CLI_CHOICE) {
        accordi_buffer_puts(out, " -x -a ");
        PUT_LIST(put_fish, out, put_choices(verb, option, &list_));
    } else if (option->value)
        accordi_buffer_puts(out, " -x");
    accordi_buffer_puts(out, " -d ");
    put_fish(out, cli_about(verb, option));
    accordi_buffer_puts(out, "\n");
}

static void fish(const cli_verb *const *verbs, accordi_buffer *out)
{
    const cli_verb *verb;
    accordi_buffer_puts(out, "# fish completion for accord\n");
    for (size_t i = 0; (verb = verbs[i]) != NULL; i++) {
        accordi_buffer_printf(out, "complete -c accord -f -n __fish_use_subcommand -a %s -d ",
                              verb->name);
        put_fish(out, verb->about);
        accordi_buffer_puts(out, "\n");
        for (const enum cli_option_id *o = verb->options; *o != CLI_OPTIONS; o++)
            fish_option(verb, &cli_options[*o], out);
        if (takes_target(verb)) {
            accordi_buffer_printf(out, "complete -c accord -n '__fish_seen_subcommand_from %s' -a ",
                                  verb->name);
            PUT_LIST(put_fish, out, put_targets(&list_));
            accordi_buffer_puts(out, "\n");
        }
    }
}

void cli_completion(const char *shell, const cli_verb *const *verbs, accordi_buffer *out)
{
    static void (*const writers[])(const cli_verb *const *, accordi_buffer *) = {bash, zsh, fish};
    for (size_t i = 0; cli_shells[i]; i++)
        if (strcmp(shell, cli_shells[i]) == 0)
            writers[i](verbs, out);
}
