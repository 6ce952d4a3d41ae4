/* The arithmetic of machines, found blind: rows of the table, parameters drawn at random, and
 * targets that are no such machine. */
#include "fused/fused.h"
#include "record/record.h"
#include "reveal/arithmetic/special_values.h"
#include "reveal/machine/parameters.h"
#include "targets/synthetic/synthetic.h"
#include "trials.h"
#include <accord/features.h>
#include <accord/notation.h>
#include <accord/record.h>
#include <accord/reveal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- a target that is any machine ---- */

typedef struct black_box {
    accord_fused machine;
    enum accord_format output; /* what the last result is rounded into */
} black_box;

static enum accord_status run_box(accord_target *target, const accord_batch *batch, double *result,
                                  accord_error *error)
{
    const black_box *box = target->state;
    assert_non_null(batch->dense);
    for (size_t p = 0; p < batch->probes; p++) {
        const double *a = (const double *)batch->dense + p * target->n;
        const double *b = (const double *)batch->dense_second + p * target->n;
        const double *scale[] = {batch->scale_first, batch->scale_second};
        for (int i = 0; i < 2 && scale[i]; i++)
            scale[i] += p * (target->n / target->scale_block);
        assert_int_equal(
            accord_fused_dot(&box->machine, target->n, a, b, scale[0], scale[1], &result[p], error),
            ACCORD_OK);
        result[p] = accord_format_round(box->output, ACCORD_NEAREST_EVEN, result[p]);
    }
    return ACCORD_OK;
}

static const accord_target_kind box_kind = {.name = "box", .notation = "box", .run = run_box};

static accord_target box_target(black_box *box, size_t n)
{
    static char name[] = "box";
    return (accord_target){.kind = &box_kind,
                           .state = box,
                           .notation = name,
                           .n = n,
                           .format = box->machine.input,
                           .output = box->output,
                           .term = ACCORD_TERM_PRODUCT,
                           .rows = 1,
                           .columns = 1,
                           .alpha = 1,
                           .scale_block = (size_t)box->machine.scale_block,
                           .scale = box->machine.scale};
}

typedef struct answer {
    enum accord_status status;
    accord_error error;
    accord_arithmetic *arithmetic;
    accordi_features_report report;
} answer;

static answer find(accord_target *target, const accord_tree *tree, uint64_t seed)
{
    answer a = {0};
    accordi_asker asker;
    accordi_ask_init(&asker, target, seed, &a.error);
    a.status = accordi_features_find(&asker, tree, &a.arithmetic, &a.report);
    accordi_ask_clear(&asker);
    return a;
}

/* A value that was found is the true one, or it was said that the two cannot be told apart. */
static bool within(const answer *a, enum accordi_feature f, int due)
{
    bool low = a->report.range[f].least <= due || a->report.range[f].beyond_least;
    bool high = a->report.range[f].most >= due || a->report.range[f].beyond_most;
    return low && high;
}

static bool certain(const answer *a, enum accordi_feature f)
{
    return a->report.range[f].least == a->report.range[f].most &&
           !a->report.range[f].beyond_least && !a->report.range[f].beyond_most;
}

/* Random operands of one step and more, of narrow or wide exponents, some terms cancelling, or all
 * products of one sign, so that sums have the most bits. */
static void draw(accordi_rng *rng, const accord_fused *machine, size_t n, double *a, double *b)
{
    const accord_format_info *row = accord_format_get(machine->input);
    int spread = 1 + (int)accordi_rng_below(rng, 24), middle = (int)accordi_rng_below(rng, 12) - 6;
    if (accordi_rng_below(rng, 4) == 0)
        middle = row->min_exponent + 4;
    bool one_sign = accordi_rng_below(rng, 4) == 0, negative = accordi_rng_below(rng, 2) == 0;
    for (size_t i = 0; i < n; i++) {
        int e = middle + (int)accordi_rng_below(rng, (uint64_t)spread) - spread / 2;
        a[i] = accord_format_round(machine->input, ACCORD_TOWARD_ZERO,
                                   ldexp(accordi_rng_normal(rng), e));
        b[i] = accord_format_round(machine->input, ACCORD_TOWARD_ZERO,
                                   ldexp(accordi_rng_normal(rng), middle));
        if (one_sign) {
            a[i] = negative ? -fabs(a[i]) : fabs(a[i]);
            b[i] = fabs(b[i]);
        } else if (i && accordi_rng_below(rng, 4) == 0) {
            size_t twin = accordi_rng_below(rng, i);
            a[i] = -a[twin];
            b[i] = b[twin];
        }
    }
}

/* Scales of blocks, near each other or far apart. */
static void draw_scales(accordi_rng *rng, const accord_fused *machine, size_t blocks, double *scale)
{
    const accord_format_info *row = accord_format_get(machine->scale);
    int middle = (int)accordi_rng_below(rng, 60) - 30;
    uint64_t spread = 1 + accordi_rng_below(rng, 40);
    for (size_t k = 0; k < blocks; k++) {
        double x = ldexp(1 + accordi_rng_unit(rng), middle + (int)accordi_rng_below(rng, spread));
        double least = ldexp(1, row->min_exponent);
        scale[k] = x < least ? least : accord_format_round(machine->scale, ACCORD_TOWARD_ZERO, x);
    }
}

