/* Right implementations never break the proven pairs, whatever the inputs within the limits, and
 * break the statistical ones as often as they claim. */
#include "explain/tolerance.h"
#include "explain_boxes.h"

static accord_target *question(size_t n, const char *settings, enum accord_format format)
{
    char notation[80];
    accord_target_options options;
    accord_target *target = NULL;
    accord_error error;
    accord_target_options_init(&options);
    options.n = n;
    options.has_format = true;
    options.format = format;
    snprintf(notation, sizeof notation, "synthetic:sequential%s", settings);
    if (accord_target_open(notation, &options, &target, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    return target;
}

static accord_tolerance_options usual(uint64_t seed)
{
    accord_tolerance_options options;
    accord_tolerance_options_init(&options);
    options.seed = seed;
    options.samples = 256;
    options.question_only = true;
    return options;
}

static accord_tolerance find(accord_target *target, const accord_tolerance_options *options)
{
    accord_tolerance found;
    accord_error error;
    if (accord_tolerance_find(target, options, &found, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    return found;
}

/* As NumPy and PyTorch compute it, in the format of the numbers. */
static bool is_close(enum accord_format in, double a, double b, accord_tolerance_pair pair)
{
    double atol = rounded(in, pair.atol), rtol = rounded(in, pair.rtol);
    return rounded(in, fabs(a - b)) <= rounded(in, atol + rounded(in, rtol * fabs(b)));
}

static double exact_of(const double *x, const double *y, size_t n, double *mass)
{
    accord_exact_wide sum;
    accord_exact_wide_init(&sum);
    *mass = 0;
    for (size_t k = 0; k < n; k++) {
        accord_exact_wide_add_product_f64(&sum, x[k], y[k]);
        *mass += fabs(x[k] * y[k]);
    }
    return accord_exact_wide_f64(&sum, ACCORD_EXACT_NEAREST_EVEN);
}

/* ---- proven ---- */

static double reversed(const box *b, const double *x, const double *y, size_t n)
{
    double s = rounded(b->inside, x[n - 1] * y[n - 1]);
    for (size_t k = n - 1; k-- > 0;)
        s = add_in(b, s, rounded(b->inside, x[k] * y[k]));
    return s;
}

/* Each product enters unrounded. */
static double fused(const box *b, const double *x, const double *y, size_t n)
{
    double s = 0;
    for (size_t k = 0; k < n; k++)
        s = b->inside == ACCORD_F32 ? (double)fmaf((float)x[k], (float)y[k], (float)s)
                                    : fma(x[k], y[k], s);
    return s;
}

static const box right[] = {
    {.name = "sequential", .sum = in_order, .inside = ACCORD_F32},
    {.name = "reverse", .sum = reversed, .inside = ACCORD_F32},
    {.name = "fused", .sum = fused, .inside = ACCORD_F32},
    {.name = "lanes", .sum = in_lanes, .inside = ACCORD_F32, .parameter = 4},
    {.name = "parts", .sum = in_parts, .inside = ACCORD_F32, .parameter = 3},
    {.name = "by sign", .sum = by_sign, .inside = ACCORD_F32},
    {.name = "compensated", .sum = compensated, .inside = ACCORD_F32},
    {.name = "wide", .sum = wide, .inside = ACCORD_F64},
};
enum { RIGHT = sizeof right / sizeof right[0], MOST_TERMS = 300 };

/* Inputs whose rounding errors add up, at the limits, and near cancellation. */
enum { REPEATED, LARGEST, SWAMPED, MIRRORED, MIXED, TINY, FILLS };

static void fill(accordi_rng *rng, int how, enum accord_format format, double most, bool positive,
                 double *x, size_t n)
{
    double repeated = most * (.5 + .5 * accordi_rng_unit(rng));
    double unit = ldexp(most, -accord_format_get(format)->precision);
    for (size_t k = 0; k < n; k++) {
        double random = most * (2 * accordi_rng_unit(rng) - 1);
        x[k] = how == REPEATED   ? repeated
               : how == LARGEST  ? most
               : how == SWAMPED  ? (k ? unit * (1 - random / most / 64) : most)
               : how == MIRRORED ? (2 * k < n ? random : -x[n - 1 - k])
               : how == TINY     ? random * ldexp(1, -60)
                                 : random;
        if (how == MIRRORED && 2 * k == n)
            x[k] = most;
        x[k] = accord_format_round(format, ACCORD_TOWARD_ZERO, positive ? fabs(x[k]) : x[k]);
    }
}

static void hold(enum accord_format output, const accord_tolerance *found, const double *x,
                 const double *y, size_t n, double *nearest)
{
    double mass, exact = exact_of(x, y, n, &mass), result[RIGHT];
    for (size_t i = 0; i < RIGHT; i++) {
        result[i] = rounded(output, right[i].sum(&right[i], x, y, n));
        accord_tolerance_pair pair = found->proven[ACCORD_AGAINST_EXACT];
        if (!is_close(ACCORD_F64, result[i], exact, pair))
            fail_msg("%s, n = %zu: %a against %a", right[i].name, n, result[i], exact);
        double share = fabs(result[i] - exact) / (pair.atol + pair.rtol * fabs(exact));
        *nearest = fmax(*nearest, share);
    }
    for (size_t i = 0; i < RIGHT; i++)
        for (size_t j = 0; j < RIGHT; j++)
            if (!is_close(output, result[i], result[j],
                          found->proven[ACCORD_AGAINST_IMPLEMENTATION]))
                fail_msg("%s and %s, n = %zu: %a and %a", right[i].name, right[j].name, n,
                         result[i], result[j]);
}

static void test_proven(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 3, 9, 40, MOST_TERMS};
    static const enum accord_format inputs[] = {ACCORD_F32, ACCORD_BF16, ACCORD_F16};
    static const char *const outputs[] = {"f32", "bf16", "f16"};
    uint64_t seed = trials_seed();
    double x[MOST_TERMS], y[MOST_TERMS], nearest = 0;
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    for (size_t trial = 0; trial < trials(40); trial++) {
        size_t n = counts[accordi_rng_below(&rng, 6)];
        enum accord_format in = inputs[accordi_rng_below(&rng, 3)], output;
        char settings[40];
        snprintf(settings, sizeof settings, ",products,out=%s", outputs[trial % 3]);
        accord_format_by_name(outputs[trial % 3], &output);
        accord_tolerance_options options = usual(seed + trial);
        options.a_max = ldexp(.5 + accordi_rng_unit(&rng), (int)accordi_rng_below(&rng, 9) - 6);
        options.b_max = ldexp(.5 + accordi_rng_unit(&rng), (int)accordi_rng_below(&rng, 9) - 6);
        options.nonnegative = accordi_rng_next(&rng) >> 63;
        accord_target *target = question(n, settings, in);
        accord_tolerance found = find(target, &options);
        for (int how = 0; how < FILLS * FILLS; how++) {
            fill(&rng, how % FILLS, in, options.a_max, options.nonnegative, x, n);
            fill(&rng, how / FILLS, in, options.b_max, options.nonnegative, y, n);
            hold(output, &found, x, y, n, &nearest);
        }
        accord_target_close(target);
    }
    printf("# at most %g of the proven pair\n", nearest);
    assert_true(nearest <= 1 && nearest > .1);
}

/* Rows whose rounding errors are all lost reach most of the bound. */
static void test_rows(void **state)
{
    (void)state;
    enum { N = 33, ROWS = 2 };
    double x[ROWS * N], ones[N], mass, nearest = 0;
    for (size_t k = 0; k < N; k++) {
        ones[k] = 1;
        x[k] = k ? 0x1.fffffep-25 : 1;
        x[N + k] = k ? 0x1.000002p-24 : 1;
    }
    accord_target *target = question(N, "", ACCORD_F32);
    accord_tolerance_options options = usual(1);
    options.x = x;
    options.rows = ROWS;
    accord_tolerance found = find(target, &options);
    assert_int_equal(found.elements, ROWS);
    for (size_t row = 0; row < ROWS; row++) {
        hold(ACCORD_F32, &found, x + row * N, ones, N, &nearest);
        double exact = exact_of(x + row * N, ones, N, &mass);
        double result = in_order(&right[0], x + row * N, ones, N);
        for (int i = 0; i < ACCORD_AGAINST_COUNT; i++)
            assert_true(is_close(ACCORD_F64, result, exact, found.statistical[i]));
    }
    assert_true(nearest > .8);
    assert_true(strstr(found.reason, "do not cancel") != NULL);
    x[N - 1] = -1;
    found = find(target, &options);
    assert_true(strstr(found.reason, "terms cancel") != NULL && found.proven[0].rtol == 0);
    accord_target_close(target);
}

/* Every machine of the table, which may truncate and align, keeps the pairs of its own. */
static void test_machines(void **state)
{
    (void)state;
    enum { N = 40, ROWS = 2 * FILLS };
    uint64_t seed = trials_seed();
    double x[ROWS * N], y[ROWS * N], result[ROWS], mass, nearest = 0;
    float x32[ROWS * N], y32[ROWS * N];
    size_t tried = 0;
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    for (size_t m = 0; accord_fused_at(m); m++) {
        const accord_fused *machine = accord_fused_at(m);
        char name[80];
        accord_target_options asked;
        accord_target *target;
        accord_error error;
        if (machine->scale_block)
            continue;
        accord_target_options_init(&asked);
        asked.n = N;
        snprintf(name, sizeof name, "synthetic:%s", machine->name);
        if (accord_target_open(name, &asked, &target, &error))
            fail_msg("%s", error.text);
        snprintf(name, sizeof name, "fused:%s", machine->name);
        accord_tolerance_options options = usual(seed);
        options.accumulator = name;
        accord_tolerance found = find(target, &options);
        for (size_t row = 0; row < ROWS; row++) {
            fill(&rng, (int)(row % FILLS), target->format, 1, row >= FILLS, x + row * N, N);
            fill(&rng, row % 3 ? MIXED : (int)(row % FILLS), target->format, 1, row >= FILLS,
                 y + row * N, N);
        }
        for (size_t i = 0; i < ROWS * N; i++) {
            x32[i] = (float)x[i];
            y32[i] = (float)y[i];
        }
        const accord_batch batch = {.size = sizeof batch,
                                    .probes = ROWS,
                                    .dense = target->storage_f32 ? (void *)x32 : (void *)x,
                                    .second = 1,
                                    .dense_second = target->storage_f32 ? (void *)y32 : (void *)y};
        if (accord_target_run(target, &batch, result, &error))
            fail_msg("%s: %s", name, error.text);
        for (size_t row = 0; row < ROWS; row++) {
            double exact = exact_of(x + row * N, y + row * N, N, &mass);
            accord_tolerance_pair pair = found.proven[ACCORD_AGAINST_EXACT];
            if (!is_close(ACCORD_F64, result[row], exact, pair))
                fail_msg("%s: %a against %a", name, result[row], exact);
            nearest =
                fmax(nearest, fabs(result[row] - exact) / (pair.atol + pair.rtol * fabs(exact)));
        }
        accord_target_close(target);
        tried++;
    }
    printf("# %zu machines, at most %g of the proven pair\n", tried, nearest);
    assert_true(tried > 20 && nearest > .02);
}

/* ---- statistical ---- */

typedef struct orders {
    accordi_sums sums;
    accordi_references references;
    accordi_chunk chunk, sorted;
    double *result, *low, *high; /* of each row; low and high over all orders */
} orders;

static void run_orders(orders *in)
{
    accord_error error;
    for (size_t row = 0; row < in->chunk.rows; row++) {
        in->low[row] = INFINITY;
        in->high[row] = -INFINITY;
    }
    for (size_t i = 0; i < in->references.count; i++) {
        const accordi_reference *one = &in->references.list[i];
        const accord_model model = {one->tree, one->arithmetic};
        accordi_sort_chunk(&in->sums, one->sorting, &in->chunk, &in->sorted, &error);
        const accordi_chunk *chunk = one->sorting ? &in->sorted : &in->chunk;
        if (accordi_replay_chunk(&in->sums, &model, chunk, in->result, &error))
            fail_msg("%s", error.text);
        for (size_t row = 0; row < in->chunk.rows; row++) {
            in->low[row] = fmin(in->low[row], in->result[row]);
            in->high[row] = fmax(in->high[row], in->result[row]);
        }
    }
}

/* Fresh arrays break the pairs as often as they claim. */
static void test_level(void **state)
{
    (void)state;
    enum { N = 40, ARRAYS = 8192, ELEMENTS = 2, ROWS = 256 };
    double level = .05, ones[N], result[3][ROWS];
    uint64_t seed = trials_seed();
    size_t broken[ACCORD_AGAINST_COUNT] = {0};
    const accordi_accumulator f32 = {.format = ACCORD_F32};
    accordi_rng rng;
    accord_target *target = question(N, "", ACCORD_F32);
    accord_tolerance_options options = usual(seed);
    options.samples = 16384;
    options.level = level;
    options.elements = ELEMENTS;
    accord_tolerance found = find(target, &options);
    orders all = {.result = result[0], .low = result[1], .high = result[2]};
    assert_int_equal(accordi_sums_of(target, &all.sums, NULL), 0);
    assert_int_equal(accordi_references_make(&all.sums, &f32, seed, &all.references, NULL), 0);
    assert_int_equal(accordi_chunk_new(&all.sums, ROWS, &all.chunk, NULL), 0);
    assert_int_equal(accordi_chunk_new(&all.sums, ROWS, &all.sorted, NULL), 0);
    accordi_rng_init(&rng, seed + 1);
    for (size_t k = 0; k < N; k++)
        ones[k] = 1;
    for (size_t array = 0; array < ARRAYS; array += ROWS / ELEMENTS) {
        for (size_t i = 0; i < ROWS * N; i++)
            ((float *)all.chunk.x)[i] = (float)(2 * accordi_rng_unit(&rng) - 1);
        run_orders(&all);
        for (size_t first = 0; first < ROWS; first += ELEMENTS) {
            bool breaks[ACCORD_AGAINST_COUNT] = {false};
            for (size_t row = first; row < first + ELEMENTS; row++) {
                double term[N], mass;
                for (size_t k = 0; k < N; k++)
                    term[k] = (double)((float *)all.chunk.x)[row * N + k];
                double exact = exact_of(term, ones, N, &mass);
                const accord_tolerance_pair *pair = found.statistical;
                breaks[0] |= !is_close(ACCORD_F64, all.low[row], exact, pair[0]) ||
                             !is_close(ACCORD_F64, all.high[row], exact, pair[0]);
                breaks[1] |= !is_close(ACCORD_F32, all.high[row], all.low[row], pair[1]);
            }
            for (int i = 0; i < ACCORD_AGAINST_COUNT; i++)
                broken[i] += breaks[i];
        }
    }
    accordi_chunk_free(&all.chunk);
    accordi_chunk_free(&all.sorted);
    accordi_references_clear(&all.references);
    accord_target_close(target);
    for (int i = 0; i < ACCORD_AGAINST_COUNT; i++) {
        double rate = (double)broken[i] / ARRAYS;
        printf("# %g of the arrays break the pair of level %g\n", rate, level);
        assert_int_equal(found.tail[i], ACCORD_TAIL_SAMPLES);
        /* Differences are multiples of a unit, so that a whole step may lie at the limit. */
        assert_true(rate > (i ? .35 : .65) * level && rate < 1.35 * level);
    }
}

static double exponential(accordi_rng *rng)
{
    return -log(1 - accordi_rng_unit(rng));
}

static double normal(accordi_rng *rng)
{
    return fabs(accordi_rng_normal(rng));
}

static double product(accordi_rng *rng)
{
    return fabs(accordi_rng_normal(rng) * accordi_rng_normal(rng));
}

static double stretched(accordi_rng *rng)
{
    double x = exponential(rng);
    return x * x;
}

static double bounded(accordi_rng *rng)
{
    return accordi_rng_unit(rng);
}

/* Extrapolated quantiles are not too small, nor far too large. */
static void test_tails(void **state)
{
    (void)state;
    enum { SAMPLES = 16384 };
    static const struct {
        const char *name;
        double (*draw)(accordi_rng *rng);
        double quantile, least, most; /* that of 1e-6; what the answer may be relative to it */
    } rows[] = {{"exponential", exponential, 13.8155, .85, 1.5},
                {"normal", normal, 4.8916, 1, 1.6},
                {"product", product, 12.32, .8, 2.5},
                {"stretched", stretched, 190.87, .45, 8},
                {"bounded", bounded, 1, 1, 1.2}};
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        accordi_rng rng;
        accordi_tail tail;
        accordi_rng_init(&rng, seed + i);
        assert_int_equal(accordi_tail_new(accordi_tail_size(SAMPLES, 1e-6), &tail, NULL), 0);
        for (size_t k = 0; k < SAMPLES; k++)
            accordi_tail_add(&tail, rows[i].draw(&rng));
        double share = accordi_tail_quantile(&tail, SAMPLES, 1e-6).value / rows[i].quantile;
        accordi_tail_clear(&tail);
        printf("# %s: %g of the quantile\n", rows[i].name, share);
        assert_true(share > rows[i].least && share < rows[i].most);
    }
}

/* ---- what has no tolerance ---- */

static void refuse(accord_target *target, const accord_tolerance_options *options,
                   enum accord_status status, const char *text)
{
    accord_tolerance found;
    accord_error error;
    assert_int_equal(accord_tolerance_find(target, options, &found, &error), status);
    if (!strstr(error.text, text))
        fail_msg("\"%s\" is not in \"%s\"", text, error.text);
}

static void test_refused(void **state)
{
    (void)state;
    double bad[8] = {1, 2, NAN};
    accord_target *target = question(8, ",products", ACCORD_F16);
    accord_tolerance_options options = usual(1);
    options.a_max = 6e4;
    refuse(target, &options, ACCORD_UNABLE, "overflow f16");
    options = usual(1);
    options.level = 2;
    refuse(target, &options, ACCORD_ARG, "not a fraction");
    options = usual(1);
    options.samples = 10;
    refuse(target, &options, ACCORD_ARG, "256 to");
    options = usual(1);
    options.b_max = -1;
    refuse(target, &options, ACCORD_ARG, "positive and finite");
    options = usual(1);
    options.x = bad;
    options.rows = 1;
    refuse(target, &options, ACCORD_ARG, "input 0: a first factor is nan");
    bad[2] = 1;
    options.elements = 7;
    refuse(target, &options, ACCORD_ARG, "leave the number of elements out");
    accord_target_close(target);
    target = question(300, "", ACCORD_BF16);
    options = usual(1);
    options.accumulator = "bf16";
    refuse(target, &options, ACCORD_UNABLE, "too many for bf16");
    accord_target_close(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proven), cmocka_unit_test(test_rows),
        cmocka_unit_test(test_level),  cmocka_unit_test(test_machines),
        cmocka_unit_test(test_tails),  cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("tolerance", tests, NULL, NULL);
}
