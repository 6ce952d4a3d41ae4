/* Targets as Python objects: callables, and what accord_target_open opens. */
#include "native/native.h"

static native_target *new_target(const native_state *state)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(state->target, Py_tp_alloc);
    native_target *t = (native_target *)allocate(state->target, 0);
    if (t) {
        t->call.state = state;
        t->call.talk = &t->talk;
    }
    return t;
}

/* ---- opening ---- */

static bool copy_text(char **to, const char *text)
{
    if (!text)
        return true;
    *to = accordi_strdup(text);
    if (!*to)
        PyErr_NoMemory();
    return *to != NULL;
}

static bool read_format(const native_state *state, const char *name, enum accord_format *out)
{
    if (accord_format_by_name(name, out))
        return true;
    native_wrong(state, "there is no number format %.40s: choose f64, f32, f16, bf16, …", name);
    return false;
}

/* Terms may also be elements of block formats, and these have scales. */
static bool read_operand_format(const native_state *state, const char *name,
                                enum accord_format *out)
{
    return accord_format_operand_by_name(name, out) || read_format(state, name, out);
}

static bool read_scale(const native_state *state, const char *name, enum accord_format *out)
{
    static const enum accord_format scales[] = {ACCORD_E8M0, ACCORD_UE4M3};
    for (size_t i = 0; name && i < sizeof scales / sizeof *scales; i++)
        if (strcmp(name, accord_format_get(scales[i])->name) == 0) {
            *out = scales[i];
            return true;
        }
    native_wrong(state, "scales are of e8m0 or ue4m3, not of %.40s", name ? name : "no format");
    return false;
}

/* Operands are pairs: a shape, and whether the terms of a line lie side by side. Those of the first
 * and of the second factors come first, then, where there are any, their scales. */
static bool read_operands(native_target *t, PyObject *operands)
{
    const accord_target *own = t->target;
    const enum accord_format third = own->scale_block ? own->scale : own->format;
    const enum accord_format formats[NATIVE_OPERANDS] = {own->format, own->format, third, third};
    PyObject *shapes = PyTuple_New(PyTuple_Size(operands));
    bool fine = shapes != NULL;
    for (Py_ssize_t i = 0; fine && i < PyTuple_Size(operands); i++) {
        PyObject *shape;
        int straight;
        fine = i < NATIVE_OPERANDS && PyArg_ParseTuple(PyTuple_GetItem(operands, i), "O!p",
                                                       &PyTuple_Type, &shape, &straight);
        if (fine) {
            t->straight[i] = straight;
            fine = PyTuple_SetItem(shapes, i, Py_NewRef(shape)) == 0;
        } else if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_ValueError, "a callable takes one to %d arrays", NATIVE_OPERANDS);
        }
    }
    fine = fine && native_call_init(&t->call, shapes, formats);
    Py_XDECREF(shapes);
    return fine;
}

/* The operands of a sum: its terms, or first and second factors, perhaps with their scales. */
static bool has_operands_of_sum(const native_target *t)
{
    const accord_target *own = t->target;
    const native_operand *o = t->call.operand;
    size_t n = own->n,
           blocks = own->scale_block ? (n + own->scale_block - 1) / own->scale_block : 0;
    int due = own->scale_block ? 4 : own->term == ACCORD_TERM_PRODUCT ? 2 : 1;
    return t->call.operands == due && o[0].count == n && (due < 2 || o[1].count == n) &&
           (due < 4 || (o[2].count == blocks && o[3].count == blocks));
}

/* A grid has rows and columns, and a shape of the result; a sum has none of them. */
static bool read_result(native_target *t, PyObject *result, Py_ssize_t rows, Py_ssize_t columns,
                        int start)
{
    accord_target *own = t->target;
    t->inner = own->n - (start != 0);
    if (PyTuple_Size(result) == 0) {
        if (!start && has_operands_of_sum(t))
            return true;
        PyErr_SetString(PyExc_ValueError, "operands of a sum must have n numbers");
        return false;
    }
    if (rows < 1 || columns < 1 || t->inner < 1 || own->n < 1 ||
        (start && (own->term != ACCORD_TERM_PRODUCT || t->call.operands != 3)) ||
        (!start && t->call.operands != (own->term == ACCORD_TERM_PRODUCT ? 2 : 1))) {
        PyErr_SetString(PyExc_ValueError, "rows, columns, n and operands do not fit together");
        return false;
    }
    own->rows = (size_t)rows;
    own->columns = (size_t)columns;
    own->has_start = start != 0;
    own->beta = start ? 1 : 0;
    t->result = Py_NewRef(result);
    return native_grid_init(t);
}

