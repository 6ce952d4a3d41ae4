/* What rounds to the least normal number: whether it is flushed depends on when a processor detects
 * that a number is tiny. Boxes of fused and of rounded products, and of values, in f32, in software
 * and by the flush-to-zero mode of x86; some add their sum to +0 at the end, so that a negative sum
 * that is flushed is +0. Rows of a matrix unit, too: the sum of each block of products is added to
 * an accumulator, which is +0 at first, and no later sum may be -0 but one that is flushed. The
 * revealed model must give the bits of the box right there. */
#include "base/base.h"
#include "record/record.h"
#include "trials.h"
#include <accord/accord.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if defined __x86_64__ && defined __GNUC__
#define HAVE_X86
#include <immintrin.h>
#endif

enum ways { ROUNDED_FIRST, BEFORE_ROUNDING, HARDWARE, WAYS, KEPT };

typedef struct box {
    enum ways way;
    bool fused, zero_last;
    size_t n;
    bool values;  /* there is no y */
    bool foreign; /* the same function stands in a shared object */
    size_t block; /* of products at even and at odd places, apart; 0: all one after the other */
} box;

/* x * y + c, exactly two doubles, rounded to f32 and flushed. */
static float software(const box *b, float x, float y, float c)
{
    double p = (double)x * (double)y, sum = p + (double)c, part = sum - p;
    double rest = (p - (sum - part)) + ((double)c - part), least = (double)FLT_MIN;
    float result = b->fused ? fmaf(x, y, c) : x * y + c;
    bool tiny = b->way == KEPT            ? false
                : b->way == ROUNDED_FIRST ? fabsf(result) < FLT_MIN
                                          : fabs(sum) < least || (sum == least && rest < 0) ||
                                                (sum == -least && rest > 0);
    return tiny ? copysignf(0, result) : result;
}

static float in_software(const box *b, const float *x, const float *y)
{
    float sum = 0;
    for (size_t i = 0; i < b->n; i++) {
        float product = b->values || b->fused ? x[i] : software(b, x[i], y[i], 0);
        sum = software(b, product, b->fused ? y[i] : 1, sum);
    }
    return b->zero_last ? sum + 0.0F : sum;
}

/* As AMX adds products of bf16; zeros fill the last pair. */
static float in_blocks(const box *b, const float *x, const float *y)
{
    float sum = 0;
    for (size_t at = 0; at < b->n; at += b->block) {
        float part[2] = {0, 0};
        for (size_t k = at; k < b->n && k < at + b->block; k++)
            part[k % 2] = software(b, x[k], y[k], part[k % 2]);
        if (b->n < at + b->block && b->n % 2)
            part[1] = software(b, 0, 0, part[1]);
        sum = software(b, 1, software(b, 1, part[0], part[1]), sum);
    }
    return sum;
}

#ifdef HAVE_X86
__attribute__((target("fma"))) static float with_fma(const box *b, const float *x, const float *y)
{
    __m128 sum = _mm_setzero_ps();
    for (size_t i = 0; i < b->n; i++)
        sum = _mm_fmadd_ss(_mm_set_ss(x[i]), _mm_set_ss(y[i]), sum);
    return _mm_cvtss_f32(sum);
}

static float in_hardware(const box *b, const float *x, const float *y)
{
    enum { FLUSH_TO_ZERO = 0x8000 };
    unsigned mode = _mm_getcsr();
    volatile float sum = 0;
    _mm_setcsr(mode | FLUSH_TO_ZERO);
    if (b->fused)
        sum = with_fma(b, x, y);
    for (size_t i = 0; i < b->n && !b->fused; i++) {
        volatile float product = b->values ? x[i] : x[i] * y[i];
        sum = sum + product;
    }
    if (b->zero_last)
        sum = sum + 0.0F;
    _mm_setcsr(mode);
    return sum;
}

static bool has_hardware(void)
{
    return __builtin_cpu_supports("fma");
}
#else
static float in_hardware(const box *b, const float *x, const float *y)
{
    return in_software(b, x, y);
}

static bool has_hardware(void)
{
    return false;
}
#endif

static float value_of(const box *b, const float *x, const float *y)
{
    return b->block             ? in_blocks(b, x, y)
           : b->way == HARDWARE ? in_hardware(b, x, y)
                                : in_software(b, x, y);
}

static void call(void *context, const accord_grid *grid, double *result)
{
    *result = (double)value_of(context, grid->a, grid->b);
}

