/* Calling what Python gave.
 *
 * The callable gets arrays that stay: only what they hold changes from call to call, so a probe
 * costs little more than the call. It may do with them what it should not. If it keeps one (or a
 * view of one), its count of references shows that, it keeps it for itself, and the next call gets
 * another. If it changes what is in them, a comparison with what should be there shows that; it is
 * made for the first calls, for each sixteenth (for large arrays each 64th), and whenever the
 * caller wants it. So is it looked whether a result has a shape; for the others its type is enough.
 */
#include "native/native.h"
#include <math.h>

enum { SMALL = 1 << 14, FIRST = 32, EACH = 16, FIRST_OF_LARGE = 4, EACH_OF_LARGE = 64 };

static inline uint64_t bits_of(const native_operand *o, double value)
{
    return accord_format_encode(o->format, value);
}

void native_put(native_operand *o, size_t i, double value)
{
    switch (o->format) {
    case ACCORD_F64:
        ((double *)o->memory)[i] = ((double *)o->truth)[i] = value;
        break;
    case ACCORD_F32:
    case ACCORD_TF32:
        ((float *)o->memory)[i] = ((float *)o->truth)[i] = (float)value;
        break;
    case ACCORD_F16:
    case ACCORD_BF16:
        ((uint16_t *)o->memory)[i] = ((uint16_t *)o->truth)[i] = (uint16_t)bits_of(o, value);
        break;
    default:
        ((uint8_t *)o->memory)[i] = ((uint8_t *)o->truth)[i] = (uint8_t)bits_of(o, value);
    }
}

double native_get(const native_operand *o, size_t i)
{
    switch (o->format) {
    case ACCORD_F64:
        return ((const double *)o->truth)[i];
    case ACCORD_F32:
    case ACCORD_TF32:
        return (double)((const float *)o->truth)[i];
    case ACCORD_F16:
    case ACCORD_BF16:
        return accord_format_decode(o->format, ((const uint16_t *)o->truth)[i]);
    default:
        return accord_format_decode(o->format, ((const uint8_t *)o->truth)[i]);
    }
}

/* ---- arguments ---- */

static bool new_buffer(native_call *c, native_operand *o)
{
    PyObject *buffer = native_buffer_new(c->state, o->format, o->shape);
    if (!buffer)
        return false;
    Py_XDECREF(o->buffer);
    o->buffer = buffer;
    o->memory = native_buffer_memory(buffer);
    memcpy(o->memory, o->due, o->count * o->size);
    return true;
}

static bool init_operand(native_call *c, native_operand *o, PyObject *shape,
                         enum accord_format format)
{
    if (!PyTuple_Check(shape)) {
        PyErr_SetString(PyExc_TypeError, "the shape of an operand must be a tuple");
        return false;
    }
    o->format = format;
    o->size = (size_t)accord_format_get(format)->bytes;
    o->shape = Py_NewRef(shape);
    o->buffer = native_buffer_new(c->state, format, shape);
    if (!o->buffer)
        return false;
    o->count = 1;
    for (Py_ssize_t i = 0; i < PyTuple_Size(shape); i++)
        o->count *= PyLong_AsSize_t(PyTuple_GetItem(shape, i));
    o->memory = native_buffer_memory(o->buffer);
    o->due = o->truth = accordi_calloc(o->count, o->size);
    if (!o->truth)
        PyErr_NoMemory();
    return o->truth != NULL;
}

bool native_call_init(native_call *c, PyObject *shapes, const enum accord_format *formats)
{
    Py_ssize_t operands = PyTuple_Size(shapes);
    if (operands < 1 || operands > NATIVE_OPERANDS) {
        PyErr_Format(PyExc_ValueError, "a callable takes one to %d arrays", NATIVE_OPERANDS);
        return false;
    }
    for (c->operands = 0; c->operands < operands; c->operands++)
        if (!init_operand(c, &c->operand[c->operands], PyTuple_GetItem(shapes, c->operands),
                          formats[c->operands])) {
            c->operands++; /* it is cleared too */
            return false;
        }
    return true;
}

