/* The state of a map under construction: operands, results, and the class of each element. */
#include "map/map.h"
#include "record/record.h"

/* Room for a, b and c, where the target takes them without a copy if it has such a place. */
static bool place_operands(accordi_mapper *m)
{
    size_t cell = m->target->storage_f32 ? sizeof(float) : sizeof(double), line = 64;
    size_t a = (m->rows * m->inner * cell + line - 1) / line * line;
    size_t b = m->has_b ? (m->columns * m->inner * cell + line - 1) / line * line : 0;
    size_t c = m->target->has_start ? m->elements * cell : 0;
    const accord_target_kind *kind = m->target->kind;
    char *at = kind->arena ? kind->arena(m->target, a + b + c + line) : NULL;
    if (!at)
        at = m->block = accordi_calloc(a + b + c + line, 1);
    if (!at)
        return false;
    memset(at, 0, a + b + c);
    m->c = c ? at + a + b : NULL;
    return accordi_slate_init(&m->a, at, m->rows, m->inner, m->n, m->target->storage_f32) &&
           (!m->has_b ||
            accordi_slate_init(&m->b, at + a, m->columns, m->inner, m->n, m->target->storage_f32));
}

enum accord_status accordi_mapper_init(accordi_mapper *m, accord_target *target,
                                       const accord_reveal_options *options, accord_error *error)
{
    *m = (accordi_mapper){.target = target,
                          .first_calls = target->calls,
                          .began = accordi_now(),
                          .options = options,
                          .error = error,
                          .rows = target->rows,
                          .columns = target->columns,
                          .n = target->n,
                          .inner = target->n - target->has_start,
                          .has_b = target->term == ACCORD_TERM_PRODUCT,
                          .classes = 1,
                          .capacity = 16};
    accordi_rng_init(&m->rng, options->seed ^ 0x6D6170u);
    if (m->rows > UINT32_MAX / m->columns)
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "a map has at most 2^32 elements: take a smaller shape");
    m->elements = m->rows * m->columns;
    m->result = accordi_alloc(m->elements, sizeof *m->result);
    m->again = accordi_alloc(m->elements, sizeof *m->again);
    m->class_of = accordi_calloc(m->elements, sizeof *m->class_of);
    m->order = accordi_alloc(m->elements, sizeof *m->order);
    m->each = accordi_calloc(m->capacity, sizeof *m->each);
    m->done = accordi_calloc(m->capacity, sizeof *m->done);
    m->begin = accordi_calloc(m->capacity + 1, sizeof *m->begin);
    if (!place_operands(m) || !m->result || !m->again || !m->class_of || !m->order || !m->each ||
        !m->done || !m->begin)
        return accordi_nomem(error);
    accordi_record_init(&m->each[0].record);
    return ACCORD_OK;
}

void accordi_mapper_clear(accordi_mapper *m)
{
    for (size_t i = 0; m->each && i < m->classes; i++)
        accord_record_clear(&m->each[i].record);
    accordi_slate_clear(&m->a);
    accordi_slate_clear(&m->b);
    free(m->block);
    free(m->result);
    free(m->again);
    free(m->class_of);
    free(m->order);
    free(m->each);
    free(m->done);
    free(m->begin);
    memset(m, 0, sizeof *m);
}

/* An answer of a map is whole or there is none. */
enum accord_status accordi_mapper_spent(const accordi_mapper *m)
{
    return accordi_unable(m->error, ACCORD_REASON_BUDGET,
                          "the budget was spent before the map was made; give a larger one, or a "
                          "smaller shape");
}

void accordi_mapper_rest(const accordi_mapper *m, size_t at_once, accord_reveal_options *options)
{
    const accord_reveal_options *o = m->options;
    uint64_t used = m->target->calls - m->first_calls, each = at_once ? at_once : 1;
    double left = o->budget_seconds - (accordi_now() - m->began), least = 1e-9;
    if (o->budget_calls)
        options->budget_calls = used < o->budget_calls ? (o->budget_calls - used) * each : 1;
    if (o->budget_seconds > 0)
        options->budget_seconds = left > least ? left : least;
}

enum accord_status accordi_mapper_goes_on(accordi_mapper *m, uint64_t done, uint64_t total)
{
    const accord_reveal_options *o = m->options;
    bool calls = o->budget_calls && m->target->calls - m->first_calls >= o->budget_calls;
    bool time = o->budget_seconds > 0 && accordi_now() - m->began >= o->budget_seconds;
    if (calls || time)
        return accordi_mapper_spent(m);
    if (!o->progress || o->progress(o->progress_context, m->stage, done, total))
        return ACCORD_OK;
    return accordi_fail(m->error, ACCORD_TARGET, "interrupted");
}

enum accord_status accordi_mapper_run(accordi_mapper *m, double *result)
{
    if (m->a.failed || m->b.failed)
        return accordi_nomem(m->error);
    accord_grid grid = {.a = m->a.cell, .b = m->has_b ? m->b.cell : NULL, .c = m->c};
    return accord_target_run_grid(m->target, &grid, result, m->error);
}

void accordi_mapper_start(accordi_mapper *m, size_t at, double value)
{
    if (!m->c)
        return;
    accordi_set_number(m->c, m->target->storage_f32, at, value);
}

void accordi_mapper_index(accordi_mapper *m)
{
    if (m->indexed)
        return;
    memset(m->begin, 0, (m->classes + 1) * sizeof *m->begin);
    for (size_t i = 0; i < m->elements; i++)
        m->begin[m->class_of[i] + 1]++;
    for (size_t id = 0; id < m->classes; id++)
        m->begin[id + 1] += m->begin[id];
    for (size_t i = 0; i < m->elements; i++)
        m->order[m->begin[m->class_of[i]]++] = (uint32_t)i;
    for (size_t id = m->classes; id > 0; id--) /* each has moved to where the next begins */
        m->begin[id] = m->begin[id - 1];
    m->begin[0] = 0;
    m->indexed = true;
}

size_t accordi_mapper_members(const accordi_mapper *m, size_t id)
{
    return m->begin[id + 1] - m->begin[id];
}

enum accord_status accordi_mapper_name(const accordi_mapper *m, size_t at, accord_record *record,
                                       accord_error *error)
{
    char text[48];
    if (m->columns > 1)
        snprintf(text, sizeof text, "%zu,%zu", at / m->columns, at % m->columns);
    else
        snprintf(text, sizeof text, "%zu", at);
    return accord_record_set(&record->element, text, error);
}

enum accord_status accordi_map_give_up(accordi_mapper *m, size_t id, enum accord_reason reason,
                                       const char *verdict)
{
    accord_record *record = &m->each[id].record;
    accord_tree_free(record->tree);
    accord_arithmetic_free(record->arithmetic);
    record->tree = NULL;
    record->arithmetic = NULL;
    record->proven = false;
    record->nodes = record->nodes_confirmed = 0;
    accord_record_set(&record->accumulator, NULL, NULL);
    enum accord_status status =
        accord_record_set(&record->status, accord_status_name(ACCORD_UNABLE), m->error);
    if (!status)
        status = accord_record_set(&record->reason, accord_reason_name(reason), m->error);
    if (!status)
        status = accord_record_set(&record->verdict, verdict, m->error);
    m->each[id].certified = 0;
    m->done[id] = true;
    return status;
}
