/* How far results spread: accord/vary.h. */
#include "native/native.h"

typedef struct question {
    accord_vary_options options;
    double *x, *y; /* the caller's inputs */
    PyObject *progress;
} question;

/* inputs: (rows, n, x) or (rows, n, x, y), or None. */
static bool read_inputs(const native_state *state, PyObject *given, question *q)
{
    PyObject *operand[2] = {NULL, NULL};
    Py_ssize_t rows, n;
    double **const values[2] = {&q->x, &q->y};
    if (!given || given == Py_None)
        return true;
    if (!PyArg_ParseTuple(given, "nnO|O", &rows, &n, &operand[0], &operand[1]))
        return false;
    for (int i = 0; i < 2 && operand[i]; i++) {
        size_t count;
        *values[i] = native_doubles(state, operand[i], "inputs", &count);
        if (!*values[i])
            return false;
        if (rows < 1 || n < 1 || count / (size_t)n != (size_t)rows || count % (size_t)n) {
            native_wrong(state, "inputs have %zu numbers, not %zd rows of %zd", count, rows, n);
            return false;
        }
    }
    q->options.x = q->x;
    q->options.y = q->y;
    q->options.rows = (size_t)rows;
    return true;
}

static void free_question(question *q)
{
    free(q->x);
    free(q->y);
}

/* ---- asking ---- */

/* (name, target, row, column). The target is let go after this, unless others hold it. */
static bool ask_one(const native_state *state, PyObject *setting, bool places, question *q,
                    accord_variation **variation)
{
    const char *name;
    PyObject *object;
    Py_ssize_t row, column;
    accord_error error = {.status = ACCORD_OK};
    if (!PyArg_ParseTuple(setting, "sO!nn", &name, state->target, &object, &row, &column))
        return false;
    native_target *target = (native_target *)object;
    bool taken = row < 0 || places ? native_target_take(state, target)
                                   : native_target_take_at(state, target, row, column);
    if (!taken)
        return false;
    q->options.progress = native_talk_progress;
    q->options.progress_context = &target->talk;
    enum accord_status status = ACCORD_OK;
    if (!*variation) {
        size_t first = places || row < 0 ? 0 : (size_t)row * target->target->columns;
        q->options.element = first + (column < 0 ? 0 : (size_t)column);
        status = accord_variation_new(&q->options, variation, &error);
    }
    native_talk_begin(&target->talk, q->progress);
    if (!status) {
        accord_variation_report(*variation, native_talk_progress, &target->talk);
        status = accord_variation_ask(*variation, target->target, name, places, &error);
    }
    return native_target_end(state, target, status, &error) == NATIVE_FINE;
}

/* ---- the answer ---- */

