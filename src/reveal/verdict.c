#include "reveal/verdict.h"
#include "model/words.h"
#include <math.h>

/* Depth of the tree and number of its fused nodes. */
static bool measure(const accord_tree *tree, uint32_t *depth, uint32_t *fused)
{
    uint32_t *below = accordi_calloc(tree->inner + 1, sizeof *below);
    *depth = *fused = 0;
    if (!below)
        return false;
    for (uint32_t k = 0; k < tree->inner; k++) {
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++) {
            uint32_t child = tree->child[c];
            uint32_t d = child < tree->leaves ? 1 : 1 + below[child - tree->leaves];
            below[k] = d > below[k] ? d : below[k];
        }
        *fused += tree->first[k + 1] - tree->first[k] > 2;
        *depth = below[k] > *depth ? below[k] : *depth;
    }
    free(below);
    return true;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static bool tell_order(const accord_record *record, accordi_buffer *out)
{
    const accord_tree *tree = record->tree;
    uint32_t depth, fused;
    if (!measure(tree, &depth, &fused))
        return false;
    if (tree->leaves == 1) {
        accordi_buffer_puts(out, "A single term: there is nothing to order.");
        return true;
    }
    accordi_buffer_printf(out, "The %u terms are added in one fixed order: ", tree->leaves);
    if (fused == 0)
        accordi_buffer_printf(out, "%u addition%s, ", tree->inner, plural(tree->inner));
    else if (fused == tree->inner)
        accordi_buffer_printf(out, "%u fused sum%s, ", fused, plural(fused));
    else
        accordi_buffer_printf(out, "%u additions and %u fused sum%s, ", tree->inner - fused, fused,
                              plural(fused));
    accordi_buffer_printf(out, "%u deep.", depth);
    return true;
}

static void tell_proof(const accord_record *record, const accordi_certificate *c,
                       accordi_buffer *out)
{
    if (record->n == 1)
        return;
    if (c->sampled == 0)
        accordi_buffer_printf(out, " Probes confirm %s.",
                              c->nodes == 1 ? "its one inner node" : "every inner node");
    else
        accordi_buffer_printf(out,
                              " Probes confirm every inner node, but %u of them, with hundreds of "
                              "children, only by a sample of the pairs of children.",
                              c->sampled);
}

/* Which inputs are not explained. */
static void tell_disagreement(const accordi_disagreement *d, accordi_buffer *out)
{
    const char *before = " The inputs that differ are of these kinds:";
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
    if (tested)
        accordi_buffer_printf(out,
                              " %u of the %u additions were tested all at once by %zu sums of "
                              "ties, which would miss one of other arithmetic with a chance below "
                              "10^%.0f.",
                              tested, inner, c->rounds.rows, ceil(log10(c->rounds.miss)));
    if (probed)
        accordi_buffer_printf(out, " %u were asked one by one.", probed);
    if (tested + probed < inner)
        accordi_buffer_printf(out,
                              " Of at least %u additions no probe shows the arithmetic: only the "
                              "replays bear it out.",
                              inner - tested - probed);
}

/* What is not known comes first. */
static void tell_unexplained(const accord_record *record, const accordi_certificate *c,
                             accordi_buffer *out)
{
    char words[240] = "";
    const accord_model model = {record->tree, c->arithmetic};
    accord_model_describe(&model, words, sizeof words);
    if (c->replays_agreed == c->replays)
        accordi_buffer_printf(out,
                              "It is not known what the additions compute for all values: by this "
                              "order all %zu random inputs give the target's bits (%s), but others "
                              "do not.",
                              c->replays, words);
    else
        accordi_buffer_printf(out,
                              "It is not known what the additions compute, nor whether one order "
                              "holds for all values: by this order only %zu of %zu random inputs "
                              "give the target's bits (best: %s).",
                              c->replays_agreed, c->replays, words);
    if (c->too_large)
        accordi_buffer_puts(
            out, " Sums beyond the range of the format are not what these additions give.");
    if (c->far)
        accordi_buffer_puts(out,
                            " Products far below others, or too large ones that cancel, do not "
                            "count as in these additions.");
    tell_disagreement(&c->disagreement, out);
    if (*c->odd_node)
        accordi_buffer_printf(out, " As probes find, %s.", c->odd_node);
    else if (*c->no_machine)
        accordi_buffer_printf(out, " Of its fused sums: %s.", c->no_machine);
    if (c->rounds.other)
        accordi_buffer_printf(out,
                              " Of %zu sums of ties that test all additions at once %zu come out "
                              "otherwise.",
                              c->rounds.rows, c->rounds.other);
    if (c->rivals.refuted)
        accordi_buffer_printf(out,
                              " Of %zu inputs drawn to tell such models from others %zu come out "
                              "otherwise.",
                              c->rivals.asked, c->rivals.refuted);
    accordi_buffer_puts(out, " What probes show, whose terms are very large and very small: ");
}

