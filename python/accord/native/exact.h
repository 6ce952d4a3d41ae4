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

/* An accumulator of either kind. */
typedef struct native_total {
    accord_exact *narrow; /* one of them is not NULL */
    accord_exact_wide *wide;
} native_total;

/* The format of a result, which is f64, f32, f16 or bf16, and its rounding. */
typedef struct native_rounding {
    enum accord_format format;
    enum accord_exact_rounding how;
} native_rounding;

/* accord/exact_finish.h, into any format; of two accumulators of one kind. */
double native_total_value(native_total of, native_rounding to);
double native_total_mean(native_total of, native_rounding to);
double native_total_norm(native_total of, native_rounding to);
double native_total_rms(native_total of, native_rounding to);
double native_total_quotient(native_total a, native_total b, native_rounding to);
double native_total_difference(native_total a, native_total b, native_rounding to);
/* A deviation of x (then y is x) if `root` is set, else a covariance. */
enum accord_status native_total_spread(bool root, const accord_exact *x, const accord_exact *y,
                                       const accord_exact_wide *products, int64_t less,
                                       native_rounding to, double *out, accord_error *error);
/* A name of one of these formats; NULL leaves *out. False with ArgumentError. */
bool native_exact_output(const native_state *state, const char *name, enum accord_format *out);

#endif
