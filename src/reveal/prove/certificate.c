/* The certificate: replays an order on random inputs and finds its arithmetic. See prove.c for
 * the proof. */
#include "reveal/prove/certificate.h"
#include "reveal/arithmetic/search.h"
#include "reveal/machine/parameters.h"
#include "reveal/probes/leaf_order.h"
#include "reveal/prove/odd_nodes.h"
#include "reveal/reasons/in_calibration.h"
#include <math.h>

/* A certificate in the making. */
typedef struct replaying {
    accordi_asker *asker;
    const accord_tree *tree;
    accord_arithmetic *found; /* by probes; may be NULL */
    bool parts;               /* they asked where large parts end, too */
    size_t rows, fresh;
    accordi_replays replays;
    accordi_edges edges;
    accordi_certificate *out;
} replaying;

/* By how many binades less than masks the terms are that show the precision of a node. Of the
 * many that hardly any sum keeps, few are asked for at first. */
enum { FINE = 65, COARSE = 8, LAST_DROP = 120 };
static int next_drop(int drop, bool all)
{
    return all || drop < FINE ? drop + 1 : drop / COARSE * COARSE + COARSE;
}

/* Of terms that are put beside masks at a and b: the least drop from which on they are swallowed, 0
 * if not even the last one is. */
static int least_swallowed(accordi_asker *asker, uint32_t a, uint32_t b, uint32_t x, bool all)
{
    int bits = 0;
    accordi_ask_begin(asker, 0);
    for (int d = 1; d <= LAST_DROP && ldexp(asker->mask, -d) >= asker->unit; d = next_drop(d, all))
        accordi_ask_triple(asker, a, b, x, ldexp(asker->mask, -d));
    if (accordi_ask_run(asker))
        return 0;
    for (size_t i = 0, d = 1; i < asker->probes; i++, d = (size_t)next_drop((int)d, all))
        bits = asker->result[i] != 0 ? 0 : bits ? bits : (int)d;
    return bits;
}

/* The precision of the node that joins two children of a child of the root: the least drop at
 * which a mask there swallows a term. */
static enum accord_status measure_width(accordi_asker *asker, const accord_tree *tree, int *bits)
{
    accordi_layout l;
    *bits = 0;
    if (asker->mask == 0)
        return asker->status;
    uint32_t root = tree->inner - 1, inside = ACCORD_TREE_NO_NODE, beside = inside;
    for (uint32_t c = tree->first[root]; c < tree->first[root + 1]; c++)
        if (tree->child[c] >= tree->leaves)
            inside = tree->child[c];
    if (inside == ACCORD_TREE_NO_NODE || accordi_layout_plain(asker, tree, &l))
        return asker->status;
    for (uint32_t c = tree->first[root]; c < tree->first[root + 1]; c++)
        if (tree->child[c] != inside)
            beside = tree->child[c];
    const uint32_t *child = tree->child + tree->first[inside - tree->leaves];
    uint32_t a = accordi_layout_leaf(asker, &l, child[0]);
    uint32_t x = accordi_layout_leaf(asker, &l, child[1]);
    uint32_t b = accordi_layout_leaf(asker, &l, beside);
    *bits = least_swallowed(asker, a, b, x, false);
    if (ldexp(asker->mask, -FINE - 1) >= asker->unit && (*bits == 0 || *bits > FINE))
        *bits = least_swallowed(asker, a, b, x, true);
    accordi_layout_clear(&l);
    return asker->status;
}

/* The sums of the rows that were drawn anew, once more. */
static enum accord_status ask_again(replaying *r)
{
    accordi_asker *asker = r->asker;
    double *again = accordi_ask_alloc(asker, r->fresh, sizeof *again);
    if (!again)
        return asker->status;
    accordi_ask_factors(asker, true);
    accordi_replays_again(asker, &r->replays, r->fresh, again);
    accordi_ask_factors(asker, false);
    for (size_t i = 0; i < r->fresh && !asker->status; i++) {
        r->out->repeats++;
        r->out->repeats_agreed +=
            accordi_answer_bits(again[i]) == accordi_answer_bits(r->replays.result[i]);
    }
    free(again);
    return asker->status;
}

