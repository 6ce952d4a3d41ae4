/* Memory for operands: aligned (an order may depend on where the first term lies), zeroed, and
 * visible to Python by the buffer protocol. It lives for as long as anything refers to it, however
 * long the target does. */
#include "native/native.h"

enum { MOST_DIMENSIONS = 8, ALIGNMENT = 64 };

typedef struct buffer {
    PyObject_HEAD void *block, *memory;
    enum accord_format format;
    Py_ssize_t size, bytes; /* of a number, of all */
    int dimensions;
    Py_ssize_t shape[MOST_DIMENSIONS], strides[MOST_DIMENSIONS];
} buffer;

/* What the struct module calls it; formats that it has no word for are raw bits. */
static const char *const letters[] = {
    [ACCORD_F64] = "d",  [ACCORD_F32] = "f",  [ACCORD_F16] = "e",  [ACCORD_BF16] = "H",
    [ACCORD_TF32] = "f", [ACCORD_E4M3] = "B", [ACCORD_E5M2] = "B", [ACCORD_E3M2] = "B",
    [ACCORD_E2M3] = "B", [ACCORD_E2M1] = "B", [ACCORD_E8M0] = "B", [ACCORD_UE4M3] = "B",
};

static bool read_shape(buffer *b, PyObject *shape)
{
    Py_ssize_t count = 1, dimensions = PyTuple_Size(shape);
    if (dimensions < 0 || dimensions > MOST_DIMENSIONS) {
        PyErr_Format(PyExc_ValueError, "a shape has at most %d dimensions", MOST_DIMENSIONS);
        return false;
    }
    b->dimensions = (int)dimensions;
    for (Py_ssize_t i = 0; i < dimensions; i++) {
        Py_ssize_t extent = PyLong_AsSsize_t(PyTuple_GetItem(shape, i));
        if (extent < 1 || count > PY_SSIZE_T_MAX / 16 / extent) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "a dimension must be at least 1, and the "
                                                  "product of all fit into memory");
            return false;
        }
        b->shape[i] = extent;
        count *= extent;
    }
    b->bytes = count * b->size;
    for (Py_ssize_t i = dimensions, stride = b->size; i-- > 0; stride *= b->shape[i])
        b->strides[i] = stride;
    return true;
}

PyObject *native_buffer_new(const native_state *state, enum accord_format format, PyObject *shape)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(state->buffer, Py_tp_alloc);
    buffer *b = (buffer *)allocate(state->buffer, 0);
    if (!b)
        return NULL;
    b->format = format;
    b->size = accord_format_get(format)->bytes;
    if (!read_shape(b, shape)) {
        Py_DECREF(b);
        return NULL;
    }
    b->block = accordi_calloc((size_t)b->bytes + ALIGNMENT, 1);
    if (!b->block) {
        Py_DECREF(b);
        return PyErr_NoMemory();
    }
    b->memory = (char *)b->block + (ALIGNMENT - (uintptr_t)b->block % ALIGNMENT) % ALIGNMENT;
    return (PyObject *)b;
}

void *native_buffer_memory(PyObject *object)
{
    return ((buffer *)object)->memory;
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    free(((buffer *)self)->block);
    release(self);
    Py_DECREF(type);
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    buffer *b = (buffer *)self;
    *view =
        (Py_buffer){.buf = b->memory,
                    .obj = Py_NewRef(self),
                    .len = b->bytes,
                    .itemsize = b->size,
                    .ndim = b->dimensions,
                    .format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)letters[b->format] : NULL,
                    .shape = flags & PyBUF_ND ? b->shape : NULL,
                    .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? b->strides : NULL};
    return 0;
}

static PyObject *get_format(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(accord_format_get(((buffer *)self)->format)->name);
}

static PyObject *get_shape(PyObject *self, void *closure)
{
    (void)closure;
    buffer *b = (buffer *)self;
    PyObject *shape = PyTuple_New(b->dimensions);
    for (int i = 0; shape && i < b->dimensions; i++) {
        PyObject *extent = PyLong_FromSsize_t(b->shape[i]);
        if (!extent || PyTuple_SetItem(shape, i, extent) < 0)
            Py_CLEAR(shape);
    }
    return shape;
}

static PyGetSetDef members[] = {
    {"format", get_format, NULL, "accord's name of the number format: \"f32\"", NULL},
    {"shape", get_shape, NULL, "a tuple of extents, as the callable expects them", NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Memory for operands of a callable, aligned to 64 bytes; offers the buffer "
                "protocol."},
    {Py_tp_dealloc, dealloc},
    {Py_tp_getset, members},
    {Py_bf_getbuffer, get_buffer},
    {0, NULL},
};

PyType_Spec native_buffer_spec = {
    .name = "accord._accord.Buffer",
    .basicsize = sizeof(buffer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

/* ---- buffers of others ---- */

bool native_numbers_get(const native_state *state, PyObject *object, const char *what,
                        native_numbers *out)
{
    if (PyObject_GetBuffer(object, &out->view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        if (!PyErr_ExceptionMatches(PyExc_BufferError) &&
            !PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError))
            return false;
        PyErr_Clear();
        native_wrong(state, "%s must be an array of numbers without gaps (a buffer)", what);
        return false;
    }
    const char *format = out->view.format ? out->view.format : "B";
    format += *format == '@' || *format == '=' || *format == '<';
    static const char known[] = "dfe";
    const char *at = *format && !format[1] ? strchr(known, *format) : NULL;
    if (!at) {
        native_wrong(state,
                     "%s contains numbers of the format '%s': give float64, float32 or float16 "
                     "(or a list of floats)",
                     what, out->view.format ? out->view.format : "B");
        PyBuffer_Release(&out->view);
        return false;
    }
    out->kind = (enum native_kind)(at - known);
    out->count = (size_t)(out->view.len / out->view.itemsize);
    return true;
}

void native_numbers_release(native_numbers *numbers)
{
    PyBuffer_Release(&numbers->view);
}

double native_number(const native_numbers *numbers, size_t i)
{
    const void *at = numbers->view.buf;
    if (numbers->kind == NATIVE_F64)
        return ((const double *)at)[i];
    if (numbers->kind == NATIVE_F32)
        return (double)((const float *)at)[i];
    return accord_format_decode(ACCORD_F16, ((const uint16_t *)at)[i]);
}

double *native_doubles(const native_state *state, PyObject *object, const char *what, size_t *count)
{
    native_numbers numbers;
    if (!native_numbers_get(state, object, what, &numbers))
        return NULL;
    double *out = accordi_alloc(numbers.count ? numbers.count : 1, sizeof *out);
    for (size_t i = 0; out && i < numbers.count; i++)
        out[i] = native_number(&numbers, i);
    *count = numbers.count;
    native_numbers_release(&numbers);
    if (!out)
        PyErr_NoMemory();
    return out;
}
