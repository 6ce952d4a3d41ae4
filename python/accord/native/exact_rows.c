/* Many exact results at once: the rows of an array with two dimensions, products of rows, running
 * sums, sums by key. Results are doubles, which hold them exactly whatever their format, or
 * written to an array of the format. */
#include "native/exact.h"
#include "native/native.h"
#include <math.h>

/* The rows of an array with two dimensions. */
typedef struct rows {
    native_array in;
    size_t count, length;
    ptrdiff_t down, across; /* in numbers */
} rows;

static bool get_rows(const native_state *state, PyObject *object, const char *format, rows *out)
{
    if (!native_array_get(state, object, format, &out->in))
        return false;
    const Py_buffer *v = &out->in.view;
    if (v->ndim == 2 && v->strides[0] % v->itemsize == 0 && v->strides[1] % v->itemsize == 0) {
        out->count = (size_t)v->shape[0];
        out->length = (size_t)v->shape[1];
        out->down = v->strides[0] / v->itemsize;
        out->across = v->strides[1] / v->itemsize;
        return true;
    }
    PyBuffer_Release(&out->in.view);
    return native_wrong(state, "rows take an array with two dimensions") != NULL;
}

static const char *row_at(const rows *r, size_t i)
{
    return (const char *)r->in.view.buf + (ptrdiff_t)i * r->in.view.strides[0];
}

static void add_row(accord_exact *sum, const rows *r, size_t i)
{
    const void *x = row_at(r, i);
    if (r->in.converted) {
        native_array_add(sum, &r->in, x, r->length, r->in.view.strides[1]);
        return;
    }
    switch (r->in.format) {
    case ACCORD_F64:
        accord_exact_add_array_f64(sum, r->length, x, r->across);
        break;
    case ACCORD_F32:
        accord_exact_add_array_f32(sum, r->length, x, r->across);
        break;
    case ACCORD_F16:
        accord_exact_add_array_f16(sum, r->length, x, r->across);
        break;
    default:
        accord_exact_add_array_bf16(sum, r->length, x, r->across);
    }
}

static void add_dot(accord_exact_wide *sum, const rows *a, const rows *b, size_t i)
{
    accord_exact narrow = {0};
    const void *x = row_at(a, i), *y = row_at(b, i);
    size_t n = a->length;
    switch (a->in.format) {
    case ACCORD_F64:
        accord_exact_wide_add_products_f64(sum, n, x, a->across, y, b->across);
        return;
    case ACCORD_F32:
        accord_exact_add_products_f32(&narrow, n, x, a->across, y, b->across);
        break;
    case ACCORD_F16:
        accord_exact_add_products_f16(&narrow, n, x, a->across, y, b->across);
        break;
    default:
        accord_exact_add_products_bf16(&narrow, n, x, a->across, y, b->across);
    }
    accord_exact_wide_add_narrow(sum, &narrow, NULL);
}

/* ---- what becomes of a row ---- */

typedef struct question {
    native_rounding to;
    int64_t less; /* of a variance */
} question;

static double row_sum(const rows *r, size_t i, const question *q)
{
    accord_exact sum = {0};
    add_row(&sum, r, i);
    return native_total_value((native_total){.narrow = &sum}, q->to);
}

static double row_mean(const rows *r, size_t i, const question *q)
{
    accord_exact sum = {0};
    add_row(&sum, r, i);
    return native_total_mean((native_total){.narrow = &sum}, q->to);
}

static double row_norm(const rows *r, size_t i, const question *q)
{
    accord_exact_wide squares = {0};
    add_dot(&squares, r, r, i);
    return native_total_norm((native_total){.wide = &squares}, q->to);
}

static double row_rms(const rows *r, size_t i, const question *q)
{
    accord_exact_wide squares = {0};
    add_dot(&squares, r, r, i);
    return native_total_rms((native_total){.wide = &squares}, q->to);
}

