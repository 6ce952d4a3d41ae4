/* What accumulators finish as, against MPFR: means, norms, quotients, variances, multiples,
 * comparisons, intervals, expansions and decimals, of numbers of every kind, in every rounding and
 * in every floating-point environment. */
#include "exact_calls.h"
#include "trials.h"
#include <accord/exact_finish.h>
#include <limits.h>

enum { LENGTH = 40, DECIMAL_BITS = 9000 };

static double x[LENGTH], y[LENGTH];

/* One draw: two arrays and their sums, in accumulators and in MPFR. */
typedef struct draw {
    size_t n;
    int rounding;
    accord_exact sum_x, sum_y;
    accord_exact_wide squares, products;
    tally t_x, t_y, t_squares, t_products;
} draw;

static draw d;

static enum accord_exact_rounding how(void)
{
    return (enum accord_exact_rounding)d.rounding;
}

static void clear_tallies(void)
{
    mpfr_clears(d.t_x.sum, d.t_y.sum, d.t_squares.sum, d.t_products.sum, (mpfr_ptr)0);
}

/* Arrays that are alike: variances of 0, covariances that cancel, equal sums. */
static void relate(void)
{
    int kind = below(12);
    double c = x[0];
    for (size_t i = 0; i < d.n; i++)
        switch (kind) {
        case 0:
            x[i] = c;
            break;
        case 1:
            y[i] = x[i];
            break;
        case 2:
            y[i] = -x[d.n - 1 - i];
            break;
        case 3: /* close together, far from zero */
            x[i] = ldexp(1 + ldexp(below(1000), -52), 1000);
            y[i] = ldexp(1 + ldexp(below(1000), -52), -1000);
            break;
        case 4: /* exact means and roots */
            x[i] = 16 * (below(200) - 100);
            y[i] = below(40) - 20;
            break;
        default:
            break;
        }
}

static void draw_all(void)
{
    d.n = any_length(LENGTH);
    d.rounding = below(ROUNDINGS);
    draw_numbers(ACCORD_F64, x, d.n);
    draw_numbers(ACCORD_F64, y, d.n);
    if (d.n)
        relate();
    accord_exact_init(&d.sum_x);
    accord_exact_init(&d.sum_y);
    accord_exact_wide_init(&d.squares);
    accord_exact_wide_init(&d.products);
    accord_exact_add_array_f64(&d.sum_x, d.n, x, 1);
    accord_exact_add_array_f64(&d.sum_y, d.n, y, 1);
    accord_exact_wide_add_products_f64(&d.squares, d.n, x, 1, x, 1);
    accord_exact_wide_add_products_f64(&d.products, d.n, x, 1, y, 1);
    tally_init(&d.t_x);
    tally_init(&d.t_y);
    tally_init(&d.t_squares);
    tally_init(&d.t_products);
    for (size_t i = 0; i < d.n; i++) {
        tally_add_product(&d.t_x, 1, 1, x[i]);
        tally_add_product(&d.t_y, 1, 1, y[i]);
        tally_add_product(&d.t_squares, 1, x[i], x[i]);
        tally_add_product(&d.t_products, 1, x[i], y[i]);
    }
}

/* What a function gives in each format, as bits. */
typedef struct results {
    uint64_t f64, f32, f16, bf16;
} results;

static uint64_t bits_of_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Each, against a value with as many bits as it takes. */
static void same_results(const char *what, const results *found, const mpfr_t expected)
{
    const struct {
        int format;
        uint64_t bits;
    } each[] = {{ACCORD_F64, found->f64},
                {ACCORD_F32, found->f32},
                {ACCORD_F16, found->f16},
                {ACCORD_BF16, found->bf16}};
    for (int i = 0; i < 4; i++)
        same_pattern(each[i].bits, value_pattern(expected, each[i].format, d.rounding),
                     each[i].format, d.rounding, what, d.n);
}

/* out = a / b, marked where it goes on. */
static void quotient_of(mpfr_t out, const mpfr_t a, const mpfr_t b)
{
    mpfr_t cut;
    mpfr_init2(cut, 300);
    int inexact = mpfr_div(cut, a, b, MPFR_RNDZ);
    mark_inexact(out, cut, inexact);
    mpfr_clear(cut);
}

