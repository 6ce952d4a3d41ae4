/* Records: an order with the question, the answer and the evidence. They never change. */
#include "native/native.h"

static const native_state *state_of(PyObject *self)
{
    return PyType_GetModuleState(Py_TYPE(self));
}

static const accord_record *record_of(PyObject *self)
{
    return ((native_record *)self)->record;
}

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

/* ---- making ---- */

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
    if (!status)
        return native_record_new(state, record);
    accord_record_free(record);
    return native_raise(state, &error);
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
    if (!status)
        return native_record_new(state, record);
    accord_record_free(record);
    return native_raise(state, &error);
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
    if (!status)
        return native_record_new(state, record);
    accord_record_free(record);
    return native_raise(state, &error);
}

/* ---- text ---- */

bool native_gather(void *buffer, const char *text, size_t length)
{
    accordi_buffer_append(buffer, text, length);
    return !((accordi_buffer *)buffer)->failed;
}

PyObject *native_text(const native_state *state, accordi_buffer *text, enum accord_status status,
                      const accord_error *error)
{
    PyObject *made = NULL;
    if (text->failed)
        PyErr_NoMemory();
    else if (status)
        native_raise(state, error);
    else
        made =
            PyUnicode_DecodeUTF8(text->data ? text->data : "", (Py_ssize_t)text->length, "replace");
    accordi_buffer_clear(text);
    return made;
}

static PyObject *write_form(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"form", "columns", "color", "utf8", "expand", NULL};
    const char *form;
    accord_write_options options;
    accordi_buffer text = {0};
    accord_error error;
    int color = 0, utf8 = 1, expand = 0;
    accord_write_options_init(&options);
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|ippp", (char **)(uintptr_t)names, &form,
                                     &options.columns, &color, &utf8, &expand))
        return NULL;
    const accord_writer *writer = accord_writer_by_name(form);
    if (!writer)
        return native_wrong(state_of(self),
                            "there is no form %.40s: choose report, text, json, "
                            "dot, svg or html",
                            form);
    options.color = color;
    options.ascii = !utf8;
    options.expand = expand;
    enum accord_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = accord_record_write(record_of(self), writer, &options, native_gather, &text, &error);
    Py_END_ALLOW_THREADS;
    return native_text(state_of(self), &text, status, &error);
}

const char *native_record_lacks(const accord_record *record)
{
    return !record->tree         ? "there is no order"
           : !record->arithmetic ? "the arithmetic is not known"
                                 : NULL;
}

static PyObject *emit_c(PyObject *self, PyObject *args)
{
    const accord_record *r = record_of(self);
    const char *name;
    accordi_buffer text = {0};
    accord_error error;
    if (!PyArg_ParseTuple(args, "s", &name))
        return NULL;
    if (native_record_lacks(r))
        return native_wrong(state_of(self), "%s, so there is nothing to write as C",
                            native_record_lacks(r));
    const accord_model model = {r->tree, r->arithmetic};
    enum accord_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = accord_model_emit_c(&model, name, native_gather, &text, &error);
    Py_END_ALLOW_THREADS;
    return native_text(state_of(self), &text, status, &error);
}

static PyObject *describe(PyObject *self, PyObject *nothing)
{
    const accord_record *r = record_of(self);
    char text[ACCORD_DESCRIPTION_SIZE];
    (void)nothing;
    if (native_record_lacks(r))
        Py_RETURN_NONE;
    const accord_model model = {r->tree, r->arithmetic};
    accord_model_describe(&model, text, sizeof text);
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
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
        PyObject *value = field_value(record_of(self), field);
        if (!value || PyDict_SetItemString(all, field->name, value) < 0)
            Py_CLEAR(all);
        Py_XDECREF(value);
    }
    return all;
}

static PyObject *parents(PyObject *self, PyObject *nothing)
{
    const accord_tree *tree = record_of(self)->tree;
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
    const accord_record *r = record_of(self);
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
    return status ? native_raise(state_of(self), &error) : PyUnicode_FromString(print);
}

static PyObject *order_words(PyObject *self, PyObject *unused)
{
    const accord_tree *tree = record_of(self)->tree;
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
        return native_raise(state_of(self), error);
    PyObject *made = PyUnicode_FromString(text);
    accord_notation_free(text);
    return made;
}

