/* Live runs on threads of this machine, as the kernels of the program run on a GPU.
 *
 * Each thread has a contiguous range of blocks, or of terms. Threads that are started one after the
 * other would hardly meet at the accumulator, so each waits a moment for the others. */
#include "base/parallel.h"
#include "vary/methods/methods.h"
#include <sched.h>
#include <stdatomic.h>

enum { DEFAULT_THREADS = 64, PATIENCE = 2000 };

typedef struct run {
    const accordi_shape *shape;
    const double *x;
    double *part;
    uint32_t *arrival; /* NULL: not asked for */
    int threads;
    atomic_int waiting;
    _Atomic uint64_t total;      /* the bits of the atomic sum */
    _Atomic uint32_t retirement; /* how many parts are ready */
    double result;
} run;

/* atomicAdd. Relaxed: the threads share nothing else, and are joined before the total is read. */
static void add_atomically(_Atomic uint64_t *total, double x)
{
    uint64_t before = atomic_load_explicit(total, memory_order_relaxed), after;
    do {
        double sum;
        memcpy(&sum, &before, sizeof sum);
        sum += x;
        memcpy(&after, &sum, sizeof after);
    } while (!atomic_compare_exchange_weak_explicit(total, &before, after, memory_order_relaxed,
                                                    memory_order_relaxed));
}

/* What a block does with its sum: adds it, or hands it over; who hands over the last one ends the
 * sum. The counter orders the writes of all parts before the reads of the last stage. */
static void retire(run *r, size_t b, double sum)
{
    enum accord_last_stage last = r->shape->method->last;
    if (last == ACCORD_LAST_ATOMIC) {
        add_atomically(&r->total, sum);
        if (r->arrival)
            r->arrival[atomic_fetch_add_explicit(&r->retirement, 1, memory_order_relaxed)] =
                (uint32_t)b;
        return;
    }
    r->part[b] = sum;
    if (last == ACCORD_LAST_HOST && !r->arrival)
        return;
    uint32_t turn = atomic_fetch_add_explicit(&r->retirement, 1, memory_order_acq_rel);
    if (r->arrival)
        r->arrival[turn] = (uint32_t)b;
    if (last != ACCORD_LAST_HOST && turn + 1 == r->shape->parts)
        r->result = accordi_reduction_end(r->shape, r->part, NULL);
}

static void work(void *context, size_t item, int worker)
{
    run *r = context;
    size_t parts = r->shape->parts, threads = (size_t)r->threads;
    (void)worker;
    atomic_fetch_add(&r->waiting, 1);
    for (int i = 0; i < PATIENCE && atomic_load(&r->waiting) < r->threads; i++)
        sched_yield();
    for (size_t b = parts * item / threads; b < parts * (item + 1) / threads; b++)
        retire(r, b, accordi_reduction_part(r->shape, r->x, b));
}

static double run_once(run *r)
{
    double total;
    atomic_store(&r->waiting, 0);
    atomic_store(&r->total, 0);
    atomic_store(&r->retirement, 0);
    accordi_parallel((size_t)r->threads, r->threads, work, r);
    if (r->shape->method->last == ACCORD_LAST_HOST)
        r->result = accordi_reduction_end(r->shape, r->part, NULL);
    uint64_t bits = atomic_load(&r->total);
    memcpy(&total, &bits, sizeof total);
    return accordi_canonical_nan(r->shape->method->last == ACCORD_LAST_ATOMIC ? total : r->result);
}

static enum accord_status run_all(const accord_reduction *reduction, const double *x,
                                  const accord_sampling *sampling, double *result,
                                  uint32_t *arrival, accord_error *error)
{
    accordi_shape shape;
    accord_sampling full;
    enum accord_status status = accordi_shape_of(reduction, &shape, error);
    if (!status)
        status = ACCORDI_TAKE(accord_sampling, threads, &full, sampling, error);
    if (status)
        return status;
    int threads = accordi_threads(full.threads > 0 ? full.threads : DEFAULT_THREADS);
    if ((size_t)threads > shape.parts)
        threads = (int)shape.parts;
    run r = {.shape = &shape, .x = x, .threads = threads};
    r.part =
        accordi_alloc(shape.method->last == ACCORD_LAST_ATOMIC ? 0 : shape.parts, sizeof *r.part);
    if (!r.part)
        return accordi_nomem(error);
    for (size_t i = 0; i < full.samples; i++) {
        r.arrival = arrival ? arrival + i * shape.parts : NULL;
        double sum = run_once(&r);
        if (result)
            result[i] = sum;
    }
    free(r.part);
    return ACCORD_OK;
}

const accord_method_device accordi_live_threads = {
    .name = "threads",
    .about = "live runs on threads of this machine",
    .run = run_all,
};