static bool init_callable(native_target *t, const accord_target_kind *kind, const char *notation,
                          Py_ssize_t n, const char *format, const char *output, int products)
{
    enum accord_format of_terms, of_result;
    accord_error error;
    if (!read_operand_format(t->call.state, format, &of_terms) ||
        !read_format(t->call.state, output, &of_result))
        return false;
    if (accord_target_new(kind, t, notation, n < 0 ? 0 : (size_t)n, of_terms, &t->target, &error)) {
        native_raise(t->call.state, &error);
        return false;
    }
    t->target->output = of_result;
    t->target->term = products ? ACCORD_TERM_PRODUCT : ACCORD_TERM_VALUE;
    t->callable = true;
    return true;
}

/* Products of which so many share a pair of scales of this format. */
static bool read_scales(native_target *t, Py_ssize_t share, const char *name)
{
    accord_target *own = t->target;
    const native_state *state = t->call.state;
    if (share == 0 && !name) {
        if (!accord_format_adds(own->format))
            native_wrong(state,
                         "products of %s can only be asked for by scales that they share: "
                         "accord.scaled_dot(function)",
                         accord_format_get(own->format)->name);
        return accord_format_adds(own->format);
    }
    if (share < 2 || (size_t)share > own->n)
        native_wrong(state, "2 to %zu products may share scales, not %zd", own->n, share);
    else if (own->term != ACCORD_TERM_PRODUCT || own->format < ACCORD_E4M3)
        native_wrong(state, "products of %s share no scales: choose e4m3, e5m2, e3m2, e2m3 or e2m1",
                     accord_format_get(own->format)->name);
    else if (read_scale(state, name, &own->scale))
        own->scale_block = (size_t)share;
    return own->scale_block > 0;
}

PyObject *native_callable(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {
        "function",  "n",           "operands", "make",    "format",    "output",
        "products",  "mode",        "collect",  "result",  "rows",      "columns",
        "start",     "notation",    "library",  "version", "signature", "shape",
        "transpose", "scale_block", "scale",    NULL};
    const native_state *state = PyModule_GetState(module);
    PyObject *function, *operands, *make, *collect = NULL, *result = NULL;
    Py_ssize_t n, rows = 1, columns = 1, share = 0;
    int products = 0, mode = NATIVE_SHARED, start = 0;
    const char *format = "f32", *output = "f32", *notation = "python:callable", *library = NULL,
               *version = NULL, *signature = NULL, *shape = NULL, *transpose = NULL, *scale = NULL;
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "OnO!O|$sspiOO!nnpszzzzznz", (char **)(uintptr_t)names, &function, &n,
            &PyTuple_Type, &operands, &make, &format, &output, &products, &mode, &collect,
            &PyTuple_Type, &result, &rows, &columns, &start, &notation, &library, &version,
            &signature, &shape, &transpose, &share, &scale))
        return NULL;
    native_target *t = new_target(state);
    if (!t)
        return NULL;
    PyObject *none = PyTuple_New(0);
    t->call.function = Py_NewRef(function);
    t->call.make = Py_NewRef(make);
    t->call.collect = Py_XNewRef(collect);
    t->call.mode = (enum native_mode)mode;
    const accord_target_kind *kind =
        result && PyTuple_Size(result) ? &native_grid_kind : &native_sum_kind;
    if (!none || !init_callable(t, kind, notation, n, format, output, products) ||
        !read_scales(t, share, scale) || !read_operands(t, operands) ||
        !read_result(t, result ? result : none, rows, columns, start) ||
        !copy_text(&t->library, library) || !copy_text(&t->version, version) ||
        !copy_text(&t->signature, signature) || !copy_text(&t->shape, shape) ||
        !copy_text(&t->transpose, transpose))
        Py_CLEAR(t);
    Py_XDECREF(none);
    return (PyObject *)t;
}

