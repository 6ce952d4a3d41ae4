/* accord features: the arithmetic of a target as a list. */
#include "cli/command/cli.h"
#include <jansson.h>

enum { USUAL = 96 }; /* terms: three steps of 32, and many of fewer */

typedef struct answer {
    cli_order order;
    bool fused; /* a machine was found, and needed */
    accord_features *found;
} answer;

static const char *const roundings[] = {"to nearest, ties to even", "toward zero", "down", "up",
                                        "to nearest, ties away from zero"};

/* ---- asking ---- */

static int ask_features(const cli_args *args, answer *a)
{
    accord_target_options options;
    accord_error error = {0};
    cli_question(args, NULL, &options);
    options.n = USUAL;
    if ((args->text[CLI_COUNT] || args->text[CLI_SHAPE]) &&
        !cli_question_count(args, "features takes one number of terms; give it with -n",
                            &options.n))
        return CLI_USAGE;
    cli_ask(args, args->operand[0], &options, &a->order);
    if (a->order.status != ACCORD_OK)
        return cli_fail(&a->order.error);
    const accord_features_options how = {.seed = (uint64_t)cli_integer(args, CLI_SEED, 0)};
    if (accord_features_find(a->order.target, a->order.record->tree, &how, &a->found, &error) !=
        ACCORD_OK)
        return cli_fail(&error);
    /* Three terms added one after the other are any sum, and need no machine to be told. */
    a->fused = !accord_features_why(a->found) && !(a->order.record->arithmetic && options.n < 4);
    return CLI_YES;
}

/* ---- telling ---- */

static void put_machine_features(const answer *a, accordi_buffer *out)
{
    const accord_feature *f;
    const accord_fused *row;
    char text[100];
    uint64_t probes, replays, agreed;
    accordi_buffer_printf(out, "\n%-18s %-34s %s\n", "feature", "found",
                          "meaning, and where it was seen");
    for (size_t i = 0; (f = accord_features_at(a->found, i)); i++) {
        accord_feature_describe(f, text, sizeof text);
        accordi_buffer_printf(out, "%-18s %-34s %s (%s)\n", f->name, text, f->about, f->how);
    }
    accord_features_evidence(a->found, &probes, &replays, &agreed);
    accordi_buffer_printf(out,
                          "\nA step adds its products to c, the sum so far.\n"
                          "\nConfirmed    by %llu of %llu random inputs, after %llu probes\n"
                          "Agrees with  ",
                          (unsigned long long)agreed, (unsigned long long)replays,
                          (unsigned long long)probes);
    for (size_t i = 0; (row = accord_features_machine(a->found, i)); i++)
        accordi_buffer_printf(out, "%s%s", i ? ", " : "", row->name);
    accordi_buffer_puts(out, accord_features_machine(a->found, 0)
                                 ? "\n"
                                 : "none of the machines that accord knows\n");
}

static bool has_leaf(const accord_tree *tree, uint32_t k)
{
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
        if (tree->child[c] < tree->leaves)
            return true;
    return false;
}

enum { WAY = 160 };

/* The nodes of an operation, and what they do. */
static size_t describe_nodes(const accord_record *r, size_t operation, char text[WAY])
{
    const accord_arithmetic *how = r->arithmetic;
    const accord_operation *op = &how->operation[operation];
    size_t nodes = 0, leaves = 0; /* of them, those with a term of their own */
    for (uint32_t k = 0; k < r->tree->inner; k++) {
        bool is = how->of_node ? how->of_node[k] == operation : operation == 0;
        nodes += is;
        leaves += is && has_leaf(r->tree, k);
    }
    bool products = how->term == ACCORD_TERM_PRODUCT && leaves > 0;
    snprintf(text, WAY, "%s, rounded %s%s%s", accord_format_get(op->format)->name,
             roundings[op->rounding],
             !products        ? ""
             : op->fused >= 0 ? ", a product fused into them"
                              : ", products rounded to ",
             !products || op->fused >= 0 ? "" : accord_format_get(op->product)->name);
    return nodes;
}

/* A line for each way in which nodes add. */
static void put_ways(const accord_record *r, accordi_buffer *out)
{
    size_t operations = r->arithmetic->operations;
    for (size_t i = 0; i < operations; i++) {
        char way[WAY], other[WAY];
        size_t nodes = describe_nodes(r, i, way);
        bool told = r->tree->inner > 0 && nodes == 0; /* or with one before */
        for (size_t k = 0; k < operations && !told; k++) {
            size_t more = k == i ? 0 : describe_nodes(r, k, other);
            bool same = more > 0 && strcmp(way, other) == 0;
            nodes += same ? more : 0;
            told = same && k < i;
        }
        if (!told)
            accordi_buffer_printf(out, "%-18s %s (%zu node%s)\n", "sums", way, nodes,
                                  nodes == 1 ? "" : "s");
    }
}

/* What is known of binary sums. */
static void put_binary_features(const answer *a, accordi_buffer *out)
{
    const accord_record *r = a->order.record;
    const accord_arithmetic *how = r->arithmetic;
    if (!how) {
        accordi_buffer_printf(out, "\nArithmetic   %s\n",
                              r->accumulator ? r->accumulator : "not explained");
        return;
    }
    static const char *const terms[] = {"values", "products", "absolute values", "squares"};
    accordi_buffer_printf(out, "\n%-18s %s of %s\n%-18s %s, rounded %s\n", "terms",
                          terms[how->term], accord_format_get(how->input)->name, "result",
                          accord_format_get(how->output)->name, roundings[how->output_rounding]);
    put_ways(r, out);
    accordi_buffer_printf(out, "\nConfirmed    by %lld of %lld random inputs\n",
                          (long long)r->replays_agreed, (long long)r->replays);
}

