/* Methods of reduction: their order, by a second implementation, by replay and by revealing it; the
 * bits of a V100; live threads, and what is refused. */
#include "format/format.h"
#include "trials.h"
#include <accord/model.h>
#include <accord/reveal.h>
#include <accord/vary.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST = 3000 };
static accordi_rng rng;

static size_t below(size_t bound)
{
    return (size_t)accordi_rng_below(&rng, bound);
}

static const accord_method *method_of(const char *name)
{
    const accord_method *method = accord_method_by_name(name);
    assert_non_null(method);
    return method;
}

static void draw_any(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (accordi_rng_unit(&rng) - .4) * accordi_power_of_two((int)below(40));
}

static accord_reduction draw_reduction(const accord_method *method)
{
    return (accord_reduction){.method = method,
                              .n = 1 + below(below(2) ? MOST : 40),
                              .block = 1u << below(11),
                              .grid = (uint32_t)(below(2) ? below(20) : 0)};
}

/* ---- a second implementation: each thread on its own, as the paper has it ---- */

static double by_thread(const accord_reduction *r, size_t grid, const double *x, size_t n, size_t b,
                        size_t t)
{
    double m = 0;
    for (size_t i = 2 * r->block * b + t; i < n; i += 2 * r->block * grid) {
        m += x[i];
        if (i + r->block < n)
            m += x[i + r->block];
    }
    return m;
}

static double by_block(const accord_reduction *r, size_t grid, const double *x, size_t n, size_t b)
{
    double m[1024];
    for (size_t t = 0; t < r->block; t++)
        m[t] = by_thread(r, grid, x, n, b, t);
    for (size_t offset = r->block / 2; offset > 0; offset /= 2)
        for (size_t t = 0; t < offset; t++)
            m[t] += m[t + offset];
    return m[0];
}

static double by_hand(const accord_reduction *r, const double *x, const uint32_t *arrival)
{
    size_t grid = (r->n + 2 * r->block - 1) / (2 * r->block);
    double part[MOST], sum = 0, c = 0;
    if (r->grid && r->grid < grid)
        grid = r->grid;
    if (!r->method->blocks)
        grid = r->n;
    for (size_t b = 0; b < grid; b++)
        part[b] = r->method->blocks ? by_block(r, grid, x, r->n, b) : x[b];
    if (r->method->last == ACCORD_LAST_PAIRWISE)
        return by_block(r, 1, part, grid, 0);
    for (size_t i = 0; i < grid; i++) {
        double p = part[r->method->last == ACCORD_LAST_ATOMIC ? arrival[i] : i], t = sum + p;
        if (r->method->compensated)
            c += fabs(sum) > fabs(p) ? (sum - t) + p : (p - t) + sum;
        sum = t;
    }
    return sum + c;
}

static double replay(const accord_tree *tree, const double *x)
{
    accord_arithmetic *arithmetic;
    double result;
    assert_int_equal(accord_arithmetic_plain(ACCORD_TERM_VALUE, ACCORD_F64, ACCORD_F64, ACCORD_F64,
                                             &arithmetic, NULL),
                     ACCORD_OK);
    const accord_model model = {tree, arithmetic};
    const void *row[] = {x};
    const accord_rows rows = {.rows = 1, .x = row};
    assert_int_equal(accord_model_replay(&model, &rows, &result, NULL), ACCORD_OK);
    accord_arithmetic_free(arithmetic);
    return result;
}

static void test_orders(void **state)
{
    (void)state;
    static double x[MOST];
    static uint32_t arrival[MOST];
    const accord_method *method;
    for (size_t m = 0; (method = accord_method_at(m)) != NULL; m++) {
        for (size_t i = 0; i < trials(30) && method->last != ACCORD_LAST_LIBRARY; i++) {
            const accord_reduction r = draw_reduction(method);
            const accord_schedule waves = {(uint32_t)below(9), (uint32_t)below(5)};
            size_t parts;
            double sum;
            draw_any(x, r.n);
            assert_int_equal(accord_reduction_parts(&r, &parts, NULL), ACCORD_OK);
            assert_int_equal(accord_schedule_draw(&waves, i, m, parts, arrival, NULL), ACCORD_OK);
            assert_int_equal(accord_reduction_sum(&r, x, arrival, &sum, NULL), ACCORD_OK);
            assert_true(accordi_same_bits(sum, by_hand(&r, x, arrival)));
            if (method->compensated)
                continue;
            accord_tree *tree;
            assert_int_equal(accord_reduction_tree(&r, arrival, &tree, NULL), ACCORD_OK);
            assert_int_equal(accord_tree_check(tree, NULL), ACCORD_OK);
            assert_int_equal(tree->leaves, r.n);
            assert_true(accordi_same_bits(sum, replay(tree, x)));
            accord_tree_free(tree);
        }
    }
}

