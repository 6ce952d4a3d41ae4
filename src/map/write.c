/* The table of writers of maps. One row adds one. */
#include "map/picture.h"

static const struct row {
    accord_map_writer writer;
    accordi_write_map *write;
} rows[] = {
    {{"report", "the result drawn for a terminal, a letter or color for each class"},
     accordi_map_report},
    {{"json", "everything, for programs"}, accordi_map_json},
    {{"svg", "a picture: the result by class, and the tree of each"}, accordi_map_svg},
    {{"html", "a page for a browser: the result by class, and the order of each"},
     accordi_map_html},
};
enum { ROWS = sizeof rows / sizeof *rows };

const accord_map_writer *accord_map_writer_at(size_t i)
{
    return i < ROWS ? &rows[i].writer : NULL;
}

const accord_map_writer *accord_map_writer_by_name(const char *name)
{
    for (size_t i = 0; name && i < ROWS; i++)
        if (strcmp(rows[i].writer.name, name) == 0)
            return &rows[i].writer;
    return NULL;
}

enum accord_status accord_map_write(const accord_map *map, const accord_map_writer *writer,
                                    const accord_write_options *options, accord_sink *sink,
                                    void *context, accord_error *error)
{
    accord_write_options chosen;
    accordi_stream stream;
    enum accord_status status = ACCORDI_TAKE(accord_write_options, ascii, &chosen, options, error);
    if (status)
        return status;
    size_t i = 0;
    while (i < ROWS && &rows[i].writer != writer)
        i++;
    if (!map || !sink || i == ROWS || !map->class_of || map->classes == 0)
        return accordi_fail(error, ACCORD_ARG,
                            "writing needs a map with classes, a writer of accord_map_writer_at "
                            "and a sink");
    if (!accordi_stream_open(&stream, sink, context))
        return accordi_nomem(error);
    status = rows[i].write(map, &chosen, &stream, error);
    enum accord_status closed = accordi_stream_close(&stream, status ? NULL : error);
    return status ? status : closed;
}
