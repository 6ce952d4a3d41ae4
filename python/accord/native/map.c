/* Maps: which elements of a result add alike. They never change. */
#include "native/native.h"

typedef struct map {
    PyObject_HEAD accord_map *map;
} map;

PyObject *native_map_new(const native_state *state, accord_map *found)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(state->map, Py_tp_alloc);
    map *made = (map *)allocate(state->map, 0);
    if (made)
        made->map = found;
    else
        accord_map_free(found);
    return (PyObject *)made;
}

PyObject *native_map_read(PyObject *module, PyObject *text)
{
    const native_state *state = PyModule_GetState(module);
    accord_map *found;
    accord_error error;
    Py_ssize_t length;
    const char *data = PyUnicode_AsUTF8AndSize(text, &length);
    enum accord_status status;
    if (!data)
        return NULL;
    if (!(found = accord_map_new()))
        return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS;
    status = accord_map_read(data, (size_t)length, found, &error);
    Py_END_ALLOW_THREADS;
    if (!status)
        return native_map_new(state, found);
    accord_map_free(found);
    return native_raise(state, &error);
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    accord_map_free(((map *)self)->map);
    release(self);
    Py_DECREF(type);
}

static PyObject *write_form(PyObject *self, PyObject *args, PyObject *kwargs)
{
    const char *form;
    accord_write_options options;
    accordi_buffer text = {0};
    accord_error error;
    if (!native_write_options(args, kwargs, &form, &options))
        return NULL;
    const accord_map_writer *writer = accord_map_writer_by_name(form);
    if (!writer)
        return native_wrong(native_state_of(self),
                            "there is no form %.40s: choose report, json, svg or html", form);
    enum accord_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = accord_map_write(((map *)self)->map, writer, &options, native_gather, &text, &error);
    Py_END_ALLOW_THREADS;
    return native_text(native_state_of(self), &text, status, &error);
}

static PyObject *emit_c(PyObject *self, PyObject *args)
{
    const char *name;
    accordi_buffer text = {0};
    accord_error error;
    enum accord_status status;
    if (!PyArg_ParseTuple(args, "s", &name))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = accord_map_emit_c(((map *)self)->map, name, native_gather, &text, &error);
    Py_END_ALLOW_THREADS;
    return native_text(native_state_of(self), &text, status, &error);
}

static PyObject *class_of(PyObject *self, PyObject *nothing)
{
    const accord_map *m = ((map *)self)->map;
    (void)nothing;
    return PyBytes_FromStringAndSize((const char *)m->class_of,
                                     (Py_ssize_t)m->rows * m->columns * 2);
}

static PyObject *of_class(PyObject *self, Py_ssize_t i)
{
    const native_state *state = native_state_of(self);
    const accord_class *class = accord_map_class_at(((map *)self)->map, (size_t)i);
    native_record *record = (native_record *)native_record_new(state, NULL);
    if (!record)
        return NULL;
    record->record = (accord_record *)(uintptr_t) & class->record;
    record->owner = Py_NewRef(self);
    return Py_BuildValue("{s:N, s:K, s:K, s:I, s:I}", "record", record, "members",
                         (unsigned long long)class->members, "certified",
                         (unsigned long long)class->certified, "row", class->row, "column",
                         class->column);
}

static PyObject *classes(PyObject *self, PyObject *nothing)
{
    const accord_map *m = ((map *)self)->map;
    PyObject *list = PyList_New((Py_ssize_t)m->classes);
    (void)nothing;
    for (size_t i = 0; list && i < m->classes; i++) {
        PyObject *entry = of_class(self, (Py_ssize_t)i);
        if (!entry || PyList_SetItem(list, (Py_ssize_t)i, entry) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *fields(PyObject *self, PyObject *nothing)
{
    const accord_map *m = ((map *)self)->map;
    (void)nothing;
    return Py_BuildValue("{s:I, s:I, s:n, s:K, s:K, s:K, s:K, s:d, s:d, s:d, s:d, s:K, s:K}",
                         "rows", m->rows, "columns", m->columns, "classes", (Py_ssize_t)m->classes,
                         "sorting_calls", (unsigned long long)m->sorting_calls, "discovery_calls",
                         (unsigned long long)m->discovery_calls, "certificate_calls",
                         (unsigned long long)m->certificate_calls, "replay_calls",
                         (unsigned long long)m->replay_calls, "sorting_seconds", m->sorting_seconds,
                         "discovery_seconds", m->discovery_seconds, "certificate_seconds",
                         m->certificate_seconds, "replay_seconds", m->replay_seconds, "replays",
                         (unsigned long long)m->replays, "replays_agreed",
                         (unsigned long long)m->replays_agreed);
}

static PyMethodDef methods[] = {
    {"write", (PyCFunction)(void (*)(void))write_form, METH_VARARGS | METH_KEYWORDS,
     "write(form, columns=80, color=False, utf8=True, expand=False) -> str; form: report, json, "
     "svg, "
     "html"},
    {"emit_c", emit_c, METH_VARARGS, "emit_c(name) -> str: a C function for the whole result"},
    {"class_of", class_of, METH_NOARGS, "class_of() -> bytes of uint16, row by row"},
    {"classes", classes, METH_NOARGS,
     "classes() -> list of dict: record, members, certified, row and column of the first member"},
    {"fields", fields, METH_NOARGS, "fields() -> dict: shape, calls, seconds, replays"},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Which elements of a result add alike; immutable."},
    {Py_tp_dealloc, dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec native_map_spec = {
    .name = "accord._accord.Map",
    .basicsize = sizeof(map),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
