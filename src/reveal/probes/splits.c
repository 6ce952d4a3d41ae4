/* Cuts a binary tree into levels of nodes, and says what a call has in them.
 *
 * In: a tree with the order of its leaves. Out: for every level and call, which terms carry masks
 * and noise.
 *
 * Idea: the nodes at one depth are disjoint. Suppose that they are nodes of the target's tree. In
 * each, masks on all leaves of one child cancel only all together, so noise on the other child
 * survives if and only if no leaf of it meets a part of them: that shows the child to be a clade,
 * but for an addition of more than two operands, which a mask in either child, with noise on all
 * other leaves, shows. Nodes at one depth share these three calls. Noise is random, so what one
 * node loses is not made up for by others. doc/whole-order.md has the proof.
 *
 * Bound: 3 calls a level, each asked twice or three times. */
#include "reveal/probes/splits.h"

const accordi_split_call accordi_split_calls[ACCORDI_SPLIT_CALLS] = {
    {ACCORDI_LARGER, ACCORDI_SMALLER},
    {ACCORDI_SMALLER, ACCORDI_LARGER},
    {0, ACCORDI_LARGER | ACCORDI_SMALLER}};

bool accordi_split_mask(const accordi_split *s, uint32_t call, uint8_t role, double *multiple)
{
    bool last = call == ACCORDI_SPLIT_CALLS - 1;
    if (last)
        *multiple = role == ACCORDI_LARGER ? 1 : -1;
    else
        *multiple = 1 - (double)(role == ACCORDI_LARGER ? s->larger_of : s->smaller_of);
    return last || (accordi_split_calls[call].masked & role);
}

/* ---- levels ---- */

static uint32_t size_of(const accordi_layout *l, uint32_t node)
{
    return node < l->tree->leaves ? 1 : l->size[node - l->tree->leaves];
}

static const uint32_t *children(const accordi_layout *l, uint32_t k)
{
    return l->tree->child + l->tree->first[k];
}

enum { DEEPER = ACCORDI_MOST_SPLITS + 1 };

/* depth: per inner node, how many are above it, or DEEPER. */
static void find_depths(accordi_splits *s, uint16_t *depth)
{
    const accordi_layout *l = s->layout;
    uint32_t nodes[DEEPER + 1] = {0};
    s->whole = true;
    depth[l->tree->inner - 1] = 0;
    for (uint32_t k = l->tree->inner; k-- > 0;) {
        const uint32_t *child = children(l, k), level = depth[k];
        for (int i = 0; i < 2; i++)
            if (child[i] >= l->tree->leaves)
                depth[child[i] - l->tree->leaves] = (uint16_t)(level < DEEPER ? level + 1 : DEEPER);
        s->begin[level + 1]++;
        if (l->size[k] < 3)
            continue;
        if (level < DEEPER)
            s->most = ++nodes[level] > s->most ? nodes[level] : s->most;
        if (level >= ACCORDI_MOST_SPLITS) {
            s->whole = false;
            continue;
        }
        s->levels = level < s->levels ? s->levels : level + 1;
        s->both[level] |= size_of(l, child[0]) > 1 && size_of(l, child[1]) > 1;
    }
}

static void sort_nodes(accordi_splits *s, const uint16_t *depth)
{
    uint32_t end[DEEPER + 1];
    for (uint32_t level = 0; level <= DEEPER; level++) {
        end[level] = s->begin[level];
        s->begin[level + 1] += s->begin[level];
    }
    for (uint32_t k = s->layout->tree->inner; k-- > 0;)
        s->node[end[depth[k]]++] = k;
}

enum accord_status accordi_splits_init(accordi_asker *asker, const accordi_layout *layout,
                                       accordi_splits *out)
{
    const accord_tree *tree = layout->tree;
    uint16_t *depth = accordi_ask_alloc(asker, tree->inner, sizeof *depth);
    *out = (accordi_splits){.layout = layout,
                            .node = accordi_ask_alloc(asker, tree->inner, sizeof *out->node)};
    if (!asker->status) {
        find_depths(out, depth);
        sort_nodes(out, depth);
    }
    free(depth);
    return asker->status;
}

void accordi_splits_clear(accordi_splits *s)
{
    free(s->node);
    free(s->role);
    free(s->split);
    *s = (accordi_splits){0};
}

uint64_t accordi_splits_calls(const accordi_splits *s, uint32_t levels)
{
    uint64_t calls = 0;
    for (uint32_t i = 0; i < levels; i++)
        calls += ACCORDI_SPLIT_CALLS - !s->both[i];
    return calls;
}

uint32_t accordi_splits_rest(const accordi_splits *s, uint32_t level, uint32_t *node)
{
    const accordi_layout *l = s->layout;
    uint32_t count = 0;
    for (uint32_t i = s->begin[level]; i < s->begin[level + 1]; i++)
        if (l->size[s->node[i]] > 2)
            node[count++] = l->tree->leaves + s->node[i];
    return count;
}

static void give_role(accordi_splits *s, uint32_t at, uint32_t size, uint8_t role)
{
    const uint32_t *leaf = s->layout->leaf + at;
    uint8_t *of = s->role; /* which a store of a byte might change, as far as compilers know */
    for (uint32_t i = 0; i < size; i++)
        of[leaf[i]] = role;
}

void accordi_splits_enter(accordi_splits *s, uint32_t level)
{
    const accordi_layout *l = s->layout;
    memset(s->role, 0, l->tree->leaves);
    s->splits = 0;
    for (uint32_t i = s->begin[level]; i < s->begin[level + 1]; i++) {
        uint32_t k = s->node[i];
        if (l->size[k] < 3)
            continue;
        uint32_t first = size_of(l, children(l, k)[0]), second = l->size[k] - first,
                 at = l->start[k];
        bool in_order = first >= second;
        give_role(s, at, first, in_order ? ACCORDI_LARGER : ACCORDI_SMALLER);
        give_role(s, at + first, second, in_order ? ACCORDI_SMALLER : ACCORDI_LARGER);
        uint32_t here = l->leaf[at], there = l->leaf[at + first];
        s->split[s->splits++] = in_order ? (accordi_split){here, there, first, second}
                                         : (accordi_split){there, here, second, first};
    }
}
