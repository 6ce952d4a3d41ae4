/* From argv to cli_args, by the rows of options.c. */
#include "cli/command/cli.h"
#include <errno.h>
#include <math.h>

bool cli_takes(const cli_verb *verb, enum cli_option_id id)
{
    for (const enum cli_option_id *o = verb->options; *o != CLI_OPTIONS; o++)
        if (*o == id)
            return true;
    return false;
}

/* Integers may be hexadecimal, but a leading zero means nothing. */
static int base_of(const char *text)
{
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
}

int64_t cli_integer(const cli_args *args, enum cli_option_id id, int64_t otherwise)
{
    const char *text = args->text[id];
    return text ? strtoll(text, NULL, base_of(text)) : otherwise;
}

double cli_real(const cli_args *args, enum cli_option_id id, double otherwise)
{
    return args->text[id] ? strtod(args->text[id], NULL) : otherwise;
}

static bool check_integer(const cli_option *option, const char *said, const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, base_of(text));
    bool whole = *text != 0 && *end == 0 && errno == 0;
    if (whole && (option->not_zero ? value != 0 : value >= option->least))
        return true;
    if (option->not_zero)
        return cli_refuse("%s %s: give an integer other than 0", said, text);
    return cli_refuse("%s %s: give an integer of at least %lld", said, text,
                      (long long)option->least);
}

/* Is it a finite number, and nothing more? */
static bool is_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return *text != 0 && *end == 0 && isfinite(*value);
}

static bool check_seconds(const char *said, const char *text)
{
    double value;
    return (is_number(text, &value) && value > 0) ||
           cli_refuse("%s %s: give a number of seconds greater than 0", said, text);
}

static bool check_real(const char *said, const char *text)
{
    double value;
    return is_number(text, &value) || cli_refuse("%s %s: give a number, e.g. 1.5", said, text);
}

static bool check_limit(const char *said, const char *text)
{
    accord_reveal_options ignored;
    accord_error error;
    if (accord_reveal_budget(text, &ignored, &error) == ACCORD_OK)
        return true;
    return cli_refuse("%s: %s", said, error.text);
}

static bool check_counts_option(const char *said, const char *text)
{
    size_t *list, count;
    const char *why;
    if (cli_counts(text, &list, &count, &why)) {
        free(list);
        return true;
    }
    return cli_refuse("%s %s: %s", said, text, why);
}

typedef struct choices {
    const cli_verb *verb;
    const cli_option *option;
} choices;

static const char *choice_name(const void *list, size_t i)
{
    const choices *c = list;
    return cli_option_word(c->verb, c->option, i);
}

static bool check_choice(const cli_verb *verb, const cli_option *option, const char *said,
                         const char *text)
{
    const choices list = {verb, option};
    accordi_buffer all = {0};
    bool found = false;
    const char *name;
    for (size_t i = 0; !found && (name = choice_name(&list, i)) != NULL; i++) {
        found = strcmp(name, text) == 0;
        accordi_buffer_printf(&all, "%s%s", i ? ", " : "", name);
    }
    const char *near = found ? NULL : accordi_nearest(text, choice_name, &list);
    if (!found)
        cli_error("%s %s: %s%s%schoose one of %s", said, text, near ? "did you mean " : "",
                  near ? near : "", near ? "? " : "", all.data ? all.data : "(none)");
    accordi_buffer_clear(&all);
    return found;
}

static bool check_choices(const cli_verb *verb, const cli_option *option, const char *said,
                          const char *text)
{
    bool good = true;
    while (good) {
        size_t length = strcspn(text, ",");
        char *word = cli_need(strndup(text, length));
        good = check_choice(verb, option, said, word);
        free(word);
        if (!text[length])
            break;
        text += length + 1;
    }
    return good;
}

static bool check_value(const cli_verb *verb, const cli_option *option, const char *said,
                        const char *text)
{
    switch (option->type) {
    case CLI_INTEGER:
        return check_integer(option, said, text);
    case CLI_SECONDS:
        return check_seconds(said, text);
    case CLI_LIMIT:
        return check_limit(said, text);
    case CLI_REAL:
        return check_real(said, text);
    case CLI_COUNTS:
        return check_counts_option(said, text);
    case CLI_CHOICE:
        return option->list ? check_choices(verb, option, said, text)
                            : check_choice(verb, option, said, text);
    case CLI_FLAG:
    case CLI_TEXT:
    case CLI_EACH:
    case CLI_FILE:
    case CLI_REST:
        break;
    }
    if (*text != 0 || option->type == CLI_FLAG)
        return true;
    return cli_refuse("%s: the %s is empty", said, option->value);
}

