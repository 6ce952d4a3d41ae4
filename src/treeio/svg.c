/* The picture: a layout in linear time, then one element per node.
 *
 * Layout. Leaves take one column each in the order of the brackets; a node stands midway between
 * its first and last child, one row below its parent; the root is at the top. No edge crosses
 * another, whatever the tree.
 *
 * Scale. Nodes are drawn at a comfortable size as long as the picture stays within a large
 * screen's reach; beyond that columns and rows shrink, and what would be too small to be read is
 * left out, first the labels, then the circles, at last the tooltips. */
#include "treeio/treeio.h"
#include <math.h>

#define COLUMN 34.0 /* comfortable distances, pixels */
#define ROW 46.0
#define WIDEST 3600.0
#define HIGHEST 2700.0
#define MARGIN 24.0
#define LEAST_LABEL 5.0     /* pixels: smaller writing is left out */
#define MOST_TOOLTIPS 30000 /* leaves */

typedef struct picture {
    const accord_tree *tree;
    double *x;       /* n+m: columns */
    uint32_t *depth; /* n+m: rows */
    uint32_t *size;  /* m */
    uint32_t deepest;
    double column, row, radius, label, stroke;
    double left, top, width, height;
    bool tooltips;
    accordi_stream *out;
} picture;

/* Top down: rows, and (in x for now) the column at which a subtree begins; bottom up: columns. */
static void lay_out(picture *p)
{
    const accord_tree *t = p->tree;
    uint32_t n = t->leaves, root = n + t->inner - 1;
    accord_tree_sizes(t, p->size);
    p->x[root] = 0;
    p->depth[root] = 0;
    for (uint32_t k = t->inner; k-- > 0;) {
        double at = p->x[n + k];
        for (uint32_t c = t->first[k]; c < t->first[k + 1]; c++) {
            uint32_t v = t->child[c];
            p->x[v] = at;
            p->depth[v] = p->depth[n + k] + 1;
            p->deepest = p->depth[v] > p->deepest ? p->depth[v] : p->deepest;
            at += v < n ? 1 : p->size[v - n];
        }
    }
    for (uint32_t k = 0; k < t->inner; k++)
        p->x[n + k] = (p->x[t->child[t->first[k]]] + p->x[t->child[t->first[k + 1] - 1]]) / 2;
}

static int digits_of(uint32_t value)
{
    int digits = 1;
    for (; value >= 10; value /= 10)
        digits++;
    return digits;
}

static void choose_scale(picture *p, const char *caption)
{
    double n = p->tree->leaves, rows = p->deepest > 0 ? p->deepest : 1;
    p->column = fmin(COLUMN, WIDEST / n);
    double wanted = fmax(ROW, p->column * n / (2.6 * rows)); /* no long flat strips */
    p->row = fmin(wanted, HIGHEST / rows);
    p->radius = fmin(12, fmin(0.42 * p->column, 0.36 * p->row));
    double room = fmin(0.92 * p->column, 2.2 * p->radius);
    p->label = fmin(12.5, room / (0.6 * digits_of(p->tree->leaves - 1)));
    p->stroke = fmin(1.4, fmax(0.25, 0.14 * p->radius));
    double drawn = p->column * (n - 1), written = 7.0 * (double)strlen(caption);
    p->width = ceil(fmax(drawn + 2 * p->radius, written) + 2 * MARGIN);
    p->left = (p->width - drawn) / 2;
    p->top = MARGIN + p->radius;
    p->height = ceil(p->row * p->deepest + 2 * p->top + (*caption ? 26 : 0));
    p->tooltips = p->tree->leaves <= MOST_TOOLTIPS;
}

static void put_size(picture *p, double value)
{
    accordi_stream_hundredths(p->out, llround(value * 100));
}

static double x_of(const picture *p, uint32_t v)
{
    return p->left + p->column * p->x[v];
}

static double y_of(const picture *p, uint32_t v)
{
    return p->top + p->row * p->depth[v];
}

