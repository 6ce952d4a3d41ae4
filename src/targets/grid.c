/* A C function with many results as a target, in process. A batch asks for one of them: its row of
 * `a` and its column of `b` hold the probe, all others 1. */
#include "targets/outside_access.h"

typedef struct grid {
    accord_grid_callback callback;
    accordi_cells cells, second; /* the probe's row of a, and of b */
    void *a, *b, *c;
    void *blocks[3];
    double *results;
    size_t inner;
} grid;

static void store_number(void *array, bool is_f32, size_t i, double value)
{
    if (is_f32)
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

static double call_function(void *context)
{
    grid *g = context;
    const accord_grid_callback *how = &g->callback;
    size_t at = how->row * how->columns + how->column;
    accord_grid asked = {.size = sizeof asked, .a = g->a, .b = g->b};
    how->call(how->context, &asked, g->results);
    return g->results[at];
}

static enum accord_status run_grid_batch(accord_target *target, const accord_batch *batch,
                                         double *result, accord_error *error)
{
    grid *g = target->state;
    double from = accordi_now();
    enum accord_status status =
        accordi_cells_run(&g->cells, &g->second, batch, call_function, g, result, NULL, error);
    target->seconds += accordi_now() - from;
    return status;
}

static enum accord_status run_grid(accord_target *target, const accord_grid *asked, double *result,
                                   accord_error *error)
{
    grid *g = target->state;
    (void)error;
    accord_grid full = *asked;
    double from = accordi_now();
    if (!full.b) {
        for (size_t i = 0; i < g->callback.columns * g->inner; i++)
            store_number(g->b, g->callback.is_f32, i, 1);
        g->second.clean = false;
        full.b = g->b;
    }
    g->callback.call(g->callback.context, &full, result);
    target->seconds += accordi_now() - from;
    return ACCORD_OK;
}

static enum accord_status examine_grid(accord_target *target, accordi_beside *out,
                                       accord_error *error)
{
    grid *g = target->state;
    const accord_grid_callback *how = &g->callback;
    enum accordi_storage storage = g->cells.storage;
    int64_t a = (int64_t)(how->rows * g->inner), b = (int64_t)(how->columns * g->inner),
            results = (int64_t)(how->rows * how->columns);
    const accordi_area areas[] = {{g->a, a, 1, 1, storage, true},
                                  {g->b, b, 1, 1, storage, true},
                                  {g->results, results, 1, 1, ACCORDI_F64, false}};
    (void)error;
    accordi_operands_fill(g->a, a, storage, 1);
    accordi_operands_fill(g->b, b, storage, 1);
    accordi_memory_examine(areas, sizeof areas / sizeof *areas, call_function, g, NULL, out);
    accordi_operands_fill(g->a, a, storage, 1);
    accordi_operands_fill(g->b, b, storage, 1);
    g->cells.clean = g->second.clean = false;
    return ACCORD_OK;
}

static void close_grid(accord_target *target)
{
    grid *g = target->state;
    accordi_cells_clear(&g->cells);
    accordi_cells_clear(&g->second);
    for (size_t i = 0; i < 3; i++)
        free(g->blocks[i]);
    free(g);
}

static const accord_target_kind kind = {
    .name = "callback",
    .notation = "callback",
    .about = "a function of the calling program, with many results",
    .run = run_grid_batch,
    .run_grid = run_grid,
    .close = close_grid,
    .examine = examine_grid,
};

enum accord_status accord_target_from_grid(const accord_grid_callback *callback,
                                           accord_target **out, accord_error *error)
{
    accord_grid_callback full;
    enum accord_status status = ACCORDI_TAKE(accord_grid_callback, column, &full, callback, error);
    if (status != ACCORD_OK)
        return status;
    callback = &full;
    if (!out || !callback->call || callback->rows < 1 || callback->columns < 1 ||
        callback->row >= callback->rows || callback->column >= callback->columns)
        return accordi_fail(
            error, ACCORD_ARG,
            "a grid needs a function, at least one row and one column, and an element inside it");
    status = accordi_check_count(callback->n, error);
    if (status != ACCORD_OK)
        return status;
    size_t size = callback->is_f32 ? sizeof(float) : sizeof(double);
    double lines = (double)callback->rows + (double)callback->columns,
           results = (double)callback->rows * (double)callback->columns * sizeof(double);
    status = accordi_memory_check(lines * (double)callback->n * (double)size + results,
                                  "a grid of this size", error);
    if (status != ACCORD_OK)
        return status;
    enum accord_format format = callback->is_f32 ? ACCORD_F32 : ACCORD_F64;
    accord_target *target = NULL;
    grid *g = accordi_calloc(1, sizeof *g);
    if (g) {
        g->callback = *callback;
        g->inner = callback->n;
        g->a = accordi_aligned(callback->rows * callback->n * size, 0, &g->blocks[0]);
        g->b = accordi_aligned(callback->columns * callback->n * size, 0, &g->blocks[1]);
        g->results = accordi_aligned(callback->rows * callback->columns * sizeof *g->results, 0,
                                     &g->blocks[2]);
    }
    status = g && g->a && g->b && g->results
                 ? accord_target_new(&kind, g, "callback", callback->n, format, &target, error)
                 : accordi_nomem(error);
    if (status != ACCORD_OK) {
        if (g) {
            free(g->blocks[0]);
            free(g->blocks[1]);
            free(g->blocks[2]);
        }
        free(g);
        return status;
    }
    for (size_t i = 0; i < callback->rows * callback->n; i++)
        store_number(g->a, callback->is_f32, i, 1);
    for (size_t i = 0; i < callback->columns * callback->n; i++)
        store_number(g->b, callback->is_f32, i, 1);
    g->cells = g->second = (accordi_cells){
        .n = callback->n, .stride = 1, .storage = callback->is_f32 ? ACCORDI_F32 : ACCORDI_F64};
    g->cells.base = (char *)g->a + callback->row * callback->n * size;
    g->second.base = (char *)g->b + callback->column * callback->n * size;
    target->term = callback->term;
    target->rows = callback->rows;
    target->columns = callback->columns;
    *out = target;
    return ACCORD_OK;
}
