/* Reads numbers from files of any form, in constant memory. A file comes in; blocks of numbers, or
 * numbers as they are written, go out. Read reader_open.c first, the table of forms. */
#ifndef ACCORD_CLI_READER_H
#define ACCORD_CLI_READER_H

#include "cli/numbers/npy_type.h"
#include "cli/numbers/source.h"

typedef struct cli_reader cli_reader;

/* Numbers as they lie in the file: native byte order, aligned. */
typedef struct cli_block {
    enum accord_format format; /* f64, f32, f16, bf16 */
    const void *data;
    size_t count;
} cli_block;

/* A number as written, and the key beside it (NULL without one). */
typedef struct cli_entry {
    char *value; /* in the window */
    size_t length;
    const char *key;
    size_t key_length;
} cli_entry;

/* A form of files. Readers of binary forms have `next`, those of written forms `entry`. */
typedef struct cli_form {
    const char *name;
    const char *advice; /* what numbers look like in written forms */
    bool columns;       /* there may be several, of which one is read */
    bool (*is)(const cli_reader *r);
    /* Reads what comes before the numbers. All return false after filling r->error. */
    bool (*open)(cli_reader *r);
    bool (*next)(cli_reader *r, cli_block *block); /* false at the end, too */
    bool (*entry)(cli_reader *r, cli_entry *entry);
    /* The i-th part of so many, for a reader that has just been opened: where it begins and ends.
     */
    bool (*part)(const cli_reader *whole, size_t i, size_t parts, cli_reader *part);
} cli_form;

extern const cli_form cli_form_npy, cli_form_saved, cli_form_groups, cli_form_raw, cli_form_table,
    cli_form_text;

typedef struct cli_reader_options {
    const char *type;          /* of raw files, "f32"; NULL: by name */
    bool big_endian;           /* of raw files */
    enum accord_format format; /* what files that end in .bin hold */
    bool to_odd;               /* text is to be rounded again, to something narrower */
    const char *beyond;        /* what to say of written numbers beyond f64; NULL: infinities */
    const char *empty;         /* what to do about empty fields */
    const char *uneven;        /* what to do about lines of other lengths; NULL: the separator */
    const char *column, *key;  /* of tables: a number from 1, or a name; NULL: all, none */
    char separator;            /* of tables; 0: by name, else white space */
    bool header;               /* the first line holds names */
    bool skip_empty;           /* fields */
} cli_reader_options;

struct cli_reader {
    const cli_form *form;
    const cli_reader_options *options;
    const char *path;
    cli_source source;
    accord_error error; /* status ACCORD_OK until something fails */

    /* binary */
    enum accord_format format;
    size_t width;  /* bytes of a number, or of a record that holds it */
    bool swapped;  /* in the other byte order */
    bool counted;  /* `left` is known */
    bool mapped;   /* files are mapped, not read */
    uint64_t left; /* numbers to come */
    uint64_t at;   /* offset of the next one, of mapped files */
    /* .npy: what its numbers are; whether they are unpacked; the first two sides of the array */
    cli_npy_type npy;
    bool unpacked;
    size_t rows, columns, dimensions;
    bool fortran;
    uint64_t place; /* of the next number, where one column is picked out of `columns` */
    accordi_buffer picked;

    /* written */
    uint64_t end;   /* lines that begin here or later are not of this part */
    char separator; /* 0: white space */
    size_t column, key;
    size_t fields;           /* in each line of a table; 0: not known yet */
    size_t index;            /* of the field before, where all are added */
    bool partial;            /* some part of a file: quotes cannot be understood */
    bool comma, any;         /* since the last number; a number before */
    bool skips, comment, cr; /* to the end of a line; that of a comment; behind \r in one */
    uint64_t skipped;
    uint64_t breaks; /* newlines before the last number, of all that was read */
    accordi_buffer unquoted;
    double *values;
};

/* Opens a file ("-": standard input), finds out its form and reads up to the numbers. Options are
 * borrowed. Close it also after a failure. */
bool cli_reader_open(cli_reader *r, const char *path, const cli_reader_options *options);
/* The same of r->source, which is open. */
bool cli_reader_begin(cli_reader *r, const char *path, const cli_reader_options *options);
void cli_reader_close(cli_reader *r);

/* The next numbers; false at the end and after an error (r->error.status). */
bool cli_reader_next(cli_reader *r, cli_block *block);
/* The next number of a written form, valid until the next call. */
bool cli_reader_entry(cli_reader *r, cli_entry *entry);
/* Its value. */
bool cli_reader_number(cli_reader *r, const cli_entry *entry, double *x);
/* A reader of the i-th of `parts` parts of a file just opened, of its own thread; close it before
 * the whole. False if the form or the source has no parts. An error in a part may be one of cutting
 * the file: only a reader of the whole can tell. */
bool cli_reader_part(const cli_reader *whole, size_t i, size_t parts, cli_reader *part);

/* Fills r->error; false. */
#define cli_reader_refuse(r_, ...) (accordi_fail(&(r_)->error, __VA_ARGS__), false)
/* Fills r->error with the place of `at`, which is in the window, the first letters of what stands
 * there, and what to do; returns false. */
bool cli_reader_bad(cli_reader *r, const char *at, size_t length, const char *problem,
                    const char *advice);
/* What to do about the entry just read, which is not a number. */
const char *cli_reader_advice(const cli_reader *r);
/* Prints r->error; returns the exit status. */
int cli_reader_fail(const cli_reader *r);

/* For the forms. */
enum { CLI_BIG_ENDIAN_MACHINE = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
bool cli_ends_in(const char *path, const char *end);
bool cli_raw_next(cli_reader *r, cli_block *block);
bool cli_raw_part(const cli_reader *whole, size_t i, size_t parts, cli_reader *part);
bool cli_text_begin(cli_reader *r);
/* To the end of a line of which nothing is added, from *at on: leaves *at on the newline, or at the
 * end of the window with r->skips set. False where a comment has a carriage return within: that
 * may be the end of a line, too. */
bool cli_text_skip(cli_reader *r, char **at);
bool cli_text_part(const cli_reader *whole, size_t i, size_t parts, cli_reader *part);
/* Numbers of r->format begin at the head of the window. */
bool cli_raw_begin(cli_reader *r);

/* Is it one column of an array whose numbers lie apart? Then `left` counts those of all columns. */
static inline bool cli_reader_picks(const cli_reader *r)
{
    return !r->form->entry && r->column && !r->fortran;
}

/* The value of a number of a block. */
double cli_block_value(const cli_block *block, size_t i);

#endif
