/* Why two implementations differ: accord/explain.h. */
#include "native/native.h"

typedef struct question {
    native_target *target[2]; /* the second may be NULL */
    Py_ssize_t row[2], column[2];
    accord_explain_options options;
    accord_explain_inputs inputs;
    PyObject *progress;
} question;

/* As many doubles as are due; NULL after an exception. */
static double *read_doubles(const native_state *state, PyObject *numbers, size_t rows, size_t n)
{
    size_t count;
    double *values = native_doubles(state, numbers, "inputs", &count);
    if (!values || (rows && n && count / n == rows && count % n == 0))
        return values;
    native_wrong(state, "inputs have %zu numbers, not %zu rows of %zu", count, rows, n);
    free(values);
    return NULL;
}

/* (rows, n, x, y, columns, start), or None; y and start may be None. */
static bool read_inputs(const native_state *state, PyObject *given, question *q)
{
    PyObject *x, *y, *start;
    Py_ssize_t rows, n, columns;
    accord_explain_inputs *in = &q->inputs;
    if (!given || given == Py_None)
        return true;
    if (!PyArg_ParseTuple(given, "nnOOnO", &rows, &n, &x, &y, &columns, &start))
        return false;
    in->size = sizeof *in;
    in->rows = rows < 0 ? 0 : (size_t)rows;
    in->n = n < 0 ? 0 : (size_t)n;
    in->columns = columns < 0 ? 0 : (size_t)columns;
    q->options.given = in;
    size_t factors = in->n - (start != Py_None), seconds = in->columns ? in->columns : in->rows;
    if (!(in->x = read_doubles(state, x, in->rows, factors)))
        return false;
    if (y != Py_None && !(in->y = read_doubles(state, y, seconds, factors)))
        return false;
    return start == Py_None || (in->start = read_doubles(state, start, in->rows, in->columns));
}

static void free_inputs(question *q)
{
    free((void *)(uintptr_t)q->inputs.x);
    free((void *)(uintptr_t)q->inputs.y);
    free((void *)(uintptr_t)q->inputs.start);
}

PyObject *native_results(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *numbers;
    const char *name, *output;
    Py_ssize_t n;
    int products;
    accord_target *target = NULL;
    accord_error error;
    accord_explain_results results = {.size = sizeof results};
    if (!PyArg_ParseTuple(args, "sOnzpdd", &name, &numbers, &n, &output, &products, &results.alpha,
                          &results.beta))
        return NULL;
    double *values = native_doubles(state, numbers, "results", &results.rows);
    if (!values)
        return NULL;
    results.name = name;
    results.result = values;
    results.n = n < 0 ? 0 : (size_t)n;
    results.products = products;
    results.output = accord_results_format(values, results.rows);
    bool fine = !output || accord_format_by_name(output, &results.output);
    enum accord_status status = accord_target_from_results(&results, &target, &error);
    free(values);
    if (status || !fine) {
        if (!status)
            accord_target_close(target);
        return fine ? native_raise(state, &error)
                    : native_wrong(state, "there is no number format %.40s", output);
    }
    return native_target_new(state, target);
}

static bool read_question(const native_state *state, PyObject *args, PyObject *kwargs, question *q)
{
    static const char *const names[] = {
        "a",       "b",        "elements",    "seed",
        "samples", "kinds",    "accumulator", "allow_nondeterministic",
        "budget",  "progress", "inputs",      NULL};
    PyObject *a, *b, *inputs = NULL;
    const char *budget = NULL;
    int allow = 0;
    unsigned long long seed = 0, samples = 0;
    accord_reveal_options limits;
    accord_error error;
    *q = (question){.row = {-1, -1}};
    accord_explain_options_init(&q->options);
    accord_reveal_options_init(&limits);
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "O!O(nnnn)|$KKzzpzOO", (char **)(uintptr_t)names, state->target, &a, &b,
            &q->row[0], &q->column[0], &q->row[1], &q->column[1], &seed, &samples,
            &q->options.kinds, &q->options.accumulator, &allow, &budget, &q->progress, &inputs))
        return false;
    if (b != Py_None && !PyObject_TypeCheck(b, state->target)) {
        native_wrong(state, "b is neither a target nor None");
        return false;
    }
    if (budget && accord_reveal_budget(budget, &limits, &error)) {
        native_raise(state, &error);
        return false;
    }
    q->target[0] = (native_target *)a;
    q->target[1] = b == Py_None ? NULL : (native_target *)b;
    q->options.seed = seed;
    q->options.inputs = samples;
    q->options.allow_nondeterministic = allow;
    q->options.budget_calls = limits.budget_calls;
    q->options.budget_seconds = limits.budget_seconds;
    q->options.progress = native_talk_progress;
    q->options.progress_context = &q->target[0]->talk;
    return read_inputs(state, inputs, q);
}