static enum accord_status take_answers(replaying *r)
{
    accordi_certificate *out = r->out;
    accordi_ask_factors(r->asker, true);
    accordi_answers_take(r->asker, &r->replays, &out->answers);
    accordi_ask_factors(r->asker, false);
    out->repeats += (size_t)out->answers.inputs;
    out->repeats_agreed += (size_t)(out->answers.inputs - out->answers.varied);
    return r->asker->status;
}

void accordi_certificate_clear(accordi_certificate *certificate)
{
    accord_arithmetic_free(certificate->arithmetic);
    accordi_answers_clear(&certificate->answers);
    free(certificate->orders);
    free(certificate->wide);
    accordi_rivals_clear(&certificate->rivals);
    memset(certificate, 0, sizeof *certificate);
}

/* The parameters of a matrix accelerator, if it is one. */
static enum accord_status find_machine(replaying *r)
{
    accordi_asker *asker = r->asker;
    accordi_certificate *out = r->out;
    accord_error *error = asker->error, none = {.status = ACCORD_OK};
    if (asker->term != ACCORD_TERM_PRODUCT && asker->term != ACCORD_TERM_VALUE)
        return asker->status;
    asker->error = &none;
    accordi_features_find(asker, r->tree, &r->found, NULL);
    asker->error = error;
    bool unable = none.status == ACCORD_UNABLE;
    snprintf(out->no_machine, sizeof out->no_machine, "%s", unable ? none.text : "");
    if (asker->status == ACCORD_UNABLE || asker->status == ACCORD_UNSUPPORTED)
        return asker->status = ACCORD_OK;
    if (asker->status)
        *error = none;
    return asker->status;
}

static void forget_found(replaying *r)
{
    accord_arithmetic_free(r->found);
    r->found = NULL;
}

/* The arithmetic by probes, anew: of every node where there are few, else of a sample; it may stay
 * NULL. A machine's is looked for where nodes have many children, and where no masks are
 * known. */
static enum accord_status find_arithmetic(replaying *r, uint32_t budget, bool parts)
{
    accordi_asker *asker = r->asker;
    uint64_t calls = asker->target->calls;
    asker->stage = "finding the arithmetic";
    forget_found(r);
    if (r->tree->inner + 1 < r->tree->leaves || asker->mask == 0)
        find_machine(r);
    else
        accordi_arithmetic(asker, r->tree, budget, parts, &r->out->findings, &r->found);
    r->out->arithmetic_calls += asker->target->calls - calls;
    return asker->status;
}

/* Orders of so many nodes have all of them asked by probes; larger ones a sample first, and those
 * of not too many nodes more of them where that does not explain the replays. */
enum { ALL = 1024, SAMPLE = 64, MANY = 1 << 17 };

/* Asks for random sums, if none were asked for, and replays them by what is found. */
static enum accord_status replay_found(replaying *r, accordi_explanation *e)
{
    accordi_asker *asker = r->asker;
    e->found = r->found;
    if (accordi_explain_first(asker, r->tree, e))
        return asker->status;
    const accord_model first = {r->tree, e->best};
    asker->stage = "replaying";
    accordi_ask_factors(asker, true);
    if (r->replays.result)
        accordi_replays_agree(asker, &r->replays, &first, r->replays.rows, 0, &e->agreed);
    else
        accordi_replays_ask(asker, r->rows, r->fresh, false, &first, &r->replays, &e->agreed);
    accordi_ask_factors(asker, false);
    return asker->status;
}

/* The same, and looks for what explains them: first where large parts end, and then among all that
 * is known, which takes long. */