static bool is_called(const char *is, const char *name, size_t length)
{
    return is && strlen(is) == length && memcmp(is, name, length) == 0;
}

static enum cli_option_id find_option(const cli_verb *verb, const char *name, size_t length,
                                      char letter)
{
    enum cli_option_id found = CLI_OPTIONS;
    for (const enum cli_option_id *o = verb->options; *o != CLI_OPTIONS; o++) {
        const cli_option *option = &cli_options[*o];
        if (letter ? option->letter == letter : is_called(option->name, name, length))
            return *o;
        if (!letter && is_called(option->synonym, name, length))
            found = *o;
    }
    return found;
}

static const char *option_name(const void *verb, size_t i)
{
    const enum cli_option_id *o = ((const cli_verb *)verb)->options;
    for (; *o != CLI_OPTIONS; o++)
        if (cli_options[*o].name && i-- == 0)
            return cli_options[*o].name;
    return NULL;
}

/* What users look for as options is part of the notation of a target, or has another name. */
static const struct {
    const char *said, *instead;
} elsewhere[] = {
    {"length", "the length of an mpi: target is part of its notation: mpi:allreduce,length=1000"},
    {"operation", "the operation of an mpi: target is part of its notation, and is sum, own or "
                  "ordered: mpi:allreduce,operation=own"},
    {"in-place", "it is part of the notation of an mpi: target: mpi:allreduce,in-place"},
    {"root", "the root of an mpi: target is part of its notation: mpi:reduce,root=1"},
    {"launcher", "it is part of the notation of an mpi: target, the last one: "
                 "mpi:allreduce,launcher=/opt/mpich/bin/mpirun"},
    {"type", "choose the format of the terms with --format, such as --format bf16"},
    {"rank", "accord map shows all ranks; with other verbs, put the rank into the notation of the "
             "target: mpi:allreduce,rank=1"},
    {"position", "accord map shows all positions; with other verbs, put the position into the "
                 "notation of the target: mpi:allreduce,length=9,position=8"},
};

static void unknown(const cli_verb *verb, const char *said)
{
    size_t length = said[1] == '-' ? strcspn(said + 2, "=") : 0;
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strlen(elsewhere[i].said) == length &&
            strncmp(elsewhere[i].said, said + 2, length) == 0) {
            cli_error("%s has no option --%s; %s", verb->name, elsewhere[i].said,
                      elsewhere[i].instead);
            return;
        }
    const char *near = said[1] == '-' ? accordi_nearest(said + 2, option_name, verb) : NULL;
    if (near)
        cli_error("%s has no option %s; did you mean --%s?", verb->name, said, near);
    else
        cli_error("%s has no option %s; see accord help %s", verb->name, said, verb->name);
}

static void twice(const cli_option *option, const char *said, const char *first, const char *second)
{
    if (option->type == CLI_FLAG)
        cli_error("%s was given twice; give it once", said);
    else if (option->type == CLI_COUNTS)
        cli_error("%s was given twice; give one list: %s %s,%s", said, said, first, second);
    else
        cli_error("%s was given twice, as \"%s\" and \"%s\"; give it once", said, first, second);
}

