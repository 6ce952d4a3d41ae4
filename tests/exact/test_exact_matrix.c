/* Products of matrices and triangular systems: every element against its formula in MPFR, for
 * matrices laid out in every way, and the bytes between their elements, which must stay. */
#include "exact_calls.h"
#include "trials.h"

enum { SIDE = 300, AREA = SIDE * SIDE, BYTES = 1 << 22, RESULT = 1 << 16 };

static char room_a[BYTES], room_b[BYTES], room_c[RESULT], wanted[RESULT];
static double a[AREA], b[AREA], c[AREA];

/* Where element (i, j) of a matrix lies. */
typedef struct layout {
    char *first;
    ptrdiff_t row, column; /* strides */
} layout;

static char *at(const layout *l, int format, size_t i, size_t j)
{
    ptrdiff_t place = (ptrdiff_t)i * l->row + (ptrdiff_t)j * l->column;
    return l->first + place * size_of_format(format);
}

/* By rows or by columns, with gaps, forwards or backwards. */
static layout any_layout(char *room, size_t rows, size_t columns)
{
    bool by_row = below(2);
    size_t inner = by_row ? columns : rows, outer = by_row ? rows : columns;
    ptrdiff_t step = below(4) ? 1 : 1 + below(3);
    ptrdiff_t lead = (ptrdiff_t)(inner + !inner) * step + (below(2) ? 0 : below(4));
    ptrdiff_t offset = 0;
    if (!below(6)) {
        offset += (ptrdiff_t)(inner ? inner - 1 : 0) * step;
        step = -step;
    }
    if (!below(6)) {
        offset += (ptrdiff_t)(outer ? outer - 1 : 0) * lead;
        lead = -lead;
    }
    layout l = {room + (below(2) ? 0 : below(8)) + 8 * offset, lead, step};
    return by_row ? l : (layout){l.first, step, lead};
}

static void spread(const layout *l, int format, const double *x, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            put_number(format, at(l, format, i, j), x[i * columns + j]);
}

static double any_factor(int format)
{
    static const double usual[] = {0, -0.0, 1, 1, 1, -1, 2, 0.1, -0.7, 0x1p-1074, DBL_MAX};
    static const double odd[] = {INFINITY, -INFINITY, NAN};
    double one;
    if (!below(20))
        return odd[below(3)];
    draw_numbers(format, &one, 1);
    return below(3) ? squeeze(format, usual[below(11)]) : isfinite(one) ? one : 3;
}

typedef struct gemm {
    int format;
    size_t m, n, k;
    double alpha, beta;
    float narrow_alpha, narrow_beta;
    layout a, b, c;
    bool vector;
    accord_exact_options options;
} gemm;

static uint64_t expected_element(const gemm *g, size_t i, size_t j)
{
    tally t;
    tally_init(&t);
    for (size_t l = 0; l < g->k && g->alpha != 0; l++)
        tally_add_product(&t, g->alpha, a[i * g->k + l], b[l * g->n + j]);
    if (g->beta != 0)
        tally_add_product(&t, 1, g->beta, c[i * g->n + j]);
    if (!t.terms)
        tally_add_product(&t, 1, 1, 0);
    return tally_pattern(&t, g->format, (int)g->options.rounding);
}

static enum accord_status call_gemm(const gemm *g, accord_error *error)
{
    const accord_exact_options *o = &g->options;
    const void *at_a = g->a.first, *at_b = g->b.first;
    void *at_c = g->c.first;
    float alpha = g->narrow_alpha, beta = g->narrow_beta;
    if (g->vector && g->format == ACCORD_F64)
        return accord_gemv_exact_f64(g->m, g->k, g->alpha, at_a, g->a.row, g->a.column, at_b,
                                     g->b.row, g->beta, at_c, g->c.row, o, error);
    if (g->vector)
        return accord_gemv_exact_f32(g->m, g->k, alpha, at_a, g->a.row, g->a.column, at_b, g->b.row,
                                     beta, at_c, g->c.row, o, error);
    if (g->format == ACCORD_F64)
        return accord_gemm_exact_f64(g->m, g->n, g->k, g->alpha, at_a, g->a.row, g->a.column, at_b,
                                     g->b.row, g->b.column, g->beta, at_c, g->c.row, g->c.column, o,
                                     error);
    return accord_gemm_exact_f32(g->m, g->n, g->k, alpha, at_a, g->a.row, g->a.column, at_b,
                                 g->b.row, g->b.column, beta, at_c, g->c.row, g->c.column, o,
                                 error);
}