void native_call_clear(native_call *c)
{
    Py_CLEAR(c->function);
    Py_CLEAR(c->make);
    Py_CLEAR(c->collect);
    Py_CLEAR(c->arguments);
    Py_CLEAR(c->number);
    for (int i = 0; i < c->operands; i++) {
        Py_CLEAR(c->operand[i].shape);
        Py_CLEAR(c->operand[i].buffer);
        free(c->operand[i].truth);
        c->operand[i].truth = NULL;
    }
    c->operands = 0;
}

int native_call_traverse(native_call *c, visitproc visit, void *arg)
{
    Py_VISIT(c->function);
    Py_VISIT(c->make);
    Py_VISIT(c->collect);
    Py_VISIT(c->arguments);
    Py_VISIT(c->number);
    return 0;
}

/* References to what the callable may keep: its arguments, and the memory under them. */
static void count_references(const native_call *c, Py_ssize_t out[2 * NATIVE_OPERANDS])
{
    for (int i = 0; i < c->operands; i++) {
        out[2 * i] = Py_REFCNT(PyTuple_GetItem(c->arguments, i));
        out[2 * i + 1] = Py_REFCNT(c->operand[i].buffer);
    }
}

static bool make_arguments(native_call *c)
{
    PyObject *buffers = PyTuple_New(c->operands);
    for (int i = 0; buffers && i < c->operands; i++)
        if (PyTuple_SetItem(buffers, i, Py_NewRef(c->operand[i].buffer)) < 0)
            Py_CLEAR(buffers);
    PyObject *made = buffers ? PyObject_CallFunctionObjArgs(c->make, buffers, NULL) : NULL;
    Py_XDECREF(buffers);
    if (made && (!PyTuple_Check(made) || PyTuple_Size(made) != c->operands)) {
        PyErr_Format(PyExc_TypeError, "make must return a tuple of %d arrays", c->operands);
        Py_CLEAR(made);
    }
    if (!made)
        return false;
    Py_XDECREF(c->arguments);
    c->arguments = made;
    if (c->mode == NATIVE_SHARED)
        count_references(c, c->references);
    return true;
}

static bool renew(native_call *c)
{
    for (int i = 0; i < c->operands; i++)
        if (!new_buffer(c, &c->operand[i]))
            return false;
    Py_CLEAR(c->arguments);
    c->doubt = false;
    return true;
}

static bool prepare(native_call *c)
{
    if (c->mode == NATIVE_FRESH && !renew(c))
        return false;
    if ((!c->arguments || c->mode != NATIVE_SHARED) && !make_arguments(c))
        return false;
    c->doubt = true;
    return true;
}

enum accord_status native_call_ready(native_call *c, accord_error *error)
{
    return !c->doubt || renew(c) ? ACCORD_OK : native_talk_keep(c->talk, error);
}

/* ---- the call ---- */

enum accord_status native_call_now(native_call *c, PyObject **result, accord_error *error)
{
    if (!prepare(c))
        return native_talk_keep(c->talk, error);
    double from = accordi_now();
    PyObject *made = PyObject_Call(c->function, c->arguments, NULL);
    c->seconds += accordi_now() - from;
    c->calls++;
    if (made && PyErr_CheckSignals() < 0)
        Py_CLEAR(made);
    if (!made)
        return native_talk_keep(c->talk, error);
    *result = made;
    return ACCORD_OK;
}

static enum accord_status changed(const native_call *c, int which, accord_error *error)
{
    const native_operand *o = &c->operand[which];
    const unsigned char *is = o->memory, *was = o->due;
    size_t i = 0;
    while (i + 1 < o->count && memcmp(is + i * o->size, was + i * o->size, o->size) == 0)
        i++;
    return accordi_fail(error, ACCORD_TARGET,
                        "the callable changed its %s (number %zu of %zu): give it a copy of its "
                        "own each time, copy=True",
                        c->operands == 1 ? "input"
                        : which == 0     ? "first input"
                                         : "other input",
                        i, o->count);
}

static bool is_looked_at(const native_call *c)
{
    size_t bytes = 0;
    for (int i = 0; i < c->operands; i++)
        bytes += c->operand[i].count * c->operand[i].size;
    return bytes > SMALL ? c->calls <= FIRST_OF_LARGE || c->calls % EACH_OF_LARGE == 0
                         : c->calls <= FIRST || c->calls % EACH == 0;
}

