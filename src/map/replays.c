/* Random grids: every row of A and every column of B is different, and every element is replayed
 * by the model of its class. What the certificate takes for granted (a fixed tree of additions,
 * the arithmetic at its nodes, no influence of neighbors) shows here, and a class of which an
 * element gives other bits is not proven.
 *
 * Up to 2000 grids while there are at most WORK terms to be added again; of larger products a few
 * grids, and of each class a sample of its elements, at least LEAST of them. Programs send and
 * gather their grids, which costs more than additions: there, 2000 inputs of each class suffice, of
 * which each row of a grid has one. */
#include "map/map.h"
#include <math.h>

enum { MOST_GRIDS = 2000, FEW_GRIDS = 4, FEWEST_OF_PROGRAMS = 64, CHUNK = 1024, LEAST = 256 };
static const double work = 4e8;

typedef struct replayer {
    accordi_mapper *m;
    size_t grids;
    double share; /* of the elements */
    size_t count; /* of what follows */
    const void *x[CHUNK], *y[CHUNK];
    double start[CHUNK], sum[CHUNK];
    uint32_t element[CHUNK];
} replayer;

/* ---- random operands ---- */

/* How wide exponents are, grid by grid: a few binades, wide, wide with terms that cancel,
 * subnormal products. Every second time rows have zeros, which some kernels skip. */
typedef struct spread {
    int low, high;
    bool cancels, zeros;
} spread;

static spread choose_spread(const accordi_mapper *m, size_t grid)
{
    const accord_format_info *in = accord_format_get(m->target->format);
    const accord_format_info *out = accord_format_get(m->target->output);
    int factors = m->has_b ? 2 : 1, spare = 3;
    for (size_t n = m->n; n > 0; n /= 2)
        spare++;
    int high = (out->max_exponent - spare) / factors - 1;
    int low = out->min_exponent / factors;
    high = high < in->max_exponent - 1 ? high : in->max_exponent - 1;
    low = low > in->min_exponent ? low : in->min_exponent;
    bool zeros = grid / 4 % 2;
    switch (grid % 4) {
    case 0:
        return (spread){low > -4 ? low : -4, high < 3 ? high : 3, false, zeros};
    case 1:
        return (spread){low, high, false, zeros};
    case 2:
        return (spread){low > -12 ? low : -12, high < 11 ? high : 11, true, zeros};
    default:
        return (spread){low - 2 > in->min_exponent ? low - 2 : in->min_exponent, low + 4, false,
                        zeros};
    }
}

static double draw_replay_operand(accordi_mapper *m, const spread *s)
{
    uint64_t bits = accordi_rng_next(&m->rng);
    int exponent = s->low + (int)((bits >> 53 & 0x3FF) * (uint64_t)(s->high - s->low + 1) >> 10);
    uint64_t significand = (bits & 0xFFFFFFFFFFFFFu) | 0x3FF0000000000000u;
    double value;
    memcpy(&value, &significand, sizeof value);
    value = ldexp(bits >> 63 ? -value : value, exponent);
    return accord_format_round(m->target->format, ACCORD_NEAREST_EVEN, value);
}

/* None of a row, some, half of it or all. */
static void draw_zeros(accordi_mapper *m, const accordi_slate *slate, void *row)
{
    static const uint64_t of_eight[] = {0, 1, 4, 8};
    uint64_t share = of_eight[accordi_rng_below(&m->rng, 4)];
    for (size_t k = 0; k < slate->inner; k++)
        if (accordi_rng_below(&m->rng, 8) < share)
            accordi_set_number(row, slate->f32, k, 0);
}

/* With terms that cancel, the second half of a row is the first half with the other sign, here and
 * there; of b only in places that differ from column to column, so products cancel in part. */
static void draw_rows(accordi_mapper *m, accordi_slate *slate, const spread *s, bool flips)
{
    size_t half = slate->inner / 2;
    for (size_t r = 0; r < slate->rows; r++) {
        char *row = (char *)slate->cell + r * slate->inner * (slate->f32 ? 4 : 8);
        for (size_t k = 0; k < slate->inner; k++)
            accordi_set_number(row, slate->f32, k, draw_replay_operand(m, s));
        for (size_t k = 0; s->cancels && k < half; k++) {
            if (accordi_rng_next(&m->rng) >> 62 == 0)
                continue;
            double value = accordi_get_number(row, slate->f32, k);
            accordi_set_number(row, slate->f32, k + half, flips ? -value : value);
        }
        if (s->zeros)
            draw_zeros(m, slate, row);
        slate->seen[r] = SIZE_MAX;
    }
}

static void draw_grid(accordi_mapper *m, size_t grid)
{
    const spread s = choose_spread(m, grid);
    draw_rows(m, &m->a, &s, true);
    if (m->has_b)
        draw_rows(m, &m->b, &s, false);
    for (size_t i = 0; m->c && i < m->elements; i++)
        accordi_mapper_start(m, i, draw_replay_operand(m, &s));
}

/* ---- replaying ---- */

static enum accord_status replay_chunk(replayer *r, size_t id)
{
    accordi_mapper *m = r->m;
    accord_record *record = &m->each[id].record;
    size_t bytes = m->inner * (m->target->storage_f32 ? sizeof(float) : sizeof(double));
    const accord_model model = {record->tree, record->arithmetic};
    for (size_t i = 0; i < r->count; i++) {
        size_t at = r->element[i];
        r->x[i] = (const char *)m->a.cell + at / m->columns * bytes;
        if (m->has_b)
            r->y[i] = (const char *)m->b.cell + at % m->columns * bytes;
        if (m->c)
            r->start[i] = accordi_get_number(m->c, m->target->storage_f32, at);
    }
    const accord_rows rows = {.rows = r->count,
                              .x = r->x,
                              .y = m->has_b ? r->y : NULL,
                              .start = m->c ? r->start : NULL,
                              .is_f32 = m->target->storage_f32};
    enum accord_status status = accord_model_replay(&model, &rows, r->sum, m->error);
    for (size_t i = 0; i < r->count && !status; i++) {
        bool agrees = accordi_same_bits(r->sum[i], m->result[r->element[i]]);
        m->agreed += agrees;
        record->replays_agreed += agrees;
    }
    m->replayed += r->count;
    record->replays += (int64_t)r->count;
    r->count = 0;
    return status;
}

