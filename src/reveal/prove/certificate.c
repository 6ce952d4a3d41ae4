/* The certificate: replays an order on random inputs and finds its arithmetic. See prove.c for
 * the proof. */
#include "reveal/prove/certificate.h"
#include "reveal/arithmetic/search.h"
#include "reveal/machine/parameters.h"
#include "reveal/probes/leaf_order.h"
#include <math.h>

/* The precision of the node that joins two children of a child of the root: the least drop at
 * which a mask there swallows a term. */
static enum accord_status measure_width(accordi_asker *asker, const accord_tree *tree, int *bits)
{
    enum { STEPS = 120 };
    accordi_layout l;
    *bits = 0;
    uint32_t root = tree->inner - 1, inside = ACCORD_TREE_NO_NODE, beside = inside;
    for (uint32_t c = tree->first[root]; c < tree->first[root + 1]; c++)
        if (tree->child[c] >= tree->leaves)
            inside = tree->child[c];
    if (inside == ACCORD_TREE_NO_NODE || accordi_layout_init(asker, tree, &l))
        return asker->status;
    for (uint32_t c = tree->first[root]; c < tree->first[root + 1]; c++)
        if (tree->child[c] != inside)
            beside = tree->child[c];
    const uint32_t *child = tree->child + tree->first[inside - tree->leaves];
    uint32_t a = accordi_layout_leaf(asker, &l, child[0]),
             x = accordi_layout_leaf(asker, &l, child[1]);
    uint32_t b = accordi_layout_leaf(asker, &l, beside);
    accordi_ask_begin(asker, 0);
    for (int d = 1; d <= STEPS && ldexp(asker->mask, -d) >= asker->unit; d++) {
        accordi_ask_own(asker, a, asker->mask);
        accordi_ask_own(asker, x, ldexp(asker->mask, -d));
        accordi_ask_own(asker, b, -asker->mask);
        accordi_ask_end(asker);
    }
    if (!accordi_ask_run(asker))
        for (size_t i = asker->probes; i-- > 0 && asker->result[i] == 0;)
            *bits = (int)i + 1;
    accordi_layout_clear(&l);
    return asker->status;
}

/* The sums of the first rows once more. */
static enum accord_status ask_again(accordi_asker *asker, const accordi_replays *replays,
                                    size_t rows, accordi_certificate *out)
{
    double *again = accordi_alloc(rows, sizeof *again);
    if (!again)
        return asker->status = accordi_nomem(asker->error);
    accordi_ask_factors(asker, true);
    accordi_replays_again(asker, replays, rows, again);
    accordi_ask_factors(asker, false);
    for (size_t i = 0; i < rows && !asker->status; i++) {
        out->repeats++;
        out->repeats_agreed +=
            accordi_answer_bits(again[i]) == accordi_answer_bits(replays->result[i]);
    }
    free(again);
    return asker->status;
}

static enum accord_status take_answers(accordi_asker *asker, const accordi_replays *replays,
                                       accordi_certificate *out)
{
    accordi_ask_factors(asker, true);
    accordi_answers_take(asker, replays, &out->answers);
    accordi_ask_factors(asker, false);
    out->repeats += (size_t)out->answers.inputs;
    out->repeats_agreed += (size_t)(out->answers.inputs - out->answers.varied);
    return asker->status;
}

void accordi_certificate_clear(accordi_certificate *certificate)
{
    accord_arithmetic_free(certificate->arithmetic);
    accordi_answers_clear(&certificate->answers);
    free(certificate->orders);
    accordi_rivals_clear(&certificate->rivals);
    memset(certificate, 0, sizeof *certificate);
}

/* The parameters of a matrix accelerator, if it is one. */
static enum accord_status find_machine(accordi_asker *asker, const accord_tree *tree,
                                       accordi_certificate *out, accord_arithmetic **found)
{
    accord_error *error = asker->error, none = {.status = ACCORD_OK};
    if (asker->term != ACCORD_TERM_PRODUCT && asker->term != ACCORD_TERM_VALUE)
        return asker->status;
    asker->error = &none;
    accordi_features(asker, tree, found);
    asker->error = error;
    bool unable = none.status == ACCORD_UNABLE;
    snprintf(out->no_machine, sizeof out->no_machine, "%s", unable ? none.text : "");
    if (asker->status == ACCORD_UNABLE || asker->status == ACCORD_UNSUPPORTED)
        return asker->status = ACCORD_OK;
    if (asker->status)
        *error = none;
    return asker->status;
}

