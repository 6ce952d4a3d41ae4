/* Targets that are no plain sum: each has its own reason, and none gets a confident tree. */
#include "record/record.h"
#include "targets/synthetic/synthetic.h"
#include "trials.h"
#include <accord/exact_blas.h>
#include <accord/reveal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct answer {
    enum accord_status status;
    accord_error error;
    accord_record record;
} answer;

static answer reveal_as(accord_target *target, uint64_t seed, bool loose)
{
    answer a = {.error = {.status = ACCORD_OK}};
    accord_reveal_options options;
    accord_reveal_options_init(&options);
    options.seed = seed;
    options.loose = loose;
    accordi_record_init(&a.record);
    a.status = accord_reveal(target, &options, &a.record, &a.error);
    accord_target_close(target);
    return a;
}

static accord_target *open_synthetic(const char *name, size_t n, enum accord_format format,
                                     uint64_t seed)
{
    char notation[80];
    accord_target_options options;
    accord_target *target = NULL;
    accord_target_options_init(&options);
    options.n = n;
    options.seed = seed;
    options.has_format = true;
    options.format = format;
    snprintf(notation, sizeof notation, "synthetic:%s", name);
    assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
    return target;
}

static answer reveal_synthetic(const char *name, size_t n, enum accord_format format, uint64_t seed)
{
    return reveal_as(open_synthetic(name, n, format, seed), seed, false);
}

/* Exactly what an answer of this reason must look like; NONE is a tree. */
static bool is(const answer *a, enum accord_reason reason)
{
    if (reason == ACCORD_REASON_NONE)
        return a->status == ACCORD_OK && a->record.tree;
    return a->status == ACCORD_UNABLE && a->error.reason == reason && !a->record.tree &&
           !a->record.proven && strcmp(a->record.status, "unable") == 0 &&
           strcmp(a->record.reason, accord_reason_name(reason)) == 0 &&
           strstr(a->record.verdict, a->error.text);
}

/* ---- the synthetic ones ---- */

/* From `shows` terms on the reason is told. One or two terms have but one order, and with three or
 * four Neumaier's sum cannot be told from an exact one. */
static const struct {
    const char *name;
    enum accord_reason reason;
    size_t shows;
} odd[] = {
    {"kahan", ACCORD_REASON_COMPENSATED, 3},
    {"neumaier", ACCORD_REASON_COMPENSATED, 5},
    {"exact", ACCORD_REASON_EXACT, 3},
    {"sorted", ACCORD_REASON_DATA_DEPENDENT, 3},
    {"sorted-magnitude", ACCORD_REASON_DATA_DEPENDENT, 3},
    {"shuffled", ACCORD_REASON_NONDETERMINISTIC, 3},
    {"lost", ACCORD_REASON_TERM_LOST, 1},
    {"lost:0", ACCORD_REASON_TERM_LOST, 1},
    {"twice", ACCORD_REASON_TERM_TWICE, 2}, /* a single one is a scale */
    {"twice:0", ACCORD_REASON_TERM_TWICE, 2},
    {"nan", ACCORD_REASON_NOT_FINITE, 1},
};

/* In f16 and in 8 bits the greatest term is less than 2^53 times the least: an exact sum is like
 * one in a wide accumulator, and the range too narrow to tell. */
static enum accord_reason expected(size_t row, size_t n, enum accord_format format)
{
    bool narrow = accord_format_get(format)->max_exponent < 20;
    bool shows = n >= odd[row].shows;
    if (n >= 3 && (!shows || odd[row].reason == ACCORD_REASON_EXACT))
        return narrow ? ACCORD_REASON_OUT_OF_RANGE : ACCORD_REASON_EXACT;
    return shows ? odd[row].reason : ACCORD_REASON_NONE;
}

