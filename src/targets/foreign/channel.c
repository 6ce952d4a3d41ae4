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

double accordi_bell_spin(void)
{
    cpu_set_t mine;
    bool alone = sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_COUNT(&mine) < 2;
    return alone ? 0 : 30e-6;
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

bool accordi_bell_wait(accordi_bell *bell, uint32_t seen, double spin, double seconds)
{
    if (spin > 0) {
        double until = accordi_now() + spin;
        do {
            for (int i = 0; i < 32; i++) {
                if (rung(bell, seen))
                    return true;
                breathe();
            }
            sched_yield(); /* the other process may need this CPU to ring */
        } while (accordi_now() < until);
    }
    struct timespec limit = {.tv_sec = (time_t)seconds,
                             .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    atomic_store(&bell->sleeps, 1);
    if (atomic_load(&bell->count) == seen)
        syscall(SYS_futex, (uint32_t *)&bell->count, FUTEX_WAIT, seen, &limit, NULL, 0);
    atomic_store(&bell->sleeps, 0);
    return rung(bell, seen);
}
