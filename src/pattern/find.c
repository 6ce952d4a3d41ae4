/* From a tree to its notation.
 *
 * Idea: the list of items begins as the list of terms. A rule proposes a step, the step is done to
 * the list with `join` looking up nodes of the tree instead of making them (notation_run.c), and if
 * each of them is there the step holds and the list is shorter. This goes on until one item is
 * left. So a notation is never wrong, whatever a rule guesses.
 *
 * Canonical form: the rules are tried in a fixed order, each proposes steps that depend on the tree
 * and its labels alone, and the first that holds is taken. The last rule, brackets, always holds.
 * Brackets are also taken where they are shorter than what the other rules gave.
 *
 * Bound: each rule looks at the items a few times. Rules that look inside parts of the list call
 * accordi_find_steps for these, so the time is O(n) for each level of groups, which are limited. */
#include "pattern/find.h"

size_t accordi_steps_length(accordi_finder *f, const accordi_step *steps)
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
    if (accordi_find_do(f, steps, rest.item, &rest.count))
        accordi_steps_last(steps)->next = accordi_find_inside(f, &rest, 0, rest.count, rest.goal);
    free(rest.item);
    f->scanned = (accordi_list){0};
    accordi_find_scan(f, list);
}

/* What is done to all items needs no number of them; nor do lanes of all whole rows. */
static void reach_all(accordi_step *step, size_t count)
{
    bool first = step->to == ACCORDI_REACH_AT && step->at == 0;
    if (first && step->reach == count)
        step->to = ACCORDI_REACH_ALL;
    else if (first && step->kind == ACCORDI_STEP_LANES && !step->block &&
             step->reach == count - count % accordi_lanes_row(step)) {
        step->to = ACCORDI_REACH_ALL;
        step->kind = ACCORDI_STEP_ROWS;
    }
}

/* Blocks of the whole list, if they take fewer words than recursion by halves; both are taken.
 * `ties`: or as many. */
static accordi_step *blocks_or(accordi_finder *f, const accordi_list *list, accordi_step *split,
                               accordi_step *blocks, bool ties)
{
    if (blocks)
        reach_all(blocks, list->count);
    bool better = blocks && (blocks->block || blocks->parts) && blocks->to == ACCORDI_REACH_ALL;
    if (better)
        complete(f, list, blocks);
    better = better && accordi_steps_length(f, blocks) < accordi_steps_length(f, split) + ties;
    accordi_steps_free(better ? split : blocks);
    return better ? blocks : split;
}

static accordi_step *find_blocks_or_split(accordi_finder *f, const accordi_list *list)
{
    accordi_step *split = accordi_find_split(f, list);
    accordi_step *blocks = f->nomem ? NULL : accordi_find_blocks(f, list);
    return split ? blocks_or(f, list, split, blocks, true) : blocks;
}

/* Two blocks are parts that stand side by side. */
static accordi_step *find_one_split_or_parts(accordi_finder *f, const accordi_list *list)
{
    accordi_step *split = accordi_find_one_split(f, list);
    accordi_find_scan(f, list);
    accordi_step *parts = f->nomem ? NULL : accordi_find_parts(f, list);
    return split ? blocks_or(f, list, split, parts, false) : parts;
}

static accordi_find_rule *const rules[] = {
    accordi_find_moved,      accordi_find_kernel, find_blocks_or_split,
    find_one_split_or_parts, accordi_find_stage,  accordi_find_tree,
};
enum { RULES = sizeof rules / sizeof *rules };

/* Then brackets: each round takes time O(items), and groups of irregular lists have rounds of their
 * own, which are done again in each round around them. */
enum { MOST_ROUNDS = 24, MOST_LOOKS = 100, LOOKS_OF_LARGE = 8, LARGE = 100000 };

/* How many items may be looked at: an order that has steps at all shows them within three looks at
 * each term, and only small lists are worth more. */
static uint64_t most_looks(uint64_t leaves)
{
    return leaves <= LARGE ? MOST_LOOKS * leaves
                           : MOST_LOOKS * (uint64_t)LARGE + LOOKS_OF_LARGE * (leaves - LARGE);
}

