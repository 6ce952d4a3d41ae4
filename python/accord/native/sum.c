/* Callables of one sum as black boxes. Between probes the terms hold the fill and the writes that
 * stay, nothing else. */
#include "native/native.h"

static uint64_t raw_of(const native_operand *o, size_t i)
{
    uint64_t raw = 0;
    memcpy(&raw, (const char *)o->truth + i * o->size, o->size);
    return raw;
}

static void put_raw(native_operand *o, size_t i, uint64_t raw)
{
    memcpy((char *)o->truth + i * o->size, &raw, o->size);
    memcpy((char *)o->memory + i * o->size, &raw, o->size);
}

static void fill(native_target *t, int which, double value)
{
    native_operand *o = &t->call.operand[which];
    if (t->clean[which] && memcmp(&t->fill[which], &value, sizeof value) == 0)
        return;
    native_put(o, 0, value);
    uint64_t raw = raw_of(o, 0);
    for (size_t i = 1; i < o->count; i++)
        memcpy((char *)o->truth + i * o->size, &raw, o->size);
    memcpy(o->memory, o->truth, o->count * o->size);
    t->fill[which] = value;
    t->clean[which] = true;
}

static void load_row(native_target *t, int which, const void *rows, size_t row)
{
    native_operand *o = &t->call.operand[which];
    bool f32 = t->target->storage_f32;
    const char *from = (const char *)rows + row * o->count * (f32 ? sizeof(float) : sizeof(double));
    t->clean[which] = false;
    if (o->size == (f32 ? sizeof(float) : sizeof(double))) {
        memcpy(o->truth, from, o->count * o->size);
        memcpy(o->memory, from, o->count * o->size);
        return;
    }
    for (size_t i = 0; i < o->count; i++)
        native_put(o, i, (double)((const float *)(const void *)from)[i]);
}

static bool reserve(native_target *t, const accord_batch *batch)
{
    size_t most = 0;
    for (size_t p = 0; !batch->dense && p < batch->probes; p++) {
        size_t own = batch->start[2 * p + 2] - batch->start[2 * p + 1];
        most = own > most ? own : most;
    }
    return accordi_grow((void **)&t->saved, &t->saved_capacity, most, sizeof *t->saved);
}

static enum accord_status ask(native_target *t, bool last, double *result, accord_error *error)
{
    PyObject *made;
    enum accord_status status = native_call_now(&t->call, &made, error);
    if (status)
        return status;
    status = native_call_number(&t->call, made, result, error);
    Py_DECREF(made);
    return status ? status : native_call_settle(&t->call, last, error);
}

static enum accord_status ask_sparse(native_target *t, const accord_batch *batch, size_t p,
                                     double *result, accord_error *error)
{
    native_operand *o = &t->call.operand[0];
    const uint32_t *start = batch->start + 2 * p, *index = batch->index;
    for (uint32_t w = start[0]; w < start[1]; w++)
        native_put(o, index[w], batch->value[w]);
    if (start[1] > start[0])
        t->clean[0] = false;
    for (uint32_t w = start[1]; w < start[2]; w++) {
        t->saved[w - start[1]] = raw_of(o, index[w]);
        native_put(o, index[w], batch->value[w]);
    }
    enum accord_status status = ask(t, p + 1 == batch->probes, result, error);
    for (uint32_t w = start[2]; w-- > start[1];)
        put_raw(o, index[w], t->saved[w - start[1]]);
    return status;
}

static enum accord_status answer(native_target *t, const accord_batch *batch, double *result,
                                 accord_error *error)
{
    bool products = t->call.operands > 1;
    if (!reserve(t, batch))
        return accordi_nomem(error);
    if (!batch->dense)
        fill(t, 0, batch->fill);
    if (products && !batch->dense_second)
        fill(t, 1, batch->second != 0 ? batch->second : 1);
    enum accord_status status = ACCORD_OK;
    for (size_t p = 0; p < batch->probes && !status; p++) {
        if (products && batch->dense_second)
            load_row(t, 1, batch->dense_second, p);
        if (batch->dense) {
            load_row(t, 0, batch->dense, p);
            status = ask(t, p + 1 == batch->probes, result + p, error);
        } else {
            status = ask_sparse(t, batch, p, result + p, error);
        }
    }
    return status;
}

static enum accord_status run(accord_target *target, const accord_batch *batch, double *result,
                              accord_error *error)
{
    native_target *t = target->state;
    enum accord_status status = native_target_enter(t, error);
    if (status)
        return status;
    status = answer(t, batch, result, error);
    native_target_leave(t);
    return status;
}

enum accord_status native_sum_ones(native_target *t, PyObject **result, accord_error *error)
{
    for (int which = 0; which < t->call.operands; which++)
        fill(t, which, 1);
    return native_call_now(&t->call, result, error);
}

const accord_target_kind native_sum_kind = {
    .name = "python",
    .notation = "python:MODULE.ATTR",
    .about = "a callable of Python, in process",
    .run = run,
    .describe = native_target_describe,
};
