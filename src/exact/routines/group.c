/* Sums by key.
 *
 * Idea: a counting sort makes of the numbers of each group a short array, which is what kernels
 * want. With few groups that is done in chunks that stay in cache, and each group has an
 * accumulator (threads their own). With many, accumulators would soon outgrow the numbers: all are
 * sorted at once, and no accumulator lives longer than its group. Threads then share out the keys,
 * not the numbers: each reads all keys and looks after its range of them, and nobody waits for
 * anybody. */
#include "base/parallel.h"
#include "exact/routines/routines.h"

enum { FEW = 512, CHUNK = 32768 };

typedef struct groups {
    const accordi_exact_kind *kind;
    accord_exact_options how;
    size_t n, count;
    const void *x;
    ptrdiff_t stride;
    const size_t *key;
    void *out;
    size_t share;  /* keys in a range */
    size_t *first; /* where the numbers of a group begin */
    char *sorted;  /* the numbers */
} groups;

/* Few groups. */

/* Afterwards first[g] is where group g ends, and group g + 1 begins. */
static void sort(const groups *g, size_t from, size_t count, uint32_t *first, char *sorted)
{
    size_t size = (size_t)g->kind->size;
    const size_t *key = g->key + from;
    memset(first, 0, g->count * sizeof *first);
    for (size_t i = 0; i < count; i++)
        first[key[i]]++;
    for (size_t group = 0, before = 0; group < g->count; group++) {
        size_t here = first[group];
        first[group] = (uint32_t)before;
        before += here;
    }
    const void *x = accordi_exact_at(g->kind, g->x, (ptrdiff_t)from * g->stride);
    for (size_t i = 0; i < count; i++)
        memcpy(sorted + first[key[i]]++ * size,
               accordi_exact_at(g->kind, x, (ptrdiff_t)i * g->stride), size);
}

static void add_chunks(const void *context, size_t tile, size_t from, size_t to,
                       accordi_exact_bank bank, void *scratch)
{
    (void)tile;
    const groups *g = context;
    uint32_t *first = scratch;
    char *sorted = (char *)(first + FEW);
    for (size_t count; from < to; from += count) {
        count = to - from < CHUNK ? to - from : CHUNK;
        sort(g, from, count, first, sorted);
        for (size_t group = 0, begin = 0; group < g->count; begin = first[group++])
            if (first[group] > begin)
                g->kind->sum(&g->how, accordi_exact_of_bank(bank, group), first[group] - begin,
                             accordi_exact_at(g->kind, sorted, (ptrdiff_t)begin), 1);
    }
}

static void finish_few(const void *context, size_t tile, accordi_exact_bank bank)
{
    (void)tile;
    const groups *g = context;
    for (size_t group = 0; group < g->count; group++)
        accordi_exact_store_sum(g->kind, g->out, (ptrdiff_t)group,
                                accordi_exact_of_bank(bank, group), g->how.rounding);
}

static enum accord_status add_few(const groups *g, accord_error *error)
{
    accordi_exact_task task = {
        .tiles = 1,
        .sums = g->count,
        .length = g->n,
        .work = accordi_exact_work(ACCORDI_EXACT_KEY_COST, g->n, 1),
        .scratch = FEW * sizeof(uint32_t) + (g->n < CHUNK ? g->n : CHUNK) * (size_t)g->kind->size,
        .add = add_chunks,
        .finish = finish_few,
    };
    return accordi_exact_run(&task, g, g->how.threads, error);
}

/* Many groups. */

typedef struct range {
    size_t first, count;
} range;

static range range_of(const groups *g, size_t item)
{
    size_t first = item * g->share, left = g->count - first;
    return (range){first, left < g->share ? left : g->share};
}

static void count_keys(void *context, size_t item, int worker)
{
    (void)worker;
    const groups *g = context;
    range r = range_of(g, item);
    size_t *count = g->first + r.first;
    for (size_t i = 0; i < g->n; i++)
        if (g->key[i] - r.first < r.count)
            count[g->key[i] - r.first]++;
}

static void add_group(const groups *g, size_t group, const void *x, size_t n)
{
    const accordi_exact_kind *k = g->kind;
    if (k->short_sum(n, x, 1, &g->how, (char *)g->out + (ptrdiff_t)group * k->size))
        return;
    accord_exact sum;
    accord_exact_init(&sum);
    k->sum(&g->how, accordi_exact_of(&sum), n, x, 1);
    accordi_exact_store_sum(k, g->out, (ptrdiff_t)group, accordi_exact_of(&sum), g->how.rounding);
}

/* Numbers go to the place of their group, which moves on. */
static void sort_and_add(void *context, size_t item, int worker)
{
    (void)worker;
    const groups *g = context;
    range r = range_of(g, item);
    size_t size = (size_t)g->kind->size, from = g->first[r.first];
    for (size_t i = 0; i < g->n; i++)
        if (g->key[i] - r.first < r.count)
            memcpy(g->sorted + g->first[g->key[i]]++ * size,
                   accordi_exact_at(g->kind, g->x, (ptrdiff_t)i * g->stride), size);
    for (size_t group = r.first; group < r.first + r.count; group++) {
        add_group(g, group, g->sorted + from * size, g->first[group] - from);
        from = g->first[group];
    }
}

static enum accord_status add_many(groups *g, accord_error *error)
{
    int threads =
        accordi_exact_workers(accordi_exact_work(ACCORDI_EXACT_KEY_COST, g->n, 1), g->how.threads);
    g->first = accordi_calloc(g->count, sizeof *g->first);
    g->sorted = accordi_alloc(g->n, (size_t)g->kind->size);
    if (!g->first || !g->sorted) {
        free(g->first);
        free(g->sorted);
        return accordi_nomem(error);
    }
    g->share = (g->count - 1) / (size_t)threads + 1;
    size_t ranges = (g->count - 1) / g->share + 1, before = 0;
    accordi_parallel(ranges, threads, count_keys, g);
    for (size_t group = 0; group < g->count; group++) {
        size_t count = g->first[group];
        g->first[group] = before;
        before += count;
    }
    accordi_parallel(ranges, threads, sort_and_add, g);
    free(g->first);
    free(g->sorted);
    return ACCORD_OK;
}

static enum accord_status add_groups(groups *g, const accord_exact_options *options,
                                     accord_error *error)
{
    enum accord_status status = accordi_exact_prepare((g->x && g->key) || !g->n,
                                                      g->out || !g->count, options, &g->how, error);
    if (status)
        return status;
    for (size_t i = 0; i < g->n; i++)
        if (g->key[i] >= g->count)
            return accordi_fail(error, ACCORD_ARG,
                                "key[%zu] is %zu, but there are %zu groups; keys count from 0", i,
                                g->key[i], g->count);
    if (!g->count)
        return ACCORD_OK;
    return g->count <= FEW ? add_few(g, error) : add_many(g, error);
}

#define GROUP(suffix_, number_)                                                                    \
    enum accord_status accord_group_sum_exact_##suffix_(                                           \
        size_t n, const number_ *x, ptrdiff_t stride, const size_t *key, size_t groups_,           \
        const accord_exact_options *options, number_ *out, accord_error *error)                    \
    {                                                                                              \
        groups g = {.kind = &accordi_exact_##suffix_,                                              \
                    .n = n,                                                                        \
                    .count = groups_,                                                              \
                    .x = x,                                                                        \
                    .stride = stride,                                                              \
                    .key = key,                                                                    \
                    .out = out};                                                                   \
        return add_groups(&g, options, error);                                                     \
    }

GROUP(f64, double)
GROUP(f32, float)