static enum accord_status replay_by(replaying *r, const accordi_flushes *flushes)
{
    accordi_asker *asker = r->asker;
    accordi_explanation e = {.flushes = flushes,
                             .wide = r->out->wide,
                             .wide_precision = r->out->wide_precision,
                             .accumulator_bits = r->out->accumulator_bits};
    const accordi_explanation none = e;
    bool few = r->found && r->tree->inner > ALL && r->tree->inner <= MANY && !r->parts;
    if (!replay_found(r, &e) && e.agreed < r->replays.rows && few) {
        r->parts = true;
        accord_arithmetic_free(e.best);
        e = none;
        if (!find_arithmetic(r, SAMPLE, true))
            replay_found(r, &e);
    }
    bool explains = !asker->status && e.agreed == r->replays.rows;
    if (!asker->status && !explains)
        accordi_check_bound(asker);
    accordi_ask_factors(asker, true);
    if (!asker->status && !explains)
        accordi_explain(asker, r->tree, &r->replays, &e);
    accordi_ask_factors(asker, false);
    if (asker->status) {
        accord_arithmetic_free(e.best);
        return asker->status;
    }
    accord_arithmetic_free(r->out->arithmetic);
    r->out->arithmetic = e.best;
    r->out->replays_agreed = e.agreed;
    r->out->replays = r->replays.rows;
    r->out->explained = e.agreed == r->replays.rows;
    return ACCORD_OK;
}

/* Of an alpha that multiplies without rounding, as powers of two do, random inputs hardly tell
 * where it enters: probes with another alpha do. What they find comes first, if all rows and the
 * inputs drawn on purpose agree with it. */
