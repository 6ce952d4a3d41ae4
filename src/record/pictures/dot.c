/* A graph for Graphviz: `dot -Tpng`. Beyond a few thousand leaves Graphviz needs minutes; the
 * writer svg does not. */
#include "record/pictures/marks.h"
#include "record/record.h"

/* The text between quotation marks of the language dot. */
static enum accord_status put_dot_string(accordi_stream *s, const char *text, accord_error *error)
{
    char *clean = accordi_utf8(text, true);
    if (!clean)
        return accordi_nomem(error);
    for (const char *c = clean; *c; c++) {
        if (*c == '"' || *c == '\\')
            accordi_stream_char(s, '\\');
        accordi_stream_char(s, *c);
    }
    free(clean);
    return ACCORD_OK;
}

static void put_dot_node(const accord_tree *tree, const accordi_marks *marks, uint32_t k,
                         accordi_stream *s)
{
    const char *mark = accordi_mark_of(marks, k);
    uint32_t node = tree->leaves + k, count = tree->first[k + 1] - tree->first[k];
    accordi_stream_printf(s, "  %u [label=\"%s", node, mark ? mark : "+");
    accordi_stream_puts(s, mark ? "\", shape=box, style=\"filled,rounded\", fillcolor=\""
                                : "\", shape=circle, style=filled, fillcolor=\"");
    accordi_stream_puts(s, mark ? "#d9f2dc" : count > 2 ? "#fde3cf" : "#dbe9fb");
    accordi_stream_puts(s, count > 2 ? "\", tooltip=\"one fused addition\"];\n" : "\"];\n");
    accordi_stream_printf(s, "  %u -> {", node);
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
        accordi_stream_printf(s, " %u", tree->child[c]);
    accordi_stream_puts(s, " };\n");
}

/* A second line of the label. */
static void put_arithmetic(const accord_record *record, accordi_stream *s)
{
    char words[ACCORD_DESCRIPTION_SIZE];
    if (!record->arithmetic)
        return;
    const accord_model model = {record->tree, record->arithmetic};
    accord_model_describe(&model, words, sizeof words);
    accordi_stream_printf(s, "\\n%s", words);
}

enum accord_status accordi_write_dot(const accord_record *record,
                                     const accord_write_options *options, accordi_stream *stream,
                                     accord_error *error)
{
    (void)options;
    const accord_tree *tree = record->tree;
    accordi_marks marks;
    enum accord_status status = accordi_marks_make(record, &marks, error);
    if (status != ACCORD_OK)
        return status;
    accordi_stream_puts(stream, "digraph accord {\n  ordering=out;\n  label=\"");
    status = put_dot_string(stream, record->target ? record->target : "", error);
    put_arithmetic(record, stream);
    accordi_stream_puts(stream, "\";\n  node [shape=plaintext, fontname=\"sans-serif\", "
                                "width=0.3, height=0.3, margin=0.02];\n  edge [arrowhead=none];\n");
    if (tree->inner == 0)
        accordi_stream_puts(stream, "  0;\n");
    for (uint32_t k = tree->inner; k-- > 0;)
        put_dot_node(tree, &marks, k, stream);
    accordi_stream_puts(stream, "}\n");
    accordi_marks_clear(&marks);
    return status;
}