enum accord_status native_call_settle(native_call *c, bool look, accord_error *error)
{
    Py_ssize_t references[2 * NATIVE_OPERANDS];
    if (c->mode == NATIVE_FRESH || !c->arguments)
        return ACCORD_OK;
    if (look || is_looked_at(c))
        for (int i = 0; i < c->operands; i++)
            if (memcmp(c->operand[i].memory, c->operand[i].due,
                       c->operand[i].count * c->operand[i].size) != 0)
                return changed(c, i, error);
    c->doubt = false;
    if (c->mode != NATIVE_SHARED)
        return ACCORD_OK;
    count_references(c, references);
    c->doubt = memcmp(references, c->references, 2 * (size_t)c->operands * sizeof *references) != 0;
    return native_call_ready(c, error);
}

/* ---- results ---- */

/* Fills *error with what came and what was due. */
static enum accord_status no_number(PyObject *result, const char *due, accord_error *error)
{
    char text[80] = "";
    PyObject *name = PyType_GetName(Py_TYPE(result)),
             *shape = PyObject_GetAttrString(result, "shape");
    PyObject *words = shape ? PyObject_Str(shape) : NULL;
    PyErr_Clear();
    PyObject *name_bytes = name ? PyUnicode_AsUTF8String(name) : NULL;
    PyObject *words_bytes = words ? PyUnicode_AsUTF8String(words) : NULL;
    if (words_bytes)
        snprintf(text, sizeof text, " of shape %.60s", PyBytes_AsString(words_bytes));
    enum accord_status status =
        accordi_fail(error, ACCORD_TARGET, "the callable returned a %.60s%s, where %s was due",
                     name_bytes ? PyBytes_AsString(name_bytes) : "thing", text, due);
    Py_XDECREF(name_bytes);
    Py_XDECREF(words_bytes);
    Py_XDECREF(name);
    Py_XDECREF(words);
    Py_XDECREF(shape);
    PyErr_Clear();
    return status;
}

static bool has_length(PyTypeObject *type)
{
    return PyType_GetSlot(type, Py_mp_length) || PyType_GetSlot(type, Py_sq_length);
}

/* Arrays of one number in several dimensions convert to a float too, but are no sums. */
static bool has_extents(PyObject *result)
{
    if (!has_length(Py_TYPE(result)))
        return false;
    PyObject *shape = PyObject_GetAttrString(result, "shape");
    Py_ssize_t dimensions = shape ? PyObject_Size(shape) : -1;
    Py_XDECREF(shape);
    PyErr_Clear();
    return dimensions != 0;
}

/* Complex numbers of NumPy convert to a float, too, with a warning: what is lost is a part of the
 * result. */
static bool is_complex(PyObject *result)
{
    PyObject *dtype = PyObject_GetAttrString(result, "dtype");
    PyObject *kind = dtype ? PyObject_GetAttrString(dtype, "kind") : NULL;
    bool complex =
        kind && PyUnicode_Check(kind) && PyUnicode_CompareWithASCIIString(kind, "c") == 0;
    Py_XDECREF(dtype);
    Py_XDECREF(kind);
    PyErr_Clear();
    return complex;
}

enum accord_status native_call_number(native_call *c, PyObject *result, double *out,
                                      accord_error *error)
{
    PyObject *own = NULL;
    if (c->collect && c->collect != Py_None) {
        own = PyObject_CallFunctionObjArgs(c->collect, result, NULL);
        if (!own)
            return native_talk_keep(c->talk, error);
        result = own;
    }
    enum accord_status status = ACCORD_OK;
    PyTypeObject *type = Py_TYPE(result);
    bool known = PyFloat_CheckExact(result) || (type == c->number && !is_looked_at(c));
    if (!known && (PyUnicode_Check(result) || PyBytes_Check(result) || has_extents(result) ||
                   is_complex(result))) {
        status = no_number(result, "one number", error);
    } else if (!known && type != c->number) {
        Py_XDECREF((PyObject *)c->number);
        c->number = (PyTypeObject *)Py_NewRef((PyObject *)type);
    }
    if (status == ACCORD_OK) {
        double value = PyFloat_AsDouble(result);
        if (value == -1 && PyErr_Occurred()) {
            bool odd = PyErr_ExceptionMatches(PyExc_TypeError) ||
                       PyErr_ExceptionMatches(PyExc_OverflowError) ||
                       PyErr_ExceptionMatches(PyExc_ValueError);
            if (odd)
                PyErr_Clear();
            status =
                odd ? no_number(result, "one number", error) : native_talk_keep(c->talk, error);
        } else {
            *out = value;
        }
    }
    Py_XDECREF(own);
    return status;
}

