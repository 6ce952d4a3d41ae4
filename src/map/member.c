/* Presents one class of a map as a target with one result, to be revealed.
 *
 * All members add alike, so each may answer another probe: probe p of a batch goes into the row of
 * A of one member while all columns of B hold the second factor, and a grid answers as many probes
 * as the class has rows. Where it has more columns, they carry the probes (a product does not
 * depend on the order of its factors; but a factor alpha may, unless it is a power of two). With
 * dense second factors a probe takes a row and a column: members of which no two share either.
 * That all members add alike is what sorting found, no more: the certificate asks them all. */
#include "map/map.h"
#include <math.h>

static bool is_power_of_two(double x)
{
    int exponent;
    return fabs(frexp(x, &exponent)) == 0.5;
}

/* ---- who answers ---- */

/* The first member of each row and the first of each column; the longer list answers. */
static enum accord_status find_lines(accordi_member *t)
{
    accordi_mapper *m = t->mapper;
    size_t members = accordi_mapper_members(m, t->id), most = t->single ? 1 : members;
    const uint32_t *member = m->order + m->begin[t->id];
    uint32_t *by_row = accordi_alloc(m->rows, sizeof *by_row);
    uint32_t *by_column = accordi_alloc(m->columns, sizeof *by_column);
    bool *met = accordi_calloc(m->columns, sizeof *met);
    if (!by_row || !by_column || !met) {
        free(by_row);
        free(by_column);
        free(met);
        return accordi_nomem(m->error);
    }
    size_t rows = 0, columns = 0, last = SIZE_MAX;
    for (size_t i = 0; i < most; i++) {
        size_t row = member[i] / m->columns, column = member[i] % m->columns;
        if (row != last)
            by_row[rows++] = member[i];
        last = row;
        if (!met[column])
            by_column[columns++] = member[i];
        met[column] = true;
    }
    free(met);
    t->by_columns = columns > rows && m->has_b && is_power_of_two(m->target->alpha);
    t->line = t->by_columns ? by_column : by_row;
    t->lines = t->by_columns ? columns : rows;
    free(t->by_columns ? by_row : by_column);
    return ACCORD_OK;
}

/* Greedily, row by row; at least half as many as there could be. */
static enum accord_status find_pairs(accordi_member *t)
{
    accordi_mapper *m = t->mapper;
    size_t members = t->single ? 1 : accordi_mapper_members(m, t->id);
    const uint32_t *member = m->order + m->begin[t->id];
    bool *met = accordi_calloc(m->columns, sizeof *met);
    t->pair = accordi_alloc(m->rows, sizeof *t->pair);
    if (!met || !t->pair) {
        free(met);
        return accordi_nomem(m->error);
    }
    size_t taken = SIZE_MAX;
    for (size_t i = 0; i < members; i++) {
        size_t row = member[i] / m->columns, column = member[i] % m->columns;
        if (row == taken || met[column])
            continue;
        taken = row;
        met[column] = true;
        t->pair[t->pairs++] = member[i];
    }
    free(met);
    return ACCORD_OK;
}

static size_t place_of(const accordi_member *t, uint32_t element)
{
    return t->by_columns ? element % t->mapper->columns : element / t->mapper->columns;
}

/* ---- asking ---- */

/* The grid with the answers of `count` probes, which are at elements[0 …]. */
static enum accord_status ask_grid(accordi_member *t, const uint32_t *elements, size_t count,
                                   double *answer)
{
    accordi_mapper *m = t->mapper;
    enum accord_status status = accordi_mapper_run(m, m->result);
    t->asked++;
    for (size_t i = 0; i < count && !status; i++)
        answer[i] = m->result[elements[i]];
    return status;
}

static void fill_others(accordi_member *t, const accord_batch *batch)
{
    accordi_mapper *m = t->mapper;
    accordi_slate *other = t->by_columns ? &m->a : &m->b;
    if (!m->has_b)
        return;
    accordi_slate_fill(other, batch->second != 0 ? batch->second : 1);
    accordi_slate_all(other);
}

/* The writes of probe p that stay, and, into `row`, its own. */
static void write_probe(accordi_slate *slate, const accord_batch *batch, size_t p, size_t row)
{
    for (uint32_t w = batch->start[2 * p]; w < batch->start[2 * p + 1]; w++)
        accordi_slate_stay(slate, batch->index[w], batch->value[w]);
    accordi_slate_row(slate, row);
    for (uint32_t w = batch->start[2 * p + 1]; w < batch->start[2 * p + 2]; w++)
        accordi_slate_own(slate, row, batch->index[w], batch->value[w]);
}

static enum accord_status run_sparse(accordi_member *t, const accord_batch *batch, double *result)
{
    accordi_mapper *m = t->mapper;
    accordi_slate *slate = t->by_columns ? &m->b : &m->a;
    fill_others(t, batch);
    accordi_slate_fill(slate, batch->fill);
    for (size_t p = 0; p < batch->probes;) {
        size_t from = p, count = 0;
        for (; count < t->lines && p < batch->probes; count++, p++) {
            size_t place = place_of(t, t->line[count]);
            write_probe(slate, batch, p, place);
            accordi_mapper_start(m, t->line[count], slate->start[place]);
        }
        enum accord_status status = ask_grid(t, t->line, count, result + from);
        accordi_slate_undo(slate);
        if (status)
            return status;
    }
    return ACCORD_OK;
}

