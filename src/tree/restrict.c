/* What remains of a tree when some leaves are taken away.
 *
 * From the leaves upwards each node is replaced by what is left of it: nothing, the one child
 * that is left, or a node of its own. The order of children can change (a child may lose its
 * smallest leaf), so the result is put into canonical form. */
#include "base/base.h"
#include "tree/tree.h"

static enum accord_status check_kept(const accord_tree *tree, size_t count, const uint32_t *kept,
                                     accord_error *error)
{
    if (count == 0)
        return accordi_fail(error, ACCORD_ARG, "keep at least one leaf");
    for (size_t i = 0; i < count; i++) {
        if (kept[i] >= tree->leaves)
            return accordi_fail(error, ACCORD_ARG,
                                "leaf %u cannot be kept, because the tree has only %u leaves",
                                kept[i], tree->leaves);
        if (i > 0 && kept[i] <= kept[i - 1])
            return accordi_fail(error, ACCORD_ARG,
                                "the leaves to keep must be in ascending order, but %u follows %u",
                                kept[i], kept[i - 1]);
    }
    return ACCORD_OK;
}

/* rest[v]: what is left of node v, in the numbering of the new tree. Returns the inner nodes. */
static uint32_t contract(const accord_tree *tree, uint32_t count, uint32_t *rest, uint32_t *parent)
{
    uint32_t n = tree->leaves, made = 0;
    for (uint32_t k = 0; k < tree->inner; k++) {
        uint32_t alive = 0, last = ACCORD_TREE_NO_NODE;
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
            uint32_t left = rest[tree->child[c]];
            if (left == ACCORD_TREE_NO_NODE)
                continue;
            if (alive++ > 0) {
                parent[last] = count + made;
                parent[left] = count + made;
            }
            last = left;
        }
        rest[n + k] = alive > 1 ? count + made++ : last;
    }
    parent[rest[n + tree->inner - 1]] = ACCORD_TREE_NO_NODE;
    return made;
}

enum accord_status accord_tree_restrict(const accord_tree *tree, size_t count, const uint32_t *kept,
                                        accord_tree **out, accord_error *error)
{
    enum accord_status status = check_kept(tree, count, kept, error);
    if (status != ACCORD_OK)
        return status;
    size_t nodes = (size_t)tree->leaves + tree->inner;
    uint32_t *rest = accordi_alloc(nodes, sizeof *rest);
    uint32_t *parent = accordi_alloc(2 * count, sizeof *parent);
    if (!rest || !parent) {
        status = accordi_nomem(error);
    } else {
        memset(rest, 0xff, nodes * sizeof *rest);
        for (size_t i = 0; i < count; i++)
            rest[kept[i]] = (uint32_t)i;
        uint32_t inner = contract(tree, (uint32_t)count, rest, parent);
        status = accord_tree_from_parents(count, inner, parent, out, error);
    }
    free(rest);
    free(parent);
    return status;
}
