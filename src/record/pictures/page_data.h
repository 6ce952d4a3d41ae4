/* An order as data for the script of a page. Internal. */
#ifndef ACCORDI_PAGE_DATA_H
#define ACCORDI_PAGE_DATA_H

#include "record/pictures/kinds.h"
#include "tree/stream.h"
#include <accord/pattern.h>

/* Writes JSON in which nothing is foreign: numbers, and words of the library's own. NOMEM. */
enum accord_status accordi_page_data(accordi_stream *s, const accordi_kinds *kinds,
                                     const accord_pattern *pattern, accord_error *error);

#endif