/* Second opinion: the two machines on inputs that the search has not seen. */
static void assert_equal_machines(accordi_rng *rng, const char *name, const accord_fused *due,
                                  const accord_fused *found, size_t n)
{
    double a[200], b[200], scale[2][200];
    bool scaled = due->scale_block > 0;
    const double *s[] = {scaled ? scale[0] : NULL, scaled ? scale[1] : NULL};
    for (size_t t = 0; t < trials(4000); t++) {
        double x = -1, y = -2;
        draw(rng, due, n, a, b);
        for (int i = 0; i < 2 && scaled; i++)
            draw_scales(rng, due, n / (size_t)due->scale_block, scale[i]);
        assert_int_equal(accord_fused_dot(due, n, a, b, s[0], s[1], &x, NULL), ACCORD_OK);
        assert_int_equal(accord_fused_dot(found, n, a, b, s[0], s[1], &y, NULL), ACCORD_OK);
        if (x != y && !(isnan(x) && isnan(y)))
            fail_msg("%s: %a, but what was found gives %a", name, x, y);
    }
}

/* Every feature that applies is the true one, or said to be uncertain; the number that is neither:
 * two features together may do what two others do. */
static size_t check_found(accordi_rng *rng, const char *name, const accord_fused *due,
                          const answer *a, size_t n)
{
    size_t off = 0;
    if (a->status != ACCORD_OK)
        fail_msg("%s: %s", name, a->error.text);
    assert_int_equal(a->report.agreed, a->report.replays);
    assert_int_equal(a->report.replays, 2000);
    assert_true(a->arithmetic->has_machine);
    for (int f = 0; f < ACCORDI_FEATURES; f++) {
        enum accordi_feature feature = (enum accordi_feature)f;
        int got = accordi_feature_value(&a->arithmetic->machine, feature);
        int want = accordi_feature_value(due, feature);
        if (!accordi_feature_applies(due, feature))
            continue;
        if (certain(a, feature) ? got == want : within(a, feature, want))
            continue;
        off++;
        printf("# %s: %s was %d (%d ... %d)\n", name, accordi_feature_get(feature)->parameter->name,
               got, a->report.range[f].least, a->report.range[f].most);
    }
    assert_equal_machines(rng, name, due, &a->arithmetic->machine, n);
    return off;
}

/* ---- the table ---- */

/* Which parameters of a row no probe can show: tiny terms of formats that have none, products of
 * 2^128 where there are none, and a sum of products that is cut below what f32 results show. */
static bool may_hide(const accord_fused *row, enum accordi_feature feature)
{
    const accord_format_info *in = accord_format_get(row->input);
    bool narrow = in->max_exponent < 64 && row->scale != ACCORD_E8M0;
    bool subtle = row->scheme == ACCORD_FUSED_THEN_C;
    return (feature == ACCORDI_FEATURE_LEAST_EXPONENT && (narrow || row->least_exponent < -300)) ||
           (feature == ACCORDI_FEATURE_INFINITE_PRODUCTS && narrow) ||
           feature == ACCORDI_FEATURE_C_LEADING || feature == ACCORDI_FEATURE_LEADING ||
           feature == ACCORDI_FEATURE_ZEROS || feature == ACCORDI_FEATURE_OVERFLOW ||
           feature == ACCORDI_FEATURE_POSITIVE_ZERO ||
           (feature == ACCORDI_FEATURE_SUM_FRACTION && subtle && narrow) ||
           /* blocks are cut only where their scales are the least and others the greatest */
           (feature == ACCORDI_FEATURE_BLOCK && row->scale == ACCORD_UE4M3);
}

static void test_rows(void **state)
{
    (void)state;
    accordi_rng rng;
    uint64_t seed = trials_seed();
    accordi_rng_init(&rng, seed);
    const accord_fused *row;
    size_t rows = 0;
    for (size_t i = 0; (row = accord_fused_at(i)); i++) {
        if (!trial_runs(i, seed))
            continue;
        accord_target_options options;
        accord_target_options_init(&options);
        options.n = row->terms == 1 ? 8 : 3 * (size_t)row->terms;
        char notation[80];
        snprintf(notation, sizeof notation, "synthetic:%s", row->name);
        accord_target *target = NULL;
        accord_tree *tree = NULL;
        assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
        assert_int_equal(accord_synthetic_tree(target, &tree, NULL), ACCORD_OK);
        answer a = find(target, tree, seed + i);
        assert_int_equal(check_found(&rng, row->name, row, &a, options.n), 0);
        for (int f = 0; f < ACCORDI_FEATURES; f++) {
            enum accordi_feature feature = (enum accordi_feature)f;
            if (accordi_feature_applies(row, feature) && !certain(&a, feature) &&
                !may_hide(row, feature))
                fail_msg("%s: %s was not made out", row->name,
                         accordi_feature_get(feature)->parameter->name);
        }
        rows++;
        accord_arithmetic_free(a.arithmetic);
        accord_tree_free(tree);
        accord_target_close(target);
    }
    printf("# %zu rows\n", rows);
    assert_true(rows > (trials_are_all() ? 40 : 0));
}

/* ---- parameters that no row has ---- */

static int drawn(accordi_rng *rng, int least, int most)
{
    return least + (int)accordi_rng_below(rng, (uint64_t)(most - least + 1));
}

