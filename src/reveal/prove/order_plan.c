/* Plans how a whole order is proven at once.
 *
 * In: a binary tree. Out: how many of its levels, from the root down, are split (splits.c);
 * what is left below is proven by paths (order_calls.c).
 *
 * Idea: a level that is split takes nine calls or less, and one of paths at least 156, but one
 * level of paths proves chains of any length. So regular trees are split down to the chains that
 * they are made of, or completely. For each number of levels that may be split, a bound on all
 * calls is known at once; what is exact is worked out for the most promising, until no other bound
 * is less.
 *
 * Bound: O(n) time for each number of levels that is worked out, which is seldom more than one. */
#include "reveal/prove/order_plan.h"
#include "reveal/prove/node_rounds.h"
#include <math.h>

uint64_t accordi_order_rounds_of(const accordi_order_call *call, const accordi_order_proof *proof)
{
    /* Rounds that leave the range are drawn anew. */
    double leaves = proof->leaves, shown = accordi_order_share(call);
    return (uint64_t)ceil(log(proof->error) / log((1 - shown + leaves) / (1 - leaves)));
}

/* ---- what suits ---- */

/* At most this is the chance that some sum of a round leaves the range in which masks swallow just
 * what is below their last place. */
static double leaves_range(double n, int precision)
{
    double room = ldexp(1, precision - 2) - 2;
    if (1.5 * n < room)
        return 0;
    return room > 0 ? 4 * n * exp(-0.53 * room * room / n) : 1;
}

/* Why paths do not suit. */
static const char *paths_unsuited(const accordi_asker *asker, const accordi_order_proof *proof)
{
    int unit;
    if (accord_format_get(asker->format)->precision < proof->precision)
        return "terms have fewer bits than the result";
    if (!accordi_ask_tie_unit(asker, proof->precision, &unit))
        return "the range of the format is too small";
    if (proof->leaves > 1e-3)
        return "there are too many terms for a format of so few bits";
    return NULL;
}

/* ---- choosing ---- */

typedef struct planner {
    accordi_asker *asker;
    accordi_layout layout;
    accordi_splits splits;
    uint32_t *clade;
    uint8_t needed[ACCORDI_MOST_SPLITS + 1]; /* levels of paths below so many that are split */
    uint64_t calls[ACCORDI_MOST_SPLITS + 1]; /* in all, at least; UINT64_MAX: does not suit */
    accordi_order_proof *out;
} planner;

/* Levels of paths that the nodes at each depth need. */
static void count_needed(planner *p)
{
    const accord_tree *tree = p->layout.tree;
    size_t nodes = (size_t)tree->leaves + tree->inner;
    uint8_t *levels = accordi_ask_alloc(p->asker, nodes, 1),
            *room = accordi_ask_alloc(p->asker, nodes, 1);
    if (!p->asker->status) {
        accordi_order_levels_count(&p->layout, levels, room);
        for (uint32_t depth = 0; depth <= ACCORDI_MOST_SPLITS; depth++)
            for (uint32_t i = p->splits.begin[depth]; i < p->splits.begin[depth + 1]; i++) {
                uint8_t own = levels[tree->leaves + p->splits.node[i]];
                p->needed[depth] = own > p->needed[depth] ? own : p->needed[depth];
            }
    }
    free(levels);
    free(room);
}

/* Of paths, only the calls that there are at least. A level more is split only where that leaves a
 * level of paths less. */
static void bound_calls(planner *p, bool splits, bool paths)
{
    const accordi_order_call call = {0};
    uint64_t rounds = paths ? accordi_order_rounds_of(&call, p->out) : 0;
    for (uint32_t i = 0; i <= p->splits.levels; i++) {
        bool suits =
            (i == 0 || (splits && p->needed[i] < p->needed[i - 1])) && (p->needed[i] == 0 || paths);
        p->calls[i] = suits ? accordi_splits_calls(&p->splits, i) * p->out->weights.rounds +
                                  rounds * p->needed[i]
                            : UINT64_MAX;
    }
}

/* All calls, if `split` levels are split. */
static uint64_t count_calls(planner *p, uint32_t split)
{
    accordi_order_levels levels;
    accordi_order_call list[ACCORDI_MOST_CALLS];
    uint64_t calls = accordi_splits_calls(&p->splits, split) * p->out->weights.rounds;
    uint32_t clades = accordi_splits_rest(&p->splits, split, p->clade);
    if (p->needed[split] == 0 ||
        accordi_order_levels_init(p->asker, &p->layout, p->clade, clades, &levels))
        return calls;
    for (uint32_t i = accordi_order_list_calls(&levels, list); i-- > 0;)
        calls += accordi_order_rounds_of(&list[i], p->out);
    accordi_order_levels_clear(&levels);
    return calls;
}

static void choose(planner *p)
{
    accordi_order_proof *out = p->out;
    out->calls = UINT64_MAX;
    while (!p->asker->status) {
        uint32_t best = 0;
        for (uint32_t i = 1; i <= p->splits.levels; i++)
            best = p->calls[i] < p->calls[best] ? i : best;
        if (p->calls[best] >= out->calls)
            return;
        uint64_t calls = count_calls(p, best);
        if (calls < out->calls) {
            out->calls = calls;
            out->splits = best;
            out->levels = p->needed[best];
            out->paths = calls - accordi_splits_calls(&p->splits, best) * out->weights.rounds;
        }
        p->calls[best] = UINT64_MAX;
    }
}

static enum accord_status plan(planner *p, const accord_tree *tree)
{
    accordi_order_proof *out = p->out;
    accordi_asker *asker = p->asker;
    const char *no_splits = accordi_splits_unsuited(asker, tree),
               *no_paths = paths_unsuited(asker, out);
    const accordi_order_call call = {0};
    if (!no_splits)
        out->weights = accordi_splits_weigh(asker, tree->leaves, out->error);
    bool splits = out->weights.rounds > 0;
    out->rounds = no_paths ? 0 : accordi_order_rounds_of(&call, out);
    out->unsuited = no_paths && !splits ? no_paths : NULL;
    if (out->unsuited || accordi_layout_plain(asker, tree, &p->layout) ||
        accordi_splits_init(asker, &p->layout, &p->splits))
        return asker->status;
    p->clade = accordi_ask_alloc(asker, p->splits.most, sizeof *p->clade);
    count_needed(p);
    if (asker->status)
        return asker->status;
    bound_calls(p, splits, !no_paths);
    choose(p);
    if (!asker->status && out->calls == UINT64_MAX)
        out->unsuited = no_paths;
    return asker->status;
}

enum accord_status accordi_order_plan(accordi_asker *asker, const accord_tree *tree, double error,
                                      accordi_order_proof *out)
{
    int precision = accord_format_get(asker->target->output)->precision;
    planner p = {.asker = asker, .out = out};
    *out = (accordi_order_proof){.unsuited = accordi_not_plain(asker, tree),
                                 .precision = precision,
                                 .leaves = leaves_range(tree->leaves, precision),
                                 .error = error};
    if (!asker->status && !out->unsuited)
        plan(&p, tree);
    free(p.clade);
    accordi_splits_clear(&p.splits);
    accordi_layout_clear(&p.layout);
    return asker->status;
}
