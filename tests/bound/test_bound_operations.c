/* Bounds of expressions of all operations, with intervals, variables that are used again, mixed
 * formats and special values: random evaluations that `contract` allows lie inside, also with
 * further models, and without freedom a point gives the machine's own result. */
#include "base/base.h"
#include "bounds.h"
#include "every_way.h"
#include "trials.h"
#include <accord/accord.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static accordi_rng rng;

static bool chance(unsigned one_in)
{
    return accordi_rng_below(&rng, one_in) == 0;
}

typedef struct node {
    enum accord_bound_operation operation;
    enum accord_format format;
    unsigned operand[3];
    double low, high;
    double value, x, y; /* of the last evaluation; a product x * y that may enter a sum */
    bool product, constant;
} node;

enum { MOST = 24 };
static node all[MOST];
static unsigned count;

/* ---- random expressions ---- */

static double number(enum accord_format f)
{
    const accord_format_info *row = accord_format_get(f);
    double x = ldexp(1 + accordi_rng_unit(&rng), (int)accordi_rng_below(&rng, 7) - 3);
    switch (accordi_rng_below(&rng, 24)) {
    case 0:
        x = 0;
        break;
    case 1:
        x = row->least * (double)accordi_rng_below(&rng, 9);
        break;
    case 2:
        x = row->greatest / (double)(1 + accordi_rng_below(&rng, 3));
        break;
    case 3:
        x = chance(3) ? (double)INFINITY : 1;
        break;
    case 4:
    case 5:
        x = (double)accordi_rng_below(&rng, 5);
        break;
    default:
        break;
    }
    return accord_format_round(f, ACCORD_NEAREST_EVEN, chance(3) ? -x : x);
}

static void draw_value(enum accord_format f, bool intervals)
{
    node *n = &all[count++];
    double x = number(f), y = intervals && chance(2) ? number(f) : x;
    if (y != x && chance(2) && isfinite(x))
        y = accord_format_round(f, ACCORD_NEAREST_EVEN, x * (1 + accordi_rng_unit(&rng) / 16));
    n->constant = x == y && chance(3);
    if (n->constant)
        x = y = ldexp(chance(4) ? -1 : 1, (int)accordi_rng_below(&rng, 9) - 4);
    *n = (node){.operation = ACCORD_BOUND_VALUE,
                .format = f,
                .low = fmin(x, y),
                .high = fmax(x, y),
                .constant = n->constant};
}

static enum accord_bound_operation draw_operation(bool functions)
{
    static const enum accord_bound_operation common[] = {
        ACCORD_BOUND_ADD,  ACCORD_BOUND_SUBTRACT, ACCORD_BOUND_MULTIPLY, ACCORD_BOUND_DIVIDE,
        ACCORD_BOUND_ADD,  ACCORD_BOUND_SUBTRACT, ACCORD_BOUND_MULTIPLY, ACCORD_BOUND_MULTIPLY,
        ACCORD_BOUND_SQRT, ACCORD_BOUND_CONVERT};
    if (chance(2))
        return common[accordi_rng_below(&rng, sizeof common / sizeof *common)];
    unsigned past = functions ? ACCORD_BOUND_OPERATIONS : ACCORD_BOUND_EXP;
    return (enum accord_bound_operation)(1 + accordi_rng_below(&rng, past - 1));
}

static unsigned operands_of(enum accord_bound_operation operation)
{
    bool two = operation <= ACCORD_BOUND_DIVIDE || operation == ACCORD_BOUND_MINIMUM ||
               operation == ACCORD_BOUND_MAXIMUM || operation == ACCORD_BOUND_POW ||
               operation == ACCORD_BOUND_HYPOT || operation == ACCORD_BOUND_ATAN2 ||
               (operation >= ACCORD_BOUND_LESS && operation <= ACCORD_BOUND_NOT_EQUAL);
    bool three = operation == ACCORD_BOUND_FMA || operation == ACCORD_BOUND_SELECT;
    return three ? 3 : two ? 2 : 1;
}

static bool mixes(enum accord_format a, enum accord_format b)
{
    return a == b || accord_format_get(a)->bits != accord_format_get(b)->bits;
}

static bool truth(unsigned i)
{
    while (all[i].operation == ACCORD_BOUND_PARENTHESES)
        i = all[i].operand[0];
    return all[i].operation >= ACCORD_BOUND_LESS && all[i].operation <= ACCORD_BOUND_NOT_EQUAL;
}

