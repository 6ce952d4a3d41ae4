/* Compact accumulators hold what full ones hold, whatever is added, taken away and merged; what is
 * read from them is what MPFR says; and bytes that none was written as are refused. */
#include "exact/compact/compact.h"
#include "exact/compact/trim.h"
#include "exact_sums.h"
#include "trials.h"

static int countdown = -1; /* memory fails when it reaches 0 */

static void *resize(void *context, void *block, size_t bytes)
{
    (void)context;
    if (!bytes) {
        free(block);
        return NULL;
    }
    if (countdown >= 0 && countdown-- == 0)
        return NULL;
    return realloc(block, bytes);
}

static const accordi_compact_memory memory = {resize, NULL};

static accordi_compact *new_one(bool products)
{
    accordi_compact *sum = accordi_compact_new(products, &memory);
    assert_non_null(sum);
    return sum;
}

static void expand(const accordi_compact *sum, int64_t *limb, int64_t *count)
{
    accordi_compact_view(sum, count);
    if (sum->first != ACCORDI_COMPACT_NOWHERE)
        assert_in_range(sum->first + sum->limbs, ACCORDI_COMPACT_LIMBS,
                        sum->products ? ACCORD_EXACT_WIDE_LIMBS : ACCORD_EXACT_LIMBS);
    for (int i = 0; i < sum->limbs && sum->first != ACCORDI_COMPACT_NOWHERE; i++)
        limb[sum->first + i] = sum->word[i];
}

static void same_as(const accordi_compact *sum, const accord_exact *full, const char *what)
{
    accord_exact mine;
    accord_exact_init(&mine);
    expand(sum, mine.limb, mine.count);
    same_sum(&mine, full, what);
}

static void same_as_wide(const accordi_compact *sum, const accord_exact_wide *full,
                         const char *what)
{
    accord_exact_wide mine;
    accord_exact_wide_init(&mine);
    expand(sum, mine.limb, mine.count);
    same_wide(&mine, full, what);
}

static double any_number(void)
{
    static const double chosen[] = {
        0, -0.0, (double)NAN, (double)INFINITY, -(double)INFINITY, 0x1p1023, 0x1p-1074, DBL_MAX};
    return below(3) ? from_bits(accordi_rng_next(&rng)) : chosen[below(8)];
}

/* Narrow, wider, everything; then with numbers that are none in between. */
static void any_numbers(double *x, size_t n)
{
    int kind = below(6), width = kind == 0 ? 1 : kind == 1 ? 40 : kind == 2 ? 300 : 1000;
    int middle = kind < 3 ? below(1200) - 600 : 0;
    for (size_t i = 0; i < n; i++)
        x[i] = sign() * ldexp(1 + accordi_rng_unit(&rng), middle + below(2 * width) - width);
    if (kind == 5)
        for (size_t i = 0; i < n; i++)
            x[i] = any_number();
    for (size_t i = 0; i < n && kind == 4; i++)
        x[i] = below(2) ? -x[(size_t)below((int)n)] : x[i];
}

static bool put(accordi_compact **sum, double x, double y, bool remove)
{
    if ((*sum)->products)
        return accordi_compact_multiply(sum, x, y, remove, &memory);
    return remove ? accordi_compact_remove(sum, x, &memory) : accordi_compact_add(sum, x, &memory);
}

/* Adds x, then takes the first `gone` away again; the full ones have what is left. */
static void test_windows(void **state)
{
    (void)state;
    static double x[3000], y[3000];
    for (size_t t = 0; t < trials(20000); t++) {
        size_t n = any_length(t % 100 ? 40 : 3000), gone = (size_t)below((int)n + 1);
        bool products = t % 2;
        accordi_compact *sum = new_one(products);
        any_numbers(x, n);
        any_numbers(y, n);
        for (size_t i = 0, removed = 0; i < n; i++) {
            assert_true(put(&sum, x[i], y[i], false));
            for (; removed < gone && removed <= i && below(2); removed++)
                assert_true(put(&sum, x[removed], y[removed], true));
            if (i + 1 == n)
                for (; removed < gone; removed++)
                    assert_true(put(&sum, x[removed], y[removed], true));
        }
        accord_exact full;
        accord_exact_wide wide;
        accord_exact_init(&full);
        accord_exact_wide_init(&wide);
        accord_exact_add_array_f64(&full, n - gone, x + gone, 1);
        accord_exact_wide_add_products_f64(&wide, n - gone, x + gone, 1, y + gone, 1);
        if (products)
            same_as_wide(sum, &wide, "a window of products");
        else
            same_as(sum, &full, "a window");
        assert_int_equal(sum->terms, n - gone);
        free(sum);
    }
}

