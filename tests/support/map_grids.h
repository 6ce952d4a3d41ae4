/* Grids whose elements add along trees drawn at random, in patterns of classes, for tests of maps.
 */
#ifndef MAP_GRIDS_H
#define MAP_GRIDS_H

#include "map/map.h"
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

static inline float add_up(grid *g, const accord_tree *tree, bool fused, const float *x,
                           const float *y)
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

static inline void call(void *context, const accord_grid *asked, double *results)
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

static inline void grid_init(grid *g, size_t rows, size_t columns, size_t n)
{
    *g = (grid){.rows = rows, .columns = columns, .n = n};
    g->of = calloc(rows * columns, sizeof *g->of);
    g->value = calloc(2 * n, sizeof *g->value);
    assert_non_null(g->of);
    assert_non_null(g->value);
}

static inline void grid_clear(grid *g)
{
    for (size_t i = 0; i < g->trees; i++)
        accord_tree_free(g->tree[i]);
    free(g->of);
    free(g->value);
}

/* A tree unlike those before. */
static inline void grid_draw(grid *g, accordi_rng *rng, enum accordi_tree_kind kind)
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

/* With two trees, of these kinds. */
static inline void grid_of_two(grid *g, accordi_rng *rng, size_t rows, size_t columns, size_t n,
                               enum accordi_tree_kind one, enum accordi_tree_kind two)
{
    grid_init(g, rows, columns, n);
    grid_draw(g, rng, one);
    grid_draw(g, rng, two);
}

static inline accord_target *open_grid_as(grid *g,
                                          void (*give)(void *, const accord_grid *, double *))
{
    accord_grid_callback how = {.call = give,
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

static inline accord_target *open_grid(grid *g)
{
    return open_grid_as(g, call);
}

static inline enum accord_status map_grid(grid *g, uint64_t seed, accord_map *map,
                                          accord_error *error)
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
static inline void check(const grid *g, const accord_map *map)
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

/* Maps the grid, compares, and clears it. */
static inline void grid_comes_back(grid *g, uint64_t seed)
{
    accord_map map;
    accord_error error;
    assert_int_equal(map_grid(g, seed, &map, &error), ACCORD_OK);
    check(g, &map);
    accord_map_clear(&map);
    grid_clear(g);
}

/* ---- patterns ---- */

static inline void tile(grid *g)
{
    for (size_t i = 0; i < g->rows * g->columns; i++)
        g->of[i] = (uint16_t)((i / g->columns / 4 + i % g->columns / 3) % g->trees);
}

static inline void lone_element(grid *g)
{
    g->of[g->rows * g->columns / 2] = 1;
}

static inline void by_rows(grid *g)
{
    for (size_t i = 0; i < g->rows * g->columns; i++)
        g->of[i] = (uint16_t)(i / g->columns % g->trees);
}

static inline void last_column(grid *g)
{
    for (size_t i = 0; i < g->rows * g->columns; i++)
        g->of[i] = i % g->columns == g->columns - 1;
}

/* The tree with two of its leaves exchanged. */
static inline accord_tree *exchanged(const accord_tree *tree, accordi_rng *rng)
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

#endif