/* Products that round to the least normal number, or to its neighbors, and perhaps another term. */
static void draw(accordi_rng *rng, size_t n, float *x, float *y)
{
    size_t at = accordi_rng_below(rng, n), beside = accordi_rng_below(rng, n);
    for (size_t i = 0; i < n; i++) {
        x[i] = 0;
        y[i] = 1;
    }
    if (accordi_rng_below(rng, 2))
        x[beside] = ldexpf((float)accordi_rng_below(rng, 4), -127);
    x[at] = ldexpf(1 + ldexpf((float)accordi_rng_below(rng, 4096), -23), -60);
    y[at] = FLT_MIN / x[at];
    y[at] *= 1 + ldexpf((float)accordi_rng_below(rng, 3) - 1, -24);
    if (accordi_rng_below(rng, 2))
        x[at] = -x[at];
}

/* Products whose sums are about the least normal number, some of them zero. */
static void draw_small(accordi_rng *rng, size_t n, float *x, float *y)
{
    uint64_t spread = 1 + accordi_rng_below(rng, 8), zeros = accordi_rng_below(rng, 4);
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 2; k++) {
            float v = ldexpf(128 + (float)accordi_rng_below(rng, 128),
                             -70 - (int)accordi_rng_below(rng, spread));
            *(k ? &y[i] : &x[i]) = accordi_rng_below(rng, 2) ? v : -v;
        }
        if (accordi_rng_below(rng, 4) < zeros)
            x[i] = 0;
    }
}

/* Normal values whose sums are subnormal, and perhaps another one. */
static void draw_values(accordi_rng *rng, size_t n, float *x, float *y)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = 0;
        y[i] = 1;
    }
    for (int i = 0; i < 3; i++)
        x[accordi_rng_below(rng, n)] =
            ldexpf((float)accordi_rng_below(rng, 17) - 8, -127 - (int)accordi_rng_below(rng, 3));
}

static size_t differing(const box *b, uint64_t seed, const accord_record *record)
{
    enum { ROWS = 4000, MOST = 32 };
    const accord_model model = {record->tree, record->arithmetic};
    accordi_rng rng;
    size_t wrong = 0;
    float x[MOST], y[MOST];
    const void *row[2] = {x, y};
    const accord_rows rows = {
        .rows = 1, .x = &row[0], .y = b->values ? NULL : &row[1], .is_f32 = true};
    accordi_rng_init(&rng, seed);
    for (int i = 0; i < ROWS; i++) {
        double got;
        (b->values ? draw_values : b->block && i % 2 ? draw_small : draw)(&rng, b->n, x, y);
        float due = value_of(b, x, y), model_gave;
        assert_int_equal(accord_model_replay(&model, &rows, &got, NULL), ACCORD_OK);
        model_gave = (float)got;
        if (memcmp(&due, &model_gave, sizeof due) != 0 && wrong++ == 0)
            print_message("# way %d fused %d n %zu: %a for %a\n", (int)b->way, b->fused, b->n, got,
                          (double)due);
    }
    return wrong;
}

/* Rows of shared objects stand in memory that two processes have in common. */
static accord_target *shared_object(const box *b)
{
    accord_target *target = NULL;
    accord_target_options options;
    char notation[4096];
    accord_target_options_init(&options);
    options.n = b->n;
    options.has_format = true;
    options.format = ACCORD_F32;
    options.signature = b->values ? "sum" : "dot";
    snprintf(notation, sizeof notation, "so:%s/tests/support/boxes/libflushing.so:%s_%s",
             getenv("ACCORD_BUILD"), b->way == KEPT ? "keeping" : "flushing", options.signature);
    assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
    return target;
}

static accord_target *target_of(box *b)
{
    accord_target *target = NULL;
    const accord_grid_callback how = {.call = call,
                                      .context = b,
                                      .rows = 1,
                                      .columns = 1,
                                      .n = b->n,
                                      .term = b->values ? ACCORD_TERM_VALUE : ACCORD_TERM_PRODUCT,
                                      .is_f32 = true};
    assert_int_equal(accord_target_from_grid(&how, &target, NULL), ACCORD_OK);
    return target;
}

