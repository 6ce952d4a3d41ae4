/* The kind "command": any program that can read and write. */
#include "targets/program/command_state.h"
#include <limits.h>
#include <unistd.h>

/* ---- the greeting ---- */

/* Elements have no sums of their own, and what scales are for is narrow. */
static enum accord_status check_elements(const accordi_command *c, const accord_target *target,
                                         accord_error *error)
{
    const char *format = accord_format_get(target->format)->name;
    if (!c->block && !accord_format_adds(target->format))
        return accordi_fail(error, ACCORD_TARGET,
                            "%s announces no scales, without which sums of products of %s have no "
                            "order that can be asked for (doc/command-protocol.md)",
                            c->talk.name, format);
    if (c->block && target->format == ACCORD_F64)
        return accordi_fail(error, ACCORD_TARGET,
                            "%s announces scales, which elements of %s do not have: choose another "
                            "--format, such as e4m3 or e2m1",
                            c->talk.name, format);
    return ACCORD_OK;
}

static enum accord_status greet(accordi_command *c, const accord_target *target,
                                accord_error *error)
{
    char hello[128];
    accordi_greeting g = {0};
    snprintf(hello, sizeof hello, "accord 1 n=%zu format=%s highest=2\n", target->n,
             accord_format_get(target->format)->name);
    const struct iovec words[2] = {{.iov_base = hello, .iov_len = strlen(hello)}};
    enum accord_status status =
        accordi_talk_exchange(&c->talk, words, accordi_hear_greeting, &g, error);
    if (status == ACCORD_OK && g.refused)
        status = accordi_fail(error, ACCORD_TARGET, "%s: %s", target->notation,
                              g.version[0] ? g.version : "the program gave no reason");
    if (status == ACCORD_OK)
        status = accordi_greeting_check(&g, target->n, error);
    if (status != ACCORD_OK)
        return status;
    memcpy(c->version, g.version, sizeof c->version);
    c->rows = g.rows;
    c->columns = g.columns;
    c->shares = g.shares;
    c->copies = g.copies;
    c->talk.window = g.window;
    c->block = g.scaled ? g.block : 0;
    c->scale = g.scale;
    if ((status = check_elements(c, target, error)))
        return status;
    c->products = g.products || g.scaled;
    if (c->products &&
        !accordi_records_init(&c->records, target->n, c->block, target->format == ACCORD_F64))
        return accordi_nomem(error);
    return accordi_speech_init(&c->speech, target->n, g.text, target->storage_f32,
                               g.rows * g.columns)
               ? ACCORD_OK
               : accordi_nomem(error);
}

enum accord_status accordi_command_greet_again(accord_target *target, accord_error *error)
{
    accordi_command *c = target->state;
    if (c->dead)
        return accordi_command_conclude(c, c->last.status, error);
    accordi_speech_clear(&c->speech);
    accordi_records_clear(&c->records);
    enum accord_status status = greet(c, target, &c->last);
    return accordi_command_conclude(c, status, error);
}

/* ---- the kind ---- */

bool accordi_find_program(const char *line, char *real, size_t size)
{
    char word[256], path[PATH_MAX], found[PATH_MAX];
    size_t length = strcspn(line, " \t\n");
    size_t odd = strcspn(line, "|;&()<>`$\"'\\=");
    bool good = false;
    if (length == 0 || length >= sizeof word || odd < length)
        return false;
    memcpy(word, line, length);
    word[length] = '\0';
    if (strchr(word, '/'))
        good = access(word, X_OK) == 0 && realpath(word, found);
    const char *at = strchr(word, '/') ? NULL : getenv("PATH");
    while (at && *at && !good) {
        size_t folder = strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)folder, at, word);
        good = access(path, X_OK) == 0 && realpath(path, found);
        at += folder + (at[folder] == ':');
    }
    return good && (size_t)snprintf(real, size, "%s", found) < size;
}

enum accord_status accordi_command_describe(accord_target *target, accord_record *record,
                                            accord_error *error)
{
    const accordi_command *c = target->state;
    enum accord_status status = ACCORD_OK;
    if (c->program[0])
        status = accord_record_set(&record->library, c->program, error);
    if (status == ACCORD_OK && c->version[0])
        status = accord_record_set(&record->library_version, c->version, error);
    return status;
}

void accordi_command_close(accord_target *target)
{
    accordi_command *c = target->state;
    accordi_talk_end(&c->talk);
    accordi_speech_clear(&c->speech);
    accordi_records_clear(&c->records);
    free(c->line);
    free(c);
}

const accord_target_kind accordi_command_kind = {
    .name = "command",
    .notation = "command:CMD",
    .about = "a program that writes its sums to standard output; see doc/command-protocol.md",
    .run = accordi_command_run,
    .describe = accordi_command_describe,
    .close = accordi_command_close,
    .takes_result = true,
    .takes_scales = true,
};

const accord_target_kind accordi_command_grid_kind = {
    .name = "command",
    .notation = "command:CMD",
    .about = "a program that writes grids of sums to standard output",
    .run = accordi_command_run,
    .run_grid = accordi_command_run_grid,
    .describe = accordi_command_describe,
    .close = accordi_command_close,
    .takes_result = true,
    .takes_scales = true,
};

