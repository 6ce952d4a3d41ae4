#include "reveal/discover/growth.h"

/* Halves from the top: `multiple` is what the first half is rounded down to (0: rounded up to
 * one), `leaf` the size below which a part is `small` lanes wide. */
typedef struct halving {
    uint32_t multiple, leaf, lanes;
} halving;

static const halving halvings[] = {
    {1, 1, 1},   /* floor(n/2) first */
    {0, 1, 1},   /* ceil(n/2) first */
    {8, 128, 8}, /* NumPy's pairwise sum */
};

/* The tree of a part: strided lanes, joined pairwise, a tail in sequence. */
static uint32_t small_part(accordi_growth *g, uint32_t at, uint32_t count, uint32_t lanes)
{
    uint32_t root[8], full = count < lanes ? 0 : count - count % lanes;
    for (uint32_t l = 0; l < lanes && full; l++) {
        root[l] = at + l;
        for (uint32_t i = l + lanes; i < full; i += lanes) {
            uint32_t node = g->leaves + g->inner++;
            g->parent[root[l]] = g->parent[at + i] = node;
            root[l] = node;
        }
    }
    for (uint32_t width = full ? lanes : 1; width > 1; width /= 2)
        for (uint32_t l = 0; l < width / 2; l++) {
            uint32_t node = g->leaves + g->inner++;
            g->parent[root[2 * l]] = g->parent[root[2 * l + 1]] = node;
            root[l] = node;
        }
    uint32_t top = full ? root[0] : at;
    for (uint32_t i = full ? full : 1; i < count; i++) {
        uint32_t node = g->leaves + g->inner++;
        g->parent[top] = g->parent[at + i] = node;
        top = node;
    }
    return top;
}

/* A stack of parts in place of recursion: a part is split, or its two halves are joined. */
static void halve(accordi_growth *g, const halving *how)
{
    struct part {
        uint32_t at, count, first, second;
        int stage;
    } stack[64];
    uint32_t depth = 0, result = 0;
    stack[depth++] = (struct part){.count = g->leaves};
    while (depth) {
        struct part *p = &stack[depth - 1];
        uint32_t half =
            how->multiple ? p->count / 2 - p->count / 2 % how->multiple : p->count - p->count / 2;
        if (p->count <= how->leaf) {
            result = small_part(g, p->at, p->count, how->lanes);
            depth--;
        } else if (p->stage == 0) {
            p->stage = 1;
            stack[depth++] = (struct part){.at = p->at, .count = half};
        } else if (p->stage == 1) {
            p->first = result;
            p->stage = 2;
            stack[depth++] = (struct part){.at = p->at + half, .count = p->count - half};
        } else {
            uint32_t node = g->leaves + g->inner++;
            g->parent[p->first] = g->parent[result] = node;
            result = node;
            depth--;
        }
    }
}

accord_tree *accordi_halves_tree(uint32_t n, size_t which)
{
    accord_tree *tree = NULL;
    accordi_growth growth = {.leaves = n};
    if (which >= sizeof halvings / sizeof *halvings)
        return NULL;
    growth.parent = accordi_alloc(2 * (size_t)n, sizeof *growth.parent);
    if (!growth.parent)
        return NULL;
    for (uint32_t i = 0; i < 2 * n; i++)
        growth.parent[i] = ACCORD_TREE_NO_NODE;
    halve(&growth, &halvings[which]);
    if (accord_tree_from_parents(n, growth.inner, growth.parent, &tree, NULL))
        tree = NULL;
    free(growth.parent);
    return tree;
}
