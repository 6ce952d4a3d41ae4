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
                                    bool products, bool shared, bool packed)
{
    accord_target *target = asker->target;
    bool f32 = target->storage_f32;
    size_t bytes = bytes_of_row(asker);
    size_t places = packed ? 1 : room, all = products ? 2 * places : places;
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
                         .packed =
                             packed ? accordi_ask_calloc(asker, 2 * room, sizeof *d->packed) : NULL,
                         .start = accordi_ask_alloc(asker, 3 * room, sizeof *d->start)};
    size_t share = target->scale_block;
    d->blocks = share ? (asker->n + share - 1) / share : 0;
    if (share) {
        d->scale[0] = accordi_ask_alloc(asker, 2 * room * d->blocks, sizeof *d->scale[0]);
        d->scale_row = accordi_ask_alloc(asker, 2 * room, sizeof *d->scale_row);
    }
    if (asker->status) {
        accordi_dense_clear(d);
        return asker->status;
    }
    if (share)
        d->scale[1] = d->scale[0] + room * d->blocks;
    for (size_t i = 0; i < 2 * room * d->blocks; i++)
        d->scale[0][i] = 1;
    for (size_t i = 0; share && i < 2 * room; i++)
        d->scale_row[i] = d->scale[0] + i * d->blocks;
    d->y = products ? d->x + places * bytes : NULL;
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
    return init_rows(d, asker, room, products, false, false);
}

enum accord_status accordi_dense_share(accordi_dense *d, accordi_asker *asker, size_t room,
                                       bool products)
{
    return init_rows(d, asker, room, products, true, false);
}

enum accord_status accordi_dense_share_packed(accordi_dense *d, accordi_asker *asker, size_t room,
                                              bool products)
{
    return init_rows(d, asker, room, products, true, true);
}

/* Many rows that were borrowed are no longer needed, nor is their memory. */
static void give_back(const accordi_dense *d)
{
    enum { LARGE = 1 << 26 };
    accord_target *target = d->asker->target;
    d->asker->rows_lent = false;
    if ((d->packed ? 1 : d->room) * d->bytes > LARGE)
        target->kind->arena(target, 0);
}

void accordi_dense_clear(accordi_dense *d)
{
    if (d->borrowed)
        give_back(d);
    else
        free(d->x);
    for (size_t i = 0; d->packed && i < 2 * d->room; i++)
        accordi_buffer_clear(&d->packed[i]);
    free(d->packed);
    free(d->row);
    free(d->start);
    free(d->scale[0]);
    free(d->scale_row);
    *d = (accordi_dense){0};
}

void *accordi_dense_first(const accordi_dense *d, size_t row)
{
    return d->x + (d->packed ? 0 : row * d->bytes);
}

void *accordi_dense_second(const accordi_dense *d, size_t row)
{
    return d->y ? d->y + (d->packed ? 0 : row * d->bytes) : NULL;
}

/* ---- packed rows ---- */

enum accord_status accordi_dense_add(accordi_dense *d)
{
    accordi_asker *asker = d->asker;
    size_t row = d->rows++;
    for (int which = 0; d->packed && which < (d->y ? 2 : 1) && !asker->status; which++) {
        accordi_buffer *packed = &d->packed[which ? d->room + row : row];
        accordi_row_pack(packed, which ? d->y : d->x, asker->n, d->f32);
        if (packed->failed)
            asker->status = accordi_nomem(asker->error);
    }
    return asker->status;
}

void accordi_dense_bring(const accordi_dense *d, size_t row)
{
    if (!d->packed)
        return;
    accordi_row_unpack(&d->packed[row], d->x, d->asker->n, d->f32);
    if (d->y)
        accordi_row_unpack(&d->packed[d->room + row], d->y, d->asker->n, d->f32);
}

static void move_packed(accordi_buffer *from, accordi_buffer *to)
{
    accordi_buffer_clear(to);
    *to = *from;
    *from = (accordi_buffer){0};
}

void accordi_dense_move(accordi_dense *d, size_t from, size_t to)
{
    d->seen[to] = d->seen[from];
    if (from != to && d->packed) {
        move_packed(&d->packed[from], &d->packed[to]);
        move_packed(&d->packed[d->room + from], &d->packed[d->room + to]);
    } else if (from != to) {
        memcpy(accordi_dense_first(d, to), accordi_dense_first(d, from), d->bytes);
        if (d->y)
            memcpy(accordi_dense_second(d, to), accordi_dense_second(d, from), d->bytes);
    }
}

/* ---- numbers ---- */

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

static enum accord_status ask_rows(accordi_dense *d, size_t first, size_t count, double *result)
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

/* Packed rows one by one. */
static size_t together(const accordi_dense *d, size_t count)
{
    return d->packed && count > 1 ? 1 : count;
}

enum accord_status accordi_dense_ask_some(accordi_dense *d, size_t first, size_t count,
                                          double *result)
{
    size_t some = together(d, count);
    for (size_t i = 0; i < count && !d->asker->status; i += some) {
        accordi_dense_bring(d, first + i);
        ask_rows(d, first + i, some, result + i);
    }
    return d->asker->status;
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
    size_t some = together(d, count);
    bool has_start = d->asker->target->has_start;
    for (size_t i = 0; i < count && !d->asker->status; i += some) {
        size_t at = first + i;
        accordi_dense_bring(d, at);
        for (size_t r = at; has_start && r < at + some; r++)
            d->start[r] = accordi_get_number(d->row[r], d->f32, d->asker->n - 1);
        replay_rows(d, at, some, model, has_start ? d->start + at : NULL, result + i);
    }
    return d->asker->status;
}

enum accord_status accordi_dense_replay(accordi_dense *d, const accord_model *model)
{
    return replay_rows(d, 0, d->rows, model, NULL, d->due);
}

bool accordi_dense_agrees(const accordi_dense *d, size_t i)
{
    return accordi_same_bits(d->due[i], d->seen[i] * d->asker->result_factor);
}
