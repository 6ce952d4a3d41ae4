/* Arithmetics that are no single way for the whole sum come back: alpha that enters in several
 * ways, partial sums that are stored narrower than they are added, sums in the format of x87. */
#include "base/base.h"
#include "record/record.h"
#include "trials.h"
#include <accord/accord.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *build_folder(void)
{
    const char *folder = getenv("ACCORD_BUILD");
    return folder ? folder : "build";
}

/* Reveals, and holds what is found against what is known of it; the record is the caller's. */
static void expect_explained(accord_target *target, uint64_t seed, const char *what,
                             accord_record *record)
{
    accord_reveal_options how;
    accord_error error = {.text = ""};
    accord_reveal_options_init(&how);
    how.seed = seed;
    accordi_record_init(record);
    if (accord_reveal(target, &how, record, &error))
        fail_msg("%s: %s", what, error.text);
    if (!record->arithmetic || record->replays < 2000 || record->replays_agreed < record->replays)
        fail_msg("%s: %s", what, record->verdict);
}

static bool retakes(const accord_arithmetic *how)
{
    bool some = false;
    for (size_t i = 0; i < how->alpha_nodes; i++)
        some = some || how->alpha_of[i] == ACCORD_SCALED_RETAKEN;
    return some;
}

/* Each way of alpha is drawn some time: so long as one is missing, there are more trials. */
static void test_alphas(void **state)
{
    enum { MORE = 10 };
    static const double factors[][2] = {{1.3, 0}, {-0.7, 0.3}, {0.1, 1}, {3, -1.3}, {-1.9, 0},
                                        {2, 0},   {-0.5, 0.3}, {4, 1},   {-1, 1}};
    enum { FACTORS = sizeof factors / sizeof *factors };
    (void)state;
    uint64_t base = trials_seed() % 100000;
    size_t several = 0, whole = 0, retaken = 0, all = trials(40);
    size_t most = trials_are_all() ? MORE * all : all;
    for (size_t t = 0; t < all || ((!whole || !retaken) && t < most); t++) {
        accord_target_options options;
        accord_target *target;
        accord_record record;
        accord_error error;
        char notation[512], number[32], shape[32], what[100];
        uint64_t seed = base + t;
        size_t n = 1 + seed % 37;
        const double *by = factors[seed % FACTORS];
        accord_target_options_init(&options);
        options.n = n + (by[1] != 0);
        options.alpha = by[0];
        options.beta = by[1];
        snprintf(shape, sizeof shape, "2x%zu", n);
        options.shape = shape;
        snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
        snprintf(notation, sizeof notation, "blas:%s@%s/tests/support/boxes/libalphas.so",
                 t % 2 ? "sgemv" : "dgemv", build_folder());
        setenv("ALPHAS_SEED", number, 1);
        snprintf(what, sizeof what, "%s, seed %s", shape, number);
        if (accord_target_open(notation, &options, &target, &error))
            fail_msg("%s: %s", what, error.text);
        expect_explained(target, seed, what, &record);
        several += record.arithmetic->alpha_at == ACCORD_ALPHA_NODES;
        whole += by[1] != 0 && record.arithmetic->alpha_at == ACCORD_ALPHA_SUM &&
                 record.arithmetic->alpha_node == record.tree->leaves + record.tree->inner - 1;
        retaken += retakes(record.arithmetic);
        accord_record_clear(&record);
        accord_target_close(target);
    }
    unsetenv("ALPHAS_SEED");
    if (!trials_are_all())
        return;
    assert_true(several >= all / 3);
    assert_true(whole > 0);
    assert_true(retaken > 0);
}

