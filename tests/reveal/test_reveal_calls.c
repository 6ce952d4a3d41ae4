/* Orders of known names: machines come back as their trees, and discovery stays within the calls
 * that were promised. */
#include "batches.h"
#include "record/record.h"
#include "reveal/nonnegative/nonnegative.h"
#include "reveal/prove/certificate.h"
#include "trials.h"
#include <accord/fused.h>
#include <accord/notation.h>
#include <accord/reveal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Reveals synthetic:NAME; the number of calls that discovery took, -1 unless its tree came back. */
static int64_t reveal_expecting(const char *name, const accord_tree *expected, size_t n,
                                const enum accord_format *format, uint64_t seed, bool certified)
{
    char notation[80];
    accord_target_options options;
    accord_reveal_options how;
    accord_target *target = NULL;
    accord_tree *tree = NULL;
    accord_record record;
    accord_error error;
    accord_target_options_init(&options);
    accord_reveal_options_init(&how);
    accordi_record_init(&record);
    options.n = n;
    options.seed = how.seed = seed;
    options.has_format = format != NULL;
    options.format = format ? *format : ACCORD_F32;
    how.no_certificate = !certified;
    how.expected = expected;
    snprintf(notation, sizeof notation, "synthetic:%s", name);
    assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
    assert_int_equal(accord_synthetic_tree(target, &tree, NULL), ACCORD_OK);
    enum accord_status status = accord_reveal(target, &how, &record, &error);
    bool good = !status && accord_tree_equal(record.tree, tree) && record.proven == certified;
    if (!good)
        printf("# %s n %zu seed %" PRIu64 ": %s\n", name, n, seed,
               status ? error.text : "another tree");
    int64_t calls = good ? record.discovery_calls : -1;
    accord_record_clear(&record);
    accord_tree_free(tree);
    accord_target_close(target);
    return calls;
}

static int64_t reveal(const char *name, size_t n, const enum accord_format *format, uint64_t seed,
                      bool certified)
{
    return reveal_expecting(name, NULL, n, format, seed, certified);
}

/* Each machine of the table in the format of its products. One of the certified counts, 16, 32 and
 * 48, is enough for each: test_features looks for the parameters of every row, too. */
static void test_machines(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    size_t wrong = 0, machines = 0;
    const accord_fused *machine;
    for (size_t i = 0; (machine = accord_fused_at(i)); i++) {
        if (!trial_runs(i, seed))
            continue;
        machines += !machine->scale_block;
        size_t certified = 16 * (1 + i % 3);
        for (size_t n = 1; n <= 48 && !machine->scale_block; n++)
            wrong +=
                reveal(machine->name, n, &machine->input, seed + 48 * i + n, n == certified) < 0;
    }
    assert_int_equal(wrong, 0);
    assert_true(machines > (trials_are_all() ? 40 : 0));
}

/* With these seeds no triple of terms that calibration draws lies in one fused sum, and a wrong
 * tree explains every answer of the search. */
static void test_rare_calibration(void **state)
{
    (void)state;
    enum accord_format format = ACCORD_F16;
    assert_true(reveal("volta-f16-f16", 41, &format, 1795852753, false) > 0);
}

enum { SEEDS = 11, N = 1024 };

/* Most calls (the median of 11 seeds) in f32 and f64; 0 where none was promised. */
static const struct {
    const char *name;
    int64_t most[2];
} families[] = {
    {"sequential", {290, 120}}, {"reverse", {290, 120}},   {"caterpillar", {1549, 1514}},
    {"pairwise", {160, 160}},   {"lanes", {190, 175}},     {"numpy", {140, 140}},
    {"yule", {1205, 1017}},     {"uniform", {1688, 1597}}, {"multiway", {4224, 0}},
    {"fused:16", {2750, 0}},    {"star", {1029, 0}},       {"blocks:32", {180, 180}},
};

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void test_calls(void **state)
{
    (void)state;
    static const enum accord_format formats[] = {ACCORD_F32, ACCORD_F64};
    uint64_t choice = trials_seed();
    size_t over = 0;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (size_t k = 0; k < 2; k++) {
            int64_t calls[SEEDS], most = families[f].most[k];
            if (!trial_runs(2 * f + k, choice))
                continue;
            for (uint64_t s = 0; s < SEEDS && most; s++)
                calls[s] = reveal(families[f].name, N, &formats[k], s, false);
            if (most == 0)
                continue;
            qsort(calls, SEEDS, sizeof *calls, ascending);
            assert_true(calls[0] > 0);
            printf("# %s %s: %" PRId64 " calls, at most %" PRId64 "\n", families[f].name,
                   accord_format_get(formats[k])->name, calls[SEEDS / 2], most);
            over += calls[SEEDS / 2] > most;
        }
    assert_int_equal(over, 0);
}