static void test_synthetic_reasons(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 9, 17, 40, 129};
    uint64_t seed = trials_seed();
    size_t wrong = 0;
    for (size_t row = 0; row < sizeof odd / sizeof *odd; row++)
        for (int f = 0; f < ACCORD_FORMAT_COUNT; f++)
            for (size_t i = 0; i < trials(sizeof sizes / sizeof *sizes); i++) {
                size_t n = sizes[i % (sizeof sizes / sizeof *sizes)];
                answer a = reveal_synthetic(odd[row].name, n, (enum accord_format)f, ++seed);
                enum accord_reason due = expected(row, n, (enum accord_format)f);
                /* of few terms now and then wrong, as no exact sum is; in narrow formats much like
                 * a sum in a wider one */
                bool neumaier = strcmp(odd[row].name, "neumaier") == 0 &&
                                (n < odd[row].shows ||
                                 accord_format_get((enum accord_format)f)->max_exponent < 20);
                bool good = is(&a, due) || (neumaier && is(&a, ACCORD_REASON_NOT_A_TREE));
                if (!good)
                    printf("# %s %s n %zu seed %" PRIu64 ": %s, not %s\n", odd[row].name,
                           accord_format_get((enum accord_format)f)->name, n, seed, a.error.text,
                           accord_reason_name(due));
                wrong += !good;
                accord_record_clear(&a.record);
            }
    assert_int_equal(wrong, 0);
}

/* The term is named. */
static void test_bad_terms_are_named(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t i = 0; i < trials(100); i++) {
        size_t n = 3 + accordi_rng_below(&rng, 60), bad = accordi_rng_below(&rng, n);
        enum accord_format format =
            (enum accord_format)accordi_rng_below(&rng, ACCORD_FORMAT_COUNT);
        const char *name = i % 2 ? "lost" : "twice";
        char full[40], term[40];
        snprintf(full, sizeof full, "%s:%zu", name, bad);
        snprintf(term, sizeof term, "term %zu is %s", bad, i % 2 ? "lost" : "counted twice");
        answer a = reveal_synthetic(full, n, format, accordi_rng_next(&rng));
        assert_true(is(&a, i % 2 ? ACCORD_REASON_TERM_LOST : ACCORD_REASON_TERM_TWICE));
        assert_non_null(strstr(a.error.text, term));
        accord_record_clear(&a.record);
    }
}

/* ---- sums that are plain but for a scale or a wider accumulator ---- */

static void test_scales_and_accumulators(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum accord_format format;
        size_t n;
        double scale;
        const char *accumulator;
    } cases[] = {
        {"mean", ACCORD_F32, 2, 0.5, "f32"},
        {"mean", ACCORD_F32, 7, 1.0 / 7, "f32"},
        {"mean", ACCORD_F32, 100, 0.01, "f32"},
        {"mean", ACCORD_F64, 3, 1.0 / 3, "f64"},
        {"mean", ACCORD_F64, 60, 1.0 / 60, "f64"},
        {"mean", ACCORD_F32, 64, 1.0 / 64, "f32"},
        {"wide", ACCORD_F32, 3, 1, "f64"},
        {"wide", ACCORD_F32, 33, 1, "f64"},
        {"wide", ACCORD_F16, 33, 1, "f32"},
        {"wide", ACCORD_BF16, 33, 1, "f32"},
        {"mean", ACCORD_BF16, 12, 1.0 / 12, "bf16"},
        {"mean", ACCORD_F16, 12, 1.0 / 12, "f16"},
        {"sequential,acc=f32", ACCORD_F16, 20, 1, "f32"},
        {"sequential,acc=f32", ACCORD_BF16, 20, 1, "f32"},
        {"sequential,acc=f64", ACCORD_F32, 20, 1, "f64"},
        {"sequential", ACCORD_F16, 20, 1, "f16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        answer a = reveal_synthetic(cases[i].name, cases[i].n, cases[i].format, i);
        answer plain = reveal_synthetic("sequential", cases[i].n, cases[i].format, i);
        if (!is(&a, ACCORD_REASON_NONE))
            printf("# %s: %s\n", cases[i].name, a.error.text);
        assert_true(is(&a, ACCORD_REASON_NONE) && is(&plain, ACCORD_REASON_NONE));
        assert_true(accord_tree_equal(a.record.tree, plain.record.tree));
        double tolerance = ldexp(1, -accord_format_get(cases[i].format)->precision);
        assert_true(fabs(a.record.scale / cases[i].scale - 1) <= tolerance);
        assert_true(a.record.proven);
        assert_non_null(a.record.accumulator);
        assert_string_equal(a.record.accumulator, cases[i].accumulator);
        accord_record_clear(&a.record);
        accord_record_clear(&plain.record);
    }
}

