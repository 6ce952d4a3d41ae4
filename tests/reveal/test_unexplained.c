/* What no model explains is compared by its answers: boxes whose arithmetic is odd, differs on one
 * kind of input only, varies from run to run, or is no sum at all. */
#include "base/base.h"
#include "map/map.h"
#include "record/record.h"
#include "reveal/answers.h"
#include "trials.h"
#include <accord/accord.h>
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static accordi_rng rng;

/* ---- boxes ---- */

typedef struct box {
    double (*finish)(struct box *box, double sum, const float *x, size_t n);
    unsigned calls, every; /* of boxes that vary: one call in so many is off */
} box;

static double call(void *context, const void *x, size_t n)
{
    box *b = context;
    const float *v = x;
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return b->finish(b, (double)sum, v, n);
}

static double off(double x)
{
    return (double)nextafterf((float)x, INFINITY);
}

static double plain(box *b, double sum, const float *x, size_t n)
{
    (void)b, (void)x, (void)n;
    return sum;
}

/* A step that no model has: results between two bounds are one unit off. */
static double odd(box *b, double sum, const float *x, size_t n)
{
    (void)b, (void)x, (void)n;
    return fabs(sum) > .3 && fabs(sum) < 3 ? off(sum) : sum;
}

/* The same function, written otherwise. */
static double odd_again(box *b, double sum, const float *x, size_t n)
{
    (void)b, (void)x, (void)n;
    double size = sum < 0 ? -sum : sum;
    return !(size > .3) || !(size < 3) ? sum : off(sum);
}

static double odd_elsewhere(box *b, double sum, const float *x, size_t n)
{
    (void)b, (void)x, (void)n;
    return fabs(sum) > .3 && fabs(sum) < 2 ? off(sum) : sum;
}

/* As odd, but for inputs with a -0 in them, with a subnormal, with a half among huge terms. */
static double odd_zeros(box *b, double sum, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] == 0 && signbit(x[i]))
            return off(off(sum));
    return odd(b, sum, x, n);
}

static double odd_tiny(box *b, double sum, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0 && fabsf(x[i]) < FLT_MIN)
            return off(off(sum));
    return odd(b, sum, x, n);
}

static double odd_ties(box *b, double sum, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fabsf(x[i]) == .5f)
            for (size_t k = 0; k < n; k++)
                if (fabsf(x[k]) > 0x1p23f)
                    return off(off(sum));
    return odd(b, sum, x, n);
}

static double varying(box *b, double sum, const float *x, size_t n)
{
    (void)x, (void)n;
    return accordi_rng_below(&rng, b->every) == 0 ? off(sum) : sum;
}

static double greatest(box *b, double sum, const float *x, size_t n)
{
    (void)b, (void)sum;
    double most = (double)x[0];
    for (size_t i = 1; i < n; i++)
        most = (double)x[i] > most ? (double)x[i] : most;
    return most;
}

static double softmax_like(box *b, double sum, const float *x, size_t n)
{
    double most = greatest(b, sum, x, n);
    float total = 0;
    for (size_t i = 0; i < n; i++)
        total += x[i] > (float)most / 2 ? x[i] - (float)most : 1;
    return (double)total;
}

static double not_a_number(box *b, double sum, const float *x, size_t n)
{
    (void)b, (void)n;
    return sum > 0 ? NAN : (double)x[0];
}

/* ---- records ---- */

static void record_of(box *b, size_t n, uint64_t seed, accord_record *out)
{
    accord_target *target;
    accord_reveal_options options;
    accord_error error = {0};
    accord_reveal_options_init(&options);
    options.seed = seed;
    accordi_record_init(out);
    assert_int_equal(accord_target_from_callback(call, b, n, true, &target, &error), ACCORD_OK);
    enum accord_status status = accord_reveal(target, &options, out, &error);
    if (status != ACCORD_OK && status != ACCORD_UNABLE)
        fail_msg("%s", error.text);
    accord_target_close(target);
}

static void finish_of(double (*finish)(box *, double, const float *, size_t), size_t n,
                      uint64_t seed, accord_record *out)
{
    box b = {.finish = finish, .every = 100};
    record_of(&b, n, seed, out);
}

