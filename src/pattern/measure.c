/* Measures an order: its additions, its fused sums and its depth. */
#include "pattern/pattern.h"

/* Nodes from inner node k down to the deepest leaf, from those of its children. */
static uint32_t height_of(const accord_tree *tree, uint32_t k, const uint32_t *height)
{
    uint32_t tallest = 0;
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
        uint32_t node = tree->child[c];
        if (node >= tree->leaves && height[node - tree->leaves] > tallest)
            tallest = height[node - tree->leaves];
    }
    return tallest + 1;
}

enum accord_status accord_order_measure(const accord_tree *tree, accord_order_measures *out,
                                        accord_error *error)
{
    accord_order_measures m = {0};
    uint32_t *height = accordi_alloc(tree->inner, sizeof *height);
    if (!height)
        return accordi_nomem(error);
    for (uint32_t k = 0; k < tree->inner; k++) {
        uint32_t children = tree->first[k + 1] - tree->first[k];
        height[k] = height_of(tree, k, height);
        m.depth = height[k] > m.depth ? height[k] : m.depth;
        m.additions += children == 2;
        m.fused += children > 2;
        m.widest = children > m.widest ? children : m.widest;
    }
    free(height);
    *out = m;
    return ACCORD_OK;
}
