/* Correctly rounded sums and dot products of buffers, and fsum. */
#include "native/exact.h"
#include "native/native.h"
#include <math.h>

static void add_line(accord_exact *sum, const native_array *in, const void *x, size_t n,
                     ptrdiff_t stride)
{
    switch (in->format) {
    case ACCORD_F64:
        accord_exact_add_array_f64(sum, n, x, stride);
        break;
    case ACCORD_F32:
        accord_exact_add_array_f32(sum, n, x, stride);
        break;
    case ACCORD_F16:
        accord_exact_add_array_f16(sum, n, x, stride);
        break;
    default:
        accord_exact_add_array_bf16(sum, n, x, stride);
    }
}

static bool even_strides(const Py_buffer *view)
{
    for (int d = 0; d < view->ndim; d++)
        if (view->strides[d] % view->itemsize)
            return false;
    return true;
}

void native_array_add_all(accord_exact *sum, const native_array *in)
{
    const Py_buffer *view = &in->view;
    int last = view->ndim - 1;
    size_t count = (size_t)(view->len / view->itemsize);
    size_t length = last < 0 ? 1 : (size_t)view->shape[last];
    for (size_t i = 0; i < count; i += length) {
        const char *from = view->buf;
        size_t rest = i / length;
        for (int d = last; d-- > 0; rest /= (size_t)view->shape[d])
            from += (Py_ssize_t)(rest % (size_t)view->shape[d]) * view->strides[d];
        if (in->converted)
            native_array_add(sum, in, from, length, last < 0 ? 0 : view->strides[last]);
        else if (last >= 0 && !even_strides(view)) /* fields of records */
            for (size_t k = 0; k < length; k++)
                add_line(sum, in, from + (Py_ssize_t)k * view->strides[last], 1, 1);
        else
            add_line(sum, in, from, length, last < 0 ? 1 : view->strides[last] / view->itemsize);
    }
}

/* One call of the library, on several threads, where the numbers lie in one piece. */
static enum accord_status sum_piece(const native_array *in, const accord_exact_options *o,
                                    double *out, accord_error *error)
{
    size_t n = (size_t)(in->view.len / in->view.itemsize);
    const void *x = in->view.buf;
    enum accord_status status;
    float single = 0;
    uint16_t half = 0;
    switch (in->format) {
    case ACCORD_F64:
        return accord_sum_exact_f64(n, x, 1, o, out, error);
    case ACCORD_F32:
        status = accord_sum_exact_f32(n, x, 1, o, &single, error);
        *out = (double)single;
        return status;
    case ACCORD_F16:
        status = accord_sum_exact_f16(n, x, 1, o, &half, error);
        break;
    default:
        status = accord_sum_exact_bf16(n, x, 1, o, &half, error);
    }
    *out = accord_format_decode(in->format, half);
    return status;
}

bool native_exact_output(const native_state *state, const char *name, enum accord_format *out)
{
    if (!name)
        return true;
    if (accord_format_by_name(name, out) &&
        (*out == ACCORD_F64 || *out == ACCORD_F32 || *out == ACCORD_F16 || *out == ACCORD_BF16))
        return true;
    native_wrong(
        state, "exact sums are rounded to float64, float32, float16 or bfloat16, not %.40s", name);
    return false;
}

PyObject *native_exact_sum(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *object;
    const char *format, *output;
    int rounding, threads;
    native_array in;
    if (!PyArg_ParseTuple(args, "Ozzii", &object, &format, &output, &rounding, &threads) ||
        !native_array_get(state, object, format, &in))
        return NULL;
    enum accord_format to = in.format;
    accord_exact_options options;
    accord_error error;
    double result = 0;
    enum accord_status status = ACCORD_OK;
    accord_exact_options_init(&options);
    options.rounding = (enum accord_exact_rounding)rounding;
    options.threads = threads ? threads : ACCORD_EXACT_EACH_PROCESSOR;
    if (!native_exact_output(state, output, &to)) {
        PyBuffer_Release(&in.view);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    if (to == in.format && !in.converted && PyBuffer_IsContiguous(&in.view, 'A')) {
        status = sum_piece(&in, &options, &result, &error);
    } else {
        accord_exact sum;
        accord_exact_init(&sum);
        native_array_add_all(&sum, &in);
        result = native_total_value((native_total){.narrow = &sum},
                                    (native_rounding){to, options.rounding});
    }
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&in.view);
    return status ? native_raise(state, &error) : PyFloat_FromDouble(result);
}

