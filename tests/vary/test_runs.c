/* One question asked many times: which results come, how often and first in which run; batches;
 * what to expect of a sum. The targets are functions of this program that vary as planned. */
#include "base/base.h"
#include "trials.h"
#include <accord/vary.h>
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- targets that vary as planned ---- */

typedef struct plan {
    size_t calls, each; /* of so many calls the last one adds backwards; 0: none */
    double special;     /* that call gives this instead, unless it is 0 */
    double seen[64];    /* the first terms of all calls */
} plan;

static double planned(void *context, const void *x, size_t n)
{
    plan *p = context;
    const double *term = x;
    double sum = 0;
    bool other = p->each && ++p->calls % p->each == 0;
    if (other && p->special != 0)
        return p->special;
    for (size_t i = 0; i < n; i++)
        sum += term[other ? n - 1 - i : i];
    return sum;
}

static accord_variation *vary(plan *p, size_t n, accord_vary_options *options)
{
    accord_target *target = NULL;
    accord_variation *v = NULL;
    accord_error error;
    assert_int_equal(accord_target_from_callback(planned, p, n, false, &target, NULL), ACCORD_OK);
    if (accord_vary(target, options, &v, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    accord_target_close(target);
    return v;
}

static void test_steady(void **state)
{
    (void)state;
    plan p = {0};
    accord_vary_options options;
    accord_vary_options_init(&options);
    options.runs = 20;
    options.kinds = "normal,positive,cancelling";
    options.samples = 2;
    accord_variation *v = vary(&p, 50, &options);
    assert_int_equal(v->outcomes, 1);
    assert_int_equal(v->inputs, 6);
    assert_int_equal(v->elements, 6);
    assert_int_equal(v->varying, 0);
    assert_int_equal(v->outcome[0].count, 20);
    assert_true(v->setting[0]->replays && v->setting[0]->proven);
    assert_true(v->setting[0]->summary->entropy == 0 && v->spread == 0);
    assert_true(fabs(v->outcome[0].value - v->expected.exact) <= v->expected.bound);
    accord_variation_free(v);
}

static void test_varying(void **state)
{
    (void)state;
    plan p = {.each = 7};
    accord_vary_options options;
    accord_vary_options_init(&options);
    options.runs = 100;
    options.seed = 3;
    accord_variation *v = vary(&p, 200, &options);
    const accord_vary_setting *s = v->setting[0];
    assert_int_equal(v->outcomes, 2);
    assert_int_equal(v->outcome[1].count, 14);
    assert_int_equal(v->outcome[1].first, 6);
    assert_true(v->outcome[1].vc == 1 && v->outcome[1].vermv > 0 && v->outcome[0].vermv == 0);
    assert_true(s->varies && !s->replays && s->words[0] == '\0' && v->spread >= 1);
    for (size_t run = 0; run < 100; run++) {
        assert_int_equal(s->outcome[run], run % 7 == 6);
        assert_true(s->result[run] == v->outcome[s->outcome[run]].value);
    }
    assert_int_equal(s->summary->distinct, 2);
    accord_variation_free(v);
}

/* NaN is one value, whatever its bits; an infinity and zeros of either sign are others. */
static void test_special(void **state)
{
    (void)state;
    static const double specials[] = {NAN, INFINITY, -0.0};
    accord_vary_options options;
    accord_vary_options_init(&options);
    options.runs = 9;
    for (size_t i = 0; i < 3; i++) {
        plan p = {.each = 3, .special = specials[i] == 0 ? 5 : specials[i]};
        const double zeros[4] = {0, 0, 0, 0};
        options.x = specials[i] == 0 ? zeros : NULL;
        options.rows = specials[i] == 0;
        accord_variation *v = vary(&p, 4, &options);
        assert_int_equal(v->outcomes, 2);
        assert_int_equal(v->outcome[1].count, 3);
        assert_true(options.x ? v->spread > 0 : v->spread == 0);
        if (isnan(specials[i]))
            assert_int_equal(v->setting[0]->summary->nans, 3);
        accord_variation_free(v);
    }
}

static void test_own(void **state)
{
    (void)state;
    plan p = {0};
    accord_vary_options options;
    accord_vary_options_init(&options);
    const double x[] = {1, 0x1p-60, 1, 3, 4, 5};
    options.runs = 2;
    options.x = x;
    options.rows = 2;
    accord_variation *v = vary(&p, 3, &options);
    assert_int_equal(v->elements, 2);
    assert_true(v->outcome[0].value == 2 && v->expected.exact == 2 && v->expected.rest == 0x1p-60);
    accord_variation_free(v);
    options.element = 1;
    v = vary(&p, 3, &options);
    assert_true(v->outcome[0].value == 12 && v->expected.exact == 12);
    accord_variation_free(v);
}

/* ---- batches ---- */

typedef struct batch {
    size_t rows, n, special; /* the row `special` is added backwards; SIZE_MAX: none */
    double first[64];        /* the first number of each row, of the last call */
} batch;

static void rows_of(void *context, const accord_grid *grid, double *results)
{
    batch *b = context;
    const double *a = grid->a;
    for (size_t r = 0; r < b->rows; r++) {
        results[r] = 0;
        b->first[r] = a[r * b->n];
        for (size_t k = 0; k < b->n; k++)
            results[r] += a[r * b->n + (r == b->special ? b->n - 1 - k : k)];
    }
}

static void ask_batch(accord_variation *v, batch *b, char *name)
{
    const accord_grid_callback how = {.size = sizeof how,
                                      .call = rows_of,
                                      .context = b,
                                      .rows = b->rows,
                                      .columns = 1,
                                      .n = b->n,
                                      .term = ACCORD_TERM_VALUE};
    accord_target *target = NULL;
    accord_error error;
    assert_int_equal(accord_target_from_grid(&how, &target, NULL), ACCORD_OK);
    if (accord_variation_ask(v, target, name, true, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    accord_target_close(target);
}

static void test_batches(void **state)
{
    (void)state;
    accord_vary_options options;
    accord_variation *v = NULL;
    accord_vary_options_init(&options);
    options.runs = 3;
    options.no_proof = 1;
    assert_int_equal(accord_variation_new(&options, &v, NULL), ACCORD_OK);
    batch one = {.rows = 1, .n = 300, .special = SIZE_MAX},
          five = {.rows = 5, .n = 300, .special = 2};
    ask_batch(v, &one, "one");
    assert_int_equal(v->outcomes, 1);
    ask_batch(v, &five, "five");
    assert_int_equal(v->outcomes, 2);
    assert_int_equal(v->settings, 2);
    const accord_vary_setting *s = v->setting[1];
    assert_int_equal(s->places, 5);
    assert_int_equal(s->runs, 15);
    assert_false(s->varies);
    for (size_t run = 0; run < 15; run++)
        assert_int_equal(s->outcome[run], run / 3 == 2);
    /* The row that is followed stood last in the last call; all rows are different. */
    assert_true(five.first[4] == one.first[0]);
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(five.first[i] != five.first[k]);
    accord_variation_free(v);
}

/* ---- wrong questions, and ends ---- */

static bool stop_soon(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context, (void)stage, (void)total;
    return done < 5;
}

static size_t threads_here(void)
{
    size_t count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks)
        return 0;
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

static size_t most_threads;
static double count_threads(void *context, const void *x, size_t n)
{
    (void)context, (void)n;
    size_t count = threads_here();
    most_threads = count > most_threads ? count : most_threads;
    return ((const double *)x)[0];
}

static void test_load(void **state)
{
    (void)state;
    accord_target *target = NULL;
    accord_variation *v = NULL;
    accord_vary_options options;
    accord_error error;
    size_t before = threads_here();
    if (before == 0)
        skip();
    accord_vary_options_init(&options);
    options.runs = 10;
    options.load = 3;
    options.no_proof = 1;
    most_threads = 0;
    assert_int_equal(accord_target_from_callback(count_threads, NULL, 2, false, &target, NULL),
                     ACCORD_OK);
    assert_int_equal(accord_vary(target, &options, &v, NULL), ACCORD_OK);
    assert_int_equal(most_threads, before + 3);
    assert_int_equal(threads_here(), before);
    accord_variation_free(v);
    v = NULL;
    options.progress = stop_soon;
    assert_int_equal(accord_vary(target, &options, &v, &error), ACCORD_TARGET);
    assert_string_equal(error.text, "interrupted");
    assert_null(v);
    assert_int_equal(threads_here(), before);
    accord_target_close(target);
}

static void refuse(plan *p, const accord_vary_options *options, enum accord_status wanted,
                   const char *word)
{
    accord_target *target = NULL;
    accord_variation *v = NULL;
    accord_error error;
    assert_int_equal(accord_target_from_callback(planned, p, 3, true, &target, NULL), ACCORD_OK);
    assert_int_equal(accord_vary(target, options, &v, &error), wanted);
    assert_non_null(strstr(error.text, word));
    assert_null(v);
    accord_target_close(target);
}

static void test_refused(void **state)
{
    (void)state;
    plan p = {0};
    const double x[3] = {1, .1, 2};
    accord_vary_options good, bad;
    accord_vary_options_init(&good);
#define REFUSE(member_, value_, word_)                                                             \
    (bad = good, bad.member_ = (value_), refuse(&p, &bad, ACCORD_ARG, word_))
    REFUSE(kinds, "normal,odd", "odd");
    REFUSE(kinds, "", "kind");
    REFUSE(element, 1, "result 1");
    REFUSE(load, 5000, "load");
    REFUSE(runs, UINT64_MAX, "runs");
    REFUSE(samples, UINT64_MAX, "inputs");
    good.x = x;
    good.rows = 1;
    REFUSE(runs, 0, "is not a number of f32");
    REFUSE(y, x, "second factors");
}

/* ---- what to expect ---- */

static float in_order(const float *x, const unsigned *order, size_t n)
{
    float sum = x[order[0]];
    for (size_t i = 1; i < n; i++)
        sum += x[order[i]];
    return sum;
}

/* All orders, one after the other, of six terms: none leaves the bound. */
static void test_bound(void **state)
{
    (void)state;
    enum { N = 6 };
    double closest = 0;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t i = 0; i < trials(60); i++) {
        float x[N];
        double wide[N];
        accord_vary_expectation e;
        for (size_t k = 0; k < N; k++)
            wide[k] = x[k] =
                (float)ldexp(accordi_rng_normal(&rng), (int)accordi_rng_below(&rng, 9));
        assert_int_equal(accord_vary_expect(wide, NULL, N, ACCORD_F32, ACCORD_F32, &e, NULL),
                         ACCORD_OK);
        double sum = 0;
        for (size_t k = 0; k < N; k++)
            sum += wide[k]; /* exact: 24 bits within a few binades */
        assert_true(fabs(sum - e.exact) <= 0x1p-50 * e.magnitude);
        unsigned order[N] = {0, 1, 2, 3, 4, 5}, count[N] = {0}, k = 0;
        for (;;) { /* Heap's permutations */
            double off = fabs((double)in_order(x, order, N) - e.exact);
            assert_true(off <= e.bound);
            closest = off / e.bound > closest ? off / e.bound : closest;
            while (k < N && count[k] >= k)
                count[k++] = 0;
            if (k == N)
                break;
            unsigned other = k % 2 ? count[k] : 0, kept = order[other];
            order[other] = order[k];
            order[k] = kept;
            count[k]++;
            k = 0;
        }
    }
    printf("# the largest error is %.2f of the bound\n", closest);
    assert_true(closest > .02);
}

static void test_predicted(void **state)
{
    (void)state;
    enum { N = 1000, ORDERS = 300 };
    static double x[N], wide[ORDERS];
    static uint32_t order[N];
    accordi_rng rng;
    for (uint64_t kind = 0; kind < 3; kind++) {
        accordi_rng_init(&rng, kind);
        for (uint32_t i = 0; i < N; i++) {
            x[i] = kind == 0   ? 10 * accordi_rng_unit(&rng)
                   : kind == 1 ? 10 * accordi_rng_unit(&rng) - 5
                               : accordi_rng_normal(&rng);
            order[i] = i;
        }
        accord_vary_expectation e;
        assert_int_equal(accord_vary_expect(x, NULL, N, ACCORD_F64, ACCORD_F64, &e, NULL),
                         ACCORD_OK);
        for (size_t k = 0; k < ORDERS; k++) {
            accordi_rng_shuffle(&rng, order, N);
            wide[k] = 0;
            for (size_t i = 0; i < N; i++)
                wide[k] += x[order[i]];
            assert_true(fabs(wide[k] - e.exact) <= e.bound);
        }
        accord_vary_summary *s = NULL;
        assert_int_equal(accord_vary_summarize(wide, ORDERS, ACCORD_F64, &s, NULL), ACCORD_OK);
        double ratio = s->deviation * s->unit / e.predicted;
        printf("# deviation over predicted: %.2f\n", ratio);
        assert_true(ratio > .6 && ratio < 1.3);
        accord_vary_summary_free(s);
    }
}

static void test_expect_special(void **state)
{
    (void)state;
    accord_vary_expectation e;
    const double x[] = {INFINITY, 1}, big[] = {0x1p1023, 0x1p1023, -0x1p1023};
    assert_int_equal(accord_vary_expect(x, NULL, 2, ACCORD_F64, ACCORD_F64, &e, NULL), ACCORD_OK);
    assert_true(e.exact == INFINITY && e.bound == INFINITY);
    assert_int_equal(accord_vary_expect((double[]){NAN}, NULL, 1, ACCORD_F64, ACCORD_F64, &e, NULL),
                     ACCORD_OK);
    assert_true(isnan(e.exact) && e.bound == INFINITY);
    assert_int_equal(accord_vary_expect(big, NULL, 3, ACCORD_F64, ACCORD_F64, &e, NULL), ACCORD_OK);
    assert_true(e.exact == 0x1p1023 && e.bound == INFINITY);
    assert_int_equal(
        accord_vary_expect((double[]){2}, (double[]){3}, 1, ACCORD_F32, ACCORD_F32, &e, NULL),
        ACCORD_OK);
    assert_true(e.exact == 6 && e.rest == 0 && e.predicted == 0 && e.bound >= 0x1p-22);
    assert_int_equal(accord_vary_expect((double[]){0x1p-1074, 0x1p-1074, 0}, NULL, 3, ACCORD_F64,
                                        ACCORD_F64, &e, NULL),
                     ACCORD_OK);
    assert_true(e.exact == 0x1p-1073 && e.bound == 0 && e.predicted >= 0);
    assert_int_equal(accord_vary_expect((double[]){0x1p-600}, (double[]){0x1p-600}, 1, ACCORD_F64,
                                        ACCORD_F64, &e, NULL),
                     ACCORD_OK);
    assert_true(e.bound >= 0x1p-1074 && e.bound < 1e-300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steady),    cmocka_unit_test(test_varying),
        cmocka_unit_test(test_special),   cmocka_unit_test(test_own),
        cmocka_unit_test(test_batches),   cmocka_unit_test(test_load),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_bound),
        cmocka_unit_test(test_predicted), cmocka_unit_test(test_expect_special),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
