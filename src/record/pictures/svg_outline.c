/* The outline of a large order as a picture: what repeats is drawn once, with the number of times.
 *
 * Layout as for a whole tree: an item stands above the middle of its children, a row higher. What
 * is written beside an item belongs to its width, so nothing meets. */
#include "record/pictures/svg.h"
#include <accord/notation.h>
#include <math.h>

/* A chain of items is no longer than all of them: what is opened last adds the parts of one node.
 */
enum { MOST_ITEMS = 48, MOST_ROWS = MOST_ITEMS + 16, LONGEST_LINE = 140 };
#define ROW 84.0
#define RADIUS 13.0
#define LETTER 7.0 /* the width of a letter, about */
#define GAP 22.0   /* between neighbors */
#define MARGIN 28.0
#define LINE 20.0 /* of the caption */

typedef struct place {
    double x; /* of the middle; at first relative to the parent */
    uint32_t row, rows;
    /* The ends of what is drawn in each row from the item's own on, relative to its middle. */
    double left[MOST_ROWS], right[MOST_ROWS];
    accordi_buffer text;
    char times[ACCORDI_GROUPED + 4]; /* "× 1,250", or "" */
} place;

typedef struct picture {
    const accordi_kinds *kinds;
    accordi_outline outline;
    place *place;
    uint32_t rows;
    double width, height;
    accordi_stream *out;
} picture;

static bool is_open(const accordi_outline_item *item)
{
    return item->kind == ACCORDI_OUTLINE_NODE || item->kind == ACCORDI_OUTLINE_CHAIN ||
           item->kind == ACCORDI_OUTLINE_FOLD;
}

static double letters(const char *text)
{
    return LETTER * (double)accordi_columns(text, strlen(text));
}

/* What is written stands within a box. */
static double half_width(const picture *p, uint32_t i)
{
    double text = letters(p->place[i].text.data), times = letters(p->place[i].times);
    return is_open(&p->outline.item[i]) ? RADIUS : fmax(RADIUS, fmax(text / 2 + 8, times / 2));
}

/* The item alone; what is written beside a sign stands to its right, the letter to its left. */
static void measure(picture *p, uint32_t i)
{
    place *here = &p->place[i];
    double text = fmax(letters(here->text.data), letters(here->times));
    bool open = is_open(&p->outline.item[i]);
    here->rows = 1;
    here->left[0] = -half_width(p, i) - (p->outline.item[i].letter ? 16 : open ? 8 : 0);
    here->right[0] = half_width(p, i) + (open && text > 0 ? 20 + text : 8);
}

/* Puts an item to the right of those that stand below its parent, as near as all rows allow. Until
 * the last one is there, what is below the parent is relative to the first one. */
static void put_beside(picture *p, uint32_t i)
{
    place *here = &p->place[i], *above = &p->place[p->outline.item[i].parent];
    double x = 0;
    for (uint32_t row = 0; row < here->rows && row + 1 < above->rows; row++)
        x = fmax(x, above->right[row + 1] + GAP - here->left[row]);
    here->x = x;
    for (uint32_t row = 0; row < here->rows; row++) {
        if (row + 1 >= above->rows)
            above->left[row + 1] = x + here->left[row];
        above->right[row + 1] = x + here->right[row];
    }
    above->rows = here->rows + 1 > above->rows ? here->rows + 1 : above->rows;
}

/* An item and all below it. Those that are directly below follow each other in the list. */
static void place_below(picture *p, uint32_t i)
{
    const accordi_outline *o = &p->outline;
    place *here = &p->place[i];
    uint32_t begin = i + 1, end;
    measure(p, i);
    while (begin < o->count && o->item[begin].parent != i)
        begin++;
    for (end = begin; end < o->count && o->item[end].parent == i; end++)
        put_beside(p, end);
    if (begin == end)
        return;
    double middle = p->place[end - 1].x / 2;
    for (uint32_t k = begin; k < end; k++)
        p->place[k].x -= middle;
    for (uint32_t row = 1; row < here->rows; row++) {
        here->left[row] -= middle;
        here->right[row] -= middle;
    }
}