static void draw_node(enum accord_format base, bool functions)
{
    static const enum accord_format formats[] = {ACCORD_F32, ACCORD_F64, ACCORD_F16};
    node n = {.operation = draw_operation(functions)};
    unsigned operands = operands_of(n.operation);
    bool any = false;
    n.format = base;
    for (unsigned i = 0; i < operands; i++) {
        unsigned from = chance(2) && count > 3 ? count - 3 : 0;
        n.operand[i] = from + (unsigned)accordi_rng_below(&rng, count - from);
        enum accord_format f = all[n.operand[i]].format;
        if ((n.operation == ACCORD_BOUND_SELECT && i == 0) || (truth(n.operand[i]) && operands > 1))
            continue; /* an integer in C */
        if (!any || accord_format_get(f)->bits > accord_format_get(n.format)->bits)
            n.format = f;
        any = true;
        if (!mixes(f, n.format))
            return;
    }
    if (n.operation == ACCORD_BOUND_CONVERT)
        n.format = formats[accordi_rng_below(&rng, 3)];
    if (mixes(n.format, ACCORD_F16)) /* bf16 and f16 never meet */
        all[count++] = n;
}

static void draw(enum accord_format f, bool intervals, bool functions)
{
    count = 0;
    for (unsigned i = 0; i < 4; i++)
        draw_value(f, intervals);
    while (count < 5)
        draw_node(f, functions);
    for (unsigned i = 0; i < 7; i++)
        draw_node(f, functions);
}

static void build(accord_bound_expression *e)
{
    for (unsigned i = 0; i < count; i++) {
        const node *n = &all[i];
        uint32_t made = 0, operand[3] = {n->operand[0], n->operand[1], n->operand[2]};
        accord_error error;
        enum accord_status status =
            n->operation == ACCORD_BOUND_VALUE
                ? accord_bound_value(e, n->constant ? NULL : "x", n->low, n->high, &made, &error)
            : n->operation == ACCORD_BOUND_CONVERT
                ? accord_bound_convert(e, n->format, operand[0], &made, &error)
                : accord_bound_apply(e, n->operation, operand, &made, &error);
        if (status != ACCORD_OK)
            fail_msg("%s", error.text);
        assert_int_equal(made, i);
    }
}

/* ---- evaluations ---- */

static void choose(node *n)
{
    uint64_t where = accordi_rng_below(&rng, 4);
    double x = n->low + (n->high - n->low) * accordi_rng_unit(&rng);
    x = accord_format_round(n->format, ACCORD_NEAREST_EVEN, x);
    n->value = where == 0 ? n->low : where == 1 || !(x >= n->low && x <= n->high) ? n->high : x;
}

static bool wide, flushes; /* excess precision, and subnormal numbers flushed: allowed now */

/* An operand: each use may see it rounded or not, flushed or not. */
static double used(const node *n)
{
    double x = n->value;
    if (wide && chance(2))
        x = accord_format_round(n->format, ACCORD_NEAREST_EVEN, x);
    if (flushes && fabs(x) < ldexp(1, accord_format_get(n->format)->min_exponent) && chance(2))
        x = 0;
    return x;
}

/* x y + c in double, for formats that are narrower; it may stay so. */
static double wider(enum accord_format f, double x, double y, double c)
{
    double z = fma(x, y, c);
    return chance(2) ? z : accord_format_round(f, ACCORD_NEAREST_EVEN, z);
}

static double fused(enum accord_format f, double x, double y, double c)
{
    return wide && f != ACCORD_F64 ? wider(f, x, y, c) : way_fma(f, x, y, c);
}

static double sum(enum accord_format f, double x, double y)
{
    return wide && f != ACCORD_F64 ? wider(f, x, 1, y) : way_sum(f, x, y);
}

static double product(enum accord_format f, double x, double y)
{
    return wide && f != ACCORD_F64 ? wider(f, x, y, copysign(0, x * y)) : way_product(f, x, y);
}

static double added(const node *n, const node *a, const node *b, double sign, bool free)
{
    for (int turn = 0; free && turn < 2; turn++) {
        const node *p = turn ? b : a, *c = turn ? a : b;
        double of_p = turn ? sign : 1, of_c = turn ? 1 : sign;
        bool may = p->product && chance(2);
        if (may)
            return fused(n->format, of_p * p->x, p->y, of_c * used(c));
    }
    return sum(n->format, used(a), sign * used(b));
}

static double quotient(enum accord_format f, double x, double y)
{
    return accord_format_round(f, ACCORD_NEAREST_EVEN, x / y); /* harmless for narrow formats */
}

static void keep(node *n, double x, double y)
{
    n->product = true;
    n->x = x;
    n->y = y;
}

