#include "pattern/growth.h"

/* The old tree, its inner nodes first. */
static void start(const accord_tree *tree, accordi_order *order)
{
    uint32_t m = tree->leaves, n = (uint32_t)order->n, *parent = order->parent;
    order->inner = tree->inner;
    for (uint32_t i = 0; i < n; i++)
        parent[i] = ACCORD_TREE_NO_NODE;
    for (uint32_t k = 0; k < tree->inner; k++) {
        parent[n + k] = ACCORD_TREE_NO_NODE;
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
            uint32_t child = tree->child[c];
            parent[child < m ? child : child - m + n] = n + k;
        }
    }
}

static uint32_t root_of(const accord_tree *tree, const accordi_order *order)
{
    return tree->inner ? (uint32_t)order->n + tree->inner - 1 : 0;
}

/* Joins x and y where x stands. */
static uint32_t join(accordi_order *order, uint32_t x, uint32_t y)
{
    uint32_t above = order->parent[x], node = accordi_order_join(order, x, y);
    order->parent[node] = above;
    return node;
}

/* The tree of the first `count` leaves; NULL when memory is out. */
static accord_tree *first_leaves(const accord_tree *tree, uint32_t count)
{
    accord_tree *part = NULL;
    uint32_t *kept = accordi_alloc(count, sizeof *kept);
    for (uint32_t i = 0; kept && i < count; i++)
        kept[i] = i;
    if (kept && accord_tree_restrict(tree, count, kept, &part, NULL))
        part = NULL;
    free(kept);
    return part;
}

/* Adds a copy of `part` that begins at leaf `at`; its root. */
static uint32_t add_copy(const accord_tree *part, uint32_t at, accordi_order *order)
{
    uint32_t base = (uint32_t)order->n + order->inner, *parent = order->parent;
    for (uint32_t k = 0; k < part->inner; k++) {
        parent[base + k] = ACCORD_TREE_NO_NODE;
        for (uint32_t c = part->first[k]; c < part->first[k + 1]; c++) {
            uint32_t child = part->child[c];
            parent[child < part->leaves ? at + child : child - part->leaves + base] = base + k;
        }
    }
    order->inner += part->inner;
    return part->inner ? base + part->inner - 1 : at;
}

bool accordi_grow_lanes(const accord_tree *tree, uint32_t lag, accordi_order *order)
{
    uint32_t m = tree->leaves;
    if (lag > m)
        return false;
    start(tree, order);
    for (uint32_t i = m; i < (uint32_t)order->n; i++) {
        uint32_t before = i - lag;
        bool alone = before < lag; /* the first of its lane */
        join(order, alone ? before : order->parent[before], i);
    }
    return true;
}

bool accordi_grow_copy(const accord_tree *tree, uint32_t unused, accordi_order *order)
{
    (void)unused;
    uint32_t m = tree->leaves;
    accord_tree *part = first_leaves(tree, (uint32_t)order->n - m);
    if (!part)
        return false;
    start(tree, order);
    join(order, root_of(tree, order), add_copy(part, m, order));
    accord_tree_free(part);
    return true;
}

bool accordi_grow_blocks(const accord_tree *tree, uint32_t block, accordi_order *order)
{
    uint32_t m = tree->leaves, n = (uint32_t)order->n, rest = block ? (n - m) % block : 0;
    if (block >= m || block == 0)
        return false;
    accord_tree *whole = first_leaves(tree, block), *last = rest ? first_leaves(tree, rest) : NULL;
    bool good = whole && (last || !rest);
    start(tree, order);
    uint32_t root = root_of(tree, order), at = m;
    for (; good && at + block <= n; at += block)
        root = join(order, root, add_copy(whole, at, order));
    if (good && rest)
        join(order, root, add_copy(last, at, order));
    accord_tree_free(whole);
    accord_tree_free(last);
    return good;
}

bool accordi_grow_lane_copies(const accord_tree *tree, uint32_t lanes, accordi_order *order)
{
    uint32_t m = tree->leaves, n = (uint32_t)order->n;
    if (n != 2 * m || lanes >= m || m % lanes)
        return false;
    start(tree, order);
    uint32_t *size = accordi_alloc(tree->inner, sizeof *size);
    uint32_t *copy = accordi_alloc(tree->inner, sizeof *copy); /* of inner nodes inside lanes */
    bool good = size && copy;
    uint32_t tops = 0;
    if (good)
        accord_tree_sizes(tree, size);
    for (uint32_t k = 0; good && k < tree->inner; k++) {
        copy[k] = ACCORD_TREE_NO_NODE;
        if (size[k] > m / lanes)
            continue;
        copy[k] = n + order->inner++;
        order->parent[copy[k]] = ACCORD_TREE_NO_NODE;
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
            uint32_t child = tree->child[c];
            order->parent[child < m ? child + m : copy[child - m]] = copy[k];
        }
        if (size[k] == m / lanes && ++tops <= lanes)
            join(order, n + k, copy[k]);
    }
    free(size);
    free(copy);
    return good && tops == lanes;
}
