/* Finds the children of a fused node, given a class of terms that all join the path at that node.
 *
 * One child of the node contains the pivot; the terms of the class are distributed over the other
 * children. Often all of these are single terms (the products of a matrix accelerator's step):
 * fused_leaves.c tests for that. Otherwise children are peeled off one at a time: a new pivot is
 * chosen in the class, and the terms that join it below the node are split off as a task of their
 * own; the remaining terms are treated in the same way. If a term of the class turns out to join
 * the pivot's side below the node, it is moved to a lower group. A part that was peeled off may be
 * only a part of a child, since it is split off as soon as a few terms are known to join at the
 * top. So all parts are compared in pairs. Parts of the same child are merged; they are then known
 * to be a complete clade, which becomes a task. */
#include "reveal/discover/split.h"

enum { DOUBTS = 4 };

void accordi_test_pair(run *r, task *t, const uint32_t *two, uint32_t sentinel, uint32_t *answer)
{
    accordi_split_request(r, t, ACCORDI_TEST, sentinel, two, 2)->answer = answer;
}

static bool add_part(run *r, group *g)
{
    if (!accordi_ask_grow(r->asker, (void **)&g->part, &g->capacity, (size_t)g->parts + 1,
                          sizeof *g->part))
        return false;
    g->part[g->parts++] = g->rest;
    return true;
}

void accordi_peel_took(run *r, group *g, uint32_t rest)
{
    if (!add_part(r, g))
        return;
    g->rest = rest;
    g->state = GROUP_REST;
    for (uint32_t i = rest; i < g->hi; i++)
        r->level[r->items[i]] = 0;
}

/* Which parts belong to one child? Those with the pivot not under their terms' LCA. */
static void ask_comparison(run *r, task *t, group *g)
{
    uint32_t m = g->parts, p = 0;
    size_t pairs = (size_t)m * (m - 1) / 2;
    g->pair = accordi_ask_alloc(r->asker, 2 * pairs, sizeof *g->pair);
    g->together = accordi_ask_calloc(r->asker, pairs, sizeof *g->together);
    if (!g->pair || !g->together)
        return;
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = i + 1; j < m; j++, p++) {
            g->pair[2 * p] = r->items[g->part[i]];
            g->pair[2 * p + 1] = r->items[g->part[j]];
            accordi_test_pair(r, t, g->pair + 2 * p, r->items[t->lo], &g->together[p]);
        }
    g->state = GROUP_COMPARING;
}

typedef struct placing {
    uint32_t child;    /* the first part of the same child */
    uint32_t size, to; /* terms; where the part's range begins from now on */
} placing;

/* The pieces of parts that stay move with them; those of joined parts are dropped. */
static void move_pieces(task *t, const group *g, const placing *place, const uint32_t *joined)
{
    for (piece **at = &t->pieces; *at;) {
        piece *p = *at;
        uint32_t i = g->parts;
        if (p->lo >= g->lo && p->lo < g->hi)
            for (i = 0; i + 1 < g->parts && g->part[i + 1] <= p->lo;)
                i++;
        if (i < g->parts && joined[place[i].child] > 1) {
            *at = p->next;
            free(p);
            continue;
        }
        if (i < g->parts) {
            p->hi = p->hi - g->part[i] + place[i].to;
            p->lo = p->lo - g->part[i] + place[i].to;
        }
        at = &p->next;
    }
}

/* Brings the parts of each child together in the range; children of several parts become pieces. */
static void join_parts(run *r, task *t, group *g, placing *place, uint32_t *joined, uint32_t *old)
{
    uint32_t to = g->lo;
    memcpy(old, r->items + g->lo, (g->hi - g->lo) * sizeof *old);
    for (uint32_t c = 0; c < g->parts; c++)
        for (uint32_t i = c; i < g->parts; i++)
            if (place[i].child == c) {
                memcpy(r->items + to, old + (g->part[i] - g->lo), place[i].size * sizeof *old);
                place[i].to = to;
                to += place[i].size;
                joined[c]++;
            }
    move_pieces(t, g, place, joined);
    for (uint32_t c = 0; c < g->parts; c++) {
        uint32_t hi = place[c].to;
        for (uint32_t i = c; i < g->parts; i++)
            hi += place[i].child == c ? place[i].size : 0;
        if (joined[c] > 1)
            accordi_split_attach(r, t, place[c].to, hi, g->node);
    }
}

static void take_comparison(run *r, task *t, group *g)
{
    uint32_t m = g->parts, p = 0;
    placing *place = accordi_ask_alloc(r->asker, m, sizeof *place);
    uint32_t *joined = accordi_ask_calloc(r->asker, m, sizeof *joined);
    uint32_t *old = accordi_ask_alloc(r->asker, g->hi - g->lo, sizeof *old);
    bool any = false;
    for (uint32_t i = 0; i < m && !r->asker->status; i++)
        place[i] = (placing){i, (i + 1 < m ? g->part[i + 1] : g->hi) - g->part[i], 0};
    for (uint32_t i = 0; i < m && !r->asker->status; i++)
        for (uint32_t j = i + 1; j < m; j++, p++)
            if (g->together[p]) {
                any = true;
                if (place[i].child == i)
                    place[j].child = i;
            }
    if (any && !r->asker->status)
        join_parts(r, t, g, place, joined, old);
    free(place);
    free(joined);
    free(old);
    g->state = GROUP_PEELED;
}

