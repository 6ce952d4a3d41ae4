/* A C function with many results as a target, in process. A batch asks for one of them: its row of
 * `a` and its column of `b` hold the probe, all others 1. */
#include "targets/outside_access.h"

typedef struct grid {
    accord_grid_callback callback;
    accordi_cells cells, second; /* the probe's row of a, and of b */
    void *a, *b;
    void *blocks[3];
    double *results;
} grid;

/* Ones everywhere. */
static void fill_a(grid *g)
{
    accordi_operands_fill(g->a, (int64_t)(g->callback.rows * g->callback.n), g->cells.storage, 1);
    g->cells.clean = false;
}

static void fill_b(grid *g)
{
    accordi_operands_fill(g->b, (int64_t)(g->callback.columns * g->callback.n), g->cells.storage,
                          1);
    g->second.clean = false;
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
        fill_b(g);
        full.b = g->b;
    }
    g->callback.call(g->callback.context, &full, result);
    target->seconds += accordi_now() - from;
    return ACCORD_OK;
}

static enum accord_status examine_grid(accord_target *target, accord_outside_access *out,
                                       accord_error *error)
{
    grid *g = target->state;
    const accord_grid_callback *how = &g->callback;
    enum accordi_storage storage = g->cells.storage;
    int64_t a = (int64_t)(how->rows * how->n), b = (int64_t)(how->columns * how->n),
            results = (int64_t)(how->rows * how->columns);
    const accordi_area areas[] = {{g->a, a, 1, 1, storage, true},
                                  {g->b, b, 1, 1, storage, true},
                                  {g->results, results, 1, 1, ACCORDI_F64, false}};
    (void)error;
    fill_a(g);
    fill_b(g);
    accordi_memory_examine(areas, sizeof areas / sizeof *areas, call_function, g, NULL, out);
    fill_a(g);
    fill_b(g);
    return ACCORD_OK;
}

static void free_grid(grid *g)
{
    accordi_cells_clear(&g->cells);
    accordi_cells_clear(&g->second);
    for (size_t i = 0; i < 3; i++)
        free(g->blocks[i]);
    free(g);
}

static void close_grid(accord_target *target)
{
    free_grid(target->state);
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

static enum accord_status check_grid(const accord_grid_callback *how, accord_error *error)
{
    if (!how->call || how->rows < 1 || how->columns < 1 || how->row >= how->rows ||
        how->column >= how->columns)
        return accordi_fail(
            error, ACCORD_ARG,
            "a grid needs a function, at least one row and one column, and an element inside it");
    enum accord_status status = accordi_check_count(how->n, error);
    if (status != ACCORD_OK)
        return status;
    size_t size = how->is_f32 ? sizeof(float) : sizeof(double);
    double lines = (double)how->rows + (double)how->columns,
           results = (double)how->rows * (double)how->columns * sizeof(double);
    return accordi_memory_check(lines * (double)how->n * (double)size + results,
                                "a grid of this size", error);
}

/* NULL: out of memory. */
static grid *new_grid(const accord_grid_callback *how)
{
    size_t size = how->is_f32 ? sizeof(float) : sizeof(double);
    grid *g = accordi_calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->callback = *how;
    g->a = accordi_aligned(how->rows * how->n * size, 0, &g->blocks[0]);
    g->b = accordi_aligned(how->columns * how->n * size, 0, &g->blocks[1]);
    g->results = accordi_aligned(how->rows * how->columns * sizeof *g->results, 0, &g->blocks[2]);
    if (!g->a || !g->b || !g->results) {
        free_grid(g);
        return NULL;
    }
    g->cells = g->second = (accordi_cells){
        .n = how->n, .stride = 1, .storage = how->is_f32 ? ACCORDI_F32 : ACCORDI_F64};
    g->cells.base = (char *)g->a + how->row * how->n * size;
    g->second.base = (char *)g->b + how->column * how->n * size;
    fill_a(g);
    fill_b(g);
    return g;
}

enum accord_status accord_target_from_grid(const accord_grid_callback *callback,
                                           accord_target **out, accord_error *error)
{
    accord_grid_callback full;
    enum accord_status status = ACCORDI_TAKE(accord_grid_callback, column, &full, callback, error);
    if (status == ACCORD_OK && !out)
        status = accordi_fail(error, ACCORD_ARG, "the place for the target is NULL: pass one");
    if (status == ACCORD_OK)
        status = check_grid(&full, error);
    if (status != ACCORD_OK)
        return status;
    accord_target *target = NULL;
    grid *g = new_grid(&full);
    status = g ? accord_target_new(&kind, g, "callback", full.n,
                                   full.is_f32 ? ACCORD_F32 : ACCORD_F64, &target, error)
               : accordi_nomem(error);
    if (status != ACCORD_OK) {
        if (g)
            free_grid(g);
        return status;
    }
    target->term = full.term;
    target->rows = full.rows;
    target->columns = full.columns;
    target->row = full.row;
    target->column = full.column;
    *out = target;
    return ACCORD_OK;
}
