#include "reveal/grow.h"

/* The old tree, its inner nodes first. */
static void start(const accord_tree *tree, accordi_growth *growth)
{
    uint32_t m = tree->leaves, n = growth->leaves, *parent = growth->parent;
    growth->inner = tree->inner;
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

static uint32_t root_of(const accord_tree *tree, const accordi_growth *growth)
{
    return tree->inner ? growth->leaves + tree->inner - 1 : 0;
}

/* Joins x and y where x stands. */
static uint32_t join(accordi_growth *growth, uint32_t x, uint32_t y)
{
    uint32_t node = growth->leaves + growth->inner++;
    growth->parent[node] = growth->parent[x];
    growth->parent[x] = growth->parent[y] = node;
    return node;
}

/* Adds the tree of the first `count` leaves of `tree`, moved to begin at leaf `at`; its root. */
static bool add_copy(const accord_tree *tree, uint32_t count, uint32_t at, accordi_growth *growth,
                     uint32_t *root)
{
    accord_tree *part = NULL;
    uint32_t *kept = accordi_alloc(count, sizeof *kept);
    for (uint32_t i = 0; kept && i < count; i++)
        kept[i] = i;
    bool good = kept && !accord_tree_restrict(tree, count, kept, &part, NULL);
    free(kept);
    if (!good)
        return false;
    uint32_t base = growth->leaves + growth->inner, *parent = growth->parent;
    for (uint32_t k = 0; k < part->inner; k++) {
        parent[base + k] = ACCORD_TREE_NO_NODE;
        for (uint32_t c = part->first[k]; c < part->first[k + 1]; c++) {
            uint32_t child = part->child[c];
            parent[child < count ? at + child : child - count + base] = base + k;
        }
    }
    growth->inner += part->inner;
    *root = part->inner ? base + part->inner - 1 : at;
    accord_tree_free(part);
    return true;
}

bool accordi_grow_lanes(const accord_tree *tree, uint32_t lag, accordi_growth *growth)
{
    uint32_t m = tree->leaves;
    if (lag > m)
        return false;
    start(tree, growth);
    for (uint32_t i = m; i < growth->leaves; i++) {
        uint32_t before = i - lag;
        bool alone = before < lag; /* the first of its lane */
        join(growth, alone ? before : growth->parent[before], i);
    }
    return true;
}

bool accordi_grow_copy(const accord_tree *tree, uint32_t unused, accordi_growth *growth)
{
    (void)unused;
    uint32_t copy;
    start(tree, growth);
    if (!add_copy(tree, growth->leaves - tree->leaves, tree->leaves, growth, &copy))
        return false;
    join(growth, root_of(tree, growth), copy);
    return true;
}

bool accordi_grow_blocks(const accord_tree *tree, uint32_t block, accordi_growth *growth)
{
    uint32_t m = tree->leaves, root, copy;
    if (block >= m || block == 0)
        return false;
    start(tree, growth);
    root = root_of(tree, growth);
    for (uint32_t at = m; at < growth->leaves; at += block) {
        uint32_t count = growth->leaves - at < block ? growth->leaves - at : block;
        if (!add_copy(tree, count, at, growth, &copy))
            return false;
        root = join(growth, root, copy);
    }
    return true;
}

bool accordi_grow_lane_copies(const accord_tree *tree, uint32_t lanes, accordi_growth *growth)
{
    uint32_t m = tree->leaves, n = growth->leaves;
    if (n != 2 * m || lanes >= m || m % lanes)
        return false;
    start(tree, growth);
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
        copy[k] = n + growth->inner++;
        growth->parent[copy[k]] = ACCORD_TREE_NO_NODE;
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
            uint32_t child = tree->child[c];
            growth->parent[child < m ? child + m : copy[child - m]] = copy[k];
        }
        if (size[k] == m / lanes && ++tops <= lanes)
            join(growth, n + k, copy[k]);
    }
    free(size);
    free(copy);
    return good && tops == lanes;
}