static void end_peeling(run *r, task *t, group *g)
{
    if (g->parts < 2)
        g->state = GROUP_PEELED;
    else
        ask_comparison(r, t, g);
}

/* Asks whether the first term of the rest joins the pivot here, not below, and whether the rest is
 * one part. */
static void ask_rest(run *r, task *t, group *g)
{
    g->couple[0] = r->items[t->lo];
    g->couple[1] = r->items[g->rest];
    accordi_test_pair(r, t, g->couple, r->items[g->lo], &g->coupled[0]);
    accordi_test_ask(r, t, g->rest, g->hi, r->items[t->lo]);
    g->state = GROUP_CHOOSING;
}

static void peel_group(run *r, task *t, group *g)
{
    g->state = GROUP_PEELING;
    accordi_split_spawn(
        r, (task){.lo = g->rest, .hi = g->hi, .kind = TASK_PEEL, .owner = t, .served = g});
}

/* The terms that join below become a group of their own, before this one in the list. */
static void sink_group(run *r, task *t, group *g)
{
    uint32_t hi = g->hi;
    for (uint32_t i = g->rest; i < hi;)
        if (!r->side[r->items[i]])
            accordi_swap_items(r, i, --hi);
        else
            i++;
    group *low = accordi_group_new(r, hi, g->hi, g->base), **at = &t->groups;
    if (!low)
        return;
    while (*at != g)
        at = &(*at)->next;
    *at = low;
    low->next = g;
    low->fresh = false;
    for (uint32_t i = low->lo; i < low->hi; i++)
        r->level[r->items[i]] = 0;
    g->base += low->hi - low->lo;
    g->hi = hi;
    g->state = GROUP_REST;
}

/* The first part is peeled at a term known to be at the top. */
static void handle_rest(run *r, task *t, group *g)
{
    if (g->rest == g->hi) {
        end_peeling(r, t, g);
    } else if (accordi_by_value_start(r, t, g)) {
        return;
    } else if (g->rest > g->lo) {
        ask_rest(r, t, g);
    } else {
        uint32_t top = g->base + g->hi - g->lo, at = g->lo;
        while (at + 1 < g->hi && r->level[r->items[at]] < top)
            at++;
        accordi_swap_items(r, g->lo, at);
        peel_group(r, t, g);
    }
}

static void take_choice(run *r, task *t, group *g)
{
    if (g->coupled[0] && g->hi - g->rest == 1) {
        r->side[r->items[g->rest]] = 0;
        sink_group(r, t, g);
        handle_rest(r, t, g);
    } else if (g->coupled[0]) { /* it joins below: so do all on its side */
        accordi_request *request = accordi_split_request(
            r, t, ACCORDI_READ, r->items[t->lo], r->items + g->rest + 1, g->hi - g->rest - 1);
        request->b = r->items[g->rest];
        request->answer = r->side;
        r->side[r->items[g->rest]] = 0;
        g->state = GROUP_SINKING;
    } else if (accordi_test_passed(r, g->rest, g->hi)) {
        if (add_part(r, g))
            accordi_split_attach(r, t, g->rest, g->hi, g->node);
        g->rest = g->hi;
        end_peeling(r, t, g);
    } else {
        peel_group(r, t, g);
    }
}

void accordi_peel_start(run *r, task *t, group *g)
{
    g->rest = g->lo;
    if (!g->node)
        g->node = accordi_split_node(r);
    if (g->node != ACCORD_TREE_NO_NODE && !accordi_star_start(r, t, g))
        handle_rest(r, t, g);
}

static bool any_unknown(const run *r, const group *g)
{
    for (uint32_t i = g->lo; i < g->hi; i++)
        if (!r->level[r->items[i]])
            return true;
    return false;
}

/* Either its children are larger, or it has terms that join lower down: some counts more tell the
 * latter for less than peeling would cost. */
static void take_star(run *r, task *t, group *g)
{
    enum accordi_star found = accordi_star_step(r, t, g);
    if (found == ACCORDI_STAR)
        g->state = GROUP_PEELED;
    else if (found == ACCORDI_NO_STAR && t->exact && any_unknown(r, g))
        accordi_group_count(r, t, g, DOUBTS);
    else if (found == ACCORDI_NO_STAR)
        handle_rest(r, t, g);
}

void accordi_peel_step(run *r, task *t, group *g)
{
    switch (g->state) {
    case GROUP_FUSED:
    case GROUP_QUANTUM:
    case GROUP_FINER:
    case GROUP_GLANCE:
    case GROUP_STAR:
        take_star(r, t, g);
        break;
    case GROUP_REST:
        handle_rest(r, t, g);
        break;
    case GROUP_QUESTIONING:
        if (!accordi_by_value_fails(r, g))
            handle_rest(r, t, g);
        break;
    case GROUP_CHOOSING:
        take_choice(r, t, g);
        break;
    case GROUP_SINKING:
        sink_group(r, t, g);
        handle_rest(r, t, g);
        break;
    case GROUP_COMPARING:
        take_comparison(r, t, g);
        break;
    default: /* a peeling is under way */
        break;
    }
}
