/* Units of the processor: what the instructions do, what models say they do, and what accord finds
 * are the same, bit for bit. The rules are those of the facts of each instruction (Intel's manual,
 * and measured): written down here a second time, with fmaf. */
#include "base/base.h"
#include "trials.h"
#include <accord/features.h>
#include <accord/fused.h>
#include <accord/model.h>
#include <accord/reveal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef float rule(size_t n, const float *a, const float *b);

static float without_subnormal(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

/* a * b + c, rounded once; operands and a result below the least normal number are zeros. A result
 * that only the coarse spacing of subnormal numbers rounds up to that number is below it, too. */
static float fused(float a, float b, float c)
{
    a = without_subnormal(a);
    b = without_subnormal(b);
    c = without_subnormal(c);
    float sum = fmaf(a, b, c);
    double product = (double)a * (double)b, whole = product + (double)c;
    double back = whole - product;
    double rest = (product - (whole - back)) + ((double)c - back);
    double limit = 0x1p-126 - 0x1p-151;
    bool tiny = fabs(whole) < limit || (fabs(whole) == limit && rest * whole < 0);
    return tiny ? copysignf(0, sum) : without_subnormal(sum);
}

/* AMX: even and odd products in chains of their own, from +0 on; then their sum; then the sum so
 * far. Subnormal numbers of f16 are normal in f32, so that none of them counts as zero. */
static float rule_amx(size_t n, const float *a, const float *b)
{
    float sum = 0;
    for (size_t first = 0; first < n; first += 32) {
        float lane[2] = {0, 0};
        size_t end = first + 32 < n ? first + 32 : n + n % 2;
        for (size_t k = first; k < end; k++)
            lane[k % 2] = fused(k < n ? a[k] : 0, k < n ? b[k] : 0, lane[k % 2]);
        sum = fused(1, fused(1, lane[0], lane[1]), sum);
    }
    return sum;
}

/* Of each pair the odd product first. */
static float rule_vdpbf16ps(size_t n, const float *a, const float *b)
{
    float sum = 0;
    for (size_t k = 0; k < n; k += 2) {
        sum = fused(k + 1 < n ? a[k + 1] : 0, k + 1 < n ? b[k + 1] : 0, sum);
        sum = fused(a[k], b[k], sum);
    }
    return sum;
}

/* ---- operands ---- */

enum { RANGES = 4 };

/* Operands with exponents of a range: usual, wide, and near both ends; those of bf16 have sums that
 * are subnormal or overflow. */
typedef struct operands {
    enum accord_format format;
    int low[RANGES], high[RANGES];
} operands;

static const operands bf16 = {ACCORD_BF16, {-4, -60, -70, 50}, {4, 60, -56, 66}};
static const operands f16 = {ACCORD_F16, {-4, -14, -14, 10}, {4, 15, -10, 15}};

static float draw(accordi_rng *rng, const operands *of, int range)
{
    const accord_format_info *row = accord_format_get(of->format);
    int low = of->low[range], span = of->high[range] - low + 1, bits = row->precision - 1;
    int exponent = low + (int)accordi_rng_below(rng, (uint64_t)span);
    uint64_t fraction = accordi_rng_below(rng, (uint64_t)1 << bits);
    float x = ldexpf((float)(((uint64_t)1 << bits) + fraction), exponent - bits);
    switch (accordi_rng_below(rng, 40)) {
    case 0:
        x = 0;
        break;
    case 1:
        x = ldexpf((float)fraction, row->min_exponent - bits); /* subnormal */
        break;
    default:
        break;
    }
    return accordi_rng_below(rng, 2) ? -x : x;
}

/* All that is not zero is a sum just below the least normal number. */
static void draw_just_below(accordi_rng *rng, size_t n, float *a, float *b)
{
    size_t at = accordi_rng_below(rng, n), beside = accordi_rng_below(rng, n);
    float sign = accordi_rng_below(rng, 2) ? -1 : 1;
    for (size_t k = 0; k < n; k++)
        a[k] = 0;
    a[beside] = sign * 0x1p-63f;
    b[beside] = 0x1p-63f;
    if (at != beside) {
        a[at] = -sign * 0x1p-76f * (float)(1 + accordi_rng_below(rng, 8));
        b[at] = 0x1p-76f;
    }
}

/* Half of the rows cancel but for rounding. */
static void draw_row(accordi_rng *rng, const operands *of, size_t n, int range, float *a, float *b)
{
    bool cancels = accordi_rng_below(rng, 2);
    for (size_t k = 0; k < n; k++) {
        size_t twin = accordi_rng_below(rng, k + 1);
        a[k] = draw(rng, of, range);
        b[k] = draw(rng, of, range);
        if (cancels && twin < k) {
            a[k] = -a[twin];
            b[k] = b[twin];
        }
    }
    if (of->format == ACCORD_BF16 && n > 2 && accordi_rng_below(rng, 4) == 0)
        draw_just_below(rng, n, a, b);
}

static accordi_rng new_rng(void)
{
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    return rng;
}

static void same(const char *what, size_t n, double due, double seen, bool any_zero)
{
    if (!accordi_same_bits(due, seen) && !(isnan(due) && isnan(seen)) &&
        !(any_zero && due == 0 && seen == 0))
        fail_msg("%s, n = %zu: %a, not %a", what, n, seen, due);
}

/* ---- models ---- */

enum { MOST = 100 };

/* What a model gives on random rows is what the rule gives; with any_zero, whatever the sign of a
 * zero. */
static void check_model(const char *what, const accord_model *model, const operands *of, rule *due,
                        size_t rows, bool any_zero)
{
    accordi_rng rng = new_rng();
    size_t n = model->tree->leaves;
    for (size_t i = 0; i < rows; i++) {
        float a[MOST], b[MOST];
        const void *x = a, *y = b;
        double seen;
        accord_error error;
        draw_row(&rng, of, n, (int)(i % RANGES), a, b);
        if (accord_model_replay(model, &(accord_rows){.rows = 1, .is_f32 = true, .x = &x, .y = &y},
                                &seen, &error))
            fail_msg("%s: %s", what, error.text);
        same(what, n, (double)due(n, a, b), seen, any_zero);
    }
}

static void check_line(const char *line, const operands *of, rule *due)
{
    accord_tree *tree = NULL;
    accord_arithmetic *how = NULL;
    accord_error error;
    if (accord_model_line_parse(line, &tree, &how, NULL, &error))
        fail_msg("%s: %s", line, error.text);
    check_model(line, &(accord_model){tree, how}, of, due, 20000, false);
    accord_tree_free(tree);
    accord_arithmetic_free(how);
}

#define FLUSHED "x+y+products+sums+result+tiny-after"

/* On every machine: the models that accord finds are these rules. */
static void test_models(void **state)
{
    (void)state;
    check_line("5: lanes 2; chain,terms=bf16,acc=f32,fma,zero-last,flush=" FLUSHED, &bf16,
               rule_amx);
    check_line("32: lanes 2; chain,terms=bf16,acc=f32,fma,zero-last,flush=" FLUSHED, &bf16,
               rule_amx);
    check_line("5: lanes 2; chain,terms=f16,acc=f32,fma,zero-last", &f16, rule_amx);
    check_line("32: lanes 2; chain,terms=f16,acc=f32,fma,zero-last", &f16, rule_amx);
    check_line("5: tree ((((0+1) {fma=first zero=added}+3) {fma=first zero=added}+2) "
               "{fma=first zero=added}+4),terms=bf16,acc=f32,fma,start=zero,flush=" FLUSHED,
               &bf16, rule_vdpbf16ps);
}

/* The rows of the table of machines are these rules, bit for bit, and so is the arithmetic that
 * synthetic targets say they have. */
static void check_row(const char *name, const operands *of, rule *due)
{
    accordi_rng rng = new_rng();
    const accord_fused *row = accord_fused_by_name(name);
    assert_non_null(row);
    for (size_t t = 0; t < trials(20000); t++) {
        float a[MOST], b[MOST];
        double x[MOST], y[MOST], seen;
        size_t n = 1 + accordi_rng_below(&rng, MOST);
        draw_row(&rng, of, n, (int)(t % RANGES), a, b);
        for (size_t k = 0; k < n; k++) {
            x[k] = (double)a[k];
            y[k] = (double)b[k];
        }
        assert_int_equal(accord_fused_dot(row, n, x, y, NULL, NULL, &seen, NULL), ACCORD_OK);
        same(name, n, (double)due(n, a, b), seen, false);
    }
    for (size_t n = 1; n <= MOST; n += n < 8 ? 1 : 5) {
        char notation[80];
        accord_target *target = NULL;
        accord_tree *tree = NULL;
        accord_arithmetic *how = NULL;
        snprintf(notation, sizeof notation, "synthetic:%s", name);
        accord_target_options options;
        accord_target_options_init(&options);
        options.n = n;
        assert_int_equal(accord_target_open(notation, &options, &target, NULL), ACCORD_OK);
        assert_int_equal(accord_synthetic_tree(target, &tree, NULL), ACCORD_OK);
        assert_int_equal(accord_synthetic_arithmetic(target, &how, NULL), ACCORD_OK);
        check_model(notation, &(accord_model){tree, how}, of, due, trials(1000), n == 1);
        accord_arithmetic_free(how);
        accord_tree_free(tree);
        accord_target_close(target);
    }
}

static void test_table(void **state)
{
    (void)state;
    check_row("tdpbf16ps", &bf16, rule_amx);
    check_row("tdpfp16ps", &f16, rule_amx);
    check_row("vdpbf16ps", &bf16, rule_vdpbf16ps);
}

/* ---- the instructions ---- */

/* NULL, and said so, where this processor lacks the instruction. (cmocka's skip() writes "not ok",
 * which Meson takes for a failure.) */
static accord_target *open_unit(const char *notation, size_t n)
{
    accord_target *target = NULL;
    accord_error error;
    enum accord_status status =
        accord_target_open(notation, &(accord_target_options){.n = n}, &target, &error);
    if (status == ACCORD_UNSUPPORTED) {
        print_message("# %s is skipped: %s\n", notation, error.text);
        return NULL;
    }
    if (status)
        fail_msg("%s: %s", notation, error.text);
    return target;
}

/* A million random rows. */
static void check_instruction(const char *notation, const operands *of, rule *due)
{
    static const size_t counts[] = {1, 2, 3, 8, 31, 32, 33, 64, 65, 100};
    enum { ROWS = 1000, TURNS = 100 };
    static float a[ROWS * MOST], b[ROWS * MOST];
    static double seen[ROWS];
    accordi_rng rng = new_rng();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        size_t n = counts[i];
        accord_target *target = open_unit(notation, n);
        if (!target)
            return;
        for (int turn = 0; turn < TURNS; turn++) {
            for (size_t r = 0; r < ROWS; r++)
                draw_row(&rng, of, n, turn % RANGES, a + r * n, b + r * n);
            const accord_batch batch = {.probes = ROWS, .dense = a, .dense_second = b};
            assert_int_equal(accord_target_run(target, &batch, seen, NULL), ACCORD_OK);
            for (size_t r = 0; r < ROWS; r++)
                same(notation, n, (double)due(n, a + r * n, b + r * n), seen[r], false);
        }
        accord_target_close(target);
    }
}