static enum accord_sameness compare(double (*one)(box *, double, const float *, size_t),
                                    double (*two)(box *, double, const float *, size_t), size_t n,
                                    accord_comparison *why)
{
    accord_record a, b;
    finish_of(one, n, 1, &a);
    finish_of(two, n, 2, &b);
    enum accord_sameness sameness = accord_record_compare(&a, &b, 0, why);
    accord_record_clear(&a);
    accord_record_clear(&b);
    return sameness;
}

static void test_unexplained_but_the_same(void **state)
{
    (void)state;
    for (size_t n = 2; n < 200; n = n * 2 + 3) {
        accord_comparison why;
        assert_int_equal(compare(odd, odd, n, &why), ACCORD_SAME_ON_INPUTS);
        assert_int_equal(why.inputs, 1000);
        assert_int_equal(compare(odd, odd_again, n, &why), ACCORD_SAME_ON_INPUTS);
        assert_non_null(strstr(why.text, "1000 inputs"));
        assert_int_equal(compare(plain, plain, n, &why), ACCORD_SAME);
        assert_int_equal(why.inputs, 1000);
    }
}

static void test_other_on_one_kind_of_input(void **state)
{
    (void)state;
    double (*const others[])(box *, double, const float *, size_t) = {odd_elsewhere, odd_zeros,
                                                                      odd_tiny, odd_ties};
    for (size_t n = 12; n < 300; n = n * 3 + 1)
        for (size_t i = 0; i < 4; i++) {
            accord_comparison why;
            if (compare(odd, others[i], n, &why) != ACCORD_DIFFERS)
                fail_msg("box %zu, n = %zu: %s", i, n, why.text);
            assert_int_equal(why.inputs, 0);
        }
}