static void test_stored(void **state)
{
    static const struct {
        const char *notation;
        enum accord_format format;
        size_t most;
    } targets[] = {
        {"blocks:8,acc=f64,stored=f32", ACCORD_F32, 60},
        {"blocks:5,products,acc=f64,stored=f32", ACCORD_F32, 60},
        {"blocks:8,fma,acc=f32,stored=bf16", ACCORD_F32, 60},
        {"pairwise,acc=f64,stored=bf16", ACCORD_F32, 12},
        {"pairwise,fma=first,acc=f32,stored=bf16", ACCORD_F32, 60},
        {"pairwise,products,acc=f32,stored=bf16", ACCORD_BF16, 60},
        {"numpy,fma=inner,acc=f32,stored=bf16", ACCORD_BF16, 12},
        {"lanes:8,products,acc=f64,stored=f32,fold=sequential", ACCORD_BF16, 15}, /* lanes of two */
        {"lanes:4,products,acc=f32,stored=f16,out=f32", ACCORD_F16, 60},
        {"blocks:8,acc=f32,stored=f16,out=f32", ACCORD_F16, 60},
        /* a few terms meet in f32, and most do not */
        {"pairwise,acc=f32,stored=f16", ACCORD_F16, 60},
        {"blocks:5,products,acc=f32,stored=f16", ACCORD_F16, 60},
        {"pairwise,acc=f32,stored=bf16", ACCORD_BF16, 60},
    };
    (void)state;
    uint64_t seed = trials_seed();
    size_t stored = 0;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        for (size_t t = 0; t < trials(2); t++) {
            accord_target_options options;
            accord_target *target;
            accord_record record;
            accord_error error;
            accord_arithmetic *truth = NULL;
            char notation[100];
            accord_target_options_init(&options);
            options.n = 9 + (seed + 31 * t + 7 * i) % targets[i].most;
            options.has_format = true;
            options.format = targets[i].format;
            snprintf(notation, sizeof notation, "synthetic:%s", targets[i].notation);
            if (accord_target_open(notation, &options, &target, &error))
                fail_msg("%s: %s", notation, error.text);
            expect_explained(target, seed + t, notation, &record);
            for (size_t k = 0; k < record.arithmetic->operations; k++)
                stored += record.arithmetic->operation[k].stored != ACCORD_F64;
            assert_int_equal(accord_synthetic_arithmetic(target, &truth, &error), ACCORD_OK);
            /* Fusion is told below sums of 8 bits, where results hardly show it. */
            for (uint32_t k = 0; k < record.tree->inner && strstr(notation, "fma"); k++) {
                const accord_arithmetic *found = record.arithmetic;
                int is = found->operation[found->of_node ? found->of_node[k] : 0].fused;
                int was = truth->operation[truth->of_node ? truth->of_node[k] : 0].fused;
                if (targets[i].format == ACCORD_F32 && is != was)
                    fail_msg("%s, n = %zu, node %u: fused %d, should be %d", notation, options.n, k,
                             is, was);
            }
            accord_arithmetic_free(truth);
            accord_record_clear(&record);
            accord_target_close(target);
        }
    assert_true(stored > 0 || !trials_are_all());
}

/* ---- narrow terms ---- */

static bool is_of(enum accord_format format, double x)
{
    return isnan(x) || accord_format_round(format, ACCORD_NEAREST_EVEN, x) == x;
}

/* Passes on what is asked, if all of it are numbers of the format of the terms. */
static enum accord_status run_exact(accord_target *target, const accord_batch *batch,
                                    double *result, accord_error *error)
{
    accord_target *inner = target->state;
    size_t values = batch->dense ? batch->probes * target->n : batch->start[2 * batch->probes];
    bool exact = is_of(target->format, batch->fill);
    for (size_t i = 0; i < values && exact; i++)
        exact = is_of(target->format, batch->dense
                                          ? accordi_get_number(batch->dense, target->storage_f32, i)
                                          : batch->value[i]);
    assert_true(exact);
    return accord_target_run(inner, batch, result, error);
}

