/* Numbers in reports, against printf: all exponents, digits that end anywhere, special numbers. */
#include "base/base.h"
#include "bound/runtime/hexadecimal.h"
#include "trials.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void is_as_printed(double x)
{
    char own[ACCORDI_HEXADECIMAL_SIZE + 1], printed[64];
    *accordi_put_hexadecimal(own, x) = 0;
    snprintf(printed, sizeof printed, "%a", x);
    assert_string_equal(own, printed);
}

static void test_special(void **state)
{
    (void)state;
    const double x[] = {0,          1,
                        10,         0x1p-1074,
                        0x1p-1022,  0x1.fffffffffffffp-1023,
                        0x1.8p1023, INFINITY,
                        NAN,        0x1.fffffffffffffp1023,
                        0x1p-10,    0x1p9,
                        0x1p99,     0x1p-100};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        is_as_printed(x[i]);
        is_as_printed(-x[i]);
    }
}

static void test_random(void **state)
{
    accordi_rng rng;
    (void)state;
    accordi_rng_init(&rng, trials_seed());
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = accordi_rng_next(&rng);
        double x;
        bits = bits >> i % 53 << i % 53; /* zeros at the end */
        memcpy(&x, &bits, sizeof x);
        is_as_printed(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_special),
                                       cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
