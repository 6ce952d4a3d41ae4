/* Batches and grids of results, as questions to a program and its answers to them. */
#include "targets/program/command_state.h"

enum accord_status accordi_command_conclude(accordi_command *c, enum accord_status status,
                                            accord_error *error)
{
    c->dead = c->dead || status != ACCORD_OK;
    if (status != ACCORD_OK && error)
        *error = c->last;
    return status;
}

/* Says the words, and hears the results of so many sums. */
static enum accord_status exchange_words(accord_target *target, const struct iovec words[2],
                                         size_t sums, double *result, accord_error *error)
{
    accordi_command *c = target->state;
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
    accordi_command *c = target->state;
    return exchange_words(target, c->speech.words, sums, result, error);
}

static enum accord_status say_records(void *context, size_t sums, double *result)
{
    accord_target *target = context;
    accordi_command *c = target->state;
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
    const accordi_command *c = target->state;
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
    accordi_command *c = target->state;
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
    accordi_command *c = target->state;
    if (c->dead)
        return accordi_command_conclude(c, c->last.status, error);
    size_t room = accordi_speech_most(&c->speech, batch->probes);
    double *own = accordi_alloc(batch->probes, sizeof *own);
    double *grid = c->speech.results > 1 ? accordi_alloc(room, sizeof *grid) : NULL;
    bool enough = own && (grid || c->speech.results == 1);
    enum accord_status status = enough ? ACCORD_OK : accordi_nomem(error);
    if (enough)
        status =
            accordi_command_conclude(c, ask_program(target, batch, own, grid, &c->last), error);
    if (status == ACCORD_OK)
        memcpy(result, own, batch->probes * sizeof *own);
    free(own);
    free(grid);
    return status;
}

static bool rows_are_alike(const accord_target *target, const char *a)
{
    const accordi_command *c = target->state;
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
    accordi_command *c = target->state;
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
    accordi_command *c = target->state;
    if (c->dead)
        return accordi_command_conclude(c, c->last.status, error);
    double *grid = accordi_alloc(c->speech.results, sizeof *grid);
    bool *done = accordi_calloc(c->rows, sizeof *done);
    enum accord_status status = grid && done ? ACCORD_OK : accordi_nomem(error);
    if (!status && c->shares && !rows_are_alike(target, asked->a)) {
        status = accordi_speech_encode_grid(&c->speech, asked->a, c->rows)
                     ? accordi_command_conclude(c, exchange(target, 1, grid, &c->last), error)
                     : accordi_nomem(error);
        if (!status)
            memcpy(result, grid, c->speech.results * sizeof *grid);
    } else if (!status) {
        status = accordi_command_conclude(
            c, ask_rows(target, asked->a, result, grid, done, &c->last), error);
    }
    free(grid);
    free(done);
    return status;
}
