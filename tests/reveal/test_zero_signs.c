/* Zeros that libraries add in one part of a sum and not in another: accumulators that nothing was
 * added to, lanes that start with a fused +0, blocks that start at +0 beside a tail that starts
 * with its first product. They change the sign of a zero alone. The boxes compute with float and
 * double. What is revealed of them gives their bits on inputs with products that are zero or too
 * small, with either sign, and on ordinary ones; of a few boxes the sign of some zeros is not
 * found, since one combination of such products alone would show it. */
#include "lay_out.h"
#include "record/record.h"
#include "targets/target.h"
#include "trials.h"
#include <accord/reveal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 40 };

/* How a lane takes its first product. */
enum first { BARE, ADDED, FUSED };

typedef struct box {
    bool is_f32, fused_lanes, fused_alpha;
    bool empty; /* the sum of the lanes is added to an empty accumulator */
    bool start;
    enum first first;
    size_t n, lanes, tail; /* n: with the start value */
    double alpha, beta;
} box;

static double times(const box *b, double x, double y)
{
    return b->is_f32 ? (double)((float)x * (float)y) : x * y;
}

static double plus(const box *b, double x, double y)
{
    return b->is_f32 ? (double)((float)x + (float)y) : x + y;
}

static double fused(const box *b, double x, double y, double z)
{
    return b->is_f32 ? (double)fmaf((float)x, (float)y, (float)z) : fma(x, y, z);
}

static double first_of_lane(const box *b, double x, double y)
{
    double product = times(b, x, y);
    return b->first == FUSED ? fused(b, x, y, 0) : b->first == ADDED ? product + 0.0 : product;
}

static double body(const box *b, size_t count, const double *x, const double *y)
{
    double lane[MOST], sum;
    for (size_t i = 0; i < count; i++) {
        double *at = &lane[i % b->lanes];
        *at = i < b->lanes     ? first_of_lane(b, x[i], y[i])
              : b->fused_lanes ? fused(b, x[i], y[i], *at)
                               : plus(b, *at, times(b, x[i], y[i]));
    }
    sum = lane[0];
    for (size_t l = 1; l < b->lanes; l++)
        sum = plus(b, sum, lane[l]);
    return b->empty ? sum + 0.0 : sum;
}

/* y += alpha * (the lanes), then y += x * (alpha * y) for each product of the tail. */
static double value_of(const box *b, const double *x, const double *y)
{
    size_t terms = b->n - b->start, count = terms - b->tail;
    double sum = body(b, count, x, y), old = b->start ? times(b, b->beta, x[b->n - 1]) : 0;
    if (b->alpha == 1)
        sum = plus(b, sum, old);
    else
        sum = b->fused_alpha ? fused(b, b->alpha, sum, old) : plus(b, times(b, b->alpha, sum), old);
    for (size_t i = count; i < terms; i++)
        sum = fused(b, x[i], times(b, b->alpha, y[i]), sum);
    return sum;
}

/* ---- as a target ---- */

static enum accord_status run(accord_target *target, const accord_batch *batch, double *result,
                              accord_error *error)
{
    box now = *(const box *)target->state;
    size_t n = target->n;
    double *x = lay_out(n, batch), y[MOST];
    (void)error;
    now.alpha = target->alpha;
    now.beta = target->beta;
    for (size_t p = 0; p < batch->probes; p++) {
        for (size_t i = 0; i < n; i++)
            y[i] = batch->dense_second  ? ((const double *)batch->dense_second)[p * n + i]
                   : batch->second != 0 ? batch->second
                                        : 1;
        result[p] = value_of(&now, x + p * n, y);
    }
    free(x);
    return ACCORD_OK;
}

