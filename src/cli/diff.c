/* accord diff: do two models agree, where do they part, and on which input does it show? */
#include "cli/diff.h"
#include <math.h>

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

static enum accord_format witness_format(const cli_difference *in)
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
static void ask_target(cli_difference *in, int which)
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
static enum accord_status find_witness(cli_difference *in)
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

int cli_diff_compare(cli_difference *in)
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

void cli_diff_clear(cli_difference *in)
{
    free(in->witness.x);
    free(in->witness.y);
    in->witness.x = in->witness.y = NULL;
}

static int run(const cli_args *args)
{
    cli_order pair[2] = {0};
    cli_difference in = {.a = &pair[0], .b = &pair[1]};
    int status = fetch(args, pair);
    if (status == CLI_YES)
        status = cli_diff_compare(&in);
    if (status == CLI_YES) {
        accordi_buffer text = {0};
        (cli_wants_json(args) ? cli_diff_json : cli_diff_report)(&text, &in);
        status = cli_output_text(args, &text);
        if (status == CLI_YES && !in.same)
            status = CLI_DIFFERS;
    }
    cli_diff_clear(&in);
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
    .options = {CLI_COUNT, CLI_OUTPUT,  CLI_JSON,    CLI_TO,     CLI_ALGORITHM, CLI_FORMAT,
                CLI_SEED,  CLI_STRICT,  CLI_TIMEOUT, CLI_PYTHON, CLI_NO_FORK,   CLI_SIGNATURE,
                CLI_SHAPE, CLI_ELEMENT, CLI_TRANS,   CLI_INCX,   CLI_INCY,      CLI_LDA,
                CLI_LDB,   CLI_LDC,     CLI_ALPHA,   CLI_BETA,   CLI_ALIGN,     CLI_QUIET,
                CLI_HELP,  CLI_OPTIONS},
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