static void put_features_report(const answer *a, accordi_buffer *out)
{
    const accord_record *r = a->order.record;
    const accord_special *special;
    accordi_buffer_printf(out, "Target       %s, %lld terms of %s\n", r->target, (long long)r->n,
                          r->format ? r->format : "?");
    if (a->fused)
        put_machine_features(a, out);
    else
        put_binary_features(a, out);
    accordi_buffer_puts(out, "\n");
    for (size_t i = 0; (special = accord_features_special(a->found, i)); i++)
        accordi_buffer_printf(out, "%-18s %-16s %s\n", special->name, special->seen,
                              special->about);
}

static json_t *value_json(const accord_feature *f)
{
    return f->kind == ACCORD_FEATURE_YES_NO   ? json_boolean(f->value)
           : f->kind == ACCORD_FEATURE_NUMBER ? json_integer(f->value)
                                              : json_string(f->word);
}

static json_t *machine_json(const answer *a)
{
    const accord_feature *f;
    const accord_fused *row;
    json_t *all = json_object(), *rows = json_array();
    char text[100];
    uint64_t probes, replays, agreed;
    for (size_t i = 0; (f = accord_features_at(a->found, i)); i++) {
        accord_feature_describe(f, text, sizeof text);
        json_object_set_new(all, f->name,
                            json_pack("{s:o, s:b, s:s}", "value", value_json(f), "observable",
                                      accord_feature_observable(f), "text", text));
    }
    for (size_t i = 0; (row = accord_features_machine(a->found, i)); i++)
        json_array_append_new(rows, json_string(row->name));
    accord_features_evidence(a->found, &probes, &replays, &agreed);
    return json_pack("{s:o, s:o, s:I, s:I, s:I}", "features", all, "machines", rows, "probes",
                     (json_int_t)probes, "replays", (json_int_t)replays, "replays_agreed",
                     (json_int_t)agreed);
}

static void put_features_json(const answer *a, accordi_buffer *out)
{
    const accord_record *r = a->order.record;
    json_t *specials = json_object();
    const accord_special *special;
    for (size_t i = 0; (special = accord_features_special(a->found, i)); i++)
        json_object_set_new(specials, special->name, json_string(special->seen));
    cli_put_json(out,
                 json_pack("{s:i, s:s, s:o, s:I, s:o, s:s?, s:o}", "accord", CLI_SCHEMA, "verb",
                           "features", "target", cli_json_text(r->target), "n", (json_int_t)r->n,
                           "machine", a->fused ? machine_json(a) : json_null(), "arithmetic",
                           r->accumulator, "specials", specials));
}

static int run_features(const cli_args *args)
{
    answer a = {0};
    accordi_buffer text = {0};
    int status = ask_features(args, &a);
    if (status == CLI_YES) {
        (cli_wants_json(args) ? put_features_json : put_features_report)(&a, &text);
        int end = cli_output_text(args, &text);
        bool explained = a.fused || a.order.record->arithmetic;
        if (!explained && !args->text[CLI_QUIET])
            cli_error("%s", accord_features_why(a.found));
        status = end != CLI_YES ? end : explained ? CLI_YES : CLI_UNABLE;
    }
    accord_features_free(a.found);
    cli_order_clear(&a.order);
    return status;
}

const cli_verb cli_features = {
    .name = "features",
    .operands = "TARGET",
    .about = "list the arithmetic of a target, found by probes",
    .text =
        "Reveals the order in which TARGET adds and lists its arithmetic. For matrix "
        "accelerators it lists how many terms one step (a fused sum) takes, how many bits it "
        "keeps, where it truncates and where it rounds, and which known machines agree; for "
        "other sums it lists the formats of the accumulators and which operations are fused. It "
        "also lists how "
        "subnormal numbers, zeros and infinities are treated. The result must reproduce 2000 "
        "random inputs. A feature that no input shows is called not observable. Without -n, 96 "
        "terms are added. The exit status is 3 if the arithmetic was not explained.",
    .least = 1,
    .most = 1,
    .options = {CLI_COUNT,       CLI_OUTPUT,  CLI_JSON,    CLI_TO,     CLI_FORMAT,
                CLI_SEED,        CLI_TIMEOUT, CLI_NO_FORK, CLI_PYTHON, CLI_SIGNATURE,
                CLI_SCALE_BLOCK, CLI_SCALE,   CLI_RESULT,  CLI_SHAPE,  CLI_ELEMENT,
                CLI_TRANS,       CLI_INCX,    CLI_INCY,    CLI_LDA,    CLI_LDB,
                CLI_LDC,         CLI_ALIGN,   CLI_QUIET,   CLI_HELP,   CLI_OPTIONS},
    .examples = {{"accord features synthetic:hopper-f16",
                  "the parameters of a matrix accelerator, found by probes alone"},
                 {"accord features blas:sdot -n 64", "a library's dot product"},
                 {"accord features blas:sgemm --shape 8x8x64 --json", "for programs"}},
    .run = run_features,
};
