/* Questions to the worker process, through shared memory, and watching it while it answers. */
#include "targets/foreign/remote.h"
#include <sys/mman.h>
#include <unistd.h>

bool accordi_memory_grow(accordi_memory *m, size_t bytes)
{
    if (bytes <= m->bytes)
        return true;
    size_t wanted = 65536;
    while (wanted < bytes)
        wanted *= 2;
    if (ftruncate(m->fd, (off_t)wanted) != 0)
        return false;
    void *data = m->data ? mremap(m->data, m->bytes, wanted, MREMAP_MAYMOVE)
                         : mmap(NULL, wanted, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
    if (data == MAP_FAILED)
        return false;
    m->data = data;
    m->bytes = wanted;
    return true;
}

static enum accord_status died(accordi_remote *r, accord_error *error)
{
    char fate[160];
    uint32_t done = atomic_load(&r->control->done);
    accordi_child_fate(&r->child, fate, sizeof fate);
    if (r->control->verb == ACCORDI_VERB_OPEN)
        return accordi_fail(error, ACCORD_TARGET,
                            "%s: the process that loaded it %s; check the library and the "
                            "environment (e.g. OPENBLAS_CORETYPE)",
                            r->name, fate);
    return accordi_fail(
        error, ACCORD_TARGET,
        "%s: its process %s at sum %u of a batch of %llu; run with --no-fork under a "
        "debugger to see where",
        r->name, fate, done + 1, (unsigned long long)r->control->probes);
}

static enum accord_status hung(accordi_remote *r, accord_error *error)
{
    accordi_child_kill(&r->child);
    return accordi_fail(error, ACCORD_TARGET,
                        "%s did not answer within %g s and was ended; raise --timeout if it needs "
                        "longer",
                        r->name, r->timeout);
}

/* Looks after the worker between short sleeps; the limit starts anew with each answer. */
static enum accord_status wait_reply(accordi_remote *r, uint32_t seen, accord_error *error)
{
    double nap = 0.001, until = accordi_now() + r->timeout;
    accordi_spin *spin = &r->spin;
    uint32_t done = 0;
    for (;;) {
        bool ended = nap > 0.001 && accordi_child_ended(&r->child);
        if (accordi_bell_wait(&r->control->reply, seen, spin, ended ? 0 : nap))
            return ACCORD_OK;
        if (ended)
            return died(r, error);
        double now = accordi_now();
        uint32_t progress = atomic_load_explicit(&r->control->done, memory_order_relaxed);
        if (progress != done)
            until = now + r->timeout;
        if (now >= until)
            return hung(r, error);
        done = progress;
        spin = NULL;
        nap = nap < 0.02 ? 2 * nap : nap;
    }
}

enum accord_status accordi_remote_ask(accordi_remote *r, uint32_t verb, accord_error *error)
{
    accordi_control *control = r->control;
    control->verb = verb;
    atomic_store_explicit(&control->done, 0, memory_order_relaxed);
    uint32_t seen = atomic_load(&control->reply.count);
    accordi_bell_ring(&control->request);
    enum accord_status status = wait_reply(r, seen, error);
    if (status == ACCORD_OK && control->status != ACCORD_OK) {
        control->error.text[sizeof control->error.text - 1] = '\0';
        return accordi_fail(error, control->status, "%s", control->error.text);
    }
    return status;
}

/* What goes over, in the order of places; the result comes back. */
typedef struct piece {
    const void *data;
    size_t bytes;
} piece;

static bool in_arena(const accordi_remote *r, const piece *p)
{
    size_t at = (size_t)((uintptr_t)p->data - (uintptr_t)r->arena.data);
    return r->arena.data && at < r->arena.bytes && p->bytes <= r->arena.bytes - at;
}

/* Gives every piece its place; what lies in the arena stays there, all else goes into the plan. */
static bool write_plan(accordi_remote *r, const piece pieces[ACCORDI_PLACES])
{
    accordi_control *control = r->control;
    size_t used = 0;
    for (size_t i = 0; i < ACCORDI_PLACES; i++) {
        bool there = pieces[i].bytes && in_arena(r, &pieces[i]);
        uint64_t offset = there ? (uintptr_t)pieces[i].data - (uintptr_t)r->arena.data : used;
        control->places[i] = (accordi_place){offset, pieces[i].bytes, there};
        used += there ? 0 : (pieces[i].bytes + 63) & ~(size_t)63;
    }
    if (!accordi_memory_grow(&r->plan, used))
        return false;
    for (size_t i = 0; i < ACCORDI_AT_RESULT; i++)
        if (pieces[i].bytes && !control->places[i].in_arena)
            memcpy((char *)r->plan.data + control->places[i].offset, pieces[i].data,
                   pieces[i].bytes);
    control->plan_bytes = r->plan.bytes;
    control->arena_bytes = r->arena.bytes;
    return true;
}

static enum accord_status exchange_with_worker(accordi_remote *r, uint32_t verb,
                                               const piece pieces[ACCORDI_PLACES], double *result,
                                               double *seconds, accord_error *error)
{
    if (r->dead)
        return accordi_fail(error, r->last.status, "%s", r->last.text);
    if (!write_plan(r, pieces))
        return accordi_nomem(error);
    accord_error own;
    enum accord_status status = accordi_remote_ask(r, verb, &own);
    const accordi_place *at = &r->control->places[ACCORDI_AT_RESULT];
    if (status == ACCORD_OK) {
        if (!at->in_arena)
            memcpy(result, (char *)r->plan.data + at->offset, at->bytes);
        *seconds = r->control->seconds;
        return ACCORD_OK;
    }
    r->dead = status == ACCORD_TARGET;
    r->last = own;
    return accordi_fail(error, own.status, "%s", own.text);
}

enum accord_status accordi_remote_run(accordi_remote *r, const accord_batch *batch, double *result,
                                      double *seconds, accord_error *error)
{
    size_t writes = accordi_batch_writes(batch);
    size_t rows = batch->probes * (size_t)r->control->question.terms * r->size;
    size_t scales = batch->probes * accordi_scale_count(&r->control->question) * sizeof(double);
    const piece pieces[ACCORDI_PLACES] = {
        [ACCORDI_AT_INDEX] = {batch->index, writes * sizeof(uint32_t)},
        [ACCORDI_AT_START] = {batch->start,
                              batch->dense ? 0 : (2 * batch->probes + 1) * sizeof(uint32_t)},
        [ACCORDI_AT_VALUE] = {batch->value, writes * sizeof(double)},
        [ACCORDI_AT_FIRST] = {batch->dense, batch->dense ? rows : 0},
        [ACCORDI_AT_SECOND] = {batch->dense_second, batch->dense_second ? rows : 0},
        [ACCORDI_AT_SCALE_FIRST] = {batch->scale_first, batch->scale_first ? scales : 0},
        [ACCORDI_AT_SCALE_SECOND] = {batch->scale_second, batch->scale_second ? scales : 0},
        [ACCORDI_AT_RESULT] = {result, batch->probes * sizeof *result},
    };
    r->control->probes = batch->probes;
    r->control->fill = batch->fill;
    r->control->second = batch->second;
    return exchange_with_worker(r, ACCORDI_VERB_RUN, pieces, result, seconds, error);
}

enum accord_status accordi_remote_grid(accordi_remote *r, const accord_grid *grid, double *result,
                                       double *seconds, accord_error *error)
{
    const accordi_question *q = &r->control->question;
    size_t m = (size_t)q->m, n = (size_t)q->n, k = (size_t)q->k;
    const piece pieces[ACCORDI_PLACES] = {
        [ACCORDI_AT_FIRST] = {grid->a, m * k * r->size},
        [ACCORDI_AT_SECOND] = {grid->b, grid->b ? n * k * r->size : 0},
        [ACCORDI_AT_THIRD] = {grid->c, grid->c && q->has_start ? m * n * r->size : 0},
        [ACCORDI_AT_RESULT] = {result, m * n * sizeof *result},
    };
    r->control->probes = 1;
    return exchange_with_worker(r, ACCORDI_VERB_GRID, pieces, result, seconds, error);
}

enum accord_status accordi_remote_examine(accordi_remote *r, accord_outside_access *out,
                                          accord_error *error)
{
    double none, seconds;
    const piece pieces[ACCORDI_PLACES] = {[ACCORDI_AT_RESULT] = {&none, sizeof none}};
    r->control->probes = 1;
    enum accord_status status =
        exchange_with_worker(r, ACCORDI_VERB_EXAMINE, pieces, &none, &seconds, error);
    if (status == ACCORD_OK)
        *out = r->control->memory;
    return status;
}

void accordi_remote_scale(accordi_remote *r, double alpha, double beta)
{
    r->control->question.alpha = alpha;
    r->control->question.beta = beta;
}
