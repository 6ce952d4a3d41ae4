/* The table of writers. One row adds one. */
#include "pattern/notation.h"
#include "record/record.h"

static accordi_write write_text;

static const struct row {
    accord_writer writer;
    accordi_write *write;
} rows[] = {
    {{"report", "the tree drawn for a terminal, the verdict and its evidence", false},
     accordi_write_report},
    {{"text", "canonical brackets, e.g. ((0+1)+(2+3))", true}, write_text},
    {{"json", "the whole record, for accord check, diff and show", false}, accordi_write_json},
    {{"dot", "a graph for Graphviz", true}, accordi_write_dot},
    {{"svg", "a picture", true}, accordi_write_svg},
    {{"html", "a page for a browser: a picture to explore, and everything that is known", true},
     accordi_write_html},
};

const accord_writer *accord_writer_at(size_t i)
{
    return i < sizeof rows / sizeof *rows ? &rows[i].writer : NULL;
}

const accord_writer *accord_writer_by_name(const char *name)
{
    const accord_writer *writer;
    for (size_t i = 0; (writer = accord_writer_at(i)); i++)
        if (strcmp(writer->name, name) == 0)
            return writer;
    return NULL;
}

static enum accord_status write_text(const accord_record *record,
                                     const accord_write_options *options, accordi_stream *stream,
                                     accord_error *error)
{
    (void)options;
    enum accord_status status =
        accord_tree_write_brackets(record->tree, accordi_stream_write, stream, error);
    if (status == ACCORD_OK)
        accordi_stream_char(stream, '\n');
    return status;
}

static accordi_write *function_of(const accord_writer *writer)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (&rows[i].writer == writer)
            return rows[i].write;
    return NULL;
}

enum accord_status accord_record_write(const accord_record *record, const accord_writer *writer,
                                       const accord_write_options *options, accord_sink *sink,
                                       void *context, accord_error *error)
{
    accord_write_options chosen;
    enum accord_status status = ACCORDI_TAKE(accord_write_options, ascii, &chosen, options, error);
    if (status != ACCORD_OK)
        return status;
    accordi_write *write = function_of(writer);
    if (!write)
        return accordi_fail(error, ACCORD_ARG,
                            "there is no such writer: use one from accord_writer_at");
    if (writer->needs_tree && !record->tree)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "there is no tree to write as %s (the verdict of the record says why); "
                            "write it as report or json",
                            writer->name);
    accordi_stream stream;
    if (!accordi_stream_open(&stream, sink, context))
        return accordi_nomem(error);
    bool held = accordi_notation_hold(record->tree); /* writers ask for it more than once */
    status = write(record, &chosen, &stream, error);
    if (held)
        accordi_notation_let_go();
    bool refused = stream.refused;
    enum accord_status closed = accordi_stream_close(&stream, refused ? NULL : error);
    return status != ACCORD_OK ? status : closed;
}

enum accord_status accord_record_string(const accord_record *record, const accord_writer *writer,
                                        const accord_write_options *options, char **out,
                                        accord_error *error)
{
    accordi_buffer text = {0};
    enum accord_status status =
        accord_record_write(record, writer, options, accordi_buffer_write, &text, error);
    accordi_buffer_append(&text, "", 0);
    if (text.failed)
        status = accordi_nomem(error);
    if (status == ACCORD_OK)
        *out = text.data;
    else
        accordi_buffer_clear(&text);
    return status;
}