PyObject *native_open(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {
        "notation", "n",       "format",      "seed",  "alpha",   "beta",
        "timeout",  "no_fork", "signature",   "shape", "element", "transpose",
        "incx",     "incy",    "lda",         "ldb",   "ldc",     "alignment",
        "result",   "python",  "scale_block", "scale", NULL};
    const native_state *state = PyModule_GetState(module);
    const char *notation, *format = NULL, *result = NULL, *scale = NULL;
    accord_target_options o;
    accord_error error;
    accord_target *target = NULL;
    Py_ssize_t n, share = 0;
    int no_fork = 0;
    unsigned long long seed = 0;
    long long strides[5] = {0}, alignment = 0;
    accord_target_options_init(&o);
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "sn|$zKdddpzzzzLLLLLLzznz", (char **)(uintptr_t)names, &notation, &n,
            &format, &seed, &o.alpha, &o.beta, &o.timeout, &no_fork, &o.signature, &o.shape,
            &o.element, &o.transpose, &strides[0], &strides[1], &strides[2], &strides[3],
            &strides[4], &alignment, &result, &o.python, &share, &scale))
        return NULL;
    if (format && !read_operand_format(state, format, &o.format))
        return NULL;
    if (result && !read_format(state, result, &o.result))
        return NULL;
    if (scale && !read_scale(state, scale, &o.scale))
        return NULL;
    o.scale_block = share < 0 ? 0 : (size_t)share;
    o.has_format = format != NULL;
    o.has_result = result != NULL;
    o.n = n < 0 ? 0 : (size_t)n;
    o.seed = seed;
    o.no_fork = no_fork;
    o.incx = strides[0];
    o.incy = strides[1];
    o.lda = strides[2];
    o.ldb = strides[3];
    o.ldc = strides[4];
    o.alignment = alignment;
    native_target *t = new_target(state);
    if (!t)
        return NULL;
    enum accord_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = accord_target_open(notation, &o, &target, &error);
    Py_END_ALLOW_THREADS;
    if (status) {
        Py_DECREF(t);
        return native_raise(state, &error);
    }
    t->target = target;
    return (PyObject *)t;
}

PyObject *native_target_new(const native_state *state, accord_target *target)
{
    native_target *t = new_target(state);
    if (t)
        t->target = target;
    else
        accord_target_close(target);
    return (PyObject *)t;
}

/* ---- use ---- */

bool native_target_take(const native_state *state, native_target *t)
{
    if (!atomic_exchange(&t->busy, true))
        return true;
    native_wrong(state, "this target is being asked already: open another one");
    return false;
}

bool native_target_take_at(const native_state *state, native_target *t, Py_ssize_t row,
                           Py_ssize_t column)
{
    const accord_target *target = t->target;
    if (!native_target_take(state, t))
        return false;
    if (row < 0 || column < 0 || (size_t)row >= target->rows || (size_t)column >= target->columns) {
        native_wrong(state,
                     "the element (%zd, %zd) lies outside the result of %zu x %zu; indices count "
                     "from 0",
                     row, column, target->rows, target->columns);
        t->busy = false;
        return false;
    }
    t->row = (size_t)row;
    t->column = (size_t)column;
    return true;
}

enum accord_status native_target_look(native_target *t, accord_error *error)
{
    return t->callable && t->call.arguments ? native_call_settle(&t->call, true, error) : ACCORD_OK;
}

enum accord_status native_target_enter(native_target *t, accord_error *error)
{
    if (native_talk_failed(&t->talk))
        return accordi_fail(error, ACCORD_TARGET, "the callable has failed before");
    native_talk_hold(&t->talk);
    t->seconds = t->call.seconds;
    enum accord_status status = native_call_ready(&t->call, error);
    if (status)
        native_talk_release(&t->talk);
    return status;
}

void native_target_leave(native_target *t)
{
    t->target->seconds += t->call.seconds - t->seconds;
    native_talk_release(&t->talk);
}

enum accord_status native_target_describe(accord_target *target, accord_record *record,
                                          accord_error *error)
{
    const native_target *t = target->state;
    char element[48] = "";
    if (t->result && target->columns > 1)
        snprintf(element, sizeof element, "%zu,%zu", t->row, t->column);
    else if (t->result)
        snprintf(element, sizeof element, "%zu", t->row);
    const struct {
        char **field;
        const char *text;
    } texts[] = {
        {&record->signature, t->signature},     {&record->library, t->library},
        {&record->library_version, t->version}, {&record->shape, t->shape},
        {&record->transpose, t->transpose},     {&record->element, *element ? element : NULL},
    };
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !status; i++)
        status = accord_record_set(texts[i].field, texts[i].text, error);
    record->alignment = 0;
    return status;
}