/* The arithmetic by probes: of every node where there are few, else of a sample; *found may stay
 * NULL. A machine's is looked for where nodes have many children. */
static enum accord_status find_arithmetic(accordi_asker *asker, const accord_tree *tree,
                                          uint32_t budget, accordi_certificate *out,
                                          accord_arithmetic **found)
{
    uint64_t calls = asker->target->calls;
    asker->stage = "finding the arithmetic";
    if (tree->inner + 1 < tree->leaves)
        find_machine(asker, tree, out, found);
    else
        accordi_arithmetic(asker, tree, budget, &out->findings, found);
    out->arithmetic_calls += asker->target->calls - calls;
    return asker->status;
}

/* Asks for random sums, replays them by what is found, and looks for what explains them. */
static enum accord_status replay_by(accordi_asker *asker, const accord_tree *tree,
                                    const accord_arithmetic *found, const accordi_flushes *flushes,
                                    size_t rows, size_t fresh, accordi_replays *replays,
                                    accordi_certificate *out)
{
    accordi_explanation e = {.found = found, .flushes = flushes};
    if (accordi_explain_first(asker, tree, &e))
        return asker->status;
    const accord_model first = {tree, e.best};
    asker->stage = "replaying";
    accordi_ask_factors(asker, true);
    if (replays->result)
        accordi_replays_agree(asker, replays, &first, replays->rows, &e.agreed);
    else
        accordi_replays_ask(asker, rows, fresh, false, &first, replays, &e.agreed);
    if (!asker->status && e.agreed < replays->rows)
        accordi_explain(asker, tree, replays, &e);
    accordi_ask_factors(asker, false);
    if (asker->status) {
        accord_arithmetic_free(e.best);
        return asker->status;
    }
    accord_arithmetic_free(out->arithmetic);
    out->arithmetic = e.best;
    out->replays_agreed = e.agreed;
    out->replays = replays->rows;
    out->explained = e.agreed == replays->rows;
    return ACCORD_OK;
}

/* Of an alpha that multiplies without rounding, as powers of two do, random inputs hardly tell
 * where it enters: probes with another alpha do. What they find comes first, if all rows and the
 * inputs drawn on purpose agree with it. */
static enum accord_status prefer_alpha(accordi_asker *asker, const accord_tree *tree,
                                       const accord_arithmetic *found,
                                       const accordi_replays *replays, accordi_certificate *out,
                                       bool *preferred)
{
    accordi_explanation e = {.found = found};
    if (!accordi_alpha_hides(asker) || accordi_explain_first(asker, tree, &e))
        return asker->status;
    accordi_ask_factors(asker, true);
    accordi_explain_alpha(asker, tree, replays, &e);
    accordi_ask_factors(asker, false);
    if (!asker->status && e.agreed == replays->rows &&
        !accordi_rivals_part(asker, tree, replays, &e.best, &out->rivals) &&
        out->rivals.refuted == 0) {
        accord_arithmetic *other = out->arithmetic;
        out->arithmetic = e.best;
        out->replays_agreed = e.agreed;
        out->explained = *preferred = true;
        e.best = other;
    }
    accord_arithmetic_free(e.best);
    return asker->status;
}

/* What is flushed at some nodes only, as far as that is why nothing explains the order. */
static void name_flushes(const accord_tree *tree, const accordi_flushes *f,
                         accordi_certificate *out)
{
    static const char *const names[] = {"operands", "second factors", "products", "sums"};
    for (unsigned i = 0; i < sizeof names / sizeof *names && !*out->odd_node; i++) {
        size_t asked = 0, gone = 0;
        for (uint32_t k = 0; k < tree->inner; k++) {
            asked += (f->asked[k] | f->kept[k]) >> i & 1;
            gone += f->node[k] >> i & 1;
        }
        if (gone > 0 && gone < asked)
            snprintf(out->odd_node, sizeof out->odd_node,
                     "subnormal %s count as zero in %zu of %zu additions but not in the others",
                     names[i], gone, asked);
    }
}

/* First as if nothing were flushed (or, if need be, as the replays say). Where a few inputs full of
 * subnormals come out otherwise, it is asked what is flushed. */
