/* Long sums that have no fixed order, since it depends on the values, or that are kept
 * within bounds: they are refused for their
 * reason within few calls. And wide fused sums, which look like these at first, are found. */
#include "base/base.h"
#include "targets/synthetic/synthetic.h"
#include "trials.h"
#include <accord/record.h>
#include <accord/reveal.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- sums by value ---- */

typedef struct box {
    bool f32;
    double (*sum)(const struct box *b, double *x, size_t n); /* may write to x */
} box;

static double plus(const box *b, double x, double y)
{
    return b->f32 ? (double)((float)x + (float)y) : x + y;
}

static double in_order(const box *b, double *x, size_t n)
{
    double sum = x[0];
    for (size_t i = 1; i < n; i++)
        sum = plus(b, sum, x[i]);
    return sum;
}

static double signs_apart(const box *b, double *x, size_t n)
{
    double sum[2] = {0, 0};
    for (size_t i = 0; i < n; i++)
        sum[x[i] < 0] = plus(b, sum[x[i] < 0], x[i]);
    return plus(b, sum[0], sum[1]);
}

static double signs_apart_in_lanes(const box *b, double *x, size_t n)
{
    enum { LANES = 8 };
    double sum[LANES][2] = {{0}}, all = 0;
    for (size_t i = 0; i < n; i++)
        sum[i % LANES][x[i] < 0] = plus(b, sum[i % LANES][x[i] < 0], x[i]);
    for (size_t k = 0; k < LANES; k++)
        all = plus(b, all, plus(b, sum[k][0], sum[k][1]));
    return all;
}

static double magnitudes_first(const box *b, double *x, size_t n)
{
    double all = 0, negative = 0;
    for (size_t i = 0; i < n; i++)
        all = plus(b, all, fabs(x[i]));
    for (size_t i = 0; i < n; i++)
        negative = x[i] < 0 ? plus(b, negative, x[i]) : negative;
    return plus(b, all, 2 * negative);
}

static int upwards(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_size(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

static int by_falling_size(const void *a, const void *b)
{
    return by_size(b, a);
}

static double sorted(const box *b, double *x, size_t n)
{
    qsort(x, n, sizeof *x, upwards);
    return in_order(b, x, n);
}

static double sorted_by_size(const box *b, double *x, size_t n)
{
    qsort(x, n, sizeof *x, by_size);
    return in_order(b, x, n);
}

static double sorted_by_falling_size(const box *b, double *x, size_t n)
{
    qsort(x, n, sizeof *x, by_falling_size);
    return in_order(b, x, n);
}

static double neumaier(const box *b, double *x, size_t n)
{
    double sum = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        double next = plus(b, sum, x[i]), more = fabs(sum) >= fabs(x[i]) ? sum : x[i];
        lost = plus(b, lost, plus(b, plus(b, more, -next), more == sum ? x[i] : sum));
        sum = next;
    }
    return plus(b, sum, lost);
}

static double kahan(const box *b, double *x, size_t n)
{
    double sum = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        double term = plus(b, x[i], -lost), next = plus(b, sum, term);
        lost = plus(b, plus(b, next, -sum), -term);
        sum = next;
    }
    return sum;
}

static double within(double x, double bound)
{
    return x > bound ? bound : x < -bound ? -bound : x;
}

static double saturating(const box *b, double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = within(plus(b, sum, x[i]), 0x1p100);
    return sum;
}

static double clamped(const box *b, double *x, size_t n)
{
    return within(in_order(b, x, n), 1e6);
}

static double call(void *context, const void *terms, size_t n)
{
    const box *b = context;
    double *x = malloc(n * sizeof *x), result;
    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = b->f32 ? (double)((const float *)terms)[i] : ((const double *)terms)[i];
    result = b->sum(b, x, n);
    free(x);
    return result;
}

/* With the most calls in all, of which the recorded answers take 2,200; pairs of 5,000 terms are 12
 * million. */
static const struct {
    const char *name;
    double (*sum)(const box *b, double *x, size_t n);
    enum accord_reason reason;
    int64_t calls;
} boxes[] = {
    {"signs apart", signs_apart, ACCORD_REASON_DATA_DEPENDENT, 4000},
    {"signs apart in lanes", signs_apart_in_lanes, ACCORD_REASON_DATA_DEPENDENT, 9000},
    {"magnitudes first", magnitudes_first, ACCORD_REASON_DATA_DEPENDENT, 4000},
    {"sorted", sorted, ACCORD_REASON_DATA_DEPENDENT, 4000},
    {"sorted by size", sorted_by_size, ACCORD_REASON_DATA_DEPENDENT, 4000},
    {"sorted by falling size", sorted_by_falling_size, ACCORD_REASON_NOT_A_TREE, 15000},
    {"Kahan", kahan, ACCORD_REASON_COMPENSATED, 13000},
    {"Neumaier", neumaier, ACCORD_REASON_COMPENSATED, 15000},
    {"saturating", saturating, ACCORD_REASON_SATURATING, 4000},
    {"clamped", clamped, ACCORD_REASON_CLAMPED_RESULT, 4000},
};

