/* What this build is and what it runs on. */
#include "native/native.h"

typedef const char *namer(size_t i);

static const char *format_name(size_t i)
{
    return i < ACCORD_FORMAT_COUNT ? accord_format_get((enum accord_format)i)->name : NULL;
}

static const char *algorithm_name(size_t i)
{
    const accord_algorithm *row = accord_algorithm_at(i);
    return row ? row->name : NULL;
}

static const char *kind_name(size_t i)
{
    const accord_target_kind *row = accord_target_kind_at(i);
    return row ? row->name : NULL;
}

static const char *machine_name(size_t i)
{
    const accord_fused *row = accord_fused_at(i);
    return row ? row->name : NULL;
}

static const char *synthetic_name(size_t i)
{
    return accord_synthetic_at(i, NULL, NULL);
}

static const char *model_name(size_t i)
{
    const accord_bound_model_info *row = accord_bound_model_at(i);
    return row ? row->name : NULL;
}

static PyObject *names(namer *name)
{
    PyObject *list = PyList_New(0);
    const char *text;
    for (size_t i = 0; list && (text = name(i)); i++) {
        PyObject *word = PyUnicode_FromString(text);
        if (!word || PyList_Append(list, word) < 0)
            Py_CLEAR(list);
        Py_XDECREF(word);
    }
    return list;
}

PyObject *native_info(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    return Py_BuildValue("{s:s, s:s, s:s, s:s, s:N, s:N, s:N, s:N, s:N, s:N}", "version",
                         accord_version(), "cpu", accordi_cpu_name(), "cpu_features",
                         accordi_cpu_features(), "exact_kernels", accord_exact_kernels(), "formats",
                         names(format_name), "algorithms", names(algorithm_name), "kinds",
                         names(kind_name), "machines", names(machine_name), "models",
                         names(model_name), "synthetic", names(synthetic_name));
}
