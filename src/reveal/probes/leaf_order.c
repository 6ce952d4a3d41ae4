/* Arranges the leaves of a tree so that those below each node are consecutive. */
#include "reveal/probes/leaf_order.h"

void accordi_layout_clear(accordi_layout *layout)
{
    free(layout->leaf);
    free(layout->start);
    free(layout->size);
    memset(layout, 0, sizeof *layout);
}

enum accord_status accordi_layout_init(accordi_asker *asker, const accord_tree *tree,
                                       accordi_layout *layout)
{
    uint32_t *leaf = accordi_alloc(tree->leaves, sizeof *leaf);
    uint32_t *start = accordi_calloc(tree->inner + 1, sizeof *start);
    uint32_t *size = accordi_alloc(tree->inner + 1, sizeof *size);
    *layout = (accordi_layout){tree, leaf, start, size};
    if (!leaf || !start || !size) {
        accordi_layout_clear(layout);
        return asker->status = accordi_nomem(asker->error);
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

uint32_t accordi_layout_leaf(accordi_asker *asker, const accordi_layout *layout, uint32_t node)
{
    if (node < layout->tree->leaves)
        return node;
    uint32_t k = node - layout->tree->leaves;
    return layout->leaf[layout->start[k] + accordi_rng_below(&asker->rng, layout->size[k])];
}
