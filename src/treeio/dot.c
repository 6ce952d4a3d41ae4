/* A graph for Graphviz: `dot -Tpng`. Beyond a few thousand leaves Graphviz needs minutes; the
 * writer svg does not. */
#include "treeio/treeio.h"

/* The text between quotation marks of the language dot. */
static enum accord_status put_quoted(accordi_stream *s, const char *text, accord_error *error)
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

static void put_node(const accord_tree *tree, uint32_t k, accordi_stream *s)
{
    uint32_t node = tree->leaves + k, count = tree->first[k + 1] - tree->first[k];
    accordi_stream_puts(s, "  ");
    accordi_stream_number(s, node);
    accordi_stream_puts(s, " [label=\"+\", shape=circle, style=filled, fillcolor=\"");
    accordi_stream_puts(s, count > 2 ? "#fde3cf" : "#dbe9fb");
    accordi_stream_puts(s, count > 2 ? "\", tooltip=\"one fused addition\"];\n" : "\"];\n");
    accordi_stream_puts(s, "  ");
    accordi_stream_number(s, node);
    accordi_stream_puts(s, " -> {");
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
        accordi_stream_char(s, ' ');
        accordi_stream_number(s, tree->child[c]);
    }
    accordi_stream_puts(s, " };\n");
}

enum accord_status accordi_write_dot(const accord_record *record,
                                     const accord_write_options *options, accordi_stream *stream,
                                     accord_error *error)
{
    (void)options;
    const accord_tree *tree = record->tree;
    accordi_stream_puts(stream, "digraph accord {\n  ordering=out;\n  label=\"");
    enum accord_status status = put_quoted(stream, record->target ? record->target : "", error);
    if (status != ACCORD_OK)
        return status;
    accordi_stream_puts(stream, "\";\n  node [shape=plaintext, fontname=\"sans-serif\", "
                                "width=0.3, height=0.3, margin=0.02];\n  edge [arrowhead=none];\n");
    if (tree->inner == 0)
        accordi_stream_puts(stream, "  0;\n");
    for (uint32_t k = tree->inner; k-- > 0;)
        put_node(tree, k, stream);
    accordi_stream_puts(stream, "}\n");
    return ACCORD_OK;
}
