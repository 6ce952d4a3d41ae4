/* Work on threads: every item once, no two calls of a worker at the same time, fewer threads where
 * there are no more. */
#include "base/parallel.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ITEMS = 3000, WORKERS = 16 };

typedef struct record {
    atomic_int done[ITEMS], busy[WORKERS];
    atomic_int wrong, signals_open;
    int threads;
    pthread_t caller;
} record;

static void work(void *context, size_t item, int worker)
{
    record *r = context;
    if (worker < 0 || worker >= r->threads || atomic_fetch_add(&r->busy[worker], 1) != 0)
        atomic_fetch_add(&r->wrong, 1);
    atomic_fetch_add(&r->done[item], 1);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (!pthread_equal(pthread_self(), r->caller) && !sigismember(&mask, SIGTERM))
        atomic_fetch_add(&r->signals_open, 1);
    for (volatile int spin = 0; spin < 200; spin++)
        ;
    atomic_fetch_sub(&r->busy[worker], 1);
}

static void check(size_t items, int threads)
{
    static record r;
    memset(&r, 0, sizeof r);
    r.threads = threads < 1 ? 1 : threads;
    r.caller = pthread_self();
    accordi_parallel(items, threads, work, &r);
    assert_int_equal(r.wrong, 0);
    assert_int_equal(r.signals_open, 0);
    for (size_t i = 0; i < ITEMS; i++)
        assert_int_equal(r.done[i], i < items);
}

static void test_each_once(void **state)
{
    (void)state;
    static const size_t items[] = {0, 1, 2, 3, 15, 16, 17, ITEMS};
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        for (int threads = 0; threads <= WORKERS; threads++)
            check(items[i], threads);
}

static void *nothing(void *context)
{
    return context;
}

static void test_signals(void **state)
{
    (void)state;
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    check(ITEMS, 4);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int s = 1; s < 32; s++)
        assert_int_equal(sigismember(&before, s), sigismember(&after, s));
}

/* Threads want a stack; where the default is more than there is, none can be started. */
static void test_no_threads(void **state)
{
    (void)state;
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    pthread_attr_t usual, huge;
    assert_int_equal(pthread_getattr_default_np(&usual), 0);
    pthread_attr_init(&huge);
    if (pthread_attr_setstacksize(&huge, (size_t)1 << 50) || pthread_setattr_default_np(&huge))
        skip();
    pthread_t thread;
    int refused = pthread_create(&thread, NULL, nothing, NULL);
    check(ITEMS, 4);
    pthread_setattr_default_np(&usual);
    pthread_attr_destroy(&huge);
    pthread_attr_destroy(&usual);
    assert_int_equal(refused, EAGAIN);
    check(ITEMS, 4);
#else
    skip();
#endif
}

static void test_counts(void **state)
{
    (void)state;
    assert_int_equal(accordi_threads(1), 1);
    assert_int_equal(accordi_threads(7), 7);
    assert_int_equal(accordi_threads(1000000), ACCORDI_THREADS);
    assert_true(accordi_threads(0) >= 1);
#ifdef __linux__
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(accordi_threads(0), CPU_COUNT(&before));
    int first = 0;
    while (!CPU_ISSET(first, &before))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    int found = accordi_threads(0);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_int_equal(found, 1);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_once),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_no_threads),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
