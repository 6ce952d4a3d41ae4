/* Maps: grids whose elements add along trees drawn at random, in patterns of every kind, must come
 * back as exactly those classes with exactly those trees. */
#include "map_grids.h"

/* ---- classes ---- */

static void test_patterns_come_back(void **state)
{
    (void)state;
    static const struct {
        void (*pattern)(grid *);
        size_t rows, columns, n, trees;
    } cases[] = {
        {tile, 9, 10, 20, 3},        {tile, 16, 5, 48, 2},         {tile, 33, 33, 33, 2},
        {tile, 40, 40, 150, 2},      {lone_element, 7, 13, 24, 2}, {lone_element, 30, 1, 16, 2},
        {by_rows, 12, 1, 30, 12},    {by_rows, 5, 7, 9, 5},        {last_column, 4, 50, 64, 2},
        {last_column, 50, 4, 64, 2}, {tile, 1, 1, 10, 1},          {tile, 1, 30, 7, 2},
        {tile, 3, 3, 1, 1},          {tile, 3, 3, 2, 1},           {by_rows, 6, 2, 3, 3},
    };
    accordi_rng rng;
    uint64_t seed = trials_seed();
    accordi_rng_init(&rng, seed);
    for (size_t t = 0; t < trials(1) * sizeof cases / sizeof *cases; t++) {
        if (!trial_runs(t, seed))
            continue;
        grid g;
        size_t i = t % (sizeof cases / sizeof *cases);
        grid_init(&g, cases[i].rows, cases[i].columns, cases[i].n);
        for (size_t k = 0; k < cases[i].trees; k++)
            grid_draw(&g, &rng, (enum accordi_tree_kind)accordi_rng_below(&rng, 4));
        cases[i].pattern(&g);
        grid_comes_back(&g, accordi_rng_next(&rng) >> 1);
    }
}

static void test_fused_nodes(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(6); t++) {
        grid g;
        grid_of_two(&g, &rng, 12, 12, t % 2 ? 100 : 24, ACCORDI_TREE_CHAIN, ACCORDI_TREE_MULTIWAY);
        tile(&g);
        grid_comes_back(&g, t);
    }
}

/* One element of many whose order has two terms exchanged. */
static void test_an_exchange_is_found(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(20); t++) {
        grid g;
        grid_init(&g, 8, 9, t % 4 == 3 ? 200 : 10 + 10 * (t % 4));
        grid_draw(&g, &rng, (enum accordi_tree_kind)accordi_rng_below(&rng, 4));
        g.tree[g.trees++] = exchanged(g.tree[0], &rng);
        g.of[accordi_rng_below(&rng, 72)] = 1;
        grid_comes_back(&g, t);
    }
}

/* The certificate alone, without any sorting, has to find it: by proof, always. */
static void test_the_certificate_finds_it_alone(void **state)
{
    (void)state;
    accordi_rng rng;
    accord_error error;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(20); t++) {
        grid g;
        accordi_mapper m;
        accord_reveal_options options;
        bool holds = false;
        grid_init(&g, 6, 5, 12 + t);
        grid_draw(&g, &rng, (enum accordi_tree_kind)accordi_rng_below(&rng, 4));
        g.tree[g.trees++] = exchanged(g.tree[0], &rng);
        g.of[t % 30] = 1;
        accord_target *target = open_grid(&g);
        accord_reveal_options_init(&options);
        assert_int_equal(accordi_mapper_init(&m, target, &options, &error), ACCORD_OK);
        m.each[0].record.tree = g.tree[0];
        assert_int_equal(accordi_map_certify(&m, 0, &holds), ACCORD_OK);
        assert_true(holds);
        assert_int_equal(m.classes, 2);
        for (size_t i = 0; i < 30; i++)
            assert_int_equal(m.class_of[i], g.of[i]);
        m.each[0].record.tree = g.tree[1]; /* the wrong one is refuted by most */
        assert_int_equal(accordi_map_certify(&m, 0, &holds), ACCORD_OK);
        assert_false(holds);
        m.each[0].record.tree = NULL;
        accordi_mapper_clear(&m);
        accord_target_close(target);
        grid_clear(&g);
    }
}

