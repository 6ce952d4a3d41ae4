/* Which additions are not computed like most: what pictures of a tree mark. Internal. */
#ifndef ACCORDI_MARKS_H
#define ACCORDI_MARKS_H

#include "base/base.h"
#include <accord/record.h>

enum { ACCORDI_MARKS = 26, ACCORDI_MARK_SIZE = 40 };

typedef struct accordi_marks {
    uint8_t *of_node; /* per inner node: 0: like most, else kind + 1; NULL: nothing is known */
    size_t kinds;
    char label[ACCORDI_MARKS][ACCORDI_MARK_SIZE]; /* "f64", "fma", … */
    uint32_t count[ACCORDI_MARKS];
} accordi_marks;

/* NOMEM. */
enum accord_status accordi_marks_make(const accord_record *record, accordi_marks *marks,
                                      accord_error *error);
void accordi_marks_clear(accordi_marks *marks);
/* The label of inner node k; NULL if it is like most. */
const char *accordi_mark_of(const accordi_marks *marks, uint32_t k);

#endif
