/* Parallel reductions of the literature: accord/methods.h. */
#include "native/native.h"
#include <math.h>

typedef struct question {
    accord_reduction reduction;
    accord_sampling sampling;
    accord_draw_options draw;
    const accord_method_device *device;
    double *x;
} question;

typedef struct answer {
    double *result, reference, max_vs, predicted;
    size_t parts, undefined;
    accord_vary_summary *summary;
    accord_vary_expectation expected;
} answer;

static bool read_names(const native_state *state, const char *method, const char *device,
                       const char *distribution, const char *schedule, question *q)
{
    accord_error error;
    int kind = 0;
    q->reduction.method = accord_method_by_name(method);
    q->device = accord_method_device_by_name(device);
    while (kind < ACCORD_DISTRIBUTION_COUNT &&
           strcmp(distribution, accord_distribution_name((enum accord_distribution)kind)) != 0)
        kind++;
    q->draw.distribution = (enum accord_distribution)kind;
    if (!q->reduction.method)
        native_wrong(state, "there is no method \"%s\"; try AO, SPA, SPTR, SPRG or TPRC", method);
    else if (!q->device)
        native_wrong(state, "there is no device \"%s\"; try simulation, threads or opencl", device);
    else if (kind == ACCORD_DISTRIBUTION_COUNT)
        native_wrong(state, "there is no distribution \"%s\"; try uniform, normal or log-uniform",
                     distribution);
    else if (accord_schedule_parse(schedule, &q->sampling.schedule, &error))
        native_raise(state, &error);
    else
        return true;
    return false;
}

static bool read_inputs(const native_state *state, PyObject *inputs, uint32_t seed, question *q)
{
    accord_mt19937 generator;
    accord_error error;
    size_t count, n = q->reduction.n;
    if (inputs && inputs != Py_None) {
        q->x = native_doubles(state, inputs, "the inputs", &count);
        if (q->x && n <= count)
            return true;
        if (q->x)
            native_wrong(state, "n = %zu, but there are %zu inputs; give no more", n, count);
        return false;
    }
    q->x = accordi_alloc(n, sizeof *q->x);
    if (!q->x) {
        PyErr_NoMemory();
        return false;
    }
    accord_mt19937_init(&generator, seed);
    if (accord_draw(&generator, &q->draw, n, q->x, &error) == ACCORD_OK)
        return true;
    native_raise(state, &error);
    return false;
}

static enum accord_status find(const question *q, answer *a, accord_error *error)
{
    const accord_reduction *r = &q->reduction;
    accord_reduction reference = *r;
    reference.method = accord_method_by_name("SPTR");
    a->result = accordi_alloc(q->sampling.samples, sizeof *a->result);
    if (!a->result)
        return accordi_nomem(error);
    enum accord_status status =
        accord_vary_expect(q->x, NULL, r->n, ACCORD_F64, ACCORD_F64, &a->expected, error);
    if (!status)
        status = accord_vary_expect_reduction(r, q->x, &a->expected, &a->predicted, error);
    if (!status)
        status = accord_reduction_sum(&reference, q->x, NULL, &a->reference, error);
    if (!status)
        status = q->device->run(r, q->x, &q->sampling, a->result, NULL, error);
    if (!status)
        status =
            accord_vary_summarize(a->result, q->sampling.samples, ACCORD_F64, &a->summary, error);
    for (size_t i = 0; !status && i < q->sampling.samples; i++) {
        double vs = accord_vary_vs(a->result[i], a->reference);
        a->undefined += isnan(vs);
        a->max_vs = fmax(a->max_vs, fabs(vs));
    }
    if (a->undefined == q->sampling.samples)
        a->max_vs = NAN;
    return status;
}

static PyObject *written(const question *q, const answer *a)
{
    PyObject *list = PyList_New((Py_ssize_t)q->sampling.samples);
    for (size_t i = 0; list && i < q->sampling.samples; i++) {
        PyObject *one = PyFloat_FromDouble(a->result[i]);
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one) < 0)
            Py_CLEAR(list);
    }
    return Py_BuildValue("{s:s,s:n,s:n,s:n,s:d,s:d,s:d,s:n,s:d,s:d,s:d,s:d,s:N}", "method",
                         q->reduction.method->name, "n", (Py_ssize_t)q->reduction.n, "parts",
                         (Py_ssize_t)a->parts, "distinct", (Py_ssize_t)a->summary->distinct,
                         "spread", a->summary->spread, "deviation", a->summary->deviation, "max_vs",
                         a->max_vs, "undefined", (Py_ssize_t)a->undefined, "reference",
                         a->reference, "exact", a->expected.exact, "bound", a->expected.bound,
                         "predicted", a->predicted, "results", list);
}

PyObject *native_vary_method(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {
        "method", "n",        "inputs",       "runs",      "block",  "grid",      "threads", "seed",
        "device", "schedule", "distribution", "amplitude", "center", "deviation", NULL};
    const native_state *state = PyModule_GetState(module);
    const char *method, *device = "simulation", *schedule = "permutation", *kind = "uniform";
    PyObject *inputs = NULL, *out = NULL;
    Py_ssize_t n, runs = 1000;
    unsigned int block = 0, grid = 0, seed = 0;
    question q = {.x = NULL};
    answer a = {.result = NULL};
    accord_error error;
    ACCORD_INIT(&q.reduction);
    ACCORD_INIT(&q.sampling);
    ACCORD_INIT(&q.draw);
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "sn|OnIIiIsssddd", (char **)(uintptr_t)names,
                                     &method, &n, &inputs, &runs, &block, &grid,
                                     &q.sampling.threads, &seed, &device, &schedule, &kind,
                                     &q.draw.amplitude, &q.draw.center, &q.draw.deviation) ||
        !read_names(state, method, device, kind, schedule, &q))
        return NULL;
    if (n < 1 || runs < 1) {
        native_wrong(state, "n = %zd, runs = %zd: give at least 1 of each", n, runs);
        return NULL;
    }
    q.reduction.n = (size_t)n;
    q.reduction.block = block;
    q.reduction.grid = grid;
    q.sampling.samples = (size_t)runs;
    q.sampling.seed = seed;
    q.sampling.which = accord_method_device_which(device);
    enum accord_status status = accord_reduction_parts(&q.reduction, &a.parts, &error);
    if (status) {
        native_raise(state, &error);
    } else if (read_inputs(state, inputs, seed, &q)) {
        Py_BEGIN_ALLOW_THREADS;
        status = find(&q, &a, &error);
        Py_END_ALLOW_THREADS;
        if (status)
            native_raise(state, &error);
        else
            out = written(&q, &a);
    }
    accord_vary_summary_free(a.summary);
    free(a.result);
    free(q.x);
    return out;
}
