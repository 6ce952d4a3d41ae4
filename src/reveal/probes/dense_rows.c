/* Rows of probes in which all terms are written out, in the target's own number format. */
#include "reveal/probes/dense_rows.h"
#include "base/parallel.h"

/* From so many terms on, rows are replayed by two threads: so many at least by each. */
enum { MANY = 1 << 17, LEAST_ROWS = 2, HALVES = 2 };
/* Sums of so many terms are replayed row by row anyway (replay.c). */
enum { LONG = 1 << 19 };
/* All rows of a group together, as long as that leaves one for each thread. */
enum { GROUP_BYTES = 1 << 27 };

static size_t bytes_of_row(const accordi_asker *asker)
{
    return asker->n * (asker->target->storage_f32 ? sizeof(float) : sizeof(double));
}

size_t accordi_dense_fitting(const accordi_asker *asker, size_t most, bool products)
{
    size_t rows = GROUP_BYTES / (bytes_of_row(asker) * (products ? 2 : 1) + 1);
    rows = rows < HALVES ? HALVES : rows;
    return rows < most ? rows : most;
}

static enum accord_status init_rows(accordi_dense *d, accordi_asker *asker, size_t room,
                                    bool products, bool shared)
{
    accord_target *target = asker->target;
    bool f32 = target->storage_f32;
    size_t bytes = bytes_of_row(asker);
    size_t all = products ? 2 * room : room;
    bool lends = shared && target->kind->arena && !asker->rows_lent;
    void *arena = lends ? target->kind->arena(target, all * bytes) : NULL;
    asker->rows_lent |= arena != NULL;
    *d = (accordi_dense){.asker = asker,
                         .room = room,
                         .bytes = bytes,
                         .f32 = f32,
                         .borrowed = arena != NULL,
                         .x = arena ? arena : accordi_ask_alloc(asker, all, bytes),
                         .row = accordi_ask_alloc(asker, 2 * room, sizeof *d->row),
                         .start = accordi_ask_alloc(asker, 3 * room, sizeof *d->start)};
    size_t share = target->scale_block;
    d->blocks = share ? (asker->n + share - 1) / share : 0;
    if (share) {
        d->scale[0] = accordi_ask_alloc(asker, 2 * room * d->blocks, sizeof *d->scale[0]);
        d->scale_row = accordi_ask_alloc(asker, 2 * room, sizeof *d->scale_row);
    }
    if (!d->x || !d->row || !d->start || (share && (!d->scale[0] || !d->scale_row))) {
        accordi_dense_clear(d);
        return asker->status;
    }
    if (share)
        d->scale[1] = d->scale[0] + room * d->blocks;
    for (size_t i = 0; i < 2 * room * d->blocks; i++)
        d->scale[0][i] = 1;
    for (size_t i = 0; share && i < 2 * room; i++)
        d->scale_row[i] = d->scale[0] + i * d->blocks;
    d->y = products ? d->x + room * bytes : NULL;
    d->due = d->start + room;
    d->seen = d->due + room;
    for (size_t i = 0; i < room; i++) {
        d->row[i] = accordi_dense_first(d, i);
        d->row[room + i] = accordi_dense_second(d, i);
    }
    return asker->status;
}

enum accord_status accordi_dense_init(accordi_dense *d, accordi_asker *asker, size_t room,
                                      bool products)
{
    return init_rows(d, asker, room, products, false);
}

enum accord_status accordi_dense_share(accordi_dense *d, accordi_asker *asker, size_t room,
                                       bool products)
{
    return init_rows(d, asker, room, products, true);
}

/* Many rows that were borrowed are no longer needed, nor is their memory. */
static void give_back(const accordi_dense *d)
{
    enum { LARGE = 1 << 26 };
    accord_target *target = d->asker->target;
    d->asker->rows_lent = false;
    if (d->room * d->bytes > LARGE)
        target->kind->arena(target, 0);
}

void accordi_dense_clear(accordi_dense *d)
{
    if (d->borrowed)
        give_back(d);
    else
        free(d->x);
    free(d->row);
    free(d->start);
    free(d->scale[0]);
    free(d->scale_row);
    *d = (accordi_dense){0};
}

void *accordi_dense_first(const accordi_dense *d, size_t row)
{
    return d->x + row * d->bytes;
}

