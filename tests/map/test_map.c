/* Maps: grids whose elements add along trees drawn at random, in patterns of every kind, must come
 * back as exactly those classes with exactly those trees. */
#include "map/map.h"
#include "record/record.h"
#include "targets/synthetic/synthetic.h"
#include "trials.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST_TREES = 16 };

/* A grid: element i adds its products along tree[of[i]], each rounded first or, with fused, taken
 * into the addition unrounded where a leaf stands second. */
typedef struct grid {
    size_t rows, columns, n, trees;
    accord_tree *tree[MOST_TREES];
    bool fused[MOST_TREES];
    uint16_t *of;
    float *value;             /* one per node */
    uint64_t calls, odd_call; /* from that call on, each disturbs one element; 0: never */
} grid;

static float add_up(grid *g, const accord_tree *tree, bool fused, const float *x, const float *y)
{
    uint32_t n = tree->leaves;
    for (uint32_t k = 0; k < n; k++)
        g->value[k] = x[k] * y[k];
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        uint32_t count = tree->first[k + 1] - tree->first[k];
        if (count == 2 && fused && child[1] < n) {
            g->value[n + k] = fmaf(x[child[1]], y[child[1]], g->value[child[0]]);
        } else if (count == 2) {
            g->value[n + k] = g->value[child[0]] + g->value[child[1]];
        } else { /* a machine that aligns to the greatest and keeps 24 bits of it */
            int top = -200, exponent;
            double sum = 0;
            for (uint32_t c = 0; c < count; c++)
                if (frexp((double)g->value[child[c]], &exponent) != 0 && exponent > top)
                    top = exponent;
            for (uint32_t c = 0; c < count; c++)
                sum += ldexp(trunc(ldexp((double)g->value[child[c]], 24 - top)), top - 24);
            g->value[n + k] = (float)sum;
        }
    }
    return g->value[n + tree->inner - 1];
}

static void call(void *context, const accord_grid *asked, double *results)
{
    grid *g = context;
    const float *a = asked->a, *b = asked->b;
    g->calls++;
    for (size_t r = 0; r < g->rows; r++)
        for (size_t c = 0; c < g->columns; c++) {
            size_t id = g->of[r * g->columns + c];
            results[r * g->columns + c] =
                (double)add_up(g, g->tree[id], g->fused[id], a + r * g->n, b + c * g->n);
        }
    if (g->odd_call && g->calls >= g->odd_call)
        results[g->calls % (g->rows * g->columns)] += 1;
}

static void grid_init(grid *g, size_t rows, size_t columns, size_t n)
{
    *g = (grid){.rows = rows, .columns = columns, .n = n};
    g->of = calloc(rows * columns, sizeof *g->of);
    g->value = calloc(2 * n, sizeof *g->value);
    assert_non_null(g->of);
    assert_non_null(g->value);
}

static void grid_clear(grid *g)
{
    for (size_t i = 0; i < g->trees; i++)
        accord_tree_free(g->tree[i]);
    free(g->of);
    free(g->value);
}

/* A tree unlike those before. */
static void grid_draw(grid *g, accordi_rng *rng, enum accordi_tree_kind kind)
{
    accord_error error;
    bool fresh = false;
    while (!fresh) {
        accord_tree *tree;
        assert_int_equal(accordi_random_tree(rng, kind, g->n, &tree, &error), ACCORD_OK);
        fresh = true;
        for (size_t i = 0; i < g->trees; i++)
            fresh = fresh && !accord_tree_equal(tree, g->tree[i]);
        if (fresh)
            g->tree[g->trees++] = tree;
        else
            accord_tree_free(tree);
        if (!fresh && g->n < 4)
            kind = ACCORDI_TREE_YULE;
    }
}

static accord_target *open_grid(grid *g)
{
    accord_grid_callback how = {.call = call,
                                .context = g,
                                .rows = g->rows,
                                .columns = g->columns,
                                .n = g->n,
                                .term = ACCORD_TERM_PRODUCT,
                                .is_f32 = true};
    accord_target *target;
    accord_error error;
    assert_int_equal(accord_target_from_grid(&how, &target, &error), ACCORD_OK);
    return target;
}

