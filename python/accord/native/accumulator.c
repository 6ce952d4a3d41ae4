/* Accumulators of Python: each is the struct of the library in the memory of a bytearray, which
 * only accord._accumulator holds. Numbers are added to a struct of their own without the
 * interpreter, and that is merged with it held, so that threads of Python can share an accumulator.
 */
#include "native/exact.h"
#include "native/native.h"

typedef struct total {
    accord_exact *narrow; /* one of them is not NULL */
    accord_exact_wide *wide;
} total;

static bool get_total(const native_state *state, PyObject *object, total *out)
{
    *out = (total){NULL, NULL};
    Py_ssize_t size = PyByteArray_Check(object) ? PyByteArray_Size(object) : 0;
    if (size == sizeof *out->narrow)
        out->narrow = (accord_exact *)(void *)PyByteArray_AsString(object);
    else if (size == sizeof *out->wide)
        out->wide = (accord_exact_wide *)(void *)PyByteArray_AsString(object);
    else
        return native_wrong(state, "this is no accumulator") != NULL;
    return true;
}

static PyObject *new_total(bool wide)
{
    PyObject *made = PyByteArray_FromStringAndSize(
        NULL, wide ? (Py_ssize_t)sizeof(accord_exact_wide) : (Py_ssize_t)sizeof(accord_exact));
    if (made)
        memset(PyByteArray_AsString(made), 0, (size_t)PyByteArray_Size(made));
    return made;
}

PyObject *native_exact_new(PyObject *module, PyObject *wide)
{
    (void)module;
    return new_total(PyObject_IsTrue(wide) == 1);
}

static enum accord_status merge_narrow(total to, const accord_exact *from, bool negate,
                                       accord_error *error)
{
    if (to.wide)
        return negate ? accord_exact_wide_subtract_narrow(to.wide, from, error)
                      : accord_exact_wide_add_narrow(to.wide, from, error);
    return negate ? accord_exact_subtract(to.narrow, from, error)
                  : accord_exact_add(to.narrow, from, error);
}

static enum accord_status merge_wide(total to, const accord_exact_wide *from, bool negate,
                                     accord_error *error)
{
    return negate ? accord_exact_wide_subtract(to.wide, from, error)
                  : accord_exact_wide_add(to.wide, from, error);
}

static PyObject *none_or(const native_state *state, enum accord_status status,
                         const accord_error *error)
{
    if (status)
        return native_raise(state, error);
    Py_RETURN_NONE;
}

PyObject *native_exact_feed(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *object, *numbers;
    const char *format;
    int negate;
    total to;
    native_array in;
    accord_error error;
    accord_exact sum;
    if (!PyArg_ParseTuple(args, "OOzp", &object, &numbers, &format, &negate) ||
        !get_total(state, object, &to) || !native_array_get(state, numbers, format, &in))
        return NULL;
    accord_exact_init(&sum);
    Py_BEGIN_ALLOW_THREADS;
    native_array_add_all(&sum, &in);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&in.view);
    return none_or(state, merge_narrow(to, &sum, negate, &error), &error);
}

PyObject *native_exact_feed_items(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *object, *items;
    int negate;
    total to;
    accord_error error;
    accord_exact sum;
    accord_exact_init(&sum);
    if (!PyArg_ParseTuple(args, "OOp", &object, &items, &negate) ||
        !get_total(state, object, &to) || !native_exact_items(&sum, items))
        return NULL;
    return none_or(state, merge_narrow(to, &sum, negate, &error), &error);
}

/* exact_feed_term(a, floats, negate): one term, which is the sum of these. None of them is 0. */
PyObject *native_exact_feed_term(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *object, *items;
    int negate;
    total to;
    accord_error error;
    accord_exact sum;
    accord_exact_init(&sum);
    if (!PyArg_ParseTuple(args, "OOp", &object, &items, &negate) ||
        !get_total(state, object, &to) || !native_exact_items(&sum, items))
        return NULL;
    sum.count[ACCORD_EXACT_TERMS] = sum.count[ACCORD_EXACT_TERMS] > 0;
    return none_or(state, merge_narrow(to, &sum, negate, &error), &error);
}

static bool is_row(const native_array *a)
{
    return a->view.ndim == 1 && !a->converted && a->format == ACCORD_F64 &&
           a->view.strides[0] % a->view.itemsize == 0;
}

PyObject *native_exact_feed_products(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *object, *first, *second;
    int negate;
    total to;
    native_array x, y;
    accord_error error;
    accord_exact_wide sum;
    if (!PyArg_ParseTuple(args, "OOOp", &object, &first, &second, &negate) ||
        !get_total(state, object, &to) || !native_array_get(state, first, NULL, &x))
        return NULL;
    if (!native_array_get(state, second, NULL, &y)) {
        PyBuffer_Release(&x.view);
        return NULL;
    }
    bool fit = to.wide && is_row(&x) && is_row(&y) && x.view.shape[0] == y.view.shape[0];
    if (fit) {
        accord_exact_wide_init(&sum);
        Py_BEGIN_ALLOW_THREADS;
        accord_exact_wide_add_products_f64(&sum, (size_t)x.view.shape[0], x.view.buf,
                                           x.view.strides[0] / 8, y.view.buf,
                                           y.view.strides[0] / 8);
        Py_END_ALLOW_THREADS;
    }
    PyBuffer_Release(&x.view);
    PyBuffer_Release(&y.view);
    if (!fit)
        return native_wrong(state, "products take two vectors of float64 of the same length");
    return none_or(state, merge_wide(to, &sum, negate, &error), &error);
}

