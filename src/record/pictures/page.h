/* A page of HTML that stands alone: what the pages of orders and of maps share. Internal. */
#ifndef ACCORDI_PAGE_H
#define ACCORDI_PAGE_H

#include "record/record.h"

/* The beginning of a page up to its heading. Nothing but its own styles and the script with these
 * parts, one after the other, is allowed to run or to be loaded. The title may be foreign. NOMEM.
 */
enum accord_status accordi_page_head(accordi_stream *s, const char *title,
                                     const char *const *script, size_t parts, accord_error *error);
/* The script, and the end of the page. */
void accordi_page_end(accordi_stream *s, const char *const *script, size_t parts);
/* The script that draws orders. */
const char *accordi_page_script(void);

/* Foreign text, so that none of it is markup, and it cannot turn the direction of what follows.
 * Not for attributes. */
enum accord_status accordi_page_text(accordi_stream *s, const char *text, accord_error *error);

/* A section with all that is known of an order, its data for the script, and, for readers without
 * scripts, its picture. */
typedef struct accordi_section {
    const char *id;    /* of the element */
    const char *title; /* a heading; NULL: none */
    bool drawn;        /* with data and picture */
} accordi_section;
enum accord_status accordi_page_order(accordi_stream *s, const accord_record *record,
                                      const accordi_section *section,
                                      const accord_write_options *options, accord_error *error);

#endif