/* Brackets of so many items would have more characters than are ever shown, and finding steps for
 * all else of a large tree takes long. */
static bool is_hopeless(const accordi_finder *f, const accordi_list *list)
{
    enum { MANY = 120 };
    return f->tree->leaves > LARGE && list->count > MANY;
}

/* The next steps of a list of two items at least. */
static accordi_step *next_steps(accordi_finder *f, const accordi_list *list, size_t round)
{
    accordi_step *steps = accordi_find_fold(f, list);
    f->looks += list->count;
    bool deep = f->depth + 1 >= ACCORDI_NOTATION_DEEPEST || round >= MOST_ROUNDS ||
                f->looks > most_looks(f->tree->leaves);
    for (size_t i = deep ? RULES - 1 : 0; !steps && !f->nomem && i < RULES; i++) {
        if (i == RULES - 1 && is_hopeless(f, list)) {
            f->given_up = f->nomem = true;
            return NULL;
        }
        accordi_find_scan(f, list);
        steps = rules[i](f, list);
    }
    if (steps)
        reach_all(steps, list->count);
    return steps;
}

/* The steps, or brackets over the whole list if they are shorter. They have more than two
 * characters for each item. */
static accordi_step *shorter(accordi_finder *f, const accordi_list *list, accordi_step *steps)
{
    size_t length = f->nomem ? 0 : accordi_steps_length(f, steps);
    if (length <= 2 * list->count)
        return steps;
    accordi_find_scan(f, list);
    accordi_step *tree = accordi_find_tree(f, list);
    bool better = tree && accordi_steps_length(f, tree) < length;
    accordi_steps_free(better ? steps : tree);
    return better ? tree : steps;
}

static bool has_onto(const accordi_step *steps)
{
    while (steps && steps->kind != ACCORDI_STEP_ONTO)
        steps = steps->next;
    return steps != NULL;
}

accordi_step *accordi_find_steps(accordi_finder *f, accordi_list list)
{
    accordi_step *steps = NULL, **end = &steps;
    accordi_list rest = list;
    rest.item = accordi_alloc(list.count, sizeof *rest.item);
    f->nomem = f->nomem || !rest.item;
    if (!f->nomem)
        memcpy(rest.item, list.item, list.count * sizeof *rest.item);
    for (size_t round = 0; !f->nomem && rest.count > 1; round++) {
        f->scanned = (accordi_list){0}; /* the items have changed */
        *end = next_steps(f, &rest, round);
        f->nomem = f->nomem || !*end || !accordi_find_do(f, *end, rest.item, &rest.count);
        while (*end)
            end = &(*end)->next;
    }
    free(rest.item);
    f->scanned = (accordi_list){0};
    if (!f->nomem && has_onto(steps))
        accordi_find_next(f, &list, steps);
    if (!f->nomem && steps)
        steps = shorter(f, &list, steps);
    if (!f->nomem)
        return steps;
    accordi_steps_free(steps);
    return NULL;
}

accordi_step *accordi_find_shortest(accordi_finder *f, const accordi_list *list)
{
    accordi_step *best = NULL;
    size_t least = SIZE_MAX;
    bool hopeless = false;
    for (f->choices = f->met = 0; f->choices < ACCORDI_CHOICES && !f->nomem; f->choices++) {
        if (f->choices & ~f->met)
            continue; /* no rule had this choice */
        f->looks = 0;
        accordi_step *steps = accordi_find_steps(f, *list);
        if (f->given_up) {
            f->given_up = f->nomem = false;
            hopeless = true;
            continue;
        }
        size_t length = f->nomem ? SIZE_MAX : accordi_steps_length(f, steps);
        bool better = length < least;
        accordi_steps_free(better ? best : steps);
        best = better ? steps : best;
        least = better ? length : least;
    }
    if (best || f->nomem || !hopeless)
        return best;
    accordi_find_scan(f, list);
    return accordi_find_tree(f, list);
}
