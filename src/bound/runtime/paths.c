/* Other paths: what the program would have done if an unstable decision had gone another way.
 *
 * At such a decision a copy of the process is made, which waits. When the path that it left has
 * ended, its copies take their turns, and each goes on from its decision with another result; it
 * has the same shadows, so what it computes is bounded as well. It may make copies in turn. Only
 * one process runs at a time. A copy can write nowhere but to the raw report, where its records
 * follow those of the path before (repeat.c). */
#include "bound/runtime/paths.h"
#include "bound/runtime/records.h"
#include "bound/runtime/repeat.h"
#include <limits.h>
#include <linux/futex.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PATHS = 1000, MOST_INTEGERS = 16 };

/* Seen by all processes. */
typedef struct shared {
    uint32_t turn;  /* of the path that goes on */
    uint32_t count; /* of paths beside the run */
} shared;
static shared *common;

static uint32_t self;                 /* the path of this process; 0: the run */
static pid_t process[MOST_PATHS + 1]; /* of the paths that this process left */
static uint64_t left_open;

/* The decision before accordi_turn. */
static struct {
    uint32_t site;
    bool branch;
    double low, high;
} now;

uint32_t accordi_is_open;

bool accordi_is_first_path(void)
{
    return self == 0;
}

uint64_t accordi_paths_left_open(void)
{
    return left_open;
}

void accordi_left_open(void)
{
    left_open++;
}

/* ---- a copy of the process ---- */

static uint32_t limit(void)
{
    const char *text = getenv("ACCORD_BOUND_BOTH");
    unsigned long n = text ? strtoul(text, NULL, 10) : 0;
    return n > MOST_PATHS ? MOST_PATHS : (uint32_t)n;
}

static bool have_room(void)
{
    if (!common) {
        void *p =
            mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_SHARED, -1, 0);
        common = p == MAP_FAILED ? NULL : p;
        accordi_repeat_own(common);
    }
    return common && common->count < limit();
}

/* A path that goes astray, as its numbers need not fit its decisions, ends after ten times the time
 * of the run. */
static unsigned seconds;
static unsigned seconds_for_a_path(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return 2 + 10 * (unsigned)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1);
}

/* Returns when it is the turn of this path. */
static void wait_for_turn(uint32_t id, const sigset_t *mask)
{
    uint32_t seen;
    while ((seen = __atomic_load_n(&common->turn, __ATOMIC_ACQUIRE)) != id)
        syscall(SYS_futex, &common->turn, FUTEX_WAIT, seen, NULL, NULL, 0);
    accordi_tape_stop("first-order spreads are those of the run");
    if (!accordi_repeat_safely(seconds))
        _exit(1);
    accordi_start_path(id, self, now.site);
    for (uint32_t i = 1; i <= MOST_PATHS; i++)
        process[i] = 0;
    self = id;
    left_open = 0;
    sigprocmask(SIG_SETMASK, mask, NULL);
}

/* Is this the copy? *good becomes false if there is none. */
static bool copy_process(bool *good)
{
    sigset_t all, mask;
    pid_t parent = getpid();
    uint32_t id = common->count + 1;
    if (self == 0)
        seconds = seconds_for_a_path();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    accordi_repeat_remember();
    /* Like fork, but the program does not see the process when it waits for its own. */
    pid_t p = (pid_t)syscall(SYS_clone, 0UL, NULL, NULL, NULL, 0UL);
    if (p == 0) {
        accordi_repeat_die_with(parent);
        wait_for_turn(id, &mask);
        return true;
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (p > 0)
        process[common->count = id] = p;
    else
        *good = false;
    return false;
}

void accordi_paths_follow(void)
{
    for (uint32_t id = 1; common && id <= MOST_PATHS; id++) {
        int status = 0;
        if (process[id] <= 0)
            continue;
        __atomic_store_n(&common->turn, id, __ATOMIC_RELEASE);
        syscall(SYS_futex, &common->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
        pid_t p = waitpid(process[id], &status, __WCLONE);
        process[id] = 0;
        accordi_put_fate(id, p > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
}

/* ---- decisions ---- */

void accordi_open_branch(uint32_t site)
{
    now.site = site;
    now.branch = true;
    accordi_is_open = accordi_both;
}

void accordi_open_integers(uint32_t site, double low, double high)
{
    now.site = site;
    now.branch = false;
    now.low = trunc(low);
    now.high = trunc(high);
    accordi_is_open = accordi_both;
}

/* Makes a copy for another result; true in the copy. */
static bool leave(bool *all)
{
    if (have_room())
        return copy_process(all);
    *all = false;
    return false;
}

/* The decision came out as `result`. */
int64_t accordi_take_turn(int64_t result)
{
    bool all = now.branch || (now.high - now.low <= MOST_INTEGERS && fabs(now.low) < 0x1p62);
    accordi_is_open = 0;
    if (accordi_is_muted() || !all)
        return result;
    if (now.branch && leave(&all))
        return !result;
    for (double x = now.low; !now.branch && x <= now.high; x++)
        if ((int64_t)x != result && leave(&all))
            return (int64_t)x;
    left_open -= all;
    return result;
}
