/* Steps that were found for one part of a tree, made ready for others. */
#include "pattern/find.h"

accordi_step *accordi_find_group(accordi_finder *f, accordi_step *steps)
{
    bool plain =
        steps && !steps->next && steps->to == ACCORDI_REACH_ALL && !steps->block && !steps->parts;
    if (plain || !steps)
        return steps;
    accordi_step *group = accordi_step_new(ACCORDI_STEP_GROUP);
    f->nomem = f->nomem || !group;
    if (group)
        group->body = steps;
    else
        accordi_steps_free(steps);
    return group;
}

/* The number of items that a step takes at once: of a group the least that one of its steps does.
 */
static uint32_t unit_of(const accordi_step *step)
{
    bool lanes = step->kind == ACCORDI_STEP_LANES || step->kind == ACCORDI_STEP_ROWS;
    uint32_t least = lanes ? (uint32_t)accordi_lanes_row(step) : UINT32_MAX;
    if (step->block && step->block < least)
        least = step->block;
    for (const accordi_step *s = step->body; s; s = s->next) {
        uint32_t unit = unit_of(s);
        least = unit < least ? unit : least;
    }
    return least;
}

/* The first step, which works on the first items, or on whole rows, works on as many as are a
 * multiple; so do, with `inside`, the first steps of groups. Steps on the last items work on the
 * rest. */
static bool generalize(accordi_step *steps, uint32_t times, bool inside)
{
    bool changed = false;
    uint32_t unit = unit_of(steps);
    bool rows = steps->kind == ACCORDI_STEP_ROWS && steps->to == ACCORDI_REACH_ALL && times > 1;
    bool first = steps->to == ACCORDI_REACH_AT && steps->at == 0 && unit <= steps->reach / times;
    if (rows || first) {
        steps->kind = rows ? ACCORDI_STEP_LANES : steps->kind;
        steps->to = ACCORDI_REACH_MULTIPLE;
        steps->reach = unit * times;
        changed = true;
    }
    for (accordi_step *s = steps->next; s; s = s->next) {
        bool last = s->to == ACCORDI_REACH_LAST;
        s->to = last ? ACCORDI_REACH_REST : s->to;
        changed = changed || last;
    }
    if (inside && steps->body)
        changed = generalize(steps->body, times, inside) || changed;
    return changed;
}

/* A power of two of items does not tell folds by neighbors or halves from recursive doubling and
 * halving. */
static void double_or_halve(accordi_step *steps)
{
    for (; steps; steps = steps->next) {
        if (steps->kind == ACCORDI_STEP_PAIRS)
            steps->kind = ACCORDI_STEP_DOUBLING;
        if (steps->kind == ACCORDI_STEP_HALVES)
            steps->kind = ACCORDI_STEP_HALVING;
        double_or_halve(steps->body);
    }
}

enum { REACHES = 8, WAYS };

accordi_step *accordi_find_general(accordi_finder *f, const accordi_step *steps, size_t i)
{
    accordi_step *copy = i < WAYS ? accordi_steps_copy(steps) : NULL;
    f->nomem = f->nomem || (i < WAYS && !copy);
    if (copy && i < REACHES)
        generalize(copy, 1u << i / 2, i % 2 != 0);
    else if (copy)
        double_or_halve(copy);
    return copy;
}
