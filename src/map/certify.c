/* Tests every member of a class against the order that some of them revealed.
 *
 * Uniform probes: each grid puts one probe to all elements. Orders of few terms are proven whole,
 * node by node (reveal/prove/prove.c); binary orders of many terms are verified by packed triples
 * (reveal/discover/verify.c), which a wrong order passes with small probability only; fused ones,
 * and those in formats without room for nested masks, by counts at random nodes. Members that
 * answer otherwise than most leave the class (sort.c). Mask and unit are calibrated with spread
 * probes first, which is cheap. */
#include "map/map.h"
#include "reveal/discover/guess.h"
#include "reveal/probes/leaf_order.h"
#include "reveal/prove/certificate.h"
#include <math.h>

enum { PROVE_UP_TO = 128, PROVE_NARROW_UP_TO = 1024, SAMPLES = 256 };

/* Grids that a whole proof takes, at most. */
static uint64_t proof_grids(const accord_tree *tree)
{
    uint64_t pairs = 0;
    for (uint32_t k = 0; k < tree->inner; k++) {
        uint64_t children = tree->first[k + 1] - tree->first[k];
        pairs += children * (children - 1) / 2;
    }
    return pairs;
}

/* A random leaf under each of two random children of random nodes: do as many units survive as
 * there are leaves outside the node? Some leaves carry no unit where sums of all are not exact. */
static void ask_some_nodes(accordi_asker *asker, const accord_tree *tree, bool *holds)
{
    accordi_layout l;
    uint64_t most = accordi_ask_capacity(asker);
    if (accordi_layout_init(asker, tree, &l))
        return;
    uint32_t n = tree->leaves, units = n - 2 <= most ? n : (uint32_t)most, due[SAMPLES];
    bool whole = units == n;
    accordi_ask_begin(asker, whole ? asker->unit : 0);
    for (uint32_t i = 0; i < units && !whole; i++) /* neighbors in the order of the tree */
        accordi_ask_stay(asker, l.leaf[i], asker->unit);
    for (int s = 0; s < SAMPLES; s++) {
        uint32_t k = (uint32_t)accordi_rng_below(&asker->rng, tree->inner);
        uint32_t children = tree->first[k + 1] - tree->first[k], pick[2];
        pick[0] = (uint32_t)accordi_rng_below(&asker->rng, children);
        pick[1] = (uint32_t)accordi_rng_below(&asker->rng, children - 1);
        pick[1] += pick[1] >= pick[0];
        for (int i = 0; i < 2; i++)
            accordi_ask_own(asker,
                            accordi_layout_leaf(asker, &l, tree->child[tree->first[k] + pick[i]]),
                            i ? -asker->mask : asker->mask);
        uint32_t from = l.start[k] < units ? l.start[k] : units;
        uint32_t to = l.start[k] + l.size[k] < units ? l.start[k] + l.size[k] : units;
        due[s] = units - (to - from);
        accordi_ask_end(asker);
    }
    accordi_ask_run(asker);
    for (int s = 0; s < SAMPLES && !asker->status; s++)
        *holds = *holds && rint(asker->result[s] / (asker->unit * asker->scale)) == due[s];
    accordi_layout_clear(&l);
}

static void ask_all_nodes(accordi_asker *asker, const accord_tree *tree, bool *holds)
{
    accordi_certificate certificate = {0};
    bool binary = tree->inner + 1 == tree->leaves, nested = accordi_verify_levels(asker) > 0;
    asker->stage = "certifying";
    *holds = true;
    if (proof_grids(tree) <= (nested ? PROVE_UP_TO : PROVE_NARROW_UP_TO))
        accordi_prove(asker, tree, &certificate, holds);
    else if (binary && nested)
        accordi_verify(asker, tree, holds);
    else
        ask_some_nodes(asker, tree, holds);
}

/* Calibrated by spread probes, or, where members contradict each other, by one member alone. */
static enum accord_status calibrate_class(accordi_member *t, accordi_asker *asker, size_t id)
{
    accordi_mapper *m = t->mapper;
    enum accord_status status = accordi_calibrate(asker);
    if (status != ACCORD_UNABLE)
        return status;
    uint64_t asked = t->asked;
    accordi_member_clear(t);
    status = accordi_member_init(t, m, id, true);
    t->asked = asked;
    accordi_ask_factors(asker, false); /* of the target as made anew */
    asker->status = ACCORD_OK;
    return status ? status : accordi_calibrate(asker);
}

enum accord_status accordi_map_certify(accordi_mapper *m, size_t id, bool *holds)
{
    accordi_member t;
    accordi_asker asker;
    double from = accordi_now();
    *holds = true;
    enum accord_status status = accordi_member_init(&t, m, id, false);
    if (status || m->n == 1) {
        accordi_member_clear(&t);
        return status;
    }
    accordi_ask_init(&asker, &t.target, accordi_rng_next(&m->rng), m->error);
    asker.proof_follows = m->each[id].record.proven;
    accord_reveal_options rest = {.budget_calls = 0};
    accordi_mapper_rest(m, t.target.at_once, &rest);
    asker.budget_calls = rest.budget_calls;
    asker.budget_seconds = rest.budget_seconds;
    asker.began = from;
    asker.progress = m->options->progress;
    asker.progress_context = m->options->progress_context;
    status = calibrate_class(&t, &asker, id);
    if (!status) {
        t.uniform = true;
        ask_all_nodes(&asker, m->each[id].record.tree, holds);
        status = asker.status;
    } else if (status == ACCORD_UNABLE) {
        *holds = false;
        status = ACCORD_OK;
    }
    if (asker.spent)
        status = accordi_mapper_spent(m);
    m->each[id].record.certificate_calls += (int64_t)t.asked;
    m->each[id].record.certificate_seconds += accordi_now() - from;
    accordi_ask_clear(&asker);
    accordi_member_clear(&t);
    return status;
}
