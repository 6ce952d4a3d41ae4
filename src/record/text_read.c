/* Brackets back into a tree, in one pass over the text.
 *
 * Every opening bracket makes an inner node whose parent is the one open so far; so the parents
 * are the stack. Leaves are kept as pairs of index and parent, in the order they come, because
 * only at the end is it known how many there are; then they have to be 0 … n-1, each once. Memory
 * follows the length of the text, whatever numbers stand in it. */
#include "record/json/scan.h"
#include "record/record.h"

typedef struct leaf {
    uint32_t index, parent;
} leaf;

typedef struct inner {
    uint32_t parent, children;
} inner;

typedef struct parse {
    const char *text;
    size_t at, end;
    accordi_buffer leaves, inners; /* of struct leaf, struct inner */
    uint32_t leaf_count, inner_count;
    uint32_t open; /* the innermost open node, or NO_NODE */
    accord_error *error;
} parse;

static enum accord_status fail_here(parse *p, const char *expected)
{
    if (p->at >= p->end)
        return accordi_fail_at(p->error, p->text, p->at, "the text ends where %s is expected",
                               expected);
    unsigned char c = (unsigned char)p->text[p->at];
    return accordi_fail_at(p->error, p->text, p->at,
                           c > 0x20 && c < 0x7f ? "expected %s, but found '%c'"
                                                : "expected %s, but found byte 0x%02x",
                           expected, c);
}

static bool next_is_digit(const parse *p)
{
    return p->at < p->end && p->text[p->at] >= '0' && p->text[p->at] <= '9';
}

static enum accord_status push_inner(parse *p)
{
    inner node = {p->open, 0};
    if (p->inner_count >= ACCORD_TREE_MAX_LEAVES)
        return accordi_fail_at(p->error, p->text, p->at, "there are too many brackets");
    accordi_buffer_append(&p->inners, &node, sizeof node);
    if (p->inners.failed)
        return accordi_nomem(p->error);
    p->open = p->inner_count++;
    p->at++;
    return ACCORD_OK;
}

static enum accord_status read_leaf(parse *p)
{
    size_t start = p->at;
    uint64_t index = 0;
    for (; next_is_digit(p) && index < ACCORD_TREE_MAX_LEAVES; p->at++)
        index = 10 * index + (uint64_t)(p->text[p->at] - '0');
    if (index >= ACCORD_TREE_MAX_LEAVES)
        return accordi_fail_at(p->error, p->text, start, "the number of a leaf is greater than %u",
                               ACCORD_TREE_MAX_LEAVES - 1);
    if (p->at - start > 1 && p->text[start] == '0')
        return accordi_fail_at(p->error, p->text, start, "the number of a leaf begins with a zero");
    leaf node = {(uint32_t)index, p->open};
    accordi_buffer_append(&p->leaves, &node, sizeof node);
    if (p->leaves.failed)
        return accordi_nomem(p->error);
    p->leaf_count++;
    return ACCORD_OK;
}

static inner *open_node(const parse *p)
{
    return (inner *)(void *)p->inners.data + p->open;
}

/* After an operand: closes what is closed. *more tells whether another operand has to follow. */
static enum accord_status read_after(parse *p, bool *more)
{
    *more = false;
    while (p->open != ACCORD_TREE_NO_NODE) {
        inner *node = open_node(p);
        if (p->at < p->end && p->text[p->at] == '+') {
            node->children++;
            p->at++;
            *more = true;
            return ACCORD_OK;
        }
        if (p->at >= p->end || p->text[p->at] != ')')
            return fail_here(p, "'+' or ')'");
        if (node->children == 0)
            return accordi_fail_at(
                p->error, p->text, p->at,
                "there are brackets around a single term; they need at least two");
        p->open = node->parent;
        p->at++;
    }
    return ACCORD_OK;
}

static enum accord_status read_brackets(parse *p)
{
    enum accord_status status = ACCORD_OK;
    bool more = true;
    while (status == ACCORD_OK && more) {
        if (p->at < p->end && p->text[p->at] == '(') {
            status = push_inner(p);
        } else if (next_is_digit(p)) {
            status = read_leaf(p);
            if (status == ACCORD_OK)
                status = read_after(p, &more);
        } else {
            status = fail_here(p, "the number of a leaf or '('");
        }
    }
    return status;
}

/* Where the leaf that came as number `count` stands in the text. */
static size_t leaf_position(const parse *p, uint32_t count)
{
    bool inside = false;
    for (size_t i = 0; i < p->end; i++) {
        bool digit = p->text[i] >= '0' && p->text[i] <= '9';
        if (digit && !inside && count-- == 0)
            return i;
        inside = digit;
    }
    return p->end;
}

/* parent[i] of the leaves; fails unless each of 0 … n-1 came once. */
static enum accord_status place_leaves(parse *p, uint32_t *parent)
{
    const leaf *leaves = (const leaf *)(const void *)p->leaves.data;
    uint32_t n = p->leaf_count, beyond = UINT32_MAX, missing = 0;
    unsigned char *seen = accordi_calloc(n, 1);
    if (!seen)
        return accordi_nomem(p->error);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t index = leaves[i].index;
        if (index >= n) {
            beyond = beyond == UINT32_MAX ? i : beyond;
        } else if (seen[index]) {
            free(seen);
            return accordi_fail_at(p->error, p->text, leaf_position(p, i), "leaf %u occurs twice",
                                   index);
        } else {
            seen[index] = 1;
            parent[index] =
                leaves[i].parent == ACCORD_TREE_NO_NODE ? leaves[i].parent : n + leaves[i].parent;
        }
    }
    while (missing < n && seen[missing])
        missing++;
    free(seen);
    if (missing < n)
        return accordi_fail_at(p->error, p->text, leaf_position(p, beyond),
                               "there is a leaf %u in a tree of %u leaves, but leaf %u is missing",
                               leaves[beyond].index, n, missing);
    return ACCORD_OK;
}

static enum accord_status build_tree(parse *p, accord_tree **out)
{
    uint32_t n = p->leaf_count, m = p->inner_count;
    uint32_t *parent = accordi_alloc((size_t)n + m, sizeof *parent);
    if (!parent)
        return accordi_nomem(p->error);
    enum accord_status status = place_leaves(p, parent);
    const inner *inners = (const inner *)(const void *)p->inners.data;
    for (uint32_t k = 0; k < m; k++)
        parent[n + k] = k == 0 ? ACCORD_TREE_NO_NODE : n + inners[k].parent;
    accordi_buffer_clear(&p->leaves);
    accordi_buffer_clear(&p->inners);
    if (status == ACCORD_OK)
        status = accord_tree_from_parents(n, m, parent, out, p->error);
    free(parent);
    return status;
}

enum accord_status accord_tree_read_brackets(const char *text, size_t length, accord_tree **out,
                                             accord_error *error)
{
    parse p = {.text = text, .end = length, .open = ACCORD_TREE_NO_NODE, .error = error};
    while (p.end > 0 && accordi_is_space(text[p.end - 1]))
        p.end--;
    p.at = accordi_skip_space(text, p.end, 0);
    enum accord_status status = read_brackets(&p);
    p.at = accordi_skip_space(text, p.end, p.at);
    if (status == ACCORD_OK && p.at < p.end)
        status = fail_here(&p, "the end of the text");
    if (status == ACCORD_OK)
        status = build_tree(&p, out);
    accordi_buffer_clear(&p.leaves);
    accordi_buffer_clear(&p.inners);
    return status;
}
