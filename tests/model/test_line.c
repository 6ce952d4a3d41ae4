/* Models in one line: what is written is read back as the same model, and what is wrong is shown
 * where it is. */
#include "models.h"
#include "trials.h"
#include <accord/notation.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void fingerprint_of(const accord_tree *tree, const accord_arithmetic *how, char *out)
{
    accord_error error = {0};
    if (accord_model_fingerprint(&(accord_model){tree, how}, out, &error))
        fail_msg("%s", error.text);
}

/* Two models whose fingerprints are the same give the same bits for any input. */
static void check_bits(const char *text, const accord_model *a, const accord_model *b,
                       accordi_rng *rng)
{
    enum { ROWS = 12, MOST = 40 };
    double x[ROWS][MOST], y[ROWS][MOST], from_a[ROWS], from_b[ROWS];
    const void *first[ROWS], *second[ROWS];
    for (size_t r = 0; r < ROWS; r++) {
        models_draw_row(rng, a->arithmetic->input, x[r], a->tree->leaves);
        models_draw_row(rng, a->arithmetic->input, y[r], a->tree->leaves);
        first[r] = x[r];
        second[r] = y[r];
    }
    const accord_rows rows = {.rows = ROWS, .x = first, .y = second};
    assert_int_equal(accord_model_replay(a, &rows, from_a, NULL), ACCORD_OK);
    assert_int_equal(accord_model_replay(b, &rows, from_b, NULL), ACCORD_OK);
    for (size_t r = 0; r < ROWS; r++)
        if (memcmp(&from_a[r], &from_b[r], sizeof from_a[r]) &&
            !(isnan(from_a[r]) && isnan(from_b[r])))
            fail_msg("%.400s: %a, but the line gives %a", text, from_a[r], from_b[r]);
}

/* Also that the line is a function of the model. rng: of inputs, on which bits are compared; NULL:
 * none are. */
static void check_line(const char *text, const accord_model *model, accordi_rng *rng)
{
    accord_tree *tree = NULL;
    accord_arithmetic *how = NULL;
    accord_error error = {0};
    char *again = NULL, is[ACCORD_FINGERPRINT_SIZE], said[ACCORD_FINGERPRINT_SIZE];
    if (accord_model_line_parse(text, &tree, &how, NULL, &error))
        fail_msg("%.400s: %s", text, error.text);
    assert_non_null(how);
    fingerprint_of(model->tree, model->arithmetic, is);
    fingerprint_of(tree, how, said);
    if (strcmp(is, said)) {
        accord_model_differ(model, &(accord_model){tree, how}, error.text, sizeof error.text);
        fail_msg("%.400s: %s", text, error.text);
    }
    if (rng)
        check_bits(text, model, &(accord_model){tree, how}, rng);
    assert_int_equal(accord_model_line_write(&(accord_model){tree, how}, &again, NULL, NULL),
                     ACCORD_OK);
    assert_string_equal(text, again);
    accord_notation_free(again);
    accord_tree_free(tree);
    accord_arithmetic_free(how);
}

/* What lines cannot say is taken away from most models. */
static void simplify(accordi_rng *rng, accord_arithmetic *how, uint32_t leaves)
{
    if (accordi_rng_below(rng, 8) == 0)
        return;
    how->operand = ACCORD_F64;
    how->operand_rounding = ACCORD_NEAREST_EVEN;
    how->alpha_at = ACCORD_ALPHA_ONE;
    how->alpha = 1;
    how->beta = 0;
    free(how->alpha_of);
    how->alpha_of = NULL;
    how->alpha_nodes = 0;
    how->alpha_fused = false;
    how->finish = accordi_rng_below(rng, 4) ? ACCORD_FINISH_NONE : ACCORD_FINISH_OVER;
    how->factor = leaves;
    enum accord_rounding all = (enum accord_rounding)accordi_rng_below(rng, ACCORD_ROUNDING_COUNT);
    how->output_rounding = all;
    for (size_t i = 0; i < how->operations && accordi_rng_below(rng, 2); i++)
        how->operation[i].rounding = all;
}