static bool is_vector(const native_state *state, const native_array *a)
{
    if (a->view.ndim == 1 && !a->converted && a->view.strides[0] % a->view.itemsize == 0 &&
        (a->format == ACCORD_F64 || a->format == ACCORD_F32))
        return true;
    native_wrong(state, "an exact dot product takes two vectors of float64, or two of float32");
    return false;
}

static PyObject *dot(const native_state *state, const native_array *x, const native_array *y,
                     const accord_exact_options *options)
{
    if (!is_vector(state, x) || !is_vector(state, y))
        return NULL;
    if (x->format != y->format || x->view.shape[0] != y->view.shape[0])
        return native_wrong(
            state, "x has %zd numbers of %s, but y has %zd of %s: give equally many of the same",
            x->view.shape[0], accord_format_get(x->format)->name, y->view.shape[0],
            accord_format_get(y->format)->name);
    size_t n = (size_t)x->view.shape[0];
    ptrdiff_t down = x->view.strides[0] / x->view.itemsize,
              up = y->view.strides[0] / y->view.itemsize;
    accord_error error;
    enum accord_status status;
    double result = 0;
    float single = 0;
    Py_BEGIN_ALLOW_THREADS;
    if (x->format == ACCORD_F64) {
        status =
            accord_dot_exact_f64(n, x->view.buf, down, y->view.buf, up, options, &result, &error);
    } else {
        status =
            accord_dot_exact_f32(n, x->view.buf, down, y->view.buf, up, options, &single, &error);
        result = (double)single;
    }
    Py_END_ALLOW_THREADS;
    return status ? native_raise(state, &error) : PyFloat_FromDouble(result);
}

PyObject *native_exact_dot(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *first, *second, *made = NULL;
    int rounding, threads;
    native_array x, y;
    accord_exact_options options;
    if (!PyArg_ParseTuple(args, "OOii", &first, &second, &rounding, &threads) ||
        !native_array_get(state, first, NULL, &x))
        return NULL;
    accord_exact_options_init(&options);
    options.rounding = (enum accord_exact_rounding)rounding;
    options.threads = threads ? threads : ACCORD_EXACT_EACH_PROCESSOR;
    if (native_array_get(state, second, NULL, &y)) {
        made = dot(state, &x, &y, &options);
        PyBuffer_Release(&y.view);
    }
    PyBuffer_Release(&x.view);
    return made;
}

/* ---- fsum ---- */

/* Adds a part of an integer, which is no term of its own. */
static void add_part(accord_exact *sum, double part)
{
    if (part == 0)
        return;
    accord_exact_add_f64(sum, part);
    sum->count[ACCORD_EXACT_TERMS]--;
}

