/* The invariants of a canonical tree, checked from the first node to the last.
 *
 * Post-order means: the inner nodes under node k are the numbers just below k, without a gap, the
 * last child's first. So it is enough to walk the children backwards and to expect k-1, then what
 * lies below the whole subtree of k-1, and so on. No node can then be a child twice, and as there
 * are n+m-1 children in all, none is left out. */
#include "base/base.h"
#include "tree/tree.h"

typedef struct seen {
    unsigned char *leaf;   /* n: already somebody's child */
    uint32_t *smallest;    /* m: smallest leaf under the node */
    uint32_t *descendants; /* m: inner nodes in its subtree, itself included */
} seen;

static enum accord_status check_tree_counts(const accord_tree *tree, accord_error *error)
{
    if (!tree || !tree->first || (!tree->child && tree->inner > 0))
        return accordi_fail(error, ACCORD_ARG, "the tree has no arrays");
    if (tree->leaves < 1 || tree->leaves > ACCORD_TREE_MAX_LEAVES)
        return accordi_fail(error, ACCORD_ARG, "a tree has 1 to %u leaves, not %u",
                            ACCORD_TREE_MAX_LEAVES, tree->leaves);
    if (tree->inner > tree->leaves - 1 || (tree->inner == 0 && tree->leaves > 1))
        return accordi_fail(error, ACCORD_ARG,
                            "%u inner nodes are too few or too many for a tree of %u leaves",
                            tree->inner, tree->leaves);
    if (tree->first[0] != 0)
        return accordi_fail(error, ACCORD_ARG, "the children of node %u begin at %u, not 0",
                            tree->leaves, tree->first[0]);
    uint32_t children = tree->leaves + tree->inner - 1;
    for (uint32_t k = 0; k < tree->inner; k++)
        if (tree->first[k + 1] > children || tree->first[k + 1] < tree->first[k] + 2)
            return accordi_fail(error, ACCORD_ARG, "node %u has fewer than two children",
                                tree->leaves + k);
    if (tree->first[tree->inner] != children)
        return accordi_fail(error, ACCORD_ARG,
                            "%u children are listed, but there are %u nodes below the root",
                            tree->first[tree->inner], children);
    return ACCORD_OK;
}

static enum accord_status check_leaf(const accord_tree *tree, seen *s, uint32_t k, uint32_t leaf,
                                     accord_error *error)
{
    if (s->leaf[leaf])
        return accordi_fail(error, ACCORD_ARG,
                            "leaf %u is a child twice; the second time it is a child of node %u",
                            leaf, tree->leaves + k);
    s->leaf[leaf] = 1;
    return ACCORD_OK;
}

static enum accord_status check_node(const accord_tree *tree, seen *s, uint32_t k,
                                     accord_error *error)
{
    uint32_t n = tree->leaves, begin = tree->first[k], expected = k, above = UINT32_MAX;
    for (uint32_t c = tree->first[k + 1]; c-- > begin;) {
        uint32_t node = tree->child[c];
        if (node < n) {
            enum accord_status status = check_leaf(tree, s, k, node, error);
            if (status != ACCORD_OK)
                return status;
        } else if (expected == 0 || node - n != expected - 1) {
            return accordi_fail(
                error, ACCORD_ARG,
                "the nodes are not numbered in post-order: child %u of node %u is out of place",
                node, n + k);
        } else {
            expected -= s->descendants[node - n];
        }
        uint32_t smallest = node < tree->leaves ? node : s->smallest[node - tree->leaves];
        if (smallest >= above)
            return accordi_fail(
                error, ACCORD_ARG,
                "the children of node %u are not in the order of their smallest leaves", n + k);
        above = smallest;
    }
    s->descendants[k] = k - expected + 1;
    s->smallest[k] = above;
    return ACCORD_OK;
}

enum accord_status accord_tree_check(const accord_tree *tree, accord_error *error)
{
    enum accord_status status = check_tree_counts(tree, error);
    if (status != ACCORD_OK)
        return status;
    seen s = {accordi_calloc(tree->leaves, 1), accordi_calloc(tree->inner, sizeof(uint32_t)),
              accordi_calloc(tree->inner, sizeof(uint32_t))};
    if (!s.leaf || !s.smallest || !s.descendants)
        status = accordi_nomem(error);
    for (uint32_t k = 0; status == ACCORD_OK && k < tree->inner; k++)
        status = check_node(tree, &s, k, error);
    free(s.leaf);
    free(s.smallest);
    free(s.descendants);
    return status;
}
