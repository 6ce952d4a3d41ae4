/* accord features: the arithmetic of a target as a list. */
#include "cli/command/cli.h"
#include "reveal/arithmetic/special_values.h"
#include "reveal/machine/parameters.h"
#include <jansson.h>

enum { USUAL = 96 }; /* terms: three steps of 32, and many of fewer */

typedef struct answer {
    cli_order order;
    bool fused; /* a machine was found */
    accordi_features_report machine;
    char why[sizeof((accord_error *)0)->text]; /* why none was */
    accordi_specials_report specials;
} answer;

/* ---- values in words ---- */

static const char *const roundings[] = {
    "to nearest, ties to even",        "toward zero",    "down",  "up",
    "to nearest, ties away from zero", "away from zero", "to odd"};
static const char *const schemes[] = {"chain of multiply-adds", "pairwise", "aligned with c",
                                      "aligned, then c"};

static const char *const overflows[] = {"infinite", "as it rounds", "the greatest number"};

static void put_value(enum accordi_feature feature, int value, char *text, size_t size)
{
    switch (accordi_feature_get(feature)->kind) {
    case ACCORDI_FEATURE_YES_NO:
        snprintf(text, size, "%s", value ? "yes" : "no");
        break;
    case ACCORDI_FEATURE_OF_FORMAT:
        snprintf(text, size, "%s", accord_format_get((enum accord_format)value)->name);
        break;
    case ACCORDI_FEATURE_OF_ROUNDING:
        snprintf(text, size, "%s", roundings[value]);
        break;
    case ACCORDI_FEATURE_OF_SCHEME:
        snprintf(text, size, "%s", schemes[value]);
        break;
    case ACCORDI_FEATURE_OF_OVERFLOW:
        snprintf(text, size, "%s", overflows[value]);
        break;
    default:
        snprintf(text, size, "%d", value);
    }
}

static bool is_certain(const accordi_features_report *r, enum accordi_feature f)
{
    return r->range[f].least == r->range[f].most && !r->range[f].beyond_least &&
           !r->range[f].beyond_most;
}

/* What was found of a feature; where several values give the same results, that. */
static void put_found(const accordi_features_report *r, enum accordi_feature f, char *text,
                      size_t size)
{
    int least = r->range[f].least, most = r->range[f].most;
    char low[40], high[40];
    put_value(f, least, low, sizeof low);
    put_value(f, most, high, sizeof high);
    bool number = accordi_feature_get(f)->kind == ACCORDI_FEATURE_NUMBER;
    if (is_certain(r, f))
        snprintf(text, size, "%s", low);
    else if (!number)
        snprintf(text, size, "not observable (%s or %s)", low, high);
    else if (r->range[f].beyond_least && r->range[f].beyond_most)
        snprintf(text, size, "not observable");
    else if (r->range[f].beyond_least)
        snprintf(text, size, "not observable (%s or less)", high);
    else if (r->range[f].beyond_most)
        snprintf(text, size, "not observable (%s or more)", low);
    else
        snprintf(text, size, "not observable (%s to %s)", low, high);
}

/* Whether a row of the table agrees in all that can be seen. */
static bool agrees(const accordi_features_report *r, const accord_fused *row)
{
    if (row->scale_block || row->block)
        return false;
    for (int f = 0; f < ACCORDI_FEATURES; f++) {
        enum accordi_feature feature = (enum accordi_feature)f;
        int value = accordi_feature_value(row, feature);
        bool low = r->range[f].beyond_least || value >= r->range[f].least;
        bool high = r->range[f].beyond_most || value <= r->range[f].most;
        if (accordi_feature_applies(row, feature) && !(low && high))
            return false;
    }
    return row->scheme == r->machine.scheme;
}

/* ---- asking ---- */

