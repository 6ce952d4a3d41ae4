/* The map in a terminal. Small results are drawn element by element, larger ones in blocks, each
 * as the class that has most of it; in a block with other classes the letter is small, or, in
 * color, there is a dot in the color of the next most. */
#include "record/pictures/report.h"
#include "map/picture.h"

enum { MARGIN = 8, LEAST_WIDTH = 20, MOST_LINES = 48, MOST_LISTED = 40 };

typedef struct report {
    const accord_map *map;
    const accord_write_options *options;
    accordi_stream *out;
    accordi_canvas canvas;
    size_t down, along; /* elements of a cell */
    uint32_t *count;    /* per class */
    int ink, ground;    /* as the terminal has them; -1: its own */
} report;

typedef struct cell {
    size_t most, next; /* classes; SIZE_MAX: none */
} cell;

/* Takes note of a class that has so many elements of the block. */
static void weigh_class(const report *r, cell *c, size_t id)
{
    if (id == c->most || id == c->next)
        return;
    if (c->most == SIZE_MAX || r->count[id] > r->count[c->most]) {
        c->next = c->most;
        c->most = id;
    } else if (c->next == SIZE_MAX || r->count[id] > r->count[c->next]) {
        c->next = id;
    }
}

/* The two classes that have most of a block: counted, weighed, forgotten. */
static cell count_block(report *r, size_t line, size_t place)
{
    cell c = {SIZE_MAX, SIZE_MAX};
    size_t row = line * r->down, column = place * r->along;
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = row; i < row + r->down; i++)
            for (size_t j = column; j < column + r->along; j++) {
                size_t id = accordi_canvas_at(&r->canvas, i, j);
                if (id == SIZE_MAX)
                    continue;
                if (pass == 1)
                    weigh_class(r, &c, id);
                r->count[id] = pass == 0 ? r->count[id] + 1 : pass == 1 ? r->count[id] : 0;
            }
    return c;
}

static int color_of(size_t id)
{
    return accordi_colors[id % ACCORDI_COLORS].terminal;
}

static void put_ink(report *r, int layer, int color) /* layer: 38 ink, 48 ground */
{
    int *now = layer == 38 ? &r->ink : &r->ground;
    if (*now == color)
        return;
    *now = color;
    accordi_stream_printf(r->out, "\033[%d;5;%dm", layer, color);
}

static void put_plain(report *r)
{
    if (r->ink >= 0 || r->ground >= 0)
        accordi_stream_puts(r->out, "\033[0m");
    r->ink = r->ground = -1;
}

static void put_letter(report *r, cell c)
{
    char letter = c.most == SIZE_MAX ? ' ' : c.most < 26 ? (char)('A' + c.most) : '#';
    if (c.next != SIZE_MAX)
        letter = c.most < 26 ? (char)('a' + c.most) : '+';
    accordi_stream_char(r->out, letter);
}

static void put_color(report *r, cell c)
{
    if (c.most == SIZE_MAX) {
        put_plain(r);
        accordi_stream_char(r->out, ' ');
        return;
    }
    put_ink(r, 48, color_of(c.most));
    if (c.next != SIZE_MAX)
        put_ink(r, 38, color_of(c.next));
    accordi_stream_puts(r->out, c.next == SIZE_MAX ? " " : r->options->ascii ? "*" : "•");
}

/* Two elements, one above the other. */
static void put_halves(report *r, size_t above, size_t below)
{
    if (above == SIZE_MAX || below == SIZE_MAX)
        put_plain(r);
    if (above == SIZE_MAX) {
        accordi_stream_char(r->out, ' ');
        return;
    }
    put_ink(r, 38, color_of(above));
    if (below != SIZE_MAX)
        put_ink(r, 48, color_of(below));
    accordi_stream_puts(r->out, "▀");
}

static void put_margin(report *r, size_t row)
{
    char label[32];
    size_t number = r->canvas.wrapped ? row * r->canvas.columns : row;
    snprintf(label, sizeof label, "%*zu ", MARGIN - 1, number);
    accordi_stream_puts(r->out, label);
}

