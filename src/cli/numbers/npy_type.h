/* What the header of a .npy file says about its numbers. */
#ifndef ACCORD_CLI_NPY_TYPE_H
#define ACCORD_CLI_NPY_TYPE_H

#include <stdbool.h>
#include <stddef.h>

/* One number in each record; without fields a record is a number. */
typedef struct cli_npy_type {
    char kind;             /* 'f', 'i', 'u', 'b' as in NumPy, or another letter: no number */
    bool big;              /* the highest byte comes first */
    bool fields;           /* records have several fields, of which one was chosen */
    size_t size;           /* bytes of the number */
    size_t offset, record; /* where it lies in a record; bytes of a record */
} cli_npy_type;

/* Reads '<f8' or a list of fields, [('x', '<f8'), ('y', '<i4', (3,))], of which `field` names one,
 * or is its number from 1. NULL, or what is wrong: a sentence's end. */
const char *cli_npy_read_type(const char *text, size_t length, const char *field,
                              cli_npy_type *out);

/* An integer or a truth value as a double; false where it is none: beyond 2^53. */
bool cli_npy_integer(const cli_npy_type *type, const unsigned char *bytes, double *out);

#endif
