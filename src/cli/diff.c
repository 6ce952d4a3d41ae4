/* accord diff: do two orders agree, where do they part, and on which input does it show? */
#include "cli/cli.h"
#include <jansson.h>

enum { SHOWN_TERMS = 12, SHOWN_INPUTS = 40 };

typedef struct answer {
    cli_order *a, *b;
    bool same, swapped, has_node, has_witness, asked;
    accord_tree_difference node;
    enum accord_format format;
    double *x, sum[2];  /* the witness and the sums that the two orders give */
    double result[2];   /* what the two targets gave for it, if both are at hand */
    accord_error error; /* why there is no witness */
} answer;

/* ---- operands ---- */

static int load(const char *path, cli_order *out)
{
    cli_order *orders;
    size_t count;
    int status = cli_load(path, &orders, &count);
    if (status != CLI_YES)
        return status;
    if (count > 1) {
        cli_error("%s holds %zu orders; diff compares two, so give files of one order each", path,
                  count);
        cli_orders_free(orders, count);
        return CLI_USAGE;
    }
    *out = orders[0];
    free(orders);
    return CLI_YES;
}

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
            status = load(args->operand[i], &pair[i]);
            like = &pair[i].record;
        }
    for (int i = 0; i < 2 && status == CLI_YES; i++)
        if (cli_is_target(args->operand[i]))
            status = ask(args, args->operand[i], like, &pair[i]);
    for (int i = 0; i < 2 && status == CLI_YES; i++)
        if (!pair[i].record.tree) {
            cli_error("%s holds no order: %s", pair[i].name,
                      pair[i].record.verdict ? pair[i].record.verdict
                                             : "compare files that hold a tree");
            status = CLI_UNABLE;
        }
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

/* Gives the witness to the targets themselves, when both were asked just now. */
static void ask_targets(answer *in)
{
    const cli_order *const orders[] = {in->a, in->b};
    uint32_t n = in->a->record.tree->leaves;
    uint32_t start[3] = {0, 0, n}, *index = accordi_alloc(n, sizeof *index);
    accord_batch batch = {.probes = 1, .start = start, .index = index, .value = in->x};
    bool good = index && in->a->target && in->b->target;
    for (uint32_t i = 0; good && i < n; i++)
        index[i] = i;
    for (int i = 0; good && i < 2; i++)
        good = orders[i]->target->format == in->format &&
               accord_target_run(orders[i]->target, &batch, &in->result[i], NULL) == ACCORD_OK;
    in->asked = good;
    free(index);
}