static void draw_blocks(report *r)
{
    bool halves = r->options->color && !r->options->ascii && r->down == 1 && r->along == 1 &&
                  r->canvas.rows > 1;
    size_t lines = (r->canvas.rows + r->down - 1) / r->down;
    size_t cells = (r->canvas.columns + r->along - 1) / r->along;
    for (size_t line = 0; line < lines; line += 1 + halves) {
        put_margin(r, line * r->down);
        for (size_t i = 0; i < cells; i++)
            if (halves)
                put_halves(r, accordi_canvas_at(&r->canvas, line, i),
                           accordi_canvas_at(&r->canvas, line + 1, i));
            else if (r->options->color)
                put_color(r, count_block(r, line, i));
            else
                put_letter(r, count_block(r, line, i));
        put_plain(r);
        accordi_stream_char(r->out, '\n');
    }
}

static void put_scale(report *r)
{
    accordi_buffer text = {0};
    if (r->down > 1 || r->along > 1)
        accordi_buffer_printf(&text,
                              "%*sEach mark stands for %zu x %zu elements and shows the class of "
                              "most of them.\n%*s%s means that some belong to other classes.\n",
                              MARGIN, "", r->down, r->along, MARGIN, "",
                              r->options->color ? "A dot" : "A small letter");
    if (text.data && !text.failed)
        accordi_stream_puts(r->out, text.data);
    accordi_buffer_clear(&text);
}

static bool to_buffer(void *context, const char *text, size_t length)
{
    accordi_buffer *out = context;
    accordi_buffer_append(out, text, length);
    return out->length < 256;
}

/* The order in the notation, and in brackets where these are short enough for a line. */
static void put_tree(const accord_tree *tree, accordi_buffer *out)
{
    accordi_buffer brackets = {0}, notation = {0};
    if (!tree)
        return;
    accordi_put_notation(tree, &notation);
    if (notation.length > 0)
        accordi_buffer_printf(out, "        %s\n", notation.data);
    if (tree->leaves <= 24 && !accord_tree_write_brackets(tree, to_buffer, &brackets, NULL))
        accordi_buffer_printf(out, "        %s\n", brackets.data);
    accordi_buffer_clear(&notation);
    accordi_buffer_clear(&brackets);
}

/* Words in lines of at most 80 columns. */
static void put_wrapped(const char *words, accordi_buffer *out)
{
    const size_t margin = 8, width = 80;
    for (size_t column = 0; words && *words; words += strspn(words, " ")) {
        size_t length = strcspn(words, " ");
        bool next = column == 0 || column + 1 + length > width;
        if (next)
            accordi_buffer_printf(out, "%s%*s", column ? "\n" : "", (int)margin, "");
        column = (next ? margin : column + 1) + length;
        accordi_buffer_printf(out, "%s%.*s", next ? "" : " ", (int)length, words);
        words += length;
    }
    accordi_buffer_puts(out, words ? "\n" : "");
}

static void report_class(report *r, size_t id)
{
    accordi_buffer text = {0}, note = {0};
    char name[8];
    const accord_class *class = &r->map->each[id];
    accordi_class_name(id, name);
    accordi_stream_puts(r->out, "  ");
    if (r->options->color) {
        put_ink(r, 48, color_of(id));
        accordi_stream_puts(r->out, "  ");
        put_plain(r);
        accordi_stream_char(r->out, ' ');
    }
    accordi_buffer_printf(&text, "%-5s ", name);
    accordi_class_share(r->map, id, &text);
    accordi_buffer_puts(&text, "\n        ");
    accordi_class_order(class, &text);
    accordi_buffer_puts(&text, "\n");
    put_tree(class->record.tree, &text);
    accordi_buffer_puts(&text, "        ");
    accordi_class_proof(class, &text);
    accordi_buffer_puts(&text, "\n");
    if (!accordi_class_is_sure(class))
        put_wrapped(class->record.verdict, &text);
    for (size_t i = 0; accordi_class_note(class, i, &note); i++) {
        accordi_buffer_printf(&text, "        %s\n", note.data);
        accordi_buffer_clear(&note);
    }
    char *clean = text.failed ? NULL : accordi_utf8(text.data, false);
    for (char *c = clean; c && *c; c++)
        if ((unsigned char)*c < ' ' && *c != '\n')
            *c = ' ';
    accordi_stream_puts(r->out, clean ? clean : "\n");
    free(clean);
    accordi_buffer_clear(&text);
}

