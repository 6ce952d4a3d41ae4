/* Arrays whose numbers are summed exactly. Internal. */
#ifndef ACCORD_PYTHON_EXACT_H
#define ACCORD_PYTHON_EXACT_H

#include "native/native.h"

/* A buffer of numbers, or of bits of them. */
typedef struct native_array {
    Py_buffer view;
    enum accord_format format; /* of the numbers; ACCORD_F64 for integers */
    bool converted; /* integers, or bytes in the other order: native_array_add adds them */
    bool swapped, integer, is_signed;
} native_array;

/* The numbers of any object with a buffer: f64, f32, f16, bf16, integers of up to 8 bytes, in
 * either order of bytes. `format` NULL: what the buffer says. False with ArgumentError; else
 * PyBuffer_Release(&out->view) ends it. */
bool native_array_get(const native_state *state, PyObject *object, const char *format,
                      native_array *out);

/* Adds n numbers of a converted array, `stride` bytes apart. Needs no interpreter. */
void native_array_add(accord_exact *sum, const native_array *in, const char *x, size_t n,
                      ptrdiff_t stride);

#endif
