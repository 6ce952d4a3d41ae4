/* accord-worker: the process in which foreign code runs. It is started by accord, gets three
 * memory files (see channel.h), answers batches until it is killed, and writes nothing else. */
#include "targets/foreign/channel.h"
#include "targets/foreign/guard_pages.h"
#include <sys/mman.h>
#include <sys/stat.h>

typedef struct mapping {
    int fd;
    void *data;
    size_t bytes;
} mapping;

/* The other side grows its files; this side follows. */
static bool follow(mapping *m, uint64_t bytes)
{
    if (bytes <= m->bytes)
        return true;
    if (m->data)
        munmap(m->data, m->bytes);
    m->bytes = 0;
    m->data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
    if (m->data == MAP_FAILED) {
        m->data = NULL;
        return false;
    }
    m->bytes = bytes;
    return true;
}

static void *at(const accordi_place *place, mapping *plan, mapping *arena)
{
    char *base = place->in_arena ? arena->data : plan->data;
    return place->bytes ? base + place->offset : NULL;
}

/* What is allocated from here on lies that much further on. It is never freed. */
static bool move_heap(int64_t bytes)
{
    static void *volatile gap;
    gap = bytes > 0 ? accordi_alloc((size_t)bytes, 1) : NULL;
    return bytes == 0 || gap;
}

/* The library of the question before stays loaded while that of the next one is opened. */
static enum accord_status open_worker(accordi_control *control, accordi_foreign *foreign)
{
    accordi_foreign next = {0};
    if (!move_heap(control->question.heap))
        return accordi_nomem(&control->error);
    enum accord_status status =
        accordi_foreign_open(&next, &control->question, &control->facts, &control->error);
    if (status)
        return status;
    accordi_foreign_close(foreign);
    *foreign = next;
    return ACCORD_OK;
}

static enum accord_status run_worker_batch(accordi_control *control, mapping *plan, mapping *arena,
                                           accordi_foreign *foreign, accord_error *error)
{
    void *p[ACCORDI_PLACES];
    if (!follow(plan, control->plan_bytes) || !follow(arena, control->arena_bytes))
        return accordi_nomem(error);
    for (size_t i = 0; i < ACCORDI_PLACES; i++)
        p[i] = at(&control->places[i], plan, arena);
    double *result = p[ACCORDI_AT_RESULT];
    foreign->question.alpha = control->question.alpha;
    foreign->question.beta = control->question.beta;
    if (control->verb == ACCORDI_VERB_EXAMINE) {
        accord_outside_access *found = &control->memory;
        accordi_foreign_examine(foreign, &control->done, found);
        if (!found->reads && !found->writes && !found->writes_input)
            accordi_guard_examine(foreign, &control->done, found);
        return ACCORD_OK;
    }
    if (control->verb == ACCORDI_VERB_GRID) {
        accord_grid grid = {
            .a = p[ACCORDI_AT_FIRST], .b = p[ACCORDI_AT_SECOND], .c = p[ACCORDI_AT_THIRD]};
        return accordi_foreign_grid(foreign, &grid, result, &control->done, &control->seconds,
                                    error);
    }
    accord_batch batch = {.probes = control->probes,
                          .fill = control->fill,
                          .start = p[ACCORDI_AT_START],
                          .index = p[ACCORDI_AT_INDEX],
                          .value = p[ACCORDI_AT_VALUE],
                          .dense = p[ACCORDI_AT_FIRST],
                          .second = control->second,
                          .dense_second = p[ACCORDI_AT_SECOND],
                          .scale_first = p[ACCORDI_AT_SCALE_FIRST],
                          .scale_second = p[ACCORDI_AT_SCALE_SECOND]};
    return accordi_foreign_run(foreign, &batch, result, &control->done, &control->seconds, error);
}

static accordi_control *control_block(void)
{
    struct stat file;
    if (fstat(ACCORDI_FD_CONTROL, &file) != 0 || file.st_size < (off_t)sizeof(accordi_control))
        return NULL;
    accordi_control *control =
        mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, ACCORDI_FD_CONTROL, 0);
    if (control == MAP_FAILED || control->magic != ACCORDI_CHANNEL_MAGIC ||
        control->size != sizeof *control)
        return NULL;
    return control;
}

int main(void)
{
    accordi_control *control = control_block();
    if (!control) {
        fprintf(stderr,
                "accord-worker: this program is an internal part of accord; run accord instead\n");
        return 2;
    }
    mapping plan = {.fd = ACCORDI_FD_PLAN}, arena = {.fd = ACCORDI_FD_ARENA};
    accordi_foreign foreign = {0};
    accordi_spin spin;
    accordi_spin_init(&spin);
    for (uint32_t served = 0;; served++) {
        while (!accordi_bell_wait(&control->request, served, &spin, 3600))
            ;
        if (control->verb == ACCORDI_VERB_OPEN)
            control->status = open_worker(control, &foreign);
        else
            control->status = run_worker_batch(control, &plan, &arena, &foreign, &control->error);
        accordi_bell_ring(&control->reply);
    }
}
