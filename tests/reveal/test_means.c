/* Means, means of squares and of absolute values, norms and the roots of means of squares, of any
 * number of terms: all are told, with a model that gives the bits of fresh inputs, but for a few
 * terms of one sign, where the sum is wider than the result and no term is left to show its order
 * by; those are refused for that reason. */
#include "base/base.h"
#include "record/record.h"
#include "trials.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum kind {
    MEAN,
    MEAN_TIMES,
    MEAN_ADDED,      /* to 0, after it is a result */
    MEAN_OF_NUMBERS, /* terms that are no numbers count as 0 */
    MEAN_OF_RESULT,  /* of a sum that is rounded into the format of the result first */
    SQUARES,
    SQUARES_TIMES,
    SQUARES_TWICE, /* squares are rounded into the format of the terms first */
    ROOT_OF_MEAN,
    ROOT_OF_RESULT, /* the mean is rounded into the format of the result first */
    NORM,
    ABSOLUTE,
    KINDS
};

typedef struct box {
    enum kind kind;
    enum accord_format terms, sums;
    bool pairwise, flushes; /* what is subnormal, in the format of sums */
    double *value;
} box;

static double flushed(const box *b, double x)
{
    double least = ldexp(1, accord_format_get(b->sums)->min_exponent);
    return b->flushes && fabs(x) < least ? copysign(0, x) : x;
}

static bool squares(const box *b)
{
    return b->kind >= SQUARES && b->kind <= NORM;
}

static double rounded(const box *b, double x)
{
    return flushed(b, accord_format_round(b->sums, ACCORD_NEAREST_EVEN, x));
}

static double narrowed(const box *b, double x)
{
    return accord_format_round(b->terms, ACCORD_NEAREST_EVEN, x);
}

static double added(const box *b, double x, double y)
{
    return flushed(b, accord_format_add(b->sums, ACCORD_NEAREST_EVEN, x, y));
}

static double sum(const box *b, size_t n)
{
    double *v = b->value;
    for (size_t i = 1; !b->pairwise && i < n; i++)
        v[0] = added(b, v[0], v[i]);
    for (; b->pairwise && n > 1; n = (n + 1) / 2) {
        for (size_t i = 0; 2 * i + 1 < n; i++)
            v[i] = added(b, v[2 * i], v[2 * i + 1]);
        if (n % 2)
            v[n / 2] = v[n - 1];
    }
    return v[0];
}

static double answer(const box *b, const float *x, size_t n)
{
    bool times = b->kind == MEAN_TIMES || b->kind == SQUARES_TIMES;
    for (size_t i = 0; i < n; i++) {
        double v = flushed(b, (double)x[i]);
        v = b->kind == MEAN_OF_NUMBERS && isnan(v) ? 0 : v;
        double square =
            b->kind == SQUARES_TWICE ? flushed(b, narrowed(b, v * v)) : rounded(b, v * v);
        b->value[i] = squares(b) ? square : b->kind == ABSOLUTE ? fabs(v) : v;
    }
    double result = sum(b, n);
    if (b->kind == MEAN_OF_RESULT)
        result = narrowed(b, result);
    if (times)
        result = rounded(b, result * rounded(b, 1 / (double)n));
    else if (b->kind != NORM)
        result = rounded(b, result / (double)n);
    if (b->kind == ROOT_OF_RESULT)
        result = narrowed(b, result);
    if (b->kind == ROOT_OF_MEAN || b->kind == ROOT_OF_RESULT || b->kind == NORM)
        result = rounded(b, sqrt(result));
    return b->kind == MEAN_ADDED ? narrowed(b, result) + 0.0 : narrowed(b, result);
}