static accord_fused draw_machine(accordi_rng *rng)
{
    static const enum accord_format inputs[] = {ACCORD_F16, ACCORD_BF16, ACCORD_TF32, ACCORD_E4M3,
                                                ACCORD_E5M2};
    accord_fused m = {.name = "random", .machine = "random", .source = ""};
    m.input = inputs[drawn(rng, 0, 4)];
    m.output = drawn(rng, 0, 3) ? ACCORD_F32 : ACCORD_F16;
    m.scheme = drawn(rng, 0, 1) ? ACCORD_FUSED_WITH_C : ACCORD_FUSED_THEN_C;
    m.terms = drawn(rng, 2, 20);
    m.fraction = drawn(rng, 8, 30);
    m.alignment = (enum accord_rounding)drawn(rng, 0, 3);
    m.least_exponent = drawn(rng, -160, 0);
    m.normalised = drawn(rng, 0, 2) == 0;
    m.rounding = (enum accord_rounding)drawn(rng, 0, 3);
    m.output_fraction = drawn(rng, 0, 2) ? 0 : drawn(rng, 6, 9);
    m.flush = drawn(rng, 0, 4) == 0;
    m.infinite_products = drawn(rng, 0, 1);
    if (m.scheme == ACCORD_FUSED_THEN_C) {
        m.halves = drawn(rng, 0, 1);
        m.c_fraction = drawn(rng, 8, 28);
        m.sum_fraction = m.c_fraction + drawn(rng, 0, 10);
        m.c_reach = drawn(rng, 0, 1) ? 0 : drawn(rng, 8, 30);
        m.join = (enum accord_rounding)drawn(rng, 0, 3);
    }
    return m;
}

static accord_tree *tree_of(const accord_fused *machine, size_t n)
{
    accord_tree *tree = NULL;
    assert_int_equal(accordi_machine_tree(machine, n, &tree, NULL), ACCORD_OK);
    return tree;
}

static void describe(const accord_fused *m, char *text, size_t size)
{
    size_t at = 0;
    text[0] = 0;
    for (int f = 0; f < ACCORDI_FEATURES && at < size; f++)
        if (accordi_feature_applies(m, (enum accordi_feature)f))
            at += (size_t)snprintf(text + at, size - at, "%s %d ",
                                   accordi_feature_get((enum accordi_feature)f)->parameter->name,
                                   accordi_feature_value(m, (enum accordi_feature)f));
}

/* The same with scales: steps of one or two blocks that share them, of products that are aligned
 * one by one or added exactly before. */
static accord_fused draw_scaled_machine(accordi_rng *rng)
{
    static const enum accord_format inputs[] = {ACCORD_E4M3, ACCORD_E5M2, ACCORD_E3M2, ACCORD_E2M3,
                                                ACCORD_E2M1};
    accord_fused m = draw_machine(rng);
    m.input = inputs[drawn(rng, 0, 4)];
    m.scale = ACCORD_E8M0;
    m.scale_block = 8 << drawn(rng, 0, 2);
    m.terms = m.scale_block * (m.scale_block < 32 ? drawn(rng, 1, 2) : 1);
    m.block = drawn(rng, 0, 1) ? 0 : m.scale_block >> drawn(rng, 0, 2);
    if (m.block)
        m.normalised = false;
    m.halves = false; /* even and odd products of few bits are not always told apart */
    /* Products of one block lie close together: how their sum is cut beside c is not always told.
     */
    if (m.terms == m.scale_block) {
        m.scheme = ACCORD_FUSED_WITH_C;
        m.sum_fraction = m.c_fraction = m.c_reach = 0;
        m.join = ACCORD_NEAREST_EVEN;
    }
    return m;
}

/* Schemes in which every addition rounds. */
static accord_fused draw_rounding_machine(accordi_rng *rng)
{
    static const enum accord_format inputs[] = {ACCORD_F16, ACCORD_BF16, ACCORD_F32};
    static const enum accord_fused_scheme schemes[] = {
        ACCORD_FUSED_LAST_FIRST, ACCORD_FUSED_EVEN_ODD, ACCORD_FUSED_PAIRWISE};
    accord_fused m = {.name = "random", .machine = "random", .source = "", .output = ACCORD_F32};
    m.input = inputs[drawn(rng, 0, 2)];
    m.scheme = schemes[drawn(rng, 0, 2)];
    bool pairs = m.scheme == ACCORD_FUSED_PAIRWISE;
    m.terms =
        pairs ? 2 << drawn(rng, 0, 3) : drawn(rng, m.scheme == ACCORD_FUSED_EVEN_ODD ? 3 : 2, 20);
    m.flush = drawn(rng, 0, 2) > 0;
    m.flush_tiny = m.flush && !pairs && drawn(rng, 0, 1);
    return m;
}

static void find_random(accord_fused (*draw_one)(accordi_rng *rng), size_t all)
{
    accordi_rng rng;
    uint64_t seed = trials_seed();
    accordi_rng_init(&rng, seed);
    size_t off = 0, unable = 0;
    for (size_t t = 0; t < all; t++) {
        char text[500];
        black_box box = {.machine = draw_one(&rng)};
        box.output = box.machine.output;
        size_t n = 3 * (size_t)box.machine.terms;
        accord_target target = box_target(&box, n);
        accord_tree *tree = tree_of(&box.machine, n);
        describe(&box.machine, text, sizeof text);
        answer a = find(&target, tree, seed + t);
        if (a.status == ACCORD_UNABLE) { /* honest, but it must be rare */
            printf("# %s: %s\n", text, a.error.text);
            unable++;
        } else {
            off += check_found(&rng, text, &box.machine, &a, n);
        }
        accord_arithmetic_free(a.arithmetic);
        accord_tree_free(tree);
    }
    printf("# %zu features of %zu machines otherwise than they are\n", off, all);
    assert_true(off <= 2 + all / 10);
    assert_true(unable <= 1 + all / 50);
}

static void test_random_roundings(void **state)
{
    (void)state;
    find_random(draw_rounding_machine, trials(30));
}

static void test_random_parameters(void **state)
{
    (void)state;
    find_random(draw_machine, trials(6));
}

static void test_random_scales(void **state)
{
    (void)state;
    find_random(draw_scaled_machine, trials(6));
}