/* Items stand behind their parents: backwards is bottom up. */
static void lay_out(picture *p)
{
    const accordi_outline *o = &p->outline;
    double left = 0, right = 0;
    for (uint32_t i = o->count; i-- > 0;)
        place_below(p, i);
    for (uint32_t row = 0; row < p->place[0].rows; row++) {
        left = fmin(left, p->place[0].left[row]);
        right = fmax(right, p->place[0].right[row]);
    }
    p->width = right - left;
    p->rows = p->place[0].rows - 1;
    p->place[0].x = -left;
    for (uint32_t i = 1; i < o->count; i++) {
        p->place[i].x += p->place[o->item[i].parent].x;
        p->place[i].row = p->place[o->item[i].parent].row + 1;
    }
}

/* ---- drawing ---- */

static double x_of(const picture *p, uint32_t i)
{
    return MARGIN + p->place[i].x;
}

static double y_of(const picture *p, uint32_t i)
{
    return MARGIN + RADIUS + 8 + ROW * p->place[i].row;
}

static const char *mark_of(const picture *p, const accordi_outline_item *item)
{
    return item->label ? p->kinds->kind[item->label - 1].mark : NULL;
}

static const char *class_of(const picture *p, const accordi_outline_item *item)
{
    return mark_of(p, item) ? "k" : item->operands > 2 ? "f" : "n";
}

static void put_text(picture *p, const char *class, double x, double y, const char *text)
{
    accordi_stream_printf(p->out, "<text%s x=\"%f\" y=\"%f\">", class, x, y);
    accordi_stream_escape(p->out, text);
    accordi_stream_puts(p->out, "</text>");
}

static void put_plus(picture *p, double x, double y, double arm)
{
    accordi_stream_printf(p->out, "<path class=\"p\" d=\"M%f %fh%fM%f %fv%f\"/>", x - arm, y,
                          2 * arm, x, y - arm, 2 * arm);
}

static void put_sign(picture *p, const accordi_outline_item *item, double x, double y, double arm)
{
    const char *mark = mark_of(p, item);
    if (!mark) {
        put_plus(p, x, y, arm);
        return;
    }
    double size = fmin(11, 2 * RADIUS / (0.62 * (double)strlen(mark)));
    accordi_stream_printf(p->out, "<text x=\"%f\" y=\"%f\" style=\"font-size:%fpx\">", x,
                          y + 0.36 * size, size);
    accordi_stream_escape(p->out, mark);
    accordi_stream_puts(p->out, "</text>");
}

/* One frame of the item, or of a copy behind it. */
static void put_frame(picture *p, uint32_t i, double x, double y, const char *class)
{
    const accordi_outline_item *item = &p->outline.item[i];
    double half = half_width(p, i);
    switch (item->kind) {
    case ACCORDI_OUTLINE_NODE:
        accordi_stream_printf(p->out, "<circle class=\"%s\" cx=\"%f\" cy=\"%f\" r=\"%f\"/>", class,
                              x, y, RADIUS);
        break;
    case ACCORDI_OUTLINE_CHAIN:
        accordi_stream_printf(p->out,
                              "<rect class=\"%s\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\" "
                              "rx=\"%f\"/>",
                              class, x - RADIUS, y - 21, 2 * RADIUS, 42.0, RADIUS);
        break;
    case ACCORDI_OUTLINE_FOLD:
        accordi_stream_printf(p->out, "<path class=\"%s\" d=\"M%f %fl%f %fh%fz\"/>", class, x,
                              y - 22, 24.0, 40.0, -48.0);
        break;
    case ACCORDI_OUTLINE_REST:
        break;
    default:
        accordi_stream_printf(p->out,
                              "<rect class=\"%s\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\" "
                              "rx=\"%f\"/>",
                              class, x - half, y - RADIUS, 2 * half, 2 * RADIUS,
                              item->kind == ACCORDI_OUTLINE_TERM ? RADIUS : 4.0);
    }
}

