/* What the two pictures of an order share: the whole tree, and its outline. Internal. */
#ifndef ACCORDI_SVG_H
#define ACCORDI_SVG_H

#include "record/pictures/outline.h"
#include "record/record.h"

/* Edges, nodes, fused sums, terms, signs, nodes that are not computed like most. */
#define ACCORDI_SVG_COLORS                                                                         \
    ".e{fill:none;stroke:#5b6b80}.n{fill:#dbe9fb;stroke:#2b5c9e}"                                  \
    ".f{fill:#fde3cf;stroke:#c2560c}.t{fill:#f4f4f2;stroke:#9a9a94}.p{fill:none;stroke:#22384f}"
#define ACCORDI_SVG_MARKED ".k{fill:#d9f2dc;stroke:#24803a}"
#define ACCORDI_SVG_FONT "font-family:Helvetica,Arial,'DejaVu Sans',sans-serif"

/* "TARGET, N terms"; NULL when there is no memory, "" when the target is not known. */
char *accordi_svg_caption(const accord_record *record);

/* The terms that copies of a term are, "8, 16, … 992"; of a box, "128 terms". */
void accordi_outline_text(const accordi_outline *outline, const accordi_outline_item *item,
                          accordi_buffer *out);

/* The outline of an order that has this pattern. NOMEM. */
enum accord_status accordi_write_svg_outline(const accord_record *record,
                                             const accordi_kinds *kinds,
                                             const accord_pattern *pattern, accordi_stream *stream,
                                             accord_error *error);

#endif