/* "r,c", or "r" where there is one column. */
static enum accord_status choose_element(accordi_command *c, const char *element,
                                         accord_error *error)
{
    unsigned row = 0, column = 0;
    int read = 0;
    if (!element)
        return ACCORD_OK;
    bool good =
        sscanf(element, "%9u%n", &row, &read) == 1 && element[0] >= '0' && element[0] <= '9';
    if (good && element[read] == ',' && element[read + 1] >= '0' && element[read + 1] <= '9') {
        const char *rest = element + read + 1;
        good = sscanf(rest, "%9u%n", &column, &read) == 1 && !rest[read];
    } else {
        good = good && !element[read];
    }
    if (!good || row >= c->rows || column >= c->columns)
        return accordi_fail(error, ACCORD_ARG,
                            "the element '%.40s' is not in the grid of %zu x %zu results%s; rows "
                            "and columns are counted from 0",
                            element, c->rows, c->columns,
                            c->copies ? " (POSITION,RANK)" : " that the program announces");
    c->element = row * c->columns + column;
    return ACCORD_OK;
}

void accordi_command_options(const accord_target *target, accord_target_options *options,
                             char element[48])
{
    const accordi_command *c = target->state;
    snprintf(element, 48, "%zu,%zu", c->element / c->columns, c->element % c->columns);
    *options = (accord_target_options){.n = target->n,
                                       .format = target->format,
                                       .has_format = true,
                                       .has_result = !c->block && target->kind->takes_result,
                                       .result = target->output,
                                       .element = element,
                                       .timeout = c->talk.timeout};
}

static enum accord_status check_program_options(const accord_target_options *options,
                                                accord_error *error)
{
    if (options->signature || options->alignment)
        return accordi_fail(error, ACCORD_ARG,
                            "a command has no signature or alignment: leave them out");
    accord_target_options others = *options;
    others.element = NULL; /* programs with a grid of results have them */
    return accordi_refuse_blas_options(&others, "a command", error);
}

enum accord_status accordi_command_open_as(accord_target *target, const accordi_program *program,
                                           const accord_target_options *options,
                                           accord_error *error)
{
    accord_target t = *target;
    enum accord_status status = check_program_options(options, error);
    if (status != ACCORD_OK)
        return status;
    accordi_command *c = accordi_calloc(1, sizeof *c);
    if (!c)
        return accordi_nomem(error);
    t.kind = program->kind;
    t.state = c;
    t.format = options->has_format ? options->format : ACCORD_F32;
    t.output = options->has_result ? options->result : t.format;
    t.storage_f32 = t.format != ACCORD_F64;
    t.together = true;
    if (!accordi_find_program(program->path, c->program, sizeof c->program))
        c->program[0] = '\0';
    c->kind = program->kind;
    c->line = accordi_strdup(program->line);
    double from = accordi_now();
    status = c->line ? accordi_talk_start(&c->talk, program, options->timeout, error)
                     : accordi_nomem(error);
    if (status != ACCORD_OK) {
        free(c->line);
        free(c);
        return status;
    }
    if (program->kind != &accordi_command_kind) /* the line that is run says nothing to a user */
        snprintf(c->talk.name, sizeof c->talk.name, "%.150s%s", target->notation,
                 strlen(target->notation) > 150 ? "…" : "");
    memcpy(c->talk.hung, program->hung, sizeof c->talk.hung);
    c->talk.died = program->died;
    status = greet(c, &t, error);
    c->starting = accordi_now() - from;
    if (status == ACCORD_OK)
        status = choose_element(c, options->element, error);
    if (status != ACCORD_OK) {
        accordi_command_close(&t);
        return status;
    }
    t.copies = c->copies;
    if (c->products) {
        t.term = ACCORD_TERM_PRODUCT;
        t.storage_f32 = false; /* a batch is encoded from doubles here */
    }
    if (c->block) {
        t.scale_block = c->block;
        t.scale = c->scale;
        t.output = ACCORD_F32;
    }
    t.rows = c->rows;
    t.columns = c->columns;
    t.row = c->element / c->columns;
    t.column = c->element % c->columns;
    if (c->rows * c->columns > 1 && program->kind == &accordi_command_kind)
        t.kind = &accordi_command_grid_kind;
    *target = t;
    return ACCORD_OK;
}

enum accord_status accordi_command_open(accord_target *target, const accordi_notation *notation,
                                        const accord_target_options *options, accord_error *error)
{
    const accordi_program program = {
        .kind = &accordi_command_kind, .line = notation->head, .path = notation->head};
    return accordi_command_open_as(target, &program, options, error);
}

/* ---- other circumstances ---- */

/* A program may choose how it adds when it starts, between two ways by chance. Those that start
 * quickly are started more often. */
bool accordi_command_elsewhere(const accord_target *target, const accordi_notation *notation,
                               size_t i, accordi_circumstance *out)
{
    enum { SUMS = 16, QUICK = 3 };
    static const double quick = .5;
    const accordi_command *c = target->state;
    (void)notation;
    *out = (accordi_circumstance){.target = NULL};
    if (i >= (c->starting > quick ? 1 : QUICK))
        return false;
    out->sums = SUMS;
    out->when = "in a new process";
    out->depends = "the order depends on the process";
    out->expected = true;
    return true;
}

enum accord_status accordi_command_open_elsewhere(const accord_target *target,
                                                  const accordi_circumstance *how,
                                                  accord_target *out, accord_error *error)
{
    static const double most = 5;
    const accordi_command *c = target->state;
    accord_target_options options;
    char element[48];
    (void)how;
    if (c->starting > most)
        return accordi_fail(error, ACCORD_UNSUPPORTED, "it takes %.0f seconds to start",
                            c->starting);
    const accordi_program program = {.kind = c->kind,
                                     .line = c->line,
                                     .path = c->program,
                                     .hung = {c->talk.hung[0], c->talk.hung[1]},
                                     .like = &c->talk.child};
    accordi_command_options(target, &options, element);
    if (c->rows * c->columns == 1)
        options.element = NULL;
    return accordi_command_open_as(out, &program, &options, error);
}
