/* Accumulators of Python: each is the struct of the library in the memory of a bytearray, which
 * only accord._accumulator holds. Numbers are added to a struct of their own without the
 * interpreter, and that is merged with it held, so that threads of Python can share an accumulator.
 */
#include "native/exact.h"
#include "native/native.h"

static bool get_total(const native_state *state, PyObject *object, native_total *out)
{
    *out = (native_total){NULL, NULL};
    Py_ssize_t size = PyByteArray_Check(object) ? PyByteArray_Size(object) : 0;
    if (size == sizeof *out->narrow)
        out->narrow = (accord_exact *)(void *)PyByteArray_AsString(object);
    else if (size == sizeof *out->wide)
        out->wide = (accord_exact_wide *)(void *)PyByteArray_AsString(object);
    else
        return native_wrong(state, "this is not an accumulator") != NULL;
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

static enum accord_status merge_narrow(native_total to, const accord_exact *from, bool negate,
                                       accord_error *error)
{
    if (to.wide)
        return negate ? accord_exact_wide_subtract_narrow(to.wide, from, error)
                      : accord_exact_wide_add_narrow(to.wide, from, error);
    return negate ? accord_exact_subtract(to.narrow, from, error)
                  : accord_exact_add(to.narrow, from, error);
}

static enum accord_status merge_wide(native_total to, const accord_exact_wide *from, bool negate,
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
    native_total to;
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
    native_total to;
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
    native_total to;
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
    native_total to;
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

/* exact_merge(a, other, negate, count): not `count`: the terms of the other are parts of terms that
 * were counted already; none of them is 0. */
PyObject *native_exact_merge(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *object, *other;
    int negate, count = 1;
    native_total to, from;
    accord_error error;
    if (!PyArg_ParseTuple(args, "OOp|p", &object, &other, &negate, &count) ||
        !get_total(state, object, &to) || !get_total(state, other, &from))
        return NULL;
    if (from.wide && !to.wide)
        return native_wrong(state, "a sum of products does not fit a sum of numbers");
    if (from.wide) {
        accord_exact_wide sum = *from.wide;
        sum.count[ACCORD_EXACT_TERMS] = count ? sum.count[ACCORD_EXACT_TERMS] : 0;
        return none_or(state, merge_wide(to, &sum, negate, &error), &error);
    }
    accord_exact sum = *from.narrow;
    sum.count[ACCORD_EXACT_TERMS] = count ? sum.count[ACCORD_EXACT_TERMS] : 0;
    return none_or(state, merge_narrow(to, &sum, negate, &error), &error);
}

/* ---- numbers ---- */

/* Reads the name of a format and a rounding. */
static bool get_rounding(const native_state *state, const char *format, int rounding,
                         native_rounding *out)
{
    *out = (native_rounding){ACCORD_F64, (enum accord_exact_rounding)rounding};
    return native_exact_output(state, format, &out->format);
}

/* exact_finish(name, output, rounding, total) */
PyObject *native_exact_finish(PyObject *module, PyObject *args)
{
    static const struct {
        const char *name;
        double (*finish)(native_total of, native_rounding to);
    } ways[] = {
        {"value", native_total_value},
        {"mean", native_total_mean},
        {"norm", native_total_norm},
        {"rms", native_total_rms},
    };
    const native_state *state = PyModule_GetState(module);
    PyObject *object;
    const char *name, *format;
    int rounding;
    native_total of;
    native_rounding to;
    if (!PyArg_ParseTuple(args, "sziO", &name, &format, &rounding, &object) ||
        !get_total(state, object, &of) || !get_rounding(state, format, rounding, &to))
        return NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, name) == 0)
            return PyFloat_FromDouble(ways[i].finish(of, to));
    return native_wrong(state, "there is no way to finish named %.40s", name);
}

/* exact_scaled(total, number, rounding), in f64 */
PyObject *native_exact_scaled(PyObject *module, PyObject *args)
{
    PyObject *object;
    double alpha;
    int rounding;
    native_total of;
    if (!PyArg_ParseTuple(args, "Odi", &object, &alpha, &rounding) ||
        !get_total(PyModule_GetState(module), object, &of))
        return NULL;
    enum accord_exact_rounding how = (enum accord_exact_rounding)rounding;
    return PyFloat_FromDouble(of.wide ? accord_exact_wide_scaled_f64(of.wide, alpha, how)
                                      : accord_exact_scaled_f64(of.narrow, alpha, how));
}

