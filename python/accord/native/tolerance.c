/* Tolerances for tests: accord/tolerance.h. */
#include "native/native.h"

typedef struct question {
    native_target *target;
    Py_ssize_t row, column;
    accord_tolerance_options options;
    double *x, *y, *start;
    PyObject *progress;
} question;

static void free_inputs(question *q)
{
    free(q->x);
    free(q->y);
    free(q->start);
}

static double *operand_of(const native_state *state, PyObject *object, size_t numbers)
{
    size_t count;
    double *values = native_doubles(state, object, "inputs", &count);
    if (values && count != numbers) {
        native_wrong(state, "inputs have %zu numbers, not %zu", count, numbers);
        free(values);
        return NULL;
    }
    return values;
}

/* inputs: (rows, x, y or None, start or None), or None. */
static bool read_inputs(const native_state *state, PyObject *inputs, question *q)
{
    PyObject *x, *y, *start;
    Py_ssize_t rows;
    const accord_target *target = q->target->target;
    size_t terms = target->n - target->has_start;
    if (!inputs || inputs == Py_None)
        return true;
    if (!PyArg_ParseTuple(inputs, "nOOO", &rows, &x, &y, &start))
        return false;
    q->x = operand_of(state, x, (size_t)rows * terms);
    bool fine = q->x != NULL;
    if (fine && y != Py_None)
        fine = (q->y = operand_of(state, y, (size_t)rows * terms)) != NULL;
    if (fine && start != Py_None)
        fine = (q->start = operand_of(state, start, (size_t)rows)) != NULL;
    q->options.x = q->x;
    q->options.y = q->y;
    q->options.start = q->start;
    q->options.rows = (size_t)rows;
    return fine;
}

static bool read_question(const native_state *state, PyObject *args, PyObject *kwargs, question *q)
{
    static const char *const names[] = {"target",      "row",     "column",      "limits",
                                        "nonnegative", "normal",  "inputs",      "elements",
                                        "level",       "samples", "accumulator", "question_only",
                                        "seed",        "budget",  "progress",    NULL};
    PyObject *target, *inputs = NULL;
    const char *budget = NULL;
    int nonnegative = 0, normal = 0, question_only = 0;
    unsigned long long elements = 0, samples = 0, seed = 0;
    accord_reveal_options limits;
    accord_error error;
    *q = (question){0};
    accord_tolerance_options *options = &q->options;
    accord_tolerance_options_init(options);
    accord_reveal_options_init(&limits);
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "O!nn|$(ddd)ppOKdKzpKzO", (char **)(uintptr_t)names, state->target,
            &target, &q->row, &q->column, &options->a_max, &options->b_max, &options->c_max,
            &nonnegative, &normal, &inputs, &elements, &options->level, &samples,
            &options->accumulator, &question_only, &seed, &budget, &q->progress))
        return false;
    if (budget && accord_reveal_budget(budget, &limits, &error)) {
        native_raise(state, &error);
        return false;
    }
    q->target = (native_target *)target;
    options->nonnegative = nonnegative;
    options->distribution = normal ? ACCORD_TOLERANCE_NORMAL : ACCORD_TOLERANCE_UNIFORM;
    options->elements = elements;
    options->samples = samples;
    options->question_only = question_only;
    options->seed = seed;
    options->budget_calls = limits.budget_calls;
    options->budget_seconds = limits.budget_seconds;
    options->progress = native_talk_progress;
    options->progress_context = &q->target->talk;
    return read_inputs(state, inputs, q);
}

static PyObject *pairs_of(const accord_tolerance *found, int against)
{
    const accord_tolerance_pair *proven = &found->proven[against];
    const accord_tolerance_pair *statistical = &found->statistical[against];
    return Py_BuildValue("({s:d,s:d}{s:d,s:d}s)", "rtol", proven->rtol, "atol", proven->atol,
                         "rtol", statistical->rtol, "atol", statistical->atol,
                         accord_tail_name(found->tail[against]));
}

PyObject *native_tolerance(PyObject *module, PyObject *args, PyObject *kwargs)
{
    const native_state *state = PyModule_GetState(module);
    question q;
    accord_tolerance found;
    accord_error error = {.status = ACCORD_OK};
    if (!read_question(state, args, kwargs, &q) ||
        !(q.row < 0 ? native_target_take(state, q.target)
                    : native_target_take_at(state, q.target, q.row, q.column))) {
        free_inputs(&q);
        return NULL;
    }
    native_talk_begin(&q.target->talk, q.progress);
    enum accord_status status = accord_tolerance_find(q.target->target, &q.options, &found, &error);
    free_inputs(&q);
    if (native_target_end(state, q.target, status, &error) != NATIVE_FINE)
        return NULL;
    return Py_BuildValue("{s:n,s:s,s:N,s:N,s:K,s:d,s:K,s:n,s:s,s:s}", "n", (Py_ssize_t)found.n,
                         "accumulator", found.accumulator, "exact",
                         pairs_of(&found, ACCORD_AGAINST_EXACT), "implementation",
                         pairs_of(&found, ACCORD_AGAINST_IMPLEMENTATION), "elements",
                         (unsigned long long)found.elements, "level", found.level, "samples",
                         (unsigned long long)found.samples, "orders", (Py_ssize_t)found.orders,
                         "worst", found.worst, "reason", found.reason);
}
