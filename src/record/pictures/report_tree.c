/* The tree in a terminal: a row per leaf (or per run, or per subtree without room), time from
 * left to right, every addition one step to the right of the later of its operands:
 *
 *     0 ─┐
 *     1 ─┴─┐
 *     2 ─┐ │
 *     3 ─┴─┴─
 *
 * A node's line leaves from the last of its rows, so a bar never crosses a line. The picture is
 * made on a grid of cells that know in which directions they are connected. */
#include "record/pictures/report.h"
#include "record/pictures/view.h"

#define FULL_ROWS 64    /* trees up to so many leaves are drawn leaf by leaf if columns allow */
#define REDUCED_ROWS 32 /* larger ones in about so many rows */
#define MOST_FUSED 8    /* leaves of one node; with more, reduced at any size */

enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, FUSED = 16, DIRECTIONS = 15 };

static const char *const thin[16] = {" ", "│", "│", "│", "─", "┘", "┐", "┤",
                                     "─", "└", "┌", "├", "─", "┴", "┬", "┼"};
static const char *const thick[16] = {" ", "║", "║", "║", "─", "╜", "╖", "╢",
                                      "─", "╙", "╓", "╟", "─", "╨", "╥", "╫"};
static const char ascii_thin[] = " |||-'.|-'.|-'.+";
static const char ascii_thick[] = " ###-###-###-###";

typedef struct canvas {
    accordi_view view;
    char **label; /* per row, NULL until made */
    int *label_width;
    uint32_t widest; /* label */
    uint32_t step, width;
    unsigned char *cell;
    char *mark;   /* beside the cells: the letter of a node that is not like most, else 0 */
    bool numbers; /* all labels are leaf indices: set flush right */
} canvas;

static void canvas_clear(canvas *c)
{
    for (uint32_t i = 0; c->label && i < c->view.rows; i++)
        free(c->label[i]);
    free(c->label);
    free(c->label_width);
    free(c->cell);
    free(c->mark);
    accordi_view_clear(&c->view);
}

static enum accord_status make_labels(canvas *c, bool utf8, accord_error *error)
{
    c->label = accordi_calloc(c->view.rows, sizeof *c->label);
    c->label_width = accordi_calloc(c->view.rows, sizeof *c->label_width);
    if (!c->label || !c->label_width)
        return accordi_nomem(error);
    c->numbers = true;
    for (uint32_t i = 0; i < c->view.count; i++) {
        const accordi_item *item = accordi_view_item(&c->view, i);
        if (item->open)
            continue;
        accordi_buffer text = {0};
        enum accord_status status = accordi_view_label(&c->view, item, utf8, &text, error);
        if (status != ACCORD_OK) {
            accordi_buffer_clear(&text);
            return status;
        }
        c->label[item->row] = text.data;
        c->label_width[item->row] = (int)accordi_columns(text.data, text.length);
        uint32_t width = (uint32_t)c->label_width[item->row];
        c->widest = width > c->widest ? width : c->widest;
        c->numbers = c->numbers && item->kind == ACCORDI_TERM;
    }
    return ACCORD_OK;
}

static uint32_t line_of(const accordi_item *item)
{
    return item->row + item->rows - 1;
}

static uint32_t column_of(const canvas *c, const accordi_item *item)
{
    return item->open ? item->height * c->step : 0;
}

static void connect(canvas *c, uint32_t row, uint32_t column, int directions)
{
    c->cell[row * c->width + column] |= (unsigned char)directions;
}

/* The line of an item to the bar of its parent, and the part of that bar which it makes. */
static void draw_item(canvas *c, uint32_t i)
{
    const accordi_item *item = accordi_view_item(&c->view, i);
    const accordi_item *parent = accordi_view_item(&c->view, item->parent);
    uint32_t from = column_of(c, item), row = line_of(item), end = line_of(parent);
    uint32_t to = i == 0 ? c->width - 1 : column_of(c, parent);
    for (uint32_t x = from; x < to; x++) {
        connect(c, row, x, RIGHT);
        connect(c, row, x + 1, LEFT);
    }
    if (i == 0 || row >= end)
        return;
    for (uint32_t y = row; y < end; y++) {
        connect(c, y, to, DOWN);
        connect(c, y + 1, to, UP);
    }
    for (uint32_t y = row; parent->fused && y <= end; y++)
        connect(c, y, to, FUSED);
}

/* The letter of a node stands where its line leaves. */
static void mark_item(const accordi_report *report, canvas *c, uint32_t i)
{
    const accordi_item *item = accordi_view_item(&c->view, i);
    const accord_tree *tree = c->view.tree;
    if (!item->open || !report->marks->of_node || item->node < tree->leaves)
        return;
    uint8_t kind = report->marks->of_node[item->node - tree->leaves];
    if (kind)
        c->mark[line_of(item) * c->width + column_of(c, item)] = (char)('a' + kind - 1);
}

