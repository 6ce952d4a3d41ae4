/* Packed rows: the same bits come back, what repeats takes no memory, and rows that are asked for
 * and replayed give the same, packed or not. */
#include "reveal/arithmetic/rivals.h"
#include "reveal/probes/dense_rows.h"
#include "trials.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static size_t any(accordi_rng *rng, size_t count)
{
    return (size_t)accordi_rng_below(rng, count);
}

static uint64_t number_at(const void *row, size_t size, size_t at)
{
    uint64_t number = 0;
    memcpy(&number, (const char *)row + at * size, size);
    return number;
}

static void put_number(void *row, size_t size, size_t at, uint64_t number)
{
    memcpy((char *)row + at * size, &number, size);
}

/* Any bits, NaN too: stretches that repeat one number or what stands a period before, long or just
 * too short to count, among others. */
static void draw_stretches(accordi_rng *rng, void *row, size_t size, size_t n)
{
    for (size_t at = 0, end; at < n; at = end) {
        enum { FRESH, ONE, PERIOD, NEARLY, WAYS };
        size_t way = any(rng, WAYS), most = any(rng, 2) ? 70 : n;
        size_t back = way == ONE ? 1 : way == PERIOD ? ACCORDI_LONG_PERIOD : 2;
        end = at + 1 + any(rng, most);
        end = end < n ? end : n;
        for (size_t i = at; i < end; i++)
            put_number(row, size, i,
                       way == FRESH || i < back ? accordi_rng_next(rng)
                                                : number_at(row, size, i - back));
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials_at_least(20); t++) {
        const bool f32 = t % 2;
        const size_t size = f32 ? sizeof(float) : sizeof(double);
        size_t n = t % 4 ? 1 + any(&rng, 3 * ACCORDI_LONG_PERIOD) : 1 + any(&rng, 200);
        char *row = calloc(n, size), *back = calloc(n, size);
        accordi_buffer packed = {0};
        assert_true(row && back);
        draw_stretches(&rng, row, size, n);
        accordi_row_pack(&packed, row, n, f32);
        assert_false(packed.failed);
        accordi_row_unpack(&packed, back, n, f32);
        assert_memory_equal(row, back, n * size);
        accordi_buffer_clear(&packed);
        free(row);
        free(back);
    }
}

/* ---- how much memory they take ---- */

static size_t packed_bytes(const void *row, size_t n, bool f32)
{
    accordi_buffer packed = {0};
    accordi_row_pack(&packed, row, n, f32);
    size_t bytes = packed.length;
    assert_false(packed.failed);
    accordi_buffer_clear(&packed);
    return bytes;
}

static void test_few_among_one(void **state)
{
    (void)state;
    enum { N = ACCORDI_LONG_ROW + 1, FEW = 10 };
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    double *row = calloc(N, sizeof *row);
    assert_non_null(row);
    for (size_t i = 0; i < N; i++)
        row[i] = -0.0;
    for (size_t i = 0; i < FEW; i++)
        row[any(&rng, N)] = 1 + accordi_rng_unit(&rng);
    assert_true(packed_bytes(row, N, false) < (size_t)FEW * 100);
    free(row);
}

/* Inputs at the ends of the range, which are drawn at random term by term. */
static void test_long_edges(void **state)
{
    (void)state;
    enum { N = ACCORDI_LONG_ROW + 12345 };
    accord_arithmetic *how = NULL;
    accord_error error = {.status = ACCORD_OK};
    float *x = calloc(N, sizeof *x), *y = calloc(N, sizeof *y);
    assert_true(x && y);
    assert_int_equal(accord_arithmetic_plain(ACCORD_TERM_PRODUCT, ACCORD_F32, ACCORD_F32,
                                             ACCORD_F32, &how, &error),
                     ACCORD_OK);
    for (int has_start = 0; has_start < 2; has_start++) {
        how->beta = has_start;
        const accordi_draw draw = {
            .n = N, .seed = trials_seed(), .format = ACCORD_F32, .is_f32 = true, .products = true};
        const accordi_purpose purpose = {.draw = &draw, .how = how, .has_start = has_start};
        for (size_t number = 0; number < 8; number++) {
            accordi_rival_edge(&purpose, number, x, y);
            size_t most = (ACCORDI_LONG_PERIOD + 100) * sizeof *x;
            assert_true(packed_bytes(x, N, true) < most && packed_bytes(y, N, true) < most);
            size_t some = 0;
            for (size_t i = N - ACCORDI_LONG_PERIOD; i < N; i++)
                some += x[i] != 0 && isfinite(x[i]);
            assert_true(some > 0);
        }
    }
    free(x);
    free(y);
    accord_arithmetic_free(how);
}

