/* Which elements add alike: by the bits of their answers to the same question.
 *
 * Elements of the same order and arithmetic always answer alike, so the partition is never finer
 * than the truth; it becomes as fine as the questions are telling. The random grids here are of
 * several kinds, since differences show in different places: roundings of every addition (terms of
 * a few binades), what is swallowed by what (wide exponents, pairs that cancel), rounding of
 * products, and subnormal numbers. A difference that a dozen of them miss (two terms that
 * changed places) is left to the certificate, which splits classes too. */
#include "map/map.h"
#include "record/record.h"
#include <math.h>

enum { MOST_GRIDS = 400 };

enum style { FEW_BINADES, WIDE, CANCELLING, SUBNORMAL };
/* Processors take a hundred times as long for subnormal numbers: they come once in eight, and where
 * products are subnormal most sums of them are not. */
static const enum style styles[ACCORDI_QUIET_GRIDS] = {FEW_BINADES, WIDE, CANCELLING, SUBNORMAL,
                                                       FEW_BINADES, WIDE, CANCELLING, FEW_BINADES};

/* ---- splitting ---- */

typedef struct part {
    uint64_t bits;
    uint32_t from, to; /* ids; from UINT32_MAX: free */
} part;

typedef struct refinement {
    accordi_mapper *m;
    part *table; /* of parts that left their class; open addressing */
    size_t capacity, used, old_classes;
    uint64_t *kept; /* per old class: the bits of the part that keeps the id */
    bool *met;
} refinement;

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value != value ? UINT64_MAX : bits; /* all NaN are one */
}

static part *find_part(part *table, size_t capacity, uint32_t from, uint64_t bits)
{
    uint64_t hash = (bits ^ from) * 0x9E3779B97F4A7C15u;
    size_t i = (size_t)(hash >> 20) & (capacity - 1);
    while (table[i].from != UINT32_MAX && (table[i].from != from || table[i].bits != bits))
        i = (i + 1) & (capacity - 1);
    return &table[i];
}

static bool widen_table(refinement *r)
{
    size_t capacity = r->capacity ? 2 * r->capacity : 64;
    part *table = accordi_alloc(capacity, sizeof *table);
    if (!table)
        return false;
    memset(table, 0xFF, capacity * sizeof *table);
    for (size_t i = 0; i < r->capacity; i++)
        if (r->table[i].from != UINT32_MAX)
            *find_part(table, capacity, r->table[i].from, r->table[i].bits) = r->table[i];
    free(r->table);
    r->table = table;
    r->capacity = capacity;
    return true;
}

static bool more_classes(accordi_mapper *m)
{
    size_t each = m->capacity, done = each, begin = each + 1, wanted = 2 * each;
    if (!accordi_grow((void **)&m->each, &each, wanted, sizeof *m->each) ||
        !accordi_grow((void **)&m->done, &done, wanted, sizeof *m->done) ||
        !accordi_grow((void **)&m->begin, &begin, wanted + 1, sizeof *m->begin))
        return false;
    m->capacity = wanted;
    return true;
}

/* All but what it has cost, which counts for the next attempt. */
static void forget_record(accord_record *record)
{
    const accord_record spent = *record;
    accord_record_clear(record);
    record->discovery_calls = spent.discovery_calls;
    record->certificate_calls = spent.certificate_calls;
    record->discovery_seconds = spent.discovery_seconds;
    record->certificate_seconds = spent.certificate_seconds;
    record->replay_seconds = spent.replay_seconds;
}

/* The id of a part that is met for the first time. */
static enum accord_status new_part(refinement *r, uint32_t from, uint64_t bits, part *at)
{
    accordi_mapper *m = r->m;
    if (m->classes == ACCORDI_MOST_CLASSES)
        return accordi_unable(
            m->error, ACCORD_REASON_NOT_A_TREE,
            "more than %d elements each have an order of their own: map a smaller shape",
            ACCORDI_MOST_CLASSES);
    if (m->classes == m->capacity && !more_classes(m))
        return accordi_nomem(m->error);
    *at = (part){bits, from, (uint32_t)m->classes};
    memset(&m->each[m->classes], 0, sizeof *m->each);
    accordi_record_init(&m->each[m->classes].record);
    m->done[m->classes++] = false;
    if (m->done[from]) { /* what was found spoke for all */
        forget_record(&m->each[from].record);
        m->done[from] = false;
    }
    return 2 * ++r->used <= r->capacity || widen_table(r) ? ACCORD_OK : accordi_nomem(m->error);
}

