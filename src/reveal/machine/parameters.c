/* Start here: finds the parameters of a machine with fused sums, by probes alone.
 *
 * Idea: the parameters of accord_fused span a space that is small enough to try every value of
 * each, if few of them matter at a time. So questions are asked in stages (stages.c), and
 * all machines that contradict an answer are dropped; answers are never compared with the table
 * of machines. In the end the machines that remain differ in nothing that a question could show,
 * and 2000 dense random inputs must agree with them. */
#include "reveal/machine/parameters.h"
#include "reveal/machine/candidates.h"
#include "reveal/probes/dense_rows.h"
#include "targets/synthetic/synthetic.h"
#include <math.h>

enum { REPLAYS = 2000, AGAIN = 4 };

static void report_ranges(const accordi_space *space, accordi_features_report *report)
{
    const accord_fused *first = &space->machine[0];
    for (int f = 0; f < ACCORDI_FEATURES; f++) {
        enum accordi_feature feature = (enum accordi_feature)f;
        int least = accordi_feature_value(first, feature), most = least;
        for (size_t i = 1; i < space->machines; i++) {
            int value = accordi_feature_value(&space->machine[i], feature);
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        accordi_domain domain = accordi_feature_domain(space, first, feature);
        report->range[f].least = least;
        report->range[f].most = most;
        report->range[f].beyond_least = domain.beyond_least && least <= domain.least;
        report->range[f].beyond_most = domain.beyond_most && most >= domain.most;
    }
    if (space->steps->more_terms)
        report->range[ACCORDI_FEATURE_TERMS].beyond_most = true;
}

/* Where chains of steps are joined: the operation after that of the steps, a plain addition. */
static enum accord_status add_joins(const accord_tree *tree, accord_arithmetic *made,
                                    accord_error *error)
{
    accord_operation *both = accordi_calloc(2, sizeof *both);
    uint8_t *of_node = accordi_calloc(tree->inner, 1);
    if (!both || !of_node) {
        free(both);
        free(of_node);
        return accordi_nomem(error);
    }
    both[0] = made->operation[0];
    both[1] = (accord_operation){
        .format = made->machine.output, .product = made->machine.output, .fused = -1};
    accordi_find_joins(tree, of_node);
    free(made->operation);
    made->operation = both;
    made->operations = 2;
    made->of_node = of_node;
    return ACCORD_OK;
}

/* Two chains each with a product of about 2^exponent, of opposite signs, whose sum is
 * 2^(exponent - below). */
static void put_cancelling(accordi_space *space, const accordi_dense *d, size_t row,
                           const uint32_t *other, size_t others, int exponent, int below)
{
    accordi_rng *rng = &space->asker->rng;
    const accordi_steps *steps = space->steps;
    int half = exponent / 2;
    double sign = row % 2 ? -1 : 1, more = ldexp(1 + ldexp(1, -below), half);
    accordi_dense_fill(d, row, 0);
    accordi_dense_put(d, row, steps->leaf[accordi_rng_below(rng, steps->n)], sign * more,
                      ldexp(1, exponent - half));
    accordi_dense_put(d, row, other[accordi_rng_below(rng, others)], -sign * ldexp(1, half),
                      ldexp(1, exponent - half));
}

/* Steps may flush subnormal numbers where the additions that join their chains do not: only sums of
 * two chains that are subnormal show it. */
static enum accord_status find_join_flushing(accordi_space *space, const accord_tree *tree,
                                             accord_arithmetic *made)
{
    enum { ROWS = 16 };
    const accord_format_info *in = accord_format_get(space->asker->target->format);
    const accord_format_info *out = accord_format_get(made->machine.output);
    int least = 2 * in->min_exponent + 1;
    int exponent = out->min_exponent < least ? least : out->min_exponent;
    int below = exponent - out->min_exponent + 1;
    uint32_t *other = accordi_ask_alloc(space->asker, tree->leaves, sizeof *other);
    size_t others = 0, right[2] = {0};
    accordi_dense d = {0};
    if (!other || !made->flush || below >= in->precision || !space->products) {
        free(other);
        return space->asker->status;
    }
    for (uint32_t i = 0; i < tree->leaves; i++) {
        size_t k = 0;
        while (k < space->steps->n && space->steps->leaf[k] != i)
            k++;
        other[others] = i;
        others += k == space->steps->n;
    }
    accordi_dense_init(&d, space->asker, ROWS, true);
    for (; !space->asker->status && d.rows < ROWS; d.rows++)
        put_cancelling(space, &d, d.rows, other, others, exponent, below);
    unsigned flush[2] = {made->flush, 0};
    if (!space->asker->status && !accordi_dense_ask(&d))
        for (int way = 0; way < 2; way++) {
            const accord_model model = {tree, made};
            made->flush = flush[way];
            accordi_dense_replay(&d, &model);
            for (size_t i = 0; i < ROWS; i++)
                right[way] += accordi_dense_agrees(&d, i);
        }
    made->flush = flush[right[1] > right[0]];
    accordi_dense_clear(&d);
    free(other);
    return space->asker->status;
}

/* Steps of the aligned schemes that are short may be binary nodes; the rest is what it says. */
static enum accord_status make_arithmetic(accordi_space *space, const accord_tree *tree,
                                          accord_arithmetic **out, accord_error *error)
{
    const accord_fused *machine = &space->machine[0];
    const accord_target *target = space->asker->target;
    accord_arithmetic *made = NULL;
    enum accord_status status = accord_arithmetic_plain(
        target->term, target->format, machine->output, target->output, &made, error);
    if (status != ACCORD_OK)
        return status;
    made->has_machine = true;
    made->machine = *machine;
    made->flush = accordi_machine_flushes(machine);
    made->operation[0].rounding = machine->rounding;
    if (machine->scheme == ACCORD_FUSED_WITH_C || machine->scheme == ACCORD_FUSED_THEN_C)
        made->operation[0].fused = ACCORD_STEP;
    if (machine->scheme == ACCORD_FUSED_CHAIN) {
        made->operation[0].fused = 1;
        /* Chains in narrower formats are ordinary nodes: the room fused knows none. */
        made->has_machine = machine->output == ACCORD_F32 || machine->output == ACCORD_F64;
        status = accord_arithmetic_copy(made, tree->inner, out, error);
        accord_arithmetic_free(made);
        return status;
    }
    if (machine->scheme == ACCORD_FUSED_LAST_FIRST || machine->scheme == ACCORD_FUSED_EVEN_ODD)
        status = accordi_machine_operations(machine, tree, made, error);
    const accord_model model = {tree, made};
    if (space->steps->joined && !(status = add_joins(tree, made, error)) &&
        accord_model_check(&model, NULL) != ACCORD_OK)
        status = accordi_unable(error, ACCORD_REASON_NOT_PLAIN,
                                "several chains of fused sums are added up, and the steps of one "
                                "take more products than those of another");
    if (status == ACCORD_OK && space->steps->joined)
        status = find_join_flushing(space, tree, made);
    if (status == ACCORD_OK)
        *out = made;
    else
        accord_arithmetic_free(made);
    return status;
}

/* What is found may be no machine of the space: then it is said where it lies beyond. It is not
 * said that the target is no machine of the space, since another one may give the same results. */
static enum accord_status name_beyond(accordi_space *space)
{
    static const char *const words[] = {
        [ACCORDI_OUTWARD] = "away from zero", [ACCORDI_TO_ODD] = "to odd"};
    const accord_fused *machine = &space->machine[0];
    enum accordi_feature feature;
    if (accordi_space_holds(machine, &feature))
        return ACCORD_OK;
    const char *what = feature == ACCORDI_FEATURE_ALIGNMENT ? "aligned terms are"
                       : feature == ACCORDI_FEATURE_JOIN    ? "partial sums and c are"
                                                            : "the result of a step is";
    space->beyond = true;
    return accordi_unable(space->asker->error, ACCORD_REASON_NOT_PLAIN,
                          "a fused sum of %d products per step in which %s rounded %s explains all "
                          "%d random inputs, and accord can describe no machine that rounds so",
                          machine->terms, what, words[accordi_feature_value(machine, feature)],
                          REPLAYS);
}

/* One reading of the tree. */
static enum accord_status try_steps(accordi_space *space, const accord_tree *tree,
                                    accord_arithmetic **out, accordi_features_report *report)
{
    accordi_asker *asker = space->asker;
    accordi_features_report found = {0};
    enum accord_status status = accordi_space_solve(space);
    found.replays = REPLAYS;
    if (status == ACCORD_OK)
        status = accordi_space_replay(space, REPLAYS, &found.agreed);
    for (int again = 0; again < AGAIN && status == ACCORD_OK && found.agreed < REPLAYS; again++) {
        enum accord_status refined = accordi_space_refine(space);
        if (refined == ACCORD_UNABLE)
            break;
        status =
            refined == ACCORD_OK ? accordi_space_replay(space, REPLAYS, &found.agreed) : refined;
    }
    if (status == ACCORD_OK) {
        report_ranges(space, &found);
        found.machine = space->machine[0];
    }
    found.probes = space->questions;
    if (status == ACCORD_OK && found.agreed < found.replays)
        status = accordi_unable(asker->error, ACCORD_REASON_NOT_PLAIN,
                                "the parameters that were found explain only %zu of %zu random "
                                "inputs, so they do not describe the whole arithmetic",
                                found.agreed, found.replays);
    if (status == ACCORD_OK)
        status = name_beyond(space);
    if (status == ACCORD_OK)
        status = make_arithmetic(space, tree, out, asker->error);
    if (status == ACCORD_OK && report)
        *report = found;
    return status;
}

/* Of what no parameters explain: an experiment of its own may establish why. */
static enum accord_status explain_refusal(accordi_space *space)
{
    accord_error *error = space->asker->error;
    space->asker->status = ACCORD_OK;
    if (!space->beyond)
        space->beyond = accordi_space_name_oddity(space);
    return space->asker->status ? space->asker->status : error->status;
}

/* Scales are looked for where steps take whole blocks, one after the other. */
static bool takes_blocks(const accord_target *target, const accordi_steps *steps)
{
    size_t share = target->scale_block;
    bool whole = share < 2 || steps->terms % share == 0;
    for (size_t i = 0; i < steps->n && share && whole; i++)
        whole = steps->leaf[i] == i;
    return !share || (whole && share > 1 && target->term == ACCORD_TERM_PRODUCT &&
                      steps->scheme == ACCORD_FUSED_THEN_C && !steps->joined);
}

enum accord_status accordi_features_find(accordi_asker *asker, const accord_tree *tree,
                                         accord_arithmetic **out, accordi_features_report *report)
{
    enum accord_status status = ACCORD_UNSUPPORTED;
    accordi_steps steps;
    size_t tried = 0;
    if (asker->target->has_start || asker->n != tree->leaves)
        return accordi_fail(
            asker->error, ACCORD_UNSUPPORTED,
            "the parameters of a machine can only be found without a start value; use beta 0");
    for (bool stop = false; !stop && accordi_steps_read(tree, tried, &steps); tried++) {
        if (!steps.leaf)
            return accordi_nomem(asker->error);
        if (!takes_blocks(asker->target, &steps)) {
            status =
                accordi_unable(asker->error, ACCORD_REASON_NOT_PLAIN,
                               "the order is not one of fused sums of whole blocks of %zu "
                               "products that share scales; ask for a multiple of so many products",
                               asker->target->scale_block);
            free(steps.leaf);
            continue;
        }
        bool is_short = steps.n % steps.terms > 1;
        for (int last = 0; last <= is_short && !stop; last++) {
            accordi_space space;
            asker->status = ACCORD_OK;
            status = accordi_space_init(&space, asker, &steps, last);
            if (status == ACCORD_OK)
                status = try_steps(&space, tree, out, report);
            if (status == ACCORD_UNABLE)
                status = explain_refusal(&space);
            accordi_space_clear(&space);
            stop = status != ACCORD_UNABLE || space.beyond;
        }
        free(steps.leaf);
    }
    asker->status = status == ACCORD_UNABLE ? ACCORD_OK : status; /* others may ask on */
    if (tried == 0 && status == ACCORD_UNSUPPORTED)
        return accordi_fail(
            asker->error, ACCORD_UNSUPPORTED,
            "the order is neither a chain of fused sums or multiply-adds nor one of pairwise "
            "groups, so no known kind of machine computes it; accord reveal shows more");
    return status;
}