static enum accord_status map_grid(grid *g, uint64_t seed, accord_map *map, accord_error *error)
{
    accord_reveal_options options;
    accord_target *target = open_grid(g);
    accord_reveal_options_init(&options);
    options.seed = seed;
    options.loose = true;
    accordi_map_init(map);
    enum accord_status status = accord_map_reveal(target, &options, map, error);
    if (status != ACCORD_OK)
        print_message("# %s\n", error->text);
    else
        assert_int_equal(map->sorting_calls + map->discovery_calls + map->certificate_calls +
                             map->replay_calls,
                         target->calls);
    accord_target_close(target);
    return status;
}

/* The same classes, trees, and every element certified. */
static void check(const grid *g, const accord_map *map)
{
    uint64_t members[MOST_TREES] = {0};
    size_t of_class[MOST_TREES], classes = 0;
    assert_int_equal(map->rows, g->rows);
    assert_int_equal(map->columns, g->columns);
    for (size_t i = 0; i < g->rows * g->columns; i++) {
        size_t id = map->class_of[i];
        if (id == classes) { /* numbered by their first members */
            assert_true(classes < MOST_TREES);
            assert_int_equal(map->each[id].row, i / g->columns);
            assert_int_equal(map->each[id].column, i % g->columns);
            of_class[classes++] = g->of[i];
        }
        assert_true(id < classes);
        assert_int_equal(of_class[id], g->of[i]);
        members[id]++;
    }
    assert_int_equal(map->classes, classes);
    for (size_t id = 0; id < classes; id++) {
        const accord_class *class = &map->each[id];
        for (size_t other = 0; other < id; other++)
            assert_int_not_equal(of_class[id], of_class[other]);
        assert_int_equal(class->members, members[id]);
        assert_int_equal(class->certified, members[id]);
        assert_non_null(class->record.tree);
        assert_true(accord_tree_equal(class->record.tree, g->tree[of_class[id]]));
        bool binary = class->record.tree->inner + 1 == class->record.tree->leaves;
        assert_true(class->record.proven || !binary); /* fused nodes here are of no machine */
        assert_string_equal(class->record.status, "ok");
    }
    assert_int_equal(map->replays_agreed, map->replays);
}

/* ---- classes ---- */

static void tile(grid *g)
{
    for (size_t i = 0; i < g->rows * g->columns; i++)
        g->of[i] = (uint16_t)((i / g->columns / 4 + i % g->columns / 3) % g->trees);
}

static void lone_element(grid *g)
{
    g->of[g->rows * g->columns / 2] = 1;
}

static void by_rows(grid *g)
{
    for (size_t i = 0; i < g->rows * g->columns; i++)
        g->of[i] = (uint16_t)(i / g->columns % g->trees);
}

static void last_column(grid *g)
{
    for (size_t i = 0; i < g->rows * g->columns; i++)
        g->of[i] = i % g->columns == g->columns - 1;
}

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
    accord_error error;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(1) * sizeof cases / sizeof *cases; t++) {
        grid g;
        accord_map map;
        size_t i = t % (sizeof cases / sizeof *cases);
        grid_init(&g, cases[i].rows, cases[i].columns, cases[i].n);
        for (size_t k = 0; k < cases[i].trees; k++)
            grid_draw(&g, &rng, (enum accordi_tree_kind)accordi_rng_below(&rng, 4));
        cases[i].pattern(&g);
        assert_int_equal(map_grid(&g, accordi_rng_next(&rng) >> 1, &map, &error), ACCORD_OK);
        check(&g, &map);
        accord_map_clear(&map);
        grid_clear(&g);
    }
}

static void test_fused_nodes(void **state)
{
    (void)state;
    accordi_rng rng;
    accord_error error;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(6); t++) {
        grid g;
        accord_map map;
        grid_init(&g, 12, 12, t % 2 ? 100 : 24);
        grid_draw(&g, &rng, ACCORDI_TREE_CHAIN);
        grid_draw(&g, &rng, ACCORDI_TREE_MULTIWAY);
        tile(&g);
        assert_int_equal(map_grid(&g, t, &map, &error), ACCORD_OK);
        check(&g, &map);
        accord_map_clear(&map);
        grid_clear(&g);
    }
}