PyObject *native_exact_merge(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *object, *other;
    int negate;
    total to, from;
    accord_error error;
    if (!PyArg_ParseTuple(args, "OOp", &object, &other, &negate) ||
        !get_total(state, object, &to) || !get_total(state, other, &from))
        return NULL;
    if (from.wide && !to.wide)
        return native_wrong(state, "a sum of products does not fit a sum of numbers");
    return none_or(state,
                   from.wide ? merge_wide(to, from.wide, negate, &error)
                             : merge_narrow(to, from.narrow, negate, &error),
                   &error);
}

/* ---- numbers ---- */

static double round_wide(const accord_exact_wide *sum, enum accord_format format,
                         enum accord_exact_rounding rounding)
{
    switch (format) {
    case ACCORD_F64:
        return accord_exact_wide_f64(sum, rounding);
    case ACCORD_F32:
        return (double)accord_exact_wide_f32(sum, rounding);
    case ACCORD_F16:
        return accord_format_decode(ACCORD_F16, accord_exact_wide_f16(sum, rounding));
    default:
        return accord_format_decode(ACCORD_BF16, accord_exact_wide_bf16(sum, rounding));
    }
}

PyObject *native_exact_value(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *object;
    const char *name;
    int rounding;
    total of;
    enum accord_format format = ACCORD_F64;
    if (!PyArg_ParseTuple(args, "Ozi", &object, &name, &rounding) ||
        !get_total(state, object, &of) || !native_exact_output(state, name, &format))
        return NULL;
    enum accord_exact_rounding how = (enum accord_exact_rounding)rounding;
    return PyFloat_FromDouble(of.wide ? round_wide(of.wide, format, how)
                                      : native_exact_round(of.narrow, format, how));
}

