/* A C function of the caller as a target, in process. */
#include "targets/outside_access.h"

typedef struct callback {
    accordi_cells cells;
    accord_sum_callback *sum;
    void *context;
    void *block;
} callback;

static double call_function(void *context)
{
    callback *c = context;
    return c->sum(c->context, c->cells.base, c->cells.n);
}

static enum accord_status run_callback_batch(accord_target *target, const accord_batch *batch,
                                             double *result, accord_error *error)
{
    callback *c = target->state;
    double from = accordi_now();
    enum accord_status status =
        accordi_cells_run(&c->cells, NULL, batch, call_function, c, result, NULL, error);
    target->seconds += accordi_now() - from;
    return status;
}

static enum accord_status describe_callback(accord_target *target, accord_record *record,
                                            accord_error *error)
{
    (void)target;
    record->alignment = 0;
    return accord_record_set(&record->signature, "sum", error);
}

static enum accord_status examine_callback(accord_target *target, accord_outside_access *out,
                                           accord_error *error)
{
    callback *c = target->state;
    const accordi_area x = {c->cells.base, (int64_t)c->cells.n, 1, 1, c->cells.storage, true};
    (void)error;
    accordi_operands_fill(x.base, x.count, x.storage, 1);
    c->cells.clean = false;
    accordi_memory_examine(&x, 1, call_function, c, NULL, out);
    return ACCORD_OK;
}

static void close_callback(accord_target *target)
{
    callback *c = target->state;
    accordi_cells_clear(&c->cells);
    free(c->block);
    free(c);
}

static const accord_target_kind kind = {
    .name = "callback",
    .notation = "callback",
    .about = "a function of the calling program",
    .run = run_callback_batch,
    .describe = describe_callback,
    .close = close_callback,
    .examine = examine_callback,
};

enum accord_status accord_target_from_callback(accord_sum_callback *sum, void *context, size_t n,
                                               bool is_f32, accord_target **out,
                                               accord_error *error)
{
    if (!sum || !out)
        return accordi_fail(error, ACCORD_ARG,
                            "a callback target needs a function: pass one that is not NULL");
    enum accord_status status = accordi_check_count(n, error);
    if (status != ACCORD_OK)
        return status;
    callback *c = accordi_calloc(1, sizeof *c);
    if (c)
        c->cells.base = accordi_aligned(n * (is_f32 ? 4 : 8), 0, &c->block);
    status = c && c->cells.base ? accord_target_new(&kind, c, "callback", n,
                                                    is_f32 ? ACCORD_F32 : ACCORD_F64, out, error)
                                : accordi_nomem(error);
    if (status != ACCORD_OK) {
        if (c)
            free(c->block);
        free(c);
        return status;
    }
    c->cells = (accordi_cells){
        .base = c->cells.base, .n = n, .stride = 1, .storage = is_f32 ? ACCORDI_F32 : ACCORDI_F64};
    c->sum = sum;
    c->context = context;
    return ACCORD_OK;
}
