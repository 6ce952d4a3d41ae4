/* accord diff: do two models agree, where do they part, and on which input does it show? */
#include "cli/cli.h"
#include <jansson.h>
#include <math.h>

enum { SHOWN_TERMS = 12, SHOWN_INPUTS = 40 };

typedef struct answer {
    cli_order *a, *b;
    bool same, same_order;
    char arithmetic[400];   /* how equal orders compute differently; "" if they do not */
    bool swapped, has_node; /* where the orders part */
    accord_tree_difference node;
    bool has_witness;
    enum accord_format format;    /* of the witness */
    accord_witness_input witness; /* and what the models give for it */
    bool asked[2];                /* a target that is at hand was asked the witness … */
    double result[2];             /* … and gave this */
    accord_error error;           /* why there is no witness */
} answer;

/* ---- operands ---- */

static int ask(const cli_args *args, const char *notation, const accord_record *like,
               cli_order *out)
{
    accord_target_options options;
    size_t *counts, count;
    if (!cli_question_counts(args, like, &counts, &count))
        return CLI_USAGE;
    cli_question(args, like, &options);
    options.n = counts[0];
    free(counts);
    if (count > 1) {
        cli_error("diff compares one count at a time; give one with -n");
        return CLI_USAGE;
    }
    cli_ask(args, notation, &options, out);
    return out->status == ACCORD_OK ? CLI_YES : cli_fail(&out->error);
}

/* Files first: what they say about the question is the default for a target beside them. */
static int fetch(const cli_args *args, cli_order pair[2])
{
    int status = CLI_YES;
    const accord_record *like = NULL;
    for (int i = 0; i < 2 && status == CLI_YES; i++)
        if (!cli_is_target(args->operand[i])) {
            status = cli_load_one(args->operand[i], "diff", &pair[i]);
            like = &pair[i].record;
        }
    for (int i = 0; i < 2 && status == CLI_YES; i++)
        if (cli_is_target(args->operand[i]))
            status = ask(args, args->operand[i], like, &pair[i]);
    for (int i = 0; i < 2 && status == CLI_YES; i++)
        if (!pair[i].record.tree)
            status = cli_no_tree(&pair[i]);
    return status;
}

/* ---- the comparison ---- */

static enum accord_format witness_format(const answer *in)
{
    enum accord_format format = ACCORD_F32;
    const cli_order *const orders[] = {in->b, in->a};
    for (int i = 0; i < 2; i++)
        if (orders[i]->record.format)
            accord_format_by_name(orders[i]->record.format, &format);
    return format;
}

static bool can_be_given(const accord_target *target, const accord_witness_input *w)
{
    size_t n = target->n - target->has_start;
    for (size_t i = 0; i < n; i++) {
        if (accord_format_round(target->format, ACCORD_NEAREST_EVEN, w->x[i]) != w->x[i] &&
            !isnan(w->x[i]))
            return false;
        if (w->y[i] != 1 && target->term != ACCORD_TERM_PRODUCT)
            return false;
    }
    return true;
}

/* Gives the witness to a target itself, if it was asked just now. */
static void ask_target(answer *in, int which)
{
    accord_target *target = (which ? in->b : in->a)->target;
    size_t n = in->a->record.tree->leaves;
    if (!target || target->n != n || !can_be_given(target, &in->witness))
        return;
    bool products = target->term == ACCORD_TERM_PRODUCT;
    float *single = accordi_alloc(2 * n, sizeof *single);
    for (size_t i = 0; single && i < n; i++) {
        single[i] = (float)in->witness.x[i];
        single[n + i] = (float)in->witness.y[i];
    }
    bool narrow = target->storage_f32;
    accord_batch batch = {.probes = 1, .dense = in->witness.x, .second = products ? 1 : 0};
    if (narrow)
        batch.dense = single;
    if (products)
        batch.dense_second = narrow ? (const void *)(single + n) : in->witness.y;
    if (single)
        in->asked[which] = accord_target_run(target, &batch, &in->result[which], NULL) == ACCORD_OK;
    free(single);
}