static enum accord_status run_dense(accordi_member *t, const accord_batch *batch, double *result)
{
    accordi_mapper *m = t->mapper;
    enum accord_status status = batch->dense_second && !t->pair ? find_pairs(t) : ACCORD_OK;
    const uint32_t *elements = batch->dense_second ? t->pair : t->line;
    size_t most = batch->dense_second ? t->pairs : t->lines;
    bool swapped = t->by_columns && !batch->dense_second;
    size_t bytes = m->n * (m->target->storage_f32 ? sizeof(float) : sizeof(double));
    if (!batch->dense_second)
        fill_others(t, batch);
    for (size_t p = 0; p < batch->probes && !status;) {
        size_t from = p, count = 0;
        for (; count < most && p < batch->probes; count++, p++) {
            size_t row = elements[count] / m->columns, column = elements[count] % m->columns;
            const char *x = (const char *)batch->dense + p * bytes;
            accordi_slate_whole(swapped ? &m->b : &m->a, swapped ? column : row, x);
            if (batch->dense_second)
                accordi_slate_whole(&m->b, column, (const char *)batch->dense_second + p * bytes);
            accordi_mapper_start(m, elements[count],
                                 swapped ? m->b.start[column] : m->a.start[row]);
        }
        status = ask_grid(t, elements, count, result + from);
    }
    return status;
}

/* All rows hold the probe, or all columns where those are fewer; its own writes are made and taken
 * back as changes of the base. */
static enum accord_status run_uniform(accordi_member *t, const accord_batch *batch, double *result)
{
    accordi_mapper *m = t->mapper;
    bool columns = m->has_b && m->columns < m->rows && is_power_of_two(m->target->alpha);
    accordi_slate *slate = columns ? &m->b : &m->a, *other = columns ? &m->a : &m->b;
    double *old = accordi_alloc(batch->start[2 * batch->probes] + 1, sizeof *old);
    enum accord_status status = old ? ACCORD_OK : accordi_nomem(m->error);
    if (m->has_b) {
        accordi_slate_fill(other, batch->second != 0 ? batch->second : 1);
        accordi_slate_all(other);
    }
    accordi_slate_fill(slate, batch->fill);
    for (size_t p = 0; p < batch->probes && !status; p++) {
        const uint32_t *start = batch->start + 2 * p;
        bool split = false;
        for (uint32_t w = start[0]; w < start[1]; w++)
            accordi_slate_stay(slate, batch->index[w], batch->value[w]);
        for (uint32_t w = start[1]; w < start[2]; w++) {
            old[w - start[1]] = slate->base[batch->index[w]];
            accordi_slate_stay(slate, batch->index[w], batch->value[w]);
        }
        accordi_slate_all(slate);
        for (size_t i = 0; m->c && i < m->elements; i++)
            accordi_mapper_start(m, i, slate->base[m->n - 1]);
        status = accordi_uniform(m, t->id, &split);
        t->asked += 1 + split;
        accordi_mapper_index(m);
        result[p] = m->result[m->order[m->begin[t->id]]];
        for (uint32_t w = start[2]; w-- > start[1];)
            accordi_slate_stay(slate, batch->index[w], old[w - start[1]]);
    }
    free(old);
    return status;
}

static enum accord_status run_member(accord_target *target, const accord_batch *batch,
                                     double *result, accord_error *error)
{
    accordi_member *t = target->state;
    accordi_mapper *m = t->mapper;
    accord_error *usual = m->error;
    double seconds = m->target->seconds, alpha = m->target->alpha, beta = m->target->beta;
    uint64_t asked = t->asked;
    m->error = error;
    m->target->alpha = target->alpha;
    m->target->beta = target->beta;
    enum accord_status status = batch->dense ? run_dense(t, batch, result)
                                : t->uniform ? run_uniform(t, batch, result)
                                             : run_sparse(t, batch, result);
    m->target->alpha = alpha;
    m->target->beta = beta;
    m->error = usual;
    target->seconds += m->target->seconds - seconds;
    /* The caller adds a call for each probe; here calls are grids. */
    target->calls += t->asked - asked - batch->probes;
    return status;
}

static enum accord_status describe_member(accord_target *target, accord_record *record,
                                          accord_error *error)
{
    accordi_member *t = target->state;
    accordi_mapper *m = t->mapper;
    enum accord_status status = ACCORD_OK;
    if (m->target->kind->describe)
        status = m->target->kind->describe(m->target, record, error);
    return status ? status : accordi_mapper_name(m, m->order[m->begin[t->id]], record, error);
}

static const accord_target_kind kind = {
    .name = "member",
    .notation = "member",
    .about = "elements of a grid that add alike",
    .run = run_member,
    .describe = describe_member,
};

enum accord_status accordi_member_init(accordi_member *t, accordi_mapper *m, size_t id, bool single)
{
    const accord_target *whole = m->target;
    memset(t, 0, sizeof *t);
    t->mapper = m;
    t->id = id;
    t->single = single;
    t->target = (accord_target){.kind = &kind,
                                .state = t,
                                .notation = whole->notation,
                                .n = whole->n,
                                .format = whole->format,
                                .storage_f32 = whole->storage_f32,
                                .output = whole->output,
                                .term = whole->term,
                                .rows = 1,
                                .columns = 1,
                                .alpha = whole->alpha,
                                .beta = whole->beta,
                                .has_start = whole->has_start};
    accordi_mapper_index(m);
    enum accord_status status = find_lines(t);
    t->target.at_once = t->lines;
    return status;
}

void accordi_member_clear(accordi_member *t)
{
    free(t->line);
    free(t->pair);
    memset(t, 0, sizeof *t);
}
