/* Splits the terms along a path of the tree into classes (the terms of a class join it at one
 * node): groups of neighboring classes are cut in two until each is one class. */
#include "reveal/discover/split.h"

enum {
    FIRST_COUNTS = 6,
    SECOND_COUNTS = 14,
    MORE_COUNTS = 3,
    FEW = 12,
    SPAN = 3,
    LONGEST_SPAN = 64,
    PEEL_COUNTS = 4
};

/* Terms in one window of a test: its masks must be terms, and their sums exact. */
static uint32_t terms_in_window(const run *r)
{
    int precision = accord_format_get(r->asker->format)->precision;
    double most = precision < 24 ? (double)(1u << precision) : 16777216.0;
    return 1 + (uint32_t)(r->asker->headroom < most ? r->asker->headroom : most);
}

/* +M on all terms of a window but one, -(size-1)M there: no part of them cancels, so all that
 * lies under their LCA is swallowed. Neighboring windows share a term, so that clades without the
 * sentinel join to one. */
void accordi_test_ask(run *r, const task *t, uint32_t lo, uint32_t hi, uint32_t sentinel)
{
    uint32_t step = terms_in_window(r) - 1;
    for (uint32_t at = lo; at + 1 < hi; at += step) {
        uint32_t count = hi - at < step + 1 ? hi - at : step + 1;
        accordi_split_request(r, t, ACCORDI_TEST, sentinel, r->items + at, count)->answer =
            &r->side[r->items[at]];
    }
}

bool accordi_test_passed(const run *r, uint32_t lo, uint32_t hi)
{
    uint32_t step = terms_in_window(r) - 1;
    bool passed = true;
    for (uint32_t at = lo; at + 1 < hi; at += step)
        passed = passed && r->side[r->items[at]];
    return passed;
}

static void ask_count(run *r, const task *t, uint32_t term)
{
    const uint32_t *items = r->items + t->lo;
    accordi_request *request =
        accordi_split_request(r, t, ACCORDI_COUNT, items[0], items, t->hi - t->lo);
    request->b = term;
    request->answer = &r->level[term];
}

void accordi_group_count(run *r, task *t, group *g, uint32_t most)
{
    uint32_t unknown = g->lo;
    for (uint32_t i = g->lo; i < g->hi; i++)
        if (r->level[r->items[i]])
            accordi_swap_items(r, i, unknown++);
    for (uint32_t i = unknown; i < g->hi && i < unknown + most; i++) {
        accordi_swap_items(r, i, i + (uint32_t)accordi_rng_below(&r->asker->rng, g->hi - i));
        ask_count(r, t, r->items[i]);
    }
    g->state = GROUP_COUNTING;
}

/* Reads on which side of the class of items[at] the others lie. */
static void ask_read(run *r, task *t, group *g, uint32_t at)
{
    accordi_swap_items(r, g->lo, at);
    g->pivot = r->items[g->lo];
    accordi_request *request = accordi_split_request(r, t, ACCORDI_READ, r->items[t->lo],
                                                     r->items + g->lo + 1, g->hi - g->lo - 1);
    request->b = g->pivot;
    request->answer = r->side;
    g->state = GROUP_READING;
}

static group *cut_group(run *r, group *g, uint32_t at)
{
    group *high = accordi_group_new(r, at, g->hi, g->base + at - g->lo);
    if (!high)
        return NULL;
    high->next = g->next;
    high->fresh = false;
    g->next = high;
    g->hi = at;
    g->tested = g->doubted = false;
    high->walking = g->walking;
    g->walking = false;
    return high;
}

static void take_read(run *r, const task *t, group *g)
{
    uint32_t inside = g->lo + 1;
    for (uint32_t i = g->lo + 1; i < g->hi; i++)
        if (!r->side[r->items[i]])
            accordi_swap_items(r, i, inside++);
    uint32_t level = g->base + inside - g->lo;
    if (t->exact && r->level[g->pivot] && r->level[g->pivot] != level) {
        accordi_split_fail(r, "two probes give different sizes for the same class");
        return;
    }
    r->level[g->pivot] = level;
    if (inside < g->hi)
        cut_group(r, g, inside);
    g->state = GROUP_DECIDE;
}

