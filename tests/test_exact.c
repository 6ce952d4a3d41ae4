/* Exact accumulators. The oracle is MPFR (exact_sums.h); whatever else must not matter (order,
 * splits, strides, saving, the floating-point environment) is compared by the bytes of canonical
 * accumulators. */
#include "exact_sums.h"
#include "trials.h"
#include <accord/accord.h>
#include <fenv.h>
#include <limits.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

/* Sums against MPFR. */

static void test_sums(void **state)
{
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    size_t cases = 0, wanted = trials(100000);
    while (cases < wanted) {
        int f = below(FILLS);
        size_t n = any_length(MOST);
        fills[f].fill(numbers, n);
        exact_sum(exact, numbers, n);
        kinds k = kinds_of(numbers, n);
        accord_exact sum;
        accord_exact_init(&sum);
        accord_exact_add_array_f64(&sum, n, numbers, 1);
        cases += judge(&sum, exact, k.negative_zeros, k.mixed, fills[f].name, n);
        accord_exact_wide wide;
        accord_exact_wide_init(&wide);
        accord_exact_wide_add_array_f64(&wide, n, numbers, 1);
        cases += judge_wide(&wide, exact, k.negative_zeros, k.mixed, fills[f].name, n);
    }
    printf("# %zu cases\n", cases);
    mpfr_clear(exact);
}

static void cancel_products(double *x, double *y, size_t n)
{
    for (size_t i = 0; i + 1 < n; i += 2) {
        x[i + 1] = y[i];
        y[i + 1] = -x[i];
    }
    if (n)
        x[below((int)n)] = 0x1p-1074;
}

static void test_dots(void **state)
{
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    size_t cases = 0, wanted = trials(40000);
    while (cases < wanted) {
        int f = below(FILLS), g = below(3) ? f : below(FILLS);
        size_t n = any_length(MOST);
        fills[f].fill(numbers, n);
        fills[g].fill(others, n);
        if (!below(4))
            cancel_products(numbers, others, n);
        exact_dot(exact, numbers, others, n);
        kinds k = kinds_of_products(numbers, others, n);
        accord_exact_wide sum;
        accord_exact_wide_init(&sum);
        accord_exact_wide_add_products_f64(&sum, n, numbers, 1, others, 1);
        cases += judge_wide(&sum, exact, k.negative_zeros, k.mixed, fills[f].name, n);
        double once;
        assert_int_equal(accord_dot_exact_f64(n, numbers, 1, others, 1, NULL, &once, NULL),
                         ACCORD_OK);
        same_pattern(bits_of(once), wide_pattern_of(&sum, ACCORD_F64, 0), ACCORD_F64, 0, "dot", n);
    }
    printf("# %zu cases\n", cases);
    mpfr_clear(exact);
}

/* Order, splits, strides, alignment, saving. */

static void shuffle(double *x, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)accordi_rng_below(&rng, i);
        double t = x[i - 1];
        x[i - 1] = x[j];
        x[j] = t;
    }
}

static void add_part(accord_exact *sum, const double *x, size_t n)
{
    static double spread[3 * MOST];
    static char bytes[8 * MOST + 8];
    int how = below(6);
    if (how == 0) {
        for (size_t i = 0; i < n; i++)
            accord_exact_add_f64(sum, x[i]);
    } else if (how == 1) {
        for (size_t i = 0; i < n; i++)
            accord_exact_subtract_f64(sum, -x[i]);
    } else if (how == 2) {
        int stride = 2 + below(2);
        for (size_t i = 0; i < n; i++)
            spread[(size_t)stride * i] = x[i];
        accord_exact_add_array_f64(sum, n, spread, stride);
    } else if (how == 3 && n) {
        accord_exact_add_array_f64(sum, n, x + n - 1, -1);
    } else if (how == 4) {
        char *at = bytes + 1 + below(7);
        memcpy(at, x, n * sizeof *x);
        accord_exact_add_array_f64(sum, n, (const double *)(const void *)at, 1);
    } else {
        accord_exact_add_array_f64(sum, n, x, 1);
    }
}

static void through_file(accord_exact *sum)
{
    unsigned char bytes[ACCORD_EXACT_BYTES];
    accord_error error;
    accord_exact_save(sum, bytes);
    memset(sum, 0x5a, sizeof *sum);
    if (accord_exact_load(sum, bytes, sizeof bytes, &error))
        fail_msg("%s", error.text);
}