static PyObject *notation(PyObject *self, PyObject *unused)
{
    const accord_tree *tree = record_of(self)->tree;
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

static PyObject *line(PyObject *self, PyObject *unused)
{
    const accord_record *record = record_of(self);
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

/* The textbook names, one a line. */
static PyObject *order_names(PyObject *self, PyObject *unused)
{
    const accord_tree *tree = record_of(self)->tree;
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

/* With plain arithmetic in place of what is, or is not, known. */
static PyObject *plain(PyObject *self, PyObject *args)
{
    const accord_record *r = record_of(self);
    const native_state *state = state_of(self);
    const char *names[3];
    enum accord_format format[3];
    int products = 0;
    accord_record *made;
    accord_error error;
    accordi_buffer text = {0};
    if (!PyArg_ParseTuple(args, "sss|p", &names[0], &names[1], &names[2], &products))
        return NULL;
    for (int i = 0; i < 3; i++)
        if (!accord_format_by_name(names[i], &format[i]))
            return native_wrong(state, "there is no number format %.40s", names[i]);
    if (!r->tree)
        return native_wrong(state, "there is no order");
    if (!(made = native_record_empty()))
        return NULL;
    enum accord_status status =
        accord_record_write(r, accord_writer_by_name("text"), NULL, native_gather, &text, &error);
    if (!status)
        status = accord_record_read(text.data, text.length, made, &error);
    if (!status)
        status =
            accord_arithmetic_plain(products ? ACCORD_TERM_PRODUCT : ACCORD_TERM_VALUE, format[0],
                                    format[1], format[2], &made->arithmetic, &error);
    if (!status && made->arithmetic)
        made->arithmetic->negative_zero = true;
    if (!status)
        status = accord_record_set(&made->format, names[0], &error);
    accordi_buffer_clear(&text);
    if (!status)
        return native_record_new(state, made);
    accord_record_free(made);
    return native_raise(state, &error);
}

/* This record with one of its alternatives in the place of its arithmetic. */
static PyObject *choose(PyObject *self, PyObject *args)
{
    const native_state *state = state_of(self);
    const char *which;
    accord_record *made;
    accord_error error;
    accordi_buffer text = {0};
    if (!PyArg_ParseTuple(args, "s", &which))
        return NULL;
    if (!(made = native_record_empty()))
        return NULL;
    enum accord_status status = accord_record_write(record_of(self), accord_writer_by_name("json"),
                                                    NULL, native_gather, &text, &error);
    if (!status)
        status = accord_record_read(text.data, text.length, made, &error);
    if (!status)
        status = accord_record_choose(made, which, &error);
    accordi_buffer_clear(&text);
    if (!status)
        return native_record_new(state, made);
    accord_record_free(made);
    return native_raise(state, &error);
}

static PyObject *replay(PyObject *self, PyObject *args)
{
    return native_replay(state_of(self), record_of(self), args);
}

/* ---- the type ---- */

static PyObject *get_leaves(PyObject *self, void *closure)
{
    const accord_tree *tree = record_of(self)->tree;
    (void)closure;
    return PyLong_FromUnsignedLong(tree ? tree->leaves : 0);
}

static PyObject *get_inner(PyObject *self, void *closure)
{
    const accord_tree *tree = record_of(self)->tree;
    (void)closure;
    return PyLong_FromUnsignedLong(tree ? tree->inner : 0);
}

static PyObject *get_has_arithmetic(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(record_of(self)->arithmetic != NULL);
}

static PyObject *get_output(PyObject *self, void *closure)
{
    const accord_arithmetic *a = record_of(self)->arithmetic;
    (void)closure;
    if (!a)
        Py_RETURN_NONE;
    return PyUnicode_FromString(accord_format_get(a->output)->name);
}

static PyObject *get_answers(PyObject *self, void *closure)
{
    const accord_answers *answers = &record_of(self)->answers;
    (void)closure;
    if (answers->generator <= 0 || !answers->digest)
        Py_RETURN_NONE;
    return Py_BuildValue("(LLs)", (long long)answers->inputs, (long long)answers->varied,
                         answers->digest);
}

static PyObject *get_alternatives(PyObject *self, void *closure)
{
    const accord_record *r = record_of(self);
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
    {"write", (PyCFunction)(void (*)(void))write_form, METH_VARARGS | METH_KEYWORDS,
     "write(form, columns=80, color=False, utf8=True, expand=False) -> str; form: report, text, "
     "json, dot, svg, "
     "html"},
    {"emit_c", emit_c, METH_VARARGS, "emit_c(name) -> str: a C function with the same bits"},
    {"describe", describe, METH_NOARGS, "describe() -> the arithmetic in words, or None"},
    {"order_words", order_words, METH_NOARGS, "order_words() -> the order in words, or None"},
    {"notation", notation, METH_NOARGS, "notation() -> the order in one line, or None"},
    {"order_names", order_names, METH_NOARGS, "order_names() -> textbook names, one a line"},
    {"line", line, METH_NOARGS, "line() -> order and arithmetic in one line, or None"},
    {"fields", fields, METH_NOARGS, "fields() -> dict of question, answer and evidence"},
    {"parents", parents, METH_NOARGS,
     "parents() -> list: the parent of each leaf and inner node, None for the root; or None"},
    {"fingerprint", fingerprint, METH_VARARGS,
     "fingerprint(model=False) -> str of the order, or of order and arithmetic; None without"},
    {"choose", choose, METH_VARARGS,
     "choose(which) -> Record: with this alternative, by number from 1 or words, as arithmetic"},
    {"plain", plain, METH_VARARGS,
     "plain(input, accumulator, output, products=False) -> Record: this tree with plain "
     "arithmetic"},
    {"replay", replay, METH_VARARGS,
     "replay(x, y=None, start=None) -> bytes of float64, one for each row"},
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