static void put_title(picture *p, uint32_t i)
{
    const accordi_outline_item *item = &p->outline.item[i];
    char count[ACCORDI_GROUPED];
    accordi_put_count(count, item->leaves);
    accordi_stream_printf(p->out, "<title>%s term%s", count, item->leaves == 1 ? "" : "s");
    if (p->place[i].times[0])
        accordi_stream_printf(p->out, ", %s", p->place[i].times);
    if (item->label) {
        accordi_stream_puts(p->out, "; ");
        accordi_stream_escape(p->out, p->kinds->kind[item->label - 1].words);
    }
    accordi_stream_puts(p->out, "</title>");
}

static void put_item(picture *p, uint32_t i)
{
    const accordi_outline_item *item = &p->outline.item[i];
    const place *here = &p->place[i];
    double x = x_of(p, i), y = y_of(p, i);
    const char *class = is_open(item)                       ? class_of(p, item)
                        : item->kind == ACCORDI_OUTLINE_BOX ? "b"
                                                            : "t";
    accordi_stream_puts(p->out, "<g>");
    put_title(p, i);
    for (int copy = item->times > 2 ? 2 : (int)item->times - 1; copy > 0; copy--)
        put_frame(p, i, x + 4 * copy, y - 4 * copy, class);
    put_frame(p, i, x, y, class);
    if (item->kind == ACCORDI_OUTLINE_CHAIN) {
        put_sign(p, item, x, y - 9, 4);
        put_sign(p, item, x, y + 9, 4);
    } else if (is_open(item)) {
        put_sign(p, item, x, y + (item->kind == ACCORDI_OUTLINE_FOLD ? 5 : 0), 6);
    } else {
        put_text(p, "", x, y + 4.5, here->text.data);
    }
    bool fold = item->kind == ACCORDI_OUTLINE_FOLD;
    double copies = item->times > 2 ? 2 : (double)item->times - 1;
    double beside = x + (fold ? 29 : RADIUS + 6) + 4 * copies, line = y + (fold             ? 14
                                                                           : here->times[0] ? 12
                                                                                            : 5);
    if (is_open(item) && here->text.length)
        put_text(p, " class=\"l\"", beside, line, here->text.data);
    if (here->times[0] && is_open(item))
        put_text(p, " class=\"l x\"", beside, line - 17, here->times);
    else if (here->times[0])
        put_text(p, " class=\"x\"", x, y + RADIUS + 15, here->times);
    char letter[2] = {item->letter, 0};
    if (item->letter)
        put_text(p, " class=\"x\"", x - RADIUS - 10, y - 6, letter);
    accordi_stream_puts(p->out, "</g>\n");
}

static void put_edge(picture *p, uint32_t i)
{
    uint32_t above = p->outline.item[i].parent;
    accordi_stream_printf(p->out, "<path class=\"e\" d=\"M%f %fL%f %f\"/>\n", x_of(p, above),
                          y_of(p, above), x_of(p, i), y_of(p, i));
}

/* ---- the whole ---- */

static const char explanation[] = "What repeats is drawn once: × 8 means eight copies, a long sign "
                                  "is a chain, and a triangle is levels of "
                                  "equal parts.";

static void put_captions(picture *p, const char *const *line, int lines)
{
    for (int i = 0; i < lines; i++)
        put_text(p, " class=\"c\"", p->width / 2, p->height - LINE * (lines - i) + 4, line[i]);
    accordi_stream_char(p->out, '\n');
}

