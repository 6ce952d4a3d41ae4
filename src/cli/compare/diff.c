/* accord diff: compares two models and finds an input on which they differ. */
#include "cli/compare/diff.h"
#include <math.h>

/* ---- operands ---- */

/* -n N is the count of each target, -n N,M that of A and that of B. */
static int ask_model(const cli_args *args, const char *notation, const accord_record *like,
                     int which, cli_order *out)
{
    accord_target_options options;
    size_t *counts, count;
    if (!cli_question_counts(args, like, &counts, &count))
        return CLI_USAGE;
    cli_question(args, like, &options);
    options.n = counts[count == 2 ? which : 0];
    free(counts);
    if (count > (like ? 1 : 2))
        return cli_misuse(
            "diff compares two orders: give one count with -n or, for two targets, the count "
            "of A and that of B, e.g. -n 7,8");
    cli_ask(args, notation, &options, out);
    return !accord_record_has_answer(out->record) ? cli_fail(&out->error) : CLI_YES;
}

/* Files first: what they say about the question is the default for a target beside them. */
static int fetch(const cli_args *args, cli_order pair[2])
{
    int status = CLI_YES;
    const accord_record *like = NULL;
    for (int i = 0; i < 2 && status == CLI_YES; i++)
        if (!cli_is_target(args->operand[i])) {
            status = cli_load_one(args->operand[i], "diff", &pair[i]);
            like = pair[i].record;
        }
    for (int i = 0; i < 2 && status == CLI_YES; i++)
        if (cli_is_target(args->operand[i]))
            status = ask_model(args, args->operand[i], like, i, &pair[i]);
    for (int i = 0; i < 2 && status == CLI_YES; i++)
        if (!pair[i].record->tree && !pair[i].record->reason)
            status = cli_no_tree(&pair[i]);
    return status;
}

/* ---- the comparison ---- */

static enum accord_format witness_format(const cli_difference *in)
{
    enum accord_format format = ACCORD_F32;
    const cli_order *const orders[] = {in->b, in->a};
    for (int i = 0; i < 2; i++)
        if (orders[i]->record->format)
            accord_format_by_name(orders[i]->record->format, &format);
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
    size_t n = (size_t)in->a->record->n;
    if (!target || target->n != n || !can_be_given(target, &in->witness))
        return;
    bool products = target->term == ACCORD_TERM_PRODUCT;
    float *single = cli_need(accordi_alloc(2 * n, sizeof *single));
    for (size_t i = 0; i < n; i++) {
        single[i] = (float)in->witness.x[i];
        single[n + i] = (float)in->witness.y[i];
    }
    bool narrow = target->storage_f32;
    accord_batch batch = {.probes = 1, .dense = in->witness.x, .second = products ? 1 : 0};
    if (narrow)
        batch.dense = single;
    if (products)
        batch.dense_second = narrow ? (const void *)(single + n) : in->witness.y;
    in->asked[which] = accord_target_run(target, &batch, &in->result[which], NULL) == ACCORD_OK;
    free(single);
}