static void put_attribute(picture *p, const char *name, double value)
{
    accordi_stream_char(p->out, ' ');
    accordi_stream_puts(p->out, name);
    accordi_stream_puts(p->out, "=\"");
    put_size(p, value);
    accordi_stream_char(p->out, '"');
}

static void put_title(picture *p, uint32_t v)
{
    uint32_t n = p->tree->leaves;
    accordi_stream_puts(p->out, v < n ? "<title>term " : "<title>node ");
    accordi_stream_number(p->out, v);
    if (v >= n) {
        uint32_t k = v - n, children = p->tree->first[k + 1] - p->tree->first[k];
        accordi_stream_puts(p->out, ": ");
        accordi_stream_number(p->out, p->size[k]);
        accordi_stream_puts(p->out, " terms");
        if (children > 2) {
            accordi_stream_puts(p->out, ", fuses ");
            accordi_stream_number(p->out, children);
        }
    }
    accordi_stream_puts(p->out, "</title>");
}

/* The edges of a node down to its children, as one path. */
static void put_edges(picture *p, uint32_t k)
{
    const accord_tree *t = p->tree;
    uint32_t v = t->leaves + k;
    accordi_stream_puts(p->out, "<path d=\"");
    for (uint32_t c = t->first[k]; c < t->first[k + 1]; c++) {
        accordi_stream_char(p->out, 'M');
        put_size(p, x_of(p, v));
        accordi_stream_char(p->out, ' ');
        put_size(p, y_of(p, v));
        accordi_stream_char(p->out, 'L');
        put_size(p, x_of(p, t->child[c]));
        accordi_stream_char(p->out, ' ');
        put_size(p, y_of(p, t->child[c]));
    }
    accordi_stream_puts(p->out, "\"/>\n");
}

static bool is_fused(const picture *p, uint32_t v)
{
    const accord_tree *t = p->tree;
    return v >= t->leaves && t->first[v - t->leaves + 1] - t->first[v - t->leaves] > 2;
}

static void put_circle(picture *p, uint32_t v)
{
    accordi_stream_puts(p->out, v < p->tree->leaves ? "<circle class=\"t\""
                                : is_fused(p, v)    ? "<circle class=\"f\""
                                                    : "<circle");
    put_attribute(p, "cx", x_of(p, v));
    put_attribute(p, "cy", y_of(p, v));
    put_attribute(p, "r", p->radius);
    if (!p->tooltips) {
        accordi_stream_puts(p->out, "/>");
        return;
    }
    accordi_stream_char(p->out, '>');
    put_title(p, v);
    accordi_stream_puts(p->out, "</circle>");
}

/* The plus sign in a node, or the number in a leaf. */
static void put_label(picture *p, uint32_t v)
{
    double x = x_of(p, v), y = y_of(p, v), arm = 0.5 * p->radius;
    if (v >= p->tree->leaves) {
        accordi_stream_puts(p->out, "<path class=\"p\" d=\"M");
        put_size(p, x - arm);
        accordi_stream_char(p->out, ' ');
        put_size(p, y);
        accordi_stream_char(p->out, 'h');
        put_size(p, 2 * arm);
        accordi_stream_char(p->out, 'M');
        put_size(p, x);
        accordi_stream_char(p->out, ' ');
        put_size(p, y - arm);
        accordi_stream_char(p->out, 'v');
        put_size(p, 2 * arm);
        accordi_stream_puts(p->out, "\"/>");
        return;
    }
    accordi_stream_puts(p->out, "<text");
    put_attribute(p, "x", x);
    put_attribute(p, "y", y + 0.36 * p->label);
    accordi_stream_char(p->out, '>');
    accordi_stream_number(p->out, v);
    accordi_stream_puts(p->out, "</text>");
}