/* What is no sum has answers too. */
static void test_refusals_have_answers(void **state)
{
    (void)state;
    double (*const boxes[])(box *, double, const float *, size_t) = {greatest, softmax_like,
                                                                     not_a_number};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            accord_comparison why;
            enum accord_sameness sameness = compare(boxes[i], boxes[k], 20, &why);
            assert_int_equal(sameness, i == k ? ACCORD_SAME_ON_INPUTS : ACCORD_DIFFERS);
        }
    const char *synthetic[] = {"kahan", "sorted", "exact", "twosum"};
    for (size_t i = 0; i < sizeof synthetic / sizeof *synthetic; i++) {
        accord_target *target;
        accord_target_options options;
        accord_record record;
        char notation[64];
        snprintf(notation, sizeof notation, "synthetic:%s", synthetic[i]);
        accord_target_options_init(&options);
        options.n = 30;
        if (accord_target_open(notation, &options, &target, NULL) != ACCORD_OK)
            continue;
        accordi_record_init(&record);
        accord_reveal(target, NULL, &record, NULL);
        assert_int_equal(record.answers.inputs, 1000);
        assert_int_equal(record.answers.varied, 0);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

static void test_what_varies(void **state)
{
    (void)state;
    accord_comparison why;
    for (unsigned every = 2; every <= 100; every = every * 4 - 1) {
        box b = {.finish = varying, .every = every};
        accord_record one, two, fixed;
        record_of(&b, 40, 1, &one);
        record_of(&b, 40, 1, &two);
        finish_of(odd, 40, 1, &fixed);
        assert_true(one.answers.varied > 0);
        assert_string_equal(one.reason, "nondeterministic");
        assert_int_equal(accord_record_compare(&one, &two, 0, &why), ACCORD_CANNOT_TELL);
        assert_int_equal(why.ground, ACCORD_GROUND_VARIES);
        assert_int_equal(accord_record_compare(&fixed, &one, 0, &why), ACCORD_DIFFERS);
        assert_true(why.varies_b && !why.varies_a);
        assert_int_equal(accord_record_compare(&one, &fixed, 0, &why), ACCORD_CANNOT_TELL);
        accord_record_clear(&one);
        accord_record_clear(&two);
        accord_record_clear(&fixed);
    }
}

/* ---- records that are not of one question, or old ---- */

static void forget_answers(accord_record *record)
{
    free(record->answers.digest);
    memset(&record->answers, 0, sizeof record->answers);
}

static void test_old_records(void **state)
{
    (void)state;
    accord_record odd_one, odd_two, plain_one, plain_two;
    accord_comparison why;
    finish_of(odd, 30, 1, &odd_one);
    finish_of(odd, 30, 2, &odd_two);
    finish_of(plain, 30, 1, &plain_one);
    finish_of(plain, 30, 2, &plain_two);
    forget_answers(&odd_one);
    forget_answers(&plain_one);
    assert_int_equal(accord_record_compare(&odd_one, &odd_two, 0, &why), ACCORD_CANNOT_TELL);
    assert_int_equal(why.ground, ACCORD_GROUND_NOT_RECORDED);
    assert_non_null(strstr(why.text, "A has no answers; record it again"));
    assert_int_equal(accord_record_compare(&odd_two, &odd_one, 0, &why), ACCORD_CANNOT_TELL);
    assert_non_null(strstr(why.text, "B has no answers"));
    assert_int_equal(accord_record_compare(&plain_one, &plain_two, 0, &why), ACCORD_SAME);
    assert_int_equal(why.inputs, 0);
    assert_int_equal(accord_record_compare(&odd_one, &plain_two, 0, &why), ACCORD_CANNOT_TELL);
    assert_int_equal(accord_record_compare(&plain_one, &odd_two, 0, &why), ACCORD_DIFFERS);
    assert_int_equal(accord_answers_input(&odd_one, 0, (double[30]){0}, (double[30]){0}, NULL),
                     ACCORD_ARG);
    accord_record_clear(&odd_one);
    accord_record_clear(&odd_two);
    accord_record_clear(&plain_one);
    accord_record_clear(&plain_two);
}

static void test_other_questions(void **state)
{
    (void)state;
    accord_record a, b;
    accord_comparison why;
    finish_of(odd, 30, 1, &a);
    finish_of(odd, 30, 1, &b);
    char **const texts[] = {&b.format,  &b.output,    &b.term,    &b.shape,
                            &b.element, &b.transpose, &b.strides, &b.signature};
    for (size_t i = 0; i < 8; i++) {
        char *before = *texts[i];
        char other[] = "other";
        *texts[i] = other;
        assert_int_equal(accord_record_compare(&a, &b, 0, &why), ACCORD_CANNOT_TELL);
        assert_int_equal(why.ground, ACCORD_GROUND_QUESTION);
        assert_int_equal(accord_record_compare(&a, &b, ACCORD_COMPARE_TERMS, &why),
                         i < 3 ? ACCORD_CANNOT_TELL : ACCORD_SAME_ON_INPUTS);
        *texts[i] = before;
    }
    b.alignment = a.alignment > 0 ? 0 : 16;
    assert_int_equal(accord_record_compare(&a, &b, 0, &why), ACCORD_CANNOT_TELL);
    assert_int_equal(accord_record_compare(&a, &b, ACCORD_COMPARE_TERMS, &why),
                     ACCORD_SAME_ON_INPUTS);
    b.alignment = a.alignment;
    b.alpha = 2;
    assert_int_equal(accord_record_compare(&a, &b, 0, &why), ACCORD_CANNOT_TELL);
    b.alpha = a.alpha;
    b.answers.generator++;
    assert_int_equal(accord_record_compare(&a, &b, 0, &why), ACCORD_CANNOT_TELL);
    assert_int_equal(accord_answers_input(&b, 0, (double[30]){0}, (double[30]){0}, NULL),
                     ACCORD_UNSUPPORTED);
    b.answers.generator--;
    /* Of a record with fewer inputs those are compared whose bits are kept. */
    b.answers.inputs--;
    assert_int_equal(accord_record_compare(&a, &b, 0, &why), ACCORD_SAME_ON_INPUTS);
    assert_int_equal(why.inputs, ACCORD_ANSWERS_KEPT);
    b.answers.bits[ACCORD_ANSWERS_KEPT - 1] ^= 1;
    assert_int_equal(accord_record_compare(&a, &b, 0, &why), ACCORD_DIFFERS);
    b.answers.bits[ACCORD_ANSWERS_KEPT - 1] ^= 1;
    b.answers.inputs++;
    assert_int_equal(accord_record_compare(&a, &b, 0, &why), ACCORD_SAME_ON_INPUTS);
    accord_record_clear(&a);
    accord_record_clear(&b);
}

/* Equal models, unequal answers: refuted, wherever the difference is. */
static void test_answers_refute_models(void **state)
{
    (void)state;
    accord_record a, b;
    accord_comparison why;
    finish_of(plain, 30, 1, &a);
    finish_of(plain, 30, 1, &b);
    b.answers.bits[5] ^= 1;
    assert_int_equal(accord_record_compare(&a, &b, 0, &why), ACCORD_DIFFERS);
    assert_int_equal(why.ground, ACCORD_GROUND_ANSWERS);
    assert_int_equal(why.input, 5);
    assert_int_equal(why.bits_a ^ why.bits_b, 1);
    b.answers.bits[5] ^= 1;
    b.answers.digest[0] = b.answers.digest[0] == '0' ? '1' : '0';
    assert_int_equal(accord_record_compare(&a, &b, 0, &why), ACCORD_DIFFERS);
    assert_int_equal(why.input, -1);
    accord_record_clear(&a);
    accord_record_clear(&b);
}

/* Plain where probes look. */
static double odd_below_zero(box *b, double sum, const float *x, size_t n)
{
    int exponent;
    (void)b, (void)n;
    return x[0] < 0 && frexpf(x[0], &exponent) != -.5f ? off(sum) : sum;
}

/* What contradicts every model on one side need not be among the answers. */
static void test_a_model_on_one_side(void **state)
{
    (void)state;
    accord_record a, b;
    accord_comparison why;
    finish_of(plain, 30, 1, &a);
    finish_of(odd_below_zero, 30, 1, &b);
    assert_non_null(b.tree);
    assert_null(b.arithmetic);
    assert_int_equal(accord_record_compare(&a, &b, 0, &why), ACCORD_DIFFERS);
    memcpy(b.answers.bits, a.answers.bits, sizeof b.answers.bits);
    strcpy(b.answers.digest, a.answers.digest);
    assert_int_equal(accord_answers_compare(&a, &b, 0, &why), ACCORD_SAME_ON_INPUTS);
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(accord_record_compare(turn ? &b : &a, turn ? &a : &b, 0, &why),
                         ACCORD_CANNOT_TELL);
        assert_int_equal(why.ground, ACCORD_GROUND_ARITHMETIC);
        assert_non_null(strstr(why.text, turn ? "explains B, but none explains A"
                                              : "explains A, but none explains B"));
    }
    accord_record_clear(&a);
    accord_record_clear(&b);
}

