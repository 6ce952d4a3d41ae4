/* Right implementations are never suspect, and planted faults are told from noise. */
#include "explain/statistics.h"
#include "explain_boxes.h"

static accord_explanation *judge(box *b, size_t n, uint64_t seed, const char *kinds)
{
    accord_target *target = box_target(b, n);
    accord_explain_options options;
    accord_explanation *out = NULL;
    accord_error error;
    accord_explain_options_init(&options);
    options.seed = seed;
    options.kinds = kinds;
    options.budget_calls = 4000;
    options.inputs = trials(1) >= 3 ? 1000 : 600;
    if (accord_explain(target, NULL, &options, &out, &error) != ACCORD_OK)
        fail_msg("%s: %s", b->name, error.text);
    accord_target_close(target);
    return out;
}

static void tell(const box *b, size_t n, const accord_explanation *e)
{
    printf("# %s, n = %zu, %s in, %s out: %s: %s\n", b->name, n, accord_format_get(b->input)->name,
           accord_format_get(b->output)->name, accord_explained_name(e->verdict), e->words);
    const accord_explain_side *side = &e->side[0];
    for (size_t i = 0; i < side->tests; i++)
        if (side->test[i].outside)
            printf("#   %s, %s: %g, references %g, limit %g, term %lld\n", side->test[i].name,
                   side->test[i].kind, side->test[i].value, side->test[i].reference,
                   side->test[i].limit, (long long)side->test[i].term);
}

static const box right[] = {
    {.name = "sequential", .sum = in_order, .inside = ACCORD_F32},
    {.name = "lanes", .sum = in_lanes, .inside = ACCORD_F32},
    {.name = "parts", .sum = in_parts, .inside = ACCORD_F32},
    {.name = "by sign", .sum = by_sign, .inside = ACCORD_F32},
    {.name = "compensated", .sum = compensated, .inside = ACCORD_F32},
    {.name = "wide", .sum = wide, .inside = ACCORD_F64},
};
enum { RIGHT = sizeof right / sizeof right[0] };

static const enum accord_format in_and_out[][2] = {{ACCORD_F32, ACCORD_F32},
                                                   {ACCORD_F32, ACCORD_BF16},
                                                   {ACCORD_BF16, ACCORD_BF16},
                                                   {ACCORD_F16, ACCORD_F32}};
enum { PAIRS = sizeof in_and_out / sizeof in_and_out[0] };

static void test_right(void **state)
{
    (void)state;
    static const char *const kinds[] = {"normal,positive", "log-normal,cancelling", "wide,equal",
                                        "unit-interval,one-huge", "sorted-up,wide-cancelling"};
    static const size_t counts[] = {8, 13, 40, 100, 300};
    uint64_t seed = trials_seed();
    size_t alarms = 0, runs = trials(12);
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    for (size_t i = 0; i < runs; i++) {
        box b = right[accordi_rng_below(&rng, RIGHT)];
        size_t n = counts[accordi_rng_below(&rng, 5)], pair = accordi_rng_below(&rng, PAIRS);
        b.input = in_and_out[pair][0];
        b.output = in_and_out[pair][1];
        b.parameter = 2 + accordi_rng_below(&rng, 7);
        accord_explanation *e = judge(&b, n, seed + i, kinds[accordi_rng_below(&rng, 5)]);
        if (e->verdict >= ACCORD_EXPLAINED_SUSPECT) {
            tell(&b, n, e);
            alarms++;
        }
        accord_explanation_free(e);
    }
    assert_int_equal(alarms, 0);
}