/* Takes the option that argv[*i] begins; its value may be the rest of it or the next word. */
static bool take_option(const cli_verb *verb, int argc, char **argv, int *i, cli_args *args)
{
    const char *word = argv[*i], *value = NULL;
    char said[48];
    bool is_long = word[1] == '-';
    size_t length = is_long ? strcspn(word + 2, "=") : 1;
    enum cli_option_id id = find_option(verb, word + 2, length, is_long ? 0 : word[1]);
    snprintf(said, sizeof said, "%.*s", (int)(length + 1 + is_long), word);
    if (id == CLI_OPTIONS) {
        unknown(verb, said);
        return false;
    }
    const cli_option *option = &cli_options[id];
    const char *rest = word + 1 + is_long + length;
    if (option->type == CLI_FLAG) {
        if (*rest != 0)
            return cli_refuse("%s does not take a value; leave out \"%s\"", said, rest);
        value = "";
    } else if (*rest != 0) {
        value = rest + is_long;
    } else if (*i + 1 < argc) {
        value = argv[++*i];
    } else {
        return cli_refuse("%s needs a value: %s %s", said, said, option->value);
    }
    if (args->text[id] && option->type != CLI_EACH) {
        twice(option, said, args->text[id], value);
        return false;
    }
    args->text[id] = value;
    args->said[args->saids++] = (cli_said){id, value};
    return check_value(verb, option, said, value);
}

bool cli_set(const cli_args *args, cli_args *out, const char *where, const char *name,
             const char *value)
{
    bool letter = strlen(name) == 1;
    enum cli_option_id id = find_option(args->verb, name, strlen(name), letter ? name[0] : (char)0);
    char said[400];
    if (id == CLI_OPTIONS) {
        const char *near = accordi_nearest(name, option_name, args->verb);
        return cli_refuse("%s: %s has no option \"%s\"%s%s%s; see accord help %s", where,
                          args->verb->name, name, near ? "; did you mean \"" : "", near ? near : "",
                          near ? "\"?" : "", args->verb->name);
    }
    snprintf(said, sizeof said, "%s: %s", where, name);
    if (!args->text[id])
        out->text[id] = value;
    return check_value(args->verb, &cli_options[id], said, value);
}

static bool enough(const cli_verb *verb, const cli_args *args)
{
    if (args->text[CLI_HELP])
        return true;
    size_t less = args->text[CLI_FROM_FILE] ? 1 : 0;
    if (args->operands < verb->least - less)
        return cli_refuse("%s needs %s; see accord help %s", verb->name, verb->operands,
                          verb->name);
    if (args->operands > verb->most - less)
        return cli_refuse("%s: one operand too many: \"%s\"; see accord help %s", verb->name,
                          args->operand[verb->most - less], verb->name);
    return true;
}

/* All words from argv[from] on; returns the end. */
static int take_rest(int argc, char **argv, int from, cli_args *args)
{
    args->text[CLI_RUN] = "";
    args->run = argv + from;
    args->runs = (size_t)(argc - from);
    return argc;
}

/* The flags of a compiler, from argv[from] on, and what follows --run; returns the end. */
static int take_flags(int argc, char **argv, int from, cli_args *args)
{
    int end = from;
    while (end < argc && strcmp(argv[end], "--run") != 0)
        end++;
    args->flag = argv + from;
    args->flags = (size_t)(end - from);
    return end < argc ? take_rest(argc, argv, end + 1, args) : end;
}

bool cli_parse(const cli_verb *verb, int argc, char **argv, cli_args *args)
{
    memset(args, 0, sizeof *args);
    args->verb = verb;
    args->operand = accordi_calloc((size_t)argc + 1, sizeof *args->operand);
    args->said = accordi_calloc((size_t)argc + 1, sizeof *args->said);
    if (!args->operand || !args->said)
        return cli_refuse("out of memory");
    bool asks = argc == 1 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0);
    bool options = !verb->words || asks;
    for (int i = 0; i < argc; i++) {
        if (options && strcmp(argv[i], "--") == 0 && args->operands && cli_takes(verb, CLI_RUN))
            i = take_flags(argc, argv, i + 1, args);
        else if (options && strcmp(argv[i], "--") == 0)
            options = false;
        else if (options && strcmp(argv[i], "--run") == 0 && cli_takes(verb, CLI_RUN))
            i = take_rest(argc, argv, i + 1, args);
        else if (options && argv[i][0] == '-' && argv[i][1] != 0) {
            if (!take_option(verb, argc, argv, &i, args))
                return false;
        } else
            args->operand[args->operands++] = argv[i];
    }
    if (args->text[CLI_JSON] && args->text[CLI_OUTPUT] &&
        strcmp(args->text[CLI_OUTPUT], "json") != 0)
        return cli_refuse("--json and --output %s contradict each other; give one of them",
                          args->text[CLI_OUTPUT]);
    return enough(verb, args);
}
