/* Elements that depend on the operands of others: scales, statistics and exponents over a whole
 * batch. Boxes of several shapes, alone, in maps and element by element; plain ones must pass. */
#include "map/map.h"
#include "record/record.h"
#include "trials.h"
#include <accord/accord.h>
#include <accord/map.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

enum ways {
    PLAIN,        /* each element by itself */
    BY_ROW,       /* scaled by the largest number of its own row: an element's own affair */
    BY_BATCH,     /* by the largest number of all */
    QUANTISED,    /* a grid of 2^-20 times a power of two that suits the largest number of all */
    CENTERED,     /* the mean of all rows is taken away, and added again at the end */
    THRESHOLD,    /* another order as soon as one number anywhere exceeds 1000 */
    BY_COLUMN,    /* scaled by the largest second factor of all columns */
    ONE_NEIGHBOR, /* the row before is added and taken away again */
    NOT_ALIKE,    /* another order unless all rows are the same */
    NOT_ONES,     /* another order unless all other rows hold ones, as they do beside probes */
    ALL_ZEROS,    /* another order where all other rows hold zeros */
    NOT_ONES_WIDE /* the same of sums in f64, whose order ordinary numbers hardly show */
};

typedef struct box {
    enum ways way;
    size_t rows, columns, n;
    bool products;
} box;

static float greatest(const float *x, size_t count)
{
    float most = 0;
    for (size_t i = 0; i < count; i++)
        most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    return most > 0 && isfinite(most) ? most : 1;
}

static float wide_sum_up(const float *x, const float *y, size_t n, bool reversed)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = reversed ? n - 1 - i : i;
        sum += (double)x[k] * (y ? (double)y[k] : 1);
    }
    return (float)sum;
}

static float sum_up(const float *x, const float *y, size_t n, bool reversed, float by)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = reversed ? n - 1 - i : i;
        sum += x[k] / by * (y ? y[k] : 1);
    }
    return sum * by;
}

/* Is there another row that differs from row r, or from a row of this value? */
static bool others_differ(const box *b, const float *a, size_t r, const float *value)
{
    for (size_t i = 0; i < b->rows * b->n; i++)
        if (i / b->n != r && a[i] != (value ? *value : a[r * b->n + i % b->n]))
            return true;
    return false;
}

static float element(const box *b, const float *a, const float *all_b, size_t r, size_t c)
{
    const float *x = a + r * b->n, *y = b->products ? all_b + c * b->n : NULL;
    const float one = 1, zero = 0;
    float most = greatest(a, b->rows * b->n), sum = 0;
    switch (b->way) {
    case PLAIN:
        return sum_up(x, y, b->n, false, 1);
    case BY_ROW:
        return sum_up(x, y, b->n, false, greatest(x, b->n));
    case BY_BATCH:
        return sum_up(x, y, b->n, false, most);
    case QUANTISED: {
        float grid = ldexpf(1, ilogbf(most) - 20);
        for (size_t k = 0; k < b->n; k++)
            sum += rintf(x[k] / grid) * grid * (y ? y[k] : 1);
        return sum;
    }
    case CENTERED: {
        float mean = sum_up(a, NULL, b->rows * b->n, false, 1) / (float)(b->rows * b->n);
        for (size_t k = 0; k < b->n; k++)
            sum += x[k] - mean;
        return sum + mean * (float)b->n;
    }
    case THRESHOLD:
        return sum_up(x, y, b->n, most > 1000, 1);
    case BY_COLUMN: {
        float by = greatest(all_b, b->columns * b->n);
        for (size_t k = 0; k < b->n; k++)
            sum += x[k] * (y[k] / by);
        return sum * by;
    }
    case ONE_NEIGHBOR: {
        float other = r > 0 ? a[(r - 1) * b->n] : 0;
        return sum_up(x, y, b->n, false, 1) + other - other;
    }
    case NOT_ALIKE:
    case NOT_ONES:
        return sum_up(x, y, b->n, others_differ(b, a, r, b->way == NOT_ONES ? &one : NULL), 1);
    case ALL_ZEROS:
        return sum_up(x, y, b->n, !others_differ(b, a, r, &zero), 1);
    case NOT_ONES_WIDE:
        return wide_sum_up(x, y, b->n, others_differ(b, a, r, &one));
    }
    return sum;
}

static void call(void *context, const accord_grid *grid, double *results)
{
    const box *b = context;
    for (size_t r = 0; r < b->rows; r++)
        for (size_t c = 0; c < b->columns; c++)
            results[r * b->columns + c] = (double)element(b, grid->a, grid->b, r, c);
}