/* What stands around a machine: operands that it cuts, results that are rounded once more. */
static void test_wrapped_machines(void **state)
{
    (void)state;
    accord_fused tf32 = *accord_fused_by_name("hopper-tf32"),
                 f16 = *accord_fused_by_name("ada-f16");
    uint64_t seed = trials_seed();
    black_box cut = {.machine = tf32, .output = ACCORD_F32};
    accord_target target = box_target(&cut, 24);
    target.format = ACCORD_F32;
    accord_tree *tree = tree_of(&tf32, 24);
    answer a = find(&target, tree, seed);
    assert_int_equal(a.status, ACCORD_OK);
    assert_int_equal(a.report.machine.input, ACCORD_TF32);
    assert_int_equal(a.report.machine.fraction, 25);
    assert_int_equal(a.report.machine.least_exponent, -133);
    accord_arithmetic_free(a.arithmetic);
    accord_tree_free(tree);

    black_box narrow = {.machine = f16, .output = ACCORD_F16};
    target = box_target(&narrow, 24);
    tree = tree_of(&f16, 24);
    a = find(&target, tree, seed);
    if (a.status != ACCORD_OK)
        fail_msg("%s", a.error.text);
    assert_int_equal(a.report.machine.output, ACCORD_F32);
    assert_int_equal(a.arithmetic->output, ACCORD_F16);
    assert_int_equal(a.report.machine.fraction, 24);
    assert_true(within(&a, ACCORDI_FEATURE_ROUNDING, ACCORD_TOWARD_ZERO));
    accord_arithmetic_free(a.arithmetic);
    accord_tree_free(tree);
}

/* Fused sums of values, which have no second factors. */
static void test_values(void **state)
{
    (void)state;
    static const struct {
        enum accord_format format;
        int fraction;
    } cases[] = {{ACCORD_F32, 24}, {ACCORD_F64, 53}, {ACCORD_BF16, 8}};
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        accord_target_options options;
        accord_target_options_init(&options);
        options.n = 24;
        options.has_format = true;
        options.format = cases[i].format;
        accord_target *target = NULL;
        accord_tree *tree = NULL;
        assert_int_equal(accord_target_open("synthetic:fused:8", &options, &target, NULL),
                         ACCORD_OK);
        assert_int_equal(accord_synthetic_tree(target, &tree, NULL), ACCORD_OK);
        answer a = find(target, tree, seed);
        if (a.status != ACCORD_OK)
            fail_msg("%s", a.error.text);
        assert_int_equal(a.report.machine.scheme, ACCORD_FUSED_WITH_C);
        assert_int_equal(a.report.machine.fraction, cases[i].fraction);
        assert_int_equal(a.report.machine.alignment, ACCORD_TOWARD_ZERO);
        assert_int_equal(a.arithmetic->term, ACCORD_TERM_VALUE);
        accord_arithmetic_free(a.arithmetic);
        accord_tree_free(tree);
        accord_target_close(target);
    }
}

/* ---- elements without room for masks ---- */

/* A record that was written and read replays what the machine computes, with scales of its own for
 * each row. */
static void check_scaled_replays(const accord_record *record, const accord_fused *row)
{
    enum { ROWS = 20, MOST = 200 };
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    char *text = NULL;
    accord_record read;
    accordi_record_init(&read);
    assert_int_equal(accord_record_string(record, accord_writer_by_name("json"), NULL, &text, NULL),
                     ACCORD_OK);
    assert_int_equal(accord_record_read(text, strlen(text), &read, NULL), ACCORD_OK);
    free(text);
    size_t n = read.tree->leaves, blocks = n / (size_t)row->scale_block;
    const accord_model model = {read.tree, read.arithmetic};
    static double a[ROWS][MOST], b[ROWS][MOST], scale[2][ROWS][MOST];
    const void *x[ROWS], *y[ROWS];
    const double *by_x[ROWS], *by_y[ROWS];
    double result[ROWS];
    for (size_t r = 0; r < ROWS; r++) {
        draw(&rng, row, n, a[r], b[r]);
        for (int i = 0; i < 2; i++)
            draw_scales(&rng, row, blocks, scale[i][r]);
        x[r] = a[r];
        y[r] = b[r];
        by_x[r] = scale[0][r];
        by_y[r] = scale[1][r];
    }
    const accord_rows rows = {
        .size = sizeof rows, .rows = ROWS, .x = x, .y = y, .scale_x = by_x, .scale_y = by_y};
    assert_int_equal(accord_model_replay(&model, &rows, result, NULL), ACCORD_OK);
    for (size_t r = 0; r < ROWS; r++) {
        double due;
        assert_int_equal(accord_fused_dot(row, n, a[r], b[r], by_x[r], by_y[r], &due, NULL),
                         ACCORD_OK);
        assert_true(result[r] == due || (isnan(result[r]) && isnan(due)));
    }
    accord_record_clear(&read);
}

/* The order of blocks by masks of their scales, or where these show none by exchanges of blocks,
 * and then the machine, without the table. */
