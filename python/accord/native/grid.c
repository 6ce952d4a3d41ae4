/* Callables with many results as black boxes: sums along an axis, GEMV, GEMM.
 *
 * A grid comes row by row: rows of a, columns of b. Python's arrays have the layout that the
 * callable expects, so operands are copied, transposed where they must be; tiles that are as they
 * were at the call before are left alone. A batch of single probes goes into one row of a
 * and one column of b, all others being 1. */
#include "native/native.h"
#include <math.h>

enum { BLOCK = 16, STRAIGHT_STEP = 512 };

static size_t cell(const native_target *t)
{
    return t->target->storage_f32 ? sizeof(float) : sizeof(double);
}

static size_t lines_of(const native_target *t, int which)
{
    return which == 0 ? t->target->rows : which == 1 ? t->target->columns : t->target->rows;
}

static size_t length_of(const native_target *t, int which)
{
    return which < 2 ? t->inner : t->target->columns;
}

static double get(const native_target *t, const void *source, size_t i)
{
    return t->target->storage_f32 ? (double)((const float *)source)[i]
                                  : ((const double *)source)[i];
}

/* A part of an operand: lines first … last - 1, of each the terms from … to - 1. */
typedef struct tile {
    size_t first, last, from, to;
} tile;

#define TRANSPOSE(T)                                                                               \
    for (size_t k = part->from; k < part->to; k++)                                                 \
        for (size_t r = part->first; r < part->last; r++)                                          \
            ((T *)o->truth)[k * lines + r] = ((T *)o->memory)[k * lines + r] =                     \
                ((const T *)source)[r * length + k];

static void load_tile(native_target *t, int which, const void *source, const tile *part)
{
    native_operand *o = &t->call.operand[which];
    size_t lines = lines_of(t, which), length = length_of(t, which);
    if (o->size != cell(t)) {
        for (size_t r = part->first; r < part->last; r++)
            for (size_t k = part->from; k < part->to; k++)
                native_put(o, t->straight[which] ? r * length + k : k * lines + r,
                           get(t, source, r * length + k));
    } else if (t->straight[which]) {
        size_t bytes = (part->to - part->from) * o->size;
        for (size_t r = part->first; r < part->last; r++) {
            size_t at = (r * length + part->from) * o->size;
            memcpy((char *)o->truth + at, (const char *)source + at, bytes);
            memcpy((char *)o->memory + at, (const char *)source + at, bytes);
        }
    } else if (t->target->storage_f32) {
        TRANSPOSE(float)
    } else {
        TRANSPOSE(double)
    }
}

/* Takes what is new over into `last`; false where nothing is. */
static bool renew_tile(char *last, const char *source, size_t line_bytes, size_t size,
                       const tile *part)
{
    bool is_new = false;
    size_t bytes = (part->to - part->from) * size;
    for (size_t r = part->first; r < part->last; r++) {
        size_t at = r * line_bytes + part->from * size;
        if (memcmp(last + at, source + at, bytes) == 0)
            continue;
        memcpy(last + at, source + at, bytes);
        is_new = true;
    }
    return is_new;
}

static void load(native_target *t, int which, const void *source)
{
    size_t lines = lines_of(t, which), length = length_of(t, which);
    size_t step = t->straight[which] ? STRAIGHT_STEP : BLOCK;
    char *last = t->source[which];
    if (t->loaded[which] && memcmp(last, source, lines * length * cell(t)) == 0)
        return;
    for (size_t r = 0; r < lines; r += BLOCK)
        for (size_t k = 0; k < length; k += step) {
            const tile part = {r, r + BLOCK < lines ? r + BLOCK : lines, k,
                               k + step < length ? k + step : length};
            if (renew_tile(last, source, length * cell(t), cell(t), &part) || !t->loaded[which])
                load_tile(t, which, last, &part);
        }
    t->loaded[which] = true;
}

static enum accord_status call_grid(native_target *t, const accord_grid *grid, double *results,
                                    accord_error *error)
{
    PyObject *made;
    bool products = t->target->term == ACCORD_TERM_PRODUCT;
    load(t, 0, grid->a);
    if (products)
        load(t, 1, grid->b);
    if (t->target->has_start)
        load(t, 2, grid->c);
    enum accord_status status = native_call_now(&t->call, &made, error);
    if (status)
        return status;
    status = native_call_numbers(&t->call, made, t->result, t->target->rows * t->target->columns,
                                 results, error);
    Py_DECREF(made);
    return status ? status : native_call_settle(&t->call, false, error);
}

static enum accord_status run_grid(accord_target *target, const accord_grid *grid, double *result,
                                   accord_error *error)
{
    native_target *t = target->state;
    enum accord_status status = native_target_enter(t, error);
    if (status)
        return status;
    status = call_grid(t, grid, result, error);
    native_target_leave(t);
    return status;
}

/* ---- single probes ---- */