static void put_style(picture *p)
{
    accordi_stream_puts(p->out, "<style>path{fill:none;stroke:#5b6b80;stroke-width:");
    put_size(p, p->stroke);
    accordi_stream_puts(p->out, "}circle{fill:#dbe9fb;stroke:#2b5c9e;stroke-width:");
    put_size(p, p->stroke);
    accordi_stream_puts(p->out, "}.t{fill:#f4f4f2;stroke:#9a9a94}.f{fill:#fde3cf;stroke:#c2560c}"
                                ".p{stroke:#22384f}text{font-family:Helvetica,Arial,"
                                "'DejaVu Sans',sans-serif;font-size:");
    put_size(p, p->label);
    accordi_stream_puts(p->out, "px;text-anchor:middle;fill:#22384f}.c{font-size:12px;"
                                "fill:#5b6b80}</style>\n");
}

static void put_head(picture *p)
{
    accordi_stream_puts(p->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ");
    put_size(p, p->width);
    accordi_stream_char(p->out, ' ');
    put_size(p, p->height);
    accordi_stream_char(p->out, '"');
    put_attribute(p, "width", p->width);
    put_attribute(p, "height", p->height);
    accordi_stream_puts(p->out, ">\n");
    put_style(p);
    accordi_stream_puts(p->out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

static void put_escaped(picture *p, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '&'   ? "&amp;"
                             : *text == '<' ? "&lt;"
                             : *text == '>' ? "&gt;"
                                            : NULL;
        if (entity)
            accordi_stream_puts(p->out, entity);
        else
            accordi_stream_char(p->out, *text);
    }
}

static void draw(picture *p, const char *caption)
{
    const accord_tree *t = p->tree;
    uint32_t nodes = t->leaves + t->inner;
    put_head(p);
    for (uint32_t k = 0; k < t->inner; k++)
        put_edges(p, k);
    bool labels = p->label >= LEAST_LABEL, shapes = p->tooltips || p->radius >= 1;
    for (uint32_t v = 0; shapes && v < nodes; v++) {
        put_circle(p, v);
        if (labels)
            put_label(p, v);
        accordi_stream_char(p->out, '\n');
    }
    if (*caption) {
        accordi_stream_puts(p->out, "<text class=\"c\"");
        put_attribute(p, "x", p->width / 2);
        put_attribute(p, "y", p->height - 14);
        accordi_stream_char(p->out, '>');
        put_escaped(p, caption);
        accordi_stream_puts(p->out, "</text>\n");
    }
    accordi_stream_puts(p->out, "</svg>\n");
}

/* "TARGET, N terms"; NULL when there is no memory, "" when the target is not known. */
static char *caption_of(const accord_record *record)
{
    char *target = accordi_utf8(record->target ? record->target : "", true);
    accordi_buffer caption = {0};
    if (!target)
        return NULL;
    accordi_buffer_puts(&caption, "");
    if (*target)
        accordi_buffer_printf(&caption, "%s, %u term%s", target, record->tree->leaves,
                              record->tree->leaves == 1 ? "" : "s");
    free(target);
    if (caption.failed)
        accordi_buffer_clear(&caption);
    return caption.data;
}

enum accord_status accordi_write_svg(const accord_record *record,
                                     const accord_write_options *options, accordi_stream *stream,
                                     accord_error *error)
{
    (void)options;
    const accord_tree *t = record->tree;
    size_t nodes = (size_t)t->leaves + t->inner;
    picture p = {.tree = t, .out = stream};
    p.x = accordi_alloc(nodes, sizeof *p.x);
    p.depth = accordi_alloc(nodes, sizeof *p.depth);
    p.size = accordi_alloc(t->inner, sizeof *p.size);
    char *caption = caption_of(record);
    bool ready = p.x && p.depth && p.size && caption;
    if (ready) {
        lay_out(&p);
        choose_scale(&p, caption);
        draw(&p, caption);
    }
    free(p.x);
    free(p.depth);
    free(p.size);
    free(caption);
    return ready ? ACCORD_OK : accordi_nomem(error);
}
