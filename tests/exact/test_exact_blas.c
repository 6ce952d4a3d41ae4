/* One array, or two, to one number: every routine against its formula in MPFR, in every rounding,
 * of numbers of every kind, laid out in every way, in every floating-point environment. */
#include "exact_calls.h"
#include "trials.h"
#include <limits.h>

static char room_x[ROOM], room_y[ROOM];
static double x[2 * MOST], y[2 * MOST];

typedef struct question {
    int format, rounding;
    size_t n;
    bool conjugate;
} question;

/* What the routines compute; results are patterns. */

static void expect_sum(const question *q, uint64_t *out)
{
    tally t;
    tally_init(&t);
    for (size_t i = 0; i < q->n; i++)
        tally_add_product(&t, 1, 1, x[i]);
    out[0] = tally_pattern(&t, q->format, q->rounding);
}

static void expect_complex_sum(const question *q, uint64_t *out)
{
    for (size_t part = 0; part < 2; part++) {
        tally t;
        tally_init(&t);
        for (size_t i = 0; i < q->n; i++)
            tally_add_product(&t, 1, 1, x[2 * i + part]);
        out[part] = tally_pattern(&t, q->format, q->rounding);
    }
}

static void expect_mean(const question *q, uint64_t *out)
{
    tally t;
    mpfr_t mean;
    tally_init(&t);
    mpfr_init2(mean, LONG);
    for (size_t i = 0; i < q->n; i++)
        tally_add_product(&t, 1, 1, x[i]);
    tally_value(&t, q->rounding, mean);
    divide(mean, (double)q->n);
    out[0] = value_pattern(mean, q->format, q->rounding);
    mpfr_clears(mean, t.sum, (mpfr_ptr)0);
}

static void expect_sizes(const question *q, size_t parts, uint64_t *out)
{
    tally t;
    tally_init(&t);
    tally_add_product(&t, 1, 1, 0);
    for (size_t i = 0; i < parts * q->n; i++)
        tally_add_product(&t, 1, 1, fabs(x[i]));
    out[0] = tally_pattern(&t, q->format, q->rounding);
}

static void expect_asum(const question *q, uint64_t *out)
{
    expect_sizes(q, 1, out);
}

static void expect_complex_asum(const question *q, uint64_t *out)
{
    expect_sizes(q, 2, out);
}

static void expect_squares(const question *q, size_t parts, bool root, uint64_t *out)
{
    tally t;
    mpfr_t value;
    tally_init(&t);
    mpfr_init2(value, LONG);
    tally_add_product(&t, 1, 1, 0);
    for (size_t i = 0; i < parts * q->n; i++)
        tally_add_product(&t, 1, x[i], x[i]);
    tally_value(&t, q->rounding, value);
    if (root)
        take_root(value);
    out[0] = value_pattern(value, q->format, q->rounding);
    mpfr_clears(value, t.sum, (mpfr_ptr)0);
}

static void expect_sumsq(const question *q, uint64_t *out)
{
    expect_squares(q, 1, false, out);
}

static void expect_nrm2(const question *q, uint64_t *out)
{
    expect_squares(q, 1, true, out);
}

static void expect_complex_nrm2(const question *q, uint64_t *out)
{
    expect_squares(q, 2, true, out);
}

static void expect_distance(const question *q, uint64_t *out)
{
    tally t;
    mpfr_t d;
    tally_init(&t);
    mpfr_init2(d, LONG);
    tally_add_product(&t, 1, 1, 0);
    for (size_t i = 0; i < q->n; i++) {
        mpfr_set_d(d, x[i], MPFR_RNDN);
        mpfr_sub_d(d, d, y[i], MPFR_RNDN);
        mpfr_sqr(d, d, MPFR_RNDN);
        tally_add(&t, d);
    }
    tally_value(&t, q->rounding, d);
    take_root(d);
    out[0] = value_pattern(d, q->format, q->rounding);
    mpfr_clears(d, t.sum, (mpfr_ptr)0);
}

static void expect_dot(const question *q, uint64_t *out)
{
    tally t;
    tally_init(&t);
    for (size_t i = 0; i < q->n; i++)
        tally_add_product(&t, 1, x[i], y[i]);
    out[0] = tally_pattern(&t, q->format, q->rounding);
}

