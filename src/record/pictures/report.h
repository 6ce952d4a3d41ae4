/* What the two files of the terminal view share. Internal. */
#ifndef ACCORDI_REPORT_H
#define ACCORDI_REPORT_H

#include "record/pictures/marks.h"
#include "record/record.h"

typedef struct accordi_report {
    const accord_record *record;
    int columns;
    bool color, utf8;
    accordi_stream *out;
    const accordi_marks *marks;
} accordi_report;

enum accordi_ink {
    ACCORDI_BOLD,
    ACCORDI_DIM,
    ACCORDI_GOOD,
    ACCORDI_BAD,
    ACCORDI_FUSED,
    ACCORDI_MARKED
};
/* Puts `text` in this ink, if inks are wanted. */
void accordi_report_ink(const accordi_report *report, enum accordi_ink ink, const char *text);

enum accord_status accordi_report_tree(const accordi_report *report, accord_error *error);

#endif
