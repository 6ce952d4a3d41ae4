/* The shared memory and the two doorbells between accord and its worker process.
 *
 * Doorbells: a waiter sets `sleeps` before it reads the count for the last time, and a ringer reads
 * `sleeps` after it has increased the count. Both are sequentially consistent, so no ring is lost.
 */
#include "targets/foreign/channel.h"
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void breathe(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

void accordi_spin_init(accordi_spin *spin)
{
    cpu_set_t mine;
    bool alone = sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_COUNT(&mine) < 2;
    *spin = (accordi_spin){.seconds = alone ? 0 : 30e-6};
}

void accordi_bell_ring(accordi_bell *bell)
{
    atomic_fetch_add(&bell->count, 1);
    if (atomic_load(&bell->sleeps))
        syscall(SYS_futex, (uint32_t *)&bell->count, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static bool rung(accordi_bell *bell, uint32_t seen)
{
    return atomic_load_explicit(&bell->count, memory_order_acquire) != seen;
}

/* Whoever rings may need this CPU, and yielding it may cost a time slice where others compute; so a
 * waiter that spun in vain sleeps at once the next times, twice as often after each miss. */
static bool spin_until_rung(accordi_bell *bell, uint32_t seen, accordi_spin *spin)
{
    enum { LOOPS = 32, MOST_SLEEPS = 31 };
    if (spin->seconds == 0)
        return false;
    if (spin->sleeps > 0) {
        spin->sleeps--;
        return false;
    }
    double until = accordi_now() + spin->seconds;
    do
        for (int i = 0; i < LOOPS; i++) {
            if (rung(bell, seen)) {
                spin->missed = 0;
                return true;
            }
            breathe();
        }
    while (accordi_now() < until);
    spin->missed = spin->missed < MOST_SLEEPS ? 2 * spin->missed + 1 : MOST_SLEEPS;
    spin->sleeps = spin->missed;
    return false;
}

bool accordi_bell_wait(accordi_bell *bell, uint32_t seen, accordi_spin *spin, double seconds)
{
    if (spin && spin_until_rung(bell, seen, spin))
        return true;
    struct timespec limit = {.tv_sec = (time_t)seconds,
                             .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    atomic_store(&bell->sleeps, 1);
    if (atomic_load(&bell->count) == seen)
        syscall(SYS_futex, (uint32_t *)&bell->count, FUTEX_WAIT, seen, &limit, NULL, 0);
    atomic_store(&bell->sleeps, 0);
    return rung(bell, seen);
}
