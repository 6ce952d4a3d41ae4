/* The rule for a list of parts that stand side by side, which a chain, in one direction or the
 * other, or one fused sum joins. Each part is looked at for itself; parts that follow each other
 * and have the same order are written once. */
#include "pattern/find.h"

enum { MOST_PARTS = 16 }; /* different ones */

typedef struct part {
    uint32_t node, low, held;
} part;

typedef struct parts {
    part *part; /* in the order of the chain, the last one first */
    size_t count, room;
} parts;

static bool put_part(accordi_finder *f, parts *p, uint32_t node)
{
    void *memory = p->part;
    bool good = accordi_grow(&memory, &p->room, p->count + 1, sizeof *p->part);
    p->part = memory;
    f->nomem = f->nomem || !good;
    if (good)
        p->part[p->count++] = (part){node, f->low[node], f->held[node]};
    return good;
}

/* Whether all children of the node stand side by side. */
static bool is_cut(const accordi_finder *f, const accordi_list *list, uint32_t node)
{
    if (list->item[f->low[node]] == node || !accordi_side_by_side(f, node))
        return false;
    for (uint32_t c = 0; c < accordi_children(f, node); c++)
        if (!accordi_side_by_side(f, accordi_child(f, node)[c]))
            return false;
    return true;
}

/* A part of another size belongs to the chain only as the last part of the list, where it is
 * shorter; or, if that is chosen, where neither is a term, and `all` that is left is no such part.
 */
static bool belongs(accordi_finder *f, const parts *p, uint32_t all, uint32_t added, uint32_t spine)
{
    const part *last = &p->part[p->count - 1];
    uint32_t held = f->held[added], before = last->held, n = f->tree->leaves;
    return held == before || (p->count == 1 && held > before && spine == 0) ||
           (p->count < MOST_PARTS && added >= n && last->node >= n && f->held[all] != before &&
            accordi_chooses(f, ACCORDI_CHOOSE_SIZES));
}

/* The parts that a chain joins, whose sum so far is child number `spine` of each node. */
static bool collect_chain(accordi_finder *f, const accordi_list *list, uint32_t spine, parts *p)
{
    uint32_t v = list->goal, label = accordi_label(f, v);
    p->count = 0;
    while (is_cut(f, list, v) && accordi_children(f, v) == 2 && accordi_label(f, v) == label) {
        uint32_t added = accordi_child(f, v)[!spine];
        if (p->count > 0 && !belongs(f, p, v, added, spine))
            break;
        if (!put_part(f, p, added))
            return false;
        v = accordi_child(f, v)[spine];
    }
    return put_part(f, p, v);
}

/* Puts the parts into the order of their items. */
static void reverse(parts *p)
{
    for (size_t i = 0, k = p->count; i + 1 < k; i++) {
        part last = p->part[--k];
        p->part[k] = p->part[i];
        p->part[i] = last;
    }
}

static bool collect(accordi_finder *f, const accordi_list *list, parts *p)
{
    uint32_t children = accordi_children(f, list->goal);
    p->count = 0;
    if (!is_cut(f, list, list->goal))
        return false;
    for (uint32_t c = 0; children > 2 && c < children; c++)
        if (!put_part(f, p, accordi_child(f, list->goal)[c]))
            return false;
    if (children > 2)
        return true;
    if (!collect_chain(f, list, 0, p))
        return false;
    if (p->count == 2 && !collect_chain(f, list, 1, p))
        return false;
    if (p->count > 2 && p->part[0].low == 0)
        return true;
    bool good = p->count > 2 || collect_chain(f, list, 0, p);
    reverse(p);
    return good;
}

/* The steps for the parts from number `i` to before number `next`, in blocks where they are
 * several. The parts before are one item each, after the steps before. */
static accordi_step *step_for(accordi_finder *f, accordi_step *body, const parts *p, size_t i,
                              size_t next)
{
    accordi_step *step = accordi_find_group(f, body);
    if (!step)
        return NULL;
    step->block = next > i + 1 ? p->part[i].held : 0;
    step->to = i > 0 && next == p->count ? ACCORDI_REACH_LAST : ACCORDI_REACH_AT;
    step->at = step->to == ACCORDI_REACH_AT ? (uint32_t)i : 0;
    step->reach = 0;
    for (size_t k = i; k < next; k++)
        step->reach += p->part[k].held;
    return step;
}

