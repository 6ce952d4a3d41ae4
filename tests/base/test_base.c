#include "base/base.h"
#include "trials.h"
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void names_are_distinct(const char *(*name)(int), int count)
{
    for (int i = 0; i < count; i++) {
        assert_non_null(name(i));
        assert_string_not_equal(name(i), "unknown");
        for (const char *c = name(i); *c; c++)
            assert_true((*c >= 'a' && *c <= 'z') || *c == '-');
        for (int j = 0; j < i; j++)
            assert_string_not_equal(name(i), name(j));
    }
    assert_string_equal(name(count), "unknown");
    assert_string_equal(name(-1), "unknown");
    assert_string_equal(name(1000), "unknown");
}

static const char *status_name(int i)
{
    return accord_status_name((enum accord_status)i);
}

static const char *reason_name(int i)
{
    return accord_reason_name((enum accord_reason)i);
}

static const char *reason_about(int i)
{
    return accord_reason_about((enum accord_reason)i);
}

/* Whoever adds a reason explains it where users look for it. */
static void test_reasons_are_documented(void **state)
{
    (void)state;
    char text[1 << 17], word[64];
    FILE *file = fopen("doc/orders.md", "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_in_range(length, 1, sizeof text - 2);
    text[length] = '\0';
    for (int i = ACCORD_REASON_NONE + 1; i < ACCORD_REASON_COUNT; i++) {
        snprintf(word, sizeof word, "`%s`", reason_name(i));
        if (!strstr(text, word))
            fail_msg("doc/orders.md does not explain the reason %s", word);
        assert_true(strlen(reason_about(i)) > strlen("unknown"));
        for (int j = 0; j < i; j++)
            assert_string_not_equal(reason_about(i), reason_about(j));
    }
    assert_string_equal(reason_about(-1), "unknown");
    assert_string_equal(reason_about(ACCORD_REASON_COUNT), "unknown");
}

static void test_names(void **state)
{
    (void)state;
    names_are_distinct(status_name, ACCORD_UNABLE + 1);
    names_are_distinct(reason_name, ACCORD_REASON_COUNT);
    assert_string_equal(accord_status_name(ACCORD_UNABLE), "unable");
    assert_string_equal(accord_reason_name(ACCORD_REASON_DATA_DEPENDENT), "data-dependent");
    int major, minor, patch;
    char rest;
    assert_int_equal(sscanf(accord_version(), "%d.%d.%d%c", &major, &minor, &patch, &rest), 3);
}

static void test_errors(void **state)
{
    (void)state;
    accord_error error;
    memset(&error, 0x55, sizeof error);
    assert_int_equal(accordi_fail(&error, ACCORD_PARSE, "line %d:\nno\r%s", 3, "end"),
                     ACCORD_PARSE);
    assert_int_equal(error.status, ACCORD_PARSE);
    assert_int_equal(error.reason, ACCORD_REASON_NONE);
    assert_string_equal(error.text, "line 3: no end");
    assert_int_equal(accordi_unable(&error, ACCORD_REASON_TERM_LOST, "term %d", 7), ACCORD_UNABLE);
    assert_int_equal(error.status, ACCORD_UNABLE);
    assert_int_equal(error.reason, ACCORD_REASON_TERM_LOST);
    assert_string_equal(error.text, "term 7");
    /* A text that is made from itself, as wrapping an error does. */
    accordi_fail(&error, ACCORD_IO, "file: %s", error.text);
    assert_string_equal(error.text, "file: term 7");
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    accordi_fail(&error, ACCORD_ARG, "%s", text);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_int_equal(accordi_nomem(&error), ACCORD_NOMEM);
    assert_int_equal(error.status, ACCORD_NOMEM);
    assert_true(strlen(error.text) > 0);
    assert_int_equal(accordi_fail(NULL, ACCORD_IO, "unheard"), ACCORD_IO);
    assert_int_equal(accordi_unable(NULL, ACCORD_REASON_EXACT, "unheard"), ACCORD_UNABLE);
    assert_int_equal(accordi_nomem(NULL), ACCORD_NOMEM);
}

static void test_buffer_grows(void **state)
{
    (void)state;
    accordi_buffer buffer = {0};
    accordi_buffer_append(&buffer, "", 0);
    assert_string_equal(buffer.data, "");
    for (int i = 0; i < 20000; i++) {
        accordi_buffer_printf(&buffer, "%05d", i);
        accordi_buffer_puts(&buffer, ",");
        accordi_buffer_append(&buffer, "ab", 2);
        assert_int_equal(buffer.length, 8 * (i + 1));
        assert_true(buffer.capacity > buffer.length);
        assert_int_equal(buffer.data[buffer.length], 0);
    }
    for (int i = 0; i < 20000; i++) {
        char expected[16];
        snprintf(expected, sizeof expected, "%05d,ab", i);
        assert_memory_equal(buffer.data + 8 * i, expected, 8);
    }
    accordi_buffer_clear(&buffer);
    assert_null(buffer.data);
    assert_int_equal(buffer.length, 0);
}

static void test_buffer_long_texts(void **state)
{
    (void)state;
    accordi_buffer buffer = {0};
    size_t length = 0;
    for (int width = 250; width < 260; width++) { /* around the size of the inner array */
        accordi_buffer_printf(&buffer, "%*d", width, 7);
        length += (size_t)width;
        assert_int_equal(buffer.length, length);
        assert_int_equal(buffer.data[length - 1], '7');
        assert_int_equal(buffer.data[length - 2], ' ');
        assert_int_equal(strlen(buffer.data), length);
    }
    char *end = accordi_buffer_reserve(&buffer, 100000);
    assert_ptr_equal(end, buffer.data + length);
    memset(end, 'z', 100000);
    buffer.length += 100000;
    accordi_buffer_puts(&buffer, "!");
    assert_int_equal(buffer.length, length + 100001);
    assert_int_equal(buffer.data[length + 99999], 'z');
    accordi_buffer_clear(&buffer);
}

static void test_buffer_failure_lasts(void **state)
{
    (void)state;
    accordi_buffer buffer = {0};
    accordi_buffer_puts(&buffer, "kept");
    assert_null(accordi_buffer_reserve(&buffer, SIZE_MAX - 2));
    assert_true(buffer.failed);
    accordi_buffer_puts(&buffer, "more");
    accordi_buffer_printf(&buffer, "%d", 1);
    assert_null(accordi_buffer_reserve(&buffer, 1));
    assert_int_equal(buffer.length, 4);
    assert_string_equal(buffer.data, "kept");
    accordi_buffer_clear(&buffer);
    assert_false(buffer.failed);
    assert_null(accordi_buffer_reserve(&buffer, SIZE_MAX));
    assert_true(buffer.failed);
    accordi_buffer_clear(&buffer);
}

static void test_memory(void **state)
{
    (void)state;
    assert_null(accordi_alloc(SIZE_MAX / 2, 3));
    assert_null(accordi_calloc(SIZE_MAX / 2, 3));
    void *none = accordi_alloc(0, 8), *zeros = accordi_calloc(0, 0);
    assert_non_null(none);
    assert_non_null(zeros);
    free(none);
    free(zeros);
    unsigned char *bytes = accordi_calloc(1000, 3);
    for (int i = 0; i < 3000; i++)
        assert_int_equal(bytes[i], 0);
    free(bytes);
    const char *text = "a copy";
    char *copy = accordi_strdup(text);
    assert_ptr_not_equal(copy, text);
    assert_string_equal(copy, text);
    free(copy);
    double before = accordi_now(), after = accordi_now();
    assert_true(before > 0 && after >= before);
}

/* {1, 2, 3, 4} and its outputs: the test vector of Rust's rand_xoshiro, from the authors' C. */
static void test_rng_vectors(void **state)
{
    (void)state;
    accordi_rng rng = {{1, 2, 3, 4}};
    static const uint64_t expected[] = {11520u,
                                        0u,
                                        1509978240u,
                                        1215971899390074240u,
                                        1216172134540287360u,
                                        607988272756665600u,
                                        16172922978634559625u,
                                        8476171486693032832u,
                                        10595114339597558777u,
                                        2904607092377533576u};
    for (int i = 0; i < 10; i++)
        assert_true(accordi_rng_next(&rng) == expected[i]);
    /* splitmix64 from 0 begins with these (Vigna's reference program). */
    accordi_rng_init(&rng, 0);
    assert_true(rng.s[0] == 0xe220a8397b1dcdafu && rng.s[1] == 0x6e789e6aa1b965f4u);
    assert_true(rng.s[2] == 0x06c45d188009454fu && rng.s[3] == 0xf88bb8a8724c81ecu);
    assert_true(accordi_rng_next(&rng) == 0x99ec5f36cb75f2b4u);
    assert_true(accordi_rng_next(&rng) == 0xbf6e1f784956452au);
    assert_true(accordi_rng_next(&rng) == 0x1a5f849d4933e6e0u);
}

static void test_rng_below(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    assert_true(accordi_rng_below(&rng, 1) == 0);
    size_t count = trials(70000), seen[7] = {0};
    for (size_t i = 0; i < count; i++) {
        uint64_t x = accordi_rng_below(&rng, 7);
        assert_true(x < 7);
        seen[x]++;
    }
    double spread = 6 * sqrt((double)count * 6 / 49); /* six standard deviations */
    for (int i = 0; i < 7; i++)
        assert_true(fabs((double)seen[i] - (double)count / 7) < spread);
    /* With 3/4 of all numbers allowed, a biased remainder would favor the lower third. */
    uint64_t bound = (uint64_t)3 << 62;
    size_t low = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t x = accordi_rng_below(&rng, bound);
        assert_true(x < bound);
        low += x < bound / 3;
    }
    assert_true(fabs((double)low - (double)count / 3) < 6 * sqrt((double)count * 2 / 9));
}

