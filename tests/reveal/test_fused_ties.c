/* Fused multiply-adds of narrow formats, and sums that stand for them: code that adds f16, bf16 or
 * tf32 in f32 takes products unrounded, too, but rounds each sum twice. The two differ only where
 * f32 makes a tie of a sum that is next to one. Each is found, in lanes of any number. */
#include "base/base.h"
#include "trials.h"
#include <accord/accord.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 150 };

typedef struct box {
    enum accord_format format;
    bool twice;
    size_t n, lanes;
} box;

static double narrowed(const box *b, double value)
{
    return accord_format_round(b->format, ACCORD_NEAREST_EVEN, value);
}

/* x * y + sum of numbers of at most 11 bits: f64 holds the product, TwoSum what it loses of the
 * sum, and a sum that is rounded to odd is rounded once more as if it were exact. */
static double multiply_add(const box *b, double x, double y, double sum)
{
    double product = x * y, whole = product + sum, part = whole - product;
    double rest = (product - (whole - part)) + (sum - part);
    if (b->twice)
        return narrowed(b, (double)fmaf((float)x, (float)y, (float)sum));
    uint64_t bits;
    memcpy(&bits, &whole, sizeof bits);
    if (rest != 0 && bits % 2 == 0)
        whole = nextafter(whole, rest > 0 ? INFINITY : -INFINITY);
    return narrowed(b, whole);
}

static double value_of(const box *b, const float *x, const float *y)
{
    double lane[MOST] = {0};
    for (size_t i = 0; i < b->n; i++)
        lane[i % b->lanes] = multiply_add(b, (double)x[i], (double)y[i], lane[i % b->lanes]);
    for (size_t k = 1; k < b->lanes; k++)
        lane[0] = narrowed(b, lane[0] + lane[k]);
    return lane[0];
}

static void call(void *context, const accord_grid *grid, double *result)
{
    *result = value_of(context, grid->a, grid->b);
}

/* Small whole numbers, whose products are ties, and numbers far below them. */
static void draw(const box *b, accordi_rng *rng, float *x, float *y)
{
    int most = accord_format_get(b->format)->precision - 1;
    for (size_t i = 0; i < b->n; i++) {
        bool far = accordi_rng_below(rng, 4) > 0;
        int scale = far ? -26 + (int)accordi_rng_below(rng, 16) : 0;
        double whole = (double)accordi_rng_below(rng, (uint64_t)1 << most);
        x[i] = (float)narrowed(b, far ? ldexp(1, scale / 2) : whole);
        y[i] = (float)narrowed(b, far ? ldexp(1, scale - scale / 2) : 3);
        x[i] *= accordi_rng_below(rng, 2) ? 1 : -1;
    }
}

static size_t differing(const box *b, uint64_t seed, const accord_record *record)
{
    enum { ROWS = 4000 };
    const accord_model model = {record->tree, record->arithmetic};
    float x[MOST], y[MOST];
    const void *row[2] = {x, y};
    const accord_rows rows = {.rows = 1, .x = &row[0], .y = &row[1], .is_f32 = true};
    accordi_rng rng;
    size_t wrong = 0;
    accordi_rng_init(&rng, seed);
    for (int i = 0; i < ROWS; i++) {
        double got;
        draw(b, &rng, x, y);
        assert_int_equal(accord_model_replay(&model, &rows, &got, NULL), ACCORD_OK);
        wrong += got != value_of(b, x, y);
    }
    return wrong;
}

/* Is it found? What is proven is right. No model has words for a first product that is rounded
 * twice, which happens where it is subnormal in f32 and the format has the range of f32. */
static bool check(box b, uint64_t seed)
{
    bool must = !b.twice || b.format == ACCORD_F16;
    accord_target *target = NULL;
    accord_record *record = accord_record_new();
    accord_error error = {.text = ""};
    accord_reveal_options options;
    const accord_grid_callback how = {.call = call,
                                      .context = &b,
                                      .rows = 1,
                                      .columns = 1,
                                      .n = b.n,
                                      .term = ACCORD_TERM_PRODUCT,
                                      .is_f32 = true};
    accord_reveal_options_init(&options);
    options.seed = seed;
    assert_int_equal(accord_target_from_grid(&how, &target, NULL), ACCORD_OK);
    target->format = target->output = b.format;
    enum accord_status status = accord_reveal(target, &options, record, &error);
    bool found = !status && record->proven;
    if (must && !found)
        print_message("# format %d, twice %d, n %zu, %zu lanes: %s\n", (int)b.format, b.twice, b.n,
                      b.lanes, record->verdict ? record->verdict : error.text);
    assert_true(found || !must);
    assert_true(!found || differing(&b, seed, record) == 0);
    accord_record_free(record);
    accord_target_close(target);
    return found;
}

static void test_formats(void **state)
{
    (void)state;
    static const enum accord_format formats[] = {ACCORD_F16, ACCORD_BF16, ACCORD_TF32};
    static const size_t counts[] = {2, 3, 7, 33, 150};
    uint64_t seed = trials_seed();
    size_t all = 0, found = 0;
    for (size_t i = 0; i < 2 * 3 * 5; i++)
        if (trial_runs(i, seed)) {
            size_t n = counts[i / 6], lanes = n > 7 ? 1 + (i + seed) % 6 : 1;
            found += check((box){formats[i / 2 % 3], i % 2, n, lanes}, seed + i);
            all++;
        }
    printf("# of %zu sums %zu are found\n", all, found);
    assert_true(4 * found >= 3 * all || !trials_are_all());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
