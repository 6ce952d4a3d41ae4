/* A map as one page of HTML: the result by class, and the order of the class that is chosen. */
#include "grid_js.h"
#include "map/picture.h"
#include "record/pictures/page.h"
#include "record/pictures/report.h"

enum { ACROSS = 64, MOST_DRAWN = 40, MOST_LISTED = 200 };

static enum accord_status put_buffer(accordi_stream *s, accordi_buffer *text, accord_error *error)
{
    enum accord_status status = text->failed || !text->data
                                    ? accordi_nomem(error)
                                    : accordi_page_text(s, text->data, error);
    accordi_buffer_clear(text);
    return status;
}

/* Nothing in it is foreign. Rows as in the JSON form. */
static void put_data(const accord_map *map, accordi_stream *s)
{
    accordi_canvas canvas = accordi_canvas_of(map, ACROSS);
    char name[8];
    accordi_stream_printf(s,
                          "<script type=\"application/json\" id=\"map\">{\"rows\": %u, "
                          "\"columns\": %u, \"across\": %zu,\n\"classes\": [",
                          map->rows, map->columns, canvas.columns);
    for (size_t i = 0; i < map->classes; i++) {
        const accord_class *class = &map->each[i];
        accordi_class_name(i, name);
        accordi_stream_printf(s,
                              "%s\n{\"name\": \"%s\", \"color\": \"%s\", \"first\": ", i ? "," : "",
                              name, accordi_colors[i % ACCORDI_COLORS].page);
        accordi_stream_number(s, (uint64_t) class->row * map->columns + class->column);
        accordi_stream_char(s, '}');
    }
    accordi_stream_puts(s, "],\n\"runs\": [");
    accordi_map_rows(map, s);
    accordi_stream_puts(s, "]}</script>\n");
}

/* What a class is, as a button that chooses its first element. */
static enum accord_status put_class(const accord_map *map, size_t i, accordi_stream *s,
                                    accord_error *error)
{
    const accord_tree *tree = map->each[i].record.tree;
    accordi_buffer text = {0};
    char name[8];
    accordi_class_name(i, name);
    accordi_stream_printf(s,
                          "<li><button type=\"button\" data-class=\"%zu\"><span class=\"swatch\" "
                          "style=\"background:%s\"></span><b>%s</b> ",
                          i, accordi_colors[i % ACCORDI_COLORS].page, name);
    accordi_class_share(map, i, &text);
    enum accord_status status = put_buffer(s, &text, error);
    accordi_stream_puts(s, "<span class=\"faint\">");
    if (tree)
        accordi_put_notation(tree, &text);
    if (!status && text.length > 0)
        status = put_buffer(s, &text, error);
    accordi_buffer_clear(&text);
    accordi_stream_puts(s, tree ? " </span><span class=\"faint\">" : "");
    accordi_class_order(&map->each[i], &text);
    accordi_buffer_puts(&text, "; ");
    accordi_class_proof(&map->each[i], &text);
    if (!status)
        status = put_buffer(s, &text, error);
    accordi_stream_puts(s, "</span></button></li>\n");
    return status;
}

static enum accord_status put_section(const accord_map *map, size_t i,
                                      const accord_write_options *options, accordi_stream *s,
                                      accord_error *error)
{
    char id[32], title[32], name[8];
    accordi_class_name(i, name);
    snprintf(id, sizeof id, "class-%zu", i);
    snprintf(title, sizeof title, "Class %s", name);
    const accordi_section section = {.id = id, .title = title, .drawn = i < MOST_DRAWN};
    return accordi_page_order(s, &map->each[i].record, &section, options, error);
}

static enum accord_status put_body(const accord_map *map, const accord_write_options *options,
                                   accordi_stream *s, accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    accordi_stream_puts(s, "<p>Elements of one color are added in one order, with one arithmetic. "
                           "Choose an element or a class.</p>\n<noscript><p>The map itself needs "
                           "scripts; accord map -O svg draws it without.</p></noscript>\n");
    put_data(map, s);
    accordi_stream_puts(s, "<div class=\"grid\"></div>\n<ul class=\"classes\">\n");
    for (size_t i = 0; !status && i < map->classes && i < MOST_LISTED; i++)
        status = put_class(map, i, s, error);
    accordi_stream_puts(s, "</ul>\n");
    if (map->classes > MOST_LISTED)
        accordi_stream_printf(s, "<p class=\"faint\">and %zu more classes; --json has all.</p>\n",
                              map->classes - MOST_LISTED);
    for (size_t i = 0; !status && i < map->classes && i < MOST_LISTED; i++)
        status = put_section(map, i, options, s, error);
    return status;
}

enum accord_status accordi_map_html(const accord_map *map, const accord_write_options *options,
                                    accordi_stream *stream, accord_error *error)
{
    const char *const script[] = {accordi_page_script(), grid_js, "startMap();\n"};
    const size_t parts = sizeof script / sizeof *script;
    accordi_buffer title = {0};
    accordi_map_title(map, &title);
    if (title.failed)
        return accordi_nomem(error);
    enum accord_status status = accordi_page_head(stream, title.data, script, parts, error);
    accordi_buffer_clear(&title);
    if (!status)
        status = put_body(map, options, stream, error);
    accordi_page_end(stream, script, parts);
    return status;
}
