/* The orders of libraries are found in at most 300 calls, calibration included, near 1000 terms and
 * at odd numbers of them, and are proven. Only versions are held to that whose orders are known. */
#include "base/base.h"
#include "trials.h"
#include <accord/reveal.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_CALLS = 300 };

static const size_t sizes[] = {997, 1003, 1024};
static const char *const kernels[] = {"Prescott", "Core2",       "Barcelona", "Nehalem",
                                      "Zen",      "Sandybridge", "Haswell",   "SkylakeX"};
/* Each with its shape before the number of terms, if it has one, and an element. */
static const char *const routines[][3] = {
    {"sdot"},
    {"ddot"},
    {"sgemv", "5x", "3"},
    {"dgemv", "5x", "3"},
    {"sgemm", "7x9x", "0,0"},
    {"sgemm", "7x9x", "6,8"},
    {"dgemm", "7x9x", "0,0"},
    {"dgemm", "7x9x", "6,8"},
};
enum { ROUTINES = sizeof routines / sizeof *routines };

static bool is_known(const accord_record *record)
{
    static const char *const versions[] = {"OpenBLAS 0.3.21 ", "0.9.0"};
    const char *version = record->library_version;
    for (size_t i = 0; version && i < 2; i++)
        if (strncmp(version, versions[i], strlen(versions[i])) == 0)
            return true;
    return !version; /* reference, ATLAS, GSL */
}

/* Are more calls taken than may be? *asked counts those that were there to be asked. */
static bool is_over(const char *library, const char *const routine[3], size_t n, size_t *asked)
{
    char notation[64], shape[32];
    accord_target_options options;
    accord_reveal_options how;
    accord_target *target = NULL;
    accord_record *record = accord_record_new();
    bool over = false;
    accord_target_options_init(&options);
    accord_reveal_options_init(&how);
    how.replays = 1;
    options.n = n;
    snprintf(notation, sizeof notation, "blas:%s@%s", routine[0], library);
    snprintf(shape, sizeof shape, "%s%zu", routine[1] ? routine[1] : "", n);
    options.shape = routine[1] ? shape : NULL;
    options.element = routine[2];
    if (!accord_target_open(notation, &options, &target, NULL) &&
        !accord_reveal(target, &how, record, NULL) && is_known(record)) {
        over = record->discovery_calls > MOST_CALLS || record->nodes_confirmed != record->nodes;
        *asked += 1;
        if (over)
            printf("# %s %s n %zu: %" PRId64 " calls, %" PRId64 " of %" PRId64 " nodes\n", notation,
                   record->library_build, n, record->discovery_calls, record->nodes_confirmed,
                   record->nodes);
    }
    accord_record_free(record);
    accord_target_close(target);
    return over;
}

/* Below scale 1 other questions for each `turn`. */
static size_t ask_all(const char *library, size_t turn, size_t *asked)
{
    enum { SIZES = sizeof sizes / sizeof *sizes };
    size_t over = 0;
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < ROUTINES * SIZES; i++)
        if (trial_runs(i + turn, seed))
            over += is_over(library, routines[i / SIZES], sizes[i % SIZES], asked);
    return over;
}

static void test_openblas(void **state)
{
    size_t over = 0;
    (void)state;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        size_t asked = 0;
        setenv("OPENBLAS_CORETYPE", kernels[k], 1);
        over += ask_all("openblas", k, &asked);
        printf("# %s: %zu orders\n", kernels[k], asked);
    }
    unsetenv("OPENBLAS_CORETYPE");
    assert_int_equal(over, 0);
}

static void test_other_libraries(void **state)
{
    static const char *const libraries[] = {"blis", "atlas", "reference", "gsl"};
    size_t over = 0;
    (void)state;
    for (size_t k = 0; k < sizeof libraries / sizeof *libraries; k++) {
        size_t asked = 0;
        over += ask_all(libraries[k], k, &asked);
        printf("# %s: %zu orders\n", libraries[k], asked);
    }
    assert_int_equal(over, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openblas),
        cmocka_unit_test(test_other_libraries),
    };
    return cmocka_run_group_tests_name("library_calls", tests, NULL, NULL);
}
