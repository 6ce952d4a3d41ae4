/* The canonical brackets, streamed in pieces, and the fingerprint made of them. */
#include "base/base.h"
#include "tree/tree.h"

#define PIECE 65536
#define LONGEST 12 /* the most bytes one step adds */

typedef struct stream {
    accord_sink *sink;
    void *context;
    char *piece;
    size_t length;
    bool refused;
} stream;

static void flush(stream *s)
{
    if (s->length > 0 && !s->refused)
        s->refused = !s->sink(s->context, s->piece, s->length);
    s->length = 0;
}

static void put(stream *s, char c)
{
    if (s->length + LONGEST > PIECE)
        flush(s);
    s->piece[s->length++] = c;
}

size_t accordi_decimal(char *out, uint32_t value)
{
    char digits[10];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    for (size_t i = 0; i < count; i++)
        out[i] = digits[count - 1 - i];
    return count;
}

static void put_number(stream *s, uint32_t value)
{
    if (s->length + LONGEST > PIECE)
        flush(s);
    s->length += accordi_decimal(s->piece + s->length, value);
}

/* An open bracket: children begin … at-1 are written, at … end-1 are to come. */
typedef struct open_node {
    uint32_t begin, at, end;
} open_node;

static void write_inner(const accord_tree *tree, open_node *stack, stream *s)
{
    uint32_t n = tree->leaves, depth = 0, k = tree->inner - 1;
    stack[depth++] = (open_node){tree->first[k], tree->first[k], tree->first[k + 1]};
    while (depth > 0 && !s->refused) {
        open_node *top = &stack[depth - 1];
        if (top->at == top->end) {
            put(s, ')');
            depth--;
            continue;
        }
        put(s, top->at == top->begin ? '(' : '+');
        uint32_t node = tree->child[top->at++];
        if (node < n) {
            put_number(s, node);
        } else {
            k = node - n;
            stack[depth++] = (open_node){tree->first[k], tree->first[k], tree->first[k + 1]};
        }
    }
}

enum accord_status accord_tree_write_brackets(const accord_tree *tree, accord_sink *sink,
                                              void *context, accord_error *error)
{
    stream s = {sink, context, accordi_alloc(PIECE, 1), 0, false};
    open_node *stack = accordi_alloc(tree->inner, sizeof *stack);
    if (!s.piece || !stack) {
        free(s.piece);
        free(stack);
        return accordi_nomem(error);
    }
    if (tree->inner == 0)
        put_number(&s, 0);
    else
        write_inner(tree, stack, &s);
    flush(&s);
    free(s.piece);
    free(stack);
    if (s.refused)
        return accordi_fail(error, ACCORD_IO, "the brackets could not be written to the end");
    return ACCORD_OK;
}

static bool hash_piece(void *context, const char *text, size_t length)
{
    accordi_sha256_add(context, text, length);
    return true;
}

enum accord_status accord_tree_fingerprint(const accord_tree *tree,
                                           char out[ACCORD_FINGERPRINT_SIZE], accord_error *error)
{
    char hex[65];
    accordi_sha256 sha;
    accordi_sha256_init(&sha);
    enum accord_status status = accord_tree_write_brackets(tree, hash_piece, &sha, error);
    if (status != ACCORD_OK)
        return status;
    accordi_sha256_add(&sha, "\n", 1);
    accordi_sha256_hex(&sha, hex);
    memcpy(out, hex, ACCORD_FINGERPRINT_SIZE - 1);
    out[ACCORD_FINGERPRINT_SIZE - 1] = '\0';
    return ACCORD_OK;
}