static double spread(const rows *r, size_t i, const question *q, bool root)
{
    accord_exact sum = {0};
    accord_exact_wide squares = {0};
    double out = 0;
    add_row(&sum, r, i);
    add_dot(&squares, r, r, i);
    native_total_spread(root, &sum, &sum, &squares, q->less, q->to, &out, NULL);
    return out;
}

static double row_var(const rows *r, size_t i, const question *q)
{
    return spread(r, i, q, false);
}

static double row_std(const rows *r, size_t i, const question *q)
{
    return spread(r, i, q, true);
}

static const struct {
    const char *name;
    double (*of_row)(const rows *r, size_t i, const question *q);
    bool squares;
} ways[] = {
    {"sum", row_sum, false}, {"mean", row_mean, false}, {"norm", row_norm, true},
    {"rms", row_rms, true},  {"var", row_var, true},    {"std", row_std, true},
};

static PyObject *new_doubles(size_t count)
{
    return PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(double)));
}

static double *doubles_in(PyObject *bytes)
{
    return (double *)(void *)PyByteArray_AsString(bytes);
}

/* Rows of f64 to sums in f64 have a routine that reads columns in the order of memory. */
static bool at_once(const rows *r, size_t way, const question *q, int threads, double *out)
{
    accord_exact_options options;
    accord_exact_options_init(&options);
    options.rounding = q->to.how;
    options.threads = threads ? threads : ACCORD_EXACT_EACH_PROCESSOR;
    return ways[way].of_row == row_sum && !r->in.converted && r->in.format == ACCORD_F64 &&
           q->to.format == ACCORD_F64 && r->count && r->length &&
           accord_many_sums_exact_f64(r->count, r->down, r->length, r->in.view.buf, r->across,
                                      &options, out, NULL) == ACCORD_OK;
}

/* exact_rows(name, x, format, output, rounding, threads, less) -> bytearray of doubles */
PyObject *native_exact_rows(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *object, *made = NULL;
    const char *name, *format, *output;
    int rounding, threads;
    long long less;
    rows r;
    if (!PyArg_ParseTuple(args, "sOzziiL", &name, &object, &format, &output, &rounding, &threads,
                          &less) ||
        !get_rows(state, object, format, &r))
        return NULL;
    question q = {{r.in.format, (enum accord_exact_rounding)rounding}, less};
    size_t way = 0, all = sizeof ways / sizeof *ways;
    while (way < all && strcmp(ways[way].name, name) != 0)
        way++;
    if (way == all || (ways[way].squares && r.in.converted))
        native_wrong(state, "rows of this kind have no %.40s", name);
    else if (native_exact_output(state, output, &q.to.format))
        made = new_doubles(r.count);
    if (made) {
        double *out = doubles_in(made);
        Py_BEGIN_ALLOW_THREADS;
        if (!at_once(&r, way, &q, threads, out))
            for (size_t i = 0; i < r.count; i++)
                out[i] = ways[way].of_row(&r, i, &q);
        Py_END_ALLOW_THREADS;
    }
    PyBuffer_Release(&r.in.view);
    return made;
}

/* exact_row_dots(x, y, format, output, rounding) -> bytearray of doubles */
PyObject *native_exact_row_dots(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *first, *second, *made = NULL;
    const char *format, *output;
    int rounding;
    rows x, y;
    if (!PyArg_ParseTuple(args, "OOzzi", &first, &second, &format, &output, &rounding) ||
        !get_rows(state, first, format, &x))
        return NULL;
    if (!get_rows(state, second, format, &y)) {
        PyBuffer_Release(&x.in.view);
        return NULL;
    }
    native_rounding to = {x.in.format, (enum accord_exact_rounding)rounding};
    if (x.in.format != y.in.format || x.in.converted || y.in.converted || x.count != y.count ||
        x.length != y.length)
        native_wrong(state, "products of rows take two arrays of one shape and format");
    else if (native_exact_output(state, output, &to.format))
        made = new_doubles(x.count);
    if (made) {
        double *out = doubles_in(made);
        Py_BEGIN_ALLOW_THREADS;
        for (size_t i = 0; i < x.count; i++) {
            accord_exact_wide sum = {0};
            add_dot(&sum, &x, &y, i);
            out[i] = native_total_value((native_total){.wide = &sum}, to);
        }
        Py_END_ALLOW_THREADS;
    }
    PyBuffer_Release(&x.in.view);
    PyBuffer_Release(&y.in.view);
    return made;
}

