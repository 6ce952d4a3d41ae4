/* Exact sums on threads: arrays long enough that each of eight has work, against the oracles; and
 * many callers at once. */
#define SAMPLE_LONGEST ((1 << 19) + 3000) /* terms that do not fit caches, too */
#include "exact_samples.h"
#include "trials.h"
#include <fenv.h>
#include <pthread.h>

static expected truth;

static strided plain(const char *at)
{
    return (strided){at, 1};
}

/* From the last number to the first. */
static strided backwards(const sample *s, const char *at)
{
    return (strided){at + (s->n - 1) * s->kind->size, -1};
}

static void check_threads(const sample *s, int threads)
{
    accord_exact_options how = any_options();
    how.threads = threads;
    bool turned = !below(4);
    uint64_t found = turned ? s->kind->once(&how, s->n, backwards(s, s->x), backwards(s, s->y))
                            : s->kind->once(&how, s->n, plain(s->x), plain(s->y));
    if (found != truth.pattern[s->kind->format][how.rounding])
        fail_msg("%s, %s, n %zu, %d threads, %s of %d: found %" PRIx64 ", expected %" PRIx64,
                 s->kind->name, s->fill, s->n, threads, accord_exact_method_name(how.method),
                 how.expansion, found, truth.pattern[s->kind->format][how.rounding]);
}

static void test_threads(void **state)
{
    (void)state;
    for (size_t t = 0; t < trials(12); t++) {
        static const int wanted[] = {1, 2, 3, 4, 5, 6, 7, 8, 0, 60};
        sample s;
        sample_draw(&s, LONGEST - (size_t)below(t % 3 ? 1000 : LONGEST - 1));
        sample_expect(&s, &truth);
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            check_threads(&s, wanted[i]);
        sample_free(&s);
    }
}

/* Long enough for the slowest method that the last of eight threads still finds work, even where
 * there are fewer processors. */
static void test_slow_work(void **state)
{
    (void)state;
    enum { SLOW = 1 << 22 };
    double *x = malloc(SLOW * sizeof *x), found;
    integer_sum sum;
    assert_non_null(x);
    fill_1e15(x, SLOW);
    integer_init(&sum);
    integer_terms(&sum, x, SLOW);
    for (size_t t = 0; t < trials(3); t++) {
        accord_exact_options how = any_options();
        how.method = ACCORD_EXACT_SUPERACCUMULATOR;
        how.threads = 8;
        assert_int_equal(accord_sum_exact_f64(SLOW, x, 1, &how, &found, NULL), ACCORD_OK);
        same_pattern(bits_of(found), integer_pattern(&sum, ACCORD_F64, (int)how.rounding),
                     ACCORD_F64, (int)how.rounding, "1e15", SLOW);
    }
    integer_clear(&sum);
    free(x);
}

/* Callers in environments of their own share arrays; the first calls of a process choose the
 * kernels, and may be made by all of them together. */
typedef struct caller {
    const sample *sample;
    accord_exact_options how[8];
    int mode;
    uint64_t found[8];
    bool kept;
} caller;

static void *call(void *context)
{
    caller *c = context;
    fesetround(c->mode);
    for (int i = 0; i < 8; i++)
        c->found[i] = c->sample->kind->once(c->how + i, c->sample->n, plain(c->sample->x),
                                            plain(c->sample->y));
    c->kept = fegetround() == c->mode;
    return NULL;
}

static void test_callers(void **state)
{
    (void)state;
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    enum { CALLERS = 8 };
    for (size_t t = 0; t < trials(10); t++) {
        sample s;
        caller all[CALLERS] = {0};
        pthread_t threads[CALLERS];
        sample_draw(&s, t % 2 ? 100000 : any_length(20000));
        sample_expect(&s, &truth);
        for (int i = 0; i < CALLERS; i++) {
            all[i] = (caller){.sample = &s, .mode = modes[i % 4]};
            for (int k = 0; k < 8; k++)
                all[i].how[k] = any_options();
            assert_int_equal(pthread_create(threads + i, NULL, call, all + i), 0);
        }
        for (int i = 0; i < CALLERS; i++) {
            pthread_join(threads[i], NULL);
            assert_true(all[i].kept);
            for (int k = 0; k < 8; k++)
                same_pattern(all[i].found[k], truth.pattern[s.kind->format][all[i].how[k].rounding],
                             (int)s.kind->format, (int)all[i].how[k].rounding, s.fill, s.n);
        }
        sample_free(&s);
    }
}

