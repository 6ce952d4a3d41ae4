/* Products of matrices in slices of bytes: every element against an exact dot, which is made in
 * another way; and that slices settle what they are for. Where the processor has no unit for
 * matrices of bytes, the same products are made side by side, and the latter is skipped. */
#include "exact/kernels/slices.h"
#include "exact/routines/product.h"
#include "exact_calls.h"
#include "trials.h"

enum { LINES = 160, TERMS = 1600, GAP = 3 };

static double a[LINES * (TERMS + GAP)], b[LINES * (TERMS + GAP)], c[LINES * LINES];
static float a32[LINES * (TERMS + GAP)], b32[LINES * (TERMS + GAP)], c32[LINES * LINES];

typedef struct product_case {
    size_t m, n, k;
    bool narrow, by_row, turned; /* f32; B by rows; C by columns */
    accord_exact_options options;
} product_case;

/* Numbers of one line, near 2^exponent. */
typedef double draw(int exponent);

static double draw_uniform(int exponent)
{
    return ldexp(accordi_rng_unit(&rng) - 0.5, exponent);
}

static double draw_spread(int exponent)
{
    return draw_uniform(exponent - below(40));
}

static double draw_integer(int exponent)
{
    return ldexp(below(201) - 100, exponent);
}

static double draw_sparse(int exponent)
{
    return below(3) ? (below(2) ? 0.0 : -0.0) : ldexp(below(5) - 2, exponent);
}

static double draw_greatest(int exponent)
{
    return ldexp((below(2) ? 1 : -1) * (1 - below(3) * 0x1p-53), exponent);
}

static double draw_near_tie(int exponent)
{
    static const double some[] = {1, 0x1p-53, 0x1p-24, 0x1p-60, 0x1p-110, 0};
    return ldexp((below(2) ? 1 : -1) * some[below(6)], exponent);
}

static double draw_odd(int exponent)
{
    return below(300) ? draw_uniform(exponent) : below(2) ? INFINITY : NAN;
}

static draw *const draws[] = {draw_uniform,  draw_spread,   draw_integer, draw_sparse,
                              draw_greatest, draw_near_tie, draw_odd};
enum { DRAWS = sizeof draws / sizeof *draws };

/* Lines of k numbers each, with a gap between them. */
static void fill(double *x, size_t lines, size_t k, bool narrow)
{
    draw *one = draws[below(DRAWS)];
    int middle = below(2) ? 0 : narrow ? below(80) - 40 : below(1000) - 550;
    if (!below(20))
        middle = narrow ? 62 : 510; /* products that overflow */
    for (size_t l = 0; l < lines; l++) {
        double *line = x + l * (k + GAP);
        int exponent = below(2) ? middle : middle - below(30);
        for (size_t i = 0; i < k; i++)
            line[i] = squeeze(narrow ? ACCORD_F32 : ACCORD_F64, one(exponent));
        if (!below(30))
            memset(line, 0, k * sizeof *line);
        for (size_t i = 0; !below(4) && i + 1 < k; i += 2)
            line[i + 1] = -line[i];
    }
}

/* B as the call wants it: its columns are the lines of *lines. */
static void lay_out(const product_case *p, const double *lines, double *to)
{
    for (size_t j = 0; j < p->n; j++)
        for (size_t i = 0; i < p->k; i++)
            to[p->by_row ? i * p->n + j : j * (p->k + GAP) + i] = lines[j * (p->k + GAP) + i];
}

static void call(const product_case *p, accord_error *error)
{
    ptrdiff_t line = (ptrdiff_t)p->k + GAP, m = (ptrdiff_t)p->m, n = (ptrdiff_t)p->n;
    ptrdiff_t row_b = p->by_row ? n : 1, column_b = p->by_row ? 1 : line;
    ptrdiff_t row_c = p->turned ? 1 : n, column_c = p->turned ? m : 1;
    enum accord_status status;
    if (p->narrow)
        status = accord_gemm_exact_f32(p->m, p->n, p->k, 1, a32, line, 1, b32, row_b, column_b, 0,
                                       c32, row_c, column_c, &p->options, error);
    else
        status = accord_gemm_exact_f64(p->m, p->n, p->k, 1, a, line, 1, b, row_b, column_b, 0, c,
                                       row_c, column_c, &p->options, error);
    if (status)
        fail_msg("%s", error->text);
}

static uint64_t found_at(const product_case *p, size_t i, size_t j)
{
    size_t at = p->turned ? j * p->m + i : i * p->n + j;
    return p->narrow ? get_pattern(ACCORD_F32, c32 + at) : get_pattern(ACCORD_F64, c + at);
}

