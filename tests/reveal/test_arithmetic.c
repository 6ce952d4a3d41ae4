/* The arithmetic at the nodes comes back from probes, and replays bit for bit. */
#include "base/base.h"
#include "record/record.h"
#include "trials.h"
#include <accord/notation.h>
#include <accord/reveal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Random products (or values) in wide ranges, replayed by both arithmetics. */
static void expect_same_bits(const accord_tree *tree, const accord_arithmetic *found,
                             const accord_arithmetic *truth, accordi_rng *rng, const char *what)
{
    enum { ROWS = 64 };
    size_t n = tree->leaves;
    float *x = accordi_alloc(2 * ROWS * n, sizeof *x);
    const void *row[2 * ROWS];
    double a[ROWS], b[ROWS];
    assert_non_null(x);
    for (size_t i = 0; i < 2 * ROWS * n; i++) {
        double significand = (double)(int64_t)accordi_rng_next(rng) * 0x1p-63;
        x[i] = (float)ldexp(significand, (int)accordi_rng_below(rng, i % 3 ? 6 : 40) - 20);
    }
    for (size_t r = 0; r < 2 * ROWS; r++)
        row[r] = x + r * n;
    accord_rows rows = {.rows = ROWS, .x = row, .is_f32 = true};
    rows.y = truth->term == ACCORD_TERM_PRODUCT ? row + ROWS : NULL;
    const accord_model ours = {tree, found}, theirs = {tree, truth};
    assert_int_equal(accord_model_replay(&ours, &rows, a, NULL), ACCORD_OK);
    assert_int_equal(accord_model_replay(&theirs, &rows, b, NULL), ACCORD_OK);
    for (size_t r = 0; r < ROWS; r++)
        if (memcmp(&a[r], &b[r], sizeof *a))
            fail_msg("%s, n = %zu: row %zu gives %a where the truth gives %a", what, n, r, a[r],
                     b[r]);
    free(x);
}

/* What no random input tells is open; where an input that was drawn to tell refutes the model, and
 * no other is found, the order is refused. */
static size_t refused;

static bool is_open(const accord_record *record, const accord_error *error)
{
    return error->reason == ACCORD_REASON_NOT_PLAIN && !record->proven &&
           record->replays_agreed == record->replays;
}

static void reveal_one(const char *notation, size_t n, enum accord_format format, uint64_t seed,
                       accordi_rng *rng)
{
    accord_target_options options;
    accord_reveal_options how;
    accord_target *target = NULL;
    accord_arithmetic *truth = NULL;
    accord_record record;
    accord_error error = {.text = ""};
    accord_target_options_init(&options);
    options.n = n;
    options.has_format = true;
    options.format = format;
    options.seed = seed;
    accordi_record_init(&record);
    accord_reveal_options_init(&how);
    how.seed = seed;
    if (accord_target_open(notation, &options, &target, &error) ||
        accord_synthetic_arithmetic(target, &truth, &error))
        fail_msg("%s, n = %zu, seed %" PRIu64 ": %s", notation, n, seed, error.text);
    bool failed = accord_reveal(target, &how, &record, &error) != ACCORD_OK;
    if (failed && !is_open(&record, &error))
        fail_msg("%s, n = %zu, seed %" PRIu64 ": %s", notation, n, seed, error.text);
    refused += failed;
    if (failed)
        goto done;
    if (record.replays_agreed != record.replays || !record.arithmetic)
        fail_msg("%s, n = %zu, seed %" PRIu64 ": %s", notation, n, seed, record.verdict);
    assert_true(n > 32768 || record.replays >= 2000);
    if (format == ACCORD_F32)
        expect_same_bits(record.tree, record.arithmetic, truth, rng, notation);
done:
    accord_arithmetic_free(truth);
    accord_record_clear(&record);
    accord_target_close(target);
}

static const char *const orders[] = {"sequential", "reverse", "pairwise", "numpy",
                                     "lanes:8",    "yule",    "uniform",  "shuffled-caterpillar"};

static const char *const settings[] = {"",
                                       ",products",
                                       ",fma",
                                       ",fma=first",
                                       ",fma=inner",
                                       ",mixed",
                                       ",tail=f64",
                                       ",fma,tail=f64",
                                       ",acc=f64",
                                       ",products,acc=f64",
                                       ",start=zero",
                                       ",fma,start=first"};

static void test_settings(void **state)
{
    (void)state;
    accordi_rng rng;
    uint64_t seed = trials_seed();
    accordi_rng_init(&rng, seed);
    for (size_t trial = 0; trial < trials(120); trial++) {
        char notation[96];
        snprintf(notation, sizeof notation, "synthetic:%s%s", orders[accordi_rng_below(&rng, 7)],
                 settings[trial % (sizeof settings / sizeof *settings)]);
        size_t most = trial % 7 ? 24 : 200, n = 1 + accordi_rng_below(&rng, most);
        reveal_one(notation, n, ACCORD_F32, seed + trial, &rng);
    }
    assert_int_equal(refused, 0);
}

