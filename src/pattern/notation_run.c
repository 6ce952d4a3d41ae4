/* What the steps of a notation do. The list of items comes in, and each step replaces some of them
 * by the nodes over them, until one is left.
 *
 * The same code makes the tree of a notation and checks that a notation is that of a tree: what
 * differs is `join`, which makes a node over some items in one case, and in the other looks up
 * whether the tree has a node with these children. So a step can have no other meaning where it is
 * written than where it is read.
 *
 * Invariant: the items are disjoint subtrees; a step that joins k of them makes the list shorter by
 * k - 1. Hence a notation makes n - 1 nodes at most, whatever its text says. */
#include "pattern/notation_folds.h"

static bool lane_chains(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    size_t lanes = step->number, row = accordi_lanes_row(step), in_row = lanes, lane = 0;
    for (size_t i = lanes; i < *count; i++, in_row++) {
        if (in_row == row)
            in_row = lane = 0;
        if (!accordi_join_two(run, &item[lane], item[i], step->label))
            return false;
        lane = lane + 1 < lanes ? lane + 1 : 0;
    }
    return true;
}

static bool say(accordi_run *run, const accordi_step *step, const char *why)
{
    run->token = 0;
    run->failed = step;
    run->why = why;
    return false;
}

/* Does the steps to the items, of which one has to remain if there are any. */
static bool run_to_one(accordi_run *run, const accordi_step *step, const accordi_step *body,
                       uint32_t *item, size_t count)
{
    if (!accordi_steps_run(run, body, item, &count))
        return false;
    if (count <= 1)
        return true;
    return say(run, step,
               "its steps leave more than one partial sum; end them with a fold, such as chain");
}

static bool lane_bodies(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    size_t lanes = step->number < *count ? step->number : *count, row = accordi_lanes_row(step);
    uint32_t *lane = accordi_alloc(*count + lanes, sizeof *lane), *sum = lane + *count;
    run->nomem = run->nomem || !lane;
    bool good = lane != NULL;
    for (size_t l = 0; good && l < lanes; l++) {
        size_t held = 0;
        for (size_t first = 0; first < *count; first += row)
            for (size_t i = l; i < row && first + i < *count; i += lanes)
                lane[held++] = item[first + i];
        good = run_to_one(run, step, step->body, lane, held);
        sum[l] = lane[0];
    }
    if (good)
        memcpy(item, sum, lanes * sizeof *item);
    free(lane);
    return good;
}

static bool lanes(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    bool good =
        step->body ? lane_bodies(run, step, item, count) : lane_chains(run, step, item, count);
    *count = *count < step->number ? *count : step->number;
    return good;
}

size_t accordi_split_first(const accordi_step *step, size_t count)
{
    size_t half = count / 2, m = step->multiple;
    if (count <= step->number || count < 2)
        return 0;
    if (step->kind == ACCORDI_STEP_SPLIT)
        return half - half % m;
    half = (count - half + m - 1) / m * m;
    return half < count ? half : 0;
}

/* Recursion: each part has about half of the items, so this is as deep as their number has binary
 * digits, and a few levels more with a multiple. */
static bool split(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    size_t all = *count, first = accordi_split_first(step, all), rest = all - first;
    uint32_t *second = item + first;
    *count = 1;
    if (first == 0)
        return run_to_one(run, step, step->body, item, all);
    return split(run, step, item, &first) && split(run, step, second, &rest) &&
           accordi_join_two(run, item, *second, step->label);
}

static bool turn(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    size_t by = step->number % *count;
    uint32_t *first = accordi_alloc(by, sizeof *first);
    run->nomem = run->nomem || !first;
    if (!first)
        return false;
    memcpy(first, item, by * sizeof *item);
    memmove(item, item + by, (*count - by) * sizeof *item);
    memcpy(item + (*count - by), first, by * sizeof *item);
    free(first);
    return true;
}

static bool reverse(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    (void)run;
    (void)step;
    for (size_t i = 0, k = *count; i + 1 < k; i++) {
        uint32_t last = item[--k];
        item[k] = item[i];
        item[i] = last;
    }
    return true;
}

static bool terms(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        if (!run->mark(run, item[i], step->label)) {
            run->failed = step;
            return false;
        }
    return true;
}

/* The token number `i` of the brackets is wrong. */
static bool say_at(accordi_run *run, const accordi_step *step, size_t i, const char *why)
{
    say(run, step, why);
    run->token = i + 1;
    return false;
}

/* Brackets, by a stack of what was read and of where the open ones begin in it. `taken` holds the
 * items, each until it is used. *sums becomes how many are on the stack at the end. */
static bool brackets(accordi_run *run, const accordi_step *step, uint32_t *taken, size_t count,
                     uint32_t *stack, uint32_t *begin, size_t *sums)
{
    size_t held = 0, open = 0, used = 0;
    for (size_t i = 0; i < step->tokens; i++) {
        accordi_token t = step->token[i];
        if (t.kind == ACCORDI_TOKEN_OPEN) {
            begin[open++] = (uint32_t)held;
        } else if (t.kind == ACCORDI_TOKEN_ITEM) {
            if (t.value >= count || taken[t.value] == ACCORD_TREE_NO_NODE)
                return say_at(run, step, i,
                              t.value >= count ? "its brackets name an item that is not there"
                                               : "its brackets name an item twice");
            stack[held++] = taken[t.value];
            taken[t.value] = ACCORD_TREE_NO_NODE;
            used++;
        } else {
            size_t from = begin[--open];
            if (held - from < 2)
                return say_at(run, step, i, "each pair of brackets needs two items or more");
            if (!accordi_join(run, &stack[from], stack + from, held - from, t.value))
                return false;
            held = from + 1;
        }
    }
    *sums = held;
    return used == count || say(run, step, "its brackets leave items out");
}

