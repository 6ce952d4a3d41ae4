/* The kind "python": callables of Python, asked by `python -m accord.serve` in a process of its
 * own, which speaks the protocol of commands. */
#include "targets/program/command.h"
#include <ctype.h>

enum { MOST = 256 }; /* bytes of a name */

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* "package.module.attribute", "package.module:attribute": nothing that a shell would see. */
static bool is_name(const char *text)
{
    bool begins = true, colon = false;
    for (const char *at = text; *at; at++) {
        if (*at == ':' && colon)
            return false;
        colon |= *at == ':';
        if (*at == '.' || *at == ':' ? begins : !is_letter(*at))
            return false;
        begins = *at == '.' || *at == ':';
    }
    return !begins && !isdigit((unsigned char)*text) && strlen(text) < MOST;
}

void accordi_put_shell_word(accordi_buffer *out, const char *word)
{
    accordi_buffer_puts(out, "'");
    for (; *word; word++)
        accordi_buffer_printf(out, *word == '\'' ? "'\\''" : "%c", *word);
    accordi_buffer_puts(out, "'");
}

/* The interpreter that the options name, or ACCORD_PYTHON, or else the one in the path. */
static const char *interpreter(const accord_target_options *options)
{
    const char *named = options->python ? options->python : getenv("ACCORD_PYTHON");
    return named && *named ? named : "python3";
}

static enum accord_status describe_python(accord_target *target, accord_record *record,
                                          accord_error *error)
{
    enum accord_status status = accord_record_set(&record->signature, "sum", error);
    if (status == ACCORD_OK)
        status = accordi_command_describe(target, record, error);
    return status;
}

const accord_target_kind accordi_python_kind = {
    .name = "python",
    .notation = "python:MODULE.ATTR",
    .about = "a Python callable that takes an array; see doc/python.md",
    .run = accordi_command_run,
    .describe = describe_python,
    .close = accordi_command_close,
    .takes_result = true,
};

enum accord_status accordi_python_open(accord_target *target, const accordi_notation *notation,
                                       const accord_target_options *options, accord_error *error)
{
    accord_target_options plain = *options;
    accordi_buffer command = {0};
    if (!is_name(notation->head))
        return accordi_fail(error, ACCORD_ARG,
                            "'%.60s' does not name a callable: write %s, e.g. python:numpy.sum",
                            target->notation, accordi_python_kind.notation);
    if (options->signature && strcmp(options->signature, "sum") != 0)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "python: targets take one array and return one sum; to ask for %.20s, "
                            "use the adapters of the Python package (doc/python.md)",
                            options->signature);
    plain.signature = NULL;
    accordi_buffer_puts(&command, "exec ");
    accordi_put_shell_word(&command, interpreter(options));
    accordi_buffer_printf(&command, " -m accord.serve %s", notation->head);
    const accordi_program program = {
        .kind = &accordi_python_kind,
        .line = command.data,
        .path = interpreter(options),
        .hung = {"importing it takes longer: raise --timeout",
                 "the function does not end, or it is slow here: raise --timeout"}};
    enum accord_status status = command.failed
                                    ? accordi_nomem(error)
                                    : accordi_command_open_as(target, &program, &plain, error);
    if (status == ACCORD_TARGET && error && strstr(error->text, "command not found"))
        status = accordi_fail(error, ACCORD_TARGET,
                              "there is no interpreter '%.200s': name one with --python or "
                              "ACCORD_PYTHON",
                              interpreter(options));
    accordi_buffer_clear(&command);
    return status;
}

/* accord.serve hears a second greeting; other programs need not. */
enum accord_status accordi_python_resize(accord_target *target, const accordi_notation *notation,
                                         const accord_target_options *options, accord_error *error)
{
    (void)notation;
    (void)options;
    return accordi_command_greet_again(target, error);
}