static void negate(accord_exact *sum)
{
    accord_exact zero;
    accord_exact_init(&zero);
    assert_int_equal(accord_exact_subtract(&zero, sum, NULL), ACCORD_OK);
    *sum = zero;
}

/* The numbers in another order and in up to eight parts, merged in any order. */
static void sum_in_parts(accord_exact *out, double *x, size_t n)
{
    enum { PARTS = 8 };
    accord_exact part[PARTS];
    shuffle(x, n);
    int parts = 1 + below(PARTS);
    size_t from = 0;
    for (int p = 0; p < parts; p++) {
        size_t to = p == parts - 1 ? n : from + (size_t)accordi_rng_below(&rng, n - from + 1);
        accord_exact_init(part + p);
        add_part(part + p, x + from, to - from);
        if (!below(3))
            through_file(part + p);
        from = to;
    }
    for (; parts > 1; parts--) {
        int a = below(parts - 1);
        if (below(2)) {
            assert_int_equal(accord_exact_add(part + a, part + parts - 1, NULL), ACCORD_OK);
        } else {
            negate(part + parts - 1);
            assert_int_equal(accord_exact_subtract(part + a, part + parts - 1, NULL), ACCORD_OK);
        }
    }
    *out = part[0];
}

static void test_any_order(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(3000); t++) {
        int f = below(FILLS);
        size_t n = any_length(MOST);
        fills[f].fill(numbers, n);
        if (!below(8) && n)
            numbers[below((int)n)] = below(2) ? (double)NAN : sign() * (double)INFINITY;
        accord_exact whole, parts;
        accord_exact_init(&whole);
        accord_exact_add_array_f64(&whole, n, numbers, 1);
        sum_in_parts(&parts, numbers, n);
        same_sum(&whole, &parts, fills[f].name);
        double once;
        accord_exact_options options;
        accord_exact_options_init(&options);
        options.method = (enum accord_exact_method)below(ACCORD_EXACT_METHOD_COUNT);
        options.rounding = (enum accord_exact_rounding)below(ROUNDINGS);
        assert_int_equal(accord_sum_exact_f64(n, numbers, 1, &options, &once, NULL), ACCORD_OK);
        same_pattern(bits_of(once), pattern_of(&whole, ACCORD_F64, (int)options.rounding),
                     ACCORD_F64, (int)options.rounding, "one call", n);
    }
}

static void test_dot_any_order(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(1000); t++) {
        size_t n = any_length(2000), cut = (size_t)accordi_rng_below(&rng, n + 1);
        fills[below(FILLS)].fill(numbers, n);
        fills[below(FILLS)].fill(others, n);
        accord_exact_wide whole, low, high;
        accord_exact_wide_init(&whole);
        accord_exact_wide_init(&low);
        accord_exact_wide_init(&high);
        accord_exact_wide_add_products_f64(&whole, n, numbers, 1, others, 1);
        for (size_t i = cut; i < n; i++)
            accord_exact_wide_add_product_f64(&high, -others[i], numbers[i]);
        if (cut)
            accord_exact_wide_add_products_f64(&low, cut, others + cut - 1, -1, numbers + cut - 1,
                                               -1);
        unsigned char bytes[ACCORD_EXACT_WIDE_BYTES];
        accord_exact_wide_save(&high, bytes);
        accord_exact_wide_init(&high);
        assert_int_equal(accord_exact_wide_load(&high, bytes, sizeof bytes, NULL), ACCORD_OK);
        assert_int_equal(accord_exact_wide_subtract(&low, &high, NULL), ACCORD_OK);
        same_wide(&whole, &low, "dot in parts");
    }
}

/* The words of canonical accumulators, added as integers. */
static void test_words_add_up(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(300); t++) {
        int parts = 1 + below(40);
        accord_exact whole, words;
        accord_exact_init(&whole);
        accord_exact_init(&words);
        for (int p = 0; p < parts; p++) {
            size_t n = any_length(300);
            fills[below(FILLS)].fill(numbers, n);
            accord_exact part;
            accord_exact_init(&part);
            accord_exact_add_array_f64(&part, n, numbers, 1);
            accord_exact_add_array_f64(&whole, n, numbers, 1);
            accord_exact_canonical(&part);
            for (size_t w = 0; w < sizeof part / 8; w++)
                ((int64_t *)&words)[w] += ((int64_t *)&part)[w];
        }
        accord_exact_canonical(&words);
        same_sum(&whole, &words, "words");
    }
}