/* Records that do not tell their arithmetic are taken for plain sums in the format of the terms. */
static enum accord_status find_witness(answer *in)
{
    const accord_record *a = &in->a->record, *b = &in->b->record;
    accord_witness_input *w = &in->witness;
    if (a->arithmetic && b->arithmetic) {
        const accord_model one = {a->tree, a->arithmetic}, two = {b->tree, b->arithmetic};
        const accord_format_info *first = accord_format_get(a->arithmetic->input);
        const accord_format_info *second = accord_format_get(b->arithmetic->input);
        in->format =
            first->precision <= second->precision ? a->arithmetic->input : b->arithmetic->input;
        return accord_witness_models(&one, &two, w, &in->error);
    }
    in->format = witness_format(in);
    for (uint32_t i = 0; i < a->tree->leaves; i++)
        w->y[i] = 1;
    enum accord_status status =
        accord_witness(a->tree, b->tree, in->format, w->x, &w->result_a, &w->result_b, &in->error);
    for (uint32_t i = 0; status == ACCORD_OK && i < a->tree->leaves; i++)
        w->terms += w->x[i] != 0;
    return status;
}

static int compare(answer *in)
{
    const accord_tree *a = in->a->record.tree, *b = in->b->record.tree;
    if (a->leaves != b->leaves)
        return CLI_YES;
    in->same_order = accord_tree_equal(a, b);
    in->same =
        cli_same_model(&in->a->record, &in->b->record, in->arithmetic, sizeof in->arithmetic);
    if (in->same)
        return CLI_YES;
    if (accord_tree_diff(a, b, &in->has_node, &in->swapped, &in->node, &in->error) != ACCORD_OK)
        return cli_fail(&in->error);
    in->witness.x = accordi_alloc(a->leaves, sizeof(double));
    in->witness.y = accordi_alloc(a->leaves, sizeof(double));
    if (!in->witness.x || !in->witness.y) {
        accordi_nomem(&in->error);
        return cli_fail(&in->error);
    }
    in->has_witness = find_witness(in) == ACCORD_OK;
    for (int i = 0; in->has_witness && i < 2; i++)
        ask_target(in, i);
    return CLI_YES;
}

/* ---- in words ---- */

/* The leaves under a node, as "0, 8, 16"; the rest of many as "…". */
static void put_terms(accordi_buffer *out, const accord_tree *tree, uint32_t node)
{
    uint32_t n = tree->leaves, written = 0;
    unsigned char *under = accordi_calloc((size_t)n + tree->inner, 1);
    if (!under) {
        out->failed = true;
        return;
    }
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
    uint32_t size = 0, *sizes = accordi_alloc(tree->inner, sizeof *sizes);
    if (sizes) {
        accord_tree_sizes(tree, sizes);
        size = sizes[node - tree->leaves];
    }
    free(sizes);
    return size;
}