static void check_gemm(gemm *g)
{
    accord_error error;
    if (g->format == ACCORD_F32) {
        g->narrow_alpha = (float)g->alpha;
        g->narrow_beta = (float)g->beta;
    }
    memset(room_c, 0x5a, sizeof room_c);
    spread(&g->a, g->format, a, g->m, g->k);
    spread(&g->b, g->format, b, g->k, g->n);
    spread(&g->c, g->format, c, g->m, g->n);
    memcpy(wanted, room_c, sizeof wanted);
    environment e = enter_any_environment();
    enum accord_status status = call_gemm(g, &error);
    leave_environment(&e);
    if (status)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            char *element = at(&g->c, g->format, i, j);
            uint64_t expected = expected_element(g, i, j);
            if (get_pattern(g->format, element) != expected)
                fail_msg("%zu x %zu x %zu, format %d, alpha %a, beta %a, rounding %d, element %zu, "
                         "%zu: found %" PRIx64 ", expected %" PRIx64,
                         g->m, g->n, g->k, g->format, g->alpha, g->beta, (int)g->options.rounding,
                         i, j, get_pattern(g->format, element), expected);
            memcpy(element, wanted + (element - room_c), (size_t)size_of_format(g->format));
        }
    assert_memory_equal(room_c, wanted, sizeof wanted);
}

/* Rows of A that products and c cancel. */
static void cancel(gemm *g)
{
    g->beta = -g->alpha;
    for (size_t i = 0; i < g->m; i++)
        for (size_t j = 0; j < g->n; j++) {
            for (size_t l = 1; l < g->k; l++)
                a[i * g->k + l] = below(3) ? 0 : squeeze(g->format, 0x1p-1074);
            if (g->k)
                b[j] = ldexp(1, below(40) - 20);
            c[i * g->n + j] = g->k ? squeeze(g->format, a[i * g->k] * b[j]) : 1;
        }
}

static gemm any_gemm(size_t most)
{
    gemm g = {.format = below(2), .vector = !below(3), .options = any_options()};
    g.m = below(12) ? (size_t)below((int)most) : 0;
    g.n = g.vector ? 1 : below(12) ? (size_t)below((int)most) : 0;
    g.k = below(12) ? (size_t)below((int)most) : 0;
    g.alpha = any_factor(g.format);
    g.beta = any_factor(g.format);
    if (!below(16) && g.m && g.n) { /* several steps of a panel */
        g.m = 1 + (size_t)below(2);
        g.n = g.vector ? 1 : 1 + (size_t)below(2);
        g.k = 7000 + (size_t)below(3000);
    }
    draw_numbers(g.format, a, g.m * g.k);
    draw_numbers(g.format, b, g.k * g.n);
    draw_numbers(g.format, c, g.m * g.n);
    if (!below(6))
        cancel(&g);
    return g;
}

static void test_products(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(500); t++) {
        gemm g = any_gemm(below(4) ? 6 : 24);
        g.a = any_layout(room_a, g.m, g.k);
        g.b = any_layout(room_b, g.k, g.n);
        g.c = any_layout(room_c, g.m, g.n);
        if (!below(10) && g.m && g.k) { /* all rows of A are one */
            g.a = (layout){room_a, 0, 1};
            for (size_t i = g.k; i < g.m * g.k; i++)
                a[i] = a[i % g.k];
        }
        check_gemm(&g);
    }
}