/* An integer of any size, 2^62 at a time from below; false with an exception set. */
static bool add_integer(accord_exact *sum, PyObject *integer)
{
    enum { BITS = 62 };
    PyObject *rest = PyNumber_Absolute(integer), *bits = PyLong_FromLong(BITS);
    PyObject *mask = PyLong_FromLongLong((1LL << BITS) - 1), *zero = PyLong_FromLong(0);
    int negative = zero ? PyObject_RichCompareBool(integer, zero, Py_LT) : -1;
    bool fine = rest && bits && mask && negative >= 0, any = false;
    for (int k = 0; fine && PyObject_IsTrue(rest) == 1; k++) {
        PyObject *low = PyNumber_And(rest, mask), *high = PyNumber_Rshift(rest, bits);
        long long piece = low && high ? PyLong_AsLongLong(low) : 0;
        double upper = ldexp((double)(piece >> 31), BITS * k + 31);
        double lower = ldexp((double)(piece & 0x7FFFFFFF), BITS * k);
        fine = low && high && !isinf(upper) && !isinf(lower);
        if (low && high && !fine)
            PyErr_SetString(PyExc_OverflowError, "int too large to convert to float");
        add_part(sum, negative ? -upper : upper);
        add_part(sum, negative ? -lower : lower);
        any = true;
        Py_XDECREF(low);
        Py_DECREF(rest);
        rest = high;
    }
    if (any)
        sum->count[ACCORD_EXACT_TERMS]++;
    else
        accord_exact_add_f64(sum, 0);
    Py_XDECREF(rest);
    Py_XDECREF(bits);
    Py_XDECREF(mask);
    Py_XDECREF(zero);
    return fine && !PyErr_Occurred();
}

/* What a float holds exactly, such as numpy.float32; false with an exception set. */
static bool add_other(accord_exact *sum, PyObject *item)
{
    double wide = PyFloat_AsDouble(item);
    if (wide == -1 && PyErr_Occurred())
        return false;
    PyObject *number = PyFloat_FromDouble(wide);
    int equal = number ? PyObject_RichCompareBool(number, item, Py_EQ) : -1;
    Py_XDECREF(number);
    if (equal == 0 && !isnan(wide)) {
        PyErr_Format(PyExc_TypeError,
                     "%R is not exactly a float, so its sum would not be exact: use accord.sum for "
                     "Fraction and Decimal",
                     item);
        return false;
    }
    accord_exact_add_f64(sum, wide);
    return equal >= 0;
}

/* Anything but a float. Tensors of floats have __index__ too, which then refuses. */
static bool add_item(accord_exact *sum, PyObject *item)
{
    PyObject *integer = PyIndex_Check(item) ? PyNumber_Index(item) : NULL;
    if (!integer && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError))
            return false;
        PyErr_Clear();
    }
    bool added = integer ? add_integer(sum, integer) : add_other(sum, item);
    Py_XDECREF(integer);
    return added;
}

bool native_exact_items(accord_exact *sum, PyObject *iterable)
{
    enum { CHUNK = 256 };
    double chunk[CHUNK];
    size_t held = 0;
    PyObject *items = PyObject_GetIter(iterable), *item;
    if (!items)
        return false;
    while ((item = PyIter_Next(items))) {
        bool added = true;
        if (PyFloat_Check(item))
            chunk[held++] = PyFloat_AsDouble(item);
        else
            added = add_item(sum, item);
        Py_DECREF(item);
        if (!added)
            break;
        if (held == CHUNK) {
            accord_exact_add_array_f64(sum, held, chunk, 1);
            held = 0;
        }
    }
    Py_DECREF(items);
    if (PyErr_Occurred())
        return false;
    accord_exact_add_array_f64(sum, held, chunk, 1);
    return true;
}

/* What math.fsum says of sums that are no number. */
static PyObject *finish(const accord_exact *sum)
{
    double result = accord_exact_f64(sum, ACCORD_EXACT_NEAREST_EVEN);
    bool infinite = sum->count[ACCORD_EXACT_PLUS_INFINITIES] > 0 ||
                    sum->count[ACCORD_EXACT_MINUS_INFINITIES] > 0;
    if (isnan(result) && infinite && sum->count[ACCORD_EXACT_NANS] == 0)
        PyErr_SetString(PyExc_ValueError, "-inf + inf in fsum");
    else if (isinf(result) && !infinite)
        PyErr_SetString(PyExc_OverflowError, "the sum is too large for a float");
    else
        return PyFloat_FromDouble(result == 0 ? 0 : result);
    return NULL;
}

PyObject *native_fsum(PyObject *module, PyObject *iterable)
{
    accord_exact sum;
    (void)module;
    accord_exact_init(&sum);
    return native_exact_items(&sum, iterable) ? finish(&sum) : NULL;
}