/* Words may add up to more than scaling and merging allow: that sum still rounds, is saved, and can
 * be scaled down, but not merged. */
static void test_words_past_the_limit(void **state)
{
    (void)state;
    for (int s = -1; s <= 1; s += 2) {
        accord_exact part, words, back;
        unsigned char bytes[ACCORD_EXACT_BYTES];
        accord_exact_init(&part);
        accord_exact_init(&words);
        accord_exact_add_f64(&part, s * DBL_MAX);
        assert_int_equal(accord_exact_scale(&part, 140, NULL), ACCORD_OK);
        for (int i = 0; i < 1 << 12; i++)
            for (size_t w = 0; w < sizeof part / 8; w++)
                ((int64_t *)&words)[w] += ((int64_t *)&part)[w];
        accord_exact_canonical(&words);
        accord_exact_save(&words, bytes);
        assert_int_equal(accord_exact_load(&back, bytes, sizeof bytes, NULL), ACCORD_OK);
        assert_memory_equal(&back, &words, sizeof back);
        assert_int_equal(accord_exact_scale(&back, 0, NULL), ACCORD_ARG);
        assert_int_equal(accord_exact_add(&back, &part, NULL), ACCORD_ARG);
        assert_memory_equal(&back, &words, sizeof back);
        assert_true(accord_exact_f64(&back, ACCORD_EXACT_TOWARD_ZERO) == s * DBL_MAX);
        assert_true(accord_exact_f64(&back, ACCORD_EXACT_NEAREST_EVEN) == s * (double)INFINITY);
        assert_int_equal(accord_exact_scale(&back, -152, NULL), ACCORD_OK);
        assert_true(accord_exact_f64(&back, ACCORD_EXACT_NEAREST_EVEN) == s * DBL_MAX);
    }
}

/* Other input formats: the same sum as of the same values as doubles, special ones too. */

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void test_narrow_sums(void **state)
{
    (void)state;
    static float single[2 * MOST];
    static uint16_t half[MOST];
    for (size_t t = 0; t < trials(300); t++) {
        size_t n = any_length(MOST);
        bool wild = !below(3);
        enum accord_format f = below(2) ? ACCORD_F16 : ACCORD_BF16;
        accord_exact a, b, c, d;
        accord_exact_init(&a);
        accord_exact_init(&b);
        accord_exact_init(&c);
        accord_exact_init(&d);
        for (size_t i = 0; i < n; i++) {
            uint32_t bits = (uint32_t)accordi_rng_next(&rng);
            single[2 * i] = float_of(wild ? bits : bits & 0xbfffffff);
            half[i] = (uint16_t)(wild ? bits >> 16 : bits >> 16 & 0xbfff);
            accord_exact_add_f64(&b, (double)single[2 * i]);
            accord_exact_add_f64(&d, accord_format_decode(f, half[i]));
        }
        accord_exact_add_array_f32(&a, n, single, 2);
        (f == ACCORD_F16 ? accord_exact_add_array_f16 : accord_exact_add_array_bf16)(&c, n, half,
                                                                                     1);
        same_sum(&a, &b, "f32");
        same_sum(&c, &d, "f16 or bf16");
        float once;
        assert_int_equal(accord_sum_exact_f32(n, single, 2, NULL, &once, NULL), ACCORD_OK);
        uint32_t bits;
        memcpy(&bits, &once, sizeof bits);
        same_pattern(bits, pattern_of(&b, ACCORD_F32, 0), ACCORD_F32, 0, "f32", n);
    }
}

static void test_each_half(void **state)
{
    (void)state;
    for (int f = ACCORD_F16; f <= ACCORD_BF16; f++)
        for (uint32_t bits = 0; bits < 65536; bits++) {
            accord_exact a, b;
            accord_exact_init(&a);
            accord_exact_init(&b);
            (f == ACCORD_F16 ? accord_exact_add_f16 : accord_exact_add_bf16)(&a, (uint16_t)bits);
            double value = accord_format_decode((enum accord_format)f, bits);
            accord_exact_add_f64(&b, value);
            same_sum(&a, &b, "one pattern");
            same_pattern(pattern_of(&a, f, (int)(bits % ROUNDINGS)),
                         isnan(value) ? accord_format_encode((enum accord_format)f, NAN) : bits, f,
                         (int)(bits % ROUNDINGS), "one pattern", 1);
        }
}

