/* From a pattern to an outline: a few items that stand for a large order.
 *
 * An item is a part of the order: a term, a node, a chain, a fold (nodes over equal parts, level
 * upon level), or a box, which is any of these without what is below. Copies of an item beneath one
 * parent are one item with a number of times. At first the whole order is one box; the largest box
 * is opened again and again while there is room. A box of a shape that is drawn elsewhere stays
 * closed and refers to that.
 *
 * Invariant: the terms of all items that have no children, each times the copies of its parents,
 * are the terms of the order. Time: a box is opened once, and looks at all items. */
#include "record/pictures/outline.h"

enum { MOST_GROUPS = 12 }; /* of one node; the rest is one item */

bool accordi_next_group(const accord_pattern *pattern, uint32_t id, uint32_t *at,
                        accordi_group *group)
{
    const accord_pattern_node *node = accord_pattern_at(pattern, id);
    const accord_pattern_part *part = accord_pattern_parts(pattern, id);
    uint32_t i = *at, end = i + 1;
    if (i >= node->parts)
        return false;
    *group = (accordi_group){part[i].node, part[i].shift, 1, 0};
    bool alone = node->steps > 1 && i == 0;
    for (; !alone && end < node->parts && part[end].node == group->shape; end++) {
        uint32_t gap = part[end].shift - part[end - 1].shift;
        if (group->count > 1 && gap != group->gap)
            break;
        group->gap = gap;
        group->count++;
    }
    *at = end;
    return true;
}

bool accordi_is_outlined(const accord_tree *tree, const accord_pattern *pattern)
{
    bool shared = (uint64_t)accord_pattern_nodes(pattern) * ACCORDI_LEAST_SHARING <= tree->leaves;
    return tree->leaves > ACCORDI_MOST_DRAWN || (tree->leaves > ACCORDI_DRAWN_WHOLE && shared);
}

static bool add(accordi_outline *o, accordi_outline_item item)
{
    void *list = o->item;
    if (!accordi_grow(&list, &o->room, (size_t)o->count + 1, sizeof item))
        return false;
    o->item = list;
    item.like = o->count;
    o->item[o->count++] = item;
    return true;
}

/* `times` copies of a shape, closed. */
static bool add_shape(accordi_outline *o, uint32_t parent, uint32_t shape, uint32_t low,
                      uint64_t times, int64_t gap)
{
    const accord_pattern_node *node = accord_pattern_at(o->pattern, shape);
    accordi_outline_item item = {
        .kind = node->steps ? ACCORDI_OUTLINE_BOX : ACCORDI_OUTLINE_TERM,
        .shape = shape,
        .low = low,
        .times = times,
        .gap = gap,
        .leaves = node->leaves,
        .label = node->label,
        .parent = parent,
    };
    return add(o, item);
}

/* The only part of a node, of which it has several; false if its parts differ. */
static bool has_equal_parts(const accord_pattern *pattern, uint32_t id, uint32_t *part)
{
    const accord_pattern_node *node = accord_pattern_at(pattern, id);
    const accord_pattern_part *parts = accord_pattern_parts(pattern, id);
    if (node->steps != 1)
        return false;
    for (uint32_t i = 1; i < node->parts; i++)
        if (parts[i].node != parts[0].node)
            return false;
    *part = parts[0].node;
    return true;
}

/* Nodes of one kind over equal parts, as far down as they go. */
static bool open_fold(accordi_outline *o, uint32_t i)
{
    accordi_outline_item item = o->item[i];
    const accord_pattern_node *top = accord_pattern_at(o->pattern, item.shape), *below;
    uint32_t bottom = item.shape, part, levels = 0, at = 0;
    uint64_t times = 1;
    accordi_group group;
    while (has_equal_parts(o->pattern, bottom, &part)) {
        below = accord_pattern_at(o->pattern, bottom);
        if (below->parts != top->parts || below->label != top->label)
            break;
        times *= below->parts;
        levels++;
        bottom = part;
    }
    accordi_next_group(o->pattern, item.shape, &at, &group);
    bool even = levels == 1 && group.count == top->parts;
    o->item[i].kind = levels > 1 ? ACCORDI_OUTLINE_FOLD : ACCORDI_OUTLINE_NODE;
    o->item[i].steps = levels;
    o->item[i].operands = top->parts;
    return add_shape(o, i, bottom, item.low, times, even ? group.gap : 0);
}