static bool tree(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    size_t sums = 1;
    uint32_t *stack = accordi_alloc(*count + 1, sizeof *stack);
    uint32_t *begin = accordi_alloc(step->tokens, sizeof *begin);
    run->nomem = run->nomem || !stack || !begin;
    bool good = stack && begin && brackets(run, step, item, *count, stack, begin, &sums);
    if (good)
        memcpy(item, stack, sums * sizeof *item);
    *count = sums;
    free(stack);
    free(begin);
    return good;
}

static bool group(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    return accordi_steps_run(run, step->body, item, count);
}

/* Of kinds that are no folds of their own. */
static accordi_fold *const works[ACCORDI_STEP_KINDS] = {
    [ACCORDI_STEP_LANES] = lanes,    [ACCORDI_STEP_ROWS] = lanes, [ACCORDI_STEP_SPLIT] = split,
    [ACCORDI_STEP_SPLIT_UP] = split, [ACCORDI_STEP_TURN] = turn,  [ACCORDI_STEP_REVERSE] = reverse,
    [ACCORDI_STEP_TERMS] = terms,    [ACCORDI_STEP_TREE] = tree,  [ACCORDI_STEP_GROUP] = group,
};

/* Each list of items that the step works on becomes shorter, and the next one moves up to it. */
static bool run_lists(accordi_run *run, const accordi_step *step, uint32_t *item, size_t *count)
{
    size_t lists = 1, size = *count, longer = 0, to = 0, shorter = 0;
    accordi_fold *work = works[step->kind] ? works[step->kind] : accordi_fold_of(step->kind);
    if (step->block) {
        size = step->block;
        shorter = step->short_first ? *count % size : 0;
    } else if (step->parts) {
        lists = step->parts < *count ? step->parts : *count;
        size = *count / lists;
        longer = *count % lists;
    }
    for (size_t from = 0, i = 0; from < *count; i++) {
        size_t held = shorter && i == 0 ? shorter : size + (i < longer);
        held = held < *count - from ? held : *count - from;
        memmove(item + to, item + from, held * sizeof *item);
        from += held;
        if (!work(run, step, item + to, &held))
            return false;
        to += held;
    }
    *count = to;
    return true;
}

static bool find_items(const accordi_step *step, size_t count, size_t behind, size_t *from,
                       size_t *reach)
{
    *from = 0;
    *reach = count;
    if (step->to == ACCORDI_REACH_MULTIPLE)
        *reach = count - count % step->reach;
    if (step->to == ACCORDI_REACH_REST) {
        *from = behind;
        *reach = count - behind;
    }
    bool is_number = step->to == ACCORDI_REACH_AT || step->to == ACCORDI_REACH_LAST ||
                     step->to == ACCORDI_REACH_NEXT;
    if (!is_number)
        return true;
    if (step->reach > count)
        return false;
    *reach = step->reach;
    *from = step->to == ACCORDI_REACH_AT     ? step->at
            : step->to == ACCORDI_REACH_NEXT ? behind
                                             : count - *reach;
    return *from <= count - *reach;
}

bool accordi_step_items(const accordi_step *step, size_t count, size_t behind, size_t *from,
                        size_t *reach)
{
    bool good = find_items(step, count, behind, from, reach);
    if (good && step->kind == ACCORDI_STEP_ROWS)
        *reach -= *reach % accordi_lanes_row(step);
    return good;
}

/* How many items it adds onto as many at once. */
static size_t block_of(const accordi_step *onto, size_t reach)
{
    if (onto->block)
        return onto->block;
    return onto->kind == ACCORDI_STEP_NEXT ? reach : 1;
}

bool accordi_onto_stands(const accordi_step *onto, size_t from, size_t reach)
{
    return onto->number < from && from - onto->number >= block_of(onto, reach);
}

/* Adds the items one after the other onto one that stands before them; or blocks of them, or all of
 * the next ones at once, onto as many from that one on. */
static bool onto(accordi_run *run, const accordi_step *step, uint32_t *item, size_t from,
                 size_t *reach)
{
    size_t block = block_of(step, *reach);
    if (!accordi_onto_stands(step, from, *reach))
        return say(run, step, "the items onto which it adds have to stand before its items");
    for (size_t i = 0; i < *reach; i++)
        if (!accordi_join_two(run, &item[step->number + i % block], item[from + i], step->label))
            return false;
    *reach = 0;
    return true;
}

bool accordi_steps_go_on(accordi_run *run, const accordi_step *steps, uint32_t *item, size_t *count,
                         size_t *behind)
{
    for (; steps; steps = steps->next) {
        size_t from, reach;
        if (!accordi_step_items(steps, *count, *behind, &from, &reach))
            return say(run, steps, "there are not so many items in the list");
        size_t left = reach, end = from + reach;
        bool is_onto = steps->kind == ACCORDI_STEP_ONTO || steps->kind == ACCORDI_STEP_NEXT;
        if (reach > 0 && !(is_onto ? onto(run, steps, item, from, &left)
                                   : run_lists(run, steps, item + from, &left)))
            return false;
        memmove(item + from + left, item + end, (*count - end) * sizeof *item);
        *count -= reach - left;
        *behind = from + left;
    }
    return true;
}

bool accordi_steps_run(accordi_run *run, const accordi_step *steps, uint32_t *item, size_t *count)
{
    size_t behind = 0;
    return accordi_steps_go_on(run, steps, item, count, &behind);
}