static void test_single_dots(void **state)
{
    (void)state;
    static float x[MOST], y[MOST];
    for (size_t t = 0; t < trials(300); t++) {
        size_t n = any_length(MOST);
        bool wild = !below(3);
        accord_exact_wide wide;
        accord_exact sum, one;
        accord_exact_wide_init(&wide);
        accord_exact_init(&sum);
        accord_exact_init(&one);
        for (size_t i = 0; i < n; i++) {
            uint64_t bits = accordi_rng_next(&rng) & (wild ? ~0u : 0xbfffffffbfffffff);
            x[i] = float_of((uint32_t)bits);
            y[i] = below(9) ? float_of((uint32_t)(bits >> 32)) : 0;
            accord_exact_wide_add_product_f64(&wide, (double)x[i], (double)y[i]);
            accord_exact_add_product_f32(&one, y[i], x[i]);
        }
        accord_exact_add_products_f32(&sum, n, x, 1, y, 1);
        same_sum(&sum, &one, "one at a time");
        for (int f = 0; f < FORMATS; f++)
            for (int r = 0; r < ROUNDINGS; r++)
                same_pattern(pattern_of(&sum, f, r), wide_pattern_of(&wide, f, r), f, r, "f32 dot",
                             n);
        float once;
        assert_int_equal(accord_dot_exact_f32(n, x, 1, y, 1, NULL, &once, NULL), ACCORD_OK);
        uint32_t bits;
        memcpy(&bits, &once, sizeof bits);
        same_pattern(bits, pattern_of(&sum, ACCORD_F32, 0), ACCORD_F32, 0, "f32 dot", n);
    }
}

/* Carries wait in the limbs: as many of the greatest parts as there can be, at each place of a
 * limb, one at a time and as an array, and as products. */
static void test_heavy(void **state)
{
    (void)state;
    enum { N = 5000 };
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    for (int e = 0; e < 64; e++) {
        double value = (e < 32 ? 1 : -1) * ldexp(0x1.fffffffffffffp0, 37 - e % 32);
        accord_exact sum, slow;
        accord_exact_wide products;
        accord_exact_init(&sum);
        accord_exact_init(&slow);
        accord_exact_wide_init(&products);
        for (int i = 0; i < N; i++) {
            numbers[i] = value;
            others[i] = 0x1.fffffffffffffp0;
            accord_exact_add_f64(&slow, value);
        }
        accord_exact_add_array_f64(&sum, N, numbers, 1);
        same_sum(&sum, &slow, "one at a time");
        accord_exact_wide_add_products_f64(&products, N, numbers, 1, others, 1);
        mpfr_set_d(exact, value, MPFR_RNDN);
        mpfr_mul_ui(exact, exact, N, MPFR_RNDN);
        judge(&sum, exact, false, true, "heavy", N);
        mpfr_mul_d(exact, exact, others[0], MPFR_RNDN);
        judge_wide(&products, exact, false, true, "heavy products", N);
    }
    mpfr_clear(exact);
}

/* Hand vectors: the traps in which others fell. */

static void test_hand_vectors(void **state)
{
    (void)state;
    const double max = DBL_MAX, inf = INFINITY, nan = NAN, least = 0x1p-1074;
    const struct {
        size_t n;
        double x[10], sum;
    } rows[] = {
        {0, {0}, -0.0},
        {1, {-0.0}, -0.0},
        {3, {-0.0, -0.0, -0.0}, -0.0},
        {2, {-0.0, 0.0}, 0.0},
        {1, {0.0}, 0.0},
        {2, {1, -1}, 0.0},
        {3, {-0.0, 1, -1}, 0.0},
        {9, {1e308, 1e308, .1, .1, 1e30, .1, -1e30, -1e308, -1e308}, .30000000000000004},
        {5, {1e30, .1, -1e30, 1, 0}, 1.1},
        {3, {max, max, -max}, max},
        {3, {-max, -max, max}, -max},
        {2, {max, 0x1p969}, max},
        {2, {max, 0x1p970}, inf},
        {3, {max, 0x1p970, -least}, max},
        {2, {-max, -max}, -inf},
        {8, {least, least, least, least, least, least, least, least}, 0x1p-1071},
        {2, {1, 0x1p-53}, 1},
        {2, {0x1.0000000000001p0, 0x1p-53}, 0x1.0000000000002p0},
        {3, {1, 0x1p-53, least}, 0x1.0000000000001p0},
        {3, {1, 0x1p-53, -least}, 1},
        {4, {1e300, 1, -1e300, 1e-300}, 1},
        {2, {0x1p-1022, -least}, 0x0.fffffffffffffp-1022},
        {2, {0x0.fffffffffffffp-1022, least}, 0x1p-1022},
        {1, {nan}, nan},
        {3, {1, nan, inf}, nan},
        {2, {inf, -inf}, nan},
        {3, {max, inf, -max}, inf},
        {2, {-inf, max}, -inf},
        {3, {-inf, max, -inf}, -inf},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double sum;
        assert_int_equal(accord_sum_exact_f64(rows[i].n, rows[i].x, 1, NULL, &sum, NULL),
                         ACCORD_OK);
        if (isnan(rows[i].sum) ? bits_of(sum) != 0x7ff8000000000000
                               : bits_of(sum) != bits_of(rows[i].sum))
            fail_msg("row %zu: found %a, expected %a", i, sum, rows[i].sum);
    }
}

