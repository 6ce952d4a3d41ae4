/* Callables of one sum as black boxes. Between probes the terms hold the fill and the writes that
 * stay, nothing else. */
#include "native/native.h"

/* Numbers `from` to `to` - 1 of a batch's writes; what they cover goes to `saved`, where it is
 * given. */
typedef struct writes {
    const uint32_t *index;
    const double *value;
    uint64_t *saved;
    size_t from, to;
} writes;

#define PUT_ALL(NAME, T, ENCODE)                                                                   \
    static void NAME(const native_operand *o, const writes *w)                                     \
    {                                                                                              \
        T *memory = o->memory, *truth = o->truth;                                                  \
        for (size_t i = w->from; i < w->to; i++) {                                                 \
            const uint32_t at = w->index[i];                                                       \
            const double value = w->value[i];                                                      \
            if (w->saved)                                                                          \
                memcpy(&w->saved[i - w->from], &truth[at], sizeof *truth);                         \
            memory[at] = truth[at] = (T)(ENCODE);                                                  \
        }                                                                                          \
    }                                                                                              \
    static void NAME##_back(const native_operand *o, const writes *w)                              \
    {                                                                                              \
        T *memory = o->memory, *truth = o->truth;                                                  \
        for (size_t i = w->to; i-- > w->from;) {                                                   \
            memcpy(&truth[w->index[i]], &w->saved[i - w->from], sizeof *truth);                    \
            memory[w->index[i]] = truth[w->index[i]];                                              \
        }                                                                                          \
    }
PUT_ALL(put_f64, double, value)
PUT_ALL(put_f32, float, value)
PUT_ALL(put_16_bits, uint16_t, accord_format_encode(o->format, value))
PUT_ALL(put_8_bits, uint8_t, accord_format_encode(o->format, value))

/* Of numbers of so many bytes: writes, and takes the writes back, in the order that undoes them. */
typedef void put_all(const native_operand *o, const writes *w);
static put_all *const puts_of_size[9] = {
    [1] = put_8_bits, [2] = put_16_bits, [4] = put_f32, [8] = put_f64};
static put_all *const puts_back_of_size[9] = {
    [1] = put_8_bits_back, [2] = put_16_bits_back, [4] = put_f32_back, [8] = put_f64_back};

static void fill(native_target *t, int which, double value)
{
    native_operand *o = &t->call.operand[which];
    if (t->clean[which] && memcmp(&t->fill[which], &value, sizeof value) == 0)
        return;
    native_put(o, 0, value);
    for (size_t done = 1; done < o->count; done *= 2)
        memcpy((char *)o->truth + done * o->size, o->truth,
               (done < o->count - done ? done : o->count - done) * o->size);
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
        memcpy(o->memory, from, o->count * o->size);
        o->due = from;
        return;
    }
    for (size_t i = 0; i < o->count; i++)
        native_put(o, i, (double)((const float *)(const void *)from)[i]);
}

/* The scales of a row, all 1 where the batch has none. */
static void load_scales(native_target *t, int which, const double *scales, size_t row)
{
    native_operand *o = &t->call.operand[which];
    if (!scales) {
        fill(t, which, 1);
        return;
    }
    t->clean[which] = false;
    for (size_t i = 0; i < o->count; i++)
        native_put(o, i, scales[row * o->count + i]);
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
    const uint32_t *start = batch->start + 2 * p;
    const writes stay = {batch->index, batch->value, NULL, start[0], start[1]};
    const writes own = {batch->index, batch->value, t->saved, start[1], start[2]};
    puts_of_size[o->size](o, &stay);
    if (start[1] > start[0])
        t->clean[0] = false;
    puts_of_size[o->size](o, &own);
    enum accord_status status = ask(t, p + 1 == batch->probes, result, error);
    puts_back_of_size[o->size](o, &own);
    return status;
}

static enum accord_status answer(native_target *t, const accord_batch *batch, double *result,
                                 accord_error *error)
{
    bool products = t->call.operands > 1, scaled = t->target->scale_block > 0;
    if (!reserve(t, batch))
        return accordi_nomem(error);
    if (!batch->dense)
        fill(t, 0, batch->fill);
    if (products && !batch->dense_second)
        fill(t, 1, batch->second != 0 ? batch->second : 1);
    enum accord_status status = ACCORD_OK;
    for (size_t p = 0; p < batch->probes && !status; p++) {
        for (int i = 0; i < 2 && scaled; i++)
            load_scales(t, 2 + i, i ? batch->scale_second : batch->scale_first, p);
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

/* The rows of the batch will be gone, and the callable may still change what it was given. */
static void keep_rows(native_target *t)
{
    for (int which = 0; which < t->call.operands; which++) {
        native_operand *o = &t->call.operand[which];
        if (o->due != o->truth)
            memcpy(o->truth, o->due, o->count * o->size);
        o->due = o->truth;
    }
}

static enum accord_status run(accord_target *target, const accord_batch *batch, double *result,
                              accord_error *error)
{
    native_target *t = target->state;
    enum accord_status status = native_target_enter(t, error);
    if (status)
        return status;
    status = answer(t, batch, result, error);
    keep_rows(t);
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
