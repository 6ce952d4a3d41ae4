/* What accord explain found, in words and as JSON. */
#include "cli/explain/explain.h"
#include <jansson.h>
#include <math.h>

enum { SHOWN_TERMS = 12 };

/* ---- text ---- */

static void put_tests(accordi_buffer *out, const accord_explain_side *side)
{
    cli_table *table = cli_table_new(6);
    static const char *const head[] = {"  test", "inputs", "value", "references", "limit", ""};
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
        cli_table_put(table, head[i]);
    for (size_t i = 0; i < side->tests; i++) {
        const accord_explain_test *test = &side->test[i];
        cli_table_printf(table, "  %s", test->name);
        cli_table_put(table, test->kind);
        cli_table_printf(table, "%.4g", test->value);
        cli_table_printf(table, "%.4g", test->reference);
        cli_table_printf(table, "%.4g", test->limit);
        if (test->term >= 0 && test->outside)
            cli_table_printf(table, "outside: term %lld", (long long)test->term);
        else
            cli_table_put(table, test->outside ? "outside" : !test->decides ? "cannot decide" : "");
    }
    cli_table_write(table, "report", out);
    cli_table_free(table);
}

static void put_fault(accordi_buffer *out, const accord_explain_side *side, size_t n)
{
    if (!side->x)
        return;
    size_t shown = 0;
    if (!side->record->target) { /* of results, which cannot be asked for smaller inputs */
        if (side->fault_row >= 0)
            accordi_buffer_printf(out, "  element %lld,%lld", (long long)side->fault_row,
                                  (long long)side->fault_column);
        else
            accordi_buffer_printf(out, "  input %lld", (long long)side->worst_input);
        accordi_buffer_printf(out, " gives %.17g; the exact result is %.17g, give or take %.3g\n",
                              side->fault_result, side->fault_exact, side->fault_envelope);
        return;
    }
    accordi_buffer_puts(out, "  an input whose error is outside (all other terms are 0):\n");
    for (size_t k = 0; k < n; k++) {
        if (side->x[k] == 0 || shown++ >= SHOWN_TERMS)
            continue;
        accordi_buffer_printf(out, "    x[%zu] = %a (%.17g)", k, side->x[k], side->x[k]);
        if (side->y)
            accordi_buffer_printf(out, ", y[%zu] = %a (%.17g)", k, side->y[k], side->y[k]);
        accordi_buffer_puts(out, "\n");
    }
    if (shown > SHOWN_TERMS)
        accordi_buffer_printf(out, "    ... and %zu more terms; --json writes them all\n",
                              shown - SHOWN_TERMS);
    accordi_buffer_printf(out, "    gives %.17g; the exact result is %.17g, give or take %.3g\n",
                          side->fault_result, side->fault_exact, side->fault_envelope);
}

static void put_side(accordi_buffer *out, const accord_explanation *in, size_t i, bool tests)
{
    const accord_explain_side *side = &in->side[i];
    accordi_buffer_printf(out, "\n%s%s%s: %s\n", in->sides > 1 ? i ? "B, " : "A, " : "",
                          side->target, "", accord_explained_name(side->verdict));
    accordi_buffer_printf(out, "  %s\n", side->words);
    accordi_buffer_printf(out, "  order:     %s%s\n", side->order,
                          side->replays              ? "; it replays every input bit for bit"
                          : !side->record->target    ? ""
                          : side->record->arithmetic ? "; it does not replay every input"
                                                     : "; no model replays the results");
    accordi_buffer_printf(out,
                          "  envelope:  %.3g of what any order in %s, rounded to %s, can cause, at "
                          "most",
                          side->worst, side->accumulator, accord_format_get(side->output)->name);
    if (side->worst_input >= 0)
        accordi_buffer_printf(out, " (input %lld, %s)", (long long)side->worst_input,
                              side->worst_kind);
    accordi_buffer_puts(out, "\n");
    if (side->bounded < side->inputs)
        accordi_buffer_printf(out,
                              "  left out:  %lld of %lld inputs, whose sums may overflow or hold "
                              "NaN or infinities\n",
                              (long long)(side->inputs - side->bounded), (long long)side->inputs);
    if (side->varied)
        accordi_buffer_printf(
            out, "  varied:    %lld of %lld inputs gave other bits when they were asked again\n",
            (long long)side->varied, (long long)side->inputs);
    put_fault(out, side, side->record ? (size_t)side->record->n : 0);
    if (tests)
        put_tests(out, side);
    accordi_buffer_printf(out, "  level of each test: %.2g\n", side->level);
}

