/* The tolerances that accord tolerance found, in words and as JSON. */
#include "cli/explain/explain.h"
#include <jansson.h>

/* torch compares tensors of one type only. */
static const struct {
    const char *word, *about, *desired, *cast;
} against[ACCORD_AGAINST_COUNT] = {
    [ACCORD_AGAINST_EXACT] = {"exact", "the exact result in f64", "exact", ".double()"},
    [ACCORD_AGAINST_IMPLEMENTATION] = {"implementation", "another right implementation", "other",
                                       ""},
};

static const char *const draws[] = {
    [ACCORD_TOLERANCE_UNIFORM] = "uniform", [ACCORD_TOLERANCE_NORMAL] = "normal"};

/* ---- text ---- */

static void put_share(const accord_tolerance *found, char *text, size_t size)
{
    double arrays = 1 / found->level, whole = (double)(int64_t)(arrays + .5);
    if (arrays < 1e15 && arrays > whole * (1 - 1e-12) && arrays < whole * (1 + 1e-12))
        snprintf(text, size, "1 array in %.0f", whole);
    else
        snprintf(text, size, "%.3g of all arrays", found->level);
}

static void put_limit(accordi_buffer *out, const char *name, double most, bool nonnegative)
{
    if (nonnegative)
        accordi_buffer_printf(out, ", 0 <= %s <= %.6g", name, most);
    else
        accordi_buffer_printf(out, ", |%s| <= %.6g", name, most);
}

static void put_question(accordi_buffer *out, const accord_target *target,
                         const accord_tolerance_options *options, const accord_tolerance *found)
{
    static const char *const sums[] = {[ACCORD_TERM_VALUE] = "sums",
                                       [ACCORD_TERM_PRODUCT] = "dot products",
                                       [ACCORD_TERM_ABSOLUTE] = "sums of magnitudes"};
    accordi_buffer_printf(out, "%s of %zu term%s, %s, results in %s", sums[target->term], found->n,
                          found->n == 1 ? "" : "s", accord_format_get(target->format)->name,
                          accord_format_get(target->output)->name);
    if (options->rows) {
        accordi_buffer_printf(out, ", %zu row%s of inputs\n", options->rows,
                              options->rows == 1 ? "" : "s");
    } else {
        put_limit(out, "a", options->a_max, options->nonnegative);
        if (target->term == ACCORD_TERM_PRODUCT)
            put_limit(out, "b", options->b_max, options->nonnegative);
        if (target->has_start)
            put_limit(out, "c", options->c_max, options->nonnegative);
        accordi_buffer_puts(out, "\n");
    }
    accordi_buffer_printf(out, "right implementations: any order, in %s or a wider accumulator\n",
                          found->accumulator);
    accordi_buffer_printf(out, "arrays: %llu element%s\n", (unsigned long long)found->elements,
                          found->elements == 1 ? " (--elements says how many they have)" : "s");
}

static void put_table(accordi_buffer *out, const accord_tolerance *found, const char *share)
{
    static const char *const head[] = {"compared with", "broken by", "atol", "rtol"};
    cli_table *table = cli_table_new(4);
    for (size_t i = 0; i < 4; i++)
        cli_table_put(table, head[i]);
    for (int i = 0; i < ACCORD_AGAINST_COUNT; i++)
        for (int statistical = 0; statistical < 2; statistical++) {
            const accord_tolerance_pair *pair =
                statistical ? &found->statistical[i] : &found->proven[i];
            cli_table_put(table, statistical ? "" : against[i].about);
            cli_table_put(table, statistical ? share : "no array (proven)");
            cli_table_printf(table, "%.3g", pair->atol);
            cli_table_printf(table, "%.3g", pair->rtol);
        }
    cli_table_write(table, "report", out);
    cli_table_free(table);
}

static void put_method(accordi_buffer *out, const accord_tolerance *found, int i)
{
    static const char *const words[ACCORD_TAIL_COUNT] = {
        [ACCORD_TAIL_SAMPLES] = "read from the samples",
        [ACCORD_TAIL_EXPONENTIAL] = "extrapolated from the largest 1/64 as an exponential tail",
        [ACCORD_TAIL_STRETCHED] = "extrapolated from the largest 1/64 as a stretched tail",
        [ACCORD_TAIL_POWER] = "extrapolated from the largest 1/64 as a power law",
        [ACCORD_TAIL_PROVEN] = "the samples allow no smaller pair than the proven one"};
    accordi_buffer_printf(out, "  compared with %s: %s\n", against[i].about, words[found->tail[i]]);
}

