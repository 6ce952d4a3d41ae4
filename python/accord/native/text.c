/* Text that the library writes, for Python. */
#include "native/native.h"

bool native_write_options(PyObject *args, PyObject *kwargs, const char **form,
                          accord_write_options *options)
{
    static const char *const names[] = {"form", "columns", "color", "utf8", "expand", NULL};
    int color = 0, utf8 = 1, expand = 0;
    accord_write_options_init(options);
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|ippp", (char **)(uintptr_t)names, form,
                                     &options->columns, &color, &utf8, &expand))
        return false;
    options->color = color;
    options->ascii = !utf8;
    options->expand = expand;
    return true;
}

bool native_gather(void *buffer, const char *text, size_t length)
{
    accordi_buffer_append(buffer, text, length);
    return !((accordi_buffer *)buffer)->failed;
}

PyObject *native_text(const native_state *state, accordi_buffer *text, enum accord_status status,
                      const accord_error *error)
{
    PyObject *made = NULL;
    if (text->failed)
        PyErr_NoMemory();
    else if (status)
        native_raise(state, error);
    else
        made =
            PyUnicode_DecodeUTF8(text->data ? text->data : "", (Py_ssize_t)text->length, "replace");
    accordi_buffer_clear(text);
    return made;
}