static void put_all(accordi_buffer *out, const accord_explanation *in, bool tests)
{
    accordi_buffer_printf(out, "%s: %s\n", accord_explained_name(in->verdict), in->words);
    if (in->sides > 1 && in->differ)
        accordi_buffer_printf(out,
                              "%lld of %lld inputs give different results, at most %.3g units in "
                              "the last place apart\n",
                              (long long)in->differ, (long long)in->inputs, in->largest_ulp);
    else if (in->sides > 1)
        accordi_buffer_printf(out, "all %lld inputs give the same results\n",
                              (long long)in->inputs);
    if (in->first_node[0])
        accordi_buffer_printf(out, "%s\n", in->first_node);
    for (size_t i = 0; i < in->sides; i++)
        put_side(out, in, i, tests);
}

void cli_explain_report(accordi_buffer *out, const accord_explanation *in)
{
    put_all(out, in, true);
}

void cli_explain_words(accordi_buffer *out, const accord_explanation *in)
{
    put_all(out, in, false);
}

/* ---- JSON ---- */

static json_t *real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *tests_of(const accord_explain_side *side)
{
    json_t *all = json_array();
    for (size_t i = 0; i < side->tests; i++) {
        const accord_explain_test *test = &side->test[i];
        json_t *one = json_pack(
            "{s:s, s:s, s:s, s:o, s:o, s:o, s:b, s:b}", "name", test->name, "about", test->about,
            "kind", test->kind, "value", real(test->value), "reference", real(test->reference),
            "limit", real(test->limit), "decides", test->decides, "outside", test->outside);
        if (test->term >= 0) {
            json_object_set_new(one, "term", json_integer(test->term));
            json_object_set_new(one, "terms_outside", json_integer(test->terms));
        }
        json_array_append_new(all, one);
    }
    return all;
}

static json_t *numbers(const double *x, size_t n)
{
    json_t *all = json_array();
    for (size_t i = 0; x && i < n; i++)
        json_array_append_new(all, cli_json_hexadecimal(x[i]));
    return all;
}

static json_t *side_of(const accord_explain_side *side)
{
    size_t n = side->record ? (size_t)side->record->n : 0;
    json_t *all =
        json_pack("{s:o, s:s, s:s, s:s, s:o, s:b, s:s, s:I, s:I, s:I, s:o, s:I}", "target",
                  cli_json_text(side->target), "result", accord_format_get(side->output)->name,
                  "verdict", accord_explained_name(side->verdict), "words", side->words, "order",
                  cli_json_text(side->order), "replays", side->replays, "accumulator",
                  side->accumulator, "inputs", (json_int_t)side->inputs, "varied",
                  (json_int_t)side->varied, "bounded", (json_int_t)side->bounded, "worst",
                  real(side->worst), "worst_input", (json_int_t)side->worst_input);
    json_object_set_new(all, "level", real(side->level));
    json_object_set_new(all, "tests", tests_of(side));
    if (side->x)
        json_object_set_new(all, "fault",
                            json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "terms",
                                      (json_int_t)side->fault_terms, "x", numbers(side->x, n), "y",
                                      numbers(side->y, n), "result",
                                      cli_json_hexadecimal(side->fault_result), "exact",
                                      cli_json_hexadecimal(side->fault_exact), "envelope",
                                      real(side->fault_envelope)));
    if (side->fault_row >= 0)
        json_object_set_new(
            all, "element",
            json_pack("[I, I]", (json_int_t)side->fault_row, (json_int_t)side->fault_column));
    return all;
}

void cli_explain_json(accordi_buffer *out, const accord_explanation *in)
{
    json_t *sides = json_array();
    for (size_t i = 0; i < in->sides; i++)
        json_array_append_new(sides, side_of(&in->side[i]));
    json_t *all =
        json_pack("{s:i, s:s, s:s, s:I, s:I, s:o, s:s, s:o}", "accord", CLI_SCHEMA, "verdict",
                  accord_explained_name(in->verdict), "words", in->words, "inputs",
                  (json_int_t)in->inputs, "differ", (json_int_t)in->differ, "largest_ulp",
                  real(in->largest_ulp), "first_node", in->first_node, "implementations", sides);
    cli_put_json(out, all);
}