static uint64_t expected_at(const product_case *p, size_t i, size_t j, accord_error *error)
{
    size_t line = p->k + GAP;
    ptrdiff_t step = p->by_row ? (ptrdiff_t)p->n : 1;
    size_t column = p->by_row ? j : j * line;
    double wide;
    float single[2];
    if (p->narrow) {
        assert_int_equal(accord_dot_exact_f32(p->k, a32 + i * line, 1, b32 + column, step,
                                              &p->options, single, error),
                         ACCORD_OK);
        return get_pattern(ACCORD_F32, single);
    }
    assert_int_equal(
        accord_dot_exact_f64(p->k, a + i * line, 1, b + column, step, &p->options, &wide, error),
        ACCORD_OK);
    return get_pattern(ACCORD_F64, &wide);
}

static product_case any_case(void)
{
    product_case p = {.narrow = !below(3), .by_row = below(2), .turned = below(2)};
    bool longer = !below(8);
    p.m = 48 + (size_t)below(longer ? 20 : LINES - 48);
    p.n = 48 + (size_t)below(longer ? 20 : LINES - 48);
    p.k = 48 + (size_t)below(longer ? TERMS - 48 : 150);
    p.options = any_options();
    p.options.method = ACCORD_EXACT_AUTO;
    if (below(3))
        p.options.rounding = ACCORD_EXACT_NEAREST_EVEN;
    return p;
}

static void test_elements(void **state)
{
    (void)state;
    static double lines[LINES * (TERMS + GAP)];
    accord_error error;
    for (size_t t = 0; t < trials(60); t++) {
        product_case p = any_case();
        fill(a, p.m, p.k, p.narrow);
        fill(lines, p.n, p.k, p.narrow);
        lay_out(&p, lines, b);
        for (size_t i = 0; i < LINES * (TERMS + GAP); i++) {
            a32[i] = (float)a[i];
            b32[i] = (float)b[i];
        }
        environment e = enter_any_environment();
        call(&p, &error);
        leave_environment(&e);
        for (size_t i = 0; i < p.m; i++)
            for (size_t j = 0; j < p.n; j++) {
                uint64_t found = found_at(&p, i, j), expected = expected_at(&p, i, j, &error);
                if (found != expected)
                    fail_msg("%zu x %zu x %zu, %s, rounding %d, element %zu, %zu: found %" PRIx64
                             ", expected %" PRIx64,
                             p.m, p.n, p.k, p.narrow ? "f32" : "f64", (int)p.options.rounding, i, j,
                             found, expected);
            }
    }
}

/* Of products that are all -0 the sum is -0. */
static void test_negative_zeros(void **state)
{
    (void)state;
    enum { N = 64 };
    accord_error error;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            a[i * N + j] = i == j ? 1 : 0;
            b[i * N + j] = i == j ? -0.0 : -1; /* its columns follow each other */
        }
    assert_int_equal(accord_gemm_exact_f64(N, N, N, 1, a, N, 1, b, 1, N, 0, c, N, 1, NULL, &error),
                     ACCORD_OK);
    for (size_t i = 0; i < N; i++)
        assert_true(c[i * N + i] == 0 && signbit(c[i * N + i]));
    assert_true(c[1] == -1);
}

/* Uniform numbers leave next to nothing to the caller, integers of f32 nothing, ties included. */
static void test_settled(void **state)
{
    (void)state;
    enum { N = 64, K = 100 };
    if (!accordi_exact_slices_best()) {
        print_message("# skipped: this processor has no unit for matrices of bytes (AMX-INT8), "
                      "or it may not be used\n");
        return; /* cmocka's skip() writes "not ok", which Meson takes for a failure */
    }
    for (int integers = 0; integers < 2; integers++) {
        for (size_t i = 0; i < (size_t)N * K; i++) {
            a[i] = integers ? 1 + below(1 << 20) : accordi_rng_unit(&rng);
            b[i] = integers ? 1 + below(1 << 20) : accordi_rng_unit(&rng);
        }
        accordi_exact_dots dots = {.kind = &accordi_exact_f64,
                                   .a = a,
                                   .b = b,
                                   .row_a = K,
                                   .column_a = 1,
                                   .row_b = 1,
                                   .column_b = K};
        void *scratch = aligned_alloc(64, (accordi_exact_slices_scratch(N, K) + 63) / 64 * 64);
        assert_non_null(scratch);
        const uint64_t *patterns;
        const bool *settled;
        accordi_exact_slices_take_columns(&dots, 0, N, K, scratch);
        accordi_exact_slices_take_rows(&dots, 0, N, K, scratch);
        size_t open = accordi_exact_slices_do(&dots, N, 0, N, K, scratch, &patterns, &settled);
        assert_true(open <= (integers ? 0 : N * N / 50));
        free(scratch);
    }
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_negative_zeros),
        cmocka_unit_test(test_settled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