void *accordi_dense_second(const accordi_dense *d, size_t row)
{
    return d->y ? d->y + row * d->bytes : NULL;
}

void accordi_dense_fill(const accordi_dense *d, size_t row, double fill)
{
    accordi_ask_repeat(accordi_dense_first(d, row), d->asker->n, d->f32, fill);
    if (d->y)
        accordi_ask_repeat(accordi_dense_second(d, row), d->asker->n, d->f32, 1);
}

double accordi_dense_get(const accordi_dense *d, const void *operand, size_t row, size_t i)
{
    size_t at = row * d->asker->n + i;
    return accordi_get_number(operand, d->f32, at);
}

static const double *scales_from(const accordi_dense *d, size_t row, size_t which)
{
    return d->blocks ? accordi_dense_scale(d, row, which, 0) : NULL;
}

enum accord_status accordi_dense_ask_some(accordi_dense *d, size_t first, size_t count,
                                          double *result)
{
    accordi_asker *asker = d->asker;
    const accord_batch batch = {.probes = count,
                                .dense = accordi_dense_first(d, first),
                                .dense_second = accordi_dense_second(d, first),
                                .scale_first = scales_from(d, first, 0),
                                .scale_second = scales_from(d, first, 1)};
    if (!asker->status && count && accordi_ask_goes_on(asker, count))
        asker->status = accord_target_run(asker->target, &batch, result, asker->error);
    return asker->status;
}

enum accord_status accordi_dense_ask(accordi_dense *d)
{
    return accordi_dense_ask_some(d, 0, d->rows, d->seen);
}

typedef struct replaying {
    const accord_model *model;
    accord_rows rows[HALVES];
    double *result[HALVES];
    enum accord_status status[HALVES];
    accord_error error[HALVES];
} replaying;

static void replay_half(void *context, size_t half, int worker)
{
    replaying *r = context;
    (void)worker;
    r->error[half].status = ACCORD_OK;
    r->status[half] =
        accord_model_replay(r->model, &r->rows[half], r->result[half], &r->error[half]);
}

static enum accord_status replay_rows(accordi_dense *d, size_t first, size_t count,
                                      const accord_model *model, const double *start,
                                      double *result)
{
    accordi_asker *asker = d->asker;
    size_t least = HALVES * (asker->n > LONG ? 1 : LEAST_ROWS);
    bool many = asker->n >= MANY && count >= least && accordi_threads(0) > 1;
    size_t halves = many ? HALVES : 1;
    replaying r = {.model = model};
    bool scaled =
        d->blocks && model->arithmetic->has_machine && model->arithmetic->machine.scale_block > 0;
    for (size_t h = 0; h < halves; h++) {
        size_t from = h * count / halves, to = (h + 1) * count / halves;
        r.rows[h] = (accord_rows){.size = sizeof(accord_rows),
                                  .rows = to - from,
                                  .x = d->row + first + from,
                                  .y = d->y ? d->row + d->room + first + from : NULL,
                                  .start = start ? start + from : NULL,
                                  .is_f32 = d->f32,
                                  .scale_x = scaled ? d->scale_row + first + from : NULL,
                                  .scale_y = scaled ? d->scale_row + d->room + first + from : NULL};
        r.result[h] = result + from;
    }
    if (asker->status || !count)
        return asker->status;
    accordi_parallel(halves, (int)halves, replay_half, &r);
    for (size_t h = 0; h < halves && !asker->status; h++)
        if ((asker->status = r.status[h]) && asker->error)
            *asker->error = r.error[h];
    return asker->status;
}

enum accord_status accordi_dense_replay_some(accordi_dense *d, size_t first, size_t count,
                                             const accord_model *model, double *result)
{
    bool has_start = d->asker->target->has_start;
    for (size_t r = first; has_start && r < first + count; r++)
        d->start[r] = accordi_get_number(d->row[r], d->f32, d->asker->n - 1);
    return replay_rows(d, first, count, model, has_start ? d->start + first : NULL, result);
}

enum accord_status accordi_dense_replay(accordi_dense *d, const accord_model *model)
{
    return replay_rows(d, 0, d->rows, model, NULL, d->due);
}

bool accordi_dense_agrees(const accordi_dense *d, size_t i)
{
    return accordi_same_bits(d->due[i], d->seen[i] * d->asker->result_factor);
}
