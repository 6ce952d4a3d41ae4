/* One element of a result must come back with its own order, whatever the others add. */
#include "map_grids.h"
#include "record/record.h"

static enum accord_status ask_element(grid *g, size_t at, uint64_t seed, accord_record *record,
                                      accord_error *error)
{
    accord_reveal_options options;
    accord_target *target = open_grid(g);
    accord_reveal_options_init(&options);
    options.seed = seed;
    accordi_record_init(record);
    enum accord_status status = accord_map_reveal_element(target, &options, at / g->columns,
                                                          at % g->columns, record, error);
    if (status == ACCORD_OK)
        assert_int_equal(record->discovery_calls + record->certificate_calls, target->calls);
    accord_target_close(target);
    return status;
}

static void test_elements_come_back(void **state)
{
    (void)state;
    void (*const patterns[])(grid *) = {tile, by_rows, last_column, lone_element};
    accordi_rng rng;
    accord_error error;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(24); t++) {
        grid g;
        accord_record record;
        char name[48];
        grid_init(&g, 3 + t % 11, t % 3 ? 9 : 1, 2 + 7 * (t % 9));
        grid_draw(&g, &rng, (enum accordi_tree_kind)accordi_rng_below(&rng, 4));
        if (g.n < 3) /* there is but one order */
            g.tree[g.trees++] = NULL;
        else if (t % 2)
            grid_draw(&g, &rng, ACCORDI_TREE_YULE);
        else
            g.tree[g.trees++] = exchanged(g.tree[0], &rng);
        if (g.n >= 3)
            patterns[t % 4](&g);
        size_t at = t % 5 == 0 ? g.rows * g.columns / 2
                               : (size_t)accordi_rng_below(&rng, g.rows * g.columns);
        assert_int_equal(ask_element(&g, at, t, &record, &error), ACCORD_OK);
        assert_true(accord_tree_equal(record.tree, g.tree[g.of[at]]));
        assert_true(record.proven);
        assert_int_equal(record.replays_agreed, record.replays);
        assert_true(record.replays > 0);
        snprintf(name, sizeof name, g.columns > 1 ? "%zu,%zu" : "%zu", at / g.columns,
                 at % g.columns);
        assert_string_equal(record.element, name);
        accord_record_clear(&record);
        grid_clear(&g);
    }
}

/* Rows unlike row 0 are added in another order: sorting, whose rows are all alike, cannot see it.
 */
static void call_contrary(void *context, const accord_grid *asked, double *results)
{
    grid *g = context;
    const float *a = asked->a, *b = asked->b;
    for (size_t r = 0; r < g->rows; r++)
        for (size_t c = 0; c < g->columns; c++) {
            bool alike = memcmp(a, a + r * g->n, g->n * sizeof *a) == 0;
            results[r * g->columns + c] =
                (double)add_up(g, g->tree[alike], false, a + r * g->n, b + c * g->n);
        }
}

static void test_an_element_is_asked_alone(void **state)
{
    (void)state;
    accordi_rng rng;
    accord_error error;
    accordi_rng_init(&rng, trials_seed());
    grid g;
    grid_of_two(&g, &rng, 8, 3, 40, ACCORDI_TREE_YULE, ACCORDI_TREE_YULE);
    for (size_t row = 0; row < 2; row++) {
        accord_target *target = open_grid_as(&g, call_contrary);
        accord_record record;
        accordi_record_init(&record);
        enum accord_status status =
            accord_map_reveal_element(target, NULL, row, 1, &record, &error);
        if (status == ACCORD_OK) { /* row 0 is always like itself */
            assert_true(accord_tree_equal(record.tree, g.tree[row == 0]));
        } else {
            assert_int_equal(status, ACCORD_UNABLE);
            assert_string_equal(record.status, "unable");
        }
        accord_record_clear(&record);
        accord_target_close(target);
    }
    grid_clear(&g);
}

static void test_elements_without_answer(void **state)
{
    (void)state;
    accord_error error;
    accord_record record;
    accordi_rng rng;
    grid g;
    accordi_rng_init(&rng, 1);
    grid_init(&g, 5, 5, 12);
    grid_draw(&g, &rng, ACCORDI_TREE_YULE);
    assert_int_equal(ask_element(&g, 25, 1, &record, &error), ACCORD_ARG);
    g.odd_call = 2;
    assert_int_equal(ask_element(&g, 7, 1, &record, &error), ACCORD_UNABLE);
    assert_int_equal(error.reason, ACCORD_REASON_NONDETERMINISTIC);
    assert_null(record.tree);
    accord_record_clear(&record);
    grid_clear(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements_come_back),
        cmocka_unit_test(test_an_element_is_asked_alone),
        cmocka_unit_test(test_elements_without_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
