/* The list of shapes. Parts have smaller numbers than what they are parts of, so that one pass
 * over the list sees all below before what is above, or the other way round. */
#include "pattern/pattern.h"

static uint32_t hash_shape(const accord_pattern_node *node, const accord_pattern_part *part)
{
    uint64_t h = 1469598103934665603u;
    h = (h ^ node->steps) * 1099511628211u;
    h = (h ^ node->label) * 1099511628211u;
    h = (h ^ (uint64_t)node->stride) * 1099511628211u;
    for (uint32_t i = 0; i < node->parts; i++) {
        h = (h ^ part[i].node) * 1099511628211u;
        h = (h ^ part[i].shift) * 1099511628211u;
    }
    return (uint32_t)(h ^ h >> 32);
}

static bool is_same(const accord_pattern *p, uint32_t id, const accord_pattern_node *key,
                    const accord_pattern_part *part)
{
    const accord_pattern_node *node = &p->node[id];
    return node->steps == key->steps && node->stride == key->stride && node->label == key->label &&
           node->parts == key->parts &&
           (key->parts == 0 || memcmp(p->part + node->first, part, key->parts * sizeof *part) == 0);
}

static bool widen_table(accord_pattern *p)
{
    size_t slots = p->slots ? 2 * p->slots : 64;
    uint32_t *slot = accordi_calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    for (uint32_t id = 0; id < p->nodes; id++) {
        size_t at = hash_shape(&p->node[id], p->part + p->node[id].first) & (slots - 1);
        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = id + 1;
    }
    free(p->slot);
    p->slot = slot;
    p->slots = slots;
    return true;
}

/* Leaves, span and depth: those of the parts, which the steps of a run repeat. */
static void measure_shape(const accord_pattern *p, accord_pattern_node *node,
                          const accord_pattern_part *part)
{
    uint32_t deepest = 0;
    node->leaves = node->span = 1;
    if (node->steps == 0)
        return;
    node->leaves = 0;
    for (uint32_t i = 0; i < node->parts; i++) {
        const accord_pattern_node *below = &p->node[part[i].node];
        uint32_t times = i > 0 ? node->steps : 1;
        int64_t way = node->stride > 0 && i > 0 ? node->stride * (node->steps - 1) : 0;
        uint32_t end = (uint32_t)(part[i].shift + way) + below->span;
        node->leaves += times * below->leaves;
        node->span = end > node->span ? end : node->span;
        deepest = below->depth > deepest ? below->depth : deepest;
    }
    node->depth = deepest + node->steps;
}

uint32_t accordi_pattern_enter(accord_pattern *p, accord_pattern_node key,
                               const accord_pattern_part *part)
{
    if (p->nodes >= p->slots / 2 && !widen_table(p))
        return ACCORD_TREE_NO_NODE;
    size_t at = hash_shape(&key, part) & (p->slots - 1);
    for (; p->slot[at]; at = (at + 1) & (p->slots - 1))
        if (is_same(p, p->slot[at] - 1, &key, part))
            return p->slot[at] - 1;
    void *node = p->node, *all = p->part;
    bool good = accordi_grow(&node, &p->node_room, (size_t)p->nodes + 1, sizeof *p->node);
    p->node = node;
    good = good && accordi_grow(&all, &p->part_room, p->parts + key.parts, sizeof *p->part);
    p->part = all;
    if (!good)
        return ACCORD_TREE_NO_NODE;
    key.first = p->parts;
    measure_shape(p, &key, part);
    if (key.parts > 0)
        memcpy(p->part + p->parts, part, key.parts * sizeof *part);
    p->parts += key.parts;
    p->node[p->nodes] = key;
    p->slot[at] = p->nodes + 1;
    return p->nodes++;
}

/* Moves what is marked to the front; number[id] - 1 becomes its new number. */
static void close_gaps(accord_pattern *p, uint32_t *number)
{
    uint32_t kept = 0;
    uint64_t parts = 0;
    for (uint32_t id = 0; id < p->nodes; id++) {
        accord_pattern_node node = p->node[id];
        if (!number[id])
            continue;
        for (uint32_t i = 0; i < node.parts; i++) {
            accord_pattern_part part = p->part[node.first + i];
            part.node = number[part.node] - 1;
            p->part[parts + i] = part;
        }
        node.first = parts;
        parts += node.parts;
        p->node[kept++] = node;
        number[id] = kept;
    }
    p->nodes = kept;
    p->parts = parts;
}

bool accordi_pattern_finish(accord_pattern *p, uint32_t *shape, uint32_t count)
{
    uint32_t *number = accordi_calloc(p->nodes, sizeof *number);
    if (!number)
        return false;
    number[p->nodes - 1] = 1;
    for (uint32_t id = p->nodes; id-- > 0;)
        for (uint32_t i = 0; number[id] && i < p->node[id].parts; i++)
            number[p->part[p->node[id].first + i].node] = 1;
    close_gaps(p, number);
    for (uint32_t i = 0; shape && i < count; i++)
        shape[i] = shape[i] == ACCORD_TREE_NO_NODE ? shape[i] : number[shape[i]] - 1;
    free(number);
    free(p->slot);
    p->slot = NULL;
    p->slots = 0;
    return true;
}

void accord_pattern_free(accord_pattern *pattern)
{
    if (!pattern)
        return;
    free(pattern->node);
    free(pattern->part);
    free(pattern->slot);
    free(pattern);
}

uint32_t accord_pattern_nodes(const accord_pattern *pattern)
{
    return pattern->nodes;
}

const accord_pattern_node *accord_pattern_at(const accord_pattern *pattern, uint32_t id)
{
    return &pattern->node[id];
}

const accord_pattern_part *accord_pattern_parts(const accord_pattern *pattern, uint32_t id)
{
    const accord_pattern_node *node = &pattern->node[id];
    return node->parts ? pattern->part + node->first : NULL;
}