/* exact_complex_dot(x, y, conjugate, rounding): rows of pairs of f64 */
PyObject *native_exact_complex_dot(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *first, *second;
    int conjugate, rounding;
    rows x, y;
    double out[2] = {0, 0};
    accord_exact_options options;
    if (!PyArg_ParseTuple(args, "OOpi", &first, &second, &conjugate, &rounding) ||
        !get_rows(state, first, NULL, &x))
        return NULL;
    if (!get_rows(state, second, NULL, &y)) {
        PyBuffer_Release(&x.in.view);
        return NULL;
    }
    accord_exact_options_init(&options);
    options.rounding = (enum accord_exact_rounding)rounding;
    bool fit = x.count == y.count && x.length == 2 && y.length == 2 && !x.in.converted &&
               !y.in.converted && x.in.format == ACCORD_F64 && y.in.format == ACCORD_F64 &&
               (x.count < 1 || (x.across == 1 && y.across == 1)) && x.down % 2 == 0 &&
               y.down % 2 == 0;
    enum accord_status status = ACCORD_OK;
    accord_error error;
    if (fit) {
        Py_BEGIN_ALLOW_THREADS;
        status = accord_dot_exact_complex_f64(conjugate, x.count, x.in.view.buf, x.down / 2,
                                              y.in.view.buf, y.down / 2, &options, out, &error);
        Py_END_ALLOW_THREADS;
    }
    PyBuffer_Release(&x.in.view);
    PyBuffer_Release(&y.in.view);
    if (!fit)
        return native_wrong(state, "a complex product takes two vectors of complex numbers");
    return status ? native_raise(state, &error) : PyComplex_FromDoubles(out[0], out[1]);
}

/* ---- into arrays of the caller ---- */

static bool get_writable(PyObject *object, const native_array *like, Py_ssize_t count,
                         Py_buffer *out)
{
    if (PyObject_GetBuffer(object, out, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) < 0)
        return false;
    if (out->len == count * like->view.itemsize)
        return true;
    PyBuffer_Release(out);
    PyErr_SetString(PyExc_ValueError, "the result has another length");
    return false;
}

static bool is_line(const native_array *in)
{
    return in->view.ndim == 1 && !in->converted &&
           (in->format == ACCORD_F64 || in->format == ACCORD_F32) &&
           in->view.strides[0] % in->view.itemsize == 0;
}