static void test_rng_reals(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t count = trials(50000), beyond = 0;
    double n = (double)count, sum = 0, sum1 = 0, sum2 = 0;
    for (size_t i = 0; i < count; i++) {
        double u = accordi_rng_unit(&rng), z = accordi_rng_normal(&rng);
        assert_true(u >= 0 && u < 1 && u * 0x1p53 == floor(u * 0x1p53));
        assert_true(isfinite(z));
        sum += u;
        sum1 += z;
        sum2 += z * z;
        beyond += fabs(z) > 1.9599639845400545; /* 5 % of a normal distribution */
    }
    assert_true(fabs(sum / n - 0.5) < 6 * sqrt(1 / (12 * n)));
    assert_true(fabs(sum1 / n) < 6 / sqrt(n));
    assert_true(fabs(sum2 / n - 1) < 6 * sqrt(2 / n));
    assert_true(fabs((double)beyond / n - 0.05) < 6 * sqrt(0.05 * 0.95 / n));
}

static void test_rng_shuffle(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    accordi_rng_shuffle(&rng, NULL, 0);
    size_t count = trials(60000), seen[64] = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t items[3] = {0, 1, 2};
        accordi_rng_shuffle(&rng, items, 3);
        assert_int_equal(1u << items[0] | 1u << items[1] | 1u << items[2], 7);
        seen[items[0] * 16 + items[1] * 4 + items[2]]++;
    }
    double spread = 6 * sqrt((double)count * 5 / 36);
    int orders = 0;
    for (int i = 0; i < 64; i++)
        if (seen[i]) {
            orders++;
            assert_true(fabs((double)seen[i] - (double)count / 6) < spread);
        }
    assert_int_equal(orders, 6);
}