static bool take(const native_state *state, const question *q)
{
    for (int i = 0; i < 2 && q->target[i]; i++) {
        bool taken = q->row[i] < 0
                         ? native_target_take(state, q->target[i])
                         : native_target_take_at(state, q->target[i], q->row[i], q->column[i]);
        if (!taken) {
            if (i)
                q->target[0]->busy = false;
            return false;
        }
    }
    return true;
}

/* Both targets run on this thread: the second one's talk borrows the first one's interpreter. */
static void begin(question *q)
{
    native_talk_begin(&q->target[0]->talk, q->progress);
    if (q->target[1]) {
        native_talk *talk = &q->target[1]->talk;
        talk->progress = NULL;
        talk->type = talk->value = talk->traceback = NULL;
        talk->thread = q->target[0]->talk.thread;
    }
}

static bool end(const native_state *state, question *q, enum accord_status status,
                accord_error *error)
{
    native_target *second = q->target[1];
    bool second_raised = second && native_talk_failed(&second->talk);
    bool fine = native_target_end(state, q->target[0], second_raised ? ACCORD_OK : status, error) ==
                NATIVE_FINE;
    if (!second)
        return fine;
    second->talk.thread = NULL;
    if (fine && second_raised)
        fine = !native_talk_raise(&second->talk);
    if (fine && native_target_look(second, error)) {
        native_raise(state, error);
        fine = false;
    }
    second->busy = false;
    return fine;
}

/* ---- the answer ---- */

static PyObject *tests_of(const accord_explain_side *side)
{
    PyObject *list = PyList_New((Py_ssize_t)side->tests);
    for (size_t i = 0; list && i < side->tests; i++) {
        const accord_explain_test *test = &side->test[i];
        PyObject *one = Py_BuildValue(
            "(sssdddOOLL)", test->name, test->about, test->kind, test->value, test->reference,
            test->limit, test->decides ? Py_True : Py_False, test->outside ? Py_True : Py_False,
            (long long)test->term, (long long)test->terms);
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *numbers_of(const double *x, size_t n)
{
    if (!x)
        Py_RETURN_NONE;
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *one = PyFloat_FromDouble(x[i]);
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *side_of(const native_state *state, accord_explain_side *side, size_t n)
{
    accord_record *record = side->record;
    side->record = NULL; /* it is Python's from here on */
    return Py_BuildValue(
        "{s:s,s:s,s:s,s:s,s:N,s:O,s:s,s:L,s:L,s:L,s:d,s:L,s:z,s:d,s:N,s:N,s:N,s:d,s:d,s:d,s:L,s:L}",
        "target", side->target, "verdict", accord_explained_name(side->verdict), "words",
        side->words, "order", side->order, "record", native_record_new(state, record), "replays",
        side->replays ? Py_True : Py_False, "accumulator", side->accumulator, "inputs",
        (long long)side->inputs, "varied", (long long)side->varied, "bounded",
        (long long)side->bounded, "worst", side->worst, "worst_input", (long long)side->worst_input,
        "worst_kind", side->worst_kind, "level", side->level, "tests", tests_of(side), "x",
        numbers_of(side->x, n), "y", numbers_of(side->y, n), "result", side->fault_result, "exact",
        side->fault_exact, "envelope", side->fault_envelope, "row", (long long)side->fault_row,
        "column", (long long)side->fault_column);
}

static PyObject *explanation(const native_state *state, accord_explanation *found, size_t n)
{
    PyObject *sides = PyList_New((Py_ssize_t)found->sides);
    for (size_t i = 0; sides && i < found->sides; i++) {
        PyObject *side = side_of(state, &found->side[i], n);
        if (!side || PyList_SetItem(sides, (Py_ssize_t)i, side) < 0)
            Py_CLEAR(sides);
    }
    return Py_BuildValue("{s:s,s:s,s:N,s:L,s:L,s:d,s:s}", "verdict",
                         accord_explained_name(found->verdict), "words", found->words,
                         "implementations", sides, "inputs", (long long)found->inputs, "differ",
                         (long long)found->differ, "largest_ulp", found->largest_ulp, "first_node",
                         found->first_node);
}

PyObject *native_explain(PyObject *module, PyObject *args, PyObject *kwargs)
{
    const native_state *state = PyModule_GetState(module);
    question q;
    accord_explanation *found = NULL;
    accord_error error = {.status = ACCORD_OK};
    if (!read_question(state, args, kwargs, &q) || !take(state, &q)) {
        free_inputs(&q);
        return NULL;
    }
    accord_target *b = q.target[1] ? q.target[1]->target : NULL;
    begin(&q);
    enum accord_status status = accord_explain(q.target[0]->target, b, &q.options, &found, &error);
    PyObject *out = NULL;
    if (end(state, &q, status, &error))
        out = explanation(state, found, q.target[0]->target->n);
    if (!status)
        accord_explanation_free(found);
    free_inputs(&q);
    return out;
}