static int ask(const cli_args *args, answer *a)
{
    accord_target_options options;
    accordi_asker asker;
    accord_error error = {0};
    cli_question(args, NULL, &options);
    options.n = USUAL;
    if (args->text[CLI_COUNT] || args->text[CLI_SHAPE]) {
        size_t *counts, count;
        if (!cli_question_counts(args, NULL, &counts, &count))
            return CLI_USAGE;
        options.n = counts[0];
        free(counts);
        if (count > 1) {
            cli_error("features takes one number of terms; give it with -n");
            return CLI_USAGE;
        }
    }
    cli_ask(args, args->operand[0], &options, &a->order);
    if (a->order.status != ACCORD_OK)
        return cli_fail(&a->order.error);
    accordi_ask_init(&asker, a->order.target, (uint64_t)cli_integer(args, CLI_SEED, 0), &error);
    accord_arithmetic *found = NULL;
    enum accord_status status =
        accordi_features_find(&asker, a->order.record.tree, &found, &a->machine);
    /* Three terms added one after the other are any sum, and need no machine to be told. */
    a->fused = status == ACCORD_OK && !(a->order.record.arithmetic && options.n < 4);
    if (status == ACCORD_UNSUPPORTED || status == ACCORD_UNABLE) {
        snprintf(a->why, sizeof a->why, "%s", error.text);
        status = asker.status = ACCORD_OK;
    }
    if (status == ACCORD_OK)
        status = accordi_specials_find(&asker, a->order.record.tree, &a->specials);
    accord_arithmetic_free(found);
    accordi_ask_clear(&asker);
    return status == ACCORD_OK ? CLI_YES : cli_fail(&error);
}

/* ---- telling ---- */

static void put_machine(const answer *a, accordi_buffer *out)
{
    const accordi_features_report *r = &a->machine;
    char text[100];
    accordi_buffer_printf(out, "\n%-18s %-34s %s\n", "feature", "found", "seen in");
    for (int f = 0; f < ACCORDI_FEATURES; f++) {
        const accordi_feature_info *info = accordi_feature_get((enum accordi_feature)f);
        if (!accordi_feature_applies(&r->machine, (enum accordi_feature)f))
            continue;
        put_found(r, (enum accordi_feature)f, text, sizeof text);
        accordi_buffer_printf(out, "%-18s %-34s %s\n", info->name, text, info->how);
    }
    accordi_buffer_printf(out, "\nConfirmed    %zu of %zu random inputs, after %zu probes\n",
                          r->agreed, r->replays, r->probes);
    const accord_fused *row;
    bool any = false;
    for (size_t i = 0; (row = accord_fused_at(i)); i++)
        if (agrees(r, row)) {
            accordi_buffer_printf(out, "%s%s", any ? ", " : "As           ", row->name);
            any = true;
        }
    accordi_buffer_puts(out, any ? "\n" : "As           none of the machines that accord knows\n");
}

static bool has_leaf(const accord_tree *tree, uint32_t k)
{
    for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
        if (tree->child[c] < tree->leaves)
            return true;
    return false;
}

/* What is known of binary sums: a line per operation. */
static void put_plain(const answer *a, accordi_buffer *out)
{
    const accord_record *r = &a->order.record;
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
    for (size_t i = 0; i < how->operations; i++) {
        const accord_operation *op = &how->operation[i];
        size_t nodes = 0, leaves = 0; /* of them, those with a term of their own */
        for (uint32_t k = 0; k < r->tree->inner; k++) {
            bool is = how->of_node ? how->of_node[k] == i : i == 0;
            nodes += is;
            leaves += is && has_leaf(r->tree, k);
        }
        bool products = how->term == ACCORD_TERM_PRODUCT && leaves > 0;
        accordi_buffer_printf(out, "%-18s %s, rounded %s%s%s (%zu node%s)\n", "sums",
                              accord_format_get(op->format)->name, roundings[op->rounding],
                              !products        ? ""
                              : op->fused >= 0 ? ", a product fused into them"
                                               : ", products rounded to ",
                              !products || op->fused >= 0 ? ""
                                                          : accord_format_get(op->product)->name,
                              nodes, nodes == 1 ? "" : "s");
    }
    accordi_buffer_printf(out, "\nConfirmed    %lld of %lld random inputs\n",
                          (long long)r->replays_agreed, (long long)r->replays);
}

static void put_report(const answer *a, accordi_buffer *out)
{
    const accord_record *r = &a->order.record;
    const char *about;
    accordi_buffer_printf(out, "Target       %s, %lld terms of %s\n", r->target, (long long)r->n,
                          r->format ? r->format : "?");
    if (a->fused)
        put_machine(a, out);
    else
        put_plain(a, out);
    accordi_buffer_puts(out, "\n");
    for (int s = 0; s < ACCORDI_SPECIALS; s++) {
        const char *name = accordi_special_name((enum accordi_special)s, &about);
        accordi_buffer_printf(out, "%-18s %-16s %s\n", name,
                              accordi_seen_words(a->specials.seen[s]), about);
    }
}

