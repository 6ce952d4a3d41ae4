/* What the drawings of a map share. Internal. */
#ifndef ACCORDI_PICTURE_H
#define ACCORDI_PICTURE_H

#include "map/map.h"
#include "tree/stream.h"

enum { ACCORDI_COLORS = 12 };

/* A color of a class, for a page and for a terminal of 256 colors. */
typedef struct accordi_color {
    const char *page;
    int terminal;
} accordi_color;
extern const accordi_color accordi_colors[ACCORDI_COLORS];

/* "A" … "Z", then "#26" …; at most 8 bytes with the final zero. */
void accordi_class_name(size_t id, char out[8]);

/* A map as it is drawn: what has one row or one column is wrapped into lines. */
typedef struct accordi_canvas {
    const accord_map *map;
    size_t rows, columns;
    bool wrapped; /* an element's number counts, not its row and column */
} accordi_canvas;
accordi_canvas accordi_canvas_of(const accord_map *map, size_t width);
/* The class at a place, or SIZE_MAX past the last element. */
size_t accordi_canvas_at(const accordi_canvas *canvas, size_t row, size_t column);

/* "blas:sgemm: 7 x 13 results of 24 terms, 2 classes". The name of the target is foreign. */
void accordi_map_title(const accord_map *map, accordi_buffer *out);
/* The class of each element, as lists of whole numbers: [times, count, class, count, class, …]
 * means so many rows in succession, each of these runs. */
void accordi_map_rows(const accord_map *map, accordi_stream *s);
/* "32 of 91 elements (35.2 %), the first at 0,0". */
void accordi_class_share(const accord_map *map, size_t id, accordi_buffer *out);
/* The fingerprint's first 8 digits and the arithmetic, or the reason why there is no order. */
void accordi_class_order(const accord_class *class, accordi_buffer *out);
/* Whether nothing speaks against the order; if something does, the verdict of the record says what.
 */
bool accordi_class_is_sure(const accord_class *class);
/* "all certified", "12 of 32 certified", "not certified". */
void accordi_class_proof(const accord_class *class, accordi_buffer *out);
/* The i-th of the other circumstances that were tried: "holds also in the first calls of a new run
 * (5 sums)", or a warning; false past the last. */
bool accordi_class_note(const accord_class *class, size_t i, accordi_buffer *out);

typedef enum accord_status accordi_write_map(const accord_map *map,
                                             const accord_write_options *options,
                                             accordi_stream *stream, accord_error *error);
accordi_write_map accordi_map_report, accordi_map_json, accordi_map_svg, accordi_map_html;

#endif