static accord_target open_box(box *b)
{
    static const accord_target_kind kind = {.name = "box", .notation = "box", .run = run};
    static char name[] = "box";
    enum accord_format format = b->is_f32 ? ACCORD_F32 : ACCORD_F64;
    return (accord_target){.kind = &kind,
                           .state = b,
                           .notation = name,
                           .n = b->n,
                           .format = format,
                           .output = format,
                           .term = ACCORD_TERM_PRODUCT,
                           .rows = 1,
                           .columns = 1,
                           .alpha = b->alpha,
                           .beta = b->beta,
                           .has_start = b->start};
}

/* ---- the trials ---- */

static double draw_factor(accordi_rng *rng, bool is_f32)
{
    static const double factors[] = {1, -1, 2, 0.5, 1.3, -0.4, 0.1, -0.7};
    double x = factors[accordi_rng_below(rng, 8)];
    return is_f32 ? (double)(float)x : x;
}

static box draw_box(accordi_rng *rng)
{
    box b = {.is_f32 = accordi_rng_below(rng, 2),
             .fused_lanes = accordi_rng_below(rng, 2),
             .fused_alpha = accordi_rng_below(rng, 2),
             .empty = accordi_rng_below(rng, 2),
             .start = accordi_rng_below(rng, 2),
             .first = (enum first)accordi_rng_below(rng, 3),
             .lanes = 1 + (size_t)accordi_rng_below(rng, 8),
             .tail = accordi_rng_below(rng, 2) ? (size_t)accordi_rng_below(rng, 4) : 0};
    b.n = b.lanes * (1 + (size_t)accordi_rng_below(rng, 3)) + b.tail + b.start;
    b.n += b.n == 1 + (size_t)b.start; /* not a single product */
    b.alpha = draw_factor(rng, b.is_f32);
    b.beta = b.start ? draw_factor(rng, b.is_f32) : 0;
    return b;
}

/* An operand: one of a few sizes, so that products are zero, too small, subnormal or normal. */
static double draw_operand(accordi_rng *rng, const box *b, int kind)
{
    const accord_format_info *info = accord_format_get(b->is_f32 ? ACCORD_F32 : ACCORD_F64);
    double small = ldexp(1, (info->min_exponent - info->precision) / 2);
    double size = kind == 0 ? 1 : kind == 1 ? small : kind == 2 ? 0 : info->least;
    double v = size * (kind % 2 ? 1 : 1 + accordi_rng_unit(rng));
    v = accord_format_round(b->is_f32 ? ACCORD_F32 : ACCORD_F64, ACCORD_NEAREST_EVEN, v);
    return accordi_rng_below(rng, 2) ? -v : v;
}

/* Signs are mostly those of products below zero: sums that are -0 are rare otherwise. */
static void draw_row(accordi_rng *rng, const box *b, double *x, double *y)
{
    int usual = (int)accordi_rng_below(rng, 4), other = (int)accordi_rng_below(rng, 4);
    bool minus = accordi_rng_below(rng, 4) > 0;
    size_t from = (size_t)accordi_rng_below(rng, b->n), to = (size_t)accordi_rng_below(rng, b->n);
    for (size_t i = 0; i < b->n; i++) {
        bool inside = i >= from && i <= to;
        x[i] = draw_operand(rng, b, inside ? other : usual);
        y[i] = draw_operand(rng, b, inside ? other : usual);
        if (minus)
            x[i] = copysign(x[i], signbit(y[i]) ? 1 : -1);
    }
    if (b->start && accordi_rng_below(rng, 2))
        x[b->n - 1] = accordi_rng_below(rng, 2) ? 0.0 : -0.0;
}

/* How many of the rows the model gets wrong: in the sign of a zero alone, and else. */
static void compare(accordi_rng *rng, const box *b, const accord_record *record, size_t *zeros,
                    size_t *numbers)
{
    enum { ROWS = 4000 };
    const accord_model model = {record->tree, record->arithmetic};
    double x[MOST], y[MOST], got;
    const void *row[2] = {x, y};
    *zeros = *numbers = 0;
    for (int r = 0; r < ROWS; r++) {
        draw_row(rng, b, x, y);
        double due = value_of(b, x, y);
        const accord_rows rows = {
            .rows = 1, .x = row, .y = row + 1, .start = b->start ? &x[b->n - 1] : NULL};
        assert_int_equal(accord_model_replay(&model, &rows, &got, NULL), ACCORD_OK);
        bool other = memcmp(&due, &got, sizeof due) != 0;
        *zeros += other && due == got;
        *numbers += other && due != got;
    }
}