static void put_title(report *r)
{
    accordi_buffer title = {0};
    accordi_map_title(r->map, &title);
    char *clean = title.failed ? NULL : accordi_utf8(title.data, true);
    accordi_stream_puts(r->out, clean ? clean : "");
    accordi_stream_puts(r->out, "\n\n");
    free(clean);
    accordi_buffer_clear(&title);
}

static void put_disagreement(report *r)
{
    size_t row, column, rows;
    char text[300], here[8], first[8];
    if (!accord_map_copies_differ(r->map, &row, &column, &rows))
        return;
    const uint16_t *class_of = r->map->class_of + row * r->map->columns;
    accordi_class_name(class_of[0], first);
    accordi_class_name(class_of[column], here);
    snprintf(text, sizeof text,
             "The ranks do not hold the same sum: at position %zu, rank 0 has one in the order "
             "of\nclass %s and rank %zu one in the order of class %s. They differ at %zu of %u "
             "position%s.\n\n",
             row, first, column, here, rows, r->map->rows, r->map->rows == 1 ? "" : "s");
    accordi_stream_puts(r->out, text);
}

static void put_account(report *r)
{
    const accord_map *m = r->map;
    char text[400];
    snprintf(text, sizeof text,
             "Evaluations of the whole result: %llu to sort (%.2f s), %llu to discover (%.2f s), "
             "%llu to certify (%.2f s)",
             (unsigned long long)m->sorting_calls, m->sorting_seconds,
             (unsigned long long)m->discovery_calls, m->discovery_seconds,
             (unsigned long long)m->certificate_calls, m->certificate_seconds);
    accordi_stream_puts(r->out, text);
    if (m->replay_calls) {
        snprintf(text, sizeof text,
                 ",\n%llu with random numbers (%.2f s): %llu of %llu elements that were replayed "
                 "agree bit for bit",
                 (unsigned long long)m->replay_calls, m->replay_seconds,
                 (unsigned long long)m->replays_agreed, (unsigned long long)m->replays);
        accordi_stream_puts(r->out, text);
    }
    accordi_stream_puts(r->out, ".\n");
}

/* Elements to a cell, so that the drawing fits. Characters are twice as high as wide. */
static void choose_scale(report *r)
{
    size_t width = r->options->columns > 0 ? (size_t)r->options->columns : 80;
    width = width > MARGIN + LEAST_WIDTH ? width - MARGIN - 1 : LEAST_WIDTH;
    size_t count = (size_t)r->map->rows * r->map->columns;
    size_t wrap = count / MOST_LINES + 1 > width ? count / MOST_LINES + 1 : width;
    r->canvas = accordi_canvas_of(r->map, wrap);
    r->along = (r->canvas.columns + width - 1) / width;
    r->down = r->along > 1 && !r->canvas.wrapped ? 2 * r->along : 1;
    size_t least = (r->canvas.rows + MOST_LINES - 1) / MOST_LINES;
    if (r->canvas.rows > 2 * MOST_LINES && r->down < least)
        r->down = least;
    if (r->down > r->canvas.rows)
        r->down = r->canvas.rows;
}

enum accord_status accordi_map_report(const accord_map *map, const accord_write_options *options,
                                      accordi_stream *stream, accord_error *error)
{
    report r = {.map = map, .options = options, .out = stream, .ink = -1, .ground = -1};
    r.count = accordi_calloc(map->classes, sizeof *r.count);
    if (!r.count)
        return accordi_nomem(error);
    choose_scale(&r);
    put_title(&r);
    draw_blocks(&r);
    put_scale(&r);
    accordi_stream_char(stream, '\n');
    for (size_t id = 0; id < map->classes && id < MOST_LISTED; id++)
        report_class(&r, id);
    if (map->classes > MOST_LISTED)
        accordi_stream_puts(stream, "  and more: see the JSON\n");
    accordi_stream_char(stream, '\n');
    put_disagreement(&r);
    put_account(&r);
    free(r.count);
    return ACCORD_OK;
}
