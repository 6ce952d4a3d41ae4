/* From a pattern back to its tree: a walk over the shapes from the last one down, which gives each
 * node its parent. Parts have smaller numbers than what they are parts of, so that no more shapes
 * are open at a time than there are. */
#include "pattern/pattern.h"

typedef struct open_shape {
    uint32_t id, low;
    uint32_t bottom;     /* the node of its first step; those of the next ones follow */
    uint32_t step, part; /* to be placed next */
} open_shape;

typedef struct expansion {
    const accord_pattern *pattern;
    uint32_t *parent;
    uint32_t nodes; /* leaves and inner nodes so far */
    open_shape *open;
    uint32_t depth;
} expansion;

/* Links the nodes of a shape to each other, the last one to `above`, and opens it. */
static void open_at(expansion *e, uint32_t id, uint32_t low, uint32_t above)
{
    uint32_t steps = accord_pattern_at(e->pattern, id)->steps;
    if (steps == 0) {
        e->parent[low] = above;
        return;
    }
    e->open[e->depth++] = (open_shape){.id = id, .low = low, .bottom = e->nodes};
    for (uint32_t i = 1; i < steps; i++, e->nodes++)
        e->parent[e->nodes] = e->nodes + 1;
    e->parent[e->nodes++] = above;
}

/* The start of a run is part of its first step alone. */
static void place_next(expansion *e)
{
    open_shape *top = &e->open[e->depth - 1], now = *top;
    const accord_pattern_node *node = accord_pattern_at(e->pattern, now.id);
    if (now.step == node->steps) {
        e->depth--;
        return;
    }
    const accord_pattern_part *part = accord_pattern_parts(e->pattern, now.id) + now.part;
    if (++top->part == node->parts) {
        top->part = 1;
        top->step++;
    }
    int64_t at = (int64_t)now.low + part->shift + node->stride * now.step;
    open_at(e, part->node, (uint32_t)at, now.bottom + now.step);
}

enum accord_status accord_pattern_tree(const accord_pattern *pattern, accord_tree **out,
                                       accord_error *error)
{
    uint32_t root = pattern->nodes - 1, leaves = pattern->node[root].leaves;
    expansion e = {.pattern = pattern, .nodes = leaves};
    enum accord_status status = ACCORD_NOMEM;
    e.parent = accordi_alloc(2 * (size_t)leaves, sizeof *e.parent);
    e.open = accordi_alloc(pattern->nodes, sizeof *e.open);
    if (e.parent && e.open) {
        open_at(&e, root, 0, ACCORD_TREE_NO_NODE);
        while (e.depth > 0)
            place_next(&e);
        status = accord_tree_from_parents(leaves, e.nodes - leaves, e.parent, out, error);
    } else {
        accordi_nomem(error);
    }
    free(e.parent);
    free(e.open);
    return status;
}