/* ---- callbacks ---- */

static double weighted(void *context, const void *x, size_t n)
{
    const double *v = x;
    double sum = 0;
    (void)context;
    for (size_t i = 0; i < n; i++)
        sum += i == n / 2 ? 0.5 * v[i] : v[i];
    return sum;
}

static double infinite(void *context, const void *x, size_t n)
{
    (void)context, (void)x, (void)n;
    return INFINITY;
}

static double constant(void *context, const void *x, size_t n)
{
    (void)context, (void)x, (void)n;
    return 7;
}

static double first_only(void *context, const void *x, size_t n)
{
    (void)context, (void)n;
    return *(const double *)x;
}

static double greatest(void *context, const void *x, size_t n)
{
    const double *v = x;
    double most = v[0];
    (void)context;
    for (size_t i = 1; i < n; i++)
        most = v[i] > most ? v[i] : most;
    return most;
}

static double norm(void *context, const void *x, size_t n)
{
    const double *v = x;
    double sum = 0;
    (void)context;
    for (size_t i = 0; i < n; i++)
        sum += fabs(v[i]);
    return sum;
}

/* As layer norms find it: each term moves the mean of those before it. */
static double running_mean(void *context, const void *x, size_t n)
{
    const double *v = x;
    double mean = 0;
    (void)context;
    for (size_t i = 0; i < n; i++)
        mean += (v[i] - mean) / (double)(i + 1);
    return mean;
}

static double running_mean_f32(void *context, const void *x, size_t n)
{
    const float *v = x;
    float mean = 0;
    (void)context;
    for (size_t i = 0; i < n; i++)
        mean += (v[i] - mean) * (1.0f / (float)(i + 1));
    return mean;
}

/* As convolutions by transforms do: there and back, and the errors of both stay. */
static double transformed(void *context, const void *x, size_t n)
{
    const double *v = x, turn = 6.283185307179586 / (double)n;
    double sum = 0;
    (void)context;
    for (size_t k = 0; k < n; k++) {
        double real = 0, imaginary = 0;
        for (size_t i = 0; i < n; i++) {
            real += v[i] * cos(turn * (double)(i * k % n));
            imaginary -= v[i] * sin(turn * (double)(i * k % n));
        }
        for (size_t i = 0; i < n; i++)
            sum += real * cos(turn * (double)(i * k % n)) -
                   imaginary * sin(turn * (double)(i * k % n));
    }
    return sum / (double)n;
}

/* Exact sums of blocks of eight, added one by one: no compensation, nor exact. */
static double exact_blocks(void *context, const void *x, size_t n)
{
    const double *v = x;
    double sum = 0;
    (void)context;
    for (size_t i = 0; i < n; i += 8) {
        double block = 0;
        accord_sum_exact_f64(n - i < 8 ? n - i : 8, v + i, 1, NULL, &block, NULL);
        sum += block;
    }
    return sum;
}

/* From one order to another with every hundredth call. */
static double moody(void *context, const void *x, size_t n)
{
    const double *v = x;
    uint64_t calls = ++*(uint64_t *)context;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += calls % 100 ? v[i] : v[n - 1 - i];
    return sum;
}