static void test_masks_of_scales(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t n;
        const char *words;
    } cases[] = {{"blackwell-mxe2m1", 96, "scales are their masks"},
                 {"blackwell-mxe3m2", 160, "scales are their masks"},
                 {"blackwell-mxf4", 192, "scales are their masks"},
                 {"blackwell-nvf4", 32, "scales are their masks"},
                 {"blackwell-nvf4", 80, "exchanges of blocks"},
                 {"blackwell-nvf4", 192, "blocks of one step change places without any effect"}};
    enum { CASES = sizeof cases / sizeof *cases };
    for (size_t i = 0; i < CASES; i++) {
        if (!trials_are_all() && i != trials_seed() % CASES) /* each takes seconds */
            continue;
        const accord_fused *row = accord_fused_by_name(cases[i].name);
        accord_reveal_options how;
        accord_target_options options;
        accord_target *target = NULL;
        accord_record record;
        accord_error error = {0};
        char notation[80];
        accord_reveal_options_init(&how);
        accord_target_options_init(&options);
        accordi_record_init(&record);
        options.n = cases[i].n;
        how.seed = trials_seed();
        snprintf(notation, sizeof notation, "synthetic:%s", row->name);
        assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
        accord_tree *due = tree_of(row, cases[i].n);
        if (accord_reveal(target, &how, &record, &error) != ACCORD_OK)
            fail_msg("%s: %s", row->name, error.text);
        /* The sums of two blocks are exact, and in one step or in two they are rounded but once. */
        assert_true(cases[i].n == 32 || accord_tree_equal(record.tree, due));
        assert_false(record.proven);
        assert_int_equal(record.nodes_confirmed, 0);
        assert_non_null(strstr(record.verdict, cases[i].words));
        assert_int_equal(record.replays_agreed, 2000);
        if (cases[i].n > 80) /* so few steps show less: others add the same */
            assert_int_equal(record.arithmetic->machine.fraction, row->fraction);
        if (row->scale == ACCORD_E8M0) /* others do not reach far enough (may_hide) */
            assert_int_equal(record.arithmetic->machine.block, row->block);
        assert_int_equal(record.arithmetic->machine.scale, row->scale);
        check_scaled_replays(&record, row);
        how.no_certificate = true;
        assert_int_equal(accord_reveal(target, &how, &record, &error), ACCORD_UNSUPPORTED);
        accord_record_clear(&record);
        accord_tree_free(due);
        accord_target_close(target);
    }
}

/* Products that do not fill their last block are refused before anything is asked. */
static void test_unfilled_blocks(void **state)
{
    (void)state;
    accord_target_options options;
    accord_target *target = NULL;
    accord_record record;
    accord_error error = {0};
    accord_target_options_init(&options);
    accordi_record_init(&record);
    options.n = 33;
    assert_int_equal(accord_target_open("synthetic:blackwell-mxf4", &options, &target, NULL),
                     ACCORD_OK);
    assert_int_equal(accord_reveal(target, NULL, &record, &error), ACCORD_ARG);
    assert_non_null(strstr(error.text, "a multiple of 32"));
    assert_int_equal(target->calls, 0);
    accord_record_clear(&record);
    accord_target_close(target);
}

/* ---- blocks that are no steps of a machine ---- */

enum { SHARE = 8, BLOCKS = 8 };

typedef double sum_of_blocks(const double products[BLOCKS][SHARE], const double scale[BLOCKS]);

/* Blocks are exact, and added two by two in f32. */
static double add_in_pairs(const double products[BLOCKS][SHARE], const double scale[BLOCKS])
{
    float sum[BLOCKS];
    for (size_t k = 0; k < BLOCKS; k++) {
        double exact = 0;
        for (size_t i = 0; i < SHARE; i++)
            exact += products[k][i];
        sum[k] = (float)(exact * scale[k]);
    }
    for (size_t count = BLOCKS; count > 1; count /= 2)
        for (size_t k = 0; k < count / 2; k++)
            sum[k] = sum[2 * k] + sum[2 * k + 1];
    return (double)sum[0];
}

/* The same, but the products of a block are added in bf16. */
static double add_narrow(const double products[BLOCKS][SHARE], const double scale[BLOCKS])
{
    double narrow[BLOCKS][SHARE] = {0};
    for (size_t k = 0; k < BLOCKS; k++)
        for (size_t i = 0; i < SHARE; i++)
            narrow[k][0] =
                accord_format_add(ACCORD_BF16, ACCORD_NEAREST_EVEN, narrow[k][0], products[k][i]);
    return add_in_pairs((const double(*)[SHARE])narrow, scale);
}

static enum accord_status run_blocks(accord_target *target, const accord_batch *batch,
                                     double *result, accord_error *error)
{
    sum_of_blocks *const *sum = target->state;
    (void)error;
    assert_int_equal(target->n, SHARE * BLOCKS);
    for (size_t p = 0; p < batch->probes; p++) {
        double products[BLOCKS][SHARE], scale[BLOCKS];
        for (size_t i = 0; i < SHARE * BLOCKS; i++) {
            const double *b = batch->dense_second;
            double x = ((const double *)batch->dense)[p * target->n + i];
            products[i / SHARE][i % SHARE] = x * (b ? b[p * target->n + i] : 1);
        }
        for (size_t k = 0; k < BLOCKS; k++) {
            const double x = batch->scale_first[p * BLOCKS + k];
            const double y = batch->scale_second[p * BLOCKS + k];
            assert_true(accord_format_round(target->scale, ACCORD_TOWARD_ZERO, x) == x);
            assert_true(accord_format_round(target->scale, ACCORD_TOWARD_ZERO, y) == y);
            scale[k] = x * y;
        }
        result[p] = (*sum)((const double(*)[SHARE])products, scale);
    }
    return ACCORD_OK;
}

