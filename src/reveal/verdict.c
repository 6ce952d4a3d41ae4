/* The sentences of a report about an order: what was found and how far it is confirmed. */
#include "reveal/verdict.h"
#include "pattern/pattern.h"
#include "reveal/assumptions.h"
#include <math.h>

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static bool tell_order(const accord_record *record, accordi_buffer *out)
{
    const accord_tree *tree = record->tree;
    accord_order_measures m;
    if (accord_order_measure(tree, &m, NULL) != ACCORD_OK)
        return false;
    if (tree->leaves == 1) {
        accordi_buffer_puts(out, "There is only one term, so there is no order to find.");
        return true;
    }
    char words[ACCORD_ORDER_WORDS_SIZE];
    accordi_put_measures(words, &m);
    accordi_buffer_printf(out, "The %u terms are added in one fixed order: %s.", tree->leaves,
                          words);
    return true;
}

static void tell_proof(const accord_record *record, const accordi_certificate *c,
                       const accordi_extent *extent, accordi_buffer *out)
{
    if (record->n == 1)
        return;
    if (record->proof_calls > 0)
        accordi_buffer_printf(out,
                              " %lld sums confirm the whole order: a target with another "
                              "one would have passed with a probability of at most %g%s.",
                              (long long)record->proof_calls, record->proof_error,
                              c->explained ? ""
                                           : ", if every addition rounds to nearest, which is "
                                             "not known");
    else if (c->sampled == 0)
        accordi_buffer_printf(out, " Probes confirm %s.",
                              c->nodes == 1 ? "its one inner node" : "every inner node");
    else
        accordi_buffer_printf(
            out,
            " Probes confirm every inner node. For those with hundreds of children (%u of them), "
            "probes tested only a sample of the pairs of children.",
            c->sampled);
    if (extent->not_at_once)
        accordi_buffer_printf(out,
                              " A proof by probability was requested, but this one is by nodes, "
                              "because %s.",
                              extent->not_at_once);
}

/* Of an order that masks do not show. */
static void tell_exchanges(const accord_record *record, const accordi_certificate *c,
                           accordi_buffer *out)
{
    if (c->exchanged == 0)
        return;
    const char *what = c->arithmetic->machine.scale_block ? "blocks" : "products";
    bool several = record->tree->inner > 1;
    accordi_buffer_printf(
        out,
        " The order is not proven: probes, which need terms that vanish beside others, do not show "
        "it. It is the order of a machine that explains all answers, and exchanges of %s in "
        "%zu random inputs agree with it: %s of %s change places without any effect%s%s%s.",
        what, c->exchanged, what, several ? "one step" : "its one step", several ? ", and " : "",
        several ? what : "", several ? " of different steps do not" : "");
    if (c->exact_steps)
        accordi_buffer_puts(out,
                            " Hardly any input shows that a step loses anything before its sum is "
                            "rounded, so it may also add its products one by one, in any "
                            "order, in an accumulator that is wide enough.");
}

/* Of an order that masks show only of blocks that share scales. */
static void tell_blocks(const accord_record *record, const accordi_certificate *c,
                        accordi_buffer *out)
{
    if (c->blocks == 0)
        return;
    if (c->exact_blocks) {
        accordi_buffer_printf(
            out,
            " The order is not proven. Probes confirm the order of %zu block%s that share scales, "
            "whose scales are their masks; random inputs agree that the products inside a block "
            "are added exactly, and that their sum is rounded once.",
            c->blocks, plural(c->blocks));
        return;
    }
    accordi_buffer_printf(
        out,
        " The order is not proven. Probes confirm the order of %zu block%s that share scales, "
        "whose scales are their masks; the products inside a block, whose format has no room for "
        "masks, are added in the order of a machine that explains all answers%s.",
        c->blocks, plural(c->blocks), record->tree->inner > 1 ? ", one step after the other" : "");
}

/* Says that the results are of another format than was given, and how to give it. */
static void tell_outside(const accord_record *record, const accordi_disagreement *d,
                         accordi_buffer *out)
{
    const char *wider = accord_format_get(d->wider)->name;
    if (d->outside)
        accordi_buffer_printf(out,
                              " %zu results are not numbers of %s, which was taken for the format "
                              "of the result: if it is %s, ask again with --result %s.",
                              d->outside, record->output, wider, wider);
}