static void test_sums_by_value(void **state)
{
    enum { TERMS = 5000, ROWS = 2 * sizeof boxes / sizeof *boxes };
    uint64_t seed = trials_seed();
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        if (!trial_runs(i, seed))
            continue;
        box b = {.f32 = i % 2, .sum = boxes[i / 2].sum};
        accord_target *target = NULL;
        accord_record *record = accord_record_new();
        accord_error error = {.status = ACCORD_OK};
        accord_reveal_options options;
        accord_reveal_options_init(&options);
        options.seed = seed;
        options.budget_calls = 100000;
        assert_int_equal(accord_target_from_callback(call, &b, TERMS, b.f32, &target, NULL),
                         ACCORD_OK);
        enum accord_status status = accord_reveal(target, &options, record, &error);
        int64_t calls = record->discovery_calls + record->certificate_calls;
        bool good = status == ACCORD_UNABLE && error.reason == boxes[i / 2].reason &&
                    calls <= boxes[i / 2].calls;
        printf("# %s%s %s: %" PRId64 " calls, at most %" PRId64 ": %s\n", good ? "" : "WRONG ",
               b.f32 ? "f32" : "f64", boxes[i / 2].name, calls, boxes[i / 2].calls, error.text);
        wrong += !good;
        accord_record_free(record);
        accord_target_close(target);
    }
    assert_int_equal(wrong, 0);
}

/* ---- an arithmetic that is not known ---- */

static double at_the_end(void *context, const void *terms, size_t n)
{
    const float *x = terms;
    float sum = 0;
    (void)context;
    for (size_t i = 0; i < n; i++)
        sum = (float)within(sum + x[i], FLT_MAX);
    return sum;
}

/* Only where sums overflow: then each of so many nodes is not asked again. */
static void test_unknown_arithmetic(void **state)
{
    enum { TERMS = (1 << 18) + 1, CALLS = 20000 };
    accord_target *target = NULL;
    accord_record *record = accord_record_new();
    accord_error error = {.status = ACCORD_OK};
    const accord_reveal_options options = {
        .size = sizeof options, .seed = trials_seed(), .budget_calls = TERMS};
    (void)state;
    assert_int_equal(accord_target_from_callback(at_the_end, NULL, TERMS, true, &target, NULL),
                     ACCORD_OK);
    assert_int_equal(accord_reveal(target, &options, record, &error), ACCORD_UNABLE);
    assert_int_equal(error.reason, ACCORD_REASON_NOT_PLAIN);
    assert_true(record->discovery_calls + record->certificate_calls < CALLS);
    assert_false(record->proven);
    assert_non_null(strstr(record->verdict, "if every addition rounds to nearest, which is not"));
    accord_record_free(record);
    accord_target_close(target);
}

/* ---- wide fused sums ---- */

/* A fused sum of many children, each a chain of `size` terms; `apart` numbers these far from each
 * other. */
static accord_tree *wide_node(uint32_t children, uint32_t size, bool apart)
{
    uint32_t n = children * size, inner = children * (size - 1) + 1, root = n + inner - 1;
    uint32_t *parent = accordi_alloc((size_t)n + inner, sizeof *parent);
    accord_tree *tree = NULL;
    assert_non_null(parent);
    for (uint32_t c = 0; c < children; c++) {
        uint32_t node = n + c * (size - 1);
        for (uint32_t i = 0; i < size; i++)
            parent[apart ? i * children + c : c * size + i] =
                size == 1 ? root : node + (i > 1 ? i - 1 : 0);
        for (uint32_t k = 0; k + 1 < size; k++)
            parent[node + k] = k + 2 < size ? node + k + 1 : root;
    }
    parent[root] = ACCORD_TREE_NO_NODE;
    assert_int_equal(accord_tree_from_parents(n, inner, parent, &tree, NULL), ACCORD_OK);
    free(parent);
    return tree;
}

static void test_wide_nodes(void **state)
{
    accordi_rng rng;
    (void)state;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < trials(24); t++) {
        uint32_t children = 34 + (uint32_t)accordi_rng_below(&rng, 60);
        enum accord_format format = t % 2 ? ACCORD_F64 : ACCORD_F32;
        accord_tree *tree = wide_node(children, 1 + t / 2 % 4, accordi_rng_next(&rng) >> 63);
        accord_target *target = NULL;
        accord_record *record = accord_record_new();
        accord_error error = {.status = ACCORD_OK};
        accord_reveal_options options;
        accord_reveal_options_init(&options);
        options.seed = accordi_rng_next(&rng);
        options.no_certificate = true; /* the arithmetic of such a mixture is no model's */
        assert_int_equal(accordi_synthetic_from_tree(tree, format, format, &target, NULL),
                         ACCORD_OK);
        if (accord_reveal(target, &options, record, &error))
            fail_msg("%u children of %zu: %s", children, 1 + t / 2 % 4, error.text);
        assert_true(accord_tree_equal(record->tree, tree));
        accord_record_free(record);
        accord_target_close(target);
        accord_tree_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_by_value),
        cmocka_unit_test(test_unknown_arithmetic),
        cmocka_unit_test(test_wide_nodes),
    };
    return cmocka_run_group_tests_name("gives_up", tests, NULL, NULL);
}
