/* Bounds with the arithmetics for study, MPFR and rational numbers: the same ends as the native
 * one. ACCORD_TEST_SCALE=20 compares 10^5 expressions. */
#include "../../src/cli/bounds/study.h"
#include "base/base.h"
#include "trials.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static accordi_rng rng;
static size_t compared;

static uint64_t below(uint64_t n)
{
    return accordi_rng_below(&rng, n);
}

static double number(enum accord_format f)
{
    const accord_format_info *row = accord_format_get(f);
    int range = row->max_exponent - row->min_exponent + row->precision;
    int exponent = below(3) ? (int)below(7) - 3
                            : row->min_exponent - row->precision + (int)below((uint64_t)range);
    double x = ldexp(below(2) ? 1 + accordi_rng_unit(&rng) : 1 + (double)below(8) / 8, exponent);
    x = below(30) ? x : below(2) ? 0 : row->greatest;
    return accord_format_round(f, ACCORD_NEAREST_EVEN, below(2) ? x : -x);
}

static uint32_t leaf(accord_bound_expression *e, enum accord_format f)
{
    double x = number(f), y = below(3) ? x : number(f);
    uint32_t node = 0;
    assert_int_equal(
        accord_bound_value(e, below(2) ? "x" : NULL, fmin(x, y), fmax(x, y), &node, NULL),
        ACCORD_OK);
    return node;
}

static void build(accord_bound_expression *e, enum accord_format f, bool all)
{
    static const enum accord_bound_operation kinds[] = {
        ACCORD_BOUND_MULTIPLY, ACCORD_BOUND_ADD,    ACCORD_BOUND_SUBTRACT, ACCORD_BOUND_MULTIPLY,
        ACCORD_BOUND_NEGATE,   ACCORD_BOUND_FMA,    ACCORD_BOUND_ASSIGN,   ACCORD_BOUND_ADD,
        ACCORD_BOUND_MULTIPLY, ACCORD_BOUND_DIVIDE, ACCORD_BOUND_SQRT};
    uint32_t node[24], n = 3 + (uint32_t)below(4), operations = 2 + (uint32_t)below(7);
    for (uint32_t i = 0; i < n; i++)
        node[i] = leaf(e, f);
    for (uint32_t i = 0; i < operations; i++, n++) {
        uint32_t operand[3] = {node[n - 1 - below(2)], node[below(n)], node[below(n)]};
        assert_int_equal(accord_bound_apply(e, kinds[below(all ? 11 : 9)], operand, &node[n], NULL),
                         ACCORD_OK);
    }
}

static bool same(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

static void compare(const accord_bound_expression *e, accord_bound_options *options,
                    const accord_bound *native, const char *name)
{
    accord_bound *bound = NULL;
    accord_error error;
    options->arithmetic = cli_study_arithmetic(name);
    if (accord_bound_evaluate(e, UINT32_MAX, options, &bound, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    if (!same(bound->low, native->low) || !same(bound->high, native->high) ||
        bound->may_be_nan != native->may_be_nan || bound->exact != native->exact)
        fail_msg("%s: [%a, %a], native: [%a, %a], model %u", name, bound->low, bound->high,
                 native->low, native->high, options->model);
    accord_bound_free(bound);
    compared++;
}

static void test_arithmetics(void **state)
{
    static const enum accord_format formats[] = {ACCORD_F64, ACCORD_F32, ACCORD_F16, ACCORD_BF16};
    static const unsigned models[] = {ACCORD_BOUND_WRITTEN,
                                      ACCORD_BOUND_CONTRACT,
                                      ACCORD_BOUND_CONTRACT_EXPR,
                                      ACCORD_BOUND_PAREN,
                                      ACCORD_BOUND_PERM,
                                      ACCORD_BOUND_LOOP | ACCORD_BOUND_CONTRACT,
                                      ACCORD_BOUND_EXCESS | ACCORD_BOUND_CONTRACT,
                                      ACCORD_BOUND_FTZ | ACCORD_BOUND_PAREN};
    (void)state;
    for (size_t i = 0; i < trials(5000); i++) {
        accord_bound_expression *e = NULL;
        accord_bound *native = NULL;
        accord_bound_options options;
        enum accord_format f = formats[below(4)];
        bool all = i % 2;
        accord_bound_options_init(&options);
        options.model = models[below(8)];
        assert_int_equal(accord_bound_expression_new(f, &e, NULL), ACCORD_OK);
        build(e, f, all);
        assert_int_equal(accord_bound_evaluate(e, UINT32_MAX, &options, &native, NULL), ACCORD_OK);
        compare(e, &options, native, "mpfr");
        if (!all)
            compare(e, &options, native, "rational");
        accord_bound_free(native);
        accord_bound_expression_free(e);
    }
    printf("# %zu comparisons\n", compared);
}

static void test_refused(void **state)
{
    accord_bound_expression *e = NULL;
    accord_bound *bound = NULL;
    accord_bound_options options;
    accord_error error;
    accord_bound_binding a = {"a", 2, 2};
    (void)state;
    accord_bound_options_init(&options);
    options.arithmetic = cli_study_arithmetic("rational");
    assert_int_equal(accord_bound_parse("sqrt(a) + 1/a", ACCORD_F64, 1, &a, &e, &error), ACCORD_OK);
    assert_int_equal(accord_bound_evaluate(e, UINT32_MAX, &options, &bound, &error),
                     ACCORD_UNSUPPORTED);
    accord_bound_expression_free(e);
    assert_null(cli_study_arithmetic("decimal"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetics),
        cmocka_unit_test(test_refused),
    };
    accordi_rng_init(&rng, trials_seed());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