static void put_node(accordi_buffer *out, const answer *in)
{
    const char *has = in->swapped ? "B" : "A", *lacks = in->swapped ? "A" : "B";
    const cli_order *owner = in->swapped ? in->b : in->a, *other = in->swapped ? in->a : in->b;
    accordi_buffer_printf(out, "%s adds the %u terms ", has, in->node.size);
    put_terms(out, owner->record.tree, in->node.node);
    accordi_buffer_printf(out,
                          " to one partial sum.\n%s never holds that partial sum: the least of "
                          "its partial sums with all of them has %u terms.\n",
                          lacks, size_of(other->record.tree, in->node.other));
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* What model i gives for the witness, and what the target itself said. */
static void put_sum(accordi_buffer *out, const answer *in, int i)
{
    double sum = i ? in->witness.result_b : in->witness.result_a;
    accordi_buffer_printf(out, "%s gives %a (%.17g)", i ? "B" : "A", sum, sum);
    if (in->asked[i] && same_bits(in->result[i], sum))
        accordi_buffer_puts(out, "; asked just now, it did");
    else if (in->asked[i])
        accordi_buffer_printf(out, " by its %s; asked just now, it gave %a (%.17g)",
                              in->a->record.arithmetic && in->b->record.arithmetic
                                  ? "model"
                                  : "order in plain arithmetic",
                              in->result[i], in->result[i]);
    accordi_buffer_puts(out, "\n");
}

/* Is this term other than +0 times 1? */
static bool is_set(const answer *in, uint32_t i)
{
    return in->witness.x[i] != 0 || signbit(in->witness.x[i]) || in->witness.y[i] != 1;
}

static void put_witness(accordi_buffer *out, const answer *in)
{
    const accord_arithmetic *how = in->a->record.arithmetic;
    uint32_t n = in->a->record.tree->leaves, shown = 0, more = 0;
    accordi_buffer_printf(out,
                          "\nAn input (%s) on which the two give different bits; other terms "
                          "are 0:\n",
                          accord_format_get(in->format)->name);
    for (uint32_t i = 0; i < n; i++) {
        double x = in->witness.x[i], y = in->witness.y[i];
        if (!is_set(in, i))
            continue;
        more += shown >= SHOWN_INPUTS;
        if (shown++ >= SHOWN_INPUTS)
            continue;
        if (how && how->beta != 0 && i + 1 == n)
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
        accordi_buffer_puts(out, "  (second factors that are not shown are 1)\n");
    put_sum(out, in, 0);
    put_sum(out, in, 1);
}

static void put_same(accordi_buffer *out, const answer *in)
{
    const accord_record *a = &in->a->record, *b = &in->b->record;
    char print[ACCORD_FINGERPRINT_SIZE] = "", words[400];
    accord_tree_fingerprint(a->tree, print, NULL);
    accordi_buffer_printf(out, "Same order: %u terms, fingerprint %s.\n", a->tree->leaves, print);
    if (a->arithmetic && b->arithmetic && cli_model_print(a, print)) {
        cli_arithmetic_words(a, words, sizeof words);
        accordi_buffer_printf(out, "Same arithmetic: %s; together %s.\n", words, print);
    } else if (a->arithmetic || b->arithmetic) {
        accordi_buffer_printf(out, "The arithmetic was not compared: %s does not tell its own.\n",
                              a->arithmetic ? "B" : "A");
    }
}

static void put_arithmetics(accordi_buffer *out, const answer *in)
{
    char a[400], b[400];
    cli_arithmetic_words(&in->a->record, a, sizeof a);
    cli_arithmetic_words(&in->b->record, b, sizeof b);
    if (!in->a->record.arithmetic || !in->b->record.arithmetic)
        return;
    if (strcmp(a, b) == 0)
        accordi_buffer_printf(out, "Both compute in %s.\n", a);
    else
        accordi_buffer_printf(out, "A computes in %s.\nB computes in %s.\n", a, b);
}

static void put_report(accordi_buffer *out, const answer *in)
{
    const accord_record *a = &in->a->record, *b = &in->b->record;
    if (in->same) {
        put_same(out, in);
        return;
    }
    if (a->tree->leaves != b->tree->leaves) {
        accordi_buffer_printf(out, "Different: %s adds %u terms, %s adds %u.\n", in->a->name,
                              a->tree->leaves, in->b->name, b->tree->leaves);
        return;
    }
    accordi_buffer_printf(out, "%s of %u terms%s.\nA is %s\nB is %s\n\n",
                          in->same_order ? "Same order" : "Different orders", a->tree->leaves,
                          in->same_order ? ", other arithmetic" : "", in->a->name, in->b->name);
    if (in->same_order)
        accordi_buffer_printf(out, "The difference: %s.\n", in->arithmetic);
    if (in->has_node)
        put_node(out, in);
    put_arithmetics(out, in);
    if (in->has_witness)
        put_witness(out, in);
    else
        accordi_buffer_printf(out, "No input was found on which it shows: %s\n", in->error.text);
}

/* ---- as JSON ---- */

static json_t *json_order(const cli_order *order)
{
    char print[ACCORD_FINGERPRINT_SIZE] = "", model[ACCORD_FINGERPRINT_SIZE] = "", words[400];
    const accord_record *r = &order->record;
    accord_tree_fingerprint(r->tree, print, NULL);
    json_t *out = json_pack("{s:o, s:o, s:I, s:s}", "name", cli_json_text(order->name), "target",
                            r->target ? cli_json_text(r->target) : json_null(), "n",
                            (json_int_t)r->tree->leaves, "fingerprint", print);
    if (r->arithmetic && cli_model_print(r, model)) {
        cli_arithmetic_words(r, words, sizeof words);
        json_object_set_new(out, "model", json_string(model));
        json_object_set_new(out, "arithmetic", json_string(words));
    }
    return out;
}

static json_t *json_hex(double x)
{
    char text[40];
    snprintf(text, sizeof text, "%a", x);
    return json_string(text);
}

/* JSON has no infinity and no NaN; the hexadecimal form always tells. */
static json_t *json_decimal(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *json_witness(const answer *in)
{
    const accord_witness_input *w = &in->witness;
    json_t *x = json_array(), *x_hex = json_array(), *y = json_array(), *y_hex = json_array();
    for (uint32_t i = 0; i < in->a->record.tree->leaves; i++) {
        json_array_append_new(x, json_decimal(w->x[i]));
        json_array_append_new(x_hex, json_hex(w->x[i]));
        json_array_append_new(y, json_decimal(w->y[i]));
        json_array_append_new(y_hex, json_hex(w->y[i]));
    }
    json_t *all = json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "format",
                            accord_format_get(in->format)->name, "terms", (json_int_t)w->terms, "x",
                            x, "x_hex", x_hex, "y", y, "y_hex", y_hex, "a", json_hex(w->result_a),
                            "b", json_hex(w->result_b), "a_decimal", json_decimal(w->result_a),
                            "b_decimal", json_decimal(w->result_b));
    for (int i = 0; i < 2; i++)
        if (in->asked[i])
            json_object_set_new(all, i ? "target_b" : "target_a", json_hex(in->result[i]));
    return all;
}

static void put_json(accordi_buffer *out, const answer *in)
{
    json_t *all = json_pack("{s:i, s:s, s:b, s:b, s:o, s:o}", "accord", CLI_SCHEMA, "verb", "diff",
                            "same", in->same, "same_order", in->same_order, "a", json_order(in->a),
                            "b", json_order(in->b));
    if (in->same_order && !in->same)
        json_object_set_new(all, "difference", json_string(in->arithmetic));
    if (in->has_node)
        json_object_set_new(
            all, "node",
            json_pack("{s:s, s:I, s:I, s:I, s:I}", "of", in->swapped ? "b" : "a", "node",
                      (json_int_t)in->node.node, "size", (json_int_t)in->node.size, "smallest",
                      (json_int_t)in->node.smallest, "other", (json_int_t)in->node.other));
    if (in->has_witness)
        json_object_set_new(all, "witness", json_witness(in));
    cli_put_json(out, all);
}

static int run(const cli_args *args)
{
    cli_order pair[2] = {0};
    answer in = {.a = &pair[0], .b = &pair[1]};
    int status = fetch(args, pair);
    if (status == CLI_YES)
        status = compare(&in);
    if (status == CLI_YES) {
        accordi_buffer text = {0};
        (cli_wants_json(args) ? put_json : put_report)(&text, &in);
        status = cli_output_text(args, &text);
        if (status == CLI_YES && !in.same)
            status = CLI_DIFFERS;
    }
    free(in.witness.x);
    free(in.witness.y);
    cli_order_clear(&pair[0]);
    cli_order_clear(&pair[1]);
    return status;
}

const cli_verb cli_diff = {
    .name = "diff",
    .operands = "A B",
    .about = "compare two models, saved or asked now",
    .text =
        "A and B are files or targets each (a word that begins with the name of a kind and a "
        "colon is a target; write ./blas:x for a file of such a name). Says whether the "
        "models, order and arithmetic, are the same. If not, names the first partial sum of A that "
        "B never holds, or what the same order computes otherwise, and an input on which "
        "both give different bits, of as few terms as were found. Targets are asked that "
        "input too. A target beside a file is asked the "
        "question that the file holds, unless options say otherwise.",
    .least = 2,
    .most = 2,
    .options = {CLI_COUNT,     CLI_OUTPUT, CLI_JSON,    CLI_TO,      CLI_ALGORITHM,
                CLI_FORMAT,    CLI_SEED,   CLI_STRICT,  CLI_TIMEOUT, CLI_NO_FORK,
                CLI_SIGNATURE, CLI_SHAPE,  CLI_ELEMENT, CLI_TRANS,   CLI_INCX,
                CLI_INCY,      CLI_LDA,    CLI_LDB,     CLI_LDC,     CLI_ALPHA,
                CLI_BETA,      CLI_ALIGN,  CLI_QUIET,   CLI_HELP,    CLI_OPTIONS},
    .examples = {{"accord diff old.json new.json", "two saved orders"},
                 {"accord diff sdot.json blas:sdot", "a saved order and today's"},
                 {"accord diff blas:sdot@libblis.so.4 blas:sdot@libopenblas.so.0 -n 32",
                  "two libraries"},
                 {"accord diff synthetic:sequential,products synthetic:sequential,fma -n 8",
                  "one order, other arithmetic"},
                 {"accord diff synthetic:sequential synthetic:pairwise -n 8 --json",
                  "as JSON, with the whole input"}},
    .run = run,
};