/* A row whose sum of products with ones is a tie, or beside one by a term that is far smaller. */
static void make_near_tie(gemm *g, size_t row)
{
    double *line = a + row * g->k;
    memset(line, 0, g->k * sizeof *line);
    line[0] = 1 + below(2) * 0x1p-20;
    line[g->k / 2] = g->format == ACCORD_F64 ? 0x1p-53 : 0x1p-24;
    line[g->k - 1] = (below(3) - 1) * 0x1p-110;
    for (size_t i = 0; i < g->k * g->n; i++)
        b[i] = 1;
}

/* A times B alone, whose elements are made side by side. */
static gemm plain_gemm(void)
{
    gemm g = {.format = below(2), .alpha = 1};
    bool wide = !below(8), longer = !wide && !below(8);
    g.m = 4 + (size_t)below(wide ? 64 : 12);
    g.n = 4 + (size_t)below(wide ? 64 : 12);
    g.k = 8 + (size_t)below(wide ? 8 : longer ? 1200 : 80);
    g.options = any_options();
    if (below(4)) {
        accord_exact_options_init(&g.options);
        g.options.threads = 1 + below(2);
    }
    draw_numbers(g.format, a, g.m * g.k);
    draw_numbers(g.format, b, g.k * g.n);
    if (!below(3))
        make_near_tie(&g, (size_t)below((int)g.m));
    if (!below(8))
        memset(a + (size_t)below((int)g.m) * g.k, 0, g.k * sizeof *a);
    return g;
}

static void test_side_by_side(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(300); t++) {
        gemm g = plain_gemm();
        bool small = g.m * g.n * 3 * 4 * 8 < RESULT;
        g.a = any_layout(room_a, g.m, g.k);
        g.b = any_layout(room_b, g.k, g.n);
        g.c = small ? any_layout(room_c, g.m, g.n) : (layout){room_c, (ptrdiff_t)g.n, 1};
        check_gemm(&g);
    }
}