static enum accord_status run(accord_target *target, const accord_batch *batch, double *result,
                              accord_error *error)
{
    size_t n = target->n;
    float *x = accordi_alloc(n, sizeof *x);
    (void)error;
    for (size_t i = 0; i < n; i++)
        x[i] = (float)batch->fill;
    for (size_t p = 0; p < batch->probes; p++) {
        if (batch->dense) {
            result[p] = answer(target->state, (const float *)batch->dense + p * n, n);
            continue;
        }
        uint32_t stay = batch->start[2 * p], own = batch->start[2 * p + 1];
        for (uint32_t i = stay; i < own; i++)
            x[batch->index[i]] = (float)batch->value[i];
        float *changed = accordi_alloc(n, sizeof *changed);
        memcpy(changed, x, n * sizeof *x);
        for (uint32_t i = own; i < batch->start[2 * p + 2]; i++)
            changed[batch->index[i]] = (float)batch->value[i];
        result[p] = answer(target->state, changed, n);
        free(changed);
    }
    free(x);
    return ACCORD_OK;
}

typedef struct counted {
    box b;
    size_t n;
} counted;

static void answer_grid(void *context, const accord_grid *grid, double *results)
{
    const counted *c = context;
    results[0] = answer(&c->b, grid->a, c->n);
}

/* A sum just above the greatest number of the terms' format, which a wider sum holds. */
static void put_past_greatest(const box *b, float *x, size_t n, accordi_rng *rng)
{
    const accord_format_info *info = accord_format_get(b->terms);
    int last = info->max_exponent - info->precision + 1;
    bool minus = accordi_rng_below(rng, 2);
    memset(x, 0, n * sizeof *x);
    x[n - 1] = (float)(minus ? -info->greatest : info->greatest);
    x[0] = (float)ldexp(minus ? -1 : 1, last - 1);
}

/* The model gives the box's bits on inputs of any size, also where sums overflow or underflow; of
 * squares every other four rows have the squares there. */
static bool replays(const box *b, size_t n, const accord_record *record, accordi_rng *rng)
{
    enum { ROWS = 40 };
    const accord_format_info *info = accord_format_get(b->terms);
    const accord_model model = {record->tree, record->arithmetic};
    int low = info->min_exponent - info->precision, span = info->max_exponent - low;
    float *x = accordi_alloc(n, sizeof *x);
    bool good = true;
    for (int r = 0; r < ROWS && good; r++) {
        const void *row = x;
        double got = NAN;
        int at = r % 4 ? low + (int)accordi_rng_below(rng, (uint64_t)span) : info->max_exponent - 1;
        at = squares(b) && r & 4 ? (at - 1) / 2 : at;
        for (size_t i = 0; i < n; i++) {
            double v = ldexp(1 + accordi_rng_unit(rng), at + (int)accordi_rng_below(rng, 2));
            v = accord_format_round(b->terms, ACCORD_TOWARD_ZERO, v);
            x[i] = (float)(accordi_rng_below(rng, 2) ? -v : v);
        }
        if (r % 8 == 0 && !squares(b) && n > 1)
            put_past_greatest(b, x, n, rng);
        const accord_rows rows = {.rows = 1, .x = &row, .is_f32 = true};
        assert_int_equal(accord_model_replay(&model, &rows, &got, NULL), ACCORD_OK);
        double due = answer(b, x, n);
        good = due == got ? signbit(due) == signbit(got) : due != due && got != got;
    }
    free(x);
    return good;
}

/* Few terms of one sign may be refused, where their sum is wider than the result. */
static bool holds(const box *b, size_t n, uint64_t most_calls, uint64_t seed)
{
    enum { FEW = 8 };
    static const accord_target_kind kind = {.name = "box", .notation = "box", .run = run};
    static char name[] = "box";
    accord_target target = {.kind = &kind,
                            .state = (void *)(uintptr_t)b,
                            .notation = name,
                            .n = n,
                            .format = b->terms,
                            .storage_f32 = true,
                            .output = b->terms,
                            .rows = 1,
                            .columns = 1,
                            .alpha = 1};
    accord_record record;
    accord_error error = {.status = ACCORD_OK};
    accord_reveal_options options;
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    accord_reveal_options_init(&options);
    options.seed = seed;
    accordi_record_init(&record);
    enum accord_status status = accord_reveal(&target, &options, &record, &error);
    bool few = b->kind >= SQUARES && n < FEW && b->sums != b->terms;
    bool told = !status && record.arithmetic && replays(b, n, &record, &rng);
    bool refused = status == ACCORD_UNABLE && error.reason == ACCORD_REASON_OUT_OF_RANGE;
    bool good = (told || (few && refused)) && target.calls <= most_calls;
    bool root = told && record.arithmetic->finish >= ACCORD_FINISH_ROOT;
    if (root && record.scale != 1) { /* a root is no multiple of a sum */
        printf("# a root has the scale %g\n", record.scale);
        good = false;
    }
    if (!good)
        printf("# seed %" PRIu64 ", kind %d, %s in %s, n %zu: %" PRIu64 " calls, %s\n", seed,
               (int)b->kind, accord_format_get(b->terms)->name, accord_format_get(b->sums)->name, n,
               target.calls, status ? error.text : record.verdict);
    accord_record_clear(&record);
    return good;
}