/* Records that do not tell their arithmetic are taken for plain sums in the format of the terms. */
static enum accord_status find_witness(cli_difference *in)
{
    const accord_record *a = in->a->record, *b = in->b->record;
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

/* ---- an input of the answers as a witness ---- */

static bool put_input(cli_difference *in, int64_t input)
{
    accord_witness_input *w = &in->witness;
    if (accord_answers_input(in->a->record, input, w->x, w->y, &in->error) != ACCORD_OK)
        return false;
    w->terms = 0;
    for (int64_t i = 0; i < in->a->record->n; i++)
        w->terms += w->x[i] != 0;
    in->input = input;
    return true;
}

static double result_of(uint64_t bits)
{
    double result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

/* Of inputs whose answers no record keeps: both targets are asked again, one input at a time. */
static bool ask_for_input(cli_difference *in)
{
    accord_witness_input *w = &in->witness;
    for (int64_t i = ACCORD_ANSWERS_KEPT; i < in->a->record->answers.inputs; i++) {
        if (!put_input(in, i))
            return false;
        for (int which = 0; which < 2; which++)
            ask_target(in, which);
        if (!in->asked[0] || !in->asked[1])
            return false;
        w->result_a = in->result[0];
        w->result_b = in->result[1];
        if (!accordi_same_bits(w->result_a, w->result_b))
            return true;
    }
    return false;
}

/* The first input on which the answers differ. */
static bool answers_witness(cli_difference *in)
{
    accord_comparison answers;
    bool found = false;
    if (accord_answers_compare(in->a->record, in->b->record, 0, &answers) != ACCORD_DIFFERS)
        return false;
    if (answers.input >= 0) {
        found = put_input(in, answers.input);
        in->witness.result_a = result_of(answers.bits_a);
        in->witness.result_b = result_of(answers.bits_b);
    } else if (in->a->target && in->b->target) {
        found = ask_for_input(in);
    } else {
        accordi_fail(&in->error, ACCORD_UNABLE,
                     "the answers differ, but the records hold only the first %d answers",
                     ACCORD_ANSWERS_KEPT);
    }
    in->format = witness_format(in);
    in->input = found ? in->input : -1;
    return found;
}

static bool ask_targets(cli_difference *in)
{
    for (int i = 0; in->has_witness && i < 2; i++)
        ask_target(in, i);
    return !in->asked[0] || !in->asked[1] || !accordi_same_bits(in->result[0], in->result[1]);
}

/* A model's witness has few terms; where the models say nothing the answers do, and where both
 * targets deny it. */
static void look_for_witness(cli_difference *in)
{
    bool trees = in->a->record->tree && in->b->record->tree;
    bool by_answers = in->why.ground == ACCORD_GROUND_ANSWERS || !trees;
    in->input = -1;
    in->has_witness = by_answers ? answers_witness(in) : find_witness(in) == ACCORD_OK;
    if (!by_answers && !in->has_witness)
        in->has_witness = answers_witness(in);
    if (ask_targets(in) || by_answers || in->input >= 0)
        return;
    in->has_witness = answers_witness(in) || find_witness(in) == ACCORD_OK;
    ask_targets(in);
}

static int compare_counts(cli_difference *in)
{
    accord_common *counts = &in->counts;
    if (accord_common_compare(in->a->record, in->b->record, counts, &in->error) != ACCORD_OK)
        return cli_fail(&in->error);
    in->by_counts = true;
    in->same_order = counts->same_order;
    in->same = counts->sameness == ACCORD_SAME;
    in->open = counts->sameness == ACCORD_CANNOT_TELL;
    in->has_node = counts->has_node;
    in->swapped = counts->swapped;
    in->node = counts->node;
    in->why.sameness = counts->sameness;
    snprintf(in->why.text, sizeof in->why.text, "%s", counts->text);
    return CLI_YES;
}

int cli_diff_compare(cli_difference *in)
{
    const accord_record *a = in->a->record, *b = in->b->record;
    if (a->tree && b->tree && a->tree->leaves != b->tree->leaves)
        return compare_counts(in);
    enum accord_sameness sameness = accord_record_compare(a, b, 0, &in->why);
    in->same = sameness == ACCORD_SAME || sameness == ACCORD_SAME_ON_INPUTS;
    in->open = sameness == ACCORD_CANNOT_TELL;
    in->same_order = a->tree && b->tree && accord_tree_equal(a->tree, b->tree);
    if (in->why.ground == ACCORD_GROUND_ARITHMETIC)
        snprintf(in->arithmetic, sizeof in->arithmetic, "%s", in->why.text);
    if (sameness != ACCORD_DIFFERS || a->n != b->n)
        return CLI_YES;
    if (a->tree && b->tree &&
        accord_tree_diff(a->tree, b->tree, &in->has_node, &in->swapped, &in->node, &in->error) !=
            ACCORD_OK)
        return cli_fail(&in->error);
    in->witness.x = cli_need(accordi_alloc((size_t)a->n, sizeof(double)));
    in->witness.y = cli_need(accordi_alloc((size_t)a->n, sizeof(double)));
    look_for_witness(in);
    return CLI_YES;
}

void cli_diff_clear(cli_difference *in)
{
    free(in->witness.x);
    free(in->witness.y);
    in->witness.x = in->witness.y = NULL;
    accord_common_clear(&in->counts);
}

static int run_diff(const cli_args *args)
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
        if (status == CLI_YES && in.open)
            cli_error("it cannot be determined whether the two are the same: %s", in.why.text);
        if (status == CLI_YES && !in.same)
            status = in.open ? CLI_UNABLE : CLI_DIFFERS;
    }
    cli_diff_clear(&in);
    cli_order_clear(&pair[0]);
    cli_order_clear(&pair[1]);
    return status;
}

const cli_verb cli_diff = {
    .name = "diff",
    .operands = "A B",
    .about = "compare two models, each from a file or a target",
    .text =
        "A and B are each a file or a target. (A word that begins with the name of a kind and a "
        "colon is a target; write ./blas:x for a file with such a name.) The command says whether "
        "their models (the order and the arithmetic) are the same, and whether their answers (the "
        "results on random inputs) are the same. Where no model explains the arithmetic, the "
        "answers decide. If the two differ, it names the first partial sum that only one of them "
        "computes, or the first difference in arithmetic, and an input with few terms on which the "
        "two give different bits. Targets are run on that input as well. If one of the two is a "
        "file, the target is asked the question that the file records, unless options say "
        "otherwise. Orders of different numbers of terms (two targets with -n 7,8, or files) "
        "are compared on the first terms, which both have. They are the same if removing the other "
        "terms from the longer order gives the shorter one, and if the arithmetic is described in "
        "the same words. The report says where the other terms are added. The exit status is 0 if "
        "they are the same, 1 if they differ, and 3 if this cannot be determined, because results "
        "vary from run to run or because a file without answers has to be recorded again.",
    .least = 2,
    .most = 2,
    .options = {CLI_COUNT,       CLI_OUTPUT,  CLI_JSON,    CLI_TO,       CLI_ALGORITHM,
                CLI_FORMAT,      CLI_SEED,    CLI_REPLAYS, CLI_PROOF,    CLI_PROOF_ERROR,
                CLI_BUDGET,      CLI_TIMEOUT, CLI_PYTHON,  CLI_NO_FORK,  CLI_SIGNATURE,
                CLI_SCALE_BLOCK, CLI_SCALE,   CLI_RESULT,  CLI_OPERANDS, CLI_QUIET,
                CLI_HELP,        CLI_OPTIONS},
    .examples = {{"accord diff old.json new.json", "two saved orders"},
                 {"accord diff sdot.json blas:sdot", "a saved order and today's"},
                 {"accord diff blas:sdot@libblis.so.4 blas:sdot@libopenblas.so.0 -n 32",
                  "two libraries"},
                 {"accord diff blas:sdot blas:sdot -n 7,8", "why 8 terms differ from 7"},
                 {"accord diff synthetic:sequential,products synthetic:sequential,fma -n 8",
                  "one order, different arithmetic"},
                 {"accord diff synthetic:sequential synthetic:pairwise -n 8 --json",
                  "as JSON, with the whole input"}},
    .run = run_diff,
};