/* ---- live threads ---- */

typedef struct live {
    accord_reduction reduction;
    accord_sampling sampling;
} live;

static double sum_live(void *context, const void *x, size_t n)
{
    const live *l = context;
    double sum = NAN;
    (void)n;
    accord_method_device_by_name("threads")->run(&l->reduction, x, &l->sampling, &sum, NULL, NULL);
    return sum;
}

static void test_revealed(void **state)
{
    (void)state;
    static const char *const names[] = {"SPTR", "SPRG", "TPRC", "SPTR-shuffle"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        live l = {.reduction = {.method = method_of(names[i]), .n = 150, .block = 8, .grid = 7},
                  .sampling = {.samples = 1, .threads = 3}};
        accord_target *target;
        accord_record *record = accord_record_new();
        accord_tree *tree;
        assert_non_null(record);
        assert_int_equal(
            accord_target_from_callback(sum_live, &l, l.reduction.n, false, &target, NULL),
            ACCORD_OK);
        const accord_reveal_options options = {.replays = 50};
        assert_int_equal(accord_reveal(target, &options, record, NULL), ACCORD_OK);
        assert_int_equal(accord_reduction_tree(&l.reduction, NULL, &tree, NULL), ACCORD_OK);
        assert_true(accord_tree_equal(record->tree, tree));
        accord_tree_free(tree);
        accord_record_free(record);
        accord_target_close(target);
    }
}

/* Sums whose bits do not depend on the order are the same on threads, by every method. */
static void test_live(void **state)
{
    (void)state;
    static double x[MOST], result[3];
    static uint32_t arrival[3 * MOST];
    const accord_method_device *device = accord_method_device_by_name("threads");
    const accord_method *method;
    for (size_t m = 0; (method = accord_method_at(m)) != NULL; m++) {
        for (size_t i = 0; i < trials(4) && method->last != ACCORD_LAST_LIBRARY; i++) {
            const accord_reduction r = draw_reduction(method);
            const accord_sampling sampling = {.samples = 3, .threads = (int)below(9)};
            size_t parts;
            double sum = 0;
            for (size_t k = 0; k < r.n; k++)
                sum += x[k] = (double)below(1000) - 300;
            assert_int_equal(accord_reduction_parts(&r, &parts, NULL), ACCORD_OK);
            assert_int_equal(device->run(&r, x, &sampling, result, NULL, NULL), ACCORD_OK);
            assert_int_equal(device->run(&r, x, &sampling, NULL, arrival, NULL), ACCORD_OK);
            for (size_t k = 0; k < 3; k++) {
                assert_true(result[k] == sum);
                bool seen[MOST] = {false};
                for (size_t turn = 0; turn < parts; turn++) {
                    uint32_t part = arrival[k * parts + turn];
                    assert_true(part < parts && !seen[part]);
                    seen[part] = true;
                }
            }
        }
    }
}

static void test_cross_platform(void **state)
{
    (void)state;
    static double x[ACCORD_CROSS_PLATFORM_TERMS];
    const accord_draw_options options = {.distribution = ACCORD_DISTRIBUTION_CROSS_PLATFORM};
    accord_mt19937 generator;
    accord_mt19937_init(&generator, ACCORD_CROSS_PLATFORM_SEED);
    for (size_t i = 0; i < 5; i++) {
        const accord_reduction r = {.method =
                                        method_of(i % 2 ? "TPRC-kahan" : "TPRC-kahan-shuffle"),
                                    .n = ACCORD_CROSS_PLATFORM_TERMS,
                                    .block = ACCORD_CROSS_PLATFORM_BLOCK};
        const accord_sampling sampling = {.samples = 1, .threads = 5};
        assert_int_equal(accord_draw(&generator, &options, r.n, x, NULL), ACCORD_OK);
        for (size_t d = 0; d < 2; d++) {
            double sum;
            assert_int_equal(accord_method_device_at(d)->run(&r, x, &sampling, &sum, NULL, NULL),
                             ACCORD_OK);
            assert_true(accordi_bits_of(sum) == accord_cross_platform_bits(i));
        }
    }
}

/* ---- where there is little to sum ---- */