static void root_of(mpfr_t value)
{
    if (mpfr_zero_p(value))
        mpfr_set_zero(value, 1);
    take_root(value);
}

/* The library is asked in any environment, and MPFR in the usual one. */
#define ASK(results_, name_, ...)                                                                  \
    do {                                                                                           \
        environment e_ = enter_any_environment();                                                  \
        double found_ = name_##_f64(__VA_ARGS__, how());                                           \
        float single_ = name_##_f32(__VA_ARGS__, how());                                           \
        (results_).f16 = name_##_f16(__VA_ARGS__, how());                                          \
        (results_).bf16 = name_##_bf16(__VA_ARGS__, how());                                        \
        leave_environment(&e_);                                                                    \
        (results_).f64 = bits_of(found_);                                                          \
        (results_).f32 = bits_of_f32(single_);                                                     \
    } while (0)

static void check_mean(void)
{
    results found;
    mpfr_t value, n;
    mpfr_inits2(LONG, value, n, (mpfr_ptr)0);
    mpfr_set_ui(n, d.n, MPFR_RNDN);
    tally_value(&d.t_x, d.rounding, value);
    quotient_of(value, value, n);
    ASK(found, accord_exact_mean, &d.sum_x);
    same_results("mean", &found, value);
    mpfr_set_prec(value, LONG);
    tally_value(&d.t_products, d.rounding, value);
    quotient_of(value, value, n);
    ASK(found, accord_exact_wide_mean, &d.products);
    same_results("mean product", &found, value);
    mpfr_clears(value, n, (mpfr_ptr)0);
}

static void check_norm(void)
{
    results found;
    mpfr_t value, n;
    mpfr_inits2(LONG, value, n, (mpfr_ptr)0);
    tally_value(&d.t_squares, ACCORD_EXACT_NEAREST_EVEN, value);
    root_of(value);
    ASK(found, accord_exact_wide_norm, &d.squares);
    same_results("norm", &found, value);
    mpfr_set_prec(value, LONG);
    tally_value(&d.t_x, ACCORD_EXACT_NEAREST_EVEN, value); /* of any sign */
    root_of(value);
    ASK(found, accord_exact_norm, &d.sum_x);
    same_results("root of a sum", &found, value);
    mpfr_clears(value, n, (mpfr_ptr)0);
}

static void check_rms(void)
{
    results found;
    mpfr_t value, n;
    mpfr_inits2(LONG, value, n, (mpfr_ptr)0);
    mpfr_set_ui(n, d.n, MPFR_RNDN);
    tally_value(&d.t_squares, ACCORD_EXACT_NEAREST_EVEN, value);
    quotient_of(value, value, n);
    root_of(value);
    ASK(found, accord_exact_wide_rms, &d.squares);
    same_results("root mean square", &found, value);
    mpfr_set_prec(value, LONG);
    tally_value(&d.t_x, ACCORD_EXACT_NEAREST_EVEN, value);
    quotient_of(value, value, n);
    root_of(value);
    ASK(found, accord_exact_rms, &d.sum_x);
    same_results("root of a mean", &found, value);
    mpfr_clears(value, n, (mpfr_ptr)0);
}

static void check_quotient_of(const char *what, const tally *a, const tally *b,
                              const results *found)
{
    mpfr_t n, by, value;
    mpfr_inits2(LONG, n, by, value, (mpfr_ptr)0);
    tally_value(a, d.rounding, n);
    tally_value(b, d.rounding, by);
    quotient_of(value, n, by);
    same_results(what, found, value);
    mpfr_clears(n, by, value, (mpfr_ptr)0);
}

static void check_quotients(void)
{
    results found;
    ASK(found, accord_exact_quotient, &d.sum_x, &d.sum_y);
    check_quotient_of("quotient", &d.t_x, &d.t_y, &found);
    ASK(found, accord_exact_wide_quotient, &d.products, &d.squares);
    check_quotient_of("wide quotient", &d.t_products, &d.t_squares, &found);
    ASK(found, accord_exact_weighted_mean, &d.products, &d.sum_y);
    check_quotient_of("weighted mean", &d.t_products, &d.t_y, &found);
}

static bool is_finite(const tally *t)
{
    return !t->nan && !t->up && !t->down;
}