static void draw(picture *p, const char *const *line, int lines)
{
    double longest = 0, inner = p->width;
    for (int i = 0; i < lines; i++)
        longest = fmax(longest, 6.2 * (double)accordi_columns(line[i], strlen(line[i])));
    p->width = ceil(fmax(inner, longest) + 2 * MARGIN);
    for (uint32_t i = 0; i < p->outline.count; i++)
        p->place[i].x += (p->width - 2 * MARGIN - inner) / 2;
    p->height = ceil(2 * MARGIN + 2 * RADIUS + 24 + ROW * p->rows + LINE * lines);
    accordi_stream_printf(p->out,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %f %f\" "
                          "width=\"%f\" height=\"%f\">\n",
                          p->width, p->height, p->width, p->height);
    accordi_stream_puts(
        p->out, "<style>path,circle,rect{stroke-width:1.4}" ACCORDI_SVG_COLORS ACCORDI_SVG_MARKED
                ".b{fill:#ffffff;stroke:#9a9a94;stroke-dasharray:4 3}text{" ACCORDI_SVG_FONT
                ";font-size:12.5px;text-anchor:middle;fill:#22384f}.l{text-anchor:start;"
                "paint-order:stroke;stroke:#ffffff;stroke-width:3px}"
                ".x{font-weight:bold}.c{font-size:12px;fill:#5b6b80}</style>\n"
                "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    for (uint32_t i = 1; i < p->outline.count; i++)
        put_edge(p, i);
    for (uint32_t i = 0; i < p->outline.count; i++)
        put_item(p, i);
    put_captions(p, line, lines);
    accordi_stream_puts(p->out, "</svg>\n");
}

static bool name_items(picture *p)
{
    bool good = true;
    for (uint32_t i = 0; i < p->outline.count; i++) {
        const accordi_outline_item *item = &p->outline.item[i];
        place *here = &p->place[i];
        accordi_buffer_puts(&here->text, "");
        accordi_outline_text(&p->outline, item, &here->text);
        good = good && !here->text.failed;
        if (item->times > 1) {
            char count[ACCORDI_GROUPED];
            accordi_put_count(count, (int64_t)item->times);
            snprintf(here->times, sizeof here->times, "× %s", count);
        }
    }
    return good;
}

/* Whether anything is left out, and how much. */
static bool say_hidden(const picture *p, char *text, size_t size)
{
    char some[ACCORDI_GROUPED], all[ACCORDI_GROUPED];
    uint64_t hidden = p->outline.item[0].hidden;
    accordi_put_count(some, (int64_t)hidden);
    accordi_put_count(all, p->outline.item[0].leaves);
    snprintf(text, size,
             "Dashed boxes hold %s of the %s terms; how these are added is not drawn, but --expand "
             "draws it.",
             some, all);
    return hidden > 0;
}

static enum accord_status draw_outline(picture *p, const accord_record *record, accord_error *error)
{
    char words[ACCORD_DESCRIPTION_SIZE] = "", hidden[160], *notation = NULL;
    char *caption = accordi_svg_caption(record);
    const char *line[5];
    int lines = 0;
    enum accord_status status = accord_notation_write(record->tree, NULL, &notation, NULL, error);
    if (!caption || status) {
        free(caption);
        return accordi_nomem(error);
    }
    if (record->arithmetic)
        accord_model_describe(&(accord_model){record->tree, record->arithmetic}, words,
                              sizeof words);
    if (*caption)
        line[lines++] = caption;
    if (strlen(notation) <= LONGEST_LINE)
        line[lines++] = notation;
    if (*words)
        line[lines++] = words;
    line[lines++] = explanation;
    if (say_hidden(p, hidden, sizeof hidden))
        line[lines++] = hidden;
    draw(p, line, lines);
    free(caption);
    accord_notation_free(notation);
    return ACCORD_OK;
}

enum accord_status accordi_write_svg_outline(const accord_record *record,
                                             const accordi_kinds *kinds,
                                             const accord_pattern *pattern, accordi_stream *stream,
                                             accord_error *error)
{
    picture p = {.kinds = kinds, .out = stream};
    enum accord_status status = accordi_outline_make(pattern, MOST_ITEMS, &p.outline, error);
    if (status)
        return status;
    p.place = accordi_calloc(p.outline.count, sizeof *p.place);
    if (p.place && name_items(&p)) {
        lay_out(&p);
        status = draw_outline(&p, record, error);
    } else {
        status = accordi_nomem(error);
    }
    for (uint32_t i = 0; p.place && i < p.outline.count; i++)
        accordi_buffer_clear(&p.place[i].text);
    free(p.place);
    accordi_outline_clear(&p.outline);
    return status;
}