/* ---- the inputs ---- */

static void test_inputs_come_back(void **state)
{
    (void)state;
    enum { N = 37 };
    accord_record record;
    box b = {.finish = odd};
    record_of(&b, N, 7, &record);
    for (int64_t i = 0; i < ACCORD_ANSWERS_KEPT; i++) {
        double x[N], y[N], result;
        float single[N];
        assert_int_equal(accord_answers_input(&record, i, x, y, NULL), ACCORD_OK);
        for (size_t k = 0; k < N; k++) {
            single[k] = (float)x[k];
            assert_true((double)single[k] == x[k] && y[k] == 1);
        }
        result = call(&b, single, N);
        assert_int_equal(accordi_answer_bits(result), record.answers.bits[i]);
        assert_true(accord_answers_kind(&record, i)[0] != 0);
    }
    assert_int_equal(accord_answers_input(&record, 1000, (double[N]){0}, (double[N]){0}, NULL),
                     ACCORD_ARG);
    accord_record_clear(&record);
}

/* A target that takes narrow formats as double gets what one gets that takes float. */
static void test_inputs_do_not_depend_on_storage(void **state)
{
    (void)state;
    enum { N = 50 };
    for (int format = 0; format < ACCORD_FORMAT_COUNT; format++) {
        if (format == ACCORD_F64 || !accord_format_get((enum accord_format)format))
            continue;
        for (size_t input = 0; input < 100; input++) {
            accordi_draw like = {
                .n = N, .format = (enum accord_format)format, .is_f32 = true, .products = true};
            float x[N], y[N];
            double wide_x[N], wide_y[N];
            accordi_answers_draw(&like, input, x, y);
            like.is_f32 = false;
            accordi_answers_draw(&like, input, wide_x, wide_y);
            for (size_t i = 0; i < N; i++)
                assert_true((double)x[i] == wide_x[i] && (double)y[i] == wide_y[i] &&
                            !signbit(x[i]) == !signbit(wide_x[i]));
        }
    }
}