static void test_the_same_order_in_other_arithmetic(void **state)
{
    (void)state;
    accord_error error;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    grid g;
    grid_init(&g, 8, 8, 24);
    grid_draw(&g, &rng, ACCORDI_TREE_LANES);
    uint32_t parent[48];
    accord_tree_parents(g.tree[0], parent);
    assert_int_equal(accord_tree_from_parents(24, g.tree[0]->inner, parent, &g.tree[1], &error),
                     ACCORD_OK);
    g.trees = 2;
    g.fused[1] = true;
    last_column(&g);
    grid_comes_back(&g, 1);
}

/* ---- no answer ---- */

static void test_results_that_differ_from_run_to_run(void **state)
{
    (void)state;
    static const uint64_t from[] = {1, 2, 30};
    for (size_t i = 0; i < 3; i++) {
        grid g;
        accord_map map;
        accord_error error;
        accordi_rng rng;
        accordi_rng_init(&rng, 1);
        grid_init(&g, 5, 5, 12);
        grid_draw(&g, &rng, ACCORDI_TREE_YULE);
        g.odd_call = from[i];
        assert_int_equal(map_grid(&g, 1, &map, &error), ACCORD_UNABLE);
        assert_int_equal(error.reason, ACCORD_REASON_NONDETERMINISTIC);
        assert_null(map.class_of);
        grid_clear(&g);
    }
}

static void test_wrong_questions(void **state)
{
    (void)state;
    accord_map map;
    accord_target_options options;
    accord_target *target;
    accord_error error;
    accordi_map_init(&map);
    accord_target_options_init(&options);
    options.n = 8;
    assert_int_equal(accord_target_open("synthetic:pairwise", &options, &target, &error),
                     ACCORD_OK);
    assert_int_equal(accord_map_reveal(target, NULL, &map, &error), ACCORD_UNSUPPORTED);
    assert_int_equal(accord_map_reveal(NULL, NULL, &map, &error), ACCORD_ARG);
    assert_int_equal(accord_map_reveal(target, NULL, NULL, &error), ACCORD_ARG);
    accord_target_close(target);
}

static bool stop(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)stage, (void)done, (void)total;
    return --*(int *)context > 0;
}

static void test_interruptions(void **state)
{
    (void)state;
    for (int after = 1; after < 45; after += 7) {
        grid g;
        accord_map map;
        accord_error error;
        accordi_rng rng;
        accord_reveal_options options;
        int left = after;
        accordi_rng_init(&rng, 1);
        grid_init(&g, 5, 5, 12);
        grid_draw(&g, &rng, ACCORDI_TREE_YULE);
        accord_target *target = open_grid(&g);
        accord_reveal_options_init(&options);
        options.progress = stop;
        options.progress_context = &left;
        accordi_map_init(&map);
        assert_int_equal(accord_map_reveal(target, &options, &map, &error), ACCORD_TARGET);
        assert_ptr_equal(strstr(error.text, "interrupted: so far the 25 results are in "),
                         error.text);
        accord_target_close(target);
        grid_clear(&g);
    }
}

/* ---- replays ---- */

