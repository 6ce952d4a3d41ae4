/* Foreign code in a process of its own: found, started, ended. How it is asked: remote_ask.c. */
#include "targets/foreign/remote.h"
#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef ACCORD_LIBEXECDIR
#define ACCORD_LIBEXECDIR "/usr/local/libexec/accord"
#endif

/* ---- the worker's executable ---- */

static bool beside(char *path, size_t size, const char *object, const char *tail)
{
    const char *slash = strrchr(object, '/');
    int length = slash ? (int)(slash - object) + 1 : 0;
    int used = snprintf(path, size, "%.*s%s", length, object, tail);
    return slash && used > 0 && (size_t)used < size && access(path, X_OK) == 0;
}

/* By the environment, beside this program or library (as built, as installed), as configured. */
bool accordi_find_worker(const char *name, const char *variable, char *path, size_t size)
{
    static const char *const folders[] = {"",
                                          "src/",
                                          "../src/",
                                          "opencl/",
                                          "src/opencl/",
                                          "../src/opencl/",
                                          "mpi/",
                                          "src/mpi/",
                                          "../src/mpi/",
                                          "../libexec/accord/",
                                          "../../libexec/accord/"};
    const char *named = getenv(variable);
    static const char in_this_object = 0;
    char object[4096] = "";
    Dl_info info;
    if (named && *named) {
        snprintf(path, size, "%s", named);
        return true;
    }
    ssize_t length = readlink("/proc/self/exe", object, sizeof object - 1);
    object[length < 0 ? 0 : length] = '\0';
    bool have_info = dladdr(&in_this_object, &info) && info.dli_fname;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char tail[128];
        snprintf(tail, sizeof tail, "%s%s", folders[i], name);
        if (beside(path, size, object, tail) ||
            (have_info && beside(path, size, info.dli_fname, tail)))
            return true;
    }
    snprintf(path, size, "%s/%s", ACCORD_LIBEXECDIR, name);
    return access(path, X_OK) == 0;
}

/* ---- shared memory ---- */

static void unmap_memory(accordi_memory *m)
{
    if (m->data)
        munmap(m->data, m->bytes);
    if (m->fd >= 0)
        close(m->fd);
}

/* Memory that is given back stays mapped here and there, and is zero when it is used again. */
void *accordi_remote_arena(accordi_remote *r, size_t bytes)
{
    if (bytes == 0 && r->arena.data)
        madvise(r->arena.data, r->arena.bytes, MADV_REMOVE);
    return accordi_memory_grow(&r->arena, bytes) ? r->arena.data : NULL;
}

/* ---- life ---- */

static enum accord_status start_worker(accordi_remote *r, char *const *environment,
                                       accord_error *error)
{
    char path[4096];
    if (!accordi_find_worker("accord-worker", "ACCORD_WORKER", path, sizeof path))
        return accordi_fail(
            error, ACCORD_TARGET,
            "accord-worker, the program that runs foreign code, was not found: install accord "
            "completely, set ACCORD_WORKER to its path, or use --no-fork");
    accordi_memory *const memories[3] = {&r->control_memory, &r->plan, &r->arena};
    accordi_child_files files = {.in = -1, .out = -1, .count = 3, .environment = environment};
    for (size_t i = 0; i < 3; i++) {
        memories[i]->fd = memfd_create("accord", MFD_CLOEXEC);
        if (memories[i]->fd < 0)
            return accordi_fail(error, ACCORD_IO, "cannot create shared memory: %s; try --no-fork",
                                strerror(errno));
        files.others[i] = memories[i]->fd;
    }
    if (!accordi_memory_grow(&r->control_memory, sizeof *r->control))
        return accordi_nomem(error);
    r->control = r->control_memory.data;
    r->control->magic = ACCORDI_CHANNEL_MAGIC;
    r->control->size = sizeof *r->control;
    return accordi_child_start(&r->child, (char *[]){path, NULL}, &files, error);
}

enum accord_status accordi_remote_open(const accordi_question *question, double timeout,
                                       const accordi_remote *like, accordi_remote **out,
                                       accordi_facts *facts, accord_error *error)
{
    accordi_remote *r = accordi_calloc(1, sizeof *r);
    if (!r)
        return accordi_nomem(error);
    r->control_memory.fd = r->plan.fd = r->arena.fd = -1;
    r->timeout = timeout > 0 ? timeout : 30;
    accordi_spin_init(&r->spin);
    snprintf(r->name, sizeof r->name, "%.90s", question->symbol);
    char **environment = like ? accordi_child_environment(&like->child) : NULL;
    enum accord_status status = start_worker(r, environment, error);
    free(environment);
    if (status == ACCORD_OK) {
        r->control->question = *question;
        r->size = question->storage == ACCORDI_F64 ? sizeof(double) : sizeof(float);
        status = accordi_remote_ask(r, ACCORDI_VERB_OPEN, error);
    }
    if (status != ACCORD_OK) {
        accordi_remote_close(r);
        return status;
    }
    *facts = r->control->facts;
    *out = r;
    return ACCORD_OK;
}

enum accord_status accordi_remote_reopen(accordi_remote *r, const accordi_question *question,
                                         accordi_facts *facts, accord_error *error)
{
    if (r->dead)
        return accordi_fail(error, r->last.status, "%s", r->last.text);
    r->control->question = *question;
    enum accord_status status = accordi_remote_ask(r, ACCORDI_VERB_OPEN, &r->last);
    r->dead = status != ACCORD_OK;
    if (r->dead)
        return accordi_fail(error, status, "%s", r->last.text);
    *facts = r->control->facts;
    return ACCORD_OK;
}

void accordi_remote_close(accordi_remote *r)
{
    accordi_child_kill(&r->child);
    unmap_memory(&r->control_memory);
    unmap_memory(&r->plan);
    unmap_memory(&r->arena);
    free(r);
}