static void test_random_models(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t written = 0, count = trials(20000);
    for (size_t i = 0; i < count; i++) {
        models_made made = {0};
        char *text = NULL;
        accord_error error = {0};
        models_random(&rng, (enum models_kind)accordi_rng_below(&rng, MODELS_KINDS), 40, &made);
        simplify(&rng, made.arithmetic, made.tree->leaves);
        enum accord_status status = accord_model_check(&made.model, NULL)
                                        ? ACCORD_UNSUPPORTED
                                        : accord_model_line_write(&made.model, &text, NULL, &error);
        if (status != ACCORD_UNSUPPORTED) {
            assert_int_equal(status, ACCORD_OK);
            check_line(text, &made.model, &rng);
            written++;
        }
        accord_notation_free(text);
        models_clear(&made);
    }
    assert_true(written > count / 4);
}

/* The truth about a synthetic target. */
static void open_truth(const char *name, size_t n, accord_tree **tree, accord_arithmetic **how)
{
    char notation[400];
    accord_target *target = NULL;
    accord_error error = {0};
    accord_target_options options;
    accord_target_options_init(&options);
    options.n = n;
    snprintf(notation, sizeof notation, "synthetic:%s", name);
    if (accord_target_open(notation, &options, &target, &error))
        fail_msg("%s: %s", notation, error.text);
    assert_int_equal(accord_synthetic_tree(target, tree, NULL), ACCORD_OK);
    assert_int_equal(accord_synthetic_arithmetic(target, how, NULL), ACCORD_OK);
    accord_target_close(target);
}

/* Lines as they are written; synthetic orders know the arithmetic of these. */
static void test_known_lines(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "64: lanes 8; halves,terms=f32",
        "64: lanes 8; halves,terms=f32,acc=f64",
        "64: lanes 8; halves,terms=bf16,acc=f32,out=bf16",
        "64: lanes 8; halves,terms=f32,products",
        "64: lanes 8; halves,terms=f32,fma",
        "64: lanes 8; halves,terms=f64,fma=first,start=zero",
        "64: lanes 8; halves,terms=f64,fma=inner,rounding=up",
        "64: lanes 8; halves,terms=f32,products,product=f16",
        "64: lanes 8; halves,terms=f32,products,flush=daz,skips-zero",
        "64: lanes 8; halves,terms=f32,mean",
        "64: lanes 8; halves,terms=f32,flush=output",
        ("1000: (lanes 32; lanes 4 (pairs); pairs) of 992; chain {f64 fma=none product=f32} of "
         "last 8; chain {f64},terms=f32,fma,start=zero"),
        "40: (lanes 8; halves) of 32; chain {f64} of last 8; chain,terms=f32",
        "9: chain {f16 stored=bf16} of 4; chain,terms=f16,acc=f32",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        accord_tree *tree = NULL;
        accord_arithmetic *how = NULL;
        open_truth(lines[i], accord_notation_terms(lines[i]), &tree, &how);
        check_line(lines[i], &(accord_model){tree, how}, NULL);
        accord_tree_free(tree);
        accord_arithmetic_free(how);
    }
}

/* Every machine of the table, and one that is not in it. */
static void test_machines(void **state)
{
    (void)state;
    const accord_fused *machine;
    for (size_t i = 0; (machine = accord_fused_at(i)); i++) {
        accord_tree *tree = NULL;
        accord_arithmetic *how = NULL;
        char *text = NULL;
        open_truth(machine->name, 100, &tree, &how);
        const accord_model model = {tree, how};
        assert_int_equal(accord_model_line_write(&model, &text, NULL, NULL), ACCORD_OK);
        check_line(text, &model, NULL);
        /* some rows differ in their names alone */
        bool steps =
            machine->scheme == ACCORD_FUSED_WITH_C || machine->scheme == ACCORD_FUSED_THEN_C;
        assert_int_equal(strstr(text, ",machine=") != NULL, steps);
        accord_notation_free(text);
        how->machine.fraction += 40;
        assert_int_equal(accord_model_line_write(&model, &text, NULL, NULL),
                         steps ? ACCORD_UNSUPPORTED : ACCORD_OK);
        if (!steps)
            accord_notation_free(text);
        accord_tree_free(tree);
        accord_arithmetic_free(how);
    }
}

static void test_order_alone(void **state)
{
    (void)state;
    accord_tree *tree = NULL;
    accord_arithmetic *how = (accord_arithmetic *)&tree;
    assert_int_equal(accord_model_line_parse("12: lanes 4; halves", &tree, &how, NULL, NULL),
                     ACCORD_OK);
    assert_null(how);
    assert_int_equal(tree->leaves, 12);
    accord_tree_free(tree);
}

