/* Replay: rows are taken in groups, turned so that a leaf's values lie side by side, and summed
 * along the tree in float, in double, or in any other format by correct rounding. */
#include "model/replay.h"
#include "fused/wide.h"

static double fuse(const void *context, const double *x, size_t count)
{
    const accordi_plain *model = context;
    if (count == 2)
        return accord_format_add(model->accumulator, model->rounding, x[0], x[1]);
    return accordi_exact_sum(model->accumulator, model->rounding, x, count);
}

/* Memory of one replay. */
typedef struct workspace {
    void *leaf, *stack;
    double *scratch;
} workspace;

/* Sums the turned rows; the first `rows` results. */
typedef void summer(const accordi_plain *model, size_t rows, const workspace *room, double *result);

static void sum_f32(const accordi_plain *model, size_t rows, const workspace *room, double *result)
{
    accordi_lanes_f32(model->tree, room->leaf, room->stack, fuse, model, room->scratch);
    const float *root = model->tree->inner ? room->stack : room->leaf;
    for (size_t l = 0; l < rows; l++)
        result[l] = (double)root[l];
}

static void sum_f64(const accordi_plain *model, size_t rows, const workspace *room, double *result)
{
    accordi_lanes_f64(model->tree, room->leaf, room->stack, fuse, model, room->scratch);
    memcpy(result, model->tree->inner ? room->stack : room->leaf, rows * sizeof *result);
}

static void sum_any(const accordi_plain *model, size_t rows, const workspace *room, double *result)
{
    accordi_lanes_any(model->tree, room->leaf, room->stack, fuse, model, room->scratch);
    memcpy(result, model->tree->inner ? room->stack : room->leaf, rows * sizeof *result);
}

/* A way to replay: how rows of double [0] and float [1] are turned, and how they are summed. */
typedef struct method {
    accordi_turner *turn[2];
    summer *sum;
    size_t lanes, size;
} method;

static const method *choose(const accordi_plain *model)
{
    static const method f32 = {
        {accordi_turn_f64_f32, accordi_turn_f32_f32}, sum_f32, ACCORDI_LANES_F32, sizeof(float)};
    static const method f64 = {
        {accordi_turn_f64_f64, accordi_turn_f32_f64}, sum_f64, ACCORDI_LANES_F64, sizeof(double)};
    static const method any = {
        {accordi_turn_f64_any, accordi_turn_f32_any}, sum_any, ACCORDI_LANES_F64, sizeof(double)};
    if (model->rounding != ACCORD_NEAREST_EVEN)
        return &any;
    return model->accumulator == ACCORD_F32 ? &f32 : model->accumulator == ACCORD_F64 ? &f64 : &any;
}

static void replay(const accordi_plain *model, const method *how, const workspace *room,
                   size_t rows, const void *x, bool is_f32, double *result)
{
    size_t row_bytes = model->tree->leaves * (is_f32 ? sizeof(float) : sizeof(double));
    for (size_t r = 0; r < rows; r += how->lanes) {
        size_t now = rows - r < how->lanes ? rows - r : how->lanes;
        how->turn[is_f32](model, now, (const char *)x + r * row_bytes, room->leaf);
        how->sum(model, now, room, result + r);
    }
    for (size_t r = 0; r < rows; r++)
        result[r] = accord_format_round(model->output, model->rounding, result[r]);
}

enum accord_status accordi_plain_replay(const accordi_plain *model, size_t rows, const void *x,
                                        bool is_f32, double *result, accord_error *error)
{
    const method *how = choose(model);
    accordi_needs needs = accordi_tree_needs(model->tree);
    workspace room = {accordi_alloc_lanes(how->lanes * model->tree->leaves, how->size),
                      accordi_alloc_lanes(how->lanes * needs.depth, how->size),
                      accordi_alloc(how->lanes * needs.children, sizeof(double))};
    bool enough = room.leaf && room.stack && room.scratch;
    if (enough)
        replay(model, how, &room, rows, x, is_f32, result);
    free(room.leaf);
    free(room.stack);
    free(room.scratch);
    return enough ? ACCORD_OK : accordi_nomem(error);
}