static void expect_complex_dot(const question *q, uint64_t *out)
{
    double s = q->conjugate ? -1 : 1;
    tally real, imaginary;
    tally_init(&real);
    tally_init(&imaginary);
    for (size_t i = 0; i < 2 * q->n; i += 2) {
        tally_add_product(&real, 1, x[i], y[i]);
        tally_add_product(&real, -s, x[i + 1], y[i + 1]);
        tally_add_product(&imaginary, 1, x[i], y[i + 1]);
        tally_add_product(&imaginary, s, x[i + 1], y[i]);
    }
    out[0] = tally_pattern(&real, q->format, q->rounding);
    out[1] = tally_pattern(&imaginary, q->format, q->rounding);
}

/* The routines, under one form. */

typedef enum accord_status call(const question *q, const void *a, ptrdiff_t stride_a, const void *b,
                                ptrdiff_t stride_b, const accord_exact_options *options, void *out,
                                accord_error *error);

#define CALL_ONE(name_)                                                                            \
    static enum accord_status call_##name_(                                                        \
        const question *q, const void *a, ptrdiff_t stride_a, const void *b, ptrdiff_t stride_b,   \
        const accord_exact_options *options, void *out, accord_error *error)                       \
    {                                                                                              \
        (void)b, (void)stride_b;                                                                   \
        return q->format == ACCORD_F64                                                             \
                   ? accord_##name_##_f64(q->n, a, stride_a, options, out, error)                  \
                   : accord_##name_##_f32(q->n, a, stride_a, options, out, error);                 \
    }
#define CALL_TWO(name_, ...)                                                                       \
    static enum accord_status call_##name_(                                                        \
        const question *q, const void *a, ptrdiff_t stride_a, const void *b, ptrdiff_t stride_b,   \
        const accord_exact_options *options, void *out, accord_error *error)                       \
    {                                                                                              \
        return q->format == ACCORD_F64 ? accord_##name_##_f64(__VA_ARGS__ q->n, a, stride_a, b,    \
                                                              stride_b, options, out, error)       \
                                       : accord_##name_##_f32(__VA_ARGS__ q->n, a, stride_a, b,    \
                                                              stride_b, options, out, error);      \
    }
#define COMMA ,
CALL_ONE(sum_exact_complex)
CALL_ONE(mean_exact)
CALL_ONE(asum_exact)
CALL_ONE(asum_exact_complex)
CALL_ONE(sumsq_exact)
CALL_ONE(nrm2_exact)
CALL_ONE(nrm2_exact_complex)
CALL_TWO(distance_exact, )
CALL_TWO(dot_exact, )
CALL_TWO(dot_exact_complex, q->conjugate COMMA)

static enum accord_status call_sum_exact(const question *q, const void *a, ptrdiff_t stride_a,
                                         const void *b, ptrdiff_t stride_b,
                                         const accord_exact_options *options, void *out,
                                         accord_error *error)
{
    (void)b, (void)stride_b;
    switch (q->format) {
    case ACCORD_F64:
        return accord_sum_exact_f64(q->n, a, stride_a, options, out, error);
    case ACCORD_F32:
        return accord_sum_exact_f32(q->n, a, stride_a, options, out, error);
    case ACCORD_F16:
        return accord_sum_exact_f16(q->n, a, stride_a, options, out, error);
    default:
        return accord_sum_exact_bf16(q->n, a, stride_a, options, out, error);
    }
}

static const struct routine {
    const char *name;
    call *call;
    void (*expect)(const question *q, uint64_t *out);
    int arrays, parts, results, formats;
} routines[] = {
    {"sum", call_sum_exact, expect_sum, 1, 1, 1, 4},
    {"complex sum", call_sum_exact_complex, expect_complex_sum, 1, 2, 2, 2},
    {"mean", call_mean_exact, expect_mean, 1, 1, 1, 2},
    {"asum", call_asum_exact, expect_asum, 1, 1, 1, 2},
    {"complex asum", call_asum_exact_complex, expect_complex_asum, 1, 2, 1, 2},
    {"sumsq", call_sumsq_exact, expect_sumsq, 1, 1, 1, 2},
    {"nrm2", call_nrm2_exact, expect_nrm2, 1, 1, 1, 2},
    {"complex nrm2", call_nrm2_exact_complex, expect_complex_nrm2, 1, 2, 1, 2},
    {"distance", call_distance_exact, expect_distance, 2, 1, 1, 2},
    {"dot", call_dot_exact, expect_dot, 2, 1, 1, 2},
    {"complex dot", call_dot_exact_complex, expect_complex_dot, 2, 2, 2, 2},
};
enum { ROUTINES = sizeof routines / sizeof *routines };

