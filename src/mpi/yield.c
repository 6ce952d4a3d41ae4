/* MPICH waits in a loop that never gives up its processor. Where ranks outnumber processors each
 * turn then costs a time slice, and a thousand calls minutes. UCX, below it, is called in that
 * loop: the call passes through here. Nobody comes by under an MPI without UCX.
 *
 * Ranks that yield alone still stand in each other's way, and in that of accord, which works between
 * the calls: on two processors the reveal of 6 ranks takes 7.4 s with yielding, and 1.3 s where they
 * sleep. Others than MPICH's launcher do not tell how many ranks share the machine; then they yield. */
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

/* To fall asleep and wake takes about 6 us of a processor: so long a sleep of each rank that all
 * which wait take at most one. */
enum { NANOSECONDS_PER_RANK = 6000 };

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker);

/* How long a rank that waits sleeps; 0: it has a processor of its own. */
static long nanoseconds_of_sleep(void)
{
    const char *said = getenv("MPI_LOCALNRANKS");
    long ranks = said ? strtol(said, NULL, 10) : 0;
    cpu_set_t processors;
    if (ranks <= 0 || ranks > 4096 || sched_getaffinity(0, sizeof processors, &processors) != 0 ||
        ranks <= CPU_COUNT(&processors))
        return 0;
    prctl(PR_SET_TIMERSLACK, 1UL); /* sleeps are 50 us longer without */
    return ranks * NANOSECONDS_PER_RANK;
}

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    static struct timespec sleep;
    if (!real) {
        sleep.tv_nsec = nanoseconds_of_sleep();
        *(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
    }
    unsigned progress = real(worker);
    if (!progress && sleep.tv_nsec)
        nanosleep(&sleep, NULL);
    else if (!progress)
        sched_yield();
    return progress;
}
