/* Exact sums and dot products on a device: accord/exact_device.h. */
#include "native/exact.h"
#include "native/native.h"
#include <accord/exact_device.h>

static const char capsule_name[] = "accord.exact_device";

static void close_capsule(PyObject *capsule)
{
    accord_exact_device_close(PyCapsule_GetPointer(capsule, capsule_name));
}

PyObject *native_exact_device(PyObject *module, PyObject *name)
{
    const native_state *state = PyModule_GetState(module);
    accord_exact_device *device = NULL;
    accord_error error;
    enum accord_status status;
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    if (!text)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = accord_exact_device_open(text, &device, &error);
    Py_END_ALLOW_THREADS;
    return status ? native_raise(state, &error)
                  : PyCapsule_New(device, capsule_name, close_capsule);
}

/* Floats in one piece; false with ArgumentError. */
static bool get_floats(const native_state *state, PyObject *object, native_array *out)
{
    if (!native_array_get(state, object, NULL, out))
        return false;
    if (!out->converted && (out->format == ACCORD_F64 || out->format == ACCORD_F32) &&
        PyBuffer_IsContiguous(&out->view, 'A'))
        return true;
    PyBuffer_Release(&out->view);
    native_wrong(state, "a device adds float64 or float32 in one piece: convert or copy the "
                        "numbers first");
    return false;
}

static size_t count_of(const native_array *a)
{
    return (size_t)(a->view.len / a->view.itemsize);
}

PyObject *native_device_sum(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *capsule, *object;
    const char *output;
    int rounding;
    native_array in;
    accord_exact sum;
    accord_error error;
    enum accord_status status;
    if (!PyArg_ParseTuple(args, "OOzi", &capsule, &object, &output, &rounding))
        return NULL;
    accord_exact_device *device = PyCapsule_GetPointer(capsule, capsule_name);
    if (!device || !get_floats(state, object, &in))
        return NULL;
    enum accord_format to = in.format;
    bool good = native_exact_output(state, output, &to);
    accord_exact_init(&sum);
    if (!good) {
        PyBuffer_Release(&in.view);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    status =
        in.format == ACCORD_F64
            ? accord_exact_device_add_array_f64(device, &sum, count_of(&in), in.view.buf, &error)
            : accord_exact_device_add_array_f32(device, &sum, count_of(&in), in.view.buf, &error);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&in.view);
    return status ? native_raise(state, &error)
                  : PyFloat_FromDouble(native_total_value(
                        (native_total){.narrow = &sum},
                        (native_rounding){to, (enum accord_exact_rounding)rounding}));
}

static enum accord_status multiply(accord_exact_device *device, const native_array *x,
                                   const native_array *y, enum accord_exact_rounding rounding,
                                   double *out, accord_error *error)
{
    accord_exact sum;
    accord_exact_wide wide;
    enum accord_status status;
    if (x->format == ACCORD_F32) {
        accord_exact_init(&sum);
        status = accord_exact_device_add_products_f32(device, &sum, count_of(x), x->view.buf,
                                                      y->view.buf, error);
        *out = (double)accord_exact_f32(&sum, rounding);
    } else {
        accord_exact_wide_init(&wide);
        status = accord_exact_device_wide_add_products_f64(device, &wide, count_of(x), x->view.buf,
                                                           y->view.buf, error);
        *out = accord_exact_wide_f64(&wide, rounding);
    }
    return status;
}

PyObject *native_device_dot(PyObject *module, PyObject *args)
{
    const native_state *state = PyModule_GetState(module);
    PyObject *capsule, *first, *second, *made = NULL;
    int rounding;
    native_array x, y;
    accord_error error;
    enum accord_status status;
    double result = 0;
    if (!PyArg_ParseTuple(args, "OOOi", &capsule, &first, &second, &rounding))
        return NULL;
    accord_exact_device *device = PyCapsule_GetPointer(capsule, capsule_name);
    if (!device || !get_floats(state, first, &x))
        return NULL;
    if (get_floats(state, second, &y)) {
        if (x.format != y.format || count_of(&x) != count_of(&y)) {
            native_wrong(state,
                         "x has %zu numbers of %s, but y has %zu of %s: give equally many "
                         "of the same",
                         count_of(&x), accord_format_get(x.format)->name, count_of(&y),
                         accord_format_get(y.format)->name);
        } else {
            Py_BEGIN_ALLOW_THREADS;
            status =
                multiply(device, &x, &y, (enum accord_exact_rounding)rounding, &result, &error);
            Py_END_ALLOW_THREADS;
            made = status ? native_raise(state, &error) : PyFloat_FromDouble(result);
        }
        PyBuffer_Release(&y.view);
    }
    PyBuffer_Release(&x.view);
    return made;
}
