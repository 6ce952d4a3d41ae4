/* Questions to targets. */
#include "native/native.h"

/* ---- orders and maps ---- */

typedef struct question {
    native_target *target;
    accord_reveal_options options;
    PyObject *progress;
    Py_ssize_t row, column; /* row < 0: no element of many */
} question;

static bool read_question(const native_state *state, PyObject *args, PyObject *kwargs, question *q)
{
    static const char *const names[] = {"target",  "algorithm", "seed",  "certificate", "loose",
                                        "replays", "budget",    "proof", "error",       "progress",
                                        "row",     "column",    NULL};
    PyObject *target;
    const char *budget = NULL;
    int certificate = 1, loose = 0;
    unsigned long long seed = 0, replays = 0;
    accord_error error;
    *q = (question){.row = -1};
    accord_reveal_options_init(&q->options);
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|$zKppKzzdOnn", (char **)(uintptr_t)names,
                                     state->target, &target, &q->options.algorithm, &seed,
                                     &certificate, &loose, &replays, &budget, &q->options.proof,
                                     &q->options.proof_error, &q->progress, &q->row, &q->column))
        return false;
    if (budget && accord_reveal_budget(budget, &q->options, &error)) {
        native_raise(state, &error);
        return false;
    }
    q->target = (native_target *)target;
    q->options.seed = seed;
    q->options.replays = replays;
    q->options.no_certificate = !certificate;
    q->options.loose = loose;
    q->options.progress = native_talk_progress;
    q->options.progress_context = &q->target->talk;
    return q->row < 0 ? native_target_take(state, q->target)
                      : native_target_take_at(state, q->target, q->row, q->column);
}

enum native_outcome native_target_end(const native_state *state, native_target *t,
                                      enum accord_status status, accord_error *error)
{
    bool raised = !native_talk_end(&t->talk);
    enum accord_status after = ACCORD_OK;
    if (!raised && (status == ACCORD_OK || status == ACCORD_UNABLE))
        after = native_target_look(t, error);
    t->busy = false;
    if (raised || native_talk_raise(&t->talk))
        return NATIVE_FAILED;
    if (after || status)
        native_raise(state, error);
    return after                     ? NATIVE_FAILED
           : status == ACCORD_UNABLE ? NATIVE_NO_ANSWER
           : status                  ? NATIVE_FAILED
                                     : NATIVE_FINE;
}

/* Hangs the record of a question without an answer on the exception that is set. */
static void attach(const native_state *state, accord_record *record)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *made = native_record_new(state, record);
    if (!made || PyObject_SetAttrString(value, "record", made) < 0)
        PyErr_Clear();
    Py_XDECREF(made);
    PyErr_Restore(type, value, traceback);
}

PyObject *native_reveal(PyObject *module, PyObject *args, PyObject *kwargs)
{
    const native_state *state = PyModule_GetState(module);
    question q;
    accord_record *record;
    accord_error error = {.status = ACCORD_OK};
    enum accord_status status;
    if (!read_question(state, args, kwargs, &q))
        return NULL;
    if (!(record = native_record_empty())) {
        q.target->busy = false;
        return NULL;
    }
    native_talk_begin(&q.target->talk, q.progress);
    if (q.row >= 0 && q.target->target->kind->run_grid)
        status = accord_map_reveal_element(q.target->target, &q.options, (size_t)q.row,
                                           (size_t)q.column, record, &error);
    else
        status = accord_reveal(q.target->target, &q.options, record, &error);
    enum native_outcome outcome = native_target_end(state, q.target, status, &error);
    if (outcome == NATIVE_FAILED) {
        accord_record_free(record);
        return NULL;
    }
    if (outcome == NATIVE_FINE)
        return native_record_new(state, record);
    attach(state, record);
    return NULL;
}

PyObject *native_reveal_map(PyObject *module, PyObject *args, PyObject *kwargs)
{
    const native_state *state = PyModule_GetState(module);
    question q;
    accord_map *map;
    accord_error error = {.status = ACCORD_OK};
    if (!read_question(state, args, kwargs, &q))
        return NULL;
    if (!(map = accord_map_new())) {
        q.target->busy = false;
        return PyErr_NoMemory();
    }
    native_talk_begin(&q.target->talk, q.progress);
    enum accord_status status = accord_map_reveal(q.target->target, &q.options, map, &error);
    if (native_target_end(state, q.target, status, &error) != NATIVE_FINE) {
        accord_map_free(map);
        return NULL;
    }
    return native_map_new(state, map);
}

/* ---- single sums ---- */

PyObject *native_target_sample(PyObject *self, PyObject *nothing)
{
    const native_state *state = native_state_of(self);
    native_target *t = (native_target *)self;
    PyObject *result = NULL;
    accord_error error;
    (void)nothing;
    if (!t->callable)
        return native_wrong(state, "only callables can give a sample");
    if (!native_target_take(state, t))
        return NULL;
    enum accord_status status = native_call_ready(&t->call, &error);
    if (!status)
        status = (t->result ? native_grid_ones : native_sum_ones)(t, &result, &error);
    if (!status) /* the result may be a view of them */
        status = native_call_settle(&t->call, true, &error);
    if (status)
        Py_CLEAR(result);
    t->busy = false;
    if (status && !native_talk_raise(&t->talk))
        native_raise(state, &error);
    return result;
}