enum { REVEAL, MAP, ELEMENT, VERBS };

static enum accord_status ask(box *b, int verb, accord_record *record, accord_error *error)
{
    accord_target *target = NULL;
    accord_map map;
    const accord_grid_callback how = {.call = call,
                                      .context = b,
                                      .rows = b->rows,
                                      .columns = b->columns,
                                      .n = b->n,
                                      .term = b->products ? ACCORD_TERM_PRODUCT : ACCORD_TERM_VALUE,
                                      .is_f32 = true,
                                      .row = b->rows - 1,
                                      .column = b->columns - 1};
    accordi_map_init(&map);
    assert_int_equal(accord_target_from_grid(&how, &target, error), ACCORD_OK);
    enum accord_status status =
        verb == REVEAL ? accord_reveal(target, NULL, record, error)
        : verb == MAP
            ? accord_map_reveal(target, NULL, &map, error)
            : accord_map_reveal_element(target, NULL, b->rows - 1, b->columns - 1, record, error);
    accord_map_clear(&map);
    accord_target_close(target);
    return status;
}

static const struct shape {
    size_t rows, columns, n;
    bool products;
} shapes[] = {{2, 1, 12, false}, {3, 1, 40, false}, {17, 1, 12, false}, {2, 1, 30, true},
              {1, 5, 12, true},  {3, 4, 12, true},  {8, 8, 40, true}};

static bool depends(enum ways way, const struct shape *s)
{
    return way == BY_BATCH || way == QUANTISED || way == CENTERED || way == THRESHOLD
               ? s->rows > 1
               : (way == BY_COLUMN && s->columns > 1) || way >= ONE_NEIGHBOR;
}

/* Below scale 1, some ways in some shapes. */
static void test_company(void **state)
{
    uint64_t seed = trials_seed();
    (void)state;
    for (enum ways way = PLAIN; way <= NOT_ONES_WIDE; way++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            for (int verb = 0; verb < VERBS && trial_runs(way + i, seed); verb++) {
                const struct shape *s = &shapes[i];
                box b = {way, s->rows, s->columns, s->n, s->products};
                if ((way == BY_COLUMN && !s->products) || (way >= ONE_NEIGHBOR && s->rows < 2) ||
                    (way == NOT_ONES_WIDE && verb != REVEAL) || (way == CENTERED && s->products))
                    continue;
                accord_record record;
                accord_error error = {.status = ACCORD_OK};
                accordi_record_init(&record);
                enum accord_status status = ask(&b, verb, &record, &error);
                if (depends(way, s)) {
                    assert_int_equal(status, ACCORD_UNABLE);
                    assert_int_equal(error.reason, ACCORD_REASON_READS_OTHERS);
                } else {
                    assert_int_not_equal(error.reason, ACCORD_REASON_READS_OTHERS);
                    assert_true(way != PLAIN || status == ACCORD_OK);
                }
                accord_record_clear(&record);
            }
}

/* What others have a say in is never called the same. */
static void test_comparing(void **state)
{
    (void)state;
    accord_record alone, few, many, plain;
    accord_error error;
    accord_comparison why;
    box b = {BY_BATCH, 1, 1, 12, false};
    accordi_record_init(&alone);
    accordi_record_init(&few);
    accordi_record_init(&many);
    accordi_record_init(&plain);
    ask(&b, ELEMENT, &alone, &error);
    b.rows = 2;
    ask(&b, ELEMENT, &few, &error);
    b.rows = 3;
    ask(&b, ELEMENT, &many, &error);
    b.way = PLAIN;
    assert_int_equal(ask(&b, ELEMENT, &plain, &error), ACCORD_OK);
    assert_int_equal(accord_record_compare(&few, &many, ACCORD_COMPARE_TERMS, &why),
                     ACCORD_CANNOT_TELL);
    assert_non_null(strstr(why.text, "operands of other elements"));
    assert_int_equal(accord_record_compare(&plain, &many, ACCORD_COMPARE_TERMS, &why),
                     ACCORD_DIFFERS);
    enum accord_sameness sameness = accord_record_compare(&alone, &few, ACCORD_COMPARE_TERMS, &why);
    assert_true(sameness == ACCORD_DIFFERS || sameness == ACCORD_CANNOT_TELL);
    accord_record_clear(&alone);
    accord_record_clear(&few);
    accord_record_clear(&many);
    accord_record_clear(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_company),
                                       cmocka_unit_test(test_comparing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
