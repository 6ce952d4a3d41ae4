/* Plans how each shape of an order is written in C.
 *
 * From the root down, one shape at a time: a chain of terms is a loop; like subtrees side by side
 * are lanes; anything else is what its chain starts with, and the items on top. A shape needed
 * twice, or once for each turn of a loop, becomes a function. The number of planned shapes is
 * bounded, so that recursion over plans is, too; what needs more is written as a table. */
#include "model/emit/emit.h"

bool accordi_is_small(const accordi_shapes *s, const accordi_emit_plans *plans, uint32_t shape)
{
    uint32_t leaves = s->shape[shape].leaves;
    if (accordi_shape_uniform(s, shape) && leaves > 3)
        return false;
    return leaves <= (plans->small_products ? 4 : 8);
}

/* Items of one kind side by side, none reaching into the next. */
static bool is_row_of_blocks(const accordi_shapes *s, const accordi_shape *a)
{
    int64_t stride = a->stride < 0 ? -a->stride : a->stride;
    return a->run >= 2 && a->start == a->item && s->shape[a->item].kind == ACCORDI_NODE &&
           a->start_at == a->item_at - a->stride && s->shape[a->item].span <= stride;
}

static bool vector(const accordi_shapes *s, const accordi_emit_plans *plans, uint32_t shape,
                   int deep)
{
    const accordi_shape *a = &s->shape[shape];
    if (accordi_is_exact(a) || deep > 3)
        return false;
    if (accordi_is_small(s, plans, shape))
        return true;
    if (!plans->of[shape].planned)
        return false;
    const accordi_lanes_plan *lanes = plans->of[shape].lanes;
    if (lanes)
        return lanes->count <= 16 && lanes->longer == 0 && vector(s, plans, lanes->shape, deep + 1);
    if (!accordi_is_small(s, plans, a->item))
        return false;
    return accordi_is_small(s, plans, a->start) ||
           (!accordi_starts_with_two(s, a) && vector(s, plans, a->start, deep + 1));
}

bool accordi_is_vector(const accordi_shapes *s, const accordi_emit_plans *plans, uint32_t shape)
{
    return vector(s, plans, shape, 0);
}

typedef struct planner {
    const accordi_shapes *s;
    accordi_emit_plans *plans;
    uint32_t waiting[2 * ACCORDI_MOST_PLANS + 4];
    size_t count;
} planner;

static void need(planner *p, uint32_t shape, int times)
{
    accordi_emit_plan *plan = &p->plans->of[shape];
    if (accordi_is_small(p->s, p->plans, shape))
        return;
    int uses = plan->uses + times;
    plan->uses = (uint8_t)(uses > 2 ? 2 : uses);
    plan->function = plan->uses >= 2;
    if (!plan->planned) {
        plan->planned = true;
        p->plans->count++;
        p->waiting[p->count++] = shape;
    }
}

static bool plan_one(planner *p, uint32_t shape)
{
    const accordi_shape *a = &p->s->shape[shape];
    accordi_lanes_plan found;
    if (!accordi_shape_uniform(p->s, shape) && !is_row_of_blocks(p->s, a) &&
        accordi_find_lanes(p->s, shape, &found)) {
        accordi_lanes_plan *kept = accordi_alloc(1, sizeof *kept);
        if (!kept)
            return false;
        *kept = found;
        p->plans->of[shape].lanes = kept;
        need(p, found.shape, 1);
        return true;
    }
    need(p, a->item, a->run > 1 ? 2 : 1);
    need(p, a->start, 1);
    return true;
}

/* Lanes that no loop over lanes can fill are filled by a function. */
static void choose_filling(const accordi_shapes *s, accordi_emit_plans *plans)
{
    for (uint32_t i = 0; i < s->count; i++) {
        accordi_lanes_plan *lanes = plans->of[i].lanes;
        if (!lanes)
            continue;
        bool apart = s->shape[lanes->shape].span > lanes->stride;
        bool small = accordi_is_small(s, plans, lanes->shape);
        lanes->interleaved =
            small || lanes->longer > 0 || (apart && accordi_is_vector(s, plans, lanes->shape));
        if (!lanes->interleaved)
            plans->of[lanes->shape].function = true;
    }
}

enum accord_status accordi_emit_plans_make(const accordi_shapes *s, bool products,
                                           accordi_emit_plans *out, bool *regular,
                                           accord_error *error)
{
    accordi_emit_plans plans = {.small_products = products};
    plans.of = accordi_calloc(s->count, sizeof *plans.of);
    if (!plans.of)
        return accordi_nomem(error);
    planner p = {.s = s, .plans = &plans};
    need(&p, s->root, 1);
    bool good = true;
    while (good && p.count > 0 && plans.count <= ACCORDI_MOST_PLANS)
        good = plan_one(&p, p.waiting[--p.count]);
    if (!good) {
        accordi_emit_plans_clear(s, &plans);
        return accordi_nomem(error);
    }
    *regular = plans.count <= ACCORDI_MOST_PLANS;
    if (*regular)
        choose_filling(s, &plans);
    *out = plans;
    return ACCORD_OK;
}

void accordi_emit_plans_clear(const accordi_shapes *s, accordi_emit_plans *plans)
{
    for (uint32_t i = 0; plans->of && i < s->count; i++)
        free(plans->of[i].lanes);
    free(plans->of);
    *plans = (accordi_emit_plans){0};
}
