/* The kind "command": any program that can read and write. */
#include "targets/program/command.h"
#include <limits.h>
#include <unistd.h>

typedef struct command {
    accordi_talk talk;
    accordi_speech speech;
    bool products;           /* whose second factors are asked for */
    accordi_records records; /* of these; else empty */
    size_t block;            /* so many share scales; 0: they do not */
    enum accord_format scale;
    char version[320];              /* what the program said of itself */
    char program[4096];             /* its true path; "" where it is not known */
    size_t rows, columns;           /* of the results of each sum */
    bool shares;                    /* rows may have terms of their own in one call */
    bool copies;                    /* columns should be the same */
    size_t element;                 /* that a batch asks for */
    const accord_target_kind *kind; /* that it was started as */
    char *line;                     /* what started it */
    double starting;                /* seconds until it had greeted */
    bool dead;
    accord_error last;
} command;

/* ---- the greeting ---- */

/* Elements have no sums of their own, and what scales are for is narrow. */
static enum accord_status check_elements(const command *c, const accord_target *target,
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

static enum accord_status greet(command *c, const accord_target *target, accord_error *error)
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

/* After a failure the program is not spoken to again. */
static enum accord_status conclude(command *c, enum accord_status status, accord_error *error)
{
    c->dead = c->dead || status != ACCORD_OK;
    if (status != ACCORD_OK && error)
        *error = c->last;
    return status;
}

enum accord_status accordi_command_greet_again(accord_target *target, accord_error *error)
{
    command *c = target->state;
    if (c->dead)
        return conclude(c, c->last.status, error);
    accordi_speech_clear(&c->speech);
    accordi_records_clear(&c->records);
    enum accord_status status = greet(c, target, &c->last);
    return conclude(c, status, error);
}

/* ---- the kind ---- */

/* Says the words, and hears the results of so many sums. */
static enum accord_status exchange_words(accord_target *target, const struct iovec words[2],
                                         size_t sums, double *result, accord_error *error)
{
    command *c = target->state;
    accordi_answers answers = {.text = c->speech.text,
                               .output = target->output,
                               .sums = sums,
                               .wanted = sums * c->speech.results,
                               .result = result};
    double from = accordi_now();
    enum accord_status status =
        accordi_talk_exchange(&c->talk, words, accordi_hear_answers, &answers, error);
    target->seconds += accordi_now() - from;
    if (status == ACCORD_TARGET && answers.why[0])
        return accordi_fail(error, ACCORD_TARGET, "%s: %s", target->notation, answers.why);
    if (status == ACCORD_TARGET && answers.wrong[0])
        return accordi_fail(error, ACCORD_TARGET, "%s'%s' %s; see doc/command-protocol.md",
                            c->talk.hung[1] ? "" : "the command ", c->talk.name, answers.wrong);
    return status;
}

/* The same for what is encoded. */
static enum accord_status exchange(accord_target *target, size_t sums, double *result,
                                   accord_error *error)
{
    command *c = target->state;
    return exchange_words(target, c->speech.words, sums, result, error);
}

static enum accord_status say_records(void *context, size_t sums, double *result)
{
    accord_target *target = context;
    command *c = target->state;
    const accordi_buffer *out = &c->records.out;
    const struct iovec words[2] = {{.iov_base = out->data, .iov_len = out->length}};
    double from = accordi_now();
    enum accord_status status = exchange_words(target, words, sums, result, &c->last);
    accordi_speech_pace(&c->speech, accordi_now() - from);
    return status;
}

/* "3", or "1, 3 and 4": the columns of a row that are not what the first is. */
static void list_columns(const double *row, size_t columns, char *text, size_t size)
{
    enum { SHOWN = 8 };
    size_t used = 0, shown = 0, differ = 0;
    for (size_t c = 0; c < columns; c++)
        differ += !accordi_same_bits(row[0], row[c]);
    size_t items = differ <= SHOWN ? differ : SHOWN + 1;
    for (size_t c = 0; c < columns && shown < SHOWN; c++)
        if (!accordi_same_bits(row[0], row[c]))
            used += (size_t)snprintf(text + used, size - used, "%s%zu",
                                     accordi_joint(shown++, items), c);
    if (differ > SHOWN)
        snprintf(text + used, size - used, " and %zu more", differ - SHOWN);
}

/* Copies of one result are the same in every sum that is ever asked for. */
static enum accord_status check_copies(const accord_target *target, const double *grid,
                                       accord_error *error)
{
    const command *c = target->state;
    char columns[160];
    for (size_t r = 0; target->copies && r < c->rows; r++, grid += c->columns)
        for (size_t k = 1; k < c->columns; k++)
            if (!accordi_same_bits(grid[0], grid[k])) {
                list_columns(grid, c->columns, columns, sizeof columns);
                return accordi_unable(error, ACCORD_REASON_COPIES,
                                      "the ranks do not hold the same result: at position %zu of "
                                      "the vector rank 0 has %.17g and rank %zu has %.17g (the "
                                      "ranks that differ from rank 0: %s); accord map shows the "
                                      "order of each rank",
                                      r, grid[0], k, grid[k], columns);
            }
    return ACCORD_OK;
}

static enum accord_status ask_program(accord_target *target, const accord_batch *batch,
                                      double *result, double *grid, accord_error *error)
{
    command *c = target->state;
    size_t each = c->speech.results;
    if (c->products)
        return accordi_records_run(&c->records, batch, &c->speech.step, say_records, target, result,
                                   error);
    accordi_speech_begin(&c->speech, batch);
    for (size_t first = 0, count; first < batch->probes; first += count) {
        count = accordi_speech_encode(&c->speech, batch, first);
        if (count == 0)
            return accordi_nomem(error);
        double from = accordi_now();
        enum accord_status status = exchange(target, count, grid ? grid : result + first, error);
        if (status != ACCORD_OK)
            return status;
        for (size_t i = 0; grid && i < count; i++) {
            result[first + i] = grid[i * each + c->element];
            if ((status = check_copies(target, grid + i * each, error)))
                return status;
        }
        accordi_speech_pace(&c->speech, accordi_now() - from);
    }
    return ACCORD_OK;
}

enum accord_status accordi_command_run(accord_target *target, const accord_batch *batch,
                                       double *result, accord_error *error)
{
    command *c = target->state;
    if (c->dead)
        return conclude(c, c->last.status, error);
    size_t room = accordi_speech_most(&c->speech, batch->probes);
    double *own = accordi_alloc(batch->probes, sizeof *own);
    double *grid = c->speech.results > 1 ? accordi_alloc(room, sizeof *grid) : NULL;
    bool enough = own && (grid || c->speech.results == 1);
    enum accord_status status = enough ? ACCORD_OK : accordi_nomem(error);
    if (enough)
        status = conclude(c, ask_program(target, batch, own, grid, &c->last), error);
    if (status == ACCORD_OK)
        memcpy(result, own, batch->probes * sizeof *own);
    free(own);
    free(grid);
    return status;
}

static bool rows_are_alike(const accord_target *target, const char *a)
{
    const command *c = target->state;
    size_t bytes = target->n * (target->storage_f32 ? sizeof(float) : sizeof(double));
    for (size_t r = 1; r < c->rows; r++)
        if (memcmp(a, a + r * bytes, bytes) != 0)
            return false;
    return true;
}

/* Where rows cannot have terms of their own, or have the same, each different row is asked for all
 * results, and gives those of the rows that hold the same. */
static enum accord_status ask_rows(accord_target *target, const char *a, double *result,
                                   double *grid, bool *done, accord_error *error)
{
    command *c = target->state;
    size_t bytes = target->n * (target->storage_f32 ? sizeof(float) : sizeof(double));
    for (size_t r = 0; r < c->rows; r++) {
        if (done[r])
            continue;
        const accord_batch one = {.probes = 1, .dense = a + r * bytes};
        accordi_speech_begin(&c->speech, &one);
        if (accordi_speech_encode(&c->speech, &one, 0) == 0)
            return accordi_nomem(error);
        enum accord_status status = exchange(target, 1, grid, error);
        if (status != ACCORD_OK)
            return status;
        for (size_t other = r; other < c->rows; other++)
            if (!done[other] && memcmp(a + r * bytes, a + other * bytes, bytes) == 0) {
                memcpy(result + other * c->columns, grid + other * c->columns,
                       c->columns * sizeof *grid);
                done[other] = true;
            }
    }
    return ACCORD_OK;
}

enum accord_status accordi_command_run_grid(accord_target *target, const accord_grid *asked,
                                            double *result, accord_error *error)
{
    command *c = target->state;
    if (c->dead)
        return conclude(c, c->last.status, error);
    double *grid = accordi_alloc(c->speech.results, sizeof *grid);
    bool *done = accordi_calloc(c->rows, sizeof *done);
    enum accord_status status = grid && done ? ACCORD_OK : accordi_nomem(error);
    if (!status && c->shares && !rows_are_alike(target, asked->a)) {
        status = accordi_speech_encode_grid(&c->speech, asked->a, c->rows)
                     ? conclude(c, exchange(target, 1, grid, &c->last), error)
                     : accordi_nomem(error);
        if (!status)
            memcpy(result, grid, c->speech.results * sizeof *grid);
    } else if (!status) {
        status = conclude(c, ask_rows(target, asked->a, result, grid, done, &c->last), error);
    }
    free(grid);
    free(done);
    return status;
}

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
static enum accord_status choose_element(command *c, const char *element, accord_error *error)
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
    const command *c = target->state;
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
    command *c = accordi_calloc(1, sizeof *c);
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
    const command *c = target->state;
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
    const command *c = target->state;
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
