/* What accord diff found, in words and as JSON. */
#include "cli/compare/diff.h"
#include <jansson.h>
#include <math.h>

enum { SHOWN_TERMS = 12, SHOWN_INPUTS = 40 };

/* The leaves under a node, as "0, 8, 16"; the rest of many as "…". */
static void put_terms(accordi_buffer *out, const accord_tree *tree, uint32_t node)
{
    uint32_t n = tree->leaves, written = 0;
    unsigned char *under = cli_need(accordi_calloc((size_t)n + tree->inner, 1));
    under[node] = 1;
    for (uint32_t k = node - n + 1; k-- > 0;)
        for (uint32_t c = tree->first[k]; under[n + k] && c < tree->first[k + 1]; c++)
            under[tree->child[c]] = 1;
    for (uint32_t i = 0; i < n && written <= SHOWN_TERMS; i++) {
        if (!under[i])
            continue;
        if (written == SHOWN_TERMS)
            accordi_buffer_puts(out, ", ...");
        else
            accordi_buffer_printf(out, "%s%u", written ? ", " : "", i);
        written++;
    }
    free(under);
}

static uint32_t size_of(const accord_tree *tree, uint32_t node)
{
    uint32_t *sizes = cli_need(accordi_alloc(tree->inner, sizeof *sizes));
    accord_tree_sizes(tree, sizes);
    uint32_t size = sizes[node - tree->leaves];
    free(sizes);
    return size;
}

/* As much of an order as both have. */
static const accord_tree *common_tree(const cli_difference *in, bool of_b)
{
    bool is_longer = of_b == in->counts.b_is_longer;
    return in->by_counts && is_longer ? in->counts.induced : (of_b ? in->b : in->a)->record->tree;
}

static void put_differing_node(accordi_buffer *out, const cli_difference *in)
{
    const char *has = in->swapped ? "B" : "A", *lacks = in->swapped ? "A" : "B";
    const accord_tree *owner = common_tree(in, in->swapped);
    const accord_tree *other = common_tree(in, !in->swapped);
    const char *among = in->by_counts ? " (of those in common)" : "";
    accordi_buffer_printf(out, "%s computes the sum of the %u terms ", has, in->node.size);
    put_terms(out, owner, in->node.node);
    accordi_buffer_printf(out,
                          "%s.\n%s never computes that sum: its smallest partial sum that "
                          "contains all of these terms has %u terms%s.\n",
                          among, lacks, size_of(other, in->node.other), among);
}

/* What model i gives for the witness, and what the target itself said. */
static void put_witness_sum(accordi_buffer *out, const cli_difference *in, int i)
{
    double sum = i ? in->witness.result_b : in->witness.result_a;
    accordi_buffer_printf(out, "%s gives %a (%.17g)", i ? "B" : "A", sum, sum);
    if (in->asked[i] && accordi_same_bits(in->result[i], sum))
        accordi_buffer_puts(out, ", and a run just now gave the same result");
    else if (in->asked[i])
        accordi_buffer_printf(out, " by its %s, but a run just now gave %a (%.17g)",
                              in->input >= 0 ? "record"
                              : in->a->record->arithmetic && in->b->record->arithmetic
                                  ? "model"
                                  : "order in plain arithmetic",
                              in->result[i], in->result[i]);
    accordi_buffer_puts(out, "\n");
}

/* Is this term other than +0 times 1? */
static bool is_set(const cli_difference *in, uint32_t i)
{
    return in->witness.x[i] != 0 || signbit(in->witness.x[i]) || in->witness.y[i] != 1;
}