/* A thousand equal products that end in a tie, each a little more than it shows: 5e-15 apart. */
static void test_dot_tie(void **state)
{
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    for (int tail = 0; tail < 3; tail++) {
        double x = 1 + 0x1p-27 + (tail > 1 ? 0x1p-52 : 0), y = 1 + 0x1p-26 + (tail ? 0x1p-52 : 0);
        for (int i = 0; i < 1024; i++) {
            numbers[i] = x;
            others[i] = y;
        }
        exact_dot(exact, numbers, others, 1024);
        accord_exact_wide sum;
        accord_exact_wide_init(&sum);
        accord_exact_wide_add_products_f64(&sum, 1024, numbers, 1, others, 1);
        judge_wide(&sum, exact, false, true, "tie", 1024);
    }
    mpfr_clear(exact);
}

/* Single products of everything with everything. */
static void test_products(void **state)
{
    (void)state;
    const double odd[] = {0.0,       1,        0x1p-1074, 0x1p-1022, 0x0.fffffffffffffp-1022,
                          DBL_MAX,   INFINITY, NAN,       1.5,       0x1.fffffffffffffp-600,
                          0x1p-1000, 1e200};
    enum { ODD = sizeof odd / sizeof *odd };
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    for (int i = 0; i < 2 * ODD; i++)
        for (int j = 0; j < 2 * ODD; j++) {
            double x = i < ODD ? odd[i] : -odd[i - ODD], y = j < ODD ? odd[j] : -odd[j - ODD];
            accord_exact_wide sum;
            accord_exact_wide_init(&sum);
            accord_exact_wide_add_product_f64(&sum, x, y);
            if (isfinite(x) && isfinite(y)) {
                exact_dot(exact, &x, &y, 1);
                kinds k = kinds_of_products(&x, &y, 1);
                judge_wide(&sum, exact, k.negative_zeros, k.mixed, "product", 1);
                continue;
            }
            double found = accord_exact_wide_f64(&sum, ACCORD_EXACT_UP), expected = x * y;
            assert_true(isnan(expected) ? bits_of(found) == 0x7ff8000000000000
                                        : bits_of(found) == bits_of(expected));
        }
    mpfr_clear(exact);
}

/* Scaling. */

static void check_scaled(const accord_exact *before, int k, const mpfr_t exact, size_t n)
{
    accord_exact sum = *before;
    mpfr_t scaled;
    mpfr_init2(scaled, BITS);
    mpfr_mul_2si(scaled, exact, k, MPFR_RNDN);
    bool fits = true;
    if (!mpfr_zero_p(exact)) {
        mpfr_exp_t lowest = mpfr_get_exp(scaled) - (mpfr_exp_t)mpfr_min_prec(scaled);
        fits = lowest >= -1074 && mpfr_get_exp(scaled) <= 1164;
    }
    enum accord_status status = accord_exact_scale(&sum, k, NULL);
    assert_int_equal(status, fits ? ACCORD_OK : ACCORD_ARG);
    if (fits)
        judge(&sum, scaled, false, true, "scaled", n);
    else
        assert_memory_equal(&sum, before, sizeof sum);
    mpfr_clear(scaled);
}

