/* Replays of a record: arrays of Python come in, and the bits of the results go out. */
#include "native/native.h"

typedef struct rows {
    native_numbers x, y, start;
    bool has_y, has_start;
    const void **row;
    double *wide[3];  /* operands that had to be converted */
    double *scale[2]; /* of the blocks of all rows; NULL: all 1 */
    const double **scale_row;
} rows;

static void rows_release(rows *in)
{
    native_numbers_release(&in->x);
    if (in->has_y)
        native_numbers_release(&in->y);
    if (in->has_start)
        native_numbers_release(&in->start);
    free(in->row);
    for (int i = 0; i < 3; i++)
        free(in->wide[i]);
    free(in->scale[0]);
    free(in->scale[1]);
    free(in->scale_row);
}

/* Numbers that the format of the model does not hold would be answered by something else. */
static bool all_held(const native_state *state, const native_numbers *numbers,
                     enum accord_format format, const char *what)
{
    static const enum accord_format kinds[] = {ACCORD_F64, ACCORD_F32, ACCORD_F16};
    if (kinds[numbers->kind] == format)
        return true;
    for (size_t i = 0; i < numbers->count; i++) {
        double x = native_number(numbers, i);
        if (x == x && accord_format_round(format, ACCORD_NEAREST_EVEN, x) != x) {
            native_wrong(state,
                         "number %zu of %s, %.17g, is not one of %s: round it first, as the "
                         "implementation would be given it",
                         i, what, x, accord_format_get(format)->name);
            return false;
        }
    }
    return true;
}

static double *widened(const native_numbers *numbers)
{
    double *wide = accordi_alloc(numbers->count, sizeof *wide);
    for (size_t i = 0; wide && i < numbers->count; i++)
        wide[i] = native_number(numbers, i);
    return wide;
}

static bool lay_out(const native_state *state, const accord_record *r, rows *in, size_t terms,
                    accord_rows *out)
{
    size_t count = in->x.count / terms;
    bool f32 = in->x.kind == NATIVE_F32 && (!in->has_y || in->y.kind == NATIVE_F32);
    const enum accord_format input = r->arithmetic->input;
    if (!all_held(state, &in->x, input, "x") ||
        (in->has_y && !all_held(state, &in->y, input, "y")) ||
        (in->has_start && !all_held(state, &in->start, r->arithmetic->output, "start")))
        return false;
    const void *x = in->x.view.buf, *y = in->has_y ? in->y.view.buf : NULL;
    if (!f32 && in->x.kind != NATIVE_F64)
        x = in->wide[0] = widened(&in->x);
    if (!f32 && y && in->y.kind != NATIVE_F64)
        y = in->wide[1] = widened(&in->y);
    if (in->has_start)
        in->wide[2] = widened(&in->start);
    in->row = accordi_alloc(2 * count, sizeof *in->row);
    if (!x || !in->row || (in->has_y && !y) || (in->has_start && !in->wide[2])) {
        PyErr_NoMemory();
        return false;
    }
    size_t bytes = terms * (f32 ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < count; i++) {
        in->row[i] = (const char *)x + i * bytes;
        in->row[count + i] = y ? (const char *)y + i * bytes : NULL;
    }
    *out = (accord_rows){.size = sizeof *out,
                         .rows = count,
                         .x = in->row,
                         .y = y ? in->row + count : NULL,
                         .start = in->wide[2],
                         .is_f32 = f32};
    return true;
}

/* The scales of one operand, all of their format. */
static bool get_scales(const native_state *state, const accord_record *r, PyObject *given,
                       const char *what, size_t count, double **out)
{
    native_numbers numbers;
    const accord_fused *machine = &r->arithmetic->machine;
    if (given == Py_None)
        return true;
    if (!r->arithmetic->has_machine || machine->scale_block == 0) {
        native_wrong(state, "the products of this order share no scales: leave %s out", what);
        return false;
    }
    if (!native_numbers_get(state, given, what, &numbers))
        return false;
    bool fine = numbers.count == count;
    if (!fine)
        native_wrong(state, "%s has %zu numbers, but there are %zu blocks of %d products", what,
                     numbers.count, count, machine->scale_block);
    fine = fine && all_held(state, &numbers, machine->scale, what);
    if (fine && !(*out = widened(&numbers))) {
        PyErr_NoMemory();
        fine = false;
    }
    native_numbers_release(&numbers);
    return fine;
}