/* Which inputs are not explained. */
static void tell_disagreement(const accordi_disagreement *d, accordi_buffer *out)
{
    const char *before = " Results differ on inputs of these kinds:";
    for (int kind = 0; kind < ACCORDI_DRAW_KINDS; kind++) {
        if (d->other[kind] == 0)
            continue;
        accordi_buffer_printf(out, "%s %s (%zu of %zu)", before,
                              accordi_draw_name((enum accordi_draw_kind)kind), d->other[kind],
                              d->rows[kind]);
        before = ",";
    }
    accordi_buffer_puts(out, before[0] == ',' ? "." : "");
}

/* How the arithmetic of the nodes was tested that were not asked one by one. */
static void tell_nodes(const accord_record *record, const accordi_certificate *c,
                       accordi_buffer *out)
{
    uint32_t inner = record->tree->inner, probed = c->findings.probed, tested = c->rounds.tested;
    bool binary = inner + 1 == record->tree->leaves;
    if (!binary || probed >= inner)
        return;
    char part[40] = "all";
    if (tested < inner)
        snprintf(part, sizeof part, "%u of the", tested);
    if (tested)
        accordi_buffer_printf(out,
                              " %zu sums of ties test %s %u additions together; the probability "
                              "that they miss an addition with a different arithmetic is below "
                              "10^%.0f.",
                              c->rounds.rows, part, inner, ceil(log10(c->rounds.miss)));
    if (probed)
        accordi_buffer_printf(out, " %u addition%s tested individually.", probed,
                              probed == 1 ? " was" : "s were");
    if (tested + probed < inner)
        accordi_buffer_printf(out,
                              " For at least %u addition%s, no probe shows the arithmetic; only "
                              "the random inputs confirm it.",
                              inner - tested - probed, plural(inner - tested - probed));
}

/* What is not known comes first. */
static void tell_unexplained(const accord_record *record, const accordi_certificate *c,
                             accordi_buffer *out)
{
    char words[ACCORD_DESCRIPTION_SIZE] = "";
    const accord_model model = {record->tree, c->arithmetic};
    accord_model_describe(&model, words, sizeof words);
    if (c->replays_agreed == c->replays)
        accordi_buffer_printf(out,
                              "It is not known what the additions compute for all values. The best "
                              "model (%s) gives the target's bits for all %zu random inputs, but "
                              "not for some other inputs.",
                              words, c->replays);
    else
        accordi_buffer_printf(out,
                              "It is not known what the additions compute, nor whether one order "
                              "holds for all values. The best model (%s) gives the target's bits "
                              "for only %zu of %zu random inputs.",
                              words, c->replays_agreed, c->replays);
    tell_outside(record, &c->disagreement, out);
    if (c->too_large)
        accordi_buffer_puts(out, " Where a sum exceeds the range of the format, the target's "
                                 "result differs from what these additions give.");
    if (c->far)
        accordi_buffer_puts(out,
                            " Products that are far smaller than others, and overflowing products "
                            "that cancel, contribute differently than they do in these additions.");
    tell_disagreement(&c->disagreement, out);
    if (*c->changed)
        accordi_buffer_printf(
            out,
            " Other inputs, tiny ones among them, are explained if %s; no model describes this.",
            c->changed);
    else if (*c->odd_node)
        accordi_buffer_printf(out, " Probes show that %s.", c->odd_node);
    else if (*c->no_machine)
        accordi_buffer_printf(out, " About its fused sums: %s.", c->no_machine);
    if (c->rounds.other)
        accordi_buffer_printf(
            out,
            " The target's results differ for %zu of %zu sums of ties, which test "
            "all additions together.",
            c->rounds.other, c->rounds.rows);
    if (c->rivals.refuted)
        accordi_buffer_printf(out,
                              " The target's results differ for %zu of %zu inputs that were chosen "
                              "to distinguish this model from similar ones%s.",
                              c->rivals.refuted, c->rivals.asked,
                              c->rivals.at_ends ? ", all of them with terms or sums next to the "
                                                  "greatest number or the least"
                                                : "");
    accordi_buffer_puts(out,
                        " Probes, whose terms are very large or very small, show the following. ");
}