static void test_boxes(void **state)
{
    (void)state;
    static const struct {
        enum accord_format terms, sums;
        bool flushes; /* where terms are of one sign; test_reveal has the others */
    } formats[] = {{ACCORD_F32, ACCORD_F32, false}, {ACCORD_F16, ACCORD_F32, false},
                   {ACCORD_F16, ACCORD_F16, false}, {ACCORD_BF16, ACCORD_F32, false},
                   {ACCORD_F32, ACCORD_F64, false}, {ACCORD_F32, ACCORD_F32, true},
                   {ACCORD_BF16, ACCORD_F32, true}};
    /* At scale 1 one of so many counts, others with each seed; odd, so that each kind and format
     * meets both orders. */
    enum { MOST = 40, EVERY = 9 };
    uint64_t seed = trials_seed();
    size_t wrong = 0, cases = 0, step = trials(1) >= EVERY ? 1 : EVERY;
    for (int k = 0; k < KINDS; k++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            bool flushes = formats[f].flushes && k >= SQUARES;
            if (formats[f].flushes && !flushes)
                continue;
            for (size_t n = 1 + (seed + (size_t)k + f) % step; n <= MOST;
                 n += flushes ? 2 * step : step) {
                if (!trial_runs(cases++, seed))
                    continue;
                box b = {.kind = (enum kind)k,
                         .terms = formats[f].terms,
                         .sums = formats[f].sums,
                         .pairwise = (n + f) % 2,
                         .flushes = flushes,
                         .value = accordi_alloc(n, sizeof(double))};
                wrong += !holds(&b, n, 30000, seed + n);
                free(b.value);
            }
        }
    assert_int_equal(wrong, 0);
}

/* The result tells few units from each other: single terms are asked about. */
static void test_long_means(void **state)
{
    (void)state;
    box b = {.kind = MEAN, .terms = ACCORD_F16, .sums = ACCORD_F32, .pairwise = true};
    b.value = accordi_alloc(1000, sizeof(double));
    assert_true(holds(&b, 1000, 30000, trials_seed()));
    free(b.value);
}

/* Where the number of terms is a power of two, that the sum is a result first shows only at the
 * ends of the range. */
static void test_means_of_results(void **state)
{
    (void)state;
    box b = {.kind = MEAN_OF_RESULT, .terms = ACCORD_BF16, .sums = ACCORD_F32};
    b.value = accordi_alloc(32, sizeof(double));
    size_t wrong = 0;
    for (size_t t = 0; t < trials(48); t++)
        wrong += !holds(&b, t % 2 ? 16 : 32, 30000, trials_seed() + t);
    assert_int_equal(wrong, 0);
    free(b.value);
}

/* The negative of a sum that starts at +0, of few terms and of many. */
static double turned(void *context, const void *x, size_t n)
{
    float sum = 0;
    (void)context;
    for (size_t i = 0; i < n; i++)
        sum += ((const float *)x)[i];
    return -sum;
}