static enum accord_status split_all(refinement *r)
{
    accordi_mapper *m = r->m;
    for (size_t i = 0; i < m->elements; i++) {
        uint32_t from = m->class_of[i];
        uint64_t bits = bits_of(m->result[i]);
        if (!r->met[from]) {
            r->met[from] = true;
            r->kept[from] = bits;
        }
        if (bits == r->kept[from])
            continue;
        part *at = find_part(r->table, r->capacity, from, bits);
        if (at->from != UINT32_MAX) {
            m->class_of[i] = (uint16_t)at->to;
            continue;
        }
        uint16_t id = (uint16_t)m->classes;
        enum accord_status status = new_part(r, from, bits, at);
        if (status)
            return status;
        m->class_of[i] = id;
    }
    return ACCORD_OK;
}

/* Gives the id `follow` to the largest of its parts. */
static enum accord_status keep_largest(refinement *r, size_t follow)
{
    accordi_mapper *m = r->m;
    size_t *count = accordi_calloc(m->classes, sizeof *count), best = follow;
    bool *of_it = accordi_calloc(m->classes, sizeof *of_it);
    if (!count || !of_it) {
        free(count);
        free(of_it);
        return accordi_nomem(m->error);
    }
    of_it[follow] = true;
    for (size_t i = 0; i < r->capacity; i++)
        if (r->table[i].from == follow)
            of_it[r->table[i].to] = true;
    for (size_t i = 0; i < m->elements; i++)
        count[m->class_of[i]]++;
    for (size_t id = 0; id < m->classes; id++)
        if (of_it[id] && count[id] > count[best])
            best = id;
    for (size_t i = 0; best != follow && i < m->elements; i++)
        if (m->class_of[i] == best || m->class_of[i] == follow)
            m->class_of[i] = (uint16_t)(m->class_of[i] == best ? follow : best);
    free(count);
    free(of_it);
    return ACCORD_OK;
}

/* The usual case, quickly. */
static bool all_same(const accordi_mapper *m)
{
    uint64_t first = bits_of(m->result[0]), differ = 0;
    for (size_t i = 0; i < m->elements; i++) {
        uint64_t bits;
        memcpy(&bits, &m->result[i], sizeof bits);
        differ |= bits ^ first;
    }
    return differ == 0;
}

enum accord_status accordi_refine(accordi_mapper *m, size_t follow, bool *split)
{
    *split = false;
    if (all_same(m))
        return ACCORD_OK;
    refinement r = {.m = m, .old_classes = m->classes};
    r.kept = accordi_alloc(m->classes, sizeof *r.kept);
    r.met = accordi_calloc(m->classes, sizeof *r.met);
    enum accord_status status =
        r.kept && r.met && widen_table(&r) ? split_all(&r) : accordi_nomem(m->error);
    *split = m->classes > r.old_classes;
    if (!status && *split && follow != SIZE_MAX)
        status = keep_largest(&r, follow);
    if (*split)
        m->indexed = false;
    free(r.table);
    free(r.kept);
    free(r.met);
    return status;
}

static enum accord_status same_again(accordi_mapper *m)
{
    enum accord_status status = accordi_mapper_run(m, m->again);
    if (status)
        return status;
    size_t differ = 0;
    for (size_t i = 0; i < m->elements; i++)
        differ += bits_of(m->result[i]) != bits_of(m->again[i]);
    if (!differ)
        return ACCORD_OK;
    return accordi_unable(m->error, ACCORD_REASON_NONDETERMINISTIC,
                          "when an input was repeated, %zu of %zu elements gave a different result",
                          differ, m->elements);
}

enum accord_status accordi_uniform(accordi_mapper *m, size_t follow, bool *split)
{
    enum accord_status status = accordi_mapper_run(m, m->result);
    if (!status)
        status = accordi_refine(m, follow, split);
    return status || !*split ? status : same_again(m);
}

/* ---- random grids ---- */

