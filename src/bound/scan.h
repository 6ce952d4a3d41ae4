/* The text of an expression in C, read word by word (scan.c); parse.c makes nodes of the words.
 * Internal. */
#ifndef ACCORDI_SCAN_H
#define ACCORDI_SCAN_H

#include "base/base.h"
#include <accord/bound.h>

typedef struct accordi_scanner {
    const char *text, *at; /* the whole text, and where the next word begins */
    accord_error *error;
    enum accord_status status;
} accordi_scanner;

/* Errors name the column, counted from 1. */
size_t accordi_scan_column(const accordi_scanner *s, const char *at);
bool accordi_scan_fail(accordi_scanner *s, size_t column, const char *what); /* returns false */

void accordi_scan_blanks(accordi_scanner *s);
const char *accordi_scan_past_blanks(const char *at);
/* How many letters, digits and underscores stand here. */
size_t accordi_scan_length(const char *at);

/* Each of these skips what it looks for, and returns false, and skips nothing but blanks, where it
 * does not come next. */
bool accordi_scan_word(accordi_scanner *s, const char *word);
bool accordi_scan_type(accordi_scanner *s, enum accord_format *format);          /* float */
bool accordi_scan_cast(accordi_scanner *s, enum accord_format *format);          /* (float) */
bool accordi_scan_target(accordi_scanner *s, const char **name, size_t *length); /* t = */

/* How closely operators bind: the higher, the closer; below NONE are parentheses. */
enum {
    ACCORDI_BINDS_NONE = 1,
    ACCORDI_BINDS_TERNARY = 1,
    ACCORDI_BINDS_EQUALITY,
    ACCORDI_BINDS_ORDER,
    ACCORDI_BINDS_SUM,
    ACCORDI_BINDS_PRODUCT,
    ACCORDI_BINDS_UNARY
};

typedef struct accordi_operator {
    const char *text;
    int binds;
    enum accord_bound_operation operation;
} accordi_operator;

/* Skips the operator of two operands that comes next; NULL, and an error: there is none. */
const accordi_operator *accordi_scan_operator(accordi_scanner *s);

#endif