static void test_turned(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 3, 9};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        accord_record record;
        accord_error error;
        accord_target *target = NULL;
        assert_int_equal(
            accord_target_from_callback(turned, NULL, counts[i], true, &target, &error), ACCORD_OK);
        accordi_record_init(&record);
        assert_int_equal(accord_reveal(target, NULL, &record, &error), ACCORD_OK);
        assert_true(record.proven);
        for (int signs = 0; signs < 4; signs++) {
            float x[9];
            double due = 0;
            const void *row = x;
            const accord_model model = {record.tree, record.arithmetic};
            for (size_t k = 0; k < counts[i]; k++)
                x[k] = (k ? signs & 2 : signs & 1) ? -0.0f : 0.0f;
            const accord_rows rows = {.rows = 1, .x = &row, .is_f32 = true};
            assert_int_equal(accord_model_replay(&model, &rows, &due, &error), ACCORD_OK);
            assert_true(due == 0 && signbit(due));
        }
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

/* A factor that has all bits of f32, of few terms and of many. */
static double scaled(void *context, const void *x, size_t n)
{
    float sum = ((const float *)x)[0];
    for (size_t i = 1; i < n; i++)
        sum += ((const float *)x)[i];
    return sum * *(const float *)context;
}

static void test_scaled(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 3, 9};
    static float factors[] = {0.37f, -0x1.234568p-3f, 0x1.fffffep+1f};
    for (size_t i = 0; i < 12; i++) {
        accord_record record;
        accord_error error;
        accord_target *target = NULL;
        float *factor = &factors[i % 3];
        assert_int_equal(
            accord_target_from_callback(scaled, factor, counts[i / 3], true, &target, &error),
            ACCORD_OK);
        accordi_record_init(&record);
        assert_int_equal(accord_reveal(target, NULL, &record, &error), ACCORD_OK);
        assert_true(record.proven && record.arithmetic->factor == (double)*factor);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

/* Means of two numbers, whose sum may be wider than they are and show that past their greatest
 * number alone. */
static void test_two_terms(void **state)
{
    (void)state;
    static const enum accord_format formats[] = {ACCORD_BF16, ACCORD_F16};
    double value[2];
    uint64_t seed = trials_seed();
    for (size_t t = 0; t < trials_at_least(8); t++) {
        bool wide = t / 2 % 2;
        enum accord_format terms = formats[t % 2];
        box b = {.kind = t / 4 % 2 ? MEAN_OF_RESULT : MEAN,
                 .terms = terms,
                 .sums = wide ? ACCORD_F32 : terms,
                 .value = value};
        assert_true(holds(&b, 2, 30000, seed + t));
    }
}

/* Means of a format whose results have few bits are proven, or refused for that, and not because
 * 1/33 is rounded. */
static void test_few_bits(void **state)
{
    (void)state;
    static const enum accord_format formats[] = {ACCORD_E5M2, ACCORD_E4M3};
    static const size_t counts[] = {3, 9, 33, 100};
    double value[100];
    for (size_t i = 0; i < 8; i++) {
        counted c = {{.kind = MEAN, .terms = formats[i % 2], .sums = ACCORD_F32, .value = value},
                     counts[i / 2]};
        accord_grid_callback how = {.call = answer_grid,
                                    .context = &c,
                                    .rows = 1,
                                    .columns = 1,
                                    .n = c.n,
                                    .term = ACCORD_TERM_VALUE,
                                    .is_f32 = true};
        accord_target *target = NULL;
        accord_record record;
        accord_error error = {.status = ACCORD_OK};
        accordi_rng rng;
        accordi_rng_init(&rng, i);
        assert_int_equal(accord_target_from_grid(&how, &target, &error), ACCORD_OK);
        target->format = target->output = c.b.terms;
        accordi_record_init(&record);
        if (accord_reveal(target, NULL, &record, &error))
            assert_int_equal(error.reason, ACCORD_REASON_OUT_OF_RANGE);
        else
            assert_true(replays(&c.b, c.n, &record, &rng));
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_long_means),
        cmocka_unit_test(test_means_of_results),
        cmocka_unit_test(test_turned),
        cmocka_unit_test(test_scaled),
        cmocka_unit_test(test_two_terms),
        cmocka_unit_test(test_few_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
