/* Two implementations: each is judged, and their results and orders are compared. */
#include "explain/explain.h"
#include <math.h>

static const char *const names[ACCORD_EXPLAINED_COUNT] = {
    [ACCORD_EXPLAINED_ORDER] = "order",
    [ACCORD_EXPLAINED_NOISE] = "noise",
    [ACCORD_EXPLAINED_CANNOT_TELL] = "cannot-tell",
    [ACCORD_EXPLAINED_SUSPECT] = "suspect",
    [ACCORD_EXPLAINED_BUG] = "bug",
};

const char *accord_explained_name(enum accord_explained verdict)
{
    return (unsigned)verdict < ACCORD_EXPLAINED_COUNT ? names[verdict] : "cannot-tell";
}

static enum accord_status check_question(const accord_target *a, const accord_target *b,
                                         accord_error *error)
{
    if (a->n != b->n)
        return accordi_fail(error, ACCORD_ARG,
                            "%s adds %zu terms and %s adds %zu; explain compares sums of one "
                            "length",
                            a->notation, a->n, b->notation, b->n);
    if (a->format != b->format && !accordi_results_of(a) && !accordi_results_of(b))
        return accordi_fail(
            error, ACCORD_ARG, "%s takes %s and %s takes %s; give both one --format", a->notation,
            accord_format_get(a->format)->name, b->notation, accord_format_get(b->format)->name);
    if (a->term != b->term || a->has_start != b->has_start || a->alpha != b->alpha ||
        a->beta != b->beta)
        return accordi_fail(error, ACCORD_ARG,
                            "%s and %s compute different things: one adds products, values or "
                            "magnitudes, or takes alpha and beta, and the other does not",
                            a->notation, b->notation);
    return ACCORD_OK;
}

static void compare_results(accord_explanation *out, const accord_target *a, const double *x,
                            const double *y, size_t count)
{
    const accord_format_info *info = accord_format_get(a->output);
    out->inputs = (int64_t)count;
    for (size_t i = 0; i < count; i++) {
        if (accordi_same_bits(x[i], y[i]))
            continue;
        out->differ++;
        int exponent;
        frexp(fmax(fabs(x[i]), fabs(y[i])), &exponent);
        if (exponent - 1 < info->min_exponent)
            exponent = info->min_exponent + 1;
        double ulps = fabs(x[i] - y[i]) / ldexp(1, exponent - info->precision);
        if (!(ulps <= out->largest_ulp))
            out->largest_ulp = isnan(ulps) ? INFINITY : ulps;
    }
}

static enum accord_status compare_orders(accord_explanation *out, accord_error *error)
{
    const accord_record *a = out->side[0].record, *b = out->side[1].record;
    bool differ = false, swapped;
    accord_tree_difference node;
    if (!a->tree || !b->tree)
        return ACCORD_OK;
    enum accord_status status = accord_tree_diff(a->tree, b->tree, &differ, &swapped, &node, error);
    if (status)
        return status;
    if (differ)
        snprintf(out->first_node, sizeof out->first_node,
                 "only %s has a partial sum of these %lu terms, the first of which is term %lu",
                 swapped ? "B" : "A", (unsigned long)node.size, (unsigned long)node.smallest);
    else if (a->arithmetic && b->arithmetic) {
        const accord_model one = {a->tree, a->arithmetic}, two = {b->tree, b->arithmetic};
        char words[ACCORD_DESCRIPTION_SIZE];
        if (accord_model_differ(&one, &two, words, sizeof words))
            snprintf(out->first_node, sizeof out->first_node, "the orders are equal; %.200s",
                     words);
    }
    return ACCORD_OK;
}

static void conclude(accord_explanation *out)
{
    size_t graver = out->sides > 1 && out->side[1].verdict > out->side[0].verdict;
    const accord_explain_side *side = &out->side[graver];
    bool both = out->sides > 1 && out->side[0].verdict == out->side[1].verdict;
    out->verdict = side->verdict;
    if (out->verdict == ACCORD_EXPLAINED_ORDER)
        snprintf(out->words, sizeof out->words,
                 out->sides > 1 ? "both results follow from the orders, bit for bit; every "
                                  "difference is explained by them"
                                : "the result follows from the order, bit for bit");
    else if (out->sides == 1 || both)
        snprintf(out->words, sizeof out->words, "%s", side->words);
    else
        snprintf(out->words, sizeof out->words, "%s: %.620s", graver ? "B" : "A", side->words);
    if (both && (out->verdict == ACCORD_EXPLAINED_SUSPECT || out->verdict == ACCORD_EXPLAINED_BUG))
        snprintf(out->words, sizeof out->words, "A: %.300s; B: %.300s", out->side[0].words,
                 out->side[1].words);
}

enum accord_status accord_explain(accord_target *a, accord_target *b,
                                  const accord_explain_options *options, accord_explanation **out,
                                  accord_error *error)
{
    accord_explain_options full;
    accord_explain_inputs given;
    accord_target *target[] = {a, b};
    double *result[2] = {NULL, NULL};
    size_t count = 0;
    enum accord_status status =
        ACCORDI_TAKE(accord_explain_options, progress_context, &full, options, error);
    if (!status && full.given) {
        status = ACCORDI_TAKE(accord_explain_inputs, y, &given, full.given, error);
        full.given = &given;
    }
    if (!status && b)
        status = check_question(a, b, error);
    accord_explanation *made = status ? NULL : accordi_calloc(1, sizeof *made);
    if (!status && !made)
        status = accordi_nomem(error);
    for (size_t i = 0; i < (b ? 2u : 1u) && !status; i++) {
        made->sides = i + 1;
        status = accordi_judge_target(target[i], &full, &made->side[i], &result[i], &count, error);
    }
    if (!status && b) {
        compare_results(made, a, result[0], result[1], count);
        status = compare_orders(made, error);
    }
    free(result[0]);
    free(result[1]);
    if (status) {
        accord_explanation_free(made);
        return status;
    }
    if (!b)
        made->inputs = made->side[0].inputs;
    conclude(made);
    *out = made;
    return ACCORD_OK;
}

void accord_explanation_free(accord_explanation *explanation)
{
    if (!explanation)
        return;
    for (size_t i = 0; i < explanation->sides; i++)
        accordi_side_clear(&explanation->side[i]);
    free(explanation);
}
