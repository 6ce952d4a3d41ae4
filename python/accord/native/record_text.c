/* Records as text: files, C, and orders in words. */
#include "native/record.h"

PyObject *native_record_write(PyObject *self, PyObject *args, PyObject *kwargs)
{
    const char *form;
    accord_write_options options;
    accordi_buffer text = {0};
    accord_error error;
    if (!native_write_options(args, kwargs, &form, &options))
        return NULL;
    const accord_writer *writer = accord_writer_by_name(form);
    if (!writer)
        return native_wrong(native_state_of(self),
                            "there is no form %.40s: choose report, text, json, "
                            "dot, svg or html",
                            form);
    enum accord_status status;
    Py_BEGIN_ALLOW_THREADS;
    status =
        accord_record_write(native_record_of(self), writer, &options, native_gather, &text, &error);
    Py_END_ALLOW_THREADS;
    return native_text(native_state_of(self), &text, status, &error);
}

PyObject *native_record_emit_c(PyObject *self, PyObject *args)
{
    const accord_record *r = native_record_of(self);
    const char *name;
    accordi_buffer text = {0};
    accord_error error;
    if (!PyArg_ParseTuple(args, "s", &name))
        return NULL;
    if (native_record_lacks(r))
        return native_wrong(native_state_of(self), "%s, so there is nothing to write as C",
                            native_record_lacks(r));
    const accord_model model = {r->tree, r->arithmetic};
    enum accord_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = accord_model_emit_c(&model, name, native_gather, &text, &error);
    Py_END_ALLOW_THREADS;
    return native_text(native_state_of(self), &text, status, &error);
}

PyObject *native_record_describe(PyObject *self, PyObject *nothing)
{
    const accord_record *r = native_record_of(self);
    char text[ACCORD_DESCRIPTION_SIZE];
    (void)nothing;
    if (native_record_lacks(r))
        Py_RETURN_NONE;
    const accord_model model = {r->tree, r->arithmetic};
    accord_model_describe(&model, text, sizeof text);
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *native_record_order_words(PyObject *self, PyObject *unused)
{
    const accord_tree *tree = native_record_of(self)->tree;
    char text[ACCORD_ORDER_WORDS_SIZE];
    (void)unused;
    if (!tree)
        Py_RETURN_NONE;
    Py_BEGIN_ALLOW_THREADS;
    accord_order_words(tree, text);
    Py_END_ALLOW_THREADS;
    return PyUnicode_FromString(text);
}

/* A text of the core's, or what went wrong. */
static PyObject *written(PyObject *self, enum accord_status status, const accord_error *error,
                         char *text)
{
    if (status)
        return native_raise(native_state_of(self), error);
    PyObject *made = PyUnicode_FromString(text);
    accord_notation_free(text);
    return made;
}

PyObject *native_record_notation(PyObject *self, PyObject *unused)
{
    const accord_tree *tree = native_record_of(self)->tree;
    accord_error error;
    enum accord_status status;
    char *text = NULL;
    (void)unused;
    if (!tree)
        Py_RETURN_NONE;
    Py_BEGIN_ALLOW_THREADS;
    status = accord_notation_write(tree, NULL, &text, NULL, &error);
    Py_END_ALLOW_THREADS;
    return written(self, status, &error, text);
}

PyObject *native_record_line(PyObject *self, PyObject *unused)
{
    const accord_record *record = native_record_of(self);
    const accord_model model = {record->tree, record->arithmetic};
    accord_error error;
    enum accord_status status;
    char *text = NULL;
    (void)unused;
    if (!model.tree || !model.arithmetic)
        Py_RETURN_NONE;
    Py_BEGIN_ALLOW_THREADS;
    status = accord_model_line_write(&model, &text, NULL, &error);
    Py_END_ALLOW_THREADS;
    if (status == ACCORD_UNSUPPORTED)
        Py_RETURN_NONE;
    return written(self, status, &error, text);
}

PyObject *native_record_order_names(PyObject *self, PyObject *unused)
{
    const accord_tree *tree = native_record_of(self)->tree;
    accord_error error;
    enum accord_status status;
    char *text = NULL;
    (void)unused;
    if (!tree)
        return PyUnicode_FromString("");
    Py_BEGIN_ALLOW_THREADS;
    status = accord_order_names(tree, &text, &error);
    Py_END_ALLOW_THREADS;
    return written(self, status, &error, text);
}
