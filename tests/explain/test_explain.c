/* Right implementations are never suspect, and planted faults are told from noise. */
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
    size_t alarms = 0, runs = trials(24);
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
    {{.name = "stale C", .sum = stale, .number = .01}, NULL},
    {{.name = "partial sums in bf16", .sum = stored, .parameter = ACCORD_BF16}, NULL},
    {{.name = "partial sums in f16", .sum = stored, .parameter = ACCORD_F16}, NULL},
    {{.name = "factor 1.001", .sum = scaled, .number = 1.001}, "scaled by 1.00"},
    {{.name = "operands cut to tf32", .sum = cut, .parameter = ACCORD_TF32}, "tf32"},
    {{.name = "truncated results", .sum = by_sign, .truncates = true}, "truncated"},
    {{.name = "zeros", .sum = zero}, "every result is 0"},
};
enum { FAULTS = sizeof faults / sizeof faults[0] };

static void test_faults(void **state)
{
    (void)state;
    uint64_t seed = trials_seed();
    size_t missed = 0;
    /* Each fault in one pair of formats, which the seed chooses; in all of them at a scale of 3. */
    for (size_t pair = 0; pair < 3; pair++)
        for (size_t i = 0; i < FAULTS; i++) {
            if ((pair + i + seed) % 3 >= trials(1))
                continue;
            box b = faults[i].b;
            b.input = in_and_out[pair][0];
            b.output = in_and_out[pair][1];
            b.inside = b.truncates && b.output == ACCORD_F32 ? ACCORD_F64 : ACCORD_F32;
            accord_explanation *e = judge(&b, 1024, seed + i, NULL);
            bool invisible = b.sum == cut && b.input == ACCORD_BF16;
            bool told = e->verdict >= ACCORD_EXPLAINED_SUSPECT;
            bool named = !faults[i].words || strstr(e->words, faults[i].words);
            if (told == invisible || (told && !named)) {
                tell(&b, 1024, e);
                missed++;
            }
            accord_explanation_free(e);
        }
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