/* What it does not hold, way_fma does not take. */
static bool holds(enum accord_format f, double x)
{
    return isfinite(x) && accord_format_round(f, ACCORD_NEAREST_EVEN, x) == x && fabs(x) > 1e-300;
}

/* n is a, maybe with another sign: it may still be the product that a is. */
static void keep_of(node *n, const node *a, double sign)
{
    n->product = a->product && holds(n->format, a->x) && holds(n->format, a->y);
    n->x = sign * a->x;
    n->y = a->y;
}

static bool is_known(const node *n, double x)
{
    return n->operation == ACCORD_BOUND_VALUE && n->low == x && n->high == x;
}

static void evaluate_product(node *n, const node *a, const node *b)
{
    double x = used(a), y = used(b);
    n->value = product(n->format, x, y);
    keep(n, x, y);
    if (a->product && b->constant && b->operation == ACCORD_BOUND_VALUE && chance(2) &&
        holds(n->format, a->y * b->value))
        keep(n, a->x, a->y * b->value);
    if (a->product && (is_known(b, 1) || is_known(b, -1)) && chance(2))
        keep_of(n, a, b->value);
}

static void evaluate_quotient(node *n, const node *a, const node *b)
{
    double x = used(a);
    n->value = quotient(n->format, x, used(b));
    if (b->constant && b->operation == ACCORD_BOUND_VALUE)
        keep(n, x, 1 / b->value);
    if (a->product && (is_known(b, 1) || is_known(b, -1)) && chance(2))
        keep_of(n, a, b->value);
}

static void evaluate_sum(node *n, const node *a, const node *b, double sign, bool free)
{
    n->value = added(n, a, b, sign, free);
    if (is_known(b, 0))
        keep_of(n, a, 1);
    else if (is_known(a, 0))
        keep_of(n, b, sign);
}

static void evaluate_fma(node *n, const node *a, const node *b, const node *c, bool free)
{
    const node *other = is_known(a, 1) ? b : a;
    if (free && (is_known(a, 1) || is_known(b, 1)))
        n->value = added(n, other, c, 1, free);
    else
        n->value = fused(n->format, used(a), used(b), used(c));
    if (is_known(c, 0))
        keep(n, used(a), used(b));
}

static double ten_to(double x)
{
    return pow(10, x);
}

/* With an error below one unit in the last place, half of it by rounding. */
static double elementary(const node *n, double x, double y)
{
    static double (*const calls[])(double) = {exp,  exp2,  expm1, log,   log2,   log10,  log1p,
                                              cbrt, sinh,  tanh,  asinh, atan,   asin,   acos,
                                              erf,  sin,   cos,   NULL,  tan,    cosh,   NULL,
                                              NULL, acosh, atanh, erfc,  ten_to, lgamma, tgamma};
    double exactly = n->operation == ACCORD_BOUND_POW     ? pow(x, y)
                     : n->operation == ACCORD_BOUND_HYPOT ? hypot(x, y)
                     : n->operation == ACCORD_BOUND_ATAN2
                         ? atan2(x, y)
                         : calls[n->operation - ACCORD_BOUND_EXP](x);
    int exponent = isfinite(exactly) && exactly != 0 ? ilogb(exactly) : 0;
    double unit = ldexp(1, exponent + 1 - accord_format_get(n->format)->precision);
    double error = exactly == 0 ? 0 : 0.49 * unit * (chance(2) ? 1 : -1) * accordi_rng_unit(&rng);
    return accord_format_round(n->format, ACCORD_NEAREST_EVEN,
                               exactly + (isfinite(error) ? error : 0));
}

