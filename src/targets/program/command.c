/* The kind "command": any program that can read and write. */
#include "targets/program/command.h"
#include <limits.h>
#include <unistd.h>

typedef struct command {
    accordi_talk talk;
    accordi_speech speech;
    char version[128];  /* what the program said of itself */
    char program[4096]; /* its true path; "" where it is not known */
    bool dead;
    accord_error last;
} command;

/* ---- the greeting ---- */

typedef struct greeting {
    bool text;
    char version[128];
} greeting;

static enum accordi_heard hear_greeting(void *context, accordi_buffer *in)
{
    static const char *const forms[] = {"accord 1 binary", "accord 1 text"};
    greeting *g = context;
    char *end = memchr(in->data, '\n', in->length);
    if (!end)
        return in->length > 512 ? ACCORDI_HEARD_GARBAGE : ACCORDI_HEARD_MORE;
    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(forms[i]);
        const char *rest = in->data + length;
        if (strncmp(in->data, forms[i], length) != 0 || !strchr(" \r\n", *rest))
            continue;
        rest += strspn(rest, " ");
        size_t words = strcspn(rest, "\r\n");
        snprintf(g->version, sizeof g->version, "%.*s", words < 120 ? (int)words : 120, rest);
        g->text = i == 1;
        bool alone = end + 1 == in->data + in->length;
        in->length = alone ? 0 : in->length;
        return alone ? ACCORDI_HEARD_ALL : ACCORDI_HEARD_GARBAGE;
    }
    return ACCORDI_HEARD_GARBAGE;
}

static enum accord_status greet(command *c, const accord_target *target, accord_error *error)
{
    char hello[128];
    greeting g = {0};
    snprintf(hello, sizeof hello, "accord 1 n=%zu format=%s\n", target->n,
             accord_format_get(target->format)->name);
    const struct iovec words[2] = {{.iov_base = hello, .iov_len = strlen(hello)}};
    enum accord_status status = accordi_talk_exchange(&c->talk, words, hear_greeting, &g, error);
    if (status != ACCORD_OK)
        return status;
    memcpy(c->version, g.version, sizeof c->version);
    return accordi_speech_init(&c->speech, target->n, g.text, target->storage_f32,
                               target->storage_f32 ? 9 : 17)
               ? ACCORD_OK
               : accordi_nomem(error);
}

enum accord_status accordi_command_greet_again(accord_target *target, accord_error *error)
{
    command *c = target->state;
    if (c->dead)
        return accordi_fail(error, c->last.status, "%s", c->last.text);
    accordi_speech_clear(&c->speech);
    enum accord_status status = greet(c, target, &c->last);
    c->dead = status != ACCORD_OK;
    return c->dead ? accordi_fail(error, status, "%s", c->last.text) : ACCORD_OK;
}

/* ---- the kind ---- */

static enum accord_status ask_program(accord_target *target, const accord_batch *batch,
                                      double *result, accord_error *error)
{
    command *c = target->state;
    accordi_speech_begin(&c->speech, batch);
    for (size_t first = 0, count; first < batch->probes; first += count) {
        count = accordi_speech_encode(&c->speech, batch, first);
        if (count == 0)
            return accordi_nomem(error);
        accordi_answers answers = {
            .text = c->speech.text, .wanted = count, .result = result + first};
        double from = accordi_now();
        enum accord_status status =
            accordi_talk_exchange(&c->talk, c->speech.words, accordi_hear_answers, &answers, error);
        if (status != ACCORD_OK)
            return status;
        double seconds = accordi_now() - from;
        target->seconds += seconds;
        accordi_speech_pace(&c->speech, seconds);
    }
    return ACCORD_OK;
}

enum accord_status accordi_command_run(accord_target *target, const accord_batch *batch,
                                       double *result, accord_error *error)
{
    command *c = target->state;
    if (c->dead)
        return accordi_fail(error, c->last.status, "%s", c->last.text);
    double *own = accordi_alloc(batch->probes, sizeof *own);
    if (!own)
        return accordi_nomem(error);
    enum accord_status status = ask_program(target, batch, own, &c->last);
    if (status == ACCORD_OK) {
        memcpy(result, own, batch->probes * sizeof *own);
    } else {
        c->dead = true;
        accordi_fail(error, status, "%s", c->last.text);
    }
    free(own);
    return status;
}

/* The program that the first word names, as the shell would find it. */
static bool find_program(const char *text, char real[PATH_MAX])
{
    char word[256], path[PATH_MAX];
    size_t length = strcspn(text, " \t\n");
    size_t odd = strcspn(text, "|;&()<>`$\"'\\=");
    if (length == 0 || length >= sizeof word || odd < length)
        return false;
    memcpy(word, text, length);
    word[length] = '\0';
    if (strchr(word, '/'))
        return access(word, X_OK) == 0 && realpath(word, real);
    for (const char *at = getenv("PATH"); at && *at;) {
        size_t folder = strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)folder, at, word);
        if (access(path, X_OK) == 0)
            return realpath(path, real) != NULL;
        at += folder + (at[folder] == ':');
    }
    return false;
}

static enum accord_status describe_command(accord_target *target, accord_record *record,
                                           accord_error *error)
{
    const command *c = target->state;
    enum accord_status status = ACCORD_OK;
    if (c->program[0])
        status = accord_record_set(&record->library, c->program, error);
    if (status == ACCORD_OK && c->version[0])
        status = accord_record_set(&record->library_version, c->version, error);
    return status;
}

void accordi_command_close(accord_target *target)
{
    command *c = target->state;
    accordi_talk_end(&c->talk);
    accordi_speech_clear(&c->speech);
    free(c);
}

const accord_target_kind accordi_command_kind = {
    .name = "command",
    .notation = "command:CMD",
    .about = "a program that writes its sums to standard output; see doc/command-protocol.md",
    .run = accordi_command_run,
    .describe = describe_command,
    .close = accordi_command_close,
};

static enum accord_status check_program_options(const accord_target_options *options,
                                                accord_error *error)
{
    if (options->signature || options->alignment)
        return accordi_fail(error, ACCORD_ARG,
                            "a command has no signature or alignment: leave them out");
    return accordi_refuse_blas_options(options, "a command", error);
}

enum accord_status accordi_command_open_as(accord_target *target, const accord_target_kind *kind,
                                           const char *line, const char *program,
                                           const accord_target_options *options,
                                           accord_error *error)
{
    accord_target t = *target;
    char real[PATH_MAX];
    enum accord_status status = check_program_options(options, error);
    if (status != ACCORD_OK)
        return status;
    command *c = accordi_calloc(1, sizeof *c);
    if (!c)
        return accordi_nomem(error);
    t.kind = kind;
    t.state = c;
    t.format = t.output = options->has_format ? options->format : ACCORD_F32;
    t.storage_f32 = t.format != ACCORD_F64;
    if (find_program(program, real))
        snprintf(c->program, sizeof c->program, "%s", real);
    status = accordi_talk_start(&c->talk, line, options->timeout, error);
    if (status != ACCORD_OK) {
        free(c);
        return status;
    }
    status = greet(c, &t, error);
    if (status != ACCORD_OK) {
        accordi_command_close(&t);
        return status;
    }
    *target = t;
    return ACCORD_OK;
}

enum accord_status accordi_command_open(accord_target *target, const accordi_notation *notation,
                                        const accord_target_options *options, accord_error *error)
{
    return accordi_command_open_as(target, &accordi_command_kind, notation->head, notation->head,
                                   options, error);
}