/* The tree with two of its leaves exchanged. */
static accord_tree *exchanged(const accord_tree *tree, accordi_rng *rng)
{
    uint32_t *parent = malloc((tree->leaves + tree->inner) * sizeof *parent);
    accord_tree *other = NULL;
    assert_non_null(parent);
    do {
        accord_tree_free(other);
        uint32_t i = (uint32_t)accordi_rng_below(rng, tree->leaves);
        uint32_t j = (uint32_t)accordi_rng_below(rng, tree->leaves), swap;
        accord_tree_parents(tree, parent);
        swap = parent[i];
        parent[i] = parent[j];
        parent[j] = swap;
        assert_int_equal(accord_tree_from_parents(tree->leaves, tree->inner, parent, &other, NULL),
                         ACCORD_OK);
    } while (accord_tree_equal(tree, other));
    free(parent);
    return other;
}

/* One element of many whose order has two terms exchanged. */
static void test_an_exchange_is_found(void **state)
{
    (void)state;
    accordi_rng rng;
    accord_error error;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(20); t++) {
        grid g;
        accord_map map;
        grid_init(&g, 8, 9, t % 4 == 3 ? 200 : 10 + 10 * (t % 4));
        grid_draw(&g, &rng, (enum accordi_tree_kind)accordi_rng_below(&rng, 4));
        g.tree[g.trees++] = exchanged(g.tree[0], &rng);
        g.of[accordi_rng_below(&rng, 72)] = 1;
        assert_int_equal(map_grid(&g, t, &map, &error), ACCORD_OK);
        check(&g, &map);
        accord_map_clear(&map);
        grid_clear(&g);
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
    accord_map map;
    grid_init(&g, 8, 8, 24);
    grid_draw(&g, &rng, ACCORDI_TREE_LANES);
    uint32_t parent[48];
    accord_tree_parents(g.tree[0], parent);
    assert_int_equal(accord_tree_from_parents(24, g.tree[0]->inner, parent, &g.tree[1], &error),
                     ACCORD_OK);
    g.trees = 2;
    g.fused[1] = true;
    last_column(&g);
    assert_int_equal(map_grid(&g, 1, &map, &error), ACCORD_OK);
    check(&g, &map);
    accord_map_clear(&map);
    grid_clear(&g);
}

