/* Fused nodes: a class of which no part joins before the others.
 *
 * The node has the pivot's side as one child, and the class falls into its other children. Often
 * all of them are single terms (a matrix accelerator's group of products): the star test sees that
 * in eight probes. In a fused node all terms are aligned with the largest and cut off at a
 * quantum q. With a mask in the node, terms of q/2 vanish when they come one by one, and two of
 * them that meet earlier, in one child, come through as q. Three disjoint pairs of masks leave no
 * two terms unexamined; terms of q must all come through (else q is not the quantum); and terms
 * of q/4 beside a lone mask of either sign must vanish, as they do not where an implementation
 * sorts its terms.
 *
 * Otherwise the children are peeled off one at a time: a pivot of their own, its path up to the
 * node (a task), and what is left is the rest. That a term of the class does not really join the
 * pivot's side lower down, and that no two peeled children are parts of one, is tested last, two
 * by two; if it fails, all is done again with every term counted (run->careful). */
#include "reveal/split.h"
#include <math.h>

enum { STAR_FROM = 5, ALL_PAIRS = 48, RANDOM_PAIRS = 4 };

static void test_pair(run *r, task *t, const uint32_t *two, uint32_t sentinel, uint32_t *answer)
{
    accordi_request *request = accordi_split_request(r, t, ACCORDI_TEST);
    request->a = sentinel;
    request->items = two;
    request->count = 2;
    request->answer = answer;
}

static accordi_request *raw(run *r, task *t, group *g, uint32_t a, uint32_t b, double amount,
                            double *answer)
{
    accordi_request *request = accordi_split_request(r, t, ACCORDI_RAW);
    request->a = a;
    request->b = b;
    request->extra = ACCORD_TREE_NO_NODE;
    request->mask = r->asker->mask;
    request->items = r->items + g->lo;
    request->count = g->hi - g->lo;
    request->amount = amount;
    request->raw = answer;
    return request;
}

/* What does a mask leave of smaller and smaller terms? */
static void ask_quantum(run *r, task *t, group *g)
{
    for (int k = 0; k < QUANTUM_STEPS; k++) {
        g->raw[k] = 0;
        double amount = ldexp(r->asker->mask, -1 - k);
        if (amount < r->asker->unit)
            break;
        accordi_request *request =
            raw(r, t, g, r->items[t->lo], r->items[g->lo], amount, &g->raw[k]);
        request->items = r->items + g->lo + 1;
        request->count = 1;
    }
    g->state = GROUP_QUANTUM;
}

static void take_quantum(run *r, const group *g)
{
    int kept = 0;
    while (kept < QUANTUM_STEPS && g->raw[kept] != 0)
        kept++;
    r->asker->quantum = kept ? ldexp(r->asker->mask, -kept) : 0;
}

static void ask_star(run *r, task *t, group *g)
{
    double q = r->asker->quantum;
    uint32_t s = r->items[t->lo];
    const uint32_t *x = r->items + g->lo;
    for (int p = 0; p < STAR_PAIRS; p++) {
        uint32_t a = p ? x[2 * p - 1] : s, b = x[2 * p];
        for (int half = 0; half < 2; half++) {
            accordi_request *request = raw(r, t, g, a, b, half ? q / 2 : q, &g->raw[2 * p + half]);
            if (p)
                request->extra = s;
        }
        if (p)
            test_pair(r, t, x + 2 * p - 1, s, &g->coupled[p]);
    }
    g->couple[0] = s;
    g->couple[1] = x[0];
    test_pair(r, t, g->couple, x[1], &g->coupled[0]);
    for (int sign = 0; sign < 2; sign++) {
        accordi_request *request = raw(r, t, g, s, ACCORD_TREE_NO_NODE, sign ? -q / 4 : q / 4,
                                       &g->raw[2 * STAR_PAIRS + sign]);
        request->mask = sign ? -r->asker->mask : r->asker->mask;
    }
    g->state = GROUP_STAR;
}

static bool star_holds(const run *r, const group *g)
{
    double scale = r->asker->scale;
    double all = (double)(g->hi - g->lo - 1) * r->asker->quantum * scale;
    bool holds = true;
    for (int p = 0; p < STAR_PAIRS; p++)
        holds = holds && g->raw[2 * p] == all && g->raw[2 * p + 1] == 0 && !g->coupled[p];
    return holds && g->raw[2 * STAR_PAIRS] == r->asker->mask * scale &&
           g->raw[2 * STAR_PAIRS + 1] == -r->asker->mask * scale;
}

static void add_child(run *r, group *g, uint32_t term)
{
    if (g->children == g->capacity) {
        uint32_t capacity = 2 * g->capacity + 8;
        uint32_t *grown = realloc(g->child, capacity * sizeof *grown);
        if (!grown) {
            r->status = accordi_nomem(r->asker->error);
            return;
        }
        g->child = grown;
        g->capacity = capacity;
    }
    g->child[g->children++] = term;
}

