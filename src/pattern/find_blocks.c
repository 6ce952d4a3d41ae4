/* The rule for lists that consist of blocks, each with the same order: of one size, where the last
 * one may be shorter, or the first one, or as nearly of one size as a number of parts can be, the
 * longer ones first. The smallest blocks of which this is true are taken. */
#include "pattern/find.h"

/* A step that does `body` in blocks or parts as `lists` has; `body` is taken. */
static accordi_step *in_blocks(accordi_finder *f, accordi_step *body, const accordi_step *lists)
{
    accordi_step *step = accordi_find_group(f, body);
    if (step) {
        step->block = lists->block;
        step->short_first = lists->short_first;
        step->parts = lists->parts;
    }
    return step;
}

/* The steps of the first block hold for all, as they are or generalized. */
static accordi_step *for_all(accordi_finder *f, const accordi_list *list, accordi_step *body,
                             const accordi_step *lists)
{
    bool differ = lists->parts || list->count % lists->block;
    accordi_step *step = in_blocks(f, accordi_steps_copy(body), lists);
    for (size_t i = 0; step && !accordi_find_holds(f, list, step, false); i++) {
        accordi_steps_free(step);
        accordi_step *general = differ ? accordi_find_general(f, body, i) : NULL;
        step = general ? in_blocks(f, general, lists) : NULL;
    }
    return step;
}

/* A block, by its first item and size. */
typedef struct block {
    size_t at, size;
} block;

/* The same with the steps of a block; or, if these do not hold for all, with those of one of
 * another size, which may have a tail where the first one has none. */
static accordi_step *for_all_as(accordi_finder *f, const accordi_list *list, block one, block other,
                                const accordi_step *lists)
{
    uint32_t goal = accordi_find_clade(f, list, one.at, one.size);
    accordi_step *body = accordi_find_inside(f, list, one.at, one.size, goal);
    accordi_step *step = body ? for_all(f, list, body, lists) : NULL;
    accordi_steps_free(body);
    if (step || f->nomem || other.size < 2)
        return step;
    return for_all_as(f, list, other, (block){0, 0}, lists);
}

/* The steps for `left` items behind the blocks, which are a block of their own with another order.
 * The blocks before are one item each. */
static accordi_step *last_block(accordi_finder *f, const accordi_list *list, uint32_t left)
{
    size_t at = list->count - left;
    accordi_step *body =
        accordi_find_inside(f, list, at, left, accordi_find_clade(f, list, at, left));
    accordi_step *step = body ? accordi_find_group(f, body) : NULL;
    if (step) {
        step->to = ACCORDI_REACH_LAST;
        step->reach = left;
    }
    return step;
}

/* How many blocks of this size the list begins with; *left are behind them. */
static size_t count_blocks(const accordi_finder *f, const accordi_list *list, uint32_t size,
                           size_t *left)
{
    size_t whole = 1;
    while ((whole + 1) * size <= list->count &&
           accordi_find_clade(f, list, whole * size, size) != ACCORD_TREE_NO_NODE)
        whole++;
    *left = list->count - whole * size;
    return whole;
}

/* The steps in blocks of this size for the whole list. */
static accordi_step *try_all(accordi_finder *f, const accordi_list *list, uint32_t size)
{
    size_t left, whole = count_blocks(f, list, size, &left);
    if (left >= size ||
        (left > 0 && accordi_find_clade(f, list, whole * size, left) == ACCORD_TREE_NO_NODE))
        return NULL;
    return for_all_as(f, list, (block){0, size}, (block){whole * size, left},
                      &(accordi_step){.block = size});
}

/* The same where the first block is shorter, and two whole ones follow. */
static accordi_step *try_back(accordi_finder *f, const accordi_list *list, uint32_t size)
{
    size_t left = list->count % size;
    if (left == 0 || list->count / size < 2 ||
        accordi_find_clade(f, list, 0, left) == ACCORD_TREE_NO_NODE)
        return NULL;
    for (size_t at = left; at < list->count; at += size)
        if (accordi_find_clade(f, list, at, size) == ACCORD_TREE_NO_NODE)
            return NULL;
    return for_all_as(f, list, (block){left, size}, (block){0, left},
                      &(accordi_step){.block = size, .short_first = true});
}

/* The same for the whole blocks at the start of the list, and the last one if it has an order of
 * its own. */
static accordi_step *try_first(accordi_finder *f, const accordi_list *list, uint32_t size)
{
    size_t left, whole = count_blocks(f, list, size, &left);
    bool all = left == 0 || (left < size && accordi_find_clade(f, list, whole * size, left) !=
                                                ACCORD_TREE_NO_NODE);
    while (!all && whole > 1 && accordi_find_clade(f, list, 0, whole * size) == ACCORD_TREE_NO_NODE)
        whole--; /* the next blocks belong to something else */
    if (whole < 2)
        return NULL;
    accordi_step *body =
        accordi_find_inside(f, list, 0, size, accordi_find_clade(f, list, 0, size));
    accordi_step *step = body ? in_blocks(f, body, &(accordi_step){.block = size}) : NULL;
    if (!step)
        return NULL;
    step->to = ACCORDI_REACH_AT;
    step->reach = (uint32_t)whole * size;
    step->next = all && left > 1 ? last_block(f, list, (uint32_t)left) : NULL;
    if (accordi_find_holds(f, list, step, false))
        return step;
    accordi_steps_free(step);
    return NULL;
}

/* The steps in so many parts that the first ones have this size, and the others one item less. */
static accordi_step *try_parts(accordi_finder *f, const accordi_list *list, uint32_t size)
{
    uint32_t less = size - 1, parts = (uint32_t)(list->count / less);
    size_t longer = list->count - (size_t)parts * less;
    if (longer == 0 || longer >= parts ||
        accordi_find_clade(f, list, longer * size, less) == ACCORD_TREE_NO_NODE)
        return NULL;
    return for_all_as(f, list, (block){0, size}, (block){longer * size, less},
                      &(accordi_step){.parts = parts});
}

typedef accordi_step *try_blocks(accordi_finder *f, const accordi_list *list, uint32_t size);

/* In blocks or parts of the first size that fits. */
static accordi_step *find(accordi_finder *f, const accordi_list *list, try_blocks *blocks,
                          try_blocks *parts)
{
    accordi_step *step = NULL;
    for (uint32_t v = list->item[0]; v != list->goal && !step && !f->nomem; v = f->parent[v]) {
        uint32_t size = f->held[v];
        if (f->low[v] > 0)
            break;
        if (size < 2 || !accordi_side_by_side(f, v))
            continue;
        if (accordi_find_clade(f, list, size, size) != ACCORD_TREE_NO_NODE)
            step = blocks(f, list, size);
        if (!step && parts && size > 2)
            step = parts(f, list, size);
    }
    return step;
}

/* In blocks of the first size that fits, from the last one on. */
static accordi_step *find_back(accordi_finder *f, const accordi_list *list)
{
    accordi_step *step = NULL;
    size_t last = list->count - 1;
    for (uint32_t v = list->item[last]; v != list->goal && !step && !f->nomem; v = f->parent[v]) {
        if (f->high[v] < last)
            break;
        if (f->held[v] > 1 && accordi_side_by_side(f, v))
            step = try_back(f, list, f->held[v]);
    }
    return step;
}

accordi_step *accordi_find_blocks(accordi_finder *f, const accordi_list *list)
{
    accordi_step *step = find(f, list, try_all, try_parts);
    if (!step && !f->nomem)
        step = find_back(f, list);
    return step || f->nomem ? step : find(f, list, try_first, NULL);
}