static void evaluate(node *n, bool free)
{
    const node *a = &all[n->operand[0]], *b = &all[n->operand[1]], *c = &all[n->operand[2]];
    double x = used(a), y = used(b);
    n->product = false;
    switch (n->operation) {
    case ACCORD_BOUND_VALUE:
        choose(n);
        return;
    case ACCORD_BOUND_ADD:
    case ACCORD_BOUND_SUBTRACT:
        evaluate_sum(n, a, b, n->operation == ACCORD_BOUND_ADD ? 1 : -1, free);
        return;
    case ACCORD_BOUND_MULTIPLY:
        evaluate_product(n, a, b);
        return;
    case ACCORD_BOUND_DIVIDE:
        evaluate_quotient(n, a, b);
        return;
    case ACCORD_BOUND_NEGATE:
        n->value = -x;
        n->product = a->product;
        n->x = -a->x;
        n->y = a->y;
        return;
    case ACCORD_BOUND_PARENTHESES:
    case ACCORD_BOUND_ASSIGN:
        n->value = x;
        n->product = a->product;
        n->x = a->x;
        n->y = a->y;
        return;
    case ACCORD_BOUND_CONVERT:
        if (!wide || chance(2))
            x = accord_format_round(n->format, ACCORD_NEAREST_EVEN, x);
        n->value = x;
        keep_of(n, a, 1);
        return;
    case ACCORD_BOUND_FMA:
        evaluate_fma(n, a, b, c, free);
        return;
    case ACCORD_BOUND_SQRT:
        n->value = accord_format_round(n->format, ACCORD_NEAREST_EVEN, sqrt(x));
        return;
    case ACCORD_BOUND_ABS:
        n->value = fabs(x);
        keep_of(n, a, x < 0 ? -1 : 1);
        return;
    case ACCORD_BOUND_MINIMUM:
    case ACCORD_BOUND_MAXIMUM:
        n->value = n->operation == ACCORD_BOUND_MINIMUM ? fmin(x, y) : fmax(x, y);
        keep_of(n, n->value == x ? a : b, 1);
        return;
    case ACCORD_BOUND_LESS:
        n->value = x < y;
        return;
    case ACCORD_BOUND_LESS_EQUAL:
        n->value = x <= y;
        return;
    case ACCORD_BOUND_GREATER:
        n->value = x > y;
        return;
    case ACCORD_BOUND_GREATER_EQUAL:
        n->value = x >= y;
        return;
    case ACCORD_BOUND_EQUAL:
        n->value = x == y;
        return;
    case ACCORD_BOUND_NOT_EQUAL:
        n->value = x != y;
        return;
    case ACCORD_BOUND_FLOOR:
        n->value = floor(x);
        return;
    case ACCORD_BOUND_CEIL:
        n->value = ceil(x);
        return;
    case ACCORD_BOUND_TRUNC:
        n->value = trunc(x);
        return;
    case ACCORD_BOUND_ROUND:
        n->value = round(x);
        return;
    case ACCORD_BOUND_RINT:
        n->value = rint(x);
        return;
    case ACCORD_BOUND_SELECT:
        a = x != 0 ? b : c;
        n->value = a->value;
        n->product = a->product;
        n->x = a->x;
        n->y = a->y;
        return;
    default:
        n->value = elementary(n, x, y);
        if (n->operation == ACCORD_BOUND_POW && y == 2 && b->low == b->high) {
            keep(n, x, x);
            n->value = free && chance(2) ? product(n->format, x, x) : n->value;
        }
    }
}

/* ---- the comparison ---- */

static void print(const accord_bound *bound)
{
    for (unsigned i = 0; i < count; i++)
        printf("# %u: operation %d of %u %u %u in %s, [%a, %a]%s = %a\n", i, (int)all[i].operation,
               all[i].operand[0], all[i].operand[1], all[i].operand[2],
               accord_format_get(all[i].format)->name, all[i].low, all[i].high,
               all[i].constant ? " constant" : "", all[i].value);
    printf("# bounds [%a, %a] nan %d, %s\n", bound->low, bound->high, bound->may_be_nan,
           bound->method);
    fail_msg("an evaluation lies outside");
}

static size_t narrow, whole; /* bounds that say something, and all of them */

static void try_one(enum accord_format f, bool intervals, bool functions, unsigned model)
{
    wide = model & ACCORD_BOUND_EXCESS;
    flushes = model & ACCORD_BOUND_FTZ;
    draw(f, intervals, functions);
    accord_bound_expression *e = bounds_expression(f);
    build(e);
    accord_bound *bound = NULL;
    accord_bound_options options;
    accord_bound_options_init(&options);
    options.model = model;
    options.symbols = chance(3) ? 1 + (size_t)accordi_rng_below(&rng, 40) : 0;
    assert_int_equal(accord_bound_evaluate(e, UINT32_MAX, &options, &bound, NULL), ACCORD_OK);
    narrow += bound->low > -(double)INFINITY || bound->high < (double)INFINITY || isnan(bound->low);
    whole++;
    for (int i = 0; i < (intervals || model & ACCORD_BOUND_CONTRACT ? 20 : 1); i++) {
        for (unsigned k = 0; k < count; k++)
            evaluate(&all[k], model & ACCORD_BOUND_CONTRACT);
        double x = all[count - 1].value;
        if (isnan(x) ? !bound->may_be_nan : !(bound->low <= x && x <= bound->high))
            print(bound);
        if (bound->exact && model == ACCORD_BOUND_WRITTEN && !intervals && !isnan(x) &&
            (bound->low != x || bound->high != x))
            print(bound);
    }
    accord_bound_free(bound);
    accord_bound_expression_free(e);
}