static void test_blocks_in_halves(void **state)
{
    (void)state;
    static const accord_target_kind kind = {.name = "box", .notation = "box", .run = run_blocks};
    static char name[] = "box";
    sum_of_blocks *sums[] = {add_in_pairs, add_narrow, add_in_pairs};
    for (size_t s = 0; s < 3; s++) {
        accord_target target = {.kind = &kind,
                                .state = &sums[s],
                                .notation = name,
                                .n = SHARE * BLOCKS,
                                .format = ACCORD_E2M1,
                                .output = ACCORD_F32,
                                .term = ACCORD_TERM_PRODUCT,
                                .rows = 1,
                                .columns = 1,
                                .alpha = 1,
                                .scale_block = SHARE,
                                .scale = s == 2 ? ACCORD_UE4M3 : ACCORD_E8M0};
        accord_record record;
        accord_error error = {0};
        accord_reveal_options how;
        accord_reveal_options_init(&how);
        how.seed = trials_seed();
        accordi_record_init(&record);
        enum accord_status status = accord_reveal(&target, &how, &record, &error);
        if (s == 1) {
            assert_int_equal(status, ACCORD_UNABLE);
            assert_non_null(strstr(error.text, "not in steps of whole blocks"));
            assert_null(record.tree);
        } else {
            if (status)
                fail_msg("%s", error.text);
            assert_int_equal(record.tree->inner, BLOCKS + BLOCKS - 1);
            char *line = NULL;
            assert_int_equal(accord_notation_write(record.tree, NULL, &line, NULL, NULL),
                             ACCORD_OK);
            assert_string_equal(line, "64: fuse in 8s; pairs");
            accord_notation_free(line);
            assert_false(record.proven);
            assert_non_null(strstr(record.verdict, "are added exactly"));
            assert_int_equal(record.replays_agreed, 2000);
        }
        accord_record_clear(&record);
    }
}

/* ---- what is no such machine ---- */

typedef double odd_step(const accord_fused *machine, size_t step, size_t count, const double *a,
                        const double *b, double c);

/* Every other step keeps fewer bits. */
static double step_alternating(const accord_fused *machine, size_t step, size_t count,
                               const double *a, const double *b, double c)
{
    accord_fused other = *machine;
    other.fraction -= step % 2 ? 0 : 3;
    assert_int_equal(accord_fused_step(&other, count, a, b, NULL, NULL, c, &c, NULL), ACCORD_OK);
    return c;
}

/* Products are rounded to 12 bits before they are aligned. */
static double step_rounded(const accord_fused *machine, size_t step, size_t count, const double *a,
                           const double *b, double c)
{
    double x[64], one[64];
    (void)step;
    for (size_t i = 0; i < count; i++) {
        int e;
        double m = frexp(a[i] * b[i], &e);
        x[i] = ldexp(rint(ldexp(m, 12)), e - 12);
        one[i] = 1;
    }
    accord_fused wide = *machine;
    wide.input = ACCORD_F64;
    assert_int_equal(accord_fused_step(&wide, count, x, one, NULL, NULL, c, &c, NULL), ACCORD_OK);
    return c;
}

/* The result depends on the sign of the first product. */
static double step_signed(const accord_fused *machine, size_t step, size_t count, const double *a,
                          const double *b, double c)
{
    accord_fused other = *machine;
    (void)step;
    other.rounding = a[0] * b[0] < 0 ? ACCORD_UP : ACCORD_DOWN;
    assert_int_equal(accord_fused_step(&other, count, a, b, NULL, NULL, c, &c, NULL), ACCORD_OK);
    return c;
}

/* The exact sum of the products and c, but c counts half above 2^10. */
static double step_halving(const accord_fused *machine, size_t step, size_t count, const double *a,
                           const double *b, double c)
{
    (void)step;
    c = fabs(c) > 1024 ? c / 2 : c;
    assert_int_equal(accord_fused_step(machine, count, a, b, NULL, NULL, c, &c, NULL), ACCORD_OK);
    return c;
}

typedef struct odd_box {
    accord_fused machine;
    odd_step *step;
} odd_box;

static enum accord_status run_odd(accord_target *target, const accord_batch *batch, double *result,
                                  accord_error *error)
{
    const odd_box *box = target->state;
    size_t terms = (size_t)box->machine.terms;
    (void)error;
    for (size_t p = 0; p < batch->probes; p++) {
        const double *a = (const double *)batch->dense + p * target->n;
        const double *b = (const double *)batch->dense_second + p * target->n;
        double c = 0;
        for (size_t i = 0; i < target->n; i += terms)
            c = box->step(&box->machine, i / terms, terms, a + i, b + i, c);
        result[p] = c;
    }
    return ACCORD_OK;
}

static const accord_target_kind odd_kind = {.name = "odd", .notation = "odd", .run = run_odd};

static void test_misfits(void **state)
{
    (void)state;
    static odd_step *const steps[] = {step_alternating, step_rounded, step_signed, step_halving};
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        odd_box box = {.machine = *accord_fused_by_name("ampere-f16"), .step = steps[i]};
        accord_target target = box_target(&(black_box){.machine = box.machine}, 24);
        target.kind = &odd_kind;
        target.state = &box;
        target.output = ACCORD_F32;
        accord_tree *tree = tree_of(&box.machine, 24);
        answer a = find(&target, tree, seed);
        if (a.status != ACCORD_UNABLE)
            fail_msg("misfit %zu was explained", i);
        assert_true(strlen(a.error.text) > 40);
        assert_null(a.arithmetic);
        accord_tree_free(tree);
    }
}

