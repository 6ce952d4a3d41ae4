/* Bounds of random sums of products against every evaluation of the model: never outside, and for
 * points equal at both ends, NaN included. ACCORD_TEST_SCALE=100 tries a million cases. */
#include "base/base.h"
#include "bounds.h"
#include "every_way.h"
#include "trials.h"
#include <accord/accord.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* A sum of products; a factor may be another sum in parentheses. */
typedef struct sum sum;
typedef struct factor {
    double low, high, point;
    sum *inner;
    bool again; /* the factor before it, a number, once more: a square */
} factor;
struct sum {
    unsigned terms;
    bool minus[WAY_TERMS];
    unsigned factors[WAY_TERMS];
    factor factor[WAY_TERMS][WAY_FACTORS];
};

static accordi_rng rng;
static size_t cases, replays;

/* ---- random cases ---- */

enum kind { PLAIN, CANCELLING, SUBNORMAL, HUGE, ANY, KINDS };

static double few_bits(enum accord_format f)
{
    int p = accord_format_get(f)->precision;
    double x = 1 + accordi_rng_unit(&rng);
    if (accordi_rng_below(&rng, 3) == 0)
        x = 1 + (double)accordi_rng_below(&rng, 8) / 8 +
            ldexp((double)accordi_rng_below(&rng, 3), 1 - p);
    return accordi_rng_below(&rng, 2) ? x : -x;
}

static double number(enum accord_format f, enum kind kind, unsigned factors)
{
    const accord_format_info *row = accord_format_get(f);
    int exponent = (int)accordi_rng_below(&rng, 5) - 2, share = (int)factors;
    if (kind == SUBNORMAL)
        exponent =
            row->min_exponent / share - (int)accordi_rng_below(&rng, (uint64_t)row->precision);
    if (kind == HUGE)
        exponent = row->max_exponent / share + (int)accordi_rng_below(&rng, 3) - 1;
    if (kind == ANY)
        exponent = row->min_exponent +
                   (int)accordi_rng_below(&rng, (uint64_t)(row->max_exponent - row->min_exponent));
    uint64_t odd = accordi_rng_below(&rng, 40);
    if (odd < 2)
        return odd ? 0.0 : -0.0;
    if (odd == 2 && kind == HUGE)
        return row->greatest;
    return accord_format_round(f, ACCORD_NEAREST_EVEN, ldexp(few_bits(f), exponent));
}

static void draw_factor(enum accord_format f, enum kind kind, unsigned share, bool intervals,
                        factor *out)
{
    double x = number(f, kind, share), y = x;
    if (intervals && accordi_rng_below(&rng, 2) == 0) {
        y = accordi_rng_below(&rng, 2) ? x * (1 + accordi_rng_unit(&rng) / 8)
                                       : number(f, kind, share);
        y = accord_format_round(f, ACCORD_NEAREST_EVEN, y);
    }
    *out = (factor){fmin(x, y), fmax(x, y), x, NULL, false};
}

static sum *draw(enum accord_format f, enum kind kind, bool intervals, unsigned terms, int depth)
{
    sum *s = calloc(1, sizeof *s);
    s->terms = terms;
    for (unsigned i = 0; i < terms; i++) {
        bool again = kind == CANCELLING && i > 0 && accordi_rng_below(&rng, 2);
        unsigned like = again ? (unsigned)accordi_rng_below(&rng, i) : i;
        s->minus[i] = again ? !s->minus[like] : accordi_rng_below(&rng, 2);
        s->factors[i] =
            again ? s->factors[like] : 1 + (unsigned)accordi_rng_below(&rng, WAY_FACTORS);
        for (unsigned k = 0; k < s->factors[i]; k++) {
            factor *x = &s->factor[i][k];
            draw_factor(f, kind, s->factors[i], intervals, x);
            if (again && !s->factor[like][k].inner) { /* nearly the same product */
                *x = s->factor[like][k];
                x->again = false;
                if (accordi_rng_below(&rng, 3) == 0 && x->low == x->high)
                    x->low = x->high = x->point = accord_format_round(
                        f, ACCORD_NEAREST_EVEN,
                        x->low * (1 + ldexp(1, -accord_format_get(f)->precision)));
            } else if (depth && accordi_rng_below(&rng, 12) == 0) {
                x->inner = draw(f, kind, intervals, 2, depth - 1);
            } else if (k && !x[-1].inner && x[-1].low == x[-1].high &&
                       accordi_rng_below(&rng, 8) == 0) {
                *x = x[-1];
                x->again = true;
            }
        }
    }
    return s;
}

static void release(sum *s)
{
    for (unsigned i = 0; i < s->terms; i++)
        for (unsigned k = 0; k < s->factors[i]; k++)
            if (s->factor[i][k].inner)
                release(s->factor[i][k].inner);
    free(s);
}

