/* Cuts a binary tree into levels of clades with two paths each.
 *
 * In: a tree with the order of its leaves. Out: for every level its clades and their arms.
 *
 * Idea: the clades of the first level are the root alone, or nodes that are known to be clades of
 * the target's tree. From each child of a clade an arm goes down
 * to a leaf, at every node into one child; the other child is a block of the arm, and a clade of
 * the next level if it has more than two leaves. Which child is which is chosen so that there are
 * as few levels as possible: with g(v) = 0 for clades of one or two leaves, else 1 + max(q(left),
 * q(right)), and q(leaf) = 0, q(v) = min(max(q(a), g(b)), max(q(b), g(a))), there are g(root)
 * levels. A chain has one, and a balanced tree about log2(n) / 2 (doc/whole-order.md).
 *
 * Bound: O(n) time; every inner node but those of blocks of two leaves is on one arm or is the top
 * of one clade. */
#include "reveal/ties/order_levels.h"

static uint32_t size_of(const accordi_layout *l, uint32_t node)
{
    return node < l->tree->leaves ? 1 : l->size[node - l->tree->leaves];
}

typedef struct cutter {
    accordi_order_levels *out;
    uint8_t *as_clade, *as_arm; /* per node: levels that it needs as a clade, and on an arm */
    uint32_t *clade, *next;     /* of this level, and of the next one */
    uint32_t clades, nexts, arms, blocks;
} cutter;

static uint8_t greater(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

/* The levels needed if the arm goes on in child a and b is a block. */
static uint8_t levels_by(const cutter *c, uint32_t a, uint32_t b)
{
    return greater(c->as_arm[a], c->as_clade[b]);
}

void accordi_order_levels_count(const accordi_layout *l, uint8_t *out, uint8_t *room)
{
    const accord_tree *tree = l->tree;
    const cutter c = {.as_clade = out, .as_arm = room};
    memset(c.as_arm, 0, tree->leaves);
    memset(c.as_clade, 0, tree->leaves);
    for (uint32_t k = 0; k < tree->inner; k++) {
        uint32_t v = tree->leaves + k, a = tree->child[tree->first[k]],
                 b = tree->child[tree->first[k] + 1];
        uint8_t into_a = levels_by(&c, a, b), into_b = levels_by(&c, b, a);
        c.as_arm[v] = into_a < into_b ? into_a : into_b;
        c.as_clade[v] = l->size[k] <= 2 ? 0 : (uint8_t)(1 + greater(c.as_arm[a], c.as_arm[b]));
    }
}

/* `arms` is how many there are before those of the next level. */
static void lay_arm(cutter *c, uint32_t node, uint32_t at, uint32_t arms)
{
    const accordi_layout *l = c->out->layout;
    accordi_arm *arm = &c->out->arm[c->arms++];
    arm->first = c->blocks;
    while (node >= l->tree->leaves) {
        const uint32_t *child = l->tree->child + l->tree->first[node - l->tree->leaves];
        uint32_t a = child[0], b = child[1], size_a = size_of(l, a), size_b = size_of(l, b);
        bool into_b = levels_by(c, b, a) < levels_by(c, a, b);
        accordi_block *block = &c->out->block[c->blocks++];
        *block = into_b ? (accordi_block){at, size_a, 0} : (accordi_block){at + size_a, size_b, 0};
        if (block->size > 2) {
            block->inside = arms + 2 * c->nexts;
            c->next[c->nexts++] = into_b ? a : b;
        }
        at += into_b ? size_a : 0;
        node = into_b ? b : a;
    }
    arm->bottom = node;
    arm->blocks = c->blocks - arm->first;
}

static void cut_level(cutter *c, uint32_t level)
{
    const accordi_layout *l = c->out->layout;
    uint32_t arms = c->arms + 2 * c->clades, *done = c->clade;
    c->out->arm_of[level] = c->arms;
    c->nexts = 0;
    for (uint32_t i = 0; i < c->clades; i++) {
        uint32_t k = c->clade[i] - l->tree->leaves;
        const uint32_t *child = l->tree->child + l->tree->first[k];
        lay_arm(c, child[0], l->start[k], arms);
        lay_arm(c, child[1], l->start[k] + size_of(l, child[0]), arms);
    }
    c->clade = c->next;
    c->next = done;
    c->clades = c->nexts;
}

enum accord_status accordi_order_levels_init(accordi_asker *asker, const accordi_layout *layout,
                                             const uint32_t *clade, uint32_t clades,
                                             accordi_order_levels *out)
{
    const accord_tree *tree = layout->tree;
    size_t nodes = (size_t)tree->leaves + tree->inner;
    *out = (accordi_order_levels){.layout = layout};
    cutter c = {.out = out, .clades = clades};
    c.as_clade = accordi_ask_alloc(asker, nodes, 1);
    c.as_arm = accordi_ask_alloc(asker, nodes, 1);
    c.clade = accordi_ask_alloc(asker, tree->leaves / 3 + 1, sizeof *c.clade);
    c.next = accordi_ask_alloc(asker, tree->leaves / 3 + 1, sizeof *c.next);
    out->arm = accordi_ask_alloc(asker, tree->leaves, sizeof *out->arm);
    out->block = accordi_ask_alloc(asker, tree->leaves, sizeof *out->block);
    if (!asker->status) {
        accordi_order_levels_count(layout, c.as_clade, c.as_arm);
        for (uint32_t i = 0; i < clades; i++) {
            c.clade[i] = clade[i];
            out->levels = greater((uint8_t)out->levels, c.as_clade[clade[i]]);
        }
        for (uint32_t level = 0; level < out->levels; level++)
            cut_level(&c, level);
        out->arm_of[out->levels] = c.arms;
    }
    free(c.as_clade);
    free(c.as_arm);
    free(c.clade);
    free(c.next);
    if (asker->status)
        accordi_order_levels_clear(out);
    return asker->status;
}

void accordi_order_levels_clear(accordi_order_levels *levels)
{
    free(levels->arm);
    free(levels->block);
    *levels = (accordi_order_levels){0};
}