static void check_hash(const char *text, size_t repeat, const char *expected)
{
    accordi_sha256 sha;
    char hex[65];
    accordi_sha256_init(&sha);
    for (size_t i = 0; i < repeat; i++)
        accordi_sha256_add(&sha, text, strlen(text));
    accordi_sha256_hex(&sha, hex);
    assert_string_equal(hex, expected);
}

/* The examples of FIPS 180 and of NIST's secure hashing page. */
static void test_sha256_vectors(void **state)
{
    (void)state;
    check_hash("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_hash("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_hash("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
               "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
               1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    check_hash("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Every length around the block size, in one piece and in two. */
static void test_sha256_pieces(void **state)
{
    (void)state;
    unsigned char data[200];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 37 + 11);
    for (size_t length = 0; length <= sizeof data; length++) {
        char whole[65], pieces[65];
        accordi_sha256 sha;
        accordi_sha256_init(&sha);
        accordi_sha256_add(&sha, data, length);
        accordi_sha256_hex(&sha, whole);
        for (size_t cut = 0; cut <= length; cut++) {
            accordi_sha256_init(&sha);
            accordi_sha256_add(&sha, data, cut);
            accordi_sha256_add(&sha, data + cut, length - cut);
            accordi_sha256_hex(&sha, pieces);
            assert_string_equal(whole, pieces);
        }
    }
}

static void *ask_cpu(void *answers)
{
    ((const char **)answers)[0] = accordi_cpu_name();
    ((const char **)answers)[1] = accordi_cpu_features();
    return NULL;
}

static void test_cpu(void **state)
{
    (void)state;
    pthread_t threads[8];
    const char *answers[8][2];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_cpu, answers[i]), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 8; i++) {
        assert_ptr_equal(answers[i][0], accordi_cpu_name());
        assert_ptr_equal(answers[i][1], accordi_cpu_features());
    }
    assert_true(strlen(accordi_cpu_name()) > 0);
    assert_null(strchr(accordi_cpu_name(), '\n'));
    char padded[2048];
    snprintf(padded, sizeof padded, " %s ", accordi_cpu_features());
    assert_null(strstr(padded, "  "));
#ifdef __x86_64__
    assert_non_null(strstr(padded, " sse2 "));
    __builtin_cpu_init();
    assert_int_equal(!!strstr(padded, " avx2 "), !!__builtin_cpu_supports("avx2"));
    assert_int_equal(!!strstr(padded, " avx512f "), !!__builtin_cpu_supports("avx512f"));
    assert_int_equal(!!strstr(padded, " fma "), !!__builtin_cpu_supports("fma"));
#endif
}

static const char *word_at(const void *list, size_t i)
{
    return ((const char *const *)list)[i];
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"so", "sdot", "sequential", "bash", "zsh", "f16", NULL};
    static const struct {
        const char *word, *meant;
    } rows[] = {{"sdto", "sdot"},
                {"SDOT", "sdot"},
                {"sequental", "sequential"},
                {"seq", "sequential"},
                {"bahs", "bash"},
                {"f61", "f16"},
                {"sot", "so"},
                {"dott", "sdot"},
                {"x", NULL},
                {"", NULL},

                {"qqqqqqq", NULL},
                {"sequentialandmore", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *found = accordi_nearest(rows[i].word, word_at, names);
        if (rows[i].meant ? !found || strcmp(found, rows[i].meant) != 0 : found != NULL)
            fail_msg("%s: %s", rows[i].word, found ? found : "none");
    }
    char word[200]; /* far longer than any name */
    memset(word, 'b', sizeof word - 1);
    word[sizeof word - 1] = 0;
    assert_null(accordi_nearest(word, word_at, names));
}

/* ---- the compiler ---- */

/* Two roundings side by side, on one path only: gcc 12 loses them when it makes vectors of straight
 * lines, so the build has to tell it not to. */
static void round_pair(double to[2], const double from[2], bool narrow)
{
    double a = from[0], b = from[1];
    if (narrow) {
        a = (double)(float)a;
        b = (double)(float)b;
    }
    to[0] = a;
    to[1] = b;
}

static void test_compiler_rounds(void **state)
{
    const double from[2] = {0.1, 0.7};
    double narrow[2], whole[2];
    void (*volatile round)(double[2], const double[2], bool) = round_pair; /* not seen through */
    (void)state;
    round(narrow, from, true);
    round(whole, from, false);
    for (int i = 0; i < 2; i++) {
        volatile float due = (float)from[i];
        assert_true(narrow[i] == (double)due);
        assert_true(whole[i] == from[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_reasons_are_documented),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_buffer_grows),
        cmocka_unit_test(test_buffer_long_texts),
        cmocka_unit_test(test_buffer_failure_lasts),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_rng_vectors),
        cmocka_unit_test(test_rng_below),
        cmocka_unit_test(test_rng_reals),
        cmocka_unit_test(test_rng_shuffle),
        cmocka_unit_test(test_sha256_vectors),
        cmocka_unit_test(test_sha256_pieces),
        cmocka_unit_test(test_cpu),
        cmocka_unit_test(test_compiler_rounds),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