static void put(native_target *t, void *cells, size_t i, double value)
{
    if (t->target->storage_f32)
        ((float *)cells)[i] = (float)value;
    else
        ((double *)cells)[i] = value;
}

/* Term k of the element that is asked for, of either factor. */
static void put_term(native_target *t, int which, size_t k, double value)
{
    size_t line = which == 0 ? t->row : t->column;
    if (k < t->inner)
        put(t, t->own_grid[which], line * t->inner + k, value);
    else if (which == 0)
        put(t, t->own_grid[2], t->row * t->target->columns + t->column, value);
}

static double get_term(const native_target *t, size_t k)
{
    return k < t->inner ? get(t, t->own_grid[0], t->row * t->inner + k)
                        : get(t, t->own_grid[2], t->row * t->target->columns + t->column);
}

static bool make_own(native_target *t)
{
    int operands = t->target->has_start ? 3 : t->target->term == ACCORD_TERM_PRODUCT ? 2 : 1;
    for (int which = 0; which < operands; which++) {
        size_t count = lines_of(t, which) * length_of(t, which);
        if (t->own_grid[which])
            continue;
        t->own_grid[which] = accordi_alloc(count, cell(t));
        if (!t->own_grid[which])
            return false;
        for (size_t i = 0; i < count; i++)
            put(t, t->own_grid[which], i, which < 2);
    }
    return true;
}

static void put_line(native_target *t, int which, const void *rows, size_t row, double fill)
{
    for (size_t k = 0; k < t->target->n; k++)
        put_term(t, which, k, rows ? get(t, rows, row * t->target->n + k) : fill);
}

static enum accord_status ask_own(native_target *t, double *result, accord_error *error)
{
    const accord_grid grid = {.a = t->own_grid[0], .b = t->own_grid[1], .c = t->own_grid[2]};
    enum accord_status status = call_grid(t, &grid, t->results, error);
    *result = t->results[t->row * t->target->columns + t->column];
    return status;
}

static enum accord_status ask_sparse(native_target *t, const accord_batch *batch, size_t p,
                                     double *saved, double *result, accord_error *error)
{
    const uint32_t *start = batch->start + 2 * p, *index = batch->index;
    for (uint32_t w = start[0]; w < start[1]; w++)
        put_term(t, 0, index[w], batch->value[w]);
    for (uint32_t w = start[1]; w < start[2]; w++) {
        saved[w - start[1]] = get_term(t, index[w]);
        put_term(t, 0, index[w], batch->value[w]);
    }
    enum accord_status status = ask_own(t, result, error);
    for (uint32_t w = start[2]; w-- > start[1];)
        put_term(t, 0, index[w], saved[w - start[1]]);
    return status;
}

static enum accord_status answer(native_target *t, const accord_batch *batch, double *result,
                                 accord_error *error)
{
    bool products = t->target->term == ACCORD_TERM_PRODUCT;
    double *saved =
        accordi_alloc(batch->dense ? 1 : batch->start[2 * batch->probes] + 1, sizeof *saved);
    enum accord_status status = saved && make_own(t) ? ACCORD_OK : accordi_nomem(error);
    if (!status && !batch->dense)
        put_line(t, 0, NULL, 0, batch->fill);
    if (!status && products && !batch->dense_second)
        put_line(t, 1, NULL, 0, batch->second != 0 ? batch->second : 1);
    for (size_t p = 0; p < batch->probes && !status; p++) {
        if (batch->dense)
            put_line(t, 0, batch->dense, p, 0);
        if (batch->dense_second)
            put_line(t, 1, batch->dense_second, p, 0);
        status = batch->dense ? ask_own(t, result + p, error)
                              : ask_sparse(t, batch, p, saved, result + p, error);
    }
    free(saved);
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

const accord_target_kind native_grid_kind = {
    .name = "python",
    .notation = "python:MODULE.ATTR",
    .about = "a callable of Python with many results, in process",
    .run = run,
    .run_grid = run_grid,
    .describe = native_target_describe,
};

bool native_grid_init(native_target *t)
{
    for (int which = 0; which < t->call.operands; which++) {
        size_t count = lines_of(t, which) * length_of(t, which);
        if (count != t->call.operand[which].count) {
            PyErr_Format(PyExc_ValueError, "operand %d must have %zu numbers, not %zu", which,
                         count, t->call.operand[which].count);
            return false;
        }
        t->source[which] = accordi_calloc(count, cell(t));
        if (!t->source[which]) {
            PyErr_NoMemory();
            return false;
        }
    }
    t->results = accordi_calloc(t->target->rows * t->target->columns, sizeof *t->results);
    if (!t->results)
        PyErr_NoMemory();
    return t->results != NULL;
}

enum accord_status native_grid_ones(native_target *t, PyObject **result, accord_error *error)
{
    if (!make_own(t))
        return accordi_nomem(error);
    for (int which = 0; which < t->call.operands; which++)
        load(t, which, t->own_grid[which]);
    return native_call_now(&t->call, result, error);
}