/* Arrays, in parts of any length. */
static void test_arrays(void **state)
{
    (void)state;
    static double x[5000];
    for (size_t t = 0; t < trials(10000); t++) {
        size_t n = any_length(t % 100 ? 200 : 5000), from = 0;
        accordi_compact *sum = new_one(false);
        accord_exact full;
        accord_exact_init(&full);
        any_numbers(x, n);
        while (from < n) {
            size_t count = 1 + (size_t)below((int)(n - from));
            assert_true(accordi_compact_add_array(&sum, count, x + from, &memory));
            from += count;
        }
        accord_exact_add_array_f64(&full, n, x, 1);
        same_as(sum, &full, "an array");
        assert_int_equal(sum->terms, n);
        unsigned char bytes[ACCORDI_COMPACT_BYTES], expected[ACCORDI_COMPACT_BYTES];
        accordi_compact *one = new_one(false);
        for (size_t i = 0; i < n; i++)
            assert_true(put(&one, x[i], 0, false));
        size_t length = accordi_compact_write(one, expected);
        assert_int_equal(accordi_compact_write(sum, bytes), length);
        assert_memory_equal(bytes, expected, length);
        free(sum);
        free(one);
    }
}

static uint64_t bits_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* exact / divisor as a pattern: what is cut off leaves a trace far below. */
static uint64_t divided(mpfr_t exact, mpfr_t divisor)
{
    mpfr_t q;
    mpfr_init2(q, 12000);
    if (mpfr_div(q, exact, divisor, MPFR_RNDZ)) {
        if (mpfr_sgn(q) > 0)
            mpfr_nextabove(q);
        else
            mpfr_nextbelow(q);
    }
    uint64_t pattern = expected_pattern(q, ACCORD_F64, ACCORD_EXACT_NEAREST_EVEN, false, false);
    mpfr_clear(q);
    return pattern;
}

static void same_bits(double found, uint64_t expected, const char *what, size_t n)
{
    same_pattern(bits_of(found), expected, ACCORD_F64, 0, what, n);
}

static void judge_variance(const accordi_compact *sum, const accordi_compact *squares,
                           const mpfr_t exact, const mpfr_t exact_squares, size_t n)
{
    mpfr_t numerator, square, divisor;
    mpfr_inits2(12000, numerator, square, divisor, (mpfr_ptr)0);
    mpfr_mul_ui(numerator, exact_squares, n, MPFR_RNDN);
    mpfr_sqr(square, exact, MPFR_RNDN);
    mpfr_sub(numerator, numerator, square, MPFR_RNDN);
    for (int population = n < 2; population < 2; population++) {
        mpfr_set_ui(divisor, n, MPFR_RNDN);
        mpfr_mul_ui(divisor, divisor, n - !population, MPFR_RNDN);
        same_bits(accordi_compact_variance(sum, squares, population), divided(numerator, divisor),
                  population ? "variance of a population" : "variance", n);
    }
    mpfr_clears(numerator, square, divisor, (mpfr_ptr)0);
}

/* Everything that is read, against MPFR. */
static void test_finish(void **state)
{
    (void)state;
    static double x[3000];
    mpfr_t exact, squares, count;
    mpfr_init2(exact, BITS);
    mpfr_init2(squares, BITS);
    mpfr_init2(count, 64);
    for (size_t t = 0; t < trials(20000); t++) {
        size_t n = 1 + any_length(t % 100 ? 20 : 2999);
        any_numbers(x, n);
        accordi_compact *sum = new_one(false), *of_squares = new_one(true);
        bool finite = true;
        for (size_t i = 0; i < n; i++) {
            finite = finite && isfinite(x[i]);
            assert_true(put(&sum, x[i], 0, false));
            assert_true(put(&of_squares, x[i], x[i], false));
        }
        exact_sum(exact, x, n);
        kinds k = kinds_of(x, n);
        same_bits(accordi_compact_sum_f64(sum),
                  expected_pattern(exact, ACCORD_F64, 0, k.negative_zeros, k.mixed), "sum", n);
        same_pattern(bits_f32(accordi_compact_sum_f32(sum)),
                     expected_pattern(exact, ACCORD_F32, 0, k.negative_zeros, k.mixed), ACCORD_F32,
                     0, "sum", n);
        if (finite) {
            mpfr_set_ui(count, n, MPFR_RNDN);
            same_bits(accordi_compact_mean(sum),
                      k.negative_zeros     ? bits_of(-0.0)
                      : mpfr_zero_p(exact) ? 0
                                           : divided(exact, count),
                      "mean", n);
            exact_dot(squares, x, x, n);
            judge_variance(sum, of_squares, exact, squares, n);
        } else {
            assert_true(isnan(accordi_compact_variance(sum, of_squares, true)));
        }
        free(sum);
        free(of_squares);
    }
    mpfr_clears(exact, squares, count, (mpfr_ptr)0);
}