/* By hand: what must not be rounded on the way. */
static void test_one_rounding(void **state)
{
    (void)state;
    const double big = 0x1p1000, least = 0x1p-1074;
    const struct {
        double alpha, a[2], x[2], beta, y, result;
    } rows[] = {
        {big, {big, 1}, {1, 0}, -big, big, 0},           /* 2^2000 - 2^2000 */
        {big, {big, least}, {1, 1}, -big, big, 0x1p-74}, /* and what is left */
        {big, {big, 1}, {big, 1}, 1, 1, INFINITY},
        {least, {least, 1}, {least, 0}, 1, 1, 1}, /* 2^-3222 is lost … */
        {-least, {least, 0}, {least, 0}, 0, NAN, -0.0},
        {3, {0x1p-1074, 0}, {0.5, 0}, 0, 7, 0x1p-1073},              /* 1.5 units, to even */
        {1, {0x1p-1074, 0}, {0.5, 0}, 1, 0x1p-1074, 0x1p-1073},      /* 1.5 units */
        {1, {1, 0x1p-53}, {1, 1}, 1, 0x1p-120, 0x1.0000000000001p0}, /* a tie no more */
        {0.1, {10, 0}, {1, 0}, -1, 1, 0x1p-54},                      /* the error of 0.1 */
        {2, {DBL_MAX, 0}, {1, 0}, -1, DBL_MAX, DBL_MAX},
        {0, {NAN, NAN}, {NAN, NAN}, 0, NAN, 0},
        {0, {NAN, NAN}, {NAN, NAN}, 1, -0.0, -0.0},
        {-1, {0, 0}, {1, 1}, 1, -0.0, -0.0},
        {1, {0, 0}, {1, 1}, 1, -0.0, 0},
        {INFINITY, {1, -1}, {1, 1}, 0, 0, NAN},
        {INFINITY, {1, 1}, {1, 1}, -1, 5, INFINITY},
        {-INFINITY, {1, 1}, {1, 0}, 0, 0, NAN},
        {-INFINITY, {1, -2}, {3, -1}, 1, 5, -INFINITY},
        {NAN, {1, 1}, {1, 1}, 0, 0, NAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double y = rows[i].y;
        assert_int_equal(accord_gemv_exact_f64(1, 2, rows[i].alpha, rows[i].a, 2, 1, rows[i].x, 1,
                                               rows[i].beta, &y, 1, NULL, NULL),
                         ACCORD_OK);
        if (isnan(rows[i].result) ? bits_of(y) != 0x7ff8000000000000
                                  : bits_of(y) != bits_of(rows[i].result))
            fail_msg("row %zu: found %a, expected %a", i, y, rows[i].result);
    }
    double y = 1;
    accord_exact_options o;
    accord_exact_options_init(&o);
    o.rounding = ACCORD_EXACT_DOWN;
    assert_int_equal(
        accord_gemv_exact_f64(1, 1, -least, &least, 1, 1, &least, 1, 1, &y, 1, &o, NULL),
        ACCORD_OK);
    assert_true(y == 1 - 0x1p-53); /* … unless rounded down */
}

/* Triangular systems. */

typedef struct trsv {
    int format;
    size_t n;
    bool lower, unit;
    layout a;
    ptrdiff_t stride;
    accord_exact_options options;
} trsv;

/* c becomes x, which the next elements are made of. */
static void expect_solution(const trsv *s)
{
    mpfr_t x;
    mpfr_init2(x, LONG);
    for (size_t step = 0; step < s->n; step++) {
        size_t i = s->lower ? step : s->n - 1 - step;
        tally t;
        tally_init(&t);
        tally_add_product(&t, 1, 1, c[i]);
        for (size_t j = s->lower ? 0 : i + 1; j < (s->lower ? i : s->n); j++)
            tally_add_product(&t, -1, a[i * s->n + j], c[j]);
        mpfr_set_prec(x, LONG);
        tally_value(&t, (int)s->options.rounding, x);
        if (!s->unit)
            divide(x, a[i * s->n + i]);
        c[i] = accord_format_decode((enum accord_format)s->format,
                                    value_pattern(x, s->format, (int)s->options.rounding));
        mpfr_clear(t.sum);
    }
    mpfr_clear(x);
}

static enum accord_status call_trsv(const trsv *s, void *x, accord_error *error)
{
    return s->format == ACCORD_F64
               ? accord_trsv_exact_f64(s->lower, s->unit, s->n, (void *)s->a.first, s->a.row,
                                       s->a.column, x, s->stride, &s->options, error)
               : accord_trsv_exact_f32(s->lower, s->unit, s->n, (void *)s->a.first, s->a.row,
                                       s->a.column, x, s->stride, &s->options, error);
}

static void check_trsv(trsv *s)
{
    accord_error error;
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < s->n; j++)
            if (i == j ? s->unit : (i < j) == s->lower)
                a[i * s->n + j] = NAN; /* not to be read */
    spread(&s->a, s->format, a, s->n, s->n);
    char *x = lay(room_c, s->format, c, s->n, 1, s->stride);
    environment e = enter_any_environment();
    enum accord_status status = call_trsv(s, x, &error);
    leave_environment(&e);
    if (status)
        fail_msg("%s", error.text);
    expect_solution(s);
    int size = size_of_format(s->format);
    for (size_t i = 0; i < s->n; i++)
        same_pattern(get_pattern(s->format, x + (ptrdiff_t)i * s->stride * size),
                     accord_format_encode((enum accord_format)s->format, c[i]), s->format,
                     (int)s->options.rounding, s->lower ? "lower" : "upper", i);
}