static void put_witness(accordi_buffer *out, const cli_difference *in)
{
    const accord_arithmetic *how = in->a->record->arithmetic;
    uint32_t n = (uint32_t)in->a->record->n, shown = 0, more = 0;
    accordi_buffer_printf(
        out, "\nAn input (%s) on which the two give different bits (all other terms are 0):\n",
        accord_format_get(in->format)->name);
    if (in->input >= 0)
        accordi_buffer_printf(out, "  (This is recorded input %lld, of the kind \"%s\".)\n",
                              (long long)in->input, accord_answers_kind(in->a->record, in->input));
    for (uint32_t i = 0; i < n; i++) {
        double x = in->witness.x[i], y = in->witness.y[i];
        if (!is_set(in, i))
            continue;
        more += shown >= SHOWN_INPUTS;
        if (shown++ >= SHOWN_INPUTS)
            continue;
        if (in->a->record->beta != 0 && i + 1 == n)
            accordi_buffer_printf(out, "  start = %a (%.17g)", x, x);
        else
            accordi_buffer_printf(out, "  x[%u] = %a (%.17g)", i, x, x);
        if (y != 1)
            accordi_buffer_printf(out, ", y[%u] = %a (%.17g)", i, y, y);
        accordi_buffer_puts(out, "\n");
    }
    if (more)
        accordi_buffer_printf(out, "  ... and %u more terms; --json writes them all\n", more);
    if (how && how->term == ACCORD_TERM_PRODUCT)
        accordi_buffer_puts(out, "  (Second factors that are not shown are 1.)\n");
    put_witness_sum(out, in, 0);
    put_witness_sum(out, in, 1);
}

static void put_same(accordi_buffer *out, const cli_difference *in)
{
    const accord_record *a = in->a->record, *b = in->b->record;
    char print[ACCORD_FINGERPRINT_SIZE] = "", words[ACCORD_DESCRIPTION_SIZE];
    if (in->why.sameness == ACCORD_SAME_ON_INPUTS)
        accordi_buffer_printf(out, "The same on %lld inputs: %s.\n", (long long)in->why.inputs,
                              in->why.text);
    if (!in->same_order)
        return;
    accord_tree_fingerprint(a->tree, print, NULL);
    accordi_buffer_printf(out, "Same order: %u terms, fingerprint %s.\n", a->tree->leaves, print);
    if (a->arithmetic && b->arithmetic && accord_record_fingerprint(a, print, NULL) == ACCORD_OK) {
        cli_arithmetic_words(a, words, sizeof words);
        accordi_buffer_printf(out, "Same arithmetic: %s; fingerprint of order and arithmetic %s.\n",
                              words, print);
        if (in->why.inputs > 0)
            accordi_buffer_printf(out, "Same answers on %lld inputs.\n", (long long)in->why.inputs);
    } else if ((a->arithmetic || b->arithmetic) && in->why.sameness == ACCORD_SAME) {
        accordi_buffer_printf(out,
                              "The arithmetic was not compared, because %s does not record it.\n",
                              a->arithmetic ? "B" : "A");
    }
}

/* What a side without an order is instead. */
static void put_verdicts(accordi_buffer *out, const cli_difference *in)
{
    for (int i = 0; i < 2; i++) {
        const accord_record *r = i ? in->b->record : in->a->record;
        if (!r->tree)
            accordi_buffer_printf(out, "%s: %s\n", i ? "B" : "A",
                                  r->verdict ? r->verdict : "No order.");
    }
}

/* In the words of the notations, where both orders are regular; to be freed with
 * accord_notation_free. NULL otherwise. */
static char *changes(const cli_difference *in)
{
    char *notation[2] = {NULL, NULL}, *text = NULL;
    bool regular[2] = {false, false};
    const accord_tree *tree[2] = {in->a->record->tree, in->b->record->tree};
    for (int i = 0; i < 2; i++)
        if (!in->same_order && !in->by_counts && tree[0] && tree[1])
            accord_notation_write(tree[i], NULL, &notation[i], &regular[i], NULL);
    if (regular[0] && regular[1])
        accord_notation_changes(notation[0], notation[1], &text, NULL);
    accord_notation_free(notation[0]);
    accord_notation_free(notation[1]);
    return text;
}

static void put_changes(accordi_buffer *out, const cli_difference *in)
{
    char *text = changes(in);
    if (text && *text)
        accordi_buffer_printf(out, "From A to B: %s.\n", text);
    accord_notation_free(text);
}