/* Orders that no machine has, and one that has the order of multiply-adds but rounds products. */
static void test_other_orders(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum accord_status status;
    } cases[] = {{"synthetic:pairwise,products", ACCORD_UNSUPPORTED},
                 {"synthetic:multiway", ACCORD_UNSUPPORTED},
                 {"synthetic:lanes:8", ACCORD_UNSUPPORTED},
                 {"synthetic:sequential,products", ACCORD_UNABLE},
                 /* steps of one product whose c is rounded up twice, which is once */
                 {"synthetic:sequential,fma,rounding=up", ACCORD_OK},
                 {"synthetic:sequential,fma,acc=f64", ACCORD_OK},
                 {"synthetic:sequential,fma", ACCORD_OK},
                 {"synthetic:reverse,fma=first", ACCORD_OK}};
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!trial_runs(i, seed))
            continue;
        accord_target_options options;
        accord_target_options_init(&options);
        options.n = 40;
        accord_target *target = NULL;
        accord_tree *tree = NULL;
        assert_int_equal(accord_target_open(cases[i].name, &options, &target, NULL), ACCORD_OK);
        assert_int_equal(accord_synthetic_tree(target, &tree, NULL), ACCORD_OK);
        answer a = find(target, tree, seed);
        if (a.status != cases[i].status)
            fail_msg("%s: %s %s", cases[i].name, accord_status_name(a.status), a.error.text);
        accord_arithmetic_free(a.arithmetic);
        accord_tree_free(tree);
        accord_target_close(target);
    }
}

/* ---- specials ---- */

static void test_specials(void **state)
{
    (void)state;
    enum { U = ACCORDI_UNSEEN, N = ACCORDI_NO, Y = ACCORDI_YES };
    static const struct {
        const char *name;
        enum accord_format format;
        /* zero; flush x, y, products, sums, result; skips, skips, inf, nan, clash, overflow */
        int seen[ACCORDI_SPECIALS];
    } cases[] = {
        {"pairwise", ACCORD_F32, {Y, N, U, U, N, N, U, U, Y, Y, Y, Y}},
        {"pairwise", ACCORD_F64, {Y, N, U, U, N, N, U, U, Y, Y, Y, Y}},
        {"sequential", ACCORD_F16, {Y, N, U, U, N, N, U, U, Y, Y, Y, Y}},
        {"sequential", ACCORD_E4M3, {Y, N, U, U, N, N, U, U, U, Y, U, Y}},
        {"reverse,start=zero", ACCORD_F32, {N, N, U, U, N, N, U, U, Y, Y, Y, Y}},
        {"lanes:4,flush=x", ACCORD_F32, {Y, Y, U, U, N, N, U, U, Y, Y, Y, Y}},
        {"lanes:4,flush=daz", ACCORD_F32, {Y, Y, U, U, Y, N, U, U, Y, Y, Y, Y}},
        {"lanes:4,flush=sums", ACCORD_F32, {Y, N, U, U, Y, N, U, U, Y, Y, Y, Y}},
        {"lanes:4,flush=result", ACCORD_F32, {Y, N, U, U, N, Y, U, U, Y, Y, Y, Y}},
        {"lanes:4,flush=output", ACCORD_F32, {Y, N, U, U, Y, Y, U, U, Y, Y, Y, Y}},
        {"lanes:4,flush=both", ACCORD_BF16, {Y, Y, U, U, Y, Y, U, U, Y, Y, Y, Y}},
        {"numpy,products", ACCORD_F32, {Y, N, N, U, N, N, N, N, Y, Y, Y, Y}},
        {"numpy,products,flush=x", ACCORD_F32, {Y, Y, N, U, N, N, N, N, Y, Y, Y, Y}},
        {"numpy,products,flush=y", ACCORD_F32, {Y, N, Y, U, N, N, N, N, Y, Y, Y, Y}},
        {"numpy,products,flush=products", ACCORD_F32, {Y, N, N, Y, N, N, N, N, Y, Y, Y, Y}},
        {"numpy,products,flush=output", ACCORD_F32, {Y, N, N, Y, Y, Y, N, N, Y, Y, Y, Y}},
        {"numpy,fma,skips-zero", ACCORD_F32, {Y, N, N, U, N, N, Y, Y, Y, Y, Y, Y}},
        {"numpy,fma,skips-zero,start=zero", ACCORD_F32, {N, N, N, U, N, N, Y, Y, Y, Y, Y, Y}},
        {"sequential,acc=f64,out=f32", ACCORD_F32, {Y, N, U, U, N, N, U, U, Y, Y, Y, N}},
        {"cdna2-f16", ACCORD_F16, {N, Y, Y, U, N, N, N, N, Y, Y, Y, U}},
        {"cdna1-f16", ACCORD_F16, {N, N, N, U, N, N, N, N, Y, Y, Y, U}},
        {"cdna2-bf16", ACCORD_BF16, {N, Y, Y, Y, Y, Y, N, N, Y, Y, Y, Y}},
        {"hopper-bf16", ACCORD_BF16, {N, N, N, N, U, N, N, N, Y, Y, Y, N}},
    };
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        accord_target_options options;
        accord_target_options_init(&options);
        options.n = 12;
        options.has_format = true;
        options.format = cases[i].format;
        char notation[80];
        snprintf(notation, sizeof notation, "synthetic:%s", cases[i].name);
        accord_target *target = NULL;
        accord_tree *tree = NULL;
        accordi_asker asker;
        accordi_specials_report report;
        accord_error error;
        assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
        assert_int_equal(accord_synthetic_tree(target, &tree, NULL), ACCORD_OK);
        accordi_ask_init(&asker, target, 1, &error);
        assert_int_equal(accordi_specials_find(&asker, tree, &report), ACCORD_OK);
        accordi_ask_clear(&asker);
        for (int s = 0; s < ACCORDI_SPECIALS; s++) {
            const char *about, *name = accordi_special_name((enum accordi_special)s, &about);
            if ((int)report.seen[s] != cases[i].seen[s])
                print_message("# %s: %s is %d, not %d\n", cases[i].name, name, (int)report.seen[s],
                              cases[i].seen[s]);
            wrong += (int)report.seen[s] != cases[i].seen[s];
        }
        accord_tree_free(tree);
        accord_target_close(target);
    }
    assert_int_equal(wrong, 0);
}