/* (n P - Sx Sy) / (n (n - less)), in integers and powers of two. */
static void covariance_of(mpfr_t value, const tally *a, const tally *b, const tally *p,
                          int64_t less)
{
    mpfr_t product, by;
    uint64_t left = d.n - (uint64_t)less;
    if (!d.n || less >= (int64_t)d.n || !is_finite(a) || !is_finite(b) || !is_finite(p)) {
        mpfr_set_nan(value);
        return;
    }
    mpfr_inits2(LONG, product, by, (mpfr_ptr)0);
    int rounded = mpfr_mul_ui(value, p->sum, d.n, MPFR_RNDN);
    rounded |= mpfr_mul(product, a->sum, b->sum, MPFR_RNDN);
    rounded |= mpfr_sub(value, value, product, MPFR_RNDN);
    mpfr_set_ui(by, d.n, MPFR_RNDN);
    rounded |= mpfr_mul_ui(by, by, left, MPFR_RNDN);
    assert_int_equal(rounded, 0);
    if (mpfr_zero_p(value))
        mpfr_set_zero(value, 1);
    quotient_of(value, value, by);
    mpfr_clears(product, by, (mpfr_ptr)0);
}

#define SPREADS(suffix_, to_)                                                                      \
    do {                                                                                           \
        accord_exact_variance_##suffix_(&d.sum_x, &d.squares, less, how(), to_, NULL);             \
        accord_exact_deviation_##suffix_(&d.sum_x, &d.squares, less, how(), to_ + 1, NULL);        \
        accord_exact_covariance_##suffix_(&d.sum_x, &d.sum_y, &d.products, less, how(), to_ + 2,   \
                                          NULL);                                                   \
    } while (0)

static void check_variance(void)
{
    static const int64_t choices[] = {0, 1, 0, 1, 2, -3, 40, INT64_MIN, INT64_MAX};
    int64_t less = choices[below(9)];
    double found[3];
    float single[3];
    uint16_t half[3], brain[3];
    results r[3];
    mpfr_t value;
    environment e = enter_any_environment();
    SPREADS(f64, found);
    SPREADS(f32, single);
    SPREADS(f16, half);
    SPREADS(bf16, brain);
    leave_environment(&e);
    for (int i = 0; i < 3; i++)
        r[i] = (results){bits_of(found[i]), bits_of_f32(single[i]), half[i], brain[i]};
    mpfr_init2(value, LONG);
    covariance_of(value, &d.t_x, &d.t_x, &d.t_squares, less);
    assert_true(mpfr_nan_p(value) || mpfr_sgn(value) >= 0);
    same_results("variance", r + 0, value);
    root_of(value);
    same_results("deviation", r + 1, value);
    mpfr_set_prec(value, LONG);
    covariance_of(value, &d.t_x, &d.t_y, &d.t_products, less);
    same_results("covariance", r + 2, value);
    mpfr_clear(value);
}

/* A sum of zero is that of its terms times alpha; what is odd is a product of IEEE 754. */
static uint64_t scaled_pattern(const tally *t, double alpha, int format)
{
    mpfr_t value;
    mpfr_init2(value, LONG);
    tally_value(t, d.rounding, value);
    if (mpfr_zero_p(value) && isfinite(alpha) && alpha != 0) {
        bool plus = t->plus == t->terms && t->terms, minus = t->minus == t->terms;
        bool cancelled = !plus && !minus;
        bool negative = cancelled  ? d.rounding == ACCORD_EXACT_DOWN
                        : t->terms ? minus != (alpha < 0)
                                   : true; /* no terms */
        mpfr_set_zero(value, negative ? -1 : 1);
    } else {
        int rounded = mpfr_mul_d(value, value, alpha, MPFR_RNDN);
        assert_int_equal(rounded, 0);
    }
    uint64_t pattern = value_pattern(value, format, d.rounding);
    mpfr_clear(value);
    return pattern;
}

static double half_value(enum accord_format format, uint16_t bits)
{
    return accord_format_decode(format, bits);
}