/* A point of each interval, often an end. */
static void choose_points(enum accord_format f, sum *s)
{
    for (unsigned i = 0; i < s->terms; i++)
        for (unsigned k = 0; k < s->factors[i]; k++) {
            factor *x = &s->factor[i][k];
            uint64_t where = accordi_rng_below(&rng, 4);
            double between = x->low + (x->high - x->low) * accordi_rng_unit(&rng);
            between = accord_format_round(f, ACCORD_NEAREST_EVEN, between);
            x->point = where == 0                                ? x->low
                       : where == 1                              ? x->high
                       : between >= x->low && between <= x->high ? between
                                                                 : x->low;
            if (x->inner)
                choose_points(f, x->inner);
        }
}

/* ---- the case as an expression, and as a set ---- */

static uint32_t apply(accord_bound_expression *e, enum accord_bound_operation operation, uint32_t a,
                      uint32_t b)
{
    uint32_t node = 0, operand[3] = {a, b, 0};
    accord_error error;
    if (accord_bound_apply(e, operation, operand, &node, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    return node;
}

static uint32_t build(accord_bound_expression *e, const sum *s)
{
    uint32_t all = 0;
    for (unsigned i = 0; i < s->terms; i++) {
        uint32_t product = 0, last = 0;
        for (unsigned k = 0; k < s->factors[i]; k++) {
            const factor *x = &s->factor[i][k];
            uint32_t node = 0;
            if (x->inner)
                node = apply(e, ACCORD_BOUND_PARENTHESES, build(e, x->inner), 0);
            else if (x->again)
                node = last;
            else
                assert_int_equal(accord_bound_value(e, "x", x->low, x->high, &node, NULL),
                                 ACCORD_OK);
            last = node;
            product = k ? apply(e, ACCORD_BOUND_MULTIPLY, product, node) : node;
        }
        if (i == 0)
            all = s->minus[i] ? apply(e, ACCORD_BOUND_NEGATE, product, 0) : product;
        else
            all = apply(e, s->minus[i] ? ACCORD_BOUND_SUBTRACT : ACCORD_BOUND_ADD, all, product);
    }
    return all;
}

static void negate(way_set *s)
{
    for (size_t i = 0; i < s->count; i++)
        s->value[i] = s->value[i] == 0 ? 0 : -s->value[i];
    for (size_t i = 0; i < s->pairs; i++)
        s->pair[i][0] = -s->pair[i][0];
}

static way_set every(way_budget *b, const sum *s, unsigned model)
{
    way_set term[WAY_TERMS] = {{0}};
    for (unsigned i = 0; i < s->terms; i++) {
        way_set part[WAY_FACTORS] = {{0}};
        for (unsigned k = 0; k < s->factors[i]; k++)
            if (s->factor[i][k].inner)
                part[k] = every(b, s->factor[i][k].inner, model);
            else
                way_put(b, &part[k], s->factor[i][k].point);
        b->permutes = model & ACCORD_BOUND_PERM;
        b->splits = model & ACCORD_BOUND_PAREN;
        term[i] = way_group(b, part, s->factors[i], way_multiply);
        for (unsigned k = 0; k < s->factors[i]; k++)
            way_free(&part[k]);
        if (s->minus[i])
            negate(&term[i]);
    }
    b->permutes = model & (ACCORD_BOUND_PERM | ACCORD_BOUND_LOOP);
    b->splits = model & ACCORD_BOUND_PAREN;
    b->fuses = model != ACCORD_BOUND_WRITTEN;
    way_set out = way_group(b, term, s->terms, way_add);
    for (unsigned i = 0; i < s->terms; i++)
        way_free(&term[i]);
    return out;
}

/* ---- the comparison ---- */

static void print(const sum *s)
{
    for (unsigned i = 0; i < s->terms; i++) {
        printf(" %c ", s->minus[i] ? '-' : '+');
        for (unsigned k = 0; k < s->factors[i]; k++) {
            const factor *x = &s->factor[i][k];
            printf("%s", k ? " * " : "");
            if (x->inner) {
                printf("(");
                print(x->inner);
                printf(")");
            } else if (x->low == x->high) {
                printf("%a", x->low);
            } else {
                printf("[%a, %a at %a]", x->low, x->high, x->point);
            }
        }
    }
}

static void differs(const sum *s, enum accord_format f, unsigned model, const accord_bound *bound,
                    const way_set *all)
{
    printf("# %s, model %u:", accord_format_get(f)->name, model);
    print(s);
    printf("\n# bounds [%a, %a] nan %d exact %d, reached [%a, %a] nan %d\n", bound->low,
           bound->high, bound->may_be_nan, bound->exact, all->count ? all->value[0] : NAN,
           all->count ? all->value[all->count - 1] : NAN, all->nan);
    fail_msg("the bounds are wrong");
}

static bool nested(const sum *s)
{
    for (unsigned i = 0; i < s->terms; i++)
        for (unsigned k = 0; k < s->factors[i]; k++)
            if (s->factor[i][k].inner)
                return true;
    return false;
}

/* For points both ends are reached, and NaN. (In parentheses there may be sets whose hull holds a
 * 0, or more between two infinities, which is not known to be reached: where that meets an
 * infinity, or a 0, the ends are sound.) */
static bool agrees(const sum *s, const accord_bound *bound, const way_set *all, bool points,
                   bool doubled)
{
    bool any = all->count > 0;
    double low = any ? all->value[0] : NAN, high = any ? all->value[all->count - 1] : NAN;
    bool inside =
        (!all->nan || bound->may_be_nan) && (!any || (bound->low <= low && high <= bound->high));
    bool same = any ? bound->low == low && bound->high == high : isnan(bound->low);
    if (!inside || !points)
        return inside;
    if (nested(s) && bound->may_be_nan)
        return same || !bound->exact;
    return same && bound->may_be_nan == all->nan && (bound->exact || doubled || !any);
}

static void compare(const sum *s, enum accord_format f, unsigned model, const accord_bound *bound,
                    bool points)
{
    way_budget budget = {
        .format = f, .left = WAY_MOST, .through = points && model == ACCORD_BOUND_CONTRACT};
    way_set all = every(&budget, s, model);
    if (budget.left && !agrees(s, bound, &all, points, budget.doubled))
        differs(s, f, model, bound, &all);
    cases += budget.left > 0;
    way_free(&all);
}

/* The orders that reach the ends, done by room model. */
static void replay(const accord_tree *tree, const accord_arithmetic *arithmetic, const double *x,
                   const double *y, double end)
{
    if (!tree)
        return;
    const void *xs[] = {x}, *ys[] = {y};
    accord_rows rows;
    accord_model model = {tree, arithmetic};
    accord_error error;
    double result = NAN;
    ACCORD_INIT(&rows);
    rows.rows = 1;
    rows.x = xs;
    rows.y = ys;
    if (accord_model_check(&model, &error) != ACCORD_OK ||
        accord_model_replay(&model, &rows, &result, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    if (result != end)
        fail_msg("the model gives %a, not %a", result, end);
    replays++;
}

static void try_one(enum accord_format f, unsigned model, enum kind kind, bool intervals,
                    unsigned terms)
{
    sum *s = draw(f, kind, intervals, terms, 1);
    accord_bound_expression *e = bounds_expression(f);
    build(e, s);
    accord_bound *bound = bounds_of(e, model);
    for (int i = 0; i < (intervals ? 3 : 1); i++) {
        if (intervals)
            choose_points(f, s);
        compare(s, f, model, bound, !intervals);
    }
    replay(bound->low_tree, bound->low_arithmetic, bound->low_x, bound->low_y, bound->low);
    replay(bound->high_tree, bound->high_arithmetic, bound->high_x, bound->high_y, bound->high);
    accord_bound_free(bound);
    accord_bound_expression_free(e);
    release(s);
}

static void try_model(unsigned model, size_t count)
{
    static const enum accord_format formats[] = {ACCORD_F32, ACCORD_F64, ACCORD_F32, ACCORD_F64,
                                                 ACCORD_F32, ACCORD_F64, ACCORD_F16, ACCORD_BF16};
    for (size_t i = 0; i < trials(count); i++) {
        enum accord_format f = formats[i % 8];
        unsigned terms =
            1 + (unsigned)accordi_rng_below(&rng, f == ACCORD_F16 || f == ACCORD_BF16 ? 3 : 5);
        terms += terms == 5 && accordi_rng_below(&rng, 8) == 0;
        try_one(f, model, (enum kind)accordi_rng_below(&rng, KINDS), i % 3 == 0, terms);
    }
}

static void test_as_written(void **state)
{
    (void)state;
    try_model(ACCORD_BOUND_WRITTEN, 1000);
}

static void test_contract(void **state)
{
    (void)state;
    try_model(ACCORD_BOUND_CONTRACT, 2000);
    try_model(ACCORD_BOUND_CONTRACT_EXPR, 1000);
}

static void test_paren(void **state)
{
    (void)state;
    try_model(ACCORD_BOUND_PAREN, 2000);
}

static void test_perm(void **state)
{
    (void)state;
    try_model(ACCORD_BOUND_PERM, 2000);
}

static void test_loop(void **state)
{
    (void)state;
    try_model(ACCORD_BOUND_LOOP, 2000);
    try_model(ACCORD_BOUND_LOOP | ACCORD_BOUND_PAREN, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_written), cmocka_unit_test(test_contract),
        cmocka_unit_test(test_paren),      cmocka_unit_test(test_perm),
        cmocka_unit_test(test_loop),
    };
    accordi_rng_init(&rng, trials_seed());
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("# %zu cases compared, %zu orders replayed\n", cases, replays);
    return failed;
}