static bool holds_for(accordi_finder *f, const accordi_list *list, const accordi_step *body,
                      const part *p)
{
    accordi_list other = {list->item + p->low, p->held, p->node};
    return accordi_find_holds(f, &other, body, true);
}

/* How many parts from number `i` on have the order of that one. */
static size_t count_equal(accordi_finder *f, const accordi_list *list, const accordi_step *body,
                          const parts *p, size_t i)
{
    size_t next = i + 1;
    while (next < p->count && p->part[next].held == p->part[i].held &&
           holds_for(f, list, body, &p->part[next]))
        next++;
    return next - i;
}

/* The steps of one of the parts from number `i` on, as they are or generalized, if they hold for
 * all of them. */
static accordi_step *for_all_parts(accordi_finder *f, const accordi_list *list,
                                   const accordi_step *own, const parts *p, size_t i)
{
    accordi_step *body = accordi_steps_copy(own);
    f->nomem = f->nomem || (own && !body);
    for (size_t k = 0; body; k++) {
        bool holds = true;
        for (size_t m = i; holds && m < p->count; m++)
            holds = holds_for(f, list, body, &p->part[m]);
        if (holds)
            break;
        accordi_steps_free(body);
        body = accordi_find_general(f, own, k);
    }
    return body;
}

/* The last part has another size than those from number `i` on, which are equal, and all have the
 * steps of the last one, or else those of the first one, `first`. */
static accordi_step *with_last(accordi_finder *f, const accordi_list *list,
                               const accordi_step *first, const parts *p, size_t i)
{
    const part *last = &p->part[p->count - 1];
    accordi_step *own = accordi_find_inside(f, list, last->low, last->held, last->node);
    accordi_step *body = for_all_parts(f, list, own, p, i);
    accordi_steps_free(own);
    return body || f->nomem ? body : for_all_parts(f, list, first, p, i);
}

/* Whether the parts from number `i` on, with others before them, are two blocks of which the first
 * one is shorter. */
static bool is_short_first(const parts *p, size_t i, size_t next)
{
    return i > 0 && next == i + 1 && next + 1 == p->count && p->part[i].held > 1 &&
           p->part[i].held < p->part[next].held;
}

/* The step for the parts from number `*i` on that can be written together; moves on behind them. */
static accordi_step *next_step(accordi_finder *f, const accordi_list *list, const parts *p,
                               size_t *i)
{
    const part *first = &p->part[*i];
    size_t from = *i;
    accordi_step *body = accordi_find_inside(f, list, first->low, first->held, first->node);
    if (!body)
        return NULL;
    *i += count_equal(f, list, body, p, from);
    bool back = is_short_first(p, from, *i);
    if (back || (*i + 1 == p->count && p->part[*i].held < first->held && p->part[*i].held > 1)) {
        accordi_step *shared = with_last(f, list, body, p, from);
        if (shared) {
            accordi_steps_free(body);
            body = shared;
            *i = p->count;
        }
        back = back && shared;
    }
    accordi_step *step = step_for(f, body, p, from, *i);
    if (step && back) {
        step->block = p->part[from + 1].held;
        step->short_first = true;
    }
    return step;
}

static accordi_step *steps_for(accordi_finder *f, const accordi_list *list, const parts *p)
{
    accordi_step *steps = NULL, **end = &steps;
    size_t different = 0;
    for (size_t i = 0; i < p->count && !f->nomem && different <= MOST_PARTS;) {
        if (p->part[i].held == 1) {
            i++;
            continue;
        }
        *end = next_step(f, list, p, &i);
        if (!*end)
            break;
        end = &(*end)->next;
        different++;
    }
    if (!f->nomem && different <= MOST_PARTS)
        return steps;
    accordi_steps_free(steps);
    return NULL;
}

accordi_step *accordi_find_parts(accordi_finder *f, const accordi_list *list)
{
    parts p = {0};
    accordi_step *steps = collect(f, list, &p) ? steps_for(f, list, &p) : NULL;
    free(p.part);
    return steps;
}