static const char *headline(const cli_difference *in)
{
    return in->why.ground == ACCORD_GROUND_ANSWERS        ? "Different answers"
           : in->why.ground == ACCORD_GROUND_VARIES       ? "Results that vary from run to run"
           : !in->a->record->tree != !in->b->record->tree ? "Only one of the two has a fixed order"
           : in->same_order                               ? "Same order"
                                                          : "Different orders";
}

static void put_arithmetics(accordi_buffer *out, const cli_difference *in)
{
    char a[ACCORD_DESCRIPTION_SIZE], b[ACCORD_DESCRIPTION_SIZE];
    cli_arithmetic_words(in->a->record, a, sizeof a);
    cli_arithmetic_words(in->b->record, b, sizeof b);
    if (!in->a->record->arithmetic || !in->b->record->arithmetic)
        return;
    if (strcmp(a, b) == 0)
        accordi_buffer_printf(out, "The arithmetic of both is %s.\n", a);
    else
        accordi_buffer_printf(out, "The arithmetic of A is %s.\nThe arithmetic of B is %s.\n", a,
                              b);
}

/* Orders of different counts. */
static void report_counts(accordi_buffer *out, const cli_difference *in)
{
    char words[400];
    const accord_common *c = &in->counts;
    const accord_record *a = in->a->record, *b = in->b->record;
    accordi_buffer_printf(out,
                          "%s on the %u term%s that both add%s.\nA is %s, of %lld terms\n"
                          "B is %s, of %lld terms\n\n",
                          c->same_order ? "Same order" : "Different orders", c->common,
                          c->common == 1 ? "" : "s",
                          c->other_arithmetic ? ", different arithmetic" : "", in->a->name,
                          (long long)a->n, in->b->name, (long long)b->n);
    if (in->has_node)
        put_differing_node(out, in);
    accord_common_describe(c, words, sizeof words);
    accordi_buffer_printf(out, "%s\n", words);
    put_arithmetics(out, in);
    if (in->open)
        accordi_buffer_printf(out, "This result is not certain: %s.\n", in->why.text);
}

void cli_diff_report(accordi_buffer *out, const cli_difference *in)
{
    const accord_record *a = in->a->record, *b = in->b->record;
    if (in->by_counts) {
        report_counts(out, in);
        return;
    }
    if (in->same) {
        put_same(out, in);
        return;
    }
    if (a->n != b->n) {
        accordi_buffer_printf(out, "Different: %s adds %lld terms, %s adds %lld.\n", in->a->name,
                              (long long)a->n, in->b->name, (long long)b->n);
        return;
    }
    if (in->open) {
        accordi_buffer_printf(
            out, "It cannot be determined whether the two are the same: %s.\nA is %s\nB is %s\n",
            in->why.text, in->a->name, in->b->name);
        return;
    }
    accordi_buffer_printf(out, "%s of %lld terms%s.\nA is %s\nB is %s\n\n", headline(in),
                          (long long)a->n, in->arithmetic[0] ? ", different arithmetic" : "",
                          in->a->name, in->b->name);
    put_verdicts(out, in);
    if (in->same_order || in->why.ground == ACCORD_GROUND_ANSWERS)
        accordi_buffer_printf(out, "The difference: %s.\n", in->why.text);
    put_changes(out, in);
    if (in->has_node)
        put_differing_node(out, in);
    put_arithmetics(out, in);
    if (in->has_witness)
        put_witness(out, in);
    else if (in->error.text[0])
        accordi_buffer_printf(out, "No input was found on which the difference shows%s%s\n",
                              in->error.status == ACCORD_UNABLE ? "." : ": ",
                              in->error.status == ACCORD_UNABLE ? "" : in->error.text);
}

/* ---- as JSON ---- */

