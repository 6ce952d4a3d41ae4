/* The list of items that the rules look at: which nodes are over which items, and whether steps
 * make nodes that the tree has. Read find.c first. */
#include "pattern/find.h"

/* Counts item number `i` and the nodes that it completes. Returns the node above them that is not
 * complete yet, or the goal. */
static uint32_t count_item(accordi_finder *f, const accordi_list *list, size_t i, size_t base)
{
    uint32_t v = list->item[i];
    f->low[v] = f->high[v] = (uint32_t)(base + i);
    f->held[v] = 1;
    while (v != list->goal) {
        uint32_t up = f->parent[v];
        bool first = f->seen[up] == 0;
        if (first || f->low[v] < f->low[up])
            f->low[up] = f->low[v];
        if (first || f->high[v] > f->high[up])
            f->high[up] = f->high[v];
        f->held[up] = first ? f->held[v] : f->held[up] + f->held[v];
        if (++f->seen[up] < accordi_children(f, up))
            return up;
        f->seen[up] = 0;
        v = up;
    }
    return v;
}

/* The first item of the list is number `base`. */
static void scan(accordi_finder *f, const accordi_list *list, size_t base)
{
    for (size_t i = 0; i < list->count; i++)
        count_item(f, list, i, base);
}

bool accordi_find_is_all(accordi_finder *f, const accordi_list *list)
{
    f->scanned = (accordi_list){0};
    uint32_t *open = accordi_alloc(list->count, sizeof *open), last = list->item[0];
    f->nomem = f->nomem || !open;
    for (size_t i = 0; open && i < list->count; i++)
        last = open[i] = count_item(f, list, i, 0);
    bool all = open && last == list->goal && f->seen[last] == 0 && f->held[last] == list->count;
    for (size_t i = 0; open && i < list->count; i++)
        f->seen[open[i]] = 0;
    free(open);
    return all;
}

static bool is_same(const accordi_list *a, const accordi_list *b)
{
    return a->item == b->item && a->count == b->count && a->goal == b->goal;
}

void accordi_find_scan(accordi_finder *f, const accordi_list *list)
{
    if (is_same(&f->scanned, list))
        return;
    scan(f, list, 0);
    f->scanned = *list;
}

uint32_t accordi_find_clade(const accordi_finder *f, const accordi_list *list, size_t at,
                            size_t size)
{
    if (at >= list->count)
        return ACCORD_TREE_NO_NODE;
    uint32_t v = list->item[at];
    while (f->held[v] < size && f->low[v] == at && v != list->goal)
        v = f->parent[v];
    bool is = f->held[v] == size && f->low[v] == at && accordi_side_by_side(f, v);
    return is ? v : ACCORD_TREE_NO_NODE;
}

static uint32_t find_node(accordi_run *run, const uint32_t *item, size_t count, uint32_t label)
{
    const accordi_finder *f = run->context;
    uint32_t up = f->parent[item[0]];
    if (up == ACCORD_TREE_NO_NODE || accordi_children(f, up) != count ||
        accordi_label(f, up) != label)
        return ACCORD_TREE_NO_NODE;
    for (size_t i = 1; i < count; i++)
        if (f->parent[item[i]] != up)
            return ACCORD_TREE_NO_NODE;
    return up;
}

static bool has_label(accordi_run *run, uint32_t item, uint32_t label)
{
    return accordi_label(run->context, item) == label;
}

bool accordi_find_do(accordi_finder *f, const accordi_step *steps, uint32_t *item, size_t *count)
{
    accordi_run run = {.join = find_node, .mark = has_label, .context = f};
    bool good = accordi_steps_run(&run, steps, item, count);
    f->nomem = f->nomem || run.nomem;
    return good;
}

bool accordi_find_holds(accordi_finder *f, const accordi_list *list, const accordi_step *steps,
                        bool to_goal)
{
    size_t count = list->count;
    uint32_t *copy = accordi_alloc(count, sizeof *copy);
    f->nomem = f->nomem || !copy;
    if (!copy)
        return false;
    memcpy(copy, list->item, count * sizeof *copy);
    bool good = accordi_find_do(f, steps, copy, &count) && (!to_goal || copy[0] == list->goal);
    free(copy);
    return good;
}

/* Where the step begins, if it adds rows onto items that stand before them; else 0. */
static size_t start_of_rows(const accordi_step *step, size_t count)
{
    if (step->kind != ACCORDI_STEP_ONTO || (!step->block && step->reach != 1))
        return 0;
    return step->to == ACCORDI_REACH_AT ? step->at : count - step->reach;
}

void accordi_find_next(accordi_finder *f, const accordi_list *list, accordi_step *steps)
{
    size_t count = list->count, behind = 0;
    uint32_t *item = accordi_alloc(count, sizeof *item);
    accordi_run run = {.join = find_node, .mark = has_label, .context = f};
    f->nomem = f->nomem || !item;
    if (!item)
        return;
    memcpy(item, list->item, count * sizeof *item);
    for (accordi_step *s = steps; s; s = s->next) {
        if (behind > 0 && start_of_rows(s, count) == behind) {
            s->kind = ACCORDI_STEP_NEXT;
            s->to = ACCORDI_REACH_NEXT;
            s->block = s->block < s->reach ? s->block : 0;
        }
        accordi_step one = *s;
        one.next = NULL;
        accordi_steps_go_on(&run, &one, item, &count, &behind);
    }
    f->nomem = f->nomem || run.nomem;
    free(item);
}

accordi_step *accordi_find_inside(accordi_finder *f, const accordi_list *list, size_t at,
                                  size_t size, uint32_t goal)
{
    accordi_list part = {list->item + at, size, goal}, scanned = f->scanned;
    f->depth++;
    accordi_step *steps = f->steps(f, part);
    f->depth--;
    scan(f, &part, at);
    f->scanned = is_same(&scanned, list) ? scanned : (accordi_list){0};
    return steps;
}