static enum accord_status prefer_alpha(replaying *r, bool *preferred)
{
    accordi_asker *asker = r->asker;
    accordi_certificate *out = r->out;
    accordi_explanation e = {.found = r->found};
    if (!accordi_alpha_hides(asker) || accordi_explain_first(asker, r->tree, &e))
        return asker->status;
    accordi_ask_factors(asker, true);
    accordi_explain_alpha(asker, r->tree, &r->replays, &e);
    accordi_ask_factors(asker, false);
    if (!asker->status && e.agreed == r->replays.rows &&
        !accordi_rivals_part(asker, r->tree, &r->replays, &e.best, &out->rivals) &&
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

static enum accord_status part_rivals(replaying *r)
{
    return accordi_rivals_part(r->asker, r->tree, &r->replays, &r->out->arithmetic,
                               &r->out->rivals);
}

/* Where a few rows are not explained, the reason may be products too small for the format of sums,
 * which enter some of them unrounded: that is asked node by node as rivals are, and one that takes
 * the place of the best arithmetic replays. */
static enum accord_status explain_small(replaying *r)
{
    accordi_asker *asker = r->asker;
    accordi_certificate *out = r->out;
    size_t rows = r->replays.rows;
    if (asker->status || out->explained || asker->term != ACCORD_TERM_PRODUCT ||
        out->replays_agreed < rows - rows / 6 || part_rivals(r))
        return asker->status;
    const accord_model held = {r->tree, out->arithmetic};
    accordi_ask_factors(asker, true);
    accordi_replays_agree(asker, &r->replays, &held, rows, 0, &out->replays_agreed);
    accordi_ask_factors(asker, false);
    out->explained = !asker->status && out->replays_agreed == rows;
    return asker->status;
}

/* With what probes say is flushed. Results of few bits do not answer all questions: then replays
 * have the last word. */
static void explain_flushed(replaying *r, const accordi_flushes *flushes)
{
    accordi_asker *asker = r->asker;
    accordi_certificate *out = r->out;
    bool explained = out->explained;
    if (flushes->all && !replay_by(r, flushes))
        explain_small(r);
    if (!asker->status && explained && !out->explained)
        replay_by(r, NULL);
    if (!asker->status && out->explained &&
        !accordi_flushes_hold(r->tree, flushes, out->arithmetic))
        out->explained = false;
    if (!asker->status && flushes->all && !out->explained)
        accordi_name_flushes(r->tree, flushes, out);
}

/* First as if nothing were flushed (or, if need be, as the replays say). Where a few inputs full of
 * subnormals come out otherwise, it is asked what is flushed. */
static enum accord_status explain_inputs(replaying *r)
{
    accordi_asker *asker = r->asker;
    accordi_certificate *out = r->out;
    accordi_flushes flushes = {0};
    bool agree = true, preferred = false;
    if (replay_by(r, NULL))
        return asker->status;
    uint64_t calls = asker->target->calls;
    if (prefer_alpha(r, &preferred))
        return asker->status;
    if (out->explained && !preferred && part_rivals(r))
        return asker->status;
    out->explained = out->explained && out->rivals.refuted == 0;
    if (accordi_flushes_agree(asker, r->tree, out->arithmetic, &agree) ||
        (agree && !out->arithmetic->flush))
        return asker->status;
    accordi_flushes_find(asker, r->tree, out->arithmetic, &flushes);
    if (!asker->status)
        explain_flushed(r, &flushes);
    out->arithmetic_calls += asker->target->calls - calls;
    if (!asker->status && out->explained && flushes.all)
        part_rivals(r);
    /* A rival that took its place may flush something else. */
    out->explained = out->explained && out->rivals.refuted == 0 &&
                     accordi_flushes_hold(r->tree, &flushes, out->arithmetic);
    accordi_flushes_clear(&flushes);
    return asker->status;
}

static enum accord_status explain_replays(replaying *r)
{
    double from = accordi_now();
    explain_inputs(r);
    r->out->replay_seconds += accordi_now() - from;
    return r->asker->status;
}

/* Where not all nodes were asked one by one at first, all are asked together. A round that the
 * arithmetic does not explain refutes it, whatever the replays say. */
static enum accord_status test_nodes(replaying *r)
{
    accordi_asker *asker = r->asker;
    accordi_certificate *out = r->out;
    uint64_t calls = asker->target->calls;
    bool doubted = out->rounds.other > 0;
    if (!asker->status && out->findings.twice && !out->arithmetic->extended)
        out->explained = false;
    if (asker->status || !out->explained || (out->findings.probed >= r->tree->inner && !doubted))
        return asker->status;
    asker->stage = "testing every node";
    accordi_rounds_ask(asker, r->tree, out->arithmetic, &out->rounds);
    out->arithmetic_calls += asker->target->calls - calls;
    out->explained = out->rounds.other == 0;
    return asker->status;
}

/* How many replays are drawn anew; the answers' inputs come on top. */
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
static void choose_rows(replaying *r)
{
    const accordi_asker *asker = r->asker;
    size_t due = accordi_replays_due(asker->n), inputs = accordi_answers_count(asker->n);
    r->rows = accordi_budget_room(asker, asker->replays ? asker->replays : due, 1.5);
    size_t few = (r->rows + 1) / 2;
    r->fresh = !asker->replays && r->rows == due ? fresh_rows(asker->n)
                                                 : r->rows - (few < inputs ? few : inputs);
}

/* Are sums that are too large, or rounded to zero, as the model says? */
static enum accord_status test_edges(replaying *r)
{
    accordi_certificate *out = r->out;
    if (!r->asker->status && out->explained)
        accordi_edges_agree(r->asker, r->tree, out->arithmetic, &r->edges);
    out->too_large = out->explained && !r->edges.large;
    out->explained = out->explained && r->edges.large;
    return r->asker->status;
}

/* Do products far below others count as the arithmetic has it? */
static enum accord_status test_far(replaying *r)
{
    bool agree = true;
    if (!r->asker->status && r->out->explained)
        accordi_far_agree(r->asker, r->tree, r->out->arithmetic, &agree);
    r->out->far = !agree;
    r->out->explained = r->out->explained && agree;
    return r->asker->status;
}

/* Steps of a machine may be binary nodes too: of one or two products, or short. (Values that are
 * added two by two in fixed point would look like steps as well, and are no sum.) */
static void test_steps(replaying *r)
{
    enum { SHORT = 64 };
    accordi_asker *asker = r->asker;
    bool few = asker->n <= SHORT && asker->term == ACCORD_TERM_PRODUCT;
    bool plain = asker->alpha == 1 && !asker->target->has_start;
    bool steps = r->tree->inner + 1 == r->tree->leaves && (asker->target->wide_terms || few);
    if (plain)
        test_edges(r);
    if (steps && plain && few)
        test_far(r);
    if (asker->status || !steps || (r->out->explained && r->edges.small))
        return;
    forget_found(r);
    if (find_machine(r) || !r->found)
        return;
    explain_replays(r);
    test_edges(r);
    if (plain && few)
        test_far(r);
}

/* What no arithmetic explains may differ from run to run, if rarely. */
static void look_into_rows(replaying *r)
{
    accordi_asker *asker = r->asker;
    accordi_certificate *out = r->out;
    const accord_model best = {r->tree, out->arithmetic};
    if (out->explained || ask_again(r) ||
        accordi_replays_exact(asker, &r->replays, &out->exact, &out->exact_of))
        return;
    accordi_ask_factors(asker, true);
    accordi_replays_differ(asker, &r->replays, &best, &out->disagreement);
    accordi_ask_factors(asker, false);
}

/* May the nodes of a long sum differ from each other, so that each is worth asking? Not where
 * errors are carried along, which would be asked for at every node in vain. */
static bool may_differ(replaying *r)
{
    accordi_asker *asker = r->asker;
    bool yes = false, binary = r->tree->inner + 1 == r->tree->leaves;
    if (asker->status || !binary || r->out->accumulator_bits > ACCORDI_LONGEST ||
        accordi_compensates(asker, r->tree, r->out, &yes) || !yes)
        return !asker->status;
    return !accordi_borne_out(asker, ACCORD_REASON_COMPENSATED, &yes) && !yes;
}

enum accord_status accordi_replay(accordi_asker *asker, const accord_tree *tree,
                                  accordi_certificate *out)
{
    replaying r = {
        .asker = asker, .tree = tree, .out = out, .edges = {.large = true, .small = true}};
    bool signs = asker->term == ACCORD_TERM_VALUE || asker->term == ACCORD_TERM_PRODUCT;
    if (signs && tree->inner > 0 && measure_width(asker, tree, &out->accumulator_bits))
        return asker->status;
    find_arithmetic(&r, tree->inner <= ALL ? ALL : SAMPLE, false);
    choose_rows(&r);
    if (!asker->status && accordi_ask_goes_on(asker, r.rows ? r.rows : SIZE_MAX) &&
        !explain_replays(&r) && !test_nodes(&r) && !out->explained && tree->inner > ALL &&
        tree->inner <= MANY && may_differ(&r) && !find_arithmetic(&r, MANY, false) &&
        !explain_replays(&r))
        test_nodes(&r);
    if (!asker->status && !out->explained && tree->inner + 1 == tree->leaves)
        accordi_name_odd_node(tree, r.found, out);
    test_steps(&r);
    out->other_zero = out->explained && (!r.edges.small || out->rivals.other_zero);
    out->no_number = out->explained && (r.edges.no_number || out->rivals.no_number);
    double from = accordi_now();
    if (!asker->status && !take_answers(&r)) {
        out->kinds = accordi_replays_kinds(&r.replays);
        look_into_rows(&r);
    }
    out->replay_seconds += accordi_now() - from;
    forget_found(&r);
    accordi_replays_clear(&r.replays);
    return asker->status;
}