static void check_result(const struct routine *r, const question *q, const char *found,
                         const uint64_t *expected)
{
    int size = size_of_format(q->format);
    for (int p = 0; p < r->results; p++)
        same_pattern(get_pattern(q->format, found + p * size), expected[p], q->format, q->rounding,
                     r->name, q->n);
    for (int i = r->results * size; i < 24; i++)
        assert_int_equal(found[i], 0x5a);
}

/* Some pairs are near each other, so that differences and products cancel. */
static void draw_arrays(const struct routine *r, const question *q)
{
    size_t count = q->n * (size_t)r->parts;
    draw_numbers(q->format, x, count);
    draw_numbers(q->format, y, count);
    if (!below(3))
        for (size_t i = 0; i < count; i++)
            y[i] = below(20) ? x[i] : squeeze(q->format, x[i] * (1 + 0x1p-20));
    if (r->arrays == 2 && r->parts == 1 && !below(4))
        for (size_t i = 0; i + 1 < count; i += 2) {
            x[i + 1] = y[i];
            y[i + 1] = -x[i];
        }
}

static void ask(const struct routine *r, question *q, const accord_exact_options *o)
{
    uint64_t expected[2];
    char out[24];
    accord_error error;
    ptrdiff_t stride_x = any_stride(), stride_y = any_stride();
    if (!below(10) && q->n) { /* stride 0: all elements are the first */
        for (size_t i = 1; i < q->n; i++)
            memcpy(x + i * (size_t)r->parts, x, sizeof *x * (size_t)r->parts);
        stride_x = 0;
    }
    const void *at_x = lay(room_x, q->format, x, q->n, r->parts, stride_x);
    const void *at_y = lay(room_y, q->format, y, q->n, r->parts, stride_y);
    if (!q->n && below(2))
        at_x = at_y = NULL;
    memset(out, 0x5a, sizeof out);
    environment e = enter_any_environment();
    enum accord_status status = r->call(q, at_x, stride_x, at_y, stride_y, o, out, &error);
    leave_environment(&e);
    if (status)
        fail_msg("%s: %s", r->name, error.text);
    r->expect(q, expected);
    check_result(r, q, out, expected);
}

static void test_routines(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(400); t++)
        for (int i = 0; i < ROUTINES; i++) {
            const struct routine *r = routines + i;
            accord_exact_options o = any_options();
            size_t n = below(100) ? any_length(below(10) ? 300 : 3000) : MOST - (size_t)below(99);
            question q = {below(r->formats), (int)o.rounding, n, below(2)};
            draw_arrays(r, &q);
            ask(r, &q, &o);
        }
}

/* The root, division and rounding alone: one or two numbers of every size. */
static void test_few(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(4000); t++)
        for (int i = 0; i < ROUTINES; i++) {
            const struct routine *r = routines + i;
            accord_exact_options o = any_options();
            question q = {below(r->formats), (int)o.rounding, (size_t)below(4), below(2)};
            draw_arrays(r, &q);
            ask(r, &q, &o);
        }
}

