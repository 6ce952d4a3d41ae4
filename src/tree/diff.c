/* Where two trees part.
 *
 * Idea (Day 1985, "Optimal algorithms for comparing trees with labeled leaves"): give the leaves
 * the positions they have in b's brackets. A node of b covers an interval of positions; so a node
 * of a is a node of b exactly if its leaves fill an interval that some node of b covers. That
 * node is found in one look: of the nodes of b that end at a position the topmost is filed under
 * its end; every other is a last child, hence the topmost of those with its beginning, and is
 * filed there.
 *
 * Time and memory O(n). */
#include "base/base.h"
#include "tree/tree.h"

typedef struct intervals {
    const accord_tree *tree;
    uint32_t *begin, *end; /* n+m: positions a node covers, both ends included */
    uint32_t *by_end;      /* n: the inner node filed under its end */
    uint32_t *by_begin;    /* n: the inner node filed under its beginning */
} intervals;

static void file_node(intervals *in, uint32_t node, bool is_last_child)
{
    uint32_t *drawer = is_last_child ? &in->by_begin[in->begin[node]] : &in->by_end[in->end[node]];
    *drawer = node;
}

/* Top down: a node hands its interval on to its children, each gets as much as its size. */
static void lay_out_intervals(intervals *in)
{
    const accord_tree *tree = in->tree;
    uint32_t n = tree->leaves, *size = in->by_end;
    accord_tree_sizes(tree, size);
    for (uint32_t k = 0; k < tree->inner; k++)
        in->end[n + k] = size[k] - 1;
    memset(in->by_end, 0xff, n * sizeof *in->by_end);
    memset(in->by_begin, 0xff, n * sizeof *in->by_begin);
    uint32_t root = n + tree->inner - 1;
    in->begin[root] = 0;
    in->end[root] = n - 1;
    file_node(in, root, false);
    for (uint32_t k = tree->inner; k-- > 0;) {
        uint32_t at = in->begin[n + k], last = tree->first[k + 1] - 1;
        for (uint32_t c = tree->first[k]; c <= last; c++) {
            uint32_t node = tree->child[c];
            in->begin[node] = at;
            in->end[node] = node < n ? at : at + in->end[node];
            at = in->end[node] + 1;
            if (node >= n)
                file_node(in, node, c == last);
        }
    }
}

static bool covered(const intervals *in, uint32_t low, uint32_t high)
{
    uint32_t e = in->by_end[high], b = in->by_begin[low];
    return (e != ACCORD_TREE_NO_NODE && in->begin[e] == low) ||
           (b != ACCORD_TREE_NO_NODE && in->end[b] == high);
}

typedef struct span {
    uint32_t low, high, size, smallest;
} span;

static void add_to_span(span *s, const span *part)
{
    s->low = part->low < s->low ? part->low : s->low;
    s->high = part->high > s->high ? part->high : s->high;
    s->smallest = part->smallest < s->smallest ? part->smallest : s->smallest;
    s->size += part->size;
}

/* The first inner node of `tree` that `in` does not know, or NO_NODE; its span goes to *found. */
static uint32_t first_stranger(const accord_tree *tree, const intervals *in, span *spans,
                               span *found)
{
    uint32_t n = tree->leaves;
    for (uint32_t k = 0; k < tree->inner; k++) {
        span s = {UINT32_MAX, 0, 0, UINT32_MAX};
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
            uint32_t v = tree->child[c];
            span leaf = {in->begin[v], in->begin[v], 1, v};
            add_to_span(&s, v < n ? &leaf : &spans[v - n]);
        }
        if (s.high - s.low + 1 != s.size || !covered(in, s.low, s.high)) {
            *found = s;
            return n + k;
        }
        spans[k] = s;
    }
    return ACCORD_TREE_NO_NODE;
}

/* The least node whose interval holds positions low to high: numbers grow toward the root, and
 * of the nodes that hold a given leaf the least holder is the first. */
static uint32_t least_holder(const intervals *in, uint32_t low, uint32_t high)
{
    uint32_t n = in->tree->leaves, node = n;
    while (in->begin[node] > low || in->end[node] < high)
        node++;
    return node;
}

static enum accord_status find_stranger(const accord_tree *a, const accord_tree *b, bool *found,
                                        accord_tree_difference *out, accord_error *error)
{
    size_t nodes = (size_t)b->leaves + b->inner;
    uint32_t *memory = accordi_alloc(2 * nodes + 2 * (size_t)b->leaves, sizeof *memory);
    span *spans = accordi_alloc(a->inner, sizeof *spans), s;
    *found = false;
    if (!memory || !spans) {
        free(memory);
        free(spans);
        return accordi_nomem(error);
    }
    intervals in = {b, memory, memory + nodes, memory + 2 * nodes, memory + 2 * nodes + b->leaves};
    lay_out_intervals(&in);
    uint32_t node = first_stranger(a, &in, spans, &s);
    if (node != ACCORD_TREE_NO_NODE) {
        accord_tree_difference d = {node, s.size, s.smallest, least_holder(&in, s.low, s.high)};
        *out = d;
        *found = true;
    }
    free(memory);
    free(spans);
    return ACCORD_OK;
}

enum accord_status accord_tree_diff(const accord_tree *a, const accord_tree *b, bool *differ,
                                    bool *swapped, accord_tree_difference *out, accord_error *error)
{
    accord_tree_difference d = {0, 0, 0, 0};
    bool found = false, turned = false;
    if (a->leaves == b->leaves && !accord_tree_equal(a, b)) {
        enum accord_status status = find_stranger(a, b, &found, &d, error);
        if (status == ACCORD_OK && !found) {
            turned = true;
            status = find_stranger(b, a, &found, &d, error);
        }
        if (status != ACCORD_OK)
            return status;
    }
    *differ = found;
    if (found) {
        *swapped = turned;
        *out = d;
    }
    return ACCORD_OK;
}