/* Of more terms than a result can count, readings around terms find the order, some a term. */
static void test_more_terms_than_counts(void **state)
{
    (void)state;
    enum { TERMS = 3500, READINGS = 4 };
    enum accord_format format = ACCORD_F16;
    int64_t calls = reveal("sequential", TERMS, &format, trials_seed(), false);
    assert_in_range(calls, TERMS, READINGS * TERMS);
}

/* Where a proof follows, regular orders are guessed in a narrow range, too, and by rounding where
 * units cannot be counted: in the mean of f16 they are lost beside most others. */
static void test_narrow_guesses(void **state)
{
    static const struct {
        const char *name;
        size_t n;
        enum accord_format format;
        int64_t most;
    } rows[] = {
        {"numpy", 1000, ACCORD_F16, 600},
        {"lanes:8", 1000, ACCORD_F16, 600},
        {"mean", 1000, ACCORD_F16, 1200},
        {"1000: lanes 8; halves,terms=bf16,acc=f32,out=bf16,mean", 1000, ACCORD_BF16, 1200},
    };
    (void)state;
    size_t over = 0, seeds = trials_are_all() ? SEEDS : 3;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t calls[SEEDS];
        for (uint64_t s = 0; s < seeds; s++)
            calls[s] = reveal(rows[i].name, rows[i].n, &rows[i].format, s, true);
        qsort(calls, seeds, sizeof *calls, ascending);
        assert_true(calls[0] > 0);
        printf("# %s: %" PRId64 " calls, at most %" PRId64 "\n", rows[i].name, calls[seeds / 2],
               rows[i].most);
        over += calls[seeds / 2] > rows[i].most;
    }
    assert_int_equal(over, 0);
}

/* Questions with the calls that finding an order and confirming its nodes may take, with the
 * default seed; calls for answers, arithmetic and replays are not counted. A routine alone is that
 * of the plain loops in tests/support/boxes. Where `order` is given, another order (of another
 * version of the library, or on another CPU) says nothing. */
static const struct {
    const char *notation;
    size_t n;
    int64_t discovery, proof;
    const char *order;
} questions[] = {
    {"synthetic:sequential", 8, 44, 8, NULL},
    {"synthetic:sequential", 64, 72, 64, NULL},
    {"synthetic:sequential", 10000, 900, 10000, NULL},
    {"synthetic:numpy", 64, 72, 34, NULL},
    {"synthetic:numpy", 1000, 80, 352, NULL},
    {"synthetic:lanes:8", 1000, 150, 505, NULL},
    {"sdot", 8, 50, 8, NULL},
    {"sdot", 16, 70, 16, NULL},
    {"sdot", 64, 123, 64, NULL},
    {"ddot", 8, 50, 8, NULL},
    {"sasum", 16, 254, 212, NULL},
    {"blas:sdot@openblas", 16, 70, 16, "d20a3385af8d97aef46ba2b84a5e1203"},
    {"blas:sdot@openblas", 64, 135, 34, "104da48eeb0955baec0257d71df49deb"},
    {"blas:sdot@openblas", 100, 200, 52, "e081ba8366538a314abdf5ff74b91254"},
    {"blas:sdot@openblas", 1000, 220, 338, "70b6a8c7c5777ceb65f6d60437cc87ab"},
    {"blas:sdot@openblas", 4096, 200, 1460, "25f70ef621a2be03fad98d961ceda9ca"},
    {"blas:ddot@openblas", 1000, 185, 161, "65944454b1fe189e3c4e930ad6eb8411"},
    {"sasum", 100, 150, 381, NULL},
    {"sasum", 1000, 160, 2181, NULL},
    {"blas:sasum@openblas", 100, 180, 380, "b73092ec5824c1b03dd72749234e2372"},
    {"blas:sasum@openblas", 1000, 270, 2180, "d6d1beb63171989561b632b78703f0c1"},
    {"blas:dasum@openblas", 1000, 290, 2180, "d9a5a43546dd4655c0cd6ee457dff7a9"},
    {"blas:snrm2@openblas", 1000, 250, 2300, "7a97a194090005ab5d628221452f1ca8"},
};

/* The calls of the proof of an order that was found. */
static int64_t prove(accord_target *target, const accord_tree *tree)
{
    accordi_asker asker;
    accordi_certificate certificate = {0};
    accord_error error;
    bool holds = false;
    accordi_ask_init(&asker, target, 1, &error);
    bool one_sign = asker.term == ACCORD_TERM_ABSOLUTE || asker.term == ACCORD_TERM_SQUARE;
    assert_true(one_sign || accordi_calibrate(&asker) == ACCORD_OK);
    uint64_t calls = target->calls;
    if (one_sign)
        accordi_positive_prove(&asker, tree, &certificate, &holds);
    else
        accordi_prove(&asker, tree, &certificate, &holds);
    calls = target->calls - calls;
    accordi_certificate_clear(&certificate);
    accordi_ask_clear(&asker);
    assert_true(holds);
    return (int64_t)calls;
}