static const struct fault {
    box b;
    const char *words; /* part of what is said, where the fault has a name */
} faults[] = {
    {{.name = "last term dropped", .sum = without_last}, "missing"},
    {{.name = "last tile dropped", .sum = without_tile, .parameter = 32}, "missing"},
    {{.name = "one in the middle dropped", .sum = without_one, .parameter = 500},
     "term 500 is missing"},
    {{.name = "one twice", .sum = one_twice, .parameter = 5}, "term 5 is added twice"},
    {{.name = "wrong row", .sum = wrong_row}, NULL},
    {{.name = "stale C", .sum = stale, .number = .01}, "0.0"},
    {{.name = "beta ignored", .sum = without_last, .beta = .5}, "beta times C, is missing"},
    {{.name = "partial sums in bf16", .sum = stored, .parameter = ACCORD_BF16}, "look like bf16"},
    {{.name = "partial sums in f16", .sum = stored, .parameter = ACCORD_F16}, "look like f16"},
    {{.name = "factor 1.001", .sum = scaled, .number = 1.001}, "scaled by 1.00"},
    {{.name = "operands cut to tf32", .sum = cut, .parameter = ACCORD_TF32}, "tf32"},
    {{.name = "truncated results", .sum = by_sign, .truncates = true}, "truncated"},
    {{.name = "mask off by one", .sum = masked}, "term 0 is missing"},
    {{.name = "zeros", .sum = zero}, "every result is 0"},
};
enum { FAULTS = sizeof faults / sizeof faults[0] };

/* What numpy.allclose says of 1000 normal inputs, with both tolerances 1e-2. */
static bool is_close(const box *b, size_t n, uint64_t seed)
{
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    double *x = accordi_alloc(2 * n, sizeof *x), *y = x + n;
    bool close = true;
    for (int row = 0; row < 1000 && close; row++) {
        for (size_t k = 0; k < 2 * n; k++) {
            double sum = -6; /* twelve uniform numbers: about normal */
            for (int i = 0; i < 12; i++)
                sum += (double)(accordi_rng_next(&rng) >> 11) * 0x1p-53;
            x[k] = rounded(b->input, sum);
        }
        if (b->beta != 0)
            y[n - 1] = b->beta;
        double exact = accord_format_round(b->output, ACCORD_NEAREST_EVEN, wide(b, x, y, n));
        close = fabs(box_result(b, x, y, n) - exact) <= 1e-2 + 1e-2 * fabs(exact);
    }
    free(x);
    return close;
}

static void test_faults(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    size_t missed = 0, passed = 0, invisible = 0;
    /* Each fault in one pair of formats, which the seed chooses, as it does the faults below scale
     * 1; in all of them at a scale of 3, which prints the table of doc/explain.md. */
    for (size_t i = 0; i < FAULTS; i++) {
        if (trials(1) >= 3)
            printf("# | %s |", faults[i].b.name);
        for (size_t pair = 0; pair < 3; pair++) {
            if ((pair + i + seed) % 3 >= trials(1) || !trial_runs(i, seed))
                continue;
            box b = faults[i].b;
            b.input = in_and_out[pair][0];
            b.output = in_and_out[pair][1];
            b.inside = b.truncates && b.output == ACCORD_F32 ? ACCORD_F64 : ACCORD_F32;
            const char *kinds = trials(1) >= 3 ? NULL : "normal"; /* more take longer */
            accord_explanation *e = judge(&b, 1024, seed + i, kinds);
            bool hidden = b.sum == cut && b.input == ACCORD_BF16;
            bool told = e->verdict >= ACCORD_EXPLAINED_SUSPECT;
            bool named = !faults[i].words || strstr(e->words, faults[i].words);
            if (told == hidden || (told && !named)) {
                tell(&b, 1024, e);
                missed++;
            }
            invisible += hidden;
            if (trials(1) >= 3) {
                bool close = is_close(&b, 1024, seed + i);
                passed += close;
                printf(" %s | %s |", accord_explained_name(e->verdict), close ? "passes" : "fails");
            }
            accord_explanation_free(e);
        }
        if (trials(1) >= 3)
            printf("\n");
    }
    assert_int_equal(missed, 0);
    if (trials(1) >= 3) {
        assert_int_equal(invisible, 1);
        assert_true(passed >= 2);
    }
}

