/* From parents to the canonical tree.
 *
 * Idea: walk up from the leaves 0, 1, 2, … and stop at the first node met before. Each edge is
 * walked once, and a node is added to the list of its parent when its smallest leaf passes; so
 * every list of children fills in the order of smallest leaves, with nothing to sort. Numbers are
 * then dealt from the root downwards, last child first: that is post-order backwards.
 *
 * Invariant of the walk: a node has an entry in its own list exactly if it was walked through. In a
 * cycle the walk therefore ends as well; the nodes of a cycle are never reached from the root, so
 * they are recognized by having no number.
 *
 * Time and memory O(n). */
#include "base/base.h"
#include "tree/tree.h"

typedef struct work {
    uint32_t n, m;
    const uint32_t *parent;
    uint32_t *start;  /* m+1: where the list of a node begins, in the caller's numbering */
    uint32_t *end;    /* m: one past its last entry so far; later the stack */
    uint32_t *list;   /* n+m-1 children */
    uint32_t *number; /* m: canonical number - n, by the caller's number */
    uint32_t *order;  /* m: the inverse */
    uint32_t root;
} work;

static enum accord_status check_node_counts(size_t leaves, size_t inner, accord_error *error)
{
    if (leaves < 1 || leaves > ACCORD_TREE_MAX_LEAVES)
        return accordi_fail(error, ACCORD_ARG, "a tree has 1 to %u leaves, not %zu",
                            ACCORD_TREE_MAX_LEAVES, leaves);
    if (inner > leaves - 1 || (inner == 0 && leaves > 1))
        return accordi_fail(error, ACCORD_ARG,
                            "a tree of %zu leaves has %d to %zu inner nodes, not %zu", leaves,
                            leaves > 1, leaves - 1, inner);
    return ACCORD_OK;
}

/* Counts the children of each inner node into start[k + 1]. */
static enum accord_status count_children(work *w, accord_error *error)
{
    uint32_t total = w->n + w->m;
    w->root = ACCORD_TREE_NO_NODE;
    for (uint32_t v = 0; v < total; v++) {
        uint32_t p = w->parent[v];
        if (p == ACCORD_TREE_NO_NODE) {
            if (w->root != ACCORD_TREE_NO_NODE)
                return accordi_fail(error, ACCORD_ARG,
                                    "there are two roots: nodes %u and %u have no parent", w->root,
                                    v);
            w->root = v;
        } else if (p >= total) {
            return accordi_fail(error, ACCORD_ARG,
                                "the parent of node %u is %u, but the last node is %u", v, p,
                                total - 1);
        } else if (p < w->n) {
            return accordi_fail(error, ACCORD_ARG, "the parent of node %u is %u, which is a leaf",
                                v, p);
        } else {
            w->start[p - w->n + 1]++;
        }
    }
    if (w->root == ACCORD_TREE_NO_NODE)
        return accordi_fail(error, ACCORD_ARG, "there is no root: every node has a parent");
    if (w->root < w->n && w->m > 0)
        return accordi_fail(error, ACCORD_ARG, "leaf %u has no parent", w->root);
    for (uint32_t k = 0; k < w->m; k++)
        if (w->start[k + 1] < 2)
            return accordi_fail(error, ACCORD_ARG,
                                "inner node %u has %u children, but it needs at least 2", w->n + k,
                                w->start[k + 1]);
    return ACCORD_OK;
}

static void walk_up(work *w)
{
    for (uint32_t k = 0; k < w->m; k++) {
        w->start[k + 1] += w->start[k];
        w->end[k] = w->start[k];
    }
    for (uint32_t leaf = 0; leaf < w->n; leaf++) {
        uint32_t v = leaf, p;
        while ((p = w->parent[v]) != ACCORD_TREE_NO_NODE) {
            uint32_t k = p - w->n;
            bool met = w->end[k] > w->start[k];
            w->list[w->end[k]++] = v;
            if (met)
                break;
            v = p;
        }
    }
}

static enum accord_status deal_numbers(work *w, accord_error *error)
{
    uint32_t *stack = w->end, depth = 0, left = w->m;
    memset(w->number, 0xff, w->m * sizeof *w->number);
    stack[depth++] = w->root - w->n;
    while (depth > 0) {
        uint32_t k = stack[--depth];
        w->number[k] = --left;
        w->order[left] = k;
        for (uint32_t c = w->start[k]; c < w->start[k + 1]; c++)
            if (w->list[c] >= w->n)
                stack[depth++] = w->list[c] - w->n;
    }
    for (uint32_t k = 0; left > 0 && k < w->m; k++)
        if (w->number[k] == UINT32_MAX)
            return accordi_fail(error, ACCORD_ARG,
                                "node %u does not lead to the root: its parents form a cycle",
                                w->n + k);
    return ACCORD_OK;
}

static void write_tree(const work *w, const accordi_tree_parts *out)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < w->m; i++) {
        uint32_t k = w->order[i];
        for (uint32_t c = w->start[k]; c < w->start[k + 1]; c++) {
            uint32_t v = w->list[c];
            out->child[at++] = v < w->n ? v : w->n + w->number[v - w->n];
        }
        out->first[i + 1] = at;
    }
}

static enum accord_status build(work *w, accord_tree **out, accord_error *error)
{
    enum accord_status status = count_children(w, error);
    if (status != ACCORD_OK)
        return status;
    if (w->m > 0) {
        walk_up(w);
        status = deal_numbers(w, error);
        if (status != ACCORD_OK)
            return status;
    }
    accordi_tree_parts parts = accordi_tree_new(w->n, w->m);
    if (!parts.tree)
        return accordi_nomem(error);
    write_tree(w, &parts);
    *out = parts.tree;
    return ACCORD_OK;
}

enum accord_status accord_tree_from_parents(size_t leaves, size_t inner, const uint32_t *parent,
                                            accord_tree **out, accord_error *error)
{
    enum accord_status status = check_node_counts(leaves, inner, error);
    if (status != ACCORD_OK)
        return status;
    uint32_t *memory = accordi_calloc(5 * inner + leaves + 1, sizeof *memory);
    if (!memory)
        return accordi_nomem(error);
    work w = {.n = (uint32_t)leaves, .m = (uint32_t)inner, .parent = parent};
    w.start = memory;
    w.end = w.start + inner + 1;
    w.number = w.end + inner;
    w.order = w.number + inner;
    w.list = w.order + inner;
    status = build(&w, out, error);
    free(memory);
    return status;
}