static enum accord_status explain(accordi_asker *asker, const accord_tree *tree,
                                  const accord_arithmetic *found, size_t rows, size_t fresh,
                                  accordi_replays *replays, accordi_certificate *out)
{
    accordi_flushes flushes = {0};
    bool agree = true;
    if (replay_by(asker, tree, found, NULL, rows, fresh, replays, out))
        return asker->status;
    uint64_t calls = asker->target->calls;
    bool preferred = false;
    if (prefer_alpha(asker, tree, found, replays, out, &preferred))
        return asker->status;
    if (out->explained && !preferred &&
        accordi_rivals_part(asker, tree, replays, &out->arithmetic, &out->rivals))
        return asker->status;
    out->explained = out->explained && out->rivals.refuted == 0;
    if (accordi_flushes_agree(asker, tree, out->arithmetic, &agree) ||
        (agree && !out->arithmetic->flush))
        return asker->status;
    accordi_flushes_find(asker, tree, &flushes);
    bool explained = out->explained;
    if (!asker->status && flushes.all)
        replay_by(asker, tree, found, &flushes, rows, fresh, replays, out);
    /* Results of few bits do not answer all questions: then replays have the last word. */
    if (!asker->status && explained && !out->explained)
        replay_by(asker, tree, found, NULL, rows, fresh, replays, out);
    if (!asker->status && out->explained && !accordi_flushes_hold(tree, &flushes, out->arithmetic))
        out->explained = false;
    if (!asker->status && flushes.all && !out->explained)
        name_flushes(tree, &flushes, out);
    bool flushed = flushes.all != 0;
    accordi_flushes_clear(&flushes);
    out->arithmetic_calls += asker->target->calls - calls;
    if (!asker->status && out->explained && flushed)
        accordi_rivals_part(asker, tree, replays, &out->arithmetic, &out->rivals);
    out->explained = out->explained && out->rivals.refuted == 0;
    return asker->status;
}

static bool rounds_alike(const accord_operation *a, const accord_operation *b)
{
    return a->format == b->format && a->rounding == b->rounding && a->stored == b->stored;
}

/* Of an order that nothing explains: a node that, as probes find, rounds otherwise than most. */
static void name_odd_node(const accord_tree *tree, const accord_arithmetic *found,
                          accordi_certificate *out)
{
    static const char *const roundings[] = {"to nearest", "toward zero", "down", "up",
                                            "to nearest, ties away from zero"};
    const accord_operation *usual = NULL;
    size_t most = 0;
    for (size_t i = 0; found && found->of_node && i < found->operations; i++) {
        const accord_operation *op = &found->operation[i];
        size_t same = 0;
        for (uint32_t k = 0; k < tree->inner; k++)
            same += rounds_alike(op, &found->operation[found->of_node[k]]);
        usual = same > most ? op : usual;
        most = same > most ? same : most;
    }
    if (!usual || *out->odd_node || 2 * most <= tree->inner)
        return;
    for (uint32_t k = 0; k < tree->inner && !*out->odd_node; k++) {
        const accord_operation *op = &found->operation[found->of_node[k]];
        if (!rounds_alike(op, usual))
            snprintf(out->odd_node, sizeof out->odd_node,
                     "inner node %u rounds differently from most nodes: to %s, %s, whereas %zu of "
                     "%u nodes round to %s, %s",
                     tree->leaves + k, accord_format_get(op->format)->name, roundings[op->rounding],
                     most, tree->inner, accord_format_get(usual->format)->name,
                     roundings[usual->rounding]);
    }
}

/* Where not all nodes were asked one by one at first, all are asked together. A round that the
 * arithmetic does not explain refutes it, whatever the replays say. */
static enum accord_status test_nodes(accordi_asker *asker, const accord_tree *tree,
                                     accordi_certificate *out)
{
    uint64_t calls = asker->target->calls;
    bool doubted = out->rounds.other > 0;
    if (asker->status || !out->explained || (out->findings.probed >= tree->inner && !doubted))
        return asker->status;
    asker->stage = "testing every node";
    accordi_rounds_ask(asker, tree, out->arithmetic, &out->rounds);
    out->arithmetic_calls += asker->target->calls - calls;
    out->explained = out->rounds.other == 0;
    return asker->status;
}

/* Of the replays, those that are drawn anew; the answers' inputs come on top. */
static size_t fresh_rows(size_t n)
{
    size_t least = 10, most = 1000, rows = ((size_t)1 << 26) / n, kept = accordi_answers_count(n);
    return rows < kept + least ? least : rows > kept + most ? most : rows - kept;
}

size_t accordi_replays_due(size_t n)
{
    return fresh_rows(n) + accordi_answers_count(n);
}

/* As many as are asked for, and as the budget has room for; half of them inputs of the answers,
 * which are asked for twice, but no more of these than by default. */