static bool is_another(const accord_record *record, const char *order)
{
    char fingerprint[ACCORD_FINGERPRINT_SIZE];
    assert_int_equal(accord_tree_fingerprint(record->tree, fingerprint, NULL), ACCORD_OK);
    return order && strcmp(order, fingerprint) != 0;
}

/* By how many calls the question takes more than it may. */
static int64_t excess(size_t i)
{
    accord_target *target = NULL;
    accord_target_options options = {.n = questions[i].n};
    accord_record *record = accord_record_new();
    char notation[4400];
    int64_t over = 0;
    if (strchr(questions[i].notation, ':'))
        snprintf(notation, sizeof notation, "%s", questions[i].notation);
    else
        snprintf(notation, sizeof notation, "blas:%s@%s/tests/support/boxes/libf77blas.so",
                 questions[i].notation, build_folder());
    if (accord_target_open(notation, &options, &target, NULL)) {
        assert_non_null(questions[i].order); /* of a library that may be missing */
        printf("# %s: not on this machine\n", notation);
        return 0;
    }
    assert_int_equal(accord_reveal(target, NULL, record, NULL), ACCORD_OK);
    if (is_another(record, questions[i].order)) {
        printf("# %s n %zu: another order\n", questions[i].notation, questions[i].n);
    } else {
        int64_t proof = prove(target, record->tree);
        over = record->discovery_calls - questions[i].discovery;
        over = over > 0 ? over : 0;
        over += proof > questions[i].proof ? proof - questions[i].proof : 0;
        printf("# %s n %zu: %" PRId64 " calls to discover, %" PRId64 " to prove\n",
               questions[i].notation, questions[i].n, record->discovery_calls, proof);
    }
    accord_record_free(record);
    accord_target_close(target);
    return over;
}

static void test_questions(void **state)
{
    (void)state;
    int64_t over = 0;
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        over += excess(i);
    assert_int_equal(over, 0);
}

/* An order that is expected costs less where it is right, and does no harm where it is wrong, even
 * in a single node. */
static void test_expected(void **state)
{
    static const struct {
        const char *name, *right, *wrong;
    } rows[] = {
        {"400: lanes 8; halves", "400: lanes 8; halves", "400: lanes 8; pairs"},
        {"400: lanes 8; halves", "400: lanes 8; halves", "200: lanes 8; halves"},
        {"400: (lanes 16; pairs) of 395; chain", "400: (lanes 16; pairs) of 395; chain",
         "400: (lanes 16; pairs) of 394; chain"},
        {"400: fuse 4", "400: chain", "400: fuse 4"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int certified = 0; certified < 2; certified++) {
            uint64_t seed = trials_seed() + i;
            size_t n = (size_t)strtoul(rows[i].name, NULL, 10);
            accord_tree *right = NULL, *wrong = NULL;
            assert_int_equal(accord_notation_parse(rows[i].right, &right, NULL, NULL, NULL), 0);
            assert_int_equal(accord_notation_parse(rows[i].wrong, &wrong, NULL, NULL, NULL), 0);
            int64_t plain = reveal(rows[i].name, n, NULL, seed, certified);
            int64_t fast = reveal_expecting(rows[i].name, right, n, NULL, seed, certified);
            int64_t safe = reveal_expecting(rows[i].name, wrong, n, NULL, seed, certified);
            printf("# %s: %" PRId64 " calls, %" PRId64 " or %" PRId64 " expecting something\n",
                   rows[i].name, plain, fast, safe);
            assert_true(plain > 0 && fast > 0 && safe > 0);
            assert_true(fast < plain || strstr(rows[i].name, "fuse"));
            accord_tree_free(right);
            accord_tree_free(wrong);
        }
}

/* The remainders of two threads, of which the first one ends far from the root, are added in
 * another way than the rest: that is found without asking each node by itself. */
static void test_parts(void **state)
{
    static const char line[] = "synthetic:4000: ((lanes 16; pairs) of 1984; chain {fma=none}) in 2 "
                               "parts; chain,terms=f64,fma";
    accord_target *target = NULL;
    accord_target_options options;
    accord_record record;
    accord_error error;
    (void)state;
    accord_target_options_init(&options);
    options.n = 4000;
    accordi_record_init(&record);
    assert_int_equal(accord_target_open(line, &options, &target, &error), ACCORD_OK);
    assert_int_equal(accord_reveal(target, NULL, &record, &error), ACCORD_OK);
    assert_true(record.proven && record.replays_agreed == record.replays);
    assert_in_range(record.arithmetic_calls, 1, 4000);
    assert_true(record.arithmetic->of_node != NULL); /* not all nodes have the same */
    accord_record_clear(&record);
    accord_target_close(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machines),       cmocka_unit_test(test_rare_calibration),
        cmocka_unit_test(test_calls),          cmocka_unit_test(test_more_terms_than_counts),
        cmocka_unit_test(test_narrow_guesses), cmocka_unit_test(test_questions),
        cmocka_unit_test(test_expected),       cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
