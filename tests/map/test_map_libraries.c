/* Maps of the BLAS libraries on this machine. */
#include "map_grids.h"

static bool map_library(const char *notation, const char *shape, size_t n, double beta,
                        accord_map *map)
{
    accord_target_options options;
    accord_target *target;
    accord_error error;
    accord_target_options_init(&options);
    options.shape = shape;
    options.n = n + (beta != 0);
    options.beta = beta;
    accordi_map_init(map);
    if (accord_target_open(notation, &options, &target, &error)) {
        print_message("# %s skipped: %s\n", notation, error.text);
        return false;
    }
    if (accord_map_reveal(target, NULL, map, &error))
        fail_msg("%s %s: %s", notation, shape, error.text);
    accord_target_close(target);
    return true;
}

static bool all_certified(const accord_map *map)
{
    for (size_t id = 0; id < map->classes; id++)
        if (!map->each[id].record.tree || map->each[id].certified != map->each[id].members)
            return false;
    return true;
}

static void test_openblas_has_two_classes(void **state)
{
    (void)state;
    accord_map map;
    if (!strstr(accordi_cpu_features(), "avx2"))
        return;
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    if (!map_library("blas:sgemm@openblas-pthread", "7x13x24", 24, 0, &map))
        return;
    assert_int_equal(map.classes, 2);
    for (size_t i = 0; i < 91; i++)
        assert_int_equal(map.class_of[i], !(i / 13 < 4 && i % 13 < 8));
    assert_int_equal(map.each[1].record.tree->inner, 23);
    assert_true(all_certified(&map));
    accord_map_clear(&map);
    assert_true(map_library("blas:sgemm@openblas-pthread", "33x33x48", 48, 0, &map));
    assert_int_equal(map.classes, 2);
    assert_int_equal(map.each[0].members, 448);
    assert_int_equal(map.each[1].members, 641);
    assert_true(all_certified(&map));
    accord_map_clear(&map);
}

/* One order; BLIS rounds products before it adds them in the last column alone. */
static void test_libraries_with_one_order(void **state)
{
    (void)state;
    static const char *const names[] = {"blas:sgemm@blis-pthread", "blas:sgemm@atlas",
                                        "blas:sgemm@gsl", "blas:dgemm@reference"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int beta = 0; beta < 2; beta++) {
            accord_map map;
            if (!map_library(names[i], "7x13x24", 24, beta, &map))
                continue;
            for (size_t id = 0; id < map.classes; id++)
                assert_true(accord_tree_equal(map.each[0].record.tree, map.each[id].record.tree));
            assert_true(map.classes <= 2);
            assert_true(all_certified(&map));
            accord_map_clear(&map);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openblas_has_two_classes),
        cmocka_unit_test(test_libraries_with_one_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