/* Sums in f32 of narrow terms, with results as narrow. */
static void test_narrow_results(void **state)
{
    static const accord_target_kind kind = {
        .size = sizeof kind, .name = "exact", .notation = "exact", .run = run_exact};
    static const struct {
        const char *notation;
        enum accord_format format;
    } targets[] = {
        {"sequential,acc=f32,out=e5m2", ACCORD_E5M2}, {"lanes:8,acc=f32,out=e5m2", ACCORD_E5M2},
        {"pairwise,acc=f16,out=e4m3", ACCORD_E4M3},   {"numpy,acc=f32,out=bf16", ACCORD_BF16},
        {"reverse,acc=f32,out=f16", ACCORD_F16},
    };
    (void)state;
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        accord_target_options options;
        accord_target *inner, *target;
        accord_record record;
        char notation[100];
        if (!trial_runs(i, seed))
            continue;
        accord_target_options_init(&options);
        options.n = 3 + (seed + i) % 20;
        options.has_format = true;
        options.format = targets[i].format;
        snprintf(notation, sizeof notation, "synthetic:%s", targets[i].notation);
        assert_int_equal(accord_target_open(notation, &options, &inner, NULL), ACCORD_OK);
        assert_int_equal(
            accord_target_new(&kind, inner, notation, options.n, options.format, &target, NULL),
            ACCORD_OK);
        target->output = inner->output;
        target->storage_f32 = inner->storage_f32;
        expect_explained(target, seed, notation, &record);
        accord_record_clear(&record);
        accord_target_close(target);
        accord_target_close(inner);
    }
}

/* Sums in C's long double, which x87 computes: any lanes, alone, as a mean, or of squares with the
 * root. */
typedef struct long_sum {
    unsigned lanes, kind;
    bool f32;
} long_sum;

static double add_long(void *context, const void *x, size_t n)
{
    const long_sum *s = context;
    long double lane[8] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++) {
        long double v =
            s->f32 ? (long double)((const float *)x)[i] : (long double)((const double *)x)[i];
        lane[i % s->lanes] += s->kind == 2 ? v * v : v;
    }
    for (unsigned l = 0; l < s->lanes; l++)
        sum += lane[l];
    sum = s->kind == 1 ? sum / (long double)n : s->kind == 2 ? sqrtl(sum) : sum;
    return s->f32 ? (double)(float)sum : (double)sum;
}

/* Products that f32 holds but for the smallest and the greatest: of thousands of terms not every
 * node is asked whether it fuses them. The others follow those that were, and the tail is asked. */