static void test_wrong_lines(void **state)
{
    (void)state;
    enum { NOWHERE = 999 };
    static const struct {
        const char *text;
        enum accord_status status;
        size_t place;
        const char *why;
    } rows[] = {
        {"12: lanes 4 {fmu}; halves", ACCORD_PARSE, 13, "a label says what nodes do"},
        {"12: lanes 4 {f64 fmu}; halves", ACCORD_PARSE, 17, "a label says what nodes do"},
        {"12: lanes 4 {}; halves", ACCORD_PARSE, 13, "empty"},
        {"12: lanes 4 {  }; halves", ACCORD_PARSE, 13, "empty"},
        {"12: lanes 4 {f64; halves", ACCORD_PARSE, 12, "not closed"},
        {"12: lanes 4 {1}; halves", ACCORD_PARSE, 13, "a label says what nodes do"},
        {"12: lanes 4 {f64}; halve", ACCORD_PARSE, 19, "expected a step"},
        {"12: lanes 4 {stored=f63}; halves", ACCORD_PARSE, 13, "a label says what nodes do"},
        {"12: lanes 4 {keepss}; halves", ACCORD_PARSE, 13, "a label says what nodes do"},
        {"12: lanes 4 of 13; halves {f64},terms=f32", ACCORD_PARSE, NOWHERE, "so many items"},
        {"12: lanes 4; halves,", ACCORD_PARSE, 20, "cannot read the setting ''"},
        {"12: lanes 4; halves,acs=f64", ACCORD_PARSE, 20, "cannot read the setting 'acs=f64'"},
        {"12: lanes 4; halves,mean,acc", ACCORD_PARSE, 25, "cannot read the setting 'acc'"},
        {"12: lanes 4; halves,mean=2", ACCORD_PARSE, 20, "cannot read the setting 'mean=2'"},
        {"12: lanes 4; halves,acc=f65", ACCORD_PARSE, 20, "no format 'f65'"},
        {"12: lanes 4; halves,fma=second", ACCORD_PARSE, 20, "cannot be 'second'"},
        {"12: lanes 4; halves,flush=x+", ACCORD_OK, NOWHERE, ""},
        {"12: lanes 4; halves,flush=x+z", ACCORD_PARSE, 20, "flush= cannot be 'x+z'"},
        {"12: lanes 4; halves,flush=", ACCORD_PARSE, 20, "flush= cannot be ''"},
        {"12: lanes 4; halves,machine=hoper-f16", ACCORD_PARSE, 20, "no machine 'hoper-f16'"},
        {"12: lanes 4; halves,products,squares", ACCORD_PARSE, 20, "choose one"},
        {"12: lanes 4; halves,acc=f64,acc=f32", ACCORD_PARSE, 28, "stands twice"},
        {"12: lanes 4; halves,products,products", ACCORD_PARSE, 29, "stands twice"},
        {"12: lanes 4; halves,fma,fma=none", ACCORD_PARSE, 24, "stands twice"},
        {"12: lanes 4 {f64 f32}; halves", ACCORD_PARSE, 17, "say it once"},
        {"12: lanes 4 {fma keeps step}; halves", ACCORD_PARSE, 23, "say it once"},
        {"12: lanes 4 {step}; halves", ACCORD_PARSE, 26, "there is no machine"},
        {"12: terms {f64}; chain", ACCORD_PARSE, 22, "labels of terms"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        accord_tree *tree = NULL;
        accord_arithmetic *how = NULL;
        accord_error error = {0};
        size_t place = NOWHERE;
        enum accord_status status =
            accord_model_line_parse(rows[i].text, &tree, &how, &place, &error);
        if (status != rows[i].status || !strstr(error.text, rows[i].why))
            fail_msg("%s: status %d, %s", rows[i].text, status, error.text);
        if (rows[i].place != NOWHERE && place != rows[i].place)
            fail_msg("%s: wrong at %zu, not at %zu", rows[i].text, rows[i].place, place);
        accord_tree_free(tree);
        accord_arithmetic_free(how);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_models), cmocka_unit_test(test_known_lines),
        cmocka_unit_test(test_machines),      cmocka_unit_test(test_order_alone),
        cmocka_unit_test(test_wrong_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