/* More terms than can be added one by one: sums are merged with themselves. */
static void test_many_terms(void **state)
{
    (void)state;
    mpfr_t exact, squares;
    mpfr_init2(exact, BITS);
    mpfr_init2(squares, BITS);
    for (int t = 0; t < 200; t++) {
        double x[7];
        size_t n = 1 + (size_t)below(7);
        int doublings = 20 + below(39);
        any_numbers(x, n);
        for (size_t i = 0; i < n; i++)
            x[i] = isfinite(x[i]) ? x[i] : 1;
        accordi_compact *sum = new_one(false), *of_squares = new_one(true);
        for (size_t i = 0; i < n; i++) {
            assert_true(put(&sum, x[i], 0, false));
            assert_true(put(&of_squares, x[i], x[i], false));
        }
        for (int i = 0; i < doublings; i++) {
            unsigned char bytes[2][ACCORDI_COMPACT_BYTES];
            accordi_compact **both[] = {&sum, &of_squares};
            for (int k = 0; k < 2; k++) {
                accordi_compact *copy;
                size_t length = accordi_compact_write(*both[k], bytes[k]);
                assert_int_equal(accordi_compact_read(&copy, bytes[k], length, k, &memory, NULL),
                                 0);
                assert_true(accordi_compact_merge(both[k], copy, &memory));
                free(copy);
            }
        }
        exact_sum(exact, x, n);
        exact_dot(squares, x, x, n);
        mpfr_mul_2si(exact, exact, doublings, MPFR_RNDN);
        mpfr_mul_2si(squares, squares, doublings, MPFR_RNDN);
        judge_variance(sum, of_squares, exact, squares, n << doublings);
        free(sum);
        free(of_squares);
    }
    mpfr_clears(exact, squares, (mpfr_ptr)0);
}

/* Parts that are merged, by way of bytes or not, are the whole, and its bytes are the same. */
static void test_merge(void **state)
{
    (void)state;
    static double x[300], y[300];
    for (size_t t = 0; t < trials(20000); t++) {
        size_t n = any_length(300);
        bool products = t % 2;
        any_numbers(x, n);
        any_numbers(y, n);
        accordi_compact *whole = new_one(products), *parts[3], *total = new_one(products);
        unsigned char bytes[ACCORDI_COMPACT_BYTES], expected[ACCORDI_COMPACT_BYTES];
        for (int p = 0; p < 3; p++)
            parts[p] = new_one(products);
        for (size_t i = 0; i < n; i++) {
            assert_true(put(&whole, x[i], y[i], false));
            assert_true(put(&parts[below(3)], x[i], y[i], false));
        }
        for (int p = 0; p < 3; p++) {
            size_t length = accordi_compact_write(parts[p], bytes);
            accordi_compact *copy = NULL, *from = parts[p];
            if (below(2)) {
                assert_int_equal(
                    accordi_compact_read(&copy, bytes, length, products, &memory, NULL), ACCORD_OK);
                from = copy;
            }
            assert_true(accordi_compact_merge(&total, from, &memory));
            free(copy);
            free(parts[p]);
        }
        size_t length = accordi_compact_write(total, bytes);
        assert_int_equal(length, accordi_compact_write(whole, expected));
        assert_memory_equal(bytes, expected, length);
        free(whole);
        free(total);
    }
}

/* Without memory nothing changes, and it can be done again. */
static void test_no_memory(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(20000); t++) {
        double x[40];
        accordi_compact *sum = new_one(false), *part = new_one(false);
        accord_exact full;
        accord_exact_init(&full);
        any_numbers(x, 40);
        for (int i = 0; i < 40; i++) {
            accordi_compact **to = i < 20 ? &sum : &part;
            countdown = below(3);
            if (!put(to, x[i], 0, false)) {
                countdown = -1;
                assert_true(put(to, x[i], 0, false));
            }
            countdown = -1;
        }
        countdown = below(3);
        if (!accordi_compact_merge(&sum, part, &memory)) {
            countdown = -1;
            assert_true(accordi_compact_merge(&sum, part, &memory));
        }
        countdown = -1;
        accord_exact_add_array_f64(&full, 40, x, 1);
        same_as(sum, &full, "after memory was short");
        free(sum);
        free(part);
    }
    countdown = 0;
    assert_null(accordi_compact_new(false, &memory));
    countdown = -1;
}

