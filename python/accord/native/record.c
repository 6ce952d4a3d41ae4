/* Records: an order with the question, the answer and the evidence. They never change. */
#include "native/record.h"

PyObject *native_record_new(const native_state *state, accord_record *record)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(state->record, Py_tp_alloc);
    native_record *made = (native_record *)allocate(state->record, 0);
    if (!made) {
        accord_record_free(record);
        return NULL;
    }
    made->record = record;
    return (PyObject *)made;
}

accord_record *native_record_empty(void)
{
    accord_record *record = accord_record_new();
    if (!record)
        PyErr_NoMemory();
    return record;
}

static void dealloc(PyObject *self)
{
    native_record *r = (native_record *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    if (!r->owner)
        accord_record_free(r->record);
    Py_XDECREF(r->owner);
    release(self);
    Py_DECREF(type);
}

const char *native_record_lacks(const accord_record *record)
{
    return !record->tree         ? "there is no order"
           : !record->arithmetic ? "the arithmetic is not known"
                                 : NULL;
}

/* ---- members ---- */

static PyObject *lines_of(const char *text)
{
    PyObject *whole = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    PyObject *lines = whole ? PyUnicode_Splitlines(whole, 0) : NULL;
    Py_XDECREF(whole);
    return lines;
}

static PyObject *field_value(const accord_record *r, const accord_field *field)
{
    const void *at = accord_record_field(r, field);
    const char *text;
    switch (field->kind) {
    case ACCORD_FIELD_INTEGER:
        return PyLong_FromLongLong(*(const int64_t *)at);
    case ACCORD_FIELD_REAL:
        return PyFloat_FromDouble(*(const double *)at);
    case ACCORD_FIELD_BOOL:
        return PyBool_FromLong(*(const bool *)at);
    default:
        text = *(char *const *)at;
        return !text ? Py_NewRef(Py_None)
               : field->kind == ACCORD_FIELD_LIST
                   ? lines_of(text)
                   : PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    }
}

static PyObject *fields(PyObject *self, PyObject *nothing)
{
    PyObject *all = PyDict_New();
    const accord_field *field;
    (void)nothing;
    for (size_t i = 0; all && (field = accord_field_at(i)); i++) {
        PyObject *value = field_value(native_record_of(self), field);
        if (!value || PyDict_SetItemString(all, field->name, value) < 0)
            Py_CLEAR(all);
        Py_XDECREF(value);
    }
    return all;
}

static PyObject *parents(PyObject *self, PyObject *nothing)
{
    const accord_tree *tree = native_record_of(self)->tree;
    (void)nothing;
    if (!tree)
        Py_RETURN_NONE;
    size_t nodes = (size_t)tree->leaves + tree->inner;
    uint32_t *parent = accordi_alloc(nodes, sizeof *parent);
    if (!parent)
        return PyErr_NoMemory();
    accord_tree_parents(tree, parent);
    PyObject *list = PyList_New((Py_ssize_t)nodes);
    for (size_t i = 0; list && i < nodes; i++) {
        PyObject *value = parent[i] == ACCORD_TREE_NO_NODE ? Py_NewRef(Py_None)
                                                           : PyLong_FromUnsignedLong(parent[i]);
        if (!value || PyList_SetItem(list, (Py_ssize_t)i, value) < 0)
            Py_CLEAR(list);
    }
    free(parent);
    return list;
}

static PyObject *fingerprint(PyObject *self, PyObject *args)
{
    const accord_record *r = native_record_of(self);
    char print[ACCORD_FINGERPRINT_SIZE];
    accord_error error;
    int model = 0;
    enum accord_status status;
    if (!PyArg_ParseTuple(args, "|p", &model))
        return NULL;
    if (!r->tree || (model && !r->arithmetic))
        Py_RETURN_NONE;
    const accord_model both = {r->tree, r->arithmetic};
    Py_BEGIN_ALLOW_THREADS;
    status = model ? accord_model_fingerprint(&both, print, &error)
                   : accord_tree_fingerprint(r->tree, print, &error);
    Py_END_ALLOW_THREADS;
    return status ? native_raise(native_state_of(self), &error) : PyUnicode_FromString(print);
}

static PyObject *replay(PyObject *self, PyObject *args)
{
    return native_replay(native_state_of(self), native_record_of(self), args);
}

/* ---- the type ---- */

static PyObject *get_leaves(PyObject *self, void *closure)
{
    const accord_tree *tree = native_record_of(self)->tree;
    (void)closure;
    return PyLong_FromUnsignedLong(tree ? tree->leaves : 0);
}

static PyObject *get_inner(PyObject *self, void *closure)
{
    const accord_tree *tree = native_record_of(self)->tree;
    (void)closure;
    return PyLong_FromUnsignedLong(tree ? tree->inner : 0);
}

static PyObject *get_has_arithmetic(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(native_record_of(self)->arithmetic != NULL);
}

static PyObject *get_output(PyObject *self, void *closure)
{
    const accord_arithmetic *a = native_record_of(self)->arithmetic;
    (void)closure;
    if (!a)
        Py_RETURN_NONE;
    return PyUnicode_FromString(accord_format_get(a->output)->name);
}

static PyObject *get_answers(PyObject *self, void *closure)
{
    const accord_answers *answers = &native_record_of(self)->answers;
    (void)closure;
    if (answers->generator <= 0 || !answers->digest)
        Py_RETURN_NONE;
    return Py_BuildValue("(LLs)", (long long)answers->inputs, (long long)answers->varied,
                         answers->digest);
}

static PyObject *get_alternatives(PyObject *self, void *closure)
{
    const accord_record *r = native_record_of(self);
    size_t count = accord_record_alternatives(r);
    PyObject *all = PyTuple_New((Py_ssize_t)count);
    (void)closure;
    for (size_t i = 0; all && i < count; i++) {
        char words[ACCORD_DESCRIPTION_SIZE];
        accord_alternative_words(r, i, words, sizeof words);
        PyObject *one = PyUnicode_DecodeUTF8(words, (Py_ssize_t)strlen(words), "replace");
        if (!one || PyTuple_SetItem(all, (Py_ssize_t)i, one) < 0)
            Py_CLEAR(all);
    }
    return all;
}

static PyGetSetDef members[] = {
    {"leaves", get_leaves, NULL, "terms; 0 without a tree", NULL},
    {"inner", get_inner, NULL, "inner nodes, sums; 0 without a tree", NULL},
    {"has_arithmetic", get_has_arithmetic, NULL, "whether the arithmetic is known", NULL},
    {"output", get_output, NULL, "accord's name of the format of results, or None", NULL},
    {"answers", get_answers, NULL, "(inputs, varied, digest) of the answers, or None", NULL},
    {"alternatives", get_alternatives, NULL, "other arithmetics that remain, in words", NULL},
    {0},
};

static PyMethodDef methods[] = {
    {"write", (PyCFunction)(void (*)(void))native_record_write, METH_VARARGS | METH_KEYWORDS,
     "write(form, columns=80, color=False, utf8=True, expand=False) -> str; form: report, text, "
     "json, dot, svg, "
     "html"},
    {"emit_c", native_record_emit_c, METH_VARARGS,
     "emit_c(name) -> str: a C function with the same bits"},
    {"describe", native_record_describe, METH_NOARGS,
     "describe() -> the arithmetic in words, or None"},
    {"order_words", native_record_order_words, METH_NOARGS,
     "order_words() -> the order in words, or None"},
    {"notation", native_record_notation, METH_NOARGS,
     "notation() -> the order in one line, or None"},
    {"order_names", native_record_order_names, METH_NOARGS,
     "order_names() -> textbook names, one a line"},
    {"line", native_record_line, METH_NOARGS,
     "line() -> order and arithmetic in one line, or None"},
    {"fields", fields, METH_NOARGS, "fields() -> dict of question, answer and evidence"},
    {"parents", parents, METH_NOARGS,
     "parents() -> list: the parent of each leaf and inner node, None for the root; or None"},
    {"fingerprint", fingerprint, METH_VARARGS,
     "fingerprint(model=False) -> str of the order, or of order and arithmetic; None without"},
    {"choose", native_record_choose, METH_VARARGS,
     "choose(which) -> Record: with this alternative, by number from 1 or words, as arithmetic"},
    {"plain", native_record_plain, METH_VARARGS,
     "plain(input, accumulator, output, products=False) -> Record: this tree with plain "
     "arithmetic"},
    {"replay", replay, METH_VARARGS,
     "replay(x, y=None, start=None, scale_x=None, scale_y=None) -> bytes of float64, one for each "
     "row"},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "An order with the question, the answer and the evidence; immutable."},
    {Py_tp_dealloc, dealloc},
    {Py_tp_getset, members},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec native_record_spec = {
    .name = "accord._accord.Record",
    .basicsize = sizeof(native_record),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
