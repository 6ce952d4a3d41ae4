/* Orders that hold in one process only are none: the same sums are asked for in new processes,
 * whose calls are the first ones and whose memory is allocated at other addresses. Programs are
 * started anew, too. */
#include "record/record.h"
#include <accord/accord.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static accord_target *open_box(const char *function, size_t n, bool no_fork)
{
    char notation[400];
    const char *build = getenv("ACCORD_BUILD");
    accord_target_options options;
    accord_target *target = NULL;
    accord_error error;
    accord_target_options_init(&options);
    options.n = n;
    options.has_format = true;
    options.format = ACCORD_F32;
    options.no_fork = no_fork;
    options.signature = strncmp(function, "dot", 3) == 0 ? "dot" : "sum";
    snprintf(notation, sizeof notation, "so:%s/tests/support/boxes/libprocess.so:%s",
             build ? build : "build", function);
    assert_int_equal(accord_target_open(notation, &options, &target, &error), ACCORD_OK);
    return target;
}

static enum accord_status reveal(const char *function, size_t n, bool no_fork,
                                 accord_record *record, accord_error *error)
{
    accord_target *target = open_box(function, n, no_fork);
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

/* New processes get the environment that the first one was started with, and not what the caller
 * changed since. */
static void test_environment(void **state)
{
    (void)state;
    static const char name[] = "ACCORD_TEST_BACKWARD";
    for (int first = 0; first < 2; first++) {
        accord_record record;
        accord_error error;
        accord_tree *due = NULL;
        unsetenv(name);
        if (first)
            setenv(name, "1", 1);
        accord_target *target = open_box("by_environment", 4, false);
        if (first)
            unsetenv(name);
        else
            setenv(name, "1", 1);
        accordi_record_init(&record);
        assert_int_equal(accord_reveal(target, NULL, &record, &error), ACCORD_OK);
        assert_true(record.proven);
        assert_null(record.warnings);
        const char *order = first ? "(0+(1+(2+3)))" : "(((0+1)+2)+3)";
        assert_int_equal(accord_tree_read_brackets(order, strlen(order), &due, &error), ACCORD_OK);
        assert_true(accord_tree_equal(record.tree, due));
        accord_tree_free(due);
        accord_record_clear(&record);
        accord_target_close(target);
    }
    unsetenv(name);
}

/* A program that adds backward in all of its processes but the first one, or in none. */
static enum accord_status reveal_program(bool changes, accord_record *record, accord_error *error)
{
    static const char forward[] = "i = 1; i <= NF; i++", backward[] = "i = NF; i > 0; i--";
    char folder[] = "/tmp/accord-process-XXXXXX", notation[900];
    accord_target_options options;
    accord_target *target = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(notation, sizeof notation,
             "command:awk -W interactive 'BEGIN { exit }' </dev/null >/dev/null 2>&1 && "
             "set -- -W interactive; loop='%s'; mkdir %s/first 2>/dev/null || loop='%s'; "
             "awk \"$@\" 'NR == 1 { print \"accord 1 text awk\" } "
             "NR > 1 { s = 0; for ('\"$loop\"') s += $i; printf \"%%.17g\\n\", s } { fflush() }'",
             forward, folder, changes ? backward : forward);
    accord_target_options_init(&options);
    options.n = 9;
    options.has_format = true;
    options.format = ACCORD_F64;
    assert_int_equal(accord_target_open(notation, &options, &target, error), ACCORD_OK);
    accordi_record_init(record);
    enum accord_status status = accord_reveal(target, NULL, record, error);
    accord_target_close(target);
    char first[64];
    snprintf(first, sizeof first, "%s/first", folder);
    assert_int_equal(rmdir(first) || rmdir(folder), 0);
    return status;
}

static void test_programs(void **state)
{
    (void)state;
    for (int changes = 0; changes < 2; changes++) {
        accord_record record;
        accord_error error = {.status = ACCORD_OK};
        enum accord_status status = reveal_program(changes, &record, &error);
        if (changes) {
            assert_int_equal(status, ACCORD_UNABLE);
            assert_int_equal(error.reason, ACCORD_REASON_NONDETERMINISTIC);
            assert_non_null(strstr(error.text, "the order depends on the process"));
        } else {
            assert_int_equal(status, ACCORD_OK);
        }
        assert_int_equal(record.proven, !changes);
        accord_record_clear(&record);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_processes), cmocka_unit_test(test_the_same_everywhere),
        cmocka_unit_test(test_environment), cmocka_unit_test(test_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