#define EITHER(name_, of_, ...)                                                                    \
    ((of_).wide ? (single ? (double)accord_exact_wide_##name_##_f32((of_).wide, __VA_ARGS__)       \
                          : accord_exact_wide_##name_##_f64((of_).wide, __VA_ARGS__))              \
                : (single ? (double)accord_exact_##name_##_f32((of_).narrow, __VA_ARGS__)          \
                          : accord_exact_##name_##_f64((of_).narrow, __VA_ARGS__)))

/* exact_finish(name, single, rounding, total, number) */
PyObject *native_exact_finish(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *object;
    const char *name;
    int single, rounding;
    double alpha, out;
    total of;
    if (!PyArg_ParseTuple(args, "spiOd", &name, &single, &rounding, &object, &alpha) ||
        !get_total(state, object, &of))
        return NULL;
    enum accord_exact_rounding how = (enum accord_exact_rounding)rounding;
    if (strcmp(name, "mean") == 0)
        out = EITHER(mean, of, how);
    else if (strcmp(name, "norm") == 0)
        out = EITHER(norm, of, how);
    else if (strcmp(name, "rms") == 0)
        out = EITHER(rms, of, how);
    else if (strcmp(name, "scaled") == 0 && single)
        out = of.wide ? (double)accord_exact_wide_scaled_f32(of.wide, (float)alpha, how)
                      : (double)accord_exact_scaled_f32(of.narrow, (float)alpha, how);
    else if (strcmp(name, "scaled") == 0)
        out = of.wide ? accord_exact_wide_scaled_f64(of.wide, alpha, how)
                      : accord_exact_scaled_f64(of.narrow, alpha, how);
    else
        return native_wrong(state, "there is no way to finish named %.40s", name);
    return PyFloat_FromDouble(out);
}

static bool both_wide(total *a, total *b, accord_exact_wide room[2])
{
    total *each[2] = {a, b};
    if (!a->wide && !b->wide)
        return false;
    for (int i = 0; i < 2; i++)
        if (!each[i]->wide) {
            accord_exact_wide_init(room + i);
            accord_exact_wide_add_narrow(room + i, each[i]->narrow, NULL);
            each[i]->wide = room + i;
        }
    return true;
}

/* exact_finish_two(name, single, rounding, a, b): quotient, difference, compare */
PyObject *native_exact_finish_two(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *first, *second;
    const char *name;
    int single, rounding;
    total a, b;
    accord_exact_wide room[2];
    if (!PyArg_ParseTuple(args, "spiOO", &name, &single, &rounding, &first, &second) ||
        !get_total(state, first, &a) || !get_total(state, second, &b))
        return NULL;
    enum accord_exact_rounding how = (enum accord_exact_rounding)rounding;
    bool wide = both_wide(&a, &b, room);
    if (strcmp(name, "compare") == 0)
        return PyLong_FromLong(wide ? accord_exact_wide_compare(a.wide, b.wide)
                                    : accord_exact_compare(a.narrow, b.narrow));
    if (strcmp(name, "quotient") == 0)
        return PyFloat_FromDouble(
            wide ? (single ? (double)accord_exact_wide_quotient_f32(a.wide, b.wide, how)
                           : accord_exact_wide_quotient_f64(a.wide, b.wide, how))
                 : (single ? (double)accord_exact_quotient_f32(a.narrow, b.narrow, how)
                           : accord_exact_quotient_f64(a.narrow, b.narrow, how)));
    return PyFloat_FromDouble(
        wide ? (single ? (double)accord_exact_wide_difference_f32(a.wide, b.wide, how)
                       : accord_exact_wide_difference_f64(a.wide, b.wide, how))
             : (single ? (double)accord_exact_difference_f32(a.narrow, b.narrow, how)
                       : accord_exact_difference_f64(a.narrow, b.narrow, how)));
}

/* exact_covariance(root, single, rounding, x, y, products, less) */
PyObject *native_exact_covariance(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *first, *second, *third;
    int root, single, rounding;
    long long less;
    total x, y, p;
    accord_error error;
    enum accord_status status;
    double out = 0;
    float narrow = 0;
    if (!PyArg_ParseTuple(args, "ppiOOOL", &root, &single, &rounding, &first, &second, &third,
                          &less) ||
        !get_total(state, first, &x) || !get_total(state, second, &y) ||
        !get_total(state, third, &p))
        return NULL;
    if (!x.narrow || !y.narrow || !p.wide)
        return native_wrong(state, "a covariance takes two sums of numbers and one of products");
    enum accord_exact_rounding how = (enum accord_exact_rounding)rounding;
    if (root)
        status = single ? accord_exact_deviation_f32(x.narrow, p.wide, less, how, &narrow, &error)
                        : accord_exact_deviation_f64(x.narrow, p.wide, less, how, &out, &error);
    else
        status = single ? accord_exact_covariance_f32(x.narrow, y.narrow, p.wide, less, how,
                                                      &narrow, &error)
                        : accord_exact_covariance_f64(x.narrow, y.narrow, p.wide, less, how, &out,
                                                      &error);
    if (status)
        return native_raise(state, &error);
    return PyFloat_FromDouble(single ? (double)narrow : out);
}

/* ---- other forms ---- */

PyObject *native_exact_expansion(PyObject *module, PyObject *object)
{
    const native_state *state = PyModule_GetState(module);
    total of;
    accord_error error;
    double term[ACCORD_EXACT_EXPANSION_TERMS];
    size_t count;
    if (!get_total(state, object, &of))
        return NULL;
    if (of.wide ? accord_exact_wide_expansion(of.wide, term, &count, &error)
                : accord_exact_expansion(of.narrow, term, &count, &error))
        return native_raise(state, &error);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *item = PyFloat_FromDouble(term[i]);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

PyObject *native_exact_decimal(PyObject *module, PyObject *object)
{
    total of;
    char text[ACCORD_EXACT_WIDE_DECIMAL_BYTES];
    if (!get_total(PyModule_GetState(module), object, &of))
        return NULL;
    size_t length = of.wide ? accord_exact_wide_decimal(of.wide, text, sizeof text)
                            : accord_exact_decimal(of.narrow, text, sizeof text);
    return PyUnicode_FromStringAndSize(text, (Py_ssize_t)length);
}

PyObject *native_exact_counts(PyObject *module, PyObject *object)
{
    total of;
    if (!get_total(PyModule_GetState(module), object, &of))
        return NULL;
    const int64_t *n = of.wide ? of.wide->count : of.narrow->count;
    return Py_BuildValue("(LLLLLL)", (long long)n[0], (long long)n[1], (long long)n[2],
                         (long long)n[3], (long long)n[4], (long long)n[5]);
}

PyObject *native_exact_save(PyObject *module, PyObject *object)
{
    total of;
    unsigned char bytes[ACCORD_EXACT_WIDE_BYTES];
    if (!get_total(PyModule_GetState(module), object, &of))
        return NULL;
    if (of.wide)
        accord_exact_wide_save(of.wide, bytes);
    else
        accord_exact_save(of.narrow, bytes);
    return PyBytes_FromStringAndSize((const char *)bytes,
                                     of.wide ? ACCORD_EXACT_WIDE_BYTES : ACCORD_EXACT_BYTES);
}

/* exact_load(bytes, wide) -> accumulator */
PyObject *native_exact_load(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    const char *bytes;
    Py_ssize_t length;
    int wide;
    total to;
    accord_error error;
    if (!PyArg_ParseTuple(args, "y#p", &bytes, &length, &wide))
        return NULL;
    PyObject *made = new_total(wide);
    if (!made || !get_total(state, made, &to))
        return made;
    if (wide ? accord_exact_wide_load(to.wide, bytes, (size_t)length, &error)
             : accord_exact_load(to.narrow, bytes, (size_t)length, &error)) {
        Py_DECREF(made);
        return native_raise(state, &error);
    }
    return made;
}
