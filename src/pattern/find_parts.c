/* The rule for a list of parts that stand side by side, which a chain, in one direction or the
 * other, or one fused sum joins. Each part is looked at for itself; parts that follow each other
 * and have the same order are written once. */
#include "pattern/find.h"

enum { MOST_PARTS = 16 }; /* different ones */

typedef struct part {
    uint32_t node, low, held;
} part;

typedef struct parts {
    part *part; /* in the order of the chain, the last one first */
    size_t count, room;
} parts;

static bool put_part(accordi_finder *f, parts *p, uint32_t node)
{
    void *memory = p->part;
    bool good = accordi_grow(&memory, &p->room, p->count + 1, sizeof *p->part);
    p->part = memory;
    f->nomem = f->nomem || !good;
    if (good)
        p->part[p->count++] = (part){node, f->low[node], f->held[node]};
    return good;
}

/* Whether all children of the node stand side by side. */
static bool is_cut(const accordi_finder *f, const accordi_list *list, uint32_t node)
{
    if (list->item[f->low[node]] == node || !accordi_side_by_side(f, node))
        return false;
    for (uint32_t c = 0; c < accordi_children(f, node); c++)
        if (!accordi_side_by_side(f, accordi_child(f, node)[c]))
            return false;
    return true;
}

/* A part of another size belongs to the chain only as the last part of the list, where it is
 * shorter. */
static bool belongs(const parts *p, uint32_t held, uint32_t spine)
{
    uint32_t before = p->part[p->count - 1].held;
    return held == before || (p->count == 1 && held > before && spine == 0);
}

/* The parts that a chain joins, whose sum so far is child number `spine` of each node. */
static bool collect_chain(accordi_finder *f, const accordi_list *list, uint32_t spine, parts *p)
{
    uint32_t v = list->goal, label = accordi_label(f, v);
    p->count = 0;
    while (is_cut(f, list, v) && accordi_children(f, v) == 2 && accordi_label(f, v) == label) {
        uint32_t added = accordi_child(f, v)[!spine];
        if (p->count > 0 && !belongs(p, f->held[added], spine))
            break;
        if (!put_part(f, p, added))
            return false;
        v = accordi_child(f, v)[spine];
    }
    return put_part(f, p, v);
}

/* Puts the parts into the order of their items. */
static void reverse(parts *p)
{
    for (size_t i = 0, k = p->count; i + 1 < k; i++) {
        part last = p->part[--k];
        p->part[k] = p->part[i];
        p->part[i] = last;
    }
}

static bool collect(accordi_finder *f, const accordi_list *list, parts *p)
{
    uint32_t children = accordi_children(f, list->goal);
    p->count = 0;
    if (!is_cut(f, list, list->goal))
        return false;
    for (uint32_t c = 0; children > 2 && c < children; c++)
        if (!put_part(f, p, accordi_child(f, list->goal)[c]))
            return false;
    if (children > 2)
        return true;
    if (!collect_chain(f, list, 0, p))
        return false;
    if (p->count == 2 && !collect_chain(f, list, 1, p))
        return false;
    if (p->count > 2 && p->part[0].low == 0)
        return true;
    bool good = p->count > 2 || collect_chain(f, list, 0, p);
    reverse(p);
    return good;
}

/* The steps for `count` parts from the first one on, which is found at item `at` after the steps
 * before; `end` items follow them. */
static accordi_step *step_for(accordi_finder *f, accordi_step *body, const part *first,
                              size_t count, size_t at, size_t end)
{
    accordi_step *step = accordi_find_group(f, body);
    if (!step)
        return NULL;
    step->block = count > 1 ? first->held : 0;
    step->to = at > 0 && end == 0 ? ACCORDI_REACH_LAST : ACCORDI_REACH_AT;
    step->reach = (uint32_t)count * first->held;
    step->at = step->to == ACCORDI_REACH_AT ? (uint32_t)at : 0;
    return step;
}

/* How many parts from the first one on have the order of the first. */
static size_t count_equal(accordi_finder *f, const accordi_list *list, const accordi_step *body,
                          const part *first, size_t most)
{
    size_t count = 1;
    while (count < most && first[count].held == first->held) {
        const part *p = &first[count];
        accordi_list other = {list->item + p->low, p->held, p->node};
        if (!accordi_find_holds(f, &other, body, true))
            break;
        count++;
    }
    return count;
}

static accordi_step *steps_for(accordi_finder *f, const accordi_list *list, const parts *p)
{
    accordi_step *steps = NULL, **end = &steps;
    size_t different = 0, next = 0;
    for (size_t i = 0; i < p->count && !f->nomem && different <= MOST_PARTS; i = next) {
        const part *first = &p->part[i];
        next = i + 1;
        if (first->held == 1)
            continue;
        accordi_step *body = accordi_find_inside(f, list, first->low, first->held, first->node);
        if (!body)
            break;
        next = i + count_equal(f, list, body, first, p->count - i);
        *end = step_for(f, body, first, next - i, i, p->count - next);
        end = *end ? &(*end)->next : end;
        different++;
    }
    if (!f->nomem && different <= MOST_PARTS)
        return steps;
    accordi_steps_free(steps);
    return NULL;
}

accordi_step *accordi_find_parts(accordi_finder *f, const accordi_list *list)
{
    parts p = {0};
    accordi_step *steps = collect(f, list, &p) ? steps_for(f, list, &p) : NULL;
    free(p.part);
    return steps;
}
