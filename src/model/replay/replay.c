/* Replay: rows are taken in groups, turned so that a leaf's operands lie side by side, and walked
 * along the tree together; few rows, or very long ones, are walked one by one. */
#include "model/replay/replay.h"
#include "base/environment.h"
#include "model/replay/extended.h"
#include "model/replay/walk.h"

enum { LONG = 1 << 19 }; /* terms from which a group of rows would take too much memory */

/* Memory of one replay. */
typedef struct workspace {
    void *x, *y, *stack;
    double *scratch;
    size_t lanes;
    bool single, fast;
    bool in_place; /* rows are walked where they are */
} workspace;

static bool workspace_make(workspace *room, const accordi_plan *plan, const accord_rows *rows)
{
    size_t wide = plan->f32 ? ACCORDI_LANES_F32 : ACCORDI_LANES_F64;
    size_t size = plan->f32 ? sizeof(float) : sizeof(double);
    room->fast = accordi_cpu_has("avx2") && accordi_cpu_has("fma");
    room->lanes = room->single ? 1 : wide;
    room->in_place = room->single && accordi_needs_no_load(plan, rows);
    size_t values = room->in_place ? 1 : room->lanes * plan->tree->leaves;
    room->x = accordi_alloc_lanes(values, size);
    room->y = plan->has_y ? accordi_alloc_lanes(values, size) : NULL;
    room->stack = accordi_alloc_lanes(room->lanes * plan->depth, size);
    room->scratch = accordi_alloc(room->lanes * plan->most, 2 * sizeof(double));
    return room->x && (room->y || !plan->has_y) && room->stack && room->scratch;
}

static void workspace_clear(workspace *room)
{
    free(room->x);
    free(room->y);
    free(room->stack);
    free(room->scratch);
}

static void group(const accordi_plan *plan, const workspace *room, const accord_rows *rows,
                  size_t first, size_t count, double *result)
{
    const void *x = room->in_place ? rows->x[first] : room->x;
    const void *y = room->in_place && rows->y ? rows->y[first] : room->y;
    if (!room->in_place)
        accordi_load(plan, rows, first, count, room->single, room->x, room->y);
    if (plan->tree->inner)
        accordi_walk(plan, room->fast, room->single, x, y, room->stack, room->scratch);
    for (size_t l = 0; l < count; l++) {
        double root = plan->tree->inner
                          ? accordi_get_number(room->stack, plan->f32, l)
                          : accordi_lone(plan, accordi_get_number(x, plan->f32, l),
                                         plan->has_y ? accordi_get_number(y, plan->f32, l) : 1);
        result[l] = accordi_finish(plan, root);
    }
}

/* The products of every step are whole blocks that share scales, or a part of one, in their order.
 */
static bool steps_take_blocks(const accord_model *model)
{
    const accord_tree *tree = model->tree;
    uint32_t share = (uint32_t)model->arithmetic->machine.scale_block;
    for (uint32_t k = 0; k < tree->inner; k++) {
        uint32_t place = 0, before = 0;
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
            uint32_t leaf = tree->child[c];
            bool begins = place % share == 0;
            if (leaf >= tree->leaves)
                continue;
            if (begins ? place > 0 && leaf % share != 0 : leaf / share != before / share)
                return false;
            before = leaf;
            place++;
        }
    }
    return true;
}

static enum accord_status check_rows(const accord_model *model, const accord_rows *rows,
                                     accord_error *error)
{
    const accord_arithmetic *a = model->arithmetic;
    if (!rows->scale_x && !rows->scale_y)
        return ACCORD_OK;
    if (!a->has_machine || !a->machine.scale_block || a->extended)
        return accordi_fail(error, ACCORD_ARG,
                            "the terms of this model have no scales: leave them "
                            "out");
    if (!steps_take_blocks(model))
        return accordi_fail(error, ACCORD_ARG,
                            "the steps of this model do not take whole blocks of %d products that "
                            "share scales",
                            a->machine.scale_block);
    return ACCORD_OK;
}

static enum accord_status replay(const accord_model *model, const accord_rows *rows, double *result,
                                 accord_error *error)
{
    accord_rows full;
    enum accord_status status = ACCORDI_TAKE(accord_rows, is_f32, &full, rows, error);
    if (status != ACCORD_OK)
        return status;
    rows = &full;
    status = check_rows(model, rows, error);
    if (status != ACCORD_OK)
        return status;
    if (model->arithmetic->extended)
        return accordi_extended_replay(model, rows, result, error);
    accordi_plan plan;
    bool scaled = rows->scale_x || rows->scale_y;
    workspace room = {.single = rows->rows < 3 || model->tree->leaves > LONG || scaled};
    status = accordi_plan_make(model, rows->y != NULL, room.single, &plan, error);
    if (status != ACCORD_OK)
        return status;
    if (!workspace_make(&room, &plan, rows))
        status = accordi_nomem(error);
    for (size_t r = 0; status == ACCORD_OK && r < rows->rows; r += room.lanes) {
        size_t count = rows->rows - r < room.lanes ? rows->rows - r : room.lanes;
        plan.scale_x = rows->scale_x ? rows->scale_x[r] : NULL;
        plan.scale_y = rows->scale_y ? rows->scale_y[r] : NULL;
        group(&plan, &room, rows, r, count, result + r);
    }
    workspace_clear(&room);
    accordi_plan_clear(&plan);
    return status;
}

enum accord_status accord_model_replay(const accord_model *model, const accord_rows *rows,
                                       double *result, accord_error *error)
{
    accordi_environment callers = accordi_environment_enter();
    enum accord_status status = replay(model, rows, result, error);
    accordi_environment_leave(callers);
    return status;
}