/* Exponents at which sums of n products neither overflow nor lose bits. */
typedef struct window {
    enum accord_format format;
    int low, high; /* of an operand */
    int least;     /* low enough for subnormal products */
} window;

static window find_window(const accordi_mapper *m)
{
    const accord_format_info *in = accord_format_get(m->target->format);
    const accord_format_info *out = accord_format_get(m->target->output);
    int spare = 2, factors = m->has_b ? 2 : 1;
    for (size_t n = m->n; n > 0; n /= 2)
        spare++;
    window w = {.format = m->target->format};
    w.high = (out->max_exponent - spare) / factors - 1;
    w.high = w.high < in->max_exponent - 1 ? w.high : in->max_exponent - 1;
    w.low = (out->min_exponent + out->precision) / factors + 1;
    w.low = w.low > in->min_exponent ? w.low : in->min_exponent;
    if (w.low > w.high - 4)
        w.low = w.high - 4 > in->min_exponent ? w.high - 4 : in->min_exponent;
    w.least = out->min_exponent / factors - 2;
    w.least = w.least > in->min_exponent ? w.least : in->min_exponent;
    return w;
}

static double draw_grid_operand(accordi_mapper *m, const window *w, int low, int high)
{
    double size = 1 + accordi_rng_unit(&m->rng);
    int exponent = low + (int)accordi_rng_below(&m->rng, (uint64_t)(high - low + 1));
    double value = accord_format_round(w->format, ACCORD_NEAREST_EVEN, ldexp(size, exponent));
    return accordi_rng_next(&m->rng) >> 63 ? -value : value;
}

/* One grid's terms. Those that cancel stand beside plain factors. */
static void draw_terms(accordi_mapper *m, const window *w, enum style style, double *x, double *y)
{
    int middle = (w->low + w->high) / 2;
    int low = style == FEW_BINADES ? middle - 3 : style == SUBNORMAL ? w->least - 3 : w->low;
    int high = style == FEW_BINADES ? middle + 3 : style == SUBNORMAL ? w->least + 6 : w->high;
    low = low < w->low && style != SUBNORMAL ? w->low : low;
    high = high > w->high ? w->high : high;
    for (size_t k = 0; k < m->n; k++) {
        x[k] = draw_grid_operand(m, w, low, high);
        y[k] = style == CANCELLING || !m->has_b ? 1 : draw_grid_operand(m, w, low, high);
    }
    for (size_t pairs = style == WIDE || style == CANCELLING ? m->n / 2 : 0; pairs > 0; pairs--) {
        size_t i = (size_t)accordi_rng_below(&m->rng, m->n);
        size_t j = (size_t)accordi_rng_below(&m->rng, m->n);
        if (i != j) {
            x[j] = -x[i];
            y[j] = y[i];
        }
    }
}

void accordi_put_terms(accordi_mapper *m, const double *x, const double *y)
{
    accordi_slate_set(&m->a, x);
    accordi_slate_all(&m->a);
    if (m->has_b) {
        accordi_slate_set(&m->b, y);
        accordi_slate_all(&m->b);
    }
    for (size_t i = 0; m->c && i < m->elements; i++)
        accordi_mapper_start(m, i, x[m->n - 1]);
}

enum accord_status accordi_sort(accordi_mapper *m, size_t quiet)
{
    const window w = find_window(m);
    double *x = accordi_alloc(2 * m->n, sizeof *x), from = accordi_now();
    uint64_t calls = m->target->calls;
    enum accord_status status = x ? ACCORD_OK : accordi_nomem(m->error);
    m->stage = "sorting";
    for (size_t grids = 0, calm = 0; !status && calm < quiet && grids < MOST_GRIDS; grids++) {
        bool split = false;
        draw_terms(m, &w, styles[grids % ACCORDI_QUIET_GRIDS], x, x + m->n);
        accordi_put_terms(m, x, x + m->n);
        status = accordi_uniform(m, SIZE_MAX, &split);
        if (!status && grids == 0 && !split)
            status = same_again(m);
        calm = split ? 0 : calm + 1;
        if (!status)
            status = accordi_mapper_goes_on(m, calm, quiet);
    }
    free(x);
    m->sorting_calls += m->target->calls - calls;
    m->sorting_seconds += accordi_now() - from;
    return status;
}