static void print_box(const box *b, const char *what, const char *verdict)
{
    printf("# %s: %s, n %zu, lanes %zu %s, first %s%s, tail %zu, alpha %g%s, beta %g: %s\n", what,
           b->is_f32 ? "f32" : "f64", b->n, b->lanes, b->fused_lanes ? "fused" : "rounded",
           b->first == BARE    ? "bare"
           : b->first == ADDED ? "added"
                               : "fused",
           b->empty ? ", an empty accumulator" : "", b->tail, b->alpha,
           b->fused_alpha ? " fused" : "", b->beta, verdict ? verdict : "");
}

static void test_boxes(void **state)
{
    (void)state;
    size_t count = trials(100), others = 0, untold = 0, refused = 0, wrong = 0;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t t = 0; t < count; t++) {
        box b = draw_box(&rng);
        accord_target target = open_box(&b);
        accord_reveal_options options;
        accord_record record;
        accord_error error = {.status = ACCORD_OK};
        size_t zeros = 0, numbers = 0;
        accord_reveal_options_init(&options);
        accordi_record_init(&record);
        options.seed = accordi_rng_next(&rng);
        if (accord_reveal(&target, &options, &record, &error) || !record.proven) {
            refused++;
            print_box(&b, "refused", record.verdict ? record.verdict : error.text);
        } else {
            compare(&rng, &b, &record, &zeros, &numbers);
            bool told = record.verdict && strstr(record.verdict, "opposite sign");
            others += zeros > 0 && told;
            untold += zeros > 0 && !told;
            wrong += numbers > 0;
            if (zeros > 0 || numbers > 0)
                print_box(&b, numbers ? "wrong" : told ? "told" : "untold", record.verdict);
        }
        accord_record_clear(&record);
    }
    printf("# of %zu boxes %zu refused, %zu wrong, %zu with other zeros, %zu untold\n", count,
           refused, wrong, others, untold);
    assert_int_equal(wrong, 0);
    assert_true(refused * 25 <= count);
    assert_int_equal(untold, 0);
    /* Of a thousand boxes 36 had others. Five more than one in twelve leave room for chance
     * where there are few. */
    assert_true(others * 12 <= count + 60);
}

/* A +0 that a lane's only product is fused with shows where all other lanes hold products that are
 * too small, and the products of the tail are -0: it was told for about half of the seeds. */
static void test_lanes_of_one_product(void **state)
{
    (void)state;
    static const box boxes[] = {
        {.first = FUSED, .n = 11, .lanes = 7, .tail = 3, .start = true, .alpha = 0.5, .beta = 1},
        {.first = FUSED, .n = 9, .lanes = 7, .tail = 1, .start = true, .alpha = 0.1, .beta = -1}};
    for (size_t t = 0; t < trials_at_least(8); t++) {
        box b = boxes[t % 2];
        accord_target target = open_box(&b);
        accord_reveal_options options;
        accord_record record;
        accordi_rng rng;
        size_t zeros = 0, numbers = 0;
        accordi_rng_init(&rng, trials_seed() + t);
        accord_reveal_options_init(&options);
        accordi_record_init(&record);
        options.seed = accordi_rng_next(&rng);
        assert_int_equal(accord_reveal(&target, &options, &record, NULL), ACCORD_OK);
        assert_true(record.proven);
        compare(&rng, &b, &record, &zeros, &numbers);
        assert_int_equal(zeros, 0);
        assert_int_equal(numbers, 0);
        accord_record_clear(&record);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes),
                                       cmocka_unit_test(test_lanes_of_one_product)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
