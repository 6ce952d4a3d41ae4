/* Where the data goes. A file is written beside its final place and renamed when it is whole, so
 * that nobody ever sees half of it; standard output and devices are written in place. */
#include "cli/command/cli.h"
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CLOSED_PIPE = 141 }; /* what a shell shows for a program that SIGPIPE ended */

static bool open_failed(cli_output *out, const char *path)
{
    int cause = errno;
    cli_error("cannot write %s: %s; give another path with %s", path, strerror(cause), out->option);
    cli_output_discard(out);
    return false;
}

/* mkstemp makes files for the owner alone; the final one shall be like any other. */
static void usual_mode(int fd, const struct stat *old)
{
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask) != 0)
        return; /* some file systems have no modes */
}

static bool open_beside(cli_output *out, const struct stat *old)
{
    if (asprintf(&out->temporary, "%s.XXXXXX", out->path) < 0) {
        out->temporary = NULL;
        return false;
    }
    int fd = mkstemp(out->temporary);
    if (fd < 0) {
        free(out->temporary);
        out->temporary = NULL;
        return false;
    }
    cli_unlink_on_signal(out->temporary);
    usual_mode(fd, old);
    out->stream = fdopen(fd, "w");
    return out->stream != NULL;
}

bool cli_output_open(cli_output *out, const char *path)
{
    return cli_output_open_of(out, "-o", path);
}

bool cli_output_open_of(cli_output *out, const char *option, const char *path)
{
    struct stat old;
    *out = (cli_output){.stream = stdout, .option = option};
    if (!path)
        return true;
    out->stream = NULL;
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return open_failed(out, path);
    }
    /* Follow a link, so that what it points to is replaced and not the link; but what is no file
     * may have no path behind it, such as /dev/stdout of a pipe. */
    bool regular = exists && S_ISREG(old.st_mode);
    out->path = regular ? realpath(path, NULL) : accordi_strdup(path);
    if (!out->path)
        return open_failed(out, path);
    if (exists && access(path, W_OK) != 0)
        return open_failed(out, path);
    if (exists && !regular) {
        out->stream = fopen(out->path, "w");
        return out->stream ? true : open_failed(out, path);
    }
    return open_beside(out, exists ? &old : NULL) ? true : open_failed(out, path);
}

bool cli_output_write(void *context, const char *text, size_t length)
{
    cli_output *out = context;
    if (out->failure)
        return false;
    errno = 0;
    if (fwrite(text, 1, length, out->stream) == length)
        return true;
    out->failure = errno ? errno : EIO;
    return false;
}

bool cli_output_terminal(const cli_output *out)
{
    return out->stream == stdout && isatty(STDOUT_FILENO);
}

bool cli_shows_one(const accord_writer *writer)
{
    static const char *const single[] = {"dot", "svg", "html"};
    bool found = false;
    for (size_t i = 0; !found && i < sizeof single / sizeof *single; i++)
        found = strcmp(writer->name, single[i]) == 0;
    return found;
}

int cli_output_record(const cli_args *args, cli_output *out, const accord_writer *writer,
                      const accord_record *record)
{
    accord_write_options options;
    accord_error error;
    cli_write_options(args, &options, cli_output_terminal(out));
    enum accord_status status =
        accord_record_write(record, writer, &options, cli_output_write, out, &error);
    return status == ACCORD_OK || out->failure ? CLI_YES : cli_fail(&error);
}

void cli_output_discard(cli_output *out)
{
    if (out->stream && out->stream != stdout)
        fclose(out->stream);
    if (out->temporary)
        unlink(out->temporary);
    cli_unlink_on_signal(NULL);
    free(out->temporary);
    free(out->path);
    *out = (cli_output){0};
}

static int failed(cli_output *out)
{
    int status = CLI_USAGE;
    if (out->failure == EPIPE && !out->path)
        status = CLOSED_PIPE; /* the reader has seen enough */
    else if (out->path)
        cli_error("cannot write %s: %s; free some space or give another path with %s", out->path,
                  strerror(out->failure), out->option);
    else
        cli_error("cannot write to standard output: %s; write elsewhere with -o FILE",
                  strerror(out->failure));
    cli_output_discard(out);
    return status;
}

int cli_output_commit(cli_output *out)
{
    if (!out->failure && fflush(out->stream) != 0)
        out->failure = errno;
    if (!out->failure && out->temporary) {
        FILE *stream = out->stream;
        out->stream = NULL;
        if (fclose(stream) != 0 || rename(out->temporary, out->path) != 0)
            out->failure = errno;
        else
            cli_unlink_on_signal(NULL);
    }
    if (out->failure)
        return failed(out);
    free(out->temporary); /* by now it has its final name */
    out->temporary = NULL;
    cli_output_discard(out);
    return CLI_YES;
}

int cli_output_try(const char *option, const char *path)
{
    cli_output out;
    struct stat st;
    if (!path || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
        return CLI_YES; /* to open a pipe would tell its reader something */
    if (!cli_output_open_of(&out, option, path))
        return CLI_USAGE;
    cli_output_discard(&out);
    return CLI_YES;
}

int cli_output_buffer(const char *option, const char *path, accordi_buffer *bytes)
{
    cli_output out;
    int status = CLI_USAGE;
    cli_need(bytes->failed ? NULL : bytes->data);
    if (cli_output_open_of(&out, option, path)) {
        cli_output_write(&out, bytes->data, bytes->length);
        status = cli_output_commit(&out);
    }
    accordi_buffer_clear(bytes);
    return status;
}

int cli_output_text(const cli_args *args, accordi_buffer *text)
{
    return cli_output_buffer("-o", args->text[CLI_TO], text);
}

void cli_put_json_value(accordi_buffer *out, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_INDENT(2)) : NULL;
    if (text)
        accordi_buffer_puts(out, text);
    else
        out->failed = true;
    free(text);
    json_decref(value);
}

void cli_put_json(accordi_buffer *out, json_t *all)
{
    cli_put_json_value(out, all);
    accordi_buffer_puts(out, "\n");
}

/* The form that the ending of the file's name stands for; NULL: none of those that the verb has. */
static const char *form_of_file(const cli_args *args)
{
    const char *path = args->text[CLI_TO], *dot = path ? strrchr(path, '.') : NULL, *form;
    if (!dot || strchr(dot, '/') || !cli_takes(args->verb, CLI_OUTPUT))
        return NULL;
    const char *ending = strcmp(dot, ".md") == 0 ? "markdown" : dot + 1;
    for (size_t i = 0; (form = cli_option_word(args->verb, &cli_options[CLI_OUTPUT], i)); i++)
        if (strcmp(form, ending) == 0)
            return form;
    return NULL;
}

const char *cli_output_form(const cli_args *args)
{
    if (args->text[CLI_JSON])
        return "json";
    if (args->text[CLI_OUTPUT])
        return args->text[CLI_OUTPUT];
    const char *form = form_of_file(args);
    return form ? form : "report";
}

bool cli_wants_json(const cli_args *args)
{
    return strcmp(cli_output_form(args), "json") == 0;
}

json_t *cli_json_text(const char *text)
{
    char *clean = accordi_utf8(text, false);
    json_t *out = clean ? json_string(clean) : NULL;
    free(clean);
    return out;
}

json_t *cli_json_texts(const char *const *text, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, cli_json_text(text[i]));
    return list;
}

json_t *cli_json_hexadecimal(double x)
{
    char text[40];
    snprintf(text, sizeof text, isnan(x) ? "nan" : "%a", x);
    return json_string(text);
}

const accord_writer *cli_writer(const cli_args *args)
{
    return accord_writer_by_name(cli_output_form(args));
}