/* All levels are known: cut at each change. The sizes must agree with them. */
static void cut_by_level(run *r, group *g)
{
    uint32_t count = g->hi - g->lo;
    uint64_t *key = accordi_ask_alloc(r->asker, count, sizeof *key);
    if (!key)
        return;
    for (uint32_t i = 0; i < count; i++)
        key[i] = (uint64_t)r->level[r->items[g->lo + i]] << 32 | r->items[g->lo + i];
    qsort(key, count, sizeof *key, accordi_by_number);
    for (uint32_t i = 0; i < count; i++)
        r->items[g->lo + i] = (uint32_t)key[i];
    uint32_t lo = g->lo, base = g->base;
    for (uint32_t i = 1; i <= count && g; i++) {
        if (i < count && key[i] >> 32 == key[i - 1] >> 32)
            continue;
        if (key[i - 1] >> 32 != base + i) {
            accordi_split_fail(r, "the classes do not have the sizes that probes count");
            break;
        }
        if (i < count)
            g = cut_group(r, g, lo + i);
    }
    free(key);
}

typedef struct survey {
    uint32_t known, at_top, distinct;
    uint32_t best; /* position of the known term below the top that is nearest the middle */
    uint32_t lowest, twins; /* position of a term of the lowest level known; how many have it */
} survey;

static survey look(const run *r, const group *g)
{
    survey s = {.best = UINT32_MAX};
    uint32_t top = g->base + g->hi - g->lo, middle = g->base + (g->hi - g->lo) / 2;
    uint32_t best_distance = UINT32_MAX, seen[32], kept = 0;
    for (uint32_t i = g->lo; i < g->hi; i++) {
        uint32_t level = r->level[r->items[i]];
        if (!level)
            continue;
        s.known++;
        bool old = false;
        for (uint32_t k = 0; k < kept; k++)
            old = old || seen[k] == level;
        s.distinct += !old;
        bool lower = s.twins == 0 || level < r->level[r->items[s.lowest]];
        if (lower)
            s.lowest = i;
        s.twins = lower ? 1 : s.twins + (level == r->level[r->items[s.lowest]]);
        if (!old && kept < 32)
            seen[kept++] = level;
        if (level >= top) {
            s.at_top++;
            continue;
        }
        uint32_t distance = level > middle ? level - middle : middle - level;
        if (distance < best_distance) {
            best_distance = distance;
            s.best = i;
        }
    }
    return s;
}

static void ask_more(run *r, task *t, group *g, uint32_t counts)
{
    uint32_t count = g->hi - g->lo, at = g->lo;
    if (t->exact && count > FEW) {
        accordi_group_count(r, t, g, counts);
        return;
    }
    if (count > FEW) /* the first one of a path may cut off no other term */
        at += (uint32_t)accordi_rng_below(&r->asker->rng, count);
    for (uint32_t i = 0; i < count && r->level[r->items[at]]; i++)
        at = at + 1 < g->hi ? at + 1 : g->lo;
    ask_read(r, t, g, at);
}

/* A class that failed the test is either not alone in its group or fused. The terms known to be at
 * the top tell: at a binary node they form a clade without the pivot. */
static void ask_span(run *r, task *t, group *g)
{
    uint32_t top = g->base + g->hi - g->lo, most = terms_in_window(r);
    most = most < LONGEST_SPAN ? most : LONGEST_SPAN;
    uint32_t found = 0;
    for (uint32_t i = g->lo; i < g->hi; i++)
        if (r->level[r->items[i]] >= top)
            accordi_swap_items(r, i, g->lo + found++);
    g->span = found < most ? found : most;
    for (uint32_t i = 0; i < g->span; i++)
        accordi_swap_items(r, g->lo + i,
                           g->lo + i + (uint32_t)accordi_rng_below(&r->asker->rng, found - i));
    accordi_test_ask(r, t, g->lo, g->lo + g->span, r->items[t->lo]);
    g->state = GROUP_SPANNING;
}

static void take_span(run *r, task *t, group *g)
{
    if (!accordi_test_passed(r, g->lo, g->lo + g->span)) {
        accordi_peel_start(r, t, g);
        return;
    }
    uint32_t from = g->lo + g->span;
    accordi_request *request =
        accordi_split_request(r, t, ACCORDI_READ, r->items[t->lo], r->items + from, g->hi - from);
    request->set = r->items + g->lo;
    request->set_count = g->span;
    request->answer = r->side;
    g->state = GROUP_GATHERING;
}

