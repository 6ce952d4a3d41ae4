/* The picture: a layout in linear time, then one or two elements per node.
 *
 * Layout. Leaves take one column each in the order of the brackets; a node stands midway between
 * its first and last child, one row below its parent; the root is at the top. No edge crosses
 * another, whatever the tree.
 *
 * Scale. Columns and rows are comfortable as long as the picture stays within a large screen's
 * reach; beyond that they shrink. A node's circle is as large as its row and the columns of its
 * own leaves on either side allow, so circles never meet: in a large tree the upper nodes stay
 * legible while the lower ones dwindle and are left out, first the writing, then the circle; the
 * tooltip moves to the edges then. */
#include "record/pictures/svg.h"
#include <math.h>

#define COLUMN 34.0 /* comfortable distances, pixels */
#define ROW 46.0
#define NEAREST_ROW 30.0 /* rows of deep trees move together so far before all shrinks */
#define WIDEST 3000.0
#define HIGHEST 2000.0
#define MARGIN 24.0
#define RADIUS 12.0
#define LEAST_CIRCLE 0.75   /* pixels: a smaller circle is left out */
#define LEAST_LABEL 5.0     /* smaller writing is left out */
#define LEAST_PLUS 2.0      /* radius that still gets its plus sign */
#define THICK_FROM 3.0      /* pixels of room that allow thick lines, … */
#define MIDDLE_FROM 0.6     /* … middling ones */
#define MOST_TOOLTIPS 30000 /* leaves */

typedef struct picture {
    const accord_tree *tree;
    double *x;       /* n+m: columns */
    float *room;     /* n+m: columns free on the narrower side, within the node's own leaves */
    uint32_t *depth; /* n+m: rows */
    uint32_t *size;  /* m */
    uint32_t deepest;
    double column, row, radius, label, caption;
    double stroke[3]; /* thin, middling, thick */
    double left, top, width, height;
    bool tooltips;
    accordi_marks marks;
    char words[ACCORD_DESCRIPTION_SIZE]; /* the arithmetic; "" when it is not known */
    accordi_stream *out;
} picture;

/* Top down: rows, and (in x for now) the column at which a subtree begins; bottom up: columns. */
static void lay_out_tree(picture *p)
{
    const accord_tree *t = p->tree;
    uint32_t n = t->leaves, root = n + t->inner - 1;
    accord_tree_sizes(t, p->size);
    p->x[root] = 0;
    p->room[root] = 0.5F;
    p->depth[root] = 0;
    for (uint32_t k = t->inner; k-- > 0;) {
        double at = p->x[n + k];
        for (uint32_t c = t->first[k]; c < t->first[k + 1]; c++) {
            uint32_t v = t->child[c];
            p->x[v] = at;
            p->room[v] = 0.5F;
            p->depth[v] = p->depth[n + k] + 1;
            p->deepest = p->depth[v] > p->deepest ? p->depth[v] : p->deepest;
            at += v < n ? 1 : p->size[v - n];
        }
    }
    for (uint32_t k = 0; k < t->inner; k++) {
        double begin = p->x[n + k], end = begin + p->size[k] - 1;
        double x = (p->x[t->child[t->first[k]]] + p->x[t->child[t->first[k + 1] - 1]]) / 2;
        p->x[n + k] = x;
        p->room[n + k] = (float)(fmin(x - begin, end - x) + 0.5);
    }
}

static int digits_of(uint32_t value)
{
    int digits = 1;
    for (; value >= 10; value /= 10)
        digits++;
    return digits;
}

static void choose_svg_scale(picture *p, const char *caption)
{
    double n = p->tree->leaves, rows = p->deepest > 0 ? p->deepest : 1;
    p->column = fmin(COLUMN, WIDEST / n);
    double drawn = p->column * (n - 1), flat = drawn / (2.6 * rows), steep = 0.8 * drawn / rows;
    p->row = flat > ROW ? flat : fmax(fmin(ROW, steep), NEAREST_ROW);
    p->row = fmin(p->row, HIGHEST / rows);
    double grown = sqrt(fmax(1, drawn / 1500)); /* large pictures are looked at from afar */
    p->radius = fmin(RADIUS * grown, 0.36 * p->row);
    double room = 2 * fmin(0.46 * p->column, p->radius);
    p->label = fmin(12.5, room / (0.62 * digits_of(p->tree->leaves - 1)));
    p->stroke[2] = 1.4 * grown;
    p->stroke[1] = fmin(0.7, p->stroke[2]);
    double thin = p->row < 1 ? 0.7 : 0.3; /* where rows are closest there are few columns to fill */
    p->stroke[0] = fmin(p->stroke[1], fmax(thin, 0.14 * fmin(p->column, 2 * p->row)));
    p->caption = 12 * grown;
    size_t longest = strlen(caption) > strlen(p->words) ? strlen(caption) : strlen(p->words);
    double written = 0.6 * p->caption * (double)longest;
    p->width = ceil(fmax(drawn + 2 * p->radius, written) + 2 * MARGIN);
    p->left = (p->width - drawn) / 2;
    p->top = MARGIN + p->radius;
    double lines = (*caption ? 2 : 0) + (*p->words ? 1.5 : 0);
    p->height = ceil(p->row * p->deepest + 2 * p->top + lines * p->caption);
    p->tooltips = p->tree->leaves <= MOST_TOOLTIPS;
}

