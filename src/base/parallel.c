/* Runs parts of a task on several threads. */
#include "base/parallel.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

typedef struct crew {
    size_t items;
    accordi_work *work;
    void *context;
    atomic_size_t next;
    atomic_int workers;
} crew;

static int processors(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more than a cpu_set_t holds, or no Linux */
    return online < 1 ? 1 : online > ACCORDI_THREADS ? ACCORDI_THREADS : (int)online;
}

int accordi_threads(int wanted)
{
    int threads = wanted > 0 ? wanted : processors();
    return threads < ACCORDI_THREADS ? threads : ACCORDI_THREADS;
}

static void *work_on(void *context)
{
    crew *c = context;
    int worker = atomic_fetch_add(&c->workers, 1);
    for (size_t item; (item = atomic_fetch_add(&c->next, 1)) < c->items;)
        c->work(c->context, item, worker);
    return NULL;
}

/* Threads inherit the mask of signals. */
static int start_threads(crew *c, pthread_t *thread, int wanted)
{
    sigset_t all, before;
    int started = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < wanted && pthread_create(thread + started, NULL, work_on, c) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void accordi_parallel(size_t items, int threads, accordi_work *work, void *context)
{
    crew c = {.items = items, .work = work, .context = context};
    pthread_t thread[ACCORDI_THREADS];
    int wanted = threads < ACCORDI_THREADS ? threads : ACCORDI_THREADS;
    if ((size_t)wanted > items)
        wanted = (int)items;
    int started = wanted > 1 ? start_threads(&c, thread, wanted - 1) : 0;
    work_on(&c);
    while (started)
        pthread_join(thread[--started], NULL);
}

typedef struct side {
    accordi_work *work;
    void *context;
} side;

static void *work_beside(void *context)
{
    side *s = context;
    s->work(s->context, 1, 1);
    return NULL;
}

void accordi_both(accordi_work *own, accordi_work *other, void *context)
{
    side s = {other, context};
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, work_beside, &s) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    own(context, 0, 0);
    if (started)
        pthread_join(thread, NULL);
    else
        work_beside(&s);
}