/* ---- one element ---- */

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
    grid_init(&g, 8, 3, 40);
    grid_draw(&g, &rng, ACCORDI_TREE_YULE);
    grid_draw(&g, &rng, ACCORDI_TREE_YULE);
    for (size_t row = 0; row < 2; row++) {
        accord_grid_callback how = {.call = call_contrary,
                                    .context = &g,
                                    .rows = g.rows,
                                    .columns = g.columns,
                                    .n = g.n,
                                    .term = ACCORD_TERM_PRODUCT,
                                    .is_f32 = true};
        accord_target *target;
        accord_record record;
        accordi_record_init(&record);
        assert_int_equal(accord_target_from_grid(&how, &target, &error), ACCORD_OK);
        enum accord_status status =
            accord_map_reveal_element(target, NULL, row, 1, &record, &error);
        if (row == 0) { /* always like itself */
            assert_int_equal(status, ACCORD_OK);
            assert_true(accord_tree_equal(record.tree, g.tree[1]));
        } else if (status == ACCORD_OK) {
            assert_true(accord_tree_equal(record.tree, g.tree[0]));
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
        assert_string_equal(error.text, "interrupted");
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
        grid_init(&g, 6, 5, 30);
        grid_draw(&g, &rng, ACCORDI_TREE_YULE);
        grid_draw(&g, &rng, ACCORDI_TREE_YULE);
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

/* ---- files ---- */

static bool to_buffer(void *context, const char *text, size_t length)
{
    accordi_buffer_append(context, text, length);
    return true;
}

static void write_map(const accord_map *map, const char *form, accordi_buffer *out)
{
    accord_error error;
    accord_write_options options;
    accord_write_options_init(&options);
    options.ascii = true;
    out->length = 0;
    assert_int_equal(
        accord_map_write(map, accord_map_writer_by_name(form), &options, to_buffer, out, &error),
        ACCORD_OK);
}

static void some_map(accord_map *map, size_t rows, size_t columns, void (*pattern)(grid *))
{
    grid g;
    accord_error error;
    accordi_rng rng;
    accordi_rng_init(&rng, 3);
    grid_init(&g, rows, columns, 12);
    grid_draw(&g, &rng, ACCORDI_TREE_YULE);
    grid_draw(&g, &rng, ACCORDI_TREE_LANES);
    pattern(&g);
    assert_int_equal(map_grid(&g, 1, map, &error), ACCORD_OK);
    check(&g, map);
    grid_clear(&g);
}

static void test_json_comes_back(void **state)
{
    (void)state;
    accord_map map, again;
    accord_error error;
    accordi_buffer text = {0}, copy = {0};
    some_map(&map, 9, 10, tile);
    accordi_map_init(&again);
    write_map(&map, "json", &text);
    assert_int_equal(accord_map_read(text.data, text.length, &again, &error), ACCORD_OK);
    assert_memory_equal(map.class_of, again.class_of, 90 * sizeof *map.class_of);
    assert_true(accord_tree_equal(map.each[1].record.tree, again.each[1].record.tree));
    write_map(&again, "json", &copy);
    assert_string_equal(text.data, copy.data);
    accord_map_clear(&map);
    accord_map_clear(&again);
    accordi_buffer_clear(&text);
    accordi_buffer_clear(&copy);
}

static void test_damaged_files(void **state)
{
    (void)state;
    accord_map map, before, again;
    accord_error error;
    accordi_rng rng;
    accordi_buffer text = {0};
    accordi_rng_init(&rng, trials_seed());
    some_map(&map, 9, 10, tile);
    write_map(&map, "json", &text);
    accordi_map_init(&again);
    before = again;
    for (size_t cut = 0; cut + 2 < text.length; cut += 1 + text.length / 200) {
        assert_int_equal(accord_map_read(text.data, cut, &again, &error), ACCORD_PARSE);
        assert_memory_equal(&before, &again, sizeof again);
    }
    size_t refused = 0, count = trials(3000);
    for (size_t t = 0; t < count; t++) { /* whatever is read is sound */
        size_t at = (size_t)accordi_rng_below(&rng, text.length);
        char old = text.data[at];
        text.data[at] = "0123456789,[]{}\"-e"[accordi_rng_below(&rng, 18)];
        enum accord_status status = accord_map_read(text.data, text.length, &again, &error);
        assert_true(status == ACCORD_OK || status == ACCORD_PARSE);
        refused += status == ACCORD_PARSE;
        if (status == ACCORD_OK) {
            uint64_t members = 0;
            for (size_t id = 0; id < again.classes; id++)
                members += again.each[id].members;
            assert_int_equal(members, (uint64_t)again.rows * again.columns);
            for (size_t i = 0; i < (size_t)again.rows * again.columns; i++)
                assert_true(again.class_of[i] < again.classes);
        }
        accord_map_clear(&again);
        text.data[at] = old;
    }
    assert_true(refused > count / 4);
    accord_map_clear(&map);
    accordi_buffer_clear(&text);
}

static void test_hostile_files(void **state)
{
    (void)state;
#define RECORD "\"record\": {\"accord\": 1}"
#define CLASS(members)                                                                             \
    "{\"members\": " members ", \"certified\": 0, \"row\": 0, \"column\": 0, " RECORD "}"
#define MAP(rows, columns, of, classes)                                                            \
    "{\"accord\": 1, \"map\": {\"rows\": " rows ", \"columns\": " columns ", \"class_of\": " of    \
    "}, \"classes\": " classes "}"
    static const struct {
        const char *text;
        bool good;
    } files[] = {
        {MAP("2", "3", "[[2,3,0]]", "[" CLASS("6") "]"), true},
        {MAP("2", "3", "[[1,3,0],[1,1,0,2,0]]", "[" CLASS("6") "]"), true},
        {MAP("2", "3", "[[2,3,0]]", "[" CLASS("5") "]"), false},
        {MAP("2", "3", "[[2,2,0]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[1,3,0]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[3,3,0]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[2,3,1]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[2,3,-1]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[2,4,0]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[2,0,0,3,0]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[0,3,0],[2,3,0]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[2,3]]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[2,3,0]", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "{}", "[" CLASS("6") "]"), false},
        {MAP("2", "3", "[[2,3,0]]", "[" CLASS("6") "," CLASS("1") "]"), false},
        {MAP("2", "3", "[[2,3,0]]", "[]"), false},
        {MAP("2", "3", "[[2,3,0]]", "{}"), false},
        {MAP("0", "3", "[[2,3,0]]", "[" CLASS("6") "]"), false},
        {MAP("4294967295", "4294967295", "[[4294967295,4294967295,0]]", "[" CLASS("6") "]"), false},
        {MAP("1e3", "3", "[[2,3,0]]", "[" CLASS("6") "]"), false},
        {MAP("\"2\"", "3", "[[2,3,0]]", "[" CLASS("6") "]"), false},
        {"{\"accord\": 2, \"map\": {}}", false},
        {"{\"accord\": 1}", false},
        {"[]", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        accord_map map;
        accord_error error;
        accordi_map_init(&map);
        enum accord_status status =
            accord_map_read(files[i].text, strlen(files[i].text), &map, &error);
        if ((status == ACCORD_OK) != files[i].good)
            fail_msg("%s: %s", files[i].text, status ? error.text : "read");
        assert_true(status == ACCORD_OK || status == ACCORD_PARSE);
        accord_map_clear(&map);
    }
}

static void test_pictures(void **state)
{
    (void)state;
    accord_map map;
    accordi_buffer text = {0};
    some_map(&map, 3, 5, last_column);
    write_map(&map, "report", &text);
    assert_non_null(strstr(text.data, "      0 AAAAB\n      1 AAAAB\n      2 AAAAB\n"));
    assert_non_null(strstr(text.data, "12 of 15 elements (80.0 %), the first at 0,0"));
    assert_non_null(strstr(text.data, "every element certified"));
    write_map(&map, "svg", &text);
    assert_non_null(strstr(text.data, "M0 0h4v3h-4z"));
    assert_non_null(strstr(text.data, "M4 0h1v3h-1z"));
    assert_non_null(strstr(text.data, "<svg id=\"t1\""));
    accord_map_clear(&map);
    some_map(&map, 4, 200, last_column); /* does not fit: four columns to a mark */
    write_map(&map, "report", &text);
    assert_non_null(strstr(text.data, "A mark is"));
    assert_non_null(strstr(text.data, "AAAAAAAAAAAa\n"));
    accord_map_clear(&map);
    some_map(&map, 30, 1, lone_element); /* one line */
    write_map(&map, "report", &text);
    assert_non_null(strstr(text.data, "      0 AAAAAAAAAAAAAAABAAAAAAAAAAAAAA\n"));
    accord_map_clear(&map);
    accordi_buffer_clear(&text);
}

/* ---- real libraries ---- */

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
        cmocka_unit_test(test_patterns_come_back),
        cmocka_unit_test(test_fused_nodes),
        cmocka_unit_test(test_an_exchange_is_found),
        cmocka_unit_test(test_the_certificate_finds_it_alone),
        cmocka_unit_test(test_the_same_order_in_other_arithmetic),
        cmocka_unit_test(test_elements_come_back),
        cmocka_unit_test(test_an_element_is_asked_alone),
        cmocka_unit_test(test_elements_without_answer),
        cmocka_unit_test(test_results_that_differ_from_run_to_run),
        cmocka_unit_test(test_wrong_questions),
        cmocka_unit_test(test_interruptions),
        cmocka_unit_test(test_replays_tell_wrong_models),
        cmocka_unit_test(test_slates),
        cmocka_unit_test(test_json_comes_back),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_hostile_files),
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_openblas_has_two_classes),
        cmocka_unit_test(test_libraries_with_one_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
