/* The canonical brackets, streamed in pieces, and the fingerprint made of them. */
#include "tree/stream.h"

/* An open bracket: children begin … at-1 are written, at … end-1 are to come. */
typedef struct open_node {
    uint32_t begin, at, end;
} open_node;

static void write_inner(const accord_tree *tree, open_node *stack, accordi_stream *s)
{
    uint32_t n = tree->leaves, depth = 0, k = tree->inner - 1;
    stack[depth++] = (open_node){tree->first[k], tree->first[k], tree->first[k + 1]};
    while (depth > 0 && !s->refused) {
        open_node *top = &stack[depth - 1];
        if (top->at == top->end) {
            accordi_stream_char(s, ')');
            depth--;
            continue;
        }
        accordi_stream_char(s, top->at == top->begin ? '(' : '+');
        uint32_t node = tree->child[top->at++];
        if (node < n) {
            accordi_stream_number(s, node);
        } else {
            k = node - n;
            stack[depth++] = (open_node){tree->first[k], tree->first[k], tree->first[k + 1]};
        }
    }
}

enum accord_status accord_tree_write_brackets(const accord_tree *tree, accord_sink *sink,
                                              void *context, accord_error *error)
{
    open_node *stack = accordi_alloc(tree->inner, sizeof *stack);
    accordi_stream s;
    if (!stack || !accordi_stream_open(&s, sink, context)) {
        free(stack);
        return accordi_nomem(error);
    }
    if (tree->inner == 0)
        accordi_stream_number(&s, 0);
    else
        write_inner(tree, stack, &s);
    free(stack);
    return accordi_stream_close(&s, error);
}

enum accord_status accord_tree_fingerprint(const accord_tree *tree,
                                           char out[ACCORD_FINGERPRINT_SIZE], accord_error *error)
{
    char hex[65];
    accordi_sha256 sha;
    accordi_sha256_init(&sha);
    enum accord_status status = accord_tree_write_brackets(tree, accordi_sha256_write, &sha, error);
    if (status != ACCORD_OK)
        return status;
    accordi_sha256_add(&sha, "\n", 1);
    accordi_sha256_hex(&sha, hex);
    memcpy(out, hex, ACCORD_FINGERPRINT_SIZE - 1);
    out[ACCORD_FINGERPRINT_SIZE - 1] = '\0';
    return ACCORD_OK;
}