static accord_target *open_callback(accord_sum_callback *sum, void *context, size_t n, bool is_f32)
{
    accord_target *target = NULL;
    assert_int_equal(accord_target_from_callback(sum, context, n, is_f32, &target, NULL),
                     ACCORD_OK);
    return target;
}

static void test_callbacks(void **state)
{
    (void)state;
    static const struct {
        accord_sum_callback *sum;
        enum accord_reason reason;
    } cases[] = {
        {weighted, ACCORD_REASON_WEIGHTED},      {infinite, ACCORD_REASON_NOT_FINITE},
        {constant, ACCORD_REASON_CONSTANT},      {first_only, ACCORD_REASON_ONE_TERM},
        {greatest, ACCORD_REASON_MAXIMUM},       {norm, ACCORD_REASON_NONE},
        {moody, ACCORD_REASON_NONDETERMINISTIC},
    };
    static const size_t sizes[] = {3, 4, 7, 20, 90};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            uint64_t calls = 0;
            answer a = reveal_as(open_callback(cases[c].sum, &calls, sizes[i], false), i, false);
            if (!is(&a, cases[c].reason))
                printf("# case %zu, n %zu: %s\n", c, sizes[i], a.error.text);
            assert_true(is(&a, cases[c].reason));
            accord_record_clear(&a.record);
        }
}

static double none(void *context, const void *x, size_t n)
{
    (void)context;
    (void)x;
    (void)n;
    return NAN;
}

/* What a function returns that is no number, and for which terms. */
static void test_words_of_no_number(void **state)
{
    (void)state;
    static const struct {
        accord_sum_callback *sum;
        const char *words;
    } cases[] = {
        {none, "the target returns NaN where all terms are 0 ("},
        {infinite, "the target returns infinity where "},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        answer a = reveal_as(open_callback(cases[c].sum, NULL, 7, false), c, false);
        assert_true(is(&a, ACCORD_REASON_NOT_FINITE));
        print_message("# %s\n", a.error.text);
        assert_non_null(strstr(a.error.text, cases[c].words));
        accord_record_clear(&a.record);
    }
}

/* Now in one order and now in the other, for a time by chance, as when a rank comes late. */
typedef struct weather {
    accordi_rng rng;
    uint64_t most, left; /* calls */
    bool backward;
} weather;

static double as_the_weather(void *context, const void *x, size_t n)
{
    weather *w = context;
    const double *v = x;
    double sum = 0;
    if (w->left-- == 0) {
        w->left = accordi_rng_below(&w->rng, w->most);
        w->backward = !w->backward;
    }
    for (size_t i = 0; i < n; i++)
        sum += v[w->backward ? n - 1 - i : i];
    return sum;
}

/* What depends on chance is not said to depend on the terms, also where few inputs are repeated. */
static void test_weather(void **state)
{
    (void)state;
    static const uint64_t most[] = {30, 100, 300, 1000};
    size_t by_chance = 0, wrong = 0;
    for (size_t i = 0; i < trials(400); i++) {
        weather w = {.most = most[i % 4]};
        accord_error error = {.status = ACCORD_OK};
        accord_record record;
        const accord_reveal_options options = {
            .size = sizeof options, .seed = i, .no_certificate = true};
        accordi_rng_init(&w.rng, i);
        accordi_record_init(&record);
        accord_target *target = open_callback(as_the_weather, &w, 4 + i % 13, false);
        accord_reveal(target, &options, &record, &error);
        if (error.reason == ACCORD_REASON_DATA_DEPENDENT)
            printf("# seed %zu: %s\n", i, error.text);
        wrong += error.reason == ACCORD_REASON_DATA_DEPENDENT;
        by_chance += error.reason == ACCORD_REASON_NONDETERMINISTIC;
        accord_record_clear(&record);
        accord_target_close(target);
    }
    printf("# %zu by chance\n", by_chance);
    assert_int_equal(wrong, 0);
    assert_true(by_chance > 0 || !trials_are_all());
}