static void put_cell(const accordi_report *report, unsigned cell)
{
    bool fused = cell & FUSED;
    cell &= DIRECTIONS;
    char plain[2] = {fused ? ascii_thick[cell] : ascii_thin[cell], '\0'};
    const char *glyph = !report->utf8 ? plain : fused ? thick[cell] : thin[cell];
    if (fused && cell != (LEFT | RIGHT))
        accordi_report_ink(report, ACCORDI_FUSED, glyph);
    else
        accordi_stream_puts(report->out, glyph);
}

static void put_tree_row(const accordi_report *report, const canvas *c, uint32_t row)
{
    const unsigned char *cell = c->cell + row * c->width;
    size_t gap = c->widest - (uint32_t)c->label_width[row];
    uint32_t end = c->width;
    while (end > 0 && cell[end - 1] == 0)
        end--;
    accordi_stream_puts(report->out, "  ");
    accordi_stream_repeat(report->out, " ", c->numbers ? gap : 0);
    accordi_stream_puts(report->out, c->label[row]);
    accordi_stream_char(report->out, ' ');
    accordi_stream_repeat(report->out, report->utf8 ? thin[LEFT] : "-", c->numbers ? 0 : gap);
    for (uint32_t x = 0; x < end; x++) {
        char letter[2] = {c->mark[row * c->width + x], '\0'};
        if (letter[0])
            accordi_report_ink(report, ACCORDI_MARKED, letter);
        else
            put_cell(report, cell[x]);
    }
    accordi_stream_char(report->out, '\n');
}

/* Chooses the distance between bars; false if not even the narrowest fits. */
static bool fit(canvas *c, const accordi_report *report)
{
    uint32_t height = accordi_view_item(&c->view, 0)->height;
    uint32_t room = report->columns > 8 ? (uint32_t)report->columns - 3 : 5;
    for (c->step = 3; c->step > 0; c->step--) {
        c->width = height * c->step + 2;
        if ((c->step < 3 || height < 6) && c->widest + c->width <= room)
            return true;
    }
    return false;
}

static enum accord_status prepare(canvas *c, const accordi_report *report, bool full, uint32_t rows,
                                  bool *fits, accord_error *error)
{
    *c = (canvas){.label = NULL};
    enum accord_status status =
        accordi_view_build(&c->view, report->record->tree, full, rows, error);
    if (status == ACCORD_OK)
        status = make_labels(c, report->utf8, error);
    *fits = status == ACCORD_OK && fit(c, report);
    if (*fits) {
        c->cell = accordi_calloc(c->view.rows, c->width);
        c->mark = accordi_calloc(c->view.rows, c->width);
        if (!c->cell || !c->mark)
            status = accordi_nomem(error);
    }
    return status;
}

static void draw_tree(const accordi_report *report, canvas *c)
{
    for (uint32_t i = 0; i < c->view.count; i++)
        draw_item(c, i);
    for (uint32_t i = 0; i < c->view.count; i++)
        mark_item(report, c, i);
    for (uint32_t row = 0; row < c->view.rows; row++)
        put_tree_row(report, c, row);
}

static bool can_be_full(const accord_tree *tree)
{
    bool few = tree->leaves <= FULL_ROWS;
    for (uint32_t k = 0; few && k < tree->inner; k++)
        few = tree->first[k + 1] - tree->first[k] <= MOST_FUSED + 1;
    return few;
}

enum accord_status accordi_report_tree(const accordi_report *report, accord_error *error)
{
    bool full = can_be_full(report->record->tree), fits = false;
    uint32_t rows = REDUCED_ROWS;
    enum accord_status status = ACCORD_OK;
    while (status == ACCORD_OK && !fits) {
        canvas c;
        status = prepare(&c, report, full, rows, &fits, error);
        if (status == ACCORD_OK && !fits && rows == 1 && !full) {
            accordi_stream_puts(report->out, "  (too narrow to draw the tree)\n");
            fits = true;
        } else if (status == ACCORD_OK && fits) {
            draw_tree(report, &c);
        }
        canvas_clear(&c);
        rows = full ? rows : rows / 2;
        full = false;
    }
    return status;
}

/* ---- colors ---- */

static const char *const inks[] = {"\x1b[1m",  "\x1b[2m",  "\x1b[32m",
                                   "\x1b[31m", "\x1b[33m", "\x1b[36m"};

void accordi_report_ink(const accordi_report *report, enum accordi_ink ink, const char *text)
{
    if (report->color)
        accordi_stream_puts(report->out, inks[ink]);
    accordi_stream_puts(report->out, text);
    if (report->color)
        accordi_stream_puts(report->out, "\x1b[0m");
}