static void test_systems(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(400); t++) {
        bool wild = below(2), large = !below(30);
        trsv s = {.format = below(2), .lower = below(2), .unit = !below(4)};
        s.n = (size_t)below(large ? SIDE : wild ? 6 : 24);
        s.options = any_options();
        s.stride = any_stride();
        s.a = any_layout(room_a, s.n, s.n);
        draw_numbers(s.format, a, s.n * s.n);
        draw_numbers(s.format, c, s.n);
        for (size_t i = 0; i < s.n * s.n && !wild; i++)
            a[i] = squeeze(s.format, sign() * ldexp(1 + accordi_rng_unit(&rng), -below(6)));
        check_trsv(&s);
    }
}

static void test_quotients(void **state)
{
    (void)state;
    const double odd[] = {0.0, 1, 3, 0x1p-1074, 0x1.8p-1074, 0x1p-1022, DBL_MAX, INFINITY, NAN};
    enum { ODD = sizeof odd / sizeof *odd };
    for (int i = 0; i < 4 * ODD * ODD; i++) {
        double x = (i % 2 ? -1 : 1) * odd[i / 4 % ODD], d = (i / 2 % 2 ? -1 : 1) * odd[i / 4 / ODD];
        double y = x, expected = x / d;
        assert_int_equal(accord_trsv_exact_f64(true, false, 1, &d, 1, 1, &y, 1, NULL, NULL),
                         ACCORD_OK);
        assert_true(isnan(expected) ? bits_of(y) == 0x7ff8000000000000
                                    : bits_of(y) == bits_of(expected));
    }
    for (size_t t = 0; t < trials(20000); t++) { /* IEEE 754 division is the same thing */
        double x, d;
        fill_patterns(&x, 1);
        fill_patterns(&d, 1);
        double y = x;
        if (below(2))
            d = ldexp(d, below(2000) - 1000);
        assert_int_equal(accord_trsv_exact_f64(below(2), false, 1, &d, 1, 1, &y, 1, NULL, NULL),
                         ACCORD_OK);
        if (d != 0 && isfinite(d))
            assert_true(bits_of(y) == bits_of(x / d));
    }
}

/* On any number of threads the same bits, which are those of dots. */
static void test_threads(void **state)
{
    (void)state;
    static const size_t shapes[][3] = {{90, 90, 80},   {3, 1, 330000}, {1, 2, 450000},
                                       {2000, 1, 450}, {300, 300, 9},  {9, 20, 5000}};
    enum { LENGTH = 1000000 }; /* enough for several threads: 4 m n k / 2^19 */
    static double x[LENGTH], y[LENGTH], one[LENGTH], many[LENGTH];
    for (size_t i = 0; i < LENGTH; i += MOST) {
        fills[below(FILLS)].fill(x + i, MOST);
        fills[below(FILLS)].fill(y + i, MOST);
    }
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        size_t m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
        accord_exact_options o;
        accord_exact_options_init(&o);
        bool by_row = below(2);
        ptrdiff_t row = by_row ? (ptrdiff_t)k : 1, column = by_row ? 1 : (ptrdiff_t)m;
        for (o.threads = 1; o.threads <= 8; o.threads++) {
            assert_int_equal(accord_gemm_exact_f64(m, n, k, 1, x, row, column, y, (ptrdiff_t)n, 1,
                                                   0, many, (ptrdiff_t)n, 1, &o, NULL),
                             ACCORD_OK);
            if (o.threads == 1)
                memcpy(one, many, m * n * sizeof *one);
            assert_memory_equal(one, many, m * n * sizeof *one);
        }
        for (int t = 0; t < 20; t++) {
            size_t i = (size_t)below((int)m), j = (size_t)below((int)n);
            double dot;
            accord_dot_exact_f64(k, x + (ptrdiff_t)i * row, column, y + j, (ptrdiff_t)n, NULL, &dot,
                                 NULL);
            assert_true(bits_of(dot) == bits_of(one[i * n + j]));
        }
    }
}