/* All members of a class, or as many as its share, evenly spaced from a random one on. */
static enum accord_status replay_class(replayer *r, size_t id)
{
    accordi_mapper *m = r->m;
    enum accord_status status = ACCORD_OK;
    size_t members = accordi_mapper_members(m, id), wanted = members;
    if (r->share < 1) {
        wanted = (size_t)((double)members * r->share);
        wanted = wanted < LEAST ? LEAST : wanted;
        wanted = wanted < members ? wanted : members;
    }
    size_t from = wanted < members ? (size_t)accordi_rng_below(&m->rng, members) : 0;
    for (size_t i = 0; i < wanted && !status; i++) {
        size_t at = (from + (size_t)((double)i * (double)members / (double)wanted)) % members;
        r->element[r->count++] = m->order[m->begin[id] + at];
        if (r->count == CHUNK || i + 1 == wanted)
            status = replay_chunk(r, id);
    }
    return status;
}

static enum accord_status replay_grid(replayer *r, size_t grid)
{
    accordi_mapper *m = r->m;
    draw_grid(m, grid);
    enum accord_status status = accordi_mapper_run(m, m->result);
    m->replay_calls++;
    for (size_t id = 0; id < m->classes && !status; id++)
        if (m->each[id].record.tree && m->each[id].record.arithmetic)
            status = replay_class(r, id);
    return status ? status : accordi_mapper_goes_on(m, grid + 1, r->grids);
}

static bool nothing_to_replay(const accordi_mapper *m)
{
    for (size_t id = 0; id < m->classes; id++)
        if (m->each[id].record.tree && m->each[id].record.arithmetic)
            return false;
    return true;
}

/* Rows in which a class has members: these have different inputs. */
static size_t rows_of(const accordi_mapper *m, size_t id)
{
    size_t rows = 0, last = SIZE_MAX;
    for (size_t i = m->begin[id]; i < m->begin[id + 1]; i++) {
        size_t row = m->order[i] / m->columns;
        rows += row != last;
        last = row;
    }
    return rows;
}

static size_t most_grids(const accordi_mapper *m)
{
    size_t most = FEWEST_OF_PROGRAMS;
    if (!m->target->together || m->has_b)
        return MOST_GRIDS;
    for (size_t id = 0; id < m->classes; id++) {
        size_t rows = rows_of(m, id), grids = (MOST_GRIDS + rows - 1) / rows;
        most = grids > most ? grids : most;
    }
    return most;
}

/* The order that probes have shown stays, as it does with this reason elsewhere. */
static enum accord_status judge(accordi_mapper *m, size_t id, int64_t replays, int64_t agreed)
{
    accord_record *record = &m->each[id].record;
    char verdict[512];
    bool plain = !record->status || !strcmp(record->status, accord_status_name(ACCORD_OK));
    if (agreed == replays || !plain || m->options->loose)
        return ACCORD_OK;
    snprintf(verdict, sizeof verdict,
             "It is not known what the additions compute, nor whether the elements are independent "
             "of each other. Given the same terms, they add in this order, but where each row had "
             "terms of its own, it gave the bits of only %lld of %lld random results.",
             (long long)agreed, (long long)replays);
    record->proven = false;
    m->each[id].certified = 0;
    enum accord_status status =
        accord_record_set(&record->status, accord_status_name(ACCORD_UNABLE), m->error);
    if (!status)
        status = accord_record_set(&record->reason, accord_reason_name(ACCORD_REASON_NOT_PLAIN),
                                   m->error);
    return status ? status : accord_record_set(&record->verdict, verdict, m->error);
}

enum accord_status accordi_map_replay(accordi_mapper *m)
{
    double terms = (double)m->elements * (double)m->n, from = accordi_now();
    double grids = work / terms;
    if (nothing_to_replay(m))
        return ACCORD_OK;
    replayer *r = accordi_calloc(1, sizeof *r);
    int64_t *before = accordi_calloc(2 * m->classes, sizeof *before);
    if (!r || !before) {
        free(r);
        free(before);
        return accordi_nomem(m->error);
    }
    for (size_t id = 0; id < m->classes; id++) {
        before[2 * id] = m->each[id].record.replays;
        before[2 * id + 1] = m->each[id].record.replays_agreed;
    }
    accordi_mapper_index(m);
    size_t most = most_grids(m);
    r->m = m;
    r->grids = grids > (double)most ? most : grids < FEW_GRIDS ? FEW_GRIDS : (size_t)grids;
    if (m->options->replays && m->options->replays < r->grids)
        r->grids = (size_t)m->options->replays;
    r->share = grids < FEW_GRIDS ? grids / FEW_GRIDS : 1;
    m->stage = "replaying";
    enum accord_status status = ACCORD_OK;
    for (size_t grid = 0; grid < r->grids && !status; grid++)
        status = replay_grid(r, grid);
    for (size_t id = 0; id < m->classes && !status; id++)
        status = judge(m, id, m->each[id].record.replays - before[2 * id],
                       m->each[id].record.replays_agreed - before[2 * id + 1]);
    free(r);
    free(before);
    m->replay_seconds += accordi_now() - from;
    return status;
}