#define SCALED(format_, suffix_, alpha_, value_, bits_)                                            \
    do {                                                                                           \
        environment e_ = enter_any_environment();                                                  \
        uint64_t narrow_ = bits_(accord_exact_scaled_##suffix_(&d.sum_x, alpha_, how()));          \
        uint64_t wide_ = bits_(accord_exact_wide_scaled_##suffix_(&d.products, alpha_, how()));    \
        leave_environment(&e_);                                                                    \
        same_pattern(narrow_, scaled_pattern(&d.t_x, value_, format_), format_, d.rounding,        \
                     "scaled", d.n);                                                               \
        same_pattern(wide_, scaled_pattern(&d.t_products, value_, format_), format_, d.rounding,   \
                     "scaled wide", d.n);                                                          \
    } while (0)

static void check_scaled(void)
{
    double drawn[8];
    draw_numbers(ACCORD_F64, drawn, 8);
    double alpha = drawn[below(8)];
    float single = (float)squeeze(ACCORD_F32, alpha);
    uint16_t half = (uint16_t)accordi_rng_next(&rng), brain = (uint16_t)accordi_rng_next(&rng);
    SCALED(ACCORD_F64, f64, alpha, alpha, bits_of);
    SCALED(ACCORD_F32, f32, single, (double)single, bits_of_f32);
    SCALED(ACCORD_F16, f16, half, half_value(ACCORD_F16, half), (uint64_t));
    SCALED(ACCORD_BF16, bf16, brain, half_value(ACCORD_BF16, brain), (uint64_t));
}

static int sign_in(const mpfr_t value)
{
    return mpfr_nan_p(value) ? ACCORD_EXACT_UNORDERED
                             : (mpfr_sgn(value) > 0) - (mpfr_sgn(value) < 0);
}

static int order_of(const tally *a, const tally *b)
{
    mpfr_t v, w;
    mpfr_inits2(LONG, v, w, (mpfr_ptr)0);
    tally_value(a, 0, v);
    tally_value(b, 0, w);
    int order = mpfr_nan_p(v) || mpfr_nan_p(w) ? ACCORD_EXACT_UNORDERED
                                               : (mpfr_cmp(v, w) > 0) - (mpfr_cmp(v, w) < 0);
    mpfr_clears(v, w, (mpfr_ptr)0);
    return order;
}

/* The tally of the terms of a, and of those of b negated. */
static void tally_difference(tally *out, const tally *a, const tally *b)
{
    tally_init(out);
    assert_int_equal(mpfr_sub(out->sum, a->sum, b->sum, MPFR_RNDN), 0);
    out->terms = a->terms + b->terms;
    out->plus = a->plus + b->minus;
    out->minus = a->minus + b->plus;
    out->nan = a->nan || b->nan;
    out->up = a->up || b->down;
    out->down = a->down || b->up;
}

static void check_order(void)
{
    results found, wide;
    mpfr_t value;
    tally t;
    mpfr_init2(value, LONG);
    tally_value(&d.t_x, 0, value);
    assert_int_equal(accord_exact_sign(&d.sum_x), sign_in(value));
    tally_value(&d.t_products, 0, value);
    assert_int_equal(accord_exact_wide_sign(&d.products), sign_in(value));
    assert_int_equal(accord_exact_compare(&d.sum_x, &d.sum_y), order_of(&d.t_x, &d.t_y));
    assert_int_equal(accord_exact_wide_compare(&d.products, &d.squares),
                     order_of(&d.t_products, &d.t_squares));
    ASK(found, accord_exact_difference, &d.sum_x, &d.sum_y);
    ASK(wide, accord_exact_wide_difference, &d.products, &d.squares);
    tally_difference(&t, &d.t_x, &d.t_y);
    tally_value(&t, d.rounding, value);
    same_results("difference", &found, value);
    mpfr_clear(t.sum);
    tally_difference(&t, &d.t_products, &d.t_squares);
    tally_value(&t, d.rounding, value);
    same_results("wide difference", &wide, value);
    mpfr_clears(value, t.sum, (mpfr_ptr)0);
}

#define INTERVALS(suffix_, to_)                                                                    \
    do {                                                                                           \
        accord_exact_interval_##suffix_(&d.sum_x, to_, to_ + 1);                                   \
        accord_exact_wide_interval_##suffix_(&d.products, to_ + 2, to_ + 3);                       \
    } while (0)

static void check_interval(void)
{
    double found[4];
    float single[4];
    uint16_t half[4], brain[4];
    mpfr_t value;
    environment e = enter_any_environment();
    INTERVALS(f64, found);
    INTERVALS(f32, single);
    INTERVALS(f16, half);
    INTERVALS(bf16, brain);
    leave_environment(&e);
    mpfr_init2(value, LONG);
    for (int i = 0; i < 4; i++) {
        d.rounding = i % 2 ? ACCORD_EXACT_UP : ACCORD_EXACT_DOWN;
        tally_value(i < 2 ? &d.t_x : &d.t_products, d.rounding, value);
        results r = {bits_of(found[i]), bits_of_f32(single[i]), half[i], brain[i]};
        same_results("interval", &r, value);
    }
    mpfr_clear(value);
}

/* Every term is what is left, rounded to nearest; at the end nothing is left. */
static void judge_expansion(const tally *t, enum accord_status status, const double *out,
                            size_t count)
{
    mpfr_t left;
    mpfr_init2(left, LONG);
    tally_value(t, 0, left);
    double first = from_bits(value_pattern(left, ACCORD_F64, 0));
    bool fine =
        !mpfr_regular_p(left) ||
        (isfinite(first) && (long)(mpfr_get_exp(left) - (mpfr_exp_t)mpfr_min_prec(left)) >= -1074);
    assert_int_equal(status, fine ? ACCORD_OK : ACCORD_ARG);
    for (size_t i = 0; fine && i < count; i++) {
        assert_int_equal(bits_of(out[i]), value_pattern(left, ACCORD_F64, 0));
        assert_true(i == 0 || mpfr_regular_p(left));
        if (mpfr_number_p(left))
            mpfr_sub_d(left, left, out[i], MPFR_RNDN);
    }
    assert_true(!fine || !mpfr_regular_p(left));
    mpfr_clear(left);
}

static void check_expansion(void)
{
    double narrow[ACCORD_EXACT_EXPANSION_TERMS], wide[ACCORD_EXACT_EXPANSION_TERMS];
    size_t count = 0, wide_count = 0;
    environment e = enter_any_environment();
    enum accord_status status = accord_exact_expansion(&d.sum_x, narrow, &count, NULL);
    enum accord_status wide_status =
        accord_exact_wide_expansion(&d.products, wide, &wide_count, NULL);
    leave_environment(&e);
    judge_expansion(&d.t_x, status, narrow, count);
    judge_expansion(&d.t_products, wide_status, wide, wide_count);
}

/* Zeros before the first other digit, or behind the last one, of a number without an exponent. */
static size_t outer_zeros(const char *digits, bool fraction)
{
    size_t before = strspn(digits, "0."), length = strlen(digits), behind = 0;
    while (!fraction && behind < length && digits[length - 1 - behind] == '0')
        behind++;
    return before > behind ? before : behind;
}

static void judge_decimal(const tally *t, const char *text, size_t length, size_t room)
{
    mpfr_t value, read;
    mpfr_init2(value, LONG);
    mpfr_init2(read, DECIMAL_BITS);
    tally_value(t, 0, value);
    assert_int_equal(length, strlen(text));
    assert_true(length < room);
    char *end;
    int rounded = mpfr_strtofr(read, text, &end, 10, MPFR_RNDN);
    assert_string_equal(end, "");
    assert_int_equal(rounded, 0);
    assert_true(mpfr_nan_p(value) ? mpfr_nan_p(read) != 0 : mpfr_equal_p(value, read) != 0);
    assert_true(mpfr_nan_p(value) || (mpfr_signbit(value) != 0) == (mpfr_signbit(read) != 0));
    const char *digits = text + (*text == '-'), *point = strchr(digits, '.');
    const char *exponent = strchr(digits, 'e');
    assert_true(strcmp(digits, "0") == 0 || digits[0] != '0' || digits[1] == '.');
    assert_true(!point || (exponent ? exponent : text + length)[-1] != '0');
    assert_true(!exponent || (digits[0] != '0' && (!point || point == digits + 1)));
    assert_true(exponent || !mpfr_regular_p(value) || outer_zeros(digits, point) <= 41);
    mpfr_clears(value, read, (mpfr_ptr)0);
}

static void check_decimal(void)
{
    static char text[ACCORD_EXACT_DECIMAL_BYTES], wide[ACCORD_EXACT_WIDE_DECIMAL_BYTES];
    environment e = enter_any_environment();
    size_t length = accord_exact_decimal(&d.sum_x, text, sizeof text);
    size_t wide_length = accord_exact_wide_decimal(&d.products, wide, sizeof wide);
    leave_environment(&e);
    judge_decimal(&d.t_x, text, length, sizeof text);
    judge_decimal(&d.t_products, wide, wide_length, sizeof wide);
    char part[20];
    size_t room = (size_t)below((int)sizeof part + 1);
    memset(part, '?', sizeof part);
    assert_int_equal(accord_exact_decimal(&d.sum_x, part, room), length);
    size_t kept = !room ? 0 : length < room ? length : room - 1;
    assert_memory_equal(part, text, kept);
    assert_true(!room || part[kept] == '\0');
    assert_true(room == sizeof part || part[room] == '?');
}

static void test_draws(void **state)
{
    (void)state;
    size_t count = trials(2000);
    for (size_t t = 0; t < count; t++) {
        draw_all();
        check_mean();
        check_norm();
        check_rms();
        check_quotients();
        check_variance();
        check_scaled();
        check_order();
        check_expansion();
        check_decimal();
        check_interval(); /* last: it sets the rounding */
        clear_tallies();
    }
    printf("# %zu draws\n", count);
}

/* Divisors of every length and digits of every kind, so that estimates of a quotient's digits are
 * wrong in each way: bits in long runs. */
static void long_number(accord_exact_wide *sum, mpfr_t exact)
{
    accord_exact_wide_init(sum);
    mpfr_set_zero(exact, 1);
    int place = below(4000) - 2100, end = place + 1 + below(1 + below(600));
    while (place < end) {
        int run = 1 + below(below(2) ? 70 : 4);
        double bit = sign() * ldexp(1, (place % 2 + place) / 2 - place % 2);
        double other = ldexp(1, place - ((place % 2 + place) / 2 - place % 2));
        accord_exact_wide_add_product_f64(sum, bit, other);
        mpfr_t term;
        mpfr_init2(term, 10);
        mpfr_set_d(term, bit, MPFR_RNDN);
        mpfr_mul_d(term, term, other, MPFR_RNDN);
        assert_int_equal(mpfr_add(exact, exact, term, MPFR_RNDN), 0);
        mpfr_clear(term);
        place += run;
    }
}

static void test_long_quotients(void **state)
{
    (void)state;
    mpfr_t a, b, value;
    mpfr_inits2(LONG, a, b, value, (mpfr_ptr)0);
    for (size_t t = 0; t < trials(5000); t++) {
        accord_exact_wide n, by;
        long_number(&n, a);
        long_number(&by, b);
        d.rounding = below(ROUNDINGS);
        results found;
        ASK(found, accord_exact_wide_quotient, &n, &by);
        mpfr_set_prec(value, LONG);
        quotient_of(value, a, b);
        same_results("long quotient", &found, value);
    }
    mpfr_clears(a, b, value, (mpfr_ptr)0);
}

/* Many terms at once: n as large as it gets. */
static void test_many_terms(void **state)
{
    (void)state;
    accord_exact sum;
    accord_exact_wide squares, squares_twice;
    double found;
    accord_exact_init(&sum);
    accord_exact_wide_init(&squares);
    accord_exact_add_f64(&sum, DBL_MAX);
    accord_exact_wide_add_product_f64(&squares, DBL_MAX, DBL_MAX);
    for (int i = 0; i < 62; i++) {
        assert_int_equal(accord_exact_add(&sum, &sum, NULL), ACCORD_OK);
        squares_twice = squares;
        assert_int_equal(accord_exact_wide_add(&squares, &squares_twice, NULL), ACCORD_OK);
    }
    assert_true(accord_exact_mean_f64(&sum, 0) == DBL_MAX);
    assert_true(accord_exact_wide_rms_f64(&squares, 0) == DBL_MAX);
    assert_int_equal(accord_exact_variance_f64(&sum, &squares, 1, 0, &found, NULL), ACCORD_OK);
    assert_int_equal(bits_of(found), bits_of(0.0));
    accord_exact_add_f64(&sum, -DBL_MAX); /* all but one equal */
    accord_exact_wide_add_product_f64(&squares, -DBL_MAX, -DBL_MAX);
    assert_int_equal(accord_exact_deviation_f64(&sum, &squares, 0, 0, &found, NULL), ACCORD_OK);
    assert_true(found > DBL_MAX * 0x1.fffffp-31 && found < DBL_MAX * 0x1.00001p-30);
}

static void decimal_is(const double *terms, size_t n, const char *expected)
{
    char text[ACCORD_EXACT_DECIMAL_BYTES];
    accord_exact sum;
    accord_exact_init(&sum);
    accord_exact_add_array_f64(&sum, n, terms, 1);
    accord_exact_decimal(&sum, text, sizeof text);
    assert_string_equal(text, expected);
}

static void test_examples(void **state)
{
    (void)state;
    decimal_is((double[]){0.1, 0.2}, 2,
               "0.3000000000000000166533453693773481063544750213623046875");
    decimal_is((double[]){-0.125}, 1, "-0.125");
    decimal_is((double[]){1e22, 1}, 2, "10000000000000000000001");
    decimal_is((double[]){1, -1}, 2, "0");
    decimal_is((double[]){-0.0}, 1, "-0");
    decimal_is((double[]){1, NAN}, 2, "nan");
    decimal_is((double[]){-INFINITY}, 1, "-inf");
    decimal_is((double[]){123456789, 1000000000}, 2, "1123456789");
    decimal_is((double[]){0x1p-200}, 1,
               "6."
               "22301527786114170714406405378012424059025216872116713310111661478969883403538344118"
               "39448231257136169569665895551224821247160434722900390625e-61");
    decimal_is((double[]){0x1p-130}, 1,
               "0.000000000000000000000000000000000000000734683969263929692480460335763903548636665"
               "9729825547009429698164240107871592044830322265625");
    decimal_is((double[]){0x1p-133}, 1,
               "9.18354961579912115600575419704879435795832466228193376178712270530013483949005603"
               "790283203125e-41");
    decimal_is((double[]){0x1p140}, 1, "1393796574908163946345982392040522594123776");
    double out[ACCORD_EXACT_EXPANSION_TERMS];
    size_t count;
    accord_exact sum;
    accord_exact_init(&sum);
    accord_exact_add_f64(&sum, 1e100);
    accord_exact_add_f64(&sum, 1);
    accord_exact_add_f64(&sum, 0x1p-1074);
    assert_int_equal(accord_exact_expansion(&sum, out, &count, NULL), ACCORD_OK);
    assert_int_equal(count, 3);
    assert_true(out[0] == 1e100 && out[1] == 1 && out[2] == 0x1p-1074);
}

static void test_refusals(void **state)
{
    (void)state;
    accord_exact a = {0}, b = {0};
    accord_exact_wide p = {0};
    accord_error error;
    double out = 7, terms[ACCORD_EXACT_EXPANSION_TERMS] = {7};
    size_t count = 7;
    accord_exact_add_f64(&a, 1);
    assert_int_equal(accord_exact_variance_f64(&a, &p, 0, 0, &out, &error), ACCORD_ARG);
    accord_exact_wide_add_product_f64(&p, 1, 1);
    assert_int_equal(accord_exact_covariance_f64(&a, &b, &p, 0, 0, &out, &error), ACCORD_ARG);
    assert_int_equal(accord_exact_variance_f64(&a, &p, 0, 0, NULL, &error), ACCORD_ARG);
    assert_true(out == 7);
    accord_exact_add_f64(&b, DBL_MAX);
    accord_exact_add_f64(&b, DBL_MAX);
    assert_int_equal(accord_exact_expansion(&b, terms, &count, &error), ACCORD_ARG);
    accord_exact_wide_add_product_f64(&p, 0x1p-1000, 0x1p-1000);
    assert_int_equal(accord_exact_wide_expansion(&p, terms, &count, &error), ACCORD_ARG);
    assert_int_equal(accord_exact_expansion(&a, NULL, &count, &error), ACCORD_ARG);
    assert_int_equal(accord_exact_expansion(&a, terms, NULL, &error), ACCORD_ARG);
    assert_true(terms[0] == 7 && count == 7);
    assert_int_equal(accord_exact_decimal(&b, NULL, 0), 309);
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),       cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_many_terms),     cmocka_unit_test(test_draws),
        cmocka_unit_test(test_long_quotients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
