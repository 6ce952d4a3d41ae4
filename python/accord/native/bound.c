/* Bounds of an expression: accord/bound.h. */
#include "native/native.h"

/* ---- models ---- */

static bool add_model(const native_state *state, const char *word, size_t length, unsigned *model)
{
    const accord_bound_model_info *info;
    for (size_t i = 0; (info = accord_bound_model_at(i)); i++)
        if (strlen(info->name) == length && memcmp(info->name, word, length) == 0) {
            *model |= info->flag;
            return true;
        }
    native_wrong(state, "there is no model %.*s: see accord.info()[\"models\"]",
                 (int)(length < 40 ? length : 40), word);
    return false;
}

/* "contract,ftz" */
static bool read_models(const native_state *state, const char *text, unsigned *model)
{
    for (;; text++) {
        size_t length = strcspn(text, ",");
        if (!add_model(state, text, length, model))
            return false;
        text += length;
        if (!*text)
            return true;
    }
}

static PyObject *names_of(unsigned model)
{
    accordi_buffer text = {0};
    const accord_bound_model_info *info;
    for (size_t i = 0; (info = accord_bound_model_at(i)); i++)
        if (model & (unsigned)info->flag)
            accordi_buffer_printf(&text, "%s%s", text.length ? "," : "", info->name);
    PyObject *out = text.failed ? PyErr_NoMemory() : PyUnicode_FromString(text.data);
    accordi_buffer_clear(&text);
    return out;
}

/* ---- names and their values ---- */

/* A dict of names and pairs of floats. The names stay its own. */
static bool read_values(PyObject *values, accord_bound_binding *out)
{
    PyObject *name, *pair;
    Py_ssize_t at = 0;
    for (size_t i = 0; PyDict_Next(values, &at, &name, &pair); i++) {
        out[i].name = PyUnicode_AsUTF8AndSize(name, NULL);
        if (!out[i].name || !PyArg_ParseTuple(pair, "dd", &out[i].low, &out[i].high))
            return false;
    }
    return true;
}

/* ---- the answer ---- */

static PyObject *tell(const accord_bound *a, unsigned model)
{
    return Py_BuildValue("{s:d, s:d, s:N, s:N, s:s, s:s, s:N, s:z, s:z}", "low", a->low, "high",
                         a->high, "may_be_nan", PyBool_FromLong(a->may_be_nan), "exact",
                         PyBool_FromLong(a->exact), "format", accord_format_get(a->format)->name,
                         "method", a->method, "model", names_of(model), "low_witness",
                         a->low_witness, "high_witness", a->high_witness);
}

static enum accord_status ask(const char *text, enum accord_format format, size_t count,
                              const accord_bound_binding *binding,
                              const accord_bound_options *options, accord_bound **out,
                              accord_error *error)
{
    accord_bound_expression *expression = NULL;
    enum accord_status status =
        accord_bound_parse(text, format, count, binding, &expression, error);
    if (status == ACCORD_OK)
        status = accord_bound_evaluate(expression, UINT32_MAX, options, out, error);
    accord_bound_expression_free(expression);
    return status;
}

PyObject *native_bound(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    const char *text, *format_name, *models;
    PyObject *values, *answer = NULL;
    accord_bound_options options;
    accord_bound_options_init(&options);
    enum accord_format format;
    Py_ssize_t symbols;
    if (!PyArg_ParseTuple(args, "sssO!ndd", &text, &format_name, &models, &PyDict_Type, &values,
                          &symbols, &options.function_ulp, &options.reciprocal_ulp) ||
        !read_models(state, models, &options.model))
        return NULL;
    if (!accord_format_by_name(format_name, &format))
        return native_wrong(state, "there is no number format %s", format_name);
    options.symbols = (size_t)symbols;
    size_t count = (size_t)PyDict_Size(values);
    accord_bound_binding *binding = calloc(count + 1, sizeof *binding);
    if (!binding)
        return PyErr_NoMemory();
    if (read_values(values, binding)) {
        accord_bound *bound = NULL;
        accord_error error;
        enum accord_status status;
        Py_BEGIN_ALLOW_THREADS;
        status = ask(text, format, count, binding, &options, &bound, &error);
        Py_END_ALLOW_THREADS;
        answer = status == ACCORD_OK ? tell(bound, options.model) : native_raise(state, &error);
        accord_bound_free(bound);
    }
    free(binding);
    return answer;
}