static void test_threads_change_nothing(void **state)
{
    (void)state;
    static double x[MOST], one[50], many[50], late[20];
    const accord_reduction r = {.method = method_of("AO"), .n = MOST};
    draw_any(x, MOST);
    accord_sampling sampling = {.samples = 50, .seed = 3, .threads = 1};
    accord_method_device_at(0)->run(&r, x, &sampling, one, NULL, NULL);
    sampling.threads = 7;
    accord_method_device_at(0)->run(&r, x, &sampling, many, NULL, NULL);
    assert_memory_equal(one, many, sizeof one);
    sampling.first = 30;
    sampling.samples = 20;
    accord_method_device_at(0)->run(&r, x, &sampling, late, NULL, NULL);
    assert_memory_equal(one + 30, late, sizeof late);
}

static void test_special(void **state)
{
    (void)state;
    static const struct row {
        double x[3], sum;
    } rows[] = {{{1, NAN, 2}, NAN},
                {{INFINITY, 1, 1}, INFINITY},
                {{INFINITY, -INFINITY, 0}, NAN},
                {{-0.0, -0.0, -0.0}, 0},
                {{1, -1, 0}, 0},
                {{.1, .1, .1}, .1 + .1 + .1},
                {{7, 0, 0}, 7}};
    const accord_method *method;
    for (size_t m = 0; (method = accord_method_at(m)) != NULL; m++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            for (size_t d = 0; d < 2 && method->last != ACCORD_LAST_LIBRARY; d++) {
                const accord_reduction r = {.method = method, .n = i == 6 ? 1 : 3, .block = 1};
                const accord_sampling sampling = {.samples = 2, .threads = 2};
                bool compensated = method->compensated;
                double result[2], sum = compensated && i == 1 ? NAN : rows[i].sum;
                uint64_t nan = 0x7ff8000000000000u;
                assert_int_equal(
                    accord_method_device_at(d)->run(&r, rows[i].x, &sampling, result, NULL, NULL),
                    ACCORD_OK);
                if (i == 5) /* the order of three equal terms does not matter */
                    assert_true(fabs(result[0] - sum) <= 0x1p-54);
                else
                    assert_true(accordi_bits_of(result[1]) ==
                                (isnan(sum) ? nan : accordi_bits_of(sum)));
            }
}

static void test_refused(void **state)
{
    (void)state;
    accord_reduction r = {.method = method_of("CU"), .n = 3};
    const accord_sampling none = {.samples = 0};
    double x[3] = {1, 2, 3}, result = 5;
    accord_tree *tree = NULL;
    accord_error error;
    size_t parts = 77;
    assert_int_equal(accord_reduction_parts(&r, &parts, &error), ACCORD_UNSUPPORTED);
    assert_non_null(strstr(error.text, "CUDA"));
    for (size_t d = 0; d < 2; d++)
        assert_int_equal(accord_method_device_at(d)->run(&r, x, &none, &result, NULL, &error),
                         ACCORD_UNSUPPORTED);
    r.method = method_of("SPRG-kahan");
    assert_int_equal(accord_reduction_tree(&r, NULL, &tree, &error), ACCORD_UNSUPPORTED);
    assert_null(tree);
    r.block = 48;
    assert_int_equal(accord_reduction_sum(&r, x, NULL, &result, &error), ACCORD_ARG);
    r.block = 2048;
    assert_int_equal(accord_reduction_sum(&r, x, NULL, &result, &error), ACCORD_ARG);
    r.block = 0;
    r.n = 0;
    assert_int_equal(accord_reduction_sum(&r, x, NULL, &result, &error), ACCORD_ARG);
    r.n = 3;
    r.method = NULL;
    assert_int_equal(accord_reduction_sum(&r, x, NULL, &result, &error), ACCORD_ARG);
    r.method = method_of("AO");
    for (size_t d = 0; d < 2; d++)
        assert_int_equal(accord_method_device_at(d)->run(&r, x, &none, &result, NULL, &error),
                         ACCORD_OK);
    assert_true(result == 5 && parts == 77);
    assert_null(accord_method_by_name("ao"));
    assert_ptr_equal(accord_method_by_name("atomic_only"), r.method);
    assert_null(accord_method_device_by_name("abacus"));
    assert_null(accord_method_device_by_name("threads:1"));
    assert_null(accord_method_device_by_name("opencl:"));
    assert_string_equal(accord_method_device_by_name("opencl:1")->name, "opencl");
    assert_string_equal(accord_method_device_which("opencl:my GPU"), "my GPU");
    assert_null(accord_method_device_which("opencl"));
    assert_null(accord_distribution_name(ACCORD_DISTRIBUTION_COUNT));
    assert_true(accord_cross_platform_bits(ACCORD_CROSS_PLATFORM_ARRAYS) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_revealed),
        cmocka_unit_test(test_live),
        cmocka_unit_test(test_cross_platform),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_special),
        cmocka_unit_test(test_refused),
    };
    accordi_rng_init(&rng, trials_seed());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
