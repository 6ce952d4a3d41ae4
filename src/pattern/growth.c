/* How an order goes on: each rule takes the tree of the first terms and adds the next ones as a
 * regular implementation might. Which rule holds is for the caller to find out. */
#include "pattern/growth.h"

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

bool accordi_grow_lanes(const accord_tree *tree, uint32_t lag, accordi_builder *b)
{
    uint32_t m = tree->leaves;
    if (lag > m)
        return false;
    accordi_builder_copy(b, tree, 0);
    for (uint32_t i = m; i < b->leaves; i++) {
        uint32_t before = i - lag;
        bool alone = before < lag; /* the first of its lane */
        accordi_builder_join(b, alone ? before : b->parent[before], i);
    }
    return true;
}

bool accordi_grow_copy(const accord_tree *tree, uint32_t unused, accordi_builder *b)
{
    (void)unused;
    uint32_t m = tree->leaves;
    accord_tree *part = first_leaves(tree, b->leaves - m);
    if (!part)
        return false;
    uint32_t root = accordi_builder_copy(b, tree, 0);
    accordi_builder_join(b, root, accordi_builder_copy(b, part, m));
    accord_tree_free(part);
    return true;
}

bool accordi_grow_blocks(const accord_tree *tree, uint32_t block, accordi_builder *b)
{
    uint32_t m = tree->leaves, n = b->leaves, rest = block ? (n - m) % block : 0;
    if (block >= m || block == 0)
        return false;
    accord_tree *whole = first_leaves(tree, block), *last = rest ? first_leaves(tree, rest) : NULL;
    bool good = whole && (last || !rest);
    uint32_t root = accordi_builder_copy(b, tree, 0), at = m;
    for (; good && at + block <= n; at += block)
        root = accordi_builder_join(b, root, accordi_builder_copy(b, whole, at));
    if (good && rest)
        accordi_builder_join(b, root, accordi_builder_copy(b, last, at));
    accord_tree_free(whole);
    accord_tree_free(last);
    return good;
}

bool accordi_grow_lane_copies(const accord_tree *tree, uint32_t lanes, accordi_builder *b)
{
    uint32_t m = tree->leaves, n = b->leaves;
    if (n != 2 * m || lanes >= m || m % lanes)
        return false;
    accordi_builder_copy(b, tree, 0);
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
        copy[k] = accordi_builder_node(b);
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
            uint32_t child = tree->child[c];
            b->parent[child < m ? child + m : copy[child - m]] = copy[k];
        }
        if (size[k] == m / lanes && ++tops <= lanes)
            accordi_builder_join(b, n + k, copy[k]);
    }
    free(size);
    free(copy);
    return good && tops == lanes;
}
