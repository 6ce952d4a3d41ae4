/* Exact accumulators that were saved: the form itself, and files that are not whole. */
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

/* Whatever was done to a sum: what is saved can be loaded, and is saved as the same bytes again. */
#define DEFINE_ROUND_TRIP(name_, type_, bytes_)                                                    \
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
        }                                                                                          \
    }

DEFINE_ROUND_TRIP(accord_exact, accord_exact, ACCORD_EXACT_BYTES)
DEFINE_ROUND_TRIP(accord_exact_wide, accord_exact_wide, ACCORD_EXACT_WIDE_BYTES)

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
        cmocka_unit_test(test_round_trips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
