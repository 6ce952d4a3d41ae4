/* Sums on threads.
 *
 * Idea: exact sums may be cut anywhere. With many tiles each thread takes whole tiles; with few the
 * tiles are done one after the other, and their terms are cut into ranges, which the threads add
 * into accumulators of their own; these are merged. Which thread took what leaves no trace: the
 * merged sum is the same number, and it is rounded once. */
#include "base/parallel.h"
#include "exact/routines/routines.h"

enum {
    LINE = 64,   /* threads share no cache line */
    LOCAL = 4,   /* wide accumulators: a short sum needs no heap */
    SHARES = 4,  /* ranges a thread, so that a slow thread does less */
    ROUND = 1024 /* ranges begin at multiples */
};

typedef struct run {
    const accordi_exact_task *task;
    const void *context;
    char *memory; /* for each worker its bank, then its scratch */
    size_t bank_bytes, worker_bytes;
    size_t tile, range; /* of the tile that is being cut */
} run;

static size_t round_up(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static accordi_exact_bank bank_of(const run *r, int worker)
{
    return (accordi_exact_bank){r->memory + (size_t)worker * r->worker_bytes, r->task->wide};
}

static void *scratch_of(const run *r, int worker)
{
    return r->memory + (size_t)worker * r->worker_bytes + r->bank_bytes;
}

static void do_tile(void *context, size_t tile, int worker)
{
    const run *r = context;
    accordi_exact_bank bank = bank_of(r, worker);
    memset(bank.at, 0, r->bank_bytes);
    if (r->task->length)
        r->task->add(r->context, tile, 0, r->task->length, bank, scratch_of(r, worker));
    if (r->task->finish)
        r->task->finish(r->context, tile, bank);
}

static void do_range(void *context, size_t range, int worker)
{
    const run *r = context;
    size_t from = range * r->range, left = r->task->length - from;
    size_t to = from + (left < r->range ? left : r->range);
    r->task->add(r->context, r->tile, from, to, bank_of(r, worker), scratch_of(r, worker));
}

/* Never past a limit: that takes 2^62 terms. */
static void merge_workers(const run *r, int workers)
{
    for (int w = 1; w < workers; w++)
        for (size_t s = 0; s < r->task->sums; s++)
            accordi_exact_merge(accordi_exact_of_bank(bank_of(r, 0), s),
                                accordi_exact_of_bank(bank_of(r, w), s), false, NULL);
}

static void cut_tiles(run *r, int workers)
{
    size_t length = r->task->length, share = length / ((size_t)workers * SHARES) + 1;
    r->range = (share + ROUND - 1) / ROUND * ROUND;
    for (r->tile = 0; r->tile < r->task->tiles; r->tile++) {
        for (int w = 0; w < workers; w++)
            memset(bank_of(r, w).at, 0, r->bank_bytes);
        accordi_parallel((length - 1) / r->range + 1, workers, do_range, r);
        merge_workers(r, workers);
        r->task->finish(r->context, r->tile, bank_of(r, 0));
    }
}

size_t accordi_exact_work(size_t cost, size_t m, size_t n)
{
    size_t terms, work;
    bool over = __builtin_mul_overflow(m, n, &terms) || __builtin_mul_overflow(cost, terms, &work);
    return over ? SIZE_MAX : work;
}

int accordi_exact_workers(size_t work, int wanted)
{
    size_t worth = work / ACCORDI_EXACT_GRAIN;
    if (worth < 2)
        return 1;
    int threads = accordi_exact_threads(wanted);
    return worth < (size_t)threads ? (int)worth : threads;
}

/* Few tiles, each with enough for all. */
static bool are_cut(const accordi_exact_task *task, int workers)
{
    return workers > 1 && task->tiles && !task->whole && task->tiles < (size_t)workers * SHARES &&
           task->work / task->tiles / (size_t)workers >= ACCORDI_EXACT_GRAIN;
}

enum accord_status accordi_exact_run(const accordi_exact_task *task, const void *context,
                                     int threads, accord_error *error)
{
    size_t each = task->wide ? sizeof(accord_exact_wide) : sizeof(accord_exact);
    int workers = accordi_exact_workers(task->work, threads);
    bool cut = are_cut(task, workers);
    if (!cut && (size_t)workers > task->tiles)
        workers = task->tiles ? (int)task->tiles : 1;
    if (task->sums > (SIZE_MAX / 2 - task->scratch) / (each + LINE))
        return accordi_nomem(error);
    size_t bank = round_up(task->sums * each), one = bank + round_up(task->scratch);
    _Alignas(LINE) accord_exact_wide local[LOCAL];
    run r = {task, context, (char *)local, bank, one, 0, 0};
    char *heap = NULL;
    if (workers > 1 || one > sizeof local) {
        if (one > SIZE_MAX / 2 / (size_t)workers)
            return accordi_nomem(error);
        heap = aligned_alloc(LINE, one * (size_t)workers);
        if (!heap)
            return accordi_nomem(error);
        r.memory = heap;
    }
    if (cut)
        cut_tiles(&r, workers);
    else
        accordi_parallel(task->tiles, workers, do_tile, &r);
    free(heap);
    return ACCORD_OK;
}