static void test_how_many(void **state)
{
    (void)state;
    assert_int_equal(accordi_answers_count(1), 1000);
    assert_int_equal(accordi_answers_count(100000), 1000);
    assert_int_equal(accordi_answers_count(1000000), 100);
    assert_int_equal(accordi_answers_count(100000000), 64);
    /* the first few are of all kinds */
    const accordi_draw like = {.n = 10, .format = ACCORD_F32};
    bool met[ACCORDI_DRAW_KINDS] = {false};
    for (size_t i = 0; i < 64; i++)
        met[accordi_answers_kind_of(&like, i)] = true;
    for (int kind = 0; kind < ACCORDI_DRAW_KINDS; kind++)
        assert_true(met[kind]);
}

/* ---- files ---- */

static bool gather(void *context, const char *text, size_t length)
{
    accordi_buffer_append(context, text, length);
    return true;
}

static void test_files(void **state)
{
    (void)state;
    accord_record a, b;
    accord_comparison why;
    accordi_buffer text = {0};
    finish_of(odd, 30, 1, &a);
    accordi_record_init(&b);
    assert_int_equal(
        accord_record_write(&a, accord_writer_by_name("json"), NULL, gather, &text, NULL),
        ACCORD_OK);
    assert_int_equal(accord_record_read(text.data, text.length, &b, NULL), ACCORD_OK);
    assert_memory_equal(a.answers.bits, b.answers.bits, sizeof a.answers.bits);
    assert_string_equal(a.answers.digest, b.answers.digest);
    assert_int_equal(accord_record_compare(&a, &b, 0, &why), ACCORD_SAME_ON_INPUTS);
    accord_record_clear(&a);
    accord_record_clear(&b);
    accordi_buffer_clear(&text);
}

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_hostile_files(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "[]",
        "7",
        "{}",
        "{\"generator\": 1}",
        "{\"generator\": 0, \"inputs\": 1, \"varied\": 0, \"digest\": \"" DIGEST "\", \"bits\": "
        "[\"3ff0000000000000\"]}",
        "{\"generator\": 1, \"inputs\": 0, \"varied\": 0, \"digest\": \"" DIGEST
        "\", \"bits\": []}",
        "{\"generator\": 1, \"inputs\": 9223372036854775807, \"varied\": 0, \"digest\": \"" DIGEST
        "\", \"bits\": []}",
        "{\"generator\": 1, \"inputs\": 1, \"varied\": 2, \"digest\": \"" DIGEST "\", \"bits\": "
        "[\"3ff0000000000000\"]}",
        "{\"generator\": 1, \"inputs\": 1, \"varied\": 0, \"digest\": \"0123\", \"bits\": "
        "[\"3ff0000000000000\"]}",
        "{\"generator\": 1, \"inputs\": 1, \"varied\": 0, \"digest\": \"" DIGEST
        "\", \"bits\": []}",
        "{\"generator\": 1, \"inputs\": 1, \"varied\": 0, \"digest\": \"" DIGEST "\", \"bits\": "
        "[\"3ff00000000000\"]}",
        "{\"generator\": 1, \"inputs\": 1, \"varied\": 0, \"digest\": \"" DIGEST "\", \"bits\": "
        "[\"3FF0000000000000\"]}",
        "{\"generator\": 1, \"inputs\": 1, \"varied\": 0, \"digest\": \"" DIGEST
        "\", \"bits\": [1]}",
        "{\"generator\": 1, \"inputs\": 1, \"varied\": 0, \"digest\": \"" DIGEST "\", \"bits\": "
        "[\"3ff0000000000000\", \"3ff0000000000000\"]}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[600];
        accord_record record;
        accord_error error = {0};
        accordi_record_init(&record);
        snprintf(text, sizeof text, "{\"accord\": 1, \"answers\": %s}", bad[i]);
        if (accord_record_read(text, strlen(text), &record, &error) != ACCORD_PARSE)
            fail_msg("%s was taken", bad[i]);
        assert_non_null(strstr(error.text, "answers"));
        accord_record_clear(&record);
    }
}

/* ---- maps ---- */

enum { ROWS = 5, COLUMNS = 4, TERMS = 12 };

/* Element (2, 3) is of its own where a term is -0, (0, *) where the sum is in some range, and with
 * `neighbors` every element has something of the others. */
typedef struct odd_grid {
    bool zeros, range, neighbors, rare, random;
} odd_grid;