/* ---- the public list ---- */

static accord_features *features_of(const char *notation, size_t n, accord_progress *progress,
                                    enum accord_status due)
{
    accord_target_options options;
    const accord_features_options how = {.seed = 1, .progress = progress};
    accord_target *target = NULL;
    accord_tree *tree = NULL, *other = NULL;
    accord_features *found = NULL;
    accord_target_options_init(&options);
    options.n = n;
    assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
    assert_int_equal(accord_synthetic_tree(target, &tree, NULL), ACCORD_OK);
    assert_int_equal(accord_features_find(target, tree, &how, &found, NULL), due);
    assert_int_equal(accord_tree_read_brackets("(0+1)", 5, &other, NULL), ACCORD_OK);
    assert_int_equal(accord_features_find(target, other, NULL, &found, NULL), ACCORD_ARG);
    accord_tree_free(other);
    accord_tree_free(tree);
    accord_target_close(target);
    return found;
}

static void test_list_of_a_machine(void **state)
{
    (void)state;
    static const struct {
        const char *name, *words;
        enum accord_feature_kind kind;
    } due[] = {{"scheme", "aligned with c", ACCORD_FEATURE_WORD},
               {"terms", "4", ACCORD_FEATURE_NUMBER},
               {"input", "f16", ACCORD_FEATURE_WORD},
               {"fraction", "23", ACCORD_FEATURE_NUMBER},
               {"alignment", "toward zero", ACCORD_FEATURE_WORD},
               {"flush", "no", ACCORD_FEATURE_YES_NO}};
    accord_features *found = features_of("synthetic:volta-f16", 96, NULL, ACCORD_OK);
    const accord_feature *f;
    const accord_fused *row;
    size_t seen = 0, named = 0;
    char words[100];
    assert_null(accord_features_why(found));
    for (size_t i = 0; (f = accord_features_at(found, i)); i++)
        for (size_t k = 0; k < sizeof due / sizeof due[0]; k++) {
            if (strcmp(f->name, due[k].name) != 0)
                continue;
            accord_feature_describe(f, words, sizeof words);
            assert_string_equal(words, due[k].words);
            assert_int_equal(f->kind, due[k].kind);
            assert_true(accord_feature_observable(f));
            assert_true((f->word != NULL) == (f->kind == ACCORD_FEATURE_WORD));
            seen++;
        }
    assert_int_equal(seen, sizeof due / sizeof due[0]);
    for (size_t i = 0; (row = accord_features_machine(found, i)); i++)
        named += strcmp(row->name, "volta-f16") == 0;
    assert_int_equal(named, 1);
    uint64_t probes, replays, agreed;
    accord_features_evidence(found, &probes, &replays, &agreed);
    assert_true(probes > 0 && replays == 2000 && agreed == replays);
    accord_features_free(found);
}

static bool stop(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context, (void)stage, (void)done, (void)total;
    return false;
}

static void test_list_without_a_machine(void **state)
{
    (void)state;
    accord_features *found = features_of("synthetic:pairwise", 40, NULL, ACCORD_OK);
    const accord_special *special;
    size_t specials = 0;
    assert_non_null(accord_features_why(found));
    assert_null(accord_features_at(found, 0));
    assert_null(accord_features_machine(found, 0));
    for (; (special = accord_features_special(found, specials)); specials++)
        assert_true(special->name[0] && special->about[0] && special->seen[0]);
    assert_int_equal(specials, ACCORDI_SPECIALS);
    accord_features_free(found);
    accord_features_free(NULL);
    assert_null(features_of("synthetic:volta-f16", 96, stop, ACCORD_TARGET));
}

static void test_words_of_ranges(void **state)
{
    (void)state;
    static const struct {
        accord_feature feature;
        const char *words;
    } cases[] = {
        {{.least = 3, .most = 3}, "3"},
        {{.least = 3, .most = 5}, "not observable (3 to 5)"},
        {{.least = 3, .most = 5, .open_below = true}, "not observable (5 or less)"},
        {{.least = 3, .most = 3, .open_above = true}, "not observable (3 or more)"},
        {{.least = 3, .most = 5, .open_below = true, .open_above = true}, "not observable"},
        {{.kind = ACCORD_FEATURE_YES_NO, .least = 0, .most = 1}, "not observable (no or yes)"},
        {{.kind = ACCORD_FEATURE_WORD, .least = 0, .most = 1, .least_word = "a", .most_word = "b"},
         "not observable (a or b)"},
    };
    char words[100];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        accord_feature_describe(&cases[i].feature, words, sizeof words);
        assert_string_equal(words, cases[i].words);
        assert_int_equal(accord_feature_observable(&cases[i].feature), i == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_of_a_machine), cmocka_unit_test(test_list_without_a_machine),
        cmocka_unit_test(test_words_of_ranges),   cmocka_unit_test(test_rows),
        cmocka_unit_test(test_random_roundings),  cmocka_unit_test(test_random_parameters),
        cmocka_unit_test(test_random_scales),     cmocka_unit_test(test_masks_of_scales),
        cmocka_unit_test(test_blocks_in_halves),  cmocka_unit_test(test_unfilled_blocks),
        cmocka_unit_test(test_wrapped_machines),  cmocka_unit_test(test_values),
        cmocka_unit_test(test_misfits),           cmocka_unit_test(test_other_orders),
        cmocka_unit_test(test_specials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
