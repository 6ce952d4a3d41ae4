/* Numbers from whole files, as arrays: text, tables, raw binary, .npy. */
#ifndef ACCORD_CLI_NUMBERS_H
#define ACCORD_CLI_NUMBERS_H

#include "cli/numbers/reader.h"

typedef struct cli_numbers {
    double *value; /* rows x columns, row by row; every file format's values are held exactly */
    size_t rows, columns;
    bool shaped;  /* the file says how many rows; else there is one row of all numbers */
    bool written; /* as text: what `format` does not hold was rounded already, to odd */
    /* Of text, the lines that hold numbers: how many, how many numbers the first one holds, and the
     * first line that holds another number of them (0: none does), counted from 1 in the file. */
    size_t lines, in_first, other_line, in_other;
} cli_numbers;

typedef struct cli_numbers_options {
    const char *type;          /* "f32", "f64": the file is raw; NULL: by its name or first bytes */
    bool big_endian;           /* of raw files */
    enum accord_format format; /* what the numbers are for: text is read for it, so that rounding
                                  into it later is right, and a .bin file is f32 if it is */
} cli_numbers_options;

/* Reads a file ("-": standard input). On failure prints an error, with line and column for text,
 * and returns its exit status. The caller frees numbers->value. */
int cli_numbers_read(const char *path, const cli_numbers_options *options, cli_numbers *numbers);
/* The same through a reader that is open. */
int cli_numbers_take(cli_reader *r, cli_numbers *numbers);

/* Makes rows of `columns` numbers of one long row. False, after an error was printed that says how
 * many there are and how many there should be, if that is not possible. */
bool cli_numbers_shape(cli_numbers *numbers, const char *path, const char *what, size_t columns);

/* Makes a row of each line, if there are several, with several numbers in each. False, after an
 * error was printed, if not all of them hold as many. */
bool cli_numbers_split(cli_numbers *numbers, const char *path);

/* Appends x in the shortest decimal that reads back in the format, or nan, inf, -inf. */
void cli_put_number(accordi_buffer *out, enum accord_format format, double x);
/* The unit in the last place of x in the format. */
double cli_last_place(enum accord_format format, double x);

#endif
