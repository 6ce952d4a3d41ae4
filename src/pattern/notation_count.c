/* Whether steps can be done to so many items, and how many they leave: what accordi_steps_run
 * would find, without any items. Lists of the same length are alike, so each length is counted
 * once, and the time hardly depends on the number of terms. */
#include "pattern/notation.h"

/* How many items are left of a list that is not empty. */
static bool count_list(const accordi_step *step, size_t *count);

static bool leaves_one(const accordi_step *body, size_t count)
{
    return accordi_steps_count(body, &count) && count <= 1;
}

/* How many of the first `items` of a row belong to a lane. */
static size_t in_lane(size_t items, size_t lane, size_t lanes)
{
    return items > lane ? (items - lane - 1) / lanes + 1 : 0;
}

/* From the first lane to the last one they have ever fewer items, and only a few numbers occur. */
static bool count_lanes(const accordi_step *step, size_t *count)
{
    size_t all = *count, lanes = step->number < all ? step->number : all;
    size_t row = accordi_lanes_row(step), before = 0;
    bool good = true;
    for (size_t l = 0; step->body && good && l < lanes; l++) {
        size_t held =
            all / row * in_lane(row, l, step->number) + in_lane(all % row, l, step->number);
        good = held == before || leaves_one(step->body, held);
        before = held;
    }
    *count = lanes;
    return good;
}

/* Where the parts may be of any length and are cut down to single items, nothing can go wrong. */
static bool can_split(const accordi_step *step, size_t count)
{
    size_t first = accordi_split_first(step, count);
    if (step->number == 1 && step->multiple == 1)
        return true;
    if (first == 0)
        return leaves_one(step->body, count);
    return can_split(step, first) && (2 * first == count || can_split(step, count - first));
}

static uint32_t join_none(accordi_run *run, const uint32_t *item, size_t count, uint32_t label)
{
    (void)run;
    (void)count;
    (void)label;
    return item[0];
}

/* Brackets name their items one by one, and so these have to be there. */
static bool count_brackets(const accordi_step *step, size_t *count)
{
    size_t all = *count;
    accordi_step one = {.kind = step->kind, .token = step->token, .tokens = step->tokens};
    accordi_run run = {.join = join_none};
    uint32_t *item = accordi_alloc(all, sizeof *item);
    for (size_t i = 0; item && i < all; i++)
        item[i] = (uint32_t)i;
    bool good = item && accordi_steps_run(&run, &one, item, count);
    free(item);
    return good;
}

static bool count_list(const accordi_step *step, size_t *count)
{
    size_t all = *count;
    switch (step->kind) {
    case ACCORDI_STEP_LANES:
    case ACCORDI_STEP_ROWS:
        return count_lanes(step, count);
    case ACCORDI_STEP_TREE:
        return count_brackets(step, count);
    case ACCORDI_STEP_TURN:
    case ACCORDI_STEP_REVERSE:
    case ACCORDI_STEP_TERMS:
        return true;
    case ACCORDI_STEP_GROUP:
        return accordi_steps_count(step->body, count);
    default: /* folds */
        *count = 1;
    }
    bool split = step->kind == ACCORDI_STEP_SPLIT || step->kind == ACCORDI_STEP_SPLIT_UP;
    return !split || can_split(step, all);
}

static bool count_lists(const accordi_step *step, size_t *count)
{
    size_t lists = 1, size = *count, longer = 0; /* so many lists, and so many more of `other` */
    size_t other = 0;
    if (step->block && step->block < size) {
        lists = size / step->block;
        other = size % step->block;
        longer = other > 0;
        size = step->block;
    } else if (!step->block && step->parts) {
        size_t parts = step->parts < size ? step->parts : size;
        longer = size % parts;
        lists = parts - longer;
        size /= parts;
        other = size + 1;
    }
    size_t left = size, left_of_other = other;
    if (!count_list(step, &left) || (longer && !count_list(step, &left_of_other)))
        return false;
    *count = lists * left + longer * left_of_other;
    return true;
}

bool accordi_steps_count(const accordi_step *steps, size_t *count)
{
    size_t behind = 0;
    for (; steps; steps = steps->next) {
        size_t from, reach;
        if (!accordi_step_items(steps, *count, behind, &from, &reach))
            return false;
        size_t left = reach;
        bool is_onto = steps->kind == ACCORDI_STEP_ONTO || steps->kind == ACCORDI_STEP_NEXT;
        if (reach > 0 && is_onto) {
            if (!accordi_onto_stands(steps, from, reach))
                return false;
            left = 0;
        } else if (reach > 0 && !count_lists(steps, &left)) {
            return false;
        }
        *count -= reach - left;
        behind = from + left;
    }
    return true;
}
