/* Orders of known names: machines come back as their trees, and discovery stays within the calls
 * that were promised. */
#include "record/record.h"
#include "trials.h"
#include <accord/fused.h>
#include <accord/reveal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Reveals synthetic:NAME; the number of calls that discovery took, -1 unless its tree came back. */
static int64_t reveal(const char *name, size_t n, const enum accord_format *format, uint64_t seed,
                      bool certified)
{
    char notation[80];
    accord_target_options options;
    accord_reveal_options how;
    accord_target *target = NULL;
    accord_tree *tree = NULL;
    accord_record record;
    accord_error error;
    accord_target_options_init(&options);
    accord_reveal_options_init(&how);
    accordi_record_init(&record);
    options.n = n;
    options.seed = how.seed = seed;
    options.has_format = format != NULL;
    options.format = format ? *format : ACCORD_F32;
    how.no_certificate = !certified;
    snprintf(notation, sizeof notation, "synthetic:%s", name);
    assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
    assert_int_equal(accord_synthetic_tree(target, &tree, NULL), ACCORD_OK);
    enum accord_status status = accord_reveal(target, &how, &record, &error);
    bool good = !status && accord_tree_equal(record.tree, tree) && record.proven == certified;
    if (!good)
        printf("# %s n %zu seed %" PRIu64 ": %s\n", name, n, seed,
               status ? error.text : "another tree");
    int64_t calls = good ? record.discovery_calls : -1;
    accord_record_clear(&record);
    accord_tree_free(tree);
    accord_target_close(target);
    return calls;
}

/* Each machine of the table in the format of its products. One of the certified counts, 16, 32 and
 * 48, is enough for each: test_features looks for the parameters of every row, too. */
static void test_machines(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    size_t wrong = 0, machines = 0;
    const accord_fused *machine;
    for (size_t i = 0; (machine = accord_fused_at(i)); i++) {
        machines += !machine->scale_block;
        size_t certified = 16 * (1 + i % 3);
        for (size_t n = 1; n <= 48 && !machine->scale_block; n++)
            wrong += reveal(machine->name, n, &machine->input, ++seed, n == certified) < 0;
    }
    assert_int_equal(wrong, 0);
    assert_true(machines > 40);
}

enum { SEEDS = 11, N = 1024 };

/* Most calls (the median of 11 seeds) in f32 and f64; 0 where none was promised. */
static const struct {
    const char *name;
    int64_t most[2];
} families[] = {
    {"sequential", {1309, 1296}}, {"reverse", {1315, 1282}}, {"caterpillar", {1549, 1514}},
    {"pairwise", {662, 379}},     {"lanes", {884, 760}},     {"numpy", {677, 378}},
    {"yule", {1205, 1017}},       {"uniform", {1688, 1597}}, {"multiway", {4224, 0}},
    {"fused:16", {2750, 0}},      {"star", {1029, 0}},       {"blocks:32", {320, 300}},
};

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void test_calls(void **state)
{
    (void)state;
    static const enum accord_format formats[] = {ACCORD_F32, ACCORD_F64};
    size_t over = 0;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (size_t k = 0; k < 2; k++) {
            int64_t calls[SEEDS], most = families[f].most[k];
            for (uint64_t s = 0; s < SEEDS && most; s++)
                calls[s] = reveal(families[f].name, N, &formats[k], s, false);
            if (most == 0)
                continue;
            qsort(calls, SEEDS, sizeof *calls, ascending);
            assert_true(calls[0] > 0);
            printf("# %s %s: %" PRId64 " calls, at most %" PRId64 "\n", families[f].name,
                   accord_format_get(formats[k])->name, calls[SEEDS / 2], most);
            over += calls[SEEDS / 2] > most;
        }
    assert_int_equal(over, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machines),
        cmocka_unit_test(test_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