static void test_products_of_many_terms(void **state)
{
    static const char *const lines[] = {
        "3000: lanes 64; halves,terms=bf16,acc=f32,fma,out=bf16,start=zero",
        "3000: lanes 64; halves,terms=bf16,acc=f32,fma=inner,out=bf16,start=zero",
        "3000: lanes 64; halves,terms=bf16,acc=f32,fma=first,out=bf16,start=zero",
        "3000: lanes 64; halves,terms=bf16,products,acc=f32,out=bf16,start=zero",
        ("3000: (lanes 64; halves) of 2944; chain {fma=none} of last 56; "
         "chain,terms=bf16,acc=f32,fma,out=bf16"),
        "3000: (lanes 64; halves) of 2944; chain {fma=none},terms=bf16,acc=f32,fma,out=bf16",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        accord_target_options options;
        accord_target *target;
        accord_record record;
        char notation[200], *line = NULL;
        accord_target_options_init(&options);
        options.n = 3000;
        options.format = ACCORD_BF16;
        snprintf(notation, sizeof notation, "synthetic:%s", lines[i]);
        assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
        expect_explained(target, trials_seed() + i, lines[i], &record);
        const accord_model model = {record.tree, record.arithmetic};
        assert_int_equal(accord_model_line_write(&model, &line, NULL, NULL), ACCORD_OK);
        assert_string_equal(line, lines[i]);
        accord_notation_free(line);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

static void test_extended(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    size_t extended = 0;
    if (LDBL_MANT_DIG != 64) {
        print_message("# skipped: long double is not the extended format of x87\n");
        return;
    }
    for (size_t t = 0; t < trials(24); t++) {
        long_sum sum = {
            .lanes = 1 + (unsigned)((seed + t) % 5), .kind = (unsigned)(t % 3), .f32 = t / 3 % 2};
        sum.kind = sum.kind == 1 && !sum.f32 ? 0 : sum.kind; /* rounded twice, to 64 and 53 bits */
        size_t n = 3 + (seed + 31 * t) % 60;
        accord_target *target;
        accord_record record;
        accord_error error;
        char what[100];
        snprintf(what, sizeof what, "long double, %u lanes, kind %u, f32 %d, n = %zu", sum.lanes,
                 sum.kind, sum.f32, n);
        assert_int_equal(accord_target_from_callback(add_long, &sum, n, sum.f32, &target, &error),
                         ACCORD_OK);
        expect_explained(target, seed + t, what, &record);
        extended += record.arithmetic->extended;
        if (!sum.f32 && !record.arithmetic->extended)
            fail_msg("%s: %s", what, record.verdict);
        /* Rows that accord has not drawn. */
        accordi_rng rng;
        accordi_rng_init(&rng, seed + t);
        for (int r = 0; r < 200; r++) {
            double x[64], result;
            float x32[64];
            for (size_t i = 0; i < n; i++) {
                x32[i] = (float)ldexp(accordi_rng_normal(&rng), (int)accordi_rng_below(&rng, 30));
                x[i] = sum.f32 ? (double)x32[i] : accordi_rng_normal(&rng);
            }
            const void *row[] = {sum.f32 ? (const void *)x32 : (const void *)x};
            const accord_model model = {record.tree, record.arithmetic};
            const accord_rows rows = {.rows = 1, .x = row, .is_f32 = sum.f32};
            assert_int_equal(accord_model_replay(&model, &rows, &result, &error), ACCORD_OK);
            double due = add_long(&sum, row[0], n);
            if (memcmp(&due, &result, sizeof due))
                fail_msg("%s: row %d gives %a, replayed %a", what, r, due, result);
        }
        accord_record_clear(&record);
        accord_target_close(target);
    }
    assert_true(extended > 0 || !trials_are_all());
}

/* Sums in f64 of which one, or with SIZE_MAX each, is rounded to 64 bits first. */
static double add_and_store(void *context, const void *x, size_t n)
{
    const double *v = x;
    size_t place = *(const size_t *)context;
    double sum = v[0];
    for (size_t i = 1; i < n; i++)
        sum = i == place || place == SIZE_MAX ? (double)((long double)sum + (long double)v[i])
                                              : sum + v[i];
    return sum;
}

static void test_extended_and_stored(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    if (LDBL_MANT_DIG != 64) {
        print_message("# skipped: long double is not the extended format of x87\n");
        return;
    }
    for (size_t t = 0; t < trials(24); t++) {
        bool many = t % 8 == 3; /* so many that nodes are not asked one by one at first */
        size_t n = many ? 1026 + seed % 300 : 8 + (seed + 31 * t) % 60;
        size_t place = many         ? 1 + seed / 7 % (n - 1)
                       : t % 3 == 0 ? 1
                       : t % 3 == 1 ? n - 1
                                    : SIZE_MAX;
        accord_target *target;
        accord_record record;
        accord_error error = {.text = ""};
        const accord_reveal_options options = {.size = sizeof options, .seed = seed + t};
        accordi_record_init(&record);
        assert_int_equal(
            accord_target_from_callback(add_and_store, &place, n, false, &target, &error),
            ACCORD_OK);
        if (accord_reveal(target, &options, &record, &error) != ACCORD_UNABLE ||
            !strstr(record.verdict, "to 64 bits first, as x87"))
            fail_msg("n %zu, place %zu: %s", n, place, record.verdict);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alphas),         cmocka_unit_test(test_stored),
        cmocka_unit_test(test_narrow_results), cmocka_unit_test(test_products_of_many_terms),
        cmocka_unit_test(test_extended),       cmocka_unit_test(test_extended_and_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
