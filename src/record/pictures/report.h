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

/* The lines of a report: the question, what stands under the tree, the order, the evidence.
 * The text of a line is not tame: some of it is foreign. */
enum accordi_report_part { ACCORDI_ABOVE, ACCORDI_UNDER, ACCORDI_ORDER, ACCORDI_BELOW };
typedef enum accord_status accordi_put_line(void *context, const char *label, const char *text,
                                            accord_error *error);
enum accord_status accordi_report_lines(const accordi_report *report, enum accordi_report_part part,
                                        accordi_put_line *put, void *context, accord_error *error);

/* Append the order in words, with its measures, and in the notation as far as that is short (an
 * irregular order of many terms has none). */
void accordi_put_order(const accord_tree *tree, accordi_buffer *out);
void accordi_put_notation(const accord_tree *tree, accordi_buffer *out);

enum accord_status accordi_report_tree(const accordi_report *report, accord_error *error);

#endif
