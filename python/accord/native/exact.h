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

/* Adds all numbers of an array, line by line along the last dimension, whatever the strides. Needs
 * no interpreter. */
void native_array_add_all(accord_exact *sum, const native_array *in);

/* Adds the floats, and integers of any size, that an object iterates over; false with an exception
 * set. */
bool native_exact_items(accord_exact *sum, PyObject *iterable);

/* Rounded to f64, f32, f16 or bf16. */
double native_exact_round(const accord_exact *sum, enum accord_format format,
                          enum accord_exact_rounding rounding);
/* A name of one of these formats; NULL leaves *out. False with ArgumentError. */
bool native_exact_output(const native_state *state, const char *name, enum accord_format *out);

#endif