static void check(box b, uint64_t seed)
{
    accord_target *target = b.foreign ? shared_object(&b) : target_of(&b);
    accord_record record;
    accord_error error = {.status = ACCORD_OK};
    accord_reveal_options options;
    accord_reveal_options_init(&options);
    options.seed = seed;
    accordi_record_init(&record);
    enum accord_status status = accord_reveal(target, &options, &record, &error);
    if (status || !record.proven)
        print_message("# way %d fused %d zero last %d values %d n %zu: %s\n", (int)b.way, b.fused,
                      b.zero_last, b.values, b.n, record.verdict ? record.verdict : error.text);
    assert_int_equal(status, ACCORD_OK);
    assert_true(record.proven);
    bool told = b.block && strstr(record.verdict, "some sums that are zero have the opposite sign");
    assert_true(told || differing(&b, seed, &record) == 0);
    accord_record_clear(&record);
    accord_target_close(target);
}

static void test_tiny(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    static const size_t counts[] = {2, 3, 5, 16, 24};
    for (int i = 0; i < 4 * WAYS * 5; i++) {
        box b = {.way = (enum ways)(i % WAYS),
                 .fused = i / WAYS % 2,
                 .zero_last = i / WAYS / 2 % 2,
                 .n = counts[i / WAYS / 4]};
        if (trial_runs((size_t)i, seed) && (b.way != HARDWARE || has_hardware()))
            check(b, seed);
    }
}

static void test_values(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    static const size_t counts[] = {2, 3, 7, 24};
    for (int i = 0; i < 2 * WAYS * 4; i++) {
        box b = {.way = (enum ways)(i % WAYS),
                 .zero_last = i / WAYS % 2,
                 .n = counts[i / WAYS / 2],
                 .values = true};
        if (trial_runs((size_t)i, seed) && (b.way != HARDWARE || has_hardware()))
            check(b, seed);
    }
}

static void test_shared_objects(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    static const size_t counts[] = {1, 2, 3, 5, 24};
    for (size_t i = 0; i < 20 && has_hardware() && getenv("ACCORD_BUILD"); i++)
        check((box){.way = i % 2 ? KEPT : HARDWARE,
                    .n = counts[i / 4],
                    .values = i / 2 % 2,
                    .foreign = true},
              seed);
}

static void test_units(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    static const size_t counts[] = {9, 16, 17, 18, 19, 24, 27, 32};
    for (int i = 0; i < 2 * 8; i++) {
        box b = {.way = (enum ways)(i % 2), .fused = true, .n = counts[i / 2], .block = 8};
        if (trial_runs((size_t)i, seed))
            check(b, seed);
    }
}

/* In a thread that flushes, or rounds upward, replays are the same, and no order is revealed. */
static void test_other_threads(void **state)
{
    (void)state;
#ifdef HAVE_X86
    static const unsigned flags[] = {0x8000, 0x40, 0x8040, 0x2000, 0x4000, 0x6000};
    box b = {.way = KEPT, .n = 3, .values = true};
    const uint32_t parent[] = {3, 3, 4, 4, ACCORD_TREE_NO_NODE};
    float x[3] = {0x1p-149F, 0x1p-148F, 1 / 3.0F};
    const void *row[1] = {x};
    const accord_rows rows = {.rows = 1, .x = row, .is_f32 = true};
    accord_model model = {0};
    assert_int_equal(accord_tree_from_parents(3, 2, parent, (accord_tree **)&model.tree, NULL),
                     ACCORD_OK);
    assert_int_equal(accord_arithmetic_plain(ACCORD_TERM_VALUE, ACCORD_F32, ACCORD_F32, ACCORD_F32,
                                             (accord_arithmetic **)&model.arithmetic, NULL),
                     ACCORD_OK);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        accord_target *target = target_of(&b);
        accord_record *record = accord_record_new();
        unsigned mode = _mm_getcsr();
        double third = 0, tiny = 0;
        x[2] = 1 / 3.0F;
        _mm_setcsr(mode | flags[i]);
        enum accord_status status = accord_reveal(target, NULL, record, NULL);
        accord_model_replay(&model, &rows, &third, NULL);
        x[2] = 0;
        accord_model_replay(&model, &rows, &tiny, NULL);
        unsigned after = _mm_getcsr();
        _mm_setcsr(mode);
        assert_int_equal(status, ACCORD_UNSUPPORTED);
        assert_int_equal(after & 0xe040, (mode | flags[i]) & 0xe040);
        assert_true(third == (double)(1 / 3.0F));
        assert_true(tiny == 0x3p-149);
        accord_record_free(record);
        accord_target_close(target);
    }
    accord_tree_free((accord_tree *)model.tree);
    accord_arithmetic_free((accord_arithmetic *)model.arithmetic);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiny), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_shared_objects),
                                       cmocka_unit_test(test_units),
                                       cmocka_unit_test(test_other_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