/* Products that are exact but where they are subnormal: only flushing shows whether they are fused
 * (as in AVX512-BF16). */
static void test_fused_exact_products(void **state)
{
    static const char *const fusions[] = {"products", "fma", "fma=first", "fma=inner"};
    static const char *const flushes[] = {"input", "output", "both"};
    (void)state;
    accordi_rng rng;
    uint64_t seed = trials_seed();
    accordi_rng_init(&rng, seed);
    for (size_t trial = 0; trial < trials(48); trial++) {
        char notation[96];
        snprintf(notation, sizeof notation, "synthetic:%s,%s,acc=f32,flush=%s",
                 orders[accordi_rng_below(&rng, 7)], fusions[trial % 4], flushes[trial / 4 % 3]);
        reveal_one(notation, 2 + accordi_rng_below(&rng, 60), ACCORD_BF16, seed + trial, &rng);
    }
    assert_true(refused <= trials(1)); /* of 48 */
}

/* Terms of 8 bits in sums of 11: those of f16 overflow and are subnormal where those of tf32 are
 * not. */
static void test_bytes_in_f16(void **state)
{
    static const char *const terms[] = {"acc=f16", "products,acc=f16"};
    (void)state;
    accordi_rng rng;
    uint64_t seed = trials_seed();
    size_t before = refused;
    accordi_rng_init(&rng, seed);
    for (size_t trial = 0; trial < trials(24); trial++) {
        char notation[96];
        snprintf(notation, sizeof notation, "synthetic:%s,%s,out=f32",
                 orders[accordi_rng_below(&rng, 7)], terms[trial % 2]);
        reveal_one(notation, 2 + accordi_rng_below(&rng, 40),
                   trial / 2 % 2 ? ACCORD_E4M3 : ACCORD_E5M2, seed + trial, &rng);
    }
    assert_int_equal(refused, before);
}

/* ---- norms ---- */

/* How a norm takes its squares: fused in lanes, and rounded in a tail. */
typedef struct fused_norm {
    size_t lanes, tail;
    bool f32, root;
} fused_norm;

static double norm_f32(const fused_norm *how, const float *x, size_t n)
{
    float lane[8] = {0}, sum;
    for (size_t i = 0; i < n - how->tail; i++)
        lane[i % how->lanes] = fmaf(x[i], x[i], lane[i % how->lanes]);
    sum = lane[0];
    for (size_t l = 1; l < how->lanes; l++)
        sum += lane[l];
    for (size_t i = n - how->tail; i < n; i++)
        sum += x[i] * x[i];
    return how->root ? sqrtf(sum) : sum;
}

static double norm_f64(const fused_norm *how, const double *x, size_t n)
{
    double lane[8] = {0}, sum;
    for (size_t i = 0; i < n - how->tail; i++)
        lane[i % how->lanes] = fma(x[i], x[i], lane[i % how->lanes]);
    sum = lane[0];
    for (size_t l = 1; l < how->lanes; l++)
        sum += lane[l];
    for (size_t i = n - how->tail; i < n; i++)
        sum += x[i] * x[i];
    return how->root ? sqrt(sum) : sum;
}

static double norm(void *context, const void *x, size_t n)
{
    const fused_norm *how = context;
    return how->f32 ? norm_f32(how, x, n) : norm_f64(how, x, n);
}

/* Every sum with a square fuses one, but for those of the tail. */
static void expect_fused(const accord_record *record, size_t tail)
{
    const accord_tree *tree = record->tree;
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        const accord_arithmetic *a = record->arithmetic;
        bool leaf = child[0] < tree->leaves || child[1] < tree->leaves;
        bool fused = a->operation[a->of_node ? a->of_node[k] : 0].fused >= 0;
        assert_int_equal(fused, leaf && k < tree->inner - tail);
    }
}

