/* Arranges the leaves of a tree so that those below each node are consecutive. */
#include "reveal/probes/leaf_order.h"

void accordi_layout_clear(accordi_layout *layout)
{
    free(layout->leaf);
    free(layout->start);
    free(layout->size);
    free(layout->parent);
    memset(layout, 0, sizeof *layout);
}

enum accord_status accordi_layout_plain(accordi_asker *asker, const accord_tree *tree,
                                        accordi_layout *layout)
{
    uint32_t *leaf = accordi_ask_alloc(asker, tree->leaves, sizeof *leaf);
    uint32_t *start = accordi_ask_calloc(asker, tree->inner + 1, sizeof *start);
    uint32_t *size = accordi_ask_alloc(asker, tree->inner + 1, sizeof *size);
    *layout = (accordi_layout){tree, leaf, start, size, NULL};
    if (asker->status) {
        accordi_layout_clear(layout);
        return asker->status;
    }
    accord_tree_sizes(tree, size);
    for (uint32_t k = tree->inner; k-- > 0;) { /* parents before children */
        uint32_t at = start[k];
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
            uint32_t child = tree->child[c];
            if (child < tree->leaves) {
                leaf[at++] = child;
            } else {
                start[child - tree->leaves] = at;
                at += size[child - tree->leaves];
            }
        }
    }
    return ACCORD_OK;
}

enum accord_status accordi_layout_init(accordi_asker *asker, const accord_tree *tree,
                                       accordi_layout *layout)
{
    if (accordi_layout_plain(asker, tree, layout))
        return asker->status;
    layout->parent =
        accordi_ask_alloc(asker, (size_t)tree->leaves + tree->inner, sizeof *layout->parent);
    if (asker->status)
        accordi_layout_clear(layout);
    else
        accord_tree_parents(tree, layout->parent);
    return asker->status;
}

uint32_t accordi_layout_draw(accordi_rng *rng, const accordi_layout *layout, uint32_t node)
{
    if (node < layout->tree->leaves)
        return node;
    uint32_t k = node - layout->tree->leaves;
    return layout->leaf[layout->start[k] + accordi_rng_below(rng, layout->size[k])];
}

uint32_t accordi_layout_leaf(accordi_asker *asker, const accordi_layout *layout, uint32_t node)
{
    return accordi_layout_draw(&asker->rng, layout, node);
}

uint32_t accordi_layout_sibling(const accordi_layout *layout, uint32_t node)
{
    const accord_tree *tree = layout->tree;
    uint32_t above = layout->parent[node];
    if (above == ACCORD_TREE_NO_NODE)
        return above;
    const uint32_t *pair = tree->child + tree->first[above - tree->leaves];
    return pair[pair[0] == node];
}