/* A bug is described by what it does in all inputs: none is called a missing term or narrow sums
 * that is so in some of them alone. */
static void test_words_of_bugs(void **state)
{
    static const struct {
        box b;
        const char *said, *unsaid; /* in the words */
    } table[] = {
        {{.name = "last term read twice", .sum = last_read_twice},
         "term 98 is missing and term 99 is added twice",
         NULL},
        {{.name = "one absolute", .sum = one_absolute, .parameter = 7}, NULL, "missing"},
        {{.name = "rarely one twice", .sum = rarely_one_twice}, NULL, "partial sums"},
    };
    uint64_t seed = trials_seed();
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        box b = table[i].b;
        b.input = b.output = b.inside = ACCORD_F32;
        accord_explanation *e = judge(&b, 100, seed, NULL);
        const char *said = table[i].said, *unsaid = table[i].unsaid;
        assert_int_equal(e->verdict, ACCORD_EXPLAINED_BUG);
        if ((said && !strstr(e->words, said)) || (unsaid && strstr(e->words, unsaid)))
            fail_msg("%s: %s", b.name, e->words);
        accord_explanation_free(e);
    }
}

/* Its order and arithmetic are found, but nobody allowed sums in f16. With 7 terms the chain looks
 * like a machine, of which room fused has none in f16. */
static void test_narrow_chain(void **state)
{
    (void)state;
    for (size_t n = 7; n < 9; n++) {
        box b = {.name = "chain in f16", .sum = narrow_chain, .parameter = ACCORD_F16};
        b.input = ACCORD_F16;
        b.inside = b.output = ACCORD_F32;
        accord_explanation *e = judge(&b, n, trials_seed(), "normal");
        if (e->verdict < ACCORD_EXPLAINED_SUSPECT || !strstr(e->words, "rounded to f16"))
            tell(&b, n, e);
        assert_true(e->verdict >= ACCORD_EXPLAINED_SUSPECT);
        assert_non_null(strstr(e->words, "f16"));
        accord_explanation_free(e);
    }
}

/* At the length that is asked the errors are smaller than those of sequential sums; that they grow
 * faster shows, and nothing else does. */
static void test_growth(void **state)
{
    (void)state;
    box b = {.name = "growing", .sum = growing, .number = 2e-7};
    b.input = b.output = ACCORD_F32;
    b.inside = ACCORD_F64;
    accord_explanation *e = judge(&b, 1000, trials_seed(), "normal");
    const accord_explain_side *side = &e->side[0];
    size_t outside = 0;
    for (size_t i = 0; i < side->tests; i++) {
        bool growth = strcmp(side->test[i].name, "growth") == 0;
        outside += side->test[i].outside;
        if (growth != side->test[i].outside)
            tell(&b, 1000, e);
        assert_int_equal(growth, side->test[i].outside);
    }
    assert_int_equal(outside, 1);
    assert_int_equal(e->verdict, ACCORD_EXPLAINED_SUSPECT);
    assert_non_null(strstr(e->words, "grow too fast with the number of terms"));
    accord_explanation_free(e);
    /* Too few terms, or inputs, for this statistic: it is left out. */
    for (size_t n = 40; n <= 100; n += 60) {
        accord_explain_options options;
        accord_error error;
        accord_target *target = box_target(&b, n);
        accord_explain_options_init(&options);
        options.budget_calls = 1;
        options.inputs = n == 40 ? 200 : 100;
        assert_int_equal(accord_explain(target, NULL, &options, &e, &error), ACCORD_OK);
        for (size_t i = 0; i < e->side[0].tests; i++)
            assert_string_not_equal(e->side[0].test[i].name, "growth");
        accord_explanation_free(e);
        accord_target_close(target);
    }
}

/* ---- all elements of a product ---- */

enum { ROWS = 6, COLUMNS = 8, INNER = 50 };
enum grid_fault {
    NO_FAULT,
    WRONG_ROW,
    WRONG_COLUMN,
    WRONG_TILE,
    ONE_WRONG,
    NO_LAST,
    COARSE_ROW,
    GRID_FAULTS
};