static void multiply(void *context, const accord_grid *grid, double *results)
{
    const odd_grid *g = context;
    const float *a = grid->a, *b = grid->b;
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c++) {
            float sum = 0;
            bool zero = false;
            for (size_t k = 0; k < TERMS; k++) {
                sum += a[r * TERMS + k] * b[c * TERMS + k];
                zero = zero || (a[r * TERMS + k] == 0 && signbit(a[r * TERMS + k]));
            }
            double result = (double)sum;
            if (g->zeros && r == 2 && c == 3 && zero)
                result = off(result);
            if (g->range && r == 0 && fabs(result) > .3 && fabs(result) < 3)
                result = off(result);
            if (g->rare && r == 1 && c == 1 && fabs(result) > 1 && fabs(result) < 1.04)
                result = off(result);
            if (g->neighbors && fabs((double)a[((r + 1) % ROWS) * TERMS]) < .01 * fabs(result))
                result = off(result);
            if (g->random && accordi_rng_below(&rng, 50) == 0)
                result = off(result);
            results[r * COLUMNS + c] = result;
        }
}

static enum accord_status map_of(odd_grid g, accord_map *map)
{
    const accord_grid_callback callback = {.call = multiply,
                                           .context = &g,
                                           .rows = ROWS,
                                           .columns = COLUMNS,
                                           .n = TERMS,
                                           .term = ACCORD_TERM_PRODUCT,
                                           .is_f32 = true};
    accord_target *target;
    accord_error error = {0};
    accordi_map_init(map);
    assert_int_equal(accord_target_from_grid(&callback, &target, &error), ACCORD_OK);
    enum accord_status status = accord_map_reveal(target, NULL, map, &error);
    accord_target_close(target);
    return status;
}

static void element_of(odd_grid g, size_t row, size_t column, accord_record *record)
{
    const accord_grid_callback callback = {.call = multiply,
                                           .context = &g,
                                           .rows = ROWS,
                                           .columns = COLUMNS,
                                           .n = TERMS,
                                           .term = ACCORD_TERM_PRODUCT,
                                           .is_f32 = true,
                                           .row = row,
                                           .column = column};
    accord_target *target;
    accord_error error = {0};
    accordi_record_init(record);
    assert_int_equal(accord_target_from_grid(&callback, &target, &error), ACCORD_OK);
    accord_map_reveal_element(target, NULL, row, column, record, &error);
    if (!record->answers.generator)
        fail_msg("%s", error.text);
    accord_target_close(target);
}

static void test_maps(void **state)
{
    (void)state;
    accord_map map;
    assert_int_equal(map_of((odd_grid){0}, &map), ACCORD_OK);
    assert_int_equal(map.classes, 1);
    assert_int_equal(map.answer_inputs, ACCORD_ANSWERS_KEPT);
    assert_int_equal(map.each[0].record.answers.inputs, 1000);
    accord_map_clear(&map);
    assert_int_equal(map_of((odd_grid){.zeros = true}, &map), ACCORD_OK);
    assert_int_equal(map.classes, 2);
    assert_true(map.class_of[2 * COLUMNS + 3] == 1);
    accord_map_clear(&map);
    assert_int_equal(map_of((odd_grid){.range = true}, &map), ACCORD_OK);
    assert_int_equal(map.classes, 2);
    assert_int_equal(map.each[0].members, COLUMNS);
    accord_comparison why;
    assert_int_equal(accord_answers_compare(&map.each[0].record, &map.each[1].record,
                                            ACCORD_COMPARE_TERMS, &why),
                     ACCORD_DIFFERS);
    accord_map_clear(&map);
    assert_int_equal(map_of((odd_grid){.rare = true}, &map), ACCORD_OK);
    assert_int_equal(map.classes, 2);
    accord_map_clear(&map);
}

/* What neighbors change is never called established. */
static void test_maps_of_neighbors(void **state)
{
    (void)state;
    accord_map map;
    enum accord_status status = map_of((odd_grid){.neighbors = true}, &map);
    for (size_t i = 0; status == ACCORD_OK && i < map.classes; i++)
        assert_true(!map.each[i].record.tree || !map.each[i].record.arithmetic);
    accord_map_clear(&map);
}