static void test_fused_squares(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t trial = 0; trial < trials(64); trial++) {
        fused_norm how = {.lanes = 2 + accordi_rng_below(&rng, 7), .f32 = trial & 1};
        how.root = trial & 2;
        how.tail = trial & 4 ? accordi_rng_below(&rng, 5) : 0;
        size_t n = 3 * how.lanes + accordi_rng_below(&rng, 30) + how.tail;
        accord_target *target = NULL;
        accord_record record;
        accord_error error = {.text = ""};
        accordi_record_init(&record);
        assert_int_equal(accord_target_from_callback(norm, &how, n, how.f32, &target, NULL),
                         ACCORD_OK);
        if (accord_reveal(target, NULL, &record, &error) || !record.arithmetic)
            fail_msg("%zu lanes, tail %zu, n = %zu, f%d: %s", how.lanes, how.tail, n,
                     how.f32 ? 32 : 64, error.text[0] ? error.text : record.verdict);
        assert_int_equal(record.replays_agreed, record.replays);
        assert_int_equal(record.arithmetic->term, ACCORD_TERM_SQUARE);
        expect_fused(&record, how.tail);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

static enum accord_status reveal_written(const char *notation, size_t n, accord_record *record,
                                         accord_error *error)
{
    accord_target_options options;
    accord_target *target = NULL;
    accord_target_options_init(&options);
    options.n = n;
    accordi_record_init(record);
    *error = (accord_error){.text = ""};
    assert_int_equal(accord_target_open(notation, &options, &target, error), ACCORD_OK);
    enum accord_status status = accord_reveal(target, NULL, record, error);
    accord_target_close(target);
    return status;
}

/* Rounding down is found as it is, up with all signs changed, and toward zero with masks whose
 * places are counted. */
static void test_directed(void **state)
{
    static const struct {
        const char *name;
        enum accord_rounding rounding;
    } roundings[] = {{"up", ACCORD_UP}, {"down", ACCORD_DOWN}, {"zero", ACCORD_TOWARD_ZERO}};
    static const char *const notations[] = {"chain", "pairs", "halves", "lanes 2; chain",
                                            "lanes 3; halves"};
    static const char *const formats[] = {"f32", "f64"};
    (void)state;
    for (size_t trial = 0; trial < 9 * 3 * 5 * 2; trial++) {
        size_t n = 6 + 7 * (trial % 9), r = trial / 9 % 3, order = trial / 27 % 5;
        char notation[80], written[64];
        accord_record record;
        accord_error error;
        accord_tree *tree = NULL;
        if (!trial_runs(trial, trials_seed()))
            continue;
        snprintf(notation, sizeof notation, "synthetic:%zu: %s,terms=%s,rounding=%s", n,
                 notations[order], formats[trial / 135], roundings[r].name);
        if (reveal_written(notation, n, &record, &error) || !record.proven ||
            record.replays_agreed < record.replays)
            fail_msg("%s: %s", notation, error.text[0] ? error.text : record.verdict);
        assert_int_equal(record.arithmetic->operation->rounding, roundings[r].rounding);
        snprintf(written, sizeof written, "%zu: %s", n, notations[order]);
        assert_int_equal(accord_notation_parse(written, &tree, NULL, NULL, &error), ACCORD_OK);
        assert_true(accord_tree_equal(tree, record.tree));
        accord_tree_free(tree);
        accord_record_clear(&record);
    }
}

/* Beside more terms than the format has room for moves of masks it is said why there is no order.
 */
static void test_toward_zero_of_many(void **state)
{
    accord_record record;
    accord_error error;
    (void)state;
    assert_int_equal(reveal_written("synthetic:2500: lanes 2; chain,terms=f32,rounding=zero", 2500,
                                    &record, &error),
                     ACCORD_UNABLE);
    assert_int_equal(error.reason, ACCORD_REASON_OUT_OF_RANGE);
    assert_non_null(strstr(error.text, "rounded toward zero"));
    accord_record_clear(&record);
}

/* Sums in f32 of which one rounds otherwise than any rounding of models. */
enum lone_way { INFINITE, /* toward zero, but it overflows */ TO_ODD /* ties go to odd numbers */ };
typedef struct lone {
    enum lone_way way;
    size_t place;
} lone;

static float round_lone(enum lone_way way, double exact)
{
    float near = (float)exact,
          other = nextafterf(near, exact > (double)near ? INFINITY : -INFINITY);
    if (way == TO_ODD)
        return exact != (double)near && exact - (double)near == (double)other - exact ? other
                                                                                      : near;
    bool over = isinf(near) || fabs((double)near) <= fabs(exact);
    return over ? near : nextafterf(near, 0);
}

static double add_lone(void *context, const void *x, size_t n)
{
    const float *v = x;
    const lone *l = context;
    float sum = v[0];
    for (size_t i = 1; i < n; i++)
        sum = i == l->place ? round_lone(l->way, (double)sum + (double)v[i]) : sum + v[i];
    return (double)sum;
}

static void test_lone_nodes(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    for (size_t t = 0; t < trials(16); t++) {
        size_t n = 100 + (seed + 7 * t) % 60;
        lone l = {t % 2 ? TO_ODD : INFINITE, n / 4 + (seed / 64 + 11 * t) % (n / 2)};
        accord_target *target;
        accord_record record;
        accord_error error = {.text = ""};
        const accord_reveal_options options = {.size = sizeof options, .seed = seed + t};
        accordi_record_init(&record);
        assert_int_equal(accord_target_from_callback(add_lone, &l, n, true, &target, &error),
                         ACCORD_OK);
        if (accord_reveal(target, &options, &record, &error) != ACCORD_UNABLE || record.proven)
            fail_msg("way %d, n %zu, place %zu: %s", (int)l.way, n, l.place, record.verdict);
        if (l.way == TO_ODD && !strstr(error.text, "rounds as no format"))
            fail_msg("n %zu, place %zu: %s", n, l.place, error.text);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),     cmocka_unit_test(test_fused_exact_products),
        cmocka_unit_test(test_bytes_in_f16), cmocka_unit_test(test_fused_squares),
        cmocka_unit_test(test_directed),     cmocka_unit_test(test_toward_zero_of_many),
        cmocka_unit_test(test_lone_nodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
