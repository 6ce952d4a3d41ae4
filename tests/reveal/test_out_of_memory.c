/* No memory is said as such, whichever allocation fails: never is it a reason against a tree. The
 * program is linked so that its own malloc stands before the library's (--wrap). */
#include "reveal/discover/paper/paper.h"
#include "targets/synthetic/synthetic.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static size_t left = SIZE_MAX; /* allocations until all fail */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool allowed(void)
{
    if (left == 0)
        return false;
    left -= left != SIZE_MAX;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return allowed() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allowed() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    return allowed() ? __real_realloc(old, size) : NULL;
}

typedef enum accord_status algorithm(accordi_asker *asker, accord_tree **out);

/* Calibrates, then lets so many allocations pass. */
static enum accord_status discover(algorithm *find, const char *notation, size_t allocations)
{
    accord_target_options options;
    accord_target *target = NULL;
    accordi_asker asker;
    accord_error error = {.status = ACCORD_OK};
    accord_tree *tree = NULL;
    accord_target_options_init(&options);
    options.n = 12;
    assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
    accordi_ask_init(&asker, target, 1, &error);
    assert_int_equal(accordi_calibrate(&asker), ACCORD_OK);
    left = allocations;
    enum accord_status status = find(&asker, &tree);
    left = SIZE_MAX;
    if (status && status != ACCORD_NOMEM)
        fail_msg("%s after %zu allocations: %s", notation, allocations, error.text);
    assert_int_equal(status == ACCORD_OK, tree != NULL);
    accord_tree_free(tree);
    accordi_ask_clear(&asker);
    accord_target_close(target);
    return status;
}

static void test_algorithms_of_the_paper(void **state)
{
    static algorithm *const algorithms[] = {accordi_basic, accordi_refined, accordi_fprev,
                                            accordi_modified};
    static const char *const notations[] = {"synthetic:sequential", "synthetic:pairwise",
                                            "synthetic:lanes:4"};
    (void)state;
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++)
        for (size_t i = 0; i < sizeof notations / sizeof *notations; i++) {
            size_t allocations = 0;
            while (discover(algorithms[a], notations[i], allocations))
                allocations++;
            assert_in_range(allocations, 3, 1000);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_algorithms_of_the_paper)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