/* ---- the type ---- */

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return native_call_traverse(&((native_target *)self)->call, visit, arg);
}

static int clear(PyObject *self)
{
    native_target *t = (native_target *)self;
    Py_CLEAR(t->call.function);
    Py_CLEAR(t->call.make);
    Py_CLEAR(t->call.collect);
    Py_CLEAR(t->call.arguments);
    Py_CLEAR(t->call.number);
    return 0;
}

static void dealloc(PyObject *self)
{
    native_target *t = (native_target *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    PyObject_GC_UnTrack(self);
    accord_target_close(t->target);
    native_call_clear(&t->call);
    Py_CLEAR(t->result);
    for (int i = 0; i < 3; i++) {
        free(t->source[i]);
        free(t->own_grid[i]);
    }
    free(t->results);
    free(t->saved);
    free(t->signature);
    free(t->library);
    free(t->version);
    free(t->shape);
    free(t->transpose);
    release(self);
    Py_DECREF(type);
}

static PyObject *get(PyObject *self, void *which)
{
    const accord_target *t = ((native_target *)self)->target;
    switch ((int)(intptr_t)which) {
    case 0:
        return PyUnicode_DecodeUTF8(t->notation, (Py_ssize_t)strlen(t->notation), "replace");
    case 1:
        return PyLong_FromSize_t(t->n);
    case 2:
        return PyLong_FromSize_t(t->rows);
    case 3:
        return PyLong_FromSize_t(t->columns);
    case 4:
        return PyUnicode_FromString(accord_format_get(t->format)->name);
    case 5:
        return PyUnicode_FromString(accord_format_get(t->output)->name);
    case 6:
        return PyBool_FromLong(t->term == ACCORD_TERM_PRODUCT);
    case 7:
        return PyLong_FromUnsignedLongLong(t->calls);
    case 8:
        return PyFloat_FromDouble(t->seconds);
    default:
        return PyBool_FromLong(t->kind->run_grid != NULL);
    }
}

static int set_output(PyObject *self, PyObject *value, void *closure)
{
    native_target *t = (native_target *)self;
    (void)closure;
    PyObject *bytes = value ? PyUnicode_AsUTF8String(value) : NULL;
    if (!bytes || !t->callable) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_AttributeError, "output of this target cannot be set");
        Py_XDECREF(bytes);
        return -1;
    }
    bool fine = native_target_take(native_state_of(self), t);
    if (fine) {
        fine = read_format(native_state_of(self), PyBytes_AsString(bytes), &t->target->output);
        t->busy = false;
    }
    Py_DECREF(bytes);
    return fine ? 0 : -1;
}

static PyGetSetDef members[] = {
    {"notation", get, NULL, "as the command writes it: \"blas:sdot\"", (void *)0},
    {"n", get, NULL, "terms of a sum", (void *)1},
    {"rows", get, NULL, "of the result; 1 for a sum", (void *)2},
    {"columns", get, NULL, "of the result", (void *)3},
    {"format", get, NULL, "accord's name of the format of the terms", (void *)4},
    {"output", get, set_output, "… of the result; may be set for callables", (void *)5},
    {"products", get, NULL, "whether terms are products", (void *)6},
    {"calls", get, NULL, "sums (or whole results) asked for so far", (void *)7},
    {"seconds", get, NULL, "spent in what was asked, so far", (void *)8},
    {"many", get, NULL, "whether there are many results at once", (void *)9},
    {0},
};

static PyMethodDef methods[] = {
    {"sample", native_target_sample, METH_NOARGS,
     "sample() -> what the callable returns for operands of ones, untouched"},
    {"ask", native_target_ask, METH_VARARGS,
     "ask(x, y=None, row=0, column=0) -> list of float: the sums of rows of n numbers (buffers of "
     "float64, "
     "float32 or float16; all of them numbers of the target's format)"},
    {"write", native_target_write, METH_VARARGS,
     "write(probes, fill, value, index, start) -> bytes of float64: sums of sparse probes; "
     "writes stay (doc/command-protocol.md, form 0)"},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A black box: a callable, or what a notation names. Used by one thread at a time."},
    {Py_tp_dealloc, dealloc},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_getset, members},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec native_target_spec = {
    .name = "accord._accord.Target",
    .basicsize = sizeof(native_target),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION |
             Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