static void test_operations(void **state)
{
    static const enum accord_format formats[] = {ACCORD_F32, ACCORD_F64, ACCORD_F32, ACCORD_F16};
    /* models that allow what contract does, and more */
    static const unsigned more[] = {0,
                                    0,
                                    ACCORD_BOUND_PAREN,
                                    ACCORD_BOUND_PERM,
                                    ACCORD_BOUND_LOOP,
                                    ACCORD_BOUND_EXCESS,
                                    ACCORD_BOUND_EXCESS | ACCORD_BOUND_PERM,
                                    ACCORD_BOUND_FTZ,
                                    ACCORD_BOUND_FTZ | ACCORD_BOUND_EXCESS,
                                    ACCORD_BOUND_FAST,
                                    ACCORD_BOUND_FAST_EXPAND};
    (void)state;
    for (size_t i = 0; i < trials(12000); i++)
        try_one(formats[i % 4], i % 3 != 0, i % 2 != 0,
                chance(4) ? ACCORD_BOUND_WRITTEN
                          : ACCORD_BOUND_CONTRACT |
                                more[accordi_rng_below(&rng, sizeof more / sizeof *more)]);
    printf("# %zu of %zu bounds say something\n", narrow, whole);
    assert_true(narrow > whole / 2);
}

/* ---- one value for all uses ---- */

enum { PRODUCTS = 9, SUMS = 1 << 18 };

/* All values of x0 y0 + x1 y1 + ... under contraction; NaN and infinities do not occur. */
static size_t all_sums(const double *x, const double *y, size_t n, double *sum)
{
    size_t sums = 1;
    sum[0] = x[0] * y[0];
    for (size_t i = 1; i < n; i++) {
        size_t more = sums;
        for (size_t k = 0; k < sums; k++)
            sum[more++] = fma(x[i], y[i], sum[k]);
        for (size_t k = 0; k < sums; k++)
            sum[k] += x[i] * y[i];
        if (i == 1)
            sum[more++] = fma(x[0], y[0], x[1] * y[1]);
        sums = more;
    }
    return sums;
}

/* u / 3 - u + u / 5 of a sum u, which is used three times. */
static void test_one_value(void **state)
{
    static const char text[] =
        "u = a*b + c*d + e*f + g*h + i*j + k*l + m*n + o*p + q*r; u/3.0 - u + u/5.0";
    static double sum[SUMS];
    size_t exact = 0;
    (void)state;
    for (size_t turn = 0; turn < trials(200); turn++) {
        accord_bound_expression *e = NULL;
        accord_bound *bound = NULL;
        accord_error error;
        accord_bound_binding value[2 * PRODUCTS];
        double x[PRODUCTS], y[PRODUCTS], low = INFINITY, high = -INFINITY;
        size_t n = 2 + (size_t)accordi_rng_below(&rng, PRODUCTS - 1);
        bool pairs = turn % 2;
        static const char names[2 * PRODUCTS][2] = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
                                                    "j", "k", "l", "m", "n", "o", "p", "q", "r"};
        for (size_t i = 0; i < PRODUCTS; i++) {
            x[i] = i < n ? (chance(2) ? 1 : -1) * (1 + accordi_rng_unit(&rng)) : 0;
            y[i] = i < n ? 1 + accordi_rng_unit(&rng) : 0;
            if (pairs &&
                i < n) { /* each pair leaves a rounding error, or none, at a scale of its own */
                x[i] = i % 2 ? -x[i - 1] : ldexp(x[i], -10 * (int)i);
                y[i] = i % 2 ? y[i - 1] : y[i];
            }
            value[2 * i] = (accord_bound_binding){names[2 * i], x[i], x[i]};
            value[2 * i + 1] = (accord_bound_binding){names[2 * i + 1], y[i], y[i]};
        }
        size_t sums = all_sums(x, y, n, sum);
        for (size_t i = 0; i < sums; i++) {
            double z = sum[i] / 3 - sum[i] + sum[i] / 5;
            low = fmin(low, z);
            high = fmax(high, z);
        }
        if (accord_bound_parse(text, ACCORD_F64, 2 * PRODUCTS, value, &e, &error) != ACCORD_OK ||
            accord_bound_evaluate(e, UINT32_MAX, NULL, &bound, &error) != ACCORD_OK)
            fail_msg("%s", error.text);
        assert_true(bound->low <= low && high <= bound->high);
        if (bound->exact)
            assert_true(bound->low == low && bound->high == high);
        exact += bound->exact;
        accord_bound_free(bound);
        accord_bound_expression_free(e);
    }
    printf("# %zu times both ends\n", exact);
    assert_true(exact > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_one_value),
    };
    accordi_rng_init(&rng, trials_seed());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
