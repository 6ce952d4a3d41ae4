/* Takes away what lies below the nodes of one Strahler number.
 *
 * In: a binary tree, and a number. Out: the tree of the sums that are not zero if one term is not
 * zero below each child that is taken away of a node of that number, and all other terms are.
 *
 * Idea: a sum of one term and zeros is that term, so the children that are taken away are leaves,
 * and a node with such a sum on one side and zeros on the other is no addition. Leaves are numbered
 * from left to right, and nodes stay in post-order, so the new tree is canonical, and children keep
 * their places. */
#include "reveal/prove/reduced_tree.h"

static uint32_t child_of(const accord_tree *tree, uint32_t k, uint32_t i)
{
    return tree->child[tree->first[k] + i];
}

/* Where the leaves of a child begin. */
static uint32_t place_of(const accordi_layout *l, uint32_t k, uint32_t i)
{
    uint32_t left = child_of(l->tree, k, 0), n = l->tree->leaves;
    return l->start[k] + (i == 0 ? 0 : left < n ? 1 : l->size[left - n]);
}

/* Both children are left, or the node has the number itself. */
static bool stays(const accord_tree *tree, const uint8_t *strahler, uint8_t level, uint32_t k)
{
    uint8_t own = strahler[tree->leaves + k];
    return own == level || (own > level && strahler[child_of(tree, k, 0)] >= level &&
                            strahler[child_of(tree, k, 1)] >= level);
}

uint32_t accordi_reduced_size(const accord_tree *tree, const uint8_t *strahler, uint8_t level)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < tree->inner; k++)
        count += stays(tree, strahler, level, k);
    return count;
}

/* Numbers the leaves from left to right: leaf_at[place] is the number of the one that begins there.
 */
static void number_leaves(const accordi_layout *l, const uint8_t *strahler, uint8_t level,
                          uint32_t *leaf_at, accordi_reduced *out)
{
    const accord_tree *tree = l->tree;
    uint32_t count = 0;
    memset(leaf_at, 0xff, tree->leaves * sizeof *leaf_at);
    for (uint32_t k = 0; k < tree->inner; k++)
        for (uint32_t i = 0; i < 2 && strahler[tree->leaves + k] == level; i++)
            if (strahler[child_of(tree, k, i)] < level)
                leaf_at[place_of(l, k, i)] = child_of(tree, k, i);
    for (uint32_t at = 0; at < tree->leaves; at++)
        if (leaf_at[at] != ACCORD_TREE_NO_NODE) {
            out->under[count] = leaf_at[at];
            leaf_at[at] = count++;
        }
}

/* rest[k]: what is left of inner node k, in the new numbers. */
static void join_nodes(const accordi_layout *l, const uint8_t *strahler, uint8_t level,
                       const uint32_t *leaf_at, uint32_t *rest, accordi_reduced *out)
{
    const accord_tree *tree = l->tree;
    uint32_t n = tree->leaves, made = 0;
    for (uint32_t k = 0; k < tree->inner; k++) {
        uint32_t left[2];
        if (strahler[n + k] < level)
            continue;
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t child = child_of(tree, k, i);
            left[i] = strahler[child] >= level   ? rest[child - n]
                      : strahler[n + k] == level ? leaf_at[place_of(l, k, i)]
                                                 : ACCORD_TREE_NO_NODE;
        }
        if (!stays(tree, strahler, level, k)) {
            rest[k] = left[left[0] == ACCORD_TREE_NO_NODE];
            continue;
        }
        memcpy(out->child + 2 * (size_t)made, left, sizeof left);
        out->first[made] = 2 * made;
        out->node[made] = k;
        rest[k] = out->tree.leaves + made++;
    }
    out->first[made] = 2 * made;
}

enum accord_status accordi_reduce(accordi_asker *asker, const accordi_layout *layout,
                                  const uint8_t *strahler, uint8_t level, accordi_reduced *out)
{
    const accord_tree *tree = layout->tree;
    uint32_t inner = accordi_reduced_size(tree, strahler, level);
    uint32_t *leaf_at = accordi_ask_alloc(asker, tree->leaves, sizeof *leaf_at);
    uint32_t *rest = accordi_ask_alloc(asker, tree->inner, sizeof *rest);
    *out =
        (accordi_reduced){.first = accordi_ask_alloc(asker, (size_t)inner + 1, sizeof *out->first),
                          .child = accordi_ask_alloc(asker, inner, 2 * sizeof *out->child),
                          .under = accordi_ask_alloc(asker, (size_t)inner + 1, sizeof *out->under),
                          .node = accordi_ask_alloc(asker, inner, sizeof *out->node)};
    out->tree = (accord_tree){inner + 1, inner, out->first, out->child};
    if (!asker->status) {
        number_leaves(layout, strahler, level, leaf_at, out);
        join_nodes(layout, strahler, level, leaf_at, rest, out);
    }
    free(leaf_at);
    free(rest);
    if (asker->status)
        accordi_reduced_clear(out);
    return asker->status;
}

void accordi_reduced_clear(accordi_reduced *reduced)
{
    free(reduced->first);
    free(reduced->child);
    free(reduced->under);
    free(reduced->node);
    *reduced = (accordi_reduced){0};
}
