/* Python's math.fsum, called on a list of floats. The list is made of an array once and kept, so
 * that only the sum itself counts. */
#define _GNU_SOURCE
#include <Python.h>
#include <dlfcn.h>

#include "../sums.h"

/* Python's own modules look for its symbols among the global ones. */
static void start(void)
{
    Dl_info python;
    if (dladdr((void *)Py_InitializeEx, &python))
        dlopen(python.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    Py_InitializeEx(0);
}

static PyObject *call(size_t n, const double *x)
{
    static PyObject *fsum, *list;
    static const double *made_of;
    static size_t made;
    if (!fsum) {
        start();
        PyObject *math = PyImport_ImportModule("math");
        fsum = math ? PyObject_GetAttrString(math, "fsum") : NULL;
        if (!fsum)
            return NULL;
    }
    if (made_of != x || made != n || (n && PyFloat_AsDouble(PyList_GetItem(list, 0)) != x[0])) {
        Py_XDECREF(list);
        list = PyList_New((Py_ssize_t)n);
        for (size_t i = 0; i < n; i++)
            PyList_SetItem(list, (Py_ssize_t)i, PyFloat_FromDouble(x[i]));
        made_of = x;
        made = n;
    }
    return PyObject_CallOneArg(fsum, list);
}

static double sum(size_t n, const double *x)
{
    PyObject *found = call(n, x);
    double value = found ? PyFloat_AsDouble(found) : 0.0 / 0.0;
    Py_XDECREF(found);
    PyErr_Clear(); /* it raises where a partial sum overflows */
    return value;
}

const bench_sum accord_bench_peers[] = {
    {"math.fsum", BENCH_EXACT, sum, .keeps = true},
    {0},
};