static void test_systems_on_threads(void **state)
{
    (void)state;
    enum { N = 2200 }; /* the last blocks are worth two threads */
    static float m[N * N], first[N], x[N], kept[N];
    for (size_t i = 0; i < N * N; i++)
        m[i] = (float)(sign() * (1 + accordi_rng_unit(&rng)) * (i % (N + 1) ? 0x1p-4 : 1));
    for (size_t i = 0; i < N; i++)
        first[i] = (float)sign();
    for (int shape = 0; shape < 4; shape++)
        for (int threads = 1; threads <= 3; threads++) {
            accord_exact_options o;
            accord_exact_options_init(&o);
            o.threads = threads;
            memcpy(x, first, sizeof x);
            bool by_row = shape / 2;
            assert_int_equal(accord_trsv_exact_f32(shape % 2, false, N, m, by_row ? N : 1,
                                                   by_row ? 1 : N, x, 1, &o, NULL),
                             ACCORD_OK);
            if (threads == 1)
                memcpy(kept, x, sizeof x);
            assert_memory_equal(kept, x, sizeof x);
        }
}

static void refused(enum accord_status status, accord_error *error, const char *word)
{
    assert_int_equal(status, ACCORD_ARG);
    assert_int_equal(error->status, ACCORD_ARG);
    if (!strstr(error->text, word))
        fail_msg("no %s in: %s", word, error->text);
}

static void test_arguments(void **state)
{
    (void)state;
    double x[2] = {1, 2}, y = 7, nan = NAN;
    accord_error e;
    accord_exact_options bad;
    accord_exact_options_init(&bad);
    bad.threads = -3;
    refused(accord_gemv_exact_f64(1, 2, 1, NULL, 2, 1, x, 1, 1, &y, 1, NULL, &e), &e, "array");
    refused(accord_gemv_exact_f64(1, 2, 1, x, 2, 1, NULL, 1, 1, &y, 1, NULL, &e), &e, "array");
    refused(accord_gemv_exact_f64(1, 2, 1, x, 2, 1, x, 1, 1, NULL, 1, NULL, &e), &e, "result");
    refused(accord_gemv_exact_f64(1, 2, 1, x, 2, 1, x, 1, 1, &y, 1, &bad, &e), &e, "threads");
    refused(accord_gemm_exact_f64(1, 1, 2, 1, x, 2, 1, NULL, 1, 1, 1, &y, 1, 1, NULL, &e), &e,
            "array");
    refused(accord_trsv_exact_f64(true, false, 1, NULL, 1, 1, &y, 1, NULL, &e), &e, "array");
    refused(accord_trsv_exact_f64(true, false, 1, x, 1, 1, NULL, 1, NULL, &e), &e, "array");
    refused(accord_trsv_exact_f64(true, false, 1, x, 1, 1, &y, 1, &bad, &e), &e, "threads");
    assert_true(y == 7);
    /* Nothing of nothing; what is not read may be missing. */
    assert_int_equal(accord_gemv_exact_f64(0, 2, 1, NULL, 2, 1, NULL, 1, 1, NULL, 1, NULL, &e),
                     ACCORD_OK);
    assert_int_equal(accord_gemv_exact_f64(1, 2, 0, NULL, 2, 1, NULL, 1, 2, &y, 1, NULL, &e),
                     ACCORD_OK);
    assert_true(y == 14);
    assert_int_equal(accord_gemv_exact_f64(1, 0, 1, NULL, 2, 1, NULL, 1, 0.5, &y, 1, NULL, &e),
                     ACCORD_OK);
    assert_true(y == 7);
    y = nan;
    assert_int_equal(accord_gemv_exact_f64(1, 0, 1, NULL, 2, 1, NULL, 1, 0, &y, 1, NULL, &e),
                     ACCORD_OK);
    assert_true(bits_of(y) == bits_of(0.0));
    assert_int_equal(accord_trsv_exact_f64(true, false, 0, NULL, 1, 1, NULL, 1, NULL, &e),
                     ACCORD_OK);
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_rounding),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_quotients),
        cmocka_unit_test(test_systems),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_systems_on_threads),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