/* Models that no input distinguished from the one that is reported. */
static void tell_open(const accord_record *record, const accordi_certificate *c,
                      accordi_buffer *out)
{
    size_t count = c->rivals.opens;
    int64_t searched = count ? c->rivals.open[0].searched : 0;
    accord_record view = {.tree = record->tree, .arithmetic = c->arithmetic};
    memcpy(view.alternatives, c->rivals.open, sizeof view.alternatives);
    for (size_t i = 0; i < count; i++) {
        char words[ACCORD_DESCRIPTION_SIZE];
        accord_alternative_words(&view, i, words, sizeof words);
        accordi_buffer_printf(out, "%s%s",
                              i ? "; or: " : " The target may instead compute: ", words);
        if (view.alternatives[i].searched < searched)
            searched = view.alternatives[i].searched;
    }
    if (searched)
        accordi_buffer_printf(out, ". None of %lld inputs that were tried distinguishes them.",
                              (long long)searched);
    else if (count)
        accordi_buffer_puts(out, ". No input was found that distinguishes them.");
}

static void tell_arithmetic(const accord_record *record, const accordi_certificate *c,
                            accordi_buffer *out)
{
    static const char *const sums[] = {[ACCORD_TERM_VALUE] = "terms",
                                       [ACCORD_TERM_PRODUCT] = "terms",
                                       [ACCORD_TERM_ABSOLUTE] = "magnitudes of the terms",
                                       [ACCORD_TERM_SQUARE] = "squares of the terms"};
    const char *what = sums[c->explained ? c->arithmetic->term : ACCORD_TERM_VALUE];
    if (record->scale != 1) {
        double inverse = rint(1 / record->scale);
        bool whole = inverse > 1 && fabs(record->scale * inverse - 1) < 1e-3;
        if (whole && inverse == (double)record->n)
            accordi_buffer_printf(out, " The result is the mean of the %s.", what);
        else if (whole)
            accordi_buffer_printf(out, " The result is 1/%.0f of the sum.", inverse);
        else
            accordi_buffer_printf(out, " The result is %.9g times the sum.", record->scale);
    }
    char words[ACCORD_DESCRIPTION_SIZE] = "";
    const accord_model model = {record->tree, c->arithmetic};
    accord_model_describe(&model, words, sizeof words);
    if (!c->explained)
        return;
    accordi_buffer_printf(
        out, " %zu of %zu random inputs were replayed bit for bit with this arithmetic: %s.",
        c->replays_agreed, c->replays, words);
    tell_open(record, c, out);
    if (c->other_zero)
        accordi_buffer_puts(out,
                            " However, some sums that are zero have the opposite sign, for example "
                            "where all products are negative and are rounded to zero.");
    tell_nodes(record, c, out);
    enum accord_format format = c->arithmetic->operation->format;
    int bits = c->accumulator_bits;
    int precision = c->arithmetic->extended ? 64 : accord_format_get(format)->precision;
    bool machine = c->arithmetic->has_machine; /* whose sums keep what its parameters say */
    if (bits && bits != precision && !machine && !c->findings.probed)
        accordi_buffer_printf(out,
                              " However, probes observe %d bits of precision at a node, not %d; "
                              "sums of terms in this format do not show the difference.",
                              bits, precision);
}

/* The format of all sums, when it is one. */
static const char *accumulator_name(const accordi_certificate *c)
{
    const accord_arithmetic *a = c->arithmetic;
    if (!c->explained || !a || !a->operations)
        return NULL;
    for (size_t i = 1; i < a->operations; i++)
        if (a->operation[i].format != a->operation[0].format)
            return "mixed";
    return accord_format_get(a->operation[0].format)->name;
}

/* Moves the lines into a field of the record; false without memory. */
static bool hand_over_lines(accordi_buffer *lines, char **field)
{
    accord_error ignored;
    bool good = !lines->failed && !accord_record_set(field, lines->data, &ignored);
    accordi_buffer_clear(lines);
    return good;
}

/* The kinds of the inputs; `refuting`: of those that did not replay. */
static bool list_kinds(const accordi_certificate *c, bool refuting, char **field)
{
    accordi_buffer lines = {0};
    for (int kind = 0; kind < ACCORDI_DRAW_KINDS; kind++)
        if (refuting ? c->disagreement.other[kind] > 0 : c->kinds >> kind & 1)
            accordi_buffer_printf(&lines, "%s%s", lines.length ? "\n" : "",
                                  accordi_draw_name((enum accordi_draw_kind)kind));
    return hand_over_lines(&lines, field);
}

static bool list_assumptions(const accord_record *record, const accordi_certificate *c,
                             const accordi_extent *extent, char **field)
{
    accordi_buffer lines = {0};
    accordi_list_assumptions(record, c, extent->rounds, &lines);
    return hand_over_lines(&lines, field);
}

