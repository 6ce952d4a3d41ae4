/* accord-worker: the process in which foreign code runs. It is started by accord, gets three
 * memory files (see channel.h), answers batches until it is killed, and never talks otherwise. */
#include "target/channel.h"
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

static enum accord_status run(accordi_control *control, mapping *plan, mapping *arena,
                              accordi_foreign *foreign, accord_error *error)
{
    if (!follow(plan, control->plan_bytes) || !follow(arena, control->arena_bytes))
        return accordi_nomem(error);
    size_t dense = control->is_dense && !control->in_arena ? control->probes * control->row : 0;
    accordi_plan at = accordi_plan_layout(control->probes, control->writes, dense);
    char *base = plan->data;
    accord_batch batch = {.probes = control->probes, .fill = control->fill};
    batch.start = (const uint32_t *)(void *)(base + at.start);
    batch.index = (const uint32_t *)(void *)(base + at.index);
    batch.value = (const double *)(void *)(base + at.value);
    if (control->is_dense)
        batch.dense = control->in_arena ? (char *)arena->data + control->offset : base + at.dense;
    return accordi_foreign_run(foreign, &batch, (double *)(void *)(base + at.result),
                               &control->done, &control->seconds, error);
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
        fprintf(stderr, "accord-worker: this is a part of accord (of one version with it): run "
                        "accord instead\n");
        return 2;
    }
    mapping plan = {.fd = ACCORDI_FD_PLAN}, arena = {.fd = ACCORDI_FD_ARENA};
    accordi_foreign foreign = {0};
    double spin = accordi_bell_spin();
    for (uint32_t served = 0;; served++) {
        while (!accordi_bell_wait(&control->request, served, spin, 3600))
            ;
        if (control->verb == ACCORDI_VERB_OPEN)
            control->status = accordi_foreign_open(&foreign, &control->question, &control->facts,
                                                   &control->error);
        else
            control->status = run(control, &plan, &arena, &foreign, &control->error);
        accordi_bell_ring(&control->reply);
    }
}