static bool same_shape(const Py_buffer *view, PyObject *shape)
{
    if (view->ndim != PyTuple_Size(shape))
        return false;
    for (int i = 0; i < view->ndim; i++)
        if (view->shape[i] != PyLong_AsSsize_t(PyTuple_GetItem(shape, i)))
            return false;
    return true;
}

#define READ_LINE(T, VALUE)                                                                        \
    if (stride == sizeof(T) && (uintptr_t)from % sizeof(T) == 0) {                                 \
        for (size_t i = 0; i < length; i++) {                                                      \
            const T raw = ((const T *)(const void *)from)[i];                                      \
            out[i] = VALUE;                                                                        \
        }                                                                                          \
    } else {                                                                                       \
        for (size_t i = 0; i < length; i++) {                                                      \
            T raw;                                                                                 \
            memcpy(&raw, from + (Py_ssize_t)i * stride, sizeof raw);                               \
            out[i] = VALUE;                                                                        \
        }                                                                                          \
    }

static bool read_line(char letter, const char *from, Py_ssize_t stride, size_t length, double *out)
{
    switch (letter) {
    case 'd':
        READ_LINE(double, raw)
        return true;
    case 'f':
        READ_LINE(float, (double)raw)
        return true;
    case 'e':
        READ_LINE(uint16_t, accord_format_decode(ACCORD_F16, raw))
        return true;
    default:
        return false;
    }
}

/* Any strides; line by line, a line along the last dimension. */
static bool read_numbers(const Py_buffer *view, size_t count, double *out)
{
    const char *format = view->format ? view->format : "B";
    format += *format == '@' || *format == '=' || *format == '<';
    char letter = (char)(format[0] && !format[1] ? format[0] : 0);
    int last = view->ndim - 1;
    size_t length = last < 0 ? 1 : (size_t)view->shape[last];
    for (size_t i = 0; i < count; i += length) {
        const char *from = view->buf;
        size_t rest = i / length;
        for (int d = last; d-- > 0; rest /= (size_t)view->shape[d])
            from += (Py_ssize_t)(rest % (size_t)view->shape[d]) * view->strides[d];
        if (!read_line(letter, from, last < 0 ? 0 : view->strides[last], length, out + i))
            return false;
    }
    return true;
}

/* Reads the numbers of a buffer, if it is one of so many floats. */
static bool read_buffer(PyObject *array, PyObject *shape, size_t count, double *out)
{
    Py_buffer view;
    if (!PyObject_CheckBuffer(array))
        return false;
    if (PyObject_GetBuffer(array, &view, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0) {
        PyErr_Clear();
        return false;
    }
    bool fine = same_shape(&view, shape) && read_numbers(&view, count, out);
    PyBuffer_Release(&view);
    return fine;
}

enum accord_status native_call_numbers(native_call *c, PyObject *result, PyObject *shape,
                                       size_t count, double *out, accord_error *error)
{
    char due[120];
    if (read_buffer(result, shape, count, out))
        return ACCORD_OK;
    PyObject *array = c->collect && c->collect != Py_None
                          ? PyObject_CallFunctionObjArgs(c->collect, result, NULL)
                          : Py_NewRef(result);
    if (!array)
        return native_talk_keep(c->talk, error);
    enum accord_status status = ACCORD_OK;
    if (!read_buffer(array, shape, count, out)) {
        PyObject *words = PyObject_Str(shape),
                 *bytes = words ? PyUnicode_AsUTF8String(words) : NULL;
        snprintf(due, sizeof due, "an array of floats of shape %.60s",
                 bytes ? PyBytes_AsString(bytes) : "?");
        Py_XDECREF(bytes);
        Py_XDECREF(words);
        status = no_number(result, due, error);
    }
    Py_DECREF(array);
    return status;
}
