/* Records made of text, a notation, a list of parents, or another record. */
#include "native/record.h"

PyObject *native_record_made(const native_state *state, accord_record *record,
                             enum accord_status status, const accord_error *error)
{
    if (!status)
        return native_record_new(state, record);
    accord_record_free(record);
    return native_raise(state, error);
}

enum accord_status native_record_copy(const accord_record *from, const char *form,
                                      accord_record *to, accord_error *error)
{
    accordi_buffer text = {0};
    enum accord_status status =
        accord_record_write(from, accord_writer_by_name(form), NULL, native_gather, &text, error);
    if (!status)
        status = accord_record_read(text.data, text.length, to, error);
    accordi_buffer_clear(&text);
    return status;
}

static const char *text_of(PyObject *text, Py_ssize_t *length)
{
    if (PyBytes_Check(text)) {
        *length = PyBytes_Size(text);
        return PyBytes_AsString(text);
    }
    return PyUnicode_AsUTF8AndSize(text, length);
}

PyObject *native_record_read(PyObject *module, PyObject *text)
{
    const native_state *state = PyModule_GetState(module);
    Py_ssize_t length;
    const char *data = text_of(text, &length);
    accord_error error;
    enum accord_status status;
    accord_record *record = data ? native_record_empty() : NULL;
    if (!record)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = accord_record_read(data, (size_t)length, record, &error);
    Py_END_ALLOW_THREADS;
    return native_record_made(state, record, status, &error);
}

PyObject *native_synthetic(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    const char *notation;
    Py_ssize_t n;
    unsigned long long seed = 0;
    accord_target_options options;
    accord_target *target = NULL;
    accord_record *record;
    accord_error error;
    if (!PyArg_ParseTuple(args, "sn|K", &notation, &n, &seed))
        return NULL;
    accord_target_options_init(&options);
    options.n = n < 0 ? 0 : (size_t)n;
    options.seed = seed;
    if (!(record = native_record_empty()))
        return NULL;
    enum accord_status status = accord_target_open(notation, &options, &target, &error);
    if (!status)
        status = accord_target_describe(target, record, &error);
    if (!status)
        status = accord_synthetic_tree(target, &record->tree, &error);
    if (!status && accord_synthetic_arithmetic(target, &record->arithmetic, NULL))
        record->arithmetic = NULL;
    accord_target_close(target);
    return native_record_made(state, record, status, &error);
}

PyObject *native_from_parents(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    Py_ssize_t leaves, nodes;
    PyObject *list;
    accord_record *record;
    accord_error error;
    if (!PyArg_ParseTuple(args, "nO!", &leaves, &PyList_Type, &list))
        return NULL;
    PyObject *items = PyList_AsTuple(list); /* nobody can change that one meanwhile */
    if (!items)
        return NULL;
    nodes = PyTuple_Size(items);
    uint32_t *parent = accordi_alloc((size_t)nodes + 1, sizeof *parent);
    if (leaves < 1 || nodes < leaves)
        native_wrong(state, "%zd parents cannot be those of %zd leaves", nodes, leaves);
    else if (!parent)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < nodes && !PyErr_Occurred(); i++) {
        PyObject *item = PyTuple_GetItem(items, i);
        unsigned long value = item == Py_None ? ACCORD_TREE_NO_NODE : PyLong_AsUnsignedLong(item);
        parent[i] = value < ACCORD_TREE_NO_NODE ? (uint32_t)value : ACCORD_TREE_NO_NODE;
    }
    Py_DECREF(items);
    record = PyErr_Occurred() ? NULL : native_record_empty();
    enum accord_status status =
        record ? accord_tree_from_parents((size_t)leaves, (size_t)(nodes - leaves), parent,
                                          &record->tree, &error)
               : ACCORD_OK;
    free(parent);
    if (!record)
        return NULL;
    record->n = leaves;
    return native_record_made(state, record, status, &error);
}

PyObject *native_record_plain(PyObject *self, PyObject *args)
{
    const accord_record *r = native_record_of(self);
    const native_state *state = native_state_of(self);
    const char *names[3];
    enum accord_format format[3];
    int products = 0;
    accord_record *made;
    accord_error error;
    if (!PyArg_ParseTuple(args, "sss|p", &names[0], &names[1], &names[2], &products))
        return NULL;
    for (int i = 0; i < 3; i++)
        if (!accord_format_by_name(names[i], &format[i]))
            return native_wrong(state, "there is no number format %.40s", names[i]);
    if (!r->tree)
        return native_wrong(state, "there is no order");
    if (!(made = native_record_empty()))
        return NULL;
    enum accord_status status = native_record_copy(r, "text", made, &error);
    if (!status)
        status =
            accord_arithmetic_plain(products ? ACCORD_TERM_PRODUCT : ACCORD_TERM_VALUE, format[0],
                                    format[1], format[2], &made->arithmetic, &error);
    if (!status && made->arithmetic)
        made->arithmetic->negative_zero = true;
    if (!status)
        status = accord_record_set(&made->format, names[0], &error);
    return native_record_made(state, made, status, &error);
}

PyObject *native_record_choose(PyObject *self, PyObject *args)
{
    const native_state *state = native_state_of(self);
    const char *which;
    accord_record *made;
    accord_error error;
    if (!PyArg_ParseTuple(args, "s", &which))
        return NULL;
    if (!(made = native_record_empty()))
        return NULL;
    enum accord_status status = native_record_copy(native_record_of(self), "json", made, &error);
    if (!status)
        status = accord_record_choose(made, which, &error);
    return native_record_made(state, made, status, &error);
}