static double radius_of(const picture *p, uint32_t v)
{
    return fmin(p->radius, 0.84 * p->column * (double)p->room[v]);
}

/* The class of a line that has so many pixels of room. */
static const char *class_of(double room)
{
    return room >= THICK_FROM ? "" : room >= MIDDLE_FROM ? " m" : " s";
}

/* Half the distance between the ends of a node's edges. */
static double room_below(const picture *p, uint32_t k)
{
    const accord_tree *t = p->tree;
    uint32_t begin = t->first[k], end = t->first[k + 1] - 1;
    return 0.42 * p->column * (p->x[t->child[end]] - p->x[t->child[begin]]) / (end - begin);
}

static double x_of(const picture *p, uint32_t v)
{
    return p->left + p->column * p->x[v];
}

static double y_of(const picture *p, uint32_t v)
{
    return p->top + p->row * p->depth[v];
}

static void put_name(picture *p, uint32_t v)
{
    accordi_stream_printf(p->out, v < p->tree->leaves ? "term %u" : "node %u", v);
}

/* "node 12: 6 terms, node 9 + node 10 + term 3". */
static void put_node_title(picture *p, uint32_t v)
{
    const accord_tree *t = p->tree;
    accordi_stream_puts(p->out, "<title>");
    put_name(p, v);
    if (v >= t->leaves) {
        uint32_t k = v - t->leaves, begin = t->first[k], end = t->first[k + 1];
        accordi_stream_printf(p->out, ": %u terms, ", p->size[k]);
        for (uint32_t c = begin; c < end && c < begin + 4; c++) {
            accordi_stream_puts(p->out, c > begin ? " + " : "");
            put_name(p, t->child[c]);
        }
        accordi_stream_puts(p->out, end > begin + 4 ? " + …" : "");
        const char *mark = accordi_mark_of(&p->marks, k);
        accordi_stream_printf(p->out, "%s%s", mark ? ", " : "", mark ? mark : "");
    }
    accordi_stream_puts(p->out, "</title>");
}

static void put_point(picture *p, char command, uint32_t v)
{
    accordi_stream_printf(p->out, "%c%f %f", command, x_of(p, v), y_of(p, v));
}

/* The edges of a node down to its children, as one path. */
static void put_edges(picture *p, uint32_t k)
{
    const accord_tree *t = p->tree;
    uint32_t v = t->leaves + k, begin = t->first[k];
    double radius = radius_of(p, v);
    accordi_stream_printf(p->out, "<path class=\"e%s\" d=\"",
                          class_of(fmin(radius, room_below(p, k))));
    for (uint32_t c = begin; c < t->first[k + 1]; c++) {
        if (c != begin + 1)
            put_point(p, 'M', c == begin ? t->child[c] : v);
        put_point(p, 'L', c == begin ? v : t->child[c]);
    }
    if (p->tooltips && radius < LEAST_CIRCLE) {
        accordi_stream_puts(p->out, "\">");
        put_node_title(p, v);
        accordi_stream_puts(p->out, "</path>\n");
    } else {
        accordi_stream_puts(p->out, "\"/>\n");
    }
}

static bool is_fused(const picture *p, uint32_t v)
{
    const accord_tree *t = p->tree;
    return v >= t->leaves && t->first[v - t->leaves + 1] - t->first[v - t->leaves] > 2;
}

/* Of an inner node that is not computed like most. */
static const char *mark_of(const picture *p, uint32_t v)
{
    return v < p->tree->leaves ? NULL : accordi_mark_of(&p->marks, v - p->tree->leaves);
}

/* The label of such a node in its circle, as large as fits. */
static void put_mark(picture *p, uint32_t v, const char *mark)
{
    double size = fmin(12.5, 1.8 * radius_of(p, v) / (0.6 * (double)strlen(mark)));
    if (size < LEAST_LABEL)
        return;
    accordi_stream_printf(p->out, "<text x=\"%f\" y=\"%f\" style=\"font-size:%fpx\">%s</text>",
                          x_of(p, v), y_of(p, v) + 0.36 * size, size, mark);
}

static void put_circle(picture *p, uint32_t v)
{
    const char *kind = v < p->tree->leaves ? "t" : mark_of(p, v) ? "k" : is_fused(p, v) ? "f" : "n";
    accordi_stream_printf(p->out, "<circle class=\"%s%s\" cx=\"%f\" cy=\"%f\" r=\"%f\"", kind,
                          class_of(0.7 * radius_of(p, v)), x_of(p, v), y_of(p, v), radius_of(p, v));
    if (!p->tooltips) {
        accordi_stream_puts(p->out, "/>");
        return;
    }
    accordi_stream_char(p->out, '>');
    put_node_title(p, v);
    accordi_stream_puts(p->out, "</circle>");
}

