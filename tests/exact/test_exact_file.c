/* Exact accumulators that were saved: the form itself, and files that are not whole. */
#include "exact/compact/trim.h"
#include "exact_sums.h"
#include "trials.h"

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
        if (bytes[0] == 'A') /* the compact form is apart */
            bytes[0] = 'a';
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
        {23, 0x41},  /* far more than 2^62 */
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
    expected[32] = 1;                        /* the zero is not alone */
    memset(expected + 64, 0xff, 69 * 4 + 8); /* -1 */
    seal(expected, sizeof expected);
    assert_memory_equal(bytes, expected, sizeof bytes);
}

static void seal_compact(unsigned char *bytes, size_t length)
{
    accordi_put_bytes(bytes + length - 8, accordi_compact_check(bytes, length - 8), 8);
}

/* This form may never change either. */
static void test_compact_form(void **state)
{
    (void)state;
    accord_exact sum;
    accord_exact_wide wide;
    unsigned char bytes[ACCORD_EXACT_COMPACT_BYTES], products[ACCORD_EXACT_WIDE_COMPACT_BYTES];
    unsigned char one[28] = {'A', 1, 0, 0, 33, 0, 1, 0, 1};
    unsigned char minus[36 + 36] = {'A', 1, 1, 1, 67, 0, 2, 0, 3};
    accord_exact_init(&sum);
    assert_int_equal(accord_exact_save_compact(&sum, bytes), 24); /* no terms */
    accord_exact_add_f64(&sum, 1); /* 2^1074 units: bit 18 of limb 33 */
    one[18] = 4;
    seal_compact(one, sizeof one);
    assert_int_equal(accord_exact_save_compact(&sum, bytes), sizeof one);
    assert_memory_equal(bytes, one, sizeof one);
    accord_exact_wide_init(&wide);
    accord_exact_wide_add_product_f64(&wide, -1, 0x1p27); /* bit 31 of limb 67 */
    accord_exact_wide_add_f64(&wide, INFINITY);
    accord_exact_wide_add_f64(&wide, 0);
    minus[24] = 1;    /* infinities */
    minus[59] = 0x80; /* -2^31, which needs no limb for the sign */
    minus[6] = 1;
    seal_compact(minus, 68);
    assert_int_equal(accord_exact_wide_save_compact(&wide, products), 68);
    assert_memory_equal(products, minus, 68);
}

/* Neither a change of a bit nor another length is accepted, nor what no sum has under a right
 * checksum. */
static void test_compact_refused(void **state)
{
    (void)state;
    unsigned char good[ACCORD_EXACT_COMPACT_BYTES], bytes[ACCORD_EXACT_COMPACT_BYTES + 8];
    static const struct {
        int at;
        unsigned char byte;
    } rows[] = {
        {2, 1},     /* of products */
        {3, 2},     /* no such flag */
        {15, 0x80}, /* terms < 0 */
        {8, 0xf0},  /* fewer terms than NaNs */
        {4, 0xff},  /* limbs beyond the last */
        {23, 0x80}, /* NaNs < 0 */
    };
    accord_exact sum;
    accord_exact_wide wide;
    accord_exact_init(&sum);
    fill_1e300(numbers, 50);
    accord_exact_add_array_f64(&sum, 50, numbers, 1);
    for (int i = 0; i < 255; i++)
        accord_exact_add_f64(&sum, NAN);
    for (int i = 50; i < 512; i++)
        accord_exact_add_f64(&sum, 1);
    size_t length = accord_exact_save_compact(&sum, good);
    for (size_t cut = 1; cut < length; cut++)
        refused(good, cut, ACCORD_PARSE);
    memcpy(bytes, good, length);
    memset(bytes + length, 0, 4);
    refused(bytes, length + 1, ACCORD_PARSE);
    refused(bytes, length + 4, ACCORD_PARSE);
    for (size_t bit = 0; bit < 8 * length; bit++) {
        memcpy(bytes, good, length);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        refused(bytes, length, bit / 8 == 1 ? ACCORD_UNSUPPORTED : ACCORD_PARSE);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(bytes, good, length);
        bytes[rows[i].at] ^= rows[i].byte;
        if (rows[i].at == 8)
            bytes[9] = 0;
        seal_compact(bytes, length);
        refused(bytes, length, ACCORD_PARSE);
    }
    memcpy(bytes, good, length);
    memset(bytes + length - 12, bytes[length - 13] & 0x80 ? 0xff : 0, 4); /* a limb too many */
    seal_compact(bytes, length);
    refused(bytes, length, ACCORD_PARSE);
    assert_int_equal(accord_exact_wide_load(&wide, good, length, NULL), ACCORD_PARSE);
}