static void test_replays_tell_wrong_models(void **state)
{
    (void)state;
    accordi_rng rng;
    accord_error error;
    accordi_rng_init(&rng, trials_seed());
    for (int wrong = 0; wrong < 3; wrong++) { /* right, another arithmetic, another order */
        grid g;
        accordi_mapper m;
        accord_reveal_options options;
        accord_arithmetic *plain;
        grid_of_two(&g, &rng, 6, 5, 30, ACCORDI_TREE_YULE, ACCORDI_TREE_YULE);
        assert_int_equal(accord_arithmetic_plain(ACCORD_TERM_PRODUCT, ACCORD_F32,
                                                 wrong == 1 ? ACCORD_F64 : ACCORD_F32, ACCORD_F32,
                                                 &plain, &error),
                         ACCORD_OK);
        accord_target *target = open_grid(&g);
        accord_reveal_options_init(&options);
        assert_int_equal(accordi_mapper_init(&m, target, &options, &error), ACCORD_OK);
        m.each[0].record.tree = g.tree[wrong == 2];
        m.each[0].record.arithmetic = plain;
        assert_int_equal(accordi_map_replay(&m), ACCORD_OK);
        assert_int_equal(m.replay_calls, 2000);
        assert_int_equal(m.replayed, 2000 * 30);
        assert_int_equal(m.each[0].record.replays, 2000 * 30);
        assert_int_equal(m.each[0].record.replays_agreed, (int64_t)m.agreed);
        if (wrong)
            assert_true(m.agreed < m.replayed * 9 / 10);
        else
            assert_int_equal(m.agreed, m.replayed);
        m.each[0].record.tree = NULL;
        accordi_mapper_clear(&m);
        accord_target_close(target);
        grid_clear(&g);
    }
}

/* ---- rows that mostly hold the same ---- */

static void test_slates(void **state)
{
    (void)state;
    enum { ROWS = 5, INNER = 12, N = 13 };
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(200); t++) {
        float cells[ROWS * INNER];
        double base[N] = {0};
        accordi_slate s;
        assert_true(accordi_slate_init(&s, cells, ROWS, INNER, N, true));
        for (int step = 0; step < 60; step++) {
            double value = (double)accordi_rng_below(&rng, 5) - 2;
            uint32_t k = (uint32_t)accordi_rng_below(&rng, N);
            switch (accordi_rng_below(&rng, 8)) {
            case 0:
                accordi_slate_fill(&s, value);
                for (int i = 0; i < N; i++)
                    base[i] = value;
                break;
            case 1: /* the same once more */
                accordi_slate_fill(&s, base[0]);
                for (int i = N; i-- > 0;)
                    base[i] = base[0];
                break;
            case 2:
                base[k] = -0.0;
                accordi_slate_set(&s, base);
                break;
            case 3: {
                float whole[N] = {7, 7, 7};
                accordi_slate_whole(&s, k % ROWS, whole);
                break;
            }
            default:
                accordi_slate_stay(&s, k, value);
                base[k] = value;
            }
            double due[ROWS][N];
            bool used[ROWS] = {false};
            for (int i = 0; i < 3; i++) {
                size_t row = (size_t)accordi_rng_below(&rng, ROWS);
                if (!used[row])
                    memcpy(due[row], base, sizeof base);
                if (!used[row])
                    accordi_slate_row(&s, row);
                used[row] = true;
                k = (uint32_t)accordi_rng_below(&rng, N);
                due[row][k] = 9 + i;
                accordi_slate_own(&s, row, k, 9 + i);
            }
            for (size_t row = 0; row < ROWS; row++)
                for (int i = 0; i < N && used[row]; i++) {
                    double is = i < INNER ? (double)cells[row * INNER + (size_t)i] : s.start[row];
                    assert_memory_equal(&is, &due[row][i], sizeof is);
                }
            accordi_slate_undo(&s);
        }
        assert_false(s.failed);
        accordi_slate_clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns_come_back),
        cmocka_unit_test(test_fused_nodes),
        cmocka_unit_test(test_an_exchange_is_found),
        cmocka_unit_test(test_the_certificate_finds_it_alone),
        cmocka_unit_test(test_the_same_order_in_other_arithmetic),
        cmocka_unit_test(test_results_that_differ_from_run_to_run),
        cmocka_unit_test(test_wrong_questions),
        cmocka_unit_test(test_interruptions),
        cmocka_unit_test(test_replays_tell_wrong_models),
        cmocka_unit_test(test_slates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