static void test_scale(void **state)
{
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    for (size_t t = 0; t < trials(1000); t++) {
        size_t n = 1 + any_length(100);
        fills[below(FILLS - 2)].fill(numbers, n);
        exact_sum(exact, numbers, n);
        accord_exact sum;
        accord_exact_init(&sum);
        accord_exact_add_array_f64(&sum, n, numbers, 1);
        int edge = 1164 - (mpfr_zero_p(exact) ? 0 : (int)mpfr_get_exp(exact));
        int low = mpfr_zero_p(exact)
                      ? 0
                      : -1074 - (int)(mpfr_get_exp(exact) - (mpfr_exp_t)mpfr_min_prec(exact));
        int picks[] = {0, edge, edge + 1, low, low - 1, below(5000) - 2500, below(64) - 32};
        for (size_t i = 0; i < sizeof picks / sizeof *picks; i++)
            check_scaled(&sum, picks[i], exact, n);
    }
    mpfr_clear(exact);
    accord_exact sum;
    accord_exact_init(&sum);
    accord_exact_add_f64(&sum, 3);
    assert_int_equal(accord_exact_scale(&sum, INT_MAX, NULL), ACCORD_ARG);
    assert_int_equal(accord_exact_scale(&sum, INT_MIN, NULL), ACCORD_ARG);
}

/* Doubling for ever ends in an error, of the sum or of the count, and in nothing else. */
static void test_outgrown(void **state)
{
    (void)state;
    accord_exact sum, before;
    accord_exact_init(&sum);
    accord_exact_add_f64(&sum, -DBL_MAX);
    int doublings = 0;
    for (; before = sum, accord_exact_add(&sum, &sum, NULL) == ACCORD_OK; doublings++)
        assert_true(doublings < 200);
    assert_int_equal(doublings, 62);
    assert_memory_equal(&sum, &before, sizeof sum);
    assert_true(accord_exact_f64(&sum, ACCORD_EXACT_UP) == -DBL_MAX);
    for (int s = -1; s <= 1; s += 2) {
        accord_exact_init(&sum);
        accord_exact_add_f64(&sum, s * DBL_MAX);
        assert_int_equal(accord_exact_scale(&sum, 140, NULL), ACCORD_OK);
        before = sum;
        assert_int_equal(accord_exact_add(&sum, &before, NULL), ACCORD_ARG);
        assert_memory_equal(&sum, &before, sizeof sum);
        assert_int_equal(accord_exact_subtract(&sum, &before, NULL), ACCORD_OK);
        assert_true(bits_of(accord_exact_f64(&sum, ACCORD_EXACT_UP)) == bits_of(0.0));
    }
    accord_exact_wide wide, wide_before;
    accord_exact_wide_init(&wide);
    accord_exact_wide_add_product_f64(&wide, DBL_MAX, DBL_MAX);
    assert_int_equal(accord_exact_wide_scale(&wide, 154, NULL), ACCORD_OK);
    wide_before = wide;
    assert_int_equal(accord_exact_wide_scale(&wide, 1, NULL), ACCORD_ARG);
    assert_int_equal(accord_exact_wide_add(&wide, &wide, NULL), ACCORD_ARG);
    assert_memory_equal(&wide, &wide_before, sizeof wide);
    assert_int_equal(accord_exact_wide_scale(&wide, -2202, NULL), ACCORD_OK);
    assert_true(accord_exact_wide_f64(&wide, ACCORD_EXACT_NEAREST_EVEN) == 1 - 0x1p-52);
}

/* The floating-point environment of the caller: of no effect, and not touched. */

typedef struct answers {
    accord_exact sum;
    accord_exact_wide wide;
    uint64_t pattern[FORMATS][ROUNDINGS];
} answers;

static float singles[1000];

static void work(answers *out, size_t n)
{
    memset(out, 0, sizeof *out);
    accord_exact_add_array_f32(&out->sum, n, singles, 1);
    accord_exact_add_products_f32(&out->sum, n, singles, 1, singles, 0);
    accord_exact_add_array_f64(&out->sum, n, numbers, 1);
    accord_exact_wide_add_products_f64(&out->wide, n, numbers, 1, others, 1);
    for (size_t i = 0; i < n; i++)
        accord_exact_subtract_f64(&out->sum, others[i]);
    accord_exact_canonical(&out->sum);
    accord_exact_wide_canonical(&out->wide);
    for (int f = 0; f < FORMATS; f++)
        for (int r = 0; r < ROUNDINGS; r++)
            out->pattern[f][r] = pattern_of(&out->sum, f, r) ^ wide_pattern_of(&out->wide, f, r)
                                                                   << 7;
}