static double any_number(void)
{
    static const double chosen[] = {0, -0.0, NAN, INFINITY, -INFINITY, 0x1p1023, 0x1p-1074, -1};
    uint64_t pick = accordi_rng_below(&rng, 2 * sizeof chosen / sizeof *chosen);
    if (pick < sizeof chosen / sizeof *chosen)
        return chosen[pick];
    uint64_t bits = accordi_rng_next(&rng);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Whatever was done to a sum: what is saved in either form can be loaded, and is saved as the same
 * bytes again. */
#define DEFINE_ROUND_TRIP(name_, type_, bytes_, compact_)                                          \
    static void any_change_##name_(type_ *x, const type_ *y)                                       \
    {                                                                                              \
        double drawn[40];                                                                          \
        for (int i = 0; i < 40; i++)                                                               \
            drawn[i] = any_number();                                                               \
        switch (accordi_rng_below(&rng, 7)) {                                                      \
        case 0:                                                                                    \
            name_##_add_f64(x, drawn[0]);                                                          \
            break;                                                                                 \
        case 1:                                                                                    \
            name_##_subtract_f64(x, drawn[0]);                                                     \
            break;                                                                                 \
        case 2:                                                                                    \
            name_##_add(x, y, NULL);                                                               \
            break;                                                                                 \
        case 3:                                                                                    \
            name_##_subtract(x, y, NULL);                                                          \
            break;                                                                                 \
        case 4: /* refused where bits would be lost, or there is no room */                        \
            name_##_scale(x, (int)accordi_rng_below(&rng, 4000) - 2000, NULL);                     \
            break;                                                                                 \
        case 5:                                                                                    \
            name_##_add_array_f64(x, accordi_rng_below(&rng, 40), drawn, 1);                       \
            break;                                                                                 \
        default: /* to 2^62 terms, and then no further */                                          \
            for (int i = 0; i < 64; i++)                                                           \
                name_##_add(x, x, NULL);                                                           \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* `loaded` is the same sum, whose limbs are canonical and zeros are counted as saved. */      \
    static void compact_##name_(const type_ *sum, type_ *loaded, const unsigned char *saved)       \
    {                                                                                              \
        type_ back;                                                                                \
        unsigned char bytes[compact_], again[bytes_];                                              \
        accord_error error;                                                                        \
        size_t length = name_##_save_compact(sum, bytes);                                          \
        unsigned char *tight = malloc(length);                                                     \
        assert_non_null(tight);                                                                    \
        memcpy(tight, bytes, length);                                                              \
        if (name_##_load(&back, tight, length, &error) != ACCORD_OK)                               \
            fail_msg("%s", error.text);                                                            \
        assert_memory_equal(&back, loaded, sizeof back);                                           \
        name_##_save(&back, again);                                                                \
        assert_memory_equal(again, saved, bytes_);                                                 \
        assert_int_equal(name_##_save_compact(loaded, bytes), length);                             \
        assert_memory_equal(bytes, tight, length);                                                 \
        free(tight);                                                                               \
    }                                                                                              \
                                                                                                   \
    static void round_trip_##name_(void)                                                           \
    {                                                                                              \
        type_ sums[3], back;                                                                       \
        unsigned char bytes[bytes_], again[bytes_];                                                \
        accord_error error;                                                                        \
        memset(sums, 0, sizeof sums);                                                              \
        for (uint64_t left = accordi_rng_below(&rng, 20); left; left--)                            \
            any_change_##name_(&sums[left % 3], &sums[accordi_rng_below(&rng, 3)]);                \
        for (int i = 0; i < 3; i++) {                                                              \
            name_##_save(&sums[i], bytes);                                                         \
            if (name_##_load(&back, bytes, sizeof bytes, &error) != ACCORD_OK)                     \
                fail_msg("%s", error.text);                                                        \
            name_##_save(&back, again);                                                            \
            assert_memory_equal(bytes, again, sizeof bytes);                                       \
            double was = name_##_f64(&sums[i], ACCORD_EXACT_NEAREST_EVEN);                         \
            double is = name_##_f64(&back, ACCORD_EXACT_NEAREST_EVEN);                             \
            assert_memory_equal(&was, &is, sizeof is);                                             \
            compact_##name_(&sums[i], &back, bytes);                                               \
        }                                                                                          \
    }

DEFINE_ROUND_TRIP(accord_exact, accord_exact, ACCORD_EXACT_BYTES, ACCORD_EXACT_COMPACT_BYTES)
DEFINE_ROUND_TRIP(accord_exact_wide, accord_exact_wide, ACCORD_EXACT_WIDE_BYTES,
                  ACCORD_EXACT_WIDE_COMPACT_BYTES)

static void test_round_trips(void **state)
{
    (void)state;
    for (size_t i = trials(3000); i; i--) {
        round_trip_accord_exact();
        round_trip_accord_exact_wide();
    }
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_forged),
        cmocka_unit_test(test_form),
        cmocka_unit_test(test_compact_form),
        cmocka_unit_test(test_compact_refused),
        cmocka_unit_test(test_round_trips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