static void test_sizes(void **state)
{
    (void)state;
    accordi_compact *sum = new_one(false), *products = new_one(true);
    unsigned char bytes[ACCORDI_COMPACT_BYTES];
    assert_int_equal(accordi_compact_size(sum->limbs, sum->odd), 64);
    for (int i = 0; i < 100000; i++) {
        double x = 1 + 999 * accordi_rng_unit(&rng);
        assert_true(put(&sum, x, 0, false));
        assert_true(put(&products, x, x, false));
    }
    assert_int_equal(accordi_compact_size(sum->limbs, sum->odd), 64);
    assert_true(accordi_compact_size(products->limbs, products->odd) <= 128);
    assert_true(accordi_compact_write(sum, bytes) <= 40);
    assert_true(put(&sum, 1e300, 0, false));
    assert_true(put(&sum, 5e-324, 0, false));
    assert_true(sum->limbs <= ACCORD_EXACT_LIMBS);
    free(sum);
    free(products);
}

static void test_removals(void **state)
{
    (void)state;
    accordi_compact *sum = new_one(false);
    assert_false(put(&sum, 1, 0, true));
    assert_false(put(&sum, 0, 0, true));
    assert_true(put(&sum, (double)INFINITY, 0, false));
    assert_false(put(&sum, -(double)INFINITY, 0, true));
    assert_true(put(&sum, -(double)INFINITY, 0, false));
    assert_true(put(&sum, -0.0, 0, false));
    assert_true(isnan(accordi_compact_sum_f64(sum)));
    assert_true(put(&sum, (double)INFINITY, 0, true));
    assert_true(accordi_compact_sum_f64(sum) == -(double)INFINITY);
    assert_true(put(&sum, -(double)INFINITY, 0, true));
    assert_int_equal(bits_of(accordi_compact_sum_f64(sum)), bits_of(-0.0));
    assert_true(put(&sum, -0.0, 0, true));
    assert_true(isnan(accordi_compact_sum_f64(sum)));
    free(sum);
}

static void refused(const unsigned char *bytes, size_t length, bool products)
{
    accordi_compact *out = NULL;
    accord_error error = {0};
    unsigned char *tight = malloc(length + !length);
    assert_non_null(tight);
    memcpy(tight, bytes, length);
    enum accord_status status =
        accordi_compact_read(&out, tight, length, products, &memory, &error);
    free(tight);
    if (status != ACCORD_PARSE && status != ACCORD_UNSUPPORTED)
        fail_msg("%zu bytes were taken for an accumulator, status %d", length, (int)status);
    assert_null(out);
    assert_true(error.text[0]);
}

static void test_damaged(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(3000); t++) {
        unsigned char good[ACCORDI_COMPACT_BYTES], bytes[ACCORDI_COMPACT_BYTES + 8] = {0};
        double x[30], y[30];
        bool products = t % 2;
        accordi_compact *sum = new_one(products);
        any_numbers(x, 30);
        any_numbers(y, 30);
        for (int i = below(30); i > 0; i--)
            assert_true(put(&sum, x[i], y[i], false));
        size_t length = accordi_compact_write(sum, good);
        refused(good, length, !products);
        for (size_t cut = 0; cut < length; cut += 1 + (size_t)below(7))
            refused(good, cut, products);
        memcpy(bytes, good, length);
        refused(bytes, length + 1 + (size_t)below(8), products);
        for (int i = 0; i < 20; i++) {
            memcpy(bytes, good, length);
            bytes[below((int)length)] ^= (unsigned char)(1 + below(255));
            refused(bytes, length, products);
            for (size_t b = below(2) ? 16 : 0; b < length; b++)
                bytes[b] = (unsigned char)accordi_rng_next(&rng);
            refused(bytes, length, products);
        }
        free(sum);
    }
}

static void seal(unsigned char *bytes, size_t length)
{
    uint64_t check = accordi_compact_check(bytes, length - 8);
    for (int i = 0; i < 8; i++)
        bytes[length - 8 + (size_t)i] = (unsigned char)(check >> (8 * i));
}

/* What an accumulator that was read from forged bytes must still do: be written as the same bytes,
 * round, and be merged without an overflow that nobody notices. */
