/* What the files of the type Record share. Internal. */
#ifndef ACCORD_PYTHON_NATIVE_RECORD_H
#define ACCORD_PYTHON_NATIVE_RECORD_H

#include "native/native.h"

static inline const accord_record *native_record_of(PyObject *self)
{
    return ((native_record *)self)->record;
}

/* ---- record_make.c: methods that make another record ---- */

/* This tree with plain arithmetic in place of what is, or is not, known. */
PyObject *native_record_plain(PyObject *self, PyObject *args);
/* This record with one of its alternatives in the place of its arithmetic. */
PyObject *native_record_choose(PyObject *self, PyObject *args);

/* ---- record_text.c: methods that return text, or None where there is none ---- */

PyObject *native_record_write(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *native_record_emit_c(PyObject *self, PyObject *args);
PyObject *native_record_describe(PyObject *self, PyObject *nothing);
PyObject *native_record_order_words(PyObject *self, PyObject *nothing);
PyObject *native_record_notation(PyObject *self, PyObject *nothing);
PyObject *native_record_line(PyObject *self, PyObject *nothing);
/* The textbook names, one a line. */
PyObject *native_record_order_names(PyObject *self, PyObject *nothing);

#endif