void accordi_peel_took(run *r, group *g, uint32_t term, uint32_t lo)
{
    add_child(r, g, term);
    g->rest = lo;
    g->state = GROUP_REST;
    for (uint32_t i = lo; i < g->hi; i++)
        r->level[r->items[i]] = 0;
}

/* No two children may be parts of one: under the LCA of a term of each lies the pivot. */
static void ask_comparison(run *r, task *t, group *g)
{
    uint32_t m = g->children;
    bool all = m <= ALL_PAIRS;
    g->pairs = all ? m * (m - 1) / 2 : RANDOM_PAIRS * m;
    g->pair = accordi_alloc(2 * (size_t)g->pairs, sizeof *g->pair);
    g->apart = accordi_calloc(g->pairs, sizeof *g->apart);
    if (!g->pair || !g->apart) {
        r->status = accordi_nomem(r->asker->error);
        return;
    }
    uint32_t i = 0, j = 1;
    for (uint32_t p = 0; p < g->pairs; p++) {
        if (!all) {
            i = (uint32_t)accordi_rng_below(&r->asker->rng, m);
            j = (uint32_t)accordi_rng_below(&r->asker->rng, m - 1);
            j += j >= i;
        }
        g->pair[2 * p] = g->child[i];
        g->pair[2 * p + 1] = g->child[j];
        test_pair(r, t, g->pair + 2 * p, r->items[t->lo], &g->apart[p]);
        if (all && ++j == m)
            j = ++i + 1;
    }
    g->state = GROUP_COMPARING;
}

static void end_peeling(run *r, task *t, group *g)
{
    if (r->careful)
        g->state = GROUP_PEELED;
    else
        ask_comparison(r, t, g);
}

static void take_rest(run *r, task *t, group *g)
{
    add_child(r, g, r->items[g->rest]);
    accordi_split_attach(r, t, g->rest, g->hi, g->node);
    end_peeling(r, t, g);
}

static void peel(run *r, task *t, group *g)
{
    g->state = GROUP_PEELING;
    accordi_split_spawn(r, g->rest, g->hi, ACCORD_TREE_NO_NODE, t, g);
}

/* The next child to peel must join the pivot at this node, not below. */
static void choose(run *r, task *t, group *g)
{
    uint32_t top = g->base + g->hi - g->lo, at = g->rest;
    while (at + 1 < g->hi && r->level[r->items[at]] < top)
        at++;
    uint32_t term = r->items[at];
    r->items[at] = r->items[g->rest];
    r->items[g->rest] = term;
    if (r->level[term] == top || r->careful) {
        peel(r, t, g);
        return;
    }
    g->couple[0] = r->items[t->lo];
    g->couple[1] = term;
    test_pair(r, t, g->couple, g->child[0], &g->coupled[0]);
    g->state = GROUP_TOP;
}

static void handle_rest(run *r, task *t, group *g)
{
    if (g->rest == g->lo) {
        choose(r, t, g);
    } else if (g->hi - g->rest == 1) {
        take_rest(r, t, g);
    } else {
        accordi_test_ask(r, t, g->rest, g->hi, r->items[t->lo]);
        g->state = GROUP_RESTING;
    }
}

void accordi_peel_start(run *r, task *t, group *g)
{
    g->node = accordi_forest_node(r->forest);
    g->rest = g->lo;
    if (g->node == ACCORD_TREE_NO_NODE) {
        accordi_split_fail(r, "more nodes than a tree can have");
        return;
    }
    if (g->hi - g->lo < STAR_FROM || r->careful)
        handle_rest(r, t, g);
    else if (r->asker->quantum == 0)
        ask_quantum(r, t, g);
    else
        ask_star(r, t, g);
}

static void take_star(run *r, task *t, group *g)
{
    if (!star_holds(r, g)) {
        r->asker->quantum = 0; /* it may have been measured inside a child */
        handle_rest(r, t, g);
        return;
    }
    for (uint32_t i = g->lo; i < g->hi; i++)
        r->forest->parent[r->items[i]] = g->node;
    g->state = GROUP_PEELED;
}

void accordi_peel_step(run *r, task *t, group *g)
{
    switch (g->state) {
    case GROUP_QUANTUM:
        take_quantum(r, g);
        if (r->asker->quantum / 4 >= r->asker->unit)
            ask_star(r, t, g);
        else
            handle_rest(r, t, g);
        break;
    case GROUP_STAR:
        take_star(r, t, g);
        break;
    case GROUP_REST:
        handle_rest(r, t, g);
        break;
    case GROUP_RESTING:
        if (accordi_test_passed(r, g->rest, g->hi))
            take_rest(r, t, g);
        else
            choose(r, t, g);
        break;
    case GROUP_TOP:
        if (g->coupled[0])
            r->stumbled = true;
        else
            peel(r, t, g);
        break;
    case GROUP_COMPARING:
        for (uint32_t p = 0; p < g->pairs; p++)
            r->stumbled = r->stumbled || g->apart[p];
        g->state = GROUP_PEELED;
        break;
    default: /* a peeling is under way */
        break;
    }
}