/* By hand. */
static void test_vectors(void **state)
{
    (void)state;
    const double max = DBL_MAX, least = 0x1p-1074, inf = INFINITY;
    const struct {
        enum accord_status (*one)(size_t, const double *, ptrdiff_t, const accord_exact_options *,
                                  double *, accord_error *);
        size_t n;
        double x[4], result;
    } rows[] = {
        {accord_nrm2_exact_f64, 2, {3, 4}, 5},
        {accord_nrm2_exact_f64, 2, {-3 * least, 4 * least}, 5 * least},
        {accord_nrm2_exact_f64, 2, {0x3p1000, 0x4p1000}, 0x5p1000},
        {accord_nrm2_exact_f64, 1, {-max}, max},
        {accord_nrm2_exact_f64, 2, {max, max}, inf},
        {accord_nrm2_exact_f64, 1, {-least}, least},
        {accord_nrm2_exact_f64, 2, {least, least}, least},
        {accord_nrm2_exact_f64, 3, {least, least, least}, 2 * least},
        {accord_nrm2_exact_f64, 0, {0}, 0},
        {accord_nrm2_exact_f64, 2, {-0.0, -0.0}, 0},
        {accord_nrm2_exact_f64, 2, {1, -inf}, inf},
        {accord_sumsq_exact_f64, 1, {0x1p-600}, 0},
        {accord_sumsq_exact_f64, 0, {0}, 0},
        {accord_asum_exact_f64, 0, {0}, 0},
        {accord_asum_exact_f64, 2, {-0.0, -0.0}, 0},
        {accord_asum_exact_f64, 2, {-1, -0x1p-53}, 1},
        {accord_asum_exact_f64, 3, {-1, -0x1p-53, least}, 0x1.0000000000001p0},
        {accord_mean_exact_f64, 3, {1, 1, -1}, 0x1.5555555555555p-2},
        {accord_mean_exact_f64, 2, {max, max}, max},
        /* a tie and a trace, which stays in the remainder of the division */
        {accord_mean_exact_f64, 3, {3, 0x3p-53, 0}, 1},
        {accord_mean_exact_f64, 3, {3, 0x3p-53, 0x1p-126}, 0x1.0000000000001p0},
        {accord_mean_exact_f64, 3, {3, 0x3p-53, 0x1p-1000}, 0x1.0000000000001p0},
        {accord_mean_exact_f64, 3, {-least, 0, 0}, -0.0},
        {accord_mean_exact_f64, 2, {3 * least, 0}, 2 * least},
        {accord_mean_exact_f64, 2, {-0.0, -0.0}, -0.0},
        {accord_mean_exact_f64, 2, {-0.0, 0.0}, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double found;
        assert_int_equal(rows[i].one(rows[i].n, rows[i].x, 1, NULL, &found, NULL), ACCORD_OK);
        if (bits_of(found) != bits_of(rows[i].result))
            fail_msg("row %zu: found %a, expected %a", i, found, rows[i].result);
    }
    double found;
    assert_int_equal(accord_mean_exact_f64(0, NULL, 1, NULL, &found, NULL), ACCORD_OK);
    assert_true(bits_of(found) == 0x7ff8000000000000);
}

/* Infinities are apart, or not. */
static void test_distances(void **state)
{
    (void)state;
    const double inf = INFINITY, nan = NAN;
    const struct {
        double x[2], y[2], result;
    } rows[] = {
        {{inf, 0}, {-inf, 0}, inf},     {{inf, 0}, {inf, 0}, nan},  {{inf, 0}, {0, 0}, inf},
        {{1, -inf}, {1, -inf}, nan},    {{0, -inf}, {0, inf}, inf}, {{-inf, 1}, {0, nan}, nan},
        {{inf, inf}, {-inf, inf}, nan}, {{3, 0}, {0, -4}, 5},       {{DBL_MAX, 0}, {DBL_MAX, 1}, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double found;
        assert_int_equal(
            accord_distance_exact_f64(2, rows[i].x, 1, rows[i].y, 1, NULL, &found, NULL),
            ACCORD_OK);
        if (isnan(rows[i].result) ? bits_of(found) != 0x7ff8000000000000
                                  : bits_of(found) != bits_of(rows[i].result))
            fail_msg("row %zu: found %a, expected %a", i, found, rows[i].result);
    }
}

/* Long arrays, on any number of threads, in any order: the bits of one thread, which are those of
 * an accumulator (whose own tests have the oracle). */
static void test_threads(void **state)
{
    (void)state;
    enum { LENGTH = 1200000 }; /* enough for two threads of a sum */
    static double a[2 * LENGTH], b[2 * LENGTH];
    static float narrow_a[2 * LENGTH], narrow_b[2 * LENGTH];
    for (size_t i = 0; i < 2 * LENGTH; i += MOST) {
        fills[below(FILLS)].fill(a + i, MOST);
        fills[below(FILLS)].fill(b + i, MOST);
    }
    for (size_t i = 0; i < 2 * LENGTH; i++) {
        narrow_a[i] = (float)squeeze(ACCORD_F32, a[i]);
        narrow_b[i] = (float)squeeze(ACCORD_F32, b[i]);
    }
    for (int i = 0; i < ROUTINES; i++)
        for (int format = 0; format < 2; format++) {
            accord_exact_options o = any_options();
            question q = {format, (int)o.rounding, LENGTH - (size_t)below(5000), below(2)};
            const void *at_a = format ? (void *)narrow_a : (void *)a;
            const void *at_b = format ? (void *)narrow_b : (void *)b;
            char one[24] = {0};
            o.threads = 1;
            assert_int_equal(routines[i].call(&q, at_a, 1, at_b, 1, &o, one, NULL), ACCORD_OK);
            if (i == 0) {
                accord_exact sum = {0};
                if (format)
                    accord_exact_add_array_f32(&sum, q.n, at_a, 1);
                else
                    accord_exact_add_array_f64(&sum, q.n, at_a, 1);
                same_pattern(get_pattern(format, one), pattern_of(&sum, format, q.rounding), format,
                             q.rounding, "sum", q.n);
            }
            for (o.threads = 2; o.threads <= 8; o.threads++) {
                ptrdiff_t size = size_of_format(format), last = (ptrdiff_t)q.n - 1;
                ptrdiff_t stride = below(2) ? 1 : -1;
                ptrdiff_t first = stride > 0 ? 0 : last * size * routines[i].parts;
                char many[24] = {0};
                assert_int_equal(routines[i].call(&q, (const char *)at_a + first, stride,
                                                  (const char *)at_b + first, stride, &o, many,
                                                  NULL),
                                 ACCORD_OK);
                assert_memory_equal(one, many, sizeof one);
            }
        }
}

static void refused(enum accord_status status, const accord_error *error, const char *word)
{
    assert_int_equal(status, ACCORD_ARG);
    assert_int_equal(error->status, ACCORD_ARG);
    if (!strstr(error->text, word))
        fail_msg("no %s in: %s", word, error->text);
}

static void test_arguments(void **state)
{
    (void)state;
    for (int i = 0; i < ROUTINES; i++)
        for (int format = 0; format < routines[i].formats; format++) {
            const struct routine *r = routines + i;
            question q = {format, 0, 1, false};
            accord_error error = {0};
            char out[16], untouched[16];
            const void *two = room_x;
            accord_exact_options good, bad;
            memset(out, 0x33, sizeof out);
            memcpy(untouched, out, sizeof out);
            refused(r->call(&q, NULL, 1, two, 1, NULL, out, &error), &error, "array");
            if (r->arrays == 2)
                refused(r->call(&q, two, 1, NULL, 1, NULL, out, &error), &error, "array");
            refused(r->call(&q, two, 1, two, 1, NULL, NULL, &error), &error, "result");
            accord_exact_options_init(&good);
            bad = good;
            bad.method = ACCORD_EXACT_METHOD_COUNT;
            refused(r->call(&q, two, 1, two, 1, &bad, out, &error), &error, "method");
            bad = good;
            bad.rounding = (enum accord_exact_rounding) - 1;
            refused(r->call(&q, two, 1, two, 1, &bad, out, &error), &error, "rounding");
            bad = good;
            bad.expansion = 1;
            refused(r->call(&q, two, 1, two, 1, &bad, out, &error), &error, "expansion");
            bad.expansion = 9;
            refused(r->call(&q, two, 1, two, 1, &bad, out, &error), &error, "expansion");
            bad = good;
            bad.threads = -1;
            refused(r->call(&q, two, 1, two, 1, &bad, out, &error), &error, "threads");
            refused(r->call(&q, two, 1, two, 1, &bad, out, NULL), &error, "threads");
            assert_memory_equal(out, untouched, sizeof out);
            good.threads = INT_MAX;
            assert_int_equal(r->call(&q, two, 1, two, 1, &good, out, &error), ACCORD_OK);
        }
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors), cmocka_unit_test(test_distances),
        cmocka_unit_test(test_few),     cmocka_unit_test(test_routines),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
