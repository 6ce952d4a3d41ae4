/* Models that few inputs tell apart: which of them a box follows must be found, or said to be open.
 * The boxes are models drawn at random, asked through the interface of any target; what is revealed
 * of a box must give its bits on inputs of every drawn kind, or the box is refused. */
#include "base/base.h"
#include "trials.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Sums of -0 alone are -0 in these fused sums of values, other sums that come to 0 are +0: few
 * inputs of short sums are -0 alone. */
static void test_zeros_of_steps(void **state)
{
    (void)state;
    static const char *const notation[] = {"synthetic:star", "synthetic:fused:4",
                                           "synthetic:hopper-f16"};
    uint64_t seed = trials_seed();
    for (size_t t = 0; t < trials(24); t++) {
        accord_target_options how;
        accord_target *target = NULL;
        accord_record record;
        accord_error error = {.status = ACCORD_OK};
        accord_reveal_options options;
        accord_target_options_init(&how);
        how.n = 3 + t % 6;
        accord_reveal_options_init(&options);
        options.seed = seed + t;
        accord_record_init(&record);
        assert_int_equal(accord_target_open(notation[t % 3], &how, &target, &error), ACCORD_OK);
        enum accord_status status = accord_reveal(target, &options, &record, &error);
        if (status || !record.proven)
            printf("# %s, n %zu: %s\n", notation[t % 3], how.n, record.verdict);
        assert_int_equal(status, ACCORD_OK);
        assert_true(record.proven);
        assert_int_equal(record.arithmetic->negative_zero, t % 3 != 2);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zeros_of_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
