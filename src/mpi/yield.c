/* Ranks poll while they wait. Where they outnumber processors, one that polls stands in the way of
 * those it waits for, and of accord, which works between the calls. So each sleeps between two
 * polls then. (Yielding is not enough: 6 ranks of MPICH on two processors were revealed in 7.4 s
 * with it, and are in 1.5 s with sleeps.)
 *
 * Open MPI is told to yield (mpi_yield_when_idle), and its call passes through here. MPICH polls in
 * a loop that never gives up its processor, and a thousand calls took minutes; UCX, below it, is
 * called in that loop, and that call passes through here, too. */
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* To fall asleep and wake takes about 6 us of a processor: each rank sleeps so long that all which
 * wait take at most one. */
enum { NANOSECONDS_PER_RANK = 6000, MOST_RANKS = 4096 };

#pragma GCC visibility push(default)
int sched_yield(void);
unsigned ucp_worker_progress(void *worker);
#pragma GCC visibility pop

/* Ranks on this machine, as the launchers of MPICH and of Open MPI say; 0: not known. */
static long ranks_here(void)
{
    const char *said = getenv("MPI_LOCALNRANKS");
    if (!said)
        said = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    long ranks = said ? strtol(said, NULL, 10) : 0;
    return ranks > 0 && ranks <= MOST_RANKS ? ranks : 0;
}

/* 0: there is a processor for each rank. */
static long nanoseconds_of_sleep(void)
{
    cpu_set_t processors;
    long ranks = ranks_here();
    if (sched_getaffinity(0, sizeof processors, &processors) != 0 ||
        ranks <= CPU_COUNT(&processors))
        return 0;
    prctl(PR_SET_TIMERSLACK, 1UL); /* sleeps are 50 us longer without */
    return ranks * NANOSECONDS_PER_RANK;
}

static struct timespec pause_of_polls;

__attribute__((constructor)) static void know_pause(void)
{
    pause_of_polls.tv_nsec = nanoseconds_of_sleep();
}

int sched_yield(void)
{
    return pause_of_polls.tv_nsec ? nanosleep(&pause_of_polls, NULL)
                                  : (int)syscall(SYS_sched_yield);
}

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned progress = real(worker);
    if (!progress)
        sched_yield();
    return progress;
}