/* Many arrays into accumulators that hold terms already, beside one array after the other. */
static void test_many_accumulators(void **state)
{
    (void)state;
    enum { SUMS = 5, N = 1 << 20 };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    assert_true(x && y);
    for (size_t t = 0; t < trials(8); t++) {
        size_t count = (size_t)below(SUMS + 1), n = below(4) ? (size_t)below(5000) : N / SUMS;
        ptrdiff_t step = below(2) ? (ptrdiff_t)n : 1, stride = step == 1 ? SUMS : 1;
        accord_exact sums[SUMS], wanted[SUMS];
        accord_exact_wide dots[SUMS], wanted_dots[SUMS];
        accord_exact_options how = any_options();
        how.threads = 1 + below(4);
        fills[below(FILLS)].fill(x, N);
        fills[below(FILLS)].fill(y, N);
        for (size_t s = 0; s < SUMS; s++) {
            accord_exact_init(sums + s);
            accord_exact_wide_init(dots + s);
            accord_exact_add_f64(sums + s, x[s]);
            accord_exact_wide_add_f64(dots + s, x[s]);
            wanted[s] = sums[s];
            wanted_dots[s] = dots[s];
        }
        for (size_t s = 0; s < count; s++) {
            const double *at = x + (ptrdiff_t)s * step;
            accord_exact_add_array_f64(wanted + s, n, at, stride);
            accord_exact_wide_add_products_f64(wanted_dots + s, n, at, stride, y, 1);
        }
        assert_int_equal(accord_exact_add_many_f64(sums, count, step, n, x, stride, &how, NULL),
                         ACCORD_OK);
        assert_int_equal(accord_exact_wide_add_many_products_f64(dots, count, n, x, step, stride, y,
                                                                 0, 1, &how, NULL),
                         ACCORD_OK);
        for (size_t s = 0; s < SUMS; s++) {
            same_sum(sums + s, wanted + s, "many sums");
            same_wide(dots + s, wanted_dots + s, "many dots");
        }
    }
    free(x);
    free(y);
}

/* One that would outgrow its accumulator, where only 2^1000 is left: none has changed. */
static void test_many_that_fail(void **state)
{
    (void)state;
    const double x[2] = {1, 0x1p1000};
    accord_exact sums[2], before[2], half, rest;
    accord_exact_init(sums);
    accord_exact_init(&half);
    accord_exact_init(&rest);
    accord_exact_add_f64(&half, 1);
    accord_exact_add_f64(&rest, 0x1p1000);
    assert_int_equal(accord_exact_scale(&half, 1163, NULL), ACCORD_OK);
    sums[1] = half;
    assert_int_equal(accord_exact_subtract(sums + 1, &rest, NULL), ACCORD_OK);
    assert_int_equal(accord_exact_add(sums + 1, &half, NULL), ACCORD_OK);
    memcpy(before, sums, sizeof before);
    accord_error error;
    assert_int_equal(accord_exact_add_many_f64(sums, 2, 1, 1, x, 1, NULL, &error), ACCORD_ARG);
    assert_int_equal(accord_exact_add_many_f64(NULL, 2, 1, 1, x, 1, NULL, &error), ACCORD_ARG);
    assert_int_equal(accord_exact_add_many_f64(sums, 2, 1, 1, NULL, 1, NULL, &error), ACCORD_ARG);
    assert_int_equal(accord_exact_add_many_f64(NULL, 0, 1, 1, x, 1, NULL, &error), ACCORD_OK);
    assert_memory_equal(sums, before, sizeof before);
    assert_int_equal(accord_exact_add_many_f64(sums, 2, 0, 1, x, 1, NULL, &error), ACCORD_OK);
}

int main(void)
{
    accordi_rng_init(&rng, trials_seed());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callers),        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_slow_work),      cmocka_unit_test(test_many_accumulators),
        cmocka_unit_test(test_many_that_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