static PyObject *outcomes_of(const accord_variation *v)
{
    PyObject *list = PyList_New((Py_ssize_t)v->outcomes);
    for (size_t i = 0; list && i < v->outcomes; i++) {
        const accord_vary_outcome *o = &v->outcome[i];
        PyObject *one = Py_BuildValue("(dnnnddy#)", o->value, (Py_ssize_t)o->count,
                                      (Py_ssize_t)o->setting, (Py_ssize_t)o->first, o->vermv, o->vc,
                                      o->digest, (Py_ssize_t)sizeof o->digest);
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *runs_of(const accord_vary_setting *s, bool results)
{
    PyObject *list = PyList_New((Py_ssize_t)s->runs);
    for (size_t i = 0; list && i < s->runs; i++) {
        PyObject *one =
            results ? PyFloat_FromDouble(s->result[i]) : PyLong_FromUnsignedLong(s->outcome[i]);
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *settings_of(const accord_variation *v)
{
    PyObject *list = PyList_New((Py_ssize_t)v->settings);
    for (size_t i = 0; list && i < v->settings; i++) {
        const accord_vary_setting *s = v->setting[i];
        PyObject *one = Py_BuildValue(
            "{s:s,s:n,s:n,s:O,s:N,s:N,s:d,s:d,s:d,s:d,s:O,s:O,s:s,s:s}", "name", s->name, "places",
            (Py_ssize_t)s->places, "distinct", (Py_ssize_t)s->distinct, "varies",
            s->varies ? Py_True : Py_False, "outcomes", runs_of(s, false), "results",
            runs_of(s, true), "spread", s->summary->spread, "mean", s->summary->mean, "deviation",
            s->summary->deviation, "entropy", s->summary->entropy, "replays",
            s->replays ? Py_True : Py_False, "proven", s->proven ? Py_True : Py_False, "words",
            s->words, "order", s->order);
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *answer(const accord_variation *v)
{
    const accord_vary_expectation *e = &v->expected;
    return Py_BuildValue("{s:s,s:n,s:n,s:n,s:n,s:d,s:N,s:N,s:(dddds)}", "target", v->target, "n",
                         (Py_ssize_t)v->n, "runs", (Py_ssize_t)v->runs, "elements",
                         (Py_ssize_t)v->elements, "varying", (Py_ssize_t)v->varying, "spread",
                         v->spread, "outcomes", outcomes_of(v), "settings", settings_of(v),
                         "expected", e->exact, e->magnitude, e->bound, e->predicted,
                         accord_format_get(e->inside)->name);
}

static bool read_question(const native_state *state, PyObject *args, PyObject *kwargs,
                          PyObject **settings, int *places, question *q)
{
    static const char *const names[] = {"settings", "places", "runs",     "seed",   "kinds", "load",
                                        "proof",    "budget", "progress", "inputs", NULL};
    PyObject *inputs = NULL;
    const char *budget = NULL;
    int proof = 1;
    unsigned long long runs = 0, seed = 0, load = 0;
    accord_reveal_options limits;
    accord_error error;
    *q = (question){.x = NULL};
    accord_vary_options_init(&q->options);
    accord_reveal_options_init(&limits);
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Op|$KKzKpzOO", (char **)(uintptr_t)names,
                                     settings, places, &runs, &seed, &q->options.kinds, &load,
                                     &proof, &budget, &q->progress, &inputs))
        return false;
    if (budget && accord_reveal_budget(budget, &limits, &error)) {
        native_raise(state, &error);
        return false;
    }
    q->options.runs = runs;
    q->options.seed = seed;
    q->options.load = load;
    q->options.no_proof = !proof;
    q->options.budget_calls = limits.budget_calls;
    q->options.budget_seconds = limits.budget_seconds;
    return read_inputs(state, inputs, q);
}

PyObject *native_vary(PyObject *module, PyObject *args, PyObject *kwargs)
{
    const native_state *state = PyModule_GetState(module);
    question q;
    PyObject *settings, *out = NULL, *next;
    int places;
    accord_variation *variation = NULL;
    bool fine = read_question(state, args, kwargs, &settings, &places, &q);
    PyObject *each = fine ? PyObject_GetIter(settings) : NULL;
    for (fine = each != NULL; fine && (next = PyIter_Next(each)) != NULL; Py_DECREF(next))
        fine = ask_one(state, next, places, &q, &variation);
    Py_XDECREF(each);
    fine = fine && !PyErr_Occurred();
    if (fine && variation)
        out = answer(variation);
    else if (fine)
        native_wrong(state, "there are no settings");
    accord_variation_free(variation);
    free_question(&q);
    return out;
}

/* ---- statistics ---- */

PyObject *native_variability(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *a, *b, *out = NULL;
    size_t count[2], undefined = 0;
    if (!PyArg_ParseTuple(args, "OO", &a, &b))
        return NULL;
    double *value = native_doubles(state, a, "the results", &count[0]);
    double *reference = value ? native_doubles(state, b, "the reference", &count[1]) : NULL;
    if (reference && count[0] != count[1]) {
        native_wrong(state, "there are %zu results and %zu of the reference", count[0], count[1]);
    } else if (reference) {
        double vermv = accord_vary_vermv(value, reference, count[0], &undefined);
        out = Py_BuildValue("(ddn)", vermv, accord_vary_vc(value, reference, count[0]),
                            (Py_ssize_t)undefined);
    }
    free(value);
    free(reference);
    return out;
}