/* What was not done that is done by default, an item a line. */
static bool list_left_out(const accord_record *record, const accordi_certificate *c,
                          const accordi_extent *extent, char **field)
{
    accordi_buffer lines = {0};
    bool order = record->tree != NULL, replayed = c->replays > 0;
    bool cut = extent->no_certificate || extent->spent;
    if (cut && !order && !extent->no_certificate)
        accordi_buffer_puts(&lines, "the search for an order\n");
    if (cut && order && !extent->proved)
        accordi_buffer_puts(&lines, "the proof of the order\n");
    if (cut && order && !replayed)
        accordi_buffer_puts(&lines, "the arithmetic at the nodes\n");
    if (order && c->replays < extent->replays_due)
        accordi_buffer_printf(&lines, "%zu of %zu random inputs\n",
                              extent->replays_due - c->replays, extent->replays_due);
    if (cut && order && replayed)
        accordi_buffer_puts(&lines, c->explained ? "the last tests of the arithmetic\n"
                                                 : "the search for an arithmetic that explains "
                                                   "the replays\n");
    if (cut && !extent->answers)
        accordi_buffer_puts(&lines, "the answers to random inputs\n");
    if (lines.length)
        lines.data[--lines.length] = '\0';
    return hand_over_lines(&lines, field);
}

static void tell_left_out(const accord_record *record, const accordi_certificate *c,
                          const accordi_extent *extent, accordi_buffer *out)
{
    char budget[64];
    accordi_budget_words(extent->asker, budget, sizeof budget);
    if (!record->left_out)
        return;
    uint64_t asked = extent->asker->replays ? extent->asker->replays : extent->replays_due;
    if (record->tree && extent->no_certificate)
        accordi_buffer_puts(out, " The order is not proven, because no certificate was requested.");
    else if (record->tree && extent->spent)
        accordi_buffer_printf(out, " The order is not proven, because %s was spent.", budget);
    else if (record->tree && asked > c->replays)
        accordi_buffer_printf(
            out, " The order is not proven, because %s was too small for all random inputs.",
            budget);
    else if (record->tree)
        accordi_buffer_printf(
            out, " The order is not proven, because only %zu random input%s requested.", c->replays,
            c->replays == 1 ? " was" : "s were");
    accordi_buffer_puts(out, " The following was left out: ");
    for (const char *at = record->left_out; *at; at++)
        if (*at == '\n')
            accordi_buffer_puts(out, ", ");
        else
            accordi_buffer_append(out, at, 1);
    accordi_buffer_puts(out, ".");
}

enum accord_status accordi_verdict(accord_record *record, const char *algorithm,
                                   enum accord_status found, const accord_error *error,
                                   const accordi_certificate *certificate,
                                   const accordi_extent *extent)
{
    accordi_buffer words = {0};
    bool good = list_left_out(record, certificate, extent, &record->left_out);
    if (record->tree) {
        if (certificate->replays > 0 && !certificate->explained)
            tell_unexplained(record, certificate, &words);
        good = good && tell_order(record, &words);
        if (extent->proved)
            tell_proof(record, certificate, extent, &words);
        tell_exchanges(record, certificate, &words);
        tell_blocks(record, certificate, &words);
        if (certificate->replays > 0)
            tell_arithmetic(record, certificate, &words);
    } else {
        accordi_buffer_printf(&words, "No order: %s.", error->text);
    }
    if (good)
        tell_left_out(record, certificate, extent, &words);
    accord_error ignored;
    good = good && !words.failed;
    struct {
        char **field;
        const char *text;
    } const texts[] = {
        {&record->accord, accord_version()},
        {&record->algorithm, algorithm},
        {&record->status, accord_status_name(found)},
        {&record->reason, accord_reason_name(found ? error->reason : ACCORD_REASON_NONE)},
        {&record->verdict, good ? words.data : NULL},
        {&record->accumulator, accumulator_name(certificate)},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        good = good && !accord_record_set(texts[i].field, texts[i].text, &ignored);
    accordi_buffer_clear(&words);
    good = good && list_kinds(certificate, false, &record->inputs) &&
           list_kinds(certificate, true, &record->inputs_refuting) &&
           (!record->tree || list_assumptions(record, certificate, extent, &record->assumes));
    return good ? ACCORD_OK : ACCORD_NOMEM;
}