/* Neither directed rounding nor compensation is told where there is none. */
static void test_no_sums(void **state)
{
    (void)state;
    static const struct {
        accord_sum_callback *sum;
        const char *name;
        bool is_f32;
    } cases[] = {
        {running_mean, "running mean f64", false},
        {running_mean_f32, "running mean f32", true},
        {transformed, "transformed", false},
        {exact_blocks, "exact blocks", false},
    };
    static const size_t sizes[] = {5, 9, 16, 17, 33, 64};
    size_t wrong = 0;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t i = 0; i < trials(60); i++) {
            size_t n = sizes[i % (sizeof sizes / sizeof *sizes)];
            accord_target *target = open_callback(cases[c].sum, NULL, n, cases[c].is_f32);
            answer a = reveal_as(target, i, false);
            bool blocks = cases[c].sum == exact_blocks;
            if (blocks ? a.error.reason == ACCORD_REASON_COMPENSATED ||
                             (n > 8 && a.error.reason == ACCORD_REASON_EXACT)
                       : !is(&a, ACCORD_REASON_NOT_A_TREE) &&
                             a.error.reason != ACCORD_REASON_NOT_PLAIN &&
                             (a.status || a.record.arithmetic)) {
                printf("# %s, n %zu, seed %zu: %s\n", cases[c].name, n, i,
                       a.status ? a.error.text : a.record.verdict);
                wrong++;
            }
            accord_record_clear(&a.record);
        }
    assert_int_equal(wrong, 0);
}

/* Whose quotient alone is rounded, so that no sum of f64 comes before it. */
static double exact_mean(void *context, const void *x, size_t n)
{
    double mean = 0;
    (void)context;
    accord_mean_exact_f64(n, x, 1, NULL, &mean, NULL);
    return mean;
}

static void test_exact_means(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < trials(12); i++) {
        size_t n = 5 + (seed + i * 7) % 60;
        answer a = reveal_as(open_callback(exact_mean, NULL, n, false), seed + i, false);
        if (!is(&a, ACCORD_REASON_EXACT))
            fail_msg("n %zu, seed %" PRIu64 ": %s", n, seed + i, a.error.text);
        accord_record_clear(&a.record);
    }
}

/* As some BLAS do: the last eighth is added in double. */
static double double_tail(void *context, const void *x, size_t n)
{
    const float *v = x;
    size_t body = n - n / 8;
    float sum = v[0];
    (void)context;
    for (size_t i = 1; i < body; i++)
        sum += v[i];
    double wide = sum;
    for (size_t i = body; i < n; i++)
        wide += v[i];
    return (float)wide;
}

static void test_wider_tail(void **state)
{
    (void)state;
    for (size_t n = 16; n <= 128; n *= 2) {
        answer plain = reveal_synthetic("sequential", n, ACCORD_F32, n);
        answer wide = reveal_as(open_callback(double_tail, NULL, n, true), n, true);
        assert_true(is(&wide, ACCORD_REASON_NONE));
        assert_true(accord_tree_equal(wide.record.tree, plain.record.tree));
        assert_int_equal(wide.record.replays_agreed, wide.record.replays);
        assert_string_equal(wide.record.accumulator, "mixed");
        accord_record_clear(&plain.record);
        accord_record_clear(&wide.record);
    }
}

/* An accumulator of 20 bits, which is no format's. */
static double twenty_bits(void *context, const void *x, size_t n)
{
    const float *v = x;
    double sum = v[0];
    (void)context;
    for (size_t i = 1; i < n; i++) {
        int exponent;
        double s = frexp(sum + v[i], &exponent);
        sum = ldexp(rint(ldexp(s, 20)), exponent - 20);
    }
    return (float)sum;
}

