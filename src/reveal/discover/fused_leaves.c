/* The star test: whether all children of a fused node except one are single terms.
 *
 * In a fused node all terms are aligned with the largest one and truncated to multiples of a
 * quantum q. Beside a mask in the node, a term of q/2 is lost if it is a child by itself, but two
 * such terms that are first added in one child arrive as q. Let x, y, z be terms in three different
 * children, none of which contains the pivot (three pair tests show that). One probe has masks at
 * the pivot and x, another has masks at y and z; so for every child with two terms there is a probe
 * without a mask in that child, and its result shows the child. Two more conditions are tested:
 * terms of q must all be kept (otherwise q is not the quantum), and terms of 3q/8 beside a single
 * mask of either sign must be lost (they are not if an implementation sorts its terms). This takes
 * nine probes; the quantum is measured once. */
#include "reveal/discover/split.h"
#include <math.h>

enum { STAR_FROM = 4, TRIES = 3 };

static accordi_request *raw(run *r, task *t, group *g, uint32_t a, uint32_t b, double amount,
                            double *answer)
{
    accordi_request *request =
        accordi_split_request(r, t, ACCORDI_RAW, a, r->items + g->lo, g->hi - g->lo);
    request->b = b;
    request->extra = ACCORD_TREE_NO_NODE;
    request->mask = r->asker->mask;
    request->amount = amount;
    request->raw = answer;
    return request;
}

/* Brings terms known to be at the top to the front of the group; false if there are too few. */
static bool gather_top(run *r, group *g)
{
    uint32_t top = g->base + g->hi - g->lo, found = 0;
    for (uint32_t i = g->lo; i < g->hi && found < STAR_TERMS; i++)
        if (r->level[r->items[i]] == top)
            accordi_swap_items(r, i, g->lo + found++);
    return found == STAR_TERMS;
}

/* Asks how much a mask leaves of smaller and smaller terms, at drops from `first` in steps of
 * `step`. */
static void ask_drops(run *r, task *t, group *g, int first, int step)
{
    for (int k = 0; k < QUANTUM_STEPS; k++) {
        g->raw[k] = 0;
        double amount = ldexp(r->asker->mask, -first - k * step);
        if (amount < r->asker->unit)
            break;
        accordi_request *request =
            raw(r, t, g, r->items[t->lo], r->items[g->lo], amount, &g->raw[k]);
        request->items = r->items + g->lo + 1;
        request->count = 1;
    }
}

static int drops_kept(const group *g)
{
    int kept = 0;
    while (kept < QUANTUM_STEPS && g->raw[kept] != 0)
        kept++;
    return kept;
}

/* The quantum, in two rounds: steps of 8, then of 1. */
static void ask_quantum(run *r, task *t, group *g)
{
    r->measuring = true;
    r->quantum_tries++;
    ask_drops(r, t, g, QUANTUM_STEP, QUANTUM_STEP);
    g->state = GROUP_QUANTUM;
}

static void take_steps(run *r, task *t, group *g)
{
    g->drop = drops_kept(g) * QUANTUM_STEP;
    ask_drops(r, t, g, g->drop + 1, 1);
    g->state = GROUP_FINER;
}

static void take_quantum(run *r, group *g)
{
    g->drop += drops_kept(g);
    r->asker->quantum = g->drop ? ldexp(r->asker->mask, -g->drop) : 0;
    r->measuring = false;
}

/* The first pair of masks turns most of the others away. */
static void ask_glance(run *r, task *t, group *g)
{
    double q = g->quantum = r->asker->quantum;
    uint32_t s = r->items[t->lo];
    raw(r, t, g, s, r->items[g->lo], q, &g->raw[0]);
    raw(r, t, g, s, r->items[g->lo], q / 2, &g->raw[1]);
    g->state = GROUP_GLANCE;
}

static double all_quanta(const run *r, const group *g)
{
    return (double)(g->hi - g->lo - 1) * g->quantum * r->asker->scale;
}

static void ask_star(run *r, task *t, group *g)
{
    double q = g->quantum;
    uint32_t s = r->items[t->lo];
    const uint32_t *x = r->items + g->lo;
    raw(r, t, g, x[1], x[2], q, &g->raw[2])->extra = s;
    raw(r, t, g, x[1], x[2], q / 2, &g->raw[3])->extra = s;
    raw(r, t, g, s, ACCORD_TREE_NO_NODE, 0.375 * q, &g->raw[4]);
    raw(r, t, g, s, ACCORD_TREE_NO_NODE, -0.375 * q, &g->raw[5])->mask = -r->asker->mask;
    for (int i = 0; i < STAR_TERMS; i++) {
        g->couple[2 * i] = x[i];
        g->couple[2 * i + 1] = x[(i + 1) % STAR_TERMS];
        accordi_test_pair(r, t, g->couple + 2 * i, s, &g->coupled[i]);
    }
    g->state = GROUP_STAR;
}

static bool star_holds(const run *r, const group *g)
{
    double mask = r->asker->mask * r->asker->scale;
    return !g->coupled[0] && !g->coupled[1] && !g->coupled[2] && g->raw[2] == all_quanta(r, g) &&
           g->raw[3] == 0 && g->raw[4] == mask && g->raw[5] == -mask;
}

bool accordi_star_start(run *r, task *t, group *g)
{
    if (g->doubted || g->hi - g->lo < STAR_FROM || !gather_top(r, g))
        return false;
    if (r->asker->quantum != 0)
        ask_glance(r, t, g);
    else if (r->measuring)
        g->state = GROUP_FUSED;
    else
        ask_quantum(r, t, g);
    return true;
}

static enum accordi_star no_star(run *r, group *g)
{
    /* the quantum may have been measured inside a child */
    if (r->quantum_tries < TRIES && g->quantum == r->asker->quantum)
        r->asker->quantum = 0;
    g->doubted = true;
    return ACCORDI_NO_STAR;
}

static enum accordi_star take_star(run *r, group *g)
{
    if (!star_holds(r, g))
        return no_star(r, g);
    r->quantum_tries = TRIES; /* it holds */
    for (uint32_t i = g->lo; i < g->hi; i++)
        r->forest->parent[r->items[i]] = g->node;
    return ACCORDI_STAR;
}

enum accordi_star accordi_star_step(run *r, task *t, group *g)
{
    switch (g->state) {
    case GROUP_FUSED:
        accordi_star_start(r, t, g);
        return ACCORDI_STAR_ASKED;
    case GROUP_QUANTUM:
        take_steps(r, t, g);
        return ACCORDI_STAR_ASKED;
    case GROUP_FINER:
        take_quantum(r, g);
        if (r->asker->quantum / 4 < r->asker->unit)
            return no_star(r, g);
        ask_glance(r, t, g);
        return ACCORDI_STAR_ASKED;
    case GROUP_GLANCE:
        if (g->raw[0] != all_quanta(r, g) || g->raw[1] != 0)
            return no_star(r, g);
        ask_star(r, t, g);
        return ACCORDI_STAR_ASKED;
    default:
        return take_star(r, g);
    }
}