static void work_in(answers *out, size_t n, int mode, bool flush)
{
    fenv_t kept;
    fegetenv(&kept);
    fesetround(mode);
#ifdef __SSE2__
    unsigned control = (_mm_getcsr() & ~0x3fu) | (flush ? 0x8040 : 0);
    _mm_setcsr(control);
#endif
    work(out, n);
    bool same_mode = fegetround() == mode;
#ifdef __SSE2__
    same_mode = same_mode && (_mm_getcsr() & ~0x3fu) == control;
#endif
    fesetenv(&kept);
    assert_true(same_mode);
}

static void test_environment(void **state)
{
    (void)state;
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    static answers plain, found;
    for (size_t t = 0; t < trials(300); t++) {
        size_t n = any_length(1000);
        fills[below(FILLS)].fill(numbers, n);
        fills[below(FILLS)].fill(others, n);
        for (size_t i = 0; i < n; i++)
            singles[i] = float_of((uint32_t)accordi_rng_next(&rng) & 0x80ffffff);
        work(&plain, n);
        for (int m = 0; m < 8; m++) {
            work_in(&found, n, modes[m / 2], m % 2);
            assert_memory_equal(&plain, &found, sizeof plain);
        }
    }
}

/* Files that are not whole. */

static void seal(unsigned char *bytes, size_t length)
{
    accordi_sha256 sha;
    char hex[65];
    accordi_sha256_init(&sha);
    accordi_sha256_add(&sha, bytes, length - 16);
    accordi_sha256_hex(&sha, hex);
    for (int i = 0; i < 16; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};
        bytes[length - 16 + (size_t)i] = (unsigned char)strtoul(pair, NULL, 16);
    }
}

static void refused(const unsigned char *bytes, size_t length, enum accord_status expected)
{
    accord_exact sum, before;
    memset(&sum, 0x33, sizeof sum);
    before = sum;
    accord_error error = {0};
    unsigned char *tight = malloc(length + !length); /* for sanitizers: nothing lies behind */
    assert_non_null(tight);
    memcpy(tight, bytes, length);
    enum accord_status status = accord_exact_load(&sum, tight, length, &error);
    free(tight);
    assert_int_equal(status, expected);
    assert_int_equal(error.status, expected);
    assert_memory_equal(&sum, &before, sizeof sum);
}

static void make_saved(unsigned char bytes[ACCORD_EXACT_BYTES])
{
    accord_exact sum;
    accord_exact_init(&sum);
    fill_1e300(numbers, 50);
    accord_exact_add_array_f64(&sum, 50, numbers, 1);
    accord_exact_add_f64(&sum, below(2) ? (double)INFINITY : 1);
    accord_exact_save(&sum, bytes);
}

static void test_damaged(void **state)
{
    (void)state;
    unsigned char good[ACCORD_EXACT_BYTES], bytes[ACCORD_EXACT_BYTES + 8] = {0};
    make_saved(good);
    for (size_t length = 0; length < sizeof good; length++)
        refused(good, length, ACCORD_PARSE);
    memcpy(bytes, good, sizeof good);
    refused(bytes, sizeof good + 1, ACCORD_PARSE);
    for (size_t bit = 0; bit < 8 * sizeof good; bit++) {
        memcpy(bytes, good, sizeof good);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        refused(bytes, sizeof good,
                bit / 8 >= 8 && bit / 8 < 12 ? ACCORD_UNSUPPORTED : ACCORD_PARSE);
    }
    for (size_t t = 0; t < trials(20000); t++) {
        size_t from = t % 2 ? 0 : 16;
        memcpy(bytes, good, sizeof good);
        for (size_t i = from; i < sizeof good; i++)
            bytes[i] = (unsigned char)accordi_rng_next(&rng);
        refused(bytes, sizeof good, ACCORD_PARSE);
    }
    memcpy(bytes, good, sizeof good);
    bytes[8] = 2;
    seal(bytes, sizeof good);
    refused(bytes, sizeof good, ACCORD_UNSUPPORTED);
    accord_exact_wide wide;
    assert_int_equal(accord_exact_wide_load(&wide, good, sizeof good, NULL), ACCORD_PARSE);
    assert_int_equal(accord_exact_wide_load(&wide, NULL, 0, NULL), ACCORD_ARG);
}

