/* The map as a picture: the result by class with its rows and columns numbered, and beside it each
 * class with its order. Runs of a row are one rectangle, equal rows share theirs, and all
 * rectangles of a class are one path. The tree of a class is the record's own picture, nested; its
 * style is narrowed to it. */
#include "map/picture.h"
#include "record/pictures/report.h"
#include <math.h>

enum {
    WRAP = 64,
    MOST_TREES = 6,
    MOST_LISTED = 24,
    MOST_LETTERS = 90,
    LEFT = 64,
    TOP = 64,
    GAP = 40
};
#define SIDE 640.0 /* pixels that a map has at least, if its elements need not be larger than … */
#define LARGEST 36.0  /* … this */
#define WIDEST 1280.0 /* and at most */
#define LEGEND 620.0
#define TREE_HEIGHT 260.0

typedef struct picture {
    const accord_map *map;
    accordi_canvas canvas;
    accordi_stream *out;
    double scale, width, height; /* of an element; of the map */
} picture;

static void put_text(picture *p, const char *class, double x, double y, const char *text)
{
    char *clean = accordi_utf8(text, true);
    accordi_stream_printf(p->out, "<text class=\"%s\" x=\"%f\" y=\"%f\">", class, x, y);
    accordi_stream_escape(p->out, clean ? clean : "");
    accordi_stream_puts(p->out, "</text>\n");
    free(clean);
}

/* ---- the map ---- */

static size_t equal_rows(const accordi_canvas *c, size_t row)
{
    size_t times = 1;
    for (; row + times < c->rows; times++)
        for (size_t i = 0; i < c->columns; i++)
            if (accordi_canvas_at(c, row, i) != accordi_canvas_at(c, row + times, i))
                return times;
    return times;
}

/* All rectangles of one class. */
static void draw_class(picture *p, size_t id, const uint32_t *times)
{
    const accordi_canvas *c = &p->canvas;
    accordi_stream_printf(p->out, "<path fill=\"%s\" d=\"",
                          accordi_colors[id % ACCORDI_COLORS].page);
    for (size_t row = 0; row < c->rows; row += times[row])
        for (size_t at = 0, run; at < c->columns; at += run) {
            bool mine = accordi_canvas_at(c, row, at) == id;
            for (run = 1; at + run < c->columns; run++)
                if ((accordi_canvas_at(c, row, at + run) == id) != mine)
                    break;
            if (mine)
                accordi_stream_printf(p->out, "M%zu %zuh%zuv%uh-%zuz", at, row, run, times[row],
                                      run);
        }
    accordi_stream_puts(p->out, "\"/>\n");
}

static enum accord_status put_map(picture *p, accord_error *error)
{
    uint32_t *times = accordi_calloc(p->canvas.rows, sizeof *times);
    if (!times)
        return accordi_nomem(error);
    for (size_t row = 0; row < p->canvas.rows; row += times[row])
        times[row] = (uint32_t)equal_rows(&p->canvas, row);
    accordi_stream_printf(p->out, "<g shape-rendering=\"crispEdges\" transform=\"translate(%d %d",
                          LEFT, TOP);
    char scale[60];
    snprintf(scale, sizeof scale, ") scale(%.6f)\">\n", p->scale);
    for (char *c = scale; *c; c++)
        *c = *c == ',' ? '.' : *c;
    accordi_stream_puts(p->out, scale);
    for (size_t id = 0; id < p->map->classes; id++)
        draw_class(p, id, times);
    accordi_stream_puts(p->out, "</g>\n");
    free(times);
    return ACCORD_OK;
}

/* Lines between elements where they are large enough to be seen apart. */
static void put_lines(picture *p)
{
    if (p->scale < 8)
        return;
    accordi_stream_puts(p->out, "<path class=\"ml\" d=\"");
    for (size_t i = 1; i < p->canvas.rows; i++) {
        accordi_stream_printf(p->out, "M%d %fh%f", LEFT, TOP + p->scale * (double)i, p->width);
    }
    for (size_t i = 1; i < p->canvas.columns; i++) {
        accordi_stream_printf(p->out, "M%f %dv%f", LEFT + p->scale * (double)i, TOP, p->height);
    }
    accordi_stream_puts(p->out, "\"/>\n");
}