/* A node with various parts, or a chain; each step of that adds the same parts, a stride on. */
static bool open_groups(accordi_outline *o, uint32_t i)
{
    accordi_outline_item item = o->item[i];
    const accord_pattern_node *node = accord_pattern_at(o->pattern, item.shape);
    bool chain = node->steps > 1;
    uint32_t at = 0, groups = 0, seen = 0;
    accordi_group group;
    o->item[i].kind = chain ? ACCORDI_OUTLINE_CHAIN : ACCORDI_OUTLINE_NODE;
    o->item[i].steps = node->steps;
    o->item[i].operands = node->parts;
    while (groups < MOST_GROUPS && accordi_next_group(o->pattern, item.shape, &at, &group)) {
        uint64_t times = (uint64_t)group.count * (chain && groups ? node->steps : 1);
        bool single = chain && groups && group.count == 1;
        /* What a chain adds at its steps may lie at one distance over all of them. */
        bool even = group.count == 1 || !chain || (int64_t)group.gap * group.count == node->stride;
        int64_t gap = single ? node->stride : even ? group.gap : 0;
        if (!add_shape(o, i, group.shape, item.low + group.shift, times, gap))
            return false;
        seen += (uint32_t)(times * accord_pattern_at(o->pattern, group.shape)->leaves);
        groups++;
    }
    if (seen == node->leaves)
        return true;
    accordi_outline_item rest = {.kind = ACCORDI_OUTLINE_REST, .times = 1, .parent = i};
    rest.leaves = node->leaves - seen;
    return add(o, rest);
}

static bool is_drawn(const accordi_outline_item *item)
{
    return item->kind == ACCORDI_OUTLINE_NODE || item->kind == ACCORDI_OUTLINE_CHAIN ||
           item->kind == ACCORDI_OUTLINE_FOLD;
}

/* The largest box, of several the one with the first term; a box of a shape that is drawn refers to
 * it instead. `count` when there is none. */
static uint32_t largest_box(accordi_outline *o)
{
    uint32_t best = o->count;
    for (uint32_t i = 0; i < o->count; i++) {
        accordi_outline_item *item = &o->item[i];
        if (item->kind != ACCORDI_OUTLINE_BOX || item->like != i)
            continue;
        for (uint32_t k = 0; k < o->count && item->like == i; k++)
            if (is_drawn(&o->item[k]) && o->item[k].shape == item->shape)
                item->like = k;
        const accordi_outline_item *large = best == o->count ? NULL : &o->item[best];
        if (item->like == i && (!large || item->leaves > large->leaves ||
                                (item->leaves == large->leaves && item->low < large->low)))
            best = i;
    }
    return best;
}

static void give_letters(accordi_outline *o)
{
    char next = 'A';
    for (uint32_t i = 0; i < o->count; i++) {
        char *letter = &o->item[o->item[i].like].letter;
        if (o->item[i].like != i && !*letter && next <= 'Z')
            *letter = next++;
    }
}

/* What is written in a box of two terms says all of it. */
static bool names_its_terms(const accordi_outline_item *item)
{
    return item->leaves == 2 && item->times == 1;
}

/* Items stand behind their parents, but a box may refer to one behind it: until nothing changes. */
static void count_hidden(accordi_outline *o)
{
    bool changes = true;
    while (changes) {
        changes = false;
        for (uint32_t i = o->count; i-- > 0;) {
            accordi_outline_item *item = &o->item[i], *like = &o->item[item->like];
            uint64_t hidden = 0;
            for (uint32_t k = i + 1; k < o->count; k++)
                if (o->item[k].parent == i)
                    hidden += o->item[k].times * o->item[k].hidden;
            if (item->kind == ACCORDI_OUTLINE_BOX)
                hidden = like->letter ? like->hidden : names_its_terms(item) ? 0 : item->leaves;
            else if (item->kind == ACCORDI_OUTLINE_REST)
                hidden = item->leaves;
            changes = changes || hidden != item->hidden;
            item->hidden = hidden;
        }
    }
}

enum accord_status accordi_outline_make(const accord_pattern *pattern, uint32_t most,
                                        accordi_outline *outline, accord_error *error)
{
    accordi_outline o = {.pattern = pattern};
    bool good = add_shape(&o, 0, accord_pattern_nodes(pattern) - 1, 0, 1, 0);
    while (good && o.count < most) {
        uint32_t part, i = largest_box(&o);
        if (i == o.count)
            break;
        good = has_equal_parts(pattern, o.item[i].shape, &part) ? open_fold(&o, i)
                                                                : open_groups(&o, i);
    }
    if (good) {
        largest_box(&o); /* what was opened last may be referred to */
        give_letters(&o);
        count_hidden(&o);
    }
    if (!good) {
        accordi_outline_clear(&o);
        return accordi_nomem(error);
    }
    *outline = o;
    return ACCORD_OK;
}

void accordi_outline_clear(accordi_outline *outline)
{
    free(outline->item);
    *outline = (accordi_outline){.item = NULL};
}