/* All under the LCA of the span are at the top; of the others some are counted. */
static void take_gathering(run *r, task *t, group *g)
{
    uint32_t unknown = 0;
    for (uint32_t i = g->lo + g->span; i < g->hi; i++) {
        uint32_t item = r->items[i];
        if (!r->side[item])
            r->level[item] = g->base + g->hi - g->lo;
        unknown += !r->level[item];
    }
    if (unknown)
        ask_more(r, t, g, MORE_COUNTS);
    else
        g->state = GROUP_DECIDE;
}

/* A peeling looks for the highest class below the top: only the last group matters. */
static void decide_peel(run *r, task *t, group *g)
{
    uint32_t top = g->base + g->hi - g->lo, at_top = 0, best = 0, at = g->lo;
    for (uint32_t i = g->lo; i < g->hi; i++) {
        uint32_t level = r->level[r->items[i]];
        at_top += level >= top;
        if (level < top && level > best) {
            best = level;
            at = i;
        }
    }
    bool alone = g->hi - g->lo == 1; /* in another child, since not all are in one */
    if (g->next || alone || at_top >= PEEL_COUNTS || at_top == g->hi - g->lo)
        g->state = GROUP_LAST;
    else if (best)
        ask_read(r, t, g, at);
    else
        ask_more(r, t, g, PEEL_COUNTS - at_top);
}

/* What to ask next about a group of a clade's path. */
static void decide_group(run *r, task *t, group *g)
{
    uint32_t count = g->hi - g->lo;
    if (count == 1) {
        g->state = GROUP_COMPLETE;
        return;
    }
    survey s = look(r, g);
    if (t->exact && s.known == count && s.distinct > 1) {
        cut_by_level(r, g);
        if (!r->asker->status)
            decide_group(r, t, g); /* once: it now has one level */
        return;
    }
    if (g->fresh && t->exact && count > FEW && s.known < FIRST_COUNTS && s.known < count) {
        accordi_group_count(r, t, g, FIRST_COUNTS - s.known);
        return;
    }
    /* Hardly any two terms in one class: then counts tell more than readings. */
    uint32_t above =
        s.twins ? s.known - s.twins + 1 : 0; /* those that join with the lowest: once */
    bool path_like =
        g->fresh && t->exact && count >= 16 && above >= 4 && 5 * s.distinct >= 4 * above;
    if (path_like && s.known < SECOND_COUNTS && count > 2 * SECOND_COUNTS) {
        accordi_group_count(r, t, g, SECOND_COUNTS - s.known);
        return;
    }
    g->fresh = false;
    if (path_like && s.twins > 1 && s.best != UINT32_MAX &&
        r->level[r->items[s.lowest]] - g->base > 2 * count / (uint32_t)r->asker->bits) {
        ask_read(r, t, g,
                 s.lowest); /* many may join below all others: they are not worth a count */
        g->walking = true;
        return;
    }
    if ((path_like || g->walking) && s.known < count) {
        accordi_group_count(r, t, g, UINT32_MAX / 2);
        return;
    }
    if (s.best != UINT32_MAX) {
        ask_read(r, t, g, s.best);
        return;
    }
    uint32_t need = count == 2 ? 0 : count <= FEW ? 1 : 2;
    if (!g->tested && s.at_top >= need) {
        accordi_test_ask(r, t, g->lo, g->hi, r->items[t->lo]);
        g->state = GROUP_TESTING;
    } else if (!g->tested) {
        ask_more(r, t, g, 2);
    } else if (s.known == count) {
        accordi_peel_start(r, t, g);
    } else if (s.at_top >= SPAN) {
        ask_span(r, t, g);
    } else {
        ask_more(r, t, g, MORE_COUNTS);
    }
}

void accordi_group_step(run *r, task *t, group *g)
{
    if (g->state == GROUP_READING) {
        take_read(r, t, g);
    } else if (g->state == GROUP_TESTING) {
        bool passed = accordi_test_passed(r, g->lo, g->hi);
        g->tested = !passed;
        g->state = passed ? GROUP_COMPLETE : GROUP_DECIDE;
    } else if (g->state == GROUP_SPANNING) {
        take_span(r, t, g);
        return;
    } else if (g->state == GROUP_COUNTING) {
        g->state = GROUP_DECIDE;
    } else if (g->state == GROUP_GATHERING) {
        take_gathering(r, t, g);
    }
    if (g->state == GROUP_DECIDE && !r->asker->status)
        (t->kind == TASK_PEEL ? decide_peel : decide_group)(r, t, g);
    else if (g->state >= GROUP_FUSED && g->state < GROUP_PEELED)
        accordi_peel_step(r, t, g);
}