static void put_paste(accordi_buffer *out, const char *title, int i, accord_tolerance_pair pair)
{
    accordi_buffer_printf(out, "# %s, compared with %s\n", title, against[i].about);
    accordi_buffer_printf(out,
                          "numpy.testing.assert_allclose(actual, %s, rtol=%.3g, atol=%.3g)\n"
                          "torch.testing.assert_close(actual%s, %s, rtol=%.3g, atol=%.3g)\n",
                          against[i].desired, pair.rtol, pair.atol, against[i].cast,
                          against[i].desired, pair.rtol, pair.atol);
}

void cli_tolerance_report(accordi_buffer *out, const accord_target *target,
                          const accord_tolerance_options *options, const accord_tolerance *found)
{
    char share[60], title[80];
    put_share(found, share, sizeof share);
    snprintf(title, sizeof title, "broken by %s", share);
    put_question(out, target, options, found);
    accordi_buffer_puts(out, "\n");
    put_table(out, found, share);
    accordi_buffer_printf(out, "\n%s.\n\n", found->reason);
    accordi_buffer_printf(
        out, "%s: %llu %s in %zu reference orders, of which \"%s\" errs the most\n", share,
        (unsigned long long)found->samples,
        options->rows ? "permutations of the rows" : "random inputs", found->orders, found->worst);
    for (int i = 0; i < ACCORD_AGAINST_COUNT; i++)
        put_method(out, found, i);
    accordi_buffer_puts(out, "\n");
    for (int i = 0; i < ACCORD_AGAINST_COUNT; i++) {
        put_paste(out, "proven", i, found->proven[i]);
        put_paste(out, title, i, found->statistical[i]);
    }
}

/* ---- JSON ---- */

static json_t *pair_of(accord_tolerance_pair pair)
{
    return json_pack("{s:f, s:f}", "atol", pair.atol, "rtol", pair.rtol);
}

static json_t *inputs_of(const accord_target *target, const accord_tolerance_options *options)
{
    if (options->rows)
        return json_pack("{s:I}", "rows", (json_int_t)options->rows);
    json_t *all = json_pack("{s:f, s:b, s:s}", "a_max", options->a_max, "nonnegative",
                            options->nonnegative, "distribution", draws[options->distribution]);
    if (target->term == ACCORD_TERM_PRODUCT)
        json_object_set_new(all, "b_max", json_real(options->b_max));
    if (target->has_start)
        json_object_set_new(all, "c_max", json_real(options->c_max));
    return all;
}

void cli_tolerance_json(accordi_buffer *out, const accord_target *target,
                        const accord_tolerance_options *options, const accord_tolerance *found)
{
    json_t *each = json_array();
    for (int i = 0; i < ACCORD_AGAINST_COUNT; i++)
        json_array_append_new(each, json_pack("{s:s, s:o, s:o, s:s}", "against", against[i].word,
                                              "proven", pair_of(found->proven[i]), "statistical",
                                              pair_of(found->statistical[i]), "tail",
                                              accord_tail_name(found->tail[i]), "worst",
                                              found->worst[i]));
    json_t *all = json_pack(
        "{s:i, s:s, s:I, s:s, s:s, s:s, s:o, s:I, s:f, s:I, s:I, s:s, s:s, s:o}", "accord",
        CLI_SCHEMA, "verb", "tolerance", "n", (json_int_t)found->n, "format",
        accord_format_get(target->format)->name, "result", accord_format_get(target->output)->name,
        "accumulator", found->accumulator, "inputs", inputs_of(target, options), "elements",
        (json_int_t)found->elements, "level", found->level, "samples", (json_int_t)found->samples,
        "orders", (json_int_t)found->orders, "worst", found->worst, "reason", found->reason,
        "tolerances", each);
    cli_put_json(out, all);
}