/* exact_cumsum(x, out, rounding, threads); exact_groups(x, keys, groups, out, rounding, threads) */
static PyObject *fill(const native_state *state, PyObject *numbers, PyObject *results,
                      PyObject *keys, Py_ssize_t groups, int rounding, int threads)
{
    native_array in;
    Py_buffer out, key = {0};
    accord_exact_options o;
    accord_error error;
    enum accord_status status;
    if (!native_array_get(state, numbers, NULL, &in))
        return NULL;
    if (!is_line(&in)) {
        PyBuffer_Release(&in.view);
        return native_wrong(state, "this takes a vector of float64 or float32");
    }
    Py_ssize_t n = in.view.shape[0];
    if (!get_writable(results, &in, keys ? groups : n, &out)) {
        PyBuffer_Release(&in.view);
        return NULL;
    }
    if (keys && (PyObject_GetBuffer(keys, &key, PyBUF_C_CONTIGUOUS) < 0 ||
                 key.len != n * (Py_ssize_t)sizeof(size_t))) {
        if (key.obj)
            PyBuffer_Release(&key);
        PyBuffer_Release(&in.view);
        PyBuffer_Release(&out);
        return PyErr_Occurred() ? NULL : native_wrong(state, "there must be a key for each number");
    }
    accord_exact_options_init(&o);
    o.rounding = (enum accord_exact_rounding)rounding;
    o.threads = threads ? threads : ACCORD_EXACT_EACH_PROCESSOR;
    ptrdiff_t stride = in.view.strides[0] / in.view.itemsize;
    const void *x = in.view.buf;
    Py_BEGIN_ALLOW_THREADS;
    if (keys && in.format == ACCORD_F64)
        status = accord_group_sum_exact_f64((size_t)n, x, stride, key.buf, (size_t)groups, &o,
                                            out.buf, &error);
    else if (keys)
        status = accord_group_sum_exact_f32((size_t)n, x, stride, key.buf, (size_t)groups, &o,
                                            out.buf, &error);
    else if (in.format == ACCORD_F64)
        status = accord_cumsum_exact_f64((size_t)n, x, stride, &o, out.buf, 1, &error);
    else
        status = accord_cumsum_exact_f32((size_t)n, x, stride, &o, out.buf, 1, &error);
    Py_END_ALLOW_THREADS;
    if (keys)
        PyBuffer_Release(&key);
    PyBuffer_Release(&in.view);
    PyBuffer_Release(&out);
    if (status)
        return native_raise(state, &error);
    Py_RETURN_NONE;
}

PyObject *native_exact_cumsum(PyObject *module, PyObject *args)
{
    PyObject *numbers, *results;
    int rounding, threads;
    if (!PyArg_ParseTuple(args, "OOii", &numbers, &results, &rounding, &threads))
        return NULL;
    return fill(PyModule_GetState(module), numbers, results, NULL, 0, rounding, threads);
}

/* The number between two neighbors that rounds, in any direction and to any format of at most 51
 * bits, as each number between them does: that with an odd last bit (rounding to odd). */
static double between(double low, double high, enum accord_rounding rounding)
{
    uint64_t bits;
    if (low == 0 && high == 0) /* both are exact, and differ in sign */
        return rounding == ACCORD_DOWN ? low : high;
    memcpy(&bits, &low, sizeof bits);
    return low == high || isnan(low) || bits % 2 == 1 ? low : high;
}

PyObject *native_exact_narrow(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *lows, *highs;
    Py_buffer low, high;
    const char *name;
    int rounding;
    enum accord_format format;
    if (!PyArg_ParseTuple(args, "OOsi", &lows, &highs, &name, &rounding))
        return NULL;
    if (!accord_format_by_name(name, &format) || rounding < 0 || rounding >= ACCORD_ROUNDING_COUNT)
        return native_wrong(state, "there is no such format or rounding");
    if (PyObject_GetBuffer(lows, &low, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) < 0)
        return NULL;
    if (PyObject_GetBuffer(highs, &high, PyBUF_C_CONTIGUOUS) < 0) {
        PyBuffer_Release(&low);
        return NULL;
    }
    bool fits = low.len == high.len && low.itemsize == sizeof(double);
    const double *upper = high.buf;
    double *out = low.buf;
    for (Py_ssize_t i = 0; fits && i < low.len / (Py_ssize_t)sizeof(double); i++)
        out[i] = accord_format_round(format, (enum accord_rounding)rounding,
                                     between(out[i], upper[i], (enum accord_rounding)rounding));
    PyBuffer_Release(&low);
    PyBuffer_Release(&high);
    if (!fits)
        return native_wrong(state, "this takes two vectors of float64 of one length");
    Py_RETURN_NONE;
}

PyObject *native_exact_groups(PyObject *module, PyObject *args)
{
    PyObject *numbers, *keys, *results;
    Py_ssize_t groups;
    int rounding, threads;
    if (!PyArg_ParseTuple(args, "OOnOii", &numbers, &keys, &groups, &results, &rounding, &threads))
        return NULL;
    return fill(PyModule_GetState(module), numbers, results, keys, groups, rounding, threads);
}