static accordi_compact *squares; /* the last of products */
static void use(accordi_compact *sum, const unsigned char *bytes, size_t length)
{
    unsigned char again[ACCORDI_COMPACT_BYTES];
    assert_int_equal(accordi_compact_write(sum, again), length);
    assert_memory_equal(again, bytes, length);
    for (int i = 0; i < 70; i++) {
        accordi_compact *twin;
        length = accordi_compact_write(sum, again);
        assert_int_equal(accordi_compact_read(&twin, again, length, sum->products, &memory, NULL),
                         ACCORD_OK);
        bool merged = accordi_compact_merge(&sum, twin, &memory);
        free(twin);
        if (!merged) {
            unsigned char same[ACCORDI_COMPACT_BYTES];
            assert_int_equal(accordi_compact_write(sum, same), length);
            assert_memory_equal(same, again, length);
            break;
        }
    }
    if (sum->terms) {
        accordi_compact_sum_f64(sum);
        accordi_compact_mean(sum);
    }
    if (sum->products) {
        free(squares);
        squares = sum;
    } else {
        if (squares) {
            squares->terms = sum->terms;
            accordi_compact_variance(sum, squares, false);
        }
        free(sum);
    }
}

/* Right checksums over contents of any kind: what no sum has is refused. */
static void test_forged(void **state)
{
    (void)state;
    size_t accepted = 0, count = 0;
    for (size_t t = 0; t < trials(20000); t++) {
        unsigned char bytes[ACCORDI_COMPACT_BYTES] = {0};
        bool products = below(2), odd = below(2);
        int limbs = below(below(4) ? 6 : 137);
        size_t length = 24 + (odd ? 40 : 0) + 4 * (size_t)limbs;
        for (size_t i = 8; i < length; i++)
            bytes[i] = below(3) ? (unsigned char)accordi_rng_next(&rng) : below(2) ? 0 : 255;
        memcpy(bytes, "A\1", 2);
        bytes[2] = products;
        bytes[3] = odd;
        bytes[4] = (unsigned char)below(below(2) ? 256 : 4);
        bytes[6] = (unsigned char)limbs;
        memset(bytes + 8, 0, 8); /* the number of terms, and plausible counts */
        bytes[8 + below(8)] = (unsigned char)below(256);
        for (int i = 0; i < 5 && odd; i++)
            memset(bytes + 16 + 8 * i, 0, 8), bytes[16 + 8 * i] = (unsigned char)below(3);
        seal(bytes, length);
        accordi_compact *sum = NULL;
        count++;
        if (accordi_compact_read(&sum, bytes, length, products, &memory, NULL) == ACCORD_OK) {
            use(sum, bytes, length);
            accepted++;
        }
    }
    assert_in_range(accepted, count / 100, count - count / 100);
    free(squares);
}

/* Each a change of one sum, with the right checksum. */
static void test_forged_fields(void **state)
{
    (void)state;
    static const struct {
        int at;
        unsigned char byte;
    } rows[] = {
        {15, 0x80}, /* terms < 0 */
        {15, 0x41}, /* more than 2^62 */
        {31, 0x80}, /* infinities < 0 */
        {24, 200},  /* more of them than terms */
        {5, 0x01},  /* limbs past the end */
        {6, 0x01},  /* one more than there are */
        {2, 0x01},  /* of products */
        {2, 0x02},  {3, 0x02}, {1, 0x02}, {0, 0x01},
    };
    unsigned char good[ACCORDI_COMPACT_BYTES], bytes[ACCORDI_COMPACT_BYTES];
    accordi_compact *sum = new_one(false);
    assert_true(put(&sum, 1e300, 0, false));
    assert_true(put(&sum, (double)INFINITY, 0, false));
    size_t length = accordi_compact_write(sum, good);
    free(sum);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(bytes, good, length);
        bytes[rows[i].at] ^= rows[i].byte;
        seal(bytes, length);
        refused(bytes, length, false);
    }
    memcpy(bytes, good, length);
    memset(bytes + 56, 0, 4); /* the first limb is zero */
    seal(bytes, length);
    refused(bytes, length, false);
    memcpy(bytes, good, length);
    memset(bytes + 8, 0, 8); /* no terms, yet a sum */
    seal(bytes, length);
    refused(bytes, length, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),       cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_finish),        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_many_terms),    cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_sizes),         cmocka_unit_test(test_removals),
        cmocka_unit_test(test_damaged),       cmocka_unit_test(test_forged),
        cmocka_unit_test(test_forged_fields),
    };
    accordi_rng_init(&rng, trials_seed());
    return cmocka_run_group_tests_name("exact_compact", tests, NULL, NULL);
}