static bool both_wide(native_total *a, native_total *b, accord_exact_wide room[2])
{
    native_total *each[2] = {a, b};
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

/* exact_finish_two(name, output, rounding, a, b): quotient, difference, compare */
PyObject *native_exact_finish_two(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *first, *second;
    const char *name, *format;
    int rounding;
    native_total a, b;
    native_rounding to;
    accord_exact_wide room[2];
    if (!PyArg_ParseTuple(args, "sziOO", &name, &format, &rounding, &first, &second) ||
        !get_total(state, first, &a) || !get_total(state, second, &b) ||
        !get_rounding(state, format, rounding, &to))
        return NULL;
    bool wide = both_wide(&a, &b, room);
    if (strcmp(name, "compare") == 0)
        return PyLong_FromLong(wide ? accord_exact_wide_compare(a.wide, b.wide)
                                    : accord_exact_compare(a.narrow, b.narrow));
    return PyFloat_FromDouble(strcmp(name, "quotient") == 0 ? native_total_quotient(a, b, to)
                                                            : native_total_difference(a, b, to));
}

/* exact_covariance(root, output, rounding, x, y, products, less) */
PyObject *native_exact_covariance(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *first, *second, *third;
    const char *format;
    int root, rounding;
    long long less;
    native_total x, y, p;
    native_rounding to;
    accord_error error;
    double out = 0;
    if (!PyArg_ParseTuple(args, "pziOOOL", &root, &format, &rounding, &first, &second, &third,
                          &less) ||
        !get_total(state, first, &x) || !get_total(state, second, &y) ||
        !get_total(state, third, &p) || !get_rounding(state, format, rounding, &to))
        return NULL;
    if (!x.narrow || !y.narrow || !p.wide)
        return native_wrong(state, "a covariance takes two sums of numbers and one of products");
    if (native_total_spread(root, x.narrow, y.narrow, p.wide, less, to, &out, &error))
        return native_raise(state, &error);
    return PyFloat_FromDouble(out);
}

/* ---- other forms ---- */

PyObject *native_exact_expansion(PyObject *module, PyObject *object)
{
    const native_state *state = PyModule_GetState(module);
    native_total of;
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
    native_total of;
    char text[ACCORD_EXACT_WIDE_DECIMAL_BYTES];
    if (!get_total(PyModule_GetState(module), object, &of))
        return NULL;
    size_t length = of.wide ? accord_exact_wide_decimal(of.wide, text, sizeof text)
                            : accord_exact_decimal(of.narrow, text, sizeof text);
    return PyUnicode_FromStringAndSize(text, (Py_ssize_t)length);
}

PyObject *native_exact_counts(PyObject *module, PyObject *object)
{
    native_total of;
    if (!get_total(PyModule_GetState(module), object, &of))
        return NULL;
    const int64_t *n = of.wide ? of.wide->count : of.narrow->count;
    return Py_BuildValue("(LLLLLL)", (long long)n[0], (long long)n[1], (long long)n[2],
                         (long long)n[3], (long long)n[4], (long long)n[5]);
}

/* exact_save(total, compact) -> bytes */
PyObject *native_exact_save(PyObject *module, PyObject *args)
{
    PyObject *object;
    int compact;
    native_total of;
    unsigned char bytes[ACCORD_EXACT_WIDE_BYTES];
    size_t length = ACCORD_EXACT_BYTES;
    if (!PyArg_ParseTuple(args, "Op", &object, &compact) ||
        !get_total(PyModule_GetState(module), object, &of))
        return NULL;
    if (compact) {
        length = of.wide ? accord_exact_wide_save_compact(of.wide, bytes)
                         : accord_exact_save_compact(of.narrow, bytes);
    } else if (of.wide) {
        accord_exact_wide_save(of.wide, bytes);
        length = ACCORD_EXACT_WIDE_BYTES;
    } else {
        accord_exact_save(of.narrow, bytes);
    }
    return PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)length);
}

/* exact_load(bytes, wide) -> accumulator */
PyObject *native_exact_load(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    const char *bytes;
    Py_ssize_t length;
    int wide;
    native_total to;
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