/* The scales of all rows, one after the other, as the library takes them. */
static bool lay_out_scales(const native_state *state, const accord_record *r, PyObject *given[2],
                           size_t terms, rows *in, accord_rows *out)
{
    static const char *const names[] = {"scale_x", "scale_y"};
    int share = r->arithmetic->has_machine ? r->arithmetic->machine.scale_block : 0;
    size_t blocks = share ? (terms + (size_t)share - 1) / (size_t)share : 0;
    for (int i = 0; i < 2; i++)
        if (!get_scales(state, r, given[i], names[i], out->rows * blocks, &in->scale[i]))
            return false;
    in->scale_row = accordi_alloc(2 * out->rows, sizeof *in->scale_row);
    if (!in->scale_row) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < 2 * out->rows; i++) {
        const double *all = in->scale[i >= out->rows];
        in->scale_row[i] = all ? all + i % out->rows * blocks : NULL;
    }
    out->scale_x = in->scale[0] ? in->scale_row : NULL;
    out->scale_y = in->scale[1] ? in->scale_row + out->rows : NULL;
    return true;
}

static bool rows_get(const native_state *state, PyObject *x, PyObject *y, PyObject *start,
                     size_t terms, rows *in)
{
    *in = (rows){0};
    if (!native_numbers_get(state, x, "x", &in->x))
        return false;
    in->has_y = y != Py_None && native_numbers_get(state, y, "y", &in->y);
    in->has_start = start != Py_None && native_numbers_get(state, start, "start", &in->start);
    if (PyErr_Occurred())
        ;
    else if (in->x.count % terms || (in->has_y && in->y.count != in->x.count) ||
             (in->has_start && in->start.count * terms != in->x.count))
        native_wrong(state,
                     "x has %zu numbers%s: a sum takes %zu, y as many as x, and start one for each "
                     "sum",
                     in->x.count, in->has_y ? ", and y others" : "", terms);
    if (!PyErr_Occurred())
        return true;
    rows_release(in);
    return false;
}

PyObject *native_replay(const native_state *state, const accord_record *r, PyObject *args)
{
    PyObject *x, *y = Py_None, *start = Py_None, *made = NULL, *scale[] = {Py_None, Py_None};
    accord_rows all;
    accord_error error;
    rows in;
    if (!PyArg_ParseTuple(args, "O|OOOO", &x, &y, &start, &scale[0], &scale[1]))
        return NULL;
    if (native_record_lacks(r))
        return native_wrong(state, "%s, so nothing can be replayed%s", native_record_lacks(r),
                            r->tree ? "; plain() assumes one" : "");
    const accord_model model = {r->tree, r->arithmetic};
    if (r->arithmetic->beta == 0 && start != Py_None)
        return native_wrong(state, "this order has no start value: leave start out");
    if (r->arithmetic->term != ACCORD_TERM_PRODUCT && y != Py_None)
        return native_wrong(state, "the terms of this order are not products: leave y out");
    size_t terms = r->tree->leaves - (r->arithmetic->beta != 0);
    if (!rows_get(state, x, y, start, terms, &in))
        return NULL;
    double *result = accordi_alloc(in.x.count / terms, sizeof *result);
    if (!result)
        PyErr_NoMemory();
    if (result && lay_out(state, r, &in, terms, &all) &&
        lay_out_scales(state, r, scale, terms, &in, &all)) {
        enum accord_status status;
        Py_BEGIN_ALLOW_THREADS;
        status = accord_model_replay(&model, &all, result, &error);
        Py_END_ALLOW_THREADS;
        if (status)
            native_raise(state, &error);
        else
            made = PyBytes_FromStringAndSize((const char *)result,
                                             (Py_ssize_t)(all.rows * sizeof *result));
    }
    free(result);
    rows_release(&in);
    return made;
}
