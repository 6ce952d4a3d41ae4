/* The doorbells between accord and its worker process: no ring is lost, whether the one who waits
 * is awake or asleep, and one who stayed awake in vain sleeps sooner the next times. */
#include "base/parallel.h"
#include "targets/foreign/channel.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ROUNDS = 20000 };

typedef struct exchange {
    accordi_bell there, back;
    atomic_size_t lost;
} exchange;

/* Two sides answer each other; each waits for the other's next ring. */
static void take_turns(void *context, size_t side, int worker)
{
    exchange *e = context;
    accordi_bell *mine = side ? &e->there : &e->back, *other = side ? &e->back : &e->there;
    accordi_spin spin;
    (void)worker;
    accordi_spin_init(&spin);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (!side)
            accordi_bell_ring(other);
        /* some waits sleep at once, as after a long call */
        accordi_spin *how = round % 7 == 3 ? NULL : &spin;
        size_t patience = 0;
        while (!accordi_bell_wait(mine, round, how, 1) && patience++ < 60)
            ;
        if (patience > 60) {
            atomic_fetch_add(&e->lost, 1);
            return;
        }
        if (side)
            accordi_bell_ring(other);
    }
}

static void test_no_ring_is_lost(void **state)
{
    static exchange e;
    (void)state;
    accordi_parallel(2, 2, take_turns, &e);
    assert_int_equal(e.lost, 0);
    assert_int_equal(e.there.count, ROUNDS);
    assert_int_equal(e.back.count, ROUNDS);
}

static void test_waits_in_vain(void **state)
{
    static const uint32_t missed[] = {1, 3, 7, 15, 31, 31};
    accordi_bell bell = {.count = 5};
    accordi_spin spin = {.seconds = 1e-6};
    (void)state;
    for (size_t i = 0; i < sizeof missed / sizeof *missed; i++) {
        assert_false(accordi_bell_wait(&bell, 5, &spin, 1e-6));
        assert_int_equal(spin.missed, missed[i]);
        for (uint32_t left = missed[i]; left > 0; left--) {
            assert_int_equal(spin.sleeps, left);
            assert_false(accordi_bell_wait(&bell, 5, &spin, 1e-6));
        }
    }
    assert_true(accordi_bell_wait(&bell, 4, &spin, 1e-6)); /* found while awake */
    assert_int_equal(spin.missed, 0);
    assert_false(accordi_bell_wait(&bell, 5, NULL, 1e-6));
    assert_true(accordi_bell_wait(&bell, 4, NULL, 3600));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_ring_is_lost),
        cmocka_unit_test(test_waits_in_vain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
