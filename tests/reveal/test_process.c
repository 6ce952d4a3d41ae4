/* Orders that hold in one process only are none: the same sums are asked for in new processes,
 * whose calls are the first ones and whose memory is allocated at other addresses. */
#include "record/record.h"
#include <accord/accord.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static enum accord_status reveal(const char *function, size_t n, bool no_fork,
                                 accord_record *record, accord_error *error)
{
    char notation[400];
    const char *build = getenv("ACCORD_BUILD");
    accord_target_options options;
    accord_target *target = NULL;
    accord_target_options_init(&options);
    options.n = n;
    options.has_format = true;
    options.format = ACCORD_F32;
    options.no_fork = no_fork;
    options.signature = strncmp(function, "dot", 3) == 0 ? "dot" : "sum";
    snprintf(notation, sizeof notation, "so:%s/tests/support/boxes/libprocess.so:%s",
             build ? build : "build", function);
    assert_int_equal(accord_target_open(notation, &options, &target, error), ACCORD_OK);
    accordi_record_init(record);
    enum accord_status status = accord_reveal(target, NULL, record, error);
    accord_target_close(target);
    return status;
}

/* Sanitizers have allocators of their own, whose chunks lie at multiples of more than 16 bytes. */
#ifdef __has_feature
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static void test_other_processes(void **state)
{
    (void)state;
    static const char *const functions[] = {
        "first_call",
        "after_50",
        "dot_after_50",
#if !SANITIZED
        "peel_malloc",
        "path_malloc"
#endif
    };
    static const size_t counts[] = {9, 40, 300};
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            accord_record record;
            accord_error error = {.status = ACCORD_OK};
            enum accord_status status = reveal(functions[f], counts[i], false, &record, &error);
            if (status != ACCORD_UNABLE)
                print_message("# %s, n = %zu: %s\n", functions[f], counts[i], record.verdict);
            assert_int_equal(status, ACCORD_UNABLE);
            assert_int_equal(error.reason, ACCORD_REASON_NONDETERMINISTIC);
            assert_non_null(strstr(error.text, "the order depends on the process"));
            assert_false(record.proven);
            accord_record_clear(&record);
        }
}

static void test_the_same_everywhere(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 9, 300, 5000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int no_fork = 0; no_fork < 2; no_fork++) {
            accord_record record;
            accord_error error = {.status = ACCORD_OK};
            assert_int_equal(reveal("steady", counts[i], no_fork, &record, &error), ACCORD_OK);
            assert_true(record.proven);
            assert_null(record.warnings);
            accord_record_clear(&record);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_other_processes),
                                       cmocka_unit_test(test_the_same_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