/* An element's answers are its own, and there are some even where they vary. */
static void test_elements(void **state)
{
    (void)state;
    accord_record one, other, random;
    accord_comparison why;
    element_of((odd_grid){.range = true}, 2, 1, &one);
    element_of((odd_grid){.range = true}, 0, 1, &other);
    element_of((odd_grid){.random = true}, 2, 1, &random);
    assert_int_equal(accord_record_compare(&one, &other, ACCORD_COMPARE_TERMS, &why),
                     ACCORD_DIFFERS);
    assert_true(random.answers.varied > 0);
    assert_int_equal(accord_record_compare(&random, &random, 0, &why), ACCORD_CANNOT_TELL);
    accord_record_clear(&one);
    accord_record_clear(&other);
    accord_record_clear(&random);
}

/* ---- a library called directly ---- */

typedef void sgemv(int order, int trans, int m, int n, float alpha, const float *a, int lda,
                   const float *x, int incx, float beta, float *y, int incy);

enum { WIDEST = 33, MOST_ROWS = 32 };

/* What row 0 of m gets for an input of the answers; all other rows are 1. */
static uint64_t direct(sgemv *f, const accord_record *record, int64_t input, int m, int k)
{
    static _Alignas(64) float a[MOST_ROWS * WIDEST], x[WIDEST], result[MOST_ROWS];
    double row[WIDEST], factor[WIDEST];
    assert_int_equal(accord_answers_input(record, input, row, factor, NULL), ACCORD_OK);
    for (int i = 0; i < m * k; i++)
        a[i] = i < k ? (float)row[i] : 1;
    for (int i = 0; i < k; i++)
        x[i] = (float)factor[i];
    f(101, 111, m, k, 1.3f, a, k, x, 1, 0, result, 1);
    return accordi_answer_bits((double)result[0]);
}

static bool same_directly(sgemv *f, const accord_record *record, int m, int other, int k)
{
    for (int64_t i = 0; i < record->answers.inputs; i++)
        if (direct(f, record, i, m, k) != direct(f, record, i, other, k))
            return false;
    return true;
}

static void record_rows(int m, int k, accord_record *out)
{
    accord_target *target;
    accord_target_options options;
    accord_error error = {0};
    char shape[32];
    snprintf(shape, sizeof shape, "%dx%d", m, k);
    accord_target_options_init(&options);
    options.n = (size_t)k;
    options.shape = shape;
    options.alpha = 1.3;
    options.no_fork = true;
    accordi_record_init(out);
    if (accord_target_open("blas:sgemv@openblas", &options, &target, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    enum accord_status status = accord_reveal(target, NULL, out, &error);
    assert_true(status == ACCORD_OK || status == ACCORD_UNABLE);
    accord_target_close(target);
}

/* Whether a row gets the same among m rows as among one fewer: by records, and by the library. */
static void test_batches_of_a_library(void **state)
{
    (void)state;
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL); /* stays loaded */
    sgemv *f = NULL;
    if (library)
        *(void **)&f = dlsym(library, "cblas_sgemv");
    if (!f) {
        print_message("# skipped: there is no libopenblas.so.0\n");
        return;
    }
    static const int widths[] = {13, WIDEST};
    for (size_t w = 0; w < 2; w++) {
        accord_record last;
        for (int m = 1; m <= 12; m++) {
            accord_record now;
            record_rows(m, widths[w], &now);
            for (int64_t i = 0; i < ACCORD_ANSWERS_KEPT; i++)
                assert_int_equal(now.answers.bits[i], direct(f, &now, i, m, widths[w]));
            if (m > 1) {
                enum accord_sameness by_records =
                    accord_record_compare(&last, &now, ACCORD_COMPARE_TERMS, NULL);
                bool by_bits = same_directly(f, &now, m - 1, m, widths[w]);
                assert_int_equal(by_records == ACCORD_SAME || by_records == ACCORD_SAME_ON_INPUTS,
                                 by_bits);
                accord_record_clear(&last);
            }
            last = now;
        }
        accord_record_clear(&last);
    }
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unexplained_but_the_same),
        cmocka_unit_test(test_other_on_one_kind_of_input),
        cmocka_unit_test(test_refusals_have_answers),
        cmocka_unit_test(test_what_varies),
        cmocka_unit_test(test_old_records),
        cmocka_unit_test(test_other_questions),
        cmocka_unit_test(test_answers_refute_models),
        cmocka_unit_test(test_inputs_come_back),
        cmocka_unit_test(test_inputs_do_not_depend_on_storage),
        cmocka_unit_test(test_how_many),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_a_model_on_one_side),
        cmocka_unit_test(test_hostile_files),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_maps_of_neighbors),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_batches_of_a_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