static size_t choose_rows(const accordi_asker *asker, size_t *fresh)
{
    size_t rows = asker->replays ? asker->replays : accordi_replays_due(asker->n);
    size_t inputs = accordi_answers_count(asker->n), few;
    rows = accordi_budget_room(asker, rows, 1.5);
    few = (rows + 1) / 2;
    *fresh = rows - (few < inputs ? few : inputs);
    if (!asker->replays && rows == accordi_replays_due(asker->n))
        *fresh = fresh_rows(asker->n);
    return rows;
}

/* Do products far below others count as the arithmetic has it? */
static enum accord_status test_far(accordi_asker *asker, const accord_tree *tree,
                                   accordi_certificate *out)
{
    bool agree = true;
    if (!asker->status && out->explained)
        accordi_far_agree(asker, tree, out->arithmetic, &agree);
    out->far = !agree;
    out->explained = out->explained && agree;
    return asker->status;
}

enum accord_status accordi_replay(accordi_asker *asker, const accord_tree *tree,
                                  accordi_certificate *out)
{
    enum { ALL = 1024, SAMPLE = 64, MANY = 1 << 17, SHORT = 64 };
    size_t fresh = 0, rows = 0;
    accord_arithmetic *found = NULL;
    accordi_replays replays = {.rows = 0};
    bool signs = asker->term == ACCORD_TERM_VALUE || asker->term == ACCORD_TERM_PRODUCT;
    if (signs && tree->inner > 0 && measure_width(asker, tree, &out->accumulator_bits))
        return asker->status;
    find_arithmetic(asker, tree, tree->inner <= ALL ? ALL : SAMPLE, out, &found);
    rows = choose_rows(asker, &fresh);
    if (!asker->status && accordi_ask_goes_on(asker, rows ? rows : SIZE_MAX) &&
        !explain(asker, tree, found, rows, fresh, &replays, out) && !test_nodes(asker, tree, out) &&
        !out->explained && tree->inner > ALL && tree->inner <= MANY) {
        accord_arithmetic_free(found);
        found = NULL;
        if (!find_arithmetic(asker, tree, MANY, out, &found) &&
            !explain(asker, tree, found, rows, fresh, &replays, out))
            test_nodes(asker, tree, out);
    }
    /* Steps of a machine may be binary nodes too: of one or two products, or short. (Values that
     * are added two by two in fixed point would look like steps as well, and are no sum.) */
    bool few = asker->n <= SHORT && asker->term == ACCORD_TERM_PRODUCT;
    if (!asker->status && !out->explained && tree->inner + 1 == tree->leaves)
        name_odd_node(tree, found, out);
    bool steps = tree->inner + 1 == tree->leaves && (asker->target->wide_terms || few);
    bool plain = asker->alpha == 1 && !asker->target->has_start;
    accordi_edges edges = {.large = true, .small = true};
    if (!asker->status && out->explained && plain)
        accordi_edges_agree(asker, tree, out->arithmetic, &edges);
    out->too_large = out->explained && !edges.large;
    out->explained = out->explained && edges.large;
    if (steps && plain && few)
        test_far(asker, tree, out);
    if (!asker->status && steps && (!out->explained || !edges.small)) {
        accord_arithmetic_free(found);
        found = NULL;
        if (!find_machine(asker, tree, out, &found) && found) {
            explain(asker, tree, found, rows, fresh, &replays, out);
            if (!asker->status && out->explained)
                accordi_edges_agree(asker, tree, out->arithmetic, &edges);
            out->too_large = out->explained && !edges.large;
            out->explained = out->explained && edges.large;
            if (plain && few)
                test_far(asker, tree, out);
        }
    }
    out->other_zero = out->explained && (!edges.small || out->rivals.other_zero);
    out->no_number = out->explained && edges.no_number;
    if (!asker->status)
        take_answers(asker, &replays, out);
    if (!asker->status)
        out->kinds = accordi_replays_kinds(&replays);
    /* What no arithmetic explains may differ from run to run, if rarely. */
    if (!asker->status && !out->explained && !ask_again(asker, &replays, fresh, out) &&
        !accordi_replays_exact(asker, &replays, &out->exact, &out->exact_of)) {
        const accord_model best = {tree, out->arithmetic};
        accordi_ask_factors(asker, true);
        accordi_replays_differ(asker, &replays, &best, &out->disagreement);
        accordi_ask_factors(asker, false);
    }
    accord_arithmetic_free(found);
    accordi_replays_clear(&replays);
    return asker->status;
}