/* Models that no input told from the one that is told. */
static void tell_open(const accord_record *record, const accordi_certificate *c,
                      accordi_buffer *out)
{
    size_t count = c->rivals.opens;
    int64_t searched = count ? c->rivals.open[0].searched : 0;
    accord_record view = {.tree = record->tree, .arithmetic = c->arithmetic};
    memcpy(view.alternatives, c->rivals.open, sizeof view.alternatives);
    for (size_t i = 0; i < count; i++) {
        char words[700];
        accord_alternative_words(&view, i, words, sizeof words);
        accordi_buffer_printf(out, "%s%s", i ? ", or " : " It may as well be ", words);
        if (view.alternatives[i].searched < searched)
            searched = view.alternatives[i].searched;
    }
    if (searched)
        accordi_buffer_printf(out, ": among %lld inputs none was found that tells.",
                              (long long)searched);
    else if (count)
        accordi_buffer_puts(out, ": no input was found that tells.");
}

static void tell_arithmetic(const accord_record *record, const accordi_certificate *c,
                            accordi_buffer *out)
{
    if (record->scale != 1) {
        double inverse = rint(1 / record->scale);
        bool whole = inverse > 1 && fabs(record->scale * inverse - 1) < 1e-3;
        if (whole && inverse == (double)record->n)
            accordi_buffer_puts(out, " The result is the mean of the terms.");
        else if (whole)
            accordi_buffer_printf(out, " The result is 1/%.0f of the sum.", inverse);
        else
            accordi_buffer_printf(out, " The result is %.9g times the sum.", record->scale);
    }
    char words[240] = "";
    const accord_model model = {record->tree, c->arithmetic};
    accord_model_describe(&model, words, sizeof words);
    if (!c->explained)
        return;
    accordi_buffer_printf(out, " Random inputs replay bit for bit (%zu/%zu): %s.",
                          c->replays_agreed, c->replays, words);
    tell_open(record, c, out);
    if (c->other_zero)
        accordi_buffer_puts(out,
                            " But some sums that are zero have the other sign, as where negative "
                            "products are all rounded to zero.");
    tell_nodes(record, c, out);
    enum accord_format format = c->arithmetic->operation->format;
    int bits = c->accumulator_bits;
    int precision = c->arithmetic->extended ? 64 : accord_format_get(format)->precision;
    if (bits && bits != precision && !c->findings.probed)
        accordi_buffer_printf(
            out,
            " But probes see %d bits at a node, not %d: sums of such terms do not "
            "show the difference.",
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

/* The kinds of the inputs; `refuting`: of those that did not replay. */
static bool list_kinds(const accordi_certificate *c, bool refuting, char **field)
{
    accordi_buffer lines = {0};
    accord_error ignored;
    for (int kind = 0; kind < ACCORDI_DRAW_KINDS; kind++)
        if (refuting ? c->disagreement.other[kind] > 0 : c->kinds >> kind & 1)
            accordi_buffer_printf(&lines, "%s%s", lines.length ? "\n" : "",
                                  accordi_draw_name((enum accordi_draw_kind)kind));
    bool good = !lines.failed && !accord_record_set(field, lines.data, &ignored);
    accordi_buffer_clear(&lines);
    return good;
}

/* What replays show of the inputs that were not asked: a model that is wrong with a chance p on
 * each passes all N with a chance of (1 - p)^N, which is below e^-3, 5 %, where p > 3 / N. */
static void list_strength(const accord_record *record, const accordi_certificate *c,
                          accordi_buffer *lines)
{
    enum { LEAST = 6 };
    if (!c->explained || c->replays_agreed < c->replays || c->replays < LEAST || record->n <= 1)
        return;
    accordi_buffer_printf(lines,
                          "\ninputs that were not asked follow the same arithmetic: %zu random "
                          "inputs were replayed without a difference, which a model that is wrong "
                          "on more than one in %zu inputs of these kinds passes with a chance "
                          "below 5 %%",
                          c->replays, c->replays / 3);
}

/* Libraries choose their code by where operands lie: MKL's dot does. */
static bool list_assumptions(const accord_record *record, const accordi_certificate *c,
                             char **field)
{
    accordi_buffer lines = {0};
    accord_error ignored;
    accordi_buffer_puts(&lines, "one fixed tree of additions for all terms that are finite\n"
                                "the same at every call");
    if (record->alignment == 0)
        accordi_buffer_puts(&lines, "\nterms that begin at a multiple of 64 bytes in memory");
    else if (record->alignment > 0)
        accordi_buffer_printf(&lines,
                              "\nterms that begin %lld bytes past a multiple of 64 in memory",
                              (long long)record->alignment);
    list_strength(record, c, &lines);
    if (c->rounds.tested)
        accordi_buffer_printf(&lines,
                              "\nno addition of other arithmetic was missed by the rounds of ties "
                              "(chance below 10^%.0f)",
                              ceil(log10(c->rounds.miss)));
    if (c->far_only)
        accordi_buffer_puts(&lines, "\nthe order that large masks show: formats as narrow as this "
                                    "have no room to ask for it again with terms near 1");
    if (c->no_number)
        accordi_buffer_puts(&lines,
                            "\nno sum is too large: then the target gives NaN, and the model "
                            "infinity");
    if (c->rivals.small_products)
        accordi_buffer_puts(&lines,
                            "\nproducts too small for the format of a sum enter it as told, "
                            "fused or rounded first: not at every addition was an input "
                            "found that shows it");
    if (c->other_zero)
        accordi_buffer_puts(&lines, "\nthe sign of a sum that is zero does not matter");
    if (c->explained && c->arithmetic->has_machine)
        accordi_buffer_puts(&lines, "\nall fused sums follow one set of the parameters that "
                                    "accord/fused.h lists");
    if (c->explained && c->arithmetic->has_machine && c->arithmetic->machine.output_fraction)
        accordi_buffer_printf(&lines,
                              "\nsums are rounded to %d bits at once: a rounding into %s before "
                              "that hardly ever shows",
                              c->arithmetic->machine.output_fraction + 1,
                              accord_format_get(c->arithmetic->machine.output)->name);
    if (c->explained && c->arithmetic->flush &&
        (c->arithmetic->alpha != 1 || c->arithmetic->beta != 0))
        accordi_buffer_puts(&lines, "\nno product with alpha or beta is subnormal: whether such "
                                    "products are flushed was not tested separately");
    bool good = !lines.failed && !accord_record_set(field, lines.data, &ignored);
    accordi_buffer_clear(&lines);
    return good;
}

/* What was not done that is done by default, an item a line. */
static bool list_left_out(const accord_record *record, const accordi_certificate *c,
                          const accordi_extent *extent, char **field)
{
    accordi_buffer lines = {0};
    accord_error ignored;
    bool order = record->tree != NULL, replayed = c->replays > 0;
    bool cut = extent->no_certificate || extent->spent;
    if (cut && !order && !extent->no_certificate)
        accordi_buffer_puts(&lines, "the search for an order\n");
    if (cut && order && !extent->proved)
        accordi_buffer_puts(&lines, "the proof of the inner nodes\n");
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
    bool good = !lines.failed && !accord_record_set(field, lines.data, &ignored);
    accordi_buffer_clear(&lines);
    return good;
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
        accordi_buffer_puts(out, " Not proven: the certificate was not asked for.");
    else if (record->tree && extent->spent)
        accordi_buffer_printf(out, " Not proven: %s was spent.", budget);
    else if (record->tree && asked > c->replays)
        accordi_buffer_printf(out, " Not proven: %s had no room for more.", budget);
    else if (record->tree)
        accordi_buffer_printf(out, " Not proven: no more than %zu random input%s to be replayed.",
                              c->replays, c->replays == 1 ? " was" : "s were");
    accordi_buffer_puts(out, " Left out: ");
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
            tell_proof(record, certificate, &words);
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
           (!record->tree || list_assumptions(record, certificate, &record->assumes));
    return good ? ACCORD_OK : ACCORD_NOMEM;
}