/* The number with three bits less, by Veltkamp's splitting. */
static float coarse(float x)
{
    float c = 9 * x;
    return c - (c - x);
}

static void multiply(void *context, const accord_grid *grid, double *results)
{
    enum grid_fault fault = *(enum grid_fault *)context;
    const float *a = grid->a, *b = grid->b;
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c++) {
            bool off = (fault == WRONG_ROW && r == 3) || (fault == WRONG_COLUMN && c == 5) ||
                       (fault == WRONG_TILE && r >= 4 && c < 4) ||
                       (fault == ONE_WRONG && r == 2 && c == 7);
            size_t from = off ? (r + 1) % ROWS : r, end = fault == NO_LAST ? INNER - 1 : INNER;
            float sum[2] = {0, 0};
            for (size_t k = 0; k < end; k++) {
                float p = a[from * INNER + k] * b[c * INNER + k];
                sum[p < 0] += p;
                if (fault == COARSE_ROW && r == 3)
                    sum[p < 0] = coarse(sum[p < 0]);
            }
            results[r * COLUMNS + c] = (double)(sum[0] + sum[1]);
        }
}

static void test_elements(void **state)
{
    (void)state;
    static const char *const words[GRID_FAULTS] = {
        "other orders",           "row 3 is wrong",
        "column 5 is wrong",      "rows 4 to 5 of columns 0 to 3 are wrong",
        "element 2,7 is wrong",   "term 49 is missing",
        "the errors in row 3 are"};
    for (int fault = 0; fault < GRID_FAULTS; fault++) {
        enum grid_fault context = (enum grid_fault)fault;
        accord_grid_callback callback = {.size = sizeof callback,
                                         .call = multiply,
                                         .context = &context,
                                         .rows = ROWS,
                                         .columns = COLUMNS,
                                         .n = INNER,
                                         .term = ACCORD_TERM_PRODUCT,
                                         .is_f32 = true};
        accord_target *target;
        accord_explain_options options;
        accord_explanation *e;
        accord_error error;
        accord_explain_options_init(&options);
        options.budget_calls = 500;
        options.inputs = fault == COARSE_ROW ? 1000 : 300;
        assert_int_equal(accord_target_from_grid(&callback, &target, &error), ACCORD_OK);
        if (accord_explain(target, NULL, &options, &e, &error))
            fail_msg("%s", error.text);
        if (!strstr(e->words, words[fault]))
            fail_msg("fault %d: %s: %s", fault, accord_explained_name(e->verdict), e->words);
        assert_int_equal(e->verdict, fault == COARSE_ROW ? ACCORD_EXPLAINED_SUSPECT
                                     : fault             ? ACCORD_EXPLAINED_BUG
                                                         : ACCORD_EXPLAINED_NOISE);
        accord_explanation_free(e);
        accord_target_close(target);
    }
}

/* A factor near 1 is not called 1, and a mean is called one. */
static void test_factor_words(void **state)
{
    (void)state;
    static const struct {
        double more;
        const char *words;
    } rows[] = {{1e-3, "the results are scaled by 1.001"},
                {0x1p-21, "the results are scaled by 1 + 4.77e-07"},
                {-0x1p-21, "the results are scaled by 1 - 4.77e-07"},
                {-2, "the results are scaled by -1"}};
    char text[80], mean[80];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        accordi_factor_words(rows[i].more, text, sizeof text);
        assert_string_equal(text, rows[i].words);
        accordi_direction_words(ACCORDI_FACTOR, rows[i].more, mean, sizeof mean);
        assert_memory_equal(mean, text, strlen(text));
        assert_string_equal(mean + strlen(text), " on average");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),         cmocka_unit_test(test_faults),
        cmocka_unit_test(test_words_of_bugs), cmocka_unit_test(test_narrow_chain),
        cmocka_unit_test(test_growth),        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_factor_words),
    };
    return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