/* ---- packed or not, they give the same ---- */

enum { TERMS = 300, ROWS = 9 };

static double add_up(void *context, const void *x, size_t n)
{
    const double *term = x;
    double sum = 0;
    (void)context;
    for (size_t i = 0; i < n; i++)
        sum += term[i];
    return sum;
}

static void fill_rows(accordi_dense *d, accordi_rng *rng)
{
    for (int r = 0; r < ROWS; r++) {
        double *x = accordi_dense_first(d, d->rows), *y = accordi_dense_second(d, d->rows);
        double often = accordi_rng_unit(rng);
        for (size_t i = 0; i < TERMS; i++) {
            x[i] = any(rng, 50) ? often : accordi_rng_unit(rng);
            if (y)
                y[i] = accordi_rng_unit(rng);
        }
        assert_int_equal(accordi_dense_add(d), ACCORD_OK);
    }
}

/* Row 7 is the new row 2, and there are no more. */
static void forget_rows(accordi_dense *d)
{
    accordi_dense_move(d, 7, 2);
    accordi_dense_move(d, 0, 0);
    d->rows = 3;
}

static void compare_rows(accordi_asker *asker, const accord_tree *tree, bool products)
{
    accord_arithmetic *how = NULL;
    accordi_dense plain, packed;
    uint64_t seed = accordi_rng_next(&asker->rng);
    accordi_rng first, second;
    accordi_rng_init(&first, seed);
    accordi_rng_init(&second, seed);
    assert_int_equal(accordi_dense_init(&plain, asker, ROWS, products), ACCORD_OK);
    assert_int_equal(accordi_dense_share_packed(&packed, asker, ROWS, products), ACCORD_OK);
    fill_rows(&plain, &first);
    fill_rows(&packed, &second);
    assert_int_equal(accord_arithmetic_plain(products ? ACCORD_TERM_PRODUCT : ACCORD_TERM_VALUE,
                                             ACCORD_F64, ACCORD_F64, ACCORD_F64, &how, NULL),
                     ACCORD_OK);
    const accord_model model = {tree, how};
    for (int pass = 0; pass < 2; pass++) {
        size_t rows = plain.rows, from = 1;
        double due[2][ROWS];
        assert_int_equal(packed.rows, rows);
        accordi_dense_replay_some(&plain, from, rows - from, &model, due[0]);
        accordi_dense_replay_some(&packed, from, rows - from, &model, due[1]);
        assert_memory_equal(due[0], due[1], (rows - from) * sizeof due[0][0]);
        assert_true(due[0][0] != due[0][1]);
        if (!products) {
            accordi_dense_ask_some(&packed, from, rows - from, packed.seen + from);
            assert_memory_equal(packed.seen + from, due[0], (rows - from) * sizeof due[0][0]);
        }
        for (size_t r = 0; r < rows; r++) {
            accordi_dense_bring(&packed, r);
            assert_memory_equal(packed.row[r], plain.row[r], plain.bytes);
            if (products)
                assert_memory_equal(packed.row[ROWS + r], plain.row[ROWS + r], plain.bytes);
        }
        if (pass == 0) {
            forget_rows(&plain);
            forget_rows(&packed);
        }
    }
    assert_int_equal(asker->status, ACCORD_OK);
    accordi_dense_clear(&plain);
    accordi_dense_clear(&packed);
    accord_arithmetic_free(how);
}

static void test_dense_rows(void **state)
{
    (void)state;
    accord_target *target = NULL;
    accord_tree *tree = NULL;
    accord_error error = {.status = ACCORD_OK};
    accordi_asker asker;
    uint32_t parent[2 * TERMS];
    for (uint32_t i = 0; i < 2 * TERMS - 1; i++)
        parent[i] = i < 2 ? TERMS : i < TERMS ? TERMS + i - 1 : i + 1;
    parent[2 * TERMS - 2] = ACCORD_TREE_NO_NODE;
    assert_int_equal(accord_tree_from_parents(TERMS, TERMS - 1, parent, &tree, &error), ACCORD_OK);
    assert_int_equal(accord_target_from_callback(add_up, NULL, TERMS, false, &target, &error),
                     ACCORD_OK);
    accordi_ask_init(&asker, target, trials_seed(), &error);
    for (size_t t = 0; t < trials_at_least(4); t++)
        compare_rows(&asker, tree, t % 2);
    accordi_ask_clear(&asker);
    accord_target_close(target);
    accord_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_few_among_one),
        cmocka_unit_test(test_long_edges),
        cmocka_unit_test(test_dense_rows),
    };
    return cmocka_run_group_tests_name("packed_rows", tests, NULL, NULL);
}