/* 1, 2, 4, 8 …: labels stand `room` pixels apart at least. */
static size_t step_of(const picture *p, double room)
{
    size_t step = 1;
    while (p->scale * (double)step < room)
        step *= 2;
    return step;
}

static void put_axes(picture *p)
{
    char label[32];
    size_t step = step_of(p, 30);
    for (size_t i = 0; i < p->canvas.columns; i += step) {
        snprintf(label, sizeof label, "%zu", i);
        put_text(p, "mm", LEFT + p->scale * ((double)i + 0.5), TOP - 8, label);
    }
    step = step_of(p, 18);
    for (size_t i = 0; i < p->canvas.rows; i += step) {
        snprintf(label, sizeof label, "%zu", p->canvas.wrapped ? i * p->canvas.columns : i);
        put_text(p, "me", LEFT - 8, TOP + p->scale * ((double)i + 0.5) + 4, label);
    }
}

/* ---- the classes ---- */

/* Writes a style's rules with "#tN " before each selector. */
static void put_narrowed(picture *p, const char *style, const char *end, size_t id)
{
    bool selecting = true, fresh = true;
    for (const char *c = style; c < end; c++) {
        if (selecting && fresh)
            accordi_stream_printf(p->out, "#t%zu ", id);
        fresh = (selecting && *c == ',') || *c == '}';
        selecting = *c == '{' ? false : *c == '}' ? true : selecting;
        accordi_stream_char(p->out, *c);
    }
}

/* The record's picture in a frame of its own; the height it takes. */
static double put_tree(picture *p, size_t id, double x, double y)
{
    accordi_buffer svg = {0};
    double taken = 0;
    accord_record bare = p->map->each[id].record; /* borrows; without a caption */
    bare.target = NULL;
    if (bare.tree && !accord_record_write(&bare, accord_writer_by_name("svg"), NULL,
                                          accordi_buffer_write, &svg, NULL)) {
        const char *box = strstr(svg.data, "viewBox=\""), *body = strchr(svg.data, '>');
        const char *style = strstr(svg.data, "<style>"), *after = strstr(svg.data, "</style>");
        double w = 0, h = 0;
        if (box && body && style && after && sscanf(box, "viewBox=\"0 0 %lf %lf", &w, &h) == 2) {
            double scale = fmin(1, fmin(LEGEND / w, TREE_HEIGHT / h));
            accordi_stream_printf(p->out,
                                  "<svg id=\"t%zu\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\" ",
                                  id, x, y, w * scale, h * scale);
            accordi_stream_put(p->out, box, (size_t)(strchr(box + 9, '"') + 1 - box));
            accordi_stream_puts(p->out, ">\n<style>");
            put_narrowed(p, style + 7, after, id);
            if (scale < 0.5) /* edges stay visible */
                accordi_stream_printf(p->out, "#t%zu path.e{stroke-width:%f}", id, 0.6 / scale);
            accordi_stream_puts(p->out, after);
            taken = h * scale;
        }
    }
    accordi_buffer_clear(&svg);
    return taken;
}

static void put_line(picture *p, double x, double *y, accordi_buffer *text)
{
    *y += 18;
    if (text->data && !text->failed)
        put_text(p, "mt", x, *y, text->data);
    accordi_buffer_clear(text);
}

/* As far as there is room for it. */
static void put_notation(picture *p, size_t id, double x, double *y)
{
    accordi_buffer text = {0};
    const accord_tree *tree = p->map->each[id].record.tree;
    if (tree)
        accordi_put_notation(tree, &text);
    if (text.length > MOST_LETTERS)
        accordi_buffer_clear(&text);
    if (text.length > 0)
        put_line(p, x, y, &text);
}

