/* From a tree to its notation.
 *
 * Idea: the list of items begins as the list of terms. A rule proposes a step, the step is done to
 * the list with `join` looking up nodes of the tree instead of making them (notation_run.c), and if
 * each of them is there the step holds and the list is shorter. This goes on until one item is
 * left. So a notation is never wrong, and a rule may guess as it likes.
 *
 * Canonical form: the rules are tried in a fixed order, each proposes steps that depend on the tree
 * and its labels alone, and the first that holds is taken. The last rule, brackets, always holds.
 * Brackets are also taken where they are shorter than what the other rules gave.
 *
 * Bound: each rule looks at the items a few times. Rules that look inside parts of the list call
 * accordi_find_steps for these, so the time is O(n) for each level of groups, which are limited. */
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

void accordi_find_scan(accordi_finder *f, const accordi_list *list)
{
    scan(f, list, 0);
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

static bool do_steps(accordi_finder *f, const accordi_step *steps, uint32_t *item, size_t *count)
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
    bool good = do_steps(f, steps, copy, &count) && (!to_goal || copy[0] == list->goal);
    free(copy);
    return good;
}

static size_t length_of(accordi_finder *f, const accordi_step *steps)
{
    accordi_buffer text = {0};
    accordi_steps_write(&text, steps);
    size_t length = text.length;
    f->nomem = f->nomem || text.failed;
    accordi_buffer_clear(&text);
    return length;
}

/* What is left of the list after the steps, which hold, is found too, and put behind them. */
static void complete(accordi_finder *f, const accordi_list *list, accordi_step *steps)
{
    accordi_list rest = *list;
    rest.item = accordi_alloc(list->count, sizeof *rest.item);
    f->nomem = f->nomem || !rest.item;
    if (!rest.item)
        return;
    memcpy(rest.item, list->item, list->count * sizeof *rest.item);
    if (do_steps(f, steps, rest.item, &rest.count))
        accordi_steps_last(steps)->next = accordi_find_inside(f, &rest, 0, rest.count, rest.goal);
    free(rest.item);
    accordi_find_scan(f, list);
}

/* Blocks, or recursion by halves, whichever takes fewer words. */
static accordi_step *find_blocks_or_split(accordi_finder *f, const accordi_list *list)
{
    accordi_step *split = accordi_find_split(f, list);
    accordi_step *blocks = f->nomem ? NULL : accordi_find_blocks(f, list);
    if (!split || !blocks)
        return split ? split : blocks;
    bool better = blocks->to == ACCORDI_REACH_ALL;
    if (better)
        complete(f, list, blocks);
    better = better && length_of(f, blocks) <= length_of(f, split);
    accordi_steps_free(better ? split : blocks);
    return better ? blocks : split;
}

static accordi_find_rule *const rules[] = {
    accordi_find_turn,  find_blocks_or_split, accordi_find_one_split,
    accordi_find_parts, accordi_find_stage,   accordi_find_tree,
};
enum { RULES = sizeof rules / sizeof *rules };

/* The next steps of a list of two items at least. */
static accordi_step *next_steps(accordi_finder *f, const accordi_list *list)
{
    accordi_step *steps = accordi_find_fold(f, list);
    bool deep = f->depth + 1 >= ACCORDI_NOTATION_DEEPEST;
    for (size_t i = deep ? RULES - 1 : 0; !steps && !f->nomem && i < RULES; i++) {
        accordi_find_scan(f, list);
        steps = rules[i](f, list);
    }
    return steps;
}

/* The steps, or brackets over the whole list if they are shorter. They have more than two
 * characters for each item. */
static accordi_step *shorter(accordi_finder *f, const accordi_list *list, accordi_step *steps)
{
    size_t length = f->nomem ? 0 : length_of(f, steps);
    if (length <= 2 * list->count)
        return steps;
    accordi_find_scan(f, list);
    accordi_step *tree = accordi_find_tree(f, list);
    bool better = tree && length_of(f, tree) < length;
    accordi_steps_free(better ? steps : tree);
    return better ? tree : steps;
}

accordi_step *accordi_find_steps(accordi_finder *f, accordi_list list)
{
    accordi_step *steps = NULL, **end = &steps;
    accordi_list rest = list;
    rest.item = accordi_alloc(list.count, sizeof *rest.item);
    f->nomem = f->nomem || !rest.item;
    if (!f->nomem)
        memcpy(rest.item, list.item, list.count * sizeof *rest.item);
    while (!f->nomem && rest.count > 1) {
        *end = next_steps(f, &rest);
        f->nomem = f->nomem || !*end || !do_steps(f, *end, rest.item, &rest.count);
        while (*end)
            end = &(*end)->next;
    }
    free(rest.item);
    if (!f->nomem && steps)
        steps = shorter(f, &list, steps);
    if (!f->nomem)
        return steps;
    accordi_steps_free(steps);
    return NULL;
}

accordi_step *accordi_find_inside(accordi_finder *f, const accordi_list *list, size_t at,
                                  size_t size, uint32_t goal)
{
    accordi_list part = {list->item + at, size, goal};
    f->depth++;
    accordi_step *steps = accordi_find_steps(f, part);
    f->depth--;
    scan(f, &part, at);
    return steps;
}