static json_t *json_order(const cli_order *order)
{
    char print[ACCORD_FINGERPRINT_SIZE] = "", model[ACCORD_FINGERPRINT_SIZE] = "",
         words[ACCORD_DESCRIPTION_SIZE];
    const accord_record *r = order->record;
    if (r->tree)
        accord_tree_fingerprint(r->tree, print, NULL);
    json_t *out = json_pack("{s:o, s:o, s:I, s:s?}", "name", cli_json_text(order->name), "target",
                            r->target ? cli_json_text(r->target) : json_null(), "n",
                            (json_int_t)r->n, "fingerprint", r->tree ? print : NULL);
    if (r->arithmetic && accord_record_fingerprint(r, model, NULL) == ACCORD_OK) {
        cli_arithmetic_words(r, words, sizeof words);
        json_object_set_new(out, "model", json_string(model));
        json_object_set_new(out, "arithmetic", json_string(words));
    }
    return out;
}

/* JSON has no infinity and no NaN; the hexadecimal form always tells. */
static json_t *json_decimal(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *json_witness(const cli_difference *in)
{
    const accord_witness_input *w = &in->witness;
    json_t *x = json_array(), *x_hex = json_array(), *y = json_array(), *y_hex = json_array();
    for (int64_t i = 0; i < in->a->record->n; i++) {
        json_array_append_new(x, json_decimal(w->x[i]));
        json_array_append_new(x_hex, cli_json_hexadecimal(w->x[i]));
        json_array_append_new(y, json_decimal(w->y[i]));
        json_array_append_new(y_hex, cli_json_hexadecimal(w->y[i]));
    }
    json_t *all =
        json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "format",
                  accord_format_get(in->format)->name, "terms", (json_int_t)w->terms, "x", x,
                  "x_hex", x_hex, "y", y, "y_hex", y_hex, "a", cli_json_hexadecimal(w->result_a),
                  "b", cli_json_hexadecimal(w->result_b), "a_decimal", json_decimal(w->result_a),
                  "b_decimal", json_decimal(w->result_b));
    if (in->input >= 0)
        json_object_set_new(all, "input", json_integer(in->input));
    for (int i = 0; i < 2; i++)
        if (in->asked[i])
            json_object_set_new(all, i ? "target_b" : "target_a",
                                cli_json_hexadecimal(in->result[i]));
    return all;
}

json_t *cli_diff_document(const cli_difference *in)
{
    json_t *all =
        json_pack("{s:i, s:s, s:b, s:s, s:s, s:I, s:b, s:o, s:o}", "accord", CLI_SCHEMA, "verb",
                  "diff", "same", in->same, "verdict", accord_sameness_name(in->why.sameness),
                  "because", in->why.text, "inputs", (json_int_t)in->why.inputs, "same_order",
                  in->same_order, "a", json_order(in->a), "b", json_order(in->b));
    if (in->same_order && in->why.sameness == ACCORD_DIFFERS)
        json_object_set_new(all, "difference", json_string(in->why.text));
    char *text = changes(in);
    if (text && *text)
        json_object_set_new(all, "changes", json_string(text));
    accord_notation_free(text);
    if (in->has_node)
        json_object_set_new(
            all, "node",
            json_pack("{s:s, s:I, s:I, s:I, s:I}", "of", in->swapped ? "b" : "a", "node",
                      (json_int_t)in->node.node, "size", (json_int_t)in->node.size, "smallest",
                      (json_int_t)in->node.smallest, "other", (json_int_t)in->node.other));
    if (in->has_witness)
        json_object_set_new(all, "witness", json_witness(in));
    if (in->by_counts)
        json_object_set_new(
            all, "common",
            json_pack("{s:I, s:b, s:b, s:I, s:I, s:I, s:I}", "terms", (json_int_t)in->counts.common,
                      "same_order", in->counts.same_order, "other_arithmetic",
                      in->counts.other_arithmetic, "enter_after", (json_int_t)in->counts.after,
                      "enter_within", (json_int_t)in->counts.within, "enter_beside_terms",
                      (json_int_t)in->counts.beside_terms, "entries",
                      (json_int_t)in->counts.entries));
    return all;
}

void cli_diff_json(accordi_buffer *out, const cli_difference *in)
{
    cli_put_json(out, cli_diff_document(in));
}