/* Returns where the legend ends. */
static double put_legend(picture *p, double x)
{
    double y = TOP;
    accordi_buffer text = {0};
    char name[8];
    for (size_t id = 0; id < p->map->classes && id < MOST_LISTED; id++) {
        accordi_class_name(id, name);
        accordi_stream_printf(p->out,
                              "<rect width=\"16\" height=\"16\" fill=\"%s\" x=\"%f\" y=\"%f\"/>\n",
                              accordi_colors[id % ACCORDI_COLORS].page, x, y + 5);
        accordi_buffer_printf(&text, "%s   ", name);
        accordi_class_share(p->map, id, &text);
        put_line(p, x + 26, &y, &text);
        accordi_class_order(&p->map->each[id], &text);
        put_line(p, x + 26, &y, &text);
        put_notation(p, id, x + 26, &y);
        accordi_class_proof(&p->map->each[id], &text);
        put_line(p, x + 26, &y, &text);
        for (size_t i = 0; accordi_class_note(&p->map->each[id], i, &text); i++)
            put_line(p, x + 26, &y, &text);
        y += 10;
        if (id < MOST_TREES)
            y += put_tree(p, id, x + 26, y);
        y += 14;
    }
    if (p->map->classes > MOST_LISTED) {
        accordi_buffer_printf(&text, "and %zu more", p->map->classes - MOST_LISTED);
        put_line(p, x, &y, &text);
    }
    return y;
}

/* The height is known when the legend is written; so the drawing waits in a buffer. */
static enum accord_status draw_picture(picture *p, double *height, accord_error *error)
{
    enum accord_status status = put_map(p, error);
    if (status)
        return status;
    put_lines(p);
    put_axes(p);
    double end = put_legend(p, LEFT + p->width + GAP);
    *height = fmax(TOP + p->height, end) + GAP;
    return ACCORD_OK;
}

static void put_head(picture *p, double height)
{
    double width = LEFT + p->width + GAP + LEGEND + GAP;
    accordi_stream_printf(p->out,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %f %f\" "
                          "width=\"%f\" height=\"%f\"",
                          width, height, width, height);
    accordi_stream_puts(p->out,
                        ">\n<style>.mt,.mm,.me,.mh{font-family:Helvetica,Arial,'DejaVu Sans',"
                        "sans-serif;fill:#22384f;font-size:13px}.mm{text-anchor:middle;"
                        "font-size:11px}.me{text-anchor:end;font-size:11px}.mh{font-size:16px}"
                        ".ml{fill:none;stroke:#ffffff;stroke-width:1}</style>\n"
                        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    accordi_buffer title = {0};
    accordi_map_title(p->map, &title);
    if (!title.failed)
        put_text(p, "mh", LEFT, 30, title.data);
    accordi_buffer_clear(&title);
}

static void choose_scale(picture *p)
{
    double longer =
        (double)(p->canvas.rows > p->canvas.columns ? p->canvas.rows : p->canvas.columns);
    p->scale = fmin(LARGEST, SIDE / longer);
    if (p->scale < 1)
        p->scale = fmin(1, WIDEST / longer);
    p->width = p->scale * (double)p->canvas.columns;
    p->height = p->scale * (double)p->canvas.rows;
}

enum accord_status accordi_map_svg(const accord_map *map, const accord_write_options *options,
                                   accordi_stream *stream, accord_error *error)
{
    (void)options;
    accordi_buffer body = {0};
    accordi_stream inner;
    double height = 0;
    picture p = {.map = map, .canvas = accordi_canvas_of(map, WRAP), .out = &inner};
    choose_scale(&p);
    if (!accordi_stream_open(&inner, accordi_buffer_write, &body))
        return accordi_nomem(error);
    enum accord_status status = draw_picture(&p, &height, error);
    if (accordi_stream_close(&inner, NULL) && !status)
        status = accordi_nomem(error);
    p.out = stream;
    if (!status) {
        put_head(&p, height);
        accordi_stream_put(stream, body.data, body.length);
        accordi_stream_puts(stream, "</svg>\n");
    }
    accordi_buffer_clear(&body);
    return status;
}