static void test_instructions(void **state)
{
    (void)state;
    check_instruction("cpu:tdpbf16ps", &bf16, rule_amx);
    check_instruction("cpu:tdpfp16ps", &f16, rule_amx);
    check_instruction("cpu:vdpbf16ps", &bf16, rule_vdpbf16ps);
}

/* ---- what accord finds ---- */

static void check_revealed(const char *notation, const operands *of, rule *due)
{
    static const size_t counts[] = {1, 2, 5, 32, 33, 40, 64, 96};
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (!trial_runs(100 * strlen(notation) + counts[i], seed))
            continue;
        accord_target *target = open_unit(notation, counts[i]);
        if (!target)
            return;
        accord_record record;
        accord_error error;
        memset(&record, 0, sizeof record);
        if (accord_reveal(target, &(accord_reveal_options){.seed = counts[i]}, &record, &error))
            fail_msg("%s, n = %zu: %s", notation, counts[i], error.text);
        if (!record.proven || !record.arithmetic)
            fail_msg("%s, n = %zu: %s", notation, counts[i], record.verdict);
        /* What a record assumes about zeros it does not claim to know. */
        bool any_zero = strstr(record.assumes, "a sum that is zero has the sign") != NULL;
        check_model(notation, &(accord_model){record.tree, record.arithmetic}, of, due,
                    trials(5000), any_zero);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

/* The parameters that probes find are those of the row of that name, and of no other. */
static void test_features(void **state)
{
    (void)state;
    static const char *const names[] = {"tdpbf16ps", "tdpfp16ps", "vdpbf16ps"};
    uint64_t seed = trials_seed();
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        if (!trial_runs(i, seed))
            continue;
        char notation[80];
        const char *name = names[i / 2];
        snprintf(notation, sizeof notation, "%s:%s", i % 2 ? "cpu" : "synthetic", name);
        accord_target *target = open_unit(notation, 70);
        if (!target)
            continue;
        accord_record record;
        accord_features *found = NULL;
        accord_error error;
        memset(&record, 0, sizeof record);
        if (accord_reveal(target, NULL, &record, &error) ||
            accord_features_find(target, record.tree, NULL, &found, &error))
            fail_msg("%s: %s", notation, error.text);
        const accord_fused *first = accord_features_machine(found, 0);
        if (!first || strcmp(first->name, name) != 0 || accord_features_machine(found, 1))
            fail_msg("%s is taken for %s", notation, first ? first->name : "no machine");
        accord_features_free(found);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

static void test_reveals(void **state)
{
    (void)state;
    check_revealed("cpu:tdpbf16ps", &bf16, rule_amx);
    check_revealed("synthetic:tdpbf16ps", &bf16, rule_amx); /* where there is no such unit, too */
    check_revealed("cpu:tdpfp16ps", &f16, rule_amx);
    check_revealed("cpu:vdpbf16ps", &bf16, rule_vdpbf16ps);
}

static void test_refused(void **state)
{
    static const struct {
        const char *notation, *words;
        accord_target_options options;
    } rows[] = {
        {"cpu:nop", "not an instruction that accord asks", {.n = 4}},
        {"cpu:", "cpu:", {.n = 4}},
        {"cpu:tdpbf16ps", "bf16", {.n = 4, .has_format = true, .format = ACCORD_F16}},
        {"cpu:tdpfp16ps", "f16", {.n = 4, .has_format = true, .format = ACCORD_BF16}},
        {"cpu:vdpbf16ps", "", {.n = 4, .signature = "dot"}},
        {"cpu:vdpbf16ps", "", {.n = 4, .shape = "4x4"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        accord_target *target = NULL;
        accord_error error;
        assert_int_not_equal(
            accord_target_open(rows[i].notation, &rows[i].options, &target, &error), ACCORD_OK);
        if (!strstr(error.text, rows[i].words) && !strstr(error.text, "needs A"))
            fail_msg("%s: %s", rows[i].notation, error.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models),       cmocka_unit_test(test_table),
        cmocka_unit_test(test_instructions), cmocka_unit_test(test_features),
        cmocka_unit_test(test_reveals),      cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("cpu", tests, NULL, NULL);
}