static int compare(answer *in)
{
    const accord_tree *a = in->a->record.tree, *b = in->b->record.tree;
    in->same = accord_tree_equal(a, b);
    if (in->same || a->leaves != b->leaves)
        return CLI_YES;
    if (accord_tree_diff(a, b, &in->has_node, &in->swapped, &in->node, &in->error) != ACCORD_OK)
        return cli_fail(&in->error);
    in->format = witness_format(in);
    in->x = accordi_alloc(a->leaves, sizeof *in->x);
    if (!in->x) {
        accordi_nomem(&in->error);
        return cli_fail(&in->error);
    }
    in->has_witness =
        accord_witness(a, b, in->format, in->x, &in->sum[0], &in->sum[1], &in->error) == ACCORD_OK;
    if (in->has_witness)
        ask_targets(in);
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

/* The sum that order i gives for the witness, and what the target itself said. */
static void put_sum(accordi_buffer *out, const answer *in, int i)
{
    accordi_buffer_printf(out, "%s gives %a (%.17g)", i ? "B" : "A", in->sum[i], in->sum[i]);
    if (in->asked && in->result[i] == in->sum[i])
        accordi_buffer_puts(out, "; asked just now, it did");
    else if (in->asked)
        accordi_buffer_printf(out, " in plain arithmetic; asked just now, it gave %a (%.17g)",
                              in->result[i], in->result[i]);
    accordi_buffer_puts(out, "\n");
}

static void put_witness(accordi_buffer *out, const answer *in)
{
    uint32_t n = in->a->record.tree->leaves, shown = 0, more = 0;
    accordi_buffer_printf(out,
                          "\nAn input (%s) on which the two give different bits; other terms "
                          "are 0:\n",
                          accord_format_get(in->format)->name);
    for (uint32_t i = 0; i < n; i++) {
        if (in->x[i] == 0)
            continue;
        if (shown < SHOWN_INPUTS)
            accordi_buffer_printf(out, "  x[%u] = %a (%.17g)\n", i, in->x[i], in->x[i]);
        more += shown++ >= SHOWN_INPUTS;
    }
    if (more)
        accordi_buffer_printf(out, "  ... and %u more terms; --json writes them all\n", more);
    put_sum(out, in, 0);
    put_sum(out, in, 1);
}

static void put_report(accordi_buffer *out, const answer *in)
{
    const accord_record *a = &in->a->record, *b = &in->b->record;
    char print[ACCORD_FINGERPRINT_SIZE] = "";
    accord_tree_fingerprint(a->tree, print, NULL);
    if (in->same) {
        accordi_buffer_printf(out, "Same order: %u terms, fingerprint %s.\n", a->tree->leaves,
                              print);
        return;
    }
    if (a->tree->leaves != b->tree->leaves) {
        accordi_buffer_printf(out, "Different: %s adds %u terms, %s adds %u.\n", in->a->name,
                              a->tree->leaves, in->b->name, b->tree->leaves);
        return;
    }
    accordi_buffer_printf(out, "Different orders of %u terms.\nA is %s\nB is %s\n\n",
                          a->tree->leaves, in->a->name, in->b->name);
    if (in->has_node)
        put_node(out, in);
    if (in->has_witness)
        put_witness(out, in);
    else
        accordi_buffer_printf(out, "No input was found on which it shows: %s\n", in->error.text);
}

/* ---- as JSON ---- */

static json_t *json_order(const cli_order *order)
{
    char print[ACCORD_FINGERPRINT_SIZE] = "";
    const accord_record *r = &order->record;
    accord_tree_fingerprint(r->tree, print, NULL);
    return json_pack("{s:s, s:s?, s:I, s:s}", "name", order->name, "target", r->target, "n",
                     (json_int_t)r->tree->leaves, "fingerprint", print);
}

static json_t *json_hex(double x)
{
    char text[40];
    snprintf(text, sizeof text, "%a", x);
    return json_string(text);
}

static json_t *json_witness(const answer *in)
{
    json_t *values = json_array(), *hex = json_array();
    for (uint32_t i = 0; i < in->a->record.tree->leaves; i++) {
        json_array_append_new(values, json_real(in->x[i]));
        json_array_append_new(hex, json_hex(in->x[i]));
    }
    json_t *all =
        json_pack("{s:s, s:o, s:o, s:o, s:o}", "format", accord_format_get(in->format)->name, "x",
                  values, "x_hex", hex, "a", json_hex(in->sum[0]), "b", json_hex(in->sum[1]));
    if (in->asked) {
        json_object_set_new(all, "target_a", json_hex(in->result[0]));
        json_object_set_new(all, "target_b", json_hex(in->result[1]));
    }
    return all;
}

static void put_json(accordi_buffer *out, const answer *in)
{
    json_t *all = json_pack("{s:i, s:s, s:b, s:o, s:o}", "accord", CLI_SCHEMA, "verb", "diff",
                            "same", in->same, "a", json_order(in->a), "b", json_order(in->b));
    if (in->has_node)
        json_object_set_new(
            all, "node",
            json_pack("{s:s, s:I, s:I, s:I, s:I}", "of", in->swapped ? "b" : "a", "node",
                      (json_int_t)in->node.node, "size", (json_int_t)in->node.size, "smallest",
                      (json_int_t)in->node.smallest, "other", (json_int_t)in->node.other));
    if (in->has_witness)
        json_object_set_new(all, "witness", json_witness(in));
    char *text = json_dumps(all, JSON_INDENT(2));
    if (text)
        accordi_buffer_printf(out, "%s\n", text);
    else
        out->failed = true;
    free(text);
    json_decref(all);
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
    free(in.x);
    cli_order_clear(&pair[0]);
    cli_order_clear(&pair[1]);
    return status;
}

const cli_verb cli_diff = {
    .name = "diff",
    .operands = "A B",
    .about = "compare two orders, saved or asked now",
    .text = "A and B are files or targets each (a word that begins with the name of a kind and a "
            "colon is a target; write ./blas:x for a file of such a name). Says whether the "
            "orders are the same; if not, names the first partial sum of A that B never holds and "
            "an input on which both give different bits. A target beside a file is asked the "
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
                 {"accord diff synthetic:sequential synthetic:pairwise -n 8 --json",
                  "as JSON, with the whole input"}},
    .run = run,
};