/* Asks a batch of a target that was taken, gives it back, and raises what went wrong. */
static bool ask(const native_state *state, native_target *t, const accord_batch *batch,
                double *result)
{
    accord_error error = {.status = ACCORD_OK};
    native_talk_begin(&t->talk, NULL);
    enum accord_status status = accord_target_run(t->target, batch, result, &error);
    return native_target_end(state, t, status, &error) == NATIVE_FINE;
}

/* Rows as the target has them: float, or double. */
static void *rows_of(const native_state *state, const accord_target *t, PyObject *object,
                     size_t *rows)
{
    native_numbers in;
    if (!native_numbers_get(state, object, "x", &in))
        return NULL;
    if (in.count == 0 || in.count % t->n) {
        native_wrong(state, "%zu numbers are not a whole number of rows of %zu", in.count, t->n);
        native_numbers_release(&in);
        return NULL;
    }
    void *out = accordi_alloc(in.count, t->storage_f32 ? sizeof(float) : sizeof(double));
    for (size_t i = 0; out && i < in.count; i++)
        if (t->storage_f32)
            ((float *)out)[i] = (float)native_number(&in, i);
        else
            ((double *)out)[i] = native_number(&in, i);
    *rows = in.count / t->n;
    native_numbers_release(&in);
    if (!out)
        PyErr_NoMemory();
    return out;
}

PyObject *native_target_ask(PyObject *self, PyObject *args)
{
    const native_state *state = native_state_of(self);
    native_target *t = (native_target *)self;
    PyObject *x, *y = Py_None, *list = NULL;
    Py_ssize_t row = 0, column = 0;
    size_t rows = 0, others = 0;
    if (!PyArg_ParseTuple(args, "O|Onn", &x, &y, &row, &column))
        return NULL;
    void *first = rows_of(state, t->target, x, &rows), *second = NULL;
    if (first && y != Py_None)
        second = rows_of(state, t->target, y, &others);
    double *result = accordi_alloc(rows, sizeof *result);
    if (!first || (y != Py_None && !second) || !result) {
        if (!PyErr_Occurred())
            PyErr_NoMemory();
    } else if (second && others != rows) {
        native_wrong(state, "x has %zu rows, but y has %zu: give equally many", rows, others);
    } else {
        const accord_batch batch = {.probes = rows, .dense = first, .dense_second = second};
        if (native_target_take_at(state, t, row, column) && ask(state, t, &batch, result))
            list = PyList_New((Py_ssize_t)rows);
        for (size_t i = 0; list && i < rows; i++) {
            PyObject *value = PyFloat_FromDouble(result[i]);
            if (!value || PyList_SetItem(list, (Py_ssize_t)i, value) < 0)
                Py_CLEAR(list);
        }
    }
    free(first);
    free(second);
    free(result);
    return list;
}

PyObject *native_target_write(PyObject *self, PyObject *args)
{
    const native_state *state = native_state_of(self);
    native_target *t = (native_target *)self;
    Py_ssize_t probes, values, indices, starts;
    const char *value, *index, *start;
    double fill;
    PyObject *answer = NULL;
    if (!PyArg_ParseTuple(args, "ndy#y#y#", &probes, &fill, &value, &values, &index, &indices,
                          &start, &starts))
        return NULL;
    if (probes < 1 || starts != 4 * (probes + 1) || values != 2 * indices)
        return native_wrong(state, "the lengths of value, index and start do not fit together");
    double *room = accordi_alloc((size_t)probes + (size_t)values / 8, sizeof *room);
    uint32_t *place = accordi_alloc(2 * (size_t)probes + 1 + (size_t)indices / 4, sizeof *place);
    if (!room || !place) {
        PyErr_NoMemory();
    } else {
        double *written = room + probes;
        uint32_t *at = place + 2 * probes + 1;
        memcpy(written, value, (size_t)values);
        memcpy(at, index, (size_t)indices);
        for (Py_ssize_t p = 0; p <= probes; p++) {
            uint32_t from;
            memcpy(&from, start + 4 * p, sizeof from);
            place[2 * p] = from < (uint32_t)(indices / 4) ? from : (uint32_t)(indices / 4);
            if (p > 0)
                place[2 * p - 1] = place[2 * p];
        }
        const accord_batch batch = {
            .probes = (size_t)probes, .fill = fill, .start = place, .index = at, .value = written};
        if (native_target_take(state, t) && ask(state, t, &batch, room))
            answer =
                PyBytes_FromStringAndSize((const char *)room, probes * (Py_ssize_t)sizeof *room);
    }
    free(room);
    free(place);
    return answer;
}