static void put_plus(picture *p, uint32_t v)
{
    double x = x_of(p, v), y = y_of(p, v), arm = 0.5 * radius_of(p, v);
    accordi_stream_printf(p->out, "<path class=\"p%s\" d=\"M%f %fh%fM%f %fv%f\"/>", class_of(arm),
                          x - arm, y, 2 * arm, x, y - arm, 2 * arm);
}

static void put_number(picture *p, uint32_t v)
{
    accordi_stream_printf(p->out, "<text x=\"%f\" y=\"%f\">%u</text>", x_of(p, v),
                          y_of(p, v) + 0.36 * p->label, v);
}

/* The circle of a node with the sign or the number in it, as far as there is room. */
static void put_svg_node(picture *p, uint32_t v)
{
    double radius = radius_of(p, v);
    if (radius < LEAST_CIRCLE)
        return;
    put_circle(p, v);
    if (v < p->tree->leaves && p->label >= LEAST_LABEL)
        put_number(p, v);
    else if (mark_of(p, v))
        put_mark(p, v, mark_of(p, v));
    else if (v >= p->tree->leaves && radius >= LEAST_PLUS)
        put_plus(p, v);
    accordi_stream_char(p->out, '\n');
}

static void put_style(picture *p)
{
    accordi_stream_printf(p->out,
                          "<style>path,circle{stroke-width:%f}.m{stroke-width:%f}.s{stroke-width:%"
                          "f}" ACCORDI_SVG_COLORS "text{" ACCORDI_SVG_FONT
                          ";font-size:%fpx;text-anchor:middle;fill:#22384f}.c{font-size:%fpx;fill:#"
                          "5b6b80}%s</style>\n",
                          p->stroke[2], p->stroke[1], p->stroke[0], p->label, p->caption,
                          p->marks.kinds ? ACCORDI_SVG_MARKED : "");
}

static void put_svg_head(picture *p)
{
    accordi_stream_printf(p->out,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %f %f\" "
                          "width=\"%f\" height=\"%f\">\n",
                          p->width, p->height, p->width, p->height);
    put_style(p);
    accordi_stream_puts(p->out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

/* So many of its lines above the lower edge. */
static void put_caption(picture *p, const char *text, double lines)
{
    if (!*text)
        return;
    accordi_stream_printf(p->out, "<text class=\"c\" x=\"%f\" y=\"%f\">", p->width / 2,
                          p->height - lines * p->caption);
    accordi_stream_escape(p->out, text);
    accordi_stream_puts(p->out, "</text>\n");
}

static void draw_picture(picture *p, const char *caption)
{
    const accord_tree *t = p->tree;
    uint32_t nodes = t->leaves + t->inner;
    put_svg_head(p);
    for (uint32_t k = 0; k < t->inner; k++)
        put_edges(p, k);
    for (uint32_t v = 0; v < nodes; v++)
        put_svg_node(p, v);
    put_caption(p, caption, 1.2);
    put_caption(p, p->words, *caption ? 2.7 : 1.2);
    accordi_stream_puts(p->out, "</svg>\n");
}

static enum accord_status draw_whole(const accord_record *record, accordi_stream *stream,
                                     accord_error *error)
{
    const accord_tree *t = record->tree;
    size_t nodes = (size_t)t->leaves + t->inner;
    picture p = {.tree = t, .out = stream};
    p.x = accordi_alloc(nodes, sizeof *p.x);
    p.room = accordi_alloc(nodes, sizeof *p.room);
    p.depth = accordi_alloc(nodes, sizeof *p.depth);
    p.size = accordi_alloc(t->inner, sizeof *p.size);
    char *caption = accordi_svg_caption(record);
    if (record->arithmetic)
        accord_model_describe(&(accord_model){t, record->arithmetic}, p.words, sizeof p.words);
    bool marked = accordi_marks_make(record, &p.marks, NULL) == ACCORD_OK;
    bool ready = p.x && p.room && p.depth && p.size && caption && marked;
    if (ready) {
        lay_out_tree(&p);
        choose_svg_scale(&p, caption);
        draw_picture(&p, caption);
    }
    free(p.x);
    free(p.room);
    free(p.depth);
    free(p.size);
    free(caption);
    accordi_marks_clear(&p.marks);
    return ready ? ACCORD_OK : accordi_nomem(error);
}

enum accord_status accordi_write_svg(const accord_record *record,
                                     const accord_write_options *options, accordi_stream *stream,
                                     accord_error *error)
{
    accordi_kinds kinds;
    accord_pattern *pattern = NULL;
    if (options->expand || record->tree->leaves <= ACCORDI_DRAWN_WHOLE)
        return draw_whole(record, stream, error);
    enum accord_status status = accordi_kinds_make(record, &kinds, error);
    if (status)
        return status;
    status = accord_pattern_of(record->tree, kinds.label, &pattern, error);
    if (!status && accordi_is_outlined(record->tree, pattern))
        status = accordi_write_svg_outline(record, &kinds, pattern, stream, error);
    else if (!status)
        status = draw_whole(record, stream, error);
    accord_pattern_free(pattern);
    accordi_kinds_clear(&kinds);
    return status;
}