static void test_arithmetic_not_plain(void **state)
{
    (void)state;
    for (size_t n = 16; n <= 128; n *= 2) {
        answer plain = reveal_synthetic("sequential", n, ACCORD_F32, n);
        answer loose = reveal_as(open_callback(twenty_bits, NULL, n, true), n, true);
        answer strict = reveal_as(open_callback(twenty_bits, NULL, n, true), n, false);
        assert_true(is(&loose, ACCORD_REASON_NONE));
        assert_true(accord_tree_equal(loose.record.tree, plain.record.tree));
        assert_false(loose.record.proven);
        assert_null(loose.record.accumulator);
        assert_null(loose.record.arithmetic);
        assert_true(loose.record.replays_agreed < loose.record.replays);
        assert_non_null(strstr(loose.record.verdict, "It is not known what the additions"));
        assert_int_equal(strict.status, ACCORD_UNABLE);
        assert_int_equal(strict.error.reason, ACCORD_REASON_NOT_PLAIN);
        assert_true(accord_tree_equal(strict.record.tree, plain.record.tree));
        assert_false(strict.record.proven);
        assert_string_equal(strict.record.verdict, loose.record.verdict);
        accord_record_clear(&plain.record);
        accord_record_clear(&loose.record);
        accord_record_clear(&strict.record);
    }
}

/* ---- what fails leaves the record alone ---- */

static enum accord_status refuse(accord_target *target, const accord_batch *batch, double *result,
                                 accord_error *error)
{
    (void)target, (void)batch, (void)result;
    return accordi_fail(error, ACCORD_TARGET, "out of order");
}

static bool stop(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context, (void)stage, (void)done, (void)total;
    return false;
}

static void test_failures(void **state)
{
    (void)state;
    accord_record record;
    accord_error error;
    accord_reveal_options options;
    accordi_record_init(&record);
    accord_reveal_options_init(&options);
    record.n = 1234;
    accord_target *target = open_synthetic("pairwise", 40, ACCORD_F32, 1);
    options.algorithm = "alchemy";
    assert_int_equal(accord_reveal(target, &options, &record, &error), ACCORD_ARG);
    options.algorithm = NULL;
    options.progress = stop;
    assert_int_equal(accord_reveal(target, &options, &record, &error), ACCORD_TARGET);
    assert_string_equal(error.text, "interrupted: no order was found yet");
    accord_target_kind broken = *target->kind;
    const accord_target_kind *whole = target->kind;
    broken.run = refuse;
    target->kind = &broken;
    assert_int_equal(accord_reveal(target, NULL, &record, &error), ACCORD_TARGET);
    assert_string_equal(error.text, "out of order");
    target->kind = whole;
    assert_int_equal(accord_reveal(NULL, NULL, &record, &error), ACCORD_ARG);
    assert_int_equal(accord_reveal(target, NULL, NULL, &error), ACCORD_ARG);
    target->n = (size_t)ACCORD_TREE_MAX_LEAVES + 1; /* more than the nodes of a tree can number */
    assert_int_equal(accord_reveal(target, NULL, &record, &error), ACCORD_ARG);
    assert_non_null(strstr(error.text, "1 to 2147483647 terms"));
    target->n = 0;
    assert_int_equal(accord_reveal(target, NULL, &record, &error), ACCORD_ARG);
    target->n = 40;
    assert_true(record.n == 1234 && !record.tree && !record.verdict);
    accord_target_close(target);
    target = open_synthetic("pairwise", 10, ACCORD_F32, 1);
    options = (accord_reveal_options){.algorithm = "naive"};
    assert_int_equal(accord_reveal(target, &options, &record, &error), ACCORD_UNSUPPORTED);
    accord_target_close(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_synthetic_reasons),
        cmocka_unit_test(test_bad_terms_are_named),
        cmocka_unit_test(test_scales_and_accumulators),
        cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_words_of_no_number),
        cmocka_unit_test(test_weather),
        cmocka_unit_test(test_no_sums),
        cmocka_unit_test(test_exact_means),
        cmocka_unit_test(test_wider_tail),
        cmocka_unit_test(test_arithmetic_not_plain),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