static json_t *machine_json(const answer *a)
{
    const accordi_features_report *r = &a->machine;
    json_t *all = json_object(), *rows = json_array();
    char text[100];
    for (int f = 0; f < ACCORDI_FEATURES; f++) {
        enum accordi_feature feature = (enum accordi_feature)f;
        const accordi_feature_info *info = accordi_feature_get(feature);
        if (!accordi_feature_applies(&r->machine, feature))
            continue;
        put_value(feature, accordi_feature_value(&r->machine, feature), text, sizeof text);
        bool number = info->kind == ACCORDI_FEATURE_NUMBER;
        int value = accordi_feature_value(&r->machine, feature);
        json_t *entry = info->kind == ACCORDI_FEATURE_YES_NO ? json_boolean(value)
                        : number                             ? json_integer(value)
                                                             : json_string(text);
        put_found(r, feature, text, sizeof text);
        json_object_set_new(all, info->name,
                            json_pack("{s:o, s:b, s:s}", "value", entry, "observable",
                                      is_certain(r, feature), "text", text));
    }
    const accord_fused *row;
    for (size_t i = 0; (row = accord_fused_at(i)); i++)
        if (agrees(r, row))
            json_array_append_new(rows, json_string(row->name));
    return json_pack("{s:o, s:o, s:I, s:I, s:I}", "features", all, "machines", rows, "probes",
                     (json_int_t)r->probes, "replays", (json_int_t)r->replays, "replays_agreed",
                     (json_int_t)r->agreed);
}

static void put_json(const answer *a, accordi_buffer *out)
{
    const accord_record *r = &a->order.record;
    json_t *specials = json_object();
    const char *about;
    for (int s = 0; s < ACCORDI_SPECIALS; s++) {
        const char *name = accordi_special_name((enum accordi_special)s, &about);
        json_object_set_new(specials, name, json_string(accordi_seen_words(a->specials.seen[s])));
    }
    cli_put_json(out,
                 json_pack("{s:i, s:s, s:o, s:I, s:o, s:s?, s:o}", "accord", CLI_SCHEMA, "verb",
                           "features", "target", cli_json_text(r->target), "n", (json_int_t)r->n,
                           "machine", a->fused ? machine_json(a) : json_null(), "arithmetic",
                           r->accumulator, "specials", specials));
}

static int run(const cli_args *args)
{
    answer a = {0};
    accordi_buffer text = {0};
    int status = ask(args, &a);
    if (status == CLI_YES) {
        (cli_wants_json(args) ? put_json : put_report)(&a, &text);
        int end = cli_output_text(args, &text);
        bool explained = a.fused || a.order.record.arithmetic;
        if (!explained && !args->text[CLI_QUIET])
            cli_error("%s", a.why);
        status = end != CLI_YES ? end : explained ? CLI_YES : CLI_UNABLE;
    }
    cli_order_clear(&a.order);
    return status;
}

const cli_verb cli_features = {
    .name = "features",
    .operands = "TARGET",
    .about = "list the arithmetic of a target, found by probes",
    .text = "Reveals the order in which TARGET adds and lists its arithmetic. For matrix "
            "accelerators it lists how many terms a step takes, how many bits it keeps, where it "
            "truncates and where it rounds, and which known machines agree; for other sums, the "
            "formats of the accumulators and which operations are fused. It also lists how "
            "subnormal numbers, zeros and infinities are treated. The result must reproduce 2000 "
            "random inputs. A feature that no input shows is called not observable. Without -n, 96 "
            "terms are added. The exit status is 3 if the arithmetic was not explained.",
    .least = 1,
    .most = 1,
    .options = {CLI_COUNT,   CLI_OUTPUT,  CLI_JSON,   CLI_TO,        CLI_FORMAT, CLI_SEED,
                CLI_TIMEOUT, CLI_NO_FORK, CLI_PYTHON, CLI_SIGNATURE, CLI_RESULT, CLI_SHAPE,
                CLI_ELEMENT, CLI_TRANS,   CLI_INCX,   CLI_INCY,      CLI_LDA,    CLI_LDB,
                CLI_LDC,     CLI_ALIGN,   CLI_QUIET,  CLI_HELP,      CLI_OPTIONS},
    .examples = {{"accord features synthetic:hopper-f16",
                  "the model of a matrix accelerator, found without knowing which"},
                 {"accord features blas:sdot -n 64", "a library's dot product"},
                 {"accord features blas:sgemm --shape 8x8x64 --json", "for programs"}},
    .run = run,
};
