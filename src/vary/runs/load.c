/* Busy processors: other work changes when threads get their turn, and so the order in which they
 * add. The threads share nothing with the caller but one flag. */
#include "vary/runs/runs.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

struct accordi_load {
    atomic_bool stop;
    size_t threads;
    pthread_t thread[ACCORDI_LOAD];
};

static void *keep_busy(void *context)
{
    accordi_load *load = context;
    volatile double sum = 0;
    while (!atomic_load_explicit(&load->stop, memory_order_relaxed))
        for (int i = 0; i < 1000; i++)
            sum = sum * .5 + i;
    return NULL;
}

enum accord_status accordi_load_start(size_t threads, accordi_load **out, accord_error *error)
{
    sigset_t all, before;
    *out = NULL;
    if (!threads)
        return ACCORD_OK;
    accordi_load *load = accordi_calloc(1, sizeof *load);
    if (!load)
        return accordi_nomem(error);
    sigfillset(&all); /* signals are the caller's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (load->threads < threads && load->threads < ACCORDI_LOAD &&
           pthread_create(&load->thread[load->threads], NULL, keep_busy, load) == 0)
        load->threads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (load->threads == threads) {
        *out = load;
        return ACCORD_OK;
    }
    size_t started = load->threads;
    accordi_load_stop(load);
    return accordi_fail(error, ACCORD_NOMEM,
                        "the system gives only %zu of %zu threads of load; ask for fewer", started,
                        threads);
}

void accordi_load_stop(accordi_load *load)
{
    if (!load)
        return;
    atomic_store(&load->stop, true);
    for (size_t i = 0; i < load->threads; i++)
        pthread_join(load->thread[i], NULL);
    free(load);
}
