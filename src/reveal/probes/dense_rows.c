/* Rows of probes in which all terms are written out, in the target's own number format. */
#include "reveal/probes/dense_rows.h"

enum accord_status accordi_dense_init(accordi_dense *d, accordi_asker *asker, size_t room,
                                      bool products)
{
    bool f32 = asker->target->storage_f32;
    size_t bytes = asker->n * (f32 ? sizeof(float) : sizeof(double));
    *d = (accordi_dense){.asker = asker,
                         .room = room,
                         .f32 = f32,
                         .x = accordi_alloc(room, bytes),
                         .y = products ? accordi_alloc(room, bytes) : NULL,
                         .row = accordi_alloc(2 * room, sizeof *d->row),
                         .due = accordi_alloc(room, sizeof *d->due),
                         .seen = accordi_alloc(room, sizeof *d->seen)};
    if (!d->x || (products && !d->y) || !d->row || !d->due || !d->seen)
        return asker->status = accordi_nomem(asker->error);
    for (size_t i = 0; i < room; i++) {
        d->row[i] = (char *)d->x + i * bytes;
        d->row[room + i] = products ? (char *)d->y + i * bytes : NULL;
    }
    return asker->status;
}

void accordi_dense_clear(accordi_dense *d)
{
    free(d->x);
    free(d->y);
    free(d->row);
    free(d->due);
    free(d->seen);
    *d = (accordi_dense){0};
}

void accordi_dense_put(const accordi_dense *d, size_t row, size_t i, double x, double y)
{
    accordi_set_number(d->x, d->f32, row * d->asker->n + i, x);
    if (d->y)
        accordi_set_number(d->y, d->f32, row * d->asker->n + i, y);
}

void accordi_dense_fill(const accordi_dense *d, size_t row, double fill)
{
    const size_t n = d->asker->n, bytes = n * (d->f32 ? sizeof(float) : sizeof(double));
    accordi_ask_repeat((char *)d->x + row * bytes, n, d->f32, fill);
    if (d->y)
        accordi_ask_repeat((char *)d->y + row * bytes, n, d->f32, 1);
}

double accordi_dense_get(const accordi_dense *d, const void *operand, size_t row, size_t i)
{
    size_t at = row * d->asker->n + i;
    return accordi_get_number(operand, d->f32, at);
}

enum accord_status accordi_dense_ask(accordi_dense *d)
{
    accordi_asker *asker = d->asker;
    const accord_batch batch = {.probes = d->rows, .dense = d->x, .dense_second = d->y};
    if (!asker->status && d->rows && accordi_ask_goes_on(asker, d->rows))
        asker->status = accord_target_run(asker->target, &batch, d->seen, asker->error);
    return asker->status;
}

enum accord_status accordi_dense_replay(accordi_dense *d, const accord_model *model)
{
    accordi_asker *asker = d->asker;
    const accord_rows rows = {
        .rows = d->rows, .x = d->row, .y = d->y ? d->row + d->room : NULL, .is_f32 = d->f32};
    if (!asker->status && d->rows)
        asker->status = accord_model_replay(model, &rows, d->due, asker->error);
    return asker->status;
}

bool accordi_dense_agrees(const accordi_dense *d, size_t i)
{
    return accordi_same_bits(d->due[i], d->seen[i] * d->asker->result_factor);
}