/* Right checksums over contents that no sum has. */
static void test_forged(void **state)
{
    (void)state;
    static const struct {
        int at;
        unsigned char byte;
    } rows[] = {
        {23, 0x80},  /* terms < 0 */
        {23, 0x41},  /* more than 2^62 */
        {31, 0x80},  /* NaNs < 0 */
        {24, 200},   /* more NaNs than terms */
        {347, 0x80}, /* the last limb far below its range */
        {347, 0x20}, /* and just outside */
    };
    unsigned char good[ACCORD_EXACT_BYTES], bytes[ACCORD_EXACT_BYTES];
    make_saved(good);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(bytes, good, sizeof good);
        bytes[rows[i].at] ^= rows[i].byte;
        seal(bytes, sizeof bytes);
        refused(bytes, sizeof bytes, ACCORD_PARSE);
    }
    memcpy(bytes, good, sizeof good);
    memset(bytes + 24, 0xff, 8); /* -1 NaNs */
    seal(bytes, sizeof bytes);
    refused(bytes, sizeof bytes, ACCORD_PARSE);
    memcpy(bytes, good, sizeof good);
    memset(bytes + 16, 0, 48); /* a sum of nothing that is something */
    seal(bytes, sizeof bytes);
    refused(bytes, sizeof bytes, ACCORD_PARSE);
}

/* The form is written down: these bytes may never change. */
static void test_form(void **state)
{
    (void)state;
    accord_exact sum;
    unsigned char bytes[ACCORD_EXACT_BYTES], expected[ACCORD_EXACT_BYTES] = "accordEX";
    accord_exact_init(&sum);
    accord_exact_add_f64(&sum, -0x1p-1074);
    accord_exact_add_f64(&sum, INFINITY);
    accord_exact_add_f64(&sum, -0.0);
    accord_exact_save(&sum, bytes);
    expected[8] = 1;
    expected[12] = 70;
    expected[16] = 3;
    expected[32] = expected[56] = 1;
    memset(expected + 64, 0xff, 69 * 4 + 8); /* -1 */
    seal(expected, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof bytes);
}

static void test_arguments(void **state)
{
    (void)state;
    double x = 1, out = 7;
    float y = 1, single = 7;
    accord_error error;
    accord_exact_options options = {(enum accord_exact_method)99, ACCORD_EXACT_UP};
    assert_int_equal(accord_sum_exact_f64(1, &x, 1, &options, &out, &error), ACCORD_ARG);
    options = (accord_exact_options){ACCORD_EXACT_AUTO, (enum accord_exact_rounding)5};
    assert_int_equal(accord_dot_exact_f64(1, &x, 1, &x, 1, &options, &out, &error), ACCORD_ARG);
    assert_int_equal(accord_sum_exact_f64(1, NULL, 1, NULL, &out, &error), ACCORD_ARG);
    assert_int_equal(accord_dot_exact_f64(1, &x, 1, NULL, 1, NULL, &out, &error), ACCORD_ARG);
    assert_int_equal(accord_sum_exact_f32(1, &y, 1, NULL, NULL, &error), ACCORD_ARG);
    assert_int_equal(accord_dot_exact_f32(1, NULL, 1, &y, 1, NULL, &single, &error), ACCORD_ARG);
    assert_true(out == 7 && single == 7);
    assert_int_equal(accord_dot_exact_f64(0, NULL, 1, NULL, 1, NULL, &out, &error), ACCORD_OK);
    assert_true(bits_of(out) == bits_of(-0.0));
    assert_int_equal(accord_sum_exact_f64(7, &x, 0, NULL, &out, &error), ACCORD_OK);
    assert_true(out == 7);
    assert_string_equal(accord_exact_method_name(ACCORD_EXACT_SUPERACCUMULATOR),
                        "superaccumulator");
    assert_null(accord_exact_method_name(ACCORD_EXACT_METHOD_COUNT));
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hand_vectors),  cmocka_unit_test(test_sums),
        cmocka_unit_test(test_dots),          cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_dot_any_order), cmocka_unit_test(test_words_add_up),
        cmocka_unit_test(test_narrow_sums),   cmocka_unit_test(test_each_half),
        cmocka_unit_test(test_single_dots),   cmocka_unit_test(test_dot_tie),
        cmocka_unit_test(test_products),      cmocka_unit_test(test_scale),
        cmocka_unit_test(test_outgrown),      cmocka_unit_test(test_environment),
        cmocka_unit_test(test_heavy),         cmocka_unit_test(test_words_past_the_limit),
        cmocka_unit_test(test_damaged),       cmocka_unit_test(test_forged),
        cmocka_unit_test(test_form),          cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
